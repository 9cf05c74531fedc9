// The threads behind sp__parallel, created and destroyed with the context.
#ifndef SP_POOL_H
#define SP_POOL_H

#include "core/core.h"

enum { SP_WORKERS_MAX = 64 };

int sp__cores(void);  // cores that this process may run on, at least 1
// Starts workers - 1 threads in ctx->pool. A failure leaves nothing allocated.
sp_status sp__pool_create(sp_context *ctx);
void sp__pool_destroy(sp_context *ctx);  // accepts a context without a pool
// Gives up this many cores to another thread (negative: takes them back). Has no effect if the pool leaves a core free.
void sp__pool_reserve_cores(sp_context *ctx, int cores);

#endif
