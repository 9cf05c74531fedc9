// Symplectic Euler, v += h M^-1 f, q += h v, in equal substeps; prescribed unknowns move to their targets at constant speed.
// The critical step comes from the highest mode, found by power iteration on M^-1 K: with its frequency w and its damping c,
// z2 - (2 - h c - h2 w2) z + (1 - h c) = 0 keeps |z| <= 1 up to h = (sqrt(c2 + 4 w2) - c) / w2, which is 2/w undamped.
//
// The stiffness of nonlinear laws depends on the state: some iterations every SP_POWER_PERIOD steps follow it from the last mode.
#include "body/drive.h"
#include "body/tolerances.h"

// scales x to length 1 in the mass norm and sets fixed unknowns to zero; returns the previous length
static double explicit_normalise(sp_body *b, double *x, double *mx) {
    for (int i = 0; i < b->nv; i++)
        if (b->fixed[i]) x[i] = 0;
    b->ops->mass(b, x, mx, false);
    double length = sqrt(sp__drive_dot(x, mx, b->nv));
    if (length > 0)
        for (int i = 0; i < b->nv; i++) x[i] /= length;
    return length;
}

// The mode is kept in work[5], which explicit steps do not use otherwise; `fresh`: nothing is known of it.
static double critical_step(sp_body *b, const sp_system *A, bool fresh) {
    double *x = b->work[5], *y = b->work[1], *mx = b->work[2], w2 = 0;
    for (int i = 0; i < b->nv && fresh; i++) x[i] = (double)(int64_t)sp__mix(1, (uint64_t)i) * 0x1p-63;
    explicit_normalise(b, x, mx);
    for (int k = 0; k < (fresh ? SP_POWER_ITERATIONS : SP_POWER_REFRESH); k++) {
        A->mul_raw(A->o, (sp_coef){0, 0, 1}, x, y);
        double before = w2;
        w2 = sp__drive_dot(x, y, b->nv);
        if (fabs(w2 - before) <= SP_POWER_TOLERANCE * fabs(w2)) break;
        b->ops->mass(b, y, x, true);
        explicit_normalise(b, x, mx);
    }
    if (!(w2 > 0)) return INFINITY;
    A->mul_raw(A->o, (sp_coef){0, 1, 0}, x, y);
    double c = sp__drive_dot(x, y, b->nv);
    return (sqrt(c * c + 4 * w2) - c) / w2;
}

static sp_status find_critical_step(sp_body *b, const sp_step *step) {
    sp_system A;
    SP_TRY(b->ops->linearise(b, step, &A));
    b->solve.critical_step = critical_step(b, &A, b->retune);
    b->retune = false;
    return SP_OK;
}

// work of the reaction forces M a - f at fixed unknowns in a substep; a: accelerations of the free unknowns
static double explicit_reaction_work(sp_body *b, double h, double whole, double *a) {
    double *y = b->work[1], *prescribed = b->work[3], work = 0;
    bool moves = false;
    for (int i = 0; i < b->nv; i++) moves = moves || (b->fixed[i] && prescribed[i] != 0);
    if (!moves) return 0;
    for (int i = 0; i < b->nv; i++)
        if (b->fixed[i]) a[i] = (prescribed[i] / whole - b->v[SP_TRIAL][i]) / h;
    b->ops->mass(b, a, y, false);
    for (int i = 0; i < b->nv; i++)
        if (b->fixed[i]) work += (y[i] - b->f[i]) * h * prescribed[i] / whole;
    return work;
}

// h/2 v.f: the term of the modified energy that symplectic Euler conserves (energy.c)
static double half_power(const sp_body *b, double h) {
    double sum = 0;
    for (int i = 0; i < b->nv; i++)
        if (!b->fixed[i]) sum += b->v[SP_TRIAL][i] * b->f[i];
    return 0.5 * h * sum;
}

// v += h M^-1 f on free unknowns; fixed ones move to their targets at constant speed
static void explicit_kick(sp_body *b, double h, double whole) {
    double *a = b->work[0], *prescribed = b->work[3], *v = b->v[SP_TRIAL];
    b->ops->mass(b, b->f, a, true);
    b->pin_work += explicit_reaction_work(b, h, whole, a);
    for (int i = 0; i < b->nv; i++) v[i] = b->fixed[i] ? prescribed[i] / whole : v[i] + h * a[i];
}

sp_status sp__drive_explicit(sp_body *b, const sp_step *whole) {
    const sp_step step = sp__body_step(b, whole);
    int n = sp__drive_substeps(b);
    sp__drive_begin(b);
    sp__drive_displacement(b, b->work[3]);
    for (int k = 0; k < n; k++) {
        SP_TRY(sp__drive_evaluate(b, &step, SP_WANT_FORCE));
        sp__loads_finish(b);
        if (b->retune || (k == 0 && step.number % SP_POWER_PERIOD == 0)) SP_TRY(find_critical_step(b, &step));
        if (k == 0) b->shadow = half_power(b, step.h);
        explicit_kick(b, step.h, whole->h);
        b->ops->retract(b, &step, SP_TRIAL, step.h, b->v[SP_TRIAL]);
        if (k + 1 < n) sp__drive_finish(b);
    }
    sp__drive_place_fixed(b);
    b->solve.solver = "none";
    b->solve.substeps = n;
    return step.h > b->solve.critical_step ? SP_UNSTABLE_STEP : SP_OK;
}
