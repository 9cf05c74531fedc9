// The integrators that the series is compared with have their documented orders, including renormalisation.
#include "../../bench/curve_schemes.c"

#include "math/vec3.h"
#include "rod/curve.h"
#include "test.h"

// twist from 100 to 0 and both curvatures from 0 to 100 over 20 cm (Casati 2015, section 5.1)
static const double curled[6] = {100, 0, 0, -500, 500, 500}, curled_length = 0.2;
// its end, computed by an independent implementation of the series
static const double curled_end[3] = {0.10926893744244161, -0.012332244548818488, 0.0043982208575294635};

static double error_of(sp_scheme scheme, int steps) {
    sp_scheme_state s = {.q = {1}};
    double d[3];
    sp__scheme_run(scheme, curled, curled_length, steps, 1, &s, NULL);
    CHECK_NEAR(s.q[0] * s.q[0] + s.q[1] * s.q[1] + s.q[2] * s.q[2] + s.q[3] * s.q[3], 1, 1e-12);  // rounding of 6336 steps
    sp__sub3(s.r, curled_end, d);
    return sp__norm3(d);
}

TEST(orders) {
    static const int orders[SP_SCHEME_COUNT] = {
        [SP_SCHEME_EULER] = 1, [SP_SCHEME_LIE] = 1, [SP_SCHEME_RK2] = 2, [SP_SCHEME_RK4] = 4};
    for (int scheme = 0; scheme < SP_SCHEME_COUNT; scheme++) {
        double order = log2(error_of(scheme, 1600) / error_of(scheme, 3200));
        // higher terms and, for RK4 at errors of 1e-13, rounding
        CHECK_NEAR(order, orders[scheme], 0.1);
    }
}

// the schemes give the same curve as the series
TEST(schemes_and_series_agree) {
    sp_curve_frame f = {.R = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    double d[3];
    CHECK(sp__curve_cross(&f, 1, curled, curled_length, SP_CURVE_REACH_FINE, 1e-17) > 0);
    sp__sub3(f.r, curled_end, d);
    CHECK(sp__norm3(d) < 1e-15);  // rounding
    sp_scheme_state s = {.q = {1}};
    double R[9];
    sp__scheme_run(SP_SCHEME_RK4, curled, curled_length, 3200, 1, &s, NULL);
    sp__quat_matrix(s.q, R);
    for (int i = 0; i < 9; i++) CHECK_NEAR(R[i], f.R[i], 1e-10);  // error of the scheme, over 100 rad/m
}

TEST(points_along_the_curve) {
    double line[6] = {0}, out[5][3];
    sp_scheme_state s = {.q = {1}, .r = {1, 2, 3}};
    sp__scheme_run(SP_SCHEME_LIE, line, 2, 8, 2, &s, out);
    for (int i = 0; i < 5; i++) CHECK_NEAR(out[i][0], 1 + 0.5 * i, 1e-15);
    CHECK_NEAR(s.r[2], 3, 0);
}

// constant curvature: Lie-Euler rotates the frame exactly
TEST(lie_euler_is_exact_for_constant_curvature) {
    double circle[6] = {0, 0, 3};
    sp_scheme_state s = {.q = {1}};
    sp__scheme_run(SP_SCHEME_LIE, circle, 1, 7, 1, &s, NULL);
    CHECK_NEAR(s.q[0], cos(1.5), 1e-15);
    CHECK_NEAR(s.q[3], sin(1.5), 1e-15);
}

TEST(names) {
    CHECK(strcmp(sp__scheme_name(SP_SCHEME_EULER), "euler") == 0 && strcmp(sp__scheme_name(SP_SCHEME_RK4), "rk4") == 0);
}
