// Signed distance fields of triangle surfaces: the distance and its gradient near the surface by interpolation on a grid, instead
// of a search through the triangles. Negative where the solid is, behind the faces. Geometry only, in the frame of the surface.
//
// Space is divided into blocks of 8 x 8 x 8 nodes. Blocks within SP_DISTANCE_BAND cells of the surface hold values at their
// nodes, the others only a lower bound of the distance and its sign. The values are coefficients of quadratic B-splines: value
// and gradient are continuous, so that contact normals are, too. The coefficients are the distances minus an eighth of their
// second differences, which reproduces quadratic functions (de Boor 1978, quasi-interpolation): on a smooth surface the value is
// in error by O(cell^3) and the gradient by O(cell^2), at edges and where the nearest point is not unique by O(cell) and O(1).
//
// The sign is that of the generalised winding number (Jacobson, Kavan, Sorkine-Hornung 2013; mesh/winding.h): the solid is where
// it exceeds one half. Small holes and gaps do not matter: a hole is closed by the surface on which the number is one half.
//
// Points in blocks without values get the exact distance from the tree of the triangles, which is slower.
//
// A field is read-only and thread-safe. All users of equal triangles with equal cells in a context share one.
#ifndef SP_COLLIDE_FIELD_H
#define SP_COLLIDE_FIELD_H

#include "core/core.h"
#include "souple/world.h"

typedef struct sp_distance_field sp_distance_field;

enum { SP_DISTANCE_BLOCK = 8, SP_DISTANCE_BAND = 4 };  // nodes along an edge of a block; cells
// Largest memory of a field in bytes. A larger one is refused before it is allocated.
#define SP_DISTANCE_LIMIT ((double)(1 << 30))

typedef struct sp_distance_field_def {
    int vertex_count;
    const double *x;  // vertex_count x 3 [m], finite
    int face_count;
    const uint32_t *faces;  // face_count x 3, outward, each below vertex_count
    double cell;            // > 0 [m]
} sp_distance_field_def;

// Builds the field, or shares one that the context has. SP_BAD_INPUT: the cell is larger than half of the surface, or the memory
// exceeds SP_DISTANCE_LIMIT; SP_NO_MEMORY. Release with sp__distance_field_release, which accepts NULL.
sp_status sp__distance_field_acquire(sp_context *ctx, const sp_distance_field_def *def, sp_distance_field **out);
void sp__distance_field_retain(sp_distance_field *f);
void sp__distance_field_release(sp_distance_field **field);
void sp__distance_field_info(const sp_distance_field *f, sp_distance_field_info *out);

// Signed distance of a point and its gradient, of length about 1. Nullable: gradient.
double sp__distance_field_at(const sp_distance_field *f, const double x[3], double gradient[3]);
// A point outside must move at least so far until the value is `level`; sign -1: of the field with its inside and outside
// exchanged. It is a bound, not an estimate, for the level 0 of closed triangles: their distance is 1-Lipschitz, which bounds the
// differences of the coefficients, and these the slope of the splines. Other levels are up to the jump of the value at the
// border of blocks without values. Negative or 0: the value is not above the level.
double sp__distance_field_bound(const sp_distance_field *f, const double x[3], double sign, double level);
// Bound of the error of values [m]: they differ from the distance to closed triangles by less.
double sp__distance_field_error(const sp_distance_field *f);
double sp__distance_field_cell(const sp_distance_field *f);  // [m]
// The exact signed distance, from the triangles.
double sp__distance_field_exact(const sp_distance_field *f, const double x[3], double gradient[3]);

#endif
