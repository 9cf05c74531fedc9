// Assembly of the matrix of the incremental Cholesky solver (incremental.c) in the frames of the nodes: memory, pattern and
// symbolic analysis; detection of changed blocks and their sums.
#include "linear/incremental.h"

#include "kernels/warp_record.h"
#include "math/vec3.h"

// ================================================================================== memory, pattern and analysis

// Memory, pattern and symbolic analysis: once per topology. Nothing is allocated afterwards.

#define NEW_ARRAY(p, n) SP_NEW(u->ctx, u->p, (size_t)(n) + 1)

static int low_of(int a, int b) {
    return a < b ? a : b;
}

static int high_of(int a, int b) {
    return a < b ? b : a;
}

// ------------------------------------------------------------------------------------------------ pattern

// nodes of pair p of an element; false: it has not this pair
static bool pair_nodes(const sp_incremental *u, int e, int p, int *a, int *b) {
    *a = u->node[(size_t)u->width * (size_t)e + u->pair_a[p]], *b = u->node[(size_t)u->width * (size_t)e + u->pair_b[p]];
    return u->user[e] >= 0 && *a >= 0 && *b >= 0;
}

// adds the edges of every element to the row of their lower node, then sorts and removes duplicates
static int collect_rows(const sp_incremental *u, int *start, int *next, int *col) {
    for (int i = 0; i < u->nodes; i++) start[i + 1] = 1;
    int a, b;
    for (int e = 0; e < u->count; e++)
        for (int p = u->width; p < u->pairs; p++)
            if (pair_nodes(u, e, p, &a, &b)) start[low_of(a, b) + 1]++;
    for (int i = 0; i < u->nodes; i++) start[i + 1] += start[i];
    for (int i = 0; i < u->nodes; i++) next[i] = start[i], col[next[i]++] = i;
    for (int e = 0; e < u->count; e++)
        for (int p = u->width; p < u->pairs; p++)
            if (pair_nodes(u, e, p, &a, &b)) col[next[low_of(a, b)]++] = high_of(a, b);
    int out = 0;
    for (int i = 0; i < u->nodes; i++) {
        int first = start[i], kept = out;
        sp__sort_ints(col + first, next[i] - first);
        for (int k = first; k < next[i]; k++)
            if (out == kept || col[out - 1] != col[k]) col[out++] = col[k];
        start[i] = kept;
    }
    start[u->nodes] = out;
    return out;
}

static sp_status make_pattern(sp_incremental *u) {
    sp_context *ctx = u->ctx;
    int *start = NULL, *next = NULL, *col = NULL;
    sp_status status = SP_NO_MEMORY;
    if (SP_NEW(ctx, start, u->nodes + 1) && SP_NEW(ctx, next, u->nodes + 1) &&
        SP_NEW(ctx, col, (size_t)(u->pairs - u->width) * (size_t)u->count + (size_t)u->nodes)) {
        int blocks = collect_rows(u, start, next, col);
        status = sp__symmetric_create(ctx, u->nodes, 3, blocks, &u->A);
        if (status >= 0) {
            memcpy(u->A.row_start, start, (size_t)(u->nodes + 1) * sizeof *start);
            memcpy(u->A.row_col, col, (size_t)blocks * sizeof *col);
        }
    }
    sp__free(ctx, start), sp__free(ctx, next), sp__free(ctx, col);
    return status;
}

// ------------------------------------------------------------------------------------------------ lists of blocks

static void list_around(sp_incremental *u) {
    for (int i = 0; i < u->width * u->count; i++)
        if (u->user[i / u->width] >= 0 && u->node[i] >= 0) u->around_start[u->node[i] + 1]++;
    for (int i = 0; i < u->nodes; i++) u->around_start[i + 1] += u->around_start[i];
    for (int i = 0; i < u->width * u->count; i++)
        if (u->user[i / u->width] >= 0 && u->node[i] >= 0) u->around[u->around_start[u->node[i]]++] = i / u->width;
    for (int i = u->nodes; i > 0; i--) u->around_start[i] = u->around_start[i - 1];
    u->around_start[0] = 0;
}

// lists the blocks of each element and the contributions to each block
static void list_entries(sp_incremental *u) {
    int blocks = u->A.row_start[u->nodes];
    for (int i = 0; i < u->nodes; i++)
        for (int k = u->A.row_start[i]; k < u->A.row_start[i + 1]; k++) u->block_row[k] = i;
    for (int i = 0; i < u->pairs * u->count; i++) {
        int a, b;
        u->at[i] = -1;
        if (!pair_nodes(u, i / u->pairs, i % u->pairs, &a, &b)) continue;
        u->at[i] = sp__symmetric_find(&u->A.view, low_of(a, b), high_of(a, b));
        u->entry_start[u->at[i] + 1]++;
    }
    for (int k = 0; k < blocks; k++) u->entry_start[k + 1] += u->entry_start[k];
    for (int i = 0; i < u->pairs * u->count; i++)
        if (u->at[i] >= 0) u->entry[u->entry_start[u->at[i]]++] = i;
    for (int k = blocks; k > 0; k--) u->entry_start[k] = u->entry_start[k - 1];
    u->entry_start[0] = 0;
}

static void copy_elements(sp_incremental *u, const sp_elements *from) {
    for (int i = 0; i < u->width * u->count; i++) {
        int e = i / u->width, a = i % u->width;
        u->node[i] = from->node[i];
        if (!u->any) u->lane_node[(e / u->lanes * 4 + a) * u->lanes + e % u->lanes] = from->node[i];
    }
    memcpy(u->user, from->user, (size_t)u->count * sizeof *u->user);
}

// ------------------------------------------------------------------------------------------------ memory

static sp_status reserve_elements(sp_incremental *u) {
    size_t n = (size_t)u->count, width = (size_t)u->width, pairs = (size_t)u->pairs;
    bool ok = NEW_ARRAY(node, width * n) && NEW_ARRAY(lane_node, u->any ? 0 : 4 * n) && NEW_ARRAY(user, n) &&
              NEW_ARRAY(grad, sp__incremental_rest(u) * n) && NEW_ARRAY(kept, sp__incremental_kept(u) * n) &&
              NEW_ARRAY(error, n) && NEW_ARRAY(home, n) && NEW_ARRAY(at, pairs * n) && NEW_ARRAY(refreshed, n) &&
              NEW_ARRAY(waiting, n) && NEW_ARRAY(chosen, n) && NEW_ARRAY(around_start, u->nodes + 1) &&
              NEW_ARRAY(around, width * n) && NEW_ARRAY(entry, pairs * n);
    return ok ? SP_OK : SP_NO_MEMORY;
}

static sp_status reserve_blocks(sp_incremental *u) {
    size_t blocks = (size_t)u->A.row_start[u->nodes], n = (size_t)u->nodes;
    bool ok = NEW_ARRAY(block_row, blocks) && NEW_ARRAY(entry_start, blocks + 1) && NEW_ARRAY(diagonal, n) &&
              NEW_ARRAY(diagonal_now, n) && NEW_ARRAY(term, 9 * blocks) && NEW_ARRAY(term_now, 9 * blocks) &&
              NEW_ARRAY(term_mark, blocks) && NEW_ARRAY(term_list, blocks) && NEW_ARRAY(term_node, n) && NEW_ARRAY(held, n) &&
              NEW_ARRAY(dirty, blocks) && NEW_ARRAY(dirty_node, n) && NEW_ARRAY(dirty_list, blocks) &&
              NEW_ARRAY(dirty_nodes, n) && NEW_ARRAY(turn, 9 * n) && NEW_ARRAY(record, SP_WARP_NODE * n) &&
              NEW_ARRAY(right, 3 * n) && NEW_ARRAY(answer, 3 * n) && NEW_ARRAY(rest, 3 * n) && NEW_ARRAY(r, 3 * n) &&
              NEW_ARRAY(z, 3 * n) && NEW_ARRAY(p, 3 * n) && NEW_ARRAY(q, 3 * n);
    return ok ? SP_OK : SP_NO_MEMORY;
}

static sp_status setup_analyse(sp_incremental *u, const sp_solver_def *def, const sp_system *A) {
    double *points = NULL;
    sp_factor_def factor = {.kind = def->cholesky.factor,
                            .single = def->cholesky.precision == SP_FACTOR_FLOAT,
                            .keep = true,
                            .plain = !u->be->parallel};
    if (A->points) {
        if (!SP_NEW(u->ctx, points, A->n + 1)) return SP_NO_MEMORY;
        A->points(A->o, points);
    }
    // paths to the root must be short, so nested dissection is used even if another ordering has less fill
    sp_ordering ordering = def->cholesky.ordering, usual = sp__order_auto(&u->A.view, points);
    if (ordering == SP_ORDER_AUTO && points && usual != SP_ORDER_METIS) ordering = SP_ORDER_GEOMETRIC;
    sp_status status = sp__symbolic_create(u->ctx, ordering, &u->A.view, points, &u->S);
    sp__free(u->ctx, points);
    SP_TRY(status);
    return sp__factor_create(u->ctx, &factor, u->S, &u->F);
}

static sp_status reserve_selection(sp_incremental *u) {
    const sp_symbolic *S = u->S;
    size_t n = (size_t)S->count;
    if (!NEW_ARRAY(score, n) || !NEW_ARRAY(need, n) || !NEW_ARRAY(on_path, n) || !NEW_ARRAY(has, n) || !NEW_ARRAY(roots, n))
        return SP_NO_MEMORY;
    for (int s = 0; s < S->count; s++)
        if (S->super_parent[s] < 0) u->roots[u->root_count++] = s;
    // from the roots down: cost of the path, stored in `need` for now
    for (int s = S->count - 1; s >= 0; s--) {
        u->need[s] = S->flops[s] + (S->super_parent[s] < 0 ? 0 : u->need[S->super_parent[s]]);
        u->most_expensive_path = fmax(u->most_expensive_path, u->need[s]);
    }
    for (int e = 0; e < u->count; e++) {
        const int *node = u->node + (size_t)u->width * (size_t)e;
        int first = S->n;
        for (int a = 0; a < u->width; a++)
            if (node[a] >= 0) first = low_of(first, S->place[node[a]]);
        u->home[e] = S->super_of[first];
    }
    return SP_OK;
}

static sp_status setup_setup(sp_incremental *u, const sp_solver_def *def, const sp_system *A) {
    u->nodes = A->n / 3, u->count = A->elements->count, u->lanes = u->be->lanes;
    u->any = A->elements->blocks != NULL, u->width = A->elements->width, u->pairs = u->width * (u->width + 1) / 2;
    for (int p = 0; p < u->pairs; p++) {
        int a, b;
        sp__pairs(u->width, p, &a, &b);
        u->pair_a[p] = (unsigned char)a, u->pair_b[p] = (unsigned char)b;
    }
    SP_TRY(reserve_elements(u));
    copy_elements(u, A->elements);
    SP_TRY(make_pattern(u));
    SP_TRY(reserve_blocks(u));
    list_around(u);
    list_entries(u);
    SP_TRY(setup_analyse(u, def, A));
    return reserve_selection(u);
}

sp_status sp__incremental_setup(sp_incremental *u, const sp_solver_def *def, const sp_system *A) {
    sp__incremental_free(u);
    sp_status status = setup_setup(u, def, A);
    if (status < 0) {
        sp__incremental_free(u);
        if (status == SP_NO_MEMORY) return SP_FAIL(u->ctx, status, "no memory to keep a factor of %d unknowns", A->n);
        return status;
    }
    u->pattern = A->pattern;
    u->ready = u->whole = true;
    return SP_OK;
}

void sp__incremental_free(sp_incremental *u) {
    void *all[] = {u->node,         u->lane_node,  u->user,       u->grad,        u->kept,      u->error,
                   u->home,         u->at,         u->refreshed,  u->waiting,     u->chosen,    u->around,
                   u->around_start, u->block_row,  u->entry,      u->entry_start, u->diagonal,  u->diagonal_now,
                   u->term,         u->term_now,   u->term_mark,  u->term_list,   u->term_node, u->held,
                   u->dirty,        u->dirty_node, u->dirty_list, u->dirty_nodes, u->turn,      u->record,
                   u->right,        u->answer,     u->rest,       u->score,       u->need,      u->on_path,
                   u->has,          u->roots,      u->r,          u->z,           u->p,         u->q};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) sp__free(u->ctx, all[i]);
    sp__symmetric_free(&u->A);
    sp__factor_destroy(&u->F);
    if (u->S) sp__symbolic_release(&u->S);
    *u = (sp_incremental){.ctx = u->ctx, .be = u->be};
}

size_t sp__incremental_bytes(const sp_incremental *u) {
    if (!u->ready) return 0;
    size_t n = (size_t)u->count, nodes = (size_t)u->nodes, blocks = (size_t)u->A.row_start[u->nodes];
    size_t width = (size_t)u->width, pairs = (size_t)u->pairs;
    size_t doubles =
        (1 + sp__incremental_rest(u) + sp__incremental_kept(u)) * n + 27 * blocks + (2 + 9 + SP_WARP_NODE + 21) * nodes;
    size_t ints = (1 + (u->any ? 2 : 3) * width + 2 * pairs) * n + 5 * blocks + 3 * nodes;
    return doubles * sizeof(double) + ints * sizeof(int) + 11 * n + 2 * blocks + 3 * nodes + sp__factor_bytes(u->F) +
           sp__symbolic_bytes(u->S);
}

// ====================================================================================== the matrix in the frames

// Assembly in the frames of the nodes: detects changes since the last sum and sums the changed blocks again.
//
// Changed blocks are summed from all their elements, point terms and pins. Adding differences would be slightly cheaper but would
// accumulate rounding errors.

enum { TASK = 256, BLOCKS = 128 };  // elements, blocks per task

static double *grad_of(const sp_incremental *u, int e) {
    return u->grad + (size_t)(e / u->lanes) * 10 * (size_t)u->lanes + e % u->lanes;
}

static double *kept_of(const sp_incremental *u, int e) {
    return u->kept + (size_t)(e / u->lanes) * 36 * (size_t)u->lanes + e % u->lanes;
}

// ------------------------------------------------------------------------------------------------ marks

void sp__incremental_choose(sp_incremental *u, int e) {
    if (u->chosen[e] || u->user[e] < 0) return;
    u->chosen[e] = 1;
    u->chosen_count++;
}

static void mark_changed(sp_incremental *u, int node) {
    if (u->dirty_node[node]) return;
    u->dirty_node[node] = 1;
    u->dirty_nodes[u->dirty_node_count++] = node;
}

static void mark_block(sp_incremental *u, int k) {
    if (u->dirty[k]) return;
    u->dirty[k] = 1;
    u->dirty_list[u->dirty_count++] = k;
    mark_changed(u, u->block_row[k]);
    mark_changed(u, u->A.row_col[k]);
}

static void mark_node(sp_incremental *u, int node) {
    mark_block(u, u->A.row_start[node]);
    for (int k = u->around_start[node]; k < u->around_start[node + 1]; k++) {
        const int *at = u->at + (size_t)u->pairs * (size_t)u->around[k];
        for (int p = 0; p < u->pairs; p++)
            if (at[p] >= 0 && (u->block_row[at[p]] == node || u->A.row_col[at[p]] == node)) mark_block(u, at[p]);
    }
}

// ------------------------------------------------------------------------------------------------ detection of changes

static void read_materials(sp_incremental *u, const sp_system *A) {
    double now[TASK];
    for (int begin = 0; begin < u->count; begin += TASK) {
        int end = begin + TASK < u->count ? begin + TASK : u->count;
        A->elements->materials(A->o, begin, end, now);
        for (int e = begin; e < end; e++) {
            if (u->grad[e] == now[e - begin]) continue;
            u->grad[e] = now[e - begin];
            sp__incremental_choose(u, e);
        }
    }
}

void sp__incremental_read_rest(sp_incremental *u, const sp_system *A, sp_coef c) {
    double G[10 * TASK];
    if (u->any) {
        read_materials(u, A);
        return;
    }
    for (int begin = 0; begin < u->count; begin += TASK) {
        int end = begin + TASK < u->count ? begin + TASK : u->count;
        A->elements->rest(A->o, c, begin, end, G);
        for (int e = begin; e < end; e++) {
            double *to = grad_of(u, e);
            const double *from = G + 10 * (e - begin);
            for (int k = 0; k < 10; k++) {
                if (to[k * u->lanes] == from[k]) continue;
                to[k * u->lanes] = from[k];
                sp__incremental_choose(u, e);
            }
        }
    }
}

void sp__incremental_read_diagonal(sp_incremental *u, const sp_system *A, sp_coef c) {
    A->elements->diagonal(A->o, c, u->diagonal_now);
    for (int i = 0; i < u->nodes; i++) {
        if (u->diagonal[i] == u->diagonal_now[i]) continue;
        u->diagonal[i] = u->diagonal_now[i];
        mark_block(u, u->A.row_start[i]);
    }
}

void sp__incremental_read_pins(sp_incremental *u, const sp_system *A) {
    for (int i = 0; i < u->nodes; i++) {
        const unsigned char *fixed = A->fixed + 3 * (size_t)i;
        unsigned char axes = (unsigned char)((fixed[0] ? 1 : 0) | (fixed[1] ? 2 : 0) | (fixed[2] ? 4 : 0));
        if (axes)
            for (size_t k = 0; k < 9; k++) u->turn[9 * (size_t)i + k] = k % 4 == 0;
        if (axes == u->held[i]) continue;
        u->held[i] = axes;
        mark_node(u, i);
        for (int k = u->around_start[i]; k < u->around_start[i + 1]; k++) sp__incremental_choose(u, u->around[k]);
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
    sp_incremental *u = arg;
    double turned[9];
    int k = sp__symmetric_find(&u->A.view, i, j);
    SP_ASSERT(k >= 0);
    into_frames(u->turn + 9 * (size_t)i, B, u->turn + 9 * (size_t)j, turned);
    if (!u->term_mark[k]) u->term_mark[k] = 1, u->term_list[u->term_count++] = k;
    double *to = u->term_now + 9 * (size_t)k;
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++) to[3 * r + c] += i == j ? 0.5 * (turned[3 * r + c] + turned[3 * c + r]) : turned[3 * r + c];
}

void sp__incremental_read_terms(sp_incremental *u, const sp_system *A, sp_coef c) {
    for (int k = 0; k < u->term_count; k++) memset(u->term_now + 9 * (size_t)u->term_list[k], 0, 9 * sizeof *u->term_now);
    A->elements->terms(A->o, c, add_term, u);
}

// error at x of a stale block of point terms: max of |D xj|, |D^T xi|. False: the change is only rounding
static bool term_error(const sp_incremental *u, int k, double *error) {
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

// A point term acts on up to four nodes and is positive semi-definite only as a whole. If its part at one node is updated, its
// parts at the other nodes are updated, too.
static void matrix_spread(sp_incremental *u) {
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

void sp__incremental_take_terms(sp_incremental *u, double threshold) {
    for (int t = 0; t < u->term_count; t++) {
        int k = u->term_list[t];
        double error;
        u->term_mark[k] = term_error(u, k, &error) ? 2 : 1;
        if (u->term_mark[k] == 2 && error > threshold) u->term_node[u->block_row[k]] = u->term_node[u->A.row_col[k]] = 1;
    }
    matrix_spread(u);
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

typedef struct matrix_pass {
    sp_incremental *u;
    const sp_system *A;
} matrix_pass;

// Q_a = Rn_a^T R
static void rotate_elements(void *arg, int task, int worker) {
    (void)worker;
    const matrix_pass *p = arg;
    const sp_incremental *u = p->u;
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

void sp__incremental_refresh(sp_incremental *u, const sp_system *A, uint64_t step) {
    matrix_pass p = {u, A};
    if (!u->chosen_count) return;
    if (u->any)
        sp__incremental_keep_blocks(u, A);
    else
        sp__parallel(u->ctx, (u->count + TASK - 1) / TASK, rotate_elements, &p);
    for (int e = 0; e < u->count; e++) {
        if (!u->chosen[e]) continue;
        const int *at = u->at + (size_t)u->pairs * (size_t)e;
        for (int k = 0; k < u->pairs; k++)
            if (at[k] >= 0) mark_block(u, at[k]);
        u->chosen[e] = 0, u->waiting[e] = 0, u->refreshed[e] = step;
    }
    u->chosen_count = 0;
}

// ------------------------------------------------------------------------------------------------ sums

static void matrix_gradients(const double *from, int lanes, double G[12]) {
    for (int k = 0; k < 9; k++) G[3 + k] = from[k * lanes];
    for (int k = 0; k < 3; k++) G[k] = -(G[3 + k] + G[6 + k] + G[9 + k]);
}

static void load_kept(const double *from, int corner, int lanes, double Q[9]) {
    for (int k = 0; k < 9; k++) Q[k] = from[(9 * corner + k) * lanes];
}

// B += Q K Q^T of one element node
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

static void add_elements(const sp_incremental *u, int block, int row, double *B) {
    for (int k = u->entry_start[block]; k < u->entry_start[block + 1]; k++) {
        int e = u->entry[k] / 10, a = sp__pair_a[u->entry[k] % 10], b = sp__pair_b[u->entry[k] % 10];
        const double *grad = grad_of(u, e), *kept = kept_of(u, e);
        double G[12], Qa[9], Qb[9], r = grad[9 * u->lanes];
        if (u->node[4 * (size_t)e + (size_t)a] != row) {
            int swap = a;
            a = b, b = swap;
        }
        matrix_gradients(grad, u->lanes, G);
        load_kept(kept, a, u->lanes, Qa);
        if (a == b) {
            add_diagonal(G + 3 * a, r, Qa, B);
        } else {
            load_kept(kept, b, u->lanes, Qb);
            add_pair(G + 3 * a, G + 3 * b, r, Qa, Qb, B);
        }
    }
}

static void sum_block(const sp_incremental *u, int block) {
    int i = u->block_row[block], j = u->A.row_col[block];
    const double *term = u->term + 9 * (size_t)block;
    double *out = u->A.val + 9 * (size_t)block, B[9] = {0};
    if (u->any)
        for (int k = u->entry_start[block]; k < u->entry_start[block + 1]; k++) sp__incremental_add_block(u, u->entry[k], i, B);
    else
        add_elements(u, block, i, B);
    // nodes without mass and without elements get a unit row and do not move
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
    const sp_incremental *u = arg;
    int end = (task + 1) * BLOCKS < u->dirty_count ? (task + 1) * BLOCKS : u->dirty_count;
    for (int k = task * BLOCKS; k < end; k++) sum_block(u, u->dirty_list[k]);
}

void sp__incremental_sum(sp_incremental *u) {
    sp__parallel(u->ctx, (u->dirty_count + BLOCKS - 1) / BLOCKS, sum_blocks, u);
}

void sp__incremental_mark_all(sp_incremental *u) {
    for (int e = 0; e < u->count; e++) sp__incremental_choose(u, e);
    for (int k = 0; k < u->A.row_start[u->nodes]; k++) mark_block(u, k);
}

void sp__incremental_clean(sp_incremental *u) {
    for (int k = 0; k < u->dirty_count; k++) u->dirty[u->dirty_list[k]] = 0;
    for (int i = 0; i < u->dirty_node_count; i++) u->dirty_node[u->dirty_nodes[i]] = 0;
    u->dirty_count = u->dirty_node_count = 0;
}
