// bench preconditioners: the published tables of asynchronous, warped preconditioners (Courtecuisse 2011, sections 3.4 and 3.5)
// on our bodies. Published values are listed next to the measured ones. The machines differ, so iterations, ratios and shapes are
// compared, not times.
//
//   cases          update strategies: iterations and times of every step, incomplete and complete Cholesky (figure 3.15)
//   sizes          mesh sizes with an asynchronous warped factor: how many steps a factor takes on this machine (table 3.1)
//   heterogeneous  a bar of three stiffnesses 100 : 5 : 1, every preconditioner (figure 3.16)
//   loads          bars of four models: stretch, bending, both; a twisted and spun bar (table 3.2)
//   inverse        two products with an approximate inverse factor against two triangular solves, by threads
#include "preconditioners.h"

#include <stdio.h>
#include <string.h>

#include "core/core.h"
#include "plot.h"
#include "rest_matrix.h"

enum { STRATEGIES = 7, STEPS = 120, QUICK_STEPS = 4, PERIOD = 30 };

const sp_material sp__bar_material = {.density = 1, .young = 6.5e4, .poisson = 0.3};

sp_beam_def sp__bar_def(const int cells[3], const sp_solver_def *solver, int workers) {
    return (sp_beam_def){.cells = {cells[0], cells[1], cells[2]},
                         .model = SP_COROTATIONAL,
                         .rotation = SP_ROTATION_POLAR,
                         .solver = solver,
                         .material = &sp__bar_material,
                         .edge = 1,
                         .gravity = 10,
                         .h = 0.04,
                         .backend = "cpu",
                         .workers = workers,
                         .wall = true};
}

sp_solver_def sp__bar_solver(sp_solver_type type, sp_preconditioner which, sp_refresh_policy refresh, bool warp) {
    sp_solver_def s = sp_solver_def_default();
    s.type = type;
    s.pcg.preconditioner = which;
    s.pcg.refresh = refresh;
    s.pcg.warp = warp;
    s.tolerance = 1e-7;
    s.iterations = 20000;
    return s;
}

sp_status sp__bar_run(const sp_beam_def *def, int steps, sp_beam_steps *out) {
    sp_beam beam;
    SP_TRY(sp__beam_open(def, &beam));
    sp_status status = sp__beam_run(&beam, steps, NULL, NULL, out);
    sp__beam_close(&beam);
    return status;
}

const char *sp__preconditioner_name(sp_preconditioner which) {
    static const char *const names[] = {[SP_BLOCK_JACOBI] = "block-jacobi",
                                        [SP_JACOBI] = "jacobi",
                                        [SP_SSOR] = "ssor",
                                        [SP_IC] = "ic",
                                        [SP_COMPLETE_CHOLESKY] = "cholesky",
                                        [SP_INVERSE_FACTOR] = "inverse-factor",
                                        [SP_MULTIGRID] = "multigrid"};
    return names[which];
}

// ---- update strategies

typedef struct strategy {
    const char *name, *published;
    sp_solver_type type;
    sp_refresh_policy refresh;
    bool warp, deterministic;
} strategy;

static const strategy strategies[STRATEGIES] = {
    {"CG", "most iterations", SP_SOLVER_CG, SP_REFRESH_NEVER, false, true},
    {"PCG-0", "fair, grows away from rest", SP_SOLVER_PCG, SP_REFRESH_NEVER, false, true},
    {"PCG-1", "fewest iterations, slowest", SP_SOLVER_PCG, SP_REFRESH_STEP, false, true},
    {"PCG-30", "near PCG-1 with spikes in time", SP_SOLVER_PCG, SP_REFRESH_EVERY, false, true},
    {"PCG-30 async", "older than PCG-30, no spikes", SP_SOLVER_PCG, SP_REFRESH_ASYNC, false, true},
    {"PCG-30 async+warp", "", SP_SOLVER_PCG, SP_REFRESH_ASYNC, true, true},
    {"async+warp, at once", "as PCG-1 at every step, flat", SP_SOLVER_PCG, SP_REFRESH_ASYNC, true, false},
};

static void report_strategy(sp_report *r, const strategy *s, sp_preconditioner which, const sp_beam_steps *run, double cg_ms) {
    sp_row *row = sp__report_case(r);
    sp__row_text(row, "strategy", "strategy           ", s->name);
    sp__row_text(row, "preconditioner", "by      ", s->type == SP_SOLVER_CG ? "none" : sp__preconditioner_name(which));
    sp__row_number(row, "iterations", "its", "%.1f", run->iterations_mean);
    sp__row_number(row, "iterations_max", "most", "%.0f", run->iterations_max);
    sp__row_number(row, "ms", "ms/step", "%.3f", run->times.mean);
    sp__row_number(row, "median_ms", "median", "%.3f", run->times.median);
    sp__row_number(row, "p99_ms", "p99", "%.3f", run->times.p99);
    sp__row_number(row, "max_ms", "max", "%.3f", run->times.most);
    sp__row_number(row, "first_ms", NULL, "%.3f", run->first_ms);
    sp__row_number(row, "speedup", "times CG", "%.2f", cg_ms / run->times.mean);
    sp__row_number(row, "factor_age", "age", "%.1f", s->type == SP_SOLVER_CG ? NAN : run->age);
    sp__row_number(row, "residual_max", NULL, "%.1e", run->residual);
    sp__row_text(row, "published", "published                     ", s->published);
    sp__report_case_done(r);
}

static sp_status draw_strategies(const sp_bench_options *o, sp_preconditioner which, const sp_beam_steps *runs) {
    sp_plot_series series[STRATEGIES];
    char name[64], title[96];
    for (int time = 0; time < 2; time++) {
        for (int i = 0; i < STRATEGIES; i++)
            series[i] = (sp_plot_series){.name = strategies[i].name,
                                         .x = runs[i].number,
                                         .y = time ? runs[i].ms : runs[i].iterations,
                                         .count = runs[i].steps,
                                         .dashed = i == 4};
        snprintf(name, sizeof name, "strategies-%s-%s", sp__preconditioner_name(which), time ? "ms" : "iterations");
        snprintf(title, sizeof title, "3,000 tetrahedra, tolerance 1e-7, %s",
                 which == SP_IC ? "incomplete Cholesky" : "complete Cholesky");
        sp_plot plot = {.title = title,
                        .x_label = "step",
                        .y_label = time ? "ms a step" : "iterations a step",
                        .log_y = true,
                        .series = series,
                        .series_count = STRATEGIES};
        SP_TRY(sp__bench_plot(&plot, o->dump, name));
    }
    return SP_OK;
}

static sp_status run_strategies(const sp_bench_options *o, sp_report *r) {
    static const int cells[3] = {20, 5, 5}, small[3] = {6, 2, 2};
    static const sp_preconditioner both[2] = {SP_IC, SP_COMPLETE_CHOLESKY};
    static sp_beam_steps runs[STRATEGIES];
    for (int p = 0; p < 2; p++) {
        for (int i = p ? 1 : 0; i < STRATEGIES; i++) {
            const strategy *s = &strategies[i];
            sp_solver_def solver = sp__bar_solver(s->type, both[p], s->refresh, s->warp);
            solver.pcg.refresh_every = solver.pcg.lag = o->quick ? 2 : PERIOD;
            sp_beam_def def = sp__bar_def(o->quick ? small : cells, &solver, o->threads);
            def.deterministic = s->deterministic;
            SP_TRY(sp__bar_run(&def, o->quick ? QUICK_STEPS : STEPS, &runs[i]));
            report_strategy(r, s, both[p], &runs[i], runs[0].times.mean);
        }
        if (o->dump) SP_TRY(draw_strategies(o, both[p], runs));
    }
    return SP_OK;
}

// ---- mesh sizes

typedef struct size_case {
    int cells[3], steps;
    double iterations, factor_ms, ms, lag;  // published
} size_case;

static const size_case size_cases[] = {{{10, 3, 3}, 300, 4.40, 5.84, 3.32, 1.76},
                                       {{20, 5, 5}, 200, 5.01, 38.47, 12.78, 3.01},
                                       {{25, 7, 7}, 120, 5.56, 125.9, 41.68, 3.02},
                                       {{40, 10, 10}, 60, 6.09, 730.5, 208.72, 3.50}};

// the background thread factors alone, in float; the values of the matrix do not affect the time
static sp_status background_factor(const size_case *c, double budget_ms, double *ms) {
    sp_rest_matrix m;
    sp_symbolic *S = NULL;
    sp_factor *F = NULL;
    sp_factor_def def = {.kind = SP_LLT, .single = true};
    double unused;
    SP_TRY(sp__rest_beam(1, c->cells, &m));
    sp_status status = sp__time_analyse(&m, 1, 0, &S, &unused);
    if (status >= 0) status = sp__factor_create(m.ctx, &def, S, &F);
    if (status >= 0) status = sp__time_factor(F, &m.A.view, 1, budget_ms, ms);
    if (F) sp__factor_destroy(&F);
    if (S) sp__symbolic_release(&S);
    sp__rest_close(&m);
    return status;
}

static sp_status run_size(const size_case *c, const sp_bench_options *o, sp_report *r) {
    static sp_beam_steps run;
    sp_solver_def solver = sp__bar_solver(SP_SOLVER_PCG, SP_COMPLETE_CHOLESKY, SP_REFRESH_ASYNC, true);
    sp_beam_def def = sp__bar_def(c->cells, &solver, o->threads);
    double factor_ms;
    SP_TRY(background_factor(c, o->quick ? 0 : 500, &factor_ms));
    SP_TRY(sp__bar_run(&def, o->quick ? QUICK_STEPS : c->steps, &run));
    sp_row *row = sp__report_case(r);
    sp__row_number(row, "tets", "tets", "%.0f", 6.0 * c->cells[0] * c->cells[1] * c->cells[2]);
    sp__row_number(row, "factor_ms", "factor ms", "%.2f", factor_ms);
    sp__row_number(row, "iterations", "its", "%.2f", run.iterations_mean);
    sp__row_number(row, "ms", "ms/step", "%.3f", run.times.mean);
    sp__row_number(row, "p99_ms", "p99", "%.3f", run.times.p99);
    sp__row_number(row, "steps_per_factor", "steps/factor", "%.2f", run.refreshes ? (double)run.steps / run.refreshes : NAN);
    sp__row_number(row, "factor_age", "age", "%.2f", run.age);
    sp__row_number(row, "residual_max", NULL, "%.1e", run.residual);
    sp__row_number(row, "published_iterations", "published", "%.2f", c->iterations);
    sp__row_number(row, "published_steps_per_factor", "steps/factor", "%.2f", c->lag);
    sp__row_number(row, "published_factor_ms", NULL, "%.2f", c->factor_ms);
    sp__row_number(row, "published_ms", NULL, "%.2f", c->ms);
    sp__report_case_done(r);
    return SP_OK;
}

sp_status sp__bench_preconditioners(const sp_bench_options *o, sp_report *r) {
    int sizes = o->quick ? 1 : (int)(sizeof size_cases / sizeof size_cases[0]);
    SP_TRY(sp__bench_open(o, r));
    SP_TRY(run_strategies(o, r));
    sp__report_array(r, "sizes");
    for (int i = 0; i < sizes; i++) SP_TRY(run_size(&size_cases[i], o, r));
    sp__report_array(r, "heterogeneous");
    SP_TRY(sp__bench_heterogeneous(o, r));
    sp__report_array(r, "loads");
    SP_TRY(sp__bench_loads(o, r));
    sp__report_array(r, "inverse");
    return sp__bench_inverse(o, r);
}
