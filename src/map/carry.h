// Data of an embedded surface besides its anchors: the faces of each vertex (for vertex normals), and the transpose of the
// barycentric map by node (for forces). Both are gathers: every number is written by one task as a sum in a fixed order, so that
// results do not depend on the number of workers.
#ifndef SP_CARRY_H
#define SP_CARRY_H

#include "core/core.h"
#include "souple/world.h"

typedef struct sp_vertex_faces {  // faces of each vertex, ascending
    int *start, *face;
} sp_vertex_faces;

// sides: corners of a face, 3 for triangles, 2 for segments
sp_status sp__vertex_faces_create(sp_context *ctx, int vertices, int faces, int sides, const uint32_t *corners,
                                  sp_vertex_faces *out);
void sp__vertex_faces_free(sp_context *ctx, sp_vertex_faces *ring);

// Unit vertex normals: the sum of the area vectors of the faces of a vertex; zero for a vertex without faces. face_normals:
// scratch (faces x 3). One of the outputs is written.
void sp__normals(sp_context *ctx, int vertices, int faces, const uint32_t *corners, const sp_vertex_faces *ring, const double *x,
                 double *face_normals, double *normals, float *float_normals);

typedef struct sp_transpose {  // of a map from nodes to points: the points that depend on each node, with their weights
    int nodes, *start, *point;
    double *weight;
    double *weight_sum;  // per node: the sum of |weight|
} sp_transpose;

// corners: elements x 4 nodes. Weights of an anchor: `at` for nodes 1 to 3, the remainder for node 0.
sp_status sp__transpose_create(sp_context *ctx, int points, const sp_anchor *anchors, int nodes, const int *corners,
                               sp_transpose *out);
void sp__transpose_free(sp_context *ctx, sp_transpose *t);
void sp__transpose_apply(sp_context *ctx, const sp_transpose *t, const double *f, double *g);  // g += J^T f (nodes x 3)

// The share of a node's own stiffness that a point may have, so that all points together are not stiffer than the nodes: with k_i
// = share_i min_a m_a, the eigenvalues of M^-1 J^T K J are at most 1 for any points (see carry.c).
void sp__transpose_shares(const sp_transpose *t, int points, const sp_anchor *anchors, const int *corners, double *share);

static inline void sp__anchor_weights(const sp_anchor *a, double w[4]) {
    w[1] = a->at[0], w[2] = a->at[1], w[3] = a->at[2];
    w[0] = 1 - w[1] - w[2] - w[3];
}

#endif
