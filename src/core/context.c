// The context: memory through the host's hooks and a count of it, the last error, and the worker threads.
//
// Every block starts with a header of 64 bytes that holds its size and who shares it (share.h). sp_context_free therefore needs
// only the pointer, and the host's hook still gets the size:   [ header ........ | memory of the caller ... ]
#include <stdio.h>
#include <stdlib.h>

#include "core/background.h"
#include "core/core.h"
#include "core/pool.h"
#include "core/share.h"

enum { ALIGN = SP_BLOCK_HEADER };

static void *default_alloc(void *user, size_t size, size_t align) {
    (void)user;
    return aligned_alloc(align, size);
}

static void default_free(void *user, void *memory, size_t size) {
    (void)user, (void)size;
    free(memory);
}

sp_context_def sp_context_def_default(void) {
    return (sp_context_def){.cookie = SP_COOKIE_CONTEXT};
}

// size rounded up to whole cache lines, as aligned_alloc requires; 0: overflow
static size_t round_up(size_t size) {
    return size > SIZE_MAX - ALIGN ? 0 : (size + ALIGN - 1) / ALIGN * ALIGN;
}

static bool def_is_valid(const sp_context_def *def) {
    return def->cookie == SP_COOKIE_CONTEXT && !def->alloc == !def->free && !def->enqueue == !def->finish && def->workers >= 0 &&
           def->workers <= SP_WORKERS_MAX;
}

static int workers_of(const sp_context_def *def) {
    if (def->workers > 0) return def->workers;
    int cores = sp__cores();
    return cores < SP_WORKERS_MAX ? cores : SP_WORKERS_MAX;
}

sp_status sp_context_create(const sp_context_def *given, sp_context **out) {
    *out = NULL;
    sp_context_def def = given ? *given : sp_context_def_default();
    if (!def_is_valid(&def)) return SP_BAD_INPUT;
    if (!def.alloc) def.alloc = default_alloc, def.free = default_free;

    sp_context *ctx = def.alloc(def.alloc_user, round_up(sizeof *ctx), ALIGN);
    if (!ctx) return SP_NO_MEMORY;
    memset(ctx, 0, sizeof *ctx);
    if (pthread_mutex_init(&ctx->error_lock, NULL) != 0) {
        def.free(def.alloc_user, ctx, round_up(sizeof *ctx));
        return SP_NO_MEMORY;
    }
    if (pthread_mutex_init(&ctx->field_lock, NULL) != 0) {
        pthread_mutex_destroy(&ctx->error_lock);
        def.free(def.alloc_user, ctx, round_up(sizeof *ctx));
        return SP_NO_MEMORY;
    }
    ctx->def = def;
    ctx->error.index = -1;
    ctx->workers = workers_of(&def);
    atomic_init(&ctx->bytes, 0);
    atomic_init(&ctx->allocations, 0);
    atomic_init(&ctx->background, NULL);
    // the host's task hooks replace our threads
    sp_status status = ctx->workers > 1 && !def.enqueue ? sp__pool_create(ctx) : SP_OK;
    if (status < 0)
        sp_context_destroy(&ctx);
    else
        *out = ctx;
    return status;
}

void sp_context_destroy(sp_context **context) {
    if (!context || !*context) return;
    sp_context *ctx = *context;
    *context = NULL;
    sp__background_destroy(ctx);
    sp__pool_destroy(ctx);
    SP_ASSERT(atomic_load(&ctx->bytes) == 0);
    pthread_mutex_destroy(&ctx->field_lock);
    pthread_mutex_destroy(&ctx->error_lock);
    ctx->def.free(ctx->def.alloc_user, ctx, round_up(sizeof *ctx));
}

sp_status sp__context_branch(sp_context *host, sp_context *out) {
    *out = (sp_context){.host = sp__context_host(host), .error.index = -1};
    return pthread_mutex_init(&out->error_lock, NULL) == 0 ? SP_OK : SP_NO_MEMORY;
}

void sp__context_branch_end(sp_context *branch) {
    pthread_mutex_destroy(&branch->error_lock);
}

int sp_context_workers(const sp_context *context) {
    return context->share ? 1 : sp__context_host(context)->workers;
}

void sp_context_keep_error(sp_context *ctx, const sp_error *error) {
    pthread_mutex_lock(&ctx->error_lock);
    ctx->error = *error;
    pthread_mutex_unlock(&ctx->error_lock);
}

sp_status sp_context_fail(sp_context *ctx, sp_status status, const char *file, int line, const char *format, ...) {
    sp_error e;
    va_list args;
    va_start(args, format);
    sp__error_set(&e, status, file, line, format, args);
    va_end(args);
    sp_context_keep_error(ctx, &e);
    return status;
}

void sp_context_error_index(sp_context *ctx, int64_t index) {
    pthread_mutex_lock(&ctx->error_lock);
    ctx->error.index = index;
    pthread_mutex_unlock(&ctx->error_lock);
}

// The caller gets a copy: another thread may record an error while it is read.
const sp_error *sp_context_error(const sp_context *context) {
    static _Thread_local sp_error copy;
    sp_context *ctx = (sp_context *)context;  // only the lock is modified
    pthread_mutex_lock(&ctx->error_lock);
    copy = ctx->error;
    pthread_mutex_unlock(&ctx->error_lock);
    return &copy;
}

void sp_context_memory(const sp_context *context, size_t *bytes, uint64_t *allocations) {
    context = sp__context_host(context);
    if (bytes) *bytes = atomic_load(&context->bytes);
    if (allocations) *allocations = atomic_load(&context->allocations);
}

// A block for n items: its size with the header in *whole; only the header is written.
static char *block_create(const sp_context *owner, size_t n, size_t size, size_t *whole) {
    sp_context *ctx = sp__context_host(owner);
    if (size && n > (SIZE_MAX - 2 * ALIGN) / size) return NULL;
    *whole = ALIGN + round_up(n * size);
    char *block = ctx->def.alloc(ctx->def.alloc_user, *whole, ALIGN);
    if (!block) return NULL;
    SP_ASSERT((uintptr_t)block % ALIGN == 0);
    *(sp_memory_block *)(void *)block = (sp_memory_block){.size = *whole};
    sp__share_count(owner, (sp_memory_block *)(void *)block);
    atomic_fetch_add_explicit(&ctx->bytes, *whole, memory_order_relaxed);
    atomic_fetch_add_explicit(&ctx->allocations, 1, memory_order_relaxed);
    return block;
}

void *sp_context_alloc(sp_context *ctx, size_t n, size_t size) {
    size_t whole;
    char *block = block_create(ctx, n, size, &whole);
    return block ? memset(block + ALIGN, 0, whole - ALIGN) : NULL;
}

void *sp__alloc_uninitialised(sp_context *ctx, size_t n, size_t size) {
    size_t whole;
    char *block = block_create(ctx, n, size, &whole);
    if (!block) return NULL;
#ifdef SP_VALIDATE
    memset(block + ALIGN, 0xff, whole - ALIGN);
#endif
    return block + ALIGN;
}

void sp_context_free(sp_context *ctx, void *memory) {
    if (!memory) return;
    sp_memory_block *block = sp__block_of(memory);
    if (!sp__share_leave(ctx, block)) return;
    ctx = sp__context_host(ctx);
    size_t whole = block->size;
    atomic_fetch_sub_explicit(&ctx->bytes, whole, memory_order_relaxed);
    ctx->def.free(ctx->def.alloc_user, block, whole);
}

void sp_context_log(const sp_context *ctx, sp_log_level level, const char *format, ...) {
    ctx = sp__context_host(ctx);
    if (!ctx->def.log) return;
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    ctx->def.log(ctx->def.log_user, level, text);
}

bool sp__has_avx2(void) {
#ifdef SP_HAVE_AVX2
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#else
    return false;
#endif
}
