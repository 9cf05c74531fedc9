// Undo of edits after a failed step. Single parameters are stored by value. For pins, springs and poses the whole parameters tier
// of the body is copied once per step, into a buffer that is reused.
#include "world/world_internal.h"

static sp_status reserve_params(sp_world *w) {
    sp_journal *j = &w->journal;
    if (j->param_count < j->param_capacity) return SP_OK;
    int capacity = j->param_capacity ? 2 * j->param_capacity : 16;
    sp_undo_param *params = sp__alloc(w->ctx, (size_t)capacity, sizeof *params);
    if (!params) return WORLD_FAIL(w, SP_NO_MEMORY, "no memory to store a parameter");
    if (j->param_count) memcpy(params, j->params, (size_t)j->param_count * sizeof *params);
    sp__free(w->ctx, j->params);
    j->params = params;
    j->param_capacity = capacity;
    return SP_OK;
}

sp_status sp__journal_param(sp_world *w, sp_body *b, const sp_param *p) {
    SP_TRY(reserve_params(w));
    w->journal.params[w->journal.param_count++] = (sp_undo_param){.body = b, .param = *p, .old = *p->value};
    return SP_OK;
}

sp_status sp__journal_gravity(sp_world *w, sp_gravity *g) {
    SP_TRY(reserve_params(w));
    w->journal.params[w->journal.param_count++] = (sp_undo_param){.gravity = g, .old_gravity = *g};
    return SP_OK;
}

// ---------------------------------------------------------------------------------------------------- a body's tier

typedef struct copier {
    unsigned char *data;
    size_t at;
    bool back;  // copy from the buffer to the body
} copier;

static void copy_array(sp_visitor *v, const char *name, void *data, size_t size, size_t count) {
    (void)name;
    copier *c = v->user;
    size_t bytes = size * count;
    unsigned char *kept = c->data ? c->data + c->at : NULL;
    if (kept && bytes && !c->back) memcpy(kept, data, bytes);
    // an array that the worlds of a batch share is never different, and not written
    if (kept && bytes && c->back && memcmp(data, kept, bytes) != 0) memcpy(data, kept, bytes);
    c->at += bytes;
}

// returns the size; data NULL: copies nothing
static size_t copy_tier(sp_body *b, unsigned char *data, bool back) {
    copier c = {data, 0, back};
    sp_visitor v = {.array = copy_array, .user = &c};
    b->ops->visit(b, SP_PARAMETERS, &v);
    return c.at;
}

static sp_status reserve_bodies(sp_world *w, int count) {
    sp_journal *j = &w->journal;
    if (count <= j->body_capacity) return SP_OK;
    int capacity = w->slot_capacity;
    sp_undo_body *bodies = sp__alloc(w->ctx, (size_t)capacity, sizeof *bodies);
    if (!bodies) return WORLD_FAIL(w, SP_NO_MEMORY, "no memory to store a body");
    if (j->body_count) memcpy(bodies, j->bodies, (size_t)j->body_count * sizeof *bodies);
    sp__free(w->ctx, j->bodies);
    j->bodies = bodies;
    j->body_capacity = capacity;
    return SP_OK;
}

static sp_status find_undo(sp_world *w, sp_body *b, sp_undo_body **out) {
    sp_journal *j = &w->journal;
    for (int i = 0; i < j->body_count; i++)
        if (j->bodies[i].body == b) {
            *out = &j->bodies[i];
            return SP_OK;
        }
    SP_TRY(reserve_bodies(w, j->body_count + 1));
    *out = &j->bodies[j->body_count++];
    **out = (sp_undo_body){.body = b};
    return SP_OK;
}

sp_status sp__journal_body(sp_world *w, sp_body *b) {
    sp_undo_body *u;
    SP_TRY(find_undo(w, b, &u));
    if (u->used) return SP_OK;
    size_t tier = copy_tier(b, NULL, false), size = tier + (size_t)b->loads.spring_count * sizeof *b->loads.springs;
    if (size > u->capacity) {
        // including memory for later drags
        size_t capacity = size + SP_DRAG_ROOM * sizeof *b->loads.springs;
        unsigned char *data = sp__alloc(w->ctx, capacity, 1);
        if (!data) return WORLD_FAIL(w, SP_NO_MEMORY, "no memory to store body '%s'", b->name);
        sp__free(w->ctx, u->data);
        u->data = data;
        u->capacity = capacity;
    }
    copy_tier(b, u->data, false);
    if (size > tier) memcpy(u->data + tier, b->loads.springs, size - tier);
    u->spring_count = b->loads.spring_count;
    u->size = tier;
    u->used = true;
    return SP_OK;
}

void sp__journal_remains(sp_world *w, sp_body *b, sp_remains *before) {
    sp_journal *j = &w->journal;
    int i = 0;
    while (j->bodies[i].body != b) i++;
    if (j->bodies[i].exchanged) {  // the first one of the step is that of its start
        b->ops->removal->free(b, &before);
        return;
    }
    j->bodies[i].remains = before, j->bodies[i].exchanged = true;
}

// ---------------------------------------------------------------------------------------------------- undo

static void undo_param(const sp_undo_param *u) {
    if (u->gravity) {
        *u->gravity = u->old_gravity;
        return;
    }
    *u->param.value = u->old;
    if (u->param.changed) u->param.changed(u->body);
    if (u->body) u->body->retune = true;
}

static void undo_remains(sp_undo_body *u) {
    if (!u->exchanged) return;
    sp_remains *now = u->body->ops->removal->use(u->body, u->remains);
    u->body->ops->removal->free(u->body, &now);
    u->remains = NULL, u->exchanged = false;
}

static void undo_body(sp_undo_body *u) {
    sp_body *b = u->body;
    undo_remains(u);
    copy_tier(b, u->data, true);
    b->loads.spring_count = u->spring_count;
    if (u->spring_count) memcpy(b->loads.springs, u->data + u->size, (size_t)u->spring_count * sizeof *b->loads.springs);
    b->retune = true;
    b->ops->refresh(b);
}

// Restores tiers first, then parameters in reverse order: the value of a parameter that changed before the tier was copied is
// older than the copy.
void sp__journal_undo(sp_world *w) {
    sp_journal *j = &w->journal;
    for (int i = 0; i < j->body_count; i++)
        if (j->bodies[i].used) undo_body(&j->bodies[i]);
    for (int i = j->param_count - 1; i >= 0; i--) undo_param(&j->params[i]);
    sp__journal_clear(w);
}

static void free_remains(sp_undo_body *u) {
    if (u->exchanged) u->body->ops->removal->free(u->body, &u->remains);
    u->exchanged = false;
}

void sp__journal_clear(sp_world *w) {
    w->journal.param_count = 0;
    for (int i = 0; i < w->journal.body_count; i++) {
        free_remains(&w->journal.bodies[i]);
        w->journal.bodies[i].used = false;
    }
}

void sp__journal_forget(sp_world *w, sp_body *b) {
    sp_journal *j = &w->journal;
    for (int i = 0; i < j->body_count; i++) {
        if (j->bodies[i].body != b) continue;
        free_remains(&j->bodies[i]);
        sp__free(w->ctx, j->bodies[i].data);
        j->bodies[i] = j->bodies[--j->body_count];
        return;
    }
}

void sp__journal_free(sp_world *w) {
    for (int i = 0; i < w->journal.body_count; i++) sp__free(w->ctx, w->journal.bodies[i].data);
    sp__free(w->ctx, w->journal.bodies);
    sp__free(w->ctx, w->journal.params);
}
