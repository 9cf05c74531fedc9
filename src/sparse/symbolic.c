// The analysis from end to end; symbolic_internal.h has the plan.
#include "sparse/symbolic_internal.h"

#include <limits.h>

enum { WORK = sizeof((sp_analysis *)0)->work / sizeof *((sp_analysis *)0)->work };

static sp_symbolic *symbolic_new(sp_context *ctx, const sp_symmetric *A) {
    sp_symbolic *S = sp__alloc(ctx, 1, sizeof *S);
    if (!S) return NULL;
    S->ctx = ctx;
    S->n = A->n, S->block = A->block;
    atomic_init(&S->users, 1);
    size_t n = (size_t)A->n;
    if (!SP_NEW(ctx, S->perm, n) || !SP_NEW(ctx, S->place, n) || !SP_NEW(ctx, S->parent, n) || !SP_NEW(ctx, S->super_of, n))
        sp__symbolic_release(&S);
    return S;
}

static bool analysis_begin(sp_analysis *a) {
    size_t n = (size_t)a->S->n + 1;
    for (int i = 0; i < WORK; i++)
        if (!SP_NEW(a->ctx, a->work[i], n)) return false;
    return SP_NEW(a->ctx, a->perm, n) && SP_NEW(a->ctx, a->place, n) && SP_NEW(a->ctx, a->parent, n) &&
           SP_NEW(a->ctx, a->counts, n) && SP_NEW(a->ctx, a->group_first, n) && SP_NEW(a->ctx, a->group_of, n) &&
           SP_NEW(a->ctx, a->group_parent, n) && SP_NEW(a->ctx, a->into, n) && SP_NEW(a->ctx, a->columns, n) &&
           SP_NEW(a->ctx, a->rows, n) && SP_NEW(a->ctx, a->sums, n);
}

static void analysis_end(sp_analysis *a) {
    void *arrays[] = {a->perm,         a->place, a->parent,  a->counts, a->group_first, a->group_of,
                      a->group_parent, a->into,  a->columns, a->rows,   a->sums};
    for (int i = 0; i < WORK; i++) sp__free(a->ctx, a->work[i]);
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) sp__free(a->ctx, arrays[i]);
}

// place from perm; refuses what is not a permutation
static sp_status invert(sp_analysis *a) {
    int n = a->S->n;
    for (int i = 0; i < n; i++) a->place[i] = -1;
    for (int k = 0; k < n; k++) {
        int row = a->perm[k];
        if (row < 0 || row >= n || a->place[row] >= 0)
            return SP_FAIL(a->ctx, SP_BAD_INPUT, "an order of %d rows has row %d in place %d: out of range or twice", n, row, k);
        a->place[row] = k;
    }
    return SP_OK;
}

// from the order in a->perm to the rows of each column of L, in postorder
static sp_status count_rows(sp_analysis *a) {
    SP_TRY(invert(a));
    sp__tree_build(a);
    sp__tree_postorder(a);
    sp__tree_counts(a);
    return SP_OK;
}

// flops of the order counted last, up to a factor
static double counted_flops(const sp_analysis *a) {
    double sum = 0;
    for (int j = 0; j < a->S->n; j++) sum += (double)a->counts[j] * a->counts[j];
    return sum;
}

// The order by positions too, for what `auto` chose otherwise: which one wins depends on the shape of the body, and counting
// costs a small part of ordering.
static sp_status order_best(sp_analysis *a, sp_ordering first, const double *points) {
    size_t bytes = sizeof *a->perm * (size_t)a->S->n;
    SP_TRY(sp__order_graph(a->ctx, first, a->G, points, a->perm));
    SP_TRY(count_rows(a));
    double flops = counted_flops(a);
    memcpy(a->S->perm, a->perm, bytes);
    SP_TRY(sp__order_graph(a->ctx, SP_ORDER_GEOMETRIC, a->G, points, a->perm));
    SP_TRY(count_rows(a));
    a->S->ordering = SP_ORDER_GEOMETRIC;
    if (counted_flops(a) < flops) return SP_OK;
    a->S->ordering = first;
    memcpy(a->perm, a->S->perm, bytes);
    return SP_OK;
}

static sp_status order(sp_analysis *a, sp_ordering ordering, const sp_symmetric *A, const double *points) {
    bool automatic = ordering == SP_ORDER_AUTO;
    if (automatic) ordering = sp__order_auto(A, points);
    if (automatic && points && ordering != SP_ORDER_GEOMETRIC) return order_best(a, ordering, points);
    a->S->ordering = ordering;
    return sp__order_graph(a->ctx, ordering, a->G, points, a->perm);
}

static sp_status analyse(sp_analysis *a, const sp_symmetric *A) {
    SP_TRY(count_rows(a));
    sp__super_find(a);
    sp__super_amalgamate(a);
    SP_TRY(sp__super_number(a));
    SP_TRY(sp__fronts_build(a));
    SP_TRY(sp__fronts_entries(a, A));
    return sp__fronts_measure(a);
}

// perm NULL: `ordering` makes it
static sp_status create(sp_context *ctx, sp_ordering ordering, const int *perm, const sp_symmetric *A, const double *points,
                        sp_symbolic **out) {
    double begun = sp__now_ms();
    sp_graph G = {0};
    sp_analysis a = {.ctx = ctx, .G = &G};
    *out = NULL;
    if (A->n > INT_MAX / SP_BLOCK_MAX || A->n >= SP_ENTRY_TURNED)
        return SP_FAIL(ctx, SP_BAD_INPUT, "%d block rows, at most %d can be analysed", A->n, INT_MAX / SP_BLOCK_MAX);
    sp_status status = sp__graph_create(ctx, A, &G);
    if (status < 0) goto done;
    a.S = symbolic_new(ctx, A);
    if (!a.S || !analysis_begin(&a)) {
        status = SP_FAIL(ctx, SP_NO_MEMORY, "no memory to analyse %d block rows", A->n);
        goto done;
    }
    a.S->ordering = ordering;
    if (perm)
        memcpy(a.perm, perm, sizeof *perm * (size_t)A->n);
    else
        status = order(&a, ordering, A, points);
    if (status >= 0) status = analyse(&a, A);
    if (status < 0) goto done;
    a.S->analyse_ms = sp__now_ms() - begun;
    *out = a.S;
    a.S = NULL;
done:
    sp__symbolic_release(&a.S);
    analysis_end(&a);
    sp__graph_free(ctx, &G);
    return status;
}

sp_status sp__symbolic_create(sp_context *ctx, sp_ordering ordering, const sp_symmetric *A, const double *points,
                              sp_symbolic **out) {
    return create(ctx, ordering, NULL, A, points, out);
}

sp_status sp__symbolic_create_ordered(sp_context *ctx, const int *perm, const sp_symmetric *A, sp_symbolic **out) {
    return create(ctx, SP_ORDER_NATURAL, perm, A, NULL, out);
}

sp_symbolic *sp__symbolic_share(sp_symbolic *S) {
    atomic_fetch_add_explicit(&S->users, 1, memory_order_relaxed);
    return S;
}

void sp__symbolic_release(sp_symbolic **symbolic) {
    sp_symbolic *S = *symbolic;
    *symbolic = NULL;
    if (!S || atomic_fetch_sub_explicit(&S->users, 1, memory_order_acq_rel) != 1) return;
    void *arrays[] = {S->perm,        S->place,     S->parent,    S->first, S->super_of,    S->super_parent, S->subtree,
                      S->child_start, S->child,     S->row,       S->up,    S->entry_start, S->entry,        S->entry_at,
                      S->entry_col,   S->row_start, S->task_last, S->top,   S->flops,       S->task_first};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) sp__free(S->ctx, arrays[i]);
    sp__free(S->ctx, S);
}

size_t sp__symbolic_bytes(const sp_symbolic *S) {
    size_t n = (size_t)S->n, m = (size_t)S->count, rows = (size_t)S->row_start[m], entries = (size_t)S->entry_start[m];
    size_t ints = 4 * n + 4 * (m + 1) + 4 * m + 2 * rows + 3 * entries + 2 * (size_t)S->task_count;
    return sizeof *S + ints * sizeof(int) + m * sizeof(double);
}
