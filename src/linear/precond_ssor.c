// Symmetric successive over-relaxation by blocks: with A = D + L + L^T, D the 3x3 diagonal blocks,
//   P = w / (2 - w) (D / w + L) D^-1 (D / w + L)^T = (I + w L D^-1) D / (w (2 - w)) (I + w L D^-1)^T
// (Axelsson 1972), so that two sweeps through unit triangles serve it (lower.h). Numbers are copied: a preconditioner may outlive
// the matrix that it was made from.
#include "linear/block3.h"
#include "linear/lower.h"
#include "linear/precond.h"

enum { RANGE = 128 };  // columns that one task builds

typedef struct ssor {
    sp_precond base;
    sp_columns columns;
    sp_lower L;
    double *shift;  // per range
    const sp_symmetric *A;
} ssor;

static void destroy(sp_precond *p) {
    ssor *s = (ssor *)p;
    sp_context *ctx = p->ctx;
    sp__lower_free(&s->L);
    sp__columns_free(ctx, &s->columns);
    sp__free(ctx, s->shift), sp__free(ctx, s);
}

static sp_status create(sp_context *ctx, const sp_backend *be, const sp_solver_def *def, const sp_symmetric *pattern,
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
    destroy(&s->base);
    return status;
}

static void build_range(void *arg, int begin, int end, int worker) {
    (void)worker;
    ssor *s = arg;
    const sp_columns *c = &s->columns;
    double most = 0, w = s->base.def.omega;
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

static sp_status build(sp_precond *p, const sp_symmetric *A, bool alone, sp_factor_info *info) {
    ssor *s = (ssor *)p;
    *info = (sp_factor_info){.unknown = -1};
    s->A = A;
    sp__precond_each(p, A->n, RANGE, alone, build_range, s);
    for (int t = 0; t * RANGE < A->n; t++)
        if (s->shift[t] > info->shift || isnan(s->shift[t])) info->shift = s->shift[t];
    if (isnan(info->shift)) info->status = SP_NOT_FINITE, info->shift = 0;
    return info->status;
}

static void apply(sp_precond *p, const double *r, double *z) {
    sp__lower_solve(&((ssor *)p)->L, r, z);
}

static size_t bytes(const sp_precond *p) {
    const ssor *s = (const ssor *)p;
    return sp__lower_bytes(&s->L) + sp__columns_bytes(&s->columns);
}

const sp_precond_kind sp__precond_ssor = {
    .name = "ssor", .create = create, .destroy = destroy, .build = build, .apply = apply, .bytes = bytes};
