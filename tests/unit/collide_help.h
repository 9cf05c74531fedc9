// Shapes and searches for the tests of collision detection.
#ifndef SP_COLLIDE_HELP_H
#define SP_COLLIDE_HELP_H

#include "collide/collide.h"
#include "math/vec3.h"
#include "test.h"

enum { HELP_VERTICES = 4096, HELP_FACES = 8192 };

typedef struct help_mesh {
    int nv, nf;
    double x0[3 * HELP_VERTICES], x1[3 * HELP_VERTICES];
    uint32_t faces[3 * HELP_FACES];
} help_mesh;

static inline uint64_t help_random(uint64_t *state) {
    return *state = *state * 6364136223846793005ull + 1442695040888963407ull;
}

static inline double help_uniform(uint64_t *state) {  // in [-1, 1)
    return (double)(int64_t)(help_random(state) >> 11) / (double)(1ull << 52) - 1;
}

static inline int help_vertex(help_mesh *m, double x, double y, double z) {
    for (int i = 0; i < m->nv; i++) {
        const double *p = m->x0 + 3 * i;
        if (fabs(p[0] - x) + fabs(p[1] - y) + fabs(p[2] - z) < 1e-12) return i;
    }
    double *p = m->x0 + 3 * m->nv;
    p[0] = x, p[1] = y, p[2] = z;
    return m->nv++;
}

static inline void help_face(help_mesh *m, int a, int b, int c) {
    uint32_t *f = m->faces + 3 * (size_t)m->nf++;
    f[0] = (uint32_t)a, f[1] = (uint32_t)b, f[2] = (uint32_t)c;
}

// Surface of the box from `low` to `high`, n x n squares of two triangles on each face.
static inline void help_box(help_mesh *m, const double low[3], const double high[3], int n) {
    m->nv = m->nf = 0;
    for (int axis = 0; axis < 3; axis++)
        for (int end = 0; end < 2; end++)
            for (int i = 0; i < n; i++)
                for (int j = 0; j < n; j++) {
                    int c[4], u = (axis + 1) % 3, v = (axis + 2) % 3;
                    for (int k = 0; k < 4; k++) {
                        double p[3], s[3] = {0};
                        s[axis] = end, s[u] = (double)(i + (k == 1 || k == 2)) / n, s[v] = (double)(j + (k >= 2)) / n;
                        for (int q = 0; q < 3; q++) p[q] = low[q] + s[q] * (high[q] - low[q]);
                        c[k] = help_vertex(m, p[0], p[1], p[2]);
                    }
                    help_face(m, c[0], c[end ? 1 : 2], c[end ? 2 : 1]);
                    help_face(m, c[0], c[end ? 2 : 3], c[end ? 3 : 2]);
                }
    memcpy(m->x1, m->x0, sizeof m->x0);
}

// The box with its vertices moved to a sphere.
static inline void help_sphere(help_mesh *m, const double centre[3], double radius, int n) {
    help_box(m, (double[]){-1, -1, -1}, (double[]){1, 1, 1}, n);
    for (int i = 0; i < m->nv; i++) {
        double *p = m->x0 + 3 * i, length = sp__norm3(p);
        for (int k = 0; k < 3; k++) p[k] = centre[k] + radius * p[k] / length;
    }
    memcpy(m->x1, m->x0, sizeof m->x0);
}

static inline void help_shift(double *x, int nv, double dx, double dy, double dz) {
    for (int i = 0; i < nv; i++) x[3 * i] += dx, x[3 * i + 1] += dy, x[3 * i + 2] += dz;
}

static inline void help_turn(double *x, int nv, const double axis[3], double angle) {
    double q[4], R[9], p[3];
    sp__quat_axis(axis, angle, q), sp__quat_matrix(q, R);
    for (int i = 0; i < nv; i++) {
        memcpy(p, x + 3 * i, sizeof p);
        sp__mul3(R, p, x + 3 * i);
    }
}

// ---------------------------------------------------------------------------------------------------- sets

static inline sp_context *help_context(int workers) {
    sp_context_def def = sp_context_def_default();
    sp_context *ctx = NULL;
    def.workers = workers;
    CHECK(sp_context_create(&def, &ctx) >= 0);
    return ctx;
}

static inline sp_collide *help_set(sp_context *ctx) {
    sp_collide *set = NULL;
    CHECK(sp__collide_create(ctx, &set) >= 0);
    return set;
}

static inline int help_add(sp_collide *set, sp_collider_def def, const double *x0, const double *x1) {
    int index = -1;
    if (def.group == 0) def.group = def.id;
    CHECK(sp__collider_add(set, &def, &index) >= 0);
    if (index >= 0 && x0) sp__collider_move(set, index, x0, x1);
    return index;
}

static inline int help_add_mesh(sp_collide *set, uint32_t id, const help_mesh *m) {
    return help_add(set, (sp_collider_def){.id = id, .vertex_count = m->nv, .items = m->faces, .item_count = m->nf}, m->x0,
                    m->x1);
}

static inline int help_add_shape(sp_collide *set, uint32_t id, sp_collider_type type, double radius, const double a[3],
                                 const double b[3]) {
    sp_shape_place at = {{a[0], a[1], a[2]}, {b[0], b[1], b[2]}};
    int index = help_add(set, (sp_collider_def){.type = type, .id = id, .radius = radius}, NULL, NULL);
    sp__collider_move_shape(set, index, &at, &at);
    return index;
}

static inline sp_found help_find(sp_collide *set, sp_broad broad, double alarm, double depth) {
    sp_collide_options o = {.broad = broad, .rule = {.alarm = alarm, .depth = depth}};
    sp_found found;
    CHECK(sp__collide_find(set, &o, &found) >= 0);
    return found;
}

static inline int help_count(const sp_found *f, sp_feature a, sp_feature b) {
    int n = 0;
    for (int i = 0; i < f->count; i++) n += f->contacts[i].a.feature == a && f->contacts[i].b.feature == b;
    return n;
}

#endif
