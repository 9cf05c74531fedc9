// Membranes: same bits for any number of workers and after a checkpoint; no allocation after warm-up; the backends agree.
#include "souple/souple.h"
#include "test.h"

enum { STEPS = 5 };

typedef struct scene {
    sp_context *ctx;
    sp_world *w;
    sp_mesh *mesh;
} scene;

// a cloth that hangs by one edge and folds on a ball: 1201 nodes are several chunks
static void add_cloth(scene *s, bool newton) {
    int held[25];
    for (int i = 0; i < 25; i++) held[i] = i;  // the edge at x = 0
    sp_fix fix = {held, 25, SP_AXES_ALL, 0};
    sp_solid_def def = sp_solid_def_default();
    def.name = "cloth", def.mesh = s->mesh, def.thickness = 1e-3, def.model = newton ? SP_NEO_HOOKEAN : SP_COROTATIONAL;
    def.material.young = 1e5, def.material.density = 300, def.rayleigh_stiffness = 2e-3;
    def.fixes = &fix, def.fix_count = 1;
    def.integrator.type = newton ? SP_NEWTON : SP_IMPLICIT_EULER;
    def.solver.type = SP_SOLVER_CG, def.solver.tolerance = 0, def.solver.iterations = 15;
    CHECK(sp_world_add_solid(s->w, &def, NULL) == SP_OK);
}

static void start(scene *s, int workers, const char *backend, bool newton) {
    sp_context_def cd = sp_context_def_default();
    sp_world_def wd = sp_world_def_default();
    sp_contact_def contact = sp_contact_def_default();
    const sp_rigid_shape ball = {.type = SP_SPHERE, .size = {0.1}, .pose = {{0.2, -0.1, 0.25}, {1, 0, 0, 0}}};
    sp_rigid_def tool = sp_rigid_def_default();
    cd.workers = workers, wd.backend = backend;
    CHECK(sp_context_create(&cd, &s->ctx) == SP_OK);
    CHECK(sp_mesh_sheet(s->ctx, (double[]){0.5, 0.5}, (int[]){24, 24}, true, &s->mesh) == SP_OK);
    CHECK(sp_world_create(s->ctx, &wd, &s->w) == SP_OK);
    add_cloth(s, newton);
    tool.name = "ball", tool.shapes = &ball, tool.shape_count = 1;
    CHECK(sp_world_add_rigid(s->w, &tool, NULL) == SP_OK);
    CHECK(sp_world_set_contact(s->w, &contact) == SP_OK);
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

TEST(membranes_have_the_same_bits_for_any_number_of_workers) {
    for (int newton = 0; newton < 2; newton++) {
        uint64_t hash[3][STEPS];
        for (int i = 0; i < 3; i++) {
            scene s;
            start(&s, i + 1, "auto", newton);
            run(&s, hash[i]);
            finish(&s);
            CHECK(memcmp(hash[0], hash[i], sizeof hash[0]) == 0);
        }
        CHECK(hash[0][0] != hash[0][1]);
    }
}

TEST(membranes_repeat_after_a_checkpoint_without_allocations) {
    NOT_SANITIZED();
    scene s;
    uint64_t first[STEPS], again[STEPS];
    sp_checkpoint saved;
    start(&s, 2, "auto", true);
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

// Tolerance: roundings of 1e-16 m that 15 products of a system with a condition of some thousands may enlarge
TEST(backends_of_membranes_agree) {
    static double x[2][3 * 1201];
    for (int i = 0; i < 2; i++) {
        scene s;
        uint64_t hash[STEPS];
        start(&s, 1, i ? "ref" : "auto", false);
        run(&s, hash);
        CHECK(sp_world_field(s.w, sp_world_body_named(s.w, "cloth"), "position", x[i]) == SP_OK);
        finish(&s);
    }
    for (int k = 0; k < 3 * 1201; k++) CHECK_NEAR(x[0][k], x[1][k], 1e-9);
}
