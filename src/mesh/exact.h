// Exact signs of determinants: a floating-point filter with an error bound decides most cases, exact arithmetic decides the rest.
// Products of three coordinates must not overflow or underflow: coordinates are zero or have a magnitude from 1e-90 to 1e90.
#ifndef SP_EXACT_H
#define SP_EXACT_H

// Sign of det(b - a, c - a, d - a): 1 if d lies on the side of the normal of a, b, c, like the fourth node of a positive
// tetrahedron; 0 only if the four points are exactly coplanar.
int sp__orient3(const double *a, const double *b, const double *c, const double *d);
// Sign of the area of a, b, c projected to the coordinates u and v: 1 is counter-clockwise.
int sp__orient2(const double *a, const double *b, const double *c, int u, int v);

#endif
