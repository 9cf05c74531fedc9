// Contacts by constraints of the last step, for queries: the list that the world keeps.
#include "math/vec3.h"
#include "world/world_internal.h"

sp_status sp__world_contacts_reserve(sp_world *w) {
    return sp__contacts_reserve(w->ctx, &w->contacts, sp__constraints_found(w->constraints));
}

void sp__world_contacts_take(sp_world *w) {
    const bool any = w->has_contact && w->contact.formulation == SP_CONTACT_PROXIMITY;
    w->contacts.count = any ? sp__constraints_count(w->constraints) : 0;
    for (int i = 0; i < w->contacts.count; i++) sp__constraints_at(w->constraints, i, &w->contacts.list[i]);
    sp__contacts_finish(&w->contacts);
}

void sp__world_contacts_forget(sp_world *w, int multipliers) {
    w->contacts.count = 0;
    if (w->constraints) sp__constraints_keep(w->constraints, multipliers);
}

int sp_world_contact_count(const sp_world *w) {
    return w->contacts.count;
}

sp_status sp_world_contact_at(const sp_world *w, int index, sp_contact_point *out) {
    if (index < 0 || index >= w->contacts.count)
        return WORLD_FAIL((sp_world *)w, SP_BAD_INPUT, "contact %d, must be in [0, %d)", index, w->contacts.count);
    *out = w->contacts.list[index].point;
    return SP_OK;
}

sp_status sp_world_contact_sum(sp_world *w, sp_body_id id, sp_contact_sum *out) {
    SP_TRY(sp__world_enter(w));
    sp_status status = SP_OK;
    if (id.slot && !sp__world_body(w, id))
        status = WORLD_FAIL(w, SP_BAD_ID, "body id (%u, %u) is null or stale", (unsigned)id.slot, (unsigned)id.generation);
    else
        sp__contacts_sum(&w->contacts, id, out);
    return sp__world_leave(w, status);
}

static sp_status contacts_check(sp_world *w, const sp_contact_point *p, int index) {
    for (int s = 0; s < 2; s++)
        if (!sp__world_body(w, p->bodies[s]))
            return WORLD_FAIL(w, SP_BAD_ID, "contact %d: body id (%u, %u) is null or stale", index, (unsigned)p->bodies[s].slot,
                              (unsigned)p->bodies[s].generation);
    for (int a = 0; a < 3; a++)
        if (!isfinite(p->point[a]) || !isfinite(p->normal[a]) || !isfinite(p->force[a]))
            return WORLD_FAIL(w, SP_NOT_FINITE, "contact %d: its point, normal or force is not finite", index);
    return SP_OK;
}

// the vertex nearest to a point
static uint32_t nearest_vertex(const double *x, int count, const double point[3]) {
    double least = INFINITY, d[3];
    uint32_t best = 0;
    for (int i = 0; i < count; i++) {
        sp__sub3(x + 3 * (size_t)i, point, d);
        if (sp__dot3(d, d) < least) least = sp__dot3(d, d), best = (uint32_t)i;
    }
    return best;
}

// Given contacts name no vertices: each acts at the nearest vertex of the boundary, for the fields at nodes.
static sp_status contacts_attach(sp_world *w, sp_body *b) {
    sp_surface *s = b->surface_count ? b->surfaces[0] : NULL;
    bool any = false;
    for (int i = 0; i < w->contacts.count; i++)
        for (int side = 0; side < 2; side++) any = any || w->contacts.list[i].point.bodies[side].slot == b->id.slot;
    if (!any || !s || !s->nodes || s->face_count == 0) return SP_OK;
    SP_TRY(sp__surface_prepare(w->ctx, s));
    sp__surface_positions(b, s, SP_COMMITTED, s->x, NULL, NULL);
    for (int i = 0; i < w->contacts.count; i++)
        for (int side = 0; side < 2; side++) {
            sp_contact_record *r = &w->contacts.list[i];
            const double sign = side == 0 ? -1 : 1, *n = r->point.normal, away[3] = {sign * n[0], sign * n[1], sign * n[2]};
            if (r->point.bodies[side].slot != b->id.slot) continue;
            r->side[side] = (sp_contact_patch){.surface = s, .body = b, .count = 1, .weight = {1}};
            r->side[side].vertex[0] = nearest_vertex(s->x, s->vertex_count, r->point.point);
            sp__contacts_areas(s->x, away, &r->side[side]);
        }
    return SP_OK;
}

static sp_status contacts_set(sp_world *w, const sp_contact_point *contacts, int count) {
    if (count < 0) return WORLD_FAIL(w, SP_BAD_INPUT, "%d contacts, must be >= 0", count);
    for (int i = 0; i < count; i++) SP_TRY(contacts_check(w, &contacts[i], i));
    SP_TRY(sp__contacts_reserve(w->ctx, &w->contacts, count));
    w->contacts.count = count;
    for (int i = 0; i < count; i++)
        w->contacts.list[i] =
            (sp_contact_record){.point = contacts[i], .normal_force = sp__dot3(contacts[i].force, contacts[i].normal)};
    for (int i = 0; i < w->body_count; i++) {
        sp_status status = contacts_attach(w, w->bodies[i]);
        if (status >= 0) continue;
        w->contacts.count = 0;
        return sp__world_body_failed(w, w->bodies[i], status);
    }
    return SP_OK;
}

sp_status sp_world_set_contacts(sp_world *w, const sp_contact_point *contacts, int count) {
    SP_TRY(sp__world_enter(w));
    return sp__world_leave(w, contacts_set(w, contacts, count));
}
