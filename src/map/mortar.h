// Mortar coupling of two triangle surfaces that lie on each other and whose triangles do not match (Bernardi, Maday and Patera
// 1994; Puso 2004 for three dimensions). Geometry only: arrays of points and triangles.
//
// The multipliers are the linear shape functions N_i of the vertices of the first surface. Row i of the coupling is
//
//     integral of N_i (x_1 - x_2) over the common area, divided by the integral of N_i
//
// x_1 is linear on the faces of the first surface, so that its part is a weighted mean of vertices. The part of the second
// surface is a weighted mean of one material point per face, at the given position. A constant traction of the common area is
// in the space of the multipliers and the integrals are exact, so that it passes without error from one surface to the other; so
// do linear fields. Tying the vertices of one surface to the faces of the other passes linear fields, but no constant traction.
//
// Faces of the second surface are projected onto the plane of each face of the first along its normal, and clipped by it. The
// products of shape functions are integrated by the three midpoints of the edges of the triangles of this polygon, which is exact
// for polynomials of degree 2.
#ifndef SP_MORTAR_H
#define SP_MORTAR_H

#include "core/core.h"

typedef struct sp_mortar_surface {
    const double *x;  // vertices x 3
    int vertex_count;
    const int *faces;  // face_count x 3, outward
    int face_count;
} sp_mortar_surface;

// Rows are numbered by the vertices of the first surface; a vertex without common area has no entries.
typedef struct sp_mortar {
    int row_count;
    double *area;               // of each row: the integral of N_i [m2]
    int *first_start, *vertex;  // entries of row i: [first_start[i], first_start[i + 1])
    double *first_weight;       // they sum to one in each row
    int *second_start, *face;
    double *second_weight;  // likewise
    double *point;          // x 3: position on the first surface of the material point of the face
    double total;           // common area [m2]
} sp_mortar;

// Faces are coupled where they look at each other (more than 120 degrees between their normals) from at most `within`.
sp_status sp__mortar_create(sp_context *ctx, const sp_mortar_surface *first, const sp_mortar_surface *second, double within,
                            sp_mortar **out);
void sp__mortar_destroy(sp_context *ctx, sp_mortar **m);  // accepts NULL

#endif
