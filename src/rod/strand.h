// Mechanics of one inextensible strand in curvature coordinates (Casati 2015, sections 4.3 and 5.2): super-space-clothoids, whose
// curvature is continuous and affine in each element, and super-helices (Bertails et al. 2006), whose curvature is constant in
// each element.
//
// Unknowns: six for the root (velocity of its point and angular velocity, world axes; a clamped strand omits them), then three
// per control: the curvature vector at a node (clothoid, elements + 1 controls) or of an element (helix).
//     M(q) qdd + Kbar (q - q_rest) = G(q) - A(q, qd)
// Positions and their derivatives with respect to the controls and in time are power series on common segments (curve.h).
// Integrals are exact integrals of these polynomials. A control moves all elements closer to the tip as rigid bodies, so only the
// controls of an element itself need series. The inertia towards the tip is accumulated once, from the tip to the root: series
// cost O(elements), every other matrix entry costs six products.
//
// A strand has memory for its largest number of elements. The elements in use (`alive`) come first; entries of the other unknowns
// are zero.
#ifndef SP_STRAND_H
#define SP_STRAND_H

#include "core/core.h"
#include "rod/curve.h"

typedef struct sp_strand_element {
    double length;        // [m] > 0
    double line_density;  // rho S [kg/m]
    double stiffness[3];  // mu J, E I1, E I2 [N m2]
} sp_strand_element;

// A point mass, `at` [m] from the start of an element, with a moment of inertia about every axis.
typedef struct sp_strand_mass {
    int element;
    double at, mass, inertia;
} sp_strand_mass;

typedef struct sp_strand_def {
    int elements;  // capacity; initially all are in use
    bool affine;   // clothoid; otherwise helix
    const sp_strand_element *element;
    double tolerance;  // relative, for truncating series
} sp_strand_def;

// Configuration and velocity of a strand. The acceleration of a prescribed root acts as a load.
typedef struct sp_strand_state {
    sp_curve_frame root;
    double root_velocity[6], root_acceleration[6];  // linear, angular; world axes
    const double *q, *v;                            // 3 x controls: curvatures [rad/m] and their rates
} sp_strand_state;

// One numerical segment: polynomials in u, 0 <= u <= 1, the position relative to the length of the segment.
typedef struct sp_strand_segment {
    int element, rows;
    double from, length;  // start of the segment, from the start of its element
    double begin[3];      // position of its start
    double turn[2][9];    // rotation of the frame there by its controls: columns are the three axes of a control
    double weight[2][2];  // weight of control j in the curvature: weight[j][0] + weight[j][1] u
    size_t at;            // offset of its rows in the pool
} sp_strand_segment;

typedef struct sp_strand {
    sp_context *ctx;
    bool affine;
    double tolerance;
    int capacity, alive;     // elements: capacity, in use
    int controls, unknowns;  // for the full capacity; unknowns: 6 + 3 x controls
    int own;                 // columns of the controls of one element: 6 (affine) or 3
    sp_strand_element *element;
    // set by sp__strand_place
    double *rigid;  // unknowns x 6: rigid motion of the part towards the tip: velocity at the world's origin, angular velocity
    sp_curve_frame *frame;  // at the start of each element, and at the tip
    sp_strand_segment *segment;
    int segment_count;
    bool motion;  // includes the acceleration for the quadratic velocity terms
    // set by sp__strand_gather
    bool gathered;
    double *M;               // unknowns squared, symmetric
    double *A;               // quadratic velocity terms
    double mass, moment[3];  // total mass and first moment
    // set by sp__strand_weigh
    double *G;           // generalised force of the weight
    double load_energy;  // its potential energy
    // memory
    int segment_capacity;
    double *pool;  // rows: frame (9), position relative to `begin` (3), acceleration (3), derivatives of the position [3][]
    size_t pool_used, pool_capacity;
    double *momentum;               // unknowns x 2 x 6: of the elements before and after the node of the control
    struct sp_strand_ahead *ahead;  // per element
} sp_strand;

// Copies def. Release with sp__strand_free after success and after failure.
sp_status sp__strand_init(sp_context *ctx, const sp_strand_def *def, sp_strand *s);
void sp__strand_free(sp_strand *s);
// Sets the number of elements in use, 1 <= alive <= capacity, and their properties. Invalidates all results computed before.
void sp__strand_set(sp_strand *s, int alive, const sp_strand_element *element);

// Computes segments, frames and rigid motions at a state. Allocates only if there are more segments than ever before.
// SP_NOT_FINITE: curvatures are not finite, or need more than SP_STRAND_SEGMENTS segments. Errors are not recorded, because
// strands are placed on several threads.
sp_status sp__strand_place(sp_strand *s, const sp_strand_state *state, bool motion);
// Computes M and A from the segments, unless they are up to date.
void sp__strand_gather(sp_strand *s);
// Computes G and load_energy for a uniform acceleration [m/s2]; needs M.
void sp__strand_weigh(sp_strand *s, const double g[3]);

// A point is given by `at` [m] from the start of an element; elements not in use lie at the tip.
void sp__strand_frame(const sp_strand *s, int element, double at, sp_curve_frame *out);
// Jacobian of velocity and angular velocity there, columns of six. Only leading unknowns matter; returns their count.
int sp__strand_slopes(const sp_strand *s, int element, double at, double *columns);
// Velocity and angular velocity there for velocities v of all unknowns.
void sp__strand_speed(const sp_strand *s, int element, double at, const double *v, double out[6]);

// out = Kbar x on the controls (3 x controls; out must not be x). The elastic energy is 1/2 x Kbar x with x = q - q_rest.
void sp__strand_stiffness(const sp_strand *s, const double *x, double *out);
// Lower triangle of A += c Kbar. A has `stride` numbers per row; its first row and column belong to the first control.
void sp__strand_add_lower_stiffness(const sp_strand *s, double c, double *A, int stride);
// x = Kbar^-1 b, exactly, for the controls in use: three tridiagonal systems. x may be b.
sp_status sp__strand_stiffness_solve(const sp_strand *s, const double *b, double *x);
// contribution of one element to 1/2 (q - rest) Kbar (q - rest)
double sp__strand_energy(const sp_strand *s, int element, const double *q, const double *rest);

// Acceleration of a point for constant rates v of all unknowns, at a placement with motion: linear and, if `turns`, angular.
void sp__strand_acceleration(const sp_strand *s, int element, double at, const double *v, bool turns, double out[6]);

// Geometric stiffness: H += c times the second derivative of the work of a constant force with respect to all unknowns, the lower
// triangle of a matrix with `stride` numbers per row. Rotations of the root are about world axes; their block is the symmetric
// part.
void sp__strand_bend_of_weight(const sp_strand *s, const double g[3], double c, double *H, int stride);
void sp__strand_bend_of_force(const sp_strand *s, int element, double at, const double f[3], double c, double *H, int stride);
// The same for forces at all nodes (3 x (elements + 1)), with fewer quadrature points: for tangents that need not be exact.
void sp__strand_bend_of_nodes(const sp_strand *s, const double *force, double c, double *H, int stride);
// Only the part from positive tension: -c times it is positive semi-definite.
void sp__strand_tension_of_nodes(const sp_strand *s, const double *force, double c, double *H, int stride);

#endif
