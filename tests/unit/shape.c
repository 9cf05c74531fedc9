// Signed distances of the rigid shapes against points sampled on their triangles, and by their properties: |grad d| = 1, d grows
// along the normal, x - d n is on the surface. Triangles: on the surface, closed, outward.
#include "collide/shape.h"
#include "math/vec3.h"
#include "test.h"

static const double PI = 3.14159265358979323846;

static const sp_rigid_shape shapes[] = {
    {SP_PLANE, {0, 2, 0}, {{0, 0, 0}, {1, 0, 0, 0}}},           {SP_PLANE, {1, -2, 0.5}, {{0, 0, 0}, {1, 0, 0, 0}}},
    {SP_SPHERE, {0.8, 0, 0}, {{0, 0, 0}, {1, 0, 0, 0}}},        {SP_BOX, {1, 0.6, 1.4}, {{0, 0, 0}, {1, 0, 0, 0}}},
    {SP_CYLINDER, {0.5, 1.2, 0}, {{0, 0, 0}, {1, 0, 0, 0}}},    {SP_CYLINDER, {0.9, 0.3, 0}, {{0, 0, 0}, {1, 0, 0, 0}}},
    {SP_CAPSULE, {0.4, 0.9, 0}, {{0, 0, 0}, {1, 0, 0, 0}}},     {SP_TORUS, {0.8, 0.3, 0}, {{0, 0, 0}, {1, 0, 0, 0}}},
    {SP_ELLIPSOID, {0.9, 0.5, 0.7}, {{0, 0, 0}, {1, 0, 0, 0}}},
};
enum { SHAPES = sizeof shapes / sizeof *shapes };

static sp_context *new_context(void) {
    sp_context_def def = sp_context_def_default();
    def.workers = 1;
    sp_context *ctx = NULL;
    sp_context_create(&def, &ctx);
    return ctx;
}

static void random_point(unsigned long long *seed, double x[3]) {
    for (int k = 0; k < 3; k++) x[k] = 0.4 + 1.6 * sp_test_random(seed);
}

// ------------------------------------------------------------------------------------------------ laws

TEST(gradient_is_the_unit_normal) {
    unsigned long long seed = 1;
    const double h = 1e-6;
    int left_out = 0;
    for (int s = 0; s < SHAPES; s++)
        for (int i = 0; i < 2000; i++) {
            double x[3], n[3], unused[3], gradient[3];
            random_point(&seed, x);
            sp__shape_distance(&shapes[s], x, n);
            CHECK_NEAR(sp__norm3(n), 1, 1e-15 * 4);
            for (int k = 0; k < 3; k++) {
                double a[3] = {x[0], x[1], x[2]}, b[3] = {x[0], x[1], x[2]};
                a[k] -= h, b[k] += h;
                gradient[k] = (sp__shape_distance(&shapes[s], b, unused) - sp__shape_distance(&shapes[s], a, unused)) / (2 * h);
            }
            // where two faces are equally near within h the difference mixes their normals: such points are skipped
            if (fabs(sp__norm3(gradient) - 1) > 1e-4) {
                left_out++;
                continue;
            }
            // h^2 / curvature radius^2 of truncation, 1e-16 / h of rounding; radii of 1e-2 and more except for one point in 1e5
            for (int k = 0; k < 3; k++) CHECK_NEAR(gradient[k], n[k], 1e-6);
        }
    CHECK(left_out < 10);
}

TEST(the_foot_of_the_normal_is_on_the_surface) {
    unsigned long long seed = 2;
    for (int s = 0; s < SHAPES; s++)
        for (int i = 0; i < 2000; i++) {
            double x[3], n[3], foot[3], m[3];
            random_point(&seed, x);
            double d = sp__shape_distance(&shapes[s], x, n);
            sp__axpy3(x, -d, n, foot);
            // a few roundings of numbers up to 3; of an ellipsoid also those of its root
            CHECK_NEAR(sp__shape_distance(&shapes[s], foot, m), 0, shapes[s].type == SP_ELLIPSOID ? 1e-14 : 4e-15);
        }
}

// ------------------------------------------------------------------------------------------------ brute force

// Whether x is inside, from the definition of the shape.
static bool inside(const sp_rigid_shape *s, const double *x) {
    switch (s->type) {
    case SP_PLANE: return sp__dot3(x, s->size) < 0;
    case SP_SPHERE: return sp__dot3(x, x) < s->size[0] * s->size[0];
    case SP_BOX: return x[0] > 0 && x[1] > 0 && x[2] > 0 && x[0] < s->size[0] && x[1] < s->size[1] && x[2] < s->size[2];
    case SP_CYLINDER: return x[0] * x[0] + x[1] * x[1] < s->size[0] * s->size[0] && x[2] > 0 && x[2] < s->size[1];
    case SP_CAPSULE: {
        double z = x[2] < 0 ? x[2] : x[2] > s->size[1] ? x[2] - s->size[1] : 0;
        return x[0] * x[0] + x[1] * x[1] + z * z < s->size[0] * s->size[0];
    }
    case SP_TORUS: return pow(hypot(x[0], x[1]) - s->size[0], 2) + x[2] * x[2] < s->size[1] * s->size[1];
    case SP_ELLIPSOID: return pow(x[0] / s->size[0], 2) + pow(x[1] / s->size[1], 2) + pow(x[2] / s->size[2], 2) < 1;
    }
    return false;
}

// A random point of the surface.
static void surface_point(const sp_rigid_shape *s, unsigned long long *seed, double p[3]) {
    double u = sp_test_random(seed), v = sp_test_random(seed), a = PI * sp_test_random(seed), r;
    int side = (int)(3 * (u + 1) / 2);
    switch (s->type) {
    case SP_PLANE: {
        double across[3] = {s->size[1], -s->size[0], 0}, other[3];
        sp__cross3(s->size, across, other);
        for (int k = 0; k < 3; k++) p[k] = 6 * u * across[k] / sp__norm3(across) + 6 * v * other[k] / sp__norm3(other);
        return;
    }
    case SP_SPHERE:
        r = s->size[0] * sqrt(1 - u * u);
        p[0] = r * cos(a), p[1] = r * sin(a), p[2] = s->size[0] * u;
        return;
    case SP_BOX:
        for (int k = 0; k < 3; k++) p[k] = s->size[k] * (sp_test_random(seed) + 1) / 2;
        p[side] = v > 0 ? s->size[side] : 0;
        return;
    case SP_CYLINDER:
        r = side == 0 ? s->size[0] : s->size[0] * sqrt((v + 1) / 2);
        p[0] = r * cos(a), p[1] = r * sin(a);
        p[2] = side == 0 ? s->size[1] * (v + 1) / 2 : side == 1 ? 0 : s->size[1];
        return;
    case SP_CAPSULE:
        r = side == 0 ? s->size[0] : s->size[0] * sqrt(1 - v * v);
        p[0] = r * cos(a), p[1] = r * sin(a);
        p[2] = side == 0 ? s->size[1] * (v + 1) / 2 : s->size[0] * v + (v > 0 ? s->size[1] : 0);
        return;
    case SP_TORUS:
        r = s->size[0] + s->size[1] * cos(PI * v);
        p[0] = r * cos(a), p[1] = r * sin(a), p[2] = s->size[1] * sin(PI * v);
        return;
    case SP_ELLIPSOID:
        r = sqrt(1 - u * u);
        p[0] = s->size[0] * r * cos(a), p[1] = s->size[1] * r * sin(a), p[2] = s->size[2] * u;
        return;
    }
}

TEST(distance_against_samples_of_the_surface) {
    enum { SAMPLES = 40000 };
    static double p[SAMPLES][3];
    unsigned long long seed = 3;
    for (int s = 0; s < SHAPES; s++) {
        for (int i = 0; i < SAMPLES; i++) surface_point(&shapes[s], &seed, p[i]);
        for (int i = 0; i < 50; i++) {
            double x[3], n[3], best = INFINITY;
            random_point(&seed, x);
            double d = sp__shape_distance(&shapes[s], x, n);
            CHECK((d < 0) == inside(&shapes[s], x));
            for (int k = 0; k < SAMPLES; k++) {
                double e[3];
                sp__sub3(x, p[k], e);
                best = fmin(best, sp__dot3(e, e));
            }
            best = sqrt(best);
            // no sample is nearer, and one is close: samples of at most 144 m2 are a tenth apart, 0.1^2 / 2d or 0.1 off
            CHECK(fabs(d) <= best + 1e-14);
            CHECK_NEAR(fabs(d), best, 0.15);
        }
    }
}

// ------------------------------------------------------------------------------------------------ special points

static double at(int shape, double x, double y, double z, double n[3]) {
    return sp__shape_distance(&shapes[shape], (double[3]){x, y, z}, n);
}

TEST(centres_axes_edges_and_corners) {
    double n[3];
    CHECK_NEAR(at(2, 0, 0, 0, n), -0.8, 0);
    CHECK_NEAR(sp__norm3(n), 1, 0);
    // box 1 x 0.6 x 1.4: the middle is 0.3 from two faces; corner, edge and face points
    CHECK_NEAR(at(3, 0.5, 0.3, 0.7, n), -0.3, 1e-16);
    CHECK(fabs(n[1]) == 1);
    CHECK_NEAR(at(3, 0, 0, 0, n), 0, 0);
    CHECK_NEAR(sp__norm3(n), 1, 0);
    CHECK_NEAR(at(3, 1, 0.6, 0.2, n), 0, 0);
    CHECK_NEAR(sp__norm3(n), 1, 0);
    CHECK_NEAR(at(3, -3, -4, 0.5, n), 5, 1e-15);
    CHECK_NEAR(n[0], -0.6, 1e-15);
    CHECK_NEAR(n[1], -0.8, 1e-15);
    CHECK_NEAR(at(3, 2, 2.6, 3.4, n), 3, 1e-15);
    // so near that squares underflow
    CHECK_NEAR(at(3, -1e-200, 0.3, 0.2, n), 0, 1e-199);
    CHECK_NEAR(sp__norm3(n), 1, 1e-15);
    // cylinder radius 0.5, length 1.2: axis, rim, above the cap
    CHECK_NEAR(at(4, 0, 0, 0.6, n), -0.5, 0);
    CHECK_NEAR(sp__norm3(n), 1, 0);
    CHECK_NEAR(at(4, 0, 0, 0.1, n), -0.1, 0);
    CHECK(n[2] == -1);
    CHECK_NEAR(at(4, 0, 0, 2.2, n), 1, 1e-15);
    CHECK(n[2] == 1 && n[0] == 0);
    CHECK_NEAR(at(4, 0.5, 0, 0, n), 0, 0);
    CHECK_NEAR(sp__norm3(n), 1, 0);
    CHECK_NEAR(at(4, 0, 3.5, 5.2, n), 5, 1e-15);
    CHECK_NEAR(n[1], 0.6, 1e-15);
    CHECK_NEAR(n[2], 0.8, 1e-15);
    // capsule radius 0.4, length 0.9; torus 0.8, 0.3 about z; ellipsoid 0.9, 0.5, 0.7
    CHECK_NEAR(at(6, 0, 0, 0.5, n), -0.4, 1e-15);
    CHECK_NEAR(at(6, 0, 0, 2, n), 0.7, 1e-15);
    CHECK(n[2] == 1);
    CHECK_NEAR(at(7, 0, 0, 0, n), 0.5, 1e-15);
    CHECK_NEAR(at(7, 0.8, 0, 0, n), -0.3, 1e-15);
    CHECK_NEAR(at(8, 0, 0, 0, n), -0.5, 1e-15);
    CHECK_NEAR(at(8, 0, 0, 2, n), 1.3, 1e-15);
    CHECK_NEAR(n[2], 1, 1e-15);
    // the solid side of a plane is below it, for any length of its normal
    CHECK_NEAR(at(0, 5, -3, 1, n), -3, 0);
    CHECK(n[1] == 1);
}

TEST(posed) {
    sp_rigid_shape box = shapes[3];
    const double axis[3] = {1, 2, -1};
    sp__quat_axis(axis, 0.7, box.pose.quat);
    box.pose.translate[0] = 3, box.pose.translate[2] = -1;
    double R[9];
    sp__quat_matrix(box.pose.quat, R);
    unsigned long long seed = 4;
    for (int i = 0; i < 100; i++) {
        double own[3], x[3], n[3], m[3], turned[3];
        random_point(&seed, own);
        sp__mul3(R, own, x);
        for (int k = 0; k < 3; k++) x[k] += box.pose.translate[k];
        CHECK_NEAR(sp__shape_distance_posed(&box, x, n), sp__shape_distance(&box, own, m), 4e-15);
        sp__mul3(R, m, turned);
        // the normal of an edge region rotates by the rounding of x over the distance
        for (int k = 0; k < 3; k++) CHECK_NEAR(n[k], turned[k], 1e-12);
    }
}

// ------------------------------------------------------------------------------------------------ triangles

// Each directed edge has its opposite exactly once.
static bool closed(const int *faces, int nf) {
    for (int e = 0; e < 3 * nf; e++) {
        int a = faces[e], b = faces[e % 3 == 2 ? e - 2 : e + 1], same = 0, back = 0;
        for (int g = 0; g < 3 * nf; g++) {
            int c = faces[g], d = faces[g % 3 == 2 ? g - 2 : g + 1];
            same += c == a && d == b, back += c == b && d == a;
        }
        if (same != 1 || back != 1) return false;
    }
    return true;
}

static double volume_of(const double *x, const int *faces, int nf) {
    double six = 0;
    for (int f = 0; f < nf; f++) {
        double m[9];
        for (int k = 0; k < 3; k++) memcpy(m + 3 * k, x + 3 * faces[3 * f + k], 3 * sizeof *m);
        six += sp__det3(m);
    }
    return six / 6;
}

static void check_triangles(sp_context *ctx, const sp_rigid_shape *shape, double volume) {
    int nv, nf, *faces;
    double *x, n[3];
    REQUIRE(sp__shape_triangles(ctx, shape, 4, &nv, &x, &nf, &faces) == SP_OK);
    for (int i = 0; i < 3 * nf; i++) CHECK(faces[i] >= 0 && faces[i] < nv);
    for (int i = 0; i < nv; i++) {
        double d = sp__shape_distance_posed(shape, x + 3 * i, n);
        // on the surface; the centres of the caps too
        CHECK_NEAR(d, 0, 4e-15);
    }
    if (shape->type != SP_PLANE) {
        CHECK(closed(faces, nf));
        // chords of 48 segments enclose (2 pi / 48)^2 / 6 = 0.3% less, of a sphere about twice that, of the tube of a torus with
        // 24 segments four times that
        double v = volume_of(x, faces, nf);
        CHECK(v <= volume * (1 + 1e-12));
        CHECK_NEAR(v, volume, (shape->type == SP_TORUS ? 0.02 : 0.01) * volume);
    } else {
        double u[3], v[3], c[3], normal[3];
        sp__sub3(x + 3 * faces[1], x + 3 * faces[0], u);
        sp__sub3(x + 3 * faces[2], x + 3 * faces[0], v);
        sp__cross3(u, v, c);
        sp__shape_distance_posed(shape, x, normal);
        // half of a square of edge 4, facing along the normal
        CHECK_NEAR(sp__dot3(c, normal), 16, 1e-13);
    }
    sp__free(ctx, x);
    sp__free(ctx, faces);
}

TEST(triangles) {
    sp_context *ctx = new_context();
    REQUIRE(ctx);
    const double volumes[SHAPES] = {0,
                                    0,
                                    4 * PI / 3 * 0.8 * 0.8 * 0.8,
                                    1 * 0.6 * 1.4,
                                    PI * 0.25 * 1.2,
                                    PI * 0.81 * 0.3,
                                    PI * 0.16 * 0.9 + 4 * PI / 3 * 0.064,
                                    2 * PI * PI * 0.8 * 0.09,
                                    4 * PI / 3 * 0.9 * 0.5 * 0.7};
    for (int s = 0; s < SHAPES; s++) {
        check_triangles(ctx, &shapes[s], volumes[s]);
        sp_rigid_shape moved = shapes[s];
        const double axis[3] = {3, -1, 2};
        sp__quat_axis(axis, 2.5, moved.pose.quat);
        moved.pose.translate[1] = 0.5;
        check_triangles(ctx, &moved, volumes[s]);
    }
    size_t bytes;
    sp_context_memory(ctx, &bytes, NULL);
    CHECK_INT(bytes, 0);
    sp_context_destroy(&ctx);
}

static void *refuse_second(void *user, size_t size, size_t align) {
    int *left = user;
    return (*left)-- > 0 ? aligned_alloc(align, size) : NULL;
}

static void plain_free(void *user, void *memory, size_t size) {
    (void)user, (void)size;
    free(memory);
}

TEST(triangles_with_failed_allocations) {
    for (int n = 1; n <= 2; n++) {
        int left = n, nv, nf, *faces;
        double *x;
        sp_context_def def = sp_context_def_default();
        def.workers = 1, def.alloc = refuse_second, def.free = plain_free, def.alloc_user = &left;
        sp_context *ctx;
        REQUIRE(sp_context_create(&def, &ctx) == SP_OK);
        CHECK_INT(sp__shape_triangles(ctx, &shapes[3], 1, &nv, &x, &nf, &faces), SP_NO_MEMORY);
        CHECK(x == NULL && faces == NULL && nv == 0 && nf == 0);
        size_t bytes;
        sp_context_memory(ctx, &bytes, NULL);
        CHECK_INT(bytes, 0);
        sp_context_destroy(&ctx);
    }
}
