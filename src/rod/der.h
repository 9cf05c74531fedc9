// Discrete elastic rods (Bergou et al. 2008, 2010): a polyline with an angle on each edge, that of the material frame against a
// reference frame which time carries along without twist.
//
// Unknowns, in the order that keeps everything that interacts within ten places: x_0, theta_0, x_1, theta_1, ..., x_p; 4 p + 3.
//     E = sum over edges of EA/2 (|e|/|e~| - 1)^2 |e~|
//       + sum over nodes of (B1 (K1 - K1~)^2 + B2 (K2 - K2~)^2 + GJ (m - m~)^2) / (2 l~)
// with K1, K2 the integrated curvatures and m the integrated twist at a node, and l~ half the length of its two edges at rest.
// Compared with curvature coordinates (strand.h): K1 / l = k2, K2 / l = -k1, m / l = k0; B1 = E I2, B2 = E I1.
//
// A root that is clamped by its first edge makes static errors fall with the first power of the edge; a node of half a cell
// between the clamp's own frame and the first edge makes them fall with the second (`half_cell`).
#ifndef SP_DER_H
#define SP_DER_H

#include "core/core.h"

enum { SP_DER_BAND = 10 };  // unknowns i and j meet only where |i - j| <= SP_DER_BAND

typedef struct sp_der_def {
    int edges;
    const double *length;     // at rest [m]
    const double *curvature;  // natural, at the nodes 0 .. edges, x 3: twist, k1, k2 [rad/m]
    double stretch;           // E A [N]
    double bend[2], twist;    // E I1, E I2, mu J [N m2]
    bool half_cell;           // a bending node at the root against the frame of the clamp
} sp_der_def;

typedef struct sp_der {
    sp_context *ctx;
    sp_der_def def;
    int edges, nodes, unknowns;
    double *length;   // edges
    double *natural;  // nodes x 3: K1, K2, m at rest
    // carried along in time, edges x 3 and nodes: see sp__der_carry
    double *tangent, *director, *reference_twist;
    double clamp[9];  // frame of the clamp, columns t, n1, n2
} sp_der;

sp_status sp__der_init(sp_context *ctx, const sp_der_def *def, sp_der *d);
void sp__der_free(sp_der *d);

static inline int sp__der_place(int node) {
    return 4 * node;
}
static inline int sp__der_angle(int edge) {
    return 4 * edge + 3;
}

// Reference frames from nothing: the clamp's first director carried along the polyline; angles are then relative to it.
void sp__der_frame(sp_der *d, const double clamp[9], const double *q);
// And from where they are to the polyline q, in time.
void sp__der_carry(sp_der *d, const double *q);

// Energy at q; gradient += (nullable); hessian += as a lower band: entry (i, j), i - 10 <= j <= i, at 11 i + j - i + 10
// (nullable). The reference frames are those of the last carry, turned to q within the call.
double sp__der_energy(const sp_der *d, const double *q, double *gradient, double *hessian);

// Material frame of an edge, columns t, n1, n2, after the last carry.
void sp__der_material(const sp_der *d, const double *q, int edge, double R[9]);

#endif
