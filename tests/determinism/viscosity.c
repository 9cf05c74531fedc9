// Viscous materials: same bits for any number of workers and after a checkpoint in the middle of their relaxation; the histories
// belong to the hash; no allocation after warm-up; substeps and divided time agree with one another.
#include "repeat.h"

enum { HELD = 25, NODES = 33 * 25, ELEMENTS = 32 * 16 * 6 };

// one of two beams of two materials that fall on their held ends. The second region has no terms.
static sp_status add_beam(sp_world *w, const sp_mesh *mesh, const char *name, sp_integrator_type type, sp_material_model model,
                          int substeps) {
    const sp_material regions[2] = {
        {.density = NAN, .young = NAN, .poisson = NAN, .relaxation_count = 2, .relaxation = {0.2, 0.01, 0.5, 0.1}},
        {.density = NAN, .young = NAN, .poisson = NAN}};
    static int region[ELEMENTS];
    int held[HELD];
    sp_solid_def def = sp_solid_def_default();
    for (int i = 0; i < HELD; i++) held[i] = i;  // the face at x = 0
    for (int e = 0; e < ELEMENTS; e++) region[e] = e % 5 == 0 ? 2 : e % 3 == 0;
    const sp_fix fix = {held, HELD, SP_AXES_ALL, 0};
    def.name = name, def.mesh = mesh, def.model = model;
    def.material.young = 3e4, def.material.poisson = 0.4;
    def.material.relaxation_count = 1, def.material.relaxation[0] = 0.4, def.material.relaxation[1] = 0.05;
    def.fixes = &fix, def.fix_count = 1;
    def.integrator.type = type, def.integrator.substeps = substeps;
    def.regions = regions, def.region_count = 2, def.element_region = region;
    def.solver.type = SP_SOLVER_CG, def.solver.tolerance = 0, def.solver.iterations = 15;
    return sp_world_add_solid(w, &def, NULL);
}

static sp_status add_beams(sp_context *ctx, sp_world *w, const void *user) {
    sp_mesh *mesh = NULL;
    (void)user;
    sp_status status = sp_mesh_box(ctx, (double[]){0.8, 0.2, 0.2}, (int[]){32, 4, 4}, 6, &mesh);
    if (status >= 0) status = add_beam(w, mesh, "euler", SP_IMPLICIT_EULER, SP_COROTATIONAL, 2);
    if (status >= 0) status = add_beam(w, mesh, "newton", SP_NEWTON, SP_NEO_HOOKEAN, 1);
    sp_mesh_destroy(&mesh);
    return status;
}

TEST(viscous_solids_have_the_same_bits_for_any_number_of_workers) {
    check_workers(&(repeat){.build = add_beams});
}

TEST(viscous_solids_repeat_after_a_checkpoint_without_allocations) {
    NOT_SANITIZED();
    check_checkpoint(&(repeat){.build = add_beams});
}

// Two bodies at the same positions and velocities with different histories have different hashes.
TEST(histories_belong_to_the_hash) {
    static double start[2][3 * NODES], still[3 * NODES];
    uint64_t hash[2];
    for (int moved = 0; moved < 2; moved++) {
        repeat_world r;
        repeat_trace unused;
        REQUIRE(repeat_open(&(repeat){.build = add_beams}, 1, &r));
        for (int k = 0; k < 2; k++) CHECK(sp_world_field(r.w, sp_world_body_id(r.w, k), "position", start[k]) == SP_OK);
        if (moved) repeat_run(&r, &unused);
        for (int k = 0; k < 2; k++) CHECK(sp_world_set_state(r.w, sp_world_body_id(r.w, k), start[k], still) == SP_OK);
        hash[moved] = sp_world_hash(r.w);
        repeat_close(&r);
    }
    CHECK(hash[0] != hash[1]);
}
