// Fill-reducing elimination orders. They are computed on the graph of block rows, not of unknowns.
#ifndef SP_ORDERING_H
#define SP_ORDERING_H

#include "souple/solve.h"
#include "sparse/symmetric.h"

// The meaning of `auto` for this matrix in this build. (sp__symbolic_create also tries the geometric ordering if there are
// positions, and keeps the ordering with fewer flops.)
sp_ordering sp__order_auto(const sp_symmetric *A, const double *points);
const char *sp__ordering_name(sp_ordering kind);

// ---- graphs
//
// The adjacency graph of the block rows of a symmetric matrix: both directions, without the diagonal. Orderings and symbolic
// analysis work on it.
typedef struct sp_graph {
    int n;
    int *start, *near;  // neighbours of row i: near[start[i]] .. near[start[i + 1] - 1], ascending
} sp_graph;

sp_status sp__graph_create(sp_context *ctx, const sp_symmetric *A, sp_graph *out);
void sp__graph_free(sp_context *ctx, sp_graph *G);

// perm[k]: the row that is eliminated k-th (n). points: n x 3 positions of the rows, needed by `geometric`; NULL: unknown. `kind`
// is not auto. SP_UNAVAILABLE: this build does not have the library, or no points were given.
sp_status sp__order_graph(sp_context *ctx, sp_ordering kind, const sp_graph *G, const double *points, int *perm);
sp_status sp__order_metis(sp_context *ctx, const sp_graph *G, int *perm);
sp_status sp__order_amd(sp_context *ctx, const sp_graph *G, int *perm);
sp_status sp__order_geometric(sp_context *ctx, const sp_graph *G, const double *points, int *perm);
bool sp__has_metis(void);
bool sp__has_amd(void);

#endif
