// The edges of triangles: which sides are the same edge. Works on any numbers at the corners (vertices, texture coordinates).
#ifndef SP_EDGES_H
#define SP_EDGES_H

#include "core/core.h"

// Side s = 3 f + k of triangle f goes from its corner k to corner (k + 1) % 3.
typedef struct sp_edges {
    int count;
    int *ends;   // (count x 2), the smaller first; edges rise by their ends
    int *of;     // per side: its edge; -1 where a corner has none (a negative number)
    int *first;  // (count + 1): where the sides of an edge begin in `sides`
    int *sides;  // sides by edge, rising within each
} sp_edges;

// corners: (faces x 3), below `nodes`. On any outcome sp__edges_free releases it.
sp_status sp__edges_find(sp_context *ctx, const int *corners, int faces, int nodes, sp_edges *out);
void sp__edges_free(sp_context *ctx, sp_edges *edges);

static inline int sp__side_from(const int *corners, int side) {
    return corners[side];
}

static inline int sp__side_to(const int *corners, int side) {
    return corners[side % 3 == 2 ? side - 2 : side + 1];
}

#endif
