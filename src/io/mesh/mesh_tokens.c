// Words and numbers of mesh files: text and binary.
#include "io/mesh/mesh_tokens.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

// ========================================================================================================== text

sp_words sp__words(sp_cells *cells, const char *text, size_t size) {
    return (sp_words){.cells = cells, .at = text, .end = text + size, .line = 1};
}

static bool word_ends(const sp_words *w, const char *p) {
    return p && (p >= w->end || sp__is_space(*p));
}

bool sp__words_peek(sp_words *w, const char *word) {
    size_t n = strlen(word);
    sp__words_space(w);
    return (size_t)(w->end - w->at) >= n && strncasecmp(w->at, word, n) == 0 && word_ends(w, w->at + n);
}

bool sp__words_take(sp_words *w, const char *word) {
    if (!sp__words_peek(w, word)) return false;
    w->at += strlen(word);
    return true;
}

static const char *next_newline(const sp_words *w) {
    return w->at < w->end ? memchr(w->at, '\n', (size_t)(w->end - w->at)) : NULL;
}

void sp__words_skip_line(sp_words *w) {
    const char *newline = next_newline(w);
    w->at = newline ? newline + 1 : w->end;
    w->line += newline != NULL;
}

static void copy_text(char *out, size_t capacity, const char *from, size_t n) {
    if (n >= capacity) n = capacity - 1;
    memcpy(out, from, n);
    out[n] = 0;
}

bool sp__words_copy(sp_words *w, char *out, size_t capacity) {
    if (!sp__words_blank(w)) return false;
    const char *start = w->at;
    while (!word_ends(w, w->at)) w->at++;
    copy_text(out, capacity, start, (size_t)(w->at - start));
    return true;
}

void sp__words_rest(sp_words *w, char *out, size_t capacity) {
    sp__words_blank(w);
    const char *start = w->at, *newline = next_newline(w);
    w->at = newline ? newline : w->end;
    const char *stop = w->at;
    while (stop > start && sp__is_blank(stop[-1])) stop--;
    copy_text(out, capacity, start, (size_t)(stop - start));
}

const char *sp__words_shown(const sp_words *w, char out[32]) {
    int n = 0;
    for (const char *p = w->at; n < 28 && !word_ends(w, p); p++) out[n++] = (*p > 32 && *p < 127) ? *p : '?';
    out[n] = 0;
    return n ? out : w->at >= w->end ? "the end of the file" : "the end of the line";
}

sp_status sp__words_number(sp_words *w, const char *what, double *out) {
    char seen[32];
    sp__words_space(w);
    const char *p = sp__scan_double(w->at, out);
    if (!word_ends(w, p)) return SP_WORDS_FAIL(w, "%s: a finite number is needed, seen %s", what, sp__words_shown(w, seen));
    w->at = p;
    return SP_OK;
}

sp_status sp__words_any_number(sp_words *w, const char *what, double *out) {
    sp__words_space(w);
    const char *p = sp__scan_double(w->at, out);
    if (word_ends(w, p)) {
        w->at = p;
        return SP_OK;
    }
    bool minus = w->at < w->end && *w->at == '-';
    w->at += minus || (w->at < w->end && *w->at == '+');
    if (sp__words_take(w, "nan") || sp__words_take(w, "nan(ind)")) {
        *out = minus ? -(double)NAN : (double)NAN;
        return SP_OK;
    }
    if (sp__words_take(w, "inf") || sp__words_take(w, "infinity")) {
        *out = minus ? -HUGE_VAL : HUGE_VAL;
        return SP_OK;
    }
    char seen[32];
    return SP_WORDS_FAIL(w, "%s: a number is needed, seen %s", what, sp__words_shown(w, seen));
}

sp_status sp__words_integer(sp_words *w, const char *what, int64_t low, int64_t high, int64_t *out) {
    char seen[32];
    sp__words_space(w);
    const char *p = sp__scan_int64(w->at, out);
    if (!word_ends(w, p)) return SP_WORDS_FAIL(w, "%s: an integer is needed, seen %s", what, sp__words_shown(w, seen));
    if (*out < low || *out > high)
        return SP_WORDS_FAIL(w, "%s = %lld, must be in [%lld, %lld]", what, (long long)*out, (long long)low, (long long)high);
    w->at = p;
    return SP_OK;
}

const char *sp__words_first_line(const char *head, size_t size) {
    sp_words w = sp__words(NULL, head, size);
    for (;;) {
        sp__words_space(&w);
        if (w.at >= w.end || *w.at != '#') return w.at;
        sp__words_skip_line(&w);
    }
}

void sp__words_put_integer(void *stream, int64_t value, char after) {
    char text[24], *p = text + sizeof text;
    uint64_t rest = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
    if (after) *--p = after;
    do *--p = (char)('0' + rest % 10);
    while (rest /= 10);
    if (value < 0) *--p = '-';
    fwrite(p, 1, (size_t)(text + sizeof text - p), stream);
}

void sp__words_put(void *stream, double value, char after) {
    if (fabs(value) < 1e15 && value == (double)(int64_t)value && !(value == 0 && signbit(value))) {
        sp__words_put_integer(stream, (int64_t)value, after);
        return;
    }
    char text[40];
    sp__print_double(text, value);
    size_t n = strlen(text);
    text[n] = after;
    fwrite(text, 1, n + (after != 0), stream);
}

void *sp__list_grown(sp_keep *keep, void *list, int count, int *capacity, size_t size) {
    if (count < *capacity) return list;
    int bigger = *capacity ? 2 * *capacity : 8;
    void *more = sp__keep_alloc(keep, (size_t)bigger, size);
    if (!more) return NULL;
    if (count) memcpy(more, list, (size_t)count * size);
    *capacity = bigger;
    return more;
}

// ======================================================================================================== binary

// One loop per type; memcpy because file data are not aligned.

static const unsigned char number_sizes[] = {1, 1, 2, 2, 4, 4, 8, 8, 4, 8};

size_t sp__number_size(sp_number type) {
    return number_sizes[type];
}

static inline void load_bytes(const unsigned char *from, size_t size, bool swap, unsigned char *to) {
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
#define GET(name, c_type)                                                    \
    case name:                                                               \
        for (size_t i = 0; i < n; i++) {                                     \
            c_type value;                                                    \
            load_bytes(from + i * step, sizeof value, swap, (void *)&value); \
            out[i * out_step] = (double)value;                               \
        }                                                                    \
        break;
        EACH_TYPE(GET)
#undef GET
    case SP_NUMBER_TYPES: break;
    }
}

void sp__numbers_get_int64(const void *bytes, sp_number type, bool swap, size_t n, int64_t *out) {
    const unsigned char *from = bytes;
    switch (type) {
#define GET(name, c_type)                                                            \
    case name:                                                                       \
        for (size_t i = 0; i < n; i++) {                                             \
            c_type value;                                                            \
            load_bytes(from + i * sizeof value, sizeof value, swap, (void *)&value); \
            out[i] = (int64_t)value;                                                 \
        }                                                                            \
        break;
        EACH_INTEGER(GET)
#undef GET
    default: break;
    }
}

void sp__numbers_put(const double *values, size_t n, sp_number type, bool swap, void *out) {
    unsigned char *to = out;
    switch (type) {
#define PUT(name, c_type)                                                          \
    case name:                                                                     \
        for (size_t i = 0; i < n; i++) {                                           \
            c_type value = (c_type)values[i];                                      \
            load_bytes((void *)&value, sizeof value, swap, to + i * sizeof value); \
        }                                                                          \
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
