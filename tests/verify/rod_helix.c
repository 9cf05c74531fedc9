// Claim: a helical spring under a force and a couple along its axis stays a helix, of the curvature and torsion that balance
// them, from close-coiled to almost straight; for small forces it follows the spring formula of the handbooks.
//
// Published: Kirchhoff (1859); Love, "A Treatise on the Mathematical Theory of Elasticity" (1927), sections 270-271: with radius
// r and pitch angle a, k = cos^2 a / r, t = sin a cos a / r,
//     F = (C (t - t0) cos a - B (k - k0) sin a) / r,   M = C (t - t0) sin a + B (k - k0) cos a
// in which B = E I and C = mu J. Handbooks: F = G d^4 / (8 D^3 n) z = C z / (r^2 L).
//
// The root is clamped, so the axis of the helix depends on the helix: along (t, 0, k) in the root's frame. Curvature coordinates
// are loaded at the tip, off the axis, by F e and M e + (axis - tip) x F e, both dead loads; curvature is uniform, so one
// clothoid or one super-helix is exact. For discrete rods and beams the tip is moved to the tip of the helix, with its frame, and
// the reaction force at the root is compared.
#include "rod_lab.h"

static const double B = 1, C = 1 / 1.3;

typedef struct spring {
    double k, t;           // curvature and torsion
    double force, couple;  // along the axis
} spring;

static void love(const spring *natural, spring *s) {
    double a = atan2(s->t, s->k), r = cos(a) * cos(a) / s->k, twist = C * (s->t - natural->t), bend = B * (s->k - natural->k);
    s->force = (twist * cos(a) - bend * sin(a)) / r;
    s->couple = twist * sin(a) + bend * cos(a);
}

// length along the axis per length of wire
static double sine(const spring *s) {
    return s->t / sqrt(s->t * s->t + s->k * s->k);
}

// The helix of this pitch angle without a couple: M is linear in the size of (k, t).
static spring free_to_turn(const spring *natural, double pitch) {
    double s = sin(pitch), c = cos(pitch), size = (C * natural->t * s + B * natural->k * c) / (C * s * s + B * c * c);
    spring out = {.k = size * c, .t = size * s};
    love(natural, &out);
    return out;
}

// The helix whose end does not rotate about the axis: the number of turns, sqrt(k^2 + t^2) L, is constant.
static spring held_from_turning(const spring *natural, double pitch) {
    double size = sqrt(natural->k * natural->k + natural->t * natural->t);
    spring out = {.k = size * cos(pitch), .t = size * sin(pitch)};
    love(natural, &out);
    return out;
}

// ------------------------------------------------------------------------------------------------ handbook formula

// A close-coiled spring, pitch angle 0.5 degrees. Tolerance: sin^2 of the angle, 1e-4, and the relative force, also 1e-4.
TEST(handbook_stiffness) {
    const double r = 0.02, pitch = 0.5 * rod_pi / 180, length = 1;
    const spring natural = {.k = cos(pitch) * cos(pitch) / r, .t = sin(pitch) * cos(pitch) / r};
    spring pulled = free_to_turn(&natural, 1.01 * pitch), held = held_from_turning(&natural, 1.01 * pitch);
    double stiffness = C / (r * r * length);
    CHECK_NEAR(pulled.force / (length * (sine(&pulled) - sine(&natural))) / stiffness, 1, 5e-4);
    CHECK_NEAR(held.force / (length * (sine(&held) - sine(&natural))) / stiffness, 1, 5e-4);
    // in the terms of the handbooks: wire d, coil D, n coils of shear modulus G
    double d = 1e-3, D = 2 * r, coils = length / (2 * rod_pi * r), G = 32 * C / (rod_pi * pow(d, 4));
    CHECK_NEAR(G * pow(d, 4) / (8 * pow(D, 3) * coils) / stiffness, 1, 1e-12);
}

// ------------------------------------------------------------------------------------------------ the rod

// end point of a helix of this curvature vector (t, 0, k) that starts at the origin along x, and the vector from there to its
// axis
static void helix_tip(const spring *s, double axis[3], double tip[3], double to_axis[3]) {
    double w = sqrt(s->k * s->k + s->t * s->t), r = s->k / (w * w), p = s->t / w;
    axis[0] = s->t / w, axis[1] = 0, axis[2] = s->k / w;
    // the axis passes through (0, r, 0); the tip is at angle w about it from the root, p along it
    const double out[3] = {0, -1, 0}, side[3] = {axis[2], 0, -axis[0]};  // root relative to the axis, and axis x that
    for (int i = 0; i < 3; i++) {
        double from_axis = r * (cos(w) * out[i] + sin(w) * side[i]);
        tip[i] = (i == 1 ? r : 0) + p * axis[i] + from_axis;
        to_axis[i] = -from_axis;
    }
}

typedef struct outcome {
    double tip;        // distance of the end from its exact position
    double curvature;  // largest difference of a curvature from its exact value
    bool good;
} outcome;

static outcome pull(sp_rod_model model, int elements, const spring *natural, const spring *want, int stages) {
    rod_lab b;
    double e[3], tip[3], arm[3], x[3], k[3], T[3];
    outcome out = {0};
    helix_tip(want, e, tip, arm);
    rod_begin(&b, model, elements);
    b.section = rod_section(B, C, 1, 1e-3);
    rod_fill(b.natural, elements, natural->t, 0, natural->k);
    T[0] = arm[1] * e[2] - arm[2] * e[1], T[1] = arm[2] * e[0] - arm[0] * e[2], T[2] = arm[0] * e[1] - arm[1] * e[0];
    for (int i = 0; i < 3; i++) T[i] = want->couple * e[i] + want->force * T[i];
    double F = want->force;
    sp_load loads[2] = {rod_load(&b, SP_LOAD_FORCE, 1, F * e[0], F * e[1], F * e[2]),
                        rod_load(&b, SP_LOAD_TORQUE, 1, T[0], T[1], T[2])};
    b.def.loads = loads, b.def.load_count = 2;
    rod_static(&b, stages);
    out.good = rod_open(&b) && rod_step(&b, 1);
    rod_at(&b, 1, x, NULL);
    out.tip = rod_distance(x, tip);
    for (int i = 1; i < elements; i++) {
        const double should[3] = {want->t, 0, want->k};
        rod_curvature(&b, i, k);
        out.curvature = fmax(out.curvature, rod_distance(k, should));
    }
    rod_close(&b);
    return out;
}

// Two and a half turns, stretched from 10 degrees to 60. Tolerance: exact except for Newton's tolerance of 1e-10 of the force,
// which the compliance of such a soft spring turns into 1e-7 of its length.
TEST(exact_in_curvature_coordinates) {
    const double size = 5 * rod_pi, pitch = 10 * rod_pi / 180;
    const spring natural = {.k = size * cos(pitch), .t = size * sin(pitch)};
    for (int m = 0; m < 2; m++)
        for (int degrees = 20; degrees <= 60; degrees += 20)
            for (int held = 0; held < 2; held++) {
                spring want =
                    held ? held_from_turning(&natural, degrees * rod_pi / 180) : free_to_turn(&natural, degrees * rod_pi / 180);
                outcome o = pull((sp_rod_model)m, 3, &natural, &want, 5);
                printf("  %s, %d degrees, %s: force %.3f, couple %.3f: tip off by %.2g, curvature by %.2g\n", rod_names[m],
                       degrees, held ? "held" : "free", want.force, want.couple, o.tip, o.curvature);
                CHECK(o.good);
                CHECK_NEAR(o.tip, 0, 1e-7);
                CHECK_NEAR(o.curvature, 0, 1e-6);
            }
}

// Frame of the helix at share s, columns t, n1, n2, and its position.
static void helix_frame(const spring *h, double s, double R[9], double x[3]) {
    double w = sqrt(h->k * h->k + h->t * h->t), n[3] = {h->t / w, 0, h->k / w}, c = cos(w * s), d = sin(w * s);
    double r = h->k / (w * w), side[3] = {n[2], 0, -n[0]};
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            double hat = i == j ? 0 : (j == (i + 1) % 3 ? -1 : 1) * n[3 - i - j];
            R[3 * i + j] = c * (i == j) + d * hat + (1 - c) * n[i] * n[j];
        }
        x[i] = (i == 1 ? r * (1 - c) : 0) + h->t / w * s * n[i] + r * d * side[i];
    }
}

// The tip of a helix that changes from one into another in one second, held at share `at`.
typedef struct carriage {
    spring from, to;
    double at;
} carriage;

// the quaternion of R, whose rotation is below half a turn
static void quat_of(const double R[9], double q[4]) {
    q[0] = 0.5 * sqrt(fmax(0, 1 + R[0] + R[4] + R[8]));
    q[1] = 0.25 * (R[7] - R[5]) / q[0], q[2] = 0.25 * (R[2] - R[6]) / q[0], q[3] = 0.25 * (R[3] - R[1]) / q[0];
}

static void carriage_pose(const void *user, double time, sp_pose *out) {
    const carriage *c = user;
    double u = fmin(time, 1), A[9], B1[9], a[3], b[3], R[9];
    spring now = {.k = (1 - u) * c->from.k + u * c->to.k, .t = (1 - u) * c->from.t + u * c->to.t};
    helix_frame(&c->from, c->at, A, a);
    helix_frame(&now, c->at, B1, b);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            R[3 * i + j] = B1[3 * i] * A[3 * j] + B1[3 * i + 1] * A[3 * j + 1] + B1[3 * i + 2] * A[3 * j + 2];
    quat_of(R, out->quat);
    for (int i = 0; i < 3; i++) out->translate[i] = b[i] - R[3 * i] * a[0] - R[3 * i + 1] * a[1] - R[3 * i + 2] * a[2];
}

typedef struct carried {
    double middle;  // distance of the middle from its exact position
    double force;   // error of the reaction at the root against F e, relative to F
    bool good;
} carried;

static carried carry(sp_rod_model model, int p, const spring *natural, const spring *want) {
    rod_lab b;
    carried out = {.good = false};
    // a discrete rod is held by its last edge: by the frame in the middle of it
    carriage c = {*natural, *want, model == SP_ROD_DER ? 1 - 0.5 / p : 1};
    double R[9], x[3], y[3], *force = calloc(3 * ((size_t)p + 1), sizeof *force), w = sqrt(want->k * want->k + want->t * want->t);
    rod_begin(&b, model, p);
    b.section = rod_section(B, C, 1, 1e-3);
    rod_fill(b.natural, p, natural->t, 0, natural->k);
    sp_move move = {.nodes = &p, .count = 1, .axes = SP_AXES_ALL, .pose = {.eval = carriage_pose, .user = &c}};
    b.def.moves = &move, b.def.move_count = 1;
    rod_static(&b, 1);
    out.good = rod_open(&b) && rod_steps(&b, 0.025, 40) && sp_world_field(b.world, b.body, "force", force) >= 0;
    rod_at(&b, 0.5, x, NULL);
    helix_frame(want, 0.5, R, y);
    const double pull[3] = {-want->force * want->t / w, 0, -want->force * want->k / w};
    out.middle = rod_distance(x, y), out.force = rod_distance(force, pull) / want->force;
    rod_close(&b), free(force);
    return out;
}

// One and a half turns, 15 degrees to 45. Tolerance: second order in the angle per element: both errors fall by 4 when it is
// halved.
TEST(other_models_converge_to_the_helix) {
    const double size = 3 * rod_pi, pitch = 15 * rod_pi / 180;
    const spring natural = {.k = size * cos(pitch), .t = size * sin(pitch)};
    spring want = free_to_turn(&natural, 45 * rod_pi / 180);
    for (int m = SP_ROD_DER; m <= SP_ROD_BEAM; m++) {
        carried coarse = carry((sp_rod_model)m, 60, &natural, &want), fine = carry((sp_rod_model)m, 120, &natural, &want);
        printf("  %s: middle off by %.2g and %.2g, force by %.2g and %.2g\n", rod_names[m], coarse.middle, fine.middle,
               coarse.force, fine.force);
        CHECK(coarse.good && fine.good);
        CHECK_NEAR(coarse.middle / fine.middle, 4, 0.5);
        CHECK_NEAR(coarse.force / fine.force, 4, 0.5);
        CHECK_NEAR(fine.middle, 0, 1e-3);
        CHECK_NEAR(fine.force, 0, 0.01);
    }
}

// Small forces on a spring of five coils and 3 degrees: the models agree with the handbook. The force acts on the axis.
// Tolerance: sin^2 of 3 degrees, 0.3%, and second order in 32 pieces per coil, up to (2 pi / 32)^2 / 4 or 1%.
TEST(small_forces_follow_the_handbook) {
    const double size = 10 * rod_pi, pitch = 3 * rod_pi / 180;
    const spring natural = {.k = size * cos(pitch), .t = size * sin(pitch)};
    for (int m = 0; m < ROD_MODELS; m++) {
        spring want = free_to_turn(&natural, 1.02 * pitch);
        double r = natural.k / (size * size), e[3], tip[3], arm[3], x[2][3];
        for (int loaded = 0; loaded < 2; loaded++) {
            rod_lab b;
            int p = m < SP_ROD_DER ? 4 : 160;
            rod_begin(&b, (sp_rod_model)m, p);
            b.section = rod_section(B, C, 1, 1e-3);
            rod_fill(b.natural, p, natural.t, 0, natural.k);
            helix_tip(&want, e, tip, arm);
            double F = loaded * want.force;
            sp_load loads[2] = {rod_load(&b, SP_LOAD_FORCE, 1, F * e[0], F * e[1], F * e[2]),
                                rod_load(&b, SP_LOAD_TORQUE, 1, F * (arm[1] * e[2] - arm[2] * e[1]),
                                         F * (arm[2] * e[0] - arm[0] * e[2]), F * (arm[0] * e[1] - arm[1] * e[0]))};
            b.def.loads = loads, b.def.load_count = 2;
            rod_static(&b, 2);
            CHECK(rod_open(&b) && rod_step(&b, 1));
            rod_at(&b, 1, x[loaded], NULL);
            rod_close(&b);
        }
        // along the axis of each helix: the frame of the root is fixed, not the axis
        double along = x[1][0] * e[0] + x[1][2] * e[2], before = x[0][0] * sine(&natural) + x[0][2] * natural.k / size;
        double stiffness = want.force / (along - before);
        printf("  %s: %.3f N/m, handbook %.3f\n", rod_names[m], stiffness, C / (r * r));
        CHECK_NEAR(stiffness / (C / (r * r)), 1, 0.015);
    }
}
