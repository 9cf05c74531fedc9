// VTK's XML files: unstructured grids (.vtu) and polygonal data (.vtp), in one or several pieces. The structure is scanned first;
// then the points, cells and arrays of all pieces are decoded and checked against the counts. Pieces are concatenated; points on
// their common boundary are not merged. An array that is missing in a piece is left out.
#include "io/mesh/mesh_vtk.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>

#include "util/base64.h"

typedef struct sp_slice {
    const char *at;
    size_t size;
} sp_slice;

enum { SP_XML_ATTRIBUTES = 24 };

typedef struct sp_xml_tag {
    sp_slice name;
    bool closing, alone;  // </a>, <a/>
    int line;
    sp_slice names[SP_XML_ATTRIBUTES], values[SP_XML_ATTRIBUTES];
    int count;
    const char *end;  // after its '>'
} sp_xml_tag;

typedef struct sp_xml {
    sp_cells *cells;
    const char *at, *end;
    int line;
} sp_xml;

typedef enum sp_vtu_section {
    SP_VTU_VERTS,
    SP_VTU_LINES,
    SP_VTU_POLYS,
    SP_VTU_STRIPS,  // the four lists are in the order of the cell data
    SP_VTU_CELLS,
    SP_VTU_POINTS,
    SP_VTU_POINT_DATA,
    SP_VTU_CELL_DATA,
    SP_VTU_OTHER
} sp_vtu_section;

typedef enum sp_vtu_format { SP_VTU_ASCII, SP_VTU_BASE64, SP_VTU_APPENDED } sp_vtu_format;

typedef struct sp_vtu_data {
    int piece;
    sp_vtu_section section;
    sp_slice name;
    sp_number type;
    int64_t components;
    sp_vtu_format format;
    sp_vtk_role role;
    const char *begin, *end;  // text between its tags
    int line;
    int64_t offset;  // in the appended data
} sp_vtu_data;

typedef struct sp_vtu_piece {
    int64_t points, cells;
    int64_t kinds[4];  // verts, lines, polys, strips
    int first_data, data_count;
    int64_t first_point, first_cell, first_corner;
} sp_vtu_piece;

typedef struct sp_vtu {
    sp_xml x;
    const char *begin;
    bool polygonal, swap, wide_header, compressed;
    bool raw;                             // the appended data are bytes, not base64
    const char *appended, *appended_end;  // NULL: there are none
    sp_vtu_piece *pieces;
    int piece_count, piece_capacity;
    sp_vtu_data *data;
    int data_count, data_capacity;
    int64_t used;  // bytes of the file that the arrays so far occupy
    unsigned char *scratch;
    sp_vtk_grid grid;
} sp_vtu;

static sp_status vtu_fail(sp_vtu *r, const sp_vtu_data *d, int source_line, const char *format, ...) SP_PRINTF(4, 5);
#define SP_VTU_FAIL(r, d, ...) vtu_fail((r), (d), __LINE__, __VA_ARGS__)

// ========================================================================================================== tags

// Scanner for the tags of VTK's XML files. It replaces libxml2 here because raw appended data are not XML (they may hold any
// byte), and because libxml2 would copy text nodes of a hundred megabytes several times. It supports tags, attributes, comments
// and the five predefined entities; a document type (and so any other entity) is an error. One pass, no allocation.

#define XML_FAIL(x, ...) sp__cells_fail((x)->cells, (x)->line, -1, __LINE__, __VA_ARGS__)

static void vtu_xml_step(sp_xml *x, const char *to) {
    for (; x->at < to; x->at++) x->line += *x->at == '\n';
}

static const char *find_text(const char *at, const char *end, const char *text) {
    size_t n = strlen(text);
    for (; (size_t)(end - at) >= n; at++) {
        at = memchr(at, text[0], (size_t)(end - at) - n + 1);
        if (!at) return NULL;
        if (memcmp(at, text, n) == 0) return at;
    }
    return NULL;
}

static bool starts(const sp_xml *x, const char *text) {
    size_t n = strlen(text);
    return (size_t)(x->end - x->at) >= n && memcmp(x->at, text, n) == 0;
}

static bool is_name(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '.' ||
           c == ':';
}

static sp_slice take_name(sp_xml *x) {
    sp_slice name = {x->at, 0};
    while (x->at < x->end && is_name(*x->at)) x->at++;
    name.size = (size_t)(x->at - name.at);
    return name;
}

static void space(sp_xml *x) {
    while (x->at < x->end && sp__is_space(*x->at)) vtu_xml_step(x, x->at + 1);
}

static sp_status take_attribute(sp_xml *x, sp_xml_tag *tag) {
    sp_slice name = take_name(x);
    space(x);
    if (!name.size || x->at >= x->end || *x->at != '=') return XML_FAIL(x, "an attribute name=\"value\" is needed in this tag");
    x->at++;
    space(x);
    char quote = x->at < x->end ? *x->at : 0;
    if (quote != '"' && quote != '\'')
        return XML_FAIL(x, "the value of attribute %.*s must be in quotes", (int)(name.size < 40 ? name.size : 40), name.at);
    const char *from = x->at + 1, *to = memchr(from, quote, (size_t)(x->end - from));
    if (!to || memchr(from, '<', (size_t)(to - from)))
        return XML_FAIL(x, "the value of attribute %.*s is never closed", (int)(name.size < 40 ? name.size : 40), name.at);
    vtu_xml_step(x, to + 1);
    if (tag->count == SP_XML_ATTRIBUTES) return XML_FAIL(x, "a tag of more than %d attributes", SP_XML_ATTRIBUTES);
    tag->names[tag->count] = name;
    tag->values[tag->count++] = (sp_slice){from, (size_t)(to - from)};
    return SP_OK;
}

// expects '<' at the current position
static sp_status xml_take_tag(sp_xml *x, sp_xml_tag *tag) {
    x->at++;
    tag->line = x->line;
    if (x->at < x->end && *x->at == '/') tag->closing = true, x->at++;
    tag->name = take_name(x);
    if (!tag->name.size) return XML_FAIL(x, "a tag without a name");
    for (;;) {
        space(x);
        if (x->at >= x->end)
            return XML_FAIL(x, "the file ends inside a tag <%.*s", (int)(tag->name.size < 40 ? tag->name.size : 40),
                            tag->name.at);
        if (*x->at == '>') break;
        if (*x->at == '/' && x->at + 1 < x->end && x->at[1] == '>') {
            tag->alone = true;
            x->at++;
            break;
        }
        SP_TRY(take_attribute(x, tag));
    }
    tag->end = ++x->at;
    return SP_OK;
}

// Reads the next tag; comments and processing instructions are skipped. tag->name.size is 0 at the end of the file.
static sp_status xml_next(sp_xml *x, sp_xml_tag *tag) {
    tag->name = (sp_slice){x->end, 0};
    tag->closing = tag->alone = false;
    tag->count = 0;
    for (;;) {
        const char *open = x->at < x->end ? memchr(x->at, '<', (size_t)(x->end - x->at)) : NULL;
        vtu_xml_step(x, open ? open : x->end);
        if (!open) return SP_OK;
        bool comment = starts(x, "<!--"), instruction = starts(x, "<?");
        if (!comment && !instruction) break;
        const char *close = find_text(x->at, x->end, comment ? "-->" : "?>");
        if (!close) return XML_FAIL(x, "a comment or instruction is never closed");
        vtu_xml_step(x, close + 2);
    }
    if (starts(x, "<!")) return XML_FAIL(x, "a document type or section of characters, which VTK's files do not have");
    return xml_take_tag(x, tag);
}

static bool xml_is(const sp_slice *slice, const char *text) {
    return slice->size == strlen(text) && memcmp(slice->at, text, slice->size) == 0;
}

// the value of the attribute, or NULL
static const sp_slice *xml_find(const sp_xml_tag *tag, const char *name) {
    for (int i = 0; i < tag->count; i++)
        if (xml_is(&tag->names[i], name)) return &tag->values[i];
    return NULL;
}

// The text with the five predefined entities resolved, kept; NULL: no memory.
static char *xml_text(sp_keep *keep, const sp_slice *slice) {
    static const char *const entities[][2] = {{"&amp;", "&"}, {"&lt;", "<"}, {"&gt;", ">"}, {"&quot;", "\""}, {"&apos;", "'"}};
    char *text = sp__keep_alloc(keep, slice->size + 1, 1), *to = text;
    if (!text) return NULL;
    for (const char *p = slice->at, *end = p + slice->size; p < end;) {
        size_t n = 1;
        *to = *p;
        for (int e = 0; *p == '&' && e < 5; e++)
            if ((size_t)(end - p) >= strlen(entities[e][0]) && memcmp(p, entities[e][0], strlen(entities[e][0])) == 0)
                n = strlen(entities[e][0]), *to = entities[e][1][0];
        p += n;
        to++;
    }
    return text;
}

// An integer attribute; `absent` is the default.
static sp_status xml_integer(sp_xml *x, const sp_xml_tag *tag, const char *name, int64_t absent, int64_t low, int64_t high,
                             int64_t *out) {
    const sp_slice *value = xml_find(tag, name);
    *out = absent;
    if (!value) return SP_OK;
    sp_words w = {.cells = x->cells, .at = value->at, .end = value->at + value->size, .line = tag->line};
    SP_TRY(sp__words_integer(&w, name, low, high, out));
    sp__words_space(&w);
    if (w.at < w.end) return sp__cells_fail(x->cells, tag->line, -1, __LINE__, "%s: one integer is needed", name);
    return SP_OK;
}

// ======================================================================================= numbers of a data array

// Numbers of a data array of VTK's XML files: text, base64 or raw bytes; the last two may be compressed in blocks.
//
// Byte layout (words of 4 or 8 bytes): [size] [data], or [blocks] [block size] [size of the last block, 0: full] [compressed size
// of each] [data]. In base64 both parts are one text, each stream with its own padding.

// Fails at an array, with its line, or with its offset in the appended data.
static sp_status vtu_fail(sp_vtu *r, const sp_vtu_data *d, int source_line, const char *format, ...) {
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

// Fails if the data of an array cannot hold n numbers, at the best compression ratio. Call before memory is allocated for them.
static sp_status vtu_check_size(sp_vtu *r, const sp_vtu_data *d, int64_t n) {
    source s = {0};
    SP_TRY(find_source(r, d, &s));
    int64_t most = d->format == SP_VTU_ASCII ? ((int64_t)s.size + 1) / 2 : (int64_t)s.size * (r->compressed ? 1040 : 1);
    if (n <= most) return SP_OK;
    return SP_VTU_FAIL(r, d, "%lld numbers are needed, but the file has room for %lld at most", (long long)n, (long long)most);
}

// Reads exactly n numbers of an array.
static sp_status vtu_doubles(sp_vtu *r, const sp_vtu_data *d, bool finite, int64_t n, double *out) {
    sp_words w = {.cells = r->x.cells, .at = d->begin, .end = d->end, .line = d->line};
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

static sp_status vtu_integers(sp_vtu *r, const sp_vtu_data *d, int64_t n, int64_t *out) {
    sp_words w = {.cells = r->x.cells, .at = d->begin, .end = d->end, .line = d->line};
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

// ===================================================================================================== structure

// Structure of a VTK XML file: pieces, their counts, and the location of each data array. Nothing is decoded here.

#define SCAN_FAIL(r, tag, ...) sp__cells_fail((r)->x.cells, (tag)->line, -1, __LINE__, __VA_ARGS__)

enum { DATA_MAX = 65536 };

typedef struct scan {
    sp_vtu *r;
    sp_vtu_section section;
    bool in_piece, in_section;
    sp_xml_tag open;  // tag of the section; its attributes name the arrays of normals and so on
} scan;

static const char *vtu_scan_shown(const sp_slice *s, char out[48]) {
    size_t n = s->size < 40 ? s->size : 40;
    for (size_t i = 0; i < n; i++) out[i] = s->at[i] >= 32 && s->at[i] < 127 ? s->at[i] : '?';
    out[n] = 0;
    return out;
}

// ------------------------------------------------------------------------------------------------ header

static sp_status read_head(sp_vtu *r, const sp_xml_tag *tag) {
    char seen[48];
    const sp_slice *type = xml_find(tag, "type"), *order = xml_find(tag, "byte_order");
    const sp_slice *header = xml_find(tag, "header_type"), *packer = xml_find(tag, "compressor");
    if (!type) return SCAN_FAIL(r, tag, "VTKFile without its type");
    r->polygonal = xml_is(type, "PolyData");
    if (!r->polygonal && !xml_is(type, "UnstructuredGrid"))
        return SCAN_FAIL(r, tag, "a VTKFile of type '%s', only UnstructuredGrid and PolyData hold meshes",
                         vtu_scan_shown(type, seen));
    bool big = order && xml_is(order, "BigEndian");
    if (order && !big && !xml_is(order, "LittleEndian"))
        return SCAN_FAIL(r, tag, "byte_order '%s', must be LittleEndian or BigEndian", vtu_scan_shown(order, seen));
    r->swap = big != SP_HOST_BIG;
    r->wide_header = header && xml_is(header, "UInt64");
    if (header && !r->wide_header && !xml_is(header, "UInt32"))
        return SCAN_FAIL(r, tag, "header_type '%s', must be UInt32 or UInt64", vtu_scan_shown(header, seen));
    r->compressed = packer && packer->size;
    if (r->compressed && !xml_is(packer, "vtkZLibDataCompressor"))
        return SCAN_FAIL(r, tag, "compressed by %s, only vtkZLibDataCompressor can be read: write the file again with it",
                         vtu_scan_shown(packer, seen));
    return SP_OK;
}

static sp_status add_piece(sp_vtu *r, const sp_xml_tag *tag) {
    static const char *const kinds[] = {"NumberOfVerts", "NumberOfLines", "NumberOfPolys", "NumberOfStrips"};
    if (!SP_LIST_ROOM(&r->x.cells->keep, r->pieces, r->piece_count, &r->piece_capacity)) return sp__cells_no_memory(r->x.cells);
    sp_vtu_piece *p = &r->pieces[r->piece_count];
    *p = (sp_vtu_piece){.first_data = r->data_count};
    SP_TRY(xml_integer(&r->x, tag, "NumberOfPoints", 0, 0, INT_MAX / 4, &p->points));
    if (r->polygonal)
        for (int k = 0; k < 4; k++) {
            SP_TRY(xml_integer(&r->x, tag, kinds[k], 0, 0, INT_MAX / 16, &p->kinds[k]));
            p->cells += p->kinds[k];
        }
    else
        SP_TRY(xml_integer(&r->x, tag, "NumberOfCells", 0, 0, INT_MAX / 4, &p->cells));
    r->piece_count++;
    return SP_OK;
}

// ------------------------------------------------------------------------------------------------ arrays

static sp_number type_named(const sp_slice *name) {
    static const char *const names[] = {"Int8",   "UInt8", "Int16",  "UInt16",  "Int32",
                                        "UInt32", "Int64", "UInt64", "Float32", "Float64"};
    for (int i = 0; name && i < SP_NUMBER_TYPES; i++)
        if (xml_is(name, names[i])) return (sp_number)i;
    return SP_NUMBER_TYPES;
}

static sp_status read_format(sp_vtu *r, const sp_xml_tag *tag, sp_vtu_data *d) {
    char seen[48];
    const sp_slice *format = xml_find(tag, "format");
    if (!format || xml_is(format, "ascii"))
        d->format = SP_VTU_ASCII;
    else if (xml_is(format, "binary"))
        d->format = SP_VTU_BASE64;
    else if (xml_is(format, "appended"))
        d->format = SP_VTU_APPENDED;
    else
        return SCAN_FAIL(r, tag, "format '%s' of a DataArray, must be ascii, binary or appended", vtu_scan_shown(format, seen));
    return xml_integer(&r->x, tag, "offset", d->format == SP_VTU_APPENDED ? -1 : 0, 0, INT64_MAX / 4, &d->offset);
}

static sp_vtk_role role_of(const scan *s, const sp_slice *name) {
    static const struct {
        const char *attribute;
        sp_vtk_role role;
    } roles[] = {{"Normals", SP_VTK_NORMALS}, {"TCoords", SP_VTK_TEXCOORDS}, {"GlobalIds", SP_VTK_IDS}};
    for (size_t i = 0; i < sizeof roles / sizeof *roles; i++) {
        const sp_slice *value = xml_find(&s->open, roles[i].attribute);
        if (value && value->size == name->size && memcmp(value->at, name->at, name->size) == 0) return roles[i].role;
    }
    return SP_VTK_PLAIN;
}

// the content is the text up to the next tag; nested tags are skipped up to the closing tag
static sp_status take_content(sp_vtu *r, sp_vtu_data *d, const sp_xml_tag *open) {
    sp_xml_tag tag;
    d->begin = d->end = open->end;
    if (open->alone) return SP_OK;
    const char *next = memchr(open->end, '<', (size_t)(r->x.end - open->end));
    d->end = next ? next : r->x.end;
    for (int depth = 1; depth > 0;) {
        SP_TRY(xml_next(&r->x, &tag));
        if (!tag.name.size)
            return SCAN_FAIL(r, open, "<%.*s> is never closed", (int)(open->name.size < 40 ? open->name.size : 40),
                             open->name.at);
        if (!tag.alone) depth += tag.closing ? -1 : 1;
    }
    return SP_OK;
}

static sp_status add_data(scan *s, const sp_xml_tag *tag) {
    sp_vtu *r = s->r;
    char seen[48];
    const sp_slice *name = xml_find(tag, "Name"), *type = xml_find(tag, "type");
    sp_vtu_data d = {.piece = r->piece_count - 1, .section = s->section, .line = tag->line, .type = type_named(type)};
    if (name) d.name = *name;
    SP_TRY(xml_integer(&r->x, tag, "NumberOfComponents", 1, 0, 65536, &d.components));
    SP_TRY(read_format(r, tag, &d));
    SP_TRY(take_content(r, &d, tag));
    bool wanted = s->in_section && s->section != SP_VTU_OTHER;
    bool data = s->section == SP_VTU_POINT_DATA || s->section == SP_VTU_CELL_DATA;
    if (!wanted || (data && (d.type == SP_NUMBER_TYPES || !name))) return SP_OK;  // strings and bits are not numbers
    if (d.type == SP_NUMBER_TYPES) return SCAN_FAIL(r, tag, "a DataArray of type '%s'", type ? vtu_scan_shown(type, seen) : "");
    d.role = name ? role_of(s, name) : SP_VTK_PLAIN;
    if (r->data_count == DATA_MAX) return SCAN_FAIL(r, tag, "more than %d data arrays", DATA_MAX);
    if (!SP_LIST_ROOM(&r->x.cells->keep, r->data, r->data_count, &r->data_capacity)) return sp__cells_no_memory(r->x.cells);
    r->data[r->data_count++] = d;
    r->pieces[r->piece_count - 1].data_count++;
    return SP_OK;
}

// ------------------------------------------------------------------------------------------------ appended data

// the data begin after the underscore; raw bytes extend to the last closing tag
static sp_status find_appended(sp_vtu *r, const sp_xml_tag *tag) {
    static const char closing[] = "</AppendedData>";
    char seen[48];
    const sp_slice *encoding = xml_find(tag, "encoding");
    r->raw = encoding && xml_is(encoding, "raw");
    if (encoding && !r->raw && !xml_is(encoding, "base64"))
        return SCAN_FAIL(r, tag, "AppendedData of encoding '%s', must be raw or base64", vtu_scan_shown(encoding, seen));
    const char *p = tag->end, *end = r->x.end;
    while (p < end && sp__is_space(*p)) p++;
    if (tag->alone || p >= end || *p != '_') return SCAN_FAIL(r, tag, "AppendedData must begin with '_'");
    size_t n = sizeof closing - 1;
    for (const char *q = (size_t)(end - p) > n ? end - n : p; q > p; q--)
        if (*q == '<' && memcmp(q, closing, n) == 0) {
            end = q;
            break;
        }
    if (end == r->x.end) return SCAN_FAIL(r, tag, "AppendedData is never closed");
    r->appended = p + 1;
    r->appended_end = end;
    return SP_OK;
}

// ------------------------------------------------------------------------------------------------ document

static sp_vtu_section section_named(const sp_slice *name) {
    static const char *const names[] = {"Verts", "Lines", "Polys", "Strips", "Cells", "Points", "PointData", "CellData"};
    for (int i = 0; i < SP_VTU_OTHER; i++)
        if (xml_is(name, names[i])) return (sp_vtu_section)i;
    return SP_VTU_OTHER;
}

static sp_status scan_take_tag(scan *s, const sp_xml_tag *tag) {
    sp_vtu *r = s->r;
    if (xml_is(&tag->name, "Piece")) {
        s->in_piece = !tag->closing && !tag->alone;
        return tag->closing ? SP_OK : add_piece(r, tag);
    }
    if (!tag->closing && (xml_is(&tag->name, "DataArray") || xml_is(&tag->name, "Array"))) return add_data(s, tag);
    sp_vtu_section section = section_named(&tag->name);
    if (section == SP_VTU_OTHER && !xml_is(&tag->name, "FieldData")) return SP_OK;
    s->in_section = s->in_piece && !tag->closing && !tag->alone;
    s->section = section;
    s->open = *tag;
    return SP_OK;
}

// Finds the pieces and arrays of the file.
static sp_status vtu_scan(sp_vtu *r) {
    scan s = {.r = r, .section = SP_VTU_OTHER};
    sp_xml_tag tag;
    SP_TRY(xml_next(&r->x, &tag));
    if (!xml_is(&tag.name, "VTKFile") || tag.closing)
        return sp__cells_fail(r->x.cells, r->x.line, -1, __LINE__, "not a VTK XML file: it must begin with <VTKFile ...>");
    SP_TRY(read_head(r, &tag));
    for (bool closed = false; !closed;) {
        SP_TRY(xml_next(&r->x, &tag));
        if (!tag.name.size) return sp__cells_fail(r->x.cells, r->x.line, -1, __LINE__, "the file ends before </VTKFile>");
        if (xml_is(&tag.name, "AppendedData") && !tag.closing) return find_appended(r, &tag);
        closed = tag.closing && xml_is(&tag.name, "VTKFile");
        if (!closed) SP_TRY(scan_take_tag(&s, &tag));
    }
    return SP_OK;
}

// ======================================================================================================== reader

// ------------------------------------------------------------------------------------------------ lookup

static const sp_vtu_data *vtu_find(const sp_vtu *r, int piece, sp_vtu_section section, const char *name) {
    const sp_vtu_piece *p = &r->pieces[piece];
    for (int i = p->first_data; i < p->first_data + p->data_count; i++)
        if (r->data[i].section == section && (!name || xml_is(&r->data[i].name, name))) return &r->data[i];
    return NULL;
}

static sp_status missing(sp_vtu *r, const char *what, int piece) {
    return sp__cells_fail(r->x.cells, r->x.line, -1, __LINE__, "piece %d has no %s", piece, what);
}

// ------------------------------------------------------------------------------------------------ points

static sp_status read_points(sp_vtu *r) {
    sp_cells *c = r->x.cells;
    int64_t total = 0;
    for (int i = 0; i < r->piece_count; i++) {
        sp_vtu_piece *p = &r->pieces[i];
        p->first_point = total;
        total += p->points;
        if (!p->points) continue;
        const sp_vtu_data *d = vtu_find(r, i, SP_VTU_POINTS, NULL);
        if (!d) return missing(r, "Points", i);
        if (d->components != 3) return SP_VTU_FAIL(r, d, "points of %lld components, must have 3", (long long)d->components);
        SP_TRY(vtu_check_size(r, d, 3 * p->points));
    }
    if (total > INT_MAX / 4)
        return sp__cells_fail(c, r->x.line, -1, __LINE__, "%lld points, at most %d are allowed", (long long)total, INT_MAX / 4);
    if (!sp__cells_reserve_nodes(c, (int)total)) return sp__cells_no_memory(c);
    for (int i = 0; i < r->piece_count; i++) {
        const sp_vtu_piece *p = &r->pieces[i];
        if (p->points)
            SP_TRY(vtu_doubles(r, vtu_find(r, i, SP_VTU_POINTS, NULL), true, 3 * p->points, c->x + 3 * p->first_point));
    }
    return SP_OK;
}

// ------------------------------------------------------------------------------------------------ cells

static sp_vtu_section cell_section(const sp_vtu *r, int kind) {
    return r->polygonal ? (sp_vtu_section)kind : SP_VTU_CELLS;
}

static int64_t cells_of(const sp_vtu *r, int piece, int kind) {
    return r->polygonal ? r->pieces[piece].kinds[kind] : kind == 0 ? r->pieces[piece].cells : 0;
}

// offsets: the end of each cell in its piece and list; written to start[1 ..] and shifted by `corner`
static sp_status read_offsets(sp_vtu *r, const sp_vtu_data *d, int64_t n, int64_t corner, int64_t *start) {
    int64_t before = 0;
    SP_TRY(vtu_integers(r, d, n, start + 1));
    for (int64_t i = 1; i <= n; i++) {
        if (start[i] < before || start[i] > INT64_MAX / 16)
            return SP_VTU_FAIL(r, d, "offset %lld is %lld, must be %lld at least", (long long)(i - 1), (long long)start[i],
                               (long long)before);
        before = start[i];
        start[i] += corner;
    }
    return SP_OK;
}

static sp_status read_places(sp_vtu *r, const sp_vtu_piece *p, const sp_vtu_data *d, int64_t n, int *out) {
    int64_t *places = sp__alloc(r->x.cells->ctx, (size_t)n + 1, sizeof *places);
    if (!places) return sp__cells_no_memory(r->x.cells);
    sp_status status = vtu_integers(r, d, n, places);
    for (int64_t i = 0; i < n && status >= 0; i++) {
        if (places[i] < 0 || places[i] >= p->points)
            status = SP_VTU_FAIL(r, d, "number %lld is point %lld, must be in [0, %lld)", (long long)i, (long long)places[i],
                                 (long long)p->points);
        else
            out[i] = (int)(p->first_point + places[i]);
    }
    sp__free(r->x.cells->ctx, places);
    return status;
}

static sp_status read_types(sp_vtu *r, const sp_vtu_data *d, int64_t n, unsigned char *out) {
    int64_t *types = sp__alloc(r->x.cells->ctx, (size_t)n + 1, sizeof *types);
    if (!types) return sp__cells_no_memory(r->x.cells);
    sp_status status = vtu_integers(r, d, n, types);
    for (int64_t i = 0; i < n && status >= 0; i++) {
        out[i] = (unsigned char)types[i];
        if (types[i] < 0 || types[i] > 255)
            status = SP_VTU_FAIL(r, d, "cell %lld is of type %lld, must be in [0, 255]", (long long)i, (long long)types[i]);
    }
    sp__free(r->x.cells->ctx, types);
    return status;
}

// counts the cells and reads all offsets, which give the total number of corners
static sp_status plan_cells(sp_vtu *r) {
    sp_vtk_grid *g = &r->grid;
    sp_cells *c = r->x.cells;
    int64_t total = 0, corners = 0, at = 0;
    for (int i = 0; i < r->piece_count; i++) {
        r->pieces[i].first_cell = total;
        total += r->pieces[i].cells;
        for (int k = 0; k < 4; k++) {
            if (!cells_of(r, i, k)) continue;
            const sp_vtu_data *d = vtu_find(r, i, cell_section(r, k), "offsets");
            if (!d) return missing(r, "offsets of its cells", i);
            SP_TRY(vtu_check_size(r, d, cells_of(r, i, k)));
            if (!g->line) g->line = d->line;
        }
    }
    if (total > INT_MAX / 4)
        return sp__cells_fail(c, r->x.line, -1, __LINE__, "%lld cells, at most %d are allowed", (long long)total, INT_MAX / 4);
    if (!SP_KEEP(&c->keep, g->lists.start, total + 1) || !SP_KEEP(&c->keep, g->type, total)) return sp__cells_no_memory(c);
    for (int i = 0; i < r->piece_count; i++)
        for (int k = 0; k < 4; k++) {
            int64_t n = cells_of(r, i, k);
            if (!n) continue;
            const sp_vtu_data *d = vtu_find(r, i, cell_section(r, k), "connectivity");
            if (!d) return missing(r, "connectivity of its cells", i);
            SP_TRY(read_offsets(r, vtu_find(r, i, cell_section(r, k), "offsets"), n, corners, g->lists.start + at));
            at += n;
            SP_TRY(vtu_check_size(r, d, g->lists.start[at] - corners));
            corners = g->lists.start[at];
        }
    g->lists.count = total;
    return SP_KEEP(&c->keep, g->lists.nodes, corners) ? SP_OK : sp__cells_no_memory(c);
}

static sp_status read_cells(sp_vtu *r) {
    sp_vtk_grid *g = &r->grid;
    int64_t at = 0;
    SP_TRY(plan_cells(r));
    for (int i = 0; i < r->piece_count; i++)
        for (int k = 0; k < 4; k++) {
            int64_t n = cells_of(r, i, k), *start = g->lists.start + at;
            if (!n) continue;
            SP_TRY(read_places(r, &r->pieces[i], vtu_find(r, i, cell_section(r, k), "connectivity"), start[n] - start[0],
                               g->lists.nodes + start[0]));
            const sp_vtu_data *types = vtu_find(r, i, SP_VTU_CELLS, "types");
            if (!r->polygonal && !types) return missing(r, "types of its cells", i);
            if (!r->polygonal) SP_TRY(read_types(r, types, n, g->type + at));
            for (int64_t m = 0; r->polygonal && m < n; m++) g->type[at + m] = sp__vtk_poly_type(k, start[m + 1] - start[m]);
            at += n;
        }
    return SP_OK;
}

// ------------------------------------------------------------------------------------------------ arrays

static const sp_vtu_data *same_array(const sp_vtu *r, int piece, const sp_vtu_data *as) {
    const sp_vtu_piece *p = &r->pieces[piece];
    for (int i = p->first_data; i < p->first_data + p->data_count; i++) {
        const sp_vtu_data *d = &r->data[i];
        if (d->section == as->section && d->components == as->components && d->name.size == as->name.size &&
            memcmp(d->name.at, as->name.at, d->name.size) == 0)
            return d;
    }
    return NULL;
}

static bool in_all_pieces(const sp_vtu *r, const sp_vtu_data *d, bool on_cells) {
    for (int i = 0; i < r->piece_count; i++)
        if ((on_cells ? r->pieces[i].cells : r->pieces[i].points) && !same_array(r, i, d)) return false;
    return true;
}

static sp_status read_array(sp_vtu *r, const sp_vtu_data *first) {
    sp_cells *c = r->x.cells;
    bool on_cells = first->section == SP_VTU_CELL_DATA;
    char *name = xml_text(&c->keep, &first->name);
    if (!name) return sp__cells_no_memory(c);
    if (!in_all_pieces(r, first, on_cells) || first->components < 1) {
        sp__log(c->ctx, SP_LOG_WARNING, "%s: array '%s' is left out: not every piece has it", c->file, name);
        return SP_OK;
    }
    sp_vtk_array *a = sp__vtk_add_array(&r->grid, name, on_cells, (int)first->components, first->type);
    if (!a) return sp__cells_no_memory(c);
    a->role = r->piece_count > 1 && first->role == SP_VTK_IDS ? SP_VTK_PLAIN : first->role;  // pieces may repeat ids
    for (int i = 0; i < r->piece_count; i++) {
        const sp_vtu_piece *p = &r->pieces[i];
        int64_t tuples = on_cells ? p->cells : p->points, at = on_cells ? p->first_cell : p->first_point;
        if (!tuples) continue;
        const sp_vtu_data *d = same_array(r, i, first);
        SP_TRY(vtu_check_size(r, d, tuples * d->components));
        SP_TRY(vtu_doubles(r, d, false, tuples * d->components, a->values + at * first->components));
    }
    return SP_OK;
}

// the first piece with points decides which arrays are read
static sp_status read_arrays(sp_vtu *r) {
    int piece = 0, arrays = 0;
    while (piece < r->piece_count && !r->pieces[piece].points) piece++;
    if (piece == r->piece_count) return SP_OK;
    const sp_vtu_piece *p = &r->pieces[piece];
    for (int i = p->first_data; i < p->first_data + p->data_count; i++) {
        const sp_vtu_data *d = &r->data[i];
        if (d->section != SP_VTU_POINT_DATA && d->section != SP_VTU_CELL_DATA) continue;
        if (++arrays > SP_VTK_ARRAYS_MAX) return SP_VTU_FAIL(r, d, "more than %d arrays", SP_VTK_ARRAYS_MAX);
        SP_TRY(read_array(r, d));
    }
    return SP_OK;
}

// ------------------------------------------------------------------------------------------------ reader

static sp_status read_all(sp_vtu *r) {
    SP_TRY(vtu_scan(r));
    SP_TRY(read_points(r));
    SP_TRY(read_cells(r));
    SP_TRY(read_arrays(r));
    return sp__vtk_settle(&r->grid);
}

static sp_status vtu_read(sp_cells *cells, const char *text, size_t size, const char *path) {
    (void)path;
    sp_vtu r = {.x = {cells, text, text + size, 1}, .begin = text, .grid = {.cells = cells, .offset = -1}};
    sp_status status = read_all(&r);
    sp__free(cells->ctx, r.scratch);
    return status;
}

// looks for the root tag after a declaration and comments
static bool vtu_knows(const char *head, size_t size) {
    sp_words w = sp__words(NULL, head, size);
    for (;;) {
        sp__words_space(&w);
        size_t left = (size_t)(w.end - w.at);
        if (left > 8 && memcmp(w.at, "<VTKFile", 8) == 0) return true;
        if (left < 2 || w.at[0] != '<' || (w.at[1] != '?' && w.at[1] != '!')) return false;
        const char *close = memchr(w.at, '>', left);
        if (!close) return false;
        w.at = close + 1;
    }
}

const sp_mesh_format sp__format_vtu = {"vtu", ".vtu .vtp", "VTK XML", vtu_knows, vtu_read, sp__vtu_write};
