// A step in which the passes of a rod with contacts do not converge (body/drive_pass.c) is divided: everything that contacts or
// links may act on moves through it in parts, each with its own contacts. A part that does not converge is halved.
//
//   states    the state between two parts takes the place of the committed one until the step ends: nothing is committed, and a
//             failure is rolled back as that of any step
//   loads     those of the end of the step; prescribed unknowns and kinematic bodies move there at a constant rate
//   sums      work and iterations of all parts; contacts are those of all parts, and their forces the means over the step, as
//   those
//             of links. The next step starts from the impulses of the last part
//
// Bodies without contacts and links keep the motion of the whole step.
#include "body/drive.h"
#include "body/tolerances.h"
#include "world/world_internal.h"

typedef struct part_arrays {
    double *q, *v, *impulse;  // between two parts; impulses of contacts in the last part
    double *target, *rate;    // at the end of the step: coordinates of fixed unknowns, or of a kinematic body; its velocity
} part_arrays;

static bool takes_part(const sp_body *b) {
    return b->constrained && !b->frozen;
}

static bool is_kinematic(const sp_body *b) {
    return (b->caps & SP_CAP_KINEMATIC) != 0;
}

static sp_status part_open(sp_body *b) {
    const size_t nq = (size_t)b->nq, nv = (size_t)b->nv;
    if (!b->divided && !SP_NEW(b->ctx, b->divided, 2 * nq + 3 * nv + 1))
        return SP_BODY_FAIL(b, SP_NO_MEMORY, "no memory to divide the step of '%s'", b->name);
    return SP_OK;
}

static part_arrays part_arrays_of(const sp_body *b) {
    const size_t nq = (size_t)b->nq, nv = (size_t)b->nv;
    double *at = b->divided;
    return (part_arrays){.q = at, .target = at + nq, .v = at + 2 * nq, .impulse = at + 2 * nq + nv, .rate = at + 2 * nq + 2 * nv};
}

static sp_status divide_begin(sp_world *w) {
    for (int i = 0; i < w->body_count; i++) {
        sp_body *b = w->bodies[i];
        if (!takes_part(b)) continue;
        SP_TRY(part_open(b));
        b->start[0] = b->q[SP_COMMITTED], b->start[1] = b->v[SP_COMMITTED];
        const part_arrays a = part_arrays_of(b);
        memcpy(a.target, is_kinematic(b) ? b->q[SP_TRIAL] : b->target, (size_t)b->nq * sizeof(double));
        if (is_kinematic(b)) memcpy(a.rate, b->v[SP_TRIAL], (size_t)b->nv * sizeof(double));
        b->sum = (sp_part_sum){.swapped = b->swapped, .compliance_swapped = b->compliance_swapped};
    }
    return SP_OK;
}

// Where prescribed unknowns and kinematic bodies are at a share of the step.
static void part_targets(sp_body *b, double share) {
    const part_arrays a = part_arrays_of(b);
    if (!is_kinematic(b)) {
        sp__drive_targets_at(b, b->start[0], a.target, share, b->target);
        return;
    }
    sp__drive_targets_at(b, b->start[0], a.target, share, b->q[SP_TRIAL]);
    memcpy(b->v[SP_TRIAL], a.rate, (size_t)b->nv * sizeof(double));
}

static void count_part(sp_body *b) {
    sp_part_sum *s = &b->sum;
    s->solve.newton_iterations += b->solve.newton_iterations, s->solve.substeps += b->solve.substeps;
    s->solve.linear_iterations += b->solve.linear_iterations, s->solve.linear_solves += b->solve.linear_solves;
    s->solve.status = sp__worst(s->solve.status, b->solve.status);
    s->pin_work += b->pin_work, s->contact_work += b->contact_work, s->contact_pin_work += b->contact_pin_work;
    s->contact_scale = fmax(s->contact_scale, b->contact_scale), s->overlap = fmax(s->overlap, b->overlap);
}

// The trial state becomes the start of the next part.
static void keep_part(sp_world *w) {
    for (int i = 0; i < w->body_count; i++) {
        sp_body *b = w->bodies[i];
        if (!takes_part(b)) continue;
        const part_arrays a = part_arrays_of(b);
        count_part(b);
        b->part_h = b->has_contact_impulse ? w->step.h : 0, b->part_impulse = a.impulse;
        if (b->has_contact_impulse) memcpy(a.impulse, b->contact_impulse, (size_t)b->nv * sizeof(double));
        memcpy(a.q, b->q[SP_TRIAL], (size_t)b->nq * sizeof(double)), memcpy(a.v, b->v[SP_TRIAL], (size_t)b->nv * sizeof(double));
        b->q[SP_COMMITTED] = a.q, b->v[SP_COMMITTED] = a.v;
    }
}

// Puts the committed state and the targets back; the sums become those of the step.
static void divide_end(sp_world *w) {
    for (int i = 0; i < w->body_count; i++) {
        sp_body *b = w->bodies[i];
        const sp_part_sum *s = &b->sum;
        if (!b->start[0]) continue;
        const part_arrays a = part_arrays_of(b);
        b->q[SP_COMMITTED] = b->start[0], b->v[SP_COMMITTED] = b->start[1];
        b->start[0] = b->start[1] = NULL;
        b->part_h = 0;
        if (is_kinematic(b)) continue;
        memcpy(b->target, a.target, (size_t)b->nq * sizeof(double));
        b->solve.newton_iterations = s->solve.newton_iterations, b->solve.substeps = s->solve.substeps;
        b->solve.linear_iterations = s->solve.linear_iterations, b->solve.linear_solves = s->solve.linear_solves;
        b->solve.status = s->solve.status;
        b->pin_work = s->pin_work, b->contact_work = s->contact_work, b->contact_pin_work = s->contact_pin_work;
        b->contact_scale = s->contact_scale, b->overlap = s->overlap;
        b->swapped = s->swapped, b->compliance_swapped = s->compliance_swapped;
    }
}

bool sp__world_moves(const sp_world *w, const sp_body *b) {
    return !w->in_parts || takes_part(b);
}

static bool is_divisible(const sp_world *w) {
    for (int i = 0; i < w->body_count; i++)
        if (w->bodies[i]->passes && !w->bodies[i]->frozen) return true;
    return false;
}

static bool must_divide(const sp_world *w, sp_status status) {
    if (!w->step.divisible) return false;
    if (status < 0) return status == SP_NOT_FINITE;
    for (int i = 0; i < w->body_count; i++)
        if (w->bodies[i]->passes && !w->bodies[i]->frozen && w->bodies[i]->solve.status == SP_NOT_CONVERGED) return true;
    return false;
}

// What an attempt leaves in the step besides the trial state.
typedef struct attempt {
    sp_status status;
    unsigned reservations, found;
    int events;
} attempt;

static attempt attempt_begin(const sp_world *w) {
    return (attempt){w->trial.status, w->trial.reservations, w->contact_found, w->trial_events->count};
}

static void attempt_forget(sp_world *w, const attempt *a) {
    w->trial.status = a->status, w->trial.reservations = a->reservations;
    w->contact_found = a->found, w->trial_events->count = a->events;
    w->ctx->error = (sp_error){.index = -1}, w->error = (sp_error){.index = -1}, w->noted = false;
}

static sp_status divide_step(sp_world *w, double h, sp_world_stages *motion) {
    const double end = w->step.time;
    double done = 0, length = 0.5;
    bool grown = false, grows = true;  // parts become longer again, until a longer one does not converge
    while (done < 1) {
        const attempt before = attempt_begin(w);
        w->step.h = length * h, w->step.time = end - (1 - done - length) * h;
        w->step.divisible = length * SP_STEP_PARTS > 1;
        for (int i = 0; i < w->body_count; i++)
            if (takes_part(w->bodies[i])) part_targets(w->bodies[i], done + length);
        sp_status status = motion(w, length * h);
        if (must_divide(w, status)) {
            attempt_forget(w, &before);
            length *= 0.5, grows = grows && !grown, grown = false;
            continue;
        }
        SP_TRY(status);
        done += length, grown = grows, length = fmin(grows ? 2 * length : length, 1 - done);
        keep_part(w);
        if (w->constraints) SP_TRY(sp__constraints_part_done(w->constraints));
    }
    return SP_OK;
}

sp_status sp__world_motion(sp_world *w, double h, sp_world_stages *motion) {
    const attempt before = attempt_begin(w);
    const sp_step whole = w->step;
    if (w->constraints) sp__constraints_parts_begin(w->constraints);
    w->step.divisible = is_divisible(w);
    sp_status status = motion(w, h);
    if (must_divide(w, status)) {
        attempt_forget(w, &before);
        w->in_parts = true;
        status = divide_begin(w);
        if (status >= 0) status = divide_step(w, h, motion);
        divide_end(w);
        w->in_parts = false;
    }
    w->step = whole;
    return status;
}
