// The sparse direct solver: a factor of the assembled matrix each time its numbers change.
//
// Double: one solve with the factor, corrected in the rare case that the residual is above the tolerance. Float: conjugate
// gradients in double with the factor in front. That costs an iteration what plain refinement costs, and still converges where
// the condition of the matrix is beyond what float resolves.
//
// Not positive definite: A + shift I is factored instead, the shift ten times larger until it is. The answer is then no solution
// but a direction along which the energy falls, which is what Newton's method needs; status SP_NOT_SPD and the shift tell of it.
// L D L^T takes indefinite matrices as they are: where x . b is not positive the status is SP_NOT_SPD, too.
#include "linear/matrix.h"
#include "linear/pcg.h"
#include "linear/shift.h"
#include "sparse/factor.h"

enum { CORRECTIONS = 3 };

typedef struct direct {
    sp_matrix m;
    sp_factor *F;
    sp_pcg_room room;
    sp_solver *plain;    // for systems without a matrix
    bool current;        // the factor is that of the numbers in m
    double shift;        // behind the factor in force
    sp_status factored;  // SP_OK: the factor is that of the matrix, or of the shifted one
} direct;

static bool is_single(const sp_solver *s) {
    return s->def.precision == SP_FACTOR_FLOAT;
}

static sp_status create(sp_solver *s) {
    direct *d;
    if (!SP_NEW(s->ctx, d, 1)) return SP_FAIL(s->ctx, SP_NO_MEMORY, "no memory for a direct solver");
    s->impl = d;
    return SP_OK;
}

static void destroy(sp_solver *s) {
    direct *d = s->impl;
    if (!d) return;
    sp__factor_destroy(&d->F);
    sp__pcg_room_free(&d->room);
    sp__matrix_forget(&d->m);
    sp__solver_destroy(&d->plain);
    sp__free(s->ctx, d);
}

static size_t bytes(const sp_solver *s) {
    const direct *d = s->impl;
    size_t factor = d->F ? sp__factor_bytes(d->F) + sp__symbolic_bytes(sp__factor_symbolic(d->F)) : 0;
    size_t plain = d->plain ? sp__solver_bytes(d->plain) : 0;
    return sp__matrix_bytes(&d->m) + 4 * sizeof(double) * (size_t)d->room.n + factor + plain;
}

// analysis and room for a factor of this pattern
static sp_status analyse(sp_solver *s, direct *d, const sp_system *A) {
    sp_symmetric view;
    sp_symbolic *S = NULL;
    double *points = NULL;
    sp_factor_def def = {.kind = s->def.factor, .single = is_single(s), .plain = sp__backend_plain(s->be)};
    sp_status status = SP_NO_MEMORY;
    sp__blocks_view(d->m.A, &view);
    if (A->points) {
        if (!SP_NEW(s->ctx, points, A->n + 1)) goto done;
        A->points(A->o, points);
    }
    if ((status = sp__symbolic_create(s->ctx, s->def.ordering, &view, points, &S)) < 0) goto done;
    status = sp__factor_create(s->ctx, &def, S, &d->F);
done:
    if (S) sp__symbolic_release(&S);
    sp__free(s->ctx, points);
    if (status == SP_NO_MEMORY) return SP_FAIL(s->ctx, status, "no memory for a factor of %d unknowns", A->n);
    return status;
}

// the factor of A, or of A + shift I with the least shift tried that makes it positive definite
static void factorise(direct *d, sp_linear_info *info) {
    sp_symmetric view;
    sp_factor_info made;
    sp__blocks_view(d->m.A, &view);
    double mean = sp__mean_diagonal(&view);
    d->shift = 0;
    for (int k = 0; k < SP_SHIFTS; k++) {
        if (k > 0) d->shift = sp__shift_next(d->shift, mean);
        d->factored = sp__factor_make(d->F, &view, d->shift, false, &made);
        info->columns += made.columns, info->factor_flops += made.flops;
        if (d->factored != SP_NOT_SPD || !(mean > 0)) break;
    }
    info->refreshes = 1;
    d->current = true;
}

static void apply(void *arg, const double *r, double *z) {
    sp__factor_solve(arg, r, z, false);
}

// x = b at fixed unknowns, 0 elsewhere. Returns |b|^2 over the free ones.
static double begin(const sp_pcg_problem *p, int n, double *x) {
    double sum = 0;
    for (int i = 0; i < n; i++) {
        x[i] = p->fixed[i] ? p->b[i] : 0.0;
        if (!p->fixed[i]) sum += p->b[i] * p->b[i];
    }
    return sum;
}

static double free_dot(const sp_pcg_problem *p, int n, const double *x) {
    double sum = 0;
    for (int i = 0; i < n; i++)
        if (!p->fixed[i]) sum += p->b[i] * x[i];
    return sum;
}

// x += A^-1 r, again for what is left as long as that is above the tolerance and falls. r is b at first. Returns |b - A x|^2.
static double solve_and_correct(direct *d, const sp_pcg_problem *p, double first, double *x, sp_linear_info *info) {
    sp_pcg_room *w = &d->room;
    double rr = first, before = INFINITY;
    for (int i = 0; i < w->n; i++) w->r[i] = p->fixed[i] ? 0.0 : p->b[i];
    while (info->iterations < CORRECTIONS) {
        sp__factor_solve(d->F, w->r, w->z, false);
        for (int i = 0; i < w->n; i++) x[i] += p->fixed[i] ? 0.0 : w->z[i];
        rr = sp__pcg_residual(w, p, x);
        info->iterations++;
        if (d->shift > 0 || p->tolerance == 0 || rr <= p->tolerance * p->tolerance * first || !(rr < 0.25 * before)) break;
        before = rr;
    }
    return rr;
}

static void solve_double(direct *d, const sp_pcg_problem *p, double *x, sp_linear_info *info) {
    double first = begin(p, d->room.n, x);
    info->status = isfinite(first) ? SP_OK : SP_NOT_FINITE;
    if (info->status || !(first > 0)) return;
    double rr = solve_and_correct(d, p, first, x, info);
    info->residual = sqrt(rr / first);
    if (!isfinite(rr))
        info->status = SP_NOT_FINITE;
    else if (d->shift > 0 || !(free_dot(p, d->room.n, x) > 0))
        info->status = SP_NOT_SPD;
    else if (p->tolerance > 0 && info->residual > p->tolerance)
        info->status = SP_NOT_CONVERGED;
}

// Without a tolerance: as far as double goes. A shift that float needed is no reservation as long as the iteration meets no
// negative curvature.
static void solve_single(direct *d, sp_pcg_problem *p, double *x, sp_linear_info *info) {
    const double rounding = 1e-15;
    bool asked = p->tolerance > 0;
    if (!asked) p->tolerance = rounding;
    sp__pcg_run(&d->room, p, x, info);
    if (!asked && info->status == SP_NOT_CONVERGED) info->status = SP_OK;
    if (info->status != SP_NOT_SPD || info->iterations > 0) return;
    for (int i = 0; i < d->room.n; i++)
        if (!p->fixed[i]) x[i] = d->room.z[i];
}

static sp_status solve(sp_solver *s, const sp_system *A, sp_coef c, const double *b, double *x, sp_linear_info *info) {
    direct *d = s->impl;
    sp_matrix_news news;
    SP_TRY(sp__matrix_follow(&d->m, s->ctx, A, c, &news));
    if (!d->m.A) return sp__solve_without_matrix(s, &d->plain, A, c, b, x, "cg (matrix-free, nothing to factor)", info);
    if (news == SP_MATRIX_PATTERN) sp__factor_destroy(&d->F);
    if (news != SP_MATRIX_SAME) d->current = false;
    SP_TRY(sp__pcg_room(&d->room, s->ctx, A->n));
    if (!d->F) SP_TRY(analyse(s, d, A));
    if (!d->current) factorise(d, info);
    info->solver = is_single(s) ? "cholesky (float)" : "cholesky";
    info->shift = d->shift, info->factor_age = 0;
    sp_pcg_problem p = {.be = s->be,
                        .A = d->m.A,
                        .fixed = A->fixed,
                        .b = b,
                        .tolerance = s->def.tolerance,
                        .iterations = s->def.iterations,
                        .apply = apply,
                        .arg = d->F};
    if (d->factored != SP_OK) {
        begin(&p, A->n, x);
        info->status = d->factored, info->residual = 1;
    } else if (is_single(s)) {
        solve_single(d, &p, x, info);
    } else {
        solve_double(d, &p, x, info);
    }
    return SP_OK;
}

const sp_solver_kind sp__solver_cholesky = {
    .name = "cholesky", .create = create, .destroy = destroy, .solve = solve, .bytes = bytes};
