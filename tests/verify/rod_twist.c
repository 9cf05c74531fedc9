// Claim: a rod that is twisted too far becomes unstable at the twist that the theory predicts. Held at both ends with their
// frames:
//
// - straight, under tension T: the smallest M with 4 d sin(a/2) sin(b/2) = 2 a b sin(d/2), where a and b, d = a - b, are the wave
//   numbers (M L / E I) (1 +- sqrt(1 - 4 E I T / M^2)) / 2 of the helices that solve E I u'''' - i M u''' - T u'' = 0, u = y + i
//   z, with u = u' = 0 at both ends. Without tension tan(M L / 2 E I) = M L / 2 E I: M L = 8.9868 E I; without twist T L^2 = -4
//   pi^2 E I; long rods M = 2 sqrt(E I T) (Greenhill 1883; Love 1927, section 272; Timoshenko and Gere 1961, 2.21).
// - bent to a ring: a naturally straight rod with 2 pi sqrt 3 E I / mu J of twist from end to end (Michell 1889; Zajac 1962,
//   doi:10.1115/1.3636490; Goriely 2006, "Twisted elastic rings and the rediscoveries of Michell's instability",
//   doi:10.1007/s10659-006-9055-3). A ring clamped at its joint is a free ring up to rigid motion, because the joint is its
//   only support and carries no load. A round rod can still rotate about the tangent there without energy, while all its
//   sections rotate the other way; the middle is kept in its plane, which fixes that rotation and changes nothing else.
//
// Clothoids and helices constrain only the position of a tip, with a spring: only discrete rods and beams can be twisted this
// way.
//
// The threshold is computed from states below it, without waiting for the instability: a small lateral force moves the rod by its
// compliance, which is unbounded at the threshold. Its inverse goes linearly to zero in the square of the twist, because left-
// and right-handed twist are equivalent. Half the difference between a force and its opposite cancels the effect of the
// discretisation.
#include "rod_lab.h"

// A rotation of the tip about x through its position, growing at `rate` up to `most`, and a drift that is complete after a
// hundredth of a second.
typedef struct grip {
    double drift[3], rate, most;
} grip;

static void grip_pose(const void *user, double t, sp_pose *out) {
    const grip *g = user;
    *out = sp_pose_identity();
    double angle = fmin(g->rate * t, g->most);
    out->quat[0] = cos(angle / 2), out->quat[1] = sin(angle / 2);
    for (int i = 0; i < 3; i++) out->translate[i] = g->drift[i] * fmin(t / 0.01, 1);
}

typedef struct setup {
    sp_rod_model model;
    int elements;
    double radius;
    double bent;  // initial curvature; naturally straight
    double tension;
    double aside;    // force [N] on the point below, normal to the plane of the ring
    double at;       // share of the length
    double stop[2];  // twists at which the displacement is measured, the last one final
} setup;

// end position of a rod of one metre with this curvature
static void ring_end(const setup *s, double out[3]) {
    out[0] = s->bent == 0 ? 1 : sin(s->bent) / s->bent;
    out[1] = s->bent == 0 ? 0 : (1 - cos(s->bent)) / s->bent;
    out[2] = 0;
}

// The tip rotates about x. A straight rod is stretched by T / EA; the end of a ring is moved to the line on which it began.
static grip grip_of(const setup *s) {
    double end[3];
    ring_end(s, end);
    return (grip){{s->tension * s->radius * s->radius / 4, -end[1], 0}, 1, s->stop[1]};
}

// The rod with its loads, static or not; the caller closes. Only the grip of the definition is kept by reference.
static bool take(rod_lab *b, const setup *s, const grip *g, bool still) {
    rod_begin(b, s->model, s->elements);
    b->section = rod_section(1, 1 / 1.3, 1, s->radius);
    rod_fill(b->start, s->elements, 0, 0, s->bent);
    b->strand.start = b->start;
    int tip = s->elements, middle = s->elements / 2;
    sp_move move = {.nodes = &tip, .count = 1, .axes = SP_AXES_ALL};
    ring_end(s, move.about);
    move.pose.eval = grip_pose, move.pose.user = g;
    sp_fix plane = {.nodes = &middle, .count = 1, .axes = SP_AXIS_Z};
    if (s->bent != 0) b->def.fixes = &plane, b->def.fix_count = 1;
    sp_load load = rod_load(b, SP_LOAD_FORCE, s->at, 0, 0, s->aside);
    b->def.moves = &move, b->def.move_count = 1;
    b->def.loads = &load, b->def.load_count = 1;
    b->def.rayleigh_mass = 3;
    if (still) rod_static(b, 1);
    return rod_open(b);
}

// Twists the tip in steps of at most a quarter of a radian; displacement of the rod in the direction of the force at both stops.
static bool twist_up(const setup *s, double aside[2]) {
    rod_lab b;
    grip g = grip_of(s);
    bool good = take(&b, s, &g, true) && rod_step(&b, 0.01);
    for (int k = 0; k < 2 && good; k++) {
        double from = sp_world_time(b.world), x[3];
        int steps = (int)ceil((s->stop[k] - from) / 0.25);
        good = rod_steps(&b, (s->stop[k] - from) / steps, steps);
        rod_at(&b, s->at, x, NULL);
        aside[k] = x[2];
    }
    rod_close(&b);
    return good;
}

// Twist at which the compliance is unbounded, from two shares of the expected one.
static double threshold(setup s, double expected) {
    double plus[2], minus[2];
    s.stop[0] = 0.95 * expected, s.stop[1] = 0.98 * expected;
    if (!twist_up(&s, plus)) return NAN;
    s.aside = -s.aside;
    if (!twist_up(&s, minus)) return NAN;
    double a = s.stop[0] * s.stop[0], b = s.stop[1] * s.stop[1], first = plus[0] - minus[0], second = plus[1] - minus[1];
    return sqrt(b + (b - a) * (1 / second) / (1 / first - 1 / second));
}

// ------------------------------------------------------------------------------------------------ a straight rod

// zero where a rod of one metre with E I = 1, tension T and torque M can buckle
static double characteristic(double T, double M) {
    double root = sqrt(M * M - 4 * T), a = (M + root) / 2, b = (M - root) / 2, d = a - b;
    return (4 * d * sin(a / 2) * sin(b / 2) - 2 * a * b * sin(d / 2)) / (b * b);
}

static double critical_torque(double T) {
    if (fabs(T) < 1e-6) T = 1e-6;
    double low = 1e-3 + 2 * sqrt(fmax(T, 0)), step = 1e-3, f = characteristic(T, low);
    while ((characteristic(T, low + step) > 0) == (f > 0)) low += step;
    for (int i = 0; i < 60; i++) {
        step /= 2;
        if ((characteristic(T, low + step) > 0) == (f > 0)) low += step;
    }
    return low;
}

TEST(known_limits_of_the_formula) {
    CHECK_NEAR(critical_torque(0), 8.98682, 1e-5);
    CHECK(critical_torque(-39.4) < 0.5 && critical_torque(-30) > 1);  // 4 pi^2 = 39.478 without twist
    CHECK_NEAR(critical_torque(4e4) / (2 * 200), 1, 2e-3);
}

// Tolerance: an edge or element of length l resolves waves of number M / E I, up to 15 per metre, with an error of (15 l)^2 / 12,
// 0.2% for 90; the inverse compliance is linear in the square of the twist to (0.05)(0.02) of itself. One percent covers both.
TEST(straight_rod) {
    const double tensions[] = {0, 20, 60, -20};
    for (int m = SP_ROD_DER; m <= SP_ROD_BEAM; m++)
        for (int k = 0; k < 4; k++) {
            double torque = critical_torque(tensions[k]), expected = torque * 1.3;
            setup s = {
                .model = (sp_rod_model)m, .elements = 90, .radius = 0.01, .tension = tensions[k], .aside = 1e-4, .at = 0.4};
            double found = threshold(s, expected);
            printf("  %s, tension %g: twist of %.4f, theory %.4f (torque %.4f), off by %.2g\n", rod_names[m], tensions[k], found,
                   expected, torque, found / expected - 1);
            CHECK_NEAR(found / expected, 1, 0.01);
        }
}

// ------------------------------------------------------------------------------------------------ Michell's ring

static const double michell = 2 * 3.14159265358979323846 * 1.7320508075688772 * 1.3;

// A discrete rod is clamped by its last edge, that is, by the direction in the middle of it: the circle is closed there.
static setup ring_of(sp_rod_model model) {
    const int p = 80;
    double length = model == SP_ROD_DER ? 1 - 0.5 / p : 1;
    return (setup){.model = model, .elements = p, .radius = 2e-3, .bent = 2 * rod_pi / length, .aside = 0.05, .at = 0.25};
}

// Tolerance: curvature and waves of 2 pi and 4 pi per metre, (4 pi l)^2 / 12 or 0.2% for 80 pieces, and 0.1% for the linear
// extrapolation as above.
TEST(ring_threshold) {
    for (int m = SP_ROD_DER; m <= SP_ROD_BEAM; m++) {
        setup s = ring_of((sp_rod_model)m);
        double found = threshold(s, michell);
        printf("  %s: twist of %.4f, theory %.4f, off by %.2g\n", rod_names[m], found, michell, found / michell - 1);
        CHECK_NEAR(found / michell, 1, 0.01);
    }
}

// largest distance from its plane so far
static double watch(rod_lab *b, double farthest) {
    for (int i = 0; i <= 20; i++) {
        double x[3];
        rod_at(b, i / 20.0, x, NULL);
        farthest = fmax(farthest, fabs(x[2]));
    }
    return farthest;
}

// Twisted within three seconds and then free for one and a half, damped. Four percent below the threshold the ring stays flat
// except for the effect of a fifth of a millinewton and of the twisting itself, a hundredth or two. Five percent above it leaves
// its plane. The deviation then grows at 0.3 of the slowest frequency, 50 per second. Since there is no self-contact, it loses
// two whole turns in the process and is flat and relaxed afterwards: the energy shows it, because 4 pi of 14.9 are gone.
TEST(ring_leaves_its_plane) {
    for (int m = SP_ROD_DER; m <= SP_ROD_BEAM; m++) {
        double farthest[2] = {0, 0}, elastic[2];
        for (int above = 0; above < 2; above++) {
            setup s = ring_of((sp_rod_model)m);
            s.aside = 2e-4, s.stop[1] = (above ? 1.05 : 0.96) * michell;
            grip g = grip_of(&s);
            g.rate = g.most / 3;
            rod_lab b;
            bool good = take(&b, &s, &g, false);
            for (int k = 0; k < 450 && good; k++) {
                good = rod_step(&b, 0.01);
                if (k >= 270) farthest[above] = watch(&b, farthest[above]);  // nine tenths of the twist are applied
            }
            CHECK(good);
            elastic[above] = rod_measures(&b).elastic;
            rod_close(&b);
        }
        printf("  %s: %.2g out of its plane below, %.2g above; at the end %.2f and %.2f J\n", rod_names[m], farthest[0],
               farthest[1], elastic[0], elastic[1]);
        CHECK(farthest[0] < 0.03 && farthest[1] > 0.1);
        CHECK(elastic[0] > 80 && elastic[1] < 30);
    }
}

// ------------------------------------------------------------------------------------------------ a free end

// A torque along a straight rod twists it by T L / mu J, uniformly. Tolerance: all models are linear in pure twist: Newton's
// tolerance.
TEST(torque_at_a_free_tip) {
    for (int m = 0; m < ROD_MODELS; m++) {
        rod_lab b;
        double R[9], k[3];
        const double torque = 1, angle = 1.5;
        rod_begin(&b, (sp_rod_model)m, 7);
        sp_load load = rod_load(&b, SP_LOAD_TORQUE, 1, torque, 0, 0);
        b.def.loads = &load, b.def.load_count = 1;
        rod_static(&b, 1);
        CHECK(rod_open(&b) && rod_step(&b, 1));
        rod_frame(&b, 6.5 / 7, R);  // every model has a frame of its own in the middle of an element
        rod_curvature(&b, 3, k);
        CHECK_NEAR(atan2(R[7], R[4]), angle * 6.5 / 7, 1e-8);
        CHECK_NEAR(k[0], angle, 1e-8);
        CHECK_NEAR(fabs(k[1]) + fabs(k[2]), 0, 1e-8);
        rod_close(&b);
    }
}
