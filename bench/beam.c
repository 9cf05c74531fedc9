// bench beam: the beam of the peers, BEAM-k, to convergence (relative residual 1e-6), 100 steps from rest, compared with Bullet's
// deformable corotational beam in the same run: 24 k^3 tetrahedra, the face x = 0 clamped, steps of 0.01 s. Solvers:
//
//   cg         conjugate gradients without preconditioner
//   factor     conjugate gradients with an asynchronous, warped complete factor in float
//   multigrid  conjugate gradients with smoothed aggregation
//   updated    warp-cancelling corotation: it has no tolerance, the tips show the distance from the other solvers
//   auto       the choice of the engine
//
// Bullet runs on one thread, the only mode it has, with its default stopping criterion (relative residual 3.5e-4, single
// precision), and once more with our 1e-6. Times on one thread are processor times. Times on several threads are wall-clock
// times, and so are those of `factor`, `multigrid` and `auto` on one thread, which use a background thread. Bullet makes fewer
// steps where 100 of them would take minutes; `vs_bullet` compares the same steps of both, without our first step, which includes
// the analysis. `tip_error` is the largest difference to the tips on which two independent engines agree (k = 4 and 8),
// `tip_vs_cg` to the tips of our conjugate gradients.
#include <stdio.h>
#include <string.h>

#include "bench.h"
#include "core/core.h"
#include "plot.h"

enum { STEPS = 100, TIPS = 4, SOLVERS = 5 };
#define TOLERANCE 1e-6

typedef struct beam_case {
    int k, repeats;
    int bullet_steps, bullet_tight_steps, bullet_repeats;
} beam_case;

static const beam_case full_cases[] = {{4, 3, 100, 100, 3}, {8, 6, 100, 25, 1}, {12, 2, 15, 5, 1}, {16, 1, 5, 3, 1}};
static const beam_case quick_cases[] = {{4, 1, 10, 5, 1}};

// SOFA 26.06 and VegaFEM 4.0 agree on these to six digits
static const double agreed4[TIPS] = {-.160089, -.030826, -.134400, -.054925},
                    agreed8[TIPS] = {-.193766, -.040311, -.155969, -.080929};

typedef struct beam_solver {
    const char *name;
    sp_solver_type type;
    sp_preconditioner preconditioner;
    sp_refresh_policy refresh;
    bool in_background;  // uses a background thread
} beam_solver;

static const beam_solver solvers[SOLVERS] = {{"cg", SP_SOLVER_CG, SP_BLOCK_JACOBI, SP_REFRESH_AUTO, false},
                                             {"factor", SP_SOLVER_PCG, SP_COMPLETE_CHOLESKY, SP_REFRESH_ASYNC, true},
                                             {"multigrid", SP_SOLVER_PCG, SP_MULTIGRID, SP_REFRESH_AUTO, true},
                                             {"updated", SP_SOLVER_UPDATED_CHOLESKY, SP_BLOCK_JACOBI, SP_REFRESH_AUTO, false},
                                             {"auto", SP_SOLVER_AUTO, SP_BLOCK_JACOBI, SP_REFRESH_AUTO, true}};

typedef struct bullet_result {
    bool present;
    double ms, tight_ms, iterations, tip[TIPS];
    char version[16];
} bullet_result;

typedef struct beam_result {
    double ms, p99, most, iterations, tip[TIPS];
    double first_ms;  // of the first step, which includes analysis and allocation
    double same_ms;   // over the steps that Bullet made, without the first
    double residual;
    char solver[64];
} beam_result;

// ---- Bullet

static sp_status bullet_once(const beam_case *c, int steps, int repeats, const char *tolerance, char *line, size_t size) {
    char k[16], n[16], r[16];
    snprintf(k, sizeof k, "%d", c->k);
    snprintf(n, sizeof n, "%d", steps);
    snprintf(r, sizeof r, "%d", repeats);
    const char *args[] = {k, "--steps", n, "--repeats", r, tolerance ? "--tolerance" : NULL, tolerance, NULL};
    return sp__peer_run("bullet_beam", args, line, size);
}

// if the peer is missing, the bench continues and reports null
static sp_status run_bullet(const beam_case *c, bullet_result *out) {
    char line[1024];
    *out = (bullet_result){.ms = NAN, .tight_ms = NAN, .iterations = NAN, .tip = {NAN, NAN, NAN, NAN}};
    sp_status status = bullet_once(c, c->bullet_steps, c->bullet_repeats, NULL, line, sizeof line);
    if (status == SP_UNAVAILABLE) return SP_OK;
    SP_TRY(status);
    out->present = sp__peer_numbers(line, "cpu_ms_per_step", &out->ms, 1) == 1;
    sp__peer_numbers(line, "iterations", &out->iterations, 1);
    sp__peer_numbers(line, "tip", out->tip, TIPS);
    SP_TRY(bullet_once(c, c->bullet_tight_steps, 1, "1e-6", line, sizeof line));
    sp__peer_numbers(line, "cpu_ms_per_step", &out->tight_ms, 1);
    return SP_OK;
}

// ---- ours

static sp_status run_steps(sp_beam *beam, int same_steps, beam_result *out) {
    double same = 0, iterations = 0, ms[STEPS];
    for (int s = 1; s <= STEPS; s++) {
        sp_body_info info;
        SP_TRY(sp__beam_step(beam, &ms[s - 1]));
        SP_TRY(sp_world_body_info(beam->world, beam->body, &info));
        if (s > 1 && s <= same_steps) same += ms[s - 1];
        iterations += info.solve.linear_iterations;
        out->residual = fmax(out->residual, info.solve.residual);
        if (s % (STEPS / TIPS) == 0) SP_TRY(sp__beam_tip(beam, &out->tip[s / (STEPS / TIPS) - 1]));
        snprintf(out->solver, sizeof out->solver, "%s", info.solve.solver);
    }
    out->first_ms = fmin(out->first_ms, ms[0]);
    sp_times times = sp__times_of(ms, STEPS);
    out->ms = fmin(out->ms, times.mean);
    out->p99 = fmin(out->p99, times.p99);
    out->most = fmin(out->most, times.most);
    out->same_ms = fmin(out->same_ms, same / (same_steps - 1));
    out->iterations = iterations / STEPS;
    return SP_OK;
}

static sp_status run_ours(const beam_case *c, const beam_solver *which, int threads, const sp_bench_options *o,
                          beam_result *out) {
    sp_solver_def solver = sp_solver_def_default();
    solver.type = which->type;
    solver.pcg.preconditioner = which->preconditioner;
    solver.pcg.refresh = which->refresh;
    solver.tolerance = TOLERANCE;
    solver.iterations = 10000;
    *out = (beam_result){.ms = INFINITY, .p99 = INFINITY, .most = INFINITY, .first_ms = INFINITY, .same_ms = INFINITY};
    sp_beam_def def = {.cells = {4 * c->k, c->k, c->k},
                       .model = SP_COROTATIONAL,
                       .rotation = SP_ROTATION_POLAR,
                       .solver = &solver,
                       .backend = "cpu",
                       .workers = threads,
                       .wall = which->in_background};
    for (int r = 0; r < c->repeats; r++) {
        sp_beam beam;
        SP_TRY(sp__beam_open(&def, &beam));
        sp_status status = run_steps(&beam, c->bullet_steps, out);
        if (status >= 0 && r == 0 && o->dump && which == solvers) status = sp__beam_dump(&beam, o->dump);
        sp__beam_close(&beam);
        SP_TRY(status);
    }
    return SP_OK;
}

// ---- report

static double beam_apart(const double *a, const double *b) {
    double most = 0;
    for (int i = 0; i < TIPS; i++) most = fmax(most, fabs(a[i] - b[i]));
    return most;
}

static void report_case(sp_report *report, const beam_case *c, const beam_solver *which, int threads, const beam_result *s,
                        const double *cg_tip, const bullet_result *b) {
    sp_row *row = sp__report_case(report);
    const double *agreed = c->k == 4 ? agreed4 : c->k == 8 ? agreed8 : NULL;
    sp__row_number(row, "k", "k", "%.0f", c->k);
    sp__row_number(row, "tets", "tets", "%.0f", 24.0 * c->k * c->k * c->k);
    sp__row_text(row, "name", "name     ", which->name);
    sp__row_text(row, "solver", "solver                      ", s->solver);
    sp__row_number(row, "threads", "threads", "%.0f", threads);
    sp__row_number(row, "tolerance", NULL, "%.0e", TOLERANCE);
    sp__row_number(row, "residual_max", NULL, "%.2e", s->residual);
    sp__row_number(row, "ms", "ms/step", "%.3f", s->ms);
    sp__row_number(row, "p99_ms", "p99", "%.3f", s->p99);
    sp__row_number(row, "max_ms", NULL, "%.3f", s->most);
    sp__row_number(row, "first_ms", NULL, "%.3f", s->first_ms);
    sp__row_number(row, "iterations", "CG its", "%.1f", s->iterations);
    sp__row_number(row, "bullet_ms", "bullet", "%.2f", b->ms);
    sp__row_number(row, "vs_bullet", "times", "%.2f", b->ms / s->same_ms);
    sp__row_number(row, "bullet_steps", NULL, "%.0f", b->present ? c->bullet_steps : NAN);
    sp__row_number(row, "bullet_iterations", "its", "%.1f", b->iterations);
    sp__row_number(row, "bullet_tight_ms", "at 1e-6", "%.2f", b->tight_ms);
    sp__row_number(row, "ms_same_steps", NULL, "%.3f", s->same_ms);
    sp__row_list(row, "tip", "tip y at 0.25 0.50 0.75 1.00 s", "%.6f", s->tip, TIPS);
    sp__row_number(row, "tip_error", "error", "%.1e", agreed ? beam_apart(s->tip, agreed) : NAN);
    sp__row_number(row, "tip_vs_cg", "vs cg", "%.1e", beam_apart(s->tip, cg_tip));
    sp__row_list(row, "bullet_tip", NULL, "%.6f", b->tip, TIPS);
    sp__report_case_done(report);
}

static sp_status run_case(const beam_case *c, const sp_bench_options *o, const bullet_result *bullet, sp_report *r) {
    for (int threads = 1;; threads = o->threads) {
        double cg_tip[TIPS];
        for (int i = 0; i < SOLVERS; i++) {
            beam_result result;
            SP_TRY(run_ours(c, &solvers[i], threads, o, &result));
            if (i == 0) memcpy(cg_tip, result.tip, sizeof cg_tip);
            report_case(r, c, &solvers[i], threads, &result, cg_tip, bullet);
        }
        if (threads == o->threads) return SP_OK;
    }
}

// ---- plot

static sp_status beam_draw(const sp_report *r, const sp_bench_options *o) {
    static sp_points points[SOLVERS + 1];
    sp_plot_series series[SOLVERS + 1];
    for (int i = 0; i <= SOLVERS; i++) {
        bool bullet = i == SOLVERS;
        sp__report_points(r, 0, o->threads, solvers[bullet ? 0 : i].name, "tets", bullet ? "bullet_ms" : "ms", &points[i]);
        series[i] = (sp_plot_series){.name = bullet ? "Bullet at 3.5e-4" : solvers[i].name, .x = points[i].x, .y = points[i].y};
        series[i].count = points[i].count;
        series[i].marks = true;
        series[i].dashed = bullet || solvers[i].type == SP_SOLVER_AUTO;
    }
    const sp_plot plot = {.title = "BEAM-4, -8, -12 and -16 to 1e-6, all threads",
                          .x_label = "tetrahedra",
                          .y_label = "ms a step",
                          .log_x = true,
                          .log_y = true,
                          .series = series,
                          .series_count = SOLVERS + 1};
    return sp__bench_plot(&plot, o->dump, "beam-solvers");
}

sp_status sp__bench_beam(const sp_bench_options *o, sp_report *r) {
    const beam_case *cases = o->quick ? quick_cases : full_cases;
    int count = (int)(o->quick ? sizeof quick_cases : sizeof full_cases) / (int)sizeof *cases;
    sp_machine machine = {0};
    sp__machine_describe(&machine);
    sp__row_text(&r->head, "cpu", NULL, machine.cpu);
    sp__row_text(&r->head, "compiler", NULL, machine.compiler);
    sp__row_text(&r->head, "backend", NULL, sp_backend_detail("cpu"));
    sp__report_note(r, "%s, %s, cpu backend: %s", machine.cpu, machine.compiler, sp_backend_detail("cpu"));
    for (int i = 0; i < count; i++) {
        bullet_result bullet;
        SP_TRY(run_bullet(&cases[i], &bullet));
        if (i == 0 && !bullet.present) sp__report_note(r, "Bullet was not found when this was built: its columns are empty");
        SP_TRY(run_case(&cases[i], o, &bullet, r));
    }
    return o->dump ? beam_draw(r, o) : SP_OK;
}
