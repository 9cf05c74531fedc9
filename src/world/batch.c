// Batches: worlds that are tasks of the context, one at a time on each worker. Their contexts share constant arrays
// (core/share.h) and start no tasks or background jobs of their own, so that nothing in a step depends on the other worlds.
#include <stdio.h>

#include "core/share.h"
#include "souple/batch.h"
#include "world/world_internal.h"

typedef struct batch_view {
    char body[64], field[32];
    double *values;
    size_t capacity;  // numbers
    struct batch_view *next;
} batch_view;

struct sp_batch {
    sp_context *ctx;
    sp_share *share;
    int count;
    sp_world **worlds;
    sp_checkpoint *start;  // of each world, for sp_batch_reset; equal ones are one array
    sp_status *status;
    int *listed;          // worlds of the current step
    unsigned char *mark;  // scratch: 1 for some worlds
    batch_view *views;
};

sp_batch_def sp_batch_def_default(void) {
    sp_batch_def def = {.world = sp_world_def_default(), .cookie = SP_COOKIE_BATCH};
    def.world.snapshots = false, def.world.snapshot_slots = 2;
    return def;
}

// A failure of a world, also in the context of the batch.
static sp_status batch_failed(sp_batch *b, int world, sp_status status) {
    sp_error e = *sp_world_error(b->worlds[world]);
    return sp_context_fail(b->ctx, status, e.file, e.line, "world %d: %.440s", world, e.message);
}

static sp_status check_index(const sp_batch *b, int index) {
    if (index >= 0 && index < b->count) return SP_OK;
    return SP_FAIL(b->ctx, SP_BAD_INPUT, "world %d of a batch, must be in [0, %d]", index, b->count - 1);
}

// ---------------------------------------------------------------------------------------------------- creation

static sp_status batch_check(sp_context *ctx, const sp_batch_def *def) {
    if (!def || def->cookie != SP_COOKIE_BATCH)
        return SP_FAIL(ctx, SP_BAD_INPUT, "sp_batch_def did not start from sp_batch_def_default()");
    if (def->count < 1 || def->count > SP_BATCH_MAX)
        return SP_FAIL(ctx, SP_BAD_INPUT, "a batch of %d worlds, must be in [1, %d]", def->count, SP_BATCH_MAX);
    return def->build ? SP_OK : SP_FAIL(ctx, SP_BAD_INPUT, "sp_batch_def.build is NULL: no world can be built");
}

static sp_status keep_start(sp_batch *b, int index) {
    sp_checkpoint kept;
    sp_world *w = b->worlds[index];
    const sp_status status = sp_world_save(w, &kept);
    if (status < 0) return batch_failed(b, index, status);
    sp_checkpoint_free(w, &b->start[index]);
    SP_SHARE(w->ctx, kept.data);
    b->start[index] = kept;
    return SP_OK;
}

static sp_status build_world(sp_batch *b, const sp_batch_def *def, int index) {
    SP_TRY(sp__world_create(b->ctx, &def->world, b->share, &b->worlds[index]));
    b->count = index + 1;
    SP_TRY(def->build(def->user, index, b->worlds[index]));
    return keep_start(b, index);
}

sp_status sp_batch_create(sp_context *ctx, const sp_batch_def *def, sp_batch **out) {
    sp_batch *b;
    *out = NULL;
    SP_TRY(batch_check(ctx, def));
    if (!SP_NEW(ctx, b, 1)) return SP_FAIL(ctx, SP_NO_MEMORY, "no memory for a batch of %d worlds", def->count);
    b->ctx = ctx;
    sp_status status = sp__share_create(ctx, &b->share);
    if (status >= 0 &&
        (!SP_NEW(ctx, b->worlds, def->count) || !SP_NEW(ctx, b->start, def->count) || !SP_NEW(ctx, b->status, def->count) ||
         !SP_NEW(ctx, b->listed, def->count) || !SP_NEW(ctx, b->mark, def->count)))
        status = SP_NO_MEMORY;
    if (status < 0) SP_FAIL(ctx, status, "no memory for a batch of %d worlds", def->count);
    for (int i = 0; i < def->count && status >= 0; i++) status = build_world(b, def, i);
    if (status < 0)
        sp_batch_destroy(&b);
    else
        *out = b;
    return status < 0 ? status : SP_OK;
}

void sp_batch_destroy(sp_batch **batch) {
    sp_batch *b = batch ? *batch : NULL;
    if (!b) return;
    *batch = NULL;
    for (int i = 0; i < b->count; i++) {
        if (b->worlds[i]) sp_checkpoint_free(b->worlds[i], &b->start[i]);
        sp_world_destroy(&b->worlds[i]);
    }
    for (batch_view *next, *v = b->views; v; v = next) {
        next = v->next;
        sp__free(b->ctx, v->values), sp__free(b->ctx, v);
    }
    sp__share_destroy(&b->share);
    sp__free(b->ctx, b->worlds), sp__free(b->ctx, b->start), sp__free(b->ctx, b->status);
    sp__free(b->ctx, b->listed), sp__free(b->ctx, b->mark);
    sp__free(b->ctx, b);
}

int sp_batch_count(const sp_batch *b) {
    return b->count;
}

sp_world *sp_batch_world(sp_batch *b, int index) {
    return index >= 0 && index < b->count ? b->worlds[index] : NULL;
}

void sp_batch_memory_info(const sp_batch *b, sp_batch_memory *out) {
    sp__share_bytes(b->share, &out->bytes, &out->shared);
}

// ---------------------------------------------------------------------------------------------------- steps

typedef struct batch_step {
    sp_batch *b;
    double h;
} batch_step;

static void step_world(void *arg, int task, int worker) {
    const batch_step *s = arg;
    const int index = s->b->listed[task];
    (void)worker;
    s->b->status[index] = sp_world_step(s->b->worlds[index], s->h);
}

// The worst status of all worlds. Of several failures the context has the one of the lowest index, for any number of workers.
static sp_status batch_worst(sp_batch *b) {
    sp_status worst = SP_OK;
    int failed = -1;
    for (int i = 0; i < b->count; i++) {
        worst = sp__worst(worst, b->status[i]);
        if (failed < 0 && b->status[i] < 0) failed = i;
    }
    if (failed >= 0) batch_failed(b, failed, b->status[failed]);
    return worst;
}

static sp_status step_listed(sp_batch *b, double h, int count) {
    batch_step s = {b, h};
    for (int i = 0; i < b->count; i++) b->status[i] = SP_OK;
    sp__parallel(b->ctx, count, step_world, &s);
    return batch_worst(b);
}

sp_status sp_batch_step(sp_batch *b, double h) {
    for (int i = 0; i < b->count; i++) b->listed[i] = i;
    return step_listed(b, h, b->count);
}

static sp_status list_worlds(sp_batch *b, const int *indices, int count) {
    memset(b->mark, 0, (size_t)b->count);
    for (int i = 0; i < count; i++) {
        SP_TRY(check_index(b, indices[i]));
        if (b->mark[indices[i]]) return SP_FAIL(b->ctx, SP_BAD_INPUT, "world %d is twice in the list of a step", indices[i]);
        b->mark[indices[i]] = 1;
        b->listed[i] = indices[i];
    }
    return SP_OK;
}

sp_status sp_batch_step_some(sp_batch *b, double h, const int *indices, int count) {
    if (count < 0 || count > b->count)
        return SP_FAIL(b->ctx, SP_BAD_INPUT, "a step of %d worlds, must be in [0, %d]", count, b->count);
    SP_TRY(list_worlds(b, indices, count));
    return step_listed(b, h, count);
}

const sp_status *sp_batch_statuses(const sp_batch *b) {
    return b->status;
}

// ---------------------------------------------------------------------------------------------------- reset

sp_status sp_batch_reset(sp_batch *b, int index) {
    SP_TRY(check_index(b, index));
    sp_world *w = b->worlds[index];
    sp_world_drop_edits(w);
    b->status[index] = sp_world_restore(w, b->start[index].data, b->start[index].size);
    return b->status[index] < 0 ? batch_failed(b, index, b->status[index]) : SP_OK;
}

sp_status sp_batch_keep(sp_batch *b, int index) {
    SP_TRY(check_index(b, index));
    return keep_start(b, index);
}

// ---------------------------------------------------------------------------------------------------- views

typedef struct batch_gather {
    sp_batch *b;
    const batch_view *view;
    size_t numbers;  // of a world
} batch_gather;

static sp_body_id view_body(const batch_view *view, sp_world *w) {
    return sp_world_body_named(w, view->body);
}

static void gather_world(void *arg, int task, int worker) {
    const batch_gather *g = arg;
    sp_world *w = g->b->worlds[task];
    (void)worker;
    g->b->mark[task] = sp_world_field(w, view_body(g->view, w), g->view->field, g->view->values + (size_t)task * g->numbers) < 0;
}

// Every world must have as many numbers as world 0.
static sp_status check_view(sp_batch *b, const batch_view *view, sp_field_info *first) {
    for (int i = 0; i < b->count; i++) {
        sp_field_info info;
        sp_world *w = b->worlds[i];
        if (view_body(view, w).slot == 0)
            return SP_FAIL(b->ctx, SP_BAD_INPUT, "world %d of the batch has no body '%s'", i, view->body);
        const sp_status status = sp_world_field_info(w, view_body(view, w), view->field, &info);
        if (status < 0) return batch_failed(b, i, status);
        if (i == 0) *first = info;
        if (info.count != first->count || info.components != first->components)
            return SP_FAIL(b->ctx, SP_BAD_INPUT, "field '%s' of body '%s' has %d items in world %d, and %d in world 0",
                           view->field, view->body, info.count, i, first->count);
    }
    return SP_OK;
}

static sp_status find_view(sp_batch *b, const char *body, const char *field, batch_view **out) {
    batch_view key = {0};
    if (strlen(body) >= sizeof key.body || strlen(field) >= sizeof key.field)
        return SP_FAIL(b->ctx, SP_BAD_INPUT, "names of a body and a field have at most %zu and %zu bytes", sizeof key.body - 1,
                       sizeof key.field - 1);
    for (batch_view *v = b->views; v; v = v->next)
        if (strcmp(v->body, body) == 0 && strcmp(v->field, field) == 0) {
            *out = v;
            return SP_OK;
        }
    batch_view *v = sp__alloc(b->ctx, 1, sizeof *v);
    if (!v) return SP_FAIL(b->ctx, SP_NO_MEMORY, "no memory for a view of '%s'", body);
    snprintf(v->body, sizeof v->body, "%s", body), snprintf(v->field, sizeof v->field, "%s", field);
    v->next = b->views, b->views = v;
    *out = v;
    return SP_OK;
}

static sp_status reserve_view(sp_batch *b, batch_view *view, size_t numbers) {
    if (numbers <= view->capacity) return SP_OK;
    double *values = sp__alloc_uninitialised(b->ctx, numbers, sizeof *values);
    if (!values) return SP_FAIL(b->ctx, SP_NO_MEMORY, "no memory for the field '%s' of %d worlds", view->field, b->count);
    sp__free(b->ctx, view->values);
    view->values = values, view->capacity = numbers;
    return SP_OK;
}

sp_status sp_batch_field(sp_batch *b, const char *body, const char *field, sp_batch_view *out) {
    batch_view *view = NULL;
    sp_field_info info = {0};
    SP_TRY(find_view(b, body, field, &view));
    SP_TRY(check_view(b, view, &info));
    const size_t numbers = (size_t)info.count * (size_t)info.components;
    SP_TRY(reserve_view(b, view, (size_t)b->count * numbers));
    batch_gather g = {b, view, numbers};
    sp__parallel(b->ctx, b->count, gather_world, &g);
    for (int i = 0; i < b->count; i++)
        if (b->mark[i]) return batch_failed(b, i, sp_world_error(b->worlds[i])->status);
    *out = (sp_batch_view){view->values, b->count, info.count, info.components};
    return SP_OK;
}
