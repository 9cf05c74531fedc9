// Signs of determinants, right to the last bit: a filter with an error bound decides nearly always, exact arithmetic the rest.
// Coordinates may be anything whose products of three neither overflow nor vanish: zero, or of size 1e-90 to 1e90.
#ifndef SP_EXACT_H
#define SP_EXACT_H

// Sign of det(b - a, c - a, d - a): 1 where d lies on the side to which the normal of a, b, c points, as the fourth node of a
// positive tetrahedron does; 0 exactly where the four lie in a plane.
int sp__orient3(const double *a, const double *b, const double *c, const double *d);
// Sign of the area of a, b, c in the plane of the coordinates u and v: 1 counter-clockwise.
int sp__orient2(const double *a, const double *b, const double *c, int u, int v);

#endif
