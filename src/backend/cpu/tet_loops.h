// Loops of the cpu backend over one chunk, four elements or rows at a time. Included once per instruction set by a file that
// defines SP_SUFFIX; the arithmetic is in kernels/tet.h.
#define SP_LANES 4
#include "backend/backend.h"
#include "kernels/tet.h"

#define SP_PASTE2(a, b) a##b
#define SP_PASTE(a, b) SP_PASTE2(a, b)
#define SP_NAME(base) SP_PASTE(base, SP_SUFFIX)

typedef double lane_unaligned __attribute__((vector_size(32), aligned(8), may_alias));

SP_POINTWISE sp_lane load_any(const double *p) {
    return *(const lane_unaligned *)p;
}

SP_POINTWISE void store_any(double *p, sp_lane a) {
    *(lane_unaligned *)p = a;
}

// x, y, z lanes of four nodes of a local array (4 numbers per node)
SP_POINTWISE void load4(const double *x, const uint16_t *id, sp_lane *out) {
    sp_lane a = lane_load(x + 4 * (size_t)id[0]), b = lane_load(x + 4 * (size_t)id[1]);
    sp_lane c = lane_load(x + 4 * (size_t)id[2]), d = lane_load(x + 4 * (size_t)id[3]);
    sp_lane ab = __builtin_shufflevector(a, b, 0, 4, 2, 6), cd = __builtin_shufflevector(c, d, 0, 4, 2, 6);
    sp_lane ab1 = __builtin_shufflevector(a, b, 1, 5, 3, 7), cd1 = __builtin_shufflevector(c, d, 1, 5, 3, 7);
    out[0] = __builtin_shufflevector(ab, cd, 0, 1, 4, 5);
    out[1] = __builtin_shufflevector(ab1, cd1, 0, 1, 4, 5);
    out[2] = __builtin_shufflevector(ab, cd, 2, 3, 6, 7);
}

// adds lanes to four nodes in sequence: they may be the same node
SP_POINTWISE void add4(double *y, const uint16_t *id, const sp_lane *v) {
    sp_lane zero = {0};
    sp_lane xy = __builtin_shufflevector(v[0], v[1], 0, 4, 2, 6), xy1 = __builtin_shufflevector(v[0], v[1], 1, 5, 3, 7);
    sp_lane z = __builtin_shufflevector(v[2], zero, 0, 4, 2, 6), z1 = __builtin_shufflevector(v[2], zero, 1, 5, 3, 7);
    sp_lane n[4] = {__builtin_shufflevector(xy, z, 0, 1, 4, 5), __builtin_shufflevector(xy1, z1, 0, 1, 4, 5),
                    __builtin_shufflevector(xy, z, 2, 3, 6, 7), __builtin_shufflevector(xy1, z1, 2, 3, 6, 7)};
    for (int l = 0; l < 4; l++) {
        double *p = y + 4 * (size_t)id[l];
        lane_store(p, lane_load(p) + n[l]);
    }
}

// edges from node 0 to nodes 1..3
SP_POINTWISE void load_edges(const double *x, const uint16_t *id, sp_lane *d) {
    sp_lane o[3];
    load4(x, id, o);
    for (int a = 0; a < 3; a++) {
        load4(x, id + 4 * (a + 1), d + 3 * a);
        for (int k = 0; k < 3; k++) d[3 * a + k] -= o[k];
    }
}

// adds the forces of nodes 1..3 and the balancing force of node 0
SP_POINTWISE void add_corners(double *y, const uint16_t *id, const sp_lane *f) {
    sp_lane o[3];
    for (int k = 0; k < 3; k++) o[k] = -(f[k] + f[3 + k] + f[6 + k]);
    add4(y, id, o);
    for (int a = 0; a < 3; a++) add4(y, id + 4 * (a + 1), f + 3 * a);
}

SP_POINTWISE void load_lanes(const double *p, int n, sp_lane *out) {
    for (int i = 0; i < n; i++) out[i] = lane_load(p + SP_LANES * i);
}

SP_POINTWISE void store_lanes(double *p, int n, const sp_lane *v) {
    for (int i = 0; i < n; i++) lane_store(p + SP_LANES * i, v[i]);
}

SP_POINTWISE double state_loop(const sp_tets *t, int chunk, const double *x, double *y, tet_rotation how) {
    sp_lane energy = lane_all(0);
    for (size_t b = (size_t)t->block_start[chunk]; b < (size_t)t->block_start[chunk + 1]; b++) {
        const uint16_t *id = t->local + 16 * b;
        sp_lane d[9], g[6], G[9], f[9], e[6], N[6];
        sp_lane s = lane_load(t->scale + 4 * b), r = lane_load(t->ratio + 4 * b);
        load_edges(x, id, d);
        load_lanes(t->rest + 24 * b, 6, g);
        energy += tet_state(d, g, s, r, how, t->deformed, G, f, e);
        if (!y) continue;
        store_lanes(t->grad + 36 * b, 9, G);
        if (t->spin) {
            tet_spin(e, r, N);
            store_lanes(t->spin + 24 * b, 6, N);
        }
        add_corners(y, id, f);
    }
    return lane_sum(energy);
}

static double SP_NAME(tet_state)(const sp_tets *t, int chunk, const double *x, double *y) {
    if (t->rotation == TET_QR) return state_loop(t, chunk, x, y, TET_QR);
    if (t->rotation == TET_SVD) return state_loop(t, chunk, x, y, TET_SVD);
    return state_loop(t, chunk, x, y, TET_POLAR);
}

typedef enum tally { TALLY_VOLUME, TALLY_LINEAR, TALLY_POLAR, TALLY_SVD } tally;

SP_POINTWISE void tally_loop(const sp_tets *t, int chunk, const double *x, tally how, double *out) {
    sp_lane energy = lane_all(0), volume = lane_all(0), inverted = lane_all(0), zero = lane_all(0), one = lane_all(1);
    for (size_t b = (size_t)t->block_start[chunk]; b < (size_t)t->block_start[chunk + 1]; b++) {
        sp_lane d[9], g[6], F[9], cof[3], s = lane_load(t->scale + 4 * b), r = lane_load(t->ratio + 4 * b);
        sp_lane V = lane_load(t->volume + 4 * b);
        load_edges(x, t->local + 16 * b, d);
        load_lanes(t->rest + 24 * b, 6, g);
        tet_gradient(d, g, F);
        lane_cross(F + 3, F + 6, cof);
        sp_lane det = lane_dot(F, cof);
        volume += V * det;
        inverted += SP_SELECT((det <= 0.0) & (V > 0.0), one, zero);
        if (how == TALLY_VOLUME) continue;
        if (how == TALLY_LINEAR) {
            sp_lane frame[9];
            load_lanes(t->frame + 36 * b, 9, frame);
            energy += s * s * tet_linear_energy(F, frame, r);
        } else {
            energy += s * s * tet_stretch_energy(F, how == TALLY_POLAR ? lane_abs(det) : det, r);
        }
    }
    out[0] = how == TALLY_VOLUME ? NAN : lane_sum(energy), out[1] = lane_sum(volume), out[2] = lane_sum(inverted);
}

static void SP_NAME(tet_sums)(const sp_tets *t, int chunk, const double *x, double out[3]) {
    if (t->frame)
        tally_loop(t, chunk, x, TALLY_LINEAR, out);
    else if (t->rotation == TET_QR || t->deformed)
        tally_loop(t, chunk, x, TALLY_VOLUME, out);
    else if (t->rotation == TET_SVD)
        tally_loop(t, chunk, x, TALLY_SVD, out);
    else
        tally_loop(t, chunk, x, TALLY_POLAR, out);
}

SP_POINTWISE void product_loop(const sp_tets *t, int chunk, const double *x, double *y, bool exact) {
    for (size_t b = (size_t)t->block_start[chunk]; b < (size_t)t->block_start[chunk + 1]; b++) {
        const uint16_t *id = t->local + 16 * b;
        sp_lane d[9], G[9], f[9], N[6] = {{0}};
        load_edges(x, id, d);
        load_lanes(t->grad + 36 * b, 9, G);
        tet_product(d, G, lane_load(t->ratio + 4 * b), f);
        if (exact) {
            load_lanes(t->spin + 24 * b, 6, N);
            tet_product_spin(d, G, N, f);
        }
        add_corners(y, id, f);
    }
}

static void SP_NAME(tet_product)(const sp_tets *t, int chunk, const double *x, double *y) {
    if (t->spin)
        product_loop(t, chunk, x, y, true);
    else
        product_loop(t, chunk, x, y, false);
}

// transposes four vectors
SP_POINTWISE void transpose4(sp_lane *v) {
    sp_lane a = __builtin_shufflevector(v[0], v[1], 0, 4, 2, 6), b = __builtin_shufflevector(v[0], v[1], 1, 5, 3, 7);
    sp_lane c = __builtin_shufflevector(v[2], v[3], 0, 4, 2, 6), d = __builtin_shufflevector(v[2], v[3], 1, 5, 3, 7);
    v[0] = __builtin_shufflevector(a, c, 0, 1, 4, 5), v[1] = __builtin_shufflevector(b, d, 0, 1, 4, 5);
    v[2] = __builtin_shufflevector(a, c, 2, 3, 6, 7), v[3] = __builtin_shufflevector(b, d, 2, 3, 6, 7);
}

typedef int32_t ints4 __attribute__((vector_size(16)));
typedef int32_t ints4_unaligned __attribute__((vector_size(16), aligned(4), may_alias));

// adds one block of each of four elements to its matrix block; `all`: all four blocks are in this chunk
SP_POINTWISE void add_block(sp_lane *K, const int *at, double *blocks, bool all) {
    transpose4(K);
    transpose4(K + 4);
    for (int l = 0; l < 4; l++) {
        if (!all && at[l] < 0) continue;
        double *v = blocks + 9 * (size_t)(at[l] >> 1);
        store_any(v, load_any(v) + K[l]);
        store_any(v + 4, load_any(v + 4) + K[4 + l]);
        v[8] += K[8][l];
    }
}

// the gradients of a node pair, exchanged in the lanes whose block is stored transposed
SP_POINTWISE void load_pair(const sp_lane *Ga, const sp_lane *Gb, const int *at, sp_lane *a, sp_lane *b) {
    ints4 odd = -(*(const ints4_unaligned *)at & 1);
    sp_mask flip = __builtin_convertvector(odd, sp_mask);
    for (int k = 0; k < 3; k++) a[k] = SP_SELECT(flip, Gb[k], Ga[k]), b[k] = SP_SELECT(flip, Ga[k], Gb[k]);
}

SP_POINTWISE bool all_here(const int *at) {
    ints4 any = {0};
    for (int k = 0; k < 10; k++) any |= *(const ints4_unaligned *)(at + 4 * k);
    return (any[0] | any[1] | any[2] | any[3]) >= 0;
}

SP_POINTWISE void assemble_block(const sp_tets *t, size_t block, const int *at, sp_lane f, double *blocks, bool exact, bool all) {
    sp_lane G[12], N[6] = {{0}}, K[9], a[3], b[3], r = lane_load(t->ratio + 4 * block);
    load_lanes(t->grad + 36 * block, 9, G + 3);
    for (int k = 0; k < 3; k++) G[k] = -(G[3 + k] + G[6 + k] + G[9 + k]);
    if (exact) load_lanes(t->spin + 24 * block, 6, N);
    for (int k = 0; k < 10; k++, at += 4) {
        load_pair(G + 3 * sp__pair_a[k], G + 3 * sp__pair_b[k], at, a, b);
        tet_block(a, b, r, f, K);
        if (exact) tet_block_spin(a, b, N, f, K);
        add_block(K, at, blocks, all);
    }
}

SP_POINTWISE void assemble_loop(const sp_tets *t, const sp_stencil *where, double factor, double *blocks, bool exact) {
    for (int s = 0; s < where->count; s++) {
        const int *at = where->at + 40 * (size_t)s;
        size_t block = (size_t)where->block[s];
        if (all_here(at))
            assemble_block(t, block, at, lane_all(factor), blocks, exact, true);
        else
            assemble_block(t, block, at, lane_all(factor), blocks, exact, false);
    }
}

static void SP_NAME(tet_assemble)(const sp_tets *t, const sp_stencil *where, double factor, double *blocks) {
    if (t->spin)
        assemble_loop(t, where, factor, blocks, true);
    else
        assemble_loop(t, where, factor, blocks, false);
}

// interleaves the blocks of four rows and pads short rows with zero; row_start and order belong to the whole matrix, order starts
// at the first row of the chunk, and `first` is the number of its first block
static void SP_NAME(rows_store)(const int *row_start, const int *order, int rows, int first, const int *group_start,
                                const double *blocks, double *val) {
    static const double zero[9] = {0};
    for (int i = 0; i < rows; i += 4) {
        size_t slot = (size_t)group_start[i / 4], end = (size_t)group_start[i / 4 + 1];
        for (int s = 0; slot < end; s++, slot++) {
            sp_lane v[9] = {{0}};
            for (int l = 0; l < 4; l++) {
                bool some = i + l < rows && row_start[order[i + l]] + s < row_start[order[i + l] + 1];
                const double *b = some ? blocks + 9 * (size_t)(row_start[order[i + l]] + s - first) : zero;
                v[l] = load_any(b), v[4 + l] = load_any(b + 4), v[8][l] = b[8];
            }
            transpose4(v);
            transpose4(v + 4);
            store_lanes(val + 36 * slot, 9, v);
        }
    }
}

// four interleaved rows: slot 0 holds the diagonal blocks; the other blocks also act transposed
static void SP_NAME(rows_product)(const sp_rows4 *a, int chunk, const double *x, double *y) {
    for (int g = a->chunk_group[chunk]; g < a->chunk_group[chunk + 1]; g++) {
        size_t slot = (size_t)a->group_start[g], end = (size_t)a->group_start[g + 1];
        const uint16_t *own = a->col + 4 * slot;
        sp_lane xi[3], acc[3], xj[3], t[3], v[9];
        load4(x, own, xi);
        load_lanes(a->val + 36 * slot, 9, v);
        for (int r = 0; r < 3; r++) acc[r] = v[3 * r] * xi[0] + v[3 * r + 1] * xi[1] + v[3 * r + 2] * xi[2];
        for (slot++; slot < end; slot++) {
            const uint16_t *col = a->col + 4 * slot;
            load_lanes(a->val + 36 * slot, 9, v);
            load4(x, col, xj);
            for (int r = 0; r < 3; r++) acc[r] += v[3 * r] * xj[0] + v[3 * r + 1] * xj[1] + v[3 * r + 2] * xj[2];
            for (int c = 0; c < 3; c++) t[c] = v[c] * xi[0] + v[3 + c] * xi[1] + v[6 + c] * xi[2];
            add4(y, col, t);
        }
        add4(y, own, acc);
    }
}

#include "backend/cpu/warp_loops.h"

// coordinate k of four nodes of a global array
SP_POINTWISE sp_lane load_coordinate(const double *x, const int *node, size_t k) {
    return (sp_lane){x[3 * (size_t)node[0] + k], x[3 * (size_t)node[1] + k], x[3 * (size_t)node[2] + k],
                     x[3 * (size_t)node[3] + k]};
}

static void SP_NAME(tet_rotations)(const sp_tets *t, int block, const double *grad, const double *rest, double *R) {
    const int *node = t->node + 16 * (size_t)block;
    sp_lane c[9], e[9], size = lane_load(t->scale + SP_LANES * (size_t)block), one = lane_all(1), zero = lane_all(0);
    sp_mask stiff = size > 0.0;
    sp_lane scale = SP_SELECT(stiff, one, zero) / SP_SELECT(stiff, size, one);
    load_lanes(grad + 36 * (size_t)block, 9, c);
    for (size_t k = 0; k < 3; k++) {
        sp_lane from = load_coordinate(rest, node, k);
        for (size_t i = 0; i < 3; i++) e[3 * i + k] = scale * (load_coordinate(rest, node + 4 * (i + 1), k) - from);
    }
    for (int k = 0; k < 9; k++) {
        sp_lane v = c[k / 3] * e[k % 3] + c[3 + k / 3] * e[3 + k % 3] + c[6 + k / 3] * e[6 + k % 3];
        for (int l = 0; l < SP_LANES; l++) R[9 * l + k] = v[l];
    }
}

static void SP_NAME(nearest_rotations)(int n, double *R) {
    for (int i = 0; i < n; i += SP_LANES) {
        sp_lane M[9], out[9];
        const double *at[SP_LANES];
        for (int l = 0; l < SP_LANES; l++) at[l] = R + 9 * (size_t)(i + l < n ? i + l : i);
        for (int k = 0; k < 9; k++) M[k] = (sp_lane){at[0][k], at[1][k], at[2][k], at[3][k]};
        rotation_nearest(M, out);
        for (int l = 0; l < SP_LANES && i + l < n; l++)
            for (int k = 0; k < 9; k++) R[9 * (size_t)(i + l) + (size_t)k] = out[k][l];
    }
}

#include "backend/cpu/iso_loops.h"

// ------------------------------------------------------------------------------------------------ arrays

static void SP_NAME(gather)(const double *x, const double *keep, const int *node, int n, double *local) {
    const sp_mask three = {-1, -1, -1, 0};
    for (int i = 0; i < n; i++) {
        sp_lane v = load_any(x + 3 * (size_t)node[i]);
        if (keep) v *= load_any(keep + 3 * (size_t)node[i]);
        lane_store(local + 4 * (size_t)i, (sp_lane)((sp_mask)v & three));
    }
}

// each store overwrites the first number of the next node, which the next store restores
static void SP_NAME(scatter)(const double *local, int n, double *sum) {
    for (int i = 0; i < n - 1; i++) store_any(sum + 3 * (size_t)i, lane_load(local + 4 * (size_t)i));
    for (int k = 0; n && k < 3; k++) sum[3 * (size_t)(n - 1) + (size_t)k] = local[4 * (size_t)(n - 1) + (size_t)k];
}

static double SP_NAME(sum_slots)(const sp_chunks *c, int begin, int end, const double *x, double *y) {
    const sp_mask three = {-1, -1, -1, 0};
    sp_lane dot = lane_all(0);
    for (int i = begin; i < end; i++) {
        const int *slot = c->slot + c->slot_start[i], *last = c->slot + c->slot_start[i + 1];
        sp_lane sum = lane_all(0);
        for (; slot < last; slot++) sum += load_any(c->sum + 3 * (size_t)*slot);
        sum = (sp_lane)((sp_mask)sum & three);
        dot += sum * (sp_lane)((sp_mask)load_any(x + 3 * (size_t)i) & three);
        if (i < end - 1)
            store_any(y + 3 * (size_t)i, sum);
        else
            for (int k = 0; k < 3; k++) y[3 * (size_t)i + (size_t)k] = sum[k];
    }
    return lane_sum(dot);
}

static double SP_NAME(cg_advance)(int n, double alpha, const double *p, const double *q, double *x, double *r) {
    sp_lane a = lane_all(alpha), sum = lane_all(0);
    int i = 0;
    for (; i + 4 <= n; i += 4) {
        sp_lane next = load_any(r + i) - a * load_any(q + i);
        store_any(x + i, load_any(x + i) + a * load_any(p + i));
        store_any(r + i, next);
        sum += next * next;
    }
    double tail = 0;
    for (; i < n; i++) {
        x[i] += alpha * p[i], r[i] -= alpha * q[i];
        tail += r[i] * r[i];
    }
    return lane_sum(sum) + tail;
}

static void SP_NAME(cg_direction)(int n, double beta, const double *r, double *p) {
    sp_lane b = lane_all(beta);
    int i = 0;
    for (; i + 4 <= n; i += 4) store_any(p + i, load_any(r + i) + b * load_any(p + i));
    for (; i < n; i++) p[i] = r[i] + beta * p[i];
}

static const char *SP_NAME(detail)(void) {
    return SP_DETAIL;
}

_Static_assert(SP_LANES <= SP_LANES_MAX, "SP_LANES_MAX bounds arrays on the stack");

const sp_backend SP_NAME(sp__backend_cpu) = {
    .name = SP_BACKEND,
    .lanes = SP_LANES,
    .parallel = true,
    .free_is_faster = false,
    .detail = SP_NAME(detail),
    .tet_state = SP_NAME(tet_state),
    .tet_sums = SP_NAME(tet_sums),
    .tet_product = SP_NAME(tet_product),
    .tet_assemble = SP_NAME(tet_assemble),
    .iso_state = SP_NAME(iso_state),
    .iso_sums = SP_NAME(iso_sums),
    .iso_product = SP_NAME(iso_product),
    .iso_assemble = SP_NAME(iso_assemble),
    .iso_rotations = SP_NAME(iso_rotations),
    .rows_store = SP_NAME(rows_store),
    .rows_product = SP_NAME(rows_product),
    .warp_errors = SP_NAME(warp_errors),
    .tet_rotations = SP_NAME(tet_rotations),
    .nearest_rotations = SP_NAME(nearest_rotations),
    .gather = SP_NAME(gather),
    .scatter = SP_NAME(scatter),
    .sum_slots = SP_NAME(sum_slots),
    .cg_advance = SP_NAME(cg_advance),
    .cg_direction = SP_NAME(cg_direction),
};
