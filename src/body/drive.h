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
int64_t sp__body_node_of(sp_body *b, int unknown);  // user's number
double sp__drive_norm(const double *x, int n);      // summed in index order
void sp__drive_place_fixed(sp_body *b);             // fixed unknowns exactly at their targets: no drift by rounding
void sp__drive_way(sp_body *b, double *d);          // from the committed state to the targets, where fixed
// d = share (target - q committed) / s - v on fixed unknowns, 0 elsewhere; true: something is to move
bool sp__drive_prescribed(sp_body *b, double s, double share, const double *v, double *d);
sp_status sp__drive_not_finite(sp_body *b);  // the failure that names the first such force
// One linear solve, counted in b->solve. Fails for want of memory and for numbers that are not finite.
sp_status sp__drive_solve(sp_body *b, const sp_system *A, sp_coef c, const double *rhs, double *x, sp_linear_info *info);

// Mixing of the last corrections where the tangent is not exact; reset at the start of every solve.
enum { SP_ANDERSON_DEPTH = 6 };
typedef struct sp_anderson {
    sp_body *b;
    int count, next;  // pairs kept, place of the next
    bool started;
} sp_anderson;
sp_status sp__anderson_begin(sp_anderson *a, sp_body *b);
bool sp__anderson_mix(sp_anderson *a, const double *x, double *d);  // d at x becomes a better direction; false: stays
void sp__anderson_plain(const sp_anderson *a, double *d);           // the last d before mixing
void sp__anderson_restart(sp_anderson *a);

// Newton's method on r(x) = s f(q0 (+) s x) - m M (x - x0) = 0, which is implicit Euler for s = h, m = 1, x = v, and
// statics for s = 1, m = 0, x = displacement. Solved with A = m M + s B + s2 K.
typedef struct sp_newton {
    sp_body *b;
    const sp_step *step;
    sp_anderson mixing;
    double s, m;
    double *x;         // iterate; dynamics: the trial velocity itself
    const double *x0;  // where the inertia term starts
    double noise;      // |r| that rounding alone can make
    double first;      // |r| that the tolerance is relative to
    double size;       // |r| now
    double reaction;   // work of what holds the fixed unknowns, along x [J]
    double merit;      // m/2 |x - x0|_M2 + energy now
    bool damped;       // B is not zero: the merit above has no minimum at r = 0
} sp_newton;

// Refuses (SP_SINGULAR) where statics have unknowns without stiffness. SP_NOT_CONVERGED at the limit of iterations.
sp_status sp__newton_solve(sp_newton *n);

#endif
