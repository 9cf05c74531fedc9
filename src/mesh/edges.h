// The edges of triangles: finds the sides that belong to the same edge. Works on any corner numbers (vertices, texture
// coordinates).
#ifndef SP_EDGES_H
#define SP_EDGES_H

#include "core/core.h"

// Side s = 3 f + k of triangle f runs from its corner k to corner (k + 1) % 3.
typedef struct sp_edges {
    int count;
    int *ends;   // (count x 2), smaller end first; edges are sorted by their ends
    int *of;     // per side: its edge; -1 where a corner has a negative number
    int *first;  // (count + 1): start of the sides of an edge in `sides`
    int *sides;  // sides grouped by edge, ascending within each edge
} sp_edges;

// corners: (faces x 3), each below `nodes`. Release with sp__edges_free after success and after failure.
sp_status sp__edges_find(sp_context *ctx, const int *corners, int faces, int nodes, sp_edges *out);
void sp__edges_free(sp_context *ctx, sp_edges *edges);

static inline int sp__side_from(const int *corners, int side) {
    return corners[side];
}

static inline int sp__side_to(const int *corners, int side) {
    return corners[side % 3 == 2 ? side - 2 : side + 1];
}

#endif
