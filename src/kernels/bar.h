// Mean dilatation on lanes, of an element or of a patch of elements, which cures volumetric locking (Nagtegaal, Parks, Rice 1974;
// Hughes 1980; Simo, Taylor, Pister 1985; patches: De Souza Neto, Pires, Owen 2005). docs/incompressible.md describes it.
//
// An energy density psi = rest(F) + g(z) has a bulk part g that depends on one measure z of the change of volume. With the mean
// zbar = sum w z / V over the points of an element, its energy is
//     sum w rest + V g(zbar),
// so that the element has one condition on its volume instead of one at each point. With the pressure p = g'(zbar) and q = sum w
// dz/du, the forces and the tangent are
//     -dE/du = -sum w d(rest + p z)/du,    K = sum w d2(rest + p z)/du2 + g''(zbar) / V q q^T:
// each point sees the law rest + p z, and each element adds one matrix of rank one. The points of a patch of tetrahedra are those
// of its elements: the same formulas, with a matrix of rank one per patch.
//
// The measure is that in which the bulk energy of the law is written: the trace of the strain (linear), tr(S - I)
// (corotational), tr E (stvk), J - 1 (others). g has the bulk modulus at small strains, so that all laws agree there. The penalty
// k/2 (J - 1)^2 of stvk and log (SP_LAW_BULK) is a second bulk energy: log has both in g; stvk, where it is not zero, has only
// the penalty there, with the measure J - 1, and the rest is the whole law without it.
#ifndef SP_BAR_H
#define SP_BAR_H

#include "kernels/iso.h"

// of an 8-node hexahedron: nodes, integration points, gradients of nodes 1.., and these with the factor of q q^T
enum { BAR_NODES = 8, BAR_POINTS = 8, BAR_SLOPES = 21, BAR_NUMBERS = 22 };

// Numbers of the law for rest(F): lambda is that of a bulk modulus of zero, or the bulk modulus is zero.
SP_POINTWISE void bar_rest(sp_law law, const sp_lane *p, sp_lane *rest) {
    for (int k = 0; k < SP_LAW_PARAMS; k++) rest[k] = p[k];
    if (law >= SP_LAW_NEO_HOOKEAN_ISOCHORIC)
        rest[SP_LAW_BULK] = lane_all(0);
    else
        rest[1] = -SP_RATIO(2, 3) * p[0];
    if (law == SP_LAW_STVK) rest[1] = SP_SELECT(p[SP_LAW_VOLUME] > 0, p[1], rest[1]);
    if (law == SP_LAW_STVK || law == SP_LAW_NEO_HOOKEAN_LOG) rest[SP_LAW_BULK] = lane_all(0);
}

// g, g', g'' at the measure z
SP_POINTWISE void bar_bulk(sp_law law, const sp_lane *p, sp_lane z, sp_lane *g) {
    sp_lane bulk = p[1] + SP_RATIO(2, 3) * p[0];
    if (law >= SP_LAW_NEO_HOOKEAN_ISOCHORIC)
        law_volume(p, z, g);
    else if (law == SP_LAW_NEO_HOOKEAN_LOG)
        volume_log(bulk, z, g);
    else
        volume_quadratic(law == SP_LAW_STVK ? SP_SELECT(p[SP_LAW_VOLUME] > 0, p[SP_LAW_BULK], bulk) : bulk, z, g);
    if (law == SP_LAW_NEO_HOOKEAN_LOG) law_penalty(p, z, g, g + 1, g + 2);
}

// A point of an element: F = U diag(1 + t) V^T. Linear law: U = V = I and the strain in t, xx yy zz xy yz zx.
typedef struct bar_point {
    sp_lane U[9], V[9], t[6];
} bar_point;

// Returns z. Where the law is not defined, z is that of the rest shape and the energy of the point will be infinite.
SP_POINTWISE sp_lane bar_measure(sp_law law, const sp_lane *p, const sp_lane *t) {
    sp_lane sum = t[0] + t[1] + t[2];
    if (law <= SP_LAW_COROTATIONAL) return sum;
    sp_lane j = sum + t[0] * t[1] + t[1] * t[2] + t[2] * t[0] + t[0] * t[1] * t[2];
    if (law == SP_LAW_STVK) return SP_SELECT(p[SP_LAW_VOLUME] > 0, j, sum + SP_REAL(0.5) * lane_dot(t, t));
    return law_everywhere(law) ? j : SP_SELECT(j > -1, j, lane_all(0));
}

// The same from H, without the stretches where the law does not need them.
SP_POINTWISE sp_lane bar_measure_of(sp_law law, const sp_lane *p, const sp_lane *H) {
    sp_lane trace = H[0] + H[4] + H[8], sum = lane_all(0), U[9], V[9], t[3], cof[9];
    if (law == SP_LAW_LINEAR) return trace;
    if (law == SP_LAW_COROTATIONAL) {
        spectral(H, U, V, t);
        return bar_measure(law, p, t);
    }
    for (int k = 0; k < 9; k++) sum += SP_REAL(0.5) * H[k] * H[k];
    sp_lane e3 = lane_cofactor(H, cof), j = trace + cof[0] + cof[4] + cof[8] + e3;
    if (law == SP_LAW_STVK) return SP_SELECT(p[SP_LAW_VOLUME] > 0, j, trace + sum);
    return law_everywhere(law) ? j : SP_SELECT(j > -1, j, lane_all(0));
}

SP_POINTWISE sp_lane bar_decompose(sp_law law, const sp_lane *p, const sp_lane *H, bar_point *out) {
    if (law == SP_LAW_LINEAR) {
        for (int k = 0; k < 9; k++) out->U[k] = out->V[k] = lane_all(k % 4 ? 0 : 1);
        iso_strain(H, out->t);
    } else {
        spectral(H, out->U, out->V, out->t);
    }
    return bar_measure(law, p, out->t);
}

// dz/ds_i
SP_POINTWISE void bar_slope(sp_law law, const sp_lane *p, const sp_lane *t, sp_lane *slope) {
    for (int i = 0; i < 3; i++) {
        sp_lane a = 1 + t[(i + 1) % 3], b = 1 + t[(i + 2) % 3];
        slope[i] = law <= SP_LAW_COROTATIONAL ? lane_all(1) : a * b;
        if (law == SP_LAW_STVK) slope[i] = SP_SELECT(p[SP_LAW_VOLUME] > 0, slope[i], 1 + t[i]);
    }
}

// Adds the derivatives of pressure * z. Those of tr(S - I) have a skew modulus only where the tangent is exact, as in
// law_corotational.
SP_POINTWISE void bar_press(sp_law law, const sp_lane *p, sp_lane pressure, const sp_lane *t, law_response *r) {
    sp_lane slope[3];
    bar_slope(law, p, t, slope);
    for (int i = 0; i < 3; i++) r->first[i] += pressure * slope[i];
    for (int k = 0; k < 3; k++) {
        int a = sp__axis_a[k], b = sp__axis_b[k], c = 3 - a - b;
        sp_lane s = pressure * (1 + t[c]), size = 2 + t[a] + t[b];
        if (law == SP_LAW_COROTATIONAL) {
            sp_mask exact = (p[SP_LAW_EXACT] > 0) & (size > SP_TINY_SUM);
            r->skew[k] += SP_SELECT(exact, 2 * pressure / SP_SELECT(exact, size, lane_all(1)), lane_all(0));
        } else if (law == SP_LAW_STVK) {
            sp_mask penalty = p[SP_LAW_VOLUME] > 0;
            sp_lane green = SP_SELECT(penalty, lane_all(0), pressure);
            r->second[k] += green, r->sym[k] += green, r->skew[k] += green;
            if (!lane_any(penalty)) continue;
            s = SP_SELECT(penalty, s, lane_all(0));
            r->second[3 + k] += s, r->sym[k] -= s, r->skew[k] += s;
        } else {
            r->second[3 + k] += s, r->sym[k] -= s, r->skew[k] += s;
        }
    }
}

// Response of a point to rest + pressure * z; the energy is that of rest. `rest`: bar_rest
SP_POINTWISE void bar_respond(sp_law law, int definite, const sp_lane *rest, sp_lane pressure, const bar_point *at,
                              iso_response *out) {
    for (int k = 0; k < 9; k++) out->U[k] = at->U[k], out->V[k] = at->V[k];
    if (law == SP_LAW_LINEAR) {
        iso_hooke(rest, at->t, out);
        for (int k = 0; k < 3; k++) out->stress[k] += pressure;
        return;
    }
    law_evaluate(law, rest, at->t, &out->law);
    bar_press(law, rest, pressure, at->t, &out->law);
    for (int k = 0; k < 3; k++) out->stress[k] = out->law.first[k], out->stress[3 + k] = lane_all(0);
    if (definite) law_definite(&out->law);
}

// w dz/dF in the axes of U: with iso_spread over the turned gradients, the part of the point in q
SP_POINTWISE void bar_gradient(sp_law law, const sp_lane *p, const bar_point *at, sp_lane w, sp_lane *M) {
    sp_lane slope[6];
    bar_slope(law, p, at->t, slope);
    for (int k = 3; k < 6; k++) slope[k] = lane_all(0);
    lane_mul_sym(at->U, slope, M);
    for (int k = 0; k < 9; k++) M[k] *= w;
}

// f += factor q (q . d) of nodes 1..; bar: q, factor
SP_POINTWISE void bar_product(const sp_lane *bar, const sp_lane *d, sp_lane *f) {
    sp_lane sum = bar[0] * d[0];
    for (int i = 1; i < BAR_SLOPES; i++) sum += bar[i] * d[i];
    sum *= bar[BAR_SLOPES];
    for (int i = 0; i < BAR_SLOPES; i++) f[i] += bar[i] * sum;
}

// K += factor y z^T
SP_POINTWISE void bar_block(sp_lane factor, const sp_lane *y, const sp_lane *z, sp_lane *K) {
    for (int k = 0; k < 9; k++) K[k] += factor * y[k / 3] * z[k % 3];
}

#endif
