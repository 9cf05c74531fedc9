// The main function of every test program.
//
//     unit_linear                      every test of the program
//     unit_linear unit/precond         the tests of one file
//     unit_linear unit/precond spd     of these, the ones whose name contains a word
//     unit_linear spd                  the same in every file
#include <stdbool.h>
#include <stddef.h>
#include <time.h>

#include "test.h"

int sp_test_failures;

static sp_test *tests, **tests_end = &tests;

// Constructors call this: the tests of a file are in the order of the file.
void sp_test_register(sp_test *test) {
    *tests_end = test;
    tests_end = &test->next;
}

// True where path is name (unit/precond) with an ending, in any folder.
static bool test_is_of_file(const char *path, const char *name) {
    const char *end = strrchr(path, '.');
    size_t length = strlen(name);
    if (!end || (size_t)(end - path) < length || strncmp(end - length, name, length)) return false;
    return end - length == path || end[-(ptrdiff_t)length - 1] == '/';
}

static bool test_is_chosen(const sp_test *test, int argc, char **argv) {
    for (int i = 1; i < argc; i++) {
        bool matches = strchr(argv[i], '/') ? test_is_of_file(test->file, argv[i]) : strstr(test->name, argv[i]) != NULL;
        if (!matches) return false;
    }
    return true;
}

static double seconds_now(void) {
    struct timespec t;
    timespec_get(&t, TIME_UTC);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main(int argc, char **argv) {
    int passed = 0, failed = 0;
    for (const sp_test *t = tests; t; t = t->next) {
        if (!test_is_chosen(t, argc, argv)) continue;
        sp_test_failures = 0;
        double start = seconds_now();
        t->run();
        double taken = seconds_now() - start;
        printf("%s %s", sp_test_failures ? "FAIL" : "ok  ", t->name);
        if (taken > 1) printf(" (%.1f s)", taken);  // where the time of a file goes
        printf("\n");
        if (sp_test_failures)
            failed++;
        else
            passed++;
        fflush(stdout);
    }
    printf("%d passed, %d failed\n", passed, failed);
    return failed || passed == 0;
}
