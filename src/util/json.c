// See json.h. The two outer levels have one line per item; deeper levels stay on the line of their item.
#include "util/json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LINED = 2 };  // levels with one line per item

// length in bytes of the UTF-8 character at c; 0: invalid
static int utf8_length(const unsigned char *c) {
    int n = c[0] < 0x80 ? 1 : c[0] >= 0xc2 && c[0] < 0xe0 ? 2 : (c[0] & 0xf0) == 0xe0 ? 3 : c[0] >= 0xf0 && c[0] < 0xf5 ? 4 : 0;
    for (int i = 1; i < n; i++)
        if ((c[i] & 0xc0) != 0x80) return 0;
    bool wrong = (c[0] == 0xe0 && c[1] < 0xa0) || (c[0] == 0xed && c[1] > 0x9f) || (c[0] == 0xf0 && c[1] < 0x90) ||
                 (c[0] == 0xf4 && c[1] > 0x8f);
    return wrong ? 0 : n;
}

static void put_text(FILE *f, const char *text) {
    fputc('"', f);
    for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
        int n = utf8_length(c);
        if (n == 0)
            fputs("\\ufffd", f);
        else if (n > 1)
            fwrite(c, 1, (size_t)n, f), c += n - 1;
        else if (*c == '"' || *c == '\\')
            fprintf(f, "\\%c", *c);
        else if (*c == '\n')
            fputs("\\n", f);
        else if (*c == '\t')
            fputs("\\t", f);
        else if (*c < 0x20 || *c == 0x7f)
            fprintf(f, "\\u%04x", *c);
        else
            fputc(*c, f);
    }
    fputc('"', f);
}

static void json_begin(sp_json *j, const char *key) {
    if (!j->first && j->depth > 0) fputc(',', j->file);
    if (j->depth > 0 && j->depth <= LINED)
        fprintf(j->file, "\n%*s", 2 * j->depth, "");
    else if (!j->first && j->depth > 0)
        fputc(' ', j->file);
    j->first = false;
    if (!key) return;
    put_text(j->file, key);
    fputs(": ", j->file);
}

void sp__json_open(sp_json *j, const char *key, char bracket) {
    json_begin(j, key);
    fputc(bracket, j->file);
    j->depth++;
    j->first = true;
}

void sp__json_close(sp_json *j, char bracket) {
    j->depth--;
    if (!j->first && j->depth < LINED) fprintf(j->file, "\n%*s", 2 * j->depth, "");
    fputc(bracket, j->file);
    if (j->depth == 0) fputc('\n', j->file);
    j->first = false;
}

// the decimal point of the locale may differ and may have several bytes: characters that cannot belong to a number become a point
static void plain_point(char *text) {
    char *out = text;
    bool point = false;
    for (const char *c = text; *c; c++) {
        if (strchr("0123456789+-einfa", *c))
            *out++ = *c, point = false;
        else if (!point)
            *out++ = '.', point = true;
    }
    *out = 0;
}

void sp__number_text(double value, char *text) {
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, 32, "%.*g", digits, value);
        if (strtod(text, NULL) == value) break;
    }
    plain_point(text);
}

void sp__json_number(sp_json *j, const char *key, double value) {
    char text[32] = "null";
    if (isfinite(value)) sp__number_text(value, text);
    json_begin(j, key);
    fputs(text, j->file);
}

void sp__json_integer(sp_json *j, const char *key, long long value) {
    json_begin(j, key);
    fprintf(j->file, "%lld", value);
}

void sp__json_yes(sp_json *j, const char *key, bool value) {
    json_begin(j, key);
    fputs(value ? "true" : "false", j->file);
}

void sp__json_text(sp_json *j, const char *key, const char *text) {
    json_begin(j, key);
    if (text)
        put_text(j->file, text);
    else
        fputs("null", j->file);
}

void sp__json_vector(sp_json *j, const char *key, const double *values, int count) {
    json_begin(j, key);
    fputc('[', j->file);
    for (int i = 0; i < count; i++) {
        char text[32] = "null";
        if (isfinite(values[i])) sp__number_text(values[i], text);
        fprintf(j->file, "%s%s", i ? ", " : "", text);
    }
    fputc(']', j->file);
}
