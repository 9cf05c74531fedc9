// Batches of tasks: each task exactly once, on its own worker, for every number of workers, nested, from two threads, and on the
// host's own tasks. Also runs under the thread sanitizer.
#include <pthread.h>
#include <sys/resource.h>
#include <time.h>

#include "core/pool.h"
#include "test.h"

static sp_context *new_context(int workers) {
    sp_context_def def = sp_context_def_default();
    def.workers = workers;
    sp_context *ctx = NULL;
    sp_context_create(&def, &ctx);
    return ctx;
}

enum { TASKS_MAX = 1000 };

// Plain ints on purpose: two tasks at once on one worker, or one task twice at once, is a race that the sanitizer detects.
typedef struct batch {
    sp_context *ctx;
    int done[TASKS_MAX];
    int by_worker[64];
    int in_worker[64];  // 1 while a task runs on that worker
    atomic_int wrong;
} batch;

static void once(void *arg, int task, int worker) {
    batch *b = arg;
    if (worker < 0 || worker >= sp__workers(b->ctx) || b->in_worker[worker]) {
        atomic_fetch_add(&b->wrong, 1);
        return;
    }
    b->in_worker[worker] = 1;
    b->done[task]++;
    b->by_worker[worker]++;
    b->in_worker[worker] = 0;
}

static bool all_once(const batch *b, int count) {
    for (int i = 0; i < TASKS_MAX; i++)
        if (b->done[i] != (i < count)) return false;
    return atomic_load(&b->wrong) == 0;
}

TEST(each_task_once) {
    static const int counts[] = {0, 1, 2, 3, 7, 64, TASKS_MAX};
    for (int workers = 1; workers <= 7; workers++) {
        sp_context *ctx = new_context(workers);
        REQUIRE(ctx);
        CHECK_INT(sp__workers(ctx), workers);
        for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
            for (int repeat = 0; repeat < 20; repeat++) {
                batch b = {.ctx = ctx};
                sp__parallel(ctx, counts[c], once, &b);
                CHECK(all_once(&b, counts[c]));
            }
        sp_context_destroy(&ctx);
    }
}

// Thousands of small batches, with pauses in which the workers fall asleep.
TEST(many_small_batches) {
    for (int workers = 2; workers <= 7; workers += 5) {
        sp_context *ctx = new_context(workers);
        REQUIRE(ctx);
        for (int i = 0; i < 3000; i++) {
            batch b = {.ctx = ctx};
            sp__parallel(ctx, 2 + i % 9, once, &b);
            if (!all_once(&b, 2 + i % 9)) SP_TEST_FAILED("batch %d of %d workers", i, workers);
            if (i % 500 == 0) nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
        }
        sp_context_destroy(&ctx);
    }
}

static void slow(void *arg, int task, int worker) {
    nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
    once(arg, task, worker);
}

// A caller that is busy for tens of milliseconds gets help, unless it has the only core, and waits for its helper.
TEST(other_workers_take_part) {
    sp_context *ctx = new_context(2);
    REQUIRE(ctx);
    int helped = 0;
    for (int i = 0; i < 10; i++) {
        batch b = {.ctx = ctx};
        sp__parallel(ctx, 8, slow, &b);
        CHECK(all_once(&b, 8));
        helped += b.by_worker[1];
    }
    CHECK(helped > 0 || sp__cores() == 1);
    sp_context_destroy(&ctx);
}

// Tasks see the caller's writes before a batch, and the caller sees theirs after it; sums by task do not depend on workers.
typedef struct chain {
    double in[64], out[64];
} chain;

static void smooth(void *arg, int task, int worker) {
    (void)worker;
    chain *c = arg;
    c->out[task] = 0.3 * c->in[task] + 0.7 * c->in[(task + 1) % 64] + 1e-3 * task;
}

static double run_chain(int workers) {
    sp_context *ctx = new_context(workers);
    if (!ctx) return NAN;
    chain c = {.in = {1, 2, 3}};
    for (int i = 0; i < 500; i++) {
        sp__parallel(ctx, 64, smooth, &c);
        memcpy(c.in, c.out, sizeof c.in);
    }
    sp_context_destroy(&ctx);
    double sum = 0;
    for (int i = 0; i < 64; i++) sum += c.out[i];
    return sum;
}

TEST(batches_are_ordered_in_memory) {
    double one = run_chain(1);
    CHECK(isfinite(one));
    CHECK(run_chain(2) == one);
    CHECK(run_chain(3) == one);
    CHECK(run_chain(7) == one);
}

// ------------------------------------------------------------------------------------------------ nested

typedef struct nest {
    sp_context *ctx;
    int inner[16][8];
    int worker_kept[16];
} nest;

typedef struct nest_inner {
    nest *n;
    int task, worker;
} nest_inner;

static void inner(void *arg, int task, int worker) {
    nest_inner *in = arg;
    in->n->inner[in->task][task]++;
    if (worker == in->worker) in->n->worker_kept[in->task]++;
}

static void outer(void *arg, int task, int worker) {
    nest *n = arg;
    nest_inner in = {n, task, worker};
    sp__parallel(n->ctx, 8, inner, &in);
}

static void check_nest(sp_context *ctx) {
    nest n = {.ctx = ctx};
    sp__parallel(ctx, 16, outer, &n);
    for (int i = 0; i < 16; i++) {
        // an inner batch stays on its worker: no other worker uses its scratch memory
        CHECK_INT(n.worker_kept[i], 8);
        for (int k = 0; k < 8; k++) CHECK_INT(n.inner[i][k], 1);
    }
}

TEST(nested_batches_run_on_their_worker) {
    for (int workers = 1; workers <= 7; workers += 2) {
        sp_context *ctx = new_context(workers);
        REQUIRE(ctx);
        for (int repeat = 0; repeat < 50; repeat++) check_nest(ctx);
        // the pool is free again
        batch b = {.ctx = ctx};
        sp__parallel(ctx, 50, once, &b);
        CHECK(all_once(&b, 50));
        sp_context_destroy(&ctx);
    }
}

static void other_context(void *arg, int task, int worker) {
    (void)task, (void)worker;
    batch *b = arg;
    batch local = {.ctx = b->ctx};
    sp__parallel(b->ctx, 10, once, &local);
    if (!all_once(&local, 10)) atomic_fetch_add(&b->wrong, 1);
}

TEST(a_task_may_use_another_context) {
    sp_context *a = new_context(2), *c = new_context(2);
    REQUIRE(a && c);
    batch b = {.ctx = c};
    for (int i = 0; i < 20; i++) sp__parallel(a, 8, other_context, &b);
    CHECK_INT(atomic_load(&b.wrong), 0);
    sp_context_destroy(&a);
    sp_context_destroy(&c);
}

// ------------------------------------------------------------------------------------------------ two calling threads

typedef struct caller {
    sp_context *ctx;
    int failures;
} caller;

static void *call_often(void *arg) {
    caller *c = arg;
    for (int i = 0; i < 1000; i++) {
        batch b = {.ctx = c->ctx};
        sp__parallel(c->ctx, 20, once, &b);
        if (!all_once(&b, 20)) c->failures++;
    }
    return NULL;
}

TEST(two_threads_share_a_context) {
    sp_context *ctx = new_context(3);
    REQUIRE(ctx);
    caller a = {ctx, 0}, b = {ctx, 0};
    pthread_t thread;
    REQUIRE(pthread_create(&thread, NULL, call_often, &a) == 0);
    call_often(&b);
    pthread_join(thread, NULL);
    CHECK_INT(a.failures, 0);
    CHECK_INT(b.failures, 0);
    sp_context_destroy(&ctx);
}

TEST(contexts_are_created_and_destroyed_repeatedly) {
    for (int i = 0; i < 50; i++) {
        sp_context *ctx = new_context(1 + i % 7);
        REQUIRE(ctx);
        if (i % 3 == 0) {
            batch b = {.ctx = ctx};
            sp__parallel(ctx, 5, once, &b);
            CHECK(all_once(&b, 5));
        }
        sp_context_destroy(&ctx);
    }
}

// ------------------------------------------------------------------------------------------------ the host's tasks

// A host that starts a thread for the upper half of the tasks and runs the lower half when asked to finish.
typedef struct host {
    sp_task_fn *fn;
    void *arg;
    int count, enqueued, finished;
    pthread_t thread;
} host;

static void *upper_half(void *arg) {
    host *h = arg;
    for (int i = h->count / 2; i < h->count; i++) h->fn(h->arg, i, 1);
    return NULL;
}

static void *host_enqueue(sp_task_fn *fn, int count, void *arg, void *user) {
    host *h = user;
    h->fn = fn, h->arg = arg, h->count = count;
    h->enqueued++;
    return pthread_create(&h->thread, NULL, upper_half, h) == 0 ? h : NULL;
}

static void host_finish(void *handle, void *user) {
    host *h = user;
    h->finished++;
    for (int i = 0; i < h->count / 2; i++) h->fn(h->arg, i, 0);
    if (handle)
        pthread_join(h->thread, NULL);
    else
        upper_half(h);
}

TEST(host_tasks) {
    host h = {0};
    sp_context_def def = sp_context_def_default();
    def.workers = 2, def.enqueue = host_enqueue, def.finish = host_finish, def.task_user = &h;
    sp_context *ctx;
    REQUIRE(sp_context_create(&def, &ctx) == SP_OK);
    batch b = {.ctx = ctx};
    sp__parallel(ctx, 30, once, &b);
    CHECK(all_once(&b, 30));
    CHECK(b.by_worker[0] == 15 && b.by_worker[1] == 15);
    CHECK_INT(h.enqueued, 1);
    CHECK_INT(h.finished, 1);
    // one task, or none, is not passed to the host
    batch single = {.ctx = ctx};
    sp__parallel(ctx, 1, once, &single);
    sp__parallel(ctx, 0, once, &single);
    CHECK(all_once(&single, 1));
    CHECK_INT(h.enqueued, 1);
    // inner batches stay in their task
    check_nest(ctx);
    CHECK_INT(h.enqueued, 2);
    sp_context_destroy(&ctx);
}

// ------------------------------------------------------------------------------------------------ without threads

#if !SANITIZED  // sanitizers map far more than any limit
static size_t address_space(void) {
    unsigned long pages = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    if (!f) return 0;
    if (fscanf(f, "%lu", &pages) != 1) pages = 0;
    fclose(f);
    return pages * 4096;
}

TEST(refused_threads_leak_nothing) {
    size_t now = address_space();
    struct rlimit before, tight;
    if (now == 0 || getrlimit(RLIMIT_AS, &before) != 0) return;
    tight = before;
    tight.rlim_cur = now + (48u << 20);  // enough for the stacks of a few threads, not of 63
    REQUIRE(setrlimit(RLIMIT_AS, &tight) == 0);
    sp_context_def def = sp_context_def_default();
    def.workers = 64;
    sp_context *ctx = (sp_context *)1;
    sp_status status = sp_context_create(&def, &ctx);
    setrlimit(RLIMIT_AS, &before);
    CHECK_INT(status, SP_NO_MEMORY);
    CHECK(ctx == NULL);
}
#endif
