// Checks of a world whose rod changes at the start of a step, by growth or feed: failed steps, checkpoints, memory.
#ifndef SP_TEST_ROD_WORLD_H
#define SP_TEST_ROD_WORLD_H

#include "meter.h"
#include "test.h"
#include "world/world_internal.h"

static inline void world_steps(sp_world *w, int n) {
    for (int i = 0; i < n; i++) CHECK(sp_world_step(w, 0.01) >= 0);
}

// a step that fails at any stage leaves no trace
static inline void check_failures(sp_world *w) {
    for (int stage = SP_STAGE_TAKE_EDITS; stage < SP_STAGE_COMMIT; stage++) {
        uint64_t hash = sp_world_hash(w);
        CHECK_INT(sp__world_inject_failure(w, (sp_stage)stage), SP_OK);
        CHECK(sp_world_step(w, 0.01) < 0);
        CHECK(sp_world_hash(w) == hash);
    }
}

// a world, and another one of the same definition, continue from a checkpoint as the world did
static inline void check_checkpoint(sp_world *w, sp_world *other, int steps) {
    sp_checkpoint saved;
    REQUIRE(sp_world_save(w, &saved) == SP_OK);
    uint64_t start = sp_world_hash(w);
    world_steps(w, steps);
    uint64_t hash = sp_world_hash(w);
    CHECK_INT(sp_world_restore(w, saved.data, saved.size), SP_OK);
    CHECK_INT(sp_world_restore(other, saved.data, saved.size), SP_OK);
    CHECK(sp_world_hash(w) == start && sp_world_hash(other) == start);
    world_steps(w, steps), world_steps(other, steps);
    CHECK(sp_world_hash(w) == hash && sp_world_hash(other) == hash);
    sp_checkpoint_free(w, &saved);
}

static inline void check_no_allocation(sp_context *ctx, sp_world *w, int steps) {
    size_t bytes;
    uint64_t before, after;
    world_steps(w, 3);
    sp_context_memory(ctx, &bytes, &before);
    world_steps(w, steps);
    sp_context_memory(ctx, &bytes, &after);
    CHECK_INT(after, before);
}

// `fill` makes a world in a context; every allocation of it and of its steps may be refused
static inline void check_allocations(sp_status (*fill)(sp_context *ctx, sp_world **out), int steps) {
    bool done = false;
    for (long allowed = 0; !done && allowed < 2000; allowed++) {
        meter m = {.allowed = allowed};
        sp_context_def def = metered_context(&m);
        sp_context *ctx = NULL;
        sp_world *world = NULL;
        sp_status status = sp_context_create(&def, &ctx);
        if (status == SP_OK) status = fill(ctx, &world);
        for (int i = 0; i < steps && status >= 0; i++) status = sp_world_step(world, 0.01);
        done = status >= 0;
        if (!done) CHECK_INT(status, SP_NO_MEMORY);
        sp_world_destroy(&world);
        sp_context_destroy(&ctx);
        CHECK_INT(m.live, 0);
    }
    CHECK(done);
}

#endif
