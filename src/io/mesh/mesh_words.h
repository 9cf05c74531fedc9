// Words and numbers of a text in memory, with the line they stand on: what the readers of OBJ, STL, PLY and legacy VTK share.
#ifndef SP_MESH_WORDS_H
#define SP_MESH_WORDS_H

#include "io/mesh/cells.h"

typedef struct sp_words {
    sp_cells *cells;
    const char *at, *end;  // *end is readable and no part of a number
    int line;
} sp_words;

sp_words sp__words(sp_cells *cells, const char *text, size_t size);

static inline bool sp__is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\r';
}
static inline bool sp__is_space(char c) {
    return c == '\n' || sp__is_blank(c) || c == '\f' || c == '\v';
}

// Over white space, newlines too.
static inline void sp__words_space(sp_words *w) {
    for (; w->at < w->end && sp__is_space(*w->at); w->at++) w->line += *w->at == '\n';
}
// Over blanks of this line; true: more words follow on it.
static inline bool sp__words_blank(sp_words *w) {
    while (w->at < w->end && sp__is_blank(*w->at)) w->at++;
    return w->at < w->end && *w->at != '\n';
}

bool sp__words_take(sp_words *w, const char *word);  // this word, whatever its case, is next: step over it
bool sp__words_peek(sp_words *w, const char *word);  // the same, and stay
void sp__words_skip_line(sp_words *w);               // to the beginning of the next line
// The next word of this line, copied and cut to the room; false: none.
bool sp__words_copy(sp_words *w, char *out, size_t room);
// The rest of this line without blanks around it, likewise; may be empty.
void sp__words_rest(sp_words *w, char *out, size_t room);
// The next number, over newlines. `what` names it in messages.
sp_status sp__words_number(sp_words *w, const char *what, double *out);
sp_status sp__words_any_number(sp_words *w, const char *what, double *out);  // nan and inf too
sp_status sp__words_integer(sp_words *w, const char *what, int64_t low, int64_t high, int64_t *out);
// The word at hand, shortened for a message.
const char *sp__words_shown(const sp_words *w, char out[32]);
// The first line of a head that is neither empty nor a comment of '#', and where it begins.
const char *sp__words_first_line(const char *head, size_t size);

// A list that grows: room for one more than `count`, twice as much as before where it must be. false, list NULL: no memory.
#define SP_LIST_ROOM(keep, list, count, room) (((list) = sp__list_grown((keep), (list), (count), (room), sizeof *(list))) != NULL)
void *sp__list_grown(sp_keep *keep, void *list, int count, int *room, size_t size);

#define SP_WORDS_FAIL(w, ...) sp__cells_fail((w)->cells, (w)->line, -1, __LINE__, __VA_ARGS__)

// A number and the character after it, to a FILE: whole numbers without a point, others so that they read back bit for bit.
void sp__words_put(void *stream, double value, char after);
void sp__words_put_integer(void *stream, int64_t value, char after);  // 0: nothing after it

#endif
