// Claim: nothing passes through something else in a step.
//
// - a soft cube of 4 x 4 x 4 cells that falls from 0.1, 0.2 and 0.5 m onto a plane or a sheet of 2 mm does not pass, with the
//   defaults and steps of 0.01 s: at the end it rests on it; and undamped in the scene of the peers
// - a ball that flies past a narrow strip by several times its diameter in a step is stopped or deflected wherever it overlaps
//   the strip on its way, with `continuous`; without it some of them fly on, or end inside
// - a pair may be continuous where the others are not
#include "contact_lab.h"
#include "scene_run.h"

static const double g = 9.81;

static double dropped(double height, bool sheet) {
    contact_lab b;
    sp_contact_def contact = sp_contact_def_default();
    sp_solid_def def = sp_solid_def_default();
    sp_rigid_def floor = sp_rigid_def_default();
    sp_rigid_shape shape = contact_box(0.6, 0.6, 0.002);
    sp_pose at = contact_at(0, 0, height + 0.05);
    double x[3] = {0, 0, -1};
    contact.formulation = SP_CONTACT_PROXIMITY;
    def.material = (sp_material){1000, 3e4, 0.4}, def.rayleigh_stiffness = 0.02;
    if (!contact_open(&b, (double[3]){0, 0, -g}, &contact)) return -1;
    shape.pose.translate[2] = -0.002;
    floor.shapes = &shape, floor.shape_count = 1;
    if (sheet)
        contact_rigid(&b, &floor);
    else
        contact_plane(&b, (double[3]){0}, (double[3]){0, 0, 1});
    sp_body_id cube = contact_block(&b, def, (double[3]){0.1, 0.1, 0.1}, (int[3]){4, 4, 4}, &at);
    CHECK(contact_steps(&b, 0.01, 120));
    CHECK(b.penetration < 1e-4);
    contact_point(&b, cube, (double[3]){0, 0, height + 0.05}, x);
    contact_close(&b);
    return x[2];
}

TEST(dropped_cubes_do_not_pass) {
    const double heights[] = {0.1, 0.2, 0.5};
    for (int i = 0; i < 6; i++) {
        double z = dropped(heights[i / 2], i % 2);
        // half of 0.1 m, compressed by its weight: rho g H^2 / 2 E is 1.6 mm at the top
        CHECK(z > 0.048 && z < 0.0505);
    }
}

// The drop that other engines are measured with, undamped and with a gap of 1 mm; some of them let the cube through.
TEST(the_drop_of_the_peers) {
    static const char *const heights[] = {"height=0.1", "height=0.2", "height=0.5"};
    for (int i = 0; i < 3; i++) {
        scene_run s;
        REQUIRE(scene_open(&s, "peers/drop.xml", heights[i], NULL));
        sp_world *w = sp_run_world(s.run);
        double lowest = INFINITY;
        while (!sp_run_done(s.run)) {
            const sp_snapshot *now;
            if (sp_run_step(s.run) < 0) SP_TEST_FAILED("%s", sp_world_error(w)->message);
            if (sp_world_error(w)->status < 0 || !(now = sp_world_snapshot_acquire(w))) break;
            const sp_snapshot_surface *cube = &now->bodies[0].surfaces[0];
            for (int k = 0; k < cube->vertex_count; k++) lowest = fmin(lowest, cube->positions[3 * k + 2]);
            sp_world_snapshot_release(w, now);
        }
        printf("  %s: lowest %.2g m\n", heights[i], lowest);
        CHECK(sp_run_finish(s.run) >= 0);
        CHECK_INT(scene_claims_missed(&s), 0);
        // it arrives with up to 3 m/s, 30 mm in a step: 1e-6 of this, and rounding of the floats
        CHECK(lowest > 1e-3 - 1e-7);
        scene_close(&s);
    }
}

// A ball of radius 30 mm past a strip of 20 mm x 4 mm; returns the change of its velocity. mode: 0 discrete, 1 continuous, 2 by a
// pair.
static double thrown(double offset, double speed, double start, int mode) {
    contact_lab b;
    sp_contact_def contact = contact_exact(0, 0);
    sp_rigid_def def = sp_rigid_def_default();
    sp_rigid_shape shape = contact_box(0.004, 0.02, 0.4), round = contact_ball(0.03);
    contact.continuous = mode == 1;
    if (!contact_open(&b, (double[3]){0}, &contact)) return -1;
    def.shapes = &shape, def.shape_count = 1;
    sp_body_id strip = contact_rigid(&b, &def);
    def = sp_rigid_def_default();
    def.shapes = &round, def.shape_count = 1, def.free = true, def.velocity[0] = speed,
    def.pose.constant = contact_at(start, offset, 0.01);
    sp_body_id ball = contact_rigid(&b, &def);
    if (mode == 2) {
        sp_contact_part parts[2] = {sp_contact_part_body(strip), sp_contact_part_body(ball)};
        sp_contact_pair_def pair = sp_contact_pair_def_default();
        pair.a = &parts[0], pair.b = &parts[1], pair.a_count = pair.b_count = 1, pair.continuous = 1;
        CHECK_INT(sp_world_add_contact_pair(b.world, &pair, NULL), SP_OK);
        pair.continuous = 2, pair.name = "wrong";
        CHECK_INT(sp_world_add_contact_pair(b.world, &pair, NULL), SP_BAD_INPUT);
    }
    CHECK(contact_steps(&b, 0.01, 6));
    const double *v = b.world->bodies[1]->v[SP_COMMITTED], d[3] = {v[0] - speed, v[1], v[2]};
    double change = sp__norm3(d);
    CHECK(mode == 0 || b.penetration < 1e-9);
    contact_close(&b);
    return change;
}

TEST(balls_do_not_pass_a_strip) {
    int missed = 0, thrown_at = 0;
    for (int i = 0; i < 10; i++)
        for (int k = 0; k < 3; k++) {
            double offset = 0.0038 * i, speed = 20 + 30 * k, start = -0.31 - 0.017 * i, change[3];
            for (int mode = 0; mode < 3; mode++) change[mode] = thrown(offset, speed, start, mode);
            // nearly tangential ones lose less than the part of their speed that leads into the strip
            CHECK(change[1] > 0);
            CHECK(change[2] == change[1]);
            missed += change[0] == 0, thrown_at++;
        }
    printf("  %d of %d missed without continuous detection\n", missed, thrown_at);
    CHECK(missed > 0);
}
