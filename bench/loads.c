// The homogeneous bar under three loads, by update strategy of the preconditioner: none, the first one, the first one warped with
// the node rotations, asynchronous, asynchronous and warped (published: 3000 tetrahedra, complete Cholesky; the pictures of the
// loads are lost, their effect is known: stretch, bending, both). A fourth bar is twisted and spun about its axis while it bends:
// its rotations do not commute, which exposes a wrong order of rotations.
#include "core/core.h"
#include "preconditioners.h"

enum { STEPS = 100, QUICK_STEPS = 3, UPDATES = 5, LOADS = 4, FACE = 36 };

typedef struct update {
    const char *name;
    sp_solver_type type;
    sp_refresh_policy refresh;
    bool warp;
} update;

static const update updates[UPDATES] = {{"none", SP_SOLVER_CG, SP_REFRESH_NEVER, false},
                                        {"static", SP_SOLVER_PCG, SP_REFRESH_NEVER, false},
                                        {"static+warp", SP_SOLVER_PCG, SP_REFRESH_NEVER, true},
                                        {"async", SP_SOLVER_PCG, SP_REFRESH_ASYNC, false},
                                        {"async+warp", SP_SOLVER_PCG, SP_REFRESH_ASYNC, true}};

typedef struct load_case {
    const char *name;
    double stretch, bend;  // [N] on the end face
    bool spin;
    double iterations[UPDATES], ms[UPDATES];  // published
} load_case;

static const load_case loads[LOADS] = {
    {"stretch", 3e5, 0, false, {301.52, 18.65, 13.77, 9.87, 9.19}, {138.12, 38.33, 30.10, 20.38, 20.46}},
    {"bend", 0, 8e3, false, {301.98, 33.55, 9.14, 10.59, 9.58}, {138.08, 69.46, 20.08, 21.73, 21.13}},
    {"both", 3e5, 1.6e4, false, {303.99, 122.04, 18.91, 13.33, 12.05}, {142.99, 262.16, 41.38, 28.67, 26.93}},
    {"twist+spin", 0, 0, true, {NAN, NAN, NAN, NAN, NAN}, {NAN, NAN, NAN, NAN, NAN}},
};

// ---- periodic loads, period 2 s

static double loads_swing(const void *user, double t) {
    return *(const double *)user * sin(3.14159265358979 * t);
}

static void turn_about_x(double angle, sp_pose *out) {
    *out = sp_pose_identity();
    out->quat[0] = cos(angle / 2);
    out->quat[1] = sin(angle / 2);
}

// both ends rotate together, three quarters of a turn per second; the far end leads by up to a right angle
static void spin_near(const void *user, double t, sp_pose *out) {
    (void)user;
    turn_about_x(4.7 * t, out);
}

static void spin_far(const void *user, double t, sp_pose *out) {
    (void)user;
    turn_about_x(4.7 * t + 1.57 * (1 - exp(-2 * t)), out);
}

typedef struct conditions {
    const load_case *load;
    int near[FACE], far[FACE], near_count, far_count;
    sp_load force;
    sp_move moves[2];
} conditions;

static bool at_near(const void *user, const double x[3]) {
    (void)user;
    return x[0] < 1e-6;
}

static bool at_far(const void *user, const double x[3]) {
    return x[0] > *(const double *)user - 1e-6;
}

static int select_nodes(const sp_mesh *mesh, bool (*where)(const void *, const double *), const void *user, int *out) {
    sp_selection s = sp_selection_default();
    int count = 0;
    s.where = where;
    s.where_user = user;
    return sp_mesh_select(mesh, &s, SP_SELECT_NODES, out, FACE, &count) < 0 || count > FACE ? 0 : count;
}

static void loads_set_conditions(void *user, const sp_mesh *mesh, sp_solid_def *solid) {
    conditions *d = user;
    double low[3], high[3];
    sp_mesh_bounds(mesh, low, high);
    d->near_count = select_nodes(mesh, at_near, NULL, d->near);
    d->far_count = select_nodes(mesh, at_far, &high[0], d->far);
    if (d->load->spin) {
        double about[3] = {0, high[1] / 2, high[2] / 2};
        for (int i = 0; i < 2; i++) {
            d->moves[i] =
                (sp_move){.nodes = i ? d->far : d->near, .count = i ? d->far_count : d->near_count, .axes = SP_AXES_ALL};
            d->moves[i].about[1] = about[1], d->moves[i].about[2] = about[2];
            d->moves[i].pose.eval = i ? spin_far : spin_near;
        }
        solid->moves = d->moves;
        solid->move_count = 2;
        return;
    }
    d->force = (sp_load){.type = SP_LOAD_FORCE, .items = d->far, .count = d->far_count};
    d->force.value[0] = (sp_signal){.eval = loads_swing, .user = &d->load->stretch};
    d->force.value[1] = (sp_signal){.eval = loads_swing, .user = &d->load->bend};
    solid->loads = &d->force;
    solid->load_count = 1;
}

static void report_update(sp_report *r, const load_case *l, int u, const sp_beam_steps *run, double cg_ms) {
    sp_row *row = sp__report_case(r);
    sp__row_text(row, "model", "model       ", "corotational");
    sp__row_text(row, "load", "load      ", l->name);
    sp__row_text(row, "update", "update     ", updates[u].name);
    sp__row_number(row, "iterations", "its", "%.2f", run->iterations_mean);
    sp__row_number(row, "iterations_max", "most", "%.0f", run->iterations_max);
    sp__row_number(row, "ms", "ms/step", "%.3f", run->times.mean);
    sp__row_number(row, "speedup", "times none", "%.2f", cg_ms / run->times.mean);
    sp__row_number(row, "factor_age", "age", "%.1f", u ? run->age : NAN);
    sp__row_number(row, "residual_max", NULL, "%.1e", run->residual);
    sp__row_number(row, "published_iterations", "published", "%.2f", l->iterations[u]);
    sp__row_number(row, "published_ms", NULL, "%.2f", l->ms[u]);
    sp__row_number(row, "published_speedup", "times none", "%.2f", l->ms[0] / l->ms[u]);
    sp__report_case_done(r);
}

sp_status sp__bench_loads(const sp_bench_options *o, sp_report *r) {
    static const int full[3] = {20, 5, 5}, small[3] = {6, 2, 2};
    static sp_beam_steps run;
    for (int l = 0; l < LOADS; l++) {
        double cg_ms = NAN;
        for (int u = 0; u < UPDATES; u++) {
            conditions d = {.load = &loads[l]};
            sp_solver_def solver = sp__bar_solver(updates[u].type, SP_COMPLETE_CHOLESKY, updates[u].refresh, updates[u].warp);
            sp_beam_def def = sp__bar_def(o->quick ? small : full, &solver, o->threads);
            def.gravity = loads[l].spin ? 100 : NAN;
            def.clamp = loads[l].spin ? NAN : 0;
            def.set_conditions = loads_set_conditions;
            def.user = &d;
            SP_TRY(sp__bar_run(&def, o->quick ? QUICK_STEPS : STEPS, &run));
            if (u == 0) cg_ms = run.times.mean;
            report_update(r, &loads[l], u, &run, cg_ms);
        }
    }
    return SP_OK;
}
