// Damped least squares of rod_fit.h (Levenberg 1944, Marquardt 1963). How a place r(s) moves with a curvature is
//     dr(s) = integral over v < s of (R dkappa)(v) x (r(s) - r(v)) dv = a x r(s) - b,
// with a and b integrals of R dkappa and of R dkappa x r that are carried along the curve, by Gauss's rule between the places
// that matter; the curve itself is exact. Derivatives need not be: a small error in them only costs an iteration.
#include <math.h>
#include <string.h>

#include "linear/banded.h"
#include "math/vec3.h"
#include "rod/rod_fit.h"

// Of a curve's whole length and below, nothing is left to gain.
#define TINY 1e-16
// An angle over which Gauss's rule of three is good to 1e-7.
#define PACE 0.5

// One pass along a part of the curve: segment by segment, place by place.
typedef struct fit_pass {
    sp_fit *f;
    const sp_fit_part *part;
    sp_fit_curve *c;
    bool slopes;
    int element, next;  // the next of f->order
    double cost;
    double at, pace;  // of the element: moments are up to here
} fit_pass;

// ---- unknowns: two of the root, the stretch, three of each free control

static int root_unknowns(const sp_fit_part *part) {
    return part->first == 0 ? 2 : 0;
}

static int first_control(const sp_fit *f, const sp_fit_part *part) {
    return part->first + (f->affine && part->first > 0);
}

static int free_controls(const sp_fit *f, const sp_fit_part *part) {
    return part->last + f->affine - first_control(f, part);
}

static int unknown_count(const sp_fit *f, const sp_fit_part *part) {
    return root_unknowns(part) + part->whole + 3 * free_controls(f, part);
}

// ---- moments

static double *moment_of(const sp_fit *f, int control, int axis) {
    return f->moment + 6 * (3 * (size_t)control + (size_t)axis);
}

static void add_moment(sp_fit *f, int control, double weight, const sp_curve_frame *x) {
    for (int c = 0; c < 3; c++) {
        double axis[3] = {weight * x->R[c], weight * x->R[3 + c], weight * x->R[6 + c]}, arm[3], *m = moment_of(f, control, c);
        sp__cross3(axis, x->r, arm);
        for (int i = 0; i < 3; i++) m[i] += axis[i], m[3 + i] += arm[i];
    }
}

// over [a, b] of an element; the series covers [from, from + its length]
static void add_piece(fit_pass *p, const sp_curve_series *series, double from, double a, double b) {
    static const double x[3] = {-0.77459666924148337704, 0, 0.77459666924148337704}, w[3] = {5.0 / 18, 8.0 / 18, 5.0 / 18};
    double whole = 1.0 / p->f->elements;
    for (int i = 0; i < 3; i++) {
        sp_curve_frame frame;
        double s = 0.5 * (a + b) + 0.5 * (b - a) * x[i], weight = w[i] * (b - a), share = s / whole;
        sp__curve_at(series, (s - from) / series->length, &frame);
        add_moment(p->f, p->element, p->f->affine ? (1 - share) * weight : weight, &frame);
        if (p->f->affine) add_moment(p->f, p->element + 1, share * weight, &frame);
    }
}

static void carry_moments(fit_pass *p, const sp_curve_series *series, double from, double to) {
    if (!p->slopes) return;
    int pieces = 1 + (int)fmin((to - p->at) * p->pace / PACE, 1e4);
    double start = p->at, step = (to - start) / pieces;
    if (!(step > 0)) return;
    for (int i = 0; i < pieces; i++) add_piece(p, series, from, start + i * step, start + (i + 1) * step);
    p->at = to;
}

// ---- points

// the row of three of one point: how it moves with each unknown
static int fill_row(fit_pass *p, const double r[3], double *row, int n) {
    sp_fit *f = p->f;
    const sp_fit_part *part = p->part;
    double d[3], L = p->c->stretch;
    int at = 0, first = first_control(f, part), until = p->element + f->affine;
    for (int c = 1; c < 3 && root_unknowns(part); c++, at++) {
        double axis[3] = {p->c->root[c], p->c->root[3 + c], p->c->root[6 + c]};
        sp__cross3(axis, r, d);
        for (int i = 0; i < 3; i++) row[i * n + at] = L * d[i];
    }
    if (part->whole) {
        for (int i = 0; i < 3; i++) row[i * n + at] = r[i];
        at++;
    }
    for (int j = first; j <= until; j++)
        for (int c = 0; c < 3; c++, at++) {
            const double *m = moment_of(f, j, c);
            sp__cross3(m, r, d);
            bool free = c > 0 || part->twisted;
            for (int i = 0; i < 3; i++) row[i * n + at] = free ? L * (d[i] - m[3 + i]) : 0;
        }
    return at;
}

// what a step along the curve cannot mend: the part of a vector across the tangent
static void across(const double *t, double *v, int stride) {
    double along = t[0] * v[0] + t[1] * v[stride] + t[2] * v[2 * stride];
    for (int i = 0; i < 3; i++) v[i * stride] -= along * t[i];
}

static void add_point(fit_pass *p, int point, const sp_curve_frame *x) {
    sp_fit *f = p->f;
    double e[3], t[3] = {x->R[0], x->R[3], x->R[6]};
    for (int i = 0; i < 3; i++) e[i] = p->c->stretch * x->r[i] - f->p[3 * point + i];
    double weight = f->weight[point];
    p->cost += weight * sp__dot3(e, e);
    if (!p->slopes) return;
    int n = unknown_count(f, p->part), used = fill_row(p, x->r, f->row, n);
    if (p->part->slide && point > 0 && point + 1 < f->points) {
        across(t, e, 1);
        for (int j = 0; j < used; j++) across(t, f->row + j, n);
    }
    for (int i = 0; i < used; i++) {
        const double *a = f->row;
        double *H = f->H + (size_t)i * (size_t)n, b[3] = {weight * a[i], weight * a[n + i], weight * a[2 * n + i]};
        f->g[i] -= sp__dot3(b, e);
        for (int j = 0; j <= i; j++) H[j] += b[0] * a[j] + b[1] * a[n + j] + b[2] * a[2 * n + j];
    }
}

// a point's place moves to where the curve is nearest, by one step of Newton's method without the curvature
static void slide_point(fit_pass *p, int point, const sp_curve_frame *x) {
    double along = 0;
    for (int i = 0; i < 3; i++) along += x->R[3 * i] * (p->f->p[3 * point + i] - p->c->stretch * x->r[i]);
    if (point > 0 && point + 1 < p->f->points) p->c->u[point] = fmin(1, fmax(0, p->c->u[point] + along / p->c->stretch));
}

typedef void visit_fn(fit_pass *p, int point, const sp_curve_frame *x);

static void cross_segment(fit_pass *p, const sp_curve_walk *w, const sp_curve_series *series, visit_fn *visit) {
    sp_fit *f = p->f;
    bool last = p->element + 1 == p->part->last && w->at >= w->length;
    double start = (double)p->element / f->elements;
    for (; p->next < f->points; p->next++) {
        int point = f->order[p->next];
        double s = p->c->u[point] - start;
        if (p->c->u[point] > p->part->limit || (s > w->at && !(last && p->part->last == f->elements))) break;
        sp_curve_frame x;
        s = fmin(fmax(s, w->from), w->at);
        carry_moments(p, series, w->from, s);
        sp__curve_at(series, (s - w->from) / series->length, &x);
        visit(p, point, &x);
    }
    carry_moments(p, series, w->from, w->at);
}

static bool cross_element(fit_pass *p, sp_curve_frame *frame, visit_fn *visit) {
    const double *k = p->c->k + 3 * p->element;
    double whole = 1.0 / p->f->elements, lambda[6] = {k[0], k[1], k[2]}, most = sp__norm3(k);
    sp_curve_series series;
    if (p->f->affine) {
        for (int i = 0; i < 3; i++) lambda[3 + i] = (k[3 + i] - k[i]) / whole;
        most = fmax(most, sp__norm3(k + 3));
    }
    sp_curve_walk w = sp__curve_begin(frame, p->f->affine, lambda, whole, SP_CURVE_REACH_PRODUCT);
    p->at = 0, p->pace = most;
    if (most <= p->f->bound)
        while (sp__curve_next(&w, 1e-16, &series)) cross_segment(p, &w, &series, visit);
    *frame = w.frame;
    return most <= p->f->bound && !w.failed;
}

// nearly sorted from the time before
static void sort_points(sp_fit *f, const double *u) {
    for (int i = 1; i < f->points; i++) {
        int point = f->order[i], j = i;
        for (; j > 0 && u[f->order[j - 1]] > u[point]; j--) f->order[j] = f->order[j - 1];
        f->order[j] = point;
    }
}

// every point of the part, in the order of the curve; false: the curve is not finite
static bool pass(fit_pass *p, visit_fn *visit) {
    sp_fit *f = p->f;
    sp_curve_frame frame = f->frame[p->part->first];
    double start = (double)p->part->first / f->elements;
    if (p->part->first == 0) memcpy(frame.R, p->c->root, sizeof frame.R);
    sort_points(f, p->c->u);
    while (p->next < f->points && p->part->first > 0 && p->c->u[f->order[p->next]] <= start) p->next++;
    for (p->element = p->part->first; p->element < p->part->last; p->element++) {
        if (p->c == &f->now) f->frame[p->element] = frame;
        if (!cross_element(p, &frame, visit)) return false;
    }
    if (p->c == &f->now) f->frame[p->element] = frame;
    return true;
}

// ---- costs and slopes

static double run(sp_fit *f, sp_fit_curve *c, const sp_fit_part *part, bool slopes) {
    fit_pass p = {.f = f, .part = part, .c = c, .slopes = slopes};
    size_t n = (size_t)unknown_count(f, part);
    if (slopes) {
        memset(f->H, 0, n * n * sizeof *f->H);
        memset(f->g, 0, n * sizeof *f->g);
        memset(f->moment, 0, 18 * (size_t)f->controls * sizeof *f->moment);
    }
    return pass(&p, add_point) && isfinite(p.cost) ? p.cost : INFINITY;
}

double sp__fit_cost(sp_fit *f, sp_fit_curve *c, const sp_fit_part *part) {
    if (part->slide) {
        fit_pass p = {.f = f, .part = part, .c = c};
        if (!pass(&p, slide_point)) return INFINITY;
    }
    return run(f, c, part, false);
}

// ---- steps

// (H + damping D) step = g; D is the largest entry of H's diagonal in each control, so that a twist that the points do not see is
// held as firmly as the bends beside it
static bool solve(sp_fit *f, const sp_fit_part *part, double damping) {
    int n = unknown_count(f, part), head = root_unknowns(part) + part->whole;
    double most = 0;
    for (int i = 0; i < n; i++) most = fmax(most, f->H[(size_t)i * (size_t)n + (size_t)i]);
    memset(f->T, 0, (size_t)n * (size_t)n * sizeof *f->T);
    for (int i = 0; i < n; i++) {
        int a = i < head ? i : i - (i - head) % 3, b = i < head ? i : a + 2;
        double D = 1e-8 * most;
        for (int j = a; j <= b; j++) D = fmax(D, f->H[(size_t)j * (size_t)n + (size_t)j]);
        for (int j = 0; j <= i; j++) *sp__banded_at(f->T, n - 1, i, j) = f->H[(size_t)i * (size_t)n + (size_t)j];
        *sp__banded_at(f->T, n - 1, i, i) += damping * D;
    }
    if (sp__banded_factor(f->T, n, n - 1, 0) >= 0) return false;
    sp__banded_solve(f->T, n, n - 1, f->g, f->step);
    return true;
}

void sp__fit_copy(const sp_fit *f, const sp_fit_curve *from, sp_fit_curve *to) {
    memcpy(to->root, from->root, sizeof to->root);
    to->stretch = from->stretch;
    memcpy(to->k, from->k, 3 * (size_t)f->controls * sizeof *to->k);
    memcpy(to->u, from->u, (size_t)f->points * sizeof *to->u);
}

static void turn_root(double R[9], double about1, double about2) {
    double angle = hypot(about1, about2), axis[3], q[4], turn[9], old[9];
    if (!(angle > 0)) return;
    for (int i = 0; i < 3; i++) axis[i] = about1 * R[3 * i + 1] + about2 * R[3 * i + 2];
    sp__quat_axis(axis, angle, q);
    sp__quat_matrix(q, turn);
    memcpy(old, R, sizeof old);
    sp__mul33(turn, old, R);
}

static void take_step(sp_fit *f, const sp_fit_part *part) {
    const double *step = f->step;
    sp__fit_copy(f, &f->now, &f->trial);
    if (root_unknowns(part)) turn_root(f->trial.root, step[0], step[1]), step += 2;
    if (part->whole) f->trial.stretch = fmax(f->now.stretch + step[0], 0.1 * f->now.stretch), step++;
    int first = first_control(f, part);
    for (int i = 0; i < 3 * free_controls(f, part); i++) f->trial.k[3 * first + i] += step[i];
}

double sp__fit_improve(sp_fit *f, const sp_fit_part *part, int iterations, double share) {
    double damping = 1e-3, cost = sp__fit_cost(f, &f->now, part), goal = TINY * TINY * f->points;
    int idle = 0;
    bool fresh = false;
    for (int i = 0; i < iterations && cost > goal && idle < 2 && damping < 1e10; i++) {
        if (!fresh) run(f, &f->now, part, true);
        fresh = true;
        double trial = INFINITY;
        if (solve(f, part, damping)) {
            take_step(f, part);
            trial = sp__fit_cost(f, &f->trial, part);
        }
        if (!(trial < cost)) {
            damping *= 8;
            continue;
        }
        idle = cost - trial < share * cost ? idle + 1 : 0;
        sp__fit_copy(f, &f->trial, &f->now);
        cost = trial, fresh = false;
        damping = fmax(0.1 * damping, 1e-15);
    }
    return run(f, &f->now, part, false);
}

// ---- distance

static void keep_farthest(fit_pass *p, int point, const sp_curve_frame *x) {
    double e[3];
    for (int i = 0; i < 3; i++) e[i] = p->c->stretch * x->r[i] - p->f->p[3 * point + i];
    if (p->f->weight[point] == 1) p->cost = fmax(p->cost, sp__norm3(e));
}

double sp__fit_farthest(sp_fit *f) {
    sp_fit_part part = {.last = f->elements, .limit = 1};
    fit_pass p = {.f = f, .part = &part, .c = &f->now};
    return pass(&p, keep_farthest) ? p.cost : INFINITY;
}
