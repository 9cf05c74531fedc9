// Fits a chain of clothoids or helices to points. The idea of going from a drawn line to a few elements of simple curvature comes
// from McCrae and Singh 2008 (planar clothoids) and Derouet-Jourdan et al. 2013 (helices). Here all elements have the same length
// and are fitted together, by damped least squares on root, curvatures, length and the positions of the points along the curve.
//
// All quantities are dimensionless: points are relative to the first one and divided by the length of the polyline. The curve has
// length 1 before `stretch`, and its curvatures are angles over the whole length. The roll of the root is fixed, since it is
// equivalent to a rotation of all curvatures about the tangent.
#include <limits.h>
#include <math.h>
#include <string.h>

#include "core/core.h"
#include "linear/banded.h"
#include "math/rotation_vector.h"
#include "math/vec3.h"
#include "rod/curve.h"
#include "souple/world.h"

// The curve: the unknowns of the least squares problem.
typedef struct sp_fit_curve {
    double root[9];  // frame
    double stretch;
    double *k;  // controls x 3
    double *u;  // points: position along the curve, 0..1
} sp_fit_curve;

// Free part of the curve: elements [first, last) and the points on them. Controls used by elements before `first` are fixed.
typedef struct sp_fit_part {
    int first, last;
    double limit;  // points farther along are ignored for now
    bool whole;    // root and stretch are free; otherwise only the root, if first is 0
    bool slide;    // points move to the nearest position on the curve
    bool twisted;  // twist is free
} sp_fit_part;

typedef struct sp_fit {
    sp_context *ctx;
    bool affine;
    int points, elements, controls;
    int per, stations;  // stations per element, and in all
    double *p;          // points x 3
    double *weight;     // points: 1, or less for points inserted by the spline
    double *chord;      // points: length of the polyline up to it
    double *spline;     // scratch, 4 x points
    sp_fit_curve now, trial;
    sp_curve_frame *frame;  // elements + 1: frames at the starts of the elements of `now`, before the stretch
    int *order;             // points sorted by u
    // at equally spaced stations, from the points nearby: directions and curvature vectors, world axes
    double *tangent, *bend;  // stations x 3
    double bound;            // of curvatures; curves beyond it do not follow these points
    // scratch of least squares
    double *moment;            // controls x 3 x 6
    double *row;               // 3 x unknowns
    double *H, *T, *g, *step;  // unknowns squared, unknowns
} sp_fit;

// ------------------------------------------------------------------------------------------------ points

// The points to fit. A few points do not determine many elements. There a cubic spline through the points adds points of low
// weight, so that the given points are still met.

// Points per element; memory for inserted points is computed from it.
#define ENOUGH 3.0
#define FAINT_POINT 1e-2

static double point_distance(const double *a, const double *b) {
    double d[3];
    sp__sub3(a, b, d);
    return sp__norm3(d);
}

static void take_points(sp_fit *f, const double *points, int count) {
    f->points = 0;
    for (int i = 0; i < count; i++) {
        double *p = f->p + 3 * f->points;
        sp__sub3(points + 3 * i, points, p);
        if (f->points > 0 && !(point_distance(p, p - 3) > 0)) continue;
        f->weight[f->points++] = 1;
    }
}

static double measure_polyline(sp_fit *f) {
    f->chord[0] = 0;
    for (int i = 1; i < f->points; i++) f->chord[i] = f->chord[i - 1] + point_distance(f->p + 3 * i, f->p + 3 * (i - 1));
    return f->chord[f->points - 1];
}

// second derivatives of the natural cubic spline through the points over the chord; `upper` is scratch of the same size
static void spline_through(const sp_fit *f, double *second, double *upper) {
    int last = f->points - 1;
    memset(second, 0, 3 * sizeof *second);
    memset(second + 3 * last, 0, 3 * sizeof *second);
    upper[0] = 0;
    for (int i = 1; i < last; i++) {
        double a = f->chord[i] - f->chord[i - 1], b = f->chord[i + 1] - f->chord[i], pivot = 2 * (a + b) - a * upper[i - 1];
        const double *p = f->p + 3 * i;
        upper[i] = b / pivot;
        for (int c = 0; c < 3; c++)
            second[3 * i + c] = (6 * ((p[3 + c] - p[c]) / b - (p[c] - p[c - 3]) / a) - a * second[3 * (i - 1) + c]) / pivot;
    }
    for (int i = last - 1; i > 0; i--)
        for (int c = 0; c < 3; c++) second[3 * i + c] -= upper[i] * second[3 * (i + 1) + c];
}

// value at x in (0, 1) of a span of length h, from its ends and the second derivatives there
static void spline_between(const double *p, const double *q, const double *second, double h, double x, double *out) {
    double y = 1 - x, a = (y * y * y - y) * h * h / 6, b = (x * x * x - x) * h * h / 6;
    for (int c = 0; c < 3; c++) out[c] = y * p[c] + x * q[c] + a * second[c] + b * second[3 + c];
}

static int fit_parts_of(const sp_fit *f, int i, double length) {
    return (int)fmax(1, ceil((f->chord[i] - f->chord[i - 1]) / length * ENOUGH * f->elements - 1e-6));
}

// from the last point backwards, so that nothing is overwritten before it is read
static void fit_fill_up(sp_fit *f, const double *second, double length) {
    int count = 1;
    for (int i = 1; i < f->points; i++) count += fit_parts_of(f, i, length);
    int at = count - 1;
    for (int i = f->points - 1; i > 0; i--) {
        int parts = fit_parts_of(f, i, length);
        double p[3], q[3];
        memcpy(p, f->p + 3 * (i - 1), sizeof p);
        memcpy(q, f->p + 3 * i, sizeof q);
        memcpy(f->p + 3 * at, q, sizeof q);
        f->weight[at] = 1;
        for (int j = parts - 1; j > 0; j--) {
            int new = at - parts + j;
            spline_between(p, q, second + 3 * (i - 1), f->chord[i] - f->chord[i - 1], (double)j / parts, f->p + 3 * new);
            f->weight[new] = FAINT_POINT;
        }
        at -= parts;
    }
    f->points = count;
}

static double fit_points(sp_fit *f, const double *points, int count) {
    take_points(f, points, count);
    double length = measure_polyline(f);
    if (!(length > 0) || !isfinite(length)) return length;
    spline_through(f, f->spline, f->spline + 3 * (size_t)f->points);
    fit_fill_up(f, f->spline, length);
    length = measure_polyline(f);
    for (int i = 0; i < f->points; i++) f->chord[i] /= length;
    for (int i = 0; i < 3 * f->points; i++) f->p[i] /= length;
    return length;
}

// ------------------------------------------------------------------------------------------------ a first guess

// Initial guess of a curve through points: a parabola through the neighbours of each station gives a direction and a curvature
// vector. Frames transported along the directions convert these to curvatures of a rod.

enum { NEIGHBOURS = 5 };  // minimum, if there are as many

// The window of a parabola: chord over length is at least this (1: straight).
#define STRAIGHT 0.9
// Below this angle over the whole length, the direction of bending is treated as noise [rad].
#define FAINT_BEND 0.5

// ---- tangents and curvatures of the points

static double fit_straightness(const sp_fit *f, int a, int b) {
    double d[3];
    sp__sub3(f->p + 3 * b, f->p + 3 * a, d);
    return sp__norm3(d) / (f->chord[b] - f->chord[a]);
}

// points [a, b] within w of s, at least as many as a parabola needs
static void station_neighbours(const sp_fit *f, double s, double w, int *a, int *b) {
    int low = 0, high = f->points - 1, least = f->points < NEIGHBOURS ? f->points : NEIGHBOURS;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (f->chord[middle] < s - w)
            low = middle + 1;
        else
            high = middle;
    }
    *a = low;
    while (high + 1 < f->points && f->chord[high + 1] <= s + w) high++;
    *b = high;
    while (*b - *a + 1 < least) {
        bool back = *a > 0 && (*b == f->points - 1 || s - f->chord[*a - 1] < f->chord[*b + 1] - s);
        if (back)
            --*a;
        else
            ++*b;
    }
}

// least squares of p = c0 + c1 x + c2 x^2, x = (chord - s) / w, over points [a, b]; false: underdetermined
static bool fit_parabola(const sp_fit *f, double s, double w, int a, int b, double c[3][3]) {
    double N[9] = {0}, inverse[9], right[3][3] = {{0}};
    for (int i = a; i <= b; i++) {
        double x = (f->chord[i] - s) / w, power[3] = {1, x, x * x};
        for (int j = 0; j < 3; j++)
            for (int k = 0; k < 3; k++) {
                N[3 * j + k] += power[j] * power[k];
                right[j][k] += power[j] * f->p[3 * i + k];
            }
    }
    if (b - a < 2 || !(fabs(sp__inverse3(N, inverse)) > 1e-12 * N[0] * N[0] * N[0])) return false;
    for (int j = 0; j < 3; j++)
        for (int k = 0; k < 3; k++)
            c[j][k] = inverse[3 * j] * right[0][k] + inverse[3 * j + 1] * right[1][k] + inverse[3 * j + 2] * right[2][k];
    return true;
}

static void measure_station(sp_fit *f, int station) {
    double s = (double)station / (f->stations - 1), w = 0.5 / f->elements, c[3][3];
    double *t = f->tangent + 3 * station, *bend = f->bend + 3 * station;
    int a, b;
    station_neighbours(f, s, w, &a, &b);
    while (b - a + 1 > NEIGHBOURS && fit_straightness(f, a, b) < STRAIGHT) station_neighbours(f, s, w *= 0.5, &a, &b);
    double wide = fmax(f->chord[b] - s, s - f->chord[a]);
    bool curved = fit_parabola(f, s, wide, a, b, c) && sp__norm3(c[1]) > 0;
    if (!curved) {
        sp__sub3(f->p + 3 * b, f->p + 3 * a, c[1]);
        for (int i = 0; i < 3; i++) c[2][i] = 0;
    }
    double length = sp__norm3(c[1]);
    if (!(length > 0)) c[1][0] = length = 1;  // the points return to their start: choose any direction
    for (int i = 0; i < 3; i++) t[i] = c[1][i] / length, c[2][i] *= 2 / (length * length);
    sp__cross3(t, c[2], bend);  // t x t'
}

// ---- curvatures

// Rate at which the bending direction rotates about the tangent near a station: mean torsion weighted by squared curvature. The
// weight keeps it stable where a curve is straight or has an inflection.
static double station_winding(const sp_fit *f, int station) {
    int a = station - f->per, b = station + f->per;
    double turned = 0, kept = 0;
    a = a < 0 ? 0 : a, b = b > f->stations - 1 ? f->stations - 1 : b;
    for (int i = a; i < b; i++) {
        const double *t = f->tangent + 3 * i, *from = f->bend + 3 * i, *to = from + 3;
        double across[3];
        sp__cross3(from, to, across);
        turned += sp__dot3(t, across);
        kept += sp__dot3(from, to);
    }
    if (hypot(turned, kept) < FAINT_BEND * FAINT_BEND * (b - a)) return 0;
    return atan2(turned, kept) * (f->stations - 1);
}

static void measure_stations(sp_fit *f) {
    double bend = 0, twist = 0;
    for (int i = 0; i < f->stations; i++) measure_station(f, i);
    for (int i = 0; i < f->stations; i++) {
        bend = fmax(bend, sp__norm3(f->bend + 3 * i));
        twist = fmax(twist, fabs(station_winding(f, i)));
    }
    f->bound = 4 * (bend + twist) + 30;  // a safety factor, plus five full turns
}

// makes n a unit vector orthogonal to t; any such vector if n is parallel to t
static void square_to(const double *t, double *n) {
    sp__axpy3(n, -sp__dot3(n, t), t, n);
    double length = sp__norm3(n);
    if (length < 1e-6) {
        int least = fabs(t[0]) < fabs(t[1]) ? (fabs(t[0]) < fabs(t[2]) ? 0 : 2) : fabs(t[1]) < fabs(t[2]) ? 1 : 2;
        for (int i = 0; i < 3; i++) n[i] = (i == least) - t[least] * t[i];
        length = sp__norm3(n);
    }
    for (int i = 0; i < 3; i++) n[i] /= length;
}

// parallel transport of n from one direction to the next
static void carry_normal(const double *from, const double *to, double *n) {
    double axis[3], turned[3], c = sp__dot3(from, to);
    sp__cross3(from, to, axis);
    if (c > -0.99) {
        sp__cross3(axis, n, turned);
        double along = sp__dot3(axis, n) / (1 + c);
        for (int i = 0; i < 3; i++) n[i] = c * n[i] + turned[i] + along * axis[i];
    }
    square_to(to, n);
}

static void rotate_about(const double *t, double angle, double *n) {
    double side[3];
    sp__cross3(t, n, side);
    for (int i = 0; i < 3; i++) n[i] = cos(angle) * n[i] + sin(angle) * side[i];
    square_to(t, n);
}

static void fit_guess(sp_fit *f, int from, const double R[9], bool twisted) {
    double n1[3] = {R[1], R[4], R[7]}, n2[3], share = f->affine ? 1 : 1.0 / f->per, ds = 1.0 / (f->stations - 1);
    int begin = from * f->per;
    square_to(f->tangent + 3 * begin, n1);
    for (int i = f->affine && from > 0 ? from + 1 : from; i < f->controls; i++)
        for (int c = 0; c < 3; c++) f->now.k[3 * i + c] = 0;
    for (int j = begin; j < f->stations; j++) {
        const double *t = f->tangent + 3 * j, *bend = f->bend + 3 * j;
        int control = j / f->per;
        // clothoid: use the stations at nodes; helix: the mean of an element's stations
        bool counts = f->affine ? j % f->per == 0 && (control > from || from == 0) : control < f->controls;
        double twist = twisted ? station_winding(f, j) : 0, *k = f->now.k + 3 * control;
        sp__cross3(t, n1, n2);
        if (counts) k[0] += share * twist, k[1] += share * sp__dot3(bend, n1), k[2] += share * sp__dot3(bend, n2);
        if (j + 1 == f->stations) break;
        carry_normal(t, t + 3, n1);
        rotate_about(t + 3, twist * ds, n1);
    }
}

// ------------------------------------------------------------------------------------------------ least squares

// Damped least squares (Levenberg 1944, Marquardt 1963). The derivative of a position r(s) with respect to curvature is
//     dr(s) = integral over v < s of (R dkappa)(v) x (r(s) - r(v)) dv = a x r(s) - b,
// where a and b are integrals of R dkappa and of R dkappa x r. They are accumulated along the curve by Gauss quadrature between
// the evaluation points. The curve itself is exact; derivatives need not be, since a small error only costs an iteration.

// Relative to the length of the curve: no further gain is possible below this.
#define TINY 1e-16
// Angle over which three-point Gauss quadrature is accurate to 1e-7.
#define FIT_STEP 0.5

// One pass along a part of the curve, by segments and evaluation points.
typedef struct fit_pass {
    sp_fit *f;
    const sp_fit_part *part;
    sp_fit_curve *c;
    bool slopes;
    int element, next;  // next: index in f->order
    double cost;
    double at, curvature_max;  // of the element: moments are accumulated up to `at`
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
static void fit_add_piece(fit_pass *p, const sp_curve_series *series, double from, double a, double b) {
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
    int pieces = 1 + (int)fmin((to - p->at) * p->curvature_max / FIT_STEP, 1e4);
    double start = p->at, step = (to - start) / pieces;
    if (!(step > 0)) return;
    for (int i = 0; i < pieces; i++) fit_add_piece(p, series, from, start + i * step, start + (i + 1) * step);
    p->at = to;
}

// ---- points

// the three rows of one point: its derivatives with respect to each unknown
static int fit_fill_row(fit_pass *p, const double r[3], double *row, int n) {
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

// the component of a vector across the tangent; the other one is removed by sliding the point along the curve
static void fit_across(const double *t, double *v, int stride) {
    double along = t[0] * v[0] + t[1] * v[stride] + t[2] * v[2 * stride];
    for (int i = 0; i < 3; i++) v[i * stride] -= along * t[i];
}

static void fit_add_point(fit_pass *p, int point, const sp_curve_frame *x) {
    sp_fit *f = p->f;
    double e[3], t[3] = {x->R[0], x->R[3], x->R[6]};
    for (int i = 0; i < 3; i++) e[i] = p->c->stretch * x->r[i] - f->p[3 * point + i];
    double weight = f->weight[point];
    p->cost += weight * sp__dot3(e, e);
    if (!p->slopes) return;
    int n = unknown_count(f, p->part), used = fit_fill_row(p, x->r, f->row, n);
    if (p->part->slide && point > 0 && point + 1 < f->points) {
        fit_across(t, e, 1);
        for (int j = 0; j < used; j++) fit_across(t, f->row + j, n);
    }
    for (int i = 0; i < used; i++) {
        const double *a = f->row;
        double *H = f->H + (size_t)i * (size_t)n, b[3] = {weight * a[i], weight * a[n + i], weight * a[2 * n + i]};
        f->g[i] -= sp__dot3(b, e);
        for (int j = 0; j <= i; j++) H[j] += b[0] * a[j] + b[1] * a[n + j] + b[2] * a[2 * n + j];
    }
}

// moves a point to the nearest position on the curve: one Newton step without the curvature term
static void slide_point(fit_pass *p, int point, const sp_curve_frame *x) {
    double along = 0;
    for (int i = 0; i < 3; i++) along += x->R[3 * i] * (p->f->p[3 * point + i] - p->c->stretch * x->r[i]);
    if (point > 0 && point + 1 < p->f->points) p->c->u[point] = fmin(1, fmax(0, p->c->u[point] + along / p->c->stretch));
}

typedef void visit_fn(fit_pass *p, int point, const sp_curve_frame *x);

static void fit_cross_segment(fit_pass *p, const sp_curve_pass *w, const sp_curve_series *series, visit_fn *visit) {
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

static bool fit_cross_element(fit_pass *p, sp_curve_frame *frame, visit_fn *visit) {
    const double *k = p->c->k + 3 * p->element;
    double whole = 1.0 / p->f->elements, lambda[6] = {k[0], k[1], k[2]}, most = sp__norm3(k);
    sp_curve_series series;
    if (p->f->affine) {
        sp__curve_affine(k, whole, lambda);
        most = fmax(most, sp__norm3(k + 3));
    }
    sp_curve_pass w = sp__curve_begin(frame, p->f->affine, lambda, whole, SP_CURVE_REACH_PRODUCT);
    p->at = 0, p->curvature_max = most;
    if (most <= p->f->bound)
        while (sp__curve_next(&w, 1e-16, &series)) fit_cross_segment(p, &w, &series, visit);
    *frame = w.frame;
    return most <= p->f->bound && !w.failed;
}

// insertion sort: nearly sorted by the previous pass
static void sort_points(sp_fit *f, const double *u) {
    for (int i = 1; i < f->points; i++) {
        int point = f->order[i], j = i;
        for (; j > 0 && u[f->order[j - 1]] > u[point]; j--) f->order[j] = f->order[j - 1];
        f->order[j] = point;
    }
}

// visits every point of the part, in order along the curve; false: the curve is not finite
static bool pass_elements(fit_pass *p, visit_fn *visit) {
    sp_fit *f = p->f;
    sp_curve_frame frame = f->frame[p->part->first];
    double start = (double)p->part->first / f->elements;
    if (p->part->first == 0) memcpy(frame.R, p->c->root, sizeof frame.R);
    sort_points(f, p->c->u);
    while (p->next < f->points && p->part->first > 0 && p->c->u[f->order[p->next]] <= start) p->next++;
    for (p->element = p->part->first; p->element < p->part->last; p->element++) {
        if (p->c == &f->now) f->frame[p->element] = frame;
        if (!fit_cross_element(p, &frame, visit)) return false;
    }
    if (p->c == &f->now) f->frame[p->element] = frame;
    return true;
}

// ---- cost and gradient

static double fit_run_pass(sp_fit *f, sp_fit_curve *c, const sp_fit_part *part, bool slopes) {
    fit_pass p = {.f = f, .part = part, .c = c, .slopes = slopes};
    size_t n = (size_t)unknown_count(f, part);
    if (slopes) {
        memset(f->H, 0, n * n * sizeof *f->H);
        memset(f->g, 0, n * sizeof *f->g);
        memset(f->moment, 0, 18 * (size_t)f->controls * sizeof *f->moment);
    }
    return pass_elements(&p, fit_add_point) && isfinite(p.cost) ? p.cost : INFINITY;
}

static double fit_cost(sp_fit *f, sp_fit_curve *c, const sp_fit_part *part) {
    if (part->slide) {
        fit_pass p = {.f = f, .part = part, .c = c};
        if (!pass_elements(&p, slide_point)) return INFINITY;
    }
    return fit_run_pass(f, c, part, false);
}

// ---- steps

// (H + damping D) step = g. D is the largest diagonal entry of H in each control, so that a twist the points do not determine is
// damped as strongly as the bending of the same control
static bool solve_damped(sp_fit *f, const sp_fit_part *part, double damping) {
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

static void fit_copy(const sp_fit *f, const sp_fit_curve *from, sp_fit_curve *to) {
    memcpy(to->root, from->root, sizeof to->root);
    to->stretch = from->stretch;
    memcpy(to->k, from->k, 3 * (size_t)f->controls * sizeof *to->k);
    memcpy(to->u, from->u, (size_t)f->points * sizeof *to->u);
}

static void rotate_root(double R[9], double about1, double about2) {
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
    fit_copy(f, &f->now, &f->trial);
    if (root_unknowns(part)) rotate_root(f->trial.root, step[0], step[1]), step += 2;
    if (part->whole) f->trial.stretch = fmax(f->now.stretch + step[0], 0.1 * f->now.stretch), step++;
    int first = first_control(f, part);
    for (int i = 0; i < 3 * free_controls(f, part); i++) f->trial.k[3 * first + i] += step[i];
}

static double fit_improve(sp_fit *f, const sp_fit_part *part, int iterations, double share) {
    double damping = 1e-3, cost = fit_cost(f, &f->now, part), goal = TINY * TINY * f->points;
    int idle = 0;
    bool fresh = false;
    for (int i = 0; i < iterations && cost > goal && idle < 2 && damping < 1e10; i++) {
        if (!fresh) fit_run_pass(f, &f->now, part, true);
        fresh = true;
        double trial = INFINITY;
        if (solve_damped(f, part, damping)) {
            take_step(f, part);
            trial = fit_cost(f, &f->trial, part);
        }
        if (!(trial < cost)) {
            damping *= 8;
            continue;
        }
        idle = cost - trial < share * cost ? idle + 1 : 0;
        fit_copy(f, &f->trial, &f->now);
        cost = trial, fresh = false;
        damping = fmax(0.1 * damping, 1e-15);
    }
    return fit_run_pass(f, &f->now, part, false);
}

// ---- distance

static void keep_farthest(fit_pass *p, int point, const sp_curve_frame *x) {
    double e[3];
    for (int i = 0; i < 3; i++) e[i] = p->c->stretch * x->r[i] - p->f->p[3 * point + i];
    if (p->f->weight[point] == 1) p->cost = fmax(p->cost, sp__norm3(e));
}

static double fit_farthest(sp_fit *f) {
    sp_fit_part part = {.last = f->elements, .limit = 1};
    fit_pass p = {.f = f, .part = &part, .c = &f->now};
    return pass_elements(&p, keep_farthest) ? p.cost : INFINITY;
}

// ------------------------------------------------------------------------------------------------ the whole fit

// sp_rod_fit. Elements are added from the root, two at a time, and fitted over a horizon of the last ones, so that the fit
// follows a curve of many turns and avoids local minima. Then all elements are fitted together. Twist is used only if it clearly
// improves the fit, since a line alone does not determine it.

enum { HORIZON = 8, UNSURE = 2, MOST_ELEMENTS = 1000, MOST_STATIONS = 128 };

// Progress of one stage: elements, and rotation of the tangent [rad].
#define STAGE_ELEMENTS 2
#define STAGE_TURN 2.0
// Distance of stations [rad], small enough to transport a frame from one to the next.
#define STATION_TURN 0.5

// A fit with twist is accepted if it reduces the cost to this fraction.
#define WORTH 0.25
// Distances, relative to the length, below which no alternative is tried.
#define GOOD 1e-4
#define PERFECT 1e-13

// ---- input

static sp_status fit_check(sp_context *ctx, const double *points, int count, int elements) {
    if (count < 2) return SP_FAIL(ctx, SP_BAD_INPUT, "points = %d, must be at least 2", count);
    if (elements < 1 || elements > MOST_ELEMENTS)
        return SP_FAIL(ctx, SP_BAD_INPUT, "elements = %d, must be in 1..%d", elements, MOST_ELEMENTS);
    for (int i = 0; i < 3 * count; i++)
        if (!isfinite(points[i]))
            return SP_FAIL(ctx, SP_BAD_INPUT, "point %d has %c = %g, must be finite", i / 3, "xyz"[i % 3], points[i]);
    return SP_OK;
}

static double angle_between(const double *a, const double *b) {
    double across[3];
    sp__cross3(a, b, across);
    return atan2(sp__norm3(across), sp__dot3(a, b));
}

static int stations_in_element(const double *points, int count, int elements) {
    double turn = 0, before[3] = {0}, step[3];
    for (int i = 1; i < count; i++) {
        sp__sub3(points + 3 * i, points + 3 * (i - 1), step);
        if (!(sp__norm3(step) > 0)) continue;
        turn += angle_between(before, step);
        memcpy(before, step, sizeof before);
    }
    double each = fmin(turn / (STATION_TURN * elements), MOST_STATIONS);
    return each > 4 ? (int)each : 4;
}

// ---- memory

static bool new_curve(sp_context *ctx, sp_fit_curve *c, int controls, size_t points) {
    return SP_NEW(ctx, c->k, 3 * controls) && SP_NEW(ctx, c->u, points);
}

static void free_curve(sp_context *ctx, sp_fit_curve *c) {
    sp__free(ctx, c->k), sp__free(ctx, c->u);
}

static bool new_fit(sp_fit *f, size_t count) {
    size_t unknowns = 3 + 3 * (size_t)f->controls;
    sp_context *ctx = f->ctx;
    return SP_NEW(ctx, f->p, 3 * count) && SP_NEW(ctx, f->weight, count) && SP_NEW(ctx, f->chord, count) &&
           SP_NEW(ctx, f->spline, 4 * count) && SP_NEW(ctx, f->order, count) && new_curve(ctx, &f->now, f->controls, count) &&
           new_curve(ctx, &f->trial, f->controls, count) && SP_NEW(ctx, f->frame, f->elements + 1) &&
           SP_NEW(ctx, f->tangent, 3 * f->stations) && SP_NEW(ctx, f->bend, 3 * f->stations) &&
           SP_NEW(ctx, f->moment, 18 * f->controls) && SP_NEW(ctx, f->row, 3 * unknowns) &&
           SP_NEW(ctx, f->H, unknowns * unknowns) && SP_NEW(ctx, f->T, unknowns * unknowns) && SP_NEW(ctx, f->g, unknowns) &&
           SP_NEW(ctx, f->step, unknowns);
}

static void free_fit(sp_fit *f) {
    void *arrays[] = {f->p,    f->weight, f->chord, f->spline, f->order, f->frame, f->tangent,
                      f->bend, f->moment, f->row,   f->H,      f->T,     f->g,     f->step};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++) sp__free(f->ctx, arrays[i]);
    free_curve(f->ctx, &f->now);
    free_curve(f->ctx, &f->trial);
}

// ---- the fit

// tangent from the points, n1 as close to the world's y (or z) as possible
static void start_frame(const double *t, double R[9]) {
    double n1[3] = {0, 1, 0}, n2[3];
    if (fabs(t[1]) > 0.9) n1[1] = 0, n1[2] = 1;
    sp__axpy3(n1, -sp__dot3(n1, t), t, n1);
    double length = sp__norm3(n1);
    for (int i = 0; i < 3; i++) n1[i] /= length;
    sp__cross3(t, n1, n2);
    for (int i = 0; i < 3; i++) R[3 * i] = t[i], R[3 * i + 1] = n1[i], R[3 * i + 2] = n2[i];
}

// end of the next stage: a node, or a position within an element that rotates a lot
static double next_limit(const sp_fit *f, double limit) {
    int from = (int)floor(limit * (f->stations - 1) + 0.5), station = from;
    double turn = 0;
    while (station + 1 < f->stations && station - from < STAGE_ELEMENTS * f->per && turn < STAGE_TURN) {
        turn += angle_between(f->tangent + 3 * station, f->tangent + 3 * station + 3);
        station++;
        if (station % f->per == 0 && turn > 0.5 * STAGE_TURN) break;
    }
    return (double)station / (f->stations - 1);
}

static double fit_follow(sp_fit *f, bool twisted, int unsure) {
    sp_fit_part part = {.twisted = twisted};
    f->now.stretch = 1;
    start_frame(f->tangent, f->now.root);
    memcpy(f->now.u, f->chord, (size_t)f->points * sizeof *f->chord);
    for (int i = 0; i < f->points; i++) f->order[i] = i;
    fit_guess(f, 0, f->now.root, twisted);
    while (part.limit < 1) {
        double before = part.limit;
        part.limit = next_limit(f, part.limit);
        part.last = (int)ceil(part.limit * f->elements - 1e-9);
        part.first = part.last > HORIZON ? part.last - HORIZON : 0;
        fit_improve(f, &part, 10, 1e-2);
        // the end of a stage is hardly determined by it: restart it from the points, unless the element is so long that no better
        // start exists
        int sure = (part.limit - before) * f->elements > 0.99 ? part.last - unsure : part.last;
        sure = sure > 0 ? sure : 0;
        if (part.last < f->elements) fit_guess(f, sure, f->frame[sure].R, twisted);
    }
    part = (sp_fit_part){.last = f->elements, .limit = 1, .whole = true, .twisted = twisted};
    fit_improve(f, &part, 8, 1e-2);
    part.slide = true;
    return fit_improve(f, &part, 80, 1e-6);
}

// tries a second strategy if the first fit is not good, and keeps the better one
static double fit_follow_well(sp_fit *f, bool twisted, sp_fit_curve *spare) {
    double cost = fit_follow(f, twisted, 0);
    if (cost < GOOD * GOOD * f->points) return cost;
    fit_copy(f, &f->now, spare);
    double other = fit_follow(f, twisted, UNSURE);
    if (other < cost) return other;
    fit_copy(f, spare, &f->now);
    return cost;
}

static void fit_curves(sp_fit *f, sp_fit_curve *plain, sp_fit_curve *spare) {
    measure_stations(f);
    double cost = fit_follow_well(f, false, spare);
    if (cost < PERFECT * PERFECT * f->points) return;
    fit_copy(f, &f->now, plain);
    if (!(fit_follow_well(f, true, spare) < WORTH * cost)) fit_copy(f, plain, &f->now);
}

// ---- result

// A helix has one curvature per element, the mean of its ends: choose the end values with these means that oscillate least.
static void ends_of_means(int elements, const double *mean, double *end, int axis) {
    double zigzag = 0;
    end[axis] = mean[axis];
    for (int e = 0; e < elements; e++) end[3 * (e + 1) + axis] = 2 * mean[3 * e + axis] - end[3 * e + axis];
    // adding c (-1)^e changes no mean; the sum of squared differences is smallest if c is minus the mean of their alternating sum
    for (int e = 0; e < elements; e++) zigzag += (e % 2 ? -1 : 1) * (end[3 * e + axis] - end[3 * (e + 1) + axis]);
    for (int e = 0; e <= elements; e++) end[3 * e + axis] -= (e % 2 ? -1 : 1) * zigzag / (2 * elements);
}

static void fit_give(const sp_fit *f, const double *first, double length, sp_pose *root, double *curvature) {
    for (int i = 0; i < 3 * f->controls; i++) f->trial.k[i] = f->now.k[i] / length;
    for (int i = 0; i < 3; i++) root->translate[i] = first[i];
    sp__quat_of_matrix(f->now.root, root->quat);
    if (f->affine)
        memcpy(curvature, f->trial.k, 3 * (size_t)f->controls * sizeof *curvature);
    else
        for (int axis = 0; axis < 3; axis++) ends_of_means(f->elements, f->trial.k, curvature, axis);
}

sp_status sp_rod_fit(sp_context *context, const double *points, int point_count, int elements, bool affine, sp_pose *root,
                     double *length, double *curvature, double *farthest) {
    SP_TRY(fit_check(context, points, point_count, elements));
    sp_fit f = {.ctx = context, .affine = affine, .elements = elements, .controls = elements + affine};
    sp_fit_curve plain = {0}, spare = {0};
    sp_status status = SP_OK;
    f.per = stations_in_element(points, point_count, elements);
    f.stations = elements * f.per + 1;
    size_t capacity = (size_t)point_count + 3 * (size_t)elements;
    if (!new_fit(&f, capacity) || !new_curve(context, &plain, f.controls, capacity) ||
        !new_curve(context, &spare, f.controls, capacity)) {
        status = SP_FAIL(context, SP_NO_MEMORY, "no memory for a fit of %d elements to %d points", elements, point_count);
        goto done;
    }
    double scale = fit_points(&f, points, point_count);
    if (!(scale > 0) || !isfinite(scale)) {
        status = SP_FAIL(context, SP_BAD_INPUT, "the length of the polyline is %g, must be finite and above 0", scale);
        goto done;
    }
    fit_curves(&f, &plain, &spare);
    double most = fit_farthest(&f) * scale;
    if (!isfinite(most)) {
        status = SP_FAIL(context, SP_DIVERGED, "no curve of %d elements could be fitted to %d points", elements, f.points);
        goto done;
    }
    *length = f.now.stretch * scale;
    fit_give(&f, points, *length, root, curvature);
    if (farthest) *farthest = most;
done:
    free_curve(context, &plain);
    free_curve(context, &spare);
    free_fit(&f);
    return status;
}
