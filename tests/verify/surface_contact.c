// Claim: a body in contact through a surface finer than its mesh is supported as through its own nodes. At rest the forces on the
// vertices, applied through the transpose of the map, sum to the weight (linear momentum: the weights of a vertex add up to 1)
// and have no moment about the centre of mass; friction holds a block on a slope below the friction angle and lets it slide above
// it. Contact is by penalty: vertices penetrate by weight / stiffness, and a surface with ten times the vertices penetrates as
// deep as the nodes do and at most three times deeper, because vertices share the stiffness of the nodes that they depend on
// (conservatively: see map/carry.c).
#include "math/vec3.h"
#include "test.h"
#include "world/world_internal.h"

static const double G = 9.81;

typedef struct block {
    sp_context *ctx;
    sp_world *w;
    sp_body_id id;
    sp_mesh *mesh;
    int surface;
} block;

static void floor_under(sp_world *w, double slope) {
    sp_rigid_def def = sp_rigid_def_default();
    sp_rigid_shape plane = {.type = SP_PLANE, .size = {-sin(slope), cos(slope), 0}, .pose = sp_pose_identity()};
    def.shapes = &plane, def.shape_count = 1;
    sp_world_add_rigid(w, &def, NULL);
}

// A block 0.4 x 0.2 x 0.4 just above the floor, its surface refined `subdivide` times; below 0: contact by its nodes. With
// `bulge` the surface is an ellipsoid that extends beyond the block instead.
static void start(block *b, int subdivide, bool bulge, sp_integrator_type type, double slope, double friction) {
    sp_world_def world = sp_world_def_default();
    sp_solid_def def = sp_solid_def_default();
    sp_contact_def contact = sp_contact_def_default();
    sp_pose up = sp_pose_identity();
    sp_mesh *box;
    sp_context_create(NULL, &b->ctx);
    world.gravity[1] = sp_signal_constant(-G);
    sp_world_create(b->ctx, &world, &b->w);
    sp_mesh_box(b->ctx, (double[3]){0.4, 0.2, 0.4}, (int[3]){4, 2, 4}, 6, &box);
    sp__quat_axis((double[3]){0, 0, 1}, slope, up.quat);
    up.translate[1] = bulge ? 0.2 : 0;
    sp_mesh_transformed(box, NULL, &up, &b->mesh);
    sp_mesh_destroy(&box);
    def.mesh = b->mesh;
    def.material.young = 1e5;
    def.rayleigh_mass = 5;
    def.rayleigh_stiffness = type == SP_EXPLICIT ? 0 : 0.01;
    def.integrator.type = type;
    def.solver.tolerance = 1e-12;
    CHECK(sp_world_add_solid(b->w, &def, &b->id) == SP_OK);
    floor_under(b->w, slope);
    contact.friction = friction;
    sp_world_set_contact(b->w, &contact);
    if (subdivide < 0 && !bulge) return;
    sp_surface_def surface = sp_surface_def_default();
    sp_trimesh *skin = NULL, *placed = NULL;
    surface.subdivide = bulge ? 0 : subdivide;
    if (bulge) {
        sp_mesh *ball;
        sp_pose middle = {{0.2, 0.3, 0.2}, {1, 0, 0, 0}};
        sp_mesh_sphere(b->ctx, (double[3]){0.3, 0.15, 0.3}, 6, &ball);
        sp_mesh_boundary(ball, &skin);
        sp_mesh_destroy(&ball);
        sp_trimesh_transformed(skin, NULL, &middle, &placed);
        surface.mesh = placed;
    }
    CHECK(sp_world_add_surface(b->w, b->id, &surface, &b->surface) == SP_OK);
    sp_trimesh_destroy(&skin), sp_trimesh_destroy(&placed);
}

static void finish(block *b) {
    sp_world_destroy(&b->w);
    sp_mesh_destroy(&b->mesh);
    sp_context_destroy(&b->ctx);
}

static void run(block *b, int steps, double h) {
    for (int i = 0; i < steps; i++) REQUIRE(sp_world_step(b->w, h) >= 0);
}

// force of the contacts and its moment about the world's origin; returns the number of contacts
static int contact_force(const block *b, double force[3], double moment[3]) {
    sp_body *body = sp__world_body(b->w, b->id);
    for (int k = 0; k < 3; k++) force[k] = moment[k] = 0;
    for (int t = 0; t < body->loads.term_count; t++) {
        const sp_point_term *term = &body->loads.terms[t];
        double x[3], arm[3];
        body->ops->points(body, SP_COMMITTED, 1, &term->at, x, NULL);
        sp__cross3(x, term->f, arm);
        sp__axpy3(force, 1, term->f, force), sp__axpy3(moment, 1, arm, moment);
    }
    return body->loads.term_count;
}

static double lowest(const block *b) {
    int n = sp_mesh_node_count(b->mesh);
    double *x = malloc(3 * (size_t)n * sizeof *x), least = INFINITY;
    sp_world_field(b->w, b->id, "position", x);
    for (int i = 0; i < n; i++) least = fmin(least, x[3 * i + 1]);
    free(x);
    return least;
}

TEST(contact_forces_of_a_resting_block_sum_to_its_weight) {
    double nodes = 0;
    for (int subdivide = -1; subdivide <= 2; subdivide++) {
        block b;
        double force[3], moment[3];
        sp_body_measures info;
        start(&b, subdivide, false, SP_IMPLICIT_EULER, 0, 0);
        run(&b, 400, 0.01);
        sp_world_body_measure(b.w, b.id, &info);
        int touching = contact_force(&b, force, moment);
        CHECK(touching >= (subdivide < 0 ? 25 : (4 << subdivide) * (4 << subdivide)));
        // four seconds with a damping of 5/s leave e^-20 of the fall's momentum
        CHECK_NEAR(force[1], info.mass * G, 1e-7 * info.mass * G);
        CHECK_NEAR(force[0], 0, 1e-9 * info.mass * G);
        // the centre of mass stays at x = z = 0.2: moment = x_c x (m g up)
        CHECK_NEAR(moment[2], 0.2 * info.mass * G, 1e-6 * info.mass * G);
        CHECK_NEAR(moment[0], -0.2 * info.mass * G, 1e-6 * info.mass * G);
        double depth = -lowest(&b);
        if (subdivide < 0) nodes = depth;
        CHECK(depth > 0.99 * nodes && depth < 3 * nodes);
        finish(&b);
    }
}

// vertices outside of every element carry load too, with negative weights: an ellipsoid that extends 0.05 below the block
TEST(vertices_outside_the_mesh_carry_load) {
    block b;
    double force[3], moment[3];
    sp_body_measures info;
    sp_surface_info surface;
    start(&b, -1, true, SP_IMPLICIT_EULER, 0, 0);
    sp_world_surface_info(b.w, b.id, b.surface, &surface);
    CHECK(surface.outside > 10 && surface.farthest > 0.04);
    run(&b, 600, 0.01);
    sp_world_body_measure(b.w, b.id, &info);
    CHECK(contact_force(&b, force, moment) >= 1);
    CHECK_NEAR(force[1], info.mass * G, 1e-5 * info.mass * G);
    CHECK(lowest(&b) > 0.01);  // the block itself does not touch the floor; it bends over the bulge
    finish(&b);
}

// symplectic Euler is stable up to a stiffness of about m/h2 at a point: many points must not add up to more
TEST(explicit_steps_stay_stable) {
    for (int bulge = 0; bulge <= 1; bulge++) {
        block b;
        sp_body_measures info;
        start(&b, 2, bulge, SP_EXPLICIT, 0, 0);
        run(&b, 4000, 2.5e-4);
        sp_world_body_measure(b.w, b.id, &info);
        // One second with a damping of 5/s: the flat block is at rest; on the bulge it still rocks with less energy than it fell
        // with (0.05 m: 15 J). With the full stiffness of a node at every vertex the flat one keeps jumping with 0.6 J.
        CHECK(info.kinetic < (bulge ? 1 : 1e-2) && info.displacement_max < 0.25);
        finish(&b);
    }
}

// tan 15 degrees = 0.268: a friction of 0.4 holds, 0.1 does not; sliding for t gives (g sin a - mu g cos a) t^2 / 2 without
// damping, reduced by the mass damping of 5/s
TEST(friction_acts_at_the_vertices) {
    const double slope = 15 * 3.14159265358979323846 / 180;
    for (int slides = 0; slides <= 1; slides++) {
        block b;
        sp_body_measures info;
        start(&b, 1, false, SP_IMPLICIT_EULER, slope, slides ? 0.1 : 0.4);
        run(&b, 100, 0.01);
        sp_world_body_measure(b.w, b.id, &info);
        CHECK(slides ? info.displacement_max > 0.05 : info.displacement_max < 0.01);
        finish(&b);
    }
}
