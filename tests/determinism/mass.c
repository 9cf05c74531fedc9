// Consistent mass matrices of every type of element: the same bits for any number of workers, and no allocation after warm-up,
// also where the density, a point mass and damping by mass act.
#include "../verify/element_boxes.h"
#include "repeat.h"

typedef struct beam {
    sp_element_type type;
    sp_integrator_type integrator;
} beam;

static double loaded(const void *user, double t) {
    (void)user;
    return 0.5 + t;
}

static sp_status add_beam(sp_context *ctx, sp_world *w, const void *user) {
    const beam *b = user;
    const double size[3] = {0.8, 0.2, 0.2};
    const int many[3] = {20, 7, 7}, fewer[3] = {10, 4, 4};
    sp_mesh *mesh = NULL;
    int count;
    sp_status status = element_box(ctx, b->type, size, b->type == SP_ELEMENT_TET10 ? fewer : many, 0.1, &mesh);
    if (status < 0) return status;
    int *wall = plane_nodes(mesh, 0, 0, &count);
    const sp_fix fix = {wall, count, SP_AXES_ALL, 0};
    const sp_anchor at = {.elem = 3};
    const sp_mass_def mass = {.at = &at, .count = 1, .value = {.eval = loaded}};
    sp_solid_def def = sp_solid_def_default();
    def.name = "beam", def.mesh = mesh, def.material.young = 3e4, def.mass_matrix = SP_MASS_CONSISTENT;
    def.fixes = &fix, def.fix_count = 1;
    def.masses = &mass, def.mass_count = 1, def.rayleigh_mass = 2;
    def.integrator.type = b->integrator;
    status = sp_world_add_solid(w, &def, NULL);
    free(wall);
    sp_mesh_destroy(&mesh);
    return status;
}

static void change_density(sp_world *w, int step, const void *user) {
    (void)user;
    if (step == REPEAT_WARM) CHECK_INT(sp_world_set_param(w, "beam.density", 1500), SP_OK);
}

static double kinetic(sp_world *w) {
    sp_body_measures n = {0};
    CHECK(sp_world_body_measure(w, sp_world_body_id(w, 0), &n) >= 0);
    return n.kinetic;
}

TEST(same_bits_for_any_number_of_workers) {
    for (int t = 0; t < 3; t++)
        for (int newton = 0; newton < 2 - THREAD_SANITIZED; newton++) {
            const beam b = {solid_types[t], newton ? SP_NEWTON : SP_IMPLICIT_EULER};
            check_workers(&(repeat){.build = add_beam, .user = &b, .before = change_density, .measure = kinetic});
        }
}
