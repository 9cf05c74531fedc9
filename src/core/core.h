// What every room of the library stands on: memory through the context, error records, tasks, time.
#ifndef SP_CORE_H
#define SP_CORE_H

#include <math.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <string.h>

#include "souple/base.h"
#include "util/clock.h"
#include "util/sort.h"

// ------------------------------------------------------------------------------------------------ errors

// Record a failure in the context and return its status. Any thread may: the record has a lock.
#define SP_FAIL(ctx, status, ...) sp__context_fail((ctx), (status), __FILE__, __LINE__, __VA_ARGS__)
sp_status sp__context_fail(sp_context *ctx, sp_status status, const char *file, int line, const char *format, ...)
    SP_PRINTF(5, 6);
void sp__context_keep_error(sp_context *ctx, const sp_error *error);  // a record made elsewhere, or put back
void sp__context_error_index(sp_context *ctx, int64_t index);         // the user's number of what the record is about
// The same in a record that one thread has for itself.
void sp__error_set(sp_error *record, sp_status status, const char *file, int line, const char *format, va_list args);
sp_status sp__fail(sp_error *record, sp_status status, const char *file, int line, const char *format, ...) SP_PRINTF(5, 6);

// Leave only on failure; a reservation goes on and is kept by the caller through sp__worst.
#define SP_TRY(call)                     \
    do {                                 \
        sp_status sp_try_ = (call);      \
        if (sp_try_ < 0) return sp_try_; \
    } while (0)

// The graver of two statuses: any failure over any reservation over SP_OK.
sp_status sp__worst(sp_status a, sp_status b);

// A caller's or our own bug: checked in debug builds and tests, free otherwise.
#ifdef SP_VALIDATE
void sp__assert_failed(const char *what, const char *file, int line);
#define SP_ASSERT(c) ((c) ? (void)0 : sp__assert_failed(#c, __FILE__, __LINE__))
#else
#define SP_ASSERT(c) ((void)0)
#endif

// Cookies of def-structs: catch a def that did not start from its default function.
enum {
    SP_COOKIE_CONTEXT = 0x5301,
    SP_COOKIE_MESH,
    SP_COOKIE_SELECTION,
    SP_COOKIE_WORLD,
    SP_COOKIE_SOLID,
    SP_COOKIE_RIGID,
    SP_COOKIE_SURFACE,
    SP_COOKIE_CONTACT,
    SP_COOKIE_INTEGRATOR,
    SP_COOKIE_SOLVER,
    SP_COOKIE_SCENE_OPTIONS,
    SP_COOKIE_RUN_OPTIONS,
    SP_COOKIE_PICTURE,
    SP_COOKIE_TRIMESH,
    SP_COOKIE_EXAMINE,
    SP_COOKIE_MESH_WRITE,
    SP_COOKIE_FILL,
    SP_COOKIE_ROD
};

// ------------------------------------------------------------------------------------------------ memory

// Zeroed, aligned to 64 bytes; NULL when refused (by the hook, or because n * size overflows).
void *sp__alloc(sp_context *ctx, size_t n, size_t size);
void sp__free(sp_context *ctx, void *memory);  // accepts NULL
// p = room for n items of p's type, or leave through `fail` label with status = SP_NO_MEMORY recorded in the context.
#define SP_NEW(ctx, p, n) ((p) = sp__alloc((ctx), (size_t)(n), sizeof *(p)))

// ------------------------------------------------------------------------------------------------ tasks

// fn(arg, task, worker) for every task in [0, count), on all workers, caller included; returns when all are done.
// Which worker does which task is open: bits may depend only on the task number.
void sp__parallel(sp_context *ctx, int count, sp_task_fn *fn, void *arg);
int sp__workers(const sp_context *ctx);

// ------------------------------------------------------------------------------------------------ misc

void sp__log(const sp_context *ctx, sp_log_level level, const char *format, ...) SP_PRINTF(3, 4);

// An order-free 64-bit mix of one number and its place: sums of mixes hash an array whatever the order of the sum.
static inline uint64_t sp__mix(uint64_t bits, uint64_t place) {
    uint64_t z = bits + 0x9E3779B97F4A7C15ull * (place + 1);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
    return z ^ (z >> 31);
}

struct sp_context {
    sp_context_def def;
    pthread_mutex_t error_lock;
    sp_error error;                            // under error_lock
    struct sp_pool *pool;                      // NULL: one worker, or the host's hooks
    struct sp_background *_Atomic background;  // NULL: no job was ever asked for
    int workers;
    atomic_size_t bytes;
    atomic_uint_fast64_t allocations;
};

#endif
