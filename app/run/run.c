// `souple run`: load, step, report. After any error the records are closed, the summary of the completed part is written, and the
// exit code is that of the kind of error.
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/files.h"
#include "common/run_folder.h"
#include "run/dump.h"
#include "run/steps.h"

enum {
    TIME,
    STEPS,
    OUT,
    OVERWRITE,
    THREADS,
    BACKEND,
    SET,
    EDITS,
    SAVE_EDITS,
    SAVE,
    EVERY,
    RESUME,
    REALTIME,
    PNG,
    PLOT,
    DUMP,
    ALLOW_PATH,
    STRICT,
    JSON,
    QUIET
};

static const sp_option options[] = {
    [TIME] = {"--time", "T", "simulate T seconds instead of what the scene says"},
    [STEPS] = {"--steps", "N", "make N steps instead of what the scene says"},
    [OUT] = {"--out", "DIR", "write records, steps.csv, the scene, a picture and summary.json there"},
    [OVERWRITE] = {"--overwrite", NULL, "with --out: remove the files of a run that is there already"},
    [THREADS] = {"--threads", "N", "threads that work in a step, 1..64; default: one per core"},
    [BACKEND] = {"--backend", "NAME", "auto, ref, cpu, ... (`souple list backends`)"},
    [SET] = {"--set", "PATH=VALUE", "write an attribute or a parameter; may be repeated"},
    [EDITS] = {"--edits", "LOG", "replay the edits of a log"},
    [SAVE_EDITS] = {"--save-edits", "LOG", "keep the edits that the run takes"},
    [SAVE] = {"--save-checkpoint", "FILE", "the whole run at its end, to go on from; also when it is stopped"},
    [EVERY] = {"--every", "N", "with --save-checkpoint: every N steps as well"},
    [RESUME] = {"--resume", "FILE", "go on from a checkpoint; --time and --steps count from the very start"},
    [REALTIME] = {"--realtime", NULL, "wait for the clock: no faster than real time"},
    [PNG] = {"--png", "FILE", "a picture of the last state"},
    [PLOT] = {"--plot", "FILE", "step times, iterations, residual, energy, probes; .svg or .png"},
    [DUMP] = {"--dump", "DIR",
              "contact problems as FCLIB files: of the first 100 steps with contacts, and of 100 more that did not converge"},
    [ALLOW_PATH] = {"--allow-path", "DIR", "a further folder that files may come from; may be repeated"},
    [STRICT] = {"--strict", NULL, "a run that ends with a reservation has failed: exit code 1"},
    [JSON] = {"--json", NULL, "one JSON object on stdout, nothing else there"},
    [QUIET] = {"--quiet", NULL, "no progress, no summary"},
};

typedef struct sp_run_args {
    sp_scene_args scene;
    double time;
    long steps, every;
    const char *out, *edits, *save_edits, *save, *resume, *png, *plot, *dump;
    bool realtime, strict, json, quiet;
} sp_run_args;

typedef struct sp_running {
    const sp_run_args *args;
    sp_session session;
    sp_summary summary;
    sp_progress progress;
    sp_steps steps;  // for --out and --plot
    sp_edit_log *replay, *save;
    sp_dump dump;
} sp_running;

static volatile sig_atomic_t stop_asked;

static void ask_stop(int signal) {
    stop_asked = signal;
}

// the first signal stops the run after the current step, the second one ends the program
static void run_watch_signals(void) {
    sp__watch_signals(ask_stop, true);
    // exceeding the file size limit is reported like any other file error
    signal(SIGXFSZ, SIG_IGN);
}

static bool run_take(sp_arguments *a, int option, char **values) {
    sp_run_args *r = a->user;
    bool bad;
    switch (option) {
    case TIME: return sp__read_number(a, "--time", values[0], 1e-300, 1e300, &r->time);
    case STEPS: return sp__read_integer(a, "--steps", values[0], 1, LONG_MAX, &r->steps);
    case OUT: r->out = values[0]; return true;
    case OVERWRITE: return r->scene.overwrite = true;
    case EDITS: r->edits = values[0]; return true;
    case SAVE_EDITS: r->save_edits = values[0]; return true;
    case SAVE: r->save = values[0]; return true;
    case EVERY: return sp__read_integer(a, "--every", values[0], 1, LONG_MAX, &r->every);
    case RESUME: r->resume = values[0]; return true;
    case PNG: r->png = values[0]; return true;
    case PLOT:
        r->plot = values[0];
        return sp_plot_suffix(values[0]) || (sp__complain(a, "--plot \"%s\": must end in .svg or .png", values[0]), false);
    case DUMP: r->dump = values[0]; return true;
    case REALTIME: return r->realtime = true;
    case STRICT: return r->strict = true;
    case JSON: return r->json = true;
    case QUIET: return r->quiet = true;
    default: return sp__take_scene_option(&r->scene, a, options[option].name, values, &bad) && !bad;
    }
}

// ---- stepping

static void keep_error(sp_running *r, sp_status status) {
    sp_error *e = &r->summary.error;
    *e = *sp_context_error(r->session.context);
    if (e->status != status) *e = (sp_error){.status = status, .index = -1};  // it failed without a sentence
    if (!e->message[0]) snprintf(e->message, sizeof e->message, "%s", sp_status_text(status));
    r->summary.outcome = SP_RUN_FAILED;
}

// sleeps until the wall clock has reached the simulated time; a signal interrupts it
static void wait_for_clock(const sp_running *r, double started_ms) {
    double due = started_ms + 1e3 * sp_run_dt(r->session.run) * (double)r->summary.steps;
    for (double left = due - sp__now_ms(); left > 0 && !stop_asked; left = due - sp__now_ms()) {
        struct timespec t = {.tv_sec = (time_t)(left / 1e3)};
        t.tv_nsec = (long)(1e6 * (left - 1e3 * (double)t.tv_sec));
        nanosleep(&t, NULL);
    }
}

static sp_status one_step(sp_running *r) {
    sp_session *s = &r->session;
    sp_status status = r->replay ? sp_edit_log_queue(r->replay, s->world) : SP_OK;
    if (status >= 0) status = sp_run_step(s->run);
    if (status < 0) return status;
    sp__summary_step(&r->summary, s);
    if (r->steps.row) sp__steps_add(&r->steps, s, &r->summary);
    status = r->save ? sp_edit_log_append(r->save, s->world) : SP_OK;
    if (status >= 0 && r->dump.folder) status = sp__dump_step(&r->dump, s);
    bool due = r->args->every > 0 && sp_world_steps(s->world) % (uint64_t)r->args->every == 0;
    return status >= 0 && due ? sp_run_save(s->run, r->args->save) : status;
}

static void step_all(sp_running *r) {
    sp_session *s = &r->session;
    double started = sp__now_ms();
    sp__progress_start(&r->progress, r->args->quiet, sp_run_steps_planned(s->run));
    while (!sp_run_done(s->run) && !stop_asked) {
        sp_status status = one_step(r);
        if (status < 0) {
            keep_error(r, status);
            break;
        }
        sp__progress_step(&r->progress, r->summary.steps, sp_world_time(s->world), sp_run_dt(s->run));
        if (r->args->realtime) wait_for_clock(r, started);
    }
    sp__progress_clear(&r->progress);
    r->summary.wall_ms = sp__now_ms() - started;
    if (stop_asked && r->summary.outcome == SP_RUN_OK && !sp_run_done(s->run)) r->summary.outcome = SP_RUN_STOPPED;
}

// ---- files of a run

static bool open_logs(sp_running *r) {
    sp_context *ctx = r->session.context;
    if (r->args->edits && sp_edit_log_open(ctx, r->args->edits, &r->replay) < 0) return false;
    return !r->args->save_edits || sp_edit_log_create(ctx, r->args->save_edits, &r->save) >= 0;
}

static void keep_file_error(sp_running *r) {
    r->summary.error.status = SP_IO;
    r->summary.outcome = SP_RUN_FAILED;
}

// writes a file of --out with `write`
static void write_in_folder(sp_running *r, const char *name, void (*write)(sp_running *r, FILE *file)) {
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/%s", r->args->out, name);
    FILE *file = fopen(path, "w");
    if (file) {
        write(r, file);
        bool broken = ferror(file) != 0;
        if (fclose(file) == 0 && !broken) return;
    }
    snprintf(r->summary.error.message, sizeof r->summary.error.message, "cannot write %.400s: %s", path, strerror(errno));
    keep_file_error(r);
}

// the table of steps, if an option needs it
static bool open_steps(sp_running *r) {
    char path[PATH_MAX];
    if (!r->args->out && !r->args->plot) return true;
    snprintf(path, sizeof path, "%s/steps.csv", r->args->out ? r->args->out : "");
    if (sp__steps_start(&r->steps, &r->session, r->args->out ? path : NULL)) return true;
    sp_error *e = &r->session.error;
    e->status = SP_IO;
    snprintf(e->message, sizeof e->message, "cannot write %.400s: %s", path, strerror(errno));
    fprintf(stderr, "souple run: %s\n", e->message);
    return false;
}

static void close_steps(sp_running *r) {
    sp_error *e = &r->summary.error;
    if (!sp__steps_finish(&r->steps) && r->summary.outcome != SP_RUN_FAILED) {
        snprintf(e->message, sizeof e->message, "cannot write %.400s/steps.csv", r->args->out);
        keep_file_error(r);
    }
    if (r->args->plot && !sp__steps_plot(&r->steps, &r->session, r->args->plot, e->message, sizeof e->message))
        keep_file_error(r);
}

static void write_scene(sp_running *r, FILE *file) {
    sp_scene_describe(r->session.scene, sp__print_to, file);
}

static void write_summary(sp_running *r, FILE *file) {
    sp__summary_json(&r->summary, &r->session, file);
}

// a picture of the last good state; its failure does not fail the run
static void write_picture(sp_running *r) {
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/picture.png", r->args->out);
    sp_picture_def def = sp_run_picture(r->session.run);
    if (sp_picture_write(r->session.world, r->session.run, &def, path) < 0)
        fprintf(stderr, "warning: no picture: %s\n", sp_context_error(r->session.context)->message);
}

static bool misses_claim(const sp_run *run) {
    for (int i = 0; i < sp_run_claim_count(run); i++) {
        sp_run_claim c;
        sp_run_claim_at(run, i, &c);
        if (!c.held) return true;
    }
    return false;
}

// closes files, checks the expectations, writes the picture: an error is reported but does not prevent the next action
static void run_finish(sp_running *r) {
    sp_session *s = &r->session;
    bool failed = r->summary.outcome == SP_RUN_FAILED;
    sp_status status = r->args->save && !failed ? sp_run_save(s->run, r->args->save) : SP_OK;
    if (status < 0) keep_error(r, status), failed = true;
    status = sp_run_finish(s->run);
    if (status < 0 && !failed) keep_error(r, status);
    status = sp_edit_log_close(&r->save);
    if (status < 0 && r->summary.outcome != SP_RUN_FAILED) keep_error(r, status);
    sp_edit_log_close(&r->replay);
    if (r->args->png) {
        sp_picture_def def = sp_run_picture(s->run);
        status = sp_picture_write(s->world, s->run, &def, r->args->png);
        if (status < 0 && r->summary.outcome != SP_RUN_FAILED) keep_error(r, status);
    }
    if (r->summary.outcome == SP_RUN_OK && misses_claim(s->run)) r->summary.outcome = SP_RUN_MISSED;
    if (r->summary.outcome == SP_RUN_OK && sp__summary_worst(&r->summary) > 0) r->summary.outcome = SP_RUN_RESERVED;
    close_steps(r);
    if (r->args->out) {
        write_picture(r);
        write_in_folder(r, "summary.json", write_summary);
    }
}

static void say_failure(const sp_running *r) {
    const sp_error *e = &r->summary.error;
    fprintf(stderr, "%s: failed in step %llu, after t = %g s: %s\n", r->args->scene.path,
            (unsigned long long)sp_world_steps(r->session.world) + 1, sp_world_time(r->session.world), e->message);
    if (e->body[0]) {
        fprintf(stderr, "  body \"%s\"", e->body);
        if (e->index >= 0) fprintf(stderr, ", node or element %lld", (long long)e->index);
        fputc('\n', stderr);
    }
    fprintf(stderr, "  the state of step %llu is kept\n", (unsigned long long)sp_world_steps(r->session.world));
}

static int written(int count) {
    return count < SP_DUMP_MOST ? count : SP_DUMP_MOST;
}

static int run_report(sp_running *r) {
    if (r->summary.outcome == SP_RUN_FAILED) say_failure(r);
    if (r->summary.outcome == SP_RUN_STOPPED) fprintf(stderr, "stopped on request\n");
    if (r->args->json)
        sp__summary_json(&r->summary, &r->session, stdout);
    else if (!r->args->quiet)
        sp__summary_text(&r->summary, &r->session, stdout);
    if (r->args->png && r->summary.outcome != SP_RUN_FAILED && !r->args->quiet && !r->args->json)
        printf("\n  picture: %s\n", r->args->png);
    if (r->dump.folder && !r->args->quiet && !r->args->json)
        printf("\n  contact problems: %d in %s%s\n", written(r->dump.solved) + written(r->dump.unsolved), r->args->dump,
               r->dump.solved + r->dump.unsolved ? "" : " (there were no contacts by constraints)");
    if (fflush(stdout) != 0 || ferror(stdout)) {
        fprintf(stderr, "souple run: cannot write the summary: %s\n", strerror(errno));
        return SP_EXIT_FAILED;
    }
    return sp__summary_exit(&r->summary);
}

static int run_refuse(sp_running *r, int code) {
    if (r->args->json) sp__json_refused(&r->session, r->args->scene.path, code);
    return code;
}

static int refuse_context(sp_running *r) {
    r->session.error = *sp_context_error(r->session.context);
    fprintf(stderr, "souple run: %s\n", r->session.error.message);
    return run_refuse(r, SP_EXIT_USAGE);
}

// checks that all outputs can be written now, not after an hour of simulation
static bool outputs_possible(sp_running *r) {
    const sp_run_args *a = r->args;
    const char *const files[][2] = {
        {"--png", a->png}, {"--plot", a->plot}, {"--save-edits", a->save_edits}, {"--save-checkpoint", a->save}};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        sp_error *e = &r->session.error;
        char why[420];
        if (!files[i][1] || sp__output_possible(files[i][1], a->out, why, sizeof why)) continue;
        *e = (sp_error){.status = SP_IO, .index = -1};
        snprintf(e->message, sizeof e->message, "%s %s", files[i][0], why);
        fprintf(stderr, "souple run: %s\n", e->message);
        return false;
    }
    return true;
}

// initial files of the --out folder, so that a killed run can be reported
static bool open_folder(sp_running *r) {
    sp_error *e = &r->summary.error;
    if (!r->args->out) return true;
    // a resumed run is incomplete again
    char summary[PATH_MAX];
    if (snprintf(summary, sizeof summary, "%s/summary.json", r->args->out) < (int)sizeof summary) remove(summary);
    if (!sp__run_folder_list(r->args->out, &r->session)) {
        snprintf(e->message, sizeof e->message, "cannot write %.300s/files.txt: %s", r->args->out, strerror(errno));
        keep_file_error(r);
    }
    if (!sp__run_keep_source(r->args->scene.path, r->args->out, e->message, sizeof e->message)) keep_file_error(r);
    write_in_folder(r, "scene.txt", write_scene);
    if (r->summary.outcome != SP_RUN_FAILED) return true;
    r->session.error = *e;
    fprintf(stderr, "souple run: %s\n", e->message);
    return false;
}

static int run_simulate(sp_running *r) {
    sp_run_options o = sp_run_options_default();
    if (!outputs_possible(r)) return run_refuse(r, SP_EXIT_USAGE);
    o.time = r->args->time, o.steps = r->args->steps, o.out = r->args->out, o.resume = r->args->resume;
    run_watch_signals();
    int code = sp__session_open(&r->session, &r->args->scene, &o);
    if (code != SP_EXIT_DONE) return run_refuse(r, code);
    if (!open_logs(r)) return refuse_context(r);
    r->dump.folder = r->args->dump;
    if (r->dump.folder && !sp__dump_open(&r->dump, r->session.error.message, sizeof r->session.error.message)) {
        r->session.error.status = SP_IO;
        fprintf(stderr, "souple run: %s\n", r->session.error.message);
        return run_refuse(r, SP_EXIT_USAGE);
    }
    if (!sp__summary_start(&r->summary, &r->session, r->args->scene.path)) {
        r->session.error.status = SP_NO_MEMORY;
        fprintf(stderr, "souple run: out of memory\n");
        return run_refuse(r, SP_EXIT_FAILED);
    }
    r->summary.strict = r->args->strict;
    r->summary.sets = r->args->scene.sets, r->summary.set_count = r->args->scene.set_count;
    if (!open_folder(r) || !open_steps(r)) return run_refuse(r, SP_EXIT_FAILED);
    step_all(r);
    run_finish(r);
    return run_report(r);
}

static int run_main(const sp_command *command, int argc, char **argv) {
    sp_run_args args = {.time = 0};
    sp_arguments a = {.command = command, .take = run_take, .user = &args, .word_limit = 1};
    int code = sp__read_arguments(&a, argc, argv);
    if (code >= 0) return code;
    if (a.word_count < 1) return sp__complain(&a, "which scene? (a file, or `souple list scenes`)");
    if (args.time > 0 && args.steps > 0) return sp__complain(&a, "--time and --steps: one of them");
    if (args.every && !args.save) return sp__complain(&a, "--every needs --save-checkpoint FILE");
    args.scene.path = a.words[0];
    sp_running r = {.args = &args};
    code = run_simulate(&r);
    sp_edit_log_close(&r.replay);
    sp_edit_log_close(&r.save);
    sp__steps_free(&r.steps);
    sp__summary_free(&r.summary);
    sp__session_close(&r.session);
    return code;
}

const sp_command sp__command_run = {
    .name = "run",
    .arguments = "SCENE",
    .summary = "Simulate a scene and check its claims",
    .text = "Ctrl-C stops at the next step and still writes everything down. Exit code: 0 done, 1 the simulation failed or was\n"
            "stopped, 2 wrong usage or scene, 3 a claim (`expect`) of the scene missed. A run whose result must be doubted\n"
            "(inverted elements at the end, an energy increase without external work, overlapping bodies, a solver at its limit) "
            "is done\n"
            "with reservations, which the summary lists with their numbers; with --strict its exit code is 1.",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .examples = "  souple run scenes/peers/beam-4.xml\n"
                "  souple run scenes/peers/beam-4.xml --set k=8 --time 0.5 --json\n"
                "  souple run scenes/peers/beam-4.xml --out results --png beam.png --plot beam.svg\n",
    .main = run_main,
};
