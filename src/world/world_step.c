// One step of a world: the stages in physical order, each timed. All work is on trial arrays until commit; a failure before it
// puts everything back.
#include "world/world_internal.h"

typedef sp_status stage_fn(sp_world *w, double h);

static sp_status run(sp_world *w, double h, sp_stage stage, stage_fn *fn) {
    double start = sp__now_ms();
    sp_status status = fn(w, h);
    w->trial.stage_ms[stage] = sp__now_ms() - start;
    if (status >= 0 && w->inject == (int)stage) {
        w->inject = -1;
        status = WORLD_FAIL(w, SP_STOPPED, "stage %s: failure asked for by a test", sp_stage_name(stage));
    }
    w->trial.status = sp__reserve(w, w->trial.status, status);
    return status;
}

static sp_status stages(sp_world *w, double h) {
    SP_TRY(run(w, h, SP_STAGE_TAKE_EDITS, sp__take_edits));    // drags, pins, poses and parameters queued since the last step
    SP_TRY(run(w, h, SP_STAGE_PRESCRIBE, sp__prescribe));      // gravity, targets and kinematic poses at the end of the step
    SP_TRY(run(w, h, SP_STAGE_FREE_MOTION, sp__free_motion));  // each body alone: A dv = b
    SP_TRY(run(w, h, SP_STAGE_GUARD, sp__guard));              // every trial number is finite
    SP_TRY(run(w, h, SP_STAGE_BALANCE, sp__balance));          // energy against work, inverted elements, overlap
    SP_TRY(run(w, h, SP_STAGE_COMMIT, sp__commit));            // the first line that changes what others see; cannot fail
    SP_TRY(run(w, h, SP_STAGE_PUBLISH, sp__publish));          // hash, events, snapshot; cannot fail
    return w->trial.status;
}

sp_status sp_world_step(sp_world *w, double h) {
    if (!(h > 0) || !isfinite(h)) return WORLD_FAIL(w, SP_BAD_INPUT, "step of h = %g s, must be finite and > 0", h);
    SP_TRY(sp__world_enter(w));
    double start = sp__now_ms();
    w->trial = (sp_step_info){.step = w->steps + 1, .time = sp__time_after(w, h)};
    w->trial_events->count = 0;
    sp_status status = stages(w, h);
    if (status < 0) sp__rollback(w);
    w->trial.step_ms = sp__now_ms() - start;
    if (status >= 0) w->info = w->trial;
    sp__world_leave(w);
    return status;
}

sp_status sp__world_inject_failure(sp_world *w, sp_stage stage) {
    if ((int)stage < 0 || stage >= SP_STAGE_COMMIT)
        return WORLD_FAIL(w, SP_BAD_INPUT, "stage %s cannot fail", sp_stage_name(stage));
    w->inject = (int)stage;
    return SP_OK;
}
