// Where things are: an installed program finds its scenes beside itself, wherever the whole was moved.
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "command.h"

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
