// What is added to a diagonal when a factor fails: little at first, ten times more each time, relative to the mean diagonal.
#ifndef SP_SHIFT_H
#define SP_SHIFT_H

#include "sparse/symmetric.h"

enum { SP_SHIFTS = 14 };  // the last is 1e7 times the mean: any finite symmetric matrix is positive definite by then

static inline double sp__shift_next(double shift, double mean) {
    return shift > 0 ? 10 * shift : 1e-6 * mean;
}

static inline double sp__mean_diagonal(const sp_symmetric *A) {
    double sum = 0;
    for (int i = 0; i < A->n; i++) {
        const double *v = sp__symmetric_block(A, A->row_start[i]);
        for (int r = 0; r < A->block; r++) sum += fabs(v[(size_t)A->stride * (size_t)(A->block * r + r)]);
    }
    return A->n ? sum / ((double)A->n * A->block) : 0;
}

#endif
