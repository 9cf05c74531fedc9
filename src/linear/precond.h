// A preconditioner: something that stands for the inverse of a matrix, symmetric and positive definite.
//
// create takes all memory; build fills in the numbers and may run on a thread beside the simulation; apply runs on the caller's.
#ifndef SP_PRECOND_H
#define SP_PRECOND_H

#include "linear/blocks.h"
#include "sparse/factor.h"

typedef struct sp_precond sp_precond;

typedef struct sp_precond_kind {
    const char *name;
    bool costly;  // worth a thread of its own: `refresh="auto"` is asynchronous
    // pattern: the matrix, values may be missing. points: n x 3 rest positions, nullable. like: another of the same kind and
    // pattern whose analysis may be shared, nullable.
    sp_status (*create)(sp_context *ctx, const sp_backend *be, const sp_solver_def *def, const sp_symmetric *pattern,
                        const double *points, const sp_precond *like, sp_precond **out);
    void (*destroy)(sp_precond *p);
    // alone: on the calling thread only, no memory from the context, nothing recorded in it, nothing shared written
    sp_status (*build)(sp_precond *p, const sp_symmetric *A, bool alone, sp_factor_info *info);
    void (*apply)(sp_precond *p, const double *r, double *z);  // z = P^-1 r
    size_t (*bytes)(const sp_precond *p);
    bool judges;  // create looks at the numbers of the matrix: another matrix, another analysis
} sp_precond_kind;

// First member of every kind's own struct.
struct sp_precond {
    const sp_precond_kind *kind;
    sp_context *ctx;
    const sp_backend *be;
    sp_solver_def def;
    int n;             // unknowns
    atomic_bool stop;  // asks a build under way to end early: it then returns SP_STOPPED
    // rotations of the nodes from rest in the state of the matrix that build is given (n / 3 x 9, row-major), set before it by
    // who knows them; NULL: not known. Kinds that make something of the rest positions turn them.
    const double *node_rotations;
};

extern const sp_precond_kind sp__precond_jacobi, sp__precond_block_jacobi, sp__precond_ssor, sp__precond_ic, sp__precond_cholesky,
    sp__precond_inverse_factor, sp__precond_multigrid;
const sp_precond_kind *sp__precond_find(sp_preconditioner which);

// What kinds share (precond.c): the first member filled in; SP_UNAVAILABLE where blocks are not 3x3.
sp_status sp__precond_init(sp_precond *p, const sp_precond_kind *kind, sp_context *ctx, const sp_backend *be,
                           const sp_solver_def *def, const sp_symmetric *pattern);
// fn on [0, n) in ranges of `range`: on all workers, or one after the other where alone.
void sp__precond_each(sp_precond *p, int n, int range, bool alone, void (*fn)(void *arg, int begin, int end, int worker),
                      void *arg);
static inline bool sp__precond_single(const sp_precond *p) {  // numbers kept in float
    return p->def.cholesky.precision != SP_FACTOR_DOUBLE;
}
static inline bool sp__precond_stopped(sp_precond *p) {
    return atomic_load_explicit(&p->stop, memory_order_relaxed);
}

#endif
