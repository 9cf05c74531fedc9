// Claim: a semicircular arch of 25 rigid blocks without mortar stands or falls as limit analysis says.
//
// - it has no equilibrium where the thickness t is less than 0.1075 R, R being the radius of its centreline (M. Milankovitch,
//   Theorie der Druckkurven, 1907; J. Heyman, The safety of masonry arches, 1969: 0.106 for a line of thrust from the centres of
//   the blocks). Friction has no part in it: blocks turn about hinges
// - below a friction of 0.309 blocks slide at any thickness, above 0.395 none does (A. Sinopoli, M. Corradi, F. Foce, Modern
//   formulation for preelastic theories on masonry arches, 1997)
//
// With blocks of finite size hinges are at joints only, so that arches stand which are slightly thinner than the limit.
// A hyperstatic problem: 25 blocks of six unknowns, 26 joints with four contacts of three impulses each.
#include "contact_lab.h"

enum { BLOCKS = 25 };
static const double FALLEN = 0.03;  // of the radius

// Block of radius 1 about the y axis, as deep as wide arches are.
static sp_status wedge(sp_context *ctx, double thickness, sp_trimesh **out) {
    static const int faces[12][3] = {{0, 2, 1}, {0, 3, 2}, {4, 5, 6}, {4, 6, 7}, {0, 1, 5}, {0, 5, 4},
                                     {1, 2, 6}, {1, 6, 5}, {2, 3, 7}, {2, 7, 6}, {3, 0, 4}, {3, 4, 7}};
    const double half = acos(-1) / (2 * BLOCKS);
    double x[8][3];
    for (int i = 0; i < 8; i++) {
        double radius = 1 + (i % 4 < 2 ? -0.5 : 0.5) * thickness, side = i % 4 == 1 || i % 4 == 2 ? 1 : -1;
        x[i][0] = side * radius * sin(half), x[i][1] = radius * cos(half), x[i][2] = i < 4 ? -0.15 : 0.15;
    }
    sp_trimesh_def def = sp_trimesh_def_default();
    def.vertex_count = 8, def.positions = &x[0][0], def.face_count = 12, def.faces = &faces[0][0];
    return sp_trimesh_create(ctx, &def, out);
}

// How far the crown has sunk; ends early where it has fallen.
static double sinks(double thickness, double friction, double time) {
    const double h = 0.02, z[3] = {0, 0, 1};
    const double quarter = acos(-1) / 2;
    contact_lab b;
    sp_contact_def contact = contact_exact(friction, 0);
    sp_trimesh *block = NULL;
    sp_body_id id[BLOCKS], ground;
    double sunk = 0, force[3] = {0}, torque[3], weight = 0, about[3] = {0.3, 0.2, -0.1};
    contact.solver.tolerance = 1e-9, contact.alarm = 0.002;
    if (!contact_open(&b, (double[3]){0, -9.81, 0}, &contact)) return NAN;
    CHECK_INT(wedge(b.ctx, thickness, &block), SP_OK);
    ground = contact_plane(&b, (double[3]){0}, (double[3]){0, 1, 0});
    for (int i = 0; i < BLOCKS; i++) {
        sp_rigid_def def = sp_rigid_def_default();
        const sp_trimesh *mesh = block;
        def.meshes = &mesh, def.mesh_count = 1, def.free = true, def.density = 2000;
        sp__quat_axis(z, quarter * (1 - (2.0 * i + 1) / BLOCKS), def.pose.constant.quat);
        id[i] = contact_rigid(&b, &def);
        weight += contact_measures(&b, id[i]).mass * 9.81;
    }
    for (int n = 0; n < (int)lround(time / h) && sunk < FALLEN && contact_steps(&b, h, 1); n++) {
        double crown[3];
        contact_point(&b, id[BLOCKS / 2], (double[3]){0, 1, 0}, crown);
        sunk = 1 - crown[1];
    }
    contact_load(&b, ground, about, force, torque);
    printf("  t/R = %.3f, mu = %.2f: the crown sank by %.3g in %.2f s; ground carries %.9f of the weight; status %d\n", thickness,
           friction, sunk, sp_world_time(b.world), -force[1] / weight, b.worst);
    if (sunk < 1e-3) {
        // at rest: the solver ends within 1e-9 of the motion of a free step
        CHECK_INT(b.worst, SP_OK);
        CHECK_NEAR(-force[1], weight, 1e-6 * weight);
        CHECK_NEAR(force[0], 0, 1e-6 * weight);
        CHECK_NEAR(force[2], 0, 1e-6 * weight);
        // the weight acts in the plane of symmetry
        CHECK_NEAR(torque[0], -weight * about[2], 1e-6 * weight);
        CHECK_NEAR(torque[1], 0, 1e-6 * weight);
        CHECK_NEAR(torque[2], weight * about[0], 1e-6 * weight);
    }
    sp_trimesh_destroy(&block);
    contact_close(&b);
    return sunk;
}

// Creep in 0.6 s, in which a free block falls by 1.8.
TEST(thick_arch_stands) {
    CHECK_NEAR(sinks(0.15, 0.6, 0.6), 0, 1e-6);
    CHECK_NEAR(sinks(0.11, 0.6, 0.6), 0, 1e-6);
}

// Near the limit the fall begins slowly: twice the time.
TEST(thin_arch_falls) {
    NOT_SANITIZED();
    CHECK(sinks(0.104, 0.6, 1.2) >= FALLEN);
    CHECK(sinks(0.09, 0.6, 0.6) >= FALLEN);
    CHECK(sinks(0.09, 5, 0.6) >= FALLEN);
}

TEST(slippery_arch_falls) {
    NOT_SANITIZED();
    CHECK_NEAR(sinks(0.15, 0.4, 0.6), 0, 1e-6);
    CHECK(sinks(0.15, 0.3, 0.6) >= FALLEN);
    CHECK(sinks(0.15, 0.2, 0.6) >= FALLEN);
}
