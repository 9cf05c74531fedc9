// Scenes whose motion must repeat: the same bits for any number of workers and after a checkpoint, and no allocation after
// warm-up. A test says how the bodies are added; they should have several chunks of elements, more than there are workers.
#ifndef SP_DETERMINISM_REPEAT_H
#define SP_DETERMINISM_REPEAT_H

#include <string.h>

#include "souple/souple.h"
#include "test.h"

enum { REPEAT_STEPS = 6, REPEAT_WARM = 4 };

typedef struct repeat {
    sp_status (*build)(sp_context *ctx, sp_world *w, const void *user);
    const void *user;
    const char *backend;                                      // NULL: auto
    double h;                                                 // 0: 10 ms
    void (*before)(sp_world *w, int step, const void *user);  // edits; nullable
    bool edits_allocate;                                      // allocations are not counted in steps with edits
    double (*measure)(sp_world *w);                           // a number that must repeat too; nullable
} repeat;

typedef struct repeat_world {
    repeat scene;
    sp_context *ctx;
    sp_world *w;
    int step;
} repeat_world;

typedef struct repeat_trace {
    uint64_t hash[REPEAT_STEPS];
    double measured[REPEAT_STEPS];
} repeat_trace;

static inline bool repeat_open(const repeat *scene, int workers, repeat_world *out) {
    sp_context_def context = sp_context_def_default();
    sp_world_def world = sp_world_def_default();
    context.workers = workers;
    if (scene->backend) world.backend = scene->backend;
    *out = (repeat_world){.scene = *scene};
    return sp_context_create(&context, &out->ctx) == SP_OK && sp_world_create(out->ctx, &world, &out->w) == SP_OK &&
           scene->build(out->ctx, out->w, scene->user) >= 0;
}

static inline void repeat_close(repeat_world *r) {
    sp_world_destroy(&r->w);
    sp_context_destroy(&r->ctx);
}

static inline uint64_t repeat_allocations(const repeat_world *r) {
    size_t bytes;
    uint64_t n;
    sp_context_memory(r->ctx, &bytes, &n);
    return n;
}

// REPEAT_STEPS further steps; returns the allocations in those after warm-up
static inline uint64_t repeat_run(repeat_world *r, repeat_trace *out) {
    const repeat *scene = &r->scene;
    uint64_t warm = 0;
    memset(out, 0, sizeof *out);
    for (int k = 0; k < REPEAT_STEPS; k++, r->step++) {
        if (k == REPEAT_WARM) warm = repeat_allocations(r);
        if (scene->before) scene->before(r->w, r->step, scene->user);
        CHECK(sp_world_step(r->w, scene->h > 0 ? scene->h : 0.01) >= 0);
        out->hash[k] = sp_world_hash(r->w);
        if (scene->measure) out->measured[k] = scene->measure(r->w);
    }
    return repeat_allocations(r) - warm;
}

// under the thread sanitizer, which is slow, only with threads and without another run to compare with
static inline void check_workers(const repeat *scene) {
    const int workers[3] = {1, 2, 7};
    repeat_trace trace[3];
    for (int i = THREAD_SANITIZED ? 1 : 0; i < 3; i++) {
        repeat_world r;
        REQUIRE(repeat_open(scene, workers[i], &r));
        const uint64_t allocated = repeat_run(&r, &trace[i]);
        if (!scene->edits_allocate) CHECK_INT(allocated, 0);
        repeat_close(&r);
    }
    for (int i = THREAD_SANITIZED ? 1 : 0; i < 2; i++) CHECK(memcmp(&trace[i], &trace[2], sizeof trace[2]) == 0);
    CHECK(trace[2].hash[0] != trace[2].hash[1]);
}

// after the edits of the first steps: a part of the motion, and the same part again
static inline void check_checkpoint(const repeat *scene) {
    repeat_world r;
    repeat_trace first, again;
    sp_checkpoint saved;
    REQUIRE(repeat_open(scene, 2, &r));
    repeat_run(&r, &first);
    repeat_run(&r, &first);
    REQUIRE(sp_world_save(r.w, &saved) == SP_OK);
    const uint64_t before = repeat_allocations(&r);
    repeat_run(&r, &first);
    CHECK_INT(repeat_allocations(&r), before);
    CHECK(sp_world_restore(r.w, saved.data, saved.size) == SP_OK);
    repeat_run(&r, &again);
    CHECK(memcmp(&first, &again, sizeof first) == 0);
    sp_checkpoint_free(r.w, &saved);
    repeat_close(&r);
}

#endif
