// bench factor: FACTOR-k, the matrix of the peer comparison: A = M + h^2 K at rest of BEAM-k without its clamped unknowns.
// Analyse, factor, solve of 1 and of 64 right-hand sides; then 1, 4 and 16 tetrahedra in the middle of the beam are removed
// (their stiffness; ranks 6, 24 and 96) and restored. Our code updates the supernodal factor in place, either by refactoring the
// affected columns from stored contribution blocks or by a low-rank update. CHOLMOD uses its updown, which is simplicial: the
// time to convert from supernodal form is reported separately (cholmod_convert_ms) and excluded from the ratios.
//
// Times on one thread are processor times, on several threads wall-clock times; all are minimum times of repeats.
#include <stdio.h>

#include "core/core.h"
#include "plot.h"
#include "rest_matrix.h"

enum { REMOVALS = 3, MANY = 64, ROWS_ROOM = 64, TETS_ROOM = 16 };
static const int removed_tets[REMOVALS] = {1, 4, 16};

typedef struct factor_case {
    int k;
    double budget_ms;
} factor_case;

static const factor_case full_cases[] = {{4, 500}, {8, 2000}, {12, 4000}, {16, 10000}};
static const factor_case quick_cases[] = {{2, 20}, {4, 20}};

// rows and roots of the removed elements
typedef struct removal {
    int count, row_count, rows[ROWS_ROOM];
    double W[3 * ROWS_ROOM * 6 * TETS_ROOM];
} removal;

typedef struct factor_result {
    double analyse_ms, factor_ms, kept_ms, solve_ms, solve64_ms, error, removed_error;
    double partial[2][REMOVALS], update[2][REMOVALS];  // [0] removal, [1] restoration
    double best[2][REMOVALS];
    sp_cholmod peer, own;
} factor_result;

// ---- the parts

static sp_status time_solves(const sp_rest_matrix *m, sp_factor *F, int workers, double budget_ms, factor_result *out) {
    int n = 3 * m->A.view.n;
    double *B, *X = NULL, *scratch = NULL;
    sp_status status = SP_NO_MEMORY;
    if (SP_NEW(m->ctx, B, (size_t)n * MANY) && SP_NEW(m->ctx, X, (size_t)n * MANY) && SP_NEW(m->ctx, scratch, n)) {
        for (int c = 0; c < MANY; c++) sp__right_side(n, B + (size_t)c * (size_t)n);
        status = sp__time_solve(F, 1, B, X, workers, budget_ms, &out->solve_ms);
        out->error = sp__backward_error(&m->A.view, X, B, scratch);
        if (status >= 0) status = sp__time_solve(F, MANY, B, X, workers, budget_ms, &out->solve64_ms);
    }
    sp__free(m->ctx, B), sp__free(m->ctx, X), sp__free(m->ctx, scratch);
    return status;
}

static int middle_node(int k) {
    return 2 * k * (k + 1) * (k + 1) + k / 2 * (k + 1) + k / 2;
}

static void choose_removals(const sp_rest_matrix *m, const int *order, removal *out) {
    for (int i = 0; i < REMOVALS; i++) {
        out[i].count = removed_tets[i];
        out[i].row_count = sp__rest_rows(m, removed_tets[i], order, out[i].rows);
        sp__rest_roots(m, removed_tets[i], order, out[i].row_count, out[i].rows, out[i].W);
    }
}

// ---- removal and restoration

static void check_solution(const sp_symmetric *A, sp_factor *F, double *work, double *worst) {
    int n = A->n * A->block;
    sp__right_side(n, work);
    sp__factor_solve(F, work, work + n, false);
    *worst = fmax(*worst, sp__backward_error(A, work + n, work, work + 2 * n));
}

typedef struct removal_bench {
    const sp_rest_matrix *m;
    sp_factor *F;
    const removal *what;
    sp_symmetric less;  // A without the removed elements
    double *work;
    int workers;
    double budget_ms;
} removal_bench;

static sp_status one_way(const removal_bench *b, bool update, bool back) {
    sp_factor_info info = {0};
    const removal *w = b->what;
    if (update) return sp__factor_update(b->F, back ? 1 : -1, w->row_count, w->rows, 6 * w->count, w->W, &info);
    return sp__factor_partial(b->F, back ? &b->m->A.view : &b->less, w->row_count, w->rows, false, &info);
}

static sp_status time_removal(const removal_bench *b, bool update, double *out_ms, double *back_ms, double *error) {
    double begun = sp__bench_clock(true);
    double *ms[2] = {out_ms, back_ms};
    *out_ms = *back_ms = INFINITY;
    for (int i = 0; i < 3 || (i < 200 && sp__bench_clock(true) - begun < b->budget_ms); i++)
        for (int back = 0; back < 2; back++) {
            double start = sp__bench_clock(b->workers > 1);
            sp_status status = one_way(b, update, back);
            *ms[back] = fmin(*ms[back], sp__bench_clock(b->workers > 1) - start);
            if (status != SP_OK) {
                fprintf(stderr, "bench: removal by %s: %s\n", update ? "update" : "partial factor", sp_status_text(status));
                return SP_DIVERGED;
            }
            if (i == 0) check_solution(back ? &b->m->A.view : &b->less, b->F, b->work, error);
        }
    return SP_OK;
}

static sp_status run_removals(removal_bench *b, const removal *removals, sp_factor *const F[2], const int *order, double *factor,
                              factor_result *out) {
    for (int i = 0; i < REMOVALS; i++) {
        b->what = &removals[i];
        for (int e = 0; e < b->m->tets; e++) factor[e] = 1;
        for (int e = 0; e < removals[i].count; e++) factor[order[e]] = 0;
        sp__rest_fill(b->m, factor, b->m->other);
        b->less = sp__rest_with(b->m, b->m->other);
        b->F = F[0];
        SP_TRY(time_removal(b, false, &out->partial[0][i], &out->partial[1][i], &out->removed_error));
        b->F = F[1];
        SP_TRY(time_removal(b, true, &out->update[0][i], &out->update[1][i], &out->removed_error));
        for (int back = 0; back < 2; back++) out->best[back][i] = fmin(out->partial[back][i], out->update[back][i]);
    }
    return SP_OK;
}

// ---- CHOLMOD

static sp_status run_peer(const sp_rest_matrix *m, const sp_symbolic *S, const removal *removals, int workers, double budget_ms,
                          factor_result *out) {
    sp_exchange x;
    sp_cholmod_job job = {.threads = workers, .repeats = 100, .budget_ms = budget_ms, .many = true};
    SP_TRY(sp__cholmod_open(&x, m, S, &job));
    sp_status status = SP_OK;
    for (int i = 0; i < REMOVALS && status >= 0; i++) {
        char name[32];
        snprintf(name, sizeof name, "remove-%d.mtx", removals[i].count);
        job.remove[i] = sp__exchange_path(&x, name);
        status = sp__write_columns(3 * m->A.view.n, removals[i].row_count, removals[i].rows, 6 * removals[i].count, removals[i].W,
                                   job.remove[i]);
    }
    if (status >= 0) status = sp__cholmod_run(&job, &out->peer);
    sp_cholmod_job alone = {.matrix = job.matrix, .threads = workers, .repeats = 3, .budget_ms = 0.2 * budget_ms};
    if (status >= 0) status = sp__cholmod_run(&alone, &out->own);
    sp__exchange_close(&x);
    return status;
}

// ---- report

static void row_ratio(sp_row *row, const char *key, const char *title, const double *ours, const double *theirs) {
    double ratio[REMOVALS];
    for (int i = 0; i < REMOVALS; i++) ratio[i] = ours[i] / theirs[i];
    sp__row_list(row, key, title, "%.2f", ratio, REMOVALS);
}

static void report_removals(sp_row *row, const factor_result *s) {
    char how[64] = "";
    for (int i = 0, used = 0; i < REMOVALS; i++)
        used += snprintf(how + used, sizeof how - (size_t)used, "%s%s", i ? ", " : "",
                         s->update[0][i] < s->partial[0][i] ? "update" : "partial");
    sp__row_list(row, "remove", "remove 1 4 16 tets", "%.3f", s->best[0], REMOVALS);
    sp__row_list(row, "restore", NULL, "%.3f", s->best[1], REMOVALS);
    sp__row_text(row, "remove_how", "how                      ", how);
    sp__row_list(row, "remove_partial", NULL, "%.3f", s->partial[0], REMOVALS);
    sp__row_list(row, "restore_partial", NULL, "%.3f", s->partial[1], REMOVALS);
    sp__row_list(row, "remove_update", NULL, "%.3f", s->update[0], REMOVALS);
    sp__row_list(row, "restore_update", NULL, "%.3f", s->update[1], REMOVALS);
    sp__row_number(row, "removed_error", "error", "%.1e", s->removed_error);
    sp__row_list(row, "cholmod_remove", "cholmod", "%.3f", s->peer.remove_ms, REMOVALS);
    sp__row_list(row, "cholmod_restore", NULL, "%.3f", s->peer.restore_ms, REMOVALS);
    sp__row_number(row, "cholmod_convert_ms", "convert", "%.2f", s->peer.convert_ms);
    row_ratio(row, "remove_vs_cholmod", "remove /", s->best[0], s->peer.remove_ms);
    row_ratio(row, "restore_vs_cholmod", NULL, s->best[1], s->peer.restore_ms);
}

static void report_case(sp_report *r, const factor_case *c, int workers, const sp_rest_matrix *m, const sp_symbolic *S,
                        const factor_result *s) {
    sp_row *row = sp__report_case(r);
    sp__row_number(row, "k", "k", "%.0f", c->k);
    sp__row_number(row, "threads", "threads", "%.0f", workers);
    sp__row_number(row, "dofs", "dofs", "%.0f", 3.0 * m->A.view.n);
    sp__row_text(row, "ordering", NULL, sp__ordering_name(S->ordering));
    sp__row_number(row, "gflop", NULL, "%.2f", 1e-9 * S->flops_total);
    sp__row_number(row, "analyse_ms", "analyse", "%.2f", s->analyse_ms);
    sp__row_number(row, "factor_ms", "factor", "%.2f", s->factor_ms);
    sp__row_number(row, "factor_kept_ms", NULL, "%.2f", s->kept_ms);
    sp__row_number(row, "solve_ms", "solve", "%.3f", s->solve_ms);
    sp__row_number(row, "solve64_ms", "64", "%.2f", s->solve64_ms);
    sp__row_number(row, "backward_error", NULL, "%.1e", s->error);
    sp__row_number(row, "cholmod_analyse_ms", "cholmod", "%.2f", s->own.analyse_ms);
    sp__row_number(row, "cholmod_factor_ms", "factor", "%.2f", s->peer.factor_ms);
    sp__row_number(row, "cholmod_solve_ms", "solve", "%.3f", s->peer.solve_ms);
    sp__row_number(row, "cholmod_solve64_ms", "64", "%.2f", s->peer.solve64_ms);
    sp__row_number(row, "cholmod_metis_factor_ms", NULL, "%.2f", s->own.factor_ms);
    sp__row_number(row, "analyse_vs_cholmod", "analyse /", "%.2f", s->analyse_ms / s->own.analyse_ms);
    sp__row_number(row, "factor_vs_cholmod", "factor /", "%.2f", s->factor_ms / s->peer.factor_ms);
    sp__row_number(row, "solve_vs_cholmod", "solve /", "%.2f", s->solve_ms / s->peer.solve_ms);
    sp__row_number(row, "solve64_vs_cholmod", "64 /", "%.2f", s->solve64_ms / s->peer.solve64_ms);
    report_removals(row, s);
    sp__report_case_done(r);
}

static sp_status run_parts(const factor_case *c, int workers, const sp_rest_matrix *m, sp_symbolic *S, const int *order,
                           double *factor, double *work, factor_result *out) {
    static removal removals[REMOVALS];
    sp_factor *F[2] = {NULL, NULL};
    removal_bench b = {.m = m, .work = work, .workers = workers, .budget_ms = 0.1 * c->budget_ms};
    choose_removals(m, order, removals);
    sp_status status = sp__rest_factor(m, S, true, &F[0]);
    if (status >= 0) status = sp__rest_factor(m, S, false, &F[1]);
    if (status >= 0) status = sp__time_factor(F[0], &m->A.view, workers, 0.3 * c->budget_ms, &out->kept_ms);
    if (status >= 0) status = sp__time_factor(F[1], &m->A.view, workers, c->budget_ms, &out->factor_ms);
    if (status >= 0) status = time_solves(m, F[1], workers, 0.2 * c->budget_ms, out);
    if (status >= 0) status = run_removals(&b, removals, F, order, factor, out);
    for (int i = 0; i < 2; i++)
        if (F[i]) sp__factor_destroy(&F[i]);
    if (status >= 0) status = run_peer(m, S, removals, workers, c->budget_ms, out);
    return status;
}

static sp_status run_case(const factor_case *c, int workers, const sp_bench_options *o, sp_report *r, bool *peer) {
    sp_rest_matrix m;
    sp_symbolic *S = NULL;
    factor_result result = {0};
    int cells[3] = {4 * c->k, c->k, c->k}, *order;
    double *factor = NULL, *work = NULL;
    SP_TRY(sp__rest_beam(workers, cells, &m));
    sp_status status = SP_NO_MEMORY;
    if (SP_NEW(m.ctx, order, m.tets) && SP_NEW(m.ctx, factor, m.tets) && SP_NEW(m.ctx, work, 9 * m.A.view.n))
        status = sp__rest_patch(&m, middle_node(c->k), order);
    if (status >= 0) status = sp__time_analyse(&m, workers, c->budget_ms, &S, &result.analyse_ms);
    if (status >= 0) status = run_parts(c, workers, &m, S, order, factor, work, &result);
    if (status >= 0) report_case(r, c, workers, &m, S, &result);
    if (status >= 0 && o->dump && workers == 1) {
        char path[512];
        snprintf(path, sizeof path, "%s/factor-%d.mtx", o->dump, c->k);
        status = sp__write_matrix(m.ctx, &m.A.view, path);
    }
    *peer = result.peer.present;
    if (S) sp__symbolic_release(&S);
    sp__free(m.ctx, order), sp__free(m.ctx, factor), sp__free(m.ctx, work);
    sp__rest_close(&m);
    return status;
}

// ---- plot

static sp_status factor_draw(const sp_report *r, const sp_bench_options *o) {
    enum { LINES = 4 };
    static sp_points points[LINES];
    static const char *const keys[LINES] = {"factor_ms", "cholmod_factor_ms", "solve_ms", "cholmod_solve_ms"};
    static const char *const names[LINES] = {"factor", "factor, CHOLMOD", "solve", "solve, CHOLMOD"};
    sp_plot_series series[LINES];
    for (int i = 0; i < LINES; i++) {
        sp__report_points(r, 0, 1, NULL, "dofs", keys[i], &points[i]);
        series[i] = (sp_plot_series){names[i], points[i].x, points[i].y, points[i].count, true, i % 2 == 1};
    }
    const sp_plot plot = {.title = "FACTOR-4, -8, -12 and -16, one thread",
                          .x_label = "unknowns",
                          .y_label = "ms",
                          .log_x = true,
                          .log_y = true,
                          .series = series,
                          .series_count = LINES};
    return sp__bench_plot(&plot, o->dump, "factor-times");
}

sp_status sp__bench_factor(const sp_bench_options *o, sp_report *r) {
    const factor_case *cases = o->quick ? quick_cases : full_cases;
    int count = (int)(o->quick ? sizeof quick_cases : sizeof full_cases) / (int)sizeof *cases;
    bool peer = false;
    SP_TRY(sp__bench_open(o, r));
    for (int i = 0; i < count; i++)
        for (int workers = 1;; workers = o->threads) {
            SP_TRY(run_case(&cases[i], workers, o, r, &peer));
            if (workers == o->threads) break;
        }
    if (!peer) sp__report_note(r, "CHOLMOD was not found when this was built: its columns are empty");
    return o->dump ? factor_draw(r, o) : SP_OK;
}
