// A curve in space from its curvature, by power series (Casati and Bertails-Descoubes 2013; Casati 2015, chapter 4).
//
// A frame R(s) with the tangent t as its first column and a centreline r(s) that belong to a curvature vector kappa(s) (twist,
// then the two curvatures, along the frame's own axes) solve
//     R' = R [kappa]x,    r' = t.
// Where kappa is a polynomial, both are power series that converge everywhere. Summed naively far from their origin they are
// worthless: terms grow to exp(C) before they shrink, C = 2 s sum |lambda_n| s^n, and cancel. So a long element is cut where C
// reaches a threshold, and the series starts anew there. These segments are numerical: they follow the curvature of the moment
// and have nothing to do with the rod's elements.
//
// Frames stay orthonormal to rounding without ever being projected. Norms of bounds are largest absolute entries.
#ifndef SP_CURVE_H
#define SP_CURVE_H

#include <stdbool.h>

enum {
    SP_CURVE_DEGREE = 24,  // of kappa at most
    SP_CURVE_TERMS = 256   // of a series at most; the bound for affine curvature at the larger threshold is 167
};

// Thresholds of C (section 4.2.4): terms of at most 1/sqrt(eps), by the sharper bound C^n / n! with n = floor(C); for series
// whose products are integrated, the square of that.
#define SP_CURVE_REACH 20.44
#define SP_CURVE_REACH_PRODUCT 11.13
// Terms of at most 26: frames to rounding, for 1.4 times the time of the first (measured on the curled element of
// tests/unit/curve.c).
#define SP_CURVE_REACH_FINE 5.0

typedef struct sp_curve_frame {
    double r[3];
    double R[9];  // row-major; columns t, n1, n2
} sp_curve_frame;

// The series of one segment, its terms times the powers of the segment's length: no bare power is ever formed.
typedef struct sp_curve_series {
    double length;
    int terms;  // R[0] .. R[terms - 1], r[0] .. r[terms]
    double R[SP_CURVE_TERMS][9], r[SP_CURVE_TERMS + 1][3];
} sp_curve_series;

// How far a series may reach from where kappa = sum over n <= degree of lambda[3n..] u^n, up to `left` (4.2.32; bisection above
// degree 1).
double sp__curve_step(int degree, const double *lambda, double reach, double left);
// The same kappa about a point `a` further on; out may be lambda.
void sp__curve_shift(int degree, const double *lambda, double a, double *out);
// Terms of one segment. It ends when degree + 1 terms in a row are below the tolerance (one alone may vanish by symmetry).
// False: that did not happen within SP_CURVE_TERMS.
bool sp__curve_expand(const sp_curve_frame *start, int degree, const double *lambda, double length, double tolerance,
                      sp_curve_series *out);
// The frame at x of its length, 0 <= x <= 1.
void sp__curve_at(const sp_curve_series *series, double x, sp_curve_frame *out);

// One element after the other, segment by segment:
//   sp_curve_walk w = sp__curve_begin(&frame, degree, lambda, length, SP_CURVE_REACH);
//   while (sp__curve_next(&w, 1e-16, &series)) ...   // series covers [w.from, w.at] of the element
typedef struct sp_curve_walk {
    sp_curve_frame frame;  // at `at`
    int degree;
    double lambda[3 * (SP_CURVE_DEGREE + 1)];  // about `at`
    double length, reach;
    double from, at;
    bool failed;
} sp_curve_walk;

sp_curve_walk sp__curve_begin(const sp_curve_frame *start, int degree, const double *lambda, double length, double reach);
bool sp__curve_next(sp_curve_walk *walk, double tolerance, sp_curve_series *out);
// To the end of an element in one call; returns segments used, or -1 (series without end: kappa is not finite).
int sp__curve_cross(sp_curve_frame *frame, int degree, const double *lambda, double length, double reach, double tolerance);

#endif
