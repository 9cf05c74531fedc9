// Claim: falling, swinging, flying and carried rods move as theory predicts, stay bounded without any damping at steps of 11 ms,
// and come to rest in the static equilibrium.
//
// Numbers of the first tests: a rod of one metre, clamped horizontally and released, rho S g L^3 / E I = 30, mu J = 2/3 E I, as
// computed by an independent program with the scheme of Casati (2015), 4.3.31: implicit in the elastic forces, explicit in all
// others.
#include "rod_lab.h"

static const double g = 9.81, bend = 9.81 / 30;

static void falling(rod_lab *b, sp_rod_model model, int elements) {
    rod_begin(b, model, elements);
    b->section = rod_section(bend, bend * 2 / 3, 1, 1e-3);
    b->gravity[1] = -g;
}

// Potential, kinetic and bending energy. Curvature coordinates distribute mass evenly over the centreline: Simpson's rule. The
// other models have it at their nodes.
static double energy(rod_lab *b) {
    sp_body_measures info = rod_measures(b);
    bool even = b->def.model <= SP_ROD_HELIX;
    int n = b->strand.elements * (even ? 16 : 1);
    double sum = 0, x[3];
    for (int i = 0; i <= n; i++) {
        rod_at(b, (double)i / n, x, NULL);
        double height = b->gravity[0] * x[0] + b->gravity[1] * x[1] + b->gravity[2] * x[2];
        double weight = i == 0 || i == n ? (even ? 1.0 / 3 : 0.5) : even ? (i % 2 ? 4.0 / 3 : 2.0 / 3) : 1;
        sum -= weight * height / n;
    }
    return info.kinetic + info.elastic + sum;
}

// ------------------------------------------------------------------------------------------------ numbers of an independent
// program

// Tolerance: half a unit of the last of four digits, and the truncation of series in the other program.
TEST(ten_clothoids_fall) {
    rod_lab b;
    double x[3];
    falling(&b, SP_ROD_CLOTHOID, 10);
    REQUIRE(rod_open(&b));
    double start = energy(&b);
    CHECK(rod_steps(&b, 0.011, 45));
    rod_at(&b, 1, x, NULL);
    CHECK_NEAR(x[0], 0.0448, 1e-4);
    CHECK_NEAR(x[1], -0.9243, 1e-4);
    CHECK_NEAR(energy(&b) - start, -0.042, 6e-4);
    CHECK(rod_steps(&b, 0.011, 27));
    rod_at(&b, 1, x, NULL);
    CHECK_NEAR(x[0], -0.5021, 1e-4);
    CHECK_NEAR(x[1], -0.4622, 1e-4);
    CHECK(rod_steps(&b, 0.011, 18));
    rod_at(&b, 1, x, NULL);
    CHECK_NEAR(x[0], -0.1997, 1e-4);
    CHECK_NEAR(x[1], -0.7673, 1e-4);
    sp_body_measures info = rod_measures(&b);
    CHECK_NEAR(energy(&b) - start, -0.285, 6e-4);
    CHECK_NEAR(info.kinetic, 1.853, 6e-4);
    CHECK_NEAR(info.elastic, 1.620, 6e-4);
    rod_close(&b);
}

static void check_tip(sp_rod_model model, int elements, double x, double y) {
    rod_lab b;
    double tip[3];
    falling(&b, model, elements);
    CHECK(rod_open(&b) && rod_steps(&b, 0.011, 90));
    rod_at(&b, 1, tip, NULL);
    printf("  %d of %s: (%.4f, %.4f), known (%.4f, %.4f)\n", elements, rod_names[model], tip[0], tip[1], x, y);
    CHECK_NEAR(tip[0], x, 1e-4);
    CHECK_NEAR(tip[1], y, 1e-4);
    rod_close(&b);
}

TEST(others_fall) {
    check_tip(SP_ROD_CLOTHOID, 5, -0.1988, -0.7684);
    check_tip(SP_ROD_HELIX, 18, -0.1973, -0.7701);
}

// There are no such numbers for discrete rods and beams: they are compared with clothoids. All schemes are of first order in
// time, with different constants, so the tips at 0.45 s, before the rod whips, are extrapolated from steps of 1 and 0.5 ms.
// Tolerance: the remaining square of the step, and 40 cells of second order. With one linearisation per step a rotating element
// is pulled straight along its old direction, and the axially stiffer it is the more that brakes: at EA L^2 / E I = 4e5 steps of
// 1 ms are short enough.
TEST(all_fall_alike) {
    double want[3] = {0};
    for (int m = 0; m < ROD_MODELS; m++) {
        const int elements[ROD_MODELS] = {6, 12, 40, 40};
        double x[2][3] = {{NAN}, {NAN}};
        for (int half = 0; half < 2; half++) {
            rod_lab b;
            falling(&b, (sp_rod_model)m, elements[m]);
            b.section = rod_section(bend, bend * 2 / 3, 1, 3e-3);
            CHECK(rod_open(&b) && rod_steps(&b, half ? 0.0005 : 0.001, half ? 900 : 450));
            rod_at(&b, 1, x[half], NULL);
            rod_close(&b);
        }
        for (int i = 0; i < 3; i++) x[0][i] = 2 * x[1][i] - x[0][i];
        if (m == 0) memcpy(want, x[0], sizeof want);
        printf("  %s: %.2g from where clothoids are, %.2g extrapolated over\n", rod_names[m], rod_distance(x[0], want),
               rod_distance(x[0], x[1]));
        CHECK_NEAR(rod_distance(x[0], want), 0, 0.003);
    }
}

// Four clothoids for ten seconds, at the last step before each time. Tolerance: one unit of the last known digit, which was
// truncated.
TEST(ten_seconds) {
    const double known[][2] = {{1, -0.28}, {2, -0.96}, {3, -1.18}, {4, -1.34}, {5, -1.48}, {9.9, -1.99}};
    rod_lab b;
    falling(&b, SP_ROD_CLOTHOID, 4);
    REQUIRE(rod_open(&b));
    double start = energy(&b);
    for (int i = 0; i < 6; i++) {
        int steps = (int)floor(known[i][0] / 0.011 + 1e-9) - (int)sp_world_steps(b.world);
        REQUIRE(rod_steps(&b, 0.011, steps));
        double lost = energy(&b) - start;
        printf("  %.3f s: %.4f (known %.2f)\n", sp_world_time(b.world), lost, known[i][1]);
        CHECK_NEAR(lost, known[i][1], 0.01);
    }
    rod_close(&b);
}

// ------------------------------------------------------------------------------------------------ energy

// Energy lost in one second of falling.
static double loss(sp_rod_model model, sp_integrator_type type, int elements, double h) {
    rod_lab b;
    falling(&b, model, elements);
    b.def.integrator.type = type;
    b.def.integrator.iterations = 100;
    double lost = NAN;
    if (rod_open(&b)) {
        double start = energy(&b);
        if (rod_steps(&b, h, (int)floor(0.99 / h + 0.5))) lost = start - energy(&b);
    }
    rod_close(&b);
    return lost;
}

// First order: eight times less at 1 ms than at 11 (known: 0.034 for six clothoids). Discrete rods, fully implicit, lose more
// than curvature coordinates with their explicit terms (Casati 2015, figure 5.2.5).
TEST(loss_falls_with_the_step) {
    double coarse = loss(SP_ROD_CLOTHOID, SP_IMPLICIT_EULER, 6, 0.011), fine = loss(SP_ROD_CLOTHOID, SP_IMPLICIT_EULER, 6, 0.001);
    double helix = loss(SP_ROD_HELIX, SP_IMPLICIT_EULER, 12, 0.011), newton = loss(SP_ROD_DER, SP_NEWTON, 20, 0.011);
    double der = loss(SP_ROD_DER, SP_IMPLICIT_EULER, 20, 0.011), der_fine = loss(SP_ROD_DER, SP_IMPLICIT_EULER, 20, 0.0011);
    double beam = loss(SP_ROD_BEAM, SP_IMPLICIT_EULER, 20, 0.011), beam_fine = loss(SP_ROD_BEAM, SP_IMPLICIT_EULER, 20, 0.0011);
    printf("  clothoid %.3f and %.3f at 1 ms, helix %.3f, der %.3f and %.3f, to the end of Newton's method %.3f, beam %.3f and "
           "%.3f\n",
           coarse, fine, helix, der, der_fine, newton, beam, beam_fine);
    CHECK_NEAR(fine, 0.034, 0.002);
    CHECK(coarse / fine > 6 && coarse / fine < 11);
    CHECK(helix > 0.5 * coarse && helix < 2 * coarse);
    CHECK(der_fine < 0.25 * der && beam_fine < 0.25 * beam);
    CHECK(newton > coarse && der > coarse);
}

// Two seconds at 11 ms without damping other than that of the scheme, straight and as a ring that falls in its plane and across
// it. Tolerance: the explicit terms let the energy rise for a while, by up to a few hundredths of the 9.81 J of a metre of
// height; an unstable run exceeds any bound within a few steps.
TEST(stable_without_damping) {
    const int elements[ROD_MODELS] = {10, 18, 20, 20};
    for (int m = 0; m < ROD_MODELS; m++)
        for (int shape = 0; shape < 3; shape++) {
            rod_lab b;
            falling(&b, (sp_rod_model)m, elements[m]);
            if (shape > 0) rod_fill(b.natural, elements[m], 0, 0, 2 * rod_pi);
            if (shape == 2) b.gravity[1] = 0, b.gravity[2] = -g;
            bool good = rod_open(&b);
            double start = energy(&b), most = 0;
            for (int k = 0; k < 182 && good; k++) {
                good = rod_step(&b, 0.011);
                most = fmax(most, energy(&b) - start);
            }
            printf("  %s, %s: energy up by %.3f at most, %.3f at the end\n", rod_names[m],
                   shape == 0   ? "straight"
                   : shape == 1 ? "ring in its plane"
                                : "ring across",
                   most, energy(&b) - start);
            CHECK(good && most < 0.3 && energy(&b) - start < 0);
            rod_close(&b);
        }
}

// ------------------------------------------------------------------------------------------------ a free rod

static double blow(const void *user, double t) {  // for a twentieth of a second
    return t < 0.05 + 1e-9 ? *(const double *)user : 0;
}

static const double blows[2][3] = {{-0.5, 1, 0.3}, {1, -0.5, 2}};  // on the first and on the last place

typedef struct flight {
    double p, l;  // root mean square error of momentum and angular momentum, relative
    double mass;
    bool good;
} flight;

// An arc hit at both ends, then free for half a second, in steps of h. Its momentum is that of the impulses and gravity; its
// angular momentum (without gravity) is constant after the impulses.
static flight fly(sp_rod_model model, double h, double gravity) {
    const int elements[ROD_MODELS] = {4, 6, 12, 12}, before = (int)floor(0.06 / h + 0.5), after = (int)floor(0.5 / h + 0.5);
    flight out = {.good = false};
    rod_lab b;
    rod_begin(&b, model, elements[model]);
    b.section = rod_section(bend, bend * 2 / 3, 1, 1e-2);
    rod_fill(b.natural, elements[model], 0.5, 1, 2);
    b.gravity[2] = gravity;
    b.def.free_root = true;
    // damping does not affect momentum in curvature coordinates, but removes fast vibrations at any step; the K of the other
    // models contains their stress, which slows a spin slightly
    if (model <= SP_ROD_HELIX) b.def.rayleigh_stiffness = 2e-3;
    sp_load loads[2] = {rod_load(&b, SP_LOAD_FORCE, 0, 0, 0, 0), rod_load(&b, SP_LOAD_FORCE, 1, 0, 0, 0)};
    for (int i = 0; i < 6; i++) loads[i / 3].value[i % 3] = (sp_signal){.eval = blow, .user = &blows[i / 3][i % 3]};
    b.def.loads = loads, b.def.load_count = 2;
    out.good = rod_open(&b) && rod_steps(&b, h, before);
    double l[3], zero[3] = {0};
    memcpy(l, rod_measures(&b).angular, sizeof l);
    for (int k = 0; k < after && out.good; k++) {
        out.good = rod_step(&b, h);
        sp_body_measures info = rod_measures(&b);
        double p[3], t = sp_world_time(b.world);
        for (int i = 0; i < 3; i++) p[i] = 0.05 * (blows[0][i] + blows[1][i]) + (i == 2 ? gravity * t : 0);
        out.p += pow(rod_distance(info.momentum, p) / rod_distance(p, zero), 2) / after;
        out.l += pow(rod_distance(info.angular, l) / rod_distance(l, zero), 2) / after;
        out.mass = info.mass;
    }
    out.p = sqrt(out.p), out.l = sqrt(out.l);
    rod_close(&b);
    return out;
}

// Discrete rods and beams have a constant mass matrix for positions: forces that sum to zero conserve the momentum, to rounding
// of a direct solve. Curvature coordinates use M(q) at the start of a step, and so lose momentum in first order. All lose angular
// momentum in first order, as implicit Euler does (momentum.c): forces at the end of a step, lever arms at its start.
// Tolerance: steps of a quarter lose a quarter, except for the next terms and for vibrations that the longer steps damp.
TEST(momentum_of_a_free_rod) {
    for (int m = 0; m < ROD_MODELS; m++) {
        flight coarse = fly((sp_rod_model)m, 1e-3, 0), fine = fly((sp_rod_model)m, 2.5e-4, 0);
        printf("  %s: momentum off by %.2g and %.2g of itself, angular momentum by %.2g and %.2g\n", rod_names[m], coarse.p,
               fine.p, coarse.l, fine.l);
        CHECK(coarse.good && fine.good);
        CHECK_NEAR(coarse.mass, 1, 1e-12);
        if (m >= SP_ROD_DER) {
            CHECK_NEAR(coarse.p, 0, 1e-10);
        } else {
            CHECK(coarse.p < 0.05 && coarse.p / fine.p > 2.5 && coarse.p / fine.p < 6);
        }
        CHECK(coarse.l < 0.05 && coarse.l / fine.l > 2.5 && coarse.l / fine.l < 6);
    }
}

// Gravity adds m g t. Tolerance: as above, of a momentum that grows to fifty times as much.
TEST(weight_times_time) {
    for (int m = 0; m < ROD_MODELS; m++) {
        flight f = fly((sp_rod_model)m, 1e-3, -g);
        CHECK(f.good);
        CHECK_NEAR(f.p, 0, m < SP_ROD_DER ? 5e-3 : 1e-10);
    }
}

// ------------------------------------------------------------------------------------------------ a moving root

static const double carried_step = 0.002;

// Positions whose successive velocities differ by a h from the first step on, as in free fall.
static void carried_pose(const void *user, double t, sp_pose *out) {
    const double *a = user;
    *out = sp_pose_identity();
    for (int i = 0; i < 3; i++) out->translate[i] = 0.5 * a[i] * t * (t + carried_step);
}

// A root accelerated by a moves the rod, relative to the root, as gravity g - a would. Tolerance: the same arithmetic except for
// the origin: rounding grown over 200 steps, and the solver's tolerance.
TEST(accelerated_root) {
    static const double a[3] = {3, 5, -2};
    const int elements[ROD_MODELS] = {5, 8, 16, 16};
    for (int m = 0; m < ROD_MODELS; m++) {
        double tip[2][3], root[3] = {0};
        for (int carried = 0; carried < 2; carried++) {
            rod_lab b;
            int node = 0;
            falling(&b, (sp_rod_model)m, elements[m]);
            rod_fill(b.natural, elements[m], 0, 0.5, 1);
            sp_move move = {.nodes = &node, .count = 1, .axes = SP_AXES_ALL};
            move.pose.eval = carried_pose, move.pose.user = a;
            if (carried) b.def.moves = &move, b.def.move_count = 1;
            for (int i = 0; i < 3 && !carried; i++) b.gravity[i] -= a[i];
            CHECK(rod_open(&b) && rod_steps(&b, carried_step, 200));
            rod_at(&b, 1, tip[carried], NULL);
            if (carried) rod_at(&b, 0, root, NULL);
            rod_close(&b);
        }
        for (int i = 0; i < 3; i++) tip[1][i] -= root[i];
        printf("  %s: apart by %.2g\n", rod_names[m], rod_distance(tip[0], tip[1]));
        CHECK_NEAR(root[0], 0.5 * a[0] * 0.4 * 0.402, 1e-12);
        // 1e-7, and what iterations of stiff stretch leave
        CHECK_NEAR(rod_distance(tip[0], tip[1]), 0, m < 2 ? 1e-7 : 1e-6);
    }
}

// ------------------------------------------------------------------------------------------------ coming to rest

// Position of the rod after 16 s with some damping, or in statics.
static void rest(sp_rod_model model, int way, double out[3]) {
    const int elements[ROD_MODELS] = {4, 8, 12, 12};
    rod_lab b;
    falling(&b, model, elements[model]);
    // thick enough that its axial stiffness is not the largest by far: stiffness damping slows axial motion too
    b.section = rod_section(bend, bend * 2 / 3, 1, 0.03);
    rod_fill(b.natural, elements[model], 0.3, 1, 1);
    if (way == 0) rod_static(&b, 10);
    if (way == 1) b.def.rayleigh_stiffness = 0.3;
    if (way == 2) b.def.rayleigh_mass = 3;
    if (way == 3) b.def.drag = 3;
    CHECK(rod_open(&b) && rod_steps(&b, way ? 0.02 : 1, way ? 800 : 1));
    rod_at(&b, 1, out, NULL);
    rod_close(&b);
}

// Damped by stiffness, by mass or by the air, the rod ends in the static equilibrium. Tolerance: with mass or air damping every
// mode decays by exp(-1.5 t), 1e-10 after 16 s. Stiffness damping decays a mode by 0.15 omega^2, which is smallest where gravity
// and not bending is the restoring force, 0.6 per second: 1e-4.
TEST(rests_in_equilibrium) {
    static const char *const ways[4] = {"", "stiffness", "mass", "drag"};
    for (int m = 0; m < ROD_MODELS; m++) {
        double still[3];
        rest((sp_rod_model)m, 0, still);
        for (int way = 1; way < 4; way++) {
            double x[3];
            rest((sp_rod_model)m, way, x);
            printf("  %s, %s: %.2g from the equilibrium\n", rod_names[m], ways[way], rod_distance(x, still));
            CHECK_NEAR(rod_distance(x, still), 0, way == 1 ? 1e-4 : 1e-8);
        }
    }
}

// ------------------------------------------------------------------------------------------------ strands

// Two strands in one body are independent: they move as two bodies. Tolerance: the same arithmetic, rounding.
TEST(two_strands_are_two_rods) {
    for (int m = 0; m < ROD_MODELS; m++) {
        rod_lab one, two;
        const int first = 4, second = 6;
        double x[2][36];
        falling(&one, (sp_rod_model)m, first);
        rod_fill(one.natural, first, 0, 1, 2);
        falling(&two, (sp_rod_model)m, second);
        rod_fill(two.natural, second, 1, -1, 3);
        two.strand.length = 0.7;
        two.strand.root.translate[0] = 5, two.strand.root.translate[2] = -1;
        two.strand.root.quat[0] = 0.8, two.strand.root.quat[2] = 0.6;
        two.def.name = "other";
        // both in one world, then both in one body
        REQUIRE(rod_open(&one));
        two.world = one.world;
        REQUIRE(rod_add(&two) && rod_steps(&one, 0.005, 100));
        CHECK(sp_world_field(one.world, one.body, "position", x[0]) >= 0);
        CHECK(sp_world_field(one.world, two.body, "position", x[0] + 15) >= 0);
        sp_world_destroy(&one.world);
        const sp_rod_strand both[2] = {one.strand, two.strand};
        sp_context_destroy(&one.ctx);
        REQUIRE(rod_world(&one));
        one.def.strands = both, one.def.strand_count = 2;
        CHECK(sp_world_add_rod(one.world, &one.def, &one.body) >= 0 && rod_steps(&one, 0.005, 100));
        memset(x[1], 0, sizeof x[1]);
        CHECK(sp_world_field(one.world, one.body, "position", x[1]) >= 0);
        double worst = 0;
        for (int i = 0; i < 3 * (first + second + 2); i++) worst = fmax(worst, fabs(x[0][i] - x[1][i]));
        CHECK_NEAR(worst, 0, 1e-12);
        CHECK(x[0][3 * first + 1] < -0.05);  // the strand moves
        two.world = NULL;
        rod_close(&one), rod_close(&two);
    }
}
