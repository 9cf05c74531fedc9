// Batches: views of fields, what is refused, what worlds share, and queries between steps. The bits are those of
// determinism/batch.c.
#include "batch_scene.h"

enum { WORLDS = 5, STEPS = 4 };

typedef struct rig {
    sp_context *ctx;
    batch_scene scene;
    sp_batch *batch;
} rig;

static sp_batch_def batch_of(rig *r, int count) {
    sp_batch_def def = sp_batch_def_default();
    def.count = count, def.world = batch_scene_world(def.world), def.build = batch_scene_build, def.user = &r->scene;
    return def;
}

static void start(rig *r, int workers, int count) {
    sp_context_def cd = sp_context_def_default();
    *r = (rig){0};
    cd.workers = workers;
    REQUIRE(sp_context_create(&cd, &r->ctx) == SP_OK && batch_scene_open(r->ctx, &r->scene) >= 0);
    const sp_batch_def def = batch_of(r, count);
    if (count) REQUIRE(sp_batch_create(r->ctx, &def, &r->batch) == SP_OK);
}

static void finish(rig *r) {
    sp_batch_destroy(&r->batch);
    batch_scene_close(&r->scene);
    sp_context_destroy(&r->ctx);
}

static void set_young(sp_world *w, double value) {
    sp_edit e = sp_edit_default(SP_EDIT_PARAM);
    snprintf(e.path, sizeof e.path, "block.young"), e.value = value;
    CHECK_INT(sp_world_queue(w, &e), SP_OK);
}

static double young_of(sp_world *w) {
    sp_param_info info = {0};
    CHECK_INT(sp_world_param(w, "block.young", &info), SP_OK);
    return info.value;
}

TEST(a_view_has_the_numbers_of_all_worlds) {
    static const char *const fields[] = {"position", "velocity", "von-mises"};
    rig r;
    start(&r, 2, WORLDS);
    for (int i = 0; i < WORLDS; i++) set_young(sp_batch_world(r.batch, i), 2e4 + 1e4 * i);
    for (int k = 0; k < STEPS; k++) CHECK(sp_batch_step(r.batch, 0.01) >= 0);
    for (int f = 0; f < 3; f++) {
        sp_batch_view view, again;
        CHECK_INT(sp_batch_field(r.batch, "block", fields[f], &view), SP_OK);
        CHECK_INT(view.worlds, WORLDS);
        const size_t numbers = (size_t)view.items * (size_t)view.components;
        double *one = malloc(numbers * sizeof *one);
        REQUIRE(one);
        for (size_t i = 0; i < WORLDS; i++) {
            sp_world *w = sp_batch_world(r.batch, (int)i);
            CHECK_INT(sp_world_field(w, sp_world_body_named(w, "block"), fields[f], one), SP_OK);
            CHECK(memcmp(one, view.values + i * numbers, numbers * sizeof *one) == 0);
            CHECK(i == 0 || memcmp(one, view.values, numbers * sizeof *one) != 0);  // each world has its own stiffness
        }
        CHECK_INT(sp_batch_field(r.batch, "block", fields[f], &again), SP_OK);
        CHECK(again.values == view.values);
        free(one);
    }
    finish(&r);
}

// What a query reads is not in memory that other worlds write: all fields and measures are those of the world alone.
TEST(queries_do_not_see_other_worlds) {
    rig r;
    start(&r, 1, WORLDS);
    sp_world *alone, *w = sp_batch_world(r.batch, 1);
    const sp_world_def def = batch_scene_world(sp_world_def_default());
    REQUIRE(sp_world_create(r.ctx, &def, &alone) == SP_OK && batch_scene_build(&r.scene, 0, alone) >= 0);
    for (int i = 2; i < WORLDS; i++) set_young(sp_batch_world(r.batch, i), 2e4 + 1e4 * i);
    for (int k = 0; k < STEPS; k++) CHECK(sp_batch_step(r.batch, 0.01) >= 0 && sp_world_step(alone, 0.01) >= 0);
    CHECK_INT(sp_world_body_count(w), 5);
    for (int b = 0; b < 5; b++) {
        const sp_body_id id = sp_world_body_id(w, b);
        sp_field_info info;
        sp_body_measures measures[2];
        for (int f = 0; f < sp_world_field_count(w, id); f++) {
            CHECK_INT(sp_world_field_at(w, id, f, &info), SP_OK);
            const size_t numbers = (size_t)info.count * (size_t)info.components;
            double *values = calloc(2 * numbers + 1, sizeof *values);
            REQUIRE(values);
            CHECK_INT(sp_world_field(w, id, info.name, values), SP_OK);
            CHECK_INT(sp_world_field(alone, id, info.name, values + numbers), SP_OK);
            if (memcmp(values, values + numbers, numbers * sizeof *values) != 0)
                SP_TEST_FAILED("field %s of body %d differs from that of the world alone", info.name, b);
            free(values);
        }
        CHECK_INT(sp_world_body_measure(w, id, &measures[0]), SP_OK);
        CHECK_INT(sp_world_body_measure(alone, id, &measures[1]), SP_OK);
        CHECK(measures[0].kinetic == measures[1].kinetic && measures[0].work.contact == measures[1].work.contact);
    }
    sp_world_destroy(&alone);
    finish(&r);
}

TEST(an_edit_changes_one_world_and_a_reset_takes_it_back) {
    rig r;
    start(&r, 2, WORLDS);
    set_young(sp_batch_world(r.batch, 2), 7e4);
    CHECK(sp_batch_step(r.batch, 0.01) >= 0);
    for (int i = 0; i < WORLDS; i++) CHECK(young_of(sp_batch_world(r.batch, i)) == (i == 2 ? 7e4 : 3e4));
    set_young(sp_batch_world(r.batch, 2), 9e4);
    CHECK_INT(sp_batch_reset(r.batch, (int[]){2}, 1), SP_OK);  // the edit that is still queued is dropped
    CHECK(sp_batch_step(r.batch, 0.01) >= 0);
    CHECK(young_of(sp_batch_world(r.batch, 2)) == 3e4);
    finish(&r);
}

static sp_status build_bar(void *user, int index, sp_world *w) {
    (void)index;
    return batch_add_bar(user, w);
}

static sp_batch_memory memory_of_bars(rig *r, int count) {
    sp_batch_memory memory;
    sp_batch_def def = batch_of(r, count);
    def.build = build_bar;
    CHECK_INT(sp_batch_create(r->ctx, &def, &r->batch), SP_OK);
    for (int k = 0; k < STEPS; k++) CHECK(sp_batch_step(r->batch, 0.01) >= 0);
    sp_batch_get_memory(r->batch, &memory);
    sp_batch_destroy(&r->batch);
    return memory;
}

// A further world finds constant arrays and scratch there already, and needs less than half of the memory of a world alone.
TEST(worlds_share_memory) {
    rig r;
    size_t before, after;
    sp_world *alone;
    start(&r, 1, 0);
    const sp_batch_memory few = memory_of_bars(&r, 2), many = memory_of_bars(&r, 6);
    CHECK(many.constant == few.constant && many.lent == few.lent && few.lent > 0);
    const sp_world_def def = sp_batch_def_default().world;
    sp_context_memory(r.ctx, &before, NULL);
    REQUIRE(sp_world_create(r.ctx, &def, &alone) == SP_OK && build_bar(&r.scene, 0, alone) >= 0);
    for (int k = 0; k < STEPS; k++) CHECK(sp_world_step(alone, 0.01) >= 0);
    sp_context_memory(r.ctx, &after, NULL);
    CHECK((many.bytes - few.bytes) / 4 < (after - before) / 2);
    sp_world_destroy(&alone);
    finish(&r);
}

static void check_refused(rig *r, sp_batch_def def, const char *words) {
    sp_batch *batch = NULL;
    CHECK(sp_batch_create(r->ctx, &def, &batch) < 0 && !batch);
    if (!strstr(sp_context_error(r->ctx)->message, words))
        SP_TEST_FAILED("'%s' does not say '%s'", sp_context_error(r->ctx)->message, words);
}

static sp_status build_until(void *user, int index, sp_world *w) {
    return index < 2 ? batch_scene_build(user, index, w) : sp_world_add_solid(w, &(sp_solid_def){0}, NULL);
}

static sp_status build_growing(void *user, int index, sp_world *w) {
    batch_scene *scene = user;
    sp_solid_def def = sp_solid_def_default();
    def.name = index < 2 ? "same" : "other", def.mesh = index ? scene->block : scene->bar;
    return sp_world_add_solid(w, &def, NULL);
}

TEST(wrong_batches_are_refused) {
    rig r;
    start(&r, 1, 0);
    sp_batch_def def = batch_of(&r, 0);
    check_refused(&r, def, "0 worlds, must be in [1, 1048576]");
    def.count = 3, def.cookie = 0;
    check_refused(&r, def, "sp_batch_def_default()");
    def = batch_of(&r, 3), def.build = NULL;
    check_refused(&r, def, "build is NULL");
    def = batch_of(&r, 3), def.world.snapshot_slots = 0;
    check_refused(&r, def, "snapshot_slots = 0");
    def = batch_of(&r, 3), def.build = build_until;
    check_refused(&r, def, "sp_solid_def_default()");
    finish(&r);
}

static void check_view_refused(rig *r, const char *body, const char *field, const char *words) {
    sp_batch_view view;
    CHECK_INT(sp_batch_field(r->batch, body, field, &view), SP_BAD_INPUT);
    if (!strstr(sp_context_error(r->ctx)->message, words))
        SP_TEST_FAILED("'%s' does not say '%s'", sp_context_error(r->ctx)->message, words);
}

TEST(wrong_calls_are_refused) {
    rig r;
    start(&r, 1, 0);
    sp_batch_def def = batch_of(&r, 3);
    def.build = build_growing;
    REQUIRE(sp_batch_create(r.ctx, &def, &r.batch) == SP_OK);
    CHECK_INT(sp_batch_step_some(r.batch, 0.01, (int[]){0, 3}, 2), SP_BAD_INPUT);
    CHECK_INT(sp_batch_step_some(r.batch, 0.01, (int[]){1, 0, 1}, 3), SP_BAD_INPUT);
    CHECK(sp_world_steps(sp_batch_world(r.batch, 0)) == 0);
    CHECK_INT(sp_batch_run(r.batch, 0.01, 2, (int[]){3}, 1), SP_BAD_INPUT);
    CHECK_INT(sp_batch_run(r.batch, 0.01, 0, NULL, 0), SP_BAD_INPUT);
    CHECK(strstr(sp_context_error(r.ctx)->message, "0 steps of a batch, must be >= 1"));
    CHECK(sp_world_steps(sp_batch_world(r.batch, 0)) == 0);
    CHECK_INT(sp_batch_reset(r.batch, (int[]){-1}, 1), SP_BAD_INPUT);
    CHECK_INT(sp_batch_keep(r.batch, 3), SP_BAD_INPUT);
    CHECK_INT(sp_batch_step(r.batch, -1), SP_BAD_INPUT);
    CHECK(strstr(sp_context_error(r.ctx)->message, "world 0: step of h = -1"));
    check_view_refused(&r, "other", "position", "world 0 of the batch has no body 'other'");
    check_view_refused(&r, "same", "posture", "world 0: ");
    check_view_refused(&r, "same", "position", "has 48 items in world 1, and 63 in world 0");
    // a body that a build did not make: the state of the start does not fit
    sp_world *w = sp_batch_world(r.batch, 2);
    CHECK_INT(sp_world_remove(w, sp_world_body_named(w, "other")), SP_OK);
    CHECK_INT(sp_batch_reset(r.batch, (int[]){2}, 1), SP_BAD_INPUT);
    CHECK(strncmp(sp_context_error(r.ctx)->message, "world 2: checkpoint does not fit", 32) == 0);
    finish(&r);
}
