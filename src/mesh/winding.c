// Winding numbers: exact solid angles of near triangles (van Oosterom and Strackee 1983), and the first two terms of the
// multipole expansion about the centre of a tree node for far ones (Barill et al. 2018, equations 8 to 14).
#include "mesh/winding.h"

#include "math/vec3.h"

// a node is far if its distance exceeds this many radii: the next term is then below 1 % (Barill et al., figure 6)
static const double FAR_BEYOND = 2;

// ------------------------------------------------------------------------------------------------ sums

static void area_normal(const sp_tree *tree, int item, double normal[3], double centroid[3]) {
    const int *c = tree->items + 3 * (size_t)item;
    const double *x[3];
    double u[3], v[3];
    for (int k = 0; k < 3; k++) x[k] = tree->x + 3 * (size_t)c[k];
    sp__sub3(x[1], x[0], u);
    sp__sub3(x[2], x[0], v);
    sp__cross3(u, v, normal);
    for (int k = 0; k < 3; k++) normal[k] *= 0.5, centroid[k] = (x[0][k] + x[1][k] + x[2][k]) / 3;
}

static void sum_items(const sp_tree *tree, const sp_tree_node *node, sp_winding_node *w) {
    double total = 0, n[3], c[3];
    for (int i = 0; i < node->count; i++) {
        area_normal(tree, tree->order[node->first + i], n, c);
        double area = sp__norm3(n);
        total += area;
        sp__axpy3(w->centre, area, c, w->centre);
        sp__axpy3(w->normal, 1, n, w->normal);
    }
    for (int k = 0; k < 3; k++) w->centre[k] = total > 0 ? w->centre[k] / total : 0.5 * (node->low[k] + node->high[k]);
    for (int i = 0; i < node->count; i++) {
        area_normal(tree, tree->order[node->first + i], n, c);
        for (int a = 0; a < 3; a++)
            for (int b = 0; b < 3; b++) w->first[3 * a + b] += (c[a] - w->centre[a]) * n[b];
    }
    // no vertex lies outside the box
    double far2 = 0;
    for (int k = 0; k < 3; k++) {
        double d = fmax(w->centre[k] - node->low[k], node->high[k] - w->centre[k]);
        far2 += d * d;
    }
    w->reach = sqrt(far2);
}

sp_status sp__winding_create(const sp_tree *tree, sp_winding *out) {
    *out = (sp_winding){.tree = tree};
    if (!SP_NEW(tree->ctx, out->nodes, tree->node_count))
        return SP_FAIL(tree->ctx, SP_NO_MEMORY, "no memory for winding numbers");
    // O(n log n): each level of the tree sums all triangles once
    for (int i = 0; i < tree->node_count; i++) sum_items(tree, &tree->nodes[i], &out->nodes[i]);
    return SP_OK;
}

void sp__winding_free(sp_winding *w) {
    if (w->tree) sp__free(w->tree->ctx, w->nodes);
    *w = (sp_winding){0};
}

// ------------------------------------------------------------------------------------------------ evaluation

// solid angle divided by 4 pi
static double near_item(const sp_tree *tree, int item, const double q[3]) {
    const int *c = tree->items + 3 * (size_t)item;
    double a[3], b[3], d[3], cross[3];
    sp__sub3(tree->x + 3 * (size_t)c[0], q, a);
    sp__sub3(tree->x + 3 * (size_t)c[1], q, b);
    sp__sub3(tree->x + 3 * (size_t)c[2], q, d);
    double la = sp__norm3(a), lb = sp__norm3(b), ld = sp__norm3(d);
    sp__cross3(b, d, cross);
    double det = sp__dot3(a, cross);
    double below = la * lb * ld + sp__dot3(a, b) * ld + sp__dot3(b, d) * la + sp__dot3(d, a) * lb;
    return det == 0 ? 0 : atan2(det, below) / (2 * SP_PI);
}

static double far_node(const sp_winding_node *w, const double q[3]) {
    double r[3];
    sp__sub3(w->centre, q, r);
    double d2 = sp__dot3(r, r), d3 = d2 * sqrt(d2), bend = 0;
    for (int a = 0; a < 3; a++) bend += r[a] * sp__dot3(w->first + 3 * a, r);
    double trace = w->first[0] + w->first[4] + w->first[8];
    return (sp__dot3(w->normal, r) + trace - 3 * bend / d2) / (4 * SP_PI * d3);
}

double sp__winding_at(const sp_winding *w, const double point[3]) {
    const sp_tree *tree = w->tree;
    int stack[SP_TREE_DEPTH + 2], top = 0;
    double sum = 0;
    stack[top++] = 0;
    while (top > 0) {
        int i = stack[--top];
        const sp_tree_node *node = &tree->nodes[i];
        double d[3];
        sp__sub3(w->nodes[i].centre, point, d);
        double far = FAR_BEYOND * w->nodes[i].reach;
        if (sp__dot3(d, d) > far * far) {
            sum += far_node(&w->nodes[i], point);
        } else if (!node->right) {
            for (int k = 0; k < node->count; k++) sum += near_item(tree, tree->order[node->first + k], point);
        } else {
            stack[top++] = node->right;
            stack[top++] = i + 1;
        }
    }
    return sum;
}
