// Corotational beams (beam.h).
#include "rod/beam.h"

#include <math.h>
#include <string.h>

#include "math/vec3.h"

// strains: stretch, then the rotation vectors of both ends
enum { STRETCH = 0, TURN_A = 1, TURN_B = 4, STRAINS = 7 };

typedef struct frame {
    double R[9];  // rows: chord and two axes across
    double length;
    double mean[9], first[3];  // mean orientation of the ends, and its first axis
    double half[3];            // rotation vector from it to the second end, in its own axes; to the first end: minus this
    double turn[2][3];         // rotation vectors of the ends, in the frame
    double strain[STRAINS];
} frame;

// rotation vector of a rotation matrix that turns by less than half a turn
static void turn_of(const double *Q, double out[3]) {
    double w[3] = {0.5 * (Q[7] - Q[5]), 0.5 * (Q[2] - Q[6]), 0.5 * (Q[3] - Q[1])};
    double sine = sp__norm3(w), cosine = 0.5 * (Q[0] + Q[4] + Q[8] - 1), angle = atan2(sine, cosine);
    double s = sine > 1e-8 ? angle / sine : 1;
    for (int i = 0; i < 3; i++) out[i] = s * w[i];
}

// the mean orientation, turned by the least turn that brings its first axis onto the chord
static void element_frame(const sp_beam_node *a, const sp_beam_node *b, frame *f) {
    double mean[4], chord[3], axis[3], sign = 0, norm = 0;
    for (int i = 0; i < 4; i++) sign += a->quat[i] * b->quat[i];
    for (int i = 0; i < 4; i++) mean[i] = a->quat[i] + (sign < 0 ? -1 : 1) * b->quat[i], norm += mean[i] * mean[i];
    for (int i = 0; i < 4; i++) mean[i] /= sqrt(norm);
    sp__quat_matrix(mean, f->mean);
    sp__sub3(b->x, a->x, chord);
    f->length = sp__norm3(chord);
    for (int i = 0; i < 3; i++) chord[i] /= f->length, f->first[i] = f->mean[3 * i];
    double c = sp__dot3(f->first, chord);
    sp__cross3(f->first, chord, axis);
    memcpy(f->R, chord, sizeof chord);
    for (int k = 1; k < 3; k++) {
        double u[3] = {f->mean[k], f->mean[3 + k], f->mean[6 + k]}, turned[3], along = sp__dot3(axis, u) / (1 + c);
        sp__cross3(axis, u, turned);
        for (int i = 0; i < 3; i++) f->R[3 * k + i] = c * u[i] + turned[i] + along * axis[i];
    }
}

static void half_turn(frame *f, const double R[9]) {
    double Q[9];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) Q[3 * i + j] = f->mean[i] * R[j] + f->mean[3 + i] * R[3 + j] + f->mean[6 + i] * R[6 + j];
    turn_of(Q, f->half);
}

static void measure(const sp_beam_element *e, const sp_beam_node *a, const sp_beam_node *b, frame *f) {
    const sp_beam_node *ends[2] = {a, b};
    element_frame(a, b, f);
    f->strain[STRETCH] = f->length - e->length;
    for (int k = 0; k < 2; k++) {
        double R[9], Q[9];
        sp__quat_matrix(ends[k]->quat, R);
        sp__mul33(f->R, R, Q);
        turn_of(Q, f->turn[k]);
        if (k == 1) half_turn(f, R);
        sp__sub3(f->turn[k], e->natural[k], f->strain + (k ? TURN_B : TURN_A));
    }
}

void sp__beam_rest(sp_beam_element *e, const sp_beam_node *a, const sp_beam_node *b) {
    frame f;
    memset(e->natural, 0, sizeof e->natural);
    e->length = 0;
    measure(e, a, b, &f);
    e->length = f.length;
    memcpy(e->natural[0], f.strain + TURN_A, sizeof e->natural[0]);
    memcpy(e->natural[1], f.strain + TURN_B, sizeof e->natural[1]);
}

// D of the linear beam: forces that belong to the strains
static void stiffness(const sp_beam_element *e, double D[STRAINS][STRAINS]) {
    double l = e->length;
    memset(D, 0, STRAINS * sizeof *D);
    D[STRETCH][STRETCH] = e->stretch / l;
    for (int k = 0; k < 3; k++) {
        double s = k == 0 ? e->twist / l : e->bend[k - 1] / l, own = k == 0 ? 1 : 4, other = k == 0 ? -1 : 2;
        D[TURN_A + k][TURN_A + k] = D[TURN_B + k][TURN_B + k] = own * s;
        D[TURN_A + k][TURN_B + k] = D[TURN_B + k][TURN_A + k] = other * s;
    }
}

// ------------------------------------------------------------------------------------------------ how strains change

// d turn = out dw where a rotation with this vector is turned further by dw: 1 - [t]x / 2 + (1 - t/2 cot t/2) / t2 [t]x^2
static void turn_slope(const double t[3], double out[9]) {
    double a2 = sp__dot3(t, t), a = sqrt(a2), s = a > 1e-4 ? (1 - 0.5 * a / tan(0.5 * a)) / a2 : 1.0 / 12 + a2 / 720;
    double X[9] = {0, -t[2], t[1], t[2], 0, -t[0], -t[1], t[0], 0};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) out[3 * i + j] = (i == j) - 0.5 * X[3 * i + j] + s * (t[i] * t[j] - (i == j) * a2);
}

// How the mean orientation turns with those of the ends, which stand at -x and x of it: half the sum, less what two opposite
// turns make together. out: 3 x 3 that multiplies (wb - wa) / 2 and is taken off (wa + wb) / 2.
static void mean_slope(const frame *f, double out[9]) {
    const double *x = f->half;
    double a2 = sp__dot3(x, x), a = sqrt(a2), world[3];
    double even = a > 1e-4 ? sin(a) / a : 1 - a2 / 6, odd = a > 1e-4 ? (1 - cos(a)) / a2 : 0.5 - a2 / 24;
    // J(x) - J(-x) = 2 odd [x]x and J(x) + J(-x) = 2 (even 1 + (1 - even) n n^T); [x]x undoes the second part of the inverse
    sp__mul3(f->mean, x, world);
    double s = odd / even, X[9] = {0, -world[2], world[1], world[2], 0, -world[0], -world[1], world[0], 0};
    for (int i = 0; i < 9; i++) out[i] = s * X[i];
}

// Angular velocity of the frame along (va, wa, vb, wb), 3 x 12: with the chord, and about it as the least turn carries the mean
// orientation: (w . (u + e) - k . dc / l) / (1 + u . e), u the mean first axis, e the chord, k = u x e.
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

// strains along (va, wa, vb, wb)
static void slopes(const frame *f, double B[STRAINS][12]) {
    double W[3][12];
    memset(B, 0, STRAINS * sizeof *B);
    frame_slope(f, W);
    for (int i = 0; i < 3; i++) B[STRETCH][i] = -f->R[i], B[STRETCH][6 + i] = f->R[i];
    for (int end = 0; end < 2; end++) {
        double T[9], TR[9];
        turn_slope(f->turn[end], T);
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
    measure(e, a, b, &now);
    stiffness(e, D);
    for (int i = 0; i < STRAINS; i++) {
        for (int j = 0; j < STRAINS; j++) stress[i] += D[i][j] * now.strain[j];
        energy += 0.5 * stress[i] * now.strain[i];
    }
    if (f || K) slopes(&now, B);
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
