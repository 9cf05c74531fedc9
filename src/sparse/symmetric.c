// Products, searches and copies of symmetric block matrices. Nothing here is performance-critical.
#include "sparse/symmetric.h"

#include <limits.h>

// y_i += B x_j, and y_j += B^T x_i for an off-diagonal block
static void mul_block(const sp_symmetric *A, int i, int j, const double *B, const double *x, double *y) {
    int b = A->block, s = A->stride;
    const double *xi = x + (size_t)i * (size_t)b, *xj = x + (size_t)j * (size_t)b;
    double *yi = y + (size_t)i * (size_t)b, *yj = y + (size_t)j * (size_t)b;
    for (int r = 0; r < b; r++)
        for (int c = 0; c < b; c++) {
            double a = B[s * (b * r + c)];
            yi[r] += a * xj[c];
            if (i != j) yj[c] += a * xi[r];
        }
}

void sp__symmetric_mul(const sp_symmetric *A, const double *x, double *y) {
    memset(y, 0, sizeof *y * (size_t)A->n * (size_t)A->block);
    for (int i = 0; i < A->n; i++)
        for (int k = A->row_start[i]; k < A->row_start[i + 1]; k++)
            mul_block(A, i, A->row_col[k], sp__symmetric_block(A, k), x, y);
}

int sp__symmetric_find(const sp_symmetric *A, int i, int j) {
    int low = A->row_start[i], high = A->row_start[i + 1] - 1;
    while (low <= high) {
        int middle = low + (high - low) / 2;
        if (A->row_col[middle] == j) return middle;
        if (A->row_col[middle] < j)
            low = middle + 1;
        else
            high = middle - 1;
    }
    return -1;
}

// ------------------------------------------------------------------------------------------------ matrices that own their arrays

sp_status sp__symmetric_create(sp_context *ctx, int n, int block, int block_count, sp_symmetric_own *out) {
    *out = (sp_symmetric_own){.ctx = ctx};
    if (n < 0 || block < 1 || block > SP_BLOCK_MAX || block_count < 0 || n > INT_MAX / block)
        return SP_FAIL(ctx, SP_BAD_INPUT, "a matrix of %d rows, %d blocks of %d: rows must be in [0, %d], blocks of 1 to %d", n,
                       block_count, block, INT_MAX / SP_BLOCK_MAX, SP_BLOCK_MAX);
    if (!SP_NEW(ctx, out->row_start, (size_t)n + 1) || !SP_NEW(ctx, out->row_col, block_count) ||
        !(out->val = sp__alloc(ctx, (size_t)block_count, sizeof *out->val * (size_t)(block * block)))) {
        sp__symmetric_free(out);
        return SP_FAIL(ctx, SP_NO_MEMORY, "no memory for a matrix of %d rows and %d blocks", n, block_count);
    }
    out->view = (sp_symmetric){n, block, out->row_start, out->row_col, NULL, 1, out->val};
    return SP_OK;
}

void sp__symmetric_free(sp_symmetric_own *A) {
    if (!A->ctx) return;
    sp__free(A->ctx, A->row_start);
    sp__free(A->ctx, A->row_col);
    sp__free(A->ctx, A->val);
    *A = (sp_symmetric_own){0};
}

// ------------------------------------------------------------------------------------------------ scalars

// calls fn for every scalar of the upper triangle, row by row with ascending columns
typedef void scalar_fn(void *arg, int row, int col, double value);

static void each_scalar(const sp_symmetric *A, scalar_fn *fn, void *arg) {
    int b = A->block;
    for (int i = 0; i < A->n; i++)
        for (int r = 0; r < b; r++)
            for (int k = A->row_start[i]; k < A->row_start[i + 1]; k++) {
                const double *B = sp__symmetric_block(A, k);
                int j = A->row_col[k];
                for (int c = j == i ? r : 0; c < b; c++) fn(arg, i * b + r, j * b + c, B[A->stride * (b * r + c)]);
            }
}

typedef struct spread {
    int64_t *at;  // position of the next entry of a row
    sp_csr *out;
} spread;

static void spread_count(void *arg, int row, int col, double value) {
    spread *s = arg;
    (void)value;
    s->out->start[row + 1]++;
    if (row != col) s->out->start[col + 1]++;
}

// rows are ascending, so the mirrored entries of a row come before its own columns, and both are ascending
static void spread_fill(void *arg, int row, int col, double value) {
    spread *s = arg;
    int64_t a = s->at[row]++;
    s->out->col[a] = col, s->out->val[a] = value;
    if (row == col) return;
    int64_t b = s->at[col]++;
    s->out->col[b] = row, s->out->val[b] = value;
}

sp_status sp__symmetric_csr(sp_context *ctx, const sp_symmetric *A, sp_csr *out) {
    int n = A->n * A->block;
    spread s = {NULL, out};
    *out = (sp_csr){.n = n};
    if (!SP_NEW(ctx, out->start, (size_t)n + 1) || !SP_NEW(ctx, s.at, (size_t)n + 1)) goto no_memory;
    each_scalar(A, spread_count, &s);
    for (int i = 0; i < n; i++) out->start[i + 1] += out->start[i];
    memcpy(s.at, out->start, sizeof *s.at * (size_t)n);
    if (!SP_NEW(ctx, out->col, out->start[n]) || !SP_NEW(ctx, out->val, out->start[n])) goto no_memory;
    each_scalar(A, spread_fill, &s);
    sp__free(ctx, s.at);
    return SP_OK;
no_memory:
    sp__free(ctx, s.at);
    sp__csr_free(ctx, out);
    return SP_FAIL(ctx, SP_NO_MEMORY, "no memory for %d rows of scalars", n);
}

void sp__csr_free(sp_context *ctx, sp_csr *A) {
    sp__free(ctx, A->start);
    sp__free(ctx, A->col);
    sp__free(ctx, A->val);
    *A = (sp_csr){0};
}
