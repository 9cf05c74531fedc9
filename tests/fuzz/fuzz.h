// Shared by the harnesses: a context with a limit on memory, and checks that abort the program when they fail.
#ifndef SP_FUZZ_H
#define SP_FUZZ_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "souple/base.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define FUZZ_PROMISE(condition)                                                     \
    do {                                                                            \
        if (!(condition)) {                                                         \
            fprintf(stderr, "%s:%d: broken: %s\n", __FILE__, __LINE__, #condition); \
            abort();                                                                \
        }                                                                           \
    } while (0)

enum { FUZZ_CEILING = 256 << 20 };  // bytes one input may hold at once; above it the allocator refuses

static size_t fuzz_held;

static inline void *fuzz_alloc(void *user, size_t size, size_t align) {
    (void)user;
    if (size > FUZZ_CEILING - fuzz_held) return NULL;
    void *p = NULL;
    if (posix_memalign(&p, align < sizeof(void *) ? sizeof(void *) : align, size)) return NULL;
    fuzz_held += size;
    return p;
}

static inline void fuzz_free(void *user, void *memory, size_t size) {
    (void)user;
    fuzz_held -= memory ? size : 0;
    free(memory);
}

// One worker: starting threads for every input would be slow.
static inline sp_context *fuzz_context(void) {
    sp_context_def def = sp_context_def_default();
    def.alloc = fuzz_alloc, def.free = fuzz_free, def.workers = 1;
    sp_context *context = NULL;
    FUZZ_PROMISE(sp_context_create(&def, &context) == SP_OK);
    return context;
}

static inline void fuzz_context_done(sp_context *context) {
    sp_context_destroy(&context);
    FUZZ_PROMISE(fuzz_held == 0);
}

#endif
