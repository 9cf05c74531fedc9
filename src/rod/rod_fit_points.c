// The points that a curve is fitted to. A handful of points leaves most of many elements open: there a cubic spline through them
// says what a smooth curve would do, with little weight, so that the given points are still met.
#include <math.h>
#include <string.h>

#include "math/vec3.h"
#include "rod/rod_fit.h"

// An element wants this many points; the room for more of them counts on it.
#define ENOUGH 3.0
#define FAINT 1e-2

static double distance(const double *a, const double *b) {
    double d[3];
    sp__sub3(a, b, d);
    return sp__norm3(d);
}

static void take(sp_fit *f, const double *points, int count) {
    f->points = 0;
    for (int i = 0; i < count; i++) {
        double *p = f->p + 3 * f->points;
        sp__sub3(points + 3 * i, points, p);
        if (f->points > 0 && !(distance(p, p - 3) > 0)) continue;
        f->weight[f->points++] = 1;
    }
}

static double measure(sp_fit *f) {
    f->chord[0] = 0;
    for (int i = 1; i < f->points; i++) f->chord[i] = f->chord[i - 1] + distance(f->p + 3 * i, f->p + 3 * (i - 1));
    return f->chord[f->points - 1];
}

// second derivatives of the natural cubic spline through the points, over their chords; `upper` is room for as many numbers
static void spline(const sp_fit *f, double *second, double *upper) {
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

// at x in (0, 1) of a span of length h, from its ends and the second derivatives there
static void between(const double *p, const double *q, const double *second, double h, double x, double *out) {
    double y = 1 - x, a = (y * y * y - y) * h * h / 6, b = (x * x * x - x) * h * h / 6;
    for (int c = 0; c < 3; c++) out[c] = y * p[c] + x * q[c] + a * second[c] + b * second[3 + c];
}

static int parts_of(const sp_fit *f, int i, double length) {
    return (int)fmax(1, ceil((f->chord[i] - f->chord[i - 1]) / length * ENOUGH * f->elements - 1e-6));
}

// from the last point back, so that nothing is written over before it is read
static void fill_up(sp_fit *f, const double *second, double length) {
    int count = 1;
    for (int i = 1; i < f->points; i++) count += parts_of(f, i, length);
    int at = count - 1;
    for (int i = f->points - 1; i > 0; i--) {
        int parts = parts_of(f, i, length);
        double p[3], q[3];
        memcpy(p, f->p + 3 * (i - 1), sizeof p);
        memcpy(q, f->p + 3 * i, sizeof q);
        memcpy(f->p + 3 * at, q, sizeof q);
        f->weight[at] = 1;
        for (int j = parts - 1; j > 0; j--) {
            int new = at - parts + j;
            between(p, q, second + 3 * (i - 1), f->chord[i] - f->chord[i - 1], (double)j / parts, f->p + 3 * new);
            f->weight[new] = FAINT;
        }
        at -= parts;
    }
    f->points = count;
}

double sp__fit_points(sp_fit *f, const double *points, int count) {
    take(f, points, count);
    double length = measure(f);
    if (!(length > 0) || !isfinite(length)) return length;
    spline(f, f->spline, f->spline + 3 * (size_t)f->points);
    fill_up(f, f->spline, length);
    length = measure(f);
    for (int i = 0; i < f->points; i++) f->chord[i] /= length;
    for (int i = 0; i < 3 * f->points; i++) f->p[i] /= length;
    return length;
}
