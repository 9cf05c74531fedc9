// A simulation of `souple view` without its server: scenes, messages as a client sends them, and what comes back. A test defines
// COMMAND_FOLDER first.
#ifndef SP_UNIT_SERVE_RIG_H
#define SP_UNIT_SERVE_RIG_H

#include <math.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
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

static const char probed[] = "<scene version=\"1\" name=\"probed\" dt=\"0.01\">\n"
                             "  <solid name=\"cube\" density=\"1000\" young=\"5e4\" poisson=\"0.3\">\n"
                             "    <box size=\"0.1 0.1 0.1\" cells=\"2 2 2\"/>\n"
                             "    <fix box=\"-0.001 0 0  0.001 0.1 0.1\"/>\n"
                             "    <probe name=\"tip\" point=\"0.1 0.05 0.05\" quantity=\"position velocity\" every=\"2\"/>\n"
                             "    <probe name=\"energy\" quantity=\"kinetic\" period=\"0.015\"/>\n"
                             "    <probe name=\"all\" box=\"0 0 0 1 1 1\" quantity=\"position\"/>\n"
                             "  </solid>\n"
                             "</scene>\n";
static const char nut[] = "<scene version=\"1\" name=\"nut\" dt=\"0.01\">\n"
                          "  <rigid name=\"nut\" motion=\"free\"><box size=\"0.1 0.1 0.1\"/></rigid>\n"
                          "  <rigid name=\"table\"><box size=\"1 0.1 1\" translate=\"0 -0.5 0\"/></rigid>\n"
                          "</scene>\n";

// a soft block and a stone on the ground, and a kinematic paddle
static const char play[] =
    "<scene version=\"1\" name=\"play\" dt=\"0.01\">\n"
    "  <rigid name=\"ground\"><plane normal=\"0 1 0\"/></rigid>\n"
    "  <solid name=\"block\" young=\"2e4\" poisson=\"0.3\"><box size=\"0.2 0.1 0.2\" cells=\"2 1 2\"/></solid>\n"
    "  <rigid name=\"stone\" motion=\"free\" translate=\"0.5 0.05 0\"><sphere radius=\"0.05\"/></rigid>\n"
    "  <rigid name=\"paddle\" motion=\"kinematic\" translate=\"-0.5 0.1 0\"><box size=\"0.1 0.1 0.1\"/></rigid>\n"
    "  <contact formulation=\"proximity\" friction=\"0.4\"/>\n"
    "</scene>\n";
enum { PLAY = 6, NUT = 5 };  // numbers of the scenes

static sp_gallery gallery;
static sp_context *ctx;

static inline sp_sim *start(int scene, bool playing) {
    char why[SP_SIM_WHY];
    if (!gallery.count) {
        sp_context_def def = sp_context_def_default();
        def.workers = 1;
        if (sp_context_create(&def, &ctx) < 0) abort();
        put("sleeve.obj", sleeve_obj);
        sp__gallery_find(&gallery, ctx, put("play.xml", play));
        sp__gallery_find(&gallery, ctx, put("nut.xml", nut));
        sp__gallery_find(&gallery, ctx, put("probed.xml", probed));
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

enum { PATIENCE = 15000 };  // naps until something counts as missing: half a minute, for a machine that is busy with other work

static inline void nap(void) {
    nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
}

// the answer to a message with id 1 is stored in `answer`; false: refused, or none came
static char answer[32768];
static inline bool ask(sp_sim *s, const char *text) {
    sp_message m;
    char why[SP_WHY_MAX];
    if (sp__message_read(text, strlen(text), &m, why) != SP_WIRE_GOOD) return SP_TEST_FAILED("%s: %s", text, why), false;
    m.id = 1, m.given |= SP_GIVEN_ID;
    if (!sp__sim_post(s, 5, &m)) return false;
    sp_buffer note = {0};
    for (int i = 0; i < PATIENCE; i++) {
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

static inline sp_sim_state state_of(sp_sim *s) {
    sp_sim_state state;
    sp__sim_state(s, &state);
    return state;
}

// waits until the simulation is paused at a step
static inline bool reach(sp_sim *s, uint64_t step) {
    for (int i = 0; i < PATIENCE && state_of(s).step < step; i++) nap();
    return state_of(s).step == step;
}

static inline bool run_to(sp_sim *s, int steps) {
    char text[64];
    uint64_t from = state_of(s).step;
    snprintf(text, sizeof text, "{\"type\":\"step\",\"count\":%d}", steps);
    return ask(s, text) && reach(s, from + (uint64_t)steps);
}

// a message with this text is sent to the clients
static inline bool message_has(sp_sim *s, const char *words) {
    sp_buffer note = {0};
    bool found = false;
    for (int i = 0; i < PATIENCE && !found; i++) {
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

static inline bool hello_has(sp_sim *s, const char *words) {
    sp_buffer hello = {0};
    sp__sim_hello(s, &hello);
    sp__buffer_add(NULL, &hello, "", 1);
    bool found = strstr((const char *)hello.data, words) != NULL;
    sp__buffer_free(NULL, &hello);
    return found;
}

// the message follows the state of a step
static inline bool hello_gains(sp_sim *s, const char *words) {
    for (int i = 0; i < PATIENCE && !hello_has(s, words); i++) nap();
    return hello_has(s, words);
}
static inline bool hello_loses(sp_sim *s, const char *words) {
    for (int i = 0; i < PATIENCE && hello_has(s, words); i++) nap();
    return !hello_has(s, words);
}

static inline bool last_hash(const char *name, uint64_t *hash) {
    char *text = strstr(out, name);
    return text && (text = strchr(text + strlen(name) + 2, '"')) && (*hash = strtoull(text + 1, NULL, 16)) != 0;
}

// runs the command of the answer as a user would
static inline bool replay(uint64_t *hash) {
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

static inline bool with_hdf5(void) {
    sp_recording *r;
    sp_context *c = NULL;
    bool with = sp_context_create(NULL, &c) >= 0 && sp_recording_open(c, "none.h5", &r) != SP_UNAVAILABLE;
    sp_context_destroy(&c);
    return with;
}

// the file that the last answer names, in the folder of files
static inline const char *answered_file(void) {
    static char name[128];
    const char *file = strstr(answer, "files/");
    snprintf(name, sizeof name, "%.*s", file ? (int)strcspn(file + 6, "\"") : 0, file ? file + 6 : "");
    return name;
}

static inline bool ask_open(sp_sim *s, const char *name) {
    char text[256];
    snprintf(text, sizeof text, "{\"type\":\"open\",\"file\":\"%s\"}", name);
    return ask(s, text);
}

#endif
