// Snapshots: what readers in other threads look at. A fixed set of counted slots: the step fills one that is neither newest nor
// held, then makes it the newest; readers take only the newest. Without a free slot the snapshot is skipped and counted.
//
// Faces are copied out of the body once per revision and shared by all slots that show it, so a reader may hold a snapshot of a
// body that has been removed since. What does not move of the surfaces that ride on a body is shared with the body itself. Only
// the step thread counts references.
#include <stdio.h>

#include "world/world_internal.h"

static void drop_faces(sp_world *w, sp_faces **faces) {
    sp_faces *f = *faces;
    *faces = NULL;
    if (!f || --f->refs > 0) return;
    sp__free(w->ctx, f->faces), sp__free(w->ctx, f->nodes), sp__free(w->ctx, f->stripes), sp__free(w->ctx, f->rings);
    sp__free(w->ctx, f);
}

static bool shows(const sp_faces *f, const sp_body *b, const sp_surface *s) {
    return f && f->body.slot == b->id.slot && f->body.generation == b->id.generation && f->revision == s->revision;
}

static sp_faces *copy_faces(sp_world *w, const sp_body *b, const sp_surface *s) {
    sp_faces *f = sp__alloc(w->ctx, 1, sizeof *f);
    if (!f) return NULL;
    *f = (sp_faces){.count = s->face_count, .ring_count = s->ring_count, .revision = s->revision, .body = b->id, .refs = 1};
    size_t n = 3 * (size_t)s->face_count, v = (size_t)s->vertex_count;
    if (!SP_NEW(w->ctx, f->faces, n) || (s->nodes && !SP_NEW(w->ctx, f->nodes, v)) ||
        (s->stripes && !SP_NEW(w->ctx, f->stripes, s->face_count)) || (s->rings && !SP_NEW(w->ctx, f->rings, s->ring_count))) {
        drop_faces(w, &f);
        return NULL;
    }
    if (n) memcpy(f->faces, s->faces, n * sizeof *f->faces);
    if (s->nodes) memcpy(f->nodes, s->nodes, v * sizeof *f->nodes);
    if (s->stripes) memcpy(f->stripes, s->stripes, (size_t)s->face_count);
    if (s->rings) memcpy(f->rings, s->rings, (size_t)s->ring_count * sizeof *f->rings);
    f->refs = 0;
    return f;
}

// the faces that another slot shows already, or a copy
static sp_faces *share_faces(sp_world *w, const sp_body *b, const sp_surface *s) {
    for (int i = 0; i < w->def.snapshot_slots; i++)
        for (int k = 0; k < w->shots[i].body_capacity; k++)
            if (shows(w->shots[i].parts[k].faces, b, s)) return w->shots[i].parts[k].faces;
    return copy_faces(w, b, s);
}

// ---------------------------------------------------------------------------------------------------- room

static sp_status reserve_parts(sp_world *w, sp_shot *shot) {
    if (w->body_count <= shot->body_capacity) return SP_OK;
    int capacity = w->body_capacity;
    sp_shot_body *parts = sp__alloc(w->ctx, (size_t)capacity, sizeof *parts);
    sp_snapshot_body *bodies = sp__alloc(w->ctx, (size_t)capacity, sizeof *bodies);
    if (!parts || !bodies) {
        sp__free(w->ctx, parts), sp__free(w->ctx, bodies);
        return SP_NO_MEMORY;
    }
    if (shot->body_capacity) memcpy(parts, shot->parts, (size_t)shot->body_capacity * sizeof *parts);
    sp__free(w->ctx, shot->parts), sp__free(w->ctx, shot->bodies);
    shot->parts = parts;
    shot->bodies = bodies;
    shot->body_capacity = capacity;
    return SP_OK;
}

static sp_status reserve_part(sp_world *w, sp_body *b, sp_shot_body *part, const sp_surface *s) {
    if (!shows(part->faces, b, s)) {
        sp_faces *faces = share_faces(w, b, s);
        if (!faces) return SP_NO_MEMORY;
        faces->refs++;
        drop_faces(w, &part->faces);
        part->faces = faces;
    }
    if (s->vertex_count <= part->vertex_capacity) return SP_OK;
    float *positions = sp__alloc(w->ctx, 3 * (size_t)s->vertex_count, sizeof *positions);
    if (!positions) return SP_NO_MEMORY;
    sp__free(w->ctx, part->positions);
    part->positions = positions;
    part->vertex_capacity = s->vertex_count;
    return SP_OK;
}

// the list of surfaces; what was shown there before stays held until something else is shown
static sp_status reserve_skin_list(sp_world *w, sp_shot_body *part, int count) {
    if (count <= part->skin_capacity) return SP_OK;
    sp_shot_skin *skins = sp__alloc(w->ctx, (size_t)count, sizeof *skins);
    sp_snapshot_surface *surfaces = sp__alloc(w->ctx, (size_t)count, sizeof *surfaces);
    if (!skins || !surfaces) {
        sp__free(w->ctx, skins), sp__free(w->ctx, surfaces);
        return SP_NO_MEMORY;
    }
    if (part->skin_capacity) memcpy(skins, part->skins, (size_t)part->skin_capacity * sizeof *skins);
    sp__free(w->ctx, part->skins), sp__free(w->ctx, part->surfaces);
    part->skins = skins, part->surfaces = surfaces;
    part->skin_capacity = count;
    return SP_OK;
}

static sp_status reserve_skin(sp_world *w, sp_shot_skin *shown, sp_skin *skin) {
    if (shown->skin != skin) {
        skin->refs++;
        sp__skin_drop(w, &shown->skin);
        shown->skin = skin;
    }
    if (skin->vertex_count <= shown->vertex_capacity) return SP_OK;
    size_t n = 3 * (size_t)skin->vertex_count;
    float *positions = sp__alloc(w->ctx, n, sizeof *positions), *normals = sp__alloc(w->ctx, n, sizeof *normals);
    if (!positions || !normals) {
        sp__free(w->ctx, positions), sp__free(w->ctx, normals);
        return SP_NO_MEMORY;
    }
    sp__free(w->ctx, shown->positions), sp__free(w->ctx, shown->normals);
    shown->positions = positions, shown->normals = normals;
    shown->vertex_capacity = skin->vertex_count;
    return SP_OK;
}

static sp_status reserve_skins(sp_world *w, const sp_body *b, sp_shot_body *part) {
    const sp_slot *slot = &w->slots[b->id.slot - 1];
    SP_TRY(reserve_skin_list(w, part, slot->skin_count));
    for (int i = 0; i < slot->skin_count; i++) SP_TRY(reserve_skin(w, &part->skins[i], slot->skins[i]));
    for (int i = slot->skin_count; i < part->skin_capacity; i++) sp__skin_drop(w, &part->skins[i].skin);
    return SP_OK;
}

static sp_status surface_of(sp_body *b, const sp_surface **out) {
    static const sp_surface nothing = {0};
    *out = &nothing;
    return b->ops->surface ? b->ops->surface(b, out) : SP_OK;
}

static sp_status reserve_shot(sp_world *w, sp_shot *shot) {
    SP_TRY(reserve_parts(w, shot));
    for (int i = 0; i < w->body_count; i++) {
        const sp_surface *s;
        SP_TRY(surface_of(w->bodies[i], &s));
        SP_TRY(reserve_part(w, w->bodies[i], &shot->parts[i], s));
        SP_TRY(reserve_skins(w, w->bodies[i], &shot->parts[i]));
    }
    return SP_OK;
}

// a slot that no reader can reach
static bool unreachable(sp_world *w, int slot) {
    pthread_mutex_lock(&w->snapshot_lock);
    bool ok = slot != w->newest && w->shots[slot].readers == 0;
    pthread_mutex_unlock(&w->snapshot_lock);
    return ok;
}

sp_status sp__snapshots_reserve(sp_world *w) {
    for (int i = 0; w->def.snapshots && i < w->def.snapshot_slots; i++)
        if (unreachable(w, i) && reserve_shot(w, &w->shots[i]) < 0) return WORLD_FAIL(w, SP_NO_MEMORY, "no memory for snapshots");
    return SP_OK;
}

// ---------------------------------------------------------------------------------------------------- filling

enum { CHUNK = 2048, BLOCK = 128 };  // vertices of a task, and of a call

typedef struct positions_job {
    sp_body *b;
    const sp_surface *s;
    float *out;
} positions_job;

static void fill_chunk(void *arg, int task, int worker) {
    const positions_job *j = arg;
    int end = j->s->vertex_count - task * CHUNK < CHUNK ? j->s->vertex_count : (task + 1) * CHUNK;
    double x[3 * BLOCK];
    (void)worker;
    for (int i = task * CHUNK; i < end; i += BLOCK) {
        int n = end - i < BLOCK ? end - i : BLOCK;
        j->b->ops->points(j->b, SP_COMMITTED, n, j->s->anchors + i, x, NULL);
        for (int k = 0; k < 3 * n; k++) j->out[3 * (size_t)i + (size_t)k] = (float)x[k];
    }
}

static void fill_positions(sp_body *b, const sp_surface *s, float *out) {
    positions_job j = {b, s, out};
    if (b->ops->settle) b->ops->settle(b, NULL, SP_COMMITTED);
    sp__parallel(b->ctx, s->vertex_count / CHUNK + (s->vertex_count % CHUNK != 0), fill_chunk, &j);
}

static void fill_surface(sp_body *b, const sp_shot_skin *shown, sp_snapshot_surface *out) {
    sp_skin *s = shown->skin;
    sp__skin_positions(b, s, NULL);
    for (size_t i = 0; i < 3 * (size_t)s->vertex_count; i++) shown->positions[i] = (float)s->x[i];
    sp__skin_normals(b, s, NULL, shown->normals);
    *out = (sp_snapshot_surface){.name = s->name,
                                 .roles = s->roles,
                                 .revision = s->revision,
                                 .vertex_count = s->vertex_count,
                                 .positions = shown->positions,
                                 .normals = shown->normals,
                                 .face_count = s->face_count,
                                 .faces = s->faces,
                                 .anchors = s->anchors,
                                 .texcoords = s->texcoords,
                                 .colors = s->colors};
}

// what the watch over energy found in the last step; before the first one the shape alone
static void fill_health(sp_body *b, sp_snapshot_body *out) {
    sp_balance *n = &b->balance[SP_COMMITTED];
    sp_energies now = n->at;
    if (!b->ops->energies) {
        out->elastic = out->appeared = NAN;
        return;
    }
    if (!n->known || b->revalue) b->ops->energies(b, SP_COMMITTED, &now);
    out->inverted = (int)now.inverted;
    out->volume_lost = 1 - now.volume / now.rest_volume;
    out->penetration = n->penetration;
    out->kinetic = now.kinetic, out->elastic = now.elastic;
    out->potential = sp__balance_potential(n), out->contact = n->contact;
    out->appeared = isnan(now.elastic) ? NAN : n->appeared;
    out->work = (sp_work){n->work[0], n->work[1], n->work[2], n->work[3], n->work[4]};
}

static void fill_body(sp_world *w, sp_body *b, sp_shot_body *part, sp_snapshot_body *out) {
    const sp_surface *s;
    int skins = w->slots[b->id.slot - 1].skin_count;
    surface_of(b, &s);
    fill_positions(b, s, part->positions);
    for (int i = 0; i < skins; i++) fill_surface(b, &part->skins[i], &part->surfaces[i]);
    memcpy(part->name, b->name, sizeof part->name);
    *out = (sp_snapshot_body){.id = b->id,
                              .name = part->name,
                              .revision = s->revision,
                              .vertex_count = s->vertex_count,
                              .positions = part->positions,
                              .face_count = part->faces->count,
                              .faces = part->faces->faces,
                              .nodes = part->faces->nodes,
                              .stripes = part->faces->stripes,
                              .ring_count = part->faces->ring_count,
                              .rings = part->faces->rings,
                              .surface_count = skins,
                              .surfaces = skins ? part->surfaces : NULL};
    fill_health(b, out);
}

static void fill_shot(sp_world *w, sp_shot *shot) {
    for (int i = 0; i < w->body_count; i++) fill_body(w, w->bodies[i], &shot->parts[i], &shot->bodies[i]);
    memcpy(shot->events, w->events->list, (size_t)w->events->count * sizeof *shot->events);
    shot->view = (sp_snapshot){.step = w->steps,
                               .time = w->time,
                               .hash = w->hash,
                               .body_count = w->body_count,
                               .bodies = shot->bodies,
                               .event_count = w->events->count,
                               .events = shot->events,
                               .skipped = w->skipped,
                               .reservations = w->trial.reservations};
    memcpy(shot->view.stage_ms, w->trial.stage_ms, sizeof shot->view.stage_ms);
}

void sp__snapshot_publish(sp_world *w) {
    int slot = 0;
    while (slot < w->def.snapshot_slots && !unreachable(w, slot)) slot++;
    if (slot == w->def.snapshot_slots || reserve_shot(w, &w->shots[slot]) < 0) {
        w->skipped++;
        return;
    }
    fill_shot(w, &w->shots[slot]);
    pthread_mutex_lock(&w->snapshot_lock);
    w->newest = slot;
    pthread_mutex_unlock(&w->snapshot_lock);
}

static void free_skins(sp_world *w, sp_shot_body *part) {
    for (int i = 0; i < part->skin_capacity; i++) {
        sp__skin_drop(w, &part->skins[i].skin);
        sp__free(w->ctx, part->skins[i].positions), sp__free(w->ctx, part->skins[i].normals);
    }
    sp__free(w->ctx, part->skins), sp__free(w->ctx, part->surfaces);
}

void sp__snapshots_free(sp_world *w) {
    for (int i = 0; i < SP_SNAPSHOT_MAX; i++) {
        sp_shot *shot = &w->shots[i];
        for (int k = 0; k < shot->body_capacity; k++) {
            drop_faces(w, &shot->parts[k].faces);
            sp__free(w->ctx, shot->parts[k].positions);
            free_skins(w, &shot->parts[k]);
        }
        sp__free(w->ctx, shot->parts), sp__free(w->ctx, shot->bodies);
    }
}

sp_status sp_world_publish(sp_world *w) {
    SP_TRY(sp__world_enter(w));
    sp_status status = sp__snapshots_reserve(w);
    if (status >= 0) sp__snapshot_publish(w);
    sp__world_leave(w);
    return status;
}

// ---------------------------------------------------------------------------------------------------- readers

const sp_snapshot *sp_world_snapshot_acquire(sp_world *w) {
    pthread_mutex_lock(&w->snapshot_lock);
    sp_shot *shot = w->newest >= 0 ? &w->shots[w->newest] : NULL;
    if (shot) shot->readers++;
    pthread_mutex_unlock(&w->snapshot_lock);
    return shot ? &shot->view : NULL;
}

void sp_world_snapshot_release(sp_world *w, const sp_snapshot *snapshot) {
    if (!snapshot) return;
    pthread_mutex_lock(&w->snapshot_lock);
    for (int i = 0; i < w->def.snapshot_slots; i++)
        if (&w->shots[i].view == snapshot && w->shots[i].readers > 0) w->shots[i].readers--;
    pthread_mutex_unlock(&w->snapshot_lock);
}
