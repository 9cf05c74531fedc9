// A scene in the worlds of a batch: the bits of its run.
#include "souple/io.h"
#include "souple/souple.h"
#include "test.h"

enum { WORLDS = 3, STEPS = 6 };

static const char text[] =
    "<scene dt='0.01' gravity='{t*3} -9.81 0'>\n"
    "  <solid name='beam' young='2e5'><box size='0.4 0.1 0.1' cells='4 1 1'/><fix box='-1 -1 -1 0.01 1 1'/></solid>\n"
    "  <solid name='cube' young='3e4' translate='0 0.501 0'><box size='0.1 0.1 0.1' cells='2 2 2'/></solid>\n"
    "  <rigid name='floor' translate='0 0.5 0'><box size='1 0.2 1' translate='-0.4 -0.2 -0.4'/></rigid>\n"
    "  <contact formulation='proximity' friction='0.3'/>\n"
    "  <stop steps='6'/>\n"
    "</scene>\n";

typedef struct runs {
    sp_scene *scene;
    sp_run *run[WORLDS];
} runs;

static sp_status build(void *user, int index, sp_world *w) {
    runs *r = user;
    sp_run_options options = sp_run_options_default();
    options.world = w;
    return sp_run_create(r->scene, &options, &r->run[index]);
}

TEST(a_scene_has_the_same_bits_in_a_batch) {
    sp_context *ctx;
    sp_run *alone;
    sp_batch *batch;
    runs r = {0};
    REQUIRE(sp_context_create(NULL, &ctx) == SP_OK);
    REQUIRE(sp_scene_parse(ctx, text, strlen(text), "batch.xml", NULL, &r.scene) == SP_OK);
    REQUIRE(sp_run_create(r.scene, NULL, &alone) == SP_OK);
    sp_batch_def def = sp_batch_def_default();
    sp_scene_world_def(r.scene, &def.world);
    CHECK(!def.world.snapshots);  // which a scene says nothing about
    def.count = WORLDS, def.build = build, def.user = &r;
    REQUIRE(sp_batch_create(ctx, &def, &batch) == SP_OK);
    for (int k = 0; k < STEPS; k++) {
        CHECK(sp_run_step(alone) >= 0);
        CHECK(sp_batch_step(batch, sp_run_dt(r.run[0])) >= 0);
        for (int i = 0; i < WORLDS; i++) CHECK(sp_world_hash(sp_batch_world(batch, i)) == sp_world_hash(sp_run_world(alone)));
    }
    // a run in a world that has bodies already
    sp_run_options options = sp_run_options_default();
    sp_run *second;
    options.world = sp_batch_world(batch, 0);
    CHECK_INT(sp_run_create(r.scene, &options, &second), SP_BAD_INPUT);
    sp_batch_destroy(&batch);
    for (int i = 0; i < WORLDS; i++) sp_run_destroy(&r.run[i]);
    sp_run_destroy(&alone);
    sp_scene_destroy(&r.scene);
    sp_context_destroy(&ctx);
}
