// Labelled voxels: conforming groups, volumes near the analytic ones, names, selections; organs from implicit functions.
#include "fill_help.h"

enum { N = 40 };

typedef struct scan {
    int labels[N * N * N];
    sp_label_volume volume;
} scan;

// voxels of 1 mm, the middle of the volume at the origin
static void begin_scan(scan *s) {
    memset(s, 0, sizeof *s);
    for (int k = 0; k < 3; k++) s->volume.dims[k] = N, s->volume.affine[5 * k] = 1e-3, s->volume.affine[4 * k + 3] = -0.0195;
    s->volume.labels = s->labels;
}

// a cube of label 1 with a ball of label 2 in it; halves: the ball's right half is 3
static void paint_ball_in_cube(scan *s, bool halves) {
    for (int k = 0; k < N; k++)
        for (int j = 0; j < N; j++)
            for (int i = 0; i < N; i++) {
                double x = i - 19.5, y = j - 19.5, z = k - 19.5;
                int label = fabs(x) < 16 && fabs(y) < 16 && fabs(z) < 16;
                if (x * x + y * y + z * z < 100) label = halves && x > 0 ? 3 : 2;
                s->labels[(k * N + j) * N + i] = label;
            }
}

TEST(ball_in_a_cube) {
    sp_context *c = context();
    static scan s;
    begin_scan(&s);
    paint_ball_in_cube(&s, false);
    sp_fill_def def = sp_fill_def_default();
    sp_fill_info info;
    sp_mesh *m = NULL;
    def.size = 0.003;
    REQUIRE(sp_mesh_fill_labels(c, &s.volume, NULL, 0, &def, &info, &m) == SP_OK);
    double sphere = 4 * PI / 3 * 1e-6, cube = 32e-3 * 32e-3 * 32e-3;
    CHECK_INT(sp_mesh_group_count(m), 2);
    // cells of 0.3 radii miss 0.3^2 / 4 = 2% of a ball, and the error of the voxels themselves is a few tenths of a percent
    CHECK_NEAR(group_volume(m, "2"), sphere, 0.05 * sphere);
    // smoothing by one voxel rounds the edges of the cube
    CHECK_NEAR(sp_mesh_volume(m), cube, 0.02 * cube);
    CHECK_NEAR(group_volume(m, "1") + group_volume(m, "2"), sp_mesh_volume(m), 1e-12 * cube);  // rounding
    CHECK_INT(border_off(m, "2", 0.01, 0.0006), 0);  // closed, and within about half a voxel of the sphere
    CHECK_INT(bad_edges(m), 0);
    // corners of the cube are as sharp as a voxel: no guarantee, but reached with a margin
    CHECK(info.dihedral[0] > 8 && info.dihedral[1] < 168);
    sp_mesh_destroy(&m);
    sp_context_destroy(&c);
}

TEST(three_labels_meet) {
    sp_context *c = context();
    static scan s;
    begin_scan(&s);
    paint_ball_in_cube(&s, true);
    const char *names[] = {"left", "right"};
    const int of[] = {2, 3};
    s.volume.names = names, s.volume.name_of = of, s.volume.name_count = 2;
    sp_fill_def def = sp_fill_def_default();
    sp_fill_info info;
    sp_mesh *m = NULL;
    def.size = 0.0022;
    REQUIRE(sp_mesh_fill_labels(c, &s.volume, NULL, 0, &def, &info, &m) == SP_OK);
    double half = 2 * PI / 3 * 1e-6;
    CHECK_INT(sp_mesh_group_count(m), 3);
    CHECK_NEAR(group_volume(m, "left"), half, 0.06 * half);  // as above, and the smoothed rim
    CHECK_NEAR(group_volume(m, "right"), half, 0.06 * half);
    CHECK_INT(bad_edges(m), 0);
    CHECK_INT(info.islands, 1);
    CHECK(info.dihedral[0] > 4 &&
          info.dihedral[1] < 174);  // smoothing reaches this along the line where three labels meet, with a margin
    sp_mesh_destroy(&m);
    const int take[] = {3};
    REQUIRE(sp_mesh_fill_labels(c, &s.volume, take, 1, &def, &info, &m) == SP_OK);
    CHECK_INT(sp_mesh_group_count(m), 1);
    CHECK_NEAR(sp_mesh_volume(m), half, 0.06 * half);
    sp_mesh_destroy(&m);
    sp_context_destroy(&c);
}

// random cells of several labels: every tetrahedron is positive (sp_mesh_create checks it), the boundary closed
TEST(any_labels_give_a_conforming_mesh) {
    sp_context *c = context();
    static scan s;
    unsigned long long state = 9;
    for (int round = 0; round < 3; round++) {
        double seed[6][3];
        for (int i = 0; i < 18; i++) seed[i / 3][i % 3] = 20 + 16 * sp_test_random(&state);
        begin_scan(&s);
        s.volume.affine[10] = 2e-3, s.volume.affine[1] = 2e-4;  // long and skewed voxels
        for (int v = 0; v < N * N * N; v++) {
            const double p[3] = {v % N, v / N % N, v / N / N};
            double best = 150;
            for (int i = 0; i < 6; i++) {
                double d[3];
                sp__sub3(p, seed[i], d);
                if (sp__dot3(d, d) < best) best = sp__dot3(d, d), s.labels[v] = i % 5 * 7 - 7;  // one of them is background
            }
        }
        sp_fill_def def = sp_fill_def_default();
        sp_fill_info info;
        sp_mesh *m = NULL;
        def.size = 0.003, def.grade = 1 << (round % 3);
        REQUIRE(sp_mesh_fill_labels(c, &s.volume, NULL, 0, &def, &info, &m) == SP_OK);
        CHECK(info.dihedral[0] > 3 && info.dihedral[1] < 175);  // there is no guarantee; reached with a margin
        CHECK_NEAR(boundary_volume(m), sp_mesh_volume(m), 1e-9 * sp_mesh_volume(m));  // rounding
        sp_mesh_destroy(&m);
    }
    sp_context_destroy(&c);
}

static sp_status try_labels(sp_context *c, const sp_label_volume *v, const int *take, int count, const sp_fill_def *def) {
    sp_mesh *m = NULL;
    sp_status status = sp_mesh_fill_labels(c, v, take, count, def, NULL, &m);
    sp_mesh_destroy(&m);
    return status;
}

TEST(wrong_volumes_are_refused) {
    sp_context *c = context();
    static scan s;
    sp_fill_def def = sp_fill_def_default();
    begin_scan(&s);
    CHECK_INT(try_labels(c, &s.volume, NULL, 0, &def), SP_BAD_INPUT);
    CHECK(strstr(sp_context_error(c)->message, "background"));
    paint_ball_in_cube(&s, false);
    const int take[] = {2, 9};
    CHECK_INT(try_labels(c, &s.volume, take, 2, &def), SP_BAD_INPUT);
    CHECK(strstr(sp_context_error(c)->message, "no voxel has the label 9"));
    sp_label_volume v = s.volume;
    v.dims[1] = 0;
    CHECK_INT(try_labels(c, &v, NULL, 0, &def), SP_BAD_INPUT);
    v = s.volume, v.labels = NULL;
    CHECK_INT(try_labels(c, &v, NULL, 0, &def), SP_BAD_INPUT);
    v = s.volume, v.affine[0] = 0;
    CHECK_INT(try_labels(c, &v, NULL, 0, &def), SP_BAD_INPUT);
    v = s.volume, v.affine[3] = NAN;
    CHECK_INT(try_labels(c, &v, NULL, 0, &def), SP_BAD_INPUT);
    def.detail = 0.5;
    CHECK_INT(try_labels(c, &s.volume, NULL, 0, &def), SP_BAD_INPUT);
    sp_context_destroy(&c);
}

static scan two_halves;

static sp_status fill_two_halves(sp_context *c) {
    sp_fill_def def = sp_fill_def_default();
    def.size = 0.01;
    return try_labels(c, &two_halves.volume, NULL, 0, &def);
}

TEST(every_allocation_may_fail) {
    begin_scan(&two_halves);
    paint_ball_in_cube(&two_halves, true);
    check_every_allocation(fill_two_halves);
}

// ---------------------------------------------------------------------------------------------------- organs

typedef struct wanted {
    const char *kind, *groups;
    double low, high;  // volume over the cube of the length
} wanted;

static void check_organ(sp_context *c, const wanted *w, int elements) {
    sp_mesh *m = NULL;
    REQUIRE(sp_mesh_organ(c, w->kind, 0.2, elements, &m) == SP_OK);
    double low[3], high[3], extent = 0, volume = sp_mesh_volume(m) / (0.2 * 0.2 * 0.2), least, largest;
    sp_mesh_bounds(m, low, high);
    for (int k = 0; k < 3; k++) {
        extent = fmax(extent, high[k] - low[k]);
        CHECK_NEAR(low[k] + high[k], 0, 1e-12);  // centred, up to rounding
    }
    CHECK_NEAR(extent, 0.2, 1e-12);
    CHECK(volume > w->low && volume < w->high);
    CHECK_NEAR(sp_mesh_element_count(m), elements, 0.15 * elements);  // small cells are added in clusters
    CHECK_INT(bad_edges(m), 0);
    if (pieces_of(m) != 1) SP_TEST_FAILED("%s with %d: %d pieces", w->kind, elements, pieces_of(m));
    angles_of(m, &least, &largest);
    CHECK(least > 5 && largest < 170);  // reached with a margin
    for (const char *g = w->groups; *g; g += strlen(g) + 1) {
        const sp_mesh_group *group = sp_mesh_group_named(m, g);
        if (!group) SP_TEST_FAILED("%s with %d: no group \"%s\"", w->kind, elements, g);
        CHECK(group && group->node_count >= 4);
    }
    sp_mesh_destroy(&m);
}

TEST(organs_have_their_parts) {
    NOT_SANITIZED();
    // volumes: estimated from the shapes, within a third
    static const wanted organs[] = {{"liver", "parenchyma\0tumour\0vena-cava\0dome\0", 0.06, 0.13},
                                    {"lens", "cortex\0core\0equator\0", 0.14, 0.27},
                                    {"eye", "sclera\0cornea\0vitreous\0lens\0incision\0nerve\0", 0.18, 0.35},
                                    {"skin", "skin\0fat\0muscle\0base\0front-lip\0back-lip\0", 0.15, 0.30},
                                    {"stomach", "cardia\0pylorus\0", 0.05, 0.13},
                                    {"vessels", "vessel\0aneurysm\0inlet\0outlets\0", 0.009, 0.02},
                                    {"gall-bladder", "neck\0", 0.06, 0.13},
                                    {"rabbit", "feet\0ears\0", 0.08, 0.16},
                                    {"armadillo", "feet\0hands\0", 0.04, 0.09},
                                    {"octopus", "mantle\0", 0.05, 0.12},
                                    {"snake", "head\0", 0.002, 0.005}};
    sp_context *c = context();
    int count = 0;
    while (sp_mesh_organ_name(count)) count++;
    CHECK_INT(count, sizeof organs / sizeof *organs);
    for (int i = 0; i < count; i++) {
        CHECK(!strcmp(sp_mesh_organ_name(i), organs[i].kind));
        check_organ(c, &organs[i], i % 2 ? 5000 : 12000);
    }
    CHECK(!sp_mesh_organ_name(-1));
    sp_context_destroy(&c);
}

// The lips of the incision are mirror images, and no tetrahedron has nodes of both.
TEST(an_incision_separates_its_lips) {
    sp_context *c = context();
    sp_mesh *m = NULL;
    REQUIRE(sp_mesh_organ(c, "skin", 0.1, 4000, &m) >= 0);
    const sp_mesh_group *front = sp_mesh_group_named(m, "front-lip"), *back = sp_mesh_group_named(m, "back-lip");
    REQUIRE(front && back && front->node_count == back->node_count && front->node_count > 3);
    const double *x = sp_mesh_positions(m);
    for (int i = 0; i < front->node_count; i++) {
        const double *a = x + 3 * (size_t)front->nodes[i], *b = x + 3 * (size_t)back->nodes[i];
        CHECK(a[0] == b[0] && a[1] == b[1] && a[2] == -b[2]);
        // 0.6 mm at the middle and a parabola along the incision, whose ends are at least twice as far as the ends of the lips
        CHECK(a[2] > 0.0006 * 0.74 && a[2] < 0.0006 * 1.001);
    }
    for (int t = 0; t < sp_mesh_element_count(m); t++) {
        const int *tet = sp_mesh_tets(m) + 4 * (size_t)t;
        bool has[2] = {false, false};
        for (int k = 0; k < 4; k++)
            for (int j = 0; j < front->node_count; j++) has[0] |= tet[k] == front->nodes[j], has[1] |= tet[k] == back->nodes[j];
        CHECK(!(has[0] && has[1]));
    }
    sp_mesh_destroy(&m);
    sp_context_destroy(&c);
}

TEST(wrong_organs_are_refused) {
    sp_context *c = context();
    sp_mesh *m = NULL;
    CHECK_INT(sp_mesh_organ(c, "spleen", 0.2, 1000, &m), SP_BAD_INPUT);
    CHECK(strstr(sp_context_error(c)->message, "\"spleen\"") && strstr(sp_context_error(c)->message, "liver"));
    CHECK_INT(sp_mesh_organ(c, "liver", 0, 1000, &m), SP_BAD_INPUT);
    CHECK_INT(sp_mesh_organ(c, "liver", NAN, 1000, &m), SP_BAD_INPUT);
    CHECK_INT(sp_mesh_organ(c, "liver", 0.2, 10, &m), SP_BAD_INPUT);
    CHECK(!m);
    sp_context_destroy(&c);
}
