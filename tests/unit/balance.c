// The stage that checks a step: its counts against a simple reference, its reservations, and that its sums are saved, restored
// and the same for any number of threads.
#include "at.h"
#include "souple/souple.h"
#include "test.h"
#include "world/world_internal.h"

typedef struct rig {
    sp_context *ctx;
    sp_mesh *mesh;
    sp_world *w;
    sp_body_id id;
} rig;

static bool rig_context(rig *r, int workers) {
    *r = (rig){0};
    sp_context_def def = sp_context_def_default();
    def.workers = workers;
    return sp_context_create(&def, &r->ctx) == SP_OK;
}

static bool rig_world(rig *r, const sp_solid_def *solid, const char *backend, double gravity) {
    sp_world_def def = sp_world_def_default();
    def.backend = backend;
    def.gravity[1] = sp_signal_constant(gravity);
    return sp_world_create(r->ctx, &def, &r->w) == SP_OK && sp_world_add_solid(r->w, solid, &r->id) >= 0;
}

static void rig_close(rig *r) {
    sp_world_destroy(&r->w);
    sp_mesh_destroy(&r->mesh);
    sp_context_destroy(&r->ctx);
}

static uint32_t reservations(const rig *r) {
    sp_step_info info;
    sp_world_step_info(r->w, &info);
    return info.reservations;
}

static sp_body_info info_of(const rig *r) {
    sp_body_info info = {0};
    CHECK(sp_world_body_info(r->w, r->id, &info) >= 0);
    return info;
}

static sp_body_measures measures_of(const rig *r) {
    sp_body_measures measures = {0};
    CHECK(sp_world_body_measure(r->w, r->id, &measures) >= 0);
    return measures;
}

static bool one_tetrahedron(rig *r) {
    static const double x[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    static const int tet[] = {0, 1, 2, 3};
    sp_mesh_def def = sp_mesh_def_default();
    def.node_count = 4, def.positions = x, def.element_count = 1, def.element_nodes = tet;
    return sp_mesh_create(r->ctx, &def, &r->mesh) >= 0;
}

// The mirror image of a single tetrahedron has minus its volume: inverted, and twice its volume lost. All nodes are fixed, so it
// stays: each step reports it, the event comes once.
TEST(a_mirrored_tetrahedron_is_inverted) {
    static const int nodes[] = {0, 1, 2, 3};
    static const double mirrored[] = {0, 0, 0, -1, 0, 0, 0, 1, 0, 0, 0, 1};
    for (int rotation = SP_ROTATION_POLAR; rotation <= SP_ROTATION_SVD; rotation++) {
        rig r;
        REQUIRE(rig_context(&r, 1) && one_tetrahedron(&r));
        sp_solid_def def = sp_solid_def_default();
        sp_fix fix = {.nodes = nodes, .count = 4, .axes = SP_AXES_ALL};
        def.mesh = r.mesh, def.rotation = (sp_rotation)rotation, def.fixes = &fix, def.fix_count = 1;
        REQUIRE(rig_world(&r, &def, "auto", 0));
        CHECK_INT(sp_world_step(r.w, 0.01), SP_OK);
        CHECK_INT(measures_of(&r).inverted, 0);
        CHECK(sp_world_set_state(r.w, r.id, mirrored, NULL) >= 0);
        sp_body_measures n = measures_of(&r);
        CHECK_INT(n.inverted, 1);
        CHECK_NEAR(n.volume_lost, 2, 1e-15);
        CHECK_INT(sp_world_step(r.w, 0.01), SP_INVERTED);
        CHECK(reservations(&r) == 1u << SP_INVERTED);
        sp_event e = event_at(r.w, 0);
        CHECK(e.status == SP_INVERTED && strstr(e.text, "1 elements"));
        const sp_snapshot *s = sp_world_snapshot_acquire(r.w);
        CHECK(s && s->bodies[0].inverted == 1 && s->reservations == 1u << SP_INVERTED);
        CHECK_NEAR(s->bodies[0].volume_lost, 2, 1e-15);
        sp_world_snapshot_release(r.w, s);
        CHECK_INT(sp_world_step(r.w, 0.01), SP_INVERTED);
        CHECK_INT(sp_world_event_at(r.w, 0, &e), SP_BAD_INPUT);
        CHECK(sp_world_set_state(r.w, r.id, sp_mesh_positions(r.mesh), NULL) >= 0);
        CHECK_INT(sp_world_step(r.w, 0.01), SP_OK);
        CHECK_INT(measures_of(&r).inverted, 0);
        rig_close(&r);
    }
}

// ---------------------------------------------------------------------------------------------------- against a reference

static double signed_volume(const double *x, const int *t) {
    double d[9];
    for (int a = 0; a < 3; a++)
        for (int k = 0; k < 3; k++) d[3 * a + k] = x[3 * t[a + 1] + k] - x[3 * t[0] + k];
    return (d[0] * (d[4] * d[8] - d[5] * d[7]) - d[1] * (d[3] * d[8] - d[5] * d[6]) + d[2] * (d[3] * d[7] - d[4] * d[6])) / 6;
}

// Nodes displaced at random by a share of a cell, up to shapes with many inverted elements. The elastic energy of the monitor,
// without rotations, must be that of the kernels with rotations (sp_body_measures), which have their own reference (unit/solid).
// Tolerance: both subtract numbers of the order of one, so a strain e costs 1e-16 / e of the energy; the smallest here is 1e-7.
static void compare_tally(const char *backend, sp_material_model model, sp_rotation rotation, double share) {
    const double size[3] = {1, 0.8, 0.6};
    const int cells[3] = {3, 2, 2};
    rig r;
    REQUIRE(rig_context(&r, 2) && sp_mesh_box(r.ctx, size, cells, 5, &r.mesh) >= 0);
    int n = sp_mesh_node_count(r.mesh), inverted = 0;
    double *x = malloc(3 * (size_t)n * sizeof *x), volume = 0;
    unsigned long long seed = 3;
    for (int i = 0; i < 3 * n; i++) x[i] = sp_mesh_positions(r.mesh)[i] + 0.3 * share * sp_test_random(&seed);
    for (int e = 0; e < sp_mesh_element_count(r.mesh); e++) {
        double v = signed_volume(x, sp_mesh_tets(r.mesh) + 4 * e);
        volume += v, inverted += v <= 0;
    }
    sp_solid_def def = sp_solid_def_default();
    def.mesh = r.mesh, def.model = model, def.rotation = rotation, def.initial = x;
    REQUIRE(rig_world(&r, &def, backend, 0));
    CHECK(sp_world_publish(r.w) >= 0);
    sp_body_measures info = measures_of(&r);
    const sp_snapshot *s = sp_world_snapshot_acquire(r.w);
    REQUIRE(s);
    CHECK_INT(info.inverted, inverted);
    CHECK_INT(s->bodies[0].inverted, inverted);
    CHECK_NEAR(info.volume, volume, 1e-14);
    CHECK_NEAR(s->bodies[0].elastic / info.elastic, 1, 1e-8);
    CHECK(share < 1 ? inverted == 0 : inverted > 10);
    sp_world_snapshot_release(r.w, s);
    free(x);
    rig_close(&r);
}

TEST(sums_of_elements) {
    static const double shares[] = {1e-7, 1e-3, 0.2, 2};
    static const char *const backends[] = {"ref", "cpu", "cpu-generic"};
    for (int b = 0; b < 3; b++)
        for (int i = 0; i < 4; i++) {
            compare_tally(backends[b], SP_COROTATIONAL, SP_ROTATION_SVD, shares[i]);
            compare_tally(backends[b], SP_COROTATIONAL, SP_ROTATION_POLAR, shares[i]);
            compare_tally(backends[b], SP_LINEAR, SP_ROTATION_SVD, shares[i]);
        }
}

// ---------------------------------------------------------------------------------------------------- sums are part of the state

static double pulling(const void *user, double t) {
    (void)user;
    return 200 * sin(10 * t);
}

static void shaking(const void *user, double t, sp_pose *out) {
    (void)user;
    *out = sp_pose_identity();
    out->translate[1] = 0.05 * sin(12 * t);
}

// A block with a load, a moved end and a floor with friction: all sums are used.
static bool open_block(rig *r, int workers) {
    const double size[3] = {1, 0.3, 0.3};
    const int cells[3] = {6, 3, 3};
    static int tip[1], root[64];
    if (!rig_context(r, workers) || sp_mesh_box(r->ctx, size, cells, 6, &r->mesh) < 0) return false;
    sp_solid_def def = sp_solid_def_default();
    sp_load load = {
        .type = SP_LOAD_EACH, .items = tip, .count = 1, .value = {{.constant = 0}, {.eval = pulling}, {.constant = 0}}};
    sp_move move = {.nodes = root, .axes = SP_AXES_ALL, .pose = {.eval = shaking}};
    for (int i = 0; i < sp_mesh_node_count(r->mesh); i++)
        if (sp_mesh_positions(r->mesh)[3 * i] < 1e-9 && move.count < 64) root[move.count++] = i;
    tip[0] = sp_mesh_node_count(r->mesh) - 1;
    def.mesh = r->mesh, def.material.young = 2e4;
    def.loads = &load, def.load_count = 1, def.moves = &move, def.move_count = 1;
    if (!rig_world(r, &def, "auto", -10)) return false;
    sp_rigid_shape floor = {.type = SP_PLANE, .size = {0, 1, 0}, .pose = sp_pose_identity()};
    sp_rigid_def rigid = sp_rigid_def_default();
    floor.pose.translate[1] = -0.1;
    rigid.shapes = &floor, rigid.shape_count = 1;
    sp_contact_def contact = sp_contact_def_default();
    contact.friction = 0.5;
    return sp_world_add_rigid(r->w, &rigid, NULL) >= 0 && sp_world_set_contact(r->w, &contact) >= 0;
}

static void queue_young(const rig *r, double value) {
    sp_edit e = sp_edit_default(SP_EDIT_PARAM);
    snprintf(e.path, sizeof e.path, "%s.young", info_of(r).name);
    e.value = value;
    CHECK(sp_world_queue(r->w, &e) >= 0);
}

static void go_on(const rig *r, int steps) {
    for (int i = 0; i < steps; i++) {
        if (i == 5) queue_young(r, 3e4);
        CHECK(sp_world_step(r->w, 0.01) >= 0);
    }
}

static bool same_sums(const sp_body_measures *a, const sp_body_measures *b) {
    return !memcmp(&a->work, &b->work, sizeof a->work) && a->potential == b->potential && a->contact == b->contact &&
           a->appeared == b->appeared && a->penetration == b->penetration && a->energy_max == b->energy_max;
}

TEST(sums_are_the_same_for_any_number_of_threads) {
    NOT_SANITIZED();
    sp_body_measures first = {0};
    uint64_t hash = 0;
    for (int workers = 1; workers <= 4; workers += 3) {
        rig r;
        REQUIRE(open_block(&r, workers));
        go_on(&r, 40);
        sp_body_measures n = measures_of(&r);
        const double all[] = {n.work.loads, n.work.pins, n.work.contact, n.work.edits, n.contact, n.potential, n.penetration};
        for (int i = 0; i < 7; i++) CHECK(all[i] != 0);
        if (workers == 1)
            first = n, hash = sp_world_hash(r.w);
        else
            CHECK(same_sums(&first, &n) && hash == sp_world_hash(r.w));
        rig_close(&r);
    }
}

TEST(sums_are_saved) {
    rig r, other;
    sp_checkpoint save;
    REQUIRE(open_block(&r, 2) && open_block(&other, 2));
    go_on(&r, 20);
    REQUIRE(sp_world_save(r.w, &save) >= 0);
    go_on(&r, 20);
    sp_body_measures went = measures_of(&r);
    REQUIRE(sp_world_restore(r.w, save.data, save.size) >= 0);
    go_on(&r, 20);
    sp_body_measures again = measures_of(&r);
    CHECK(same_sums(&went, &again));
    REQUIRE(sp_world_restore(other.w, save.data, save.size) >= 0);
    go_on(&other, 20);
    sp_body_measures elsewhere = measures_of(&other);
    CHECK(same_sums(&went, &elsewhere));
    sp_checkpoint_free(r.w, &save);
    rig_close(&r), rig_close(&other);
}

// A step that fails in any stage, with a pending edit, leaves the sums unchanged; the world continues as if it had not tried.
TEST(sums_are_rolled_back) {
    rig r, smooth;
    REQUIRE(open_block(&r, 1) && open_block(&smooth, 1));
    go_on(&r, 10), go_on(&smooth, 10);
    for (int stage = 0; stage <= SP_STAGE_BALANCE; stage++) {
        sp_body_measures before = measures_of(&r);
        queue_young(&r, 5e4);
        CHECK(sp__world_inject_failure(r.w, (sp_stage)stage) >= 0);
        CHECK(sp_world_step(r.w, 0.01) < 0);
        sp_world_drop_edits(r.w);
        sp_body_measures after = measures_of(&r);
        CHECK(same_sums(&before, &after));
        CHECK(sp_world_step(r.w, 0.01) >= 0 && sp_world_step(smooth.w, 0.01) >= 0);
    }
    sp_body_measures a = measures_of(&r), b = measures_of(&smooth);
    CHECK(same_sums(&a, &b));
    rig_close(&r), rig_close(&smooth);
}

// after warm-up the stage allocates no memory
TEST(the_stage_allocates_nothing) {
    rig r;
    size_t bytes;
    uint64_t before, after;
    REQUIRE(open_block(&r, 2));
    go_on(&r, 10);
    sp_context_memory(r.ctx, &bytes, &before);
    for (int i = 0; i < 20; i++) CHECK(sp_world_step(r.w, 0.01) >= 0);
    sp_context_memory(r.ctx, &bytes, &after);
    CHECK_INT(after, before);
    rig_close(&r);
}

// A cube that starts inside a floor has a deep overlap at once; the depth is that of its lowest nodes.
TEST(overlap_is_reported) {
    rig r;
    const double size[3] = {0.2, 0.2, 0.2};
    const int cells[3] = {2, 2, 2};
    REQUIRE(rig_context(&r, 1) && sp_mesh_box(r.ctx, size, cells, 6, &r.mesh) >= 0);
    sp_solid_def def = sp_solid_def_default();
    def.mesh = r.mesh;
    REQUIRE(rig_world(&r, &def, "auto", 0));
    sp_rigid_shape floor = {.type = SP_PLANE, .size = {0, 1, 0}, .pose = sp_pose_identity()};
    sp_rigid_def rigid = sp_rigid_def_default();
    floor.pose.translate[1] = 0.05;
    rigid.shapes = &floor, rigid.shape_count = 1;
    sp_contact_def contact = sp_contact_def_default();
    contact.stiffness = 1e-6;  // the cube does not move
    REQUIRE(sp_world_add_rigid(r.w, &rigid, NULL) >= 0 && sp_world_set_contact(r.w, &contact) >= 0);
    CHECK_INT(sp_world_step(r.w, 1e-3), SP_PENETRATION);
    sp_body_measures n = measures_of(&r);
    CHECK_NEAR(n.penetration, 0.05, 1e-9);
    CHECK_NEAR(n.element_size, cbrt(6 * sqrt(2) * 0.008 / info_of(&r).elements), 1e-12);
    CHECK_NEAR(n.contact, 9 * 0.5 * 1e-6 * 0.05 * 0.05, 1e-12);
    rig_close(&r);
}
