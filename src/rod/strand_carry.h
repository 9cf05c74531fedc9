// Inertia of a strand that turns far in a step.
//
// The quadratic velocity terms A = integral of rho S Dr^T D2r(v, v) are explicit in (4.3.31): exact for small steps, and a source
// of energy without end where a strand turns by a radian or so in one. What they stand for is that every material point keeps its
// velocity while the unknowns' directions turn. Said for a step, from where the strand was:
//     h A = M v - P,   P = integral of rho S Dr(q)^T rdot(before) ds,   rdot(before) = Dr(q - h v) v
// Then (M + h2 K) v+ = P + h (...): what is taken over is the projection of a field of velocities, which is never larger than the
// field, so inertia alone cannot feed a motion, whatever the step. Both agree to first order in h. By Gauss points.
#ifndef SP_STRAND_CARRY_H
#define SP_STRAND_CARRY_H

#include "rod/strand.h"

typedef struct sp_strand_carry {
    double *speed;    // of the points of all elements, 3 each
    int *panels;      // of each element
    double *columns;  // unknowns x 6: scratch
} sp_strand_carry;

sp_status sp__strand_carry_init(sp_context *ctx, const sp_strand *s, sp_strand_carry *c);
void sp__strand_carry_free(sp_context *ctx, sp_strand_carry *c);
// Velocities of material points for rates v, of the strand as it is placed now; q: its curvatures.
void sp__strand_keep(const sp_strand *s, const double *q, const double *v, sp_strand_carry *c);
// And then, placed where it has got to after h: A = (1 - share) A + share (M v - P) / h.
void sp__strand_take(sp_strand *s, const double *v, double h, double share, sp_strand_carry *c);

// out += scale (M(q) v - P): the impulse that takes the velocities kept to those of rates v, where the strand is placed now.
// Nullable: nodes (3 x (elements + 1)), += scale times the same, lumped at the nodes.
void sp__strand_impulse(const sp_strand *s, const double *v, double scale, sp_strand_carry *c, double *out, double *nodes);

// M += inertia of sections about the tangent, spin[e] [kg m] of each element: without it nothing resists a free, straight strand
// that turns about itself.
void sp__strand_add_spin(sp_strand *s, const double *spin, sp_strand_carry *c);
// out += that inertia times u.
void sp__strand_spin_impulse(const sp_strand *s, const double *spin, const double *u, sp_strand_carry *c, double *out);

#endif
