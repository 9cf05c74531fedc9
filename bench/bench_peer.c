// Peer programs: run in sequence as child processes; each prints a line of JSON, from which numbers are read.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench.h"

#ifndef SP_BINARY_DIR
#define SP_BINARY_DIR "."
#endif

bool sp__bench_command(char *path, size_t size) {
    const char *given = getenv("SOUPLE_PROGRAM");
    if (given && *given) return snprintf(path, size, "%s", given) < (int)size && access(path, X_OK) == 0;
    char own[512];
    ssize_t n = readlink("/proc/self/exe", own, sizeof own - 1);
    if (n <= 0) return false;
    own[n] = 0;
    char *slash = strrchr(own, '/');
    return slash && snprintf(path, size, "%.*s/souple", (int)(slash - own), own) < (int)size && access(path, X_OK) == 0;
}

// in peers/ next to the command, or in peers/ of the build folder of this program
static bool find_peer(const char *name, char *path, size_t size) {
    char command[512];
    if (sp__bench_command(command, sizeof command)) {
        *strrchr(command, '/') = 0;
        int used = snprintf(path, size, "%s/peers/%s", command, name);
        if (used > 0 && (size_t)used < size && access(path, X_OK) == 0) return true;
    }
    int used = snprintf(path, size, "%s/peers/%s", SP_BINARY_DIR, name);
    return used > 0 && (size_t)used < size && access(path, X_OK) == 0;
}

static void child(const char *path, const char *const *args, int out) {
    char *argv[24] = {(char *)path};
    for (int i = 0; i < 22 && args[i]; i++) argv[i + 1] = (char *)args[i];
    dup2(out, STDOUT_FILENO);
    close(out);
    execv(path, argv);
    _exit(127);
}

static size_t read_all(int in, char *line, size_t size) {
    size_t used = 0;
    for (;;) {
        char rest[256];
        bool full = used + 1 >= size;  // the excess is read and dropped, so that the child can end
        ssize_t n = full ? read(in, rest, sizeof rest) : read(in, line + used, size - 1 - used);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) break;
        if (!full) used += (size_t)n;
    }
    line[used] = 0;
    line[strcspn(line, "\n")] = 0;
    return used;
}

sp_status sp__peer_run(const char *name, const char *const *args, char *line, size_t size) {
    char path[600];
    int ends[2], state = 0;
    line[0] = 0;
    if (!find_peer(name, path, sizeof path)) return SP_UNAVAILABLE;
    fflush(NULL);
    if (pipe(ends) != 0) return SP_IO;
    pid_t pid = fork();
    if (pid == 0) {
        close(ends[0]);
        child(path, args, ends[1]);
    }
    close(ends[1]);
    if (pid > 0) read_all(ends[0], line, size);
    close(ends[0]);
    if (pid < 0) return SP_IO;
    while (waitpid(pid, &state, 0) < 0 && errno == EINTR) {}
    if (!WIFEXITED(state) || WEXITSTATUS(state) != 0 || line[0] != '{') {
        fprintf(stderr, "bench: peer %s failed\n", path);
        return SP_IO;
    }
    return SP_OK;
}

int sp__peer_numbers(const char *line, const char *key, double *out, int capacity) {
    char quoted[80];
    snprintf(quoted, sizeof quoted, "\"%s\"", key);
    const char *s = strstr(line, quoted);
    if (!s) return 0;
    s += strlen(quoted);
    s += strspn(s, " :");
    bool list = *s == '[';
    int count = 0;
    if (list) s++;
    while (count < capacity) {
        char *end;
        double x = strtod(s, &end);
        if (end == s) break;
        out[count++] = x;
        s = end + strspn(end, " ,");
        if (!list) break;
    }
    return count;
}
