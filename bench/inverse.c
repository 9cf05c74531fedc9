// Compares two products with a sparse approximate inverse of the factor with two triangular solves with the factor: cost of
// building and applying each, by threads, on the bars of 3,000 and 24,000 tetrahedra, and the remaining conjugate gradient
// iterations.
#include <stdio.h>

#include "core/core.h"
#include "linear/precond.h"
#include "preconditioners.h"
#include "rest_matrix.h"

enum { STEPS = 20, QUICK_STEPS = 2, KINDS = 3 };

static const sp_preconditioner kinds[KINDS] = {SP_COMPLETE_CHOLESKY, SP_IC, SP_INVERSE_FACTOR};

typedef struct times {
    double build_ms, apply_ms, bytes;
} times;

static sp_status time_kind(sp_precond *p, const sp_rest_matrix *m, int workers, double budget_ms, times *out) {
    int n = 3 * m->A.view.n;
    double *r, *z = NULL, begun = sp__bench_clock(true);
    sp_status status = SP_OK;
    out->build_ms = out->apply_ms = INFINITY;
    if (!SP_NEW(m->ctx, r, n + 1) || !SP_NEW(m->ctx, z, n + 1)) status = SP_NO_MEMORY;
    for (int i = 0; status >= 0 && (i < 2 || sp__bench_clock(true) - begun < budget_ms); i++) {
        sp_factor_info info = {0};
        double start = sp__bench_clock(workers > 1);
        status = p->kind->build(p, &m->A.view, false, &info);
        out->build_ms = fmin(out->build_ms, sp__bench_clock(workers > 1) - start);
    }
    if (status >= 0) sp__right_side(n, r);
    begun = sp__bench_clock(true);
    for (int i = 0; status >= 0 && (i < 5 || sp__bench_clock(true) - begun < budget_ms); i++) {
        double start = sp__bench_clock(workers > 1);
        p->kind->apply(p, r, z);
        out->apply_ms = fmin(out->apply_ms, sp__bench_clock(workers > 1) - start);
    }
    out->bytes = (double)p->kind->bytes(p);
    sp__free(m->ctx, r), sp__free(m->ctx, z);
    return status;
}

static sp_status run_kind(const int cells[3], sp_preconditioner which, int workers, const sp_bench_options *o, sp_report *r) {
    static sp_beam_steps run;
    sp_rest_matrix m;
    sp_precond *p = NULL;
    times t = {0};
    sp_solver_def solver = sp__bar_solver(SP_SOLVER_PCG, which, SP_REFRESH_STEP, false);
    sp_beam_def def = sp__bar_def(cells, &solver, workers);
    SP_TRY(sp__rest_beam(workers, cells, &m));
    const sp_precond_kind *kind = sp__precond_find(which);
    sp_status status = kind->create(m.ctx, sp__backend_find("cpu"), &solver, &m.A.view, m.points, NULL, &p);
    if (status < 0) fprintf(stderr, "bench: %s: %s\n", kind->name, sp_context_error(m.ctx)->message);
    if (status >= 0) status = time_kind(p, &m, workers, o->quick ? 0 : 300, &t);
    if (p) kind->destroy(p);
    sp__rest_close(&m);
    SP_TRY(status);
    SP_TRY(sp__bar_run(&def, o->quick ? QUICK_STEPS : STEPS, &run));
    sp_row *row = sp__report_case(r);
    sp__row_number(row, "tets", "tets", "%.0f", 6.0 * cells[0] * cells[1] * cells[2]);
    sp__row_text(row, "preconditioner", "preconditioner", sp__preconditioner_name(which));
    sp__row_number(row, "threads", "threads", "%.0f", workers);
    sp__row_number(row, "build_ms", "build ms", "%.3f", t.build_ms);
    sp__row_number(row, "apply_ms", "apply ms", "%.4f", t.apply_ms);
    sp__row_number(row, "mbytes", "MB", "%.1f", 1e-6 * t.bytes);
    sp__row_number(row, "iterations", "its", "%.2f", run.iterations_mean);
    sp__row_number(row, "applying_ms", "its x apply", "%.3f", run.iterations_mean * t.apply_ms);
    sp__row_number(row, "step_ms", "ms/step", "%.3f", run.times.mean);
    sp__report_case_done(r);
    return SP_OK;
}

sp_status sp__bench_inverse(const sp_bench_options *o, sp_report *r) {
    static const int cells[2][3] = {{20, 5, 5}, {40, 10, 10}}, small[3] = {6, 2, 2};
    for (int size = 0; size < (o->quick ? 1 : 2); size++)
        for (int k = 0; k < KINDS; k++)
            for (int workers = 1;; workers = o->threads) {
                SP_TRY(run_kind(o->quick ? small : cells[size], kinds[k], workers, o, r));
                if (workers == o->threads) break;
            }
    return SP_OK;
}
