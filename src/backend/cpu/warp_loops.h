// Errors of stale element blocks, four at a time; included by tet_loops.h.
#include "kernels/warp.h"

// records of four nodes, entry by entry
SP_POINTWISE void load_records(const double *record, const int *node, sp_lane *out) {
    for (int q = 0; q < SP_WARP_NODE; q += 4) {
        for (int l = 0; l < 4; l++) out[q + l] = lane_load(record + SP_WARP_NODE * (size_t)node[l] + q);
        transpose4(out + q);
    }
}

// rotations of four elements, 9 numbers each, as lanes
SP_POINTWISE void load_turns(const double *R, sp_lane *out) {
    for (int l = 0; l < 4; l++) out[l] = load_any(R + 9 * l), out[4 + l] = load_any(R + 9 * l + 4);
    transpose4(out), transpose4(out + 4);
    out[8] = (sp_lane){R[8], R[17], R[26], R[35]};
}

static void SP_NAME(warp_errors)(const sp_warped *w, int begin, int end, const double *R, double *error) {
    for (size_t b = (size_t)begin; b < (size_t)end; b++, R += 36) {
        sp_lane G[10], Q[36], T[9], node[4 * SP_WARP_NODE];
        for (int a = 0; a < 4; a++) load_records(w->record, w->node + 16 * b + 4 * a, node + SP_WARP_NODE * a);
        load_lanes(w->grad + 40 * b, 10, G);
        load_lanes(w->kept + 144 * b, 36, Q);
        load_turns(R, T);
        lane_store(error + 4 * b, warp_error(G, G[9], Q, T, node));
    }
}
