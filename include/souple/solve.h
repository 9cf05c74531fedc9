/// How a body moves through time and how its linear systems are solved; what the solvers report.
#ifndef SOUPLE_SOLVE_H
#define SOUPLE_SOLVE_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum sp_integrator_type {
    SP_IMPLICIT_EULER,  ///< one linearisation a step (Baraff and Witkin 1998)
    SP_NEWTON,          ///< implicit Euler solved to `tolerance`
    SP_EXPLICIT,        ///< symplectic Euler; the critical step is reported
    SP_STATIC           ///< each step finds the equilibrium under the loads of its end time
} sp_integrator_type;

typedef struct sp_integrator_def {
    sp_integrator_type type;
    int iterations;    ///< Newton iterations at most, >= 1, default 20
    double tolerance;  ///< of Newton, on the residual force relative to the first (static: to the force on fixed nodes, if
                       ///< larger), > 0, default 1e-8
    bool line_search;  ///< default true
    int load_steps;    ///< static: loads grow in this many stages, >= 1, default 1
    int substeps;      ///< explicit: equal parts of a step, >= 1, default 1
    uint32_t cookie;
} sp_integrator_def;

SP_API sp_integrator_def sp_integrator_def_default(void);

typedef enum sp_solver_type { SP_SOLVER_AUTO, SP_SOLVER_CG } sp_solver_type;

/// How a product with the system matrix is made.
typedef enum sp_operator_type {
    SP_OPERATOR_AUTO,      ///< the one measured to be faster for the backend
    SP_OPERATOR_FREE,      ///< element by element, nothing assembled
    SP_OPERATOR_ASSEMBLED  ///< 3x3 blocks, one triangle, filled each step
} sp_operator_type;

typedef struct sp_solver_def {
    sp_solver_type type;
    sp_operator_type op;
    double tolerance;  ///< |b - Ax| / |b|; 0: exactly `iterations`, whatever the residual. In [0, 1), default 1e-6
    int iterations;    ///< at most (or exactly), >= 1, default 1000
    uint32_t cookie;
} sp_solver_def;

SP_API sp_solver_def sp_solver_def_default(void);

/// What the solves of one body did in its last step.
typedef struct sp_solve_info {
    const char *solver;     ///< "cg (assembled)", ...
    int linear_iterations;  ///< of all linear solves of the step
    int linear_solves;
    int newton_iterations;  ///< 1 for implicit-euler, 0 for explicit
    double residual;        ///< worst |b - Ax|/|b| of the step: computed from x where tolerance > 0, by recurrence otherwise
    double force_residual;  ///< newton and static: |residual force| at the end relative to the first
    double critical_step;   ///< explicit: the longest stable step [s]; otherwise 0
    sp_status status;
} sp_solve_info;

#ifdef __cplusplus
}
#endif
#endif
