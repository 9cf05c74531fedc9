// The background thread next to the pool: jobs by priority, waiting, cancelling, abandoning, several threads at once, the end of
// a context while a job runs. Also runs under the thread sanitizer.
#include "core/background.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <time.h>

#include "core/pool.h"
#include "meter.h"
#include "test.h"

static sp_context *new_context(void) {
    sp_context_def def = sp_context_def_default();
    sp_context *ctx = NULL;
    def.workers = 2;
    sp_context_create(&def, &ctx);
    return ctx;
}

// A job that records when and on which thread it ran, and can be prevented from ending.
typedef struct work {
    sp_job job;
    int name, *order, *at;
    atomic_int gate;  // 1: waits until it is 0
    atomic_bool begun;
    pthread_t thread;
    int runs;
    bool blocked;  // signals are blocked in the thread that runs it
} work;

static void run(void *arg) {
    work *w = arg;
    sigset_t set;
    atomic_store(&w->begun, true);
    while (atomic_load(&w->gate)) sched_yield();
    pthread_sigmask(SIG_SETMASK, NULL, &set);
    w->blocked = sigismember(&set, SIGINT) == 1;
    w->thread = pthread_self();
    w->runs++;
    if (w->order) w->order[(*w->at)++] = w->name;
}

static void set_up(work *w, double urgency) {
    *w = (work){.job = {.run = run, .arg = w, .urgency = urgency}};
}

static void until_begun(work *w) {
    while (!atomic_load(&w->begun)) sched_yield();
}

static void until_done(work *w) {
    while (!sp__job_done(&w->job)) sched_yield();
}

static bool is_me(pthread_t t) {
    return pthread_equal(t, pthread_self()) != 0;
}

TEST(a_job_runs_once_on_a_thread_of_its_own) {
    sp_context *ctx = new_context();
    work w;
    set_up(&w, 0);
    CHECK(ctx->background == NULL);
    CHECK(!sp__job_done(&w.job));
    for (int k = 1; k <= 3; k++) {
        CHECK(sp__job_submit(ctx, &w.job) == SP_OK);
        until_done(&w);
        CHECK_INT(w.runs, k);
        CHECK(!is_me(w.thread) && w.blocked);
    }
    sp__job_wait(ctx, &w.job);
    CHECK_INT(w.runs, 3);
    sp_context_destroy(&ctx);
}

TEST(the_most_urgent_goes_first_and_equals_in_order) {
    enum { N = 6 };
    const double urgency[N] = {1, 5, 3, 5, 3, 0};
    const int expected[N] = {1, 3, 5, 2, 4, 0};  // the priority of the last one is raised to 4 while it waits
    sp_context *ctx = new_context();
    work w[N];
    int order[N] = {0}, at = 0;
    sp__background_hold(ctx, true);
    for (int i = 0; i < N; i++) {
        set_up(&w[i], urgency[i]);
        w[i].name = i, w[i].order = order, w[i].at = &at;
        CHECK(sp__job_submit(ctx, &w[i].job) == SP_OK);
        CHECK(!sp__job_done(&w[i].job));
    }
    sp__job_set_urgency(ctx, &w[5].job, 4);
    sp__background_hold(ctx, false);
    until_done(&w[0]);
    for (int i = 0; i < N; i++) CHECK_INT(order[i], expected[i]);
    sp_context_destroy(&ctx);
}

TEST(waiting_for_a_queued_job_runs_it) {
    sp_context *ctx = new_context();
    work w;
    set_up(&w, 0);
    sp__job_wait(ctx, &w.job);  // never submitted: nothing to wait for
    CHECK_INT(w.runs, 0);
    sp__background_hold(ctx, true);
    CHECK(sp__job_submit(ctx, &w.job) == SP_OK);
    sp__job_wait(ctx, &w.job);
    CHECK(sp__job_done(&w.job) && w.runs == 1 && is_me(w.thread));
    // a job that has started is waited for
    sp__background_hold(ctx, false);
    atomic_store(&w.begun, false);
    CHECK(sp__job_submit(ctx, &w.job) == SP_OK);
    until_begun(&w);
    sp__job_wait(ctx, &w.job);
    CHECK(sp__job_done(&w.job) && w.runs == 2 && !is_me(w.thread));
    sp_context_destroy(&ctx);
}

static void *open_later(void *arg) {
    work *w = arg;
    for (int i = 0; i < 1000; i++) sched_yield();
    atomic_store(&w->gate, 0);
    return NULL;
}

TEST(cancelled_jobs_leave_the_queue_or_are_waited_for) {
    sp_context *ctx = new_context();
    work a, b;
    pthread_t opener;
    set_up(&a, 0), set_up(&b, 0);
    atomic_store(&a.gate, 1);
    CHECK(sp__job_submit(ctx, &a.job) == SP_OK);
    until_begun(&a);
    CHECK(sp__job_submit(ctx, &b.job) == SP_OK);
    sp__job_cancel(ctx, &b.job);  // behind a: never run
    CHECK(atomic_load(&b.job.state) == SP_JOB_IDLE && b.runs == 0);
    REQUIRE(pthread_create(&opener, NULL, open_later, &a) == 0);
    sp__job_cancel(ctx, &a.job);
    CHECK(atomic_load(&a.job.state) == SP_JOB_IDLE && a.runs == 1);
    pthread_join(opener, NULL);
    CHECK(sp__job_submit(ctx, &b.job) == SP_OK);
    until_done(&b);
    sp_context_destroy(&ctx);
}

// ---------------------------------------------------------------------------------------------------- abandoning

typedef struct owned {
    work w;
    sp_context *ctx;
    int *released;
    pthread_t *by;
} owned;

static void release(void *arg) {
    owned *o = arg;
    ++*o->released;
    *o->by = pthread_self();
    sp__free(o->ctx, o);
}

static owned *new_owned(sp_context *ctx, int *released, pthread_t *by) {
    owned *o = sp__alloc(ctx, 1, sizeof *o);
    set_up(&o->w, 0);
    o->w.job.arg = o;
    o->ctx = ctx, o->released = released, o->by = by;
    return o;
}

TEST(an_abandoned_job_is_released_by_its_callers_when_it_has_ended) {
    sp_context *ctx = new_context();
    int released = 0;
    pthread_t by;
    work other;
    set_up(&other, 0);
    owned *o = new_owned(ctx, &released, &by);
    sp__job_abandon(ctx, &o->w.job, release);  // never submitted: released at once
    CHECK_INT(released, 1);
    // running: released later, and not on the thread
    o = new_owned(ctx, &released, &by);
    atomic_store(&o->w.gate, 1);
    CHECK(sp__job_submit(ctx, &o->w.job) == SP_OK);
    until_begun(&o->w);
    sp__job_abandon(ctx, &o->w.job, release);
    CHECK_INT(released, 1);
    atomic_store(&o->w.gate, 0);
    CHECK(sp__job_submit(ctx, &other.job) == SP_OK);
    until_done(&other);  // so the previous job has ended too
    CHECK(sp__job_submit(ctx, &other.job) == SP_OK);
    CHECK(released == 2 && is_me(by));
    // waiting: released at once
    until_done(&other);
    sp__background_hold(ctx, true);
    o = new_owned(ctx, &released, &by);
    CHECK(sp__job_submit(ctx, &o->w.job) == SP_OK);
    sp__job_abandon(ctx, &o->w.job, release);
    CHECK_INT(released, 3);
    sp_context_destroy(&ctx);
}

static void *open_gate(void *arg) {
    owned *o = arg;
    nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
    atomic_store(&o->w.gate, 0);
    return NULL;
}

TEST(settling_waits_for_abandoned_jobs_and_releases_them) {
    sp_context *ctx = new_context();
    int released = 0;
    pthread_t by, opener;
    sp__background_wait_abandoned(ctx);  // no job yet
    owned *o = new_owned(ctx, &released, &by);
    atomic_store(&o->w.gate, 1);
    REQUIRE(sp__job_submit(ctx, &o->w.job) == SP_OK);
    until_begun(&o->w);
    sp__job_abandon(ctx, &o->w.job, release);
    REQUIRE(pthread_create(&opener, NULL, open_gate, o) == 0);
    sp__background_wait_abandoned(ctx);
    CHECK_INT(released, 1);
    pthread_join(opener, NULL);
    sp__background_wait_abandoned(ctx);
    CHECK_INT(released, 1);
    sp_context_destroy(&ctx);
}

TEST(a_context_ends_with_jobs_running_waiting_and_abandoned) {
    sp_context *ctx = new_context();
    int released = 0;
    pthread_t by, opener;
    work waiting;
    set_up(&waiting, 0);
    owned *o = new_owned(ctx, &released, &by);
    atomic_store(&o->w.gate, 1);
    CHECK(sp__job_submit(ctx, &o->w.job) == SP_OK);
    until_begun(&o->w);
    CHECK(sp__job_submit(ctx, &waiting.job) == SP_OK);
    sp__job_abandon(ctx, &o->w.job, release);
    REQUIRE(pthread_create(&opener, NULL, open_later, &o->w) == 0);
    sp_context_destroy(&ctx);
    pthread_join(opener, NULL);
    CHECK(released == 1 && is_me(by));
    CHECK(atomic_load(&waiting.job.state) == SP_JOB_IDLE && waiting.runs == 0);
}

// ---------------------------------------------------------------------------------------------------- many threads, no memory

enum { ROUNDS = 200 };

static void *use_it(void *arg) {
    sp_context *ctx = arg;
    static const double urgency[3] = {1, 7, 3};
    work w[3];
    for (int i = 0; i < 3; i++) set_up(&w[i], urgency[i]);
    for (int k = 0; k < ROUNDS; k++) {
        for (int i = 0; i < 3; i++) CHECK(sp__job_submit(ctx, &w[i].job) == SP_OK);
        sp__job_set_urgency(ctx, &w[0].job, k);
        sp__job_wait(ctx, &w[1].job);
        if (k % 2) sp__job_cancel(ctx, &w[2].job);
        sp__job_wait(ctx, &w[0].job);
        sp__job_wait(ctx, &w[2].job);
    }
    bool *fine = sp__alloc(ctx, 1, sizeof *fine);
    *fine = w[0].runs == ROUNDS && w[1].runs == ROUNDS && w[2].runs >= ROUNDS / 2 && w[2].runs <= ROUNDS;
    return fine;
}

TEST(several_threads_share_the_thread_of_a_context) {
    enum { THREADS = 4 };
    sp_context *ctx = new_context();
    pthread_t thread[THREADS];
    for (int i = 0; i < THREADS; i++) REQUIRE(pthread_create(&thread[i], NULL, use_it, ctx) == 0);
    for (int i = 0; i < THREADS; i++) {
        void *fine;
        pthread_join(thread[i], &fine);
        CHECK(*(bool *)fine);
        sp__free(ctx, fine);
    }
    sp_context_destroy(&ctx);
}

TEST(without_memory_the_job_stays_idle) {
    meter m = {.allowed = 1};  // the context itself
    sp_context_def def = metered_context(&m);
    sp_context *ctx;
    work w;
    REQUIRE(sp_context_create(&def, &ctx) == SP_OK);
    set_up(&w, 0);
    CHECK(sp__job_submit(ctx, &w.job) < 0);
    CHECK(atomic_load(&w.job.state) == SP_JOB_IDLE && w.runs == 0);
    m.allowed = 100;
    CHECK(sp__job_submit(ctx, &w.job) == SP_OK);
    until_done(&w);
    sp_context_destroy(&ctx);
    CHECK_INT(m.live, 0);
}

static void *enqueue(sp_task_fn *fn, int count, void *arg, void *user) {
    (void)user;
    for (int i = 0; i < count; i++) fn(arg, i, 0);
    return NULL;
}

static void finish(void *handle, void *user) {
    (void)handle, (void)user;
}

static void note_worker(void *arg, int task, int worker) {
    atomic_int *took = arg;
    (void)task;
    nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    atomic_fetch_add(&took[worker], 1);
}

// tasks that the last worker runs, of one batch long enough for every worker to wake up
static int taken_by_last(sp_context *ctx) {
    atomic_int took[SP_WORKERS_MAX] = {0};
    sp__parallel(ctx, 8 * sp__workers(ctx), note_worker, took);
    return took[sp__workers(ctx) - 1];
}

// the pool has one worker less from the submission of a job to its end, whether the thread has started it or not
TEST(a_queued_job_reserves_a_core) {
    sp_context *ctx;
    work w;
    REQUIRE(sp_context_create(NULL, &ctx) == SP_OK);
    int cores = sp__workers(ctx), helped = 0;
    set_up(&w, 0);
    sp__background_hold(ctx, true);
    for (int i = 0; i < 3 && cores > 1; i++) {
        bool begins = i == 2;
        atomic_store(&w.gate, begins);
        CHECK(sp__job_submit(ctx, &w.job) == SP_OK);
        if (begins) {
            sp__background_hold(ctx, false);
            until_begun(&w);
        }
        CHECK_INT(taken_by_last(ctx), 0);
        // the core is returned however the job ends
        if (i == 0) sp__job_cancel(ctx, &w.job);
        if (i == 1) sp__job_wait(ctx, &w.job);
        atomic_store(&w.gate, 0);
        if (begins) until_done(&w);
        // the time until a worker wakes up depends on the machine
        for (int k = 0; k < 20 && helped <= i; k++) helped += taken_by_last(ctx) > 0;
        CHECK_INT(helped, i + 1);
        if (i == 1) atomic_store(&w.begun, false);
    }
    sp_context_destroy(&ctx);
}

TEST(a_host_with_its_own_tasks_gets_the_thread_too) {
    sp_context_def def = sp_context_def_default();
    sp_context *ctx;
    work w;
    def.workers = 2, def.enqueue = enqueue, def.finish = finish;
    REQUIRE(sp_context_create(&def, &ctx) == SP_OK);
    set_up(&w, 0);
    CHECK(sp__job_submit(ctx, &w.job) == SP_OK);
    until_done(&w);
    CHECK(w.runs == 1 && !is_me(w.thread));
    sp_context_destroy(&ctx);
}
