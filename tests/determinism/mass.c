// Consistent mass matrices of every type of element: the same bits for any number of workers, and no allocation after warm-up,
// also where the density, a point mass and damping by mass act.
#include "../verify/element_boxes.h"

enum { STEPS = 6 };

static double loaded(const void *user, double t) {
    (void)user;
    return 0.5 + t;
}

static sp_status add_beam(sp_context *ctx, sp_world *w, sp_element_type type, sp_integrator_type integrator) {
    const double size[3] = {0.8, 0.2, 0.2};
    const int many[3] = {20, 7, 7}, fewer[3] = {10, 4, 4};
    sp_mesh *mesh = NULL;
    int count;
    sp_status status = element_box(ctx, type, size, type == SP_ELEMENT_TET10 ? fewer : many, 0.1, &mesh);
    if (status < 0) return status;
    int *wall = plane_nodes(mesh, 0, 0, &count);
    const sp_fix fix = {wall, count, SP_AXES_ALL, 0};
    const sp_anchor at = {.elem = 3};
    const sp_mass_def mass = {.at = &at, .count = 1, .value = {.eval = loaded}};
    sp_solid_def def = sp_solid_def_default();
    def.name = "beam", def.mesh = mesh, def.material.young = 3e4, def.mass_matrix = SP_MASS_CONSISTENT;
    def.fixes = &fix, def.fix_count = 1;
    def.masses = &mass, def.mass_count = 1, def.rayleigh_mass = 2;
    def.integrator.type = integrator;
    status = sp_world_add_solid(w, &def, NULL);
    free(wall);
    sp_mesh_destroy(&mesh);
    return status;
}

static uint64_t allocations(const sp_context *ctx) {
    size_t bytes;
    uint64_t n;
    sp_context_memory(ctx, &bytes, &n);
    return n;
}

static void run(sp_element_type type, sp_integrator_type integrator, int workers, uint64_t hash[STEPS], double energy[STEPS]) {
    sp_context *ctx = NULL;
    sp_world *w = NULL;
    sp_context_def def = sp_context_def_default();
    def.workers = workers;
    REQUIRE(sp_context_create(&def, &ctx) == SP_OK && sp_world_create(ctx, NULL, &w) == SP_OK);
    CHECK(add_beam(ctx, w, type, integrator) >= 0);
    uint64_t warm = 0;
    for (int k = 0; k < STEPS; k++) {
        sp_body_measures n;
        if (k == 4) CHECK_INT(sp_world_set_param(w, "beam.density", 1500), SP_OK);
        CHECK(sp_world_step(w, 0.01) >= 0);
        CHECK(sp_world_body_measure(w, sp_world_body_id(w, 0), &n) >= 0);
        hash[k] = sp_world_hash(w), energy[k] = n.kinetic;
        if (k == 3) warm = allocations(ctx);
    }
    CHECK_INT(allocations(ctx), warm);
    sp_world_destroy(&w);
    sp_context_destroy(&ctx);
}

TEST(same_bits_for_any_number_of_workers) {
    const int workers[3] = {1, 2, 7};
    for (int t = 0; t < 3; t++)
        for (int newton = 0; newton < 2 - THREAD_SANITIZED; newton++) {
            uint64_t hash[3][STEPS];
            double energy[3][STEPS];
            for (int i = THREAD_SANITIZED ? 1 : 0; i < 3; i++)
                run(solid_types[t], newton ? SP_NEWTON : SP_IMPLICIT_EULER, workers[i], hash[i], energy[i]);
            for (int i = THREAD_SANITIZED ? 1 : 0; i < 3; i++) {
                CHECK(memcmp(hash[i], hash[2], sizeof hash[0]) == 0);
                CHECK(memcmp(energy[i], energy[2], sizeof energy[0]) == 0);
            }
            CHECK(hash[2][0] != hash[2][1]);
        }
}
