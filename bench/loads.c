// The homogeneous bar of several models under three loads, by update strategy of the preconditioner: none, the first one, the
// first one warped with the node rotations, asynchronous, asynchronous and warped (Courtecuisse 2011, table 3.2: 3000 tetrahedra,
// complete Cholesky; the pictures of the loads are lost, their effect is known: stretch, bending, both). Saint Venant-Kirchhoff
// is compared with the published row of MJED, which is the same law computed otherwise; springs are ours; Mooney-Rivlin has no
// published numbers. A fourth load twists the corotational bar and spins it about its axis while it bends: its rotations do not
// commute, which exposes a wrong order of rotations.
//
// A factor of the thesis takes three to four steps. Here an asynchronous one is used exactly three steps after its matrix, and
// the next one begins then, so that iterations are the same on every machine; times contain what the simulation waits for it.
#include "core/core.h"
#include "preconditioners.h"

enum { STEPS = 150, QUICK_STEPS = 3, UPDATES = 5, LAG = 3, LOADS = 4, MODELS = 4, FACE = 36 };

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
} load_case;

// Forces and period are chosen such that the first factor, without warping, needs about as many iterations as the published one.
static const load_case loads[LOADS] = {
    {"stretch", 7e4, 0, false}, {"bend", 0, 1.2e4, false}, {"both", 1e5, 2e4, false}, {"twist+spin", 0, 0, true}};

typedef struct published_load {
    double iterations[UPDATES], ms[UPDATES];
} published_load;

#define NOTHING \
    { NAN, NAN, NAN, NAN, NAN }

typedef struct load_model {
    const char *name;
    sp_solid_law law;
    int loads;  // the first of them
    published_load published[LOADS];
} load_model;

static const load_model models[MODELS] = {
    {"corotational",
     {.model = SP_COROTATIONAL, .rotation = SP_ROTATION_POLAR},
     LOADS,
     {{{301.52, 18.65, 13.77, 9.87, 9.19}, {138.12, 38.33, 30.10, 20.38, 20.46}},
      {{301.98, 33.55, 9.14, 10.59, 9.58}, {138.08, 69.46, 20.08, 21.73, 21.13}},
      {{303.99, 122.04, 18.91, 13.33, 12.05}, {142.99, 262.16, 41.38, 28.67, 26.93}},
      {NOTHING, NOTHING}}},
    {"stvk",
     {.model = SP_STVK},
     LOADS - 1,
     {{{198.11, 17.40, 18.56, 5.50, 5.32}, {29.34, 31.63, 34.41, 11.17, 12.34}},
      {{217.50, 19.25, 14.42, 8.27, 7.79}, {31.59, 34.72, 27.00, 16.47, 17.06}},
      {{220.26, 48.42, 36.79, 10.77, 10.53}, {35.38, 86.38, 69.24, 21.25, 22.58}}}},
    {"mass-spring",
     {.model = SP_MASS_SPRING},
     LOADS - 1,
     {{{167.54, 22.53, 22.36, 7.13, 6.88}, {24.48, 32.27, 32.82, 13.29, 14.40}},
      {{193.87, 26.14, 14.23, 9.27, 8.68}, {27.74, 36.25, 21.11, 17.31, 17.93}},
      {{174.16, 83.96, 36.84, 7.32, 11.39}, {27.40, 118.24, 56.17, 13.79, 23.50}}}},
    {"mooney-rivlin", {.model = SP_MOONEY_RIVLIN}, LOADS - 1, {{NOTHING, NOTHING}, {NOTHING, NOTHING}, {NOTHING, NOTHING}}},
};

// ---- periodic loads, period 6 s

static double loads_swing(const void *user, double t) {
    return *(const double *)user * sin(3.14159265358979 / 3 * t);
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

static void report_update(sp_report *r, const load_model *m, int l, int u, const sp_beam_steps *run, double cg_ms) {
    sp_row *row = sp__report_case(r);
    const published_load *p = &m->published[l];
    sp__row_text(row, "model", "model        ", m->name);
    sp__row_text(row, "load", "load      ", loads[l].name);
    sp__row_text(row, "update", "update     ", updates[u].name);
    sp__row_number(row, "iterations", "its", "%.2f", run->iterations_mean);
    sp__row_number(row, "iterations_max", "most", "%.0f", run->iterations_max);
    sp__row_number(row, "ms", "ms/step", "%.3f", run->times.mean);
    sp__row_number(row, "speedup", "times none", "%.2f", cg_ms / run->times.mean);
    sp__row_number(row, "factor_age", "age", "%.1f", u ? run->age : NAN);
    sp__row_number(row, "residual_max", NULL, "%.1e", run->residual);
    sp__row_number(row, "published_iterations", "published", "%.2f", p->iterations[u]);
    sp__row_number(row, "published_ms", NULL, "%.2f", p->ms[u]);
    sp__row_number(row, "published_speedup", "times none", "%.2f", p->ms[0] / p->ms[u]);
    sp__report_case_done(r);
}

static sp_status run_update(const load_model *m, int l, int u, const sp_bench_options *o, sp_beam_steps *run) {
    static const int full[3] = {20, 5, 5}, small[3] = {6, 2, 2};
    conditions d = {.load = &loads[l]};
    sp_solver_def solver = sp__bar_solver(updates[u].type, SP_COMPLETE_CHOLESKY, updates[u].refresh, updates[u].warp);
    solver.pcg.refresh_every = solver.pcg.lag = LAG;
    sp_beam_def def = sp__bar_def(o->quick ? small : full, &solver, o->threads);
    def.deterministic = true;
    def.law = &m->law;
    def.gravity = loads[l].spin ? 100 : NAN;
    def.clamp = loads[l].spin ? NAN : 0;
    def.set_conditions = loads_set_conditions;
    def.user = &d;
    return sp__bar_run(&def, o->quick ? QUICK_STEPS : STEPS, run);
}

sp_status sp__bench_loads(const sp_bench_options *o, sp_report *r) {
    static sp_beam_steps run;
    for (int m = 0; m < MODELS; m++)
        for (int l = 0; l < models[m].loads; l++) {
            double cg_ms = NAN;
            for (int u = 0; u < UPDATES; u++) {
                SP_TRY(run_update(&models[m], l, u, o, &run));
                if (u == 0) cg_ms = run.times.mean;
                report_update(r, &models[m], l, u, &run, cg_ms);
            }
        }
    return SP_OK;
}
