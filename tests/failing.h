// Which allocations of a story fail in a test. An allocation that is made again and again by the same calls would fail every time
// in the same place, so of each call path fail the first, the second and the last one: nothing to undo, something to undo, and
// the end of a loop.
//
//     failing f = {0};
//     ... play the story, failing_note(&f) in the allocator ...
//     failing_choose(&f);
//     for (long n = 1; n <= f.count; n++) if (f.fails[n - 1]) ... play it again, the n-th allocation fails ...
//
// failing_next() begins another story; paths that failed in an earlier one do not fail again.
#ifndef SP_FAILING_H
#define SP_FAILING_H

#include <execinfo.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

enum { FAILING_PATHS = 1 << 15, FAILING_DEPTH = 64 };

typedef struct failing {
    uint64_t path[FAILING_PATHS];  // a hash table: the paths seen, 0: none
    unsigned times[FAILING_PATHS];
    bool is_new[FAILING_PATHS];  // first seen in this story
    int seen;
    int *at;      // of each allocation: its place in the table
    bool *fails;  // after failing_choose()
    long count, capacity;
} failing;

static inline void failing_note(failing *f) {
    void *calls[FAILING_DEPTH];
    int n = backtrace(calls, FAILING_DEPTH);
    uint64_t hash = 1469598103934665603ull;
    for (int i = 0; i < n; i++) hash = (hash ^ (uint64_t)(uintptr_t)calls[i]) * 1099511628211ull, hash ^= hash >> 29;
    hash |= 1;
    uint64_t k = hash % FAILING_PATHS;
    while (f->path[k] && f->path[k] != hash) k = (k + 1) % FAILING_PATHS;
    if (!f->path[k]) {
        if (++f->seen > FAILING_PATHS / 2) abort();
        f->path[k] = hash, f->is_new[k] = true;
    }
    if (f->count == f->capacity) {
        f->capacity = f->capacity ? 2 * f->capacity : 4096;
        f->at = realloc(f->at, (size_t)f->capacity * sizeof *f->at);
        if (!f->at) abort();
    }
    f->at[f->count++] = (int)k;
}

static inline void failing_choose(failing *f) {
    free(f->fails);
    f->fails = calloc((size_t)f->count + 1, sizeof *f->fails);
    if (!f->fails) abort();
    for (long n = 0; n < f->count; n++) f->fails[n] = f->is_new[f->at[n]] && f->times[f->at[n]]++ < 2;
    for (long n = f->count - 1; n >= 0; n--) {
        if (f->is_new[f->at[n]]) f->fails[n] = true;
        f->is_new[f->at[n]] = false;
    }
}

static inline void failing_next(failing *f) {
    f->count = 0;
}

static inline void failing_free(failing *f) {
    free(f->at), free(f->fails);
    *f = (failing){.count = 0};
}

// ---------------------------------------------------------------------------------------------------- the allocator

typedef struct counter {
    long calls, fail_at, refused;  // fail_at 0: never
    size_t live;
    failing *paths;  // NULL: not noted
} counter;

static inline void *count_alloc(void *user, size_t size, size_t align) {
    counter *c = user;
    void *memory = NULL;
    if (c->paths) failing_note(c->paths);
    if (++c->calls == c->fail_at) {
        c->refused++;
        return NULL;
    }
    if (posix_memalign(&memory, align < sizeof(void *) ? sizeof(void *) : align, size ? size : 1) != 0) return NULL;
    c->live++;
    return memory;
}

static inline void count_free(void *user, void *memory, size_t size) {
    (void)size;
    if (memory) ((counter *)user)->live--;
    free(memory);
}

#endif
