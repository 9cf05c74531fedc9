// Access to the resolved tree for the builder: children, attributes, signals.
#include <stdio.h>

#include "io/scene/scene_read.h"

sp_scene_node *sp__next_child(const sp_scene_node *node, const char *element, const sp_scene_node *after) {
    for (int i = after ? after->index + 1 : 0; i < node->child_count; i++) {
        sp_scene_node *child = node->children[i];
        if (child->enabled && strcmp(child->spec->name, element) == 0) return child;
    }
    return NULL;
}

const sp_attr *sp__attr(const sp_scene_node *node, const char *name) {
    int index = sp__attr_index(node->spec, name);
    SP_ASSERT(index >= 0);
    return index >= 0 && node->attrs[index] ? node->attrs[index] : &sp__attr_absent;
}

bool sp__attr_given(const sp_scene_node *node, const char *name) {
    return sp__attr(node, name)->origin > SP_ORIGIN_BUILTIN;
}

double sp__attr_number(const sp_scene_node *node, const char *name) {
    const sp_attr *attr = sp__attr(node, name);
    return attr->count && attr->numbers ? attr->numbers[0] : NAN;
}

const char *sp__attr_word(const sp_scene_node *node, const char *name) {
    const sp_attr *attr = sp__attr(node, name);
    return attr->count && attr->words ? attr->words[0] : NULL;
}

bool sp__attr_is(const sp_scene_node *node, const char *name, const char *word) {
    const char *own = sp__attr_word(node, name);
    return own && strcmp(own, word) == 0;
}

bool sp__attr_yes(const sp_scene_node *node, const char *name) {
    return sp__attr_is(node, name, "yes");
}

bool sp__attr_varies(const sp_attr *attr, unsigned of) {
    if (attr->data && of & SP_ATTR_OF_SPACE) return true;
    for (int i = 0; attr->programs && i < attr->count; i++) {
        const sp_expr *e = attr->programs[i];
        if (e && ((of & SP_ATTR_OF_TIME && sp__expr_uses_t(e)) || (of & SP_ATTR_OF_SPACE && sp__expr_uses_x(e)))) return true;
    }
    return false;
}

static double eval_at_time(const void *user, double t) {
    return sp__expr_eval(user, &(sp_expr_env){.t = t});
}

sp_signal sp__attr_signal(const sp_scene_node *node, const char *name, int component) {
    const sp_attr *attr = sp__attr(node, name);
    if (component < 0 || component >= attr->count || !attr->numbers) return (sp_signal){.constant = NAN};
    const sp_expr *e = attr->programs ? attr->programs[component] : NULL;
    if (e && sp__expr_uses_t(e)) return (sp_signal){eval_at_time, e, attr->numbers[component]};
    return (sp_signal){.constant = attr->numbers[component]};
}

double sp__attr_at(const sp_scene_node *node, const char *name, int component, const double x[3], double t) {
    const sp_attr *attr = sp__attr(node, name);
    if (component < 0 || component >= attr->count || !attr->numbers) return NAN;
    const sp_expr *e = attr->programs ? attr->programs[component] : NULL;
    if (!e) return attr->numbers[component];
    return sp__expr_eval(e, &(sp_expr_env){.t = t, .x = x ? x[0] : 0, .y = x ? x[1] : 0, .z = x ? x[2] : 0});
}

double sp__attr_along(const sp_scene_node *node, const char *name, int component, double s) {
    const sp_attr *attr = sp__attr(node, name);
    if (component < 0 || component >= attr->count || !attr->numbers) return NAN;
    const sp_expr *e = attr->programs ? attr->programs[component] : NULL;
    return e ? sp__expr_eval(e, &(sp_expr_env){.s = s}) : attr->numbers[component];
}

const sp_scene_node *sp__scene_material(const sp_scene_node *node) {
    const char *word = sp__attr_index(node->spec, "material") < 0 ? NULL : sp__attr_word(node, "material");
    const sp_scene_node *named = word ? sp__path_get(node->scene, word, "", "") : NULL;
    return named && strcmp(named->spec->name, "material") == 0 ? named : node;
}

// ---- what a run writes

static const char *output_attr(const sp_scene_node *node) {
    if (!strcmp(node->spec->name, "record")) return sp__attr_word(node, "file");
    return !strcmp(node->spec->name, "inverse") ? sp__attr_word(node, "out") : NULL;
}

// records first, then inverse problems
bool sp_scene_output_at(const sp_scene *scene, int index, sp_scene_output *out) {
    static const char *const elements[] = {"record", "inverse"};
    for (int e = 0; e < 2; e++)
        for (const sp_scene_node *c = NULL; (c = sp__next_child(sp__scene_root(scene), elements[e], c));)
            if (output_attr(c) && index-- == 0) {
                *out = (sp_scene_output){elements[e], output_attr(c)};
                return true;
            }
    return false;
}

int sp_scene_output_count(const sp_scene *scene) {
    sp_scene_output output;
    int count = 0;
    while (sp_scene_output_at(scene, count, &output)) count++;
    return count;
}

// ---- choices of the language

bool sp_scene_choice_at(const char *element, const char *attribute, int index, sp_scene_choice *out) {
    const sp_element_spec *spec = sp__element_spec(element);
    int at = spec ? sp__attr_index(spec, attribute) : -1;
    const char *choices = at >= 0 && index >= 0 ? spec->attrs[at].choices : NULL;
    for (; choices && *choices; index--) {
        int length = (int)strcspn(choices, "/"), name = (int)strcspn(choices, "/[");
        if (index == 0) {
            snprintf(out->name, sizeof out->name, "%.*s", name, choices);
            out->built = name == length;
            return true;
        }
        choices += length + (choices[length] == '/');
    }
    return false;
}
