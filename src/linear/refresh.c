// When a preconditioner is made anew, and by whom.
//
//   step     before each solve whose matrix differs from the last one's
//   every k  before the first solve of every k-th step;  never: once
//   async    the first before its step; then a picture of the matrix goes to the thread beside the pool, what comes of it is
//   taken
//            over at the start of a later step, and the next picture is taken at once
//   auto     cheap kinds as `step`; costly ones as `async`, but the next picture is taken when it is needed
//
// Asynchronous results are taken as soon as they are there, and nobody waits for one; where the world is deterministic exactly
// `lag` steps after the picture, waiting if need be. What is in use changes at the first solve of a step only. A replay of a run
// that did not wait says itself in which steps results are taken over; the rest follows from the numbers.
//
// A step that failed and is tried again finds the schedule as the failed attempt found it: the take-over at its start stays done
// (it depends on what was before the step alone), the picture that the attempt asked for is thrown away and taken anew.
//
// A new pattern needs a new album. The old one is let go as a whole: its job is asked to stop, and what it held is freed when it
// has. Where nobody shall wait, block-Jacobi stands in until the first factor of the new pattern is there.
#include <stdio.h>

#include "linear/refresh_internal.h"

// `auto` asks for a new factor when the last step took more than `grown` times the iterations of the best one since the last
// take-over, and SLACK more than it, or when the factor is OLD steps old; never where FRESH iterations were enough, which a new
// factor in float needs too. Measured over 90 steps of a beam of 1536 tetrahedra (lag 3, tolerance 1e-7; it bends freely, comes
// to rest, is twisted, is soft), mean iterations and factors made, async against auto:
//     4.4 30 / 4.9 7      3.0 30 / 3.3 5      2.4 30 / 2.5 3      3.2 30 / 3.8 5
// With 1.5, 2, 50 it is 5.0 3, 4.5 3, 2.6 2, 4.1 3; never made anew 6.5, 7.3, 3.0, 4.9.
static const double grown = 1.25;
enum { SLACK = 1, OLD = 20, FRESH = 2 };

static sp_schedule empty_schedule(void) {
    return (sp_schedule){.use = -1, .pending = -1, .best = -1, .last = -1, .now = -1};
}

// ------------------------------------------------------------------------------------------------ life

sp_status sp__refresh_create(sp_context *ctx, const sp_backend *be, const sp_solver_def *def, const sp_precond_kind *kind,
                             sp_refresh **out) {
    *out = NULL;
    sp_refresh *r;
    if (!SP_NEW(ctx, r, 1)) return SP_FAIL(ctx, SP_NO_MEMORY, "no memory for a preconditioner");
    r->ctx = ctx, r->be = be, r->def = *def, r->kind = kind;
    r->policy = def->refresh == SP_REFRESH_AUTO && !kind->costly ? SP_REFRESH_STEP : def->refresh;
    r->keeps = r->policy != SP_REFRESH_STEP || kind->costly;
    r->now = r->before = empty_schedule();
    *out = r;
    return SP_OK;
}

void sp__refresh_destroy(sp_refresh **pr) {
    sp_refresh *r = *pr;
    if (!r) return;
    if (r->album) sp__album_quiet(r->album);
    sp__album_destroy(r->album);
    sp__warp_free(r);
    sp__free(r->ctx, r);
    *pr = NULL;
}

size_t sp__refresh_bytes(const sp_refresh *r) {
    size_t n = r->album ? 3 * (size_t)r->album->nodes : 0;
    return sp__album_bytes(r->album) + n * (1 + 4 + 16 + (r->warps ? 48 : 0));
}

static void name_it(sp_refresh *r) {
    static const char *const words[] = {", auto", ", async", ", step", ", never", ""};
    bool told = r->def.refresh != SP_REFRESH_AUTO || r->kind->costly;
    char every[24] = "";
    if (r->policy == SP_REFRESH_EVERY) snprintf(every, sizeof every, ", every %d", r->def.refresh_every);
    snprintf(r->name, sizeof r->name, "pcg (%s%s%s%s)", r->kind->name, told ? words[r->policy] : "", every,
             r->warps && r->policy != SP_REFRESH_STEP ? ", warp" : "");
}

const char *sp__refresh_name(const sp_refresh *r) {
    return r->name;
}

static sp_status follow_pattern(sp_refresh *r, const sp_system *A, const sp_blocks *M) {
    if (r->album && r->pattern == A->pattern) return SP_OK;
    if (r->album) r->changed_pattern = true;
    sp__album_let_go(r->album);
    r->album = NULL;
    r->now = r->before = empty_schedule();
    SP_TRY(sp__warp_reserve(r, A));
    SP_TRY(sp__album_create(r, A, M, &r->album));
    r->pattern = A->pattern;
    name_it(r);
    return SP_OK;
}

// ------------------------------------------------------------------------------------------------ making

// neither in use, nor in use as the step began, nor being made; where there is only one, that one
static int free_picture(const sp_refresh *r) {
    for (int i = 0; i < r->album->count; i++)
        if (i != r->now.use && i != r->before.use && i != r->now.pending) return i;
    return 0;
}

// A preconditioner was made from picture k, or could not be.
static void judge(sp_refresh *r, int k, sp_linear_info *info) {
    const sp_picture *p = &r->album->picture[k];
    if (p->status == SP_OK) {
        r->now.use = k, r->now.best = -1, r->now.failures = 0;
        info->refreshes++;
        return;
    }
    if (r->now.failures++ == 0)
        sp__log(r->ctx, SP_LOG_WARNING, "preconditioner %s could not be made (%s, unknown %d, pivot %g): %s", r->kind->name,
                sp_status_text(p->status), p->info.unknown, p->info.pivot,
                r->now.use < 0 ? "block-Jacobi stands in" : "the one before stays in use");
    info->failed_refreshes++;
}

static sp_status make_now(sp_refresh *r, int k, const sp_blocks *M, sp_linear_info *info) {
    sp_picture *p = &r->album->picture[k];
    if (r->now.use == k) r->now.use = -1;
    atomic_store(&p->p->stop, false);
    if (sp__picture_build(r->album, k, M, false) == SP_NO_MEMORY) return SP_NO_MEMORY;
    info->columns += p->info.columns;
    info->factor_flops += p->info.flops;
    judge(r, k, info);
    return SP_OK;
}

static sp_status make_in_step(sp_refresh *r, const sp_system *A, const sp_blocks *M, sp_linear_info *info) {
    int k = free_picture(r);
    SP_TRY(sp__picture_take(r, &r->album->picture[k], A, M, r->step));
    r->now.tried = r->step;
    return make_now(r, k, M, info);
}

// Bodies share one thread: who iterates most goes first. With other pins than in the picture it will get worse.
static double urgency(const sp_refresh *r) {
    double iterations = (double)(r->now.now >= 0 ? r->now.now : r->now.last);
    return r->repinned ? 2 * iterations + 1 : iterations;
}

void sp__refresh_submit(sp_refresh *r, int k) {
    sp_album *a = r->album;
    atomic_store(&a->picture[k].p->stop, false);
    a->making = k;
    a->job.urgency = urgency(r);
    sp__job_cancel(r->ctx, &a->job);  // done long ago: idle again, should it not be taken
    sp__job_submit(r->ctx, &a->job);
}

static bool is_idle(const sp_refresh *r) {
    return atomic_load_explicit(&r->album->job.state, memory_order_acquire) == SP_JOB_IDLE;
}

// Without a thread the picture is made into a preconditioner here: at once, or when it is due.
static sp_status ask(sp_refresh *r, const sp_system *A, const sp_blocks *M, bool deterministic, sp_linear_info *info) {
    // a replay tells of a result where none was asked for before: the run had no thread, and made it in this step
    bool at_once = r->told == SP_HAND_OVER_NOW && !r->took;
    if (at_once || (deterministic && r->def.lag == 0)) return make_in_step(r, A, M, info);
    int k = free_picture(r);
    SP_TRY(sp__picture_take(r, &r->album->picture[k], A, M, r->step));
    r->now.tried = r->step;
    r->now.pending = k;
    sp__refresh_submit(r, k);
    if (!is_idle(r) || deterministic) return SP_OK;
    r->now.pending = -1;
    return make_now(r, k, M, info);
}

static sp_status take_over(sp_refresh *r, bool deterministic, sp_linear_info *info) {
    if (r->now.pending < 0) return SP_OK;
    int k = (int)r->now.pending;
    bool due =
        deterministic ? r->step >= r->album->picture[k].step + (uint64_t)r->def.lag : sp__job_done(&r->album->job) || is_idle(r);
    if (r->told != SP_HAND_OVER_FREE) due = r->told == SP_HAND_OVER_NOW;
    if (!due) return SP_OK;
    if (is_idle(r)) {
        SP_TRY(make_now(r, k, NULL, info));
    } else {
        sp__job_wait(r->ctx, &r->album->job);
        judge(r, k, info);
    }
    r->now.pending = -1;
    r->took = true;
    return SP_OK;
}

// ------------------------------------------------------------------------------------------------ the schedule

static bool is_needed(const sp_refresh *r) {
    const sp_schedule *s = &r->now;
    if (r->repinned) return true;
    if (s->best < 0 || s->last <= FRESH) return false;
    if (r->step >= r->album->picture[s->use].step + OLD) return true;
    return (double)s->last > grown * (double)s->best && s->last > s->best + SLACK;
}

static sp_status follow_policy(sp_refresh *r, const sp_system *A, const sp_blocks *M, bool first, bool deterministic,
                               sp_linear_info *info) {
    sp_schedule *s = &r->now;
    bool none = s->use < 0, changed = none || r->album->picture[s->use].values != A->values;
    switch (r->policy) {
    case SP_REFRESH_STEP: return changed ? make_in_step(r, A, M, info) : SP_OK;
    case SP_REFRESH_NEVER: return none && first ? make_in_step(r, A, M, info) : SP_OK;
    case SP_REFRESH_EVERY:
        if (!first || !changed || (!none && r->step < s->tried + (uint64_t)r->def.refresh_every)) return SP_OK;
        return make_in_step(r, A, M, info);
    case SP_REFRESH_AUTO:
    case SP_REFRESH_ASYNC: break;
    }
    if (!first || s->pending >= 0 || !changed) return SP_OK;
    if (none && !s->tried && (deterministic || !r->changed_pattern)) return make_in_step(r, A, M, info);
    return none || r->policy == SP_REFRESH_ASYNC || is_needed(r) ? ask(r, A, M, deterministic, info) : SP_OK;
}

// Back to what the failed attempt began with.
static void undo(sp_refresh *r) {
    if (r->album && r->before.pending < 0 && r->now.pending >= 0) sp__album_quiet(r->album);
    r->now = r->before;
}

void sp__refresh_step(sp_refresh *r, uint64_t number, sp_hand_over told) {
    if (r->begun && r->step == number) undo(r);
    r->first = true;
    r->told = told;
}

static sp_status begin_step(sp_refresh *r, uint64_t step, bool deterministic, sp_linear_info *info) {
    sp_schedule *s = &r->now;
    r->begun = r->took = false;
    r->step = step;
    if (s->now >= 0) {
        s->last = s->now;
        s->best = s->best < 0 || s->now < s->best ? s->now : s->best;
        s->now = -1;
    }
    SP_TRY(take_over(r, deterministic, info));
    r->before = r->now;
    r->begun = true;
    return SP_OK;
}

// block-Jacobi of this very matrix where nothing else is there: nothing to remember
static sp_status stand_in(sp_refresh *r, const sp_blocks *M) {
    r->cheap = false;
    if (r->now.use >= 0 || !r->album->cheap) return SP_OK;
    sp_symmetric view;
    sp_factor_info info;
    sp__blocks_view(M, &view);
    sp_status status = r->album->cheap->kind->build(r->album->cheap, &view, false, &info);
    r->cheap = status == SP_OK;
    return status == SP_NO_MEMORY ? status : SP_OK;
}

static void look_at_pins(sp_refresh *r, const sp_system *A) {
    sp__warp_pins(r, A);
    const unsigned char *then = r->now.use >= 0 ? r->album->picture[r->now.use].fixed : NULL;
    r->repinned = then && memcmp(then, r->fixed, (size_t)A->n) != 0;
}

sp_status sp__refresh_prepare(sp_refresh *r, const sp_system *A, const sp_blocks *M, uint64_t step, bool deterministic,
                              sp_linear_info *info) {
    info->refreshes = info->failed_refreshes = info->columns = 0;
    info->factor_age = -1;
    info->factor_flops = info->shift = 0;
    info->handed_over = false;
    if (r->told != SP_HAND_OVER_FREE) deterministic = false;
    SP_TRY(follow_pattern(r, A, M));
    bool begins = !r->begun || r->step != step, first = begins || r->first;
    if (begins) SP_TRY(begin_step(r, step, deterministic, info));
    r->first = false;
    look_at_pins(r, A);
    SP_TRY(follow_policy(r, A, M, first, deterministic, info));
    SP_TRY(stand_in(r, M));
    SP_TRY(sp__warp_turns(r, A));
    if (r->now.use >= 0) {
        const sp_picture *p = &r->album->picture[r->now.use];
        info->factor_age = (int)(step - p->step);
        info->shift = p->info.shift;
    }
    bool beside = r->policy == SP_REFRESH_ASYNC || r->policy == SP_REFRESH_AUTO;
    info->handed_over = beside && (r->took || info->refreshes + info->failed_refreshes > 0);
    return SP_OK;
}

void sp__refresh_learn(sp_refresh *r, int iterations) {
    if (iterations > r->now.now) r->now.now = iterations;
    if (r->now.pending >= 0) sp__job_hurry(r->ctx, &r->album->job, urgency(r));
}
