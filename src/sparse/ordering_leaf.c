// Minimum degree on a few rows, exact, with sets of bits: what nested dissection ends with. Rows outside count for the degree but
// are never eliminated; where there are too many of them some share a bit, which only makes degrees a little too small.
#include "sparse/ordering_internal.h"

enum { BITS = 320, WORDS = BITS / 64 };

typedef struct row_set {
    uint64_t word[WORDS];
} row_set;

static void add(row_set *s, int i) {
    s->word[i / 64] |= UINT64_C(1) << (i % 64);
}

static bool has(const row_set *s, int i) {
    return s->word[i / 64] >> (i % 64) & 1;
}

static int count_bits(uint64_t v) {
    v -= v >> 1 & UINT64_C(0x5555555555555555);
    v = (v & UINT64_C(0x3333333333333333)) + (v >> 2 & UINT64_C(0x3333333333333333));
    v = (v + (v >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
    return (int)(v * UINT64_C(0x0101010101010101) >> 56);
}

static int size_of(const row_set *s) {
    int n = 0;
    for (int w = 0; w < WORDS; w++) n += count_bits(s->word[w]);
    return n;
}

// neighbours of each row by bit: rows of the leaf first, then those outside in the order they are met
static void gather(const sp_graph *G, const int *item, int count, int *local, row_set *near) {
    int outside = 0;
    for (int k = 0; k < count; k++) local[item[k]] = k;
    for (int k = 0; k < count; k++)
        for (int e = G->start[item[k]]; e < G->start[item[k] + 1]; e++) {
            int j = G->near[e];
            if (local[j] < 0) local[j] = count + outside++ % (BITS - count);
            add(&near[k], local[j]);
        }
    for (int k = 0; k < count; k++) {
        local[item[k]] = -1;
        for (int e = G->start[item[k]]; e < G->start[item[k] + 1]; e++) local[G->near[e]] = -1;
    }
}

// row v goes: its neighbours become neighbours of each other
static void eliminate(row_set *near, int *degree, int count, int v) {
    for (int i = 0; i < count; i++) {
        if (degree[i] < 0 || i == v || !has(&near[i], v)) continue;
        for (int w = 0; w < WORDS; w++) near[i].word[w] |= near[v].word[w];
        near[i].word[v / 64] &= ~(UINT64_C(1) << (v % 64));
        near[i].word[i / 64] &= ~(UINT64_C(1) << (i % 64));
        degree[i] = size_of(&near[i]);
    }
    degree[v] = -1;
}

void sp__leaf_order(const sp_graph *G, int *item, int count, int *local) {
    row_set near[SP_LEAF_MOST] = {0};
    int degree[SP_LEAF_MOST], order[SP_LEAF_MOST];
    gather(G, item, count, local, near);
    for (int i = 0; i < count; i++) degree[i] = size_of(&near[i]);
    for (int k = 0; k < count; k++) {
        int best = -1;
        for (int i = 0; i < count; i++)
            if (degree[i] >= 0 && (best < 0 || degree[i] < degree[best])) best = i;
        order[k] = item[best];
        eliminate(near, degree, count, best);
    }
    memcpy(item, order, sizeof *order * (size_t)count);
}
