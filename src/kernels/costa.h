// The law of Costa et al. (1996, 2001) at one point, on lanes, in the axes of fibre, sheet and normal:
//     W = a/2 (exp(J^(-4/3) Q) - 1) + k (J ln J - J + 1),
//     Q = bff Eff^2 + bss Ess^2 + bnn Enn^2 + 2 (bfs Efs^2 + bfn Efn^2 + bsn Esn^2).
// W is a function of Q and j = J - 1, whose derivatives tools/laws.py writes. With G = dQ/dE and K = dJ/dE = J C^-1
//     S = W_Q G + W_j K,   D = W_QQ G G + W_Qj (G K + K G) + W_jj K K + W_Q dG/dE + W_j (K K - 2 K (x) K) / J
// with (X (x) X)_ijkl = (X_ik X_jl + X_il X_jk) / 2.
#ifndef SP_COSTA_H
#define SP_COSTA_H

#include "kernels/lagrange.h"

typedef struct costa_response {
    sp_lane energy;
    sp_lane F[9], cof[9];  // in material axes, and the cofactors of F
    sp_lane P[9];          // first Piola-Kirchhoff stress, columns in material axes
    sp_lane S[6], D[36];
} costa_response;

// Number of b for the components xx yy zz xy yz zx in the numbers of the law: bff bss bnn bfs bfn bsn follow a.
SP_TABLE int sp__costa_b[6] = {1, 2, 3, 4, 6, 5};

// third axis of the two directions of an element: the normal of the sheet
SP_POINTWISE void costa_axes(const sp_lane *fibre, sp_lane *axes) {
    for (int k = 0; k < 6; k++) axes[k] = fibre[k];
    lane_cross(axes, axes + 3, axes + 6);
}

SP_POINTWISE sp_lane costa_form(const sp_lane *p, const sp_lane *E, sp_lane *G) {
    sp_lane q = lane_all(0);
    for (int k = 0; k < 6; k++) {
        G[k] = 2 * p[sp__costa_b[k]] * E[k];
        q += (k < 3 ? SP_REAL(0.5) : SP_REAL(1.0)) * G[k] * E[k];
    }
    return q;
}

SP_POINTWISE void costa_moduli(const sp_lane *p, const sp_lane *W, sp_lane J, const sp_lane *G, const sp_lane *K, sp_lane *D) {
    for (int r = 0; r < 6; r++)
        for (int c = 0; c < 6; c++) {
            int i = r < 3 ? r : sp__axis_a[r - 3], j = r < 3 ? r : sp__axis_b[r - 3];
            int k = c < 3 ? c : sp__axis_a[c - 3], l = c < 3 ? c : sp__axis_b[c - 3];
            sp_lane crossed =
                K[sp__pair_of[3 * i + k]] * K[sp__pair_of[3 * j + l]] + K[sp__pair_of[3 * i + l]] * K[sp__pair_of[3 * j + k]];
            sp_lane sum = W[3] * G[r] * G[c] + W[5] * (G[r] * K[c] + K[r] * G[c]) + W[4] * K[r] * K[c];
            sum += W[2] * (K[r] * K[c] - crossed) / J;
            if (r == c) sum += W[1] * (r < 3 ? SP_REAL(2.0) : SP_REAL(1.0)) * p[sp__costa_b[r]];
            D[6 * r + c] = sum;
        }
}

// U: energy of the change of volume with its derivatives by j, NULL: that of the law. Where the law is not defined, the energy is
// infinite, and the rest is that of the rest shape.
SP_POINTWISE void costa_respond(int definite, const sp_lane *p, const sp_lane *fibre, const sp_lane *gradient, const sp_lane *U,
                                costa_response *out) {
    sp_lane axes[9], turned[9], E[6], G[6], K[6], W[6], V[3], H[9], zero = lane_all(0);
    sp_lane j = lagrange_dilatation(gradient);
    sp_mask defined = j > -1;
    j = SP_SELECT(defined, j, zero);
    for (int k = 0; k < 9; k++) H[k] = SP_SELECT(defined, gradient[k], zero);
    costa_axes(fibre, axes);
    lagrange_gradient(axes, H, turned, out->F);
    lagrange_strain(axes, turned, E);
    sp_lane q = costa_form(p, E, G), J = 1 + j;
    law_costa(p, q, j, W);
    if (U)
        for (int k = 0; k < 3; k++) V[k] = U[k];
    else
        volume_costa(p[SP_LAW_BULK], j, V);
    W[0] += V[0], W[2] += V[1], W[4] += V[2];
    lane_cofactor(out->F, out->cof);
    lane_gram(out->cof, K);
    for (int k = 0; k < 6; k++) K[k] /= J, out->S[k] = W[1] * G[k] + W[2] * K[k];
    lane_mul_sym(out->F, out->S, out->P);
    costa_moduli(p, W, J, G, K, out->D);
    if (definite) lagrange_definite_stress(out->S), lagrange_definite_moduli(out->D);
    out->energy = SP_SELECT(defined, W[0], lane_all(INFINITY));
}

// energy alone; U as above
SP_POINTWISE sp_lane costa_energy(const sp_lane *p, const sp_lane *fibre, const sp_lane *H, const sp_lane *U) {
    sp_lane axes[9], turned[9], F[9], E[6], G[6], W[6], V[3], zero = lane_all(0), j = lagrange_dilatation(H);
    sp_mask defined = j > -1;
    j = SP_SELECT(defined, j, zero);
    costa_axes(fibre, axes);
    lagrange_gradient(axes, H, turned, F);
    lagrange_strain(axes, turned, E);
    law_costa(p, SP_SELECT(defined, costa_form(p, E, G), zero), j, W);
    volume_costa(p[SP_LAW_BULK], j, V);
    return SP_SELECT(defined, W[0] + (U ? U[0] : V[0]), lane_all(INFINITY));
}

// J - 1; where the law is not defined, that of the rest shape
SP_POINTWISE sp_lane costa_measure(const sp_lane *H) {
    sp_lane j = lagrange_dilatation(H);
    return SP_SELECT(j > -1, j, lane_all(0));
}

#endif
