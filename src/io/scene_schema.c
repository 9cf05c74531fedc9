// The RelaxNG schema, from the table: for editors and tests. It knows what this build has, and leaves to the reader what several
// attributes say together. A required attribute that a default may give is not required here.
#include <stdarg.h>
#include <stdio.h>

#include "io/scene_read.h"

typedef struct printer {
    void (*print)(void *user, const char *text);
    void *user;
} printer;

SP_PRINTF(2, 3) static void say(const printer *p, const char *format, ...) {
    char text[2000];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    p->print(p->user, text);
}

#define EXPRESSION "\\{[^\\{\\}]*\\}"
#define NUMBER "([+\\-]?([0-9]+\\.?[0-9]*|\\.[0-9]+)([eE][+\\-]?[0-9]+)?|" EXPRESSION ")"
#define WHOLE "([+\\-]?[0-9]+([eE][+]?[0-9]+)?|" EXPRESSION ")"
#define RANGE "[0-9]+(\\-[0-9]+)?"

static void say_pattern(const printer *p, const char *pattern) {
    say(p, "          <data type=\"string\"><param name=\"pattern\">%s</param></data>\n", pattern);
}

// text that only holds the five characters of markup as entities
static void say_escaped(const printer *p, const char *text) {
    for (const char *c = text; *c; c++) {
        const char *entity = *c == '<' ? "&lt;" : *c == '>' ? "&gt;" : *c == '&' ? "&amp;" : NULL;
        say(p, entity ? "%s" : "%.1s", entity ? entity : c);
    }
}

static void say_numbers(const printer *p, const sp_attr_spec *spec) {
    const char *piece = spec->kind == SP_ATTR_INTEGER ? WHOLE : NUMBER;
    char pattern[600];
    int more = spec->count_min > 1 ? spec->count_min - 1 : 0;
    if (spec->count_max == SP_ATTR_MANY)
        snprintf(pattern, sizeof pattern, "\\s*%s(\\s+%s)*\\s*", piece, piece);
    else if (spec->count_max == 1)
        snprintf(pattern, sizeof pattern, "\\s*%s\\s*", piece);
    else
        snprintf(pattern, sizeof pattern, "\\s*%s(\\s+%s){%d,%d}\\s*", piece, piece, more, spec->count_max - 1);
    bool other = spec->flags & (SP_ATTR_AUTO | SP_ATTR_OF_SPACE);
    if (other) say(p, "        <choice>\n");
    say_pattern(p, pattern);
    if (spec->flags & SP_ATTR_AUTO) say(p, "          <value>auto</value>\n");
    if (spec->flags & SP_ATTR_OF_SPACE) say_pattern(p, "\\s*@[A-Za-z][A-Za-z0-9_\\-]*\\s*");
    if (other) say(p, "        </choice>\n");
}

static void say_choices(const printer *p, const sp_attr_spec *spec) {
    bool list = spec->kind == SP_ATTR_WORDS;
    say(p, list ? "        <list><oneOrMore><choice>\n" : "        <choice>\n");
    for (const char *c = spec->choices; *c;) {
        size_t whole = strcspn(c, "/"), length = strcspn(c, "/[");
        if (length == whole) say(p, "          <value>%.*s</value>\n", (int)length, c);
        c += whole + (c[whole] == '/');
    }
    if (spec->kind == SP_ATTR_CHOICE_OR_NAME) say_pattern(p, "\\s*[A-Za-z][A-Za-z0-9_.\\-\\[\\]]*\\s*");
    if (!list) say_pattern(p, "\\s*" EXPRESSION "\\s*");
    say(p, list ? "        </choice></oneOrMore></list>\n" : "        </choice>\n");
}

static void say_kind(const printer *p, const sp_attr_spec *spec) {
    switch (spec->kind) {
    case SP_ATTR_NUMBER:
    case SP_ATTR_INTEGER: say_numbers(p, spec); break;
    case SP_ATTR_SWITCH:
    case SP_ATTR_CHOICE:
    case SP_ATTR_WORDS:
    case SP_ATTR_CHOICE_OR_NUMBER:
    case SP_ATTR_CHOICE_OR_NAME: say_choices(p, spec); break;
    case SP_ATTR_NAME: say_pattern(p, "[A-Za-z][A-Za-z0-9_\\-]*"); break;
    case SP_ATTR_EXPRESSION: say_pattern(p, "\\s*" EXPRESSION "\\s*"); break;
    case SP_ATTR_IDS: say_pattern(p, "\\s*" RANGE "(\\s+" RANGE ")*\\s*"); break;
    case SP_ATTR_REFERENCE:
    case SP_ATTR_FILE:
    case SP_ATTR_TEXT: say(p, "          <text/>\n"); break;
    }
}

static bool cannot_be_defaulted(const char *name) {
    static const char *const own[] = {"name", "class", "file",  "box", "sphere", "plane",  "tag",    "nodes",
                                      "near", "point", "where", "s",   "end",    "select", "within", "invert"};
    for (size_t i = 0; i < sizeof own / sizeof own[0]; i++)
        if (strcmp(own[i], name) == 0) return true;
    return false;
}

static void say_attribute(const printer *p, const sp_element_spec *e, const sp_attr_spec *spec, bool in_default) {
    const sp_element_spec *defaults = sp__element_spec("default");
    bool must = spec->flags & SP_ATTR_REQUIRED && !in_default && (!sp__may_hold(defaults, e) || cannot_be_defaulted(spec->name));
    if (spec->flags & SP_ATTR_NOT_BUILT || (in_default && cannot_be_defaulted(spec->name))) return;
    say(p, must ? "      <attribute name=\"%s\">\n" : "      <optional><attribute name=\"%s\">\n", spec->name);
    say(p, "        <a:documentation>");
    say_escaped(p, spec->meaning);
    if (spec->unit[0]) say(p, " [%s]", spec->unit);
    say(p, "</a:documentation>\n");
    say_kind(p, spec);
    say(p, must ? "      </attribute>\n" : "      </attribute></optional>\n");
}

static void say_children(const printer *p, const sp_element_spec *e) {
    bool any = false, defaults = strcmp(e->name, "default") == 0;
    for (int i = 0; i < sp__element_spec_count(); i++) {
        const sp_element_spec *child = sp__element_spec_at(i);
        if (!child->built || !sp__may_hold(e, child)) continue;
        if (!any) say(p, "      <zeroOrMore><choice>\n");
        any = true;
        say(p, "        <ref name=\"%s%s\"/>\n", defaults ? "default." : "", child->name);
    }
    if (any) say(p, "      </choice></zeroOrMore>\n");
    if (!any) say(p, "      <empty/>\n");
}

static void say_element(const printer *p, const sp_element_spec *e, bool in_default) {
    say(p, "  <define name=\"%s%s\">\n    <element name=\"%s\">\n", in_default ? "default." : "", e->name, e->name);
    say(p, "      <a:documentation>");
    say_escaped(p, e->meaning);
    say(p, "</a:documentation>\n");
    for (int i = 0; i < e->attr_count; i++) say_attribute(p, e, &e->attrs[i], in_default);
    if (in_default)
        say(p, "      <empty/>\n");
    else
        say_children(p, e);
    say(p, "    </element>\n  </define>\n");
}

void sp_scene_schema(void (*print)(void *user, const char *text), void *user) {
    printer p = {print, user};
    const sp_element_spec *defaults = sp__element_spec("default");
    say(&p,
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
        "<!-- made by `souple check --schema` from the table of the scene language; do not edit -->\n"
        "<grammar xmlns=\"http://relaxng.org/ns/structure/1.0\" xmlns:a=\"http://relaxng.org/ns/compatibility/annotations/1.0\"\n"
        "         datatypeLibrary=\"http://www.w3.org/2001/XMLSchema-datatypes\">\n"
        "  <start>\n    <choice>\n      <ref name=\"scene\"/>\n      <ref name=\"fragment\"/>\n    </choice>\n  </start>\n");
    for (int i = 0; i < sp__element_spec_count(); i++) {
        const sp_element_spec *e = sp__element_spec_at(i);
        if (!e->built) continue;
        say_element(&p, e, false);
        if (sp__may_hold(defaults, e)) say_element(&p, e, true);
    }
    say(&p, "</grammar>\n");
}
