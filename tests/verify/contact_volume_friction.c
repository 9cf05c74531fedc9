// Claim: friction and springs of overlap volumes follow their laws.
//
// - Coulomb: a block on a slope stays below tan a = mu and slides above it with g (sin a - mu cos a); T / N = mu. With facets
//   the same where the slope is along an edge of the pyramid
// - viscous: the force is nu A^2 v, so that a block slides with v = m g sin a / (nu A^2)
// - volume-penalty: the force is k V A, the energy k V^2 / 2; implicit Euler loses (m dv^2 + k A^2 dx^2) / 2 in each step, and
//   nothing else
#include "contact/constraints_internal.h"
#include "contact_lab.h"

static const double g = 9.81, rho = 1000, h = 0.01;
static const double size[3] = {0.1, 0.1, 0.05};

// Gravity leans towards x by the angle. The block starts in the floor by the slack, where nothing changes.
static sp_body_id slope_open(contact_lab *b, double angle, const sp_contact_def *contact) {
    sp_rigid_shape box = contact_box(size[0], size[1], size[2]);
    const double sunk = contact->formulation == SP_CONTACT_VOLUME ? contact->slack * contact->pixel : 0;
    sp_pose at = contact_at(0, 0, size[2] / 2 - sunk);
    if (!contact_open(b, (double[3]){g * sin(angle), 0, -g * cos(angle)}, contact)) return (sp_body_id){0};
    contact_plane(b, (double[3]){0}, (double[3]){0, 0, 1});
    return contact_free(b, &box, &at, rho);
}

static double speed_of(contact_lab *b, sp_body_id id, int axis) {
    sp_body_measures m = contact_measures(b, id);
    return m.momentum[axis] / m.mass;
}

static double largest_slip(contact_lab *b) {
    double most = 0;
    for (int k = 0; k < sp_world_contact_count(b->world); k++) {
        sp_contact_point p;
        CHECK_INT(sp_world_contact_at(b->world, k, &p), SP_OK);
        if (sp__dot3(p.force, p.force) > 0) most = fmax(most, sp__norm3(p.slip));
    }
    return most;
}

// ---------------------------------------------------------------------------------------------------- Coulomb

// Not with a single volume: its uniform pressure does not answer the torque of friction, so that the block tilts.
TEST(a_slope_holds_below_the_limit_and_not_above) {
    const double mu = 0.3;
    for (int cell = 4; cell <= 8; cell += 4)
        for (int above = 0; above < 2; above++) {
            contact_lab b;
            sp_contact_def contact = contact_volume(mu, 0.005, cell);
            sp_body_id id = slope_open(&b, atan(mu * (above ? 1.02 : 0.98)), &contact);
            const int n = 50;
            double slid = 0, force[3], torque[3];
            for (int i = 0; i < n; i++) CHECK(contact_steps(&b, h, 1)), slid += largest_slip(&b);
            contact_load(&b, id, (double[3]){0}, force, torque);
            printf("  cell %d, %s: slid %.3g m in %d steps, T / N = %.4f\n", cell, above ? "above" : "below", slid, n,
                   -force[0] / force[2]);
            if (above) {
                CHECK(slid > 0.3 * (n * h) * (n * h) * 0.02 * mu * g * cos(atan(mu)));  // a t^2 / 2
                CHECK_NEAR(-force[0], mu * force[2], 1e-6 * force[2]);
            } else {
                CHECK_NEAR(slid, 0, 1e-9);
                CHECK(-force[0] < mu * force[2]);
            }
            contact_close(&b);
        }
}

// tilt: the slope itself is inclined, so that the rays are not along its normal.
static void slide(int cell, bool tilt) {
    const double angle = acos(-1) / 6, mu = 0.3, slack = 0.5 * 0.005;
    const int n = 60;
    contact_lab b;
    sp_contact_def contact = contact_volume(mu, 0.005, cell);
    sp_body_id id;
    double force[3], torque[3], along[3] = {1, 0, 0}, up[3] = {0, 0, 1}, worst = 0;
    if (tilt) {
        sp_rigid_shape box = contact_box(size[0], size[1], size[2]);
        sp_pose at = {{0}, {cos(angle / 2), 0, sin(angle / 2), 0}};
        up[0] = sin(angle), up[2] = cos(angle), along[0] = cos(angle), along[2] = -sin(angle);
        for (int a = 0; a < 3; a++) at.translate[a] = (size[2] / 2 - slack) * up[a];
        REQUIRE(contact_open(&b, (double[3]){0, 0, -g}, &contact));
        contact_plane(&b, (double[3]){0}, up);
        id = contact_free(&b, &box, &at, rho);
    } else {
        id = slope_open(&b, angle, &contact);
    }
    for (int i = 0; i < n; i++) {
        CHECK(contact_steps(&b, h, 1));
        contact_load(&b, id, (double[3]){0}, force, torque);
        double normal = sp__dot3(force, up), tangent = -sp__dot3(force, along);
        if (i > 2) worst = fmax(worst, fabs(tangent / normal - mu));
    }
    sp_body_measures m = contact_measures(&b, id);
    const double expected = g * (sin(angle) - mu * cos(angle)), a = sp__dot3(m.momentum, along) / m.mass / (n * h);
    printf("  cell %d, %s: T/N - mu = %.1e, acceleration / expected - 1 = %.2e\n", cell, tilt ? "inclined" : "along the rays",
           worst, a / expected - 1);
    // inclined rays meet the walls of the block at its edges: it rocks by a tenth of a pixel, and parts of it slide sideways
    CHECK_NEAR(worst, 0, tilt ? 0.01 : 1e-9);
    CHECK_NEAR(a, expected, 0.01 * expected);
    contact_close(&b);
}

TEST(a_block_slides_with_the_force_of_coulomb) {
    for (int cell = 0; cell <= 8; cell += 4) slide(cell, false), slide(cell, true);
}

// The tangents of the frame are along x and y: the slope leans along an edge of the pyramid, or between two.
TEST(facets_agree_with_the_cone_along_an_edge) {
    const double angle = 0.5, mu = 0.3;
    double speed[2];
    for (int facets = 0; facets < 2; facets++) {
        contact_lab b;
        sp_contact_def contact = contact_volume(mu, 0.005, 0);
        if (facets) contact.solver.cone = SP_CONTACT_FACETS, contact.solver.facets = 4;
        sp_body_id id = slope_open(&b, angle, &contact);
        CHECK(contact_steps(&b, h, 30));
        speed[facets] = speed_of(&b, id, 0);
        contact_close(&b);
    }
    printf("  cone %.9g m/s, 4 facets %.9g m/s\n", speed[0], speed[1]);
    CHECK_NEAR(speed[1], speed[0], 1e-9 * speed[0]);
}

// ---------------------------------------------------------------------------------------------------- viscous

// The law for each contact; with cells, which keep the block upright, also the speed.
TEST(viscous_friction_ends_at_a_speed) {
    const double angle = 0.4, nu = 2e7;  // slow: the same rays meet the block in all steps
    for (int cell = 0; cell <= 8; cell += 8) {
        contact_lab b;
        sp_contact_def contact = contact_volume(0, 0.005, cell);
        contact.law = SP_CONTACT_VISCOUS, contact.viscosity = nu;
        sp_body_id id = slope_open(&b, angle, &contact);
        CHECK(contact_steps(&b, h, 30));
        const sp_constraints *c = b.world->constraints;
        double squares = 0, worst = 0;  // squares: of the areas of all patches
        REQUIRE(c->last_count > 0 && c->last_count == sp_world_contact_count(b.world));
        for (int i = 0; i < c->last_count; i++) {
            sp_contact_point p;
            const double area = c->last[i].area;
            double law[3], along;
            CHECK_INT(sp_world_contact_at(b.world, i, &p), SP_OK);
            squares += area * area, along = sp__dot3(p.force, p.normal);
            for (int a = 0; a < 3; a++) law[a] = p.force[a] - along * p.normal[a] + nu * area * area * p.slip[a] / h;
            worst = fmax(worst, sp__norm3(law));
        }
        const double weight = g * contact_measures(&b, id).mass, speed = speed_of(&b, id, 0);
        const double expected = weight * sin(angle) / (nu * squares);
        printf("  cell %d, %d contacts: law to %.1e of the weight; %.9g m/s, expected %.9g m/s\n", cell, c->last_count,
               worst / weight, speed, expected);
        CHECK_NEAR(worst, 0, 1e-6 * weight);
        if (cell > 0) CHECK_NEAR(speed, expected, 5e-3 * expected);  // the block rocks by thousandths of a pixel
        contact_close(&b);
    }
}

// ---------------------------------------------------------------------------------------------------- springs

TEST(a_volume_spring_has_its_force_and_energy) {
    const double k = 1e8, pixel = 0.005, area = size[0] * size[1];
    contact_lab b;
    sp_contact_def contact = contact_volume(0, pixel, 0);
    contact.formulation = SP_CONTACT_VOLUME_PENALTY, contact.stiffness = k;
    sp_body_id id = slope_open(&b, 0, &contact);
    sp_body_measures m = contact_measures(&b, id);
    double before = 0, speed = 0, sunk = 0, force[3], torque[3], x[3], worst = 0, off = 0;
    const double at[3] = {0, 0, size[2] / 2};
    for (int i = 0; i < 300; i++) {
        CHECK(contact_steps(&b, 0.002, 1));
        contact_load(&b, id, (double[3]){0}, force, torque);
        contact_point(&b, id, at, x);
        const double d = size[2] / 2 - x[2], v = speed_of(&b, id, 2), V = fmax(d, 0) * area;
        const double energy = 0.5 * m.mass * v * v - m.mass * g * d + 0.5 * k * V * V;
        const double lost = 0.5 * m.mass * (v - speed) * (v - speed) + 0.5 * k * area * area * (d - sunk) * (d - sunk);
        off = fmax(off, fabs(force[2] - k * V * area));
        if (i > 0) worst = fmax(worst, fabs(energy + lost - before));
        before = energy, speed = v, sunk = d;
    }
    const double expected = m.mass * g / (k * area * area);
    printf("  depth %.9g m, expected %.9g m; force / k V A - 1 = %.1e; energy to %.1e of m g d\n", sunk, expected,
           off / (m.mass * g), worst / (m.mass * g * expected));
    CHECK_NEAR(sunk, expected, 1e-2 * expected);
    CHECK_NEAR(off, 0, 1e-6 * m.mass * g);
    CHECK_NEAR(worst, 0, 1e-6 * m.mass * g * expected);
    contact_close(&b);
}
