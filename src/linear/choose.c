// What type="auto" becomes. docs/solvers.md has the measurements behind the rules.
//
// How many iterations plain conjugate gradients will need follows from the pace s = h2 E / (rho l2) of the stiffest element: the
// square of how many element lengths a wave of stress goes in a step. Calibrated on clamped beams of 500 to 24k tetrahedra, the
// count is near 45 sqrt(s) + 25 at a tolerance of 1e-7, up to what the size of the body allows.
//
// The estimates of time were measured on two cores at 2.8 GHz and nowhere else: enough to see that a factor would be old before
// it is used, and to warn of a body that is far too large for the time there is.
#include <stdio.h>

#include "linear/solver.h"

// below this pace conjugate gradients need about a hundred iterations, which cost less than keeping a factor
static const double CALM = 3;
// above this many elements a factor leaves the nearer caches: its two passes an iteration cost more than a multigrid cycle
enum { LARGE = 10000 };
// multigrid was measured up to this contrast; beyond it a factor does not notice
static const double MIXED = 100;

// a factor that arrives later than this many steps has lost most of its worth (docs/bench.md, update strategies)
static const double STALE = 10;

// milliseconds of a factor made beside the steps: 0.92 at 3,000 elements, 37 at 24,000
static double factor_ms(int elements) {
    return 0.92 * pow(elements / 3000.0, 1.77);
}

// milliseconds of a step by conjugate gradients (3.3 ns per element and iteration) and by what is preconditioned
static double cg_ms(int elements, double pace) {
    return 1e-6 * elements * (70 + 3.3 * (45 * sqrt(pace) + 25));
}

static double preconditioned_ms(int elements) {
    return 4e-4 * elements;
}

// what is expected where that is more than there is
static void warn(double expected, double aim, char *why, size_t size) {
    size_t at = size ? strlen(why) : 0;
    if (expected > aim && at < size)
        snprintf(why + at, size - at, "; expect about %.2g ms a step, more than the %.3g ms there are", expected, aim);
}

static sp_solver_def preconditioned(const sp_solver_def *def, sp_preconditioner which) {
    sp_solver_def out = *def;
    out.type = SP_SOLVER_PCG;
    out.preconditioner = which;
    return out;
}

sp_solver_def sp__solver_choose(const sp_solver_def *def, const sp_solver_load *load, char *why, size_t size) {
    sp_solver_def out = *def;
    double pace = load->pace * def->step * def->step, aim = isnan(def->aim_ms) ? 1e3 * def->step : def->aim_ms;
    double expected = preconditioned_ms(load->elements);
    bool large = load->elements > LARGE, late = factor_ms(load->elements) > STALE * aim;
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
        expected = cg_ms(load->elements, pace);
    } else if ((large || (late && !load->statics)) && load->contrast <= MIXED) {
        out = preconditioned(def, SP_MULTIGRID);
        if (large)
            snprintf(why, size, "pcg with multigrid: %d elements, Young's moduli within a factor of %.3g", load->elements,
                     load->contrast);
        else
            snprintf(why, size, "pcg with multigrid: a factor would be more than %.0f steps of %.3g ms old when it is made",
                     STALE, aim);
    } else {
        out = preconditioned(def, SP_COMPLETE_CHOLESKY);
        snprintf(why, size, "pcg with cholesky: %d elements, a factor made beside the simulation is small enough to use",
                 load->elements);
    }
    if (!load->statics && def->op != SP_OPERATOR_FREE && def->tolerance > 0) warn(expected, aim, why, size);
    return out;
}
