// Membranes: same bits for any number of workers and after a checkpoint; no allocation after warm-up; the backends agree.
#include "repeat.h"

// a cloth that hangs by one edge and folds on a ball: 1201 nodes are several chunks
static sp_status add_cloth(sp_context *ctx, sp_world *w, bool newton) {
    sp_mesh *mesh = NULL;
    sp_status status = sp_mesh_sheet(ctx, (double[]){0.5, 0.5}, (int[]){24, 24}, true, &mesh);
    if (status < 0) return status;
    int held[25];
    for (int i = 0; i < 25; i++) held[i] = i;  // the edge at x = 0
    sp_fix fix = {held, 25, SP_AXES_ALL, 0};
    sp_solid_def def = sp_solid_def_default();
    def.name = "cloth", def.mesh = mesh, def.thickness = 1e-3, def.model = newton ? SP_NEO_HOOKEAN : SP_COROTATIONAL;
    def.material.young = 1e5, def.material.density = 300, def.rayleigh_stiffness = 2e-3;
    def.fixes = &fix, def.fix_count = 1;
    def.integrator.type = newton ? SP_NEWTON : SP_IMPLICIT_EULER;
    def.solver.type = SP_SOLVER_CG, def.solver.tolerance = 0, def.solver.iterations = 15;
    status = sp_world_add_solid(w, &def, NULL);
    sp_mesh_destroy(&mesh);
    return status;
}

// user: whether Newton's method integrates it
static sp_status add_scene(sp_context *ctx, sp_world *w, const void *user) {
    const sp_contact_def contact = sp_contact_def_default();
    const sp_rigid_shape ball = {.type = SP_SPHERE, .size = {0.1}, .pose = {{0.2, -0.1, 0.25}, {1, 0, 0, 0}}};
    sp_rigid_def tool = sp_rigid_def_default();
    tool.name = "ball", tool.shapes = &ball, tool.shape_count = 1;
    sp_status status = add_cloth(ctx, w, *(const bool *)user);
    if (status >= 0) status = sp_world_add_rigid(w, &tool, NULL);
    return status < 0 ? status : sp_world_set_contact(w, &contact);
}

static const bool euler = false, newton = true;

TEST(membranes_have_the_same_bits_for_any_number_of_workers) {
    check_workers(&(repeat){.build = add_scene, .user = &euler});
    check_workers(&(repeat){.build = add_scene, .user = &newton});
}

TEST(membranes_repeat_after_a_checkpoint_without_allocations) {
    NOT_SANITIZED();
    check_checkpoint(&(repeat){.build = add_scene, .user = &newton});
}

// Tolerance: roundings of 1e-16 m that 15 products of a system with a condition of some thousands may enlarge
TEST(backends_of_membranes_agree) {
    static double x[2][3 * 1201];
    for (int i = 0; i < 2; i++) {
        repeat_world r;
        repeat_trace trace;
        REQUIRE(repeat_open(&(repeat){.build = add_scene, .user = &euler, .backend = i ? "ref" : "auto"}, 1, &r));
        repeat_run(&r, &trace);
        CHECK(sp_world_field(r.w, sp_world_body_named(r.w, "cloth"), "position", x[i]) == SP_OK);
        repeat_close(&r);
    }
    for (int k = 0; k < 3 * 1201; k++) CHECK_NEAR(x[0][k], x[1][k], 1e-9);
}
