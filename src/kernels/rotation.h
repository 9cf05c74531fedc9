// Rotation of an element from its deformation gradient F (3x3 row-major, from the rest frame of the element: first edge along x,
// first face in the xy plane). Three methods:
//   qr     frame of the first edge and face (Nesme, Faure, Chabanas 2004): cheap, never fails, depends on the node order;
//   polar  the orthogonal polar factor: independent of the order, but the mirror image of an element is one of its rest shapes;
//   svd    the nearest rotation, with the sign on the smallest singular value (Irving, Teran, Fedkiw 2004): independent of the
//          order, and an inverted element returns to its rest shape.
// All methods return an orthogonal matrix for any finite F, including flat and collapsed elements.
#ifndef SP_ROTATION_H
#define SP_ROTATION_H

#include "kernels/lane.h"

// a length below this fraction of the largest counts as zero: its direction would be noise
#define SP_TINY_LENGTH2 SP_PRECISION(1e-28, 3e-11)

// an arbitrary unit vector orthogonal to the unit vector u
SP_POINTWISE void lane_across(const sp_lane *u, sp_lane *out) {
    // u x (the coordinate axis with the smallest component of u)
    sp_lane ax = lane_abs(u[0]), ay = lane_abs(u[1]), az = lane_abs(u[2]), zero = lane_all(0);
    sp_mask x_least = (ax <= ay) & (ax <= az), y_least = (ay <= az) & ~x_least;
#if SP_LANES == 1
    y_least = ay <= az && !x_least;
#endif
    out[0] = SP_SELECT(x_least, zero, SP_SELECT(y_least, -u[2], u[1]));
    out[1] = SP_SELECT(x_least, u[2], SP_SELECT(y_least, zero, -u[0]));
    out[2] = SP_SELECT(x_least, -u[1], SP_SELECT(y_least, u[0], zero));
    sp_lane s = 1 / lane_sqrt(lane_dot(out, out));
    for (int i = 0; i < 3; i++) out[i] *= s;
}

// unit vectors u1 along a (x if a vanishes), u2 along the part of b orthogonal to u1 (arbitrary if it vanishes), u3 = u1 x u2
SP_POINTWISE void lane_frame(const sp_lane *a, const sp_lane *b, sp_lane *u1, sp_lane *u2, sp_lane *u3) {
    sp_lane aa = lane_dot(a, a), bb = lane_dot(b, b), zero = lane_all(0), one = lane_all(1);
    sp_mask gone = aa <= SP_PRECISION(1e-280, 1e-36);
    sp_lane s = 1 / lane_sqrt(SP_SELECT(gone, one, aa));
    u1[0] = SP_SELECT(gone, one, a[0] * s);
    u1[1] = SP_SELECT(gone, zero, a[1] * s);
    u1[2] = SP_SELECT(gone, zero, a[2] * s);
    sp_lane along = lane_dot(u1, b), w[3], any[3];
    for (int i = 0; i < 3; i++) w[i] = b[i] - along * u1[i];
    sp_lane ww = lane_dot(w, w);
    gone = ww <= SP_TINY_LENGTH2 * lane_max(aa, bb);
    lane_across(u1, any);
    s = 1 / lane_sqrt(SP_SELECT(gone, one, ww));
    for (int i = 0; i < 3; i++) u2[i] = SP_SELECT(gone, any[i], w[i] * s);
    // second orthogonalisation: if w was short, its rounding error points along u1 (twice is enough, Parlett 1980)
    along = lane_dot(u1, u2);
    for (int i = 0; i < 3; i++) u2[i] -= along * u1[i];
    s = 1 / lane_sqrt(lane_dot(u2, u2));
    for (int i = 0; i < 3; i++) u2[i] *= s;
    lane_cross(u1, u2, u3);
}

SP_POINTWISE void rotation_qr(const sp_lane *F, sp_lane *R) {
    sp_lane a[3] = {F[0], F[3], F[6]}, b[3] = {F[1], F[4], F[7]}, u1[3], u2[3], u3[3];
    lane_frame(a, b, u1, u2, u3);
    for (int i = 0; i < 3; i++) R[3 * i] = u1[i], R[3 * i + 1] = u2[i], R[3 * i + 2] = u3[i];
}

// C = M^T M as xx yy zz xy yz zx
SP_POINTWISE void lane_gram(const sp_lane *M, sp_lane *C) {
    for (int i = 0; i < 3; i++) C[i] = M[i] * M[i] + M[3 + i] * M[3 + i] + M[6 + i] * M[6 + i];
    C[3] = M[0] * M[1] + M[3] * M[4] + M[6] * M[7];
    C[4] = M[1] * M[2] + M[4] * M[5] + M[7] * M[8];
    C[5] = M[0] * M[2] + M[3] * M[5] + M[6] * M[8];
}

// out = M C with C symmetric
SP_POINTWISE void lane_mul_sym(const sp_lane *M, const sp_lane *C, sp_lane *out) {
    for (int i = 0; i < 9; i += 3) {
        out[i] = M[i] * C[0] + M[i + 1] * C[3] + M[i + 2] * C[5];
        out[i + 1] = M[i] * C[3] + M[i + 1] * C[1] + M[i + 2] * C[4];
        out[i + 2] = M[i] * C[5] + M[i + 1] * C[4] + M[i + 2] * C[2];
    }
}

// one Jacobi rotation of the symmetric matrix with diagonal app, aqq and off-diagonal apq; r is the third index
SP_POINTWISE void jacobi_rotation(sp_lane *app, sp_lane *aqq, sp_lane *apq, sp_lane *arp, sp_lane *arq, sp_lane *V, int p,
                                  int q) {
    // tangent of the angle that eliminates apq, the smaller root
    sp_lane d = *aqq - *app, o = 2 * *apq;
    sp_lane root = lane_abs(d) + lane_sqrt(d * d + o * o) + SP_PRECISION(1e-290, 1e-25);
    sp_lane t = SP_SELECT(d < 0, -o, o) / root;
    sp_lane c = 1 / lane_sqrt(t * t + 1), s = t * c;
    *app -= t * *apq, *aqq += t * *apq, *apq = lane_all(0);
    sp_lane rp = *arp, rq = *arq;
    *arp = c * rp - s * rq, *arq = s * rp + c * rq;
    for (int i = 0; i < 3; i++) {
        sp_lane vp = V[3 * i + p], vq = V[3 * i + q];
        V[3 * i + p] = c * vp - s * vq, V[3 * i + q] = s * vp + c * vq;
    }
}

// swaps columns p and q of V (and their values) where the second value is larger
SP_POINTWISE void jacobi_sort(sp_lane *lp, sp_lane *lq, sp_lane *V, int p, int q) {
    sp_mask m = *lq > *lp;
    sp_lane l = *lp;
    *lp = SP_SELECT(m, *lq, l), *lq = SP_SELECT(m, l, *lq);
    for (int i = 0; i < 3; i++) {
        sp_lane v = V[3 * i + p];
        V[3 * i + p] = SP_SELECT(m, V[3 * i + q], v), V[3 * i + q] = SP_SELECT(m, v, V[3 * i + q]);
    }
}

// F = U S V^T from the eigenvectors V of F^T F (five sweeps converge to rounding); U from F V by orthogonalisation, largest
// first, so that u3 = u1 x u2 takes the sign (McAdams et al. 2011). For elements that are nearly collapsed or inverted.
SP_POINTWISE void rotation_jacobi(const sp_lane *F, sp_lane *R) {
    sp_lane C[6], V[9], zero = lane_all(0), one = lane_all(1);
    lane_gram(F, C);
    for (int i = 0; i < 9; i++) V[i] = i % 4 ? zero : one;
    for (int sweep = 0; sweep < 5; sweep++) {
        jacobi_rotation(&C[0], &C[1], &C[3], &C[5], &C[4], V, 0, 1);
        jacobi_rotation(&C[1], &C[2], &C[4], &C[3], &C[5], V, 1, 2);
        jacobi_rotation(&C[0], &C[2], &C[5], &C[3], &C[4], V, 0, 2);
    }
    jacobi_sort(&C[0], &C[1], V, 0, 1);
    jacobi_sort(&C[0], &C[2], V, 0, 2);
    jacobi_sort(&C[1], &C[2], V, 1, 2);
    sp_lane v1[3], v2[3], v3[3], a[3], b[3], u1[3], u2[3], u3[3];
    for (int i = 0; i < 3; i++) v1[i] = V[3 * i], v2[i] = V[3 * i + 1];
    lane_cross(v1, v2, v3);
    for (int i = 0; i < 3; i++) a[i] = lane_dot(F + 3 * i, v1), b[i] = lane_dot(F + 3 * i, v2);
    lane_frame(a, b, u1, u2, u3);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) R[3 * i + j] = u1[i] * v1[j] + u2[i] * v2[j] + u3[i] * v3[j];
}

// The inverse of tr(S) I - S for symmetric S = (xx yy zz xy yz zx), in the same storage; zero if it is singular.
SP_POINTWISE void spin_inverse(const sp_lane *S, sp_lane *inv) {
    sp_lane a = S[1] + S[2], b = S[0] + S[2], c = S[0] + S[1], d = -S[3], e = -S[4], f = -S[5];
    sp_lane ca = b * c - e * e, cb = a * c - f * f, cc = a * b - d * d;
    sp_lane cd = f * e - d * c, ce = d * f - a * e, cf = d * e - b * f;
    sp_lane det = a * ca + d * cd + f * cf, size = lane_abs(a) + lane_abs(b) + lane_abs(c);
    sp_mask gone = lane_abs(det) <= SP_PRECISION(1e-12, 1e-5) * size * size * size;
    sp_lane s = SP_SELECT(gone, lane_all(0), 1 / SP_SELECT(gone, lane_all(1), det));
    inv[0] = ca * s, inv[1] = cb * s, inv[2] = cc * s, inv[3] = cd * s, inv[4] = ce * s, inv[5] = cf * s;
}

// Sum l = s1 + s2 + s3 of the stretches (the smallest with the sign of det F): the largest root of the quartic of Horn's matrix
// (1987), whose roots are s1+s2+s3, s1-s2-s3, ...: l^4 - 2 |F|^2 l^2 - 8 det F l + |F|^4 - 4 |cof F|^2. Newton's method from
// above is monotone.
SP_POINTWISE sp_lane stretch_sum(sp_lane ff, sp_lane det, sp_lane cc) {
    sp_lane c2 = -2 * ff, c1 = -8 * det, c0 = ff * ff - 4 * cc, l = lane_sqrt(3 * ff);
    for (int i = 0; i < 16; i++) {
        sp_lane ll = l * l, p = ((ll + c2) * l + c1) * l + c0, dp = (4 * ll + 2 * c2) * l + c1;
        sp_mask flat = dp <= SP_PRECISION(1e-14, 5e-6) * ff * l;
        sp_lane step = SP_SELECT(flat, lane_all(0), p / SP_SELECT(flat, lane_all(1), dp));
        l -= step;
        if (!lane_any(step > SP_PRECISION(1e-9, 1e-4) * l))
            break;  // the remaining error is of the order of its square; four iterations are usual
    }
    return l;
}

// The rotation nearest to F, in closed form. With l, e2 and e3 the elementary symmetric sums of the stretches s and
// D = l e2 - e3 = (s1 + s2)(s2 + s3)(s3 + s1), each s satisfies (l^2 - e2) s + l s' s" - s^3 = D, hence
//     R = ((l^2 - e2) F + l cof F - F F^T F) / D
// for any sign of the smallest s, accurate to rounding times l^3 / D. One step of R <- R (3 - R^T R) / 2 makes it orthogonal to
// rounding.
SP_POINTWISE void rotation_svd(const sp_lane *F, sp_lane *R) {
    sp_lane cof[9], C[6], Q[9];
    sp_lane det = lane_cofactor(F, cof), ff = lane_all(SP_PRECISION(1e-290, 1e-37)), cc = lane_all(0);
    for (int i = 0; i < 9; i++) ff += F[i] * F[i], cc += cof[i] * cof[i];
    sp_lane l = stretch_sum(ff, det, cc), e2 = SP_REAL(0.5) * (l * l - ff), D = l * e2 - det;
    if (lane_any(D <= SP_REAL(0.05) * l * l * l)) {
        rotation_jacobi(F, R);
        return;
    }
    sp_lane s = 1 / D, a = s * (l * l - e2), b = s * l;
    lane_gram(F, C);
    lane_mul_sym(F, C, Q);
    for (int i = 0; i < 9; i++) Q[i] = a * F[i] + b * cof[i] - s * Q[i];
    lane_gram(Q, C);
    lane_mul_sym(Q, C, R);
    for (int i = 0; i < 9; i++) R[i] = SP_REAL(1.5) * Q[i] - SP_REAL(0.5) * R[i];
}

// orthogonal polar factor: -Q(-F) = Q(F) reduces a reflection to a rotation
SP_POINTWISE void rotation_polar(const sp_lane *F, sp_lane *R) {
    sp_lane cof[3], G[9];
    lane_cross(F + 3, F + 6, cof);
    sp_mask mirrored = lane_dot(F, cof) < 0;
    sp_lane sign = SP_SELECT(mirrored, lane_all(-1), lane_all(1));
    for (int i = 0; i < 9; i++) G[i] = sign * F[i];
    rotation_svd(G, R);
    for (int i = 0; i < 9; i++) R[i] *= sign;
}

// The rotation nearest to any matrix; the identity if it is zero or not finite.
SP_POINTWISE void rotation_nearest(const sp_lane *M, sp_lane *R) {
    sp_lane size = lane_all(0), one = lane_all(1), zero = lane_all(0), N[9];
    for (int k = 0; k < 9; k++) size += lane_abs(M[k]);
    sp_mask good = (size > 0) & (size < SP_PRECISION(1e300, 1e30));
    sp_lane scale = 1 / SP_SELECT(good, size, one);
    for (int k = 0; k < 9; k++) N[k] = SP_SELECT(good, M[k] * scale, k % 4 == 0 ? one : zero);
    rotation_svd(N, R);
}

#endif
