// Snapshots: counted slots, skipping, faces shared per revision, readers in other threads while the world steps.
#include <pthread.h>

#include "test.h"
#include "unit/mock_body.h"
#include "world/world_internal.h"

static sp_context *ctx;
static sp_world *w;
static sp_body_id chain;

static void start(int slots) {
    sp_world_def def = sp_world_def_default();
    mock_def md = mock_def_default();
    sp_rigid_shape ball = {.type = SP_SPHERE, .size = {0.5}, .pose = sp_pose_identity()};
    sp_rigid_def rigid = sp_rigid_def_default();
    sp_body *b;
    def.snapshot_slots = slots;
    rigid.shapes = &ball, rigid.shape_count = 1;
    sp_context_create(NULL, &ctx);
    sp_world_create(ctx, &def, &w);
    mock_create(ctx, &w->ctx->error, &md, &b);
    sp__world_adopt(w, b, "chain", &chain);
    sp_world_add_rigid(w, &rigid, NULL);
}

static void finish(void) {
    sp_world_destroy(&w);
    sp_context_destroy(&ctx);
}

TEST(shows_the_committed_state) {
    start(2);
    CHECK(sp_world_snapshot_acquire(w) == NULL);
    sp_world_snapshot_release(w, NULL);
    double x[15];
    for (int k = 1; k <= 4; k++) {
        sp_world_step(w, 0.01);
        sp_world_field(w, chain, "position", x);
        const sp_snapshot *s = sp_world_snapshot_acquire(w);
        REQUIRE(s);
        CHECK(s->step == (uint64_t)k && s->time == sp_world_time(w) && s->hash == sp_world_hash(w) && s->body_count == 2);
        const sp_snapshot_body *b = &s->bodies[0];
        const sp_snapshot_surface *v = &b->surfaces[0];
        CHECK(strcmp(b->name, "chain") == 0 && b->id.slot == chain.slot && b->surface_count == 1);
        CHECK(strcmp(v->name, "boundary") == 0 && v->vertex_count == 5 && v->face_count == 3 && !v->normals);
        CHECK(v->roles == (SP_ROLE_MECHANICAL | SP_ROLE_VISUAL | SP_ROLE_COLLISION) && v->anchors[4].body.slot == chain.slot);
        // vertices are inner nodes here; users number them from the other end
        for (int i = 0; i < 5; i++) CHECK(v->positions[3 * i + 1] == (float)x[3 * (4 - i) + 1]);
        CHECK(s->stage_ms[SP_STAGE_FREE_MOTION] > 0);
        sp_world_snapshot_release(w, s);
    }
    finish();
}

TEST(skips_when_all_slots_are_held) {
    start(2);
    sp_world_step(w, 0.01);
    const sp_snapshot *first = sp_world_snapshot_acquire(w);
    sp_world_step(w, 0.01);
    const sp_snapshot *second = sp_world_snapshot_acquire(w);
    CHECK(first != second && second->step == 2);
    // both slots are held: the next ones are skipped, and the held ones are unchanged
    for (int k = 0; k < 3; k++) sp_world_step(w, 0.01);
    CHECK(first->step == 1 && second->step == 2);
    const sp_snapshot *newest = sp_world_snapshot_acquire(w);
    CHECK(newest == second);
    sp_world_snapshot_release(w, newest);
    sp_world_snapshot_release(w, first);
    sp_world_step(w, 0.01);
    newest = sp_world_snapshot_acquire(w);
    CHECK(newest == first && newest->step == 6 && newest->skipped == 3);
    // faces are the same array in both
    CHECK(newest->bodies[0].surfaces->faces == second->bodies[0].surfaces->faces &&
          newest->bodies[1].surfaces->faces == second->bodies[1].surfaces->faces);
    sp_world_snapshot_release(w, newest);
    sp_world_snapshot_release(w, second);
    finish();
}

TEST(outlives_a_removed_body) {
    start(3);
    sp_world_step(w, 0.01);
    const sp_snapshot *s = sp_world_snapshot_acquire(w);
    sp_world_remove(w, chain);
    for (int k = 0; k < 5; k++) sp_world_step(w, 0.01);
    CHECK(s->body_count == 2 && strcmp(s->bodies[0].name, "chain") == 0 && s->bodies[0].surfaces[0].faces[2] == 2);
    const sp_snapshot *now = sp_world_snapshot_acquire(w);
    CHECK(now->body_count == 1 && strcmp(now->bodies[0].name, "rigid2") == 0);
    sp_world_snapshot_release(w, now);
    sp_world_snapshot_release(w, s);
    finish();
}

// what moved is said by the snapshot: a surface that stands still keeps its number, one that moves gets another
TEST(says_which_surfaces_moved) {
    start(3);
    uint64_t before[2] = {0, 0};
    for (int k = 0; k < 4; k++) {
        sp_world_step(w, 0.01);
        if (k == 3) CHECK_INT(sp_world_publish(w), SP_OK);  // again, without a step
        const sp_snapshot *s = sp_world_snapshot_acquire(w);
        REQUIRE(s && s->body_count == 2);
        uint64_t chain_now = s->bodies[0].surfaces[0].moved, rigid_now = s->bodies[1].surfaces[0].moved;
        CHECK(chain_now > 0 && rigid_now > 0);
        if (k > 0) CHECK(chain_now > before[0] && rigid_now == before[1]);
        before[0] = chain_now, before[1] = rigid_now;
        sp_world_snapshot_release(w, s);
        if (k == 3) {
            CHECK_INT(sp_world_publish(w), SP_OK);
            s = sp_world_snapshot_acquire(w);
            CHECK(s->bodies[0].surfaces[0].moved == before[0]);
            sp_world_snapshot_release(w, s);
        }
    }
    // the rigid body moves up in the list
    sp_world_remove(w, chain);
    sp_world_step(w, 0.01);
    const sp_snapshot *s = sp_world_snapshot_acquire(w);
    CHECK(s->body_count == 1 && s->bodies[0].surfaces[0].moved == before[1]);
    sp_world_snapshot_release(w, s);
    finish();
}

TEST(none_unless_requested) {
    sp_world_def def = sp_world_def_default();
    def.snapshots = false;
    sp_context_create(NULL, &ctx);
    sp_world_create(ctx, &def, &w);
    sp_world_step(w, 0.01);
    CHECK(sp_world_snapshot_acquire(w) == NULL);
    finish();
}

// ---------------------------------------------------------------------------------------------------- fields

static const sp_snapshot_field *field_of(const sp_snapshot *s, const char *name) {
    for (int i = 0; s && i < s->bodies[0].field_count; i++)
        if (strcmp(s->bodies[0].fields[i].name, name) == 0) return &s->bodies[0].fields[i];
    return NULL;
}

TEST(fields_that_were_asked_for_are_those_of_the_state) {
    start(3);
    double x[15], v[15];
    CHECK_INT(sp_world_publish_field(w, chain, "velocity", true), SP_OK);
    CHECK_INT(sp_world_publish_field(w, chain, "position", true), SP_OK);
    CHECK_INT(sp_world_publish_field(w, chain, "position", true), SP_OK);
    CHECK_INT(sp_world_publish_field(w, chain, "colour", true), SP_BAD_INPUT);
    CHECK_INT(sp_world_publish_field(w, (sp_body_id){0, 0}, "position", true), SP_BAD_ID);
    for (int k = 0; k < 4; k++) {
        sp_world_step(w, 0.01);
        sp_world_field(w, chain, "position", x), sp_world_field(w, chain, "velocity", v);
        const sp_snapshot *s = sp_world_snapshot_acquire(w);
        const sp_snapshot_field *position = field_of(s, "position"), *velocity = field_of(s, "velocity");
        REQUIRE(position && velocity);
        CHECK(s->bodies[0].field_count == 2 && s->bodies[1].field_count == 0);
        CHECK(position->count == 5 && position->components == 3 && memcmp(position->values, x, sizeof x) == 0);
        CHECK(velocity->count == 5 && velocity->components == 3 && memcmp(velocity->values, v, sizeof v) == 0);
        sp_world_snapshot_release(w, s);
    }
    // a snapshot that is held keeps its field when nobody asks for it any more
    const sp_snapshot *held = sp_world_snapshot_acquire(w);
    CHECK_INT(sp_world_publish_field(w, chain, "position", false), SP_OK);
    sp_world_step(w, 0.01);
    const sp_snapshot *s = sp_world_snapshot_acquire(w);
    CHECK(field_of(held, "position") && memcmp(field_of(held, "position")->values, x, sizeof x) == 0);
    CHECK(!field_of(s, "position") && field_of(s, "velocity"));
    sp_world_snapshot_release(w, s);
    sp_world_snapshot_release(w, held);
    finish();
}

// the memory of all slots is there after the request
TEST(steps_with_fields_allocate_nothing) {
    start(4);
    uint64_t before, after;
    size_t bytes;
    for (int k = 0; k < 8; k++) sp_world_step(w, 0.01);
    CHECK_INT(sp_world_publish_field(w, chain, "position", true), SP_OK);
    // the slot that was the newest at the request is filled once more
    for (int k = 0; k < 4; k++) sp_world_step(w, 0.01);
    sp_context_memory(ctx, &bytes, &before);
    for (int k = 0; k < 20; k++) sp_world_step(w, 0.01);
    sp_context_memory(ctx, &bytes, &after);
    CHECK(after == before);
    finish();
}

// ---------------------------------------------------------------------------------------------------- readers

typedef struct reader {
    pthread_t thread;
    atomic_bool stop;
    long seen, backwards, torn;
} reader;

// A snapshot must not change while it is held, and steps must not go back.
static void *read_on(void *arg) {
    reader *r = arg;
    uint64_t last = 0;
    while (!atomic_load(&r->stop)) {
        const sp_snapshot *s = sp_world_snapshot_acquire(w);
        if (!s) continue;
        if (s->step < last) r->backwards++;
        last = s->step;
        float sum[2] = {0, 0};
        for (int pass = 0; pass < 2; pass++)
            for (int b = 0; b < s->body_count; b++) {
                const sp_snapshot_body *body = &s->bodies[b];
                for (int i = 0; i < 3 * body->surfaces[0].vertex_count; i++) sum[pass] += body->surfaces[0].positions[i];
                for (int f = 0; f < body->field_count; f++)
                    for (int i = 0; i < body->fields[f].count * body->fields[f].components; i++)
                        sum[pass] += (float)body->fields[f].values[i];
            }
        if (sum[0] != sum[1] || s->step != last) r->torn++;
        r->seen++;
        sp_world_snapshot_release(w, s);
    }
    return NULL;
}

TEST(readers_hold_while_the_world_steps) {
    start(3);
    CHECK_INT(sp_world_publish_field(w, chain, "position", true), SP_OK);
    reader r[3] = {0};
    for (int i = 0; i < 3; i++) pthread_create(&r[i].thread, NULL, read_on, &r[i]);
    for (int k = 0; k < 500; k++) CHECK(sp_world_step(w, 1e-3) == SP_OK);
    for (int i = 0; i < 3; i++) {
        atomic_store(&r[i].stop, true);
        pthread_join(r[i].thread, NULL);
        CHECK(r[i].backwards == 0 && r[i].torn == 0);
    }
    finish();
}
