// Layered depth images of closed surfaces along the three axes (Courtecuisse 2011, section 4.3.2; Allard et al. 2010): every
// triangle that a ray of a regular grid crosses, sorted by depth. Behind volume.h; the pictures have their own (io may not
// include collide), for a camera and with opaque triangles.
//
//     vertices          rounded to 2^-bits pixels; the same numbers serve the three axes
//     list   K1-K4      one pass over the triangles: projection along each axis, those without a ray dropped, the tiles of the
//                       others appended to the list of their chunk
//     sort   K5, K6     the lists scattered by tile; inside a tile by 8 bits of depth, just before it is rasterised
//     raster K7-K9      one task per tile: layers of its rays, by insertion in nearly sorted order
//
// The K are the kernels of section 5.7 of the method; a device would run the same stages. Tiles are not stored: the caller uses
// the layers of a tile while they are in the cache of the worker.
//
// Coverage is decided by the rule of io/picture/layers.c: vertices on an integer grid, edge functions without rounding, a sample
// on an edge belongs to the triangle that contains it after a small shift to the right and a much smaller one up. It is written
// again in double: products of differences below 2^26 are exact there, and vectors of doubles are fast. `bits` keeps that true.
#ifndef SP_COLLIDE_LAYERS_H
#define SP_COLLIDE_LAYERS_H

#include "core/core.h"

enum {
    SP_LDI_BITS = 16,          // of a vertex below the pixel, at most
    SP_LDI_SPAN_BITS = 26,     // of the extent of a triangle on the grid, at most
    SP_LDI_SIDE_MOST = 16384,  // pixels along an axis of an image
    SP_LDI_TILE_MOST = 16,     // edge of a tile in pixels
    SP_LDI_CHUNK_BITS = 24,    // of the number of a projected triangle in its chunk
    SP_LDI_CHUNK_TRIANGLES = 1 << 22
};

// ---------------------------------------------------------------------------------------------------- memory

// Memory of a workspace with a limit. Workers may reserve at the same time; a refusal is recorded, and reported after the batch.
typedef struct sp_ldi_memory {
    sp_context *ctx;
    size_t most;
    atomic_size_t bytes;
    atomic_bool grown;
    atomic_int refused;    // 1: the context has none left; 2: more than `most`
    atomic_size_t wanted;  // bytes of the workspace after the refused reservation
} sp_ldi_memory;

typedef struct sp_ldi_array {
    void *data;
    size_t capacity;  // items
} sp_ldi_array;

// Room for `count` items, and half more if it has to grow; the first `keep` items survive. False: refused, the array is as
// before.
bool sp__ldi_reserve(sp_ldi_memory *m, sp_ldi_array *a, size_t count, size_t size, size_t keep);
// The capacity of another worker's array, exactly, so that equal arrays stay equal; the content is undefined if it grows.
bool sp__ldi_match(sp_ldi_memory *m, sp_ldi_array *a, size_t capacity, size_t size);
void sp__ldi_release(sp_ldi_memory *m, sp_ldi_array *a, size_t size);
// SP_NO_MEMORY with a message if a reservation was refused. `what` describes the scene.
sp_status sp__ldi_refused(sp_ldi_memory *m, const char *what);

// ---------------------------------------------------------------------------------------------------- images

typedef struct sp_ldi_surface {
    const double *x;
    const uint32_t *triangles;
    int vertex_count, triangle_count;
    int number;              // of the caller
    size_t vertex_first;     // in `grid`
    int64_t triangle_first;  // of all surfaces, one after the other
    int low[3], high[3];     // samples along each axis between which the surface is rasterised, inclusive
} sp_ldi_surface;

// A triangle seen along one axis, a cache line. Vertices a, b, c are ordered so that the area is positive: front triangles,
// through which rays enter, have b and c swapped.
typedef struct sp_ldi_setup {
    int32_t x[3], y[3];    // on the grid
    double z, to_b, to_c;  // depth = z + E_ca to_b + E_ab to_c [m]
    int16_t box[4];        // first and last sample along x, along y; within the range of the surface
    uint32_t triangle;     // of its surface
    uint32_t code;         // 2 surface + (the ray leaves here)
} sp_ldi_setup;

// Results of a part of the triangles.
typedef struct sp_ldi_chunk {
    sp_ldi_array setups;   // sp_ldi_setup
    sp_ldi_array entries;  // uint64_t: tile << 32 | depth << 24 | setup
    sp_ldi_array counts;   // uint32_t per tile; later where the next entry goes
    size_t setup_count, entry_count;
} sp_ldi_chunk;

struct sp_ldi_tile;
struct sp_ldi_lister;
struct sp_ldi;

// Loops for one instruction set (layers_loops.h).
typedef struct sp_ldi_kernels {
    // projects triangles first..last-1 of a surface and lists their tiles
    void (*list)(struct sp_ldi_lister *w, int first, int last);
    // appends the layers of entries first..last-1 of a tile; each ray has room for as many, and one more
    void (*raster)(const struct sp_ldi *l, struct sp_ldi_tile *t, int first, int last);
} sp_ldi_kernels;

extern const sp_ldi_kernels sp__ldi_kernels_avx2, sp__ldi_kernels_generic;

typedef struct sp_ldi {
    sp_ldi_memory *memory;
    sp_context *ctx;
    // set by the caller. Sample (i, j, k) has its centre at origin + pixel (base + i + 1/2, ...)
    double pixel, origin[3];
    int bits, tile_shift;
    int64_t base[3];
    int size[3];  // samples along x, y, z; the image along `axis` has size[axis + 1] x size[axis + 2] (mod 3)
    double depth_low[3], depth_high[3];  // range of depths that the orders resolve, the same with and without culling
    sp_ldi_surface *surfaces;
    int surface_count;
    // set by sp__ldi_list and sp__ldi_sort
    int columns[3], rows[3];
    int tile_first[4];  // of each axis
    int tile_count;
    int chunk_count;
    size_t entry_count, setup_count;
    const sp_ldi_kernels *kernels;
    size_t longest;           // entries of a tile, at most
    atomic_int bad_triangle;  // 1 + number of a surface with a vertex out of range; set to 0 by the caller
    sp_ldi_array grid;        // int32_t x 4 per vertex
    sp_ldi_array chunks;      // sp_ldi_chunk
    sp_ldi_array begin;       // uint32_t per tile + 1: its entries
    sp_ldi_array sorted;      // uint64_t: chunk << 32 | depth << 24 | setup
} sp_ldi;

void sp__ldi_destroy(sp_ldi *l);
// Both return false if memory was refused.
bool sp__ldi_list(sp_ldi *l);
bool sp__ldi_sort(sp_ldi *l);
// Tiles between `first` and `last` on one row of tiles that the triangle with these vertices [samples] overlaps (section 5.4 of
// the method): columns, both inclusive and not clamped. For the tests.
void sp__ldi_columns(const double x[3], const double y[3], int row, int edge, int columns[2]);

// What a worker needs to list the triangles of a chunk.
typedef struct sp_ldi_lister {
    sp_ldi *list;
    const sp_ldi_surface *surface;
    sp_ldi_chunk *chunk;
    uint32_t *counts;
    double unit, depth_scale[3];
    bool ok;
} sp_ldi_lister;

bool sp__ldi_list_grow(sp_ldi_lister *w, size_t tiles);
// Lists a triangle with more than one row and more than one column of tiles.
void sp__ldi_list_tiles(sp_ldi_lister *w, int axis, const sp_ldi_setup *t, uint64_t code);

static inline bool sp__ldi_list_room(sp_ldi_lister *w, size_t tiles) {
    const sp_ldi_chunk *c = w->chunk;
    if (c->setup_count < c->setups.capacity && c->entry_count + tiles <= c->entries.capacity) return true;
    return sp__ldi_list_grow(w, tiles);
}

static inline void sp__ldi_list_tile(sp_ldi_lister *w, int axis, int column, int row, uint64_t code) {
    const uint32_t tile = (uint32_t)(w->list->tile_first[axis] + row * w->list->columns[axis] + column);
    ((uint64_t *)w->chunk->entries.data)[w->chunk->entry_count++] = (uint64_t)tile << 32 | code;
    w->counts[tile]++;
}

// ---------------------------------------------------------------------------------------------------- a tile

// A layer is a number that sorts by depth: the depth above depth_low as a float in the upper half (bits of floats that are not
// negative sort as integers), then whether the ray leaves, then the entry of the tile. It only orders the layers of a ray;
// sp__ldi_ends computes what is summed.
typedef uint64_t sp_ldi_layer;

static inline bool sp__ldi_leaves(sp_ldi_layer a) {
    return a >> 31 & 1;
}

static inline uint32_t sp__ldi_entry(sp_ldi_layer a) {
    return (uint32_t)a & 0x7fffffffu;
}

enum { SP_LDI_SAMPLES = SP_LDI_TILE_MOST * SP_LDI_TILE_MOST, SP_LDI_LANES = 4 };

// Scratch of a worker, and the layers of the tile that it works on: those of sample i = row * edge + column of the tile are
// layers[i * stride] .. + count[i] - 1, sorted.
typedef struct sp_ldi_tile {
    int axis, x, y;  // first sample
    int edge;
    int entry_count;
    const sp_ldi_setup **setups;  // of its entries, in the order of their depths
    uint32_t *codes;              // of its entries: those of the setups
    sp_ldi_layer *layers;
    int stride;
    int count[SP_LDI_SAMPLES];
    sp_ldi_layer *next[SP_LDI_SAMPLES + SP_LDI_LANES];  // behind the last layer of each sample
    sp_ldi_array setup_array, code_array, layer_array;
} sp_ldi_tile;

// Memory for any tile; called before a batch. False: refused.
bool sp__ldi_tile_reserve(sp_ldi *l, sp_ldi_tile *t, int stride);
void sp__ldi_tile_release(sp_ldi *l, sp_ldi_tile *t);
// False: memory was refused.
bool sp__ldi_raster(sp_ldi *l, int tile, sp_ldi_tile *out);

// Depth [m] and barycentric coordinates of b and c at the sample (x, y) of the image.
static inline double sp__ldi_ends(const sp_ldi_setup *t, int bits, int x, int y, double w[2]) {
    const double unit = (double)(1 << bits), px = (x + 0.5) * unit - t->x[0], py = (y + 0.5) * unit - t->y[0];
    const double bx = (double)t->x[1] - t->x[0], by = (double)t->y[1] - t->y[0];
    const double cx = (double)t->x[2] - t->x[0], cy = (double)t->y[2] - t->y[0], per_area = 1 / (bx * cy - by * cx);
    const double ca = px * cy - py * cx, ab = bx * py - by * px;
    w[0] = ca * per_area, w[1] = ab * per_area;
    return t->z + ca * t->to_b + ab * t->to_c;
}

#endif
