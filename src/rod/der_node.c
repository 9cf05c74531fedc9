// One node of a discrete elastic rod (der_node.h).
#include "rod/der_node.h"

#include <string.h>

#include "math/vec3.h"

enum { E = SP_DER_E, F = SP_DER_F, ANGLE_E = SP_DER_ANGLE_E, ANGLE_F = SP_DER_ANGLE_F, LOCAL = SP_DER_LOCAL };

static void add_outer(double H[LOCAL * LOCAL], int row, int column, double s, const double *a, const double *b) {
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) H[LOCAL * (row + i) + column + j] += s * a[i] * b[j];
}

static void add_both(double H[LOCAL * LOCAL], int at, double s, const double *a, const double *b) {
    add_outer(H, at, at, s, a, b);
    add_outer(H, at, at, s, b, a);
}

static void add_one(double H[LOCAL * LOCAL], int row, int column, double s) {
    for (int i = 0; i < 3; i++) H[LOCAL * (row + i) + column + i] += s;
}

// H += s [u]x
static void add_hat(double H[LOCAL * LOCAL], int row, int column, double s, const double *u) {
    double m[9] = {0, -u[2], u[1], u[2], 0, -u[0], -u[1], u[0], 0};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) H[LOCAL * (row + i) + column + j] += s * m[3 * i + j];
}

static void mirror(double H[LOCAL * LOCAL]) {
    for (int i = 0; i < LOCAL; i++)
        for (int j = 0; j < i; j++) H[LOCAL * i + j] = H[LOCAL * j + i];
}

void sp__der_node_strains(sp_der_node *n, double twist) {
    double sum1[3], sum2[3];
    n->chi = 1 + sp__dot3(n->te, n->tf);
    sp__cross3(n->te, n->tf, n->kb);
    for (int i = 0; i < 3; i++) {
        n->kb[i] *= 2 / n->chi;
        n->tt[i] = (n->te[i] + n->tf[i]) / n->chi;
        sum1[i] = n->m1e[i] + n->m1f[i], sum2[i] = n->m2e[i] + n->m2f[i];
        n->d1[i] = sum1[i] / n->chi, n->d2[i] = sum2[i] / n->chi;
    }
    n->strain[0] = 0.5 * sp__dot3(n->kb, sum2);
    n->strain[1] = -0.5 * sp__dot3(n->kb, sum1);
    n->strain[2] = twist;
}

// K1 (sign +1, directors d2, second material axis) and K2 (sign -1, d1, first) have the same form
typedef struct bending {
    double K, sign;
    const double *d, *me, *mf;  // director sum; material axes in the second derivatives along edges
    const double *ae, *af;      // those in the derivatives along angles
} bending;

static bending bending_of(const sp_der_node *n, int k) {
    return k == 0 ? (bending){n->strain[0], 1, n->d2, n->m2e, n->m2f, n->m1e, n->m1f}
                  : (bending){n->strain[1], -1, n->d1, n->m1e, n->m1f, n->m2e, n->m2f};
}

static void bend_gradient(const sp_der_node *n, const bending *b, double g[LOCAL]) {
    double fd[3], ed[3];
    sp__cross3(n->tf, b->d, fd);
    sp__cross3(n->te, b->d, ed);
    for (int i = 0; i < 3; i++) {
        g[E + i] = (-b->K * n->tt[i] + b->sign * fd[i]) / n->e;
        g[F + i] = (-b->K * n->tt[i] - b->sign * ed[i]) / n->f;
    }
    g[ANGLE_E] = -0.5 * sp__dot3(n->kb, b->ae);
    g[ANGLE_F] = -0.5 * sp__dot3(n->kb, b->af);
}

// along an edge and an angle whose material axis is m
static void add_edge_angle(const sp_der_node *n, double H[LOCAL * LOCAL], int angle, const double *m) {
    double fm[3], em[3], along = 0.5 * sp__dot3(n->kb, m);
    sp__cross3(n->tf, m, fm);
    sp__cross3(n->te, m, em);
    for (int i = 0; i < 3; i++) {
        H[LOCAL * (E + i) + angle] += (along * n->tt[i] - fm[i] / n->chi) / n->e;
        H[LOCAL * (F + i) + angle] += (along * n->tt[i] + em[i] / n->chi) / n->f;
    }
}

static void bend_hessian(const sp_der_node *n, const bending *b, double H[LOCAL * LOCAL]) {
    double fd[3], ed[3], K = b->K, s = b->sign, ee = 1 / (n->e * n->e), ff = 1 / (n->f * n->f), ef = 1 / (n->e * n->f);
    sp__cross3(n->tf, b->d, fd);
    sp__cross3(n->te, b->d, ed);
    memset(H, 0, LOCAL * LOCAL * sizeof *H);
    add_outer(H, E, E, 2 * K * ee, n->tt, n->tt), add_both(H, E, -s * ee, fd, n->tt);
    add_one(H, E, E, -K * ee / n->chi), add_outer(H, E, E, K * ee / n->chi, n->te, n->te);
    add_both(H, E, 0.25 * s * ee, n->kb, b->me);
    add_outer(H, F, F, 2 * K * ff, n->tt, n->tt), add_both(H, F, s * ff, ed, n->tt);
    add_one(H, F, F, -K * ff / n->chi), add_outer(H, F, F, K * ff / n->chi, n->tf, n->tf);
    add_both(H, F, 0.25 * s * ff, n->kb, b->mf);
    add_one(H, E, F, -K * ef / n->chi), add_outer(H, E, F, -K * ef / n->chi, n->te, n->tf);
    add_outer(H, E, F, 2 * K * ef, n->tt, n->tt), add_outer(H, E, F, -s * ef, fd, n->tt);
    add_outer(H, E, F, s * ef, n->tt, ed), add_hat(H, E, F, -s * ef, b->d);
    add_edge_angle(n, H, ANGLE_E, b->ae), add_edge_angle(n, H, ANGLE_F, b->af);
    H[LOCAL * ANGLE_E + ANGLE_E] = -0.5 * s * sp__dot3(n->kb, b->me);
    H[LOCAL * ANGLE_F + ANGLE_F] = -0.5 * s * sp__dot3(n->kb, b->mf);
    mirror(H);
}

static void twist_gradient(const sp_der_node *n, double g[LOCAL]) {
    for (int i = 0; i < 3; i++) g[E + i] = n->kb[i] / (2 * n->e), g[F + i] = n->kb[i] / (2 * n->f);
    g[ANGLE_E] = -1, g[ANGLE_F] = 1;
}

static void twist_hessian(const sp_der_node *n, double H[LOCAL * LOCAL]) {
    double e[3], f[3], ef = 1 / (2 * n->e * n->f);
    memset(H, 0, LOCAL * LOCAL * sizeof *H);
    for (int i = 0; i < 3; i++) e[i] = n->te[i] + n->tt[i], f[i] = n->tf[i] + n->tt[i];
    add_both(H, E, -0.25 / (n->e * n->e), n->kb, e);
    add_both(H, F, -0.25 / (n->f * n->f), n->kb, f);
    add_hat(H, E, F, 2 * ef / n->chi, n->te), add_outer(H, E, F, -ef, n->kb, n->tt);
    mirror(H);
}

double sp__der_node_energy(const sp_der_node *n, const double stiffness[3], const double natural[3], bool whole, double *g,
                           double *H) {
    double energy = 0, slope[LOCAL], second[LOCAL * LOCAL];
    for (int k = 0; k < 3; k++) {
        double c = stiffness[k], apart = n->strain[k] - natural[k];
        energy += 0.5 * c * apart * apart;
        if (!g) continue;
        bending b = bending_of(n, k);
        if (k < 2)
            bend_gradient(n, &b, slope);
        else
            twist_gradient(n, slope);
        for (int i = 0; i < LOCAL; i++) g[i] += c * apart * slope[i];
        if (!H) continue;
        for (int i = 0; i < LOCAL; i++)
            for (int j = 0; j < LOCAL; j++) H[LOCAL * i + j] += c * slope[i] * slope[j];
        if (!whole) continue;
        if (k < 2)
            bend_hessian(n, &b, second);
        else
            twist_hessian(n, second);
        for (int i = 0; i < LOCAL * LOCAL; i++) H[i] += c * apart * second[i];
    }
    return energy;
}
