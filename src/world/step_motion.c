// The stages of a step that move the bodies on trial arrays: prescribed values, each body alone, contact by constraints and
// links.
#include "body/drive.h"
#include "body/tolerances.h"
#include "contact/penalty.h"
#include "world/world_internal.h"

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
sp_status sp__world_failed(sp_world *w, sp_body *b, sp_status status) {
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

sp_status sp__stage_free_motion(sp_world *w, double h) {
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
        if (status < 0) status = sp__world_failed(w, b, status);
        SP_TRY(status);
        worst = sp__reserve(w, worst, status);
    }
    return worst;
}

// ---------------------------------------------------------------------------------------------------- contact by constraints

// Options of the contact solver. Without contact all rows are those of links, most of which are equations: they are solved to
// more digits than contacts.
static const sp_contact_def *constraints_def(sp_world *w) {
    if (w->has_contact) return &w->contact;
    w->links_only = sp_contact_def_default();
    w->links_only.solver.tolerance = 1e-9;
    return &w->links_only;
}

sp_status sp__stage_find_contacts(sp_world *w, double h) {
    (void)h;
    if (!sp__world_has_constraints(w)) return SP_OK;
    if (!w->constraints) SP_TRY(sp__constraints_create(w->ctx, &w->constraints));
    sp__constraints_use(w->constraints, w->pair_rules, &w->clock);
    sp__constraints_use_links(w->constraints, &w->links, sp__world_finds_contacts(w));
    return sp__constraints_find(w->constraints, w->bodies, w->body_count, constraints_def(w), &w->step);
}

sp_status sp__stage_build_delassus(sp_world *w, double h) {
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

// Not converged is no reservation yet, here and in the correction: passes may solve the contacts again (sp__stage_stabilise).
sp_status sp__stage_solve_contacts(sp_world *w, double h) {
    (void)h;
    if (!sp__world_has_constraints(w)) return SP_OK;
    SP_TRY(sp__constraints_solve(w->constraints, constraints_def(w)));
    report_contacts(w);
    return sp__constraints_info(w->constraints)->contained > 0 ? SP_PENETRATION : SP_OK;
}

sp_status sp__stage_correct_motion(sp_world *w, double h) {
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

sp_status sp__stage_stabilise(sp_world *w, double h) {
    (void)h;
    sp_status worst = sp__world_has_constraints(w) ? stop_rods(w, contact_passes(w)) : SP_OK;
    SP_TRY(worst);
    for (int i = 0; i < w->body_count; i++)
        if (!w->bodies[i]->frozen && sp__world_moves(w, w->bodies[i])) sp__drive_finish(w->bodies[i]);
    if (sp__world_finds_contacts(w) && w->contact.stabilisation == SP_STABILISATION_POST) SP_TRY(separate(w));
    return worst;
}
