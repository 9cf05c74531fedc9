// Edit logs: replaying the log of a world gives the same hashes; malformed logs are refused with their line.
#include "test.h"

#include "io/run/build.h"
#include "souple/io.h"
#include "unit/old_files.h"

#define PATH SP_BINARY_DIR "/test_edits.log"
enum { STEPS = 30 };

typedef struct stage {
    sp_context *ctx;
    sp_world *world;
    sp_body_id beam, ball;
} stage;

static bool make(stage *s) {
    const double size[3] = {0.4, 0.1, 0.1};
    const int cells[3] = {4, 1, 1};
    sp_mesh *mesh = NULL;
    *s = (stage){0};
    if (sp_context_create(NULL, &s->ctx) < 0 || sp_mesh_box(s->ctx, size, cells, 6, &mesh) < 0) return false;
    sp_world_def def = sp_world_def_default();
    sp_solid_def beam = sp_solid_def_default();
    // factors arrive from the background thread at any time: the log must contain the time of each swap
    def.deterministic = false;
    beam.solver.type = SP_SOLVER_PCG, beam.solver.pcg.preconditioner = SP_COMPLETE_CHOLESKY,
    beam.solver.pcg.refresh = SP_REFRESH_ASYNC;
    sp_rigid_def ball = sp_rigid_def_default();
    sp_rigid_shape shape = {.type = SP_SPHERE, .size = {0.05}, .pose = sp_pose_identity()};
    const int held[] = {0, 1, 2, 3};
    const sp_fix fix = {.nodes = held, .count = 4, .axes = SP_AXES_ALL};
    beam.name = "beam", beam.mesh = mesh, beam.fixes = &fix, beam.fix_count = 1, beam.material.young = 2e4;
    ball.name = "ball", ball.shapes = &shape, ball.shape_count = 1, ball.kinematic = true;
    ball.pose.constant.translate[1] = -0.5;
    bool good = sp_world_create(s->ctx, &def, &s->world) >= 0 && sp_world_add_solid(s->world, &beam, &s->beam) >= 0 &&
                sp_world_add_rigid(s->world, &ball, &s->ball) >= 0;
    sp_link_def link = sp_link_def_default();
    const int tip[] = {16};
    link.name = "thread", link.type = SP_LINK_SPRING, link.stiffness = 3, link.within = 10, link.attached = false;
    link.a.body = s->beam, link.a.nodes = tip, link.a.node_count = 1, link.b.body = s->ball;
    good = good && sp_world_add_link(s->world, &link, NULL) >= 0;
    sp_mesh_destroy(&mesh);
    return good;
}

static void unmake(stage *s) {
    sp_world_destroy(&s->world);
    sp_context_destroy(&s->ctx);
}

// bodies and links that come and go
static void change_bodies(stage *s, int step) {
    sp_edit e = sp_edit_default(SP_EDIT_ADD);
    if (step == 4 || step == 6) {
        snprintf(e.path, sizeof e.path, step == 4 ? "stone" : "peg");
        e.shape = step == 4 ? SP_SPHERE : SP_CAPSULE, e.size[0] = 0.1 / 3, e.size[1] = 0.01, e.free = step == 4;
        e.density = 1e4 / 7, e.velocity[0] = 0.1 / 7, e.pose.translate[2] = 1.0 / 3;
        e.pose.quat[0] = cos(0.3), e.pose.quat[2] = sin(0.3);
        CHECK(sp_world_queue(s->world, &e) >= 0);
    }
    if (step == 9) {
        e = sp_edit_default(SP_EDIT_LINK);
        snprintf(e.path, sizeof e.path, "string");
        CHECK(sp_world_anchor_node(s->world, s->beam, 17, &e.anchor) >= 0);
        e.other = (sp_anchor){.body = sp_world_body_named(s->world, "stone"), .offset = {0.01 / 3}};
        e.stiffness = 1e3 / 7, e.damping = 0.1, e.source = 5;
        CHECK(sp_world_queue(s->world, &e) >= 0);
    }
    if (step == 13 || step == 16) {
        e = sp_edit_default(SP_EDIT_REMOVE_ELEMENT);
        e.body = s->beam, e.source = 3;
        for (e.node = step; e.node < step + 3; e.node++) CHECK(sp_world_queue(s->world, &e) >= 0);
    }
    if (step == 25) {
        e = sp_edit_default(SP_EDIT_REMOVE);
        e.body = sp_world_body_named(s->world, "stone");
        CHECK(sp_world_queue(s->world, &e) >= 0);
    }
}

// edits of every kind, with numbers that decimal text must represent exactly
static void disturb(stage *s, int step) {
    sp_edit e;
    if (step == 3) {
        e = sp_edit_default(SP_EDIT_PARAM);
        snprintf(e.path, sizeof e.path, "beam.young");
        e.value = 1e4 / 3;
        CHECK(sp_world_queue(s->world, &e) >= 0);
    }
    if (step == 5 || step == 20) {
        e = sp_edit_default(step == 5 ? SP_EDIT_PIN : SP_EDIT_RELEASE);
        e.body = s->beam, e.node = 11, e.axes = SP_AXIS_Y | SP_AXIS_Z, e.source = 4;
        CHECK(sp_world_queue(s->world, &e) >= 0);
    }
    if (step >= 8 && step < 15) {
        e = sp_edit_default(SP_EDIT_DRAG);
        CHECK(sp_world_anchor_node(s->world, s->beam, 17, &e.anchor) >= 0);
        e.slot = 1, e.source = 2, e.stiffness = 1.0 / 7 * 100, e.damping = 0.1;
        e.target[0] = 0.4, e.target[1] = 0.1 + 0.01 * step / 3.0, e.target[2] = -1e-7 / 3;
        CHECK(sp_world_queue(s->world, &e) >= 0);
    }
    if (step == 15) {
        e = sp_edit_default(SP_EDIT_DROP);
        e.slot = 1, e.source = 2;
        CHECK(sp_world_queue(s->world, &e) >= 0);
    }
    if (step == 10 || step == 22) {
        e = sp_edit_default(step == 10 ? SP_EDIT_ATTACH : SP_EDIT_DETACH);
        snprintf(e.path, sizeof e.path, "thread");
        CHECK(sp_world_queue(s->world, &e) >= 0);
    }
    if (step == 17) {
        e = sp_edit_default(SP_EDIT_POSE);
        e.body = s->ball;
        e.pose.translate[0] = 0.1 / 3;
        e.pose.quat[0] = cos(0.3), e.pose.quat[2] = sin(0.3);
        CHECK(sp_world_queue(s->world, &e) >= 0);
    }
    change_bodies(s, step);
}

// an event of the scene: not in the log, because the scene repeats it
static void scene_event(stage *s, int step) {
    sp_edit e = sp_edit_default(SP_EDIT_PARAM);
    if (step != 18) return;
    snprintf(e.path, sizeof e.path, "gravity.x");
    e.value = 1, e.source = SP_RUN_EVENT_SOURCE;
    CHECK(sp_world_queue(s->world, &e) >= 0);
}

static bool has_line(const char *path, const char *part) {
    FILE *file = fopen(path, "r");
    char line[400];
    bool found = false;
    while (file && fgets(line, sizeof line, file)) found = found || strstr(line, part);
    if (file) fclose(file);
    return found;
}

TEST(replay_gives_the_same_hash_at_every_step) {
    stage s;
    sp_edit_log *log = NULL;
    uint64_t hash[STEPS];
    REQUIRE(make(&s));
    REQUIRE(sp_edit_log_create(s.ctx, PATH, &log) == SP_OK);
    for (int i = 0; i < STEPS; i++) {
        disturb(&s, i);
        scene_event(&s, i);
        CHECK(sp_world_step(s.world, 0.01) >= 0);
        CHECK(sp_edit_log_append(log, s.world) == SP_OK);
        hash[i] = sp_world_hash(s.world);
    }
    CHECK(sp_edit_log_queue(log, s.world) == SP_BAD_INPUT);
    CHECK(sp_edit_log_close(&log) == SP_OK);
    CHECK(log == NULL);
    unmake(&s);
    CHECK(has_line(PATH, " take-over "));
    CHECK(has_line(PATH, "13 3 ") && has_line(PATH, " remove-element 1 1 14\n"));

    REQUIRE(make(&s));
    REQUIRE(sp_edit_log_open(s.ctx, PATH, &log) == SP_OK);
    for (int i = 0; i < STEPS; i++) {
        CHECK(sp_edit_log_queue(log, s.world) == SP_OK);
        scene_event(&s, i);
        CHECK(sp_world_step(s.world, 0.01) >= 0);
        CHECK(sp_world_hash(s.world) == hash[i]);
    }
    CHECK(sp_edit_log_append(log, s.world) == SP_BAD_INPUT);
    CHECK(sp_edit_log_close(&log) == SP_OK);
    unmake(&s);

    // without the log the result differs
    REQUIRE(make(&s));
    for (int i = 0; i < STEPS; i++) CHECK(sp_world_step(s.world, 0.01) >= 0);
    CHECK(sp_world_hash(s.world) != hash[STEPS - 1]);
    unmake(&s);
    remove(PATH);
}

#define HEAD "souple-edits 1\n"
static const struct {
    const char *text, *says;
    int line;
} bad[] = {
    {"", "first line", 1},
    {"souple-edits 2\n", "first line", 1},
    {"souple-edits 10\n", "first line", 1},
    {HEAD "x\n", "an integer", 2},
    {HEAD "1 0 1\n", "one of pin", 2},
    {HEAD "1 0 1 jump 1 1\n", "one of pin", 2},
    {HEAD "1 0 1 pin 1 1 140\n", "an integer", 2},
    {HEAD "1 0 1 pin 1 1 140 7 9\n", "end of the line", 2},
    {HEAD "1 0 1 remove-element 1 1\n", "an integer", 2},
    {HEAD "1 0 1 pin 1 1 140 7", "end of the line", 2},
    {HEAD "1 0 1 pin 1 1 99999999999 7\n", "range", 2},
    {HEAD "1 -1 1 pin 1 1 1 7\n", "step, source", 2},
    {HEAD "1 0 1 param beam.young nan\n", "finite", 2},
    {HEAD "1 0 1 param beam.young 1e999\n", "finite", 2},
    {HEAD "1 0 1 param\n", "a path", 2},
    {HEAD "1 0 1 pose 1 1 0 0 0 1 0 0\n", "finite", 2},
    {HEAD "1 0 1 add ball 9 2 1 0 0 0 0 0 1 0 0 0 1000 0 0 0\n", "range", 2},
    {HEAD "1 0 1 add ball 1 3 1 0 0 0 0 0 1 0 0 0 1000 0 0 0\n", "range", 2},
    {HEAD "1 0 1 add ball 1 2 1 0 0 0 0 0 1 0 0 0 1000 0 0\n", "finite", 2},
    {HEAD "5 0 1 drop 0 0 1\n4 0 2 drop 0 0 1\n", "step 4 after step 5", 3},
    {HEAD "1 0 1 param aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa 1\n", "word", 2},
};

TEST(malformed_logs_are_refused_with_their_line) {
    sp_context *ctx;
    size_t before, after;
    REQUIRE(sp_context_create(NULL, &ctx) == SP_OK);
    sp_context_memory(ctx, &before, NULL);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        sp_edit_log *log = NULL;
        char place[600];
        FILE *file = fopen(PATH, "wb");
        REQUIRE(file);
        fputs(bad[i].text, file);
        fclose(file);
        CHECK(sp_edit_log_open(ctx, PATH, &log) == SP_BAD_INPUT);
        CHECK(log == NULL);
        const char *message = sp_context_error(ctx)->message;
        snprintf(place, sizeof place, "%s:%d: ", PATH, bad[i].line);
        if (strncmp(message, place, strlen(place)) != 0 || !strstr(message, bad[i].says))
            SP_TEST_FAILED("case %zu: wanted line %d and \"%s\", seen \"%s\"", i, bad[i].line, bad[i].says, message);
    }
    sp_context_memory(ctx, &after, NULL);
    CHECK_INT(after, before);
    sp_edit_log *log = NULL;
    CHECK(sp_edit_log_open(ctx, PATH ".absent", &log) == SP_IO);
    CHECK(sp_edit_log_create(ctx, SP_BINARY_DIR "/no/such/folder/log", &log) == SP_IO);
    CHECK(log == NULL);
    sp_context_destroy(&ctx);
    remove(PATH);
}

// an edit that cannot be queued is reported with its line
TEST(an_edit_refused_by_the_world_is_reported) {
    stage s;
    sp_edit_log *log = NULL;
    REQUIRE(make(&s));
    FILE *file = fopen(PATH, "wb");
    REQUIRE(file);
    fputs(HEAD "0 0 1 drag 1 1 0 1 0 0 0 0 0 0 0 0 0 0 -5 0\n", file);
    fclose(file);
    REQUIRE(sp_edit_log_open(s.ctx, PATH, &log) == SP_OK);
    CHECK(sp_edit_log_queue(log, s.world) == SP_BAD_INPUT);
    CHECK(strstr(sp_context_error(s.ctx)->message, ":2: ") != NULL);
    CHECK(sp_edit_log_close(&log) == SP_OK);
    CHECK(sp_edit_log_close(&log) == SP_OK);
    unmake(&s);
    remove(PATH);
}

// ---------------------------------------------------------------------------------------------------- files of version 0.1

#define OLD SP_SOURCE_DIR "/tests/data/v0.1/"

static uint32_t reservations(const sp_world *w) {
    sp_step_info info;
    sp_world_step_info(w, &info);
    return info.reservations;
}

TEST(a_log_of_version_0_1_replays) {
    sp_context *ctx;
    sp_world *w[2];
    sp_body_id beam[2];
    sp_edit_log *log = NULL;
    REQUIRE(sp_context_create(NULL, &ctx) == SP_OK && old_world(ctx, &w[0], &beam[0]) && old_world(ctx, &w[1], &beam[1]));
    REQUIRE(sp_edit_log_open(ctx, OLD "edits.log", &log) == SP_OK);
    for (int i = 0; i < OLD_STEPS; i++) {
        int taken[2];
        CHECK(sp_edit_log_queue(log, w[0]) == SP_OK && old_edits(w[1], beam[1], i));
        for (int k = 0; k < 2; k++) CHECK(sp_world_step(w[k], 0.01) >= 0 && !(reservations(w[k]) & 1u << SP_EDIT_REFUSED));
        const sp_edit *e = sp_world_edits_taken(w[0], &taken[0]);
        sp_world_edits_taken(w[1], &taken[1]);
        CHECK_INT(taken[0], taken[1]);
        for (int k = 0; k < taken[0]; k++)
            if (e[k].type == SP_EDIT_DRAG)
                CHECK(e[k].anchor.body.slot == beam[0].slot && e[k].anchor.body.generation == beam[0].generation);
        CHECK(sp_world_hash(w[0]) == sp_world_hash(w[1]));
    }
    CHECK(sp_edit_log_close(&log) == SP_OK);
    sp_world_destroy(&w[0]), sp_world_destroy(&w[1]);
    sp_context_destroy(&ctx);
}

// after its third step, with two drags: the springs are there again and pull on
TEST(a_checkpoint_of_version_0_1_is_restored) {
    static char data[1 << 16];
    sp_context *ctx;
    sp_world *w[2];
    sp_body_id beam[2];
    double x[2][36];
    FILE *file = fopen(OLD "world.checkpoint", "rb");
    REQUIRE(file);
    size_t size = fread(data, 1, sizeof data, file);
    fclose(file);
    REQUIRE(sp_context_create(NULL, &ctx) == SP_OK && old_world(ctx, &w[0], &beam[0]) && old_world(ctx, &w[1], &beam[1]));
    for (int i = 0; i < 3; i++) CHECK(old_edits(w[1], beam[1], i) && sp_world_step(w[1], 0.01) >= 0);
    REQUIRE(sp_world_restore(w[0], data, size) == SP_OK);
    CHECK(sp_world_steps(w[0]) == 3);
    for (int k = 0; k < 2; k++) {
        for (int i = 0; i < 3; i++) CHECK(sp_world_step(w[k], 0.01) >= 0);
        CHECK(sp_world_field(w[k], beam[k], "position", x[k]) == SP_OK);
    }
    // another compiler made the file: rounding, and the tolerance of the linear solves
    for (int i = 0; i < 36; i++) CHECK_NEAR(x[0][i], x[1][i], 1e-7);
    sp_world_destroy(&w[0]), sp_world_destroy(&w[1]);
    sp_context_destroy(&ctx);
}
