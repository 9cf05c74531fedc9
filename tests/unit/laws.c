// Every law of kernels/laws.h and kernels/spectral.h at one point: derivatives by differences, objectivity, symmetry, Hooke's law
// at small strains.
#include "law_help.h"

static double determinant(const double *H) {
    return iso_jacobian(H);
}

// a displacement gradient with entries up to `size`; upright: det F > 0.2
static void random_gradient(unsigned long long *seed, double size, bool upright, double *H) {
    do
        for (int k = 0; k < 9; k++) H[k] = size * sp_test_random(seed);
    while (upright ? determinant(H) < 0.2 : determinant(H) > -0.02);
}

// fourth-order differences with a step h: truncation h^4 f(5) / 30
static void along(const double *H, const double *D, double s, double *out) {
    for (int k = 0; k < 9; k++) out[k] = H[k] + s * D[k];
}
static double energy_slope(const law_case *c, const double *H, const double *D, double h) {
    double X[9], e[4], at[4] = {-2, -1, 1, 2};
    for (int i = 0; i < 4; i++) along(H, D, h * at[i], X), e[i] = law_energy(c, X);
    return (e[0] - 8 * e[1] + 8 * e[2] - e[3]) / (12 * h);
}
static void stress_slope(const law_case *c, const double *H, const double *D, double h, double *out) {
    static const double at[4] = {-2, -1, 1, 2}, weight[4] = {1, -8, 8, -1};
    for (int k = 0; k < 9; k++) out[k] = 0;
    for (int i = 0; i < 4; i++) {
        double X[9], P[9];
        along(H, D, h * at[i], X);
        law_stress(c, X, P);
        for (int k = 0; k < 9; k++) out[k] += weight[i] * P[k] / (12 * h);
    }
}

static double inner(const double *A, const double *B) {
    double s = 0;
    for (int k = 0; k < 9; k++) s += A[k] * B[k];
    return s;
}

// errors relative to the sizes of the energy's and the stress' own derivatives
static void check_derivatives(const law_case *c, const double *H, unsigned long long *seed) {
    double D[9], P[9], dP[9], slope[9];
    const double h = 2e-4;
    for (int k = 0; k < 9; k++) D[k] = sp_test_random(seed);
    law_stress(c, H, P);
    law_change(c, 0, H, D, dP);
    stress_slope(c, H, D, h, slope);
    double scale = 1000 + law_size(P, 9) + law_size(dP, 9);
    double e = fabs(energy_slope(c, H, D, h) - inner(P, D)) / scale, t = 0;
    for (int k = 0; k < 9; k++) t = fmax(t, fabs(dP[k] - slope[k]) / scale);
    if (e > 1e-9 || t > 1e-8) printf("  %s: energy %g, stress %g, J %g\n", c->name, e, t, determinant(H));
    CHECK(e < 1e-9 && t < 1e-8);
}

TEST(stress_and_tangent_are_derivatives_of_the_energy) {
    unsigned long long seed = 1;
    for (int n = 0; n < LAW_CASES; n++)
        for (int t = 0; t < 200; t++) {
            double H[9];
            random_gradient(&seed, t % 2 ? 0.1 : 0.5, true, H);
            check_derivatives(&law_cases[n], H, &seed);
        }
}
