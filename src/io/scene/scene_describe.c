// `souple check`: every resolved value with its unit and its origin, one per line.
#include <stdio.h>

#include "io/file/text_file.h"
#include "io/scene/scene_read.h"

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

static void say_attribute(const sp_printer *p, const sp_scene_node *node, int index) {
    const sp_attr_spec *spec = &node->spec->attrs[index];
    const sp_attr *attr = node->attrs[index];
    char value[600], origin[300], left[900];
    if (!attr || attr->origin == SP_ORIGIN_ABSENT || strcmp(spec->name, "name") == 0) return;
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
    for (int a = 0; a < node->spec->attr_count; a++) say_attribute(p, node, a);
}

void sp_scene_describe(const sp_scene *scene, void (*print)(void *user, const char *text), void *user) {
    sp_printer p = {print, user};
    for (int i = 0; i < scene->node_count; i++) say_node(&p, scene->nodes[i]);
    for (const sp_scene_note *n = scene->notes; n; n = n->next)
        sp__say(&p, "%s%s%s: %s\n", n->node->path, n->node->path[0] && n->attr ? "." : "", n->attr ? n->attr : "", n->text);
}
