// A thread pool for batches of a few tens of microseconds: a conjugate gradient solve submits about a thousand batches in a step.
//
//     caller                                   worker
//     fn, arg = ...                            spin for a while on an empty range, then sleep
//     left = count, open = [0, count)          take some tasks from one end of open
//     wake sleepers if more cores are free     fn(arg, task, worker) for each
//     take tasks as worker 0                   left -= tasks done
//     wait for left == 0
//
// Workers with even numbers take tasks from the low end, the others from the high end, and they take more at once while many are
// left. A solve runs over the same tasks again and again, so that each core finds its data in its cache.
//
// A worker may read the batch only while it has a task: its task keeps `left` above 0, so fn, arg and count cannot change. A
// worker that comes too late finds no open task and reads nothing else. The caller never waits for a worker without a task, so a
// worker that sleeps or has no core costs nothing. The pool wakes no more workers than there are cores, because further workers
// would only share cores.
//
// To wake a sleeping worker costs some tens of microseconds. The pool wakes one where the batch, or the batches of the last
// moments that ran without it, would have gained more (deciding by the cost that waiting has had so far: ski rental, Karlin et
// al. 1990). What a batch gains is predicted from the time of the tasks of the same function before. This changes which thread
// runs a task, never a result.
//
// A batch that is started inside a task, or while another thread uses the pool, runs on the calling thread. So does all work of
// the worlds of an sp_batch, which are tasks themselves.
//
// The pool can give up cores to a background thread (background.h). The same number of workers then stop spinning, sleep and take
// no tasks until the cores are returned. A worker that shares its core can be preempted while it has a task, and the whole batch
// would wait for it.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE  // sched_getaffinity: a container often has fewer cores than the machine
#endif
#include "core/pool.h"

#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <unistd.h>

enum {
    SPIN_CHECK = 64,     // pauses between two reads of the clock
    JOIN_PAUSES = 2000,  // before the caller yields its core to the worker that has the last task
    TASK_KINDS = 64,     // functions whose time is remembered
    CACHE_LINE = 64
};
static const double IDLE_SPIN_MS = 0.05;  // longer than the gaps between the batches of a solve, much shorter than a frame

static const double WAKE_MS = 0.06;       // cost of waking a worker
static const double FORGET_SHARE = 0.25;  // of the time between batches: what was lost before counts less

typedef struct task_cost {
    sp_task_fn *fn;
    double ms;  // of one task
} task_cost;

typedef struct pool_thread {
    struct sp_pool *pool;
    pthread_t thread;
    int worker;
} pool_thread;

struct sp_pool {
    _Alignas(CACHE_LINE) atomic_uint_fast64_t open;  // tasks that are not taken: the first one + 2^32 times the end
    _Alignas(CACHE_LINE) atomic_int left;            // tasks that are not done
    _Alignas(CACHE_LINE) sp_task_fn *fn;             // the batch, written while left == 0
    void *arg;
    atomic_flag busy;  // a caller uses the pool
    // how much sleeping workers would have helped, used by the caller that has `busy`
    double missed_ms, last_ms;  // time that they would have saved; end of the last batch without them
    task_cost cost[TASK_KINDS];

    _Alignas(CACHE_LINE) atomic_int sleeping;
    atomic_bool quit;
    pthread_mutex_t mutex;  // used only for sleeping
    pthread_cond_t wake;

    const sp_context *ctx;
    int threads;                // started threads, without the caller
    int useful;                 // threads that can run in addition to the caller
    atomic_int reserved_cores;  // cores given up to other threads
    pool_thread thread[SP_WORKERS_MAX];
};

// The task that this thread runs: its context and its worker number.
static _Thread_local struct {
    const sp_context *ctx;
    int worker;
} inside;

int sp__cores(void) {
#ifdef __linux__
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) > 0) return CPU_COUNT(&set);
#endif
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online > 0 && online < 1 << 20 ? (int)online : 1;
}

static void relax(void) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

// ------------------------------------------------------------------------------------------------ work

static uint_fast64_t range(uint32_t low, uint32_t high) {
    return low | (uint_fast64_t)high << 32;
}

static bool is_open(uint_fast64_t r) {
    return (uint32_t)r < (uint32_t)(r >> 32);
}

// the core of this worker is given up to another thread
static bool is_suspended(const struct sp_pool *pool, int worker) {
    int reserved_cores = atomic_load_explicit(&pool->reserved_cores, memory_order_relaxed);
    return reserved_cores > 0 && worker > pool->useful - reserved_cores;
}

// Takes some tasks, starting at *first. Returns their number; 0: none are open.
static int pool_take(struct sp_pool *pool, int worker, int *first) {
    uint_fast64_t open = atomic_load_explicit(&pool->open, memory_order_relaxed), next;
    int n;
    do {
        if (!is_open(open)) return 0;
        uint32_t low = (uint32_t)open, high = (uint32_t)(open >> 32);
        n = (int)(high - low) / (2 * (pool->useful + 1));
        if (n < 1) n = 1;
        *first = worker % 2 ? (int)high - n : (int)low;
        next = worker % 2 ? range(low, high - (uint32_t)n) : range(low + (uint32_t)n, high);
    } while (!atomic_compare_exchange_weak_explicit(&pool->open, &open, next, memory_order_acquire, memory_order_relaxed));
    return n;
}

static void work(struct sp_pool *pool, int worker) {
    int done = 0, first;
    for (int n; (n = pool_take(pool, worker, &first)) > 0; done += n)
        for (int task = first; task < first + n; task++) pool->fn(pool->arg, task, worker);
    if (done) atomic_fetch_sub_explicit(&pool->left, done, memory_order_release);
}

// Returns true if there may be work, false after some time without work.
static bool spin(struct sp_pool *pool, int worker) {
    double start = 0;
    for (int i = 1;; i++) {
        // the order of the two loads matters: a core that was given up before the batch opened is seen
        bool open = is_open(atomic_load_explicit(&pool->open, memory_order_acquire));
        if (is_suspended(pool, worker)) return false;
        if (open) return true;
        if (i % SPIN_CHECK == 0) {
            double now = sp__now_ms();
            if (start == 0) start = now;
            if (now - start > IDLE_SPIN_MS || atomic_load_explicit(&pool->quit, memory_order_relaxed)) return false;
        }
        relax();
    }
}

// Returns true if there may be work, false if the pool ends.
static bool sleep_until_work(struct sp_pool *pool, int worker) {
    pthread_mutex_lock(&pool->mutex);
    atomic_fetch_add(&pool->sleeping, 1);
    while ((!is_open(atomic_load(&pool->open)) || is_suspended(pool, worker)) && !atomic_load(&pool->quit))
        pthread_cond_wait(&pool->wake, &pool->mutex);
    atomic_fetch_sub(&pool->sleeping, 1);
    pthread_mutex_unlock(&pool->mutex);
    return !atomic_load(&pool->quit);
}

static void *thread_main(void *arg) {
    pool_thread *self = arg;
    struct sp_pool *pool = self->pool;
    inside.ctx = pool->ctx, inside.worker = self->worker;
    while (spin(pool, self->worker) || sleep_until_work(pool, self->worker)) work(pool, self->worker);
    return NULL;
}

// ------------------------------------------------------------------------------------------------ batches

// Workers that sleep and could take tasks of a batch.
static int missing_workers(struct sp_pool *pool, int count) {
    int most = pool->useful - atomic_load_explicit(&pool->reserved_cores, memory_order_relaxed);
    int wanted = count - 1 < most ? count - 1 : most;
    return wanted - (pool->threads - atomic_load(&pool->sleeping));
}

static void wake_some(struct sp_pool *pool, int missing) {
    // under the mutex, a thread that is about to sleep is either counted as a sleeper or sees the open tasks itself
    pthread_mutex_lock(&pool->mutex);
    if (atomic_load_explicit(&pool->reserved_cores, memory_order_relaxed) > 0)
        pthread_cond_broadcast(&pool->wake);  // a signal might wake only a worker that must not take tasks
    else
        for (int i = 0; i < missing; i++) pthread_cond_signal(&pool->wake);
    pthread_mutex_unlock(&pool->mutex);
}

// Two functions may share an entry: the prediction is then wrong, and only that.
static task_cost *cost_of(struct sp_pool *pool, sp_task_fn *fn) {
    task_cost *cost = &pool->cost[((uintptr_t)fn >> 4) * 2654435761u % TASK_KINDS];
    if (cost->fn != fn) *cost = (task_cost){.fn = fn, .ms = INFINITY};  // unknown: wake
    return cost;
}

// Time that the missing workers would save, added to what batches without them have lost before.
static bool is_worth_waking(struct sp_pool *pool, const task_cost *cost, int count, int missing, double now) {
    double share = (double)missing / (missing + 1);
    pool->missed_ms = fmax(0, pool->missed_ms - FORGET_SHARE * (now - pool->last_ms)) + share * cost->ms * count;
    if (pool->missed_ms < WAKE_MS) return false;
    pool->missed_ms = 0;
    return true;
}

static void pool_join(struct sp_pool *pool) {
    for (int i = 0; atomic_load_explicit(&pool->left, memory_order_acquire) > 0; i++) {
        if (i < JOIN_PAUSES)
            relax();
        else
            sched_yield();
    }
}

static void run_here(int count, sp_task_fn *fn, void *arg, int worker) {
    for (int task = 0; task < count; task++) fn(arg, task, worker);
}

static void run_on_pool(struct sp_pool *pool, int count, sp_task_fn *fn, void *arg) {
    pool->fn = fn;
    pool->arg = arg;
    atomic_store_explicit(&pool->left, count, memory_order_relaxed);
    atomic_store(&pool->open, range(0, (uint32_t)count));
    int missing = missing_workers(pool, count);
    task_cost *cost = missing > 0 ? cost_of(pool, fn) : NULL;
    double start = cost ? sp__now_ms() : 0;
    bool woken = cost && is_worth_waking(pool, cost, count, missing, start);
    if (woken) wake_some(pool, missing);
    work(pool, 0);
    pool_join(pool);
    if (!cost) return;
    pool->last_ms = sp__now_ms();
    cost->ms = (pool->last_ms - start) / count * (woken ? missing + 1 : 1);
}

// A batch that runs on the host's task hooks. Batches started inside it run on the calling thread.
typedef struct host_batch {
    const sp_context *ctx;
    sp_task_fn *fn;
    void *arg;
} host_batch;

static void host_task(void *arg, int task, int worker) {
    const host_batch *batch = arg;
    const sp_context *outer = inside.ctx;
    int outer_worker = inside.worker;
    inside.ctx = batch->ctx, inside.worker = worker;
    batch->fn(batch->arg, task, worker);
    inside.ctx = outer, inside.worker = outer_worker;
}

static void run_on_host(sp_context *ctx, int count, sp_task_fn *fn, void *arg) {
    host_batch batch = {ctx, fn, arg};
    void *handle = ctx->def.enqueue(host_task, count, &batch, ctx->def.task_user);
    ctx->def.finish(handle, ctx->def.task_user);
}

void sp_context_parallel(sp_context *ctx, int count, sp_task_fn *fn, void *arg) {
    if (ctx->share) {
        run_here(count, fn, arg, 0);
        return;
    }
    ctx = sp__context_host(ctx);
    if (inside.ctx == ctx) {
        run_here(count, fn, arg, inside.worker);
        return;
    }
    if (count > 1 && ctx->workers > 1 && ctx->def.enqueue) {
        run_on_host(ctx, count, fn, arg);
        return;
    }
    const sp_context *outer = inside.ctx;
    int outer_worker = inside.worker;
    inside.ctx = ctx, inside.worker = 0;
    struct sp_pool *pool = ctx->pool;
    bool alone = pool && pool->useful <= atomic_load_explicit(&pool->reserved_cores, memory_order_relaxed);
    if (count > 1 && pool && !alone && !atomic_flag_test_and_set_explicit(&pool->busy, memory_order_acquire)) {
        run_on_pool(pool, count, fn, arg);
        atomic_flag_clear_explicit(&pool->busy, memory_order_release);
    } else {
        run_here(count, fn, arg, 0);
    }
    inside.ctx = outer, inside.worker = outer_worker;
}

void sp__pool_reserve_cores(sp_context *ctx, int cores) {
    if (ctx->pool && ctx->workers >= sp__cores()) atomic_fetch_add(&ctx->pool->reserved_cores, cores);
}

// ------------------------------------------------------------------------------------------------ creation and destruction

// Signals are blocked here, so that the host's threads receive them: Ctrl-C must not interrupt a worker.
static bool start_threads(struct sp_pool *pool, int wanted) {
    sigset_t all, before;
    sigfillset(&all);
    if (pthread_sigmask(SIG_SETMASK, &all, &before) != 0) return false;
    for (; pool->threads < wanted; pool->threads++) {
        pool_thread *t = &pool->thread[pool->threads];
        t->pool = pool;
        t->worker = pool->threads + 1;
        if (pthread_create(&t->thread, NULL, thread_main, t) != 0) break;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return pool->threads == wanted;
}

static void end_threads(struct sp_pool *pool) {
    pthread_mutex_lock(&pool->mutex);
    atomic_store(&pool->quit, true);
    pthread_cond_broadcast(&pool->wake);
    pthread_mutex_unlock(&pool->mutex);
    for (int i = 0; i < pool->threads; i++) pthread_join(pool->thread[i].thread, NULL);
}

sp_status sp__pool_create(sp_context *ctx) {
    struct sp_pool *pool;
    if (!SP_NEW(ctx, pool, 1)) return SP_NO_MEMORY;
    atomic_init(&pool->open, 0);
    atomic_init(&pool->left, 0);
    atomic_init(&pool->sleeping, 0);
    atomic_init(&pool->reserved_cores, 0);
    atomic_init(&pool->quit, false);
    atomic_flag_clear(&pool->busy);
    pool->ctx = ctx;
    pool->useful = (ctx->workers < sp__cores() ? ctx->workers : sp__cores()) - 1;
    if (pthread_mutex_init(&pool->mutex, NULL) != 0) goto no_mutex;
    if (pthread_cond_init(&pool->wake, NULL) != 0) goto no_cond;
    ctx->pool = pool;
    if (start_threads(pool, ctx->workers - 1)) return SP_OK;
    sp__pool_destroy(ctx);
    return SP_NO_MEMORY;

no_cond:
    pthread_mutex_destroy(&pool->mutex);
no_mutex:
    sp__free(ctx, pool);
    return SP_NO_MEMORY;
}

void sp__pool_destroy(sp_context *ctx) {
    struct sp_pool *pool = ctx->pool;
    if (!pool) return;
    end_threads(pool);
    pthread_cond_destroy(&pool->wake);
    pthread_mutex_destroy(&pool->mutex);
    sp__free(ctx, pool);
    ctx->pool = NULL;
}
