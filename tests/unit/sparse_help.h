// Matrices for tests of the sparse solvers: from pairs, at random, and from meshes.
#ifndef SP_SPARSE_HELP_H
#define SP_SPARSE_HELP_H

#include <stdlib.h>
#include <string.h>

#include "souple/mesh.h"
#include "sparse/ordering.h"
#include "sparse/symmetric.h"
#include "test.h"

// A matrix whose pattern is the set bits of `dense` (n x n, upper triangle; the diagonal is added) with repeatable numbers; it is
// diagonally dominant, so positive definite.
static inline sp_symmetric_own help_matrix(sp_context *ctx, int n, int block, const unsigned char *dense,
                                           unsigned long long seed) {
    sp_symmetric_own A;
    int count = 0, b = block;
    for (int i = 0; i < n; i++)
        for (int j = i; j < n; j++) count += i == j || dense[(size_t)i * (size_t)n + (size_t)j];
    if (sp__symmetric_create(ctx, n, block, count, &A) < 0) return A;
    double *sum = calloc((size_t)(n * b), sizeof *sum);
    count = 0;
    for (int i = 0; i < n; i++) {
        for (int j = i; j < n; j++) {
            if (i != j && !dense[(size_t)i * (size_t)n + (size_t)j]) continue;
            double *B = A.val + (size_t)count * (size_t)(b * b);
            for (int r = 0; r < b; r++)
                for (int c = 0; c < b; c++) {
                    if (i == j && c < r)
                        B[b * r + c] = B[b * c + r];
                    else
                        B[b * r + c] = sp_test_random(&seed);
                    sum[i * b + r] += fabs(B[b * r + c]);
                    if (i != j) sum[j * b + c] += fabs(B[b * r + c]);
                }
            A.row_col[count++] = j;
        }
        A.row_start[i + 1] = count;
    }
    for (int i = 0; i < n; i++)
        for (int r = 0; r < b; r++) A.val[(size_t)A.row_start[i] * (size_t)(b * b) + (size_t)(b * r + r)] = 1 + sum[i * b + r];
    free(sum);
    return A;
}

// every pair with the given probability
static inline sp_symmetric_own help_random(sp_context *ctx, int n, int block, double chance, unsigned long long seed) {
    unsigned char *dense = calloc((size_t)n * (size_t)n + 1, 1);
    unsigned long long state = seed * 977 + 5;
    for (int i = 0; i < n; i++)
        for (int j = i + 1; j < n; j++) dense[i * n + j] = 0.5 * (sp_test_random(&state) + 1) < chance;
    sp_symmetric_own A = help_matrix(ctx, n, block, dense, seed);
    free(dense);
    return A;
}

// the elimination order of a matrix; SP_ORDER_AUTO as in sp__symbolic_create without its comparison
static inline sp_status help_ordering(sp_context *ctx, sp_ordering kind, const sp_symmetric *A, const double *points, int *perm) {
    sp_graph G;
    SP_TRY(sp__graph_create(ctx, A, &G));
    sp_status status = sp__order_graph(ctx, kind == SP_ORDER_AUTO ? sp__order_auto(A, points) : kind, &G, points, perm);
    sp__graph_free(ctx, &G);
    return status;
}

// a matrix that owns the numbers of a view
static inline sp_status help_copy(sp_context *ctx, const sp_symmetric *A, sp_symmetric_own *out) {
    int count = A->row_start[A->n], size = A->block * A->block;
    SP_TRY(sp__symmetric_create(ctx, A->n, A->block, count, out));
    memcpy(out->row_start, A->row_start, sizeof *out->row_start * ((size_t)A->n + 1));
    memcpy(out->row_col, A->row_col, sizeof *out->row_col * (size_t)count);
    for (int k = 0; k < count; k++)
        for (int e = 0; e < size; e++) out->val[k * size + e] = sp__symmetric_block(A, k)[A->stride * e];
    return SP_OK;
}

static inline int help_order(const void *a, const void *b) {
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

// one block for each node and each edge of a mesh: -1 off the diagonal, dominant
static inline sp_symmetric_own help_mesh(sp_context *ctx, const sp_mesh *mesh, int block) {
    int n = sp_mesh_node_count(mesh), nt = sp_mesh_element_count(mesh), b = block;
    const int *tets = sp_mesh_tets(mesh);
    size_t count = 0, m = 0;
    int64_t *pairs = malloc(sizeof *pairs * ((size_t)nt * 6 + (size_t)n));
    for (int i = 0; i < n; i++) pairs[count++] = (int64_t)i * n + i;
    for (int t = 0; t < nt; t++)
        for (int i = 0; i < 4; i++)
            for (int j = 0; j < 4; j++)
                if (tets[4 * t + i] < tets[4 * t + j]) pairs[count++] = (int64_t)tets[4 * t + i] * n + tets[4 * t + j];
    qsort(pairs, count, sizeof *pairs, help_order);
    for (size_t k = 0; k < count; k++)
        if (k == 0 || pairs[k] != pairs[k - 1]) pairs[m++] = pairs[k];
    sp_symmetric_own A;
    if (sp__symmetric_create(ctx, n, block, (int)m, &A) >= 0)
        for (size_t k = 0; k < m; k++) {
            int i = (int)(pairs[k] / n), j = (int)(pairs[k] % n);
            A.row_col[k] = j;
            A.row_start[i + 1] = (int)k + 1;
            for (int r = 0; r < b; r++) A.val[k * (size_t)(b * b) + (size_t)(b * r + r)] = i == j ? 64 : -1;
        }
    free(pairs);
    return A;
}

// the whole matrix, dense, scalar; the caller frees it
static inline double *help_dense(const sp_symmetric *A) {
    int b = A->block;
    size_t n = (size_t)A->n * (size_t)b;
    double *D = calloc(n * n + 1, sizeof *D);
    for (int i = 0; i < A->n; i++)
        for (int k = A->row_start[i]; k < A->row_start[i + 1]; k++)
            for (int r = 0; r < b; r++)
                for (int c = 0; c < b; c++) {
                    size_t p = (size_t)(i * b + r), q = (size_t)(A->row_col[k] * b + c);
                    D[p * n + q] = D[q * n + p] = sp__symmetric_block(A, k)[A->stride * (b * r + c)];
                }
    return D;
}

#endif
