// See sight.h.
#include "serve/sight.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// a role that nothing riding has is the boundary's own; what the engine computes with is always the boundary
static unsigned own_roles(const sp_snapshot_body *b) {
    unsigned taken = 0;
    for (int i = 0; i < b->surface_count; i++) taken |= b->surfaces[i].roles;
    return SP_SHOW_MECHANICAL | (taken & SP_ROLE_VISUAL ? 0u : SP_SHOW_VISUAL) |
           (taken & SP_ROLE_COLLISION ? 0u : SP_SHOW_COLLISION);
}

void sp__surface_view(const sp_snapshot_body *b, int surface, sp_surface_view *out) {
    if (surface == 0) {
        *out = (sp_surface_view){"boundary", own_roles(b), b->revision, b->vertex_count, b->face_count, b->positions,
                                 b->faces,   b->nodes,     NULL,        b->stripes,      NULL};
        return;
    }
    const sp_snapshot_surface *r = &b->surfaces[surface - 1];
    unsigned roles = (r->roles & SP_ROLE_VISUAL ? SP_SHOW_VISUAL : 0u) | (r->roles & SP_ROLE_COLLISION ? SP_SHOW_COLLISION : 0u);
    *out = (sp_surface_view){r->name, roles,     r->revision, r->vertex_count, r->face_count, r->positions, r->faces,
                             NULL,    r->colors, NULL,        r->anchors};
}

void sp__sight_forget(sp_sight *s) {
    s->count = 0;
}

void sp__sight_free(sp_sight *s) {
    free(s->seen);
    *s = (sp_sight){0};
}

static sp_seen *find_seen(sp_sight *s, uint32_t body, uint32_t surface) {
    for (int i = 0; i < s->count; i++)
        if (s->seen[i].body == body && s->seen[i].surface == surface) return &s->seen[i];
    return NULL;
}

static sp_seen *add_seen(sp_sight *s, uint32_t body, uint32_t surface) {
    if (s->count == s->capacity) {
        int capacity = s->capacity ? 2 * s->capacity : 16;
        sp_seen *seen = realloc(s->seen, (size_t)capacity * sizeof *seen);
        if (!seen) return NULL;
        s->seen = seen, s->capacity = capacity;
    }
    s->seen[s->count] = (sp_seen){body, surface, 0, 0};
    return &s->seen[s->count++];
}

// another generation: nothing of what was sent holds any more
static void enter(sp_sight *s, const sp_sim_frame *frame) {
    if (s->generation == frame->generation) return;
    s->generation = frame->generation;
    sp__sight_forget(s);
}

static bool shown(const sp_sight *s, const sp_surface_view *v) {
    return (v->roles & s->roles) != 0 && v->face_count > 0;
}

bool sp__sight_topology(sp_sight *s, const sp_sim_frame *frame, sp_bytes *out) {
    const sp_snapshot *shot = frame->snapshot;
    enter(s, frame);
    for (int i = 0; i < shot->body_count; i++)
        for (int k = 0; k <= shot->bodies[i].surface_count; k++) {
            sp_surface_view v;
            uint32_t body = shot->bodies[i].id.slot;
            sp__surface_view(&shot->bodies[i], k, &v);
            if (!shown(s, &v)) continue;
            sp_seen *seen = find_seen(s, body, (uint32_t)k);
            if (seen && seen->revision == v.revision) continue;
            if (!seen && !(seen = add_seen(s, body, (uint32_t)k))) return out->broken = true, false;
            seen->revision = v.revision, seen->mark = 0;
            sp_frame_topology t = {.generation = frame->generation,
                                   .body = body,
                                   .surface = (uint32_t)k,
                                   .revision = v.revision,
                                   .vertex_count = (uint32_t)v.vertex_count,
                                   .face_count = (uint32_t)v.face_count,
                                   .faces = v.faces,
                                   .nodes = v.nodes,
                                   .colours = v.colours,
                                   .stripes = v.stripes};
            sp__frame_topology(out, &t);
            return true;
        }
    return false;
}

// ---------------------------------------------------------------------------------------------------- states

// a number that changes with any of the values, never 0
static uint64_t mark_of(const float *values, size_t count, uint64_t mark) {
    for (size_t i = 0; i + 1 < count; i += 2) {
        uint64_t word;
        memcpy(&word, values + i, sizeof word);
        mark = (mark ^ word) * 0x9e3779b97f4a7c15u;
        mark ^= mark >> 29;
    }
    if (count % 2) {
        uint32_t word;
        memcpy(&word, values + count - 1, sizeof word);
        mark = (mark ^ word) * 0x9e3779b97f4a7c15u;
    }
    return mark ? mark : 1;
}

static void widen(const float *values, int count, sp_frame_state *head) {
    for (int i = 0; i < count; i++) {
        if (values[i] < head->least || isnan(head->least)) head->least = values[i];
        if (values[i] > head->greatest || isnan(head->greatest)) head->greatest = values[i];
    }
}

static void add_surface(sp_sight *s, const sp_surface_view *v, uint32_t body, int surface, const float *values, sp_bytes *out,
                        sp_frame_state *head) {
    sp_seen *seen = find_seen(s, body, (uint32_t)surface);
    if (values) widen(values, v->vertex_count, head);
    uint64_t mark = mark_of(v->positions, 3 * (size_t)v->vertex_count, 7);
    if (values) mark = mark_of(values, (size_t)v->vertex_count, mark);
    if (seen && seen->mark == mark && !s->all) {
        head->flags &= ~(uint32_t)SP_STATE_ALL;
        return;
    }
    if (seen) seen->mark = mark;
    sp_frame_surface f = {body, (uint32_t)surface, v->revision, (uint32_t)v->vertex_count, v->positions, values};
    sp__frame_surface(out, &f);
    head->surface_count++;
}

void sp__sight_state(sp_sight *s, const sp_sim_frame *frame, sp_bytes *out) {
    const sp_snapshot *shot = frame->snapshot;
    const float *values = s->colour > 0 && s->colour < SP_FIELD_CODES ? frame->fields[s->colour] : NULL;
    size_t offset = 0;
    enter(s, frame);
    if (s->number && frame->number > s->number + 1) s->dropped += (uint32_t)(frame->number - s->number - 1);
    s->number = frame->number;
    sp_frame_state head = {.generation = frame->generation,
                           .step = shot->step,
                           .hash = shot->hash,
                           .time = shot->time,
                           .flags = SP_STATE_ALL,
                           .field = values ? (uint32_t)s->colour : 0,
                           .least = NAN,
                           .greatest = NAN,
                           .dropped = s->dropped};
    size_t at = sp__frame_begin(out, &head);
    for (int i = 0; i < shot->body_count; i++)
        for (int k = 0; k <= shot->bodies[i].surface_count; k++) {
            sp_surface_view v;
            sp__surface_view(&shot->bodies[i], k, &v);
            if (shown(s, &v)) add_surface(s, &v, shot->bodies[i].id.slot, k, values ? values + offset : NULL, out, &head);
            offset += (size_t)v.vertex_count;
        }
    if (isnan(head.least) || isnan(head.greatest)) head.least = head.greatest = 0;
    sp__frame_end(out, at, &head);
}
