// Statuses and error records that need no context; assertions.
#ifndef SP_UTIL_STATUS_H
#define SP_UTIL_STATUS_H

#include <stdarg.h>

#include "souple/base.h"

// The more severe of two statuses: a failure (< 0) precedes a reservation (> 0), which precedes SP_OK.
sp_status sp__worst(sp_status a, sp_status b);

// Writes an error into a record that only one thread uses.
void sp__error_set(sp_error *record, sp_status status, const char *file, int line, const char *format, va_list args);
sp_status sp__fail(sp_error *record, sp_status status, const char *file, int line, const char *format, ...) SP_PRINTF(5, 6);

// Checks for bugs of the caller and of the library. Active in debug builds and tests, free otherwise.
#ifdef SP_VALIDATE
void sp__assert_failed(const char *what, const char *file, int line);
#define SP_ASSERT(c) ((c) ? (void)0 : sp__assert_failed(#c, __FILE__, __LINE__))
#else
#define SP_ASSERT(c) ((void)0)
#endif

// Hashes one number and its position to 64 bits. The sum of these hashes over an array does not depend on the order of the sum.
static inline uint64_t sp__mix(uint64_t bits, uint64_t place) {
    uint64_t z = bits + 0x9E3779B97F4A7C15ull * (place + 1);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
    return z ^ (z >> 31);
}

#endif
