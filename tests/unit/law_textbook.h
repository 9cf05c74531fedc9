// Principal stresses of the laws from textbook expressions, derived independently of src/kernels: Rivlin's differences of
// principal Kirchhoff stresses tau_i - tau_j = 2 (s_i^2 - s_j^2) (W1 J^(-2/3) + W2 J^(-4/3) s_k^2) for laws of Ibar1 and Ibar2,
// Ogden's sum of powers, J U' for the mean, and the principal stresses of the other laws.
#ifndef SP_LAW_TEXTBOOK_H
#define SP_LAW_TEXTBOOK_H

#include "law_help.h"

// derivatives of the isochoric energy by Ibar1 and Ibar2
static inline void invariants_slopes(const law_case *c, double I1, double *W1, double *W2) {
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

static inline double volume_slope(const law_case *c, double J) {
    double k = c->p[SP_LAW_BULK];
    if (c->p[SP_LAW_VOLUME] == SP_LAW_VOLUME_LOG) return k * log(J) / J;
    return c->p[SP_LAW_VOLUME] == SP_LAW_VOLUME_QUADRATIC ? k * (J - 1) : k / 2 * (J - 1 / J);
}

// tau_i - tau_j of an isochoric law, k the third axis
static inline double deviator(const law_case *c, const double *s, int i, int j) {
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
static inline double kirchhoff(const law_case *c, const double *s, int i) {
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
static inline double nominal(const law_case *c, const double *s, int i) {
    return c->law == SP_LAW_LINEAR ? kirchhoff(c, s, i) : kirchhoff(c, s, i) / s[i];
}

#endif
