// Curves from their curvature: closed forms, published and independently computed end points, and the loss of accuracy without
// subdivision.
#include "rod/curve.h"

#include <float.h>
#include <string.h>

#include "math/vec3.h"
#include "test.h"

static const sp_curve_frame origin = {.R = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
static const double pi = 3.14159265358979323846;

static double apart(const double *a, const double *b) {
    double d[3];
    sp__sub3(a, b, d);
    return sp__norm3(d);
}

static double skewness(const double *R) {
    double most = 0;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            double sum = -(i == j);
            for (int k = 0; k < 3; k++) sum += R[3 * k + i] * R[3 * k + j];
            most = fmax(most, fabs(sum));
        }
    return most;
}

// C^floor(C) / floor(C)!, the bound of every term
static double bump(double C) {
    double product = 1;
    for (int n = 1; n <= (int)C; n++) product *= C / n;
    return product;
}

// the thresholds are where the bound of the terms meets eps^-1/2, and its square
TEST(thresholds) {
    double half = 1 / sqrt(DBL_EPSILON), quarter = sqrt(half);
    // the constants are rounded down to two digits after the point
    CHECK(bump(SP_CURVE_REACH) <= half && bump(SP_CURVE_REACH + 0.01) > half);
    CHECK(bump(SP_CURVE_REACH_PRODUCT) <= quarter && bump(SP_CURVE_REACH_PRODUCT + 0.01) > quarter);
}

// the model problem Y' = Y J in 2D is the planar frame of curvature 1: the largest term is s^floor(s)/floor(s)!, the error of the
// plain sum about eps times that (table of the method's page)
TEST(plain_sums_cancel) {
    static const double lengths[] = {5, 10, 20, 30};
    for (int k = 0; k < 4; k++) {
        double s = lengths[k], lambda[3] = {0, 0, 1}, most = 0;
        sp_curve_series series;
        REQUIRE(sp__curve_expand(&origin, 0, lambda, s, 1e-17, &series));
        for (int n = 0; n < series.terms; n++) most = fmax(most, fabs(series.R[n][0]) + fabs(series.R[n][1]));
        CHECK_NEAR(most, bump(s), 1e-13 * bump(s));  // products of thirty rounded factors
        sp_curve_frame end;
        sp__curve_at(&series, 1, &end);
        double error = fmax(fabs(end.R[0] - cos(s)), fabs(end.R[1] + sin(s)));
        // rounding errors of some fifty terms of that size add up to anything below their sum
        CHECK(error < 50 * DBL_EPSILON * bump(s) + 1e-15);
        if (s >= 20) CHECK(error > 1e-3 * DBL_EPSILON * bump(s));  // the plain sum does lose accuracy
        sp_curve_frame cut = origin;
        CHECK(sp__curve_cross(&cut, 0, lambda, s, SP_CURVE_REACH, 1e-17) > (s > 11));
        // each of the three segments may lose what the threshold allows, sqrt(eps), but loses far less
        CHECK_NEAR(cut.R[0], cos(s), 1e-12);
        CHECK_NEAR(cut.R[1], -sin(s), 1e-12);
        CHECK_NEAR(cut.r[0], sin(s), 1e-12);
        CHECK_NEAR(cut.r[1], 1 - cos(s), 1e-12);
    }
}

// ||kappa|| from 100 to 0 over half a metre needs more terms than the limit; subdivided, it takes five segments
TEST(a_strongly_curved_end) {
    double lambda[6] = {0, 0, 100, 0, 0, -200};
    sp_curve_series series;
    sp_curve_frame cut = origin, fine = origin;
    CHECK(!sp__curve_expand(&origin, 1, lambda, 0.5, 1e-17, &series));
    CHECK(sp__curve_cross(&cut, 1, lambda, 0.5, SP_CURVE_REACH, 1e-17) == 5);
    CHECK(sp__curve_cross(&fine, 1, lambda, 0.5, SP_CURVE_REACH_FINE, 1e-17) > 10);
    CHECK(apart(cut.r, fine.r) < 1e-13);  // 1.5e-14 in an independent implementation
}

// ------------------------------------------------------------------------------------------------ known curves

// twist 100 to 0, both curvatures 0 to 100 over 20 cm: end point by an independent implementation
TEST(reference_end_point) {
    static const double tip[3] = {0.10926893744244161, -0.012332244548818488, 0.0043982208575294635};
    double lambda[6] = {100, 0, 0, -500, 500, 500};
    static const struct {
        double reach, skew;
        int segments;
    } cases[] = {{SP_CURVE_REACH, 1e-12, 3}, {SP_CURVE_REACH_PRODUCT, 1e-13, 4}, {5, 1e-14, 8}, {2, 1e-14, 17}};
    for (int k = 0; k < 4; k++) {
        sp_curve_frame end = origin;
        CHECK(sp__curve_cross(&end, 1, lambda, 0.2, cases[k].reach, 1e-17) == cases[k].segments);
        CHECK(apart(end.r, tip) < 1e-14);
        // never projected: an independent implementation has 1.5e-13, 5e-15 and 1.8e-15
        CHECK(skewness(end.R) < cases[k].skew);
    }
    // in one piece: an independent implementation has 1.8e-7 and 5.8e-5
    sp_curve_series series;
    sp_curve_frame end;
    REQUIRE(sp__curve_expand(&origin, 1, lambda, 0.2, 1e-17, &series));
    sp__curve_at(&series, 1, &end);
    CHECK(apart(end.r, tip) > 1e-9 && apart(end.r, tip) < 1e-5);
    CHECK(skewness(end.R) > 1e-7);
}

TEST(cornu_spirals) {
    double half[6] = {0, 0, 0, 0, 0, 0.5}, fresnel[6] = {0, 0, 0, 0, 0, pi};
    sp_curve_frame end = origin;
    CHECK(sp__curve_cross(&end, 1, half, 4, SP_CURVE_REACH, 1e-17) == 1);
    CHECK_NEAR(end.r[0], 0.9229229248664327, 4 * DBL_EPSILON);
    CHECK_NEAR(end.r[1], 1.6095529786875122, 8 * DBL_EPSILON);
    end = origin;
    CHECK(sp__curve_cross(&end, 1, fresnel, 4, SP_CURVE_REACH, 1e-17) == 4);
    // Fresnel integrals at 4; the rounding of three cuts accumulates
    CHECK_NEAR(end.r[0], 0.4984260330381776, 1e-13);
    CHECK_NEAR(end.r[1], 0.4205157542469284, 1e-13);
}

// sin(x)/x and (1 - cos x)/x, by their own series where the quotients lose digits
static void helix_quotients(double x, double *s, double *c) {
    if (fabs(x) > 0.1) {
        *s = sin(x) / x, *c = 2 * sin(0.5 * x) * sin(0.5 * x) / x;
        return;
    }
    double q = x * x;
    *s = 1 - q / 6 * (1 - q / 20 * (1 - q / 42 * (1 - q / 72)));
    *c = 0.5 * x * (1 - q / 12 * (1 - q / 30 * (1 - q / 56 * (1 - q / 90))));
}

// The end of a circular helix in closed form: r += R A(u) e0 and R = R E(u), with E = P + cos (1 - P) + sin N about n =
// kappa/|kappa| (Bertails et al. 2006)
static void helix_end(const sp_curve_frame *start, const double kappa[3], double length, sp_curve_frame *frame) {
    double k = sp__norm3(kappa), angle = k * length, s, c, E[9], a[3], turned[9], ahead[3];
    double n[3] = {k > 0 ? kappa[0] / k : 1, k > 0 ? kappa[1] / k : 0, k > 0 ? kappa[2] / k : 0};
    helix_quotients(angle, &s, &c);
    double N[9] = {0, -n[2], n[1], n[2], 0, -n[0], -n[1], n[0], 0}, cosine = cos(angle), sine = sin(angle);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            double P = n[i] * n[j], one = i == j;
            E[3 * i + j] = P + cosine * (one - P) + sine * N[3 * i + j];
            if (j == 0) a[i] = length * (P + s * (one - P) + c * N[3 * i]);
        }
    sp__mul33(start->R, E, turned);
    sp__mul3(start->R, a, ahead);
    for (int i = 0; i < 3; i++) frame->r[i] = start->r[i] + ahead[i];
    memcpy(frame->R, turned, sizeof turned);
}

TEST(helices_against_their_closed_form) {
    static const double kappas[4][3] = {{0, 0, 0}, {3, 4, -2}, {0, 9, 12}, {0.01, -0.02, 0.03}};
    double tilted[4] = {0.5, 0.5, -0.5, 0.5};
    sp_curve_frame start = {.r = {1, 2, 3}};
    sp__quat_matrix(tilted, start.R);
    for (int k = 0; k < 4; k++) {
        sp_curve_frame series = start, closed;
        CHECK(sp__curve_cross(&series, 0, kappas[k], 2.5, SP_CURVE_REACH_FINE, 1e-17) >= 1);
        helix_end(&start, kappas[k], 2.5, &closed);
        // terms of 26 leave 26 eps each, in up to fifteen segments
        CHECK(apart(series.r, closed.r) < 1e-13);
        for (int i = 0; i < 9; i++) CHECK_NEAR(series.R[i], closed.R[i], 1e-13);
    }
}

// with k2 = 0 and k1 > twist a segment turns by k1 s = T/2 = 10.22 rad, 1.63 turns, and all are equal
TEST(one_and_a_half_turns_per_segment) {
    double lambda[3] = {20, 50, 0};
    sp_curve_series series;
    sp_curve_pass w = sp__curve_begin(&origin, 0, lambda, 1, SP_CURVE_REACH);
    int count = 0;
    while (sp__curve_next(&w, 1e-16, &series)) {
        count++;
        if (w.at < 1) CHECK_NEAR(50 * series.length / (2 * pi), 1.6265, 1e-3);
    }
    CHECK(count == 5);
}

// degree 7, coefficients up to 1.6e4 that cancel to values within 1.1
TEST(polynomial_curvature) {
    static const double k2[] = {0, -5, 353, -3026, 10012, -15656, 11651, -3329};
    static const double lengths[] = {0.1916, 0.2863, 0.3371, 0.1849};
    double lambda[24] = {0};
    for (int n = 0; n < 8; n++) lambda[3 * n + 2] = k2[n];
    sp_curve_series series;
    sp_curve_pass w = sp__curve_begin(&origin, 7, lambda, 1, SP_CURVE_REACH);
    int count = 0;
    while (count < 8 && sp__curve_next(&w, 1e-17, &series)) {
        if (count < 4) CHECK_NEAR(series.length, lengths[count], 1e-4);  // four digits are given
        count++;
    }
    CHECK(count == 4 && !w.failed);
    CHECK_NEAR(w.frame.r[0], 0.995837349286175, 1e-13);  // an independent implementation has 7e-15
    CHECK_NEAR(w.frame.r[1], 0.0720464347627507, 1e-13);
}

// ------------------------------------------------------------------------------------------------ pieces

TEST(shifted_coefficients_are_the_same_polynomial) {
    double lambda[12] = {1, 2, 3, -4, 5, 6, 7, -8, 9, 0.5, 0.25, -2}, moved[12];
    sp__curve_shift(3, lambda, 0.7, moved);
    for (int i = 0; i < 3; i++) {
        double u = 0.3, x = 1, want = 0, have = 0, y = 1;
        for (int n = 0; n <= 3; n++, x *= 1, y *= u) {
            want += lambda[3 * n + i] * pow(1.0, n);  // at 0.7 + 0.3
            have += moved[3 * n + i] * y;
        }
        CHECK_NEAR(have, want, 1e-14 * 40);  // sums of numbers up to 20
    }
}

TEST(samples_inside_a_segment) {
    double lambda[6] = {1, -2, 3, 4, 5, -6};
    sp_curve_series series;
    REQUIRE(sp__curve_expand(&origin, 1, lambda, 1, 1e-17, &series));
    for (int k = 0; k <= 10; k++) {
        sp_curve_frame inside, fresh = origin;
        sp__curve_at(&series, 0.1 * k, &inside);
        if (k) sp__curve_cross(&fresh, 1, lambda, 0.1 * k, SP_CURVE_REACH, 1e-17);
        CHECK(apart(inside.r, fresh.r) < 1e-13);
        CHECK(skewness(inside.R) < 1e-12);
    }
}

// derivatives of the frame: n0' = k2 n1 - k1 n2 and so on, which is R' = R [kappa]x written out
TEST(the_frame_rotates_with_kappa) {
    double lambda[6] = {2, -1, 3, 0, 0, 0}, h = 1e-5;
    sp_curve_frame before = origin, after = origin, here = origin;
    sp__curve_cross(&here, 1, lambda, 0.5, SP_CURVE_REACH, 1e-17);
    sp__curve_cross(&before, 1, lambda, 0.5 - h, SP_CURVE_REACH, 1e-17);
    sp__curve_cross(&after, 1, lambda, 0.5 + h, SP_CURVE_REACH, 1e-17);
    for (int i = 0; i < 3; i++) {
        const double *n = here.R + 3 * i;
        double slope[3];
        for (int j = 0; j < 3; j++) slope[j] = (after.R[3 * i + j] - before.R[3 * i + j]) / (2 * h);
        // h^2 |kappa|^3 / 6 = 9e-10 and rounding over h
        CHECK_NEAR(slope[0], 3 * n[1] - -1 * n[2], 5e-9);
        CHECK_NEAR(slope[1], -3 * n[0] + 2 * n[2], 5e-9);
        CHECK_NEAR(slope[2], -1 * n[0] - 2 * n[1], 5e-9);
    }
}

TEST(extreme_and_invalid_curvature) {
    double wild[3] = {0, 0, 1e6}, nothing[3] = {0, 0, 0}, bad[3] = {0, NAN, 0}, endless[3] = {0, INFINITY, 0};
    sp_curve_frame end = origin;
    // a million radians in 400,000 segments of some eps each
    CHECK(sp__curve_cross(&end, 0, wild, 1, SP_CURVE_REACH_FINE, 1e-17) > 390000);
    CHECK_NEAR(end.R[0], cos(1e6), 1e-9);
    CHECK(skewness(end.R) < 1e-9);
    end = origin;
    CHECK(sp__curve_cross(&end, 0, nothing, 3, SP_CURVE_REACH, 1e-17) == 1 && end.r[0] == 3);
    CHECK(sp__curve_cross(&end, 0, nothing, 0, SP_CURVE_REACH, 1e-17) == 0);
    end = origin;
    CHECK(sp__curve_cross(&end, 0, bad, 1, SP_CURVE_REACH, 1e-17) == -1);
    end = origin;
    CHECK(sp__curve_cross(&end, 0, endless, 1, SP_CURVE_REACH, 1e-17) == -1);
}
