// What an integrator and a solver do when nothing else is said.
#include "core/core.h"
#include "souple/solve.h"

sp_integrator_def sp_integrator_def_default(void) {
    return (sp_integrator_def){.type = SP_IMPLICIT_EULER,
                               .iterations = 20,
                               .tolerance = 1e-8,
                               .line_search = true,
                               .load_steps = 1,
                               .substeps = 1,
                               .cookie = SP_COOKIE_INTEGRATOR};
}

sp_solver_def sp_solver_def_default(void) {
    return (sp_solver_def){
        .type = SP_SOLVER_AUTO, .op = SP_OPERATOR_AUTO, .tolerance = 1e-6, .iterations = 1000, .cookie = SP_COOKIE_SOLVER};
}
