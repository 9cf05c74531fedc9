// Material points of the solid: an element and the barycentric weights of its nodes. Used by contact, drags, probes and pictures.
#include "solid/solid.h"

void sp__solid_element_nodes(const sp_solid *s, uint32_t user_tet, int node[4]) {
    const sp_tets *t = &s->tets;
    int slot = s->slot_of[user_tet];
    for (int a = 0; a < 4; a++) node[a] = t->node[(slot / t->lanes * 4 + a) * t->lanes + slot % t->lanes];
}

void sp__solid_weights(const sp_anchor *a, double w[4]) {
    w[1] = a->at[0], w[2] = a->at[1], w[3] = a->at[2];
    w[0] = 1 - w[1] - w[2] - w[3];
}

static void solid_interpolate(const int node[4], const double w[4], const double *field, double out[3]) {
    for (int k = 0; k < 3; k++) {
        out[k] = 0;
        for (int a = 0; a < 4; a++)
            if (w[a] != 0) out[k] += w[a] * field[3 * (size_t)node[a] + (size_t)k];
    }
}

void sp__solid_points(sp_body *b, sp_which which, int n, const sp_anchor *a, double *x, double *v) {
    for (int i = 0; i < n; i++) {
        int node[4];
        double w[4];
        sp__solid_element_nodes(sp__solid(b), a[i].elem, node);
        sp__solid_weights(&a[i], w);
        solid_interpolate(node, w, b->q[which], x + 3 * (size_t)i);
        if (v) solid_interpolate(node, w, b->v[which], v + 3 * (size_t)i);
    }
}

void sp__solid_rest_point(sp_body *b, const sp_anchor *a, double x[3]) {
    int node[4];
    double w[4];
    sp__solid_element_nodes(sp__solid(b), a->elem, node);
    sp__solid_weights(a, w);
    solid_interpolate(node, w, sp__solid(b)->rest, x);
}

sp_status sp__solid_jacobian_rows(sp_body *b, sp_which s, int n, const sp_anchor *a, const double *dir, sp_rows *J) {
    (void)s;  // points are linear in the positions of the nodes
    J->n = n;
    J->start[0] = 0;
    for (int i = 0; i < n; i++) {
        int node[4], at = J->start[i], entries = 0;
        double w[4];
        sp__solid_element_nodes(sp__solid(b), a[i].elem, node);
        sp__solid_weights(&a[i], w);
        for (int c = 0; c < 4; c++) entries += w[c] != 0 ? 3 : 0;
        if (at > J->capacity - entries)
            return SP_BODY_FAIL(b, SP_BAD_INPUT, "rows of '%s' need more than the %d entries there is room for", b->name,
                                J->capacity);
        for (int c = 0; c < 4; c++)
            for (int k = 0; k < 3; k++) {
                if (w[c] == 0) continue;
                J->col[at] = 3 * node[c] + k, J->val[at++] = w[c] * dir[3 * i + k];
            }
        J->start[i + 1] = at;
    }
    return SP_OK;
}

void sp__solid_apply_transpose(sp_body *b, sp_which s, int n, const sp_anchor *a, const double *f, double *g) {
    (void)s;
    for (int i = 0; i < n; i++) {
        int node[4];
        double w[4];
        sp__solid_element_nodes(sp__solid(b), a[i].elem, node);
        sp__solid_weights(&a[i], w);
        for (int c = 0; c < 4; c++)
            for (int k = 0; k < 3; k++)
                if (w[c] != 0) g[3 * (size_t)node[c] + (size_t)k] += w[c] * f[3 * (size_t)i + (size_t)k];
    }
}

// ------------------------------------------------------------------------------------------------ creation of anchors

sp_status sp__solid_anchor_node(sp_body *b, int node, sp_anchor *out) {
    sp_solid *s = sp__solid(b);
    if (node < 0 || node >= s->nodes)
        return SP_BODY_FAIL(b, SP_BAD_INPUT, "node %d of '%s', must be in [0, %d]", node, b->name, s->nodes - 1);
    uint32_t c = s->corner_of[s->inner_node[node]];
    if (c == UINT32_MAX) return SP_BODY_FAIL(b, SP_BAD_INPUT, "node %d of '%s' belongs to no tetrahedron", node, b->name);
    *out = (sp_anchor){.body = b->id, .elem = (uint32_t)s->user_tet[c / 4]};
    if (c % 4) out->at[c % 4 - 1] = 1;
    return SP_OK;
}

// barycentric weights of x in a rest element; returns the smallest
static double solid_weights_in(const sp_solid *s, int slot, const double x[3], double w[4]) {
    const sp_tets *t = &s->tets;
    const double *p[4];
    for (int a = 0; a < 4; a++) p[a] = s->rest + 3 * (size_t)t->node[(slot / t->lanes * 4 + a) * t->lanes + slot % t->lanes];
    double D[9], inv[9], d[3], least = INFINITY;
    for (int k = 0; k < 3; k++)
        for (int a = 0; a < 3; a++) D[3 * k + a] = p[a + 1][k] - p[0][k];
    sp__inverse3(D, inv);
    sp__sub3(x, p[0], d);
    sp__mul3(inv, d, w + 1);
    w[0] = 1 - w[1] - w[2] - w[3];
    for (int a = 0; a < 4; a++)
        if (w[a] < least) least = w[a];
    return least;
}

sp_status sp__solid_anchor_point(sp_body *b, const double rest[3], sp_anchor *out) {
    sp_solid *s = sp__solid(b);
    double best = -INFINITY;
    // linear search: picks are rare, and the search structure of the mesh is not kept
    for (int slot = 0; slot < s->tets.blocks * s->tets.lanes; slot++) {
        if (s->user_tet[slot] < 0) continue;
        double w[4], least = solid_weights_in(s, slot, rest, w);
        if (!(least > best)) continue;
        best = least;
        *out = (sp_anchor){.body = b->id, .elem = (uint32_t)s->user_tet[slot], .at = {w[1], w[2], w[3]}};
    }
    if (best == -INFINITY)
        return SP_BODY_FAIL(b, SP_BAD_INPUT, "no point of '%s' at (%g, %g, %g)", b->name, rest[0], rest[1], rest[2]);
    return SP_OK;
}
