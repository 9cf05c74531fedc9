// Links beside contact by constraints, and bodies and links that edits add: same bits for any number of workers, after failed
// steps and from a checkpoint.
#include "souple/souple.h"
#include "test.h"
#include "world/world_internal.h"

enum { STEPS = 10, BREAK = 6 };

typedef struct scene {
    sp_context *ctx;
    sp_world *w;
} scene;

static sp_body_id add_block(scene *s, const char *name, double z, int cells) {
    sp_pose pose = {{0, 0, z}, {1, 0, 0, 0}};
    sp_mesh *box = NULL, *mesh = NULL;
    sp_solid_def def = sp_solid_def_default();
    sp_body_id id = {0};
    CHECK(sp_mesh_box(s->ctx, (double[3]){0.2, 0.2, 0.1}, (int[3]){cells, cells, 2}, 6, &box) >= 0);
    CHECK(sp_mesh_transformed(box, NULL, &pose, &mesh) >= 0);
    def.name = name, def.mesh = mesh, def.material.young = 3e4;
    def.solver.type = SP_SOLVER_PCG, def.solver.pcg.preconditioner = SP_COMPLETE_CHOLESKY;
    CHECK(sp_world_add_solid(s->w, &def, &id) >= 0);
    sp_mesh_destroy(&box), sp_mesh_destroy(&mesh);
    return id;
}

static sp_body_id add_rigid(scene *s, const char *name, const sp_rigid_shape *shape, const double at[3], bool free) {
    sp_rigid_def def = sp_rigid_def_default();
    sp_body_id id = {0};
    def.name = name, def.shapes = shape, def.shape_count = 1, def.free = free;
    memcpy(def.pose.constant.translate, at, 3 * sizeof *at);
    CHECK(sp_world_add_rigid(s->w, &def, &id) >= 0);
    return id;
}

static void add_link(scene *s, sp_link_def def, const char *name, sp_body_id a, sp_body_id b) {
    def.name = name, def.a.body = a, def.b.body = b;
    if (sp_world_add_link(s->w, &def, NULL) < 0) SP_TEST_FAILED("%s", sp_world_error(s->w)->message);
}

// A floor; two blocks of different meshes glued to each other; a box welded on top, a pendulum on that, a bead on a rail of it
// and a spring from the bead to the floor.
static void start(scene *s, int workers) {
    sp_context_def cd = sp_context_def_default();
    sp_world_def wd = sp_world_def_default();
    sp_contact_def contact = sp_contact_def_default();
    const sp_rigid_shape plane = {.type = SP_PLANE, .size = {0, 0, 1}, .pose = sp_pose_identity()},
                         brick = {.type = SP_BOX, .size = {0.1, 0.1, 0.04}, .pose = sp_pose_identity()},
                         bead = {.type = SP_SPHERE, .size = {0.02}, .pose = sp_pose_identity()};
    *s = (scene){0};
    cd.workers = workers;
    wd.gravity[1] = sp_signal_constant(1), wd.gravity[2] = sp_signal_constant(-9.81);
    contact.formulation = SP_CONTACT_PROXIMITY, contact.friction = 0.4;
    REQUIRE(sp_context_create(&cd, &s->ctx) == SP_OK && sp_world_create(s->ctx, &wd, &s->w) == SP_OK);
    REQUIRE(sp_world_set_contact(s->w, &contact) == SP_OK);
    sp_body_id floor = add_rigid(s, "floor", &plane, (double[3]){0, 0, 0}, false);
    sp_body_id low = add_block(s, "low", 0.001, 3), high = add_block(s, "high", 0.101, 4);
    sp_body_id top = add_rigid(s, "top", &brick, (double[3]){0.05, 0.05, 0.201}, true);
    sp_body_id arm = add_rigid(s, "arm", &brick, (double[3]){0.2, 0.05, 0.3}, true);
    sp_body_id ball = add_rigid(s, "ball", &bead, (double[3]){0.05, 0.3, 0.3}, true);
    sp_link_def weld = sp_link_def_default(), hinge = weld, slide = weld, spring = weld;
    add_link(s, weld, "glue", high, low);
    add_link(s, weld, "foot", high, top);
    hinge.type = SP_LINK_HINGE, hinge.has_point = true, hinge.point[0] = 0.15, hinge.point[2] = 0.25, hinge.axis[1] = 1;
    add_link(s, hinge, "hinge", arm, top);
    slide.type = SP_LINK_SLIDE, slide.has_point = true, slide.axis[1] = 1, slide.friction = 0.3;
    memcpy(slide.point, (double[3]){0.05, 0.3, 0.3}, sizeof slide.point);
    add_link(s, slide, "rail", ball, top);
    spring.type = SP_LINK_SPRING, spring.has_point = true, spring.stiffness = 50, spring.damping = 1;
    memcpy(spring.point, slide.point, sizeof slide.point);
    add_link(s, spring, "spring", ball, floor);
}

static void finish(scene *s) {
    sp_world_destroy(&s->w);
    sp_context_destroy(&s->ctx);
}

// A ball that falls on the upper block.
static sp_edit stone(void) {
    sp_edit e = sp_edit_default(SP_EDIT_ADD);
    snprintf(e.path, sizeof e.path, "stone");
    e.shape = SP_SPHERE, e.size[0] = 0.03, e.free = true, e.velocity[2] = -1;
    memcpy(e.pose.translate, (double[3]){0.02, 0.17, 0.25}, sizeof e.pose.translate);
    return e;
}

static sp_edit string(scene *s) {
    sp_edit e = sp_edit_default(SP_EDIT_LINK);
    snprintf(e.path, sizeof e.path, "string");
    CHECK(sp_world_anchor_node(s->w, sp_world_body_named(s->w, "low"), 0, &e.anchor) >= 0);
    e.other = (sp_anchor){.body = sp_world_body_named(s->w, "stone")};
    e.stiffness = 20;
    return e;
}

static void change_bodies(scene *s, uint64_t n) {
    sp_edit e = n == 1 ? stone() : n == 3 ? string(s) : sp_edit_default(SP_EDIT_REMOVE);
    if (n == 8) e.body = sp_world_body_named(s->w, "stone");
    if (n == 1 || n == 3 || n == 8) CHECK_INT(sp_world_queue(s->w, &e), SP_OK);
}

static void step(scene *s, uint64_t *hash) {
    uint64_t n = sp_world_steps(s->w);
    change_bodies(s, n);
    sp_edit e = sp_edit_default(n == 3 ? SP_EDIT_DETACH : SP_EDIT_ATTACH);
    snprintf(e.path, sizeof e.path, "hinge");
    if (n == 3 || n == 7) CHECK_INT(sp_world_queue(s->w, &e), SP_OK);
    CHECK(sp_world_step(s->w, 0.01) >= 0);
    hash[n] = sp_world_hash(s->w);
}

static void run(scene *s, uint64_t *hash) {
    while (sp_world_steps(s->w) < STEPS) step(s, hash);
}

TEST(same_bits_for_any_number_of_workers) {
    uint64_t first[STEPS], hash[STEPS];
    for (int workers = 1; workers <= 3; workers++) {
        scene s;
        start(&s, workers);
        run(&s, workers == 1 ? first : hash);
        for (int i = 0; i < STEPS && workers > 1; i++) CHECK(hash[i] == first[i]);
        finish(&s);
    }
}

TEST(same_bits_from_a_checkpoint) {
    scene s, fresh;
    uint64_t plain[STEPS], again[STEPS];
    sp_checkpoint c;
    start(&s, 2);
    for (int n = 0; n < BREAK; n++) step(&s, plain);
    memcpy(again, plain, sizeof plain);
    REQUIRE(sp_world_save(s.w, &c) == SP_OK);
    run(&s, plain);
    start(&fresh, 1);  // its hinge is attached, that of the checkpoint is not
    sp_edit e = stone();
    CHECK_INT(sp_world_apply(fresh.w, &e), SP_OK);
    e = string(&fresh);
    CHECK_INT(sp_world_apply(fresh.w, &e), SP_OK);
    if (sp_world_restore(fresh.w, c.data, c.size) < 0) SP_TEST_FAILED("%s", sp_world_error(fresh.w)->message);
    run(&fresh, again);
    for (int i = 0; i < STEPS; i++) CHECK(plain[i] == again[i]);
    finish(&fresh);
    sp_checkpoint_free(s.w, &c);
    finish(&s);
}

TEST(same_bits_when_steps_fail_and_are_repeated) {
    scene s;
    uint64_t plain[STEPS], failing[STEPS];
    start(&s, 2);
    run(&s, plain);
    finish(&s);
    start(&s, 2);
    while (sp_world_steps(s.w) < STEPS) {
        const int stage = SP_STAGE_TAKE_EDITS + (int)sp_world_steps(s.w) % SP_STAGE_COMMIT;
        CHECK_INT(sp__world_inject_failure(s.w, (sp_stage)stage), SP_OK);
        CHECK_INT(sp_world_step(s.w, 0.007), SP_STOPPED);
        step(&s, failing);
    }
    for (int i = 0; i < STEPS; i++) CHECK(plain[i] == failing[i]);
    finish(&s);
}
