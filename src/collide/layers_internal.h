// Internals of layers.h: vertices on the canvas and clipping (layers_setup.c), rows of tiles (layers.c), one tile
// (layers_tile.c).
#ifndef SP_LAYERS_INTERNAL_H
#define SP_LAYERS_INTERNAL_H

#include "collide/layers.h"

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

sp_status sp__layer_corners(sp_context *ctx, const sp_layers_def *def, sp_layer_set *out);
sp_status sp__layer_pieces(sp_context *ctx, sp_layer_set *set);
void sp__layer_set_free(sp_context *ctx, sp_layer_set *set);
void sp__eye_place(const sp_eye *eye, const double x[3], double out[3]);  // camera coordinates: right, up, forward
void sp__layer_corner(const sp_eye *eye, const double place[3], sp_corner *out);

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

// ---- a tile (layers_tile.c)

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

// Rasterises the triangles `list` of a set into the tile whose first sample is at x, y, and delivers it. SP_NO_MEMORY: too many
// layers.
sp_status sp__layer_fill(sp_context *ctx, const sp_layer_set *set, sp_layer_bench *bench, const int *list, int count, int x,
                         int y, int worker);

#endif
