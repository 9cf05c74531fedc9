// Mesh generators for box, cylinder, ball and torus: smooth images of structured grids.
//
// Disc and ball: ring k of the square grid maps to the circle of radius k/n with its 8k nodes at equal angles (the concentric map
// of Shirley and Chiu, 1997); shell k of the cubic grid maps to the sphere of radius k/n with equal angles along the edges of the
// cube. All diagonals point away from the centre: at the corners of the square, where the boundary of the cell becomes smooth,
// they halve the flat angle that one triangle would otherwise have.
#include <stdlib.h>

#include "math/vec3.h"
#include "mesh/grid.h"

static sp_status check_length(sp_context *ctx, const char *name, double value) {
    if (value > 0 && isfinite(value)) return SP_OK;
    return SP_FAIL(ctx, SP_BAD_INPUT, "%s = %g m, must be positive and finite", name, value);
}

// Limits the number of cells, so that products of counts fit in an int.
static sp_status check_cells(sp_context *ctx, int value, int least) {
    if (value >= least && value <= SP_TETS_MAX) return SP_OK;
    return SP_FAIL(ctx, SP_BAD_INPUT, "cells = %d, must be in [%d, %d]", value, least, SP_TETS_MAX);
}

// Smallest rotation that takes z to `axis`.
static sp_status frame_of(sp_context *ctx, const double axis[3], double R[9]) {
    double length = sp__norm3(axis);
    if (!(length > 0) || !isfinite(length))
        return SP_FAIL(ctx, SP_BAD_INPUT, "axis = %g %g %g, must be finite and not zero", axis[0], axis[1], axis[2]);
    double a[3] = {axis[0] / length, axis[1] / length, axis[2] / length};
    // half-way quaternion: 1 + z.a, z x a; for opposite directions it rotates about x
    double away2 = a[0] * a[0] + a[1] * a[1];
    double q[4] = {a[2] >= 0 ? 1 + a[2] : away2 / (1 - a[2]), -a[1], a[0], 0};
    double n = sqrt(q[0] * q[0] + away2);
    if (n < 1e-100) q[0] = 0, q[1] = 1, q[2] = 0, n = 1;
    for (int k = 0; k < 4; k++) q[k] /= n;
    sp__quat_matrix(q, R);
    return SP_OK;
}

// ------------------------------------------------------------------------------------------------ box

typedef struct box {
    double size[3];
    int cells[3];
} box;

static void place_box(const void *arg, int i, int j, int l, double x[3]) {
    const box *b = arg;
    const int at[3] = {i, j, l};
    // the far face lies exactly at the size, so that selections by position find it
    for (int k = 0; k < 3; k++) x[k] = at[k] == b->cells[k] ? b->size[k] : b->size[k] * at[k] / b->cells[k];
}

sp_status sp_mesh_box(sp_context *context, const double size[3], const int cells[3], int per_cell, sp_mesh **out) {
    *out = NULL;
    box b;
    for (int k = 0; k < 3; k++) {
        SP_TRY(check_length(context, "size", size[k]));
        b.size[k] = size[k], b.cells[k] = cells[k];
    }
    if (per_cell != 1 && per_cell != 5 && per_cell != 6)
        return SP_FAIL(context, SP_BAD_INPUT, "%d elements a cell, must be 1, 5 or 6", per_cell);
    sp_grid grid = {.cells = {cells[0], cells[1], cells[2]}, .per_cell = per_cell};
    return sp__grid_mesh(context, &grid, place_box, &b, out);
}

// ------------------------------------------------------------------------------------------------ cylinder and torus

typedef struct sweep {
    double tube, length, ring;  // radius of the disc, and the dimensions of the path along which it is swept
    int across, along;
    double R[9];
} sweep;

// Maps node (a, b) of the square grid [-n, n]^2 to the unit disc.
static void disc(int a, int b, int n, double out[2]) {
    out[0] = out[1] = 0;
    if (a == 0 && b == 0) return;
    bool swapped = abs(b) > abs(a);
    int major = swapped ? b : a, minor = swapped ? a : b;
    double angle = 0.25 * SP_PI * minor / major, r = (double)major / n;
    out[swapped] = r * cos(angle);
    out[!swapped] = r * sin(angle);
}

static void place_cylinder(const void *arg, int i, int j, int l, double x[3]) {
    const sweep *s = arg;
    double uv[2];
    disc(j - s->across, l - s->across, s->across, uv);
    const double own[3] = {s->tube * uv[0], s->tube * uv[1], s->length * i / s->along};
    sp__mul3(s->R, own, x);
}

static void place_torus(const void *arg, int i, int j, int l, double x[3]) {
    const sweep *s = arg;
    double uv[2];
    disc(j - s->across, l - s->across, s->across, uv);
    // (along the ring, along its axis, away from it) is right-handed, like (i, j, l)
    double angle = 2 * SP_PI * i / s->along, r = s->ring + s->tube * uv[1];
    const double own[3] = {r * cos(angle), r * sin(angle), s->tube * uv[0]};
    sp__mul3(s->R, own, x);
}

static sp_grid sweep_grid(const sweep *s, bool ring) {
    return (sp_grid){
        .cells = {s->along, 2 * s->across, 2 * s->across}, .per_cell = 6, .mirror = {false, true, true}, .ring = ring};
}

sp_status sp_mesh_cylinder(sp_context *context, double radius, double length, const double axis[3], const int cells[2],
                           sp_mesh **out) {
    *out = NULL;
    sweep s = {.tube = radius, .length = length, .across = cells[0], .along = cells[1]};
    SP_TRY(check_length(context, "radius", radius));
    SP_TRY(check_length(context, "length", length));
    SP_TRY(check_cells(context, cells[0], 1));
    SP_TRY(check_cells(context, cells[1], 1));
    SP_TRY(frame_of(context, axis, s.R));
    sp_grid grid = sweep_grid(&s, false);
    return sp__grid_mesh(context, &grid, place_cylinder, &s, out);
}

sp_status sp_mesh_torus(sp_context *context, double ring, double tube, const double axis[3], const int cells[2], sp_mesh **out) {
    *out = NULL;
    sweep s = {.tube = tube, .ring = ring, .across = cells[1], .along = cells[0]};
    SP_TRY(check_length(context, "ring radius", ring));
    SP_TRY(check_length(context, "tube radius", tube));
    if (tube >= ring) return SP_FAIL(context, SP_BAD_INPUT, "tube radius = %g m, must be below the ring radius %g m", tube, ring);
    SP_TRY(check_cells(context, cells[0], 3));
    SP_TRY(check_cells(context, cells[1], 1));
    SP_TRY(frame_of(context, axis, s.R));
    sp_grid grid = sweep_grid(&s, true);
    return sp__grid_mesh(context, &grid, place_torus, &s, out);
}

// ------------------------------------------------------------------------------------------------ ball

typedef struct ball {
    double radius[3];
    int across;
} ball;

static void place_ball(const void *arg, int i, int j, int l, double x[3]) {
    const ball *b = arg;
    const int at[3] = {i - b->across, j - b->across, l - b->across};
    int shell = 0;
    for (int k = 0; k < 3; k++) shell = abs(at[k]) > shell ? abs(at[k]) : shell;
    if (shell == 0) {
        x[0] = x[1] = x[2] = 0;
        return;
    }
    for (int k = 0; k < 3; k++) x[k] = tan(0.25 * SP_PI * at[k] / shell);
    double s = (double)shell / b->across / sp__norm3(x);
    for (int k = 0; k < 3; k++) x[k] *= s * b->radius[k];
}

sp_status sp_mesh_sphere(sp_context *context, const double radius[3], int cells, sp_mesh **out) {
    *out = NULL;
    ball b = {.across = cells};
    for (int k = 0; k < 3; k++) {
        SP_TRY(check_length(context, "radius", radius[k]));
        b.radius[k] = radius[k];
    }
    SP_TRY(check_cells(context, cells, 1));
    sp_grid grid = {.cells = {2 * cells, 2 * cells, 2 * cells}, .per_cell = 6, .mirror = {true, true, true}};
    return sp__grid_mesh(context, &grid, place_ball, &b, out);
}
