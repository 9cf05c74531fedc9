// Frames: snapshots with fields, in a few counted slots. The simulation keeps the newest and those that are read, no more, so
// that the world never lacks a snapshot to write to.
#include <stdlib.h>
#include <string.h>

#include "serve/sim_internal.h"

double *sp__sim_numbers(sp_sim *s, size_t count) {
    if (count > s->number_room) {
        free(s->numbers);
        s->numbers = malloc(count * sizeof *s->numbers);
        s->number_room = s->numbers ? count : 0;
    }
    return s->numbers;
}

static size_t vertex_total(const sp_snapshot *shot) {
    size_t n = 0;
    for (int i = 0; i < shot->body_count; i++) {
        n += (size_t)shot->bodies[i].vertex_count;
        for (int k = 0; k < shot->bodies[i].surface_count; k++) n += (size_t)shot->bodies[i].surfaces[k].vertex_count;
    }
    return n;
}

static void fill_fields(sp_sim *s, sp_sim_slot *slot, unsigned wanted) {
    const sp_snapshot *shot = slot->frame.snapshot;
    size_t n = vertex_total(shot);
    for (int code = 1; code < SP_FIELD_CODES; code++) {
        slot->frame.fields[code] = NULL;
        if (!(wanted & 1u << code)) continue;
        if (slot->room[code] < n) {
            free(slot->values[code]);
            slot->values[code] = malloc(n * sizeof(float));
            slot->room[code] = slot->values[code] ? n : 0;
        }
        if (!slot->values[code]) continue;
        sp__sim_field(s, shot, code, slot->values[code]);
        slot->frame.fields[code] = slot->values[code];
    }
}

// snapshots that nobody reads any more; called with the lock held
static void let_go_old(sp_sim *s) {
    for (int i = 0; i < SP_FRAMES; i++) {
        sp_sim_slot *slot = &s->slots[i];
        if (i == s->newest || slot->readers > 0 || !slot->frame.snapshot) continue;
        sp_world_snapshot_release(s->stage.world, slot->frame.snapshot);
        slot->frame.snapshot = NULL;
    }
}

void sp__sim_make_frame(sp_sim *s) {
    pthread_mutex_lock(&s->lock);
    let_go_old(s);
    int at = 0;
    while (at < SP_FRAMES && s->slots[at].frame.snapshot) at++;
    unsigned wanted = s->want_fields;
    pthread_mutex_unlock(&s->lock);
    // one is read and one is the newest: there is always a third
    if (at == SP_FRAMES) return;
    sp_sim_slot *slot = &s->slots[at];
    const sp_snapshot *shot = sp_world_snapshot_acquire(s->stage.world);
    if (!shot) return;
    slot->frame.snapshot = shot;
    slot->frame.generation = s->generation;
    slot->frame.number = ++s->frame_number;
    fill_fields(s, slot, wanted);
    pthread_mutex_lock(&s->lock);
    s->newest = at;
    let_go_old(s);
    pthread_mutex_unlock(&s->lock);
}

void sp__sim_retire_frames(sp_sim *s) {
    pthread_mutex_lock(&s->lock);
    s->newest = -1;
    for (int i = 0; i < SP_FRAMES; i++)
        while (s->slots[i].readers > 0) pthread_cond_wait(&s->let_go, &s->lock);
    if (s->stage.world) let_go_old(s);
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
    pthread_cond_signal(&s->let_go);
    pthread_mutex_unlock(&s->lock);
}
