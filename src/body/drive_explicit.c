// Symplectic Euler, v += h M^-1 f, q += h v, in equal substeps; prescribed unknowns move to their targets at constant speed.
// The critical step comes from the highest mode of M^-1 K: with its frequency w and its damping c,
// z2 - (2 - h c - h2 w2) z + (1 - h c) = 0 keeps |z| <= 1 up to h = (sqrt(c2 + 4 w2) - c) / w2, which is 2/w undamped.
//
// The mode is found by Chebyshev polynomials of M^-1 K that are small on [0, share of the largest Rayleigh quotient so far]: of
// degree 8, they increase a mode 5 % above that 17 times as much as those below, the power method 1.5 times (Zhou, Saad, Tiago,
// Chelikowsky 2006). The stiffness of nonlinear laws depends on the state: every SP_POWER_PERIOD steps one polynomial follows the
// mode. Its start has a random part, since another mode may have become the highest, which can be orthogonal to the last one.
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

// out = M^-1 K x of free unknowns; y: scratch
static void explicit_apply(sp_body *b, const sp_system *A, const double *x, double *y, double *out) {
    A->mul_raw(A->o, (sp_coef){0, 0, 1}, x, y);
    b->ops->mass(b, y, out, true);
    for (int i = 0; i < b->nv; i++)
        if (b->fixed[i]) out[i] = 0;
}

// x = T_n(2 M^-1 K / high - 1) x by the recurrence of Chebyshev polynomials; n is even
static void explicit_filter(sp_body *b, const sp_system *A, double high, double *x) {
    double *next = b->work[0], *y = b->work[1], *z = b->work[2];
    for (int k = 0; k < SP_POWER_DEGREE; k++) {
        double *to = k % 2 ? x : next;  // the polynomial of degree k - 1, replaced by that of degree k + 1
        const double *from = k % 2 ? next : x;
        explicit_apply(b, A, from, y, z);
        for (int i = 0; i < b->nv; i++) to[i] = k ? 2 * (2 / high * z[i] - from[i]) - to[i] : 2 / high * z[i] - from[i];
    }
}

static void add_random(sp_body *b, double size, uint64_t seed, double *x, double *mx) {
    double *random = b->work[0];
    for (int i = 0; i < b->nv; i++) random[i] = (double)(int64_t)sp__mix(seed, (uint64_t)i) * 0x1p-63;
    explicit_normalise(b, random, mx);
    for (int i = 0; i < b->nv; i++) x[i] += size * random[i];
}

// x: the mode, improved; `fresh`: nothing is known of it
static double critical_step(sp_body *b, const sp_system *A, bool fresh, uint64_t seed, double *x) {
    double *y = b->work[1], *mx = b->work[2], w2 = 0;
    if (fresh) memset(x, 0, (size_t)b->nv * sizeof *x);
    add_random(b, fresh ? 1 : SP_POWER_RANDOM, seed, x, mx);
    for (int k = 0; k <= (fresh ? SP_POWER_ITERATIONS : 1); k++) {
        if (!(explicit_normalise(b, x, mx) > 0)) return INFINITY;
        A->mul_raw(A->o, (sp_coef){0, 0, 1}, x, y);
        const double before = w2;
        w2 = sp__drive_dot(x, y, b->nv);
        if (!(w2 > 0)) return INFINITY;
        if ((fresh && w2 - before <= SP_POWER_TOLERANCE * w2) || k == (fresh ? SP_POWER_ITERATIONS : 1)) break;
        explicit_filter(b, A, SP_POWER_SHARE * w2, x);
    }
    A->mul_raw(A->o, (sp_coef){0, 1, 0}, x, y);
    double c = sp__drive_dot(x, y, b->nv);
    return (sqrt(c * c + 4 * w2) - c) / w2;
}

static sp_status find_critical_step(sp_body *b, const sp_step *step) {
    sp_system A;
    if (!b->mode && !SP_NEW(b->ctx, b->mode, b->nv + 1))
        return SP_BODY_FAIL(b, SP_NO_MEMORY, "no memory for the highest mode of '%s'", b->name);
    SP_TRY(b->ops->linearise(b, step, &A));
    b->solve.critical_step = critical_step(b, &A, b->retune, (uint64_t)(b->retune ? 1 : step->number), b->mode);
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
