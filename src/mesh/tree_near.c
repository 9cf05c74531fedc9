// Nearest items and containing tetrahedra.
#include "math/vec3.h"
#include "mesh/tree.h"

// Ericson, Real-Time Collision Detection (2005), section 5.1.5: the Voronoi region that contains the projection of p.
double sp__nearest_on_triangle(const double *a, const double *b, const double *c, const double *p, double w[3]) {
    double ab[3], ac[3], ap[3], bp[3], cp[3], d[3];
    sp__sub3(b, a, ab), sp__sub3(c, a, ac), sp__sub3(p, a, ap), sp__sub3(p, b, bp), sp__sub3(p, c, cp);
    double d1 = sp__dot3(ab, ap), d2 = sp__dot3(ac, ap), d3 = sp__dot3(ab, bp), d4 = sp__dot3(ac, bp);
    double d5 = sp__dot3(ab, cp), d6 = sp__dot3(ac, cp);
    double va = d3 * d6 - d5 * d4, vb = d5 * d2 - d1 * d6, vc = d1 * d4 - d3 * d2, v = 0, u = 0;
    if (d1 <= 0 && d2 <= 0) {
        // corner a
    } else if (d3 >= 0 && d4 <= d3) {
        v = 1;
    } else if (d6 >= 0 && d5 <= d6) {
        u = 1;
    } else if (vc <= 0 && d1 >= 0 && d3 <= 0) {
        v = d1 / (d1 - d3);
    } else if (vb <= 0 && d2 >= 0 && d6 <= 0) {
        u = d2 / (d2 - d6);
    } else if (va <= 0 && d4 - d3 >= 0 && d5 - d6 >= 0) {
        u = (d4 - d3) / ((d4 - d3) + (d5 - d6));
        v = 1 - u;
    } else {
        double s = 1 / (va + vb + vc);
        v = vb * s, u = vc * s;
    }
    w[0] = fmax(0, 1 - v - u), w[1] = v, w[2] = u;
    for (int k = 0; k < 3; k++) d[k] = ap[k] - v * ab[k] - u * ac[k];
    return sp__dot3(d, d);
}

// weights of the nodes of a tetrahedron at p; returns the smallest, NaN if the tetrahedron is flat
static double tet_weights(const sp_tree *t, int item, const double *p, double w[4]) {
    const int *c = t->items + 4 * (size_t)item;
    const double *x0 = t->x + 3 * (size_t)c[0];
    double e[9], d[3], n[3];
    for (int k = 0; k < 3; k++) sp__sub3(t->x + 3 * (size_t)c[k + 1], x0, e + 3 * k);
    sp__sub3(p, x0, d);
    double det = sp__det3(e);
    for (int k = 0; k < 3; k++) {
        sp__cross3(e + 3 * ((k + 1) % 3), e + 3 * ((k + 2) % 3), n);
        w[k + 1] = sp__dot3(d, n) / det;
    }
    w[0] = 1 - w[1] - w[2] - w[3];
    return fmin(fmin(w[0], w[1]), fmin(w[2], w[3]));
}

static double item_near(const sp_tree *t, int item, const double *p, double w[4]) {
    const int *c = t->items + (size_t)item * (size_t)t->corners;
    const double *x[4];
    for (int i = 0; i < t->corners; i++) x[i] = t->x + 3 * (size_t)c[i];
    if (t->corners == 3) {
        w[3] = 0;
        return sp__nearest_on_triangle(x[0], x[1], x[2], p, w);
    }
    if (tet_weights(t, item, p, w) >= 0) return 0;
    static const int face[4][3] = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};
    double best = INFINITY, own[3];
    for (int f = 0; f < 4; f++) {
        double d2 = sp__nearest_on_triangle(x[face[f][0]], x[face[f][1]], x[face[f][2]], p, own);
        if (!(d2 < best)) continue;
        best = d2;
        w[0] = w[1] = w[2] = w[3] = 0;
        for (int k = 0; k < 3; k++) w[face[f][k]] = own[k];
    }
    return best;
}

static double box_distance2(const sp_tree_node *n, const double *p) {
    double sum = 0;
    for (int k = 0; k < 3; k++) {
        double d = p[k] < n->low[k] ? n->low[k] - p[k] : p[k] > n->high[k] ? p[k] - n->high[k] : 0;
        sum += d * d;
    }
    return sum;
}

static void leaf_near(const sp_tree *t, const sp_tree_node *n, const double *p, sp_tree_near *best) {
    double w[4];
    for (int i = n->first; i < n->first + n->count; i++) {
        double d2 = item_near(t, t->order[i], p, w);
        if (!(d2 < best->distance2 || (d2 == best->distance2 && (best->item < 0 || t->order[i] < best->item)))) continue;
        best->item = t->order[i], best->distance2 = d2;
        memcpy(best->weights, w, sizeof w);
    }
}

bool sp__tree_nearest(const sp_tree *t, const double p[3], double within, sp_tree_near *out) {
    struct {
        int node;
        double distance2;
    } stack[SP_TREE_DEPTH + 2];
    int top = 0;
    *out = (sp_tree_near){.item = -1, .distance2 = within * within};
    stack[top].node = 0, stack[top++].distance2 = box_distance2(t->nodes, p);
    while (top > 0) {
        top--;
        if (stack[top].distance2 > out->distance2) continue;
        const sp_tree_node *n = &t->nodes[stack[top].node];
        if (!n->right) {
            leaf_near(t, n, p, out);
            continue;
        }
        int a = stack[top].node + 1, b = n->right;
        double da = box_distance2(&t->nodes[a], p), db = box_distance2(&t->nodes[b], p);
        bool a_first = da <= db;
        stack[top].node = a_first ? b : a, stack[top++].distance2 = a_first ? db : da;
        stack[top].node = a_first ? a : b, stack[top++].distance2 = a_first ? da : db;
    }
    if (out->item < 0) return false;
    const int *c = t->items + (size_t)out->item * (size_t)t->corners;
    for (int i = 0; i < t->corners; i++) sp__axpy3(out->point, out->weights[i], t->x + 3 * (size_t)c[i], out->point);
    return true;
}

int sp__tree_locate(const sp_tree *t, const double p[3], double weights[4]) {
    int stack[SP_TREE_DEPTH + 2], top = 0, found = -1;
    double best = -1, w[4];
    stack[top++] = 0;
    while (top > 0) {
        const sp_tree_node *n = &t->nodes[stack[--top]];
        if (box_distance2(n, p) > 0) continue;
        if (n->right) {
            stack[top++] = n->right;
            stack[top++] = (int)(n - t->nodes) + 1;
            continue;
        }
        for (int i = n->first; i < n->first + n->count; i++) {
            double least = tet_weights(t, t->order[i], p, w);
            if (!(least >= 0) || least < best || (least == best && t->order[i] > found)) continue;
            best = least, found = t->order[i];
            memcpy(weights, w, sizeof w);
        }
    }
    return found;
}
