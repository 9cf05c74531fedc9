// Picking: from a point on a face, as a client saw it, to a material point (anchor) of a body. It happens once at the start of a
// drag, which then keeps the anchor.
#include <math.h>
#include <string.h>

#include "math/vec3.h"
#include "serve/sim_internal.h"

static const sp_snapshot_body *find_body(const sp_snapshot *snapshot, int64_t slot) {
    for (int i = 0; i < snapshot->body_count; i++)
        if (snapshot->bodies[i].id.slot == slot) return &snapshot->bodies[i];
    return NULL;
}

static int heaviest(const double *weights) {
    int k = weights[1] > weights[0] ? 1 : 0;
    return weights[2] > weights[k] ? 2 : k;
}

// ---------------------------------------------------------------------------------------------------- boundary

// local number of a node in a tetrahedron; -1: not a node of it
static int corner_of(const int *tet, int node) {
    for (int k = 0; k < 4; k++)
        if (tet[k] == node) return k;
    return -1;
}

// exact, because the tetrahedron behind the face contains all three nodes
static bool on_tet(const sp_sim_body *body, const int node[3], const double weights[3], sp_anchor *out) {
    for (int e = 0; e < body->elements; e++) {
        const int *tet = body->tets + 4 * (size_t)e;
        int at[3];
        for (int k = 0; k < 3; k++) at[k] = corner_of(tet, node[k]);
        if (at[0] < 0 || at[1] < 0 || at[2] < 0) continue;
        *out = (sp_anchor){.body = body->id, .elem = (uint32_t)e};
        for (int k = 0; k < 3; k++)
            if (at[k] > 0) out->at[at[k] - 1] = weights[k];
        return true;
    }
    return false;
}

// rod: the point of the centreline at the nearest cross section, because a drag pulls a thread and does not twist it
static bool on_ring(const sp_snapshot_surface *b, sp_body_id body, int vertex, sp_anchor *out) {
    for (int r = b->ring_count - 1; r >= 0; r--) {
        if (b->rings[r].vertex > vertex) continue;
        *out = (sp_anchor){.body = body, .elem = (uint32_t)b->rings[r].element, .at = {b->rings[r].at, 0, 0}};
        return true;
    }
    return false;
}

// ---------------------------------------------------------------------------------------------------- embedded surfaces

static void face_point(sp_world *w, const sp_anchor corner[3], const double weights[3], double x[3]) {
    double p[3];
    x[0] = x[1] = x[2] = 0;
    for (int k = 0; k < 3; k++) {
        sp_world_anchor_get(w, &corner[k], p, NULL);
        sp__axpy3(x, weights[k], p, x);
    }
}

// The natural coordinates of `x` in the deformed element of a solid; false: the element is degenerate.
static bool tet_coordinates(sp_world *w, sp_anchor *a, const double x[3]) {
    double corner[4][3], edge[3][3], D[9], inverse[9], d[3];
    for (int k = 0; k < 4; k++) {
        sp_anchor c = {.body = a->body, .elem = a->elem};
        if (k > 0) c.at[k - 1] = 1;
        if (sp_world_anchor_get(w, &c, corner[k], NULL) < 0) return false;
    }
    for (int k = 0; k < 3; k++) {
        sp__sub3(corner[k + 1], corner[0], edge[k]);
        for (int i = 0; i < 3; i++) D[3 * i + k] = edge[k][i];
    }
    // below this volume, rounding would move the point by more than the precision of a float
    double least = 1e-8 * sp__norm3(edge[0]) * sp__norm3(edge[1]) * sp__norm3(edge[2]);
    if (!(fabs(sp__inverse3(D, inverse)) > least)) return false;
    sp__sub3(x, corner[0], d);
    sp__mul3(inverse, d, a->at);
    return true;
}

static void anchor_rest(const sp_sim_body *body, const sp_anchor *a, double x[3]) {
    const int *n = body->tets + 4 * (size_t)a->elem;
    const double w[4] = {1 - a->at[0] - a->at[1] - a->at[2], a->at[0], a->at[1], a->at[2]};
    x[0] = x[1] = x[2] = 0;
    for (int k = 0; k < 4; k++) sp__axpy3(x, w[k], body->rest + 3 * (size_t)n[k], x);
}

// the element that contains a point of the rest shape; false: none does
static bool element_at_rest(sp_world *w, const sp_sim_body *body, const double rest[3], sp_anchor *out) {
    if (sp_world_anchor_point(w, body->id, rest, out) < 0) return false;
    double least = 1 - out->at[0] - out->at[1] - out->at[2];
    for (int i = 0; i < 3; i++) least = fmin(least, out->at[i]);
    return least > -1e-9;
}

// If all three anchors are in one element: the weighted mean of their coordinates. Otherwise the element that contains the point
// in the rest shape, or else the element of the anchor with the largest weight. The coordinates are those of the displayed point,
// so that a spring with its target there exerts no force.
static bool on_solid(sp_world *w, const sp_sim_body *body, const sp_anchor corner[3], const double weights[3], sp_anchor *out) {
    double x[3], p[3], rest[3] = {0};
    sp_anchor inside;
    *out = corner[heaviest(weights)];
    if (corner[0].elem == corner[1].elem && corner[0].elem == corner[2].elem) {
        for (int i = 0; i < 3; i++)
            out->at[i] = weights[0] * corner[0].at[i] + weights[1] * corner[1].at[i] + weights[2] * corner[2].at[i];
        return true;
    }
    face_point(w, corner, weights, x);
    for (int k = 0; k < 3; k++) {
        anchor_rest(body, &corner[k], p);
        sp__axpy3(rest, weights[k], p, rest);
    }
    if (element_at_rest(w, body, rest, &inside) && tet_coordinates(w, &inside, x))
        *out = inside;
    else
        tet_coordinates(w, out, x);  // a degenerate element keeps the anchor of the vertex
    return true;
}

// The mean position along the rod, and the offset of the point from there in the frame of the rod.
static bool on_rod(sp_world *w, const sp_anchor corner[3], const double weights[3], sp_anchor *out) {
    double x[3], centre[3], axis[3], d[3], offset[3], along = 0;
    int heavy = heaviest(weights);
    for (int k = 0; k < 3; k++) along += weights[k] * (corner[k].elem + corner[k].at[0]);
    face_point(w, corner, weights, x);
    *out = (sp_anchor){.body = corner[heavy].body, .elem = corner[heavy].elem};
    out->at[0] = fmin(1, fmax(0, along - corner[heavy].elem));
    if (sp_world_anchor_get(w, out, centre, NULL) < 0) return false;
    sp__sub3(x, centre, d);
    for (int k = 0; k < 3; k++) {
        sp_anchor tip = *out;
        tip.offset[k] = 1;
        if (sp_world_anchor_get(w, &tip, axis, NULL) < 0) return false;
        sp__sub3(axis, centre, axis);
        offset[k] = sp__dot3(axis, d);
    }
    memcpy(out->offset, offset, sizeof offset);
    return true;
}

static bool anchor_of(sp_world *w, const sp_sim_body *body, const sp_snapshot_surface *v, const sp_message *m, sp_anchor *out) {
    const uint32_t *c = v->faces + 3 * (size_t)m->face;
    if (m->surface > 0) {
        const sp_anchor corner[3] = {v->anchors[c[0]], v->anchors[c[1]], v->anchors[c[2]]};
        return body->tets ? on_solid(w, body, corner, m->weights, out) : on_rod(w, corner, m->weights, out);
    }
    if (v->rings) return on_ring(v, body->id, (int)c[heaviest(m->weights)], out);
    if (!body->tets || !v->nodes) return false;
    int node[3] = {v->nodes[c[0]], v->nodes[c[1]], v->nodes[c[2]]};
    return on_tet(body, node, m->weights, out);
}

// ---------------------------------------------------------------------------------------------------- picking

static bool find_anchor(sp_world *w, const sp_sim_body *body, const sp_snapshot *snapshot, const sp_message *m, sp_anchor *out,
                        char *why) {
    const sp_snapshot_body *b = find_body(snapshot, m->body);
    if (!b || m->surface >= b->surface_count)
        return snprintf(why, SP_SIM_WHY, "body %lld has no surface %lld", (long long)m->body, (long long)m->surface), false;
    const sp_snapshot_surface *v = &b->surfaces[m->surface];
    if ((m->given & SP_GIVEN_REVISION) && m->revision != v->revision)
        return snprintf(why, SP_SIM_WHY, "revision %lld is not the one shown now, %u", (long long)m->revision, v->revision),
               false;
    if (m->face >= v->face_count)
        return snprintf(why, SP_SIM_WHY, "face = %lld, must be in [0, %d)", (long long)m->face, v->face_count), false;
    return anchor_of(w, body, v, m, out) || (snprintf(why, SP_SIM_WHY, "no element is behind that face"), false);
}

bool sp__sim_holds(const sp_sim_drag *h, uint32_t client, const sp_message *m) {
    if (!h->held || h->client != client) return false;
    return !(m->given & SP_GIVEN_POINT) || (h->body.slot == m->body && h->surface == m->surface && h->face == m->face &&
                                            memcmp(h->weights, m->weights, sizeof h->weights) == 0);
}

bool sp__sim_pick(sp_sim *s, const sp_message *m, sp_sim_drag *out, char *why) {
    const sp_sim_body *body = sp__sim_body(s, m->body);
    if (!body) return snprintf(why, SP_SIM_WHY, "there is no body %lld", (long long)m->body), false;
    if (!body->soft) return snprintf(why, SP_SIM_WHY, "a rigid body cannot be dragged"), false;
    const sp_snapshot *snapshot = sp_world_snapshot_acquire(s->stage.world);
    *out = (sp_sim_drag){.body = body->id, .surface = m->surface, .face = m->face};
    memcpy(out->weights, m->weights, sizeof out->weights);
    bool good = snapshot && find_anchor(s->stage.world, body, snapshot, m, &out->anchor, why);
    sp_world_snapshot_release(s->stage.world, snapshot);
    // rest position for solids; a rod has no volume at rest, so it gets the current position
    if (good && body->tets)
        anchor_rest(body, &out->anchor, out->rest);
    else if (good)
        sp_world_anchor_get(s->stage.world, &out->anchor, out->rest, NULL);
    return good;
}
