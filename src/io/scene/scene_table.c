// The table of the scene language, joined from its parts, and the lookup functions. Rows of physical parameters are completed
// from the engine's list before they are read.
#include "io/scene/scene_table.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

static const sp_element_spec *const families[] = {sp__table_scene,      sp__table_shapes,  sp__table_bodies,
                                                  sp__table_conditions, sp__table_systems, sp__table_seen};
enum { FAMILY_COUNT = sizeof families / sizeof families[0] };

// ---------------------------------------------------------------------------------------------- the list of parameters

// as people write it: 1e-6, not 1e-06
static void add_number(char *out, size_t size, double x) {
    char text[24];
    snprintf(text, sizeof text, "%g", x);
    char *e = strchr(text, 'e'), *digits = e ? e + 1 + (e[1] == '-') : NULL, *from = digits;
    while (from && (*from == '+' || *from == '0')) from++;
    if (digits) memmove(digits, from, strlen(from) + 1);
    size_t n = strlen(out);
    snprintf(out + n, size - n, "%s%s", n ? " " : "", text);
}

// "solid.young": the first word is the kind. A row that names no entry is found by the test of the table: it has no meaning.
static void read_param(const char *path, size_t length, sp_param_spec *out) {
    char kind[64];
    int n = (int)strcspn(path, ".");
    snprintf(kind, sizeof kind, "%.*s", (int)length, path);
    kind[n] = 0;
    if (sp_kind_param(kind, kind + n + 1, out) < 0) *out = (sp_param_spec){.name = "", .unit = "", .label = "", .meaning = ""};
}

static const char *price_text(sp_param_price price) {
    return price == SP_PRICE_NEW_BODY ? REBUILD : VALUES;
}

// the ends that only keep products finite are left to the engine
static void take_range(sp_attr_spec *a, const sp_param_spec *p) {
    a->low = p->ends & SP_RANGE_LOW_GUARD ? -INFINITY : p->low;
    a->high = p->ends & SP_RANGE_HIGH_GUARD ? INFINITY : p->high;
    if (p->ends & SP_RANGE_LOW_OPEN) a->flags |= LOPEN;
    if (p->ends & SP_RANGE_HIGH_OPEN) a->flags |= HOPEN;
}

static void complete_attr(sp_attr_spec *a) {
    sp_param_spec p;
    bool listed = a->fallback && strcmp(a->fallback, LISTED) == 0;
    size_t length = strcspn(a->param, " ");
    read_param(a->param, length, &p);
    take_range(a, &p);
    a->price = price_text(p.price);
    if (!a->unit) a->unit = p.unit;
    if (!a->meaning) a->meaning = p.meaning;
    if (!listed) return;
    for (const char *at = a->param; *at; at += length + (at[length] == ' ')) {
        length = strcspn(at, " ");
        read_param(at, length, &p);
        add_number(a->initial, sizeof a->initial, p.initial);
    }
    a->fallback = a->initial;
}

static void complete_table(void) {
    for (int f = 0; f < FAMILY_COUNT; f++)
        for (const sp_element_spec *e = families[f]; e->name; e++)
            for (int i = 0; i < e->attr_count; i++)
                if (e->attrs[i].param) complete_attr(&e->attrs[i]);
}

static void complete_once(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, complete_table);
}

// ---------------------------------------------------------------------------------------------- looking up

const sp_element_spec *sp__element_spec_at(int index) {
    complete_once();
    for (int f = 0; f < FAMILY_COUNT; f++)
        for (const sp_element_spec *e = families[f]; e->name; e++)
            if (index-- == 0) return e;
    return NULL;
}

int sp__element_index(const sp_element_spec *spec) {
    int n = 0;
    for (int f = 0; f < FAMILY_COUNT; f++)
        for (const sp_element_spec *e = families[f]; e->name; e++, n++)
            if (e == spec) return n;
    return n;
}

int sp__element_spec_count(void) {
    return sp__element_index(NULL);
}

const sp_element_spec *sp__element_spec(const char *name) {
    complete_once();
    for (int f = 0; f < FAMILY_COUNT; f++)
        for (const sp_element_spec *e = families[f]; e->name; e++)
            if (strcmp(e->name, name) == 0) return e;
    return NULL;
}

int sp__attr_index(const sp_element_spec *spec, const char *name) {
    for (int i = 0; i < spec->attr_count; i++)
        if (strcmp(spec->attrs[i].name, name) == 0) return i;
    return -1;
}

bool sp__list_has(const char *list, char separator, const char *word) {
    size_t n = strlen(word);
    for (const char *p = list; p && *p;) {
        size_t length = 0;
        while (p[length] && p[length] != separator && p[length] != '[') length++;
        if (length == n && memcmp(p, word, n) == 0) return true;
        p = strchr(p, separator);
        if (p) p++;
    }
    return false;
}

bool sp__choice_built(const char *choices, const char *word) {
    size_t n = strlen(word);
    for (const char *p = choices; p && *p;) {
        if (strncmp(p, word, n) == 0 && (p[n] == 0 || p[n] == '/')) return true;
        p = strchr(p, '/');
        if (p) p++;
    }
    return false;
}

bool sp__may_hold(const sp_element_spec *parent, const sp_element_spec *child) {
    return sp__list_has(parent->children, ' ', child->name);
}
