// Symmetric matrices whose unknowns meet only within a band, as those of a chain: L D L^T in place, O(n band^2), without pivots.
//
// Stored by rows of the lower band: entry (i, j), i - band <= j <= i, at (band + 1) i + j - i + band. Entries before column 0 are
// never looked at.
#ifndef SP_BANDED_H
#define SP_BANDED_H

#include <stdbool.h>
#include <stddef.h>

static inline double *sp__banded_at(double *A, int band, int i, int j) {
    return A + (size_t)(band + 1) * (size_t)i + (size_t)(j - i + band);
}

// A becomes its factor; the diagonal holds D. Returns -1, or the first row whose pivot is not above `least` (0: not positive) or
// not finite; the rows before it are factored then.
int sp__banded_factor(double *A, int n, int band, double least);
// x = A^-1 b with the factor; x may be b.
void sp__banded_solve(const double *A, int n, int band, const double *b, double *x);
// y = A x with the matrix as it was before.
void sp__banded_mul(const double *A, int n, int band, const double *x, double *y);

#endif
