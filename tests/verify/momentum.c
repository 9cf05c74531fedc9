// Claim: an isolated body conserves its momentum, gravity adds m g t, and a rigid motion causes no strain.
//
// Element forces sum to zero, so every integrator conserves linear momentum to rounding and the solver's tolerance. Angular
// momentum L = sum x cross m v: symplectic Euler changes it by h sum x cross f(x), which is zero where elements exert no torque
// (polar and svd; qr with shape deformed), hence it is conserved exactly (Hairer, Lubich, Wanner, "Geometric Numerical
// Integration", 2006, VI.3). Implicit Euler uses the force at the end of the step but the lever arm at its start: dL = -h^2 sum v
// cross f, first order over a fixed time: halving h halves the loss.
#include "verify.h"

typedef struct motion {
    sp_integrator_type integrator;
    sp_material_model model;
    sp_rotation rotation;
    sp_shape shape;
    double h;
    int steps;
    double gravity;
} motion;

typedef struct kept {
    double p0[3], p[3], l0[3], l[3], mass, time, scale_p, scale_l;
    bool good;
} kept;

// An impulse on every node, a spin and a translation.
static double *velocities(const sp_mesh *mesh) {
    int n = sp_mesh_node_count(mesh);
    const double *X = sp_mesh_positions(mesh), spin[3] = {1.0, 2.0, -1.5}, flight[3] = {0.3, -0.2, 0.5};
    double *v = malloc(3 * (size_t)n * sizeof *v);
    unsigned long long seed = 11;
    for (int i = 0; i < n; i++) {
        const double *x = X + 3 * i;
        v[3 * i] = flight[0] + spin[1] * x[2] - spin[2] * x[1] + 0.2 * sp_test_random(&seed);
        v[3 * i + 1] = flight[1] + spin[2] * x[0] - spin[0] * x[2] + 0.2 * sp_test_random(&seed);
        v[3 * i + 2] = flight[2] + spin[0] * x[1] - spin[1] * x[0] + 0.2 * sp_test_random(&seed);
    }
    return v;
}

static kept fly(const motion *m) {
    kept k = {0};
    lab b;
    const double size[3] = {1, 0.6, 0.4};
    const int cells[3] = {4, 3, 2};
    if (!lab_context(&b) || jittered_box(b.ctx, size, cells, 6, 0.2, &b.mesh) < 0) return k;
    double *v = velocities(b.mesh);
    sp_solid_def def = lab_solid(&b);
    def.model = m->model, def.rotation = m->rotation, def.shape = m->shape;
    def.material = (sp_material){.density = 1000, .young = 2e4, .poisson = 0.3};
    def.initial_velocity = v;
    def.integrator.type = m->integrator;
    def.integrator.tolerance = 1e-12;
    def.integrator.iterations = 50;
    def.solver.tolerance = 1e-13;
    k.good = lab_world(&b, &def, m->gravity);
    if (k.good) {
        sp_body_measures before = lab_measures(&b);
        k.good = lab_steps(&b, m->h, m->steps) >= 0;
        sp_body_measures after = lab_measures(&b);
        memcpy(k.p0, before.momentum, sizeof k.p0), memcpy(k.p, after.momentum, sizeof k.p);
        memcpy(k.l0, before.angular, sizeof k.l0), memcpy(k.l, after.angular, sizeof k.l);
        k.mass = before.mass, k.time = sp_world_time(b.world);
        k.scale_p = k.mass * 1.0, k.scale_l = k.mass * 1.0;  // about 1 m/s, about 1 m
    }
    free(v);
    lab_close(&b);
    return k;
}

static double distance(const double *a, const double *b) {
    return sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) + (a[2] - b[2]) * (a[2] - b[2]));
}

// Tolerance: rounding of explicit sums is 1e-16 per step and node; implicit ones add CG's tolerance of 1e-13 of |b| per step:
// 1e-10 of the body's momentum is enough for a hundred steps of both.
TEST(linear_momentum) {
    const sp_integrator_type types[3] = {SP_IMPLICIT_EULER, SP_NEWTON, SP_EXPLICIT};
    for (int t = 0; t < 3; t++)
        for (int r = 0; r < 5; r++) {
            motion m = {types[t],
                        r == 4 ? SP_LINEAR : SP_COROTATIONAL,
                        (sp_rotation)(r % 3),
                        r == 3 ? SP_SHAPE_DEFORMED : SP_SHAPE_REST,
                        types[t] == SP_EXPLICIT ? 0.002 : 0.01,
                        60,
                        0};
            if (r == 3) m.rotation = SP_ROTATION_QR;
            kept k = fly(&m);
            CHECK(k.good);
            CHECK_NEAR(distance(k.p, k.p0), 0, 1e-10 * k.scale_p);
        }
}

// Tolerance as above.
TEST(gravity_adds_weight_times_time) {
    const sp_integrator_type types[3] = {SP_IMPLICIT_EULER, SP_NEWTON, SP_EXPLICIT};
    for (int t = 0; t < 3; t++) {
        motion m = {types[t], SP_COROTATIONAL, SP_ROTATION_POLAR, SP_SHAPE_REST, 0.005, 60, -9.81};
        kept k = fly(&m);
        CHECK(k.good);
        const double expected[3] = {k.p0[0], k.p0[1] - 9.81 * k.mass * k.time, k.p0[2]};
        CHECK_NEAR(distance(k.p, expected), 0, 1e-10 * k.scale_p * 9.81);
    }
}

// Tolerance: rounding of 500 steps. The last case shows the effect of a torque of the elements: a loss 1e6 times larger.
TEST(angular_momentum_symplectic) {
    const motion polar = {SP_EXPLICIT, SP_COROTATIONAL, SP_ROTATION_POLAR, SP_SHAPE_REST, 0.002, 500, 0};
    motion svd = polar, deformed = polar, ghost = polar;
    svd.rotation = SP_ROTATION_SVD;
    deformed.rotation = SP_ROTATION_QR, deformed.shape = SP_SHAPE_DEFORMED;
    ghost.rotation = SP_ROTATION_QR;
    const motion *exact[3] = {&polar, &svd, &deformed};
    for (int i = 0; i < 3; i++) {
        kept k = fly(exact[i]);
        CHECK(k.good);
        CHECK_NEAR(distance(k.l, k.l0), 0, 1e-11 * k.scale_l);
    }
    kept k = fly(&ghost);
    printf("  qr on the rest shape loses %.2g of the angular momentum in 1 s\n", distance(k.l, k.l0) / k.scale_l);
    CHECK(k.good && distance(k.l, k.l0) > 1e-5 * k.scale_l);
}

// Tolerance: first order in the limit; at h = 0.6 ms the next term is still a tenth.
TEST(angular_momentum_implicit) {
    for (int t = 0; t < 2; t++)
        for (int r = 0; r < 2; r++) {
            motion m = {t ? SP_NEWTON : SP_IMPLICIT_EULER,
                        SP_COROTATIONAL,
                        r ? SP_ROTATION_SVD : SP_ROTATION_POLAR,
                        SP_SHAPE_REST,
                        0.000625,
                        160,
                        0};
            kept coarse = fly(&m);
            m.h /= 2, m.steps *= 2;
            kept fine = fly(&m);
            double loss = distance(coarse.l, coarse.l0), half = distance(fine.l, fine.l0);
            printf("  %s, %s: %.3g kg m2/s of %.3g lost, %.3g at half the step\n", t ? "newton" : "implicit-euler",
                   r ? "svd" : "polar", loss, distance(coarse.l0, (double[3]){0}), half);
            CHECK(coarse.good && fine.good);
            CHECK_NEAR(loss / half, 2, 0.2);
        }
}

// The rest shape, rotated by 130 degrees and translated, is in equilibrium: no energy, no force, no motion.
// Tolerance: E times the rounding of positions of size 10, per cell of size 0.2, moved for a step of 0.01 s.
TEST(rigid_motion_does_not_strain) {
    const double c = cos(2.269), s = sin(2.269), size[3] = {1, 0.6, 0.4};
    const int cells[3] = {4, 3, 2};
    for (int r = 0; r < 6; r++) {
        lab b;
        REQUIRE(lab_context(&b) && jittered_box(b.ctx, size, cells, 6, 0.2, &b.mesh) == SP_OK);
        int n = sp_mesh_node_count(b.mesh);
        const double *X = sp_mesh_positions(b.mesh);
        double *x = malloc(3 * (size_t)n * sizeof *x);
        for (int i = 0; i < n; i++) {
            x[3 * i] = 5 + c * X[3 * i] - s * X[3 * i + 1];
            x[3 * i + 1] = -3 + s * X[3 * i] + c * X[3 * i + 1];
            x[3 * i + 2] = 7 + X[3 * i + 2];
        }
        sp_solid_def def = lab_solid(&b);
        def.rotation = (sp_rotation)(r % 3);
        def.shape = r < 3 ? SP_SHAPE_REST : SP_SHAPE_DEFORMED;
        def.material = (sp_material){.density = 1000, .young = 2e4, .poisson = 0.3};
        def.initial = x;
        CHECK(lab_world(&b, &def, 0));
        CHECK(lab_steps(&b, 0.01, 10) >= 0);
        double *now = lab_field(&b, "position"), worst = 0;
        for (int i = 0; i < 3 * n; i++) worst = fmax(worst, fabs(now[i] - x[i]));
        CHECK_NEAR(worst, 0, 1e-12);
        free(now), free(x);
        lab_close(&b);
    }
}

// What one linearisation does to a body that turns by the angle w h in a step: forces of an infinitesimal rotation are zero, so
// that points move along their tangents, and the body is stretched by e = sqrt(1 + (w h)^2) - 1 across its axis. The elastic
// energy 2 (lambda + mu) e^2 V comes from nowhere. F is uniform, so that this is exact on any mesh. Newton's method has the force
// at the end of the step, which prevents the stretch of a stiff body.
static double elastic_after_a_step(sp_integrator_type integrator, double spin, double h, double *volume) {
    double energy = NAN;
    lab b;
    if (!lab_context(&b) || jittered_box(b.ctx, (double[3]){1, 0.6, 0.4}, (int[3]){4, 3, 2}, 6, 0.2, &b.mesh) < 0) return NAN;
    const int n = sp_mesh_node_count(b.mesh);
    double *v = calloc(3 * (size_t)n, sizeof *v);
    for (int i = 0; i < n; i++) {
        const double *x = sp_mesh_positions(b.mesh) + 3 * i;
        v[3 * i] = -spin * x[1], v[3 * i + 1] = spin * x[0];
    }
    sp_solid_def def = lab_solid(&b);
    def.material = (sp_material){.density = 1000, .young = 2e7, .poisson = 0.3}, def.initial_velocity = v,
    def.integrator.type = integrator;
    def.integrator.tolerance = def.solver.tolerance = 1e-12, def.integrator.iterations = 50;
    if (lab_world(&b, &def, 0) && lab_steps(&b, h, 1) >= 0) {
        sp_body_measures m = lab_measures(&b);
        energy = m.elastic, *volume = m.rest_volume;
    }
    free(v);
    lab_close(&b);
    return energy;
}

TEST(one_linearisation_stretches_what_turns) {
    const double E = 2e7, nu = 0.3, lambda = E * nu / ((1 + nu) * (1 - 2 * nu)), mu = E / (2 * (1 + nu)), h = 0.01;
    for (double spin = 5; spin < 50; spin *= 2) {
        double volume = 0, newton_volume, e = sqrt(1 + spin * h * spin * h) - 1;
        double linear = elastic_after_a_step(SP_IMPLICIT_EULER, spin, h, &volume);
        double newton = elastic_after_a_step(SP_NEWTON, spin, h, &newton_volume), expected = 2 * (lambda + mu) * e * e * volume;
        printf("  %g rad per step: %.4g J, %.4g expected; newton %.2g J\n", spin * h, linear, expected, newton);
        CHECK_NEAR(linear / expected, 1, 1e-9);  // rounding of strains of 1e-3
        CHECK(newton < 0.1 * linear);            // a wave crosses the body in a step: it answers within it
    }
}
