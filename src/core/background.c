// The background thread and its job queue.
//
//     owner                                     thread
//     idle -> queued   submit                   the most urgent of the queue: running
//     queued -> idle   cancel                   run(arg)
//     done             read without a lock      running -> done, or into the list of abandoned jobs
//
// The queue holds at most one job per body, so a linear search is fast enough. The thread neither allocates nor frees memory: the
// next caller that submits a job, or the destruction of the context, releases the abandoned jobs.
//
// The pool gives up one core from the moment a job is queued until no job is queued or running. If it gave up the core only when
// the thread starts to run, the thread would compete with a pool worker that still spins or works on that core.
#include "core/background.h"

#include <pthread.h>
#include <signal.h>

#include "core/pool.h"

struct sp_background {
    sp_context *ctx;
    pthread_t thread;
    pthread_mutex_t mutex;
    pthread_cond_t wake, ended;
    sp_job *waiting, *released;
    uint64_t next_sequence;
    int jobs;       // queued, or running on the background thread
    int abandoned;  // running, in the list of abandoned jobs, or being released
    bool hold, quit;
};

static int state_of(const sp_job *job) {
    return atomic_load_explicit(&job->state, memory_order_acquire);
}

static void set_state(sp_job *job, int state) {
    atomic_store_explicit(&job->state, state, memory_order_release);
}

// ------------------------------------------------------------------------------------------------ queue, under the mutex

static bool before(const sp_job *a, const sp_job *b) {
    return a->urgency != b->urgency ? a->urgency > b->urgency : a->sequence < b->sequence;
}

static sp_job *most_urgent(const struct sp_background *bg) {
    sp_job *best = bg->waiting;
    for (sp_job *job = best ? best->next : NULL; job; job = job->next)
        if (before(job, best)) best = job;
    return best;
}

static void unlink_job(struct sp_background *bg, sp_job *job) {
    sp_job **at = &bg->waiting;
    while (*at != job) at = &(*at)->next;
    *at = job->next;
    job->next = NULL;
}

// change = 1: one more job is queued or running; -1: one job less
static void count_jobs(struct sp_background *bg, int change) {
    bool needs_core = bg->jobs > 0;
    bg->jobs += change;
    if ((bg->jobs > 0) != needs_core) sp__pool_reserve_cores(bg->ctx, change);
}

// removes a queued job that the thread will not run
static void remove_job(struct sp_background *bg, sp_job *job) {
    unlink_job(bg, job);
    count_jobs(bg, -1);
}

static void end_run(struct sp_background *bg, sp_job *job) {
    if (job->release) {
        job->next = bg->released;
        bg->released = job;
    }
    set_state(job, SP_JOB_DONE);
    pthread_cond_broadcast(&bg->ended);
}

static void *thread_main(void *arg) {
    struct sp_background *bg = arg;
    pthread_mutex_lock(&bg->mutex);
    for (;;) {
        while (!bg->quit && (bg->hold || !bg->waiting)) pthread_cond_wait(&bg->wake, &bg->mutex);
        if (bg->quit) break;
        sp_job *job = most_urgent(bg);
        unlink_job(bg, job);
        set_state(job, SP_JOB_RUNNING);
        pthread_mutex_unlock(&bg->mutex);
        job->run(job->arg);
        pthread_mutex_lock(&bg->mutex);
        count_jobs(bg, -1);
        end_run(bg, job);
    }
    pthread_mutex_unlock(&bg->mutex);
    return NULL;
}

static void free_released(struct sp_background *bg) {
    pthread_mutex_lock(&bg->mutex);
    sp_job *released = bg->released;
    bg->released = NULL;
    pthread_mutex_unlock(&bg->mutex);
    int count = 0;
    for (sp_job *next; released; released = next, count++) {
        next = released->next;  // read first: release may free the job
        released->release(released->arg);
    }
    if (!count) return;
    pthread_mutex_lock(&bg->mutex);
    bg->abandoned -= count;
    pthread_cond_broadcast(&bg->ended);
    pthread_mutex_unlock(&bg->mutex);
}

// ------------------------------------------------------------------------------------------------ creation and destruction

// blocks all signals, so that the host's threads receive them, as in the pool
static bool start_thread(struct sp_background *bg) {
    sigset_t all, outer;
    sigfillset(&all);
    if (pthread_sigmask(SIG_SETMASK, &all, &outer) != 0) return false;
    bool made = pthread_create(&bg->thread, NULL, thread_main, bg) == 0;
    pthread_sigmask(SIG_SETMASK, &outer, NULL);
    return made;
}

// The background thread belongs to the context and is created late. Like the context itself, it does not count as an allocation
// that the context still holds.
enum { ALIGN = 64, SIZE = (sizeof(struct sp_background) + ALIGN - 1) / ALIGN * ALIGN };

static sp_status background_create(sp_context *ctx, struct sp_background **out) {
    struct sp_background *bg = ctx->def.alloc(ctx->def.alloc_user, SIZE, ALIGN);
    if (!bg) return SP_NO_MEMORY;
    *bg = (struct sp_background){.ctx = ctx};
    if (pthread_mutex_init(&bg->mutex, NULL) != 0) goto no_mutex;
    if (pthread_cond_init(&bg->wake, NULL) != 0) goto no_wake;
    if (pthread_cond_init(&bg->ended, NULL) != 0) goto no_ended;
    if (start_thread(bg)) {
        *out = bg;
        return SP_OK;
    }
    pthread_cond_destroy(&bg->ended);
no_ended:
    pthread_cond_destroy(&bg->wake);
no_wake:
    pthread_mutex_destroy(&bg->mutex);
no_mutex:
    ctx->def.free(ctx->def.alloc_user, bg, SIZE);
    return SP_UNAVAILABLE;
}

static void destroy(sp_context *ctx, struct sp_background *bg) {
    pthread_mutex_lock(&bg->mutex);
    bg->quit = true;
    pthread_cond_signal(&bg->wake);
    pthread_mutex_unlock(&bg->mutex);
    pthread_join(bg->thread, NULL);
    free_released(bg);
    for (sp_job *job; (job = bg->waiting);) {
        remove_job(bg, job);
        set_state(job, SP_JOB_IDLE);
    }
    pthread_cond_destroy(&bg->ended);
    pthread_cond_destroy(&bg->wake);
    pthread_mutex_destroy(&bg->mutex);
    ctx->def.free(ctx->def.alloc_user, bg, SIZE);
}

// two threads may create it at the same time: the second one destroys its own again
static sp_status background_obtain(sp_context *ctx, struct sp_background **out) {
    struct sp_background *made = NULL, *there;
    ctx = sp__context_host(ctx);
    there = atomic_load_explicit(&ctx->background, memory_order_acquire);
    if (!there) {
        SP_TRY(background_create(ctx, &made));
        if (atomic_compare_exchange_strong(&ctx->background, &there, made))
            there = made;
        else
            destroy(ctx, made);
    }
    *out = there;
    return SP_OK;
}

// NULL: no job has been submitted yet
static struct sp_background *background_of(const sp_context *ctx) {
    return atomic_load_explicit(&sp__context_host(ctx)->background, memory_order_acquire);
}

void sp__background_destroy(sp_context *ctx) {
    struct sp_background *bg = atomic_exchange(&ctx->background, NULL);
    if (bg) destroy(ctx, bg);
}

// ------------------------------------------------------------------------------------------------ jobs

sp_status sp__job_submit(sp_context *ctx, sp_job *job) {
    struct sp_background *bg;
    if (ctx->share) return SP_UNAVAILABLE;
    SP_TRY(background_obtain(ctx, &bg));
    free_released(bg);
    pthread_mutex_lock(&bg->mutex);
    SP_ASSERT(state_of(job) == SP_JOB_IDLE || state_of(job) == SP_JOB_DONE);
    job->sequence = bg->next_sequence++;
    job->release = NULL;
    job->next = bg->waiting;
    bg->waiting = job;
    set_state(job, SP_JOB_QUEUED);
    count_jobs(bg, 1);
    pthread_cond_signal(&bg->wake);
    pthread_mutex_unlock(&bg->mutex);
    return SP_OK;
}

bool sp__job_done(const sp_job *job) {
    return state_of(job) == SP_JOB_DONE;
}

void sp__job_wait(sp_context *ctx, sp_job *job) {
    struct sp_background *bg = background_of(ctx);
    if (!bg) return;
    pthread_mutex_lock(&bg->mutex);
    if (state_of(job) == SP_JOB_QUEUED) {
        remove_job(bg, job);
        set_state(job, SP_JOB_RUNNING);
        pthread_mutex_unlock(&bg->mutex);
        job->run(job->arg);
        pthread_mutex_lock(&bg->mutex);
        end_run(bg, job);
    }
    while (state_of(job) == SP_JOB_RUNNING) pthread_cond_wait(&bg->ended, &bg->mutex);
    pthread_mutex_unlock(&bg->mutex);
}

void sp__job_cancel(sp_context *ctx, sp_job *job) {
    struct sp_background *bg = background_of(ctx);
    if (bg) {
        pthread_mutex_lock(&bg->mutex);
        if (state_of(job) == SP_JOB_QUEUED) {
            remove_job(bg, job);
            set_state(job, SP_JOB_IDLE);
        }
        while (state_of(job) == SP_JOB_RUNNING) pthread_cond_wait(&bg->ended, &bg->mutex);
        pthread_mutex_unlock(&bg->mutex);
    }
    set_state(job, SP_JOB_IDLE);
}

void sp__job_set_urgency(sp_context *ctx, sp_job *job, double urgency) {
    struct sp_background *bg = background_of(ctx);
    if (!bg) return;
    pthread_mutex_lock(&bg->mutex);
    if (state_of(job) == SP_JOB_QUEUED) job->urgency = urgency;
    pthread_mutex_unlock(&bg->mutex);
}

void sp__job_abandon(sp_context *ctx, sp_job *job, void (*release)(void *arg)) {
    struct sp_background *bg = background_of(ctx);
    bool running = false;
    if (bg) {
        free_released(bg);
        pthread_mutex_lock(&bg->mutex);
        if (state_of(job) == SP_JOB_QUEUED) remove_job(bg, job);
        running = state_of(job) == SP_JOB_RUNNING;
        if (running) job->release = release, bg->abandoned++;
        pthread_mutex_unlock(&bg->mutex);
    }
    if (!running) release(job->arg);
}

void sp__background_wait_abandoned(sp_context *ctx) {
    struct sp_background *bg = background_of(ctx);
    if (!bg) return;
    pthread_mutex_lock(&bg->mutex);
    while (bg->abandoned > 0) {
        while (bg->abandoned > 0 && !bg->released) pthread_cond_wait(&bg->ended, &bg->mutex);
        pthread_mutex_unlock(&bg->mutex);
        free_released(bg);
        pthread_mutex_lock(&bg->mutex);
    }
    pthread_mutex_unlock(&bg->mutex);
}

void sp__background_hold(sp_context *ctx, bool hold) {
    struct sp_background *bg;
    if (background_obtain(ctx, &bg) < 0) return;
    pthread_mutex_lock(&bg->mutex);
    bg->hold = hold;
    pthread_cond_signal(&bg->wake);
    pthread_mutex_unlock(&bg->mutex);
}
