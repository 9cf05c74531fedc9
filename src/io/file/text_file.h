// Text files as this library reads and writes them: a whole file in memory, numbers scanned by hand (fast, exact, whatever the
// host's locale), and memory that is given back all at once.
#ifndef SP_TEXT_FILE_H
#define SP_TEXT_FILE_H

#include "core/core.h"

// The whole of a regular file, a zero byte after its end; free it with sp__free. `limit`: bytes allowed, 0 for any.
sp_status sp__text_read(sp_context *ctx, const char *path, size_t limit, char **text, size_t *size);

// One number at p (no space before it). Returns what follows it, or NULL: not a finite decimal number. The text must end in a
// zero byte somewhere.
const char *sp__scan_double(const char *p, double *out);
const char *sp__scan_int64(const char *p, int64_t *out);

// A number that reads back to the same bits; room for 32 characters.
void sp__print_double(char *out, double value);

// Allocations that are freed together.
typedef struct sp_keep {
    sp_context *ctx;
    struct sp_keep_item *newest;
} sp_keep;
void *sp__keep_alloc(sp_keep *keep, size_t n, size_t size);  // zeroed; NULL: no memory
char *sp__keep_text(sp_keep *keep, const char *text);        // a copy
// More room for what is kept already (NULL: nothing yet): `have` items stay, the rest is zero. NULL: no memory, all as before.
void *sp__keep_grow(sp_keep *keep, void *memory, size_t have, size_t n, size_t size);
void sp__keep_free(sp_keep *keep);
#define SP_KEEP(keep, p, n) ((p) = sp__keep_alloc((keep), (size_t)(n), sizeof *(p)))
// p, of room for *room items of which `used` are in use, with room for one more at least; false: no memory.
#define SP_KEEP_MORE(keep, p, used, room) sp__keep_more((keep), (void **)&(p), (size_t)(used), (room), sizeof *(p))
bool sp__keep_more(sp_keep *keep, void **memory, size_t used, size_t *room, size_t size);

#endif
