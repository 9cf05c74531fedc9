// The world: ids, edits, parameters, events, failures, freezing; and every public function of world.h at least once.
#include <pthread.h>
#include <sched.h>

#include "at.h"
#include "test.h"
#include "unit/mock_body.h"
#include "world/world_internal.h"

static sp_context *ctx;
static sp_world *w;
static sp_body_id chain, tool;

static void populate(sp_world *world, const mock_def *def) {
    sp_rigid_shape ball = {.type = SP_SPHERE, .size = {0.5}, .pose = sp_pose_identity()};
    sp_rigid_def rigid = sp_rigid_def_default();
    sp_body *b;
    rigid.name = "tool", rigid.shapes = &ball, rigid.shape_count = 1, rigid.kinematic = true,
    rigid.pose.constant.translate[1] = 9;
    CHECK_INT(mock_create(ctx, &world->ctx->error, def, &b), SP_OK);
    CHECK_INT(sp__world_adopt(world, b, "chain", &chain), SP_OK);
    CHECK_INT(sp_world_add_rigid(world, &rigid, &tool), SP_OK);
}

static void start(void) {
    mock_def def = mock_def_default();
    sp_context_create(NULL, &ctx);
    sp_world_create(ctx, NULL, &w);
    populate(w, &def);
}

static void finish(void) {
    sp_world_destroy(&w);
    sp_context_destroy(&ctx);
}

static sp_edit drag(uint32_t source, int slot, int node, double y) {
    sp_edit e = sp_edit_default(SP_EDIT_DRAG);
    e.source = source, e.slot = slot, e.target[1] = y;
    CHECK_INT(sp_world_anchor_node(w, chain, node, &e.anchor), SP_OK);
    return e;
}

static sp_edit param(const char *path, double value) {
    sp_edit e = sp_edit_default(SP_EDIT_PARAM);
    snprintf(e.path, sizeof e.path, "%s", path);
    e.value = value;
    return e;
}

static double value_of(const char *path) {
    sp_param_info info;
    return sp_world_param(w, path, &info) < 0 ? NAN : info.value;
}

// ---------------------------------------------------------------------------------------------------- failures

// A solver reports to the world that it works for; the context of the world has the same record, the next world none.
TEST(a_failed_solver_leaves_its_sentence_in_the_world) {
    start();
    sp_mesh *mesh = NULL;
    sp_world *other = NULL;
    sp_body_id id;
    REQUIRE(sp_mesh_box(ctx, (double[]){1, 1, 1}, (int[]){10, 10, 10}, 6, &mesh) == SP_OK);
    REQUIRE(sp_world_create(ctx, NULL, &other) == SP_OK);
    sp_solid_def def = sp_solid_def_default();
    def.mesh = mesh, def.name = "block", def.solver.type = SP_SOLVER_DENSE;
    REQUIRE(sp_world_add_solid(w, &def, &id) == SP_OK);
    CHECK_INT(sp_world_step(w, 0.01), SP_BAD_INPUT);
    const sp_error *e = sp_world_error(w);
    CHECK(e->status == SP_BAD_INPUT && strcmp(e->body, "block") == 0 && e->index == -1);
    CHECK(strstr(e->message, "the body has 3993 unknowns, at most 3000"));
    CHECK(strcmp(sp_context_error(ctx)->message, sp_world_error(w)->message) == 0);
    CHECK(strcmp(sp_context_error(ctx)->body, "block") == 0);
    CHECK(sp_world_error(other)->status == SP_OK && sp_world_context(other) == ctx);
    // what fails next says its own
    CHECK_INT(sp_world_field(w, id, "nonsense", NULL), SP_BAD_INPUT);
    CHECK(strstr(sp_world_error(w)->message, "nonsense"));
    sp_world_destroy(&other);
    sp_mesh_destroy(&mesh);
    finish();
}

// ---------------------------------------------------------------------------------------------------- ids

TEST(stale_ids_and_anchors_are_detected) {
    start();
    sp_anchor a;
    double x[3];
    sp_body_info info;
    CHECK_INT(sp_world_anchor_node(w, chain, 0, &a), SP_OK);
    CHECK_INT(sp_world_remove(w, chain), SP_OK);
    CHECK_INT(sp_world_remove(w, chain), SP_BAD_ID);
    CHECK_INT(sp_world_body_info(w, chain, &info), SP_BAD_ID);
    CHECK_INT(sp_world_anchor_get(w, &a, x, NULL), SP_BAD_ID);
    CHECK_INT(sp_world_body_info(w, (sp_body_id){0, 0}, &info), SP_BAD_ID);
    CHECK_INT(sp_world_body_info(w, (sp_body_id){77, 1}, &info), SP_BAD_ID);
    CHECK_INT(sp_world_body_measure(w, chain, &(sp_body_measures){0}), SP_BAD_ID);
    CHECK_INT(sp_world_body_count(w), 1);
    // another body does not inherit them
    mock_def def = mock_def_default();
    sp_body *b;
    sp_body_id next;
    CHECK_INT(mock_create(ctx, &w->ctx->error, &def, &b), SP_OK);
    CHECK_INT(sp__world_adopt(w, b, "chain", &next), SP_OK);
    CHECK_INT(sp_world_anchor_get(w, &a, x, NULL), SP_BAD_ID);
    CHECK_INT(sp_world_body_info(w, next, &info), SP_OK);
    CHECK_INT(sp_world_step(w, 0.01), SP_OK);
    // an element out of range
    CHECK_INT(sp_world_anchor_node(w, next, 0, &a), SP_OK);
    a.elem = 1000;
    CHECK_INT(sp_world_anchor_get(w, &a, x, NULL), SP_BAD_ID);
    finish();
}

TEST(names_are_unique_and_not_reserved) {
    start();
    const char *bad[] = {"chain", "gravity", "contact", "", "0123456789012345678901234567890123456789012345678901234567890123"};
    sp_rigid_def def = sp_rigid_def_default();
    sp_body_id id;
    for (int i = 0; i < 5; i++) {
        def.name = bad[i];
        CHECK_INT(sp_world_add_rigid(w, &def, &id), SP_BAD_INPUT);
    }
    def.name = NULL;
    CHECK_INT(sp_world_add_rigid(w, &def, &id), SP_OK);
    CHECK(sp_world_body_named(w, "rigid3").slot == id.slot);
    CHECK(sp_world_body_named(w, "nobody").slot == 0);
    finish();
}

// ---------------------------------------------------------------------------------------------------- edits

TEST(edits_are_applied_by_source_then_sequence) {
    start();
    sp_edit e;
    // queued in another order; the last of source 2 decides
    e = param("chain.young", 3), e.source = 2, e.sequence = 9, sp_world_queue(w, &e);
    e = param("chain.young", 4), e.source = 1, e.sequence = 5, sp_world_queue(w, &e);
    e = param("chain.young", 5), e.source = 2, e.sequence = 8, sp_world_queue(w, &e);
    e = param("chain.young", 6), e.source = 0, sp_world_queue(w, &e);
    CHECK_INT(sp_world_step(w, 0.01), SP_OK);
    CHECK(value_of("chain.young") == 3);
    int n;
    const sp_edit *taken = sp_world_edits_taken(w, &n);
    const double order[] = {6, 4, 5, 3};
    CHECK_INT(n, 4);
    for (int i = 0; i < n; i++) CHECK(taken[i].value == order[i]);
    CHECK_INT(taken[0].sequence, 10);
    CHECK_INT(sp_world_step(w, 0.01), SP_OK);
    sp_world_edits_taken(w, &n);
    CHECK_INT(n, 0);
    finish();
}

TEST(drags_and_poses_are_mailboxes) {
    start();
    sp_body *b = sp__world_body(w, chain);
    int n;
    for (int k = 0; k < 1000; k++) {
        sp_edit e = drag(1, 0, 0, 0.001 * k);
        CHECK_INT(sp_world_queue(w, &e), SP_OK);
    }
    sp_edit other = drag(1, 1, 2, -1);
    sp_world_queue(w, &other);
    CHECK_INT(sp_world_step(w, 0.01), SP_OK);
    sp_world_edits_taken(w, &n);
    CHECK_INT(n, 2);
    CHECK_INT(b->loads.spring_count, 2);
    CHECK_NEAR(b->loads.springs[0].target[1], 0.999, 1e-15);
    // a drop between two drags of the same slot keeps both
    sp_edit e = sp_edit_default(SP_EDIT_DROP), again = drag(1, 0, 0, 5);
    e.source = 1;
    sp_world_queue(w, &e);
    sp_world_queue(w, &again);
    CHECK_INT(sp_world_step(w, 0.01), SP_OK);
    sp_world_edits_taken(w, &n);
    CHECK_INT(n, 2);
    CHECK(b->loads.spring_count == 2 && b->loads.springs[1].target[1] == 5);
    sp_world_queue(w, &e);
    sp_world_queue(w, &e);
    CHECK_INT(sp_world_step(w, 0.01), SP_EDIT_REFUSED);  // there is nothing to drop for the second
    CHECK_INT(b->loads.spring_count, 1);
    finish();
}

TEST(more_drags_than_reserved) {
    start();
    sp_body *b = sp__world_body(w, chain);
    for (int slot = 0; slot < 200; slot++) {
        sp_edit e = drag(3, slot, slot % 5, 1);
        CHECK_INT(sp_world_queue(w, &e), SP_OK);
    }
    CHECK_INT(sp_world_step(w, 0.01), SP_OK);
    CHECK_INT(b->loads.spring_count, 200);
    CHECK_INT(sp_world_step(w, 0.01), SP_OK);
    finish();
}

// a drag pulls: in the static limit of long implicit steps the anchor ends between its rest position and the target
TEST(a_drag_pulls_its_anchor) {
    start();
    sp_edit e = drag(0, 0, 0, 0.5);
    e.stiffness = 50;  // four springs of 200 in series are 50: halfway
    sp_world_queue(w, &e);
    sp_edit none = param("gravity.y", 0);
    sp_world_queue(w, &none);
    for (int k = 0; k < 200; k++) CHECK_INT(sp_world_step(w, 1), SP_OK);
    double x[3], v[3];
    sp_world_anchor_get(w, &e.anchor, x, v);
    // each step of 1 s damps what is left by more than ten times
    CHECK_NEAR(x[1], 0.25, 1e-9);
    CHECK_NEAR(v[1], 0, 1e-9);
    finish();
}

TEST(pins_hold_and_release) {
    start();
    sp_edit e = sp_edit_default(SP_EDIT_PIN);
    e.body = chain, e.node = 1, e.axes = SP_AXIS_Y;
    sp_world_queue(w, &e);
    double x[15];
    for (int k = 0; k < 5; k++) CHECK_INT(sp_world_step(w, 0.01), SP_OK);
    CHECK_INT(sp_world_field(w, chain, "position", x), SP_OK);
    CHECK(x[4] == 0 && x[1] < 0);
    e.type = SP_EDIT_RELEASE;
    sp_world_queue(w, &e);
    CHECK_INT(sp_world_step(w, 0.01), SP_OK);
    sp_world_field(w, chain, "position", x);
    CHECK(x[4] < 0);
    finish();
}

TEST(malformed_edits_are_refused_at_once) {
    start();
    sp_edit e = sp_edit_default(SP_EDIT_DRAG);
    e.target[0] = NAN;
    CHECK_INT(sp_world_queue(w, &e), SP_BAD_INPUT);
    e = sp_edit_default(SP_EDIT_DRAG), e.stiffness = 0;
    CHECK_INT(sp_world_queue(w, &e), SP_BAD_INPUT);
    e = sp_edit_default(SP_EDIT_DRAG), e.damping = -1;
    CHECK_INT(sp_world_queue(w, &e), SP_BAD_INPUT);
    e = sp_edit_default(SP_EDIT_DRAG), e.slot = -1;
    CHECK_INT(sp_world_queue(w, &e), SP_BAD_INPUT);
    e = sp_edit_default(SP_EDIT_DROP), e.slot = -1;
    CHECK_INT(sp_world_queue(w, &e), SP_BAD_INPUT);
    e = sp_edit_default(SP_EDIT_PIN), e.axes = 8;
    CHECK_INT(sp_world_queue(w, &e), SP_BAD_INPUT);
    e = sp_edit_default(SP_EDIT_RELEASE), e.node = -1;
    CHECK_INT(sp_world_queue(w, &e), SP_BAD_INPUT);
    e = sp_edit_default(SP_EDIT_POSE), e.pose.quat[0] = 2;
    CHECK_INT(sp_world_queue(w, &e), SP_BAD_INPUT);
    e = sp_edit_default(SP_EDIT_POSE), e.pose.translate[0] = INFINITY;
    CHECK_INT(sp_world_queue(w, &e), SP_BAD_INPUT);
    e = sp_edit_default(SP_EDIT_PARAM);
    CHECK_INT(sp_world_queue(w, &e), SP_BAD_INPUT);
    memset(e.path, 'a', sizeof e.path);
    CHECK_INT(sp_world_queue(w, &e), SP_BAD_INPUT);
    e = param("chain.young", NAN);
    CHECK_INT(sp_world_queue(w, &e), SP_BAD_INPUT);
    e.type = (sp_edit_type)99;
    CHECK_INT(sp_world_queue(w, &e), SP_BAD_INPUT);
    CHECK(strstr(sp_world_error(w)->message, "99"));
    CHECK_INT(sp_world_step(w, 0.01), SP_OK);
    finish();
}

TEST(wrong_edits_are_refused_with_an_event_and_others_applied) {
    start();
    sp_edit e[8] = {param("chain.yung", 1),        param("chain.young", -1),     param("contact.friction", 1),
                    sp_edit_default(SP_EDIT_PIN),  sp_edit_default(SP_EDIT_PIN), sp_edit_default(SP_EDIT_POSE),
                    sp_edit_default(SP_EDIT_DRAG), param("chain.young", 7)};
    e[3].body = (sp_body_id){9, 9};
    e[4].body = chain, e[4].node = 5;
    e[5].body = chain;
    e[6].anchor.body = tool;
    // the anchor of a body that was removed
    sp_anchor stale = {.body = {chain.slot, chain.generation + 1}};
    double x[3];
    CHECK(sp_world_anchor_get(w, &stale, x, NULL) < 0);
    stale.body = chain;
    CHECK_INT(sp_world_anchor_get(w, &stale, x, NULL), SP_OK);
    for (int i = 0; i < 8; i++) CHECK_INT(sp_world_queue(w, &e[i]), SP_OK);
    CHECK_INT(sp_world_step(w, 0.01), SP_EDIT_REFUSED);
    CHECK(value_of("chain.young") == 7);
    int n = 0;
    sp_world_edits_taken(w, &n);
    CHECK_INT(n, 1);
    sp_step_info info;
    sp_world_step_info(w, &info);
    CHECK_INT(info.event_count, 7);
    CHECK(strstr(event_at(w, 0).text, "chain.yung"));
    CHECK(event_at(w, 4).step == 1 && event_at(w, 4).status == SP_EDIT_REFUSED);
    sp_event none;
    CHECK(sp_world_event_at(w, 7, &none) < 0 && sp_world_event_at(w, -1, &none) < 0);
    // more than the limit
    for (int i = 0; i < 100; i++) sp_world_queue(w, &e[0]);
    CHECK_INT(sp_world_step(w, 0.01), SP_EDIT_REFUSED);
    CHECK(strstr(event_at(w, SP_EVENT_MAX - 1).text, "more events"));
    finish();
}

TEST(parameters_by_path) {
    start();
    sp_param_info info;
    int count = sp_world_param_count(w);
    CHECK_INT(count, 5);
    for (int i = 0; i < count; i++) {
        char path[64];
        CHECK_INT(sp_world_param_at(w, i, &info), SP_OK);
        snprintf(path, sizeof path, "%s", info.path);
        double value = info.value;
        CHECK_INT(sp_world_param(w, path, &info), SP_OK);
        CHECK(info.value == value && info.spec.edit_low <= value && value <= info.spec.edit_high && info.spec.unit &&
              info.spec.meaning);
    }
    CHECK_INT(sp_world_param_at(w, count, &info), SP_BAD_INPUT);
    CHECK_INT(sp_world_param_at(w, -1, &info), SP_BAD_INPUT);
    CHECK_INT(sp_world_param(w, "chain", &info), SP_BAD_INPUT);
    CHECK(isnan(value_of("contact.friction")));
    sp_contact_def c = sp_contact_def_default();
    c.friction = 0.4;
    CHECK_INT(sp_world_set_contact(w, &c), SP_OK);
    CHECK(value_of("contact.friction") == 0.4 && value_of("gravity.y") == -9.81);
    sp_edit e = param("gravity.y", 1), f = param("contact.friction", 0.5);
    sp_world_queue(w, &e), sp_world_queue(w, &f);
    CHECK_INT(sp_world_step(w, 0.01), SP_OK);
    CHECK(value_of("contact.friction") == 0.5 && value_of("gravity.y") == 1);
    CHECK(w->step.gravity[1] == 1);
    c.friction = -1;
    CHECK_INT(sp_world_set_contact(w, &c), SP_BAD_INPUT);
    c = (sp_contact_def){0};
    CHECK_INT(sp_world_set_contact(w, &c), SP_BAD_INPUT);
    CHECK_INT(sp_world_set_contact(w, NULL), SP_OK);
    CHECK(isnan(value_of("contact.friction")));
    finish();
}

// ---------------------------------------------------------------------------------------------------- failures

TEST(bad_steps_are_refused) {
    start();
    const double bad[] = {0, -1, NAN, INFINITY};
    for (int i = 0; i < 4; i++) CHECK_INT(sp_world_step(w, bad[i]), SP_BAD_INPUT);
    CHECK_INT(sp_world_steps(w), 0);
    CHECK(sp_world_time(w) == 0);
    finish();
}

TEST(a_failed_step_changes_nothing_and_keeps_its_edits) {
    start();
    sp_world_step(w, 0.01);
    uint64_t hash = sp_world_hash(w);
    sp_edit e = param("chain.young", 50);
    sp_world_queue(w, &e);
    mock_of(sp__world_body(w, chain))->broken = true;
    CHECK_INT(sp_world_step(w, 0.01), SP_NOT_FINITE);
    CHECK(strcmp(sp_world_error(w)->body, "chain") == 0);
    CHECK_INT(sp_world_error(w)->index, 3);
    CHECK(sp_world_hash(w) == hash && sp_world_steps(w) == 1 && value_of("chain.young") == 200);
    mock_of(sp__world_body(w, chain))->broken = false;
    CHECK_INT(sp_world_step(w, 0.01), SP_OK);
    CHECK(value_of("chain.young") == 50);
    // or dropped
    e.value = 60;
    sp_world_queue(w, &e);
    CHECK_INT(sp__world_inject_failure(w, SP_STAGE_GUARD), SP_OK);
    CHECK_INT(sp_world_step(w, 0.01), SP_STOPPED);
    sp_world_drop_edits(w);
    CHECK_INT(sp_world_step(w, 0.01), SP_OK);
    CHECK(value_of("chain.young") == 50);
    CHECK_INT(sp__world_inject_failure(w, SP_STAGE_COMMIT), SP_BAD_INPUT);
    finish();
}

// the guard itself: an explicit step does not check its numbers
TEST(guard_names_body_and_node) {
    start();
    sp_body *b = sp__world_body(w, chain);
    b->integrator.type = SP_EXPLICIT;
    mock_of(b)->broken = true;
    CHECK_INT(sp_world_step(w, 0.01), SP_NOT_FINITE);
    CHECK(strcmp(sp_world_error(w)->body, "chain") == 0 && sp_world_error(w)->index == 3);
    CHECK(strstr(sp_world_error(w)->message, "position of node 3"));
    finish();
}

static void lost(const void *user, double t, sp_pose *out) {
    (void)user;
    *out = sp_pose_identity();
    if (t > 0.015) out->translate[0] = NAN;
}

TEST(failing_bodies_freeze_on_request) {
    mock_def def = mock_def_default();
    sp_world_def wd = sp_world_def_default();
    wd.on_failure = SP_FAILURE_FREEZE;
    sp_context_create(NULL, &ctx);
    sp_world_create(ctx, &wd, &w);
    populate(w, &def);
    sp_rigid_def rigid = sp_rigid_def_default();
    rigid.name = "lost", rigid.kinematic = true, rigid.pose.eval = lost;
    CHECK_INT(sp_world_add_rigid(w, &rigid, NULL), SP_OK);
    sp_body *b = sp__world_body(w, chain);
    CHECK_INT(sp_world_step(w, 0.01), SP_OK);
    double before[15], after[15];
    sp_world_field(w, chain, "position", before);
    mock_of(b)->broken = true;
    // a failure of a later stage undoes the freezing
    sp__world_inject_failure(w, SP_STAGE_GUARD);
    CHECK_INT(sp_world_step(w, 0.01), SP_STOPPED);
    CHECK(!b->frozen);
    CHECK_INT(sp_world_step(w, 0.01), SP_FROZEN);
    CHECK(b->frozen && event_at(w, 0).status == SP_FROZEN && strstr(event_at(w, 0).text, "chain"));
    CHECK(strstr(event_at(w, 1).text, "lost"));
    CHECK_INT(sp_world_step(w, 0.01), SP_FROZEN);
    sp_event none;
    CHECK_INT(sp_world_event_at(w, 0, &none), SP_BAD_INPUT);
    sp_body_info info;
    sp_body_measures now;
    sp_world_body_info(w, chain, &info), sp_world_body_measure(w, chain, &now);
    CHECK(info.frozen && now.kinetic == 0);
    sp_world_field(w, chain, "position", after);
    CHECK(memcmp(before, after, sizeof before) == 0);
    // setting its state unfreezes it
    mock_of(b)->broken = false;
    CHECK_INT(sp_world_set_state(w, chain, after, NULL), SP_OK);
    sp_world_step(w, 0.01);
    CHECK(!b->frozen);
    finish();
}

TEST(limits_fail_on_request) {
    mock_def def = mock_def_default();
    sp_world_def wd = sp_world_def_default();
    wd.on_limit = SP_LIMIT_FAIL;
    sp_context_create(NULL, &ctx);
    sp_world_create(ctx, &wd, &w);
    populate(w, &def);
    sp__solver_set(sp__world_body(w, chain)->solver, 1e-12, 1);
    CHECK_INT(sp_world_step(w, 1), SP_LIMIT);
    CHECK_INT(sp_world_steps(w), 0);
    finish();
}

static void *step_many(void *arg) {
    long busy = 0;
    for (int k = 0; k < 300; k++) busy += sp_world_step(arg, 1e-4) == SP_BUSY;
    return (void *)busy;
}

// two threads step the same world: each step is done once or returns busy, and nothing else happens
TEST(a_second_stepper_gets_busy) {
    start();
    pthread_t t;
    void *busy;
    pthread_create(&t, NULL, step_many, w);
    long own = (long)step_many(w);
    pthread_join(t, &busy);
    CHECK_INT(sp_world_steps(w), 600 - own - (long)busy);
    atomic_store(&w->busy, true);
    CHECK_INT(sp_world_step(w, 1e-4), SP_BUSY);
    CHECK_INT(sp_world_restore(w, NULL, 0), SP_BUSY);
    int tets[4];
    sp_element_view elements;
    CHECK_INT(sp_world_elements(w, chain, tets, &elements), SP_BUSY);
    CHECK_INT(sp_world_surface_count(w, chain), SP_BUSY);
    atomic_store(&w->busy, false);
    CHECK_INT(sp_world_elements(w, chain, tets, &elements), SP_BAD_INPUT);  // a chain has none
    CHECK_INT(sp_world_surface_count(w, chain), 1);
    finish();
}

static atomic_bool enough;

static void *fail_many(void *arg) {
    sp_edit drag = sp_edit_default(SP_EDIT_DRAG), pin = sp_edit_default(SP_EDIT_PIN);
    drag.damping = -1, pin.axes = 0;
    while (!atomic_load(&enough)) sp_world_queue(arg, &drag), sp_world_queue(arg, &pin);
    return NULL;
}

// An error is read while other threads fail: it is one complete error of theirs, and stays unchanged while it is read. Also runs
// under the thread sanitizer.
TEST(errors_are_read_whole_while_others_fail) {
    static const char *const said[] = {"drag with damping -1, must be finite and >= 0", "pin of axes 0, must be SP_AXIS_ bits"};
    start();
    pthread_t t[2];
    atomic_store(&enough, false);
    for (int i = 0; i < 2; i++) pthread_create(&t[i], NULL, fail_many, w);
    while (sp_world_error(w)->status == SP_OK) sched_yield();
    for (int k = 0; k < 2000; k++) {
        const sp_error *e = sp_world_error(w);
        int line = e->line, which = strcmp(e->message, said[1]) == 0;
        CHECK(strcmp(e->message, said[which]) == 0 && e->status == SP_BAD_INPUT && e->index == -1);
        CHECK_INT(e->line, line);
    }
    atomic_store(&enough, true);
    for (int i = 0; i < 2; i++) pthread_join(t[i], NULL);
    finish();
}

static void *queue_many(void *arg) {
    sp_world *world = arg;
    for (int k = 0; k < 2000; k++) {
        sp_edit e = param("chain.young", 100 + k % 7);
        if (k % 10 == 0) e.value = NAN;  // refused, in this thread
        sp_world_queue(world, &e);
    }
    return NULL;
}

TEST(edits_come_from_other_threads) {
    start();
    pthread_t t[2];
    for (int i = 0; i < 2; i++) pthread_create(&t[i], NULL, queue_many, w);
    long taken = 0;
    int n;
    for (int k = 0; k < 200; k++) {
        sp_world_step(w, 1e-4);
        sp_world_edits_taken(w, &n), taken += n;
    }
    for (int i = 0; i < 2; i++) pthread_join(t[i], NULL);
    sp_world_step(w, 1e-4);
    sp_world_edits_taken(w, &n);
    CHECK_INT(taken + n, 3600);
    finish();
}

// ---------------------------------------------------------------------------------------------------- definitions, coverage

TEST(bad_worlds_are_refused) {
    sp_context_create(NULL, &ctx);
    sp_world_def def = sp_world_def_default();
    def.cookie = 0;
    CHECK_INT(sp_world_create(ctx, &def, &w), SP_BAD_INPUT);
    def = sp_world_def_default(), def.snapshot_slots = 1;
    CHECK_INT(sp_world_create(ctx, &def, &w), SP_BAD_INPUT);
    def = sp_world_def_default(), def.gravity[0].constant = NAN;
    CHECK_INT(sp_world_create(ctx, &def, &w), SP_BAD_INPUT);
    def = sp_world_def_default(), def.backend = "quantum";
    CHECK_INT(sp_world_create(ctx, &def, &w), SP_UNAVAILABLE);
    CHECK(w == NULL && strstr(sp_context_error(ctx)->message, "quantum"));
    sp_world_destroy(&w);
    sp_world_destroy(NULL);
    sp_context_destroy(&ctx);
}

TEST(every_public_function_is_called) {
    start();
    sp_mesh *mesh;
    const double size[3] = {1, 1, 1}, middle[3] = {0.5, 0.5, 0.5};
    const int cells[3] = {1, 1, 1};
    CHECK_INT(sp_mesh_box(ctx, size, cells, 6, &mesh), SP_OK);
    sp_solid_def def = sp_solid_def_default();
    sp_body_id id;
    def.mesh = mesh, def.name = "cube";
    CHECK_INT(sp_world_add_solid(w, &def, &id), SP_OK);
    CHECK_INT(sp_world_add_solid(w, NULL, NULL), SP_BAD_INPUT);
    CHECK_INT(sp_world_add_rigid(w, NULL, NULL), SP_BAD_INPUT);
    CHECK_INT(sp_world_step(w, 0.01), SP_OK);
    sp_step_info si;
    sp_world_step_info(w, &si);
    CHECK(si.step == 1 && si.time == 0.01 && si.hash == sp_world_hash(w) && si.step_ms > 0 &&
          si.stage_ms[SP_STAGE_FREE_MOTION] > 0);
    CHECK(strcmp(sp_stage_name(SP_STAGE_GUARD), "guard") == 0 && strcmp(sp_stage_name(SP_STAGE_COUNT), "unknown") == 0);
    sp_body_info bi;
    CHECK_INT(sp_world_body_info(w, id, &bi), SP_OK);
    CHECK(bi.nodes == 8 && bi.elements == 6 && strcmp(bi.kind, "solid") == 0);
    sp_body_measures now;
    CHECK_INT(sp_world_body_measure(w, id, &now), SP_OK);
    CHECK(now.bytes > 0);
    CHECK_NEAR(now.mass, 1000, 1e-9);
    CHECK_NEAR(now.momentum[1], -98.1, 1e-6);  // one free step of 0.01 s; solver tolerance
    CHECK(sp_world_body_id(w, 2).slot == id.slot && sp_world_body_id(w, 3).slot == 0);
    sp_field_info fi;
    double x[24], v[24], at[3];
    CHECK_INT(sp_world_field_info(w, id, "position", &fi), SP_OK);
    CHECK(fi.count == 8 && fi.components == 3 && fi.on == SP_ON_NODES);
    CHECK_INT(sp_world_field(w, id, "position", x), SP_OK);
    CHECK_INT(sp_world_field(w, id, "velocity", v), SP_OK);
    CHECK_INT(sp_world_field(w, id, "nonsense", v), SP_BAD_INPUT);
    CHECK_INT(sp_world_field(w, id, "position", NULL), SP_BAD_INPUT);
    CHECK_INT(sp_world_set_state(w, id, x, v), SP_OK);
    sp_anchor a;
    CHECK_INT(sp_world_anchor_point(w, id, middle, &a), SP_OK);
    CHECK_INT(sp_world_anchor_get(w, &a, at, NULL), SP_OK);
    CHECK_NEAR(at[0], 0.5, 1e-12);
    CHECK_INT(sp_world_anchor_node(w, id, 99, &a), SP_BAD_INPUT);
    CHECK(sp_world_error(w)->status == SP_BAD_INPUT);
    CHECK(sp_backend_name(0) && sp_backend_detail(sp_backend_name(0)) && !sp_backend_detail("quantum"));
    const sp_snapshot *s = sp_world_snapshot_acquire(w);
    CHECK(s && s->body_count == 3 && s->step == 1);
    sp_world_snapshot_release(w, s);
    sp_checkpoint c;
    CHECK_INT(sp_world_save(w, &c), SP_OK);
    CHECK_INT(sp_world_restore(w, c.data, c.size), SP_OK);
    sp_checkpoint_free(w, &c);
    CHECK(c.data == NULL);
    sp_mesh_destroy(&mesh);
    finish();
}
