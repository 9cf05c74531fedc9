// Section `cases` of bench contact: scenes with contact by constraints, each beside Bullet's deformable bodies in the same run.
// z is up; cubes of 0.1 m in cells of six tetrahedra, corotational (polar), lumped mass, no damping, steps of 0.01 s, a gap of 1
// mm, the tolerance 1e-6.
//
//   BLOCK-n        n x n x n cells, E = 3e4, falls 1 cm on a floor with mu = 0.4. `curve_error` is the largest difference of the
//                  height of the top centre from another engine's at six times (n = 8)
//   TOWER-3        three cubes of 4 x 4 x 4 cells, E = 3e5, a little shifted, stand. `creep_mm_per_s`: fastest of the tops from
//                  4 to 5 s; before that the column sways, by an eighth of the second before
//   PILE-10        ten of them at E = 3e4: the column buckles under its own weight, nothing falls through. `lowest` is the lowest
//                  point of all bodies in all steps, `lowest_top` the lowest centre of a top
//   GRASP          a bar of 16 x 4 x 4 cells between two pads that close, hold and lift by 0.2 m. `lift_04`, `lift_015`: rise of
//                  the centre of mass over the travel of the pads with mu = 0.4 and 0.15
//   DROP-h         the cube of 4 x 4 x 4 cells from h metres
//   asynchronous   a clamped beam of 12k tetrahedra on a support that moves, with the factor that is built beside the steps
//
// `ok` says whether what must hold of a case does; not if it ended after 60 s, with the `steps` made until then. Times are
// wall-clock times over steps with contact, without the first five of them. penetration_max is what the detection of the next
// step finds at the committed positions, max(0, gap - distance), and the depth of every node below the floor. residual_max is the
// largest scaled residual of the contact solves. Bullet runs on one thread, the only mode it has, with its default stopping
// criterion (relative residual 3.5e-4, single precision), and once more with our 1e-6; bullet_ms is wall-clock time too, and null
// where its motion is farther than 5 mm from the curve of another engine (BLOCK-8), or from ours.
#include <stdio.h>
#include <string.h>

#include "contact.h"
#include "contact/constraints.h"
#include "core/core.h"
#include "world/world_internal.h"

enum { STEPS_MOST = 500, CUBES_MOST = 10, WARM_UP = 5, CURVE = 6 };
static const double CASE_MS = 60e3;  // a case ends after this time, with the steps made so far

static const double H = 0.01, GAP = 0.001, GRAVITY = 9.81, NEAR = 5e-3;
static const double curve_times[CURVE] = {.04, .06, .08, .10, .20, .60};
static const double curve_8[CURVE] = {.101190, .096550, .098415, .100202, .099462, .099415};

typedef enum case_kind { BLOCK, TOWER, GRASP, DROP, ASYNC } case_kind;

typedef struct case_def {
    const char *name;
    case_kind kind;
    int cells, cubes;
    double young, bottom;  // [Pa]; lowest face at the start [m]
    int steps, quick_steps, bullet_steps;
} case_def;

static const case_def cases[] = {
    {"BLOCK-4", BLOCK, 4, 1, 3e4, 0.011, 200, 20, 200}, {"BLOCK-8", BLOCK, 8, 1, 3e4, 0.011, 200, 0, 60},
    {"BLOCK-12", BLOCK, 12, 1, 3e4, 0.011, 200, 0, 60}, {"TOWER-3", TOWER, 4, 3, 3e5, 0.011, 500, 0, 60},
    {"PILE-10", TOWER, 4, 10, 3e4, 0.011, 100, 0, 40},  {"GRASP", GRASP, 4, 1, 3e4, 0.001, 160, 0, 160},
    {"DROP-0.1", DROP, 4, 1, 3e4, 0.1, 100, 25, 100},   {"DROP-0.2", DROP, 4, 1, 3e4, 0.2, 100, 0, 100},
    {"DROP-0.5", DROP, 4, 1, 3e4, 0.5, 100, 0, 100},    {"asynchronous", ASYNC, 8, 1, 3e5, 0, 300, 0, 0},
};

typedef struct scene {
    const case_def *c;
    sp_context *context;
    sp_world *world;
    sp_body_id body[CUBES_MOST];
    sp_anchor top[CUBES_MOST];  // centre of the top
    int tets, bodies, vertices;
    double *x;  // positions of a surface
} scene;

typedef struct result {
    sp_times times;
    double cpu;  // processor time of a step, all threads [ms]
    double stages[SP_STAGE_COUNT];
    double rows, contacts, penetration, residual, lowest;
    double track[STEPS_MOST];              // height of the highest top, GRASP: rise of the centre of mass
    double tops[2][CUBES_MOST][3], apart;  // at the start and the end of the last second
    int steps;
    double lowest_top;
    double interior;  // part of the steps that needed the interior point method or Newton
    double sweeps;
} result;

// ---------------------------------------------------------------------------------------------------- scenes

static sp_status scene_say(const scene *s, sp_status status, const char *what) {
    const sp_error *error = s->world ? sp_world_error(s->world) : s->context ? sp_context_error(s->context) : NULL;
    fprintf(stderr, "bench contact: %s: %s: %s\n", s->c->name, what,
            error && error->message[0] ? error->message : sp_status_text(status));
    return status;
}

static sp_status add_plane(scene *s) {
    sp_rigid_shape plane = {.type = SP_PLANE, .size = {0, 0, 1}, .pose = sp_pose_identity()};
    sp_rigid_def def = sp_rigid_def_default();
    def.name = "floor", def.shapes = &plane, def.shape_count = 1;
    return sp_world_add_rigid(s->world, &def, NULL);
}

static bool at_clamp(const void *user, const double x[3]) {
    return x[0] <= *(const double *)user;
}

// A box of cells with its corner at `corner`; clamp: its face x = corner is fixed.
static sp_status add_box(scene *s, const double corner[3], const double size[3], const int cells[3], bool clamp) {
    sp_mesh *box = NULL, *mesh = NULL;
    sp_pose pose = sp_pose_identity();
    const double one[3] = {1, 1, 1};
    int index = s->bodies, nodes[1024], count = 0;
    double reach = corner[0] + 1e-9;
    memcpy(pose.translate, corner, sizeof pose.translate);
    sp_status status = sp_mesh_box(s->context, size, cells, 6, &box);
    if (status >= 0) status = sp_mesh_transformed(box, one, &pose, &mesh);
    sp_solid_def def = sp_solid_def_default();
    sp_fix fix = {.nodes = nodes, .axes = SP_AXES_ALL};
    sp_selection at = sp_selection_default();
    at.where = at_clamp, at.where_user = &reach;
    if (status >= 0 && clamp) status = sp_mesh_select(mesh, &at, SP_SELECT_NODES, nodes, 1024, &count);
    fix.count = count, def.fixes = &fix, def.fix_count = clamp;
    def.mesh = mesh, def.rotation = SP_ROTATION_POLAR;
    def.material.density = 1000, def.material.young = s->c->young, def.material.poisson = 0.4;
    if (s->c->kind == ASYNC) {
        def.solver.type = SP_SOLVER_PCG;
        def.solver.pcg.preconditioner = SP_COMPLETE_CHOLESKY, def.solver.pcg.refresh = SP_REFRESH_ASYNC;
    }
    if (status >= 0) status = sp_world_add_solid(s->world, &def, &s->body[index]);
    int row = cells[2] + 1, layer = row * (cells[1] + 1);
    int node = (clamp ? cells[0] : cells[0] / 2) * layer + cells[1] / 2 * row + cells[2];
    if (status >= 0) status = sp_world_anchor_node(s->world, s->body[index], node, &s->top[index]);
    if (status >= 0) s->tets += sp_mesh_element_count(mesh), s->bodies++;
    sp_mesh_destroy(&mesh), sp_mesh_destroy(&box);
    return status;
}

// pads close with 24 mm/s for 0.5 s, hold for 0.1 s, lift with 0.2 m/s for 1 s
static void pad_pose(const void *user, double t, sp_pose *out) {
    double side = *(const double *)user;
    *out = sp_pose_identity();
    out->translate[0] = -0.058;
    out->translate[1] = side > 0 ? 0.052 - 0.024 * fmin(t, 0.5) : -0.052 - 0.08 + 0.024 * fmin(t, 0.5);
    out->translate[2] = 0.006 + 0.2 * fmin(fmax(t - 0.6, 0), 1);
}

static void support_pose(const void *user, double t, sp_pose *out) {
    (void)user;
    *out = sp_pose_identity();
    out->translate[0] = 0.352, out->translate[1] = -0.05, out->translate[2] = -0.0215 + 0.01 * sin(6.28 * t);
}

static sp_status add_moving_box(scene *s, const char *name, const double size[3],
                                void (*pose)(const void *user, double t, sp_pose *out), const void *user) {
    sp_rigid_shape box = {.type = SP_BOX, .size = {size[0], size[1], size[2]}, .pose = sp_pose_identity()};
    sp_rigid_def def = sp_rigid_def_default();
    def.name = name, def.shapes = &box, def.shape_count = 1, def.kinematic = true;
    def.pose = (sp_pose_signal){.eval = pose, .user = user};
    return sp_world_add_rigid(s->world, &def, NULL);
}

static sp_status add_bodies(scene *s) {
    const case_def *c = s->c;
    static const double sides[2] = {1, -1};
    int cube[3] = {c->cells, c->cells, c->cells}, bar[3] = {4 * c->cells, c->cells, c->cells};
    if (c->kind == ASYNC) {
        SP_TRY(add_box(s, (double[3]){0, -0.05, 0}, (double[3]){0.4, 0.1, 0.1}, bar, true));
        return add_moving_box(s, "support", (double[3]){0.06, 0.1, 0.02}, support_pose, NULL);
    }
    SP_TRY(add_plane(s));
    if (c->kind == GRASP) {
        SP_TRY(add_box(s, (double[3]){-0.2, -0.05, c->bottom}, (double[3]){0.4, 0.1, 0.1}, bar, false));
        SP_TRY(add_moving_box(s, "left", (double[3]){0.12, 0.08, 0.106}, pad_pose, &sides[0]));
        return add_moving_box(s, "right", (double[3]){0.12, 0.08, 0.106}, pad_pose, &sides[1]);
    }
    for (int i = 0; i < c->cubes; i++) {
        double shift = c->cubes > 1 ? 0.004 : 0;
        double corner[3] = {-0.05 + shift * sin(1.7 * i), -0.05 + shift * cos(2.3 * i), c->bottom + 0.11 * i};
        SP_TRY(add_box(s, corner, (double[3]){0.1, 0.1, 0.1}, cube, false));
    }
    return SP_OK;
}

static sp_status scene_fill(scene *s, double friction, int threads) {
    sp_context_def context = sp_context_def_default();
    sp_world_def world = sp_world_def_default();
    context.workers = threads;
    SP_TRY(sp_context_create(&context, &s->context));
    world.gravity[1] = sp_signal_constant(0), world.gravity[2] = sp_signal_constant(-GRAVITY);
    world.snapshots = false, world.deterministic = s->c->kind != ASYNC;
    SP_TRY(sp_world_create(s->context, &world, &s->world));
    SP_TRY(add_bodies(s));
    sp_contact_def contact = sp_contact_def_default();
    contact.formulation = SP_CONTACT_PROXIMITY, contact.friction = friction, contact.gap = GAP;
    SP_TRY(sp_world_set_contact(s->world, &contact));
    for (int i = 0; i < s->bodies; i++) {
        sp_surface_info info;
        SP_TRY(sp_world_surface_info(s->world, s->body[i], 0, &info));
        if (info.vertex_count > s->vertices) s->vertices = info.vertex_count;
    }
    return SP_NEW(s->context, s->x, 3 * s->vertices) ? SP_OK : SP_NO_MEMORY;
}

static void scene_close(scene *s) {
    if (s->context) sp__free(s->context, s->x);
    sp_world_destroy(&s->world);
    sp_context_destroy(&s->context);
}

static sp_status scene_open(const case_def *c, double friction, int threads, scene *s) {
    *s = (scene){.c = c};
    sp_status status = scene_fill(s, friction, threads);
    if (status < 0) {
        scene_say(s, status, "scene");
        scene_close(s);
    }
    return status;
}

// ---------------------------------------------------------------------------------------------------- steps

// heights of the bodies after a step
static sp_status measure_heights(scene *s, int step, result *out) {
    double highest = -INFINITY, x[3];
    for (int i = 0; i < s->bodies; i++) {
        SP_TRY(sp_world_surface_get(s->world, s->body[i], 0, s->x, NULL, NULL));
        sp_surface_info info;
        SP_TRY(sp_world_surface_info(s->world, s->body[i], 0, &info));
        for (int k = 0; k < info.vertex_count; k++) out->lowest = fmin(out->lowest, s->x[3 * k + 2]);
        SP_TRY(sp_world_anchor_get(s->world, &s->top[i], x, NULL));
        highest = fmax(highest, x[2]), out->lowest_top = fmin(out->lowest_top, x[2]);
        if (step == s->c->steps - 101) memcpy(out->tops[0][i], x, sizeof x);
        if (step == s->c->steps - 1) memcpy(out->tops[1][i], x, sizeof x);
    }
    if (s->c->kind != GRASP) {
        out->track[step] = highest;
        return SP_OK;
    }
    sp_body_measures m;
    SP_TRY(sp_world_body_measure(s->world, s->body[0], &m));
    out->track[step] = m.potential / (m.mass * GRAVITY);
    return SP_OK;
}

// contacts that the step found at the committed positions, its times and its solve
static void measure_contacts(scene *s, double ms, double cpu, double *list, int *timed, int *touching, result *out) {
    int count = sp_world_contact_count(s->world);
    sp_step_info info;
    if (count == 0) return;
    const sp_constraints_info *contact = sp__constraints_info(s->world->constraints);
    for (int i = 0; i < count; i++) {
        sp_contact_point point;
        sp_world_contact_at(s->world, i, &point);
        out->penetration = fmax(out->penetration, -point.gap);
    }
    out->residual = fmax(out->residual, contact->solve.largest);
    if (++*touching <= WARM_UP) return;
    sp_world_step_info(s->world, &info);
    list[(*timed)++] = ms, out->cpu += cpu;
    out->rows += contact->rows, out->contacts += contact->contacts, out->sweeps += contact->solve.sweeps;
    out->interior += contact->solve.method == SP_CONE_INTERIOR_POINT;
    for (int k = 0; k < SP_STAGE_COUNT; k++) out->stages[k] += info.stage_ms[k];
}

static sp_status scene_run(scene *s, int steps, result *out) {
    double list[STEPS_MOST];
    int timed = 0, touching = 0;
    *out = (result){.lowest = INFINITY, .lowest_top = INFINITY, .steps = steps};
    const double end = sp__now_ms() + CASE_MS;
    for (int k = 0; k < steps; k++) {
        double start = sp__now_ms(), cpu = sp__process_ms();
        if (start > end) {
            out->steps = k;
            break;
        }
        sp_status status = sp_world_step(s->world, H);
        double ms = sp__now_ms() - start;
        cpu = sp__process_ms() - cpu;
        if (status >= 0) {
            measure_contacts(s, ms, cpu, list, &timed, &touching, out);
            status = measure_heights(s, k, out);
        }
        if (status < 0) return scene_say(s, status, "step");
    }
    double share = timed ? 1.0 / timed : NAN;
    out->cpu *= share, out->rows *= share, out->contacts *= share, out->interior *= share, out->sweeps *= share;
    for (int k = 0; k < SP_STAGE_COUNT; k++) out->stages[k] *= share;
    if (s->c->kind != ASYNC) out->penetration = fmax(out->penetration, GAP - out->lowest);
    out->times = sp__times_of(list, timed);
    return SP_OK;
}

static double creep(const scene *s, const result *r) {
    double most = 0;
    for (int i = 0; i < s->bodies; i++) {
        double square = 0;
        for (int k = 0; k < 3; k++) square += pow(r->tops[1][i][k] - r->tops[0][i][k], 2);
        most = fmax(most, sqrt(square));
    }
    return 1e3 * most;  // of one second
}

static double curve_error(const double *track, int steps, const double *curve) {
    double most = 0;
    for (int i = 0; i < CURVE; i++) {
        int step = (int)lround(curve_times[i] / H) - 1;
        if (step < steps) most = fmax(most, fabs(track[step] - curve[i]));
    }
    return most;
}

// ---------------------------------------------------------------------------------------------------- Bullet

typedef struct bullet {
    bool present;
    double ms, cpu_ms, tight_ms, apart;  // apart: largest distance from the curve [m]
} bullet;

static sp_status bullet_once(const case_def *c, int wanted, const char *tolerance, char *line, size_t size) {
    char cells[16], cubes[16], young[32], bottom[32], steps[16];
    snprintf(cells, sizeof cells, "%d", c->cells), snprintf(cubes, sizeof cubes, "%d", c->cubes);
    snprintf(young, sizeof young, "%g", c->young), snprintf(bottom, sizeof bottom, "%g", c->bottom);
    snprintf(steps, sizeof steps, "%d", wanted);
    const char *args[] = {c->kind == GRASP ? "grasp" : "cubes", cells, cubes, young, bottom, "0.4", steps, tolerance, NULL};
    return sp__peer_run("bullet_contact", args, line, size);
}

static sp_status run_bullet(const case_def *c, const result *ours, bullet *out) {
    char line[16384];
    double track[STEPS_MOST], ms = NAN, curve[CURVE];
    *out = (bullet){.ms = NAN, .cpu_ms = NAN, .tight_ms = NAN, .apart = NAN};
    int wanted = ours->steps < c->bullet_steps ? ours->steps : c->bullet_steps;
    if (wanted == 0) return SP_OK;
    sp_status status = bullet_once(c, wanted, NULL, line, sizeof line);
    if (status == SP_UNAVAILABLE) return SP_OK;
    SP_TRY(status);
    out->present = true;
    sp__peer_numbers(line, "ms_per_step", &ms, 1);
    sp__peer_numbers(line, "cpu_ms_per_step", &out->cpu_ms, 1);
    int count = sp__peer_numbers(line, "track", track, STEPS_MOST);
    out->apart = count < wanted ? INFINITY : 0;  // it exploded
    if (c->kind == BLOCK) {
        for (int i = 0; i < CURVE; i++) {
            int step = (int)lround(curve_times[i] / H) - 1;
            curve[i] = c->cells == 8 ? curve_8[i] : step < ours->steps ? ours->track[step] : 0;
        }
        out->apart = fmax(out->apart, curve_error(track, count, curve));
    } else {
        for (int i = 0; i < count; i++) out->apart = fmax(out->apart, fabs(track[i] - ours->track[i]));
    }
    out->ms = ms;
    if (!(out->apart <= NEAR)) return SP_OK;
    SP_TRY(bullet_once(c, wanted, "1e-6", line, sizeof line));
    sp__peer_numbers(line, "ms_per_step", &out->tight_ms, 1);
    return SP_OK;
}

// ---------------------------------------------------------------------------------------------------- report

static void report_common(sp_row *row, const scene *s, int threads, const result *r, const bullet *b) {
    static const char *stage_names[SP_STAGE_COUNT];
    bool near = b->present && b->apart <= NEAR;
    for (int k = 0; k < SP_STAGE_COUNT; k++) stage_names[k] = sp_stage_name((sp_stage)k);
    sp__row_text(row, "name", "name        ", s->c->name);
    sp__row_number(row, "tets", "tets", "%.0f", s->tets);
    sp__row_number(row, "steps", "steps", "%.0f", r->steps);
    sp__row_number(row, "threads", "threads", "%.0f", threads);
    sp__row_number(row, "rows_mean", "rows", "%.0f", r->rows);
    sp__row_number(row, "contacts_mean", NULL, "%.1f", r->contacts);
    sp__row_number(row, "ms", "ms/step", "%.2f", r->times.mean);
    sp__row_number(row, "p99_ms", "p99", "%.2f", r->times.p99);
    sp__row_number(row, "cpu_ms", "CPU", "%.2f", r->cpu);
    sp__row_map(row, "stages_ms", stage_names, r->stages, SP_STAGE_COUNT);
    sp__row_number(row, "delassus_ms", "W", "%.2f", r->stages[SP_STAGE_BUILD_DELASSUS]);
    sp__row_number(row, "solve_ms", "solve", "%.2f", r->stages[SP_STAGE_SOLVE_CONTACTS]);
    sp__row_number(row, "penetration_max", "overlap", "%.1e", r->penetration);
    sp__row_number(row, "residual_max", "residual", "%.1e", r->residual);
    sp__row_number(row, "sweeps_mean", "sweeps", "%.0f", r->sweeps);
    sp__row_number(row, "interior_part", NULL, "%.2f", r->interior);
    sp__row_number(row, "bullet_ms", "Bullet", "%.1f", near ? b->ms : NAN);
    sp__row_number(row, "vs_bullet", "times", "%.1f", near ? b->ms / r->times.mean : NAN);
    sp__row_number(row, "bullet_tight_ms", "at 1e-6", "%.1f", near ? b->tight_ms : NAN);
    sp__row_number(row, "bullet_apart", "apart m", "%.1e", b->apart);
    sp__row_number(row, "bullet_cpu_ms", NULL, "%.1f", near ? b->cpu_ms : NAN);
    sp__row_number(row, "bullet_ms_any", NULL, "%.1f", b->ms);
    sp__row_number(row, "lowest", "lowest", "%.5f", r->lowest);
}

static sp_status run_grasp(const case_def *c, const sp_bench_options *o, int steps, const result *r, sp_row *row, bool *ok) {
    scene s;
    result slips;
    SP_TRY(scene_open(c, 0.15, o->threads, &s));
    sp_status status = scene_run(&s, steps, &slips);
    scene_close(&s);
    SP_TRY(status);
    double travel = fmax(0.2 * fmin(fmax(steps * H - 0.6, 0), 1), 1e-9);
    double lift = r->track[steps - 1] / travel, slip = slips.track[steps - 1] / travel;
    bool whole = steps == c->steps;
    *ok = lift >= 0.8 && slip <= 0.2 && slips.steps == steps;
    sp__row_number(row, "lift_04", NULL, "%.3f", whole ? lift : NAN);
    sp__row_number(row, "lift_015", NULL, "%.3f", whole ? slip : NAN);
    return SP_OK;
}

static sp_status run_case(const case_def *c, const sp_bench_options *o, sp_report *report) {
    scene s;
    result r;
    bullet b;
    int steps = o->quick ? c->quick_steps : c->steps;
    if (steps == 0) return SP_OK;
    SP_TRY(scene_open(c, 0.4, o->threads, &s));
    sp_status status = scene_run(&s, steps, &r);
    if (status >= 0) status = run_bullet(c, &r, &b);
    if (status >= 0) {
        const bool late = r.steps < steps;
        bool ok = r.lowest > -1e-3 && !late, whole = steps == c->steps;
        sp_row *row = sp__report_case(report);
        report_common(row, &s, o->threads, &r, &b);
        if (c->kind == BLOCK && c->cells == 8) {
            double error = curve_error(r.track, r.steps, curve_8);
            sp__row_number(row, "curve_error", NULL, "%.1e", error);
            ok = ok && error <= 1e-4;
        }
        if (c->kind == TOWER && c->cubes == 3 && whole && !late) {
            sp__row_number(row, "creep_mm_per_s", NULL, "%.4f", creep(&s, &r));
            ok = ok && creep(&s, &r) < 0.01;
        }
        if (c->kind == TOWER) sp__row_number(row, "lowest_top", NULL, "%.4f", r.lowest_top);
        if (c->kind == GRASP && !late) status = run_grasp(c, o, steps, &r, row, &ok);
        if (c->kind == ASYNC) {
            sp__row_number(row, "steps_per_s", NULL, "%.0f", 1e3 / r.times.mean);
            ok = !late;
        }
        if (whole) sp__row_flag(row, "ok", "ok", ok);
        if (status >= 0) sp__report_case_done(report);
    }
    scene_close(&s);
    return status;
}

sp_status sp__contact_cases(const sp_bench_options *o, sp_report *r) {
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) SP_TRY(run_case(&cases[i], o, r));
    return SP_OK;
}
