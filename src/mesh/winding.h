// Generalised winding numbers of a triangle surface (Jacobson, Kavan, Sorkine-Hornung 2013): how often the surface goes round a
// point, 1 inside and 0 outside of a closed one, in between near holes. Far parts of the tree are summed up as dipoles (Barill et
// al. 2018). Once made it is only read: any number of threads may ask.
#ifndef SP_WINDING_H
#define SP_WINDING_H

#include "mesh/tree.h"

typedef struct sp_winding_node {
    double centre[3], reach;  // of the triangles by area, and the farthest corner from there
    double normal[3];         // sum of area times normal
    double first[9];          // sum of area times (centroid - centre) times normal, [3 i + j]: offset i, normal j
} sp_winding_node;

typedef struct sp_winding {
    const sp_tree *tree;     // of triangles, borrowed
    sp_winding_node *nodes;  // as in the tree
} sp_winding;

sp_status sp__winding_create(const sp_tree *tree, sp_winding *out);
void sp__winding_free(sp_winding *w);
double sp__winding_at(const sp_winding *w, const double point[3]);

#endif
