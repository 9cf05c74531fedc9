// See status.h.
#include "util/status.h"

#include <stdio.h>

sp_status sp__worst(sp_status a, sp_status b) {
    // the first of two failures stays, because the error record describes it
    if (a < 0) return a;
    if (b < 0) return b;
    return a > b ? a : b;
}

void sp__error_set(sp_error *record, sp_status status, const char *file, int line, const char *format, va_list args) {
    // uses a copy: the old message may be one of the arguments
    sp_error e = {.status = status, .file = file, .line = line, .index = -1};
    vsnprintf(e.message, sizeof e.message, format, args);
    *record = e;
}

sp_status sp__fail(sp_error *record, sp_status status, const char *file, int line, const char *format, ...) {
    va_list args;
    va_start(args, format);
    sp__error_set(record, status, file, line, format, args);
    va_end(args);
    return status;
}

#ifdef SP_VALIDATE
// Weak, so that a host or a test can replace it. Only validating builds print and stop.
__attribute__((weak)) void sp__assert_failed(const char *what, const char *file, int line) {
    fprintf(stderr, "%s:%d: not true: %s\n", file, line, what);
    __builtin_trap();
}
#endif
