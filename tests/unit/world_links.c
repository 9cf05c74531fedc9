// Links of a world: what definitions are refused, attaching and detaching by edits, breaking, rollback of failed steps,
// checkpoints, removal of bodies, parameters; no allocation after warm-up.
#include "meter.h"
#include "test.h"

#include "math/vec3.h"
#include "world/world_internal.h"

static meter held;
static sp_context *ctx;
static sp_world *w;
static sp_mesh *cube;
static sp_body_id lower, upper, wall, ball;

static void add_cube(const char *name, double y, int cells, sp_body_id *out) {
    sp_pose pose = sp_pose_identity();
    sp_mesh *box = NULL, *mesh = NULL;
    pose.translate[1] = y;
    CHECK(sp_mesh_box(ctx, (double[]){1, 1, 1}, (int[]){cells, cells, cells}, 5, &box) >= 0);
    CHECK(sp_mesh_transformed(box, NULL, &pose, &mesh) >= 0);
    sp_solid_def def = sp_solid_def_default();
    def.name = name, def.mesh = mesh;
    CHECK_INT(sp_world_add_solid(w, &def, out), SP_OK);
    sp_mesh_destroy(&box), sp_mesh_destroy(&mesh);
}

// Two cubes on each other, a fixed wall and a free ball beside them.
static void start(void) {
    held = (meter){.allowed = 1000000};
    sp_context_def cd = metered_context(&held);
    sp_world_def wd = sp_world_def_default();
    CHECK(sp_context_create(&cd, &ctx) >= 0 && sp_world_create(ctx, &wd, &w) >= 0);
    add_cube("lower", 0, 2, &lower);
    add_cube("upper", 1, 2, &upper);
    sp_rigid_shape shape = {SP_BOX, {1, 1, 1}, sp_pose_identity()};
    sp_rigid_def rigid = sp_rigid_def_default();
    rigid.name = "wall", rigid.shapes = &shape, rigid.shape_count = 1;
    rigid.pose.constant.translate[0] = -1;
    CHECK_INT(sp_world_add_rigid(w, &rigid, &wall), SP_OK);
    shape = (sp_rigid_shape){SP_SPHERE, {0.1}, sp_pose_identity()};
    rigid.name = "ball", rigid.free = true, rigid.pose.constant.translate[0] = -1.5;
    CHECK_INT(sp_world_add_rigid(w, &rigid, &ball), SP_OK);
}

static void finish(void) {
    sp_world_destroy(&w);
    sp_mesh_destroy(&cube);
    sp_context_destroy(&ctx);
    CHECK_INT(held.live, 0);
}

static sp_link_def between(sp_link_type type, sp_body_id a, sp_body_id b) {
    sp_link_def def = sp_link_def_default();
    def.type = type, def.a.body = a, def.b.body = b;
    return def;
}

static sp_link_id add(const sp_link_def *def) {
    sp_link_id id = {0};
    if (sp_world_add_link(w, def, &id) < 0) SP_TEST_FAILED("%s", sp_world_error(w)->message);
    return id;
}

static sp_link_info info_of(sp_link_id id) {
    sp_link_info info = {0};
    CHECK_INT(sp_world_link_info(w, id, &info), SP_OK);
    return info;
}

static bool refused(const sp_link_def *def, const char *part) {
    sp_link_id id;
    if (sp_world_add_link(w, def, &id) >= 0) return false;
    const char *message = sp_world_error(w)->message;
    if (!strstr(message, part)) printf("  \"%s\" lacks \"%s\"\n", message, part);
    return strstr(message, part) && id.slot == 0 && sp_world_link_count(w) == 0;
}

static bool reports(const char *part) {
    sp_event e;
    for (int i = 0; sp_world_event_at(w, i, &e) >= 0; i++)
        if (strstr(e.text, part)) return true;
    return false;
}

// ---------------------------------------------------------------------------------------------------- definitions

TEST(wrong_links_are_refused) {
    start();
    sp_link_def def = between(SP_LINK_WELD, upper, lower);
    def.cookie = 0;
    CHECK(refused(&def, "did not start from sp_link_def_default()"));
    def = between(SP_LINK_WELD, upper, (sp_body_id){9, 1});
    CHECK(refused(&def, "the id of a body is null or stale"));
    def = between(SP_LINK_WELD, upper, upper);
    CHECK(refused(&def, "joins 'upper' to itself"));
    def = between(SP_LINK_WELD, wall, wall);
    CHECK(refused(&def, "neither 'wall' nor 'wall' can move"));
    def = between(SP_LINK_SPRING, upper, lower);
    CHECK(refused(&def, "stiffness = 0 N/m, must be in (0, 1e300]"));
    def.stiffness = 1, def.damping = -1;
    CHECK(refused(&def, "damping = -1 N s/m, must be in [0, 1e300]"));
    def = between(SP_LINK_WELD, upper, lower);
    def.friction = 0.5;
    CHECK(refused(&def, "friction = 0.5 has no effect, it is no slide"));
    def = between(SP_LINK_WELD, upper, lower);
    def.break_force = 0;
    CHECK(refused(&def, "break = 0 N, must be in (0, inf]"));
    def = between(SP_LINK_WELD, upper, lower);
    def.within = NAN;
    CHECK(refused(&def, "within = nan m, must be finite"));
    def = between(SP_LINK_HINGE, ball, wall);
    def.axis[0] = 1;
    CHECK(refused(&def, "a hinge needs a point"));
    def.has_point = true, def.axis[0] = 0;
    CHECK(refused(&def, "axis = 0 0 0, must be finite and not 0"));
    def = between(SP_LINK_SLIDE, ball, wall);
    def.axis[0] = 1;
    CHECK(refused(&def, "a rigid body that slides needs the point of it that does"));
    def.has_point = true, def.b.body = lower;
    CHECK(refused(&def, "'lower' has no straight lines and planes, must be a rigid body"));
    def.guide = SP_GUIDE_CENTRELINE;
    CHECK(refused(&def, "'lower' has no centreline to slide on, must be a rod"));
    def = between(SP_LINK_SPRING, ball, wall);
    def.stiffness = 1;
    CHECK(refused(&def, "a spring between two rigid bodies needs a point"));
    int node = 1000;
    def = between(SP_LINK_WELD, upper, lower);
    def.a.nodes = &node, def.a.node_count = 1;
    CHECK(refused(&def, "node 1000 of 'upper', must be in [0, 26]"));
    // half a cell and more away from each other
    node = 26;
    CHECK(refused(&def, "nothing of 'upper' is within 0.1"));
    CHECK(refused(&def, "m of 'lower'; the nearest point is 1 m away"));
    def = between(SP_LINK_WELD, upper, lower);
    def.name = "lower";
    CHECK(refused(&def, "link name 'lower' is already used"));
    def.name = "gravity";
    CHECK(refused(&def, "is reserved"));
    CHECK_INT(sp_world_step(w, 0.01), SP_OK);
    finish();
}

TEST(an_explicit_body_cannot_be_linked) {
    start();
    sp_rigid_shape shape = {SP_SPHERE, {0.1}, sp_pose_identity()};
    sp_rigid_def rigid = sp_rigid_def_default();
    sp_body_id fast;
    rigid.name = "fast", rigid.shapes = &shape, rigid.shape_count = 1, rigid.free = true;
    rigid.integrator.type = SP_EXPLICIT;
    CHECK_INT(sp_world_add_rigid(w, &rigid, &fast), SP_OK);
    sp_link_def def = between(SP_LINK_WELD, fast, wall);
    CHECK(refused(&def, "needs integrator type=\"implicit-euler\""));
    finish();
}

// ---------------------------------------------------------------------------------------------------- edits

static void edit(sp_edit_type type, const char *name) {
    sp_edit e = sp_edit_default(type);
    snprintf(e.path, sizeof e.path, "%s", name);
    CHECK_INT(sp_world_queue(w, &e), SP_OK);
}

TEST(edits_attach_and_detach) {
    start();
    sp_link_def def = between(SP_LINK_WELD, ball, wall);
    def.name = "hold", def.attached = false;
    sp_link_id id = add(&def);
    CHECK_INT(info_of(id).state, SP_LINK_DETACHED);
    for (int i = 0; i < 5; i++) CHECK_INT(sp_world_step(w, 0.01), SP_OK);
    sp_anchor centre = {.body = ball};
    double x[3], fallen[3];
    CHECK_INT(sp_world_anchor_get(w, &centre, fallen, NULL), SP_OK);
    CHECK(fallen[1] < -0.01);
    edit(SP_EDIT_ATTACH, "hold");
    CHECK_INT(sp_world_step(w, 0.01), SP_OK);
    int count;
    const sp_edit *taken = sp_world_edits_taken(w, &count);
    CHECK(count == 1 && taken[0].type == SP_EDIT_ATTACH && !strcmp(taken[0].path, "hold"));
    CHECK_INT(info_of(id).state, SP_LINK_ATTACHED);
    for (int i = 0; i < 5; i++) CHECK_INT(sp_world_step(w, 0.01), SP_OK);
    CHECK_INT(sp_world_anchor_get(w, &centre, x, NULL), SP_OK);
    CHECK_NEAR(x[1], fallen[1], 1e-9);  // it is held where it was attached
    edit(SP_EDIT_DETACH, "hold");
    CHECK_INT(sp_world_step(w, 0.01), SP_OK);
    CHECK_INT(info_of(id).state, SP_LINK_DETACHED);
    edit(SP_EDIT_ATTACH, "nobody");
    CHECK_INT(sp_world_step(w, 0.01), SP_EDIT_REFUSED);
    CHECK(reports("attach nobody of source 0 refused: there is no link of that name"));
    sp_edit e = sp_edit_default(SP_EDIT_ATTACH);
    CHECK_INT(sp_world_queue(w, &e), SP_BAD_INPUT);
    finish();
}

TEST(what_is_too_far_is_not_attached) {
    start();
    sp_link_def def = between(SP_LINK_WELD, upper, lower);
    def.name = "glue";
    sp_link_id id = add(&def);
    edit(SP_EDIT_DETACH, "glue");
    CHECK_INT(sp_world_step(w, 0.01), SP_OK);
    double *x = calloc(3 * 27, sizeof *x);
    CHECK_INT(sp_world_field(w, upper, "position", x), SP_OK);
    for (int i = 0; i < 27; i++) x[3 * i + 1] += 3;
    CHECK_INT(sp_world_set_state(w, upper, x, NULL), SP_OK);
    edit(SP_EDIT_ATTACH, "glue");
    CHECK_INT(sp_world_step(w, 0.01), SP_EDIT_REFUSED);
    CHECK(reports("nothing of 'upper' is within"));
    CHECK_INT(info_of(id).state, SP_LINK_DETACHED);
    free(x);
    finish();
}

// ---------------------------------------------------------------------------------------------------- failed steps

TEST(a_failed_step_leaves_links_as_they_were) {
    start();
    sp_link_def def = between(SP_LINK_WELD, ball, wall);
    def.name = "hold", def.attached = false;
    add(&def);
    def = between(SP_LINK_WELD, upper, lower);
    def.name = "glue", def.break_force = 1e-3;
    sp_link_id glue = add(&def);
    uint64_t before = sp_world_hash(w);
    for (int stage = SP_STAGE_TAKE_EDITS; stage < SP_STAGE_COMMIT; stage++) {
        edit(SP_EDIT_ATTACH, "hold"), edit(SP_EDIT_DETACH, "glue"), edit(SP_EDIT_ATTACH, "glue");
        CHECK_INT(sp__world_inject_failure(w, (sp_stage)stage), SP_OK);
        CHECK(sp_world_step(w, 0.01) < 0);
        sp_world_drop_edits(w);
        CHECK(sp__world_compute_hash(w) == before);
        CHECK_INT(info_of(glue).state, SP_LINK_ATTACHED);
        CHECK_INT(info_of(sp_world_link_named(w, "hold")).state, SP_LINK_DETACHED);
    }
    CHECK(sp_world_step(w, 0.01) >= 0);
    finish();
}

// ---------------------------------------------------------------------------------------------------- breaking

TEST(a_link_breaks_with_an_event) {
    start();
    sp_link_def def = between(SP_LINK_WELD, ball, wall);
    const double weight = 4.0 / 3 * SP_PI * 1e-3 * 1000 * 9.81;
    def.name = "thread", def.break_force = 1.001 * weight;
    sp_link_id id = add(&def);
    for (int i = 0; i < 3; i++) CHECK_INT(sp_world_step(w, 0.01), SP_OK);
    CHECK_NEAR(info_of(id).force[1], weight, 1e-9 * weight);
    sp_edit e = sp_edit_default(SP_EDIT_PARAM);
    snprintf(e.path, sizeof e.path, "thread.break"), e.value = 0.999 * weight;
    CHECK_INT(sp_world_queue(w, &e), SP_OK);
    CHECK_INT(sp_world_step(w, 0.01), SP_OK);
    CHECK(reports("link 'thread' breaks: its force is 41.09") && reports("N, the limit 41.05"));
    CHECK_INT(info_of(id).state, SP_LINK_BROKEN);
    CHECK_NEAR(info_of(id).force[1], weight, 1e-9 * weight);  // in the step that broke it
    CHECK_INT(sp_world_step(w, 0.01), SP_OK);
    CHECK_NEAR(info_of(id).force[1], 0, 0);
    CHECK_INT(info_of(id).point_count, 0);
    CHECK_INT(sp_world_set_link(w, id, true), SP_OK);
    CHECK_INT(info_of(id).state, SP_LINK_ATTACHED);
    finish();
}

TEST(welds_that_contradict_each_other_are_named) {
    start();
    sp_rigid_shape shape = {SP_BOX, {0.1, 0.1, 0.1}, sp_pose_identity()};
    sp_rigid_def rigid = sp_rigid_def_default();
    sp_body_id tool;
    rigid.name = "tool", rigid.shapes = &shape, rigid.shape_count = 1, rigid.kinematic = true;
    CHECK_INT(sp_world_add_rigid(w, &rigid, &tool), SP_OK);
    sp_link_def def = between(SP_LINK_WELD, ball, wall);
    def.name = "one";
    add(&def);
    def = between(SP_LINK_WELD, ball, tool);
    def.name = "two";
    add(&def);
    for (int i = 0; i < 3; i++) CHECK_INT(sp_world_step(w, 0.01), SP_OK);  // redundant, not contradictory
    sp_edit e = sp_edit_default(SP_EDIT_POSE);
    e.body = tool, e.pose.translate[0] = 0.2;
    CHECK_INT(sp_world_queue(w, &e), SP_OK);
    CHECK_INT(sp_world_step(w, 0.01), SP_NOT_CONVERGED);
    CHECK(reports("cannot hold: what it joins is 0.") && reports("it contradicts other links, contacts or fixed bodies"));
    double x[3];
    sp_anchor centre = {.body = ball};
    CHECK_INT(sp_world_anchor_get(w, &centre, x, NULL), SP_OK);
    CHECK(x[0] > -1.6 && x[0] < -1.2);  // between what the two ask for
    finish();
}

// ---------------------------------------------------------------------------------------------------- checkpoints

static void add_all(void) {
    sp_link_def def = between(SP_LINK_WELD, upper, lower);
    def.name = "glue";
    add(&def);
    def = between(SP_LINK_SLIDE, ball, wall);
    def.name = "rail", def.friction = 0.2, def.has_point = true;
    def.point[0] = -1.5, def.axis[0] = 1, def.axis[1] = -1;
    add(&def);
    def = between(SP_LINK_SPRING, lower, wall);
    def.name = "late", def.attached = false, def.stiffness = 1000, def.damping = 10;
    add(&def);
}

TEST(a_restored_world_continues_with_the_same_hashes) {
    start();
    add_all();
    for (int i = 0; i < 3; i++) CHECK(sp_world_step(w, 0.01) >= 0);
    edit(SP_EDIT_ATTACH, "late");
    for (int i = 0; i < 3; i++) CHECK(sp_world_step(w, 0.01) >= 0);
    sp_checkpoint saved;
    CHECK_INT(sp_world_save(w, &saved), SP_OK);
    uint64_t hash[2][6];
    for (int i = 0; i < 6; i++) {
        if (i == 2) edit(SP_EDIT_DETACH, "glue");
        CHECK(sp_world_step(w, 0.01) >= 0);
        hash[0][i] = sp_world_hash(w);
    }
    // into the same world, and into a new one in which "late" was never attached
    for (int fresh = 0; fresh < 2; fresh++) {
        sp_checkpoint copy = {malloc(saved.size), saved.size};
        memcpy(copy.data, saved.data, saved.size);
        if (fresh) {
            sp_checkpoint_free(w, &saved);
            finish();
            start();
            add_all();
        }
        CHECK_INT(sp_world_restore(w, copy.data, copy.size), SP_OK);
        for (int i = 0; i < 6; i++) {
            if (i == 2) edit(SP_EDIT_DETACH, "glue");
            CHECK(sp_world_step(w, 0.01) >= 0);
            hash[1][i] = sp_world_hash(w);
        }
        for (int i = 0; i < 6; i++) CHECK(hash[0][i] == hash[1][i]);
        // a world with other links refuses the block, and so does one with damaged ties
        if (fresh) {
            sp_link_def def = between(SP_LINK_WELD, ball, upper);
            def.within = 10;
            sp_link_id more = add(&def);
            CHECK_INT(sp_world_restore(w, copy.data, copy.size), SP_BAD_INPUT);
            CHECK(strstr(sp_world_error(w)->message, "it holds 3 links, the world 4") != NULL);
            CHECK_INT(sp_world_remove_link(w, more), SP_OK);
        }
        free(copy.data);
    }
    finish();
}

// ---------------------------------------------------------------------------------------------------- the rest

TEST(links_of_a_removed_body_go_with_it) {
    start();
    add_all();
    CHECK(sp_world_step(w, 0.01) >= 0);
    CHECK_INT(sp_world_remove(w, upper), SP_OK);
    CHECK_INT(sp_world_link_count(w), 2);
    CHECK_INT(sp_world_link_named(w, "glue").slot, 0);
    CHECK(sp_world_step(w, 0.01) >= 0);
    finish();
}

TEST(snapshots_have_the_points_of_links) {
    start();
    add_all();
    CHECK(sp_world_step(w, 0.01) >= 0);
    const sp_snapshot *s = sp_world_snapshot_acquire(w);
    REQUIRE(s != NULL);
    sp_link_info glue = info_of(sp_world_link_named(w, "glue")), rail = info_of(sp_world_link_named(w, "rail"));
    CHECK_INT(s->link_count, glue.point_count + rail.point_count);
    double sum[3] = {0};
    for (int i = 0; i < glue.point_count; i++) {
        CHECK(s->links[i].link.slot == glue.id.slot && s->links[i].bodies[0].slot == upper.slot);
        sp__axpy3(sum, 1, s->links[i].force, sum);
    }
    for (int a = 0; a < 3; a++) CHECK_NEAR(sum[a], glue.force[a], 1e-9 * sp__norm3(glue.force));
    sp_world_snapshot_release(w, s);
    finish();
}

// W that is applied and not stored: the projected gradient method, for moderate accuracy.
TEST(a_problem_that_is_not_stored) {
    double force[2][3] = {{0}};
    for (int k = 0; k < 2; k++) {
        start();
        CHECK_INT(sp_world_remove(w, ball), SP_OK);
        sp_link_def def = between(SP_LINK_WELD, upper, lower);
        def.name = "glue";
        sp_link_id id = add(&def);
        def = between(SP_LINK_SPRING, lower, wall);
        def.stiffness = 1e4, def.damping = 10;
        add(&def);
        CHECK(sp_world_step(w, 0.01) >= 0);
        if (k) sp__constraints_limit(w->constraints, 10);
        for (int i = 0; i < 5; i++) CHECK(sp_world_step(w, 0.01) >= 0);
        if (k) CHECK(sp__constraints_info(w->constraints)->unbuilt);
        memcpy(force[k], info_of(id).force, sizeof force[k]);
        finish();
    }
    for (int a = 0; a < 3; a++) CHECK_NEAR(force[0][a], force[1][a], 1e-3 * sp__norm3(force[0]));
}

TEST(numbers_of_links_are_parameters) {
    start();
    add_all();
    sp_param_info info;
    CHECK_INT(sp_world_param(w, "late.stiffness", &info), SP_OK);
    CHECK_NEAR(info.value, 1000, 0);
    CHECK_INT(sp_world_param(w, "rail.friction", &info), SP_OK);
    CHECK_INT(sp_world_param(w, "glue.stiffness", &info), SP_BAD_INPUT);
    bool listed = false;
    for (int i = 0; i < sp_world_param_count(w); i++) {
        CHECK_INT(sp_world_param_at(w, i, &info), SP_OK);
        listed = listed || !strcmp(info.path, "late.damping");
    }
    CHECK(listed);
    CHECK_INT(sp_world_set_param(w, "rail.friction", -1), SP_BAD_INPUT);
    finish();
}

TEST(steps_with_links_do_not_allocate) {
    start();
    add_all();
    edit(SP_EDIT_ATTACH, "late");
    for (int i = 0; i < 8; i++) CHECK(sp_world_step(w, 0.01) >= 0);
    held.allowed = 0;
    sp_link_info info;
    for (int i = 0; i < 5; i++) {
        CHECK(sp_world_step(w, 0.01) >= 0);
        CHECK_INT(sp_world_link_at(w, 0, &info), SP_OK);
    }
    held.allowed = 1000000;
    finish();
}
