// Mechanics of one inextensible strand in curvature coordinates (Casati 2015, sections 4.3 and 5.2): super-space-clothoids, whose
// curvature is affine in each element and continuous, and super-helices (Bertails et al. 2006), where it is constant in each.
//
// Unknowns: six for the root (velocity of its point, angular velocity, in world axes), which a clamped strand leaves out, then
// three for each control: the curvature vector at a node (clothoid, elements + 1 of them) or of an element (helix).
//     M(q) qdd + Kbar (q - q_rest) = G(q) - A(q, qd)
// Positions, their derivatives along every control and along the motion are power series on common segments (curve.h); integrals
// are the exact integrals of these polynomials. Controls behind an element move it as a rigid body, so only those of the element
// itself need series, and the inertia of what lies ahead is gathered once from the tip back: series cost O(elements), the rest of
// the matrix six products a number.
#ifndef SP_STRAND_H
#define SP_STRAND_H

#include "core/core.h"
#include "rod/curve.h"

typedef struct sp_strand_def {
    int elements;
    bool affine;           // clothoid; otherwise helix
    const double *length;  // of each element [m]
    double line_density;   // rho S [kg/m]
    double stiffness[3];   // mu J, E I1, E I2 [N m2]
    double tolerance;      // of series, relative
} sp_strand_def;

// Where a strand is and how it moves. The acceleration of a root that is prescribed acts as a load.
typedef struct sp_strand_state {
    sp_curve_frame root;
    double root_velocity[6], root_acceleration[6];  // linear, angular; world axes
    const double *q, *v;                            // 3 x controls: curvatures [rad/m] and their rates
} sp_strand_state;

// One numerical segment, of `terms` terms times the powers of its length.
typedef struct sp_strand_segment {
    int element, terms;
    double from, length;  // from the start of its element
    double begin[3];      // where it begins
    size_t at;            // in the pool: terms x 3 of position without `begin`, terms x 18 of derivatives along its controls
} sp_strand_segment;

typedef struct sp_strand {
    sp_context *ctx;
    sp_strand_def def;
    int controls, unknowns;  // unknowns: 6 + 3 x controls
    double *length;
    // made by sp__strand_evaluate
    double *M;              // unknowns squared, symmetric
    double *G, *A;          // generalised force of the load; quadratic velocity terms
    double load_energy;     // minus the integral of p . r
    double *rigid;          // unknowns x 6: how what lies ahead moves, velocity at the world's origin and angular velocity
    sp_curve_frame *frame;  // at the start of each element, and at the tip
    sp_strand_segment *segment;
    int segment_count;
    // rooms
    int segment_room;
    double *pool;
    size_t pool_used, pool_room;
    double *momentum;                 // unknowns x 2 x 6: in the element before and after its node
    struct sp_strand_ahead *ahead;    // per element
    struct sp_strand_series *series;  // of the segment at hand
} sp_strand;

// Everything of def is copied. sp__strand_free releases it on any outcome.
sp_status sp__strand_init(sp_context *ctx, const sp_strand_def *def, sp_strand *s);
void sp__strand_free(sp_strand *s);

// M, G, A, segments and frames for this state; `p` is a load per length, the same everywhere [N/m]. Allocates only where there
// are more segments than ever before. SP_NOT_FINITE: curvatures are not.
sp_status sp__strand_evaluate(sp_strand *s, const sp_strand_state *state, const double p[3]);

// Of the last evaluation: the place at `at` [m] from the start of an element, and the derivatives of its velocity along all
// unknowns, 3 x unknowns row by row (nullable).
void sp__strand_point(const sp_strand *s, int element, double at, double x[3], double *J);

// out = Kbar x on the controls (3 x controls; out is not x): elastic energy is half of x Kbar x with x = q - q_rest.
void sp__strand_stiffness(const sp_strand *s, const double *x, double *out);
// A += c Kbar into a matrix of `stride` numbers a row whose first row and column belong to the first control.
void sp__strand_add_stiffness(const sp_strand *s, double c, double *A, int stride);
// x = Kbar^-1 b, exactly: three tridiagonal systems. x may be b.
sp_status sp__strand_stiffness_solve(const sp_strand *s, const double *b, double *x);

#endif
