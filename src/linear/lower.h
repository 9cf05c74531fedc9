// P = L D L^T by blocks of 3x3: L is lower triangular with unit blocks on its diagonal, D block diagonal. What incomplete
// factors and symmetric sweeps have in common: they differ only in how the numbers come about.
//
// L is kept by columns; each block as three columns of four numbers, the fourth zero, so that a block is three vectors: the
// forward sweep adds them up, the backward sweep multiplies them into three sums. Float or double.
//
// Rows are numbered breadth first, and the rows of one distance from the start divide those before from those behind. In large
// bodies the level in the middle comes last: what is before and behind it are parts that do not meet, which workers sweep side by
// side.
#ifndef SP_LOWER_H
#define SP_LOWER_H

#include "sparse/symmetric.h"

typedef double sp_four __attribute__((vector_size(4 * sizeof(double))));

enum { SP_PARTS_MOST = 2 };

// The strictly lower triangle of a matrix in another order, by columns: which block of A goes where.
typedef struct sp_columns {
    int n;
    int parts, part_start[SP_PARTS_MOST + 1];  // columns [part_start[p], part_start[p + 1]); from part_start[parts] on: dividers
    int *perm, *place;                         // old number of a new row; new number of an old row
    int *start;                                // n + 1
    int *row;                                  // new numbers, rising
    int *block;                                // 2 k: block number k of A; 2 k + 1: its transpose
} sp_columns;

// Cuthill-McKee order, from both ends where there are two parts: neighbours stay close, which is what factors with little fill
// want.
sp_status sp__columns_create(sp_context *ctx, const sp_symmetric *A, sp_columns *out);
void sp__columns_free(sp_context *ctx, sp_columns *c);
size_t sp__columns_bytes(const sp_columns *c);

typedef struct sp_lower {
    sp_context *ctx;
    const sp_columns *columns;  // borrowed: n, parts and order
    bool single;
    size_t capacity;      // blocks that fit
    size_t *start, *end;  // blocks of each column (n)
    int *row;
    void *val;      // 12 numbers a block
    void *inverse;  // D^-1, 12 numbers a column
    void *work;     // 4 numbers a row
    void *shared;   // for each part 4 numbers a divider: what its columns take from them
} sp_lower;

// Room for `blocks` blocks below the diagonal.
sp_status sp__lower_create(sp_context *ctx, const sp_columns *columns, size_t blocks, bool single, sp_lower *out);
void sp__lower_free(sp_lower *L);
size_t sp__lower_bytes(const sp_lower *L);
void sp__lower_set(sp_lower *L, size_t at, const double B[9]);      // block number `at`, row by row
void sp__lower_set_inverse(sp_lower *L, int k, const double B[9]);  // D^-1 of column k
// z = P^-1 r, in the numbering of A; z may be r. Same bits for any number of workers.
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
