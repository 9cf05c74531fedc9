// The graph of the block rows of a symmetric matrix: who stands beside whom, both ways, without the diagonal. What orderings and
// the symbolic analysis walk over.
#ifndef SP_GRAPH_H
#define SP_GRAPH_H

#include "sparse/ordering.h"

typedef struct sp_graph {
    int n;
    int *start, *near;  // neighbours of row i: near[start[i]] .. near[start[i + 1] - 1], rising
} sp_graph;

sp_status sp__graph_create(sp_context *ctx, const sp_symmetric *A, sp_graph *out);
void sp__graph_free(sp_context *ctx, sp_graph *G);

// sp__order on a graph that is there already; `kind` is not auto.
sp_status sp__order_graph(sp_context *ctx, sp_ordering kind, const sp_graph *G, const double *points, int *perm);
sp_status sp__order_metis(sp_context *ctx, const sp_graph *G, int *perm);
sp_status sp__order_amd(sp_context *ctx, const sp_graph *G, int *perm);
sp_status sp__order_geometric(sp_context *ctx, const sp_graph *G, const double *points, int *perm);
bool sp__has_metis(void);
bool sp__has_amd(void);

#endif
