// sp_rod_fit: chains of clothoids or helices are recovered, other curves are followed closely, invalid input is refused.
#include <string.h>

#include "math/vec3.h"
#include "meter.h"
#include "rod/curve.h"
#include "souple/souple.h"
#include "test.h"

enum { MOST = 32, POINTS = 400 };
static const double pi = 3.14159265358979323846;

typedef struct fitted {
    sp_status status;
    sp_pose root;
    double length, curvature[3 * (MOST + 1)], farthest;
    char message[480];
} fitted;

static fitted fit(const double *points, int count, int elements, bool affine) {
    fitted out = {.length = NAN, .farthest = NAN};
    sp_context_def def = sp_context_def_default();
    sp_context *ctx = NULL;
    def.workers = 1;
    if (sp_context_create(&def, &ctx) < 0) return (fitted){.status = SP_NO_MEMORY};
    out.status = sp_rod_fit(ctx, points, count, elements, affine, &out.root, &out.length, out.curvature, &out.farthest);
    if (out.status < 0) snprintf(out.message, sizeof out.message, "%s", sp_context_error(ctx)->message);
    sp_context_destroy(&ctx);
    return out;
}

// the point at share u of the length of a chain of elements with these end curvatures; a helix uses their mean
static void chain_at(const sp_curve_frame *root, const double *k, int elements, bool affine, double length, double u, double *x) {
    sp_curve_frame f = *root;
    double each = length / elements, left = u * length;
    for (int e = 0; e < elements && left > 0; e++, k += 3) {
        double lambda[6];
        for (int i = 0; i < 3; i++) {
            lambda[i] = affine ? k[i] : 0.5 * (k[i] + k[3 + i]);
            lambda[3 + i] = affine ? (k[3 + i] - k[i]) / each : 0;
        }
        sp__curve_cross(&f, 1, lambda, fmin(left, each), SP_CURVE_REACH, 1e-17);
        left -= each;
    }
    memcpy(x, f.r, sizeof f.r);
}

static sp_curve_frame root_of(const fitted *f) {
    sp_curve_frame root;
    sp__quat_matrix(f->root.quat, root.R);
    memcpy(root.r, f->root.translate, sizeof root.r);
    return root;
}

// greatest distance of a point to the curve, finely sampled: independent of the code of the fit
static double distance(const fitted *f, int elements, bool affine, const double *points, int count) {
    enum { FINE = 2000 };
    static double x[FINE + 1][3];
    sp_curve_frame root = root_of(f);
    double most = 0;
    for (int i = 0; i <= FINE; i++) chain_at(&root, f->curvature, elements, affine, f->length, (double)i / FINE, x[i]);
    for (int p = 0; p < count; p++) {
        double least = INFINITY;
        for (int i = 0; i < FINE; i++) {
            double a[3], b[3];
            sp__sub3(points + 3 * p, x[i], a);
            sp__sub3(x[i + 1], x[i], b);
            double at = fmin(1, fmax(0, sp__dot3(a, b) / sp__dot3(b, b)));
            sp__axpy3(a, -at, b, a);
            least = fmin(least, sp__norm3(a));
        }
        most = fmax(most, least);
    }
    return most;
}

static const sp_curve_frame tilted = {.r = {1, -2, 0.5}, .R = {0.6, -0.8, 0, 0.8, 0.6, 0, 0, 0, 1}};

static void sample(const double *k, int elements, bool affine, double length, int count, double *points) {
    for (int i = 0; i < count; i++) chain_at(&tilted, k, elements, affine, length, i / (count - 1.0), points + 3 * i);
}

TEST(a_straight_line) {
    double points[] = {1, 2, 3, 2, 4, 5, 2.5, 5, 6};  // 4.5 long
    for (int affine = 0; affine < 2; affine++) {
        fitted f = fit(points, 3, 5, affine);
        REQUIRE(f.status == SP_OK);
        CHECK_NEAR(f.length, 4.5, 1e-14);  // rounding
        for (int i = 0; i < 18; i++) CHECK_NEAR(f.curvature[i], 0, 1e-12);
        double R[9];
        sp__quat_matrix(f.root.quat, R);
        CHECK_NEAR(R[0], 1.0 / 3, 1e-14);
        CHECK_NEAR(R[3], 2.0 / 3, 1e-14);
        CHECK_NEAR(R[6], 2.0 / 3, 1e-14);
        CHECK_NEAR(f.root.translate[2], 3, 0);
        CHECK(f.farthest < 1e-14);
    }
}

TEST(two_points_are_a_line_too) {
    double points[] = {0, 0, 0, 0, 0, -2};
    fitted f = fit(points, 2, 1, true);
    REQUIRE(f.status == SP_OK);
    CHECK_NEAR(f.length, 2, 1e-15);
    for (int i = 0; i < 6; i++) CHECK_NEAR(f.curvature[i], 0, 1e-12);
}

// a whole turn in one element or in several, of either kind: curvature 1/r, no twist, length 2 pi r
TEST(a_circle) {
    static const int elements[] = {1, 3, 5};
    double points[3 * 41];
    for (int i = 0; i <= 40; i++) {
        double a = 2 * pi * i / 40;
        points[3 * i] = 2 * cos(a), points[3 * i + 1] = 1, points[3 * i + 2] = 2 * sin(a);
    }
    for (int e = 0; e < 3; e++)
        for (int affine = 0; affine < 2; affine++) {
            fitted f = fit(points, 41, elements[e], affine);
            REQUIRE(f.status == SP_OK);
            // least squares converge to rounding: the points determine every curvature well
            CHECK_NEAR(f.length, 4 * pi, 1e-10);
            CHECK(f.farthest < 1e-10);
            for (int i = 0; i <= elements[e]; i++) {
                const double *k = f.curvature + 3 * i;
                CHECK_NEAR(hypot(k[1], k[2]), 0.5, 1e-9);
                CHECK_NEAR(k[0], 0, 1e-9);
            }
        }
}

// ten turns, radius 1, rising 0.1 per radian: curvature 1/(1 + 0.01), torsion 0.1/(1 + 0.01), in one helix
TEST(a_helix_of_ten_turns_in_one_element) {
    double points[3 * 201];
    for (int i = 0; i <= 200; i++) {
        double a = 20 * pi * i / 200;
        points[3 * i] = cos(a), points[3 * i + 1] = sin(a), points[3 * i + 2] = 0.1 * a;
    }
    for (int elements = 1; elements <= 4; elements += 3) {
        fitted f = fit(points, 201, elements, false);
        REQUIRE(f.status == SP_OK);
        CHECK_NEAR(f.length, 20 * pi * sqrt(1.01), 1e-8);
        CHECK(f.farthest < 1e-8);
        for (int i = 0; i <= elements; i++) {
            CHECK_NEAR(f.curvature[3 * i], 0.1 / 1.01, 1e-7);
            CHECK_NEAR(hypot(f.curvature[3 * i + 1], f.curvature[3 * i + 2]), 1 / 1.01, 1e-7);
        }
    }
}

// a chain of clothoids is recovered: twist and bend at every node. Their directions depend on the roll of the root, which a curve
// does not determine; angles between them do not.
TEST(clothoids_are_recovered) {
    static const double k[4 * 3] = {1, 6, 6, -4, -8, -1, -5, 2, 7, 6, -8, -4};
    double points[3 * 91];
    sample(k, 3, true, 1.5, 91, points);
    fitted f = fit(points, 91, 3, true);
    REQUIRE(f.status == SP_OK);
    CHECK_NEAR(f.length, 1.5, 1e-8);
    CHECK(f.farthest < 1e-8);
    for (int i = 0; i < 4; i++) {
        const double *a = k + 3 * i, *b = f.curvature + 3 * i;
        CHECK_NEAR(b[0], a[0], 1e-8);
        CHECK_NEAR(hypot(b[1], b[2]), hypot(a[1], a[2]), 1e-8);
        CHECK_NEAR(b[1] * f.curvature[1] + b[2] * f.curvature[2], a[1] * k[1] + a[2] * k[2], 1e-7);
    }
    CHECK_NEAR(f.root.translate[0], 1, 0);
    CHECK(distance(&f, 3, true, points, 91) < 1e-6);  // chords of 2000 parts: (1.5 / 2000)^2 times 11 over 8
}

TEST(helices_are_recovered) {
    // means of ends: (2, 5, 1), (-1, 3, -4), (0, -6, 2), (3, 1, 4)
    static const double k[5 * 3] = {2, 5, 1, 2, 5, 1, -4, 1, -9, 4, -13, 13, 2, 15, -5};
    static const double mean[4][3] = {{2, 5, 1}, {-1, 3, -4}, {0, -6, 2}, {3, 1, 4}};
    double points[3 * 121];
    sample(k, 4, false, 1, 121, points);
    fitted f = fit(points, 121, 4, false);
    REQUIRE(f.status == SP_OK);
    CHECK_NEAR(f.length, 1, 1e-8);
    CHECK(f.farthest < 1e-8);
    CHECK(distance(&f, 4, false, points, 121) < 1e-6);  // chords, as above
    for (int e = 0; e < 4; e++) {
        const double *a = f.curvature + 3 * e, *b = a + 3;
        CHECK_NEAR(0.5 * (a[0] + b[0]), mean[e][0], 1e-7);
        CHECK_NEAR(hypot(0.5 * (a[1] + b[1]), 0.5 * (a[2] + b[2])), hypot(mean[e][1], mean[e][2]), 1e-7);
    }
}

// independent noise of 2 mm on a wave and on a helix of the size of a metre: the fit stays within a few times that, and does not
// interpret the noise of a flat wave as twist
TEST(noise_is_not_followed) {
    static double wave[3 * 201], helix[3 * 201];
    unsigned long long state = 5;
    for (int i = 0; i <= 200; i++) {
        double x = i / 200.0, a = 6 * pi * x;
        double flat[3] = {x, 0.1 * sin(6 * x), 0}, wound[3] = {cos(a), sin(a), 0.2 * a};
        for (int c = 0; c < 3; c++) {
            wave[3 * i + c] = flat[c] + 1e-3 * sp_test_random(&state);
            helix[3 * i + c] = wound[c] + 2e-3 * sp_test_random(&state);
        }
    }
    fitted f = fit(wave, 201, 6, true);
    REQUIRE(f.status == SP_OK);
    CHECK(f.farthest < 3e-3);
    for (int i = 0; i <= 6; i++) CHECK_NEAR(f.curvature[3 * i], 0, 0);
    f = fit(helix, 201, 6, true);
    REQUIRE(f.status == SP_OK);
    CHECK(f.farthest < 6e-3);
    CHECK_NEAR(f.length, 6 * pi * sqrt(1.04), 0.01);  // twice the noise of both ends, and a thousandth of the rest
    for (int i = 0; i <= 6; i++) CHECK_NEAR(hypot(f.curvature[3 * i + 1], f.curvature[3 * i + 2]), 1 / 1.04, 0.1);
}

// a knot: the position error of affine curvature is at least of third order; with twice the elements it falls by eight or more
TEST(closer_with_more_elements) {
    static double points[3 * 301];
    for (int i = 0; i <= 300; i++) {
        double a = 2 * pi * i / 300;
        points[3 * i] = sin(a) + 2 * sin(2 * a), points[3 * i + 1] = cos(a) - 2 * cos(2 * a), points[3 * i + 2] = -sin(3 * a);
    }
    fitted coarse = fit(points, 301, 16, true), fine = fit(points, 301, 32, true), helix = fit(points, 301, 32, false);
    REQUIRE(coarse.status == SP_OK && fine.status == SP_OK && helix.status == SP_OK);
    CHECK(fine.farthest < coarse.farthest / 8);
    CHECK(fine.farthest < helix.farthest);
    // the reported distance agrees with an independent measurement, except for chords of 29 / 2000
    CHECK_NEAR(distance(&fine, 32, true, points, 301), fine.farthest, 1e-4);
    CHECK_NEAR(distance(&helix, 32, false, points, 301), helix.farthest, 1e-4);
}

// six points and sixteen elements: a smooth curve through them, of about the length of a spline, without large oscillations
TEST(few_points) {
    double points[3 * 6];
    for (int i = 0; i < 6; i++) points[3 * i] = i, points[3 * i + 1] = sin(2.0 * i), points[3 * i + 2] = cos(1.3 * i);
    for (int affine = 0; affine < 2; affine++) {
        fitted f = fit(points, 6, 16, affine);
        REQUIRE(f.status == SP_OK);
        CHECK(f.farthest < 5e-3);
        CHECK(f.length > 8.5 && f.length < 10);
        for (int i = 0; i <= 16; i++) CHECK(sp__norm3(f.curvature + 3 * i) < 6);
    }
}

// points equal to their neighbour are ignored
TEST(repeated_points) {
    double points[] = {0, 0, 0, 0, 0, 0, 1, 0, 0, 1, 0, 0, 2, 0, 0};
    fitted f = fit(points, 5, 2, true);
    REQUIRE(f.status == SP_OK);
    CHECK_NEAR(f.length, 2, 1e-14);
}

TEST(the_fit_is_independent_of_scale) {
    static const double k[3 * 3] = {0, 3, 1, 2, -4, 2, 1, 5, -3};
    double points[3 * 41], small[3 * 41];
    sample(k, 2, true, 1, 41, points);
    for (int i = 0; i < 123; i++) small[i] = 1e-6 * points[i];
    fitted a = fit(points, 41, 2, true), b = fit(small, 41, 2, true);
    REQUIRE(a.status == SP_OK && b.status == SP_OK);
    CHECK_NEAR(1e6 * b.length, a.length, 1e-9);
    CHECK_NEAR(1e-6 * b.curvature[3], a.curvature[3], 1e-7);
}

static void refused(const double *points, int count, int elements, const char *part) {
    fitted f = fit(points, count, elements, true);
    CHECK_INT(f.status, SP_BAD_INPUT);
    if (!strstr(f.message, part)) SP_TEST_FAILED("\"%s\" has no \"%s\"", f.message, part);
}

TEST(invalid_input_is_refused) {
    double line[] = {0, 0, 0, 1, 0, 0}, same[] = {1, 2, 3, 1, 2, 3, 1, 2, 3}, bad[] = {0, 0, 0, 1, NAN, 0},
           far[] = {-1e308, 0, 0, 1e308, 0, 0};
    refused(line, 1, 4, "points = 1, must be at least 2");
    refused(line, 0, 4, "points = 0");
    refused(line, 2, 0, "elements = 0, must be in 1..");
    refused(line, 2, -3, "elements = -3");
    refused(same, 3, 4, "length of the polyline is 0");
    refused(bad, 2, 4, "point 1 has y = nan, must be finite");
    refused(far, 2, 4, "length of the polyline is inf");
}

// a curve that so few elements cannot follow still gives a finite result
TEST(a_path_that_reverses_direction) {
    double points[] = {0, 0, 0, 1, 0, 0, 0, 0, 0}, corners[] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 0, 0, 1};
    fitted f = fit(points, 3, 4, true);
    REQUIRE(f.status == SP_OK);
    CHECK(isfinite(f.length) && f.length > 0 && isfinite(f.farthest));
    f = fit(corners, 5, 8, true);
    REQUIRE(f.status == SP_OK);
    CHECK(f.farthest < 0.01);
}

// the n-th allocation fails, for every n
TEST(every_allocation_may_fail) {
    double points[] = {0, 0, 0, 1, 0.2, 0, 2, 0, 0.3, 3, 0.1, 0}, length, curvature[9];
    sp_pose root;
    for (long allowed = 0; allowed < 60; allowed++) {
        meter m = {.allowed = 1000};
        sp_context_def def = metered_context(&m);
        sp_context *ctx = NULL;
        REQUIRE(sp_context_create(&def, &ctx) == SP_OK);
        m.allowed = allowed;
        sp_status status = sp_rod_fit(ctx, points, 4, 2, true, &root, &length, curvature, NULL);
        CHECK(status == SP_OK || status == SP_NO_MEMORY);
        CHECK(status == SP_OK || allowed < 59);
        sp_context_destroy(&ctx);
        CHECK_INT(m.live, 0);
        if (status == SP_OK) return;
    }
}
