// The threads behind sp__parallel, made and ended with the context.
#ifndef SP_POOL_H
#define SP_POOL_H

#include "core/core.h"

enum { SP_WORKERS_MAX = 64 };

int sp__cores(void);  // that this process may run on, at least 1
// workers - 1 threads into ctx->pool; on failure nothing is left behind.
sp_status sp__pool_create(sp_context *ctx);
void sp__pool_destroy(sp_context *ctx);  // accepts a context without a pool
// A thread beside the pool takes this many cores (negative: gives them back). Nothing happens where the pool leaves one free.
void sp__pool_lend(sp_context *ctx, int cores);

#endif
