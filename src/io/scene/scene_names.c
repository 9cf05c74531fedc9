// Checks the names of raw elements and attributes against the table: unknown names with the closest known one, names that this
// build does not have, misplaced elements. Templates and defaults are checked too.
#include <stdio.h>

#include "io/scene/scene_read.h"

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
        int n = snprintf(where + used, sizeof where - used, "%s%s", used ? ", " : "; it stands in ", e->name);
        if (n < 0 || (size_t)n >= sizeof where - used) break;
        used += (size_t)n;
    }
    sp__raw_error(scene, raw->parent, raw->line, "element \"%s\" cannot stand in \"%s\"%s", raw->spec->name,
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
        sp__raw_error(scene, raw, attr->line,
                      "unknown attribute \"%.60s\"; placement stands on the solid: <solid %s=\"...\"> (translate, rotate, scale)",
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
    bool in_expressions =
        strcmp(raw->element, "param") == 0 || strcmp(raw->element, "curve") == 0 || strcmp(raw->element, "probe") == 0;
    if (!in_expressions) return;
    if (strchr(name, '-'))
        sp__raw_error(scene, raw, raw->line, "name %s: expressions use it, so it has no \"-\"", sp__quote(name, quoted));
    else if (sp__expr_reserved(name))
        sp__raw_error(scene, raw, raw->line, "name %s: a word of expressions cannot be a name", sp__quote(name, quoted));
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
