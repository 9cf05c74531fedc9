// Filling space with tetrahedra: angles, volumes, closed boundaries, number of elements, imperfect surfaces.
#include "fill_help.h"

// ---------------------------------------------------------------------------------------------------- fields

static double ball(const void *user, const double x[3]) {
    const double *radius = user;
    return sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]) - *radius;
}

static double ring(const void *user, const double x[3]) {
    (void)user;
    return hypot(hypot(x[0], x[1]) - 1, x[2]) - 0.35;
}

// a flat box 2 x 0.1 x 1.6, thinner than a cell of 0.2
static double plate(const void *user, const double x[3]) {
    (void)user;
    return fmax(fabs(x[0]) - 1, fmax(fabs(x[1]) - 0.05, fabs(x[2]) - 0.8));
}

typedef struct blob {
    int count;
    double c[8][4];
} blob;

// the sum of a few Gaussians: any smooth shape
static double bells(const void *user, const double x[3]) {
    const blob *b = user;
    double sum = 0;
    for (int i = 0; i < b->count; i++) {
        double d2 = 0;
        for (int k = 0; k < 3; k++) d2 += (x[k] - b->c[i][k]) * (x[k] - b->c[i][k]);
        sum += exp(-d2 / (b->c[i][3] * b->c[i][3]));
    }
    return 0.5 - sum;
}

static blob random_blob(unsigned long long *state) {
    blob b = {.count = 5 + (int)(3 * sp_test_random(state))};
    for (int i = 0; i < b.count; i++) {
        for (int k = 0; k < 3; k++) b.c[i][k] = 0.6 * sp_test_random(state);
        b.c[i][3] = 0.45 + 0.2 * sp_test_random(state);
    }
    return b;
}

static sp_mesh *fill_in(sp_context *c, sp_field_fn *field, const void *user, double half, double slope, const sp_fill_def *def,
                        sp_fill_info *info) {
    const double low[3] = {-half, -half, -half}, high[3] = {half, half, half};
    sp_mesh *mesh = NULL;
    if (sp_mesh_fill(c, field, user, low, high, slope, def, info, &mesh) < 0) printf("  %s\n", sp_context_error(c)->message);
    return mesh;
}

// ---------------------------------------------------------------------------------------------------- guarantees

TEST(angles_meet_the_guarantee) {
    sp_context *c = context();
    unsigned long long state = 11;
    for (int i = 0; i < 12; i++) {
        blob b = random_blob(&state);
        sp_fill_def def = sp_fill_def_default();
        sp_fill_info info;
        def.size = 0.2 + 0.08 * sp_test_random(&state), def.grade = 1 << (i % 3);
        sp_mesh *m = fill_in(c, bells, &b, 2.3, 0, &def, &info);
        REQUIRE(m);
        // proved for the parameters used: Labelle and Shewchuk 2007, table 1; cells inside are better than cut ones
        CHECK(info.guarantee[0] == 10.78 && info.guarantee[1] == 164.74);
        CHECK(info.dihedral[0] >= 10.78 && info.dihedral[1] <= 164.74);
        double least, largest;
        angles_of(m, &least, &largest);
        CHECK_NEAR(info.dihedral[0], least, 1e-6);
        CHECK_NEAR(info.dihedral[1], largest, 1e-6);
        sp_mesh_destroy(&m);
    }
    sp_context_destroy(&c);
}

// a sign that changes at every point of a grid is as far from smooth as possible: the guarantee holds for any function
static double noise(const void *user, const double x[3]) {
    uint64_t h = *(const uint64_t *)user;
    if (x[0] * x[0] + x[1] * x[1] + x[2] * x[2] > 1) return 1;
    for (int k = 0; k < 3; k++) h = (h ^ (uint64_t)(int64_t)floor(20 * x[k])) * 0x9E3779B97F4A7C15ull, h ^= h >> 29;
    return (h & 1 ? 1 : -1) * (0.1 + (double)(h >> 40) / (1 << 24));
}

TEST(angles_meet_the_guarantee_for_noise) {
    NOT_SANITIZED();
    sp_context *c = context();
    for (uint64_t seed = 1; seed <= 3; seed++) {
        sp_fill_def def = sp_fill_def_default();
        sp_fill_info info;
        def.size = 0.09;
        sp_mesh *m = fill_in(c, noise, &seed, 1.1, 0, &def, &info);
        REQUIRE(m);
        CHECK(info.guarantee[0] == 10.78);
        CHECK(info.dihedral[0] >= 10.78 && info.dihedral[1] <= 164.74);
        sp_mesh_destroy(&m);
    }
    sp_context_destroy(&c);
}

// a slope that is far too small hides the boundary from the octree: it is cut in cells of several sizes, and there is no
// guarantee
TEST(there_is_no_guarantee_where_cell_sizes_differ) {
    NOT_SANITIZED();
    sp_context *c = context();
    double radius = 1;
    sp_fill_def def = sp_fill_def_default();
    sp_fill_info info;
    def.size = 0.05;
    sp_mesh *m = fill_in(c, ball, &radius, 1.1, 0.2, &def, &info);
    REQUIRE(m);
    CHECK(info.guarantee[0] == 0 && info.guarantee[1] == 180);
    CHECK_INT(bad_edges(m), 0);
    sp_mesh_destroy(&m);
    sp_context_destroy(&c);
}

TEST(boundaries_are_closed_and_manifold) {
    sp_context *c = context();
    unsigned long long state = 5;
    for (int i = 0; i < 6; i++) {
        blob b = random_blob(&state);
        sp_fill_def def = sp_fill_def_default();
        def.size = 0.2, def.grade = 1 << (i % 3), def.detail = i % 2 ? 0.5 : 1;
        sp_mesh *m = fill_in(c, bells, &b, 2.3, 0, &def, NULL);
        REQUIRE(m);
        CHECK_INT(bad_edges(m), 0);
        CHECK_NEAR(boundary_volume(m), sp_mesh_volume(m), 1e-12 * sp_mesh_volume(m));  // outward everywhere, rounding
        sp_mesh_destroy(&m);
    }
    sp_context_destroy(&c);
}

// cut points are on the surface, faces are chords: the error falls with the square of the size
static void check_order(sp_context *c, sp_field_fn *field, const void *user, double half, double slope, double exact) {
    double error[3];
    for (int i = 0; i < 3; i++) {
        sp_fill_def def = sp_fill_def_default();
        def.size = ldexp(0.36, -i);
        sp_mesh *m = fill_in(c, field, user, half, slope, &def, NULL);
        REQUIRE(m);
        error[i] = 1 - sp_mesh_volume(m) / exact;
        CHECK(error[i] > 0);
        sp_mesh_destroy(&m);
    }
    for (int i = 0; i < 2; i++)
        CHECK_NEAR(log2(error[i] / error[i + 1]), 2, 0.25);  // 2 in the limit; the lattice has a random position
    CHECK(error[2] < 0.025);
}

TEST(volumes_converge) {
    NOT_SANITIZED();
    sp_context *c = context();
    double radius = 1;
    check_order(c, ball, &radius, 1.1, 1, 4 * PI / 3);
    check_order(c, ball, &radius, 1.1, 0, 4 * PI / 3);
    check_order(c, ring, NULL, 1.4, 1, 2 * PI * PI * 0.35 * 0.35);
    sp_context_destroy(&c);
}

TEST(the_number_of_elements_is_met) {
    sp_context *c = context();
    for (int n = 500; n < 20000; n *= 5) {
        sp_fill_def def = sp_fill_def_default();
        sp_fill_info info;
        def.elements = n;
        sp_mesh *m = fill_in(c, ring, NULL, 1.4, 1, &def, &info);
        REQUIRE(m);
        CHECK_NEAR(sp_mesh_element_count(m), n, 0.1 * n);  // the range stated in the header
        CHECK(info.size > 0 && info.runs >= 1 && info.islands == 1);
        sp_mesh_destroy(&m);
    }
    sp_context_destroy(&c);
}

// ---------------------------------------------------------------------------------------------------- grading

TEST(cells_are_larger_inside) {
    sp_context *c = context();
    double radius = 1, volume = 0;
    int count = 0;
    for (int g = 1; g <= 16; g *= 4) {
        sp_fill_def def = sp_fill_def_default();
        sp_fill_info info;
        def.size = 0.1, def.grade = g;
        sp_mesh *m = fill_in(c, ball, &radius, 1.1, 1, &def, &info);
        REQUIRE(m);
        if (g > 1) {
            CHECK(sp_mesh_element_count(m) < 0.95 * count);
            CHECK_NEAR(sp_mesh_volume(m), volume, 1e-10 * volume);  // the boundary is the same: rounding of many terms
        }
        CHECK(info.dihedral[0] >= 10.78 && info.dihedral[1] <= 164.74);
        CHECK_INT(bad_edges(m), 0);
        count = g == 1 ? sp_mesh_element_count(m) : count, volume = sp_mesh_volume(m);
        sp_mesh_destroy(&m);
    }
    sp_context_destroy(&c);
}

TEST(thin_parts_get_small_cells) {
    sp_context *c = context();
    sp_fill_def def = sp_fill_def_default();
    sp_fill_info info;
    double exact = 2 * 0.1 * 1.6;
    def.size = 0.2, def.detail = 0.25;
    sp_mesh *m = fill_in(c, plate, NULL, 1.2, 1, &def, &info);
    REQUIRE(m);
    CHECK_NEAR(sp_mesh_volume(m), exact, 0.05 * exact);  // edges are rounded by half a small cell
    CHECK_INT(info.islands, 1);
    CHECK_INT(bad_edges(m), 0);
    CHECK(info.guarantee[0] == 0 && info.guarantee[1] == 180);
    // there is no guarantee; smoothing reaches this on such shapes, with a margin
    CHECK(info.dihedral[0] > 5 && info.dihedral[1] < 172);
    sp_mesh_destroy(&m);
    sp_context_destroy(&c);
}

// ---------------------------------------------------------------------------------------------------- regions

TEST(regions_are_conforming) {
    sp_context *c = context();
    double outer = 1, inner = 0.5, exact = 4 * PI / 3;
    const sp_fill_region core = {.name = "core", .field = ball, .user = &inner};
    sp_fill_def def = sp_fill_def_default();
    sp_fill_info info;
    def.size = 0.1, def.regions = &core, def.region_count = 1, def.body = "shell";
    sp_mesh *m = fill_in(c, ball, &outer, 1.1, 1, &def, &info);
    REQUIRE(m);
    CHECK_INT(sp_mesh_group_count(m), 2);
    // second order: 0.1^2 of the radius 0.5 squared
    CHECK_NEAR(group_volume(m, "core"), exact / 8, 0.02 * exact / 8);
    CHECK_NEAR(group_volume(m, "core") + group_volume(m, "shell"), sp_mesh_volume(m), 1e-12 * exact);  // rounding
    // the border of the core is closed and is on its sphere
    CHECK_INT(border_off(m, "core", inner, 1e-6), 0);
    CHECK(info.dihedral[0] > 10 && info.dihedral[1] < 165);  // two smooth surfaces that are separate
    sp_mesh_destroy(&m);
    sp_context_destroy(&c);
}

// ---------------------------------------------------------------------------------------------------- surfaces

static sp_mesh *fill_faces(sp_context *c, const double *x, int vertices, const int *faces, int count, sp_fill_info *info) {
    sp_trimesh_def d = sp_trimesh_def_default();
    d.vertex_count = vertices, d.positions = x, d.face_count = count, d.faces = faces;
    sp_trimesh *surface = NULL;
    sp_mesh *mesh = NULL;
    sp_fill_def def = sp_fill_def_default();
    def.size = 0.2;
    if (sp_trimesh_create(c, &d, &surface) >= 0) (void)sp_mesh_fill_surface(surface, &def, info, &mesh);
    sp_trimesh_destroy(&surface);
    return mesh;
}

typedef struct shell {
    double *x;
    int *faces;
    int vertices, count;
    double volume;
} shell;

// the surface of a ball, with memory for two of them
static shell ball_shell(sp_context *c) {
    const double radius[3] = {1, 1, 1};
    sp_mesh *m = NULL;
    shell s = {0};
    if (sp_mesh_sphere(c, radius, 10, &m) < 0) return s;
    s.vertices = sp_mesh_node_count(m), s.count = sp_mesh_face_count(m), s.volume = sp_mesh_volume(m);
    s.x = malloc(6 * (size_t)s.vertices * sizeof *s.x);
    s.faces = malloc(6 * (size_t)s.count * sizeof *s.faces);
    memcpy(s.x, sp_mesh_positions(m), 3 * (size_t)s.vertices * sizeof *s.x);
    memcpy(s.faces, sp_mesh_faces(m), 3 * (size_t)s.count * sizeof *s.faces);
    sp_mesh_destroy(&m);
    return s;
}

static void free_shell(shell *s) {
    free(s->x), free(s->faces);
}

// keeps faces with all vertices below z
static void open_above(shell *s, double z) {
    int kept = 0;
    for (int i = 0; i < s->count; i++) {
        const int *f = s->faces + 3 * i;
        if (fmax(s->x[3 * f[0] + 2], fmax(s->x[3 * f[1] + 2], s->x[3 * f[2] + 2])) < z)
            memmove(s->faces + 3 * kept++, f, 3 * sizeof *f);
    }
    s->count = kept;
}

// cells of 0.2 in a ball of radius 1 miss about 1% of it (second order: 0.04 / 4)
static void check_ball(sp_context *c, const shell *s, double volume, double share) {
    sp_fill_info info;
    sp_mesh *m = fill_faces(c, s->x, s->vertices, s->faces, s->count, &info);
    if (!m) printf("  %s\n", sp_context_error(c)->message);
    REQUIRE(m);
    CHECK_NEAR(sp_mesh_volume(m), volume, share * volume);
    CHECK_INT(bad_edges(m), 0);
    CHECK(info.dihedral[0] >= 10.78 && info.dihedral[1] <= 164.74);
    CHECK(info.winding[0] < 0.2);
    sp_mesh_destroy(&m);
}

TEST(surfaces_in_both_orientations) {
    sp_context *c = context();
    shell s = ball_shell(c);
    REQUIRE(s.x && s.faces);
    check_ball(c, &s, s.volume, 0.02);
    for (int i = 0; i < s.count; i++) {
        int swap = s.faces[3 * i];
        s.faces[3 * i] = s.faces[3 * i + 1], s.faces[3 * i + 1] = swap;
    }
    check_ball(c, &s, s.volume, 0.02);  // inside out
    free_shell(&s);
    sp_context_destroy(&c);
}

TEST(surfaces_with_noise_and_holes) {
    sp_context *c = context();
    unsigned long long state = 3;
    shell s = ball_shell(c);
    REQUIRE(s.x && s.faces);
    for (int i = 0; i < 3 * s.vertices; i++) s.x[i] += 0.02 * sp_test_random(&state);
    check_ball(c, &s, s.volume, 0.03);
    open_above(&s, 0.97);  // a hole of a quarter of the radius: the missing cap has 0.1% of the volume
    check_ball(c, &s, s.volume, 0.04);
    free_shell(&s);
    sp_context_destroy(&c);
}

TEST(surfaces_that_overlap) {
    sp_context *c = context();
    shell s = ball_shell(c);
    REQUIRE(s.x && s.faces);
    for (int i = 0; i < 3 * s.vertices; i++) s.x[3 * s.vertices + i] = s.x[i] + (i % 3 == 0);
    for (int i = 0; i < 3 * s.count; i++) s.faces[3 * s.count + i] = s.faces[i] + s.vertices;
    s.vertices *= 2, s.count *= 2;
    // two unit balls at a distance of one share a lens of 5 pi / 12; both are filled once. The groove between them costs a little
    // more
    check_ball(c, &s, 2 * s.volume - 5 * PI / 12, 0.03);
    free_shell(&s);
    sp_context_destroy(&c);
}

TEST(surfaces_without_a_defined_inside_are_refused) {
    sp_context *c = context();
    sp_fill_info info;
    const double x[] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0};
    const int sheet[] = {0, 1, 2, 0, 2, 3};
    CHECK(!fill_faces(c, x, 4, sheet, 2, &info));
    CHECK(strstr(sp_context_error(c)->message, "does not separate inside from outside"));
    CHECK(info.winding[0] > 0.9);
    shell s = ball_shell(c);
    REQUIRE(s.x && s.faces);
    for (int i = 0; i < s.count; i += 2) {  // every other face reversed
        int swap = s.faces[3 * i];
        s.faces[3 * i] = s.faces[3 * i + 1], s.faces[3 * i + 1] = swap;
    }
    CHECK(!fill_faces(c, s.x, s.vertices, s.faces, s.count, &info));
    free_shell(&s);
    s = ball_shell(c);
    open_above(&s, 0.3);  // a bowl
    CHECK(!fill_faces(c, s.x, s.vertices, s.faces, s.count, &info));
    free_shell(&s);
    const double flat[] = {0, 0, 0, 1, 0, 0, 2, 0, 0};
    const int none[] = {0, 1, 2};
    CHECK(!fill_faces(c, flat, 3, none, 1, &info));
    CHECK(strstr(sp_context_error(c)->message, "no area"));
    sp_context_destroy(&c);
}

// ---------------------------------------------------------------------------------------------------- refusals

static sp_status try_fill(sp_context *c, const sp_fill_def *def, double half, double radius, double slope) {
    const double low[3] = {-half, -half, -half}, high[3] = {half, half, half};
    sp_mesh *m = NULL;
    sp_status status = sp_mesh_fill(c, ball, &radius, low, high, slope, def, NULL, &m);
    if (status < 0 && m) SP_TEST_FAILED("a mesh came with a failure");
    sp_mesh_destroy(&m);
    return status;
}

TEST(wrong_definitions_are_refused) {
    sp_context *c = context();
    const sp_fill_def good = sp_fill_def_default();
    sp_fill_def d = good;
    CHECK_INT(try_fill(c, &d, 1.1, 1, 1), SP_OK);
    d.cookie = 0;
    CHECK_INT(try_fill(c, &d, 1.1, 1, 1), SP_BAD_INPUT);
    d = good, d.size = -1;
    CHECK_INT(try_fill(c, &d, 1.1, 1, 1), SP_BAD_INPUT);
    d = good, d.size = NAN;
    CHECK_INT(try_fill(c, &d, 1.1, 1, 1), SP_BAD_INPUT);
    d = good, d.size = 1e-9;
    CHECK_INT(try_fill(c, &d, 1.1, 1, 1), SP_BAD_INPUT);
    CHECK(strstr(sp_context_error(c)->message, "size = 1e-09 m"));
    d = good, d.size = 1e-3;
    CHECK_INT(try_fill(c, &d, 1.1, 1, 0), SP_BAD_INPUT);  // too many samples
    d = good, d.elements = 0;
    CHECK_INT(try_fill(c, &d, 1.1, 1, 1), SP_BAD_INPUT);
    d = good, d.grade = 3;
    CHECK_INT(try_fill(c, &d, 1.1, 1, 1), SP_BAD_INPUT);
    d = good, d.detail = 2;
    CHECK_INT(try_fill(c, &d, 1.1, 1, 1), SP_BAD_INPUT);
    d = good, d.detail = 0;
    CHECK_INT(try_fill(c, &d, 1.1, 1, 1), SP_BAD_INPUT);
    d = good, d.smooth = 9;
    CHECK_INT(try_fill(c, &d, 1.1, 1, 1), SP_BAD_INPUT);
    d = good, d.region_count = 1;
    CHECK_INT(try_fill(c, &d, 1.1, 1, 1), SP_BAD_INPUT);
    d = good, d.size = 0.1;
    CHECK_INT(try_fill(c, &d, 0.5, 1, 1), SP_BAD_INPUT);
    CHECK(strstr(sp_context_error(c)->message, "leaves its box"));
    CHECK_INT(try_fill(c, &d, 1, -1, 1), SP_BAD_INPUT);
    CHECK(strstr(sp_context_error(c)->message, "nothing is inside"));
    CHECK_INT(try_fill(c, &d, 0, 1, 1), SP_BAD_INPUT);
    CHECK_INT(try_fill(c, &d, 1.1, 1, -1), SP_BAD_INPUT);
    CHECK_INT(try_fill(c, &d, 1.1, 1, NAN), SP_BAD_INPUT);
    sp_context_destroy(&c);
}

// ---------------------------------------------------------------------------------------------------- memory, threads

static sp_status fill_regions(sp_context *c) {
    double radius = 1, inner = 0.5;
    const sp_fill_region core = {.name = "core", .field = ball, .user = &inner};
    sp_fill_def def = sp_fill_def_default();
    def.size = 0.5, def.detail = 0.5, def.regions = &core, def.region_count = 1;
    return try_fill(c, &def, 1.1, radius, 0);
}

TEST(every_allocation_may_fail) {
    check_every_allocation(fill_regions);
}

TEST(results_do_not_depend_on_threads) {
    sp_mesh *m[2] = {NULL, NULL};
    sp_context *c[2];
    unsigned long long state = 77;
    blob b = random_blob(&state);
    for (int i = 0; i < 2; i++) {
        sp_context_def def = sp_context_def_default();
        def.workers = i ? 4 : 1;
        REQUIRE(sp_context_create(&def, &c[i]) == SP_OK);
        sp_fill_def fill = sp_fill_def_default();
        fill.elements = 8000, fill.detail = 0.5;
        m[i] = fill_in(c[i], bells, &b, 2.3, 0, &fill, NULL);
        REQUIRE(m[i]);
    }
    REQUIRE(sp_mesh_node_count(m[0]) == sp_mesh_node_count(m[1]) && sp_mesh_element_count(m[0]) == sp_mesh_element_count(m[1]));
    CHECK(!memcmp(sp_mesh_positions(m[0]), sp_mesh_positions(m[1]), 3 * sizeof(double) * (size_t)sp_mesh_node_count(m[0])));
    CHECK(!memcmp(sp_mesh_tets(m[0]), sp_mesh_tets(m[1]), 4 * sizeof(int) * (size_t)sp_mesh_element_count(m[0])));
    for (int i = 0; i < 2; i++) {
        sp_mesh_destroy(&m[i]);
        sp_context_destroy(&c[i]);
    }
}
