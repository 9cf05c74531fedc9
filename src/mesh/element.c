// Shape functions, integration points and the inverse map.
#include "mesh/element.h"
#include "math/vec3.h"

int sp_element_nodes(sp_element_type type) {
    switch (type) {
    case SP_ELEMENT_TET4: return 4;
    case SP_ELEMENT_LINE2: return 2;
    case SP_ELEMENT_TET10: return 10;
    case SP_ELEMENT_HEX8: return 8;
    case SP_ELEMENT_TRI3: return 3;
    }
    return 0;
}

const char *sp_element_name(sp_element_type type) {
    switch (type) {
    case SP_ELEMENT_TET4: return "tetrahedron";
    case SP_ELEMENT_LINE2: return "line";
    case SP_ELEMENT_TET10: return "quadratic tetrahedron";
    case SP_ELEMENT_HEX8: return "hexahedron";
    case SP_ELEMENT_TRI3: return "triangle";
    }
    return "element";
}

int sp__element_corners(sp_element_type type) {
    return type == SP_ELEMENT_TET10 ? 4 : sp_element_nodes(type);
}

// ends of the edges of a tetrahedron with a mid node
static const int tet_edge[6][2] = {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}};
static const int hex_corner[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};

// ------------------------------------------------------------------------------------------------ points

int sp__element_points(sp_element_type type) {
    return type == SP_ELEMENT_TET4 || type == SP_ELEMENT_TRI3 ? 1
           : type == SP_ELEMENT_TET10                         ? 4
           : type == SP_ELEMENT_HEX8                          ? 8
                                                              : 0;
}

// Gauss points of a hexahedron; of a tetrahedron its centre, and the four points of Hammer, Marlowe and Stroud (1956)
void sp__element_point(sp_element_type type, int point, double natural[3], double *weight) {
    int points = sp__element_points(type);
    if (type == SP_ELEMENT_HEX8) {
        for (int k = 0; k < 3; k++) natural[k] = 0.5 + (point >> k & 1 ? 0.5 : -0.5) / sqrt(3.0);
        *weight = 1.0 / points;
        return;
    }
    if (type == SP_ELEMENT_TRI3) {
        sp__element_centre(type, natural);
        *weight = 0.5;
        return;
    }
    double near = points == 4 ? (5 + 3 * sqrt(5.0)) / 20 : 0.25, far = points == 4 ? (5 - sqrt(5.0)) / 20 : 0.25;
    for (int k = 0; k < 3; k++) natural[k] = point == k + 1 ? near : far;
    *weight = 1.0 / (6 * points);
}

void sp__element_vertex_point(int point, double natural[3], double *weight) {
    for (int k = 0; k < 3; k++) natural[k] = point < 4 ? point == k + 1 : point == k + 5 ? 0 : 1. / 3;
    *weight = (point < 4 ? 1. / 40 : 9. / 40) / 6;
}

void sp_element_natural(sp_element_type type, int node, double natural[3]) {
    for (int k = 0; k < 3; k++) {
        if (type == SP_ELEMENT_HEX8)
            natural[k] = hex_corner[node][k];
        else if (type == SP_ELEMENT_LINE2)
            natural[k] = k == 0 && node == 1;
        else if (node < 4)
            natural[k] = node == k + 1;
        else
            natural[k] = 0.5 * ((tet_edge[node - 4][0] == k + 1) + (tet_edge[node - 4][1] == k + 1));
    }
}

void sp__element_centre(sp_element_type type, double natural[3]) {
    bool tet = type == SP_ELEMENT_TET4 || type == SP_ELEMENT_TET10, triangle = type == SP_ELEMENT_TRI3;
    for (int k = 0; k < 3; k++) natural[k] = tet ? 0.25 : !triangle ? 0.5 : k < 2 ? 1.0 / 3 : 0;
}

// ------------------------------------------------------------------------------------------------ shape functions

void sp__element_weights(sp_element_type type, const double natural[3], double *w) {
    const double L[4] = {1 - natural[0] - natural[1] - natural[2], natural[0], natural[1], natural[2]};
    switch (type) {
    case SP_ELEMENT_LINE2: w[0] = 1 - natural[0], w[1] = natural[0]; return;
    case SP_ELEMENT_TET4: memcpy(w, L, sizeof L); return;
    case SP_ELEMENT_TRI3: w[0] = 1 - natural[0] - natural[1], w[1] = natural[0], w[2] = natural[1]; return;
    case SP_ELEMENT_TET10:
        for (int a = 0; a < 4; a++) w[a] = L[a] * (2 * L[a] - 1);
        for (int e = 0; e < 6; e++) w[4 + e] = 4 * L[tet_edge[e][0]] * L[tet_edge[e][1]];
        return;
    case SP_ELEMENT_HEX8:
        for (int a = 0; a < 8; a++) {
            w[a] = 1;
            for (int k = 0; k < 3; k++) w[a] *= hex_corner[a][k] ? natural[k] : 1 - natural[k];
        }
        return;
    }
}

static void tet10_slopes(const double natural[3], double *dw) {
    static const double dL[4][3] = {{-1, -1, -1}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const double L[4] = {1 - natural[0] - natural[1] - natural[2], natural[0], natural[1], natural[2]};
    for (int k = 0; k < 3; k++) {
        for (int a = 0; a < 4; a++) dw[3 * a + k] = (4 * L[a] - 1) * dL[a][k];
        for (int e = 0; e < 6; e++) {
            int a = tet_edge[e][0], b = tet_edge[e][1];
            dw[3 * (4 + e) + k] = 4 * (dL[a][k] * L[b] + L[a] * dL[b][k]);
        }
    }
}

static void hex_slopes(const double natural[3], double *dw) {
    for (int a = 0; a < 8; a++)
        for (int k = 0; k < 3; k++) {
            double s = hex_corner[a][k] ? 1 : -1;
            for (int j = 0; j < 3; j++)
                if (j != k) s *= hex_corner[a][j] ? natural[j] : 1 - natural[j];
            dw[3 * a + k] = s;
        }
}

void sp__element_slopes(sp_element_type type, const double natural[3], double *dw) {
    static const double tet[12] = {-1, -1, -1, 1, 0, 0, 0, 1, 0, 0, 0, 1}, line[6] = {-1, 0, 0, 1, 0, 0};
    static const double triangle[9] = {-1, -1, 0, 1, 0, 0, 0, 1, 0};
    switch (type) {
    case SP_ELEMENT_LINE2: memcpy(dw, line, sizeof line); return;
    case SP_ELEMENT_TET4: memcpy(dw, tet, sizeof tet); return;
    case SP_ELEMENT_TRI3: memcpy(dw, triangle, sizeof triangle); return;
    case SP_ELEMENT_TET10: tet10_slopes(natural, dw); return;
    case SP_ELEMENT_HEX8: hex_slopes(natural, dw); return;
    }
}

// J[3 i + j] = dx_i / dnatural_j. Positions relative to node 0: an element far from the origin keeps its digits.
static void element_jacobian(sp_element_type type, const double *x, const double *dw, double J[9]) {
    for (int i = 0; i < 9; i++) J[i] = 0;
    for (int a = 1; a < sp_element_nodes(type); a++)
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++) J[3 * i + j] += (x[3 * a + i] - x[i]) * dw[3 * a + j];
}

// The unit normal takes the place of the third natural coordinate: gradients lie in the plane, and the determinant is twice the
// area.
static void triangle_normal(double J[9]) {
    double u[3] = {J[0], J[3], J[6]}, v[3] = {J[1], J[4], J[7]}, n[3];
    sp__cross3(u, v, n);
    double length = sp__norm3(n);
    for (int i = 0; i < 3; i++) J[3 * i + 2] = n[i] / length;
}

double sp__element_gradients(sp_element_type type, const double *x, const double natural[3], double *g) {
    double dw[3 * SP_ELEMENT_NODES_MAX], J[9], inverse[9];
    sp__element_slopes(type, natural, dw);
    element_jacobian(type, x, dw, J);
    if (type == SP_ELEMENT_TRI3) triangle_normal(J);
    double det = sp__inverse3(J, inverse);
    for (int a = 0; a < sp_element_nodes(type); a++) sp__mul3t(inverse, dw + 3 * a, g + 3 * a);
    return det;
}

double sp__element_det(sp_element_type type, const double *x, const double natural[3]) {
    double dw[3 * SP_ELEMENT_NODES_MAX], J[9];
    sp__element_slopes(type, natural, dw);
    element_jacobian(type, x, dw, J);
    if (type == SP_ELEMENT_TRI3) triangle_normal(J);
    return sp__det3(J);
}

// ------------------------------------------------------------------------------------------------ products

// Gauss points of [0, 1]: three are exact for degree 5, five for degree 9 (Abramowitz and Stegun 25.4.30)
static void gauss3(double x[5], double w[5]) {
    x[1] = 0.5, w[1] = 4.0 / 9;
    x[0] = 0.5 - 0.5 * sqrt(0.6), x[2] = 0.5 + 0.5 * sqrt(0.6);
    w[0] = w[2] = 5.0 / 18;
}

static void gauss5(double x[5], double w[5]) {
    for (int k = 0; k < 2; k++) {
        double sign = k ? 1 : -1, at = sqrt(5 + 2 * sign * sqrt(10.0 / 7)) / 6;
        x[1 - k] = 0.5 - at, x[3 + k] = 0.5 + at;
        w[1 - k] = w[3 + k] = (322 - sign * 13 * sqrt(70.0)) / 1800;
    }
    x[2] = 0.5, w[2] = 64.0 / 225;
}

static void add_products(int nodes, const double *w, double volume, double *out) {
    int pair = nodes;
    for (int a = 0; a < nodes; a++) {
        out[a] += volume * w[a] * w[a];
        for (int b = a + 1; b < nodes; b++) out[pair++] += volume * w[a] * w[b];
    }
}

// In each coordinate a product has degree 2 and the determinant 2: three points are exact on every hexahedron.
static void hex_products(const double *x, double *out) {
    double at[5], weight[5], w[8];
    gauss3(at, weight);
    for (int p = 0; p < 27; p++) {
        const int k[3] = {p % 3, p / 3 % 3, p / 9};
        const double natural[3] = {at[k[0]], at[k[1]], at[k[2]]};
        sp__element_weights(SP_ELEMENT_HEX8, natural, w);
        double volume = weight[k[0]] * weight[k[1]] * weight[k[2]] * sp__element_det(SP_ELEMENT_HEX8, x, natural);
        add_products(8, w, volume, out);
    }
}

// A cube collapsed to the tetrahedron (Stroud 1971): products have degree 4, the determinant of a curved element 3, the map of
// the cube 2, which five points in each coordinate integrate exactly.
static void curved_products(const double *x, double *out) {
    double at[5], weight[5], w[10];
    gauss5(at, weight);
    for (int p = 0; p < 125; p++) {
        const int k[3] = {p % 5, p / 5 % 5, p / 25};
        double u = at[k[0]], v = at[k[1]], left = 1 - u, natural[3] = {u, v * left, at[k[2]] * left * (1 - v)};
        double volume = weight[k[0]] * weight[k[1]] * weight[k[2]] * left * left * (1 - v);
        sp__element_weights(SP_ELEMENT_TET10, natural, w);
        add_products(10, w, volume * sp__element_det(SP_ELEMENT_TET10, x, natural), out);
    }
}

// nodes of the edges are in their middle
static bool tet10_straight(const double *x) {
    for (int e = 0; e < 6; e++) {
        const double *a = x + 3 * tet_edge[e][0], *b = x + 3 * tet_edge[e][1], *m = x + 3 * (4 + e);
        for (int k = 0; k < 3; k++)
            if (fabs(m[k] - 0.5 * (a[k] + b[k])) > 1e-13 * (fabs(a[k] - b[k]) + fabs(m[k]))) return false;
    }
    return true;
}

// number of common ends of the edges with mid nodes 4 + e and 4 + f
static int common_ends(int e, int f) {
    int n = 0;
    for (int k = 0; k < 4; k++) n += tet_edge[e][k / 2] == tet_edge[f][k % 2];
    return n;
}

// 420 times the integral of two shape functions of a straight tetrahedron over its volume
static double straight_product(int a, int b) {
    static const double edges[3] = {8, 16, 32};
    if (b < 4) return a == b ? 6 : 1;
    if (a < 4) return tet_edge[b - 4][0] == a || tet_edge[b - 4][1] == a ? -4 : -6;
    return edges[common_ends(a - 4, b - 4)];
}

static void straight_products(double volume, double *out) {
    int pair = 10;
    for (int a = 0; a < 10; a++) {
        out[a] = volume / 420 * straight_product(a, a);
        for (int b = a + 1; b < 10; b++) out[pair++] = volume / 420 * straight_product(a, b);
    }
}

void sp__element_products(sp_element_type type, const double *x, double *products) {
    const double centre[3] = {0.25, 0.25, 0.25}, volume = type == SP_ELEMENT_HEX8 ? 0 : sp__element_det(type, x, centre) / 6;
    const int nodes = sp_element_nodes(type), pairs = nodes * (nodes + 1) / 2;
    for (int k = 0; k < pairs; k++) products[k] = type == SP_ELEMENT_TET4 ? volume * (k < nodes ? 0.1 : 0.05) : 0;
    if (type == SP_ELEMENT_HEX8) hex_products(x, products);
    if (type == SP_ELEMENT_TET10) {
        if (tet10_straight(x))
            straight_products(volume, products);
        else
            curved_products(x, products);
    }
}

// ------------------------------------------------------------------------------------------------ inverse map

// One Newton step, no longer than 1 in natural coordinates; returns its length, NaN where the map is singular.
static double locate_step(sp_element_type type, const double *x, const double point[3], double natural[3]) {
    double w[SP_ELEMENT_NODES_MAX], dw[3 * SP_ELEMENT_NODES_MAX], J[9], inverse[9], r[3], d[3];
    sp__element_weights(type, natural, w);
    sp__element_slopes(type, natural, dw);
    element_jacobian(type, x, dw, J);
    sp__inverse3(J, inverse);
    sp__sub3(point, x, r);
    for (int a = 1; a < sp_element_nodes(type); a++)
        for (int k = 0; k < 3; k++) r[k] -= w[a] * (x[3 * a + k] - x[k]);
    sp__mul3(inverse, r, d);
    double length = sp__norm3(d);
    sp__axpy3(natural, length > 1 ? 1 / length : 1, d, natural);
    return length;
}

bool sp__element_locate(sp_element_type type, const double *x, const double point[3], double natural[3]) {
    sp__element_centre(type, natural);
    // quadratic convergence: after a step of 1e-9 only rounding is left
    for (int i = 0; i < 50; i++) {
        double length = locate_step(type, x, point, natural);
        if (!isfinite(length)) return false;
        if (length < 1e-9) return true;
    }
    return false;
}

double sp__element_inside(sp_element_type type, const double natural[3]) {
    double least = type == SP_ELEMENT_HEX8 ? 1 : 1 - natural[0] - natural[1] - natural[2];
    for (int k = 0; k < 3; k++) {
        least = fmin(least, natural[k]);
        if (type == SP_ELEMENT_HEX8) least = fmin(least, 1 - natural[k]);
    }
    return least;
}

// ------------------------------------------------------------------------------------------------ faces and orientation

static const int tet_face[4][3] = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};
static const int hex_face[6][4] = {{0, 3, 2, 1}, {4, 5, 6, 7}, {0, 1, 5, 4}, {1, 2, 6, 5}, {2, 3, 7, 6}, {3, 0, 4, 7}};
// the node between two corners of a quadratic tetrahedron
static const int tet_mid[4][4] = {{-1, 4, 6, 7}, {4, -1, 5, 8}, {6, 5, -1, 9}, {7, 8, 9, -1}};

int sp__element_triangle_count(sp_element_type type) {
    return type == SP_ELEMENT_TRI3    ? 1
           : type == SP_ELEMENT_TET4  ? 4
           : type == SP_ELEMENT_TET10 ? 16
           : type == SP_ELEMENT_HEX8  ? 12
                                      : 0;
}

static void element_set3(int out[3], int a, int b, int c) {
    out[0] = a, out[1] = b, out[2] = c;
}

static void hex_triangles(const int *nodes, int (*out)[3]) {
    for (int f = 0; f < 6; f++) {
        const int *face = hex_face[f];
        int least = 0, n[4];
        for (int k = 1; k < 4; k++)
            if (nodes[face[k]] < nodes[face[least]]) least = k;
        for (int k = 0; k < 4; k++) n[k] = nodes[face[(least + k) % 4]];
        element_set3(out[2 * f], n[0], n[1], n[2]);
        element_set3(out[2 * f + 1], n[0], n[2], n[3]);
    }
}

static void tet10_triangles(const int *nodes, int (*out)[3]) {
    for (int f = 0; f < 4; f++) {
        int corner[3], mid[3];  // mid k: between corners k and k + 1
        for (int k = 0; k < 3; k++) {
            corner[k] = nodes[tet_face[f][k]];
            mid[k] = nodes[tet_mid[tet_face[f][k]][tet_face[f][(k + 1) % 3]]];
        }
        for (int k = 0; k < 3; k++) element_set3(out[4 * f + k], corner[k], mid[k], mid[(k + 2) % 3]);
        element_set3(out[4 * f + 3], mid[0], mid[1], mid[2]);
    }
}

void sp__element_triangles(sp_element_type type, const int *nodes, int (*out)[3]) {
    if (type == SP_ELEMENT_HEX8) hex_triangles(nodes, out);
    if (type == SP_ELEMENT_TET10) tet10_triangles(nodes, out);
    if (type == SP_ELEMENT_TRI3) element_set3(out[0], nodes[0], nodes[1], nodes[2]);
    for (int f = 0; f < 4 && type == SP_ELEMENT_TET4; f++)
        for (int k = 0; k < 3; k++) out[f][k] = nodes[tet_face[f][k]];
}

// tetrahedra exchange corners 2 and 3, hexahedra the first two axes, triangles the last corners
void sp__element_turn(sp_element_type type, int *nodes) {
    static const int tet[10] = {0, 1, 3, 2, 4, 8, 7, 6, 5, 9}, hex[8] = {0, 3, 2, 1, 4, 7, 6, 5}, triangle[3] = {0, 2, 1};
    const int *order = type == SP_ELEMENT_HEX8 ? hex : type == SP_ELEMENT_TRI3 ? triangle : tet;
    int before[SP_ELEMENT_NODES_MAX], n = sp_element_nodes(type);
    memcpy(before, nodes, (size_t)n * sizeof *nodes);
    for (int a = 0; a < n; a++) nodes[a] = before[order[a]];
}

double sp__element_flat_below(sp_element_type type, const double *x) {
    double edge2 = 0, far = 0;
    for (int a = 0; a < sp_element_nodes(type); a++) {
        for (int k = 0; k < 3; k++) far = fmax(far, fabs(x[3 * a + k]));
        for (int b = 0; b < a; b++) {
            double e[3];
            sp__sub3(x + 3 * a, x + 3 * b, e);
            edge2 = fmax(edge2, sp__dot3(e, e));
        }
    }
    if (type == SP_ELEMENT_TRI3) return sqrt(edge2) * (1e-12 * sqrt(edge2) + 1e-15 * far);
    return edge2 * (1e-12 * sqrt(edge2) + 1e-15 * far);
}
