// The lattice of an octree: a vertex at every centre and corner of a cell, and tetrahedra between them (Labelle and Shewchuk
// 2007, figure 6). Two cells of equal size with a common face share four body-centred cubic tetrahedra, one per edge of the face,
// between the two centres and the ends of the edge. An edge halved by smaller cells gives two instead of one. A face between a
// cell and a smaller cell is split along the diagonal that ends in the middle of the larger face, and each half is joined to both
// centres.
#include "math/vec3.h"
#include "mesh/fill.h"

enum { CHUNK = 128 };

sp_status sp__fill_no_memory(sp_context *ctx) {
    return SP_FAIL(ctx, SP_NO_MEMORY, "no memory for tetrahedra");
}

bool sp__fill_reserve(sp_context *ctx, void *items, int count, int *capacity, size_t size) {
    void *old, *more;
    memcpy(&old, items, sizeof old);  // works for a pointer to any type
    if (old && count < *capacity) return true;
    if (count >= SP_TETS_MAX) return false;
    int wide = count < 64 ? 128 : 2 * count;
    more = sp__alloc(ctx, (size_t)wide, size);
    if (!more) return false;
    if (old) memcpy(more, old, (size_t)count * size);
    sp__free(ctx, old);
    memcpy(items, &more, sizeof more);
    *capacity = wide;
    return true;
}

// ------------------------------------------------------------------------------------------------ vertices

static bool add_vertex(sp_fill *f, const int p[3], int level) {
    int i = sp__hash_get(&f->vertex_at, sp__place_key(p));
    if (i >= 0) {
        if (f->vertices[i].level > level) f->vertices[i].level = level;
        return true;
    }
    if (!SP_FILL_ROOM(f->ctx, f->vertices, f->vertex_count, f->vertex_capacity)) return false;
    sp_fill_vertex *v = &f->vertices[f->vertex_count];
    memset(v, 0, sizeof *v);
    memcpy(v->place, p, sizeof v->place);
    v->level = level;
    sp__octree_point(&f->tree, p, v->x);
    return sp__hash_put(f->ctx, &f->vertex_at, sp__place_key(p), f->vertex_count++);
}

static bool add_cell_vertices(sp_fill *f, const int centre[3]) {
    int l = sp__cell_level(centre), half = 1 << l;
    if (!add_vertex(f, centre, l)) return false;
    for (int c = 0; c < 8; c++) {
        const int p[3] = {centre[0] + (c & 1 ? half : -half), centre[1] + (c & 2 ? half : -half),
                          centre[2] + (c & 4 ? half : -half)};
        if (!add_vertex(f, p, l)) return false;
    }
    return true;
}

static void find_materials(void *arg, int task, int worker) {
    sp_fill *f = arg;
    (void)worker;
    int end = task * CHUNK + CHUNK < f->vertex_count ? task * CHUNK + CHUNK : f->vertex_count;
    for (int i = task * CHUNK; i < end; i++)
        f->vertices[i].own = (uint16_t)(f->source->material(f->source->user, f->vertices[i].x) + 1);
}

// A shape that reaches the box would be cut off there: report that the box is too small.
static sp_status check_box(sp_fill *f) {
    if (f->source->tight) return SP_OK;
    for (int i = 0; i < f->vertex_count; i++) {
        const sp_fill_vertex *v = &f->vertices[i];
        for (int k = 0; k < 3; k++)
            if (v->own > 1 && (v->x[k] < f->source->low[k] - 2 * f->tree.unit || v->x[k] > f->source->high[k] + 2 * f->tree.unit))
                return SP_FAIL(f->ctx, SP_BAD_INPUT, "the shape leaves its box: (%g, %g, %g) is inside", v->x[0], v->x[1],
                               v->x[2]);
    }
    return SP_OK;
}

// ------------------------------------------------------------------------------------------------ cells

// Swaps two vertices if needed so that det > 0. A cell with all four vertices outside is dropped.
static bool add_tet(sp_fill *f, int a, int b, int c, int d) {
    const sp_fill_vertex *v = f->vertices;
    if (v[a].own == 1 && v[b].own == 1 && v[c].own == 1 && v[d].own == 1) return true;
    if (!SP_FILL_ROOM(f->ctx, f->cells, f->cell_count, f->cell_capacity)) return false;
    double m[9];
    for (int k = 0; k < 3; k++) {
        m[k] = v[b].place[k] - v[a].place[k];
        m[3 + k] = v[c].place[k] - v[a].place[k];
        m[6 + k] = v[d].place[k] - v[a].place[k];
    }
    bool positive = sp__det3(m) > 0;
    int *cell = f->cells[f->cell_count++];
    cell[0] = a, cell[1] = b, cell[2] = positive ? c : d, cell[3] = positive ? d : c;
    return true;
}

static int vertex(const sp_fill *f, const int p[3]) {
    return sp__hash_get(&f->vertex_at, sp__place_key(p));
}

// corner (s, t) = (+-1, +-1) of the cell face with normal `side` along `axis`
static void face_corner(const int centre[3], int half, int axis, int side, int s, int t, int out[3]) {
    out[axis] = centre[axis] + side * half;
    out[(axis + 1) % 3] = centre[(axis + 1) % 3] + s * half;
    out[(axis + 2) % 3] = centre[(axis + 2) % 3] + t * half;
}

static const int around[5][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}, {-1, -1}};

static bool between_equals(sp_fill *f, int own, int other, const int centre[3], int half, int axis) {
    for (int e = 0; e < 4; e++) {
        int a[3], b[3], m[3];
        face_corner(centre, half, axis, 1, around[e][0], around[e][1], a);
        face_corner(centre, half, axis, 1, around[e + 1][0], around[e + 1][1], b);
        for (int k = 0; k < 3; k++) m[k] = (a[k] + b[k]) / 2;
        int i = vertex(f, a), j = vertex(f, b), middle = vertex(f, m);
        bool added =
            middle < 0 ? add_tet(f, own, other, i, j) : add_tet(f, own, other, i, middle) && add_tet(f, own, other, middle, j);
        if (!added) return false;
    }
    return true;
}

// face of the smaller cell, and its one corner in the middle of the larger cell's face
static bool towards_larger(sp_fill *f, int own, int other, const int centre[3], int half, int axis, int side) {
    const int *large = f->vertices[other].place;
    int s = large[(axis + 1) % 3] > centre[(axis + 1) % 3] ? 1 : -1, t = large[(axis + 2) % 3] > centre[(axis + 2) % 3] ? 1 : -1;
    int m[3], c[3], e[2][3];
    face_corner(centre, half, axis, side, s, t, m);
    face_corner(centre, half, axis, side, -s, -t, c);
    face_corner(centre, half, axis, side, -s, t, e[0]);
    face_corner(centre, half, axis, side, s, -t, e[1]);
    int middle = vertex(f, m), corner = vertex(f, c);
    for (int i = 0; i < 2; i++) {
        int edge = vertex(f, e[i]);
        if (!add_tet(f, own, middle, corner, edge) || !add_tet(f, other, middle, corner, edge)) return false;
    }
    return true;
}

static bool add_cell_tets(sp_fill *f, const int centre[3]) {
    int l = sp__cell_level(centre), half = 1 << l, own = vertex(f, centre);
    for (int d = 0; d < 6; d++) {
        int axis = d / 2, side = d % 2 ? 1 : -1, beyond[3] = {centre[0], centre[1], centre[2]};
        beyond[axis] += side * 2 * half;
        int same = sp__octree_find(&f->tree, beyond, l), larger = same < 0 ? sp__octree_find(&f->tree, beyond, l + 1) : -1;
        if (same >= 0 && side > 0 && !between_equals(f, own, vertex(f, beyond), centre, half, axis)) return false;
        if (larger >= 0) {
            int other = vertex(f, f->tree.centre + 3 * (size_t)larger);
            if (!towards_larger(f, own, other, centre, half, axis, side)) return false;
        }
    }
    return true;
}

sp_status sp__fill_lattice(sp_fill *f) {
    const sp_octree *o = &f->tree;
    for (int i = 0; i < o->count; i++)
        if (!o->gone[i] && !add_cell_vertices(f, o->centre + 3 * (size_t)i)) return sp__fill_no_memory(f->ctx);
    sp__parallel(f->ctx, (f->vertex_count + CHUNK - 1) / CHUNK, find_materials, f);
    SP_TRY(check_box(f));
    for (int i = 0; i < o->count; i++)
        if (!o->gone[i] && !add_cell_tets(f, o->centre + 3 * (size_t)i)) return sp__fill_no_memory(f->ctx);
    return SP_OK;
}
