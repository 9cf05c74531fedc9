// The choice of type="auto". docs/solvers.md has the measurements behind the rules.
//
// The iterations of plain conjugate gradients follow from the stiffness number s = h2 E / (rho l2) of the stiffest element: the
// square of the number of element lengths that a stress wave travels in a step. Calibrated on clamped beams of 500 to 24k
// tetrahedra, the count is about 45 sqrt(s) + 25 at a tolerance of 1e-7, up to a limit that depends on the size of the body.
//
// The time estimates were measured only on two cores at 2.8 GHz. This is enough to see that a factor would be stale before it is
// used, and to warn of a body that is far too large for the time available.
#include <stdio.h>

#include "linear/solver.h"

// below this stiffness number conjugate gradients need about a hundred iterations, which cost less than keeping a factor
static const double NOT_STIFF = 3;
// above this many elements a factor no longer fits into the inner caches: its two passes per iteration cost more than a multigrid
// cycle
enum { LARGE = 10000 };
// multigrid was measured up to this contrast of stiffness; a factor does not depend on the contrast
static const double MIXED = 100;

// a factor that is ready only after this many steps is of little use (docs/bench.md, update strategies)
static const double STALE = 10;

// milliseconds of a factorisation on the background thread: 0.92 at 3,000 elements, 37 at 24,000
static double factor_ms(int elements) {
    return 0.92 * pow(elements / 3000.0, 1.77);
}

// milliseconds of a step with conjugate gradients (3.3 ns per element and iteration), and with a preconditioner
static double cg_ms(int elements, double stiffness_number) {
    return 1e-6 * elements * (70 + 3.3 * (45 * sqrt(stiffness_number) + 25));
}

static double preconditioned_ms(int elements) {
    return 4e-4 * elements;
}

// a step of a membrane with a factorisation: 3.4 at 4264 triangles, the factor grows with the power 3/2
static double surface_ms(int elements) {
    return 8e-4 * elements * sqrt(fmax(1, elements / 4264.0));
}

// appends a warning if the expected time exceeds the available time
static void warn_of_time(double expected, double aim, char *why, size_t size) {
    size_t at = size ? strlen(why) : 0;
    if (expected > aim && at < size)
        snprintf(why + at, size - at, "; expect about %.2g ms a step, more than the %.3g ms available", expected, aim);
}

static sp_solver_def choose_preconditioned(const sp_solver_def *def, sp_preconditioner which) {
    sp_solver_def out = *def;
    out.type = SP_SOLVER_PCG;
    out.pcg.preconditioner = which;
    return out;
}

sp_solver_def sp__solver_choose(const sp_solver_def *def, const sp_problem_stats *stats, char *why, size_t size) {
    sp_solver_def out = *def;
    double stiffness_number = stats->stiffness_number * def->automatic.step * def->automatic.step,
           aim = isnan(def->automatic.aim_ms) ? 1e3 * def->automatic.step : def->automatic.aim_ms;
    double expected = preconditioned_ms(stats->elements);
    bool large = stats->elements > LARGE, late = factor_ms(stats->elements) > STALE * aim;
    if (size) why[0] = 0;
    if (def->type != SP_SOLVER_AUTO) return out;
    out.type = SP_SOLVER_CG;
    if (def->cg.op == SP_OPERATOR_FREE) {
        snprintf(why, size, "cg: the only solver without an assembled matrix");
    } else if (def->tolerance == 0) {
        snprintf(why, size, "cg: exactly %d iterations were requested", def->iterations);
    } else if (!stats->statics && stiffness_number < NOT_STIFF) {
        snprintf(why, size, "cg: stress waves cross %.2g elements in a step of %g s, so few iterations are needed",
                 sqrt(stiffness_number), def->automatic.step);
        expected = cg_ms(stats->elements, stiffness_number);
    } else if (stats->surface) {
        out.type = SP_SOLVER_CHOLESKY;
        snprintf(why, size, "cholesky: the factor of %d triangles is cheap, and folds change their stiffness in every step",
                 stats->elements);
        expected = surface_ms(stats->elements);
    } else if ((large || (late && !stats->statics)) && stats->contrast <= MIXED) {
        out = choose_preconditioned(def, SP_MULTIGRID);
        if (large)
            snprintf(why, size, "pcg with multigrid: %d elements, Young's moduli within a factor of %.3g", stats->elements,
                     stats->contrast);
        else
            snprintf(why, size, "pcg with multigrid: a factor would be more than %.0f steps of %.3g ms old when it is ready",
                     STALE, aim);
    } else {
        out = choose_preconditioned(def, SP_COMPLETE_CHOLESKY);
        snprintf(why, size, "pcg with cholesky: %d elements, a factor built in the background is small enough to use",
                 stats->elements);
    }
    if (!stats->statics && def->cg.op != SP_OPERATOR_FREE && def->tolerance > 0) warn_of_time(expected, aim, why, size);
    return out;
}
