// The command under limits of time, memory and file size, for hostile input.
#ifndef SP_TEST_LIMITED_H
#define SP_TEST_LIMITED_H

#include <fcntl.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "test.h"

#if SANITIZED
enum { LIMITED_MEMORY = 0, LIMITED_SECONDS = 60 };
#else
enum { LIMITED_MEMORY = 1 << 30, LIMITED_SECONDS = 10 };  // a good file of this size takes 20 MB and 20 ms
#endif
enum { LIMITED_OUTPUT = 1 << 16 };

static inline void limit_to(int what, rlim_t value) {
    setrlimit(what, &(struct rlimit){value, value});
}

static inline void become_souple(char *const argv[], int out) {
    int null = open("/dev/null", O_RDONLY);
    dup2(null, 0), dup2(out, 1), dup2(out, 2);
    if (LIMITED_MEMORY) limit_to(RLIMIT_AS, LIMITED_MEMORY);
    limit_to(RLIMIT_CPU, LIMITED_SECONDS);
    limit_to(RLIMIT_FSIZE, 1 << 20);
    alarm(3 * LIMITED_SECONDS);  // for a process that sleeps; a busy machine must not make a test fail
    execv(SP_BINARY_DIR "/souple", argv);
    _exit(127);
}

// stores the output, up to LIMITED_OUTPUT - 1 bytes; returns the wait status
static inline int run_limited(char *const argv[], char *output) {
    int ends[2], status = -1;
    size_t length = 0;
    if (pipe(ends)) return -1;
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        become_souple(argv, ends[1]);
    }
    close(ends[1]);
    char rest[4096];
    ssize_t got;
    while ((got = read(ends[0], length < LIMITED_OUTPUT - 1 ? output + length : rest,
                       length < LIMITED_OUTPUT - 1 ? LIMITED_OUTPUT - 1 - length : sizeof rest)) > 0)
        if (length < LIMITED_OUTPUT - 1) length += (size_t)got;
    output[length] = 0;
    close(ends[0]);
    if (child > 0) waitpid(child, &status, 0);
    return status;
}

#endif
