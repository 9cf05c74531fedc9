// Free rigid bodies: forces, mass matrix, gyroscopic term, energies.
//
// Rotation. A step applies the sum J of all angular impulses and then moves the body without torque: L1 = L0 + J in world axes,
// so that angular momentum is exact. The torque-free motion is that of the implicit midpoint rule on the rotation group: with the
// angular velocity W in the axes of the body,
//   I W = exp(-h W / 2) R0^T L1,   R1 = R0 exp(h W)
// It is symmetric in time and keeps L; the energy of a body with three different moments oscillates by O(h2), that of others is
// constant, and steady spins are exact (compare Simo and Wong 1991; McLachlan, Modin, Verdier 2014). The equations are solved by
// Newton's method, in parts of at most a quarter of a radian.
//
// Let free(L) be the mean angular velocity of this motion, in world axes, and M = R0 I R0^T. The drivers solve
// M (w - w0) = h torque + g, with the gyroscopic impulse g chosen such that w = free(L0 + J):
//   g = M (free(L0 + J) - w0) - J,   J = M (w - w0) - g
// J is known in explicit steps, a function of w in Newton's method, and found by iterations from J = 0 in implicit Euler
// (sp__rigid_free_correct). Contacts that change w after that change J by M dw. sp__rigid_free_finish moves the body by
// free(L0 + J) and sets w to R1 I^-1 R1^T (L0 + J).
#include <stdio.h>

#include "backend/backend.h"
#include "body/drive.h"
#include "rigid/rigid.h"

enum { N = SP_RIGID_NV };

static const double part_angle = 0.25;  // [rad], of one part of the prediction
enum { MOST_PARTS = 64, NEWTON = 30, PASSES = 30 };
static const double pass_tolerance = 1e-12;  // of the angular velocity

// ---------------------------------------------------------------------------------------------------- gyroscopic term

// out = R I R^T
static void turned_inertia(const double *I, const double *R, double *out) {
    double RI[9];
    sp__mul33(R, I, RI);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) out[3 * i + j] = sp__dot3(RI + 3 * i, R + 3 * j);
}

// W of one part of the prediction: I W = exp(-h W / 2) P. Starts from I^-1 P
static void midpoint_spin(const sp_rigid *r, const double P[3], double h, double W[3]) {
    double least = 0x1p-50 * sp__norm3(P), before = INFINITY;
    sp__mul3(r->inverse, P, W);
    for (int k = 0; k < NEWTON; k++) {
        double t[3], E[9], y[3], residual[3], X[9], T[9], J[9], inverse[9], step[3];
        for (int i = 0; i < 3; i++) t[i] = -0.5 * h * W[i];
        sp__rotvec_matrix(t, E);
        sp__mul3(E, P, y);
        sp__mul3(r->mass.inertia, W, residual);
        sp__axpy3(residual, -1, y, residual);
        double size = sp__norm3(residual);
        // rounding stops the decrease
        if (size <= least || !(size < before)) return;
        before = size;
        // derivative of exp(t) P: -[y]x T(t) dt, with T the left Jacobian
        sp__hat3(y, X);
        sp__rotvec_jacobian(t, T);
        sp__mul33(X, T, J);
        for (int i = 0; i < 9; i++) J[i] = r->mass.inertia[i] - 0.5 * h * J[i];
        if (sp__inverse3(J, inverse) == 0) return;
        sp__mul3(inverse, residual, step);
        sp__axpy3(W, -1, step, W);
    }
}

// the rotation vector of a quaternion that is nearest to `about`: full turns count
static void rotation_near(const double Q[4], const double about[3], double out[3]) {
    sp__rotvec_of_quat(Q, out);
    double angle = sp__norm3(out);
    if (angle < 1e-8) return;
    double turns = round((sp__dot3(about, out) / angle - angle) / (2 * SP_PI));
    for (int i = 0; i < 3; i++) out[i] *= 1 + 2 * SP_PI * turns / angle;
}

// Mean angular velocity of the torque-free motion over h, in the axes of the body at its start, from that at its start.
static void free_spin(const sp_rigid *r, const double W0[3], double h, double out[3]) {
    int parts = (int)fmin(MOST_PARTS, fmax(1, ceil(h * sp__norm3(W0) / part_angle)));
    double P[3], W[3] = {0}, Q[4] = {1, 0, 0, 0}, sum[3] = {0}, part = h / parts;
    sp__mul3(r->mass.inertia, W0, P);
    for (int k = 0; k < parts; k++) {
        midpoint_spin(r, P, part, W);
        if (parts == 1) break;
        double t[3], E[9], back[3], q[4], next[4], angle = part * sp__norm3(W);
        for (int i = 0; i < 3; i++) t[i] = -part * W[i];
        sp__rotvec_matrix(t, E);
        sp__mul3(E, P, back);
        memcpy(P, back, sizeof P);
        sp__quat_axis(W, angle, q);
        sp__quat_mul(Q, q, next);
        memcpy(Q, next, sizeof Q);
        sp__axpy3(sum, part, W, sum);
    }
    memcpy(out, W, sizeof W);
    if (parts == 1) return;
    rotation_near(Q, sum, out);
    for (int i = 0; i < 3; i++) out[i] /= h;
}

// the state at the start of the step or of an explicit substep
static sp_which start_of(const sp_body *b) {
    return b->integrator.type == SP_EXPLICIT ? SP_TRIAL : SP_COMMITTED;
}

// Mean angular velocity over the step in world axes, if the body starts with the angular momentum L and no torque acts.
static void free_motion(const sp_rigid *r, const double L[3], double out[3]) {
    double R[9], own[3], W[3], mean[3];
    sp__quat_matrix(r->start + SP_RIGID_QUAT, R);
    sp__mul3t(R, L, own);
    sp__mul3(r->inverse, own, W);
    free_spin(r, W, r->h, mean);
    sp__mul3(R, mean, out);
}

// L0 + J of the angular velocity w that moves the body
static void momentum_of(const sp_rigid *r, const double w[3], double L[3]) {
    sp__mul3(r->turning, w, L);
    sp__axpy3(L, -1, r->gyroscopic, L);
}

// w minus the angular velocity that its own momentum gives; its length
static double motion_gap(const sp_rigid *r, const double w[3], double gap[3]) {
    double L[3], moved[3];
    momentum_of(r, w, L);
    free_motion(r, L, moved);
    sp__sub3(w, moved, gap);
    return sp__norm3(gap);
}

// Newton's method: g for which w is the motion of its own momentum, by fixed-point iterations. The last one that improved counts
static void solve_gyroscopic(sp_rigid *r, const double w[3]) {
    double best[3], least = INFINITY, gap[3], change[3];
    memcpy(best, r->gyroscopic, sizeof best);
    for (int k = 0; k < PASSES; k++) {
        double size = motion_gap(r, w, gap);
        if (!(size < least)) break;
        least = size;
        memcpy(best, r->gyroscopic, sizeof best);
        if (size <= pass_tolerance * sp__norm3(w)) break;
        sp__mul3(r->turning, gap, change);
        sp__axpy3(r->gyroscopic, -1, change, r->gyroscopic);
    }
    memcpy(r->gyroscopic, best, sizeof best);
}

// Adds the gyroscopic force and stores what the end of the step needs. b->f holds the torque.
static void add_gyroscopic(sp_body *b, double h) {
    sp_rigid *r = sp__rigid(b);
    sp_which s = start_of(b);
    const double *spin = b->v[s] + SP_RIGID_SPIN;
    double *f = b->f + SP_RIGID_SPIN, R[9], L[3], moved[3], change[3];
    bool known = b->integrator.type == SP_EXPLICIT;
    memcpy(r->start, b->q[s], sizeof r->start);
    r->h = h;
    sp__quat_matrix(r->start + SP_RIGID_QUAT, R);
    turned_inertia(r->mass.inertia, R, r->turning);
    sp__mul3(r->turning, spin, L);
    if (known) sp__axpy3(L, h, f, L);
    free_motion(r, L, moved);
    sp__sub3(moved, spin, change);
    sp__mul3(r->turning, change, r->gyroscopic);
    if (known) sp__axpy3(r->gyroscopic, -h, f, r->gyroscopic);
    if (b->integrator.type == SP_NEWTON) solve_gyroscopic(r, b->v[SP_TRIAL] + SP_RIGID_SPIN);
    sp__axpy3(f, 1 / h, r->gyroscopic, f);
}

// Iterates until the velocity that moves the body is that of its momentum. One iteration changes g by M times the gap and solves
// for the change of the velocity; the gap shrinks by about half the angle of the step.
sp_status sp__rigid_free_correct(sp_body *b, const sp_step *step, const sp_system *A) {
    sp_rigid *r = sp__rigid(b);
    double *v = b->v[SP_TRIAL], *w = v + SP_RIGID_SPIN, *rhs = b->work[0], *dv = b->work[1], gap[3], least = INFINITY;
    const sp_coef c = {1, step->h, step->h * step->h};
    bool moved = false;
    for (int k = 0; k < PASSES; k++) {
        double size = motion_gap(r, w, gap);
        if (!(size > pass_tolerance * sp__norm3(w)) || !(size < least)) break;
        sp_linear_info info;
        least = size, moved = true;
        memset(rhs, 0, N * sizeof *rhs);
        sp__mul3(r->turning, gap, rhs + SP_RIGID_SPIN);
        for (int i = 0; i < N; i++) rhs[i] = -rhs[i];
        SP_TRY(sp__drive_solve(b, A, c, rhs, dv, &info));
        sp__axpy3(r->gyroscopic, 1, rhs + SP_RIGID_SPIN, r->gyroscopic);
        for (int i = 0; i < N; i++) v[i] += dv[i];
    }
    if (moved) b->ops->retract(b, step, SP_COMMITTED, step->h, v);
    return SP_OK;
}

void sp__rigid_free_finish(sp_body *b) {
    sp_rigid *r = sp__rigid(b);
    double *w = b->v[SP_TRIAL] + SP_RIGID_SPIN, L[3], R[9], own[3], W[3], gap[3];
    if (b->integrator.type == SP_STATIC) return;
    momentum_of(r, w, L);
    // a difference remains where contacts changed the velocity
    if (motion_gap(r, w, gap) > pass_tolerance * sp__norm3(w)) {
        sp__axpy3(w, -1, gap, w);
        sp__rigid_move(r, r->start, r->h, b->v[SP_TRIAL], b->q[SP_TRIAL]);
    }
    sp__quat_matrix(b->q[SP_TRIAL] + SP_RIGID_QUAT, R);
    sp__mul3t(R, L, own);
    sp__mul3(r->inverse, own, W);
    sp__mul3(R, W, w);
}

// ---------------------------------------------------------------------------------------------------- forces

void sp__rigid_free_prescribe(sp_body *b, const sp_step *step) {
    sp_rigid *r = sp__rigid(b);
    memset(r->pushed, 0, sizeof r->pushed);
    for (int i = 0; i < r->load_count; i++) {
        sp_rigid_load *l = &r->loads[i];
        for (int k = 0; k < 3; k++) l->now[k] = sp_signal_value(&l->value[k], step->time);
        if (l->type == SP_LOAD_ACCELERATION) sp__axpy3(r->pushed, 1, l->now, r->pushed);
    }
}

// adds a force at a point with the arm from the centre of mass
static void push_at(double *f, const double arm[3], double s, const double force[3]) {
    double torque[3];
    sp__cross3(arm, force, torque);
    sp__axpy3(f, s, force, f);
    sp__axpy3(f + SP_RIGID_SPIN, s, torque, f + SP_RIGID_SPIN);
}

// Adds s times the geometric stiffness of a force f of constant direction: the potential -f . exp(t) arm has the second
// derivative (f . arm) 1 - (f arm^T + arm f^T) / 2. That is indefinite, and symmetric only because it leaves out the part that
// makes a rotation about the arm itself harmless: multiplied by a fast spin it would be a wrong torque. In dynamics only
// rotations across the arm count, (f . arm) (1 - a a^T) with a the direction of the arm, if the force pulls.
static void add_geometric(double *K, const double arm[3], double s, const double f[3], bool exact) {
    double dot = s * sp__dot3(arm, f), length2 = sp__dot3(arm, arm);
    if (!(length2 > 0) || (!exact && dot < 0)) return;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            K[3 * i + j] +=
                (i == j) * dot - (exact ? 0.5 * s * (f[i] * arm[j] + arm[i] * f[j]) : dot * arm[i] * arm[j] / length2);
}

sp_status sp__rigid_free_evaluate(sp_body *b, const sp_step *step, unsigned want) {
    (void)want;
    sp_rigid *r = sp__rigid(b);
    const double *q = b->q[SP_TRIAL];
    bool exact = b->integrator.type == SP_STATIC;
    double R[9], centre[3], arm[3], x[3], s = step->load_factor;
    memset(r->geometric, 0, sizeof r->geometric);
    sp__quat_matrix(q + SP_RIGID_QUAT, R);
    sp__rigid_centre(r, q, centre);
    memset(b->f, 0, N * sizeof *b->f);
    b->energy = b->loads.energy;
    for (int k = 0; k < 3; k++) {
        b->f[k] = s * r->mass.mass * (step->gravity[k] + r->pushed[k]);
        b->energy -= b->f[k] * centre[k];
    }
    for (int i = 0; i < r->load_count; i++) {
        const sp_rigid_load *l = &r->loads[i];
        if (l->type == SP_LOAD_ACCELERATION) continue;
        if (l->type == SP_LOAD_TORQUE) {  // has no potential
            sp__axpy3(b->f + SP_RIGID_SPIN, s, l->now, b->f + SP_RIGID_SPIN);
            continue;
        }
        sp__rigid_arm(r, R, l->at, arm);
        push_at(b->f, arm, s, l->now);
        add_geometric(r->geometric, arm, s, l->now, exact);
        sp__axpy3(centre, 1, arm, x);
        b->energy -= s * sp__dot3(l->now, x);
    }
    for (int i = 0; i < b->loads.term_count; i++) {
        sp__rigid_arm(r, R, b->loads.terms[i].at.offset, arm);
        push_at(b->f, arm, 1, b->loads.terms[i].f);
        add_geometric(r->geometric, arm, 1, b->loads.terms[i].f, exact);
    }
    if (step->h > 0) add_gyroscopic(b, step->h);
    return SP_OK;
}

// ---------------------------------------------------------------------------------------------------- linear system

// A += J^T k J with J = (1, -[arm]x); k: xx yy zz xy yz zx
static void add_term(double *A, const double arm[3], const double k[6]) {
    const double K[9] = {k[0], k[3], k[5], k[3], k[1], k[4], k[5], k[4], k[2]};
    double J[3 * N] = {0}, X[9], KJ[3 * N] = {0};
    sp__hat3(arm, X);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) J[N * i + j] = i == j, J[N * i + 3 + j] = -X[3 * i + j];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < N; j++)
            for (int c = 0; c < 3; c++) KJ[N * i + j] += K[3 * i + c] * J[N * c + j];
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            for (int c = 0; c < 3; c++) A[N * i + j] += J[N * c + i] * KJ[N * c + j];
}

static void rigid_mul_raw(void *o, sp_coef c, const double *x, double *y) {
    const sp_rigid *r = sp__rigid(o);
    for (int i = 0; i < N; i++) {
        y[i] = 0;
        for (int j = 0; j < N; j++) {
            int at = N * i + j;
            y[i] += (c.m * r->system[0][at] + c.b * r->system[1][at] + c.k * r->system[2][at]) * x[j];
        }
    }
}

static double rigid_mul(void *o, sp_coef c, const double *x, double *y) {
    const sp_body *b = o;
    double kept[N], dot = 0;
    for (int i = 0; i < N; i++) kept[i] = b->fixed[i] ? 0 : x[i];
    rigid_mul_raw(o, c, kept, y);
    for (int i = 0; i < N; i++) {
        if (b->fixed[i]) y[i] = x[i];
        dot += x[i] * y[i];
    }
    return dot;
}

static void rigid_fill_band(void *o, sp_coef c, int part, double *A) {
    (void)part;
    const sp_rigid *r = sp__rigid(o);
    for (int i = 0; i < N; i++)
        for (int j = 0; j <= i; j++) {
            int at = N * i + j;
            A[N * i + j - i + N - 1] = c.m * r->system[0][at] + c.b * r->system[1][at] + c.k * r->system[2][at];
        }
}

static void mass_matrix(const sp_body *b, double *M) {
    const sp_rigid *r = sp__rigid(b);
    double R[9], turned[9];
    sp__quat_matrix(b->q[start_of(b)] + SP_RIGID_QUAT, R);
    turned_inertia(r->mass.inertia, R, turned);
    memset(M, 0, N * N * sizeof *M);
    for (int i = 0; i < 3; i++) {
        M[N * i + i] = r->mass.mass;
        for (int j = 0; j < 3; j++) M[N * (3 + i) + 3 + j] = turned[3 * i + j];
    }
}

sp_status sp__rigid_free_linearise(sp_body *b, const sp_step *step, sp_system *out) {
    (void)step;
    sp_rigid *r = sp__rigid(b);
    double R[9], arm[3];
    sp__quat_matrix(b->q[SP_TRIAL] + SP_RIGID_QUAT, R);
    mass_matrix(b, r->system[0]);
    memset(r->system[1], 0, sizeof r->system[1]), memset(r->system[2], 0, sizeof r->system[2]);
    for (int i = 0; i < b->loads.term_count; i++) {
        const sp_point_term *t = &b->loads.terms[i];
        sp__rigid_arm(r, R, t->at.offset, arm);
        add_term(r->system[1], arm, t->b);
        add_term(r->system[2], arm, t->k);
    }
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) r->system[2][N * (3 + i) + 3 + j] += r->geometric[3 * i + j];
    r->part_start[1] = N, r->part_band[0] = N - 1;
    r->part = (sp_parts){.count = 1, .start = r->part_start, .band = r->part_band, .fill = rigid_fill_band};
    *out = (sp_system){.n = N,
                       .block = 1,
                       .pattern = 1,
                       .values = ++r->values,
                       .fixed = b->fixed,
                       .mul = rigid_mul,
                       .mul_raw = rigid_mul_raw,
                       .parts = &r->part,
                       .ctx = b->ctx,
                       .o = b};
    return SP_OK;
}

void sp__rigid_free_mass(sp_body *b, const double *x, double *y, bool inverse) {
    const sp_rigid *r = sp__rigid(b);
    double R[9], own[3], turned[3];
    sp__quat_matrix(b->q[start_of(b)] + SP_RIGID_QUAT, R);
    for (int k = 0; k < 3; k++) y[k] = inverse ? x[k] / r->mass.mass : x[k] * r->mass.mass;
    sp__mul3t(R, x + SP_RIGID_SPIN, own);
    sp__mul3(inverse ? r->inverse : r->mass.inertia, own, turned);
    sp__mul3(R, turned, y + SP_RIGID_SPIN);
}

// In statics rotations do not add: exp(s out) = exp(s a d) exp(s x). In dynamics the inertia dominates, which is linear in the
// velocity.
void sp__rigid_free_compose(sp_body *b, double s, const double *x, double a, const double *d, double *out) {
    double first[3], then[3], A[4], B[4], Q[4], near[3], both[3];
    for (int k = 0; k < 3; k++) {
        first[k] = s * x[SP_RIGID_SPIN + k], then[k] = s * a * d[SP_RIGID_SPIN + k];
        near[k] = first[k] + then[k];
        out[k] = x[k] + a * d[k];
    }
    double turns[2] = {sp__norm3(first), sp__norm3(then)};
    if (b->integrator.type != SP_STATIC || turns[0] == 0 || turns[1] == 0) {
        for (int k = 0; k < 3; k++) out[SP_RIGID_SPIN + k] = x[SP_RIGID_SPIN + k] + a * d[SP_RIGID_SPIN + k];
        return;
    }
    sp__quat_axis(first, turns[0], A), sp__quat_axis(then, turns[1], B);
    sp__quat_mul(B, A, Q);
    rotation_near(Q, near, both);
    for (int k = 0; k < 3; k++) out[SP_RIGID_SPIN + k] = both[k] / s;
}

// ---------------------------------------------------------------------------------------------------- energies

// 0.7 edges of a cube; bodies without a volume have one, too
static double rigid_size(const sp_rigid *r) {
    const double *I = r->mass.inertia;
    return sqrt((I[0] + I[4] + I[8]) / r->mass.mass);
}

// angular momentum about the centre of mass, and the kinetic energy
static double kinetic_energy(const sp_body *b, sp_which s, double L[3]) {
    const sp_rigid *r = sp__rigid(b);
    const double *v = b->v[s];
    double R[9], W[3], own[3];
    sp__quat_matrix(b->q[s] + SP_RIGID_QUAT, R);
    sp__mul3t(R, v + SP_RIGID_SPIN, W);
    sp__mul3(r->mass.inertia, W, own);
    sp__mul3(R, own, L);
    return 0.5 * (r->mass.mass * sp__dot3(v, v) + sp__dot3(W, own));
}

void sp__rigid_free_energies(sp_body *b, sp_which s, sp_energies *out) {
    const sp_rigid *r = sp__rigid(b);
    double L[3], centre[3];
    *out = (sp_energies){.volume = r->mass.volume, .rest_volume = r->mass.volume, .size = rigid_size(r)};
    out->kinetic = kinetic_energy(b, s, L);
    sp__rigid_centre(r, b->q[s], centre);
    for (int k = 0; k < 3; k++) out->moment[k] = r->mass.mass * centre[k];
}

void sp__rigid_free_measure(sp_body *b, sp_measure *out) {
    const sp_rigid *r = sp__rigid(b);
    const double *v = b->v[SP_COMMITTED];
    double L[3], centre[3];
    *out = (sp_measure){.mass = r->mass.mass, .rest_volume = r->mass.volume, .volume = r->mass.volume, .size = rigid_size(r)};
    out->kinetic = kinetic_energy(b, SP_COMMITTED, L);
    sp__rigid_centre(r, b->q[SP_COMMITTED], centre);
    for (int k = 0; k < 3; k++) {
        out->moment[k] = r->mass.mass * centre[k];
        out->momentum[k] = r->mass.mass * v[k];
    }
    sp__cross3(centre, out->momentum, out->angular);
    sp__axpy3(out->angular, 1, L, out->angular);
}

double sp__rigid_free_work(sp_body *b, double push[3]) {
    const sp_rigid *r = sp__rigid(b);
    double moved[N], sum = 0;
    memcpy(push, r->pushed, sizeof r->pushed);
    sp__rigid_difference(b, b->q[SP_COMMITTED], b->q[SP_TRIAL], moved);
    for (int i = 0; i < r->load_count; i++) {
        const sp_rigid_load *l = &r->loads[i];
        sp_anchor a = {0};
        double x0[3], x1[3];
        if (l->type == SP_LOAD_TORQUE) sum += sp__dot3(l->now, moved + SP_RIGID_SPIN);
        if (l->type != SP_LOAD_FORCE) continue;
        memcpy(a.offset, l->at, sizeof a.offset);
        sp__rigid_points(b, SP_COMMITTED, 1, &a, x0, NULL);
        sp__rigid_points(b, SP_TRIAL, 1, &a, x1, NULL);
        sp__sub3(x1, x0, x1);
        sum += sp__dot3(l->now, x1);
    }
    return sum;
}

// ---------------------------------------------------------------------------------------------------- creation

static sp_status copy_loads(sp_body *b, const sp_rigid_def *def) {
    sp_rigid *r = sp__rigid(b);
    if (def->load_count > 0 && !SP_NEW(b->ctx, r->loads, def->load_count)) return SP_NO_MEMORY;
    for (int i = 0; i < def->load_count; i++) {
        sp_rigid_load *l = &r->loads[r->load_count++];
        l->type = def->loads[i].type;
        memcpy(l->at, def->loads[i].at.offset, sizeof l->at);
        memcpy(l->value, def->loads[i].value, sizeof l->value);
    }
    SP_TRY(sp__loads_reserve(b, 8 + def->spring_count));
    for (int i = 0; i < def->spring_count; i++) {
        const sp_spring_def *from = &def->springs[i];
        sp_spring s = sp__spring_of(from, (sp_anchor){.elem = 0});
        memcpy(s.at.offset, from->at.offset, sizeof s.at.offset);
        SP_TRY(sp__loads_add_spring(b, &s));
    }
    return SP_OK;
}

sp_status sp__rigid_free_create(sp_body *b, const sp_rigid_def *def) {
    sp_rigid *r = sp__rigid(b);
    SP_TRY(sp__rigid_mass(b->ctx, b->error, def, &r->mass));
    sp__inverse3(r->mass.inertia, r->inverse);
    b->integrator = def->integrator;
    b->caps = SP_CAP_NO_PENALTY | (def->integrator.type == SP_NEWTON ? 0u : SP_CAP_ENERGY) |
              (def->integrator.type == SP_STATIC ? SP_CAP_EXACT_TANGENT : 0u);
    b->solver_def = sp_solver_def_default();
    b->solver_def.type = SP_SOLVER_BLOCK_TRIDIAGONAL;
    snprintf(b->solver_why, sizeof b->solver_why, "block-tridiagonal: six unknowns, factored in one pass");
    memset(b->fixed, SP_FREE, N);
    for (int s = 0; s < 2; s++) {
        memcpy(b->v[s], def->velocity, sizeof def->velocity);
        memcpy(b->v[s] + SP_RIGID_SPIN, def->spin, sizeof def->spin);
    }
    if (copy_loads(b, def) < 0) return SP_BODY_FAIL(b, SP_NO_MEMORY, "no memory for the loads of a rigid body");
    return sp__solver_create(b->ctx, &b->solver_def, sp__backend_find("auto"), &b->solver);
}
