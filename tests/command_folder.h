// The command as its users run it: in a separate folder, with its output kept. A test program defines COMMAND_FOLDER, the
// folder's name, before it includes this.
#ifndef SP_TEST_COMMAND_FOLDER_H
#define SP_TEST_COMMAND_FOLDER_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "test.h"

#define SOUPLE SP_BINARY_DIR "/souple"
enum { TEXT_MAX = 4 << 20 };

static char folder[64], out[TEXT_MAX], err[TEXT_MAX];

static inline void make_folder(void) {
    if (folder[0]) return;
    strcpy(folder, "/tmp/" COMMAND_FOLDER "-XXXXXX");
    if (!mkdtemp(folder)) abort();
}

static inline const char *path_of(const char *name) {
    static char path[256];
    make_folder();
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

// returns the path of the written file
static inline const char *put(const char *name, const char *text) {
    FILE *file = fopen(path_of(name), "w");
    if (!file) abort();
    fputs(text, file);
    fclose(file);
    return path_of(name);
}

// up to room - 1 bytes and a zero; returns how many. A missing file is empty
static inline size_t get_some(const char *name, char *text, size_t capacity) {
    FILE *file = fopen(path_of(name), "r");
    size_t n = file ? fread(text, 1, capacity - 1, file) : 0;
    text[n] = 0;
    if (file) fclose(file);
    return n;
}

static inline bool is_there(const char *name) {
    return access(path_of(name), F_OK) == 0;
}

// runs `souple ARGUMENTS` in the folder; stdout and stderr are kept. Returns the exit code, -1 if it ended otherwise
static inline int souple(const char *arguments) {
    char command[1024];
    make_folder();
    snprintf(command, sizeof command, "cd %s && %s %s >.out 2>.err", folder, SOUPLE, arguments);
    int status = system(command);
    get_some(".out", out, sizeof out), get_some(".err", err, sizeof err);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

#endif
