// Pointwise physics of the linear tetrahedron, on lanes.
//
// Rest gradients g1, g2, g3 of nodes 1..3 are stored in the rest frame of the element (g2x = g3x = g3y = 0: six numbers). A state
// gives F = sum d_i g_i^T (d_i = x_i - x_0), a rotation R, and *rotated gradients* c_i = R g_i. With them the corotational model
// (Nesme et al. 2004; Mueller and Gross 2004) contains no explicit rotation:
//     H = sum d_i c_i^T = F R^T,   strain e = sym(H) - I,   f_i = -V (2 mu e + lambda tr(e) I) c_i
// The product with the stiffness matrix at frozen rotation is the same with any vector for x, and without the I. The kernels
// store G_i = sqrt(V mu) c_i, which leaves one more number per element, lambda / mu:
//     f_i = (H + H^T + (lambda / mu) tr(H) I) G_i,  H = sum d_i G_i^T
#ifndef SP_TET_H
#define SP_TET_H

#include "kernels/rotation.h"
#include "kernels/tet_rotation.h"

// below this volume ratio an element is too flat to build its stiffness on the deformed shape: the rest shape is used
#define SP_FLAT_RATIO SP_REAL(0.05)

// F from edges d1 d2 d3 (9 lanes: d[3 * node + axis]) and rest gradients
SP_POINTWISE void tet_gradient(const sp_lane *d, const sp_lane *g, sp_lane *F) {
    for (int i = 0; i < 3; i++) {
        F[3 * i] = d[i] * g[0];
        F[3 * i + 1] = d[i] * g[1] + d[3 + i] * g[3];
        F[3 * i + 2] = d[i] * g[2] + d[3 + i] * g[4] + d[6 + i] * g[5];
    }
}

// out_i = M g_i for the sparse rest gradients
SP_POINTWISE void tet_turn(const sp_lane *M, const sp_lane *g, sp_lane *c) {
    for (int i = 0; i < 3; i++) {
        c[i] = M[3 * i] * g[0] + M[3 * i + 1] * g[1] + M[3 * i + 2] * g[2];
        c[3 + i] = M[3 * i + 1] * g[3] + M[3 * i + 2] * g[4];
        c[6 + i] = M[3 * i + 2] * g[5];
    }
}

SP_POINTWISE void tet_rotate(const sp_lane *F, tet_rotation how, sp_lane *R) {
    if (how == TET_QR)
        rotation_qr(F, R);
    else if (how == TET_SVD)
        rotation_svd(F, R);
    else
        rotation_polar(F, R);
}

// T = H + H^T + r tr(H) I with H = sum d_i G_i^T, as xx yy zz xy yz zx
SP_POINTWISE void tet_stress(const sp_lane *d, const sp_lane *G, sp_lane r, sp_lane *T) {
    sp_lane H[9];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) H[3 * i + j] = d[i] * G[j] + d[3 + i] * G[3 + j] + d[6 + i] * G[6 + j];
    sp_lane p = r * (H[0] + H[4] + H[8]);
    T[0] = H[0] + H[0] + p, T[1] = H[4] + H[4] + p, T[2] = H[8] + H[8] + p;
    T[3] = H[1] + H[3], T[4] = H[5] + H[7], T[5] = H[2] + H[6];
}

// f_i = T G_i for nodes 1..3
SP_POINTWISE void tet_spread(const sp_lane *T, const sp_lane *G, sp_lane *f) {
    for (int a = 0; a < 9; a += 3) {
        f[a] = T[0] * G[a] + T[3] * G[a + 1] + T[5] * G[a + 2];
        f[a + 1] = T[3] * G[a] + T[1] * G[a + 1] + T[4] * G[a + 2];
        f[a + 2] = T[5] * G[a] + T[4] * G[a + 1] + T[2] * G[a + 2];
    }
}

// stiffness matrix times d, at frozen rotations
SP_POINTWISE void tet_product(const sp_lane *d, const sp_lane *G, sp_lane r, sp_lane *f) {
    sp_lane T[6];
    tet_stress(d, G, r, T);
    tet_spread(T, G, f);
}

// Additional term of the exact tangent: the rotation changes by w = (tr S - S)^-1 a when the skew part of H changes by a. N (6
// numbers) is 1 + (lambda/mu tr(S - I) - 2) (tr S - S)^-1 in world axes, and f_i += (N a) x G_i.
SP_POINTWISE void tet_product_spin(const sp_lane *d, const sp_lane *G, const sp_lane *N, sp_lane *f) {
    sp_lane a[3] = {lane_all(0), lane_all(0), lane_all(0)}, c[3], w[3];
    for (int i = 0; i < 9; i += 3) {
        lane_cross(G + i, d + i, c);
        for (int k = 0; k < 3; k++) a[k] += c[k];
    }
    w[0] = N[0] * a[0] + N[3] * a[1] + N[5] * a[2];
    w[1] = N[3] * a[0] + N[1] * a[1] + N[4] * a[2];
    w[2] = N[5] * a[0] + N[4] * a[1] + N[2] * a[2];
    for (int i = 0; i < 9; i += 3) {
        lane_cross(w, G + i, c);
        for (int k = 0; k < 3; k++) f[i + k] += c[k];
    }
}

// The 3x3 stiffness block of nodes a and b from their scaled gradients: r Ga Gb^T + Gb Ga^T + (Ga . Gb) I, times `factor`
SP_POINTWISE void tet_block(const sp_lane *Ga, const sp_lane *Gb, sp_lane r, sp_lane factor, sp_lane *K) {
    sp_lane fa[3], ra[3], dot = factor * lane_dot(Ga, Gb);
    for (int i = 0; i < 3; i++) fa[i] = factor * Ga[i], ra[i] = r * fa[i];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) K[3 * i + j] = ra[i] * Gb[j] + Gb[i] * fa[j];
    for (int i = 0; i < 9; i += 4) K[i] += dot;
}

// additional term of the exact tangent: [Ga]x^T N [Gb]x
SP_POINTWISE void tet_block_spin(const sp_lane *Ga, const sp_lane *Gb, const sp_lane *N, sp_lane factor, sp_lane *K) {
    sp_lane n[9] = {N[0], N[3], N[5], N[3], N[1], N[4], N[5], N[4], N[2]};
    for (int j = 0; j < 3; j++) {
        // column j of N [Gb]x, then its cross product with Ga from the left; the transpose changes the sign
        sp_lane e[3] = {lane_all(j == 0), lane_all(j == 1), lane_all(j == 2)}, g[3], ng[3], c[3];
        lane_cross(Gb, e, g);
        for (int i = 0; i < 3; i++) ng[i] = lane_dot(n + 3 * i, g);
        lane_cross(ng, Ga, c);
        for (int i = 0; i < 3; i++) K[3 * i + j] += factor * c[i];
    }
}

// gradients of the deformed shape, F^-T g_i, if it is not too flat; otherwise R g_i of the rest shape
SP_POINTWISE void tet_deformed_gradients(const sp_lane *F, const sp_lane *g, sp_lane *c) {
    sp_lane cof[9], deformed[9];
    sp_lane det = lane_cofactor(F, cof);
    sp_mask flat = lane_abs(det) < SP_FLAT_RATIO;
    sp_lane s = 1 / SP_SELECT(flat, lane_all(1), det);
    for (int i = 0; i < 9; i++) cof[i] *= s;
    tet_turn(cof, g, deformed);
    for (int i = 0; i < 9; i++) c[i] = SP_SELECT(flat, c[i], deformed[i]);
}

// Strain (xx yy zz xy yz zx, tensor shear) at a state: H = sum (d_i - R D_i) c_i^T with the rest edges D_i, so that sym(H) is
// sym(F R^T) - I on the rest shape and sym(I - R F^-1) on the deformed one. I is formed from R and c, so that it cancels exactly.
SP_POINTWISE void tet_strain(const sp_lane *d, const sp_lane *c, const sp_lane *F, const sp_lane *R, int deformed, sp_lane *e) {
    sp_lane H[9];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) H[3 * i + j] = d[i] * c[j] + d[3 + i] * c[3 + j] + d[6 + i] * c[6 + j];
    sp_lane one = lane_all(1), X[9];
    if (deformed) {
        // sum d_i c_i^T = I on the deformed shape; there sum D_i c_i^T = F^-1
        sp_lane cof[9], det = lane_cofactor(F, cof);
        sp_mask flat = lane_abs(det) < SP_FLAT_RATIO;
        sp_lane s = 1 / SP_SELECT(flat, one, det);
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++) {
                // (R F^-1)_ij = sum_k R_ik cof_jk / det
                sp_lane rf = (R[3 * i] * cof[3 * j] + R[3 * i + 1] * cof[3 * j + 1] + R[3 * i + 2] * cof[3 * j + 2]) * s;
                sp_lane id = lane_all(i == j ? 1 : 0);
                X[3 * i + j] = SP_SELECT(flat, H[3 * i + j] - id, id - rf);
            }
    } else {
        for (int i = 0; i < 9; i++) X[i] = i % 4 ? H[i] : H[i] - one;
    }
    e[0] = X[0], e[1] = X[4], e[2] = X[8];
    e[3] = SP_REAL(0.5) * (X[1] + X[3]), e[4] = SP_REAL(0.5) * (X[5] + X[7]), e[5] = SP_REAL(0.5) * (X[2] + X[6]);
}

// energy density over mu: e:e + r/2 tr(e)^2
SP_POINTWISE sp_lane tet_energy(const sp_lane *e, sp_lane r) {
    sp_lane t = e[0] + e[1] + e[2];
    return e[0] * e[0] + e[1] * e[1] + e[2] * e[2] + 2 * (e[3] * e[3] + e[4] * e[4] + e[5] * e[5]) + SP_REAL(0.5) * r * t * t;
}

// Energy density of the linear material: the strain is the symmetric part of F in world axes, F R^T - I, with R the rest frame.
// The rows of R are the axes of the frame.
SP_POINTWISE sp_lane tet_linear_energy(const sp_lane *F, const sp_lane *frame, sp_lane r) {
    sp_lane H[9], e[6];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            H[3 * i + j] = F[3 * i] * frame[j] + F[3 * i + 1] * frame[3 + j] + F[3 * i + 2] * frame[6 + j];
    e[0] = H[0] - 1, e[1] = H[4] - 1, e[2] = H[8] - 1;
    e[3] = SP_REAL(0.5) * (H[1] + H[3]), e[4] = SP_REAL(0.5) * (H[5] + H[7]), e[5] = SP_REAL(0.5) * (H[2] + H[6]);
    return tet_energy(e, r);
}

// The same energy density from the deformation gradient, without the rotation: with the stretches s_i and e = s - 1, e:e = tr C -
// 2 l + 3 and tr e = l - 3, where l = s1 + s2 + s3 is the largest root of the quartic of stretch_sum. The equation is solved for
// t = l - 3 with the invariants J1 J2 J3 of the Green strain, so that small strains keep their precision. `det`: det F; its
// absolute value for polar rotations.
SP_POINTWISE sp_lane tet_stretch_energy(const sp_lane *F, sp_lane det, sp_lane r) {
    sp_lane E[6];
    lane_gram(F, E);
    for (int i = 0; i < 6; i++) E[i] = SP_REAL(0.5) * (i < 3 ? E[i] - 1 : E[i]);
    sp_lane J1 = E[0] + E[1] + E[2];
    sp_lane J2 = E[0] * E[1] + E[1] * E[2] + E[2] * E[0] - E[3] * E[3] - E[4] * E[4] - E[5] * E[5];
    sp_lane J3 = E[0] * (E[1] * E[2] - E[4] * E[4]) - E[3] * (E[3] * E[2] - E[4] * E[5]) + E[5] * (E[3] * E[4] - E[1] * E[5]);
    sp_mask upright = det > 0;
    sp_lane grown = SP_SELECT(upright, (2 * J1 + 4 * J2 + 8 * J3) / SP_SELECT(upright, 1 + det, lane_all(1)), det - 1);
    sp_lane c0 = 4 * J1 * (J1 - 10) - 24 * grown - 16 * J2, c1 = 64 - 24 * J1 - 8 * grown, c2 = 48 - 4 * J1;
    // initial value: tr e = tr E - tr E2 / 2 + tr E3 / 2 for small strains; not below the root for large ones, where Newton's
    // method is monotone
    sp_lane square = J1 * J1 - 2 * J2, cube = J1 * (J1 * J1 - 3 * J2) + 3 * J3;
    sp_lane t = SP_SELECT(square < SP_REAL(0.02), J1 + SP_REAL(0.5) * (cube - square), 6 * J1 / (lane_sqrt(9 + 6 * J1) + 3));
    for (int i = 0; i < 16; i++) {
        sp_lane p = (((t + 12) * t + c2) * t + c1) * t + c0, dp = ((4 * t + 36) * t + 2 * c2) * t + c1;
        sp_mask flat = dp <= SP_PRECISION(1e-12, 1e-4) * (1 + lane_abs(J1));
        sp_lane step = SP_SELECT(flat, lane_all(0), p / SP_SELECT(flat, lane_all(1), dp));
        t -= step;
        // the remaining error is of the order of the square of the step
        if (!lane_any(step * step > SP_PRECISION(1e-10, 1e-6) * (J1 - t) + SP_PRECISION(1e-30, 1e-14))) break;
    }
    return 2 * (J1 - t) + SP_REAL(0.5) * r * t * t;
}

// N of tet_product_spin at a state with strain e (S = I + e in world axes)
SP_POINTWISE void tet_spin(const sp_lane *e, sp_lane r, sp_lane *N) {
    sp_lane S[6] = {1 + e[0], 1 + e[1], 1 + e[2], e[3], e[4], e[5]};
    spin_inverse(S, N);
    sp_lane s = r * (e[0] + e[1] + e[2]) - 2;
    for (int i = 0; i < 6; i++) N[i] = s * N[i] + lane_all(i < 3 ? 1 : 0);
}

// Evaluates one element at a state: scaled gradients G, elastic force f of nodes 1..3, energy; s = sqrt(V mu), r = lambda / mu.
// The strain e is returned for the spin term of the caller.
SP_POINTWISE sp_lane tet_state(const sp_lane *d, const sp_lane *g, sp_lane s, sp_lane r, tet_rotation how, int deformed,
                               sp_lane *G, sp_lane *f, sp_lane *e) {
    sp_lane F[9], R[9], T[6];
    tet_gradient(d, g, F);
    tet_rotate(F, how, R);
    tet_turn(R, g, G);
    if (deformed) tet_deformed_gradients(F, g, G);
    tet_strain(d, G, F, R, deformed, e);
    sp_lane p = r * (e[0] + e[1] + e[2]);
    for (int i = 0; i < 9; i++) G[i] *= s;
    for (int i = 0; i < 3; i++) T[i] = -s * (e[i] + e[i] + p), T[3 + i] = -s * (e[3 + i] + e[3 + i]);
    tet_spread(T, G, f);
    return s * s * tet_energy(e, r);
}

#endif
