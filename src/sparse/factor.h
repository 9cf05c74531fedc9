// The numbers of a Cholesky factor, P A P^T = L L^T or L D L^T: multifrontal over the supernodes of an sp_symbolic.
//
// A factor that keeps its contribution blocks can be made anew in part: where block columns of A changed, only the supernodes on
// their paths to the root are eliminated again, and untouched children give what they gave before (notes in factor.c). The
// result is the factor of the new matrix, to rounding, and bit for bit that of a fresh one.
//
// All memory is taken by create (room for many right-hand sides: by the first solve of as many). Everything after it may run on
// any one thread; `alone` keeps it from the workers of the context.
// Failure (not positive definite, not finite) is told in the info and leaves a good factor as it was where `spare` was asked for.
// Same bits for any number of workers.
#ifndef SP_FACTOR_H
#define SP_FACTOR_H

#include "sparse/symbolic.h"

typedef struct sp_factor sp_factor;

typedef struct sp_factor_def {
    sp_factor_kind kind;  // SP_LLT, SP_LDLT
    bool single;          // factor and solves in float
    bool keep;            // contribution blocks: partial refactorisation
    bool spare;           // room for a second copy: a failure leaves the old factor in force
    bool plain;           // without vector kernels
} sp_factor_def;

typedef struct sp_factor_info {
    sp_status status;  // SP_OK, SP_NOT_SPD, SP_NOT_FINITE
    int unknown;       // old number of the unknown whose pivot failed; -1
    double pivot;      // what that pivot was
    int columns;       // block columns made anew
    int supernodes;
    double flops;
    double shift;  // that was added to the diagonal
} sp_factor_info;

// S is shared (sp__symbolic_share), not copied.
sp_status sp__factor_create(sp_context *ctx, const sp_factor_def *def, sp_symbolic *S, sp_factor **out);
void sp__factor_destroy(sp_factor **F);
size_t sp__factor_bytes(const sp_factor *F);
const sp_symbolic *sp__factor_symbolic(const sp_factor *F);
bool sp__factor_good(const sp_factor *F);      // holds a factor that solves may use
bool sp__factor_definite(const sp_factor *F);  // a good one of a positive definite matrix; L D L^T may stand for others

// A flag that sp__factor_make and sp__factor_partial look at between supernodes: where it is set they end with SP_STOPPED, as
// after a failure. NULL: none.
void sp__factor_stop_flag(sp_factor *F, atomic_bool *stop);

// The factor of A + shift I. A must have the pattern that was analysed. Returns info->status.
sp_status sp__factor_make(sp_factor *F, const sp_symmetric *A, double shift, bool alone, sp_factor_info *info);
// The same where A differs from what was factored last in the block columns `changed` only (old numbers; a changed block (i, j)
// counts for i and for j; repeats are allowed). Needs def.keep and a good factor; falls back to the whole where there is none.
sp_status sp__factor_partial(sp_factor *F, const sp_symmetric *A, int count, const int *changed, bool alone,
                             sp_factor_info *info);
// Block columns and flops that sp__factor_partial would take; nothing is computed. Marks of earlier calls are not kept.
void sp__factor_price(sp_factor *F, int count, const int *changed, int *columns, double *flops);
// A + sign W W^T in place, sign +1 or -1: W is given by its nonzero block rows `rows` (old numbers) as W[(i block + r) rank + c],
// rank columns. Contribution blocks on the way go stale and are made anew by the next partial or whole factorisation.
// SP_NOT_SPD: the downdate would leave a matrix that is not positive definite (spare: the old factor is in force).
sp_status sp__factor_update(sp_factor *F, double sign, int row_count, const int *rows, int rank, const double *W,
                            sp_factor_info *info);

// x = A^-1 b; x may be b.
void sp__factor_solve(sp_factor *F, const double *b, double *x, bool alone);
// count right-hand sides, one after the other with n unknowns each; X may be B.
sp_status sp__factor_solve_many(sp_factor *F, int count, const double *B, double *X);
// A right-hand side with few nonzeros, and of the solution only the block rows `want` (NULL: all). Only the tree above the
// nonzeros and above what is wanted is visited; x (n unknowns) is written at the wanted rows alone. Returns block columns
// visited.
int sp__factor_solve_sparse(sp_factor *F, int row_count, const int *rows, const double *values, int want_count, const int *want,
                            double *x);

// ---- shifts
//
// What is added to a diagonal when a factor fails: little at first, ten times more each time, relative to the mean diagonal.
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
