// JSON writer, one value at a time. Numbers are the shortest text that reads back to the same bits, with a decimal point in every
// locale. Numbers that are not finite become null.
#ifndef SP_JSON_H
#define SP_JSON_H

#include <stdbool.h>
#include <stdio.h>

typedef struct sp_json {
    FILE *file;
    int depth;
    bool first;  // the open bracket is still empty
} sp_json;

// `key` is NULL for the outermost value and inside arrays. bracket: '{' or '['.
void sp__json_open(sp_json *j, const char *key, char bracket);
void sp__json_close(sp_json *j, char bracket);                      // '}' or ']'
void sp__json_text(sp_json *j, const char *key, const char *text);  // NULL: null
void sp__json_number(sp_json *j, const char *key, double value);
void sp__json_integer(sp_json *j, const char *key, long long value);
void sp__json_yes(sp_json *j, const char *key, bool value);
void sp__json_vector(sp_json *j, const char *key, const double *values, int count);

// The shortest text of a finite number; `text` has space for 32 characters.
void sp__number_text(double value, char *text);

#endif
