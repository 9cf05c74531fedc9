// Same bits for any number of workers and on replay of an edit log; no allocation after warm-up.

#include "souple/souple.h"
#include "test.h"

enum { STEPS = 28 };

typedef struct scene {
    sp_context *ctx;
    sp_world *w;
    sp_mesh *large, *small;  // 2025 nodes are a dozen chunks of work, more than there are workers
} scene;

static void circle(const void *user, double t, sp_pose *out) {
    (void)user;
    *out = sp_pose_identity();
    out->translate[0] = 0.3 + 0.05 * sin(7 * t), out->translate[1] = -0.2 + 0.05 * cos(7 * t);
}

// region 1: the last quarter of the elements, so that the chunks of the two laws differ in size
static int *quarter(const sp_mesh *mesh) {
    int n = sp_mesh_element_count(mesh), *region = calloc((size_t)n, sizeof *region);
    for (int i = 3 * n / 4; i < n; i++) region[i] = 1;
    return region;
}

static sp_status add_beam(scene *s, const char *name, double z, sp_integrator_type type, sp_rotation rotation,
                          sp_operator_type op) {
    double low[3], high[3];
    int held[100], count;
    bool large = strcmp(name, "one") == 0;
    sp_selection sel = sp_selection_default();
    sp_pose pose = sp_pose_identity();
    sp_mesh *moved;
    pose.translate[2] = z;
    if (sp_mesh_transformed(large ? s->large : s->small, NULL, &pose, &moved) < 0) return SP_NO_MEMORY;
    sp_mesh_bounds(moved, low, high);
    sel.has_box = true;
    memcpy(sel.box, low, sizeof low), memcpy(sel.box + 3, high, sizeof high);
    sel.box[3] = low[0];
    sp_mesh_select(moved, &sel, SP_SELECT_NODES, held, 100, &count);
    sp_fix fix = {held, count, SP_AXES_ALL, 0};
    sp_solid_def def = sp_solid_def_default();
    def.name = name, def.mesh = moved, def.fixes = &fix, def.fix_count = 1, def.material.young = 3e4;
    def.rotation = rotation, def.integrator.type = type, def.integrator.substeps = type == SP_EXPLICIT ? 10 : SP_SUBSTEPS_AUTO,
    def.solver.cg.op = op;
    def.rayleigh_stiffness = type == SP_EXPLICIT ? 0 : 0.01;
    if (large) def.solver.tolerance = 0, def.solver.iterations = 15;
    const sp_solid_law log = {.model = SP_NEO_HOOKEAN, .form = SP_FORM_LOG};
    const sp_material half = {.density = NAN, .young = NAN, .poisson = NAN};
    int *region = strcmp(name, "five") == 0 ? quarter(moved) : NULL;
    if (region) {  // two laws in one mesh
        def.model = SP_OGDEN, def.volumetric = SP_VOLUMETRIC_MIXED;
        def.regions = &half, def.region_laws = &log, def.region_count = 1, def.element_region = region;
    }
    sp_status status = sp_world_add_solid(s->w, &def, NULL);
    free(region);
    sp_mesh_destroy(&moved);
    return status;
}

static void start(scene *s, const sp_context_def *def, const char *backend) {
    const double size[3] = {0.8, 0.2, 0.2};
    const int many[3] = {THREAD_SANITIZED ? 12 : 24, 8, 8}, few[3] = {12, 4, 4};  // still more chunks than workers
    sp_world_def wd = sp_world_def_default();
    sp_rigid_shape ball = {.type = SP_SPHERE, .size = {0.15}, .pose = sp_pose_identity()};
    sp_rigid_def rigid = sp_rigid_def_default();
    sp_contact_def contact = sp_contact_def_default();
    wd.backend = backend;
    rigid.name = "ball", rigid.shapes = &ball, rigid.shape_count = 1, rigid.kinematic = true, rigid.pose.eval = circle;
    contact.friction = 0.4;
    CHECK(sp_context_create(def, &s->ctx) == SP_OK);
    CHECK(sp_mesh_box(s->ctx, size, many, 6, &s->large) == SP_OK && sp_mesh_box(s->ctx, size, few, 6, &s->small) == SP_OK);
    CHECK(sp_world_create(s->ctx, &wd, &s->w) == SP_OK);
    CHECK(add_beam(s, "one", 0, SP_IMPLICIT_EULER, SP_ROTATION_POLAR, SP_OPERATOR_ASSEMBLED) == SP_OK);
    CHECK(add_beam(s, "two", 0.3, SP_IMPLICIT_EULER, SP_ROTATION_QR, SP_OPERATOR_FREE) == SP_OK);
    CHECK(add_beam(s, "three", 0.6, SP_NEWTON, SP_ROTATION_SVD, SP_OPERATOR_AUTO) == SP_OK);
    CHECK(add_beam(s, "four", 0.9, SP_EXPLICIT, SP_ROTATION_POLAR, SP_OPERATOR_AUTO) == SP_OK);
    CHECK(add_beam(s, "five", 1.2, SP_IMPLICIT_EULER, SP_ROTATION_POLAR, SP_OPERATOR_FREE) == SP_OK);
    CHECK(sp_world_add_rigid(s->w, &rigid, NULL) == SP_OK);
    CHECK(sp_world_set_contact(s->w, &contact) == SP_OK);
}

static void finish(scene *s) {
    sp_world_destroy(&s->w);
    sp_mesh_destroy(&s->large), sp_mesh_destroy(&s->small);
    sp_context_destroy(&s->ctx);
}

static void queue(scene *s, sp_edit e, const char *body, const char *path, double value) {
    e.body = sp_world_body_named(s->w, body);
    snprintf(e.path, sizeof e.path, "%s", path);
    e.value = value;
    CHECK(sp_world_queue(s->w, &e) == SP_OK);
}

// edits of a user, a program and a device, by step
static void act(scene *s, int step) {
    int near_the_end = sp_mesh_node_count(s->large) - 25;
    sp_edit e = sp_edit_default(SP_EDIT_DRAG);
    if (step >= 5 && step < 25) {
        CHECK(sp_world_anchor_node(s->w, sp_world_body_named(s->w, "one"), near_the_end, &e.anchor) == SP_OK);
        e.source = 3, e.stiffness = 400, e.damping = 1, e.target[0] = 1, e.target[1] = 0.02 * step;
        queue(s, e, "one", "", 0);
    }
    if (step == 25) e = sp_edit_default(SP_EDIT_DROP), e.source = 3, queue(s, e, "one", "", 0);
    if (step == 8) e = sp_edit_default(SP_EDIT_PIN), e.node = 300, queue(s, e, "two", "", 0);
    if (step == 20) e = sp_edit_default(SP_EDIT_RELEASE), e.node = 300, queue(s, e, "two", "", 0);
    if (step == 12) queue(s, sp_edit_default(SP_EDIT_PARAM), "", "three.young", 1e4);
    if (step == 14) queue(s, sp_edit_default(SP_EDIT_PARAM), "", "gravity.z", 2);
    if (step == 16)
        e = sp_edit_default(SP_EDIT_POSE), e.source = 9, e.pose.translate[0] = 0.5, e.pose.translate[1] = -0.12,
        queue(s, e, "ball", "", 0);
    if (step == 18) queue(s, sp_edit_default(SP_EDIT_PARAM), "", "contact.friction", 0.1);
}

typedef struct edit_list {
    sp_edit edits[16 * STEPS];
    int count[STEPS];
} edit_list;

// bits of what the balance of a body says
static uint64_t balance(scene *s, const char *name) {
    sp_body_measures m;
    uint64_t bits[2];
    CHECK(sp_world_body_measure(s->w, sp_world_body_named(s->w, name), &m) >= 0);
    memcpy(bits, (double[2]){m.energy_max, m.appeared}, sizeof bits);
    return bits[0] ^ bits[1] << 1;
}

// hashes of every step; the applied edits are written to the log, or read from it
static void run_some(scene *s, int steps, uint64_t *hash, edit_list *out, const edit_list *in) {
    int at = 0;
    for (int k = 0; k < steps; k++) {
        if (in)
            for (int i = 0; i < in->count[k]; i++, at++) CHECK(sp_world_queue(s->w, &in->edits[at]) == SP_OK);
        else
            act(s, k);
        CHECK(sp_world_step(s->w, 0.01) >= 0);
        hash[k] = sp_world_hash(s->w) ^ balance(s, "five");
        int n;
        const sp_edit *taken = sp_world_edits_taken(s->w, &n);
        for (int i = 0; out && i < n; i++) out->edits[at++] = taken[i];
        if (out) out->count[k] = n;
    }
}

static void run(scene *s, uint64_t *hash, edit_list *out, const edit_list *in) {
    run_some(s, STEPS, hash, out, in);
}

static int differ(const uint64_t *a, const uint64_t *b) {
    for (int k = 0; k < STEPS; k++)
        if (a[k] != b[k]) return k + 1;
    return 0;
}

TEST(same_bits_for_any_number_of_workers) {
    const char *backends[] = {"ref", "cpu"};
    // one worker cannot race, seven race as three do, and the backend `ref` has no threads of its own
    const int all[] = {1, 2, 3, 7}, several[] = {2, 3}, *workers = THREAD_SANITIZED ? several : all;
    const int count = THREAD_SANITIZED ? 2 : 4;
    for (int b = THREAD_SANITIZED ? 1 : 0; b < 2; b++) {
        uint64_t hash[4][STEPS];
        for (int i = 0; i < count; i++) {
            scene s;
            sp_context_def def = sp_context_def_default();
            def.workers = workers[i];
            start(&s, &def, backends[b]);
            run(&s, hash[i], NULL, NULL);
            finish(&s);
            CHECK_INT(differ(hash[0], hash[i]), 0);
        }
        CHECK(hash[0][0] != hash[0][1]);
    }
}

TEST(replay_of_the_edits_gives_the_same_bits) {
    NOT_SANITIZED();
    static edit_list kept;
    uint64_t played[STEPS], replayed[STEPS];
    scene s;
    start(&s, NULL, "auto");
    run(&s, played, &kept, NULL);
    finish(&s);
    start(&s, NULL, "auto");
    run(&s, replayed, NULL, &kept);
    finish(&s);
    CHECK_INT(differ(played, replayed), 0);
    // without the edits the result differs from the first one on
    memset(kept.count, 0, sizeof kept.count);
    start(&s, NULL, "auto");
    run_some(&s, 6, replayed, NULL, &kept);
    finish(&s);
    CHECK_INT(differ(played, replayed), 6);
}

// ---------------------------------------------------------------------------------------------------- the host's own tasks

typedef struct batch {
    sp_task_fn *fn;
    void *arg;
    int count;
} batch;

// backwards and all on worker 0: an order that our own pool never uses
static void *enqueue(sp_task_fn *fn, int count, void *arg, void *user) {
    batch *b = user;
    *b = (batch){fn, arg, count};
    return b;
}

static void finish_tasks(void *handle, void *user) {
    batch *b = handle;
    (void)user;
    for (int i = b->count - 1; i >= 0; i--) b->fn(b->arg, i, 0);
}

TEST(same_bits_with_tasks_of_the_host) {
    if (THREAD_SANITIZED) return;  // all tasks on one thread cannot race
    uint64_t own[STEPS], hosts[STEPS];
    batch b;
    scene s;
    start(&s, NULL, "auto");
    run(&s, own, NULL, NULL);
    finish(&s);
    sp_context_def def = sp_context_def_default();
    def.workers = 2, def.enqueue = enqueue, def.finish = finish_tasks, def.task_user = &b;
    start(&s, &def, "auto");
    run(&s, hosts, NULL, NULL);
    finish(&s);
    CHECK_INT(differ(own, hosts), 0);
}

// ---------------------------------------------------------------------------------------------------- allocations

static uint64_t allocations(const scene *s) {
    size_t bytes;
    uint64_t n;
    sp_context_memory(s->ctx, &bytes, &n);
    return n;
}

TEST(no_allocation_after_warm_up) {
    NOT_SANITIZED();
    scene s;
    uint64_t hash[STEPS];
    start(&s, NULL, "auto");
    run(&s, hash, NULL, NULL);
    uint64_t before = allocations(&s);
    // repeats drags, pins, parameters and a held snapshot
    const sp_snapshot *held = sp_world_snapshot_acquire(s.w);
    run(&s, hash, NULL, NULL);
    sp_world_snapshot_release(s.w, held);
    CHECK_INT(allocations(&s), before);
    finish(&s);
}
