// Entries of the list of parameters that several kinds share, and the check of a definition against an entry.
#ifndef SP_PARAMS_H
#define SP_PARAMS_H

#include "core/core.h"
#include "souple/world.h"

extern const sp_param_spec sp__param_density, sp__param_poisson, sp__param_rayleigh_mass, sp__param_rayleigh_stiffness,
    sp__param_solver_tolerance, sp__param_solver_iterations, sp__param_mass;

// Fails for a value outside the range of a definition: "section 2: young = 0 Pa, must be in (0, 1e15]". `where` is the prefix.
sp_status sp__param_check(sp_error *error, const char *where, const sp_param_spec *spec, double value);
bool sp__param_editable(const sp_param_spec *spec, double value);  // the value is in the range of an edit

#endif
