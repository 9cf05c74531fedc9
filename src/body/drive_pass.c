// Newton's method for bodies whose contacts are constraints. The unknowns of all touching bodies are coupled by the contact
// problem, so the world makes the passes: in each one every such body is linearised at its trial state, then contacts are found,
// solved, and correct the motion (contact/constraints.h). With g = J^T lambda of the pass before, a pass solves
//
//   A dv = h f(q, v) - M (v - v0) + g,    A = M + h B + h2 K at the trial state,    v free = v + dv
//
// and the contacts replace g by their new impulses. At convergence M (v - v0) = h f + J^T lambda.
//
// Statics are the same with h2 K as the matrix and without inertia: v is then the displacement of the step over h, so that
// multipliers are impulses here too. A body that only contacts hold has a singular stiffness matrix. It gets a share of the mass
// matrix, which decreases from pass to pass. Its force is not in the residual, so that it does not change the equilibrium
// (a proximal point method).
//
// Implicit Euler of a body that one linearisation does not describe (b->accepted_gap: rods) begins with its own linearised step.
// Passes follow while the energy of the next correction, r A^-1 r, is not small against that of the motion. A pass is accepted
// if that energy is smaller than the energy of the pass itself, dv A dv. It must not be compared with r A^-1 r before the pass: a
// pass that leads out of an overlap starts with balanced forces.
#include "body/drive.h"
#include "body/tolerances.h"

static bool is_static(const sp_body *b) {
    return b->integrator.type == SP_STATIC;
}

// Fixed unknowns or springs remove the rigid motions.
static bool is_held(const sp_body *b) {
    for (int i = 0; i < b->nv; i++)
        if (b->fixed[i]) return true;
    for (int i = 0; i < b->loads.spring_count; i++)
        if (b->loads.springs[i].active && b->loads.springs[i].stiffness > 0) return true;
    return false;
}

// Loads of statics grow over the first passes.
static sp_step pass_step(const sp_body *b, const sp_step *step, int pass) {
    sp_step own = sp__body_step(b, step);
    int steps = is_static(b) ? b->integrator.load_steps : 1;
    own.exact = b->passes;
    own.load_factor = pass + 1 < steps ? (pass + 1.0) / steps : 1;
    return own;
}

static sp_coef pass_coefficients(const sp_body *b, double h, int pass) {
    if (!is_static(b)) return (sp_coef){1, h, h * h};
    return (sp_coef){is_held(b) ? 0 : fmax(SP_PROXIMAL_LEAST, pow(SP_PROXIMAL_FACTOR, pass)), 0, h * h};
}

// f at the trial state. The velocity of a static body is no velocity: dampers must not see it.
static sp_status pass_evaluate(sp_body *b, const sp_step *own) {
    double *v = b->v[SP_TRIAL];
    if (is_static(b)) {
        memset(b->work[4], 0, (size_t)b->nv * sizeof(double));
        b->v[SP_TRIAL] = b->work[4];
    }
    sp_status status = sp__drive_evaluate(b, own, SP_WANT_FORCE);
    b->v[SP_TRIAL] = v;
    return status;
}

// r = h f - M (v - v0) + g; its length without fixed unknowns. The reactions at fixed unknowns do work.
static double pass_residual(sp_body *b, double h, double *r, double *reference) {
    const double *v = b->v[SP_TRIAL], *g = b->has_contact_impulse ? b->contact_impulse : NULL;
    double *u = b->work[2], *y = b->work[3], loads = 0;
    memset(y, 0, (size_t)b->nv * sizeof *y);
    if (b->passes && b->ops->inertia) {
        b->ops->inertia(b, h, y);
    } else if (!is_static(b)) {
        for (int i = 0; i < b->nv; i++) u[i] = v[i] - b->v[SP_COMMITTED][i];
        b->ops->mass(b, u, y, false);
    }
    b->pin_work = 0;
    for (int i = 0; i < b->nv; i++) {
        r[i] = h * b->f[i] - y[i] + (g ? g[i] : 0);
        loads += g ? g[i] * g[i] : 0;
        if (b->fixed[i]) b->pin_work -= r[i] * v[i], loads += r[i] * r[i], r[i] = 0;
    }
    double size = sp__drive_norm(r, b->nv);
    *reference = fmax(*reference, fmax(size, sqrt(loads)));
    return size;
}

// A dv = r, with the rest of the way of prescribed unknowns
static sp_status pass_solve(sp_body *b, double h, double *r, double *dv) {
    const sp_system *A = &b->system;
    double *d = b->work[2], *y = b->work[3];
    sp_linear_info info;
    if (sp__drive_prescribed(b, h, 1, b->v[SP_TRIAL], d)) {
        A->mul_raw(A->o, b->coef, d, y);
        for (int i = 0; i < b->nv; i++) r[i] = b->fixed[i] ? d[i] : r[i] - y[i];
    }
    SP_TRY(sp__drive_solve(b, A, b->coef, r, dv, &info));

    return info.status;
}

// A static body that only contacts hold balances within the passes of a time step, or moves away.
int sp__drive_pass_limit(const sp_body *b) {
    const bool loose = is_static(b) && !is_held(b) && b->integrator.iterations == SP_ITERATIONS_AUTO;
    return loose ? SP_NEWTON_ITERATIONS : sp__body_iterations(b);
}

// Passes of a step that the world divides otherwise: most converge sooner, and two halves cost less than waiting.
static int pass_most(const sp_body *b, const sp_step *step) {
    const int most = sp__drive_pass_limit(b);
    return b->passes && step->divisible && most > SP_PASS_PATIENCE ? SP_PASS_PATIENCE : most;
}

static bool pass_is_far(const sp_body *b, const sp_step *step, int pass) {
    return b->passes && step->divisible && pass >= SP_PASS_PATIENCE / 2 && b->pass_error > SP_PASS_FAR;
}

// A static body that nothing holds moves further in every pass.
static sp_status pass_limit(sp_body *b) {
    if (!is_static(b) || is_held(b) || b->solve.force_residual < SP_PROXIMAL_FAR) return SP_NOT_CONVERGED;
    return SP_BODY_FAIL(b, SP_SINGULAR,
                        "static solve of '%s': no equilibrium after %d passes; neither fixed nodes nor springs hold it, and the "
                        "contacts do not balance %.3g of the load",
                        b->name, sp__drive_pass_limit(b), b->solve.force_residual);
}

// Implicit Euler: the energy of the missing correction, with the matrix of the last pass, and that of the motion. dv is scratch.
static sp_status pass_gap(sp_body *b, const double *r, double *dv, double *gap, double *energy) {
    const sp_system *A = &b->system;
    const double *v = b->v[SP_TRIAL];
    double *y = b->work[3];
    sp_linear_info info;
    SP_TRY(sp__drive_solve(b, A, b->coef, r, dv, &info));
    A->mul_raw(A->o, b->coef, v, y);
    *gap = sp__drive_dot(r, dv, b->nv), *energy = sp__drive_dot(v, y, b->nv);
    return SP_OK;
}

// The velocity and the impulses from which a pass starts, to which a pass that goes too far is shortened.
static sp_status pass_keep(sp_body *b) {
    const size_t n = (size_t)b->nv;
    if (!b->pass_start && !SP_NEW(b->ctx, b->pass_start, 2 * n + 1))
        return SP_BODY_FAIL(b, SP_NO_MEMORY, "no memory for the passes of '%s'", b->name);
    memcpy(b->pass_start, b->v[SP_TRIAL], n * sizeof *b->pass_start);
    for (size_t i = 0; i < n; i++) b->pass_start[n + i] = b->has_contact_impulse ? b->contact_impulse[i] : 0;
    b->has_pass_start = true;
    return SP_OK;
}

// The pass from its start, times a factor.
static void pass_stretch(sp_body *b, const sp_step *step, double factor) {
    const double *v = b->pass_start, *g = v + b->nv;
    for (int i = 0; i < b->nv; i++) {
        b->v[SP_TRIAL][i] = v[i] + factor * (b->v[SP_TRIAL][i] - v[i]);
        if (b->has_contact_impulse) b->contact_impulse[i] = g[i] + factor * (b->contact_impulse[i] - g[i]);
    }
    b->ops->retract(b, step, SP_COMMITTED, step->h, b->v[SP_TRIAL]);
    sp__drive_place_fixed(b);
}

// The energy of the whole pass: the correction of the forces, and what contacts have changed.
static double pass_length(sp_body *b) {
    const sp_system *A = &b->system;
    double *d = b->work[2], *y = b->work[3];
    for (int i = 0; i < b->nv; i++) d[i] = b->fixed[i] ? 0 : b->v[SP_TRIAL][i] - b->pass_start[i];
    A->mul_raw(A->o, b->coef, d, y);
    return sp__drive_dot(d, y, b->nv);
}

// The residual r at the trial state, and its gap with the matrix of the last pass; infinite where the state cannot be evaluated.
static sp_status pass_measure(sp_body *b, const sp_step *step, const sp_step *own, double *r, double *dv, double *size,
                              double *gap, double *energy) {
    *size = *gap = INFINITY;
    if (b->ops->step_too_large && b->ops->step_too_large(b, step->h, b->v[SP_TRIAL])) return SP_OK;
    sp_status status = pass_evaluate(b, own);
    if (status == SP_NOT_FINITE) return SP_OK;
    SP_TRY(status);
    *size = pass_residual(b, step->h, r, &b->pass_reference);
    return isfinite(*size) ? pass_gap(b, r, dv, gap, energy) : SP_OK;
}

// The residual at the end of a pass still points along it: the potential of the step falls all the way. Where a rod buckles,
// the forces become larger before they balance.
static bool pass_descends(const sp_body *b, const double *r) {
    double along = 0;
    for (int i = 0; i < b->nv; i++) along += r[i] * (b->v[SP_TRIAL][i] - b->pass_start[i]);
    return along >= 0;
}

// Implicit Euler: the last pass is halved while the gap after it is not smaller than its own energy (natural monotonicity test,
// Deuflhard 2004), unless it leads downhill, and halving helps.
static sp_status pass_descend(sp_body *b, const sp_step *step, const sp_step *own, double *r, double *dv, double *size,
                              bool *accurate) {
    double gap = INFINITY, energy = 0, alpha = 1, best = INFINITY;
    bool last = !b->has_pass_start;
    const double length = last ? INFINITY : pass_length(b);
    for (;;) {
        SP_TRY(pass_measure(b, step, own, r, dv, size, &gap, &energy));
        if (last || gap <= (1 - 0.25 * alpha) * (1 - 0.25 * alpha) * length) break;
        if (gap <= SP_PASS_GROWTH * length && pass_descends(b, r)) break;
        last = gap > best || alpha < (isfinite(gap) ? SP_PASS_SHORTEST : SP_PASS_LEAST);
        pass_stretch(b, step, gap > best ? 2 : 0.5);
        best = gap, alpha *= 0.5;
    }
    if (!isfinite(gap)) return sp__drive_not_finite(b);
    *accurate = gap <= b->accepted_gap * energy;
    b->pass_error = energy > 0 ? gap / energy : 0;
    b->has_pass_start = false;
    return SP_OK;
}

bool sp__drive_has_passes(const sp_body *b) {
    return b->constrained && !b->frozen && !(b->caps & SP_CAP_KINEMATIC) &&
           (b->integrator.type == SP_NEWTON || b->integrator.type == SP_STATIC || b->passes || b->repeats);
}

sp_status sp__drive_pass(sp_body *b, const sp_step *step, int pass, double accuracy, bool *converged) {
    const sp_step own = pass_step(b, step, pass);
    double *r = b->work[0], *dv = b->work[1], h = step->h;
    *converged = false;
    if (pass == 0) {
        sp__drive_begin(b);
        if (is_static(b)) memset(b->v[SP_TRIAL], 0, (size_t)b->nv * sizeof(double));
        b->solve.substeps++, b->pass_reference = 0, b->has_contact_impulse = false;
    }
    double size = 0;
    if (b->passes) {
        SP_TRY(pass_descend(b, step, &own, r, dv, &size, converged));
    } else {
        SP_TRY(pass_evaluate(b, &own));
        size = pass_residual(b, h, r, &b->pass_reference);
    }
    if (!isfinite(size)) return sp__drive_not_finite(b);
    b->solve.force_residual = b->pass_reference > 0 ? size / b->pass_reference : 0;

    if (b->repeats && (pass >= pass_most(b, step) || !sp__body_gains(b, step))) *converged = true;
    if (pass > 0 && own.load_factor == 1 && size <= fmax(b->integrator.tolerance, accuracy) * b->pass_reference) {
        *converged = true;
        return SP_OK;
    }
    if (*converged) return SP_OK;
    if (pass >= pass_most(b, step) || pass_is_far(b, step, pass)) return pass_limit(b);
    SP_TRY(b->ops->linearise(b, &own, &b->system));
    b->coef = pass_coefficients(b, h, pass), b->has_system = true;
    b->compliance_ready = false;
    sp_status status = pass_solve(b, h, r, dv);
    SP_TRY(status);
    if (b->passes) SP_TRY(pass_keep(b));
    SP_TRY(sp__drive_keep_free_velocity(b));
    for (int i = 0; i < b->nv; i++) b->free_velocity[i] = b->v[SP_TRIAL][i] + dv[i];
    b->solve.newton_iterations++;
    if (pass > 0) return status;
    // the free motion of the first pass is the motion without contact
    memcpy(b->v[SP_TRIAL], b->free_velocity, (size_t)b->nv * sizeof(double));
    b->ops->retract(b, step, SP_COMMITTED, h, b->v[SP_TRIAL]);
    sp__drive_place_fixed(b);
    return status;
}

// A rod that does not converge stays where it is: its kinetic energy is lost, and no energy is added. Prescribed unknowns move.
sp_status sp__drive_stop(sp_body *b, const sp_step *step) {
    const sp_step own = sp__body_step(b, step);
    double *d = b->work[0];
    sp__drive_displacement(b, d);
    for (int i = 0; i < b->nv; i++) b->v[SP_TRIAL][i] = b->fixed[i] ? d[i] / step->h : 0;
    b->ops->retract(b, step, SP_COMMITTED, step->h, b->v[SP_TRIAL]);
    sp__drive_place_fixed(b);
    b->has_contact_impulse = false;
    b->contact_work = b->contact_pin_work = 0;
    SP_TRY(pass_evaluate(b, &own));
    pass_residual(b, step->h, b->work[0], &b->pass_reference);
    return SP_OK;
}
