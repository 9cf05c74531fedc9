// bench updated: a soft torus (radii 10 and 30 cm, 20 kg/m3, E = 50 Pa, nu = 0.45) fixed on one side and pulled on the other by
// 55 cm within half a second, 200 steps of 0.01 s, no gravity: scenes/updated/torus-pull.xml; also a coarser and a stiffer one.
// Four solvers:
//
//   exact     a full sparse factorisation in each step
//   updated   warp-cancelling corotation: only elements that rotated too far are refactored
//   pcg       conjugate gradients with an asynchronous, warped complete factor
//   cg        plain conjugate gradients
//
// `distance` is the distance of the nodes from the exact trajectory, root mean square, maximum over the steps. The conjugate
// gradients get the largest power of ten as tolerance that keeps them as close as `updated`. `thresholds` is the same pull with
// `updated` at ten thresholds. Wall clock, all threads.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/core.h"
#include "plot.h"
#include "run.h"

enum { STEPS = 200, QUICK_STEPS = 6, FACE = 2000, THRESHOLDS = 10, SOLVERS = 4 };
static const char *const names[SOLVERS] = {"exact", "updated", "pcg", "cg"};

// ---- the pull

static void pulled(const void *user, double t, sp_pose *out) {
    double s = fmin(fmax(t / 0.5, 0), 1), far = 0.45 * s * s * (3 - 2 * s);
    (void)user;
    *out = sp_pose_identity();
    out->translate[0] = far;
    out->translate[1] = 0.7 * far;
}

typedef struct hand {
    int nodes[FACE];
    sp_move move;
} hand;

static bool in_hand(const void *user, const double x[3]) {
    (void)user;
    return x[0] >= 0.37;
}

static void updated_set_conditions(void *user, const sp_mesh *mesh, sp_solid_def *solid) {
    hand *h = user;
    sp_selection where = sp_selection_default();
    int count = 0;
    where.where = in_hand;
    sp_mesh_select(mesh, &where, SP_SELECT_NODES, h->nodes, FACE, &count);
    h->move = (sp_move){.nodes = h->nodes, .count = count < FACE ? count : FACE, .axes = SP_AXES_ALL, .pose = {.eval = pulled}};
    solid->moves = &h->move;
    solid->move_count = 1;
}

// ---- one run compared with the exact trajectory

typedef struct track {
    double *exact;  // steps x nodes x 3
    double *now;
    int nodes;
    bool record;
    double distance, distance_max;
} track;

static sp_status compare(void *user, sp_beam *beam, int step) {
    track *t = user;
    size_t n = 3 * (size_t)t->nodes;
    double *exact = t->exact + n * (size_t)(step - 1), *x = t->record ? exact : t->now, sum = 0;
    SP_TRY(sp_world_field(beam->world, beam->body, "position", x));
    for (size_t i = 0; i < n && !t->record; i += 3) {
        double d2 = 0;
        for (size_t a = i; a < i + 3; a++) d2 += (x[a] - exact[a]) * (x[a] - exact[a]);
        sum += d2;
        t->distance_max = fmax(t->distance_max, sqrt(d2));
    }
    t->distance = fmax(t->distance, sqrt(sum / t->nodes));
    return SP_OK;
}

typedef struct torus_case {
    int cells[2];
    int steps;
    double young;
} torus_case;

// the last case is the published one, and gets the thresholds and the plots
static const torus_case full_cases[] = {{{24, 2}, STEPS, 50}, {{42, 4}, STEPS, 5e4}, {{42, 4}, STEPS, 50}};
static const torus_case quick_cases[] = {{{16, 1}, QUICK_STEPS, 50}};

static sp_solver_def solver_of(int which, double tolerance) {
    static const sp_solver_type types[SOLVERS] = {SP_SOLVER_CHOLESKY, SP_SOLVER_UPDATED_CHOLESKY, SP_SOLVER_PCG, SP_SOLVER_CG};
    sp_solver_def s = sp_solver_def_default();
    s.type = types[which];
    s.pcg.preconditioner = SP_COMPLETE_CHOLESKY;
    s.pcg.refresh = SP_REFRESH_ASYNC;
    s.iterations = 20000;
    if (which >= 2) s.tolerance = tolerance;
    return s;
}

// asynchronous only for pcg, where the step does not wait
static sp_status run_torus(const torus_case *c, const sp_solver_def *solver, const sp_bench_options *o, track *t,
                           sp_beam_steps *out) {
    static hand capacity;
    sp_beam beam;
    sp_material material = {.density = 20, .young = c->young, .poisson = 0.45};
    sp_beam_def def = {.torus = {c->cells[0], c->cells[1]},
                       .model = SP_COROTATIONAL,
                       .rotation = SP_ROTATION_SVD,
                       .solver = solver,
                       .material = &material,
                       .gravity = NAN,
                       .clamp = -0.3,
                       .backend = "cpu",
                       .workers = o->threads,
                       .deterministic = solver->type != SP_SOLVER_PCG,
                       .wall = true,
                       .set_conditions = updated_set_conditions,
                       .user = &capacity};
    t->distance = t->distance_max = 0;
    SP_TRY(sp__beam_open(&def, &beam));
    sp_status status = sp__beam_run(&beam, c->steps, compare, t, out);
    sp__beam_close(&beam);
    return status;
}

// ---- report

static void report_run(sp_row *row, const sp_beam_steps *run, const track *t, int tets, double exact_ms) {
    sp__row_number(row, "mean_ms", "mean ms", "%.3f", run->times.mean);
    sp__row_number(row, "median_ms", "median", "%.3f", run->times.median);
    sp__row_number(row, "p99_ms", "p99", "%.3f", run->times.p99);
    sp__row_number(row, "max_ms", "max", "%.3f", run->times.most);
    sp__row_number(row, "first_ms", NULL, "%.3f", run->first_ms);
    sp__row_number(row, "columns_percent", "columns %", "%.1f", 100 * run->columns);
    sp__row_number(row, "elements_percent", "elements %", "%.2f", 100 * run->elements / tets);
    sp__row_number(row, "waiting_percent", "waiting %", "%.2f", 100 * run->waiting / tets);
    sp__row_number(row, "iterations", "its", "%.1f", run->iterations_mean);
    sp__row_number(row, "distance", "distance", "%.2e", t->record ? 0 : t->distance);
    sp__row_number(row, "distance_max", "worst", "%.2e", t->record ? 0 : t->distance_max);
    sp__row_number(row, "mean_vs_exact", "of exact", "%.3f", run->times.mean / exact_ms);
    sp__row_number(row, "p99_vs_mean", "p99/mean", "%.2f", run->times.p99 / run->times.mean);
}

static void report_solver(sp_report *r, const torus_case *c, int tets, int which, double tolerance, const sp_beam_steps *run,
                          const track *t, double exact_ms) {
    sp_row *row = sp__report_case(r);
    sp__row_number(row, "tets", "tets", "%.0f", tets);
    sp__row_number(row, "young", "E [Pa]", "%g", c->young);
    sp__row_text(row, "name", "name    ", names[which]);
    sp__row_text(row, "solver", "solver                      ", run->solver);
    sp__row_number(row, "tolerance", "tolerance", "%.0e", which >= 2 ? tolerance : NAN);
    report_run(row, run, t, tets, exact_ms);
    sp__report_case_done(r);
}

// the largest tolerance whose trajectory is as close as `wanted`
static sp_status run_iterative(const torus_case *c, int which, double wanted, const sp_bench_options *o, track *t,
                               double *tolerance, sp_beam_steps *run) {
    for (*tolerance = 1e-1; *tolerance > 0.5e-10; *tolerance /= 10) {
        sp_solver_def solver = solver_of(which, *tolerance);
        SP_TRY(run_torus(c, &solver, o, t, run));
        if (t->distance <= wanted) break;
    }
    return SP_OK;
}

static sp_status run_solvers(const torus_case *c, int tets, const sp_bench_options *o, track *t, sp_beam_steps *runs,
                             sp_report *r) {
    double wanted = 0, tolerance = NAN;
    for (int which = 0; which < SOLVERS; which++) {
        sp_solver_def solver = solver_of(which, tolerance);
        t->record = which == 0;
        if (which < 2)
            SP_TRY(run_torus(c, &solver, o, t, &runs[which]));
        else
            SP_TRY(run_iterative(c, which, wanted, o, t, &tolerance, &runs[which]));
        if (which == 1) wanted = fmax(t->distance, 1e-12);
        report_solver(r, c, tets, which, tolerance, &runs[which], t, runs[0].times.mean);
    }
    t->record = false;
    return SP_OK;
}

static sp_status draw_steps(const sp_bench_options *o, const sp_beam_steps *runs) {
    sp_plot_series series[SOLVERS];
    for (int i = 0; i < SOLVERS; i++)
        series[i] = (sp_plot_series){.name = names[i], .x = runs[i].number, .y = runs[i].ms, .count = runs[i].steps};
    sp_plot plot = {.title = "The pulled torus",
                    .x_label = "step",
                    .y_label = "ms a step",
                    .log_y = true,
                    .series = series,
                    .series_count = SOLVERS};
    return sp__bench_plot(&plot, o->dump, "updated-steps");
}

// ---- thresholds

typedef struct threshold_curve {
    double threshold[THRESHOLDS], distance[THRESHOLDS], share[THRESHOLDS];
} threshold_curve;

static sp_status draw_thresholds(const sp_bench_options *o, const threshold_curve *c, int count) {
    const sp_plot_series distance = {"distance to exact", c->threshold, c->distance, count, true, false};
    const sp_plot_series share = {"time, share of exact", c->threshold, c->share, count, true, false};
    sp_plot plot = {.title = "Ten tori, ten thresholds: how far from the exact trajectory",
                    .x_label = "threshold [N s]",
                    .y_label = "distance [m]",
                    .log_x = true,
                    .log_y = true,
                    .series = &distance,
                    .series_count = 1};
    SP_TRY(sp__bench_plot(&plot, o->dump, "updated-threshold-distance"));
    plot.title = "Ten tori, ten thresholds: time of a step";
    plot.y_label = "share of the exact solver's time";
    plot.log_y = false;
    plot.series = &share;
    return sp__bench_plot(&plot, o->dump, "updated-threshold-time");
}

// a torus that diverges (a node is off by more than the width of the torus) is a result too, but is not plotted
static sp_status run_thresholds(const torus_case *c, int tets, double exact_ms, const sp_bench_options *o, track *t,
                                sp_report *r) {
    static sp_beam_steps run;
    static threshold_curve curve;
    int count = o->quick ? 2 : THRESHOLDS;
    sp__report_array(r, "thresholds");
    for (int i = 0; i < count; i++) {
        sp_solver_def solver = solver_of(1, NAN);
        solver.updated.threshold = curve.threshold[i] = 1e-8 * pow(8, i);
        sp_status status = run_torus(c, &solver, o, t, &run);
        bool diverged = status < 0 || !(t->distance_max < 0.8);
        sp_row *row = sp__report_case(r);
        sp__row_number(row, "threshold", "threshold", "%.0e", solver.updated.threshold);
        report_run(row, &run, t, tets, exact_ms);
        sp__row_text(row, "outcome", "outcome     ", diverged ? "flies apart" : "stable");
        sp__report_case_done(r);
        curve.distance[i] = diverged ? NAN : t->distance;
        curve.share[i] = diverged ? NAN : run.times.mean / exact_ms;
    }
    return o->dump ? draw_thresholds(o, &curve, count) : SP_OK;
}

static void count_parts(const torus_case *c, int *tets, int *nodes) {
    *tets = c->cells[0] * 4 * c->cells[1] * c->cells[1] * 6;
    *nodes = c->cells[0] * (2 * c->cells[1] + 1) * (2 * c->cells[1] + 1);
}

sp_status sp__bench_updated(const sp_bench_options *o, sp_report *r) {
    static sp_beam_steps runs[SOLVERS];
    const torus_case *cases = o->quick ? quick_cases : full_cases;
    int count = (int)(o->quick ? sizeof quick_cases : sizeof full_cases) / (int)sizeof *cases, tets = 0;
    track t = {0};
    sp_status status = sp__bench_open(o, r);
    for (int i = 0; i < count && status >= 0; i++) {
        count_parts(&cases[i], &tets, &t.nodes);
        free(t.exact), free(t.now);
        t.exact = calloc((size_t)cases[i].steps * (size_t)t.nodes, 3 * sizeof *t.exact);
        t.now = calloc((size_t)t.nodes, 3 * sizeof *t.now);
        status = t.exact && t.now ? run_solvers(&cases[i], tets, o, &t, runs, r) : SP_NO_MEMORY;
    }
    if (status >= 0 && o->dump) status = draw_steps(o, runs);
    if (status >= 0) status = run_thresholds(&cases[count - 1], tets, runs[0].times.mean, o, &t, r);
    free(t.exact), free(t.now);
    return status;
}
