// Claim: the corotational law (svd) and the stable neo-Hookean law pull every element back from these starts: scrambled,
// flattened, turned inside out (other scrambled starts may tangle neighbours: docs/elements.md), 4-node tetrahedra, hexahedra,
// and 10-node tetrahedra with points at their vertices (Irving, Teran, Fedkiw 2004, doi:10.1145/1028523.1028541; Smith, de Goes,
// Kim 2018, doi:10.1145/3180491). Saint-Venant and Kirchhoff's law has a second rest state in the mirror image. Laws with ln J
// are not defined beyond J = 0: a start there is refused by the number of an element, and Newton's method does not go there.
//
// Tolerance: 1e-6 of the size: damping of 5/s ends all motion in 6 s (e^-30).
#include "element_boxes.h"
#include "material_laws.h"
#include "math/vec3.h"

static const double side = 0.3;
typedef enum wreck { SCRAMBLED, FLAT, INSIDE_OUT, WRECKS } wreck;
static const char *const wreck_names[WRECKS] = {"scrambled", "flat", "inside out"};

static bool law_recovers(const law_case *c) {
    return c->model == SP_COROTATIONAL || (c->model == SP_NEO_HOOKEAN && c->form == SP_FORM_STABLE);
}

static bool law_everywhere(const law_case *c) {
    return law_recovers(c) || c->model == SP_STVK;
}

static void start(const sp_mesh *mesh, wreck how, double *x) {
    unsigned long long seed = 11;
    const double *X = sp_mesh_positions(mesh);
    for (int i = 0; i < 3 * sp_mesh_node_count(mesh); i++) {
        double r = sp_test_random(&seed);
        if (how == SCRAMBLED)
            x[i] = side / 2 * (1 + r);
        else
            x[i] = i % 3 != 1 ? X[i] : how == FLAT ? side / 2 : side - X[i];
    }
}

// largest change of a distance between two nodes, over the size
static double shape_change(const lab *b, const double *x) {
    const double *X = sp_mesh_positions(b->mesh);
    double worst = 0;
    for (int i = 0; i < b->nodes; i++)
        for (int j = 0; j < i; j++) {
            double l = 0, r = 0;
            for (int k = 0; k < 3; k++) l += pow(x[3 * i + k] - x[3 * j + k], 2), r += pow(X[3 * i + k] - X[3 * j + k], 2);
            worst = fmax(worst, fabs(sqrt(l) - sqrt(r)) / side);
        }
    return worst;
}

static bool cube_open(lab *b, sp_element_type type, const law_case *c, sp_tangent tangent, sp_solid_def *def) {
    if (!lab_context(b) || element_box(b->ctx, type, (double[3]){side, side, side}, (int[3]){2, 2, 2}, 0, &b->mesh) < 0)
        return false;
    *def = lab_solid(b);
    use_law(def, c);
    def->tangent = tangent;
    def->integrator.type = SP_NEWTON;
    def->rayleigh_mass = 5, def->rayleigh_stiffness = 0.02;
    return true;
}

// ------------------------------------------------------------------------------------------------ laws that are defined
// everywhere

static void release(sp_element_type type, const law_case *c, wreck how, sp_tangent tangent) {
    lab b;
    sp_solid_def def;
    REQUIRE(cube_open(&b, type, c, tangent, &def));
    double *x = calloc(3 * (size_t)sp_mesh_node_count(b.mesh), sizeof *x);
    start(b.mesh, how, x);
    def.initial = x;
    if (type == SP_ELEMENT_TET10 && how != FLAT) def.integration = SP_INTEGRATION_VERTICES, def.rayleigh_stiffness = 0;
    REQUIRE(lab_world(&b, &def, 0));
    CHECK(how == FLAT || lab_measures(&b).inverted > 0);
    int iterations = 0, inverted = 0;
    for (int i = 0; i < 300; i++) {
        CHECK(lab_step(&b, 0.02) >= 0);
        iterations += lab_info(&b).solve.newton_iterations;
        inverted += lab_measures(&b).inverted > 0;
    }
    double *y = lab_field(&b, "position"), change = shape_change(&b, y);
    printf("  %-5s %-20s %-10s %-6s %3d steps with inverted elements, %4d iterations, shape %.1e\n", solid_type_names[type],
           c->name, wreck_names[how], tangent == SP_TANGENT_EXACT ? "exact" : "frozen", inverted, iterations, change);
    CHECK_INT(lab_measures(&b).inverted, 0);
    CHECK_NEAR(change, 0, 1e-6);
    free(x), free(y);
    lab_close(&b);
}

// Quadratic tetrahedra with four points return from flat only: positive volumes at these points do not exclude folds between
// them. With stiffness damping, which has no potential away from rest, Newton's method may diverge on those with points at the
// vertices; mass damping of 5/s is enough.
TEST(recovers_from_inverted_starts) {
    for (int i = 0; i < LAW_CASES; i++)
        for (int k = 0; k < 2 * WRECKS && law_recovers(&law_cases[i]); k++)
            for (int t = 0; t < 3; t++)
                release(solid_types[t], &law_cases[i], (wreck)(k / 2), k % 2 ? SP_TANGENT_EXACT : SP_TANGENT_FROZEN);
}

// An element whose three mid-edge nodes at a vertex come closer to it than a quarter of their edges is folded there. Its four
// points do not feel it, but it is reported; at the vertex itself it is an integration point that is inverted.
static int folded(sp_integration integration, double part) {
    static const double corner[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    static const int tet[4] = {0, 1, 2, 3};
    lab b;
    sp_mesh *linear = NULL;
    double x[30];
    int count = -1;
    if (!lab_context(&b)) return count;
    sp_mesh_def one = sp_mesh_def_default();
    one.node_count = 4, one.positions = corner, one.element_count = 1, one.element_nodes = tet;
    if (sp_mesh_create(b.ctx, &one, &linear) < 0 || sp_mesh_order2(linear, NULL, NULL, &b.mesh) < 0) return count;
    memcpy(x, sp_mesh_positions(b.mesh), sizeof x);
    for (int i = 4; i < 10; i++) {
        double sum = x[3 * i] + x[3 * i + 1] + x[3 * i + 2];
        for (int k = 0; k < 3 && sum < 0.75; k++) x[3 * i + k] *= 2 * part;
    }
    sp_solid_def def = lab_solid(&b);
    def.integration = integration, def.initial = x, def.rotation = SP_ROTATION_SVD;
    if (lab_world(&b, &def, 0)) count = lab_measures(&b).inverted;
    sp_mesh_destroy(&linear);
    lab_close(&b);
    return count;
}

TEST(folds_at_a_vertex_are_reported) {
    const sp_integration both[2] = {SP_INTEGRATION_FULL, SP_INTEGRATION_VERTICES};
    for (int i = 0; i < 2; i++) {
        CHECK_INT(folded(both[i], 0.26), 0);
        CHECK_INT(folded(both[i], 0.24), 1);
        CHECK_INT(folded(both[i], -0.5), 1);  // counted once where points are inverted too
    }
}

// The mirror image of the rest shape has no strain, so no force moves it; each step says that elements are inverted.
TEST(stvk_rests_in_the_mirror) {
    const law_case c = {.name = "stvk", .model = SP_STVK};
    lab b;
    sp_solid_def def;
    REQUIRE(cube_open(&b, SP_ELEMENT_TET4, &c, SP_TANGENT_EXACT, &def));
    double *x = calloc(3 * (size_t)sp_mesh_node_count(b.mesh), sizeof *x);
    start(b.mesh, INSIDE_OUT, x);
    def.initial = x;
    REQUIRE(lab_world(&b, &def, 0));
    for (int i = 0; i < 5; i++) CHECK_INT(lab_step(&b, 0.02), SP_INVERTED);
    double *y = lab_field(&b, "position"), moved = 0;
    for (int i = 0; i < 3 * b.nodes; i++) moved = fmax(moved, fabs(y[i] - x[i]));
    CHECK_NEAR(moved, 0, 1e-14);
    CHECK_INT(lab_measures(&b).inverted, b.tets);
    free(x), free(y);
    lab_close(&b);
}

// ------------------------------------------------------------------------------------------------ laws with ln J

TEST(start_outside_the_domain_is_refused) {
    for (int i = 0; i < LAW_CASES; i++)
        for (int how = 0; how < WRECKS; how++) {
            if (law_everywhere(&law_cases[i])) continue;
            lab b;
            sp_solid_def def;
            REQUIRE(cube_open(&b, SP_ELEMENT_TET4, &law_cases[i], SP_TANGENT_FROZEN, &def));
            double *x = calloc(3 * (size_t)sp_mesh_node_count(b.mesh), sizeof *x);
            start(b.mesh, (wreck)how, x);
            def.initial = x;
            REQUIRE(sp_world_create(b.ctx, NULL, &b.world) == SP_OK);
            CHECK_INT(sp_world_add_solid(b.world, &def, &b.body), SP_BAD_INPUT);
            const sp_error *error = sp_world_error(b.world);
            if (how == INSIDE_OUT) printf("  %s\n", error->message);
            CHECK(error->index >= 0 && strstr(error->message, "element") && strstr(error->message, "not defined"));
            free(x);
            lab_close(&b);
        }
}

// A state that is set later fails the next step, which leaves no trace.
TEST(step_from_outside_the_domain_fails) {
    for (int i = 0; i < LAW_CASES; i++) {
        if (law_everywhere(&law_cases[i])) continue;
        lab b;
        sp_solid_def def;
        REQUIRE(cube_open(&b, SP_ELEMENT_TET4, &law_cases[i], SP_TANGENT_FROZEN, &def));
        REQUIRE(lab_world(&b, &def, 0));
        double *x = calloc(3 * (size_t)b.nodes, sizeof *x);
        start(b.mesh, SCRAMBLED, x);
        CHECK(sp_world_set_state(b.world, b.body, x, NULL) >= 0);
        uint64_t before = sp_world_hash(b.world);
        CHECK_INT(sp_world_step(b.world, 0.02), SP_NOT_FINITE);
        CHECK(strstr(sp_world_error(b.world)->message, "element"));
        CHECK(sp_world_hash(b.world) == before);
        free(x);
        lab_close(&b);
    }
}

// One linearisation a step crushes a cube of a law with ln J: the events say that it is inverted, and that it stays so. The
// stable law is pushed back, and has the first event only.
TEST(elements_that_stay_inverted_are_an_event) {
    for (int i = 0; i < LAW_CASES; i++) {
        if (law_everywhere(&law_cases[i]) && law_cases[i].model != SP_NEO_HOOKEAN) continue;
        lab b;
        sp_solid_def def;
        sp_event e;
        int inverted = 0, stay = 0;
        REQUIRE(cube_open(&b, SP_ELEMENT_TET4, &law_cases[i], SP_TANGENT_FROZEN, &def));
        def.integrator.type = SP_IMPLICIT_EULER;
        REQUIRE(lab_world(&b, &def, 0));
        // all nodes fly through the middle in one step
        double *x = lab_field(&b, "position"), *v = calloc(3 * (size_t)b.nodes, sizeof *v);
        for (int k = 0; k < 3 * b.nodes; k++) v[k] = -300 * x[k];
        CHECK(sp_world_set_state(b.world, b.body, x, v) >= 0);
        CHECK(sp_world_step(b.world, 0.01) >= 0);
        for (int k = 0; sp_world_event_at(b.world, k, &e) >= 0; k++) {
            inverted += strstr(e.text, "elements are inverted") != NULL;
            stay += strstr(e.text, "does not push them back") != NULL;
        }
        CHECK_INT(inverted, 1);
        CHECK_INT(stay, !law_everywhere(&law_cases[i]));
        free(x), free(v);
        lab_close(&b);
    }
}

// ------------------------------------------------------------------------------------------------ line search

// One end of a bar is turned by 120 degrees and brought beside the other in a single static step. The linear step that follows
// the target would turn elements inside out; it is divided, and the line search refuses states without an energy.
static void bend(const law_case *c) {
    const double length = 1, thick = 0.2;
    sp_pose pose = {.translate = {-0.3, 0, 0.35}, .quat = {cos(SP_PI / 3), 0, -sin(SP_PI / 3), 0}};
    lab b;
    REQUIRE(lab_context(&b));
    REQUIRE(sp_mesh_box(b.ctx, (double[3]){length, thick, thick}, (int[3]){10, 2, 2}, 5, &b.mesh) == SP_OK);
    sp_fix fix = {.axes = SP_AXES_ALL};
    sp_move move = {.axes = SP_AXES_ALL, .about = {length, 0, thick / 2}, .pose = sp_pose_signal_constant(pose)};
    int *held = plane_nodes(b.mesh, 0, 0, &fix.count), *moved = plane_nodes(b.mesh, 0, length, &move.count);
    fix.nodes = held, move.nodes = moved;
    sp_solid_def def = lab_solid(&b);
    use_law(&def, c);
    def.fixes = &fix, def.fix_count = 1;
    def.moves = &move, def.move_count = 1;
    def.integrator.type = SP_STATIC;
    def.integrator.iterations = 200;
    def.solver.type = SP_SOLVER_CHOLESKY;
    REQUIRE(lab_world(&b, &def, 0));
    const sp_status status = lab_step(&b, 1);
    CHECK(status == SP_OK || (status == SP_INVERTED && c->model == SP_STVK));
    sp_solve_info solve = lab_info(&b).solve;
    printf("  %-22s %d iterations, residual %.1e\n", c->name, solve.newton_iterations, solve.force_residual);
    CHECK(solve.force_residual <= def.integrator.tolerance);
    CHECK(c->model == SP_STVK || lab_measures(&b).inverted == 0);
    free(held), free(moved);
    lab_close(&b);
}

TEST(bends_in_one_step) {
    for (int i = 0; i < LAW_CASES; i++) bend(&law_cases[i]);
}
