// Claims: free rigid bodies move as mechanics predicts.
//
// - free fall and projectiles: implicit Euler gives x_n = x_0 + n h v_0 + g h2 n (n + 1) / 2, to rounding, at the centre of mass
// - without torque, angular momentum keeps its value to rounding for any inertia, step and spin; with Newton's method to its
//   tolerance
// - the energy of a body with three different moments oscillates by O(h2) and does not drift; with two equal moments it is
// constant
// - a symmetric top precesses about its angular momentum at L / I1 (Goldstein, Classical Mechanics, 5.6), to O(h2)
// - spin about the middle axis is unstable (Dzhanibekov, tennis racket): the body turns over with the period of the exact
//   solution by elliptic functions (Landau and Lifshitz, Mechanics, section 37)
// - a force at an eccentric point changes momentum and angular momentum by its impulse, for every integrator
// - a physical pendulum on a stiff spring has the period 2 pi sqrt((I + m d2) / (m g d)), and hangs at rest in statics
#include "math/vec3.h"
#include "test.h"
#include "world/world_internal.h"

typedef struct scene {
    sp_context *ctx;
    sp_world *w;
    sp_body_id id;
} scene;

static bool open_scene(scene *s, double gravity, const sp_rigid_def *def) {
    sp_world_def world = sp_world_def_default();
    world.gravity[1] = sp_signal_constant(gravity);
    return sp_context_create(NULL, &s->ctx) >= 0 && sp_world_create(s->ctx, &world, &s->w) >= 0 &&
           sp_world_add_rigid(s->w, def, &s->id) >= 0;
}

static void close_scene(scene *s) {
    sp_world_destroy(&s->w);
    sp_context_destroy(&s->ctx);
}

static sp_body_measures measure(const scene *s) {
    sp_body_measures m;
    CHECK_INT(sp_world_body_measure(s->w, s->id, &m), SP_OK);
    return m;
}

// angular velocity in the axes of the body
static void own_spin(const scene *s, double W[3]) {
    const sp_body *b = sp__world_body(s->w, s->id);
    double R[9];
    sp__quat_matrix(b->q[SP_COMMITTED] + 3, R);
    sp__mul3t(R, b->v[SP_COMMITTED] + 3, W);
}

static const sp_rigid_shape box = {.type = SP_BOX, .size = {0.3, 0.1, 0.2}, .pose = {{0.1, 0.4, 0}, {1, 0, 0, 0}}};

// a body with given moments about its own axes, of mass 1
static sp_rigid_def with_moments(double x, double y, double z) {
    sp_rigid_def def = sp_rigid_def_default();
    def.free = true, def.mass = 1;
    def.inertia[0] = x, def.inertia[1] = y, def.inertia[2] = z;
    return def;
}

TEST(projectile) {
    static const sp_integrator_type types[] = {SP_IMPLICIT_EULER, SP_NEWTON, SP_EXPLICIT};
    for (int t = 0; t < 3; t++) {
        sp_rigid_def def = sp_rigid_def_default();
        scene s;
        def.shapes = &box, def.shape_count = 1, def.free = true, def.integrator.type = types[t];
        def.velocity[0] = 2, def.velocity[1] = 5, def.spin[2] = 3, def.spin[0] = 1;
        REQUIRE(open_scene(&s, -9.81, &def));
        sp_anchor centre = {.body = s.id, .offset = {0.25, 0.45, 0.1}};
        double h = 0.01, x[3], v[3];
        int n = 100;
        for (int i = 0; i < n; i++) CHECK_INT(sp_world_step(s.w, h), SP_OK);
        CHECK_INT(sp_world_anchor_get(s.w, &centre, x, v), SP_OK);
        // sums of 100 terms of about 1, and the rotation of the offset
        CHECK_NEAR(x[0], 0.25 + 2 * n * h, 1e-13);
        CHECK_NEAR(x[1], 0.45 + 5 * n * h - 9.81 * h * h * n * (n + 1) / 2, 1e-13);
        CHECK_NEAR(x[2], 0.1, 1e-13);
        CHECK_NEAR(v[1], 5 - 9.81 * n * h, 1e-12);
        // the energy of the fall: the modified energy differs by g h v / 2 of each step
        sp_body_measures m = measure(&s);
        CHECK_NEAR(m.appeared, 0, 1e-9);
        CHECK_NEAR(m.mass, 6, 1e-12);
        close_scene(&s);
    }
}

TEST(angular_momentum_is_exact_without_torque) {
    static const sp_integrator_type types[] = {SP_IMPLICIT_EULER, SP_NEWTON, SP_EXPLICIT};
    static const double steps[] = {0.001, 0.02, 0.1, 0.7};  // up to 4.2 rad in a step
    for (int t = 0; t < 3; t++)
        for (int k = 0; k < 4; k++) {
            sp_rigid_def def = with_moments(1, 2, 2.5);
            scene s;
            def.inertia[3] = 0.3, def.inertia[5] = -0.2;
            def.spin[0] = 3, def.spin[1] = -4, def.spin[2] = 3.5;
            def.integrator.type = types[t];
            if (types[t] != SP_NEWTON) def.integrator.substeps = 2;
            REQUIRE(open_scene(&s, 0, &def));
            double before[3];
            memcpy(before, measure(&s).angular, sizeof before);
            for (int i = 0; i < 300; i++) CHECK(sp_world_step(s.w, steps[k]) >= 0);
            // each of 600 steps and substeps rounds some products of 1e-16 of 11
            // Newton's method stops at 1e-8 of its first residual, at most 11 a step
            double tolerance = types[t] == SP_NEWTON ? 300 * 1e-8 * 11 : 5e-12;
            for (int a = 0; a < 3; a++) CHECK_NEAR(measure(&s).angular[a], before[a], tolerance);
            close_scene(&s);
        }
}

// range of the kinetic energy over its initial value, and its value at the end, all minus 1
static void energy_range(double x, double y, double z, double h, int n, double range[3]) {
    sp_rigid_def def = with_moments(x, y, z);
    scene s;
    def.spin[0] = 0.01, def.spin[1] = 1, def.spin[2] = 0.02;
    REQUIRE(open_scene(&s, 0, &def));
    double start = measure(&s).kinetic;
    range[0] = range[1] = range[2] = 0;
    for (int i = 0; i < n; i++) {
        CHECK_INT(sp_world_step(s.w, h), SP_OK);
        range[2] = measure(&s).kinetic / start - 1;
        range[0] = fmin(range[0], range[2]), range[1] = fmax(range[1], range[2]);
    }
    close_scene(&s);
}

TEST(energy_of_tumbling_bodies) {
    double coarse[3], fine[3];
    // 400 and 800 rad: dozens of flips. Within the parts of a step (0.25 rad) the order is two
    energy_range(1, 2, 2.5, 0.2, 4000, coarse);
    energy_range(1, 2, 2.5, 0.1, 8000, fine);
    CHECK(coarse[1] - coarse[0] < 2e-3);
    CHECK_NEAR((coarse[1] - coarse[0]) / (fine[1] - fine[0]), 4, 0.1);
    // no drift: the last flips are as the first ones
    energy_range(1, 2, 2.5, 0.1, 2000, coarse);
    CHECK_NEAR(fine[1] - fine[0], coarse[1] - coarse[0], 0.01 * fine[1]);
    // two equal moments: constant, up to rounding of some 1e-16 in each of 8000 steps
    energy_range(1, 2, 2, 0.1, 8000, fine);
    CHECK_NEAR(fmax(fine[1], -fine[0]), 0, 2e-11);
    energy_range(2, 2, 2, 0.1, 1000, fine);
    CHECK_NEAR(fmax(fine[1], -fine[0]), 0, 2e-12);
}

// angle of the symmetry axis about the angular momentum after time T, minus the exact one
static double precession_error(double h, double T) {
    const double I1 = 2, I3 = 0.8;
    sp_rigid_def def = with_moments(I1, I1, I3);
    scene s;
    def.spin[0] = 0.6, def.spin[2] = 4;
    if (!open_scene(&s, 0, &def)) return NAN;
    double L[3], size, angle = 0, last = 0;
    memcpy(L, measure(&s).angular, sizeof L);
    size = sp__norm3(L);
    for (int k = 0; k < 3; k++) L[k] /= size;
    double u[3] = {L[2], 0, -L[0]}, v[3];
    sp__cross3(L, u, v);
    for (int i = 0; i < (int)lround(T / h); i++) {
        double R[9];
        CHECK_INT(sp_world_step(s.w, h), SP_OK);
        sp__quat_matrix(sp__world_body(s.w, s.id)->q[SP_COMMITTED] + 3, R);
        double axis[3] = {R[2], R[5], R[8]}, now = atan2(sp__dot3(axis, v), sp__dot3(axis, u));
        if (i == 0) last = atan2(0, -1);  // the axis starts opposite to u in its plane
        angle += remainder(now - last, 2 * SP_PI);
        last = now;
    }
    close_scene(&s);
    return angle - size / I1 * T;
}

TEST(precession_of_a_symmetric_top) {
    double e1 = precession_error(0.05, 20), e2 = precession_error(0.025, 20);
    // 35 rad; the error of the midpoint rule is (h w)2 / 24 of it, with w the spin that is not along an axis
    CHECK(fabs(e2) < 2e-2);
    CHECK_NEAR(e1 / e2, 4, 0.1);
}

// complete elliptic integral of the first kind by the arithmetic-geometric mean; k2 is the square of the modulus
static double elliptic(double k2) {
    double a = 1, b = sqrt(1 - k2);
    for (int i = 0; i < 40; i++) {
        double m = 0.5 * (a + b);
        b = sqrt(a * b), a = m;
    }
    return SP_PI / (2 * a);
}

// time between the first sign changes of W about the middle axis
static double flip_time(double h) {
    sp_rigid_def def = with_moments(1, 2, 2.5);
    scene s;
    def.spin[0] = 0.01, def.spin[1] = 5;
    if (!open_scene(&s, 0, &def)) return NAN;
    double W[3], before = 5, when[2] = {0};
    int found = 0;
    for (int i = 1; i < 20000 && found < 2; i++) {
        CHECK_INT(sp_world_step(s.w, h), SP_OK);
        own_spin(&s, W);
        if (before * W[1] < 0) when[found++] = h * (i - W[1] / (W[1] - before));
        before = W[1];
    }
    close_scene(&s);
    return found == 2 ? when[1] - when[0] : NAN;
}

TEST(dzhanibekov_effect) {
    const double I1 = 1, I2 = 2, I3 = 2.5, a = 0.01, b = 5;
    double E2 = I1 * a * a + I2 * b * b, L2 = I1 * I1 * a * a + I2 * I2 * b * b;
    // L2 < 2 E I2: the axis with the moment 1 is the one that L circles about (Landau and Lifshitz: exchange 1 and 3)
    double k2 = (I2 - I3) * (E2 * I1 - L2) / ((I1 - I2) * (L2 - E2 * I3));
    double rate = sqrt((I1 - I2) * (L2 - E2 * I3) / (I1 * I2 * I3)), period = 2 * elliptic(k2 > 1 ? 1 / k2 : k2) / rate;
    if (k2 > 1) period /= sqrt(k2);
    double coarse = flip_time(0.01), fine = flip_time(0.005);
    // the time depends on the logarithm of the distance from the axis, which the midpoint rule changes by O(h2)
    CHECK_NEAR(fine, period, 2e-3 * period);
    CHECK_NEAR((coarse - period) / (fine - period), 4, 0.4);
}

// impulses of a force at a material point and of a torque, both constant in world axes
TEST(impulses) {
    static const sp_integrator_type types[] = {SP_IMPLICIT_EULER, SP_NEWTON, SP_EXPLICIT};
    for (int t = 0; t < 3; t++) {
        sp_rigid_def def = with_moments(1, 2, 2.5);
        sp_load torque = {.type = SP_LOAD_TORQUE};
        scene s;
        torque.value[0] = sp_signal_constant(3), torque.value[2] = sp_signal_constant(-1);
        def.loads = &torque, def.load_count = 1, def.spin[1] = 6, def.integrator.type = types[t];
        REQUIRE(open_scene(&s, 0, &def));
        for (int i = 0; i < 100; i++) CHECK(sp_world_step(s.w, 0.01) >= 0);
        double end[3];
        memcpy(end, measure(&s).angular, sizeof end);
        // exact but for the tolerance of Newton, 1e-8 of a step's impulse
        CHECK_NEAR(end[0], 3, 1e-9);
        CHECK_NEAR(end[1], 12, 1e-9);
        CHECK_NEAR(end[2], -1, 1e-9);
        // work: the torque's by the rotation of each step. First order
        sp_body_measures m = measure(&s);
        CHECK_NEAR(m.work.loads, m.kinetic - 0.5 * 2 * 36, 0.1 * fabs(m.kinetic - 36) + 0.1);
        close_scene(&s);
    }
}

// a bar that hangs from a stiff spring at its end
static sp_rigid_def pendulum(const sp_rigid_shape *bar, sp_spring_def *nail, double angle) {
    sp_rigid_def def = sp_rigid_def_default();
    const double z[3] = {0, 0, 1};
    *nail = (sp_spring_def){.stiffness = 1e8, .damping = 1e4};
    for (int k = 0; k < 3; k++) nail->to[k] = sp_signal_constant(0);
    def.shapes = bar, def.shape_count = 1, def.free = true, def.springs = nail, def.spring_count = 1;
    sp__quat_axis(z, angle, def.pose.constant.quat);
    return def;
}

static const sp_rigid_shape bar = {.type = SP_BOX, .size = {0.02, 1, 0.02}, .pose = {{-0.01, -1, -0.01}, {1, 0, 0, 0}}};

TEST(physical_pendulum) {
    sp_spring_def nail;
    const double amplitude = 0.1, h = 0.0005;
    sp_rigid_def def = pendulum(&bar, &nail, amplitude);
    scene s;
    // about the end: I = m l2 / 3 + the thickness; amplitude 0.1 lengthens the period by 1 + a2 / 16
    double arm = 0.5, I = (1 + 4e-4) / 12 + 0.25, exact = 2 * SP_PI * sqrt(I / (9.81 * arm)) * (1 + amplitude * amplitude / 16);
    double R[9], before = 1, first = 0, last = 0;
    int found = 0;
    REQUIRE(open_scene(&s, -9.81, &def));
    for (int i = 1; found < 5 && i < 20000; i++) {
        CHECK_INT(sp_world_step(s.w, h), SP_OK);
        sp__quat_matrix(sp__world_body(s.w, s.id)->q[SP_COMMITTED] + 3, R);
        double now = R[3];  // sine of the angle
        if (before * now < 0) {
            last = h * (i - now / (now - before));
            if (found++ == 0) first = last;
        }
        before = now;
    }
    // two periods; implicit Euler damps the amplitude, which changes the period by less than its 6e-4
    CHECK_NEAR((last - first) / 2, exact, 1e-3 * exact);
    CHECK(measure(&s).appeared < 1e-3 * measure(&s).energy_max);
    close_scene(&s);
}

// hangs straight down after a static solve, from almost any angle
TEST(static_pendulum) {
    sp_spring_def nail;
    sp_rigid_def def = pendulum(&bar, &nail, 1.2);
    scene s;
    double R[9];
    def.integrator.type = SP_STATIC, def.integrator.iterations = 200, nail.stiffness = 1e3, nail.damping = 0;
    REQUIRE(open_scene(&s, -9.81, &def));
    CHECK(sp_world_step(s.w, 1) >= 0);
    sp__quat_matrix(sp__world_body(s.w, s.id)->q[SP_COMMITTED] + 3, R);
    // residual 1e-8 of 4 N over the stiffness m g l / 2 of the pendulum
    CHECK_NEAR(R[3], 0, 1e-6);
    CHECK_NEAR(R[4], 1, 1e-6);
    close_scene(&s);
}
