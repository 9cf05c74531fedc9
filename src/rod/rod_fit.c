// sp_rod_fit, see rod_fit.h. Elements are added from the root on, two at a time, and fitted over a horizon of the last ones, so
// that a curve of many turns is followed instead of met halfway; then all of them together. Twist is used where it brings the
// curve clearly nearer, since a line alone says nothing about it.
#include "rod/rod_fit.h"
#include "rod/turn.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include "math/vec3.h"
#include "souple/world.h"

enum { HORIZON = 8, UNSURE = 2, MOST_ELEMENTS = 1000, MOST_STATIONS = 128 };

// A stage of the way goes on by this much: elements, and turns of the tangent [rad].
#define STAGE_ELEMENTS 2
#define STAGE_TURN 2.0
// Stations are this close [rad], so that a frame can be carried from one to the next.
#define STATION_TURN 0.5

// A fit with twist must bring the cost down to this share.
#define WORTH 0.25
// Distances, of the whole length, at which nothing else is tried.
#define GOOD 1e-4
#define PERFECT 1e-13

// ---- what is asked for

static sp_status check(sp_context *ctx, const double *points, int count, int elements) {
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
    void *rooms[] = {f->p,    f->weight, f->chord, f->spline, f->order, f->frame, f->tangent,
                     f->bend, f->moment, f->row,   f->H,      f->T,     f->g,     f->step};
    for (size_t i = 0; i < sizeof rooms / sizeof rooms[0]; i++) sp__free(f->ctx, rooms[i]);
    free_curve(f->ctx, &f->now);
    free_curve(f->ctx, &f->trial);
}

// ---- the fit

// tangent from the points, n1 as near to the world's y (or z) as can be
static void start_frame(const double *t, double R[9]) {
    double n1[3] = {0, 1, 0}, n2[3];
    if (fabs(t[1]) > 0.9) n1[1] = 0, n1[2] = 1;
    sp__axpy3(n1, -sp__dot3(n1, t), t, n1);
    double length = sp__norm3(n1);
    for (int i = 0; i < 3; i++) n1[i] /= length;
    sp__cross3(t, n1, n2);
    for (int i = 0; i < 3; i++) R[3 * i] = t[i], R[3 * i + 1] = n1[i], R[3 * i + 2] = n2[i];
}

// how far the next stage goes: to a node, or within an element that turns a lot
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

static double follow(sp_fit *f, bool twisted, int unsure) {
    sp_fit_part part = {.twisted = twisted};
    f->now.stretch = 1;
    start_frame(f->tangent, f->now.root);
    memcpy(f->now.u, f->chord, (size_t)f->points * sizeof *f->chord);
    for (int i = 0; i < f->points; i++) f->order[i] = i;
    sp__fit_guess(f, 0, f->now.root, twisted);
    while (part.limit < 1) {
        double before = part.limit;
        part.limit = next_limit(f, part.limit);
        part.last = (int)ceil(part.limit * f->elements - 1e-9);
        part.first = part.last > HORIZON ? part.last - HORIZON : 0;
        sp__fit_improve(f, &part, 10, 1e-2);
        // what is near the end of a stage was hardly seen by it: it begins anew from the points, unless an element is so long
        // that there is nothing else to go by
        int sure = (part.limit - before) * f->elements > 0.99 ? part.last - unsure : part.last;
        sure = sure > 0 ? sure : 0;
        if (part.last < f->elements) sp__fit_guess(f, sure, f->frame[sure].R, twisted);
    }
    part = (sp_fit_part){.last = f->elements, .limit = 1, .whole = true, .twisted = twisted};
    sp__fit_improve(f, &part, 8, 1e-2);
    part.slide = true;
    return sp__fit_improve(f, &part, 80, 1e-6);
}

// the better of two ways, where the first is no good
static double follow_well(sp_fit *f, bool twisted, sp_fit_curve *spare) {
    double cost = follow(f, twisted, 0);
    if (cost < GOOD * GOOD * f->points) return cost;
    sp__fit_copy(f, &f->now, spare);
    double other = follow(f, twisted, UNSURE);
    if (other < cost) return other;
    sp__fit_copy(f, spare, &f->now);
    return cost;
}

static void fit(sp_fit *f, sp_fit_curve *plain, sp_fit_curve *spare) {
    sp__fit_look(f);
    double cost = follow_well(f, false, spare);
    if (cost < PERFECT * PERFECT * f->points) return;
    sp__fit_copy(f, &f->now, plain);
    if (!(follow_well(f, true, spare) < WORTH * cost)) sp__fit_copy(f, plain, &f->now);
}

// ---- what comes out

// A helix has one curvature, the mean of those at its ends: of all sets of ends with these means the one that zigzags least.
static void ends_of_means(int elements, const double *mean, double *end, int axis) {
    double zigzag = 0;
    end[axis] = mean[axis];
    for (int e = 0; e < elements; e++) end[3 * (e + 1) + axis] = 2 * mean[3 * e + axis] - end[3 * e + axis];
    // adding c (-1)^e changes no mean; sum of squared differences is least where c is minus the mean of their alternation
    for (int e = 0; e < elements; e++) zigzag += (e % 2 ? -1 : 1) * (end[3 * e + axis] - end[3 * (e + 1) + axis]);
    for (int e = 0; e <= elements; e++) end[3 * e + axis] -= (e % 2 ? -1 : 1) * zigzag / (2 * elements);
}

static void give(const sp_fit *f, const double *first, double length, sp_pose *root, double *curvature) {
    for (int i = 0; i < 3 * f->controls; i++) f->trial.k[i] = f->now.k[i] / length;
    for (int i = 0; i < 3; i++) root->translate[i] = first[i];
    sp__turn_quat(f->now.root, root->quat);
    if (f->affine)
        memcpy(curvature, f->trial.k, 3 * (size_t)f->controls * sizeof *curvature);
    else
        for (int axis = 0; axis < 3; axis++) ends_of_means(f->elements, f->trial.k, curvature, axis);
}

sp_status sp_rod_fit(sp_context *context, const double *points, int point_count, int elements, bool affine, sp_pose *root,
                     double *length, double *curvature, double *farthest) {
    SP_TRY(check(context, points, point_count, elements));
    sp_fit f = {.ctx = context, .affine = affine, .elements = elements, .controls = elements + affine};
    sp_fit_curve plain = {0}, spare = {0};
    sp_status status = SP_OK;
    f.per = stations_in_element(points, point_count, elements);
    f.stations = elements * f.per + 1;
    size_t room = (size_t)point_count + 3 * (size_t)elements;
    if (!new_fit(&f, room) || !new_curve(context, &plain, f.controls, room) || !new_curve(context, &spare, f.controls, room)) {
        status = SP_FAIL(context, SP_NO_MEMORY, "no memory for a fit of %d elements to %d points", elements, point_count);
        goto done;
    }
    double scale = sp__fit_points(&f, points, point_count);
    if (!(scale > 0) || !isfinite(scale)) {
        status = SP_FAIL(context, SP_BAD_INPUT, "the length of the polyline is %g, must be finite and above 0", scale);
        goto done;
    }
    fit(&f, &plain, &spare);
    double most = sp__fit_farthest(&f) * scale;
    if (!isfinite(most)) {
        status = SP_FAIL(context, SP_DIVERGED, "no curve of %d elements could be led along %d points", elements, f.points);
        goto done;
    }
    *length = f.now.stretch * scale;
    give(&f, points, *length, root, curvature);
    if (farthest) *farthest = most;
done:
    free_curve(context, &plain);
    free_curve(context, &spare);
    free_fit(&f);
    return status;
}
