// One step of a world: the stages in order of execution, each timed. Stages before commit change trial arrays only; a failure
// before commit is rolled back. The stages themselves: edits.c, step_motion.c, step_checks.c.
#include "world/world_internal.h"

typedef sp_status stage_fn(sp_world *w, double h);

static stage_fn stage_commit, stage_publish;
static void world_rollback(sp_world *w);

// time += h, compensated summation
static void time_add(double *time, double *carry, double h) {
    double y = h + *carry, t = *time + y;
    *carry = y - (t - *time);
    *time = t;
}

static double time_after(const sp_world *w, double h) {
    double time = w->time, carry = w->time_carry;
    time_add(&time, &carry, h);
    return time;
}

static sp_status world_run(sp_world *w, double h, sp_stage stage, stage_fn *fn) {
    double start = sp__now_ms();
    sp_status status = fn(w, h);
    w->trial.stage_ms[stage] += sp__now_ms() - start;
    if (status >= 0 && w->inject == (int)stage) {
        w->inject = -1;
        status = WORLD_FAIL(w, SP_STOPPED, "stage %s: failure requested by a test", sp_stage_name(stage));
    }
    w->trial.status = sp__reserve(w, w->trial.status, status);
    return status;
}

// From the committed to the trial state.
static sp_status world_motion(sp_world *w, double h) {
    SP_TRY(world_run(w, h, SP_STAGE_FREE_MOTION, sp__stage_free_motion));        // each body alone: A dv = b
    SP_TRY(world_run(w, h, SP_STAGE_FIND_CONTACTS, sp__stage_find_contacts));    // rows J and violations at the free state
    SP_TRY(world_run(w, h, SP_STAGE_BUILD_DELASSUS, sp__stage_build_delassus));  // W = sum of h J A^-1 J^T
    SP_TRY(world_run(w, h, SP_STAGE_SOLVE_CONTACTS, sp__stage_solve_contacts));  // impulses in their Coulomb cones
    SP_TRY(world_run(w, h, SP_STAGE_CORRECT_MOTION, sp__stage_correct_motion));  // v += A^-1 J^T lambda, refined
    SP_TRY(world_run(w, h, SP_STAGE_STABILISE, sp__stage_stabilise));            // what still overlaps at the end of the step
    SP_TRY(world_run(w, h, SP_STAGE_GUARD, sp__stage_guard));                    // every trial number is finite
    return SP_OK;
}

static sp_status world_stages(sp_world *w, double h) {
    SP_TRY(world_run(w, h, SP_STAGE_TAKE_EDITS, sp__take_edits));  // drags, pins, poses and parameters queued since the last step
    SP_TRY(world_run(w, h, SP_STAGE_PRESCRIBE, sp__prescribe));    // gravity, targets and kinematic poses at the end of the step
    SP_TRY(sp__world_motion(w, h, world_motion));                  // once, or in parts
    SP_TRY(world_run(w, h, SP_STAGE_BALANCE, sp__stage_balance));  // energy against work, inverted elements, overlap
    SP_TRY(world_run(w, h, SP_STAGE_COMMIT, stage_commit));        // first change of the committed state; cannot fail
    SP_TRY(world_run(w, h, SP_STAGE_PUBLISH, stage_publish));      // hash, events, snapshot; cannot fail
    return w->trial.status;
}

sp_status sp_world_step(sp_world *w, double h) {
    if (!(h > 0) || !isfinite(h)) return WORLD_FAIL(w, SP_BAD_INPUT, "step of h = %g s, must be finite and > 0", h);
    SP_TRY(sp__world_enter(w));
    double start = sp__now_ms();
    w->trial = (sp_step_info){.step = w->steps + 1, .time = time_after(w, h)};
    w->trial_events->count = 0;
    sp_status status = world_stages(w, h);
    if (status < 0) world_rollback(w);
    w->trial.step_ms = sp__now_ms() - start;
    if (status >= 0) w->info = w->trial;
    return sp__world_leave(w, status);
}

sp_status sp__world_inject_failure(sp_world *w, sp_stage stage) {
    if ((int)stage < 0 || stage >= SP_STAGE_COMMIT)
        return WORLD_FAIL(w, SP_BAD_INPUT, "stage %s cannot fail", sp_stage_name(stage));
    w->inject = (int)stage;
    return SP_OK;
}

// ---------------------------------------------------------------------------------------------------- commit, publish, rollback

static void world_swap(double **pair) {
    double *committed = pair[SP_COMMITTED];
    pair[SP_COMMITTED] = pair[SP_TRIAL];
    pair[SP_TRIAL] = committed;
}

static sp_status stage_commit(sp_world *w, double h) {
    for (int i = 0; i < w->body_count; i++) {
        sp_body *b = w->bodies[i];
        world_swap(b->q), world_swap(b->v);
        sp__loads_commit(b);
        b->balance[SP_COMMITTED] = b->balance[SP_TRIAL];
        b->froze_now = b->energy_stale = false;
    }
    if (sp__world_has_constraints(w)) sp__constraints_commit(w->constraints, w->bodies, w->body_count);
    sp__world_links_commit(w);
    sp__world_contacts_take(w);
    time_add(&w->time, &w->time_carry, h);
    w->steps++;
    sp_events *events = w->events;
    w->events = w->trial_events, w->trial_events = events;
    w->pairs.reported = w->pairs.found;
    w->contact_reported = w->contact_found;
    sp__edits_committed(w);
    sp__journal_clear(w);
    sp__world_bodies_commit(w);
    return SP_OK;
}

static sp_status stage_publish(sp_world *w, double h) {
    (void)h;
    w->hash = sp__world_compute_hash(w);
    w->trial.hash = w->hash;
    w->trial.event_count = w->events->count;
    // the update is parallel, and the next step uses its result
    for (int i = 0; w->def.snapshots && i < w->body_count; i++)
        if (w->bodies[i]->ops->update_kinematics) w->bodies[i]->ops->update_kinematics(w->bodies[i], NULL, SP_COMMITTED);
    if (w->def.snapshots) sp__snapshot_publish(w);
    return SP_OK;
}

// Discards the trial state. Restores parameters, springs, pins and poses, and evaluates signals at the old time again.
static void world_rollback(sp_world *w) {
    for (int i = 0; i < w->body_count; i++) {
        sp_body *b = w->bodies[i];
        if (b->froze_now) b->frozen = b->froze_now = false;
        sp_slot *slot = sp__world_slot(w, b);
        slot->reported = slot->replay_swap_before, slot->swap_now = false;
        slot->compliance_reported = slot->compliance_swap_before, slot->compliance_swap_now = false;
        if (b->ops->undo) b->ops->undo(b);
        // the solver restarts what it began in this step
        if (b->solver) sp__solver_step(b->solver, w->trial.step, w->def.deterministic);
        if (b->compliance) sp__compliance_undo(b->compliance, w->trial.step);
    }
    w->pairs.found = w->pairs.reported;
    w->clock_replays = w->clock_replayed_before;
    w->contact_found = w->contact_reported;
    sp__world_removals_drop(w);
    sp__journal_undo(w);
    sp__world_links_undo(w);
    sp__world_bodies_undo(w);
    sp__prescribe_now(w);
    sp__edits_returned(w);
}
