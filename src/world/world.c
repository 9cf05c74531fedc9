// Creation and destruction of a world, error records, the lock that admits one thread, the hash.
#include <stdio.h>

#include "backend/backend.h"
#include "collide/volume.h"
#include "core/background.h"
#include "core/share.h"
#include "world/world_internal.h"

// ---------------------------------------------------------------------------------------------------- failures, lock, events

// records the failure in the world and in the host's context, because calls on runs, pictures and recordings report errors there
static void world_keep_error(sp_world *w, const sp_error *e) {
    pthread_mutex_lock(&w->error_lock);
    w->error = *e;
    w->noted = true;
    pthread_mutex_unlock(&w->error_lock);
    sp_context_keep_error(w->ctx->host, e);
}

sp_status sp__world_fail(sp_world *w, sp_status status, const char *file, int line, const char *format, ...) {
    sp_error e;
    va_list args;
    va_start(args, format);
    sp__error_set(&e, status, file, line, format, args);
    va_end(args);
    world_keep_error(w, &e);
    return status;
}

sp_status sp__world_body_failed(sp_world *w, sp_body *b, sp_status status) {
    sp_error e = w->ctx->error;
    // a failure without a message: memory ran out in an inner function
    if (e.status != status) {
        e = (sp_error){.status = status, .file = __FILE__, .line = __LINE__, .index = -1};
        snprintf(e.message, sizeof e.message, "body '%s': %s", b ? b->name : "", sp_status_text(status));
    }
    if (b && !e.body[0]) memcpy(e.body, b->name, sizeof e.body);
    world_keep_error(w, &e);
    w->ctx->error = (sp_error){.index = -1};
    return status;
}

sp_context *sp_world_context(const sp_world *w) {
    return w->ctx->host;
}

const char *sp_world_backend(const sp_world *w) {
    return sp__backend_find(w->backend)->name;
}

// Returns a copy per calling thread, as sp_context_error does.
const sp_error *sp_world_error(const sp_world *w) {
    static _Thread_local sp_error copy;
    pthread_mutex_t *lock = &((sp_world *)w)->error_lock;
    pthread_mutex_lock(lock);
    copy = w->error;
    pthread_mutex_unlock(lock);
    return &copy;
}

sp_status sp__world_enter(sp_world *w) {
    if (atomic_exchange_explicit(&w->busy, true, memory_order_acquire))
        return WORLD_FAIL(w, SP_BUSY, "another thread steps, restores or queries this world");
    pthread_mutex_lock(&w->error_lock);
    w->noted = false;
    pthread_mutex_unlock(&w->error_lock);
    w->ctx->error = (sp_error){.index = -1};
    if (w->ctx->lane) sp__lane_spoil(w->ctx->lane);
    return SP_OK;
}

// records a failure that has only the message of a body or solver, or none
static void world_note(sp_world *w, sp_status status) {
    pthread_mutex_lock(&w->error_lock);
    bool noted = w->noted && w->error.status == status;
    pthread_mutex_unlock(&w->error_lock);
    if (noted) return;
    sp_error e = w->ctx->error;
    if (e.status != status) {
        e = (sp_error){.status = status, .file = __FILE__, .line = __LINE__, .index = -1};
        snprintf(e.message, sizeof e.message, "%s", sp_status_text(status));
    }
    world_keep_error(w, &e);
}

sp_status sp__world_leave(sp_world *w, sp_status status) {
    if (status < 0) world_note(w, status);
    atomic_store_explicit(&w->busy, false, memory_order_release);
    return status;
}

const char *sp__world_take_reason(sp_world *w) {
    pthread_mutex_lock(&w->error_lock);
    const char *why = w->noted ? w->error.message : w->ctx->error.message;
    w->noted = false;
    pthread_mutex_unlock(&w->error_lock);
    return why;
}

void sp__event(sp_world *w, sp_status status, const char *format, ...) {
    sp_events *e = w->trial_events;
    va_list args;
    va_start(args, format);
    int place = e->count < SP_EVENT_MAX ? e->count : SP_EVENT_MAX - 1;
    sp_event *event = &e->list[place];
    *event = (sp_event){.step = w->steps + 1, .time = w->trial.time, .status = status};
    vsnprintf(event->text, sizeof event->text, format, args);
    va_end(args);
    if (e->count >= SP_EVENT_MAX) snprintf(event->text, sizeof event->text, "more events than the %d kept", SP_EVENT_MAX);
    e->count = place + 1;
}

// ---------------------------------------------------------------------------------------------------- creation, hash

sp_world_def sp_world_def_default(void) {
    return (sp_world_def){.gravity = {sp_signal_constant(0), sp_signal_constant(-9.81), sp_signal_constant(0)},
                          .backend = "auto",
                          .snapshot_slots = 4,
                          .snapshots = true,
                          .deterministic = true,
                          .cookie = SP_COOKIE_WORLD};
}

static sp_status world_check_def(sp_context *ctx, const sp_world_def *def) {
    if (def->cookie != SP_COOKIE_WORLD)
        return SP_FAIL(ctx, SP_BAD_INPUT, "sp_world_def did not start from sp_world_def_default()");
    if (def->snapshot_slots < 2 || def->snapshot_slots > SP_SNAPSHOT_MAX)
        return SP_FAIL(ctx, SP_BAD_INPUT, "snapshot_slots = %d, must be in [2, %d]", def->snapshot_slots, SP_SNAPSHOT_MAX);
    if ((unsigned)def->on_limit > SP_LIMIT_FAIL || (unsigned)def->on_failure > SP_FAILURE_FREEZE)
        return SP_FAIL(ctx, SP_BAD_INPUT, "on_limit = %d, on_failure = %d: unknown", (int)def->on_limit, (int)def->on_failure);
    sp_error e;
    for (int a = 0; a < 3; a++)
        if (!def->gravity[a].eval && sp__check_gravity(&e, a, def->gravity[a].constant) < 0)
            return SP_FAIL(ctx, SP_BAD_INPUT, "%s", e.message);
    if (!def->backend || strcmp(def->backend, "auto") == 0) return SP_OK;
    for (int i = 0; sp_backend_name(i); i++)
        if (strcmp(sp_backend_name(i), def->backend) == 0) return SP_OK;
    return SP_FAIL(ctx, SP_UNAVAILABLE, "backend '%s': this build has auto, ref and cpu", def->backend);
}

static bool world_make_locks(sp_world *w) {
    pthread_mutex_t *locks[] = {&w->error_lock, &w->edit_lock, &w->snapshot_lock};
    for (int i = 0; i < 3; i++)
        if (pthread_mutex_init(locks[i], NULL) != 0) {
            while (i-- > 0) pthread_mutex_destroy(locks[i]);
            return false;
        }
    return w->locks_made = true;
}

static bool world_reserve(sp_world *w) {
    if (!world_make_locks(w)) return false;
    const int edits = w->ctx->share ? SP_EDIT_ROOM_BATCH : SP_EDIT_ROOM;
    if (!SP_NEW(w->ctx, w->events, 1) || !SP_NEW(w->ctx, w->trial_events, 1)) return false;
    if (!SP_NEW(w->ctx, w->snapshot_slots, w->def.snapshot_slots)) return false;
    return sp__edits_reserve(w->ctx, &w->pending, edits) >= 0 && sp__edits_reserve(w->ctx, &w->batch, edits) >= 0 &&
           sp__edits_reserve(w->ctx, &w->taken, edits) >= 0;
}

sp_status sp__world_create(sp_context *ctx, const sp_world_def *def, struct sp_lane *lane, sp_world **out) {
    *out = NULL;
    sp_world_def usual = sp_world_def_default();
    if (!def) def = &usual;
    SP_TRY(world_check_def(ctx, def));
    sp_world *w = sp__alloc(ctx, 1, sizeof *w);
    if (!w) return SP_FAIL(ctx, SP_NO_MEMORY, "no memory for a world");
    if (sp__context_branch(ctx, &w->branch) < 0) {
        sp__free(ctx, w);
        return SP_FAIL(ctx, SP_NO_MEMORY, "no memory for a world");
    }
    if (lane) sp__context_branch_share(&w->branch, lane);
    w->ctx = &w->branch;
    w->def = *def;
    snprintf(w->backend, sizeof w->backend, "%s", def->backend ? def->backend : "auto");
    w->def.backend = w->backend;
    for (int a = 0; a < 3; a++) w->gravity[a].signal = def->gravity[a];
    w->error.index = -1;
    w->newest = w->inject = -1;
    w->step = sp__step_default(0);
    if (!world_reserve(w)) {
        sp_world_destroy(&w);
        return SP_FAIL(ctx, SP_NO_MEMORY, "no memory for a world");
    }
    w->hash = sp__world_compute_hash(w);
    *out = w;
    return SP_OK;
}

sp_status sp_world_create(sp_context *ctx, const sp_world_def *def, sp_world **out) {
    return sp__world_create(ctx, def, NULL, out);
}

void sp_world_destroy(sp_world **world) {
    sp_world *w = world ? *world : NULL;
    if (!w) return;
    sp_context *ctx = w->ctx->host;
    for (int i = 0; i < w->body_count; i++) w->bodies[i]->ops->destroy(w->bodies[i]);
    sp__snapshots_free(w);
    sp__journal_free(w);
    sp__pairs_free(w);
    sp__constraints_destroy(&w->constraints);
    sp__pair_rules_destroy(&w->pair_rules);
    sp__world_links_free(w);
    sp__contact_matrix_free(w);
    sp__contacts_free(w->ctx, &w->contacts);
    sp__free(ctx, w->pending.list), sp__free(ctx, w->batch.list), sp__free(ctx, w->taken.list);
    for (int i = 0; i < w->slot_count; i++) sp__free(ctx, w->slots[i].removing);
    sp__free(ctx, w->slots), sp__free(ctx, w->bodies), sp__free(ctx, w->obstacles.list);
    sp__free(ctx, w->events), sp__free(ctx, w->trial_events), sp__free(ctx, w->snapshot_slots);
    if (w->locks_made) {
        pthread_mutex_destroy(&w->error_lock);
        pthread_mutex_destroy(&w->edit_lock);
        pthread_mutex_destroy(&w->snapshot_lock);
    }
    sp__background_wait_abandoned(ctx);  // abandoned background tasks of solvers still use the branch
    sp__context_branch_end(&w->branch);
    sp__free(ctx, w);
    *world = NULL;
}

double sp__gravity_at(const sp_gravity *g, double t) {
    return g->set ? g->value : sp_signal_value(&g->signal, t);
}

static uint64_t world_hash_text(const char *text) {
    uint64_t hash = 0xCBF29CE484222325ull;  // FNV-1a
    for (; *text; text++) hash = (hash ^ (unsigned char)*text) * 0x100000001B3ull;
    return hash;
}

uint64_t sp__world_compute_hash(sp_world *w) {
    uint64_t bits;
    memcpy(&bits, &w->time, sizeof bits);
    uint64_t hash = sp__mix(bits, w->steps);
    for (int i = 0; i < w->body_count; i++) {
        sp_body *b = w->bodies[i];
        hash = sp__mix(hash ^ (b->ops->hash(b) + sp__loads_hash(b)), world_hash_text(b->name));
    }
    if (w->constraints) hash ^= sp__constraints_hash(w->constraints);
    return hash ^ sp__world_links_hash(w);
}

// ---------------------------------------------------------------------------------------------------- contact

sp_contact_def sp_contact_def_default(void) {
    return (sp_contact_def){.passes = 3,
                            .enabled = 1,
                            .slack = 0.5,
                            .solver = {.facets = 4, .sweeps = 500, .tolerance = 1e-6, .warm_start = true},
                            .cookie = SP_COOKIE_CONTACT};
}

static sp_status check_contact_solver(sp_world *w, const sp_contact_solver_def *s) {
    if (!(s->tolerance > 0) || s->sweeps < 1)
        return WORLD_FAIL(w, SP_BAD_INPUT, "contact solver: tolerance = %g, must be > 0; sweeps = %d, must be >= 1", s->tolerance,
                          s->sweeps);
    if (s->facets < SP_CONE_FACETS_MIN || s->facets > SP_CONE_FACETS_MAX)
        return WORLD_FAIL(w, SP_BAD_INPUT, "contact solver: facets = %d, must be in [%d, %d]", s->facets, SP_CONE_FACETS_MIN,
                          SP_CONE_FACETS_MAX);
    if (!(s->budget_ms >= 0) || !isfinite(s->budget_ms))
        return WORLD_FAIL(w, SP_BAD_INPUT, "contact solver: budget = %g ms, must be finite and >= 0", s->budget_ms);
    if ((unsigned)s->method > SP_CONTACT_DIRECT || (unsigned)s->local > SP_CONTACT_NEWTON ||
        (unsigned)s->cone > SP_CONTACT_FACETS || (unsigned)s->strategy > SP_CONTACT_COL)
        return WORLD_FAIL(w, SP_BAD_INPUT, "contact solver: method %d, local %d, cone %d or strategy %d is unknown",
                          (int)s->method, (int)s->local, (int)s->cone, (int)s->strategy);
    if (s->cone == SP_CONTACT_FACETS && (s->method == SP_CONTACT_GAUSS_SEIDEL || s->method == SP_CONTACT_INTERIOR_POINT))
        return WORLD_FAIL(w, SP_BAD_INPUT, "contact solver: a cone with facets needs the method auto or direct");
    return SP_OK;
}

static sp_status check_volume(sp_world *w, const sp_contact_def *def) {
    if ((unsigned)def->formulation > SP_CONTACT_VOLUME_PENALTY || (unsigned)def->law > SP_CONTACT_VISCOUS)
        return WORLD_FAIL(w, SP_BAD_INPUT, "contact: formulation = %d, must be one of sp_contact_formulation; law = %d, 0 or 1",
                          (int)def->formulation, (int)def->law);
    if (!(def->pixel >= 0) || !isfinite(def->pixel) || (sp__contact_is_volume(def->formulation) && def->pixel == 0))
        return WORLD_FAIL(w, SP_BAD_INPUT, "contact: pixel = %g m, must be finite and > 0 for volumes", def->pixel);
    if (def->cell < 0 || def->cell > SP_CONTACT_CELL_MAX || !(def->slack >= 0) || !isfinite(def->slack))
        return WORLD_FAIL(w, SP_BAD_INPUT, "contact: cell = %d pixels, must be in [0, %d]; slack = %g pixels, must be >= 0",
                          def->cell, SP_CONTACT_CELL_MAX, def->slack);
    if (def->layers < 0 || def->layers > SP_VOLUME_LAYERS_MOST)
        return WORLD_FAIL(w, SP_BAD_INPUT, "contact: layers = %d, must be in [0, %d]", def->layers, SP_VOLUME_LAYERS_MOST);
    if (!(def->viscosity >= 0) || !isfinite(def->viscosity))
        return WORLD_FAIL(w, SP_BAD_INPUT, "contact: viscosity = %g N s/m5, must be finite and >= 0", def->viscosity);
    return SP_OK;
}

static sp_status check_contact(sp_world *w, const sp_contact_def *def) {
    if (def->cookie != SP_COOKIE_CONTACT)
        return WORLD_FAIL(w, SP_BAD_INPUT, "sp_contact_def did not start from sp_contact_def_default()");
    if (!(def->alarm >= 0) || !(def->gap >= 0) || !isfinite(def->alarm + def->gap))
        return WORLD_FAIL(w, SP_BAD_INPUT, "contact: alarm = %g m, gap = %g m, must be finite and >= 0", def->alarm, def->gap);
    if (def->passes < 0 || def->passes > 100 || (int)def->stabilisation < 0 || def->stabilisation > SP_STABILISATION_POSITION)
        return WORLD_FAIL(w, SP_BAD_INPUT, "contact: passes = %d, must be in [0, 100]; stabilisation = %d, must be in [0, 3]",
                          def->passes, (int)def->stabilisation);
    if (def->reserve < 0 || def->reserve > SP_CONTACT_RESERVE_MAX || (unsigned)def->broad > SP_CONTACT_BRUTE)
        return WORLD_FAIL(w, SP_BAD_INPUT,
                          "contact: reserve = %d, must be in [0, %d]; broad = %d, must be one of sp_contact_broad", def->reserve,
                          SP_CONTACT_RESERVE_MAX, (int)def->broad);
    SP_TRY(check_volume(w, def));
    SP_TRY(check_contact_solver(w, &def->solver));
    sp_error e;
    return sp__check_contact(&e, def) < 0 ? WORLD_FAIL(w, SP_BAD_INPUT, "%s", e.message) : SP_OK;
}

sp_status sp_world_set_contact(sp_world *w, const sp_contact_def *def) {
    SP_TRY(sp__world_enter(w));
    sp_status status = def ? check_contact(w, def) : SP_OK;
    for (int i = 0; def && status >= 0 && i < w->body_count; i++) status = sp__world_check_contact(w, w->bodies[i], def);
    if (status >= 0) {
        // colliders know whether they touch themselves
        if (def && w->constraints && (def->self != w->contact.self || def->formulation != w->contact.formulation))
            sp__constraints_forget(w->constraints);
        w->has_contact = def != NULL;
        if (def) w->contact = *def;
        if (!def || def->formulation == SP_CONTACT_PENALTY) sp__world_contacts_forget(w, 0);
        sp__world_couple(w);
        w->hash = sp__world_compute_hash(w);
    }
    return sp__world_leave(w, status);
}

bool sp_world_get_contact(const sp_world *w, sp_contact_def *out) {
    if (w->has_contact) *out = w->contact;
    return w->has_contact;
}

const char *sp_stage_name(sp_stage stage) {
    switch (stage) {
#define SP_X(id, name, text) \
    case SP_STAGE_##id: return name;
        SP_STAGE_LIST(SP_X)
#undef SP_X
    case SP_STAGE_COUNT: break;
    }
    return "unknown";
}
