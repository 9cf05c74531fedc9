// From scene to world: a scene gives the same bits as the same calls of the API; errors of the build are reported with their
// line.
#include "at.h"
#include "test.h"

#include "core/background.h"
#include "souple/io.h"

typedef struct stage {
    sp_context *ctx;
    sp_scene *scene;
    sp_run *run;
    sp_status status;
    size_t bytes;  // of the context only
} stage;

static stage build_with(const char *text, size_t memory_limit) {
    stage s = {0};
    sp_context_create(NULL, &s.ctx);
    sp__background_hold(s.ctx, false);  // its thread exists from here on and is counted
    sp_context_memory(s.ctx, &s.bytes, NULL);
    sp_scene_options options = sp_scene_options_default();
    if (memory_limit) options.memory_limit = memory_limit;
    s.status = sp_scene_parse(s.ctx, text, strlen(text), SP_SOURCE_DIR "/tests/data/test.xml", &options, &s.scene);
    if (s.status >= 0) s.status = sp_run_create(s.scene, NULL, &s.run);
    return s;
}

static stage build(const char *text) {
    return build_with(text, 0);
}

static void show(const stage *s) {
    for (int i = 0; s->scene && i < sp_scene_message_count(s->scene); i++) {
        sp_scene_message m = message_at(s->scene, i);
        printf("    %s:%d: %s\n", m.file, m.line, m.text);
    }
}

static void close_stage(stage *s) {
    size_t bytes = 0;
    sp_run_destroy(&s->run);
    sp_scene_destroy(&s->scene);
    sp_context_memory(s->ctx, &bytes, NULL);
    CHECK_INT(bytes, s->bytes);
    sp_context_destroy(&s->ctx);
}

// ------------------------------------------------------------------------------------------------ same bits as the API

static double wave(const void *user, double t) {
    (void)user;
    return 3 * sin(2 * t);
}

static void swing(const void *user, double t, sp_pose *out) {
    (void)user;
    *out = sp_pose_identity();
    out->translate[1] = 0.1 * t;
}

static int box_nodes(const sp_mesh *mesh, const double box[6], int *out) {
    sp_selection s = sp_selection_default();
    int n;
    s.has_box = true;
    memcpy(s.box, box, sizeof s.box);
    return sp_mesh_select(mesh, &s, SP_SELECT_NODES, out, 1000, &n) < 0 ? 0 : n;
}

static void api_beam(sp_context *ctx, uint64_t *hash) {
    const double size[3] = {1, 0.2, 0.2}, root[6] = {-0.01, 0, 0, 0.01, 1, 1}, tip[6] = {0.99, 0, 0, 1.01, 1, 1};
    const int cells[3] = {6, 2, 2};
    static int held[1000], led[1000], region[144];
    sp_mesh *mesh;
    sp_world *world;
    REQUIRE(sp_mesh_box(ctx, size, cells, 6, &mesh) == SP_OK);
    sp_world_def world_def = sp_world_def_default();
    world_def.gravity[1] = sp_signal_constant(-5);
    world_def.gravity[2] = (sp_signal){wave, NULL, 0};
    sp_solid_def def = sp_solid_def_default();
    sp_fix fix = {held, box_nodes(mesh, root, held), SP_AXES_ALL, 0};
    sp_load load = {.type = SP_LOAD_FORCE,
                    .items = led,
                    .count = box_nodes(mesh, tip, led),
                    .value = {{NULL, NULL, 0}, {wave, NULL, 0}, {NULL, NULL, 1}}};
    sp_material stiff = {.density = 800, .young = 5e4, .poisson = 0.4};
    for (int e = 0; e < sp_mesh_element_count(mesh); e++) {
        double x = 0;
        for (int k = 0; k < 4; k++) x += 0.25 * sp_mesh_positions(mesh)[3 * sp_mesh_tets(mesh)[4 * e + k]];
        region[e] = x <= 0.5;
    }
    def.name = "beam", def.mesh = mesh;
    def.material = (sp_material){.density = 800, .young = 2e4, .poisson = 0.4};
    def.rotation = SP_ROTATION_SVD;
    def.regions = &stiff, def.region_count = 1, def.element_region = region;
    def.rayleigh_mass = 0.1, def.rayleigh_stiffness = 0.002, def.drag = 3;
    def.fixes = &fix, def.fix_count = 1, def.loads = &load, def.load_count = 1;
    def.integrator.type = SP_NEWTON, def.integrator.iterations = 5;
    def.solver.tolerance = 1e-8;
    REQUIRE(sp_world_create(ctx, &world_def, &world) == SP_OK);
    REQUIRE(sp_world_add_solid(world, &def, NULL) == SP_OK);
    for (int i = 0; i < 10; i++) {
        CHECK(sp_world_step(world, 0.02) >= 0);
        hash[i] = sp_world_hash(world);
    }
    sp_world_destroy(&world);
    sp_mesh_destroy(&mesh);
}

static const char beam_text[] =
    "<scene gravity='0 -5 {3*sin(2*t)}' dt='0.02'>\n"
    "  <solid name='beam' rotation='svd' density='800' young='2e4' poisson='0.4' rayleigh='0.1 0.002' drag='3'>\n"
    "    <box size='1 0.2 0.2' cells='6 2 2' pattern='6'/>\n"
    "    <region name='stiff' box='0 0 0 0.5 1 1' young='5e4'/>\n"
    "    <fix name='root' box='-0.01 0 0 0.01 1 1'/>\n"
    "    <load box='0.99 0 0 1.01 1 1' force='0 {3*sin(2*t)} 1'/>\n"
    "    <integrator type='newton' iterations='5'/>\n"
    "    <solver tolerance='1e-8'/>\n"
    "  </solid>\n"
    "  <stop steps='10'/>\n"
    "</scene>\n";

TEST(beam_scene_equals_the_same_calls_bit_for_bit) {
    uint64_t hash[10] = {0};
    stage s = build(beam_text);
    show(&s);
    REQUIRE(s.status == SP_OK);
    api_beam(s.ctx, hash);
    CHECK_INT(sp_run_steps_planned(s.run), 10);
    for (int i = 0; i < 10; i++) {
        CHECK(!sp_run_done(s.run));
        CHECK(sp_run_step(s.run) >= 0);
        CHECK(sp_world_hash(sp_run_world(s.run)) == hash[i]);
    }
    CHECK(sp_run_done(s.run));
    close_stage(&s);
}

// moves: a formula, keys and the API's signal move the same nodes the same way
TEST(moves_by_formula_and_by_keys) {
    static const char *const moves[] = {"<move box='0.99 0 0 1.01 1 1' translate='0 {0.1*t} 0'/>",
                                        "<move box='0.99 0 0 1.01 1 1'><key t='0'/><key t='10' translate='0 1 0'/></move>"};
    double tip[2][3];
    for (int m = 0; m < 2; m++) {
        char text[1000];
        snprintf(text, sizeof text,
                 "<scene dt='0.05'><solid name='b'><box size='1 0.2 0.2' cells='5 1 1'/><fix box='0 0 0 0 1 1'/>%s</solid>"
                 "<stop time='1'/></scene>",
                 moves[m]);
        stage s = build(text);
        show(&s);
        REQUIRE(s.status == SP_OK);
        while (!sp_run_done(s.run)) CHECK(sp_run_step(s.run) >= 0);
        double x[24 * 3];
        sp_world *w = sp_run_world(s.run);
        CHECK(sp_world_field(w, sp_world_body_named(w, "b"), "position", x) == SP_OK);
        memcpy(tip[m], x + 3 * 20, sizeof tip[m]);
        close_stage(&s);
    }
    sp_pose want;
    swing(NULL, 1, &want);
    // node 20 is the corner (1, 0, 0); rounding of sums of dt and of the interpolated keys
    CHECK_NEAR(tip[0][1], want.translate[1], 1e-14);
    CHECK_NEAR(tip[1][1], want.translate[1], 1e-14);
    CHECK_NEAR(tip[0][0], 1, 1e-14);
}

// ------------------------------------------------------------------------------------------------ placement

static void node_position(stage *s, const char *body, int node, double x[3]) {
    sp_world *w = sp_run_world(s->run);
    sp_anchor anchor;
    x[0] = x[1] = x[2] = NAN;
    CHECK(sp_world_anchor_node(w, sp_world_body_named(w, body), node, &anchor) == SP_OK);
    CHECK(sp_world_anchor_get(w, &anchor, x, NULL) == SP_OK);
}

TEST(placement_is_scale_then_rotations_then_translation) {
    // corner 3 of a one-cell box is (0, 1, 1): doubled (0, 2, 2), about x by 90 deg (0, -2, 2), about z by 90 deg (2, 0, 2)
    stage s =
        build("<scene><solid name='b' scale='2' rotate='90 0 90' translate='1 2 3'><box size='1 1 1' cells='1 1 1'/></solid>"
              "<solid name='c' rotate='0 0 1 90'><box size='1 1 1' cells='1 1 1'/></solid>"
              "<solid name='d' quat='1 0 0 1'><box size='1 1 1' cells='1 1 1'/></solid><stop steps='1'/></scene>");
    double x[3], y[3];
    show(&s);
    REQUIRE(s.status == SP_OK);
    node_position(&s, "b", 3, x);
    CHECK_NEAR(x[0], 1 + 2, 1e-14);
    CHECK_NEAR(x[1], 2 + 0, 1e-14);
    CHECK_NEAR(x[2], 3 + 2, 1e-14);
    // (1, 0, 0) about z by 90 deg is (0, 1, 0)
    node_position(&s, "c", 4, x);
    node_position(&s, "d", 4, y);
    CHECK_NEAR(x[0], 0, 1e-15);
    CHECK_NEAR(x[1], 1, 1e-15);
    for (int k = 0; k < 3; k++) CHECK_NEAR(x[k], y[k], 1e-15);
    close_stage(&s);
}

TEST(selections_use_local_coordinates_unless_in_the_world) {
    stage s = build("<scene gravity='0 -10 0' dt='0.1'>"
                    "<solid name='a' translate='5 0 0'><box size='1 1 1' cells='1 1 1'/><fix box='0 0 0 1 0 1'/></solid>"
                    "<solid name='b' translate='9 0 0'><box size='1 1 1' cells='1 1 1'/>"
                    "<fix box='9 0 0 10 0 1' frame='world'/></solid><stop steps='3'/></scene>");
    double x[3];
    show(&s);
    REQUIRE(s.status == SP_OK);
    while (!sp_run_done(s.run)) CHECK(sp_run_step(s.run) >= 0);
    // node 0 is at the bottom, node 2 at the top
    node_position(&s, "a", 0, x);
    CHECK(x[1] == 0 && x[0] == 5);
    node_position(&s, "a", 2, x);
    CHECK(x[1] < 1 && x[1] > 0.5);
    node_position(&s, "b", 0, x);
    CHECK(x[1] == 0 && x[0] == 9);
    close_stage(&s);
}

TEST(start_differs_from_rest) {
    stage s = build("<scene gravity='0 0 0' dt='1e-3'><solid name='b' translate='0 3 0'><box size='2 2 2' cells='2 2 2'/>"
                    "<initial translate='1 0 0' velocity='0 0 5' spin='0 0 2'/></solid><stop steps='1'/></scene>");
    double x[3], v[3];
    show(&s);
    REQUIRE(s.status == SP_OK);
    sp_world *w = sp_run_world(s.run);
    sp_anchor a;
    CHECK(sp_world_anchor_node(w, sp_world_body_named(w, "b"), 0, &a) == SP_OK);
    CHECK(sp_world_anchor_get(w, &a, x, v) == SP_OK);
    CHECK_NEAR(x[0], 1, 1e-15);
    CHECK_NEAR(x[1], 3, 1e-15);
    // the centre is at (2, 4, 1): w x r = (0 0 2) x (-1 -1 -1) = (2, -2, 0); the centre is a sum over the elements
    CHECK_NEAR(v[0], 2, 1e-13);
    CHECK_NEAR(v[1], -2, 1e-13);
    CHECK_NEAR(v[2], 5, 1e-13);
    close_stage(&s);
}

// ------------------------------------------------------------------------------------------------ materials

static void check_region_field(stage *s, const char *body, double x_limit) {
    sp_world *w = sp_run_world(s->run);
    sp_body_id id = sp_world_body_named(w, body);
    sp_field_info info = {0};
    double values[400];
    CHECK(sp_world_field_info(w, id, "region", &info) == SP_OK);
    REQUIRE(info.count <= 400 && sp_world_field(w, id, "region", values) == SP_OK);
    int count = 0;
    for (int i = 0; i < info.count; i++) count += values[i] != 0;
    CHECK_INT(count, (int)(info.count * x_limit));
}

TEST(later_regions_win_attribute_by_attribute) {
    stage s = build("<scene><solid name='b' young='1e5' density='1000'><box size='1 1 1' cells='4 1 1'/>"
                    "<region box='0 0 0 0.5 1 1' young='2e5' density='2000'/>"
                    "<region box='0 0 0 0.25 1 1' density='4000'/></solid><stop steps='1'/></scene>");
    sp_body_measures info;
    show(&s);
    REQUIRE(s.status == SP_OK);
    check_region_field(&s, "b", 0.5);
    CHECK(sp_world_body_measure(sp_run_world(s.run), sp_world_body_named(sp_run_world(s.run), "b"), &info) == SP_OK);
    // a quarter each of 4000 and 2000, half of 1000; sums of 24 elements
    CHECK_NEAR(info.mass, 1000 + 500 + 500, 1e-10);
    close_stage(&s);
}

// a region without a modulus of its own is none of the engine and has no number
TEST(regions_have_the_names_of_the_scene) {
    stage s =
        build("<scene><solid name='a'><box size='1 1 1' cells='4 4 4'/><region name='dense' box='0 0 0 0.5 1 1' density='2000'/>"
              "<region name='tumour' box='0 0 0 0.5 1 1' young='2e5'/><region box='0.5 0 0 1 1 1' young='3e5'/></solid>"
              "<rigid name='floor'><plane/></rigid><stop steps='1'/></scene>");
    REQUIRE(s.status >= 0);
    sp_world *w = sp_run_world(s.run);
    sp_body_id a = sp_world_body_named(w, "a"), floor_id = sp_world_body_named(w, "floor");
    CHECK(strcmp(sp_run_region_name(s.run, a, 0), "") == 0);
    CHECK(strcmp(sp_run_region_name(s.run, a, 1), "tumour") == 0);
    CHECK(strcmp(sp_run_region_name(s.run, a, 2), "") == 0);
    CHECK(sp_run_region_name(s.run, a, 3) == NULL && sp_run_region_name(s.run, a, -1) == NULL);
    CHECK(sp_run_region_name(s.run, floor_id, 1) == NULL);
    close_stage(&s);
}

TEST(density_by_expression_by_file_and_by_material) {
    FILE *file = fopen(SP_SOURCE_DIR "/tests/data/density.csv", "r");
    REQUIRE(file);
    fclose(file);
    stage s =
        build("<scene><material name='m' density='500' young='3e4'/>"
              "<solid name='b' density='{1000*(1+x)}'><box size='1 1 1' cells='2 2 2' pattern='6'/></solid>"
              "<solid name='c' density='@rho'><box size='1 1 1' cells='1 1 1' pattern='6'/><data name='rho' file='density.csv' "
              "column='rho'/></solid>"
              "<solid name='d' material='m'><box size='1 1 1' cells='1 1 1'/></solid><stop steps='1'/></scene>");
    sp_body_measures info;
    show(&s);
    REQUIRE(s.status == SP_OK);
    sp_world *w = sp_run_world(s.run);
    CHECK(sp_world_body_measure(w, sp_world_body_named(w, "b"), &info) == SP_OK);
    // the mean of x over the box is 1/2, and the mean of the centres of the six path tetrahedra of a cell is its centre
    CHECK_NEAR(info.mass, 1500, 1e-9);
    CHECK(sp_world_body_measure(w, sp_world_body_named(w, "c"), &info) == SP_OK);
    CHECK_NEAR(info.mass, (100 + 200 + 300 + 400 + 500 + 600) / 6.0, 1e-10);
    CHECK(sp_world_body_measure(w, sp_world_body_named(w, "d"), &info) == SP_OK);
    CHECK_NEAR(info.mass, 500, 1e-10);
    sp_param_info p;
    CHECK(sp_world_param(w, "d.young", &p) == SP_OK);
    CHECK(p.value == 3e4);
    close_stage(&s);
}

TEST(mesh_files_provide_groups_and_arrays) {
    stage s = build("<scene gravity='0 -1 0'><solid name='b' density='@rho'><mesh file='two.msh' scale='0.5'/>"
                    "<region tag='upper' young='5e5'/><fix tag='floor'/></solid><stop steps='2'/></scene>");
    sp_body_info info;
    sp_body_measures measures;
    show(&s);
    REQUIRE(s.status == SP_OK);
    sp_world *w = sp_run_world(s.run);
    CHECK(sp_world_body_info(w, sp_world_body_named(w, "b"), &info) == SP_OK);
    CHECK(sp_world_body_measure(w, info.id, &measures) == SP_OK);
    CHECK_INT(info.nodes, 5);
    CHECK_INT(info.elements, 2);
    // two corners of a cube of edge 1/2, each 1/6 of it, with densities 600 and 1200
    CHECK_NEAR(measures.mass, (600 + 1200) / 48.0, 1e-12);
    check_region_field(&s, "b", 0.5);
    while (!sp_run_done(s.run)) CHECK(sp_run_step(s.run) >= 0);
    double x[3];
    node_position(&s, "b", 0, x);
    CHECK(x[1] == 0);
    node_position(&s, "b", 4, x);
    CHECK(x[1] < 0);
    close_stage(&s);
}

// ------------------------------------------------------------------------------------------------ shapes

TEST(element_targets_are_nearly_met) {
    static const char *const shapes[] = {"<cylinder radius='0.1' length='1' elements='%d'/>",
                                         "<sphere radius='1 1 2' elements='%d'/>", "<torus radius='1 0.3' elements='%d'/>"};
    for (int i = 0; i < 3; i++) {
        for (int n = 300; n < 10000; n *= 5) {
            char text[400], shape[200];
            sp_body_info info = {0};
            snprintf(shape, sizeof shape, shapes[i], n);
            snprintf(text, sizeof text, "<scene><solid name='b'>%s</solid><stop steps='1'/></scene>", shape);
            stage s = build(text);
            show(&s);
            REQUIRE(s.status == SP_OK);
            CHECK(sp_world_body_info(sp_run_world(s.run), sp_world_body_id(sp_run_world(s.run), 0), &info) == SP_OK);
            // a sphere depends on the cube of one integer: 48 c^3 is within (1.5/1)^3 and 1/(1.5)^3 of any target at worst, c = 1
            // to 2
            CHECK(info.elements > n / 3.4 && info.elements < n * 3.4);
            close_stage(&s);
        }
    }
}

TEST(counts_beyond_the_memory_limit_are_refused_before_allocation) {
    stage s = build_with(
        "<scene><solid name='b'><box size='1 1 1' cells='1000000 1000000 1000000'/></solid><stop steps='1'/></scene>", 0);
    CHECK(s.status == SP_BAD_INPUT);
    CHECK(sp_scene_message_count(s.scene) == 1 && strstr(message_at(s.scene, 0).text, "the limit is") != NULL);
    close_stage(&s);
    s = build_with("<scene><solid name='b'><box size='1 1 1' cells='10 10 10'/></solid><stop steps='1'/></scene>", 1000000);
    CHECK(s.status == SP_BAD_INPUT);
    close_stage(&s);
}

// ------------------------------------------------------------------------------------------------ rigid bodies

TEST(rigid_bodies_stay_or_follow_their_move) {
    stage s = build(
        "<scene gravity='0 0 0' dt='0.1'><rigid name='floor' translate='0 -1 0'><plane point='0 1 0'/></rigid>"
        "<rigid name='ball' motion='kinematic' translate='1 0 0' rotate='0 0 90'><sphere radius='0.1' translate='1 0 0'/>"
        "<move rotate='0 0 {90*t}' translate='0 0 {t}'/><probe name='tip' point='1 0 0' quantity='position velocity'/></rigid>"
        "<stop time='1'/></scene>");
    sp_run_probe p;
    show(&s);
    REQUIRE(s.status == SP_OK);
    while (!sp_run_done(s.run)) CHECK(sp_run_step(s.run) >= 0);
    sp_run_probe_at(s.run, 0, &p);
    REQUIRE(p.sample_count == 11 && p.width == 6);
    // the point (1, 0, 0) of its frame starts at (1, 1, 0) and rotates about its own origin (1, 0, 0)
    const double start[3] = {1, 1, 0}, end[3] = {0, 0, 1};
    for (int k = 0; k < 3; k++) CHECK_NEAR(p.values[k], start[k], 1e-14);
    for (int k = 0; k < 3; k++) CHECK_NEAR(p.values[60 + k], end[k], 1e-14);
    close_stage(&s);
}

// the message at an element that contains `part`
static bool warned_of(const stage *s, const char *part) {
    for (int i = 0; i < sp_scene_message_count(s->scene); i++)
        if (strstr(message_at(s->scene, i).text, part)) return true;
    return false;
}

// the last sample of a probe by index
static const double *last_of(const stage *s, int probe) {
    static sp_run_probe p;
    sp_run_probe_at(s->run, probe, &p);
    return p.values + (size_t)(p.sample_count - 1) * (size_t)p.width;
}

// placement, scale, initial state, loads at points and a spring of free bodies; a mesh file of tetrahedra
TEST(free_rigid_bodies_follow_forces) {
    stage s = build(
        "<scene gravity='0 0 0' dt='0.01'>"
        "<rigid name='ball' motion='free' density='500' scale='2' translate='1 0 0'><sphere radius='0.1' translate='1 0 0'/>"
        "<initial translate='0 1 0' velocity='1 2 3' spin='0 0 4'/><probe name='c' point='1 0 0' quantity='position velocity'/>"
        "<probe name='m' quantity='momentum kinetic'/></rigid>"
        "<rigid name='bar' motion='free' mass='2' inertia='0.5 1 1'><capsule radius='0.1' length='1'/>"
        "<load point='0 0 0' force='0 6 0'/><load torque='0 0 3'/><load acceleration='1 0 0'/>"
        "<probe name='push' point='0 0 0.5' quantity='velocity'/></rigid>"
        "<rigid name='held' motion='free' translate='0 3 0'><torus radius='0.3 0.1'/><sphere radius='0.1 0.2 0.3'/>"
        "<pull to='0 3 1' stiffness='1e7' damping='1e5'/><probe name='at' quantity='position'/></rigid>"
        "<rigid name='lump' motion='free'><mesh file='two.msh' scale='0.5'/><probe name='still' quantity='momentum'/></rigid>"
        "<stop time='1'/></scene>");
    show(&s);
    REQUIRE(s.status == SP_OK);
    while (!sp_run_done(s.run)) CHECK_INT(sp_run_step(s.run), SP_OK);
    // ball: radius 0.2, its centre 2 m from the frame's origin, which starts at (1, 2, 0): scaled by 2, then moved
    const double mass = 500 * 4.0 / 3 * 3.14159265358979 * 0.008, *c = last_of(&s, 0), *m = last_of(&s, 1);
    CHECK_NEAR(c[0], 3 + 1, 1e-12);
    CHECK_NEAR(c[1], 1 + 2, 1e-12);
    CHECK_NEAR(c[2], 3, 1e-12);
    CHECK_NEAR(c[4], 2, 1e-12);
    CHECK_NEAR(m[2], 3 * mass, 1e-9);
    CHECK_NEAR(m[3], 0.5 * mass * (14 + 0.4 * 0.04 * 16), 1e-9);
    // bar: its centre is (0, 0, 0.5); 6 N on 2 kg. The force at the first cap turns it about x
    const double *push = last_of(&s, 2);
    CHECK_NEAR(push[0], 1, 1e-9);
    CHECK_NEAR(push[1], 3, 1e-9);
    CHECK_NEAR(last_of(&s, 3)[2], 1, 1e-3);
    for (int k = 0; k < 3; k++) CHECK(last_of(&s, 4)[k] == 0);
    CHECK(!warned_of(&s, "known, not in this build"));
    close_stage(&s);
}

// ------------------------------------------------------------------------------------------------ refusals

#define SOLID(inside) \
    "<scene>\n<solid name='b'>\n<box size='1 1 1' cells='2 2 2'/>\n" inside "\n</solid>\n<stop steps='1'/></scene>\n"
static const struct {
    const char *text, *says;
    int line;
} refused[] = {
    {SOLID("<fix box='5 5 5 6 6 6'/>"), "selects no nodes", 4},
    {SOLID("<fix/>"), "", 4},
    {SOLID("<region sphere='9 9 9 1' young='1'/>"), "selects no elements", 4},
    {SOLID("<load tag='nowhere' force='1 0 0'/>"), "nowhere", 4},
    {SOLID("<load box='0 0 0 1 1 1'/>"), "", 4},
    {SOLID("<load box='0 0 0 1 1 1' force='1 0 0' each='1 0 0'/>"), "", 4},
    {SOLID("<pull point='7 7 7' to='1 0 0'/>"), "outside", 4},
    {SOLID("<pull point='0.5 0.5 0.5' on='surface' to='1 0 0'/>"), "on cannot be combined", 4},
    {SOLID("<fix nodes='0 999'/>"), "999", 4},
    {SOLID("<fix box='0 0 0 1 1 1' within='0.1'/>"), "within", 4},
    {SOLID("<move box='0 0 0 1 1 1'/>"), "has no motion", 4},
    {SOLID("<move box='0 0 0 1 1 1' scale='2'/>"), "rigid", 4},
    {SOLID("<move box='0 0 0 1 1 1' rotate='{t} 0 0 90'/>"), "length 0", 4},
    {SOLID("<select name='s'><select select='s'/></select><fix select='s'/>"), "circular", 4},
    {SOLID("<move box='0 0 0 1 1 1' translate='{t} 0 0'><key t='0'/></move>"), "keys", 4},
    {SOLID("<move box='0 0 0 1 1 1'><key t='1'/>\n<key t='1'/></move>"), "increase", 5},
    {SOLID("<integrator type='static'/>"), "nothing holds", 2},
    {SOLID("<integrator type='static'/><fix near='0 0 0'/>"), "not held enough", 2},
    {SOLID("<integrator type='static'/><fix box='0 0 0 1 0 1' axes='y'/>"), "not held enough", 2},
    {SOLID("<probe name='p'/>"), "whole body", 4},
    {SOLID("<probe name='p' near='0 0 0' every='1' period='0.1'/>"), "", 4},
    {SOLID("<probe name='p' near='0 0 0' period='1e-9'/>"), "period", 4},
    {"<scene><solid name='b' young='{1e5*(1+x)*(2+t)}'><box size='1 1 1'/></solid><stop steps='1'/></scene>", "time and in space",
     1},
    {"<scene><solid name='b' density='{x-0.5}'><box size='1 1 1'/></solid><stop steps='1'/></scene>", "density", 1},
    {"<scene><solid name='b' density='@none'><mesh file='two.msh'/></solid><stop steps='1'/></scene>", "@none", 1},
    {"<scene><solid name='b' young='0'><box size='1 1 1'/><fix plane='0 0 0 0 0 -1'/><integrator type='static'/></solid><stop "
     "steps='1'/></scene>",
     "young", 1},
    {"<scene><solid name='b'/><stop steps='1'/></scene>", "shape", 1},
    {"<scene><solid name='b'><mesh file='broken.msh'/></solid><stop steps='1'/></scene>", "broken.msh:", 1},
    {"<scene><rigid name='b'/><stop steps='1'/></scene>", "shape", 1},
    {"<scene><rigid name='b'><sphere radius='1'/><move translate='{t} 0 0'/></rigid><stop steps='1'/></scene>", "kinematic", 1},
    {"<scene><solid name='b'><box size='1 1 1'/></solid></scene>", "stop", 1},
    {SOLID("</solid><event t='1' set='b.rotation' value='3'/><solid name='c'><box size='1 1 1'/>"), "not a value that can change",
     4},
    {SOLID("</solid><event t='1' set='b.young' value='-3'/><solid name='c'><box size='1 1 1'/>"), "-3", 4},
    {SOLID("</solid><event t='1' do='pin' of='b' box='5 5 5 6 6 6'/><solid name='c'><box size='1 1 1'/>"), "selects no nodes", 4},
    {SOLID("<probe name='p' near='0 0 0'/></solid><expect probe='p' component='q' over='end' value='1' tolerance='1'/><solid "
           "name='c'><box size='1 1 1'/>"),
     "position.x", 4},
};

TEST(build_errors_are_reported_with_their_line) {
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        stage s = build(refused[i].text);
        CHECK(s.run == NULL);
        bool reported = false;
        for (int k = 0; s.scene && k < sp_scene_message_count(s.scene); k++) {
            sp_scene_message m = message_at(s.scene, k);
            reported =
                reported || (m.severity == SP_SEVERITY_ERROR && m.line == refused[i].line && strstr(m.text, refused[i].says));
        }
        if (s.status != SP_BAD_INPUT || !reported) {
            SP_TEST_FAILED("case %zu: status %d, wanted line %d and \"%s\", seen", i, (int)s.status, refused[i].line,
                           refused[i].says);
            show(&s);
        }
        close_stage(&s);
    }
}

// errors of several elements are reported together
TEST(all_errors_are_collected) {
    stage s = build("<scene>\n<solid name='a'><box size='1 1 1' cells='1 1 1'/>\n<fix box='5 5 5 6 6 6'/>\n<load box='5 5 5 6 6 "
                    "6' force='1 0 0'/></solid>\n"
                    "<solid name='b'><box size='1 1 1' cells='1 1 1'/>\n<fix near='0 0 0' axes='x'/><region box='7 7 7 8 8 8' "
                    "young='1'/></solid>\n"
                    "</scene>\n");
    CHECK(s.status == SP_BAD_INPUT);
    CHECK_INT(sp_scene_message_count(s.scene), 4);
    close_stage(&s);
}

TEST(an_empty_selection_may_be_allowed) {
    stage s = build(SOLID("<fix box='5 5 5 6 6 6' empty='yes'/>"));
    show(&s);
    CHECK(s.status == SP_OK);
    close_stage(&s);
}

// four even cells along the shortest edge; a plate has fewer, so that its first run does not take minutes
TEST(default_cell_counts) {
    stage s = build("<scene><solid name='bar'><box size='0.4 0.1 0.11'/></solid>"
                    "<solid name='mat'><box size='0.5 0.02 0.5'/></solid><stop steps='1'/></scene>");
    sp_body_info info;
    show(&s);
    REQUIRE(s.status == SP_OK);
    sp_world *w = sp_run_world(s.run);
    CHECK(sp_world_body_info(w, sp_world_body_named(w, "bar"), &info) == SP_OK && info.elements == 16 * 4 * 4 * 5);
    CHECK(sp_world_body_info(w, sp_world_body_named(w, "mat"), &info) == SP_OK && info.elements == 46 * 2 * 46 * 5);
    close_stage(&s);
}

// ------------------------------------------------------------------------------------------------ warnings

static int warnings_of(const stage *s, int line, const char *part) {
    int n = 0;
    for (int i = 0; s->scene && i < sp_scene_message_count(s->scene); i++) {
        sp_scene_message m = message_at(s->scene, i);
        n += m.severity == SP_SEVERITY_WARNING && (line == 0 || m.line == line) && strstr(m.text, part) != NULL;
    }
    return n;
}

#define CUBE(attrs, more) "<solid " attrs "><box size='1 1 1' cells='2 1 1'/>" more "</solid>"

TEST(nearly_incompressible_tetrahedra_lock) {
    stage s = build("<scene>\n" CUBE("name='a' poisson='0.45'", "") "\n" CUBE("name='b' poisson='0.49'", "") "\n" CUBE(
        "name='c' poisson='0.3'", "\n<region box='0 0 0 0.5 1 1' poisson='0.499'/>") "\n" CUBE("name='d' poisson='{0.48*x}'",
                                                                                               "") "<stop steps='1'/></scene>");
    show(&s);
    REQUIRE(s.status == SP_OK);
    CHECK_INT(warnings_of(&s, 0, "locking"), 2);
    CHECK_INT(warnings_of(&s, 3, "10 of 10 tetrahedra of \"b\" have a Poisson's ratio above 0.45 (up to 0.49)"), 1);
    CHECK_INT(warnings_of(&s, 5, "5 of 10 tetrahedra of \"c\" have a Poisson's ratio above 0.45 (up to 0.499)"), 1);
    close_stage(&s);
    s = build("<scene>" CUBE("name='d' poisson='{0.1+0.38*x}'", "") "<stop steps='1'/></scene>");
    CHECK(warnings_of(&s, 1, "locking") == 0);  // at most 0.1 + 0.38 * 0.875
    close_stage(&s);
    s = build("<scene>" CUBE("name='d' poisson='{0.1+0.42*x}'", "") "<stop steps='1'/></scene>");
    CHECK(warnings_of(&s, 1, "locking") == 1);
    close_stage(&s);
}

TEST(soft_bodies_that_do_not_touch_each_other) {
    stage s = build("<scene>" CUBE("name='a'", "") CUBE(
        "name='b' translate='0 2 0'",
        "") "<rigid name='floor'><plane/></rigid>\n<contact formulation='penalty'/><stop steps='1'/></scene>");
    CHECK_INT(warnings_of(&s, 0, ""), 0);
    close_stage(&s);
    s = build("<scene>" CUBE("name='a'", "")
                  CUBE("name='b' translate='0 2 0'",
                       "<integrator type='explicit'/>") "\n<contact formulation='penalty'/><stop steps='1'/></scene>");
    CHECK_INT(warnings_of(&s, 2, "'b' passes through other soft bodies (1 pair)"), 1);
    close_stage(&s);
    s = build("<scene>" CUBE("name='a'", "") CUBE("name='b' translate='0 2 0'", "") CUBE(
        "name='c' translate='0 4 0'",
        "") "<rod name='d' length='1' elements='2' radius='0.01'/><contact formulation='penalty'/><stop steps='1'/></scene>");
    CHECK_INT(warnings_of(&s, 1, "'d' passes through other soft bodies (3 pairs)"), 1);
    CHECK_INT(warnings_of(&s, 0, ""), 1);
    close_stage(&s);
    s = build("<scene>" CUBE("name='a'", "") "<rigid name='floor'><plane/></rigid><contact formulation='penalty'/>"
                                             "<stop steps='1'/></scene>");
    CHECK_INT(warnings_of(&s, 0, ""), 0);
    close_stage(&s);
}

TEST(without_contact_a_loose_solid_falls_through) {
    const char *const part = "falls through \"floor\"";
    stage s = build("<scene>\n" CUBE("name='a'", "") "<rigid name='floor'><plane/></rigid><stop steps='1'/></scene>");
    CHECK_INT(warnings_of(&s, 2, part), 1);
    close_stage(&s);
    s = build("<scene>" CUBE("name='a'", "<fix near='0 0 0'/>") "<rigid name='floor'><plane/></rigid><stop steps='1'/></scene>");
    CHECK_INT(warnings_of(&s, 0, part), 0);
    close_stage(&s);
    s = build("<scene gravity='0 0 0'>" CUBE("name='a'", "") "<rigid name='floor'><plane/></rigid><stop steps='1'/></scene>");
    CHECK_INT(warnings_of(&s, 0, part), 0);
    close_stage(&s);
    s = build("<scene>" CUBE("name='a'", "") "<stop steps='1'/></scene>");
    CHECK_INT(warnings_of(&s, 0, part), 0);
    close_stage(&s);
}
