// 3x3 blocks in row-major order: operations that the preconditioners share.
#ifndef SP_BLOCK3_H
#define SP_BLOCK3_H

#include <math.h>
#include <stdbool.h>

#include "sparse/symmetric.h"

// Block number k of A; turned: its transpose.
static inline void sp__block3_get(const sp_symmetric *A, int k, bool turned, double B[9]) {
    const double *v = sp__symmetric_block(A, k);
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++) B[3 * r + c] = v[A->stride * (turned ? 3 * c + r : 3 * r + c)];
}

static inline void sp__block3_mul(const double A[9], const double B[9], double C[9]) {
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++) C[3 * r + c] = A[3 * r] * B[c] + A[3 * r + 1] * B[3 + c] + A[3 * r + 2] * B[6 + c];
}

// Inverse of a symmetric A by its Cholesky factor; reads the lower triangle. Returns false, and leaves X undefined, if a pivot is
// not above `least` times the largest diagonal entry.
static inline bool sp__block3_inverse(const double A[9], double least, double X[9]) {
    double low = least * fmax(fabs(A[0]), fmax(fabs(A[4]), fabs(A[8])));
    if (!(A[0] > low)) return false;
    double a = 1 / sqrt(A[0]), d = A[3] * a, e = A[6] * a, p = A[4] - d * d;
    if (!(p > low)) return false;
    double b = 1 / sqrt(p), f = (A[7] - e * d) * b, q = A[8] - e * e - f * f;
    if (!(q > low)) return false;
    // rows of L^-1: (a), (-d a b, b), (t, -f b c, c)
    double c = 1 / sqrt(q), g = -d * a * b, h = -f * b * c, t = -(e * a + f * g) * c;
    X[0] = a * a + g * g + t * t, X[4] = b * b + h * h, X[8] = c * c;
    X[1] = X[3] = g * b + t * h, X[2] = X[6] = t * c, X[5] = X[7] = h * c;
    return true;
}

// Inverse of a diagonal block that may be indefinite: a shift of its diagonal makes it positive definite with some margin.
// Returns the shift; NaN: the block is not finite, and X is the identity.
static inline double sp__block3_inverse_shifted(const double A[9], double X[9]) {
    const double least = 1e-14, margin = 1e-2;
    if (sp__block3_inverse(A, least, X)) return 0;
    double size = 0;
    for (int i = 0; i < 9; i++) size += fabs(A[i]);
    if (size == 0) size = 1;
    for (double shift = margin * size; isfinite(size) && shift < 10 * size; shift *= 2) {
        double B[9];
        for (int i = 0; i < 9; i++) B[i] = A[i] + (i % 4 == 0 ? shift : 0);
        if (sp__block3_inverse(B, margin, X)) return shift;
    }
    for (int i = 0; i < 9; i++) X[i] = i % 4 == 0;
    return NAN;
}

#endif
