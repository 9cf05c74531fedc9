// Checks of definitions that the kinds share.
#include "body/body.h"

#define REFUSE(...) return sp__fail(error, SP_BAD_INPUT, __FILE__, __LINE__, __VA_ARGS__)

sp_status sp__body_check_systems(sp_error *error, const sp_integrator_def *in, const sp_solver_def *so) {
    if (in->cookie != SP_COOKIE_INTEGRATOR) REFUSE("integrator does not start from sp_integrator_def_default()");
    if (in->iterations < 1 || in->load_steps < 1 || in->substeps < 0 || !(in->tolerance > 0 && in->tolerance < 1))
        REFUSE("integrator: iterations = %d, load_steps = %d, each must be >= 1; substeps = %d, must be >= 0; tolerance = %g, "
               "must be "
               "in (0, 1)",
               in->iterations, in->load_steps, in->substeps, in->tolerance);
    if (so->cookie != SP_COOKIE_SOLVER) REFUSE("solver does not start from sp_solver_def_default()");
    if (so->iterations < 1 || !(so->tolerance >= 0 && so->tolerance < 1))
        REFUSE("solver: iterations = %d, must be >= 1; tolerance = %g, must be in [0, 1)", so->iterations, so->tolerance);
    return SP_OK;
}

sp_status sp__body_check_damping(sp_error *error, double by_mass, double by_stiffness) {
    if (!(by_mass >= 0 && by_mass <= 1e9)) REFUSE("rayleigh_mass = %g 1/s, must be in [0, 1e9]", by_mass);
    if (!(by_stiffness >= 0 && by_stiffness <= 1e9)) REFUSE("rayleigh_stiffness = %g s, must be in [0, 1e9]", by_stiffness);
    return SP_OK;
}
