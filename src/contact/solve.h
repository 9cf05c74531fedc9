// Solvers of the complementarity problem of problem.h. docs/contact-solvers.md explains the choice; in short:
//
// gauss-seidel     Block Gauss-Seidel with exact Coulomb cones (Jourdan, Alart and Jean 1998; Duriez 2006). Needs no
//                  factorisation and starts well from the multipliers of the last step. Its progress dies on stiff, hyperstatic
//                  problems: a stack of boxes needs thousands of sweeps.
// interior-point   Primal-dual interior point method with Nesterov-Todd scaling for second-order cones (Acary, Armand, Nguyen and
//                  Shpakovych 2023), with the non-associated term mu |u_T| inside the Newton matrix instead of an outer fixed
//                  point, followed by a semismooth Newton method on the natural map that brings the residual to rounding. One
//                  sparse factorisation per iteration, 6 to 30 iterations on most problems whatever their conditioning. Of
//                  the candidates that were measured (docs/contact-solvers.md), the only one that reached 1e-8 on every file.
// direct           Reference for at most 50 contacts: Lemke's algorithm on a faceted cone; the exact cone by semismooth Newton
//                  from there.
// auto             Cholesky for islands of bilateral rows alone. Gauss-Seidel with Anderson's acceleration; islands with too many
//                  predicted sweeps get Newton and sweeps in turns, then interior-point. Depends on rows and iterations, never on
//                  time or threads.
//
// The result has the same bits for any number of workers, unless a budget in ms expires.
#ifndef SP_CONTACT_SOLVE_H
#define SP_CONTACT_SOLVE_H

#include "contact/problem.h"

typedef enum sp_cone_method {
    SP_CONE_AUTO,
    SP_CONE_GAUSS_SEIDEL,
    SP_CONE_INTERIOR_POINT,
    SP_CONE_DIRECT,
    SP_CONE_PROJECTED_GRADIENT,  // what sp__cone_solve_operator uses
} sp_cone_method;

// What Gauss-Seidel does with one Coulomb group. projection: one step of the fixed point of Duriez (2006), cheap. newton: the
// exact solution of the problem of the group alone, with the others held (open, stick, or slip as the root of a quartic).
typedef enum sp_cone_local { SP_CONE_LOCAL_PROJECTION, SP_CONE_LOCAL_NEWTON } sp_cone_local;

// How Gauss-Seidel uses threads; the iterates are those of `sequential` to rounding. Courtecuisse 2011, algorithms 7, 8 and 9.
typedef enum sp_cone_strategy {
    SP_CONE_STRATEGY_AUTO,  // graph for islands of SP_CONE_GRAPH_NUMBERS numbers of W or more, below it sequential
    SP_CONE_SEQUENTIAL,
    SP_CONE_BLOCK,  // diagonal tile alone, then its columns in parallel
    SP_CONE_GRAPH,  // tiles in the order of their dependencies, by an atomic counter
    // for comparison, without work on their speed
    SP_CONE_ROW,      // the products of one row in parallel, then their sum
    SP_CONE_COL,      // after each group its columns in parallel
    SP_CONE_GRAPH_2,  // graph; a thread that has to wait continues with its next tile
    SP_CONE_RELAXED,  // no waits: other iterates, which depend on the threads; refused where `deterministic` is set
} sp_cone_strategy;

enum {
    SP_CONE_GRAPH_NUMBERS = 600 * 600,
    SP_CONE_TILE = 144,
    SP_CONE_DIRECT_CONTACTS = 50,
    SP_CONE_FACETS_MIN = 4,
    SP_CONE_FACETS_MAX = 32
};

// The time that solves may take. It counts the queries, so that a replay can end at the same one: then islands are solved one
// after the other. One clock may serve several solves of a step.
typedef struct sp_cone_clock {
    double end_ms;       // of sp__now_ms; 0: not yet started
    int64_t expires_at;  // replay: number of the query that finds the time over; 0: none does; -1: by the time
    int64_t queries;     // so far
    int64_t expired_at;  // number of the first query that found the time over; 0: none
} sp_cone_clock;

typedef struct sp_cone_options {
    sp_cone_method method;
    sp_cone_local local;
    sp_cone_strategy strategy;
    sp_cone_norm norm;
    double tolerance;      // of the residual in this norm; 0: exactly `sweeps`
    int sweeps;            // limit of Gauss-Seidel
    int iterations;        // limit of each of the two attempts of interior-point
    int tile;              // rows of a tile, a multiple of 3; 0: SP_CONE_TILE
    int facets;            // direct: number of facets of the cone, 4..32; 0: the exact cone
    double budget_ms;      // stops after this time; 0: none
    sp_cone_clock *clock;  // instead of budget_ms; nullable
    double work;           // limit of the flops of all factorisations of an island; 0: none
    bool whole;            // auto: groups that carry nothing are not left out
    bool undivided;        // auto: no part of an island is solved alone
    bool deterministic;    // the default: same bits for any number of workers
} sp_cone_options;

typedef struct sp_cone_info {
    sp_cone_method method;       // gauss-seidel if no island needed interior-point
    sp_status status;            // SP_OK, or SP_NOT_CONVERGED: the multipliers are the best that were reached
    bool expired;                // the budget ended the solve
    int sweeps;                  // most of any island
    int iterations;              // of interior-point and Newton: most of any island
    double work;                 // flops of factorisations
    int islands, rows, dropped;  // dropped: rows without compliance (W_ii = 0), whose multipliers are zero
    double residual;             // of the whole problem in the norm of the options
    double largest;              // SP_CONE_NORM_SCALED residual
} sp_cone_info;

typedef struct sp_cone_solver sp_cone_solver;  // the memory of a solve, kept for the next

sp_cone_options sp__cone_options_default(void);
const char *sp__cone_method_name(sp_cone_method method);
sp_status sp__cone_solver_create(sp_context *ctx, sp_cone_solver **out);
void sp__cone_solver_destroy(sp_cone_solver **solver);  // accepts NULL

// Starts from p->lambda, writes p->lambda and p->u = W lambda + q. Allocates only if the problem is larger than any before.
sp_status sp__cone_solve(sp_cone_solver *solver, sp_cone_problem *p, const sp_cone_options *options, sp_cone_info *info);

// ---- operator form, for problems whose W is too large to store

typedef struct sp_cone_operator {
    int group_count, row_count;
    const sp_cone_group *group;  // rows ascending without gaps
    const double *diagonal;      // trace of the diagonal block of each group over its rows
    const double *q;
    double *lambda, *u;                                        // as in sp_cone_problem
    void (*multiply)(void *user, const double *x, double *y);  // y = W x
    void *user;
} sp_cone_operator;

// Accelerated projected gradient with adaptive step and restart (Mazhar, Heyn, Negrut and Tasora 2015); info->sweeps counts
// products with W.
sp_status sp__cone_solve_operator(sp_context *ctx, const sp_cone_operator *op, const sp_cone_options *options,
                                  sp_cone_info *info);

#endif
