// Hash table of the octree and the lattice.
#include "mesh/fill_hash.h"

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

static bool grow(sp_context *ctx, sp_hash *h) {
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
    if ((!h->bits || h->count >= 1 << (h->bits - 1)) && !grow(ctx, h)) return false;
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
