// Signed distance to the rigid shapes, and their triangles for rendering. Geometry only.
#ifndef SP_SHAPE_H
#define SP_SHAPE_H

#include "core/core.h"
#include "souple/world.h"

// Distance of x (in the frame of the shape) to the surface, negative inside, and the outward unit normal there.
double sp__shape_distance(const sp_rigid_shape *shape, const double x[3], double normal[3]);
// The same with x and normal in the frame of the rigid body.
double sp__shape_distance_posed(const sp_rigid_shape *shape, const double x[3], double normal[3]);
// Triangles of the shape in the frame of the body; a plane gives a square of edge `extent`. The caller frees the arrays with the
// context.
sp_status sp__shape_triangles(sp_context *ctx, const sp_rigid_shape *shape, double extent, int *nv, double **x, int *nf,
                              int **faces);

#endif
