// P = L D L^T by blocks of 3x3: L is lower triangular with unit blocks on its diagonal, D is block diagonal. Incomplete factors
// and SSOR share this code; they differ only in how they compute the values.
//
// L is stored by columns. Each block has three columns of four numbers, the fourth is zero, so that a block is three SIMD
// vectors: the forward solve adds them, the backward solve computes three dot products. Float or double.
//
// Rows are numbered in breadth-first order, so each level separates the rows before it from the rows after it. In large bodies
// the middle level is numbered last as the separator (`dividers`): the rows before and after it form two independent parts, which
// workers solve in parallel.
#ifndef SP_LOWER_H
#define SP_LOWER_H

#include "sparse/symmetric.h"

typedef double sp_four __attribute__((vector_size(4 * sizeof(double))));

enum { SP_PARTS_MOST = 2 };

// The strictly lower triangle of a matrix in another ordering, by columns: a map from each entry to its block of A.
typedef struct sp_columns {
    int n;
    int parts, part_start[SP_PARTS_MOST + 1];  // first column of each part; from part_start[parts] on: separator
    int *perm, *place;                         // old number of a new row; new number of an old row
    int *start;                                // n + 1
    int *row;                                  // new numbers, ascending
    int *block;                                // 2 k: block number k of A; 2 k + 1: its transpose
} sp_columns;

// Reverse Cuthill-McKee ordering, or from both ends if there are two parts. Neighbours stay close, which suits factors with
// little fill.
sp_status sp__columns_create(sp_context *ctx, const sp_symmetric *A, sp_columns *out);
void sp__columns_free(sp_context *ctx, sp_columns *c);
size_t sp__columns_bytes(const sp_columns *c);

typedef struct sp_lower {
    sp_context *ctx;
    const sp_columns *columns;  // borrowed: n, parts and ordering
    bool single;
    size_t capacity;      // allocated blocks
    size_t *start, *end;  // range of blocks of each column (n)
    int *row;
    void *val;      // 12 numbers per block
    void *inverse;  // D^-1, 12 numbers per column
    void *work;     // 4 numbers per row
    void *shared;   // per part, 4 numbers per separator row: the part's contribution to it
} sp_lower;

// Allocates `blocks` blocks below the diagonal.
sp_status sp__lower_create(sp_context *ctx, const sp_columns *columns, size_t blocks, bool single, sp_lower *out);
void sp__lower_free(sp_lower *L);
size_t sp__lower_bytes(const sp_lower *L);
void sp__lower_set(sp_lower *L, size_t at, const double B[9]);      // sets block number `at`; B is row-major
void sp__lower_set_inverse(sp_lower *L, int k, const double B[9]);  // sets D^-1 of column k
// z = P^-1 r, in the numbering of A; z and r may be the same array. Same bits for any number of workers.
void sp__lower_solve(sp_lower *L, const double *r, double *z);

// Block number `at` as three columns of doubles.
static inline void sp__lower_get(const sp_lower *L, size_t at, sp_four C[3]) {
    if (L->single) {
        typedef float four __attribute__((vector_size(4 * sizeof(float))));
        const four *v = (const four *)L->val + 3 * at;
        for (int c = 0; c < 3; c++) C[c] = __builtin_convertvector(v[c], sp_four);
    } else {
        const sp_four *v = (const sp_four *)L->val + 3 * at;
        for (int c = 0; c < 3; c++) C[c] = v[c];
    }
}

#endif
