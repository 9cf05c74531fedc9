// What an integrator and a solver do when nothing else is said.
#include "core/core.h"
#include "souple/solve.h"

sp_integrator_def sp_integrator_def_default(void) {
    return (sp_integrator_def){.type = SP_IMPLICIT_EULER,
                               .iterations = 20,
                               .tolerance = 1e-8,
                               .line_search = true,
                               .load_steps = 1,
                               .substeps = SP_SUBSTEPS_AUTO,
                               .cookie = SP_COOKIE_INTEGRATOR};
}

sp_solver_def sp_solver_def_default(void) {
    return (sp_solver_def){.type = SP_SOLVER_AUTO,
                           .op = SP_OPERATOR_AUTO,
                           .tolerance = 1e-6,
                           .iterations = 1000,
                           .preconditioner = SP_BLOCK_JACOBI,
                           .refresh = SP_REFRESH_AUTO,
                           .refresh_every = 1,
                           .warp = true,
                           .lag = 2,
                           .ordering = SP_ORDER_AUTO,
                           .factor = SP_LLT,
                           .precision = SP_FACTOR_AUTO,
                           .threshold = NAN,
                           .budget_ms = NAN,
                           .aim_ms = NAN,
                           .budget_columns = NAN,
                           .step = 0.01,
                           .drop = 1e-3,
                           .omega = 1,
                           .cookie = SP_COOKIE_SOLVER};
}
