// Fitting a chain of clothoids or helices to points. The idea of going from a drawn line to a few elements of simple curvature is
// that of McCrae and Singh 2008 (planar clothoids) and of Derouet-Jourdan et al. 2013 (helices); here all elements have one
// length and are found together, by damped least squares on root, curvatures, length and the places of the points along the
// curve.
//
// Everything is without unit: points from the first one, over the length of the polyline; the curve has length 1 before `stretch`
// and its curvatures are turns over that whole length. The root does not roll, since a roll of it can be made good by turning all
// curvatures about the tangent.
#ifndef SP_ROD_FIT_H
#define SP_ROD_FIT_H

#include "core/core.h"
#include "rod/curve.h"

// Where a curve is: what least squares changes.
typedef struct sp_fit_curve {
    double root[9];  // frame
    double stretch;
    double *k;  // controls x 3
    double *u;  // points: place along the curve, 0..1
} sp_fit_curve;

// What of the curve is free: elements [first, last) and the points on them; controls that elements before `first` use are not.
typedef struct sp_fit_part {
    int first, last;
    double limit;  // points farther along do not count yet
    bool whole;    // with root and stretch; otherwise only the root, where first is 0
    bool slide;    // points go to the nearest place of the curve
    bool twisted;  // twist is free
} sp_fit_part;

typedef struct sp_fit {
    sp_context *ctx;
    bool affine;
    int points, elements, controls;
    int per, stations;  // stations in an element, and all
    double *p;          // points x 3
    double *weight;     // points: 1, or less where a spline put them between those that were given
    double *chord;      // points: length of the polyline up to it
    double *spline;     // room, 4 x points
    sp_fit_curve now, trial;
    sp_curve_frame *frame;  // elements + 1: where elements of `now` begin, before the stretch
    int *order;             // points by u
    // at stations of equal distance, from the points around: directions and curvature vectors, world axes
    double *tangent, *bend;  // stations x 3
    double bound;            // of curvatures: beyond it a curve does not follow these points
    // room of least squares
    double *moment;            // controls x 3 x 6
    double *row;               // 3 x unknowns
    double *H, *T, *g, *step;  // unknowns squared, unknowns
} sp_fit;

// rod_fit_points.c: the points as they come, without repeated neighbours, and some between them where they are too few to say
// what every element does. Returns the length of the polyline. Room: points + 3 elements.
double sp__fit_points(sp_fit *f, const double *points, int count);

// rod_fit_guess.c: tangents and bends from the points; then the curvatures from element `from` on, where the curve stands in this
// frame, twisted as the points wind or not at all.
void sp__fit_look(sp_fit *f);
void sp__fit_guess(sp_fit *f, int from, const double R[9], bool twisted);

// rod_fit_solve.c
double sp__fit_cost(sp_fit *f, sp_fit_curve *c, const sp_fit_part *part);  // sum of squared distances; c is `now` or `trial`
// Until the cost falls by less than this share.
double sp__fit_improve(sp_fit *f, const sp_fit_part *part, int iterations, double share);
double sp__fit_farthest(sp_fit *f);  // of the points that were given
void sp__fit_copy(const sp_fit *f, const sp_fit_curve *from, sp_fit_curve *to);

#endif
