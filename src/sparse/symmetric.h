// A symmetric matrix of small square blocks for the sparse solvers: the upper triangle by rows, with the values at any address. A
// view owns nothing. linear/blocks.h and Matrix Market files both provide one.
#ifndef SP_SYMMETRIC_H
#define SP_SYMMETRIC_H

#include "core/core.h"

enum { SP_BLOCK_MAX = 6 };

typedef struct sp_symmetric {
    int n, block;                    // block rows; unknowns of a block, 1..SP_BLOCK_MAX
    const int *row_start, *row_col;  // columns >= row, ascending, the diagonal first (row_start: n + 1)
    // entry (r, c) of block number k is val[(pos ? pos[k] : k block^2) + stride (block r + c)]; diagonal blocks are stored whole
    const int *pos;
    int stride;
    const double *val;
} sp_symmetric;

static inline const double *sp__symmetric_block(const sp_symmetric *A, int k) {
    return A->val + (A->pos ? (size_t)A->pos[k] : (size_t)k * (size_t)(A->block * A->block));
}

// y = A x, one thread, simple: for tests, residuals and files.
void sp__symmetric_mul(const sp_symmetric *A, const double *x, double *y);
// Number of block (i, j), i <= j, in row_col; -1: not in the pattern.
int sp__symmetric_find(const sp_symmetric *A, int i, int j);

// A matrix that owns the arrays of its view (pos NULL, stride 1).
typedef struct sp_symmetric_own {
    sp_symmetric view;
    sp_context *ctx;
    int *row_start, *row_col;
    double *val;
} sp_symmetric_own;

sp_status sp__symmetric_create(sp_context *ctx, int n, int block, int block_count, sp_symmetric_own *out);  // zeroed arrays
void sp__symmetric_free(sp_symmetric_own *A);

// Compressed sparse rows of scalars, both triangles, columns ascending: for external libraries.
typedef struct sp_csr {
    int n;
    int64_t *start;  // n + 1
    int *col;
    double *val;
} sp_csr;

sp_status sp__symmetric_csr(sp_context *ctx, const sp_symmetric *A, sp_csr *out);
void sp__csr_free(sp_context *ctx, sp_csr *A);

#endif
