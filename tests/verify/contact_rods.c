// Claim: rods touch by constraints as other bodies do.
//
// - capstan: a thin rod that slides on a fixed cylinder has tensions with ln(T1 / T0) = mu theta R / (R + r) (Euler 1769; the
//   friction acts at the radius R, the tension at R + r)
#include "contact_lab.h"
#include "rod_lab.h"

// ---------------------------------------------------------------------------------------------------- capstan

static const double drum = 0.1, thread = 5e-4, pull0 = 1;  // radii [m], the smaller tension [N]

static void pull_away(const void *user, double t, sp_pose *out) {
    const double *velocity = user;
    *out = contact_at(t * velocity[0], t * velocity[1], 0);
}

typedef struct capstan {
    double theta, ratio;  // angle of the contacts [rad], ln(T1 / T0)
} capstan;

static bool capstan_run(sp_rod_model model, int elements, double angle, double mu, capstan *out) {
    contact_lab lab;
    rod_lab rod;
    sp_contact_def contact = contact_exact(mu, 0);
    const double arm = 0.08, radius = drum + thread, length = 2 * arm + angle * radius, speed = 0.1;
    sp_rigid_shape shape = {.type = SP_CAPSULE, .size = {drum, 0.2}, .pose = contact_at(0, radius, -0.1)};
    sp_rigid_def fixed = sp_rigid_def_default();
    contact.solver.tolerance = 1e-6;
    if (!contact_open(&lab, (double[3]){0}, &contact)) return false;
    fixed.shapes = &shape, fixed.shape_count = 1;
    sp_body_id drum_id = contact_rigid(&lab, &fixed);
    rod_begin(&rod, model, elements);
    rod.world = lab.world, rod.ctx = lab.ctx;
    rod.section = sp_rod_section_default();
    rod.section.axes[0] = rod.section.axes[1] = thread, rod.section.young = 1e8;
    rod.strand.length = length, rod.strand.root = contact_at(-arm, 0, 0), rod.strand.start = rod.start;
    for (int i = 0; i <= elements; i++) {
        const double s = length * i / elements;
        rod.start[3 * i + 2] = s > arm && s < length - arm ? 1 / radius : 0;
    }
    rod.def.free_root = true, rod.def.rayleigh_mass = 50;
    sp_load load = {.type = SP_LOAD_FORCE};
    load.value[0] = sp_signal_constant(-pull0), load.value[1] = load.value[2] = sp_signal_constant(0);
    sp_move move = {.nodes = &elements, .count = 1, .axes = SP_AXES_ALL};
    rod.def.loads = &load, rod.def.load_count = 1, rod.def.moves = &move, rod.def.move_count = 1;
    const double velocity[2] = {speed * cos(angle), speed * sin(angle)};
    move.pose = (sp_pose_signal){.eval = pull_away, .user = velocity};
    const bool good = rod_add(&rod) && contact_steps(&lab, 2e-3, 150);
    double first = INFINITY, last = -INFINITY, force[3] = {0}, torque[3];
    int count = 0;
    for (int i = 0; good && i < sp_world_contact_count(lab.world); i++) {
        sp_contact_point p;
        sp_world_contact_at(lab.world, i, &p);
        if (!(sp__norm3(p.force) > 1e-6 * pull0)) continue;
        double at = atan2(p.point[0], radius - p.point[1]);
        if (at < -0.5) at += 2 * SP_PI;
        first = fmin(first, at), last = fmax(last, at), count++;
    }
    if (good) contact_load(&lab, rod.body, (double[3]){0, radius, 0}, force, torque);
    out->theta = (last - first) * count / (count - 1);  // a contact stands for its share of the arc
    out->ratio = log(hypot(force[0] - pull0, force[1]) / pull0);
    printf("  %s %3.0f deg mu %g: theta %.4f, ln %.5f, law %.5f, %d contacts, drum %g\n", rod_names[model], angle * 180 / SP_PI,
           mu, out->theta, out->ratio, mu * out->theta * drum / radius, count, (double)drum_id.slot);
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
                if (!capstan_run(models[m], 120, a * SP_PI / 2, 0.1 * k, &c)) continue;
                CHECK_NEAR(c.ratio, 0.1 * k * c.theta * drum / (drum + thread), 0.02 * c.ratio);
            }
}
