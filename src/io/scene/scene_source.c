// The source of a value, in this order: --set, the element, its class, the parents of the class, the unnamed default, the
// built-in default.
#include <stdio.h>

#include "io/scene/scene_read.h"

const char *sp__raw_attr(const sp_raw *raw, const char *name) {
    for (int i = 0; i < raw->attr_count; i++)
        if (strcmp(raw->attrs[i].name, name) == 0) return raw->attrs[i].value;
    return NULL;
}

static bool own_source(const sp_scene_node *node, int attr, sp_value_source *out) {
    for (const sp_set_hit *h = node->source->hits; h; h = h->next) {
        if (h->attr != attr) continue;
        *out = (sp_value_source){SP_ORIGIN_SET, h->option->value, h->option->text, 0, h->option};
        return true;
    }
    const sp_raw *raw = node->source->raw;
    const char *name = node->spec->attrs[attr].name;
    for (int i = 0; i < raw->attr_count; i++) {
        if (strcmp(raw->attrs[i].name, name) != 0) continue;
        *out = (sp_value_source){SP_ORIGIN_WRITTEN, raw->attrs[i].value, raw->file, raw->attrs[i].line, NULL};
        return true;
    }
    return false;
}

// ---------------------------------------------------------------------------------------------- classes

static const char *class_of_default(const sp_scene_node *node) {
    const char *name = sp__raw_attr(node->source->raw, "class");
    return name ? name : "";
}

const sp_scene_node *sp__default_of_class(const sp_scene *scene, const char *name) {
    for (int i = 0; i < scene->default_count; i++)
        if (strcmp(class_of_default(scene->defaults[i]), name) == 0) return scene->defaults[i];
    return NULL;
}

// class of the node or of its nearest ancestor with one
static const char *find_class(const sp_scene_node *node) {
    while (node) {
        sp_value_source source;
        int attr = sp__attr_index(node->spec, "class");
        if (attr >= 0 && own_source(node, attr, &source)) return source.text;
        bool top = node->parent && !node->parent->parent;
        node = top && node->instance ? node->instance : node->parent;
    }
    return NULL;
}

static const char *class_of(const sp_scene_node *node) {
    sp_scene_source *s = node->source;
    if (!s->class_known) {
        s->class_name = find_class(node);
        s->class_known = true;
    }
    return s->class_name;
}

static bool defaulted(const sp_scene_node *holder, const sp_scene_node *node, int attr, sp_value_source *out) {
    for (int i = 0; i < holder->child_count; i++) {
        sp_scene_node *child = holder->children[i];
        if (child->spec != node->spec || !own_source(child, attr, out)) continue;
        holder->source->used = child->source->used = true;
        if (out->set) out->set->acts = true;
        return true;
    }
    return false;
}

// the class and its parents; a cycle of parents is reported elsewhere and ends here
static bool class_source(const sp_scene_node *node, int attr, sp_value_source *out) {
    const sp_scene *scene = node->scene;
    const char *name = class_of(node);
    for (int depth = 0; name && depth < SP_MAX_DEPTH; depth++) {
        const sp_scene_node *holder = sp__default_of_class(scene, name);
        if (!holder) return false;
        holder->source->used = true;
        if (defaulted(holder, node, attr, out)) {
            out->origin = SP_ORIGIN_CLASS;
            return true;
        }
        name = sp__raw_attr(holder->source->raw, "parent");
    }
    return false;
}

static bool unnamed_source(const sp_scene_node *node, int attr, sp_value_source *out) {
    const sp_scene *scene = node->scene;
    // solver and integrator directly under the scene are defaults
    const sp_scene_node *common = scene->solver && scene->solver->spec == node->spec           ? scene->solver
                                  : scene->integrator && scene->integrator->spec == node->spec ? scene->integrator
                                                                                               : NULL;
    bool found = common && common != node && own_source(common, attr, out);
    if (found && out->set) out->set->acts = true;
    const sp_scene_node *holder = found ? NULL : sp__default_of_class(scene, "");
    if (!found && holder) found = defaulted(holder, node, attr, out);
    if (found) out->origin = SP_ORIGIN_DEFAULT;
    return found;
}

bool sp__is_own(const sp_element_spec *spec, const char *attr) {
    if (sp__list_has("name/class/file", '/', attr)) return true;
    bool selects = sp__attr_index(spec, "near") >= 0;
    return selects && sp__list_has("box/sphere/plane/tag/nodes/near/point/where/s/end/select/within/invert", '/', attr);
}

sp_value_source sp__source_of(const sp_scene_node *node, int attr) {
    sp_value_source source;
    const sp_attr_spec *spec = &node->spec->attrs[attr];
    if (own_source(node, attr, &source)) return source;
    bool plain = !node->source->inert && node->scene->defaults_known && node->parent && !sp__is_own(node->spec, spec->name);
    if (plain && (class_source(node, attr, &source) || unnamed_source(node, attr, &source))) return source;
    if (spec->fallback) return (sp_value_source){SP_ORIGIN_BUILTIN, spec->fallback, node->file, node->line, NULL};
    return (sp_value_source){SP_ORIGIN_ABSENT, NULL, node->file, node->line, NULL};
}

// ---------------------------------------------------------------------------------------------- checks

static void unknown_class(sp_scene *scene, const sp_scene_node *node, const char *attr, const char *name) {
    const char *known[200];
    char hint[120], quoted[80];
    int n = 0;
    for (int i = 0; i < scene->default_count && n < 200; i++) known[n++] = class_of_default(scene->defaults[i]);
    sp__scene_error(scene, node, attr, "%s=%s: no default has this class%s", attr, sp__quote(name, quoted),
                    sp__did_you_mean(name, known, n, hint));
}

static void check_parents(sp_scene *scene, const sp_scene_node *holder) {
    char chain[300];
    const char *start = class_of_default(holder), *name = start;
    int n = snprintf(chain, sizeof chain, "%s", name);
    for (const sp_scene_node *at = holder; at;) {
        name = sp__raw_attr(at->source->raw, "parent");
        if (!name) return;
        if (n >= 0 && (size_t)n < sizeof chain) n += snprintf(chain + n, sizeof chain - (size_t)n, " -> %s", name);
        const sp_scene_node *next = sp__default_of_class(scene, name);
        if (!next) {
            unknown_class(scene, at, "parent", name);
            return;
        }
        next->source->used = true;
        if (strcmp(name, start) == 0) {
            sp__scene_error(scene, holder, "parent", "classes stand behind each other in a circle: %s", chain);
            return;
        }
        // a cycle without the start is reported when one of its own classes is checked
        if ((size_t)n >= sizeof chain) return;
        at = next;
    }
}

static void check_twice(sp_scene *scene, int index) {
    const sp_scene_node *holder = scene->defaults[index];
    const char *name = class_of_default(holder);
    const sp_scene_node *first = sp__default_of_class(scene, name);
    if (first != holder)
        sp__scene_error(scene, holder, NULL, "the class \"%s\" has its defaults at %s:%d already", name, first->file,
                        first->line);
    const sp_scene_node *seen[SP_MAX_KINDS] = {NULL};
    for (int i = 0; i < holder->child_count; i++) {
        const sp_scene_node **slot = &seen[holder->children[i]->source->spec_index];
        if (*slot) sp__scene_error(scene, holder->children[i], NULL, "this default has one at line %d already", (*slot)->line);
        *slot = holder->children[i];
    }
}

void sp__check_defaults(sp_scene *scene) {
    for (int i = 0; i < scene->default_count; i++) {
        check_twice(scene, i);
        check_parents(scene, scene->defaults[i]);
    }
    for (int i = 0; i < scene->node_count; i++) {
        sp_scene_node *node = scene->nodes[i];
        sp_value_source source;
        int attr = sp__attr_index(node->spec, "class");
        if (attr < 0 || strcmp(node->spec->name, "default") == 0 || !own_source(node, attr, &source)) continue;
        if (!sp__default_of_class(scene, source.text)) unknown_class(scene, node, "class", source.text);
    }
}
