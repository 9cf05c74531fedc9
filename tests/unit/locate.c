// Point location in a mesh: the tree against linear scans, ties, points outside, any number of workers.
#include "map/locate.h"

#include <limits.h>

#include "math/vec3.h"
#include "meter.h"
#include "souple/mesh.h"
#include "test.h"

static sp_context *ctx;
static sp_mesh *mesh;
static sp_locator *locator;

static void start(int workers, int cells) {
    sp_context_def def = sp_context_def_default();
    def.workers = workers;
    sp_context_create(&def, &ctx);
    sp_mesh_torus(ctx, 1, 0.4, (double[3]){0.2, 1, 0.1}, (int[2]){4 * cells, cells}, &mesh);
    sp__locator_create(ctx, sp_mesh_positions(mesh), sp_mesh_element_count(mesh), sp_mesh_tets(mesh), &locator);
}

static void finish(void) {
    sp__locator_destroy(&locator);
    sp_mesh_destroy(&mesh);
    sp_context_destroy(&ctx);
}

static void point_of(const sp_located *l, double out[3]) {
    const int *tet = sp_mesh_tets(mesh) + 4 * (size_t)l->element;
    out[0] = out[1] = out[2] = 0;
    for (int a = 0; a < 4; a++) sp__axpy3(out, l->weights[a], sp_mesh_positions(mesh) + 3 * (size_t)tet[a], out);
}

// Distance to a tetrahedron by brute force: projections on every corner, edge and face, the least of those whose foot point is
// inside the feature.
static double scan_distance(const double p[3]) {
    static const int faces[4][3] = {{0, 1, 2}, {0, 1, 3}, {0, 2, 3}, {1, 2, 3}};
    double best = INFINITY;
    for (int e = 0; e < sp_mesh_element_count(mesh); e++) {
        const int *tet = sp_mesh_tets(mesh) + 4 * (size_t)e;
        const double *v[4];
        for (int a = 0; a < 4; a++) v[a] = sp_mesh_positions(mesh) + 3 * (size_t)tet[a];
        for (int a = 0; a < 4; a++) {
            double d[3];
            sp__sub3(p, v[a], d);
            best = fmin(best, sp__norm3(d));
            for (int b = 0; b < a; b++) {
                double u[3], t;
                sp__sub3(v[b], v[a], u);
                t = sp__dot3(d, u) / sp__dot3(u, u);
                if (t < 0 || t > 1) continue;
                double r[3];
                sp__axpy3(d, -t, u, r);
                best = fmin(best, sp__norm3(r));
            }
        }
        for (int f = 0; f < 4; f++) {
            double u[3], w[3], d[3];
            sp__sub3(v[faces[f][1]], v[faces[f][0]], u), sp__sub3(v[faces[f][2]], v[faces[f][0]], w),
                sp__sub3(p, v[faces[f][0]], d);
            double uu = sp__dot3(u, u), uw = sp__dot3(u, w), ww = sp__dot3(w, w), du = sp__dot3(d, u), dw = sp__dot3(d, w);
            double det = uu * ww - uw * uw, s = (du * ww - dw * uw) / det, t = (dw * uu - du * uw) / det, r[3];
            if (s < 0 || t < 0 || s + t > 1) continue;
            sp__axpy3(d, -s, u, r), sp__axpy3(r, -t, w, r);
            best = fmin(best, sp__norm3(r));
        }
    }
    return best;
}

TEST(inside_agrees_with_a_scan) {
    start(1, 3);
    unsigned long long seed = 1;
    int held = 0;
    for (int i = 0; i < 1000; i++) {
        double p[3] = {1.5 * sp_test_random(&seed), 0.8 * sp_test_random(&seed), 1.5 * sp_test_random(&seed)}, w[4], x[3];
        int element;
        sp_located l;
        double least = sp_mesh_locate(mesh, p, &element, w + 1);
        w[0] = 1 - w[1] - w[2] - w[3];
        sp__locate_all(locator, 1, p, &l);
        if (least < 0) {
            CHECK(l.outside > 0);
            continue;
        }
        held++;
        CHECK_INT(l.element, element);
        CHECK(l.outside == 0);
        // the same sums of the same numbers, except for the order of Cramer's rule: rounding
        for (int a = 0; a < 4; a++) CHECK_NEAR(l.weights[a], w[a], 1e-12);
        point_of(&l, x);
        for (int k = 0; k < 3; k++) CHECK_NEAR(x[k], p[k], 1e-13);
    }
    CHECK(held > 100);
    finish();
}

TEST(outside_is_the_nearest_by_distance) {
    start(1, 2);
    unsigned long long seed = 2;
    for (int i = 0; i < 200; i++) {
        double p[3] = {3 * sp_test_random(&seed), 2 * sp_test_random(&seed), 3 * sp_test_random(&seed)}, x[3];
        sp_located l;
        sp__locate_all(locator, 1, p, &l);
        if (l.outside == 0) continue;
        CHECK_NEAR(l.outside, scan_distance(p), 1e-12);
        // the weights still reproduce the point: rounding grows with the weights, at most a few tens here
        point_of(&l, x);
        for (int k = 0; k < 3; k++) CHECK_NEAR(x[k], p[k], 1e-12);
    }
    finish();
}

// several elements share the nearest corner: the one that extrapolates least is used, then the lowest number
TEST(ties_go_to_the_least_extrapolation) {
    sp_context_create(NULL, &ctx);
    sp_mesh_box(ctx, (double[3]){1, 1, 1}, (int[3]){2, 2, 2}, 6, &mesh);
    sp__locator_create(ctx, sp_mesh_positions(mesh), sp_mesh_element_count(mesh), sp_mesh_tets(mesh), &locator);
    const double p[3] = {1.3, 1.2, 1.1};
    sp_located l;
    sp__locate_all(locator, 1, p, &l);
    CHECK_NEAR(l.outside, sqrt(0.09 + 0.04 + 0.01), 1e-15);
    double best = -INFINITY, least = INFINITY;
    for (int a = 0; a < 4; a++) least = fmin(least, l.weights[a]);
    for (int e = 0; e < sp_mesh_element_count(mesh); e++) {
        const int *tet = sp_mesh_tets(mesh) + 4 * (size_t)e;
        bool at_corner = false;
        for (int a = 0; a < 4; a++) at_corner |= tet[a] == 26;
        if (!at_corner) continue;
        double D[9], inv[9], d[3], w[4];
        const double *x = sp_mesh_positions(mesh), *x0 = x + 3 * (size_t)tet[0];
        for (int k = 0; k < 3; k++)
            for (int a = 0; a < 3; a++) D[3 * k + a] = x[3 * (size_t)tet[a + 1] + (size_t)k] - x0[k];
        sp__inverse3(D, inv);
        sp__sub3(p, x0, d);
        sp__mul3(inv, d, w + 1);
        w[0] = 1 - w[1] - w[2] - w[3];
        best = fmax(best, fmin(fmin(w[0], w[1]), fmin(w[2], w[3])));
    }
    CHECK_NEAR(least, best, 1e-14);
    // a node belongs to many elements: the lowest number is used
    sp__locate_all(locator, 1, (double[3]){0.5, 0.5, 0.5}, &l);
    CHECK(l.outside == 0);
    for (int e = 0; e < l.element; e++)
        for (int a = 0; a < 4; a++) CHECK(sp_mesh_tets(mesh)[4 * e + a] != 13);
    finish();
}

TEST(many_points_are_the_same_for_any_number_of_workers) {
    enum { N = 3000 };
    static double points[3 * N];
    static sp_located found[2][N];
    unsigned long long seed = 3;
    for (int i = 0; i < 3 * N; i++) points[i] = 1.6 * sp_test_random(&seed);
    for (int k = 0; k < 2; k++) {
        start(k ? 3 : 1, 3);
        memset(found[k], 0, sizeof found[k]);
        sp__locate_all(locator, N, points, found[k]);
        finish();
    }
    CHECK(memcmp(found[0], found[1], sizeof found[0]) == 0);
}

TEST(empty_and_invalid_input) {
    sp_context_create(NULL, &ctx);
    sp_located l;
    CHECK(sp__locator_create(ctx, NULL, 0, NULL, &locator) == SP_OK);
    sp__locate_all(locator, 1, (double[3]){0, 0, 0}, &l);
    CHECK_INT(l.element, -1);
    sp__locate_all(locator, 0, NULL, NULL);
    sp__locator_destroy(&locator);
    CHECK(locator == NULL);
    sp__locator_destroy(&locator);
    sp_context_destroy(&ctx);
    start(1, 2);
    const double nan[3] = {NAN, 0, 0}, far[3] = {1e300, 0, 0};
    sp__locate_all(locator, 1, nan, &l);
    CHECK_INT(l.element, -1);
    sp__locate_all(locator, 1, far, &l);  // squares overflow: nothing is nearest, and nothing crashes
    CHECK(l.element >= -1);
    finish();
}

TEST(failed_allocations_leak_nothing) {
    for (long allowed = 0;; allowed++) {
        meter m = {LONG_MAX, 0};
        sp_context_def def = metered_context(&m);
        sp_context_create(&def, &ctx);
        sp_mesh_box(ctx, (double[3]){1, 1, 1}, (int[3]){2, 2, 2}, 6, &mesh);
        long before = m.live;
        m.allowed = allowed;
        sp_status status =
            sp__locator_create(ctx, sp_mesh_positions(mesh), sp_mesh_element_count(mesh), sp_mesh_tets(mesh), &locator);
        CHECK(status == SP_OK ? locator != NULL : status == SP_NO_MEMORY && locator == NULL && m.live == before);
        finish();
        CHECK_INT(m.live, 0);
        if (status == SP_OK) break;
        REQUIRE(allowed < 100);
    }
}
