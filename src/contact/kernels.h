// Dense loops of the contact solvers for one instruction set: products of panels of W, and the update of a front of the LU
// factors. Every sum has an order of its own that depends on the sizes only.
#ifndef SP_CONTACT_KERNELS_H
#define SP_CONTACT_KERNELS_H

#include <stddef.h>

enum { SP_CONE_STRIP = 8, SP_CONE_DEPTH = 32 };  // columns of a strip; largest k of `update`

typedef struct sp_cone_kernels {
    // sum[r] += A(r, .) x over n columns; rows of A are ld numbers apart
    void (*multiply1)(int n, const double *A, const double *x, double *sum);
    void (*multiply3)(int n, const double *A, ptrdiff_t ld, const double *x, double *sum);
    // C (m x n) -= A (m x k) B (k x n), all row-major; k is at most SP_CONE_DEPTH
    void (*update)(int m, int n, int k, const double *A, ptrdiff_t lda, const double *B, ptrdiff_t ldb, double *C, ptrdiff_t ldc);
    // y -= a x over n numbers
    void (*subtract)(int n, double a, const double *x, double *y);
    // Eliminates column k of rows of SP_CONE_STRIP numbers, ld apart: row[k] *= inverse, then row[c] -= row[k] top[c] for c > k
    void (*eliminate)(int rows, int k, double inverse, const double *top, double *A, ptrdiff_t ld);
} sp_cone_kernels;

extern const sp_cone_kernels sp__cone_kernels_avx2, sp__cone_kernels_generic;
const sp_cone_kernels *sp__cone_kernels(void);  // the fastest for this machine

#endif
