// Statics of a soft solid with large bending: every material, rotation and tangent finds an equilibrium, by the energy where
// there is one and by the residual otherwise.
#include "souple/souple.h"
#include "test.h"
#include "variants.h"

static sp_context *ctx;
static sp_mesh *mesh;
static sp_world *w;
static sp_body_id beam;

// a slender beam, clamped at x = 0; a moved end where `move` is given
static void make(const variant *o, double young, const sp_move *move, int load_steps) {
    const double size[3] = {1, 0.15, 0.15};
    const int cells[3] = {10, 2, 2}, held[9] = {0, 1, 2, 3, 4, 5, 6, 7, 8};
    sp_fix fix = {held, 9, SP_AXES_ALL, 0};
    sp_solid_def def = sp_solid_def_default();
    sp_context_create(NULL, &ctx);
    sp_mesh_box(ctx, size, cells, 6, &mesh);
    sp_world_create(ctx, NULL, &w);
    def.mesh = mesh, def.fixes = &fix, def.fix_count = 1, def.moves = move, def.move_count = move ? 1 : 0;
    use_variant(&def, o);
    def.material.young = young, def.integrator.type = SP_STATIC, def.integrator.iterations = 60,
    def.integrator.load_steps = load_steps;
    CHECK(sp_world_add_solid(w, &def, &beam) == SP_OK);
}

static void finish(void) {
    sp_world_destroy(&w);
    sp_mesh_destroy(&mesh);
    sp_context_destroy(&ctx);
}

static void tip(double x[3]) {
    sp_anchor a;
    CHECK(sp_world_anchor_node(w, beam, 10 * 9 + 4, &a) == SP_OK && sp_world_anchor_get(w, &a, x, NULL) == SP_OK);
}

TEST(every_option_finds_its_equilibrium) {
    double down[VARIANTS];
    for (int k = 0; k < VARIANTS; k++) {
        double x[3];
        sp_body_info info;
        sp_body_measures now;
        make(&variants[k], 4e5, NULL, 1);
        CHECK_INT(sp_world_step(w, 0.1), SP_OK);
        sp_world_body_info(w, beam, &info);
        sp_world_body_measure(w, beam, &now);
        CHECK(info.solve.force_residual <= 1e-8 && now.kinetic == 0);
        tip(x);
        down[k] = x[1] - 0.075;
        // again from there: nothing to do
        CHECK_INT(sp_world_step(w, 0.1), SP_OK);
        sp_world_body_info(w, beam, &info);
        CHECK(info.solve.newton_iterations <= 1 && info.solve.force_residual <= 1e-8);
        if (sp_test_failures) printf("  ... for %s\n", variants[k].name);
        finish();
    }
    // it bends far, and the result does not depend on the tangent: residuals of 1e-8 of the load on a beam that is some 1e3 times
    // softer in bending than in stretch
    CHECK(down[1] < -0.15);
    CHECK_NEAR(down[1], down[2], 1e-6);
    CHECK_NEAR(down[1], down[3], 1e-6);
    CHECK_NEAR(down[1], down[4], 1e-6);
    int patches = 0;  // the first one with rotations: it bends more, by another discretisation of the same law
    while (variants[patches].integration != SP_INTEGRATION_B_BAR || variants[patches].model == SP_LINEAR) patches++;
    for (int k = 5; k < VARIANTS; k++)
        if (variants[k].model != SP_LINEAR)
            CHECK(fabs(down[k] - down[variants[k].integration == SP_INTEGRATION_B_BAR ? patches : 1]) < 0.05);
    CHECK(down[patches] < down[1]);
    CHECK_NEAR(down[patches], down[patches + 1], 1e-6);  // the exact tangent
}

static void quarter_turn(const void *user, double t, sp_pose *out) {
    (void)user;
    *out = sp_pose_identity();
    out->translate[0] = -0.2 * t, out->translate[1] = 0.2 * t;
    out->quat[0] = cos(0.25 * t), out->quat[3] = sin(0.25 * t);
}

// the far end is rotated by half a radian and moved closer, at once and in load steps: the same state, the end exactly at its
// prescribed position
TEST(prescribed_ends_are_reached) {
    int moved[9];
    for (int i = 0; i < 9; i++) moved[i] = 90 + i;
    sp_move move = {.nodes = moved, .count = 9, .axes = SP_AXES_ALL, .about = {1, 0.075, 0.075}, .pose = {.eval = quarter_turn}};
    double middle[2][3];
    for (int steps = 1; steps <= 4; steps += 3) {
        sp_anchor a;
        double x[3];
        make(&variants[2], 4e5, &move, steps);
        CHECK_INT(sp_world_step(w, 1), SP_OK);
        tip(x);
        CHECK_NEAR(x[0], 0.8, 1e-14);
        CHECK_NEAR(x[1], 0.275, 1e-14);
        sp_world_anchor_node(w, beam, 5 * 9 + 4, &a);
        sp_world_anchor_get(w, &a, middle[steps > 1], NULL);
        finish();
    }
    for (int i = 0; i < 3; i++) CHECK_NEAR(middle[0][i], middle[1][i], 1e-6);
}

TEST(zero_stiffness_and_floating_bodies_are_refused) {
    make(&variants[1], 0, NULL, 1);
    CHECK_INT(sp_world_step(w, 0.1), SP_SINGULAR);
    CHECK(strstr(sp_world_error(w)->message, "young"));
    // with the stiffness restored it is solved
    sp_edit e = sp_edit_default(SP_EDIT_PARAM);
    strcpy(e.path, "solid1.young");
    e.value = 4e5;
    CHECK_INT(sp_world_queue(w, &e), SP_OK);
    CHECK_INT(sp_world_step(w, 0.1), SP_OK);
    finish();
    make(&variants[1], 4e5, NULL, 1);
    for (int node = 0; node < 9; node++) {
        e = sp_edit_default(SP_EDIT_RELEASE);
        e.body = beam, e.node = node;
        sp_world_queue(w, &e);
    }
    CHECK_INT(sp_world_step(w, 0.1), SP_SINGULAR);
    CHECK(strstr(sp_world_error(w)->message, "nothing holds it"));
    finish();
}
