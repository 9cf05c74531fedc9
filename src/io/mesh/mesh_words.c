// Tokenizer for text in memory: words and numbers.
#include "io/mesh/mesh_words.h"

#include <stdio.h>
#include <strings.h>

sp_words sp__words(sp_cells *cells, const char *text, size_t size) {
    return (sp_words){cells, text, text + size, 1};
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
