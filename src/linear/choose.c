// What type="auto" becomes. docs/solvers.md has the measurements behind the rules.
//
// How many iterations plain conjugate gradients will need follows from the pace s = h2 E / (rho l2) of the stiffest element: the
// square of how many element lengths a wave of stress goes in a step. Calibrated on clamped beams of 500 to 24k tetrahedra, the
// count is near 45 sqrt(s) + 25 at a tolerance of 1e-7, up to what the size of the body allows.
#include <stdio.h>

#include "linear/solver.h"

// below this pace conjugate gradients need about a hundred iterations, which cost less than keeping a factor
static const double CALM = 3;
// above this many elements a factor leaves the nearer caches: its two passes an iteration cost more than a multigrid cycle
enum { LARGE = 10000 };
// multigrid was measured up to this contrast; beyond it a factor does not notice
static const double MIXED = 100;

static sp_solver_def preconditioned(const sp_solver_def *def, sp_preconditioner which) {
    sp_solver_def out = *def;
    out.type = SP_SOLVER_PCG;
    out.preconditioner = which;
    return out;
}

sp_solver_def sp__solver_choose(const sp_solver_def *def, const sp_solver_load *load, char *why, size_t size) {
    sp_solver_def out = *def;
    double pace = load->pace * def->step * def->step;
    if (size) why[0] = 0;
    if (def->type != SP_SOLVER_AUTO) return out;
    out.type = SP_SOLVER_CG;
    if (def->op == SP_OPERATOR_FREE) {
        snprintf(why, size, "cg: without an assembled matrix nothing else can");
    } else if (def->tolerance == 0) {
        snprintf(why, size, "cg: exactly %d iterations were asked for", def->iterations);
    } else if (!load->statics && pace < CALM) {
        snprintf(why, size, "cg: stress waves cross %.2g elements in a step of %g s, so few iterations are needed", sqrt(pace),
                 def->step);
    } else if (load->elements > LARGE && load->contrast <= MIXED) {
        out = preconditioned(def, SP_MULTIGRID);
        snprintf(why, size, "pcg with multigrid: %d elements, Young's moduli within a factor of %.3g", load->elements,
                 load->contrast);
    } else {
        out = preconditioned(def, SP_COMPLETE_CHOLESKY);
        snprintf(why, size, "pcg with cholesky: %d elements, a factor made beside the simulation is small enough to use",
                 load->elements);
    }
    return out;
}
