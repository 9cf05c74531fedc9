// XML to raw elements with libxml2's SAX interface: no document tree, no network, no DTD, only the five predefined entities. The
// lines of attributes are found by scanning the tag in our copy of the text, since the parser reports only its end.
// Then the names are checked against the table.
#include "io/scene/scene_read.h"

#include <libxml/parser.h>
#include <libxml/parserInternals.h>
#include <stdio.h>

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
    for (int i = 0; i < length && !r->failed && !r->scene->foreign; i++) {
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
    if (r->scene->foreign) return;
    if (!r->failed) sp__scene_error_at(r->scene, r->file, here(r), "a DOCTYPE is not allowed in a scene");
    xml_stop(r);
}

// editors find the schema by xml-model; no other instruction is allowed
static void on_instruction(void *user, const xmlChar *target, const xmlChar *data) {
    reader *r = user;
    (void)data;
    if (!r->failed && !r->scene->foreign && strcmp((const char *)target, "xml-model") != 0)
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

// ========================================================================================================= names

// Checks the names of raw elements and attributes against the table: unknown names with the closest known one, names that this
// build does not have, misplaced elements. Templates and defaults are checked too.

enum { MOST = 200 };  // candidates for a suggestion

bool sp__name_valid(const char *name) {
    size_t n = strlen(name);
    if (n == 0 || n > SP_MAX_NAME) return false;
    for (size_t i = 0; i < n; i++) {
        char c = name[i];
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        bool other = (c >= '0' && c <= '9') || c == '_' || c == '-';
        if (!letter && (i == 0 || !other)) return false;
    }
    return true;
}

static int child_names(const sp_element_spec *parent, const char *known[MOST]) {
    int n = 0;
    for (int i = 0; i < sp__element_spec_count() && n < MOST; i++) {
        const sp_element_spec *e = sp__element_spec_at(i);
        if (!parent || sp__may_hold(parent, e)) known[n++] = e->name;
    }
    return n;
}

static void unknown_element(sp_scene *scene, const sp_raw *raw) {
    const char *known[MOST];
    char hint[120];
    // candidates are first the elements allowed here, then all elements
    int n = child_names(raw->parent ? raw->parent->spec : NULL, known);
    if (!sp__nearest(raw->element, known, n)) n = child_names(NULL, known);
    sp__raw_error(scene, raw->parent ? raw->parent : raw, raw->line, "unknown element \"%.60s\"%s", raw->element,
                  sp__did_you_mean(raw->element, known, n, hint));
}

static void misplaced_element(sp_scene *scene, const sp_raw *raw) {
    char where[400];
    size_t used = 0;
    where[0] = 0;
    for (int i = 0; i < sp__element_spec_count(); i++) {
        const sp_element_spec *e = sp__element_spec_at(i);
        if (!sp__may_hold(e, raw->spec) || strcmp(e->name, "default") == 0 || strcmp(e->name, "fragment") == 0) continue;
        int n = snprintf(where + used, sizeof where - used, "%s%s", used ? ", " : "; it belongs in ", e->name);
        if (n < 0 || (size_t)n >= sizeof where - used) break;
        used += (size_t)n;
    }
    sp__raw_error(scene, raw->parent, raw->line, "element \"%s\" is not allowed in \"%s\"%s", raw->spec->name,
                  raw->parent->spec->name, where);
}

// a placement on the shape of a solid, which belongs to the body
static bool placed_elsewhere(const sp_raw *raw, const char *meant) {
    bool shape = raw->parent && strcmp(raw->parent->element, "solid") == 0 &&
                 sp__list_has("box/cylinder/sphere/torus/organ", '/', raw->element);
    return shape && meant && sp__list_has("scale/rotate/quat/translate", '/', meant);
}

static void unknown_attribute(sp_scene *scene, const sp_raw *raw, const sp_raw_attr *attr) {
    const char *known[MOST];
    char hint[120];
    int n = 0;
    for (int i = 0; i < raw->spec->attr_count && n < MOST; i++) known[n++] = raw->spec->attrs[i].name;
    const char *meant = sp__nearest(attr->name, known, n);
    if (placed_elsewhere(raw, meant)) {
        sp__raw_error(
            scene, raw, attr->line,
            "unknown attribute \"%.60s\"; the placement belongs to the solid: <solid %s=\"...\"> (translate, rotate, scale)",
            attr->name, meant);
        return;
    }
    sp__raw_error(scene, raw, attr->line, "unknown attribute \"%.60s\"%s", attr->name,
                  sp__did_you_mean(attr->name, known, n, hint));
}

static void check_attributes(sp_scene *scene, const sp_raw *raw) {
    for (int i = 0; i < raw->attr_count; i++) {
        const sp_raw_attr *attr = &raw->attrs[i];
        int index = sp__attr_index(raw->spec, attr->name);
        if (index < 0)
            unknown_attribute(scene, raw, attr);
        else if (raw->spec->built && raw->spec->attrs[index].flags & SP_ATTR_NOT_BUILT)
            sp__raw_error(scene, raw, attr->line, "attribute \"%s\" is known, not in this build; a later version has it",
                          attr->name);
    }
}

static void check_name(sp_scene *scene, const sp_raw *raw) {
    const char *name = sp__raw_attr(raw, "name");
    char quoted[80];
    if (!name || !raw->parent || sp__attr_index(raw->spec, "name") < 0) return;
    if (!sp__name_valid(name)) {
        sp__raw_error(scene, raw, raw->line, "name %s: expected a letter, then letters, digits, _ and -, at most %d",
                      sp__quote(name, quoted), SP_MAX_NAME);
        return;
    }
    // a probe is always followed by a dot, "s.x", so that its name may be a word of expressions
    bool alone = strcmp(raw->element, "param") == 0 || strcmp(raw->element, "curve") == 0;
    if (!alone && strcmp(raw->element, "probe") != 0) return;
    if (strchr(name, '-'))
        sp__raw_error(scene, raw, raw->line, "name %s: expressions use it, so it has no \"-\"", sp__quote(name, quoted));
    else if (alone && sp__expr_reserved(name))
        sp__raw_error(scene, raw, raw->line, "name %s: a word of expressions cannot be the name of a %s", sp__quote(name, quoted),
                      raw->element);
}

// a default must not set attributes that belong to one element only
static void check_defaulted(sp_scene *scene, const sp_raw *raw) {
    if (raw->first) sp__raw_error(scene, raw, raw->first->line, "an element in a default has no children");
    for (int i = 0; i < raw->attr_count; i++)
        if (sp__is_own(raw->spec, raw->attrs[i].name))
            sp__raw_error(scene, raw, raw->attrs[i].line, "attribute \"%s\" cannot be defaulted", raw->attrs[i].name);
}

static void check_one(sp_scene *scene, sp_raw *raw) {
    raw->spec = sp__element_spec(raw->element);
    if (!raw->spec) {
        unknown_element(scene, raw);
        return;
    }
    if (raw->parent && !sp__may_hold(raw->parent->spec, raw->spec)) {
        raw->misplaced = true;
        misplaced_element(scene, raw);
        return;
    }
    if (!raw->spec->built)
        sp__raw_error(scene, raw, raw->line, "element \"%s\" is known, not in this build; a later version has it", raw->element);
    check_attributes(scene, raw);
    check_name(scene, raw);
    if (raw->parent && strcmp(raw->parent->element, "default") == 0) check_defaulted(scene, raw);
}

// the next element in document order; the children of an unknown or misplaced element are skipped
static sp_raw *following(sp_raw *raw, const sp_raw *root) {
    if (raw->first && raw->spec && !raw->misplaced) return raw->first;
    while (raw != root && !raw->next) raw = raw->parent;
    return raw == root ? NULL : raw->next;
}

void sp__check_names(sp_scene *scene, sp_raw *root) {
    for (sp_raw *raw = root; raw; raw = following(raw, root)) check_one(scene, raw);
}
