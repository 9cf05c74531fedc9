// The diagonal, and the diagonal blocks (Choi and Ko 2002). Both cost next to nothing; blocks also see how the unknowns of a node
// pull at each other. A diagonal that is not positive definite is made so, and the shift is told.
#include "linear/block3.h"
#include "linear/precond.h"

typedef struct jacobi {
    sp_precond base;
    bool blocks;
    double *inverse;  // a number for each unknown, or six for each node: xx yy zz xy yz zx
    double *shift;    // per range
    const sp_symmetric *A;
} jacobi;

static sp_status create(sp_context *ctx, const sp_backend *be, const sp_solver_def *def, const sp_symmetric *pattern,
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
    return create(ctx, be, def, pattern, &sp__precond_jacobi, out);
}

static sp_status create_blocks(sp_context *ctx, const sp_backend *be, const sp_solver_def *def, const sp_symmetric *pattern,
                               const double *points, const sp_precond *like, sp_precond **out) {
    (void)points, (void)like;
    return create(ctx, be, def, pattern, &sp__precond_block_jacobi, out);
}

static void destroy(sp_precond *p) {
    jacobi *j = (jacobi *)p;
    sp__free(p->ctx, j->inverse), sp__free(p->ctx, j->shift), sp__free(p->ctx, j);
}

// ------------------------------------------------------------------------------------------------ numbers

// 1 / d, or what serves where d is not positive. Returns what was added; NaN: d is not finite.
static double invert(double d, double *inverse) {
    bool good = isfinite(d) && d > 0;
    *inverse = good ? 1 / d : isfinite(d) && d < 0 ? -1 / d : 1;
    return good ? 0 : d < 0 ? -2 * d : d == 0 ? 1 : NAN;
}

static void build_range(void *arg, int begin, int end, int worker) {
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
            added = invert(B[4 * a], j->inverse + 3 * (size_t)i + a);
            if (added > most || isnan(added)) most = added;
        }
    }
    j->shift[begin / SP_RANGE] = most;
}

static sp_status build(sp_precond *p, const sp_symmetric *A, bool alone, sp_factor_info *info) {
    jacobi *j = (jacobi *)p;
    *info = (sp_factor_info){.unknown = -1};
    j->A = A;
    sp__precond_each(p, A->n, SP_RANGE, alone, build_range, j);
    for (int t = 0; t * SP_RANGE < A->n; t++)
        if (j->shift[t] > info->shift || isnan(j->shift[t])) info->shift = j->shift[t];
    if (isnan(info->shift)) info->status = SP_NOT_FINITE, info->shift = 0;
    return info->status;
}

// ------------------------------------------------------------------------------------------------ application

typedef struct product {
    const jacobi *j;
    const double *r;
    double *z;
} product;

static void multiply(void *arg, int begin, int end, int worker) {
    (void)worker;
    const product *m = arg;
    for (int i = begin; i < end; i++) m->z[i] = m->j->inverse[i] * m->r[i];
}

static void multiply_blocks(void *arg, int begin, int end, int worker) {
    (void)worker;
    const product *m = arg;
    for (int i = begin; i < end; i++) {
        const double *d = m->j->inverse + 6 * (size_t)i, *r = m->r + 3 * (size_t)i;
        double *z = m->z + 3 * (size_t)i, x = r[0], y = r[1], w = r[2];
        z[0] = d[0] * x + d[3] * y + d[5] * w;
        z[1] = d[3] * x + d[1] * y + d[4] * w;
        z[2] = d[5] * x + d[4] * y + d[2] * w;
    }
}

static void apply(sp_precond *p, const double *r, double *z) {
    product m = {(jacobi *)p, r, z};
    if (m.j->blocks)
        sp__precond_each(p, p->n / 3, SP_RANGE, false, multiply_blocks, &m);
    else
        sp__precond_each(p, p->n, SP_RANGE, false, multiply, &m);
}

static size_t bytes(const sp_precond *p) {
    return sizeof(double) * (size_t)p->n * (((const jacobi *)p)->blocks ? 2 : 1);
}

const sp_precond_kind sp__precond_jacobi = {
    .name = "jacobi", .create = create_jacobi, .destroy = destroy, .build = build, .apply = apply, .bytes = bytes};
const sp_precond_kind sp__precond_block_jacobi = {
    .name = "block-jacobi", .create = create_blocks, .destroy = destroy, .build = build, .apply = apply, .bytes = bytes};
