// Numeric Cholesky factorisation, P A P^T = L L^T or L D L^T: multifrontal over the supernodes of an sp_symbolic.
//
// A factor that keeps its contribution blocks supports partial refactorisation: if block columns of A changed, only the
// supernodes on their paths to the root are eliminated again, and untouched children supply their kept blocks (notes in
// factor.c). The result is bit for bit that of a complete factorisation of the new matrix.
//
// All memory is allocated by create (for many right-hand sides: by the first such solve). Every later function may run on any
// single thread; `alone` prevents the use of the context's workers.
// A failure (not positive definite, not finite) is reported in the info. With `spare` the previous factor then stays valid.
// The result has the same bits for any number of workers.
#ifndef SP_FACTOR_H
#define SP_FACTOR_H

#include "sparse/symbolic.h"

typedef struct sp_factor sp_factor;

typedef struct sp_factor_def {
    sp_factor_kind kind;  // SP_LLT, SP_LDLT
    bool single;          // factor and solves in float
    bool keep;            // keeps contribution blocks, for partial refactorisation
    bool spare;           // allocates a second copy: after a failure the previous factor stays valid
    bool plain;           // without vector kernels
} sp_factor_def;

typedef struct sp_factor_info {
    sp_status status;  // SP_OK, SP_NOT_SPD, SP_NOT_FINITE
    int unknown;       // old number of the unknown whose pivot failed; -1: none
    double pivot;      // value of that pivot
    int columns;       // block columns refactored
    int supernodes;
    double flops;
    double shift;  // added to the diagonal
} sp_factor_info;

// S is shared (sp__symbolic_share), not copied.
sp_status sp__factor_create(sp_context *ctx, const sp_factor_def *def, sp_symbolic *S, sp_factor **out);
void sp__factor_destroy(sp_factor **F);
size_t sp__factor_bytes(const sp_factor *F);
const sp_symbolic *sp__factor_symbolic(const sp_factor *F);
bool sp__factor_good(const sp_factor *F);      // holds a factor for solves
bool sp__factor_single(const sp_factor *F);    // in float
bool sp__factor_definite(const sp_factor *F);  // good, and A is positive definite; L D L^T also exists for indefinite A

// A flag that sp__factor_make and sp__factor_partial poll between supernodes: if it is set, they end with SP_STOPPED, as after a
// failure. NULL: none.
void sp__factor_stop_flag(sp_factor *F, atomic_bool *stop);

// Factors A + shift I. A must have the pattern that was analysed. Returns info->status.
sp_status sp__factor_make(sp_factor *F, const sp_symmetric *A, double shift, bool alone, sp_factor_info *info);
// The same if A differs from the last factored matrix only in the block columns `changed` (old numbers; a changed block (i, j)
// counts for i and for j; repeats are allowed). Needs def.keep and a good factor; without a good factor it factors the whole
// matrix.
sp_status sp__factor_partial(sp_factor *F, const sp_symmetric *A, int count, const int *changed, bool alone,
                             sp_factor_info *info);
// Block columns and flops that sp__factor_partial would need; nothing is computed. Overwrites the marks of earlier calls.
void sp__factor_price(sp_factor *F, int count, const int *changed, int *columns, double *flops);
// Low-rank update or downdate A + sign W W^T in place, sign +1 or -1: W is given by its nonzero block rows `rows` (old numbers)
// as W[(i block + r) rank + c], rank columns. Contribution blocks on the path become stale; the next partial or whole
// factorisation recomputes them. SP_NOT_SPD: the downdated matrix would not be positive definite (spare: the previous factor
// stays valid).
sp_status sp__factor_update(sp_factor *F, double sign, int row_count, const int *rows, int rank, const double *W,
                            sp_factor_info *info);

// x = A^-1 b; x may be b.
void sp__factor_solve(sp_factor *F, const double *b, double *x, bool alone);
// count right-hand sides, stored one after another with n unknowns each; X may be B.
sp_status sp__factor_solve_many(sp_factor *F, int count, const double *B, double *X);

// ---- shifts
//
// Diagonal shifts to try after a failed factorisation: small at first, ten times more each time, relative to the mean diagonal.
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
