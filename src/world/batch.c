// Batches: worlds that run on the workers of the context, each on one thread. Their contexts share constant arrays (core/share.h)
// and start no tasks and no background jobs of their own, so that nothing in a step depends on the other worlds.
//
// Worlds are dealt out to lanes. A lane is a task: it runs its worlds one after the other, and they have their scratch in common.
// More lanes balance worlds of different cost better, fewer need less memory.
#include "souple/batch.h"

#include <stdio.h>

#include "core/share.h"
#include "world/world_internal.h"

// Lanes of each worker, if there are several; most worlds of a lane, whose lists are searched without an index.
enum { LANES = 8, LANE_WORLDS = 256 };

typedef struct batch_view {
    char body[64], field[32];
    double *values;
    size_t capacity;  // numbers
    struct batch_view *next;
} batch_view;

struct sp_batch {
    sp_context *ctx;
    sp_share *share;
    sp_lane **lanes;
    int count, lane_count;  // world i is in lane i % lane_count
    sp_world **worlds;
    sp_checkpoint *start;  // of each world, for sp_batch_reset; equal ones are one array
    sp_status *status;
    unsigned char *mark;  // 1: the world takes part in the current call
    batch_view *views;
};

sp_batch_def sp_batch_def_default(void) {
    sp_batch_def def = {.world = sp_world_def_default(), .cookie = SP_COOKIE_BATCH};
    def.world.snapshots = false, def.world.snapshot_slots = 2;
    return def;
}

// A failure of a world, also in the context of the batch.
static sp_status batch_failed(sp_batch *b, int world, sp_status status) {
    const sp_error e = *sp_world_error(b->worlds[world]);
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
    SP_TRY(sp__world_create(b->ctx, &def->world, b->lanes[index % b->lane_count], &b->worlds[index]));
    b->count = index + 1;
    SP_TRY(def->build(def->user, index, b->worlds[index]));
    return keep_start(b, index);
}

static int lanes_of(int workers, int count) {
    const int for_workers = workers > 1 ? LANES * workers : 1, for_worlds = (count + LANE_WORLDS - 1) / LANE_WORLDS;
    const int wanted = for_workers > for_worlds ? for_workers : for_worlds;
    return count < wanted ? count : wanted;
}

static sp_status batch_reserve(sp_batch *b, int count) {
    const int lanes = lanes_of(sp__workers(b->ctx), count);
    SP_TRY(sp__share_create(b->ctx, &b->share));
    if (!SP_NEW(b->ctx, b->worlds, count) || !SP_NEW(b->ctx, b->start, count) || !SP_NEW(b->ctx, b->status, count) ||
        !SP_NEW(b->ctx, b->mark, count) || !SP_NEW(b->ctx, b->lanes, lanes))
        return SP_NO_MEMORY;
    for (; b->lane_count < lanes; b->lane_count++)
        SP_TRY(sp__lane_create(b->share, (count + lanes - 1) / lanes, &b->lanes[b->lane_count]));
    return SP_OK;
}

sp_status sp_batch_create(sp_context *ctx, const sp_batch_def *def, sp_batch **out) {
    sp_batch *b;
    *out = NULL;
    SP_TRY(batch_check(ctx, def));
    if (!SP_NEW(ctx, b, 1)) return SP_FAIL(ctx, SP_NO_MEMORY, "no memory for a batch of %d worlds", def->count);
    b->ctx = ctx;
    sp_status status = batch_reserve(b, def->count);
    if (status < 0) SP_FAIL(ctx, status, "no memory for a batch of %d worlds", def->count);
    for (int i = 0; i < def->count && status >= 0; i++) status = build_world(b, def, i);
    if (status < 0)
        sp_batch_destroy(&b);
    else
        *out = b;
    return status < 0 ? status : SP_OK;
}

static void destroy_worlds(sp_batch *b) {
    for (int i = 0; i < b->count; i++) {
        if (b->worlds[i]) sp_checkpoint_free(b->worlds[i], &b->start[i]);
        sp_world_destroy(&b->worlds[i]);
    }
}

void sp_batch_destroy(sp_batch **batch) {
    sp_batch *b = batch ? *batch : NULL;
    if (!b) return;
    *batch = NULL;
    destroy_worlds(b);
    for (batch_view *next, *v = b->views; v; v = next) {
        next = v->next;
        sp__free(b->ctx, v->values), sp__free(b->ctx, v);
    }
    for (int i = 0; i < b->lane_count; i++) sp__lane_destroy(&b->lanes[i]);
    sp__share_destroy(&b->share);
    sp__free(b->ctx, b->worlds), sp__free(b->ctx, b->start), sp__free(b->ctx, b->status);
    sp__free(b->ctx, b->lanes), sp__free(b->ctx, b->mark);
    sp__free(b->ctx, b);
}

int sp_batch_count(const sp_batch *b) {
    return b->count;
}

sp_world *sp_batch_world(sp_batch *b, int index) {
    return index >= 0 && index < b->count ? b->worlds[index] : NULL;
}

void sp_batch_get_memory(const sp_batch *b, sp_batch_memory *out) {
    sp__share_bytes(b->share, &out->bytes, &out->constant, &out->lent);
}

// ---------------------------------------------------------------------------------------------------- steps and resets

typedef struct batch_call {
    sp_batch *b;
    sp_status (*of_world)(const struct batch_call *call, sp_world *world, int index);
    double h;
    int steps;
} batch_call;

static void run_lane(void *arg, int lane, int worker) {
    const batch_call *call = arg;
    sp_batch *b = call->b;
    (void)worker;
    for (int i = lane; i < b->count; i += b->lane_count)
        b->status[i] = b->mark[i] ? call->of_world(call, b->worlds[i], i) : SP_OK;
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

static sp_status run_marked(batch_call call) {
    sp__parallel(call.b->ctx, call.b->lane_count, run_lane, &call);
    return batch_worst(call.b);
}

static sp_status mark_listed(sp_batch *b, const int *indices, int count) {
    memset(b->mark, 0, (size_t)b->count);
    for (int i = 0; i < count; i++) {
        SP_TRY(check_index(b, indices[i]));
        if (b->mark[indices[i]]++) return SP_FAIL(b->ctx, SP_BAD_INPUT, "world %d is twice in a list of worlds", indices[i]);
    }
    return SP_OK;
}

// All steps of a world before the next world: its data are read from memory once.
static sp_status step_world(const batch_call *call, sp_world *world, int index) {
    sp_status worst = SP_OK;
    (void)index;
    for (int k = 0; k < call->steps && worst >= 0; k++) worst = sp__worst(worst, sp_world_step(world, call->h));
    return worst;
}

sp_status sp_batch_run(sp_batch *b, double h, int steps, const int *indices, int count) {
    if (steps < 1) return SP_FAIL(b->ctx, SP_BAD_INPUT, "%d steps of a batch, must be >= 1", steps);
    if (indices)
        SP_TRY(mark_listed(b, indices, count));
    else
        memset(b->mark, 1, (size_t)b->count);
    return run_marked((batch_call){b, step_world, h, steps});
}

sp_status sp_batch_step(sp_batch *b, double h) {
    return sp_batch_run(b, h, 1, NULL, 0);
}

sp_status sp_batch_step_some(sp_batch *b, double h, const int *indices, int count) {
    SP_TRY(mark_listed(b, indices, count));
    return run_marked((batch_call){b, step_world, h, 1});
}

const sp_status *sp_batch_statuses(const sp_batch *b) {
    return b->status;
}

static sp_status reset_world(const batch_call *call, sp_world *world, int index) {
    const sp_checkpoint *start = &call->b->start[index];
    sp_world_drop_edits(world);
    return sp_world_restore(world, start->data, start->size);
}

sp_status sp_batch_reset(sp_batch *b, const int *indices, int count) {
    SP_TRY(mark_listed(b, indices, count));
    return run_marked((batch_call){.b = b, .of_world = reset_world});
}

sp_status sp_batch_keep(sp_batch *b, int index) {
    SP_TRY(check_index(b, index));
    return keep_start(b, index);
}

// ---------------------------------------------------------------------------------------------------- views

typedef struct batch_gather {
    sp_batch *b;
    const batch_view *view;
    size_t numbers;      // of a world
    atomic_int refused;  // the lowest world that has no numbers; count: none
} batch_gather;

static void gather_lane(void *arg, int lane, int worker) {
    batch_gather *g = arg;
    const batch_view *v = g->view;
    (void)worker;
    for (int i = lane; i < g->b->count; i += g->b->lane_count) {
        sp_world *w = g->b->worlds[i];
        int lowest = atomic_load(&g->refused);
        if (sp_world_field(w, sp_world_body_named(w, v->body), v->field, v->values + (size_t)i * g->numbers) >= 0) continue;
        while (i < lowest && !atomic_compare_exchange_weak(&g->refused, &lowest, i)) {}
    }
}

// Every world must have as many numbers as world 0.
static sp_status check_field(sp_batch *b, const char *body, const char *field, sp_field_info *first) {
    for (int i = 0; i < b->count; i++) {
        sp_field_info info = {0};
        sp_world *w = b->worlds[i];
        const sp_body_id id = sp_world_body_named(w, body);
        if (id.slot == 0) return SP_FAIL(b->ctx, SP_BAD_INPUT, "world %d of the batch has no body '%.63s'", i, body);
        const sp_status status = sp_world_field_info(w, id, field, &info);
        if (status < 0) return batch_failed(b, i, status);
        if (i == 0) *first = info;
        if (info.count != first->count || info.components != first->components)
            return SP_FAIL(b->ctx, SP_BAD_INPUT, "field '%s' of body '%s' has %d items in world %d, and %d in world 0", field,
                           body, info.count, i, first->count);
    }
    return SP_OK;
}

// The view of this field with memory for so many numbers. One that is too small stays without a name: a caller may hold its
// array.
static sp_status open_view(sp_batch *b, const char *body, const char *field, size_t numbers, batch_view **out) {
    batch_view *small = b->views, *v;
    while (small && (strcmp(small->body, body) != 0 || strcmp(small->field, field) != 0)) small = small->next;
    *out = small;
    if (small && numbers <= small->capacity) return SP_OK;
    double *values = sp__alloc_uninitialised(b->ctx, numbers, sizeof *values);
    if (!values || !SP_NEW(b->ctx, v, 1)) {
        sp__free(b->ctx, values);
        return SP_FAIL(b->ctx, SP_NO_MEMORY, "no memory for the field '%s' of %d worlds", field, b->count);
    }
    if (small) small->body[0] = small->field[0] = 0;
    snprintf(v->body, sizeof v->body, "%s", body), snprintf(v->field, sizeof v->field, "%s", field);
    v->values = values, v->capacity = numbers;
    v->next = b->views, b->views = *out = v;
    return SP_OK;
}

sp_status sp_batch_field(sp_batch *b, const char *body, const char *field, sp_batch_view *out) {
    batch_gather g = {.b = b};
    batch_view *view;
    sp_field_info info = {0};
    SP_TRY(check_field(b, body, field, &info));
    g.numbers = (size_t)info.count * (size_t)info.components;
    SP_TRY(open_view(b, body, field, (size_t)b->count * g.numbers, &view));
    g.view = view;
    atomic_init(&g.refused, b->count);
    sp__parallel(b->ctx, b->lane_count, gather_lane, &g);
    const int refused = atomic_load(&g.refused);
    if (refused < b->count) return batch_failed(b, refused, sp_world_error(b->worlds[refused])->status);
    *out = (sp_batch_view){view->values, b->count, info.count, info.components};
    return SP_OK;
}
