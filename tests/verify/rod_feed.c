// Claim: a rod that is fed through an entry point moves with the feed, exactly where nothing bends it; fed out and left to rest,
// it has the static shape of a clamped rod of the length that is out; fed out and in again, it is as it was. Its shape does not
// jump when a node passes the entry point, no energy appears, and the guide exerts the force that holds what is out.
//
// The rods lie along x, E I = 1 N m2, rho S = 1 kg/m, 1 m long unless said otherwise. The entry point is the origin.
#include "rod_lab.h"

static const sp_rod_model models[] = {SP_ROD_DER, SP_ROD_BEAM};

static void feed_begin(rod_lab *b, sp_rod_model model, int elements, sp_rod_feed *feed, double out) {
    rod_begin(b, model, elements);
    b->strand.root.translate[0] = out - b->strand.length;
    feed->direction[0] = 3;  // of any length
    b->def.feed = feed;
}

// fed length and angle: the last two coordinates
static double fed(rod_lab *b, double *angle) {
    sp_field_info info = {0};
    sp_world_field_info(b->world, b->body, "coordinates", &info);
    double *q = malloc((size_t)info.count * sizeof *q), length = NAN;
    if (q && sp_world_field(b->world, b->body, "coordinates", q) >= 0) length = q[info.count - 2], *angle = q[info.count - 1];
    free(q);
    return length;
}

static double cubic(const void *user, double t) {
    (void)user;
    return 0.3 * t * t * (3 - 2 * t);
}

static double wave(const void *user, double t) {
    (void)user;
    return 0.2 * cos(6 * t);
}

// Simpson's rule integrates a cubic polynomial exactly, and a cosine with an error of h^4 w^4 / 2880 of its size.
TEST(the_fed_length_is_the_integral_of_the_speed) {
    for (int m = 0; m < 2; m++) {
        rod_lab b;
        sp_rod_feed feed = {.speed = {.eval = cubic}, .spin = {.eval = wave}};
        double x[3], R[9], angle, turned = 0.2 * sin(6 * 0.97) / 6;
        feed_begin(&b, models[m], 12, &feed, 0.2);
        REQUIRE(rod_open(&b) && rod_steps(&b, 0.01, 97));
        double out = 0.3 * (pow(0.97, 3) - 0.5 * pow(0.97, 4));
        CHECK_NEAR(fed(&b, &angle), out, 1e-15);
        CHECK_NEAR(angle, turned, 0.2 / 6 * pow(0.06, 4) / 2880);
        // A straight rod that is pushed and turned along its axis moves as a rigid body. What is out follows the clamp by its
        // inertia: forces of E A and mu J of some 4e6 N and 0.7 N m2 stretch it by 1e-7, and a wave along it takes 0.5 ms.
        rod_at(&b, 1, x, NULL);
        CHECK_NEAR(x[0], 0.2 + out, 1e-6);
        CHECK_NEAR(hypot(x[1], x[2]), 0, 1e-12);
        rod_frame(&b, 1, R);
        CHECK_NEAR(atan2(R[7], R[4]), turned, 1e-4);
        // what is behind is straight, and lies at its place
        rod_at(&b, 0, x, NULL);
        CHECK_NEAR(x[0], out - 0.8, 1e-14);
        rod_frame(&b, 0, R);
        CHECK_NEAR(atan2(R[7], R[4]), turned, 1e-7);
        rod_close(&b);
    }
}

// The tip under gravity, after a feed to `out` in statics, in steps that end between nodes.
static double fed_tip(sp_rod_model model, int elements, double natural, double out, double tip[3], double *largest_jump) {
    rod_lab b;
    sp_rod_feed feed = {.speed = sp_signal_constant(1)};
    double x[4][3] = {{0}}, force = NAN;
    enum { STEPS = 120 };
    feed_begin(&b, model, elements, &feed, out - 0.3);
    rod_fill(b.natural, elements, 0, natural, 0);
    rod_static(&b, 1), b.gravity[1] = -4;
    *largest_jump = 0;
    tip[0] = tip[1] = tip[2] = NAN;
    if (!rod_open(&b)) return NAN;
    for (int i = 0; i < STEPS; i++) {
        if (!rod_step(&b, 0.3 / STEPS)) return NAN;
        for (int k = 3; k > 0; k--) memcpy(x[k], x[k - 1], sizeof x[0]);
        rod_at(&b, 1, x[0], NULL);
        for (int k = 0; i > 3 && k < 3; k++)
            *largest_jump = fmax(*largest_jump, fabs(x[0][k] - 3 * x[1][k] + 3 * x[2][k] - x[3][k]));
    }
    memcpy(tip, x[0], sizeof x[0]);
    double *f = malloc(3 * ((size_t)elements + 1) * sizeof *f);
    if (f && sp_world_field(b.world, b.body, "force", f) >= 0) {
        force = 0;
        for (int i = 0; i <= elements; i++) force += f[3 * i + 1];
    }
    free(f);
    rod_close(&b);
    return force;
}

static bool clamped_tip(sp_rod_model model, double length, double natural, double tip[3]) {
    enum { ELEMENTS = 400 };
    rod_lab b;
    rod_begin(&b, model, ELEMENTS);
    b.strand.length = length;
    rod_fill(b.natural, ELEMENTS, 0, natural, 0);
    rod_static(&b, 4), b.gravity[1] = -4;
    bool good = rod_open(&b) && rod_step(&b, 1);
    rod_at(&b, 1, tip, NULL);
    rod_close(&b);
    return good;
}

// 0.7371 m of 1 m are out, with a load that bends the tip by 0.11 of that, and a natural curvature across it. Errors are of
// second order in the length of an element, as without a feed, wherever the nodes are. Where a node passes the entry, the curve
// is sampled by one node more or less: the third difference of the path of the tip shows it, and it is of third order.
TEST(a_rod_that_was_fed_out_has_the_shape_of_a_clamped_rod) {
    NOT_SANITIZED();
    const double length = 0.7371, natural = 0.8, weight = 4;
    for (int m = 0; m < 2; m++) {
        double exact[3], tip[3], error[3], jump[3];
        CHECK(clamped_tip(models[m], length, natural, exact));
        for (int k = 0; k < 3; k++) {
            double force = fed_tip(models[m], 12 << k, natural, length, tip, &jump[k]);
            error[k] = rod_distance(tip, exact);
            // all of the weight, since what is behind has weight too
            CHECK_NEAR(force, weight, 1e-6);
        }
        printf("  %s: errors of the tip %.3g %.3g %.3g, jumps %.3g %.3g %.3g\n", rod_names[models[m]], error[0], error[1],
               error[2], jump[0], jump[1], jump[2]);
        CHECK(error[0] < 8e-3 * length && error[1] < 0.35 * error[0] && error[2] < 0.35 * error[1]);
        CHECK(jump[0] < 2e-3 && jump[1] < 0.25 * jump[0] && jump[2] < 0.25 * jump[1]);
    }
}

static double out_and_in(const void *user, double t) {
    (void)user;
    return t < 1 ? 0.5 : t < 3 ? 0 : t < 4 ? -0.5 : 0;
}

// Under gravity, with a natural curvature and damping: at the end the rod is straight again, its elastic energy is that of the
// start, and no energy appeared: what the guide and the entry did was dissipated.
TEST(a_rod_that_was_fed_out_and_in_is_as_before) {
    for (int m = 0; m < 2; m++) {
        rod_lab b;
        sp_rod_feed feed = {.speed = {.eval = out_and_in}};
        double x[3], angle;
        feed_begin(&b, models[m], 20, &feed, 0.1);
        rod_fill(b.natural, 20, 0.5, 1, 0);
        b.def.rayleigh_mass = 3, b.def.rayleigh_stiffness = 0.01, b.gravity[1] = -4;
        REQUIRE(rod_open(&b) && rod_step(&b, 0.01));
        double before = rod_measures(&b).elastic;
        REQUIRE(rod_steps(&b, 0.01, 249));
        rod_at(&b, 1, x, NULL);
        CHECK(x[1] < -0.02 && x[0] > 0.5);
        REQUIRE(rod_steps(&b, 0.01, 250));
        CHECK_NEAR(fed(&b, &angle), 0, 1e-3);  // jumps of the speed within a step
        rod_at(&b, 1, x, NULL);
        CHECK_NEAR(x[0], 0.1, 2e-3);
        sp_body_measures now = rod_measures(&b);
        CHECK_NEAR(now.elastic, before, 0.02 * before);
        CHECK(now.kinetic < 1e-6 * before);
        printf("  %s: work of the guide %.3g J, of the entry %.3g J, appeared %.3g J\n", rod_names[models[m]], now.work.pins,
               now.work.edits, now.appeared);
        CHECK(now.appeared < 1e-3 * (fabs(now.work.pins) + fabs(now.work.edits)));
        rod_close(&b);
    }
}

// A rod that is pushed against a fixed tip buckles, and the guide pushes with a force of the order of Euler's load of a rod that
// is clamped at the entry and at its tip, 4 pi^2 E I / L^2.
TEST(the_guide_feels_what_the_tip_pushes_against) {
    for (int m = 0; m < 2; m++) {
        rod_lab b;
        sp_rod_feed feed = {.speed = sp_signal_constant(0.01)};
        int tip = 20;
        sp_fix fix = {.nodes = &tip, .count = 1, .axes = SP_AXES_ALL};
        sp_load nudge;
        double x[3], f[63], push = 0, euler = 4 * rod_pi * rod_pi / (0.5 * 0.5);
        feed_begin(&b, models[m], 20, &feed, 0.5);
        nudge = rod_load(&b, SP_LOAD_FORCE, 0.75, 0, 0.1, 0);
        b.def.fixes = &fix, b.def.fix_count = 1, b.def.loads = &nudge, b.def.load_count = 1, b.def.rayleigh_mass = 5;
        REQUIRE(rod_open(&b) && rod_steps(&b, 0.01, 150));
        rod_at(&b, 0.75, x, NULL);
        CHECK(x[1] > 0.03);
        CHECK_INT(sp_world_field(b.world, b.body, "force", f), SP_OK);
        for (int i = 0; i <= 10; i++) push += f[3 * i];
        printf("  %s: pushes with %.3g of Euler's load, deflection %.3g m\n", rod_names[models[m]], push / euler, x[1]);
        CHECK(push > 0.7 * euler && push < 1.15 * euler);
        rod_close(&b);
    }
}
