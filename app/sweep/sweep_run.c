// See sweep.h: each run is a process of the same program, `souple run ... --json`, so that a crash is a row like any other.
// Children are in their own process groups, so that Ctrl-C reaches them only once, through this process.
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "sweep/sweep.h"

enum { JOBS_MAX = 64 };

typedef struct job {
    pid_t child;  // 0: free
    long run;
    FILE *out, *err;
    double started_ms;
} job;

static volatile sig_atomic_t stop_asked;

static void ask_stop(int signal) {
    stop_asked = signal;
}

// ---- start

typedef struct words {
    char *list[2 * (SP_SWEEP_AXES + SP_LIST_MAX) + 24];
    char text[SP_SWEEP_AXES][1200];
    char folder[PATH_MAX], threads[16];
    int count;
} words;

static void add_word(words *w, const char *word) {
    w->list[w->count++] = (char *)word;
    w->list[w->count] = NULL;
}

static void add_pair(words *w, const char *option, const char *value) {
    if (value) add_word(w, option), add_word(w, value);
}

static void make_words(const sp_sweep *s, long run, words *w) {
    const sp_sweep_args *a = &s->args;
    int index[SP_SWEEP_AXES];
    w->count = 0;
    add_word(w, "souple"), add_word(w, "run"), add_word(w, a->scene), add_word(w, "--json"), add_word(w, "--quiet");
    add_pair(w, "--steps", a->steps), add_pair(w, "--time", a->time), add_pair(w, "--backend", a->backend);
    snprintf(w->threads, sizeof w->threads, "%ld", a->threads);
    add_pair(w, "--threads", w->threads);
    for (int i = 0; i < a->allow_count; i++) add_pair(w, "--allow-path", a->allow[i]);
    sp__sweep_point(&s->grid, run, index);
    for (int i = 0; i < s->grid.axis_count; i++) {
        const sp_sweep_axis *axis = &s->grid.axes[i];
        snprintf(w->text[i], sizeof w->text[i], "%s=%s", axis->path, axis->values[index[i]]);
        add_pair(w, "--set", w->text[i]);
    }
    snprintf(w->folder, sizeof w->folder, "%s/run-%04ld", a->out, run + 1);
    // removes the files of an interrupted run
    if (a->keep) add_pair(w, "--out", w->folder), add_word(w, "--overwrite");
}

// never returns
static void become(const words *w, const job *j) {
    int nothing = open("/dev/null", O_RDONLY);
    struct sigaction action = {.sa_handler = SIG_DFL};
    setpgid(0, 0);
    sigaction(SIGINT, &action, NULL), sigaction(SIGTERM, &action, NULL);
    if (nothing >= 0 && dup2(nothing, 0) == 0 && dup2(fileno(j->out), 1) == 1 && dup2(fileno(j->err), 2) == 2) {
        execv("/proc/self/exe", w->list);
        execvp("souple", w->list);
    }
    _exit(127);
}

static bool run_start(const sp_sweep *s, job *j, long run, words *w) {
    *j = (job){.run = run, .out = tmpfile(), .err = tmpfile(), .started_ms = sp__now_ms()};
    make_words(s, run, w);
    fflush(NULL);
    j->child = j->out && j->err ? fork() : -1;
    if (j->child == 0) become(w, j);
    if (j->child > 0) return true;
    fprintf(stderr, "souple sweep: cannot start a run: %s\n", strerror(errno));
    if (j->out) fclose(j->out);
    if (j->err) fclose(j->err);
    j->child = 0;
    return false;
}

// ---- end

static char *whole(FILE *file, size_t *size) {
    long n = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
    char *text = n >= 0 ? malloc((size_t)n + 1) : NULL;
    rewind(file);
    *size = text ? fread(text, 1, (size_t)n, file) : 0;
    if (text) text[*size] = 0;
    return text;
}

// a child without a summary: its exit status, and the last line of its output
static void fill_dead(sp_sweep *s, const job *j, int state) {
    size_t size;
    char *said = whole(j->err, &size);
    while (said && size && said[size - 1] == '\n') said[--size] = 0;
    const char *last = said ? strrchr(said, '\n') : NULL;
    last = last ? last + 1 : said ? said : "";
    sp__sweep_set(&s->table, j->run, "status", "failed");
    if (WIFSIGNALED(state)) {
        sp__sweep_set(&s->table, j->run, "exit", "%d", 128 + WTERMSIG(state));
        sp__sweep_set(&s->table, j->run, "error", "ended by signal %d%s%.400s", WTERMSIG(state), *last ? ": " : "", last);
    } else {
        sp__sweep_set(&s->table, j->run, "exit", "%d", WEXITSTATUS(state));
        sp__sweep_set(&s->table, j->run, "error", "%.500s", *last ? last : "said nothing");
    }
    free(said);
}

void sp__sweep_count(sp_sweep *s, const char *status) {
    if (strcmp(status, "ok") == 0)
        s->ok++;
    else if (strcmp(status, "reservations") == 0)
        s->reserved++;
    else if (strcmp(status, "missed") == 0)
        s->missed++;
    else if (strcmp(status, "refused") == 0)
        s->refused++;
    else
        s->failed++;
}

static void run_say(const sp_sweep *s, const job *j, const char *status, double started_ms) {
    long done = s->ok + s->reserved + s->missed + s->failed + s->refused - s->skipped, all = s->grid.runs - s->skipped;
    char point[160], left[32] = "";
    if (s->args.quiet) return;
    sp__sweep_point_text(&s->grid, j->run, point, sizeof point);
    double each = (sp__now_ms() - started_ms) / (double)done;
    if (done < all) snprintf(left, sizeof left, ", %.3g s left", 1e-3 * each * (double)(all - done));
    fprintf(stderr, "%ld/%ld  %s: %s in %.3g s%s\n", done, all, point, status, 1e-3 * (sp__now_ms() - j->started_ms), left);
}

// a refused or failed run: prints the reason to stderr, also in quiet mode
static void say_wrong(const sp_sweep *s, const job *j, const char *status) {
    char point[160];
    if (strcmp(status, "refused") != 0 && strcmp(status, "failed") != 0) return;
    sp__sweep_point_text(&s->grid, j->run, point, sizeof point);
    fprintf(stderr, "souple sweep: %s: %s: %s\n", point, status,
            sp__sweep_cell(&s->table, j->run, sp__sweep_column(&s->table, "error")));
}

// the row of a finished run; a run stopped on request has no row
static bool run_finish(sp_sweep *s, job *j, int state, double started_ms) {
    size_t size;
    sp_json_tree tree = {.text = NULL};
    char *text = whole(j->out, &size);
    bool summary = text && sp__json_parse(&tree, text, size) && tree.root->kind == SP_JSON_OBJECT, good = true;
    bool stopped = stop_asked && (!summary || strcmp(sp__json_get_text(tree.root, "status"), "stopped") == 0);
    if (!stopped) {
        if (summary)
            sp__sweep_fill(&s->table, j->run, tree.root);
        else
            fill_dead(s, j, state);
        const char *status = sp__sweep_cell(&s->table, j->run, sp__sweep_column(&s->table, "status"));
        sp__sweep_count(s, status);
        run_say(s, j, status, started_ms);
        say_wrong(s, j, status);
        good = !s->table.broken && sp__sweep_table_append(&s->table, j->run);
        if (!good) fprintf(stderr, "souple sweep: %s: %s\n", s->table.path, s->table.broken ? "out of memory" : strerror(errno));
    }
    sp__json_free(&tree);
    free(text);
    fclose(j->out), fclose(j->err);
    j->child = 0;
    return good;
}

// ---- all of them

static int running(const job *jobs, long count) {
    int n = 0;
    for (long i = 0; i < count; i++) n += jobs[i].child > 0;
    return n;
}

static void stop_all(const job *jobs, long count) {
    for (long i = 0; i < count; i++)
        if (jobs[i].child > 0) kill(jobs[i].child, SIGTERM);
}

static long next_run(const sp_sweep *s, long from) {
    while (from < s->grid.runs && s->table.rows[from].done) from++;
    return from;
}

// sleeps instead of waitpid, which would block if a signal arrives just before it
static void sleep_briefly(void) {
    const struct timespec moment = {.tv_nsec = 4000000};
    nanosleep(&moment, NULL);
}

bool sp__sweep_run(sp_sweep *s) {
    job jobs[JOBS_MAX] = {{0}};
    static words w;
    bool good = true, reported = false;
    double started = sp__now_ms();
    long next = next_run(s, 0);
    sp__watch_signals(ask_stop, false);
    for (;;) {
        for (long i = 0; good && !stop_asked && i < s->args.jobs && next < s->grid.runs; i++)
            if (jobs[i].child == 0 && (good = run_start(s, &jobs[i], next, &w))) next = next_run(s, next + 1);
        if (running(jobs, s->args.jobs) == 0) break;
        if ((stop_asked || !good) && !reported) stop_all(jobs, s->args.jobs), reported = true;
        int state = 0;
        pid_t child = waitpid(-1, &state, WNOHANG);
        if (child < 0 && errno != EINTR) break;
        if (child == 0) sleep_briefly();
        for (long i = 0; child > 0 && i < s->args.jobs; i++)
            if (jobs[i].child == child) good = run_finish(s, &jobs[i], state, started) && good;
    }
    s->stopped = stop_asked != 0;
    return good;
}
