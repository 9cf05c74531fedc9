// One thread beside the pool for work that nobody waits for: jobs with priorities, the most urgent first. Made at the first job,
// ended with the context.
#ifndef SP_BACKGROUND_H
#define SP_BACKGROUND_H

#include "core/core.h"

enum { SP_JOB_IDLE, SP_JOB_QUEUED, SP_JOB_RUNNING, SP_JOB_DONE };

// Belongs to its owner, who must not move it while it is queued or running.
typedef struct sp_job {
    void (*run)(void *arg);
    void *arg;
    double urgency;    // larger goes first; equal ones in the order of their asking
    atomic_int state;  // written with release by the thread, read with acquire by the owner
    struct sp_job *next;
    uint64_t ticket;
    void (*release)(void *arg);  // set by sp__job_abandon
} sp_job;

// Takes an idle or done job. SP_UNAVAILABLE: no thread could be had; the job stays idle.
sp_status sp__job_submit(sp_context *ctx, sp_job *job);
bool sp__job_done(const sp_job *job);
// Until it is done. A job that nobody has begun is run here and now.
void sp__job_wait(sp_context *ctx, sp_job *job);
// Out of the queue, or until the run under way has ended; then idle.
void sp__job_cancel(sp_context *ctx, sp_job *job);
// Another urgency, where it still waits for its turn.
void sp__job_hurry(sp_context *ctx, sp_job *job, double urgency);
// The owner lets go without waiting: release(arg) is called when nothing runs on it any more, at once or from a later call of
// another job's owner or of sp__background_destroy, never on the thread itself: hosts' memory is not its business.
void sp__job_abandon(sp_context *ctx, sp_job *job, void (*release)(void *arg));
// Waits until every abandoned job has ended and is released: before something that they use goes, as the context of a world.
void sp__background_settle(sp_context *ctx);
void sp__background_destroy(sp_context *ctx);  // accepts a context without one
// For tests: jobs are taken but not begun until released.
void sp__background_hold(sp_context *ctx, bool hold);

#endif
