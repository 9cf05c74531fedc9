// One point of every law by the kernels, in the precision and with the lanes of the file that includes this: what they give is
// compared in double. SP_LANES and, for float, SP_REAL_FLOAT are defined before it is included.
#ifndef KERNEL_POINT_H
#define KERNEL_POINT_H

#include "kernel_results.h"
#include "kernels/bar.h"
#include "kernels/membrane.h"
#include "kernels/tensor.h"
#include "kernels/warp.h"

#if SP_LANES > 1
#define KERNEL_PUT(to, lane, value) ((to)[lane] = (sp_real)(value))
#define KERNEL_GET(from, lane) ((double)(from)[lane])
#else
#define KERNEL_PUT(to, lane, value) ((void)(lane), (to) = (sp_real)(value))
#define KERNEL_GET(from, lane) ((void)(lane), (double)(from))
#endif

SP_POINTWISE void kernel_put(int n, const double *from, int lane, sp_lane *to) {
    for (int k = 0; k < n; k++) KERNEL_PUT(to[k], lane, from[k]);
}
SP_POINTWISE void kernel_get(int n, const sp_lane *from, int lane, double *to) {
    for (int k = 0; k < n; k++) to[k] = KERNEL_GET(from[k], lane);
}

// P = U S V^T
SP_POINTWISE void kernel_stress(const iso_response *r, sp_lane *P) {
    sp_lane US[9];
    iso_stress(r, lane_all(1), US);
    for (int k = 0; k < 9; k++) P[k] = lane_dot(US + k - k % 3, r->V + k % 3 * 3);
}

// U dP(U^T D V) V^T
SP_POINTWISE void kernel_change(const iso_response *r, const sp_lane *D, sp_lane *dP) {
    sp_lane T[21], Q[9], X[9], g[9];
    iso_tangent(r, lane_all(1), T);
    // three unit gradients turned by V: the product of a tetrahedron with these edges
    for (int a = 0; a < 3; a++) {
        sp_lane unit[3] = {lane_all(a == 0), lane_all(a == 1), lane_all(a == 2)};
        iso_turn(r->V, unit, g + 3 * a);
    }
    for (int k = 0; k < 9; k++) X[k] = D[k % 3 * 3 + k / 3], Q[k] = lane_all(0);
    iso_product4(T, g, X, Q);
    for (int k = 0; k < 9; k++) dP[k] = Q[k % 3 * 3 + k / 3];
}

KERNEL_SCOPE void KERNEL_LAW(sp_law law, const double *params, int n, double (*H)[9], const double *D, kernel_law *out) {
    for (int first = 0; first < n; first += SP_LANES) {
        sp_lane p[SP_LAW_PARAMS], h[9], d[9], P[9], dP[9], definite[9];
        for (int l = 0; l < SP_LANES; l++) {
            kernel_put(SP_LAW_PARAMS, params, l, p), kernel_put(9, D, l, d);
            kernel_put(9, H[first + l < n ? first + l : first], l, h);
        }
        iso_response r;
        sp_lane energy = iso_energy(law, p, h), J = iso_jacobian(h);
        iso_respond(law, 0, p, h, &r);
        kernel_stress(&r, P);
        kernel_change(&r, d, dP);
        iso_respond(law, 1, p, h, &r);
        kernel_change(&r, d, definite);
        for (int l = 0; l < SP_LANES && first + l < n; l++) {
            kernel_law *to = &out[first + l];
            to->energy = KERNEL_GET(energy, l), to->jacobian = KERNEL_GET(J, l);
            kernel_get(9, P, l, to->stress), kernel_get(9, dP, l, to->change), kernel_get(9, definite, l, to->definite);
        }
    }
}

// the mean dilatation of kernels/bar.h at one point: the law without its bulk part and with a pressure
KERNEL_SCOPE void KERNEL_BAR(sp_law law, const double *params, double pressure, int n, double (*H)[9], kernel_bar *out) {
    for (int first = 0; first < n; first += SP_LANES) {
        sp_lane p[SP_LAW_PARAMS], rest[SP_LAW_PARAMS], h[9], P[9], M[9], bulk[3];
        for (int l = 0; l < SP_LANES; l++) {
            kernel_put(SP_LAW_PARAMS, params, l, p);
            kernel_put(9, H[first + l < n ? first + l : first], l, h);
        }
        bar_point at;
        iso_response r;
        sp_lane z = bar_decompose(law, p, h, &at);
        bar_rest(law, p, rest);
        bar_bulk(law, p, z, bulk);
        bar_respond(law, 0, rest, lane_all((sp_real)pressure), &at, &r);
        kernel_stress(&r, P);
        bar_gradient(law, p, &at, lane_all(1), M);
        for (int k = 0; k < 9; k++) h[k] = lane_dot(M + k - k % 3, at.V + k % 3 * 3);
        for (int l = 0; l < SP_LANES && first + l < n; l++) {
            kernel_bar *to = &out[first + l];
            to->measure = KERNEL_GET(z, l);
            kernel_get(3, bulk, l, to->bulk), kernel_get(9, P, l, to->stress), kernel_get(9, h, l, to->gradient);
        }
    }
}

KERNEL_SCOPE void KERNEL_ROTATION(int n, double (*F)[9], kernel_rotation *out) {
    for (int first = 0; first < n; first += SP_LANES) {
        sp_lane f[9], R[5][9];
        for (int l = 0; l < SP_LANES; l++) kernel_put(9, F[first + l < n ? first + l : first], l, f);
        rotation_qr(f, R[0]);
        rotation_svd(f, R[1]);
        rotation_polar(f, R[2]);
        rotation_jacobi(f, R[3]);
        rotation_nearest(f, R[4]);
        for (int l = 0; l < SP_LANES && first + l < n; l++)
            for (int k = 0; k < 5; k++) kernel_get(9, R[k], l, out[first + l].R[k]);
    }
}

// a tetrahedron with the rest gradients of a unit corner, edges d, material mu = 1, lambda = ratio
KERNEL_SCOPE void KERNEL_TET(int n, double (*edges)[9], const double *other, double ratio, int deformed, kernel_tet *out) {
    static const double corner[6] = {1, 0, 0, 1, 0, 1};
    for (int first = 0; first < n; first += SP_LANES) {
        sp_lane d[9], g[6], x[9], G[9], f[9], e[6], N[6], product[9], spin[9], F[9], r = lane_all((sp_real)ratio);
        for (int l = 0; l < SP_LANES; l++) {
            kernel_put(6, corner, l, g), kernel_put(9, other, l, x);
            kernel_put(9, edges[first + l < n ? first + l : first], l, d);
        }
        sp_lane energy = tet_state(d, g, lane_all(1), r, TET_SVD, deformed, G, f, e);
        tet_product(x, G, r, product);
        tet_spin(e, r, N);
        for (int k = 0; k < 9; k++) spin[k] = lane_all(0);
        tet_product_spin(x, G, N, spin);
        tet_gradient(d, g, F);
        sp_lane cof[9], stretch = tet_stretch_energy(F, lane_cofactor(F, cof), r);
        for (int l = 0; l < SP_LANES && first + l < n; l++) {
            kernel_tet *to = &out[first + l];
            to->energy = KERNEL_GET(energy, l), to->stretch_energy = KERNEL_GET(stretch, l);
            kernel_get(9, f, l, to->force), kernel_get(9, product, l, to->product), kernel_get(9, spin, l, to->spin);
        }
    }
}

// a tensor-mass element of volume 1 with rest gradients `slope`, displacements d; the exact tangent
KERNEL_SCOPE void KERNEL_TENSOR(int nodes, int hooke, int penalty, const double *params, const double *slope, int n,
                                double (*displacements)[9], const double *other, kernel_tensor *out) {
    for (int first = 0; first < n; first += SP_LANES) {
        sp_lane p[SP_LAW_PARAMS], s[9], d[9], x[9], g[9], T[TENSOR_NUMBERS], f[9], product[9], zero = lane_all(0);
        const tensor_kind kind = {nodes, hooke, penalty};
        for (int l = 0; l < SP_LANES; l++) {
            kernel_put(SP_LAW_PARAMS, params, l, p), kernel_put(9, slope, l, s), kernel_put(9, other, l, x);
            kernel_put(9, displacements[first + l < n ? first + l : first], l, d);
        }
        for (int k = 0; k < 9; k++) f[k] = product[k] = zero;
        sp_lane energy = tensor_state(kind, 0, p, s, lane_all(1), d, g, T, f);
        tensor_product(kind, T, g, x, product);
        for (int l = 0; l < SP_LANES && first + l < n; l++) {
            out[first + l].energy = KERNEL_GET(energy, l);
            kernel_get(9, f, l, out[first + l].force), kernel_get(9, product, l, out[first + l].product);
        }
    }
}

// kernels/warp.h with two rotations of the nodes and of the element
KERNEL_SCOPE void KERNEL_WARP(const double *gradients, double ratio, double (*Q)[9], const double *R, const double *node,
                              double *error) {
    sp_lane G[9], q[36], turn[9], record[4 * SP_WARP_NODE];
    for (int l = 0; l < SP_LANES; l++) {
        kernel_put(9, gradients, l, G), kernel_put(9, R, l, turn), kernel_put(4 * SP_WARP_NODE, node, l, record);
        for (int a = 0; a < 4; a++) kernel_put(9, Q[a], l, q + 9 * a);
    }
    sp_lane sum = warp_error(G, lane_all((sp_real)ratio), q, turn, record);
    *error = KERNEL_GET(sum, SP_LANES - 1);
}

#endif
