// bench cholesky: the sparse Cholesky factor compared with the supernodal one of CHOLMOD in the same run: same matrix, same
// elimination order, same threads, CHOLMOD on OpenBLAS. A = M + h^2 K at rest of the torus of the publication on partial
// factorisation (radii 10 and 30 cm; here 42 x 8 x 8 cells, 16,128 tetrahedra and 10,206 unknowns, published 15,856 and 10,260)
// and of clamped beams.
//
//   fill      entries of L over entries of A, both triangles (the published 733% is 7.33)
//   partial   one patch of elements, grown around a node until the columns to refactor reach the given share; means over
//             several nodes. flop_share and ratio_to_full are relative to a full factorisation that keeps its contribution blocks
//
// Times on one thread are processor times, on several threads wall-clock times, each the minimum of its repeats. The scalar
// reference code is omitted for large matrices.
#include <stdio.h>

#include "core/core.h"
#include "plot.h"
#include "rest_matrix.h"
#include "sparse/scalar.h"

enum { PLACES = 5, SHARES = 4, PARTIAL_REPEATS = 12, ROUNDS = 3 };

typedef struct cholesky_case {
    const char *name;
    int cells[3];  // torus: around, across, 0
    double budget_ms;
} cholesky_case;

static const cholesky_case full_cases[] = {{"torus", {42, 4, 0}, 4000},
                                           {"beam-3k", {20, 5, 5}, 1000},
                                           {"beam-24k", {40, 10, 10}, 5000},
                                           {"beam-100k", {64, 16, 16}, 12000}};
static const cholesky_case quick_cases[] = {{"torus", {16, 2, 0}, 50}, {"beam-540", {10, 3, 3}, 50}};
static const double shares[SHARES] = {0.12, 0.20, 0.30, 0.50};

typedef struct cholesky_result {
    double analyse_ms, factor_ms, kept_ms, solve_ms, error, scalar_ms;
    sp_cholmod peer, own;  // with our elimination order; with its own METIS order
} cholesky_result;

static sp_status open_case(const cholesky_case *c, int workers, sp_rest_matrix *m) {
    return c->cells[2] ? sp__rest_beam(workers, c->cells, m) : sp__rest_torus(workers, c->cells, m);
}

// ---- ours

static sp_status run_ours(const sp_rest_matrix *m, sp_symbolic *S, int workers, double budget_ms, cholesky_result *out) {
    int n = 3 * m->A.view.n;
    double *b, *x = NULL, *scratch = NULL;
    sp_factor *F = NULL;
    sp_status status = SP_NO_MEMORY;
    if (SP_NEW(m->ctx, b, n) && SP_NEW(m->ctx, x, n) && SP_NEW(m->ctx, scratch, n)) status = sp__rest_factor(m, S, false, &F);
    if (status >= 0) status = sp__time_factor(F, &m->A.view, workers, budget_ms, &out->factor_ms);
    if (status >= 0) {
        sp__right_side(n, b);
        status = sp__time_solve(F, 1, b, x, workers, 0.2 * budget_ms, &out->solve_ms);
        out->error = sp__backward_error(&m->A.view, x, b, scratch);
    }
    if (F) sp__factor_destroy(&F);
    sp__free(m->ctx, b), sp__free(m->ctx, x), sp__free(m->ctx, scratch);
    return status;
}

// one column at a time at about 0.4 GFlop/s: only for small matrices
static sp_status run_scalar(const sp_rest_matrix *m, const sp_symbolic *S, double *ms) {
    sp_scalar_factor F = {0};
    int column = -1;
    *ms = NAN;
    if (S->flops_total > 8e9) return SP_OK;
    sp_status status = sp__scalar_analyse(m->ctx, &m->A.view, S->perm, &F);
    if (status >= 0) {
        double start = sp__bench_clock(false);
        status = sp__scalar_factor(&F, &m->A.view, &column);
        *ms = sp__bench_clock(false) - start;
        sp__scalar_free(&F);
    }
    if (status != SP_OK) fprintf(stderr, "bench: scalar factor: %s, column %d\n", sp_status_text(status), column);
    return status;
}

// ---- CHOLMOD

static sp_status run_peer(const sp_rest_matrix *m, const sp_symbolic *S, int workers, double budget_ms, cholesky_result *out) {
    sp_exchange x;
    sp_cholmod_job job = {.threads = workers, .repeats = 100, .budget_ms = budget_ms};
    SP_TRY(sp__cholmod_open(&x, m, S, &job));
    sp_cholmod_job own = job;
    own.order = NULL, own.budget_ms = 0.3 * budget_ms;
    sp_status status = sp__cholmod_run(&own, &out->own);
    if (status >= 0) status = sp__cholmod_run(&job, &out->peer);
    sp__exchange_close(&x);
    return status;
}

// Runs both in alternation, so that a disturbance of some seconds, or the memory pages of one process, affects both.
static sp_status run_in_turns(const sp_rest_matrix *m, sp_symbolic *S, int workers, double budget_ms, cholesky_result *out) {
    for (int round = 0; round < ROUNDS; round++) {
        cholesky_result now = *out;
        SP_TRY(run_ours(m, S, workers, budget_ms / ROUNDS, &now));
        SP_TRY(run_peer(m, S, workers, budget_ms / ROUNDS, &now));
        if (round) {
            now.factor_ms = fmin(now.factor_ms, out->factor_ms);
            now.solve_ms = fmin(now.solve_ms, out->solve_ms);
            now.peer.factor_ms = fmin(now.peer.factor_ms, out->peer.factor_ms);
            now.peer.solve_ms = fmin(now.peer.solve_ms, out->peer.solve_ms);
        }
        *out = now;
    }
    return SP_OK;
}

// ---- partial

typedef struct partial_sum {
    double elements, columns, flops, ms, error;
} partial_sum;

// number of elements of the patch that give the required share of columns
static int cholesky_grow(const sp_rest_matrix *m, sp_factor *F, const int *order, double share, int *rows) {
    int low = 1, high = m->tets, n = m->A.view.n;
    while (low < high) {
        int middle = low + (high - low) / 2, columns;
        double flops;
        sp__factor_price(F, sp__rest_rows(m, middle, order, rows), rows, &columns, &flops);
        if (columns < share * n)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

// largest difference of two solutions relative to the largest entry: the partially refactored factor against a new one
static sp_status compare_factors(sp_factor *F, sp_factor *fresh, const sp_symmetric *A, double *work, double *error) {
    int n = A->n * A->block;
    double *b = work, *x = work + n, *y = work + 2 * n, most = 0, apart = 0;
    sp_factor_info info;
    if (sp__factor_make(fresh, A, 0, false, &info) != SP_OK) return SP_DIVERGED;
    sp__right_side(n, b);
    sp__factor_solve(F, b, x, false);
    sp__factor_solve(fresh, b, y, false);
    for (int i = 0; i < n; i++) most = fmax(most, fabs(y[i])), apart = fmax(apart, fabs(x[i] - y[i]));
    *error = fmax(*error, apart / most);
    return SP_OK;
}

typedef struct partial_bench {
    const sp_rest_matrix *m;
    const sp_symbolic *S;
    sp_factor *F, *fresh;
    int *order, *rows;
    double *factor, *work;
    int workers, repeats;
} partial_bench;

// makes the patch stiffer by a quarter and restores it, repeatedly; each change is a partial factorisation of the same columns
static sp_status run_patch(const partial_bench *p, double share, partial_sum *sum) {
    const sp_rest_matrix *m = p->m;
    int count = cholesky_grow(m, p->F, p->order, share, p->rows), row_count = sp__rest_rows(m, count, p->order, p->rows);
    double least = INFINITY;
    sp_factor_info info = {0};
    for (int e = 0; e < m->tets; e++) p->factor[e] = 1;
    for (int e = 0; e < count; e++) p->factor[p->order[e]] = 1.25;
    sp__rest_fill(m, p->factor, m->other);
    sp_symmetric changed = sp__rest_with(m, m->other);
    for (int i = 0; i < p->repeats; i++) {
        const sp_symmetric *A = i % 2 ? &m->A.view : &changed;
        double start = sp__bench_clock(p->workers > 1);
        sp_status status = sp__factor_partial(p->F, A, row_count, p->rows, false, &info);
        least = fmin(least, sp__bench_clock(p->workers > 1) - start);
        if (status != SP_OK) return SP_DIVERGED;
        if (i == 0) SP_TRY(compare_factors(p->F, p->fresh, A, p->work, &sum->error));
    }
    if (p->repeats % 2) sp__factor_partial(p->F, &m->A.view, row_count, p->rows, false, &info);
    sum->elements += (double)count / m->tets;
    sum->columns += (double)info.columns / p->S->n;
    sum->flops += info.flops / p->S->flops_total;
    sum->ms += least;
    return SP_OK;
}

static void report_partial(sp_report *r, const partial_sum *s, int places, const cholesky_result *c, int workers) {
    sp_row *row = sp__report_case(r);
    double ms = s->ms / places, flops = s->flops / places;
    sp__row_number(row, "threads", "threads", "%.0f", workers);
    sp__row_number(row, "elements_percent", "elements %", "%.2f", 100 * s->elements / places);
    sp__row_number(row, "columns_percent", "columns %", "%.1f", 100 * s->columns / places);
    sp__row_number(row, "flop_share", "flop share", "%.3f", flops);
    sp__row_number(row, "ms", "ms", "%.2f", ms);
    sp__row_number(row, "ratio_to_full", "of full", "%.3f", ms / c->kept_ms);
    sp__row_number(row, "ratio_to_flop_share", "of share", "%.2f", ms / c->kept_ms / flops);
    sp__row_number(row, "full_ms", "full ms", "%.2f", c->kept_ms);
    sp__row_number(row, "cholmod_full_ms", "cholmod", "%.2f", c->peer.factor_ms);
    sp__row_number(row, "max_relative_error", "error", "%.1e", s->error);
    sp__report_case_done(r);
}

static sp_status run_shares(const partial_bench *p, const sp_bench_options *o, const cholesky_result *c, sp_report *r) {
    int nodes = sp_mesh_node_count(p->m->mesh), places = o->quick ? 1 : PLACES;
    for (int s = 0; s < SHARES; s++) {
        partial_sum sum = {0};
        for (int place = 0; place < places; place++) {
            SP_TRY(sp__rest_patch(p->m, (int)((place + 0.5) * nodes / places), p->order));
            SP_TRY(run_patch(p, shares[s], &sum));
        }
        report_partial(r, &sum, places, c, p->workers);
    }
    return SP_OK;
}

static sp_status run_partial(const cholesky_case *c, int workers, const sp_bench_options *o, cholesky_result *result,
                             sp_report *r) {
    sp_rest_matrix m;
    sp_symbolic *S = NULL;
    double unused;
    SP_TRY(open_case(c, workers, &m));
    partial_bench p = {.m = &m, .workers = workers, .repeats = o->quick ? 2 : PARTIAL_REPEATS};
    sp_status status = sp__time_analyse(&m, workers, 0, &S, &unused);
    p.S = S;
    if (status >= 0 && (!SP_NEW(m.ctx, p.order, m.tets) || !SP_NEW(m.ctx, p.rows, 4 * m.tets) ||
                        !SP_NEW(m.ctx, p.factor, m.tets) || !SP_NEW(m.ctx, p.work, 9 * m.A.view.n)))
        status = SP_NO_MEMORY;
    if (status >= 0) status = sp__rest_factor(&m, S, true, &p.F);
    if (status >= 0) status = sp__rest_factor(&m, S, false, &p.fresh);
    if (status >= 0) status = sp__time_factor(p.F, &m.A.view, workers, c->budget_ms, &result->kept_ms);
    if (status >= 0) status = run_shares(&p, o, result, r);
    if (p.F) sp__factor_destroy(&p.F);
    if (p.fresh) sp__factor_destroy(&p.fresh);
    if (S) sp__symbolic_release(&S);
    sp__free(m.ctx, p.order), sp__free(m.ctx, p.rows), sp__free(m.ctx, p.factor), sp__free(m.ctx, p.work);
    sp__rest_close(&m);
    return status;
}

// ---- report

static void report_case(sp_report *r, const cholesky_case *c, int workers, const sp_rest_matrix *m, const sp_symbolic *S,
                        const cholesky_result *s) {
    sp_row *row = sp__report_case(r);
    double nonzeros = sp__rest_nonzeros(m);
    sp__row_text(row, "name", "name     ", c->name);
    sp__row_number(row, "threads", "threads", "%.0f", workers);
    sp__row_number(row, "tets", "tets", "%.0f", m->tets);
    sp__row_number(row, "dofs", "dofs", "%.0f", 3.0 * m->A.view.n);
    sp__row_number(row, "nnz", "nnz", "%.0f", nonzeros);
    sp__row_text(row, "ordering", "ordering", sp__ordering_name(S->ordering));
    sp__row_number(row, "fill", "fill", "%.2f", (double)S->entries_exact / nonzeros);
    sp__row_number(row, "gflop", "GFlop", "%.2f", 1e-9 * S->flops_total);
    sp__row_number(row, "analyse_ms", "analyse", "%.1f", s->analyse_ms);
    sp__row_number(row, "factor_ms", "factor", "%.2f", s->factor_ms);
    sp__row_number(row, "gflop_per_s", "GFlop/s", "%.1f", 1e-6 * S->flops_total / s->factor_ms);
    sp__row_number(row, "solve_ms", "solve", "%.3f", s->solve_ms);
    sp__row_number(row, "backward_error", "error", "%.1e", s->error);
    sp__row_number(row, "cholmod_analyse_ms", NULL, "%.1f", s->own.analyse_ms);
    sp__row_number(row, "cholmod_factor_ms", "cholmod", "%.2f", s->peer.factor_ms);
    sp__row_number(row, "cholmod_solve_ms", "solve", "%.3f", s->peer.solve_ms);
    sp__row_number(row, "cholmod_metis_factor_ms", "own METIS", "%.2f", s->own.factor_ms);
    sp__row_number(row, "cholmod_metis_solve_ms", NULL, "%.3f", s->own.solve_ms);
    sp__row_number(row, "cholmod_backward_error", NULL, "%.1e", s->peer.error);
    sp__row_number(row, "factor_vs_cholmod", "factor /", "%.2f", s->factor_ms / s->peer.factor_ms);
    sp__row_number(row, "solve_vs_cholmod", "solve /", "%.2f", s->solve_ms / s->peer.solve_ms);
    sp__row_number(row, "scalar_factor_ms", "scalar", "%.0f", s->scalar_ms);
    sp__report_case_done(r);
}

static sp_status run_case(const cholesky_case *c, int workers, const sp_bench_options *o, cholesky_result *out, sp_report *r) {
    sp_rest_matrix m;
    sp_symbolic *S = NULL;
    *out = (cholesky_result){.scalar_ms = NAN};
    SP_TRY(open_case(c, workers, &m));
    sp_status status = sp__time_analyse(&m, workers, c->budget_ms, &S, &out->analyse_ms);
    if (status >= 0) status = run_in_turns(&m, S, workers, c->budget_ms, out);
    if (status >= 0 && workers == 1) status = run_scalar(&m, S, &out->scalar_ms);
    if (status >= 0 && o->dump && workers == 1) {
        char path[512];
        snprintf(path, sizeof path, "%s/%s.mtx", o->dump, c->name);
        status = sp__write_matrix(m.ctx, &m.A.view, path);
    }
    if (status >= 0) report_case(r, c, workers, &m, S, out);
    if (S) sp__symbolic_release(&S);
    sp__rest_close(&m);
    return status;
}

// ---- plots

static sp_status cholesky_draw(const sp_report *r, const sp_bench_options *o) {
    static sp_points ratio, flops;
    // published scalar left-looking code: share of columns, time relative to its full 0.88 s
    static const double columns[] = {21, 37, 48, 57, 69, 83}, source[] = {0.735, 0.792, 0.830, 0.820, 0.848, 0.868};
    sp__report_points(r, 1, 1, NULL, "columns_percent", "ratio_to_full", &ratio);
    sp__report_points(r, 1, 1, NULL, "columns_percent", "flop_share", &flops);
    const sp_plot_series series[] = {{"time", ratio.x, ratio.y, ratio.count, true, false},
                                     {"share of flops", flops.x, flops.y, flops.count, true, true},
                                     {"published, scalar", columns, source, 6, true, true}};
    const sp_plot plot = {.title = "Partial refactorisation of the torus, one patch, one thread",
                          .x_label = "columns refactored [%]",
                          .y_label = "share of the whole factorisation",
                          .series = series,
                          .series_count = 3};
    return sp__bench_plot(&plot, o->dump, "cholesky-partial");
}

sp_status sp__bench_cholesky(const sp_bench_options *o, sp_report *r) {
    const cholesky_case *cases = o->quick ? quick_cases : full_cases;
    int count = (int)(o->quick ? sizeof quick_cases : sizeof full_cases) / (int)sizeof *cases;
    cholesky_result torus[2], other;
    SP_TRY(sp__bench_open(o, r));
    for (int i = 0; i < count; i++)
        for (int workers = 1, all = 0;; workers = o->threads, all = 1) {
            SP_TRY(run_case(&cases[i], workers, o, i ? &other : &torus[all], r));
            if (workers == o->threads) break;
        }
    if (!torus[0].peer.present) sp__report_note(r, "CHOLMOD was not found when this was built: its columns are empty");
    sp__report_array(r, "partial");
    for (int workers = 1, all = 0;; workers = o->threads, all = 1) {
        SP_TRY(run_partial(&cases[0], workers, o, &torus[all], r));
        if (workers == o->threads) break;
    }
    return o->dump ? cholesky_draw(r, o) : SP_OK;
}
