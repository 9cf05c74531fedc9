// In which order rows are eliminated. Orders are made on the graph of block rows, not of unknowns.
#ifndef SP_ORDERING_H
#define SP_ORDERING_H

#include "souple/solve.h"
#include "sparse/symmetric.h"

// perm[k]: which row comes k-th (n). points: n x 3 positions of the rows, for `geometric` and for what `auto` falls back to;
// NULL: there are none. SP_UNAVAILABLE: this build has no such library, or no points were given.
sp_status sp__order(sp_context *ctx, sp_ordering kind, const sp_symmetric *A, const double *points, int *perm);
// What `auto` means for such a matrix in this build. (sp__symbolic_create tries positions as well, where there are any, and keeps
// what takes fewer flops.)
sp_ordering sp__order_auto(const sp_symmetric *A, const double *points);
const char *sp__ordering_name(sp_ordering kind);

#endif
