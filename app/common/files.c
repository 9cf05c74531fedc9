// See files.h.
#include "common/files.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// ---- installed files

static bool is_folder(const char *path) {
    struct stat st;
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

// PREFIX/bin/souple: PREFIX/share/souple/NAME
static bool installed_folder(const char *name, char *out) {
    char program[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", program, sizeof program - 1);
    for (int up = 0; up < 2 && n > 0; up++)
        while (n > 0 && program[--n] != '/') continue;
    if (n < 0) return false;
    int length = snprintf(out, PATH_MAX, "%.*s/share/souple/%s", (int)n, program, name);
    return length < PATH_MAX && is_folder(out);
}

void sp__scenes_folder(char *out) {
    const char *own = getenv("SOUPLE_SCENES");
    if (own && *own)
        snprintf(out, PATH_MAX, "%s", own);
    else if (is_folder("scenes"))
        snprintf(out, PATH_MAX, "scenes");
    else if (!installed_folder("scenes", out))
        snprintf(out, PATH_MAX, "%s", SP_SOURCE_DIR "/scenes");
}

void sp__viewer_folder(char *out) {
    if (!installed_folder("viewer", out)) snprintf(out, PATH_MAX, "%s", SP_SOURCE_DIR "/viewer/dist");
}

// ---- kinds of files

bool sp__ends_in(const char *path, const char *const *endings) {
    size_t n = strlen(path);
    for (; *endings; endings++) {
        size_t m = strlen(*endings);
        if (n > m && strcmp(path + n - m, *endings) == 0) return true;
    }
    return false;
}

bool sp__is_recording(const char *path) {
    static const char *const endings[] = {".xdmf", ".h5", NULL};
    return sp__ends_in(path, endings);
}

// ---- output files

bool sp__make_folders(const char *path, bool *made) {
    char part[PATH_MAX];
    size_t n = strlen(path);
    bool fresh = false;
    if (n == 0 || n >= sizeof part) return errno = n ? ENAMETOOLONG : ENOENT, false;
    for (size_t i = 1; i <= n; i++) {
        if (path[i] != '/' && path[i] != 0) continue;
        memcpy(part, path, i);
        part[i] = 0;
        fresh = mkdir(part, 0777) == 0;
        if (!fresh && errno != EEXIST) return false;
    }
    if (made) *made = fresh;
    struct stat st;
    if (stat(path, &st) != 0) return false;
    return S_ISDIR(st.st_mode) || (errno = ENOTDIR, false);
}

bool sp__folder_of(const char *path, char out[PATH_MAX]) {
    const char *slash = strrchr(path, '/');
    if (!slash) return snprintf(out, PATH_MAX, "."), true;
    return snprintf(out, PATH_MAX, "%.*s", (int)(slash == path ? 1 : slash - path), path) < PATH_MAX;
}

// "results/" and "results" are the same folder
static bool same_folder(const char *a, const char *b) {
    size_t n = strlen(a), m = strlen(b);
    while (n > 1 && a[n - 1] == '/') n--;
    while (m > 1 && b[m - 1] == '/') m--;
    return n == m && strncmp(a, b, n) == 0;
}

bool sp__output_possible(const char *path, const char *folder, char *why, size_t size) {
    char parent[PATH_MAX];
    struct stat st;
    if (!path[0] || !sp__folder_of(path, parent)) return snprintf(why, size, "%.200s: no path of a file", path), false;
    if (stat(path, &st) == 0) {
        if (S_ISDIR(st.st_mode)) return snprintf(why, size, "%.300s: is a folder", path), false;
        return access(path, W_OK) == 0 || (snprintf(why, size, "%.300s: %s", path, strerror(errno)), false);
    }
    if (folder && same_folder(parent, folder)) return true;
    if (stat(parent, &st) != 0 || !S_ISDIR(st.st_mode))
        return snprintf(why, size, "%.200s: there is no folder %.200s", path, parent), false;
    return access(parent, W_OK | X_OK) == 0 || (snprintf(why, size, "%.300s: %s", path, strerror(errno)), false);
}
