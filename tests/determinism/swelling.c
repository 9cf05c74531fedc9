// Elements that swell and contract in time, beside elements that do not: the same bits for any number of workers, and no
// allocation after warm-up. A swelling of zero is no swelling: the kernels written by hand stay.
#include "../verify/element_boxes.h"

enum { STEPS = 6 };

static double growing(const void *user, double t) {
    (void)user;
    return t;
}

static sp_status add_beam(sp_context *ctx, sp_world *w, sp_element_type type, sp_signal swell, bool always) {
    const double size[3] = {0.8, 0.2, 0.2};
    const int many[3] = {20, 7, 7}, fewer[3] = {10, 4, 4};
    sp_mesh *mesh = NULL;
    int count;
    sp_status status = element_box(ctx, type, size, type == SP_ELEMENT_TET10 ? fewer : many, 0.1, &mesh);
    if (status < 0) return status;
    int n = sp_mesh_element_count(mesh), *wall = plane_nodes(mesh, 0, 0, &count), *region = calloc((size_t)n, sizeof *region);
    for (int e = 0; e < n / 3; e++) region[e] = 1;
    const sp_material part = {.density = NAN, .young = NAN, .poisson = NAN, .fibre_young = NAN, .fibre = {1, 0.3, 0}};
    const sp_eigenstrain strain = {swell, swell};
    const sp_fix fix = {wall, count, SP_AXES_ALL, 0};
    sp_solid_def def = sp_solid_def_default();
    def.mesh = mesh, def.material.young = 3e4;
    def.fixes = &fix, def.fix_count = 1;
    if (always) def.regions = &part, def.region_count = 1, def.element_region = region, def.eigenstrains.regions = &strain;
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

static void run(sp_element_type type, sp_signal swell, bool always, int workers, uint64_t hash[STEPS]) {
    sp_context *ctx = NULL;
    sp_world *w = NULL;
    sp_context_def def = sp_context_def_default();
    def.workers = workers;
    REQUIRE(sp_context_create(&def, &ctx) == SP_OK && sp_world_create(ctx, NULL, &w) == SP_OK);
    CHECK(add_beam(ctx, w, type, swell, always) >= 0);
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
    const int workers[3] = {1, 2, 7};
    const sp_signal swell = {.eval = growing};
    for (int t = 0; t < 3; t++) {
        uint64_t hash[3][STEPS];
        for (int i = THREAD_SANITIZED ? 1 : 0; i < 3; i++) run(solid_types[t], swell, true, workers[i], hash[i]);
        for (int i = THREAD_SANITIZED ? 1 : 0; i < 3; i++) CHECK(memcmp(hash[i], hash[2], sizeof hash[0]) == 0);
        CHECK(hash[2][0] != hash[2][1]);
    }
}

TEST(a_swelling_of_zero_is_none) {
    NOT_SANITIZED();
    for (int t = 0; t < 3; t++) {
        uint64_t with[STEPS], without[STEPS];
        run(solid_types[t], sp_signal_constant(0), true, 2, with);
        run(solid_types[t], sp_signal_constant(0), false, 2, without);
        CHECK(memcmp(with, without, sizeof with) == 0);
    }
}
