// The n-th allocation fails while a batch is built, stepped, reset and read: nothing leaks, and the failed call succeeds when
// repeated. An array that cannot be lent or shared stays the world's own.
#include "batch_scene.h"
#include "failing.h"

typedef struct story {
    counter c;
    sp_context *ctx;
    batch_scene scene;
    sp_batch *batch;
    bool failed;
} story;

#define AGAIN(s, call)                                                                \
    do {                                                                              \
        sp_status first_ = (call);                                                    \
        if (first_ == SP_NO_MEMORY) (s)->failed = true, first_ = (call);              \
        if (first_ < 0) SP_TEST_FAILED("%s gives %s", #call, sp_status_name(first_)); \
    } while (0)

static sp_status make_context(story *s) {
    sp_context_def def = sp_context_def_default();
    def.alloc = count_alloc, def.free = count_free, def.alloc_user = &s->c, def.workers = 1;
    return sp_context_create(&def, &s->ctx);
}

static sp_status build(void *user, int index, sp_world *w) {
    (void)index;
    BATCH_TRY(batch_add_bar(user, w));
    return batch_add_rigids(w);
}

static sp_status make_batch(story *s) {
    sp_batch_def def = sp_batch_def_default();
    def.count = 3, def.build = build, def.user = &s->scene;
    return sp_batch_create(s->ctx, &def, &s->batch);
}

// a failed step is repeated only by the worlds in which it failed
static sp_status step(story *s) {
    static const int worlds[] = {0, 1, 2};
    sp_status worst = SP_OK;
    for (int i = 0; i < 3; i++) {
        const sp_status status = sp_batch_step_some(s->batch, 0.01, &worlds[i], 1);
        if (status == SP_NO_MEMORY) s->failed = true, worst = sp_batch_step_some(s->batch, 0.01, &worlds[i], 1);
    }
    return worst;
}

static void play(story *s) {
    sp_batch_view view;
    AGAIN(s, make_context(s));
    sp_status status = batch_scene_open(s->ctx, &s->scene);
    if (status == SP_NO_MEMORY) {
        s->failed = true;
        batch_scene_close(&s->scene);
        status = batch_scene_open(s->ctx, &s->scene);
    }
    CHECK(status >= 0);
    AGAIN(s, make_batch(s));
    for (int k = 0; k < 3; k++) CHECK(step(s) >= 0);
    AGAIN(s, sp_batch_keep(s->batch, 1));
    AGAIN(s, sp_batch_field(s->batch, "bar", "position", &view));
    AGAIN(s, sp_batch_reset(s->batch, 2));
    CHECK(step(s) >= 0);
    AGAIN(s, sp_batch_field(s->batch, "bar", "position", &view));
}

static uint64_t close_story(story *s) {
    uint64_t hash = 0;
    for (int i = 0; s->batch && i < 3; i++) hash = 31 * hash + sp_world_hash(sp_batch_world(s->batch, i));
    sp_batch_destroy(&s->batch);
    batch_scene_close(&s->scene);
    sp_context_destroy(&s->ctx);
    CHECK(s->c.live == 0);
    return hash;
}

TEST(a_batch_survives_every_failed_allocation) {
    failing f = {0};
    story first = {.c = {.paths = &f}};
    play(&first);
    const uint64_t hash = close_story(&first);
    failing_choose(&f);
    for (long n = 1; n <= f.count; n++) {
        if (!f.fails[n - 1]) continue;
        story s = {.c = {.fail_at = n}};
        play(&s);
        CHECK(s.c.refused == 1);
        if (close_story(&s) != hash) SP_TEST_FAILED("after the failure of allocation %ld the worlds end elsewhere", n);
    }
    failing_free(&f);
}
