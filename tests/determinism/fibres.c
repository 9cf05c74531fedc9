// Fibres, Holzapfel's and Costa's law in one mesh, with directions that vary: the same bits for any number of workers and after a
// checkpoint, and no allocation after warm-up.
#include "../verify/element_boxes.h"
#include "repeat.h"

typedef struct beam {
    sp_element_type type;
    sp_integrator_type integrator;
} beam;

// directions turn along the beam; some elements have none
static double *directions(const sp_mesh *mesh) {
    int n = sp_mesh_element_count(mesh);
    double *out = calloc(6 * (size_t)n, sizeof *out), x[3];
    for (int e = 0; e < n; e++) {
        sp_mesh_element_point(mesh, e, NULL, x);
        double a = 5 * x[0], *f = out + 6 * e;
        if (e % 7 == 0) continue;
        f[0] = cos(a), f[1] = sin(a), f[3] = -sin(a), f[4] = cos(a), f[5] = 0.3;
    }
    return out;
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
    double *fibre = directions(mesh);
    for (int e = 0; e < n; e++) region[e] = 3 * e / n;
    const sp_solid_law laws[2] = {{.model = SP_HOLZAPFEL}, {.model = SP_COSTA}};
    const sp_material none = {.density = NAN, .young = NAN, .poisson = NAN}, parts[2] = {none, none};
    sp_fix fix = {wall, count, SP_AXES_ALL, 0};
    sp_solid_def def = sp_solid_def_default();
    def.mesh = mesh, def.model = SP_COROTATIONAL, def.material.young = 3e4, def.material.fibre_young = 1e5;
    def.regions = parts, def.region_laws = laws, def.region_count = 2, def.element_region = region, def.element_fibre = fibre;
    def.fixes = &fix, def.fix_count = 1;
    def.integrator.type = b->integrator;
    status = sp_world_add_solid(w, &def, NULL);
    free(wall), free(region), free(fibre);
    sp_mesh_destroy(&mesh);
    return status;
}

TEST(fibres_have_the_same_bits_for_any_number_of_workers) {
    for (int t = 0; t < 3; t++) check_workers(&(repeat){.build = add_beam, .user = &(beam){solid_types[t], SP_IMPLICIT_EULER}});
}

TEST(fibres_repeat_after_a_checkpoint_without_allocations) {
    NOT_SANITIZED();
    check_checkpoint(&(repeat){.build = add_beam, .user = &(beam){SP_ELEMENT_TET4, SP_IMPLICIT_EULER}});
    check_checkpoint(&(repeat){.build = add_beam, .user = &(beam){SP_ELEMENT_TET4, SP_NEWTON}});
}
