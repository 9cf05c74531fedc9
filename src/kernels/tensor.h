// The tensor-mass element on lanes: 4-node tetrahedra and 3-node membranes whose nodal forces are polynomials of the nodal
// displacements (Cotin, Delingette, Ayache 2000; Picinbono, Delingette, Ayache 2003; Faure, Zara, Jaillet, Moreau 2012).
//
// In the axes of the element, in which the gradients g_a of nodes 1.. are triangular, with the columns h_j of the displacement
// gradient H = sum d_a g_a^T, the axes e_j and f_j = e_j + h_j,
//     2 E_ij = e_i . h_j + e_j . h_i + h_i . h_j,   W = mu E:E + lambda/2 (tr E)^2,   S = 2 mu E + lambda tr E I,
//     f_a = -w F S g_a:
// nothing of first order is subtracted, and no roots, rotations or eigenvectors are needed. Hooke's law leaves out the last term
// of E, and F is the axes. The closed form of the derivatives, with T_a = F g_a,
//     -df_a/du_b = w ((g_a . S g_b) I + lambda T_a T_b^T + mu T_b T_a^T + mu (g_a . g_b) F F^T),
// needs F, S and two moduli: 17 numbers and the gradients. The products with a vector use the same numbers,
//     D = sum d_b g_b^T,   f_a = w (D S + F (2 mu e + lambda tr e I)) g_a,   e = sym(F^T D).
// Membranes are the same with two axes in their plane, and 2 mu lambda / (lambda + 2 mu) for lambda: plane stress.
//
// d : dP = tr(D S D^T) + 2 mu e:e + lambda (tr e)^2, so that the tangent has no negative eigenvalue where S has none: the
// definite tangent has zero instead of those of S. It does not see where the sum of both terms would be positive, in exchange for
// one 3x3 problem in elements under pressure, and none in others.
//
// The penalty k/2 (J - 1)^2 is a polynomial too. With C = cof F it adds k (J - 1) C to P = F S, and k C (C : D) to dP, to which
// the exact tangent adds k (J - 1) dC, which is always indefinite.
#ifndef SP_TENSOR_H
#define SP_TENSOR_H

#include "kernels/lagrange.h"
#include "kernels/membrane.h"
#include "kernels/tet.h"

// Numbers of the tangent: F, w S (xx yy zz xy yz zx), 2 w mu, w lambda; of a penalty C, w k, and w k (J - 1) or, definite, 0
enum { TENSOR_STRESS = 9, TENSOR_MODULI = 15, TENSOR_COFACTOR = 17, TENSOR_PENALTY = 26, TENSOR_NUMBERS = 28 };

// What is known when a loop is compiled: nodes of an element, 4 or 3; Hooke's law; a penalty
typedef struct tensor_kind {
    int nodes, hooke, penalty;
} tensor_kind;

// ------------------------------------------------------------------------------------------------ axes of the element

// The axes e_j, one after the other, and the gradients in them: rows of an upper triangular matrix, with its zeros. The last
// gradient is along the last axis. All is zero where the gradients are (a removed element).
SP_POINTWISE void tensor_axes(int nodes, const sp_lane *slope, sp_lane *axes, sp_lane *g) {
    const sp_lane *last = slope + 3 * (nodes - 2), *before = last - 3;
    sp_lane *z = axes + 3 * (nodes - 2), *y = z - 3, over = membrane_inverse_length(last), along;
    for (int i = 0; i < 3; i++) z[i] = last[i] * over;
    along = lane_dot(before, z);
    for (int i = 0; i < 3; i++) y[i] = before[i] - along * z[i];
    over = membrane_inverse_length(y);
    for (int i = 0; i < 3; i++) y[i] *= over;
    if (nodes == 4)
        lane_cross(y, z, axes);
    else
        lane_cross(axes, axes + 3, axes + 6);
    for (int a = 0; a < nodes - 1; a++)
        for (int j = 0; j < 3; j++) g[3 * a + j] = j < a || j > nodes - 2 ? lane_all(0) : lane_dot(slope + 3 * a, axes + 3 * j);
}

// Row i of D = sum d_a g_a^T; of a membrane without the third column
SP_POINTWISE void tensor_row(int nodes, const sp_lane *d, const sp_lane *g, sp_lane *D) {
    D[0] = d[0] * g[0];
    D[1] = d[0] * g[1] + d[3] * g[4];
    if (nodes == 4) D[2] = d[0] * g[2] + d[3] * g[5] + d[6] * g[8];
}

// component i of f_a = P g_a from row i of P
SP_POINTWISE void tensor_spread(int nodes, const sp_lane *P, const sp_lane *g, sp_lane *f) {
    f[0] = P[0] * g[0] + P[1] * g[1];
    f[3] = P[1] * g[4];
    if (nodes == 3) return;
    f[0] += P[2] * g[2], f[3] += P[2] * g[5], f[6] = P[2] * g[8];
}

// P += a row of F times S
SP_POINTWISE void tensor_times(int nodes, const sp_lane *F, const sp_lane *S, sp_lane *P) {
    P[0] += F[0] * S[0] + F[1] * S[3];
    P[1] += F[0] * S[3] + F[1] * S[1];
    if (nodes == 3) return;
    P[0] += F[2] * S[5], P[1] += F[2] * S[4];
    P[2] += F[0] * S[5] + F[1] * S[4] + F[2] * S[2];
}

// e += sym(F^T D) of one row of both, with engineering shear (twice that of the tensor), xx yy zz xy yz zx
SP_POINTWISE void tensor_strain(int nodes, const sp_lane *F, const sp_lane *D, sp_lane *e) {
    e[0] += F[0] * D[0], e[1] += F[1] * D[1], e[3] += F[0] * D[1] + F[1] * D[0];
    if (nodes == 4) e[2] += F[2] * D[2], e[4] += F[1] * D[2] + F[2] * D[1], e[5] += F[0] * D[2] + F[2] * D[0];
}

// 2 mu e + lambda tr e I from the strain above
SP_POINTWISE void tensor_hooke(sp_lane two_mu, sp_lane lambda, sp_lane *e) {
    sp_lane mu = SP_REAL(0.5) * two_mu, pressure = lambda * (e[0] + e[1] + e[2]);
    for (int k = 0; k < 6; k++) e[k] = k < 3 ? two_mu * e[k] + pressure : mu * e[k];
}

// ------------------------------------------------------------------------------------------------ state

// Sets the negative eigenvalues of S to zero; lanes in which there is none keep their bits
SP_POINTWISE void tensor_definite(int nodes, sp_lane *S) {
    sp_lane zero = lane_all(0);
    if (nodes == 3) {
        // S = m + R with eigenvalues m +- r; where m - r < 0 < m + r, the projection is (m + r) / (2 r) (R + r)
        sp_lane m = SP_REAL(0.5) * (S[0] + S[1]), d = SP_REAL(0.5) * (S[0] - S[1]), r = lane_sqrt(d * d + S[3] * S[3]);
        sp_mask keep = m >= r, none = -m >= r;
        sp_lane c = SP_SELECT(keep | none, zero, SP_REAL(0.5) * (m + r) / SP_SELECT(keep | none, lane_all(1), r));
        S[0] = SP_SELECT(keep, S[0], c * (r + d)), S[1] = SP_SELECT(keep, S[1], c * (r - d));
        S[3] = SP_SELECT(keep, S[3], c * S[3]);
        return;
    }
    sp_lane minors = S[0] * S[1] + S[1] * S[2] + S[2] * S[0] - S[3] * S[3] - S[4] * S[4] - S[5] * S[5], C[6];
    sp_lane det = S[0] * (S[1] * S[2] - S[4] * S[4]) - S[3] * (S[3] * S[2] - S[4] * S[5]) + S[5] * (S[3] * S[4] - S[1] * S[5]);
    sp_mask bad = (S[0] + S[1] + S[2] < 0) | (minors < 0) | (det < 0);
    if (!lane_any(bad)) return;
    for (int k = 0; k < 6; k++) C[k] = S[k];
    lagrange_definite_stress(C);
    for (int k = 0; k < 6; k++) S[k] = SP_SELECT(bad, C[k], S[k]);
}

// the third column of F of a membrane: the deformed normal, of length 1
SP_POINTWISE void tensor_normal(sp_lane *F) {
    const sp_lane one[3] = {F[0], F[3], F[6]}, two[3] = {F[1], F[4], F[7]};
    sp_lane n[3];
    lane_cross(one, two, n);
    sp_lane over = membrane_inverse_length(n);
    for (int i = 0; i < 3; i++) F[3 * i + 2] = n[i] * over;
}

// the columns of C = cof F
SP_POINTWISE void tensor_cofactor(const sp_lane *F, sp_lane *C) {
    for (int j = 0; j < 3; j++) {
        int a = (j + 1) % 3, b = (j + 2) % 3;
        for (int i = 0; i < 3; i++) {
            int p = 3 * ((i + 1) % 3), q = 3 * ((i + 2) % 3);
            C[3 * i + j] = F[p + a] * F[q + b] - F[q + a] * F[p + b];
        }
    }
}

// adds the stress of the penalty to P = F S; returns its energy
SP_POINTWISE sp_lane tensor_penalise(int definite, sp_lane k, sp_lane w, const sp_lane *axes, const sp_lane *H, const sp_lane *F,
                                     sp_lane *P, sp_lane *T) {
    sp_lane M[9], C[9];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) M[3 * i + j] = axes[3 * i] * H[j] + axes[3 * i + 1] * H[3 + j] + axes[3 * i + 2] * H[6 + j];
    sp_lane j = lagrange_dilatation(M);
    tensor_cofactor(F, C);
    for (int i = 0; i < 9; i++) P[i] += k * j * C[i], T[TENSOR_COFACTOR + i] = C[i];
    T[TENSOR_PENALTY] = w * k, T[TENSOR_PENALTY + 1] = definite ? lane_all(0) : w * k * j;
    return SP_REAL(0.5) * k * j * j;
}

// State of an element of rest volume w (of membranes area times thickness) with rest gradients `slope` at displacements d of
// nodes 1.. less that of node 0; p: the numbers of the law. Gradients g in the axes of the element, tangent T, forces f of nodes
// 1..; returns the energy density.
SP_POINTWISE sp_lane tensor_state(tensor_kind kind, int definite, const sp_lane *p, const sp_lane *slope, sp_lane w,
                                  const sp_lane *d, sp_lane *g, sp_lane *T, sp_lane *f) {
    sp_lane axes[9], H[9], P[9], E[6], S[6], mu = p[0], lambda = p[1], zero = lane_all(0);
    if (kind.nodes == 3) lambda = 2 * mu * membrane_contraction(SP_LAW_STVK, p);
    tensor_axes(kind.nodes, slope, axes, g);
    for (int k = 0; k < 6; k++) E[k] = zero;
    for (int i = 0; i < 9; i++) H[i] = P[i] = zero, T[i] = axes[3 * (i % 3) + i / 3];
    for (int i = 0; i < 3; i++) {
        // e . h + h . h / 2, for both orders of the axes
        sp_lane middle[3];
        tensor_row(kind.nodes, d + i, g, H + 3 * i);
        for (int j = 0; j < 3; j++) middle[j] = kind.hooke ? T[3 * i + j] : T[3 * i + j] + SP_REAL(0.5) * H[3 * i + j];
        tensor_strain(kind.nodes, middle, H + 3 * i, E);
        for (int j = 0; j < 3 && !kind.hooke; j++) T[3 * i + j] += H[3 * i + j];
    }
    if (kind.nodes == 3 && !kind.hooke) tensor_normal(T);
    for (int k = 0; k < 6; k++) S[k] = E[k];
    tensor_hooke(2 * mu, lambda, S);
    sp_lane energy = SP_REAL(0.5) * (lane_dot(S, E) + lane_dot(S + 3, E + 3));
    for (int i = 0; i < 9; i += 3) tensor_times(kind.nodes, T + i, S, P + i);
    if (kind.penalty) energy += tensor_penalise(definite, p[SP_LAW_BULK], w, axes, H, T, P, T);
    for (int i = 0; i < 9; i++) P[i] *= -w;
    for (int i = 0; i < 3; i++) tensor_spread(kind.nodes, P + 3 * i, g, f + i);
    if (definite && !kind.hooke) tensor_definite(kind.nodes, S);
    for (int k = 0; k < 6; k++) T[TENSOR_STRESS + k] = kind.hooke ? zero : w * S[k];
    T[TENSOR_MODULI] = 2 * w * mu, T[TENSOR_MODULI + 1] = w * lambda;
    return energy;
}

// ------------------------------------------------------------------------------------------------ the system

// P += k C (C : D) + k (J - 1) dC
SP_POINTWISE void tensor_penalty_rate(const sp_lane *T, const sp_lane *D, sp_lane *P) {
    const sp_lane *C = T + TENSOR_COFACTOR;
    sp_lane rate = lane_all(0), pressure = T[TENSOR_PENALTY + 1];
    for (int i = 0; i < 9; i++) rate += C[i] * D[i];
    rate *= T[TENSOR_PENALTY];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            int a = (j + 1) % 3, b = (j + 2) % 3, p = 3 * ((i + 1) % 3), q = 3 * ((i + 2) % 3);
            sp_lane change = T[p + a] * D[q + b] + D[p + a] * T[q + b] - T[q + a] * D[p + b] - D[q + a] * T[p + b];
            P[3 * i + j] += rate * C[3 * i + j] + pressure * change;
        }
}

// f = K d, nodes 1.. Row by row: fewer numbers are alive at once than registers hold
SP_POINTWISE void tensor_product(tensor_kind kind, const sp_lane *T, const sp_lane *g, const sp_lane *d, sp_lane *f) {
    sp_lane D[9], P[9], e[6];
    for (int k = 0; k < 6; k++) e[k] = lane_all(0);
    for (int k = 0; k < 9; k++) P[k] = lane_all(0);
    for (int i = 0; i < 3; i++) {
        tensor_row(kind.nodes, d + i, g, D + 3 * i);
        tensor_strain(kind.nodes, T + 3 * i, D + 3 * i, e);
    }
    tensor_hooke(T[TENSOR_MODULI], T[TENSOR_MODULI + 1], e);
    if (kind.penalty) tensor_penalty_rate(T, D, P);
    for (int i = 0; i < 3; i++) {
        tensor_times(kind.nodes, T + 3 * i, e, P + 3 * i);
        if (!kind.hooke) tensor_times(kind.nodes, D + 3 * i, T + TENSOR_STRESS, P + 3 * i);
        tensor_spread(kind.nodes, P + 3 * i, g, f + i);
    }
}

// out = F y
SP_POINTWISE void tensor_carry(const sp_lane *F, const sp_lane *y, sp_lane *out) {
    for (int i = 0; i < 3; i++) out[i] = lane_dot(F + 3 * i, y);
}

// F F^T, row by row; of a membrane of its plane
SP_POINTWISE void tensor_left(int nodes, const sp_lane *F, sp_lane *B) {
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            B[3 * i + j] = F[3 * i] * F[3 * j] + F[3 * i + 1] * F[3 * j + 1];
            if (nodes == 4) B[3 * i + j] += F[3 * i + 2] * F[3 * j + 2];
        }
}

// adds the block of two nodes with the gradients y and z in the axes of the element: the closed form above. B: F F^T
SP_POINTWISE void tensor_block(tensor_kind kind, const sp_lane *T, const sp_lane *B, const sp_lane *y, const sp_lane *z,
                               sp_lane *K) {
    sp_lane mu = SP_REAL(0.5) * T[TENSOR_MODULI], lambda = T[TENSOR_MODULI + 1], Y[3], Z[3], x[3], along = mu * lane_dot(y, z);
    const sp_lane *S = T + TENSOR_STRESS;
    tensor_carry(T, y, Y), tensor_carry(T, z, Z);
    for (int i = 0; i < 9; i++) K[i] += lambda * (Y[i / 3] * Z[i % 3]) + mu * (Z[i / 3] * Y[i % 3]) + along * B[i];
    x[0] = S[0] * z[0] + S[3] * z[1] + S[5] * z[2];
    x[1] = S[3] * z[0] + S[1] * z[1] + S[4] * z[2];
    x[2] = S[5] * z[0] + S[4] * z[1] + S[2] * z[2];
    along = lane_dot(y, x);
    for (int i = 0; i < 9; i += 4) K[i] += along;
    if (!kind.penalty) return;
    // the second derivative of J by u y^T and v z^T is u . (v x n), n = F (y x z)
    sp_lane n[3];
    tensor_carry(T + TENSOR_COFACTOR, y, Y), tensor_carry(T + TENSOR_COFACTOR, z, Z);
    for (int i = 0; i < 9; i++) K[i] += T[TENSOR_PENALTY] * (Y[i / 3] * Z[i % 3]);
    lane_cross(y, z, x), tensor_carry(T, x, n);
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3;
        K[3 * i + j] += T[TENSOR_PENALTY + 1] * n[3 - i - j], K[3 * j + i] -= T[TENSOR_PENALTY + 1] * n[3 - i - j];
    }
}

#endif
