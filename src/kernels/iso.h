// Pointwise physics of isoparametric elements, on lanes: one integration point at a time.
//
// With the rest gradients g_a of the shape functions of nodes 1.. and d_a = u_a - u_0, H = sum d_a g_a^T and the force of node a
// is -w P g_a = -w U diag(psi_i) (V^T g_a). A state keeps the turned gradients V^T g_a and, in the axes of the stretches, the
// tangent: U, and psi_ij, (sym +- skew) / 2 of kernels/spectral.h times w. The product with the stiffness matrix is then the same
// for every law:
//     Q = U^T (sum d_a (V^T g_a)^T),   f_a = U dP(Q) (V^T g_a)
#ifndef SP_ISO_H
#define SP_ISO_H

#include "kernels/spectral.h"

// H = sum d_a g_a^T of nodes 1..; `nodes` counts node 0
SP_POINTWISE void iso_gradient(int nodes, const sp_lane *d, const sp_lane *g, sp_lane *H) {
    for (int k = 0; k < 9; k++) H[k] = d[k / 3] * g[k % 3];
    for (int a = 3; a < 3 * nodes - 3; a += 3)
        for (int k = 0; k < 9; k++) H[k] += d[a + k / 3] * g[a + k % 3];
}

// Stress and tangent at one point, not yet times its volume: first[3], in the axes of U and V. The linear law has U = V = I,
// where its stress is not diagonal: all of it is in `stress` (xx yy zz xy yz zx).
typedef struct iso_response {
    sp_lane U[9], V[9], stress[6];
    law_response law;
} iso_response;

SP_POINTWISE void iso_strain(const sp_lane *H, sp_lane *e) {
    for (int k = 0; k < 3; k++) e[k] = H[4 * k];
    e[3] = SP_REAL(0.5) * (H[1] + H[3]), e[4] = SP_REAL(0.5) * (H[5] + H[7]), e[5] = SP_REAL(0.5) * (H[2] + H[6]);
}

SP_POINTWISE void iso_hooke(const sp_lane *p, const sp_lane *e, iso_response *out) {
    out->law.energy = law_hooke(p, e, out->stress);
    for (int k = 0; k < 3; k++) {
        out->law.second[k] = 2 * p[0] + p[1], out->law.second[3 + k] = p[1];
        out->law.sym[k] = 2 * p[0], out->law.skew[k] = lane_all(0);
    }
}

SP_POINTWISE void iso_linear(const sp_lane *p, const sp_lane *H, iso_response *out) {
    sp_lane e[6];
    iso_strain(H, e);
    for (int k = 0; k < 9; k++) out->U[k] = out->V[k] = lane_all(k % 4 ? 0 : 1);
    iso_hooke(p, e, out);
}

SP_POINTWISE void iso_respond(sp_law law, int definite, const sp_lane *p, const sp_lane *H, iso_response *out) {
    if (law == SP_LAW_LINEAR) {
        iso_linear(p, H, out);
        return;
    }
    sp_lane t[3];
    spectral(H, out->U, out->V, t);
    law_evaluate(law, p, t, &out->law);
    for (int k = 0; k < 3; k++) out->stress[k] = out->law.first[k], out->stress[3 + k] = lane_all(0);
    if (definite) law_definite(&out->law);
}

// Energy of a law on invariants without the stretches. With e2 and e3 the sum of the principal minors and the determinant of H,
//     j = tr H + e2 + e3,   d1 = |H|^2 - 2 (e2 + e3),   d2 = |G|^2 - 2 e2 - 4 e3,   G = cof F - I = tr H I - H^T + cof H:
// nothing of first order in H is subtracted from d1 and d2, which are of second order.
SP_POINTWISE sp_lane iso_energy_of_invariants(sp_law law, const sp_lane *p, const sp_lane *H) {
    sp_lane cof[9], W[10], e3 = lane_cofactor(H, cof), e2 = cof[0] + cof[4] + cof[8], trace = H[0] + H[4] + H[8];
    sp_lane hh = lane_all(0), gg = lane_all(0), zero = lane_all(0), j = trace + e2 + e3;
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
            sp_lane g = cof[3 * i + k] - H[3 * k + i];
            if (i == k) g += trace;
            hh += H[3 * i + k] * H[3 * i + k], gg += g * g;
        }
    sp_lane d1 = hh - 2 * (e2 + e3), d2 = gg - 2 * e2 - 4 * e3;
    if (law_everywhere(law)) {
        law_invariants(law, p, d1, d2, j, W);
        return W[0];
    }
    sp_mask defined = j > -1;
    law_invariants(law, p, SP_SELECT(defined, d1, zero), SP_SELECT(defined, d2, zero), SP_SELECT(defined, j, zero), W);
    return SP_SELECT(defined, W[0], lane_all(INFINITY));
}

SP_POINTWISE sp_lane iso_energy(sp_law law, const sp_lane *p, const sp_lane *H) {
    iso_response r;
    if (law != SP_LAW_LINEAR && law != SP_LAW_COROTATIONAL && law != SP_LAW_OGDEN) return iso_energy_of_invariants(law, p, H);
    iso_respond(law, 0, p, H, &r);
    return r.law.energy;
}

// w U S, the stress S in the axes of the stretches
SP_POINTWISE void iso_stress(const iso_response *r, sp_lane w, sp_lane *P) {
    lane_mul_sym(r->U, r->stress, P);
    for (int k = 0; k < 9; k++) P[k] *= w;
}

// V^T g
SP_POINTWISE void iso_turn(const sp_lane *V, const sp_lane *g, sp_lane *out) {
    for (int i = 0; i < 3; i++) out[i] = V[i] * g[0] + V[3 + i] * g[1] + V[6 + i] * g[2];
}

// the numbers that the product needs: U, psi_ij, (sym + skew) / 2, (sym - skew) / 2; moduli times w
SP_POINTWISE void iso_tangent(const iso_response *r, sp_lane w, sp_lane *T) {
    sp_lane halved = SP_REAL(0.5) * w;
    for (int k = 0; k < 9; k++) T[k] = r->U[k];
    for (int k = 0; k < 6; k++) T[9 + k] = w * r->law.second[k];
    for (int k = 0; k < 3; k++) {
        T[15 + k] = halved * (r->law.sym[k] + r->law.skew[k]);
        T[18 + k] = halved * (r->law.sym[k] - r->law.skew[k]);
    }
}

// Q = dP(Q), in the axes of the stretches
SP_POINTWISE void iso_change(const sp_lane *T, sp_lane *Q) {
    const sp_lane *A = T + 9;
    sp_lane x = Q[0], y = Q[4], z = Q[8];
    Q[0] = A[0] * x + A[3] * y + A[5] * z;
    Q[4] = A[3] * x + A[1] * y + A[4] * z;
    Q[8] = A[5] * x + A[4] * y + A[2] * z;
    for (int k = 0; k < 3; k++) {
        int i = 3 * sp__axis_a[k] + sp__axis_b[k], j = 3 * sp__axis_b[k] + sp__axis_a[k];
        sp_lane a = Q[i], b = Q[j];
        Q[i] = T[15 + k] * a + T[18 + k] * b, Q[j] = T[15 + k] * b + T[18 + k] * a;
    }
}

// out = U^T x, U x
SP_POINTWISE void iso_inward(const sp_lane *U, const sp_lane *x, sp_lane *out) {
    for (int i = 0; i < 3; i++) out[i] = U[i] * x[0] + U[3 + i] * x[1] + U[6 + i] * x[2];
}
SP_POINTWISE void iso_outward(const sp_lane *U, const sp_lane *x, sp_lane *out) {
    for (int i = 0; i < 3; i++) out[i] = U[3 * i] * x[0] + U[3 * i + 1] * x[1] + U[3 * i + 2] * x[2];
}

// f_a += M g_a of nodes 1..
SP_POINTWISE void iso_spread(int nodes, const sp_lane *M, const sp_lane *g, sp_lane *f) {
    for (int a = 0; a < 3 * nodes - 3; a += 3)
        for (int i = 0; i < 3; i++) f[a + i] += lane_dot(M + 3 * i, g + a);
}

// f += K d at one point with turned gradients g, nodes 1... Many nodes: the gradient of d is turned; three: each d is, which
// keeps fewer numbers alive
SP_POINTWISE void iso_product(int nodes, const sp_lane *T, const sp_lane *g, const sp_lane *d, sp_lane *f) {
    sp_lane D[9], Q[9];
    iso_gradient(nodes, d, g, D);
    for (int j = 0; j < 3; j++)
        for (int i = 0; i < 3; i++) Q[3 * i + j] = T[i] * D[j] + T[3 + i] * D[3 + j] + T[6 + i] * D[6 + j];
    iso_change(T, Q);
    for (int j = 0; j < 3; j++)
        for (int i = 0; i < 3; i++) D[3 * i + j] = T[3 * i] * Q[j] + T[3 * i + 1] * Q[3 + j] + T[3 * i + 2] * Q[6 + j];
    iso_spread(nodes, D, g, f);
}
SP_POINTWISE void iso_product4(const sp_lane *T, const sp_lane *g, const sp_lane *d, sp_lane *f) {
    sp_lane t[9], Q[9];
    for (int a = 0; a < 9; a += 3) iso_inward(T, d + a, t + a);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) Q[3 * i + j] = t[i] * g[j] + t[3 + i] * g[3 + j] + t[6 + i] * g[6 + j];
    iso_change(T, Q);
    for (int i = 0; i < 3; i++)
        for (int a = 0; a < 9; a += 3) t[a + i] = Q[3 * i] * g[a] + Q[3 * i + 1] * g[a + 1] + Q[3 * i + 2] * g[a + 2];
    for (int a = 0; a < 9; a += 3) iso_outward(T, t + a, f + a);
}

// adds the stiffness block of two nodes with turned gradients y, z to K: U k U^T with
//     k_ii = psi_ii y_i z_i + sum_j p_ij y_j z_j,   k_ij = psi_ij y_i z_j + m_ij y_j z_i,   p, m = (sym +- skew) / 2
SP_POINTWISE void iso_block(const sp_lane *T, const sp_lane *y, const sp_lane *z, sp_lane *K) {
    sp_lane k[9], W[9];
    for (int i = 0; i < 3; i++) k[4 * i] = T[9 + i] * y[i] * z[i];
    for (int q = 0; q < 3; q++) {
        int i = sp__axis_a[q], j = sp__axis_b[q];
        sp_lane p = T[15 + q], m = T[18 + q], yz = y[i] * z[j], zy = y[j] * z[i];
        k[4 * i] += p * y[j] * z[j];
        k[4 * j] += p * y[i] * z[i];
        k[3 * i + j] = T[12 + q] * yz + m * zy;
        k[3 * j + i] = T[12 + q] * zy + m * yz;
    }
    for (int n = 0; n < 9; n++)
        W[n] = T[n - n % 3] * k[n % 3] + T[n - n % 3 + 1] * k[3 + n % 3] + T[n - n % 3 + 2] * k[6 + n % 3];
    for (int i = 0; i < 9; i += 3)
        for (int j = 0; j < 3; j++) K[i + j] += W[i] * T[3 * j] + W[i + 1] * T[3 * j + 1] + W[i + 2] * T[3 * j + 2];
}

SP_POINTWISE sp_lane iso_jacobian(const sp_lane *H) {
    sp_lane F[9], cof[3];
    for (int k = 0; k < 9; k++) F[k] = k % 4 ? H[k] : 1 + H[k];
    lane_cross(F + 3, F + 6, cof);
    return lane_dot(F, cof);
}

#endif
