// Untransformed preconditioned conjugate gradients (Shewchuk 1994): one product and one application of P^-1 an iteration, any
// symmetric positive definite P. Stops on |r| <= tolerance |b|, start x = 0. r runs by recurrence and drifts from b - A x: before
// an answer is given out r is computed from x, and where it is more than a tenth above what was asked the iteration starts again
// from there, as long as that helps.
#include "linear/pcg.h"

sp_status sp__pcg_room(sp_pcg_room *w, sp_context *ctx, int n) {
    if (w->r && w->n == n) return SP_OK;
    sp__pcg_room_free(w);
    w->ctx = ctx;
    if (!SP_NEW(ctx, w->r, n + 1) || !SP_NEW(ctx, w->p, n + 1) || !SP_NEW(ctx, w->q, n + 1) || !SP_NEW(ctx, w->z, n + 1) ||
        !SP_NEW(ctx, w->partial, n / SP_RANGE + 1)) {
        sp__pcg_room_free(w);
        return SP_FAIL(ctx, SP_NO_MEMORY, "no memory for conjugate gradients of %d unknowns", n);
    }
    w->n = n;
    return SP_OK;
}

void sp__pcg_room_free(sp_pcg_room *w) {
    if (!w->ctx) return;
    void *all[] = {w->r, w->p, w->q, w->z, w->partial};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) sp__free(w->ctx, all[i]);
    *w = (sp_pcg_room){0};
}

// ------------------------------------------------------------------------------------------------ vector passes

typedef struct vectors {
    const sp_pcg_room *w;
    const sp_pcg_problem *problem;
    double *x;
    double alpha, beta;
} vectors;

// x = 0, r = b, p = 0; fixed unknowns take their value from b and are out of the iteration. Returns r . r.
static double start(void *arg, int begin, int end) {
    vectors *v = arg;
    const unsigned char *fixed = v->problem->fixed;
    const double *b = v->problem->b;
    double *r = v->w->r, sum = 0;
    for (int i = begin; i < end; i++) {
        v->x[i] = fixed[i] ? b[i] : 0.0;
        r[i] = fixed[i] ? 0.0 : b[i];
        v->w->p[i] = 0;
        sum += r[i] * r[i];
    }
    return sum;
}

static double dot_rz(void *arg, int begin, int end) {
    const vectors *v = arg;
    const double *r = v->w->r, *z = v->w->z;
    double sum = 0;
    for (int i = begin; i < end; i++) sum += r[i] * z[i];
    return sum;
}

// p = z + beta p
static double turn(void *arg, int begin, int end) {
    const vectors *v = arg;
    v->problem->be->cg_turn(end - begin, v->beta, v->w->z + begin, v->w->p + begin);
    return 0;
}

// x += alpha p, r -= alpha q. Returns r . r.
static double advance(void *arg, int begin, int end) {
    const vectors *v = arg;
    const sp_pcg_room *w = v->w;
    return v->problem->be->cg_advance(end - begin, v->alpha, w->p + begin, w->q + begin, v->x + begin, w->r + begin);
}

// r = b - q where free. Returns r . r.
static double remainder_of(void *arg, int begin, int end) {
    vectors *v = arg;
    const unsigned char *fixed = v->problem->fixed;
    double *r = v->w->r, sum = 0;
    for (int i = begin; i < end; i++) {
        r[i] = fixed[i] ? 0.0 : v->problem->b[i] - v->w->q[i];
        sum += r[i] * r[i];
    }
    return sum;
}

double sp__pcg_residual(sp_pcg_room *w, const sp_pcg_problem *problem, const double *x) {
    vectors v = {.w = w, .problem = problem};
    sp__blocks_mul(problem->A, x, w->q);
    return sp__ranges(w->ctx, w->n, remainder_of, &v, w->partial);
}

// ------------------------------------------------------------------------------------------------ the loop

// a factor r.z or p.q that must be positive: what to say of it
static sp_status judge(double product, double rr, double first) {
    if (!isfinite(product)) return SP_NOT_FINITE;
    // far below rounding products may underflow
    if (product == 0 && rr <= 1e-200 * first) return SP_OK;
    return product > 0 ? SP_OK : SP_NOT_SPD;
}

// Until rr <= goal, or as long as it goes. *rr is r . r by recurrence.
static void iterate(vectors *v, double first, double goal, double *rr, sp_linear_info *info) {
    const sp_pcg_room *w = v->w;
    const sp_pcg_problem *p = v->problem;
    double before = 0;
    while (*rr > goal && info->iterations < p->iterations) {
        p->apply(p->arg, w->r, w->z);
        double rho = sp__ranges(w->ctx, w->n, dot_rz, v, w->partial);
        if ((info->status = judge(rho, *rr, first)) != SP_OK || rho == 0) return;
        v->beta = before > 0 ? rho / before : 0;
        before = rho;
        sp__ranges(w->ctx, w->n, turn, v, w->partial);
        double pq = sp__blocks_mul(p->A, w->p, w->q);
        if ((info->status = judge(pq, *rr, first)) != SP_OK || pq == 0) return;
        v->alpha = rho / pq;
        *rr = sp__ranges(w->ctx, w->n, advance, v, w->partial);
        info->iterations++;
    }
}

void sp__pcg_run(sp_pcg_room *w, const sp_pcg_problem *problem, double *x, sp_linear_info *info) {
    const double slack = 1.1 * 1.1;  // of the squared tolerance
    vectors v = {.w = w, .problem = problem, .x = x};
    double tol = problem->tolerance, rr = sp__ranges(w->ctx, w->n, start, &v, w->partial), first = rr;
    double goal = tol * tol * first, last = INFINITY;
    info->iterations = 0, info->residual = 0, info->status = isfinite(first) ? SP_OK : SP_NOT_FINITE;
    if (info->status || !(first > 0)) return;
    for (;;) {
        iterate(&v, first, goal, &rr, info);
        if (tol == 0 || info->status == SP_NOT_FINITE) break;
        bool claimed = rr <= goal;
        rr = sp__pcg_residual(w, problem, x);
        if (!isfinite(rr)) info->status = SP_NOT_FINITE;
        bool helps = rr < 0.25 * last && info->iterations < problem->iterations;
        if (info->status || !claimed || rr <= slack * goal || !helps) break;
        last = rr;
    }
    info->residual = sqrt(rr / first);
    if (!info->status && tol > 0 && rr > slack * goal) info->status = SP_NOT_CONVERGED;
}

sp_status sp__solve_without_matrix(sp_solver *s, sp_solver **plain, const sp_system *A, sp_coef c, const double *b, double *x,
                                   const char *name, sp_linear_info *info) {
    if (!*plain) {
        sp_solver_def def = s->def;
        def.type = SP_SOLVER_CG, def.op = SP_OPERATOR_FREE;
        SP_TRY(sp__solver_create(s->ctx, &def, s->be, plain));
    }
    sp__solver_set(*plain, s->def.tolerance, s->def.iterations);
    SP_TRY(sp__solver_solve(*plain, A, c, b, x, info));
    info->solver = name;
    return SP_OK;
}
