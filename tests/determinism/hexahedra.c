// Hexahedra with mean dilatation: same bits for any number of workers and after a checkpoint; no allocation after warm-up.

#include "souple/souple.h"
#include "test.h"

enum { STEPS = 4 };

typedef struct scene {
    sp_context *ctx;
    sp_world *w;
    sp_mesh *mesh;
} scene;

// a beam that falls on its held end; region 1 has full integration. 1377 nodes are eight chunks
static void add_beam(scene *s, const char *name, sp_integrator_type type, sp_material_model model, const sp_fix *fix,
                     const int *region) {
    const sp_material same = {.density = NAN, .young = NAN, .poisson = NAN};
    sp_solid_def def = sp_solid_def_default();
    def.name = name, def.mesh = s->mesh, def.model = model;
    def.material.young = 3e4, def.material.poisson = 0.49;
    def.fixes = fix, def.fix_count = 1;
    def.integrator.type = type;
    const sp_solid_law full = {.model = model, .rotation = SP_ROTATION_SVD, .form = def.form, .integration = SP_INTEGRATION_FULL};
    def.regions = &same, def.region_laws = &full, def.region_count = 1, def.element_region = region;
    def.solver.type = SP_SOLVER_CG, def.solver.tolerance = 0, def.solver.iterations = 15;
    CHECK(sp_world_add_solid(s->w, &def, NULL) == SP_OK);
}

static void start(scene *s, int workers) {
    const double size[3] = {0.8, 0.2, 0.2};
    const int cells[3] = {16, 8, 8};
    sp_context_def cd = sp_context_def_default();
    sp_world_def wd = sp_world_def_default();
    cd.workers = workers;
    CHECK(sp_context_create(&cd, &s->ctx) == SP_OK && sp_mesh_box(s->ctx, size, cells, 1, &s->mesh) == SP_OK);
    CHECK(sp_world_create(s->ctx, &wd, &s->w) == SP_OK);
    int held[81], region[16 * 8 * 8];
    for (int i = 0; i < 81; i++) held[i] = i;  // the face at x = 0
    for (int e = 0; e < 16 * 8 * 8; e++) region[e] = e % 7 == 0;
    sp_fix fix = {held, 81, SP_AXES_ALL, 0};
    add_beam(s, "euler", SP_IMPLICIT_EULER, SP_COROTATIONAL, &fix, region);
    add_beam(s, "newton", SP_NEWTON, SP_NEO_HOOKEAN, &fix, region);
}

static void finish(scene *s) {
    sp_world_destroy(&s->w);
    sp_mesh_destroy(&s->mesh);
    sp_context_destroy(&s->ctx);
}

static void run(scene *s, uint64_t *hash) {
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

TEST(hexahedra_have_the_same_bits_for_any_number_of_workers) {
    uint64_t hash[3][STEPS];
    for (int i = 0; i < 3; i++) {
        scene s;
        start(&s, i + 1);
        run(&s, hash[i]);
        finish(&s);
        CHECK(memcmp(hash[0], hash[i], sizeof hash[0]) == 0);
    }
    CHECK(hash[0][0] != hash[0][1]);
}

TEST(hexahedra_repeat_after_a_checkpoint_without_allocations) {
    NOT_SANITIZED();
    scene s;
    uint64_t first[STEPS], again[STEPS];
    sp_checkpoint saved;
    start(&s, 2);
    run(&s, first);
    CHECK(sp_world_save(s.w, &saved) == SP_OK);
    uint64_t before = allocations(&s);
    run(&s, first);
    CHECK_INT(allocations(&s), before);
    CHECK(sp_world_restore(s.w, saved.data, saved.size) == SP_OK);
    run(&s, again);
    CHECK(memcmp(first, again, sizeof first) == 0);
    sp_checkpoint_free(s.w, &saved);
    finish(&s);
}
