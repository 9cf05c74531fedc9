// What the files volume*.c share: the workspace and what passes from the rays to the sums.
#ifndef SP_VOLUME_INTERNAL_H
#define SP_VOLUME_INTERNAL_H

#include "collide/layers.h"
#include "collide/volume.h"

enum {
    SP_VOLUME_SURFACES_MOST = 4096,
    SP_VOLUME_PAIR_BITS = 20,
    SP_VOLUME_BUCKETS = 256,  // for the keys of a tile
    SP_VOLUME_CELL_BITS = 14  // of a cell number along an axis, counted from the image
};

// Sorted by a, then b.
typedef struct sp_volume_pair {
    int a, b;
    int set;  // of images
    double pixel;
} sp_volume_pair;

static inline uint64_t sp__volume_hash(uint64_t key) {
    key ^= key >> 29;
    key *= 0x9e3779b97f4a7c15ull;
    return key ^ key >> 32;
}

// Sums over the intervals of one pair and cell in one tile.
typedef struct sp_volume_key {
    uint64_t key;      // pair, then cell z, y, x
    double volume;     // of the rays of this axis
    double moment[3];  // volume times centroid
    double area;       // of the first surface, projected along the axis, with its sign
    double shadow;     // of the intervals, projected along the axis
    uint32_t records;  // with this key
    uint32_t id;       // of the overlap; written by the sums. Before: 1 + the next key of its bucket
} sp_volume_key;

// Gradient of one triangle in one tile: a sum over its samples of -a f (below) or +a f (above) times barycentric coordinates.
typedef struct sp_volume_record {
    double sum, b, c;   // of all, of vertex b, of vertex c (sp_ldi_setup)
    uint32_t triangle;  // of its surface
    uint32_t code;      // axis << 30 | 2 surface of the caller + (the ray leaves here)
    uint32_t key;       // of its tile
    int32_t next;       // record of the same triangle with another key, in its tile; -1: none
} sp_volume_record;

// Where the results of a tile are.
typedef struct sp_volume_tile {
    size_t key_first, record_first;
    uint32_t key_count, record_count;
    int axis;
    int set;
} sp_volume_tile;

// A surface that the ray is in, and the layer through which it entered.
typedef struct sp_volume_open {
    sp_ldi_layer layer;
    uint32_t surface;
} sp_volume_open;

// Workers write here all the time: no cache line is shared.
typedef struct sp_volume_worker {
    _Alignas(64) sp_ldi_tile tile;
    sp_ldi_array slots;                   // int32_t per entry: its first record, or -1
    sp_ldi_array open;                    // of the ray
    sp_ldi_array debts;                   // uint32_t: surfaces that the ray left before it entered them
    sp_ldi_array keys;                    // of the tile
    sp_ldi_array records;                 // of the tile
    uint32_t buckets[SP_VOLUME_BUCKETS];  // 1 + first key with this hash; 0: none
    size_t key_count, record_count, last_key;
    int64_t layers, intervals, unbalanced;
    int layers_most;
    sp_ldi_array sums;  // of sp__volume_sum: double x 3 per vertex of a pair, zero between uses
    sp_ldi_array bits;  // uint64_t: vertices with a sum
} sp_volume_worker;

// Images of one pixel size.
typedef struct sp_volume_set {
    double pixel;
    int64_t cell_base[3];  // cell of the first sample
} sp_volume_set;

struct sp_volume {
    sp_context *ctx;
    sp_ldi_memory memory;
    sp_ldi ldi;
    sp_volume_options o;
    int surface_count;
    const sp_volume_surface *surfaces;
    sp_ldi_array pieces;  // parts of the vertices
    sp_ldi_array boxes;   // double x 6 per surface: low, high
    sp_ldi_array sweep;   // uint64_t per surface
    sp_ldi_array pair_keys;
    sp_ldi_array pairs;  // sp_volume_pair
    sp_ldi_array sets;   // sp_volume_set
    int pair_count, set_count;
    // of the set that is rasterised
    sp_ldi_array shares;   // double x 6 per surface: where it is rasterised
    sp_ldi_array local;    // sp_ldi_surface
    sp_ldi_array pair_of;  // int32_t, local surfaces squared: number of the pair or -1
    int set;
    int tile_first;  // of its tiles in `tiles`
    // results of the rays
    sp_ldi_array tiles, keys, records;
    int tile_count;
    atomic_size_t key_count, record_count;
    sp_volume_worker *workers;
    int worker_count;
    int layers_reserved;
    // sums
    sp_ldi_array hash;      // uint32_t: 1 + id
    sp_ldi_array ids;       // of sp__volume_sum: one per overlap
    sp_ldi_array order;     // uint64_t: keys sorted; uint32_t: rank
    sp_ldi_array sorted;    // records by overlap
    sp_ldi_array places;    // size_t per key: where its next record goes
    sp_ldi_array overlaps;  // sp_overlap
    sp_ldi_array entries;   // sp_overlap_entry
    int overlap_count, entry_count, joined;
};

// Layers and intervals of one tile; a task.
void sp__volume_tile(void *arg, int task, int worker);
// From the keys and records of all tiles to overlaps and entries. False: memory was refused.
bool sp__volume_sum(sp_volume *v);
void sp__volume_sum_release(sp_volume *v);

#endif
