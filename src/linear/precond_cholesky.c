// A factor of the whole matrix: exact on the day it was made, and then as old as its owner lets it become (Courtecuisse 2011,
// section 3.4). Float unless double is asked for. It must stand for a positive definite matrix, which the pivots prove; where
// float or the matrix itself denies that, a little is added to the diagonal, and told.
#include "linear/matrix.h"
#include "linear/precond.h"
#include "linear/shift.h"

typedef struct cholesky {
    sp_precond base;
    sp_symbolic *S;
    sp_factor *F;
    bool usable;
} cholesky;

static void destroy(sp_precond *p) {
    cholesky *c = (cholesky *)p;
    sp_context *ctx = p->ctx;
    if (c->F) sp__factor_destroy(&c->F);
    if (c->S) sp__symbolic_release(&c->S);
    sp__free(ctx, c);
}

static sp_status create(sp_context *ctx, const sp_backend *be, const sp_solver_def *def, const sp_symmetric *pattern,
                        const double *points, const sp_precond *like, sp_precond **out) {
    cholesky *c;
    *out = NULL;
    if (!SP_NEW(ctx, c, 1)) return SP_FAIL(ctx, SP_NO_MEMORY, "no memory for a preconditioner");
    sp_status status = sp__precond_init(&c->base, &sp__precond_cholesky, ctx, be, def, pattern);
    sp_factor_def factor = {.kind = def->factor, .single = sp__precond_single(&c->base), .plain = sp__backend_plain(be)};
    if (status >= 0 && like)
        c->S = sp__symbolic_share(((const cholesky *)like)->S);
    else if (status >= 0)
        status = sp__symbolic_create(ctx, def->ordering, pattern, points, &c->S);
    if (status >= 0) status = sp__factor_create(ctx, &factor, c->S, &c->F);
    if (status >= 0) sp__factor_stop_flag(c->F, &c->base.stop);
    if (status < 0)
        destroy(&c->base);
    else
        *out = &c->base;
    return status;
}

static sp_status build(sp_precond *p, const sp_symmetric *A, bool alone, sp_factor_info *info) {
    cholesky *c = (cholesky *)p;
    double mean = 0, shift = 0, flops = 0;
    int columns = 0;
    for (int k = 0; k < SP_SHIFTS; k++) {
        if (sp__precond_stopped(p)) return info->status = SP_STOPPED;
        sp__factor_make(c->F, A, shift, alone, info);
        if (info->status == SP_OK && !sp__factor_definite(c->F)) info->status = SP_NOT_SPD;
        flops += info->flops, columns += info->columns;
        if (info->status != SP_NOT_SPD) break;
        if (k == 0) mean = sp__mean_diagonal(A);
        if (!(mean > 0)) break;
        shift = sp__shift_next(shift, mean);
    }
    info->flops = flops, info->columns = columns;
    c->usable = info->status == SP_OK;
    return info->status;
}

// without a factor: nothing in front
static void apply(sp_precond *p, const double *r, double *z) {
    cholesky *c = (cholesky *)p;
    if (c->usable)
        sp__factor_solve(c->F, r, z, false);
    else if (z != r)
        memcpy(z, r, sizeof *z * (size_t)p->n);
}

static size_t bytes(const sp_precond *p) {
    const cholesky *c = (const cholesky *)p;
    return sp__factor_bytes(c->F) + sp__symbolic_bytes(c->S);
}

const sp_precond_kind sp__precond_cholesky = {
    .name = "cholesky", .costly = true, .create = create, .destroy = destroy, .build = build, .apply = apply, .bytes = bytes};
