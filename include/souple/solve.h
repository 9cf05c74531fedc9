/// How a body moves through time and how its linear systems are solved; what the solvers report.
#ifndef SOUPLE_SOLVE_H
#define SOUPLE_SOLVE_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

/// How a step is made.
typedef enum sp_integrator_type {
    SP_IMPLICIT_EULER,  ///< one linearisation a step (Baraff and Witkin 1998)
    SP_NEWTON,          ///< implicit Euler solved to `tolerance`
    SP_EXPLICIT,        ///< symplectic Euler; the critical step is reported
    SP_STATIC           ///< each step finds the equilibrium under the loads of its end time
} sp_integrator_type;

enum { SP_SUBSTEPS_AUTO = 0 };

/// Time integration of a body. Start from sp_integrator_def_default().
typedef struct sp_integrator_def {
    sp_integrator_type type;
    int iterations;  ///< Newton iterations at most, >= 1, default 20; implicit-euler of rods: 1 for one linearisation and no more
    double tolerance;  ///< of Newton, on the residual force relative to the first (static: to the force on fixed nodes, if
                       ///< larger), > 0, default 1e-8
    bool line_search;  ///< default true
    int load_steps;    ///< static: loads grow in this many stages, >= 1, default 1
    int substeps;      ///< equal parts of a step, >= 1; default SP_SUBSTEPS_AUTO: one, and implicit-euler of rods divides the
                       ///< step of each strand as its motion needs; not static
    uint32_t cookie;
} sp_integrator_def;

/// Every default, and a valid cookie.
SP_API sp_integrator_def sp_integrator_def_default(void);

/// docs/solvers.md tells how to choose.
typedef enum sp_solver_type {
    SP_SOLVER_AUTO,              ///< picked from the size and the material of the body; sp_solve_info says what
    SP_SOLVER_CG,                ///< conjugate gradients, nothing in front
    SP_SOLVER_PCG,               ///< with a preconditioner
    SP_SOLVER_CHOLESKY,          ///< a sparse factor each time the matrix changes
    SP_SOLVER_UPDATED_CHOLESKY,  ///< warp-cancelling corotation: only what changed is factored anew (Pincon 2020)
    SP_SOLVER_DENSE,             ///< a dense factor: small bodies, reference
    SP_SOLVER_BLOCK_TRIDIAGONAL  ///< a factor within the band of a chain, part by part: rods
} sp_solver_type;

/// How a product with the system matrix is made.
typedef enum sp_operator_type {
    SP_OPERATOR_AUTO,      ///< the one measured to be faster for the backend
    SP_OPERATOR_FREE,      ///< element by element, nothing assembled
    SP_OPERATOR_ASSEMBLED  ///< 3x3 blocks, one triangle, filled each step
} sp_operator_type;

/// What stands in front of the conjugate gradients (PCG).
typedef enum sp_preconditioner {
    SP_BLOCK_JACOBI,       ///< diagonal blocks
    SP_JACOBI,             ///< the diagonal
    SP_SSOR,               ///< symmetric successive over-relaxation
    SP_IC,                 ///< incomplete Cholesky: what falls under `drop` is left out; 0: what A has not
    SP_COMPLETE_CHOLESKY,  ///< a factor of the whole, as old as `refresh` allows
    SP_INVERSE_FACTOR,     ///< sparse approximate inverse of the factor: two products, no triangular solves
    SP_MULTIGRID           ///< smoothed aggregation with rigid modes
} sp_preconditioner;

/// When a preconditioner is made anew.
typedef enum sp_refresh_policy {
    SP_REFRESH_AUTO,   ///< cheap ones each step; factors asynchronously, when the iterations grow
    SP_REFRESH_ASYNC,  ///< in a thread of its own, again and again; the step goes on with the last one
    SP_REFRESH_STEP,   ///< each step, before it
    SP_REFRESH_NEVER,  ///< once, at the start
    SP_REFRESH_EVERY   ///< every `refresh_every` steps, before the step
} sp_refresh_policy;

/// The order in which a sparse factor eliminates its columns.
typedef enum sp_ordering {
    SP_ORDER_AUTO,
    SP_ORDER_NATURAL,
    SP_ORDER_AMD,       ///< approximate minimum degree (SuiteSparse)
    SP_ORDER_METIS,     ///< nested dissection of the graph (METIS)
    SP_ORDER_GEOMETRIC  ///< nested dissection by position, our own
} sp_ordering;

/// A = L L^T, or A = L D L^T.
typedef enum sp_factor_kind { SP_LLT, SP_LDLT } sp_factor_kind;

/// The numbers in which a factor is kept.
typedef enum sp_factor_precision {
    SP_FACTOR_AUTO,    ///< float in preconditioners, double in direct solvers
    SP_FACTOR_DOUBLE,  ///< double
    SP_FACTOR_FLOAT    ///< float; direct solvers correct the answer in double until `tolerance`
} sp_factor_precision;

/// The linear solver of a body. Start from sp_solver_def_default().
typedef struct sp_solver_def {
    sp_solver_type type;
    sp_operator_type op;
    double tolerance;  ///< |b - Ax| / |b|; 0: exactly `iterations`, whatever the residual. In [0, 1), default 1e-6
    int iterations;    ///< at most (or exactly), >= 1, default 1000
    sp_preconditioner preconditioner;  ///< of PCG, default block-Jacobi
    sp_refresh_policy refresh;         ///< default auto
    int refresh_every;                 ///< steps, >= 1, default 1
    bool warp;                         ///< turn an old preconditioner with the nodes, default true
    int lag;                           ///< asynchronous: steps between the picture of the matrix and its use where the world is
                                       ///< deterministic, >= 0, default 2
    sp_ordering ordering;              ///< of factors, default auto
    sp_factor_kind factor;
    sp_factor_precision precision;
    double threshold;       ///< updated-cholesky: error of an element above which it is refreshed [N s]; 0: all, each step; NaN:
                            ///< auto
    double budget_ms;       ///< updated-cholesky in real time: of refreshing in a step; NaN: auto
    double budget_columns;  ///< updated-cholesky: share of the block columns made anew in a step at most, in (0, 1]; NaN: auto
    double step;            ///< auto: length of the steps to expect [s], > 0, default 0.01
    double aim_ms;          ///< auto: time that a step may take [ms], > 0; NaN: as long as it stands for. Default NaN
    double drop;            ///< incomplete Cholesky: relative size of what is left out, >= 0, default 1e-3
    double omega;           ///< SSOR, in (0, 2), default 1
    uint32_t cookie;
} sp_solver_def;

/// Every default, and a valid cookie.
SP_API sp_solver_def sp_solver_def_default(void);

/// What the solves of one body did in its last step.
typedef struct sp_solve_info {
    const char *solver;     ///< "cg (assembled)", "pcg (cholesky, async)", ...
    int linear_iterations;  ///< of all linear solves of the step
    int linear_solves;
    int newton_iterations;   ///< linearisations: 1 for implicit-euler, and those of the strand that needed most; 0 for explicit
    int substeps;            ///< equal or unequal parts that the step was made in; rods: of the strand that needed most
    double residual;         ///< worst |b - Ax|/|b| of the step: computed from x where tolerance > 0, by recurrence otherwise
    double force_residual;   ///< newton and static: |residual force| at the end relative to the first
    double critical_step;    ///< explicit: the longest stable step [s]; otherwise 0
    int refreshes;           ///< factors or preconditioners made or taken over in the step
    int failed_refreshes;    ///< that could not be made (matrix not positive definite): the one before stays in use
    int factor_age;          ///< steps since the picture of the matrix that the preconditioner in use was made from; -1: none
    int columns;             ///< block columns of factors made anew in the step
    int elements_refreshed;  ///< updated-cholesky
    int elements_waiting;    ///< updated-cholesky: above the threshold, put off to the next step by the budget
    double factor_flops;     ///< spent on factors in the step, background thread not counted
    double shift;            ///< that had to be added to a diagonal; 0: none
    sp_status status;
} sp_solve_info;

#ifdef __cplusplus
}
#endif
#endif
