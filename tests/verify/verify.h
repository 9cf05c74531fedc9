// Shared by the verification programs: one solid in one world, equilibrium, fields, small dense algebra that is independent of
// the library.
#ifndef SP_VERIFY_H
#define SP_VERIFY_H

#include "souple/souple.h"
#include "test.h"

typedef struct lab {
    sp_context *ctx;
    sp_mesh *mesh;
    sp_world *world;
    sp_body_id body;
    int nodes, tets;
} lab;

// Three calls: context, mesh (made by the caller), world with one solid.
static inline bool lab_context(lab *b) {
    *b = (lab){0};
    sp_context_def def = sp_context_def_default();
    def.workers = 2;
    return sp_context_create(&def, &b->ctx) == SP_OK;
}

static inline sp_solid_def lab_solid(const lab *b) {
    sp_solid_def def = sp_solid_def_default();
    def.name = "body";
    def.mesh = b->mesh;
    return def;
}

static inline bool lab_world(lab *b, const sp_solid_def *def, double gravity) {
    sp_world_def world = sp_world_def_default();
    world.gravity[0] = world.gravity[2] = sp_signal_constant(0);
    world.gravity[1] = sp_signal_constant(gravity);
    world.snapshots = false;
    b->nodes = sp_mesh_node_count(b->mesh);
    b->tets = sp_mesh_element_count(b->mesh);
    if (sp_world_create(b->ctx, &world, &b->world) != SP_OK) return false;
    if (sp_world_add_solid(b->world, def, &b->body) >= 0) return true;
    printf("  %s\n", sp_world_error(b->world)->message);
    return false;
}

static inline void lab_close(lab *b) {
    sp_world_destroy(&b->world);
    sp_mesh_destroy(&b->mesh);
    sp_context_destroy(&b->ctx);
}

// A failed step prints the reason.
static inline sp_status lab_step(lab *b, double h) {
    sp_status s = sp_world_step(b->world, h);
    if (s < 0) printf("  step: %s: %s\n", sp_status_name(s), sp_world_error(b->world)->message);
    return s;
}

static inline sp_status lab_steps(lab *b, double h, int count) {
    sp_status worst = SP_OK;
    for (int i = 0; i < count && worst >= 0; i++) {
        sp_status s = lab_step(b, h);
        if (s < 0 || s > worst) worst = s;
    }
    return worst;
}

static inline sp_body_info lab_info(lab *b) {
    sp_body_info info = {0};
    if (sp_world_body_info(b->world, b->body, &info) < 0) printf("  %s\n", sp_world_error(b->world)->message);
    return info;
}

static inline sp_body_measures lab_measures(lab *b) {
    sp_body_measures measures = {0};
    if (sp_world_body_measure(b->world, b->body, &measures) < 0) printf("  %s\n", sp_world_error(b->world)->message);
    return measures;
}

// nodes x 3, the caller frees
static inline double *lab_field(lab *b, const char *name) {
    sp_field_info info = {0};
    if (sp_world_field_info(b->world, b->body, name, &info) < 0) return NULL;
    double *out = calloc((size_t)info.count * (size_t)info.components + 1, sizeof *out);
    if (out && sp_world_field(b->world, b->body, name, out) < 0) printf("  %s\n", sp_world_error(b->world)->message);
    return out;
}

static inline bool plane_where(const void *user, const double x[3]) {
    const double *p = user;  // axis, value, half thickness
    return fabs(x[(int)p[0]] - p[1]) <= p[2];
}

// Nodes of the mesh with coordinate `axis` equal to value; the caller frees.
static inline int *plane_nodes(const sp_mesh *mesh, int axis, double value, int *count) {
    int n = sp_mesh_node_count(mesh);
    double user[3] = {axis, value, 1e-9};
    int *out = malloc(((size_t)n + 1) * sizeof *out);
    *count = 0;
    for (int i = 0; out && i < n; i++)
        if (plane_where(user, sp_mesh_positions(mesh) + 3 * (size_t)i)) out[(*count)++] = i;
    return out;
}

// Boundary faces with all nodes on that plane; the caller frees.
static inline int *plane_faces(const sp_mesh *mesh, int axis, double value, int *count) {
    int n = sp_mesh_face_count(mesh);
    double user[3] = {axis, value, 1e-9};
    int *out = malloc(((size_t)n + 1) * sizeof *out);
    *count = 0;
    for (int i = 0; out && i < n; i++) {
        const int *f = sp_mesh_faces(mesh) + 3 * (size_t)i;
        bool all = true;
        for (int k = 0; k < 3; k++) all = all && plane_where(user, sp_mesh_positions(mesh) + 3 * (size_t)f[k]);
        if (all) out[(*count)++] = i;
    }
    return out;
}

static inline double max_abs(const double *a, size_t n) {
    double m = 0;
    for (size_t i = 0; i < n; i++) m = fabs(a[i]) > m ? fabs(a[i]) : m;
    return m;
}

// The box of `cells` cells with its inner nodes moved at random by up to `amount` of a cell: irregular, same volume.
static inline sp_status jittered_box(sp_context *ctx, const double size[3], const int cells[3], int per_cell, double amount,
                                     sp_mesh **out) {
    sp_mesh *regular = NULL;
    sp_status s = sp_mesh_box(ctx, size, cells, per_cell, &regular);
    if (s < 0) return s;
    int n = sp_mesh_node_count(regular);
    double *x = malloc(3 * (size_t)n * sizeof *x);
    memcpy(x, sp_mesh_positions(regular), 3 * (size_t)n * sizeof *x);
    unsigned long long seed = 7;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 3; k++) {
            double r = sp_test_random(&seed), *p = &x[3 * i + k];
            if (*p > 1e-9 * size[k] && *p < (1 - 1e-9) * size[k]) *p += amount * r * size[k] / cells[k];
        }
    sp_mesh_def def = sp_mesh_def_default();
    def.node_count = n;
    def.positions = x;
    def.element_count = sp_mesh_element_count(regular);
    def.element_nodes = sp_mesh_tets(regular);
    def.fix_orientation = false;
    s = sp_mesh_create(ctx, &def, out);
    free(x);
    sp_mesh_destroy(&regular);
    return s;
}

#endif
