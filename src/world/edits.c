// Edits: queued from any thread, applied at the start of a step in the order (source, sequence), returned if the step fails.
//
//   pending   [ taken by the current step | arrived since ]      order of arrival; the bar is in_flight
//
// An edit stays in `pending` until its step is committed, so a failed step only resets in_flight. Continuous edits overwrite: a
// newer drag or pose replaces one that no step has taken yet.
#include "world/world_internal.h"

sp_edit sp_edit_default(sp_edit_type type) {
    return (sp_edit){.type = type, .axes = SP_AXES_ALL, .stiffness = 100, .pose = sp_pose_identity(), .density = 1000};
}

sp_status sp__edits_reserve(sp_context *ctx, sp_edits *edits, int capacity) {
    if (capacity <= edits->capacity) return SP_OK;
    sp_edit *list = sp__alloc(ctx, (size_t)capacity, sizeof *list);
    if (!list) return SP_NO_MEMORY;
    if (edits->count) memcpy(list, edits->list, (size_t)edits->count * sizeof *list);
    sp__free(ctx, edits->list);
    edits->list = list;
    edits->capacity = capacity;
    return SP_OK;
}

// ---------------------------------------------------------------------------------------------------- queue

static bool edit_finite3(const double *x) {
    return isfinite(x[0]) && isfinite(x[1]) && isfinite(x[2]);
}

static sp_status check_drag(sp_world *w, const sp_edit *e) {
    if (!edit_finite3(e->target))
        return WORLD_FAIL(w, SP_BAD_INPUT, "drag to %g %g %g, must be finite", e->target[0], e->target[1], e->target[2]);
    if (!(e->stiffness > 0) || !isfinite(e->stiffness))
        return WORLD_FAIL(w, SP_BAD_INPUT, "drag with stiffness %g, must be finite and > 0", e->stiffness);
    if (!(e->damping >= 0) || !isfinite(e->damping))
        return WORLD_FAIL(w, SP_BAD_INPUT, "drag with damping %g, must be finite and >= 0", e->damping);
    if (e->slot < 0) return WORLD_FAIL(w, SP_BAD_INPUT, "drag by slot %d, must be >= 0", e->slot);
    return SP_OK;
}

static sp_status edit_check_pose(sp_world *w, const sp_edit *e) {
    const double *q = e->pose.quat;
    double length2 = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
    if (!edit_finite3(e->pose.translate)) return WORLD_FAIL(w, SP_BAD_INPUT, "pose: translate must be finite");
    if (!(fabs(length2 - 1) < 1e-6))
        return WORLD_FAIL(w, SP_BAD_INPUT, "pose: quaternion of length %g, must be 1", sqrt(length2));
    return SP_OK;
}

static sp_status edit_check_name(sp_world *w, const sp_edit *e, const char *what) {
    if (e->path[0] && memchr(e->path, 0, sizeof e->path)) return SP_OK;
    return WORLD_FAIL(w, SP_BAD_INPUT, "name of a %s is empty or longer than %zu", what, sizeof e->path - 1);
}

// shape, size, density and velocity are checked where the body is made
static sp_status edit_check_add(sp_world *w, const sp_edit *e) {
    SP_TRY(edit_check_name(w, e, "body"));
    if (e->kinematic && e->free) return WORLD_FAIL(w, SP_BAD_INPUT, "a body is kinematic or free, not both");
    return edit_check_pose(w, e);
}

static sp_status edit_check_link(sp_world *w, const sp_edit *e) {
    SP_TRY(edit_check_name(w, e, "link"));
    if (!(e->value >= 0) || !isfinite(e->value))
        return WORLD_FAIL(w, SP_BAD_INPUT, "link that bridges %g m, must be finite and >= 0", e->value);
    if (!(e->stiffness >= 0) || !isfinite(e->stiffness) || !(e->damping >= 0) || !isfinite(e->damping))
        return WORLD_FAIL(w, SP_BAD_INPUT, "link with stiffness %g and damping %g, must be finite and >= 0", e->stiffness,
                          e->damping);
    return SP_OK;
}

// checks that need no access to bodies, because a running step owns them
static sp_status check_edit(sp_world *w, const sp_edit *e) {
    switch (e->type) {
    case SP_EDIT_PIN:
    case SP_EDIT_RELEASE:
        if (e->axes == 0 || e->axes > SP_AXES_ALL)
            return WORLD_FAIL(w, SP_BAD_INPUT, "pin of axes %u, must be SP_AXIS_ bits", e->axes);
        return e->node >= 0 ? SP_OK : WORLD_FAIL(w, SP_BAD_INPUT, "pin of node %d, must be >= 0", e->node);
    case SP_EDIT_DRAG: return check_drag(w, e);
    case SP_EDIT_DROP: return e->slot >= 0 ? SP_OK : WORLD_FAIL(w, SP_BAD_INPUT, "drop by slot %d, must be >= 0", e->slot);
    case SP_EDIT_POSE: return edit_check_pose(w, e);
    case SP_EDIT_PARAM:
        if (!e->path[0] || !memchr(e->path, 0, sizeof e->path))
            return WORLD_FAIL(w, SP_BAD_INPUT, "parameter path is empty or longer than %zu", sizeof e->path - 1);
        return isfinite(e->value) ? SP_OK : WORLD_FAIL(w, SP_BAD_INPUT, "parameter %s = %g, must be finite", e->path, e->value);
    case SP_EDIT_SWAP_PRECONDITIONER:
    case SP_EDIT_SWAP_COMPLIANCE: return SP_OK;
    case SP_EDIT_CONTACT_BUDGET:
        if (e->value >= 0 && e->value < 0x1p53 && e->value == floor(e->value)) return SP_OK;
        return WORLD_FAIL(w, SP_BAD_INPUT, "budget of contacts ends at query %g, must be an integer >= 0", e->value);
    case SP_EDIT_ATTACH:
    case SP_EDIT_DETACH: return edit_check_name(w, e, "link");
    case SP_EDIT_ADD: return edit_check_add(w, e);
    case SP_EDIT_REMOVE: return SP_OK;
    case SP_EDIT_LINK: return edit_check_link(w, e);
    case SP_EDIT_REMOVE_ELEMENT:
        return e->node >= 0 ? SP_OK : WORLD_FAIL(w, SP_BAD_INPUT, "removal of element %d, must be >= 0", e->node);
    }
    return WORLD_FAIL(w, SP_BAD_INPUT, "edit type %d is unknown", (int)e->type);
}

static bool same_body(sp_body_id a, sp_body_id b) {
    return a.slot == b.slot && a.generation == b.generation;
}

// index of the queued edit that this one replaces; -1: none
static int edit_mailbox(const sp_world *w, const sp_edit *e) {
    for (int i = w->pending.count - 1; i >= w->in_flight; i--) {
        const sp_edit *p = &w->pending.list[i];
        if (p->source != e->source) continue;
        if (e->type == SP_EDIT_POSE && p->type == SP_EDIT_POSE && same_body(p->body, e->body)) return i;
        if (e->type != SP_EDIT_DRAG || p->slot != e->slot) continue;
        if (p->type == SP_EDIT_DRAG) return i;
        if (p->type == SP_EDIT_DROP) return -1;  // the previous drag has ended: this is a new one
    }
    return -1;
}

static sp_status edit_enqueue(sp_world *w, const sp_edit *e) {
    int place = edit_mailbox(w, e);
    if (place < 0) {
        if (w->pending.count == w->pending.capacity) {
            if (w->pending.capacity > INT32_MAX / 2) return SP_NO_MEMORY;
            SP_TRY(sp__edits_reserve(w->ctx, &w->pending, 2 * w->pending.capacity));
        }
        place = w->pending.count++;
    }
    sp_edit *to = &w->pending.list[place];
    *to = *e;
    if (!to->sequence) to->sequence = w->sequence + 1;
    if (to->sequence > w->sequence) w->sequence = to->sequence;
    return SP_OK;
}

sp_status sp_world_queue(sp_world *w, const sp_edit *e) {
    SP_TRY(check_edit(w, e));
    pthread_mutex_lock(&w->edit_lock);
    sp_status status = edit_enqueue(w, e);
    pthread_mutex_unlock(&w->edit_lock);
    if (status < 0) return WORLD_FAIL(w, status, "no memory for another edit");
    return SP_OK;
}

static sp_status edit_remove(sp_world *w, const sp_edit *e) {
    sp_body *b = sp__world_body(w, e->body);
    if (!b) return sp__world_stale(w, e->body);
    sp__world_slot(w, b)->leaves = true;
    return SP_OK;
}

static sp_status apply_now(sp_world *w, const sp_edit *e) {
    switch (e->type) {
    case SP_EDIT_ADD: return sp__world_edit_add(w, e);
    case SP_EDIT_LINK: return sp__world_edit_add_link(w, e, false);
    case SP_EDIT_REMOVE: return edit_remove(w, e);
    default: return WORLD_FAIL(w, SP_BAD_INPUT, "edit type %d changes no body and adds no link: queue it", (int)e->type);
    }
}

sp_status sp_world_apply(sp_world *w, const sp_edit *e) {
    SP_TRY(check_edit(w, e));
    SP_TRY(sp__world_enter(w));
    sp_status status = apply_now(w, e);
    if (status >= 0) {
        sp__world_bodies_commit(w);
        w->hash = sp__world_compute_hash(w);
    }
    return sp__world_leave(w, status);
}

void sp_world_drop_edits(sp_world *w) {
    pthread_mutex_lock(&w->edit_lock);
    w->pending.count = w->in_flight;
    pthread_mutex_unlock(&w->edit_lock);
}

const sp_edit *sp_world_edits_taken(const sp_world *w, int *count) {
    *count = w->taken.count;
    return w->taken.list;
}

// ---------------------------------------------------------------------------------------------------- single edits

static sp_spring *find_drag(sp_body *b, uint32_t source, int slot) {
    for (int i = 0; i < b->loads.spring_count; i++) {
        sp_spring *s = &b->loads.springs[i];
        if (s->slot == slot && s->source == source) return s;
    }
    return NULL;
}

static void remove_spring(sp_body *b, sp_spring *s) {
    int at = (int)(s - b->loads.springs), rest = --b->loads.spring_count - at;
    memmove(s, s + 1, (size_t)rest * sizeof *s);
    b->retune = true;
}

// ends the drag of (source, slot) on all bodies except `keep`; found: there was one
static sp_status edit_drop(sp_world *w, const sp_edit *e, const sp_body *keep, bool *found) {
    for (int i = 0; i < w->body_count; i++) {
        sp_body *b = w->bodies[i];
        sp_spring *s = b == keep ? NULL : find_drag(b, e->source, e->slot);
        if (!s) continue;
        SP_TRY(sp__journal_body(w, b));
        remove_spring(b, s);
        *found = true;
    }
    return SP_OK;
}

static sp_status edit_refuse(sp_world *w, const char *why) {
    static const char *const names[] = {
        "pin",    "release", "drag", "drop",   "pose", "param",         "take-over", "take-over-compliance", "contact-budget",
        "attach", "detach",  "add",  "remove", "link", "remove-element"};
    const sp_edit *e = &w->batch.list[w->batch.count];
    sp__event(w, SP_EDIT_REFUSED, "%s%s%s of source %u refused: %s", names[e->type], e->path[0] ? " " : "", e->path,
              (unsigned)e->source, why);
    w->ctx->error = (sp_error){.index = -1};
    return SP_EDIT_REFUSED;
}

static sp_status apply_drag(sp_world *w, const sp_edit *e) {
    sp_body *b = sp__world_anchored(w, &e->anchor);
    bool found = false;
    if (!b) return edit_refuse(w, "its anchor is attached to no body");
    if (b->caps & SP_CAP_KINEMATIC) return edit_refuse(w, "the body moves by prescription only");
    SP_TRY(edit_drop(w, e, b, &found));
    SP_TRY(sp__journal_body(w, b));
    sp_spring drag = {.at = e->anchor,
                      .stiffness = e->stiffness,
                      .damping = e->damping,
                      .axes = SP_AXES_ALL,
                      .source = e->source,
                      .slot = e->slot,
                      .active = true};
    for (int a = 0; a < 3; a++) drag.target[a] = e->target[a], drag.to[a] = sp_signal_constant(e->target[a]);
    sp_spring *s = find_drag(b, e->source, e->slot);
    sp_status status = SP_OK;
    if (s)
        *s = drag;
    else
        status = sp__loads_add_spring(b, &drag);
    if (status < 0) return sp__world_body_failed(w, b, status);
    b->retune = true;
    return SP_OK;
}

static sp_status apply_drop(sp_world *w, const sp_edit *e) {
    bool found = false;
    SP_TRY(edit_drop(w, e, NULL, &found));
    return found ? SP_OK : edit_refuse(w, "nothing is dragged by that source and slot");
}

static sp_status apply_pin(sp_world *w, const sp_edit *e) {
    sp_body *b = sp__world_body(w, e->body);
    if (!b) return edit_refuse(w, "the body's id is null or stale");
    SP_TRY(sp__journal_body(w, b));
    if (b->ops->pin(b, e->node, e->axes, e->type == SP_EDIT_PIN) < 0) return edit_refuse(w, w->ctx->error.message);
    b->retune = true;
    return SP_OK;
}

static sp_status apply_pose(sp_world *w, const sp_edit *e) {
    sp_body *b = sp__world_body(w, e->body);
    if (!b) return edit_refuse(w, "the body's id is null or stale");
    if (!b->ops->pose) return edit_refuse(w, "the body is not kinematic");
    SP_TRY(sp__journal_body(w, b));
    return b->ops->pose(b, &e->pose) < 0 ? edit_refuse(w, w->ctx->error.message) : SP_OK;
}

static sp_status apply_param(sp_world *w, const sp_edit *e) {
    sp_param p;
    sp_body *b;
    sp_gravity *gravity;
    if (!sp__find_param(w, e->path, &p, &b, &gravity)) return edit_refuse(w, "there is no parameter of that path");
    if (!sp__param_editable(p.spec, e->value)) return edit_refuse(w, "the value is out of the parameter's range");
    if (gravity) {
        SP_TRY(sp__journal_gravity(w, gravity));
        gravity->set = true, gravity->value = e->value;
        return SP_OK;
    }
    SP_TRY(sp__journal_param(w, b, &p));
    *p.value = e->value;
    if (b) b->retune = true;
    if (p.changed) p.changed(b);
    return SP_OK;
}

static sp_status apply_swap(sp_world *w, const sp_edit *e) {
    sp_body *b = sp__world_body(w, e->body);
    if (!b) return edit_refuse(w, "the body's id is null or stale");
    if (b->caps & SP_CAP_KINEMATIC) return edit_refuse(w, "the body moves by prescription only");
    sp_slot *slot = sp__world_slot(w, b);
    if (e->type == SP_EDIT_SWAP_COMPLIANCE)
        slot->compliance_reported = slot->compliance_swap_now = true;
    else
        slot->reported = slot->swap_now = true;
    return SP_OK;
}

static sp_status apply_budget(sp_world *w, const sp_edit *e) {
    w->clock_replays = true;
    w->clock.expires_at = (int64_t)e->value;
    return SP_OK;
}

static sp_status apply_link(sp_world *w, const sp_edit *e) {
    const char *why;
    sp_status status = sp__world_edit_link(w, e->path, e->type == SP_EDIT_ATTACH, &why);
    return status == SP_EDIT_REFUSED ? edit_refuse(w, why) : status;
}

static sp_status apply_remove_element(sp_world *w, const sp_edit *e) {
    const char *why;
    sp_status status = sp__world_edit_remove_element(w, e, &why);
    return status == SP_EDIT_REFUSED ? edit_refuse(w, why) : status;
}

// A change of bodies or links that the world does not take: its reason is that of the world, or of the kind that could not make
// it.
static sp_status edit_refuse_new(sp_world *w, sp_status status) {
    if (status >= 0 || status == SP_NO_MEMORY) return status;
    return edit_refuse(w, sp__world_take_reason(w));
}

static sp_status edit_apply(sp_world *w, const sp_edit *e) {
    switch (e->type) {
    case SP_EDIT_PIN:
    case SP_EDIT_RELEASE: return apply_pin(w, e);
    case SP_EDIT_DRAG: return apply_drag(w, e);
    case SP_EDIT_DROP: return apply_drop(w, e);
    case SP_EDIT_POSE: return apply_pose(w, e);
    case SP_EDIT_PARAM: return apply_param(w, e);
    case SP_EDIT_SWAP_PRECONDITIONER:
    case SP_EDIT_SWAP_COMPLIANCE: return apply_swap(w, e);
    case SP_EDIT_CONTACT_BUDGET: return apply_budget(w, e);
    case SP_EDIT_ATTACH:
    case SP_EDIT_DETACH: return apply_link(w, e);
    case SP_EDIT_ADD: return edit_refuse_new(w, sp__world_edit_add(w, e));
    case SP_EDIT_REMOVE: return edit_refuse_new(w, edit_remove(w, e));
    case SP_EDIT_LINK: return edit_refuse_new(w, sp__world_edit_add_link(w, e, true));
    case SP_EDIT_REMOVE_ELEMENT: return apply_remove_element(w, e);
    }
    return SP_BAD_INPUT;
}

// ---------------------------------------------------------------------------------------------------- stage of the step

static bool edit_before(const sp_edit *a, const sp_edit *b) {
    return a->source != b->source ? a->source < b->source : a->sequence < b->sequence;
}

// insertion sort: stable, and fast because edits arrive almost sorted
static void sort_edits(sp_edit *list, int n) {
    for (int i = 1; i < n; i++) {
        sp_edit e = list[i];
        int j = i;
        for (; j > 0 && edit_before(&e, &list[j - 1]); j--) list[j] = list[j - 1];
        list[j] = e;
    }
}

// Copies the queued edits under the lock. Reserves the memory of both lists here, so that a commit does not allocate.
static sp_status edit_fetch(sp_world *w) {
    pthread_mutex_lock(&w->edit_lock);
    int n = w->pending.count;
    w->batch.count = 0;
    // plus two per body, for the swaps of its solver and of its compliance, and one for the budget of contacts
    sp_status status = sp__edits_reserve(w->ctx, &w->batch, w->pending.capacity + 2 * w->body_capacity + 1);
    if (status >= 0) {
        memcpy(w->batch.list, w->pending.list, (size_t)n * sizeof *w->batch.list);
        w->in_flight = n;
    }
    pthread_mutex_unlock(&w->edit_lock);
    return status;
}

sp_status sp__take_edits(sp_world *w, double h) {
    (void)h;
    for (int i = 0; i < w->body_count; i++) {
        sp_slot *slot = sp__world_slot(w, w->bodies[i]);
        slot->replay_swap_before = slot->reported, slot->swap_now = false;
        slot->compliance_swap_before = slot->compliance_reported, slot->compliance_swap_now = false;
    }
    w->clock_replayed_before = w->clock_replays;
    w->clock = (sp_cone_clock){.expires_at = w->def.deterministic || w->clock_replays ? 0 : -1};
    if (edit_fetch(w) < 0) return WORLD_FAIL(w, SP_NO_MEMORY, "no memory for the queued edits");
    int n = w->in_flight;
    sort_edits(w->batch.list, n);
    sp_status worst = SP_OK;
    // compacts the accepted edits: the current one is copied to batch.count, which advances if it is accepted
    for (int i = 0; i < n; i++) {
        sp_edit e = w->batch.list[i];
        w->batch.list[w->batch.count] = e;
        if (e.type != SP_EDIT_REMOVE_ELEMENT) SP_TRY(sp__world_removals_apply(w));
        sp_status status = edit_apply(w, &e);
        SP_TRY(status);
        worst = sp__reserve(w, worst, status);
        if (status == SP_OK) w->batch.count++;
    }
    SP_TRY(sp__world_removals_apply(w));
    return worst;
}

static void list_swap(sp_world *w, const sp_body *b, sp_edit_type type) {
    if (w->batch.count == w->batch.capacity) return;
    sp_edit *e = &w->batch.list[w->batch.count++];
    *e = sp_edit_default(type);
    e->body = b->id;
    e->sequence = ++w->sequence;
}

// Records the swaps that solvers and compliances made on their own as edits, so that a replay is exact.
static void list_swaps(sp_world *w) {
    for (int i = 0; i < w->body_count && !w->def.deterministic; i++) {
        const sp_body *b = w->bodies[i];
        const sp_slot *slot = sp__world_slot(w, b);
        if (b->frozen) continue;
        if (b->swapped && !slot->reported) list_swap(w, b, SP_EDIT_SWAP_PRECONDITIONER);
        if (b->compliance_swapped && !slot->compliance_reported) list_swap(w, b, SP_EDIT_SWAP_COMPLIANCE);
    }
}

// Records where the budget of the contact solver ended. The first solve with a budget is recorded in any case: a replay then does
// not use the time from there on.
static void list_budget(sp_world *w) {
    bool own = !w->def.deterministic && !w->clock_replays && w->clock.queries > 0;
    if (!own || (w->clock_listed && !w->clock.expired_at) || w->batch.count == w->batch.capacity) return;
    sp_edit *e = &w->batch.list[w->batch.count++];
    *e = sp_edit_default(SP_EDIT_CONTACT_BUDGET);
    e->value = (double)w->clock.expired_at;
    e->sequence = ++w->sequence;
    w->clock_listed = true;
}

void sp__edits_committed(sp_world *w) {
    pthread_mutex_lock(&w->edit_lock);
    list_swaps(w);
    list_budget(w);
    sp_edits old = w->taken;
    w->taken = w->batch;
    w->batch = old;
    int rest = w->pending.count - w->in_flight;
    memmove(w->pending.list, w->pending.list + w->in_flight, (size_t)rest * sizeof *w->pending.list);
    w->pending.count = rest;
    w->in_flight = 0;
    pthread_mutex_unlock(&w->edit_lock);
}

void sp__edits_returned(sp_world *w) {
    pthread_mutex_lock(&w->edit_lock);
    w->in_flight = 0;
    pthread_mutex_unlock(&w->edit_lock);
}
