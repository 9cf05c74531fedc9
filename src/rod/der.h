// Discrete elastic rods (Bergou et al. 2008, 2010): a polyline with an angle on each edge, that of the material frame against a
// reference frame which time carries along without twist.
//
// Unknowns, in the order that keeps everything that interacts within ten places: x_0, theta_0, x_1, theta_1, ..., x_p; 4 p + 3.
//     E = sum over edges of EA/2 (|e|/|e~| - 1)^2 |e~|
//       + sum over nodes of (B1 (K1 - K1~)^2 + B2 (K2 - K2~)^2 + GJ (m - m~)^2) / (2 l~)
// with K1, K2 the integrated curvatures and m the integrated twist at a node, and l~ half the length of its two edges at rest.
// Compared with curvature coordinates (strand.h): K1 / l = k2, K2 / l = -k1, m / l = k0; B1 = E I2, B2 = E I1. Where sections
// differ, the two halves of a node's cell give way one after the other: 1/B is the mean of both, weighted by their lengths.
//
// Coordinates are the unknowns, and behind them what time carries along, so that every state has its own:
//     directors (3 p), the first axes of the reference frames; reference twists (p), that between an edge and what stands before
//     it, followed continuously; the frame of the clamp (9), columns t, n1, n2.
//
// Rest. The natural curve is that of the curvatures, affine between the nodes. The polyline inscribed in it, with the frames of
// the curve in the middle of each element turned onto the chords, is free of strain: rest lengths are chords, rest strains those
// of this polyline (2 tan of half the angle, not the angle). Masses and l~ are of the arcs.
//
// A root that is clamped by its first edge makes static errors fall with the first power of the edge; a node of half a cell
// between the clamp's own frame and the first edge makes them fall with the second (`clamped` below).
#ifndef SP_DER_H
#define SP_DER_H

#include "core/core.h"
#include "rod/curve.h"

// One node of a discrete elastic rod: the strains between the two edges that meet there, and their derivatives along both edges
// and both angles (Bergou et al. 2010; Panetta et al. 2019 for the second ones).
// Derivatives are along e (3), the edge before, f (3), the one after, and their angles (2).
enum { SP_DER_E = 0, SP_DER_F = 3, SP_DER_ANGLE_E = 6, SP_DER_ANGLE_F = 7, SP_DER_LOCAL = 8 };

typedef struct sp_der_node {
    double te[3], m1e[3], m2e[3], e;  // tangent, material axes and length of the edge before
    double tf[3], m1f[3], m2f[3], f;
    double chi, kb[3], tt[3], d1[3], d2[3];
    double strain[3];  // K1, K2, twist
} sp_der_node;

// strains, from tangents and axes, and the twist as it was followed
void sp__der_node_strains(sp_der_node *n, double twist);
// Energy: half the sum of stiffness (strain - natural)^2. g and H += in the order above, nullable; H needs g. Not whole: H
// without what strains themselves add, which is positive semi-definite then.
double sp__der_node_energy(const sp_der_node *n, const double stiffness[3], const double natural[3], bool whole, double *g,
                           double *H);

enum { SP_DER_BAND = 10 };  // unknowns i and j meet only where |i - j| <= SP_DER_BAND

typedef struct sp_der_edge {
    double length;          // along the rod [m]
    double stretch;         // E A [N]
    double bend[2], twist;  // E I1, E I2, mu J [N m2]
} sp_der_edge;

typedef struct sp_der {
    sp_context *ctx;
    int edges;
    // at rest, written by sp__der_rest
    double *chord, *stretch;  // edges
    double *natural;          // edges x 3: K1, K2, m at the node before the edge
    double *stiffness;        // likewise: B1, B2, GJ over l~
    double root[9];           // frame of the clamp in that of the first edge
    // at a state, written by sp__der_settle
    sp_der_node *node;  // edges: the node before the edge, with the edge's own frame; the first is that of the clamp
} sp_der;

sp_status sp__der_init(sp_context *ctx, int edges, sp_der *d);
void sp__der_free(sp_der *d);

// numbers of coordinates
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

// curvature: natural, at the nodes 0 .. edges, x 3: twist, k1, k2 [rad/m]
void sp__der_rest(sp_der *d, const sp_der_edge *edge, const double *curvature);
// Coordinates of the polyline that leads along the curve with this root and these curvatures, its edges at their rest lengths:
// inscribed where the curvatures are the natural ones. Angles are 0: the reference frames are the material ones.
void sp__der_bend(const sp_der *d, const sp_der_edge *edge, const sp_curve_frame *root, const double *curvature, double *q);

// Reference frames from nothing: the clamp's first director carried along the polyline; angles are then relative to it.
void sp__der_frame(int edges, const double clamp[9], double *q);
// Unknowns of `from` plus s v, and what time carries along; the clamp's frame stays. to may be from.
void sp__der_move(int edges, const double *from, double s, const double *v, double *to);
// The clamp's frame becomes another one: its reference twist follows.
void sp__der_turn_clamp(int edges, const double clamp[9], double *q);

// Lengths, frames and strains at q; false: they are not finite.
bool sp__der_settle(sp_der *d, const double *q);
// Energy at the state settled at; gradient += (nullable); hessian += as a lower band: entry (i, j), i - 10 <= j <= i, at
// 11 i + j - i + 10 (nullable). clamped: with the half cell at the root. Not whole: the hessian without what bends and twists
// themselves and compression add, which is positive semi-definite then.
double sp__der_energy(const sp_der *d, bool clamped, bool whole, double *gradient, double *hessian);
// The same band of bending and twist alone, positive semi-definite.
void sp__der_bending(const sp_der *d, bool clamped, double *hessian);
// Of each edge, with half of what its nodes have.
double sp__der_edge_energy(const sp_der *d, bool clamped, int edge);
// Material frame of an edge there, columns t, n1, n2.
void sp__der_material(const sp_der *d, int edge, double R[9]);

// u carried from unit a to unit b by the least turn
void sp__der_carry(const double u[3], const double a[3], const double b[3], double out[3]);

#endif
