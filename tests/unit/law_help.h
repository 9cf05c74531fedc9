// Every law with usual numbers, at one point.
#ifndef SP_LAW_HELP_H
#define SP_LAW_HELP_H

#define SP_LANES 1
#include <stdbool.h>

#include "kernels/iso.h"
#include "test.h"

// numbers of soft tissue: a shear modulus of about 1 kPa
typedef struct law_case {
    const char *name;
    sp_law law;
    double p[SP_LAW_PARAMS];
} law_case;
static const law_case law_cases[] = {
    {"linear", SP_LAW_LINEAR, {1000, 1500}},
    {"corotational", SP_LAW_COROTATIONAL, {1000, 1500, 1}},
    {"stvk", SP_LAW_STVK, {1000, 1500}},
    {"stable", SP_LAW_NEO_HOOKEAN_STABLE, {1000, 1500}},
    {"log", SP_LAW_NEO_HOOKEAN_LOG, {1000, 1500}},
    {"stvk, penalty", SP_LAW_STVK, {1000, 1500, [8] = 4000, 1}},
    {"log, penalty", SP_LAW_NEO_HOOKEAN_LOG, {1000, 1500, [8] = 4000}},
    {"isochoric, log", SP_LAW_NEO_HOOKEAN_ISOCHORIC, {1000, [8] = 3000, SP_LAW_VOLUME_LOG}},
    {"isochoric, quadratic", SP_LAW_NEO_HOOKEAN_ISOCHORIC, {1000, [8] = 3000, SP_LAW_VOLUME_QUADRATIC}},
    {"isochoric, mixed", SP_LAW_NEO_HOOKEAN_ISOCHORIC, {1000, [8] = 3000, SP_LAW_VOLUME_MIXED}},
    {"mooney-rivlin", SP_LAW_MOONEY_RIVLIN, {400, 100, [8] = 3000, SP_LAW_VOLUME_MIXED}},
    {"arruda-boyce", SP_LAW_ARRUDA_BOYCE, {900, 1. / 8, [8] = 3000, SP_LAW_VOLUME_MIXED}},
    {"veronda-westmann", SP_LAW_VERONDA_WESTMANN, {500, 1.7, [8] = 3000, SP_LAW_VOLUME_LOG}},
    {"ogden, one term", SP_LAW_OGDEN, {1000, 3.3, [8] = 3000, SP_LAW_VOLUME_QUADRATIC}},
    {"ogden, four terms", SP_LAW_OGDEN, {600, 1.3, 300, 5, 50, -2, 40, -0.7, 3000, SP_LAW_VOLUME_MIXED}},
};
enum { LAW_CASES = sizeof law_cases / sizeof *law_cases };

// energy density, first Piola-Kirchhoff stress and its change for a change D of H
static inline double law_energy(const law_case *c, const double *H) {
    return iso_energy(c->law, c->p, H);
}
static inline void law_stress(const law_case *c, const double *H, double *P) {
    iso_response r;
    double US[9];
    iso_respond(c->law, 0, c->p, H, &r);
    iso_stress(&r, 1, US);
    for (int k = 0; k < 9; k++) P[k] = lane_dot(US + k - k % 3, r.V + k % 3 * 3);
}
static inline void law_change(const law_case *c, int definite, const double *H, const double *D, double *dP) {
    iso_response r;
    double T[21], Q[9], X[9];
    iso_respond(c->law, definite, c->p, H, &r);
    iso_tangent(&r, 1, T);
    for (int i = 0; i < 9; i++) X[i] = lane_dot(D + i - i % 3, (double[]){r.V[i % 3], r.V[3 + i % 3], r.V[6 + i % 3]});
    for (int i = 0; i < 9; i++) Q[i] = r.U[i / 3] * X[i % 3] + r.U[3 + i / 3] * X[3 + i % 3] + r.U[6 + i / 3] * X[6 + i % 3];
    iso_change(T, Q);
    for (int i = 0; i < 9; i++) X[i] = lane_dot(Q + i - i % 3, r.V + i % 3 * 3);
    for (int i = 0; i < 9; i++) dP[i] = lane_dot(r.U + i - i % 3, (double[]){X[i % 3], X[3 + i % 3], X[6 + i % 3]});
}

static inline double law_size(const double *a, int n) {
    double most = 0;
    for (int k = 0; k < n; k++) most = fmax(most, fabs(a[k]));
    return most;
}

#endif
