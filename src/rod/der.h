// Discrete elastic rods (Bergou et al. 2008, 2010): a polyline with one angle per edge, which rotates the material frame relative
// to a reference frame. The reference frame is parallel transported in time.
//
// Unknowns: x_0, theta_0, x_1, theta_1, ..., x_p; 4 p + 3 in all. This order gives a bandwidth of ten.
//     E = sum over edges of EA/2 (|e|/|e~| - 1)^2 |e~|
//       + sum over nodes of (B1 (K1 - K1~)^2 + B2 (K2 - K2~)^2 + GJ (m - m~)^2) / (2 l~)
// K1, K2 are the integrated curvatures and m is the integrated twist at a node; l~ is half the rest length of its two edges.
// Relation to curvature coordinates (strand.h): K1 / l = k2, K2 / l = -k1, m / l = k0; B1 = E I2, B2 = E I1. Where sections
// differ, the two halves of a node's cell are springs in series: 1/B is the mean of both, weighted by length.
//
// The coordinates are the unknowns, followed by the transported quantities, so that every state has its own:
//     directors (3 p), the first axes of the reference frames; reference twists (p) between an edge and the edge (or clamp)
//     before it, followed continuously; the frame of the clamp (9), columns t, n1, n2.
//
// Rest state: the natural curve has curvatures that are affine between the nodes. The polyline inscribed in it has no strain if
// its frames are those of the curve at the middle of each element, rotated onto the chords. Rest lengths are chords, and rest
// strains are those of this polyline (2 tan of half the angle, not the angle). Masses and l~ use arc lengths.
//
// Clamping a root by its first edge gives static errors of first order in the edge length. A node with half a cell between the
// clamp's own frame and the first edge gives second order (`clamped` below).
#ifndef SP_DER_H
#define SP_DER_H

#include "core/core.h"
#include "rod/curve.h"

// One node: the strains between the two edges that meet there, and their derivatives (Bergou et al. 2010; Panetta et al. 2019 for
// the second derivatives). Derivatives are with respect to the edge before, e (3), the edge after, f (3), and their angles (2).
enum { SP_DER_E = 0, SP_DER_F = 3, SP_DER_ANGLE_E = 6, SP_DER_ANGLE_F = 7, SP_DER_LOCAL = 8 };

typedef struct sp_der_node {
    double te[3], m1e[3], m2e[3], e;  // tangent, material axes and length of the edge before
    double tf[3], m1f[3], m2f[3], f;
    double chi, kb[3], tt[3], d1[3], d2[3];
    double strain[3];  // K1, K2, twist
} sp_der_node;

enum { SP_DER_BAND = 10 };  // entries (i, j) of the matrix are zero where |i - j| > SP_DER_BAND

typedef struct sp_der_edge {
    double length;          // arc length [m]
    double stretch;         // E A [N]
    double bend[2], twist;  // E I1, E I2, mu J [N m2]
} sp_der_edge;

typedef struct sp_der {
    sp_context *ctx;
    int edges;
    int clamp;  // the edge after the clamp, 0 unless the rod is fed: its first node has half a cell. Read by sp__der_rest
    // rest state, set by sp__der_rest
    double *chord, *stretch;  // edges
    double *natural;          // edges x 3: K1, K2, m at the node before the edge
    double *stiffness;        // edges x 3: B1, B2, GJ over l~
    double root[9];           // frame of the clamp relative to the frame of the first edge
    // at a state, set by sp__der_update_kinematics
    sp_der_node *node;  // edges: the node before the edge, with the edge's own frame; the first one belongs to the clamp
} sp_der;

sp_status sp__der_init(sp_context *ctx, int edges, sp_der *d);
void sp__der_free(sp_der *d);

// offsets and counts of coordinates
static inline int sp__der_unknowns(int edges) {
    return 4 * edges + 3;
}
static inline int sp__der_coordinates(int edges) {
    return 8 * edges + 12;
}
static inline int sp__der_place(int node) {
    return 4 * node;
}
static inline int sp__der_angle(int edge) {
    return 4 * edge + 3;
}
static inline int sp__der_director(int edges, int edge) {
    return 4 * edges + 3 + 3 * edge;
}
static inline int sp__der_reference_twist(int edges, int edge) {
    return 7 * edges + 3 + edge;
}
static inline int sp__der_clamp(int edges) {
    return 8 * edges + 3;
}

// curvature: natural curvature at the nodes 0 .. edges, x 3: twist, k1, k2 [rad/m]
void sp__der_rest(sp_der *d, const sp_der_edge *edge, const double *curvature);
// Coordinates of the polyline along the curve with this root and these curvatures, with edges of rest length. It is inscribed in
// the curve if the curvatures are the natural ones. Angles are 0: reference frames equal material frames.
void sp__der_bend(const sp_der *d, const sp_der_edge *edge, const sp_curve_frame *root, const double *curvature, double *q);

// Adds s v to the unknowns of `from` and transports the frames; the clamp's frame stays. to may be from.
void sp__der_move(int edges, const double *from, double s, const double *v, double *to);
// Replaces the clamp's frame and updates its reference twist.
void sp__der_rotate_clamp(int edges, const double clamp[9], double *q);

// Computes lengths, frames and strains at q; false: they are not finite.
bool sp__der_update_kinematics(sp_der *d, const double *q);
// Returns the energy at the current kinematics. gradient += (nullable); hessian += as a lower band: entry (i, j), i - 10 <= j <=
// i, at 11 i + j - i + 10 (nullable). clamped: with the half cell at the root. whole = false: the hessian without the geometric
// terms of bending, twist and compression, which is positive semi-definite.
double sp__der_energy(const sp_der *d, bool clamped, bool whole, double *gradient, double *hessian);
// The same band for bending and twist alone, positive semi-definite.
void sp__der_bending(const sp_der *d, bool clamped, double *hessian);
// Energy of one edge, with half of the energies of its nodes.
double sp__der_edge_energy(const sp_der *d, bool clamped, int edge);
// Material frame of an edge at the current kinematics, columns t, n1, n2.
void sp__der_material(const sp_der *d, int edge, double R[9]);

// Unit vector from one point to another; returns their distance.
double sp__der_tangent(const double from[3], const double to[3], double t[3]);
// Angle from the frame (ta, a), transported to tb, to the frame (tb, b): of its multiples of 2 pi the value nearest to `near`.
double sp__der_twist(const double ta[3], const double a[3], const double tb[3], const double b[3], double near);
// Material frame of an edge at any coordinates.
void sp__der_edge_frame(int edges, const double *q, int edge, double R[9]);

#endif
