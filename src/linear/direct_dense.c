// The dense direct solver: the whole lower triangle, panel by panel (sparse/dense.h). For small bodies and as a reference that
// shares no code with the sparse ones but the kernels. Systems that cannot be assembled are asked for one column at a time.
#include "linear/matrix.h"
#include "linear/shift.h"
#include "linear/solver.h"
#include "sparse/dense.h"

enum { MOST = 3000, STRIP = 4 * SP_DENSE_ROWS };

typedef struct dense {
    const sp_dense_d *kernels;
    int n;
    double *L;            // n x n by columns, lower triangle
    double *d;            // diagonal of L D L^T; NULL: L L^T
    double *rows, *cols;  // panels as the kernels want them
    double *x, *y;
    bool filled;
    uint64_t pattern, values;
    sp_coef coef;
    double shift;
    sp_status factored;
} dense;

static void free_arrays(sp_context *ctx, dense *d) {
    double **all[] = {&d->L, &d->d, &d->rows, &d->cols, &d->x, &d->y};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) sp__free(ctx, *all[i]), *all[i] = NULL;
    d->n = 0, d->filled = false;
}

static sp_status create(sp_solver *s) {
    dense *d;
    if (!SP_NEW(s->ctx, d, 1)) return SP_FAIL(s->ctx, SP_NO_MEMORY, "no memory for a dense solver");
    d->kernels = sp__dense_d(sp__backend_plain(s->be));
    s->impl = d;
    return SP_OK;
}

static void destroy(sp_solver *s) {
    if (!s->impl) return;
    free_arrays(s->ctx, s->impl);
    sp__free(s->ctx, s->impl);
}

static size_t bytes(const sp_solver *s) {
    const dense *d = s->impl;
    return sizeof(double) * (size_t)d->n * ((size_t)d->n + 2 * SP_DENSE_PANEL + 3);
}

static sp_status make_room(sp_solver *s, dense *d, int n) {
    sp_context *ctx = s->ctx;
    size_t pack = sp__dense_pack_size(n, SP_DENSE_PANEL);
    if (n > MOST)
        return SP_FAIL(ctx, SP_BAD_INPUT, "solver type=\"dense\": the body has %d unknowns, at most %d; use \"cholesky\"", n,
                       MOST);
    if (d->n == n) return SP_OK;
    free_arrays(ctx, d);
    if (!SP_NEW(ctx, d->L, (size_t)n * (size_t)n + 1) || !SP_NEW(ctx, d->rows, pack) || !SP_NEW(ctx, d->cols, pack) ||
        !SP_NEW(ctx, d->x, n + 1) || !SP_NEW(ctx, d->y, n + 1) || (s->def.factor == SP_LDLT && !SP_NEW(ctx, d->d, n + 1))) {
        free_arrays(ctx, d);
        return SP_FAIL(ctx, SP_NO_MEMORY, "no memory for a dense matrix of %d unknowns", n);
    }
    d->n = n;
    return SP_OK;
}

// ------------------------------------------------------------------------------------------------ the factor

// column j of the matrix, by a product with a unit vector; only the products of the body itself are trusted here
static void fill(dense *d, const sp_system *A, sp_coef c) {
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

// one strip of columns of what is left
static void update_strip(void *arg, int task, int worker) {
    (void)worker;
    const panel *p = arg;
    const dense *d = p->d;
    int begin = task * STRIP, end = begin + STRIP < p->m ? begin + STRIP : p->m;
    double *rest = d->L + (size_t)(p->first + p->width) * (size_t)(d->n + 1);
    d->kernels->update(begin, p->m, begin, end, p->width, d->rows, d->cols, rest, d->n);
}

// Right-looking over panels. Returns false where a pivot fails.
static bool eliminate(sp_context *ctx, dense *d) {
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

static void factorise(sp_solver *s, dense *d, const sp_system *A, sp_coef c, sp_linear_info *info) {
    double mean = 0;
    d->shift = 0, d->factored = SP_NOT_SPD;
    for (int k = 0; k < SP_SHIFTS && d->factored == SP_NOT_SPD; k++) {
        fill(d, A, c);
        mean = mean_diagonal(d);
        if (k > 0) d->shift = sp__shift_next(d->shift, mean);
        for (int j = 0; j < d->n && d->shift > 0; j++) d->L[(size_t)j * (size_t)(d->n + 1)] += d->shift;
        if (!isfinite(mean))
            d->factored = SP_NOT_FINITE;
        else if (eliminate(s->ctx, d))
            d->factored = SP_OK;
        info->factor_flops += (double)d->n * d->n * d->n / 3;
        if (!(mean > 0)) break;
    }
    info->columns = d->n / A->block, info->refreshes = 1;
    d->filled = true, d->pattern = A->pattern, d->values = A->values, d->coef = c;
}

// ------------------------------------------------------------------------------------------------ solves

// x = (L D L^T)^-1 x
static void back_and_forth(const dense *d, double *x) {
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

static void judge(const dense *d, const sp_system *A, double tolerance, const double *b, const double *x, sp_linear_info *info) {
    double bb = 0, rr = 0, bx = 0;
    for (int i = 0; i < d->n; i++) {
        if (A->fixed[i]) continue;
        bb += b[i] * b[i], rr += (b[i] - d->y[i]) * (b[i] - d->y[i]), bx += b[i] * x[i];
    }
    info->iterations = 1;
    info->residual = bb > 0 ? sqrt(rr / bb) : 0;
    if (!isfinite(rr) || !isfinite(bb))
        info->status = SP_NOT_FINITE;
    else if (bb > 0 && (d->shift > 0 || !(bx > 0)))
        info->status = SP_NOT_SPD;
    else if (tolerance > 0 && info->residual > tolerance)
        info->status = SP_NOT_CONVERGED;
}

static sp_status solve(sp_solver *s, const sp_system *A, sp_coef c, const double *b, double *x, sp_linear_info *info) {
    dense *d = s->impl;
    SP_TRY(make_room(s, d, A->n));
    bool same = d->filled && d->pattern == A->pattern && d->values == A->values && memcmp(&d->coef, &c, sizeof c) == 0;
    if (!same) factorise(s, d, A, c, info);
    info->shift = d->shift, info->factor_age = 0;
    for (int i = 0; i < d->n; i++) d->x[i] = A->fixed[i] ? 0.0 : b[i];
    if (d->factored == SP_OK) back_and_forth(d, d->x);
    for (int i = 0; i < d->n; i++) x[i] = A->fixed[i] ? b[i] : d->factored == SP_OK ? d->x[i] : 0.0;
    if (d->factored != SP_OK) {
        info->status = d->factored, info->residual = 1;
        return SP_OK;
    }
    A->mul(A->o, c, x, d->y);
    judge(d, A, s->def.tolerance, b, x, info);
    return SP_OK;
}

const sp_solver_kind sp__solver_dense = {.name = "dense", .create = create, .destroy = destroy, .solve = solve, .bytes = bytes};
