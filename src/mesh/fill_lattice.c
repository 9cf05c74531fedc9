// The background lattice: an octree graded by the distance to borders, and the tetrahedra of its cells.
#include "mesh/fill.h"

#include "math/vec3.h"

// Finds the octree cells that may be near a border.
typedef struct sp_fill_near {
    const sp_fill_source *source;
    sp_fill_sizes sizes;
    // used if no distance is known: one material per cell of boundary size, and whether a border is near it
    int n[3];
    uint16_t *material;
    unsigned char *mask;
} sp_fill_near;

// ==================================================================================================== hash table

// Maps keys of octree cells and lattice points to their indices (open addressing).

static size_t slot_of(const sp_hash *h, uint64_t key) {
    size_t mask = ((size_t)1 << h->bits) - 1, i = (size_t)sp__mix(key, 0) & mask;
    while (h->keys[i] && h->keys[i] != key + 1) i = (i + 1) & mask;
    return i;
}

int sp__hash_get(const sp_hash *h, uint64_t key) {
    if (!h->bits) return -1;
    size_t i = slot_of(h, key);
    return h->keys[i] ? h->values[i] : -1;
}

static bool hash_grow(sp_context *ctx, sp_hash *h) {
    sp_hash wide = {.bits = h->bits ? h->bits + 1 : 8, .count = h->count};
    if (wide.bits > 30) return false;
    size_t n = (size_t)1 << wide.bits;
    if (!SP_NEW(ctx, wide.keys, n) || !SP_NEW(ctx, wide.values, n)) {
        sp__hash_free(ctx, &wide);
        return false;
    }
    for (size_t i = 0; h->bits && i < (size_t)1 << h->bits; i++) {
        if (!h->keys[i]) continue;
        size_t to = slot_of(&wide, h->keys[i] - 1);
        wide.keys[to] = h->keys[i], wide.values[to] = h->values[i];
    }
    sp__hash_free(ctx, h);
    *h = wide;
    return true;
}

bool sp__hash_put(sp_context *ctx, sp_hash *h, uint64_t key, int value) {
    if ((!h->bits || h->count >= 1 << (h->bits - 1)) && !hash_grow(ctx, h)) return false;
    size_t i = slot_of(h, key);
    h->count += !h->keys[i];
    h->keys[i] = key + 1, h->values[i] = value;
    return true;
}

void sp__hash_free(sp_context *ctx, sp_hash *h) {
    sp__free(ctx, h->keys);
    sp__free(ctx, h->values);
    *h = (sp_hash){0};
}

// =========================================================================================== cells near a border

// Which cells are near a border. If the source function bounds its distance to the border, it is evaluated cell by cell.
// Otherwise the material is sampled once in every cell of the boundary size, and the cells whose neighbours differ are dilated by
// three.

// in cells: a cut edge ends within 1 of the border, and a cell that touches it reaches sqrt(3) further
static const double MARGIN = 2.75;
enum { WIDEN = 3 };

// allowed deviation of the border from a plane in a cell, relative to the cell: a sphere of radius r gets cells of about r / 5
static const double FLAT = 0.08;
// cells are enlarged by this factor for the check: a thin sheet may lie between two cells
static const double WIDER = 1.5;

static size_t near_at(const sp_fill_near *near, int x, int y, int z) {
    return ((size_t)z * (size_t)near->n[1] + (size_t)y) * (size_t)near->n[0] + (size_t)x;
}

// ------------------------------------------------------------------------------------------------ sampling

typedef struct sampling {
    const sp_fill_near *near;
    const sp_octree *tree;
} sampling;

static void sample_layer(void *arg, int z, int worker) {
    const sampling *s = arg;
    const sp_fill_near *near = s->near;
    (void)worker;
    int l = near->sizes.fine;
    for (int y = 0; y < near->n[1]; y++)
        for (int x = 0; x < near->n[0]; x++) {
            const int p[3] = {(2 * x + 1) << l, (2 * y + 1) << l, (2 * z + 1) << l};
            double point[3];
            sp__octree_point(s->tree, p, point);
            near->material[near_at(near, x, y, z)] = (uint16_t)near->source->material(near->source->user, point);
        }
}

// a cell whose material differs from the next cell along an axis marks both
static void near_mark(const sp_fill_near *near) {
    for (int z = 0; z < near->n[2]; z++)
        for (int y = 0; y < near->n[1]; y++)
            for (int x = 0; x < near->n[0]; x++) {
                const int next[3][3] = {{x + 1, y, z}, {x, y + 1, z}, {x, y, z + 1}};
                size_t own = near_at(near, x, y, z);
                for (int k = 0; k < 3; k++) {
                    if (next[k][k] >= near->n[k]) continue;
                    size_t other = near_at(near, next[k][0], next[k][1], next[k][2]);
                    if (near->material[own] != near->material[other]) near->mask[own] = near->mask[other] = 1;
                }
            }
}

// dilates along one axis; 1: marked, 2: marked by this pass
static void near_widen(const sp_fill_near *near, int axis) {
    size_t stride = axis == 0 ? 1 : axis == 1 ? (size_t)near->n[0] : (size_t)near->n[0] * (size_t)near->n[1];
    size_t total = (size_t)near->n[0] * (size_t)near->n[1] * (size_t)near->n[2];
    for (size_t i = 0; i < total; i++) {
        if (near->mask[i] != 1) continue;
        int place = (int)(i / stride % (size_t)near->n[axis]);
        for (int d = 1; d <= WIDEN; d++) {
            if (place - d >= 0 && !near->mask[i - (size_t)d * stride]) near->mask[i - (size_t)d * stride] = 2;
            if (place + d < near->n[axis] && !near->mask[i + (size_t)d * stride]) near->mask[i + (size_t)d * stride] = 2;
        }
    }
    for (size_t i = 0; i < total; i++) near->mask[i] = near->mask[i] != 0;
}

static sp_status near_begin(sp_context *ctx, const sp_fill_source *source, const sp_fill_sizes *sizes, const sp_octree *o,
                            sp_fill_near *near) {
    *near = (sp_fill_near){.source = source, .sizes = *sizes};
    if (source->distance) return SP_OK;
    double total = 1;
    for (int k = 0; k < 3; k++) total *= near->n[k] = o->roots[k] << (o->top - sizes->fine);
    if (total > (1 << 28))
        return SP_FAIL(ctx, SP_BAD_INPUT, "size = %g m: %g cells in the box, at most %d", sizes->size, total, 1 << 28);
    if (!SP_NEW(ctx, near->material, (size_t)total) || !SP_NEW(ctx, near->mask, (size_t)total)) return sp__fill_no_memory(ctx);
    sampling s = {near, o};
    sp__parallel(ctx, near->n[2], sample_layer, &s);
    near_mark(near);
    for (int k = 0; k < 3; k++) near_widen(near, k);
    return SP_OK;
}

static void near_end(sp_context *ctx, sp_fill_near *near) {
    sp__free(ctx, near->material);
    sp__free(ctx, near->mask);
}

static bool near_masked(const sp_fill_near *near, const int centre[3], int level) {
    int l = near->sizes.fine, half = level > l ? 1 << (level - l - 1) : 0, low[3], high[3];
    for (int k = 0; k < 3; k++) {
        int own = centre[k] >> (l + 1);  // the cell of boundary size that contains the centre or starts there
        low[k] = own - half, high[k] = half ? own + half : own + 1;
    }
    for (int z = low[2]; z < high[2]; z++)
        for (int y = low[1]; y < high[1]; y++)
            for (int x = low[0]; x < high[0]; x++)
                if (near->mask[near_at(near, x, y, z)]) return true;
    return false;
}

// ------------------------------------------------------------------------------------------------ detail

static double near_blend(const double corner[8], double u, double v, double w) {
    double sum = 0;
    for (int c = 0; c < 8; c++) sum += corner[c] * (c & 1 ? u : 1 - u) * (c & 2 ? v : 1 - v) * (c & 4 ? w : 1 - w);
    return sum;
}

typedef struct bend {
    const sp_fill_source *source;
    const double *x;  // the cell's centre
    double half, corner[8];
    double error, steep, nearest;
} bend;

// compares the value at one point (in half cells from the centre) with the interpolation of the corners
static void near_probe(bend *b, double u, double v, double w) {
    const double p[3] = {b->x[0] + u * b->half, b->x[1] + v * b->half, b->x[2] + w * b->half};
    double value = b->source->value(b->source->user, p);
    b->nearest = fmin(b->nearest, fabs(value));
    b->error = fmax(b->error, fabs(value - near_blend(b->corner, 0.5 * (u + 1), 0.5 * (v + 1), 0.5 * (w + 1))));
    for (int c = 0; c < 8; c++) b->steep = fmax(b->steep, fabs(value - b->corner[c]));
}

// Whether the border is curved in a cell. Samples the middle of the cell, of its faces and edges, and quarter points, so that a
// sheet between two layers of points is found. A sheet thinner than the cell counts as curved, like a sharp corner.
static bool near_bends(const sp_fill_source *source, const double x[3], double half) {
    bend b = {.source = source, .x = x, .half = half, .nearest = INFINITY};
    for (int c = 0; c < 8; c++) {
        const double p[3] = {x[0] + (c & 1 ? half : -half), x[1] + (c & 2 ? half : -half), x[2] + (c & 4 ? half : -half)};
        b.corner[c] = source->value(source->user, p);
    }
    for (int i = 0; i < 27; i++) {
        const int s[3] = {i % 3 - 1, i / 3 % 3 - 1, i / 9 - 1};
        double part = s[0] && s[1] && s[2] ? 0.5 : 1;
        near_probe(&b, part * s[0], part * s[1], part * s[2]);
    }
    // half the diagonal is about the largest distance to a corner
    double slope = b.steep / (1.73 * half);
    return b.nearest <= half / WIDER * slope && b.error > FLAT * 2 * half * slope;
}

// Whether a cell must be split. Thread-safe.
static bool near_split(const sp_fill_near *near, const sp_octree *o, const int centre[3], int level) {
    const sp_fill_source *source = near->source;
    double x[3], half = o->unit * (1 << level);
    sp__octree_point(o, centre, x);
    if (level <= near->sizes.fine) return source->value && near_bends(source, x, WIDER * half);
    bool close;
    if (source->distance)
        close = source->distance(source->user, x) <= sqrt(3) * half + MARGIN * near->sizes.size;
    else
        close = near_masked(near, centre, level);
    if (close) return true;
    return level > near->sizes.fine + near->sizes.coarse && source->material(source->user, x) != 0;
}

// ======================================================================================================== octree

// The octree of the lattice. Cells are split from the top: cells near the border down to the boundary size, and further where the
// border is curved; interior cells down to the largest size allowed there; outside cells not at all. Then cells are split until
// neighbours across faces, edges and corners are at most one level apart, as the lattice requires (Labelle and Shewchuk 2007,
// section 4).
//
// Around every cut edge, all cells within the reach of the tetrahedra of a moved vertex have equal size: there the stencils keep
// the angle bounds of the uniform lattice.

enum { OCTREE_CHUNK = 64 };

typedef struct sp_level {
    const sp_fill_near *near;
    const sp_octree *tree;
    int (*cells)[3];
    unsigned char *split;
    int count, capacity, level;
} sp_level;

// ------------------------------------------------------------------------------------------------ splitting

static void octree_decide(void *arg, int task, int worker) {
    sp_level *v = arg;
    (void)worker;
    int end = task * OCTREE_CHUNK + OCTREE_CHUNK < v->count ? task * OCTREE_CHUNK + OCTREE_CHUNK : v->count;
    for (int i = task * OCTREE_CHUNK; i < end; i++) v->split[i] = near_split(v->near, v->tree, v->cells[i], v->level);
}

static bool add_cell(sp_context *ctx, sp_level *v, const int p[3]) {
    if (!SP_FILL_ROOM(ctx, v->cells, v->count, v->capacity)) return false;
    memcpy(v->cells[v->count++], p, 3 * sizeof(int));
    return true;
}

static bool add_leaf(sp_context *ctx, sp_octree *o, const int p[3]) {
    if (o->count == o->capacity) {
        int capacity = o->capacity;
        int(*centre)[3] = (void *)o->centre;
        bool grown = SP_FILL_ROOM(ctx, centre, o->count, o->capacity);
        o->centre = (int *)(void *)centre;
        if (!grown || !SP_FILL_ROOM(ctx, o->gone, o->count, capacity)) return false;
    }
    memcpy(o->centre + 3 * (size_t)o->count, p, 3 * sizeof(int));
    o->gone[o->count] = false;
    return sp__hash_put(ctx, &o->leaf, sp__place_key(p), o->count++);
}

static void octree_child(const int p[3], int level, int which, int out[3]) {
    int step = 1 << (level - 1);
    for (int k = 0; k < 3; k++) out[k] = p[k] + (which >> k & 1 ? step : -step);
}

static sp_status split_level(sp_context *ctx, sp_octree *o, sp_level *now, sp_level *next) {
    sp__free(ctx, now->split);
    if (!SP_NEW(ctx, now->split, now->count + 1)) return sp__fill_no_memory(ctx);
    if (now->level > 0) sp__parallel(ctx, (now->count + OCTREE_CHUNK - 1) / OCTREE_CHUNK, octree_decide, now);
    for (int i = 0; i < now->count; i++) {
        if (!now->split[i] && !add_leaf(ctx, o, now->cells[i])) return sp__fill_no_memory(ctx);
        for (int c = 0; now->split[i] && c < 8; c++) {
            int p[3];
            octree_child(now->cells[i], now->level, c, p);
            if (!add_cell(ctx, next, p)) return sp__fill_no_memory(ctx);
        }
    }
    return SP_OK;
}

static sp_status split_down(sp_context *ctx, const sp_fill_near *near, sp_octree *o) {
    sp_level a = {.near = near, .tree = o, .level = o->top}, b = a;
    sp_status status = SP_OK;
    for (int z = 0; z < o->roots[2]; z++)
        for (int y = 0; y < o->roots[1]; y++)
            for (int x = 0; x < o->roots[0] && status == SP_OK; x++) {
                const int half = 1 << o->top, p[3] = {(2 * x + 1) * half, (2 * y + 1) * half, (2 * z + 1) * half};
                if (!add_cell(ctx, &a, p)) status = sp__fill_no_memory(ctx);
            }
    while (status == SP_OK && a.count > 0) {
        b.count = 0, b.level = a.level - 1;
        status = split_level(ctx, o, &a, &b);
        sp_level swap = a;
        a = b, b = swap;
    }
    sp__free(ctx, a.cells), sp__free(ctx, a.split);
    sp__free(ctx, b.cells), sp__free(ctx, b.split);
    return status;
}

// ------------------------------------------------------------------------------------------------ balance

// the leaf of exactly this level that contains a position, or -1
static int octree_find(const sp_octree *o, const int p[3], int level) {
    int centre[3];
    for (int k = 0; k < 3; k++) {
        if (p[k] < 0 || p[k] >= o->roots[k] * (2 << o->top)) return -1;
        centre[k] = (p[k] >> (level + 1) << (level + 1)) + (1 << level);
    }
    int i = sp__hash_get(&o->leaf, sp__place_key(centre));
    return i >= 0 && !o->gone[i] ? i : -1;
}

static int find_larger(const sp_octree *o, const int p[3], int least) {
    for (int l = least; l <= o->top; l++) {
        int i = octree_find(o, p, l);
        if (i >= 0) return i;
    }
    return -1;
}

static bool split_leaf(sp_context *ctx, sp_octree *o, int leaf) {
    int p[3], c[3];
    memcpy(p, o->centre + 3 * (size_t)leaf, sizeof p);
    o->gone[leaf] = true;
    for (int i = 0; i < 8; i++) {
        octree_child(p, sp__cell_level(p), i, c);
        if (!add_leaf(ctx, o, c)) return false;
    }
    return true;
}

// children are appended to the list, so that one pass processes them too
static sp_status octree_balance(sp_context *ctx, sp_octree *o) {
    for (int i = 0; i < o->count; i++) {
        if (o->gone[i]) continue;
        int p[3], q[3];
        memcpy(p, o->centre + 3 * (size_t)i, sizeof p);
        int l = sp__cell_level(p);
        for (int d = 0; d < 27; d++) {
            const int step[3] = {d % 3 - 1, d / 3 % 3 - 1, d / 9 - 1};
            for (int k = 0; k < 3; k++) q[k] = p[k] + step[k] * (2 << l);
            for (int other; (other = find_larger(o, q, l + 2)) >= 0;)
                if (!split_leaf(ctx, o, other)) return sp__fill_no_memory(ctx);
        }
    }
    return SP_OK;
}

// ------------------------------------------------------------------------------------------------ construction

static sp_status place_tree(sp_context *ctx, const sp_fill_source *source, const sp_fill_sizes *sizes, sp_octree *o) {
    int least = sizes->fine + sizes->coarse;
    o->top = least > sizes->fine + 3 ? least : sizes->fine + 3;
    o->unit = 0.5 * ldexp(sizes->size, -sizes->fine);
    double cell = o->unit * (2 << o->top), pad = source->tight ? 1.6 : 2.6;
    for (int k = 0; k < 3; k++) {
        double wide = source->high[k] - source->low[k] + pad * sizes->size, n = ceil(wide / cell);
        if (!(n * (2 << o->top) < SP_FILL_PLACES))
            return SP_FAIL(ctx, SP_BAD_INPUT, "size = %g m: %g cells along %g m, at most %d", sizes->size, wide / (2 * o->unit),
                           wide, SP_FILL_PLACES / 2);
        o->roots[k] = (int)n;
        // shifted by a fraction of a cell: a shape that is symmetric in its box meets the lattice in general position
        o->origin[k] = 0.5 * (source->low[k] + source->high[k]) - 0.5 * n * cell + 0.11 * (k + 1) * o->unit;
    }
    double roots = (double)o->roots[0] * o->roots[1] * o->roots[2];
    if (roots > SP_TETS_MAX / 64)
        return SP_FAIL(ctx, SP_BAD_INPUT, "size = %g m: more than %d cells in the box", sizes->size, SP_TETS_MAX / 64);
    return SP_OK;
}

sp_status sp__octree_build(sp_context *ctx, const sp_fill_source *source, const sp_fill_sizes *sizes, sp_octree *o) {
    *o = (sp_octree){0};
    SP_TRY(place_tree(ctx, source, sizes, o));
    sp_fill_near near;
    sp_status status = near_begin(ctx, source, sizes, o, &near);
    if (status == SP_OK) status = split_down(ctx, &near, o);
    if (status == SP_OK) status = octree_balance(ctx, o);
    near_end(ctx, &near);
    return status;
}

void sp__octree_free(sp_context *ctx, sp_octree *o) {
    sp__free(ctx, o->centre);
    sp__free(ctx, o->gone);
    sp__hash_free(ctx, &o->leaf);
    *o = (sp_octree){0};
}

// ======================================================================================================= lattice

// The lattice of an octree: a vertex at every centre and corner of a cell, and tetrahedra between them (Labelle and Shewchuk
// 2007, figure 6). Two cells of equal size with a common face share four body-centred cubic tetrahedra, one per edge of the face,
// between the two centres and the ends of the edge. An edge halved by smaller cells gives two instead of one. A face between a
// cell and a smaller cell is split along the diagonal that ends in the middle of the larger face, and each half is joined to both
// centres.

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

static int lattice_vertex(const sp_fill *f, const int p[3]) {
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
        int i = lattice_vertex(f, a), j = lattice_vertex(f, b), middle = lattice_vertex(f, m);
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
    int middle = lattice_vertex(f, m), corner = lattice_vertex(f, c);
    for (int i = 0; i < 2; i++) {
        int edge = lattice_vertex(f, e[i]);
        if (!add_tet(f, own, middle, corner, edge) || !add_tet(f, other, middle, corner, edge)) return false;
    }
    return true;
}

static bool add_cell_tets(sp_fill *f, const int centre[3]) {
    int l = sp__cell_level(centre), half = 1 << l, own = lattice_vertex(f, centre);
    for (int d = 0; d < 6; d++) {
        int axis = d / 2, side = d % 2 ? 1 : -1, beyond[3] = {centre[0], centre[1], centre[2]};
        beyond[axis] += side * 2 * half;
        int same = octree_find(&f->tree, beyond, l), larger = same < 0 ? octree_find(&f->tree, beyond, l + 1) : -1;
        if (same >= 0 && side > 0 && !between_equals(f, own, lattice_vertex(f, beyond), centre, half, axis)) return false;
        if (larger >= 0) {
            int other = lattice_vertex(f, f->tree.centre + 3 * (size_t)larger);
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
