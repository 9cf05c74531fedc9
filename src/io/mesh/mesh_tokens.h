// Words and numbers of mesh files: tokens of a text with their line, and binary numbers of ten types in two byte orders.
#ifndef SP_MESH_TOKENS_H
#define SP_MESH_TOKENS_H

#include "io/mesh/cells.h"

// ------------------------------------------------------------------------------------------------ text

// Tokenizer for text in memory. Shared by the readers of OBJ, STL, PLY, TetGen, legacy VTK and Gmsh.
typedef struct sp_words {
    sp_cells *cells;
    const char *at, *end;  // *end is readable and not part of a number
    int line;
    const char *bytes;  // start of a file with binary numbers: messages give the byte; NULL: they give the line
} sp_words;

sp_words sp__words(sp_cells *cells, const char *text, size_t size);

static inline bool sp__is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\r';
}
static inline bool sp__is_space(char c) {
    return c == '\n' || sp__is_blank(c) || c == '\f' || c == '\v';
}

// Skips white space including newlines.
static inline void sp__words_space(sp_words *w) {
    for (; w->at < w->end && sp__is_space(*w->at); w->at++) w->line += *w->at == '\n';
}
// Skips blanks of this line; true: more words follow on it.
static inline bool sp__words_blank(sp_words *w) {
    while (w->at < w->end && sp__is_blank(*w->at)) w->at++;
    return w->at < w->end && *w->at != '\n';
}

bool sp__words_take(sp_words *w, const char *word);  // consumes the word if it is next, in upper or lower case
bool sp__words_peek(sp_words *w, const char *word);  // the same without consuming it
void sp__words_skip_line(sp_words *w);               // moves to the beginning of the next line
// Copies the next word of this line, truncated to the buffer; false: none.
bool sp__words_copy(sp_words *w, char *out, size_t capacity);
// Copies the rest of this line without surrounding blanks, truncated; may be empty.
void sp__words_rest(sp_words *w, char *out, size_t capacity);
// The next number, also on a later line. `what` names it in messages.
sp_status sp__words_number(sp_words *w, const char *what, double *out);
sp_status sp__words_any_number(sp_words *w, const char *what, double *out);  // also accepts nan and inf
sp_status sp__words_integer(sp_words *w, const char *what, int64_t low, int64_t high, int64_t *out);
// The next word, shortened for a message.
const char *sp__words_shown(const sp_words *w, char out[32]);
// The first line of a file head that is neither empty nor a '#' comment: returns its beginning.
const char *sp__words_first_line(const char *head, size_t size);

// A growing list: makes room for one more than `count` and doubles the capacity if needed. false, list NULL: no memory.
#define SP_LIST_ROOM(keep, list, count, capacity) \
    (((list) = sp__list_grown((keep), (list), (count), (capacity), sizeof *(list))) != NULL)
void *sp__list_grown(sp_keep *keep, void *list, int count, int *capacity, size_t size);

// "file:line: ...", or "file: at byte N: ..."
#define SP_WORDS_FAIL(w, ...) \
    sp__cells_fail((w)->cells, (w)->bytes ? 0 : (w)->line, (w)->bytes ? (w)->at - (w)->bytes : -1, __LINE__, __VA_ARGS__)

// Writes a number and the character after it to a FILE: integers without a point, others so that they read back bit for bit.
void sp__words_put(void *stream, double value, char after);
void sp__words_put_integer(void *stream, int64_t value, char after);  // after == 0: no character

// ------------------------------------------------------------------------------------------------ binary

typedef enum sp_number {
    SP_INT8,
    SP_UINT8,
    SP_INT16,
    SP_UINT16,
    SP_INT32,
    SP_UINT32,
    SP_INT64,
    SP_UINT64,
    SP_FLOAT32,
    SP_FLOAT64,
    SP_NUMBER_TYPES  // number of types; also means: no type
} sp_number;

#define SP_HOST_BIG (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)

size_t sp__number_size(sp_number type);
static inline bool sp__number_integral(sp_number type) {
    return type < SP_FLOAT32;
}
// Reads n numbers at `bytes`, `step` bytes apart, into every `out_step`-th entry of `out`. `swap`: other byte order.
void sp__numbers_get(const void *bytes, sp_number type, bool swap, size_t n, size_t step, double *out, size_t out_step);
// Reads contiguous integers. Values outside of int64_t become negative, which no count or index accepts.
void sp__numbers_get_int64(const void *bytes, sp_number type, bool swap, size_t n, int64_t *out);
void sp__numbers_put(const double *values, size_t n, sp_number type, bool swap, void *out);
// The smallest lossless type: integers as Int8 (only if `bytes`), Int32 or Int64, others as float or double.
sp_number sp__numbers_fit(const double *values, size_t n, bool integral, bool bytes);

#endif
