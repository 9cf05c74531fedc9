// Both triangles from one: count, sum up, fill.
#include "sparse/graph.h"

#include <limits.h>

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

// `at` is where the next neighbour goes. Rows rise, so what row j learns from rows above it comes before its own columns
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
