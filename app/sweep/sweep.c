// `souple sweep`: runs a scene for every combination of given values.
#include "sweep/sweep.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/files.h"
#include "common/run_folder.h"
#include "run/summary.h"

enum { SET, OUT, JOBS, STEPS, TIME, THREADS, BACKEND, COLUMNS, RESUME, OVERWRITE, KEEP, ALLOW_PATH, JSON, QUIET };

static const sp_option options[] = {
    [SET] = {"--set", "PATH=VALUES", "v1,v2,... or a:b:n (equal steps) or a:b:n:log (equal ratios); may be repeated"},
    [OUT] = {"--out", "DIR", "where sweep.csv and sweep.html go; default: out/ and the scene's name with -sweep"},
    [JOBS] = {"--jobs", "N", "runs at the same time, 1..64; default 1"},
    [STEPS] = {"--steps", "N", "make N steps instead of what the scene says"},
    [TIME] = {"--time", "T", "simulate T seconds instead of what the scene says"},
    [THREADS] = {"--threads", "N", "threads of each run, 1..64; default: the cores divided by --jobs"},
    [BACKEND] = {"--backend", "NAME", "auto, ref, cpu, ... (`souple list backends`)"},
    [COLUMNS] = {"--columns", "A,B,...", "columns to plot; default: step time, iterations, the first probes"},
    [RESUME] = {"--resume", NULL, "go on with the table in DIR: what it has is not run again"},
    [OVERWRITE] = {"--overwrite", NULL, "start over where DIR has a table; files of the old sweep are removed"},
    [KEEP] = {"--keep", NULL, "keep the folder of every run, DIR/run-0001 and on (`souple report` reads them)"},
    [ALLOW_PATH] = {"--allow-path", "DIR", "a further folder that files may come from; may be repeated"},
    [JSON] = {"--json", NULL, "one JSON object on stdout, nothing else there"},
    [QUIET] = {"--quiet", NULL, "no progress, no summary"},
};

static bool take_number(sp_arguments *a, int option, const char *text, const char **keep) {
    double time;
    long steps;
    *keep = text;
    if (option == TIME) return sp__read_number(a, "--time", text, 1e-300, 1e300, &time);
    return sp__read_integer(a, "--steps", text, 1, LONG_MAX, &steps);
}

static bool sweep_take(sp_arguments *a, int option, char **values) {
    sp_sweep *s = a->user;
    sp_sweep_args *r = &s->args;
    char why[600];
    switch (option) {
    case SET: return sp__sweep_grid_add(&s->grid, values[0], why, sizeof why) || (sp__complain(a, "%s", why), false);
    case OUT: r->out = values[0]; return true;
    case JOBS: return sp__read_integer(a, "--jobs", values[0], 1, 64, &r->jobs);
    case STEPS: return take_number(a, option, values[0], &r->steps);
    case TIME: return take_number(a, option, values[0], &r->time);
    case THREADS: return sp__read_integer(a, "--threads", values[0], 1, 64, &r->threads);
    case BACKEND: r->backend = values[0]; return true;
    case COLUMNS: r->columns = values[0]; return true;
    case RESUME: return r->resume = true;
    case OVERWRITE: return r->overwrite = true;
    case KEEP: return r->keep = true;
    case JSON: return r->json = true;
    case QUIET: return r->quiet = true;
    default:
        if (r->allow_count == SP_LIST_MAX) return sp__complain(a, "--allow-path is given more than %d times", SP_LIST_MAX), false;
        r->allow[r->allow_count++] = values[0];
        return true;
    }
}

// ---- the folder

// scenes/beam.xml gives out/beam-sweep
static void default_folder(const char *scene, char *out, size_t size) {
    const char *slash = strrchr(scene, '/'), *name = slash ? slash + 1 : scene, *dot = strrchr(name, '.');
    int n = dot && dot > name ? (int)(dot - name) : (int)strlen(name);
    snprintf(out, size, "out/%.*s-sweep", n, name);
}

// the settings that must agree to resume a table, as a line of text
static void fingerprint(const sp_sweep_args *a, char *out, size_t size) {
    char hash[20] = "";
    sp__file_hash(a->scene, hash);
    snprintf(out, size, "scene %s, steps %s, time %s, backend %s, souple %s", hash, a->steps ? a->steps : "as it says",
             a->time ? a->time : "as it says", a->backend ? a->backend : "as it says", SP_VERSION_TEXT);
}

static bool read_line(const char *path, char *out, size_t size) {
    FILE *file = fopen(path, "r");
    bool good = file && fgets(out, (int)size, file);
    if (file) fclose(file);
    if (good) out[strcspn(out, "\n")] = 0;
    return good;
}

// removes the previous sweep: its table and page, and the files of its runs
static void clear_folder(const sp_sweep *s) {
    static const char *const endings[] = {".csv", ".html", ".txt"};
    char path[PATH_MAX + 16];
    int stem = (int)strlen(s->table.path) - 4;
    for (int i = 0; i < 3; i++) {
        snprintf(path, sizeof path, "%.*s%s", stem, s->table.path, endings[i]);
        remove(path);
    }
    for (long run = 1; run <= SP_SWEEP_RUNS; run++) {
        snprintf(path, sizeof path, "%s/run-%04ld", s->args.out, run);
        if (access(path, F_OK) != 0) continue;
        sp__run_folder_clear(path, s->args.scene);
        rmdir(path);  // fails if the folder contains other files, which stay
    }
    sp__run_folder_clear(s->args.out, s->args.scene);
}

// checks the folder and its table; returns the exit code on error
static int prepare(sp_sweep *s, const sp_arguments *a) {
    sp_sweep_args *r = &s->args;
    char path[PATH_MAX + 16], own[300], before[300], why[PATH_MAX + 200];
    if (!sp__make_folders(r->out, NULL)) return sp__complain(a, "--out %s: %s", r->out, strerror(errno));
    bool there = access(s->table.path, F_OK) == 0;
    if (there && !r->resume && !r->overwrite)
        return sp__complain(a, "%s already exists: --resume goes on with it, --overwrite starts over", s->table.path);
    char found[64];
    if (!r->overwrite && sp__run_folder_taken(r->out, found))
        return sp__complain(a, "--out %s: holds a run (%s); --overwrite removes its files, or choose another folder", r->out,
                            found);
    if (r->overwrite) clear_folder(s);
    snprintf(path, sizeof path, "%.*s.txt", (int)strlen(s->table.path) - 4, s->table.path);
    fingerprint(r, own, sizeof own);
    if (there && r->resume) {
        if (read_line(path, before, sizeof before) && strcmp(before, own) != 0)
            return sp__complain(a, "%s was made with %s; now it is %s: --overwrite starts over", s->table.path, before, own);
        s->skipped = sp__sweep_table_resume(&s->table, why, sizeof why);
        if (s->skipped < 0) return sp__complain(a, "%s", why);
        int status = sp__sweep_column(&s->table, "status");
        for (long i = 0; i < s->grid.runs; i++)
            if (s->table.rows[i].done) sp__sweep_count(s, sp__sweep_cell(&s->table, i, status));
    }
    FILE *file = fopen(path, "w");
    bool good = file && fprintf(file, "%s\n", own) > 0;
    if (file && fclose(file) != 0) good = false;
    if (!good) return sp__complain(a, "%s: %s", path, strerror(errno));
    return -1;
}

// ---- the end

static int exit_code(const sp_sweep *s) {
    if (s->stopped || s->failed) return SP_EXIT_FAILED;
    if (s->refused && !s->ok && !s->reserved && !s->missed) return SP_EXIT_USAGE;  // no value was accepted by the scene
    return s->refused ? SP_EXIT_FAILED : s->missed ? SP_EXIT_MISSED : SP_EXIT_DONE;
}

static void print_json(const sp_sweep *s, const char *page) {
    sp_json j = {.file = stdout};
    int code = exit_code(s);
    sp__json_open(&j, NULL, '{');
    sp__json_text(&j, "scene", s->args.scene);
    sp__json_text(&j, "status",
                  s->stopped               ? "stopped"
                  : code == SP_EXIT_DONE   ? "ok"
                  : code == SP_EXIT_MISSED ? "missed"
                                           : "failed");
    sp__json_integer(&j, "exit", code);
    sp__json_integer(&j, "runs", s->grid.runs);
    sp__json_integer(&j, "skipped", s->skipped);
    sp__json_integer(&j, "ok", s->ok), sp__json_integer(&j, "reservations", s->reserved);
    sp__json_integer(&j, "missed", s->missed);
    sp__json_integer(&j, "failed", s->failed), sp__json_integer(&j, "refused", s->refused);
    sp__json_text(&j, "table", s->table.path);
    sp__json_text(&j, "page", page);
    sp__json_close(&j, '}');
}

static void print_text(const sp_sweep *s, const char *page) {
    printf("%ld runs: %ld ok", s->grid.runs, s->ok);
    if (s->reserved) printf(", %ld with reservations", s->reserved);
    if (s->missed) printf(", %ld missed a claim", s->missed);
    if (s->failed) printf(", %ld failed", s->failed);
    if (s->refused) printf(", %ld refused", s->refused);
    if (s->skipped) printf("; %ld were there already", s->skipped);
    if (s->stopped) printf("; stopped on request, --resume goes on");
    printf("\n  table: %s\n  page:  %s\n", s->table.path, page);
}

static int run_all(sp_sweep *s) {
    char page[PATH_MAX], why[600];
    if (!sp__sweep_run(s)) return SP_EXIT_FAILED;
    snprintf(page, sizeof page, "%.*s.html", (int)strlen(s->table.path) - 4, s->table.path);
    if (!sp__sweep_table_write(&s->table))
        return fprintf(stderr, "souple sweep: %s: %s\n", s->table.path, strerror(errno)), SP_EXIT_FAILED;
    if (s->refused || s->failed)
        fprintf(stderr, "souple sweep: of %ld runs %ld were refused and %ld failed\n", s->grid.runs, s->refused, s->failed);
    if (!sp__sweep_page(s, page, why, sizeof why)) return fprintf(stderr, "souple sweep: %s\n", why), SP_EXIT_FAILED;
    if (s->args.json)
        print_json(s, page);
    else if (!s->args.quiet)
        print_text(s, page);
    return exit_code(s);
}

static int sweep(sp_sweep *s, const sp_arguments *a) {
    sp_sweep_args *r = &s->args;
    char folder[PATH_MAX], path[PATH_MAX];
    if (a->word_count < 1) return sp__complain(a, "which scene? (a file, or `souple list scenes`)");
    if (s->grid.axis_count == 0) return sp__complain(a, "--set PATH=V1,V2,... is needed: it says what varies");
    if (r->steps && r->time) return sp__complain(a, "--time and --steps: one of them");
    if (r->resume && r->overwrite) return sp__complain(a, "--resume and --overwrite: one of them");
    r->scene = a->words[0];
    if (access(r->scene, R_OK) != 0) return sp__complain(a, "%s: %s", r->scene, strerror(errno));
    default_folder(r->scene, folder, sizeof folder);
    if (!r->out) r->out = folder;
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    if (!r->threads) r->threads = cores / r->jobs > 1 ? (cores / r->jobs < 64 ? cores / r->jobs : 64) : 1;
    if (snprintf(path, sizeof path, "%s/sweep.csv", r->out) >= (int)sizeof path) return sp__complain(a, "--out: too long");
    if (!sp__sweep_table_start(&s->table, &s->grid, path)) return sp__complain(a, "out of memory");
    int code = prepare(s, a);
    if (code >= 0) return code;
    if (!r->quiet) fprintf(stderr, "%ld runs, into %s\n", s->grid.runs, r->out);
    return run_all(s);
}

static int sweep_main(const sp_command *command, int argc, char **argv) {
    sp_sweep s = {.args.jobs = 1};
    sp_arguments a = {.command = command, .take = sweep_take, .user = &s, .word_limit = 1};
    int code = sp__read_arguments(&a, argc, argv);
    if (code < 0) code = sweep(&s, &a);
    sp__sweep_table_free(&s.table);
    sp__sweep_grid_free(&s.grid);
    return code;
}

const sp_command sp__command_sweep = {
    .name = "sweep",
    .arguments = "SCENE",
    .summary = "Run a scene for every combination of some values, into one table and one page",
    .text = "Each run is a process of its own; one that fails or is refused is a row with its error, which is printed too.\n"
            "The table has the sets, the status, the final hash, times, iterations, the last values of probes and what claims\n"
            "saw. Ctrl-C stops, --resume goes on.\n"
            "Exit code: 0 all ok or with reservations, 1 some failed or it was stopped, 2 wrong usage or no run was possible, 3 "
            "a claim missed.",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .examples = "  souple sweep scenes/beam.xml --set beam.young=1e5,2e5,4e5 --set dt=0.005,0.01 --time 0.5\n"
                "  souple sweep scenes/beam.xml --set beam.young=1e4:1e6:9:log --jobs 2 --out stiffness\n"
                "  souple sweep scenes/beam.xml --set beam.young=1e4:1e6:17:log --jobs 2 --out stiffness --resume\n",
    .main = sweep_main,
};
