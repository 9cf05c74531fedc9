// Surfaces that ride on bodies, seen and touched in the place of the body's own boundary. Every vertex is an anchor: where it is
// and what forces on it do to the body go through the body table, whatever the kind.
//
// Three ways to make one: a triangle mesh whose vertices are held where they lie in the rest shape; some faces of the body's own
// boundary; those, each cut into 4^n. They are topology: made once, gone with their body, not in the hash.
#include <stdio.h>

#include "world/world_internal.h"

enum { CHUNK = 2048 };  // vertices of a task: less is not worth waking a worker

static sp_status stale(sp_world *w, sp_body_id id) {
    return WORLD_FAIL(w, SP_BAD_ID, "body id (%u, %u) is null or stale", (unsigned)id.slot, (unsigned)id.generation);
}

sp_surface_def sp_surface_def_default(void) {
    return (sp_surface_def){.roles = SP_ROLE_VISUAL | SP_ROLE_COLLISION, .cookie = SP_COOKIE_SURFACE};
}

// ---------------------------------------------------------------------------------------------------- life

void sp__skin_drop(sp_world *w, sp_skin **skin) {
    sp_skin *s = *skin;
    *skin = NULL;
    if (!s || --s->refs > 0) return;
    sp__free(w->ctx, s->anchors), sp__free(w->ctx, s->faces);
    sp__free(w->ctx, s->texcoords), sp__free(w->ctx, s->colors);
    sp__free(w->ctx, s->x), sp__free(w->ctx, s->face_normals);
    sp__ring_free(w->ctx, &s->ring);
    sp__transpose_free(w->ctx, &s->up);
    sp__free(w->ctx, s);
}

void sp__skins_free(sp_world *w, sp_slot *slot) {
    for (int i = 0; i < slot->skin_count; i++) sp__skin_drop(w, &slot->skins[i]);
    sp__free(w->ctx, slot->skins);
    slot->skins = NULL;
    slot->skin_count = slot->skin_capacity = 0;
}

static sp_slot *slot_of(sp_world *w, const sp_body *b) {
    return &w->slots[b->id.slot - 1];
}

static sp_status reserve_skin(sp_world *w, sp_slot *slot) {
    if (slot->skin_count < slot->skin_capacity) return SP_OK;
    int capacity = slot->skin_capacity ? 2 * slot->skin_capacity : 4;
    sp_skin **skins = sp__alloc(w->ctx, (size_t)capacity, sizeof *skins);
    if (!skins) return SP_NO_MEMORY;
    if (slot->skin_count) memcpy(skins, slot->skins, (size_t)slot->skin_count * sizeof *skins);
    sp__free(w->ctx, slot->skins);
    slot->skins = skins;
    slot->skin_capacity = capacity;
    return SP_OK;
}

// ---------------------------------------------------------------------------------------------------- checks

static bool has_name(const sp_slot *slot, const char *name) {
    for (int i = 0; i < slot->skin_count; i++)
        if (strcmp(slot->skins[i]->name, name) == 0) return true;
    return false;
}

static sp_status check_name(sp_world *w, const sp_slot *slot, const char *name) {
    size_t room = sizeof slot->skins[0]->name;
    if (!name[0] || strlen(name) >= room)
        return WORLD_FAIL(w, SP_BAD_INPUT, "surface name of %zu characters, must have 1 to %zu", strlen(name), room - 1);
    if (has_name(slot, name))
        return WORLD_FAIL(w, SP_BAD_INPUT, "surface name '%s': body '%s' has one already", name, slot->body->name);
    return SP_OK;
}

static sp_status check_def(sp_world *w, const sp_slot *slot, const sp_surface_def *def) {
    const unsigned all = SP_ROLE_VISUAL | SP_ROLE_COLLISION;
    if (def->cookie != SP_COOKIE_SURFACE)
        return WORLD_FAIL(w, SP_BAD_INPUT, "sp_surface_def did not start from sp_surface_def_default()");
    if (!def->roles || (def->roles & ~all))
        return WORLD_FAIL(w, SP_BAD_INPUT, "roles = %u of a surface, must be visual (1), collision (2) or both (3)", def->roles);
    if (def->mesh && (def->faces || def->subdivide))
        return WORLD_FAIL(w, SP_BAD_INPUT,
                          "a surface has a mesh, or is of the body's own boundary: faces and subdivide are for that");
    if (def->subdivide < 0 || def->subdivide > 4)
        return WORLD_FAIL(w, SP_BAD_INPUT, "subdivide = %d, must be in [0, 4]", def->subdivide);
    if (def->face_count < 0 || (def->face_count > 0) != (def->faces != NULL))
        return WORLD_FAIL(w, SP_BAD_INPUT, "face_count = %d, must be > 0 with faces given, 0 without", def->face_count);
    if (def->mesh && !slot->body->ops->attach)
        return WORLD_FAIL(w, SP_BAD_INPUT, "body '%s' cannot hold a surface", slot->body->name);
    return def->name ? check_name(w, slot, def->name) : SP_OK;
}

// ---------------------------------------------------------------------------------------------------- contact

// a finer surface shall not make contact stiffer: points that lean on the same nodes share what those would have
static sp_status share_stiffness(sp_world *w, sp_body *b, int n, const sp_anchor *anchors, sp_contact_node *nodes) {
    sp_transpose t = {0};
    double *share = NULL;
    int *corners = NULL;
    sp_measure m;
    sp_status status = SP_NO_MEMORY;
    b->ops->measure(b, &m);
    if (!SP_NEW(w->ctx, share, n) || !SP_NEW(w->ctx, corners, 4 * (size_t)m.elements + 1)) goto done;
    b->ops->corners(b, corners);
    status = sp__transpose_create(w->ctx, n, anchors, m.nodes, corners, &t);
    if (status < 0) goto done;
    sp__transpose_shares(&t, n, anchors, corners, share);
    for (int i = 0; i < n; i++) nodes[i].share = share[i];
done:
    sp__transpose_free(w->ctx, &t);
    sp__free(w->ctx, share), sp__free(w->ctx, corners);
    return status;
}

// The surface is what touches from now on, beside other surfaces of that role. Nothing to do for a body without unknowns: it is
// touched where its distance says so.
static sp_status make_touchable(sp_world *w, sp_body *b, const sp_skin *skin) {
    int n = b->loads.by_surface ? b->loads.node_count : 0;
    size_t room = (size_t)n + (size_t)skin->vertex_count;
    sp_contact_node *nodes = NULL;
    sp_anchor *anchors = NULL;
    if (!(skin->roles & SP_ROLE_COLLISION) || b->nv == 0) return SP_OK;
    sp_status status = SP_NO_MEMORY;
    if (room > INT32_MAX || !SP_NEW(w->ctx, nodes, room) || !SP_NEW(w->ctx, anchors, room)) goto done;
    for (int i = 0; i < n; i++) anchors[i] = b->loads.nodes[i].at;
    // a vertex without faces is not on the surface
    for (int i = 0; i < skin->vertex_count; i++)
        if (skin->ring.start[i + 1] > skin->ring.start[i]) anchors[n++] = skin->anchors[i];
    for (int i = 0; i < n; i++) nodes[i] = (sp_contact_node){.at = anchors[i], .share = 1};
    status = b->ops->corners ? share_stiffness(w, b, n, anchors, nodes) : SP_OK;
    if (status >= 0) status = sp__loads_take_points(b, n, nodes);
    if (status < 0) goto done;
    nodes = NULL;
    b->ops->refresh(b);
done:
    sp__free(w->ctx, nodes), sp__free(w->ctx, anchors);
    return status;
}

// ---------------------------------------------------------------------------------------------------- adding

static void name_skin(const sp_slot *slot, const char *name, sp_skin *skin) {
    if (name) {
        snprintf(skin->name, sizeof skin->name, "%s", name);
        return;
    }
    int number = slot->skin_count;
    do snprintf(skin->name, sizeof skin->name, "surface%d", number++);
    while (has_name(slot, skin->name));
}

static sp_status finish_skin(sp_world *w, sp_slot *slot, const sp_surface_def *def, sp_skin *skin) {
    skin->roles = def->roles;
    skin->revision = ++w->skin_revision;
    name_skin(slot, def->name, skin);
    size_t v = (size_t)skin->vertex_count, f = (size_t)skin->face_count;
    if (!SP_NEW(w->ctx, skin->x, 3 * v) || !SP_NEW(w->ctx, skin->face_normals, 3 * f) ||
        sp__ring_create(w->ctx, skin->vertex_count, skin->face_count, skin->faces, &skin->ring) < 0)
        return SP_NO_MEMORY;
    return reserve_skin(w, slot);
}

static sp_status add_surface(sp_world *w, sp_body *b, const sp_surface_def *def, int *index) {
    sp_slot *slot = slot_of(w, b);
    SP_TRY(check_def(w, slot, def));
    sp_skin *skin = sp__alloc(w->ctx, 1, sizeof *skin);
    sp_status status = skin ? SP_OK : SP_NO_MEMORY;
    if (skin) skin->refs = 1;
    if (status >= 0) status = def->mesh ? sp__skin_of_mesh(w, b, def, skin) : sp__skin_of_boundary(w, b, def, skin);
    if (status >= 0) status = finish_skin(w, slot, def, skin);
    if (status >= 0) {
        // snapshots must have room for it; touching comes last because it cannot be taken back
        slot->skins[slot->skin_count++] = skin;
        status = sp__snapshots_reserve(w);
        if (status >= 0) status = make_touchable(w, b, skin);
        if (status < 0) slot->skin_count--;
    }
    if (status < 0) {
        if (skin) sp__skin_drop(w, &skin);
        return status;
    }
    if (index) *index = slot->skin_count - 1;
    return SP_OK;
}

sp_status sp_world_add_surface(sp_world *w, sp_body_id id, const sp_surface_def *def, int *index) {
    if (index) *index = -1;
    if (!def) return WORLD_FAIL(w, SP_BAD_INPUT, "sp_world_add_surface without a definition");
    SP_TRY(sp__world_enter(w));
    sp_body *b = sp__world_body(w, id);
    sp_status status = b ? add_surface(w, b, def, index) : stale(w, id);
    if (status == SP_NO_MEMORY) WORLD_FAIL(w, status, "no memory for a surface of body '%s'", b->name);
    sp__world_leave(w);
    return status;
}

// ---------------------------------------------------------------------------------------------------- down

typedef struct points_job {
    sp_body *b;
    const sp_skin *skin;
    double *x, *v;
} points_job;

static void points_chunk(void *arg, int task, int worker) {
    (void)worker;
    const points_job *j = arg;
    int begin = task * CHUNK, n = j->skin->vertex_count - begin < CHUNK ? j->skin->vertex_count - begin : CHUNK;
    size_t at = 3 * (size_t)begin;
    j->b->ops->points(j->b, SP_COMMITTED, n, j->skin->anchors + begin, j->x + at, j->v ? j->v + at : NULL);
}

void sp__skin_positions(sp_body *b, sp_skin *skin, double *v) {
    points_job j = {b, skin, skin->x, v};
    if (b->ops->settle) b->ops->settle(b, NULL, SP_COMMITTED);
    sp__parallel(b->ctx, skin->vertex_count / CHUNK + (skin->vertex_count % CHUNK != 0), points_chunk, &j);
}

void sp__skin_normals(sp_body *b, sp_skin *skin, double *normals, float *float_normals) {
    sp__normals(b->ctx, skin->vertex_count, skin->face_count, skin->faces, &skin->ring, skin->x, skin->face_normals, normals,
                float_normals);
}

// ---------------------------------------------------------------------------------------------------- asking

// the surface and its body, or a failure told
static sp_status find_skin(sp_world *w, sp_body_id id, int index, sp_body **b, sp_skin **skin) {
    *b = sp__world_body(w, id);
    if (!*b) return stale(w, id);
    const sp_slot *slot = slot_of(w, *b);
    if (index < 0 || index >= slot->skin_count)
        return WORLD_FAIL(w, SP_BAD_INPUT, "surface %d of '%s', which has %d", index, (*b)->name, slot->skin_count);
    *skin = slot->skins[index];
    return SP_OK;
}

int sp_world_surface_count(sp_world *w, sp_body_id id) {
    SP_TRY(sp__world_enter(w));
    const sp_body *b = sp__world_body(w, id);
    int count = b ? slot_of(w, b)->skin_count : 0;
    sp__world_leave(w);
    return count;
}

sp_status sp_world_surface_info(sp_world *w, sp_body_id id, int index, sp_surface_info *out) {
    sp_body *b;
    sp_skin *s;
    SP_TRY(sp__world_enter(w));
    sp_status status = find_skin(w, id, index, &b, &s);
    if (status >= 0)
        *out = (sp_surface_info){.name = s->name,
                                 .roles = s->roles,
                                 .vertex_count = s->vertex_count,
                                 .face_count = s->face_count,
                                 .outside = s->outside,
                                 .farthest = s->farthest,
                                 .anchors = s->anchors,
                                 .faces = s->faces};
    sp__world_leave(w);
    return status;
}

sp_status sp_world_surface_get(sp_world *w, sp_body_id id, int index, double *x, double *v, double *normals) {
    sp_body *b;
    sp_skin *s;
    SP_TRY(sp__world_enter(w));
    sp_status status = find_skin(w, id, index, &b, &s);
    if (status >= 0) {
        sp__skin_positions(b, s, v);
        if (x) memcpy(x, s->x, 3 * (size_t)s->vertex_count * sizeof *x);
        if (normals) sp__skin_normals(b, s, normals, NULL);
    }
    sp__world_leave(w);
    return status;
}

// ---------------------------------------------------------------------------------------------------- up

static sp_status make_transpose(sp_world *w, sp_body *b, sp_skin *s) {
    sp_measure m;
    int *corners;
    if (s->up.start) return SP_OK;
    b->ops->measure(b, &m);
    sp_status status = SP_NO_MEMORY;
    if (SP_NEW(w->ctx, corners, 4 * (size_t)m.elements + 1)) {
        b->ops->corners(b, corners);
        status = sp__transpose_create(w->ctx, s->vertex_count, s->anchors, m.nodes, corners, &s->up);
    }
    sp__free(w->ctx, corners);
    return status < 0 ? WORLD_FAIL(w, status, "no memory for the forces of surface '%s'", s->name) : SP_OK;
}

sp_status sp_world_surface_push(sp_world *w, sp_body_id id, int index, const double *f, double *g) {
    sp_body *b;
    sp_skin *s;
    SP_TRY(sp__world_enter(w));
    sp_status status = find_skin(w, id, index, &b, &s);
    if (status >= 0 && !b->ops->corners)
        b->ops->push(b, SP_COMMITTED, s->vertex_count, s->anchors, f, g);
    else if (status >= 0) {
        status = make_transpose(w, b, s);
        if (status >= 0) sp__transpose_push(w->ctx, &s->up, f, g);
    }
    sp__world_leave(w);
    return status;
}
