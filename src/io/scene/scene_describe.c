// What is printed about the language and a scene: the reference page, the RelaxNG schema, and the resolved values of `souple
// check`.
#include "io/scene/scene_read.h"

#include <stdio.h>

#include "io/file/text_file.h"

// ================================================================================================ reference page

// Generates the reference page of the scene language as Markdown from the table.

static const char *kind_text(const sp_attr_spec *spec) {
    switch (spec->kind) {
    case SP_ATTR_NUMBER: return spec->count_max == 1 ? "number" : "numbers";
    case SP_ATTR_INTEGER: return spec->count_max == 1 ? "integer" : "integers";
    case SP_ATTR_SWITCH: return "switch";
    case SP_ATTR_CHOICE: return "choice";
    case SP_ATTR_WORDS: return "words";
    case SP_ATTR_NAME: return "name";
    case SP_ATTR_REFERENCE: return spec->count_max == 1 ? "reference" : "references";
    case SP_ATTR_FILE: return spec->flags & SP_ATTR_OUTPUT ? "output file" : "file";
    case SP_ATTR_TEXT: return "text";
    case SP_ATTR_EXPRESSION: return "condition";
    case SP_ATTR_IDS: return "numbers and ranges";
    case SP_ATTR_CHOICE_OR_NUMBER: return "choice or number";
    case SP_ATTR_CHOICE_OR_NAME: return "choice or name";
    }
    return "";
}

static void say_count(const sp_printer *p, const sp_attr_spec *spec) {
    if ((spec->kind != SP_ATTR_NUMBER && spec->kind != SP_ATTR_INTEGER) || spec->count_max == 1) return;
    if (spec->count_max == SP_ATTR_MANY)
        sp__say(p, ", %d or more", spec->count_min);
    else if (spec->count_min == spec->count_max)
        sp__say(p, ", %d", spec->count_min);
    else
        sp__say(p, ", %d or %d", spec->count_min, spec->count_max);
}

static void say_allowed(const sp_printer *p, const sp_attr_spec *spec, bool all) {
    bool number = spec->kind == SP_ATTR_NUMBER || spec->kind == SP_ATTR_INTEGER;
    bool low = number && spec->low > -INFINITY, high = number && spec->high < INFINITY;
    const char *open = spec->flags & SP_ATTR_LOW_OPEN ? "(" : "[", *close = spec->flags & SP_ATTR_HIGH_OPEN ? ")" : "]";
    if (low && high)
        sp__say(p, "%s%.16g, %.16g%s", open, spec->low, spec->high, close);
    else if (low)
        sp__say(p, "%s %g", spec->flags & SP_ATTR_LOW_OPEN ? "&gt;" : "&ge;", spec->low);
    else if (high)
        sp__say(p, "%s %g", spec->flags & SP_ATTR_HIGH_OPEN ? "&lt;" : "&le;", spec->high);
    for (const char *c = spec->choices; c && *c;) {
        size_t whole = strcspn(c, "/"), length = strcspn(c, "/[");
        if (length == whole)
            sp__say(p, "`%.*s` ", (int)length, c);
        else if (all)
            sp__say(p, "(`%.*s`) ", (int)length, c);
        c += whole + (c[whole] == '/');
    }
}

static void reference_say_attribute(const sp_printer *p, const sp_attr_spec *spec, bool all) {
    bool absent = spec->flags & SP_ATTR_NOT_BUILT;
    if (absent && !all) return;
    sp__say(p, "| %s`%s`%s | %s", absent ? "(" : "", spec->name, absent ? ")" : "", kind_text(spec));
    say_count(p, spec);
    sp__say(p, "%s%s | %s | ", spec->flags & SP_ATTR_OF_TIME ? ", ~t" : "", spec->flags & SP_ATTR_OF_SPACE ? ", ~x" : "",
            spec->unit);
    say_allowed(p, spec, all);
    sp__say(p, " | %s | %s | %s |\n",
            spec->flags & SP_ATTR_REQUIRED ? "required"
            : spec->fallback               ? spec->fallback
                                           : "",
            spec->price, spec->meaning);
}

static void reference_say_element(const sp_printer *p, const sp_element_spec *e, bool all) {
    if (!e->built && !all) return;
    sp__say(p, "\n## `%s`\n\n%s.%s\n", e->name, e->meaning, e->built ? "" : "\nNot in this build.");
    bool any = false;
    for (int i = 0; i < sp__element_spec_count(); i++) {
        const sp_element_spec *parent = sp__element_spec_at(i);
        if (!sp__may_hold(parent, e) || strcmp(parent->name, "default") == 0 || !(parent->built || all)) continue;
        sp__say(p, any ? ", `%s`" : "Allowed in `%s`", parent->name);
        any = true;
    }
    sp__say(p, any ? ".\n" : "Root element.\n");
    sp__say(p,
            "\n| attribute | kind | unit | allowed | default | price of a change | meaning |\n|---|---|---|---|---|---|---|\n");
    for (int i = 0; i < e->attr_count; i++) reference_say_attribute(p, &e->attrs[i], all);
}

// what an event, the page or a program may change while a scene runs
static void say_parameters(const sp_printer *p) {
    static const char *const prices[] = {[SP_PRICE_NOTHING] = "nothing",
                                         [SP_PRICE_VALUES] = "matrix values",
                                         [SP_PRICE_MASS] = "masses, matrix values",
                                         [SP_PRICE_NEW_BODY] = "only with a new body"};
    sp__say(p,
            "\n# Parameters\n\nWhat the engine counts with, and what is computed again when a value changes while running.\n"
            "\n| of | parameter | unit | while running | default | computed again | meaning |\n|---|---|---|---|---|---|---|\n");
    for (int kind = 0; sp_kind_name(kind); kind++) {
        sp_param_spec s;
        for (int i = 0; sp_kind_param_at(sp_kind_name(kind), i, &s) >= 0; i++) {
            char initial[24] = "";
            if (!isnan(s.initial)) snprintf(initial, sizeof initial, "%g", s.initial);
            sp__say(p, "| %s | `%s` | %s | [%g, %g] | %s | %s | %s |\n", sp_kind_name(kind), s.name, s.unit, s.edit_low,
                    s.edit_high, initial, prices[s.price], s.label);
        }
    }
}

void sp_scene_reference(bool all, void (*print)(void *user, const char *text), void *user) {
    sp_printer p = {print, user};
    sp__say(
        &p,
        "# Scene reference\n\n"
        "Every element and attribute of the scene language, from the table that the reader uses.\n"
        "`~t` may vary in time, `~x` in space; any number may be an expression in braces.\n"
        "Price of a change while running: `values` at the next step, `rebuild` of the body's system, `reload` of the scene.\n");
    if (all) sp__say(&p, "The language also defines what is in parentheses; this build does not have it.\n");
    for (int i = 0; i < sp__element_spec_count(); i++) reference_say_element(&p, sp__element_spec_at(i), all);
    say_parameters(&p);
}

// ======================================================================================================== schema

// Generates the RelaxNG schema from the table, for editors and tests. It contains what this build supports; the reader checks
// rules across attributes. A required attribute that a default may provide is optional here.

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
    if (spec->flags & SP_ATTR_OF_SPACE)
        say_pattern(p, spec->count_min == 3 && spec->count_max == 6
                           ? "\\s*@[A-Za-z][A-Za-z0-9_\\-]*(\\s+@[A-Za-z][A-Za-z0-9_\\-]*)?\\s*"
                           : "\\s*@[A-Za-z][A-Za-z0-9_\\-]*\\s*");
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

static void schema_say_attribute(const sp_printer *p, const sp_element_spec *e, const sp_attr_spec *spec) {
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
            schema_say_attribute(p, e, spec);
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

static void schema_say_element(const sp_printer *p, const sp_element_spec *e, bool in_default) {
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
        schema_say_element(&p, e, false);
        if (sp__may_hold(defaults, e)) schema_say_element(&p, e, true);
    }
    sp__say(&p, "</grammar>\n");
}

// =============================================================================================== resolved values

// `souple check`: every resolved value with its unit and its origin, one per line.

// the fewest digits that read back the same
static void number_text(double x, char out[32]) {
    static const int digits[] = {6, 9, 15, 17};
    for (int i = 0; i < 4; i++) {
        double back;
        snprintf(out, 32, "%.*g", digits[i], x);
        for (char *c = out; *c; c++)
            if (*c == ',') *c = '.';  // decimal comma of the host's locale
        if (sp__scan_double(out, &back) && back == x) return;
    }
}

static void value_text(const sp_attr *attr, char *out, size_t size) {
    size_t used = 0;
    out[0] = 0;
    if (attr->is_auto || attr->data || attr->count == 0) {
        snprintf(out, size, "%s", attr->text ? attr->text : "");
        return;
    }
    for (int i = 0; i < attr->count && used + 40 < size; i++) {
        char number[32];
        if (i == 12) {
            snprintf(out + used, size - used, " ... (%d in all)", attr->count);
            return;
        }
        const char *piece = number;
        if (attr->words)
            piece = attr->words[i];
        else if (attr->programs && attr->programs[i])
            piece = attr->count == 1 ? attr->text : "{...}";
        else
            number_text(attr->numbers[i], number);
        int n = snprintf(out + used, size - used, "%s%s", i ? " " : "", piece);
        if (n < 0 || (size_t)n >= size - used) return;
        used += (size_t)n;
    }
}

static void origin_text(const sp_attr *attr, char *out, size_t size) {
    switch (attr->origin) {
    case SP_ORIGIN_BUILTIN: snprintf(out, size, "built in"); break;
    case SP_ORIGIN_DEFAULT: snprintf(out, size, "default %s:%d", attr->file, attr->line); break;
    case SP_ORIGIN_CLASS: snprintf(out, size, "class %s:%d", attr->file, attr->line); break;
    case SP_ORIGIN_SET: snprintf(out, size, "%s", attr->file); break;
    default: snprintf(out, size, "%s:%d", attr->file, attr->line);
    }
}

// omits `enabled`, and the details of a selection that selects nothing
static bool is_idle(const sp_scene_node *node, const char *name) {
    bool detail = strcmp(name, "invert") == 0 || strcmp(name, "frame") == 0 || strcmp(name, "empty") == 0;
    return strcmp(name, "enabled") == 0 || (detail && !sp__selects_something(node));
}

static void describe_say_attribute(const sp_printer *p, const sp_scene_node *node, int index) {
    const sp_attr_spec *spec = &node->spec->attrs[index];
    const sp_attr *attr = node->attrs[index];
    char value[600], origin[300], left[900];
    if (!attr || attr->origin <= SP_ORIGIN_UNUSED || strcmp(spec->name, "name") == 0) return;
    if (attr->origin == SP_ORIGIN_BUILTIN && is_idle(node, spec->name)) return;
    value_text(attr, value, sizeof value);
    origin_text(attr, origin, sizeof origin);
    snprintf(left, sizeof left, "%s%s%s = %s%s%s", node->path, node->path[0] ? "." : "", spec->name, value,
             spec->unit[0] && !attr->is_auto ? " " : "", attr->is_auto ? "" : spec->unit);
    bool expression = attr->text && strchr(attr->text, '{') && attr->origin != SP_ORIGIN_BUILTIN;
    sp__say(p, "%-50s  (%s%s%s)\n", left, origin, expression ? ": " : "", expression ? attr->text : "");
}

static void say_param(const sp_printer *p, const sp_scene_node *node) {
    const sp_scene_source *s = node->source;
    char value[100] = "", left[300], origin[300];
    if (s->state == SP_PARAM_NUMBER) number_text(s->number, value);
    int attr = sp__attr_index(node->spec, "value");
    sp_value_source from = sp__source_of(node, attr);
    if (s->given && from.origin != SP_ORIGIN_SET) from = sp__source_of(s->given, sp__attr_index(s->given->spec, "value"));
    origin_text(&(sp_attr){.origin = from.origin, .file = from.file, .line = from.line}, origin, sizeof origin);
    const char *unit = sp__attr_word(node, "unit");
    snprintf(left, sizeof left, "%s = %s%s%s", node->path, s->state == SP_PARAM_WORD ? s->word : value, unit ? " " : "",
             unit ? unit : "");
    sp__say(p, "%-50s  (param, %s)\n", left, origin);
}

static void say_node(const sp_printer *p, const sp_scene_node *node) {
    const sp_scene_source *s = node->source;
    if (s->inert || strcmp(node->spec->name, "set") == 0) return;
    if (strcmp(node->spec->name, "param") == 0) {
        say_param(p, node);
        return;
    }
    // the solver and integrator of the scene are defaults of the bodies and listed there
    bool common = node == node->scene->solver || node == node->scene->integrator;
    if (common) return;
    sp__say(p, "%s %s%s\n", node->spec->name, node->path[0] ? node->path : node->name, node->enabled ? "" : " (not enabled)");
    for (int a = 0; a < node->spec->attr_count; a++) describe_say_attribute(p, node, a);
}

void sp_scene_describe(const sp_scene *scene, void (*print)(void *user, const char *text), void *user) {
    sp_printer p = {print, user};
    for (int i = 0; i < scene->node_count; i++) say_node(&p, scene->nodes[i]);
    for (const sp_scene_note *n = scene->notes; n; n = n->next)
        sp__say(&p, "%s%s%s: %s\n", n->node->path, n->node->path[0] && n->attr ? "." : "", n->attr ? n->attr : "", n->text);
}
