// Tests in plain C: TEST(name) { CHECK(...); }. Several test files are linked into one program; tests/main.c runs all of them, or
// the ones that its arguments name. SP_TEST_TOL_SCALE=0 makes every tolerance zero, to see the real errors.
#ifndef SP_TEST_H
#define SP_TEST_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct sp_test {
    const char *name, *file;  // file: the source, which may have the test from a header
    void (*run)(void);
    struct sp_test *next;
} sp_test;

void sp_test_register(sp_test *test);
extern int sp_test_failures;  // of the running test

// sanitizers reserve terabytes of address space and are several times slower
#if defined(__SANITIZE_ADDRESS__)
#define ADDRESS_SANITIZED 1
#elif defined(__SANITIZE_THREAD__)
#define THREAD_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ADDRESS_SANITIZED 1
#elif __has_feature(thread_sanitizer)
#define THREAD_SANITIZED 1
#endif
#endif
#ifndef ADDRESS_SANITIZED
#define ADDRESS_SANITIZED 0
#endif
#ifndef THREAD_SANITIZED
#define THREAD_SANITIZED 0
#endif
#define SANITIZED (ADDRESS_SANITIZED || THREAD_SANITIZED)
// At the start of a test whose numbers the other configurations check, and whose code other tests of the file run under the
// sanitizers too.
#define NOT_SANITIZED() \
    if (SANITIZED) return

#define TEST(id)                                                            \
    static void test_##id(void);                                            \
    static sp_test test_entry_##id = {#id, __BASE_FILE__, test_##id, NULL}; \
    __attribute__((constructor)) static void test_register_##id(void) {     \
        sp_test_register(&test_entry_##id);                                 \
    }                                                                       \
    static void test_##id(void)

#define SP_TEST_FAILED(...) (sp_test_failures++, printf("  %s:%d: ", __FILE__, __LINE__), printf(__VA_ARGS__), printf("\n"))

#define CHECK(condition) ((condition) ? (void)0 : (void)SP_TEST_FAILED("failed: %s", #condition))
// Leaves the test where continuing makes no sense.
#define REQUIRE(condition)                            \
    do {                                              \
        if (!(condition)) {                           \
            SP_TEST_FAILED("failed: %s", #condition); \
            return;                                   \
        }                                             \
    } while (0)
// |a - b| <= tolerance, false for NaN
#define CHECK_NEAR(a, b, tolerance) sp_check_near((a), (b), (tolerance), #a, #b, __FILE__, __LINE__)
#define CHECK_INT(a, b) sp_check_int((long long)(a), (long long)(b), #a, #b, __FILE__, __LINE__)

static inline double sp_test_scale(void) {
    const char *s = getenv("SP_TEST_TOL_SCALE");
    return s ? atof(s) : 1.0;
}

static inline void sp_check_near(double a, double b, double tol, const char *ta, const char *tb, const char *file, int line) {
    if (fabs(a - b) <= tol * sp_test_scale()) return;
    sp_test_failures++;
    printf("  %s:%d: %s = %.17g, %s = %.17g, apart by %.3g, allowed %.3g\n", file, line, ta, a, tb, b, fabs(a - b), tol);
}

static inline void sp_check_int(long long a, long long b, const char *ta, const char *tb, const char *file, int line) {
    if (a == b) return;
    sp_test_failures++;
    printf("  %s:%d: %s = %lld, %s = %lld\n", file, line, ta, a, tb, b);
}

// A small repeatable generator: uniform in [-1, 1).
static inline double sp_test_random(unsigned long long *state) {
    *state = *state * 6364136223846793005ull + 1442695040888963407ull;
    return (double)(*state >> 11) * (2.0 / 9007199254740992.0) - 1.0;
}

#endif
