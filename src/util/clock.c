// See clock.h.
#include "util/clock.h"

#include <time.h>

static double clock_read(clockid_t clock) {
    struct timespec now;
    if (clock_gettime(clock, &now) != 0) return 0;
    return 1e3 * (double)now.tv_sec + 1e-6 * (double)now.tv_nsec;
}

double sp__now_ms(void) {
    return clock_read(CLOCK_MONOTONIC);
}

double sp__process_ms(void) {
    return clock_read(CLOCK_PROCESS_CPUTIME_ID);
}

double sp__thread_ms(void) {
    return clock_read(CLOCK_THREAD_CPUTIME_ID);
}
