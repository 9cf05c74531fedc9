// Power series of curve.h. Equation numbers are those of Casati 2015.
#include "rod/curve.h"

#include <math.h>
#include <string.h>

#include "math/vec3.h"

static double curve_largest3(const double *v) {
    return fmax(fabs(v[0]), fmax(fabs(v[1]), fabs(v[2])));
}

// ------------------------------------------------------------------------------------------------ step length of a series

// C(s) = 2 sum of |lambda_n| s^(n+1) (4.2.40)
static double curve_height(int degree, const double *norms, double s) {
    double sum = 0;
    for (int n = degree; n >= 0; n--) sum = sum * s + norms[n];
    return 2 * s * sum;
}

// (4.2.32) in a form without cancellation where lambda_1 is small
static double affine_step(double norm0, double norm1, double reach) {
    double below = sqrt(norm0 * norm0 + 2 * reach * norm1) + norm0;
    return below > 0 ? reach / below : INFINITY;
}

double sp__curve_step(int degree, const double *lambda, double reach, double left) {
    double norms[SP_CURVE_DEGREE + 1] = {0};
    for (int n = 0; n <= degree; n++) norms[n] = curve_largest3(lambda + 3 * n);
    double step = affine_step(norms[0], degree > 0 ? norms[1] : 0, reach);
    if (degree > 1) {
        if (curve_height(degree, norms, left) <= reach) return left;
        double low = 0, high = fmin(left, step);
        // C increases from 0, so there is one root. Fifty bisections reach rounding precision.
        for (int i = 0; i < 50; i++) {
            double middle = 0.5 * (low + high);
            if (curve_height(degree, norms, middle) <= reach)
                low = middle;
            else
                high = middle;
        }
        step = low > 0 ? low : high;
    }
    // avoids a tiny last segment
    return left - step < 1e-14 * left ? left : step;
}

void sp__curve_shift(int degree, const double *lambda, double a, double *out) {
    if (out != lambda) memcpy(out, lambda, 3 * ((size_t)degree + 1) * sizeof *out);
    // repeated Horner scheme: the remainders are the coefficients about a
    for (int n = 0; n < degree; n++)
        for (int k = degree - 1; k >= n; k--)
            for (int i = 0; i < 3; i++) out[3 * k + i] += a * out[3 * (k + 1) + i];
}

// ------------------------------------------------------------------------------------------------ series

// out += s A [l]x, row by row
static void add_rotated(const double *A, const double *l, double s, double *out) {
    double x = s * l[0], y = s * l[1], z = s * l[2];
    for (int i = 0; i < 9; i += 3) {
        out[i] += A[i + 1] * z - A[i + 2] * y;
        out[i + 1] += A[i + 2] * x - A[i] * z;
        out[i + 2] += A[i] * y - A[i + 1] * x;
    }
}

// true if no entry exceeds `most`; this form compiles to comparisons without calls
static bool all_within(const double *m, double most) {
    bool within = true;
    for (int i = 0; i < 9; i++) within &= fabs(m[i]) <= most;
    return within;
}

bool sp__curve_expand(const sp_curve_frame *start, int degree, const double *lambda, double length, double tolerance,
                      sp_curve_series *out) {
    int small = 0, n = 0;
    double sum = fabs(length);
    for (int i = 0; i < 3 * (degree + 1); i++) sum += fabs(lambda[i]);
    if (!isfinite(sum)) return false;
    out->length = length;
    memcpy(out->R[0], start->R, sizeof start->R);
    memcpy(out->r[0], start->r, sizeof start->r);
    for (; small <= degree; n++) {
        if (n + 1 == SP_CURVE_TERMS) return false;
        // R_{n+1} = 1/(n+1) sum of s^(j+1) R_{n-j} [lambda_j]x  (4.2.4a, scaled as in 4.2.19)
        double *next = out->R[n + 1], power = length / (n + 1);
        memset(next, 0, sizeof out->R[0]);
        for (int j = 0; j <= degree && j <= n; j++, power *= length) add_rotated(out->R[n - j], lambda + 3 * j, power, next);
        for (int i = 0; i < 3; i++) out->r[n + 1][i] = length / (n + 1) * out->R[n][3 * i];
        small = all_within(next, tolerance) ? small + 1 : 0;
    }
    out->terms = n + 1;
    for (int i = 0; i < 3; i++) out->r[n + 1][i] = length / (n + 1) * out->R[n][3 * i];
    return true;
}

// Horner scheme, small terms first; twelve sums in registers
void sp__curve_at(const sp_curve_series *series, double x, sp_curve_frame *out) {
    const double *last = series->r[series->terms];
    double t0 = 0, t1 = 0, t2 = 0, a0 = 0, a1 = 0, a2 = 0, b0 = 0, b1 = 0, b2 = 0, r0 = last[0], r1 = last[1], r2 = last[2];
    for (int n = series->terms - 1; n >= 0; n--) {
        const double *R = series->R[n], *r = series->r[n];
        t0 = t0 * x + R[0], a0 = a0 * x + R[1], b0 = b0 * x + R[2];
        t1 = t1 * x + R[3], a1 = a1 * x + R[4], b1 = b1 * x + R[5];
        t2 = t2 * x + R[6], a2 = a2 * x + R[7], b2 = b2 * x + R[8];
        r0 = r0 * x + r[0], r1 = r1 * x + r[1], r2 = r2 * x + r[2];
    }
    *out = (sp_curve_frame){.r = {r0, r1, r2}, .R = {t0, a0, b0, t1, a1, b1, t2, a2, b2}};
}

// ------------------------------------------------------------------------------------------------ elements

sp_curve_pass sp__curve_begin(const sp_curve_frame *start, int degree, const double *lambda, double length, double reach) {
    sp_curve_pass w = {.frame = *start, .degree = degree, .length = length, .reach = reach};
    memcpy(w.lambda, lambda, 3 * ((size_t)degree + 1) * sizeof *lambda);
    return w;
}

bool sp__curve_next(sp_curve_pass *w, double tolerance, sp_curve_series *out) {
    double left = w->length - w->at;
    if (!(left > 0) || w->failed) return false;
    double step = sp__curve_step(w->degree, w->lambda, w->reach, left);
    bool last = step >= left;
    // the step is the difference of rounded positions, so that the steps add up to the length of the element
    double next = last ? w->length : w->at + step;
    step = next - w->at;
    if (!sp__curve_expand(&w->frame, w->degree, w->lambda, step, tolerance, out)) {
        w->failed = true;
        return false;
    }
    sp__curve_at(out, 1, &w->frame);
    w->from = w->at;
    w->at = next;
    if (!last) sp__curve_shift(w->degree, w->lambda, step, w->lambda);
    return true;
}

int sp__curve_cross(sp_curve_frame *frame, int degree, const double *lambda, double length, double reach, double tolerance) {
    sp_curve_series series;
    sp_curve_pass w = sp__curve_begin(frame, degree, lambda, length, reach);
    int count = 0;
    while (sp__curve_next(&w, tolerance, &series)) count++;
    *frame = w.frame;
    return w.failed ? -1 : count;
}
