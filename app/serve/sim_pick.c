// Picking: from a point on a face, as a client saw it, to a material point (anchor) of a body. It happens once at the start of a
// drag, which then keeps the anchor.
#include <string.h>

#include "serve/sim_internal.h"

static const sp_snapshot_body *find_body(const sp_snapshot *snapshot, int64_t slot) {
    for (int i = 0; i < snapshot->body_count; i++)
        if (snapshot->bodies[i].id.slot == slot) return &snapshot->bodies[i];
    return NULL;
}

static bool find_anchor(sp_world *w, const sp_snapshot *snapshot, const sp_message *m, sp_anchor *out, char *why) {
    const sp_snapshot_body *b = find_body(snapshot, m->body);
    if (!b || m->surface >= b->surface_count)
        return snprintf(why, SP_SIM_WHY, "body %lld has no surface %lld", (long long)m->body, (long long)m->surface), false;
    const sp_snapshot_surface *v = &b->surfaces[m->surface];
    if ((m->given & SP_GIVEN_REVISION) && m->revision != v->revision)
        return snprintf(why, SP_SIM_WHY, "revision %lld is not the one shown now, %u", (long long)m->revision, v->revision),
               false;
    if (m->face >= v->face_count)
        return snprintf(why, SP_SIM_WHY, "face = %lld, must be in [0, %d)", (long long)m->face, v->face_count), false;
    return sp_world_anchor_face(w, b->id, (int)m->surface, (int)m->face, m->weights, out) >= 0 ||
           (snprintf(why, SP_SIM_WHY, "no element is behind that face"), false);
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
    bool good = snapshot && find_anchor(s->stage.world, snapshot, m, &out->anchor, why);
    sp_world_snapshot_release(s->stage.world, snapshot);
    // a body without rest positions counts displacements from the current one
    if (good && sp_world_anchor_rest(s->stage.world, &out->anchor, out->rest) < 0)
        sp_world_anchor_get(s->stage.world, &out->anchor, out->rest, NULL);
    return good;
}
