// The two parts of subdivision: vertex positions, and topology with attributes.
#ifndef SP_SUBDIVIDE_H
#define SP_SUBDIVIDE_H

#include "mesh/edges.h"
#include "mesh/trimesh.h"

// sharp[side] = 1 on edges that are open, shared by more than two triangles, or with a normal angle above `degrees`.
void sp__subdivide_find_creases(const sp_trimesh_def *d, const sp_edges *e, double degrees, unsigned char *sharp);
// Positions of old vertices and edge vertices (vertex_count + edge count) by Loop's rule.
sp_status sp__subdivide_smooth(sp_context *ctx, const sp_trimesh_def *d, const sp_edges *e, const unsigned char *sharp,
                               double *x);

#endif
