// Generates the reference page of the scene language as Markdown from the table.
#include <stdio.h>

#include "io/scene/scene_read.h"

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

static void say_attribute(const sp_printer *p, const sp_attr_spec *spec, bool all) {
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

static void say_element(const sp_printer *p, const sp_element_spec *e, bool all) {
    if (!e->built && !all) return;
    sp__say(p, "\n## `%s`\n\n%s.%s\n", e->name, e->meaning, e->built ? "" : "\nNot in this build.");
    bool any = false;
    for (int i = 0; i < sp__element_spec_count(); i++) {
        const sp_element_spec *parent = sp__element_spec_at(i);
        if (!sp__may_hold(parent, e) || strcmp(parent->name, "default") == 0 || !(parent->built || all)) continue;
        sp__say(p, any ? ", `%s`" : "Stands in `%s`", parent->name);
        any = true;
    }
    sp__say(p, any ? ".\n" : "Stands at the root.\n");
    sp__say(p,
            "\n| attribute | kind | unit | allowed | default | price of a change | meaning |\n|---|---|---|---|---|---|---|\n");
    for (int i = 0; i < e->attr_count; i++) say_attribute(p, &e->attrs[i], all);
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
    for (int i = 0; i < sp__element_spec_count(); i++) say_element(&p, sp__element_spec_at(i), all);
    say_parameters(&p);
}
