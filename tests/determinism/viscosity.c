// Viscous materials: same bits for any number of workers and after a checkpoint in the middle of their relaxation; the histories
// belong to the hash; no allocation after warm-up; substeps and divided time agree with one another.

#include "souple/souple.h"
#include "test.h"

enum { STEPS = 4, HELD = 25 };

typedef struct scene {
    sp_context *ctx;
    sp_world *w;
    sp_mesh *mesh;
    sp_body_id body[2];
} scene;

// two beams of two materials that fall on their held ends; 825 nodes are several chunks. The second region has no terms.
static void add_beam(scene *s, int number, const char *name, sp_integrator_type type, sp_material_model model, const int *region,
                     int substeps) {
    const sp_material regions[2] = {
        {.density = NAN, .young = NAN, .poisson = NAN, .relaxation_count = 2, .relaxation = {0.2, 0.01, 0.5, 0.1}},
        {.density = NAN, .young = NAN, .poisson = NAN}};
    int held[HELD];
    sp_solid_def def = sp_solid_def_default();
    for (int i = 0; i < HELD; i++) held[i] = i;  // the face at x = 0
    const sp_fix fix = {held, HELD, SP_AXES_ALL, 0};
    def.name = name, def.mesh = s->mesh, def.model = model;
    def.material.young = 3e4, def.material.poisson = 0.4;
    def.material.relaxation_count = 1, def.material.relaxation[0] = 0.4, def.material.relaxation[1] = 0.05;
    def.fixes = &fix, def.fix_count = 1;
    def.integrator.type = type, def.integrator.substeps = substeps;
    def.regions = regions, def.region_count = 2, def.element_region = region;
    def.solver.type = SP_SOLVER_CG, def.solver.tolerance = 0, def.solver.iterations = 15;
    CHECK(sp_world_add_solid(s->w, &def, &s->body[number]) == SP_OK);
}

static void start(scene *s, int workers) {
    const double size[3] = {0.8, 0.2, 0.2};
    const int cells[3] = {32, 4, 4};
    static int region[32 * 16 * 6];
    sp_context_def cd = sp_context_def_default();
    sp_world_def wd = sp_world_def_default();
    cd.workers = workers;
    CHECK(sp_context_create(&cd, &s->ctx) == SP_OK && sp_mesh_box(s->ctx, size, cells, 6, &s->mesh) == SP_OK);
    CHECK(sp_world_create(s->ctx, &wd, &s->w) == SP_OK);
    for (int e = 0; e < 32 * 16 * 6; e++) region[e] = e % 5 == 0 ? 2 : e % 3 == 0;
    add_beam(s, 0, "euler", SP_IMPLICIT_EULER, SP_COROTATIONAL, region, 2);
    add_beam(s, 1, "newton", SP_NEWTON, SP_NEO_HOOKEAN, region, 1);
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

TEST(viscous_solids_have_the_same_bits_for_any_number_of_workers) {
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

TEST(viscous_solids_repeat_after_a_checkpoint_without_allocations) {
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

// Two bodies at the same positions and velocities with different histories have different hashes.
TEST(histories_belong_to_the_hash) {
    uint64_t hash[2];
    for (int i = 0; i < 2; i++) {
        scene s;
        uint64_t unused[STEPS];
        start(&s, 1);
        if (i) run(&s, unused);
        static double still[3 * 825];
        for (int k = 0; k < 2; k++) CHECK(sp_world_set_state(s.w, s.body[k], sp_mesh_positions(s.mesh), still) == SP_OK);
        hash[i] = sp_world_hash(s.w);
        finish(&s);
    }
    CHECK(hash[0] != hash[1]);
}
