// See curve_schemes.h.
#include "curve_schemes.h"

#include <math.h>
#include <string.h>

const char *sp__scheme_name(sp_scheme scheme) {
    static const char *const names[SP_SCHEME_COUNT] = {"euler", "lie", "rk2", "rk4"};
    return names[scheme];
}

// q' = q (0, kappa) / 2, r' = t(q)
static inline void curve_schemes_slope(const double *q, const double *k, double *d) {
    double x = 0.5 * k[0], y = 0.5 * k[1], z = 0.5 * k[2];
    d[0] = -q[1] * x - q[2] * y - q[3] * z;
    d[1] = q[0] * x + q[2] * z - q[3] * y;
    d[2] = q[0] * y - q[1] * z + q[3] * x;
    d[3] = q[0] * z + q[1] * y - q[2] * x;
    d[4] = 1 - 2 * (q[2] * q[2] + q[3] * q[3]);
    d[5] = 2 * (q[1] * q[2] + q[0] * q[3]);
    d[6] = 2 * (q[1] * q[3] - q[0] * q[2]);
}

static inline void curvature(const double *lambda, double s, double *k) {
    for (int i = 0; i < 3; i++) k[i] = lambda[i] + s * lambda[3 + i];
}

static inline void curve_schemes_add(const double *y, double h, const double *d, double *out) {
    for (int i = 0; i < 7; i++) out[i] = y[i] + h * d[i];
}

static inline void make_unit(double *q) {
    double s = 1 / sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    for (int i = 0; i < 4; i++) q[i] *= s;
}

static inline void step_euler(const double *lambda, double s, double h, double *y) {
    double k[3], d[7];
    curvature(lambda, s, k);
    curve_schemes_slope(y, k, d);
    curve_schemes_add(y, h, d, y);
    make_unit(y);
}

// q exp(h/2 kappa), the point by the Euler method
static inline void step_lie(const double *lambda, double s, double h, double *y) {
    double k[3], d[7], q[4];
    curvature(lambda, s, k);
    curve_schemes_slope(y, k, d);
    double rate = sqrt(k[0] * k[0] + k[1] * k[1] + k[2] * k[2]), half = 0.5 * h * rate;
    double c = cos(half), f = rate > 0 ? 2 * sin(half) / rate : h;
    for (int i = 0; i < 4; i++) q[i] = c * y[i] + f * d[i];
    memcpy(y, q, sizeof q);
    for (int i = 4; i < 7; i++) y[i] += h * d[i];
}

static inline void step_rk2(const double *lambda, double s, double h, double *y) {
    double k[3], d[7], middle[7];
    curvature(lambda, s, k);
    curve_schemes_slope(y, k, d);
    curve_schemes_add(y, 0.5 * h, d, middle);
    curvature(lambda, s + 0.5 * h, k);
    curve_schemes_slope(middle, k, d);
    curve_schemes_add(y, h, d, y);
    make_unit(y);
}

static inline void step_rk4(const double *lambda, double s, double h, double *y) {
    double k[3], d[4][7], at[7];
    curvature(lambda, s, k);
    curve_schemes_slope(y, k, d[0]);
    curvature(lambda, s + 0.5 * h, k);
    curve_schemes_add(y, 0.5 * h, d[0], at);
    curve_schemes_slope(at, k, d[1]);
    curve_schemes_add(y, 0.5 * h, d[1], at);
    curve_schemes_slope(at, k, d[2]);
    curvature(lambda, s + h, k);
    curve_schemes_add(y, h, d[2], at);
    curve_schemes_slope(at, k, d[3]);
    for (int i = 0; i < 7; i++) y[i] += h / 6 * (d[0][i] + 2 * (d[1][i] + d[2][i]) + d[3][i]);
    make_unit(y);
}

typedef void step_fn(const double *lambda, double s, double h, double *y);

// one loop, which the compiler specialises for each of the four schemes
static inline void march(step_fn *step, const double *lambda, double length, int steps, int every, double *y, double (*out)[3]) {
    double h = length / steps;
    int at = 0;
    if (out) memcpy(out[at++], y + 4, sizeof *out);
    for (int i = 0; i < steps; i++) {
        step(lambda, i * h, h, y);
        if (out && (i + 1) % every == 0) memcpy(out[at++], y + 4, sizeof *out);
    }
}

void sp__scheme_run(sp_scheme scheme, const double lambda[6], double length, int steps, int every, sp_scheme_state *state,
                    double (*out)[3]) {
    double y[7];
    memcpy(y, state->q, sizeof state->q);
    memcpy(y + 4, state->r, sizeof state->r);
    switch (scheme) {
    case SP_SCHEME_EULER: march(step_euler, lambda, length, steps, every, y, out); break;
    case SP_SCHEME_LIE: march(step_lie, lambda, length, steps, every, y, out); break;
    case SP_SCHEME_RK2: march(step_rk2, lambda, length, steps, every, y, out); break;
    default: march(step_rk4, lambda, length, steps, every, y, out); break;
    }
    memcpy(state->q, y, sizeof state->q);
    memcpy(state->r, y + 4, sizeof state->r);
}
