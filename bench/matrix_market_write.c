// Writer of Matrix Market files, and the grouping of scalars into blocks.
#include <errno.h>
#include <limits.h>
#include <stdio.h>

#include "io/file/text_file.h"
#include "matrix_market.h"

// scalars of the lower triangle, for the header
static int64_t count_scalars(const sp_symmetric *A) {
    int64_t b = A->block, blocks = A->row_start[A->n];
    return (blocks - A->n) * b * b + (int64_t)A->n * b * (b + 1) / 2;
}

// The upper triangle by rows equals the lower one by columns, which is the order of the format.
static bool write_entries(FILE *file, const sp_symmetric *A) {
    int b = A->block;
    char number[32];
    for (int j = 0; j < A->n; j++)
        for (int c = 0; c < b; c++)
            for (int k = A->row_start[j]; k < A->row_start[j + 1]; k++) {
                const double *B = sp__symmetric_block(A, k);
                int i = A->row_col[k];
                for (int r = i == j ? c : 0; r < b; r++) {
                    sp__print_double(number, B[A->stride * (b * c + r)]);
                    if (fprintf(file, "%d %d %s\n", i * b + r + 1, j * b + c + 1, number) < 0) return false;
                }
            }
    return true;
}

sp_status sp__mtx_write(sp_context *ctx, const char *path, const sp_symmetric *A) {
    FILE *file = fopen(path, "wb");
    if (!file) return SP_FAIL(ctx, SP_IO, "%s: %s", path, strerror(errno));
    int n = A->n * A->block;
    bool good =
        fprintf(file, "%%%%MatrixMarket matrix coordinate real symmetric\n%d %d %lld\n", n, n, (long long)count_scalars(A)) > 0 &&
        write_entries(file, A);
    int error = errno;
    if (fclose(file) != 0 && good) good = false, error = errno;
    return good ? SP_OK : SP_FAIL(ctx, SP_IO, "%s: %s", path, strerror(error));
}

// ------------------------------------------------------------------------------------------------ blocks

// distinct block columns of block row i, ascending; mark[j] == i: already listed
static int group_row(const sp_symmetric *A, int block, int i, int *mark, int *out) {
    int count = 0;
    mark[i] = i;
    out[count++] = i;
    for (int r = i * block; r < (i + 1) * block; r++)
        for (int k = A->row_start[r]; k < A->row_start[r + 1]; k++) {
            int j = A->row_col[k] / block;
            if (mark[j] == i) continue;
            mark[j] = i;
            out[count++] = j;
        }
    sp__sort_ints(out, count);
    return count;
}

// at[j]: index of the block of column j in row i
static void group_values(const sp_symmetric *A, int block, int i, const int *at, double *val) {
    size_t size = (size_t)(block * block);
    for (int r = 0; r < block; r++)
        for (int k = A->row_start[i * block + r]; k < A->row_start[i * block + r + 1]; k++) {
            int j = A->row_col[k] / block, c = A->row_col[k] % block;
            double *B = val + (size_t)at[j] * size, value = sp__symmetric_block(A, k)[0];
            B[block * r + c] = value;
            if (j == i) B[block * c + r] = value;
        }
}

sp_status sp__mtx_group(sp_context *ctx, const sp_symmetric *A, int block, sp_symmetric_own *out) {
    *out = (sp_symmetric_own){0};
    if (A->block != 1 || block < 1 || block > SP_BLOCK_MAX || A->n % block)
        return SP_FAIL(ctx, SP_BAD_INPUT,
                       "%d rows of blocks of %d cannot be taken together by %d: single unknowns, a multiple of 1 to %d", A->n,
                       A->block, block, SP_BLOCK_MAX);
    int n = A->n / block, *mark = NULL, *row = NULL;
    int64_t count = 0;
    sp_status status = SP_OK;
    if (!SP_NEW(ctx, mark, n) || !SP_NEW(ctx, row, n)) {
        status = SP_FAIL(ctx, SP_NO_MEMORY, "no memory for the blocks of %d rows", n);
        goto done;
    }
    for (int i = 0; i < n; i++) mark[i] = -1;
    for (int i = 0; i < n; i++) count += group_row(A, block, i, mark, row);
    status = sp__symmetric_create(ctx, n, block, (int)count, out);  // at most one block per scalar and row: no overflow
    if (status < 0) goto done;
    for (int i = 0; i < n; i++) mark[i] = -1;
    for (int i = 0; i < n; i++) {
        int *cols = out->row_col + out->row_start[i], m = group_row(A, block, i, mark, row);
        memcpy(cols, row, sizeof *row * (size_t)m);
        out->row_start[i + 1] = out->row_start[i] + m;
        // `row` is reused as the map from a column to its block in this row
        for (int k = 0; k < m; k++) row[cols[k]] = out->row_start[i] + k;
        group_values(A, block, i, row, out->val);
    }
done:
    sp__free(ctx, mark);
    sp__free(ctx, row);
    return status;
}
