// Text that grows in memory and goes to its file whole or not at all: SVG and HTML are written through it. Running out of memory
// is remembered and told once, by sp__page_save or by whoever looks at `broken`.
#ifndef SP_PAGE_H
#define SP_PAGE_H

#include "core/core.h"

typedef struct sp_page {
    sp_context *ctx;
    char *text;  // ends in a zero byte; NULL: nothing yet
    size_t size, capacity;
    bool broken;  // no memory: what was written is not whole
} sp_page;

void sp__page_put(sp_page *p, const char *text, size_t size);
void sp__page_add(sp_page *p, const char *format, ...) SP_PRINTF(2, 3);  // at most 1000 bytes at once
// Text from anywhere made harmless between tags and inside quotes: < > & " ' become entities, what XML 1.0 does not allow
// (control characters, broken UTF-8) becomes U+FFFD.
void sp__page_escape(sp_page *p, const char *text);
void sp__page_escape_bytes(sp_page *p, const char *text, size_t size);
void sp__page_base64(sp_page *p, const unsigned char *bytes, size_t size);
// One decimal, a point whatever the locale: coordinates.
void sp__page_tenths(sp_page *p, double value);
// To a file beside `path`, renamed onto it when it is whole.
sp_status sp__page_save(const sp_page *p, const char *path);
void sp__page_free(sp_page *p);

#endif
