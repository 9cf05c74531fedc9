// Generalised winding numbers of a triangle surface (Jacobson, Kavan, Sorkine-Hornung 2013): how often the surface surrounds a
// point; 1 inside and 0 outside of a closed surface, fractional near holes. Far parts of the tree are approximated by dipoles
// (Barill et al. 2018). Read-only after creation and thread-safe.
#ifndef SP_WINDING_H
#define SP_WINDING_H

#include "mesh/tree.h"

typedef struct sp_winding_node {
    double centre[3], reach;  // area-weighted centre of the triangles, and distance of the farthest vertex
    double normal[3];         // sum of area times normal
    double first[9];          // sum of area times (centroid - centre) times normal, [3 i + j]: offset i, normal j
} sp_winding_node;

typedef struct sp_winding {
    const sp_tree *tree;     // of triangles, borrowed
    sp_winding_node *nodes;  // parallel to the nodes of the tree
} sp_winding;

sp_status sp__winding_create(const sp_tree *tree, sp_winding *out);
void sp__winding_free(sp_winding *w);
double sp__winding_at(const sp_winding *w, const double point[3]);

#endif
