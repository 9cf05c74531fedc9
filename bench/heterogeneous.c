// The bar of three stiffnesses, 100 : 5 : 1 (published: Young's moduli 1000, 50 and 10; the figure with the zones is lost). Two
// layouts: cells that alternate along all axes, whose plain and SSOR iteration counts are close to the published ones, and six
// slabs along the bar.
#include <stdio.h>

#include "core/core.h"
#include "plot.h"
#include "preconditioners.h"

enum { STEPS = 60, QUICK_STEPS = 3, KINDS = 7 };

typedef struct layout {
    const char *name;
    bool slabs;
    double young, gravity;  // of the stiffest material
} layout;

static const layout layouts[2] = {{"interleaved", false, 1e6, 10}, {"slabs", true, 1e5, 5}};

typedef struct published {
    double iterations, ms, speedup;
} published;

typedef struct kind_case {
    sp_solver_type type;
    sp_preconditioner which;
    published standard, async;
} kind_case;

#define NOTHING \
    { NAN, NAN, NAN }
static const kind_case kinds[KINDS] = {
    {SP_SOLVER_CG, SP_JACOBI, {654.03, 126.44, 1}, NOTHING},
    {SP_SOLVER_PCG, SP_JACOBI, {356.96, 86.58, 1.46}, {357.99, 93.34, 1.35}},
    {SP_SOLVER_PCG, SP_SSOR, {116.72, 86.21, 1.47}, {116.76, 62.97, 2.01}},
    {SP_SOLVER_PCG, SP_IC, {6.07, 114.54, 1.10}, {8.71, 10.79, 11.7}},
    {SP_SOLVER_PCG, SP_COMPLETE_CHOLESKY, {1.00, 42.40, 2.98}, {6.02, 11.98, 10.6}},
    {SP_SOLVER_PCG, SP_INVERSE_FACTOR, NOTHING, NOTHING},
    {SP_SOLVER_PCG, SP_MULTIGRID, NOTHING, NOTHING},
};

static void fill_young(const layout *l, const int cells[3], const sp_mesh *mesh, double *young) {
    static const double ratio[3] = {1, 0.05, 0.01};
    const double *x = sp_mesh_positions(mesh);
    const int *t = sp_mesh_tets(mesh);
    for (int e = 0; e < sp_mesh_element_count(mesh); e++, t += 4) {
        int cell[3];
        for (int a = 0; a < 3; a++) cell[a] = (int)((x[3 * t[0] + a] + x[3 * t[1] + a] + x[3 * t[2] + a] + x[3 * t[3] + a]) / 4);
        young[e] = l->young * ratio[(l->slabs ? 6 * cell[0] / cells[0] : cell[0] + cell[1] + cell[2]) % 3];
    }
}

// the stiffnesses can only be set when the mesh exists
typedef struct conditions {
    const layout *layout;
    const int *cells;
    double *young;
} conditions;

static void heterogeneous_set_conditions(void *user, const sp_mesh *mesh, sp_solid_def *solid) {
    const conditions *d = user;
    fill_young(d->layout, d->cells, mesh, d->young);
    solid->element_young = d->young;
}

static void report_kind(sp_report *r, const layout *l, const kind_case *k, bool async, const sp_beam_steps *run, double cg_ms) {
    const published *p = async ? &k->async : &k->standard;
    sp_row *row = sp__report_case(r);
    sp__row_text(row, "layout", "layout     ", l->name);
    sp__row_text(row, "mode", "mode      ", async ? "async+warp" : "standard");
    sp__row_text(row, "preconditioner", "preconditioner", k->type == SP_SOLVER_CG ? "none" : sp__preconditioner_name(k->which));
    sp__row_number(row, "iterations", "its", "%.2f", run->iterations_mean);
    sp__row_number(row, "ms", "ms/step", "%.3f", run->times.mean);
    sp__row_number(row, "p99_ms", "p99", "%.3f", run->times.p99);
    sp__row_number(row, "speedup", "times CG", "%.2f", cg_ms / run->times.mean);
    sp__row_number(row, "factor_age", NULL, "%.2f", k->type == SP_SOLVER_CG ? NAN : run->age);
    sp__row_number(row, "residual_max", NULL, "%.1e", run->residual);
    sp__row_number(row, "published_iterations", "published", "%.2f", p->iterations);
    sp__row_number(row, "published_ms", NULL, "%.2f", p->ms);
    sp__row_number(row, "published_speedup", "times CG", "%.2f", p->speedup);
    sp__report_case_done(r);
}

static sp_status run_layout(const layout *l, const sp_bench_options *o, sp_report *r) {
    static const int full[3] = {20, 5, 5}, small[3] = {6, 2, 2};
    static double young[6 * 20 * 5 * 5];
    static sp_beam_steps run;
    const int *cells = o->quick ? small : full;
    conditions d = {.layout = l, .cells = cells, .young = young};
    double cg_ms = NAN;
    for (int k = 0; k < KINDS; k++)
        for (int async = 0; async <= (kinds[k].type == SP_SOLVER_PCG); async++) {
            sp_solver_def solver =
                sp__bar_solver(kinds[k].type, kinds[k].which, async ? SP_REFRESH_ASYNC : SP_REFRESH_STEP, async);
            sp_beam_def def = sp__bar_def(cells, &solver, o->threads);
            def.gravity = l->gravity;
            def.set_conditions = heterogeneous_set_conditions;
            def.user = &d;
            SP_TRY(sp__bar_run(&def, o->quick ? QUICK_STEPS : STEPS, &run));
            if (k == 0) cg_ms = run.times.mean;
            report_kind(r, l, &kinds[k], async, &run, cg_ms);
        }
    return SP_OK;
}

sp_status sp__bench_heterogeneous(const sp_bench_options *o, sp_report *r) {
    for (int i = 0; i < (o->quick ? 1 : 2); i++) SP_TRY(run_layout(&layouts[i], o, r));
    return SP_OK;
}
