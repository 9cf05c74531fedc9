// Conjugate gradients (Hestenes and Stiefel 1952) on an sp_system, matrix-free or assembled. An iteration makes three passes over
// the vectors; every sum runs over fixed ranges in a fixed order. Fewer passes were measured on the assembled matrix and were no
// faster on one or two threads: computing the direction while the product gathers it, and an iteration in two passes with all dot
// products together (Courtecuisse 2011, section 3.3.3). Starting a pass costs a microsecond, and the vectors stay in the cache.
#include "linear/blocks.h"
#include "linear/solver.h"

typedef struct cg {
    bool assembled;
    int n;
    double *r, *p, *q, *partial;
    sp_matrix m;
} cg;

static sp_status cg_create(sp_solver *s) {
    cg *g;
    if (!SP_NEW(s->ctx, g, 1)) return SP_FAIL(s->ctx, SP_NO_MEMORY, "no memory for conjugate gradients");
    g->assembled = s->def.cg.op == SP_OPERATOR_ASSEMBLED || (s->def.cg.op == SP_OPERATOR_AUTO && !s->be->free_is_faster);
    s->impl = g;
    return SP_OK;
}

static void free_vectors(sp_context *ctx, cg *g) {
    sp__free(ctx, g->r), sp__free(ctx, g->p), sp__free(ctx, g->q), sp__free(ctx, g->partial);
    g->n = 0, g->r = g->p = g->q = g->partial = NULL;
}

static void cg_destroy(sp_solver *s) {
    cg *g = s->impl;
    if (!g) return;
    free_vectors(s->ctx, g);
    sp__matrix_forget(&g->m);
    sp__free(s->ctx, g);
}

static size_t cg_bytes(const sp_solver *s) {
    const cg *g = s->impl;
    return sp__matrix_bytes(&g->m) + 3 * sizeof(double) * (size_t)g->n;
}

// allocates vectors and updates the matrix for the size and pattern of the system
static sp_status cg_prepare(sp_solver *s, const sp_system *A, sp_coef c) {
    sp_context *ctx = s->ctx;
    cg *g = s->impl;
    sp_matrix_change change;
    if (g->n != A->n) {
        free_vectors(ctx, g);
        if (!SP_NEW(ctx, g->r, A->n + 1) || !SP_NEW(ctx, g->p, A->n + 1) || !SP_NEW(ctx, g->q, A->n + 1) ||
            !SP_NEW(ctx, g->partial, A->n / SP_RANGE + 1))
            return SP_FAIL(ctx, SP_NO_MEMORY, "no memory for conjugate gradients of %d unknowns", A->n);
        g->n = A->n;
    }
    return g->assembled ? sp__matrix_follow(&g->m, ctx, A, c, &change) : SP_OK;
}

// ------------------------------------------------------------------------------------------------ vector passes

typedef struct vectors {
    const cg *g;
    const sp_backend *be;
    const unsigned char *fixed;
    const double *b;
    double *x;
    double alpha, beta;
} vectors;

// x = 0, r = p = b; fixed unknowns take their value from b and are excluded from the iteration. Returns r . r.
static double cg_start(void *arg, int begin, int end) {
    vectors *v = arg;
    double *r = v->g->r, *p = v->g->p, sum = 0;
    for (int i = begin; i < end; i++) {
        v->x[i] = v->fixed[i] ? v->b[i] : 0.0;
        r[i] = p[i] = v->fixed[i] ? 0.0 : v->b[i];
        sum += r[i] * r[i];
    }
    return sum;
}

// x += alpha p, r -= alpha q. Returns r . r.
static double cg_advance(void *arg, int begin, int end) {
    const vectors *v = arg;
    const cg *g = v->g;
    return v->be->cg_advance(end - begin, v->alpha, g->p + begin, g->q + begin, v->x + begin, g->r + begin);
}

// p = r + beta p
static double cg_direction(void *arg, int begin, int end) {
    const vectors *v = arg;
    v->be->cg_direction(end - begin, v->beta, v->g->r + begin, v->g->p + begin);
    return 0;
}

// |b - q|^2 over the free unknowns
static double remainder_of(void *arg, int begin, int end) {
    vectors *v = arg;
    double sum = 0;
    for (int i = begin; i < end; i++) {
        double d = v->fixed[i] ? 0.0 : v->b[i] - v->g->q[i];
        sum += d * d;
    }
    return sum;
}

static double cg_multiply(const cg *g, const sp_system *A, sp_coef c, const double *x, double *y) {
    return g->m.A ? sp__blocks_mul(g->m.A, x, y) : A->mul(A->o, c, x, y);
}

static sp_status cg_solve(sp_solver *s, const sp_system *A, sp_coef c, const double *b, double *x, sp_linear_info *info) {
    cg *g = s->impl;
    SP_TRY(cg_prepare(s, A, c));
    info->solver = g->m.A ? "cg (assembled)" : "cg (matrix-free)";
    vectors v = {g, s->be, A->fixed, b, x, 0, 0};
    double tol = s->def.tolerance, rho = sp__ranges(s->ctx, g->n, cg_start, &v, g->partial), first = rho;
    if (!isfinite(first)) info->status = SP_NOT_FINITE;
    while (rho > 0 && info->iterations < s->def.iterations && !(tol > 0 && rho <= tol * tol * first)) {
        double pq = cg_multiply(g, A, c, g->p, g->q);
        if (!isfinite(pq)) {
            info->status = SP_NOT_FINITE;
            break;
        }
        if (pq <= 0) {
            info->status = SP_NOT_SPD;
            break;
        }
        v.alpha = rho / pq;
        double next = sp__ranges(s->ctx, g->n, cg_advance, &v, g->partial);
        v.beta = next / rho;
        rho = next;
        info->iterations++;
        sp__ranges(s->ctx, g->n, cg_direction, &v, g->partial);
    }
    if (first > 0) info->residual = sqrt(rho / first);
    // the recurrence drifts from b - A x: if a tolerance is set, the reported residual is computed from x
    if (tol > 0 && first > 0 && info->status != SP_NOT_FINITE) {
        cg_multiply(g, A, c, x, g->q);
        info->residual = sqrt(sp__ranges(s->ctx, g->n, remainder_of, &v, g->partial) / first);
    }
    if (!info->status && tol > 0 && rho > tol * tol * first) info->status = SP_NOT_CONVERGED;
    return SP_OK;
}

const sp_solver_kind sp__solver_cg = {
    .name = "cg", .create = cg_create, .destroy = cg_destroy, .solve = cg_solve, .bytes = cg_bytes};
