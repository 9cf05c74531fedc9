// Claim: contacts that are measured by the volume of the overlap carry weights, keep momentum, and leave the overlap that their
// slack states: half a pixel of mean depth V / A, with a tolerance of 0.05 pixels.
//
// - a floor carries a soft cube and a ball, with one constraint and with cells
// - the ball rests where its cap has the mean depth of the slack: V / A = c (3 R - c) / (3 (2 R - c)), c the depth of its pole
// - a static block that would tilt finds its equilibrium on cells; with one volume the failed step names them
// - colliding soft balls keep their momentum
// - after each step of an impact the overlap, measured again from the surfaces, is within the slack
// - a block that rests on a floor slides into a wall of the same body: what overlaps there is new, and no step leaves more than
//   the slack and its tolerance
// - without slack a contact at rest comes and goes; with it, it stays
// - bodies that move together do not slide
// - an overlap at the start is removed as `stabilisation` says, without more energy than that
#include "body/surface.h"
#include "collide/volume.h"
#include "contact/constraints_internal.h"
#include "contact_lab.h"

static const double g = 9.81, rho = 1000;

static sp_body_id volume_floor(contact_lab *b) {
    return contact_plane(b, (double[3]){0}, (double[3]){0, 0, 1});
}

// A ball of tetrahedra with the radius 5 cm, three layers of cells, and a velocity.
static sp_body_id volume_ball(contact_lab *b, double x, double y, double z, double speed) {
    sp_solid_def def = contact_soft(rho, 2e4, 0.4);
    sp_mesh *ball = NULL, *placed = NULL;
    sp_pose at = contact_at(x, y, z);
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

// Largest mean depth V / A of the overlaps of two bodies with surfaces, at the end of the last step.
static double volume_depth(contact_lab *b, sp_body_id first, sp_body_id other, double pixel, int cell) {
    const sp_body_id id[2] = {first, other};
    sp_volume_surface surfaces[2];
    double *x[2], deepest = 0;
    sp_volume *volume = NULL;
    sp_volume_found found;
    for (int i = 0; i < 2; i++) {
        sp_body *body = sp__world_body(b->world, id[i]);
        const sp_surface *s = body->surfaces[0];
        x[i] = calloc(3 * (size_t)s->vertex_count, sizeof *x[i]);
        sp__surface_positions(body, s, SP_COMMITTED, x[i], NULL, NULL);
        surfaces[i] = (sp_volume_surface){x[i], s->vertex_count, s->faces, s->face_count, i, false};
    }
    const sp_volume_options options = {.pixel = pixel, .cell = cell, .sliver = 2};
    CHECK_INT(sp__volume_create(b->ctx, &volume), SP_OK);
    CHECK_INT(sp__volume_find(volume, &options, 2, surfaces, &found), SP_OK);
    for (int i = 0; i < found.count; i++) deepest = fmax(deepest, found.overlaps[i].depth);
    sp__volume_destroy(&volume);
    free(x[0]), free(x[1]);
    return deepest;
}

// ---------------------------------------------------------------------------------------------------- rest

// Depth of the pole of a cap with the mean depth V / A.
static double cap_depth(double R, double mean) {
    double c = 2 * mean;
    for (int i = 0; i < 50; i++) c = 3 * mean * (2 * R - c) / (3 * R - c);
    return c;
}

TEST(a_floor_carries_a_soft_cube_and_a_ball) {
    const double R = 0.04, pixel = 0.005;
    for (int cell = 0; cell <= 8; cell += 8) {
        contact_lab b;
        sp_contact_def contact = contact_volume(0.3, pixel, cell);
        sp_solid_def soft = contact_soft(rho, 3e4, 0.4);
        sp_rigid_shape sphere = contact_ball(R);
        sp_pose low = contact_at(0, 0, 0.05), aside = contact_at(0.2031, 0.0117, R);
        double force[3], torque[3], x[3];
        soft.rayleigh_stiffness = 0.02;
        REQUIRE(contact_open(&b, (double[3]){0, 0, -g}, &contact));
        volume_floor(&b);
        sp_body_id cube = contact_block(&b, soft, (double[3]){0.1, 0.1, 0.1}, (int[3]){4, 4, 4}, &low);
        sp_body_id ball = contact_free(&b, &sphere, &aside, rho);
        CHECK(contact_steps(&b, 0.01, 150));
        CHECK_INT(b.worst, SP_OK);
        for (int i = 0; i < 2; i++) {
            const sp_body_id id = i ? ball : cube;
            sp_body_measures m = contact_measures(&b, id);
            contact_load(&b, id, (double[3]){0}, force, torque);
            printf("  cell %d, body %d: floor carries %.9f of the weight, sideways %.1e\n", cell, i, force[2] / (m.mass * g),
                   hypot(force[0], force[1]) / (m.mass * g));
            // solved to 1e-8 of the free motion of a step
            CHECK_NEAR(force[2], m.mass * g, 1e-5 * m.mass * g);
            if (i == 0 || cell == 0) CHECK_NEAR(hypot(force[0], force[1]), 0, 1e-5 * m.mass * g);
        }
        contact_point(&b, ball, aside.translate, x);
        const double pole = R - x[2], cap = cap_depth(R, 0.5 * pixel);
        printf("    pole %.3f pixels deep, that of the cap %.3f\n", pole / pixel, cap / pixel);
        // 0.05 pixels of the mean depth are 0.1 of that of the pole; a patch of 50 rays has its volume and area to 1 %. Of
        // several cells those in the middle carry: they are flatter than the cap
        CHECK(pole > (cell ? 0.5 * pixel : cap) - 0.12 * pixel && pole < cap + 0.12 * pixel);
        contact_close(&b);
    }
}

// A column under its own weight is shorter by rho g H^2 / 2 E, and lower by the slack.
TEST(a_static_column_and_one_with_newton) {
    const double H = 0.2, E = 3e4, pixel = 0.01, expected = rho * g * H * H / (2 * E), weight = rho * g * H * H * H / 4;
    for (int newton = 0; newton < 2; newton++) {
        contact_lab b;
        sp_contact_def contact = contact_volume(0, pixel, 3);
        sp_solid_def def = contact_soft(rho, E, 0);
        sp_pose at = contact_at(0, 0, H / 2);
        double force[3], torque[3], x[3];
        contact.solver.tolerance = 1e-10;
        def.integrator.type = newton ? SP_NEWTON : SP_STATIC, def.rayleigh_stiffness = newton ? 0.05 : 0;
        REQUIRE(contact_open(&b, (double[3]){0, 0, -g}, &contact));
        sp_body_id floor = volume_floor(&b);
        sp_body_id id = contact_block(&b, def, (double[3]){H / 2, H / 2, H}, (int[3]){3, 3, 6}, &at);
        CHECK(contact_steps(&b, 0.01, newton ? 120 : 3));
        contact_load(&b, floor, (double[3]){0}, force, torque);
        contact_point(&b, id, (double[3]){0, 0, H}, x);
        printf("  %s: floor carries %.9f of the weight, shorter by %.6g m, linear theory %.6g m\n", newton ? "newton" : "static",
               -force[2] / weight, H - 0.5 * pixel - x[2], expected);
        CHECK_INT(b.worst, SP_OK);
        CHECK_NEAR(-force[2] / weight, 1, newton ? 1e-3 : 1e-6);
        CHECK_NEAR(H - 0.5 * pixel - x[2], expected, 0.02 * expected + 0.05 * pixel);
        contact_close(&b);
    }
}

// A block that its weight would tilt: one volume has no torque against it, and the step fails with the word that helps.
TEST(a_static_block_needs_cells) {
    for (int cell = 0; cell <= 6; cell += 6) {
        contact_lab b;
        sp_contact_def contact = contact_volume(0.5, 0.005, cell);
        sp_solid_def def = contact_soft(rho, 3e4, 0.3);
        sp_pose at = contact_at(0, 0, 0.049);
        double force[3], torque[3];
        def.integrator.type = SP_STATIC;
        REQUIRE(contact_open(&b, (double[3]){0.5, 0, -g}, &contact));
        sp_body_id floor = volume_floor(&b);
        contact_block(&b, def, (double[3]){0.1, 0.1, 0.1}, (int[3]){3, 3, 3}, &at);
        const sp_status status = sp_world_step(b.world, 0.01);
        CHECK_INT(status, cell ? SP_OK : SP_SINGULAR);
        if (cell == 0) CHECK(strstr(sp_world_error(b.world)->message, "set `cell` of the contact") != NULL);
        contact_load(&b, floor, (double[3]){0}, force, torque);
        if (cell) CHECK_NEAR(-force[2], rho * 1e-3 * g, 1e-5 * rho * 1e-3 * g);  // solved to 1e-8 of the free motion
        contact_close(&b);
    }
}

// ---------------------------------------------------------------------------------------------------- third law

TEST(a_collision_keeps_momentum) {
    for (int cell = 0; cell <= 8; cell += 4) {
        contact_lab b;
        sp_contact_def contact = contact_volume(0.3, 0.004, cell);
        contact.solver.tolerance = 1e-6;
        REQUIRE(contact_open(&b, (double[3]){0}, &contact));
        sp_body_id id[2] = {volume_ball(&b, -0.06, 0, 0, 1), volume_ball(&b, 0.06, 0.02, 0, -1)};
        double before = 0, after = 0, momentum[3] = {0}, turned[3] = {0}, turns[3] = {0};
        for (int i = 0; i < 2; i++) {
            sp_body_measures m = contact_measures(&b, id[i]);
            before += m.kinetic, sp__axpy3(turns, 1, m.angular, turns);
        }
        CHECK(contact_steps(&b, 0.005, 40));
        for (int i = 0; i < 2; i++) {
            sp_body_measures m = contact_measures(&b, id[i]);
            after += m.kinetic + m.elastic;
            sp__axpy3(momentum, 1, m.momentum, momentum), sp__axpy3(turned, 1, m.angular, turned);
            CHECK((i ? m.momentum[0] : -m.momentum[0]) > 0);  // back where it came from
        }
        sp__sub3(turned, turns, turned);
        printf("  cell %d: momentum %.1e kg m/s, angular drift %.2g of %.3g kg m2/s, energy %.4f to %.4f J\n", cell,
               sp__norm3(momentum), sp__norm3(turned) / sp__norm3(turns), sp__norm3(turns), before, after);
        // impulses are equal and opposite to rounding; momentum of a ball: 0.5 kg m/s
        for (int a = 0; a < 3; a++) CHECK_NEAR(momentum[a], 0, 1e-12);
        CHECK(after <= before);
        // implicit Euler loses 3 % in the same collision with contacts at a distance. The rays that end at the silhouettes, and
        // normals of cells that are not along the rays, add the rest
        CHECK(sp__norm3(turned) < 0.3 * sp__norm3(turns));
        contact_close(&b);
    }
}

// ---------------------------------------------------------------------------------------------------- slack

// A box falls on a corner, tips, and comes to rest on a block.
TEST(the_overlap_after_a_step_is_within_the_slack) {
    const double pixel = 0.004;
    for (int cell = 0; cell <= 5; cell += 5) {
        contact_lab b;
        sp_contact_def contact = contact_volume(0.3, pixel, cell);
        sp_rigid_shape ground = contact_box(0.3, 0.3, 0.1), box = contact_box(0.1, 0.08, 0.06);
        sp_pose at = {{0, 0, 0.07}, {0.95, 0.2, 0.22, 0.1}};
        double deepest = 0, norm = 0;
        for (int a = 0; a < 4; a++) norm += at.quat[a] * at.quat[a];
        for (int a = 0; a < 4; a++) at.quat[a] /= sqrt(norm);
        contact.stabilisation = SP_STABILISATION_POSITION, contact.passes = 10;
        REQUIRE(contact_open(&b, (double[3]){0, 0, -g}, &contact));
        sp_rigid_def fixed = sp_rigid_def_default();
        fixed.shapes = &ground, fixed.shape_count = 1, fixed.pose.constant = contact_at(0, 0, -0.05);
        sp_body_id floor = contact_rigid(&b, &fixed), id = contact_free(&b, &box, &at, rho);
        for (int i = 0; i < 60; i++) {
            CHECK(contact_steps(&b, 0.01, 1));
            deepest = fmax(deepest, volume_depth(&b, floor, id, pixel / 4, 4 * cell));
            CHECK(b.world->constraints->excess == 0);  // of the last search of the step, with its own rays
        }
        printf("  cell %d: %.4f pixels at most\n", cell, deepest / pixel);
        // rays at a quarter of the distance: those of the step miss parts of an edge or a corner that is one or two pixels deep
        CHECK(deepest <= (0.5 + 0.05 + 0.15) * pixel);
        contact_close(&b);
    }
}

// Floor and wall are one body. The gap of a contact is that at the start of its step, beyond the slack.
TEST(a_block_on_a_floor_meets_a_wall) {
    const double pixel = 0.005;
    contact_lab b;
    sp_contact_def contact = contact_volume(0, pixel, 12);
    sp_solid_def soft = contact_soft(rho, 3e4, 0.4);
    sp_rigid_shape shapes[2] = {contact_box(0.4, 0.2, 0.1), contact_box(0.1, 0.2, 0.4)};
    sp_rigid_def corner = sp_rigid_def_default();
    sp_pose at = contact_at(0, 0, 0.05 - 0.5 * pixel);
    double velocity[3 * 125] = {0}, force[3], torque[3];
    for (int i = 0; i < 125; i++) velocity[3 * i] = 1;
    shapes[0].pose.translate[2] -= 0.05, shapes[1].pose.translate[0] += 0.2;
    corner.shapes = shapes, corner.shape_count = 2;
    soft.rayleigh_stiffness = 0.01, soft.initial_velocity = velocity;
    REQUIRE(contact_open(&b, (double[3]){4, 0, -g}, &contact));
    sp_body_id wall = contact_rigid(&b, &corner);
    sp_body_id id = contact_block(&b, soft, (double[3]){0.1, 0.1, 0.1}, (int[3]){4, 4, 4}, &at);
    CHECK(contact_steps(&b, 0.01, 150));
    CHECK_INT(b.worst, SP_OK);
    contact_load(&b, wall, (double[3]){0}, force, torque);
    const double mass = contact_measures(&b, id).mass;
    printf("  %.4f pixels beyond the slack at most; floor %.6f and wall %.6f of the load\n", b.penetration / pixel,
           -force[2] / (mass * g), force[0] / (mass * 4));
    // a step may leave 0.05 pixels beyond what it found, which it leaves alone if it is no more
    CHECK(b.penetration <= 0.1 * pixel);
    CHECK_NEAR(-force[2], mass * g, 1e-4 * mass * g);  // the oscillations of the block have decayed
    CHECK_NEAR(force[0], mass * 4, 1e-4 * mass * 4);
    contact_close(&b);
}

// Overlaps are those of the free motion: under load there is one without slack too.
TEST(the_slack_is_the_overlap_at_rest) {
    int switches[2] = {0};
    double sunk[2];
    const double pixel = 0.005;
    for (int slack = 0; slack < 2; slack++) {
        contact_lab b;
        sp_contact_def contact = contact_volume(0.3, pixel, 0);
        sp_rigid_shape box = contact_box(0.1, 0.1, 0.05);
        sp_pose at = contact_at(0, 0, 0.026);
        contact.slack = 0.5 * slack;
        REQUIRE(contact_open(&b, (double[3]){0, 0, -g}, &contact));
        volume_floor(&b);
        sp_body_id id = contact_free(&b, &box, &at, rho);
        for (int i = 0, before = 0; i < 100; i++) {
            CHECK(contact_steps(&b, 0.01, 1));
            int now = sp_world_contact_count(b.world) > 0;
            switches[slack] += now != before, before = now;
        }
        double x[3];
        contact_point(&b, id, at.translate, x);
        sunk[slack] = 0.025 - x[2];
        contact_close(&b);
    }
    printf("  slack 0: %d changes in 100 steps, %.3f mm deep; slack 0.5: %d, %.3f mm\n", switches[0], 1e3 * sunk[0], switches[1],
           1e3 * sunk[1]);
    CHECK_INT(switches[1], 1);
    for (int k = 0; k < 2; k++) CHECK_NEAR(sunk[k], 0.5 * k * pixel, 0.05 * pixel);
}

// Two boxes that overlap by the slack fly together: no force, and no slip.
TEST(bodies_that_move_together_do_not_slide) {
    const double pixel = 0.004;
    for (int cell = 0; cell <= 5; cell += 5) {
        contact_lab b;
        sp_contact_def contact = contact_volume(0.3, pixel, cell);
        sp_rigid_shape box = contact_box(0.1, 0.08, 0.06);
        REQUIRE(contact_open(&b, (double[3]){0}, &contact));
        for (int i = 0; i < 2; i++) {
            sp_rigid_def def = sp_rigid_def_default();
            def.shapes = &box, def.shape_count = 1, def.free = true, def.density = rho;
            def.pose.constant = contact_at(0.01 * i, 0.013 * i, (0.06 - 0.4 * pixel) * i);
            def.velocity[0] = 0.7, def.velocity[1] = -0.4, def.velocity[2] = 0.3;
            contact_rigid(&b, &def);
        }
        double slip = 0;
        int count = 0;
        for (int i = 0; i < 20; i++) {
            CHECK(contact_steps(&b, 0.01, 1));
            const sp_constraints *c = b.world->constraints;
            for (int k = 0; k < c->count; k++) slip = fmax(slip, hypot(c->contacts[k].delta[1], c->contacts[k].delta[2]));
            for (int k = 0; k < sp_world_contact_count(b.world); k++, count++) {
                sp_contact_point p;
                CHECK_INT(sp_world_contact_at(b.world, k, &p), SP_OK);
                CHECK_NEAR(sp__norm3(p.force), 0, 1e-9);
            }
        }
        printf("  cell %d: %d contacts in 20 steps, slip %.1e m of %.1e m per step\n", cell, count, slip, 0.01 * 0.86);
        CHECK(count >= 20);
        CHECK_NEAR(slip, 0, 1e-15);  // rounding of positions of 0.2 m over 20 steps
        contact_close(&b);
    }
}

// ---------------------------------------------------------------------------------------------------- overlapping start

// A rigid box starts 8 mm deep in the floor, without gravity; 6 mm of it are beyond the slack.
TEST(overlap_at_the_start_of_a_step) {
    const double pixel = 0.004, depth = 0.006, h = 0.01;
    const struct {
        sp_stabilisation how;
        double height, speed;  // of the centre above the start, and upward velocity, after one step
    } cases[] = {{SP_STABILISATION_VELOCITY, 0, 0},
                 {SP_STABILISATION_POSITION, 0.006, 0.6},
                 {SP_STABILISATION_POST, 0.006, 0},
                 {SP_STABILISATION_AUTO, 0.2 * 0.006, 0.2 * 0.6}};
    for (int k = 0; k < 4; k++) {
        contact_lab b;
        sp_contact_def contact = contact_volume(0, pixel, 0);
        sp_rigid_shape box = contact_box(0.1, 0.1, 0.1);
        // half a pixel aside the rays cover the box symmetrically
        sp_pose at = contact_at(0.5 * pixel, 0.5 * pixel, 0.05 - depth - 0.5 * pixel);
        double x[3];
        contact.stabilisation = cases[k].how;
        REQUIRE(contact_open(&b, (double[3]){0}, &contact));
        volume_floor(&b);
        sp_body_id id = contact_free(&b, &box, &at, rho);
        CHECK(contact_steps(&b, h, 1));
        contact_point(&b, id, at.translate, x);
        sp_body_measures m = contact_measures(&b, id);
        printf("  stabilisation %d: moved %.6g m, %.6g m/s\n", k, x[2] - at.translate[2], m.momentum[2] / m.mass);
        CHECK_NEAR(x[2] - at.translate[2], cases[k].height, 0.05 * pixel);
        CHECK_NEAR(m.momentum[2] / m.mass, cases[k].speed, 1e-9);
        contact_close(&b);
    }
}

// Two soft balls start 2 cm deep in each other.
TEST(soft_bodies_that_start_in_each_other_separate) {
    static const sp_stabilisation how[] = {SP_STABILISATION_AUTO, SP_STABILISATION_POST};
    for (int k = 0; k < 2; k++) {
        const double pixel = 0.004, h = 0.01;
        contact_lab b;
        sp_contact_def contact = contact_volume(0, pixel, 4);
        contact.stabilisation = how[k];
        REQUIRE(contact_open(&b, (double[3]){0}, &contact));
        sp_body_id id[2] = {volume_ball(&b, -0.04, 0, 0, 0), volume_ball(&b, 0.04, 0.003, 0.002, 0)};
        double most = 0, before = volume_depth(&b, id[0], id[1], pixel, 0), mass = contact_measures(&b, id[0]).mass;
        for (int i = 0; i < 40; i++) {
            CHECK(contact_steps(&b, h, 1));
            double energy = 0;
            for (int s = 0; s < 2; s++) {
                sp_body_measures m = contact_measures(&b, id[s]);
                energy += m.kinetic + m.elastic;
            }
            most = fmax(most, energy);
        }
        double after = volume_depth(&b, id[0], id[1], pixel, 0);
        // auto: each ball moves by half of a fifth of the overlap. post: no velocity, but less elastic energy than balls have
        // that are pressed together by the overlap (Hertz)
        const double speed = 0.5 * 0.2 * 0.02 / h, modulus = 2e4 / (1 - 0.16) / 2;
        const double bound = k ? 8.0 / 15 * modulus * sqrt(0.025) * pow(0.02, 2.5) : mass * speed * speed;
        printf("  stabilisation %d: depth %.2f to %.2f pixels, energy %.3g J at most, bound %.3g J\n", k, before / pixel,
               after / pixel, most, bound);
        CHECK(after < 0.55 * pixel);
        CHECK(most < bound);
        contact_close(&b);
    }
}
