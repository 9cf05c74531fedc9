// Corotational beam elements: two nodes, each a place and an orientation, six unknowns a node (velocity and angular velocity in
// world axes). Large motion of slender pieces whose own bending is small: what is left after the element's frame has followed the
// chord and the mean orientation of its ends goes through the linear Euler-Bernoulli beam (Crisfield 1990).
//
// Forces are the exact gradient of the energy, so an element in any shape is in balance with itself. The theory inside is linear:
// with ends that turn by a against the chord, bending is wrong by a2.
#ifndef SP_BEAM_H
#define SP_BEAM_H

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

// x += s v, and the orientation turned by s w; out may be n.
void sp__beam_move(const sp_beam_node *n, double s, const double v[6], sp_beam_node *out);

// The place at u in [0, 1] of the element: a cubic through its ends and along their tangents; its derivatives along the twelve
// velocities, 3 x 12 (nullable).
void sp__beam_point(const sp_beam_element *e, const sp_beam_node *a, const sp_beam_node *b, double u, double x[3], double *J);

#endif
