// Newton's method with line search, for implicit Euler and for statics.
//
// If there is a potential (incremental potential of implicit Euler, energy in statics), the line search requires a decrease of it
// by Armijo's rule. Close to the solution the potential is constant up to rounding, so a step that reduces |r| and does not raise
// the potential measurably is accepted too. If there is no potential (three-vertex rotations, damping, friction), the line search
// uses the residual: either |r| falls, or r.d at the end is at least -0.8 times r.d at the start (as in Matthies and Strang
// 1979), so that the whole step does positive work. |r| alone is no criterion: it must rise for a while when a long body bends.
// Prescribed unknowns reach their targets in a first linear step, which moves their neighbours as well; it is divided only where
// it would leave the domain of the material.
#include "body/drive.h"
#include "body/tolerances.h"

// ---------------------------------------------------------------------------------------------------- Anderson's mixing

// Anderson's mixing (1965; Walker and Ni 2011, type II) for Newton's method with an approximate tangent. With frozen rotations
// the correction d(x) = A(x)^-1 r(x) makes x + d(x) a fixed-point iteration that converges slowly under large rotations. From the
// last few pairs (dx, dd) the mixing takes the combination that minimises the newest d, and continues from there:
//   gamma = argmin |d - DD gamma|,   direction = d - (DX + DD) gamma
//
// Reset at the start of every solve.
enum { DEPTH = SP_ANDERSON_DEPTH };
typedef struct anderson {
    sp_body *b;
    int count, next;  // stored pairs, index of the next
    bool started;
} anderson;

static double *anderson_vector(const anderson *a, int k) {
    return a->b->history + (size_t)k * (size_t)a->b->nv;
}

// layout of the history: last x, last d, then pairs
static double *dx_of(const anderson *a, int k) {
    return anderson_vector(a, 2 + 2 * k);
}

static double *dd_of(const anderson *a, int k) {
    return anderson_vector(a, 3 + 2 * k);
}

static sp_status anderson_begin(anderson *a, sp_body *b) {
    *a = (anderson){.b = b};
    if (b->history || (b->caps & SP_CAP_EXACT_TANGENT)) return SP_OK;
    b->history = sp__alloc(b->ctx, (size_t)b->nv, (2 + 2 * DEPTH) * sizeof(double));
    return b->history ? SP_OK : SP_BODY_FAIL(b, SP_NO_MEMORY, "no memory for Newton's history of body '%s'", b->name);
}

static void anderson_restart(anderson *a) {
    a->count = a->next = 0;
    a->started = false;
}

// G gamma = g by Cholesky, with a small diagonal shift against linearly dependent pairs; false: G is singular nevertheless
static bool anderson_solve_small(int n, double G[DEPTH][DEPTH], double *g) {
    for (int i = 0; i < n; i++) G[i][i] *= 1 + SP_ANDERSON_SHIFT;
    for (int j = 0; j < n; j++) {
        for (int k = 0; k < j; k++) G[j][j] -= G[j][k] * G[j][k];
        if (!(G[j][j] > 0)) return false;
        G[j][j] = sqrt(G[j][j]);
        for (int i = j + 1; i < n; i++) {
            for (int k = 0; k < j; k++) G[i][j] -= G[i][k] * G[j][k];
            G[i][j] /= G[j][j];
        }
    }
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < i; k++) g[i] -= G[i][k] * g[k];
        g[i] /= G[i][i];
    }
    for (int i = n - 1; i >= 0; i--) {
        for (int k = i + 1; k < n; k++) g[i] -= G[k][i] * g[k];
        g[i] /= G[i][i];
    }
    return true;
}

static void anderson_remember(anderson *a, const double *x, const double *d) {
    double *last_x = anderson_vector(a, 0), *last_d = anderson_vector(a, 1);
    int n = a->b->nv;
    if (a->started) {
        double *dx = dx_of(a, a->next), *dd = dd_of(a, a->next);
        for (int i = 0; i < n; i++) dx[i] = x[i] - last_x[i], dd[i] = d[i] - last_d[i];
        a->next = (a->next + 1) % DEPTH;
        if (a->count < DEPTH) a->count++;
    }
    memcpy(last_x, x, (size_t)n * sizeof *x);
    memcpy(last_d, d, (size_t)n * sizeof *d);
    a->started = true;
}

static bool anderson_mix(anderson *a, const double *x, double *d) {
    double G[DEPTH][DEPTH], g[DEPTH];
    int n = a->b->nv;
    anderson_remember(a, x, d);
    for (int i = 0; i < a->count; i++) {
        g[i] = sp__drive_dot(dd_of(a, i), d, n);
        for (int j = 0; j <= i; j++) G[i][j] = G[j][i] = sp__drive_dot(dd_of(a, i), dd_of(a, j), n);
    }
    if (a->count == 0 || !anderson_solve_small(a->count, G, g)) return false;
    for (int k = 0; k < a->count; k++) {
        const double *dx = dx_of(a, k), *dd = dd_of(a, k);
        for (int i = 0; i < n; i++) d[i] -= g[k] * (dx[i] + dd[i]);
    }
    return true;
}

static void anderson_plain(const anderson *a, double *d) {
    memcpy(d, anderson_vector(a, 1), (size_t)a->b->nv * sizeof *d);
}

// ---------------------------------------------------------------------------------------------------- Newton's method

// Newton's method on r(x) = s f(q0 (+) s x) - m M (x - x0) = 0, which is implicit Euler for s = h, m = 1, x = v, and
// statics for s = 1, m = 0, x = displacement. Solved with A = m M + s B + s2 K.
typedef struct newton {
    sp_body *b;
    const sp_step *step;
    anderson mixing;
    double s, m;
    double *x;         // iterate; dynamics: the trial velocity itself
    const double *x0;  // start of the inertia term
    double noise;      // |r| that rounding alone can cause
    double first;      // reference |r| of the tolerance
    double size;       // |r| now
    double reaction;   // work of the reactions at fixed unknowns, along x [J]
    double at_start;   // statics: the same with the reactions at the start, along the displacements that are prescribed
    double way, push;  // the lengths of these displacements and of these reactions
    double merit;      // m/2 |x - x0|_M2 + energy now
    bool damped;       // B is not zero: the merit above has no minimum at r = 0
} newton;

static void newton_work_vectors(const newton *n, double **r, double **d, double **y, double **base) {
    *r = n->b->work[1], *d = n->b->work[2], *y = n->b->work[3], *base = n->b->work[5];
}

static bool newton_uses_energy(const newton *n) {
    return (n->b->caps & SP_CAP_ENERGY) && !n->damped && !n->b->loads.dissipates;
}

// r, its length and the merit at x
static sp_status newton_evaluate(newton *n) {
    sp_body *b = n->b;
    double *r, *d, *y, *base, inertia = 0;
    newton_work_vectors(n, &r, &d, &y, &base);
    b->ops->retract(b, n->step, SP_COMMITTED, n->s, n->x);
    unsigned want = SP_WANT_FORCE | SP_WANT_DEFINED | (b->caps & SP_CAP_ENERGY ? SP_WANT_ENERGY : 0u);
    SP_TRY(sp__drive_evaluate(b, n->step, want));
    for (int i = 0; i < b->nv; i++) r[i] = n->s * b->f[i];
    if (n->m > 0) {
        double *u = b->work[4];
        for (int i = 0; i < b->nv; i++) u[i] = n->x[i] - n->x0[i];
        b->ops->mass(b, u, y, false);
        for (int i = 0; i < b->nv; i++) {
            r[i] -= n->m * y[i];
            inertia += 0.5 * n->m * u[i] * y[i];
        }
    }
    n->reaction = 0;
    for (int i = 0; i < b->nv; i++)
        if (b->fixed[i]) n->reaction -= r[i] * n->x[i], r[i] = 0;
    n->size = sp__drive_norm(r, b->nv);
    n->merit = inertia + (b->caps & SP_CAP_ENERGY ? b->energy : 0);
    return SP_OK;
}

static sp_coef newton_coefficients(const newton *n) {
    return (sp_coef){n->m, n->m > 0 ? n->s : 0, n->s * n->s};
}

// Estimates the effect of rounded positions on r, detects damping, and finds unknowns without stiffness. All three come from
// products with one random vector z of the size of the positions: errors of eps |q| change r by about |K z| eps.
static sp_status newton_prepare(newton *n, const sp_system *A) {
    sp_body *b = n->b;
    double *z = b->work[4], *y = b->work[3], *mz = b->work[5], largest = 0;
    for (int i = 0; i < b->nq - b->histories; i++) largest = fmax(largest, fabs(b->q[SP_COMMITTED][i]));
    if (!(largest > 0)) largest = 1;
    for (int i = 0; i < b->nv; i++) z[i] = largest * (double)(int64_t)sp__mix(2, (uint64_t)i) * 0x1p-63;
    A->mul_raw(A->o, (sp_coef){0, 0, 1}, z, y);
    b->ops->mass(b, z, mz, false);
    for (int i = 0; i < b->nv; i++) {
        if (b->fixed[i]) y[i] = 0;
        // nodes that no element uses have neither stiffness nor mass, and do not move
        if (n->m > 0 || b->fixed[i] || y[i] != 0 || mz[i] == 0) continue;
        int64_t node = sp__body_node_of(b, i);
        sp_status s = SP_BODY_FAIL(
            b, SP_SINGULAR, "static solve of '%s': node %lld has no stiffness (is young = 0, or is it in a flat membrane?)",
            b->name, (long long)node);
        b->error->index = node;
        return s;
    }
    n->noise = 4 * 0x1p-52 * n->s * sp__drive_norm(y, b->nv);
    if (n->m > 0) {
        A->mul_raw(A->o, (sp_coef){0, 1, 0}, z, y);
        n->damped = sp__drive_norm(y, b->nv) > 0;
    }
    return SP_OK;
}

// x: from, composed with the step a d
static void newton_compose_step(newton *n, const double *from, double a, const double *d) {
    sp_body *b = n->b;
    if (b->ops->compose_step) {
        b->ops->compose_step(b, n->s, from, a, d, n->x);
        return;
    }
    for (int i = 0; i < b->nv; i++) n->x[i] = from[i] + a * d[i];
}

// A step with prescribed displacements d of the fixed unknowns: A dx = r - A d. It is halved where it leads to a state that
// cannot be evaluated; *whole: it was not, and the fixed unknowns are at their targets.
static sp_status newton_follow_targets(newton *n, const sp_system *A, bool *whole) {
    sp_body *b = n->b;
    double *r, *d, *y, *rhs, *dx = b->work[4];
    sp_linear_info info;
    newton_work_vectors(n, &r, &d, &y, &rhs);
    A->mul_raw(A->o, newton_coefficients(n), d, y);
    for (int i = 0; i < b->nv; i++) rhs[i] = b->fixed[i] ? 0 : r[i] - y[i];
    n->first = fmax(n->first, sp__drive_norm(rhs, b->nv));
    for (int i = 0; i < b->nv; i++)
        if (b->fixed[i]) rhs[i] = d[i];
    SP_TRY(sp__drive_solve(b, A, newton_coefficients(n), rhs, dx, &info));
    double *base = rhs, alpha = 1;
    sp_status status = SP_OK;
    memcpy(base, n->x, (size_t)b->nv * sizeof *base);
    for (int i = 0; i < b->nv; i++)
        if (b->fixed[i]) d[i] += base[i];
    for (int k = 0; k < SP_NEWTON_HALVINGS; k++, alpha *= 0.5) {
        newton_compose_step(n, base, alpha, dx);
        for (int i = 0; i < b->nv; i++)
            if (b->fixed[i]) n->x[i] = k == 0 ? d[i] : base[i] + alpha * (d[i] - base[i]);
        status = newton_evaluate(n);
        *whole = k == 0;
        if (status >= 0 || status == SP_NO_MEMORY || !b->integrator.line_search) break;
    }
    return status;
}

// back to the plain correction
static void newton_forget(newton *n, double *d, bool *mixed) {
    anderson_plain(&n->mixing, d);
    anderson_restart(&n->mixing);
    *mixed = false;
}

// d = r, scaled by the curvature
static sp_status newton_gradient(newton *n, const sp_system *A) {
    sp_body *b = n->b;
    double *r, *d, *y, *base;
    newton_work_vectors(n, &r, &d, &y, &base);
    A->mul_raw(A->o, newton_coefficients(n), r, y);
    double curvature = fabs(sp__drive_dot(r, y, b->nv)), length = sp__drive_dot(r, r, b->nv) / curvature;
    if (!isfinite(length))
        return SP_BODY_FAIL(b, SP_SINGULAR, "body '%s': nothing resists the load (curvature %g)", b->name, curvature);
    for (int i = 0; i < b->nv; i++) d[i] = length * r[i];
    return SP_OK;
}

// d = A^-1 r, with Anderson mixing if the tangent is not exact. If A is not positive definite: the last iterate of CG before
// negative curvature, or r scaled by the curvature
static sp_status newton_direction(newton *n, const sp_system *A, bool *mixed) {
    sp_body *b = n->b;
    double *r, *d, *y, *base;
    sp_linear_info info;
    newton_work_vectors(n, &r, &d, &y, &base);
    SP_TRY(sp__drive_solve(b, A, newton_coefficients(n), r, d, &info));
    double slope = sp__drive_dot(r, d, b->nv);
    *mixed = false;
    if (isfinite(slope) && slope > 0) {
        if (b->caps & SP_CAP_EXACT_TANGENT || info.status == SP_NOT_SPD) return SP_OK;
        *mixed = anderson_mix(&n->mixing, n->x, d);
        if (*mixed && !(sp__drive_dot(r, d, b->nv) > 0)) newton_forget(n, d, mixed);
        return SP_OK;
    }
    return newton_gradient(n, A);
}

// SP_DIVERGED: the step is too long to be evaluated. Tested in dynamics only, because static steps may be long
static sp_status newton_move(newton *n, double alpha) {
    const sp_body_ops *ops = n->b->ops;
    double *r, *d, *y, *base;
    newton_work_vectors(n, &r, &d, &y, &base);
    newton_compose_step(n, base, alpha, d);
    if (alpha > 0 && n->m > 0 && n->b->integrator.line_search && ops->step_too_large && ops->step_too_large(n->b, n->s, n->x))
        return SP_DIVERGED;
    return newton_evaluate(n);
}

// acceptance test of the line search; size, merit and slope: |r|, merit and r.d at the start of the search
static bool newton_better(const newton *n, double alpha, double size, double merit, double slope) {
    bool smaller = n->size <= (1 - SP_NEWTON_ARMIJO * alpha) * size;
    if (!isfinite(n->size)) return false;
    if (!newton_uses_energy(n))
        return smaller || sp__drive_dot(n->b->work[1], n->b->work[2], n->b->nv) >= -SP_NEWTON_OVERSHOOT * slope;
    if (n->merit <= merit - SP_NEWTON_ARMIJO * alpha * slope) return true;
    return smaller && n->merit <= merit + SP_NEWTON_FLAT * (fabs(merit) + fabs(n->merit));
}

// Line search along d. *moved is false, and x unchanged, if no step is accepted.
static sp_status newton_search(newton *n, bool *moved) {
    sp_body *b = n->b;
    double *r, *d, *y, *base, alpha = 1;
    newton_work_vectors(n, &r, &d, &y, &base);
    memcpy(base, n->x, (size_t)b->nv * sizeof *base);
    double size = n->size, merit = n->merit, slope = sp__drive_dot(r, d, b->nv);
    *moved = true;
    for (int k = 0; k < SP_NEWTON_HALVINGS; k++, alpha *= 0.5) {
        sp_status status = newton_move(n, alpha);
        if (status == SP_NO_MEMORY || !b->integrator.line_search) return status;
        // if the state cannot be evaluated (a strand wound up), a shorter step may succeed
        if (status >= 0 && newton_better(n, alpha, size, merit, slope)) return SP_OK;
    }
    *moved = false;
    return newton_move(n, 0);
}

static sp_status newton_finish(newton *n, sp_status status) {
    n->b->solve.force_residual = n->first > 0 ? n->size / n->first : 0;
    return status;
}

static sp_status newton_stuck(newton *n) {
    if (n->size <= SP_NEWTON_STUCK_NOISE * n->noise) return SP_OK;
    if (n->m > 0) return SP_NOT_CONVERGED;
    sp_body *b = n->b;
    return SP_BODY_FAIL(b, SP_DIVERGED, "static solve of '%s': no descent from a residual force of %g N (%g of the first)",
                        b->name, n->size, n->size / n->first);
}

// The force on fixed unknowns: a reference that stays meaningful if statics start from an equilibrium, where the first residual
// is close to zero.
static double force_on_fixed(const sp_body *b) {
    double sum = 0;
    for (int i = 0; i < b->nv; i++)
        if (b->fixed[i]) sum += b->f[i] * b->f[i];
    return sqrt(sum);
}

// statics: what is needed at the end for the work of the reactions (body/energy.c); work[2]: prescribed displacements
static void newton_note_start(newton *n) {
    const sp_body *b = n->b;
    for (int i = 0; i < b->nv; i++)
        if (b->fixed[i]) n->at_start -= b->f[i] * b->work[2][i];
    n->way = sp__drive_norm(b->work[2], b->nv), n->push = force_on_fixed(b);
}

// SP_SINGULAR: statics with unknowns without stiffness. SP_NOT_CONVERGED: iteration limit.
static sp_status newton_solve(newton *n) {
    sp_body *b = n->b;
    SP_TRY(anderson_begin(&n->mixing, b));
    SP_TRY(newton_evaluate(n));
    if (!isfinite(n->size)) return sp__drive_not_finite(b);
    n->first = n->m > 0 ? n->size : fmax(n->size, force_on_fixed(b));
    bool prescribed = sp__drive_prescribed(b, n->s, n->step->load_factor, n->x, b->work[2]);
    if (n->m == 0) newton_note_start(n);
    for (int k = 0, most = sp__body_iterations(b); k < most; k++) {
        sp_system A;
        SP_TRY(b->ops->linearise(b, n->step, &A));
        if (k == 0) SP_TRY(newton_prepare(n, &A));
        bool moved = true, follow = prescribed;
        if (!follow && n->size <= fmax(b->integrator.tolerance * n->first, n->noise)) return newton_finish(n, SP_OK);
        if (follow) {
            bool whole;
            SP_TRY(newton_follow_targets(n, &A, &whole));
            prescribed = !whole && sp__drive_prescribed(b, n->s, n->step->load_factor, n->x, b->work[2]);
        } else {
            bool mixed;
            SP_TRY(newton_direction(n, &A, &mixed));
            SP_TRY(newton_search(n, &moved));
            if (!moved && mixed) {
                newton_forget(n, b->work[2], &mixed);
                SP_TRY(newton_search(n, &moved));
            }
            if (!moved && n->size > SP_NEWTON_STUCK_NOISE * n->noise) {
                SP_TRY(newton_gradient(n, &A));
                SP_TRY(newton_search(n, &moved));
            }
        }
        b->solve.newton_iterations++;
        if (!isfinite(n->size)) return sp__drive_not_finite(b);
        if (!moved) return newton_finish(n, newton_stuck(n));
    }
    bool reached = !prescribed && n->size <= fmax(b->integrator.tolerance * n->first, n->noise);
    return newton_finish(n, reached ? SP_OK : SP_NOT_CONVERGED);
}

// ---------------------------------------------------------------------------------------------------- implicit Euler

// Implicit Euler solved to its tolerance: M (v - v0) = h f(q0 (+) h v, v).
sp_status sp__drive_newton(sp_body *b, const sp_step *step) {
    sp__drive_begin(b);
    newton n = {.b = b, .step = step, .s = step->h, .m = 1, .x = b->v[SP_TRIAL], .x0 = b->v[SP_COMMITTED]};
    b->solve.substeps++;
    sp_status status = newton_solve(&n);
    b->pin_work = n.reaction;
    if (status >= 0) sp__drive_place_fixed(b);
    return status;
}

// ---------------------------------------------------------------------------------------------------- statics

// Without a fixed unknown, a spring or an obstacle, rigid motions have no stiffness: fails before the solve.
static sp_status static_check_held(sp_body *b) {
    for (int i = 0; i < b->nv; i++)
        if (b->fixed[i]) return SP_OK;
    for (int i = 0; i < b->loads.spring_count; i++)
        if (b->loads.springs[i].active && b->loads.springs[i].stiffness > 0) return SP_OK;
    if (sp__loads_contact_possible(b)) return SP_OK;
    return SP_BODY_FAIL(b, SP_SINGULAR, "static solve of '%s': nothing holds it (no fixed node, no spring)", b->name);
}

// Equilibrium under the loads at the end of the step: f = 0 by Newton's method. Loads and prescribed displacements grow together
// in `load_steps` stages. The unknown is the displacement from the committed state.
sp_status sp__drive_static(sp_body *b, const sp_step *step) {
    sp_step part = *step;
    b->solve.substeps = 1;
    SP_TRY(static_check_held(b));
    sp__drive_begin(b);
    memset(b->v[SP_TRIAL], 0, (size_t)b->nv * sizeof(double));
    double *u = b->work[0];
    memset(u, 0, (size_t)b->nv * sizeof *u);
    sp_status worst = SP_OK;
    int steps = b->integrator.load_steps;
    for (int k = 1; k <= steps; k++) {
        part.load_factor = (double)k / steps;
        newton n = {.b = b, .step = &part, .s = 1, .m = 0, .x = u};
        sp_status status = newton_solve(&n);
        SP_TRY(status);
        worst = sp__worst(worst, status);
        const double at_end = n.reaction / k;  // x is the displacement of all k stages; this stage is 1/k of it
        b->pin_work += 0.5 * (n.at_start + at_end);
        b->pin_unsure += 0.5 * (n.push + force_on_fixed(b)) * n.way;
    }
    sp__drive_place_fixed(b);
    return worst;
}
