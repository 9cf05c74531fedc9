// Elements of every type and patches of tetrahedra, with a law in each half of the mesh: the same bits for any number of workers,
// and no allocation after warm-up. Bodies have several chunks of elements, more than there are workers.
#include "../verify/element_boxes.h"

enum { STEPS = 6, KINDS = 4, PATCHES = 3 };  // solid_types, and patches of 4-node tetrahedra

static sp_status add_beam(sp_context *ctx, sp_world *w, int kind, sp_integrator_type integrator) {
    const sp_element_type type = kind == PATCHES ? SP_ELEMENT_TET4 : solid_types[kind];
    const double size[3] = {0.8, 0.2, 0.2};
    const int many[3] = {20, 7, 7}, fewer[3] = {10, 4, 4};
    sp_mesh *mesh = NULL;
    int count;
    sp_status status = element_box(ctx, type, size, type == SP_ELEMENT_TET10 ? fewer : many, 0.1, &mesh);
    if (status < 0) return status;
    int n = sp_mesh_element_count(mesh), *wall = plane_nodes(mesh, 0, 0, &count), *region = calloc((size_t)n, sizeof *region);
    for (int e = 0; e < n / 3; e++) region[e] = 1;
    const sp_integration integration = kind == PATCHES ? SP_INTEGRATION_B_BAR : SP_INTEGRATION_AUTO;
    const sp_solid_law ogden = {.model = SP_OGDEN, .integration = integration};
    const sp_material part = {.density = NAN, .young = NAN, .poisson = NAN};
    sp_fix fix = {wall, count, SP_AXES_ALL, 0};
    sp_solid_def def = sp_solid_def_default();
    def.mesh = mesh, def.model = SP_NEO_HOOKEAN, def.material.young = 3e4, def.integration = integration;
    def.regions = &part, def.region_laws = &ogden, def.region_count = 1, def.element_region = region;
    def.fixes = &fix, def.fix_count = 1;
    def.integrator.type = integrator;
    status = sp_world_add_solid(w, &def, NULL);
    free(wall), free(region);
    sp_mesh_destroy(&mesh);
    return status;
}

static uint64_t allocations(const sp_context *ctx) {
    size_t bytes;
    uint64_t n;
    sp_context_memory(ctx, &bytes, &n);
    return n;
}

static void run(int kind, sp_integrator_type integrator, int workers, uint64_t hash[STEPS]) {
    sp_context *ctx = NULL;
    sp_world *w = NULL;
    sp_context_def def = sp_context_def_default();
    def.workers = workers;
    REQUIRE(sp_context_create(&def, &ctx) == SP_OK && sp_world_create(ctx, NULL, &w) == SP_OK);
    CHECK(add_beam(ctx, w, kind, integrator) >= 0);
    uint64_t warm = 0;
    for (int k = 0; k < STEPS; k++) {
        CHECK(sp_world_step(w, 0.01) >= 0);
        hash[k] = sp_world_hash(w);
        if (k == 3) warm = allocations(ctx);
    }
    CHECK_INT(allocations(ctx), warm);
    sp_world_destroy(&w);
    sp_context_destroy(&ctx);
}

TEST(same_bits_for_any_number_of_workers) {
    const int workers[4] = {1, 2, 3, 7};
    for (int kind = 0; kind < KINDS; kind++) {
        uint64_t hash[4][STEPS];
        for (int i = THREAD_SANITIZED ? 2 : 0; i < 4; i++) run(kind, SP_IMPLICIT_EULER, workers[i], hash[i]);
        for (int i = THREAD_SANITIZED ? 2 : 0; i < 4; i++) CHECK(memcmp(hash[i], hash[3], sizeof hash[0]) == 0);
        CHECK(hash[3][0] != hash[3][1]);
    }
}

TEST(newton_too) {
    NOT_SANITIZED();
    for (int kind = 0; kind < KINDS; kind++) {
        uint64_t one[STEPS], three[STEPS];
        run(kind, SP_NEWTON, 1, one), run(kind, SP_NEWTON, 3, three);
        CHECK(memcmp(one, three, sizeof one) == 0);
    }
}
