// Equilibria of a clamped Kirchhoff rod under its weight and a dead force and torque at its tip, by shooting: an integration of
// the balance of moments without elements (Casati 2015, 4.1.33; Love 1927, chapter XVIII).
//     r' = t,   R' = R [kappa]x,   m' = -kappa x m + (R^T f) x e_t,   m = K (kappa - natural) in the rod's own frame
// f(s) = F + p (L - s) is the load beyond s. Newton's method finds the three numbers m(0) for which R m = T at the tip.
#ifndef SP_VERIFY_ROD_SHOOT_H
#define SP_VERIFY_ROD_SHOOT_H

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

typedef struct shoot {
    double stiffness[3], natural[3];  // twist, about n1, about n2
    double length;
    double line[3];              // p [N/m]
    double force[3], torque[3];  // at the tip, world axes
} shoot;

enum { SHOOT_R = 0, SHOOT_FRAME = 3, SHOOT_M = 12, SHOOT_STATE = 15 };

static inline void shoot_cross(const double *a, const double *b, double *out) {
    out[0] = a[1] * b[2] - a[2] * b[1], out[1] = a[2] * b[0] - a[0] * b[2], out[2] = a[0] * b[1] - a[1] * b[0];
}

static inline void shoot_curvature(const shoot *p, const double *y, double k[3]) {
    for (int i = 0; i < 3; i++) k[i] = p->natural[i] + y[SHOOT_M + i] / p->stiffness[i];
}

static inline void shoot_slope(const shoot *p, double share, double s, const double *y, double *out) {
    const double *R = y + SHOOT_FRAME, *m = y + SHOOT_M;
    double k[3], f[3], own[3], turn[3];
    shoot_curvature(p, y, k);
    for (int i = 0; i < 3; i++) f[i] = share * (p->force[i] + p->line[i] * (p->length - s));
    for (int i = 0; i < 3; i++) {
        out[SHOOT_R + i] = R[3 * i];
        shoot_cross(R + 3 * i, k, out + SHOOT_FRAME + 3 * i);  // a row of R [k]x
        own[i] = R[i] * f[0] + R[3 + i] * f[1] + R[6 + i] * f[2];
    }
    shoot_cross(k, m, turn);
    const double t[3] = {1, 0, 0};
    shoot_cross(own, t, out + SHOOT_M);
    for (int i = 0; i < 3; i++) out[SHOOT_M + i] -= turn[i];
}

// Classical Runge-Kutta in n steps. path: (n + 1) x SHOOT_STATE, its first state set.
static inline void shoot_path(const shoot *p, double share, int n, double *path) {
    double h = p->length / n, k[4][SHOOT_STATE], y[SHOOT_STATE];
    for (int i = 0; i < n; i++) {
        double *from = path + SHOOT_STATE * (size_t)i, *to = from + SHOOT_STATE, s = i * h;
        shoot_slope(p, share, s, from, k[0]);
        for (int stage = 1; stage < 4; stage++) {
            double step = stage == 3 ? h : h / 2;
            for (int j = 0; j < SHOOT_STATE; j++) y[j] = from[j] + step * k[stage - 1][j];
            shoot_slope(p, share, s + step, y, k[stage]);
        }
        for (int j = 0; j < SHOOT_STATE; j++) to[j] = from[j] + h / 6 * (k[0][j] + 2 * k[1][j] + 2 * k[2][j] + k[3][j]);
    }
}

// residual at the tip for this m(0)
static inline void shoot_miss(const shoot *p, double share, int n, const double m[3], double *path, double out[3]) {
    const double start[SHOOT_M] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    memcpy(path, start, sizeof start);
    memcpy(path + SHOOT_M, m, 3 * sizeof *m);
    shoot_path(p, share, n, path);
    const double *tip = path + SHOOT_STATE * (size_t)n, *R = tip + SHOOT_FRAME;
    for (int i = 0; i < 3; i++)
        out[i] =
            R[3 * i] * tip[SHOOT_M] + R[3 * i + 1] * tip[SHOOT_M + 1] + R[3 * i + 2] * tip[SHOOT_M + 2] - share * p->torque[i];
}

static inline double shoot_det(const double *a, const double *b, const double *c) {
    double n[3];
    shoot_cross(b, c, n);
    return a[0] * n[0] + a[1] * n[1] + a[2] * n[2];
}

// Loads grow in `stages`, so that the branch is the one that starts at the natural shape. The root is at the origin, its frame is
// that of the world. Returns the path, (n + 1) x SHOOT_STATE, freed by the caller; NULL: not found.
static inline double *shoot_solve(const shoot *p, int stages, int n) {
    double *path = malloc(SHOOT_STATE * ((size_t)n + 1) * sizeof *path), m[3] = {0}, last = 0;
    for (int stage = 1; stage <= stages; stage++) {
        double share = (double)stage / stages, miss[3], columns[3][3];
        for (int it = 0; it < 50; it++) {
            shoot_miss(p, share, n, m, path, miss);
            last = fabs(miss[0]) + fabs(miss[1]) + fabs(miss[2]);
            if (last < 1e-11) break;
            for (int j = 0; j < 3; j++) {
                double moved[3], d = 1e-6;
                memcpy(moved, m, sizeof moved);
                moved[j] += d;
                shoot_miss(p, share, n, moved, path, columns[j]);
                for (int i = 0; i < 3; i++) columns[j][i] = (columns[j][i] - miss[i]) / d;
            }
            double det = shoot_det(columns[0], columns[1], columns[2]);
            m[0] -= shoot_det(miss, columns[1], columns[2]) / det;
            m[1] -= shoot_det(columns[0], miss, columns[2]) / det;
            m[2] -= shoot_det(columns[0], columns[1], miss) / det;
        }
        if (!(last < 1e-8)) return free(path), NULL;
    }
    return path;
}

#endif
