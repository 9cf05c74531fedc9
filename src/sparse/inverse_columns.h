// Compliance from a Cholesky factor: G = B^T A^-1 B for many sparse columns B, as contact needs it.
//
// With P A P^T = L L^T and Y = L^-1 P B, G = Y^T Y: forward substitution only, and each column visits only the supernodes between
// its nonzeros and the root of the elimination tree (Gilbert 1994). Columns are sorted by the place where they enter the tree and
// go through it in chunks, whose supernodes are nearly the same; a product of two chunks visits the supernodes that both have.
// Chunks and products are tasks whose division does not depend on the workers: the result has the same bits for any number.
#ifndef SP_INVERSE_COLUMNS_H
#define SP_INVERSE_COLUMNS_H

#include "sparse/factor.h"

typedef struct sp_inverse_columns sp_inverse_columns;

sp_status sp__inverse_columns_create(sp_context *ctx, sp_inverse_columns **out);
void sp__inverse_columns_destroy(sp_inverse_columns **C);
size_t sp__inverse_columns_bytes(const sp_inverse_columns *C);

// The columns of B in compressed form: column c has the block rows row[start[c]] .. row[start[c + 1] - 1] (old numbers, repeats
// add up), each with `block` values.
typedef struct sp_sparse_columns {
    int count;
    const int *start, *row;
    const double *value;
} sp_sparse_columns;

// Computes G (count x count, row-major, leading dimension ld >= count, both triangles). F must be good and positive definite
// (sp__factor_definite). Memory grows with the largest problem so far and is kept. SP_NO_MEMORY: G is not written.
sp_status sp__inverse_columns_product(sp_inverse_columns *C, sp_factor *F, const sp_sparse_columns *B, double *G, int ld);

// Its memory for passes through the tree of F on all workers, which cached columns use between products (inverse_cache.h).
struct sp_columns_scratch;
sp_status sp__inverse_columns_scratch(sp_inverse_columns *C, const sp_factor *F, struct sp_columns_scratch **out);

// Of the last product: the mean share of the unknowns that a column visited.
double sp__inverse_columns_reach(const sp_inverse_columns *C);

#endif
