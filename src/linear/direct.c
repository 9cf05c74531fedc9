// Direct solvers. Each refactorises when the values of the matrix change.
//
//   cholesky           sparse, for the assembled matrix
//   dense              for small bodies; as a reference it shares only the kernels with the sparse solver
//   block-tridiagonal  chains: each part is factored within its own band
#include "linear/banded.h"
#include "linear/pcg.h"
#include "linear/solver.h"
#include "sparse/dense.h"
#include "sparse/factor.h"

// ==================================================================================== shared by dense and banded

// Revisions and coefficients that a factor was computed from.
typedef struct direct_source {
    bool filled;
    uint64_t pattern, values;
    sp_coef coef;
} direct_source;

static bool direct_is_current(const direct_source *d, const sp_system *A, sp_coef c) {
    return d->filled && d->pattern == A->pattern && d->values == A->values && memcmp(&d->coef, &c, sizeof c) == 0;
}

// Sums over the free unknowns: |b|^2, |b - A x|^2, b . x
typedef struct direct_sums {
    double bb, rr, bx;
} direct_sums;

static direct_sums direct_compare(const sp_system *A, const double *b, const double *x, const double *Ax) {
    direct_sums s = {0};
    for (int i = 0; i < A->n; i++) {
        if (A->fixed[i]) continue;
        s.bb += b[i] * b[i], s.rr += (b[i] - Ax[i]) * (b[i] - Ax[i]), s.bx += b[i] * x[i];
    }
    return s;
}

static void direct_report(const direct_sums *s, bool definite, double tolerance, sp_linear_info *info) {
    info->iterations = 1;
    info->residual = s->bb > 0 ? sqrt(s->rr / s->bb) : 0;
    if (!isfinite(s->rr) || !isfinite(s->bb))
        info->status = SP_NOT_FINITE;
    else if (!definite)
        info->status = SP_NOT_SPD;
    else if (tolerance > 0 && info->residual > tolerance)
        info->status = SP_NOT_CONVERGED;
}

// ====================================================================================================== cholesky

// Sparse Cholesky solver: refactorisation of the assembled matrix each time its values change.
//
// Double precision: one solve with the factor, with iterative refinement in the rare case that the residual is above the
// tolerance. Single precision: conjugate gradients in double with the factor as preconditioner. An iteration costs as much as one
// of plain refinement and still converges if the condition number exceeds single precision.
//
// Indefinite matrix: A + shift I is factored instead; the shift grows tenfold until the factorisation succeeds. The result is
// then not a solution but a descent direction of the energy, which Newton's method needs; status SP_NOT_SPD and the shift report
// it. L D L^T factors indefinite matrices without a shift: if x . b is not positive, the status is SP_NOT_SPD, too.

enum { CORRECTIONS = 3 };

typedef struct cholesky {
    sp_matrix m;
    sp_factor *F;
    sp_pcg_workspace workspace;
    sp_solver *plain;    // conjugate gradients for systems without an assembled matrix
    bool current;        // the factor belongs to the current values of m
    double shift;        // diagonal shift of the current factor
    sp_status factored;  // SP_OK: the factor is valid, of the matrix or of the shifted matrix
} cholesky;

static bool is_single(const sp_solver *s) {
    return s->def.cholesky.precision == SP_FACTOR_FLOAT;
}

static sp_status cholesky_create(sp_solver *s) {
    cholesky *d;
    if (!SP_NEW(s->ctx, d, 1)) return SP_FAIL(s->ctx, SP_NO_MEMORY, "no memory for a direct solver");
    s->impl = d;
    return SP_OK;
}

static void cholesky_destroy(sp_solver *s) {
    cholesky *d = s->impl;
    if (!d) return;
    sp__factor_destroy(&d->F);
    sp__pcg_workspace_free(&d->workspace);
    sp__matrix_forget(&d->m);
    sp__solver_destroy(&d->plain);
    sp__free(s->ctx, d);
}

static size_t cholesky_bytes(const sp_solver *s) {
    const cholesky *d = s->impl;
    size_t factor = d->F ? sp__factor_bytes(d->F) + sp__symbolic_bytes(sp__factor_symbolic(d->F)) : 0;
    size_t plain = d->plain ? sp__solver_bytes(d->plain) : 0;
    return sp__matrix_bytes(&d->m) + 4 * sizeof(double) * (size_t)d->workspace.n + factor + plain;
}

// symbolic analysis and allocation of the factor for this pattern
static sp_status cholesky_analyse(sp_solver *s, cholesky *d, const sp_system *A) {
    sp_symmetric view;
    sp_symbolic *S = NULL;
    double *points = NULL;
    sp_factor_def def = {.kind = s->def.cholesky.factor, .single = is_single(s), .plain = sp__backend_plain(s->be)};
    sp_status status = SP_NO_MEMORY;
    sp__blocks_view(d->m.A, &view);
    if (A->points) {
        if (!SP_NEW(s->ctx, points, A->n + 1)) goto done;
        A->points(A->o, points);
    }
    if ((status = sp__symbolic_create(s->ctx, s->def.cholesky.ordering, &view, points, &S)) < 0) goto done;
    status = sp__factor_create(s->ctx, &def, S, &d->F);
done:
    if (S) sp__symbolic_release(&S);
    sp__free(s->ctx, points);
    if (status == SP_NO_MEMORY) return SP_FAIL(s->ctx, status, "no memory for a factor of %d unknowns", A->n);
    return status;
}

// factors A, or A + shift I with the smallest tried shift that makes it positive definite
static void cholesky_factorise(cholesky *d, sp_linear_info *info) {
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

static void cholesky_apply(void *arg, const double *r, double *z) {
    sp__factor_solve(arg, r, z, false);
}

// x = b at fixed unknowns, 0 elsewhere. Returns |b|^2 over the free ones.
static double cholesky_begin(const sp_pcg_problem *p, int n, double *x) {
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

// x += A^-1 r, repeated while the residual is above the tolerance and decreases. r is b at first. Returns |b - A x|^2.
static double solve_and_correct(cholesky *d, const sp_pcg_problem *p, double first, double *x, sp_linear_info *info) {
    sp_pcg_workspace *w = &d->workspace;
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

static void solve_double(cholesky *d, const sp_pcg_problem *p, double *x, sp_linear_info *info) {
    double first = cholesky_begin(p, d->workspace.n, x);
    info->status = isfinite(first) ? SP_OK : SP_NOT_FINITE;
    if (info->status || !(first > 0)) return;
    double rr = solve_and_correct(d, p, first, x, info);
    info->residual = sqrt(rr / first);
    if (!isfinite(rr))
        info->status = SP_NOT_FINITE;
    else if (d->shift > 0 || !(free_dot(p, d->workspace.n, x) > 0))
        info->status = SP_NOT_SPD;
    else if (p->tolerance > 0 && info->residual > p->tolerance)
        info->status = SP_NOT_CONVERGED;
}

// Without a tolerance the iteration continues to the limit of double precision. A shift that only single precision needs is not
// reported as long as the iteration finds no negative curvature.
static void solve_single(cholesky *d, sp_pcg_problem *p, double *x, sp_linear_info *info) {
    const double rounding = 1e-15;
    bool asked = p->tolerance > 0;
    if (!asked) p->tolerance = rounding;
    sp__pcg_run(&d->workspace, p, x, info);
    if (!asked && info->status == SP_NOT_CONVERGED) info->status = SP_OK;
    if (info->status != SP_NOT_SPD || info->iterations > 0) return;
    for (int i = 0; i < d->workspace.n; i++)
        if (!p->fixed[i]) x[i] = d->workspace.z[i];
}

// The factor of A; none if A cannot be assembled.
static sp_status cholesky_prepare(sp_solver *s, const sp_system *A, sp_coef c, sp_linear_info *info) {
    cholesky *d = s->impl;
    sp_matrix_change change;
    SP_TRY(sp__matrix_follow(&d->m, s->ctx, A, c, &change));
    if (!d->m.A) return SP_OK;
    if (change == SP_MATRIX_PATTERN) sp__factor_destroy(&d->F);
    if (change != SP_MATRIX_SAME) d->current = false;
    if (!d->F) SP_TRY(cholesky_analyse(s, d, A));
    if (!d->current) cholesky_factorise(d, info);
    return SP_OK;
}

static bool cholesky_factored(sp_solver *s, sp_factored *out) {
    const cholesky *d = s->impl;
    *out = (sp_factored){.F = d->F, .current = d->shift == 0};
    return d->m.A && d->F && d->current && d->factored == SP_OK && sp__factor_definite(d->F);
}

static sp_status cholesky_solve(sp_solver *s, const sp_system *A, sp_coef c, const double *b, double *x, sp_linear_info *info) {
    cholesky *d = s->impl;
    SP_TRY(cholesky_prepare(s, A, c, info));
    if (!d->m.A) return sp__solve_without_matrix(s, &d->plain, A, c, b, x, "cg (matrix-free, nothing to factor)", info);
    SP_TRY(sp__pcg_workspace_create(&d->workspace, s->ctx, A->n));
    info->solver = is_single(s) ? "cholesky (float)" : "cholesky";
    info->shift = d->shift, info->factor_age = 0;
    sp_pcg_problem p = {.be = s->be,
                        .A = d->m.A,
                        .fixed = A->fixed,
                        .b = b,
                        .tolerance = s->def.tolerance,
                        .iterations = s->def.iterations,
                        .apply = cholesky_apply,
                        .arg = d->F};
    if (d->factored != SP_OK) {
        cholesky_begin(&p, A->n, x);
        info->status = d->factored, info->residual = 1;
    } else if (is_single(s)) {
        solve_single(d, &p, x, info);
    } else {
        solve_double(d, &p, x, info);
    }
    return SP_OK;
}

const sp_solver_kind sp__solver_cholesky = {.name = "cholesky",
                                            .create = cholesky_create,
                                            .destroy = cholesky_destroy,
                                            .solve = cholesky_solve,
                                            .prepare = cholesky_prepare,
                                            .factored = cholesky_factored,
                                            .bytes = cholesky_bytes};

// ========================================================================================================= dense

// Dense direct solver: factors the whole lower triangle panel by panel (sparse/dense.h). For small bodies, and as a reference
// that shares only the kernels with the sparse solvers. Systems that cannot be assembled are evaluated one column at a time.

enum { MOST = 3000, STRIP = 4 * SP_DENSE_ROWS };

typedef struct dense {
    const sp_dense_d *kernels;
    int n;
    double *L;            // n x n, column-major, lower triangle
    double *d;            // diagonal of L D L^T; NULL: L L^T
    double *rows, *cols;  // panels in the layout of the kernels
    double *x, *y;
    direct_source made_from;
    double shift;
    sp_status factored;
} dense;

static void dense_free_arrays(sp_context *ctx, dense *d) {
    double **all[] = {&d->L, &d->d, &d->rows, &d->cols, &d->x, &d->y};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) sp__free(ctx, *all[i]), *all[i] = NULL;
    d->n = 0, d->made_from.filled = false;
}

static sp_status dense_create(sp_solver *s) {
    dense *d;
    if (!SP_NEW(s->ctx, d, 1)) return SP_FAIL(s->ctx, SP_NO_MEMORY, "no memory for a dense solver");
    d->kernels = sp__dense_d(sp__backend_plain(s->be));
    s->impl = d;
    return SP_OK;
}

static void dense_destroy(sp_solver *s) {
    if (!s->impl) return;
    dense_free_arrays(s->ctx, s->impl);
    sp__free(s->ctx, s->impl);
}

static size_t dense_bytes(const sp_solver *s) {
    const dense *d = s->impl;
    return sizeof(double) * (size_t)d->n * ((size_t)d->n + 2 * SP_DENSE_PANEL + 3);
}

static sp_status dense_reserve(sp_solver *s, dense *d, int n) {
    sp_context *ctx = s->ctx;
    size_t pack = sp__dense_pack_size(n, SP_DENSE_PANEL);
    if (n > MOST)
        return SP_FAIL(ctx, SP_BAD_INPUT, "solver type=\"dense\": the body has %d unknowns, at most %d; use \"cholesky\"", n,
                       MOST);
    if (d->n == n) return SP_OK;
    dense_free_arrays(ctx, d);
    if (!SP_NEW(ctx, d->L, (size_t)n * (size_t)n + 1) || !SP_NEW(ctx, d->rows, pack) || !SP_NEW(ctx, d->cols, pack) ||
        !SP_NEW(ctx, d->x, n + 1) || !SP_NEW(ctx, d->y, n + 1) ||
        (s->def.cholesky.factor == SP_LDLT && !SP_NEW(ctx, d->d, n + 1))) {
        dense_free_arrays(ctx, d);
        return SP_FAIL(ctx, SP_NO_MEMORY, "no memory for a dense matrix of %d unknowns", n);
    }
    d->n = n;
    return SP_OK;
}

// ------------------------------------------------------------------------------------------------ the factor

// column j of the matrix is a product with a unit vector; only the matrix-free product of the body is used here
static void dense_fill(dense *d, const sp_system *A, sp_coef c) {
    memset(d->x, 0, sizeof *d->x * (size_t)d->n);
    for (int j = 0; j < d->n; j++) {
        d->x[j] = 1;
        A->mul(A->o, c, d->x, d->y);
        d->x[j] = 0;
        memcpy(d->L + (size_t)j * (size_t)(d->n + 1), d->y + j, sizeof *d->y * (size_t)(d->n - j));
    }
}

static double mean_diagonal(const dense *d) {
    double sum = 0;
    for (int j = 0; j < d->n; j++) sum += fabs(d->L[(size_t)j * (size_t)(d->n + 1)]);
    return d->n ? sum / d->n : 0;
}

typedef struct panel {
    const dense *d;
    int first, width;  // columns
    int m;             // rows below them
} panel;

// updates one strip of columns of the trailing matrix
static void update_strip(void *arg, int task, int worker) {
    (void)worker;
    const panel *p = arg;
    const dense *d = p->d;
    int begin = task * STRIP, end = begin + STRIP < p->m ? begin + STRIP : p->m;
    double *rest = d->L + (size_t)(p->first + p->width) * (size_t)(d->n + 1);
    d->kernels->update(begin, p->m, begin, end, p->width, d->rows, d->cols, rest, d->n);
}

// Right-looking factorisation by panels. Returns false if a pivot fails.
static bool dense_eliminate(sp_context *ctx, dense *d) {
    for (int j = 0; j < d->n; j += SP_DENSE_PANEL) {
        int k = d->n - j < SP_DENSE_PANEL ? d->n - j : SP_DENSE_PANEL;
        panel p = {d, j, k, d->n - j - k};
        double *corner = d->L + (size_t)j * (size_t)(d->n + 1), *diagonal = d->d ? d->d + j : NULL;
        if (d->kernels->diagonal(k, corner, d->n, diagonal) < k) return false;
        if (p.m == 0) break;
        d->kernels->below(p.m, k, corner, d->n, diagonal, corner + k, d->n);
        d->kernels->pack(p.m, k, corner + k, d->n, diagonal, d->rows, d->cols);
        sp__parallel(ctx, (p.m + STRIP - 1) / STRIP, update_strip, &p);
    }
    return true;
}

static void dense_factorise(sp_solver *s, dense *d, const sp_system *A, sp_coef c, sp_linear_info *info) {
    double mean = 0;
    d->shift = 0, d->factored = SP_NOT_SPD;
    for (int k = 0; k < SP_SHIFTS && d->factored == SP_NOT_SPD; k++) {
        dense_fill(d, A, c);
        mean = mean_diagonal(d);
        if (k > 0) d->shift = sp__shift_next(d->shift, mean);
        for (int j = 0; j < d->n && d->shift > 0; j++) d->L[(size_t)j * (size_t)(d->n + 1)] += d->shift;
        if (!isfinite(mean))
            d->factored = SP_NOT_FINITE;
        else if (dense_eliminate(s->ctx, d))
            d->factored = SP_OK;
        info->factor_flops += (double)d->n * d->n * d->n / 3;
        if (!(mean > 0)) break;
    }
    info->columns = d->n / A->block, info->refreshes = 1;
    d->made_from = (direct_source){true, A->pattern, A->values, c};
}

// ------------------------------------------------------------------------------------------------ solves

// x = (L D L^T)^-1 x
static void dense_substitute(const dense *d, double *x) {
    int n = d->n, last = n > 0 ? (n - 1) / SP_DENSE_PANEL * SP_DENSE_PANEL : 0;
    for (int j = 0; j < n; j += SP_DENSE_PANEL) {
        int k = n - j < SP_DENSE_PANEL ? n - j : SP_DENSE_PANEL;
        d->kernels->forward(n - j, k, d->L + (size_t)j * (size_t)(n + 1), n, d->d != NULL, x + j, x + j + k);
    }
    for (int i = 0; i < n && d->d; i++) x[i] /= d->d[i];
    for (int j = last; j >= 0 && n > 0; j -= SP_DENSE_PANEL) {
        int k = n - j < SP_DENSE_PANEL ? n - j : SP_DENSE_PANEL;
        d->kernels->backward(n - j, k, d->L + (size_t)j * (size_t)(n + 1), n, d->d != NULL, x + j, x + j + k);
    }
}

static sp_status dense_solve(sp_solver *s, const sp_system *A, sp_coef c, const double *b, double *x, sp_linear_info *info) {
    dense *d = s->impl;
    SP_TRY(dense_reserve(s, d, A->n));
    if (!direct_is_current(&d->made_from, A, c)) dense_factorise(s, d, A, c, info);
    info->shift = d->shift, info->factor_age = 0;
    for (int i = 0; i < d->n; i++) d->x[i] = A->fixed[i] ? 0.0 : b[i];
    if (d->factored == SP_OK) dense_substitute(d, d->x);
    for (int i = 0; i < d->n; i++) x[i] = A->fixed[i] ? b[i] : d->factored == SP_OK ? d->x[i] : 0.0;
    if (d->factored != SP_OK) {
        info->status = d->factored, info->residual = 1;
        return SP_OK;
    }
    A->mul(A->o, c, x, d->y);
    direct_sums t = direct_compare(A, b, x, d->y);
    direct_report(&t, !(t.bb > 0) || (d->shift == 0 && t.bx > 0), s->def.tolerance, info);
    return SP_OK;
}

const sp_solver_kind sp__solver_dense = {
    .name = "dense", .create = dense_create, .destroy = dense_destroy, .solve = dense_solve, .bytes = dense_bytes};

// ============================================================================================= block-tridiagonal

// Direct solver of chains: each part of the matrix is factored within its own band, O(n band^2), in parallel over the parts.
// Beams have a block-tridiagonal matrix with blocks of six, discrete rods a band of ten, reduced strands a dense part.

typedef struct banded {
    int parts, n;
    size_t *at;   // parts + 1: start of the band of each part
    double *L;    // bands of all parts
    int *failed;  // per part: unknown with the failed pivot, or -1
    double *y;    // n + 1
    direct_source made_from;
    double shift;
    sp_status factored;
    const sp_system *A;  // of the last call; the caller keeps it until the step ends
} banded;

// data of a solve that the workers share
typedef struct banded_job {
    const sp_system *A;
    banded *d;
    sp_coef c;
    double *x;
} banded_job;

static void banded_free_arrays(sp_context *ctx, banded *d) {
    void *all[] = {d->at, d->L, d->failed, d->y};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) sp__free(ctx, all[i]);
    *d = (banded){0};
}

static sp_status banded_create(sp_solver *s) {
    banded *d;
    if (!SP_NEW(s->ctx, d, 1)) return SP_FAIL(s->ctx, SP_NO_MEMORY, "no memory for a banded solver");
    s->impl = d;
    return SP_OK;
}

static void banded_destroy(sp_solver *s) {
    if (!s->impl) return;
    banded_free_arrays(s->ctx, s->impl);
    sp__free(s->ctx, s->impl);
}

static size_t banded_bytes(const sp_solver *s) {
    const banded *d = s->impl;
    return sizeof *d + (d->at ? d->at[d->parts] * sizeof *d->L : 0) + (size_t)d->n * sizeof *d->y;
}

static sp_status banded_reserve(sp_solver *s, banded *d, const sp_system *A) {
    const sp_parts *p = A->parts;
    if (d->at && d->made_from.pattern == A->pattern) return SP_OK;
    banded_free_arrays(s->ctx, d);
    if (!SP_NEW(s->ctx, d->at, (size_t)p->count + 1)) return SP_FAIL(s->ctx, SP_NO_MEMORY, "no memory for %d parts", p->count);
    for (int k = 0; k < p->count; k++)
        d->at[k + 1] = d->at[k] + (size_t)(p->start[k + 1] - p->start[k]) * (size_t)(p->band[k] + 1);
    if (!SP_NEW(s->ctx, d->L, d->at[p->count] + 1) || !SP_NEW(s->ctx, d->failed, p->count) || !SP_NEW(s->ctx, d->y, A->n + 1)) {
        banded_free_arrays(s->ctx, d);
        return SP_FAIL(s->ctx, SP_NO_MEMORY, "no memory for a band of %d unknowns", A->n);
    }
    d->parts = p->count, d->n = A->n, d->made_from.pattern = A->pattern;
    return SP_OK;
}

// replaces the rows and columns of fixed unknowns by unit rows and columns
static void banded_hold(double *L, int n, int band, const unsigned char *fixed) {
    for (int i = 0; i < n; i++)
        for (int j = i > band ? i - band : 0; j <= i; j++)
            if (fixed[i] || fixed[j]) *sp__banded_at(L, band, i, j) = i == j;
}

static void factor_part(void *arg, int k, int worker) {
    (void)worker;
    const banded_job *w = arg;
    const sp_parts *p = w->A->parts;
    int first = p->start[k], n = p->start[k + 1] - first, band = p->band[k];
    double *L = w->d->L + w->d->at[k];
    memset(L, 0, (w->d->at[k + 1] - w->d->at[k]) * sizeof *L);
    p->fill(w->A->o, w->c, k, L);
    banded_hold(L, n, band, w->A->fixed + first);
    for (int i = 0; w->d->shift > 0 && i < n; i++) *sp__banded_at(L, band, i, i) += w->A->fixed[first + i] ? 0 : w->d->shift;
    w->d->failed[k] = sp__banded_factor(L, n, band, 0);
}

static void solve_part(void *arg, int k, int worker) {
    (void)worker;
    const banded_job *w = arg;
    const sp_parts *p = w->A->parts;
    int first = p->start[k];
    sp__banded_solve(w->d->L + w->d->at[k], p->start[k + 1] - first, p->band[k], w->x + first, w->x + first);
}

// mean pivot of the factored rows: the scale of a shift
static double mean_pivot(const banded *d, const sp_parts *p) {
    double sum = 0;
    int count = 0;
    for (int k = 0; k < d->parts; k++) {
        int n = d->failed[k] < 0 ? p->start[k + 1] - p->start[k] : d->failed[k];
        for (int i = 0; i < n; i++) sum += fabs(*sp__banded_at(d->L + d->at[k], p->band[k], i, i));
        count += n;
    }
    return count ? sum / count : 1;
}

static void banded_factorise(sp_solver *s, banded *d, const banded_job *w, sp_linear_info *info) {
    d->shift = 0, d->factored = SP_NOT_SPD;
    for (int k = 0; k < SP_SHIFTS && d->factored != SP_OK; k++) {
        if (k > 0) d->shift = sp__shift_next(d->shift, mean_pivot(d, w->A->parts));
        if (!isfinite(d->shift)) break;
        sp__parallel(s->ctx, d->parts, factor_part, (void *)w);
        d->factored = SP_OK;
        for (int part = 0; part < d->parts; part++) {
            double n = w->A->parts->start[part + 1] - w->A->parts->start[part], band = w->A->parts->band[part];
            if (d->failed[part] >= 0) d->factored = SP_NOT_SPD;
            info->factor_flops += n * band * (band + 3);
        }
    }
    info->columns = d->n / w->A->block, info->refreshes = 1;
    d->made_from = (direct_source){true, w->A->pattern, w->A->values, w->c};
}

static sp_status banded_prepare(sp_solver *s, const sp_system *A, sp_coef c, sp_linear_info *info) {
    banded *d = s->impl;
    if (!A->parts) return SP_FAIL(s->ctx, SP_BAD_INPUT, "solver type=\"block-tridiagonal\": the body is no chain; only rods are");
    SP_TRY(banded_reserve(s, d, A));
    banded_job w = {A, d, c, NULL};
    if (!direct_is_current(&d->made_from, A, c)) banded_factorise(s, d, &w, info);
    d->A = A;
    return SP_OK;
}

static bool banded_apply(sp_solver *s, double *x) {
    banded *d = s->impl;
    banded_job w = {.A = d->A, .d = d, .x = x};
    if (!d->A || d->factored != SP_OK) return false;
    for (int k = 0; k < d->parts; k++) solve_part(&w, k, 0);
    return true;
}

const double *sp__solver_part_factor(const sp_solver *s, int part) {
    const banded *d = s->impl;
    return d->L + d->at[part];
}

static sp_status banded_solve(sp_solver *s, const sp_system *A, sp_coef c, const double *b, double *x, sp_linear_info *info) {
    banded *d = s->impl;
    SP_TRY(banded_prepare(s, A, c, info));
    banded_job w = {A, d, c, x};
    info->shift = d->shift, info->factor_age = 0;
    bool good = d->factored == SP_OK;
    for (int i = 0; i < d->n; i++) x[i] = good && !A->fixed[i] ? b[i] : 0;
    if (good) sp__parallel(s->ctx, d->parts, solve_part, &w);
    for (int i = 0; i < d->n; i++)
        if (A->fixed[i]) x[i] = b[i];
    if (!good) {
        info->status = d->factored, info->residual = 1;
        return SP_OK;
    }
    A->mul(A->o, c, x, d->y);
    direct_sums t = direct_compare(A, b, x, d->y);
    direct_report(&t, d->shift == 0, s->def.tolerance, info);
    return SP_OK;
}

const sp_solver_kind sp__solver_banded = {.name = "block-tridiagonal",
                                          .create = banded_create,
                                          .destroy = banded_destroy,
                                          .solve = banded_solve,
                                          .prepare = banded_prepare,
                                          .apply = banded_apply,
                                          .bytes = banded_bytes};
