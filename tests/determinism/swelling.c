// Elements that swell and contract in time, beside elements that do not: the same bits for any number of workers, and no
// allocation after warm-up. A swelling of zero is no swelling: the kernels written by hand stay.
#include "../verify/element_boxes.h"
#include "repeat.h"

typedef struct beam {
    sp_element_type type;
    sp_signal swell;
    bool plain;  // no swelling is defined at all
} beam;

static double growing(const void *user, double t) {
    (void)user;
    return t;
}

static sp_status add_beam(sp_context *ctx, sp_world *w, const void *user) {
    const beam *b = user;
    const double size[3] = {0.8, 0.2, 0.2};
    const int many[3] = {20, 7, 7}, fewer[3] = {10, 4, 4};
    sp_mesh *mesh = NULL;
    int count;
    sp_status status = element_box(ctx, b->type, size, b->type == SP_ELEMENT_TET10 ? fewer : many, 0.1, &mesh);
    if (status < 0) return status;
    int n = sp_mesh_element_count(mesh), *wall = plane_nodes(mesh, 0, 0, &count), *region = calloc((size_t)n, sizeof *region);
    for (int e = 0; e < n / 3; e++) region[e] = 1;
    const sp_material part = {.density = NAN, .young = NAN, .poisson = NAN, .fibre_young = NAN, .fibre = {1, 0.3, 0}};
    const sp_eigenstrain strain = {b->swell, b->swell};
    const sp_fix fix = {wall, count, SP_AXES_ALL, 0};
    sp_solid_def def = sp_solid_def_default();
    def.mesh = mesh, def.material.young = 3e4;
    def.fixes = &fix, def.fix_count = 1;
    if (!b->plain) def.regions = &part, def.region_count = 1, def.element_region = region, def.eigenstrains.regions = &strain;
    status = sp_world_add_solid(w, &def, NULL);
    free(wall), free(region);
    sp_mesh_destroy(&mesh);
    return status;
}

TEST(same_bits_for_any_number_of_workers) {
    for (int t = 0; t < 3; t++)
        check_workers(&(repeat){.build = add_beam, .user = &(beam){.type = solid_types[t], .swell = {.eval = growing}}});
}

TEST(a_swelling_of_zero_is_none) {
    NOT_SANITIZED();
    for (int t = 0; t < 3; t++) {
        repeat_trace trace[2];
        for (int plain = 0; plain < 2; plain++) {
            const beam b = {solid_types[t], sp_signal_constant(0), plain};
            repeat_world r;
            REQUIRE(repeat_open(&(repeat){.build = add_beam, .user = &b}, 2, &r));
            repeat_run(&r, &trace[plain]);
            repeat_close(&r);
        }
        CHECK(memcmp(&trace[0], &trace[1], sizeof trace[0]) == 0);
    }
}
