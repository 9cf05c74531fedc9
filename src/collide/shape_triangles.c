// Triangles of the rigid shapes, oriented outward, for rendering and snapshots.
#include "collide/shape.h"
#include "math/vec3.h"

static const double PI = 3.14159265358979323846;
enum { AROUND = 48, RINGS = 23 };  // cylinder and sphere: segments, and circles between the poles

typedef struct soup {
    double *x;
    int *faces;
    int nv, nf;
} soup;

static void vertex(soup *s, double x, double y, double z) {
    double *to = s->x + 3 * s->nv++;
    to[0] = x, to[1] = y, to[2] = z;
}

static void face(soup *s, int a, int b, int c) {
    int *to = s->faces + 3 * s->nf++;
    to[0] = a, to[1] = b, to[2] = c;
}

static void quad(soup *s, int a, int b, int c, int d) {
    face(s, a, b, c);
    face(s, a, c, d);
}

static void circle(soup *s, double radius, double z) {
    for (int i = 0; i < AROUND; i++) {
        double angle = 2 * PI * i / AROUND;
        vertex(s, radius * cos(angle), radius * sin(angle), z);
    }
}

// Band between two circles that start at vertices `low` and `high`, the upper one along +z.
static void band(soup *s, int low, int high) {
    for (int i = 0; i < AROUND; i++) {
        int j = (i + 1) % AROUND;
        quad(s, low + i, low + j, high + j, high + i);
    }
}

// Fan from a circle to one vertex: a cap that faces down or up.
static void fan(soup *s, int ring, int tip, bool up) {
    for (int i = 0; i < AROUND; i++) {
        int j = (i + 1) % AROUND;
        face(s, tip, ring + (up ? i : j), ring + (up ? j : i));
    }
}

static void make_plane(soup *s, const double *size, double extent) {
    double n = sp__norm3(size), u[3], v[3];
    double normal[3] = {size[0] / n, size[1] / n, size[2] / n};
    // u is orthogonal to the axis with the smallest component of the normal
    int least = 0;
    for (int k = 1; k < 3; k++)
        if (fabs(normal[k]) < fabs(normal[least])) least = k;
    double axis[3] = {least == 0, least == 1, least == 2};
    sp__cross3(normal, axis, u);
    double h = 0.5 * extent / sp__norm3(u);
    for (int k = 0; k < 3; k++) u[k] *= h;
    sp__cross3(normal, u, v);
    static const int sign[4][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
    for (int i = 0; i < 4; i++) {
        double a = sign[i][0], b = sign[i][1];
        vertex(s, a * u[0] + b * v[0], a * u[1] + b * v[1], a * u[2] + b * v[2]);
    }
    quad(s, 0, 1, 2, 3);
}

static void make_sphere(soup *s, double radius) {
    for (int r = 1; r <= RINGS; r++) {
        double angle = PI * r / (RINGS + 1);
        circle(s, radius * sin(angle), -radius * cos(angle));
    }
    vertex(s, 0, 0, -radius);
    vertex(s, 0, 0, radius);
    for (int r = 1; r < RINGS; r++) band(s, (r - 1) * AROUND, r * AROUND);
    fan(s, 0, RINGS * AROUND, false);
    fan(s, (RINGS - 1) * AROUND, RINGS * AROUND + 1, true);
}

static void make_box(soup *s, const double *size) {
    for (int i = 0; i < 8; i++) vertex(s, (i & 1) * size[0], (i >> 1 & 1) * size[1], (i >> 2 & 1) * size[2]);
    static const int sides[6][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
    for (int i = 0; i < 6; i++) quad(s, sides[i][0], sides[i][1], sides[i][2], sides[i][3]);
}

static void make_cylinder(soup *s, double radius, double length) {
    circle(s, radius, 0);
    circle(s, radius, length);
    vertex(s, 0, 0, 0);
    vertex(s, 0, 0, length);
    band(s, 0, AROUND);
    fan(s, 0, 2 * AROUND, false);
    fan(s, AROUND, 2 * AROUND + 1, true);
}

static void counts(sp_shape_type type, int *nv, int *nf) {
    switch (type) {
    case SP_PLANE: *nv = 4, *nf = 2; return;
    case SP_SPHERE: *nv = RINGS * AROUND + 2, *nf = 2 * RINGS * AROUND; return;
    case SP_BOX: *nv = 8, *nf = 12; return;
    case SP_CYLINDER: *nv = 2 * AROUND + 2, *nf = 4 * AROUND; return;
    }
    *nv = *nf = 0;
}

static void make(soup *s, const sp_rigid_shape *shape, double extent) {
    switch (shape->type) {
    case SP_PLANE: make_plane(s, shape->size, extent); return;
    case SP_SPHERE: make_sphere(s, shape->size[0]); return;
    case SP_BOX: make_box(s, shape->size); return;
    case SP_CYLINDER: make_cylinder(s, shape->size[0], shape->size[1]); return;
    }
}

sp_status sp__shape_triangles(sp_context *ctx, const sp_rigid_shape *shape, double extent, int *nv, double **x, int *nf,
                              int **faces) {
    soup s = {0};
    counts(shape->type, nv, nf);
    *x = NULL, *faces = NULL;
    if (!SP_NEW(ctx, s.x, 3 * *nv) || !SP_NEW(ctx, s.faces, 3 * *nf)) {
        sp__free(ctx, s.x);
        *nv = *nf = 0;
        return SP_FAIL(ctx, SP_NO_MEMORY, "no memory for the triangles of a shape");
    }
    make(&s, shape, extent);
    SP_ASSERT(s.nv == *nv && s.nf == *nf);
    double R[9];
    sp__quat_matrix(shape->pose.quat, R);
    for (int i = 0; i < s.nv; i++) {
        double own[3] = {s.x[3 * i], s.x[3 * i + 1], s.x[3 * i + 2]};
        sp__mul3(R, own, s.x + 3 * i);
        for (int k = 0; k < 3; k++) s.x[3 * i + k] += shape->pose.translate[k];
    }
    *x = s.x;
    *faces = s.faces;
    return SP_OK;
}
