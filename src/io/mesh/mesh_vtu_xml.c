// Scanner for the tags of VTK's XML files. It replaces libxml2 here because raw appended data are not XML (they may hold any
// byte), and because libxml2 would copy text nodes of a hundred megabytes several times. It supports tags, attributes, comments
// and the five predefined entities; a document type (and so any other entity) is an error. One pass, no allocation.
#include <stdio.h>

#include "io/mesh/mesh_vtu.h"

#define FAIL(x, ...) sp__cells_fail((x)->cells, (x)->line, -1, __LINE__, __VA_ARGS__)

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
    if (!name.size || x->at >= x->end || *x->at != '=') return FAIL(x, "an attribute name=\"value\" is needed in this tag");
    x->at++;
    space(x);
    char quote = x->at < x->end ? *x->at : 0;
    if (quote != '"' && quote != '\'')
        return FAIL(x, "the value of attribute %.*s must stand in quotes", (int)(name.size < 40 ? name.size : 40), name.at);
    const char *from = x->at + 1, *to = memchr(from, quote, (size_t)(x->end - from));
    if (!to || memchr(from, '<', (size_t)(to - from)))
        return FAIL(x, "the value of attribute %.*s is never closed", (int)(name.size < 40 ? name.size : 40), name.at);
    vtu_xml_step(x, to + 1);
    if (tag->count == SP_XML_ATTRIBUTES) return FAIL(x, "a tag of more than %d attributes", SP_XML_ATTRIBUTES);
    tag->names[tag->count] = name;
    tag->values[tag->count++] = (sp_slice){from, (size_t)(to - from)};
    return SP_OK;
}

// expects '<' at the current position
static sp_status take_tag(sp_xml *x, sp_xml_tag *tag) {
    x->at++;
    tag->line = x->line;
    if (x->at < x->end && *x->at == '/') tag->closing = true, x->at++;
    tag->name = take_name(x);
    if (!tag->name.size) return FAIL(x, "a tag without a name");
    for (;;) {
        space(x);
        if (x->at >= x->end)
            return FAIL(x, "the file ends inside a tag <%.*s", (int)(tag->name.size < 40 ? tag->name.size : 40), tag->name.at);
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

sp_status sp__xml_next(sp_xml *x, sp_xml_tag *tag) {
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
        if (!close) return FAIL(x, "a comment or instruction is never closed");
        vtu_xml_step(x, close + 2);
    }
    if (starts(x, "<!")) return FAIL(x, "a document type or section of characters, which VTK's files do not have");
    return take_tag(x, tag);
}

bool sp__xml_is(const sp_slice *slice, const char *text) {
    return slice->size == strlen(text) && memcmp(slice->at, text, slice->size) == 0;
}

const sp_slice *sp__xml_find(const sp_xml_tag *tag, const char *name) {
    for (int i = 0; i < tag->count; i++)
        if (sp__xml_is(&tag->names[i], name)) return &tag->values[i];
    return NULL;
}

char *sp__xml_text(sp_keep *keep, const sp_slice *slice) {
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

sp_status sp__xml_integer(sp_xml *x, const sp_xml_tag *tag, const char *name, int64_t absent, int64_t low, int64_t high,
                          int64_t *out) {
    const sp_slice *value = sp__xml_find(tag, name);
    *out = absent;
    if (!value) return SP_OK;
    sp_words w = {x->cells, value->at, value->at + value->size, tag->line};
    SP_TRY(sp__words_integer(&w, name, low, high, out));
    sp__words_space(&w);
    if (w.at < w.end) return sp__cells_fail(x->cells, tag->line, -1, __LINE__, "%s: one integer is needed", name);
    return SP_OK;
}
