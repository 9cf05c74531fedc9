// Rules across elements and attributes: duplicates, attributes without effect, contradictions, unused names.
#include <stdio.h>

#include "io/scene/scene_read.h"

bool sp__is_body(const sp_scene_node *node) {
    return sp__list_has("solid/rod/shell/rigid", '/', node->spec->name);
}

// a disabled element is absent; inside a disabled parent all elements count as present, so that they are checked too
bool sp__is_present(const sp_scene_node *node) {
    return node->enabled || !node->parent->enabled;
}

void sp__cannot_act(sp_scene_node *node, const char *attr, const sp_scene_node *decider, const char *decides, const char *why) {
    const sp_attr *a = sp__attr(node, attr);
    if (a->origin <= SP_ORIGIN_BUILTIN) return;
    bool overridden = decider && sp__attr(decider, decides)->origin == SP_ORIGIN_SET && a->origin != SP_ORIGIN_SET;
    if (a->origin == SP_ORIGIN_DEFAULT || a->origin == SP_ORIGIN_CLASS || overridden) {
        sp__scene_note_auto(node->scene, node, attr, "\"%s\" from %s:%d is left out: %s", a->text, a->file, a->line, why);
        sp__attr_forget(node, sp__attr_index(node->spec, attr));
        return;
    }
    sp__scene_error(node->scene, node, attr, "attribute \"%s\" cannot act here: %s", attr, why);
}

// ---------------------------------------------------------------------------------------------- selections

static const char *const selecting[] = {"box",   "sphere", "plane", "tag", "nodes",  "near",
                                        "point", "where",  "s",     "end", "select", "on"};
enum { SELECTING = sizeof selecting / sizeof selecting[0] };

bool sp__selects_something(const sp_scene_node *node) {
    for (int i = 0; i < SELECTING; i++) {
        int attr = sp__attr_index(node->spec, selecting[i]);
        if (attr >= 0 && node->attrs[attr] && node->attrs[attr]->origin > SP_ORIGIN_BUILTIN) return true;
    }
    return strcmp(node->spec->name, "select") == 0 && node->child_count > 0;
}

static const sp_scene_node *body_of(const sp_scene_node *node) {
    while (node && !sp__is_body(node)) node = node->parent;
    return node;
}

static void check_box(sp_scene_node *node) {
    const sp_attr *box = sp__attr(node, "box"), *sphere = sp__attr(node, "sphere"), *plane = sp__attr(node, "plane");
    for (int a = 0; a < 3 && box->count == 6; a++)
        if (box->numbers[a] > box->numbers[a + 3])
            sp__scene_error(node->scene, node, "box", "box: %g to %g along %c holds nothing", box->numbers[a],
                            box->numbers[a + 3], "xyz"[a]);
    if (sphere->count == 4 && !(sphere->numbers[3] >= 0))
        sp__scene_error(node->scene, node, "sphere", "sphere: radius = %g, must be >= 0", sphere->numbers[3]);
    if (plane->count == 6 && plane->numbers[3] == 0 && plane->numbers[4] == 0 && plane->numbers[5] == 0)
        sp__scene_error(node->scene, node, "plane", "plane: the normal has no length");
}

// a chain of `select` references must end
static void check_select_circle(sp_scene_node *node) {
    char chain[300];
    int n = snprintf(chain, sizeof chain, "%s", node->path);
    const sp_scene_node *at = node;
    while (sp__attr_word(at, "select")) {
        at = sp__path_get(node->scene, sp__attr_word(at, "select"), "", "");
        if (!at || n < 0 || (size_t)n >= sizeof chain) return;
        n += snprintf(chain + n, sizeof chain - (size_t)n, " -> %s", at->path);
        if (at != node) continue;
        sp__scene_error(node->scene, node, "select", "selections select each other in a circle: %s", chain);
        return;
    }
}

// attributes that only rods have, and those that rods do not have
static void check_along(sp_scene_node *node, bool rod) {
    const sp_attr *s = sp__attr(node, "s");
    if (s->count == 2 && s->numbers[0] > s->numbers[1])
        sp__scene_error(node->scene, node, "s", "s: %g to %g holds nothing", s->numbers[0], s->numbers[1]);
    if (strcmp(node->spec->name, "event") == 0) return;  // checked when its body is built
    if (!rod) {
        sp__cannot_act(node, "s", NULL, NULL, "only a rod has an arc length");
        sp__cannot_act(node, "end", NULL, NULL, "only a rod has a root and a tip");
    } else {
        sp__cannot_act(node, "tag", NULL, NULL, "a rod comes from no mesh file and has no groups");
    }
}

static void check_selection(sp_scene_node *node) {
    const char *element = node->spec->name;
    sp_scene *scene = node->scene;
    if (sp__attr_given(node, "within") && !sp__attr_given(node, "plane"))
        sp__cannot_act(node, "within", NULL, NULL, "it is the layer around a plane");
    const sp_scene_node *body = body_of(node);
    bool rod = body && strcmp(body->spec->name, "rod") == 0;
    bool takes_point = strcmp(element, "probe") == 0 || strcmp(element, "pull") == 0 || (rod && strcmp(element, "load") == 0);
    if (sp__attr_given(node, "point") && !takes_point)
        sp__cannot_act(node, "point", NULL, NULL,
                       rod ? "only probe, pull and load take a point of a rod" : "only probe and pull take a point");
    check_box(node);
    check_along(node, rod);
    bool must = sp__list_has("fix/load/region/pull/select", '/', element);
    if (strcmp(element, "move") == 0 && body && strcmp(body->spec->name, "solid") == 0) must = true;
    if (rod && strcmp(element, "load") == 0 && sp__attr_given(node, "acceleration")) must = false;
    if (must && !sp__selects_something(node))
        sp__scene_error(scene, node, NULL, "selects nothing: it needs a box, sphere, plane, tag, ..., or on=\"all\"");
    if (!must && !sp__selects_something(node) && strcmp(element, "event") != 0)
        sp__cannot_act(node, "invert", NULL, NULL, "nothing is selected");
    const char *other = sp__attr_word(node, "select");
    const sp_scene_node *target = other ? sp__path_get(scene, other, "", "") : NULL;
    if (target && body && body_of(target) != body)
        sp__scene_error(scene, node, "select", "select=\"%s\" belongs to another body", other);
    if (target) check_select_circle(node);
}

// ---------------------------------------------------------------------------------------------- shared groups

static void check_placement(sp_scene_node *node) {
    const sp_attr *quat = sp__attr(node, "quat"), *rotate = sp__attr(node, "rotate");
    if (sp__attr_given(node, "rotate") && sp__attr_given(node, "quat"))
        sp__scene_error(node->scene, node, "quat", "rotate and quat both say the rotation; one of them");
    if (quat->count == 4 && !sp__attr_varies(quat, SP_ATTR_OF_TIME)) {
        double n = 0;
        for (int i = 0; i < 4; i++) n += quat->numbers[i] * quat->numbers[i];
        if (!(n > 0)) sp__scene_error(node->scene, node, "quat", "quat has no length");
    }
    if (rotate->count == 4 && !sp__attr_varies(rotate, SP_ATTR_OF_TIME) && rotate->numbers[0] == 0 && rotate->numbers[1] == 0 &&
        rotate->numbers[2] == 0)
        sp__scene_error(node->scene, node, "rotate", "rotate: the axis has no length");
}

static void check_sampling(sp_scene_node *node) {
    int ways = sp__attr_given(node, "every") + sp__attr_given(node, "period") + sp__attr_given(node, "times");
    if (ways > 1) sp__scene_error(node->scene, node, NULL, "one of every, period and times says when to sample");
    double from = sp__attr_number(node, "from"), until = sp__attr_number(node, "until");
    if (until < from) sp__scene_error(node->scene, node, "until", "until = %g is before from = %g", until, from);
    const sp_attr *times = sp__attr(node, "times");
    for (int i = 1; i < times->count; i++)
        if (!(times->numbers[i] > times->numbers[i - 1])) {
            sp__scene_error(node->scene, node, "times", "times must rise: %g after %g", times->numbers[i], times->numbers[i - 1]);
            return;
        }
}

static bool has_attr(const sp_scene_node *node, const char *name) {
    return sp__attr_index(node->spec, name) >= 0;
}

static void check_groups(sp_scene_node *node) {
    if (has_attr(node, "near") && !(node->spec->attrs[sp__attr_index(node->spec, "near")].flags & SP_ATTR_NOT_BUILT))
        check_selection(node);
    if (has_attr(node, "quat")) check_placement(node);
    if (has_attr(node, "times")) check_sampling(node);
}

// ---------------------------------------------------------------------------------------------- unique elements

static bool is_single(const sp_scene_node *parent, const char *element) {
    return sp__list_has(parent->parent ? "solver/integrator/initial/rest/reduce/grow/feed/path"
                                       : "contact/view/stop/solver/integrator",
                        '/', element);
}

static void check_once(sp_scene *scene, sp_scene_node *parent) {
    const sp_scene_node *seen[SP_MAX_KINDS] = {NULL};
    for (int i = 0; i < parent->child_count; i++) {
        sp_scene_node *child = parent->children[i];
        if (!sp__is_present(child) || !is_single(parent, child->spec->name)) continue;
        const sp_scene_node **slot = &seen[child->source->spec_index];
        if (*slot)
            sp__scene_error(scene, child, NULL, "there is one at %s:%d already, and only one may be", (*slot)->file,
                            (*slot)->line);
        else
            *slot = child;
    }
}

static void check_param_names(sp_scene *scene) {
    for (int i = 0; i < scene->node_count; i++) {
        sp_scene_node *node = scene->nodes[i];
        if (strcmp(node->spec->name, "param") != 0) continue;
        double number;
        const char *word;
        sp__param_value(scene, node, &number, &word);
        if (node->source->scope == &scene->scope && has_attr(scene->root, node->name))
            sp__scene_error(scene, node, NULL, "the scene has an attribute of this name, and --set could not tell them apart");
    }
}

void sp__scene_check(sp_scene *scene) {
    check_param_names(scene);
    for (int i = 0; i < scene->node_count && !scene->no_memory; i++) {
        sp_scene_node *node = scene->nodes[i];
        if (node->source->inert || !node->spec->built) continue;
        check_groups(node);
        sp__check_element(node);
        if (sp__is_body(node) || !node->parent) check_once(scene, node);
        if (strcmp(node->spec->name, "curve") == 0) sp__curve_read(scene, node);
    }
    for (int i = 0; i < scene->root->child_count && !scene->no_memory; i++)
        if (scene->root->children[i]->strand_count) sp__check_merged(scene->root->children[i]);
}

// ---------------------------------------------------------------------------------------------- unused names

void sp__check_unused(sp_scene *scene) {
    for (int i = 0; i < scene->node_count && !scene->no_memory; i++) {
        const sp_scene_node *node = scene->nodes[i];
        const char *element = node->spec->name;
        bool definition = sp__list_has("material/look/curve/param/template/select/data", '/', element);
        bool class_default = strcmp(element, "default") == 0 && sp__raw_attr(node->source->raw, "class");
        if (node->source->used || (!definition && !class_default)) continue;
        if (node->source->inert && strcmp(element, "template") != 0 && !class_default) continue;
        if (strcmp(element, "select") == 0 && node->parent && strcmp(node->parent->spec->name, "select") == 0) continue;
        sp__scene_warning(scene, node, NULL, "is defined and used by nobody");
    }
}
