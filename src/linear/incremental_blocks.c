// Elements of any kind in the incremental Cholesky solver: other laws than the corotational one, more nodes, several types in one
// mesh.
//
// The matrix of such an element is not that of rest, rotated: it changes with the strain. So the element keeps the blocks of its
// last refresh in the frames of its nodes, K~_ij = Rn_i^T K_ij Rn_j, which do not change when its neighbourhood rotates. They are
// a congruence of K, hence positive semi-definite with it. The error is |(K - Rn K~ Rn^T) x| with the present K and Rn: it
// contains what the rotation of the element relative to its nodes changes, and what the strain changes.
#include "kernels/warp_record.h"
#include "linear/incremental.h"
#include "math/vec3.h"

enum { RANGE = 8, TASK = 128 };  // elements whose blocks are made at once, elements per task

typedef struct block_pass {
    sp_incremental *u;
    const sp_system *A;
    bool keep;
} block_pass;

static double *kept_blocks(const sp_incremental *u, int e) {
    return u->kept + sp__incremental_kept(u) * (size_t)e;
}

static void add_mul(const double *K, const double *x, double *y) {
    for (int r = 0; r < 3; r++) y[r] += K[3 * r] * x[0] + K[3 * r + 1] * x[1] + K[3 * r + 2] * x[2];
}

static void add_mul_transposed(const double *K, const double *x, double *y) {
    for (int r = 0; r < 3; r++) y[r] += K[r] * x[0] + K[3 + r] * x[1] + K[6 + r] * x[2];
}

// products of the blocks of an element with the numbers of its node records from `from` on
static void block_product(const sp_incremental *u, const int *node, const double *K, int from, double *y) {
    for (int p = 0; p < u->pairs; p++, K += 9) {
        int a = u->pair_a[p], b = u->pair_b[p];
        if (node[a] < 0 || node[b] < 0) continue;
        add_mul(K, u->record + SP_WARP_NODE * (size_t)node[b] + from, y + 3 * a);
        if (a != b) add_mul_transposed(K, u->record + SP_WARP_NODE * (size_t)node[a] + from, y + 3 * b);
    }
}

static double block_error(const sp_incremental *u, int e, const double *now) {
    const int *node = u->node + (size_t)u->width * (size_t)e;
    double fresh[3 * SP_ISO_NODES_MAX] = {0}, stale[3 * SP_ISO_NODES_MAX] = {0}, sum = 0;
    block_product(u, node, now, 9, fresh);
    block_product(u, node, kept_blocks(u, e), 12, stale);
    for (int a = 0; a < u->width && node[a] >= 0; a++) {
        double f[3];
        sp__mul3(u->record + SP_WARP_NODE * (size_t)node[a], stale + 3 * a, f);
        for (int k = 0; k < 3; k++) f[k] -= fresh[3 * a + k];
        sum += sp__dot3(f, f);
    }
    return sqrt(sum);
}

// K~ = Rn_a^T K Rn_b
static void keep_element(const sp_incremental *u, int e, const double *K) {
    const int *node = u->node + (size_t)u->width * (size_t)e;
    double *to = kept_blocks(u, e);
    for (int p = 0; p < u->pairs; p++, K += 9, to += 9) {
        int a = node[u->pair_a[p]], b = node[u->pair_b[p]];
        double T[9];
        if (a < 0 || b < 0) continue;
        const double *Ra = u->turn + 9 * (size_t)a;
        sp__mul33(K, u->turn + 9 * (size_t)b, T);
        for (int r = 0; r < 3; r++)
            for (int c = 0; c < 3; c++) to[3 * r + c] = Ra[r] * T[c] + Ra[3 + r] * T[3 + c] + Ra[6 + r] * T[6 + c];
    }
}

// writes the errors, or keeps the blocks of the chosen elements
static void block_task(void *arg, int task, int worker) {
    (void)worker;
    const block_pass *p = arg;
    const sp_incremental *u = p->u;
    double K[RANGE * SP_ISO_PAIRS_MAX * 9];
    int last = (task + 1) * TASK < u->count ? (task + 1) * TASK : u->count;
    for (int begin = task * TASK; begin < last; begin += RANGE) {
        int end = begin + RANGE < last ? begin + RANGE : last;
        bool some = !p->keep;
        for (int e = begin; e < end; e++) some = some || u->chosen[e];
        if (!some) continue;
        p->A->elements->blocks(p->A->o, u->coef, begin, end, K);
        for (int e = begin; e < end; e++) {
            const double *now = K + 9 * (size_t)u->pairs * (size_t)(e - begin);
            if (!p->keep)
                u->error[e] = u->user[e] >= 0 ? block_error(u, e, now) : 0;
            else if (u->chosen[e])
                keep_element(u, e, now);
        }
    }
}

void sp__incremental_block_errors(sp_incremental *u, const sp_system *A) {
    block_pass p = {u, A, false};
    sp__parallel(u->ctx, (u->count + TASK - 1) / TASK, block_task, &p);
}

void sp__incremental_keep_blocks(sp_incremental *u, const sp_system *A) {
    block_pass p = {u, A, true};
    sp__parallel(u->ctx, (u->count + TASK - 1) / TASK, block_task, &p);
}

void sp__incremental_add_block(const sp_incremental *u, int entry, int row, double *B) {
    const int p = entry % u->pairs;
    const double *K = u->kept + 9 * (size_t)entry;
    const bool turned = u->node[(size_t)u->width * (size_t)(entry / u->pairs) + u->pair_a[p]] != row;
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++) B[3 * r + c] += turned ? K[3 * c + r] : K[3 * r + c];
}
