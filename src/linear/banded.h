// Symmetric banded matrices, such as those of chains: L D L^T factorisation in place, O(n band^2), without pivoting.
//
// Stored by rows of the lower band: entry (i, j), i - band <= j <= i, at (band + 1) i + j - i + band. Entries before column 0 are
// never read.
#ifndef SP_BANDED_H
#define SP_BANDED_H

#include <stdbool.h>
#include <stddef.h>

static inline double *sp__banded_at(double *A, int band, int i, int j) {
    return A + (size_t)(band + 1) * (size_t)i + (size_t)(j - i + band);
}

// Replaces A by its factor; the diagonal holds D. Returns -1, or the first row whose pivot is not finite or not above `least` (0:
// not positive). The rows before that row are factored.
int sp__banded_factor(double *A, int n, int band, double least);
// x = A^-1 b with the factor; x and b may be the same array.
void sp__banded_solve(const double *A, int n, int band, const double *b, double *x);
// x = A^-1 x for four right-hand sides side by side, which are zero before the unknown `first`: only the unknowns from there on
// are computed. Several sums at a time do not wait for each other.
enum { SP_BANDED_LANES = 4 };
void sp__banded_solve_four(const double *A, int n, int band, int first, double (*x)[SP_BANDED_LANES]);
// y = A x with the matrix before factorisation.
void sp__banded_mul(const double *A, int n, int band, const double *x, double *y);

#endif
