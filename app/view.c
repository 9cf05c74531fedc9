// `souple view`: an interactive simulation in a browser, or a recording. Prints the address; Ctrl-C ends it.
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/command.h"
#include "common/files.h"
#include "serve/server.h"

enum { PORT, LISTEN, TOKEN, THREADS, BACKEND, SET, PLAY, RESUME, OUT, PAGE, ALLOW_ORIGIN, FRAME, ALLOW_PATH, UNTIL_EOF };
#define DEFAULT_PORT 8765

static const sp_option options[] = {
    [PORT] = {"--port", "P", "port to listen on, 0: any; default: 8765, or the next that is free"},
    [LISTEN] = {"--listen", "ADDR", "address to listen on; default: 127.0.0.1, this machine only. Others need --token"},
    [TOKEN] = {"--token", "T", "clients must have this token in the address; at least 8 letters"},
    [THREADS] = {"--threads", "N", "threads that work in a step, 1..64; default: one per core"},
    [BACKEND] = {"--backend", "NAME", "auto, ref, cpu, ... (`souple list backends`)"},
    [SET] = {"--set", "PATH=VALUE", "write an attribute or a parameter; may be repeated"},
    [PLAY] = {"--play", NULL, "begin to play at once; default: paused"},
    [RESUME] = {"--resume", "FILE", "begin from a checkpoint of the scene; a reset begins without it"},
    [OUT] = {"--out", "DIR", "where recordings, edit logs and scenes are written; default: souple-view"},
    [PAGE] = {"--page", "DIR", "the page's files; default: those of this build"},
    [ALLOW_ORIGIN] = {"--allow-origin", "URL", "a further page that may connect, as http://localhost:5173"},
    [FRAME] = {"--frame", "URL", "a page that may show this one in a frame, as http://localhost:*; may be repeated"},
    [ALLOW_PATH] = {"--allow-path", "DIR", "a further folder that files may come from; may be repeated"},
    [UNTIL_EOF] = {"--until-eof", NULL, "end with the standard input: with the program that started it, however that ends"},
};

typedef struct sp_view_args {
    sp_scene_args scene;
    long port;  // -1: not given
    const char *listen, *token, *resume, *out, *page, *origin;
    char frames[SP_FRAMES_MAX];
    bool play, until_eof;
} sp_view_args;

// adds an origin of one word, as "http://localhost:*", to the list of a header
static bool take_frame(sp_arguments *a, sp_view_args *v, const char *origin) {
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-.:*/[]";
    size_t used = strlen(v->frames), n = strlen(origin);
    if (!strstr(origin, "://") || strspn(origin, letters) != n)
        return sp__complain(a, "--frame %s: must be the origin of a page, as http://localhost:8888 or http://localhost:*",
                            origin),
               false;
    if (used + n + 2 > sizeof v->frames)
        return sp__complain(a, "--frame: the origins have more than %d letters together", SP_FRAMES_MAX - 1), false;
    snprintf(v->frames + used, sizeof v->frames - used, "%s%s", used ? " " : "", origin);
    return true;
}

static bool view_take(sp_arguments *a, int option, char **values) {
    sp_view_args *v = a->user;
    bool bad;
    switch (option) {
    case PORT: return sp__read_integer(a, "--port", values[0], 0, 65535, &v->port);
    case LISTEN: v->listen = strcmp(values[0], "localhost") == 0 ? "127.0.0.1" : values[0]; return true;
    case TOKEN:
        v->token = values[0];
        return strlen(v->token) >= 8 || (sp__complain(a, "--token: must have at least 8 letters"), false);
    case PLAY: return v->play = true;
    case RESUME: v->resume = values[0]; return true;
    case OUT: v->out = values[0]; return true;
    case PAGE: v->page = values[0]; return true;
    case ALLOW_ORIGIN: v->origin = values[0]; return true;
    case FRAME: return take_frame(a, v, values[0]);
    case UNTIL_EOF: return v->until_eof = true;
    default: return sp__take_scene_option(&v->scene, a, options[option].name, values, &bad) && !bad;
    }
}

static bool is_loopback(const char *address) {
    return strncmp(address, "127.", 4) == 0 || strcmp(address, "::1") == 0;
}

#ifdef SP_HAVE_LWS

static sp_server *running;

static void ask_stop(int signal) {
    (void)signal;
    if (running) sp__server_stop(running);
}

// the first signal stops the server cleanly, the second one ends the program
static void view_watch_signals(void) {
    sp__watch_signals(ask_stop, true);
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
}

// the installed scenes and the given one; -1: no memory
static int make_gallery(sp_gallery *g, const char *scene, int *number) {
    sp_context_def def = sp_context_def_default();
    sp_context *ctx = NULL;
    char folder[PATH_MAX];
    def.workers = 1;
    *number = -1;
    if (sp_context_create(&def, &ctx) < 0) return -1;
    sp__scenes_folder(folder);
    bool good = sp__gallery_add_folder(g, ctx, folder);
    if (good && scene) good = (*number = sp__gallery_find(g, ctx, scene)) >= 0;
    sp_context_destroy(&ctx);
    return good ? 0 : -1;
}

// the given port, or the first free one from the default on
static sp_server *view_start(const sp_view_args *v, sp_server_def *def, char *why) {
    def->port = v->port >= 0 ? (int)v->port : DEFAULT_PORT;
    sp_server *s = sp__server_start(def, why);
    for (int i = 1; i < 20 && !s && v->port < 0 && strstr(why, "cannot listen"); i++) {
        def->port = DEFAULT_PORT + i;
        s = sp__server_start(def, why);
    }
    return s;
}

static void print_address(const sp_view_args *v, sp_server *s) {
    char host[256] = "localhost";
    const char *address = v->listen;
    if (strcmp(address, "0.0.0.0") == 0 || strcmp(address, "::") == 0) gethostname(host, sizeof host - 1);
    bool plain = is_loopback(address) && !v->token;
    if (strcmp(address, "0.0.0.0") != 0 && strcmp(address, "::") != 0)
        snprintf(host, sizeof host, strchr(address, ':') ? "[%s]" : "%s",
                 plain && strcmp(address, "127.0.0.1") == 0 ? "localhost" : address);
    printf("souple view: http://%s:%d/%s%s\n", host, sp__server_port(s), v->token ? "?token=" : "", v->token ? v->token : "");
    printf("  open it in a browser; Ctrl-C ends the simulation\n");
    fflush(stdout);
}

// a thread of its own
static void *wait_for_eof(void *server) {
    char ignored[256];
    while (read(STDIN_FILENO, ignored, sizeof ignored) > 0) continue;
    sp__server_stop(server);
    return NULL;
}

static void run_server(const sp_view_args *v, sp_server *s) {
    pthread_t waiting;
    const bool waits = v->until_eof && pthread_create(&waiting, NULL, wait_for_eof, s) == 0;
    running = s;
    view_watch_signals();
    print_address(v, s);
    sp__server_run(s);
    running = NULL;
    if (waits) pthread_cancel(waiting), pthread_join(waiting, NULL);
}

static int serve(const sp_view_args *v) {
    sp_gallery gallery = {0};
    int number;
    char why[SP_SIM_WHY] = "out of memory", page[PATH_MAX];
    sp__viewer_folder(page);
    bool recorded = v->scene.path && sp__is_recording(v->scene.path);
    bool good = make_gallery(&gallery, recorded ? NULL : v->scene.path, &number) == 0;
    sp_server_def def = {.address = v->listen, .token = v->token, .page = v->page ? v->page : page, .origin = v->origin};
    def.frames = v->frames[0] ? v->frames : NULL;
    def.sim = (sp_sim_def){.gallery = &gallery,
                           .scene = number,
                           .recording = recorded ? v->scene.path : NULL,
                           .sets = v->scene.sets,
                           .set_count = v->scene.set_count,
                           .allow = v->scene.allow,
                           .allow_count = v->scene.allow_count,
                           .threads = v->scene.threads,
                           .backend = v->scene.backend,
                           .resume = v->resume,
                           .out = v->out,
                           .playing = v->play};
    sp_server *s = good ? view_start(v, &def, why) : NULL;
    if (s) {
        run_server(v, s);
        printf("souple view: ended\n");
        sp__server_free(&s);
    } else {
        fprintf(stderr, "souple view: %s\n", why);
        good = false;
    }
    sp__gallery_free(&gallery);
    return good ? SP_EXIT_DONE : SP_EXIT_USAGE;
}

#else

static int serve(const sp_view_args *v) {
    (void)v;
    fprintf(stderr, "souple view: not in this build: install libwebsockets (Debian: libwebsockets-dev) and build again with "
                    "-DSP_VIEW=ON\n");
    return SP_EXIT_USAGE;
}

#endif

static int view_main(const sp_command *command, int argc, char **argv) {
    sp_view_args args = {.port = -1, .listen = "127.0.0.1", .out = "souple-view"};
    sp_arguments a = {.command = command, .take = view_take, .user = &args, .word_limit = 1};
    int code = sp__read_arguments(&a, argc, argv);
    if (code >= 0) return code;
    if (!is_loopback(args.listen) && !args.token)
        return sp__complain(&a, "--listen %s: others may reach this address, which needs --token T", args.listen);
    args.scene.path = a.word_count ? a.words[0] : NULL;
    bool recorded = args.scene.path && sp__is_recording(args.scene.path);
    if ((!args.scene.path || recorded) && args.scene.set_count) return sp__complain(&a, "--set needs a scene");
    if ((!args.scene.path || recorded) && args.resume) return sp__complain(&a, "--resume needs a scene");
    return serve(&args);
}

const sp_command sp__command_view = {
    .name = "view",
    .arguments = "[SCENE|RECORDING]",
    .summary = "Touch a simulation in a browser",
    .text =
        "Prints an address to open in a browser of this machine; without a scene the page shows those there are. Drag with the\n"
        "mouse, shift-click pins, ? on the page lists its keys. A scene file dropped onto the page is simulated. Several pages "
        "may\n"
        "watch, one at a time holds the controls.\n"
        "A recording (.xdmf or .h5) of `souple run` or of the page plays with a time slider.\n"
        "The protocol is described in docs/protocol.md.",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .examples = "  souple view\n"
                "  souple view scenes/beam.xml --play\n"
                "  souple view scenes/beam.xml --set k=8 --threads 2 --port 9000\n"
                "  souple view out/beam.h5\n"
                "  souple view scenes/beam.xml --listen 0.0.0.0 --token \"$(openssl rand -hex 16)\"\n",
    .main = view_main,
};
