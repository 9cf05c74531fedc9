// Rooms, pattern and analysis of updated-cholesky: once for a topology, nothing is taken afterwards.
#include "kernels/warp_record.h"
#include "linear/updated.h"

#define ROOM(p, n) SP_NEW(u->ctx, u->p, (size_t)(n) + 1)

static int low_of(int a, int b) {
    return a < b ? a : b;
}

static int high_of(int a, int b) {
    return a < b ? b : a;
}

// ------------------------------------------------------------------------------------------------ pattern

// every element offers its six edges to their lower node; sorted, repeats dropped
static int collect_rows(const sp_updated *u, int *start, int *next, int *col) {
    for (int i = 0; i < u->nodes; i++) start[i + 1] = 1;
    for (int e = 0; e < u->count; e++)
        for (int p = 4; p < 10 && u->user[e] >= 0; p++)
            start[low_of(u->node[4 * e + sp__pair_a[p]], u->node[4 * e + sp__pair_b[p]]) + 1]++;
    for (int i = 0; i < u->nodes; i++) start[i + 1] += start[i];
    for (int i = 0; i < u->nodes; i++) next[i] = start[i], col[next[i]++] = i;
    for (int e = 0; e < u->count; e++)
        for (int p = 4; p < 10 && u->user[e] >= 0; p++) {
            int a = u->node[4 * e + sp__pair_a[p]], b = u->node[4 * e + sp__pair_b[p]];
            col[next[low_of(a, b)]++] = high_of(a, b);
        }
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

static sp_status make_pattern(sp_updated *u) {
    sp_context *ctx = u->ctx;
    int *start = NULL, *next = NULL, *col = NULL;
    sp_status status = SP_NO_MEMORY;
    if (SP_NEW(ctx, start, u->nodes + 1) && SP_NEW(ctx, next, u->nodes + 1) &&
        SP_NEW(ctx, col, 6 * (size_t)u->count + (size_t)u->nodes)) {
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

// ------------------------------------------------------------------------------------------------ lists

static void list_around(sp_updated *u) {
    for (int i = 0; i < 4 * u->count; i++)
        if (u->user[i / 4] >= 0) u->around_start[u->node[i] + 1]++;
    for (int i = 0; i < u->nodes; i++) u->around_start[i + 1] += u->around_start[i];
    for (int i = 0; i < 4 * u->count; i++)
        if (u->user[i / 4] >= 0) u->around[u->around_start[u->node[i]]++] = i / 4;
    for (int i = u->nodes; i > 0; i--) u->around_start[i] = u->around_start[i - 1];
    u->around_start[0] = 0;
}

// where the blocks of each element go, and who adds to each block
static void list_entries(sp_updated *u) {
    int blocks = u->A.row_start[u->nodes];
    for (int i = 0; i < u->nodes; i++)
        for (int k = u->A.row_start[i]; k < u->A.row_start[i + 1]; k++) u->block_row[k] = i;
    for (int i = 0; i < 10 * u->count; i++) {
        int e = i / 10, a = u->node[4 * e + sp__pair_a[i % 10]], b = u->node[4 * e + sp__pair_b[i % 10]];
        u->at[i] = sp__symmetric_find(&u->A.view, low_of(a, b), high_of(a, b));
        if (u->user[e] >= 0) u->entry_start[u->at[i] + 1]++;
    }
    for (int k = 0; k < blocks; k++) u->entry_start[k + 1] += u->entry_start[k];
    for (int i = 0; i < 10 * u->count; i++)
        if (u->user[i / 10] >= 0) u->entry[u->entry_start[u->at[i]]++] = i;
    for (int k = blocks; k > 0; k--) u->entry_start[k] = u->entry_start[k - 1];
    u->entry_start[0] = 0;
}

static void copy_elements(sp_updated *u, const sp_elements *from) {
    for (int i = 0; i < 4 * u->count; i++) {
        int e = i / 4, a = i % 4;
        u->node[i] = from->node[i];
        u->lane_node[(e / u->lanes * 4 + a) * u->lanes + e % u->lanes] = from->node[i];
    }
    memcpy(u->user, from->user, (size_t)u->count * sizeof *u->user);
}

// ------------------------------------------------------------------------------------------------ rooms

static sp_status room_for_elements(sp_updated *u) {
    size_t n = (size_t)u->count;
    bool ok = ROOM(node, 4 * n) && ROOM(lane_node, 4 * n) && ROOM(user, n) && ROOM(grad, 10 * n) && ROOM(kept, 36 * n) &&
              ROOM(error, n) && ROOM(home, n) && ROOM(at, 10 * n) && ROOM(refreshed, n) && ROOM(waiting, n) && ROOM(chosen, n) &&
              ROOM(around_start, u->nodes + 1) && ROOM(around, 4 * n) && ROOM(entry, 10 * n);
    return ok ? SP_OK : SP_NO_MEMORY;
}

static sp_status room_for_blocks(sp_updated *u) {
    size_t blocks = (size_t)u->A.row_start[u->nodes], n = (size_t)u->nodes;
    bool ok = ROOM(block_row, blocks) && ROOM(entry_start, blocks + 1) && ROOM(diagonal, n) && ROOM(diagonal_now, n) &&
              ROOM(term, 9 * blocks) && ROOM(term_now, 9 * blocks) && ROOM(term_mark, blocks) && ROOM(term_list, blocks) &&
              ROOM(term_node, n) && ROOM(held, n) && ROOM(dirty, blocks) && ROOM(dirty_node, n) && ROOM(dirty_list, blocks) &&
              ROOM(dirty_nodes, n) && ROOM(turn, 9 * n) && ROOM(record, SP_WARP_NODE * n) && ROOM(right, 3 * n) &&
              ROOM(answer, 3 * n) && ROOM(rest, 3 * n) && ROOM(r, 3 * n) && ROOM(z, 3 * n) && ROOM(p, 3 * n) && ROOM(q, 3 * n);
    return ok ? SP_OK : SP_NO_MEMORY;
}

static sp_status analyse(sp_updated *u, const sp_solver_def *def, const sp_system *A) {
    double *points = NULL;
    sp_factor_def factor = {
        .kind = def->factor, .single = def->precision == SP_FACTOR_FLOAT, .keep = true, .plain = !u->be->parallel};
    if (A->points) {
        if (!SP_NEW(u->ctx, points, A->n + 1)) return SP_NO_MEMORY;
        A->points(A->o, points);
    }
    // paths to the root must be short: nested dissection even where something else has less fill
    sp_ordering ordering = def->ordering, usual = sp__order_auto(&u->A.view, points);
    if (ordering == SP_ORDER_AUTO && points && usual != SP_ORDER_METIS) ordering = SP_ORDER_GEOMETRIC;
    sp_status status = sp__symbolic_create(u->ctx, ordering, &u->A.view, points, &u->S);
    sp__free(u->ctx, points);
    SP_TRY(status);
    return sp__factor_create(u->ctx, &factor, u->S, &u->F);
}

static sp_status room_for_selection(sp_updated *u) {
    const sp_symbolic *S = u->S;
    size_t n = (size_t)S->count;
    if (!ROOM(score, n) || !ROOM(need, n) || !ROOM(paid, n) || !ROOM(has, n) || !ROOM(roots, n)) return SP_NO_MEMORY;
    for (int s = 0; s < S->count; s++)
        if (S->super_parent[s] < 0) u->roots[u->root_count++] = s;
    // from the roots down: what a path costs, for now in `need`
    for (int s = S->count - 1; s >= 0; s--) {
        u->need[s] = S->flops[s] + (S->super_parent[s] < 0 ? 0 : u->need[S->super_parent[s]]);
        u->dearest = fmax(u->dearest, u->need[s]);
    }
    for (int e = 0; e < u->count; e++) {
        int first = S->n;
        for (int a = 0; a < 4; a++) first = low_of(first, S->place[u->node[4 * (size_t)e + (size_t)a]]);
        u->home[e] = S->super_of[first];
    }
    return SP_OK;
}

static sp_status setup(sp_updated *u, const sp_solver_def *def, const sp_system *A) {
    u->nodes = A->n / 3, u->count = A->elements->count, u->lanes = u->be->lanes;
    SP_TRY(room_for_elements(u));
    copy_elements(u, A->elements);
    SP_TRY(make_pattern(u));
    SP_TRY(room_for_blocks(u));
    list_around(u);
    list_entries(u);
    SP_TRY(analyse(u, def, A));
    return room_for_selection(u);
}

sp_status sp__updated_setup(sp_updated *u, const sp_solver_def *def, const sp_system *A) {
    sp__updated_free(u);
    sp_status status = setup(u, def, A);
    if (status < 0) {
        sp__updated_free(u);
        if (status == SP_NO_MEMORY) return SP_FAIL(u->ctx, status, "no memory to keep a factor of %d unknowns", A->n);
        return status;
    }
    u->pattern = A->pattern;
    u->ready = u->whole = true;
    return SP_OK;
}

void sp__updated_free(sp_updated *u) {
    void *all[] = {u->node,         u->lane_node,  u->user,       u->grad,        u->kept,      u->error,
                   u->home,         u->at,         u->refreshed,  u->waiting,     u->chosen,    u->around,
                   u->around_start, u->block_row,  u->entry,      u->entry_start, u->diagonal,  u->diagonal_now,
                   u->term,         u->term_now,   u->term_mark,  u->term_list,   u->term_node, u->held,
                   u->dirty,        u->dirty_node, u->dirty_list, u->dirty_nodes, u->turn,      u->record,
                   u->right,        u->answer,     u->rest,       u->score,       u->need,      u->paid,
                   u->has,          u->roots,      u->r,          u->z,           u->p,         u->q};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) sp__free(u->ctx, all[i]);
    sp__symmetric_free(&u->A);
    sp__factor_destroy(&u->F);
    if (u->S) sp__symbolic_release(&u->S);
    *u = (sp_updated){.ctx = u->ctx, .be = u->be};
}

size_t sp__updated_bytes(const sp_updated *u) {
    if (!u->ready) return 0;
    size_t n = (size_t)u->count, nodes = (size_t)u->nodes, blocks = (size_t)u->A.row_start[u->nodes];
    size_t doubles = 47 * n + 27 * blocks + (2 + 9 + SP_WARP_NODE + 21) * nodes, ints = (9 + 20 + 4) * n + 5 * blocks + 3 * nodes;
    return doubles * sizeof(double) + ints * sizeof(int) + 11 * n + 2 * blocks + 3 * nodes + sp__factor_bytes(u->F) +
           sp__symbolic_bytes(u->S);
}
