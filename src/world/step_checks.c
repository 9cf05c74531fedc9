// The stages that look at the result of a step before it is committed: every number finite, then the energy balance
// (body/energy.c), inverted elements, penetration of rigid bodies and overlap of soft bodies (pairs.c). They change no state. A
// finding becomes a reservation and, the first time, an event.
#include "body/drive.h"
#include "body/tolerances.h"
#include "world/world_internal.h"

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

sp_status sp__stage_guard(sp_world *w, double h) {
    (void)h;
    sp_status worst = SP_OK;
    for (int i = 0; i < w->body_count; i++) {
        sp_status status = guard_body(w->bodies[i]);
        if (status < 0) status = sp__world_failed(w, w->bodies[i], status);
        SP_TRY(status);
        worst = sp__reserve(w, worst, status);
    }
    return worst;
}

// ---------------------------------------------------------------------------------------------------- balance

static sp_status check_inverted(sp_world *w, const sp_body *b, sp_balance *n) {
    if (!(n->at.inverted > 0)) return SP_OK;
    if (!n->inverted_reported)
        sp__event(w, SP_INVERTED, "body '%s': %.0f elements are inverted, volume lost: %.3g %%", b->name, n->at.inverted,
                  100 * (1 - n->at.volume / n->at.rest_volume));
    const bool lost = isinf(n->at.elastic);
    if (lost && n->inverted_reported < 2)
        sp__event(w, SP_INVERTED,
                  "body '%s': the law of inverted elements is not defined there and does not push them back; a shorter step, "
                  "integrator newton or a law that recovers from inversion avoids this",
                  b->name);
    n->inverted_reported = lost ? 2 : fmax(n->inverted_reported, 1);
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

sp_status sp__stage_balance(sp_world *w, double h) {
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
