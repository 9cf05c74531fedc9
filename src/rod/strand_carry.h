// Inertia of a strand that rotates far within one step.
//
// The quadratic velocity terms A = integral of rho S Dr^T D2r(v, v) are explicit in (4.3.31). This is exact for small steps, but
// generates energy without bound where a strand rotates by about a radian per step. The terms express that each material point
// keeps its velocity while the directions of the unknowns rotate. Over one step, from the previous configuration:
//     h A = M v - P,   P = integral of rho S Dr(q)^T rdot(before) ds,   rdot(before) = Dr(q - h v) v
// Then (M + h2 K) v+ = P + h (...). P is the projection of a velocity field, and a projection never has a larger norm than the
// field. So inertia alone cannot add energy, for any step length. Both forms agree to first order in h.
#ifndef SP_STRAND_CARRY_H
#define SP_STRAND_CARRY_H

#include "rod/strand.h"

typedef struct sp_strand_carry {
    double *speed;           // points of all elements, 3 each
    int *panels;             // elements: number of panels
    double *columns;         // unknowns x 6: scratch
    sp_strand_mass *masses;  // point masses, at most mass_capacity
    double *mass_speed;      // x 6: velocity and angular velocity
    int mass_count, mass_capacity;
} sp_strand_carry;

sp_status sp__strand_carry_init(sp_context *ctx, const sp_strand *s, int masses, sp_strand_carry *c);
void sp__strand_carry_free(sp_context *ctx, sp_strand_carry *c);
// Stores the velocities of material points for rates v at the current placement of the strand; q: its curvatures.
void sp__strand_keep(const sp_strand *s, const double *q, const double *v, sp_strand_carry *c);
// After the strand is placed at the end of the step: A = (1 - share) A + share (M v - P) / h.
void sp__strand_take(sp_strand *s, const double *v, double h, double share, sp_strand_carry *c);

// out += scale (M(q) v - P): the impulse from the stored velocities to those of rates v, at the current placement. Nullable:
// nodes (3 x (elements + 1)), += the same, lumped at the nodes.
void sp__strand_impulse(const sp_strand *s, const double *v, double scale, sp_strand_carry *c, double *out, double *nodes);

// After sp__strand_gather at rates v: adds the point masses to M, A, mass and moment. They take part in the functions above.
void sp__strand_add_masses(sp_strand *s, const double *v, sp_strand_carry *c);

// M += rotational inertia of sections about the tangent, spin[e] [kg m] of each element. Without it, the spin of a free, straight
// strand about its axis has no inertia.
void sp__strand_add_spin(sp_strand *s, const double *spin, sp_strand_carry *c);
// out += that inertia matrix times u.
void sp__strand_spin_impulse(const sp_strand *s, const double *spin, const double *u, sp_strand_carry *c, double *out);

#endif
