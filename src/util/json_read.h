// JSON reader: parses a whole text into a tree. Depth and size are bounded; an error message gives its position.
#ifndef SP_JSON_READ_H
#define SP_JSON_READ_H

#include <stdbool.h>
#include <stddef.h>

typedef enum sp_json_kind {
    SP_JSON_NULL,
    SP_JSON_FALSE,
    SP_JSON_TRUE,
    SP_JSON_NUMBER,
    SP_JSON_TEXT,
    SP_JSON_LIST,
    SP_JSON_OBJECT
} sp_json_kind;

typedef struct sp_json_value sp_json_value;
struct sp_json_value {
    sp_json_kind kind;
    const char *key;  // inside an object; NULL otherwise
    double number;
    const char *text;
    sp_json_value *first, *next;  // first item of an array or object; next item of the same parent
};

typedef struct sp_json_tree {
    char *text;  // strings point into it
    sp_json_value *root;
    struct sp_json_block *blocks;
    char why[160];  // error message
} sp_json_tree;

// Reads a whole file. False: see `why`. Call sp__json_free in both cases.
bool sp__json_read(sp_json_tree *t, const char *path);
bool sp__json_parse(sp_json_tree *t, const char *text, size_t size);
void sp__json_free(sp_json_tree *t);

// Member "a.b" of an object; NULL: not found. Accepts NULL.
const sp_json_value *sp__json_get(const sp_json_value *v, const char *path);
const char *sp__json_get_text(const sp_json_value *v, const char *path);  // "" if there is no text
double sp__json_get_number(const sp_json_value *v, const char *path);     // NaN if there is no number
int sp__json_count(const sp_json_value *v);                               // number of items

#endif
