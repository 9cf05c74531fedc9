// Corotational beam elements: two nodes, each a place and an orientation, six unknowns a node (velocity and angular velocity in
// world axes). Large motion of slender pieces whose own bending is small: what is left after the element's frame has followed the
// chord and the mean orientation of its ends goes through the linear Euler-Bernoulli beam (Crisfield 1990).
//
// Forces are the exact gradient of the energy, so an element in any shape is in balance with itself. The theory inside is linear:
// with ends that turn by a against the chord, bending is wrong by a2.
#ifndef SP_BEAM_H
#define SP_BEAM_H

#include <stdbool.h>

typedef struct sp_beam_node {
    double x[3], quat[4];  // own x axis along the tangent, y along n1, z along n2
} sp_beam_node;

typedef struct sp_beam_element {
    double length;          // at rest [m]
    double stretch, twist;  // E A [N], mu J [N m2]
    double bend[2];         // E I1, E I2 [N m2]: about n1, about n2
    double natural[2][3];   // rotation vectors of its ends at rest, in its frame
} sp_beam_element;

// Rest length and natural rotations from two nodes at rest.
void sp__beam_rest(sp_beam_element *e, const sp_beam_node *a, const sp_beam_node *b);

// Energy; f += force and torque on a and on b (12; nullable); K += B^T D B, the derivative
// without what stress itself adds: 12 x 12, symmetric, positive semi-definite (nullable).
double sp__beam_energy(const sp_beam_element *e, const sp_beam_node *a, const sp_beam_node *b, double *f, double *K);

// What is left of the curvature (twist, k1, k2) at both ends, in their own frames, when the natural one is taken off: the twist
// is constant along the element, bending affine.
void sp__beam_bend(const sp_beam_element *e, const sp_beam_node *a, const sp_beam_node *b, double out[2][3]);

// K += what stress itself adds to the derivative of the forces: its symmetric part, any sign (whole), or of a stretched chord
// alone, positive semi-definite: what keeps it from swinging faster than a step can follow.
void sp__beam_stress(const sp_beam_element *e, const sp_beam_node *a, const sp_beam_node *b, bool whole, double *K);

// x += s v, and the orientation turned by s w; out may be n.
void sp__beam_move(const sp_beam_node *n, double s, const double v[6], sp_beam_node *out);

// The place at u in [0, 1] of the element: a cubic through its ends and along their tangents; its derivatives along the twelve
// velocities, 3 x 12 (nullable).
void sp__beam_point(const sp_beam_element *e, const sp_beam_node *a, const sp_beam_node *b, double u, double x[3], double *J);
// K += what a force on that place adds to it, because tangents that turn are no linear functions: 12 x 12, any sign.
void sp__beam_point_stress(const sp_beam_element *e, const sp_beam_node *a, const sp_beam_node *b, double u, const double f[3],
                           double *K);

// The orientation at u, u of the turn from that of a to that of b, columns t, n1, n2; its angular velocity along the twelve
// velocities, 3 x 12 (nullable).
void sp__beam_frame(const sp_beam_node *a, const sp_beam_node *b, double u, double R[9], double *J);

#endif
