// Membranes at one point, on lanes: triangles in space under plane stress. docs/membranes.md describes them.
//
// A triangle knows how its plane is deformed, F v for vectors v of the plane; H = sum d_a g_a^T vanishes along the rest normal n.
// With the deformed unit normal m and the stretch s3 of the thickness, F = I + H + (s3 m - n) n^T. Decomposed, F = U diag(s) V^T
// with V = (v1, v2, n) and U = (u1, u2, m): a problem of two dimensions, and both stretches of the plane are positive, because a
// mirror image in the plane is a rotation in space.
//
// The normal is free of stress: s3 is where psi_3(s1, s2, s3) = 0. By the stretches of the plane, the energy psi(s1, s2, s3(s1,
// s2)) then has the derivatives psi_i and psi_ij - psi_i3 psi_j3 / psi_33. In the axes of U and V, dF has no third column (Q_i3 =
// 0), and its third row turns the plane: dP_3i = psi_i / s_i Q_3i. The response has these numbers in the form of an iso_response,
// so that products and blocks are those of solids.
#ifndef SP_MEMBRANE_H
#define SP_MEMBRANE_H

#include "kernels/iso.h"

enum { MEMBRANE_NODES = 3 };

// 1 / |v|, 0 for the slopes of padding
SP_POINTWISE sp_lane membrane_inverse_length(const sp_lane *v) {
    sp_lane square = lane_dot(v, v);
    sp_mask some = square > 0;
    return SP_SELECT(some, 1 / lane_sqrt(SP_SELECT(some, square, lane_all(1))), lane_all(0));
}

// The axes of the rest plane e1, e2 and its normal, in the columns of N; slope: rest gradients of nodes 1 and 2
SP_POINTWISE void membrane_frame(const sp_lane *slope, sp_lane *N) {
    sp_lane e1[3], e2[3], n[3];
    lane_cross(slope, slope + 3, n);
    sp_lane one = membrane_inverse_length(slope), two = membrane_inverse_length(n);
    for (int i = 0; i < 3; i++) e1[i] = slope[i] * one, n[i] *= two;
    lane_cross(n, e1, e2);
    for (int i = 0; i < 3; i++) N[3 * i] = e1[i], N[3 * i + 1] = e2[i], N[3 * i + 2] = n[i];
}

// Strain of the plane in the axes of N from the columns h1, h2 of H N: xx yy xy, of first order alone, and with its second order
SP_POINTWISE void membrane_strain(const sp_lane *N, const sp_lane *HN, sp_lane *small, sp_lane *green) {
    for (int k = 0; k < 3; k++) small[k] = green[k] = lane_all(0);
    for (int i = 0; i < 9; i += 3) {
        small[0] += N[i] * HN[i], small[1] += N[i + 1] * HN[i + 1];
        small[2] += SP_REAL(0.5) * (N[i] * HN[i + 1] + N[i + 1] * HN[i]);
        green[0] += SP_REAL(0.5) * HN[i] * HN[i], green[1] += SP_REAL(0.5) * HN[i + 1] * HN[i + 1],
            green[2] += SP_REAL(0.5) * HN[i] * HN[i + 1];
    }
    for (int k = 0; k < 3; k++) green[k] += small[k];
}

// HN: columns H e1, H e2
SP_POINTWISE void membrane_columns(const sp_lane *N, const sp_lane *H, sp_lane *HN) {
    for (int i = 0; i < 9; i += 3)
        for (int k = 0; k < 2; k++) HN[i + k] = H[i] * N[k] + H[i + 1] * N[3 + k] + H[i + 2] * N[6 + k];
}

// U, V and the first two t from the strain in the axes of N; as spectral() of kernels/spectral.h, small strains keep their digits
SP_POINTWISE void membrane_decompose(const sp_lane *N, const sp_lane *HN, const sp_lane *green, sp_lane *U, sp_lane *V,
                                     sp_lane *t) {
    sp_lane E[6] = {green[0], green[1], lane_all(0), green[2], lane_all(0), lane_all(0)}, W[9];
    sp_lane v[9], u[9], f[6];  // rows: the columns of V, U, F v
    for (int i = 0; i < 9; i++) W[i] = lane_all(i % 4 ? 0 : 1);
    jacobi_rotation(&E[0], &E[1], &E[3], &E[5], &E[4], W, 0, 1);
    jacobi_sort(&E[0], &E[1], W, 0, 1);
    for (int a = 0; a < 2; a++)
        for (int i = 0; i < 3; i++) {
            v[3 * a + i] = N[3 * i] * W[a] + N[3 * i + 1] * W[3 + a];
            f[3 * a + i] = v[3 * a + i] + (HN[3 * i] * W[a] + HN[3 * i + 1] * W[3 + a]);
        }
    lane_cross(v, v + 3, v + 6);
    lane_frame(f, f + 3, u, u + 3, u + 6);
    for (int a = 0; a < 2; a++) {
        sp_lane direct = lane_dot(u + 3 * a, f + 3 * a) - 1, e = 2 * E[a];
        sp_mask small = lane_abs(e) < SP_REAL(0.2);
        sp_lane root = lane_sqrt(SP_SELECT(small, 1 + e, lane_all(1)));
        t[a] = SP_SELECT(small, e / (1 + root), direct);
    }
    for (int a = 0; a < 3; a++)
        for (int i = 0; i < 3; i++) V[3 * i + a] = v[3 * a + i], U[3 * i + a] = u[3 * a + i];
}

// ------------------------------------------------------------------------------------------------ thickness

// lambda / (lambda + 2 mu) at small strains, nearly so for arruda-boyce: where the search for the thickness starts
SP_POINTWISE sp_lane membrane_contraction(sp_law law, const sp_lane *p) {
    sp_lane mu = p[0], lambda = p[1];
    if (law >= SP_LAW_NEO_HOOKEAN_ISOCHORIC) {
        if (law == SP_LAW_MOONEY_RIVLIN) mu = 2 * (p[0] + p[1]);
        if (law == SP_LAW_ARRUDA_BOYCE) mu = p[0] * (1 + SP_REAL(0.6) * p[1]);
        if (law == SP_LAW_VERONDA_WESTMANN) mu = p[0] * p[1];
        if (law == SP_LAW_OGDEN) mu = p[0] + p[2] + p[4] + p[6];
        lambda = p[SP_LAW_BULK] - SP_RATIO(2, 3) * mu;
    }
    sp_lane size = lambda + 2 * mu;
    sp_mask some = size > 0;
    return SP_SELECT(some, lambda / SP_SELECT(some, size, lane_all(1)), lane_all(0));
}

// t3 of the laws with a closed form (`stvk` without a penalty), and the start of the search for others: that of a constant
// Poisson's ratio in logarithms, exact for an incompressible material. `stvk` has no thickness left where 1 + 2 E33 is below 0
SP_POINTWISE sp_lane membrane_start(sp_law law, const sp_lane *p, const sp_lane *t) {
    sp_lane k = membrane_contraction(law, p), least = lane_all(SP_PRECISION(-0.999999, -0.9999));
    if (law <= SP_LAW_COROTATIONAL) return -k * (t[0] + t[1]);
    if (law == SP_LAW_STVK) {
        sp_lane e = lane_max(-k * (t[0] * (2 + t[0]) + t[1] * (2 + t[1])), lane_all(-1));
        return e / (1 + lane_sqrt(1 + e));
    }
    return lane_expm1(-k * (lane_log1p(lane_max(t[0], least)) + lane_log1p(lane_max(t[1], least))));
}

// One Newton step of psi_3 = 0 for the stretch s of the thickness. `stvk` with a penalty and the stable law have psi_33 > 0. For
// others psi_3 s, the Kirchhoff stress, is monotone in ln s where psi_3 itself is not; there a step is at most a factor of two.
SP_POINTWISE sp_lane membrane_step(sp_law law, sp_lane s, sp_lane first, sp_lane second) {
    sp_lane one = lane_all(1), most = lane_all(SP_REAL(0.7));
    if (law <= SP_LAW_NEO_HOOKEAN_STABLE) {
        sp_mask some = second > 0;
        return SP_SELECT(some, lane_max(-first / SP_SELECT(some, second, one), -SP_REAL(0.9) * s), lane_all(0));
    }
    sp_lane slope = first + s * second;
    sp_mask rises = slope > 0;
    sp_lane d = SP_SELECT(rises, -first / SP_SELECT(rises, slope, one), SP_SELECT(first > 0, -most, most));
    d = lane_max(d, -most);
    return s * lane_expm1(SP_SELECT(d > most, most, d));
}

// Finds t[2] from t[0] and t[1], and evaluates the law there. Newton's method converges quadratically: after a step below 1e-8 of
// t3, or below the rounding of psi_3, only rounding is left, and t3 keeps the digits of small strains. Two or three steps are
// usual. A lane that has converged does not change any more.
SP_POINTWISE void membrane_evaluate(sp_law law, const sp_lane *p, sp_lane *t, law_response *out) {
    enum { MOST = 40 };
    t[2] = membrane_start(law, p, t);
    sp_mask open = law == SP_LAW_STVK ? p[SP_LAW_BULK] > 0 : t[2] > lane_all(law < SP_LAW_STVK ? INFINITY : -INFINITY);
    for (int i = 0;; i++) {
        law_evaluate(law, p, t, out);
        if (i == MOST || !lane_any(open)) break;
        sp_lane step = membrane_step(law, 1 + t[2], out->first[2], out->second[2]);
        t[2] += SP_SELECT(open, step, lane_all(0));
        open &= lane_abs(step) >
                SP_PRECISION(1e-8, 1e-4) * lane_abs(t[2]) + SP_PRECISION(1e-15, 1e-6) * (lane_abs(t[0]) + lane_abs(t[1]));
    }
}

// ------------------------------------------------------------------------------------------------ response

// From the derivatives of psi(s1, s2, s3) to those of a membrane. A tangent without negative eigenvalues leaves out the stiffness
// of compression against a turn of the plane: wrinkles are soft. Where a stretch vanishes, the turn has no stiffness
SP_POINTWISE void membrane_condense(const sp_lane *t, law_response *r) {
    sp_lane zero = lane_all(0), one = lane_all(1), size = lane_abs(r->second[0]) + lane_abs(r->second[1]);
    sp_mask some = r->second[2] > SP_PRECISION(1e-14, 1e-6) * size;
    sp_lane over = SP_SELECT(some, 1 / SP_SELECT(some, r->second[2], one), zero), y = r->second[4], x = r->second[5];
    r->second[0] -= x * x * over, r->second[1] -= y * y * over, r->second[3] -= x * y * over;
    r->first[2] = r->second[2] = r->second[4] = r->second[5] = zero;
    for (int i = 0; i < 2; i++) {
        int pair = 2 - i;  // (20) and (12)
        sp_mask open = t[i] > -1 + SP_TINY_SUM;
        r->sym[pair] = r->skew[pair] = SP_SELECT(open, r->first[i] / (1 + SP_SELECT(open, t[i], zero)), zero);
    }
}

// small strain in the rest plane; a turn of the plane has no stiffness
SP_POINTWISE void membrane_linear(const sp_lane *p, const sp_lane *e, iso_response *out) {
    sp_lane zero = lane_all(0), mu = p[0], plane = 2 * mu * membrane_contraction(SP_LAW_LINEAR, p), sum = e[0] + e[1];
    for (int k = 0; k < 6; k++) out->stress[k] = out->law.second[k] = zero;
    for (int k = 0; k < 3; k++) out->law.sym[k] = out->law.skew[k] = zero;
    for (int k = 0; k < 2; k++) out->stress[k] = 2 * mu * e[k] + plane * sum, out->law.second[k] = 2 * mu + plane;
    out->stress[3] = 2 * mu * e[2];
    out->law.second[3] = plane, out->law.sym[0] = 2 * mu;
    out->law.energy = mu * (e[0] * e[0] + e[1] * e[1] + 2 * e[2] * e[2]) + SP_REAL(0.5) * plane * sum * sum;
}

// Stress and tangent, as iso_respond; t: the stretches less 1. Linear law: U = V = N, and t[2] by the small strain
SP_POINTWISE void membrane_respond(sp_law law, int definite, const sp_lane *p, const sp_lane *slope, const sp_lane *H, sp_lane *t,
                                   iso_response *out) {
    sp_lane N[9], HN[9], small[3], green[3];
    membrane_frame(slope, N);
    membrane_columns(N, H, HN);
    membrane_strain(N, HN, small, green);
    membrane_decompose(N, HN, green, out->U, out->V, t);
    if (law == SP_LAW_LINEAR) {
        t[2] = membrane_start(law, p, small);
        for (int k = 0; k < 9; k++) out->U[k] = out->V[k] = N[k];
        membrane_linear(p, small, out);
        return;
    }
    membrane_evaluate(law, p, t, &out->law);
    membrane_condense(t, &out->law);
    for (int k = 0; k < 3; k++) out->stress[k] = out->law.first[k], out->stress[3 + k] = lane_all(0);
    if (definite) law_definite(&out->law);
}

// the ratio of volumes
SP_POINTWISE sp_lane membrane_jacobian(const sp_lane *t) {
    return (1 + t[0]) * (1 + t[1]) * (1 + t[2]);
}

#endif
