// Claim: contacts inside Newton's method, statics, and what a step does with overlap.
//
// - newton: the motion solves M (v - v0) = h f(q, v) + J^T lambda. Where implicit Euler with one linearisation and Newton have
// the
//   same limit, they differ by O(h2) in a step; at rest both are the equilibrium that statics finds
// - static: a body that only contacts hold is in equilibrium: the floor carries its weight. A column under its own weight is
//   compressed by rho g H2 / 2 E where nothing hinders its lateral strain (poisson 0)
// - a body that nothing holds is refused, and the world stays as it was
// - two soft balls that hit each other at two edges per step do not pass through each other, and gain no energy
// - an overlap at the start: `velocity` keeps it, `position` removes it in one step and leaves its velocity, `post` removes it
// and
//   leaves none, `auto` removes a fifth of it per step
#include "contact_lab.h"

static const double g = 9.81, H = 0.2, E = 3e4, rho = 1000;

static sp_body_id add_column(contact_lab *b, sp_integrator_type type, double poisson, double bottom) {
    sp_solid_def def = contact_soft(rho, E, poisson);
    sp_pose at = contact_at(0, 0, bottom + H / 2);
    def.integrator.type = type;
    return contact_block(b, def, (double[3]){H / 2, H / 2, H}, (int[3]){3, 3, 6}, &at);
}

static double top_of(contact_lab *b, sp_body_id id, double bottom) {
    double x[3];
    contact_point(b, id, (double[3]){0, 0, bottom + H}, x);
    return x[2];
}

static void open_floor(contact_lab *b, double friction, sp_body_id *floor) {
    sp_contact_def contact = contact_exact(friction, 0);
    contact.solver.tolerance = 1e-10;
    REQUIRE(contact_open(b, (double[3]){0, 0, -g}, &contact));
    *floor = contact_plane(b, (double[3]){0}, (double[3]){0, 0, 1});
}

TEST(static_column_on_a_floor) {
    contact_lab b;
    sp_body_id floor;
    double force[3], torque[3], weight = rho * g * H * H * H / 4;
    open_floor(&b, 0, &floor);
    sp_body_id id = add_column(&b, SP_STATIC, 0, 0);
    CHECK(contact_steps(&b, 0.01, 2));
    contact_load(&b, floor, (double[3]){0}, force, torque);
    double shorter = H - top_of(&b, id, 0), expected = rho * g * H * H / (2 * E);
    printf("  shorter by %.6g m, linear theory %.6g m; floor carries %.12g of the weight\n", shorter, expected,
           -force[2] / weight);
    CHECK_INT(b.worst, SP_OK);
    CHECK(contact_measures(&b, id).kinetic == 0);
    // the residual of Newton's method is 1e-8 of the forces
    CHECK_NEAR(-force[2] / weight, 1, 1e-7);
    CHECK_NEAR(torque[0], 0, 1e-7 * weight * H);
    // strains of 7 %: corotational elements are linear in the stretch, so that only lumping to nodes remains
    CHECK_NEAR(shorter, expected, 0.02 * expected);
    contact_close(&b);
}

// The dynamic column swings about the static one; with a damping of about a tenth of a period it rests there.
TEST(newton_ends_where_statics_are) {
    double top[2];
    for (int k = 0; k < 2; k++) {
        contact_lab b;
        sp_body_id floor;
        open_floor(&b, 0.5, &floor);
        sp_solid_def def = contact_soft(rho, E, 0.3);
        sp_pose at = contact_at(0, 0, H / 2);
        def.integrator.type = k ? SP_NEWTON : SP_STATIC, def.rayleigh_stiffness = 0.05;
        sp_body_id id = contact_block(&b, def, (double[3]){H / 2, H / 2, H}, (int[3]){3, 3, 6}, &at);
        CHECK(contact_steps(&b, 0.02, k ? 150 : 3));
        top[k] = top_of(&b, id, 0);
        CHECK_INT(b.worst, SP_OK);
        contact_close(&b);
    }
    printf("  top at %.9g m (static), %.9g m (newton)\n", top[0], top[1]);
    // Coulomb friction remembers the way: the base sticks where it first touched, in other places than in statics
    CHECK_NEAR(top[1], top[0], 2e-3 * H);
}

// As a user writes it: a block on the floor with the tolerances that nobody has set. The first step does all of the way.
TEST(statics_converge_with_default_tolerances) {
    contact_lab b;
    sp_contact_def contact = sp_contact_def_default();
    contact.formulation = SP_CONTACT_PROXIMITY, contact.friction = 0.4;
    REQUIRE(contact_open(&b, (double[3]){0, 0, -g}, &contact));
    sp_body_id floor = contact_plane(&b, (double[3]){0}, (double[3]){0, 0, 1});
    sp_solid_def def = sp_solid_def_default();
    sp_pose at = contact_at(0, 0, 0.05);
    double force[3], torque[3];
    def.material = (sp_material){.density = 1000, .young = 3e4, .poisson = 0.4}, def.integrator.type = SP_STATIC;
    sp_body_id id = contact_block(&b, def, (double[3]){0.1, 0.1, 0.1}, (int[3]){4, 4, 4}, &at);
    CHECK(contact_steps(&b, 0.01, 3));
    CHECK_INT(b.worst, SP_OK);
    contact_load(&b, floor, at.translate, force, torque);
    // forces balance to the tolerance of the contacts, 1e-6
    CHECK_NEAR(-force[2], contact_measures(&b, id).mass * g, 1e-5 * contact_measures(&b, id).mass * g);
    contact_close(&b);
}

TEST(statics_need_something_that_holds) {
    contact_lab b;
    sp_contact_def contact = contact_exact(0.5, 0);
    REQUIRE(contact_open(&b, (double[3]){0, 0, -g}, &contact));
    add_column(&b, SP_STATIC, 0.3, 1);
    uint64_t hash = sp_world_hash(b.world);
    CHECK_INT(sp_world_step(b.world, 0.01), SP_SINGULAR);
    CHECK(strstr(sp_world_error(b.world)->message, "neither fixed nodes nor springs hold it"));
    CHECK(sp_world_hash(b.world) == hash);
    contact_close(&b);
}

// A column falls by 1 cm and swings. The strains are below 10 %, so that one linearisation of a step has an error of a few
// thousandths of the deformation.
TEST(newton_agrees_with_one_linearisation) {
    double top[2];
    for (int newton = 0; newton < 2; newton++) {
        contact_lab b;
        sp_body_id floor;
        open_floor(&b, 0.5, &floor);
        sp_body_id id = add_column(&b, newton ? SP_NEWTON : SP_IMPLICIT_EULER, 0.3, 0.01);
        CHECK(contact_steps(&b, 0.008, 20));
        top[newton] = top_of(&b, id, 0.01);
        contact_close(&b);
    }
    printf("  apart by %.3g m\n", fabs(top[1] - top[0]));
    CHECK(top[0] != top[1]);
    CHECK_NEAR(top[1], top[0], 5e-3 * 0.1 * H);
}

static sp_body_id add_ball(contact_lab *b, double x, double y, double speed) {
    sp_solid_def def = contact_soft(rho, 2e4, 0.4);
    sp_mesh *ball = NULL, *placed = NULL;
    sp_pose at = contact_at(x, y, 0);
    sp_body_id id = {0};
    double velocity[3 * 343] = {0};  // seven nodes along each axis
    if (sp_mesh_sphere(b->ctx, (double[3]){0.05, 0.05, 0.05}, 3, &ball) < 0 || sp_mesh_transformed(ball, NULL, &at, &placed) < 0)
        SP_TEST_FAILED("%s", sp_context_error(b->ctx)->message);
    for (int i = 0; i < 343; i++) velocity[3 * i] = speed;
    def.mesh = placed, def.initial_velocity = velocity;
    if (placed && sp_world_add_solid(b->world, &def, &id) < 0) SP_TEST_FAILED("%s", sp_world_error(b->world)->message);
    sp_mesh_destroy(&ball), sp_mesh_destroy(&placed);
    return id;
}

// Edges of 1.5 cm, 3 cm per step between the balls. They keep apart within a tenth of an edge, bounce, and lose energy.
TEST(soft_balls_at_two_edges_per_step) {
    double deepest[2];
    for (int passes = 0; passes <= 3; passes += 3) {
        contact_lab b;
        sp_contact_def contact = contact_exact(0.3, 0);
        contact.solver.tolerance = 1e-6, contact.passes = passes;
        REQUIRE(contact_open(&b, (double[3]){0}, &contact));
        sp_body_id id[2] = {add_ball(&b, -0.075, 0, 1.5), add_ball(&b, 0.075, 0.02, -1.5)};
        double before = 0, after = 0, momentum[3] = {0};
        for (int i = 0; i < 2; i++) before += contact_measures(&b, id[i]).kinetic;
        CHECK(contact_steps(&b, 0.01, 25));
        for (int i = 0; i < 2; i++) {
            sp_body_measures m = contact_measures(&b, id[i]);
            after += m.kinetic + m.elastic;
            sp__axpy3(momentum, 1, m.momentum, momentum);
            CHECK((i ? m.momentum[0] : -m.momentum[0]) > 0);  // back where it came from
        }
        deepest[passes > 0] = b.penetration;
        printf("  passes %d: deepest %.3g m, energy %.4f to %.4f J\n", passes, b.penetration, before, after);
        // impulses are equal and opposite to rounding; momentum of a ball: 0.8 kg m/s
        for (int a = 0; a < 3; a++) CHECK_NEAR(momentum[a], 0, 1e-12);
        if (passes) CHECK(after <= before);
        contact_close(&b);
    }
    CHECK(deepest[1] < 0.0015);
    CHECK(deepest[1] < deepest[0]);
}

// A rigid box starts 4 mm deep in the floor, without gravity.
TEST(overlap_at_the_start_of_a_step) {
    const double depth = 0.004, h = 0.01;
    const struct {
        sp_stabilisation how;
        double height, speed;  // of the centre above the start, and upward velocity, after one step
    } cases[] = {{SP_STABILISATION_VELOCITY, 0, 0},
                 {SP_STABILISATION_POSITION, 0.004, 0.4},
                 {SP_STABILISATION_POST, 0.004, 0},
                 {SP_STABILISATION_AUTO, 0.2 * 0.004, 0.2 * 0.4}};
    for (int k = 0; k < 4; k++) {
        contact_lab b;
        sp_contact_def contact = contact_exact(0, 0);
        sp_rigid_shape box = contact_box(0.1, 0.1, 0.1);
        sp_pose at = contact_at(0, 0, 0.05 - depth);
        double x[3];
        contact.stabilisation = cases[k].how;
        REQUIRE(contact_open(&b, (double[3]){0}, &contact));
        contact_plane(&b, (double[3]){0}, (double[3]){0, 0, 1});
        sp_body_id id = contact_free(&b, &box, &at, rho);
        CHECK(contact_steps(&b, h, 1));
        contact_point(&b, id, at.translate, x);
        sp_body_measures m = contact_measures(&b, id);
        printf("  stabilisation %d: moved %.6g m, %.6g m/s\n", k, x[2] - at.translate[2], m.momentum[2] / m.mass);
        // the positions-only solve has a tolerance of 1e-3 of the overlap
        CHECK_NEAR(x[2] - at.translate[2], cases[k].height, 2e-3 * depth);
        CHECK_NEAR(m.momentum[2] / m.mass, cases[k].speed, 1e-9);
        contact_close(&b);
    }
}
