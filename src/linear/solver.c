// Linear solvers: the default definition, the table of kinds, and conjugate gradients (Hestenes and Stiefel 1952), without a
// preconditioner on any system and with one on an assembled matrix. The other kinds have files of their own; choose.c resolves
// `auto`.
#include "linear/solver.h"

#include "core/share.h"
#include "linear/pcg.h"
#include "linear/refresh.h"

sp_solver_def sp_solver_def_default(void) {
    return (sp_solver_def){
        .type = SP_SOLVER_AUTO,
        .tolerance = 1e-6,
        .iterations = 1000,
        .automatic = {.step = 0.01, .aim_ms = SP_AUTO},
        .cg = {.op = SP_OPERATOR_AUTO},
        .pcg = {.preconditioner = SP_BLOCK_JACOBI,
                .refresh = SP_REFRESH_AUTO,
                .refresh_every = 1,
                .warp = true,
                .lag = 2,
                .drop = 1e-3,
                .omega = 1},
        .cholesky = {.ordering = SP_ORDER_AUTO, .factor = SP_LLT, .precision = SP_FACTOR_AUTO},
        .updated = {.threshold = SP_AUTO, .budget_ms = SP_AUTO, .budget_columns = SP_AUTO},
        .cookie = SP_COOKIE_SOLVER,
    };
}

// `auto` is resolved when a body is created (sp__solver_choose); here it means the solver that works for any system
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

void sp__solver_report_stale(sp_solver *s) {
    if (s->kind->stale) s->kind->stale(s);
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

// ==================================================================================================== conjugate gradients

// Every sum runs over fixed ranges in a fixed order.

static sp_status workspace_reserve(sp_pcg_workspace *w, sp_context *ctx, int n, bool preconditioned) {
    if (w->r && w->n == n) return SP_OK;
    sp__pcg_workspace_free(w);
    w->ctx = ctx;
    if (!SP_NEW(ctx, w->r, n + 1) || !SP_NEW(ctx, w->p, n + 1) || !SP_NEW(ctx, w->q, n + 1) ||
        !SP_NEW(ctx, w->partial, n / SP_RANGE + 1) || (preconditioned && !SP_NEW(ctx, w->z, n + 1))) {
        sp__pcg_workspace_free(w);
        return SP_FAIL(ctx, SP_NO_MEMORY, "no memory for conjugate gradients of %d unknowns", n);
    }
    SP_LEND(ctx, w->r), SP_LEND(ctx, w->p), SP_LEND(ctx, w->q), SP_LEND(ctx, w->partial), SP_LEND(ctx, w->z);
    w->n = n;
    return SP_OK;
}

sp_status sp__pcg_workspace_create(sp_pcg_workspace *w, sp_context *ctx, int n) {
    return workspace_reserve(w, ctx, n, true);
}

void sp__pcg_workspace_free(sp_pcg_workspace *w) {
    if (!w->ctx) return;
    void *all[] = {w->r, w->p, w->q, w->z, w->partial};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) sp__free(w->ctx, all[i]);
    *w = (sp_pcg_workspace){0};
}

typedef struct vectors {
    const sp_pcg_workspace *w;
    const sp_backend *be;
    const unsigned char *fixed;
    const double *b;
    double *x;
    double alpha, beta;
} vectors;

static double vectors_pass(vectors *v, sp_range_fn *fn) {
    return sp__ranges(v->w->ctx, v->w->n, fn, v, v->w->partial);
}

// x = 0, r = b, p = r (with a preconditioner: 0); fixed unknowns take their value from b and are excluded from the iteration.
// Returns r . r.
static double vectors_start(void *arg, int begin, int end) {
    vectors *v = arg;
    double *r = v->w->r, *p = v->w->p, sum = 0;
    for (int i = begin; i < end; i++) {
        v->x[i] = v->fixed[i] ? v->b[i] : 0.0;
        r[i] = v->fixed[i] ? 0.0 : v->b[i];
        p[i] = v->w->z ? 0.0 : r[i];
        sum += r[i] * r[i];
    }
    return sum;
}

// x += alpha p, r -= alpha q. Returns r . r.
static double vectors_advance(void *arg, int begin, int end) {
    const vectors *v = arg;
    const sp_pcg_workspace *w = v->w;
    return v->be->cg_advance(end - begin, v->alpha, w->p + begin, w->q + begin, v->x + begin, w->r + begin);
}

// p = r + beta p; with a preconditioner z + beta p
static double vectors_direction(void *arg, int begin, int end) {
    const vectors *v = arg;
    const double *from = v->w->z ? v->w->z : v->w->r;
    v->be->cg_direction(end - begin, v->beta, from + begin, v->w->p + begin);
    return 0;
}

// r = b - q for free unknowns. Returns r . r.
static double vectors_remainder(void *arg, int begin, int end) {
    vectors *v = arg;
    double *r = v->w->r, sum = 0;
    for (int i = begin; i < end; i++) {
        r[i] = v->fixed[i] ? 0.0 : v->b[i] - v->w->q[i];
        sum += r[i] * r[i];
    }
    return sum;
}

// ------------------------------------------------------------------------------------------------ without a preconditioner

// On an sp_system, matrix-free or assembled. An iteration makes three passes over the vectors. Fewer passes were measured on the
// assembled matrix and were no faster on one or two threads: computing the direction while the product gathers it, and an
// iteration in two passes with all dot products together (Courtecuisse 2011, section 3.3.3). Starting a pass costs a microsecond,
// and the vectors stay in the cache.

typedef struct cg {
    bool assembled;
    sp_pcg_workspace workspace;
    sp_matrix m;
} cg;

static sp_status cg_create(sp_solver *s) {
    cg *g;
    if (!SP_NEW(s->ctx, g, 1)) return SP_FAIL(s->ctx, SP_NO_MEMORY, "no memory for conjugate gradients");
    g->assembled = s->def.cg.op == SP_OPERATOR_ASSEMBLED || (s->def.cg.op == SP_OPERATOR_AUTO && !s->be->free_is_faster);
    s->impl = g;
    return SP_OK;
}

static void cg_destroy(sp_solver *s) {
    cg *g = s->impl;
    if (!g) return;
    sp__pcg_workspace_free(&g->workspace);
    sp__matrix_forget(&g->m);
    sp__free(s->ctx, g);
}

static size_t cg_bytes(const sp_solver *s) {
    const cg *g = s->impl;
    return sp__matrix_bytes(&g->m) + 3 * sizeof(double) * (size_t)g->workspace.n;
}

// allocates vectors and updates the matrix for the size and pattern of the system
static sp_status cg_prepare(sp_solver *s, const sp_system *A, sp_coef c) {
    cg *g = s->impl;
    sp_matrix_change change;
    SP_TRY(workspace_reserve(&g->workspace, s->ctx, A->n, false));
    return g->assembled ? sp__matrix_follow(&g->m, s->ctx, A, c, &change) : SP_OK;
}

static double cg_multiply(const cg *g, const sp_system *A, sp_coef c, const double *x, double *y) {
    return g->m.A ? sp__blocks_mul(g->m.A, x, y) : A->mul(A->o, c, x, y);
}

static sp_status cg_solve(sp_solver *s, const sp_system *A, sp_coef c, const double *b, double *x, sp_linear_info *info) {
    cg *g = s->impl;
    const sp_pcg_workspace *w = &g->workspace;
    SP_TRY(cg_prepare(s, A, c));
    info->solver = g->m.A ? "cg (assembled)" : "cg (matrix-free)";
    vectors v = {.w = w, .be = s->be, .fixed = A->fixed, .b = b, .x = x};
    double tol = s->def.tolerance, rho = vectors_pass(&v, vectors_start), first = rho;
    if (!isfinite(first)) info->status = SP_NOT_FINITE;
    while (rho > 0 && info->iterations < s->def.iterations && !(tol > 0 && rho <= tol * tol * first)) {
        double pq = cg_multiply(g, A, c, w->p, w->q);
        if (!isfinite(pq)) {
            info->status = SP_NOT_FINITE;
            break;
        }
        if (pq <= 0) {
            info->status = SP_NOT_SPD;
            break;
        }
        v.alpha = rho / pq;
        double next = vectors_pass(&v, vectors_advance);
        v.beta = next / rho;
        rho = next;
        info->iterations++;
        vectors_pass(&v, vectors_direction);
    }
    if (first > 0) info->residual = sqrt(rho / first);
    // the recurrence drifts from b - A x: if a tolerance is set, the reported residual is computed from x
    if (tol > 0 && first > 0 && info->status != SP_NOT_FINITE) {
        cg_multiply(g, A, c, x, w->q);
        info->residual = sqrt(vectors_pass(&v, vectors_remainder) / first);
    }
    if (!info->status && tol > 0 && rho > tol * tol * first) info->status = SP_NOT_CONVERGED;
    return SP_OK;
}

const sp_solver_kind sp__solver_cg = {
    .name = "cg", .create = cg_create, .destroy = cg_destroy, .solve = cg_solve, .bytes = cg_bytes};

sp_status sp__solve_without_matrix(sp_solver *s, sp_solver **plain, const sp_system *A, sp_coef c, const double *b, double *x,
                                   const char *name, sp_linear_info *info) {
    if (!*plain) {
        sp_solver_def def = s->def;
        def.type = SP_SOLVER_CG, def.cg.op = SP_OPERATOR_FREE;
        SP_TRY(sp__solver_create(s->ctx, &def, s->be, plain));
    }
    sp__solver_set(*plain, s->def.tolerance, s->def.iterations);
    SP_TRY(sp__solver_solve(*plain, A, c, b, x, info));
    info->solver = name;
    return SP_OK;
}

// ------------------------------------------------------------------------------------------------ with a preconditioner

// Untransformed preconditioned conjugate gradients (Shewchuk 1994): an iteration has one product and one application of P^-1, for
// any symmetric positive definite P. Stops at |r| <= tolerance |b|, starts from x = 0. The recurrence of r drifts from b - A x.
// Before x is returned, r is therefore computed from x; if it is more than a tenth above the tolerance, the iteration restarts
// from there as long as that helps. Up to EXACT iterations the rounding errors of the recurrence are those of that product, and
// it is left out.
enum { EXACT = 2 };

static double dot_rz(void *arg, int begin, int end) {
    const vectors *v = arg;
    const double *r = v->w->r, *z = v->w->z;
    double sum = 0;
    for (int i = begin; i < end; i++) sum += r[i] * z[i];
    return sum;
}

static double pcg_multiply(const sp_pcg_problem *p, const double *x, double *y) {
    return p->A ? sp__blocks_mul(p->A, x, y) : p->system->mul(p->system->o, p->coef, x, y);
}

double sp__pcg_residual(sp_pcg_workspace *w, const sp_pcg_problem *problem, const double *x) {
    vectors v = {.w = w, .fixed = problem->fixed, .b = problem->b};
    pcg_multiply(problem, x, w->q);
    return vectors_pass(&v, vectors_remainder);
}

// status of a product r . z or p . q that must be positive
static sp_status pcg_check(double product, double rr, double first) {
    if (!isfinite(product)) return SP_NOT_FINITE;
    // products far below rounding may underflow
    if (product == 0 && rr <= 1e-200 * first) return SP_OK;
    return product > 0 ? SP_OK : SP_NOT_SPD;
}

// Iterates until rr <= goal, the iteration limit or a breakdown. *rr is r . r by recurrence.
static void pcg_iterate(vectors *v, const sp_pcg_problem *p, double first, double goal, double *rr, sp_linear_info *info) {
    const sp_pcg_workspace *w = v->w;
    double before = 0;
    while (*rr > goal && info->iterations < p->iterations) {
        p->apply(p->arg, w->r, w->z);
        double rho = vectors_pass(v, dot_rz);
        if ((info->status = pcg_check(rho, *rr, first)) != SP_OK || rho == 0) return;
        v->beta = before > 0 ? rho / before : 0;
        before = rho;
        vectors_pass(v, vectors_direction);
        double pq = pcg_multiply(p, w->p, w->q);
        if ((info->status = pcg_check(pq, *rr, first)) != SP_OK || pq == 0) return;
        v->alpha = rho / pq;
        *rr = vectors_pass(v, vectors_advance);
        info->iterations++;
    }
}

void sp__pcg_run(sp_pcg_workspace *w, const sp_pcg_problem *problem, double *x, sp_linear_info *info) {
    const double slack = 1.1 * 1.1;  // factor of the squared tolerance
    vectors v = {.w = w, .be = problem->be, .fixed = problem->fixed, .b = problem->b, .x = x};
    double tol = problem->tolerance, rr = vectors_pass(&v, vectors_start), first = rr;
    double goal = tol * tol * first, last = INFINITY;
    info->iterations = 0, info->residual = 0, info->status = isfinite(first) ? SP_OK : SP_NOT_FINITE;
    if (info->status || !(first > 0)) return;
    for (;;) {
        pcg_iterate(&v, problem, first, goal, &rr, info);
        if (tol == 0 || info->status == SP_NOT_FINITE) break;
        bool claimed = rr <= goal;
        if (claimed && info->iterations <= EXACT && !info->status) break;
        rr = sp__pcg_residual(w, problem, x);
        if (!isfinite(rr)) info->status = SP_NOT_FINITE;
        bool helps = rr < 0.25 * last && info->iterations < problem->iterations;
        if (info->status || !claimed || rr <= slack * goal || !helps) break;
        last = rr;
    }
    info->residual = sqrt(rr / first);
    if (!info->status && tol > 0 && rr > slack * goal) info->status = SP_NOT_CONVERGED;
}

// refresh.c decides which preconditioner is used and when it is rebuilt. Systems that cannot be assembled are solved without one.

typedef struct pcg {
    sp_matrix m;
    sp_refresh *refresh;
    sp_pcg_workspace workspace;
    sp_solver *plain;  // conjugate gradients for systems without an assembled matrix
} pcg;

static sp_status pcg_create(sp_solver *s) {
    const sp_precond_kind *kind = sp__precond_find(s->def.pcg.preconditioner);
    if (!kind) return SP_FAIL(s->ctx, SP_BAD_INPUT, "preconditioner %d is unknown", (int)s->def.pcg.preconditioner);
    pcg *g;
    if (!SP_NEW(s->ctx, g, 1)) return SP_FAIL(s->ctx, SP_NO_MEMORY, "no memory for a preconditioned solver");
    s->impl = g;
    return sp__refresh_create(s->ctx, s->be, &s->def, kind, &g->refresh);
}

static void pcg_destroy(sp_solver *s) {
    pcg *g = s->impl;
    if (!g) return;
    sp__refresh_destroy(&g->refresh);
    sp__pcg_workspace_free(&g->workspace);
    sp__matrix_forget(&g->m);
    sp__solver_destroy(&g->plain);
    sp__free(s->ctx, g);
}

static size_t pcg_bytes(const sp_solver *s) {
    const pcg *g = s->impl;
    size_t plain = g->plain ? sp__solver_bytes(g->plain) : 0;
    return sp__matrix_bytes(&g->m) + 4 * sizeof(double) * (size_t)g->workspace.n + sp__refresh_bytes(g->refresh) + plain;
}

static void pcg_apply(void *arg, const double *r, double *z) {
    sp__refresh_apply(arg, r, z);
}

// The matrix, if the preconditioner or the products need its values. *used: NULL if they do not: a factor that is good enough
// needs two or three products, which cost less without a matrix than its assembly.
static sp_status pcg_matrix(sp_solver *s, const sp_system *A, sp_coef c, const sp_blocks **used) {
    pcg *g = s->impl;
    sp_matrix_change change;
    *used = NULL;
    if (!sp__matrix_is_filled(&g->m, A, c) && sp__refresh_keeps(g->refresh, A))
        return sp__matrix_follow_pattern(&g->m, s->ctx, A);
    SP_TRY(sp__matrix_follow(&g->m, s->ctx, A, c, &change));
    *used = g->m.A;
    return SP_OK;
}

static sp_status pcg_solve(sp_solver *s, const sp_system *A, sp_coef c, const double *b, double *x, sp_linear_info *info) {
    pcg *g = s->impl;
    const sp_blocks *M;
    SP_TRY(pcg_matrix(s, A, c, &M));
    if (!g->m.A) return sp__solve_without_matrix(s, &g->plain, A, c, b, x, "cg (matrix-free, nothing to precondition)", info);
    SP_TRY(sp__pcg_workspace_create(&g->workspace, s->ctx, A->n));
    SP_TRY(sp__refresh_prepare(g->refresh, A, M, s->step, s->deterministic, info));
    sp_pcg_problem problem = {.be = s->be,
                              .A = M,
                              .system = A,
                              .coef = c,
                              .fixed = A->fixed,
                              .b = b,
                              .tolerance = s->def.tolerance,
                              .iterations = s->def.iterations,
                              .apply = pcg_apply,
                              .arg = g->refresh};
    sp__pcg_run(&g->workspace, &problem, x, info);
    info->solver = sp__refresh_name(g->refresh);
    sp__refresh_report_iterations(g->refresh, info->iterations);
    return SP_OK;
}

static sp_status pcg_prepare(sp_solver *s, const sp_system *A, sp_coef c, sp_linear_info *info) {
    pcg *g = s->impl;
    const sp_blocks *M;
    SP_TRY(pcg_matrix(s, A, c, &M));
    return g->m.A ? sp__refresh_prepare(g->refresh, A, M, s->step, s->deterministic, info) : SP_OK;
}

static bool pcg_factored(sp_solver *s, sp_factored *out) {
    const pcg *g = s->impl;
    return g->m.A && sp__refresh_factored(g->refresh, out);
}

static void pcg_step(sp_solver *s) {
    sp__refresh_step(((pcg *)s->impl)->refresh, s->step, s->swap);
}

static void pcg_stale(sp_solver *s) {
    sp__refresh_report_stale(((pcg *)s->impl)->refresh);
}

static void pcg_visit(sp_solver *s, struct sp_visitor *v) {
    sp__refresh_visit(((pcg *)s->impl)->refresh, v);
}

static sp_status pcg_restored(sp_solver *s) {
    return sp__refresh_restored(((pcg *)s->impl)->refresh);
}

const sp_solver_kind sp__solver_pcg = {.name = "pcg",
                                       .create = pcg_create,
                                       .destroy = pcg_destroy,
                                       .solve = pcg_solve,
                                       .prepare = pcg_prepare,
                                       .factored = pcg_factored,
                                       .bytes = pcg_bytes,
                                       .visit = pcg_visit,
                                       .restored = pcg_restored,
                                       .step = pcg_step,
                                       .stale = pcg_stale};
