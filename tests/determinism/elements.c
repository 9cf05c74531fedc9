// Elements of every type and patches of tetrahedra, with a law in each half of the mesh: the same bits for any number of workers
// and after a checkpoint, and no allocation after warm-up.
#include "../verify/element_boxes.h"
#include "repeat.h"

enum { KINDS = 4, PATCHES = 3 };  // solid_types, and patches of 4-node tetrahedra

typedef struct beam {
    int kind;
    sp_integrator_type integrator;
} beam;

static sp_status add_beam(sp_context *ctx, sp_world *w, const void *user) {
    const beam *b = user;
    const sp_element_type type = b->kind == PATCHES ? SP_ELEMENT_TET4 : solid_types[b->kind];
    const double size[3] = {0.8, 0.2, 0.2};
    const int many[3] = {20, 7, 7}, fewer[3] = {10, 4, 4};
    sp_mesh *mesh = NULL;
    int count;
    sp_status status = element_box(ctx, type, size, type == SP_ELEMENT_TET10 ? fewer : many, 0.1, &mesh);
    if (status < 0) return status;
    int n = sp_mesh_element_count(mesh), *wall = plane_nodes(mesh, 0, 0, &count), *region = calloc((size_t)n, sizeof *region);
    for (int e = 0; e < n / 3; e++) region[e] = 1;
    const sp_integration integration = b->kind == PATCHES ? SP_INTEGRATION_B_BAR : SP_INTEGRATION_AUTO;
    const sp_solid_law ogden = {.model = SP_OGDEN, .integration = integration};
    const sp_material part = {.density = NAN, .young = NAN, .poisson = NAN};
    sp_fix fix = {wall, count, SP_AXES_ALL, 0};
    sp_solid_def def = sp_solid_def_default();
    def.mesh = mesh, def.model = SP_NEO_HOOKEAN, def.material.young = 3e4, def.integration = integration;
    def.regions = &part, def.region_laws = &ogden, def.region_count = 1, def.element_region = region;
    def.fixes = &fix, def.fix_count = 1;
    def.integrator.type = b->integrator;
    status = sp_world_add_solid(w, &def, NULL);
    free(wall), free(region);
    sp_mesh_destroy(&mesh);
    return status;
}

TEST(same_bits_for_any_number_of_workers) {
    for (int kind = 0; kind < KINDS; kind++)
        for (int newton = 0; newton < 2 - THREAD_SANITIZED; newton++)
            check_workers(&(repeat){.build = add_beam, .user = &(beam){kind, newton ? SP_NEWTON : SP_IMPLICIT_EULER}});
}

TEST(same_bits_after_a_checkpoint) {
    NOT_SANITIZED();
    for (int kind = 0; kind < KINDS; kind++)
        check_checkpoint(&(repeat){.build = add_beam, .user = &(beam){kind, SP_IMPLICIT_EULER}});
}

// ---------------------------------------------------------------------------------------------------- mean dilatation

// a beam that falls on its held end; region 1 has full integration
static sp_status add_hexahedra(sp_context *ctx, sp_world *w, const char *name, sp_integrator_type type, sp_material_model model) {
    const sp_material same = {.density = NAN, .young = NAN, .poisson = NAN};
    const sp_solid_law full = {.model = model, .integration = SP_INTEGRATION_FULL};
    sp_mesh *mesh = NULL;
    sp_status status = sp_mesh_box(ctx, (double[]){0.8, 0.2, 0.2}, (int[]){16, 8, 8}, 1, &mesh);
    if (status < 0) return status;
    int held[81], region[16 * 8 * 8];
    for (int i = 0; i < 81; i++) held[i] = i;  // the face at x = 0
    for (int e = 0; e < 16 * 8 * 8; e++) region[e] = e % 7 == 0;
    const sp_fix fix = {held, 81, SP_AXES_ALL, 0};
    sp_solid_def def = sp_solid_def_default();
    def.name = name, def.mesh = mesh, def.model = model;
    def.material.young = 3e4, def.material.poisson = 0.49;
    def.fixes = &fix, def.fix_count = 1;
    def.integrator.type = type;
    def.regions = &same, def.region_laws = &full, def.region_count = 1, def.element_region = region;
    def.solver.type = SP_SOLVER_CG, def.solver.tolerance = 0, def.solver.iterations = 15;
    status = sp_world_add_solid(w, &def, NULL);
    sp_mesh_destroy(&mesh);
    return status;
}

static sp_status add_two(sp_context *ctx, sp_world *w, const void *user) {
    (void)user;
    const sp_status status = add_hexahedra(ctx, w, "euler", SP_IMPLICIT_EULER, SP_COROTATIONAL);
    return status < 0 ? status : add_hexahedra(ctx, w, "newton", SP_NEWTON, SP_NEO_HOOKEAN);
}

TEST(mean_dilatation_and_full_integration_in_one_mesh) {
    check_workers(&(repeat){.build = add_two});
}

TEST(mean_dilatation_after_a_checkpoint) {
    NOT_SANITIZED();
    check_checkpoint(&(repeat){.build = add_two});
}
