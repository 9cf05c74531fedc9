// The tensor-mass model, both laws and a penalty on the change of volume in one mesh, and a membrane: the same bits for any
// number of workers, after a checkpoint and with removed elements; no allocation after warm-up; the backends agree.
#include "repeat.h"

// Three laws along a beam of several chunks, more than there are workers
static sp_status add_beam(sp_context *ctx, sp_world *w, sp_integrator_type integrator) {
    const double size[3] = {0.8, 0.2, 0.2};
    sp_mesh *mesh = NULL;
    sp_status status = sp_mesh_box(ctx, size, (int[]){20, 7, 7}, 6, &mesh);
    if (status < 0) return status;
    const int n = sp_mesh_element_count(mesh), nodes = sp_mesh_node_count(mesh);
    int *region = calloc((size_t)n, sizeof *region), *wall = calloc((size_t)nodes, sizeof *wall), count = 0;
    for (int e = 0; e < n; e++) region[e] = 3 * e / n;
    for (int i = 0; i < nodes; i++)
        if (sp_mesh_positions(mesh)[3 * i] < 1e-9) wall[count++] = i;
    const sp_solid_law laws[2] = {{.model = SP_TENSOR_MASS, .tensor_law = SP_TENSOR_HOOKE},
                                  {.model = SP_TENSOR_MASS, .tangent = SP_TANGENT_EXACT}};
    const sp_material parts[2] = {
        {.density = NAN, .young = NAN, .poisson = NAN, .fibre_young = NAN, .fibre = {NAN}},
        {.density = NAN, .young = 5e4, .poisson = NAN, .fibre_young = NAN, .fibre = {NAN}, .incompressibility = 2e5}};
    sp_fix fix = {wall, count, SP_AXES_ALL, 0};
    sp_solid_def def = sp_solid_def_default();
    def.name = "beam", def.mesh = mesh, def.model = SP_TENSOR_MASS, def.material.young = 3e4;
    def.regions = parts, def.region_laws = laws, def.region_count = 2, def.element_region = region;
    def.fixes = &fix, def.fix_count = 1;
    def.integrator.type = integrator;
    status = sp_world_add_solid(w, &def, NULL);
    free(wall), free(region);
    sp_mesh_destroy(&mesh);
    return status;
}

static sp_status add_cloth(sp_context *ctx, sp_world *w, sp_integrator_type integrator) {
    sp_mesh *mesh = NULL;
    sp_status status = sp_mesh_sheet(ctx, (double[]){0.5, 0.5}, (int[]){16, 16}, true, &mesh);
    int held[17];
    for (int i = 0; i < 17; i++) held[i] = i;
    sp_fix fix = {held, 17, SP_AXES_ALL, 0};
    sp_solid_def def = sp_solid_def_default();
    def.name = "cloth", def.mesh = mesh, def.thickness = 1e-3, def.model = SP_TENSOR_MASS;
    def.material.young = 1e5, def.material.density = 300, def.rayleigh_stiffness = 2e-3;
    def.fixes = &fix, def.fix_count = 1;
    def.integrator.type = integrator;
    if (status >= 0) status = sp_world_add_solid(w, &def, NULL);
    sp_mesh_destroy(&mesh);
    return status;
}

// user: the integrator
static sp_status add_scene(sp_context *ctx, sp_world *w, const void *user) {
    const sp_integrator_type integrator = *(const sp_integrator_type *)user;
    const sp_status status = add_beam(ctx, w, integrator);
    return status < 0 ? status : add_cloth(ctx, w, integrator);
}

// some elements are removed in the middle
static void remove_some(sp_world *w, int step, const void *user) {
    (void)user;
    for (int e = 1000; e < 1040 && step == REPEAT_STEPS / 2; e++) {
        sp_edit edit = sp_edit_default(SP_EDIT_REMOVE_ELEMENT);
        edit.body = sp_world_body_named(w, "beam"), edit.node = e;
        CHECK_INT(sp_world_queue(w, &edit), SP_OK);
    }
}

static repeat removing(const sp_integrator_type *integrator, const char *backend) {
    return (repeat){.build = add_scene, .user = integrator, .backend = backend, .before = remove_some, .edits_allocate = true};
}

static const sp_integrator_type euler = SP_IMPLICIT_EULER, newton = SP_NEWTON, explicit_steps = SP_EXPLICIT;

TEST(tensor_mass_has_the_same_bits_for_any_number_of_workers) {
    repeat implicit = removing(&euler, "cpu"), small = removing(&explicit_steps, "cpu");
    small.h = 1e-4;
    check_workers(&implicit), check_workers(&small);
}

TEST(tensor_mass_repeats_after_a_checkpoint_without_allocations) {
    NOT_SANITIZED();
    const repeat of_euler = removing(&euler, "cpu"), of_newton = removing(&newton, "cpu");
    check_checkpoint(&of_euler), check_checkpoint(&of_newton);
}

// Fused multiply-adds differ from single ones by roundings, which linear solvers to 1e-6 make larger.
TEST(tensor_mass_of_both_backends) {
    double *x[2];
    int nodes = 0;
    for (int i = 0; i < 2; i++) {
        const repeat scene = removing(&euler, i ? "ref" : "cpu");
        repeat_world r;
        repeat_trace trace;
        sp_body_info info;
        REQUIRE(repeat_open(&scene, 2, &r));
        repeat_run(&r, &trace);
        const sp_body_id beam = sp_world_body_named(r.w, "beam");
        REQUIRE(sp_world_body_info(r.w, beam, &info) >= 0);
        nodes = info.nodes;
        x[i] = calloc(3 * (size_t)nodes, sizeof *x[i]);
        CHECK(sp_world_field(r.w, beam, "position", x[i]) >= 0);
        repeat_close(&r);
    }
    double worst = 0, moved = 0;
    for (int k = 0; k < 3 * nodes; k++) worst = fmax(worst, fabs(x[0][k] - x[1][k])), moved = fmax(moved, fabs(x[0][k]));
    CHECK_NEAR(worst, 0, 1e-6 * moved);
    free(x[0]), free(x[1]);
}
