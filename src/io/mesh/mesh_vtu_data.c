// Numbers of a data array of VTK's XML files: text, base64 or raw bytes; the last two may be compressed in blocks.
//
// Byte layout (words of 4 or 8 bytes): [size] [data], or [blocks] [block size] [size of the last block, 0: full] [compressed size
// of each] [data]. In base64 both parts are one text, each stream with its own padding.
#include <stdarg.h>
#include <stdio.h>

#include "io/mesh/mesh_vtu.h"
#include "util/base64.h"

sp_status sp__vtu_fail(sp_vtu *r, const sp_vtu_data *d, int source_line, const char *format, ...) {
    char text[280], name[48];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    snprintf(name, sizeof name, "%.*s", (int)(d->name.size < 40 ? d->name.size : 40), d->name.at);
    int64_t offset = d->format == SP_VTU_APPENDED && r->appended ? r->appended - r->begin + d->offset : -1;
    return sp__cells_fail(r->x.cells, offset < 0 ? d->line : 0, offset, source_line, "array '%s': %s", name, text);
}

// start of the characters or bytes of an array, and their maximum number
typedef struct source {
    const char *at;
    size_t size;
    bool raw;
} source;

static sp_status find_source(sp_vtu *r, const sp_vtu_data *d, source *out) {
    if (d->format == SP_VTU_APPENDED) {
        if (!r->appended) return SP_VTU_FAIL(r, d, "its numbers are in the appended data, which the file does not have");
        if (d->offset < 0 || d->offset > r->appended_end - r->appended)
            return SP_VTU_FAIL(r, d, "offset %lld, but the appended data have %lld bytes", (long long)d->offset,
                               (long long)(r->appended_end - r->appended));
        *out = (source){r->appended + d->offset, (size_t)(r->appended_end - r->appended - d->offset), r->raw};
        return SP_OK;
    }
    *out = (source){d->begin, (size_t)(d->end - d->begin), false};
    return SP_OK;
}

// the first n bytes of a source; base64 is decoded to `scratch`
static sp_status take_bytes(sp_vtu *r, const sp_vtu_data *d, const source *s, size_t n, unsigned char *scratch,
                            const unsigned char **out) {
    size_t bad = 0;
    size_t most = s->raw ? s->size : s->size / 4 * 3 + 3;
    if (n > most) return SP_VTU_FAIL(r, d, "%zu bytes are needed, but the file has room for %zu at most", n, most);
    if (s->raw) {
        *out = (const unsigned char *)s->at;
        return SP_OK;
    }
    *out = scratch;
    if (n == 0 || sp__base64_decode(s->at, s->size, scratch, n, &bad)) return SP_OK;
    if (bad >= s->size) return SP_VTU_FAIL(r, d, "the base64 text ends before the %zu bytes that are needed", n);
    return SP_VTU_FAIL(r, d, "character %zu of its base64 text is '%c', which does not belong there", bad,
                       s->at[bad] > 32 && s->at[bad] < 127 ? s->at[bad] : '?');
}

static uint64_t word_at(const sp_vtu *r, const unsigned char *bytes, size_t i) {
    int64_t word;
    size_t size = r->wide_header ? 8 : 4;
    sp__numbers_get_int64(bytes + i * size, r->wide_header ? SP_UINT64 : SP_UINT32, r->swap, 1, &word);
    return (uint64_t)word;
}

// limits the total size: overlapping arrays could make a small file need any amount of memory
static sp_status account(sp_vtu *r, const sp_vtu_data *d, uint64_t bytes) {
    r->used += (int64_t)bytes;
    if (r->used <= 4 * (r->x.end - r->begin) + 4096) return SP_OK;
    return SP_VTU_FAIL(r, d, "the arrays overlap: together they are larger than the file");
}

// ------------------------------------------------------------------------------------------------ plain bytes

static sp_status plain_bytes(sp_vtu *r, const sp_vtu_data *d, const source *s, uint64_t bytes, const unsigned char **out) {
    size_t word = r->wide_header ? 8 : 4;
    unsigned char head[8];
    const unsigned char *at;
    if (bytes == 0 && s->size < word) return SP_OK;  // an empty array may have no header
    SP_TRY(take_bytes(r, d, s, word, head, &at));
    uint64_t said = word_at(r, at, 0);
    if (said != bytes)
        return SP_VTU_FAIL(r, d, "%llu bytes announced, but its counts need %llu", (unsigned long long)said,
                           (unsigned long long)bytes);
    SP_TRY(account(r, d, bytes));
    if (bytes > s->size)
        return SP_VTU_FAIL(r, d, "%llu bytes are needed, but the file ends after %zu", (unsigned long long)bytes, s->size);
    if (!s->raw && !(r->scratch = sp__alloc(r->x.cells->ctx, (size_t)bytes + word, 1))) return sp__cells_no_memory(r->x.cells);
    SP_TRY(take_bytes(r, d, s, (size_t)bytes + word, r->scratch, &at));
    *out = at + word;
    return SP_OK;
}

// ------------------------------------------------------------------------------------------------ compressed bytes

typedef struct blocks {
    uint64_t count, size, last, packed;
    size_t header;  // bytes
} blocks;

static sp_status read_blocks(sp_vtu *r, const sp_vtu_data *d, const source *s, uint64_t bytes, blocks *b) {
    size_t word = r->wide_header ? 8 : 4;
    unsigned char head[24];
    const unsigned char *at;
    SP_TRY(take_bytes(r, d, s, word, head, &at));
    b->count = word_at(r, at, 0);
    b->header = word;
    if (b->count == 0) {
        if (bytes) return SP_VTU_FAIL(r, d, "no compressed blocks, but its counts need %llu bytes", (unsigned long long)bytes);
        return SP_OK;
    }
    SP_TRY(take_bytes(r, d, s, 3 * word, head, &at));
    b->size = word_at(r, at, 1);
    b->last = word_at(r, at, 2);
    if (b->count > s->size / word)
        return SP_VTU_FAIL(r, d, "%llu compressed blocks announced in %zu bytes", (unsigned long long)b->count, s->size);
    if (b->last == 0) b->last = b->size;
    if (b->size > INT32_MAX || b->last > b->size || (b->count - 1) * b->size + b->last != bytes)
        return SP_VTU_FAIL(r, d, "%llu blocks of %llu bytes, the last of %llu, but its counts need %llu bytes",
                           (unsigned long long)b->count, (unsigned long long)b->size, (unsigned long long)b->last,
                           (unsigned long long)bytes);
    // the best compression ratio of zlib is 1032
    if (bytes / 1040 > s->size)
        return SP_VTU_FAIL(r, d, "%llu bytes cannot be packed into %zu", (unsigned long long)bytes, s->size);
    b->header = (3 + (size_t)b->count) * word;
    return SP_OK;
}

static sp_status inflate_blocks(sp_vtu *r, const sp_vtu_data *d, const blocks *b, const unsigned char *head, unsigned char *out) {
    const unsigned char *from = head + b->header;
    for (uint64_t i = 0; i < b->count; i++) {
        size_t packed = (size_t)word_at(r, head, 3 + (size_t)i), bytes = (size_t)(i + 1 < b->count ? b->size : b->last);
        if (!sp__vtu_inflate(from, packed, out + i * b->size, bytes))
            return SP_VTU_FAIL(r, d, "compressed block %llu of %llu is damaged", (unsigned long long)i,
                               (unsigned long long)b->count);
        from += packed;
    }
    return SP_OK;
}

// total compressed size of the blocks; `room` holds the header
static sp_status sum_blocks(sp_vtu *r, const sp_vtu_data *d, const source *s, blocks *b, unsigned char *memory) {
    const unsigned char *head;
    SP_TRY(take_bytes(r, d, s, b->header, memory, &head));
    for (uint64_t i = 0; i < b->count; i++) {
        uint64_t size = word_at(r, head, 3 + (size_t)i);
        if (size > s->size - b->packed)
            return SP_VTU_FAIL(r, d, "compressed block %llu has %llu bytes, but the file ends after %llu", (unsigned long long)i,
                               (unsigned long long)size, (unsigned long long)(s->size - b->packed));
        b->packed += size;
    }
    return account(r, d, b->packed);
}

static sp_status unpack(sp_vtu *r, const sp_vtu_data *d, const source *s, const blocks *b, uint64_t bytes,
                        unsigned char *memory) {
    const unsigned char *head;
    SP_TRY(take_bytes(r, d, s, b->header + (size_t)b->packed, memory, &head));
    if (!(r->scratch = sp__alloc(r->x.cells->ctx, (size_t)bytes + 1, 1))) return sp__cells_no_memory(r->x.cells);
    return inflate_blocks(r, d, b, head, r->scratch);
}

static sp_status packed_bytes(sp_vtu *r, const sp_vtu_data *d, const source *s, uint64_t bytes, const unsigned char **out) {
    sp_context *ctx = r->x.cells->ctx;
    blocks b = {0};
    if (!sp__vtu_has_zlib())
        return SP_FAIL(ctx, SP_UNAVAILABLE,
                       "%s: compressed by zlib, which this build lacks: install zlib and build with -DSP_ZLIB=ON, or write the "
                       "file uncompressed",
                       r->x.cells->file);
    if (bytes == 0 && s->size < 4) return SP_OK;
    SP_TRY(read_blocks(r, d, s, bytes, &b));
    if (!b.count) return SP_OK;
    // raw bytes are used in place; base64 is decoded, first the header, then everything
    unsigned char *memory = s->raw ? NULL : sp__alloc(ctx, b.header, 1);
    if (!s->raw && !memory) return sp__cells_no_memory(r->x.cells);
    sp_status status = sum_blocks(r, d, s, &b, memory);
    sp__free(ctx, memory);
    if (status < 0) return status;
    memory = s->raw ? NULL : sp__alloc(ctx, b.header + (size_t)b.packed, 1);
    if (!s->raw && !memory) return sp__cells_no_memory(r->x.cells);
    status = unpack(r, d, s, &b, bytes, memory);
    sp__free(ctx, memory);
    *out = r->scratch;
    return status;
}

// ------------------------------------------------------------------------------------------------ numbers

static sp_status fetch(sp_vtu *r, const sp_vtu_data *d, int64_t n, const unsigned char **out) {
    source s = {0};
    uint64_t bytes = (uint64_t)n * sp__number_size(d->type);
    SP_TRY(find_source(r, d, &s));
    sp__free(r->x.cells->ctx, r->scratch);
    r->scratch = NULL;
    *out = NULL;
    return r->compressed ? packed_bytes(r, d, &s, bytes, out) : plain_bytes(r, d, &s, bytes, out);
}

static sp_status text_end(sp_vtu *r, const sp_vtu_data *d, sp_words *w, int64_t n) {
    sp__words_space(w);
    if (w->at == w->end) return SP_OK;
    return SP_VTU_FAIL(r, d, "more than the %lld numbers that its counts need", (long long)n);
}

sp_status sp__vtu_check_size(sp_vtu *r, const sp_vtu_data *d, int64_t n) {
    source s = {0};
    SP_TRY(find_source(r, d, &s));
    int64_t most = d->format == SP_VTU_ASCII ? ((int64_t)s.size + 1) / 2 : (int64_t)s.size * (r->compressed ? 1040 : 1);
    if (n <= most) return SP_OK;
    return SP_VTU_FAIL(r, d, "%lld numbers are needed, but the file has room for %lld at most", (long long)n, (long long)most);
}

sp_status sp__vtu_doubles(sp_vtu *r, const sp_vtu_data *d, bool finite, int64_t n, double *out) {
    sp_words w = {r->x.cells, d->begin, d->end, d->line};
    const unsigned char *bytes;
    char what[48];
    snprintf(what, sizeof what, "array '%.*s'", (int)(d->name.size < 32 ? d->name.size : 32), d->name.at);
    if (d->format == SP_VTU_ASCII) {
        for (int64_t i = 0; i < n; i++)
            SP_TRY(finite ? sp__words_number(&w, what, &out[i]) : sp__words_any_number(&w, what, &out[i]));
        return text_end(r, d, &w, n);
    }
    SP_TRY(fetch(r, d, n, &bytes));
    if (n) sp__numbers_get(bytes, d->type, r->swap, (size_t)n, sp__number_size(d->type), out, 1);
    for (int64_t i = 0; finite && i < n; i++)
        if (!isfinite(out[i])) return SP_VTU_FAIL(r, d, "number %lld is %g, must be finite", (long long)i, out[i]);
    return SP_OK;
}

sp_status sp__vtu_integers(sp_vtu *r, const sp_vtu_data *d, int64_t n, int64_t *out) {
    sp_words w = {r->x.cells, d->begin, d->end, d->line};
    const unsigned char *bytes;
    if (!sp__number_integral(d->type)) return SP_VTU_FAIL(r, d, "must be of an integer type");
    if (d->format == SP_VTU_ASCII) {
        for (int64_t i = 0; i < n; i++) SP_TRY(sp__words_integer(&w, "an integer of an array", INT64_MIN, INT64_MAX, &out[i]));
        return text_end(r, d, &w, n);
    }
    SP_TRY(fetch(r, d, n, &bytes));
    if (n) sp__numbers_get_int64(bytes, d->type, r->swap, (size_t)n, out);
    return SP_OK;
}
