// The direct solver of chains: each part of the matrix is factored within its own band, O(n band^2), parts side by side on the
// workers. Beams have blocks of six in a row of three, discrete rods a band of ten, reduced strands are dense.
#include "linear/banded.h"
#include "linear/shift.h"
#include "linear/solver.h"

typedef struct banded {
    int parts, n;
    size_t *at;   // parts + 1: where the band of a part begins
    double *L;    // bands, one after the other
    int *failed;  // per part: unknown whose pivot failed, -1
    double *y;    // n + 1
    bool filled;
    uint64_t pattern, values;
    sp_coef coef;
    double shift;
    sp_status factored;
} banded;

// what the workers see of a solve
typedef struct job {
    const sp_system *A;
    banded *d;
    sp_coef c;
    double *x;
} job;

static void free_arrays(sp_context *ctx, banded *d) {
    void *all[] = {d->at, d->L, d->failed, d->y};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) sp__free(ctx, all[i]);
    *d = (banded){0};
}

static sp_status create(sp_solver *s) {
    banded *d;
    if (!SP_NEW(s->ctx, d, 1)) return SP_FAIL(s->ctx, SP_NO_MEMORY, "no memory for a banded solver");
    s->impl = d;
    return SP_OK;
}

static void destroy(sp_solver *s) {
    if (!s->impl) return;
    free_arrays(s->ctx, s->impl);
    sp__free(s->ctx, s->impl);
}

static size_t bytes(const sp_solver *s) {
    const banded *d = s->impl;
    return sizeof *d + (d->at ? d->at[d->parts] * sizeof *d->L : 0) + (size_t)d->n * sizeof *d->y;
}

static sp_status make_room(sp_solver *s, banded *d, const sp_system *A) {
    const sp_parts *p = A->parts;
    if (d->at && d->pattern == A->pattern) return SP_OK;
    free_arrays(s->ctx, d);
    if (!SP_NEW(s->ctx, d->at, (size_t)p->count + 1)) return SP_FAIL(s->ctx, SP_NO_MEMORY, "no memory for %d parts", p->count);
    for (int k = 0; k < p->count; k++)
        d->at[k + 1] = d->at[k] + (size_t)(p->start[k + 1] - p->start[k]) * (size_t)(p->band[k] + 1);
    if (!SP_NEW(s->ctx, d->L, d->at[p->count] + 1) || !SP_NEW(s->ctx, d->failed, p->count) || !SP_NEW(s->ctx, d->y, A->n + 1)) {
        free_arrays(s->ctx, d);
        return SP_FAIL(s->ctx, SP_NO_MEMORY, "no memory for a band of %d unknowns", A->n);
    }
    d->parts = p->count, d->n = A->n, d->pattern = A->pattern;
    return SP_OK;
}

// fixed unknowns as unit rows and columns
static void hold(double *L, int n, int band, const unsigned char *fixed) {
    for (int i = 0; i < n; i++)
        for (int j = i > band ? i - band : 0; j <= i; j++)
            if (fixed[i] || fixed[j]) *sp__banded_at(L, band, i, j) = i == j;
}

static void factor_part(void *arg, int k, int worker) {
    (void)worker;
    const job *w = arg;
    const sp_parts *p = w->A->parts;
    int first = p->start[k], n = p->start[k + 1] - first, band = p->band[k];
    double *L = w->d->L + w->d->at[k];
    memset(L, 0, (w->d->at[k + 1] - w->d->at[k]) * sizeof *L);
    p->fill(w->A->o, w->c, k, L);
    hold(L, n, band, w->A->fixed + first);
    for (int i = 0; w->d->shift > 0 && i < n; i++) *sp__banded_at(L, band, i, i) += w->A->fixed[first + i] ? 0 : w->d->shift;
    w->d->failed[k] = sp__banded_factor(L, n, band, 0);
}

static void solve_part(void *arg, int k, int worker) {
    (void)worker;
    const job *w = arg;
    const sp_parts *p = w->A->parts;
    int first = p->start[k];
    sp__banded_solve(w->d->L + w->d->at[k], p->start[k + 1] - first, p->band[k], w->x + first, w->x + first);
}

// the mean pivot of what was factored so far: the scale of a shift
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

static void factorise(sp_solver *s, banded *d, const job *w, sp_linear_info *info) {
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
    d->filled = true, d->values = w->A->values, d->coef = w->c;
}

static void judge(const banded *d, const sp_system *A, double tolerance, const double *b, sp_linear_info *info) {
    double bb = 0, rr = 0;
    for (int i = 0; i < d->n; i++) {
        if (A->fixed[i]) continue;
        bb += b[i] * b[i], rr += (b[i] - d->y[i]) * (b[i] - d->y[i]);
    }
    info->iterations = 1;
    info->residual = bb > 0 ? sqrt(rr / bb) : 0;
    if (!isfinite(rr) || !isfinite(bb))
        info->status = SP_NOT_FINITE;
    else if (d->shift > 0)
        info->status = SP_NOT_SPD;
    else if (tolerance > 0 && info->residual > tolerance)
        info->status = SP_NOT_CONVERGED;
}

static sp_status solve(sp_solver *s, const sp_system *A, sp_coef c, const double *b, double *x, sp_linear_info *info) {
    banded *d = s->impl;
    if (!A->parts) return SP_FAIL(s->ctx, SP_BAD_INPUT, "solver type=\"block-tridiagonal\": the body is no chain; only rods are");
    SP_TRY(make_room(s, d, A));
    job w = {A, d, c, x};
    bool same = d->filled && d->values == A->values && memcmp(&d->coef, &c, sizeof c) == 0;
    if (!same) factorise(s, d, &w, info);
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
    judge(d, A, s->def.tolerance, b, info);
    return SP_OK;
}

const sp_solver_kind sp__solver_banded = {
    .name = "block-tridiagonal", .create = create, .destroy = destroy, .solve = solve, .bytes = bytes};
