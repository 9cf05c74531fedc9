// The rigid kind: poses by signal and by edit, distances of several shapes, velocity of the surface, triangles.
#include "at.h"
#include "math/vec3.h"
#include "test.h"
#include "world/world_internal.h"

static sp_context *ctx;
static sp_world *w;

static void start(void) {
    sp_context_create(NULL, &ctx);
    sp_world_create(ctx, NULL, &w);
}

static void finish(void) {
    sp_world_destroy(&w);
    sp_context_destroy(&ctx);
}

// about z at 2 rad/s, and along x at 3 m/s
static void turning(const void *user, double t, sp_pose *out) {
    (void)user;
    const double z[3] = {0, 0, 1};
    *out = sp_pose_identity();
    out->translate[0] = 3 * t;
    sp__quat_axis(z, 2 * t, out->quat);
}

static sp_body_id add(const sp_rigid_shape *shapes, int n, bool kinematic) {
    sp_rigid_def def = sp_rigid_def_default();
    sp_body_id id;
    def.shapes = shapes, def.shape_count = n, def.kinematic = kinematic;
    def.pose.eval = turning;
    CHECK_INT(sp_world_add_rigid(w, &def, &id), SP_OK);
    return id;
}

static const sp_rigid_shape ball = {.type = SP_SPHERE, .size = {0.5, 0, 0}, .pose = {{1, 0, 0}, {1, 0, 0, 0}}};

TEST(follows_its_signal) {
    start();
    sp_body_id id = add(&ball, 1, true), still = add(&ball, 1, false);
    double h = 0.01, x[3], v[3], at[3] = {1, 0, 0};
    sp_anchor a, fixed;
    CHECK_INT(sp_world_anchor_point(w, id, at, &a), SP_OK);
    CHECK_INT(sp_world_anchor_point(w, still, at, &fixed), SP_OK);
    for (int k = 0; k < 10; k++) CHECK_INT(sp_world_step(w, h), SP_OK);
    CHECK_INT(sp_world_anchor_get(w, &a, x, v), SP_OK);
    CHECK_NEAR(x[0], 0.3 + cos(0.2), 1e-14);
    CHECK_NEAR(x[1], sin(0.2), 1e-14);
    // twist of the last step: exact here, because it rotates uniformly
    CHECK_NEAR(v[0], 3 - 2 * sin(0.2), 1e-12);
    CHECK_NEAR(v[1], 2 * cos(0.2), 1e-12);
    CHECK_INT(sp_world_anchor_get(w, &fixed, x, v), SP_OK);
    CHECK(x[0] == 1 && v[0] == 0);
    double pose[7];
    sp_field_info info;
    CHECK_INT(sp_world_field_info(w, id, "pose", &info), SP_OK);
    CHECK(info.count == 1 && info.components == 7);
    CHECK_INT(sp_world_field(w, id, "pose", pose), SP_OK);
    CHECK_NEAR(pose[0], 0.3, 1e-15);
    CHECK_INT(sp_world_field(w, id, "position", pose), SP_BAD_INPUT);
    finish();
}

TEST(posted_pose_replaces_the_signal) {
    start();
    sp_body_id id = add(&ball, 1, true), still = add(&ball, 1, false);
    sp_edit e = sp_edit_default(SP_EDIT_POSE);
    e.body = id, e.pose.translate[1] = 7;
    CHECK_INT(sp_world_queue(w, &e), SP_OK);
    double pose[7];
    for (int k = 0; k < 3; k++) {
        CHECK_INT(sp_world_step(w, 0.01), SP_OK);
        CHECK_INT(sp_world_field(w, id, "pose", pose), SP_OK);
        CHECK(pose[0] == 0 && pose[1] == 7 && pose[3] == 1);
    }
    e.body = still;
    sp_world_queue(w, &e);
    CHECK_INT(sp_world_step(w, 0.01), SP_EDIT_REFUSED);
    CHECK(strstr(event_at(w, 0).text, "fixed, not kinematic"));
    finish();
}

// the nearest of several shapes, against brute force on the two distances
TEST(distance_is_that_of_the_nearest_shape) {
    start();
    sp_rigid_shape shapes[2] = {ball, {.type = SP_PLANE, .size = {0, 1, 0}, .pose = {{0, -1, 0}, {1, 0, 0, 0}}}};
    sp_body *b = sp__world_body(w, add(shapes, 2, false));
    unsigned long long seed = 3;
    for (int k = 0; k < 200; k++) {
        double x[3], n[3], v[3];
        for (int a = 0; a < 3; a++) x[a] = 2 * sp_test_random(&seed);
        const double c[3] = {x[0] - 1, x[1], x[2]};
        double ball_d = sp__norm3(c) - 0.5, plane_d = x[1] + 1, d = b->ops->distance(b, SP_COMMITTED, x, n, v);
        CHECK_NEAR(d, fmin(ball_d, plane_d), 1e-14);
        CHECK_NEAR(sp__norm3(n), 1, 1e-14);
        double e = 1e-6, out[3], m[3];
        sp__axpy3(x, e, n, out);
        if (fabs(ball_d - plane_d) > 1e-3) CHECK_NEAR(b->ops->distance(b, SP_COMMITTED, out, m, v) - d, e, 1e-9 * e + 1e-14);
    }
    finish();
}

// the surface velocity is that of its material points
TEST(surface_velocity_is_that_of_the_points) {
    start();
    sp_body *b = sp__world_body(w, add(&ball, 1, true));
    CHECK_INT(sp__prescribe(w, 0.01), SP_OK);
    sp_anchor a = {.offset = {1.2, 0.3, -0.4}};
    double x[3], before[3], v[3], n[3], surface[3];
    b->ops->points(b, SP_COMMITTED, 1, &a, before, NULL);
    b->ops->points(b, SP_TRIAL, 1, &a, x, v);
    b->ops->distance(b, SP_TRIAL, x, n, surface);
    for (int k = 0; k < 3; k++) {
        CHECK_NEAR(surface[k], v[k], 1e-13);
        // a chord against a tangent at its end: half the rotation of the step times the speed
        CHECK_NEAR(surface[k], (x[k] - before[k]) / 0.01, 0.01 * 2 * 2.5);
    }
    finish();
}

TEST(bad_definitions_are_refused) {
    start();
    sp_rigid_def def = sp_rigid_def_default();
    sp_rigid_shape s = ball;
    sp_body_id id;
    def.shapes = &s, def.shape_count = 1;
    s.size[0] = 0;
    CHECK_INT(sp_world_add_rigid(w, &def, &id), SP_BAD_INPUT);
    s.size[0] = NAN;
    CHECK_INT(sp_world_add_rigid(w, &def, &id), SP_BAD_INPUT);
    s = ball, s.pose.quat[0] = 0.5;
    CHECK_INT(sp_world_add_rigid(w, &def, &id), SP_BAD_INPUT);
    s = ball, s.type = (sp_shape_type)17;
    CHECK_INT(sp_world_add_rigid(w, &def, &id), SP_BAD_INPUT);
    s = (sp_rigid_shape){.type = SP_PLANE, .pose = sp_pose_identity()};
    CHECK_INT(sp_world_add_rigid(w, &def, &id), SP_BAD_INPUT);
    CHECK(strstr(sp_world_error(w)->message, "normal"));
    s = ball, def.shape_count = -1;
    CHECK_INT(sp_world_add_rigid(w, &def, &id), SP_BAD_INPUT);
    def.shape_count = 1, def.cookie = 0;
    CHECK_INT(sp_world_add_rigid(w, &def, &id), SP_BAD_INPUT);
    def.cookie = sp_rigid_def_default().cookie, def.pose.constant.translate[2] = INFINITY;
    CHECK_INT(sp_world_add_rigid(w, &def, &id), SP_BAD_INPUT);
    CHECK_INT(sp_world_body_count(w), 0);
    CHECK(id.slot == 0);
    finish();
}

// a free definition with one change is refused with a message that contains `part`
static void refused(const sp_rigid_def *def, const char *part) {
    sp_body_id id = {7, 7};
    CHECK_INT(sp_world_add_rigid(w, def, &id), SP_BAD_INPUT);
    CHECK(id.slot == 0 && strstr(sp_world_error(w)->message, part));
    if (!strstr(sp_world_error(w)->message, part)) printf("  %s\n", sp_world_error(w)->message);
}

TEST(bad_free_bodies_are_refused) {
    start();
    const sp_rigid_shape plane = {.type = SP_PLANE, .size = {0, 1, 0}, .pose = sp_pose_identity()};
    const sp_rigid_shape torus = {.type = SP_TORUS, .size = {0.1, 0.2}, .pose = sp_pose_identity()};
    const double size[3] = {1, 1, 1};
    const int cells[3] = {1, 1, 1};
    sp_rigid_def good = sp_rigid_def_default(), def;
    sp_load load = {.type = SP_LOAD_PRESSURE};
    sp_spring_def spring = {.stiffness = -1};
    sp_mesh *block;
    sp_trimesh *closed, *open, *inward;
    good.shapes = &ball, good.shape_count = 1, good.free = true;
    def = good, def.kinematic = true, refused(&def, "not both");
    def = good, def.shapes = &plane, refused(&def, "no mass");
    def = good, def.shapes = &torus, refused(&def, "thinner than the ring");
    def = good, def.shape_count = 0, refused(&def, "needs a mass and an inertia");
    def = good, def.mass = -1, refused(&def, "mass = -1");
    def = good, def.mass = NAN, refused(&def, "mass = ");
    def = good, def.density = 0, refused(&def, "density = 0");
    def = good, def.spin[1] = INFINITY, refused(&def, "finite");
    def = good, def.inertia[0] = 1, refused(&def, "positive definite");
    // a body is at most as long as two of its moments allow: 5 > 1 + 1
    def = good, def.inertia[0] = def.inertia[1] = 1, def.inertia[2] = 5, refused(&def, "sum of the other two");
    def = good, def.loads = &load, def.load_count = 1, refused(&def, "must be force, torque or acceleration");
    def = good, def.springs = &spring, def.spring_count = 1, refused(&def, "stiffness = -1");
    def = good, def.integrator.tolerance = 2, refused(&def, "tolerance");
    def = good, def.free = false, def.spin[0] = 1, refused(&def, "not free");
    def = good, def.free = false, def.loads = &load, def.load_count = 1, refused(&def, "not free");
    // surfaces: open, inside out
    CHECK_INT(sp_mesh_box(ctx, size, cells, 6, &block), SP_OK);
    CHECK_INT(sp_mesh_boundary(block, &closed), SP_OK);
    sp_trimesh_def t, cut;
    sp_trimesh_get(closed, &t);
    cut = t, cut.face_count--;
    CHECK_INT(sp_trimesh_create(ctx, &cut, &open), SP_OK);
    int faces[3 * 12];
    REQUIRE(t.face_count == 12);
    for (int i = 0; i < 36; i++) faces[i] = t.faces[3 * (i / 3) + 2 - i % 3];
    cut = t, cut.faces = faces;
    CHECK_INT(sp_trimesh_create(ctx, &cut, &inward), SP_OK);
    const sp_trimesh *one = open;
    def = good, def.shape_count = 0, def.meshes = &one, def.mesh_count = 1, refused(&def, "3 open edges");
    one = inward, refused(&def, "oriented inwards");
    one = closed;
    sp_body_id id;
    CHECK_INT(sp_world_add_rigid(w, &def, &id), SP_OK);
    // an open surface is enough for a body that only moves by prescription
    one = open, def.free = false;
    CHECK_INT(sp_world_add_rigid(w, &def, NULL), SP_OK);
    // penalty contact acts on both, but not between them and a body with substeps
    sp_contact_def contact = sp_contact_def_default();
    sp_solid_def soft = sp_solid_def_default();
    soft.mesh = block, soft.integrator.substeps = 2;
    CHECK_INT(sp_world_set_contact(w, &contact), SP_OK);
    CHECK_INT(sp_world_add_solid(w, &soft, NULL), SP_BAD_INPUT);
    CHECK_INT(sp_world_remove(w, id), SP_OK);
    CHECK_INT(sp_world_add_solid(w, &soft, NULL), SP_BAD_INPUT);
    CHECK(strstr(sp_world_error(w)->message, "penalty contact cannot act between"));
    sp_trimesh_destroy(&closed), sp_trimesh_destroy(&open), sp_trimesh_destroy(&inward);
    sp_mesh_destroy(&block);
    finish();
    start();
    CHECK_INT(sp_mesh_box(ctx, size, cells, 6, &block), SP_OK);
    soft.mesh = block;
    CHECK_INT(sp_world_set_contact(w, &contact), SP_OK);
    CHECK_INT(sp_world_add_solid(w, &soft, NULL), SP_OK);
    refused(&good, "penalty contact cannot act between");
    CHECK_INT(sp_world_body_count(w), 1);
    sp_mesh_destroy(&block);
    finish();
}

// drags move a free body, poses and pins are refused; a static integrator needs something that holds it
TEST(edits_of_free_bodies) {
    start();
    sp_rigid_def def = sp_rigid_def_default();
    sp_body_id id;
    def.shapes = &ball, def.shape_count = 1, def.free = true;
    CHECK_INT(sp_world_add_rigid(w, &def, &id), SP_OK);
    sp_edit e = sp_edit_default(SP_EDIT_DRAG);
    const double weights[3] = {0.2, 0.3, 0.5};
    double x[3], before[3];
    sp_body_info info;
    CHECK_INT(sp_world_body_info(w, id, &info), SP_OK);
    CHECK(!info.prescribed && info.nodes == 0);
    CHECK_INT(sp_world_anchor_face(w, id, 0, 5, weights, &e.anchor), SP_OK);
    CHECK_INT(sp_world_anchor_get(w, &e.anchor, before, NULL), SP_OK);
    e.target[0] = before[0] + 1, e.target[1] = before[1], e.target[2] = before[2], e.stiffness = 1e6, e.damping = 1e4;
    CHECK_INT(sp_world_queue(w, &e), SP_OK);
    for (int k = 0; k < 200; k++) CHECK_INT(sp_world_step(w, 0.01), SP_OK);
    CHECK_INT(sp_world_anchor_get(w, &e.anchor, x, NULL), SP_OK);
    // 524 kg hang from a spring of 1e6 N/m: 5 mm
    CHECK_NEAR(x[0], e.target[0], 1e-3);
    CHECK_NEAR(x[1], e.target[1] - 9.81 * 4 / 3 * SP_PI * 125 / 1e6, 1e-3);
    e = sp_edit_default(SP_EDIT_POSE), e.body = id;
    sp_world_queue(w, &e);
    CHECK_INT(sp_world_step(w, 0.01), SP_EDIT_REFUSED);
    e = sp_edit_default(SP_EDIT_PIN), e.body = id;
    sp_world_queue(w, &e);
    CHECK_INT(sp_world_step(w, 0.01), SP_EDIT_REFUSED);
    finish();
    start();
    def.integrator.type = SP_STATIC;
    CHECK_INT(sp_world_add_rigid(w, &def, &id), SP_OK);
    CHECK_INT(sp_world_step(w, 0.01), SP_SINGULAR);
    CHECK(strstr(sp_world_error(w)->message, "nothing holds it"));
    finish();
}

// every vertex of the picture is on the surface of its shape, and faces point outward
TEST(triangles_lie_on_the_shapes) {
    start();
    sp_rigid_shape shapes[4] = {ball,
                                {.type = SP_BOX, .size = {1, 2, 3}, .pose = {{5, 0, 0}, {1, 0, 0, 0}}},
                                {.type = SP_CYLINDER, .size = {0.5, 2, 0}, .pose = {{-5, 0, 0}, {1, 0, 0, 0}}},
                                {.type = SP_PLANE, .size = {0, 1, 0}, .pose = {{0, -9, 0}, {1, 0, 0, 0}}}};
    sp_body *b = sp__world_body(w, add(shapes, 4, false));
    const sp_surface *s = b->surfaces[0];
    CHECK(s->face_count > 20);
    for (int i = 0; i < s->vertex_count; i++) {
        double x[3], n[3], v[3];
        b->ops->points(b, SP_COMMITTED, 1, &s->anchors[i], x, NULL);
        CHECK_NEAR(b->ops->distance(b, SP_COMMITTED, x, n, v), 0, 1e-12);
    }
    for (int f = 0; f < s->face_count; f++) {
        double x[9], a[3], c[3], n[3], out[3], v[3], centre[3];
        for (int k = 0; k < 3; k++) b->ops->points(b, SP_COMMITTED, 1, &s->anchors[s->faces[3 * f + k]], x + 3 * k, NULL);
        sp__sub3(x + 3, x, a), sp__sub3(x + 6, x, c);
        sp__cross3(a, c, n);
        for (int k = 0; k < 3; k++) centre[k] = (x[k] + x[3 + k] + x[6 + k]) / 3;
        b->ops->distance(b, SP_COMMITTED, centre, out, v);
        CHECK(sp__dot3(n, out) > 0);
    }
    finish();
}

// ------------------------------------------------------------------------------------------------ contact

// a block of 8 nodes, all fixed, its lower 4 at height 0; the floor rises by 1 mm per step
static sp_body_id held_block(sp_mesh **mesh) {
    static const int nodes[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    sp_solid_def def = sp_solid_def_default();
    sp_fix fix = {nodes, 8, SP_AXES_ALL, 0};
    sp_contact_def contact = sp_contact_def_default();
    sp_body_id id = {0, 0};
    contact.stiffness = 1000;
    CHECK_INT(sp_mesh_box(ctx, (double[3]){1, 1, 1}, (int[3]){1, 1, 1}, 6, mesh), SP_OK);
    def.mesh = *mesh, def.fixes = &fix, def.fix_count = 1;
    CHECK_INT(sp_world_add_solid(w, &def, &id), SP_OK);
    CHECK_INT(sp_world_set_contact(w, &contact), SP_OK);
    return id;
}

static void rising(const void *user, double t, sp_pose *out) {
    (void)user;
    *out = sp_pose_identity();
    out->translate[1] = 0.1 * t;
}

static double force_up(sp_body_id id) {
    double f[24], sum = 0;
    CHECK_INT(sp_world_field(w, id, "force", f), SP_OK);
    for (int i = 0; i < 8; i++) sum += f[3 * i + 1];
    return sum;
}

// the reaction of the block is its weight minus the four springs of the floor at its current position
TEST(reactions_use_the_current_position_of_a_moving_floor) {
    sp_rigid_shape plane = {.type = SP_PLANE, .size = {0, 1, 0}, .pose = sp_pose_identity()};
    sp_rigid_def floor = sp_rigid_def_default();
    sp_body_id id;
    sp_mesh *mesh;
    start();
    sp_body_id block = held_block(&mesh);
    floor.shapes = &plane, floor.shape_count = 1, floor.kinematic = true, floor.pose.eval = rising;
    CHECK_INT(sp_world_add_rigid(w, &floor, &id), SP_OK);
    for (int k = 1; k <= 5; k++) {
        CHECK_INT(sp_world_step(w, 0.01), SP_OK);
        CHECK_NEAR(force_up(block), 1000 * 9.81 - 4 * 1000 * 0.001 * k, 1e-8);
    }
    // without the floor, and with other bodies instead
    CHECK_INT(sp_world_remove(w, id), SP_OK);
    CHECK_NEAR(force_up(block), 1000 * 9.81, 1e-8);
    floor.kinematic = false;
    for (int k = 0; k < 20; k++) CHECK_INT(sp_world_add_rigid(w, &floor, NULL), SP_OK);
    CHECK_NEAR(force_up(block), 1000 * 9.81, 1e-8);
    sp_mesh_destroy(&mesh);
    finish();
}

// force and torque are applied about the frame of the requested state: virtual work with the velocities of its points
TEST(forces_are_applied_at_the_requested_pose) {
    start();
    sp_body_id id = add(&ball, 1, true);
    CHECK_INT(sp_world_step(w, 0.3), SP_OK);
    sp_body *b = sp__world_body(w, id);
    sp__prescribe(w, 0.2);
    const sp_anchor a = {.offset = {0.3, -0.2, 0.5}};
    const double f[3] = {1, 2, 3};
    for (int s = 0; s < 2; s++) {
        double g6[6] = {0}, x[3], v[3], power;
        const double *u = b->v[s];
        b->ops->apply_transpose(b, (sp_which)s, 1, &a, f, g6);
        b->ops->points(b, (sp_which)s, 1, &a, x, v);
        power = sp__dot3(g6, u) + sp__dot3(g6 + 3, u + 3);
        CHECK_NEAR(power, sp__dot3(f, v), 1e-12);
    }
    finish();
}
