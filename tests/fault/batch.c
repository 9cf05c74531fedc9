// The n-th allocation fails while a batch is built, stepped, reset and read: nothing leaks, and the failed call succeeds when
// repeated. An array that cannot be lent or shared stays the world's own.
#include "failing.h"
#include "souple/souple.h"
#include "test.h"

typedef struct story {
    counter c;
    sp_context *ctx;
    sp_mesh *mesh;
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

static sp_status make_mesh(story *s) {
    return sp_mesh_box(s->ctx, (double[]){0.2, 0.1, 0.1}, (int[]){2, 1, 1}, 6, &s->mesh);
}

static sp_status build(void *user, int index, sp_world *w) {
    const int held[] = {0, 1, 2, 3};
    sp_fix fix = {held, 4, SP_AXES_ALL, 0};
    sp_solid_def def = sp_solid_def_default();
    (void)index;
    def.name = "bar", def.mesh = user, def.fixes = &fix, def.fix_count = 1, def.material.young = 2e4;
    def.solver.type = SP_SOLVER_PCG, def.solver.pcg.preconditioner = SP_COMPLETE_CHOLESKY;
    return sp_world_add_solid(w, &def, NULL);
}

static sp_status make_batch(story *s) {
    sp_batch_def def = sp_batch_def_default();
    def.count = 3, def.build = build, def.user = s->mesh;
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

static sp_status reset(story *s) {
    const int last = 2;
    return sp_batch_reset(s->batch, &last, 1);
}

static void play(story *s) {
    sp_batch_view view;
    AGAIN(s, make_context(s));
    AGAIN(s, make_mesh(s));
    AGAIN(s, make_batch(s));
    for (int k = 0; k < 2; k++) CHECK(step(s) >= 0);
    AGAIN(s, sp_batch_keep(s->batch, 1));
    AGAIN(s, sp_batch_field(s->batch, "bar", "position", &view));
    AGAIN(s, reset(s));
    CHECK(step(s) >= 0);
    AGAIN(s, sp_batch_field(s->batch, "bar", "position", &view));
}

static uint64_t close_story(story *s) {
    uint64_t hash = 0;
    for (int i = 0; s->batch && i < 3; i++) hash = 31 * hash + sp_world_hash(sp_batch_world(s->batch, i));
    sp_batch_destroy(&s->batch);
    sp_mesh_destroy(&s->mesh);
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
