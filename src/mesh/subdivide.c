// Subdivision of each triangle into four.
//
//         c            Old vertices keep their numbers; the midpoint of edge e becomes vertex V + e.
//        / \           Triangle f becomes 4f .. 4f+3: those at its corners a, b, c, then the middle one.
//      ca---bc
//      / \ / \         Smooth: positions by the masks of Loop 1987. Sharp edges (open, shared by more than two
//     a---ab--b        triangles, or above the crease angle) and their halves follow the cubic B-spline of
//                      Hoppe et al. 1994 (section 3). Sharpness is decided once, on the given surface.
// All other attributes are interpolated linearly along the edges.
#include "math/vec3.h"
#include "mesh/edges.h"
#include "mesh/trimesh.h"

// ======================================================================================== Loop subdivision masks

// ------------------------------------------------------------------------------------------------ positions

// Cosine of the angle between the normals of the two triangles of an edge; 1 next to a degenerate triangle, which has no normal.
static double turn_at(const sp_trimesh_def *d, int side_a, int side_b) {
    double n[2][3], length[2];
    for (int s = 0; s < 2; s++) {
        const int *face = d->faces + 3 * (size_t)((s ? side_b : side_a) / 3);
        double u[3], v[3];
        sp__sub3(d->positions + 3 * (size_t)face[1], d->positions + 3 * (size_t)face[0], u);
        sp__sub3(d->positions + 3 * (size_t)face[2], d->positions + 3 * (size_t)face[0], v);
        sp__cross3(u, v, n[s]);
        length[s] = sp__norm3(n[s]);
    }
    return length[0] > 0 && length[1] > 0 ? sp__dot3(n[0], n[1]) / (length[0] * length[1]) : 1;
}

// sharp[side] = 1 on edges that are open, shared by more than two triangles, or with a normal angle above `degrees`.
static void subdivide_find_creases(const sp_trimesh_def *d, const sp_edges *e, double degrees, unsigned char *sharp) {
    double limit = cos(degrees * SP_PI / 180);
    for (int i = 0; i < e->count; i++) {
        const int *side = e->sides + e->first[i];
        int n = e->first[i + 1] - e->first[i];
        bool is = n != 2 || (degrees < 180 && turn_at(d, side[0], side[1]) < limit);
        for (int k = 0; k < n; k++) sharp[side[k]] = is;
    }
}

// the vertex of the triangle of a side that is not on the side
static int subdivide_opposite(const int *faces, int side) {
    int f = side / 3, k = side % 3;
    return faces[3 * (size_t)f + (size_t)((k + 2) % 3)];
}

static void smooth_edges(const sp_trimesh_def *d, const sp_edges *e, const unsigned char *sharp, double *x) {
    const double *from = d->positions;
    for (int i = 0; i < e->count; i++) {
        const int *side = e->sides + e->first[i];
        const double *a = from + 3 * (size_t)e->ends[2 * i], *b = from + 3 * (size_t)e->ends[2 * i + 1];
        double *to = x + 3 * ((size_t)d->vertex_count + (size_t)i);
        if (sharp[side[0]]) {
            for (int k = 0; k < 3; k++) to[k] = 0.5 * (a[k] + b[k]);
            continue;
        }
        const double *c = from + 3 * (size_t)subdivide_opposite(d->faces, side[0]),
                     *f = from + 3 * (size_t)subdivide_opposite(d->faces, side[1]);
        for (int k = 0; k < 3; k++) to[k] = 0.375 * (a[k] + b[k]) + 0.125 * (c[k] + f[k]);
    }
}

// the neighbourhood of a vertex
typedef struct ring {
    double all[3], along[3];  // sums of all neighbours, and of those along sharp edges
    int valence, sharp;
} ring;

static void gather_rings(const sp_trimesh_def *d, const sp_edges *e, const unsigned char *sharp, ring *rings) {
    for (int i = 0; i < e->count; i++) {
        bool is = sharp[e->sides[e->first[i]]];
        for (int s = 0; s < 2; s++) {
            ring *r = rings + e->ends[2 * i + s];
            const double *x = d->positions + 3 * (size_t)e->ends[2 * i + !s];
            r->valence++;
            r->sharp += is;
            for (int k = 0; k < 3; k++) r->all[k] += x[k], r->along[k] += is ? x[k] : 0;
        }
    }
}

static void smooth_vertices(const sp_trimesh_def *d, const ring *rings, double *x) {
    for (int i = 0; i < d->vertex_count; i++) {
        const double *own = d->positions + 3 * (size_t)i;
        const ring *r = rings + i;
        double own_weight = 1, beta = 0;
        const double *sum = r->all;
        if (r->sharp == 2) {
            own_weight = 0.75, beta = 0.125, sum = r->along;
        } else if (r->sharp < 2 && r->valence > 0) {
            double c = 0.375 + 0.25 * cos(2 * SP_PI / r->valence);
            beta = (0.625 - c * c) / r->valence;
            own_weight = 1 - r->valence * beta;
        }
        for (int k = 0; k < 3; k++) x[3 * (size_t)i + (size_t)k] = own_weight * own[k] + beta * sum[k];
    }
}

// Positions of old vertices and edge vertices (vertex_count + edge count) by Loop's rule.
static sp_status subdivide_smooth(sp_context *ctx, const sp_trimesh_def *d, const sp_edges *e, const unsigned char *sharp,
                                  double *x) {
    ring *rings;
    if (!SP_NEW(ctx, rings, d->vertex_count)) return SP_FAIL(ctx, SP_NO_MEMORY, "no memory to subdivide a surface");
    gather_rings(d, e, sharp, rings);
    smooth_edges(d, e, sharp, x);
    smooth_vertices(d, rings, x);
    sp__free(ctx, rings);
    return SP_OK;
}

// ====================================================================================== one level of subdivision

// The topology of a level, and the attributes of vertices, corners and faces.

// A level under construction. sp_trimesh_create copies all of it again: the cost of having all checks in one place.
typedef struct level {
    sp_context *ctx;
    sp_trimesh_def from, to;
    sp_edges edges;
    void *owned[8];
    int owned_count;
    sp_attributes with;
    unsigned char *marks;
} level;

static void *subdivide_keep(level *l, size_t n, size_t size) {
    void *memory = sp__alloc(l->ctx, n, size);
    if (memory) l->owned[l->owned_count++] = memory;
    return memory;
}

// values at `count` old vertices and at the midpoint of each edge; `unit`: normals, normalised again
static void subdivide_interpolate(const double *from, int count, const sp_edges *e, int width, bool unit, double *to) {
    memcpy(to, from, (size_t)count * (size_t)width * sizeof *to);
    for (size_t i = 0; i < (size_t)e->count; i++) {
        const double *a = from + (size_t)e->ends[2 * i] * (size_t)width, *b = from + (size_t)e->ends[2 * i + 1] * (size_t)width;
        double *m = to + ((size_t)count + i) * (size_t)width;
        for (int k = 0; k < width; k++) m[k] = 0.5 * a[k] + 0.5 * b[k];
        double length = unit ? sp__norm3(m) : 1;
        for (int k = 0; unit && length > 0 && k < width; k++) m[k] /= length;
    }
}

// corners of the four children of each face; the midpoint of edge e has the number base + e, or -1
static void split_corners(const int *from, int faces, const sp_edges *e, int base, int *to) {
    for (size_t f = 0; f < (size_t)faces; f++) {
        const int *c = from + 3 * f;
        int m[3];
        for (size_t k = 0; k < 3; k++) m[k] = e->of[3 * f + k] < 0 ? -1 : base + e->of[3 * f + k];
        const int children[12] = {c[0], m[0], m[2], m[0], c[1], m[1], m[2], m[1], c[2], m[0], m[1], m[2]};
        memcpy(to + 12 * f, children, sizeof children);
    }
}

// sides of the children that lie on a sharp side of their parent
static void split_creases(const unsigned char *from, int faces, unsigned char *to) {
    for (size_t f = 0; f < (size_t)faces; f++) {
        const unsigned char *s = from + 3 * f;
        const unsigned char children[12] = {s[0], 0, s[2], s[0], s[1], 0, 0, s[1], s[2], 0, 0, 0};
        memcpy(to + 12 * f, children, sizeof children);
    }
}

// ------------------------------------------------------------------------------------------------ channels

static sp_status no_memory(level *l) {
    return SP_FAIL(l->ctx, SP_NO_MEMORY, "no memory to subdivide %d triangles", l->from.face_count);
}

// texture coordinates or normals: with their own corner indices they have their own edges (seams)
static sp_status split_channel(level *l, int count, int width, bool unit, const double *values, const int *corners,
                               int *out_count, const double **out_values, const int **out_corners) {
    sp_edges own = {0};
    const sp_edges *e = &l->edges;
    if (!values) return SP_OK;
    if (corners) {
        sp_status status = sp__edges_find(l->ctx, corners, l->from.face_count, count, &own);
        if (status < 0) {
            sp__edges_free(l->ctx, &own);
            return status;
        }
        e = &own;
    }
    if (!corners) count = l->from.vertex_count;  // one per vertex; further entries are unused
    double *v = subdivide_keep(l, ((size_t)count + (size_t)e->count) * (size_t)width, sizeof *v);
    int *c = corners ? subdivide_keep(l, 12 * (size_t)l->from.face_count, sizeof *c) : NULL;
    bool good = v && (!corners || c);
    if (good) subdivide_interpolate(values, count, e, width, unit, v);
    if (good && corners) split_corners(corners, l->from.face_count, e, count, c);
    *out_count = count + e->count, *out_values = v, *out_corners = c;
    sp__edges_free(l->ctx, &own);
    return good ? SP_OK : no_memory(l);
}

static sp_status split_channels(level *l, bool smooth) {
    const sp_trimesh_def *d = &l->from;
    SP_TRY(split_channel(l, d->texcoord_count, 2, false, d->texcoords, d->face_texcoords, &l->to.texcoord_count, &l->to.texcoords,
                         &l->to.face_texcoords));
    if (!smooth)
        SP_TRY(split_channel(l, d->normal_count, 3, true, d->normals, d->face_normals, &l->to.normal_count, &l->to.normals,
                             &l->to.face_normals));
    if (!d->colors) return SP_OK;
    double *colors = subdivide_keep(l, 4 * (size_t)l->to.vertex_count, sizeof *colors);
    if (!colors) return no_memory(l);
    subdivide_interpolate(d->colors, d->vertex_count, &l->edges, 4, false, colors);
    l->to.colors = colors;
    return SP_OK;
}

// ------------------------------------------------------------------------------------------------ groups and arrays

static sp_status split_group(level *l, const sp_mesh_group *from, sp_mesh_group *to) {
    int count = 0, *elements, *nodes;
    to->name = from->name;
    if (!SP_NEW(l->ctx, elements, 4 * (size_t)from->element_count)) return no_memory(l);
    to->elements = elements, to->element_count = 4 * from->element_count;
    for (int i = 0; i < to->element_count; i++) elements[i] = 4 * from->elements[i / 4] + i % 4;
    for (int i = 0; i < from->node_count; i++) l->marks[from->nodes[i]] = 1;
    for (int i = 0; i < l->edges.count; i++) count += l->marks[l->edges.ends[2 * i]] && l->marks[l->edges.ends[2 * i + 1]];
    if (!SP_NEW(l->ctx, nodes, (size_t)from->node_count + (size_t)count)) return no_memory(l);
    for (; to->node_count < from->node_count; to->node_count++) nodes[to->node_count] = from->nodes[to->node_count];
    for (int i = 0; i < l->edges.count; i++)
        if (l->marks[l->edges.ends[2 * i]] && l->marks[l->edges.ends[2 * i + 1]])
            nodes[to->node_count++] = l->from.vertex_count + i;
    to->nodes = nodes;
    for (int i = 0; i < from->node_count; i++) l->marks[from->nodes[i]] = 0;
    return SP_OK;
}

static sp_status split_array(level *l, const sp_mesh_array *from, sp_mesh_array *to) {
    size_t n = from->on_elements ? 4 * (size_t)l->from.face_count : (size_t)l->to.vertex_count;
    double *values;
    if (!SP_NEW(l->ctx, values, n)) return no_memory(l);
    if (from->on_elements)
        for (size_t i = 0; i < n; i++) values[i] = from->values[i / 4];
    else
        subdivide_interpolate(from->values, l->from.vertex_count, &l->edges, 1, false, values);
    *to = (sp_mesh_array){from->name, values, from->on_elements};
    return SP_OK;
}

static sp_status split_attributes(level *l) {
    const sp_trimesh_def *d = &l->from;
    if (!SP_NEW(l->ctx, l->with.groups, d->group_count) || !SP_NEW(l->ctx, l->with.arrays, d->array_count) ||
        !(l->marks = subdivide_keep(l, (size_t)d->vertex_count, 1)))
        return no_memory(l);
    for (int g = 0; g < d->group_count; g++) SP_TRY(split_group(l, &d->groups[g], &l->with.groups[l->with.group_count++]));
    for (int a = 0; a < d->array_count; a++)
        if (strcmp(d->arrays[a].name, "node") != 0) SP_TRY(split_array(l, &d->arrays[a], &l->with.arrays[l->with.array_count++]));
    l->to.groups = l->with.groups, l->to.group_count = l->with.group_count;
    l->to.arrays = l->with.arrays, l->to.array_count = l->with.array_count;
    return SP_OK;
}

// names are borrowed from the previous level
static void free_level(level *l) {
    for (int i = 0; i < l->with.group_count; i++) l->with.groups[i].name = NULL;
    for (int i = 0; i < l->with.array_count; i++) l->with.arrays[i].name = NULL;
    sp__attributes_free(l->ctx, &l->with);
    for (int i = 0; i < l->owned_count; i++) sp__free(l->ctx, l->owned[i]);
    sp__edges_free(l->ctx, &l->edges);
}

// ------------------------------------------------------------------------------------------------ levels

static sp_status fill_level(level *l, bool smooth, const unsigned char *sharp) {
    const sp_trimesh_def *d = &l->from;
    l->to = sp_trimesh_def_default();
    l->to.vertex_count = d->vertex_count + l->edges.count;
    l->to.face_count = 4 * d->face_count;
    double *x = subdivide_keep(l, 3 * (size_t)l->to.vertex_count, sizeof *x);
    int *faces = subdivide_keep(l, 3 * (size_t)l->to.face_count, sizeof *faces);
    if (!x || !faces) return no_memory(l);
    split_corners(d->faces, d->face_count, &l->edges, d->vertex_count, faces);
    l->to.positions = x, l->to.faces = faces;
    if (smooth)
        SP_TRY(subdivide_smooth(l->ctx, d, &l->edges, sharp, x));
    else
        subdivide_interpolate(d->positions, d->vertex_count, &l->edges, 3, false, x);
    SP_TRY(split_channels(l, smooth));
    return split_attributes(l);
}

// on entry `sharp` belongs to `from`, on return to *out
static sp_status subdivide_once(const sp_trimesh *from, bool smooth, double crease, unsigned char **sharp, sp_trimesh **out) {
    sp_context *ctx = from->ctx;
    level l = {.ctx = ctx, .from = from->def};
    unsigned char *next = NULL;
    size_t sides = 3 * (size_t)from->def.face_count;
    sp_status status = sp__edges_find(ctx, from->def.faces, from->def.face_count, from->def.vertex_count, &l.edges);
    if (status == SP_OK && !*sharp) {
        if (SP_NEW(ctx, *sharp, sides))
            subdivide_find_creases(&l.from, &l.edges, crease, *sharp);
        else
            status = no_memory(&l);
    }
    if (status == SP_OK && !SP_NEW(ctx, next, 4 * sides)) status = no_memory(&l);
    if (status == SP_OK) status = fill_level(&l, smooth, *sharp);
    if (status == SP_OK) status = sp_trimesh_create(ctx, &l.to, out);
    if (status == SP_OK) {
        split_creases(*sharp, from->def.face_count, next);
        unsigned char *swap = *sharp;
        *sharp = next, next = swap;
    }
    sp__free(ctx, next);
    free_level(&l);
    return status;
}

static sp_status subdivide_check(const sp_trimesh *s, int times, double crease) {
    if (times < 0 || times > 6) return SP_FAIL(s->ctx, SP_BAD_INPUT, "subdivided %d times, must be in [0, 6]", times);
    if (!(crease >= 0 && crease <= 180)) return SP_FAIL(s->ctx, SP_BAD_INPUT, "crease = %g degrees, must be in [0, 180]", crease);
    double faces = ldexp(s->def.face_count, 2 * times);
    if (faces > SP_TETS_MAX)
        return SP_FAIL(s->ctx, SP_BAD_INPUT, "subdividing makes %g triangles, must be at most %d", faces, SP_TETS_MAX);
    return SP_OK;
}

sp_status sp_trimesh_subdivided(const sp_trimesh *surface, int times, bool smooth, double crease, sp_trimesh **out) {
    *out = NULL;
    SP_TRY(subdivide_check(surface, times, crease));
    if (times == 0) return sp_trimesh_create(surface->ctx, &surface->def, out);
    sp_trimesh *now = NULL;
    unsigned char *sharp = NULL;
    sp_status status = SP_OK;
    for (int i = 0; i < times && status == SP_OK; i++) {
        sp_trimesh *next = NULL;
        status = subdivide_once(now ? now : surface, smooth, crease, &sharp, &next);
        sp_trimesh_destroy(&now);
        now = next;
    }
    sp__free(surface->ctx, sharp);
    *out = now;
    return status;
}
