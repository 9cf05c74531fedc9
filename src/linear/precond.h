// Preconditioner: a symmetric positive definite approximation of the inverse of a matrix.
//
// create allocates all memory. build computes the values and may run on the background thread. apply runs on the caller's thread.
#ifndef SP_PRECOND_H
#define SP_PRECOND_H

#include "linear/blocks.h"
#include "sparse/factor.h"

typedef struct sp_precond sp_precond;

typedef struct sp_precond_kind {
    const char *name;
    bool costly;  // worth the background thread: `refresh="auto"` is asynchronous
    // pattern: the matrix, possibly without values. points: n x 3 rest positions, may be NULL. like: another preconditioner of
    // the same kind and pattern whose analysis can be shared, may be NULL.
    sp_status (*create)(sp_context *ctx, const sp_backend *be, const sp_solver_def *def, const sp_symmetric *pattern,
                        const double *points, const sp_precond *like, sp_precond **out);
    void (*destroy)(sp_precond *p);
    // alone: runs on the calling thread only, allocates nothing, records no error in the context and writes no shared data
    sp_status (*build)(sp_precond *p, const sp_symmetric *A, bool alone, sp_factor_info *info);
    void (*apply)(sp_precond *p, const double *r, double *z);  // z = P^-1 r
    sp_factor *(*factor)(const sp_precond *p);                 // NULL: the kind has none, or (result) the build failed
    sp_factor *(*factor_memory)(const sp_precond *p);          // with `factor`: the same, built or not
    size_t (*bytes)(const sp_precond *p);
    bool analysis_uses_values;  // create uses the values of the matrix: a new matrix may need a new analysis
} sp_precond_kind;

// First member of the struct of every kind.
struct sp_precond {
    const sp_precond_kind *kind;
    sp_context *ctx;
    const sp_backend *be;
    sp_solver_def def;
    int n;             // unknowns
    atomic_bool stop;  // asks a running build to end early; it then returns SP_STOPPED
    // rotations of the nodes from rest for the matrix that build gets (n / 3 x 9, row-major), set before build; NULL: unknown.
    // Kinds that use rest positions rotate them.
    const double *node_rotations;
};

extern const sp_precond_kind sp__precond_jacobi, sp__precond_block_jacobi, sp__precond_ssor, sp__precond_ic, sp__precond_cholesky,
    sp__precond_inverse_factor, sp__precond_multigrid;
const sp_precond_kind *sp__precond_find(sp_preconditioner which);

// Initialises the first member (precond.c); SP_UNAVAILABLE if blocks are not 3x3.
sp_status sp__precond_init(sp_precond *p, const sp_precond_kind *kind, sp_context *ctx, const sp_backend *be,
                           const sp_solver_def *def, const sp_symmetric *pattern);
// Calls fn on [0, n) in ranges of `range`: on all workers, or sequentially if alone.
void sp__precond_each(sp_precond *p, int n, int range, bool alone, void (*fn)(void *arg, int begin, int end, int worker),
                      void *arg);
static inline bool sp__precond_single(const sp_precond *p) {  // values are stored in float
    return p->def.cholesky.precision != SP_FACTOR_DOUBLE;
}
static inline bool sp__precond_stopped(sp_precond *p) {
    return atomic_load_explicit(&p->stop, memory_order_relaxed);
}

#endif
