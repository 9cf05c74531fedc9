// Claim: a rod placed on a rigid shape comes to rest there, supported by contact forces that sum to its weight; friction holds it
// on a slope up to the angle whose tangent is the coefficient, and lets it slide with g (sin - mu cos) above.
//
// Contact forces are computed from the penetration of the contact samples: `stiffness` times depth each, `samples` points in the
// middles of equal parts of an element.
#include "rod_lab.h"

static const double g = 9.81, radius = 0.01, stiffness = 20;
enum { SAMPLES = 10 };
static const int elements[ROD_MODELS] = {4, 8, 16, 16};

// A free rod of one kilogram and one metre, soft (rho S g L^3 / E I = 30), with drag so that it comes to rest.
static void laid(rod_lab *b, sp_rod_model model) {
    rod_begin(b, model, elements[model]);
    b->section = rod_section(g / 30, g / 45, 1, radius);
    b->def.free_root = true;
    b->def.samples = SAMPLES;
    b->contact_state = true;
    // the stiffness belongs to one sample: the whole rod rests on 16 * 10 * 20 N/m, for any number of elements
    b->contact.stiffness = stiffness * 16 / elements[model];
    b->gravity[2] = -g;
}

static bool add_shape(rod_lab *b, sp_shape_type type, double size, double height) {
    sp_rigid_def def = sp_rigid_def_default();
    sp_rigid_shape shape = {.type = type, .pose = sp_pose_identity()};
    sp_body_id id;
    if (type == SP_PLANE) shape.size[2] = 1;
    if (type == SP_SPHERE) shape.size[0] = size;
    shape.pose.translate[2] = height;
    def.name = "ground", def.shapes = &shape, def.shape_count = 1;
    return sp_world_add_rigid(b->world, &def, &id) >= 0;
}

typedef struct carried {
    double up;       // sum of the vertical components
    double deepest;  // [m]
    int places;      // samples in contact
} carried;

// Forces of a plane z = 0 (ball = 0) or of a ball about the origin.
static carried contact_forces(rod_lab *b, double ball) {
    carried out = {0};
    int n = b->strand.elements * SAMPLES;
    for (int i = 0; i < n; i++) {
        double x[3], up = 1;
        rod_at(b, (i + 0.5) / n, x, NULL);
        double distance = x[2];
        if (ball > 0) {
            double r = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
            distance = r - ball, up = x[2] / r;
        }
        double depth = radius - distance;
        if (depth <= 0) continue;
        out.up += b->contact.stiffness * depth * up;
        out.deepest = fmax(out.deepest, depth);
        out.places++;
    }
    return out;
}

static double speed(rod_lab *b) {
    double worst = 0, x[3], v[3];
    const double zero[3] = {0};
    for (int i = 0; i <= 20; i++) {
        rod_at(b, i / 20.0, x, v);
        worst = fmax(worst, rod_distance(v, zero));
    }
    return worst;
}

// ------------------------------------------------------------------------------------------------ at rest

// A circular arc, dropped flat from two centimetres. Tolerance: the motion left after two seconds of drag, 1e-4 of the weight.
TEST(rests_on_a_plane) {
    for (int m = 0; m < ROD_MODELS; m++) {
        rod_lab b;
        laid(&b, (sp_rod_model)m);
        rod_fill(b.natural, elements[m], 0, 0, 2);
        b.strand.root.translate[2] = 0.03;
        b.def.drag = 8;
        CHECK(rod_world(&b) && add_shape(&b, SP_PLANE, 0, 0) && rod_add(&b) && rod_steps(&b, 0.005, 500));
        carried c = contact_forces(&b, 0);
        printf("  %s: carried by %.5f N of %.5f, %d places, moves at %.2g m/s\n", rod_names[m], c.up, g, c.places, speed(&b));
        CHECK_NEAR(speed(&b), 0, 1e-4);
        CHECK_NEAR(c.up, g, 1e-4 * g);
        CHECK_INT(c.places, SAMPLES * elements[m]);
        // all samples carry the same force, except at the ends of beams: their support has a moment there, w l^2 / 12, that their
        // lumped weight does not have, which bends them by 3% of the depth on such a ground
        CHECK_NEAR(c.deepest, g / (c.places * b.contact.stiffness), 0.05 * c.deepest);
        rod_close(&b);
    }
}

// Across the top of a ball, hanging down on both sides. Friction keeps it from sliding off and carries part of the weight where
// the ball is not level: the friction forces sum to less than mu times the lever arm of the slope there, a few percent.
TEST(hangs_over_a_ball) {
    const double ball = 0.25;
    for (int m = 0; m < ROD_MODELS; m++) {
        rod_lab b;
        double x[2][3];
        laid(&b, (sp_rod_model)m);
        b.strand.root.translate[0] = -0.5;
        b.strand.root.translate[2] = ball + radius;
        b.def.drag = 8;
        b.contact.friction = 0.3;
        CHECK(rod_world(&b) && add_shape(&b, SP_SPHERE, ball, 0) && rod_add(&b) && rod_steps(&b, 0.005, 500));
        carried c = contact_forces(&b, ball);
        rod_at(&b, 0, x[0], NULL), rod_at(&b, 1, x[1], NULL);
        printf("  %s: carried by %.4f N of %.4f, %d places, ends at heights %.4f and %.4f, moves at %.2g m/s\n", rod_names[m],
               c.up, g, c.places, x[0][2], x[1][2], speed(&b));
        CHECK_NEAR(speed(&b), 0, 2e-3);
        CHECK_NEAR(c.up, g, 0.05 * g);
        CHECK_NEAR(x[0][2], x[1][2], 0.01);
        CHECK(x[0][2] < ball - 0.1 && c.places > 0 && c.places < SAMPLES * elements[m]);
        rod_close(&b);
    }
}

// ------------------------------------------------------------------------------------------------ a slope

static const double slope_step = 0.002;

// Position and speed down a slope after 200 and 400 steps, from rest, starting at the equilibrium depth; *spring: deflection of
// the tangential springs at rest.
static bool slide(sp_rod_model model, double degrees, double mu, double at[2], double v[2], double *spring) {
    rod_lab b;
    double a = degrees * rod_pi / 180, x[3], w[3];
    laid(&b, model);
    b.gravity[0] = g * sin(a), b.gravity[2] = -g * cos(a);
    b.contact.friction = mu;
    b.strand.root.translate[2] = radius - g * cos(a) / (b.contact.stiffness * SAMPLES * elements[model]);
    bool good = rod_world(&b) && add_shape(&b, SP_PLANE, 0, 0) && rod_add(&b);
    for (int k = 0; k < 2 && good; k++) {
        good = rod_steps(&b, slope_step, 200);
        rod_at(&b, 0.5, x, w);
        at[k] = x[0] - 0.5 * b.strand.length, v[k] = w[0];
    }
    *spring = g * sin(a) / (b.contact.stiffness * SAMPLES * elements[model]);
    rod_close(&b);
    return good;
}

// mu = 0.5 holds up to 26.6 degrees. Sticking: after a sudden release the rod oscillates on its tangential springs, beyond the
// cone where their deflection doubles, and comes to rest. After 0.4 s the amplitude is below the deflection at rest. Sliding:
// Coulomb's acceleration; contact forces are solved to half a percent.
TEST(friction_on_a_slope) {
    const double mu = 0.5;
    for (int m = 0; m < ROD_MODELS; m++)
        for (int k = 0; k < 4; k++) {
            const double degrees[] = {10, 25, 28, 45};
            double x[2] = {NAN, NAN}, v[2] = {NAN, NAN}, spring, a = degrees[k] * rod_pi / 180;
            double faster = g * (sin(a) - mu * cos(a)) * 0.4;
            CHECK(slide((sp_rod_model)m, degrees[k], mu, x, v, &spring));
            if (k < 2)
                printf("  %s, %g degrees: %.3g and %.3g m, springs %.3g\n", rod_names[m], degrees[k], x[0], x[1], spring);
            else
                printf("  %s, %g degrees: faster by %.4f m/s, expected %.4f\n", rod_names[m], degrees[k], v[1] - v[0], faster);
            if (k < 2) {
                CHECK(x[0] > 0 && x[0] < 0.01);
                CHECK(fabs(x[1] - x[0]) < spring);
            } else {
                CHECK_NEAR(v[1] - v[0], faster, 0.005 * mu * g * cos(a) * 0.4);
            }
        }
}
