// Homogeneous deformations against the closed forms of law_textbook.h. Uniaxial and equibiaxial tension with free lateral sides,
// simple shear, and change of volume, at stretches from 0.5 to 3.
#include "law_textbook.h"

static void check_stretches(const law_case *c, const double *s) {
    double H[9] = {s[0] - 1, 0, 0, 0, s[1] - 1, 0, 0, 0, s[2] - 1}, P[9], scale = 1000;
    law_stress(c, H, P);
    for (int i = 0; i < 3; i++) scale = fmax(scale, fabs(nominal(c, s, i)));
    for (int k = 0; k < 9; k++) CHECK_NEAR(P[k], k % 4 ? 0 : nominal(c, s, k / 4), 1e-12 * scale);  // some dozens of roundings
}

// the stretch of the sides that are free of stress; the stress grows with it near the solution
static bool free_sides(const law_case *c, double *s, int first) {
    double low = 0.2, high = 2.5;
    for (int n = 0; n < 200; n++) {
        double middle = 0.5 * (low + high);
        for (int k = first; k < 3; k++) s[k] = middle;
        if (nominal(c, s, 2) > 0)
            high = middle;
        else
            low = middle;
    }
    return low > 0.2001 && high < 2.4999;
}

static const double stretches[] = {0.5, 0.7, 0.9, 0.999, 1.001, 1.2, 1.6, 2.2, 3};

TEST(uniaxial_and_equibiaxial_tension) {
    int checked = 0;
    for (int n = 0; n < LAW_CASES; n++)
        for (int k = 0; k < 9; k++)
            for (int first = 1; first < 3; first++) {
                double s[3] = {stretches[k], stretches[k], stretches[k]};
                if (!free_sides(&law_cases[n], s, first)) continue;  // no free sides at this stretch: linear laws thin to nothing
                check_stretches(&law_cases[n], s);
                checked++;
            }
    CHECK(checked > 0.8 * LAW_CASES * 9 * 2);
}

TEST(change_of_volume) {
    for (int n = 0; n < LAW_CASES; n++)
        for (int k = 0; k < 9; k++) check_stretches(&law_cases[n], (double[]){stretches[k], stretches[k], stretches[k]});
}

TEST(any_stretches) {
    unsigned long long seed = 1;
    for (int n = 0; n < LAW_CASES; n++)
        for (int t = 0; t < 100; t++) {
            double s[3];
            for (int k = 0; k < 3; k++) s[k] = 1.3 + 0.8 * sp_test_random(&seed);
            check_stretches(&law_cases[n], s);
        }
}

// Simple shear F = I + g e1 e2^T, J = 1: the Cauchy shear stress is 2 (W1 + W2) g with I1 = I2 = 3 + g^2, mu g for the laws of
// Hooke's mu, and (tau_1 - tau_2) / (s + 1 / s) with s - 1 / s = g in general
TEST(simple_shear) {
    static const double shear[] = {1e-3, 0.1, 0.5, 1, 2};
    for (int n = 0; n < LAW_CASES; n++)
        for (int k = 0; k < 5; k++) {
            const law_case *c = &law_cases[n];
            double g = shear[k], H[9] = {0, g}, P[9], W1, W2, s[3] = {g / 2 + sqrt(1 + g * g / 4), 0, 1}, expected;
            s[1] = 1 / s[0];
            law_stress(c, H, P);
            invariants_slopes(c, 3 + g * g, &W1, &W2);
            // sigma_12 = (P F^T)_12 / J: the second row of F has one entry, which is 1
            double sigma = P[1];
            if (c->law == SP_LAW_LINEAR || c->law == SP_LAW_NEO_HOOKEAN_LOG)
                expected = c->p[0] * g;
            else if (W1 != 0)
                expected = 2 * (W1 + W2) * g;
            else
                expected = (kirchhoff(c, s, 0) - kirchhoff(c, s, 1)) / (s[0] + s[1]);
            CHECK_NEAR(sigma, expected, 1e-12 * (1000 * g + fabs(expected)));
            if (c->law == SP_LAW_STVK)
                CHECK_NEAR(sigma, c->p[0] * g + g * g * g * (c->p[0] + c->p[1] / 2), 1e-12 * fabs(sigma) + 1e-9);
        }
}
