// `souple render`: a picture of a scene at some time.
#include <limits.h>
#include <string.h>

#include "command.h"

enum { PNG, TIME, STEPS, SIZE, COLOR_BY, THREADS, BACKEND, SET, ALLOW_PATH, QUIET };

static const sp_option options[] = {
    [PNG] = {"--png", "FILE", "where the picture goes"},
    [TIME] = {"--time", "T", "at T seconds; default: where the scene stops"},
    [STEPS] = {"--steps", "N", "after N steps; 0: as it starts"},
    [SIZE] = {"--size", "W H", "pixels; default: the scene's camera, or 1280 720"},
    [COLOR_BY] = {"--color-by", "FIELD", "none, displacement, velocity, von-mises, rotation, refresh, region"},
    [THREADS] = {"--threads", "N", "threads that work in a step, 1..64; default: one per core"},
    [BACKEND] = {"--backend", "NAME", "auto, ref, cpu, ... (`souple list backends`)"},
    [SET] = {"--set", "PATH=VALUE", "write an attribute or a parameter; may be repeated"},
    [ALLOW_PATH] = {"--allow-path", "DIR", "a further folder that files may come from; may be repeated"},
    [QUIET] = {"--quiet", NULL, "no progress"},
};

typedef struct sp_render_args {
    sp_scene_args scene;
    const char *png, *color_by;
    double time;
    long steps, width, height;
    bool quiet;
} sp_render_args;

static bool known_field(const sp_arguments *a, const char *name) {
    static const char *const fields[] = {"none", "displacement", "velocity", "von-mises", "rotation", "refresh", "region"};
    return sp__check_word(a, "field", name, fields, 7);
}

static bool take(sp_arguments *a, int option, char **values) {
    sp_render_args *r = a->user;
    bool bad;
    switch (option) {
    case PNG: r->png = values[0]; return true;
    case TIME: return sp__read_number(a, "--time", values[0], 0, 1e300, &r->time);
    case STEPS: return sp__read_integer(a, "--steps", values[0], 0, LONG_MAX, &r->steps);
    case SIZE:
        return sp__read_integer(a, "--size", values[0], 16, 16384, &r->width) &&
               sp__read_integer(a, "--size", values[1], 16, 16384, &r->height);
    case COLOR_BY: r->color_by = values[0]; return known_field(a, values[0]);
    case QUIET: return r->quiet = true;
    default: return sp__take_scene_option(&r->scene, a, options[option].name, values, &bad) && !bad;
    }
}

static int fail(const sp_session *s, const sp_render_args *r, sp_status status) {
    const sp_error *e = sp_world_error(s->world);
    if (e->status != status) e = sp_context_error(s->context);
    fprintf(stderr, "%s: step %llu, t = %g s: %s\n", r->scene.path, (unsigned long long)sp_world_steps(s->world),
            sp_world_time(s->world), e->status == status ? e->message : sp_status_text(status));
    return SP_EXIT_FAILED;
}

// a time between two steps is the step before it
static bool reached(const sp_session *s, const sp_render_args *r) {
    if (r->steps >= 0) return (long)sp_world_steps(s->world) >= r->steps;
    if (r->time >= 0) return sp_world_time(s->world) + sp_run_dt(s->run) > r->time * (1 + 1e-12) + 1e-300;
    return sp_run_done(s->run);
}

static sp_status step_there(const sp_session *s, const sp_render_args *r) {
    sp_progress progress;
    sp_status status = SP_OK;
    long planned = r->steps >= 0 ? r->steps : r->time >= 0 ? (long)(r->time / sp_run_dt(s->run)) : sp_run_steps_planned(s->run);
    sp__progress_start(&progress, r->quiet, planned);
    while (status >= 0 && !reached(s, r)) {
        status = sp_run_step(s->run);
        sp__progress_step(&progress, (long)sp_world_steps(s->world), sp_world_time(s->world), sp_run_dt(s->run));
    }
    sp__progress_clear(&progress);
    return status;
}

static int render(const sp_session *s, const sp_render_args *r) {
    sp_status status = step_there(s, r);
    if (status < 0) return fail(s, r, status);
    sp_picture_def def = sp_run_picture(s->run);
    if (r->width) def.width = (int)r->width, def.height = (int)r->height;
    if (r->color_by) def.color_by = strcmp(r->color_by, "none") == 0 ? NULL : r->color_by;
    status = sp_picture_write(s->world, s->run, &def, r->png);
    return status < 0 ? fail(s, r, status) : SP_EXIT_DONE;
}

static int render_main(const sp_command *command, int argc, char **argv) {
    sp_render_args args = {.steps = -1, .time = -1};
    sp_arguments a = {.command = command, .take = take, .user = &args, .word_limit = 1};
    int code = sp__read_arguments(&a, argc, argv);
    if (code >= 0) return code;
    if (a.word_count < 1) return sp__complain(&a, "which scene?");
    if (!args.png) return sp__complain(&a, "--png FILE is needed");
    if (args.time >= 0 && args.steps >= 0) return sp__complain(&a, "--time and --steps: one of them");
    args.scene.path = a.words[0];
    sp_session s;
    sp_run_options o = sp_run_options_default();
    o.endless = args.time >= 0 || args.steps >= 0;
    code = sp__session_open(&s, &args.scene, &o);
    if (code == SP_EXIT_DONE) code = render(&s, &args);
    sp__session_close(&s);
    return code;
}

const sp_command sp__command_render = {
    .name = "render",
    .arguments = "SCENE --png FILE",
    .summary = "Take a picture of a scene",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .examples = "  souple render scenes/peers/beam-4.xml --png beam.png --color-by von-mises\n"
                "  souple render scenes/peers/beam-4.xml --png start.png --steps 0 --size 640 480\n",
    .main = render_main,
};
