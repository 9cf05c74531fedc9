// Elements that are removed while solids of every type of element touch a floor: the same bits for any number of workers, after a
// failed step, and from a checkpoint; a hash that differs from that of the whole.
#include "../verify/element_boxes.h"
#include "world/world_internal.h"

enum { STEPS = 9, REMOVE = 3, AGAIN = 6, SAVE = 5 };

typedef struct stage {
    sp_context *ctx;
    sp_world *w;
    sp_body_id body[3];
    int elements[3];
} stage;

static void add_box(stage *s, int t) {
    const double size[3] = {0.4, 0.2, 0.2};
    const int many[3] = {8, 5, 5}, fewer[3] = {4, 2, 2};
    sp_pose pose = sp_pose_identity();
    sp_mesh *mesh = NULL, *placed = NULL;
    pose.translate[0] = 0.5 * t, pose.translate[1] = 0.001;
    REQUIRE(element_box(s->ctx, solid_types[t], size, solid_types[t] == SP_ELEMENT_TET10 ? fewer : many, 0.1, &mesh) == SP_OK);
    REQUIRE(sp_mesh_transformed(mesh, NULL, &pose, &placed) == SP_OK);
    sp_solid_def def = sp_solid_def_default();
    def.mesh = placed, def.material.young = 3e4;
    if (t > 0) def.model = SP_NEO_HOOKEAN;
    REQUIRE(sp_world_add_solid(s->w, &def, &s->body[t]) >= 0);
    s->elements[t] = sp_mesh_element_count(placed);
    sp_mesh_destroy(&mesh), sp_mesh_destroy(&placed);
}

static void begin(stage *s, int workers) {
    sp_context_def cd = sp_context_def_default();
    sp_contact_def contact = sp_contact_def_default();
    sp_rigid_shape plane = {SP_PLANE, {0, 1, 0}, sp_pose_identity()};
    sp_rigid_def floor = sp_rigid_def_default();
    cd.workers = workers;
    REQUIRE(sp_context_create(&cd, &s->ctx) == SP_OK && sp_world_create(s->ctx, NULL, &s->w) == SP_OK);
    contact.formulation = SP_CONTACT_PROXIMITY, contact.friction = 0.4;
    REQUIRE(sp_world_set_contact(s->w, &contact) == SP_OK);
    for (int t = 0; t < 3; t++) add_box(s, t);
    floor.shapes = &plane, floor.shape_count = 1;
    REQUIRE(sp_world_add_rigid(s->w, &floor, NULL) == SP_OK);
}

static void end(stage *s) {
    sp_world_destroy(&s->w);
    sp_context_destroy(&s->ctx);
}

// every third element, then others
static void queue(stage *s, int step) {
    if (step != REMOVE && step != AGAIN) return;
    for (int t = 0; t < 3; t++)
        for (int e = step == REMOVE ? 0 : 1; e < s->elements[t]; e += step == REMOVE ? 3 : 9) {
            sp_edit edit = sp_edit_default(SP_EDIT_REMOVE_ELEMENT);
            edit.body = s->body[t], edit.node = e;
            CHECK_INT(sp_world_queue(s->w, &edit), SP_OK);
        }
}

static void go(stage *s, int from, int to, uint64_t *hash) {
    for (int i = from; i < to; i++) {
        queue(s, i);
        if (sp_world_step(s->w, 0.01) < 0) SP_TEST_FAILED("%s", sp_world_error(s->w)->message);
        hash[i] = sp_world_hash(s->w);
    }
}

static void check_same(const char *what, const uint64_t *a, const uint64_t *b, int from) {
    for (int i = from; i < STEPS; i++)
        if (a[i] != b[i]) {
            SP_TEST_FAILED("%s: step %d differs", what, i);
            return;
        }
}

TEST(workers_failed_steps_and_checkpoints) {
    static const int workers[3] = {1, 2, 5};
    uint64_t hash[3][STEPS], other[STEPS];
    for (int i = THREAD_SANITIZED ? 1 : 0; i < 3; i++) {
        stage s;
        begin(&s, workers[i]);
        go(&s, 0, STEPS, hash[i]);
        if (i == 2) CHECK(sp_world_contact_count(s.w) > 10);
        end(&s);
        if (i > 1 || (i == 1 && !THREAD_SANITIZED)) check_same("workers", hash[i], hash[i - 1], 0);
    }
    stage s, fresh;
    sp_checkpoint c;
    begin(&s, 2);
    go(&s, 0, REMOVE, other);
    queue(&s, REMOVE);
    CHECK_INT(sp__world_inject_failure(s.w, SP_STAGE_BALANCE), SP_OK);
    CHECK(sp_world_step(s.w, 0.01) < 0 && sp_world_hash(s.w) == hash[2][REMOVE - 1]);
    CHECK(sp_world_step(s.w, 0.01) >= 0);  // takes the edits that are still queued
    other[REMOVE] = sp_world_hash(s.w);
    go(&s, REMOVE + 1, SAVE, other);
    REQUIRE(sp_world_save(s.w, &c) == SP_OK);
    go(&s, SAVE, STEPS, other);
    check_same("after a failed step", other, hash[2], 0);
    begin(&fresh, 2);
    CHECK_INT(sp_world_restore(fresh.w, c.data, c.size), SP_OK);
    go(&fresh, SAVE, STEPS, other);
    check_same("from a checkpoint", other, hash[2], SAVE);
    CHECK_INT(sp_world_restore(s.w, c.data, c.size), SP_OK);  // fewer elements are removed in it
    go(&s, SAVE, STEPS, other);
    check_same("back to a checkpoint", other, hash[2], SAVE);
    sp_checkpoint_free(s.w, &c);
    end(&s), end(&fresh);
}

// The removed elements are part of the hash, also where nothing moves.
TEST(hash) {
    lab l;
    REQUIRE(lab_context(&l));
    REQUIRE(sp_mesh_box(l.ctx, (double[3]){1, 1, 1}, (int[3]){2, 2, 2}, 6, &l.mesh) == SP_OK);
    sp_solid_def def = lab_solid(&l);
    REQUIRE(lab_world(&l, &def, 0));
    uint64_t hash[3] = {sp_world_hash(l.world)};
    unsigned char removed[48] = {1};
    CHECK_INT(sp_world_set_removed(l.world, l.body, removed), SP_OK);
    hash[1] = sp_world_hash(l.world);
    removed[0] = 0, removed[1] = 1;
    CHECK_INT(sp_world_set_removed(l.world, l.body, removed), SP_OK);
    hash[2] = sp_world_hash(l.world);
    CHECK(hash[0] != hash[1] && hash[0] != hash[2] && hash[1] != hash[2]);
    lab_close(&l);
}
