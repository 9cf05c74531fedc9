// See csv.h.
#include "common/csv.h"

#include <stdlib.h>
#include <string.h>

bool sp__csv_open(sp_csv *c, const char *path) {
    *c = (sp_csv){.file = fopen(path, "rb")};
    return c->file != NULL;
}

void sp__csv_close(sp_csv *c) {
    if (c->file) fclose(c->file);
    free(c->text), free(c->fields);
    *c = (sp_csv){0};
}

static bool csv_put(sp_csv *c, int letter) {
    if (c->size >= SP_CSV_ROW) return c->why = "a row is longer than 4 MiB", false;
    if (c->size == c->capacity) {
        size_t capacity = c->capacity ? 2 * c->capacity : 1024;
        char *text = realloc(c->text, capacity);
        if (!text) return c->why = "out of memory", false;
        c->text = text, c->capacity = capacity;
    }
    c->text[c->size++] = (char)letter;
    return true;
}

// ends a field
static bool end_field(sp_csv *c) {
    if (c->count >= SP_CSV_FIELDS) return c->why = "a row has more than 4096 fields", false;
    c->count++;
    return csv_put(c, 0);
}

// fields are counted while reading; their pointers are set when the row is complete
static bool find_fields(sp_csv *c) {
    if (c->count > c->field_capacity) {
        char **fields = realloc(c->fields, (size_t)c->count * sizeof *fields);
        if (!fields) return c->why = "out of memory", false;
        c->fields = fields, c->field_capacity = c->count;
    }
    char *at = c->text;
    for (int i = 0; i < c->count; i++, at += strlen(at) + 1) c->fields[i] = at;
    return true;
}

// reads from after the opening quote past the closing one; a doubled quote is one quote
static bool quoted(sp_csv *c) {
    for (;;) {
        int letter = getc(c->file);
        if (letter == EOF) return false;
        if (letter == '"') {
            letter = getc(c->file);
            if (letter != '"') return ungetc(letter, c->file), true;
        }
        if (!csv_put(c, letter ? letter : '?')) return false;
    }
}

bool sp__csv_row(sp_csv *c) {
    c->size = 0, c->count = 0;
    for (;;) {
        int letter = getc(c->file);
        if (letter == EOF) return false;  // an incomplete row is dropped
        if (letter == '"') {
            if (!quoted(c)) return false;
        } else if (letter == ',') {
            if (!end_field(c)) return false;
        } else if (letter == '\n') {
            return end_field(c) && find_fields(c);
        } else if (letter != '\r' && !csv_put(c, letter ? letter : '?')) {
            return false;
        }
    }
}

void sp__csv_field(FILE *file, const char *text, bool first) {
    if (!first) fputc(',', file);
    if (!strpbrk(text, ",\"\r\n")) {
        fputs(text, file);
        return;
    }
    fputc('"', file);
    for (; *text; text++) {
        if (*text == '"') fputc('"', file);
        fputc(*text, file);
    }
    fputc('"', file);
}
