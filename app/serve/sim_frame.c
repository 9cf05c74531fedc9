// Frames: snapshots with fields, in a few slots with reader counts. The simulation keeps only the newest frame and those in use,
// so that the world always has a free snapshot slot.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "serve/sim_internal.h"

double *sp__sim_numbers(sp_sim *s, size_t count) {
    if (count > s->number_capacity) {
        free(s->numbers);
        s->numbers = malloc(count * sizeof *s->numbers);
        s->number_capacity = s->numbers ? count : 0;
    }
    return s->numbers;
}

static void count_surfaces(const sp_snapshot *snapshot, size_t *surfaces, size_t *vertices) {
    *surfaces = *vertices = 0;
    for (int i = 0; i < snapshot->body_count; i++)
        for (int k = 0; k < snapshot->bodies[i].surface_count; k++)
            *vertices += (size_t)snapshot->bodies[i].surfaces[k].vertex_count, ++*surfaces;
}

// hash of the values, never 0
static uint64_t mark_of(const float *values, size_t count) {
    uint64_t mark = 7;
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

static sp_value_range range_of(const float *values, size_t count) {
    sp_value_range r = {mark_of(values, count), NAN, NAN};
    for (size_t i = 0; i < count; i++) {
        if (values[i] < r.least || isnan(r.least)) r.least = values[i];
        if (values[i] > r.greatest || isnan(r.greatest)) r.greatest = values[i];
    }
    return r;
}

static bool reserve_field(sp_sim_slot *slot, int code, size_t surfaces, size_t vertices) {
    if (slot->capacity[code] < vertices) {
        free(slot->values[code]);
        slot->values[code] = malloc(vertices * sizeof(float));
        slot->capacity[code] = slot->values[code] ? vertices : 0;
    }
    if (slot->range_capacity[code] < surfaces) {
        free(slot->ranges[code]);
        slot->ranges[code] = malloc(surfaces * sizeof(sp_value_range));
        slot->range_capacity[code] = slot->ranges[code] ? surfaces : 0;
    }
    return slot->values[code] && slot->ranges[code];
}

// a field at the vertices of all surfaces of a snapshot, concatenated
static void fill_field(sp_sim *s, const sp_snapshot *snapshot, int code, float *out) {
    sp_field_info field;
    if (!sp__wire_field(code, &field)) return;
    for (int i = 0; i < snapshot->body_count; i++) {
        const sp_snapshot_body *b = &snapshot->bodies[i];
        size_t n = 0;
        for (int k = 0; k < b->surface_count; k++) n += (size_t)b->surfaces[k].vertex_count;
        double *values = sp__sim_numbers(s, n + 1);
        bool known = values && sp_world_surface_field(s->stage.world, b->id, -1, field.name, values) >= 0;
        for (size_t v = 0; v < n; v++) out[v] = known ? (float)values[v] : NAN;
        out += n;
    }
}

static void fill_fields(sp_sim *s, sp_sim_slot *slot, unsigned wanted) {
    const sp_snapshot *snapshot = slot->frame.snapshot;
    size_t surfaces, vertices;
    count_surfaces(snapshot, &surfaces, &vertices);
    for (int code = 1; code < SP_FIELD_CODES; code++) {
        slot->frame.fields[code] = NULL;
        if (!(wanted & 1u << code) || !reserve_field(slot, code, surfaces, vertices)) continue;
        fill_field(s, snapshot, code, slot->values[code]);
        slot->frame.fields[code] = slot->values[code], slot->frame.ranges[code] = slot->ranges[code];
        const float *values = slot->values[code];
        sp_value_range *range = slot->ranges[code];
        for (int i = 0; i < snapshot->body_count; i++)
            for (int k = 0; k < snapshot->bodies[i].surface_count; k++) {
                *range++ = range_of(values, (size_t)snapshot->bodies[i].surfaces[k].vertex_count);
                values += snapshot->bodies[i].surfaces[k].vertex_count;
            }
    }
}

// releases snapshots without readers; the caller holds the lock
static void release_old(sp_sim *s) {
    for (int i = 0; i < SP_FRAMES; i++) {
        sp_sim_slot *slot = &s->slots[i];
        if (i == s->newest || slot->readers > 0 || !slot->frame.snapshot) continue;
        sp_world_snapshot_release(s->stage.world, slot->frame.snapshot);
        slot->frame.snapshot = NULL;
    }
}

void sp__sim_make_frame(sp_sim *s) {
    pthread_mutex_lock(&s->lock);
    release_old(s);
    int at = 0;
    while (at < SP_FRAMES && s->slots[at].frame.snapshot) at++;
    sp_sim_want want = s->want;
    s->cuts_changed = false;
    pthread_mutex_unlock(&s->lock);
    // does not happen: one frame is read and one is the newest, so a third one is free
    if (at == SP_FRAMES) return;
    sp_sim_slot *slot = &s->slots[at];
    const sp_snapshot *snapshot = sp_world_snapshot_acquire(s->stage.world);
    if (!snapshot) return;
    slot->frame.snapshot = snapshot;
    slot->frame.generation = s->generation;
    slot->frame.number = ++s->frame_number;
    slot->at = s->stage.at;
    slot->frame.at = s->stage.recording ? &slot->at : NULL;
    fill_fields(s, slot, want.fields);
    sp__sim_make_sections(s, slot, &want);
    pthread_mutex_lock(&s->lock);
    s->newest = at;
    release_old(s);
    pthread_mutex_unlock(&s->lock);
}

void sp__sim_retire_frames(sp_sim *s) {
    pthread_mutex_lock(&s->lock);
    s->newest = -1;
    for (int i = 0; i < SP_FRAMES; i++)
        while (s->slots[i].readers > 0) pthread_cond_wait(&s->released, &s->lock);
    if (s->stage.world) release_old(s);
    pthread_mutex_unlock(&s->lock);
}

const sp_sim_frame *sp__sim_acquire(sp_sim *s) {
    pthread_mutex_lock(&s->lock);
    sp_sim_slot *slot = s->newest >= 0 ? &s->slots[s->newest] : NULL;
    if (slot) slot->readers++;
    pthread_mutex_unlock(&s->lock);
    return slot ? &slot->frame : NULL;
}

void sp__sim_release(sp_sim *s, const sp_sim_frame *frame) {
    pthread_mutex_lock(&s->lock);
    for (int i = 0; i < SP_FRAMES; i++)
        if (&s->slots[i].frame == frame) s->slots[i].readers--;
    pthread_cond_signal(&s->released);
    pthread_mutex_unlock(&s->lock);
}
