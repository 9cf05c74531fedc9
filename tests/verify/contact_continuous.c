// Claim: nothing passes through something else in a step.
//
// - a soft cube of 4 x 4 x 4 cells that falls from 0.1, 0.2 and 0.5 m onto a plane or a sheet of 2 mm does not pass, with the
//   defaults and steps of 0.01 s: at the end it rests on it; and undamped in the scene of the peers
// - a ball that flies past a narrow strip by several times its diameter in a step is stopped or deflected wherever it overlaps
//   the strip on its way, with `continuous`; without it some of them fly on, or end inside
// - a pair may be continuous where the others are not
// - a thin rod that flies by a hundred times its diameter in a step touches a thin sheet or another rod with its end: it is
//   deflected, with `continuous`; and where its middle meets them, it does not pass
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
    def.material = (sp_material){.density = 1000, .young = 3e4, .poisson = 0.4}, def.rayleigh_stiffness = 0.02;
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

// ---------------------------------------------------------------------------------------------------- rods

enum { SHEET, ROD };
static const double thin = 1e-3;  // radius

static sp_body_id add_rod(contact_lab *b, const sp_pose *root, double length, bool free, double speed) {
    sp_rod_section section = sp_rod_section_default();
    sp_rod_strand strand = {.length = length, .elements = 9, .root = *root};
    sp_rod_def def = sp_rod_def_default();
    sp_body_id id = {0};
    section.axes[0] = section.axes[1] = thin, section.young = 1e9;
    def.model = SP_ROD_DER, def.strands = &strand, def.strand_count = 1, def.sections = &section, def.section_count = 1;
    def.free_root = free, def.velocity[1] = speed;
    if (sp_world_add_rod(b->world, &def, &id) < 0) SP_TEST_FAILED("%s", sp_world_error(b->world)->message);
    return id;
}

// A rod along x, from `x` on, flies along y at 20 m/s, 0.2 m in a step, and meets at y = 0 a sheet of 2 mm (x < 0) or a rod along
// z (x = 0). Returns the change of its mean velocity.
static double rod_thrown(int target, double x, double start, bool continuous, double *penetration) {
    contact_lab b;
    sp_contact_def contact = contact_exact(0, 0);
    sp_rigid_def def = sp_rigid_def_default();
    sp_rigid_shape shape = contact_box(0.4, 0.002, 0.4);
    const double speed = -20;
    contact.continuous = continuous;
    if (!contact_open(&b, (double[3]){0}, &contact)) return -1;
    shape.pose.translate[0] = -0.4;
    def.shapes = &shape, def.shape_count = 1;
    if (target == SHEET)
        contact_rigid(&b, &def);
    else  // turned about y: its tangent is along z
        add_rod(&b, &(sp_pose){{0, 0, -0.1}, {sqrt(0.5), 0, -sqrt(0.5), 0}}, 0.2, false, 0);
    const sp_pose root = contact_at(x, start, 0.003);
    const sp_body *rod = sp__world_body(b.world, add_rod(&b, &root, 0.09, true, speed));
    contact_steps(&b, 0.01, 3);
    double v[256], change = 0;
    CHECK(rod->nodes <= 85 && sp_world_field(b.world, rod->id, "velocity", v) == SP_OK);
    for (int i = 0; i < rod->nodes; i++) change += (v[3 * i + 1] - speed) / rod->nodes;
    *penetration = b.penetration;
    contact_close(&b);
    return change;
}

TEST(fast_thin_rods_do_not_pass) {
    static const char *const names[] = {"sheet", "rod"};
    for (int target = SHEET; target <= ROD; target++) {
        int missed = 0;
        for (int i = 0; i < 6; i++) {
            // by a part of the radius; the other rod has its own
            const double beside = (target == ROD ? 2 : 1) * thin * (0.3 + 0.1 * i), start = 0.27 + 0.012 * i;
            double change[2], deep[2], middle;
            for (int continuous = 0; continuous < 2; continuous++)
                change[continuous] = rod_thrown(target, beside, start, continuous, &deep[0]);
            middle = rod_thrown(target, -0.047, start, true, &deep[1]);
            printf("  end beside a %s by %.2g mm: %.2g m/s, continuous %.3g m/s; middle: %.3g m/s; overlap %.2g, %.2g mm\n",
                   names[target], 1e3 * beside, change[0], change[1], middle, 1e3 * deep[0], 1e3 * deep[1]);
            // a rod that touches nothing keeps its velocity to the tolerance of its Newton method, 1e-10
            missed += fabs(change[0]) < 1e-9 * 20;
            CHECK(change[1] > 0.1);
            CHECK(middle > 10);  // more than half of its velocity, after which it bends
            // a quarter of the radius, as for a catheter: two flexible rods bend around each other within a step
            CHECK(fmax(deep[0], deep[1]) < 0.25 * thin);
        }
        // the steps of two rods that meet are divided, and parts of a step find each other without it
        CHECK(target == ROD || missed > 0);
    }
}
