// Meshes of triangles in space: rectangle, disc, and the triangles of a surface.
#include "math/vec3.h"
#include "mesh/trimesh.h"

typedef struct triangles {
    sp_context *ctx;
    int nodes, count;  // to be made; filled so far is in `next`
    double *x;
    int (*corner)[3];
    int next;
} triangles;

static sp_status triangles_reserve(sp_context *ctx, double nodes, double count, triangles *t) {
    *t = (triangles){.ctx = ctx};
    if (count > SP_TETS_MAX || nodes > SP_NODES_MAX)
        return SP_FAIL(ctx, SP_BAD_INPUT, "%g triangles with %g nodes, must be at most %d and %d", count, nodes, SP_TETS_MAX,
                       SP_NODES_MAX);
    t->nodes = (int)nodes, t->count = (int)count;
    if (SP_NEW(ctx, t->x, 3 * (size_t)t->nodes) && SP_NEW(ctx, t->corner, t->count)) return SP_OK;
    sp__free(ctx, t->x);
    return SP_FAIL(ctx, SP_NO_MEMORY, "no memory for a mesh of %d triangles", t->count);
}

static void triangle_add(triangles *t, int a, int b, int c) {
    int *to = t->corner[t->next++];
    to[0] = a, to[1] = b, to[2] = c;
}

// a mesh with these elements; `def` has the rest
static sp_status triangles_mesh(sp_context *ctx, sp_mesh_def *def, sp_mesh **out) {
    sp_element_type *types;
    if (!SP_NEW(ctx, types, def->element_count))
        return SP_FAIL(ctx, SP_NO_MEMORY, "no memory for a mesh of %d triangles", def->element_count);
    for (int e = 0; e < def->element_count; e++) types[e] = SP_ELEMENT_TRI3;
    def->element_types = types;
    sp_status status = sp_mesh_create(ctx, def, out);
    sp__free(ctx, types);
    return status;
}

static sp_status triangles_finish(triangles *t, sp_mesh **out) {
    sp_mesh_def def = sp_mesh_def_default();
    def.node_count = t->nodes, def.positions = t->x;
    def.element_count = t->count, def.element_nodes = &t->corner[0][0];
    sp_status status = triangles_mesh(t->ctx, &def, out);
    sp__free(t->ctx, t->x), sp__free(t->ctx, t->corner);
    return status;
}

// ------------------------------------------------------------------------------------------------ rectangle

// nodes of the grid, and behind them the middles of the cells; z x x = y is the normal
static void sheet_fill(triangles *t, const double size[2], const int cells[2], bool crossed) {
    const int nz = cells[1] + 1;
    double *x = t->x;
    for (int i = 0; i <= cells[0]; i++)
        for (int l = 0; l <= cells[1]; l++, x += 3) {
            x[0] = i == cells[0] ? size[0] : size[0] * i / cells[0], x[1] = 0;
            x[2] = l == cells[1] ? size[1] : size[1] * l / cells[1];
        }
    for (int i = 0; i < cells[0]; i++)
        for (int l = 0; l < cells[1]; l++) {
            const int a = i * nz + l, b = a + 1, c = b + nz, d = a + nz, m = (int)((x - t->x) / 3);
            if (!crossed) {
                triangle_add(t, a, b, c), triangle_add(t, a, c, d);
                continue;
            }
            x[0] = size[0] * (i + 0.5) / cells[0], x[1] = 0, x[2] = size[1] * (l + 0.5) / cells[1], x += 3;
            triangle_add(t, m, a, b), triangle_add(t, m, b, c), triangle_add(t, m, c, d), triangle_add(t, m, d, a);
        }
}

sp_status sp_mesh_sheet(sp_context *context, const double size[2], const int cells[2], bool crossed, sp_mesh **out) {
    triangles t;
    *out = NULL;
    for (int k = 0; k < 2; k++) {
        if (!(size[k] > 0 && isfinite(size[k])))
            return SP_FAIL(context, SP_BAD_INPUT, "size = %g m, must be positive and finite", size[k]);
        if (cells[k] < 1) return SP_FAIL(context, SP_BAD_INPUT, "cells = %d, must be at least 1", cells[k]);
    }
    const double all = (double)cells[0] * cells[1], grid = (cells[0] + 1.0) * (cells[1] + 1.0);
    SP_TRY(triangles_reserve(context, grid + (crossed ? all : 0), (crossed ? 4 : 2) * all, &t));
    sheet_fill(&t, size, cells, crossed);
    return triangles_finish(&t, out);
}

// ------------------------------------------------------------------------------------------------ disc

// node j of ring k: 6 k nodes, which begin along x and turn about y
static int ring_node(int k, int j) {
    return k == 0 ? 0 : 1 + 3 * k * (k - 1) + j % (6 * k);
}

static void disc_fill(triangles *t, double radius, int rings) {
    for (int k = 1; k <= rings; k++)
        for (int j = 0; j < 6 * k; j++) {
            double *x = t->x + 3 * (size_t)ring_node(k, j), angle = SP_PI * j / (3.0 * k), r = radius * k / rings;
            x[0] = r * cos(angle), x[1] = 0, x[2] = -r * sin(angle);
        }
    // each of six sectors has k triangles on its outer and k - 1 on its inner ring
    for (int k = 1; k <= rings; k++)
        for (int s = 0; s < 6; s++)
            for (int i = 0; i < k; i++) {
                const int in = s * (k - 1) + i, at = s * k + i;
                triangle_add(t, ring_node(k, at), ring_node(k, at + 1), ring_node(k - 1, in));
                if (i + 1 < k) triangle_add(t, ring_node(k - 1, in), ring_node(k, at + 1), ring_node(k - 1, in + 1));
            }
}

sp_status sp_mesh_disc(sp_context *context, double radius, int rings, sp_mesh **out) {
    triangles t;
    *out = NULL;
    if (!(radius > 0 && isfinite(radius)))
        return SP_FAIL(context, SP_BAD_INPUT, "radius = %g m, must be positive and finite", radius);
    if (rings < 1) return SP_FAIL(context, SP_BAD_INPUT, "rings = %d, must be at least 1", rings);
    SP_TRY(triangles_reserve(context, 1 + 3.0 * rings * (rings + 1.0), 6.0 * rings * rings, &t));
    disc_fill(&t, radius, rings);
    return triangles_finish(&t, out);
}

// ------------------------------------------------------------------------------------------------ of a surface

// the first vertex without a triangle; -1: none; -2: no memory
static int lone_vertex(const sp_trimesh *s) {
    unsigned char *used;
    int lone = -1;
    if (!SP_NEW(s->ctx, used, s->def.vertex_count)) return -2;
    for (int i = 0; i < 3 * s->def.face_count; i++) used[s->def.faces[i]] = 1;
    for (int i = 0; i < s->def.vertex_count && lone < 0; i++)
        if (!used[i]) lone = i;
    sp__free(s->ctx, used);
    return lone;
}

sp_status sp_mesh_of_triangles(const sp_trimesh *surface, sp_mesh **out) {
    const sp_trimesh_def *from = &surface->def;
    *out = NULL;
    int lone = lone_vertex(surface);
    if (lone == -2) return SP_FAIL(surface->ctx, SP_NO_MEMORY, "no memory for a mesh of %d triangles", from->face_count);
    if (lone >= 0)
        return SP_FAIL(surface->ctx, SP_BAD_INPUT, "vertex %d of the surface belongs to no triangle, and would have no mass",
                       lone);
    sp_mesh_def def = sp_mesh_def_default();
    def.node_count = from->vertex_count, def.positions = from->positions;
    def.element_count = from->face_count, def.element_nodes = from->faces;
    def.groups = from->groups, def.group_count = from->group_count;
    def.arrays = from->arrays, def.array_count = from->array_count;
    return triangles_mesh(surface->ctx, &def, out);
}
