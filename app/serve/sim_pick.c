// From a point on a face, as somebody saw it, to a material point of a body.
#include <string.h>

#include "serve/sim_internal.h"

static const sp_snapshot_body *find_body(const sp_snapshot *shot, int64_t slot) {
    for (int i = 0; i < shot->body_count; i++)
        if (shot->bodies[i].id.slot == slot) return &shot->bodies[i];
    return NULL;
}

static int heaviest(const double *weights) {
    int k = weights[1] > weights[0] ? 1 : 0;
    return weights[2] > weights[k] ? 2 : k;
}

// place of a node among the corners of a tetrahedron, -1: none of them
static int corner_of(const int *tet, int node) {
    for (int k = 0; k < 4; k++)
        if (tet[k] == node) return k;
    return -1;
}

// exact: the tetrahedron behind the face has all its corners
static bool on_tet(const sp_sim_body *body, const int node[3], const double weights[3], sp_anchor *out) {
    for (int e = 0; e < body->elements; e++) {
        const int *tet = body->tets + 4 * (size_t)e;
        int at[3];
        for (int k = 0; k < 3; k++) at[k] = corner_of(tet, node[k]);
        if (at[0] < 0 || at[1] < 0 || at[2] < 0) continue;
        *out = (sp_anchor){.body = body->id.slot, .elem = (uint32_t)e};
        for (int k = 0; k < 3; k++)
            if (at[k] > 0) out->at[at[k] - 1] = weights[k];
        return true;
    }
    return false;
}

// of a rod the middle below the nearest ring: a thread is pulled, not twisted
static bool on_ring(const sp_snapshot_body *b, int vertex, sp_anchor *out) {
    for (int r = b->ring_count - 1; r >= 0; r--) {
        if (b->rings[r].vertex > vertex) continue;
        *out = (sp_anchor){.body = b->id.slot, .elem = (uint32_t)b->rings[r].element, .at = {b->rings[r].at, 0, 0}};
        return true;
    }
    return false;
}

static bool anchor_of(const sp_sim_body *body, const sp_snapshot_body *b, const sp_surface_view *v, const sp_message *m,
                      sp_anchor *out) {
    const uint32_t *corner = v->faces + 3 * (size_t)m->face;
    int vertex = (int)corner[heaviest(m->weights)];
    if (v->anchors) {
        *out = v->anchors[vertex];
        return true;
    }
    if (b->rings) return on_ring(b, vertex, out);
    if (!body->tets || !v->nodes) return false;
    int node[3] = {v->nodes[corner[0]], v->nodes[corner[1]], v->nodes[corner[2]]};
    return on_tet(body, node, m->weights, out);
}

static bool find_anchor(const sp_sim_body *body, const sp_snapshot *shot, const sp_message *m, sp_anchor *out, char *why) {
    const sp_snapshot_body *b = find_body(shot, m->body);
    sp_surface_view v;
    if (!b || m->surface > b->surface_count)
        return snprintf(why, SP_SIM_WHY, "body %lld has no surface %lld", (long long)m->body, (long long)m->surface), false;
    sp__surface_view(b, (int)m->surface, &v);
    if ((m->given & SP_GIVEN_REVISION) && m->revision != v.revision)
        return snprintf(why, SP_SIM_WHY, "revision %lld is not the one shown now, %u", (long long)m->revision, v.revision), false;
    if (m->face >= v.face_count)
        return snprintf(why, SP_SIM_WHY, "face = %lld, must be in [0, %d)", (long long)m->face, v.face_count), false;
    return anchor_of(body, b, &v, m, out) || (snprintf(why, SP_SIM_WHY, "no element is behind that face"), false);
}

// where the point is in the rest shape; of what has none, where it is now
static void find_rest(sp_sim *s, const sp_sim_body *body, sp_sim_hand *h) {
    sp_field_info info;
    double *u = NULL;
    if (sp_world_anchor_get(s->stage.world, &h->anchor, h->rest, NULL) < 0) return;
    if (!body->tets || sp_world_field_info(s->stage.world, body->id, "displacement", &info) < 0) return;
    u = sp__sim_numbers(s, 3 * (size_t)info.count);
    if (!u || sp_world_field(s->stage.world, body->id, "displacement", u) < 0) return;
    const int *n = body->tets + 4 * (size_t)h->anchor.elem;
    const double *a = h->anchor.at;
    const double w[4] = {1 - a[0] - a[1] - a[2], a[0], a[1], a[2]};
    for (int k = 0; k < 4; k++)
        for (int i = 0; i < 3; i++) h->rest[i] -= w[k] * u[3 * (size_t)n[k] + (size_t)i];
}

bool sp__sim_pick(sp_sim *s, const sp_message *m, sp_sim_hand *out, char *why) {
    const sp_sim_body *body = sp__sim_body(s, m->body);
    if (!body) return snprintf(why, SP_SIM_WHY, "there is no body %lld", (long long)m->body), false;
    if (body->kind == SP_SIM_RIGID) return snprintf(why, SP_SIM_WHY, "a rigid body cannot be dragged"), false;
    const sp_snapshot *shot = sp_world_snapshot_acquire(s->stage.world);
    *out = (sp_sim_hand){.body = body->id};
    bool good = shot && find_anchor(body, shot, m, &out->anchor, why);
    sp_world_snapshot_release(s->stage.world, shot);
    if (good) find_rest(s, body, out);
    return good;
}
