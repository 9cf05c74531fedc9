// Claims of warp-cancelling corotation (Hecht et al. 2012; Pincon 2020) on the torus of Pincon's report: radii 0.3 and 0.1 m,
// density 20 kg/m3, E = 50 Pa, nu = 0.45.
// free fall refreshes nothing; a clamped torus is refreshed until it is at rest; a pull refreshes elements near the pull;
//   with a threshold that is never reached the pulled torus breaks apart, with thresholds over five decades it does not;
//   threshold 0 gives the motion of the corotational body with a direct solver.
// Beyond the report: large rotations, soft next to stiff material, inverted elements, pins and contacts that come and go, Newton,
// the same bits for any number of workers and from a checkpoint.
#include "verify.h"

static const double step = 0.01, ring = 0.3, tube = 0.1;

typedef struct hand {
    double way[3], time;
} hand;

// a smooth displacement that takes `time` seconds and then stays
static void pull(const void *user, double t, sp_pose *out) {
    const hand *h = user;
    double s = t < h->time ? t / h->time : 1;
    *out = sp_pose_identity();
    for (int k = 0; k < 3; k++) out->translate[k] = h->way[k] * s * s * (3 - 2 * s);
}

typedef struct torus {
    int along, across, workers;
    double gravity;
    bool clamped;
    const hand *pulled;
    sp_solver_type type;
    double threshold, columns;
    sp_integrator_type integrator;
    double damping[2];
    const double *initial, *velocity, *young;
    bool floor;
} torus;

static const hand far_away = {{0.6, 0.42, 0}, 0.5}, farther = {{0.75, 0.525, 0}, 0.5};
static const torus plain = {
    .along = 24, .across = 2, .workers = 2, .type = SP_SOLVER_UPDATED_CHOLESKY, .threshold = NAN, .columns = NAN};

static bool open_context(lab *b, int workers) {
    *b = (lab){0};
    sp_context_def def = sp_context_def_default();
    def.workers = workers;
    return sp_context_create(&def, &b->ctx) == SP_OK;
}

static int nodes_where(const sp_mesh *mesh, bool (*where)(const double *x), int *out) {
    int n = 0;
    for (int i = 0; i < sp_mesh_node_count(mesh); i++)
        if (where(sp_mesh_positions(mesh) + 3 * i)) out[n++] = i;
    return n;
}

static bool at_clamp(const double *x) {
    return x[0] < -0.3;
}

static bool at_hand(const double *x) {
    return x[0] > 0.37;
}

static bool add_floor(lab *b) {
    sp_rigid_shape shape = {.type = SP_PLANE, .size = {0, 1, 0}, .pose = sp_pose_identity()};
    sp_rigid_def def = sp_rigid_def_default();
    sp_contact_def contact = sp_contact_def_default();
    shape.pose.translate[1] = -0.55;
    def.name = "floor", def.shapes = &shape, def.shape_count = 1;
    contact.friction = 0.3;
    return sp_world_add_rigid(b->world, &def, NULL) == SP_OK && sp_world_set_contact(b->world, &contact) == SP_OK;
}

static bool open_torus(lab *b, const torus *t) {
    static int clamp[4000], held[4000];
    const double axis[3] = {0, 0, 1};
    const int cells[2] = {t->along, t->across};
    if (!open_context(b, t->workers) || sp_mesh_torus(b->ctx, ring, tube, axis, cells, &b->mesh) < 0) return false;
    sp_solid_def def = lab_solid(b);
    sp_fix fix = {clamp, nodes_where(b->mesh, at_clamp, clamp), SP_AXES_ALL, 0};
    sp_move move = {.nodes = held, .count = nodes_where(b->mesh, at_hand, held), .axes = SP_AXES_ALL};
    move.pose = (sp_pose_signal){.eval = pull, .user = t->pulled};
    if (t->clamped) def.fixes = &fix, def.fix_count = 1;
    if (t->pulled) def.moves = &move, def.move_count = 1;
    def.material = (sp_material){.density = 20, .young = 50, .poisson = 0.45}, def.rotation = SP_ROTATION_SVD;
    def.rayleigh_mass = t->damping[0], def.rayleigh_stiffness = t->damping[1];
    def.initial = t->initial, def.initial_velocity = t->velocity, def.element_young = t->young;
    def.integrator.type = t->integrator;
    def.solver.type = t->type, def.solver.updated.threshold = t->threshold, def.solver.updated.budget_columns = t->columns;
    return lab_world(b, &def, t->gravity) && (!t->floor || add_floor(b));
}

// result of a run: every position of every step, and the refreshed elements
typedef struct track {
    int steps, nodes;
    double *x;
    long refreshed, waited;
    int last;           // step of the last refresh after the first solve
    sp_body_info info;  // at the end
    sp_body_measures end;
    uint64_t hash;
} track;

typedef void deed(lab *b, int k);  // between steps

static bool follow(const torus *t, int steps, deed *act, track *out) {
    lab b;
    *out = (track){.steps = steps};
    bool ok = open_torus(&b, t);
    out->nodes = ok ? b.nodes : 0;
    out->x = calloc(3 * (size_t)steps * (size_t)out->nodes + 1, sizeof(double));
    for (int k = 0; k < steps && ok; k++) {
        if (act) act(&b, k);
        ok = lab_step(&b, step) >= 0;
        out->info = lab_info(&b), out->end = lab_measures(&b);
        if (k > 0) out->refreshed += out->info.solve.elements_refreshed, out->waited += out->info.solve.elements_waiting;
        if (k > 0 && out->info.solve.elements_refreshed) out->last = k;
        if (ok) sp_world_field(b.world, b.body, "position", out->x + 3 * (size_t)out->nodes * (size_t)k);
        out->hash = ok ? sp_world_hash(b.world) : 0;
    }
    lab_close(&b);
    return ok;
}

static double farthest(const track *a, const track *b) {
    double most = 0;
    for (size_t i = 0; i < 3 * (size_t)a->nodes * (size_t)a->steps; i++) {
        double d = fabs(a->x[i] - b->x[i]);
        if (!(d <= most)) most = d;
    }
    return most;
}

// the same with a direct solver on the current matrix of every step, and the distance between the two
static double from_exact(const torus *t, int steps, deed *act, track *run) {
    torus exact = *t;
    track right;
    exact.type = SP_SOLVER_CHOLESKY;
    double most = follow(&exact, steps, act, &right) && follow(t, steps, act, run) ? farthest(run, &right) : INFINITY;
    free(right.x), free(run->x);
    return most;
}

// ------------------------------------------------------------------------------------------------ claims of the report

// Free fall only translates. Implicit Euler falls g h^2 n (n + 1) / 2 in n steps; rounding is added n times.
TEST(free_fall_refreshes_nothing) {
    enum { N = 50 };
    torus t = plain;
    track run;
    t.gravity = -9.81;
    REQUIRE(follow(&t, N, NULL, &run));
    CHECK_INT(run.refreshed, 0);
    CHECK_INT(run.info.solve.columns, 0);
    CHECK_INT(run.info.solve.factor_age, N - 1);
    CHECK_NEAR(run.end.momentum[1], -run.end.mass * 9.81 * N * step, 1e-12);
    CHECK_NEAR(run.x[3 * (size_t)run.nodes * (N - 1) + 1] - run.x[1], -9.81 * step * step * (N * (N + 1) / 2 - 1), 1e-12);
    free(run.x);
}

// The torus swings until damping has ended the motion; the last third of the run refreshes nothing.
TEST(refreshes_stop_at_equilibrium) {
    enum { N = 600 };
    torus t = plain;
    track run;
    t.along = 20, t.clamped = true, t.gravity = -1, t.damping[0] = 2, t.damping[1] = 0.05, t.threshold = 1e-6;
    REQUIRE(follow(&t, N, NULL, &run));
    printf("  %ld refreshes, the last in step %d, kinetic energy %.2g J\n", run.refreshed, run.last, run.end.kinetic);
    CHECK(run.refreshed > 200);
    CHECK(run.last > 20 && run.last < 2 * N / 3);
    CHECK(run.end.displacement_max > 0.1 && run.end.kinetic < 1e-5);
    free(run.x);
}

// The mean distance of refreshed elements from the drag is less than 0.6 of the mean over the body: the drag covers a sixth of
// the ring, and the paths of the elimination tree include a few elements elsewhere.
TEST(a_pull_is_refreshed_near_the_pull) {
    lab b;
    torus t = plain;
    t.clamped = true, t.pulled = &far_away;
    REQUIRE(open_torus(&b, &t));
    double *age = calloc((size_t)b.tets, sizeof *age), near = 0, all = 0;
    long count = 0;
    for (int k = 0; k < 50; k++) {
        REQUIRE(lab_step(&b, step) >= 0);
        REQUIRE(sp_world_field(b.world, b.body, "refresh", age) == SP_OK);
        for (int e = 0; e < b.tets; e++) {
            double c[3] = {0}, d = 0;
            for (int a = 0; a < 4; a++)
                for (int i = 0; i < 3; i++) c[i] += 0.25 * sp_mesh_positions(b.mesh)[3 * sp_mesh_tets(b.mesh)[4 * e + a] + i];
            d = sqrt(pow(c[0] - 0.4, 2) + c[1] * c[1] + c[2] * c[2]);
            if (k == 0) all += d / b.tets;
            if (k > 0 && age[e] == 0) near += d, count++;
            if (k == 0) CHECK(age[e] == 0);
        }
    }
    printf("  %ld refreshes, mean distance %.3f m, of all elements %.3f m\n", count, near / (double)count, all);
    CHECK(count > 100 && count < 50L * b.tets / 10);
    CHECK(near / (double)count < 0.6 * all);
    free(age);
    lab_close(&b);
}

// One hundred steps of a violent pull: the ring is stretched to more than twice its size. 5 cm is 6% of it; between 1e-7 and 1e-3
// N s the answer to a threshold ten times larger is at most that far away, and the error is ordered by threshold except where it
// is chaotic.
TEST(a_broad_range_of_thresholds_follows_the_exact_motion) {
    torus t = plain;
    track right, run;
    double apart[5];
    t.clamped = true, t.pulled = &far_away, t.type = SP_SOLVER_CHOLESKY;
    REQUIRE(follow(&t, 100, NULL, &right));
    t.type = SP_SOLVER_UPDATED_CHOLESKY;
    long before = 0;
    for (int k = 0; k < 5; k++) {
        t.threshold = 1e-7 * pow(10, k);
        REQUIRE(follow(&t, 100, NULL, &run));
        apart[k] = farthest(&run, &right);
        printf("  threshold %g N s: %.3g m, %ld elements refreshed\n", t.threshold, apart[k], run.refreshed);
        CHECK(k == 0 || run.refreshed < before);
        CHECK(apart[k] < 0.05);
        before = run.refreshed;
        free(run.x);
    }
    CHECK(apart[0] < 1e-3 && apart[0] < apart[2] && apart[0] < apart[4]);
    t.threshold = NAN;
    REQUIRE(follow(&t, 100, NULL, &run));
    apart[0] = farthest(&run, &right);
    printf("  auto: %.3g m, %ld elements refreshed\n", apart[0], run.refreshed);
    CHECK(apart[0] < 0.03);
    free(run.x);
    free(right.x);
}

// The same ring, pulled a little farther: with the automatic threshold it stays whole, without refreshes it does not.
TEST(without_refreshes_the_ring_breaks_apart) {
    torus t = plain;
    track run;
    t.clamped = true, t.pulled = &farther;
    REQUIRE(follow(&t, 100, NULL, &run));
    CHECK(run.end.displacement_max < 2 && run.end.kinetic < 10);
    free(run.x);
    t.threshold = 1e300;
    bool stays = follow(&t, 100, NULL, &run);
    CHECK(!stays || !(run.end.displacement_max < 100));
    free(run.x);
}

// Rounding, amplified by 50 steps of a body that does not damp it: every step may double it in an unstable direction, and 1e-10
// allows for twenty of them.
TEST(threshold_zero_is_the_direct_solver) {
    torus t = plain;
    track run;
    t.clamped = true, t.pulled = &far_away, t.threshold = 0;
    CHECK_NEAR(from_exact(&t, 50, NULL, &run), 0, 1e-10);
    CHECK_INT(run.refreshed, 49L * run.info.elements);
}

// ------------------------------------------------------------------------------------------------ harder bodies

static double *new_field(const torus *t, void (*make)(const double *X, double *out)) {
    lab b;
    const double axis[3] = {0, 0, 1};
    const int cells[2] = {t->along, t->across};
    double *out = NULL;
    if (open_context(&b, 1) && sp_mesh_torus(b.ctx, ring, tube, axis, cells, &b.mesh) == SP_OK) {
        int n = sp_mesh_node_count(b.mesh);
        out = calloc(3 * (size_t)n, sizeof *out);
        for (int i = 0; i < n; i++) make(sp_mesh_positions(b.mesh) + 3 * i, out + 3 * i);
    }
    lab_close(&b);
    return out;
}

static const double spin[3] = {1, 0.6, 4};  // [rad/s]: a whole turn in one and a half seconds

static void spinning(const double *X, double *v) {
    v[0] = spin[1] * X[2] - spin[2] * X[1], v[1] = spin[2] * X[0] - spin[0] * X[2], v[2] = spin[0] * X[1] - spin[1] * X[0];
}

// A free ring spins, expands and wobbles: the frames follow the rotation, and little is refreshed.
TEST(large_rotations) {
    torus t = plain;
    track run;
    double *v = new_field(&t, spinning);
    t.velocity = v;
    double apart = from_exact(&t, 150, NULL, &run);
    printf("  %.3g m apart, %.2f%% of the elements refreshed a step\n", apart, (double)run.refreshed / 1.5 / run.info.elements);
    CHECK(apart < 0.01);
    CHECK(run.refreshed < 15L * run.info.elements);  // a tenth of all
    CHECK(run.end.displacement_max > 0.5);
    free(v);
}

TEST(soft_next_to_stiff) {
    torus t = plain;
    track run;
    int tets = t.along * 24 * t.across * t.across;
    double *young = calloc((size_t)tets, sizeof *young);
    // sectors of 10, 50 and 1000 Pa: elements are numbered around the ring
    for (int e = 0; e < tets; e++) young[e] = (const double[]){10, 50, 1000}[e * 9 / tets % 3];
    t.young = young, t.clamped = true, t.gravity = -1;
    double apart = from_exact(&t, 100, NULL, &run);
    printf("  %.3g m apart\n", apart);
    CHECK(apart < 0.02);
    CHECK(run.end.displacement_max > 0.2 && run.refreshed > 0);
    free(young);
}

// inverted: the tube is turned inside out at the start
static void inside_out(const double *X, double *x) {
    double r = sqrt(X[0] * X[0] + X[1] * X[1]);
    for (int k = 0; k < 2; k++) x[k] = X[k] * (ring - 0.3 * (r - ring)) / r;
    x[2] = X[2];
}

// With svd rotations an inverted element recovers; the damped ring returns to its shape as it does with a direct solver.
TEST(inverted_elements_recover) {
    torus t = plain;
    track run;
    double *x = new_field(&t, inside_out);
    t.initial = x, t.damping[0] = 1, t.damping[1] = 0.02, t.integrator = SP_IMPLICIT_EULER;
    REQUIRE(follow(&t, 300, NULL, &run));
    printf("  volume %.5f of %.5f m3, kinetic energy %.2g J\n", run.end.volume, run.end.rest_volume, run.end.kinetic);
    CHECK_NEAR(run.end.volume, run.end.rest_volume, 0.01 * run.end.rest_volume);
    CHECK(run.end.elastic < 1e-4);
    free(run.x), free(x);
}

static void queue(lab *b, sp_edit_type type, int node, unsigned axes) {
    sp_edit e = sp_edit_default(type);
    e.body = b->body, e.node = node, e.axes = axes;
    CHECK(sp_world_queue(b->world, &e) == SP_OK);
}

// pins on all axes and on some, a drag, a change of stiffness
static void meddle(lab *b, int k) {
    sp_edit e = sp_edit_default(SP_EDIT_DRAG);
    if (k == 10) queue(b, SP_EDIT_PIN, 100, SP_AXES_ALL), queue(b, SP_EDIT_PIN, 300, SP_AXIS_X);
    if (k == 25) queue(b, SP_EDIT_RELEASE, 100, SP_AXIS_Y), queue(b, SP_EDIT_PIN, 301, SP_AXIS_Z);
    if (k == 40) queue(b, SP_EDIT_RELEASE, 100, SP_AXES_ALL), queue(b, SP_EDIT_RELEASE, 300, SP_AXES_ALL);
    if (k >= 15 && k < 35) {
        e.source = 2, e.stiffness = 2, e.damping = 0.02, e.target[0] = 0.6, e.target[1] = 0.01 * k;
        CHECK(sp_world_anchor_point(b->world, b->body, (const double[]){0.33, 0.01, 0.02}, &e.anchor) == SP_OK);
        CHECK(sp_world_queue(b->world, &e) == SP_OK);
    }
    if (k == 35) e = sp_edit_default(SP_EDIT_DROP), e.source = 2, CHECK(sp_world_queue(b->world, &e) == SP_OK);
    if (k == 45) {
        e = sp_edit_default(SP_EDIT_PARAM);
        strcpy(e.path, "body.young"), e.value = 80;
        CHECK(sp_world_queue(b->world, &e) == SP_OK);
    }
}

TEST(pins_drags_and_materials_change_while_it_runs) {
    torus t = plain;
    track run;
    t.clamped = true, t.gravity = -1;
    double apart = from_exact(&t, 60, meddle, &run);
    printf("  %.3g m apart\n", apart);
    CHECK(apart < 0.01);
    CHECK(run.refreshed > 0);
}

// The ring falls on a floor and stays on it. Which node touches when is chaotic after the impact; until then it is not.
TEST(contact) {
    torus t = plain;
    track run;
    t.gravity = -9.81, t.floor = true, t.damping[1] = 0.01;
    double apart = from_exact(&t, 60, NULL, &run);
    printf("  %.3g m apart\n", apart);
    CHECK(apart < 0.1);
    CHECK(isfinite(run.end.kinetic) && run.end.kinetic < 10);
}

// Newton's method solves its own equation: for any matrix, the end state is the same to its tolerance.
TEST(newton) {
    torus t = plain;
    track run;
    t.along = 16, t.clamped = true, t.pulled = &far_away, t.integrator = SP_NEWTON;
    double apart = from_exact(&t, 25, NULL, &run);
    printf("  %.3g m apart\n", apart);
    CHECK(apart < 1e-5);
    CHECK_INT(run.info.solve.status, SP_OK);
}

// ------------------------------------------------------------------------------------------------ budget and bits

TEST(the_budget_is_kept_and_deferred_elements_come_next) {
    lab b;
    torus t = plain;
    t.along = 36, t.clamped = true, t.pulled = &far_away, t.threshold = 1e-7, t.columns = 0.3;
    REQUIRE(open_torus(&b, &t));
    long waited = 0;
    int longest = 0, busy = 0;
    for (int k = 0; k < 60; k++) {
        REQUIRE(lab_step(&b, step) >= 0);
        sp_solve_info i = lab_info(&b).solve;
        if (k > 0) CHECK(i.columns <= 0.3 * b.nodes);
        waited += i.elements_waiting;
        busy = k > 0 && i.elements_waiting > 0 ? busy + (i.elements_refreshed > 0) : 0;
        if (busy > longest) longest = busy;
    }
    CHECK(waited > 1000 && longest > 10);
    lab_close(&b);
}

TEST(same_bits_for_any_number_of_workers) {
    const int workers[] = {1, 2, 3, 7};
    uint64_t first = 0;
    for (int k = 0; k < 4; k++) {
        torus t = plain;
        track run;
        t.clamped = true, t.gravity = -1, t.workers = workers[k], t.threshold = 1e-6;
        REQUIRE(follow(&t, 50, meddle, &run));
        CHECK(run.refreshed > 0 && run.waited > 0);
        if (k == 0) first = run.hash;
        CHECK(run.hash == first);
        free(run.x);
    }
}

TEST(a_checkpoint_continues_with_the_same_bits) {
    lab b, c;
    torus t = plain;
    sp_checkpoint kept = {0};
    t.along = 16, t.clamped = true, t.pulled = &far_away, t.threshold = 1e-6;
    REQUIRE(open_torus(&b, &t) && open_torus(&c, &t));
    REQUIRE(lab_steps(&b, step, 20) >= 0);
    REQUIRE(sp_world_save(b.world, &kept) == SP_OK);
    REQUIRE(lab_steps(&b, step, 15) >= 0);
    uint64_t hash = sp_world_hash(b.world);
    // the same world, and another one that has not made a step
    REQUIRE(sp_world_restore(b.world, kept.data, kept.size) == SP_OK);
    REQUIRE(lab_steps(&b, step, 15) >= 0);
    CHECK(sp_world_hash(b.world) == hash);
    REQUIRE(sp_world_restore(c.world, kept.data, kept.size) == SP_OK);
    REQUIRE(lab_steps(&c, step, 15) >= 0);
    CHECK(sp_world_hash(c.world) == hash);
    sp_checkpoint_free(b.world, &kept);
    lab_close(&b), lab_close(&c);
}

// In real time the budget is in milliseconds; the motion stays stable however short it is.
TEST(a_budget_of_time) {
    lab b;
    torus t = plain;
    const double axis[3] = {0, 0, 1};
    const int cells[2] = {t.along, t.across};
    static int clamp[4000], held[4000];
    REQUIRE(open_context(&b, 2) && sp_mesh_torus(b.ctx, ring, tube, axis, cells, &b.mesh) == SP_OK);
    sp_world_def wd = sp_world_def_default();
    wd.deterministic = false, wd.snapshots = false;
    for (int k = 0; k < 3; k++) wd.gravity[k] = sp_signal_constant(0);
    sp_solid_def def = lab_solid(&b);
    sp_fix fix = {clamp, nodes_where(b.mesh, at_clamp, clamp), SP_AXES_ALL, 0};
    sp_move move = {.nodes = held, .count = nodes_where(b.mesh, at_hand, held), .axes = SP_AXES_ALL};
    move.pose = (sp_pose_signal){.eval = pull, .user = &far_away};
    def.fixes = &fix, def.fix_count = 1, def.moves = &move, def.move_count = 1;
    def.material = (sp_material){.density = 20, .young = 50, .poisson = 0.45}, def.rotation = SP_ROTATION_SVD;
    def.solver.type = SP_SOLVER_UPDATED_CHOLESKY, def.solver.updated.budget_ms = 0.2;
    REQUIRE(sp_world_create(b.ctx, &wd, &b.world) == SP_OK && sp_world_add_solid(b.world, &def, &b.body) == SP_OK);
    REQUIRE(lab_steps(&b, step, 60) >= 0);
    sp_body_measures end = lab_measures(&b);
    CHECK(end.volume > 0.5 * end.rest_volume && end.kinetic < 1);
    lab_close(&b);
}
