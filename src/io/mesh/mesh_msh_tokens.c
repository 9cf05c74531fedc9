// Tokens of text files and numbers of binary files in either byte order.
#include <limits.h>

#include "io/mesh/mesh_msh.h"

void sp__msh_space(sp_msh *r) {
    for (; r->at < r->end; r->at++) {
        char c = *r->at;
        if (c == '\n')
            r->line++;
        else if (c != ' ' && c != '\t' && c != '\r')
            return;
    }
}

void sp__msh_skip_line(sp_msh *r) {
    const char *newline = memchr(r->at, '\n', (size_t)(r->end - r->at));
    r->at = newline ? newline : r->end;
}

const char *sp__msh_shown(const sp_msh *r, char out[32]) {
    int n = 0;
    for (const char *p = r->at; p < r->end && n < 28 && (unsigned char)*p > ' '; p++) out[n++] = (*p > 0 && *p < 127) ? *p : '?';
    out[n] = 0;
    return n ? out : r->at < r->end ? "a byte that is no text" : "the end of the file";
}

static inline bool token_ends(const sp_msh *r, const char *p) {
    return p && (p >= r->end || *p == ' ' || *p == '\n' || *p == '\r' || *p == '\t');
}

sp_status sp__msh_number(sp_msh *r, const char *what, double *out) {
    char seen[32];
    sp__msh_space(r);
    const char *p = sp__scan_double(r->at, out);
    if (!token_ends(r, p)) return SP_MSH_FAIL(r, "%s: a finite number is needed, seen %s", what, sp__msh_shown(r, seen));
    r->at = p;
    return SP_OK;
}

static sp_status out_of_range(sp_msh *r, const char *what, int64_t value, int64_t low, int64_t high) {
    return SP_MSH_FAIL(r, "%s = %lld, must be in [%lld, %lld]", what, (long long)value, (long long)low, (long long)high);
}

sp_status sp__msh_integer(sp_msh *r, const char *what, int64_t low, int64_t high, int64_t *out) {
    char seen[32];
    sp__msh_space(r);
    const char *p = sp__scan_int64(r->at, out);
    if (!token_ends(r, p)) return SP_MSH_FAIL(r, "%s: an integer is needed, seen %s", what, sp__msh_shown(r, seen));
    if (*out < low || *out > high) return out_of_range(r, what, *out, low, high);
    r->at = p;
    return SP_OK;
}

sp_status sp__msh_text(sp_msh *r, char *out, size_t size) {
    char seen[32];
    sp__msh_space(r);
    if (r->at >= r->end || *r->at != '"') return SP_MSH_FAIL(r, "a text in quotes is needed, seen %s", sp__msh_shown(r, seen));
    const char *start = ++r->at;
    while (r->at < r->end && *r->at && *r->at != '"' && *r->at != '\n') r->at++;
    if (r->at >= r->end || *r->at != '"') return SP_MSH_FAIL(r, "a text without its closing quote");
    size_t n = (size_t)(r->at - start);
    if (n == 0 || n >= size) return SP_MSH_FAIL(r, "a name of %zu characters, must have 1 to %zu", n, size - 1);
    memcpy(out, start, n);
    out[n] = 0;
    r->at++;
    return SP_OK;
}

bool sp__msh_take(sp_msh *r, const char *word) {
    size_t n = strlen(word);
    if ((size_t)(r->end - r->at) < n || memcmp(r->at, word, n) != 0 || !token_ends(r, r->at + n)) return false;
    r->at += n;
    return true;
}

sp_status sp__msh_end(sp_msh *r, const char *word) {
    char seen[32];
    sp__msh_space(r);
    if (sp__msh_take(r, word)) return SP_OK;
    return SP_MSH_FAIL(r, "%s is needed here, seen %s", word, sp__msh_shown(r, seen));
}

sp_status sp__msh_bytes_begin(sp_msh *r) {
    while (r->at < r->end && (*r->at == ' ' || *r->at == '\t' || *r->at == '\r')) r->at++;
    if (r->at >= r->end || *r->at != '\n') return SP_MSH_FAIL(r, "the line must end here, binary numbers follow");
    r->at++;
    return SP_OK;
}

// ------------------------------------------------------------------------------------------------ binary

sp_status sp__msh_need(sp_msh *r, const char *what, uint64_t n, uint64_t size) {
    uint64_t left = (uint64_t)(r->end - r->at);
    if (size && n > left / size)
        return SP_MSH_FAIL(r, "%s: %llu of %llu bytes each announced, but %llu bytes are left", what, (unsigned long long)n,
                           (unsigned long long)size, (unsigned long long)left);
    return SP_OK;
}

static inline uint64_t get(sp_msh *r, int bytes) {
    if (bytes == 8) {
        uint64_t value;
        memcpy(&value, r->at, 8);
        r->at += 8;
        return r->swap ? __builtin_bswap64(value) : value;
    }
    uint32_t value;
    memcpy(&value, r->at, 4);
    r->at += 4;
    return r->swap ? __builtin_bswap32(value) : value;
}

int32_t sp__msh_get_int(sp_msh *r) {
    return (int32_t)(uint32_t)get(r, 4);
}

uint64_t sp__msh_get_size(sp_msh *r) {
    return get(r, r->word);
}

double sp__msh_get_double(sp_msh *r) {
    uint64_t bits = get(r, 8);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

// ------------------------------------------------------------------------------------------------ text or binary

static sp_status within(sp_msh *r, const char *what, int bytes, int64_t low, int64_t high, int64_t value, int64_t *out) {
    if (value < low || value > high) {
        r->at -= bytes;
        return out_of_range(r, what, value, low, high);
    }
    *out = value;
    return SP_OK;
}

sp_status sp__msh_any_int(sp_msh *r, const char *what, int64_t low, int64_t high, int64_t *out) {
    if (!r->binary) return sp__msh_integer(r, what, low, high, out);
    SP_TRY(sp__msh_need(r, what, 1, 4));
    return within(r, what, 4, low, high, sp__msh_get_int(r), out);
}

sp_status sp__msh_any_size(sp_msh *r, const char *what, int64_t low, int64_t high, int64_t *out) {
    if (!r->binary) return sp__msh_integer(r, what, low, high, out);
    SP_TRY(sp__msh_need(r, what, 1, (uint64_t)r->word));
    uint64_t value = sp__msh_get_size(r);
    return within(r, what, r->word, low, high, value > INT64_MAX ? INT64_MAX : (int64_t)value, out);
}

sp_status sp__msh_any_number(sp_msh *r, const char *what, double *out) {
    if (!r->binary) return sp__msh_number(r, what, out);
    SP_TRY(sp__msh_need(r, what, 1, 8));
    *out = sp__msh_get_double(r);
    if (isfinite(*out)) return SP_OK;
    r->at -= 8;
    return SP_MSH_FAIL(r, "%s: a finite number is needed, seen %g", what, *out);
}

sp_status sp__msh_count(sp_msh *r, const char *what, int text_bytes, int binary_bytes, int *out) {
    int64_t value, most;
    if (r->binary && r->version == 4) {
        SP_TRY(sp__msh_any_size(r, what, 0, INT64_MAX, &value));
    } else {
        SP_TRY(sp__msh_integer(r, what, 0, INT64_MAX, &value));
    }
    most = r->binary ? (r->end - r->at) / binary_bytes : (r->end - r->at) / text_bytes + 1;
    if (value > most || value > INT_MAX / 4)
        return SP_MSH_FAIL(r, "%s = %lld, but the rest of the file has room for %lld at most", what, (long long)value,
                           (long long)(most < INT_MAX / 4 ? most : INT_MAX / 4));
    *out = (int)value;
    return SP_OK;
}
