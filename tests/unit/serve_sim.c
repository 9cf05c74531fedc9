// The simulation thread of the viewer: pause stops the hash, a parameter changes the result, a reset gives the same hash again, a
// saved log replays to the same hash, fields and recordings are available on request.
#define COMMAND_FOLDER "serve-sim"
#include <time.h>

#include "command_folder.h"
#include "serve/sim_internal.h"

static const char beam[] = "<scene version=\"1\" name=\"beam\" dt=\"0.01\">\n"
                           "  <param name=\"k\" value=\"2\"/>\n"
                           "  <solid name=\"beam\" density=\"1000\" young=\"5e4\" poisson=\"0.3\">\n"
                           "    <box size=\"0.4 0.1 0.1\" cells=\"{4*k} {k} {k}\"/>\n"
                           "    <fix box=\"-0.001 0 0  0.001 0.1 0.1\"/>\n"
                           "    <solver type=\"cg\" tolerance=\"1e-8\"/>\n"
                           "  </solid>\n"
                           "</scene>\n";
static const char rod[] = "<scene version=\"1\" name=\"rod\" dt=\"0.01\">\n"
                          "  <rod name=\"hair\" length=\"0.3\" elements=\"4\" radius=\"0.001\" young=\"1e8\" density=\"1000\"/>\n"
                          "</scene>\n";

static const char sleeve[] =
    "<scene version=\"1\" name=\"sleeve\" dt=\"0.01\">\n"
    "  <rod name=\"hair\" length=\"0.3\" elements=\"4\" radius=\"0.001\" young=\"1e8\" density=\"1000\">\n"
    "    <surface name=\"sleeve\" role=\"visual\" file=\"sleeve.obj\"/>\n"
    "  </rod>\n"
    "</scene>\n";
static const char sleeve_obj[] = "v 0.05 0.004 0\nv 0.16 0.003 0.002\nv 0.1 -0.002 0.004\nv 0.25 0.002 -0.003\n"
                                 "v 0.29 -0.004 0.001\nf 1 2 3\nf 2 4 3\nf 4 5 3\n";

static sp_gallery gallery;
static sp_context *ctx;

static sp_sim *start(int scene, bool playing) {
    char why[SP_SIM_WHY];
    if (!gallery.count) {
        sp_context_def def = sp_context_def_default();
        def.workers = 1;
        if (sp_context_create(&def, &ctx) < 0) abort();
        put("sleeve.obj", sleeve_obj);
        sp__gallery_find(&gallery, ctx, put("sleeve.xml", sleeve));
        sp__gallery_find(&gallery, ctx, SP_SOURCE_DIR "/scenes/mapped-surface.xml");
        sp__gallery_find(&gallery, ctx, put("rod.xml", rod));
        sp__gallery_find(&gallery, ctx, put("beam.xml", beam));
    }
    static char out_folder[256];
    snprintf(out_folder, sizeof out_folder, "%s", path_of("out"));
    sp_sim_def def = {.gallery = &gallery, .scene = scene, .threads = 1, .out = out_folder, .playing = playing};
    sp_sim *s = sp__sim_start(&def, why);
    if (!s) printf("  %s\n", why);
    return s;
}

static void nap(void) {
    nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
}

// the answer to a message with id 1 is stored in `answer`; false: refused, or none within 20 s
static char answer[8192];
static bool ask(sp_sim *s, const char *text) {
    sp_message m;
    char why[SP_WHY_MAX];
    if (sp__message_read(text, strlen(text), &m, why) != SP_WIRE_GOOD) return SP_TEST_FAILED("%s: %s", text, why), false;
    m.id = 1, m.given |= SP_GIVEN_ID;
    if (!sp__sim_post(s, 5, &m)) return false;
    sp_buffer note = {0};
    for (int i = 0; i < 10000; i++) {
        uint32_t client;
        while (sp__sim_next_message(s, &client, &note)) {
            sp__buffer_add(NULL, &note, "", 1);
            if (client != 5) continue;
            snprintf(answer, sizeof answer, "%s", (const char *)note.data);
            sp__buffer_free(NULL, &note);
            return strstr(answer, "\"ok\"") != NULL;
        }
        nap();
    }
    sp__buffer_free(NULL, &note);
    return false;
}

static sp_sim_state state_of(sp_sim *s) {
    sp_sim_state state;
    sp__sim_state(s, &state);
    return state;
}

// waits until the simulation is paused at a step
static bool reach(sp_sim *s, uint64_t step) {
    for (int i = 0; i < 10000 && state_of(s).step < step; i++) nap();
    return state_of(s).step == step;
}

static bool run_to(sp_sim *s, int steps) {
    char text[64];
    uint64_t from = state_of(s).step;
    snprintf(text, sizeof text, "{\"type\":\"step\",\"count\":%d}", steps);
    return ask(s, text) && reach(s, from + (uint64_t)steps);
}

// a message with this text is sent to the clients within 20 s
static bool message_has(sp_sim *s, const char *words) {
    sp_buffer note = {0};
    bool found = false;
    for (int i = 0; i < 10000 && !found; i++) {
        uint32_t client;
        while (!found && sp__sim_next_message(s, &client, &note)) {
            sp__buffer_add(NULL, &note, "", 1);
            found = strstr((const char *)note.data, words) != NULL;
        }
        if (!found) nap();
    }
    sp__buffer_free(NULL, &note);
    return found;
}

TEST(pause_stops_the_hash) {
    sp_sim *s = start(0, true);
    REQUIRE(s);
    for (int i = 0; i < 5000 && state_of(s).step < 3; i++) nap();
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
        for (int i = 0; i < 5000 && state_of(s).step < from + 2 + (uint64_t)k; i++) nap();
        CHECK(ask(s, "{\"type\":\"pause\"}"));
        uint64_t step = state_of(s).step;
        for (int i = 0; i < 500 && shown != step; i++) {
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
    char text[sizeof beam + 32], *young;
    snprintf(text, sizeof text, "%s", beam);
    young = strstr(text, "5e4");
    REQUIRE(young);
    memcpy(young, "9e4", 3);
    put("beam.xml", text);
    for (int i = 0; i < 5000 && state_of(s).generation == old.generation; i++) nap();
    CHECK_INT(state_of(s).generation, old.generation + 1);
    CHECK_INT(state_of(s).step, 0);
    CHECK(run_to(s, 3) && state_of(s).hash != old.hash);
    uint64_t hash = state_of(s).hash;
    memcpy(young, "9x4", 3);
    put("beam.xml", text);
    CHECK(message_has(s, "the old version is kept") && state_of(s).hash == hash && state_of(s).step == 3);
    put("beam.xml", beam);
    for (int i = 0; i < 5000 && state_of(s).generation == old.generation + 1; i++) nap();
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
    CHECK(!ask(s, "{\"type\":\"scene\",\"number\":4}"));
    CHECK(!ask(s, "{\"type\":\"pin\",\"body\":1,\"node\":99}"));
    sp__sim_stop(&s);
}

static bool last_hash(const char *name, uint64_t *hash) {
    char *text = strstr(out, name);
    return text && (text = strchr(text + strlen(name) + 2, '"')) && (*hash = strtoull(text + 1, NULL, 16)) != 0;
}

// runs the command of the answer as a user would
static bool replay(uint64_t *hash) {
    char command[2048], *from = strstr(answer, "souple run"), *to = from ? strstr(from, "\"\n}") : NULL;
    if (!from || !to) return false;
    *to = 0;
    snprintf(command, sizeof command, "%s%s --json --quiet >%s 2>&1", SP_BINARY_DIR "/", from, path_of("replay.json"));
    int code = system(command);
    FILE *file = fopen(path_of("replay.json"), "r");
    if (!file) return false;
    out[fread(out, 1, sizeof out - 1, file)] = 0;
    fclose(file);
    return code == 0 && last_hash("\"hash\"", hash);
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

static bool stats_have(sp_sim *s, const char *word) {
    sp_buffer b = {0};
    for (int i = 0; i < 1000; i++) {
        b.size = 0;
        sp__sim_text(s, SP_SIM_STATS, 0, &b);
        sp__buffer_add(NULL, &b, "", 1);
        if (strstr((const char *)b.data, word)) break;
        nap();
    }
    bool found = strstr((const char *)b.data, word) != NULL;
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
    for (int i = 0; i < 10000; i++, nap()) {
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
    sp__sim_want(s, all, true);
    for (int i = 0; i < 2000; i++, nap()) {
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

TEST(recordings_and_scenes_are_written) {
    sp_sim *s = start(0, false);
    REQUIRE(s);
    char path[1024];
    static char text[1 << 20];
    CHECK(!ask(s, "{\"type\":\"record\",\"action\":\"stop\"}"));
    CHECK(ask(s, "{\"type\":\"record\",\"action\":\"start\"}"));
    CHECK(!ask(s, "{\"type\":\"record\",\"action\":\"start\"}"));
    CHECK(run_to(s, 20));
    CHECK(ask(s, "{\"type\":\"record\",\"action\":\"stop\"}"));
    char *file = strstr(answer, "files/");
    REQUIRE(file);
    file[strcspn(file, "\"")] = 0;
    snprintf(path, sizeof path, "%s/%.64s", path_of("out"), file + 6);
    FILE *in = fopen(path, "rb");
    REQUIRE(in);
    size_t size = fread(text, 1, sizeof text, in);
    fclose(in);
    CHECK(memcmp(text, "SPVREC1", 8) == 0);
    int texts = 0, states = 0, topologies = 0;
    size_t at = 8;
    while (at + 8 <= size) {
        uint32_t head[2];
        memcpy(head, text + at, 8);
        texts += head[0] == 0;
        if (head[0] == 1) states += text[at + 8 + 4] == 1, topologies += text[at + 8 + 4] == 2;
        at += 8 + (head[1] + 7) / 8 * 8;
    }
    CHECK(at == size && texts == 1 && topologies == 1);
    // 0.2 s of simulated time contain 12 frames at 60 per second; steps of 10 ms are not 16.7 ms apart
    CHECK(states > 9 && states < 23);
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

TEST(nothing_leaks) {
    char command[128];
    make_folder();
    snprintf(command, sizeof command, "rm -rf %s", folder);
    CHECK_INT(system(command), 0);
}
