// bench friction: contact problems with exact Coulomb cones, cold start: from FCLIB files (--problem), or generated stacks,
// walls, arches and heaps of rigid bodies. residual = |r - P_K(r - u~)| / (1 + |q|) over all contacts, u~ = u + mu |u_T| e_N,
// with W as stored: the measure of the published comparisons. `ms_loose` is the time to 1e-6 instead of 1e-9.
//
// Claim: 1e-8 on every problem that has a solution, and 1e-6 within 100 ms below 300 contacts. Gauss-Seidel alone is shown for
// comparison: its residual after as much time.
#include "friction.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "bench.h"
#include "core/core.h"

static const double TIGHT = 1e-9, LOOSE = 1e-6;

typedef struct friction_case {
    const char *name;
    int contacts;
    sp_cone_problem *problem;
} friction_case;

// least time of some cold solves; the last one stays in the problem
static sp_status time_solve(sp_cone_solver *solver, sp_cone_problem *p, const sp_cone_options *o, int repeats, sp_cone_info *info,
                            double *ms) {
    *ms = INFINITY;
    for (int i = 0; i < repeats; i++) {
        memset(p->lambda, 0, (size_t)p->row_count * sizeof *p->lambda);
        double start = sp__now_ms();
        SP_TRY(sp__cone_solve(solver, p, o, info));
        *ms = fmin(*ms, sp__now_ms() - start);
    }
    return SP_OK;
}

static void report_case(sp_report *r, const friction_case *c, const sp_cone_info *info, double ms, double loose, double alone) {
    sp_row *row = sp__report_case(r);
    sp__row_text(row, "file", "problem                               ", c->name);
    sp__row_number(row, "contacts", "contacts", "%.0f", c->contacts);
    sp__row_text(row, "method", "method        ", sp__cone_method_name(info->method));
    sp__row_number(row, "iterations", "iterations", "%.0f", info->sweeps + info->iterations);
    sp__row_number(row, "sweeps", NULL, "%.0f", info->sweeps);
    sp__row_number(row, "ms", "ms", "%.2f", ms);
    sp__row_number(row, "residual", "residual", "%.1e", info->residual);
    sp__row_number(row, "ms_loose", "ms to 1e-6", "%.2f", loose);
    sp__row_number(row, "residual_gauss_seidel", "Gauss-Seidel", "%.1e", alone);
    sp__row_number(row, "islands", "islands", "%.0f", info->islands);
    sp__row_text(row, "reason", NULL,
                 info->status == SP_OK ? "" : "the best point that was reached; the problem may have no solution");
    sp__report_case_done(r);
}

static sp_status run_case(sp_context *ctx, const friction_case *c, const sp_bench_options *o, sp_report *r) {
    sp_cone_solver *solver = NULL;
    sp_cone_options options = sp__cone_options_default(), sweeps;
    sp_cone_info info, other;
    double ms = NAN, loose = NAN, alone = NAN;
    options.norm = SP_CONE_NORM_PLAIN;
    options.sweeps = 2000;
    options.tolerance = LOOSE;
    int repeats = o->quick ? 1 : 5;
    sp_status status = sp__cone_solver_create(ctx, &solver);
    if (status >= 0) status = time_solve(solver, c->problem, &options, repeats, &other, &loose);
    sweeps = options;
    sweeps.method = SP_CONE_GAUSS_SEIDEL;
    sweeps.sweeps = 1 << 20;
    options.tolerance = sweeps.tolerance = TIGHT;
    sweeps.budget_ms = fmax(loose, 1);
    if (status >= 0) status = time_solve(solver, c->problem, &sweeps, 1, &other, &alone);
    if (status >= 0) status = time_solve(solver, c->problem, &options, repeats, &info, &ms);
    if (status >= 0) report_case(r, c, &info, ms, loose, other.residual);
    sp__cone_solver_destroy(&solver);
    return status;
}

// ---- files

static const char *base_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static sp_status write_solved(sp_context *ctx, const sp_fclib_problem *f, const sp_cone_problem *p, const char *folder,
                              const char *name) {
    char path[1024];
    int rows = f->dimension * f->contacts;
    double *u, *r = NULL, *l = NULL, *v = NULL;
    sp_status status = SP_NO_MEMORY;
    if (mkdir(folder, 0777) != 0 && errno != EEXIST) return SP_FAIL(ctx, SP_IO, "%s: %s", folder, strerror(errno));
    if (SP_NEW(ctx, u, rows) && SP_NEW(ctx, r, rows) && SP_NEW(ctx, l, f->equalities + 1) && SP_NEW(ctx, v, f->M.rows + 1))
        status = sp__friction_solution(ctx, f, p, u, r, l, v);
    sp_fclib_solution solution = {.u = u, .r = r, .v = v, .l = l};
    if (status >= 0 && snprintf(path, sizeof path, "%s/%s", folder, name) >= (int)sizeof path)
        status = SP_FAIL(ctx, SP_BAD_INPUT, "%s: the path is too long", folder);
    if (status >= 0) status = sp_fclib_write(ctx, path, f, &solution);
    sp__free(ctx, u), sp__free(ctx, r), sp__free(ctx, l), sp__free(ctx, v);
    return status;
}

static sp_status run_file(sp_context *ctx, const char *path, const sp_bench_options *o, sp_report *r) {
    sp_fclib *file = NULL;
    friction_case c = {.name = base_name(path)};
    SP_TRY(sp_fclib_read(ctx, path, &file));
    const sp_fclib_problem *f = sp_fclib_get(file);
    c.contacts = f->contacts;
    sp_status status = sp__friction_load(ctx, f, &c.problem);
    if (status >= 0) status = run_case(ctx, &c, o, r);
    if (status >= 0 && o->out) status = write_solved(ctx, f, c.problem, o->out, c.name);
    sp__cone_destroy(&c.problem);
    sp_fclib_close(&file);
    return status;
}

// ---- generated problems

// W is not used: products go through the bodies
static sp_status run_operator(sp_context *ctx, const sp_friction_scene *s, sp_report *r) {
    sp_cone_problem *p = s->problem;
    sp_cone_options options = sp__cone_options_default();
    sp_cone_info info;
    double *weight;
    char name[80];
    if (!SP_NEW(ctx, weight, s->contacts)) return SP_NO_MEMORY;
    for (int i = 0; i < s->contacts; i++) weight[i] = sp__cone_weight(p, p->place[i]);
    sp_cone_operator op = {s->contacts, p->row_count, p->group, weight, p->q, p->lambda, p->u, sp__friction_multiply, (void *)s};
    options.norm = SP_CONE_NORM_PLAIN, options.tolerance = LOOSE, options.sweeps = 5000;
    memset(p->lambda, 0, (size_t)p->row_count * sizeof *p->lambda);
    double start = sp__now_ms();
    sp_status status = sp__cone_solve_operator(ctx, &op, &options, &info);
    double ms = sp__now_ms() - start;
    snprintf(name, sizeof name, "%s, as an operator", s->name);
    friction_case c = {.name = name, .contacts = s->contacts};
    if (status >= 0) report_case(r, &c, &info, ms, ms, NAN);
    sp__free(ctx, weight);
    return status;
}

static sp_status run_made(sp_context *ctx, int kind, const sp_bench_options *o, sp_report *r) {
    sp_friction_scene s;
    SP_TRY(sp__friction_make(ctx, kind, o->quick, &s));
    friction_case c = {.name = s.name, .contacts = s.contacts, .problem = s.problem};
    sp_status status = run_case(ctx, &c, o, r);
    if (status >= 0 && kind == SP_FRICTION_SCENES - 1) status = run_operator(ctx, &s, r);
    sp__friction_free(ctx, &s);
    return status;
}

sp_status sp__bench_friction(const sp_bench_options *o, sp_report *r) {
    sp_context_def def = sp_context_def_default();
    sp_context *ctx = NULL;
    SP_TRY(sp__bench_open(o, r));
    sp__report_array(r, "problems");
    def.workers = o->threads;
    SP_TRY(sp_context_create(&def, &ctx));
    sp_status status = SP_OK;
    for (int i = 0; i < o->problems && status >= 0; i++) status = run_file(ctx, o->problem[i], o, r);
    for (int i = 0; i < SP_FRICTION_SCENES && !o->problems && status >= 0; i++) status = run_made(ctx, i, o, r);
    if (status < 0) fprintf(stderr, "souple bench friction: %s\n", sp_context_error(ctx)->message);
    sp_context_destroy(&ctx);
    return status;
}
