// Creation of embedded surfaces. From a triangle mesh: vertices are embedded at their position in the rest shape; colours and
// texture coordinates are copied. From the boundary of the body: its faces, or each face subdivided into N x N triangles (N =
// 2^n) on the lattice of its barycentric coordinates. Faces on both sides of an edge share its vertices, so that the surface
// stays closed. From a region of a solid: its faces to elements of regions with lower numbers.
#include <stdlib.h>

#include "mesh/mesh_internal.h"
#include "util/sort.h"
#include "world/world_internal.h"

static sp_status too_large(sp_world *w, const sp_body *b, double faces) {
    return WORLD_FAIL(w, SP_BAD_INPUT, "a surface of '%s' with %.0f triangles, must have at most %d", b->name, faces, 1 << 28);
}

// ---------------------------------------------------------------------------------------------------- from a mesh

static sp_status copy_colors(sp_world *w, const sp_trimesh_def *from, sp_surface *out) {
    size_t n = 4 * (size_t)from->vertex_count;
    if (!from->colors) return SP_OK;
    if (!SP_NEW(w->ctx, out->colors, n)) return SP_NO_MEMORY;
    for (size_t i = 0; i < n; i++) out->colors[i] = (float)from->colors[i];
    return SP_OK;
}

static sp_status copy_texcoords(sp_world *w, const sp_trimesh_def *from, sp_surface *out) {
    size_t n = 3 * (size_t)from->face_count;
    if (!from->texcoords) return SP_OK;
    if (!SP_NEW(w->ctx, out->texcoords, 2 * n)) return SP_NO_MEMORY;
    for (size_t i = 0; i < n; i++) {
        int at = from->face_texcoords ? from->face_texcoords[i] : from->faces[i];
        for (size_t k = 0; k < 2 && at >= 0; k++) out->texcoords[2 * i + k] = (float)from->texcoords[2 * (size_t)at + k];
    }
    return SP_OK;
}

// a vertex that is outside by rounding only is not counted
static void count_outside(const sp_trimesh_def *from, const double *outside, sp_surface *out) {
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY}, size = 0;
    for (size_t i = 0; i < 3 * (size_t)from->vertex_count; i++) {
        low[i % 3] = fmin(low[i % 3], from->positions[i]);
        high[i % 3] = fmax(high[i % 3], from->positions[i]);
    }
    for (int k = 0; k < 3; k++) size = fmax(size, high[k] - low[k]);
    for (int i = 0; i < from->vertex_count; i++) {
        if (!(outside[i] > 1e-9 * size)) continue;
        out->outside++;
        out->farthest = fmax(out->farthest, outside[i]);
    }
}

sp_status sp__surface_of_mesh(sp_world *w, sp_body *b, const sp_surface_def *def, sp_surface *out) {
    sp_trimesh_def from;
    double *outside;
    sp_trimesh_get(def->mesh, &from);
    size_t v = (size_t)from.vertex_count, f = 3 * (size_t)from.face_count;
    if (from.vertex_count < 1 || from.face_count < 1)
        return WORLD_FAIL(w, SP_BAD_INPUT, "a surface of '%s' with %d vertices and %d triangles is empty", b->name,
                          from.vertex_count, from.face_count);
    out->vertex_count = from.vertex_count, out->face_count = from.face_count;
    if (!SP_NEW(w->ctx, out->anchors, v) || !SP_NEW(w->ctx, out->faces, f) || !SP_NEW(w->ctx, outside, v)) return SP_NO_MEMORY;
    for (size_t i = 0; i < f; i++) out->faces[i] = (uint32_t)from.faces[i];
    sp_status status = b->ops->attach(b, from.vertex_count, from.positions, out->anchors, outside);
    if (status >= 0) count_outside(&from, outside, out);
    sp__free(w->ctx, outside);
    if (status < 0) return sp__world_body_failed(w, b, status);
    SP_TRY(copy_colors(w, &from, out));
    return copy_texcoords(w, &from, out);
}

// ---------------------------------------------------------------------------------------------------- from the boundary

typedef struct cut {
    sp_body *b;
    const sp_surface *own;
    const int *faces;  // of `own`; NULL: all
    int face_count, vertex_count;
    int N;                   // cells along an edge
    int *vertex_of;          // per vertex of `own`: its number here, or -1
    int *edge_start, *edge;  // table of edges by lower vertex: the higher vertex, -1: unused
    int *edge_number;        // number of the edge in each entry
    int edge_count;
} cut;

static int face_at(const cut *c, int i) {
    return c->faces ? c->faces[i] : i;
}

static const uint32_t *corners_at(const cut *c, int i) {
    return c->own->faces + 3 * (size_t)face_at(c, i);
}

static void number_vertices(cut *c) {
    for (int i = 0; i < c->face_count; i++)
        for (int k = 0; k < 3; k++) c->vertex_of[corners_at(c, i)[k]] = 1;
    for (int i = 0; i < c->own->vertex_count; i++) c->vertex_of[i] = c->vertex_of[i] ? c->vertex_count++ : -1;
}

// the entry of the edge between a and b, or the first unused one
static int edge_place(const cut *c, int a, int b) {
    int low = a < b ? a : b, high = a < b ? b : a, at = c->edge_start[low];
    while (c->edge[at] != high && c->edge[at] != -1) at++;
    return at;
}

static void number_edges(cut *c) {
    for (int i = 0; i < c->face_count; i++)
        for (int k = 0; k < 3; k++) {
            int a = (int)corners_at(c, i)[k], b = (int)corners_at(c, i)[(k + 1) % 3];
            c->edge_start[(a < b ? a : b) + 1]++;
        }
    for (int i = 0; i < c->own->vertex_count; i++) c->edge_start[i + 1] += c->edge_start[i];
    int places = c->edge_start[c->own->vertex_count];
    for (int i = 0; i < places; i++) c->edge[i] = -1;
    for (int i = 0; i < c->face_count; i++)
        for (int k = 0; k < 3; k++) {
            int a = (int)corners_at(c, i)[k], b = (int)corners_at(c, i)[(k + 1) % 3];
            c->edge[edge_place(c, a, b)] = a < b ? b : a;
        }
    for (int i = 0; i < places; i++) c->edge_number[i] = c->edge[i] >= 0 ? c->edge_count++ : -1;
}

// the vertex of face i at the lattice point `a` cells towards corner 1 and `b` cells towards corner 2
static int lattice_vertex(const cut *c, int i, int a, int b) {
    const uint32_t *v = corners_at(c, i);
    int N = c->N, steps[3] = {N - a - b, a, b};
    for (int k = 0; k < 3; k++)
        if (steps[k] == N) return c->vertex_of[v[k]];
    for (int k = 0; k < 3; k++) {
        int from = (int)v[k], to = (int)v[(k + 1) % 3];
        if (steps[(k + 2) % 3] != 0) continue;
        int along = from < to ? steps[(k + 1) % 3] : steps[k];  // cells from the lower vertex
        return c->vertex_count + c->edge_number[edge_place(c, from, to)] * (N - 1) + along - 1;
    }
    // interior: rows b = 1, 2, ... of N - 2, N - 3, ... points
    int row = (b - 1) * (N - 1) - b * (b - 1) / 2;
    return c->vertex_count + c->edge_count * (N - 1) + i * ((N - 1) * (N - 2) / 2) + row + a - 1;
}

static void lattice_anchor(const cut *c, const sp_anchor corner[3], int a, int b, sp_anchor *out) {
    double N = c->N, w[3] = {(N - a - b) / N, a / N, b / N};
    *out = (sp_anchor){.body = c->b->id, .elem = corner[0].elem};
    for (int k = 0; k < 3; k++)
        for (int m = 0; m < 3; m++) {
            out->at[m] += w[k] * corner[k].at[m];
            out->offset[m] += w[k] * corner[k].offset[m];
        }
}

static void cut_face(const cut *c, int i, sp_surface *out) {
    sp_anchor corner[3];
    if (c->b->ops->face_anchors)
        c->b->ops->face_anchors(c->b, face_at(c, i), corner);
    else
        for (int k = 0; k < 3; k++) corner[k] = c->own->anchors[corners_at(c, i)[k]];
    for (int b = 0; b <= c->N; b++)
        for (int a = 0; a + b <= c->N; a++) lattice_anchor(c, corner, a, b, &out->anchors[lattice_vertex(c, i, a, b)]);
    uint32_t *to = out->faces + 3 * (size_t)i * (size_t)(c->N * c->N);
    for (int b = 0; b < c->N; b++)
        for (int a = 0; a + b < c->N; a++) {
            int x = lattice_vertex(c, i, a, b), y = lattice_vertex(c, i, a + 1, b), z = lattice_vertex(c, i, a, b + 1);
            *to++ = (uint32_t)x, *to++ = (uint32_t)y, *to++ = (uint32_t)z;
            if (a + b + 1 == c->N) continue;
            *to++ = (uint32_t)y, *to++ = (uint32_t)lattice_vertex(c, i, a + 1, b + 1), *to++ = (uint32_t)z;
        }
}

// original vertices keep the anchors of the boundary
static void take_corners(const cut *c, sp_surface *out) {
    for (int i = 0; i < c->own->vertex_count; i++) {
        if (c->vertex_of[i] < 0) continue;
        out->anchors[c->vertex_of[i]] = c->own->anchors[i];
        out->anchors[c->vertex_of[i]].body = c->b->id;
    }
}

static sp_status fill_cut(sp_world *w, cut *c, sp_surface *out) {
    size_t v = (size_t)c->own->vertex_count;
    size_t edges = 3 * (size_t)c->face_count + 1;
    if (!SP_NEW(w->ctx, c->vertex_of, v + 1) || !SP_NEW(w->ctx, c->edge_start, v + 2) || !SP_NEW(w->ctx, c->edge, edges) ||
        !SP_NEW(w->ctx, c->edge_number, edges))
        return SP_NO_MEMORY;
    number_vertices(c);
    if (c->N > 1) number_edges(c);
    double inside = 0.5 * (c->N - 1) * (c->N - 2) * c->face_count, faces = (double)c->N * c->N * c->face_count;
    double vertices = (double)c->vertex_count + (double)c->edge_count * (c->N - 1) + inside;
    if (faces > 1 << 28 || vertices > 1 << 28) return too_large(w, c->b, faces);
    out->vertex_count = (int)vertices, out->face_count = (int)faces;
    if (!SP_NEW(w->ctx, out->anchors, out->vertex_count) || !SP_NEW(w->ctx, out->faces, 3 * (size_t)out->face_count))
        return SP_NO_MEMORY;
    for (int i = 0; i < c->face_count; i++) cut_face(c, i, out);
    take_corners(c, out);
    return SP_OK;
}

sp_status sp__surface_of_boundary(sp_world *w, sp_body *b, const sp_surface_def *def, sp_surface *out) {
    cut c = {.b = b, .own = b->surfaces[0], .faces = def->faces, .face_count = def->face_count, .N = 1 << def->subdivide};
    if (c.own->face_count == 0) return WORLD_FAIL(w, SP_BAD_INPUT, "body '%s' has no boundary to show", b->name);
    if (!c.faces) c.face_count = c.own->face_count;
    for (int i = 0; c.faces && i < c.face_count; i++)
        if (c.faces[i] < 0 || c.faces[i] >= c.own->face_count)
            return WORLD_FAIL(w, SP_BAD_INPUT, "face %d of '%s', must be in [0, %d]", c.faces[i], b->name, c.own->face_count - 1);
    sp_status status = fill_cut(w, &c, out);
    sp__free(w->ctx, c.vertex_of), sp__free(w->ctx, c.edge_start);
    sp__free(w->ctx, c.edge), sp__free(w->ctx, c.edge_number);
    return status;
}

// ---------------------------------------------------------------------------------------------------- from a region

// A face of an element whose three nodes belong to the region and to a lower one: it may be an interface.
typedef struct region_face {
    int node[3];  // ascending
    int element, side;
    bool inside;  // the element belongs to the region
} region_face;

typedef struct region_faces {
    sp_body *b;
    int region;
    int *element;        // elements x 4: their nodes
    double *region_of;   // elements
    unsigned char *has;  // per node: 1 in the region, 2 in a lower one
    region_face *face;
    int count;
    int *vertex;  // per node: its number here, or -1
} region_faces;

static int compare_faces(const void *a, const void *b) {
    const region_face *f = a, *g = b;
    for (int k = 0; k < 3; k++)
        if (f->node[k] != g->node[k]) return f->node[k] < g->node[k] ? -1 : 1;
    return f->element < g->element ? -1 : f->element > g->element;
}

// the region first, then lower ones: only few faces are left to compare
static sp_status list_region_faces(sp_world *w, region_faces *r) {
    sp_body *b = r->b;
    for (int i = 0; i < 4 * b->elements; i++) {
        int of = (int)r->region_of[i / 4];
        r->has[r->element[i]] |= of == r->region ? 1 : of < r->region ? 2 : 0;
    }
    for (int fill = 0; fill < 2; fill++) {
        r->count = 0;
        for (int e = 0; e < b->elements; e++)
            for (int side = 0; side < 4 && r->region_of[e] <= r->region; side++) {
                region_face f = {.element = e, .side = side, .inside = (int)r->region_of[e] == r->region};
                bool both = true;
                for (int k = 0; k < 3; k++) {
                    f.node[k] = r->element[4 * (size_t)e + (size_t)sp__tet_face[side][k]];
                    both = both && r->has[f.node[k]] == 3;
                }
                if (!both) continue;
                sp__sort_ints(f.node, 3);
                if (fill) r->face[r->count] = f;
                r->count++;
            }
        if (!fill && !SP_NEW(w->ctx, r->face, (size_t)r->count + 1)) return SP_NO_MEMORY;
    }
    qsort(r->face, (size_t)r->count, sizeof *r->face, compare_faces);
    return SP_OK;
}

// vertices are corners of elements of the region, so that values that must not be averaged are those of the region
static void take_region_face(region_faces *r, const region_face *f, sp_surface *out) {
    for (int k = 0; k < 3; k++) {
        int corner = sp__tet_face[f->side][k], node = r->element[4 * (size_t)f->element + (size_t)corner];
        if (r->vertex[node] < 0) {
            sp_anchor *a = &out->anchors[r->vertex[node] = out->vertex_count++];
            *a = (sp_anchor){.body = r->b->id, .elem = (uint32_t)f->element};
            if (corner > 0) a->at[corner - 1] = 1;
        }
        out->faces[3 * (size_t)out->face_count + (size_t)k] = (uint32_t)r->vertex[node];
    }
    out->face_count++;
}

static sp_status fill_region(sp_world *w, region_faces *r, sp_surface *out) {
    sp_body *b = r->b;
    const sp_field *field = sp__body_field(b, "region");
    const sp_step step = sp__body_step(b, &w->step);
    size_t nodes = (size_t)b->nodes + 1, elements = (size_t)b->elements + 1;
    if (!SP_NEW(w->ctx, r->element, 4 * elements) || !SP_NEW(w->ctx, r->region_of, elements) || !SP_NEW(w->ctx, r->has, nodes) ||
        !SP_NEW(w->ctx, r->vertex, nodes))
        return SP_NO_MEMORY;
    b->ops->element_nodes(b, r->element);
    SP_TRY(field->fill(b, &step, field->id, r->region_of));
    SP_TRY(list_region_faces(w, r));
    // no more vertices than corners of faces
    if (!SP_NEW(w->ctx, out->anchors, 3 * (size_t)r->count + 1) || !SP_NEW(w->ctx, out->faces, 3 * (size_t)r->count + 1))
        return SP_NO_MEMORY;
    for (size_t i = 0; i < nodes; i++) r->vertex[i] = -1;
    for (int i = 0; i + 1 < r->count; i++) {
        const region_face *f = &r->face[i], *g = f + 1;
        if (memcmp(f->node, g->node, sizeof f->node) == 0 && f->inside != g->inside) take_region_face(r, f->inside ? f : g, out);
    }
    return SP_OK;
}

sp_status sp__surface_of_region(sp_world *w, sp_body *b, const sp_surface_def *def, sp_surface *out) {
    region_faces r = {.b = b, .region = def->region};
    sp_status status = fill_region(w, &r, out);
    sp__free(w->ctx, r.element), sp__free(w->ctx, r.region_of), sp__free(w->ctx, r.has);
    sp__free(w->ctx, r.face), sp__free(w->ctx, r.vertex);
    return status;
}
