// Signed distance to the rigid shapes, exact inside and outside. If the nearest point is not unique (centre, axis, medial
// planes), a fixed one is chosen, so that the normal is a unit vector everywhere.
#include "collide/shape.h"

#include "math/vec3.h"

// out = v / |v|; the axis `spare` if v is zero. Returns |v|.
static double direction(const double *v, int n, int spare, double *out) {
    double square = 0;
    for (int k = 0; k < n; k++) square += v[k] * v[k];
    double length = sqrt(square);
    for (int k = 0; k < n; k++) out[k] = length > 0 ? v[k] / length : k == spare;
    return length;
}

static double plane_distance(const double *size, const double *x, double *normal) {
    direction(size, 3, 2, normal);
    return sp__dot3(x, normal);
}

static double sphere_distance(double radius, const double *x, double *normal) {
    return direction(x, 3, 2, normal) - radius;
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
    return direction(d, 3, 0, normal);
}

static double cylinder_distance(const double *size, const double *x, double *normal) {
    double out[2];
    double wall = direction(x, 2, 0, out) - size[0];
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

double sp__shape_distance(const sp_rigid_shape *shape, const double x[3], double normal[3]) {
    switch (shape->type) {
    case SP_PLANE: return plane_distance(shape->size, x, normal);
    case SP_SPHERE: return sphere_distance(shape->size[0], x, normal);
    case SP_BOX: return box_distance(shape->size, x, normal);
    case SP_CYLINDER: return cylinder_distance(shape->size, x, normal);
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
