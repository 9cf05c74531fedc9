// Snapshots: the published state for readers in other threads. A fixed set of slots with reader counts: the step fills one that
// is neither the newest nor in use, then makes it the newest; readers acquire only the newest. If no slot is free, the snapshot
// is skipped and counted.
//
// Fields of bodies are in snapshots where a reader has asked for them; a slot keeps memory for them from then on.
//
// The topology of a surface is shared with the body by reference count, so that a reader may keep a snapshot of a body that has
// been removed. Only the step thread changes these counts. Changed positions are detected once, here, by comparison with the
// previous snapshot.
#include <assert.h>
#include <stdio.h>

#include "world/world_internal.h"

// ---------------------------------------------------------------------------------------------------- memory

static sp_status reserve_parts(sp_world *w, sp_snapshot_slot *snapshot) {
    if (w->body_count <= snapshot->body_capacity) return SP_OK;
    int capacity = w->body_capacity;
    sp_snapshot_slot_body *parts = sp__alloc(w->ctx, (size_t)capacity, sizeof *parts);
    sp_snapshot_body *bodies = sp__alloc(w->ctx, (size_t)capacity, sizeof *bodies);
    if (!parts || !bodies) {
        sp__free(w->ctx, parts), sp__free(w->ctx, bodies);
        return SP_NO_MEMORY;
    }
    if (snapshot->body_capacity) memcpy(parts, snapshot->parts, (size_t)snapshot->body_capacity * sizeof *parts);
    sp__free(w->ctx, snapshot->parts), sp__free(w->ctx, snapshot->bodies);
    snapshot->parts = parts;
    snapshot->bodies = bodies;
    snapshot->body_capacity = capacity;
    return SP_OK;
}

// the list of surfaces; references to the previous surfaces are kept until they are replaced
static sp_status reserve_surface_list(sp_world *w, sp_snapshot_slot_body *part, int count) {
    if (count <= part->surface_capacity) return SP_OK;
    sp_snapshot_slot_surface *surfaces = sp__alloc(w->ctx, (size_t)count, sizeof *surfaces);
    sp_snapshot_surface *view = sp__alloc(w->ctx, (size_t)count, sizeof *view);
    if (!surfaces || !view) {
        sp__free(w->ctx, surfaces), sp__free(w->ctx, view);
        return SP_NO_MEMORY;
    }
    if (part->surface_capacity) memcpy(surfaces, part->surfaces, (size_t)part->surface_capacity * sizeof *surfaces);
    sp__free(w->ctx, part->surfaces), sp__free(w->ctx, part->view);
    part->surfaces = surfaces, part->view = view;
    part->surface_capacity = count;
    return SP_OK;
}

static sp_status reserve_surface(sp_world *w, sp_snapshot_slot_surface *shown, sp_surface *surface, bool normals) {
    size_t n = 3 * (size_t)surface->vertex_count;
    float *x = NULL, *normal = NULL;
    if (shown->surface != surface) {
        surface->refs++;
        sp__surface_release(w->ctx, &shown->surface);
        shown->surface = surface;
    }
    if (surface->vertex_count <= shown->vertex_capacity && (shown->normals || !normals)) return SP_OK;
    if (!SP_NEW(w->ctx, x, n + 1) || (normals && !SP_NEW(w->ctx, normal, n + 1))) {
        sp__free(w->ctx, x);
        return SP_NO_MEMORY;
    }
    sp__free(w->ctx, shown->positions), sp__free(w->ctx, shown->normals);
    shown->positions = x, shown->normals = normal;
    shown->vertex_capacity = surface->vertex_count;
    return SP_OK;
}

static sp_status reserve_body_surfaces(sp_world *w, const sp_body *b, sp_snapshot_slot_body *part) {
    SP_TRY(reserve_surface_list(w, part, b->surface_count));
    for (int i = 0; i < b->surface_count; i++) SP_TRY(reserve_surface(w, &part->surfaces[i], b->surfaces[i], i > 0));
    for (int i = b->surface_count; i < part->surface_capacity; i++) sp__surface_release(w->ctx, &part->surfaces[i].surface);
    return SP_OK;
}

// ---- fields

// the fields of a body that snapshots contain: the next one from `at` on, NULL: no more
static const sp_field *next_published(sp_world *w, const sp_body *b, int *at) {
    static_assert(SP_FIELD_COUNT <= 64, "one bit for each field");
    const uint64_t published = sp__world_slot(w, b)->published;
    while (*at < b->ops->field_count) {
        const sp_field *field = &b->ops->fields[(*at)++];
        if (published >> field->id & 1) return field;
    }
    return NULL;
}

static sp_status reserve_field_list(sp_world *w, sp_snapshot_slot_body *part, int count) {
    if (count <= part->field_capacity) return SP_OK;
    sp_snapshot_slot_field *fields = sp__alloc(w->ctx, (size_t)count, sizeof *fields);
    sp_snapshot_field *view = sp__alloc(w->ctx, (size_t)count, sizeof *view);
    if (!fields || !view) {
        sp__free(w->ctx, fields), sp__free(w->ctx, view);
        return SP_NO_MEMORY;
    }
    if (part->field_capacity) memcpy(fields, part->fields, (size_t)part->field_capacity * sizeof *fields);
    sp__free(w->ctx, part->fields), sp__free(w->ctx, part->field_view);
    part->fields = fields, part->field_view = view;
    part->field_capacity = count;
    return SP_OK;
}

static sp_status reserve_fields(sp_world *w, const sp_body *b, sp_snapshot_slot_body *part) {
    int count = 0;
    for (int at = 0; next_published(w, b, &at); count++) continue;
    SP_TRY(reserve_field_list(w, part, count));
    for (int i = 0, at = 0; i < count; i++) {
        sp_field_info info;
        sp__body_field_info(b, next_published(w, b, &at), &info);
        const size_t n = (size_t)info.count * (size_t)info.components;
        sp_snapshot_slot_field *field = &part->fields[i];
        if (n <= field->capacity) continue;
        double *values = sp__alloc(w->ctx, n, sizeof *values);
        if (!values) return SP_NO_MEMORY;
        sp__free(w->ctx, field->values);
        field->values = values, field->capacity = n;
    }
    return SP_OK;
}

// as many as the list of the world can hold, so that a slot grows only when the list does
static sp_status reserve_contacts(sp_world *w, sp_snapshot_slot *snapshot) {
    if (w->contacts.capacity <= snapshot->contact_capacity) return SP_OK;
    sp_contact_point *fresh = sp__alloc(w->ctx, (size_t)w->contacts.capacity, sizeof *fresh);
    if (!fresh) return SP_NO_MEMORY;
    sp__free(w->ctx, snapshot->contacts);
    snapshot->contacts = fresh, snapshot->contact_capacity = w->contacts.capacity;
    return SP_OK;
}

static sp_status reserve_links(sp_world *w, sp_snapshot_slot *snapshot) {
    const int count = sp__world_link_points(w);
    if (count <= snapshot->link_capacity) return SP_OK;
    sp_snapshot_link *fresh = sp__alloc(w->ctx, (size_t)count, sizeof *fresh);
    if (!fresh) return SP_NO_MEMORY;
    sp__free(w->ctx, snapshot->links);
    snapshot->links = fresh, snapshot->link_capacity = count;
    return SP_OK;
}

static sp_status reserve_snapshot(sp_world *w, sp_snapshot_slot *snapshot) {
    SP_TRY(reserve_parts(w, snapshot));
    SP_TRY(reserve_contacts(w, snapshot));
    SP_TRY(reserve_links(w, snapshot));
    for (int i = 0; i < w->body_count; i++) {
        SP_TRY(reserve_body_surfaces(w, w->bodies[i], &snapshot->parts[i]));
        SP_TRY(reserve_fields(w, w->bodies[i], &snapshot->parts[i]));
    }
    return SP_OK;
}

// true if no reader can access the slot
static bool unreachable(sp_world *w, int slot) {
    pthread_mutex_lock(&w->snapshot_lock);
    bool ok = slot != w->newest && w->snapshot_slots[slot].readers == 0;
    pthread_mutex_unlock(&w->snapshot_lock);
    return ok;
}

sp_status sp__snapshots_reserve(sp_world *w) {
    for (int i = 0; w->def.snapshots && i < w->def.snapshot_slots; i++)
        if (unreachable(w, i) && reserve_snapshot(w, &w->snapshot_slots[i]) < 0)
            return WORLD_FAIL(w, SP_NO_MEMORY, "no memory for snapshots");
    return SP_OK;
}

// ---------------------------------------------------------------------------------------------------- filling

// the surface in the newest snapshot; NULL: none
static const sp_snapshot_surface *seen_before(const sp_world *w, const sp_body *b, int body, int surface) {
    if (w->newest < 0) return NULL;
    const sp_snapshot *last = &w->snapshot_slots[w->newest].view;
    // bodies keep their order; bodies removed since can only move this one to a lower index
    for (int i = body; i < last->body_count; i++) {
        const sp_snapshot_body *there = &last->bodies[i];
        if (there->id.slot != b->id.slot || there->id.generation != b->id.generation) continue;
        return surface < there->surface_count ? &there->surfaces[surface] : NULL;
    }
    return NULL;
}

static bool has_moved(const sp_snapshot_surface *before, const sp_snapshot_slot_surface *now) {
    const sp_surface *s = now->surface;
    if (!before || before->revision != s->revision || before->vertex_count != s->vertex_count) return true;
    return s->vertex_count > 0 && memcmp(before->positions, now->positions, 3 * (size_t)s->vertex_count * sizeof(float)) != 0;
}

static void fill_positions(sp_body *b, const sp_snapshot_slot_surface *shown, bool normals) {
    sp_surface *s = shown->surface;
    sp__surface_positions(b, s, SP_COMMITTED, normals ? s->x : NULL, shown->positions, NULL);
    if (normals) sp__surface_normals(b->ctx, s, NULL, shown->normals);
}

static void fill_surface(sp_world *w, int body, int surface, const sp_snapshot_slot_surface *shown, sp_snapshot_surface *out) {
    sp_body *b = w->bodies[body];
    const sp_surface *s = shown->surface;
    const sp_snapshot_surface *before = seen_before(w, b, body, surface);
    fill_positions(b, shown, surface > 0);
    *out = (sp_snapshot_surface){.name = s->name,
                                 .roles = surface == 0 ? sp__boundary_roles(b) : s->roles,
                                 .revision = s->revision,
                                 .moved = has_moved(before, shown) ? ++w->moves : before->moved,
                                 .vertex_count = s->vertex_count,
                                 .positions = shown->positions,
                                 .normals = surface > 0 ? shown->normals : NULL,
                                 .face_count = s->face_count,
                                 .faces = s->faces,
                                 .anchors = s->anchors,
                                 .nodes = s->nodes,
                                 .stripes = s->stripes,
                                 .ring_count = s->ring_count,
                                 .rings = s->rings,
                                 .texcoords = s->texcoords,
                                 .colors = s->colors};
}

// results of the energy balance of the last step; before the first step only the geometry
static void fill_health(sp_body *b, sp_snapshot_body *out) {
    sp_balance *n = &b->balance[SP_COMMITTED];
    sp_energies now = n->at;
    if (!b->ops->energies) {
        out->elastic = out->appeared = NAN;
        return;
    }
    if (!n->known || b->energy_stale) b->ops->energies(b, SP_COMMITTED, &now);
    out->inverted = (int)now.inverted;
    out->volume_lost = 1 - now.volume / now.rest_volume;
    out->penetration = n->penetration;
    out->kinetic = now.kinetic, out->elastic = now.elastic;
    out->potential = sp__balance_potential(n), out->contact = n->contact;
    out->appeared = isnan(now.elastic) ? NAN : n->appeared;
    out->work = (sp_work){n->work[0], n->work[1], n->work[2], n->work[3], n->work[4]};
}

static int fill_fields(sp_world *w, sp_body *b, sp_snapshot_slot_body *part) {
    const sp_step step = sp__body_step(b, &w->step);
    int count = 0, at = 0;
    for (const sp_field *field = next_published(w, b, &at); field; field = next_published(w, b, &at), count++) {
        sp_field_info info;
        sp__body_field_info(b, field, &info);
        const bool done = field->fill(b, &step, field->id, part->fields[count].values) >= 0;
        part->field_view[count] = (sp_snapshot_field){.name = info.name,
                                                      .count = done ? info.count : 0,
                                                      .components = info.components,
                                                      .values = part->fields[count].values};
    }
    return count;
}

static void fill_body(sp_world *w, int body, sp_snapshot_slot_body *part, sp_snapshot_body *out) {
    sp_body *b = w->bodies[body];
    for (int i = 0; i < b->surface_count; i++) fill_surface(w, body, i, &part->surfaces[i], &part->view[i]);
    memcpy(part->name, b->name, sizeof part->name);
    *out = (sp_snapshot_body){.id = b->id, .name = part->name, .surface_count = b->surface_count, .surfaces = part->view};
    out->field_count = fill_fields(w, b, part), out->fields = part->field_view;
    fill_health(b, out);
}

static void fill_snapshot(sp_world *w, sp_snapshot_slot *snapshot) {
    for (int i = 0; i < w->body_count; i++) fill_body(w, i, &snapshot->parts[i], &snapshot->bodies[i]);
    for (int i = 0; i < w->contacts.count; i++) snapshot->contacts[i] = w->contacts.list[i].point;
    sp__world_link_snapshot(w, snapshot->links);
    memcpy(snapshot->events, w->events->list, (size_t)w->events->count * sizeof *snapshot->events);
    snapshot->view = (sp_snapshot){.step = w->steps,
                                   .time = w->time,
                                   .hash = w->hash,
                                   .body_count = w->body_count,
                                   .bodies = snapshot->bodies,
                                   .event_count = w->events->count,
                                   .events = snapshot->events,
                                   .contact_count = w->contacts.count,
                                   .contacts = snapshot->contacts,
                                   .link_count = sp__world_link_points(w),
                                   .links = snapshot->links,
                                   .skipped = w->skipped,
                                   .reservations = w->trial.reservations};
    memcpy(snapshot->view.stage_ms, w->trial.stage_ms, sizeof snapshot->view.stage_ms);
}

void sp__snapshot_publish(sp_world *w) {
    int slot = 0;
    while (slot < w->def.snapshot_slots && !unreachable(w, slot)) slot++;
    if (slot == w->def.snapshot_slots || reserve_snapshot(w, &w->snapshot_slots[slot]) < 0) {
        w->skipped++;
        return;
    }
    fill_snapshot(w, &w->snapshot_slots[slot]);
    pthread_mutex_lock(&w->snapshot_lock);
    w->newest = slot;
    pthread_mutex_unlock(&w->snapshot_lock);
}

static void free_snapshot_body(sp_world *w, sp_snapshot_slot_body *part) {
    for (int i = 0; i < part->surface_capacity; i++) {
        sp__surface_release(w->ctx, &part->surfaces[i].surface);
        sp__free(w->ctx, part->surfaces[i].positions), sp__free(w->ctx, part->surfaces[i].normals);
    }
    sp__free(w->ctx, part->surfaces), sp__free(w->ctx, part->view);
    for (int i = 0; i < part->field_capacity; i++) sp__free(w->ctx, part->fields[i].values);
    sp__free(w->ctx, part->fields), sp__free(w->ctx, part->field_view);
}

void sp__snapshots_free(sp_world *w) {
    for (int i = 0; w->snapshot_slots && i < w->def.snapshot_slots; i++) {
        sp_snapshot_slot *snapshot = &w->snapshot_slots[i];
        for (int k = 0; k < snapshot->body_capacity; k++) free_snapshot_body(w, &snapshot->parts[k]);
        sp__free(w->ctx, snapshot->parts), sp__free(w->ctx, snapshot->bodies), sp__free(w->ctx, snapshot->contacts);
        sp__free(w->ctx, snapshot->links);
    }
}

static sp_status publish_field(sp_world *w, sp_body *b, const char *name, bool published) {
    sp_field_info info;
    const sp_status known = sp__body_field_get(b, &w->step, name, &info, NULL);
    if (known < 0) return sp__world_body_failed(w, b, known);
    uint64_t *bits = &sp__world_slot(w, b)->published;
    const uint64_t before = *bits, bit = (uint64_t)1 << sp__body_field(b, name)->id;
    *bits = published ? before | bit : before & ~bit;
    const sp_status status = sp__snapshots_reserve(w);
    if (status < 0) *bits = before;
    return status;
}

sp_status sp_world_publish_field(sp_world *w, sp_body_id id, const char *field, bool published) {
    SP_TRY(sp__world_enter(w));
    sp_body *b = sp__world_body(w, id);
    return sp__world_leave(w, b ? publish_field(w, b, field, published) : sp__world_stale(w, id));
}

sp_status sp_world_publish(sp_world *w) {
    SP_TRY(sp__world_enter(w));
    sp_status status = sp__snapshots_reserve(w);
    if (status >= 0) sp__snapshot_publish(w);
    return sp__world_leave(w, status);
}

// ---------------------------------------------------------------------------------------------------- readers

const sp_snapshot *sp_world_snapshot_acquire(sp_world *w) {
    pthread_mutex_lock(&w->snapshot_lock);
    sp_snapshot_slot *snapshot = w->newest >= 0 ? &w->snapshot_slots[w->newest] : NULL;
    if (snapshot) snapshot->readers++;
    pthread_mutex_unlock(&w->snapshot_lock);
    return snapshot ? &snapshot->view : NULL;
}

void sp_world_snapshot_release(sp_world *w, const sp_snapshot *snapshot) {
    if (!snapshot) return;
    pthread_mutex_lock(&w->snapshot_lock);
    for (int i = 0; i < w->def.snapshot_slots; i++)
        if (&w->snapshot_slots[i].view == snapshot && w->snapshot_slots[i].readers > 0) w->snapshot_slots[i].readers--;
    pthread_mutex_unlock(&w->snapshot_lock);
}
