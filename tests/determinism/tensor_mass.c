// The tensor-mass model, both laws and a penalty on the change of volume in one mesh, and a membrane: the same bits for any
// number of workers, after a checkpoint and with removed elements; no allocation after warm-up; the backends agree.
#include "souple/souple.h"
#include "test.h"

enum { STEPS = 4 };

typedef struct scene {
    sp_context *ctx;
    sp_world *w;
    sp_body_id beam;
} scene;

// Three laws along a beam of several chunks, more than there are workers
static sp_status add_beam(scene *s, sp_integrator_type integrator) {
    const double size[3] = {0.8, 0.2, 0.2};
    sp_mesh *mesh = NULL;
    sp_status status = sp_mesh_box(s->ctx, size, (int[]){20, 7, 7}, 6, &mesh);
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
    status = sp_world_add_solid(s->w, &def, &s->beam);
    free(wall), free(region);
    sp_mesh_destroy(&mesh);
    return status;
}

static sp_status add_cloth(scene *s, sp_integrator_type integrator) {
    sp_mesh *mesh = NULL;
    sp_status status = sp_mesh_sheet(s->ctx, (double[]){0.5, 0.5}, (int[]){16, 16}, true, &mesh);
    int held[17];
    for (int i = 0; i < 17; i++) held[i] = i;
    sp_fix fix = {held, 17, SP_AXES_ALL, 0};
    sp_solid_def def = sp_solid_def_default();
    def.name = "cloth", def.mesh = mesh, def.thickness = 1e-3, def.model = SP_TENSOR_MASS;
    def.material.young = 1e5, def.material.density = 300, def.rayleigh_stiffness = 2e-3;
    def.fixes = &fix, def.fix_count = 1;
    def.integrator.type = integrator;
    if (status >= 0) status = sp_world_add_solid(s->w, &def, NULL);
    sp_mesh_destroy(&mesh);
    return status;
}

static bool start(scene *s, int workers, const char *backend, sp_integrator_type integrator) {
    sp_context_def def = sp_context_def_default();
    sp_world_def world = sp_world_def_default();
    def.workers = workers, world.backend = backend;
    *s = (scene){0};
    return sp_context_create(&def, &s->ctx) == SP_OK && sp_world_create(s->ctx, &world, &s->w) == SP_OK &&
           add_beam(s, integrator) >= 0 && add_cloth(s, integrator) >= 0;
}

static void finish(scene *s) {
    sp_world_destroy(&s->w);
    sp_context_destroy(&s->ctx);
}

// some elements are removed in the middle
static void run(scene *s, double h, uint64_t hash[STEPS]) {
    for (int k = 0; k < STEPS; k++) {
        for (int e = 1000; e < 1040 && k == STEPS / 2; e++) {
            sp_edit edit = sp_edit_default(SP_EDIT_REMOVE_ELEMENT);
            edit.body = s->beam, edit.node = e;
            CHECK_INT(sp_world_queue(s->w, &edit), SP_OK);
        }
        CHECK(sp_world_step(s->w, h) >= 0);
        hash[k] = sp_world_hash(s->w);
    }
}

// without the removal, which allocates
static void go_on(scene *s, uint64_t hash[STEPS]) {
    for (int k = 0; k < STEPS; k++) {
        CHECK(sp_world_step(s->w, 0.01) >= 0);
        hash[k] = sp_world_hash(s->w);
    }
}

static uint64_t allocations(const scene *s) {
    size_t bytes;
    uint64_t n;
    sp_context_memory(s->ctx, &bytes, &n);
    return n;
}

TEST(tensor_mass_has_the_same_bits_for_any_number_of_workers) {
    static const int workers[3] = {1, 2, 7};
    static const sp_integrator_type types[2] = {SP_IMPLICIT_EULER, SP_EXPLICIT};
    for (int t = 0; t < 2; t++) {
        uint64_t hash[3][STEPS];
        for (int i = THREAD_SANITIZED ? 1 : 0; i < 3; i++) {
            scene s;
            REQUIRE(start(&s, workers[i], "cpu", types[t]));
            run(&s, t ? 1e-4 : 0.01, hash[i]);
            finish(&s);
            CHECK(i == 0 || THREAD_SANITIZED || memcmp(hash[0], hash[i], sizeof hash[0]) == 0);
        }
        CHECK(hash[2][0] != hash[2][1]);
    }
}

TEST(tensor_mass_repeats_after_a_checkpoint_without_allocations) {
    NOT_SANITIZED();
    for (int newton = 0; newton < 2; newton++) {
        scene s;
        uint64_t first[STEPS], again[STEPS];
        sp_checkpoint saved;
        REQUIRE(start(&s, 2, "cpu", newton ? SP_NEWTON : SP_IMPLICIT_EULER));
        run(&s, 0.01, first);
        go_on(&s, first);
        CHECK(sp_world_save(s.w, &saved) == SP_OK);
        uint64_t before = allocations(&s);
        go_on(&s, first);
        CHECK_INT(allocations(&s), before);
        CHECK(sp_world_restore(s.w, saved.data, saved.size) == SP_OK);
        go_on(&s, again);
        CHECK(memcmp(first, again, sizeof first) == 0);
        sp_checkpoint_free(s.w, &saved);
        finish(&s);
    }
}

// Fused multiply-adds differ from single ones by roundings, which linear solvers to 1e-6 make larger.
TEST(tensor_mass_of_both_backends) {
    double *x[2];
    int nodes = 0;
    for (int i = 0; i < 2; i++) {
        scene s;
        uint64_t hash[STEPS];
        sp_body_info info;
        REQUIRE(start(&s, 2, i ? "ref" : "cpu", SP_IMPLICIT_EULER));
        run(&s, 0.01, hash);
        REQUIRE(sp_world_body_info(s.w, s.beam, &info) >= 0);
        nodes = info.nodes;
        x[i] = calloc(3 * (size_t)nodes, sizeof *x[i]);
        CHECK(sp_world_field(s.w, s.beam, "position", x[i]) >= 0);
        finish(&s);
    }
    double worst = 0, moved = 0;
    for (int k = 0; k < 3 * nodes; k++) worst = fmax(worst, fabs(x[0][k] - x[1][k])), moved = fmax(moved, fabs(x[0][k]));
    CHECK_NEAR(worst, 0, 1e-6 * moved);
    free(x[0]), free(x[1]);
}
