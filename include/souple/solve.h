/// How a body moves through time and how its linear systems are solved; what the solvers report.
#ifndef SOUPLE_SOLVE_H
#define SOUPLE_SOLVE_H

#include <math.h>

#include "base.h"

/// The one way to say "auto": of a number it is this value (NaN), of an enumeration its member ..._AUTO. The library then
/// chooses.
#define SP_AUTO ((double)NAN)

#ifdef __cplusplus
extern "C" {
#endif

/// How the state of a body is advanced by a step.
typedef enum sp_integrator_type {
    SP_IMPLICIT_EULER,  ///< one linearisation a step (Baraff and Witkin 1998)
    SP_NEWTON,          ///< implicit Euler solved to `tolerance`
    SP_EXPLICIT,        ///< symplectic Euler; the critical step is reported
    SP_STATIC           ///< each step finds the equilibrium under the loads of its end time
} sp_integrator_type;

enum { SP_SUBSTEPS_AUTO = 0 };  ///< the number of substeps is the library's choice

/// The time integrator of a body. Start from sp_integrator_def_default().
typedef struct sp_integrator_def {
    sp_integrator_type type;  ///< default SP_IMPLICIT_EULER
    int iterations;  ///< Newton iterations at most, >= 1, default 20; implicit-euler of rods: 1 for one linearisation and no more
    double tolerance;  ///< of Newton, on the residual force relative to the first (static: to the force on fixed nodes, if
                       ///< larger), > 0, default 1e-8
    bool line_search;  ///< shorten Newton steps that do not lower the energy or the residual, default true
    int load_steps;    ///< static: loads grow in this many stages, >= 1, default 1
    int substeps;      ///< equal parts of a step, >= 1; default SP_SUBSTEPS_AUTO: one, and implicit-euler of rods divides the
                       ///< step of each strand as its motion needs; not static
    uint32_t cookie;   ///< set by sp_integrator_def_default(); do not touch
} sp_integrator_def;

/// The defaults said above.
SP_API sp_integrator_def sp_integrator_def_default(void);

/// docs/solvers.md tells how to choose.
typedef enum sp_solver_type {
    SP_SOLVER_AUTO,              ///< picked from the size and the material of the body; sp_solve_info says what
    SP_SOLVER_CG,                ///< conjugate gradients, nothing in front
    SP_SOLVER_PCG,               ///< with a preconditioner
    SP_SOLVER_CHOLESKY,          ///< a sparse factor each time the matrix changes
    SP_SOLVER_UPDATED_CHOLESKY,  ///< incremental Cholesky by warp-cancelling corotation: only what changed is factored again
                                 ///< (Pincon 2020)
    SP_SOLVER_DENSE,             ///< a dense factor: small bodies, reference
    SP_SOLVER_BLOCK_TRIDIAGONAL  ///< a factor within the band of a chain, part by part: rods
} sp_solver_type;

/// How a product with the system matrix is made.
typedef enum sp_operator_type {
    SP_OPERATOR_AUTO,      ///< the one measured to be faster for the backend
    SP_OPERATOR_FREE,      ///< element by element, nothing assembled
    SP_OPERATOR_ASSEMBLED  ///< 3x3 blocks, one triangle, filled each step
} sp_operator_type;

/// What stands in front of conjugate gradients.
typedef enum sp_preconditioner {
    SP_BLOCK_JACOBI,       ///< diagonal blocks
    SP_JACOBI,             ///< the diagonal
    SP_SSOR,               ///< symmetric successive over-relaxation
    SP_IC,                 ///< incomplete Cholesky: entries below `drop` are left out; 0: all that A does not have
    SP_COMPLETE_CHOLESKY,  ///< a factor of the whole, as old as `refresh` allows
    SP_INVERSE_FACTOR,     ///< sparse approximate inverse of the factor: two products, no triangular solves
    SP_MULTIGRID           ///< smoothed aggregation with rigid modes
} sp_preconditioner;

/// When a preconditioner is rebuilt.
typedef enum sp_refresh_policy {
    SP_REFRESH_AUTO,   ///< cheap ones each step; factors asynchronously, when the iterations grow
    SP_REFRESH_ASYNC,  ///< in a thread of its own, again and again; the step goes on with the last one
    SP_REFRESH_STEP,   ///< each step, before it
    SP_REFRESH_NEVER,  ///< once, at the start
    SP_REFRESH_EVERY   ///< every `refresh_every` steps, before the step
} sp_refresh_policy;

/// Fill-reducing ordering of a sparse factor.
typedef enum sp_ordering {
    SP_ORDER_AUTO,      ///< AMD for small matrices, nested dissection for others, by what is built in
    SP_ORDER_NATURAL,   ///< as the unknowns are numbered
    SP_ORDER_AMD,       ///< approximate minimum degree (SuiteSparse)
    SP_ORDER_METIS,     ///< nested dissection of the graph (METIS)
    SP_ORDER_GEOMETRIC  ///< nested dissection by position, our own
} sp_ordering;

/// L L^T, or L D L^T with a unit diagonal in L.
typedef enum sp_factor_kind { SP_LLT, SP_LDLT } sp_factor_kind;

/// Numbers that factors are kept in.
typedef enum sp_factor_precision {
    SP_FACTOR_AUTO,    ///< float in preconditioners, double in direct solvers
    SP_FACTOR_DOUBLE,  ///< double
    SP_FACTOR_FLOAT    ///< float; direct solvers correct the answer in double until `tolerance`
} sp_factor_precision;

/// What SP_SOLVER_AUTO chooses by.
typedef struct sp_automatic_options {
    double step;    ///< length of the steps to expect [s], > 0, default 0.01
    double aim_ms;  ///< time that a step may take [ms], > 0; default SP_AUTO: as long as the step stands for
} sp_automatic_options;

/// SP_SOLVER_CG.
typedef struct sp_cg_options {
    sp_operator_type op;  ///< product with the matrix, default SP_OPERATOR_AUTO. SP_OPERATOR_FREE leaves cg alone to choose
} sp_cg_options;

/// SP_SOLVER_PCG.
typedef struct sp_pcg_options {
    sp_preconditioner preconditioner;  ///< default SP_BLOCK_JACOBI
    sp_refresh_policy refresh;         ///< when it is rebuilt, default SP_REFRESH_AUTO
    int refresh_every;                 ///< SP_REFRESH_EVERY: steps, >= 1, default 1
    bool warp;                         ///< rotate an old preconditioner with the nodes, default true
    int lag;                           ///< asynchronous: steps from the matrix to the use of what is built from it, where the
                                       ///< world is deterministic, >= 0, default 2
    double drop;                       ///< SP_IC: relative size of what is left out, >= 0, default 1e-3
    double omega;                      ///< SP_SSOR: relaxation factor, in (0, 2), default 1
} sp_pcg_options;

/// Cholesky factors: of SP_SOLVER_CHOLESKY, SP_SOLVER_UPDATED_CHOLESKY, SP_SOLVER_DENSE and of preconditioners made of a factor.
typedef struct sp_cholesky_options {
    sp_ordering ordering;           ///< default SP_ORDER_AUTO
    sp_factor_kind factor;          ///< default SP_LLT
    sp_factor_precision precision;  ///< default SP_FACTOR_AUTO
} sp_cholesky_options;

/// SP_SOLVER_UPDATED_CHOLESKY (incremental Cholesky).
typedef struct sp_updated_options {
    double threshold;       ///< error of an element above which it is refreshed [N s], >= 0; 0: all, each step. Default SP_AUTO
    double budget_ms;       ///< not deterministic: time to spend on refreshing in a step [ms], > 0; default SP_AUTO
    double budget_columns;  ///< share of the block columns factored again in a step at most, in (0, 1]; default SP_AUTO
} sp_updated_options;

/// The linear solver of a body: its type, when it stops, and a group of options for each type. Groups of other types than the one
/// in use are ignored. Start from sp_solver_def_default().
typedef struct sp_solver_def {
    sp_solver_type type;             ///< default SP_SOLVER_AUTO
    double tolerance;                ///< |b - Ax| / |b|; 0: exactly `iterations`, whatever the residual. In [0, 1), default 1e-6
    int iterations;                  ///< at most (or exactly), >= 1, default 1000
    sp_automatic_options automatic;  ///< of SP_SOLVER_AUTO
    sp_cg_options cg;
    sp_pcg_options pcg;
    sp_cholesky_options cholesky;
    sp_updated_options updated;
    uint32_t cookie;  ///< set by sp_solver_def_default(); do not touch
} sp_solver_def;

/// The defaults said above.
SP_API sp_solver_def sp_solver_def_default(void);

/// What the solves of one body did in its last step.
typedef struct sp_solve_info {
    const char *solver;      ///< "cg (assembled)", "pcg (cholesky, async)", ...
    int linear_iterations;   ///< of all linear solves of the step
    int linear_solves;       ///< of the step
    int newton_iterations;   ///< linearisations: 1 for implicit-euler, and those of the strand that needed most; 0 for explicit
    int substeps;            ///< equal or unequal parts that the step was made in; rods: of the strand that needed most
    double residual;         ///< worst |b - Ax|/|b| of the step: computed from x where tolerance > 0, by recurrence otherwise
    double force_residual;   ///< newton and static: |residual force| at the end relative to the first
    double critical_step;    ///< explicit: the longest stable step [s]; otherwise 0
    int refreshes;           ///< factors or preconditioners built or swapped in during the step
    int failed_refreshes;    ///< that could not be built (matrix not positive definite): the one before stays in use
    int factor_age;          ///< steps since the matrix that the preconditioner in use was built from; -1: none
    int columns;             ///< block columns of factors made in the step
    int elements_refreshed;  ///< updated-cholesky: elements whose matrix was brought up to date
    int elements_waiting;    ///< updated-cholesky: above the threshold, put off to the next step by the budget
    double factor_flops;     ///< spent on factors in the step, background thread not counted
    double shift;            ///< that had to be added to a diagonal; 0: none
    sp_status status;        ///< worst of the solves: SP_OK, SP_NOT_CONVERGED, SP_NOT_SPD, SP_NOT_FINITE
} sp_solve_info;

#ifdef __cplusplus
}
#endif
#endif
