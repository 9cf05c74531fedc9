// Error of a stale element stiffness block, on lanes (warp-cancelling corotation: Hecht et al. 2012; Pincon 2020).
//
// Node a stores Q_a = Rn_a^T R of the last refresh. The stale block of nodes a and b is Q_a K_ab Q_b^T in the node frames and
// acts as Rn_a Q_a K_ab Q_b^T Rn_b^T with the current node rotations; the fresh one is R K_ab R^T. The product f = K w is
// computed from the gradients (kernels/tet.h), so no 12 x 12 matrix is formed.
#ifndef SP_WARP_H
#define SP_WARP_H

#include "kernels/tet.h"
#include "kernels/warp_record.h"

// out = M x, M^T x
SP_POINTWISE void lane_mul3(const sp_lane *M, const sp_lane *x, sp_lane *out) {
    for (int i = 0; i < 3; i++) out[i] = M[3 * i] * x[0] + M[3 * i + 1] * x[1] + M[3 * i + 2] * x[2];
}
SP_POINTWISE void lane_mul3t(const sp_lane *M, const sp_lane *x, sp_lane *out) {
    for (int i = 0; i < 3; i++) out[i] = M[i] * x[0] + M[3 + i] * x[1] + M[6 + i] * x[2];
}

// forces of all four nodes from those of nodes 1..3
SP_POINTWISE void warp_balance(const sp_lane *f, sp_lane *all) {
    for (int k = 0; k < 3; k++) all[k] = -(f[k] + f[3 + k] + f[6 + k]);
    for (int k = 0; k < 9; k++) all[3 + k] = f[k];
}

// R K R^T x
SP_POINTWISE void warp_fresh(const sp_lane *G, sp_lane r, const sp_lane *R, const sp_lane *node, sp_lane *f) {
    sp_lane d[9], t[9], turned[9];
    for (int a = 0; a < 3; a++) {
        sp_lane edge[3];
        for (int k = 0; k < 3; k++) edge[k] = node[SP_WARP_NODE * (a + 1) + 9 + k] - node[9 + k];
        lane_mul3t(R, edge, d + 3 * a);
    }
    tet_product(d, G, r, t);
    for (int a = 0; a < 9; a += 3) lane_mul3(R, t + a, turned + a);
    warp_balance(turned, f);
}

// Q K Q^T Rn^T x, in the node frames
SP_POINTWISE void warp_stale(const sp_lane *G, sp_lane r, const sp_lane *Q, const sp_lane *node, sp_lane *f) {
    sp_lane w[12], t[9], all[12];
    for (int a = 0; a < 4; a++) lane_mul3t(Q + 9 * a, node + SP_WARP_NODE * a + 12, w + 3 * a);
    for (int k = 3; k < 12; k++) w[k] -= w[k % 3];
    tet_product(w + 3, G, r, t);
    warp_balance(t, all);
    for (int a = 0; a < 4; a++) lane_mul3(Q + 9 * a, all + 3 * a, f + 3 * a);
}

// |fresh - stale| over the four nodes
SP_POINTWISE sp_lane warp_error(const sp_lane *G, sp_lane r, const sp_lane *Q, const sp_lane *R, const sp_lane *node) {
    sp_lane fresh[12], stale[12], sum = lane_all(0);
    warp_fresh(G, r, R, node, fresh);
    warp_stale(G, r, Q, node, stale);
    for (int a = 0; a < 4; a++) {
        sp_lane f[3];
        lane_mul3(node + SP_WARP_NODE * a, stale + 3 * a, f);
        for (int k = 0; k < 3; k++) f[k] -= fresh[3 * a + k];
        sum += lane_dot(f, f);
    }
    return lane_sqrt(sum);
}

#endif
