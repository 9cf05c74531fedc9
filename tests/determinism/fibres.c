// Fibres, Holzapfel's and Costa's law in one mesh, with directions that vary: the same bits for any number of workers and after a
// checkpoint, and no allocation after warm-up; bodies have several chunks of elements, more than there are workers.
#include "../verify/element_boxes.h"

enum { STEPS = 4 };

typedef struct scene {
    sp_context *ctx;
    sp_world *w;
} scene;

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

static sp_status add_beam(scene *s, sp_element_type type, sp_integrator_type integrator) {
    const double size[3] = {0.8, 0.2, 0.2};
    const int many[3] = {20, 7, 7}, fewer[3] = {10, 4, 4};
    sp_mesh *mesh = NULL;
    int count;
    sp_status status = element_box(s->ctx, type, size, type == SP_ELEMENT_TET10 ? fewer : many, 0.1, &mesh);
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
    def.integrator.type = integrator;
    status = sp_world_add_solid(s->w, &def, NULL);
    free(wall), free(region), free(fibre);
    sp_mesh_destroy(&mesh);
    return status;
}

static bool start(scene *s, sp_element_type type, sp_integrator_type integrator, int workers) {
    sp_context_def def = sp_context_def_default();
    def.workers = workers;
    *s = (scene){NULL, NULL};
    return sp_context_create(&def, &s->ctx) == SP_OK && sp_world_create(s->ctx, NULL, &s->w) == SP_OK &&
           add_beam(s, type, integrator) >= 0;
}

static void finish(scene *s) {
    sp_world_destroy(&s->w);
    sp_context_destroy(&s->ctx);
}

static void run(scene *s, uint64_t hash[STEPS]) {
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

TEST(fibres_have_the_same_bits_for_any_number_of_workers) {
    const int workers[3] = {1, 2, 7};
    for (int t = 0; t < 3; t++) {
        uint64_t hash[3][STEPS];
        for (int i = THREAD_SANITIZED ? 1 : 0; i < 3; i++) {
            scene s;
            REQUIRE(start(&s, solid_types[t], SP_IMPLICIT_EULER, workers[i]));
            run(&s, hash[i]);
            finish(&s);
            CHECK(i == 0 || THREAD_SANITIZED || memcmp(hash[0], hash[i], sizeof hash[0]) == 0);
        }
        CHECK(hash[2][0] != hash[2][1]);
    }
}

TEST(fibres_repeat_after_a_checkpoint_without_allocations) {
    NOT_SANITIZED();
    for (int newton = 0; newton < 2; newton++) {
        scene s;
        uint64_t first[STEPS], again[STEPS];
        sp_checkpoint saved;
        REQUIRE(start(&s, SP_ELEMENT_TET4, newton ? SP_NEWTON : SP_IMPLICIT_EULER, 2));
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
}
