// Homogeneous deformations against closed forms that are derived independently of src/kernels, from textbook expressions:
// Rivlin's differences of principal Kirchhoff stresses tau_i - tau_j = 2 (s_i^2 - s_j^2) (W1 J^(-2/3) + W2 J^(-4/3) s_k^2) for
// laws of Ibar1 and Ibar2, Ogden's sum of powers, J U' for the mean, and the principal stresses of the other laws. Uniaxial and
// equibiaxial tension with free lateral sides, simple shear, and change of volume, at stretches from 0.5 to 3.
#include "law_help.h"

// derivatives of the isochoric energy by Ibar1 and Ibar2
static void invariants_slopes(const law_case *c, double I1, double *W1, double *W2) {
    const double *p = c->p;
    *W1 = *W2 = 0;
    if (c->law == SP_LAW_NEO_HOOKEAN_ISOCHORIC) *W1 = p[0] / 2;
    if (c->law == SP_LAW_MOONEY_RIVLIN) *W1 = p[0], *W2 = p[1];
    if (c->law == SP_LAW_ARRUDA_BOYCE) {
        double x = p[1] * I1;
        *W1 = p[0] * (0.5 + x / 10 + 11 * x * x / 350 + 19 * pow(x, 3) / 1750 + 519 * pow(x, 4) / 134750);
    }
    if (c->law == SP_LAW_VERONDA_WESTMANN) *W1 = p[0] * p[1] * exp(p[1] * (I1 - 3)), *W2 = -p[0] * p[1] / 2;
}

static double volume_slope(const law_case *c, double J) {
    double k = c->p[SP_LAW_BULK];
    if (c->p[SP_LAW_VOLUME] == SP_LAW_VOLUME_LOG) return k * log(J) / J;
    return c->p[SP_LAW_VOLUME] == SP_LAW_VOLUME_QUADRATIC ? k * (J - 1) : k / 2 * (J - 1 / J);
}

// tau_i - tau_j of an isochoric law, k the third axis
static double deviator(const law_case *c, const double *s, int i, int j) {
    double J = s[0] * s[1] * s[2], m = cbrt(J), W1, W2, sum = 0;
    if (c->law == SP_LAW_OGDEN) {
        for (int t = 0; t < 8; t += 2)
            if (c->p[t + 1] != 0) sum += 2 * c->p[t] / c->p[t + 1] * (pow(s[i] / m, c->p[t + 1]) - pow(s[j] / m, c->p[t + 1]));
        return sum;
    }
    double sk = s[3 - i - j];
    invariants_slopes(c, (s[0] * s[0] + s[1] * s[1] + s[2] * s[2]) / (m * m), &W1, &W2);
    return 2 * (s[i] * s[i] - s[j] * s[j]) * (W1 / (m * m) + W2 * sk * sk / (m * m * m * m));
}

// principal Kirchhoff stress; of the linear law: its only stress
static double kirchhoff(const law_case *c, const double *s, int i) {
    double mu = c->p[0], lambda = c->p[1], J = s[0] * s[1] * s[2], penalty = c->p[SP_LAW_BULK] * (J - 1) * J,
           sum = s[0] + s[1] + s[2] - 3;
    double squares = s[0] * s[0] + s[1] * s[1] + s[2] * s[2], si = s[i] * s[i];
    switch (c->law) {
    case SP_LAW_LINEAR: return 2 * mu * (s[i] - 1) + lambda * sum;
    case SP_LAW_COROTATIONAL: return s[i] * (2 * mu * (s[i] - 1) + lambda * sum);
    case SP_LAW_STVK: return si * (mu * (si - 1) + lambda / 2 * (squares - 3)) + penalty;
    case SP_LAW_NEO_HOOKEAN_LOG: return mu * (si - 1) + lambda * log(J) + penalty;
    case SP_LAW_NEO_HOOKEAN_STABLE: {
        double m = 4. / 3 * mu, l = lambda + 5. / 6 * mu;
        return m * (1 - 1 / (squares + 1)) * si + l * (J - 1 - 0.75 * m / l) * J;
    }
    default: {
        // mean J U', deviator from the differences: tau_i - mean = ((tau_i - tau_j) + (tau_i - tau_k)) / 3
        int j = (i + 1) % 3, k = (i + 2) % 3;
        return J * volume_slope(c, J) + (deviator(c, s, i, j) + deviator(c, s, i, k)) / 3;
    }
    }
}

// first Piola-Kirchhoff stress in axis i
static double nominal(const law_case *c, const double *s, int i) {
    return c->law == SP_LAW_LINEAR ? kirchhoff(c, s, i) : kirchhoff(c, s, i) / s[i];
}

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
