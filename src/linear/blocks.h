// A symmetric matrix of 3x3 blocks, assembled in place on a fixed pattern.
//
// Only the upper triangle is kept. Rows go four abreast (slot s of a group holds block number s of each of four rows, entries
// side by side), so that a product works on lanes; rows are cut into chunks whose columns have local numbers, as in backend.h.
// Slot 0 is the diagonal. Shorter rows are padded with zero blocks.
#ifndef SP_BLOCKS_H
#define SP_BLOCKS_H

#include "backend/backend.h"
#include "linear/system.h"
#include "sparse/symmetric.h"

struct sp_blocks {
    sp_context *ctx;
    const sp_backend *be;
    int n;                           // block rows
    int *row_start, *row_col;        // pattern by rows: columns >= row, rising, the diagonal first (row_start: n + 1)
    int *row_pos;                    // of each block: where its entry (0, 0) stands in val; entry (r, c) is 4 (3 r + c) further
    int *chunk_row;                  // first row of each chunk (chunks + 1)
    int *order;                      // rows of each chunk, longest first: rows that stand abreast are of like length
    int *group_start, *chunk_group;  // see sp_rows4
    uint16_t *col;
    double *val;
    int slots;
    sp_chunks chunks;
    double *scratch, *partial;
};

// Rows [chunk_row[c], chunk_row[c + 1]) make chunk c. Copies its arguments.
sp_status sp__blocks_create(sp_context *ctx, const sp_backend *be, int n, int chunk_count, const int *chunk_row,
                            const int *row_start, const int *row_col, sp_blocks **out);
void sp__blocks_destroy(sp_blocks **A);
size_t sp__blocks_bytes(const sp_blocks *A);
void sp__blocks_view(const sp_blocks *A, sp_symmetric *out);  // as the sparse rooms see it; valid as long as A is

// Position of block (i, j), i <= j; -1: not in the pattern.
int sp__blocks_find(const sp_blocks *A, int i, int j);
// A(i, j) += B (and A(j, i) += B^T by symmetry). For i == j the whole block is stored: B must be symmetric. Must be in the
// pattern.
void sp__blocks_add(sp_blocks *A, int i, int j, const double B[9]);
void sp__blocks_get(const sp_blocks *A, int i, int j, double B[9]);  // zero where not in the pattern
// Replace the rows of a chunk by `blocks`: 9 numbers for each block of its pattern, row by row.
void sp__blocks_store(sp_blocks *A, int chunk, const double *blocks);
int sp__blocks_chunk_blocks(const sp_blocks *A, int chunk);  // how many blocks that is
int sp__blocks_number(const sp_blocks *A, int i, int j);     // number of block (i, j) in row_col, i <= j; -1: not in the pattern
// Make the pinned unknowns unit rows and columns.
void sp__blocks_pin(sp_blocks *A, const unsigned char *fixed);
// y = A x; returns x . y.
double sp__blocks_mul(const sp_blocks *A, const double *x, double *y);

// ---- the matrix of a system
//
// The assembled matrix of a system, kept between solves: its pattern follows that of the system, its numbers follow values and
// coefficients.
typedef enum sp_matrix_news { SP_MATRIX_SAME, SP_MATRIX_VALUES, SP_MATRIX_PATTERN } sp_matrix_news;

typedef struct sp_matrix {
    sp_blocks *A;              // NULL: nothing assembled
    uint64_t pattern, values;  // what A was made and filled from
    sp_coef coef;
    bool filled;
    bool refused;         // this pattern has no matrix: a node of tens of thousands of neighbours
    sp_matrix_news news;  // that no call has told yet, because it failed
} sp_matrix;

// Afterwards m->A holds the numbers of A, or is NULL where A cannot be assembled. news: what changed since the last call that did
// not fail.
sp_status sp__matrix_follow(sp_matrix *m, sp_context *ctx, const sp_system *A, sp_coef c, sp_matrix_news *news);
void sp__matrix_forget(sp_matrix *m);  // frees it
size_t sp__matrix_bytes(const sp_matrix *m);

// Do these backends ask for kernels that any machine has?
static inline bool sp__backend_plain(const sp_backend *be) {
    return be == &sp__backend_ref || be == &sp__backend_cpu_generic;
}

#endif
