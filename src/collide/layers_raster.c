// Layers of one tile (layers.h).
#include "collide/layers.h"

enum { DEPTHS = 256 };

static size_t layers_of(const sp_ldi_tile *t, int stride) {
    return (size_t)(t->edge * t->edge + SP_LDI_LANES) * (size_t)stride;
}

bool sp__ldi_tile_reserve(sp_ldi *l, sp_ldi_tile *t, int stride) {
    const int edge = 1 << l->tile_shift;
    t->edge = edge;
    if (t->stride < stride) t->stride = stride;
    if (!sp__ldi_reserve(l->memory, &t->setup_array, l->longest + 1, sizeof *t->setups, 0) ||
        !sp__ldi_reserve(l->memory, &t->code_array, l->longest + 1, sizeof *t->codes, 0) ||
        !sp__ldi_reserve(l->memory, &t->layer_array, layers_of(t, t->stride), sizeof *t->layers, 0))
        return false;
    t->setups = t->setup_array.data, t->codes = t->code_array.data, t->layers = t->layer_array.data;
    return true;
}

void sp__ldi_tile_release(sp_ldi *l, sp_ldi_tile *t) {
    sp__ldi_release(l->memory, &t->setup_array, sizeof *t->setups);
    sp__ldi_release(l->memory, &t->code_array, sizeof *t->codes);
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

// ------------------------------------------------------------------------------------------------ storage

static void set_next(sp_ldi_tile *t) {
    const int samples = t->edge * t->edge;
    for (int i = 0; i < samples + SP_LDI_LANES; i++) t->next[i] = t->layers + i * t->stride + (i < samples ? t->count[i] : 0);
}

// Counts the layers of each sample; returns the largest number.
static int set_counts(sp_ldi_tile *t) {
    int most = 0;
    for (int i = 0; i < t->edge * t->edge; i++) {
        t->count[i] = (int)(t->next[i] - t->layers) - i * t->stride;
        most = t->count[i] > most ? t->count[i] : most;
    }
    return most;
}

// Twice as many layers per ray. The stride is a multiple of 4 and not of 8: neighbouring rays are in different sets of the cache.
static bool grow_stride(const sp_ldi *l, sp_ldi_tile *t) {
    const int samples = t->edge * t->edge, old = t->stride, stride = 2 * old + 4 - 2 * old % 8;
    sp_ldi_array array = {0};
    if (!sp__ldi_reserve(l->memory, &array, layers_of(t, stride), sizeof *t->layers, 0)) return false;
    sp_ldi_layer *grown = array.data;
    for (int i = 0; i < samples; i++) memcpy(grown + i * stride, t->layers + i * old, (size_t)t->count[i] * sizeof *grown);
    sp__ldi_release(l->memory, &t->layer_array, sizeof *grown);
    t->layer_array = array, t->layers = grown, t->stride = stride;
    return true;
}

// Nearly sorted by the order of the entries.
static void sort_ray(sp_ldi_layer *a, int count) {
    for (int i = 1; i < count; i++) {
        const sp_ldi_layer v = a[i];
        int k = i;
        for (; k > 0 && v < a[k - 1]; k--) a[k] = a[k - 1];
        a[k] = v;
    }
}

bool sp__ldi_raster(sp_ldi *l, int tile, sp_ldi_tile *t) {
    const uint32_t *begin = l->begin.data;
    const int axis = (tile >= l->tile_first[1]) + (tile >= l->tile_first[2]), place = tile - l->tile_first[axis];
    t->axis = axis, t->x = place % l->columns[axis] << l->tile_shift, t->y = place / l->columns[axis] << l->tile_shift;
    t->entry_count = (int)(begin[tile + 1] - begin[tile]);
    memset(t->count, 0, sizeof t->count);
    sort_entries(l, (const uint64_t *)l->sorted.data + begin[tile], t->entry_count, t);
    // an entry adds at most one layer to a ray
    set_next(t);
    for (int i = 0, deepest = 0; i < t->entry_count;) {
        if (t->stride - deepest < 2) {
            if (!grow_stride(l, t)) return false;
            set_next(t);
        }
        const int room = t->stride - deepest, left = t->entry_count - i, n = room < left ? room : left;
        l->kernels->raster(l, t, i, i + n);
        deepest = set_counts(t);
        i += n;
    }
    for (int i = 0; i < t->edge * t->edge; i++) sort_ray(t->layers + i * t->stride, t->count[i]);
    return true;
}
