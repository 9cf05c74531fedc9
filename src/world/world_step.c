// One step of a world: the stages in order of execution, each timed. Stages before commit change trial arrays only; a failure
// before commit is rolled back.
#include "body/drive.h"
#include "body/tolerances.h"
#include "contact/penalty.h"
#include "world/world_internal.h"

typedef sp_status stage_fn(sp_world *w, double h);

static stage_fn stage_free_motion, stage_find_contacts, stage_build_delassus, stage_solve_contacts, stage_correct_motion,
    stage_stabilise, stage_guard, stage_balance, stage_commit, stage_publish;
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
    SP_TRY(world_run(w, h, SP_STAGE_FREE_MOTION, stage_free_motion));        // each body alone: A dv = b
    SP_TRY(world_run(w, h, SP_STAGE_FIND_CONTACTS, stage_find_contacts));    // rows J and violations at the free state
    SP_TRY(world_run(w, h, SP_STAGE_BUILD_DELASSUS, stage_build_delassus));  // W = sum of h J A^-1 J^T
    SP_TRY(world_run(w, h, SP_STAGE_SOLVE_CONTACTS, stage_solve_contacts));  // impulses in their Coulomb cones
    SP_TRY(world_run(w, h, SP_STAGE_CORRECT_MOTION, stage_correct_motion));  // v += A^-1 J^T lambda, refined
    SP_TRY(world_run(w, h, SP_STAGE_STABILISE, stage_stabilise));            // what still overlaps at the end of the step
    SP_TRY(world_run(w, h, SP_STAGE_GUARD, stage_guard));                    // every trial number is finite
    return SP_OK;
}

static sp_status world_stages(sp_world *w, double h) {
    SP_TRY(world_run(w, h, SP_STAGE_TAKE_EDITS, sp__take_edits));  // drags, pins, poses and parameters queued since the last step
    SP_TRY(world_run(w, h, SP_STAGE_PRESCRIBE, sp__prescribe));    // gravity, targets and kinematic poses at the end of the step
    SP_TRY(sp__world_motion(w, h, world_motion));                  // once, or in parts
    SP_TRY(world_run(w, h, SP_STAGE_BALANCE, stage_balance));      // energy against work, inverted elements, overlap
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

// Options of the contact solver. Without contact all rows are those of links, most of which are equations: they are solved to
// more digits than contacts.
static const sp_contact_def *constraints_def(sp_world *w) {
    if (w->has_contact) return &w->contact;
    w->links_only = sp_contact_def_default();
    w->links_only.solver.tolerance = 1e-9;
    return &w->links_only;
}

// ---------------------------------------------------------------------------------------------------- prescribe

static void prescribe_body(sp_world *w, sp_body *b) {
    const bool penalty = w->has_contact && w->contact.formulation == SP_CONTACT_PENALTY;
    const bool rows = sp__world_finds_contacts(w) && sp__body_takes_rows(b, penalty);
    b->loads.contact = penalty && !rows ? &w->contact : NULL;
    b->loads.response = &sp__penalty_response;
    b->loads.obstacles = &w->obstacles;
    b->constrained = rows || sp__world_is_linked(w, b);
    b->passes = rows && b->accepted_gap > 0;
    sp__loads_prescribe(b, &w->step);
    b->ops->prescribe(b, &w->step);
}

static void prescribe_all(sp_world *w, double t, double h) {
    w->step = sp__step_default(h);
    w->step.time = t, w->step.number = w->trial.step, w->step.deterministic = w->def.deterministic;
    w->step.constraints = sp__world_has_constraints(w);
    for (int a = 0; a < 3; a++) w->step.gravity[a] = sp__gravity_at(&w->gravity[a], t);
    // kinematic bodies first: other bodies may depend on them
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

// holds the body at its committed positions, with zero velocity
static void world_hold(sp_world *w, sp_body *b) {
    const sp_step step = sp__body_step(b, &w->step);
    memcpy(b->q[SP_TRIAL], b->q[SP_COMMITTED], (size_t)b->nq * sizeof(double));
    memset(b->v[SP_TRIAL], 0, (size_t)b->nv * sizeof(double));
    sp__loads_begin(b, &step);
}

// The failure of one body fails the step, or freezes only this body if the definition of the world says so. A lack of memory
// always fails the step.
static sp_status world_failed(sp_world *w, sp_body *b, sp_status status) {
    const bool divides = w->step.divisible && status == SP_NOT_FINITE;
    if (w->def.on_failure != SP_FAILURE_FREEZE || status == SP_NO_MEMORY || divides) return sp__world_body_failed(w, b, status);
    sp__event(w, SP_FROZEN, "body '%s' is held at its last good state: %s", b->name, w->ctx->error.message);
    w->ctx->error = (sp_error){.index = -1};
    b->frozen = b->froze_now = true;
    if (b->ops->undo) b->ops->undo(b);
    world_hold(w, b);
    return SP_FROZEN;
}

static sp_swap replay_swap(bool reported, bool now) {
    return !reported ? SP_SWAP_FREE : now ? SP_SWAP_NOW : SP_SWAP_LATER;
}

static sp_status stage_free_motion(sp_world *w, double h) {
    (void)h;
    sp_status worst = SP_OK;
    for (int i = 0; i < w->body_count; i++) {
        sp_body *b = w->bodies[i];
        sp_status status = SP_FROZEN;
        sp_step step = w->step;
        const sp_slot *slot = sp__world_slot(w, b);
        if (!sp__world_moves(w, b)) continue;
        // parts: what is built in the background is used from the next step on, so that a replay does the same
        step.swap = w->in_parts ? SP_SWAP_LATER : replay_swap(slot->reported, slot->swap_now);
        b->compliance_swap = w->in_parts ? SP_SWAP_LATER : replay_swap(slot->compliance_reported, slot->compliance_swap_now);
        if (b->frozen)
            world_hold(w, b);
        else
            status = sp__drive(b, &step, w->def.on_limit);
        if (status < 0 && !w->in_parts) w->step.divisible = false;  // the bodies after this one have not moved
        if (status < 0) status = world_failed(w, b, status);
        SP_TRY(status);
        worst = sp__reserve(w, worst, status);
    }
    return worst;
}

// ---------------------------------------------------------------------------------------------------- contact by constraints

static sp_status stage_find_contacts(sp_world *w, double h) {
    (void)h;
    if (!sp__world_has_constraints(w)) return SP_OK;
    if (!w->constraints) SP_TRY(sp__constraints_create(w->ctx, &w->constraints));
    sp__constraints_use(w->constraints, w->pair_rules, &w->clock);
    sp__constraints_use_links(w->constraints, &w->links, sp__world_finds_contacts(w));
    return sp__constraints_find(w->constraints, w->bodies, w->body_count, constraints_def(w), &w->step);
}

static sp_status stage_build_delassus(sp_world *w, double h) {
    (void)h;
    return sp__world_has_constraints(w) ? sp__constraints_delassus(w->constraints, &w->step) : SP_OK;
}

// What the user cannot see from the motion becomes an event, once in a world.
static void report_contacts(sp_world *w) {
    const sp_constraints_info *info = sp__constraints_info(w->constraints);
    if (info->unbuilt && !(w->contact_found & SP_CONTACTS_UNBUILT)) {
        sp__event(w, SP_OK,
                  "contact: %d rows, W would have more than %.3g million numbers: it is not stored, and the solver is the "
                  "projected gradient method, which is less accurate",
                  info->rows, SP_DELASSUS_NUMBERS * 1e-6);
        w->contact_found |= SP_CONTACTS_UNBUILT;
    }
    if (info->folded > 0 && !(w->contact_found & SP_CONTACTS_FOLDED)) {
        sp__event(
            w, SP_PENETRATION,
            "body '%s' intersects itself where its contacts begin, in %d pairs of triangles: up to half an edge is separated "
            "in the next steps, what is deeper stays",
            info->folded_body->name, info->folded);
        w->contact_found |= SP_CONTACTS_FOLDED;
    }
    if (info->contained > 0 && !(w->contact_found & SP_CONTACTS_CONTAINED)) {
        sp__event(w, SP_PENETRATION,
                  "contact: a body is wholly inside another one (%d overlaps): no direction separates them, and they stay so",
                  info->contained);
        w->contact_found |= SP_CONTACTS_CONTAINED;
    }
    if (info->layers > info->layers_reserved && !(w->contact_found & SP_CONTACTS_LAYERS)) {
        sp__event(w, SP_OK, "contact: a ray crosses %d surfaces, layers = %d are reserved: memory grows", info->layers,
                  info->layers_reserved);
        w->contact_found |= SP_CONTACTS_LAYERS;
    }
    if (info->solve.dropped > 0 && !(w->contact_found & SP_CONTACTS_DROPPED)) {
        sp__event(w, SP_OK, "contact: %d of %d rows act on nothing that can move (fixed on fixed): they are dropped",
                  info->solve.dropped, info->rows);
        w->contact_found |= SP_CONTACTS_DROPPED;
    }
}

// Not converged is no reservation yet, here and in the correction: passes may solve the contacts again (stage_stabilise).
static sp_status stage_solve_contacts(sp_world *w, double h) {
    (void)h;
    if (!sp__world_has_constraints(w)) return SP_OK;
    SP_TRY(sp__constraints_solve(w->constraints, constraints_def(w)));
    report_contacts(w);
    return sp__constraints_info(w->constraints)->contained > 0 ? SP_PENETRATION : SP_OK;
}

static sp_status stage_correct_motion(sp_world *w, double h) {
    (void)h;
    if (!sp__world_has_constraints(w)) return SP_OK;
    SP_TRY(sp__constraints_correct(w->constraints, constraints_def(w), &w->step));
    return SP_OK;
}

// Newton's method and contacts that only the corrected motion makes: again until nothing changes.
static sp_status contact_passes(sp_world *w) {
    sp_status worst = SP_OK;
    bool changed = true;
    for (int pass = 1; changed; pass++) {
        worst = sp__constraints_again(w->constraints, w->bodies, w->body_count, constraints_def(w), &w->step, pass, &changed);
        SP_TRY(worst);
    }
    return sp__worst(worst, sp__constraints_info(w->constraints)->solve.status);  // of the last solve of the step
}

// The smallest part of a step has not converged. Rods stop where their forces are far from balanced, or were not finite.
static sp_status stop_rods(sp_world *w, sp_status status) {
    bool stopped = false;
    if (w->step.divisible || (status != SP_NOT_CONVERGED && status != SP_NOT_FINITE)) return status;
    for (int i = 0; i < w->body_count; i++) {
        sp_body *b = w->bodies[i];
        if (!b->passes || b->frozen) continue;
        if (status > 0 && !(b->solve.status == SP_NOT_CONVERGED && b->pass_error > SP_PASS_USABLE)) continue;
        SP_TRY(sp__drive_stop(b, &w->step));
        sp__constraints_release(w->constraints, b);
        b->solve.status = SP_NOT_CONVERGED, stopped = true;
    }
    if (status < 0 && stopped) w->ctx->error = (sp_error){.index = -1};
    return stopped ? SP_NOT_CONVERGED : status;
}

static sp_status separate(sp_world *w) {
    bool changed = sp__constraints_info(w->constraints)->contacts > 0;
    for (int pass = 0; pass < w->contact.passes && changed; pass++)
        SP_TRY(sp__constraints_separate(w->constraints, w->bodies, w->body_count, &w->contact, &w->step, &changed));
    return SP_OK;
}

static sp_status stage_stabilise(sp_world *w, double h) {
    (void)h;
    sp_status worst = sp__world_has_constraints(w) ? stop_rods(w, contact_passes(w)) : SP_OK;
    SP_TRY(worst);
    for (int i = 0; i < w->body_count; i++)
        if (!w->bodies[i]->frozen && sp__world_moves(w, w->bodies[i])) sp__drive_finish(w->bodies[i]);
    if (sp__world_finds_contacts(w) && w->contact.stabilisation == SP_STABILISATION_POST) SP_TRY(separate(w));
    return worst;
}

// ---------------------------------------------------------------------------------------------------- guard

// index of the first number that is not finite, or n
static int first_bad(const double *x, int n) {
    // 0 * x is 0 or NaN: four running sums test the whole array without branches
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
    if (q == b->nq && v == b->nv) return b->ops->update_kinematics ? b->ops->update_kinematics(b, NULL, SP_TRIAL) : SP_OK;
    bool place = q < b->nq;
    if (place && q >= b->nq - b->histories)
        return SP_BODY_FAIL(b, SP_NOT_FINITE, "body '%s': a stress of its viscous part is %g", b->name, b->q[SP_TRIAL][q]);
    double seen = place ? b->q[SP_TRIAL][q] : b->v[SP_TRIAL][v];
    const char *what = place ? "position" : "velocity";
    if (b->nodes == 0)
        return SP_BODY_FAIL(b, SP_NOT_FINITE, "body '%s': number %d of its %s is %g", b->name, place ? q : v,
                            place ? "pose" : "velocity", seen);
    int64_t node = sp__body_node_of(b, place ? q : v);
    sp_status status = SP_BODY_FAIL(b, SP_NOT_FINITE, "body '%s': a %s of node %lld is %g", b->name, what, (long long)node, seen);
    b->error->index = node;
    return status;
}

static sp_status stage_guard(sp_world *w, double h) {
    (void)h;
    sp_status worst = SP_OK;
    for (int i = 0; i < w->body_count; i++) {
        sp_status status = guard_body(w->bodies[i]);
        if (status < 0) status = world_failed(w, w->bodies[i], status);
        SP_TRY(status);
        worst = sp__reserve(w, worst, status);
    }
    return worst;
}

// ---------------------------------------------------------------------------------------------------- balance

// Checks of the result of a step: energy balance (body/energy.c), inverted elements, penetration of rigid bodies, overlap of soft
// bodies (pairs.c). This stage changes no state. A finding becomes a reservation and, the first time, an event.

static sp_status check_inverted(sp_world *w, const sp_body *b, sp_balance *n) {
    if (!(n->at.inverted > 0)) return SP_OK;
    if (!n->inverted_reported)
        sp__event(w, SP_INVERTED, "body '%s': %.0f elements are inverted, volume lost: %.3g %%", b->name, n->at.inverted,
                  100 * (1 - n->at.volume / n->at.rest_volume));
    n->inverted_reported = 1;
    return SP_INVERTED;
}

static sp_status check_energy(sp_world *w, const sp_body *b, sp_balance *n) {
    if (!sp__balance_gains(n)) return SP_OK;
    if (!n->gain_reported)
        sp__event(w, SP_ENERGY_GAIN, "body '%s': energy increased by %.3g J without external work, %.3g %% of its largest energy",
                  b->name, n->rise, 100 * n->rise / n->largest);
    n->gain_reported = 1;
    return SP_ENERGY_GAIN;
}

static sp_status check_overlap(sp_world *w, const sp_body *b, sp_balance *n) {
    if (!(n->penetration > SP_OVERLAP_SHARE * n->at.size)) return SP_OK;
    if (!n->penetration_reported)
        sp__event(w, SP_PENETRATION, "body '%s': %.3g m deep in another body, %.3g %% of an element", b->name, n->penetration,
                  100 * n->penetration / n->at.size);
    n->penetration_reported = 1;
    return SP_PENETRATION;
}

// The reservation is that of the driver (drive_explicit.c).
static void tell_unstable(sp_world *w, sp_body *b) {
    const double h = w->step.h / b->solve.substeps, critical = b->solve.critical_step;
    if (b->solve.status != SP_UNSTABLE_STEP || b->unstable_told || !(critical > 0)) return;
    sp__event(
        w, SP_UNSTABLE_STEP,
        "body '%s': its explicit step of %.3g s is longer than the critical step of %.3g s; take %.0f substeps or a shorter step",
        b->name, h, critical, ceil(1.05 * w->step.h / critical));
    b->unstable_told = true;
}

static sp_status stage_balance(sp_world *w, double h) {
    (void)h;
    sp_status worst = SP_OK;
    if (sp__world_finds_contacts(w)) SP_TRY(sp__world_contacts_reserve(w));
    sp__world_links_check(w);
    for (int i = 0; i < w->body_count; i++) {
        sp_body *b = w->bodies[i];
        sp_balance *n = &b->balance[SP_TRIAL];
        tell_unstable(w, b);
        if (b->notice) sp__event(w, SP_OK, "body '%s': %s", b->name, b->notice);
        if (!b->ops->energies) continue;
        if (b->frozen) b->pin_work = 0;
        sp__body_balance(b, &w->step);
        worst = sp__reserve(w, worst, check_inverted(w, b, n));
        worst = sp__reserve(w, worst, check_energy(w, b, n));
        worst = sp__reserve(w, worst, check_overlap(w, b, n));
    }
    return sp__reserve(w, worst, sp__pairs_check(w));
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
