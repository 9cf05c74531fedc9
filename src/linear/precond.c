// The table of preconditioners, and what they share.
#include "linear/precond.h"

const sp_precond_kind *sp__precond_find(sp_preconditioner which) {
    switch (which) {
    case SP_BLOCK_JACOBI: return &sp__precond_block_jacobi;
    case SP_JACOBI: return &sp__precond_jacobi;
    case SP_SSOR: return &sp__precond_ssor;
    case SP_IC: return &sp__precond_ic;
    case SP_COMPLETE_CHOLESKY: return &sp__precond_cholesky;
    case SP_INVERSE_FACTOR: return &sp__precond_inverse_factor;
    case SP_MULTIGRID: return &sp__precond_multigrid;
    }
    return NULL;
}

sp_status sp__precond_init(sp_precond *p, const sp_precond_kind *kind, sp_context *ctx, const sp_backend *be,
                           const sp_solver_def *def, const sp_symmetric *pattern) {
    p->kind = kind, p->ctx = ctx, p->be = be, p->def = *def;
    p->n = pattern->n * pattern->block;
    atomic_init(&p->stop, false);
    if (pattern->block != 3)
        return SP_FAIL(ctx, SP_UNAVAILABLE, "preconditioner %s: blocks of %d unknowns, must be 3", kind->name, pattern->block);
    return SP_OK;
}

typedef struct each {
    int n, range;
    void (*fn)(void *arg, int begin, int end, int worker);
    void *arg;
} each;

static void run_range(void *arg, int task, int worker) {
    const each *e = arg;
    int begin = task * e->range, end = begin + e->range < e->n ? begin + e->range : e->n;
    e->fn(e->arg, begin, end, worker);
}

void sp__precond_each(sp_precond *p, int n, int range, bool alone, void (*fn)(void *arg, int begin, int end, int worker),
                      void *arg) {
    each e = {n, range, fn, arg};
    int count = (n + range - 1) / range;
    if (!alone) {
        sp__parallel(p->ctx, count, run_range, &e);
        return;
    }
    for (int task = 0; task < count; task++) run_range(&e, task, 0);
}
