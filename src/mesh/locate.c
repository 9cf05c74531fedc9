// The element that contains a point. A linear scan: milliseconds for a hundred thousand elements, called a few times per scene
// (probes, springs, drags). An index would need a lock, because threads share the mesh, and it could not answer for points
// outside.
#include "math/vec3.h"
#include "mesh/mesh_internal.h"
#include "mesh/tree.h"

// Barycentric coordinates of p; returns the smallest.
static double tet_weights(const sp_mesh *mesh, int t, const double *p, double w[4]) {
    const int *tet = sp__mesh_nodes(mesh, t);
    const double *x[4];
    for (int k = 0; k < 4; k++) x[k] = mesh->x + 3 * (size_t)tet[k];
    sp__tet_weights(x, p, w);
    return fmin(fmin(w[0], w[1]), fmin(w[2], w[3]));
}

// The map of an element, linear about its centre.
static void locate_linear(sp_element_type type, const double *x, const double *p, double natural[3]) {
    double g[3 * SP_ELEMENT_NODES_MAX], w[SP_ELEMENT_NODES_MAX], centre[3], at[3] = {0}, d[3];
    sp__element_centre(type, centre);
    sp__element_weights(type, centre, w);
    sp__element_gradients(type, x, centre, g);
    for (int a = 0; a < sp_element_nodes(type); a++) sp__axpy3(at, w[a], x + 3 * a, at);
    sp__sub3(p, at, d);
    // natural coordinates are themselves combinations of the shape functions
    memcpy(natural, centre, 3 * sizeof *natural);
    for (int a = 0; a < sp_element_nodes(type); a++) {
        double node[3];
        sp_element_natural(type, a, node);
        sp__axpy3(natural, sp__dot3(g + 3 * a, d), node, natural);
    }
}

// Natural coordinates of p and how far it is inside. Far outside of a curved element, where its map has no inverse, those of the
// map that is linear about its centre, and at most -1.
static double locate_in(const sp_mesh *mesh, int e, const double *p, double natural[3]) {
    double x[3 * SP_ELEMENT_NODES_MAX], w[4];
    sp_element_type type = sp__mesh_type(mesh, e);
    if (type == SP_ELEMENT_TET4) {
        double least = tet_weights(mesh, e, p, w);
        memcpy(natural, w + 1, 3 * sizeof *natural);
        return least;
    }
    sp__mesh_gather(mesh, e, x);
    if (sp__element_locate(type, x, p, natural)) return sp__element_inside(type, natural);
    locate_linear(type, x, p, natural);
    return fmin(sp__element_inside(type, natural), -1);
}

// A quadratic edge lies in the triangle of its ends and of twice its middle minus their mean, an element in the hull of these.
static void control_points(double *x) {
    static const int edge[6][2] = {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}};
    for (int e = 0; e < 6; e++)
        for (int k = 0; k < 3; k++) {
            double *mid = x + 3 * (4 + e) + k;
            *mid = 2 * *mid - 0.5 * (x[3 * edge[e][0] + k] + x[3 * edge[e][1] + k]);
        }
}

static bool in_box(const sp_mesh *mesh, int e, const double *p) {
    double own[3 * SP_ELEMENT_NODES_MAX];
    sp_element_type type = sp__mesh_gather(mesh, e, own);
    if (type == SP_ELEMENT_TET10) control_points(own);
    for (int k = 0; k < 3; k++) {
        bool below = true, above = true;
        for (int a = 0; a < sp_element_nodes(type); a++) {
            double x = own[3 * a + k];
            below = below && x < p[k];
            above = above && x > p[k];
        }
        if (below || above) return false;
    }
    return true;
}

// The nearest triangle, the first of several; 0 and above where the distance is rounding.
static double locate_nearest(const sp_mesh *mesh, const double *p, int *element, double natural[3]) {
    double best = INFINITY, size = 0, least = 0;
    for (int e = 0; e < mesh->element_count; e++) {
        double x[9], w[3];
        sp__mesh_gather(mesh, e, x);
        double d2 = sp__nearest_on_triangle(x, x + 3, x + 6, p, w);
        if (!(d2 < best)) continue;
        best = d2, *element = e, size = sqrt(sp__element_det(SP_ELEMENT_TRI3, x, w));
        natural[0] = w[1], natural[1] = w[2], natural[2] = 0;
        least = fmin(w[0], fmin(w[1], w[2]));
    }
    return sqrt(best) > 1e-9 * size ? -sqrt(best) / size : least;
}

double sp_mesh_locate(const sp_mesh *mesh, const double point[3], int *element, double natural[3]) {
    double at[3];
    *element = 0;
    if (sp__mesh_type(mesh, 0) == SP_ELEMENT_TRI3) return locate_nearest(mesh, point, element, natural);
    for (int e = 0; e < mesh->element_count; e++) {
        if (!in_box(mesh, e, point)) continue;
        double least = locate_in(mesh, e, point, at);
        if (least < 0) continue;
        *element = e;
        memcpy(natural, at, sizeof at);
        return least;
    }
    // outside, or on a face up to rounding
    double best = -INFINITY;
    for (int e = 0; e < mesh->element_count; e++) {
        double least = locate_in(mesh, e, point, at);
        if (least > best) best = least, *element = e;
    }
    return locate_in(mesh, *element, point, natural);
}
