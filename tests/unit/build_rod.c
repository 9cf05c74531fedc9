// Rods of scenes: a scene gives the same bits as the same calls of the API; curvature, sections, paths, positions and selections
// are as specified; fixes, moves and loads act on the rod.
#include "rod_scene.h"

// ------------------------------------------------------------------------------------------------ same bits as the API

static double wave(const void *user, double t) {
    (void)user;
    return 0.01 * sin(2 * t);
}

static void swing(const void *user, double t, sp_pose *out) {
    (void)user;
    *out = sp_pose_identity();
    out->translate[1] = 0.1 * t;
}

// the catheter below, with calls of the API
static uint64_t api_hash(sp_context *ctx, sp_rod_model model) {
    enum { N = 6 };
    static double natural[3 * (N + 1)];
    int section[N] = {0, 0, 0, 0, 1, 1}, root = 0;
    sp_world_def world_def = sp_world_def_default();
    sp_rod_def def = sp_rod_def_default();
    sp_rod_section sections[2] = {sp_rod_section_default(), sp_rod_section_default()};
    sections[0].axes[0] = 0.002, sections[0].axes[1] = 0.001, sections[0].bore = 0.0005, sections[0].young = 5e6;
    sections[1] = sections[0], sections[1].young = 1e6;
    // the region bends its two elements by 20 at both ends; at the border to the others the mean is used
    for (int i = 0; i < N; i++) natural[3 * i + 2] = i < 4 ? 0 : i == 4 ? 10 : 20;
    natural[3 * N + 2] = 20;
    sp_rod_strand strand = {.length = 0.3, .elements = N, .root = sp_pose_identity(), .curvature = natural, .section = section};
    strand.root.translate[1] = 1;
    sp_load load = {.type = SP_LOAD_FORCE,
                    .at = {.elem = N - 1, .at = {1}},
                    .value = {{NULL, NULL, 0}, {wave, NULL, 0}, {NULL, NULL, 0.001}}};
    sp_move move = {&root, 1, SP_AXES_ALL, {0, 1, 0}, {swing, NULL, sp_pose_identity()}};
    sp_world *world;
    def.name = "wire", def.model = model;
    def.strands = &strand, def.strand_count = 1, def.sections = sections, def.section_count = 2;
    def.rayleigh_stiffness = 0.001, def.drag = 0.01;
    def.loads = &load, def.load_count = 1, def.moves = &move, def.move_count = 1;
    def.solver.tolerance = 1e-8;
    if (sp_world_create(ctx, &world_def, &world) < 0) return 0;
    CHECK(sp_world_add_rod(world, &def, NULL) >= 0);
    for (int i = 0; i < 10; i++) CHECK(sp_world_step(world, 0.01) >= 0);
    uint64_t hash = sp_world_hash(world);
    sp_world_destroy(&world);
    return hash;
}

static const char wire_text[] =
    "<scene dt='0.01'><rod name='wire' length='0.3' elements='6' section='0.002 0.001' bore='0.0005' young='5e6' translate='0 1 "
    "0'"
    " rayleigh='0 0.001' drag='0.01'><region s='0.2 0.3' young='1e6' curvature='0 0 20'/><move translate='0 {0.1*t} 0'/>"
    "<load end='tip' force='0 {0.01*sin(2*t)} 0.001'/><solver tolerance='1e-8'/></rod><stop steps='10'/></scene>";

TEST(a_rod_of_a_scene_equals_the_same_calls_bit_for_bit) {
    static const char *const sets[] = {"wire.model=clothoid", "wire.model=helix", "wire.model=der", "wire.model=beam"};
    for (int m = 0; m < 4; m++) {
        stage s = build_set(wire_text, NULL, 1, &sets[m]);
        REQUIRE(s.status >= 0);
        for (int i = 0; i < 10; i++) CHECK(sp_run_step(s.run) >= 0);
        CHECK(sp_world_hash(s.world) == api_hash(s.ctx, (sp_rod_model)m));
        end(&s);
    }
}

// ------------------------------------------------------------------------------------------------ shape

#define ROD(attrs, inside) \
    "<scene gravity='0 0 0'><rod name='r' radius='0.001' " attrs ">" inside "</rod><stop steps='1'/></scene>"

TEST(curvature_follows_the_arc_length) {
    stage s = build(ROD("length='0.4' elements='4' curvature='{s} {2*s+1} {sin(s)}'", ""));
    int n;
    REQUIRE(s.status >= 0);
    double *k = field_of(&s, "r", "curvature", &n);
    CHECK_INT(n, 5);
    for (int i = 0; i < n; i++) {
        double at = 0.1 * i;
        CHECK_NEAR(k[3 * i], at, ROUNDING);
        CHECK_NEAR(k[3 * i + 1], 2 * at + 1, ROUNDING);
        CHECK_NEAR(k[3 * i + 2], sin(at), ROUNDING);
    }
    free(k);
    end(&s);
}

TEST(sections_have_the_names_of_their_regions) {
    stage s =
        build(ROD("length='1' elements='5'", "<region name='bent' s='0.2 0.4' young='2e6'/><region s='0.4 0.6' young='3e6'/>"
                                             "<region name='tip' s='0.6 1' radius='0.002'/>"));
    REQUIRE(s.status >= 0);
    sp_body_id r = sp_world_body_named(s.world, "r");
    static const char *const names[] = {"", "bent", "", "tip"};
    for (int i = 0; i < 4; i++) CHECK(strcmp(sp_run_region_name(s.run, r, i), names[i]) == 0);
    CHECK(!sp_run_region_name(s.run, r, 4) && !sp_run_region_name(s.run, r, -1));
    end(&s);
}

TEST(later_regions_win_and_neighbours_share_a_mean) {
    stage s =
        build(ROD("length='1' elements='5' curvature='1 0 0'",
                  "<region s='0.2 0.8' curvature='0 10 0' young='2e6'/><region s='0.6 1' curvature='0 20 0' radius='0.002'/>"));
    static const double want[6][2] = {{1, 0}, {0.5, 5}, {0, 10}, {0, 15}, {0, 20}, {0, 20}};
    static const double regions[5] = {
        0, 1, 1, 2, 3};  // the fourth element belongs to both: its modulus from the first, its radius from the second
    int n;
    REQUIRE(s.status >= 0);
    double *k = field_of(&s, "r", "curvature", &n);
    for (int i = 0; i < n; i++) CHECK_NEAR(k[3 * i], want[i][0], ROUNDING), CHECK_NEAR(k[3 * i + 1], want[i][1], ROUNDING);
    double *region = field_of(&s, "r", "region", &n);
    CHECK_INT(n, 5);
    for (int i = 0; i < n; i++) CHECK_INT(region[i], regions[i]);
    free(k), free(region);
    end(&s);
}

TEST(a_degree_of_zero_is_a_helix) {
    stage s = build(ROD("length='1' degree='0' curvature='{s} 0 0'", "")),
          t = build(ROD("length='1' model='helix' curvature='{s} 0 0'", ""));
    REQUIRE(s.status >= 0 && t.status >= 0);
    CHECK(sp_world_hash(s.world) == sp_world_hash(t.world));
    end(&s), end(&t);
}

// twice as large in every direction: eight times the mass, half the curvature
TEST(placement_scales_the_whole_rod) {
    stage s =
        build(ROD("length='0.5' curvature='0 0 4' scale='2' rotate='0 0 90' translate='1 2 3'", "<probe name='tip' end='tip'/>"));
    stage t = build(ROD("length='0.5' curvature='0 0 4'", "<probe name='tip' end='tip'/>"));
    int n;
    REQUIRE(s.status >= 0 && t.status >= 0);
    const double *a = last_of(&s, "tip"), *b = last_of(&t, "tip"), turned[3] = {1 - 2 * b[1], 2 + 2 * b[0], 3 + 2 * b[2]};
    CHECK_NEAR(measures_of(&s, "r").mass, 8 * measures_of(&t, "r").mass, ROUNDING);
    CHECK_NEAR(apart(a, turned), 0, ROUNDING);
    double *k = field_of(&s, "r", "curvature", &n);
    CHECK_NEAR(k[2], 2, ROUNDING);
    free(k);
    end(&s), end(&t);
}

TEST(curvature_may_be_a_function_of_time) {
    stage s =
        build(ROD("length='1' elements='2' curvature='0 0 {1+t}' rayleigh='0 10' density='1e-3'", "<integrator type='static'/>"));
    int n;
    REQUIRE(s.status >= 0);
    double *k = field_of(&s, "r", "curvature", &n);
    CHECK_NEAR(k[2], 1, ROUNDING);
    free(k);
    CHECK(sp_run_step(s.run) >= 0);
    k = field_of(&s, "r", "curvature", &n);
    CHECK_NEAR(k[2], 1.01, 1e-8);  // Newton's tolerance
    free(k);
    end(&s);
}

// ------------------------------------------------------------------------------------------------ paths

// an arc of a circle is one clothoid: points on it are matched to rounding of the fit
#define ARC "0 0 0  0.1 0.005 0  0.198 0.0199 0  0.29 0.043 0"

TEST(a_path_gives_the_initial_and_the_rest_shape) {
    stage s = build(
        ROD("elements='4'", "<path points='" ARC "' fit='0.002'/><probe name='tip' end='tip'/><probe name='root' end='root'/>"));
    const double last[3] = {0.29, 0.043, 0}, zero[3] = {0, 0, 0};
    REQUIRE(s.status >= 0);
    CHECK(apart(last_of(&s, "root"), zero) < 0.002 && apart(last_of(&s, "tip"), last) < 0.002);
    CHECK(sp_run_step(s.run) >= 0);
    CHECK_NEAR(measures_of(&s, "r").kinetic, 0, 1e-20);  // at rest in that shape
    end(&s);
}

TEST(a_path_is_only_the_initial_shape_when_curvature_is_given) {
    stage s = build(ROD("elements='4' curvature='0 0 0'", "<path points='" ARC "' fit='0.002'/><probe name='tip' end='tip'/>"));
    const double last[3] = {0.29, 0.043, 0};
    REQUIRE(s.status >= 0);
    CHECK(apart(last_of(&s, "tip"), last) < 0.002);
    CHECK(measures_of(&s, "r").elastic > 0);
    end(&s);
}

static void write_file(const char *path, const char *text) {
    FILE *f = fopen(path, "w");
    REQUIRE(f);
    fputs(text, f);
    fclose(f);
}

TEST(a_path_may_come_from_a_file) {
    static const char *const texts[] = {"x,y,z\n0,0,0\n0.1,0,0\n# end\n0.2,0,0\n", "v 0.2 0 0\nv 0 0 0\nv 0.1 0 0\nl 2 3 1\n"};
    static const char *const names[] = {"path-points.csv", "path-line.obj"};
    for (int i = 0; i < 2; i++) {
        char path[500], scene[500];
        snprintf(path, sizeof path, "%s/%s", SP_BINARY_DIR, names[i]);
        write_file(path, texts[i]);
        snprintf(scene, sizeof scene, ROD("", "<path file='%s' scale='2'/><probe name='tip' end='tip'/>"), names[i]);
        sp_scene_options options = sp_scene_options_default();
        stage s = {0};
        const double last[3] = {0.4, 0, 0};
        sp_context_create(NULL, &s.ctx);
        CHECK(sp_scene_parse(s.ctx, scene, strlen(scene), SP_BINARY_DIR "/scene.xml", &options, &s.scene) >= 0);
        REQUIRE(sp_run_create(s.scene, NULL, &s.run) >= 0);
        CHECK_NEAR(apart(last_of(&s, "tip"), last), 0, 1e-12);  // a straight line
        sp_run_destroy(&s.run), sp_scene_destroy(&s.scene), sp_context_destroy(&s.ctx);
    }
}

// ------------------------------------------------------------------------------------------------ selections

TEST(selections_by_arc_length_end_number_and_position) {
    stage s = build(ROD("length='0.4' elements='4' translate='0 1 0'",
                        "<probe name='root' end='root'/><probe name='tip' end='tip'/><probe name='along' s='0.25'/>"
                        "<probe name='near' near='0.21 0.5 0'/><probe name='point' point='0.26 0.0005 0'/>"
                        "<probe name='nodes' nodes='1-2'/><probe name='box' box='0.15 -1 -1 0.35 1 1' combine='sum'/>"
                        "<probe name='between' s='0.1 0.3' combine='sum'/><probe name='where' where='{s gt 0.25 and x lt 0.35}'/>"
                        "<probe name='world' box='0 0.9 0 0.05 1.1 0' frame='world'/>"
                        "<select name='two'><select end='root'/><select end='tip'/></select><probe name='ends' select='two'/>"
                        "<probe name='others' end='root' invert='yes' combine='sum'/>"));
    static const struct {
        const char *probe;
        double x;
    } want[] = {{"root", 0},  {"tip", 0.4},     {"along", 0.25}, {"near", 0.2}, {"point", 0.26}, {"nodes", 0.1},
                {"box", 0.5}, {"between", 0.6}, {"where", 0.3},  {"world", 0},  {"ends", 0},     {"others", 1}};
    REQUIRE(s.status >= 0);
    // the point nearest to a position is searched for
    for (size_t i = 0; i < sizeof want / sizeof *want; i++)
        CHECK_NEAR(last_of(&s, want[i].probe)[0], want[i].x, strcmp(want[i].probe, "point") ? ROUNDING : 1e-9);
    CHECK_NEAR(last_of(&s, "nodes")[3], 0.2, ROUNDING);
    CHECK_NEAR(last_of(&s, "ends")[3], 0.4, ROUNDING);
    end(&s);
}

TEST(an_event_pins_a_node_and_changes_a_modulus) {
    stage s = build(
        "<scene dt='0.01'><rod name='r' model='beam' length='0.4' radius='0.002' young='1e7'>"
        "<region name='soft' s='0.2 0.4' young='1e6'/></rod>"
        "<event t='0.02' do='pin' of='r' end='tip'/><event t='0.01' set='r.soft.young' value='2e6'/><stop steps='6'/></scene>");
    sp_param_info p;
    int n;
    REQUIRE(s.status >= 0);
    for (int i = 0; i < 3; i++) CHECK(sp_run_step(s.run) >= 0);
    double *x = field_of(&s, "r", "position", &n);
    for (int i = 0; i < 3; i++) CHECK(sp_run_step(s.run) >= 0);
    double *y = field_of(&s, "r", "position", &n);
    CHECK(x[3 * (n - 1) + 1] < 0);
    CHECK_NEAR(apart(x + 3 * (n - 1), y + 3 * (n - 1)), 0, ROUNDING);
    CHECK(sp_world_param(s.world, "r.region[0].young", &p) >= 0 && p.value == 2e6);
    CHECK(sp_world_param(s.world, "r.young", &p) >= 0 && p.value == 1e7);
    free(x), free(y);
    end(&s);
}

// ------------------------------------------------------------------------------------------------ motion

// a flying rod has the given momentum and energy
TEST(a_free_rod_starts_with_the_given_velocity) {
    static const char *const sets[] = {"r.model=clothoid", "r.model=helix", "r.model=der", "r.model=beam"};
    for (int m = 0; m < 4; m++) {
        stage s = build_set(
            ROD("length='0.2' elements='8' root='free' curvature='2 3 5'",
                "<initial rotate='0 0 30' velocity='1 2 3' spin='0 4 5'/><probe name='v' s='0.05' quantity='position velocity'/>"
                "<probe name='w' s='0.15' quantity='position velocity'/>"),
            NULL, 1, &sets[m]);
        REQUIRE(s.status >= 0);
        sp_body_measures info = measures_of(&s, "r");
        for (int k = 0; k < 3; k++) CHECK_NEAR(info.momentum[k], info.mass * (k + 1), 1e-12 * info.mass);
        // two points differ in velocity by w x (x - y)
        const double *a = last_of(&s, "v"), *b = last_of(&s, "w"), d[3] = {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
        const double want[3] = {4 * d[2] - 5 * d[1], 5 * d[0], -4 * d[0]};
        for (int k = 0; k < 3; k++) CHECK_NEAR(a[3 + k] - b[3 + k], want[k], 1e-12);
        CHECK(info.kinetic > 0.5 * info.mass * 14);
        end(&s);
    }
}

TEST(loads_act_at_the_named_position) {
    // fixed at its root: the reaction is the weight and the forces, nothing else
    stage s =
        build("<scene gravity='0 0 0' dt='1'><rod name='r' model='beam' length='0.4' elements='4' radius='0.01' young='1e9'>"
              "<load s='0.25' force='0 1 0'/><load nodes='1 2 3' force='0 0 3'/><load nodes='1 2' each='0 0 1'/>"
              "<load end='tip' torque='0 0 0.001'/><load on='all' acceleration='0 -10 0'/>"
              "<integrator type='static'/><probe name='root' end='root' quantity='force'/></rod><stop steps='1'/></scene>");
    REQUIRE(s.status >= 0);
    CHECK(sp_run_step(s.run) >= 0);
    const double *f = last_of(&s, "root");
    CHECK_NEAR(f[0], 0, 1e-6);  // Newton's tolerance of about a newton
    CHECK_NEAR(f[1], -1 + 10 * measures_of(&s, "r").mass, 1e-6);
    CHECK_NEAR(f[2], -5, 1e-6);
    end(&s);
}

TEST(a_rod_grows_to_the_given_length) {
    stage s = build("<scene gravity='0 0 0' dt='0.1'><rod name='r' length='0.1' elements='2' radius='0.001'>"
                    "<grow rate='0.1' until='0.15'/><probe name='tip' end='tip'/></rod><stop steps='10'/></scene>");
    REQUIRE(s.status >= 0);
    double mass = measures_of(&s, "r").mass;
    for (int i = 0; i < 10; i++) CHECK(sp_run_step(s.run) >= 0);
    CHECK_NEAR(measures_of(&s, "r").mass, 1.5 * mass, 1e-12 * mass);
    CHECK_NEAR(last_of(&s, "tip")[0], 0.15, 1e-12);  // a probe of the tip moves with it
    end(&s);
}

// ------------------------------------------------------------------------------------------------ inverse statics

#define SAGGING(run)                                                                                              \
    "<scene dt='0.01'><rod name='r' length='0.4' elements='8' radius='0.001' young='1e9' curvature='1 2 {10*s}'>" \
    "<load end='tip' force='0 0 0.001'/><probe name='tip' end='tip'/></rod><inverse unknown='r.curvature' " run   \
    " out='rest.csv'/>"                                                                                           \
    "<stop steps='20'/></scene>"

TEST(a_rod_rests_in_its_drawn_shape) {
    stage s = build(SAGGING(""));
    sp_run_inverse found;
    REQUIRE(s.status >= 0 && sp_run_inverse_count(s.run) == 1);
    sp_run_inverse_at(s.run, 0, &found);
    CHECK(strcmp(found.unknown, "r.curvature") == 0);
    CHECK_NEAR(found.residual, 0, 1e-12);  // rounding of forces over the stiffness
    CHECK_INT(sp_world_steps(s.world), 0);
    double before[3];
    memcpy(before, last_of(&s, "tip"), sizeof before);
    for (int i = 0; i < 20; i++) CHECK(sp_run_step(s.run) >= 0);
    CHECK_NEAR(apart(before, last_of(&s, "tip")), 0, 1e-12);
    end(&s);
}

TEST(inverse_statics_may_run_alone_or_be_skipped) {
    char path[500], line[200] = "";
    int rows = 0;
    stage s = build_set(SAGGING("run='only'"), SP_BINARY_DIR, 0, NULL);
    REQUIRE(s.status >= 0);
    CHECK(sp_run_done(s.run) && sp_run_inverse_count(s.run) == 1);
    snprintf(path, sizeof path, "%s/rest.csv", SP_BINARY_DIR);
    FILE *f = fopen(path, "r");
    REQUIRE(f);
    while (fgets(line, sizeof line, f)) rows++;
    fclose(f);
    CHECK_INT(rows, 10);  // a header and nine nodes
    end(&s);
    s = build(SAGGING("run='no'"));
    REQUIRE(s.status >= 0);
    CHECK(!sp_run_done(s.run) && sp_run_inverse_count(s.run) == 0);
    end(&s);
}
