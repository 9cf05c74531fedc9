// The table of the scene language, joined from its parts, and the lookup functions.
#include "io/scene/scene_table.h"

static const sp_element_spec *const families[] = {sp__table_scene,      sp__table_shapes,  sp__table_bodies,
                                                  sp__table_conditions, sp__table_systems, sp__table_seen};
enum { FAMILY_COUNT = sizeof families / sizeof families[0] };

const sp_element_spec *sp__element_spec_at(int index) {
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
