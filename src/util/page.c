// See page.h.
#include "util/page.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "util/base64.h"
#include "util/context.h"

void sp__page_put(sp_page *p, const char *text, size_t size) {
    if (sp__buffer_add(p->ctx, &p->text, text, size)) p->text.data[p->text.size] = 0;
}

void sp__page_add(sp_page *p, const char *format, ...) {
    char text[1001];
    va_list args;
    va_start(args, format);
    int n = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (n > 0) sp__page_put(p, text, (size_t)n < sizeof text ? (size_t)n : sizeof text - 1);
}

// length of the character at c if XML 1.0 allows it, else 0
static size_t page_allowed(const unsigned char *c, size_t left) {
    size_t n = c[0] < 0x80                   ? 1
               : c[0] >= 0xc2 && c[0] < 0xe0 ? 2
               : (c[0] & 0xf0) == 0xe0       ? 3
               : c[0] >= 0xf0 && c[0] < 0xf5 ? 4
                                             : 0;
    if (n == 0 || n > left) return 0;
    if (n == 1) return (c[0] >= 0x20 && c[0] != 0x7f) || c[0] == '\n' || c[0] == '\t' || c[0] == '\r' ? 1 : 0;
    for (size_t i = 1; i < n; i++)
        if ((c[i] & 0xc0) != 0x80) return 0;
    bool wrong = (c[0] == 0xe0 && c[1] < 0xa0) || (c[0] == 0xed && c[1] > 0x9f) || (c[0] == 0xf0 && c[1] < 0x90) ||
                 (c[0] == 0xf4 && c[1] > 0x8f) || (c[0] == 0xef && c[1] == 0xbf && c[2] >= 0xbe);
    return wrong ? 0 : n;
}

static const char *entity(unsigned char c) {
    return c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '&' ? "&amp;" : c == '"' ? "&quot;" : c == '\'' ? "&#39;" : NULL;
}

void sp__page_escape_bytes(sp_page *p, const char *text, size_t size) {
    const unsigned char *c = (const unsigned char *)text;
    for (size_t i = 0; i < size;) {
        size_t n = page_allowed(c + i, size - i);
        const char *e = n == 1 ? entity(c[i]) : n == 0 ? "\xef\xbf\xbd" : NULL;
        if (e)
            sp__page_put(p, e, strlen(e));
        else if (c[i] != '\r')
            sp__page_put(p, text + i, n);
        i += n ? n : 1;
    }
}

void sp__page_escape(sp_page *p, const char *text) {
    if (text) sp__page_escape_bytes(p, text, strlen(text));
}

void sp__page_base64(sp_page *p, const unsigned char *bytes, size_t size) {
    char *memory = sp__buffer_reserve(p->ctx, &p->text, sp__base64_length(size));
    if (!memory) return;
    sp__base64_encode(bytes, size, memory);
    p->text.data[p->text.size] = 0;
}

void sp__page_tenths(sp_page *p, double value) {
    long tenths = (long)floor(10 * fmin(fmax(value, -1e6), 1e6) + 0.5);  // NaN becomes -1e6, far outside
    long whole = (tenths < 0 ? -tenths : tenths) / 10, rest = (tenths < 0 ? -tenths : tenths) % 10;
    sp__page_add(p, rest ? "%s%ld.%ld" : "%s%ld", tenths < 0 ? "-" : "", whole, rest);
}

static sp_status save_failed(const sp_page *p, const char *path, const char *part) {
    int why = errno;
    if (part) remove(part);
    return SP_FAIL(p->ctx, SP_IO, "cannot write %s: %s", path, strerror(why));
}

sp_status sp__page_save(const sp_page *p, const char *path) {
    if (p->text.broken) return SP_FAIL(p->ctx, SP_NO_MEMORY, "no memory to write %s", path);
    size_t size = strlen(path) + 32;
    char *part = sp__alloc(p->ctx, size, 1);
    if (!part) return SP_FAIL(p->ctx, SP_NO_MEMORY, "no memory to write %s", path);
    snprintf(part, size, "%s.%ld.part", path, (long)getpid());
    FILE *file = fopen(part, "wb");
    sp_status status = SP_OK;
    if (!file) {
        status = save_failed(p, path, NULL);
    } else {
        bool whole = fwrite(p->text.size ? p->text.data : "", 1, p->text.size, file) == p->text.size;
        whole = fclose(file) == 0 && whole && rename(part, path) == 0;
        if (!whole) status = save_failed(p, path, part);
    }
    sp__free(p->ctx, part);
    return status;
}

void sp__page_free(sp_page *p) {
    sp__buffer_free(p->ctx, &p->text);
}
