// The kernels in float against the same source in double; the including file says how many lanes.
//
// An error in float is one that a displacement gradient with an error of eps |H| explains, eps = 2^-24 a rounding: K eps |H| in a
// stress with the tangent K, and as much relative to a tangent. Each kernel has some tens of roundings, so the factors below are
// tens. All inputs are numbers of float, so both precisions compute the same state.
#ifndef KERNEL_COMPARE_H
#define KERNEL_COMPARE_H

#include <stdbool.h>

#pragma GCC diagnostic error "-Wdouble-promotion"
#define KERNEL_SCOPE static
#define KERNEL_LAW law_float
#define KERNEL_BAR bar_float
#define KERNEL_ROTATION rotation_float
#define KERNEL_TET tet_float
#define KERNEL_TENSOR tensor_float
#define KERNEL_WARP warp_float
#include "kernel_point.h"
#pragma GCC diagnostic ignored "-Wdouble-promotion"
#include "test.h"

static const double rounding = 1. / (1 << 24);
enum { POINTS = 240 };

static double as_float(double x) {
    return (double)(float)x;
}
static double size_of(const double *a, int n) {
    double sum = 0;
    for (int k = 0; k < n; k++) sum += a[k] * a[k];
    return sqrt(sum);
}
static double distance(const double *a, const double *b, int n) {
    double sum = 0;
    for (int k = 0; k < n; k++) sum += (a[k] - b[k]) * (a[k] - b[k]);
    return sqrt(sum);
}
static double det_of(const double *H) {
    double F[9];
    for (int k = 0; k < 9; k++) F[k] = H[k] + (k % 4 == 0);
    return F[0] * (F[4] * F[8] - F[5] * F[7]) - F[1] * (F[3] * F[8] - F[5] * F[6]) + F[2] * (F[3] * F[7] - F[4] * F[6]);
}

// gradients with entries up to `size` in numbers of float; inverted: det F < -0.1, else > 0.2
static void random_points(unsigned long long *seed, double size, bool inverted, double (*H)[9]) {
    for (int n = 0; n < POINTS; n++) {
        do
            for (int k = 0; k < 9; k++) H[n][k] = as_float(size * sp_test_random(seed));
        while (inverted ? det_of(H[n]) > -0.1 : det_of(H[n]) < 0.2);
    }
}

// the largest change of stress in double for a unit change of an entry of H
static double stiffness(sp_law law, const double *p, const double *H) {
    double most = 0;
    for (int k = 0; k < 9; k++) {
        kernel_law at;
        double D[9] = {0}, one[1][9];
        D[k] = 1;
        memcpy(one, H, sizeof one);
        kernel_law_double(law, p, 1, one, D, &at);
        most = fmax(most, size_of(at.change, 9));
    }
    return most;
}

typedef struct worst {
    double energy, stress, change, definite;
} worst;

static void largest(double *most, double value) {
    if (!(value <= *most)) *most = value;  // NaN stays
}

// errors in units of the scales above; that of a tangent has the change of the tangent with H too, which is large for laws that
// grow exponentially
static double tangent_slope(sp_law law, const double *p, const double *H, const double *D, const kernel_law *at) {
    double more[1][9];
    kernel_law next;
    for (int k = 0; k < 9; k++) more[0][k] = 1.001 * H[k];
    kernel_law_double(law, p, 1, more, D, &next);
    return distance(next.change, at->change, 9) / 0.001;
}

static void compare_points(sp_law law, const double *p, int n, double (*H)[9], worst *most) {
    static kernel_law a[POINTS], b[POINTS];
    double D[9] = {0.5, -1, 0.25, 0.75, 1, -0.5, 0.125, 1, -0.75}, q[SP_LAW_PARAMS];
    for (int k = 0; k < SP_LAW_PARAMS; k++) q[k] = as_float(p[k]);
    kernel_law_double(law, q, n, H, D, a);
    law_float(law, q, n, H, D, b);
    for (int i = 0; i < n; i++) {
        double K = stiffness(law, q, H[i]), h = size_of(H[i], 9), unit = rounding * K;
        double tangent = unit * (1 + h) + rounding * tangent_slope(law, q, H[i], D, &a[i]);
        largest(&most->energy, fabs(a[i].energy - b[i].energy) / (unit * h * h));
        largest(&most->stress, distance(a[i].stress, b[i].stress, 9) / (unit * h));
        largest(&most->change, distance(a[i].change, b[i].change, 9) / tangent);
        largest(&most->definite, distance(a[i].definite, b[i].definite, 9) / tangent);
    }
}

static void compare_laws(double size, bool inverted, double factor) {
    static double H[POINTS][9];
    unsigned long long seed = 11;
    random_points(&seed, size, inverted, H);
    for (int n = 0; n < kernel_cases(); n++) {
        worst most = {0};
        const char *name;
        const double *p;
        sp_law law = kernel_case(n, &name, &p);
        if (inverted && law > SP_LAW_NEO_HOOKEAN_STABLE) continue;
        compare_points(law, p, POINTS, H, &most);
        bool good = most.energy <= factor && most.stress <= factor && most.change <= factor && most.definite <= factor;
        if (!good)
            printf("  %s at %g: energy %.3g, stress %.3g, change %.3g, definite %.3g roundings\n", name, size, most.energy,
                   most.stress, most.change, most.definite);
        CHECK(good);
    }
}

TEST(laws_at_small_strains) {
    compare_laws(1e-6, false, 40);
    compare_laws(1e-9, false, 40);
}

TEST(laws_at_moderate_strains) {
    compare_laws(0.05, false, 40);
    compare_laws(0.3, false, 40);
}

TEST(laws_at_large_strains) {
    compare_laws(1, false, 40);
}

TEST(laws_of_inverted_elements) {
    compare_laws(1, true, 40);
}

// rotations Q of the world and the material, by which stretches are turned
static void random_turn(unsigned long long *seed, double *Q) {
    double F[1][9];
    kernel_rotation R;
    for (int k = 0; k < 9; k++) F[0][k] = sp_test_random(seed);
    kernel_rotation_double(1, F, &R);
    memcpy(Q, R.R[0], sizeof R.R[0]);
}

// H = U diag(1 + t) V^T - I in numbers of float
static void stretched(unsigned long long *seed, const double *t, double *H) {
    double U[9], V[9];
    random_turn(seed, U), random_turn(seed, V);
    for (int i = 0; i < 9; i++) {
        double sum = i % 4 ? 0 : -1;
        for (int k = 0; k < 3; k++) sum += U[i / 3 * 3 + k] * (1 + t[k]) * V[i % 3 * 3 + k];
        H[i] = as_float(sum);
    }
}

// Equal and nearly equal stretches: quotients of differences of stresses and stretches are not computed from differences
TEST(laws_at_equal_stretches) {
    static const double t[][3] = {{0, 0, 0},        {0.3, 0.3, 0.3},         {-0.2, -0.2, -0.2},
                                  {0.5, 0.5, -0.1}, {0.5, 0.5 + 1e-6, -0.1}, {0.1, -0.3, -0.3},
                                  {1e-4, 1e-4, 0},  {0.2, 0.2, 0.2001},      {0.7, 0.7001, 0.7001}};
    enum { STATES = sizeof t / sizeof *t };
    static double H[6 * STATES][9];
    unsigned long long seed = 5;
    for (int n = 0; n < 6 * STATES; n++) stretched(&seed, t[n % STATES], H[n]);
    for (int n = 0; n < kernel_cases(); n++) {
        worst most = {0};
        const char *name;
        const double *p;
        sp_law law = kernel_case(n, &name, &p);
        compare_points(law, p, 6 * STATES, H, &most);
        if (most.change > 40) printf("  %s: change %g\n", name, most.change);
        CHECK(most.energy <= 40 && most.stress <= 40 && most.change <= 40 && most.definite <= 40);
    }
}

// A strain of 1e-9 keeps six digits, as laws start from grad u: the stress is that of Hooke's law, of double, to 1e-6. In double
// the remaining error is that of the next order, 1e-9 (laws.c)
TEST(forces_at_a_strain_of_1e_9_keep_six_digits) {
    double H[1][9] = {{1e-9, 2e-10, -3e-10, 2e-10, -4e-10, 5e-10, -3e-10, 5e-10, 7e-10}};
    for (int k = 0; k < 9; k++) H[0][k] = as_float(H[0][k]);
    for (int n = 0; n < kernel_cases(); n++) {
        const char *name;
        const double *p;
        double q[SP_LAW_PARAMS];
        kernel_law a, b;
        sp_law law = kernel_case(n, &name, &p);
        for (int k = 0; k < SP_LAW_PARAMS; k++) q[k] = as_float(p[k]);
        kernel_law_double(law, q, 1, H, H[0], &a);
        law_float(law, q, 1, H, H[0], &b);
        CHECK_NEAR(distance(a.stress, b.stress, 9) / size_of(a.stress, 9), 0, 1e-6);
        CHECK_NEAR(b.energy / a.energy, 1, 1e-6);
    }
}

// The measure of a change of volume is a difference of stretches: K eps |H|, as for stresses
TEST(the_mean_dilatation) {
    static double H[POINTS][9];
    static kernel_bar a[POINTS], b[POINTS];
    unsigned long long seed = 17;
    random_points(&seed, 0.3, false, H);
    for (int n = 0; n < kernel_cases(); n++) {
        const char *name;
        const double *p;
        double q[SP_LAW_PARAMS], most = 0;
        sp_law law = kernel_case(n, &name, &p);
        for (int k = 0; k < SP_LAW_PARAMS; k++) q[k] = as_float(p[k]);
        kernel_bar_double(law, q, 300, POINTS, H, a);
        bar_float(law, q, 300, POINTS, H, b);
        for (int i = 0; i < POINTS; i++) {
            double unit = rounding * (1 + size_of(H[i], 9)), K = 300 + stiffness(law, q, H[i]);
            largest(&most, fabs(a[i].measure - b[i].measure) / unit);
            largest(&most, distance(a[i].gradient, b[i].gradient, 9) / unit);
            largest(&most, distance(a[i].stress, b[i].stress, 9) / (unit * K));
            // g'' is about K at these strains, so errors of z reach g and g' times K
            largest(&most, distance(a[i].bulk, b[i].bulk, 3) / (unit * (K + size_of(a[i].bulk, 3))));
        }
        if (!(most <= 40)) printf("  %s: %g roundings\n", name, most);
        CHECK(most <= 40);
    }
}

// ------------------------------------------------------------------------------------------------ rotations

static double skewness(const double *R) {
    double most = 0;
    for (int i = 0; i < 9; i++) {
        double s = R[i / 3] * R[i % 3] + R[3 + i / 3] * R[3 + i % 3] + R[6 + i / 3] * R[6 + i % 3];
        most = fmax(most, fabs(s - (i % 4 == 0)));
    }
    return most;
}

// Orthogonal to a few roundings for every F whose fourth powers are numbers of float: flat, collapsed, tiny and large ones too
TEST(rotations_are_orthogonal) {
    static double F[POINTS][9];
    static kernel_rotation R[POINTS];
    unsigned long long seed = 3;
    for (int n = 0; n < POINTS; n++)
        for (int k = 0; k < 9; k++) {
            double x = sp_test_random(&seed);
            if (n % 6 == 1 && k > 5) x = 0;
            if (n % 6 == 2 && k > 2) x = 2 * F[n][k % 3];
            if (n % 6 == 3) x = 0;
            if (n % 6 == 4) x *= 1e-8;
            if (n % 6 == 5) x *= 1e8;
            F[n][k] = as_float(x);
        }
    rotation_float(POINTS, F, R);
    for (int n = 0; n < POINTS; n++)
        for (int k = 0; k < 5; k++) CHECK_NEAR(skewness(R[n].R[k]), 0, 16 * rounding);
}

// An error of F by roundings turns the nearest rotation by |dF| / (s2 + s3), the frame of an edge and a face by |dF| over the
// shorter of the two lengths that it is made of
TEST(rotations_agree) {
    static double F[POINTS][9];
    static kernel_rotation a[POINTS], b[POINTS];
    unsigned long long seed = 4;
    random_points(&seed, 0.6, false, F);
    for (int n = 0; n < POINTS; n++)
        for (int k = 0; k < 9; k += 4) F[n][k] = as_float(1 + F[n][k]);
    kernel_rotation_double(POINTS, F, a);
    rotation_float(POINTS, F, b);
    for (int n = 0; n < POINTS; n++) {
        double det =
            1 /
            fabs(det_of((double[]){F[n][0] - 1, F[n][1], F[n][2], F[n][3], F[n][4] - 1, F[n][5], F[n][6], F[n][7], F[n][8] - 1}));
        double size = size_of(F[n], 9), least = 1 / (size * size * det);  // below the smallest stretch
        for (int k = 0; k < 5; k++) CHECK_NEAR(distance(a[n].R[k], b[n].R[k], 9), 0, 16 * rounding * size / least);
    }
}

// ------------------------------------------------------------------------------------------------ the tetrahedron

// kernels/tet.h works on positions: a strain has the rounding of a position over an edge, eps, however small it is, so errors of
// forces and energies are those of a strain of eps
TEST(the_corotational_tetrahedron) {
    static double d[POINTS][9], x[9];
    static kernel_tet a[POINTS], b[POINTS];
    unsigned long long seed = 6;
    for (int deformed = 0; deformed < 2; deformed++) {
        random_points(&seed, 0.3, false, d);
        for (int k = 0; k < 9; k++) x[k] = as_float(sp_test_random(&seed));
        for (int n = 0; n < POINTS; n++)
            for (int k = 0; k < 9; k++) d[n][k] = as_float(d[n][k] * (n % 2 ? 1 : 1e-4) + (k % 4 == 0));
        kernel_tet_double(POINTS, d, x, 1.5, deformed, a);
        tet_float(POINTS, d, x, 1.5, deformed, b);
        for (int n = 0; n < POINTS; n++) {
            // gradients of the deformed shape are those of F^-1: at most 1 / 0.2 times larger here, and their squares in products
            double grown = deformed ? 30 : 1, strain = sqrt(a[n].energy);
            CHECK_NEAR(distance(a[n].force, b[n].force, 9), 0, 100 * grown * rounding);
            CHECK_NEAR(distance(a[n].product, b[n].product, 9), 0, 60 * grown * rounding);
            CHECK_NEAR(distance(a[n].spin, b[n].spin, 9), 0, 60 * grown * rounding);
            CHECK_NEAR(a[n].energy, b[n].energy, 40 * grown * rounding * (strain + 40 * rounding));
            CHECK_NEAR(a[n].stretch_energy, b[n].stretch_energy, 40 * rounding);
        }
    }
}

// Tensor-mass elements: forces are those of displacements with an error of some tens of roundings, as for the laws. The scale of
// the tangent is that of the moduli, 4 kPa, times the squares of gradients below 2 and of F.
TEST(the_tensor_mass_element) {
    static const struct { int nodes, hooke, penalty; } kinds[] = {{4, 0, 0}, {4, 1, 0}, {4, 0, 1}, {3, 0, 0}, {3, 1, 0}};
    static double d[POINTS][9], slope[9] = {1, 0.25, -0.5, 0.125, 1, 0.25, -0.25, 0.5, 1.25};
    static kernel_tensor a[POINTS], b[POINTS];
    const double p[SP_LAW_PARAMS] = {1000, 1500, [8] = 2000, 1}, size[3] = {1e-9, 1e-3, 0.5};
    unsigned long long seed = 12;
    for (int k = 0; k < 15; k++) {
        const int kind = k % 5;
        double x[9];
        for (int i = 0; i < 9; i++) x[i] = as_float(sp_test_random(&seed));
        for (int n = 0; n < POINTS; n++)
            for (int i = 0; i < 9; i++) d[n][i] = as_float(size[k / 5] * sp_test_random(&seed));
        kernel_tensor_double(kinds[kind].nodes, kinds[kind].hooke, kinds[kind].penalty, p, slope, POINTS, d, x, a);
        tensor_float(kinds[kind].nodes, kinds[kind].hooke, kinds[kind].penalty, p, slope, POINTS, d, x, b);
        for (int n = 0; n < POINTS; n++) {
            const double h = size_of(d[n], 9), F = 1 + 2 * h, K = 16e3 * F * F * (kinds[kind].penalty ? F * F : 1);
            CHECK_NEAR(distance(a[n].force, b[n].force, 9), 0, 40 * rounding * K * h);
            CHECK_NEAR(distance(a[n].product, b[n].product, 9), 0, 40 * rounding * K * size_of(x, 9));
            CHECK_NEAR(a[n].energy, b[n].energy, 40 * rounding * K * h * h);
        }
    }
}

// a sum of 24 products with rotations, of numbers of the order one
TEST(the_error_of_a_stale_block) {
    double G[9], Q[4][9], R[9], node[4 * SP_WARP_NODE], a, b;
    unsigned long long seed = 8;
    for (int k = 0; k < 9; k++) G[k] = as_float(sp_test_random(&seed));
    for (int k = 0; k < 4 * SP_WARP_NODE; k++) node[k] = as_float(sp_test_random(&seed));
    for (int k = 0; k < 4; k++) {
        random_turn(&seed, Q[k]);
        for (int i = 0; i < 9; i++) Q[k][i] = as_float(Q[k][i]);
    }
    random_turn(&seed, R);
    for (int i = 0; i < 9; i++) R[i] = as_float(R[i]);
    kernel_warp_double(G, 1.5, Q, R, node, &a);
    warp_float(G, 1.5, Q, R, node, &b);
    CHECK(a > 1);
    CHECK_NEAR(b / a, 1, 24 * rounding);
}

#endif
