// The drivers: time integrators and statics, and their helpers. A driver starts from the committed state and writes the end of
// the step to the trial state.
#ifndef SP_DRIVE_H
#define SP_DRIVE_H

#include "body/body.h"

// One step or substep by each method, with the context from sp__body_step.
sp_status sp__drive_newton(sp_body *b, const sp_step *step);
sp_status sp__drive_static(sp_body *b, const sp_step *step);
sp_status sp__drive_explicit(sp_body *b, const sp_step *whole);  // all substeps of a step
int sp__drive_substeps(const sp_body *b);                        // number of equal substeps; rods may divide them further

// One Newton pass of a body whose contacts are constraints (drive_pass.c), from the trial state (pass 0: from the committed one).
// Writes b->system and b->free_velocity; pass 0 also the trial state. accuracy: relative, of the impulses of the contacts; the
// residual cannot be smaller. *converged: the residual is small, nothing was written.
// SP_NOT_CONVERGED: no more passes are allowed, nothing was written.
sp_status sp__drive_pass(sp_body *b, const sp_step *step, int pass, double accuracy, bool *converged);
// After passes that did not converge: the body stops for the step, with prescribed unknowns at their targets.
sp_status sp__drive_stop(sp_body *b, const sp_step *step);
bool sp__drive_has_passes(const sp_body *b);         // newton and static; others are linearised once
int sp__drive_pass_limit(const sp_body *b);          // their largest number
sp_status sp__drive_keep_free_velocity(sp_body *b);  // saves the trial velocity in b->free_velocity, once in a step

void sp__drive_begin(sp_body *b);  // trial = committed
// loads, then f (and energy) at the trial state
sp_status sp__drive_evaluate(sp_body *b, const sp_step *step, unsigned want);
int64_t sp__body_node_of(sp_body *b, int unknown);              // user numbering
double sp__drive_norm(const double *x, int n);                  // summed in index order
double sp__drive_dot(const double *x, const double *y, int n);  // likewise
// Coordinates of fixed unknowns between those of two states, at a share of the way.
void sp__drive_targets_at(sp_body *b, const double *from, const double *to, double share, double *out);
void sp__drive_place_fixed(sp_body *b);              // copies targets to fixed unknowns: no drift by rounding
void sp__drive_finish(sp_body *b);                   // trial velocity: from that of the step to that at its end
void sp__drive_displacement(sp_body *b, double *d);  // prescribed displacement: committed state to targets
// d = share (target - q committed) / s - v on fixed unknowns, 0 elsewhere; true: d is not zero
bool sp__drive_prescribed(sp_body *b, double s, double share, const double *v, double *d);
sp_status sp__drive_not_finite(sp_body *b);  // fails with the first node whose force is not finite
// One linear solve, counted in b->solve. Fails if memory is short or numbers are not finite. The tolerance of the solver is
// relative to the right-hand side, or to `reference`, a norm of free unknowns.
sp_status sp__drive_solve(sp_body *b, const sp_system *A, sp_coef c, const double *rhs, double *x, sp_linear_info *info);
sp_status sp__drive_solve_relative(sp_body *b, const sp_system *A, sp_coef c, const double *rhs, double reference, double *x,
                                   sp_linear_info *info);
double sp__drive_free_norm(const sp_body *b, const double *x);  // over the free unknowns

#endif
