// Generates the RelaxNG schema from the table, for editors and tests. It contains what this build supports; the reader checks
// rules across attributes. A required attribute that a default may provide is optional here.
#include <stdio.h>

#include "io/scene/scene_read.h"

#define EXPRESSION "\\{[^\\{\\}]*\\}"
#define NUMBER "([+\\-]?([0-9]+\\.?[0-9]*|\\.[0-9]+)([eE][+\\-]?[0-9]+)?|" EXPRESSION ")"
#define WHOLE "([+\\-]?[0-9]+([eE][+]?[0-9]+)?|" EXPRESSION ")"
#define RANGE "[0-9]+(\\-[0-9]+)?"

static void say_pattern(const sp_printer *p, const char *pattern) {
    sp__say(p, "          <data type=\"string\"><param name=\"pattern\">%s</param></data>\n", pattern);
}

// escapes the five markup characters as entities
static void say_escaped(const sp_printer *p, const char *text) {
    for (const char *c = text; *c; c++) {
        const char *entity = *c == '<' ? "&lt;" : *c == '>' ? "&gt;" : *c == '&' ? "&amp;" : NULL;
        sp__say(p, entity ? "%s" : "%.1s", entity ? entity : c);
    }
}

static void say_numbers(const sp_printer *p, const sp_attr_spec *spec) {
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
    if (other) sp__say(p, "        <choice>\n");
    say_pattern(p, pattern);
    if (spec->flags & SP_ATTR_AUTO) sp__say(p, "          <value>auto</value>\n");
    if (spec->flags & SP_ATTR_OF_SPACE) say_pattern(p, "\\s*@[A-Za-z][A-Za-z0-9_\\-]*\\s*");
    if (other) sp__say(p, "        </choice>\n");
}

static void say_choices(const sp_printer *p, const sp_attr_spec *spec) {
    bool list = spec->kind == SP_ATTR_WORDS;
    sp__say(p, list ? "        <list><oneOrMore><choice>\n" : "        <choice>\n");
    for (const char *c = spec->choices; *c;) {
        size_t whole = strcspn(c, "/"), length = strcspn(c, "/[");
        if (length == whole) sp__say(p, "          <value>%.*s</value>\n", (int)length, c);
        c += whole + (c[whole] == '/');
    }
    if (spec->kind == SP_ATTR_CHOICE_OR_NAME) say_pattern(p, "\\s*[A-Za-z][A-Za-z0-9_.\\-\\[\\]]*\\s*");
    if (!list) say_pattern(p, "\\s*" EXPRESSION "\\s*");
    sp__say(p, list ? "        </choice></oneOrMore></list>\n" : "        </choice>\n");
}

static void say_kind(const sp_printer *p, const sp_attr_spec *spec) {
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
    case SP_ATTR_TEXT: sp__say(p, "          <text/>\n"); break;
    }
}

static bool is_required(const sp_element_spec *e, const sp_attr_spec *spec) {
    bool defaultable = sp__may_hold(sp__element_spec("default"), e) && !sp__is_own(e, spec->name);
    return spec->flags & SP_ATTR_REQUIRED && !defaultable;
}

static bool same_text(const char *a, const char *b) {
    return a == b || (a && b && strcmp(a, b) == 0);
}

static bool same_attribute(const sp_attr_spec *a, const sp_attr_spec *b) {
    return strcmp(a->name, b->name) == 0 && a->kind == b->kind && a->count_min == b->count_min && a->count_max == b->count_max &&
           a->flags == b->flags && same_text(a->unit, b->unit) && same_text(a->choices, b->choices) &&
           same_text(a->meaning, b->meaning);
}

// elements share groups of attributes: each is written once, under the first element that has it
static void first_with(const sp_element_spec *e, const sp_attr_spec *spec, const sp_element_spec **owner) {
    for (int i = 0; i < sp__element_spec_count(); i++) {
        const sp_element_spec *other = sp__element_spec_at(i);
        for (int a = 0; other->built && a < other->attr_count; a++) {
            if (!same_attribute(&other->attrs[a], spec) || is_required(other, &other->attrs[a]) != is_required(e, spec)) continue;
            *owner = other;
            return;
        }
    }
    *owner = e;
}

static void say_attribute(const sp_printer *p, const sp_element_spec *e, const sp_attr_spec *spec) {
    bool must = is_required(e, spec);
    sp__say(p, "  <define name=\"%s.%s\">\n", e->name, spec->name);
    sp__say(p, must ? "      <attribute name=\"%s\">\n" : "      <optional><attribute name=\"%s\">\n", spec->name);
    sp__say(p, "        <a:documentation>");
    say_escaped(p, spec->meaning);
    if (spec->unit[0]) sp__say(p, " [%s]", spec->unit);
    sp__say(p, "</a:documentation>\n");
    say_kind(p, spec);
    sp__say(p, must ? "      </attribute>\n  </define>\n" : "      </attribute></optional>\n  </define>\n");
}

static void say_attributes(const sp_printer *p, const sp_element_spec *e, bool in_default, bool define) {
    for (int i = 0; i < e->attr_count; i++) {
        const sp_attr_spec *spec = &e->attrs[i];
        const sp_element_spec *owner;
        if (spec->flags & SP_ATTR_NOT_BUILT || (in_default && sp__is_own(e, spec->name))) continue;
        first_with(e, spec, &owner);
        if (!define)
            sp__say(p, "      <ref name=\"%s.%s\"/>\n", owner->name, spec->name);
        else if (owner == e)
            say_attribute(p, e, spec);
    }
}

static void say_children(const sp_printer *p, const sp_element_spec *e) {
    bool any = false, defaults = strcmp(e->name, "default") == 0;
    for (int i = 0; i < sp__element_spec_count(); i++) {
        const sp_element_spec *child = sp__element_spec_at(i);
        if (!child->built || !sp__may_hold(e, child)) continue;
        if (!any) sp__say(p, "      <zeroOrMore><choice>\n");
        any = true;
        sp__say(p, "        <ref name=\"%s%s\"/>\n", defaults ? "default-" : "", child->name);
    }
    if (any) sp__say(p, "      </choice></zeroOrMore>\n");
    if (!any) sp__say(p, "      <empty/>\n");
}

static void say_element(const sp_printer *p, const sp_element_spec *e, bool in_default) {
    sp__say(p, "  <define name=\"%s%s\">\n    <element name=\"%s\">\n", in_default ? "default-" : "", e->name, e->name);
    sp__say(p, "      <a:documentation>");
    say_escaped(p, e->meaning);
    sp__say(p, "</a:documentation>\n");
    say_attributes(p, e, in_default, false);
    if (in_default)
        sp__say(p, "      <empty/>\n");
    else
        say_children(p, e);
    sp__say(p, "    </element>\n  </define>\n");
}

void sp_scene_schema(void (*print)(void *user, const char *text), void *user) {
    sp_printer p = {print, user};
    const sp_element_spec *defaults = sp__element_spec("default");
    sp__say(
        &p,
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
        "<!-- made by `souple check` with its option schema, from the table of the scene language; do not edit -->\n"
        "<grammar xmlns=\"http://relaxng.org/ns/structure/1.0\" xmlns:a=\"http://relaxng.org/ns/compatibility/annotations/1.0\"\n"
        "         datatypeLibrary=\"http://www.w3.org/2001/XMLSchema-datatypes\">\n"
        "  <start>\n    <choice>\n      <ref name=\"scene\"/>\n      <ref name=\"fragment\"/>\n    </choice>\n  </start>\n");
    for (int i = 0; i < sp__element_spec_count(); i++) {
        const sp_element_spec *e = sp__element_spec_at(i);
        if (!e->built) continue;
        say_attributes(&p, e, false, true);
        say_element(&p, e, false);
        if (sp__may_hold(defaults, e)) say_element(&p, e, true);
    }
    sp__say(&p, "</grammar>\n");
}
