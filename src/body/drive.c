// The drivers (time integrators and statics): helpers of all of them, implicit Euler with one linearisation, the choice of the
// driver of a body, and substeps. The other drivers have files of their own, drive_*.c.
#include "body/drive.h"
#include "body/tolerances.h"
#include "core/share.h"

sp_integrator_def sp_integrator_def_default(void) {
    return (sp_integrator_def){.type = SP_IMPLICIT_EULER,
                               .iterations = SP_ITERATIONS_AUTO,
                               .tolerance = 1e-8,
                               .line_search = true,
                               .load_steps = 1,
                               .substeps = SP_SUBSTEPS_AUTO,
                               .cookie = SP_COOKIE_INTEGRATOR};
}

void sp__drive_begin(sp_body *b) {
    memcpy(b->q[SP_TRIAL], b->q[SP_COMMITTED], (size_t)b->nq * sizeof(double));
    memcpy(b->v[SP_TRIAL], b->v[SP_COMMITTED], (size_t)b->nv * sizeof(double));
}

sp_status sp__drive_evaluate(sp_body *b, const sp_step *step, unsigned want) {
    sp__loads_evaluate(b, step, SP_CONTACT_TRIAL);
    return b->ops->evaluate(b, step, want);
}

sp_status sp__drive_not_finite(sp_body *b) {
    for (int i = 0; i < b->nv; i++)
        if (!isfinite(b->f[i])) {
            if (b->nodes == 0) return SP_BODY_FAIL(b, SP_NOT_FINITE, "body '%s': the force on it is %g", b->name, b->f[i]);
            int64_t node = sp__body_node_of(b, i);
            sp_status s =
                SP_BODY_FAIL(b, SP_NOT_FINITE, "body '%s': the force on node %lld is %g", b->name, (long long)node, b->f[i]);
            b->error->index = node;
            return s;
        }
    return SP_BODY_FAIL(b, SP_NOT_FINITE, "body '%s': the linear solver found a value that is not finite", b->name);
}

static void count_solve(sp_solve_info *sum, const sp_linear_info *info) {
    sum->solver = info->solver;
    sum->linear_iterations += info->iterations;
    sum->linear_solves++;
    if (!(info->residual <= sum->residual)) sum->residual = info->residual;
    sum->refreshes += info->refreshes;
    sum->failed_refreshes += info->failed_refreshes;
    sum->factor_age = info->factor_age;
    sum->columns += info->columns;
    sum->elements_refreshed += info->elements_refreshed;
    sum->elements_waiting = info->elements_waiting;
    sum->factor_flops += info->factor_flops;
    sum->shift = fmax(sum->shift, info->shift);
}

double sp__drive_free_norm(const sp_body *b, const double *x) {
    double sum = 0;
    for (int i = 0; i < b->nv; i++) sum += b->fixed[i] ? 0 : x[i] * x[i];
    return sqrt(sum);
}

// share: of the right-hand side in what the tolerance is relative to
static sp_status drive_solve(sp_body *b, const sp_system *A, sp_coef c, const double *rhs, double share, double *x,
                             sp_linear_info *info) {
    if (!isfinite(sp__drive_norm(rhs, b->nv))) return sp__drive_not_finite(b);
    SP_TRY(sp__solver_solve(b->solver, A, c, rhs, x, info));
    info->residual *= share;
    count_solve(&b->solve, info);
    b->swapped = b->swapped || info->swapped;
    return info->status == SP_NOT_FINITE ? sp__drive_not_finite(b) : SP_OK;
}

sp_status sp__drive_solve(sp_body *b, const sp_system *A, sp_coef c, const double *rhs, double *x, sp_linear_info *info) {
    return drive_solve(b, A, c, rhs, 1, x, info);
}

sp_status sp__drive_solve_relative(sp_body *b, const sp_system *A, sp_coef c, const double *rhs, double reference, double *x,
                                   sp_linear_info *info) {
    const double tolerance = b->solver->def.tolerance, share = sp__drive_free_norm(b, rhs) / reference;
    if (!(tolerance > 0 && share > 0 && isfinite(share))) return sp__drive_solve(b, A, c, rhs, x, info);
    sp__solver_set(b->solver, fmin(tolerance / share, 1), b->solver->def.iterations);
    sp_status status = drive_solve(b, A, c, rhs, share, x, info);
    sp__solver_set(b->solver, tolerance, b->solver->def.iterations);
    return status;
}

void sp__drive_displacement(sp_body *b, double *d) {
    if (b->ops->difference)
        b->ops->difference(b, b->q[SP_COMMITTED], b->target, d);
    else
        for (int i = 0; i < b->nv; i++) d[i] = b->target[i] - b->q[SP_COMMITTED][i];
}

bool sp__drive_prescribed(sp_body *b, double s, double share, const double *v, double *d) {
    bool any = false;
    sp__drive_displacement(b, d);
    for (int i = 0; i < b->nv; i++) {
        d[i] = b->fixed[i] ? share * d[i] / s - v[i] : 0;
        any = any || d[i] != 0;
    }
    return any;
}

void sp__drive_place_fixed(sp_body *b) {
    if (b->ops->place_fixed) {
        b->ops->place_fixed(b);
        return;
    }
    for (int i = 0; i < b->nv; i++)
        if (b->fixed[i]) b->q[SP_TRIAL][i] = b->target[i];
}

void sp__drive_finish(sp_body *b) {
    // the passes of statics use the velocity for the displacement over h
    if (b->integrator.type == SP_STATIC && !(b->caps & SP_CAP_KINEMATIC))
        memset(b->v[SP_TRIAL], 0, (size_t)b->nv * sizeof(double));
    if (b->ops->finish) b->ops->finish(b);
}

static sp_status reserve_free_velocity(sp_body *b) {
    const size_t n = (size_t)b->nv;
    if (!b->free_velocity && !SP_NEW(b->ctx, b->free_velocity, 3 * n + 1))
        return SP_BODY_FAIL(b, SP_NO_MEMORY, "no memory for the free motion of '%s'", b->name);
    SP_LEND(b->ctx, b->free_velocity);
    b->solved_velocity = b->free_velocity + n, b->predicted = b->solved_velocity + n;
    return SP_OK;
}

sp_status sp__drive_keep_free_velocity(sp_body *b) {
    const size_t n = (size_t)b->nv;
    SP_TRY(reserve_free_velocity(b));
    if (!b->has_free_velocity) {
        memcpy(b->free_velocity, b->v[SP_TRIAL], n * sizeof *b->free_velocity);
        memcpy(b->solved_velocity, b->v[SP_TRIAL], n * sizeof *b->free_velocity);
    }
    b->has_free_velocity = true;
    return SP_OK;
}

double sp__drive_dot(const double *x, const double *y, int n) {
    double sum = 0;
    for (int i = 0; i < n; i++) sum += x[i] * y[i];
    return sum;
}

double sp__drive_norm(const double *x, int n) {
    double sum = 0;
    for (int i = 0; i < n; i++) sum += x[i] * x[i];
    return sqrt(sum);
}

// ---------------------------------------------------------------------------------------------------- implicit Euler

// Implicit Euler with one linearisation (Baraff and Witkin 1998): with f and K at the start of the step,
//   (M + h B + h2 K) dv = h f - h2 K v,   v += dv,   q += h v
// f includes the damping force -B v. The dv of prescribed unknowns is known and moves to the right-hand side.
// Elastic forces are linearised once. Contacts are linearised again, and the step is solved again from its start, until their
// forces at the end of the step agree with those of the solve (contact/penalty.h).

// The right-hand side, with the dv of fixed unknowns in their rows; d and y are scratch. True: fixed unknowns move, and `raw` is
// the right-hand side without boundary conditions.
static bool implicit_right_hand_side(sp_body *b, const sp_system *A, double h, double *rhs, double *raw, double *d, double *y) {
    const double *v = b->v[SP_TRIAL];
    A->mul_raw(A->o, (sp_coef){0, 0, 1}, v, y);
    for (int i = 0; i < b->nv; i++) rhs[i] = h * b->f[i] - h * h * y[i];
    bool changes = sp__drive_prescribed(b, h, 1, v, d), moves = false;
    for (int i = 0; i < b->nv; i++) moves = moves || (b->fixed[i] && v[i] + d[i] != 0);
    if (moves) memcpy(raw, rhs, (size_t)b->nv * sizeof *raw);
    if (changes) {
        A->mul_raw(A->o, (sp_coef){1, h, h * h}, d, y);
        for (int i = 0; i < b->nv; i++) rhs[i] -= y[i];
    }
    for (int i = 0; i < b->nv; i++)
        if (b->fixed[i]) rhs[i] = d[i];
    return moves;
}

// work of the reactions at fixed unknowns: their impulse A dv - raw times their velocity
static double implicit_reaction_work(sp_body *b, const sp_system *A, double h, const double *dv, const double *raw, double *y) {
    double work = 0;
    A->mul_raw(A->o, (sp_coef){1, h, h * h}, dv, y);
    for (int i = 0; i < b->nv; i++)
        if (b->fixed[i]) work += (y[i] - raw[i]) * b->v[SP_TRIAL][i];
    return work;
}

// Impulses of contacts change little from step to step, and what an iterative solver and the inverse of an old factor make of
// them has to be corrected in every step (refine, contact/constraints.c). Those of the last step therefore act already in the
// free motion: A dv = b + p. Contact by constraints takes them out again, with the inverse that its own impulses use. A body at
// rest then needs hardly an iteration.
static sp_status implicit_predict(sp_body *b, const sp_step *step, double *rhs) {
    const double *last = step->constraints && b->compliance ? sp__compliance_impulse(b->compliance) : NULL;
    double h = last ? last[b->nv] : 0;
    if (last && b->part_h > 0) last = b->part_impulse, h = b->part_h;
    if (h == 0) return SP_OK;
    SP_TRY(reserve_free_velocity(b));
    for (int i = 0; i < b->nv; i++) {
        b->predicted[i] = b->fixed[i] ? 0 : step->h / h * last[i];
        rhs[i] += b->predicted[i];
    }
    b->is_predicted = true;
    return SP_OK;
}

// one linear solve: from f and the contacts at the start of the step to the trial state
static sp_status implicit_solve(sp_body *b, const sp_step *step, sp_system *A) {
    double *rhs = b->work[0], *dv = b->work[1], *raw = b->work[3], *v = b->v[SP_TRIAL], h = step->h;
    sp_linear_info info;
    SP_TRY(b->ops->evaluate(b, step, SP_WANT_FORCE));
    SP_TRY(b->ops->linearise(b, step, A));
    bool moves = implicit_right_hand_side(b, A, h, rhs, raw, dv, b->work[2]);
    const double reference = sp__drive_free_norm(b, rhs);
    SP_TRY(implicit_predict(b, step, rhs));
    SP_TRY(sp__drive_solve_relative(b, A, (sp_coef){1, h, h * h}, rhs, reference, dv, &info));
    for (int i = 0; i < b->nv; i++) v[i] += dv[i];
    b->pin_work = moves ? implicit_reaction_work(b, A, h, dv, raw, b->work[2]) : 0;
    b->ops->retract(b, step, SP_COMMITTED, h, v);
    sp__drive_place_fixed(b);
    b->solve.newton_iterations++;
    return info.status;
}

// repeats the solve with updated contacts until those at the end of the step agree with those of the solve
static sp_status implicit_solve_contacts(sp_body *b, const sp_step *step, sp_system *A) {
    sp_status worst = SP_OK;
    for (int pass = 1;; pass++) {
        sp_status status = implicit_solve(b, step, A);
        SP_TRY(status);
        worst = sp__worst(worst, status);
        if (!sp__loads_contact_possible(b) || !b->loads.response->changed(b, step) || pass == SP_CONTACT_PASSES) return worst;
        sp__drive_begin(b);
        sp__loads_again(b, step);
    }
}

static sp_status drive_implicit(sp_body *b, const sp_step *step) {
    sp_system *A = &b->system;
    b->solve.substeps++;
    sp__drive_begin(b);
    sp__loads_evaluate(b, step, SP_CONTACT_AHEAD);
    sp_status status = implicit_solve_contacts(b, step, A);
    SP_TRY(status);
    b->coef = (sp_coef){1, step->h, step->h * step->h}, b->has_system = true;
    if (!b->ops->correct) return status;
    int iterations = b->solve.newton_iterations;
    sp_status corrected = b->ops->correct(b, step, A);
    if (corrected >= 0 && b->solve.newton_iterations > iterations && sp__loads_contact_possible(b))
        b->loads.response->evaluate(b, step, SP_CONTACT_TRIAL);
    return corrected < 0 ? corrected : sp__worst(status, corrected);
}

// ---------------------------------------------------------------------------------------------------- choice and substeps

int sp__drive_substeps(const sp_body *b) {
    return b->integrator.type != SP_STATIC && b->integrator.substeps > 1 ? b->integrator.substeps : 1;
}

sp_step sp__body_step(const sp_body *b, const sp_step *step) {
    sp_step own = *step;
    if (b->frozen && !b->froze_now) return own;
    own.h = b->integrator.type == SP_STATIC ? 0 : step->h / sp__drive_substeps(b);
    return own;
}

static sp_status drive_part(sp_body *b, const sp_step *step) {
    switch (b->integrator.type) {
    case SP_IMPLICIT_EULER: return drive_implicit(b, step);
    case SP_NEWTON: return sp__drive_newton(b, step);
    case SP_STATIC: return sp__drive_static(b, step);
    case SP_EXPLICIT: break;  // sp__drive
    }
    return SP_BODY_FAIL(b, SP_BAD_INPUT, "body '%s': integrator %d is unknown", b->name, (int)b->integrator.type);
}

void sp__drive_targets_at(sp_body *b, const double *from, const double *to, double share, double *out) {
    if (share == 1)
        memcpy(out, to, (size_t)b->nq * sizeof *to);
    else if (b->ops->interpolate)
        b->ops->interpolate(b, from, to, share, out);
    else
        for (int i = 0; i < b->nq; i++) out[i] = from[i] + share * (to[i] - from[i]);
}

// n equal substeps. The state between two substeps temporarily replaces the committed one. Fixed unknowns move to their targets
// at a constant rate. All substeps use the loads of the end of the step.
static sp_status drive_parts(sp_body *b, const sp_step *part, int n) {
    double *q = b->q[SP_COMMITTED], *v = b->v[SP_COMMITTED];
    size_t nq = (size_t)b->nq, nv = (size_t)b->nv;
    if (!b->parts && !SP_NEW(b->ctx, b->parts, 2 * nq + nv + 3))
        return SP_BODY_FAIL(b, SP_NO_MEMORY, "no memory for the substeps of '%s'", b->name);
    double *between_q = b->parts, *target = between_q + nq + 1, *between_v = target + nq + 1, pin_work = 0;
    sp_status worst = SP_OK;
    memcpy(target, b->target, nq * sizeof *target);
    for (int k = 1; k <= n && worst >= 0; k++) {
        sp__drive_targets_at(b, q, target, (double)k / n, b->target);
        sp_status status = drive_part(b, part);
        worst = status < 0 ? status : sp__worst(worst, status);
        sp__loads_finish(b);
        if (k < n) sp__drive_finish(b);
        pin_work += b->pin_work;
        memcpy(between_q, b->q[SP_TRIAL], nq * sizeof *q), memcpy(between_v, b->v[SP_TRIAL], nv * sizeof *v);
        b->q[SP_COMMITTED] = between_q, b->v[SP_COMMITTED] = between_v;
    }
    b->q[SP_COMMITTED] = q, b->v[SP_COMMITTED] = v;
    memcpy(b->target, target, nq * sizeof *target);
    b->pin_work = pin_work;
    return worst;
}

static sp_status drive_whole(sp_body *b, const sp_step *step) {
    const sp_step part = sp__body_step(b, step);
    int n = sp__drive_substeps(b);
    bool converged;
    sp__loads_begin(b, &part);
    if (step->constraints && sp__drive_has_passes(b) && !b->passes) return sp__drive_pass(b, step, 0, 0, &converged);
    if (b->integrator.type == SP_EXPLICIT) return sp__drive_explicit(b, step);
    return n > 1 ? drive_parts(b, &part, n) : drive_part(b, &part);
}

sp_status sp__drive(sp_body *b, const sp_step *step, sp_on_limit on_limit) {
    if (b->caps & SP_CAP_KINEMATIC) return SP_OK;  // `prescribe` wrote the trial state
    const char *solver = b->solve.solver;
    double critical = b->solve.critical_step;
    b->solve = (sp_solve_info){.solver = solver, .critical_step = critical, .factor_age = -1};
    b->swapped = b->compliance_swapped = b->has_system = b->compliance_ready = false;
    b->has_free_velocity = b->has_contact_impulse = b->is_predicted = false;
    b->contact_work = b->contact_pin_work = b->contact_scale = b->overlap = 0;
    b->pin_work = b->pin_unsure = b->shadow = b->pass_reference = 0;
    b->has_pass_start = b->repeats = false;
    b->solver->swap = step->swap;
    sp__solver_step(b->solver, step->number, step->deterministic);
    sp_status status = drive_whole(b, step);
    if (status >= 0) sp__loads_finish(b);  // the world ends the step with sp__drive_finish, after the contacts
    if (status == SP_NOT_CONVERGED && on_limit == SP_LIMIT_FAIL)
        status = SP_BODY_FAIL(b, SP_LIMIT,
                              "body '%s': iteration limit reached with a linear residual of %g and a force residual of %g",
                              b->name, b->solve.residual, b->solve.force_residual);
    b->solve.status = status;
    return status;
}
