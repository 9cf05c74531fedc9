// One background thread for work that no caller waits for: a queue of jobs with priorities, the most urgent first. Created with
// the first job, ended with the context.
#ifndef SP_BACKGROUND_H
#define SP_BACKGROUND_H

#include "core/core.h"

enum { SP_JOB_IDLE, SP_JOB_QUEUED, SP_JOB_RUNNING, SP_JOB_DONE };

// The owner keeps the job and must not move it while it is queued or running.
typedef struct sp_job {
    void (*run)(void *arg);
    void *arg;
    double urgency;    // larger runs first; equal urgencies run in order of submission
    atomic_int state;  // written with release by the thread, read with acquire by the owner
    struct sp_job *next;
    uint64_t sequence;
    void (*release)(void *arg);  // set by sp__job_abandon
} sp_job;

// Accepts an idle or done job. SP_UNAVAILABLE: the thread could not be started, or the context is that of a world of a batch,
// whose cores all work already; the job stays idle.
sp_status sp__job_submit(sp_context *ctx, sp_job *job);
bool sp__job_done(const sp_job *job);
// Waits until the job is done. A job that has not started yet runs on the calling thread.
void sp__job_wait(sp_context *ctx, sp_job *job);
// Removes the job from the queue, or waits until its current run ends; the job is idle afterwards.
void sp__job_cancel(sp_context *ctx, sp_job *job);
// Changes the urgency of a job that is still queued.
void sp__job_set_urgency(sp_context *ctx, sp_job *job, double urgency);
// Gives up the job without waiting. release(arg) is called when the job no longer runs: at once, or later by another owner's call
// or by sp__background_destroy. It never runs on the background thread, because the host's memory hooks need not be safe there.
void sp__job_abandon(sp_context *ctx, sp_job *job, void (*release)(void *arg));
// Waits until every abandoned job has ended and is released. Call it before freeing anything that the jobs use, such as the
// context of a world.
void sp__background_wait_abandoned(sp_context *ctx);
void sp__background_destroy(sp_context *ctx);  // accepts a context without one
// For tests: while held, jobs are queued but not started.
void sp__background_hold(sp_context *ctx, bool hold);

#endif
