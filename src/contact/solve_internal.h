// What the solvers of one island share. All vectors are in the solver's order (problem.h).
#ifndef SP_CONTACT_SOLVE_INTERNAL_H
#define SP_CONTACT_SOLVE_INTERNAL_H

#include "contact/factor.h"
#include "contact/kernels.h"
#include "contact/solve.h"

// A block of positions [begin, end) whose rows are [row, row_end): an island, or a tile of it.
typedef struct sp_cone_span {
    int begin, end;
    int row, row_end;
} sp_cone_span;

// The outcome of one island.
typedef struct sp_cone_outcome {
    bool converged, stalled, expired;  // stalled: Gauss-Seidel would need too many sweeps
    bool interior;                     // went to the interior point method
    int sweeps, iterations;
    double error;  // of the last sweep, as each group was visited
    double work;   // flops of factorisations
} sp_cone_outcome;

// One problem during a solve. Arrays over all rows are in the solver's order.
typedef struct sp_cone_run_state {
    sp_context *ctx;
    const sp_cone_problem *p;
    const sp_cone_options *o;
    const sp_cone_kernels *kernels;
    double *q, *x, *u;     // x: multipliers
    double *weight;        // per position: trace of the diagonal block over its rows; 0: the group is dropped
    double *t;             // per row: partial sums, arguments of products
    double *best;          // multipliers with the least error so far
    double limit;          // what the residual of an island must reach: e of sp__cone_island_error
    sp_cone_clock *clock;  // NULL: no budget
    double *spent;         // flops of the factorisations of the island
} sp_cone_run_state;

bool sp__cone_expired(const sp_cone_run_state *s);  // the time is over; called in an order that does not depend on threads

// Whether the time or the work of factorisations is used up. The work depends on rows only, so that results do not depend on
// time.
bool sp__cone_spent(const sp_cone_run_state *s);
// numbers of W of an island
double sp__cone_island_numbers(const sp_cone_problem *p, const sp_cone_span *island);
// Square of the error of the groups so far, extended by the group at a position: the sum of |e|^2 (plain) or the largest |w e|^2
// (scaled).
double sp__cone_group_error(const sp_cone_run_state *s, int position, const double *x, const double *u, double error);
// Error of an island at the multipliers x and the violations u, comparable with `limit`.
double sp__cone_island_error(const sp_cone_run_state *s, const sp_cone_span *island, const double *x, const double *u);
// u = W x + q for the positions of an island
void sp__cone_island_violation(const sp_cone_run_state *s, const sp_cone_span *island, const double *x, double *u);
// sum (rows of the panel) += panel times x over the columns [from, to)
void sp__cone_panel_multiply(const sp_cone_run_state *s, int position, int from, int to, const double *x, double *sum);

// New multipliers of one group: x and u in, x out. w: its diagonal block, whose rows are ld apart.
void sp__cone_local(const sp_cone_group *g, sp_cone_local local, double weight, const double *w, ptrdiff_t ld, const double *u,
                    double *x);

// Gauss-Seidel on one island, up to `sweeps` sweeps. parallel: may use the context's workers.
void sp__cone_sweep(const sp_cone_run_state *s, const sp_cone_span *island, int sweeps, bool parallel, sp_cone_outcome *out);

// Gauss-Seidel with Anderson's acceleration (anderson.c), up to `sweeps` sweeps. Ends with `stalled` where, after
// `patience` sweeps, more than `worth` are to be expected. Adds to the sweeps of the outcome.
enum { SP_CONE_HISTORY = 5 };
typedef struct sp_cone_history {
    double *x, *g, *f, *now;                            // per row: point before a sweep, after it, difference; of this sweep
    double *df[SP_CONE_HISTORY], *dg[SP_CONE_HISTORY];  // changes of f and g from sweep to sweep
    int count, next, steps;
    double square;  // of f
} sp_cone_history;
void sp__cone_accelerated(const sp_cone_run_state *s, const sp_cone_span *island, sp_cone_history h, int sweeps, bool parallel,
                          int patience, double worth, sp_cone_outcome *out);

// Interior point and semismooth Newton on one island (interior.c). `prepare` comes first; SP_LIMIT: the island is
// too large, or one factorisation would need more than most_flops.
typedef struct sp_cone_interior sp_cone_interior;
sp_status sp__cone_interior_create(sp_context *ctx, sp_cone_interior **out);
void sp__cone_interior_destroy(sp_cone_interior **w);  // accepts NULL
sp_status sp__cone_interior_prepare(sp_cone_interior *w, const sp_cone_run_state *s, const sp_cone_span *island,
                                    double most_flops);
// From a cold start; *best is the error of s->best, which both functions improve. Returns whether *best is below the limit; *done
// counts factorisations.
bool sp__cone_interior_solve(sp_cone_interior *w, const sp_cone_run_state *s, int iterations, double *best, int *done);
// Semismooth Newton from s->x. `full` is for points that are not close to a solution: it does not shorten its steps,
// and ends where five of them have not reduced the norm.
bool sp__cone_newton_full(sp_cone_interior *w, const sp_cone_run_state *s, int iterations, double *best, int *done);
bool sp__cone_newton_solve(sp_cone_interior *w, const sp_cone_run_state *s, int iterations, double *best, int *done);

// Solves an island without the groups that carry nothing (active_set.c). Leaves out->converged false where that does not pay or
// does not succeed; s->x is then a start for the other methods.
typedef struct sp_cone_active sp_cone_active;
sp_status sp__cone_active_create(sp_context *ctx, sp_cone_active **out);
void sp__cone_active_destroy(sp_cone_active **active);  // accepts NULL
sp_status sp__cone_active_solve(sp_cone_active *a, const sp_cone_run_state *s, const sp_cone_span *island, sp_cone_outcome *out);
// The groups of a large island whose laws the sweeps do not satisfy, and their neighbours, as problems of their own, with sweeps
// in turns. Leaves out->converged as above.
sp_status sp__cone_part_solve(sp_cone_active *a, const sp_cone_run_state *s, const sp_cone_span *island, sp_cone_history h,
                              sp_cone_outcome *out);

// Islands of bilateral rows alone (linear_island.c). index: number of the island. Leaves out->converged false where rows repeat
// or contradict each other; s->x is then a start for the other methods.
typedef struct sp_cone_linear sp_cone_linear;
sp_status sp__cone_linear_create(sp_context *ctx, sp_cone_linear **out);
void sp__cone_linear_destroy(sp_cone_linear **linear);  // accepts NULL
bool sp__cone_is_linear(const sp_cone_run_state *s, const sp_cone_span *island);
sp_status sp__cone_linear_solve(sp_cone_linear *a, const sp_cone_run_state *s, int index, const sp_cone_span *island,
                                sp_cone_outcome *out);

// Lemke's algorithm on the faceted cone of an island (facets.c). Writes s->x. SP_NOT_CONVERGED: it ended on a ray, or cycled.
sp_status sp__cone_facets(const sp_cone_run_state *s, const sp_cone_span *island, int facets, int *pivots);

#endif
