// The loops of kernels.h. Included by a file that defines SP_CONE_TABLE, the name of its table.
#include "contact/kernels.h"
#include "math/unroll.h"

typedef double vec __attribute__((vector_size(32)));
typedef double loose __attribute__((vector_size(32), aligned(8), may_alias));

enum { ROWS = 6 };  // of a tile of `update`

SP_INLINE double vec_sum(const vec *a) {
    return ((*a)[0] + (*a)[1]) + ((*a)[2] + (*a)[3]);
}

// Four accumulators per row hide the latency of the additions; three rows share the loads of x.
SP_INLINE void multiply_rows(const int rows, int n, const double *A, ptrdiff_t ld, const double *x, double *sum) {
    vec acc[3][4] = {{{0}}};
    int j = 0;
    for (; j + 16 <= n; j += 16) {
        SP_UNROLL
        for (int v = 0; v < 4; v++) {
            vec xv = *(const loose *)(x + j + 4 * v);
            SP_UNROLL
            for (int r = 0; r < rows; r++) acc[r][v] += *(const loose *)(A + r * ld + j + 4 * v) * xv;
        }
    }
    for (; j + 4 <= n; j += 4) {
        vec xv = *(const loose *)(x + j);
        SP_UNROLL
        for (int r = 0; r < rows; r++) acc[r][0] += *(const loose *)(A + r * ld + j) * xv;
    }
    SP_UNROLL
    for (int r = 0; r < rows; r++) {
        vec all = (acc[r][0] + acc[r][1]) + (acc[r][2] + acc[r][3]);
        double s = vec_sum(&all);
        for (int k = j; k < n; k++) s += A[r * ld + k] * x[k];
        sum[r] += s;
    }
}

static void multiply1(int n, const double *A, const double *x, double *sum) {
    multiply_rows(1, n, A, 0, x, sum);
}

static void multiply3(int n, const double *A, ptrdiff_t ld, const double *x, double *sum) {
    multiply_rows(3, n, A, ld, x, sum);
}

// tile of up to 6 rows and 2 vectors: 12 accumulators, 2 vectors of B and a broadcast of A
SP_INLINE void update_tile(const int rows, int k, const double *A, ptrdiff_t lda, const double *B, ptrdiff_t ldb, double *C,
                           ptrdiff_t ldc) {
    vec acc[ROWS][2];
    SP_UNROLL
    for (int r = 0; r < rows; r++) acc[r][0] = *(loose *)(C + r * ldc), acc[r][1] = *(loose *)(C + r * ldc + 4);
    for (int p = 0; p < k; p++) {
        vec b0 = *(const loose *)(B + p * ldb), b1 = *(const loose *)(B + p * ldb + 4);
        SP_UNROLL
        for (int r = 0; r < rows; r++) acc[r][0] -= A[r * lda + p] * b0, acc[r][1] -= A[r * lda + p] * b1;
    }
    SP_UNROLL
    for (int r = 0; r < rows; r++) *(loose *)(C + r * ldc) = acc[r][0], *(loose *)(C + r * ldc + 4) = acc[r][1];
}

// the last m < ROWS rows
SP_INLINE void update_rest(int m, int k, const double *A, ptrdiff_t lda, const double *B, ptrdiff_t ldb, double *C,
                           ptrdiff_t ldc) {
    switch (m) {
    case 5: update_tile(5, k, A, lda, B, ldb, C, ldc); break;
    case 4: update_tile(4, k, A, lda, B, ldb, C, ldc); break;
    case 3: update_tile(3, k, A, lda, B, ldb, C, ldc); break;
    case 2: update_tile(2, k, A, lda, B, ldb, C, ldc); break;
    case 1: update_tile(1, k, A, lda, B, ldb, C, ldc); break;
    default: break;
    }
}

static void update(int m, int n, int k, const double *A, ptrdiff_t lda, const double *B, ptrdiff_t ldb, double *C,
                   ptrdiff_t ldc) {
    int j = 0;
    for (; j + 8 <= n; j += 8) {
        int i = 0;
        for (; i + ROWS <= m; i += ROWS) update_tile(ROWS, k, A + i * lda, lda, B + j, ldb, C + i * ldc + j, ldc);
        update_rest(m - i, k, A + i * lda, lda, B + j, ldb, C + i * ldc + j, ldc);
    }
    if (j == n) return;
    // the last columns, in tiles that are filled up with zeros
    double last[8 * SP_CONE_DEPTH] = {0}, tile[8 * ROWS] = {0};
    for (int p = 0; p < k; p++)
        for (int c = j; c < n; c++) last[8 * p + c - j] = B[p * ldb + c];
    for (int i = 0; i < m; i += ROWS) {
        int rows = m - i < ROWS ? m - i : ROWS;
        for (int r = 0; r < rows; r++)
            for (int c = j; c < n; c++) tile[8 * r + c - j] = C[(i + r) * ldc + c];
        if (rows == ROWS)
            update_tile(ROWS, k, A + i * lda, lda, last, 8, tile, 8);
        else
            update_rest(rows, k, A + i * lda, lda, last, 8, tile, 8);
        for (int r = 0; r < rows; r++)
            for (int c = j; c < n; c++) C[(i + r) * ldc + c] = tile[8 * r + c - j];
    }
}

static void subtract(int n, double a, const double *x, double *y) {
    int j = 0;
    for (; j + 4 <= n; j += 4) *(loose *)(y + j) -= a * *(const loose *)(x + j);
    for (; j < n; j++) y[j] -= a * x[j];
}

static void eliminate(int rows, int k, double inverse, const double *top, double *A, ptrdiff_t ld) {
    double right[SP_CONE_STRIP] = {0};
    for (int c = k + 1; c < SP_CONE_STRIP; c++) right[c] = top[c];
    vec low = *(const loose *)right, high = *(const loose *)(right + 4);
    for (int r = 0; r < rows; r++) {
        double *row = A + r * ld, l = row[k] * inverse;
        *(loose *)row -= l * low, *(loose *)(row + 4) -= l * high;
        row[k] = l;
    }
}

const sp_cone_kernels SP_CONE_TABLE = {multiply1, multiply3, update, subtract, eliminate};
