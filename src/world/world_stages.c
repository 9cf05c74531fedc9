// The stages of a step that are not edits: prescribe, free motion, guard, commit, publish; and the way back.
#include "body/drive.h"
#include "contact/penalty.h"
#include "world/world_internal.h"

// ---------------------------------------------------------------------------------------------------- prescribe

static void prescribe_body(sp_world *w, sp_body *b) {
    b->loads.contact = w->has_contact ? &w->contact : NULL;
    b->loads.response = &sp__penalty_response;
    b->loads.obstacles = &w->obstacles;
    sp__loads_prescribe(b, &w->step);
    b->ops->prescribe(b, &w->step);
}

static void prescribe_all(sp_world *w, double t, double h) {
    w->step = sp__step_default(h);
    w->step.time = t, w->step.number = w->trial.step, w->step.deterministic = w->def.deterministic;
    for (int a = 0; a < 3; a++) w->step.gravity[a] = sp__gravity_at(&w->gravity[a], t);
    // kinematic bodies first: the others may look at them
    for (int kinematic = 1; kinematic >= 0; kinematic--)
        for (int i = 0; i < w->body_count; i++)
            if (!!(w->bodies[i]->caps & SP_CAP_KINEMATIC) == kinematic) prescribe_body(w, w->bodies[i]);
}

sp_status sp__prescribe(sp_world *w, double h) {
    prescribe_all(w, w->trial.time, h);
    return SP_OK;
}

void sp__prescribe_now(sp_world *w) {
    prescribe_all(w, w->time, 0);
}

// ---------------------------------------------------------------------------------------------------- free motion

// held where it is, without velocity
static void hold(sp_world *w, sp_body *b) {
    const sp_step step = sp__body_step(b, &w->step);
    memcpy(b->q[SP_TRIAL], b->q[SP_COMMITTED], (size_t)b->nq * sizeof(double));
    memset(b->v[SP_TRIAL], 0, (size_t)b->nv * sizeof(double));
    sp__loads_begin(b, &step);
}

// A failure of one body: of the whole step, or of this body alone where the world was told so. Memory is never its own affair.
static sp_status failed(sp_world *w, sp_body *b, sp_status status) {
    if (w->def.on_failure != SP_FAILURE_FREEZE || status == SP_NO_MEMORY) return sp__world_body_failed(w, b, status);
    sp__event(w, SP_FROZEN, "body '%s' is held at its last good state: %s", b->name, w->body_error.message);
    b->frozen = b->froze_now = true;
    if (b->ops->undo) b->ops->undo(b);
    hold(w, b);
    return SP_FROZEN;
}

static sp_hand_over replay_swap(const sp_slot *slot) {
    return !slot->told ? SP_HAND_OVER_FREE : slot->take_over ? SP_HAND_OVER_NOW : SP_HAND_OVER_LATER;
}

sp_status sp__free_motion(sp_world *w, double h) {
    (void)h;
    sp_status worst = SP_OK;
    for (int i = 0; i < w->body_count; i++) {
        sp_body *b = w->bodies[i];
        sp_status status = SP_FROZEN;
        sp_step step = w->step;
        step.swap = replay_swap(sp__world_slot(w, b));
        if (b->frozen)
            hold(w, b);
        else
            status = sp__drive(b, &step, w->def.on_limit);
        if (status < 0) status = failed(w, b, status);
        SP_TRY(status);
        worst = sp__reserve(w, worst, status);
    }
    return worst;
}

// ---------------------------------------------------------------------------------------------------- guard

// index of the first number that is not finite, or n
static int first_bad(const double *x, int n) {
    // 0 * x is 0 or NaN: four running sums tell for the whole array without a branch
    double s[4] = {0};
    int i = 0;
    for (; i + 4 <= n; i += 4)
        for (int k = 0; k < 4; k++) s[k] += 0 * x[i + k];
    for (; i < n; i++) s[0] += 0 * x[i];
    if (s[0] + s[1] + s[2] + s[3] == 0) return n;
    for (i = 0; i < n && isfinite(x[i]); i++) {}
    return i;
}

static sp_status guard_body(sp_body *b) {
    int q = first_bad(b->q[SP_TRIAL], b->nq), v = first_bad(b->v[SP_TRIAL], b->nv);
    if (q == b->nq && v == b->nv) return b->ops->settle ? b->ops->settle(b, NULL, SP_TRIAL) : SP_OK;
    bool place = q < b->nq;
    double seen = place ? b->q[SP_TRIAL][q] : b->v[SP_TRIAL][v];
    const char *what = place ? "position" : "velocity";
    if (b->nv == 0) return SP_BODY_FAIL(b, SP_NOT_FINITE, "body '%s': number %d of its pose is %g", b->name, q, seen);
    int64_t node = sp__body_node_of(b, place ? q : v);
    sp_status status = SP_BODY_FAIL(b, SP_NOT_FINITE, "body '%s': a %s of node %lld is %g", b->name, what, (long long)node, seen);
    b->error->index = node;
    return status;
}

sp_status sp__guard(sp_world *w, double h) {
    (void)h;
    sp_status worst = SP_OK;
    for (int i = 0; i < w->body_count; i++) {
        sp_status status = guard_body(w->bodies[i]);
        if (status < 0) status = failed(w, w->bodies[i], status);
        SP_TRY(status);
        worst = sp__reserve(w, worst, status);
    }
    return worst;
}

// ---------------------------------------------------------------------------------------------------- commit, publish, rollback

static void swap(double **pair) {
    double *committed = pair[SP_COMMITTED];
    pair[SP_COMMITTED] = pair[SP_TRIAL];
    pair[SP_TRIAL] = committed;
}

sp_status sp__commit(sp_world *w, double h) {
    for (int i = 0; i < w->body_count; i++) {
        sp_body *b = w->bodies[i];
        swap(b->q), swap(b->v);
        sp__loads_commit(b);
        b->balance[SP_COMMITTED] = b->balance[SP_TRIAL];
        b->froze_now = b->revalue = false;
    }
    sp__time_add(&w->time, &w->time_carry, h);
    w->steps++;
    sp_events *events = w->events;
    w->events = w->trial_events, w->trial_events = events;
    w->pairs.told = w->pairs.found;
    sp__edits_committed(w);
    sp__journal_clear(w);
    return SP_OK;
}

sp_status sp__publish(sp_world *w, double h) {
    (void)h;
    w->hash = sp__world_compute_hash(w);
    w->trial.hash = w->hash;
    w->trial.event_count = w->events->count;
    // on all workers; the next step starts from it
    for (int i = 0; w->def.snapshots && i < w->body_count; i++)
        if (w->bodies[i]->ops->settle) w->bodies[i]->ops->settle(w->bodies[i], NULL, SP_COMMITTED);
    if (w->def.snapshots) sp__snapshot_publish(w);
    return SP_OK;
}

// The trial state is simply not used. Parameters, springs, pins and poses go back to what they were, and so does what the signals
// of the failed end of step wrote.
void sp__rollback(sp_world *w) {
    for (int i = 0; i < w->body_count; i++) {
        sp_body *b = w->bodies[i];
        if (b->froze_now) b->frozen = b->froze_now = false;
        sp_slot *slot = sp__world_slot(w, b);
        slot->told = slot->told_before, slot->take_over = false;
        if (b->ops->undo) b->ops->undo(b);
        // what the solver began in this step shall begin anew
        if (b->solver) sp__solver_step(b->solver, w->trial.step, w->def.deterministic);
    }
    w->pairs.found = w->pairs.told;
    sp__journal_undo(w);
    sp__prescribe_now(w);
    sp__edits_returned(w);
}
