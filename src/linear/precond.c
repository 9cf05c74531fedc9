// Code that the preconditioners share, and the simple ones: Jacobi, block-Jacobi, SSOR, complete Cholesky.
#include "linear/precond.h"

#include "linear/block3.h"
#include "linear/lower.h"

// =================================================================================================== shared code

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

typedef struct each_range {
    int n, range;
    void (*fn)(void *arg, int begin, int end, int worker);
    void *arg;
} each_range;

static void run_range(void *arg, int task, int worker) {
    const each_range *e = arg;
    int begin = task * e->range, end = begin + e->range < e->n ? begin + e->range : e->n;
    e->fn(e->arg, begin, end, worker);
}

void sp__precond_each(sp_precond *p, int n, int range, bool alone, void (*fn)(void *arg, int begin, int end, int worker),
                      void *arg) {
    each_range e = {n, range, fn, arg};
    int count = (n + range - 1) / range;
    if (!alone) {
        sp__parallel(p->ctx, count, run_range, &e);
        return;
    }
    for (int task = 0; task < count; task++) run_range(&e, task, 0);
}

// ========================================================================================== jacobi, block-jacobi

// The inverse of the diagonal or of the diagonal blocks (Choi and Ko 2002). Both are very cheap; blocks also contain the coupling
// of the unknowns of a node. An indefinite diagonal is shifted, and the shift is reported.

typedef struct jacobi {
    sp_precond base;
    bool blocks;
    double *inverse;  // one number per unknown, or six per node: xx yy zz xy yz zx
    double *shift;    // per range
    const sp_symmetric *A;
} jacobi;

static sp_status jacobi_create(sp_context *ctx, const sp_backend *be, const sp_solver_def *def, const sp_symmetric *pattern,
                               const sp_precond_kind *kind, sp_precond **out) {
    jacobi *j;
    *out = NULL;
    if (!SP_NEW(ctx, j, 1)) return SP_FAIL(ctx, SP_NO_MEMORY, "no memory for a preconditioner");
    sp_status status = sp__precond_init(&j->base, kind, ctx, be, def, pattern);
    j->blocks = kind == &sp__precond_block_jacobi;
    if (status >= 0 && (!SP_NEW(ctx, j->inverse, (j->blocks ? 6 : 3) * (size_t)pattern->n + 1) ||
                        !SP_NEW(ctx, j->shift, pattern->n / SP_RANGE + 1)))
        status = SP_FAIL(ctx, SP_NO_MEMORY, "no memory for a diagonal of %d unknowns", j->base.n);
    if (status < 0)
        kind->destroy(&j->base);
    else
        *out = &j->base;
    return status;
}

static sp_status create_jacobi(sp_context *ctx, const sp_backend *be, const sp_solver_def *def, const sp_symmetric *pattern,
                               const double *points, const sp_precond *like, sp_precond **out) {
    (void)points, (void)like;
    return jacobi_create(ctx, be, def, pattern, &sp__precond_jacobi, out);
}

static sp_status create_blocks(sp_context *ctx, const sp_backend *be, const sp_solver_def *def, const sp_symmetric *pattern,
                               const double *points, const sp_precond *like, sp_precond **out) {
    (void)points, (void)like;
    return jacobi_create(ctx, be, def, pattern, &sp__precond_block_jacobi, out);
}

static void jacobi_destroy(sp_precond *p) {
    jacobi *j = (jacobi *)p;
    sp__free(p->ctx, j->inverse), sp__free(p->ctx, j->shift), sp__free(p->ctx, j);
}

// ------------------------------------------------------------------------------------------------ build

// 1 / d, with a shift if d is not positive. Returns the shift; NaN: d is not finite.
static double jacobi_invert(double d, double *inverse) {
    bool good = isfinite(d) && d > 0;
    *inverse = good ? 1 / d : isfinite(d) && d < 0 ? -1 / d : 1;
    return good ? 0 : d < 0 ? -2 * d : d == 0 ? 1 : NAN;
}

static void jacobi_build_range(void *arg, int begin, int end, int worker) {
    (void)worker;
    jacobi *j = arg;
    double most = 0;
    for (int i = begin; i < end; i++) {
        double B[9], X[9], added;
        sp__block3_get(j->A, j->A->row_start[i], false, B);
        if (j->blocks) {
            double *to = j->inverse + 6 * (size_t)i;
            added = sp__block3_inverse_shifted(B, X);
            to[0] = X[0], to[1] = X[4], to[2] = X[8], to[3] = X[1], to[4] = X[5], to[5] = X[2];
            if (added > most || isnan(added)) most = added;
            continue;
        }
        for (int a = 0; a < 3; a++) {
            added = jacobi_invert(B[4 * a], j->inverse + 3 * (size_t)i + a);
            if (added > most || isnan(added)) most = added;
        }
    }
    j->shift[begin / SP_RANGE] = most;
}

static sp_status jacobi_build(sp_precond *p, const sp_symmetric *A, bool alone, sp_factor_info *info) {
    jacobi *j = (jacobi *)p;
    *info = (sp_factor_info){.unknown = -1};
    j->A = A;
    sp__precond_each(p, A->n, SP_RANGE, alone, jacobi_build_range, j);
    for (int t = 0; t * SP_RANGE < A->n; t++)
        if (j->shift[t] > info->shift || isnan(j->shift[t])) info->shift = j->shift[t];
    if (isnan(info->shift)) info->status = SP_NOT_FINITE, info->shift = 0;
    return info->status;
}

// ------------------------------------------------------------------------------------------------ application

typedef struct jacobi_product {
    const jacobi *j;
    const double *r;
    double *z;
} jacobi_product;

static void jacobi_multiply(void *arg, int begin, int end, int worker) {
    (void)worker;
    const jacobi_product *m = arg;
    for (int i = begin; i < end; i++) m->z[i] = m->j->inverse[i] * m->r[i];
}

static void multiply_blocks(void *arg, int begin, int end, int worker) {
    (void)worker;
    const jacobi_product *m = arg;
    for (int i = begin; i < end; i++) {
        const double *d = m->j->inverse + 6 * (size_t)i, *r = m->r + 3 * (size_t)i;
        double *z = m->z + 3 * (size_t)i, x = r[0], y = r[1], w = r[2];
        z[0] = d[0] * x + d[3] * y + d[5] * w;
        z[1] = d[3] * x + d[1] * y + d[4] * w;
        z[2] = d[5] * x + d[4] * y + d[2] * w;
    }
}

static void jacobi_apply(sp_precond *p, const double *r, double *z) {
    jacobi_product m = {(jacobi *)p, r, z};
    if (m.j->blocks)
        sp__precond_each(p, p->n / 3, SP_RANGE, false, multiply_blocks, &m);
    else
        sp__precond_each(p, p->n, SP_RANGE, false, jacobi_multiply, &m);
}

static size_t jacobi_bytes(const sp_precond *p) {
    return sizeof(double) * (size_t)p->n * (((const jacobi *)p)->blocks ? 2 : 1);
}

const sp_precond_kind sp__precond_jacobi = {.name = "jacobi",
                                            .create = create_jacobi,
                                            .destroy = jacobi_destroy,
                                            .build = jacobi_build,
                                            .apply = jacobi_apply,
                                            .bytes = jacobi_bytes};
const sp_precond_kind sp__precond_block_jacobi = {.name = "block-jacobi",
                                                  .create = create_blocks,
                                                  .destroy = jacobi_destroy,
                                                  .build = jacobi_build,
                                                  .apply = jacobi_apply,
                                                  .bytes = jacobi_bytes};

// ========================================================================================================== ssor

// Symmetric successive over-relaxation by blocks: with A = D + L + L^T, D the 3x3 diagonal blocks,
//   P = w / (2 - w) (D / w + L) D^-1 (D / w + L)^T = (I + w L D^-1) D / (w (2 - w)) (I + w L D^-1)^T
// (Axelsson 1972), so that two solves with unit triangles apply it (lower.h). Values are copied, because a preconditioner may
// outlive its matrix.

enum { RANGE = 128 };  // columns per build task

typedef struct ssor {
    sp_precond base;
    sp_columns columns;
    sp_lower L;
    double *shift;  // per range
    const sp_symmetric *A;
} ssor;

static void ssor_destroy(sp_precond *p) {
    ssor *s = (ssor *)p;
    sp_context *ctx = p->ctx;
    sp__lower_free(&s->L);
    sp__columns_free(ctx, &s->columns);
    sp__free(ctx, s->shift), sp__free(ctx, s);
}

static sp_status ssor_create(sp_context *ctx, const sp_backend *be, const sp_solver_def *def, const sp_symmetric *pattern,
                             const double *points, const sp_precond *like, sp_precond **out) {
    (void)points, (void)like;
    ssor *s;
    *out = NULL;
    if (!SP_NEW(ctx, s, 1)) return SP_FAIL(ctx, SP_NO_MEMORY, "no memory for a preconditioner");
    sp_status status = sp__precond_init(&s->base, &sp__precond_ssor, ctx, be, def, pattern);
    if (status < 0) goto fail;
    status = SP_NO_MEMORY;
    if (!SP_NEW(ctx, s->shift, pattern->n / RANGE + 1) || sp__columns_create(ctx, pattern, &s->columns) < 0 ||
        sp__lower_create(ctx, &s->columns, (size_t)s->columns.start[pattern->n], sp__precond_single(&s->base), &s->L) < 0) {
        SP_FAIL(ctx, status, "no memory for a triangle of %d unknowns", s->base.n);
        goto fail;
    }
    for (int k = 0; k < pattern->n; k++)
        s->L.start[k] = (size_t)s->columns.start[k], s->L.end[k] = (size_t)s->columns.start[k + 1];
    memcpy(s->L.row, s->columns.row, sizeof *s->L.row * (size_t)s->columns.start[pattern->n]);
    *out = &s->base;
    return SP_OK;
fail:
    ssor_destroy(&s->base);
    return status;
}

static void ssor_build_range(void *arg, int begin, int end, int worker) {
    (void)worker;
    ssor *s = arg;
    const sp_columns *c = &s->columns;
    double most = 0, w = s->base.def.pcg.omega;
    for (int k = begin; k < end; k++) {
        double B[9], X[9], Y[9];
        sp__block3_get(s->A, s->A->row_start[c->perm[k]], false, B);
        double added = sp__block3_inverse_shifted(B, X);
        if (added > most || isnan(added)) most = added;
        for (int e = 0; e < 9; e++) Y[e] = w * (2 - w) * X[e], X[e] *= w;
        sp__lower_set_inverse(&s->L, k, Y);
        for (int at = c->start[k]; at < c->start[k + 1]; at++) {
            sp__block3_get(s->A, c->block[at] / 2, c->block[at] % 2, B);
            sp__block3_mul(B, X, Y);
            sp__lower_set(&s->L, (size_t)at, Y);
        }
    }
    s->shift[begin / RANGE] = most;
}

static sp_status ssor_build(sp_precond *p, const sp_symmetric *A, bool alone, sp_factor_info *info) {
    ssor *s = (ssor *)p;
    *info = (sp_factor_info){.unknown = -1};
    s->A = A;
    sp__precond_each(p, A->n, RANGE, alone, ssor_build_range, s);
    for (int t = 0; t * RANGE < A->n; t++)
        if (s->shift[t] > info->shift || isnan(s->shift[t])) info->shift = s->shift[t];
    if (isnan(info->shift)) info->status = SP_NOT_FINITE, info->shift = 0;
    return info->status;
}

static void ssor_apply(sp_precond *p, const double *r, double *z) {
    sp__lower_solve(&((ssor *)p)->L, r, z);
}

static size_t ssor_bytes(const sp_precond *p) {
    const ssor *s = (const ssor *)p;
    return sp__lower_bytes(&s->L) + sp__columns_bytes(&s->columns);
}

const sp_precond_kind sp__precond_ssor = {.name = "ssor",
                                          .create = ssor_create,
                                          .destroy = ssor_destroy,
                                          .build = ssor_build,
                                          .apply = ssor_apply,
                                          .bytes = ssor_bytes};

// ====================================================================================================== cholesky

// A factor of the whole matrix: exact when it is computed, then stale until its owner rebuilds it (Courtecuisse 2011, section
// 3.4). Single precision unless double is requested. The preconditioner must be positive definite, which the pivots verify. If
// rounding or the matrix itself makes a pivot fail, the diagonal is shifted and the shift is reported.

typedef struct cholesky {
    sp_precond base;
    sp_symbolic *S;
    sp_factor *F;
    bool usable;
} cholesky;

static void complete_destroy(sp_precond *p) {
    cholesky *c = (cholesky *)p;
    sp_context *ctx = p->ctx;
    if (c->F) sp__factor_destroy(&c->F);
    if (c->S) sp__symbolic_release(&c->S);
    sp__free(ctx, c);
}

static sp_status complete_create(sp_context *ctx, const sp_backend *be, const sp_solver_def *def, const sp_symmetric *pattern,
                                 const double *points, const sp_precond *like, sp_precond **out) {
    cholesky *c;
    *out = NULL;
    if (!SP_NEW(ctx, c, 1)) return SP_FAIL(ctx, SP_NO_MEMORY, "no memory for a preconditioner");
    sp_status status = sp__precond_init(&c->base, &sp__precond_cholesky, ctx, be, def, pattern);
    sp_factor_def factor = {.kind = def->cholesky.factor, .single = sp__precond_single(&c->base), .plain = sp__backend_plain(be)};
    if (status >= 0 && like)
        c->S = sp__symbolic_share(((const cholesky *)like)->S);
    else if (status >= 0)
        status = sp__symbolic_create(ctx, def->cholesky.ordering, pattern, points, &c->S);
    if (status >= 0) status = sp__factor_create(ctx, &factor, c->S, &c->F);
    if (status >= 0) sp__factor_stop_flag(c->F, &c->base.stop);
    if (status < 0)
        complete_destroy(&c->base);
    else
        *out = &c->base;
    return status;
}

static sp_status complete_build(sp_precond *p, const sp_symmetric *A, bool alone, sp_factor_info *info) {
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

// identity if there is no factor
static void complete_apply(sp_precond *p, const double *r, double *z) {
    cholesky *c = (cholesky *)p;
    if (c->usable)
        sp__factor_solve(c->F, r, z, false);
    else if (z != r)
        memcpy(z, r, sizeof *z * (size_t)p->n);
}

static sp_factor *complete_factor(const sp_precond *p) {
    const cholesky *c = (const cholesky *)p;
    return c->usable ? c->F : NULL;
}

static sp_factor *complete_factor_memory(const sp_precond *p) {
    return ((const cholesky *)p)->F;
}

static size_t complete_bytes(const sp_precond *p) {
    const cholesky *c = (const cholesky *)p;
    return sp__factor_bytes(c->F) + sp__symbolic_bytes(c->S);
}

const sp_precond_kind sp__precond_cholesky = {.name = "cholesky",
                                              .costly = true,
                                              .create = complete_create,
                                              .destroy = complete_destroy,
                                              .build = complete_build,
                                              .apply = complete_apply,
                                              .factor = complete_factor,
                                              .factor_memory = complete_factor_memory,
                                              .bytes = complete_bytes};
