// Errors of --set: a path that matches nothing, or a value without effect. Both messages list paths that would act.
#include <stdio.h>

#include "io/scene/scene_read.h"

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
        sp__scene_error_at(scene, option->text, 0, "has no effect: every element that could take the value says its own%s%s",
                           count ? "; this acts: " : "", paths);
    }
}
