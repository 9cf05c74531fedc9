// Conjugate gradients (Hestenes and Stiefel 1952) on an sp_system, matrix-free or assembled. Three passes over the vectors an
// iteration; every sum runs over fixed ranges in a fixed order. Fewer passes were tried on the assembled matrix and were no
// faster, on one thread or two: the direction made while it is gathered for the product, and the iteration in two passes with all
// dots at once (Courtecuisse 2011, section 3.3.3). A pass costs a microsecond to start here, and its vectors stay in the cache.
#include "linear/blocks.h"
#include "linear/solver.h"

struct sp_solver {
    sp_context *ctx;
    const sp_backend *be;
    sp_solver_def def;
    bool assembled;
    int n;
    double *r, *p, *q, *partial;
    sp_blocks *A;
    uint64_t pattern, values;  // what A was filled from
    sp_coef coef;
};

sp_status sp__solver_create(sp_context *ctx, const sp_solver_def *def, const sp_backend *be, sp_solver **out) {
    *out = NULL;
    sp_solver *s;
    if (!SP_NEW(ctx, s, 1)) return SP_NO_MEMORY;
    *s = (sp_solver){.ctx = ctx, .be = be, .def = *def};
    s->assembled = def->op == SP_OPERATOR_ASSEMBLED || (def->op == SP_OPERATOR_AUTO && !be->free_is_faster);
    *out = s;
    return SP_OK;
}

void sp__solver_destroy(sp_solver **ps) {
    sp_solver *s = *ps;
    if (!s) return;
    sp__free(s->ctx, s->r), sp__free(s->ctx, s->p), sp__free(s->ctx, s->q), sp__free(s->ctx, s->partial);
    sp__blocks_destroy(&s->A);
    sp__free(s->ctx, s);
    *ps = NULL;
}

void sp__solver_set(sp_solver *s, double tolerance, int iterations) {
    s->def.tolerance = tolerance;
    s->def.iterations = iterations;
}

size_t sp__solver_bytes(const sp_solver *s) {
    return (s->A ? sp__blocks_bytes(s->A) : 0) + 3 * sizeof(double) * (size_t)s->n;
}

// vectors and matrix for a system of this size and pattern
static sp_status prepare(sp_solver *s, const sp_system *A, sp_coef c) {
    sp_context *ctx = s->ctx;
    if (s->n != A->n) {
        sp__free(ctx, s->r), sp__free(ctx, s->p), sp__free(ctx, s->q), sp__free(ctx, s->partial);
        s->n = 0, s->r = s->p = s->q = s->partial = NULL;
        if (!SP_NEW(ctx, s->r, A->n + 1) || !SP_NEW(ctx, s->p, A->n + 1) || !SP_NEW(ctx, s->q, A->n + 1) ||
            !SP_NEW(ctx, s->partial, A->n / SP_RANGE + 1))
            return SP_FAIL(ctx, SP_NO_MEMORY, "no memory for conjugate gradients of %d unknowns", A->n);
        s->n = A->n;
    }
    if (!s->assembled || !A->assemble) return SP_OK;
    if (!s->A || s->pattern != A->pattern) {
        sp__blocks_destroy(&s->A);
        sp_status status = A->make_pattern(A->o, ctx, &s->A);
        if (status == SP_UNAVAILABLE) {  // a node of tens of thousands of neighbours: element by element still works
            s->assembled = false;
            return SP_OK;
        }
        SP_TRY(status);
        s->pattern = A->pattern, s->values = 0;
    }
    if (s->values != A->values || memcmp(&s->coef, &c, sizeof c) != 0) {
        SP_TRY(A->assemble(A->o, c, s->A));
        s->values = A->values, s->coef = c;
    }
    return SP_OK;
}

// ------------------------------------------------------------------------------------------------ vector passes

typedef struct vectors {
    const sp_solver *s;
    const unsigned char *fixed;
    const double *b;
    double *x;
    double alpha, beta;
} vectors;

// x = 0, r = p = b; fixed unknowns take their value from b and are out of the iteration. Returns r . r.
static double start(void *arg, int begin, int end) {
    vectors *v = arg;
    double *r = v->s->r, *p = v->s->p, sum = 0;
    for (int i = begin; i < end; i++) {
        v->x[i] = v->fixed[i] ? v->b[i] : 0.0;
        r[i] = p[i] = v->fixed[i] ? 0.0 : v->b[i];
        sum += r[i] * r[i];
    }
    return sum;
}

// x += alpha p, r -= alpha q. Returns r . r.
static double advance(void *arg, int begin, int end) {
    const vectors *v = arg;
    const sp_solver *s = v->s;
    return s->be->cg_advance(end - begin, v->alpha, s->p + begin, s->q + begin, v->x + begin, s->r + begin);
}

// p = r + beta p
static double turn(void *arg, int begin, int end) {
    const vectors *v = arg;
    v->s->be->cg_turn(end - begin, v->beta, v->s->r + begin, v->s->p + begin);
    return 0;
}

// |b - q|^2 over the free unknowns
static double remainder_of(void *arg, int begin, int end) {
    vectors *v = arg;
    double sum = 0;
    for (int i = begin; i < end; i++) {
        double d = v->fixed[i] ? 0.0 : v->b[i] - v->s->q[i];
        sum += d * d;
    }
    return sum;
}

static double multiply(const sp_solver *s, const sp_system *A, sp_coef c, const double *x, double *y) {
    return s->A ? sp__blocks_mul(s->A, x, y) : A->mul(A->o, c, x, y);
}

sp_status sp__solver_solve(sp_solver *s, const sp_system *A, sp_coef c, const double *b, double *x, sp_linear_info *info) {
    *info = (sp_linear_info){.solver = "cg"};
    SP_TRY(prepare(s, A, c));
    info->solver = s->A ? "cg (assembled)" : "cg (matrix-free)";
    vectors v = {s, A->fixed, b, x, 0, 0};
    double tol = s->def.tolerance, rho = sp__ranges(s->ctx, s->n, start, &v, s->partial), first = rho;
    if (!isfinite(first)) info->status = SP_NOT_FINITE;
    while (rho > 0 && info->iterations < s->def.iterations && !(tol > 0 && rho <= tol * tol * first)) {
        double pq = multiply(s, A, c, s->p, s->q);
        if (!isfinite(pq)) {
            info->status = SP_NOT_FINITE;
            break;
        }
        if (pq <= 0) {
            info->status = SP_NOT_SPD;
            break;
        }
        v.alpha = rho / pq;
        double next = sp__ranges(s->ctx, s->n, advance, &v, s->partial);
        v.beta = next / rho;
        rho = next;
        info->iterations++;
        sp__ranges(s->ctx, s->n, turn, &v, s->partial);
    }
    if (first > 0) info->residual = sqrt(rho / first);
    // the recurrence drifts from b - A x: where a tolerance was asked for, what is reported is computed from x
    if (tol > 0 && first > 0 && info->status != SP_NOT_FINITE) {
        multiply(s, A, c, x, s->q);
        info->residual = sqrt(sp__ranges(s->ctx, s->n, remainder_of, &v, s->partial) / first);
    }
    if (!info->status && tol > 0 && rho > tol * tol * first) info->status = SP_NOT_CONVERGED;
    return SP_OK;
}
