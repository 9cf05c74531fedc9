// Layers of one tile (layers.h).
#include "collide/layers.h"

enum { DEPTHS = 256 };

bool sp__ldi_tile_reserve(sp_ldi *l, sp_ldi_tile *t, int stride) {
    const int edge = 1 << l->tile_shift;
    t->edge = edge;
    if (t->stride < stride) t->stride = stride;
    if (!sp__ldi_reserve(l->memory, &t->setup_array, l->longest + 1, sizeof *t->setups, 0) ||
        !sp__ldi_reserve(l->memory, &t->layer_array, (size_t)(edge * edge) * (size_t)t->stride, sizeof *t->layers, 0))
        return false;
    t->setups = t->setup_array.data, t->layers = t->layer_array.data;
    return true;
}

void sp__ldi_tile_release(sp_ldi *l, sp_ldi_tile *t) {
    sp__ldi_release(l->memory, &t->setup_array, sizeof *t->setups);
    sp__ldi_release(l->memory, &t->layer_array, sizeof *t->layers);
}

// Setups of the entries by 8 bits of their depths; a counting sort, stable.
static void sort_entries(const sp_ldi *l, const uint64_t *entries, int count, sp_ldi_tile *t) {
    const sp_ldi_chunk *chunks = l->chunks.data;
    uint32_t start[DEPTHS + 1] = {0};
    for (int i = 0; i < count; i++) start[(entries[i] >> SP_LDI_CHUNK_BITS & (DEPTHS - 1)) + 1]++;
    for (int d = 0; d < DEPTHS; d++) start[d + 1] += start[d];
    for (int i = 0; i < count; i++) {
        const sp_ldi_setup *setups = chunks[entries[i] >> 32].setups.data;
        t->setups[start[entries[i] >> SP_LDI_CHUNK_BITS & (DEPTHS - 1)]++] =
            setups + (entries[i] & ((1u << SP_LDI_CHUNK_BITS) - 1));
    }
}

// ------------------------------------------------------------------------------------------------ coverage

static inline int clamp_low(int v, int low) {
    return v < low ? low : v;
}

static inline int clamp_high(int v, int high) {
    return v > high ? high : v;
}

static inline int32_t least3(const int32_t *v) {
    int32_t m = v[0] < v[1] ? v[0] : v[1];
    return m < v[2] ? m : v[2];
}

static inline int32_t most3(const int32_t *v) {
    int32_t m = v[0] > v[1] ? v[0] : v[1];
    return m > v[2] ? m : v[2];
}

// Each sample writes its layer behind the others of its ray; only a covered sample counts it. Without branches, since coverage of
// small triangles cannot be predicted.
static void raster_triangle(const sp_ldi *l, sp_ldi_tile *t, uint32_t entry) {
    const sp_ldi_setup *s = t->setups[entry];
    const sp_ldi_surface *surface = &l->surfaces[s->code >> 1];
    const int X = (t->axis + 1) % 3, Y = (t->axis + 2) % 3, edge = t->edge, stride = t->stride;
    const int low_x = clamp_low(surface->low[X], t->x), high_x = clamp_high(surface->high[X], t->x + edge - 1);
    const int low_y = clamp_low(surface->low[Y], t->y), high_y = clamp_high(surface->high[Y], t->y + edge - 1);
    const int x0 = clamp_low(sp__ldi_first(least3(s->x), l->bits), low_x),
              x1 = clamp_high(sp__ldi_last(most3(s->x), l->bits), high_x);
    const int y0 = clamp_low(sp__ldi_first(least3(s->y), l->bits), low_y),
              y1 = clamp_high(sp__ldi_last(most3(s->y), l->bits), high_y);
    if (x0 > x1 || y0 > y1) return;
    sp_ldi_edges e;
    sp__ldi_edges_at(s, l->bits, x0, y0, &e);
    const double to_b = s->to_b, to_c = s->to_c, z = s->z + e.less[2] * to_b + e.less[0] * to_c;
    const uint32_t code = s->code;
    for (int y = y0 - t->y; y <= y1 - t->y; y++) {
        double a = e.at[0], b = e.at[1], c = e.at[2];
        for (int i = y * edge + x0 - t->x, end = i + x1 - x0; i <= end; i++, a += e.right[0], b += e.right[1], c += e.right[2]) {
            t->layers[i * stride + (int)t->count[i]] = (sp_ldi_layer){z + a * to_c + c * to_b, entry, code};
            t->count[i] += (a >= 0) & (b >= 0) & (c >= 0);
        }
        for (int k = 0; k < 3; k++) e.at[k] += e.down[k];
    }
}

// ------------------------------------------------------------------------------------------------ storage

static int deepest(const sp_ldi_tile *t) {
    uint32_t n = 0;
    for (int i = 0; i < t->edge * t->edge; i++)
        if (t->count[i] > n) n = t->count[i];
    return (int)n;
}

// Twice as many layers per ray. The stride is a multiple of 4 and not of 8: neighbouring rays are in different sets of the cache.
static bool grow_stride(const sp_ldi *l, sp_ldi_tile *t) {
    const int samples = t->edge * t->edge, old = t->stride, stride = 2 * old + 4 - old % 8;
    sp_ldi_array array = {0};
    if (!sp__ldi_reserve(l->memory, &array, (size_t)samples * (size_t)stride, sizeof *t->layers, 0)) return false;
    sp_ldi_layer *grown = array.data;
    for (int i = 0; i < samples; i++) memcpy(grown + i * stride, t->layers + i * old, t->count[i] * sizeof *grown);
    sp__ldi_release(l->memory, &t->layer_array, sizeof *grown);
    t->layer_array = array, t->layers = grown, t->stride = stride;
    return true;
}

// Nearly sorted by the order of the entries. Ties: enter before leave, then surface and triangle.
static inline bool layer_before(const sp_ldi_tile *t, const sp_ldi_layer *a, const sp_ldi_layer *b) {
    if (a->z != b->z) return a->z < b->z;
    if ((a->code ^ b->code) & 1) return b->code & 1;
    if (a->code != b->code) return a->code < b->code;
    return t->setups[a->entry]->triangle < t->setups[b->entry]->triangle;
}

static void sort_ray(const sp_ldi_tile *t, sp_ldi_layer *a, int count) {
    for (int i = 1; i < count; i++) {
        if (!layer_before(t, &a[i], &a[i - 1])) continue;
        const sp_ldi_layer v = a[i];
        int k = i;
        for (; k > 0 && layer_before(t, &v, &a[k - 1]); k--) a[k] = a[k - 1];
        a[k] = v;
    }
}

bool sp__ldi_raster(sp_ldi *l, int tile, sp_ldi_tile *t) {
    const uint32_t *begin = l->begin.data;
    const int axis = (tile >= l->tile_first[1]) + (tile >= l->tile_first[2]), place = tile - l->tile_first[axis];
    t->axis = axis, t->x = place % l->columns[axis] << l->tile_shift, t->y = place / l->columns[axis] << l->tile_shift;
    t->entry_count = (int)(begin[tile + 1] - begin[tile]);
    memset(t->count, 0, (size_t)(t->edge * t->edge) * sizeof *t->count);
    sort_entries(l, (const uint64_t *)l->sorted.data + begin[tile], t->entry_count, t);
    // an entry adds at most one layer to a ray, and needs one more place
    int room = t->stride;
    for (int i = 0; i < t->entry_count; i++, room--) {
        if (room == 0) {
            room = t->stride - deepest(t);
            if (room <= 1 && !grow_stride(l, t)) return false;
            room = t->stride - deepest(t);
        }
        raster_triangle(l, t, (uint32_t)i);
    }
    for (int i = 0; i < t->edge * t->edge; i++) sort_ray(t, t->layers + i * t->stride, (int)t->count[i]);
    return true;
}
