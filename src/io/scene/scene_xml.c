// XML to raw elements with libxml2's SAX interface: no document tree, no network, no DTD, only the five predefined entities. The
// lines of attributes are found by scanning the tag in our copy of the text, since the parser reports only its end.
#include <libxml/parser.h>
#include <libxml/parserInternals.h>
#include <stdio.h>

#include "io/scene/scene_read.h"

typedef struct reader {
    sp_scene *scene;
    const char *file, *text;
    size_t size;
    size_t at;  // lines are counted up to here
    int line;   // of `at`
    xmlParserCtxt *xml;
    sp_raw *root, *open;
    int depth;
    bool failed;
} reader;

static void xml_stop(reader *r) {
    r->failed = true;
    xmlStopParser(r->xml);
}

static void no_memory(reader *r) {
    r->scene->no_memory = true;
    xml_stop(r);
}

static int here(const reader *r) {
    return r->xml->input ? r->xml->input->line : 0;
}

// ---------------------------------------------------------------------------------------------- source positions

// line of a position; positions must ascend
static int line_at(reader *r, size_t place) {
    for (; r->at < place && r->at < r->size; r->at++) r->line += r->text[r->at] == '\n';
    return r->line;
}

// inside a tag, < occurs only as its first character
static size_t tag_start(const reader *r) {
    long end = xmlByteConsumed(r->xml);
    size_t p = end < 0 ? 0 : (size_t)end < r->size ? (size_t)end : r->size;
    while (p > 0 && (p == r->size || r->text[p] != '<')) p--;
    return p;
}

static size_t skip_space(const reader *r, size_t p) {
    while (p < r->size && strchr(" \t\r\n", r->text[p]) && r->text[p]) p++;
    return p;
}

static size_t skip_name(const reader *r, size_t p) {
    while (p < r->size && !strchr(" \t\r\n=/>", r->text[p])) p++;
    return p;
}

// lines of the attributes in file order, which is also the order of the event
static void attribute_lines(reader *r, size_t start, sp_raw *raw) {
    size_t p = skip_name(r, start + 1);
    for (int i = 0; i < raw->attr_count; i++) {
        p = skip_space(r, p);
        raw->attrs[i].line = line_at(r, p);
        p = skip_space(r, skip_name(r, p));
        if (p < r->size && r->text[p] == '=') p = skip_space(r, p + 1);
        char quote = p < r->size ? r->text[p] : 0;
        if (quote != '"' && quote != '\'') return;
        for (p++; p < r->size && r->text[p] != quote; p++) {}
        if (p < r->size) p++;
    }
}

// ---------------------------------------------------------------------------------------------- events

static bool within_limits(reader *r) {
    sp_scene *scene = r->scene;
    if (r->depth >= SP_MAX_DEPTH) {
        sp__scene_error_at(scene, r->file, here(r), "elements nested deeper than %d", SP_MAX_DEPTH);
    } else if (++scene->element_count > SP_MAX_ELEMENTS) {
        sp__scene_error_at(scene, r->file, here(r), "more than %d elements", SP_MAX_ELEMENTS);
    } else {
        return true;
    }
    xml_stop(r);
    return false;
}

static void link_raw(reader *r, sp_raw *raw) {
    raw->parent = r->open;
    if (!r->open) {
        r->root = raw;
    } else if (r->open->last) {
        r->open->last = r->open->last->next = raw;
    } else {
        r->open->first = r->open->last = raw;
    }
    r->open = raw;
    r->depth++;
}

static bool copy_attributes(reader *r, sp_raw *raw, int count, const xmlChar **list) {
    sp_scene *scene = r->scene;
    raw->attrs = sp__scene_alloc(scene, (size_t)count, sizeof *raw->attrs);
    if (!raw->attrs) return false;
    for (int i = 0; i < count; i++) {
        const char *name = (const char *)list[5 * i], *value = (const char *)list[5 * i + 3],
                   *end = (const char *)list[5 * i + 4];
        if (list[5 * i + 1]) {
            sp__scene_error_at(scene, r->file, here(r), "attribute \"%.40s:%.60s\": namespaces are not part of the language",
                               (const char *)list[5 * i + 1], name);
        }
        raw->attrs[i].name = sp__scene_copy(scene, name, strlen(name));
        raw->attrs[i].value = sp__scene_copy(scene, value, (size_t)(end - value));
        if (!raw->attrs[i].name || !raw->attrs[i].value) return false;
    }
    raw->attr_count = count;
    return true;
}

static void on_start(void *user, const xmlChar *name, const xmlChar *prefix, const xmlChar *uri, int namespace_count,
                     const xmlChar **namespaces, int attr_count, int defaulted, const xmlChar **attrs) {
    reader *r = user;
    (void)namespaces;
    (void)defaulted;
    if (r->failed || !within_limits(r)) return;
    if (prefix || uri || namespace_count)
        sp__scene_error_at(r->scene, r->file, here(r), "element \"%.60s\": namespaces are not part of the language",
                           (const char *)name);
    sp_raw *raw = sp__scene_alloc(r->scene, 1, sizeof *raw);
    if (!raw || !(raw->element = sp__scene_copy(r->scene, (const char *)name, strlen((const char *)name))) ||
        !copy_attributes(r, raw, attr_count, attrs)) {
        no_memory(r);
        return;
    }
    size_t start = tag_start(r);
    raw->file = r->file;
    raw->line = line_at(r, start);
    raw->size = 1;
    attribute_lines(r, start, raw);
    link_raw(r, raw);
}

static void on_end(void *user, const xmlChar *name, const xmlChar *prefix, const xmlChar *uri) {
    reader *r = user;
    (void)name;
    (void)prefix;
    (void)uri;
    if (r->failed || !r->open) return;
    sp_raw *closed = r->open;
    r->open = closed->parent;
    r->depth--;
    if (r->open) r->open->size += closed->size;
}

static void on_text(void *user, const xmlChar *text, int length) {
    reader *r = user;
    for (int i = 0; i < length && !r->failed; i++) {
        if (strchr(" \t\r\n", text[i]) && text[i]) continue;
        char words[48], quoted[80];
        snprintf(words, sizeof words, "%.*s", length - i > 40 ? 40 : length - i, (const char *)text + i);
        sp__scene_error_at(r->scene, r->file, here(r), "%s: text between tags: %s", r->open ? r->open->element : "scene",
                           sp__quote(words, quoted));
        return;
    }
}

static void on_doctype(void *user, const xmlChar *name, const xmlChar *id, const xmlChar *system) {
    reader *r = user;
    (void)name;
    (void)id;
    (void)system;
    if (!r->failed) sp__scene_error_at(r->scene, r->file, here(r), "a DOCTYPE is not allowed in a scene");
    xml_stop(r);
}

// editors find the schema by xml-model; no other instruction is allowed
static void on_instruction(void *user, const xmlChar *target, const xmlChar *data) {
    reader *r = user;
    (void)data;
    if (!r->failed && strcmp((const char *)target, "xml-model") != 0)
        sp__scene_error_at(r->scene, r->file, here(r), "processing instruction \"%.60s\" is not part of the language",
                           (const char *)target);
}

#if LIBXML_VERSION >= 21200
static void on_error(void *user, const xmlError *error) {
#else
static void on_error(void *user, xmlError *error) {
#endif
    reader *r = user;
    if (r->failed || error->level < XML_ERR_ERROR) return;
    if (error->code == XML_ERR_NO_MEMORY) {
        no_memory(r);
        return;
    }
    char words[200];
    snprintf(words, sizeof words, "%s", error->message ? error->message : "unknown reason");
    words[strcspn(words, "\n")] = 0;
    sp__scene_error_at(r->scene, r->file, error->line ? error->line : here(r), "not well-formed XML: %s", words);
    xml_stop(r);
}

// ---------------------------------------------------------------------------------------------- parser

// UTF-8 only: another declared encoding, or the zero bytes of UTF-16, would be misread
static bool encoding_allowed(reader *r) {
    if (memchr(r->text, 0, r->size)) {
        sp__scene_error_at(r->scene, r->file, 1, "not a text in UTF-8: it holds zero bytes");
        return false;
    }
    const char *text = r->text;
    size_t n = r->size < 200 ? r->size : 200;
    if (n >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0) {
        text += 3;
        n -= 3;
    }
    char head[201];
    memcpy(head, text, n);
    head[n] = 0;
    if (strncmp(head, "<?xml", 5) != 0) return true;
    char *end = strstr(head, "?>"), *encoding;
    if (end) *end = 0;
    if (!(encoding = strstr(head, "encoding"))) return true;
    encoding += strcspn(encoding, "\"'");
    if (*encoding) encoding++;
    size_t length = strcspn(encoding, "\"'");
    static const char *const allowed[] = {"UTF-8", "utf-8", "US-ASCII", "us-ascii", "ASCII"};
    for (size_t i = 0; i < sizeof allowed / sizeof allowed[0]; i++)
        if (strlen(allowed[i]) == length && strncmp(encoding, allowed[i], length) == 0) return true;
    sp__scene_error_at(r->scene, r->file, 1, "encoding \"%.*s\"; a scene is UTF-8", (int)length, encoding);
    return false;
}

static void xml_install(reader *r) {
    xmlSAXHandler *sax = r->xml->sax;
    memset(sax, 0, sizeof *sax);
    sax->initialized = XML_SAX2_MAGIC;
    sax->startElementNs = on_start;
    sax->endElementNs = on_end;
    sax->characters = on_text;
    sax->cdataBlock = on_text;
    sax->internalSubset = on_doctype;
    sax->processingInstruction = on_instruction;
    sax->serror = on_error;
    r->xml->userData = r;
    // expands the five predefined entities and character references; without a DOCTYPE there are no others
    xmlCtxtUseOptions(r->xml, XML_PARSE_NONET | XML_PARSE_NOENT | XML_PARSE_IGNORE_ENC);
}

sp_raw *sp__xml_parse(sp_scene *scene, const char *text, size_t size, const char *file) {
    reader r = {.scene = scene, .file = file, .text = text, .size = size, .line = 1};
    scene->xml_bytes += size;
    if (size > SP_MAX_XML || scene->xml_bytes > SP_MAX_XML) {
        sp__scene_error_at(scene, file, 0, "more than %d MiB of XML", SP_MAX_XML >> 20);
        return NULL;
    }
    if (size == 0) {
        sp__scene_error_at(scene, file, 1, "the file is empty");
        return NULL;
    }
    if (!encoding_allowed(&r)) return NULL;
    r.xml = xmlCreateMemoryParserCtxt(text, (int)size);
    if (!r.xml) {
        scene->no_memory = true;
        return NULL;
    }
    xml_install(&r);
    int before = scene->error_count;
    xmlParseDocument(r.xml);
    if (!r.xml->wellFormed && !r.failed && scene->error_count == before && !scene->no_memory)
        sp__scene_error_at(scene, file, here(&r), "not well-formed XML");
    bool good = r.xml->wellFormed && !r.failed && !scene->no_memory;
    xmlFreeParserCtxt(r.xml);
    return good ? r.root : NULL;
}
