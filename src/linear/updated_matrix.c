// The matrix in the frames of the nodes: what changed since it was summed, and its sum anew.
//
// Blocks that change are summed again from all their elements, point terms and pins. Adding differences instead would be a little
// cheaper and would drift.
#include "kernels/warp_record.h"
#include "linear/updated.h"
#include "math/vec3.h"

enum { TASK = 256, BLOCKS = 128 };  // elements, blocks of a task

static double *grad_of(const sp_updated *u, int e) {
    return u->grad + (size_t)(e / u->lanes) * 10 * (size_t)u->lanes + e % u->lanes;
}

static double *kept_of(const sp_updated *u, int e) {
    return u->kept + (size_t)(e / u->lanes) * 36 * (size_t)u->lanes + e % u->lanes;
}

// ------------------------------------------------------------------------------------------------ marks

void sp__updated_choose(sp_updated *u, int e) {
    if (u->chosen[e] || u->user[e] < 0) return;
    u->chosen[e] = 1;
    u->chosen_count++;
}

static void mark_changed(sp_updated *u, int node) {
    if (u->dirty_node[node]) return;
    u->dirty_node[node] = 1;
    u->dirty_nodes[u->dirty_node_count++] = node;
}

static void mark_block(sp_updated *u, int k) {
    if (u->dirty[k]) return;
    u->dirty[k] = 1;
    u->dirty_list[u->dirty_count++] = k;
    mark_changed(u, u->block_row[k]);
    mark_changed(u, u->A.row_col[k]);
}

static void mark_node(sp_updated *u, int node) {
    mark_block(u, u->A.row_start[node]);
    for (int k = u->around_start[node]; k < u->around_start[node + 1]; k++) {
        const int *at = u->at + 10 * (size_t)u->around[k];
        for (int p = 0; p < 10; p++)
            if (u->block_row[at[p]] == node || u->A.row_col[at[p]] == node) mark_block(u, at[p]);
    }
}

// ------------------------------------------------------------------------------------------------ what changed

void sp__updated_read_rest(sp_updated *u, const sp_system *A, sp_coef c) {
    double G[10 * TASK];
    for (int begin = 0; begin < u->count; begin += TASK) {
        int end = begin + TASK < u->count ? begin + TASK : u->count;
        A->elements->rest(A->o, c, begin, end, G);
        for (int e = begin; e < end; e++) {
            double *to = grad_of(u, e);
            const double *from = G + 10 * (e - begin);
            for (int k = 0; k < 10; k++) {
                if (to[k * u->lanes] == from[k]) continue;
                to[k * u->lanes] = from[k];
                sp__updated_choose(u, e);
            }
        }
    }
}

void sp__updated_read_diagonal(sp_updated *u, const sp_system *A, sp_coef c) {
    A->elements->diagonal(A->o, c, u->diagonal_now);
    for (int i = 0; i < u->nodes; i++) {
        if (u->diagonal[i] == u->diagonal_now[i]) continue;
        u->diagonal[i] = u->diagonal_now[i];
        mark_block(u, u->A.row_start[i]);
    }
}

void sp__updated_read_pins(sp_updated *u, const sp_system *A) {
    for (int i = 0; i < u->nodes; i++) {
        const unsigned char *fixed = A->fixed + 3 * (size_t)i;
        unsigned char axes = (unsigned char)((fixed[0] ? 1 : 0) | (fixed[1] ? 2 : 0) | (fixed[2] ? 4 : 0));
        if (axes)
            for (size_t k = 0; k < 9; k++) u->turn[9 * (size_t)i + k] = k % 4 == 0;
        if (axes == u->held[i]) continue;
        u->held[i] = axes;
        mark_node(u, i);
        for (int k = u->around_start[i]; k < u->around_start[i + 1]; k++) sp__updated_choose(u, u->around[k]);
    }
}

// ------------------------------------------------------------------------------------------------ point terms

// out = Ri^T B Rj
static void into_frames(const double *Ri, const double *B, const double *Rj, double *out) {
    double T[9];
    sp__mul33(B, Rj, T);
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++) out[3 * r + c] = Ri[r] * T[c] + Ri[3 + r] * T[3 + c] + Ri[6 + r] * T[6 + c];
}

static void add_term(void *arg, int i, int j, const double B[9]) {
    sp_updated *u = arg;
    double turned[9];
    int k = sp__symmetric_find(&u->A.view, i, j);
    SP_ASSERT(k >= 0);
    into_frames(u->turn + 9 * (size_t)i, B, u->turn + 9 * (size_t)j, turned);
    if (!u->term_mark[k]) u->term_mark[k] = 1, u->term_list[u->term_count++] = k;
    double *to = u->term_now + 9 * (size_t)k;
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++) to[3 * r + c] += i == j ? 0.5 * (turned[3 * r + c] + turned[3 * c + r]) : turned[3 * r + c];
}

void sp__updated_read_terms(sp_updated *u, const sp_system *A, sp_coef c) {
    for (int k = 0; k < u->term_count; k++) memset(u->term_now + 9 * (size_t)u->term_list[k], 0, 9 * sizeof *u->term_now);
    A->elements->terms(A->o, c, add_term, u);
}

// what is wrong at x where a block of terms is old: |D xj|, |D^T xi|. False: nothing but rounding
static bool term_error(const sp_updated *u, int k, double *error) {
    const double *old = u->term + 9 * (size_t)k, *now = u->term_now + 9 * (size_t)k;
    const double *xi = u->record + SP_WARP_NODE * (size_t)u->block_row[k] + 12,
                 *xj = u->record + SP_WARP_NODE * (size_t)u->A.row_col[k] + 12;
    double D[9], y[3], z[3] = {0, 0, 0}, size = 0, change = 0;
    for (int e = 0; e < 9; e++) {
        D[e] = now[e] - old[e];
        size = fmax(size, fmax(fabs(now[e]), fabs(old[e]))), change = fmax(change, fabs(D[e]));
    }
    sp__mul3(D, xj, y);
    if (xi != xj) sp__mul3t(D, xi, z);
    *error = fmax(sp__norm3(y), sp__norm3(z));
    return change > 1e-14 * size;
}

// A term acts on up to four nodes and is positive semi-definite as a whole only: what it does to one of them is taken over with
// what it does to the others.
static void spread(sp_updated *u) {
    for (bool more = true; more;) {
        more = false;
        for (int t = 0; t < u->term_count; t++) {
            int k = u->term_list[t], i = u->block_row[k], j = u->A.row_col[k];
            if (u->term_mark[k] != 2 || u->term_node[i] == u->term_node[j]) continue;
            u->term_node[i] = u->term_node[j] = 1;
            more = true;
        }
    }
}

void sp__updated_take_terms(sp_updated *u, double threshold) {
    for (int t = 0; t < u->term_count; t++) {
        int k = u->term_list[t];
        double error;
        u->term_mark[k] = term_error(u, k, &error) ? 2 : 1;
        if (u->term_mark[k] == 2 && error > threshold) u->term_node[u->block_row[k]] = u->term_node[u->A.row_col[k]] = 1;
    }
    spread(u);
    int left = 0;
    for (int t = 0; t < u->term_count; t++) {
        int k = u->term_list[t];
        double *old = u->term + 9 * (size_t)k, *now = u->term_now + 9 * (size_t)k, size = 0;
        if (u->term_mark[k] == 2 && u->term_node[u->block_row[k]]) {
            memcpy(old, now, 9 * sizeof *old);
            mark_block(u, k);
        }
        for (int e = 0; e < 9; e++) size += fabs(old[e]) + fabs(now[e]);
        if (size > 0)
            u->term_list[left++] = k;
        else
            u->term_mark[k] = 0;
    }
    u->term_count = left;
    memset(u->term_node, 0, (size_t)u->nodes);
}

// ------------------------------------------------------------------------------------------------ refresh

typedef struct pass {
    sp_updated *u;
    const sp_system *A;
} pass;

// Q_a = Rn_a^T R
static void turn_elements(void *arg, int task, int worker) {
    (void)worker;
    const pass *p = arg;
    const sp_updated *u = p->u;
    int end = (task + 1) * TASK < u->count ? (task + 1) * TASK : u->count;
    for (int e = task * TASK; e < end; e++) {
        double R[9], *to = kept_of(u, e);
        if (!u->chosen[e]) continue;
        p->A->elements->rotations(p->A->o, e, e + 1, R);
        for (int a = 0; a < 4; a++) {
            const double *n = u->turn + 9 * (size_t)u->node[4 * (size_t)e + (size_t)a];
            for (int r = 0; r < 3; r++)
                for (int c = 0; c < 3; c++)
                    to[(9 * a + 3 * r + c) * u->lanes] = n[r] * R[c] + n[3 + r] * R[3 + c] + n[6 + r] * R[6 + c];
        }
    }
}

void sp__updated_refresh(sp_updated *u, const sp_system *A, uint64_t step) {
    pass p = {u, A};
    if (!u->chosen_count) return;
    sp__parallel(u->ctx, (u->count + TASK - 1) / TASK, turn_elements, &p);
    for (int e = 0; e < u->count; e++) {
        if (!u->chosen[e]) continue;
        for (int k = 0; k < 10; k++) mark_block(u, u->at[10 * (size_t)e + (size_t)k]);
        u->chosen[e] = 0, u->waiting[e] = 0, u->refreshed[e] = step;
    }
    u->chosen_count = 0;
}

// ------------------------------------------------------------------------------------------------ sums

static void gradients(const double *from, int lanes, double G[12]) {
    for (int k = 0; k < 9; k++) G[3 + k] = from[k * lanes];
    for (int k = 0; k < 3; k++) G[k] = -(G[3 + k] + G[6 + k] + G[9 + k]);
}

static void load_kept(const double *from, int corner, int lanes, double Q[9]) {
    for (int k = 0; k < 9; k++) Q[k] = from[(9 * corner + k) * lanes];
}

// B += Q K Q^T of one corner
static void add_diagonal(const double *g, double r, const double *Q, double *B) {
    double c[3], dot = sp__dot3(g, g);
    sp__mul3(Q, g, c);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) B[3 * i + j] += (1 + r) * (c[i] * c[j]);
        B[4 * i] += dot;
    }
}

// B += Qa (r ga gb^T + gb ga^T + (ga . gb) 1) Qb^T
static void add_pair(const double *ga, const double *gb, double r, const double *Qa, const double *Qb, double *B) {
    double aa[3], ab[3], ba[3], bb[3], dot = sp__dot3(ga, gb);
    sp__mul3(Qa, ga, aa), sp__mul3(Qa, gb, ab), sp__mul3(Qb, ga, ba), sp__mul3(Qb, gb, bb);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) B[3 * i + j] += r * aa[i] * bb[j] + ab[i] * ba[j] + dot * sp__dot3(Qa + 3 * i, Qb + 3 * j);
}

static void add_elements(const sp_updated *u, int block, int row, double *B) {
    for (int k = u->entry_start[block]; k < u->entry_start[block + 1]; k++) {
        int e = u->entry[k] / 10, a = sp__pair_a[u->entry[k] % 10], b = sp__pair_b[u->entry[k] % 10];
        const double *grad = grad_of(u, e), *kept = kept_of(u, e);
        double G[12], Qa[9], Qb[9], r = grad[9 * u->lanes];
        if (u->node[4 * (size_t)e + (size_t)a] != row) {
            int swap = a;
            a = b, b = swap;
        }
        gradients(grad, u->lanes, G);
        load_kept(kept, a, u->lanes, Qa);
        if (a == b) {
            add_diagonal(G + 3 * a, r, Qa, B);
        } else {
            load_kept(kept, b, u->lanes, Qb);
            add_pair(G + 3 * a, G + 3 * b, r, Qa, Qb, B);
        }
    }
}

static void sum_block(const sp_updated *u, int block) {
    int i = u->block_row[block], j = u->A.row_col[block];
    const double *term = u->term + 9 * (size_t)block;
    double *out = u->A.val + 9 * (size_t)block, B[9] = {0};
    add_elements(u, block, i, B);
    // nodes of no element have nothing at all: they stay where they are
    double m = u->diagonal[i] > 0 || u->around_start[i + 1] > u->around_start[i] ? u->diagonal[i] : 1;
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++) {
            bool cut = (u->held[i] >> r & 1) || (u->held[j] >> c & 1);
            double v = B[3 * r + c] + term[3 * r + c] + (i == j && r == c ? m : 0);
            out[3 * r + c] = cut ? (i == j && r == c ? 1.0 : 0.0) : v;
        }
}

static void sum_blocks(void *arg, int task, int worker) {
    (void)worker;
    const sp_updated *u = arg;
    int end = (task + 1) * BLOCKS < u->dirty_count ? (task + 1) * BLOCKS : u->dirty_count;
    for (int k = task * BLOCKS; k < end; k++) sum_block(u, u->dirty_list[k]);
}

void sp__updated_sum(sp_updated *u) {
    sp__parallel(u->ctx, (u->dirty_count + BLOCKS - 1) / BLOCKS, sum_blocks, u);
}

void sp__updated_mark_all(sp_updated *u) {
    for (int e = 0; e < u->count; e++) sp__updated_choose(u, e);
    for (int k = 0; k < u->A.row_start[u->nodes]; k++) mark_block(u, k);
}

void sp__updated_clean(sp_updated *u) {
    for (int k = 0; k < u->dirty_count; k++) u->dirty[u->dirty_list[k]] = 0;
    for (int i = 0; i < u->dirty_node_count; i++) u->dirty_node[u->dirty_nodes[i]] = 0;
    u->dirty_count = u->dirty_node_count = 0;
}
