// Signed distance to the rigid shapes, exact inside and outside. If the nearest point is not unique (centre, axis, medial
// planes), a fixed one is chosen, so that the normal is a unit vector everywhere.
#include "collide/shape.h"

#include "math/vec3.h"

// out = v / |v|; the axis `spare` if v is zero. Returns |v|.
static double shape_direction(const double *v, int n, int spare, double *out) {
    double square = 0;
    for (int k = 0; k < n; k++) square += v[k] * v[k];
    double length = sqrt(square);
    for (int k = 0; k < n; k++) out[k] = length > 0 ? v[k] / length : k == spare;
    return length;
}

static double plane_distance(const double *size, const double *x, double *normal) {
    shape_direction(size, 3, 2, normal);
    return sp__dot3(x, normal);
}

static double sphere_distance(double radius, const double *x, double *normal) {
    return shape_direction(x, 3, 2, normal) - radius;
}

// Inside a box: the nearest face; in a tie the lower axis and the lower face.
static double box_inside(const double *size, const double *x, double *normal) {
    double best = -INFINITY;
    for (int k = 0; k < 3; k++) {
        double side[2] = {-x[k], x[k] - size[k]};
        for (int s = 0; s < 2; s++) {
            if (side[s] <= best) continue;
            best = side[s];
            normal[0] = normal[1] = normal[2] = 0;
            normal[k] = s ? 1 : -1;
        }
    }
    return best;
}

static double box_distance(const double *size, const double *x, double *normal) {
    double d[3];
    for (int k = 0; k < 3; k++) d[k] = x[k] - fmin(fmax(x[k], 0), size[k]);
    if (d[0] == 0 && d[1] == 0 && d[2] == 0) return box_inside(size, x, normal);
    return shape_direction(d, 3, 0, normal);
}

static double cylinder_distance(const double *size, const double *x, double *normal) {
    double out[2];
    double wall = shape_direction(x, 2, 0, out) - size[0];
    // the nearer cap and its direction
    bool top = x[2] - size[1] > -x[2];
    double cap = top ? x[2] - size[1] : -x[2], up = top ? 1 : -1;
    // in the half plane (radius, height): if outside both, the rim is nearest, otherwise the larger of the two distances
    double w = wall >= cap, c = wall < cap, distance = fmax(wall, cap);
    if (wall > 0 && cap > 0) {
        distance = hypot(wall, cap);
        w = wall / distance, c = cap / distance;
    }
    normal[0] = w * out[0], normal[1] = w * out[1], normal[2] = c * up;
    return distance;
}

static double capsule_distance(const double *size, const double *x, double *normal) {
    double off[3] = {x[0], x[1], x[2] - fmin(fmax(x[2], 0), size[1])};
    return shape_direction(off, 3, 0, normal) - size[0];
}

static double torus_distance(const double *size, const double *x, double *normal) {
    double out[2], across[2];
    across[0] = shape_direction(x, 2, 0, out) - size[0], across[1] = x[2];
    double tube[2], distance = shape_direction(across, 2, 0, tube) - size[1];
    normal[0] = tube[0] * out[0], normal[1] = tube[0] * out[1], normal[2] = tube[1];
    return distance;
}

// The nearest point of an ellipsoid is e_i^2 x_i / (t + e_i^2), with the largest root t of sum (e_i x_i / (t + e_i^2))^2 = 1
// (Eberly, Distance from a Point to an Ellipse, an Ellipsoid, or a Hyperellipsoid). The sum is convex and decreasing there, so
// Newton's method from below converges monotonically. The unknown is u = t + the smallest e_i^2, so that nothing cancels.
// Coordinates of 0, where the nearest point need not be unique, are replaced by tiny ones.
static double ellipsoid_distance(const double *e, const double *x, double *normal) {
    double y[3], more[3], near[3], u = 0, inside = 0, square = 0, least = fmin(e[0], fmin(e[1], e[2]));
    for (int k = 0; k < 3; k++) {
        y[k] = copysign(fmax(fabs(x[k]), 1e-20 * e[k]), x[k]);
        more[k] = (e[k] - least) * (e[k] + least);
        inside += (y[k] / e[k]) * (y[k] / e[k]);
        u = fmax(u, e[k] * fabs(y[k]) - more[k]);  // where this term alone is 1: the root is not below
    }
    for (int iteration = 0; iteration < 100; iteration++) {
        double sum = -1, slope = 0;
        for (int k = 0; k < 3; k++) {
            double r = e[k] * y[k] / (u + more[k]);
            sum += r * r, slope -= 2 * r * r / (u + more[k]);
        }
        double next = u - sum / slope;
        if (!(next > u)) break;
        u = next;
    }
    for (int k = 0; k < 3; k++) {
        near[k] = e[k] * e[k] * y[k] / (u + more[k]);
        normal[k] = y[k] / (u + more[k]);
        square += (x[k] - near[k]) * (x[k] - near[k]);
    }
    double length = sp__norm3(normal);
    for (int k = 0; k < 3; k++) normal[k] /= length;
    return inside < 1 ? -sqrt(square) : sqrt(square);
}

double sp__shape_distance(const sp_rigid_shape *shape, const double x[3], double normal[3]) {
    switch (shape->type) {
    case SP_PLANE: return plane_distance(shape->size, x, normal);
    case SP_SPHERE: return sphere_distance(shape->size[0], x, normal);
    case SP_BOX: return box_distance(shape->size, x, normal);
    case SP_CYLINDER: return cylinder_distance(shape->size, x, normal);
    case SP_CAPSULE: return capsule_distance(shape->size, x, normal);
    case SP_TORUS: return torus_distance(shape->size, x, normal);
    case SP_ELLIPSOID: return ellipsoid_distance(shape->size, x, normal);
    }
    normal[0] = normal[1] = 0, normal[2] = 1;
    return INFINITY;
}

double sp__shape_distance_posed(const sp_rigid_shape *shape, const double x[3], double normal[3]) {
    double R[9], d[3], own[3], n[3];
    sp__quat_matrix(shape->pose.quat, R);
    sp__sub3(x, shape->pose.translate, d);
    sp__mul3t(R, d, own);
    double distance = sp__shape_distance(shape, own, n);
    sp__mul3(R, n, normal);
    return distance;
}

// ------------------------------------------------------------------------------------------------ triangles

// Triangles of the rigid shapes, oriented outward, for rendering and snapshots.

enum { AROUND = 48, RINGS = 23, TUBE = 24 };  // segments of circles; circles between the poles; segments of the tube of a torus

typedef struct soup {
    double *x;
    int *faces;
    int nv, nf;
} soup;

static void shape_vertex(soup *s, double x, double y, double z) {
    double *to = s->x + 3 * s->nv++;
    to[0] = x, to[1] = y, to[2] = z;
}

static void shape_face(soup *s, int a, int b, int c) {
    int *to = s->faces + 3 * s->nf++;
    to[0] = a, to[1] = b, to[2] = c;
}

static void shape_quad(soup *s, int a, int b, int c, int d) {
    shape_face(s, a, b, c);
    shape_face(s, a, c, d);
}

static void shape_circle(soup *s, double radius, double z) {
    for (int i = 0; i < AROUND; i++) {
        double angle = 2 * SP_PI * i / AROUND;
        shape_vertex(s, radius * cos(angle), radius * sin(angle), z);
    }
}

// Band between two circles that start at vertices `low` and `high`, the upper one along +z.
static void shape_band(soup *s, int low, int high) {
    for (int i = 0; i < AROUND; i++) {
        int j = (i + 1) % AROUND;
        shape_quad(s, low + i, low + j, high + j, high + i);
    }
}

// Fan from a circle to one vertex: a cap that faces down or up.
static void shape_fan(soup *s, int ring, int tip, bool up) {
    for (int i = 0; i < AROUND; i++) {
        int j = (i + 1) % AROUND;
        shape_face(s, tip, ring + (up ? i : j), ring + (up ? j : i));
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
        shape_vertex(s, a * u[0] + b * v[0], a * u[1] + b * v[1], a * u[2] + b * v[2]);
    }
    shape_quad(s, 0, 1, 2, 3);
}

// a sphere, or with a length the two halves of one and the band between them
static void shape_make_capsule(soup *s, double radius, double length) {
    int circles = 0;
    for (int r = 1; r <= RINGS; r++) {
        double angle = SP_PI * r / (RINGS + 1), z = -radius * cos(angle);
        bool middle = 2 * r == RINGS + 1;
        if (middle && length > 0) shape_circle(s, radius * sin(angle), z), circles++;
        shape_circle(s, radius * sin(angle), 2 * r < RINGS + 1 ? z : z + length), circles++;
    }
    shape_vertex(s, 0, 0, -radius);
    shape_vertex(s, 0, 0, radius + length);
    for (int r = 1; r < circles; r++) shape_band(s, (r - 1) * AROUND, r * AROUND);
    shape_fan(s, 0, circles * AROUND, false);
    shape_fan(s, (circles - 1) * AROUND, circles * AROUND + 1, true);
}

static void shape_make_ellipsoid(soup *s, const double *size) {
    shape_make_capsule(s, 1, 0);
    for (int i = 0; i < 3 * s->nv; i++) s->x[i] *= size[i % 3];
}

static void shape_make_torus(soup *s, double ring, double tube) {
    for (int r = 0; r < TUBE; r++) {
        double angle = 2 * SP_PI * r / TUBE;
        shape_circle(s, ring + tube * cos(angle), tube * sin(angle));
    }
    for (int r = 0; r < TUBE; r++) shape_band(s, r * AROUND, (r + 1) % TUBE * AROUND);
}

static void shape_make_box(soup *s, const double *size) {
    for (int i = 0; i < 8; i++) shape_vertex(s, (i & 1) * size[0], (i >> 1 & 1) * size[1], (i >> 2 & 1) * size[2]);
    static const int sides[6][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
    for (int i = 0; i < 6; i++) shape_quad(s, sides[i][0], sides[i][1], sides[i][2], sides[i][3]);
}

static void shape_make_cylinder(soup *s, double radius, double length) {
    shape_circle(s, radius, 0);
    shape_circle(s, radius, length);
    shape_vertex(s, 0, 0, 0);
    shape_vertex(s, 0, 0, length);
    shape_band(s, 0, AROUND);
    shape_fan(s, 0, 2 * AROUND, false);
    shape_fan(s, AROUND, 2 * AROUND + 1, true);
}

static void shape_counts(sp_shape_type type, int *nv, int *nf) {
    switch (type) {
    case SP_PLANE: *nv = 4, *nf = 2; return;
    case SP_SPHERE:
    case SP_ELLIPSOID: *nv = RINGS * AROUND + 2, *nf = 2 * RINGS * AROUND; return;
    case SP_BOX: *nv = 8, *nf = 12; return;
    case SP_CYLINDER: *nv = 2 * AROUND + 2, *nf = 4 * AROUND; return;
    case SP_CAPSULE: *nv = (RINGS + 1) * AROUND + 2, *nf = 2 * (RINGS + 1) * AROUND; return;
    case SP_TORUS: *nv = TUBE * AROUND, *nf = 2 * TUBE * AROUND; return;
    }
    *nv = *nf = 0;
}

static void shape_make(soup *s, const sp_rigid_shape *shape, double extent) {
    switch (shape->type) {
    case SP_PLANE: make_plane(s, shape->size, extent); return;
    case SP_SPHERE: shape_make_capsule(s, shape->size[0], 0); return;
    case SP_BOX: shape_make_box(s, shape->size); return;
    case SP_CYLINDER: shape_make_cylinder(s, shape->size[0], shape->size[1]); return;
    case SP_CAPSULE: shape_make_capsule(s, shape->size[0], shape->size[1]); return;
    case SP_TORUS: shape_make_torus(s, shape->size[0], shape->size[1]); return;
    case SP_ELLIPSOID: shape_make_ellipsoid(s, shape->size); return;
    }
}

sp_status sp__shape_triangles(sp_context *ctx, const sp_rigid_shape *shape, double extent, int *nv, double **x, int *nf,
                              int **faces) {
    soup s = {0};
    shape_counts(shape->type, nv, nf);
    *x = NULL, *faces = NULL;
    if (!SP_NEW(ctx, s.x, 3 * *nv) || !SP_NEW(ctx, s.faces, 3 * *nf)) {
        sp__free(ctx, s.x);
        *nv = *nf = 0;
        return SP_FAIL(ctx, SP_NO_MEMORY, "no memory for the triangles of a shape");
    }
    shape_make(&s, shape, extent);
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
