// Choice of the fill-reducing ordering, and what replaces METIS or AMD in a build without them.
#include "sparse/ordering.h"

#include <limits.h>

// ========================================================================================================= graph

// Both triangles from the upper one: count, prefix sums, fill.

static void count_near(const sp_symmetric *A, int *start) {
    for (int i = 0; i < A->n; i++)
        for (int k = A->row_start[i]; k < A->row_start[i + 1]; k++) {
            int j = A->row_col[k];
            if (j == i) continue;
            start[i + 1]++;
            start[j + 1]++;
        }
    for (int i = 0; i < A->n; i++) start[i + 1] += start[i];
}

// `at` is the position of the next neighbour. Rows are ascending: neighbours of row j from rows above it come before its own
// columns
static void fill_near(const sp_symmetric *A, int *at, int *near) {
    for (int i = 0; i < A->n; i++)
        for (int k = A->row_start[i]; k < A->row_start[i + 1]; k++) {
            int j = A->row_col[k];
            if (j == i) continue;
            near[at[i]++] = j;
            near[at[j]++] = i;
        }
}

sp_status sp__graph_create(sp_context *ctx, const sp_symmetric *A, sp_graph *out) {
    *out = (sp_graph){.n = A->n};
    if (A->row_start[A->n] > INT_MAX / 2)
        return SP_FAIL(ctx, SP_BAD_INPUT, "%d blocks in a triangle, at most %d can be analysed", A->row_start[A->n], INT_MAX / 2);
    int *at = NULL;
    sp_status status = SP_OK;
    if (!SP_NEW(ctx, out->start, (size_t)A->n + 1) || !SP_NEW(ctx, at, (size_t)A->n + 1)) goto no_memory;
    count_near(A, out->start);
    if (!SP_NEW(ctx, out->near, out->start[A->n])) goto no_memory;
    memcpy(at, out->start, sizeof *at * (size_t)A->n);
    fill_near(A, at, out->near);
    goto done;
no_memory:
    sp__graph_free(ctx, out);
    status = SP_FAIL(ctx, SP_NO_MEMORY, "no memory for the graph of %d rows", A->n);
done:
    sp__free(ctx, at);
    return status;
}

void sp__graph_free(sp_context *ctx, sp_graph *G) {
    sp__free(ctx, G->start);
    sp__free(ctx, G->near);
    *G = (sp_graph){0};
}

// ===================================================================================================== orderings

const char *sp__ordering_name(sp_ordering kind) {
    static const char *const names[] = {"auto", "natural", "amd", "metis", "geometric"};
    return (unsigned)kind < sizeof names / sizeof *names ? names[kind] : "unknown";
}

// For beams, rings and balls with fewer rows, minimum degree needs up to a third fewer flops than nested dissection; for more
// rows nested dissection is better, and METIS and geometric dissection differ by less than a tenth.
enum { SMALL = 1000 };

sp_ordering sp__order_auto(const sp_symmetric *A, const double *points) {
    if (A->n < SMALL && sp__has_amd()) return SP_ORDER_AMD;
    if (sp__has_metis()) return SP_ORDER_METIS;
    if (points) return SP_ORDER_GEOMETRIC;
    return sp__has_amd() ? SP_ORDER_AMD : SP_ORDER_NATURAL;
}

sp_status sp__order_graph(sp_context *ctx, sp_ordering kind, const sp_graph *G, const double *points, int *perm) {
    switch (kind) {
    case SP_ORDER_NATURAL:
        for (int i = 0; i < G->n; i++) perm[i] = i;
        return SP_OK;
    case SP_ORDER_AMD: return sp__order_amd(ctx, G, perm);
    case SP_ORDER_METIS: return sp__order_metis(ctx, G, perm);
    case SP_ORDER_GEOMETRIC:
        if (!points) return SP_FAIL(ctx, SP_UNAVAILABLE, "ordering geometric needs the positions of the rows, none were given");
        return sp__order_geometric(ctx, G, points, perm);
    default: return SP_FAIL(ctx, SP_BAD_INPUT, "ordering %d, must be in [%d, %d]", (int)kind, SP_ORDER_AUTO, SP_ORDER_GEOMETRIC);
    }
}
