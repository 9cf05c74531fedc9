// The generators: numbering of the box, volumes that converge at second order, closed outward surfaces of the correct genus,
// shapes of elements, refusals, and the order for locality.
#include "math/vec3.h"
#include "mesh/mesh_internal.h"
#include "test.h"

static const double PI = 3.14159265358979323846;
static const double Z[3] = {0, 0, 1};

static sp_context *new_context(void) {
    sp_context_def def = sp_context_def_default();
    def.workers = 1;
    sp_context *ctx = NULL;
    sp_context_create(&def, &ctx);
    return ctx;
}

// ------------------------------------------------------------------------------------------------ references

// Volume inside the boundary by the divergence theorem: differs from the sum over elements where elements overlap or faces point
// inwards.
static double volume_of_surface(const sp_mesh *mesh) {
    double six = 0;
    for (int f = 0; f < sp_mesh_face_count(mesh); f++) {
        double m[9];
        for (int k = 0; k < 3; k++)
            memcpy(m + 3 * k, sp_mesh_positions(mesh) + 3 * sp_mesh_faces(mesh)[3 * f + k], 3 * sizeof *m);
        six += sp__det3(m);
    }
    return six / 6;
}

// Vertices - edges + faces of the boundary, or -1000 where some edge does not have exactly one face on either side.
static int euler_characteristic(const sp_mesh *mesh) {
    int n = sp_mesh_node_count(mesh), nf = sp_mesh_face_count(mesh), vertices = 0, edges = 0;
    const int *faces = sp_mesh_faces(mesh);
    enum { FAN = 64 };
    // other ends of the half edges of each node
    int *out = calloc((size_t)n * FAN, sizeof *out), *count = calloc((size_t)n, sizeof *count);
    if (!out || !count) return -2000;
    bool fits = true;
    for (int f = 0; f < nf; f++)
        for (int k = 0; k < 3; k++) {
            int a = faces[3 * f + k], b = faces[3 * f + (k + 1) % 3];
            for (int i = 0; i < count[a]; i++) fits = fits && out[a * FAN + i] != b;
            fits = fits && count[a] < FAN;
            if (fits) out[a * FAN + count[a]++] = b;
            edges++;
        }
    for (int a = 0; a < n; a++) {
        vertices += count[a] > 0;
        for (int i = 0; i < count[a]; i++) {
            int b = out[a * FAN + i], back = 0;
            for (int j = 0; j < count[b]; j++) back += out[b * FAN + j] == a;
            fits = fits && back == 1;
        }
    }
    free(out);
    free(count);
    return fits ? vertices - edges / 2 + nf : -1000;
}

// The smallest and largest angle between two faces of an element, in degrees.
static void dihedral_range(const sp_mesh *mesh, double *least, double *most) {
    *least = 180, *most = 0;
    for (int t = 0; t < sp_mesh_element_count(mesh); t++) {
        double normal[4][3];
        for (int f = 0; f < 4; f++) {
            const double *p[3];
            double u[3], v[3];
            for (int k = 0; k < 3; k++) p[k] = sp_mesh_positions(mesh) + 3 * sp_mesh_tets(mesh)[4 * t + sp__tet_face[f][k]];
            sp__sub3(p[1], p[0], u);
            sp__sub3(p[2], p[0], v);
            sp__cross3(u, v, normal[f]);
        }
        for (int f = 0; f < 4; f++)
            for (int g = 0; g < f; g++) {
                double c = -sp__dot3(normal[f], normal[g]) / (sp__norm3(normal[f]) * sp__norm3(normal[g]));
                double angle = acos(c) * 180 / PI;
                *least = fmin(*least, angle);
                *most = fmax(*most, angle);
            }
    }
}

static void check_body(const sp_mesh *mesh, int euler, double least_angle, double most_angle) {
    for (int t = 0; t < sp_mesh_element_count(mesh); t++) CHECK(sp__mesh_det(mesh, t) > 0);
    double v = sp_mesh_volume(mesh);
    // sums of up to 1e5 terms of one sign
    CHECK_NEAR(volume_of_surface(mesh), v, 1e-11 * v);
    CHECK_INT(euler_characteristic(mesh), euler);
    double least, most;
    dihedral_range(mesh, &least, &most);
    CHECK(least > least_angle);
    CHECK(most < most_angle);
}

// ------------------------------------------------------------------------------------------------ box

TEST(box_numbering) {
    sp_context *ctx = new_context();
    REQUIRE(ctx);
    const double size[3] = {0.7, 0.3, 1.1};
    const int cells[3] = {4, 3, 2};
    for (int per_cell = 5; per_cell <= 6; per_cell++) {
        sp_mesh *mesh;
        REQUIRE(sp_mesh_box(ctx, size, cells, per_cell, &mesh) == SP_OK);
        CHECK_INT(sp_mesh_node_count(mesh), 5 * 4 * 3);
        CHECK_INT(sp_mesh_element_count(mesh), 4 * 3 * 2 * per_cell);
        for (int i = 0; i <= 4; i++)
            for (int j = 0; j <= 3; j++)
                for (int l = 0; l <= 2; l++) {
                    const double *x = sp_mesh_positions(mesh) + 3 * (i * 4 * 3 + j * 3 + l);
                    CHECK_NEAR(x[0], size[0] * i / 4, 1e-16);
                    CHECK_NEAR(x[1], size[1] * j / 3, 1e-16);
                    CHECK_NEAR(x[2], size[2] * l / 2, 1e-16);
                }
        // the far faces are found by an exact selection
        double low[3], high[3];
        sp_mesh_bounds(mesh, low, high);
        for (int k = 0; k < 3; k++) CHECK(low[k] == 0 && high[k] == size[k]);
        CHECK_NEAR(sp_mesh_volume(mesh), 0.7 * 0.3 * 1.1, 1e-15);
        // two triangles on each square of the boundary
        CHECK_INT(sp_mesh_face_count(mesh), 2 * 2 * (4 * 3 + 3 * 2 + 4 * 2));
        check_body(mesh, 2, 5, 175);
        sp_mesh_destroy(&mesh);
    }
    sp_context_destroy(&ctx);
}

TEST(box_of_hexahedra) {
    sp_context *ctx = new_context();
    REQUIRE(ctx);
    const double size[3] = {0.7, 0.3, 1.1};
    static const int corner[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
    sp_mesh *mesh;
    REQUIRE(sp_mesh_box(ctx, size, (int[3]){4, 3, 2}, 1, &mesh) == SP_OK);
    CHECK(sp_mesh_node_count(mesh) == 5 * 4 * 3 && sp_mesh_element_count(mesh) == 4 * 3 * 2);
    for (int e = 0; e < 4 * 3 * 2; e++) {
        const int *nodes, cell[3] = {e / 6, e / 2 % 3, e % 2};
        CHECK(sp_mesh_element(mesh, e, &nodes) == SP_ELEMENT_HEX8);
        for (int a = 0; a < 8; a++) {
            int at[3];
            for (int k = 0; k < 3; k++) at[k] = cell[k] + corner[a][k];
            CHECK_INT(nodes[a], (at[0] * 4 + at[1]) * 3 + at[2]);
        }
    }
    CHECK_NEAR(sp_mesh_volume(mesh), 0.7 * 0.3 * 1.1, 1e-15);
    CHECK_INT(sp_mesh_face_count(mesh), 2 * 2 * (4 * 3 + 3 * 2 + 4 * 2));
    sp_mesh_destroy(&mesh);
    CHECK(sp_mesh_box(ctx, size, (int[3]){4, 3, 2}, 2, &mesh) == SP_BAD_INPUT && !mesh);
    sp_context_destroy(&ctx);
}

// Six per cell: the path tetrahedra, each with the whole main diagonal; five: the one in the middle has a third of the cell.
TEST(box_patterns) {
    sp_context *ctx = new_context();
    REQUIRE(ctx);
    const double size[3] = {1, 1, 1};
    sp_mesh *mesh;
    REQUIRE(sp_mesh_box(ctx, size, (int[3]){1, 1, 1}, 6, &mesh) == SP_OK);
    for (int t = 0; t < 6; t++) {
        const int *tet = sp_mesh_tets(mesh) + 4 * t;
        int first = 0, last = 0;
        for (int a = 0; a < 4; a++) first += tet[a] == 0, last += tet[a] == 7;
        CHECK(first == 1 && last == 1);
        CHECK_NEAR(sp__mesh_det(mesh, t), 1, 1e-15);
        for (int s = 0; s < t; s++) CHECK(memcmp(tet, sp_mesh_tets(mesh) + 4 * s, 4 * sizeof *tet) != 0);
    }
    sp_mesh_destroy(&mesh);
    REQUIRE(sp_mesh_box(ctx, size, (int[3]){2, 2, 2}, 5, &mesh) == SP_OK);
    for (int c = 0; c < 8; c++) {
        CHECK_NEAR(sp__mesh_det(mesh, 5 * c), 2.0 / 8, 1e-15);
        for (int t = 1; t < 5; t++) CHECK_NEAR(sp__mesh_det(mesh, 5 * c + t), 1.0 / 8, 1e-15);
    }
    sp_mesh_destroy(&mesh);
    sp_context_destroy(&ctx);
}

// ------------------------------------------------------------------------------------------------ round bodies

typedef sp_status make_fn(sp_context *ctx, int n, sp_mesh **out);

static sp_status make_cylinder(sp_context *ctx, int n, sp_mesh **out) {
    return sp_mesh_cylinder(ctx, 0.5, 2, Z, (int[2]){n, 4 * n}, out);
}

static sp_status make_ball(sp_context *ctx, int n, sp_mesh **out) {
    return sp_mesh_sphere(ctx, (double[3]){1, 1, 1}, n, out);
}

static sp_status make_ellipsoid(sp_context *ctx, int n, sp_mesh **out) {
    return sp_mesh_sphere(ctx, (double[3]){1, 1.5, 0.75}, n, out);
}

static sp_status make_torus(sp_context *ctx, int n, sp_mesh **out) {
    return sp_mesh_torus(ctx, 3, 1, Z, (int[2]){20 * n, n}, out);
}

static void check_round(make_fn *make, double volume, int euler, double least_angle, double most_angle) {
    sp_context *ctx = new_context();
    REQUIRE(ctx);
    double error[3];
    for (int i = 0; i < 3; i++) {
        sp_mesh *mesh;
        REQUIRE(make(ctx, 2 << i, &mesh) == SP_OK);
        check_body(mesh, euler, least_angle, most_angle);
        error[i] = volume - sp_mesh_volume(mesh);
        CHECK(error[i] > 0);
        sp_mesh_destroy(&mesh);
    }
    // flat faces on a smooth surface: the error falls by 4 at each halving, up to terms of fourth order in h = 1/2
    CHECK_NEAR(error[0] / error[1], 4, 0.3);
    CHECK_NEAR(error[1] / error[2], 4, 0.1);
    sp_context_destroy(&ctx);
}

// Angles: path tetrahedra of a cube have 45 and 90 degrees; the maps stretch them to about 30 and 120, the torus a little more.
TEST(cylinder) {
    check_round(make_cylinder, PI * 0.25 * 2, 2, 25, 130);
}

TEST(ball) {
    check_round(make_ball, 4 * PI / 3, 2, 25, 125);
}

TEST(ellipsoid) {
    check_round(make_ellipsoid, 4 * PI / 3 * 1.5 * 0.75, 2, 15, 140);
}

TEST(torus) {
    check_round(make_torus, 2 * PI * PI * 3, 0, 15, 140);
}

TEST(round_surfaces_are_on_the_shape) {
    sp_context *ctx = new_context();
    REQUIRE(ctx);
    sp_mesh *mesh;
    REQUIRE(sp_mesh_sphere(ctx, (double[3]){2, 2, 2}, 3, &mesh) == SP_OK);
    for (int i = 0; i < 3 * sp_mesh_face_count(mesh); i++)
        CHECK_NEAR(sp__norm3(sp_mesh_positions(mesh) + 3 * sp_mesh_faces(mesh)[i]), 2, 1e-14);
    sp_mesh_destroy(&mesh);
    REQUIRE(sp_mesh_torus(ctx, 3, 1, (double[3]){0, 2, 0}, (int[2]){3, 1}, &mesh) == SP_OK);
    for (int i = 0; i < 3 * sp_mesh_face_count(mesh); i++) {
        const double *x = sp_mesh_positions(mesh) + 3 * sp_mesh_faces(mesh)[i];
        CHECK_NEAR(hypot(hypot(x[0], x[2]) - 3, x[1]), 1, 1e-14);
    }
    sp_mesh_destroy(&mesh);
    sp_context_destroy(&ctx);
}

TEST(axes) {
    sp_context *ctx = new_context();
    REQUIRE(ctx);
    static const double axes[][3] = {{0, 0, 1}, {0, 0, -3}, {1, 0, 0}, {0, -1, 0}, {1, -2, 0.5}, {1e-9, 0, -1}};
    for (size_t a = 0; a < sizeof axes / sizeof *axes; a++) {
        sp_mesh *mesh;
        double unit[3], norm = sp__norm3(axes[a]);
        for (int k = 0; k < 3; k++) unit[k] = axes[a][k] / norm;
        REQUIRE(sp_mesh_cylinder(ctx, 0.5, 2, axes[a], (int[2]){2, 3}, &mesh) == SP_OK);
        double low = 1, high = 0, far = 0;
        for (int i = 0; i < sp_mesh_node_count(mesh); i++) {
            const double *x = sp_mesh_positions(mesh) + 3 * i;
            double along = sp__dot3(x, unit), off[3];
            sp__axpy3(x, -along, unit, off);
            low = fmin(low, along), high = fmax(high, along), far = fmax(far, sp__norm3(off));
        }
        // a few roundings of numbers up to 2
        CHECK_NEAR(low, 0, 2e-15);
        CHECK_NEAR(high, 2, 2e-15);
        CHECK_NEAR(far, 0.5, 2e-15);
        sp_mesh_destroy(&mesh);
    }
    sp_context_destroy(&ctx);
}

TEST(refusals) {
    sp_context *ctx = new_context();
    REQUIRE(ctx);
    const double one[3] = {1, 1, 1}, zero[3] = {0, 0, 0};
    const int two[3] = {2, 2, 2}, none[3] = {2, 0, 2}, huge[3] = {1 << 30, 1 << 30, 1 << 30};
    sp_mesh *mesh = (sp_mesh *)1;
    CHECK_INT(sp_mesh_box(ctx, zero, two, 6, &mesh), SP_BAD_INPUT);
    CHECK(mesh == NULL);
    CHECK_INT(sp_mesh_box(ctx, (double[3]){1, NAN, 1}, two, 6, &mesh), SP_BAD_INPUT);
    CHECK_INT(sp_mesh_box(ctx, (double[3]){1, INFINITY, 1}, two, 6, &mesh), SP_BAD_INPUT);
    CHECK_INT(sp_mesh_box(ctx, one, none, 6, &mesh), SP_BAD_INPUT);
    CHECK_INT(sp_mesh_box(ctx, one, huge, 6, &mesh), SP_BAD_INPUT);
    CHECK_INT(sp_mesh_box(ctx, one, two, 7, &mesh), SP_BAD_INPUT);
    CHECK_INT(sp_mesh_cylinder(ctx, -1, 1, Z, two, &mesh), SP_BAD_INPUT);
    CHECK_INT(sp_mesh_cylinder(ctx, 1, 0, Z, two, &mesh), SP_BAD_INPUT);
    CHECK_INT(sp_mesh_cylinder(ctx, 1, 1, zero, two, &mesh), SP_BAD_INPUT);
    CHECK_INT(sp_mesh_cylinder(ctx, 1, 1, Z, none, &mesh), SP_BAD_INPUT);
    CHECK_INT(sp_mesh_cylinder(ctx, 1, 1, Z, huge, &mesh), SP_BAD_INPUT);
    CHECK_INT(sp_mesh_sphere(ctx, one, 0, &mesh), SP_BAD_INPUT);
    CHECK_INT(sp_mesh_sphere(ctx, one, 1 << 20, &mesh), SP_BAD_INPUT);
    CHECK_INT(sp_mesh_sphere(ctx, zero, 2, &mesh), SP_BAD_INPUT);
    CHECK_INT(sp_mesh_torus(ctx, 1, 1, Z, (int[2]){8, 1}, &mesh), SP_BAD_INPUT);
    CHECK_INT(sp_mesh_torus(ctx, 2, 1, Z, (int[2]){2, 1}, &mesh), SP_BAD_INPUT);
    CHECK_INT(sp_mesh_torus(ctx, 2, 1, Z, (int[2]){3, 0}, &mesh), SP_BAD_INPUT);
    size_t bytes;
    sp_context_memory(ctx, &bytes, NULL);
    CHECK_INT(bytes, 0);
    sp_context_destroy(&ctx);
}

// One node in every element: a fan of n tetrahedra, where a quadratic algorithm would take too long.
TEST(surface_of_a_fan) {
    sp_context *ctx = new_context();
    REQUIRE(ctx);
    enum { N = 200000 };
    double *x = malloc((N + 2) * 3 * sizeof *x);
    int *tets = malloc((size_t)N * 4 * sizeof *tets);
    x[0] = x[1] = x[2] = x[3] = x[4] = 0, x[5] = 1;
    for (int i = 0; i < N; i++) {
        double a = 2 * PI * i / N;
        x[3 * (i + 2)] = cos(a), x[3 * (i + 2) + 1] = sin(a), x[3 * (i + 2) + 2] = 0;
        // from the last to the first: the worst order for an insertion sort
        const int tet[4] = {0, 2 + i, 2 + (i + 1) % N, 1};
        memcpy(tets + 4 * (N - 1 - i), tet, sizeof tet);
    }
    sp_mesh_def def = sp_mesh_def_default();
    def.node_count = N + 2, def.positions = x, def.element_count = N, def.element_nodes = tets;
    sp_mesh *mesh;
    REQUIRE(sp_mesh_create(ctx, &def, &mesh) == SP_OK);
    CHECK_INT(sp_mesh_face_count(mesh), 2 * N);
    free(x), free(tets);
    sp_mesh_destroy(&mesh);
    sp_context_destroy(&ctx);
}
