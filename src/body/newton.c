// Newton's method with line search, shared by implicit Euler and statics (drive.h says what is solved).
//
// Where there is a potential (incremental potential of implicit Euler, energy in statics) the search asks it to fall by
// Armijo's rule. Close to the solution the potential is flat to rounding, so a step that lessens |r| and does not raise the
// potential visibly is taken too. Where there is none (three-vertex rotations, damping, friction) the search asks the residual:
// |r|, or its work along the direction (as Matthies and Strang 1979 do): r.d at the end must not point back by more than 0.8 of
// what it pointed ahead at the start, so the step as a whole did work. |r| alone must rise for a while when something long bends.
// Prescribed unknowns jump in a first linear step, which brings their neighbours along and needs no search.
#include "body/drive.h"

enum { HALVINGS = 40 };
static const double armijo = 1e-4;
static const double flat = 1e-10;     // relative change of the potential that counts as none
static const double overshoot = 0.8;  // of r.d at the start that r.d at the end may point back, where there is no potential

static void work_vectors(const sp_newton *n, double **r, double **d, double **y, double **base) {
    *r = n->b->work[1], *d = n->b->work[2], *y = n->b->work[3], *base = n->b->work[5];
}

static bool uses_energy(const sp_newton *n) {
    return (n->b->caps & SP_CAP_ENERGY) && !n->damped && !n->b->loads.dissipates;
}

// r, its length and the merit at x
static sp_status evaluate(sp_newton *n) {
    sp_body *b = n->b;
    double *r, *d, *y, *base, inertia = 0;
    work_vectors(n, &r, &d, &y, &base);
    b->ops->retract(b, n->step, SP_COMMITTED, n->s, n->x);
    SP_TRY(sp__drive_evaluate(b, n->step, SP_WANT_FORCE | (b->caps & SP_CAP_ENERGY ? SP_WANT_ENERGY : 0u)));
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

static sp_coef coefficients(const sp_newton *n) {
    return (sp_coef){n->m, n->m > 0 ? n->s : 0, n->s * n->s};
}

// What rounding of the positions does to r, whether there is damping, and unknowns that nothing resists. All from products with
// one random vector z of the size of the positions: |K z| eps is what errors of eps |q| become.
static sp_status prepare(sp_newton *n, const sp_system *A) {
    sp_body *b = n->b;
    double *z = b->work[4], *y = b->work[3], *mz = b->work[5], largest = 0;
    for (int i = 0; i < b->nq; i++) largest = fmax(largest, fabs(b->q[SP_COMMITTED][i]));
    if (!(largest > 0)) largest = 1;
    for (int i = 0; i < b->nv; i++) z[i] = largest * (double)(int64_t)sp__mix(2, (uint64_t)i) * 0x1p-63;
    A->mul_raw(A->o, (sp_coef){0, 0, 1}, z, y);
    b->ops->mass(b, z, mz, false);
    for (int i = 0; i < b->nv; i++) {
        if (b->fixed[i]) y[i] = 0;
        // nodes that no element uses have neither stiffness nor mass, and stay where they are
        if (n->m > 0 || b->fixed[i] || y[i] != 0 || mz[i] == 0) continue;
        int64_t node = sp__body_node_of(b, i);
        sp_status s = SP_BODY_FAIL(b, SP_SINGULAR, "static solve of '%s': node %lld has no stiffness (is young = 0?)", b->name,
                                   (long long)node);
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

// x = from and a step a d further
static void step_further(sp_newton *n, const double *from, double a, const double *d) {
    sp_body *b = n->b;
    if (b->ops->further) {
        b->ops->further(b, n->s, from, a, d, n->x);
        return;
    }
    for (int i = 0; i < b->nv; i++) n->x[i] = from[i] + a * d[i];
}

// The first step where something is prescribed: A dx = r - A d with d on the fixed unknowns, taken whole.
static sp_status follow_targets(sp_newton *n, const sp_system *A) {
    sp_body *b = n->b;
    double *r, *d, *y, *rhs, *dx = b->work[4];
    sp_linear_info info;
    work_vectors(n, &r, &d, &y, &rhs);
    A->mul_raw(A->o, coefficients(n), d, y);
    for (int i = 0; i < b->nv; i++) rhs[i] = b->fixed[i] ? 0 : r[i] - y[i];
    n->first = fmax(n->first, sp__drive_norm(rhs, b->nv));
    for (int i = 0; i < b->nv; i++)
        if (b->fixed[i]) rhs[i] = d[i];
    SP_TRY(sp__drive_solve(b, A, coefficients(n), rhs, dx, &info));
    for (int i = 0; i < b->nv; i++)
        if (b->fixed[i]) d[i] += n->x[i];
    step_further(n, n->x, 1, dx);
    for (int i = 0; i < b->nv; i++)
        if (b->fixed[i]) n->x[i] = d[i];
    return evaluate(n);
}

static double dot(const double *a, const double *b, int n) {
    double sum = 0;
    for (int i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

// back to the plain correction
static void forget(sp_newton *n, double *d, bool *mixed) {
    sp__anderson_plain(&n->mixing, d);
    sp__anderson_restart(&n->mixing);
    *mixed = false;
}

// d = A^-1 r, mixed with those before it where the tangent is not exact; or as far as CG came before negative curvature, or r
// itself at a length that the curvature suggests
static sp_status direction(sp_newton *n, const sp_system *A, bool *mixed) {
    sp_body *b = n->b;
    double *r, *d, *y, *base;
    sp_linear_info info;
    work_vectors(n, &r, &d, &y, &base);
    SP_TRY(sp__drive_solve(b, A, coefficients(n), r, d, &info));
    double slope = dot(r, d, b->nv);
    *mixed = false;
    if (isfinite(slope) && slope > 0) {
        if (b->caps & SP_CAP_EXACT_TANGENT || info.status == SP_NOT_SPD) return SP_OK;
        *mixed = sp__anderson_mix(&n->mixing, n->x, d);
        if (*mixed && !(dot(r, d, b->nv) > 0)) forget(n, d, mixed);
        return SP_OK;
    }
    A->mul_raw(A->o, coefficients(n), r, y);
    double curvature = fabs(dot(r, y, b->nv)), length = dot(r, r, b->nv) / curvature;
    if (!isfinite(length))
        return SP_BODY_FAIL(b, SP_SINGULAR, "body '%s': nothing resists the load (curvature %g)", b->name, curvature);
    for (int i = 0; i < b->nv; i++) d[i] = length * r[i];
    return SP_OK;
}

// SP_DIVERGED: too far to be looked at; asked in motion only, statics may go far
static sp_status move(sp_newton *n, double alpha) {
    const sp_body_ops *ops = n->b->ops;
    double *r, *d, *y, *base;
    work_vectors(n, &r, &d, &y, &base);
    step_further(n, base, alpha, d);
    if (alpha > 0 && n->m > 0 && n->b->integrator.line_search && ops->wild && ops->wild(n->b, n->s, n->x)) return SP_DIVERGED;
    return evaluate(n);
}

// Is x better than where the step along d began, with |r|, merit and r.d there?
static bool better(const sp_newton *n, double alpha, double size, double merit, double slope) {
    bool smaller = n->size <= (1 - armijo * alpha) * size;
    if (!isfinite(n->size)) return false;
    if (!uses_energy(n)) return smaller || dot(n->b->work[1], n->b->work[2], n->b->nv) >= -overshoot * slope;
    if (n->merit <= merit - armijo * alpha * slope) return true;
    return smaller && n->merit <= merit + flat * (fabs(merit) + fabs(n->merit));
}

// One step along d. *moved is false, and x as before, where nothing gets better.
static sp_status search(sp_newton *n, bool *moved) {
    sp_body *b = n->b;
    double *r, *d, *y, *base, alpha = 1;
    work_vectors(n, &r, &d, &y, &base);
    memcpy(base, n->x, (size_t)b->nv * sizeof *base);
    double size = n->size, merit = n->merit, slope = dot(r, d, b->nv);
    *moved = true;
    for (int k = 0; k < HALVINGS; k++, alpha *= 0.5) {
        sp_status status = move(n, alpha);
        if (status == SP_NO_MEMORY || !b->integrator.line_search) return status;
        // where nothing can be evaluated (a strand wound up) a shorter step may do
        if (status >= 0 && better(n, alpha, size, merit, slope)) return SP_OK;
    }
    *moved = false;
    return move(n, 0);
}

static sp_status finish(sp_newton *n, sp_status status) {
    n->b->solve.force_residual = n->first > 0 ? n->size / n->first : 0;
    return status;
}

static sp_status stuck(sp_newton *n) {
    if (n->size <= 1e3 * n->noise) return SP_OK;
    if (n->m > 0) return SP_NOT_CONVERGED;
    sp_body *b = n->b;
    return SP_BODY_FAIL(b, SP_DIVERGED, "static solve of '%s': no descent from a residual force of %g N (%g of the first)",
                        b->name, n->size, n->size / n->first);
}

// What the fixed unknowns carry: a scale that stays when statics start from an equilibrium and the first residual is next to
// nothing.
static double force_on_fixed(const sp_body *b) {
    double sum = 0;
    for (int i = 0; i < b->nv; i++)
        if (b->fixed[i]) sum += b->f[i] * b->f[i];
    return sqrt(sum);
}

sp_status sp__newton_solve(sp_newton *n) {
    sp_body *b = n->b;
    SP_TRY(sp__anderson_begin(&n->mixing, b));
    SP_TRY(evaluate(n));
    if (!isfinite(n->size)) return sp__drive_not_finite(b);
    n->first = n->m > 0 ? n->size : fmax(n->size, force_on_fixed(b));
    bool prescribed = sp__drive_prescribed(b, n->s, n->step->load_factor, n->x, b->work[2]);
    for (int k = 0; k < b->integrator.iterations; k++) {
        sp_system A;
        SP_TRY(b->ops->linearise(b, n->step, &A));
        if (k == 0) SP_TRY(prepare(n, &A));
        bool moved = true, follow = k == 0 && prescribed;
        if (!follow && n->size <= fmax(b->integrator.tolerance * n->first, n->noise)) return finish(n, SP_OK);
        if (follow) {
            SP_TRY(follow_targets(n, &A));
        } else {
            bool mixed;
            SP_TRY(direction(n, &A, &mixed));
            SP_TRY(search(n, &moved));
            if (!moved && mixed) {
                forget(n, b->work[2], &mixed);
                SP_TRY(search(n, &moved));
            }
        }
        b->solve.newton_iterations++;
        if (!isfinite(n->size)) return sp__drive_not_finite(b);
        if (!moved) return finish(n, stuck(n));
    }
    bool reached = n->size <= fmax(b->integrator.tolerance * n->first, n->noise);
    return finish(n, reached ? SP_OK : SP_NOT_CONVERGED);
}
