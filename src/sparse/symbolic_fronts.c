// The rows of the fronts, where they go in the parent, where the blocks of A go, and what it all costs.
#include "sparse/symbolic_internal.h"

// Row i stands in every front from its columns in A up the tree to its own: a climb that stops where it was before writes each
// place once, and fronts fill up in rising order (the row subtrees of Liu 1990, on supernodes).
static void fill_rows(sp_analysis *a, int *at, int *seen) {
    const sp_graph *G = a->G;
    sp_symbolic *S = a->S;
    for (int s = 0; s < S->count; s++) {
        at[s] = S->row_start[s];
        seen[s] = -1;
        for (int j = S->first[s]; j < S->first[s + 1]; j++) S->row[at[s]++] = j;
    }
    for (int i = 0; i < S->n; i++) {
        int row = S->perm[i], own = S->super_of[i];
        for (int e = G->start[row]; e < G->start[row + 1]; e++) {
            int j = S->place[G->near[e]];
            if (j >= i) continue;
            for (int s = S->super_of[j]; s != own && seen[s] != i; s = S->super_parent[s]) {
                seen[s] = i;
                S->row[at[s]++] = i;
            }
        }
    }
    for (int s = 0; s < S->count; s++) SP_ASSERT(at[s] == S->row_start[s + 1]);
}

static void list_children(sp_symbolic *S, int *at) {
    for (int s = 0; s < S->count; s++)
        if (S->super_parent[s] >= 0) S->child_start[S->super_parent[s] + 1]++;
    for (int s = 0; s < S->count; s++) S->child_start[s + 1] += S->child_start[s];
    memcpy(at, S->child_start, sizeof *at * (size_t)S->count);
    for (int s = 0; s < S->count; s++)
        if (S->super_parent[s] >= 0) S->child[at[S->super_parent[s]]++] = s;
}

// where[row]: its place in the front of s
static void place_rows(const sp_symbolic *S, int s, int *where) {
    for (int k = S->row_start[s]; k < S->row_start[s + 1]; k++) where[S->row[k]] = k - S->row_start[s];
}

static void fill_up(sp_symbolic *S, int *where) {
    for (int s = 0; s < S->count; s++) {
        place_rows(S, s, where);
        for (int c = S->child_start[s]; c < S->child_start[s + 1]; c++) {
            int child = S->child[c], own = sp__front_columns(S, child);
            for (int k = S->row_start[child] + own; k < S->row_start[child + 1]; k++) S->up[k] = where[S->row[k]];
        }
        for (int k = 0; k < sp__front_columns(S, s); k++) S->up[S->row_start[s] + k] = -1;
    }
}

sp_status sp__fronts_build(sp_analysis *a) {
    sp_symbolic *S = a->S;
    if (!SP_NEW(a->ctx, S->row, S->row_start[S->count]) || !SP_NEW(a->ctx, S->up, S->row_start[S->count]))
        return SP_FAIL(a->ctx, SP_NO_MEMORY, "no memory for fronts with %d rows in all", S->row_start[S->count]);
    fill_rows(a, a->work[0], a->work[1]);
    list_children(S, a->work[0]);
    fill_up(S, a->work[0]);
    return SP_OK;
}

// ------------------------------------------------------------------------------------------------ blocks of A

// blocks by the new number of their column: start (n + 1), the new row of each, and the block
static void sort_entries(const sp_symbolic *S, const sp_symmetric *A, int *start, int *at, int *row, int *entry) {
    for (int i = 0; i < S->n; i++)
        for (int k = A->row_start[i]; k < A->row_start[i + 1]; k++) {
            int p = S->place[i], q = S->place[A->row_col[k]];
            start[(p < q ? p : q) + 1]++;
        }
    for (int j = 0; j < S->n; j++) start[j + 1] += start[j];
    memcpy(at, start, sizeof *at * (size_t)S->n);
    for (int i = 0; i < S->n; i++)
        for (int k = A->row_start[i]; k < A->row_start[i + 1]; k++) {
            int p = S->place[i], q = S->place[A->row_col[k]], e = at[p < q ? p : q]++;
            entry[e] = k;
            // block (i, j) is what row i has in column j; where j comes later in the new order its transpose goes down
            row[e] = p < q ? q | SP_ENTRY_TURNED : p;
        }
}

sp_status sp__fronts_entries(sp_analysis *a, const sp_symmetric *A) {
    sp_symbolic *S = a->S;
    size_t count = (size_t)A->row_start[A->n];
    int *start = a->work[0], *where = a->work[1];
    if (!SP_NEW(a->ctx, S->entry, count) || !SP_NEW(a->ctx, S->entry_at, count) || !SP_NEW(a->ctx, S->entry_col, count))
        return SP_FAIL(a->ctx, SP_NO_MEMORY, "no memory for the places of %zu blocks", count);
    memset(start, 0, sizeof *start * ((size_t)S->n + 1));
    sort_entries(S, A, start, a->work[1], S->entry_at, S->entry);
    for (int s = 0; s < S->count; s++) {
        place_rows(S, s, where);
        S->entry_start[s + 1] = start[S->first[s + 1]];
        for (int j = S->first[s]; j < S->first[s + 1]; j++)
            for (int e = start[j]; e < start[j + 1]; e++) {
                S->entry_col[e] = (j - S->first[s]) | (S->entry_at[e] & SP_ENTRY_TURNED);
                S->entry_at[e] = where[S->entry_at[e] & ~SP_ENTRY_TURNED];
            }
    }
    return SP_OK;
}

// ------------------------------------------------------------------------------------------------ measures and tasks

static void measure_front(sp_symbolic *S, int s) {
    int64_t m = (int64_t)S->block * sp__front_rows(S, s), k = (int64_t)S->block * sp__front_columns(S, s);
    S->flops[s] = sp__front_flops((double)m, (double)k);
    S->flops_total += S->flops[s];
    S->entries += k * m - k * (k - 1) / 2;
    S->below_total += (m - k) * (m - k);
    if (m > S->front_most) S->front_most = (int)m;
    if (k > S->column_most) S->column_most = (int)k;
}

// Subtrees that take at most this share of all flops are tasks: small enough that a few workers end together, and the same for
// any number of workers.
static const double task_share = 1.0 / 16;

static sp_status make_tasks(sp_analysis *a, double *below) {
    sp_symbolic *S = a->S;
    double most = task_share * S->flops_total;
    for (int s = 0; s < S->count; s++) below[s] = S->flops[s];
    for (int s = 0; s < S->count; s++)
        if (S->super_parent[s] >= 0) below[S->super_parent[s]] += below[s];
    for (int pass = 0; pass < 2; pass++) {
        S->task_count = S->top_count = 0;
        for (int s = 0; s < S->count; s++) {
            int p = S->super_parent[s];
            if (below[s] > most) {
                S->top[S->top_count++] = s;
            } else if (p < 0 || below[p] > most) {
                if (pass) S->task_first[S->task_count] = S->subtree[s], S->task_last[S->task_count] = s;
                S->task_count++;
            }
        }
        if (pass == 0 && (!SP_NEW(a->ctx, S->task_first, S->task_count) || !SP_NEW(a->ctx, S->task_last, S->task_count)))
            return SP_FAIL(a->ctx, SP_NO_MEMORY, "no memory for %d tasks", S->task_count);
    }
    return SP_OK;
}

sp_status sp__fronts_measure(sp_analysis *a) {
    sp_symbolic *S = a->S;
    int64_t b = S->block;
    for (int s = 0; s < S->count; s++) measure_front(S, s);
    for (int j = 0; j < S->n; j++) S->entries_exact += b * b * (a->counts[j] - 1) + b * (b + 1) / 2;
    return make_tasks(a, a->sums);
}
