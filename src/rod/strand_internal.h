// What the parts of a strand's mechanics share: the walk along it.
#ifndef SP_STRAND_INTERNAL_H
#define SP_STRAND_INTERNAL_H

#include "rod/strand.h"

enum { SP_STRAND_COLUMNS = 6, SP_STRAND_TERMS = SP_CURVE_TERMS, SP_STRAND_PRODUCTS = 24 };

// What one segment is expanded into. Derivatives are [entry][column], so that a loop over columns is a loop over neighbours.
typedef struct sp_strand_series {
    double R[SP_STRAND_TERMS][9];                     // frame
    double D[SP_STRAND_TERMS][9][SP_STRAND_COLUMNS];  // its derivatives along the controls of the element
    double V[SP_STRAND_TERMS][9];                     // along the motion
    double W[SP_STRAND_TERMS][9];                     // twice along the motion
    // polynomials to be multiplied and integrated: place from the segment's start (3), derivatives of it ([3][6]), acceleration
    // (3); and their sums with 1 / (m + n + 1)
    double X[SP_STRAND_TERMS + 1][SP_STRAND_PRODUCTS], Y[SP_STRAND_TERMS + 1][SP_STRAND_PRODUCTS];
} sp_strand_series;

// What an element is to the controls behind it, all about the world's origin.
typedef struct sp_strand_ahead {
    double inertia[36];
    double inertial[6];  // force and torque of its mass times acceleration
    double load[6];
} sp_strand_ahead;

typedef struct sp_strand_walk {
    sp_strand *s;
    const double *p;  // load per length
    int element;
    int controls;                    // of an element: 2 (affine) or 1
    double at;                       // in the element
    double lambda[6], rate[6];       // curvature about `at` and its rate, two coefficients each
    double weight[2][2];             // of control j: value and slope of its weight about `at`
    double R[9], V[9], W[9];         // frame and what moves it, as in the series
    double D[9][SP_STRAND_COLUMNS];  //
    double r[3], Dr[3][SP_STRAND_COLUMNS], acceleration[3];
} sp_strand_walk;

// Expands the segment of this length at the walk's place; returns how many rows of X and Y there are, 0: the series has no end.
int sp__strand_expand(const sp_strand_walk *w, double length, sp_strand_series *z);
// Adds what the segment gives to M, G, A, momenta and `ahead` of its element.
void sp__strand_integrate(const sp_strand_walk *w, double length, int rows, sp_strand_series *z);
// The walk at the end of the segment.
void sp__strand_advance(sp_strand_walk *w, int rows, const sp_strand_series *z);

#endif
