// Numbers of binary files. One loop per type; memcpy because file data are not aligned.
#include "io/mesh/mesh_numbers.h"

#include <math.h>
#include <string.h>

static const unsigned char sizes[] = {1, 1, 2, 2, 4, 4, 8, 8, 4, 8};

size_t sp__number_size(sp_number type) {
    return sizes[type];
}

static inline void load(const unsigned char *from, size_t size, bool swap, unsigned char *to) {
    if (!swap) {
        memcpy(to, from, size);
        return;
    }
    for (size_t i = 0; i < size; i++) to[i] = from[size - 1 - i];
}

#define EACH_INTEGER(X)    \
    X(SP_INT8, int8_t)     \
    X(SP_UINT8, uint8_t)   \
    X(SP_INT16, int16_t)   \
    X(SP_UINT16, uint16_t) \
    X(SP_INT32, int32_t)   \
    X(SP_UINT32, uint32_t) \
    X(SP_INT64, int64_t)   \
    X(SP_UINT64, uint64_t)
#define EACH_TYPE(X)     \
    EACH_INTEGER(X)      \
    X(SP_FLOAT32, float) \
    X(SP_FLOAT64, double)

void sp__numbers_get(const void *bytes, sp_number type, bool swap, size_t n, size_t step, double *out, size_t out_step) {
    const unsigned char *from = bytes;
    switch (type) {
#define GET(name, c_type)                                              \
    case name:                                                         \
        for (size_t i = 0; i < n; i++) {                               \
            c_type value;                                              \
            load(from + i * step, sizeof value, swap, (void *)&value); \
            out[i * out_step] = (double)value;                         \
        }                                                              \
        break;
        EACH_TYPE(GET)
#undef GET
    case SP_NUMBER_TYPES: break;
    }
}

void sp__numbers_get_int64(const void *bytes, sp_number type, bool swap, size_t n, int64_t *out) {
    const unsigned char *from = bytes;
    switch (type) {
#define GET(name, c_type)                                                      \
    case name:                                                                 \
        for (size_t i = 0; i < n; i++) {                                       \
            c_type value;                                                      \
            load(from + i * sizeof value, sizeof value, swap, (void *)&value); \
            out[i] = (int64_t)value;                                           \
        }                                                                      \
        break;
        EACH_INTEGER(GET)
#undef GET
    default: break;
    }
}

void sp__numbers_put(const double *values, size_t n, sp_number type, bool swap, void *out) {
    unsigned char *to = out;
    switch (type) {
#define PUT(name, c_type)                                                    \
    case name:                                                               \
        for (size_t i = 0; i < n; i++) {                                     \
            c_type value = (c_type)values[i];                                \
            load((void *)&value, sizeof value, swap, to + i * sizeof value); \
        }                                                                    \
        break;
        EACH_TYPE(PUT)
#undef PUT
    case SP_NUMBER_TYPES: break;
    }
}

static sp_number fit_float(const double *values, size_t n) {
    for (size_t i = 0; i < n; i++) {
        bool in_range = fabs(values[i]) <= 3.4028234663852886e38;  // beyond FLT_MAX the conversion is undefined
        if (!isnan(values[i]) && !isinf(values[i]) && !(in_range && (double)(float)values[i] == values[i])) return SP_FLOAT64;
    }
    return SP_FLOAT32;
}

sp_number sp__numbers_fit(const double *values, size_t n, bool integral, bool bytes) {
    if (!integral) return fit_float(values, n);
    double low = 0, high = 0;
    for (size_t i = 0; i < n; i++) {
        if (!(fabs(values[i]) < 9.2e18) || values[i] != trunc(values[i]) || (values[i] == 0 && signbit(values[i])))
            return fit_float(values, n);
        if (values[i] < low) low = values[i];
        if (values[i] > high) high = values[i];
    }
    if (bytes && low >= INT8_MIN && high <= INT8_MAX) return SP_INT8;
    return low >= INT32_MIN && high <= INT32_MAX ? SP_INT32 : SP_INT64;
}

void sp__bytes_swap(void *bytes, size_t n, size_t size) {
    unsigned char *at = bytes, turned[8];
    for (size_t i = 0; size > 1 && i < n; i++, at += size) {
        load(at, size, true, turned);
        memcpy(at, turned, size);
    }
}
