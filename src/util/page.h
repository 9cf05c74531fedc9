// A growing text in memory that is written to its file completely or not at all, for SVG and HTML. An allocation failure sets
// `text.broken` and is reported once, by sp__page_save.
#ifndef SP_PAGE_H
#define SP_PAGE_H

#include "util/buffer.h"

typedef struct sp_page {
    sp_context *ctx;
    sp_buffer text;  // a zero byte follows its end
} sp_page;

void sp__page_put(sp_page *p, const char *text, size_t size);
void sp__page_add(sp_page *p, const char *format, ...) SP_PRINTF(2, 3);  // at most 1000 bytes per call
// Makes any text safe between tags and inside quotes: < > & " ' become entities, and characters that XML 1.0 does not allow
// (control characters, invalid UTF-8) become U+FFFD.
void sp__page_escape(sp_page *p, const char *text);
void sp__page_escape_bytes(sp_page *p, const char *text, size_t size);
void sp__page_base64(sp_page *p, const unsigned char *bytes, size_t size);
// A coordinate with one decimal and a point in every locale.
void sp__page_tenths(sp_page *p, double value);
// Writes to a temporary file next to `path` and renames it when complete.
sp_status sp__page_save(const sp_page *p, const char *path);
void sp__page_free(sp_page *p);

#endif
