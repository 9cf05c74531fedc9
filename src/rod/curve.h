// A curve in space from its curvature, by power series (Casati and Bertails-Descoubes 2013; Casati 2015, chapter 4).
//
// A frame R(s), whose first column is the tangent t, and a centreline r(s) are defined by a curvature vector kappa(s) (twist,
// then the two curvatures, in the frame's own axes):
//     R' = R [kappa]x,    r' = t.
// Where kappa is a polynomial, both are power series that converge everywhere. Far from their origin they are useless in floating
// point: terms grow to exp(C) before they shrink, C = 2 s sum |lambda_n| s^n, and cancel. Therefore a long element is cut where C
// reaches a threshold, and a new series starts there. These segments are numerical: they depend on the current curvature and are
// unrelated to the rod's elements.
//
// Frames stay orthonormal to rounding error without projection. Bounds use the largest absolute entry as norm.
#ifndef SP_CURVE_H
#define SP_CURVE_H

#include <stdbool.h>

enum {
    SP_CURVE_DEGREE = 24,  // maximum degree of kappa
    SP_CURVE_TERMS = 256   // maximum number of terms of a series; the bound for affine curvature at the larger threshold is 167
};

// Thresholds of C (section 4.2.4). REACH: terms of at most 1/sqrt(eps), by the sharper bound C^n / n! with n = floor(C); for
// series whose products are integrated, the square of that.
#define SP_CURVE_REACH 20.44
#define SP_CURVE_REACH_PRODUCT 11.13
// Terms of at most 26: frames exact to rounding, at 1.4 times the cost of REACH (measured on the curled element of
// tests/unit/curve.c).
#define SP_CURVE_REACH_FINE 5.0

// A curve that returns to its start within an element has no useful chord: chords are at least this share of the arc length.
#define SP_CURVE_CHORD_LEAST 0.25

typedef struct sp_curve_frame {
    double r[3];
    double R[9];  // row-major; columns t, n1, n2
} sp_curve_frame;

// The series of one segment. Terms are multiplied by powers of the segment's length, so no large power is ever formed.
typedef struct sp_curve_series {
    double length;
    int terms;  // R[0] .. R[terms - 1], r[0] .. r[terms]
    double R[SP_CURVE_TERMS][9], r[SP_CURVE_TERMS + 1][3];
} sp_curve_series;

// Coefficients of a curvature that is affine on an element, from its values at both ends (6 numbers).
static inline void sp__curve_affine(const double *ends, double length, double lambda[6]) {
    for (int i = 0; i < 3; i++) lambda[i] = ends[i], lambda[3 + i] = (ends[3 + i] - ends[i]) / length;
}
// Largest step of a series of kappa = sum over n <= degree of lambda[3n..] u^n, at most `left` (4.2.32; degree > 1: bisection).
double sp__curve_step(int degree, const double *lambda, double reach, double left);
// Coefficients of the same kappa about the point `a`; out may be lambda.
void sp__curve_shift(int degree, const double *lambda, double a, double *out);
// Computes the terms of one segment. The series ends when degree + 1 consecutive terms are below the tolerance, since a single
// term may vanish by symmetry. False: more than SP_CURVE_TERMS terms are needed.
bool sp__curve_expand(const sp_curve_frame *start, int degree, const double *lambda, double length, double tolerance,
                      sp_curve_series *out);
// Frame at the relative position x, 0 <= x <= 1.
void sp__curve_at(const sp_curve_series *series, double x, sp_curve_frame *out);

// Iterates over the segments of an element:
//   sp_curve_pass w = sp__curve_begin(&frame, degree, lambda, length, SP_CURVE_REACH);
//   while (sp__curve_next(&w, 1e-16, &series)) ...   // series covers [w.from, w.at] of the element
typedef struct sp_curve_pass {
    sp_curve_frame frame;  // at `at`
    int degree;
    double lambda[3 * (SP_CURVE_DEGREE + 1)];  // about `at`
    double length, reach;
    double from, at;
    bool failed;
} sp_curve_pass;

sp_curve_pass sp__curve_begin(const sp_curve_frame *start, int degree, const double *lambda, double length, double reach);
bool sp__curve_next(sp_curve_pass *pass, double tolerance, sp_curve_series *out);
// Moves the frame to the end of an element; returns the number of segments, or -1 (the series does not end: kappa is not finite).
int sp__curve_cross(sp_curve_frame *frame, int degree, const double *lambda, double length, double reach, double tolerance);

#endif
