// What the drivers share. A driver starts from the committed state and leaves the end of the step in the trial state.
#ifndef SP_DRIVE_H
#define SP_DRIVE_H

#include "body/body.h"

// One step or substep by each method, in the context that sp__body_step made.
sp_status sp__drive_implicit(sp_body *b, const sp_step *step);
sp_status sp__drive_newton(sp_body *b, const sp_step *step);
sp_status sp__drive_static(sp_body *b, const sp_step *step);
sp_status sp__drive_explicit(sp_body *b, const sp_step *whole);  // all substeps of a step
int sp__drive_substeps(const sp_body *b);                        // equal parts of a step; rods may divide these further

void sp__drive_begin(sp_body *b);  // trial = committed
// loads, then f (and energy) at the trial state
sp_status sp__drive_evaluate(sp_body *b, const sp_step *step, unsigned want);
int64_t sp__body_node_of(sp_body *b, int unknown);              // user's number
double sp__drive_norm(const double *x, int n);                  // summed in index order
double sp__drive_dot(const double *x, const double *y, int n);  // likewise
void sp__drive_place_fixed(sp_body *b);                         // fixed unknowns exactly at their targets: no drift by rounding
void sp__drive_way(sp_body *b, double *d);                      // from the committed state to the targets, where fixed
// d = share (target - q committed) / s - v on fixed unknowns, 0 elsewhere; true: something is to move
bool sp__drive_prescribed(sp_body *b, double s, double share, const double *v, double *d);
sp_status sp__drive_not_finite(sp_body *b);  // the failure that names the first such force
// One linear solve, counted in b->solve. Fails for want of memory and for numbers that are not finite.
sp_status sp__drive_solve(sp_body *b, const sp_system *A, sp_coef c, const double *rhs, double *x, sp_linear_info *info);

#endif
