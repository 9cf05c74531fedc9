// What every room of the engine stands on: the context, its memory, errors and tasks (util/context.h), statuses and time (util).
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

// A context with an error record of its own, and everything else of `host`. Lives in memory of the caller.
sp_status sp__context_branch(sp_context *host, sp_context *out);
void sp__context_branch_end(sp_context *branch);
static inline sp_context *sp__context_host(const sp_context *ctx);  // itself, or what it branches off

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
    SP_COOKIE_TRIMESH,
    SP_COOKIE_EXAMINE,
    SP_COOKIE_FILL,
    SP_COOKIE_ROD
};

// Memory, tasks and log belong to the host's context. A world has a context of its own whose `host` is the one it was made with:
// it differs in its error record only, so that whatever works for a world reports to that world (sp__context_branch).
struct sp_context {
    sp_context *host;  // NULL: made by sp_context_create
    sp_context_def def;
    pthread_mutex_t error_lock;
    sp_error error;                            // under error_lock
    struct sp_pool *pool;                      // NULL: one worker, or the host's hooks
    struct sp_background *_Atomic background;  // NULL: no job was ever asked for
    int workers;
    atomic_size_t bytes;
    atomic_uint_fast64_t allocations;
};

static inline sp_context *sp__context_host(const sp_context *ctx) {
    return ctx->host ? ctx->host : (sp_context *)ctx;
}

#endif
