// The tolerances and limits of the solves: drivers, contact, corrections of rods, the watch over energy. Each has its unit, and
// says why it is what it is or what breaks if it changes. What a user sets (tolerance and iterations of an integrator or of a
// linear solver) stands in sp_integrator_def and sp_solver_def.
#ifndef SP_TOLERANCES_H
#define SP_TOLERANCES_H

// ---- Newton's method (drive_newton.c)

#define SP_NEWTON_HALVINGS 40      // of a step in the line search at most
#define SP_NEWTON_ARMIJO 1e-4      // share of the promised descent that a step must reach (Nocedal and Wright 2006, section 3.1)
#define SP_NEWTON_FLAT 1e-10       // relative change of the potential that counts as none: sums of energies are rounded
#define SP_NEWTON_OVERSHOOT 0.8    // of r.d at the start that r.d at the end may point back, where there is no potential
#define SP_NEWTON_STUCK_NOISE 1e3  // residuals of this many times the noise of rounding are solved where no step helps
#define SP_ANDERSON_DEPTH 6        // corrections that are mixed
#define SP_ANDERSON_SHIFT 1e-10    // relative, on the diagonal of the small system: against pairs that say the same

// ---- implicit Euler with one linearisation (drive_implicit.c)

#define SP_CONTACT_PASSES 6  // solves of a step at most until the contacts of its end are those it was solved with

// ---- explicit steps (drive_explicit.c)

#define SP_POWER_ITERATIONS 200
#define SP_POWER_TOLERANCE 1e-5  // on w2, from below: the critical step reported is that much too long at most

// ---- penalty contact (contact/penalty.c)

// Share of all contact forces that those of a linear solve may be wrong by before the step is solved again. Solving again costs a
// rod as much as the step itself.
#define SP_CONTACT_FORCE_TOLERANCE_SOLID 5e-3
#define SP_CONTACT_FORCE_TOLERANCE_ROD 0.05
// Stiffness in motion, in m/h2 of a node: a point sinks by 1/this of what it would fall in a step
// (docs/penalty-contact.md).
#define SP_CONTACT_INERTIA_SOLID 30
#define SP_CONTACT_INERTIA_ROD 10
#define SP_CONTACT_SAME_DIRECTION 0.9  // cosine: contacts with nearer normals are one surface, and the nearest counts
#define SP_CONTACT_LOOKS_OUT 0.5       // cosine between a normal and the way out
// The lift, in multiples of the depth: with it, what is left of an edge that is not the same direction lies outside
// (lift tan2 > depth). And at least this share of the body's size.
#define SP_CONTACT_LIFT_DEPTHS 8
#define SP_CONTACT_LIFT_LEAST 1e-3
#define SP_CONTACT_STATIC_MARGIN 1e-9  // of the body's size: a body laid on a floor touches it
#define SP_CONTACT_FAR_SLIDE 2         // in lengths of the tangential spring at the cone

// ---- corrections of rods beyond one linearisation (rod/rod_correct.c)

#define SP_ROD_SUBSTEPS 64       // of a step at most
#define SP_ROD_BENT_SUBSTEPS 32  // those among them that fast bending may ask for
#define SP_ROD_ITERATIONS 12     // of a substep
#define SP_ROD_SHORTENINGS 5     // of an iteration
// In the energy of the motion: what the linearised step may gain from nowhere (published runs at 11 ms have up to 2.1e-3), the
// missing correction up to which it is a good guess, that at the end of an iteration, and the share of the elastic energy that
// counts as motion so that a strand at rest has a scale.
#define SP_ROD_MOST_GAIN 2.5e-3
#define SP_ROD_NEAR 0.1
#define SP_ROD_CONVERGED 1e-5
#define SP_ROD_ENERGY_FLOOR 1e-16
// An element bends by less than this in a substep [rad]. Beyond, elements come to rest in spurious full turns.
#define SP_ROD_MOST_BENT 0.5
#define SP_ROD_MOST_WOUND 4  // no place is looked at where an element bends by more in a substep [rad]

// ---- the watch over energy, and what a step is judged by (energy.c, world/world_step.c, world/pairs.c)

#define SP_GAIN_SHARE 0.01    // of the largest energy so far: a smaller rise is left to the error of quadrature
#define SP_GAIN_NOISE 1e-12   // of all energies and works: what rounding makes of their sum
#define SP_LEAST_STRAIN 1e-6  // smaller ones come from the tolerances of solvers
#define SP_OVERLAP_SHARE 0.1  // of an element: a deeper point is a reservation
#define SP_PAIR_DEPTH 0.005   // of the smaller body's diagonal: bodies that merely touch do not overlap
#define SP_PAIR_SAMPLES 16    // points of a body that are tested against another one in a step

#endif
