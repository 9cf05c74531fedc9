// The energy balance of a body. With E = kinetic + elastic + potential of gravity + potential of penalty contacts, and W the work
// of all other forces since the first step, the balance B = E - E(0) - W can only fall: dampers and the error of implicit Euler
// dissipate energy. The spurious energy is the largest rise of B above its previous minimum.
//
//   edits     the jump of E at the committed state when an edit changes parameters, gravity or the state
//   springs   V(x0) - V(x1) with the target at the end of the step: a potential, so that the work along a closed path is zero
//   contact   force at the end of the step times the displacement of a moving rigid surface, and work of friction and damping
//   pins      impulse on prescribed unknowns times their velocity, computed by the drivers
//
// A step of statics may be long, and only its ends are known: a prescribed unknown may have gone along an arc. The work of pins
// is that of the mean of the reactions at both ends along the straight displacements, corrected to the change of the stored
// energy by up to what reactions of this size can do over this distance.
//
// Symplectic Euler conserves a modified energy, E + h/2 v.f with v and f at one state (Hairer, Lubich, Wanner 2006, IX.3), while
// E oscillates. Loads that vary with time change it by at most about the correction term. f is known when the next step starts,
// so the test of an explicit body is one step late. Above the critical step the modified energy has no meaning; the test then
// uses E.
#include "body/body.h"
#include "body/tolerances.h"
#include "math/vec3.h"

enum { LOADS, PINS, DRAGS, CONTACT, EDITS, WORKS };  // as in sp_work

double sp__balance_potential(const sp_balance *n) {
    double offset[3];
    sp__sub3(n->at.moment, n->origin, offset);
    return -sp__dot3(n->gravity, offset);
}

static double stored_energy(const sp_balance *n) {
    return n->at.kinetic + n->at.elastic + sp__balance_potential(n) + n->contact;
}

static double balance_now(const sp_balance *n) {
    double sum = stored_energy(n) - n->start;
    for (int i = 0; i < WORKS; i++) sum -= n->work[i];
    return sum;
}

bool sp__balance_gains(const sp_balance *n) {
    double sum = n->at.kinetic + n->at.elastic + fabs(sp__balance_potential(n)) + n->contact;
    for (int i = 0; i < WORKS; i++) sum += fabs(n->work[i]);
    double noise = SP_GAIN_NOISE * sum + SP_LEAST_STRAIN * SP_LEAST_STRAIN * n->at.rigidity;
    return n->rise > SP_GAIN_SHARE * n->largest + n->error + noise;
}

// ---------------------------------------------------------------------------------------------------- edits

// what the potential of contacts depends on, besides positions
static bool contact_changed(const sp_body *b, const sp_step *part, sp_balance *n) {
    double stiffness = b->loads.contact ? b->loads.contact->stiffness : -1,
           obstacles = (b->loads.obstacles ? b->loads.obstacles->count : 0);
    bool same = n->stiffness == stiffness && n->step == part->h && n->obstacles == obstacles;
    n->stiffness = stiffness, n->step = part->h, n->obstacles = obstacles;
    return !same;
}

static void start_balance(const sp_body *b, sp_balance *n) {
    memset(n->work, 0, sizeof n->work);
    memcpy(n->origin, n->at.moment, sizeof n->origin);
    n->known = 1;
    n->lowest = b->integrator.type == SP_EXPLICIT ? INFINITY : 0;
}

// updates the energy of the committed state to the parameters of this step
static void update_energy(sp_body *b, const sp_step *step, sp_balance *n) {
    bool first = n->known == 0;
    double before = stored_energy(n);
    if (first || b->energy_stale) b->ops->energies(b, SP_COMMITTED, &n->at);
    memcpy(n->gravity, step->gravity, sizeof n->gravity);
    if (first) start_balance(b, n);
    double jump = stored_energy(n) - before;
    if (!first && isfinite(jump)) n->work[EDITS] += jump;
}

// ---------------------------------------------------------------------------------------------------- balance of a step

static void update_rise(sp_balance *n, double balance, double error) {
    n->error = error;
    n->lowest = fmin(n->lowest, balance);
    n->rise = balance - n->lowest;
    n->appeared = isnan(balance) ? NAN : fmax(n->appeared, n->rise);
}

static void count_scale(sp_balance *n) {
    double u = sp__balance_potential(n);
    n->potential[0] = fmin(n->potential[0], u), n->potential[1] = fmax(n->potential[1], u);
    n->largest = fmax(n->largest, n->at.kinetic + n->at.elastic + n->contact + n->potential[1] - n->potential[0]);
}

static void add_work(sp_body *b, sp_balance *n, const sp_loads_work *p) {
    double push[3] = {0}, moment[3], loads = b->ops->work(b, push), before = balance_now(n);
    n->work[LOADS] += isnan(loads) ? 0 : loads;
    n->work[PINS] += b->pin_work + b->contact_pin_work + p->pins;
    n->work[DRAGS] += p->drags;
    n->work[CONTACT] += p->contact_work + b->contact_work;
    memcpy(moment, n->at.moment, sizeof moment);
    b->ops->energies(b, SP_TRIAL, &n->at);
    sp__sub3(n->at.moment, moment, moment);
    n->work[LOADS] += sp__dot3(push, moment);
    n->contact = p->contact;
    n->penetration = fmax(p->penetration, b->overlap);
    // a body at rest in contact has no energy of its own: the free motion of a step gives the scale
    n->largest = fmax(n->largest, b->contact_scale);
    // unknown work is assumed to equal the change of the stored energy
    double rest = balance_now(n) - before;
    if (!isfinite(rest)) return;
    n->work[isnan(loads) ? LOADS : PINS] += isnan(loads) ? rest : fmin(fmax(rest, -b->pin_unsure), b->pin_unsure);
}

// From the balance at the start of the step.
static void balance_step(sp_body *b, const sp_step *step, sp_balance *n) {
    const sp_step part = sp__body_step(b, step);
    sp_loads_work p;
    bool first = n->known == 0, changed = contact_changed(b, &part, n) || b->energy_stale || first;
    bool late = b->integrator.type == SP_EXPLICIT && b->solve.status != SP_UNSTABLE_STEP;
    update_energy(b, step, n);
    sp__loads_work(b, &part, step->h, changed, &p);
    if (changed) {
        if (!first) n->work[EDITS] += p.contact_before - n->contact;
        n->contact = p.contact_before;
    }
    if (first) n->start = stored_energy(n);
    count_scale(n);
    if (late) update_rise(n, balance_now(n) + b->shadow, fabs(b->shadow));
    add_work(b, n, &p);
    count_scale(n);
    if (!late) update_rise(n, balance_now(n), 0);
}

void sp__body_balance(sp_body *b, const sp_step *step) {
    b->balance[SP_TRIAL] = b->balance[SP_COMMITTED];
    balance_step(b, step, &b->balance[SP_TRIAL]);
}

// The balance begins with this step: the answer depends on the state only, so that a restored run has the same one.
bool sp__body_gains(sp_body *b, const sp_step *step) {
    sp_balance alone = {0};
    balance_step(b, step, &alone);
    return sp__balance_gains(&alone);
}
