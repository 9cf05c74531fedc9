// The base of every module: the context with its memory, errors and tasks (util/context.h), statuses and time (util).
#ifndef SP_CORE_H
#define SP_CORE_H

#include <math.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <string.h>

#include "util/clock.h"
#include "util/context.h"
#include "util/sort.h"
#include "util/status.h"

// A context with its own error record; everything else is shared with `host`. The caller provides the memory.
sp_status sp__context_branch(sp_context *host, sp_context *out);
void sp__context_branch_end(sp_context *branch);
static inline sp_context *sp__context_host(const sp_context *ctx);  // the context itself, or the one it branches from

// Cookies of def-structs: they detect a def that was not initialised by its default function.
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
    SP_COOKIE_TRIMESH,
    SP_COOKIE_EXAMINE,
    SP_COOKIE_FILL,
    SP_COOKIE_ROD,
    SP_COOKIE_CONTACT_PAIR,
    SP_COOKIE_SURFACE_CONTACT,
    SP_COOKIE_LINK,
    SP_COOKIE_BATCH,
    SP_COOKIE_ADDITION
};

// Memory, tasks and log belong to the host's context. Each world has its own context; its `host` is the context that the world
// was created with. Only the error record differs, so that all code that works for a world reports its errors to that world
// (sp__context_branch).
struct sp_context {
    sp_context *host;        // NULL: created by sp_context_create
    struct sp_share *share;  // of a branch for a world of a batch; else NULL
    struct sp_lane *lane;    // likewise
    sp_context_def def;
    pthread_mutex_t error_lock;
    sp_error error;                            // protected by error_lock
    struct sp_pool *pool;                      // NULL: one worker, or the host's task hooks
    struct sp_background *_Atomic background;  // NULL: no job has been submitted
    int workers;
    pthread_mutex_t field_lock;
    struct sp_distance_field *fields;  // distance fields that bodies share (collide/field.c), protected by field_lock; a list
    atomic_size_t bytes;
    atomic_uint_fast64_t allocations;
};

static inline sp_context *sp__context_host(const sp_context *ctx) {
    return ctx->host ? ctx->host : (sp_context *)ctx;
}

// The machine has the instructions of the AVX2 kernels, and they are in this build.
bool sp__has_avx2(void);

// As sp__alloc, but the content is undefined: large arrays that are written before they are read cost no time until then. With
// SP_VALIDATE it is NaN.
void *sp__alloc_uninitialised(sp_context *ctx, size_t n, size_t size);

// Scratch memory for at least `count` items of `size` bytes: half more than needed, so that a slowly growing need rarely
// allocates. The content is undefined then. SP_NO_MEMORY: the old memory stays; `what` names it in the message.
static inline sp_status sp__scratch_reserve(sp_context *ctx, const char *what, void **memory, size_t *capacity, size_t count,
                                            size_t size) {
    if (*capacity >= count) return SP_OK;
    size_t more = count + count / 2;
    void *fresh = sp__alloc_uninitialised(ctx, more, size);
    if (!fresh) return SP_FAIL(ctx, SP_NO_MEMORY, "no memory for %s: %zu x %zu bytes", what, more, size);
    sp__free(ctx, *memory);
    *memory = fresh, *capacity = more;
    return SP_OK;
}

#endif
