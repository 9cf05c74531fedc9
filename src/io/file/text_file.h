// Files: a whole file in memory, a file that appears when it is complete, a number scanner (fast, exact, independent of the
// locale), and allocations that are freed together.
#ifndef SP_TEXT_FILE_H
#define SP_TEXT_FILE_H

#include "io/base.h"

// Reads a whole regular file, with a zero byte after its end; free it with sp__free. `limit`: maximum size in bytes, 0 for any.
sp_status sp__text_read(sp_context *ctx, const char *path, size_t limit, char **text, size_t *size);

// Scans one number at p, without white space before it. Returns the end of the number, or NULL if it is not a finite decimal
// number. The text must be terminated by a zero byte.
const char *sp__scan_double(const char *p, double *out);
const char *sp__scan_int64(const char *p, int64_t *out);

// Prints a number that reads back to the same bits; `out` holds 32 characters.
void sp__print_double(char *out, double value);

// Allocations that are freed together.
typedef struct sp_keep {
    sp_context *ctx;
    struct sp_keep_item *newest;
} sp_keep;
void *sp__keep_alloc(sp_keep *keep, size_t n, size_t size);  // zeroed; NULL: no memory
char *sp__keep_text(sp_keep *keep, const char *text);        // a copy
// Enlarges a kept allocation (NULL: a new one): `have` items stay, the rest is zero. NULL: no memory, nothing is changed.
void *sp__keep_grow(sp_keep *keep, void *memory, size_t have, size_t n, size_t size);
void sp__keep_free(sp_keep *keep);
#define SP_KEEP(keep, p, n) ((p) = sp__keep_alloc((keep), (size_t)(n), sizeof *(p)))
// Makes room for at least one more item: p has *room items of which `used` are in use; false: no memory.
#define SP_KEEP_MORE(keep, p, used, capacity) sp__keep_more((keep), (void **)&(p), (size_t)(used), (capacity), sizeof *(p))
bool sp__keep_more(sp_keep *keep, void **memory, size_t used, size_t *capacity, size_t size);

// A file that is written under a temporary name in the same folder. It is renamed when complete and removed otherwise.
typedef struct sp_new_file {
    sp_context *ctx;
    void *stream;  // FILE
    char *path, *draft;
} sp_new_file;
sp_status sp__new_file_open(sp_context *ctx, const char *path, sp_new_file *f);
sp_status sp__new_file_close(sp_new_file *f, bool good);  // renames the file if `good` and no write failed

#endif
