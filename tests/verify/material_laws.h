// Laws of hyperelasticity as textbooks write them, independent of the library: energy density and first Piola-Kirchhoff stress in
// the axes of the stretches. Nothing here is arranged for small strains: it is accurate where stretches differ from 1.
#ifndef SP_VERIFY_MATERIAL_LAWS_H
#define SP_VERIFY_MATERIAL_LAWS_H

#include "verify.h"

typedef struct law_case {
    const char *name;
    sp_material_model model;
    sp_neo_hookean_form form;
    sp_volumetric volumetric;
    int count;              // coefficients; 0: young and poisson below
    double coefficient[8];  // [Pa] and [-]
    double bulk;            // [Pa]
    double penalty;         // incompressibility [Pa]
} law_case;

enum { LAW_YOUNG = 10000 };
static const double law_poisson = 0.3;

// Coefficients of the size of LAW_YOUNG; Ogden's are those of Treloar's rubber (Ogden 1972), scaled.
static const law_case law_cases[] = {
    {.name = "corotational", .model = SP_COROTATIONAL},
    {.name = "stvk", .model = SP_STVK},
    {.name = "neo-hookean stable", .model = SP_NEO_HOOKEAN},
    {.name = "neo-hookean log", .model = SP_NEO_HOOKEAN, .form = SP_FORM_LOG},
    {"neo-hookean isochoric", SP_NEO_HOOKEAN, SP_FORM_ISOCHORIC, SP_VOLUMETRIC_LOG, 1, {4000}, 12000, 0},
    {"mooney-rivlin", SP_MOONEY_RIVLIN, SP_FORM_STABLE, SP_VOLUMETRIC_QUADRATIC, 2, {1500, 400}, 12000, 0},
    {"arruda-boyce", SP_ARRUDA_BOYCE, SP_FORM_STABLE, SP_VOLUMETRIC_MIXED, 2, {3500, 6}, 12000, 0},
    {"veronda-westmann", SP_VERONDA_WESTMANN, SP_FORM_STABLE, SP_VOLUMETRIC_LOG, 2, {2500, 1.4}, 12000, 0},
    {"ogden, one term", SP_OGDEN, SP_FORM_STABLE, SP_VOLUMETRIC_QUADRATIC, 2, {4000, 3}, 12000, 0},
    {"ogden, three terms", SP_OGDEN, SP_FORM_STABLE, SP_VOLUMETRIC_MIXED, 6, {4095, 1.3, 19.5, 5, 100, -2}, 12000, 0},
    {.name = "stvk, penalty", .model = SP_STVK, .penalty = 30000},
    {.name = "stable, penalty", .model = SP_NEO_HOOKEAN, .penalty = 30000},
    {.name = "log, penalty", .model = SP_NEO_HOOKEAN, .form = SP_FORM_LOG, .penalty = 30000},
    {.name = "corotational, penalty", .model = SP_COROTATIONAL, .penalty = 30000},
};
// those of the laws, and all of them, with a penalty on the change of volume at the end
enum { PENALTY_CASES = 4, ALL_CASES = sizeof law_cases / sizeof *law_cases, LAW_CASES = ALL_CASES - PENALTY_CASES };

static inline void use_law(sp_solid_def *def, const law_case *c) {
    def->model = c->model, def->form = c->form, def->volumetric = c->volumetric;
    def->tangent = SP_TANGENT_EXACT;
    def->material = (sp_material){.density = 1000, .young = LAW_YOUNG, .poisson = law_poisson};
    def->material.coefficient_count = c->count, def->material.bulk = c->bulk;
    def->material.incompressibility = c->penalty;
    memcpy(def->material.coefficients, c->coefficient, sizeof c->coefficient);
}

// ------------------------------------------------------------------------------------------------ volume

static inline double law_volume_energy(const law_case *c, double J) {
    double k = c->bulk;
    switch (c->volumetric) {
    case SP_VOLUMETRIC_LOG: return k / 2 * log(J) * log(J);
    case SP_VOLUMETRIC_QUADRATIC: return k / 2 * (J - 1) * (J - 1);
    default: return k / 2 * ((J * J - 1) / 2 - log(J));
    }
}

static inline double law_volume_slope(const law_case *c, double J) {
    double k = c->bulk;
    switch (c->volumetric) {
    case SP_VOLUMETRIC_LOG: return k * log(J) / J;
    case SP_VOLUMETRIC_QUADRATIC: return k * (J - 1);
    default: return k / 2 * (J - 1 / J);
    }
}

// ------------------------------------------------------------------------------------------------ isochoric laws

static const double arruda_boyce_terms[5] = {1. / 2, 1. / 20, 11. / 1050, 19. / 7000, 519. / 673750};

// energy and its derivatives by Ibar1 and Ibar2
static inline double law_isochoric(const law_case *c, double I1, double I2, double W[2]) {
    const double *p = c->coefficient;
    double psi = 0;
    W[0] = W[1] = 0;
    switch (c->model) {
    case SP_NEO_HOOKEAN: W[0] = p[0] / 2; return W[0] * (I1 - 3);
    case SP_MOONEY_RIVLIN: W[0] = p[0], W[1] = p[1]; return p[0] * (I1 - 3) + p[1] * (I2 - 3);
    case SP_VERONDA_WESTMANN:
        W[0] = p[0] * p[1] * exp(p[1] * (I1 - 3)), W[1] = -p[0] * p[1] / 2;
        return p[0] * (exp(p[1] * (I1 - 3)) - 1) + W[1] * (I2 - 3);
    default:
        for (int i = 1; i <= 5; i++) {
            double factor = p[0] * arruda_boyce_terms[i - 1] / pow(p[1], i - 1);
            psi += factor * (pow(I1, i) - pow(3, i)), W[0] += factor * i * pow(I1, i - 1);
        }
        return psi;
    }
}

static inline double law_ogden(const law_case *c, const double s[3], double J, double P[3]) {
    double psi = 0;
    for (int k = 0; k < c->count; k += 2) {
        double mu = c->coefficient[k], a = c->coefficient[k + 1], power[3], sum = 0;
        for (int i = 0; i < 3; i++) power[i] = pow(s[i] / cbrt(J), a), sum += power[i];
        psi += 2 * mu / (a * a) * (sum - 3);
        for (int i = 0; i < 3; i++) P[i] += 2 * mu / a * (power[i] - sum / 3) / s[i];
    }
    return psi;
}

// s_i dIbar1/ds_i = 2 J^-2/3 (s_i^2 - I1 / 3), s_i dIbar2/ds_i = 2 J^-4/3 (s_i^2 (I1 - s_i^2) - 2 I2 / 3)
static inline double law_by_invariants(const law_case *c, const double s[3], double J, double P[3]) {
    double a = s[0] * s[0], b = s[1] * s[1], d = s[2] * s[2], I1 = a + b + d, I2 = a * b + b * d + d * a, W[2];
    double psi = law_isochoric(c, I1 / pow(J, 2. / 3), I2 / pow(J, 4. / 3), W);
    for (int i = 0; i < 3; i++) {
        double q = s[i] * s[i];
        P[i] += 2 * W[0] * pow(J, -2. / 3) * (q - I1 / 3) / s[i];
        P[i] += 2 * W[1] * pow(J, -4. / 3) * (q * (I1 - q) - 2 * I2 / 3) / s[i];
    }
    return psi;
}

// ------------------------------------------------------------------------------------------------ all laws

// penalty k/2 (J - 1)^2, of the corotational law k/2 (sum of the stretches - 3)^2
static inline double law_penalty_energy(const law_case *c, const double s[3], double J, double P[3]) {
    bool rotates = c->model == SP_COROTATIONAL;
    double z = rotates ? s[0] + s[1] + s[2] - 3 : J - 1;
    for (int i = 0; i < 3; i++) P[i] += c->penalty * z * (rotates ? 1 : J / s[i]);
    return c->penalty / 2 * z * z;
}

// Laws of young and poisson. Smith, de Goes and Kim 2018, eq. 14, with mu' = 4/3 mu and lambda' = lambda + 5/6 mu, less its value
// at rest.
static inline double law_elementary(const law_case *c, const double s[3], double J, double P[3]) {
    double mu = LAW_YOUNG / (2 * (1 + law_poisson)), lambda = 2 * mu * law_poisson / (1 - 2 * law_poisson);
    double squares = s[0] * s[0] + s[1] * s[1] + s[2] * s[2], sum = s[0] + s[1] + s[2] - 3, green = (squares - 3) / 2, psi = 0;
    double m = 4. / 3 * mu, l = lambda + 5. / 6 * mu, alpha = 1 + 3 * m / (4 * l);
    for (int i = 0; i < 3; i++) {
        double e = (s[i] * s[i] - 1) / 2, t = s[i] - 1;
        if (c->model == SP_COROTATIONAL) psi += mu * t * t, P[i] = 2 * mu * t + lambda * sum;
        if (c->model == SP_STVK) psi += mu * e * e, P[i] = s[i] * (2 * mu * e + lambda * green);
        if (c->model == SP_NEO_HOOKEAN && c->form == SP_FORM_LOG) P[i] = mu * (s[i] - 1 / s[i]) + lambda * log(J) / s[i];
        if (c->model == SP_NEO_HOOKEAN && c->form == SP_FORM_STABLE)
            P[i] = m * s[i] * (1 - 1 / (squares + 1)) + l * (J - alpha) * J / s[i];
    }
    if (c->model == SP_COROTATIONAL) return psi + lambda / 2 * sum * sum;
    if (c->model == SP_STVK) return psi + lambda / 2 * green * green;
    if (c->form == SP_FORM_LOG) return mu / 2 * (squares - 3) - mu * log(J) + lambda / 2 * log(J) * log(J);
    return m / 2 * (squares - 3) - m / 2 * log((squares + 1) / 4) +
           l / 2 * ((J - alpha) * (J - alpha) - (1 - alpha) * (1 - alpha));
}

// Energy density; P: its derivatives by the stretches s.
static inline double law_stress(const law_case *c, const double s[3], double P[3]) {
    double J = s[0] * s[1] * s[2];
    P[0] = P[1] = P[2] = 0;
    if (!c->count) {
        double psi = law_elementary(c, s, J, P);
        return psi + law_penalty_energy(c, s, J, P);
    }
    double psi = c->model == SP_OGDEN ? law_ogden(c, s, J, P) : law_by_invariants(c, s, J, P);
    for (int i = 0; i < 3; i++) P[i] += law_volume_slope(c, J) * J / s[i];
    return psi + law_volume_energy(c, J);
}

// The stretch across free axes, so that the stress along them is zero: Newton's method with a difference quotient. `free`: 1 for
// each of them; all take the same value.
static inline void law_relax(const law_case *c, const int free_axis[3], double s[3]) {
    double P[3], more[3], change = 1;
    for (int it = 0; it < 100 && fabs(change) > 1e-15; it++) {
        double from = 0, slope = 0, d = 1e-6, moved[3];
        for (int i = 0; i < 3; i++) moved[i] = s[i] + d * free_axis[i];
        law_stress(c, s, P), law_stress(c, moved, more);
        for (int i = 0; i < 3; i++)
            if (free_axis[i]) from = P[i], slope = (more[i] - P[i]) / d;
        change = -from / slope;
        for (int i = 0; i < 3; i++) s[i] += change * free_axis[i];
    }
}

#endif
