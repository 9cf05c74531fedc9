// One tile: first the nearest opaque triangle at every sample, then the layers in front of it, sorted.
//
// A sample at p is inside if all three edge functions E(p) = dx (p.y - y) - dy (p.x - x) are positive. A sample on an edge
// belongs to the triangle that would contain it after a small shift to the right and a much smaller shift down. Every triangle
// uses the same shift, so common edges are covered exactly once for any orientation of the two triangles.
#include "collide/layers_internal.h"

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

static void hide(sp_layer_bench *w, const sp_edges *e) {
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

static bool grow(sp_context *ctx, void **memory, size_t *capacity, size_t used, size_t wanted, size_t size) {
    size_t room = *capacity ? *capacity : 4096;
    while (room < wanted && room <= SIZE_MAX / 2) room *= 2;
    if (room < wanted) return false;
    void *more = sp__alloc(ctx, room, size);
    if (!more) return false;
    if (used) memcpy(more, *memory, used * size);
    sp__free(ctx, *memory);
    *memory = more, *capacity = room;
    return true;
}

static bool lay(sp_context *ctx, sp_layer_bench *w, const sp_edges *e) {
    int64_t row[3] = {e->at[0], e->at[1], e->at[2]};
    size_t most = (size_t)(e->x1 - e->x0 + 1) * (size_t)(e->y1 - e->y0 + 1);
    if (w->fragment_count + most > w->fragment_capacity) {
        void *room = w->fragments;
        if (!grow(ctx, &room, &w->fragment_capacity, w->fragment_count, w->fragment_count + most, sizeof *w->fragments))
            return false;
        w->fragments = room;
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

static bool before(const sp_layer *a, const sp_layer *b) {
    return a->depth < b->depth || (a->depth == b->depth && a->face < b->face);
}

// insertion sort: lists are short, and nearly sorted for convex objects
static void sort_layers(sp_layer *a, uint32_t count) {
    for (uint32_t i = 1; i < count; i++) {
        sp_layer v = a[i];
        uint32_t k = i;
        for (; k > 0 && before(&v, &a[k - 1]); k--) a[k] = a[k - 1];
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
    for (uint32_t i = 0; i < samples; i++) {
        uint32_t n = start[i] + (w->front[i / (uint32_t)width * SP_LAYER_TILE + i % (uint32_t)width] != UINT32_MAX);
        start[i] = total, total += n;
    }
    if (total > w->layer_capacity) {
        void *room = w->layers;
        if (!grow(ctx, &room, &w->layer_capacity, 0, total, sizeof *w->layers)) return SP_NO_MEMORY;
        w->layers = room;
    }
    // `start` moves to the end of its list during filling
    for (size_t i = 0; i < w->fragment_count; i++) {
        const sp_fragment *f = &w->fragments[i];
        put_layer(&w->layers[start[f->sample / SP_LAYER_TILE * (uint32_t)width + f->sample % SP_LAYER_TILE]++], f->key, f->code);
    }
    for (uint32_t i = 0; i < samples; i++) {
        uint32_t s = i / (uint32_t)width * SP_LAYER_TILE + i % (uint32_t)width;
        if (w->front[s] != UINT32_MAX) put_layer(&w->layers[start[i]++], w->near[s], w->front[s]);
    }
    memmove(start + 1, start, samples * sizeof *start);
    start[0] = 0;
    for (uint32_t i = 0; i < samples && w->fragment_count; i++) sort_layers(w->layers + start[i], start[i + 1] - start[i]);
    for (uint32_t i = 0; i < total && !eye->parallel; i++) w->layers[i].depth = -1 / w->layers[i].depth;
    return SP_OK;
}

sp_status sp__layer_fill(sp_context *ctx, const sp_layer_set *set, sp_layer_bench *w, const int *list, int count, int x, int y,
                         int worker) {
    const sp_layers_def *d = set->def;
    sp_layer_tile tile = {.x = x, .y = y, .width = d->width - x, .height = d->height - y, .start = w->start};
    if (tile.width > SP_LAYER_TILE) tile.width = SP_LAYER_TILE;
    if (tile.height > SP_LAYER_TILE) tile.height = SP_LAYER_TILE;
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
                hide(w, &e);
            else if (!lay(ctx, w, &e))
                return SP_NO_MEMORY;
        }
    SP_TRY(sort_tile(ctx, d->eye, w, tile.width, tile.height));
    tile.layers = w->layers;
    d->tile(d->user, &tile, worker);
    return SP_OK;
}
