// JSON in: a whole text as a tree. Depth and size are bounded; what is wrong is told with its place.
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
    sp_json_value *first, *next;  // items of a list or an object, the next item of the own one
};

typedef struct sp_json_tree {
    char *text;  // strings point into it
    sp_json_value *root;
    struct sp_json_block *blocks;
    char why[160];  // what was wrong
} sp_json_tree;

// The whole of a file, or false with `why`. Freed with sp__json_free in either case.
bool sp__json_read(sp_json_tree *t, const char *path);
bool sp__json_parse(sp_json_tree *t, const char *text, size_t size);
void sp__json_free(sp_json_tree *t);

// "a.b" of an object, or NULL: not there. Accepts NULL.
const sp_json_value *sp__json_get(const sp_json_value *v, const char *path);
const char *sp__json_get_text(const sp_json_value *v, const char *path);  // "" where there is no text
double sp__json_get_number(const sp_json_value *v, const char *path);     // NaN where there is no number
int sp__json_count(const sp_json_value *v);                               // items

#endif
