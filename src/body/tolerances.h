// The tolerances and limits of the solves: drivers, contact, corrections of rods, energy balance. Each has its unit and the
// reason for its value, or what fails if it changes. Tolerances and iterations that a user sets are in sp_integrator_def and
// sp_solver_def.
#ifndef SP_TOLERANCES_H
#define SP_TOLERANCES_H

// ---- Newton's method (drive_newton.c)

#define SP_NEWTON_HALVINGS 40  // maximum in a line search
#define SP_NEWTON_ARMIJO 1e-4  // fraction of the predicted decrease that a step must reach (Nocedal and Wright 2006, section 3.1)
#define SP_NEWTON_FLAT 1e-10   // relative change of the potential that counts as zero: sums of energies are rounded
#define SP_NEWTON_OVERSHOOT 0.8    // without a potential: r.d at the end >= -this times r.d at the start
#define SP_NEWTON_STUCK_NOISE 1e3  // no step accepted: a residual below this times the rounding noise is converged
#define SP_ANDERSON_DEPTH 6        // number of corrections in the mixing
#define SP_ANDERSON_SHIFT 1e-10    // relative, on the diagonal of the small system: against linearly dependent pairs

// ---- Newton passes with contact by constraints (drive_pass.c)

// Share of the mass matrix in the system of a static body that only contacts hold: its factor from pass to pass and its least
// value, with which the rigid motions are still 1e4 times softer than the first pass and the factor keeps 12 digits.
#define SP_PROXIMAL_FACTOR 0.1
#define SP_PROXIMAL_LEAST 1e-4
#define SP_PROXIMAL_FAR 1e-3  // relative residual above which such a body is not held at all

#define SP_PASS_SHORTEST 0.1  // a pass of implicit Euler is halved while it is longer, relative to the whole one
#define SP_PASS_LEAST 1e-3    // the same where its end cannot be evaluated
#define SP_PASS_GROWTH 16     // energy of the missing correction after a pass that leads downhill, relative to that of the pass
#define SP_PASS_PATIENCE 10   // passes of a step that can be divided; half of them if the error is still above
#define SP_PASS_FAR 0.1       // this, relative to the energy of the motion
#define SP_STEP_PARTS 32      // a step is divided into as many parts at most
// Energy of the missing correction relative to that of the motion, 10 % of the velocity, up to which the smallest part is used
// although it has not converged. Above it the rod stops.
#define SP_PASS_USABLE 1e-2

// ---- implicit Euler with one linearisation (drive.c)

#define SP_CONTACT_PASSES 6  // maximum solves of a step until the contacts at its end agree with those of the solve

// ---- explicit steps (drive_explicit.c)

#define SP_POWER_DEGREE 8        // of the polynomials, even
#define SP_POWER_ITERATIONS 25   // polynomials until the highest mode is known
#define SP_POWER_PERIOD 16       // steps after which it is followed, with one polynomial
#define SP_POWER_SHARE 0.95      // of its w2, below which modes are small in the next polynomial
#define SP_POWER_RANDOM 0.1      // random part of the start when it is followed, relative to the mode
#define SP_POWER_TOLERANCE 1e-5  // on w2, which converges from below

// ---- penalty contact (contact/penalty.c)

// Error of the contact forces of a linear solve, relative to all contact forces, above which the step is solved again. For a rod
// a second solve costs as much as the step itself.
#define SP_CONTACT_FORCE_TOLERANCE_SOLID 5e-3
#define SP_CONTACT_FORCE_TOLERANCE_ROD 0.05
// Stiffness in dynamics, in m/h2 of a node: the penetration is 1/this of the free fall in a step
// (docs/penalty-contact.md).
#define SP_CONTACT_INERTIA_SOLID 30
#define SP_CONTACT_INERTIA_ROD 10
#define SP_CONTACT_SAME_DIRECTION 0.9  // cosine: of contacts with more similar normals only the nearest is used
#define SP_CONTACT_OUTWARD_COSINE 0.5  // cosine between a normal and the direction out of the obstacle
// The lift, in multiples of the depth: after it, a point near an edge whose normal is another direction is outside
// (lift tan2 > depth). LEAST: lower bound, relative to the size of the body.
#define SP_CONTACT_LIFT_DEPTHS 8
#define SP_CONTACT_LIFT_LEAST 1e-3
#define SP_CONTACT_STATIC_MARGIN 1e-9  // relative to the size of the body: a body placed on a floor is in contact
#define SP_CONTACT_FAR_SLIDE 2         // in lengths of the tangential spring at the friction cone

// ---- corrections of rods beyond one linearisation (rod/rod_correct.c)

#define SP_ROD_SUBSTEPS 64       // maximum of a step
#define SP_ROD_BENT_SUBSTEPS 32  // maximum due to fast bending
#define SP_ROD_ITERATIONS 12     // maximum of a substep
#define SP_ROD_SHORTENINGS 5     // maximum of an iteration
// Relative to the energy of the motion: spurious energy that the linearised step may add (published runs at 11 ms have up
// to 2.1e-3), the size of the missing correction up to which that step is a good initial guess, its size at convergence, and the
// fraction of the elastic energy that is added to that of the motion, so that a strand at rest has a scale.
#define SP_ROD_PASS_GAP 1e-4  // the same with contacts, whose passes cost more: 1 % of the velocity
#define SP_ROD_MOST_GAIN 2.5e-3
#define SP_ROD_NEAR 0.1
#define SP_ROD_CONVERGED 1e-5
#define SP_ROD_ENERGY_FLOOR 1e-16
// Limit of the bending of an element in a substep [rad]. Above it, elements come to rest in spurious full turns.
#define SP_ROD_MOST_BENT 0.5
#define SP_ROD_LARGEST_BEND 4  // a state is not evaluated if an element bends by more in a substep [rad]

// ---- energy balance and reservations of a step (energy.c, world/world_step.c, world/pairs.c)

#define SP_GAIN_SHARE 0.01    // relative to the largest energy so far: a smaller rise can be an error of quadrature
#define SP_GAIN_NOISE 1e-12   // relative to the sum of all energies and works: rounding of that sum
#define SP_LEAST_STRAIN 1e-6  // smaller strains come from the tolerances of solvers
#define SP_OVERLAP_SHARE 0.1  // relative to the element size: a deeper point is a reservation
#define SP_PAIR_DEPTH 0.005   // relative to the diagonal of the smaller body: bodies in mere contact do not overlap
#define SP_PAIR_SAMPLES 16    // points of a body that are tested against another body per step

#endif
