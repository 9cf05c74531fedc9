// Shared by the verifications of contact by constraints: a world with contact, bodies in it, the loads that contacts exert.
#ifndef SP_VERIFY_CONTACT_LAB_H
#define SP_VERIFY_CONTACT_LAB_H

#include "math/vec3.h"
#include "test.h"
#include "world/world_internal.h"

typedef struct contact_lab {
    sp_context *ctx;
    sp_world *world;
    sp_status worst;     // of the steps
    double penetration;  // deepest overlap at the start of a step [m]
} contact_lab;

// Solved to rounding, so that tolerances are those of the physics.
static inline sp_contact_def contact_exact(double friction, double gap) {
    sp_contact_def def = sp_contact_def_default();
    def.formulation = SP_CONTACT_PROXIMITY, def.friction = friction, def.gap = gap;
    def.solver.tolerance = 1e-12, def.solver.sweeps = 1000;
    return def;
}

// The same with volumes. cell: edge of a constraint in pixels; 0: one for each pair. A rigid body has many more cells than
// degrees of freedom: to rounding this takes long.
static inline sp_contact_def contact_volume(double friction, double pixel, int cell) {
    sp_contact_def def = contact_exact(friction, 0);
    if (cell > 0) def.solver.tolerance = 1e-8;
    def.formulation = SP_CONTACT_VOLUME, def.pixel = pixel, def.cell = cell;
    return def;
}

static inline bool contact_open(contact_lab *b, const double gravity[3], const sp_contact_def *contact) {
    sp_world_def def = sp_world_def_default();
    for (int a = 0; a < 3; a++) def.gravity[a] = sp_signal_constant(gravity[a]);
    def.snapshots = false;
    *b = (contact_lab){0};
    bool open = sp_context_create(NULL, &b->ctx) == SP_OK && sp_world_create(b->ctx, &def, &b->world) == SP_OK &&
                sp_world_set_contact(b->world, contact) == SP_OK;
    if (!open) SP_TEST_FAILED("no world");
    return open;
}

static inline void contact_close(contact_lab *b) {
    sp_world_destroy(&b->world);
    sp_context_destroy(&b->ctx);
}

// A failed step ends the run. Reservations are kept in `worst`.
static inline bool contact_steps(contact_lab *b, double h, int count) {
    for (int i = 0; i < count && b->worst >= 0; i++) {
        sp_status status = sp_world_step(b->world, h);
        if (status < 0 || status > b->worst) b->worst = status;
        if (status < 0)
            SP_TEST_FAILED("step %llu: %s: %s", (unsigned long long)sp_world_steps(b->world), sp_status_name(status),
                           sp_world_error(b->world)->message);
        for (int k = 0; k < sp_world_contact_count(b->world); k++) {
            sp_contact_point p;
            if (sp_world_contact_at(b->world, k, &p) == SP_OK) b->penetration = fmax(b->penetration, -p.gap);
        }
    }
    return b->worst >= 0;
}

static inline sp_body_id contact_rigid(contact_lab *b, const sp_rigid_def *def) {
    sp_body_id id = {0};
    if (sp_world_add_rigid(b->world, def, &id) < 0) SP_TEST_FAILED("%s", sp_world_error(b->world)->message);
    return id;
}

static inline sp_body_id contact_plane(contact_lab *b, const double point[3], const double normal[3]) {
    sp_rigid_shape shape = {.type = SP_PLANE, .pose = sp_pose_identity()};
    sp_rigid_def def = sp_rigid_def_default();
    memcpy(shape.size, normal, sizeof shape.size), memcpy(shape.pose.translate, point, sizeof shape.pose.translate);
    def.shapes = &shape, def.shape_count = 1;
    return contact_rigid(b, &def);
}

// A box about the origin of its frame.
static inline sp_rigid_shape contact_box(double x, double y, double z) {
    return (sp_rigid_shape){.type = SP_BOX, .size = {x, y, z}, .pose = {{-x / 2, -y / 2, -z / 2}, {1, 0, 0, 0}}};
}

static inline sp_rigid_shape contact_ball(double radius) {
    return (sp_rigid_shape){.type = SP_SPHERE, .size = {radius}, .pose = sp_pose_identity()};
}

// A free body of one shape with its frame at `pose`.
static inline sp_body_id contact_free(contact_lab *b, const sp_rigid_shape *shape, const sp_pose *pose, double density) {
    sp_rigid_def def = sp_rigid_def_default();
    def.shapes = shape, def.shape_count = 1, def.free = true, def.density = density, def.pose.constant = *pose;
    return contact_rigid(b, &def);
}

static inline sp_pose contact_at(double x, double y, double z) {
    return (sp_pose){{x, y, z}, {1, 0, 0, 0}};
}

// Corotational, with the exact inverse of each step.
static inline sp_solid_def contact_soft(double density, double young, double poisson) {
    sp_solid_def def = sp_solid_def_default();
    def.material = (sp_material){.density = density, .young = young, .poisson = poisson};
    def.rotation = SP_ROTATION_POLAR, def.solver.type = SP_SOLVER_CHOLESKY, def.compliance = SP_COMPLIANCE_EXACT;
    return def;
}

// A box of tetrahedra about the origin of its frame, which is at `pose`. The definition has everything but the mesh.
static inline sp_body_id contact_block(contact_lab *b, sp_solid_def def, const double size[3], const int cells[3],
                                       const sp_pose *pose) {
    sp_mesh *box = NULL, *middle = NULL, *placed = NULL;
    sp_pose centre = contact_at(-size[0] / 2, -size[1] / 2, -size[2] / 2);
    sp_body_id id = {0};
    if (sp_mesh_box(b->ctx, size, cells, 5, &box) < 0 || sp_mesh_transformed(box, NULL, &centre, &middle) < 0 ||
        sp_mesh_transformed(middle, NULL, pose, &placed) < 0)
        SP_TEST_FAILED("%s", sp_context_error(b->ctx)->message);
    def.mesh = placed;
    if (placed && sp_world_add_solid(b->world, &def, &id) < 0) SP_TEST_FAILED("%s", sp_world_error(b->world)->message);
    sp_mesh_destroy(&box), sp_mesh_destroy(&middle), sp_mesh_destroy(&placed);
    return id;
}

// Where the material point is that was at `at` in the first state of a rigid body, in the rest shape of a solid.
static inline void contact_point(contact_lab *b, sp_body_id id, const double at[3], double x[3]) {
    sp_anchor anchor;
    memset(x, 0, 3 * sizeof *x);
    CHECK_INT(sp_world_anchor_point(b->world, id, at, &anchor), SP_OK);
    CHECK_INT(sp_world_anchor_get(b->world, &anchor, x, NULL), SP_OK);
}

static inline sp_body_measures contact_measures(contact_lab *b, sp_body_id id) {
    sp_body_measures m = {0};
    CHECK_INT(sp_world_body_measure(b->world, id, &m), SP_OK);
    return m;
}

// Force, and torque about `about`, that contacts exert on a body.
static inline void contact_load(contact_lab *b, sp_body_id id, const double about[3], double force[3], double torque[3]) {
    memset(force, 0, 3 * sizeof *force), memset(torque, 0, 3 * sizeof *torque);
    for (int i = 0; i < sp_world_contact_count(b->world); i++) {
        sp_contact_point p;
        double arm[3], moment[3];
        CHECK_INT(sp_world_contact_at(b->world, i, &p), SP_OK);
        sp__sub3(p.point, about, arm);
        sp__cross3(arm, p.force, moment);
        for (int side = 0; side < 2; side++)
            if (p.bodies[side].slot == id.slot)
                for (int a = 0; a < 3; a++)
                    force[a] += side ? -p.force[a] : p.force[a], torque[a] += side ? -moment[a] : moment[a];
    }
}

#endif
