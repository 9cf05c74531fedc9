// Progress and interruption of a run: a bar that overwrites itself on a terminal, a plain line at intervals in a pipe. It goes to
// stderr, so that stdout contains only results.
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "common/command.h"

static const double bar_every_ms = 100, first_line_ms = 3000, line_every_ms = 10000;

static bool draws_utf8(void) {
    static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    for (int i = 0; i < 3; i++) {
        const char *value = getenv(names[i]);
        if (value && *value) return strstr(value, "UTF-8") || strstr(value, "utf8");
    }
    return false;
}

static int terminal_width(void) {
    struct winsize size;
    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
    const char *columns = getenv("COLUMNS");
    int n = columns ? atoi(columns) : 0;
    return n > 0 ? n : 80;
}

void sp__progress_start(sp_progress *p, bool quiet, long planned) {
    const char *term = getenv("TERM");
    *p = (sp_progress){.quiet = quiet, .planned = planned, .fine = draws_utf8()};
    p->terminal = isatty(STDERR_FILENO) && term && strcmp(term, "dumb") != 0;
    p->started_ms = p->last_ms = sp__now_ms();
    p->next_ms = p->started_ms + (p->terminal ? bar_every_ms : first_line_ms);
}

// "12.3 s", "4:05", "1:02:03"
static void time_text(double seconds, char *out, size_t size) {
    long s = (long)(seconds + 0.5);
    if (seconds < 60)
        snprintf(out, size, "%.1f s", seconds);
    else if (s < 3600)
        snprintf(out, size, "%ld:%02ld", s / 60, s % 60);
    else
        snprintf(out, size, "%ld:%02ld:%02ld", s / 3600, s / 60 % 60, s % 60);
}

static void state_text(const sp_progress *p, long steps, double time, double dt, double now, char *out, size_t size) {
    double spent = now - p->started_ms, each = spent / (double)steps;
    char left[32] = "", count[48];
    if (p->planned > 0) {
        char eta[24];
        time_text(1e-3 * each * (double)(p->planned - steps), eta, sizeof eta);
        snprintf(left, sizeof left, ", %s left", eta);
        snprintf(count, sizeof count, "%ld/%ld", steps, p->planned);
    } else {
        snprintf(count, sizeof count, "%ld", steps);
    }
    if (p->each) {
        snprintf(out, size, "%s %s, %.3g ms each%s", p->each, count, each, left);
        return;
    }
    snprintf(out, size, "t %.4g s, step %s, %.3g ms/step, %.3g x real time%s", time, count, each, 1e3 * dt / each, left);
}

static void draw_bar(const sp_progress *p, long steps, const char *text) {
    int width = terminal_width() - (int)strlen(text) - 10;
    double share = p->planned > 0 ? (double)steps / (double)p->planned : 0;
    share = share > 1 ? 1 : share;
    fputc('\r', stderr);
    if (p->planned > 0 && width >= 8) {
        width = width > 40 ? 40 : width;
        int full = (int)(share * width + 0.5);
        for (int i = 0; i < width; i++)
            fputs(i < full ? (p->fine ? "\xe2\x94\x81" : "=") : (p->fine ? "\xe2\x94\x80" : "-"), stderr);
        fprintf(stderr, " %3.0f %% ", 100 * share);
    }
    fprintf(stderr, " %.*s\033[K", terminal_width() - 2, text);
    fflush(stderr);
}

void sp__progress_step(sp_progress *p, long steps, double time, double dt) {
    if (p->quiet || steps < 1) return;
    double now = sp__now_ms();
    if (now < p->next_ms) return;
    char text[160];
    state_text(p, steps, time, dt, now, text, sizeof text);
    if (p->terminal)
        draw_bar(p, steps, text);
    else
        fprintf(stderr, "%s\n", text);
    p->shown = true;
    p->next_ms = now + (p->terminal ? bar_every_ms : line_every_ms);
}

void sp__progress_clear(sp_progress *p) {
    if (!p->terminal || !p->shown) return;
    fputs("\r\033[K", stderr);
    fflush(stderr);
    p->shown = false;
}

void sp__watch_signals(void (*stop)(int signal), bool once) {
    struct sigaction action = {.sa_handler = stop, .sa_flags = once ? (int)SA_RESETHAND : 0};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}
