// Reference implementation of Cholesky: left-looking, one scalar column at a time (Pincon 2020). Slow and short; only for tests
// and benchmarks.
#ifndef SP_SCALAR_H
#define SP_SCALAR_H

#include "sparse/symmetric.h"

typedef struct sp_scalar_factor {
    sp_context *ctx;
    int n;
    int *perm;           // scalar: old number of a new unknown
    int *parent;         // elimination tree
    int64_t *col_start;  // pattern of the columns of L (n + 1)
    int *row_index;
    int64_t *row_start;  // pattern of the rows of L, without the diagonal (n + 1)
    int *col_index;
    double *val;  // by columns, diagonal first
} sp_scalar_factor;

// perm[k]: the block row that comes k-th (as from sp__order_graph); NULL: natural order.
sp_status sp__scalar_analyse(sp_context *ctx, const sp_symmetric *A, const int *perm, sp_scalar_factor *out);
void sp__scalar_free(sp_scalar_factor *F);
// *column: the column whose pivot is not positive (new number).
sp_status sp__scalar_factor(sp_scalar_factor *F, const sp_symmetric *A, int *column);

#endif
