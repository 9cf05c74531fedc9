/// Time integrators and linear solvers of bodies, and their reports.
#ifndef SOUPLE_SOLVE_H
#define SOUPLE_SOLVE_H

#include <math.h>

#include "base.h"

/// Automatic choice by the library: numbers use this value (NaN), enumerations their member ..._AUTO.
#define SP_AUTO ((double)NAN)

#ifdef __cplusplus
extern "C" {
#endif

/// How the state of a body is advanced by a step.
typedef enum sp_integrator_type {
    SP_IMPLICIT_EULER,  ///< one linearisation per step (Baraff and Witkin 1998)
    SP_NEWTON,          ///< implicit Euler solved to `tolerance`
    SP_EXPLICIT,        ///< symplectic Euler; the critical step is reported
    SP_STATIC           ///< each step computes the equilibrium under the loads at its end
} sp_integrator_type;

enum {
    SP_SUBSTEPS_AUTO = 0,   ///< the library chooses the number of substeps
    SP_ITERATIONS_AUTO = 0  ///< 20 iterations of Newton's method at most, in statics 200
};

/// The time integrator of a body. Start from sp_integrator_def_default().
typedef struct sp_integrator_def {
    sp_integrator_type type;  ///< default SP_IMPLICIT_EULER
    int iterations;    ///< maximum Newton iterations, >= 1, default SP_ITERATIONS_AUTO; implicit-euler of rods: 1 for exactly one
                       ///< linearisation
    double tolerance;  ///< of Newton, on the residual force relative to the first (static: to the force on fixed nodes, if
                       ///< larger), > 0, default 1e-8
    bool line_search;  ///< shorten Newton steps that do not lower the energy or the residual, default true
    int load_steps;    ///< static: loads grow in this many stages, >= 1, default 1
    int substeps;      ///< equal parts of a step, >= 1; default SP_SUBSTEPS_AUTO: one; implicit-euler of rods then divides the
                       ///< step of each strand depending on its motion. Not for static
    uint32_t cookie;   ///< set by sp_integrator_def_default(); do not touch
} sp_integrator_def;

/// The defaults listed above.
SP_API sp_integrator_def sp_integrator_def_default(void);

/// The linear solvers. docs/solvers.md explains how to choose.
typedef enum sp_solver_type {
    SP_SOLVER_AUTO,              ///< chosen from the size and the material of the body; reported in sp_solve_info
    SP_SOLVER_CG,                ///< conjugate gradients without preconditioner
    SP_SOLVER_PCG,               ///< preconditioned conjugate gradients
    SP_SOLVER_CHOLESKY,          ///< sparse factorisation each time the matrix changes
    SP_SOLVER_UPDATED_CHOLESKY,  ///< incremental Cholesky by warp-cancelling corotation: only what changed is factored again
                                 ///< (Pincon 2020)
    SP_SOLVER_DENSE,             ///< dense factorisation: small bodies, reference
    SP_SOLVER_BLOCK_TRIDIAGONAL  ///< block-banded factorisation of each strand: rods
} sp_solver_type;

/// Product with the system matrix.
typedef enum sp_operator_type {
    SP_OPERATOR_AUTO,      ///< the faster one for the backend, by measurement
    SP_OPERATOR_FREE,      ///< matrix-free, element by element
    SP_OPERATOR_ASSEMBLED  ///< 3x3 blocks, upper triangle, assembled each step
} sp_operator_type;

/// Preconditioners of conjugate gradients.
typedef enum sp_preconditioner {
    SP_BLOCK_JACOBI,       ///< diagonal blocks
    SP_JACOBI,             ///< the diagonal
    SP_SSOR,               ///< symmetric successive over-relaxation
    SP_IC,                 ///< incomplete Cholesky: entries below `drop` are dropped; 0: no fill-in
    SP_COMPLETE_CHOLESKY,  ///< complete factor of the matrix, of an age that `refresh` controls
    SP_INVERSE_FACTOR,     ///< sparse approximate inverse of the factor: two products, no triangular solves
    SP_MULTIGRID           ///< smoothed aggregation with rigid modes
} sp_preconditioner;

/// When a preconditioner is rebuilt.
typedef enum sp_refresh_policy {
    SP_REFRESH_AUTO,   ///< cheap ones each step; factors asynchronously, when the iterations grow
    SP_REFRESH_ASYNC,  ///< continuously in a background thread; steps use the last one
    SP_REFRESH_STEP,   ///< before each step
    SP_REFRESH_NEVER,  ///< once, at the start
    SP_REFRESH_EVERY   ///< every `refresh_every` steps, before the step
} sp_refresh_policy;

/// Fill-reducing ordering of a sparse factor.
typedef enum sp_ordering {
    SP_ORDER_AUTO,      ///< AMD for small matrices, nested dissection otherwise, as far as the build has them
    SP_ORDER_NATURAL,   ///< the numbering of the degrees of freedom
    SP_ORDER_AMD,       ///< approximate minimum degree (SuiteSparse)
    SP_ORDER_METIS,     ///< nested dissection of the graph (METIS)
    SP_ORDER_GEOMETRIC  ///< nested dissection by position, always available
} sp_ordering;

/// L L^T, or L D L^T with a unit diagonal in L.
typedef enum sp_factor_kind { SP_LLT, SP_LDLT } sp_factor_kind;

/// Precision of stored factors.
typedef enum sp_factor_precision {
    SP_FACTOR_AUTO,    ///< float in preconditioners, double in direct solvers
    SP_FACTOR_DOUBLE,  ///< double
    SP_FACTOR_FLOAT    ///< float; direct solvers use iterative refinement in double up to `tolerance`
} sp_factor_precision;

/// Criteria of SP_SOLVER_AUTO.
typedef struct sp_automatic_options {
    double step;    ///< expected length of steps [s], > 0, default 0.01
    double aim_ms;  ///< time that a step may take [ms], > 0; default SP_AUTO: the length of the step (real time)
} sp_automatic_options;

/// Options of SP_SOLVER_CG.
typedef struct sp_cg_options {
    sp_operator_type op;  ///< product with the matrix, default SP_OPERATOR_AUTO. With SP_OPERATOR_FREE, SP_SOLVER_AUTO chooses cg
} sp_cg_options;

/// Options of SP_SOLVER_PCG.
typedef struct sp_pcg_options {
    sp_preconditioner preconditioner;  ///< default SP_BLOCK_JACOBI
    sp_refresh_policy refresh;         ///< when it is rebuilt, default SP_REFRESH_AUTO
    int refresh_every;                 ///< SP_REFRESH_EVERY: steps, >= 1, default 1
    bool warp;                         ///< rotate an old preconditioner with the nodes, default true
    int lag;                           ///< asynchronous refresh in a deterministic world: steps from the matrix to the use of its
                                       ///< preconditioner, >= 0, default 2
    double drop;                       ///< SP_IC: relative size of dropped entries, >= 0, default 1e-3
    double omega;                      ///< SP_SSOR: relaxation factor, in (0, 2), default 1
} sp_pcg_options;

/// Options of Cholesky factors: SP_SOLVER_CHOLESKY, SP_SOLVER_UPDATED_CHOLESKY, SP_SOLVER_DENSE and preconditioners with a
/// factor.
typedef struct sp_cholesky_options {
    sp_ordering ordering;           ///< default SP_ORDER_AUTO
    sp_factor_kind factor;          ///< default SP_LLT
    sp_factor_precision precision;  ///< default SP_FACTOR_AUTO
} sp_cholesky_options;

/// Options of SP_SOLVER_UPDATED_CHOLESKY (incremental Cholesky).
typedef struct sp_updated_options {
    double threshold;       ///< error of an element above which it is refreshed [N s], >= 0; 0: all, each step. Default SP_AUTO
    double budget_ms;       ///< not deterministic: time to spend on refreshing in a step [ms], > 0; default SP_AUTO
    double budget_columns;  ///< maximum fraction of the block columns factored again in a step, in (0, 1]; default SP_AUTO
} sp_updated_options;

/// The linear solver of a body: its type, its stopping criterion, and a group of options for each type. Groups of other types
/// than the one in use are ignored. Start from sp_solver_def_default().
typedef struct sp_solver_def {
    sp_solver_type type;             ///< default SP_SOLVER_AUTO
    double tolerance;                ///< |b - Ax| / |b|; 0: exactly `iterations`, for any residual. In [0, 1), default 1e-6
    int iterations;                  ///< maximum (or exact number), >= 1, default 1000
    sp_automatic_options automatic;  ///< of SP_SOLVER_AUTO
    sp_cg_options cg;
    sp_pcg_options pcg;
    sp_cholesky_options cholesky;
    sp_updated_options updated;
    uint32_t cookie;  ///< set by sp_solver_def_default(); do not touch
} sp_solver_def;

/// The defaults listed above.
SP_API sp_solver_def sp_solver_def_default(void);

/// Statistics of the solves of one body in its last step.
typedef struct sp_solve_info {
    const char *solver;      ///< "cg (assembled)", "pcg (cholesky, async)", ...
    int linear_iterations;   ///< of all linear solves of the step
    int linear_solves;       ///< of the step
    int newton_iterations;   ///< linearisations: 1 for implicit-euler, plus the maximum over the strands; 0 for explicit
    int substeps;            ///< parts of the step, of equal or different length; rods: maximum over the strands
    double residual;         ///< largest |b - Ax|/|b| of the step: computed from x if tolerance > 0, otherwise by recurrence
    double force_residual;   ///< newton and static: |residual force| at the end relative to the first
    double critical_step;    ///< explicit: the longest stable step [s]; otherwise 0
    int refreshes;           ///< factors or preconditioners built or swapped in during the step
    int failed_refreshes;    ///< refreshes that failed (matrix not positive definite): the previous one stays in use
    int factor_age;          ///< age in steps of the matrix from which the preconditioner in use was built; -1: none
    int columns;             ///< block columns factored in the step
    int elements_refreshed;  ///< updated-cholesky: elements whose matrix was updated
    int elements_waiting;    ///< updated-cholesky: elements above the threshold that the budget defers to the next step
    double factor_flops;     ///< floating point operations of factorisations in the step, without the background thread
    double shift;            ///< diagonal shift that was necessary for a factorisation; 0: none
    sp_status status;        ///< worst of the solves: SP_OK, SP_NOT_CONVERGED, SP_NOT_SPD, SP_NOT_FINITE
} sp_solve_info;

/// Inverse of the system of a body that its contacts use (proximity).
typedef enum sp_compliance_type {
    SP_COMPLIANCE_AUTO,  ///< factor, refined: the corrected motion satisfies the equations of the step to 1e-3 of the impulses
    SP_COMPLIANCE_DIAGONAL,          ///< diagonal blocks only: contacts are not coupled
    SP_COMPLIANCE_WARPED,            ///< a factor of the first matrix, rotated with the nodes
    SP_COMPLIANCE_FACTOR,            ///< the newest factor of the solver, rotated with the nodes
    SP_COMPLIANCE_EXACT,             ///< a factor of each step
    SP_COMPLIANCE_BLOCK_TRIDIAGONAL  ///< rods: a banded factor of each step, which auto and exact are there
} sp_compliance_type;

#ifdef __cplusplus
}
#endif
#endif
