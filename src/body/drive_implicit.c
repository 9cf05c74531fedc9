// Implicit Euler with one linearisation (Baraff and Witkin 1998): with f and K at the start of the step,
//   (M + h B + h2 K) dv = h f - h2 K v,   v += dv,   q += h v
// f includes the damping force -B v. The dv of prescribed unknowns is known and moves to the right-hand side.
// Elastic forces are linearised once. Contacts are linearised again, and the step is solved again from its start, until their
// forces at the end of the step agree with those of the solve (contact/penalty.h).
#include "body/drive.h"
#include "body/tolerances.h"

// The right-hand side, with the dv of fixed unknowns in their rows; d and y are scratch. True: fixed unknowns move, and `raw` is
// the right-hand side without boundary conditions.
static bool right_hand_side(sp_body *b, const sp_system *A, double h, double *rhs, double *raw, double *d, double *y) {
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

// one linear solve: from f and the contacts at the start of the step to the trial state
static sp_status solve_step(sp_body *b, const sp_step *step, sp_system *A) {
    double *rhs = b->work[0], *dv = b->work[1], *raw = b->work[3], *v = b->v[SP_TRIAL], h = step->h;
    sp_linear_info info;
    SP_TRY(b->ops->evaluate(b, step, SP_WANT_FORCE));
    SP_TRY(b->ops->linearise(b, step, A));
    bool moves = right_hand_side(b, A, h, rhs, raw, dv, b->work[2]);
    SP_TRY(sp__drive_solve(b, A, (sp_coef){1, h, h * h}, rhs, dv, &info));
    for (int i = 0; i < b->nv; i++) v[i] += dv[i];
    b->pin_work = moves ? implicit_reaction_work(b, A, h, dv, raw, b->work[2]) : 0;
    b->ops->retract(b, step, SP_COMMITTED, h, v);
    sp__drive_place_fixed(b);
    b->solve.newton_iterations++;
    return info.status;
}

// repeats the solve with updated contacts until those at the end of the step agree with those of the solve
static sp_status solve_contacts(sp_body *b, const sp_step *step, sp_system *A) {
    sp_status worst = SP_OK;
    for (int pass = 1;; pass++) {
        sp_status status = solve_step(b, step, A);
        SP_TRY(status);
        worst = sp__worst(worst, status);
        if (!sp__loads_contact_possible(b) || !b->loads.response->changed(b, step) || pass == SP_CONTACT_PASSES) return worst;
        sp__drive_begin(b);
        sp__loads_again(b, step);
    }
}

sp_status sp__drive_implicit(sp_body *b, const sp_step *step) {
    sp_system *A = &b->system;
    b->solve.substeps++;
    sp__drive_begin(b);
    sp__loads_evaluate(b, step, SP_CONTACT_AHEAD);
    sp_status status = solve_contacts(b, step, A);
    SP_TRY(status);
    b->coef = (sp_coef){1, step->h, step->h * step->h}, b->has_system = true;
    if (!b->ops->correct) return status;
    int iterations = b->solve.newton_iterations;
    sp_status corrected = b->ops->correct(b, step, A);
    if (corrected >= 0 && b->solve.newton_iterations > iterations && sp__loads_contact_possible(b))
        b->loads.response->evaluate(b, step, SP_CONTACT_TRIAL);
    return corrected < 0 ? corrected : sp__worst(status, corrected);
}
