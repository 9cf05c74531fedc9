// Corotational beams (beam.h).
#include "rod/beam.h"

#include <math.h>
#include <string.h>

#include "math/rotation_vector.h"
#include "math/vec3.h"

// strains: stretch, then the rotation vectors of both ends
enum { STRETCH = 0, TURN_A = 1, TURN_B = 4, STRAINS = 7 };

typedef struct frame {
    double R[9];  // rows: chord and two transverse axes
    double length;
    double mean[9], first[3];  // mean orientation of the ends, and its first axis
    double half[3];            // rotation vector from `mean` to the second end, in its own axes; to the first end: the negative
    double turn[2][3];         // rotation vectors of the ends, in the element's frame
    double strain[STRAINS];
} frame;

// the mean orientation, rotated by the smallest rotation that aligns its first axis with the chord
static void element_frame(const sp_beam_node *a, const sp_beam_node *b, frame *f) {
    double mean[4], chord[3], sign = 0, norm = 0;
    for (int i = 0; i < 4; i++) sign += a->quat[i] * b->quat[i];
    for (int i = 0; i < 4; i++) mean[i] = a->quat[i] + (sign < 0 ? -1 : 1) * b->quat[i], norm += mean[i] * mean[i];
    for (int i = 0; i < 4; i++) mean[i] /= sqrt(norm);
    sp__quat_matrix(mean, f->mean);
    sp__sub3(b->x, a->x, chord);
    f->length = sp__norm3(chord);
    for (int i = 0; i < 3; i++) chord[i] /= f->length, f->first[i] = f->mean[3 * i];
    memcpy(f->R, chord, sizeof chord);
    for (int k = 1; k < 3; k++) {
        double u[3] = {f->mean[k], f->mean[3 + k], f->mean[6 + k]};
        sp__transport3(u, f->first, chord, f->R + 3 * k);
    }
}

static void half_rotation(frame *f, const double R[9]) {
    double Q[9];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) Q[3 * i + j] = f->mean[i] * R[j] + f->mean[3 + i] * R[3 + j] + f->mean[6 + i] * R[6 + j];
    sp__rotvec_of_matrix(Q, f->half);
}

static void beam_measure_frame(const sp_beam_element *e, const sp_beam_node *a, const sp_beam_node *b, frame *f) {
    const sp_beam_node *ends[2] = {a, b};
    element_frame(a, b, f);
    f->strain[STRETCH] = f->length - e->length;
    for (int k = 0; k < 2; k++) {
        double R[9], Q[9];
        sp__quat_matrix(ends[k]->quat, R);
        sp__mul33(f->R, R, Q);
        sp__rotvec_of_matrix(Q, f->turn[k]);
        if (k == 1) half_rotation(f, R);
        sp__sub3(f->turn[k], e->natural[k], f->strain + (k ? TURN_B : TURN_A));
    }
}

void sp__beam_rest(sp_beam_element *e, const sp_beam_node *a, const sp_beam_node *b) {
    frame f;
    memset(e->natural, 0, sizeof e->natural);
    e->length = 0;
    beam_measure_frame(e, a, b, &f);
    e->length = f.length;
    memcpy(e->natural[0], f.strain + TURN_A, sizeof e->natural[0]);
    memcpy(e->natural[1], f.strain + TURN_B, sizeof e->natural[1]);
}

// D of the linear beam: forces conjugate to the strains
static void beam_stiffness(const sp_beam_element *e, double D[STRAINS][STRAINS]) {
    double l = e->length;
    memset(D, 0, STRAINS * sizeof *D);
    D[STRETCH][STRETCH] = e->stretch / l;
    for (int k = 0; k < 3; k++) {
        double s = k == 0 ? e->twist / l : e->bend[k - 1] / l, own = k == 0 ? 1 : 4, other = k == 0 ? -1 : 2;
        D[TURN_A + k][TURN_A + k] = D[TURN_B + k][TURN_B + k] = own * s;
        D[TURN_A + k][TURN_B + k] = D[TURN_B + k][TURN_A + k] = other * s;
    }
}

// moments of the linear beam divided by its stiffness; the moment on the first end has the opposite sign of the curvature
void sp__beam_bend(const sp_beam_element *e, const sp_beam_node *a, const sp_beam_node *b, double out[2][3]) {
    frame f;
    beam_measure_frame(e, a, b, &f);
    for (int end = 0; end < 2; end++) {
        double k[3], Q[9];
        const double *p = f.strain + TURN_A, *q = f.strain + TURN_B;
        for (int i = 0; i < 3; i++) k[i] = (i == 0 ? q[i] - p[i] : end ? 2 * p[i] + 4 * q[i] : -4 * p[i] - 2 * q[i]) / e->length;
        sp__rotvec_matrix(f.turn[end], Q);
        sp__mul3t(Q, k, out[end]);
    }
}

// ------------------------------------------------------------------------------------------------ strain derivatives

// Derivative of the mean orientation with respect to those of the ends, which are at -x and x of it:
//     (wa + wb) / 2 - out (wb - wa) / 2.
// out (3 x 3) accounts for opposite rotations that do not commute.
static void mean_slope(const frame *f, double out[9]) {
    const double *x = f->half;
    double a2 = sp__dot3(x, x), a = sqrt(a2), world[3];
    double even = a > 1e-4 ? sin(a) / a : 1 - a2 / 6, odd = a > 1e-4 ? (1 - cos(a)) / a2 : 0.5 - a2 / 24;
    // J(x) - J(-x) = 2 odd [x]x and J(x) + J(-x) = 2 (even 1 + (1 - even) n n^T); [x]x cancels the second part of the inverse
    sp__mul3(f->mean, x, world);
    double s = odd / even, X[9];
    sp__hat3(world, X);
    for (int i = 0; i < 9; i++) out[i] = s * X[i];
}

// Angular velocity of the frame with respect to (va, wa, vb, wb), 3 x 12. Across the chord it follows the chord; about the chord
// it is (w . (u + e) - k . dc / l) / (1 + u . e), u the mean first axis, e the chord, k = u x e: the mean orientation transported
// by the smallest rotation.
static void frame_slope(const frame *f, double W[3][12]) {
    const double *e = f->R, *u = f->first;
    double c = 1 + sp__dot3(u, e), k[3], M[9], sum[3], off[3];
    sp__cross3(u, e, k);
    mean_slope(f, M);
    for (int i = 0; i < 3; i++) sum[i] = (u[i] + e[i]) / c;
    sp__mul3t(M, sum, off);
    memset(W, 0, 3 * sizeof *W);
    for (int i = 0; i < 3; i++) {
        // e x dc / l
        double axis[3] = {i == 0, i == 1, i == 2}, turn[3];
        sp__cross3(e, axis, turn);
        for (int r = 0; r < 3; r++) {
            double along = turn[r] / f->length - e[r] * k[i] / (c * f->length);
            W[r][i] -= along, W[r][6 + i] += along;
            W[r][3 + i] += e[r] * 0.5 * (sum[i] + off[i]), W[r][9 + i] += e[r] * 0.5 * (sum[i] - off[i]);
        }
    }
}

// derivatives of the strains with respect to (va, wa, vb, wb)
static void beam_strain_slopes(const frame *f, double B[STRAINS][12]) {
    double W[3][12];
    memset(B, 0, STRAINS * sizeof *B);
    frame_slope(f, W);
    for (int i = 0; i < 3; i++) B[STRETCH][i] = -f->R[i], B[STRETCH][6 + i] = f->R[i];
    for (int end = 0; end < 2; end++) {
        double T[9], TR[9];
        sp__rotvec_jacobian_inverse(f->turn[end], T);
        sp__mul33(T, f->R, TR);
        for (int k = 0; k < 3; k++)
            for (int j = 0; j < 12; j++) {
                double w[3] = {-W[0][j], -W[1][j], -W[2][j]};
                if (j / 3 == (end ? 3 : 1)) w[j % 3] += 1;
                B[(end ? TURN_B : TURN_A) + k][j] = sp__dot3(TR + 3 * k, w);
            }
    }
}

double sp__beam_energy(const sp_beam_element *e, const sp_beam_node *a, const sp_beam_node *b, double *f, double *K) {
    frame now;
    double D[STRAINS][STRAINS], B[STRAINS][12], stress[STRAINS] = {0}, DB[STRAINS][12] = {{0}}, energy = 0;
    beam_measure_frame(e, a, b, &now);
    beam_stiffness(e, D);
    for (int i = 0; i < STRAINS; i++) {
        for (int j = 0; j < STRAINS; j++) stress[i] += D[i][j] * now.strain[j];
        energy += 0.5 * stress[i] * now.strain[i];
    }
    if (f || K) beam_strain_slopes(&now, B);
    for (int i = 0; f && i < STRAINS; i++)
        for (int j = 0; j < 12; j++) f[j] -= stress[i] * B[i][j];
    if (!K) return energy;
    for (int i = 0; i < STRAINS; i++)
        for (int k = 0; k < STRAINS; k++)
            for (int j = 0; D[i][k] != 0 && j < 12; j++) DB[i][j] += D[i][k] * B[k][j];
    for (int r = 0; r < 12; r++)
        for (int c = 0; c < 12; c++)
            for (int i = 0; i < STRAINS; i++) K[12 * r + c] += B[i][r] * DB[i][c];
    return energy;
}

// ------------------------------------------------------------------------------------------------ geometric stiffness

// The gradient of the energy at stresses N, m_a, m_b is
//     -N e + A, y_a - c_a, N e - A, y_b - c_b     on va, wa, vb, wb,   y = R^T T^T m,  Y = y_a + y_b,  h = e . Y,
//     A = (Y x e - k h / (1 + u . e)) / l,        c = h/2 (sum +- off),  sum = (u + e) / (1 + u . e),  off = -s x x sum
// (names of frame_slope; x the half rotation in world axes, s = tan(|x|/2) / |x|). The geometric stiffness is its derivative at
// constant stresses.
typedef struct stress {
    double N, m[2][3];
    double u[3], e[3], k[3], c, l;
    double x[3], s, ds;  // ds: (ds/da) / a
    double sum[3], off[3];
    double y[2][3], Y[3], h, A[3];
    double back[9], slope[9], M[9];  // of the half rotation: its matrix and derivative; mean_slope
    double B[STRAINS][12], W[3][12];
} stress;

// tan(a/2) / a, and its derivative divided by a
static void half_tangent(double a, double *s, double *ds) {
    double a2 = a * a, t = tan(0.5 * a);
    if (a > 0.1) {
        *s = t / a, *ds = (0.5 * a * (1 + t * t) - t) / (a2 * a);
        return;
    }
    *s = 0.5 + a2 * (1.0 / 24 + a2 * (1.0 / 240 + a2 * 17 / 40320));
    *ds = 1.0 / 12 + a2 * (1.0 / 60 + a2 * (17.0 / 6720 + a2 * 31 / 90720));
}

// d(T^T m) for a change dt of the rotation vector t
static void moment_slope(const double t[3], const double m[3], const double dt[3], double out[3]) {
    double a2 = sp__dot3(t, t), a = sqrt(a2), s, ds, side[3], tm = sp__dot3(t, m), tdt = sp__dot3(t, dt), dtm = sp__dot3(dt, m);
    if (a > 0.3) {
        double cot = 1 / tan(0.5 * a), even = 0.5 * a * cot, rise = 0.5 * cot - 0.25 * a * (1 + cot * cot);
        s = (1 - even) / a2, ds = -(rise + 2 * (1 - even) / a) / (a2 * a);
    } else {
        s = 1.0 / 12 + a2 * (1.0 / 720 + a2 * (1.0 / 30240 + a2 / 1209600));
        ds = 1.0 / 360 + a2 * (1.0 / 7560 + a2 * (1.0 / 201600 + a2 / 5987520));
    }
    sp__cross3(dt, m, side);
    for (int i = 0; i < 3; i++)
        out[i] = 0.5 * side[i] - (ds * a2 + 2 * s) * tdt * m[i] + ds * tdt * tm * t[i] + s * (dt[i] * tm + t[i] * dtm);
}

static void open_stress(const sp_beam_element *e, const frame *f, stress *g) {
    double D[STRAINS][STRAINS], T[9], z[3], all[STRAINS] = {0}, side[3];
    beam_stiffness(e, D);
    for (int i = 0; i < STRAINS; i++)
        for (int j = 0; j < STRAINS; j++) all[i] += D[i][j] * f->strain[j];
    g->N = all[STRETCH], g->l = f->length;
    memcpy(g->m[0], all + TURN_A, sizeof g->m[0]), memcpy(g->m[1], all + TURN_B, sizeof g->m[1]);
    memcpy(g->u, f->first, sizeof g->u), memcpy(g->e, f->R, sizeof g->e);
    sp__cross3(g->u, g->e, g->k);
    g->c = 1 + sp__dot3(g->u, g->e);
    sp__mul3(f->mean, f->half, g->x);
    half_tangent(sp__norm3(g->x), &g->s, &g->ds);
    for (int i = 0; i < 3; i++) g->sum[i] = (g->u[i] + g->e[i]) / g->c;
    sp__cross3(g->sum, g->x, g->off);
    for (int i = 0; i < 3; i++) g->off[i] *= g->s;
    for (int end = 0; end < 2; end++) {
        sp__rotvec_jacobian_inverse(f->turn[end], T);
        sp__mul3t(T, g->m[end], z);
        sp__mul3t(f->R, z, g->y[end]);
    }
    for (int i = 0; i < 3; i++) g->Y[i] = g->y[0][i] + g->y[1][i];
    g->h = sp__dot3(g->e, g->Y);
    sp__cross3(g->Y, g->e, side);
    for (int i = 0; i < 3; i++) g->A[i] = (side[i] - g->k[i] * g->h / g->c) / g->l;
    sp__rotvec_matrix(g->x, g->back);
    sp__rotvec_jacobian_inverse(g->x, g->slope);
    mean_slope(f, g->M);
    beam_strain_slopes(f, g->B);
    frame_slope(f, g->W);
}

// changes of the terms of the gradient along one velocity
typedef struct change {
    double e[3], u[3], x[3], l, c, k[3], sum[3], off[3], y[2][3], Y[3], h, A[3];
} change;

static void change_frame(const stress *g, const double v[12], change *d) {
    double dc[3], apart[3], mean[3], lag[3], away[3], one[3], two[3];
    sp__sub3(v + 6, v, dc);
    d->l = sp__dot3(g->e, dc);
    for (int i = 0; i < 3; i++) d->e[i] = (dc[i] - d->l * g->e[i]) / g->l, apart[i] = 0.5 * (v[9 + i] - v[3 + i]);
    sp__mul3(g->M, apart, lag);
    for (int i = 0; i < 3; i++) mean[i] = 0.5 * (v[3 + i] + v[9 + i]) - lag[i];
    sp__cross3(mean, g->u, d->u);
    sp__mul3(g->back, mean, away);
    sp__sub3(v + 9, away, away);
    sp__mul3(g->slope, away, d->x);
    d->c = sp__dot3(d->u, g->e) + sp__dot3(g->u, d->e);
    sp__cross3(d->u, g->e, one), sp__cross3(g->u, d->e, two);
    for (int i = 0; i < 3; i++) d->k[i] = one[i] + two[i], d->sum[i] = (d->u[i] + d->e[i] - g->sum[i] * d->c) / g->c;
    double ds = g->ds * sp__dot3(g->x, d->x), three[3];
    sp__cross3(g->sum, g->x, one), sp__cross3(d->sum, g->x, two), sp__cross3(g->sum, d->x, three);
    for (int i = 0; i < 3; i++) d->off[i] = ds * one[i] + g->s * (two[i] + three[i]);
}

static void change_moments(const stress *g, const frame *f, int j, change *d) {
    double W[3] = {g->W[0][j], g->W[1][j], g->W[2][j]}, one[3], two[3];
    for (int end = 0; end < 2; end++) {
        double dt[3], z[3], turned[3];
        for (int i = 0; i < 3; i++) dt[i] = g->B[(end ? TURN_B : TURN_A) + i][j];
        moment_slope(f->turn[end], g->m[end], dt, z);
        sp__mul3t(f->R, z, d->y[end]);
        sp__cross3(W, g->y[end], turned);
        sp__axpy3(d->y[end], 1, turned, d->y[end]);
    }
    for (int i = 0; i < 3; i++) d->Y[i] = d->y[0][i] + d->y[1][i];
    d->h = sp__dot3(d->e, g->Y) + sp__dot3(g->e, d->Y);
    sp__cross3(d->Y, g->e, one), sp__cross3(g->Y, d->e, two);
    for (int i = 0; i < 3; i++) {
        double lean = (d->k[i] * g->h + g->k[i] * d->h - g->k[i] * g->h * d->c / g->c) / g->c;
        d->A[i] = (one[i] + two[i] - lean - g->A[i] * d->l) / g->l;
    }
}

// N / l (1 - e e^T) at both ends of the chord
static void beam_add_tension(const frame *f, double N, double *K) {
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            double k = N / f->length * ((i == j) - f->R[i] * f->R[j]);
            K[12 * i + j] += k, K[12 * (6 + i) + 6 + j] += k, K[12 * i + 6 + j] -= k, K[12 * (6 + i) + j] -= k;
        }
}

void sp__beam_stress(const sp_beam_element *e, const sp_beam_node *a, const sp_beam_node *b, bool whole, double *K) {
    frame f;
    stress g;
    beam_measure_frame(e, a, b, &f);
    if (!whole) {
        beam_add_tension(&f, fmax(0, e->stretch / e->length * f.strain[STRETCH]), K);
        return;
    }
    open_stress(e, &f, &g);
    for (int j = 0; j < 12; j++) {
        double v[12] = {0}, out[12];
        change d;
        v[j] = 1;
        change_frame(&g, v, &d);
        change_moments(&g, &f, j, &d);
        for (int i = 0; i < 3; i++) {
            out[i] = d.A[i] - g.N * d.e[i], out[6 + i] = -out[i];
            out[3 + i] = d.y[0][i] - 0.5 * (d.h * (g.sum[i] + g.off[i]) + g.h * (d.sum[i] + d.off[i]));
            out[9 + i] = d.y[1][i] - 0.5 * (d.h * (g.sum[i] - g.off[i]) + g.h * (d.sum[i] - d.off[i]));
        }
        for (int i = 0; i < 12; i++) K[12 * i + j] += 0.5 * out[i], K[12 * j + i] += 0.5 * out[i];
    }
}

// ------------------------------------------------------------------------------------------------ motion and points

void sp__beam_move(const sp_beam_node *n, double s, const double v[6], sp_beam_node *out) {
    double angle = s * sp__norm3(v + 3), turn[4] = {1, 0, 0, 0}, quat[4], norm = 0;
    if (angle != 0) sp__quat_axis(v + 3, angle, turn);
    sp__quat_mul(turn, n->quat, quat);
    for (int i = 0; i < 4; i++) norm += quat[i] * quat[i];
    for (int i = 0; i < 4; i++) out->quat[i] = quat[i] / sqrt(norm);
    for (int i = 0; i < 3; i++) out->x[i] = n->x[i] + s * v[i];
}

void sp__beam_point(const sp_beam_element *e, const sp_beam_node *a, const sp_beam_node *b, double u, double x[3], double *J) {
    double h0 = (1 + 2 * u) * (1 - u) * (1 - u), h1 = u * u * (3 - 2 * u);
    double t0 = e->length * u * (1 - u) * (1 - u), t1 = e->length * u * u * (u - 1), Ra[9], Rb[9];
    sp__quat_matrix(a->quat, Ra);
    sp__quat_matrix(b->quat, Rb);
    double ta[3] = {Ra[0], Ra[3], Ra[6]}, tb[3] = {Rb[0], Rb[3], Rb[6]};
    for (int i = 0; i < 3; i++) x[i] = h0 * a->x[i] + h1 * b->x[i] + t0 * ta[i] + t1 * tb[i];
    if (!J) return;
    memset(J, 0, 36 * sizeof *J);
    // d t = w x t
    double hats[2][9] = {{0, ta[2], -ta[1], -ta[2], 0, ta[0], ta[1], -ta[0], 0},
                         {0, tb[2], -tb[1], -tb[2], 0, tb[0], tb[1], -tb[0], 0}};
    for (int i = 0; i < 3; i++) {
        J[12 * i + i] = h0, J[12 * i + 6 + i] = h1;
        for (int k = 0; k < 3; k++) J[12 * i + 3 + k] = t0 * hats[0][3 * i + k], J[12 * i + 9 + k] = t1 * hats[1][3 * i + k];
    }
}

void sp__beam_point_stress(const sp_beam_element *e, const sp_beam_node *a, const sp_beam_node *b, double u, const double f[3],
                           double *K) {
    const sp_beam_node *ends[2] = {a, b};
    double lean[2] = {e->length * u * (1 - u) * (1 - u), e->length * u * u * (u - 1)};
    for (int end = 0; end < 2; end++) {
        double R[9];
        sp__quat_matrix(ends[end]->quat, R);
        double t[3] = {R[0], R[3], R[6]}, along = sp__dot3(f, t);
        // f . (w x (w x t)) = (f . w) (t . w) - (f . t) w2
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                K[12 * (3 + 6 * end + i) + 3 + 6 * end + j] += lean[end] * ((i == j) * along - 0.5 * (f[i] * t[j] + f[j] * t[i]));
    }
}

void sp__beam_frame(const sp_beam_node *a, const sp_beam_node *b, double u, double R[9], double *J) {
    double turn[3], part[3], Ra[9], Q[9], whole[9];
    sp__rotvec_between(a->quat, b->quat, turn);
    for (int i = 0; i < 3; i++) part[i] = u * turn[i];
    sp__quat_matrix(a->quat, Ra);
    sp__rotvec_matrix(part, Q);
    sp__mul33(Q, Ra, R);
    if (!J) return;
    // w = exp(u t) wa + own (wb - exp(t) wa)
    double spin[9], slope[9], own[9], other[9];
    sp__rotvec_jacobian(part, spin);
    sp__rotvec_jacobian_inverse(turn, slope);
    sp__mul33(spin, slope, own);
    sp__rotvec_matrix(turn, whole);
    sp__mul33(own, whole, other);
    memset(J, 0, 36 * sizeof *J);
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            J[12 * i + 3 + k] = Q[3 * i + k] - u * other[3 * i + k], J[12 * i + 9 + k] = u * own[3 * i + k];
}
