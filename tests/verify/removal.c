// Claim: what is left of a solid after elements were removed moves like a solid that was built without them, for every element
// and for laws of both kernels, with every solver; pressure and traction leave with their faces; energies, volume and mass are
// those of the rest. The two solids have other chunks, so their sums differ in the order of additions: 1e-14 m of displacements
// of 0.2 m is a hundred times the rounding of a position. Iterative solvers stop at a relative residual of 1e-11, and each step
// adds such an error of its displacement of 0.02 m: 1e-11 m allows a condition of the scaled system of 50.
#include "element_boxes.h"

enum { BEFORE = 8, AFTER = 12 };
static const double beam_size[3] = {0.6, 0.2, 0.2};
static const int beam_cells[3] = {9, 4, 4}, quadratic_cells[3] = {9, 2, 2};  // more nodes than a chunk has

typedef struct beam {
    const char *name;
    sp_element_type type;
    sp_material_model model;
    sp_rotation rotation;
    sp_shape shape;
    sp_tangent tangent;
    sp_integrator_type integrator;
    bool relaxes;  // its state is more than positions and velocities: removed before the first step
} beam;

// Elements between the layers of nodes at x = 1/3 and 0.4, which are moved by up to 0.007: the beam falls in two parts. And some
// of the others.
static bool goes(const sp_mesh *mesh, int e) {
    const int *node;
    bool inside = true;
    for (int a = sp_element_nodes(sp_mesh_element(mesh, e, &node)) - 1; a >= 0; a--) {
        const double x = sp_mesh_positions(mesh)[3 * node[a]];
        inside = inside && x > 0.31 && x < 0.42;
    }
    return inside || e % 17 == 3;
}

static sp_status mesh_of_the_rest(sp_context *ctx, const sp_mesh *from, sp_mesh **out) {
    int n = sp_mesh_element_count(from), at = 0, count = 0;
    sp_element_type *types = calloc((size_t)n, sizeof *types);
    int *nodes = calloc(10 * (size_t)n, sizeof *nodes);
    for (int e = 0; e < n; e++) {
        const int *own;
        if (goes(from, e)) continue;
        types[count] = sp_mesh_element(from, e, &own);
        for (int a = 0; a < sp_element_nodes(types[count]); a++) nodes[at++] = own[a];
        count++;
    }
    sp_mesh_def def = sp_mesh_def_default();
    def.node_count = sp_mesh_node_count(from), def.positions = sp_mesh_positions(from);
    def.element_count = count, def.element_types = types, def.element_nodes = nodes;
    def.fix_orientation = false;
    sp_status status = sp_mesh_create(ctx, &def, out);
    free(types), free(nodes);
    return status;
}

// clamped at x = 0; traction at the end, pressure on the side z = 0
static void hang(lab *b, sp_solid_def def) {
    int wall_count, end_count, side_count;
    int *wall = plane_nodes(b->mesh, 0, 0, &wall_count), *end = plane_faces(b->mesh, 0, beam_size[0], &end_count),
        *side = plane_faces(b->mesh, 2, 0, &side_count);
    sp_fix fix = {wall, wall_count, SP_AXES_ALL, 0};
    sp_load loads[2] = {{.type = SP_LOAD_TRACTION, .items = end, .count = end_count},
                        {.type = SP_LOAD_PRESSURE, .items = side, .count = side_count}};
    loads[0].value[0] = sp_signal_constant(300), loads[1].value[0] = sp_signal_constant(40);
    def.mesh = b->mesh, def.fixes = &fix, def.fix_count = 1, def.loads = loads, def.load_count = 2;
    REQUIRE(lab_world(b, &def, -9.81));
    free(wall), free(end), free(side);
}

static sp_solid_def beam_def(const beam *c) {
    sp_solid_def def = sp_solid_def_default();
    def.name = "body", def.model = c->model, def.rotation = c->rotation, def.shape = c->shape, def.tangent = c->tangent;
    def.material = (sp_material){.density = 1000, .young = 1e5, .poisson = 0.4};
    if (c->relaxes) def.material.relaxation_count = 1, def.material.relaxation[0] = 0.5, def.material.relaxation[1] = 0.05;
    def.integrator.type = c->integrator;
    def.integrator.tolerance = 1e-12;
    def.solver.type = SP_SOLVER_CHOLESKY;
    def.rayleigh_stiffness = 0.002, def.rayleigh_mass = 0.5;
    return def;
}

static void remove_some(lab *b) {
    for (int e = 0; e < b->tets; e++) {
        sp_edit edit = sp_edit_default(SP_EDIT_REMOVE_ELEMENT);
        edit.body = b->body, edit.node = e;
        if (goes(b->mesh, e)) CHECK_INT(sp_world_queue(b->world, &edit), SP_OK);
    }
}

// largest distance of nodes; of elements of `rest` only
static double apart(lab *a, lab *rest) {
    double worst = 0, *x = lab_field(a, "position"), *y = lab_field(rest, "position");
    for (int e = 0; e < rest->tets; e++) {
        const int *node;
        for (int k = sp_element_nodes(sp_mesh_element(rest->mesh, e, &node)) - 1; k >= 0; k--)
            for (int i = 0; i < 3; i++) worst = fmax(worst, fabs(x[3 * node[k] + i] - y[3 * node[k] + i]));
    }
    free(x), free(y);
    return worst;
}

static void compare_measures(lab *a, lab *rest) {
    sp_body_measures m = lab_measures(a), n = lab_measures(rest);
    CHECK_NEAR(m.mass, n.mass, 1e-12 * n.mass);  // sums of positive numbers in another order
    CHECK_NEAR(m.rest_volume, n.rest_volume, 1e-12 * n.rest_volume);
    CHECK_NEAR(m.element_size, n.element_size, 1e-12 * n.element_size);
    // positions that differ by 1e-11 m in elements of 0.05 m: strains by 1e-9
    CHECK_NEAR(m.volume, n.volume, 1e-8 * n.volume);
    CHECK_NEAR(m.kinetic, n.kinetic, 1e-8 * n.kinetic + 1e-20);
    if (isfinite(n.elastic)) CHECK_NEAR(m.elastic, n.elastic, 1e-7 * n.elastic);
    CHECK_INT(m.inverted, n.inverted);
    CHECK_NEAR(m.displacement_max, n.displacement_max, 1e-10);
}

// Whole for some steps, then removed; built without, from that state.
static void run_both(const beam *c, const sp_solver_def *solver, double *worst, double *moved) {
    lab a, rest;
    REQUIRE(lab_context(&a));
    REQUIRE(lab_context(&rest));
    REQUIRE(element_box(a.ctx, c->type, beam_size, c->type == SP_ELEMENT_TET10 ? quadratic_cells : beam_cells, 0.1, &a.mesh) ==
            SP_OK);
    REQUIRE(mesh_of_the_rest(rest.ctx, a.mesh, &rest.mesh) == SP_OK);
    sp_solid_def def = beam_def(c), other = def;
    if (solver) def.solver = *solver;
    hang(&a, def), hang(&rest, other);
    const double h = c->integrator == SP_EXPLICIT ? 2e-4 : 0.01;
    CHECK_INT(lab_steps(&a, h, c->relaxes ? 0 : BEFORE), SP_OK);
    double *x = lab_field(&a, "position"), *v = lab_field(&a, "velocity");
    REQUIRE(sp_world_set_state(rest.world, rest.body, x, v) == SP_OK);
    remove_some(&a);
    // a step with another right-hand side would differ at once
    CHECK_INT(lab_steps(&a, h, AFTER), SP_OK);
    CHECK_INT(lab_steps(&rest, h, AFTER), SP_OK);
    CHECK_INT(lab_info(&a).removed, a.tets - rest.tets);
    compare_measures(&a, &rest);
    *moved = lab_measures(&a).displacement_max;
    *worst = apart(&a, &rest);
    free(x), free(v);
    lab_close(&a), lab_close(&rest);
}

TEST(like_a_solid_built_without_them) {
    static const beam cases[] = {
        {"corotational, svd", SP_ELEMENT_TET4, SP_COROTATIONAL, SP_ROTATION_SVD, SP_SHAPE_REST, SP_TANGENT_FROZEN, 0, false},
        {"corotational, exact", SP_ELEMENT_TET4, SP_COROTATIONAL, SP_ROTATION_POLAR, SP_SHAPE_REST, SP_TANGENT_EXACT, SP_NEWTON,
         false},
        {"corotational, qr", SP_ELEMENT_TET4, SP_COROTATIONAL, SP_ROTATION_QR, SP_SHAPE_REST, SP_TANGENT_FROZEN, 0, false},
        {"corotational, deformed", SP_ELEMENT_TET4, SP_COROTATIONAL, SP_ROTATION_SVD, SP_SHAPE_DEFORMED, SP_TANGENT_FROZEN, 0,
         false},
        {"linear", SP_ELEMENT_TET4, SP_LINEAR, SP_ROTATION_SVD, SP_SHAPE_REST, SP_TANGENT_FROZEN, 0, false},
        {"explicit", SP_ELEMENT_TET4, SP_COROTATIONAL, SP_ROTATION_SVD, SP_SHAPE_REST, SP_TANGENT_FROZEN, SP_EXPLICIT, false},
        {"neo-hookean", SP_ELEMENT_TET4, SP_NEO_HOOKEAN, SP_ROTATION_SVD, SP_SHAPE_REST, SP_TANGENT_FROZEN, SP_NEWTON, false},
        {"stvk, 10 nodes", SP_ELEMENT_TET10, SP_STVK, SP_ROTATION_SVD, SP_SHAPE_REST, SP_TANGENT_FROZEN, 0, false},
        {"ogden, 10 nodes", SP_ELEMENT_TET10, SP_OGDEN, SP_ROTATION_SVD, SP_SHAPE_REST, SP_TANGENT_FROZEN, SP_NEWTON, false},
        {"neo-hookean, b-bar", SP_ELEMENT_HEX8, SP_NEO_HOOKEAN, SP_ROTATION_SVD, SP_SHAPE_REST, SP_TANGENT_FROZEN, 0, false},
        {"corotational, 8 nodes", SP_ELEMENT_HEX8, SP_COROTATIONAL, SP_ROTATION_SVD, SP_SHAPE_REST, SP_TANGENT_FROZEN, SP_NEWTON,
         false},
        {"springs", SP_ELEMENT_TET4, SP_MASS_SPRING, SP_ROTATION_SVD, SP_SHAPE_REST, SP_TANGENT_FROZEN, 0, false},
        {"tensor-mass", SP_ELEMENT_TET4, SP_TENSOR_MASS, SP_ROTATION_SVD, SP_SHAPE_REST, SP_TANGENT_FROZEN, 0, false},
        {"springs, 8 nodes", SP_ELEMENT_HEX8, SP_MASS_SPRING, SP_ROTATION_SVD, SP_SHAPE_REST, SP_TANGENT_FROZEN, 0, false},
        {"relaxing, corotational", SP_ELEMENT_TET4, SP_COROTATIONAL, SP_ROTATION_SVD, SP_SHAPE_REST, SP_TANGENT_FROZEN, 0, true},
        {"relaxing, 10 nodes", SP_ELEMENT_TET10, SP_NEO_HOOKEAN, SP_ROTATION_SVD, SP_SHAPE_REST, SP_TANGENT_FROZEN, 0, true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double moved = 0, worst = INFINITY;
        run_both(&cases[i], NULL, &worst, &moved);
        printf("  %-24s apart by %.1e m, moved by %.3f m\n", cases[i].name, worst, moved);
        CHECK_NEAR(worst, 0, 1e-14);
        CHECK(moved > (cases[i].integrator == SP_EXPLICIT ? 1e-5 : 0.01));
    }
}

// A block rests on the floor. When its upper half is removed, and later a slice at its bottom, the floor carries the weight of
// the rest: the faces that were inside touch it. Tolerance: the motion that is left after damping, 1e-4 of the weight.
TEST(the_floor_carries_what_is_left) {
    static const sp_compliance_type compliances[] = {SP_COMPLIANCE_AUTO, SP_COMPLIANCE_EXACT, SP_COMPLIANCE_FACTOR};
    for (int t = 0; t < 3; t++)
        for (size_t i = 0; i < sizeof compliances / sizeof *compliances; i++) {
            lab b;
            sp_contact_def contact = sp_contact_def_default();
            sp_rigid_shape plane = {SP_PLANE, {0, 1, 0}, sp_pose_identity()};
            sp_rigid_def floor = sp_rigid_def_default();
            REQUIRE(lab_context(&b));
            REQUIRE(element_box(b.ctx, solid_types[t], (double[3]){0.1, 0.1, 0.1}, (int[3]){2, 4, 2}, 0, &b.mesh) == SP_OK);
            sp_solid_def def = lab_solid(&b);
            def.material = (sp_material){.density = 1000, .young = 1e5, .poisson = 0.3};
            def.rayleigh_mass = 20, def.compliance = compliances[i], def.model = SP_NEO_HOOKEAN;
            REQUIRE(lab_world(&b, &def, -9.81));
            contact.formulation = SP_CONTACT_PROXIMITY, contact.friction = 0.4;
            REQUIRE(sp_world_set_contact(b.world, &contact) == SP_OK);
            floor.shapes = &plane, floor.shape_count = 1;
            REQUIRE(sp_world_add_rigid(b.world, &floor, NULL) == SP_OK);
            CHECK(lab_steps(&b, 0.01, 10) >= 0);
            for (int half = 0; half < 2; half++) {
                for (int e = 0; e < b.tets; e++) {
                    const int *node;
                    double y = 0, n = sp_element_nodes(sp_mesh_element(b.mesh, e, &node));
                    for (int a = 0; a < (int)n; a++) y += sp_mesh_positions(b.mesh)[3 * node[a] + 1] / n;
                    sp_edit edit = sp_edit_default(SP_EDIT_REMOVE_ELEMENT);
                    edit.body = b.body, edit.node = e;
                    if (half == 0 ? y > 0.05 : y < 0.025) CHECK_INT(sp_world_queue(b.world, &edit), SP_OK);
                }
                CHECK(lab_steps(&b, 0.01, 80) >= 0);
                double force = 0, mass = half == 0 ? 0.5 : 0.25;
                for (int k = 0; k < sp_world_contact_count(b.world); k++) {
                    sp_contact_point p;
                    CHECK_INT(sp_world_contact_at(b.world, k, &p), SP_OK);
                    force += fabs(p.force[1]);
                }
                CHECK_NEAR(lab_measures(&b).mass, mass, 1e-12);
                CHECK_NEAR(force, mass * 9.81, 1e-4 * 9.81);
            }
            lab_close(&b);
        }
}

TEST(with_every_solver) {
    static const struct {
        const char *name;
        sp_solver_type type;
        sp_preconditioner preconditioner;
        sp_refresh_policy refresh;
    } solvers[] = {{"cg", SP_SOLVER_CG, 0, 0},
                   {"dense", SP_SOLVER_DENSE, 0, 0},
                   {"updated-cholesky", SP_SOLVER_UPDATED_CHOLESKY, 0, 0},
                   {"block-jacobi", SP_SOLVER_PCG, SP_BLOCK_JACOBI, SP_REFRESH_AUTO},
                   {"jacobi", SP_SOLVER_PCG, SP_JACOBI, SP_REFRESH_AUTO},
                   {"ssor", SP_SOLVER_PCG, SP_SSOR, SP_REFRESH_AUTO},
                   {"ic", SP_SOLVER_PCG, SP_IC, SP_REFRESH_AUTO},
                   {"cholesky, each step", SP_SOLVER_PCG, SP_COMPLETE_CHOLESKY, SP_REFRESH_STEP},
                   {"cholesky, async", SP_SOLVER_PCG, SP_COMPLETE_CHOLESKY, SP_REFRESH_ASYNC},
                   {"cholesky, never", SP_SOLVER_PCG, SP_COMPLETE_CHOLESKY, SP_REFRESH_NEVER},
                   {"inverse-factor", SP_SOLVER_PCG, SP_INVERSE_FACTOR, SP_REFRESH_AUTO},
                   {"multigrid", SP_SOLVER_PCG, SP_MULTIGRID, SP_REFRESH_AUTO}};
    const beam c = {"", SP_ELEMENT_TET4, SP_COROTATIONAL, SP_ROTATION_POLAR, SP_SHAPE_REST, SP_TANGENT_FROZEN, 0, false};
    for (size_t i = 0; i < sizeof solvers / sizeof *solvers; i++) {
        sp_solver_def solver = sp_solver_def_default();
        double moved = 0, worst = INFINITY;
        solver.type = solvers[i].type, solver.tolerance = 1e-11, solver.iterations = 5000;
        solver.pcg.preconditioner = solvers[i].preconditioner, solver.pcg.refresh = solvers[i].refresh;
        solver.updated.threshold = 0;  // no element stays as it was
        run_both(&c, &solver, &worst, &moved);
        printf("  %-24s apart by %.1e m\n", solvers[i].name, worst);
        CHECK_NEAR(worst, 0, 1e-11);
    }
}
