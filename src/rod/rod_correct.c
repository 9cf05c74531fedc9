// Nonlinear correction of implicit Euler for rods. The driver makes the linearised step (body/drive.c). Here the error of
// that step in the nonlinear equations is measured for each strand, and strands with a large error are solved again:
//
//   residual   R(x) = h f(q0 (+) h x, x) - I(x), with the inertia I(x) = M(q) x - P(q0, v0) of material points that keep their
//              velocities while the directions of the unknowns rotate (strand_carry.h); lumped masses: I = M (x - v0)
//   measure    R A^-1 R, the energy of the missing correction, relative to the energy x A x of the motion
//   Newton     the tangent includes the geometric stiffness of loads, weight and inertia; natural monotonicity test (Deuflhard
//              2004): the correction after the step, with the same tangent, must be smaller than the one before it
//   substeps   a strand that does not converge halves its step, repeatedly; other strands are not slowed down
//
// All strands start from the committed state and are independent: results are bitwise equal for any number of threads. Springs
// and contacts keep the active set and the tangent of the linearised step: f - k (x - x0) - b (v - v0) at each point.
#include "body/drive.h"
#include "body/tolerances.h"
#include "linear/banded.h"
#include "math/vec3.h"
#include "rod/rod.h"

struct sp_rod_correction {
    sp_status status;
    int substeps, iterations;  // 0: the linearised step is accurate enough
    double gain;               // energy gained by the linearised step without work of forces
};

typedef struct job {
    sp_body *b;
    double h;
    const double *gap;  // nv: A^-1 R of the linearised step
    double *y;          // nv: a result
} job;

// Scratch memory of one worker for one strand.
typedef struct workspace {
    double *R, *d, *next, *base, *y;  // nv each
    double *q, *v, *target;           // at the start and end of the step, while substeps overwrite those of the body
    double *node;                     // nodes x 3: forces for the tangent
    double *T, *M, *K;                // bands
} workspace;

static size_t workspace_size(const sp_rod *r) {
    return 6 * (size_t)r->most_unknowns + 2 * r->most_coordinates + 3 * r->most_nodes + 3 * r->most_band;
}

static workspace workspace_of(const sp_rod *r, int worker) {
    double *at = r->correct_scratch + workspace_size(r) * (size_t)worker;
    size_t v = (size_t)r->most_unknowns, q = r->most_coordinates;
    workspace m = {
        .R = at, .d = at + v, .next = at + 2 * v, .base = at + 3 * v, .y = at + 4 * v, .v = at + 5 * v, .q = at + 6 * v};
    m.target = m.q + q, m.node = m.target + q;
    m.T = m.node + 3 * r->most_nodes, m.M = m.T + r->most_band, m.K = m.M + r->most_band;
    return m;
}

sp_status sp__rod_correct_create(sp_body *b) {
    sp_rod *r = sp__rod(b);
    if (!sp__rod_corrects(b)) return SP_OK;
    for (int i = 0; i < r->parts; i++) {
        const sp_rod_part *p = &r->part[i];
        size_t band = (size_t)p->nv * ((size_t)p->band + 1);
        if ((size_t)p->nq > r->most_coordinates) r->most_coordinates = (size_t)p->nq;
        if ((size_t)p->elements + 1 > r->most_nodes) r->most_nodes = (size_t)p->elements + 1;
        if (band > r->most_band) r->most_band = band;
    }
    if (!SP_NEW(b->ctx, r->correction, r->parts) ||
        !SP_NEW(b->ctx, r->correct_scratch, workspace_size(r) * (size_t)sp__workers(b->ctx)))
        return SP_NO_MEMORY;
    return SP_OK;
}

// ------------------------------------------------------------------------------------------------ forces

// force of a point term of the linearised step at the trial state
static void term_force(const sp_rod *r, int index, const sp_rod_place *s, const sp_body *b, double f[3]) {
    const sp_point_term *t = &b->loads.terms[index];
    const double *was = r->term_place + 6 * (size_t)index, *v = b->v[SP_TRIAL] + r->part[s->part].v, *k = t->k, *c = t->b;
    double x[3], u[3] = {0, 0, 0};
    sp__sub3(s->x, was, x);
    for (int i = 0; i < s->count; i++) sp__axpy3(u, v[s->unknown[i]], s->columns + 3 * (size_t)i, u);
    sp__axpy3(u, -1, was + 3, u);
    f[0] = t->f[0] - k[0] * x[0] - k[3] * x[1] - k[5] * x[2] - c[0] * u[0] - c[3] * u[1] - c[5] * u[2];
    f[1] = t->f[1] - k[3] * x[0] - k[1] * x[1] - k[4] * x[2] - c[3] * u[0] - c[1] * u[1] - c[4] * u[2];
    f[2] = t->f[2] - k[5] * x[0] - k[4] * x[1] - k[2] * x[2] - c[5] * u[0] - c[4] * u[1] - c[2] * u[2];
}

// f += generalised forces of loads and point terms of a strand. Nullable: node, the forces lumped at the nodes; work, += their
// work since the start of the step.
static void point_forces(sp_body *b, int part, int worker, double h, double *f, double *node, double *work) {
    const sp_rod *r = sp__rod(b);
    const sp_rod_part *p = &r->part[part];
    const double *x = b->v[SP_TRIAL] + p->v;
    sp_rod_place s;
    double offset[3], pull[3];
    for (int i = 0; i < r->loads; i++) {
        const sp_rod_point_load *l = &r->load[i];
        const double *now = r->load_now[i];
        if (l->type == SP_LOAD_ACCELERATION || r->part_of[l->element] != part) continue;
        sp_anchor a = {.elem = (uint32_t)l->element, .at = {l->at, 0, 0}};
        sp__rod_open_place(b, &a, worker, &s);
        bool force = l->type == SP_LOAD_FORCE;
        for (int c = 0; c < s.count; c++) {
            double along = sp__dot3(s.six + 6 * (size_t)c + (force ? 0 : 3), now);
            f[s.unknown[c]] += along;
            if (work && !force) *work += h * along * x[s.unknown[c]];
        }
        sp__sub3(s.x, r->load_place[i], offset);
        if (work && force) *work += sp__dot3(now, offset);
        if (node && force) sp__rod_lump(node, l->element - p->element, l->at, now);
    }
    for (int i = r->term_start[part]; i < r->term_start[part + 1]; i++) {
        int t = r->term_order[i];
        const sp_anchor *at = &b->loads.terms[t].at;
        sp__rod_open_place(b, at, worker, &s);
        term_force(r, t, &s, b, pull);
        for (int c = 0; c < s.count; c++) f[s.unknown[c]] += sp__dot3(s.columns + 3 * (size_t)c, pull);
        if (node) sp__rod_lump(node, (int)at->elem - p->element, at->at[0], pull);
        if (!work) continue;
        sp__sub3(s.x, r->term_place + 6 * (size_t)t, offset);
        *work += 0.5 * (sp__dot3(pull, offset) + sp__dot3(b->loads.terms[t].f, offset));
    }
}

// y = K x, with K of stiffness-proportional damping
static void damping_product(sp_body *b, int part, const workspace *m, const double *x, double *y) {
    const sp_rod_part *p = &sp__rod(b)->part[part];
    memset(m->K, 0, (size_t)p->nv * ((size_t)p->band + 1) * sizeof *m->K);
    sp__rod(b)->model->damping(b, part, m->K);
    sp__banded_mul(m->K, p->nv, p->band, x, y);
}

// h times the forces of a strand at the trial state, whose kinematics are up to date; returns their potential
static double correct_impulses(sp_body *b, int part, int worker, double h, const workspace *m, double *R, double *node,
                               double *work) {
    const sp_rod *r = sp__rod(b);
    const sp_rod_part *p = &r->part[part];
    const double *x = b->v[SP_TRIAL] + p->v;
    double a = sp__rod_mass_damping(r);
    memset(R, 0, (size_t)p->nv * sizeof *R);
    double potential = r->model->force(b, part, R);
    point_forces(b, part, worker, h, R, node, work);
    if (r->params.rayleigh_stiffness > 0) {
        damping_product(b, part, m, x, m->y);
        for (int i = 0; i < p->nv; i++) R[i] -= r->params.rayleigh_stiffness * m->y[i];
    }
    if (a > 0) {
        r->model->mass(b, part, x, m->y, false);
        for (int i = 0; i < p->nv; i++) R[i] -= a * m->y[i];
    }
    for (int i = 0; i < p->nv; i++) R[i] *= h;
    return potential;
}

// R -= M (x - v0)
static void subtract_inertia(sp_body *b, int part, const workspace *m, double *R) {
    const sp_rod_part *p = &sp__rod(b)->part[part];
    for (int i = 0; i < p->nv; i++) m->next[i] = b->v[SP_TRIAL][p->v + i] - b->v[SP_COMMITTED][p->v + i];
    sp__rod(b)->model->mass(b, part, m->next, m->y, false);
    for (int i = 0; i < p->nv; i++) R[i] -= m->y[i];
}

static void hold_fixed(const sp_body *b, const sp_rod_part *p, double *R) {
    for (int i = 0; i < p->nv; i++)
        if (b->fixed[p->v + i]) R[i] = 0;
}

// residual R with the inertia of material points
static void correct_residual(sp_body *b, int part, int worker, double h, const workspace *m, double *R) {
    const sp_rod *r = sp__rod(b);
    const sp_rod_part *p = &r->part[part];
    memset(m->node, 0, 3 * ((size_t)p->elements + 1) * sizeof *m->node);
    correct_impulses(b, part, worker, h, m, R, m->node, NULL);
    if (r->model->carry)
        r->model->carry(b, part, h, b->v[SP_TRIAL] + p->v, b->v[SP_COMMITTED] + p->v, R, m->node);
    else
        subtract_inertia(b, part, m, R);
    hold_fixed(b, p, R);
}

static void inertia_part(void *arg, int part, int worker) {
    const job *w = arg;
    sp_body *b = w->b;
    const sp_rod *r = sp__rod(b);
    const sp_rod_part *p = &r->part[part];
    const workspace m = workspace_of(r, worker);
    double *y = w->y + p->v;
    memset(y, 0, (size_t)p->nv * sizeof *y);
    if (r->model->keep && sp__rod_update_kinematics(b, part, SP_COMMITTED, true) >= 0)
        r->model->keep(b, part, b->v[SP_COMMITTED] + p->v);
    if (sp__rod_update_kinematics(b, part, SP_TRIAL, true) < 0) return;
    memset(m.node, 0, 3 * ((size_t)p->elements + 1) * sizeof *m.node);
    if (r->model->carry)
        r->model->carry(b, part, w->h, b->v[SP_TRIAL] + p->v, b->v[SP_COMMITTED] + p->v, y, m.node);
    else
        subtract_inertia(b, part, &m, y);
    for (int i = 0; i < p->nv; i++) y[i] = -y[i];
}

void sp__rod_inertia(sp_body *b, double h, double *y) {
    job w = {.b = b, .h = h, .y = y};
    sp__parallel(b->ctx, sp__rod(b)->parts, inertia_part, &w);
}

// ------------------------------------------------------------------------------------------------ tangent

static void hold_tangent(const sp_body *b, const sp_rod_part *p, const workspace *m) {
    for (int i = 0; i < p->nv; i++)
        for (int j = i > p->band ? i - p->band : 0; j <= i; j++)
            if (b->fixed[p->v + i] || b->fixed[p->v + j]) *sp__banded_at(m->T, p->band, i, j) = i == j;
}

// exact: weight of the exact geometric stiffness of loads and inertia; the rest is the part from tension only
static void fill_tangent(sp_body *b, int part, int worker, double h, double exact, const workspace *m) {
    const sp_rod *r = sp__rod(b);
    const sp_rod_part *p = &r->part[part];
    size_t n = (size_t)p->nv * ((size_t)p->band + 1);
    double a = 1 + h * sp__rod_mass_damping(r), s = h * r->params.rayleigh_stiffness;
    memset(m->M, 0, n * sizeof *m->M), memset(m->K, 0, n * sizeof *m->K);
    r->model->matrices(b, part, exact == 1 && !r->model->bend_of_nodes, m->M, m->K);
    for (size_t i = 0; i < n; i++) m->T[i] = a * m->M[i] + h * h * m->K[i];
    if (s > 0) {
        memset(m->K, 0, n * sizeof *m->K);
        r->model->damping(b, part, m->K);
        for (size_t i = 0; i < n; i++) m->T[i] += s * m->K[i];
    }
    for (int i = r->term_start[part]; i < r->term_start[part + 1]; i++) {
        const sp_point_term *t = &b->loads.terms[r->term_order[i]];
        sp_rod_place place;
        double k[6];
        sp__rod_open_place(b, &t->at, worker, &place);
        for (int c = 0; c < 6; c++) k[c] = h * h * t->k[c] + h * t->b[c];
        sp__rod_add_term(&place, k, p->band, m->T);
    }
    for (int k = 0; k < 2 && r->model->bend_of_nodes; k++) {
        double share = h * h * (k == 0 ? exact : 1 - exact);
        for (int i = 0; i < 3 * (p->elements + 1); i++) m->y[i] = share * m->node[i];
        if (share > 0) r->model->bend_of_nodes(b, part, m->y, k == 0, m->T);
    }
    hold_tangent(b, p, m);
}

static void exact_part(void *arg, int part, int worker) {
    const job *w = arg;
    sp_body *b = w->b;
    sp_rod *r = sp__rod(b);
    const sp_rod_part *p = &r->part[part];
    const workspace m = workspace_of(r, worker);
    const size_t n = (size_t)p->nv * ((size_t)p->band + 1);
    memset(m.M, 0, n * sizeof *m.M), memset(m.K, 0, n * sizeof *m.K);
    r->model->matrices(b, part, true, m.M, m.K);
    for (int k = 0; k < 2; k++) {
        for (size_t i = 0; i < n && k == 1; i++) m.K[i] = 0.5 * (m.K[i] + r->K[p->at + i]);
        for (size_t i = 0; i < n; i++) m.T[i] = m.M[i] + w->h * r->B[p->at + i] + w->h * w->h * m.K[i];
        hold_tangent(b, p, &m);
        if (sp__banded_factor(m.T, p->nv, p->band, 0) >= 0) continue;
        memcpy(r->K + p->at, m.K, n * sizeof *m.K);
        return;
    }
}

void sp__rod_exact_tangent(sp_body *b, double h) {
    job w = {.b = b, .h = h};
    if (!sp__rod(b)->model->bend_of_nodes) sp__parallel(b->ctx, sp__rod(b)->parts, exact_part, &w);
}

// factorises the exact tangent; if indefinite, a half exact one; at last the positive definite one
static bool factor_tangent(sp_body *b, int part, int worker, double h, const workspace *m) {
    const sp_rod_part *p = &sp__rod(b)->part[part];
    for (int k = 2; k >= 0; k--) {
        fill_tangent(b, part, worker, h, 0.5 * k, m);
        if (sp__banded_factor(m->T, p->nv, p->band, 0) < 0) return true;
    }
    return false;
}

// ------------------------------------------------------------------------------------------------ one substep

// Computes the trial state of a strand from its trial velocities, and R there.
static sp_status evaluate_residual(sp_body *b, int part, int worker, double h, const workspace *m, double *R) {
    sp_rod *r = sp__rod(b);
    const sp_rod_part *p = &r->part[part];
    r->model->move(b, part, 1, b->q[SP_COMMITTED] + p->q, h, b->v[SP_TRIAL] + p->v, b->q[SP_TRIAL] + p->q);
    SP_TRY(sp__rod_update_kinematics(b, part, SP_TRIAL, true));
    correct_residual(b, part, worker, h, m, R);
    return SP_OK;
}

// energy of the motion at the trial state, the scale of corrections
static double motion_energy(sp_body *b, int part, const workspace *m) {
    const sp_rod *r = sp__rod(b);
    const sp_rod_part *p = &r->part[part];
    const double *x = b->v[SP_TRIAL] + p->v;
    r->model->mass(b, part, x, m->y, false);
    return fabs(sp__drive_dot(x, m->y, p->nv)) + SP_ROD_ENERGY_FLOOR * sp__rod_elastic(b, part, NULL);
}

static void compose_into(sp_body *b, int part, double h, double alpha, const workspace *m) {
    const sp_rod *r = sp__rod(b);
    const sp_rod_part *p = &r->part[part];
    double *x = b->v[SP_TRIAL] + p->v;
    if (r->model->compose_step) {
        r->model->compose_step(b, part, h, m->base, alpha, m->d, x);
        return;
    }
    for (int i = 0; i < p->nv; i++) x[i] = m->base[i] + alpha * m->d[i];
}

// True if an element would wind up within the substep; its series would be too long.
static bool bends_too_far(const sp_body *b, int part, double h) {
    const sp_rod *r = sp__rod(b);
    return r->model->bent && !(r->model->bent(b, part, h, b->v[SP_TRIAL] + r->part[part].v) <= SP_ROD_LARGEST_BEND);
}

// Line search along d. At x: R, d = T^-1 R and size = R d. False: no decrease found, and x is restored.
static bool correct_descend(sp_body *b, int part, int worker, double h, const workspace *m, double *size) {
    const sp_rod_part *p = &sp__rod(b)->part[part];
    double *x = b->v[SP_TRIAL] + p->v, alpha = 1;
    memcpy(m->base, x, (size_t)p->nv * sizeof *x);
    for (int k = 0; k < SP_ROD_SHORTENINGS; k++, alpha *= 0.5) {
        compose_into(b, part, h, alpha, m);
        if (bends_too_far(b, part, h) || evaluate_residual(b, part, worker, h, m, m->R) < 0) continue;
        sp__banded_solve(m->T, p->nv, p->band, m->R, m->next);
        double now = sp__drive_dot(m->R, m->next, p->nv), limit = (1 - 0.25 * alpha) * (1 - 0.25 * alpha) * *size;
        if (!(isfinite(now) && now <= limit)) continue;
        *size = now;
        return true;
    }
    memcpy(x, m->base, (size_t)p->nv * sizeof *x);
    sp__rod(b)->model->move(b, part, 1, b->q[SP_COMMITTED] + p->q, h, x, b->q[SP_TRIAL] + p->q);
    return false;
}

// Starts from the trial velocities if they are a good guess, otherwise from the committed velocities.
static bool solve_substep(sp_body *b, int part, int worker, double h, bool guess, const workspace *m, int *iterations) {
    sp_rod *r = sp__rod(b);
    const sp_rod_part *p = &r->part[part];
    double *x = b->v[SP_TRIAL] + p->v;
    if (r->model->keep) {
        if (sp__rod_update_kinematics(b, part, SP_COMMITTED, true) < 0) return false;
        r->model->keep(b, part, b->v[SP_COMMITTED] + p->v);
    }
    // fixed unknowns move to their targets, the others keep their velocity
    r->model->difference(b, part, b->q[SP_COMMITTED] + p->q, b->target + p->q, m->y);
    for (int i = 0; i < p->nv && !guess; i++) x[i] = b->fixed[p->v + i] ? m->y[i] / h : b->v[SP_COMMITTED][p->v + i];
    if (evaluate_residual(b, part, worker, h, m, m->R) < 0) return false;
    double enough = fmax(SP_ROD_CONVERGED, 1e-2 * r->model->accepted_gap);
    bool stale = true;
    for (int k = 0; k < SP_ROD_ITERATIONS; k++) {
        ++*iterations;
        if (stale && !factor_tangent(b, part, worker, h, m)) return false;
        if (stale) sp__banded_solve(m->T, p->nv, p->band, m->R, m->d);
        double size = sp__drive_dot(m->R, m->d, p->nv), before = size;
        if (!isfinite(size)) return false;
        if (size <= enough * motion_energy(b, part, m)) return true;
        if (!correct_descend(b, part, worker, h, m, &size)) return false;
        if (size <= enough * motion_energy(b, part, m)) return true;
        // a dense factor that reduced the correction to a fifth is used again; banded factors are cheap
        stale = !r->model->bend_of_nodes || size > 0.04 * before;
        if (!stale) memcpy(m->d, m->next, (size_t)p->nv * sizeof *m->d);
    }
    return false;
}

// ------------------------------------------------------------------------------------------------ a step

static void set_targets(sp_body *b, int part, double share, const workspace *m) {
    const sp_rod *r = sp__rod(b);
    const sp_rod_part *p = &r->part[part];
    if (share == 1)
        memcpy(b->target + p->q, m->target, (size_t)p->nq * sizeof(double));
    else
        sp__rod_interpolate_part(b, part, m->q, m->target, share, b->target + p->q);
}

static void accept_substep(sp_body *b, const sp_rod_part *p) {
    memcpy(b->q[SP_COMMITTED] + p->q, b->q[SP_TRIAL] + p->q, (size_t)p->nq * sizeof(double));
    memcpy(b->v[SP_COMMITTED] + p->v, b->v[SP_TRIAL] + p->v, (size_t)p->nv * sizeof(double));
}

// If not even the shortest substep converges, the strand stops for that substep: its kinetic energy is lost, none is added.
static void stop_strand(sp_body *b, int part, double h, const workspace *m) {
    const sp_rod_part *p = &sp__rod(b)->part[part];
    double *x = b->v[SP_TRIAL] + p->v;
    sp__rod(b)->model->difference(b, part, b->q[SP_COMMITTED] + p->q, b->target + p->q, m->y);
    for (int i = 0; i < p->nv; i++) x[i] = b->fixed[p->v + i] ? m->y[i] / h : 0;
    sp__rod(b)->model->move(b, part, 1, b->q[SP_COMMITTED] + p->q, h, x, b->q[SP_TRIAL] + p->q);
}

// integrates the strand over the step, in as many substeps as it needs
static void solve_strand(sp_body *b, int part, int worker, double h, bool guess, struct sp_rod_correction *out) {
    const sp_rod *r = sp__rod(b);
    const sp_rod_part *p = &r->part[part];
    workspace m = workspace_of(r, worker);
    double at = 0, length = 1;
    size_t nq = (size_t)p->nq * sizeof(double), nv = (size_t)p->nv * sizeof(double);
    memcpy(m.q, b->q[SP_COMMITTED] + p->q, nq), memcpy(m.v, b->v[SP_COMMITTED] + p->v, nv);
    memcpy(m.target, b->target + p->q, nq);
    while (at < 1) {
        set_targets(b, part, at + length, &m);
        bool good = solve_substep(b, part, worker, length * h, guess, &m, &out->iterations);
        guess = false;
        bool wild = good && r->model->bent && r->model->bent(b, part, length * h, b->v[SP_TRIAL] + p->v) > SP_ROD_MOST_BENT;
        if ((!good && length * SP_ROD_SUBSTEPS > 1) || (wild && length * SP_ROD_BENT_SUBSTEPS > 1)) {
            length *= 0.5;
            continue;
        }
        if (!good) {
            stop_strand(b, part, length * h, &m);
            out->status = SP_NOT_CONVERGED;
        }
        out->substeps++;
        at += length, length = fmin(2 * length, 1 - at);
        if (at < 1) accept_substep(b, p);
    }
    memcpy(b->q[SP_COMMITTED] + p->q, m.q, nq), memcpy(b->v[SP_COMMITTED] + p->v, m.v, nv);
    memcpy(b->target + p->q, m.target, nq);
}

// Checks the linearised step of a strand: R with the quadratic velocity terms, and the energy gained without work.
static void correct_check_part(void *arg, int part, int worker) {
    const job *w = arg;
    sp_body *b = w->b;
    sp_rod *r = sp__rod(b);
    const sp_rod_part *p = &r->part[part];
    workspace m = workspace_of(r, worker);
    double *R = b->work[0] + p->v, work = 0, twice = 0;
    const double *x = b->v[SP_TRIAL] + p->v;
    r->correction[part] = (struct sp_rod_correction){.substeps = 1};
    if (sp__rod_update_kinematics(b, part, SP_TRIAL, true) < 0) {
        memset(R, 0, (size_t)p->nv * sizeof *R);
        r->correction[part].gain = INFINITY;
        return;
    }
    double potential = correct_impulses(b, part, worker, w->h, &m, R, NULL, &work);
    r->model->mass(b, part, x, m.y, false);
    for (int i = 0; i < p->nv; i++) twice += x[i] * m.y[i];
    subtract_inertia(b, part, &m, R);
    // prescribed motion of fixed unknowns also does work
    for (int i = 0; i < p->nv; i++)
        if (b->fixed[p->v + i]) work -= R[i] * x[i];
    hold_fixed(b, p, R);
    r->correction[part].gain = 0.5 * twice + potential - r->part_kinetic[part] - r->part_energy[part] - work;
}

static void correct_part(void *arg, int part, int worker) {
    const job *w = arg;
    sp_body *b = w->b;
    sp_rod *r = sp__rod(b);
    const sp_rod_part *p = &r->part[part];
    struct sp_rod_correction *c = &r->correction[part];
    double energy =
        sp__drive_dot(b->v[SP_TRIAL] + p->v, b->work[2] + p->v, p->nv) + SP_ROD_ENERGY_FLOOR * sp__rod_elastic(b, part, NULL);
    double gap = sp__drive_dot(b->work[0] + p->v, w->gap + p->v, p->nv);
    if (gap <= r->model->accepted_gap * energy && c->gain <= SP_ROD_MOST_GAIN * energy) return;
    c->substeps = 0;
    solve_strand(b, part, worker, w->h, gap <= SP_ROD_NEAR * energy && isfinite(c->gain), c);
}

bool sp__rod_step_too_large(sp_body *b, double h, const double *x) {
    const sp_rod *r = sp__rod(b);
    for (int part = 0; part < r->parts && r->model->bent; part++)
        if (!(r->model->bent(b, part, h, x + r->part[part].v) <= SP_ROD_LARGEST_BEND)) return true;
    return false;
}

sp_status sp__rod_correct(sp_body *b, const sp_step *step, const sp_system *A) {
    sp_rod *r = sp__rod(b);
    double h = step->h;
    sp_coef c = {1, h, h * h};
    sp_linear_info info;
    sp_status status = SP_OK;
    int iterations = 0, substeps = 1;
    bool moved = false;
    // constraints change the motion afterwards, which must be that of one step
    if (!sp__rod_corrects(b) || (step->constraints && b->constrained)) return SP_OK;
    job w = {.b = b, .h = h, .gap = b->work[1]};
    sp__parallel(b->ctx, r->parts, correct_check_part, &w);
    SP_TRY(sp__drive_solve(b, A, c, b->work[0], b->work[1], &info));
    A->mul_raw(A->o, c, b->v[SP_TRIAL], b->work[2]);
    sp__parallel(b->ctx, r->parts, correct_part, &w);
    for (int i = 0; i < r->parts; i++) {
        const struct sp_rod_correction *k = &r->correction[i];
        status = sp__worst(status, k->status);
        if (k->iterations > iterations) iterations = k->iterations;
        if (k->substeps > substeps) substeps = k->substeps;
        moved = moved || k->iterations > 0;
    }
    if (moved) sp__rod_place_fixed(b);
    b->solve.newton_iterations += iterations;
    b->solve.substeps += substeps - 1;
    return status;
}
