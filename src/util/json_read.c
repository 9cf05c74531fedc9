// See json_read.h. Strings are unescaped in place. Values are allocated in blocks that are freed together.
#include "util/json_read.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { DEPTH_MAX = 64, BLOCK = 512 };
static const long size_max = 256l << 20;

typedef struct sp_json_block {
    struct sp_json_block *older;
    int used;
    sp_json_value values[BLOCK];
} sp_json_block;

typedef struct reader {
    sp_json_tree *tree;
    char *at, *end;  // *end is a zero byte
    int depth;
} reader;

static bool json_read_fail(reader *r, const char *what) {
    if (r->tree->why[0]) return false;
    int line = 1;
    for (const char *c = r->tree->text; c < r->at; c++) line += *c == '\n';
    snprintf(r->tree->why, sizeof r->tree->why, "line %d: %s", line, what);
    return false;
}

static sp_json_value *make_value(reader *r) {
    sp_json_block *b = r->tree->blocks;
    if (!b || b->used == BLOCK) {
        b = calloc(1, sizeof *b);
        if (!b) return json_read_fail(r, "out of memory"), NULL;
        b->older = r->tree->blocks;
        r->tree->blocks = b;
    }
    return &b->values[b->used++];
}

static void skip_space(reader *r) {
    while (*r->at && strchr(" \t\r\n", *r->at)) r->at++;
}

// ---- strings

static int hex4(const char *s) {
    int v = 0;
    for (int i = 0; i < 4; i++) {
        int digit = s[i] >= '0' && s[i] <= '9'   ? s[i] - '0'
                    : s[i] >= 'a' && s[i] <= 'f' ? s[i] - 'a' + 10
                    : s[i] >= 'A' && s[i] <= 'F' ? s[i] - 'A' + 10
                                                 : -1;
        if (digit < 0) return -1;
        v = 16 * v + digit;
    }
    return v;
}

static char *put_code(char *out, unsigned c) {
    if (c < 0x80) return *out++ = (char)c, out;
    if (c < 0x800) return *out++ = (char)(0xc0 | c >> 6), *out++ = (char)(0x80 | (c & 63)), out;
    if (c >= 0x10000) {
        *out++ = (char)(0xf0 | c >> 18), *out++ = (char)(0x80 | (c >> 12 & 63));
    } else {
        *out++ = (char)(0xe0 | c >> 12);
    }
    return *out++ = (char)(0x80 | (c >> 6 & 63)), *out++ = (char)(0x80 | (c & 63)), out;
}

// reads the digits after "\u"; the escape has six characters, so the UTF-8 text is never longer
static char *put_escaped(reader *r, char *out) {
    int code = hex4(r->at);
    if (code < 0) return json_read_fail(r, "\\u needs four hexadecimal digits"), NULL;
    r->at += 4;
    unsigned c = (unsigned)code;
    if (c >= 0xd800 && c < 0xdc00 && r->at[0] == '\\' && r->at[1] == 'u') {
        int low = hex4(r->at + 2);
        if (low >= 0xdc00 && low < 0xe000) c = 0x10000 + ((c - 0xd800) << 10) + ((unsigned)low - 0xdc00), r->at += 6;
    }
    if ((c >= 0xd800 && c < 0xe000) || c == 0) c = 0xfffd;
    return put_code(out, c);
}

static const char *read_text(reader *r) {
    static const char names[] = "\"\\/bfnrt", means[] = "\"\\/\b\f\n\r\t";
    char *begin = ++r->at, *out = begin;
    for (;;) {
        unsigned char c = (unsigned char)*r->at;
        if (c < 0x20)
            return json_read_fail(r, c || r->at < r->end ? "a control character in a string" : "a string without an end"), NULL;
        r->at++;
        if (c == '"') break;
        if (c != '\\') {
            *out++ = (char)c;
            continue;
        }
        const char *name = *r->at ? strchr(names, *r->at) : NULL;
        if (*r->at == 'u') {
            r->at++;
            if (!(out = put_escaped(r, out))) return NULL;
        } else if (name) {
            *out++ = means[name - names], r->at++;
        } else {
            return json_read_fail(r, "an unknown escape"), NULL;
        }
    }
    *out = 0;
    return begin;
}

// ---- values

static bool read_value(reader *r, sp_json_value *v);

static bool read_items(reader *r, sp_json_value *v) {
    bool object = *r->at == '{';
    char close = object ? '}' : ']';
    sp_json_value **end = &v->first;
    v->kind = object ? SP_JSON_OBJECT : SP_JSON_LIST;
    if (++r->depth > DEPTH_MAX) return json_read_fail(r, "more than 64 brackets inside each other");
    r->at++, skip_space(r);
    for (bool first = true; *r->at != close; first = false) {
        if (!first && *r->at++ != ',') return json_read_fail(r, "a comma or a closing bracket is missing");
        skip_space(r);
        sp_json_value *item = make_value(r);
        if (!item) return false;
        if (object) {
            if (*r->at != '"') return json_read_fail(r, "a name in quotes is missing");
            if (!(item->key = read_text(r))) return false;
            skip_space(r);
            if (*r->at++ != ':') return json_read_fail(r, "a colon is missing");
            skip_space(r);
        }
        if (!read_value(r, item)) return false;
        *end = item, end = &item->next;
        skip_space(r);
    }
    r->at++, r->depth--;
    return true;
}

static bool read_number(reader *r, sp_json_value *v) {
    char *end;
    if (!strchr("-0123456789", *r->at)) return json_read_fail(r, "not a value");
    v->kind = SP_JSON_NUMBER;
    v->number = strtod(r->at, &end);
    if (end == r->at || !isfinite(v->number)) return json_read_fail(r, "not a number");
    r->at = end;
    return true;
}

static bool read_value(reader *r, sp_json_value *v) {
    static const char *const words[] = {"null", "false", "true"};
    if (!*r->at) return json_read_fail(r, "the text ends too early");
    if (*r->at == '{' || *r->at == '[') return read_items(r, v);
    for (int i = 0; i < 3; i++)
        if (strncmp(r->at, words[i], strlen(words[i])) == 0) {
            v->kind = (sp_json_kind)i;
            r->at += strlen(words[i]);
            return true;
        }
    if (*r->at != '"') return read_number(r, v);
    v->kind = SP_JSON_TEXT;
    return (v->text = read_text(r)) != NULL;
}

static bool read_tree(sp_json_tree *t, size_t size) {
    reader r = {.tree = t, .at = t->text, .end = t->text + size};
    t->root = make_value(&r);
    if (!t->root) return false;
    skip_space(&r);
    if (!read_value(&r, t->root)) return false;
    skip_space(&r);
    return r.at == r.end || json_read_fail(&r, "more behind the end");
}

bool sp__json_parse(sp_json_tree *t, const char *text, size_t size) {
    *t = (sp_json_tree){.text = malloc(size + 1)};
    if (!t->text) return snprintf(t->why, sizeof t->why, "out of memory"), false;
    memcpy(t->text, text, size);
    t->text[size] = 0;
    return read_tree(t, size);
}

bool sp__json_read(sp_json_tree *t, const char *path) {
    struct stat st;
    *t = (sp_json_tree){0};
    FILE *file = fopen(path, "rb");
    if (!file || fstat(fileno(file), &st) != 0 || !S_ISREG(st.st_mode)) {
        snprintf(t->why, sizeof t->why, "%s", file ? "not a file" : strerror(errno));
        if (file) fclose(file);
        return false;
    }
    bool small = st.st_size <= size_max;
    t->text = small ? malloc((size_t)st.st_size + 1) : NULL;
    size_t size = t->text ? fread(t->text, 1, (size_t)st.st_size, file) : 0;
    fclose(file);
    if (!t->text) return snprintf(t->why, sizeof t->why, small ? "out of memory" : "larger than 256 MiB"), false;
    t->text[size] = 0;
    return read_tree(t, size);
}

void sp__json_free(sp_json_tree *t) {
    while (t->blocks) {
        sp_json_block *older = t->blocks->older;
        free(t->blocks);
        t->blocks = older;
    }
    free(t->text);
    *t = (sp_json_tree){0};
}

// ---- queries

const sp_json_value *sp__json_get(const sp_json_value *v, const char *path) {
    while (v && *path) {
        size_t n = strcspn(path, ".");
        const sp_json_value *item = v->kind == SP_JSON_OBJECT ? v->first : NULL;
        while (item && (strncmp(item->key, path, n) != 0 || item->key[n])) item = item->next;
        v = item;
        path += n + (path[n] == '.');
    }
    return v;
}

const char *sp__json_get_text(const sp_json_value *v, const char *path) {
    v = sp__json_get(v, path);
    return v && v->kind == SP_JSON_TEXT ? v->text : "";
}

double sp__json_get_number(const sp_json_value *v, const char *path) {
    v = sp__json_get(v, path);
    return v && v->kind == SP_JSON_NUMBER ? v->number : NAN;
}

int sp__json_count(const sp_json_value *v) {
    int n = 0;
    for (const sp_json_value *item = v ? v->first : NULL; item; item = item->next) n++;
    return n;
}
