// Claim: penalty contact acts between all bodies. Its contacts are then springs along their normals, F = k d + c d', with exact
// Coulomb friction, in one problem with all others (docs/penalty-contact.md).
//
// - two soft cubes stand on each other: each contact overlaps by F / k, the forces carry the weights
// - two that collide keep their momentum, and no energy appears
// - a rigid ball bounces from a plane as a damped oscillator whose force cannot pull (Schwager and Poeschel 2007, eq. 20)
// - where a third body pushes two stacked blocks over a floor, the friction of the floor is mu times what it carries, and the
// push
//   is as much: all contacts are solved together
// - with `auto` the overlap at rest is a thirtieth of the displacement that the force would cause in a step, or less
#include "contact_lab.h"

static const double down[3] = {0, 0, -9.81}, nowhere[3] = {0};

static sp_contact_def springs(double friction, double stiffness, double damping) {
    sp_contact_def def = contact_exact(friction, 0);
    def.formulation = SP_CONTACT_PENALTY, def.stiffness = stiffness, def.damping = damping;
    return def;
}

static sp_body_id soft_cube(contact_lab *b, double young, double z, double velocity) {
    sp_solid_def def = contact_soft(1000, young, 0.3);
    const sp_pose at = contact_at(0.003, 0, z);
    double v[3 * 64];
    for (int i = 0; i < 3 * 64; i++) v[i] = i % 3 == 2 ? velocity : 0;
    def.initial_velocity = v;
    return contact_block(b, def, (double[3]){0.1, 0.1, 0.1}, (int[3]){3, 3, 3}, &at);
}

// deepest contact, and largest difference between the overlap and F / k
static double springs_difference(contact_lab *b, double stiffness, double *deepest) {
    double worst = 0;
    *deepest = 0;
    for (int i = 0; i < sp_world_contact_count(b->world); i++) {
        sp_contact_point p;
        CHECK_INT(sp_world_contact_at(b->world, i, &p), SP_OK);
        worst = fmax(worst, fabs(fmax(-p.gap, 0) - sp__dot3(p.force, p.normal) / stiffness));
        *deepest = fmax(*deepest, -p.gap);
    }
    return worst;
}

// After 1.5 s the motion has decayed to 1e-9 of what it was; the forces are those of rest to as much.
TEST(stacked_cubes_overlap_by_force_over_stiffness) {
    const double k = 5e3, weight = 9.81;
    contact_lab b;
    sp_contact_def contact = springs(0.4, k, 0);
    double force[3], torque[3], deepest;
    if (!contact_open(&b, down, &contact)) return;
    sp_body_id floor = contact_plane(&b, nowhere, (double[3]){0, 0, 1});
    sp_body_id low = soft_cube(&b, 1e5, 0.051, 0), high = soft_cube(&b, 1e5, 0.152, 0);
    CHECK(contact_steps(&b, 0.01, 150));
    CHECK_INT(b.worst, SP_OK);
    const double worst = springs_difference(&b, k, &deepest);
    printf("  %d contacts, deepest %.3g m, |overlap - F / k| <= %.2g m\n", sp_world_contact_count(b.world), deepest, worst);
    CHECK(deepest > 0.5 * weight / 16 / k);  // 16 nodes on each side of a face
    CHECK(worst < 1e-6 * deepest);
    contact_load(&b, high, nowhere, force, torque);
    CHECK_NEAR(force[2], weight, 1e-6 * weight);
    contact_load(&b, low, nowhere, force, torque);
    CHECK_NEAR(force[2], weight, 1e-6 * weight);  // two weights from below, one from above
    contact_load(&b, floor, nowhere, force, torque);
    CHECK_NEAR(force[2], -2 * weight, 2e-6 * weight);
    contact_close(&b);
}

// Momentum is kept to the rounding of the solves; implicit Euler and springs only remove energy.
TEST(a_collision_keeps_momentum) {
    contact_lab b;
    sp_contact_def contact = springs(0.3, 0, 0);
    if (!contact_open(&b, nowhere, &contact)) return;
    sp_body_id id[2] = {soft_cube(&b, 1e5, 0, 1), soft_cube(&b, 1e5, 0.11, -0.5)};
    double before = 0, least = INFINITY, rise = 0, apart = 0;
    for (int k = 0; k < 40 && contact_steps(&b, 0.005, 1); k++) {
        double momentum = 0, energy = 0;
        for (int i = 0; i < 2; i++) {
            sp_body_measures m = contact_measures(&b, id[i]);
            momentum += m.momentum[2], energy += m.kinetic + m.elastic;
        }
        if (k == 0) before = momentum;
        apart = fmax(apart, fabs(momentum - before));
        rise = fmax(rise, energy - least), least = fmin(least, energy);
    }
    sp_body_measures m[2] = {contact_measures(&b, id[0]), contact_measures(&b, id[1])};
    printf("  momentum changes by %.2g, energy rises by %.2g J of %.2g J, velocities %.3f, %.3f\n", apart, rise, least,
           m[0].momentum[2] / m[0].mass, m[1].momentum[2] / m[1].mass);
    CHECK(apart < 1e-9 * 0.5);
    CHECK(rise < 1e-9);
    CHECK(m[0].momentum[2] < m[1].momentum[2]);  // they fly apart
    CHECK_INT(b.worst, SP_OK);
    contact_close(&b);
}

// Restitution of a damped spring without tension: exp(-2 z / sqrt(1 - z^2) atan(sqrt(1 - z^2) / z)), z = c / (2 sqrt(k m)).
// Implicit Euler with w h = 0.01 adds a damping of z = w h / 2 = 0.005, which changes it by 1.6 %.
TEST(a_ball_bounces_as_a_damped_oscillator) {
    const double radius = 0.05, mass = 4.0 / 3 * SP_PI * radius * radius * radius * 1000, k = 1e4, z = 0.2;
    const double h = 0.01 / sqrt(k / mass), c = 2 * z * sqrt(k * mass);
    contact_lab b;
    sp_contact_def contact = springs(0, k, c);
    if (!contact_open(&b, nowhere, &contact)) return;
    contact_plane(&b, nowhere, (double[3]){0, 0, 1});
    sp_rigid_def def = sp_rigid_def_default();
    sp_rigid_shape ball = contact_ball(radius);
    def.shapes = &ball, def.shape_count = 1, def.free = true, def.velocity[2] = -1;
    def.pose.constant = contact_at(0, 0, radius);
    sp_body_id id = contact_rigid(&b, &def);
    CHECK(contact_steps(&b, h, 500));
    const double seen = contact_measures(&b, id).momentum[2] / mass;
    const double expected = exp(-2 * z / sqrt(1 - z * z) * atan2(sqrt(1 - z * z), z));
    printf("  restitution %.4f, expected %.4f\n", seen, expected);
    CHECK_NEAR(seen, expected, 0.02 * expected);
    contact_close(&b);
}

static void push(const void *user, double t, sp_pose *out) {
    (void)user;
    *out = contact_at(-0.105 + 0.1 * t, 0, 0.03);
}

// Pushed at 0.1 m/s from the foot; the upper block rides along, and friction at the plate carries a part of the weight. Means of
// the last 0.3 s, in which the blocks still shake by 1 % of their weight.
TEST(a_pushed_pair_resists_with_friction) {
    enum { STEPS = 80, LAST = 30 };
    const double mu = 0.4, weight = 2 * 9.81;
    contact_lab b;
    sp_contact_def contact = springs(mu, 0, 0);
    double torque[3], on_plate[3] = {0}, on_floor[3] = {0};
    contact.solver.tolerance = 1e-7;
    if (!contact_open(&b, down, &contact)) return;
    sp_body_id floor = contact_plane(&b, nowhere, (double[3]){0, 0, 1});
    soft_cube(&b, 1e6, 0.05, 0), soft_cube(&b, 1e6, 0.15, 0);
    sp_rigid_shape box = contact_box(0.1, 0.2, 0.04);
    sp_rigid_def def = sp_rigid_def_default();
    def.shapes = &box, def.shape_count = 1, def.kinematic = true, def.pose.eval = push;
    sp_body_id plate = contact_rigid(&b, &def);
    for (int i = 0; i < STEPS && contact_steps(&b, 0.01, 1); i++) {
        double force[3];
        if (i < STEPS - LAST) continue;
        contact_load(&b, plate, nowhere, force, torque);
        sp__axpy3(on_plate, 1.0 / LAST, force, on_plate);
        contact_load(&b, floor, nowhere, force, torque);
        sp__axpy3(on_floor, 1.0 / LAST, force, on_floor);
    }
    printf("  on the plate %.3f %.3f N, on the floor %.3f %.3f N\n", on_plate[0], on_plate[2], on_floor[0], on_floor[2]);
    CHECK_NEAR(on_floor[0], -mu * on_floor[2], 0.01 * mu * weight);
    CHECK_NEAR(on_plate[0] + on_floor[0], 0, 0.02 * mu * weight);
    CHECK_NEAR(on_plate[2] + on_floor[2], -weight, 0.02 * weight);
    CHECK_INT(b.worst, SP_OK);
    contact_close(&b);
}

// All kinds of pairs with the stiffness of `auto`: two soft cubes, a rigid box on top. The displacement that the force causes at
// a node in a step is at most F h^2 / m with the mass m of the lightest node, an eighth of that of an inner one.
TEST(automatic_stiffness_leaves_a_small_overlap) {
    const double h = 0.01, node = 1.0 / 27 / 8;
    contact_lab b;
    sp_contact_def contact = springs(0.4, 0, 0);
    contact.solver.tolerance = 1e-7;  // a rigid box on many nodes: to 1e-12 it takes long
    if (!contact_open(&b, down, &contact)) return;
    contact_plane(&b, nowhere, (double[3]){0, 0, 1});
    soft_cube(&b, 1e5, 0.05, 0), soft_cube(&b, 1e5, 0.15, 0);
    sp_rigid_shape box = contact_box(0.08, 0.08, 0.08);
    const sp_pose at = contact_at(0, 0, 0.241);
    sp_body_id top = contact_free(&b, &box, &at, 1000);
    CHECK(contact_steps(&b, h, 150));
    double worst = 0, deepest = 0, force[3], torque[3];
    for (int i = 0; i < sp_world_contact_count(b.world); i++) {
        sp_contact_point p;
        CHECK_INT(sp_world_contact_at(b.world, i, &p), SP_OK);
        worst = fmax(worst, -p.gap - sp__dot3(p.force, p.normal) * h * h / node / 30), deepest = fmax(deepest, -p.gap);
    }
    contact_load(&b, top, nowhere, force, torque);
    printf("  deepest %.2g m\n", deepest);
    CHECK(deepest > 0 && worst < 1e-9);
    CHECK_NEAR(force[2], 0.512 * 9.81, 1e-4 * 9.81);
    CHECK_INT(b.worst, SP_OK);
    contact_close(&b);
}
