// Loads on boundary triangles of elements with more than 4 nodes. A triangle is part of the face of its element: its load goes to
// the nodes of the element by their shape functions (consistent load), integrated over the curved or warped face. Thirds at the
// corners would balance the same total, but converge with the first order of the size of elements only.
#include "solid/solid.h"

// Six points, exact for polynomials of degree 4 (Dunavant 1985, doi:10.1002/nme.1620210612): shape functions are of degree 2,
// area vectors of degree 2. Weights sum to 1/2, the area of the triangle in its own coordinates.
enum { FACE_POINTS = 6 };
static void face_point(int point, double at[2], double *weight) {
    static const double side[2] = {0.44594849091596488632, 0.09157621350977074346},
                        w[2] = {0.22338158967801146570, 0.10995174365532186764};
    const double a = side[point / 3];
    at[0] = point % 3 == 1 ? 1 - 2 * a : a, at[1] = point % 3 == 2 ? 1 - 2 * a : a;
    *weight = 0.5 * w[point / 3];
}

void sp__face_patch_make(const sp_solid *s, const sp_mesh *mesh, int face, sp_face_patch *out) {
    const int *nodes, *corner = sp_mesh_faces(mesh) + 3 * (size_t)face;
    out->element = sp_mesh_face_element(mesh, face);
    out->type = sp_mesh_element(mesh, out->element, &nodes);
    out->nodes = sp_element_nodes(out->type);
    for (int a = 0; a < out->nodes; a++) {
        out->node[a] = s->inner_node[nodes[a]];
        for (int k = 0; k < 3; k++)
            if (nodes[a] == corner[k]) out->corner[k] = a;
    }
}

// shape functions at a point, and area vector times weight
static void patch_point(const sp_face_patch *p, const double *x, int point, double *shape, double area[3]) {
    double corner[3][3], at[2], weight, natural[3], slope[3 * SP_ELEMENT_NODES_MAX], u[3] = {0}, v[3] = {0};
    for (int k = 0; k < 3; k++) sp_element_natural(p->type, p->corner[k], corner[k]);
    face_point(point, at, &weight);
    for (int k = 0; k < 3; k++)
        natural[k] = corner[0][k] + at[0] * (corner[1][k] - corner[0][k]) + at[1] * (corner[2][k] - corner[0][k]);
    sp__element_weights(p->type, natural, shape);
    sp__element_slopes(p->type, natural, slope);
    for (int a = 0; a < p->nodes; a++) {
        double along[2] = {0, 0};
        for (int k = 0; k < 3; k++)
            for (int e = 0; e < 2; e++) along[e] += slope[3 * a + k] * (corner[e + 1][k] - corner[0][k]);
        sp__axpy3(u, along[0], x + 3 * (size_t)p->node[a], u), sp__axpy3(v, along[1], x + 3 * (size_t)p->node[a], v);
    }
    sp__cross3(u, v, area);
    for (int k = 0; k < 3; k++) area[k] *= weight;
}

void sp__face_patch_areas(const sp_face_patch *p, const double *x, double *area, double *size) {
    memset(area, 0, 3 * (size_t)p->nodes * sizeof *area);
    if (size) memset(size, 0, (size_t)p->nodes * sizeof *size);
    for (int q = 0; q < FACE_POINTS; q++) {
        double shape[SP_ELEMENT_NODES_MAX], n[3];
        patch_point(p, x, q, shape, n);
        for (int a = 0; a < p->nodes; a++) {
            sp__axpy3(area + 3 * a, shape[a], n, area + 3 * a);
            if (size) size[a] += shape[a] * sp__norm3(n);
        }
    }
}
