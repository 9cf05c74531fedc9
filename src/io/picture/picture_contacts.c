// Contacts by constraints and links in a picture. Contacts: a ball at each point, and an arrow along the force that it exerts.
// Links: a ball at each tied point, and a line to the point of the other body. Both are between surfaces, where bodies hide them:
// their marks are drawn in front of everything (picture_marks.c).
#include <stdio.h>

#include "io/picture/picture.h"
#include "math/vec3.h"

static const double arrow_share = 0.18;  // length of the longest arrow, relative to the size of the bodies
static const double least_share = 0.02;  // arrows of weaker forces, relative to the largest one, would be dots

static bool is_prescribed(sp_world *world, sp_body_id id) {
    sp_body_info info;
    return sp_world_body_info(world, id, &info) >= 0 && info.prescribed;
}

static bool is_shown(sp_world *world, const sp_run *run, const sp_body_id bodies[2]) {
    for (int s = 0; s < 2; s++) {
        sp_body_info info;
        if (sp_world_body_info(world, bodies[s], &info) >= 0 && sp__picture_shows_body(run, info.name)) return true;
    }
    return false;
}

// the force on the first body, or on the second if nothing moves the first
static void arrow_of(sp_world *world, const sp_contact_point *p, double scale, sp_arrow *out) {
    const bool second = is_prescribed(world, p->bodies[0]) && !is_prescribed(world, p->bodies[1]);
    memcpy(out->from, p->point, sizeof out->from);
    sp__axpy3(p->point, second ? -scale : scale, p->force, out->to);
}

double sp__picture_largest_force(const sp_snapshot *snapshot) {
    double largest = 0;
    for (int i = 0; i < snapshot->contact_count; i++) largest = fmax(largest, sp__norm3(snapshot->contacts[i].force));
    return largest;
}

static sp_status reserve_contacts(sp_context *ctx, sp_soup *s, int count) {
    sp_arrow *fresh;
    if (count == 0) return SP_OK;
    if (!SP_NEW(ctx, fresh, (size_t)count)) return SP_NO_MEMORY;
    sp__free(ctx, s->contacts);
    s->contacts = fresh, s->contact_count = 0;
    return SP_OK;
}

static void contact_words(sp_drawing *d, int count, double largest) {
    const char *prefix;
    double unit = sp__si_prefix(largest, &prefix);
    if (count == 0)
        snprintf(d->contacts, sizeof d->contacts, "no contacts");
    else
        snprintf(d->contacts, sizeof d->contacts, "%d contact%s, longest arrow %.3g %sN", count, count == 1 ? "" : "s",
                 largest * unit, prefix);
}

sp_status sp__picture_contacts(sp_context *ctx, sp_world *world, const sp_snapshot *snapshot, const sp_run *run,
                               const sp_picture_def *def, sp_drawing *d) {
    sp_soup *s = &d->soup;
    double largest = sp__picture_largest_force(snapshot);
    if (def->extent) largest = fmax(largest, def->extent->force);
    SP_TRY(reserve_contacts(ctx, s, snapshot->contact_count));
    for (int i = 0; i < snapshot->contact_count; i++) {
        const sp_contact_point *p = &snapshot->contacts[i];
        sp_arrow *a = &s->contacts[s->contact_count];
        if (run && !is_shown(world, run, p->bodies)) continue;
        if (d->clip && sp__clip_distance(d, p->point) > 0) continue;
        const bool weak = !(sp__norm3(p->force) > least_share * largest);
        arrow_of(world, p, weak ? 0 : arrow_share * d->size / largest, a);
        s->contact_count++;
    }
    contact_words(d, s->contact_count, largest);
    // both ends are fitted into the view
    SP_TRY(sp__soup_reserve(ctx, s, 2 * s->contact_count, 0, 0));
    for (int i = 0; i < s->contact_count; i++) {
        memcpy(s->x + 3 * (size_t)s->vertex_count++, s->contacts[i].from, sizeof s->contacts[i].from);
        memcpy(s->x + 3 * (size_t)s->vertex_count++, s->contacts[i].to, sizeof s->contacts[i].to);
    }
    return SP_OK;
}

sp_status sp__picture_links(sp_context *ctx, sp_world *world, const sp_snapshot *snapshot, const sp_run *run, sp_drawing *d) {
    sp_soup *s = &d->soup;
    if (snapshot->link_count == 0) return SP_OK;
    sp__free(ctx, s->links);
    s->link_count = 0;
    if (!SP_NEW(ctx, s->links, (size_t)snapshot->link_count)) return SP_NO_MEMORY;
    for (int i = 0; i < snapshot->link_count; i++) {
        const sp_snapshot_link *p = &snapshot->links[i];
        if (run && !is_shown(world, run, p->bodies)) continue;
        if (d->clip && sp__clip_distance(d, p->a) > 0) continue;
        sp_arrow *a = &s->links[s->link_count++];
        memcpy(a->from, p->a, sizeof a->from), memcpy(a->to, p->b, sizeof a->to);
    }
    return SP_OK;
}
