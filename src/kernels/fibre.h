// A family of fibres at one point, on lanes: an energy of I4 = |F f|^2 with the rest direction f, added to any isotropic law.
//
// With s = I4 - 1 = 2 E_ff and grow = exp(k2 s^2)
//     psi = k1/(2 k2) (grow - 1),   2 psi' = 2 k1 s grow,   4 psi'' = 4 k1 grow (1 + 2 k2 s^2),
// which is k1/2 s^2 where k2 = 0 (Holzapfel, Gasser, Ogden 2000, with the whole I4 instead of its isochoric part). Families that
// act in tension only have no energy where s < 0. With y = F f and c_a = f . g_a of node a
//     P = 2 psi' y f^T,   f_a = -w c_a 2 psi' y,   K_ab = w c_a c_b (2 psi' I + 4 psi'' y y^T),
// where the eigenvalues of the last bracket are 2 psi' (twice) and 2 psi' + 4 psi'' |y|^2. A direction of zero is no fibre.
#ifndef SP_FIBRE_H
#define SP_FIBRE_H

#include "kernels/functions.h"
#include "kernels/law.h"

typedef struct fibre_response {
    sp_lane energy, stretched[3];  // density; F f
    sp_lane stress;                // 2 psi'
    sp_lane first, second;         // moduli: 2 psi', 4 psi'', or those of the definite tangent
} fibre_response;

// sets negative eigenvalues of first I + second y y^T to zero
SP_POINTWISE void fibre_definite(fibre_response *r) {
    sp_lane yy = lane_dot(r->stretched, r->stretched), zero = lane_all(0), along = lane_max(r->first + r->second * yy, zero);
    sp_mask negative = r->first < 0;
    sp_mask some = yy > SP_PRECISION(1e-290, 1e-30);
    sp_lane second = SP_SELECT(some, along / SP_SELECT(some, yy, lane_all(1)), zero);
    r->first = SP_SELECT(negative, zero, r->first), r->second = SP_SELECT(negative, second, r->second);
}

// response of a family with numbers p (kernels/law.h) and rest direction f, of length 1 or 0
SP_POINTWISE void fibre_respond(int definite, const sp_lane *p, const sp_lane *f, const sp_lane *H, fibre_response *out) {
    sp_lane h[3], zero = lane_all(0), one = lane_all(1);
    for (int i = 0; i < 3; i++) h[i] = lane_dot(H + 3 * i, f), out->stretched[i] = f[i] + h[i];
    sp_lane s = 2 * lane_dot(f, h) + lane_dot(h, h);
    sp_mask slack = (p[2] > 0) & (s < 0);
    s = SP_SELECT(slack, zero, s);
    sp_lane x = p[1] * s * s, less = lane_any(x > 0) ? lane_expm1(x) : zero, grow = 1 + less;
    sp_mask some = x > SP_PRECISION(1e-290, 1e-30);
    sp_lane ratio = SP_SELECT(some, less / SP_SELECT(some, x, one), one);  // (grow - 1) / x
    out->energy = SP_REAL(0.5) * p[0] * s * s * ratio;
    out->stress = out->first = 2 * p[0] * s * grow;
    out->second = SP_SELECT(slack, zero, 4 * p[0] * grow * (1 + 2 * x));
    if (definite) fibre_definite(out);
}

// f_a += c_a v of nodes 1.., with the rest gradients g of their shape functions
SP_POINTWISE void fibre_spread(int nodes, const sp_lane *f, const sp_lane *g, const sp_lane *v, sp_lane *out) {
    for (int a = 0; a < 3 * nodes - 3; a += 3) {
        sp_lane c = lane_dot(f, g + a);
        for (int i = 0; i < 3; i++) out[a + i] += c * v[i];
    }
}

// out += K d of nodes 1.., with the state of the point: y, w 2 psi', w 4 psi''
SP_POINTWISE void fibre_product(int nodes, const sp_lane *state, const sp_lane *f, const sp_lane *g, const sp_lane *d,
                                sp_lane *out) {
    sp_lane change[3] = {lane_all(0), lane_all(0), lane_all(0)}, v[3];
    for (int a = 0; a < 3 * nodes - 3; a += 3) {
        sp_lane c = lane_dot(f, g + a);
        for (int i = 0; i < 3; i++) change[i] += c * d[a + i];
    }
    sp_lane along = state[4] * lane_dot(state, change);
    for (int i = 0; i < 3; i++) v[i] = state[3] * change[i] + along * state[i];
    fibre_spread(nodes, f, g, v, out);
}

// K += product (first I + second y y^T), product = c_a c_b of two nodes
SP_POINTWISE void fibre_block(const sp_lane *state, sp_lane product, sp_lane *K) {
    sp_lane first = product * state[3], second = product * state[4];
    for (int i = 0; i < 3; i++) {
        sp_lane y = second * state[i];
        K[4 * i] += first;
        for (int j = 0; j < 3; j++) K[3 * i + j] += y * state[j];
    }
}

#endif
