// Isotropic elasticity at one point, by stretches.
//
// F = I + H = U S V^T with rotations U and V; the smallest stretch takes the sign of det F (Irving, Teran, Fedkiw 2004), so that
// inverted elements are states like others. An energy density psi(s1, s2, s3) has the stress P = U diag(psi_i) V^T, and with Q =
// U^T dF V the change of stress is U dP V^T,
//     dP_ii = sum_j psi_ij Q_jj,   dP_ij = (sym + skew) / 2 Q_ij + (sym - skew) / 2 Q_ji,
//     sym = (psi_i - psi_j) / (s_i - s_j),   skew = (psi_i + psi_j) / (s_i + s_j)
// (Stomakhin et al. 2012; Smith, De Goes, Kim 2019, "Analytic eigensystems for isotropic distortion energies"). The eigenvalues
// of the tangent are those of the 3x3 matrix psi_ij, the three sym and the three skew. A law gives all of them from t_i = s_i -
// 1, without a division by the difference of stretches and without cancellation at small strains.
#ifndef SP_SPECTRAL_H
#define SP_SPECTRAL_H

#include "kernels/laws.h"
#include "kernels/rotation.h"

// pairs of axes in the order 01 12 20, and where they stand in xx yy zz xy yz zx
SP_TABLE int sp__axis_a[3] = {0, 1, 2};
SP_TABLE int sp__axis_b[3] = {1, 2, 0};

// sums of two stretches below this count as zero: about the root of the rounding error of a stretch
#define SP_TINY_SUM SP_PRECISION(1e-8, 1e-4)

typedef struct law_response {
    sp_lane energy;
    sp_lane first[3];   // psi_i
    sp_lane second[6];  // psi_ij: xx yy zz xy yz zx
    sp_lane sym[3], skew[3];
} law_response;

// E = (F^T F - I) / 2 from H = F - I, as xx yy zz xy yz zx
SP_POINTWISE void green_strain(const sp_lane *H, sp_lane *E) {
    lane_gram(H, E);
    for (int i = 0; i < 3; i++) E[i] = H[4 * i] + SP_REAL(0.5) * E[i];
    E[3] = SP_REAL(0.5) * (H[1] + H[3] + E[3]), E[4] = SP_REAL(0.5) * (H[5] + H[7] + E[4]),
    E[5] = SP_REAL(0.5) * (H[2] + H[6] + E[5]);
}

// Eigenvalues, descending, in the first three numbers of C, and eigenvectors in the columns of V. Five sweeps converge to
// rounding; three or four are usual. Off-diagonal numbers below rounding are set to zero, and a rotation of zero changes no bit,
// so that a lane does not depend on how long others take.
SP_POINTWISE void jacobi_eigen(sp_lane *C, sp_lane *V) {
    for (int i = 0; i < 9; i++) V[i] = lane_all(i % 4 ? 0 : 1);
    for (int sweep = 0; sweep < 5; sweep++) {
        sp_lane size = lane_abs(C[0]) + lane_abs(C[1]) + lane_abs(C[2]), off = lane_abs(C[3]) + lane_abs(C[4]) + lane_abs(C[5]);
        sp_mask open = off > SP_PRECISION(1e-17, 5e-9) * size;
        if (!lane_any(open)) break;
        for (int k = 3; k < 6; k++) C[k] = SP_SELECT(open, C[k], lane_all(0));
        jacobi_rotation(&C[0], &C[1], &C[3], &C[5], &C[4], V, 0, 1);
        jacobi_rotation(&C[1], &C[2], &C[4], &C[3], &C[5], V, 1, 2);
        jacobi_rotation(&C[0], &C[2], &C[5], &C[3], &C[4], V, 0, 2);
    }
    jacobi_sort(&C[0], &C[1], V, 0, 1);
    jacobi_sort(&C[0], &C[2], V, 0, 2);
    jacobi_sort(&C[1], &C[2], V, 1, 2);
}

// F = I + H = U diag(1 + t) V^T. Eigenvectors are those of E, not of F^T F, and small t are computed from its eigenvalues, so
// that small strains keep their digits; others are (U^T F V)_ii - 1, which is accurate for small stretches and has the sign of
// det F.
SP_POINTWISE void spectral(const sp_lane *H, sp_lane *U, sp_lane *V, sp_lane *t) {
    sp_lane E[6], v[9], u[9], f[9];  // rows: the columns of V, U, F V
    green_strain(H, E);
    jacobi_eigen(E, V);
    for (int i = 0; i < 3; i++) v[i] = V[3 * i], v[3 + i] = V[3 * i + 1];
    lane_cross(v, v + 3, v + 6);
    for (int a = 0; a < 9; a += 3)
        for (int i = 0; i < 3; i++) f[a + i] = v[a + i] + lane_dot(H + 3 * i, v + a);
    lane_frame(f, f + 3, u, u + 3, u + 6);
    for (int a = 0; a < 3; a++) {
        sp_lane direct = lane_dot(u + 3 * a, f + 3 * a) - 1, e = 2 * E[a];
        sp_mask small = (lane_abs(e) < SP_REAL(0.2)) & (direct > -1);
        sp_lane root = lane_sqrt(SP_SELECT(small, 1 + e, lane_all(1)));
        t[a] = SP_SELECT(small, e / (1 + root), direct);
        for (int i = 0; i < 3; i++) V[3 * i + a] = v[3 * a + i], U[3 * i + a] = u[3 * a + i];
    }
}

// ------------------------------------------------------------------------------------------------ laws

// psi = mu sum t^2 + lambda/2 (sum t)^2. The skew modulus is the derivative of the rotation: without it the rotation is frozen.
// Where two stretches cancel, the rotation is not differentiable and the modulus is left out
SP_POINTWISE void law_corotational(const sp_lane *p, const sp_lane *t, law_response *out) {
    sp_lane mu = p[0], lambda = p[1], sum = t[0] + t[1] + t[2], zero = lane_all(0);
    out->energy = mu * lane_dot(t, t) + SP_REAL(0.5) * lambda * sum * sum;
    for (int i = 0; i < 3; i++) {
        out->first[i] = 2 * mu * t[i] + lambda * sum;
        out->second[i] = 2 * mu + lambda, out->second[3 + i] = lambda;
    }
    for (int k = 0; k < 3; k++) {
        int a = sp__axis_a[k], b = sp__axis_b[k];
        sp_lane size = 2 + t[a] + t[b];
        sp_mask exact = (p[SP_LAW_EXACT] > 0) & (size > SP_TINY_SUM);
        out->sym[k] = 2 * mu;
        out->skew[k] = SP_SELECT(exact, (out->first[a] + out->first[b]) / SP_SELECT(exact, size, lane_all(1)), zero);
    }
}

// One term 2 mu / a^2 sum (sbar_i^a - 1) of Ogden (1972) in the logarithms l of the stretches: with g_i = sbar_i^a and their mean
// m
//     s_i psi_i = T_i = 2 mu / a (g_i - m),   dT_i / dl_j = 2 mu (g_i delta_ij - (g_i + g_j - m) / 3)
// and with the mean l and half the difference d of two l, (T_i - T_j) / (s_i - s_j) = 2 mu sqrt(g_i g_j / (s_i s_j)) sinhc(a d) /
// sinhc(d), which is smooth where they are equal. Adds T to `tau`, dT/dl to `slope`, the quotients to `quotient`.
SP_POINTWISE sp_lane ogden_term(sp_lane mu, sp_lane a, const sp_lane *l, sp_lane *tau, sp_lane *slope, sp_lane *quotient) {
    sp_mask some = (a != 0);
    sp_lane factor = SP_SELECT(some, 2 * mu / SP_SELECT(some, a, lane_all(1)), lane_all(0));
    sp_lane mean = (l[0] + l[1] + l[2]) / 3, g[3], x[3], energy = lane_all(0);
    for (int i = 0; i < 3; i++) x[i] = a * (l[i] - mean), g[i] = lane_expm1(x[i]), energy += lane_exp_rest(x[i]);
    sp_lane m = (g[0] + g[1] + g[2]) / 3, stiff = factor * a;
    for (int i = 0; i < 3; i++) {
        tau[i] += factor * (g[i] - m);
        slope[i] += stiff * (g[i] + 1 - (2 * g[i] - m + 1) / 3);
    }
    for (int k = 0; k < 3; k++) {
        int i = sp__axis_a[k], j = sp__axis_b[k];
        sp_lane halved = SP_REAL(0.5) * (l[i] - l[j]), together = SP_REAL(0.5) * (x[i] + x[j] - l[i] - l[j]);
        slope[3 + k] -= stiff * (g[i] + g[j] - m + 1) / 3;
        quotient[k] += stiff * lane_exp(together) * lane_sinhc(a * halved) / lane_sinhc(halved);
    }
    return SP_SELECT(some, factor / SP_SELECT(some, a, lane_all(1)) * energy, lane_all(0));
}

// up to four terms and the energy of a change of volume, T_i = J U'
SP_POINTWISE void law_ogden(const sp_lane *p, const sp_lane *t, law_response *out) {
    sp_lane s[3], l[3], tau[3], slope[6], quotient[3], U[3], zero = lane_all(0);
    sp_lane j = t[0] + t[1] + t[2] + t[0] * t[1] + t[1] * t[2] + t[2] * t[0] + t[0] * t[1] * t[2];
    law_volume(p, j, U);
    for (int i = 0; i < 3; i++) {
        s[i] = 1 + t[i], l[i] = lane_log1p(t[i]);
        tau[i] = (1 + j) * U[1], slope[i] = slope[3 + i] = (1 + j) * (U[1] + (1 + j) * U[2]), quotient[i] = zero;
    }
    out->energy = U[0];
    for (int k = 0; k < 4; k++) out->energy += ogden_term(p[2 * k], p[2 * k + 1], l, tau, slope, quotient);
    for (int i = 0; i < 3; i++) {
        out->first[i] = tau[i] / s[i];
        out->second[i] = (slope[i] - tau[i]) / (s[i] * s[i]);
    }
    for (int k = 0; k < 3; k++) {
        int a = sp__axis_a[k], b = sp__axis_b[k];
        sp_lane over = 1 / (s[a] * s[b]);
        out->second[3 + k] = slope[3 + k] * over;
        out->sym[k] = SP_REAL(0.5) * over * (quotient[k] * (s[a] + s[b]) - tau[a] - tau[b]);
        out->skew[k] = (out->first[a] + out->first[b]) / (s[a] + s[b]);
    }
}

// A law on invariants. Derivatives of d1, d2, j by the stretches, with k the third axis:
//     d1_i = 2 (s_i - s_j s_k),   d2_i = 2 s_i (s_j - s_k)^2 + 4 s_j s_k t_i,   j_i = s_j s_k
//     d1_ii = 2, d1_ij = -2 s_k;  d2_ii = 2 (s_j^2 + s_k^2), d2_ij = 4 (s_i s_j - s_k);  j_ij = s_k
// and the quotients of d1_i -+ d1_j by s_i -+ s_j: 2 (1 + s_k), -2 t_k; of d2: 2 (s_k^2 - s_i s_j) + 4 s_k, 2 (t_k^2 + s_i s_j -
// 1); of j: -s_k, s_k
SP_POINTWISE void law_from_invariants(sp_law law, const sp_lane *p, const sp_lane *t, law_response *out) {
    sp_lane s[3], sum = t[0] + t[1] + t[2], squares = lane_dot(t, t), W[10], g[3][3];
    sp_lane e2 = t[0] * t[1] + t[1] * t[2] + t[2] * t[0], e3 = t[0] * t[1] * t[2], d2 = 2 * squares - 4 * e3;
    for (int k = 0; k < 3; k++) {
        sp_lane a = t[sp__axis_a[k]], b = t[sp__axis_b[k]];
        d2 += a * b * (2 * (a + b) + a * b);
        s[k] = 1 + t[k];
    }
    law_invariants(law, p, squares - 2 * (e2 + e3), d2, sum + e2 + e3, W);
    for (int i = 0; i < 3; i++) {
        int a = (i + 1) % 3, b = (i + 2) % 3;
        sp_lane product = s[a] * s[b], apart = t[a] - t[b];
        g[0][i] = 2 * (t[i] - t[a] - t[b] - t[a] * t[b]);
        g[1][i] = 2 * s[i] * apart * apart + 4 * product * t[i];
        g[2][i] = product;
        out->first[i] = W[1] * g[0][i] + W[2] * g[1][i] + W[3] * g[2][i];
        out->second[i] = 2 * (W[1] + W[2] * (s[a] * s[a] + s[b] * s[b]));
    }
    for (int k = 0; k < 3; k++) {
        int a = sp__axis_a[k], b = sp__axis_b[k], c = 3 - a - b;
        sp_lane product = s[a] * s[b], more = product - 1;
        out->second[3 + k] = -2 * W[1] * s[c] + 4 * W[2] * (product - s[c]) + W[3] * s[c];
        out->sym[k] = 2 * W[1] * (1 + s[c]) + 2 * W[2] * (s[c] * s[c] - product + 2 * s[c]) - W[3] * s[c];
        more = t[a] + t[b] + t[a] * t[b];
        out->skew[k] = -2 * W[1] * t[c] + 2 * W[2] * (t[c] * t[c] + more) + W[3] * s[c];
    }
    for (int k = 0; k < 6; k++) {
        int a = k < 3 ? k : sp__axis_a[k - 3], b = k < 3 ? k : sp__axis_b[k - 3];
        for (int i = 0; i < 3; i++) out->second[k] += W[4 + i] * g[i][a] * g[i][b];
        for (int i = 0; i < 3; i++) {
            int m = sp__axis_a[i], n = sp__axis_b[i];
            out->second[k] += W[7 + i] * (g[m][a] * g[n][b] + g[n][a] * g[m][b]);
        }
    }
    out->energy = W[0];
}

// defined for J <= 0
SP_POINTWISE int law_everywhere(sp_law law) {
    return law <= SP_LAW_NEO_HOOKEAN_STABLE;
}

// Any law but the linear one. Where it is not defined the energy is infinite, and the rest is that of the rest shape.
SP_POINTWISE void law_evaluate(sp_law law, const sp_lane *p, const sp_lane *stretch, law_response *out) {
    sp_lane t[3] = {stretch[0], stretch[1], stretch[2]};
    sp_lane J = 1 + (t[0] + t[1] + t[2] + t[0] * t[1] + t[1] * t[2] + t[2] * t[0] + t[0] * t[1] * t[2]);
    sp_mask defined = J > 0;
    if (!law_everywhere(law))
        for (int i = 0; i < 3; i++) t[i] = SP_SELECT(defined, t[i], lane_all(0));
    if (law == SP_LAW_COROTATIONAL)
        law_corotational(p, t, out);
    else if (law == SP_LAW_OGDEN)
        law_ogden(p, t, out);
    else
        law_from_invariants(law, p, t, out);
    if (!law_everywhere(law)) out->energy = SP_SELECT(defined, out->energy, lane_all(INFINITY));
}

// the leading minors of a symmetric matrix are not clearly positive
SP_POINTWISE sp_mask law_doubtful(const sp_lane *C) {
    const sp_lane size = lane_abs(C[0]) + lane_abs(C[1]) + lane_abs(C[2]), least = SP_PRECISION(1e-12, 1e-4) * size;
    const sp_lane minor = C[0] * C[1] - C[3] * C[3];
    const sp_lane det = C[2] * minor - C[4] * (C[0] * C[4] - C[3] * C[5]) + C[5] * (C[3] * C[4] - C[1] * C[5]);
    return (C[0] <= least) | (minor <= least * size) | (det <= least * size * size);
}

// Sets the negative eigenvalues of the tangent to zero. Where there are none, the eigenvectors change no bit and are left out if
// no lane needs them.
SP_POINTWISE void law_definite(law_response *r) {
    sp_lane C[6], V[9], zero = lane_all(0);
    for (int k = 0; k < 3; k++) r->sym[k] = lane_max(r->sym[k], zero), r->skew[k] = lane_max(r->skew[k], zero);
    if (!lane_any(law_doubtful(r->second))) return;
    for (int k = 0; k < 6; k++) C[k] = r->second[k];
    jacobi_eigen(C, V);
    for (int a = 0; a < 3; a++) {
        sp_lane less = SP_SELECT(C[a] < 0, C[a], zero);
        for (int k = 0; k < 6; k++) {
            int i = k < 3 ? k : sp__axis_a[k - 3], j = k < 3 ? k : sp__axis_b[k - 3];
            r->second[k] -= less * V[3 * i + a] * V[3 * j + a];
        }
    }
}

// Hooke's law for the strain e (xx yy zz xy yz zx): energy density and stress
SP_POINTWISE sp_lane law_hooke(const sp_lane *p, const sp_lane *e, sp_lane *stress) {
    sp_lane mu = p[0], pressure = p[1] * (e[0] + e[1] + e[2]);
    for (int k = 0; k < 6; k++) stress[k] = 2 * mu * e[k];
    for (int k = 0; k < 3; k++) stress[k] += pressure;
    sp_lane off = e[3] * stress[3] + e[4] * stress[4] + e[5] * stress[5];
    return SP_REAL(0.5) * (lane_dot(e, stress) + 2 * off);
}

#endif
