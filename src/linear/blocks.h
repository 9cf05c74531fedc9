// A symmetric sparse matrix of 3x3 blocks, assembled in place on a fixed pattern.
//
// Only the upper triangle is stored. Four rows are interleaved for SIMD: slot s of a group holds block number s of each of its
// four rows, entry by entry. Rows are divided into chunks whose columns have local numbers, as in backend.h. Slot 0 is the
// diagonal. Shorter rows are padded with zero blocks.
#ifndef SP_BLOCKS_H
#define SP_BLOCKS_H

#include "backend/backend.h"
#include "linear/system.h"
#include "sparse/symmetric.h"

struct sp_blocks {
    sp_context *ctx;
    const sp_backend *be;
    int n;                           // block rows
    int *row_start, *row_col;        // pattern by rows: columns >= row, ascending, the diagonal first (row_start: n + 1)
    int *row_pos;                    // per block: index of its entry (0, 0) in val; entry (r, c) is 4 (3 r + c) further
    int *chunk_row;                  // first row of each chunk (chunks + 1)
    int *order;                      // rows of each chunk, longest first, so that the rows of a group have similar lengths
    int *group_start, *chunk_group;  // see sp_rows4
    uint16_t *col;
    double *val;
    int slots;
    sp_chunks chunks;
    double *scratch, *partial;
};

// Chunk c has the rows [chunk_row[c], chunk_row[c + 1]). Copies its arguments.
sp_status sp__blocks_create(sp_context *ctx, const sp_backend *be, int n, int chunk_count, const int *chunk_row,
                            const int *row_start, const int *row_col, sp_blocks **out);
void sp__blocks_destroy(sp_blocks **A);
void sp__blocks_view(const sp_blocks *A, sp_symmetric *out);  // view for src/sparse; valid as long as A

// A(i, j) += B (and A(j, i) += B^T by symmetry). For i == j the whole block is stored, so B must be symmetric. The block must be
// in the pattern.
void sp__blocks_add(sp_blocks *A, int i, int j, const double B[9]);
// Replaces the rows of a chunk by `blocks`: 9 numbers for each block of its pattern, row by row.
void sp__blocks_store(sp_blocks *A, int chunk, const double *blocks);
int sp__blocks_chunk_blocks(const sp_blocks *A, int chunk);  // number of blocks in a chunk
int sp__blocks_number(const sp_blocks *A, int i, int j);     // index of block (i, j) in row_col, i <= j; -1: not in the pattern
// Replaces the rows and columns of pinned unknowns by unit rows and columns.
void sp__blocks_pin(sp_blocks *A, const unsigned char *fixed);
// y = A x; returns x . y.
double sp__blocks_mul(const sp_blocks *A, const double *x, double *y);

// ---- assembled matrix of a system
//
// The matrix is kept between solves. Its pattern follows the pattern of the system, its values follow the values of the system
// and the coefficients.
typedef enum sp_matrix_change { SP_MATRIX_SAME, SP_MATRIX_VALUES, SP_MATRIX_PATTERN } sp_matrix_change;

typedef struct sp_matrix {
    sp_blocks *A;              // NULL: not assembled
    uint64_t pattern, values;  // revisions that A was built from
    sp_coef coef;
    bool filled;
    bool refused;             // this pattern cannot be assembled: a node has tens of thousands of neighbours
    sp_matrix_change change;  // change that no successful call has reported yet
} sp_matrix;

// Updates m->A to the values of A; m->A is NULL if A cannot be assembled. change: what changed since the last successful call.
sp_status sp__matrix_follow(sp_matrix *m, sp_context *ctx, const sp_system *A, sp_coef c, sp_matrix_change *change);
// The same without the values, which are then those of an earlier system.
sp_status sp__matrix_follow_pattern(sp_matrix *m, sp_context *ctx, const sp_system *A);
bool sp__matrix_is_filled(const sp_matrix *m, const sp_system *A, sp_coef c);  // with the values of A
void sp__matrix_forget(sp_matrix *m);                                          // frees the matrix
size_t sp__matrix_bytes(const sp_matrix *m);

// True if the backend uses only kernels that run on every machine.
static inline bool sp__backend_plain(const sp_backend *be) {
    return be == &sp__backend_ref || be == &sp__backend_cpu_generic;
}

#endif
