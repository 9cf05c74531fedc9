// Layered depth images (Shade et al. 1998; Allard et al. 2010): for every sample of a canvas, all triangles that its ray crosses,
// from the nearest to the farthest. Geometry only: points, triangles, a camera. Pictures use them for transparency, collision for
// the intervals that bodies occupy along a ray.
//
// Vertices are rounded to a grid of 1/SP_LAYER_GRID samples, and coverage is decided in integer arithmetic. Of two triangles with
// a common edge exactly one covers a sample on the edge, so a closed, consistently oriented surface has as many front as back
// layers at every sample, for any shape. Depths are double.
//
// The canvas is divided into tiles. One worker fills a tile and passes it to the callback; no data of the whole canvas is stored,
// no layer is lost, and the content of a tile does not depend on the number of workers.
#ifndef SP_LAYERS_H
#define SP_LAYERS_H

#include "io/base.h"

enum {
    SP_LAYER_TILE = 48,         // edge of a tile in samples
    SP_LAYER_GRID = 4096,       // grid positions per sample
    SP_LAYER_SIDE_MOST = 65536  // maximum number of samples along an edge of the canvas
};

// Lengths on the canvas are in samples, y downwards.
typedef struct sp_eye {
    double at[3];
    double right[3], up[3], forward[3];  // orthonormal
    bool parallel;
    double focal;    // samples per unit of tangent; parallel: samples per metre
    double cx, cy;   // intersection of `forward` with the canvas
    double nearest;  // points closer than this are clipped [m]; parallel: unused, depth is not clipped
} sp_eye;

typedef struct sp_layer {
    double depth;  // along `forward` [m]
    uint32_t face;
    uint32_t back;  // 1: the ray leaves here, the vertices are clockwise as seen; 0: it enters
} sp_layer;

// Samples x..x+width-1, y..y+height-1. The layers of a sample are layers[start[i]] .. layers[start[i + 1] - 1] with i = row *
// width + column of the tile, sorted by depth and then by number.
typedef struct sp_layer_tile {
    int x, y, width, height;
    const uint32_t *start;  // width x height + 1
    const sp_layer *layers;
} sp_layer_tile;

// Effect of a triangle on the triangles behind it.
enum { SP_LAYER_THROUGH, SP_LAYER_HIDES, SP_LAYER_ABSENT };

typedef struct sp_layers_def {
    const sp_eye *eye;
    int width, height;  // samples
    int vertex_count;
    const double *x;  // vertex_count x 3
    int face_count;
    const uint32_t *faces;      // face_count x 3; front faces are counter-clockwise as seen
    const unsigned char *kind;  // per face; NULL: all transparent. Nothing is kept behind the nearest opaque face
    // called once for every tile, including empty ones, by any worker
    void (*tile)(void *user, const sp_layer_tile *tile, int worker);
    void *user;
} sp_layers_def;

// SP_BAD_INPUT: a canvas out of range or an invalid vertex number; SP_NO_MEMORY: tiles before the failure were delivered.
sp_status sp__layers(sp_context *ctx, const sp_layers_def *def);

// Projects to sx, sy in samples and depth along `forward`. False: not in front of `nearest`.
bool sp__eye_project(const sp_eye *eye, const double x[3], double out[3]);

#endif
