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
    SP_LDI_CHUNK_TRIANGLES = 1 << 22,
    SP_LDI_CHUNKS_MOST = 4096
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

// A triangle seen along one axis, 64 bytes. Vertices a, b, c are ordered so that the area is positive: front triangles, through
// which rays enter, have b and c swapped.
typedef struct sp_ldi_setup {
    int32_t x[3], y[3];    // on the grid
    double z, to_b, to_c;  // depth = z + E_ca to_b + E_ab to_c [m]
    double per_area;       // barycentric coordinates of b and c: E_ca per_area, E_ab per_area
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

typedef struct sp_ldi {
    sp_ldi_memory *memory;
    sp_context *ctx;
    // set by the caller. Sample (i, j, k) has its centre at origin + pixel (base + i + 1/2, ...)
    double pixel, origin[3];
    int bits, tile_shift;
    int64_t base[3];
    int size[3];  // samples along x, y, z; the image along `axis` has size[axis + 1] x size[axis + 2] (mod 3)
    double depth_low[3], depth_high[3];
    sp_ldi_surface *surfaces;
    int surface_count;
    // set by sp__ldi_list and sp__ldi_sort
    int columns[3], rows[3];
    int tile_first[4];  // of each axis
    int tile_count;
    int chunk_count;
    size_t entry_count, setup_count;
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

// ---------------------------------------------------------------------------------------------------- a tile

typedef struct sp_ldi_layer {
    double z;        // [m]
    uint32_t entry;  // of the tile
    uint32_t code;   // that of the setup
} sp_ldi_layer;

// Scratch of a worker, and the layers of the tile that it works on: those of sample i = row * edge + column of the tile are
// layers[i * stride] .. + count[i] - 1, sorted by depth; at equal depth rays enter before they leave.
typedef struct sp_ldi_tile {
    int axis, x, y;  // first sample
    int edge;
    int entry_count;
    const sp_ldi_setup **setups;  // of its entries, in the order of their depths
    sp_ldi_layer *layers;
    int stride;
    uint32_t count[SP_LDI_TILE_MOST * SP_LDI_TILE_MOST];
    sp_ldi_array setup_array, layer_array;
} sp_ldi_tile;

// Memory for any tile; called before a batch. False: refused.
bool sp__ldi_tile_reserve(sp_ldi *l, sp_ldi_tile *t, int stride);
void sp__ldi_tile_release(sp_ldi *l, sp_ldi_tile *t);
// False: memory was refused.
bool sp__ldi_raster(sp_ldi *l, int tile, sp_ldi_tile *out);

// Edge functions of a triangle at a sample, and their increments. Inside: all are >= 0.
typedef struct sp_ldi_edges {
    double at[3];  // of the edges ab, bc, ca; minus one where a zero is outside
    double right[3], down[3];
    double less[3];
} sp_ldi_edges;

static inline void sp__ldi_edge(sp_ldi_edges *e, int k, double dx, double dy, double px, double py, double unit) {
    e->less[k] = dy < 0 || (dy == 0 && dx > 0) ? 0 : 1;
    e->at[k] = dx * py - dy * px - e->less[k];
    e->right[k] = -dy * unit, e->down[k] = dx * unit;
}

// at the sample (x, y) of the image
static inline void sp__ldi_edges_at(const sp_ldi_setup *t, int bits, int x, int y, sp_ldi_edges *e) {
    const double unit = (double)(1 << bits), px = (x + 0.5) * unit, py = (y + 0.5) * unit;
    const double ax = t->x[0], ay = t->y[0], bx = t->x[1], by = t->y[1], cx = t->x[2], cy = t->y[2];
    sp__ldi_edge(e, 0, bx - ax, by - ay, px - ax, py - ay, unit);
    sp__ldi_edge(e, 1, cx - bx, cy - by, px - bx, py - by, unit);
    sp__ldi_edge(e, 2, ax - cx, ay - cy, px - cx, py - cy, unit);
}

// Barycentric coordinates of b and c at a sample.
static inline void sp__ldi_weights(const sp_ldi_setup *t, int bits, int x, int y, double w[2]) {
    const double unit = (double)(1 << bits), px = (x + 0.5) * unit - t->x[0], py = (y + 0.5) * unit - t->y[0];
    const double bx = (double)t->x[1] - t->x[0], by = (double)t->y[1] - t->y[0];
    const double cx = (double)t->x[2] - t->x[0], cy = (double)t->y[2] - t->y[0];
    w[0] = (px * cy - py * cx) * t->per_area, w[1] = (bx * py - by * px) * t->per_area;
}

// first and last sample whose centre is within [low, high] on the grid
static inline int32_t sp__ldi_first(int32_t low, int bits) {
    return (low + (1 << (bits - 1)) - 1) >> bits;
}

static inline int32_t sp__ldi_last(int32_t high, int bits) {
    return (high - (1 << (bits - 1))) >> bits;
}

#endif
