// The front of the linear solvers: makes the kind that the definition asks for and passes calls on.
#include "linear/solver.h"

// `auto` is settled where a body is made (choose.c); what is left of it here means the solver that works for any system
static const sp_solver_kind *kind_of(sp_solver_type type) {
    switch (type) {
    case SP_SOLVER_AUTO:
    case SP_SOLVER_CG: return &sp__solver_cg;
    case SP_SOLVER_PCG: return &sp__solver_pcg;
    case SP_SOLVER_CHOLESKY: return &sp__solver_cholesky;
    case SP_SOLVER_UPDATED_CHOLESKY: return &sp__solver_updated;
    case SP_SOLVER_DENSE: return &sp__solver_dense;
    case SP_SOLVER_BLOCK_TRIDIAGONAL: return &sp__solver_banded;
    }
    return NULL;
}

sp_status sp__solver_create(sp_context *ctx, const sp_solver_def *def, const struct sp_backend *be, sp_solver **out) {
    *out = NULL;
    const sp_solver_kind *kind = kind_of(def->type);
    if (!kind)
        return SP_FAIL(ctx, SP_BAD_INPUT, "solver type %d is unknown, must be in [0, %d]", (int)def->type,
                       SP_SOLVER_BLOCK_TRIDIAGONAL);
    sp_solver *s;
    if (!SP_NEW(ctx, s, 1)) return SP_FAIL(ctx, SP_NO_MEMORY, "no memory for a solver");
    *s = (sp_solver){.kind = kind, .ctx = ctx, .be = be, .def = *def};
    sp_status status = kind->create ? kind->create(s) : SP_OK;
    if (status < 0)
        sp__solver_destroy(&s);
    else
        *out = s;
    return status;
}

void sp__solver_destroy(sp_solver **ps) {
    sp_solver *s = *ps;
    if (!s) return;
    s->kind->destroy(s);
    sp__free(s->ctx, s);
    *ps = NULL;
}

void sp__solver_set(sp_solver *s, double tolerance, int iterations) {
    s->def.tolerance = tolerance;
    s->def.iterations = iterations;
}

void sp__solver_step(sp_solver *s, uint64_t number, bool deterministic) {
    s->step = number;
    s->deterministic = deterministic;
    if (s->kind->step) s->kind->step(s);
}

sp_status sp__solver_solve(sp_solver *s, const sp_system *A, sp_coef c, const double *b, double *x, sp_linear_info *info) {
    *info = (sp_linear_info){.solver = s->kind->name, .factor_age = -1};
    return s->kind->solve(s, A, c, b, x, info);
}

size_t sp__solver_bytes(const sp_solver *s) {
    return s->kind->bytes(s);
}

bool sp__solver_refresh_ages(const sp_solver *s, int count, double *age) {
    return s->kind->refresh_ages && s->kind->refresh_ages(s, count, age);
}

void sp__solver_visit(sp_solver *s, struct sp_visitor *v) {
    if (s->kind->visit) s->kind->visit(s, v);
}

sp_status sp__solver_restored(sp_solver *s) {
    return s->kind->restored ? s->kind->restored(s) : SP_OK;
}
