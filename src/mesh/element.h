// Isoparametric elements: x(natural) = sum of w_a(natural) x_a over the nodes (Hughes 2000, The Finite Element Method, ch. 3).
// sp_element_natural says which natural coordinates the nodes have. Lines (elements of rods) have weights, but neither
// integration points nor gradients.
#ifndef SP_ELEMENT_H
#define SP_ELEMENT_H

#include "core/core.h"
#include "souple/mesh.h"

enum { SP_ELEMENT_POINTS_MAX = 8, SP_ELEMENT_PAIRS_MAX = 55, SP_ELEMENT_CELLS_MAX = 8, SP_ELEMENT_TRIANGLES_MAX = 16 };

// Integration points: 1, 4 and 8, exact for polynomials of degree 1, 2, and 3 in each coordinate; of a triangle its centre.
int sp__element_points(sp_element_type type);
// The weights of a type sum to the volume of its natural coordinates, 1/6 and 1: the volume of an integration point is weight
// times det(dx/dnatural) there. Of a triangle 1/2, twice its area and its area.
void sp__element_point(sp_element_type type, int point, double natural[3], double *weight);

// The eight points of a quadratic tetrahedron that include its vertices; the others are in the middle of the faces. Exact for
// polynomials of degree 3, all weights positive (Keast 1986, doi:10.1016/0045-7825(86)90059-9).
enum { SP_ELEMENT_VERTEX_POINTS = 8 };
void sp__element_vertex_point(int point, double natural[3], double *weight);

// Natural coordinates of the centre, where all corners have the same weight.
void sp__element_centre(sp_element_type type, double natural[3]);

// Shape functions (nodes numbers), and their derivatives by the natural coordinates (nodes x 3).
void sp__element_weights(sp_element_type type, const double natural[3], double *w);
void sp__element_slopes(sp_element_type type, const double natural[3], double *dw);

// x: nodes x 3. Gradients of the shape functions g (nodes x 3) [1/m]; returns det(dx/dnatural), and where that is 0 the gradients
// are unspecified.
double sp__element_gradients(sp_element_type type, const double *x, const double natural[3], double *g);
// det(dx/dnatural) alone.
double sp__element_det(sp_element_type type, const double *x, const double natural[3]);

// The natural coordinates of a point in space, inside the element or near it, by Newton's method from the centre; false: it does
// not converge. Not of triangles.
bool sp__element_locate(sp_element_type type, const double *x, const double point[3], double natural[3]);
// The smallest of the weights of corners (tetrahedra) or distances to the faces (hexahedra) in natural coordinates: negative
// outside.
double sp__element_inside(sp_element_type type, const double natural[3]);

// Integrals of the products of two shape functions [m3], for the pairs of nodes (0,0) .. (n-1,n-1), (0,1) (0,2) .. (n-2,n-1);
// x: nodes x 3. Exact up to rounding, on distorted and curved elements too.
void sp__element_products(sp_element_type type, const double *x, double *products);

// Number of corners, which are the first nodes.
int sp__element_corners(sp_element_type type);
// Triangles of the faces, outward: 0, 4, 16 or 12; of a triangle itself. A quadrilateral is cut at its lowest node, so that two
// neighbours cut their common face alike. A triangle with mid-edge nodes has one triangle per corner, which lists the corner
// first, and the middle one.
int sp__element_triangle_count(sp_element_type type);
void sp__element_triangles(sp_element_type type, const int *nodes, int (*out)[3]);
// Cells of an element by node numbers (mesh_cells.c), positively oriented, of a triangle flat; returns their number.
int sp__element_cells(sp_element_type type, const int *nodes, int out[SP_ELEMENT_CELLS_MAX][4]);
// Renumbers the nodes of an inverted element: its mirror image in natural coordinates.
void sp__element_turn(sp_element_type type, int *nodes);
// A determinant below this is rounding error: relative to the longest distance of two nodes, and to the rounding of positions far
// from the origin. x: nodes x 3.
double sp__element_flat_below(sp_element_type type, const double *x);

#endif
