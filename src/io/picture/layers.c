// Depth layers (layers.h): corners on the canvas and what is cut off, one tile, rows of tiles.
#include "io/picture/layers.h"

#include <stdatomic.h>

#include "math/vec3.h"

enum {
    SP_LAYER_REACH = 1 << 17,  // samples: vertices farther out are clipped, so that products of differences fit in 64 bits
    SP_LAYER_CHUNKS = 64       // parts of the triangle list, independent of the number of workers
};

// A vertex on the canvas. `key` increases with depth and is affine on the canvas: depth, or -1 / depth in perspective.
typedef struct sp_corner {
    int32_t x, y;  // 1 / SP_LAYER_GRID samples
    double key;
} sp_corner;

// Triangles 0..face_count-1 are those of the caller; the clipped pieces follow.
typedef struct sp_layer_set {
    const sp_layers_def *def;
    sp_corner *corners;     // of the vertices
    unsigned char *beyond;  // per vertex: SP_BEYOND_ bits; not 0: outside the range of the canvas
    sp_corner *pieces;      // piece_count x 3
    uint32_t *piece_of;     // the face of each piece
    int piece_count;
} sp_layer_set;

enum { SP_BEYOND_NEAR = 1, SP_BEYOND_LEFT = 2, SP_BEYOND_RIGHT = 4, SP_BEYOND_TOP = 8, SP_BEYOND_BOTTOM = 16 };

// Vertices and face number of triangle t.
static inline uint32_t sp__layer_triangle(const sp_layer_set *s, int t, sp_corner out[3]) {
    if (t >= s->def->face_count) {
        const sp_corner *p = s->pieces + 3 * (size_t)(t - s->def->face_count);
        out[0] = p[0], out[1] = p[1], out[2] = p[2];
        return s->piece_of[t - s->def->face_count];
    }
    const uint32_t *v = s->def->faces + 3 * (size_t)t;
    out[0] = s->corners[v[0]], out[1] = s->corners[v[1]], out[2] = s->corners[v[2]];
    return (uint32_t)t;
}

static inline int32_t sp__least3(int32_t a, int32_t b, int32_t c) {
    int32_t m = a < b ? a : b;
    return m < c ? m : c;
}

static inline int32_t sp__most3(int32_t a, int32_t b, int32_t c) {
    int32_t m = a > b ? a : b;
    return m > c ? m : c;
}

// first and last sample whose centre is within [low, high], both in 1 / SP_LAYER_GRID samples; empty if first > last
static inline int sp__first_sample(int32_t low) {
    return (low + SP_LAYER_GRID / 2 - 1) >> 12;
}

static inline int sp__last_sample(int32_t high) {
    return (high - SP_LAYER_GRID / 2) >> 12;
}

typedef struct sp_fragment {
    double key;
    uint32_t code;    // 2 face + back
    uint32_t sample;  // index in the tile
} sp_fragment;

// Scratch memory of a worker for tiles.
typedef struct sp_layer_bench {
    double near[SP_LAYER_TILE * SP_LAYER_TILE];     // key of the nearest opaque face
    uint32_t front[SP_LAYER_TILE * SP_LAYER_TILE];  // its code; UINT32_MAX: none
    uint32_t start[SP_LAYER_TILE * SP_LAYER_TILE + 2];
    sp_fragment *fragments;  // of transparent faces
    size_t fragment_count, fragment_capacity;
    sp_layer *layers;
    size_t layer_capacity;
    int *list, *active;  // capacity for all triangles of a row of tiles
    int *columns;        // start of each column in `list`
} sp_layer_bench;

// ------------------------------------------------------------------------------------------------ corners and pieces

// Projection of points to the canvas, and clipping of triangles that reach behind the camera or far outside the canvas.
//
// A clipped edge is always traversed in the same direction, so that both of its triangles get the same new vertex.

static void eye_place(const sp_eye *eye, const double x[3], double out[3]) {
    double d[3];
    sp__sub3(x, eye->at, d);
    out[0] = sp__dot3(d, eye->right), out[1] = sp__dot3(d, eye->up), out[2] = sp__dot3(d, eye->forward);
}

bool sp__eye_project(const sp_eye *eye, const double x[3], double out[3]) {
    double c[3];
    eye_place(eye, x, c);
    if (!eye->parallel && !(c[2] >= eye->nearest && c[2] > 0)) return false;
    double s = eye->parallel ? eye->focal : eye->focal / c[2];
    out[0] = eye->cx + s * c[0], out[1] = eye->cy - s * c[1], out[2] = c[2];
    return true;
}

static void layer_corner(const sp_eye *eye, const double c[3], sp_corner *out) {
    double s = eye->parallel ? eye->focal : eye->focal / c[2];
    out->x = (int32_t)floor((eye->cx + s * c[0]) * SP_LAYER_GRID + 0.5);
    out->y = (int32_t)floor((eye->cy - s * c[1]) * SP_LAYER_GRID + 0.5);
    out->key = eye->parallel ? c[2] : -1 / c[2];
}

// clipping planes: a point is kept if the value is not negative. Affine in the point
static double cut_value(const sp_eye *eye, int cut, const double c[3]) {
    double w = eye->parallel ? 1 : c[2], reach = SP_LAYER_REACH - 1;
    switch (cut) {
    case 0: return eye->parallel ? 1 : c[2] - eye->nearest;
    case 1: return eye->focal * c[0] + (eye->cx + reach) * w;
    case 2: return (reach - eye->cx) * w - eye->focal * c[0];
    case 3: return (eye->cy + reach) * w - eye->focal * c[1];
    default: return eye->focal * c[1] + (reach - eye->cy) * w;
    }
}

// SP_BEYOND_ bits of a point; behind the camera the other bits are not computed
static unsigned char beyond(const sp_eye *eye, const double c[3]) {
    unsigned bits = 0;
    if (!(cut_value(eye, 0, c) >= 0)) return SP_BEYOND_NEAR;
    for (int k = 1; k < 5; k++)
        if (!(cut_value(eye, k, c) >= 0)) bits |= 1u << k;
    return (unsigned char)bits;
}

typedef struct sp_corner_work {
    sp_layer_set *set;
    atomic_int bad;  // 1 + a face with an invalid vertex number
} sp_corner_work;

static int chunk_first(int count, int chunk) {
    return (int)((int64_t)count * chunk / SP_LAYER_CHUNKS);
}

static void place_chunk(void *arg, int chunk, int worker) {
    sp_corner_work *w = arg;
    const sp_layers_def *d = w->set->def;
    (void)worker;
    for (int v = chunk_first(d->vertex_count, chunk); v < chunk_first(d->vertex_count, chunk + 1); v++) {
        double c[3];
        eye_place(d->eye, d->x + 3 * (size_t)v, c);
        // a point that is not a number is invalid: every comparison fails
        w->set->beyond[v] = beyond(d->eye, c);
        if (!w->set->beyond[v]) layer_corner(d->eye, c, &w->set->corners[v]);
    }
    for (int f = chunk_first(d->face_count, chunk); f < chunk_first(d->face_count, chunk + 1); f++)
        for (int k = 0; k < 3; k++)
            if (d->faces[3 * (size_t)f + (size_t)k] >= (uint32_t)d->vertex_count) atomic_store(&w->bad, f + 1);
}

static sp_status layer_corners(sp_context *ctx, const sp_layers_def *def, sp_layer_set *out) {
    *out = (sp_layer_set){.def = def};
    if (!SP_NEW(ctx, out->corners, (size_t)def->vertex_count + 1) || !SP_NEW(ctx, out->beyond, (size_t)def->vertex_count + 1))
        return SP_NO_MEMORY;
    sp_corner_work work = {.set = out};
    sp__parallel(ctx, SP_LAYER_CHUNKS, place_chunk, &work);
    if (!atomic_load(&work.bad)) return SP_OK;
    return SP_FAIL(ctx, SP_BAD_INPUT, "a triangle has a corner out of range, must be below %d", def->vertex_count);
}

static void layer_set_free(sp_context *ctx, sp_layer_set *s) {
    sp__free(ctx, s->corners), sp__free(ctx, s->beyond), sp__free(ctx, s->pieces), sp__free(ctx, s->piece_of);
}

// ---------------------------------------------------------------------------------------------------- clipping

enum { POLYGON_MOST = 3 + 5 };  // each plane adds at most one vertex

static int compare_places(const double *a, const double *b) {
    for (int k = 0; k < 3; k++)
        if (a[k] != b[k]) return a[k] < b[k] ? -1 : 1;
    return 0;
}

// intersection of the edge with the plane, computed from its smaller end
static void cut_edge(const sp_eye *eye, int cut, const double *a, const double *b, double out[3]) {
    if (compare_places(a, b) > 0) {
        const double *t = a;
        a = b, b = t;
    }
    double va = cut_value(eye, cut, a), vb = cut_value(eye, cut, b), s = va / (va - vb);
    for (int k = 0; k < 3; k++) out[k] = a[k] + s * (b[k] - a[k]);
    if (cut == 0) out[2] = eye->nearest;
}

// polygon clipping of Sutherland and Hodgman 1974
static int cut_polygon(const sp_eye *eye, int cut, double p[POLYGON_MOST][3], int count) {
    double out[POLYGON_MOST][3];
    int n = 0;
    for (int i = 0; i < count; i++) {
        const double *a = p[i], *b = p[(i + 1) % count];
        bool in_a = cut_value(eye, cut, a) >= 0, in_b = cut_value(eye, cut, b) >= 0;
        if (in_a && n < POLYGON_MOST) memcpy(out[n++], a, sizeof out[0]);
        if (in_a != in_b && n < POLYGON_MOST) cut_edge(eye, cut, a, b, out[n++]);
    }
    memcpy(p, out, sizeof out[0] * (size_t)n);
    return n;
}

static unsigned face_beyond(const sp_layer_set *s, int f, unsigned *all) {
    const uint32_t *v = s->def->faces + 3 * (size_t)f;
    *all = (unsigned)(s->beyond[v[0]] & s->beyond[v[1]] & s->beyond[v[2]]);
    return (unsigned)(s->beyond[v[0]] | s->beyond[v[1]] | s->beyond[v[2]]);
}

static void layer_cut_face(sp_layer_set *s, int f) {
    const sp_eye *eye = s->def->eye;
    double p[POLYGON_MOST][3];
    int n = 3;
    for (int k = 0; k < 3; k++) {
        eye_place(eye, s->def->x + 3 * (size_t)s->def->faces[3 * (size_t)f + (size_t)k], p[k]);
        if (!isfinite(p[k][0] + p[k][1] + p[k][2])) return;
    }
    for (int cut = eye->parallel; cut < 5 && n > 0; cut++) n = cut_polygon(eye, cut, p, n);
    for (int k = 2; k < n; k++) {
        sp_corner *out = s->pieces + 3 * (size_t)s->piece_count;
        layer_corner(eye, p[0], &out[0]), layer_corner(eye, p[k - 1], &out[1]), layer_corner(eye, p[k], &out[2]);
        s->piece_of[s->piece_count++] = (uint32_t)f;
    }
}

// few triangles need clipping: they are processed serially
static sp_status layer_pieces(sp_context *ctx, sp_layer_set *s) {
    size_t cut = 0;
    unsigned all;
    for (int f = 0; f < s->def->face_count; f++) cut += face_beyond(s, f, &all) && !all;
    if (cut == 0) return SP_OK;
    size_t grown = cut * (POLYGON_MOST - 2);
    if (grown > (size_t)(INT32_MAX - s->def->face_count) || !SP_NEW(ctx, s->pieces, 3 * grown) ||
        !SP_NEW(ctx, s->piece_of, grown))
        return SP_NO_MEMORY;
    for (int f = 0; f < s->def->face_count; f++)
        if (face_beyond(s, f, &all) && !all) layer_cut_face(s, f);
    return SP_OK;
}

// ------------------------------------------------------------------------------------------------ a tile

// One tile: first the nearest opaque triangle at every sample, then the layers in front of it, sorted.
//
// A sample at p is inside if all three edge functions E(p) = dx (p.y - y) - dy (p.x - x) are positive. A sample on an edge
// belongs to the triangle that would contain it after a small shift to the right and a much smaller shift down. Every triangle
// uses the same shift, so common edges are covered exactly once for any orientation of the two triangles.

typedef struct sp_edges {
    int64_t at[3];              // E at the first sample, minus one if a zero of E is outside
    int64_t right[3], down[3];  // increments from sample to sample
    int64_t less[3];            // the amount subtracted
    double key, to_b, to_c;     // key + E_ca to_b + E_ab to_c
    int x0, x1, y0, y1;         // samples of the tile, inclusive
    uint32_t code;
} sp_edges;

static int clamp_int(int v, int low, int high) {
    return v < low ? low : v > high ? high : v;
}

static void set_edge(sp_edges *e, int k, const sp_corner *a, const sp_corner *b, int64_t px, int64_t py) {
    int64_t dx = (int64_t)b->x - a->x, dy = (int64_t)b->y - a->y;
    bool inside = dy < 0 || (dy == 0 && dx > 0);
    e->less[k] = inside ? 0 : 1;
    e->at[k] = dx * (py - a->y) - dy * (px - a->x) - e->less[k];
    e->right[k] = -dy * SP_LAYER_GRID, e->down[k] = dx * SP_LAYER_GRID;
}

// false: covers no sample of the tile
static bool set_edges(const sp_layer_set *set, int t, int x, int y, sp_edges *e) {
    sp_corner p[3];
    uint32_t face = sp__layer_triangle(set, t, p);
    int64_t area =
        ((int64_t)p[1].x - p[0].x) * ((int64_t)p[2].y - p[0].y) - ((int64_t)p[1].y - p[0].y) * ((int64_t)p[2].x - p[0].x);
    int most = SP_LAYER_TILE - 1;
    e->x0 = clamp_int(sp__first_sample(sp__least3(p[0].x, p[1].x, p[2].x)) - x, 0, most + 1);
    e->x1 = clamp_int(sp__last_sample(sp__most3(p[0].x, p[1].x, p[2].x)) - x, -1, most);
    e->y0 = clamp_int(sp__first_sample(sp__least3(p[0].y, p[1].y, p[2].y)) - y, 0, most + 1);
    e->y1 = clamp_int(sp__last_sample(sp__most3(p[0].y, p[1].y, p[2].y)) - y, -1, most);
    if (area == 0 || e->x0 > e->x1 || e->y0 > e->y1) return false;
    // y points down: counter-clockwise is negative
    e->code = 2 * face + (area > 0);
    if (area < 0) {
        sp_corner swap = p[1];
        p[1] = p[2], p[2] = swap, area = -area;
    }
    int64_t px = (int64_t)(x + e->x0) * SP_LAYER_GRID + SP_LAYER_GRID / 2,
            py = (int64_t)(y + e->y0) * SP_LAYER_GRID + SP_LAYER_GRID / 2;
    set_edge(e, 0, &p[0], &p[1], px, py), set_edge(e, 1, &p[1], &p[2], px, py), set_edge(e, 2, &p[2], &p[0], px, py);
    e->key = p[0].key, e->to_b = (p[1].key - p[0].key) / (double)area, e->to_c = (p[2].key - p[0].key) / (double)area;
    return true;
}

// weights are exact and within [0, 1], so that thin triangles give a bounded key
static double key_at(const sp_edges *e, int64_t ab, int64_t ca) {
    return e->key + (double)(ca + e->less[2]) * e->to_b + (double)(ab + e->less[0]) * e->to_c;
}

static void layer_hide(sp_layer_bench *w, const sp_edges *e) {
    int64_t row[3] = {e->at[0], e->at[1], e->at[2]};
    for (int y = e->y0; y <= e->y1; y++) {
        int64_t a = row[0], b = row[1], c = row[2];
        for (int x = e->x0; x <= e->x1; x++, a += e->right[0], b += e->right[1], c += e->right[2]) {
            if ((a | b | c) < 0) continue;
            int i = y * SP_LAYER_TILE + x;
            double key = key_at(e, a, c);
            if (key > w->near[i] || (key == w->near[i] && e->code > w->front[i])) continue;
            w->near[i] = key, w->front[i] = e->code;
        }
        for (int k = 0; k < 3; k++) row[k] += e->down[k];
    }
}

static bool layer_grow(sp_context *ctx, void **memory, size_t *capacity, size_t used, size_t wanted, size_t size) {
    size_t grown = *capacity ? *capacity : 4096;
    while (grown < wanted && grown <= SIZE_MAX / 2) grown *= 2;
    if (grown < wanted) return false;
    void *more = sp__alloc(ctx, grown, size);
    if (!more) return false;
    if (used) memcpy(more, *memory, used * size);
    sp__free(ctx, *memory);
    *memory = more, *capacity = grown;
    return true;
}

static bool layer_add(sp_context *ctx, sp_layer_bench *w, const sp_edges *e) {
    int64_t row[3] = {e->at[0], e->at[1], e->at[2]};
    size_t most = (size_t)(e->x1 - e->x0 + 1) * (size_t)(e->y1 - e->y0 + 1);
    if (w->fragment_count + most > w->fragment_capacity) {
        void *grown = w->fragments;
        if (!layer_grow(ctx, &grown, &w->fragment_capacity, w->fragment_count, w->fragment_count + most, sizeof *w->fragments))
            return false;
        w->fragments = grown;
    }
    for (int y = e->y0; y <= e->y1; y++) {
        int64_t a = row[0], b = row[1], c = row[2];
        for (int x = e->x0; x <= e->x1; x++, a += e->right[0], b += e->right[1], c += e->right[2]) {
            if ((a | b | c) < 0) continue;
            uint32_t i = (uint32_t)(y * SP_LAYER_TILE + x);
            double key = key_at(e, a, c);
            if (key > w->near[i] || (key == w->near[i] && e->code > w->front[i])) continue;
            w->fragments[w->fragment_count++] = (sp_fragment){key, e->code, i};
        }
        for (int k = 0; k < 3; k++) row[k] += e->down[k];
    }
    return true;
}

// ---------------------------------------------------------------------------------------------------- sorting

static bool layer_before(const sp_layer *a, const sp_layer *b) {
    return a->depth < b->depth || (a->depth == b->depth && a->face < b->face);
}

// Shell sort; insertion sort where lists are short, as they nearly always are, and nearly sorted for convex objects
static void sort_layers(sp_layer *a, uint32_t count) {
    uint32_t gap = 1;
    while (gap < count / 9) gap = 3 * gap + 1;
    for (; gap > 0; gap /= 3)
        for (uint32_t i = gap; i < count; i++) {
            sp_layer v = a[i];
            uint32_t k = i;
            for (; k >= gap && layer_before(&v, &a[k - gap]); k -= gap) a[k] = a[k - gap];
            a[k] = v;
        }
}

static void put_layer(sp_layer *out, double key, uint32_t code) {
    *out = (sp_layer){.depth = key, .face = code / 2, .back = code & 1};
}

// sorts fragments by sample, and by depth within a sample; the opaque face comes last automatically
static sp_status sort_tile(sp_context *ctx, const sp_eye *eye, sp_layer_bench *w, int width, int height) {
    uint32_t *start = w->start;
    uint32_t samples = (uint32_t)(width * height), total = 0;
    if (w->fragment_count > UINT32_MAX - SP_LAYER_TILE * SP_LAYER_TILE) return SP_NO_MEMORY;
    memset(start, 0, sizeof w->start);
    for (size_t i = 0; i < w->fragment_count; i++) {
        uint32_t s = w->fragments[i].sample;
        start[s / SP_LAYER_TILE * (uint32_t)width + s % SP_LAYER_TILE]++;
    }
    for (int y = 0, i = 0; y < height; y++)
        for (int x = 0; x < width; x++, i++) {
            uint32_t n = start[i] + (w->front[y * SP_LAYER_TILE + x] != UINT32_MAX);
            start[i] = total, total += n;
        }
    if (total > w->layer_capacity) {
        void *grown = w->layers;
        if (!layer_grow(ctx, &grown, &w->layer_capacity, 0, total, sizeof *w->layers)) return SP_NO_MEMORY;
        w->layers = grown;
    }
    // `start` moves to the end of its list during filling
    for (size_t i = 0; i < w->fragment_count; i++) {
        const sp_fragment *f = &w->fragments[i];
        put_layer(&w->layers[start[f->sample / SP_LAYER_TILE * (uint32_t)width + f->sample % SP_LAYER_TILE]++], f->key, f->code);
    }
    for (int y = 0, i = 0; y < height; y++)
        for (int x = 0; x < width; x++, i++) {
            int s = y * SP_LAYER_TILE + x;
            if (w->front[s] != UINT32_MAX) put_layer(&w->layers[start[i]++], w->near[s], w->front[s]);
        }
    memmove(start + 1, start, samples * sizeof *start);
    start[0] = 0;
    for (uint32_t i = 0; i < samples && w->fragment_count; i++) sort_layers(w->layers + start[i], start[i + 1] - start[i]);
    for (uint32_t i = 0; i < total && !eye->parallel; i++) w->layers[i].depth = -1 / w->layers[i].depth;
    return SP_OK;
}

static sp_status layer_fill(sp_context *ctx, const sp_layer_set *set, sp_layer_bench *w, const int *list, int count, int x, int y,
                            int worker) {
    const sp_layers_def *d = set->def;
    sp_layer_tile tile = {.x = x, .y = y, .width = d->width - x, .height = d->height - y, .start = w->start};
    if (tile.width > SP_LAYER_TILE) tile.width = SP_LAYER_TILE;
    if (tile.height > SP_LAYER_TILE) tile.height = SP_LAYER_TILE;
    if (count == 0) {
        memset(w->start, 0, sizeof w->start);
        d->tile(d->user, &tile, worker);
        return SP_OK;
    }
    for (int i = 0; i < SP_LAYER_TILE * SP_LAYER_TILE; i++) w->near[i] = INFINITY, w->front[i] = UINT32_MAX;
    w->fragment_count = 0;
    for (int pass = SP_LAYER_HIDES; pass >= SP_LAYER_THROUGH; pass--)
        for (int i = 0; i < count; i++) {
            sp_edges e;
            int t = list[i];
            uint32_t face = t < d->face_count ? (uint32_t)t : set->piece_of[t - d->face_count];
            if ((d->kind ? d->kind[face] : SP_LAYER_THROUGH) != pass || !set_edges(set, t, x, y, &e)) continue;
            if (e.x1 >= tile.width) e.x1 = tile.width - 1;
            if (e.y1 >= tile.height) e.y1 = tile.height - 1;
            if (e.x0 > e.x1 || e.y0 > e.y1) continue;
            if (pass == SP_LAYER_HIDES)
                layer_hide(w, &e);
            else if (!layer_add(ctx, w, &e))
                return SP_NO_MEMORY;
        }
    SP_TRY(sort_tile(ctx, d->eye, w, tile.width, tile.height));
    tile.layers = w->layers;
    d->tile(d->user, &tile, worker);
    return SP_OK;
}

// ------------------------------------------------------------------------------------------------ rows of tiles

// Binning of triangles into tiles. A row of tiles is a task: it gets the list of the triangles that reach it, sorts them by the
// column of their first tile, and sweeps from left to right with the active ones. Rows are processed in groups, so that their
// lists have bounded memory for any size of triangles.

enum { GROUP_ENTRIES = 1 << 22 };  // entries in the lists of one group of rows, unless a single row needs more

typedef struct sp_layer_rows {
    sp_context *ctx;
    sp_layer_set set;
    int rows, columns;
    int triangles;     // faces and clipped pieces
    uint32_t *counts;  // SP_LAYER_CHUNKS x rows: entries of each chunk; later their target positions
    uint32_t *totals;  // per row
    uint32_t *begin;   // of the lists of a group
    int *entries;
    int first, last;  // rows of the group: first..last-1
    sp_layer_bench **benches;
    atomic_int failed;
} sp_layer_rows;

// tiles that a triangle may touch: columns and rows, inclusive; false: none
static bool layer_reach(const sp_layer_rows *r, int t, int column[2], int row[2]) {
    const sp_layers_def *d = r->set.def;
    sp_corner p[3];
    if (t < d->face_count) {
        const uint32_t *v = d->faces + 3 * (size_t)t;
        if (r->set.beyond[v[0]] | r->set.beyond[v[1]] | r->set.beyond[v[2]]) return false;  // invalid, or replaced by pieces
        if (d->kind && d->kind[t] == SP_LAYER_ABSENT) return false;
    }
    uint32_t face = sp__layer_triangle(&r->set, t, p);
    if (d->kind && d->kind[face] == SP_LAYER_ABSENT) return false;
    int x0 = sp__first_sample(sp__least3(p[0].x, p[1].x, p[2].x)), x1 = sp__last_sample(sp__most3(p[0].x, p[1].x, p[2].x));
    int y0 = sp__first_sample(sp__least3(p[0].y, p[1].y, p[2].y)), y1 = sp__last_sample(sp__most3(p[0].y, p[1].y, p[2].y));
    if (x0 < 0) x0 = 0;
    if (y0 < 0) y0 = 0;
    if (x1 >= d->width) x1 = d->width - 1;
    if (y1 >= d->height) y1 = d->height - 1;
    if (x0 > x1 || y0 > y1) return false;
    column[0] = x0 / SP_LAYER_TILE, column[1] = x1 / SP_LAYER_TILE;
    row[0] = y0 / SP_LAYER_TILE, row[1] = y1 / SP_LAYER_TILE;
    return true;
}

static void count_chunk(void *arg, int chunk, int worker) {
    sp_layer_rows *r = arg;
    uint32_t *count = r->counts + (size_t)chunk * (size_t)r->rows;
    int column[2], row[2];
    (void)worker;
    for (int t = chunk_first(r->triangles, chunk); t < chunk_first(r->triangles, chunk + 1); t++)
        if (layer_reach(r, t, column, row))
            for (int y = row[0]; y <= row[1]; y++) count[y]++;
}

static void write_chunk(void *arg, int chunk, int worker) {
    sp_layer_rows *r = arg;
    uint32_t *at = r->counts + (size_t)chunk * (size_t)r->rows;
    int column[2], row[2];
    (void)worker;
    for (int t = chunk_first(r->triangles, chunk); t < chunk_first(r->triangles, chunk + 1); t++) {
        if (!layer_reach(r, t, column, row)) continue;
        int y0 = row[0] > r->first ? row[0] : r->first, y1 = row[1] < r->last ? row[1] : r->last - 1;
        for (int y = y0; y <= y1; y++) r->entries[at[y]++] = t;
    }
}

// sorts the triangles of a row by the column of their first tile: w->list, w->columns
static void sort_columns(const sp_layer_rows *r, sp_layer_bench *w, const int *entries, int count) {
    int column[2], row[2];
    memset(w->columns, 0, ((size_t)r->columns + 2) * sizeof *w->columns);
    for (int i = 0; i < count; i++) {
        layer_reach(r, entries[i], column, row);
        w->columns[column[0] + 2]++;
    }
    for (int c = 0; c < r->columns; c++) w->columns[c + 2] += w->columns[c + 1];
    for (int i = 0; i < count; i++) {
        layer_reach(r, entries[i], column, row);
        w->list[w->columns[column[0] + 1]++] = entries[i];
    }
}

static void fill_row(void *arg, int task, int worker) {
    sp_layer_rows *r = arg;
    sp_layer_bench *w = r->benches[worker];
    int y = r->first + task, active = 0, column[2], row[2];
    const int *entries = r->entries + r->begin[task];
    int count = (int)(r->begin[task + 1] - r->begin[task]);
    sort_columns(r, w, entries, count);
    for (int c = 0; c < r->columns && !atomic_load(&r->failed); c++) {
        int kept = 0;
        for (int i = 0; i < active; i++) {
            layer_reach(r, w->active[i], column, row);
            if (column[1] >= c) w->active[kept++] = w->active[i];
        }
        active = kept;
        for (int i = w->columns[c]; i < w->columns[c + 1]; i++) w->active[active++] = w->list[i];
        if (layer_fill(r->ctx, &r->set, w, w->active, active, c * SP_LAYER_TILE, y * SP_LAYER_TILE, worker) < 0)
            atomic_store(&r->failed, 1);
    }
}

// ---------------------------------------------------------------------------------------------------- groups of rows

// chooses rows first..last-1 whose lists fit, the start of each list, and the write position of every chunk
static void plan_group(sp_layer_rows *r, int first) {
    uint64_t entries = 0;
    r->first = r->last = first;
    while (r->last < r->rows && (r->last == first || entries + r->totals[r->last] <= GROUP_ENTRIES))
        entries += r->totals[r->last++];
    uint32_t at = 0;
    for (int y = r->first; y < r->last; y++) {
        r->begin[y - r->first] = at;
        for (int chunk = 0; chunk < SP_LAYER_CHUNKS; chunk++) {
            uint32_t *c = r->counts + (size_t)chunk * (size_t)r->rows + y, n = *c;
            *c = at, at += n;
        }
    }
    r->begin[r->last - r->first] = at;
}

// allocates for the longest group and, per worker, for the longest row
static sp_status layer_reserve(sp_layer_rows *r) {
    size_t longest = 0, most = 0, group = 0;
    for (int y = 0; y < r->rows; y++) {
        size_t n = r->totals[y];
        longest = n > longest ? n : longest;
        group = group + n > GROUP_ENTRIES ? n : group + n;
        most = group > most ? group : most;
    }
    if (!SP_NEW(r->ctx, r->entries, most + 1)) return SP_NO_MEMORY;
    for (int i = 0; i < sp__workers(r->ctx); i++) {
        sp_layer_bench *w;
        if (!SP_NEW(r->ctx, r->benches[i], 1)) return SP_NO_MEMORY;
        w = r->benches[i];
        if (!SP_NEW(r->ctx, w->list, longest + 1) || !SP_NEW(r->ctx, w->active, longest + 1) ||
            !SP_NEW(r->ctx, w->columns, (size_t)r->columns + 2))
            return SP_NO_MEMORY;
    }
    return SP_OK;
}

static void free_rows(sp_layer_rows *r) {
    for (int i = 0; r->benches && i < sp__workers(r->ctx); i++) {
        sp_layer_bench *w = r->benches[i];
        if (w) sp__free(r->ctx, w->fragments), sp__free(r->ctx, w->layers), sp__free(r->ctx, w->list);
        if (w) sp__free(r->ctx, w->active), sp__free(r->ctx, w->columns);
        sp__free(r->ctx, w);
    }
    sp__free(r->ctx, r->benches), sp__free(r->ctx, r->counts), sp__free(r->ctx, r->totals);
    sp__free(r->ctx, r->begin), sp__free(r->ctx, r->entries);
    layer_set_free(r->ctx, &r->set);
}

static sp_status draw_rows(sp_layer_rows *r) {
    size_t rows = (size_t)r->rows;
    if (!SP_NEW(r->ctx, r->counts, SP_LAYER_CHUNKS * rows) || !SP_NEW(r->ctx, r->totals, rows) ||
        !SP_NEW(r->ctx, r->begin, rows + 1) || !SP_NEW(r->ctx, r->benches, sp__workers(r->ctx)))
        return SP_NO_MEMORY;
    sp__parallel(r->ctx, SP_LAYER_CHUNKS, count_chunk, r);
    for (size_t chunk = 0; chunk < SP_LAYER_CHUNKS; chunk++)
        for (size_t y = 0; y < rows; y++) r->totals[y] += r->counts[chunk * rows + y];
    SP_TRY(layer_reserve(r));
    for (int first = 0; first < r->rows && !atomic_load(&r->failed); first = r->last) {
        plan_group(r, first);
        sp__parallel(r->ctx, SP_LAYER_CHUNKS, write_chunk, r);
        sp__parallel(r->ctx, r->last - r->first, fill_row, r);
    }
    return atomic_load(&r->failed) ? SP_NO_MEMORY : SP_OK;
}

sp_status sp__layers(sp_context *ctx, const sp_layers_def *def) {
    if (def->width < 1 || def->height < 1 || def->width > SP_LAYER_SIDE_MOST || def->height > SP_LAYER_SIDE_MOST)
        return SP_FAIL(ctx, SP_BAD_INPUT, "canvas of %d x %d samples, each must be in [1, %d]", def->width, def->height,
                       SP_LAYER_SIDE_MOST);
    if (def->face_count < 0 || def->face_count >= INT32_MAX / 2 || def->vertex_count < 0)
        return SP_FAIL(ctx, SP_BAD_INPUT, "%d triangles, must be in [0, %d]", def->face_count, INT32_MAX / 2 - 1);
    if (!def->eye->parallel && !(def->eye->nearest > 0))
        return SP_FAIL(ctx, SP_BAD_INPUT, "nearest = %g m, must be > 0 in perspective", def->eye->nearest);
    sp_layer_rows r = {.ctx = ctx};
    r.rows = (def->height + SP_LAYER_TILE - 1) / SP_LAYER_TILE, r.columns = (def->width + SP_LAYER_TILE - 1) / SP_LAYER_TILE;
    sp_status status = layer_corners(ctx, def, &r.set);
    if (status >= 0) status = layer_pieces(ctx, &r.set);
    r.triangles = def->face_count + r.set.piece_count;
    if (status >= 0) status = draw_rows(&r);
    free_rows(&r);
    if (status == SP_NO_MEMORY) return SP_FAIL(ctx, status, "no memory for the layers of %d triangles", def->face_count);
    return status;
}
