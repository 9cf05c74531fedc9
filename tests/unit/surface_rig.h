// Worlds with a body and a surface on it, for tests of surfaces.
#ifndef SP_SURFACE_RIG_H
#define SP_SURFACE_RIG_H

#include "math/vec3.h"
#include "souple/souple.h"
#include "test.h"

typedef struct surface_rig {
    sp_context *ctx;
    sp_world *w;
    sp_mesh *mesh;
    sp_trimesh *tri;
    sp_body_id body;
    int nodes;
    double *x, *v;  // of the nodes, as set
} surface_rig;

static inline void rig_start(surface_rig *r, int workers) {
    sp_context_def def = sp_context_def_default();
    *r = (surface_rig){0};
    def.workers = workers;
    sp_context_create(&def, &r->ctx);
    sp_world_def world = sp_world_def_default();
    for (int a = 0; a < 3; a++) world.gravity[a] = sp_signal_constant(0);
    sp_world_create(r->ctx, &world, &r->w);
}

static inline void rig_finish(surface_rig *r) {
    sp_world_destroy(&r->w);
    sp_mesh_destroy(&r->mesh);
    sp_trimesh_destroy(&r->tri);
    sp_context_destroy(&r->ctx);
    free(r->x), free(r->v);
}

// a box 2 x 1 x 1 of tetrahedra
static inline void rig_box(surface_rig *r, const int cells[3]) {
    sp_solid_def def = sp_solid_def_default();
    sp_mesh_box(r->ctx, (double[3]){2, 1, 1}, cells, 6, &r->mesh);
    def.mesh = r->mesh;
    sp_world_add_solid(r->w, &def, &r->body);
    r->nodes = sp_mesh_node_count(r->mesh);
    r->x = calloc(3 * (size_t)r->nodes, sizeof *r->x);
    r->v = calloc(3 * (size_t)r->nodes, sizeof *r->v);
    memcpy(r->x, sp_mesh_positions(r->mesh), 3 * (size_t)r->nodes * sizeof *r->x);
}

// a finer ellipsoid about the middle of the box; factor 1: its poles are on the faces, above 1: outside
static inline void rig_ellipsoid(surface_rig *r, int cells, double factor) {
    sp_mesh *ball;
    sp_pose pose = sp_pose_identity();
    pose.translate[0] = 1, pose.translate[1] = pose.translate[2] = 0.5;
    sp_mesh_sphere(r->ctx, (double[3]){factor, 0.5 * factor, 0.5 * factor}, cells, &ball);
    sp_trimesh *skin;
    sp_mesh_boundary(ball, &skin);
    sp_trimesh_transformed(skin, NULL, &pose, &r->tri);
    sp_trimesh_destroy(&skin);
    sp_mesh_destroy(&ball);
}

static inline int rig_add(surface_rig *r, unsigned roles) {
    sp_surface_def def = sp_surface_def_default();
    int index = -1;
    def.mesh = r->tri;
    def.roles = roles;
    CHECK(sp_world_add_surface(r->w, r->body, &def, &index) == SP_OK);
    return index;
}

static inline void rig_shake(surface_rig *r, double by, unsigned long long seed) {
    for (int i = 0; i < 3 * r->nodes; i++) r->x[i] += by * sp_test_random(&seed), r->v[i] = sp_test_random(&seed);
    sp_world_set_state(r->w, r->body, r->x, r->v);
}

static inline double rig_dot(const double *a, const double *b, int n) {
    double sum = 0;
    for (int i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

static inline double *rig_random(int n, unsigned long long seed) {
    double *out = malloc((size_t)n * sizeof *out);
    for (int i = 0; i < n; i++) out[i] = sp_test_random(&seed);
    return out;
}

#endif
