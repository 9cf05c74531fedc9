// An allocator for a context that refuses every allocation after the first `allowed` and counts the blocks that are not freed.
#ifndef SP_METER_H
#define SP_METER_H

#include <stdlib.h>

#include "souple/base.h"

typedef struct meter {
    long allowed, live;
} meter;

static inline void *metered_alloc(void *user, size_t size, size_t align) {
    meter *m = user;
    if (m->allowed-- <= 0) return NULL;
    m->live++;
    return aligned_alloc(align, (size + align - 1) / align * align);
}

static inline void metered_free(void *user, void *memory, size_t size) {
    meter *m = user;
    (void)size;
    m->live--;
    free(memory);
}

static inline sp_context_def metered_context(meter *m) {
    sp_context_def def = sp_context_def_default();
    def.alloc = metered_alloc, def.free = metered_free, def.alloc_user = m, def.workers = 1;
    return def;
}

#endif
