// Corotational beam elements. Two nodes, each with a position and an orientation; six unknowns per node (velocity and angular
// velocity in world axes). For large motion of slender pieces with small local deformation: the element's frame follows the chord
// and the mean orientation of its ends, and the remaining deformation uses the linear Euler-Bernoulli beam (Crisfield 1990).
//
// Forces are the exact gradient of the energy, so the forces of an element are in equilibrium in any shape. The local theory is
// linear: if the ends rotate by a relative to the chord, the relative error of bending is of order a^2.
#ifndef SP_BEAM_H
#define SP_BEAM_H

#include <stdbool.h>

typedef struct sp_beam_node {
    double x[3], quat[4];  // own x axis along the tangent, y along n1, z along n2
} sp_beam_node;

typedef struct sp_beam_element {
    double length;          // rest length [m]
    double stretch, twist;  // E A [N], mu J [N m2]
    double bend[2];         // E I1, E I2 [N m2]: about n1, about n2
    double natural[2][3];   // rotation vectors of its ends at rest, in the element's frame
} sp_beam_element;

// Sets rest length and natural rotations from two nodes at rest.
void sp__beam_rest(sp_beam_element *e, const sp_beam_node *a, const sp_beam_node *b);

// Returns the energy; f += force and torque on a and on b (12; nullable); K += B^T D B, the stiffness without the geometric part:
// 12 x 12, symmetric, positive semi-definite (nullable).
double sp__beam_energy(const sp_beam_element *e, const sp_beam_node *a, const sp_beam_node *b, double *f, double *K);

// Curvature (twist, k1, k2) minus natural curvature at both ends, in their own frames. Twist is constant along the element,
// bending is affine.
void sp__beam_bend(const sp_beam_element *e, const sp_beam_node *a, const sp_beam_node *b, double out[2][3]);

// K += geometric stiffness. whole: its symmetric part, possibly indefinite. Otherwise only the part of a chord in tension, which
// is positive semi-definite; without it, transverse vibration is faster than a step can resolve.
void sp__beam_stress(const sp_beam_element *e, const sp_beam_node *a, const sp_beam_node *b, bool whole, double *K);

// x += s v, and the orientation is rotated by s w; out may be n.
void sp__beam_move(const sp_beam_node *n, double s, const double v[6], sp_beam_node *out);

// Position at u in [0, 1] of the element: the cubic (Hermite) curve through its ends with their tangents; its Jacobian with
// respect to the twelve velocities, 3 x 12 (nullable).
void sp__beam_point(const sp_beam_element *e, const sp_beam_node *a, const sp_beam_node *b, double u, double x[3], double *J);
// K += geometric stiffness of a force at that position, since the tangents rotate: 12 x 12, possibly indefinite.
void sp__beam_point_stress(const sp_beam_element *e, const sp_beam_node *a, const sp_beam_node *b, double u, const double f[3],
                           double *K);

// Orientation at u: the rotation from a to b scaled by u, columns t, n1, n2; its angular velocity with respect to the twelve
// velocities, 3 x 12 (nullable).
void sp__beam_frame(const sp_beam_node *a, const sp_beam_node *b, double u, double R[9], double *J);

#endif
