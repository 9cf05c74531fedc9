// Claim: the penalty k/2 (J - 1)^2 (Picinbono, Delingette, Ayache 2003, doi:10.1016/S1524-0703(03)00045-6) keeps the volume, the
// better the larger it is, for every law without a bulk modulus of its own. The closed forms of a homogeneous state are in
// materials_homogeneous.c, derivatives and patch tests in elements.c.
#include "element_boxes.h"
#include "material_laws.h"

// change of volume of a cube that is pressed to 70% of its height between plates without friction
static double pressed(sp_element_type type, sp_integration integration, const law_case *c) {
    const double size[3] = {1, 1, 1};
    const int cells[3] = {2, 2, 2};
    lab b;
    double change = NAN;
    if (!lab_context(&b) || element_box(b.ctx, type, size, cells, 0.1, &b.mesh) < 0) return change;
    sp_fix fix[3];
    sp_pose pose = sp_pose_identity();
    pose.translate[1] = -0.3;
    sp_move push = {.axes = SP_AXIS_Y, .pose = sp_pose_signal_constant(pose)};
    push.nodes = plane_nodes(b.mesh, 1, 1, &push.count);
    for (int i = 0; i < 3; i++) {
        fix[i] = (sp_fix){.axes = 1u << i};
        fix[i].nodes = plane_nodes(b.mesh, i, 0, &fix[i].count);
    }
    sp_solid_def def = lab_solid(&b);
    use_law(&def, c);
    def.integration = integration;
    def.fixes = fix, def.fix_count = 3, def.moves = &push, def.move_count = 1;
    def.integrator.type = SP_STATIC, def.integrator.iterations = 60;
    def.solver.type = SP_SOLVER_CHOLESKY;
    if (lab_world(&b, &def, 0) && lab_step(&b, 1) == SP_OK) {
        sp_body_measures m = lab_measures(&b);
        change = m.volume / m.rest_volume - 1;
    }
    for (int i = 0; i < 3; i++) free((void *)(uintptr_t)fix[i].nodes);
    free((void *)(uintptr_t)push.nodes);
    lab_close(&b);
    return change;
}

// A stress that is bounded is balanced by the pressure k (1 - J), so that the change falls as 1/k: by ten from 100 to 1000 times
// Young's modulus, within the tenth that the stress changes meanwhile. The closed form agrees to the residual.
static void family(sp_element_type type, sp_integration integration, const law_case *base, bool keeps) {
    double change[4];
    for (int i = 0; i < 4; i++) {
        law_case c = *base;
        double s[3] = {1, 0.7, 1}, P[3];
        c.penalty = i ? LAW_YOUNG * pow(10, i) : 0;
        change[i] = pressed(type, integration, &c);
        law_relax(&c, (int[3]){1, 0, 1}, s), law_stress(&c, s, P);
        CHECK_NEAR(change[i], s[0] * s[1] * s[2] - 1, 1e-6);
    }
    printf("  %-5s %-24s change of volume %+.4f, with 10 E %+.4f, 100 E %+.5f, 1000 E %+.6f\n", solid_type_names[type],
           base->name, change[0], change[1], change[2], change[3]);
    // the corotational penalty keeps the sum of the stretches
    if (keeps) {
        CHECK(change[0] < -0.05 && fabs(change[2]) < 0.02);
        CHECK_NEAR(change[3] / change[2], 0.1, 0.01);
    } else {
        CHECK(change[3] < -0.02);
    }
}

TEST(volume_is_kept) {
    for (int t = 0; t < 3; t++)
        for (int b = 0; b < 2; b++)
            for (int i = 1; i < 4; i++)
                family(solid_types[t], b ? SP_INTEGRATION_FULL : SP_INTEGRATION_B_BAR, &law_cases[i], true);
}

TEST(volume_to_first_order) {
    for (int b = 0; b < 2; b++) family(SP_ELEMENT_TET4, b ? SP_INTEGRATION_FULL : SP_INTEGRATION_B_BAR, &law_cases[0], false);
}

// Hooke's law with a penalty is Hooke's law with a larger lambda
TEST(linear_law_with_a_penalty) {
    law_case c = {.name = "linear", .model = SP_LINEAR, .penalty = 3 * LAW_YOUNG};
    double mu = LAW_YOUNG / (2 * (1 + law_poisson)), lambda = 2 * mu * law_poisson / (1 - 2 * law_poisson) + c.penalty;
    double free_strain = 0.3 * lambda / (2 * (lambda + mu)), J = pow(1 + free_strain, 2) * 0.7;
    for (int t = 0; t < 3; t++)
        for (int b = 0; b < 2; b++)
            CHECK_NEAR(pressed(solid_types[t], b ? SP_INTEGRATION_FULL : SP_INTEGRATION_B_BAR, &c), J - 1, 1e-6);
}
