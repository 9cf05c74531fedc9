// The simulation thread of the viewer: pause stops the hash, a parameter changes the result, a reset gives the same hash again, a
// saved log replays to the same hash, fields and recordings are available on request.
#define COMMAND_FOLDER "serve-sim"
#include "serve_rig.h"

TEST(pause_stops_the_hash) {
    sp_sim *s = start(0, true);
    REQUIRE(s);
    for (int i = 0; i < PATIENCE && state_of(s).step < 3; i++) nap();
    CHECK(state_of(s).step >= 3 && state_of(s).playing);
    CHECK(ask(s, "{\"type\":\"pause\"}"));
    sp_sim_state a = state_of(s);
    for (int i = 0; i < 30; i++) nap();
    sp_sim_state b = state_of(s);
    CHECK(!b.playing && a.step == b.step && a.hash == b.hash && a.hash != 0);
    CHECK(run_to(s, 1));
    CHECK(state_of(s).hash != a.hash);
    sp__sim_stop(&s);
    CHECK(!s);
    sp__sim_stop(&s);
}

// Steps are made more often than frames. A pause at any step shows that step.
TEST(a_pause_shows_the_last_step) {
    sp_sim *s = start(0, true);
    REQUIRE(s);
    CHECK(ask(s, "{\"type\":\"speed\",\"value\":0}"));
    for (int k = 0; k < 10; k++) {
        uint64_t from = state_of(s).step, shown = 0;
        CHECK(ask(s, "{\"type\":\"play\"}"));
        for (int i = 0; i < PATIENCE && state_of(s).step < from + 2 + (uint64_t)k; i++) nap();
        CHECK(ask(s, "{\"type\":\"pause\"}"));
        uint64_t step = state_of(s).step;
        for (int i = 0; i < PATIENCE && shown != step; i++) {
            const sp_sim_frame *f = sp__sim_acquire(s);
            shown = f ? f->snapshot->step : 0;
            if (f) sp__sim_release(s, f);
            nap();
        }
        CHECK(shown == step && !state_of(s).playing);
    }
    sp__sim_stop(&s);
}

// what an editor saves is simulated; a mistake is reported and changes nothing
TEST(a_changed_scene_file_starts_again) {
    put("beam.xml", beam);
    sp_sim *s = start(0, false);
    REQUIRE(s && run_to(s, 3));
    sp_sim_state old = state_of(s);
    CHECK(hello_has(s, "\"version\": 1"));
    // values of clients do not outlive the file that they belong to
    CHECK(ask(s, "{\"type\":\"set\",\"path\":\"k\",\"value\":1}") && hello_has(s, "\"version\": 1"));
    old.generation++;
    char text[sizeof beam + 32], *young;
    snprintf(text, sizeof text, "%s", beam);
    young = strstr(text, "5e4");
    REQUIRE(young);
    memcpy(young, "9e4", 3);
    put("beam.xml", text);
    for (int i = 0; i < PATIENCE && state_of(s).generation == old.generation; i++) nap();
    CHECK_INT(state_of(s).generation, old.generation + 1);
    CHECK_INT(state_of(s).step, 0);
    for (int i = 0; i < PATIENCE && !hello_has(s, "\"version\": 2"); i++) nap();  // the message follows the state
    CHECK(hello_has(s, "\"version\": 2"));
    CHECK(run_to(s, 3) && state_of(s).hash != old.hash);
    uint64_t hash = state_of(s).hash;
    memcpy(young, "9x4", 3);
    put("beam.xml", text);
    CHECK(message_has(s, "the old version is kept") && state_of(s).hash == hash && state_of(s).step == 3);
    put("beam.xml", beam);
    for (int i = 0; i < PATIENCE && state_of(s).generation == old.generation + 1; i++) nap();
    CHECK(run_to(s, 3) && state_of(s).hash == old.hash);
    sp__sim_stop(&s);
}

TEST(reset_gives_the_same_hash_again) {
    sp_sim *s = start(0, false);
    REQUIRE(s);
    uint64_t first = state_of(s).hash;
    CHECK(run_to(s, 5));
    sp_sim_state a = state_of(s);
    CHECK(ask(s, "{\"type\":\"reset\"}"));
    CHECK_INT(state_of(s).step, 0);
    CHECK_INT(state_of(s).generation, a.generation + 1);
    CHECK(state_of(s).hash == first);
    CHECK(run_to(s, 5));
    CHECK(state_of(s).hash == a.hash);
    // another number of threads continues with the same hashes
    CHECK(run_to(s, 2));
    a = state_of(s);
    CHECK(ask(s, "{\"type\":\"reset\"}") && run_to(s, 4));
    CHECK(ask(s, "{\"type\":\"threads\",\"value\":2}"));
    CHECK_INT(state_of(s).step, 4);
    CHECK(run_to(s, 3));
    CHECK(state_of(s).hash == a.hash);
    sp__sim_stop(&s);
}

// the state of a run of the first scene after some steps, as a checkpoint file
static const char *saved_state(int steps) {
    sp_run_options options = sp_run_options_default();
    sp_scene *scene = NULL;
    sp_run *run = NULL;
    options.endless = true;
    bool good = sp_scene_load(ctx, gallery.scenes[0].path, NULL, &scene) >= 0 && sp_run_create(scene, &options, &run) >= 0;
    for (int i = 0; i < steps && good; i++) good = sp_run_step(run) >= 0;
    good = good && sp_run_save(run, path_of("begin.checkpoint")) >= 0;
    sp_run_destroy(&run);
    sp_scene_destroy(&scene);
    return good ? path_of("begin.checkpoint") : NULL;
}

TEST(a_simulation_begins_with_a_checkpoint) {
    char why[SP_SIM_WHY], path[256];
    sp_sim *s = start(0, false);
    REQUIRE(s && run_to(s, 5));
    uint64_t at5 = state_of(s).hash;
    CHECK(run_to(s, 3));
    uint64_t at8 = state_of(s).hash;
    sp__sim_stop(&s);
    const char *state = saved_state(5);
    REQUIRE(state);
    snprintf(path, sizeof path, "%s", state);
    sp_sim_def def = {.gallery = &gallery, .scene = 0, .threads = 1, .resume = path, .out = folder};
    s = sp__sim_start(&def, why);
    REQUIRE(s);
    CHECK_INT(state_of(s).step, 5);
    CHECK(state_of(s).hash == at5);
    CHECK(run_to(s, 3) && state_of(s).hash == at8);
    // what is saved is replayed from there
    CHECK(ask(s, "{\"type\":\"log\"}") && strstr(answer, "--resume") && strstr(answer, "begin.checkpoint"));
    // a reset begins without it, and leaves the file
    CHECK(ask(s, "{\"type\":\"reset\"}") && run_to(s, 5) && state_of(s).hash == at5);
    CHECK_INT(access(path, R_OK), 0);
    sp__sim_stop(&s);
    put("begin.checkpoint", "nothing of this kind");
    CHECK(!sp__sim_start(&def, why) && why[0]);
}

TEST(a_parameter_changes_the_result) {
    sp_sim *s = start(0, false);
    REQUIRE(s);
    CHECK(run_to(s, 5));
    uint64_t plain = state_of(s).hash;
    CHECK(ask(s, "{\"type\":\"reset\"}"));
    CHECK(ask(s, "{\"type\":\"param\",\"path\":\"beam.young\",\"value\":2e4}"));
    CHECK(run_to(s, 5));
    uint64_t soft = state_of(s).hash;
    CHECK(soft != plain);
    // kept over a reset, or not
    CHECK(ask(s, "{\"type\":\"reset\",\"keep\":true}") && run_to(s, 5));
    CHECK(state_of(s).hash == soft);
    CHECK(ask(s, "{\"type\":\"reset\"}") && run_to(s, 5));
    CHECK(state_of(s).hash == plain);
    CHECK(ask(s, "{\"type\":\"gravity\",\"value\":[1,0,0]}") && run_to(s, 1));
    CHECK(!ask(s, "{\"type\":\"param\",\"path\":\"beam.taste\",\"value\":1}"));
    CHECK(!ask(s, "{\"type\":\"param\",\"path\":\"beam.poisson\",\"value\":0.7}"));
    CHECK(strstr(answer, "must be in"));
    sp__sim_stop(&s);
}

// a value of the scene restarts it, a time step and a solver continue from the current state
TEST(values_of_the_scene_change) {
    sp_sim *s = start(0, false);
    REQUIRE(s);
    CHECK(run_to(s, 3));
    CHECK(ask(s, "{\"type\":\"dt\",\"value\":0.005}"));
    CHECK_INT(state_of(s).step, 3);
    CHECK_NEAR(state_of(s).time, 0.03, 1e-12);  // three steps of 0.01
    CHECK(run_to(s, 1));
    CHECK_NEAR(state_of(s).time, 0.035, 1e-12);
    CHECK(ask(s, "{\"type\":\"solver\",\"solver\":\"cholesky\"}"));
    CHECK_INT(state_of(s).step, 4);
    CHECK(run_to(s, 1));
    CHECK(!ask(s, "{\"type\":\"solver\",\"solver\":\"guessing\"}"));
    CHECK(run_to(s, 1));
    CHECK(ask(s, "{\"type\":\"set\",\"path\":\"k\",\"value\":3}"));
    CHECK_INT(state_of(s).step, 0);
    CHECK(!ask(s, "{\"type\":\"set\",\"path\":\"nothing\",\"value\":3}"));
    CHECK(run_to(s, 1));
    CHECK(ask(s, "{\"type\":\"scene\",\"number\":1}"));
    CHECK(run_to(s, 2));
    CHECK(!ask(s, "{\"type\":\"scene\",\"number\":7}"));
    CHECK(!ask(s, "{\"type\":\"pin\",\"body\":1,\"node\":99}"));
    sp__sim_stop(&s);
}

static const char grab[] = "{\"type\":\"drag\",\"body\":1,\"face\":3,\"weights\":[0.2,0.3,0.5],\"target\":[0.3,0.3,0.1]}";

TEST(a_saved_log_replays_to_the_same_hash) {
    sp_sim *s = start(0, false);
    REQUIRE(s);
    uint64_t hash = 0;
    CHECK(run_to(s, 2));
    CHECK(ask(s, grab) && run_to(s, 3));
    CHECK(ask(s, "{\"type\":\"drag\",\"target\":[0.2,0.4,0]}") && run_to(s, 2));
    CHECK(ask(s, "{\"type\":\"pin\",\"body\":1,\"node\":20}") && run_to(s, 1));
    CHECK(ask(s, "{\"type\":\"param\",\"path\":\"beam.young\",\"value\":3e4}") && run_to(s, 1));
    CHECK(ask(s, "{\"type\":\"drop\"}") && run_to(s, 2));
    CHECK(ask(s, "{\"type\":\"log\"}"));
    CHECK(replay(&hash));
    CHECK(hash == state_of(s).hash);
    // after a change of the time step the log continues from a checkpoint
    CHECK(ask(s, "{\"type\":\"dt\",\"value\":0.004}"));
    CHECK(ask(s, grab) && run_to(s, 3));
    CHECK(ask(s, "{\"type\":\"log\"}"));
    CHECK(strstr(answer, "--resume"));
    CHECK(replay(&hash));
    CHECK(hash == state_of(s).hash);
    sp__sim_stop(&s);
}

// whether the stats of the current step contain a word; they follow the step
static bool stats_have(sp_sim *s, const char *word) {
    sp_buffer b = {0};
    char current[64];
    bool found = false;
    sp_sim_state now = state_of(s);
    snprintf(current, sizeof current, "\"generation\": %u,\n  \"step\": %llu,", now.generation, (unsigned long long)now.step);
    for (int i = 0; i < PATIENCE && !found; i++) {
        if (i > 0) nap();
        b.size = 0;
        sp__sim_text(s, SP_SIM_STATS, 0, &b);
        sp__buffer_add(NULL, &b, "", 1);
        found = strstr((const char *)b.data, current) != NULL;
    }
    if (!found) SP_TEST_FAILED("no stats of step %llu", (unsigned long long)now.step);
    found = strstr((const char *)b.data, word) != NULL;
    sp__buffer_free(NULL, &b);
    return found;
}

TEST(drags_hold_until_they_are_released) {
    sp_sim *s = start(0, false);
    REQUIRE(s);
    CHECK(!ask(s, "{\"type\":\"drag\",\"target\":[0,0,0]}"));
    CHECK(!ask(s, "{\"type\":\"drag\",\"body\":7,\"face\":0,\"weights\":[1,0,0],\"target\":[0,0,0]}"));
    CHECK(!ask(s, "{\"type\":\"drag\",\"body\":1,\"face\":99999,\"weights\":[1,0,0],\"target\":[0,0,0]}"));
    CHECK(!ask(s, "{\"type\":\"drag\",\"body\":1,\"surface\":1,\"face\":0,\"weights\":[1,0,0],\"target\":[0,0,0]}"));
    CHECK(!ask(s, "{\"type\":\"drag\",\"body\":1,\"face\":0,\"weights\":[1,0,0],\"target\":[0,0,0],\"revision\":77}"));
    CHECK(ask(s, grab) && run_to(s, 5));
    CHECK(stats_have(s, "\"force\": ") && !stats_have(s, "\"force\": 0\n"));
    uint64_t dragged = state_of(s).hash;
    // a client that leaves releases its drags
    sp__sim_leave(s, 5);
    CHECK(run_to(s, 1));
    CHECK(stats_have(s, "\"force\": 0\n"));
    CHECK(state_of(s).hash != dragged);
    // a rod too
    CHECK(ask(s, "{\"type\":\"scene\",\"number\":1}"));
    CHECK(ask(s, "{\"type\":\"drag\",\"body\":1,\"face\":20,\"weights\":[0.2,0.3,0.5],\"target\":[0.2,0.1,0]}") && run_to(s, 2));
    // and a free rigid body, but not a fixed one; neither has nodes to pin
    CHECK(ask(s, "{\"type\":\"scene\",\"number\":5}"));
    CHECK(ask(s, grab) && run_to(s, 5));
    CHECK(stats_have(s, "\"force\": ") && !stats_have(s, "\"force\": 0\n"));
    CHECK(!ask(s, "{\"type\":\"drag\",\"body\":2,\"face\":1,\"weights\":[0.2,0.3,0.5],\"target\":[0.2,0.1,0]}"));
    CHECK(strstr(answer, "is fixed"));
    CHECK(!ask(s, "{\"type\":\"pin\",\"body\":1,\"node\":0}"));
    sp__sim_stop(&s);
}

// ---- drags on an embedded surface

enum { THREAD = 2, SLEEVE = 3 };  // numbers of the scenes

static double number_after(const char *key) {
    const char *at = strstr(answer, key);
    return at ? strtod(at + strlen(key), NULL) : NAN;
}

static bool picked_at(double x[3]) {
    const char *at = strstr(answer, "\"x\": [");
    return at && sscanf(at, "\"x\": [%lf, %lf, %lf", &x[0], &x[1], &x[2]) == 3;
}

// The point of a face as a page computes it: from the positions of a frame, by the weights of the corners. Returns whether the
// corners are in one element
static bool shown_point(const sp_snapshot_surface *v, int face, const double weights[3], double x[3]) {
    const uint32_t *c = v->faces + 3 * (size_t)face;
    for (int k = 0; k < 3; k++) {
        x[k] = 0;
        for (int i = 0; i < 3; i++) x[k] += weights[i] * v->positions[3 * (size_t)c[i] + (size_t)k];
    }
    return v->anchors[c[0]].elem == v->anchors[c[1]].elem && v->anchors[c[0]].elem == v->anchors[c[2]].elem;
}

static void check_grab(sp_sim *s, const sp_snapshot_surface *v, int face, const double weights[3], double stiffness) {
    char text[400];
    double shown[3], x[3];
    shown_point(v, face, weights, shown);
    snprintf(text, sizeof text,
             "{\"type\":\"drag\",\"body\":1,\"surface\":1,\"face\":%d,\"weights\":[%.17g,%.17g,%.17g],"
             "\"target\":[%.17g,%.17g,%.17g],\"stiffness\":%.17g}",
             face, weights[0], weights[1], weights[2], shown[0], shown[1], shown[2], stiffness);
    if (!ask(s, text) || !picked_at(x)) {
        SP_TEST_FAILED("face %d: %s", face, answer);
        return;
    }
    // positions of frames are floats: coordinates below 0.5 m are known to 3e-8 m, twice that for the sum
    for (int k = 0; k < 3; k++) CHECK_NEAR(x[k], shown[k], 6e-8);
    CHECK(number_after("\"force\": ") <= stiffness * sqrt(3) * 6e-8);
}

// the frame of the current state; frames follow a step when there is time for them
static const sp_sim_frame *newest_frame(sp_sim *s) {
    for (int i = 0; i < PATIENCE; i++, nap()) {
        const sp_sim_frame *f = sp__sim_acquire(s);
        if (f && f->snapshot->step == state_of(s).step && f->generation == state_of(s).generation) return f;
        if (f) sp__sim_release(s, f);
    }
    return NULL;
}

// drags at faces all over the surface, far from every corner and at a corner; counts faces with corners in several elements
static int check_grabs(sp_sim *s, int *within) {
    static const double middle[3] = {0.3, 0.36, 0.34}, corner[3] = {0, 1, 0};
    const sp_sim_frame *f = newest_frame(s);
    if (!f || f->snapshot->bodies[0].surface_count != 2) return SP_TEST_FAILED("no surface rides"), 0;
    const sp_snapshot_surface *v = &f->snapshot->bodies[0].surfaces[1];
    int across = 0;
    for (int face = 0; face < v->face_count; face += 1 + v->face_count / 60) {
        double x[3];
        bool together = shown_point(v, face, middle, x);
        across += !together, *within += together;
        check_grab(s, v, face, middle, 200);
        check_grab(s, v, face, corner, 200);
    }
    sp__sim_release(s, f);
    CHECK(ask(s, "{\"type\":\"drop\"}"));
    return across;
}

TEST(a_drag_holds_the_point_of_an_embedded_surface) {
    sp_sim *s = start(THREAD, false);
    REQUIRE(s);
    int within = 0;
    CHECK(check_grabs(s, &within) > 5);
    CHECK(within > 5);
    // half a turn later, with each element in another shape
    CHECK(run_to(s, 50));
    CHECK(check_grabs(s, &within) > 5);
    // on a rod, while it falls
    char text[64];
    snprintf(text, sizeof text, "{\"type\":\"scene\",\"number\":%d}", SLEEVE);
    CHECK(ask(s, text) && run_to(s, 10));
    CHECK(check_grabs(s, &within) == 3);
    sp__sim_stop(&s);
}

// The point is picked once: only the target moves, also where a client repeats the pick.
TEST(a_drag_keeps_its_point) {
    sp_sim *s = start(THREAD, false);
    REQUIRE(s);
    double first[3], moved[3], again[3], other[3];
    static const char grip[] = "\"body\":1,\"surface\":1,\"face\":700,\"weights\":[0.3,0.36,0.34],";
    char text[300];
    CHECK(run_to(s, 20));
    snprintf(text, sizeof text, "{\"type\":\"drag\",%s\"target\":[0.2,0.2,0.2]}", grip);
    CHECK(ask(s, text) && picked_at(first));
    CHECK(ask(s, "{\"type\":\"drag\",\"target\":[0.2,0.3,0.2]}") && picked_at(moved));
    CHECK(memcmp(first, moved, sizeof first) == 0);
    CHECK(run_to(s, 30));
    CHECK(ask(s, "{\"type\":\"drag\",\"target\":[0.2,0.3,0.2]}") && picked_at(moved));
    snprintf(text, sizeof text, "{\"type\":\"drag\",%s\"target\":[0.2,0.3,0.2]}", grip);
    CHECK(ask(s, text) && picked_at(again));
    CHECK(memcmp(moved, again, sizeof moved) == 0);
    // another point of the same drag is a new pick
    CHECK(ask(s, "{\"type\":\"drag\",\"body\":1,\"surface\":1,\"face\":700,\"weights\":[1,0,0],\"target\":[0,0,0]}") &&
          picked_at(other));
    CHECK(memcmp(moved, other, sizeof moved) != 0);
    sp__sim_stop(&s);
}

TEST(stats_report_the_health_of_each_body) {
    sp_sim *s = start(0, false);
    REQUIRE(s);
    CHECK(run_to(s, 2));
    CHECK(stats_have(s, "\"bodies\": [") && stats_have(s, "\"reservations\": ["));
    CHECK(stats_have(s, "\"inverted\": 0"));
    const char *const keys[] = {"inverted", "volume_lost", "penetration", "energy", "potential", "work", "appeared"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) CHECK(stats_have(s, keys[i]));
    sp__sim_stop(&s);
}

TEST(frames_contain_the_requested_fields) {
    sp_sim *s = start(0, false);
    REQUIRE(s);
    CHECK(run_to(s, 3));
    const sp_sim_frame *f = sp__sim_acquire(s);
    REQUIRE(f);
    CHECK(f->fields[sp__wire_field_code("von-mises")] == NULL && f->snapshot->body_count == 1);
    sp__sim_release(s, f);
    unsigned all = ((1u << SP_FIELD_CODES) - 1) & ~1u;
    sp__sim_want(s, &(sp_sim_want){.fields = all, .marks = true});
    for (int i = 0; i < PATIENCE; i++, nap()) {
        f = sp__sim_acquire(s);
        if (f->fields[sp__wire_field_code("region")]) break;
        sp__sim_release(s, f);
    }
    REQUIRE(f->fields[sp__wire_field_code("region")]);
    float most[SP_FIELD_CODES] = {0};
    for (int c = 1; c < SP_FIELD_CODES; c++)
        for (int i = 0; i < f->snapshot->bodies[0].surfaces[0].vertex_count; i++) most[c] = fmaxf(most[c], f->fields[c][i]);
    CHECK(most[sp__wire_field_code("displacement")] > 0 && most[sp__wire_field_code("velocity")] > 0 &&
          most[sp__wire_field_code("von-mises")] > 0);
    CHECK(most[sp__wire_field_code("region")] == 0);
    // the simulation continues while a client holds a frame
    uint64_t step = f->snapshot->step;
    CHECK(run_to(s, 20));
    CHECK_INT(f->snapshot->step, step);
    sp__sim_release(s, f);
    sp_buffer marks = {0};
    CHECK(sp__sim_text(s, SP_SIM_MARKS, 0, &marks) > 0);
    sp__buffer_add(NULL, &marks, "", 1);
    CHECK(strstr((const char *)marks.data, "\"vertices\": [0"));
    sp__buffer_free(NULL, &marks);
    sp__sim_stop(&s);
}

TEST(a_client_view_sends_each_topology_once_and_changes) {
    sp_sim *s = start(0, false);
    REQUIRE(s);
    sp_client_view view = {.roles = SP_ROLE_VISUAL};
    sp_buffer b = {0};
    const sp_sim_frame *f = sp__sim_acquire(s);
    CHECK(sp__client_view_topology(&view, f, &b));
    CHECK(!sp__client_view_topology(&view, f, &b));
    b.size = 0;
    sp__client_view_state(&view, f, &b);
    CHECK(b.size > 64 && b.data[44] == SP_STATE_ALL && b.data[40] == 1);
    b.size = 0;
    sp__client_view_state(&view, f, &b);  // nothing moved
    CHECK(b.size == 64 && b.data[44] == 0 && b.data[40] == 0);
    sp__sim_release(s, f);
    CHECK(ask(s, "{\"type\":\"reset\"}"));
    f = sp__sim_acquire(s);
    REQUIRE(f);
    CHECK(sp__client_view_topology(&view, f, &b));  // another generation
    sp__sim_release(s, f);
    sp__client_view_free(&view);
    sp__buffer_free(NULL, &b);
    sp__sim_stop(&s);
}

// area of the cross section that a frame has for a client; -1: none
static double section_area(const sp_sim_frame *f, uint32_t client, int *count) {
    int i = 0;
    double area = 0;
    while (i < f->cut_count && f->cuts[i].client != client) i++;
    if (i == f->cut_count) return -1;
    const sp_sim_section *s = &f->sections[f->section_of[i]];
    *count = s->count;
    for (int k = 0; k < s->count; k++)
        for (uint32_t t = 0; t < s->list[k].face_count; t++) {
            const float *p[3];
            for (size_t c = 0; c < 3; c++) p[c] = s->list[k].positions + 3 * (size_t)s->list[k].faces[3 * t + c];
            double e[3], g[3];
            for (int a = 0; a < 3; a++) e[a] = p[1][a] - p[0][a], g[a] = p[2][a] - p[0][a];
            double n[3] = {e[1] * g[2] - e[2] * g[1], e[2] * g[0] - e[0] * g[2], e[0] * g[1] - e[1] * g[0]};
            area += 0.5 * sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
        }
    return area;
}

static const sp_sim_frame *frame_with_cuts(sp_sim *s, int cuts, double x) {
    for (int i = 0; i < PATIENCE; i++, nap()) {
        const sp_sim_frame *f = sp__sim_acquire(s);
        if (f && f->cut_count == cuts && (cuts == 0 || f->cuts[0].plane.point[0] == x)) return f;
        if (f) sp__sim_release(s, f);
    }
    return NULL;
}

// a bar 0.4 x 0.1 x 0.1 at rest, cut by the planes of three clients, two of which have the same one
TEST(frames_contain_the_sections_of_each_client) {
    sp_sim *s = start(0, false);
    REQUIRE(s);
    int count = 0, mises = sp__wire_field_code("von-mises");
    sp_sim_want want = {.fields = 1u << mises, .cut_count = 3};
    want.cuts[0] = (sp_sim_cut){.client = 7, .plane = {{0.13, 0, 0}, {1, 0, 0}}};
    want.cuts[1] = (sp_sim_cut){.client = 8, .colour = mises, .plane = {{0.2, 0.05, 0.05}, {0, 0, 1}}};
    want.cuts[2] = (sp_sim_cut){.client = 9, .plane = want.cuts[0].plane};
    sp__sim_want(s, &want);
    const sp_sim_frame *f = frame_with_cuts(s, 3, 0.13);
    REQUIRE(f);
    // floats of about 0.1 are rounded by 1e-8
    CHECK_NEAR(section_area(f, 7, &count), 0.01, 1e-8);
    CHECK_NEAR(section_area(f, 8, &count), 0.04, 1e-8);
    CHECK(count == 1 && f->section_of[2] == f->section_of[0] && f->section_of[1] != f->section_of[0]);
    CHECK(section_area(f, 5, &count) < 0);
    CHECK(f->sections[f->section_of[1]].list[0].values && !f->sections[f->section_of[0]].list[0].values);
    // each client gets its own with the state
    for (uint32_t client = 6; client <= 8; client++) {
        sp_client_view view = {.client = client, .roles = SP_ROLE_VISUAL, .colour = client == 8 ? mises : 0};
        sp_buffer b = {0};
        if (client > 6) view.clip = want.cuts[client - 7].plane;
        while (sp__client_view_topology(&view, f, &b)) b.size = 0;
        b.size = 0;
        sp__client_view_state(&view, f, &b);
        CHECK_INT(b.data[44] & SP_STATE_SECTIONS, client > 6 ? SP_STATE_SECTIONS : 0);
        sp__client_view_free(&view);
        sp__buffer_free(NULL, &b);
    }
    sp__sim_release(s, f);
    // while it plays, a plane that moves comes with the next frame; beyond the bar it cuts nothing
    CHECK(ask(s, "{\"type\":\"play\"}"));
    want.cut_count = 1, want.cuts[0].plane.point[0] = 5;
    sp__sim_want(s, &want);
    f = frame_with_cuts(s, 1, 5);
    REQUIRE(f);
    CHECK(section_area(f, 7, &count) == 0 && count == 0);
    sp__sim_release(s, f);
    // more different planes than there is room for: the last clients get none
    want.cut_count = SP_SECTIONS_MAX + 2;
    for (int i = 0; i < want.cut_count; i++)
        want.cuts[i] = (sp_sim_cut){.client = (uint32_t)i + 1, .plane = {{0.01 * (i + 1), 0, 0}, {1, 0, 0}}};
    sp__sim_want(s, &want);
    f = frame_with_cuts(s, SP_SECTIONS_MAX, 0.01);
    REQUIRE(f);
    sp__sim_release(s, f);
    CHECK(ask(s, "{\"type\":\"pause\"}") && ask(s, "{\"type\":\"reset\"}"));  // another world, at rest
    f = frame_with_cuts(s, SP_SECTIONS_MAX, 0.01);
    REQUIRE(f && f->generation == 2);
    CHECK_NEAR(section_area(f, 1, &count), 0.01, 1e-8);
    sp__sim_release(s, f);
    sp__sim_stop(&s);
}

// ---- recordings

// what the newest frame of a step shows: the greatest von Mises stress at the vertices, the area of the cross section of client 7
typedef struct frame_shown {
    double stress, area;
    uint64_t hash;
} frame_shown;

static frame_shown shown_at(sp_sim *s, uint64_t step) {
    frame_shown shown = {NAN, NAN, 0};
    int code = sp__wire_field_code("von-mises"), count;
    for (int i = 0; i < PATIENCE && isnan(shown.stress); i++, nap()) {
        const sp_sim_frame *f = sp__sim_acquire(s);
        if (!f) continue;
        if ((f->at ? f->at->step : f->snapshot->step) == step && f->fields[code] && f->cut_count)
            shown =
                (frame_shown){f->ranges[code][0].greatest, section_area(f, 7, &count), f->at ? f->at->hash : f->snapshot->hash};
        sp__sim_release(s, f);
    }
    return shown;
}

// positions are floats: strains lose about 1e-7 times length over cell size, 4 here, against strains of about 1e-2; areas 1e-7
static void check_shown(sp_sim *s, uint64_t step, frame_shown then) {
    frame_shown now = shown_at(s, step);
    CHECK_NEAR(now.stress, then.stress, 1e-3 * then.stress);
    CHECK_NEAR(now.area, then.area, 1e-6 * then.area);
    CHECK(now.hash == then.hash && now.area > 0);
}

TEST(a_recording_is_written_and_shown) {
    sp_sim *s = start(0, false);
    REQUIRE(s);
    CHECK(!ask(s, "{\"type\":\"record\",\"action\":\"stop\"}"));
    if (!with_hdf5()) {
        CHECK(!ask(s, "{\"type\":\"record\",\"action\":\"start\"}") && strstr(answer, "this build has no HDF5"));
        CHECK(run_to(s, 2));
        sp__sim_stop(&s);
        return;
    }
    sp_sim_want want = {.fields = 1u << sp__wire_field_code("von-mises"), .cut_count = 1};
    want.cuts[0] = (sp_sim_cut){.client = 7, .plane = {{0.25, 0, 0}, {1, 0, 0}}};
    sp__sim_want(s, &want);
    CHECK(run_to(s, 4));
    CHECK(ask(s, "{\"type\":\"param\",\"path\":\"beam.young\",\"value\":4e4}"));
    CHECK(run_to(s, 2));
    frame_shown first = shown_at(s, 6);
    CHECK(ask(s, "{\"type\":\"record\",\"action\":\"start\"}"));
    CHECK(!ask(s, "{\"type\":\"record\",\"action\":\"start\"}") && strstr(answer, "under way"));
    CHECK(run_to(s, 10));
    frame_shown middle = shown_at(s, 16);
    CHECK(ask(s, "{\"type\":\"param\",\"path\":\"beam.young\",\"value\":9e4}"));
    CHECK(run_to(s, 10));
    frame_shown last = shown_at(s, 26);
    CHECK(ask(s, "{\"type\":\"record\",\"action\":\"stop\"}"));
    char name[128];
    snprintf(name, sizeof name, "%s", answered_file());
    CHECK(strstr(name, ".h5"));
    uint32_t generation = state_of(s).generation;
    REQUIRE(ask_open(s, name));
    CHECK(state_of(s).generation == generation + 1 && state_of(s).step == 6);
    check_shown(s, 6, first);
    // 60 a second are 16.7 ms: every second step of 10 ms is recorded
    CHECK(ask(s, "{\"type\":\"seek\",\"time\":9}") && state_of(s).step == 26);
    check_shown(s, 26, last);
    // backwards: the stiffness of that time again
    CHECK(ask(s, "{\"type\":\"seek\",\"time\":0.16}"));
    check_shown(s, 16, middle);
    // a plane that moves while nothing plays
    want.cuts[0].plane.point[0] = 5;
    sp__sim_want(s, &want);
    const sp_sim_frame *f = frame_with_cuts(s, 1, 5);
    int count = -1;
    REQUIRE(f);
    CHECK(section_area(f, 7, &count) == 0 && count == 0 && f->at && f->at->step == 16);
    sp__sim_release(s, f);
    CHECK(ask(s, "{\"type\":\"step\",\"count\":2}") && reach(s, 20));
    CHECK(ask(s, "{\"type\":\"play\"}") && reach(s, 26) && message_has(s, "\"playing\": false"));
    CHECK(ask(s, "{\"type\":\"reset\"}") && state_of(s).step == 6);
    static const char *const changes[] = {"{\"type\":\"param\",\"path\":\"beam.young\",\"value\":2e4}",
                                          "{\"type\":\"dt\",\"value\":0.02}",
                                          "{\"type\":\"pin\",\"body\":1,\"node\":3}",
                                          "{\"type\":\"record\",\"action\":\"start\"}",
                                          "{\"type\":\"log\"}",
                                          grab};
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++)
        CHECK(!ask(s, changes[i]) && strstr(answer, "a recording is shown"));
    // back to the simulation, which goes on as if nothing had been shown
    CHECK(ask(s, "{\"type\":\"close\"}") && state_of(s).step == 26 && state_of(s).hash == last.hash);
    CHECK(!ask(s, "{\"type\":\"close\"}") && !ask(s, "{\"type\":\"seek\",\"time\":0}"));
    CHECK(run_to(s, 1));
    sp__sim_stop(&s);
}

TEST(files_that_are_no_recordings_are_refused) {
    sp_sim *s = start(0, false);
    REQUIRE(s);
    uint32_t generation = state_of(s).generation;
    mkdir(path_of("out"), 0777);
    put("out/text.h5", "hello\n");
    CHECK(!ask_open(s, "../beam.xml") && strstr(answer, "plain name"));
    CHECK(!ask_open(s, ".hidden") && strstr(answer, "plain name"));
    if (with_hdf5()) {
        CHECK(!ask_open(s, "none.h5") && strstr(answer, "No such file"));
        CHECK(!ask_open(s, "text.h5") && strstr(answer, "not an HDF5 file"));
        // one that is being written
        CHECK(ask(s, "{\"type\":\"record\",\"action\":\"start\"}"));
        char name[64];
        snprintf(name, sizeof name, "recording-%d.h5", s->file_number);
        CHECK(!ask_open(s, name) && strstr(answer, "stop the recording first"));
        CHECK(ask(s, "{\"type\":\"record\",\"action\":\"stop\"}"));
    } else {
        CHECK(!ask_open(s, "text.h5") && strstr(answer, "this build has no HDF5"));
    }
    CHECK(state_of(s).generation == generation && run_to(s, 1));
    sp__sim_stop(&s);
}

// a server that is killed leaves the frames that were complete, in a file that opens
TEST(a_killed_server_leaves_a_recording) {
    if (!with_hdf5()) return;
    sp_sim *s = start(0, false);  // the gallery exists before the fork, and no thread
    sp__sim_stop(&s);
    put("killed", "");
    pid_t child = fork();
    if (child == 0) {
        s = start(0, false);
        bool good = s && ask(s, "{\"type\":\"record\",\"action\":\"start\"}") && run_to(s, 30);
        FILE *f = fopen(path_of("killed"), "w");
        if (f) fprintf(f, "%s %d", good ? "good" : "bad", s ? s->file_number : 0), fclose(f);
        raise(SIGKILL);
    }
    int status, number = 0;
    char word[8] = "", name[64];
    waitpid(child, &status, 0);
    FILE *f = fopen(path_of("killed"), "r");
    REQUIRE(f && fscanf(f, "%7s %d", word, &number) == 2);
    fclose(f);
    CHECK(strcmp(word, "good") == 0);
    snprintf(name, sizeof name, "recording-%d.h5", number);
    s = start(-1, false);
    REQUIRE(s);
    // how many frames the writer had finished depends on the machine; the first is written when the recording starts
    CHECK(ask_open(s, name) && state_of(s).step == 0);
    CHECK(ask(s, "{\"type\":\"close\"}") && !sp__sim_acquire(s));
    sp__sim_stop(&s);
}

TEST(scenes_are_written) {
    sp_sim *s = start(0, false);
    REQUIRE(s);
    char path[1024];
    char *file;
    CHECK(run_to(s, 2));
    // the scene with its values can be run
    CHECK(ask(s, "{\"type\":\"param\",\"path\":\"beam.young\",\"value\":2e4}"));
    CHECK(ask(s, "{\"type\":\"download\"}"));
    file = strstr(answer, "files/");
    REQUIRE(file);
    file[strcspn(file, "\"")] = 0;
    snprintf(path, sizeof path, SOUPLE " run %s/%.64s --steps 2 --quiet", path_of("out"), file + 6);
    CHECK_INT(system(path), 0);
    sp__sim_stop(&s);
}

// of a rod the ring at the held root alone, not all vertices that the root is the nearest node of
TEST(marks_of_a_rod_are_at_its_nodes) {
    sp_sim *s = start(1, false);
    REQUIRE(s && strstr(gallery.scenes[1].path, "rod.xml"));
    sp__sim_want(s, &(sp_sim_want){.marks = true});
    CHECK(run_to(s, 2));
    // the marks of the state before the first step come first: no force holds the root there
    sp_buffer marks = {0};
    bool found = false;
    for (int i = 0; i < PATIENCE && !found; i++) {
        marks.size = 0;
        sp__sim_text(s, SP_SIM_MARKS, 0, &marks);
        sp__buffer_add(NULL, &marks, "", 1);
        found = strstr((const char *)marks.data, "\"vertices\": [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]") != NULL;
        if (!found) nap();
    }
    CHECK(found);
    sp__buffer_free(NULL, &marks);
    sp__sim_stop(&s);
}

// ---- probes

// the samples after a place, as one message; returns the next place
static sp_buffer samples;
static uint64_t take_samples(sp_sim *s, uint64_t from) {
    samples.size = 0;
    uint64_t next = sp__sim_samples(s, state_of(s).generation, from, &samples);
    sp__buffer_add(NULL, &samples, "", 1);
    return next;
}

static int count_of(const char *words) {
    int n = 0;
    for (const char *at = (const char *)samples.data; (at = strstr(at, words)); at++) n++;
    return n;
}

enum { PROBED = 4 };  // in the gallery

// every sample arrives once, at the times of the scene, whenever a client asks
TEST(samples_of_probes_are_complete) {
    sp_sim *s = start(PROBED, false);
    REQUIRE(s);
    sp_buffer hello = {0};
    sp__sim_hello(s, &hello);
    sp__buffer_add(NULL, &hello, "", 1);
    const char *text = (const char *)hello.data;
    CHECK(strstr(text, "\"name\": \"tip\", \"body\": \"cube\", \"width\": 6"));
    CHECK(strstr(text, "{\"name\": \"velocity.z\", \"quantity\": \"velocity\", \"unit\": \"m/s\"}"));
    // 27 nodes, of which 16 numbers are sent
    CHECK(strstr(text, "\"name\": \"all\", \"body\": \"cube\", \"width\": 81"));
    sp__buffer_free(NULL, &hello);
    // the start of the run is a sample of each
    uint64_t from = take_samples(s, 0);
    CHECK_INT(count_of("\"time\":0,"), 3);
    CHECK(run_to(s, 6));
    // stats, and with them samples, follow the step
    for (int i = 0; i < PATIENCE && (take_samples(s, from), count_of("\"probe\":2") < 6); i++) nap();
    // every second of six steps; at 15, 30, 45 and 60 ms; at each step
    CHECK_INT(count_of("\"probe\":0"), 3);
    CHECK_INT(count_of("\"probe\":1"), 4);
    CHECK_INT(count_of("\"probe\":2"), 6);
    CHECK_INT(count_of("\"probe\":1,\"time\":0.045"), 1);
    uint64_t end = take_samples(s, from);
    CHECK(take_samples(s, end) == end && samples.size == 1);
    // a client that joins now receives all of them
    take_samples(s, 0);
    CHECK_INT(count_of("\"probe\":"), 3 + 3 + 4 + 6);
    // another time step continues the run, and a new generation has its earlier samples too
    CHECK(ask(s, "{\"type\":\"dt\",\"value\":0.005}"));
    take_samples(s, 0);
    CHECK_INT(count_of("\"probe\":2"), 7);
    // a reset begins again
    CHECK(ask(s, "{\"type\":\"reset\"}"));
    take_samples(s, 0);
    CHECK_INT(count_of("\"probe\":"), 3);
    CHECK_INT(sp__sim_samples(s, state_of(s).generation - 1, 0, &samples), 0);
    sp__sim_stop(&s);
}

// the oldest half is dropped above a limit; what is sent are whole samples
TEST(samples_are_bounded) {
    sp_sim *s = start(PROBED, false);
    REQUIRE(s);
    // a hundred samples in a step, of 90 bytes and more
    CHECK(ask(s, "{\"type\":\"set\",\"path\":\"cube.all.period\",\"value\":1e-4}") && run_to(s, 700));
    // stats, and with them samples, follow the step: the first sample that is left is then far from the start
    for (int i = 0; i < PATIENCE && take_samples(s, 0) < 1 << 20; i++) nap();
    uint64_t at = 0, samples_seen = 0, messages = 0;
    do {
        uint64_t next = take_samples(s, at);
        if (next == at) break;
        CHECK(samples.size < 66 << 10 && samples.data[samples.size - 2] == '}');
        samples_seen += (uint64_t)count_of("\"probe\":2"), messages++, at = next;
    } while (messages < 1000);
    CHECK(at > 4 << 20 && samples_seen < 60000 && samples_seen > 10000 && messages > 30 && messages < 1000);
    sp__sim_stop(&s);
    sp__buffer_free(NULL, &samples);
}

// ---- scenes of clients

static bool send_scene(sp_sim *s, const char *name, const char *text) {
    CHECK(sp__sim_post_scene(s, 5, name, text, strlen(text)));
    sp_buffer note = {0};
    uint32_t client = 0;
    for (int i = 0; i < PATIENCE && client != 5; i++)
        if (!sp__sim_next_message(s, &client, &note)) nap();
    sp__buffer_add(NULL, &note, "", 1);
    snprintf(answer, sizeof answer, "%s", (const char *)note.data);
    sp__buffer_free(NULL, &note);
    return strstr(answer, "\"ok\"") != NULL;
}

// Files that it names are next to the scene of the server; a changed copy is read again.
TEST(a_scene_of_a_client_runs) {
    sp_sim *s = start(3, false);
    REQUIRE(s && strstr(gallery.scenes[3].path, "sleeve.xml"));
    sp_sim_state before = state_of(s);
    int count = gallery.count;
    char wrong[sizeof sleeve + 16];
    snprintf(wrong, sizeof wrong, "%s", sleeve);
    memcpy(strstr(wrong, "sleeve.obj"), "nothin.obj", 10);
    CHECK(!send_scene(s, "own.xml", wrong));
    CHECK(strstr(answer, "nothin.obj") && strstr(answer, "cannot be read") && strstr(answer, "own.xml"));
    CHECK(state_of(s).generation == before.generation && gallery.count == count && !is_there("out/opened/own.xml"));
    REQUIRE(send_scene(s, "own.xml", sleeve));
    CHECK(state_of(s).generation == before.generation + 1 && gallery.count == count + 1 && is_there("out/opened/own.xml"));
    CHECK(strcmp(gallery.scenes[count].title, "sleeve") == 0 && strcmp(gallery.scenes[count].group, SP_GALLERY_OWN) == 0);
    CHECK(run_to(s, 2) && ask(s, "{\"type\":\"reset\"}") && run_to(s, 2));
    uint64_t hash = state_of(s).hash;
    uint32_t generation = state_of(s).generation;
    snprintf(wrong, sizeof wrong, "%s", sleeve);
    memcpy(strstr(wrong, "1e8"), "1e7", 3);
    put("out/opened/own.xml", wrong);
    for (int i = 0; i < PATIENCE && state_of(s).generation == generation; i++) nap();
    CHECK(run_to(s, 2) && state_of(s).hash != hash);
    // more mistakes than an answer lists
    char many[4096] = "<scene version=\"1\">";
    for (int i = 0; i < 30; i++) strcat(many, "<rods/>\n");
    strcat(many, "</scene>");
    CHECK(!send_scene(s, "many.xml", many));
    samples.size = 0;
    sp__buffer_add(NULL, &samples, answer, strlen(answer) + 1);
    CHECK_INT(count_of("\"severity\": \"error\""), 20 + 1);  // and the number of the others
    CHECK(strstr(answer, "and 10 more errors") && state_of(s).step == 2);
    sp__buffer_free(NULL, &samples);
    sp__sim_stop(&s);
}

// probes sample steps, and a recording makes none; those of the simulation come again with it
TEST(a_recording_has_no_probes_and_a_scene_replaces_it) {
    if (!with_hdf5()) return;
    sp_sim *s = start(PROBED, false);
    REQUIRE(s);
    CHECK(ask(s, "{\"type\":\"record\",\"action\":\"start\"}") && run_to(s, 6));
    CHECK(ask(s, "{\"type\":\"record\",\"action\":\"stop\"}"));
    char name[128];
    snprintf(name, sizeof name, "%s", answered_file());
    REQUIRE(ask_open(s, name) && hello_has(s, "\"probes\": []") && !hello_has(s, "\"version\": 1"));
    CHECK(take_samples(s, 0) == 0);
    CHECK(ask(s, "{\"type\":\"play\"}") && reach(s, 6) && take_samples(s, 0) == 0);
    CHECK(ask(s, "{\"type\":\"close\"}") && hello_has(s, "\"name\": \"tip\"") && hello_has(s, "\"version\": 1"));
    take_samples(s, 0);
    CHECK_INT(count_of("\"probe\":2"), 7);
    // a scene with mistakes leaves the recording
    REQUIRE(ask_open(s, name));
    CHECK(!send_scene(s, "own.xml", "<scene version=\"1\"><rods/></scene>") && hello_has(s, "\"replay\": {"));
    CHECK(send_scene(s, "own.xml", probed) && hello_has(s, "\"replay\": null") && run_to(s, 2));
    CHECK(!ask(s, "{\"type\":\"close\"}"));
    sp__buffer_free(NULL, &samples);
    sp__sim_stop(&s);
    // without a scene before it, nothing is left when it is closed
    s = start(-1, false);
    REQUIRE(s && ask_open(s, name) && ask(s, "{\"type\":\"close\"}"));
    CHECK(hello_has(s, "\"scene\": null") && hello_has(s, "\"probes\": []"));
    sp__sim_stop(&s);
}

TEST(without_a_scene_there_is_a_gallery) {
    sp_sim *s = start(-1, false);
    REQUIRE(s);
    sp_buffer hello = {0};
    sp__sim_hello(s, &hello);
    sp__buffer_add(NULL, &hello, "", 1);
    CHECK(strstr((const char *)hello.data, "\"scene\": null"));
    CHECK(strstr((const char *)hello.data, "beam.xml"));
    sp__buffer_free(NULL, &hello);
    CHECK(!sp__sim_acquire(s));
    CHECK(!ask(s, "{\"type\":\"play\"}"));
    CHECK(!ask(s, "{\"type\":\"log\"}"));
    CHECK(ask(s, "{\"type\":\"scene\",\"number\":0}"));
    const sp_sim_frame *f = sp__sim_acquire(s);
    CHECK(f != NULL);
    sp__sim_release(s, f);
    sp__sim_stop(&s);
    sp__gallery_free(&gallery);
    sp_context_destroy(&ctx);
}

TEST(a_scene_that_cannot_be_built_is_reported) {
    char why[SP_SIM_WHY];
    sp_gallery g = {0};
    sp_context_def def = sp_context_def_default();
    sp_context *c = NULL;
    REQUIRE(sp_context_create(&def, &c) >= 0);
    CHECK_INT(sp__gallery_find(&g, c, put("bad.xml", "<scene version=\"1\"><solid name=\"a\"/></scene>")), 0);
    sp_sim_def d = {.gallery = &g, .scene = 0, .out = folder};
    CHECK(!sp__sim_start(&d, why) && why[0]);
    sp__gallery_free(&g);
    sp_context_destroy(&c);
}

// ---------------------------------------------------------------------------------------------------- tools

TEST(nothing_leaks) {
    char command[128];
    make_folder();
    snprintf(command, sizeof command, "rm -rf %s", folder);
    CHECK_INT(system(command), 0);
}
