// Bodies and links that edits add to a running world: what they do, what is refused, rollback of failed steps, removal,
// checkpoints, no allocation after warm-up; contacts that are switched off and on.
#include "meter.h"
#include "test.h"

#include "math/vec3.h"
#include "world/world_internal.h"

static meter held;
static sp_context *ctx;
static sp_world *w;
static sp_body_id ground, block;

enum { PER_SECOND = 100 };
static const double h = 1.0 / PER_SECOND;
static const double radius = 0.05, density = 500;

// A soft block on the ground.
static void start(void) {
    held = (meter){.allowed = 1000000};
    sp_context_def cd = metered_context(&held);
    sp_contact_def contact = sp_contact_def_default();
    sp_mesh *box = NULL;
    contact.formulation = SP_CONTACT_PROXIMITY, contact.friction = 0.5;
    CHECK(sp_context_create(&cd, &ctx) >= 0 && sp_world_create(ctx, NULL, &w) >= 0);
    sp_rigid_shape plane = {SP_PLANE, {0, 1, 0}, sp_pose_identity()};
    sp_rigid_def rigid = sp_rigid_def_default();
    rigid.name = "ground", rigid.shapes = &plane, rigid.shape_count = 1;
    CHECK_INT(sp_world_add_rigid(w, &rigid, &ground), SP_OK);
    CHECK(sp_mesh_box(ctx, (double[]){0.2, 0.1, 0.2}, (int[]){2, 1, 2}, 5, &box) >= 0);
    sp_solid_def solid = sp_solid_def_default();
    solid.name = "block", solid.mesh = box;
    solid.material.young = 2e4;
    CHECK_INT(sp_world_add_solid(w, &solid, &block), SP_OK);
    sp_mesh_destroy(&box);
    CHECK_INT(sp_world_set_contact(w, &contact), SP_OK);
}

static void finish(void) {
    sp_world_destroy(&w);
    sp_context_destroy(&ctx);
    CHECK_INT(held.live, 0);
}

static sp_edit ball(const char *name, double x, double y, double z) {
    sp_edit e = sp_edit_default(SP_EDIT_ADD);
    snprintf(e.path, sizeof e.path, "%s", name);
    e.shape = SP_SPHERE, e.size[0] = radius, e.free = true, e.density = density;
    e.pose.translate[0] = x, e.pose.translate[1] = y, e.pose.translate[2] = z;
    return e;
}

static void queue(const sp_edit *e) {
    if (sp_world_queue(w, e) < 0) SP_TEST_FAILED("%s", sp_world_error(w)->message);
}

static void steps(int count) {
    for (int i = 0; i < count; i++)
        if (sp_world_step(w, h) < 0) SP_TEST_FAILED("%s", sp_world_error(w)->message);
}

static sp_body_id add_ball(const char *name, double x, double y, double z) {
    sp_edit e = ball(name, x, y, z);
    queue(&e);
    steps(1);
    return sp_world_body_named(w, name);
}

static sp_anchor middle_of(sp_body_id id) {
    return (sp_anchor){.body = id};
}

static void place_of(sp_body_id id, double x[3]) {
    sp_anchor a = middle_of(id);
    CHECK_INT(sp_world_anchor_get(w, &a, x, NULL), SP_OK);
}

static double height_of(sp_body_id id) {
    double x[3] = {0};
    place_of(id, x);
    return x[1];
}

static bool reports(const char *part) {
    sp_event e;
    for (int i = 0; sp_world_event_at(w, i, &e) >= 0; i++)
        if (strstr(e.text, part)) return true;
    return false;
}

static sp_edit link_between(const char *name, sp_body_id a, sp_body_id b, double stiffness) {
    sp_edit e = sp_edit_default(SP_EDIT_LINK);
    snprintf(e.path, sizeof e.path, "%s", name);
    e.anchor = middle_of(a), e.other = middle_of(b), e.stiffness = stiffness;
    return e;
}

// ---------------------------------------------------------------------------------------------------- bodies

TEST(an_added_ball_falls_and_rests_on_the_ground) {
    start();
    sp_body_id id = add_ball("ball", 0.6, 0.3, 0);
    sp_contact_sum sum;
    CHECK_INT(id.slot, 3);
    CHECK(height_of(id) < 0.3);
    steps(2 * PER_SECOND);
    const double weight = density * 4 / 3 * 3.14159265358979 * radius * radius * radius * 9.81;
    CHECK_INT(sp_world_contact_sum(w, id, &sum), SP_OK);
    CHECK_NEAR(sum.force[1], weight, 1e-6 * weight);  // the tolerance of the contact solver
    CHECK_NEAR(height_of(id), radius, 1e-6);
    finish();
}

TEST(a_ball_is_thrown_with_its_velocity) {
    start();
    sp_edit e = ball("ball", 0.6, 1, 0);
    double x[3];
    e.velocity[2] = -3;
    queue(&e);
    steps(10);
    place_of(sp_world_body_named(w, "ball"), x);
    CHECK_NEAR(x[2], -0.3, 1e-12);  // ten steps of free flight
    finish();
}

TEST(an_added_probe_follows_poses_and_feels_the_force) {
    start();
    sp_edit e = sp_edit_default(SP_EDIT_ADD), move = sp_edit_default(SP_EDIT_POSE);
    snprintf(e.path, sizeof e.path, "probe");
    e.shape = SP_CAPSULE, e.size[0] = 0.02, e.size[1] = 0.2, e.kinematic = true;
    e.pose.translate[0] = 0.1, e.pose.translate[1] = 0.13, e.pose.translate[2] = 0.1;
    e.pose.quat[0] = sqrt(0.5), e.pose.quat[1] = -sqrt(0.5);  // its axis +z points up
    queue(&e);
    steps(PER_SECOND / 2);
    sp_contact_sum sum;
    sp_body_id probe = sp_world_body_named(w, "probe");
    CHECK_INT(sp_world_contact_sum(w, probe, &sum), SP_OK);
    CHECK(sum.force[1] == 0);  // above the block
    move.body = probe, move.pose = e.pose;
    for (int i = 0; i < 25; i++) {
        move.pose.translate[1] -= 0.001;
        queue(&move);
        steps(1);
    }
    CHECK_INT(sp_world_contact_sum(w, probe, &sum), SP_OK);
    CHECK(sum.force[1] > 0.1);  // the block pushes back
    CHECK_NEAR(height_of(probe), 0.105, 1e-12);
    finish();
}

TEST(wrong_additions_are_refused_with_an_event) {
    start();
    sp_edit e = ball("block", 0, 1, 0);
    queue(&e);
    CHECK_INT(sp_world_step(w, h), SP_EDIT_REFUSED);
    CHECK(reports("add block of source 0 refused: body name 'block' is already used"));
    e = ball("ball", 0, 1, 0);
    e.size[0] = -1;
    queue(&e);
    CHECK_INT(sp_world_step(w, h), SP_EDIT_REFUSED);
    CHECK(reports("add ball of source 0 refused"));
    e = ball("ball", 0, 1, 0);
    e.density = 0;
    queue(&e);
    CHECK_INT(sp_world_step(w, h), SP_EDIT_REFUSED);
    e = ball("ball", 0, 1, 0);
    e.velocity[1] = NAN;
    queue(&e);
    CHECK_INT(sp_world_step(w, h), SP_EDIT_REFUSED);
    e = ball("ball", 0, 1, 0);
    e.shape = SP_PLANE, e.size[1] = 1;
    queue(&e);
    CHECK_INT(sp_world_step(w, h), SP_EDIT_REFUSED);
    e = sp_edit_default(SP_EDIT_REMOVE);
    e.body = (sp_body_id){7, 1};
    queue(&e);
    CHECK_INT(sp_world_step(w, h), SP_EDIT_REFUSED);
    CHECK_INT(sp_world_body_count(w), 2);
    // what needs no look at the world is refused at once
    e = ball("", 0, 1, 0);
    CHECK_INT(sp_world_queue(w, &e), SP_BAD_INPUT);
    e = ball("ball", 0, 1, 0);
    e.kinematic = true;
    CHECK_INT(sp_world_queue(w, &e), SP_BAD_INPUT);
    e = ball("ball", 0, NAN, 0);
    CHECK_INT(sp_world_queue(w, &e), SP_BAD_INPUT);
    e = link_between("link", ground, block, -1);
    CHECK_INT(sp_world_queue(w, &e), SP_BAD_INPUT);
    finish();
}

// ---------------------------------------------------------------------------------------------------- failed steps

// The hash after some steps of a run with additions, removals and links; a step fails at each stage if asked for.
static uint64_t eventful_run(bool failures) {
    start();
    steps(10);
    sp_edit one = ball("one", 0.1, 0.2, 0.1), two = ball("two", 0.3, 0.2, 0.1);
    sp_edit link = link_between("band", (sp_body_id){3, 1}, (sp_body_id){4, 1}, 50), out = sp_edit_default(SP_EDIT_REMOVE);
    out.body = (sp_body_id){3, 1};
    for (int round = 0; round < 3; round++) {
        if (round == 0) queue(&one), queue(&two), queue(&link);
        if (round == 2) queue(&out);
        for (int stage = 0; failures && stage < SP_STAGE_COMMIT; stage++) {
            uint64_t before = sp_world_hash(w);
            const int bodies = sp_world_body_count(w), links = sp_world_link_count(w), contacts = sp_world_contact_count(w);
            CHECK_INT(sp__world_inject_failure(w, (sp_stage)stage), SP_OK);
            CHECK_INT(sp_world_step(w, h), SP_STOPPED);
            CHECK(sp_world_hash(w) == before);
            CHECK_INT(sp_world_body_count(w), bodies);
            CHECK_INT(sp_world_link_count(w), links);
            CHECK_INT(sp_world_contact_count(w), contacts);
        }
        steps(20);
    }
    CHECK_INT(sp_world_body_count(w), 3);
    CHECK_INT(sp_world_link_count(w), 0);  // it left with its body
    CHECK(sp_world_contact_count(w) > 0);
    uint64_t hash = sp_world_hash(w);
    finish();
    return hash;
}

TEST(a_failed_step_leaves_no_trace_of_additions) {
    uint64_t plain = eventful_run(false);
    CHECK(eventful_run(true) == plain);
}

// ---------------------------------------------------------------------------------------------------- removal

TEST(a_removed_body_leaves_at_the_end_of_the_step) {
    start();
    sp_body_id id = add_ball("ball", 0.6, 0.05, 0);
    steps(50);
    const int contacts = sp_world_contact_count(w);
    sp_edit e = sp_edit_default(SP_EDIT_REMOVE);
    sp_contact_point p;
    e.body = id;
    queue(&e);
    steps(1);
    CHECK_INT(sp_world_body_count(w), 2);
    CHECK_INT(sp_world_body_named(w, "ball").slot, 0);
    CHECK_INT(sp_world_contact_count(w), contacts - 1);  // those of the block stay
    for (int i = 0; i < sp_world_contact_count(w); i++)
        CHECK(sp_world_contact_at(w, i, &p) >= 0 && p.bodies[0].slot != id.slot && p.bodies[1].slot != id.slot);
    CHECK_INT(add_ball("ball", 0.6, 0.05, 0).slot, 4);  // a slot is never used again
    finish();
}

// ---------------------------------------------------------------------------------------------------- links

TEST(a_spring_pulls_two_points_together) {
    start();
    sp_body_id a = add_ball("a", 0.6, 2, 0), b = add_ball("b", 1.2, 2, 0);
    sp_edit e = link_between("band", a, b, 20);
    double x[2][3];
    e.damping = 2;
    queue(&e);
    steps(PER_SECOND / 2);
    place_of(a, x[0]), place_of(b, x[1]);
    // they touch, and the spring still pulls; the overlap of the impact is removed by a fifth in each step
    CHECK_NEAR(x[1][0] - x[0][0], 2 * radius, 1e-2 * radius);
    sp_link_info info;
    CHECK_INT(sp_world_link_info(w, sp_world_link_named(w, "band"), &info), SP_OK);
    CHECK_NEAR(info.force[0], 20 * 2 * radius, 1e-2 * 20 * 2 * radius);
    finish();
}

TEST(a_weld_keeps_two_bodies_as_they_are) {
    start();
    sp_body_id a = add_ball("a", 0.6, 1, 0), b = add_ball("b", 0.9, 1, 0);
    sp_edit e = link_between("glue", a, b, 0);
    double x[2][3], d[3];
    queue(&e);
    steps(PER_SECOND);
    place_of(a, x[0]), place_of(b, x[1]);
    sp__sub3(x[0], x[1], d);
    CHECK_NEAR(sp__norm3(d), 0.3, 1e-4);  // gyroscopic motion of the steps, with implicit Euler
    // to a soft body, whose surface is beside it
    sp_anchor top;
    sp_body_id c = add_ball("c", 0.1, 0.3, 0.1);
    e = link_between("stick", block, c, 0);
    e.value = 0.3;
    CHECK_INT(sp_world_anchor_point(w, block, (double[]){0.1, 0.099, 0.1}, &top), SP_OK);
    e.anchor = top;
    double before[3], after[3];
    place_of(c, x[0]), sp_world_anchor_get(w, &top, x[1], NULL);
    sp__sub3(x[0], x[1], before);
    queue(&e);
    steps(PER_SECOND / 4);
    sp_link_info info;
    CHECK_INT(sp_world_link_info(w, sp_world_link_named(w, "stick"), &info), SP_OK);
    CHECK_INT(info.point_count, 1);
    CHECK(info.stretch < 1e-6);
    sp_world_anchor_get(w, &top, x[1], NULL), place_of(c, x[0]);
    sp__sub3(x[0], x[1], after);
    CHECK_NEAR(sp__norm3(after), sp__norm3(before), 1e-6);  // the frame of the ball carries the point
    // detached, both move on alone
    e = sp_edit_default(SP_EDIT_DETACH);
    snprintf(e.path, sizeof e.path, "stick");
    queue(&e);
    steps(PER_SECOND / 4);
    CHECK_INT(sp_world_link_info(w, sp_world_link_named(w, "stick"), &info), SP_OK);
    CHECK_INT(info.state, SP_LINK_DETACHED);
    finish();
}

TEST(wrong_links_are_refused_with_an_event) {
    start();
    sp_edit e = link_between("link", ground, ground, 10);
    queue(&e);
    CHECK_INT(sp_world_step(w, h), SP_EDIT_REFUSED);
    CHECK(reports("can move"));
    e = link_between("link", (sp_body_id){9, 1}, block, 10);
    queue(&e);
    CHECK_INT(sp_world_step(w, h), SP_EDIT_REFUSED);
    CHECK(reports("link link of source 0 refused: a point is attached to no body"));
    CHECK_INT(sp_world_link_count(w), 0);
    finish();
}

// ---------------------------------------------------------------------------------------------------- contacts on and off

static void enable(double value) {
    sp_edit e = sp_edit_default(SP_EDIT_PARAM);
    snprintf(e.path, sizeof e.path, "contact.enabled");
    e.value = value;
    queue(&e);
}

TEST(contacts_can_be_switched_off_and_on) {
    start();
    sp_body_id id = add_ball("ball", 0.6, radius, 0);
    steps(10);
    enable(0);
    steps(PER_SECOND / 5);
    CHECK_INT(sp_world_contact_count(w), 0);
    CHECK(height_of(id) < -0.1);  // it falls through the ground
    enable(1);
    // An overlap is removed with at most an eighth of the radius in a step, so that nothing flies up: this is the largest speed.
    double highest = -INFINITY, x[3], v[3], fastest = 0;
    sp_anchor at = middle_of(id);
    for (int i = 0; i < PER_SECOND; i++) {
        steps(1);
        CHECK_INT(sp_world_anchor_get(w, &at, x, v), SP_OK);
        fastest = fmax(fastest, v[1]), highest = fmax(highest, x[1]);
    }
    CHECK(fastest <= 1.001 * radius / 8 / h);
    CHECK(highest < 2 * radius);
    CHECK_NEAR(height_of(id), radius, 1e-3 * radius);
    finish();
}

// ---------------------------------------------------------------------------------------------------- sweeps

TEST(a_sweep_ends_where_a_ball_touches) {
    start();
    sp_body_id id = add_ball("ball", 0.6, 2, 0), hit;
    double at[3], fraction;
    place_of(id, at);
    const double from[3] = {at[0] + 1, at[1], at[2]}, to[3] = {at[0] - 1, at[1], at[2]};
    // two radii before the middle; the search ends at a thousandth of the radius
    CHECK_INT(sp_world_sweep(w, from, to, radius, &fraction, &hit), SP_OK);
    CHECK_NEAR(fraction, (1 - 2 * radius) / 2, 1e-3 * radius);
    CHECK_INT(hit.slot, id.slot);
    // the ground, which is a shape; the soft block, which is a mesh
    CHECK_INT(sp_world_sweep(w, (double[]){5, 1, 0}, (double[]){5, -1, 0}, radius, &fraction, &hit), SP_OK);
    CHECK_NEAR(fraction, (1 - radius) / 2, 1e-3 * radius);
    CHECK_INT(hit.slot, ground.slot);
    CHECK_INT(sp_world_sweep(w, (double[]){0.1, 1, 0.1}, (double[]){0.1, 0.05, 0.1}, radius, &fraction, &hit), SP_OK);
    CHECK_NEAR(1 - fraction * 0.95, 0.1 + radius, 0.02 * radius);  // its weight compresses the block
    CHECK_INT(hit.slot, block.slot);
    CHECK_INT(sp_world_sweep(w, (double[]){0.1, 0.05, 0.1}, (double[]){0.1, 1, 0.1}, 1e-3, &fraction, &hit), SP_OK);
    CHECK(fraction == 0 && hit.slot == block.slot);  // inside of it
    CHECK_INT(sp_world_sweep(w, (double[]){5, 1, 0}, (double[]){7, 1, 0}, radius, &fraction, &hit), SP_OK);
    CHECK(fraction == 1 && hit.slot == 0);
    CHECK_INT(sp_world_sweep(w, from, to, 0, &fraction, NULL), SP_BAD_INPUT);
    CHECK_INT(sp_world_sweep(w, (double[]){NAN, 0, 0}, to, 1, &fraction, NULL), SP_BAD_INPUT);
    finish();
}

// ---------------------------------------------------------------------------------------------------- checkpoints, memory

TEST(a_checkpoint_fits_a_world_with_the_same_additions) {
    start();
    sp_edit out = sp_edit_default(SP_EDIT_REMOVE), link;
    out.body = add_ball("gone", 1, 1, 1);
    queue(&out);
    sp_body_id id = add_ball("ball", 0.1, 0.2, 0.1);
    link = link_between("stick", block, id, 10);
    CHECK_INT(sp_world_anchor_node(w, block, 0, &link.anchor), SP_OK);
    queue(&link);
    enable(0);
    steps(5);
    sp_checkpoint saved = {0};
    CHECK_INT(sp_world_save(w, &saved), SP_OK);
    enable(1);
    steps(10);
    const uint64_t hash = sp_world_hash(w);
    sp_world *first = w;
    sp_context *first_context = ctx;
    start();
    CHECK(sp_world_restore(w, saved.data, saved.size) < 0);
    CHECK(strstr(sp_world_error(w)->message, "bodies") != NULL);
    sp_edit e = ball("gone", 1, 1, 1);
    CHECK_INT(sp_world_apply(w, &e), SP_OK);
    e = sp_edit_default(SP_EDIT_REMOVE), e.body = sp_world_body_named(w, "gone");
    CHECK_INT(sp_world_apply(w, &e), SP_OK);
    CHECK_INT(sp_world_apply(w, &e), SP_BAD_ID);
    e = ball("ball", 0, 0, 0);
    CHECK_INT(sp_world_apply(w, &e), SP_OK);
    e = link_between("stick", block, sp_world_body_named(w, "ball"), 10);
    CHECK_INT(sp_world_anchor_node(w, block, 0, &e.anchor), SP_OK);
    CHECK_INT(sp_world_apply(w, &e), SP_OK);
    CHECK_INT(sp_world_restore(w, saved.data, saved.size), SP_OK);
    enable(1);
    steps(10);
    CHECK(sp_world_hash(w) == hash);
    sp_world_destroy(&w);
    sp_context_destroy(&ctx);
    w = first, ctx = first_context;
    sp_checkpoint_free(w, &saved);
    sp_world_destroy(&w);
    sp_context_destroy(&ctx);
}

TEST(steps_after_an_addition_allocate_nothing) {
    start();
    add_ball("ball", 0.6, radius, 0);
    steps(20);
    const long before = held.allowed;
    steps(20);
    CHECK_INT(before - held.allowed, 0);
    finish();
}
