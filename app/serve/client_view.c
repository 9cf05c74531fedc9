// The view of one client: what was sent to it, and the surfaces and values of the next message (client_view.h).
#include "serve/client_view.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// marks everything as not sent
static void client_view_forget(sp_client_view *s) {
    s->count = 0;
}

void sp__client_view_free(sp_client_view *s) {
    free(s->seen);
    *s = (sp_client_view){0};
}

static sp_seen *find_seen(sp_client_view *s, uint32_t body, uint32_t surface) {
    for (int i = 0; i < s->count; i++)
        if (s->seen[i].body == body && s->seen[i].surface == surface) return &s->seen[i];
    return NULL;
}

static sp_seen *add_seen(sp_client_view *s, uint32_t body, uint32_t surface) {
    if (s->count == s->capacity) {
        int capacity = s->capacity ? 2 * s->capacity : 16;
        sp_seen *seen = realloc(s->seen, (size_t)capacity * sizeof *seen);
        if (!seen) return NULL;
        s->seen = seen, s->capacity = capacity;
    }
    s->seen[s->count] = (sp_seen){.body = body, .surface = surface};
    return &s->seen[s->count++];
}

// a new generation of the simulation: everything must be sent again
static void enter(sp_client_view *s, const sp_sim_frame *frame) {
    if (s->generation == frame->generation) return;
    s->generation = frame->generation;
    client_view_forget(s);
}

static bool client_view_shown(const sp_client_view *s, const sp_snapshot_surface *v) {
    return (v->roles & s->roles) != 0 && v->face_count > 0;
}

bool sp__client_view_topology(sp_client_view *s, const sp_sim_frame *frame, sp_buffer *out) {
    const sp_snapshot *snapshot = frame->snapshot;
    enter(s, frame);
    for (int i = 0; i < snapshot->body_count; i++)
        for (int k = 0; k < snapshot->bodies[i].surface_count; k++) {
            const sp_snapshot_surface *v = &snapshot->bodies[i].surfaces[k];
            uint32_t body = snapshot->bodies[i].id.slot;
            if (!client_view_shown(s, v)) continue;
            sp_seen *seen = find_seen(s, body, (uint32_t)k);
            if (seen && seen->revision == v->revision) continue;
            if (!seen && !(seen = add_seen(s, body, (uint32_t)k))) return out->broken = true, false;
            seen->revision = v->revision, seen->moved = 0;
            sp_frame_topology t = {.generation = frame->generation,
                                   .body = body,
                                   .surface = (uint32_t)k,
                                   .revision = v->revision,
                                   .vertex_count = (uint32_t)v->vertex_count,
                                   .face_count = (uint32_t)v->face_count,
                                   .faces = v->faces,
                                   .nodes = v->nodes,
                                   .colours = v->colors,
                                   .stripes = v->stripes};
            sp__frame_topology(out, &t);
            return true;
        }
    return false;
}

// ---------------------------------------------------------------------------------------------------- states

static void client_view_widen(const sp_value_range *r, sp_frame_state *head) {
    if (r->least < head->least || isnan(head->least)) head->least = r->least;
    if (r->greatest > head->greatest || isnan(head->greatest)) head->greatest = r->greatest;
}

// range: of the values; both NULL: no field is shown
static void add_surface(sp_client_view *s, const sp_snapshot_surface *v, uint32_t body, int surface, const float *values,
                        const sp_value_range *range, sp_buffer *out, sp_frame_state *head) {
    sp_seen *seen = find_seen(s, body, (uint32_t)surface);
    uint64_t mark = range ? range->mark : 0;
    if (range) client_view_widen(range, head);
    if (seen && seen->moved == v->moved && seen->values == mark) {
        head->flags &= ~(uint32_t)SP_STATE_ALL;
        return;
    }
    if (seen) seen->moved = v->moved, seen->values = mark;
    sp_frame_surface f = {body, (uint32_t)surface, v->revision, (uint32_t)v->vertex_count, v->positions, values};
    sp__frame_surface(out, &f);
    head->surface_count++;
}

// Cross sections of this client, with the plane that they were made for: that of the client may be newer. A frame that was made
// before the client had a plane has none.
static void add_sections(const sp_client_view *s, const sp_sim_frame *frame, sp_buffer *out, sp_frame_state *head) {
    const double *n = s->clip.normal;
    int i = 0;
    while (i < frame->cut_count && frame->cuts[i].client != s->client) i++;
    if (i == frame->cut_count || (n[0] == 0 && n[1] == 0 && n[2] == 0)) return;
    const sp_sim_section *section = &frame->sections[frame->section_of[i]];
    bool coloured = head->field && section->cut.colour == (int)head->field;
    sp_value_range range = {.least = section->least, .greatest = section->greatest};
    if (coloured && !isnan(range.least)) client_view_widen(&range, head);
    head->flags |= SP_STATE_SECTIONS;
    sp__frame_sections(out, &section->cut.plane, section->list, section->count, coloured);
}

void sp__client_view_state(sp_client_view *s, const sp_sim_frame *frame, sp_buffer *out) {
    const sp_snapshot *snapshot = frame->snapshot;
    bool coloured = s->colour > 0 && s->colour < SP_FIELD_CODES;
    const float *values = coloured ? frame->fields[s->colour] : NULL;
    const sp_value_range *range = values ? frame->ranges[s->colour] : NULL;
    enter(s, frame);
    if (s->number && frame->number > s->number + 1) s->dropped += (uint32_t)(frame->number - s->number - 1);
    s->number = frame->number;
    sp_frame_state head = {.generation = frame->generation,
                           .step = frame->at ? frame->at->step : snapshot->step,
                           .hash = frame->at ? frame->at->hash : snapshot->hash,
                           .time = frame->at ? frame->at->time : snapshot->time,
                           .flags = SP_STATE_ALL,
                           .field = values ? (uint32_t)s->colour : 0,
                           .least = NAN,
                           .greatest = NAN,
                           .dropped = s->dropped};
    size_t at = sp__frame_begin(out, &head);
    for (int i = 0; i < snapshot->body_count; i++)
        for (int k = 0; k < snapshot->bodies[i].surface_count; k++) {
            const sp_snapshot_surface *v = &snapshot->bodies[i].surfaces[k];
            if (client_view_shown(s, v)) add_surface(s, v, snapshot->bodies[i].id.slot, k, values, range, out, &head);
            if (values) values += v->vertex_count, range++;
        }
    add_sections(s, frame, out, &head);
    if (s->contacts) {
        head.flags |= SP_STATE_CONTACTS;
        sp__frame_contacts(out, snapshot->contacts, snapshot->contact_count);
    }
    if (isnan(head.least) || isnan(head.greatest)) head.least = head.greatest = 0;
    sp__frame_end(out, at, &head);
}
