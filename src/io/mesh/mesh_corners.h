// Texture coordinates and normals per corner, for formats that store them per vertex.
#ifndef SP_MESH_CORNERS_H
#define SP_MESH_CORNERS_H

#include "io/mesh/cells.h"

// One tuple of `width` numbers per node: the values themselves if they are per node, else those of the corners if all corners of
// a node agree and every node has a corner. *out = NULL: not possible. The memory belongs to `keep`; false: no memory.
bool sp__corners_per_node(const sp_cells *cells, const double *values, const int *corners, int width, sp_keep *keep,
                          const double **out);

#endif
