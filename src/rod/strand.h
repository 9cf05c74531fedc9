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
//
// A strand has room for the most elements it may ever have; those that are alive come first. Unknowns of the others have zeros.
#ifndef SP_STRAND_H
#define SP_STRAND_H

#include "core/core.h"
#include "rod/curve.h"

typedef struct sp_strand_element {
    double length;        // [m] > 0
    double line_density;  // rho S [kg/m]
    double stiffness[3];  // mu J, E I1, E I2 [N m2]
} sp_strand_element;

typedef struct sp_strand_def {
    int elements;  // at most; all are alive at first
    bool affine;   // clothoid; otherwise helix
    const sp_strand_element *element;
    double tolerance;  // of series, relative
} sp_strand_def;

// Where a strand is and how it moves. The acceleration of a root that is prescribed acts as a load.
typedef struct sp_strand_state {
    sp_curve_frame root;
    double root_velocity[6], root_acceleration[6];  // linear, angular; world axes
    const double *q, *v;                            // 3 x controls: curvatures [rad/m] and their rates
} sp_strand_state;

// One numerical segment: polynomials in its share u, 0 <= u <= 1.
typedef struct sp_strand_segment {
    int element, rows;
    double from, length;  // from the start of its element
    double begin[3];      // where it begins
    double turn[2][9];    // how its controls turn the frame there: columns are the three axes of a control
    double weight[2][2];  // of control j in the curvature: weight[j][0] + weight[j][1] u
    size_t at;            // of its rows in the pool
} sp_strand_segment;

typedef struct sp_strand {
    sp_context *ctx;
    bool affine;
    double tolerance;
    int room, alive;         // elements
    int controls, unknowns;  // of all elements there is room for; unknowns: 6 + 3 x controls
    int own;                 // columns of an element's own controls: 6 (affine) or 3
    sp_strand_element *element;
    // made by sp__strand_place
    double *rigid;          // unknowns x 6: how what lies ahead moves, velocity at the world's origin and angular velocity
    sp_curve_frame *frame;  // at the start of each element, and at the tip
    sp_strand_segment *segment;
    int segment_count;
    bool motion;  // with the acceleration of the quadratic velocity terms
    // made by sp__strand_gather
    bool gathered;
    double *M;               // unknowns squared, symmetric
    double *A;               // quadratic velocity terms
    double mass, moment[3];  // of it, and times place
    // made by sp__strand_weigh
    double *G;           // generalised force of the weight
    double load_energy;  // and its potential
    // rooms
    int segment_room;
    double *pool;  // rows: frame (9), place from `begin` (3), acceleration (3), derivatives of the place [3][]
    size_t pool_used, pool_room;
    double *momentum;               // unknowns x 2 x 6: in the element before and after its node
    struct sp_strand_ahead *ahead;  // per element
} sp_strand;

// Everything of def is copied. sp__strand_free releases it on any outcome.
sp_status sp__strand_init(sp_context *ctx, const sp_strand_def *def, sp_strand *s);
void sp__strand_free(sp_strand *s);
// From now on `alive` elements, 1 <= alive <= room, and these. What was made before is void.
void sp__strand_set(sp_strand *s, int alive, const sp_strand_element *element);

// Segments, frames and rigid motions for this state. Allocates only where there are more segments than ever before.
// SP_NOT_FINITE: curvatures are not, or wind more than SP_STRAND_SEGMENTS can follow. Failures are not recorded: strands are
// placed on several threads.
sp_status sp__strand_place(sp_strand *s, const sp_strand_state *state, bool motion);
// M and A of the segments, where that was not done yet.
void sp__strand_gather(sp_strand *s);
// G and load_energy for an acceleration everywhere [m/s2]; needs M.
void sp__strand_weigh(sp_strand *s, const double g[3]);

// Places are `at` [m] from the start of an element; elements that are not alive lie at the tip.
void sp__strand_frame(const sp_strand *s, int element, double at, sp_curve_frame *out);
// Velocity and angular velocity there along the unknowns, columns of six; the first ones of all, returns how many.
int sp__strand_slopes(const sp_strand *s, int element, double at, double *columns);
// The same for velocities v of all unknowns.
void sp__strand_speed(const sp_strand *s, int element, double at, const double *v, double out[6]);

// out = Kbar x on the controls (3 x controls; out is not x): elastic energy is half of x Kbar x with x = q - q_rest.
void sp__strand_stiffness(const sp_strand *s, const double *x, double *out);
// The lower triangle of A += c Kbar, a matrix of `stride` numbers a row whose first row and column belong to the first control.
void sp__strand_add_lower_stiffness(const sp_strand *s, double c, double *A, int stride);
// x = Kbar^-1 b, exactly, for the controls alive: three tridiagonal systems. x may be b.
sp_status sp__strand_stiffness_solve(const sp_strand *s, const double *b, double *x);
// what an element has of half (q - rest) Kbar (q - rest)
double sp__strand_energy(const sp_strand *s, int element, const double *q, const double *rest);

// H += c times the second derivative of the work of a force that does not change, along all unknowns: the lower triangle of a
// matrix of `stride` numbers a row. Turns of the root are meant about world axes; their block is the symmetric part.
void sp__strand_bend_of_weight(const sp_strand *s, const double g[3], double c, double *H, int stride);
void sp__strand_bend_of_force(const sp_strand *s, int element, double at, const double f[3], double c, double *H, int stride);
// The same of forces at all nodes (3 x (elements + 1)), by fewer points: for tangents that need not be exact.
void sp__strand_bend_of_nodes(const sp_strand *s, const double *force, double c, double *H, int stride);
// And of these only what tension adds, where it pulls: -c times it is positive semi-definite.
void sp__strand_tension_of_nodes(const sp_strand *s, const double *force, double c, double *H, int stride);

#endif
