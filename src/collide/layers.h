// Layered depth images (Shade et al. 1998; Allard et al. 2010): for every sample of a canvas, all triangles that its ray crosses,
// from the nearest to the farthest. Geometry only: points, triangles, an eye. Pictures take transparency from it, collision the
// intervals that bodies fill along a ray.
//
// Corners are put on a grid of 1/SP_LAYER_GRID samples and everything that decides about coverage is whole numbers, so that of
// two triangles with a common edge exactly one covers a sample on it: a closed, consistently turned surface has as many front as
// back layers at every sample, whatever its shape. Depths are double.
//
// The canvas is cut into tiles. Each is filled on its own by one worker and handed over; nothing of the whole canvas is kept, no
// layer is lost, and what a tile gets does not depend on the number of workers.
#ifndef SP_LAYERS_H
#define SP_LAYERS_H

#include "core/core.h"

enum {
    SP_LAYER_TILE = 48,         // edge of a tile in samples
    SP_LAYER_GRID = 4096,       // places per sample that a corner may take
    SP_LAYER_SIDE_MOST = 65536  // samples along an edge of the canvas
};

// Lengths on the canvas are in samples, y downwards.
typedef struct sp_eye {
    double at[3];
    double right[3], up[3], forward[3];  // unit, orthogonal
    bool parallel;
    double focal;    // samples per unit of tangent; parallel: samples per metre
    double cx, cy;   // where `forward` meets the canvas
    double nearest;  // what is closer is not seen [m]; parallel: not used, nothing is cut away in depth
} sp_eye;

typedef struct sp_layer {
    double depth;  // along `forward` [m]
    uint32_t face;
    uint32_t back;  // 1: the ray leaves here, the corners turn clockwise as seen; 0: it enters
} sp_layer;

// Samples x..x+width-1, y..y+height-1. Those of a sample are layers[start[i]] .. layers[start[i + 1] - 1] with
// i = row * width + column of the tile, by depth and then by number.
typedef struct sp_layer_tile {
    int x, y, width, height;
    const uint32_t *start;  // width x height + 1
    const sp_layer *layers;
} sp_layer_tile;

// What a triangle does to those behind it.
enum { SP_LAYER_THROUGH, SP_LAYER_HIDES, SP_LAYER_ABSENT };

typedef struct sp_layers_def {
    const sp_eye *eye;
    int width, height;  // samples
    int vertex_count;
    const double *x;  // vertex_count x 3
    int face_count;
    const uint32_t *faces;      // face_count x 3; front where they turn counter-clockwise as seen
    const unsigned char *kind;  // per face; NULL: all let others through. Behind the nearest that hides, nothing is kept
    // called once for every tile, empty ones too, by any worker
    void (*tile)(void *user, const sp_layer_tile *tile, int worker);
    void *user;
} sp_layers_def;

// SP_BAD_INPUT: a canvas out of range or a corner that does not exist; SP_NO_MEMORY: tiles before the failure were handed over.
sp_status sp__layers(sp_context *ctx, const sp_layers_def *def);

// sx, sy in samples and depth along `forward`. False: not in front of `nearest`.
bool sp__eye_project(const sp_eye *eye, const double x[3], double out[3]);

#endif
