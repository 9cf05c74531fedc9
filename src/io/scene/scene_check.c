// Rules across elements and attributes: duplicates, attributes without effect, contradictions, unused names.
#include "io/scene/scene_read.h"

#include <stdio.h>

bool sp__is_body(const sp_scene_node *node) {
    return sp__list_has("solid/rod/shell/rigid", '/', node->spec->name);
}

// a disabled element is absent; inside a disabled parent all elements count as present, so that they are checked too
bool sp__is_present(const sp_scene_node *node) {
    return node->enabled || !node->parent->enabled;
}

void sp__cannot_act(sp_scene_node *node, const char *attr, const sp_scene_node *decider, const char *decides, const char *why) {
    const sp_attr *a = sp__attr(node, attr);
    if (a->origin <= SP_ORIGIN_BUILTIN) {
        sp__attr_unused(node, sp__attr_index(node->spec, attr));
        return;
    }
    bool overridden = decider && sp__attr(decider, decides)->origin == SP_ORIGIN_SET && a->origin != SP_ORIGIN_SET;
    if (a->origin == SP_ORIGIN_DEFAULT || a->origin == SP_ORIGIN_CLASS || overridden) {
        sp__scene_note_auto(node->scene, node, attr, "\"%s\" from %s:%d is left out: %s", a->text, a->file, a->line, why);
        sp__attr_forget(node, sp__attr_index(node->spec, attr));
        return;
    }
    sp__scene_error(node->scene, node, attr, "attribute \"%s\" has no effect here: %s", attr, why);
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
            sp__scene_error(node->scene, node, "box", "box: %g to %g along %c is empty", box->numbers[a], box->numbers[a + 3],
                            "xyz"[a]);
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
        sp__scene_error(node->scene, node, "select", "circular reference between selections: %s", chain);
        return;
    }
}

// attributes that only rods have, and those that rods do not have
static void check_along(sp_scene_node *node, bool rod) {
    const sp_attr *s = sp__attr(node, "s");
    if (s->count == 2 && s->numbers[0] > s->numbers[1])
        sp__scene_error(node->scene, node, "s", "s: %g to %g is empty", s->numbers[0], s->numbers[1]);
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
    bool rod = body && strcmp(body->spec->name, "rod") == 0, rigid = body && strcmp(body->spec->name, "rigid") == 0;
    bool takes_point = sp__list_has(rod || rigid ? "probe/pull/mass/load" : "probe/pull/mass", '/', element);
    if (sp__attr_given(node, "point") && !takes_point)
        sp__cannot_act(node, "point", NULL, NULL,
                       rod ? "only probe, pull, mass and load take a point of a rod" : "only probe, pull and mass take a point");
    check_box(node);
    check_along(node, rod);
    // loads, pulls and masses of a rigid body act at a point of it, by default at its centre of mass
    bool must = sp__list_has(rigid ? "select" : "fix/load/mass/region/pull/select", '/', element);
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
        sp__scene_error(node->scene, node, "quat", "rotate and quat both give the rotation; use one of them");
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
    if (ways > 1) sp__scene_error(node->scene, node, NULL, "every, period and times exclude each other; use one of them");
    double from = sp__attr_number(node, "from"), until = sp__attr_number(node, "until");
    if (until < from) sp__scene_error(node->scene, node, "until", "until = %g is before from = %g", until, from);
    const sp_attr *times = sp__attr(node, "times");
    for (int i = 1; i < times->count; i++)
        if (!(times->numbers[i] > times->numbers[i - 1])) {
            sp__scene_error(node->scene, node, "times", "times must increase: %g after %g", times->numbers[i],
                            times->numbers[i - 1]);
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
    return sp__list_has(parent->parent ? "solver/integrator/initial/rest/reduce/grow/feed/path/contact-solver"
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
            sp__scene_error(scene, child, NULL, "there is already one at %s:%d, and only one is allowed", (*slot)->file,
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
            sp__scene_error(scene, node, NULL, "the scene has an attribute of this name, and --set could not distinguish them");
    }
}

void sp__scene_check(sp_scene *scene) {
    check_param_names(scene);
    for (int i = 0; i < scene->node_count && !scene->no_memory; i++) {
        sp_scene_node *node = scene->nodes[i];
        if (node->source->inert || !node->spec->built) continue;
        check_groups(node);
        sp__check_element(node);
        if (sp__is_body(node) || !node->parent || strcmp(node->spec->name, "contact") == 0) check_once(scene, node);
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
        sp__scene_warning(scene, node, NULL, "is defined but not used");
    }
}

// ========================================================================================================= --set

// Errors of --set: a path that matches nothing, or a value without effect. Both messages list paths that would act.

enum { SEARCHED = 2000, LISTED = 3 };  // nodes searched; paths listed in a message

static const char *last_word(const char *path) {
    const char *dot = strrchr(path, '.');
    return dot ? dot + 1 : path;
}

static bool is_param(const sp_scene_node *node) {
    return strcmp(node->spec->name, "param") == 0;
}

// the path of an attribute; attr < 0: of a parameter itself
static void attr_path(sp_scene_node *node, int attr, char *out, size_t size) {
    char merged[150];
    const char *of_body = node->instance ? sp__merged_path(node, merged, sizeof merged) : NULL;
    snprintf(out, size, "%.150s%s%.60s", of_body ? of_body : node->path, attr < 0 || !node->path[0] ? "" : ".",
             attr < 0 ? "" : node->spec->attrs[attr].name);
}

// the path closest to a mistyped one
static bool nearest_path(sp_scene *scene, const char *wanted, char best[220]) {
    // short words need a stricter limit: they are close to everything
    int limit = strlen(wanted) < 3 ? 0 : strlen(wanted) < 5 ? 1 : 2;
    best[0] = 0;
    for (int i = 0; i < scene->node_count && i < SEARCHED && limit >= 0; i++)
        for (int a = is_param(scene->nodes[i]) ? -1 : 0; a < scene->nodes[i]->spec->attr_count && limit >= 0; a++) {
            char path[220];
            attr_path(scene->nodes[i], a, path, sizeof path);
            int d = sp__edit_distance(wanted, path, limit);
            if (d > limit) continue;
            memcpy(best, path, sizeof path);
            limit = d - 1;
        }
    return best[0] != 0;
}

// Whether --set of this attribute can act, by the type of the node.
static bool could_act(const sp_scene_node *node, int attr) {
    bool common = node->parent && !node->parent->parent && sp__list_has("solver/integrator", '/', node->spec->name);
    bool shape = node->parent && strcmp(node->parent->spec->name, "solid") == 0 &&
                 sp__list_has("box/cylinder/sphere/torus/organ", '/', node->spec->name);
    const char *name = node->spec->attrs[attr].name;
    if (node->source->inert || common || is_param(node) || (node->spec->attrs[attr].flags & SP_ATTR_NOT_BUILT)) return false;
    return !(shape && sp__list_has("scale/rotate/quat/translate", '/', name)) && !sp__list_has("name/class", '/', name);
}

// Lists the paths that end in this attribute, of one element type (NULL: any). Returns their number.
static int list_paths(sp_scene *scene, const char *attr, const sp_element_spec *kind, char *out, size_t size) {
    size_t used = 0;
    int count = 0;
    out[0] = 0;
    for (int i = 0; i < scene->node_count && i < SEARCHED; i++) {
        sp_scene_node *node = scene->nodes[i];
        int a = sp__attr_index(node->spec, attr);
        char path[220];
        if (a < 0 || (kind && node->spec != kind) || !could_act(node, a) || count++ >= LISTED) continue;
        attr_path(node, a, path, sizeof path);
        int n = snprintf(out + used, size - used, "%s\"%s\"", used ? ", " : "", path);
        if (n > 0 && (size_t)n < size - used) used += (size_t)n;
    }
    if (count > LISTED && used + 5 < size) memcpy(out + used, ", ...", 6);
    return count;
}

// the attribute of this name, or the one that a synonym means
static const char *meant_attr(const sp_scene *scene, const char *word) {
    enum { MOST = 400 };
    const char *known[MOST];
    int n = 0;
    for (int i = 0; i < scene->node_count && i < SEARCHED; i++)
        for (int a = 0; a < scene->nodes[i]->spec->attr_count; a++) {
            const char *name = scene->nodes[i]->spec->attrs[a].name;
            bool have = false;
            for (int k = 0; k < n && !have; k++) have = strcmp(known[k], name) == 0;
            if (!have && n < MOST) known[n++] = name;
        }
    return sp__nearest(word, known, n);
}

// "contact.friction" in a scene without contact
static bool lacks_element(const sp_scene *scene, const char *path, char name[64]) {
    size_t n = strcspn(path, ".");
    if (!path[n] || n >= 64) return false;
    memcpy(name, path, n);
    name[n] = 0;
    for (int i = 0; i < scene->node_count; i++)
        if (strcmp(scene->nodes[i]->spec->name, name) == 0) return false;
    for (int i = 0; i < sp__element_spec_count(); i++)
        if (strcmp(sp__element_spec_at(i)->name, name) == 0) return true;
    return false;
}

void sp__set_unmatched(sp_scene *scene, const sp_set_option *option) {
    char quoted[80], best[220], paths[3 * 220 + 20] = "", element[64];
    const char *meant = meant_attr(scene, last_word(option->path));
    sp__quote(option->path, quoted);
    if (nearest_path(scene, option->path, best))
        sp__scene_error_at(scene, option->text, 0, "the path %s matches nothing; did you mean \"%s\"?", quoted, best);
    else if (lacks_element(scene, option->path, element))
        sp__scene_error_at(scene, option->text, 0, "the path %s matches nothing: the scene has no element \"%s\"", quoted,
                           element);
    else if (meant && list_paths(scene, meant, NULL, paths, sizeof paths) > 0)
        sp__scene_error_at(scene, option->text, 0, "the path %s matches nothing; did you mean %s?", quoted, paths);
    else
        sp__scene_error_at(scene, option->text, 0, "the path %s matches nothing", quoted);
}

// element type that the option matched
static const sp_element_spec *kind_of(const sp_scene *scene, const sp_set_option *option) {
    for (int i = 0; i < scene->node_count; i++)
        for (const sp_set_hit *h = scene->nodes[i]->source->hits; h; h = h->next)
            if (h->option == option) return scene->nodes[i]->spec;
    return NULL;
}

void sp__check_sets(sp_scene *scene) {
    for (int i = 0; i < scene->set_count && !scene->no_memory; i++) {
        const sp_set_option *option = &scene->sets[i];
        char paths[3 * 220 + 20];
        if (!option->matched || option->acts) continue;
        int count = list_paths(scene, last_word(option->path), kind_of(scene, option), paths, sizeof paths);
        sp__scene_error_at(scene, option->text, 0, "has no effect: every element that could use the value sets its own%s%s",
                           count ? "; this has an effect: " : "", paths);
    }
}
