// The loops of kernels.h. Included by a file that defines SP_CONE_TABLE, the name of its table.
#include "contact/kernels.h"

#define SP_INLINE static inline __attribute__((always_inline))
#ifdef __clang__
#define SP_UNROLL _Pragma("clang loop unroll(full)")
#else
#define SP_UNROLL _Pragma("GCC unroll 8")
#endif

typedef double vec __attribute__((vector_size(32)));
typedef double loose __attribute__((vector_size(32), aligned(8), may_alias));

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

// tile of 4 rows and 2 vectors: 8 accumulators, 2 vectors of B and a broadcast of A
SP_INLINE void update_tile(const int rows, int k, const double *A, ptrdiff_t lda, const double *B, ptrdiff_t ldb, double *C,
                           ptrdiff_t ldc) {
    vec acc[4][2];
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

static void update(int m, int n, int k, const double *A, ptrdiff_t lda, const double *B, ptrdiff_t ldb, double *C,
                   ptrdiff_t ldc) {
    int j = 0;
    for (; j + 8 <= n; j += 8) {
        int i = 0;
        for (; i + 4 <= m; i += 4) update_tile(4, k, A + i * lda, lda, B + j, ldb, C + i * ldc + j, ldc);
        for (; i < m; i++) update_tile(1, k, A + i * lda, lda, B + j, ldb, C + i * ldc + j, ldc);
    }
    for (; j < n; j++)
        for (int i = 0; i < m; i++) {
            double s = C[i * ldc + j];
            for (int p = 0; p < k; p++) s -= A[i * lda + p] * B[p * ldb + j];
            C[i * ldc + j] = s;
        }
}

const sp_cone_kernels SP_CONE_TABLE = {multiply1, multiply3, update};
