// Claim: rods touch by constraints as other bodies do.
//
// - capstan: a thin rod that slides on a fixed cylinder has tensions with ln(T1 / T0) = mu theta R / (R + r) (Euler 1769; the
//   friction acts at the radius R, the tension at R + r)
// - a rod that lies on a floor weighs on it; on an incline it stays below the angle of friction and slides with g (sin a - mu cos
//   a) above it; on a soft block it rests, and the forces on the two cancel (third law)
// - two free rods that hit each other crosswise keep their momentum; strands of one body that cross rest on each other
// - an overhand knot in a thread whose ends are pulled apart tightens and holds: its parts do not pass through each other
#include "contact_lab.h"
#include "rod_lab.h"
#include "scene_run.h"

// ---------------------------------------------------------------------------------------------------- capstan

static const double drum = 0.1, thread = 5e-4, pull0 = 1;  // radii [m], the smaller tension [N]

static void pull_away(const void *user, double t, sp_pose *out) {
    const double *velocity = user;
    *out = contact_at(t * velocity[0], t * velocity[1], 0);
}

typedef struct capstan {
    double theta, ratio;  // angle of the contacts [rad], ln(T1 / T0)
} capstan;

// The thread is pulled over the drum at a constant speed until its stretch is steady. The normals of contacts are those at the
// start of a step: sliding by d in a step adds theta d / R to the logarithm, here 0.6 % at most.
static bool capstan_run(sp_rod_model model, int elements, double angle, double mu, capstan *out) {
    contact_lab lab;
    rod_lab rod;
    sp_contact_def contact = contact_exact(mu, 0);
    const double arm = 0.08, radius = drum + thread, length = 2 * arm + angle * radius, speed = 0.025;
    sp_rigid_shape shape = {.type = SP_CAPSULE, .size = {drum, 0.2}, .pose = contact_at(0, radius, -0.1)};
    sp_rigid_def fixed = sp_rigid_def_default();
    contact.solver.tolerance = 1e-6;
    if (!contact_open(&lab, (double[3]){0}, &contact)) return false;
    fixed.shapes = &shape, fixed.shape_count = 1;
    contact_rigid(&lab, &fixed);
    rod_begin(&rod, model, elements);
    rod.world = lab.world, rod.ctx = lab.ctx;
    rod.section = sp_rod_section_default();
    rod.section.axes[0] = rod.section.axes[1] = thread, rod.section.young = 1e8;
    rod.strand.length = length, rod.strand.root = contact_at(-arm, 0, 0), rod.strand.start = rod.start;
    for (int i = 0; i <= elements; i++) {
        const double s = length * i / elements;
        rod.start[3 * i + 2] = s > arm && s < length - arm ? 1 / radius : 0;
    }
    rod.def.free_root = true, rod.def.rayleigh_mass = 5;
    sp_load load = {.type = SP_LOAD_FORCE};
    load.value[0] = sp_signal_constant(-pull0), load.value[1] = load.value[2] = sp_signal_constant(0);
    sp_move move = {.nodes = &elements, .count = 1, .axes = SP_AXES_ALL};
    rod.def.loads = &load, rod.def.load_count = 1, rod.def.moves = &move, rod.def.move_count = 1;
    const double velocity[2] = {speed * cos(angle), speed * sin(angle)};
    move.pose = (sp_pose_signal){.eval = pull_away, .user = velocity};
    const bool good = rod_add(&rod) && contact_steps(&lab, 5e-3, (int)(50 + 16 * exp(mu * angle)));
    double force[3] = {0}, torque[3];
    if (good) contact_load(&lab, rod.body, (double[3]){0, radius, 0}, force, torque);
    // the rod is at rest but for its slow motion: what the contacts do not balance is the other tension
    const double pull1[2] = {pull0 - force[0], -force[1]};
    out->theta = atan2(pull1[1], pull1[0]) + (pull1[1] < 0 ? 2 * SP_PI : 0);
    out->ratio = log(hypot(pull1[0], pull1[1]) / pull0);
    free(rod.natural), free(rod.start);
    contact_close(&lab);
    return good;
}

TEST(capstan) {
    capstan c;
    static const sp_rod_model models[] = {SP_ROD_DER, SP_ROD_BEAM};
    for (int m = 0; m < 2; m++)
        for (int a = 1; a <= 3; a++)
            for (int k = 1; k <= 3; k++) {
                if (!capstan_run(models[m], 48, a * SP_PI / 2, 0.1 * k, &c)) continue;
                CHECK_NEAR(c.ratio, 0.1 * k * c.theta * drum / (drum + thread), 0.02 * c.ratio);
            }
}

// ---------------------------------------------------------------------------------------------------- rest, friction

static const double down[3] = {0, -9.81, 0};

// One straight strand along x with its root at `root`, free; E, radius 5 mm, 0.4 m.
static sp_body_id straight(contact_lab *lab, sp_rod_model model, int elements, double young, const sp_pose *root,
                           const double velocity[3]) {
    sp_rod_section section = sp_rod_section_default();
    sp_rod_strand strand = {.length = 0.4, .elements = elements, .root = *root};
    sp_rod_def def = sp_rod_def_default();
    sp_body_id id = {0};
    section.axes[0] = section.axes[1] = 5e-3, section.young = young;
    def.model = model, def.strands = &strand, def.strand_count = 1, def.sections = &section, def.section_count = 1;
    def.free_root = true;
    memcpy(def.velocity, velocity, sizeof def.velocity);
    if (sp_world_add_rod(lab->world, &def, &id) < 0) SP_TEST_FAILED("%s", sp_world_error(lab->world)->message);
    return id;
}

static const double still[3] = {0}, half_turn = 0.70710678118654752;  // of a quaternion: a quarter turn

// The pressure of a rod is its normal force per length over its diameter: the integral over nodes, and the sum over contacts, is
// the weight. Chains touch with their nodes, which carry equal shares: the pressure is uniform, weight / (diameter length). The
// contacts of curved elements outnumber the unknowns, and only their sums are determined.
static void check_pressure(contact_lab *lab, sp_body_id rod, int elements, bool chain, double weight) {
    double pressure[32], force[96], integral = 0, sum = 0, up = 0;
    const double diameter = 1e-2, length = 0.4, uniform = weight / (diameter * length);
    sp_contact_point p;
    CHECK(sp_world_field(lab->world, rod, "contact-pressure", pressure) == SP_OK);
    CHECK(sp_world_field(lab->world, rod, "contact-force", force) == SP_OK);
    for (int i = 0; i <= elements; i++) {
        const double share = i == 0 || i == elements ? 0.5 : 1;
        integral += pressure[i] * diameter * share * length / elements, up += force[3 * i + 1];
        if (chain) CHECK_NEAR(pressure[i], uniform, 1e-3 * uniform);  // the rod still sways by parts in 1e4
    }
    for (int i = 0; sp_world_contact_at(lab->world, i, &p) == SP_OK; i++) sum += p.pressure * p.area;
    CHECK_NEAR(integral, weight, 1e-6 * weight);
    CHECK_NEAR(up, weight, 1e-6 * weight);
    CHECK_NEAR(sum, weight, 1e-6 * weight);
}

// The weight to 1e-6: the rod comes to rest, and the contact problem is solved to rounding.
TEST(a_floor_carries_a_rod) {
    for (int model = 0; model < ROD_MODELS; model++) {
        contact_lab lab;
        sp_contact_def contact = contact_exact(0.4, 0);
        const sp_pose root = contact_at(0, 0.01, 0);
        double force[3], torque[3];
        if (!contact_open(&lab, down, &contact)) return;
        sp_body_id floor = contact_plane(&lab, (double[3]){0}, (double[3]){0, 1, 0});
        sp_body_id rod = straight(&lab, (sp_rod_model)model, model < 2 ? 4 : 12, 1e7, &root, still);
        contact_steps(&lab, 0.01, 100);
        const double weight = 9.81 * contact_measures(&lab, rod).mass;
        contact_load(&lab, floor, still, force, torque);
        CHECK_NEAR(force[1], -weight, 1e-6 * weight);
        CHECK(fabs(force[0]) <= 1e-6 * weight && fabs(force[2]) <= 1e-6 * weight);
        CHECK(lab.penetration <= 1e-5 * 5e-3);
        check_pressure(&lab, rod, model < 2 ? 4 : 12, model >= 2, weight);
        contact_close(&lab);
    }
}

// Gravity leans, so that the slope is the plane y = 0. Implicit Euler gives v = a t exactly.
TEST(a_rod_on_an_incline) {
    static const double angles[2] = {15, 25}, mu = 0.35, time = 0.4;
    for (int model = 0; model < ROD_MODELS; model++)
        for (int k = 0; k < 2; k++) {
            contact_lab lab;
            sp_contact_def contact = contact_exact(mu, 0);
            const double a = angles[k] * SP_PI / 180, lean[3] = {9.81 * sin(a), -9.81 * cos(a), 0};
            const double slide = 9.81 * fmax(0, sin(a) - mu * cos(a));
            const sp_pose root = contact_at(0, 5e-3, 0);
            if (!contact_open(&lab, lean, &contact)) return;
            contact_plane(&lab, (double[3]){0}, (double[3]){0, 1, 0});
            sp_body_id rod = straight(&lab, (sp_rod_model)model, model < 2 ? 4 : 12, 1e7, &root, still);
            contact_steps(&lab, 0.01, (int)(time / 0.01 + 0.5));
            const sp_body_measures m = contact_measures(&lab, rod);
            // the contact problem is solved to 1e-12
            CHECK_NEAR(m.momentum[0], m.mass * slide * time, 1e-9 * m.mass * 9.81 * time);
            contact_close(&lab);
        }
}

TEST(a_rod_on_a_soft_block) {
    contact_lab lab;
    sp_contact_def contact = contact_exact(0.4, 0);
    const sp_pose middle = contact_at(0.2, -0.03, 0), root = contact_at(0.02, 5.5e-3, 0);
    double force[2][3], torque[2][3];
    contact.solver.tolerance = 1e-9;
    if (!contact_open(&lab, down, &contact)) return;
    contact_plane(&lab, (double[3]){0, -0.06, 0}, (double[3]){0, 1, 0});
    sp_body_id block =
        contact_block(&lab, contact_soft(1000, 1e5, 0.3), (double[3]){0.45, 0.06, 0.06}, (int[3]){10, 2, 2}, &middle);
    sp_body_id rod = straight(&lab, SP_ROD_BEAM, 12, 1e7, &root, still);
    contact_steps(&lab, 0.01, 150);
    contact_load(&lab, rod, still, force[0], torque[0]);
    contact_load(&lab, block, still, force[1], torque[1]);
    const double weight = 9.81 * contact_measures(&lab, rod).mass, all = weight + 9.81 * contact_measures(&lab, block).mass;
    // the block still oscillates by 1e-4 of its weight
    CHECK_NEAR(force[0][1], weight, 1e-3 * weight);
    CHECK_NEAR(force[1][1], all - weight, 1e-3 * all);
    CHECK(lab.penetration <= 0.02 * 5e-3);
    contact_close(&lab);
}

// ---------------------------------------------------------------------------------------------------- rods on rods

// Rods along x and along z, one above the other, hit each other at 2 m/s: the sum of their momenta stays, to rounding.
TEST(crossing_rods_keep_their_momentum) {
    for (int model = 2; model < ROD_MODELS; model++) {
        contact_lab lab;
        sp_contact_def contact = contact_exact(0.3, 0);
        const sp_pose low = contact_at(-0.2, 0, 0), high = {{0.02, 0.02, 0.2}, {half_turn, 0, half_turn, 0}};
        int touched = 0;
        if (!contact_open(&lab, still, &contact)) return;
        sp_body_id a = straight(&lab, (sp_rod_model)model, 16, 1e7, &low, (double[3]){0, 1, 0});
        sp_body_id b = straight(&lab, (sp_rod_model)model, 16, 1e7, &high, (double[3]){0, -1, 0.5});
        const double mass = contact_measures(&lab, a).mass;
        for (int i = 0; i < 30; i++) {
            contact_steps(&lab, 2e-3, 1);
            touched += sp_world_contact_count(lab.world) > 0;
            const sp_body_measures m[2] = {contact_measures(&lab, a), contact_measures(&lab, b)};
            for (int k = 0; k < 3; k++) CHECK_NEAR(m[0].momentum[k] + m[1].momentum[k], k == 2 ? 0.5 * mass : 0, 1e-9 * mass);
        }
        const sp_body_measures m = contact_measures(&lab, a);
        CHECK(touched > 0 && m.momentum[1] < 0.5 * mass);
        contact_close(&lab);
    }
}

// The same with longer steps, in which the rods bend and come apart: some are divided. Forces are the means over the whole step,
// of all contacts in it: the change of momentum over its length, to rounding.
TEST(forces_of_divided_steps_are_means) {
    const double h = 1e-2, speed = 20;
    int divided = 0;
    for (int model = 2; model < ROD_MODELS; model++) {
        contact_lab lab;
        sp_contact_def contact = contact_exact(0.3, 0);
        const sp_pose low = contact_at(-0.2, 0, 0), high = {{0.02, 0.02, 0.2}, {half_turn, 0, half_turn, 0}};
        double before[3], force[3], torque[3], worst = 0;
        if (!contact_open(&lab, still, &contact)) return;
        sp_body_id a = straight(&lab, (sp_rod_model)model, 16, 1e7, &low, (double[3]){0, speed, 0});
        straight(&lab, (sp_rod_model)model, 16, 1e7, &high, (double[3]){0, -speed, 0.5});
        sp_body_measures m = contact_measures(&lab, a);
        for (int i = 0; i < 10; i++) {
            sp_body_info info;
            memcpy(before, m.momentum, sizeof before);
            contact_steps(&lab, h, 1);
            m = contact_measures(&lab, a);
            contact_load(&lab, a, (double[3]){0}, force, torque);
            for (int k = 0; k < 3; k++) worst = fmax(worst, fabs(h * force[k] - (m.momentum[k] - before[k])));
            CHECK_INT(sp_world_body_info(lab.world, a, &info), SP_OK);
            divided += info.solve.substeps > 1;
        }
        printf("  model %d: %d steps divided, forces to %.2g of the momentum\n", model, divided, worst / (m.mass * speed));
        CHECK(worst < 1e-9 * m.mass * speed);
        contact_close(&lab);
    }
    CHECK(divided > 0);
}

// A wavy wire is fed over a floor, and the sweeps of its contacts are few: in some steps the first solve does not converge.
// Passes solve the contacts again, and a step whose last solve converges has no reservation.
TEST(only_the_last_solve_of_a_step_is_a_reservation) {
    enum { ELEMENTS = 20, STEPS = 25 };
    const double element = 3e-3, radius = 5e-4;
    contact_lab lab;
    sp_contact_def contact = sp_contact_def_default();
    sp_rod_section section = sp_rod_section_default();
    sp_rod_strand strand = {.length = ELEMENTS * element, .elements = ELEMENTS, .root = contact_at(-3 * element, 0, 0)};
    sp_rod_feed feed = {.direction = {1, 0, 0}, .speed = sp_signal_constant(0.02)};
    sp_rod_def def = sp_rod_def_default();
    sp_body_id id = {0};
    double natural[3 * (ELEMENTS + 1)] = {0}, zeros[3 * (ELEMENTS + 1)] = {0};
    int solved = 0, reservations = 0;
    for (int i = 0; i <= ELEMENTS; i++) natural[3 * i + 1] = 2 * sin(0.2 * i), natural[3 * i + 2] = cos(0.2 * i);
    contact.formulation = SP_CONTACT_PROXIMITY, contact.friction = 0.1, contact.alarm = 3e-4;
    contact.solver.method = SP_CONTACT_GAUSS_SEIDEL, contact.solver.sweeps = 20;
    section.axes[0] = section.axes[1] = radius, section.bore = 3e-4;
    section.density = 1400, section.young = 5e7, section.poisson = 0.4;
    strand.curvature = natural, strand.start = zeros;
    def.model = SP_ROD_BEAM, def.strands = &strand, def.strand_count = 1, def.rayleigh_mass = 5;
    def.sections = &section, def.section_count = 1, def.feed = &feed;
    if (!contact_open(&lab, down, &contact)) return;
    contact_plane(&lab, (double[3]){0, -radius - 1e-4, 0}, (double[3]){0, 1, 0});
    CHECK_INT(sp_world_add_rod(lab.world, &def, &id), SP_OK);
    const sp_body *rod = sp__world_body(lab.world, id);
    for (int i = 0; i < STEPS; i++) {
        const sp_status status = sp_world_step(lab.world, 0.01);
        const bool good = sp__constraints_info(lab.world->constraints)->solve.status == SP_OK && rod->solve.status == SP_OK;
        CHECK_INT(status == SP_OK, good);
        solved += good, reservations += !good;
    }
    printf("  %d steps solved, %d with a reservation\n", solved, reservations);
    CHECK(solved > 0);
    contact_close(&lab);
}

// Strands of one body: the lower ones are clamped at both ends, the upper ones lie across them. They rest on each other with
// their weight, and none falls through.
TEST(strands_rest_on_strands) {
    enum { EACH = 3, ELEMENTS = 16 };
    contact_lab lab;
    sp_contact_def contact = contact_exact(0.3, 0);
    sp_rod_section section = sp_rod_section_default();
    sp_rod_strand strand[2 * EACH];
    sp_rod_def def = sp_rod_def_default();
    int held[2 * EACH];
    sp_body_id id = {0};
    contact.self = true, contact.solver.tolerance = 1e-8;
    for (int i = 0; i < 2 * EACH; i++) {
        const double across = 0.05 * (i % EACH - 1);
        const sp_pose low = contact_at(-0.1, 0, across), high = {{across, 0.006, 0.1}, {half_turn, 0, half_turn, 0}};
        strand[i] = (sp_rod_strand){.length = 0.2, .elements = ELEMENTS, .root = i < EACH ? low : high};
        held[2 * (i % EACH)] = (ELEMENTS + 1) * (i % EACH), held[2 * (i % EACH) + 1] = held[2 * (i % EACH)] + ELEMENTS;
    }
    sp_fix fix = {held, 2 * EACH, SP_AXES_ALL, 0};
    section.axes[0] = section.axes[1] = 2e-3, section.young = 1e8;
    def.model = SP_ROD_DER, def.strands = strand, def.strand_count = 2 * EACH, def.sections = &section, def.section_count = 1;
    def.free_root = true, def.fixes = &fix, def.fix_count = 1, def.rayleigh_mass = 20;
    if (!contact_open(&lab, down, &contact)) return;
    CHECK_INT(sp_world_add_rod(lab.world, &def, &id), SP_OK);
    contact_steps(&lab, 5e-3, 200);
    sp_contact_sum sum;
    CHECK_INT(sp_world_contact_sum(lab.world, id, &sum), SP_OK);
    // half of the mass rests on the other half; the strands sag, which turns the normals by 1e-2
    CHECK_NEAR(sum.normal, 9.81 * contact_measures(&lab, id).mass / 2, 1e-3 * sum.normal);
    CHECK(sum.count >= EACH * EACH && lab.penetration < 0.01 * 2e-3);
    contact_close(&lab);
}

// ---------------------------------------------------------------------------------------------------- a knot

// The loose knot of scenes/contact/knot.xml, the curve (t3 - 3 t, t4 - 4 t2, t5 / 5 - 2 t): pulled tight, its parts stay at least
// 0.95 of the diameter apart in every step, and the end that is pulled stops before the thread is straight. Every step converges;
// some are divided. A ball that flies past takes part in these and has a uniform motion, to rounding.
TEST(an_overhand_knot_holds) {
    const double radius = 5e-4;
    scene_run s;
    double least = INFINITY, x[2][3], apart[3];
    if (!scene_open(&s, "contact/knot.xml", NULL, NULL)) return;
    sp_world *world = sp_run_world(s.run);
    const sp_body_id thread_id = {1, 1};
    sp_anchor ends[2];
    sp_body_info info;
    CHECK_INT(sp_world_body_info(world, thread_id, &info), SP_OK);
    CHECK_INT(sp_world_anchor_node(world, thread_id, 0, &ends[0]), SP_OK);
    CHECK_INT(sp_world_anchor_node(world, thread_id, info.nodes - 1, &ends[1]), SP_OK);
    const sp_rigid_shape round = contact_ball(0.01);
    sp_rigid_def ball = sp_rigid_def_default();
    sp_body_id ball_id = {0};
    ball.shapes = &round, ball.shape_count = 1, ball.free = true, ball.density = 1000;
    ball.velocity[1] = 0.5, ball.pose.constant = contact_at(1, 0, 0);
    CHECK_INT(sp_world_add_rigid(world, &ball, &ball_id), SP_OK);
    int divided = 0;
    double speed = 0, v[3], length = 0, before[3];
    for (int i = 0; i < info.nodes; i++) {
        sp_anchor a;
        double at[3];
        sp_world_anchor_node(world, thread_id, i, &a), sp_world_anchor_get(world, &a, at, NULL);
        if (i) sp__sub3(at, before, apart), length += sp__norm3(apart);
        memcpy(before, at, sizeof at);
    }
    while (!sp_run_done(s.run)) {
        sp_contact_sum sum;
        CHECK_INT(sp_run_step(s.run), SP_OK);
        CHECK_INT(sp_world_contact_sum(world, thread_id, &sum), SP_OK);
        least = fmin(least, sum.gap);
        CHECK_INT(sp_world_body_info(world, thread_id, &info), SP_OK);
        divided += info.solve.substeps > 1;
    }
    sp_anchor centre = {.body = ball_id};
    double place[3];
    CHECK(sp_world_anchor_get(world, &centre, place, NULL) >= 0);
    CHECK_NEAR(place[1], 0.5 * sp_world_time(world), 1e-12);
    CHECK(divided > 0);
    for (int i = 0; i < 2; i++) sp_world_anchor_get(world, &ends[i], x[i], v), speed = fmax(speed, sp__norm3(v));
    sp__sub3(x[0], x[1], apart);
    CHECK(least >= -0.05 * 2 * radius);
    // a tight overhand knot takes ten diameters of thread at least; the end was pulled at 0.16 m/s
    CHECK(sp__norm3(apart) < length - 10 * 2 * radius && speed < 1e-3);
    scene_close(&s);
}
