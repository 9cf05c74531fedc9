// The stage that judges a step: energy against work (body/energy.c), inverted elements, overlap with rigid bodies and of soft
// bodies with each other (pairs.c). It changes no state: what it finds becomes a reservation and, the first time, an event.
#include "body/tolerances.h"
#include "world/world_internal.h"

static sp_status judge_inverted(sp_world *w, const sp_body *b, sp_balance *n) {
    if (!(n->at.inverted > 0)) return SP_OK;
    if (!n->inverted_told)
        sp__event(w, SP_INVERTED, "body '%s': %.0f elements are inverted, volume lost: %.3g %%", b->name, n->at.inverted,
                  100 * (1 - n->at.volume / n->at.rest_volume));
    n->inverted_told = 1;
    return SP_INVERTED;
}

static sp_status judge_energy(sp_world *w, const sp_body *b, sp_balance *n) {
    if (!sp__balance_gains(n)) return SP_OK;
    if (!n->gain_told)
        sp__event(w, SP_ENERGY_GAIN, "body '%s': %.3g J appeared that nobody put in, %.3g %% of its largest energy", b->name,
                  n->rise, 100 * n->rise / n->largest);
    n->gain_told = 1;
    return SP_ENERGY_GAIN;
}

static sp_status judge_overlap(sp_world *w, const sp_body *b, sp_balance *n) {
    if (!(n->penetration > SP_OVERLAP_SHARE * n->at.size)) return SP_OK;
    if (!n->penetration_told)
        sp__event(w, SP_PENETRATION, "body '%s': %.3g m deep in a rigid body, %.3g %% of an element", b->name, n->penetration,
                  100 * n->penetration / n->at.size);
    n->penetration_told = 1;
    return SP_PENETRATION;
}

sp_status sp__balance(sp_world *w, double h) {
    (void)h;
    sp_status worst = SP_OK;
    for (int i = 0; i < w->body_count; i++) {
        sp_body *b = w->bodies[i];
        sp_balance *n = &b->balance[SP_TRIAL];
        if (!b->ops->energies) continue;
        if (b->frozen) b->pin_work = 0;
        sp__body_balance(b, &w->step);
        worst = sp__reserve(w, worst, judge_inverted(w, b, n));
        worst = sp__reserve(w, worst, judge_energy(w, b, n));
        worst = sp__reserve(w, worst, judge_overlap(w, b, n));
    }
    return sp__reserve(w, worst, sp__pairs_check(w));
}
