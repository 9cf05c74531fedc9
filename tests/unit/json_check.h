// A strict JSON reader for tests: checks that the text is one value, and finds the value at a path like "bodies.0.volume.rest".
#ifndef SP_JSON_CHECK_H
#define SP_JSON_CHECK_H

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// returns the end of a value, or NULL where it is not JSON; `path` is searched inside it, and *found receives its start
static const char *json_value(const char *s, const char *path, const char **found);

static const char *json_space(const char *s) {
    while (*s == ' ' || *s == '\n' || *s == '\t' || *s == '\r') s++;
    return s;
}

static const char *json_string(const char *s) {
    if (*s++ != '"') return NULL;
    for (; *s != '"'; s++) {
        if ((unsigned char)*s < 0x20) return NULL;
        if (*s != '\\') continue;
        s++;
        if (!strchr("\"\\/bfnrtu", *s) || !*s) return NULL;
        for (int i = 0; *s == 'u' && i < 4; i++)
            if (!isxdigit((unsigned char)s[i + 1])) return NULL;
    }
    return s + 1;
}

static const char *json_digits(const char *s) {
    if (!isdigit((unsigned char)*s)) return NULL;
    while (isdigit((unsigned char)*s)) s++;
    return s;
}

static const char *json_number(const char *s) {
    if (*s == '-') s++;
    if (*s == '0' && isdigit((unsigned char)s[1])) return NULL;
    if (!(s = json_digits(s))) return NULL;
    if (*s == '.' && !(s = json_digits(s + 1))) return NULL;
    if (*s == 'e' || *s == 'E') {
        s++;
        if (*s == '+' || *s == '-') s++;
        s = json_digits(s);
    }
    return s;
}

// the rest of `path` behind its first part, if that part is `key`; NULL otherwise
static const char *json_step(const char *path, const char *key, size_t length) {
    if (!path || strncmp(path, key, length) != 0) return NULL;
    return path[length] == '.' ? path + length + 1 : path[length] == 0 ? path + length : NULL;
}

static const char *json_items(const char *s, const char *path, const char **found) {
    char close = *s == '{' ? '}' : ']';
    bool object = *s == '{';
    s = json_space(s + 1);
    for (int i = 0; *s != close; i++) {
        char number[16];
        const char *key = number, *rest;
        size_t length = (size_t)snprintf(number, sizeof number, "%d", i);
        if (i > 0 && *s++ != ',') return NULL;
        s = json_space(s);
        if (object) {
            const char *end = json_string(s);
            if (!end) return NULL;
            key = s + 1, length = (size_t)(end - s) - 2;
            s = json_space(end);
            if (*s++ != ':') return NULL;
            s = json_space(s);
        }
        rest = json_step(path, key, length);
        if (rest && !*rest) *found = s;
        if (!(s = json_value(s, rest && *rest ? rest : NULL, found))) return NULL;
        s = json_space(s);
    }
    return s + 1;
}

static const char *json_value(const char *s, const char *path, const char **found) {
    static const char *const words[] = {"true", "false", "null"};
    if (*s == '{' || *s == '[') return json_items(s, path, found);
    if (*s == '"') return json_string(s);
    for (int i = 0; i < 3; i++)
        if (strncmp(s, words[i], strlen(words[i])) == 0) return s + strlen(words[i]);
    return json_number(s);
}

// whether the whole text is one value and nothing else
static inline bool json_is_one(const char *text) {
    const char *found = NULL, *end = json_value(json_space(text), NULL, &found);
    return end && *json_space(end) == 0;
}

// the text of the value at a path; NULL: absent
static inline const char *json_at(const char *text, const char *path) {
    const char *found = NULL;
    return json_value(json_space(text), path, &found) ? found : NULL;
}

static inline double json_number_at(const char *text, const char *path) {
    const char *at = json_at(text, path);
    char *end = NULL;
    double value = at ? strtod(at, &end) : 0;
    return at && end != at ? value : 0.0 / 0.0;
}

// whether the value at a path is this string
static inline bool json_is(const char *text, const char *path, const char *string) {
    const char *at = json_at(text, path);
    size_t n = strlen(string);
    return at && at[0] == '"' && strncmp(at + 1, string, n) == 0 && at[n + 1] == '"';
}

#endif
