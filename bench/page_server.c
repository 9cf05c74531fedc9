// Server and browser of `bench page`, in separate processes, as in normal use.
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/core.h"
#include "page.h"

#ifndef SP_SOURCE_DIR
#define SP_SOURCE_DIR "."
#endif

static const double timeout_ms = 30000;

double sp__page_clock(void) {
    return sp__bench_clock(true);
}

// ---------------------------------------------------------------------------------------------------- the scene

// A block on a wall that oscillates slowly, so that all nodes always move. Exactly 25 iterations per step, so that the cost of a
// step does not depend on the clients; strong damping, so that the effect of a drag ends before the next one.
static bool write_scene(const char *path, const int cells[3]) {
    FILE *f = fopen(path, "w");
    if (!f) return false;
    fprintf(
        f,
        "<scene version=\"1\" name=\"block\" gravity=\"0 -9.81 0\" dt=\"0.02\">\n"
        "  <solid name=\"block\" material=\"corotational\" density=\"1000\" young=\"3e4\" poisson=\"0.4\" rayleigh=\"20 0.02\">\n"
        "    <box size=\"%g %g %g\" cells=\"%d %d %d\" pattern=\"6\"/>\n"
        "    <move box=\"-0.001 -1 -1  0.001 1 1\" translate=\"0 0 {0.01*sin(pi*t/2)}\"/>\n"
        "    <solver type=\"cg\" tolerance=\"0\" iterations=\"25\"/>\n"
        "  </solid>\n"
        "</scene>\n",
        0.01 * cells[0], 0.01 * cells[1], 0.01 * cells[2], cells[0], cells[1], cells[2]);
    return fclose(f) == 0;
}

static bool make_scene(sp_page_server *s, const int cells[3]) {
    snprintf(s->folder, sizeof s->folder, "/tmp/souple-page-XXXXXX");
    if (!mkdtemp(s->folder)) {
        s->folder[0] = 0;
        return false;
    }
    snprintf(s->scene, sizeof s->scene, "%s/block.xml", s->folder);
    return write_scene(s->scene, cells);
}

// ---------------------------------------------------------------------------------------------------- processes

// the standard output of the child is read from *out
static pid_t page_server_start(const char *const *argv, int *out) {
    int ends[2];
    fflush(NULL);
    if (pipe(ends) != 0) return -1;
    pid_t pid = fork();
    if (pid == 0) {
        dup2(ends[1], STDOUT_FILENO);
        close(ends[0]), close(ends[1]);
        execvp(argv[0], (char *const *)argv);
        _exit(127);
    }
    close(ends[1]);
    if (pid < 0)
        close(ends[0]);
    else
        fcntl(ends[0], F_SETFD, FD_CLOEXEC), *out = ends[0];
    return pid;
}

// Reads until `word` followed by a complete line has arrived, the child closed its end, or the time is over.
static bool read_until(int in, const char *word, char *text, size_t size, double ms) {
    double end = sp__page_clock() + ms;
    size_t used = 0;
    text[0] = 0;
    while (used + 1 < size) {
        const char *at = word ? strstr(text, word) : NULL;
        if (at && strchr(at, '\n')) return true;
        struct pollfd p = {.fd = in, .events = POLLIN};
        double left = end - sp__page_clock();
        if (left <= 0 || poll(&p, 1, (int)left + 1) == 0) return false;
        ssize_t n = read(in, text + used, size - 1 - used);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return word == NULL;
        text[used += (size_t)n] = 0;
    }
    return false;
}

static void page_server_stop(pid_t pid, int *code) {
    int state = 0;
    *code = -1;
    if (pid <= 0) return;
    for (int tenths = 0; tenths < 50; tenths++) {
        pid_t ended = waitpid(pid, &state, WNOHANG);
        if (ended == pid || (ended < 0 && errno != EINTR)) {
            if (ended == pid && WIFEXITED(state)) *code = WEXITSTATUS(state);
            return;
        }
        if (tenths == 1) kill(pid, SIGTERM);
        poll(NULL, 0, 100);
    }
    kill(pid, SIGKILL);
    waitpid(pid, &state, 0);
}

// ---------------------------------------------------------------------------------------------------- the server

#ifdef SP_HAVE_LWS
static sp_status wait_for_address(sp_page_server *s) {
    char text[4096];
    if (!read_until(s->out, "http://", text, sizeof text, timeout_ms)) {
        fprintf(stderr, "bench page: the server printed no address: %.300s\n", text);
        return SP_IO;
    }
    const char *colon = strchr(strstr(text, "http://") + 7, ':');
    s->port = colon ? atoi(colon + 1) : 80;
    return SP_OK;
}

static sp_status start_server(sp_page_server *s, int threads) {
    char own[512], count[16];
    if (!sp__bench_command(own, sizeof own)) {
        fprintf(stderr, "bench page: the command souple was not found\n");
        return SP_IO;
    }
    snprintf(count, sizeof count, "%d", threads);
    const char *const argv[] = {own, "view", s->scene, "--port", "0", "--threads", count, NULL};
    s->pid = page_server_start(argv, &s->out);
    if (s->pid > 0) return wait_for_address(s);
    fprintf(stderr, "bench page: cannot start the server: %s\n", strerror(errno));
    s->pid = 0;
    return SP_IO;
}
#else
static sp_status start_server(sp_page_server *s, int threads) {
    (void)s, (void)threads;
    return SP_UNAVAILABLE;
}
#endif

sp_status sp__page_server_start(sp_page_server *s, const int cells[3], int threads) {
    *s = (sp_page_server){.out = -1};
    if (!make_scene(s, cells)) {
        fprintf(stderr, "bench page: cannot write a scene: %s\n", strerror(errno));
        sp__page_server_stop(s);
        return SP_IO;
    }
    sp_status status = start_server(s, threads);
    if (status < 0) sp__page_server_stop(s);
    return status;
}

void sp__page_server_stop(sp_page_server *s) {
    int code;
    page_server_stop(s->pid, &code);
    if (s->out >= 0) close(s->out);
    if (s->scene[0]) remove(s->scene);
    if (s->folder[0]) rmdir(s->folder);
    *s = (sp_page_server){.out = -1};
}

// ---------------------------------------------------------------------------------------------------- the browser

// the script prints a line of JSON, or a sentence that says what is missing
sp_status sp__page_browser(const sp_page_server *s, int samples, char *line, size_t size) {
    char url[64], count[16];
    int out = -1, code;
    snprintf(url, sizeof url, "http://127.0.0.1:%d/", s->port);
    snprintf(count, sizeof count, "%d", samples);
    const char *const argv[] = {"node", SP_SOURCE_DIR "/bench/page_browser.mjs", url, count, NULL};
    pid_t pid = page_server_start(argv, &out);
    if (pid < 0) return SP_IO;
    bool whole = read_until(out, NULL, line, size, 4 * timeout_ms);
    close(out);
    page_server_stop(pid, &code);
    line[strcspn(line, "\n")] = 0;
    if (whole && code == 0 && line[0] == '{') return SP_OK;
    if (!line[0]) snprintf(line, size, code == 127 ? "node is not there" : "the browser did not answer");
    return SP_UNAVAILABLE;
}
