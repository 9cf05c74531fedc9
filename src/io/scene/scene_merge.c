// Hair: the copies of an `instance merge="yes"` become strands of one body. The copies keep their paths and values. One node
// under the root represents all of them and has the path of the instance.
#include <stdio.h>

#include "io/scene/scene_read.h"

static bool merge_is(const sp_scene_node *node, const char *element) {
    return strcmp(node->spec->name, element) == 0;
}

bool sp__merges(sp_scene_node *instance) {
    const sp_attr *merge = sp__attr_read(instance->scene, instance, sp__attr_index(instance->spec, "merge"));
    return merge->count && strcmp(merge->words[0], "yes") == 0;
}

const char *sp__merged_path(sp_scene_node *node, char *out, size_t size) {
    const sp_scene_node *top = node;
    if (!node->instance || !node->parent) return NULL;
    while (top->parent->parent) top = top->parent;
    const char *copy = node->instance->path, *number = strrchr(copy, '[');
    if (!number || !merge_is(top, "rod") || !sp__merges(node->instance)) return NULL;
    int n = snprintf(out, size, "%.*s%s", (int)(number - copy), copy, node->path + strlen(top->path));
    return n > 0 && (size_t)n < size ? out : NULL;
}

// ---------------------------------------------------------------------------------------------- merging

// each copy must have exactly one rod and nothing else
static bool check_parts(sp_scene *scene, const sp_scene_node *instance, int first) {
    int rods = 0;
    for (int i = first; i < scene->root->child_count; i++) {
        const sp_scene_node *child = scene->root->children[i];
        if (merge_is(child, "instance") || merge_is(child, "param")) continue;
        if (!merge_is(child, "rod") || child->strand_count) {
            sp__scene_error(scene, instance, "merge", "copies that are merged hold one rod and nothing else, and there is a %s",
                            child->strand_count ? "merged instance" : child->spec->name);
            return false;
        }
        bool second = i > first && merge_is(scene->root->children[i - 1], "rod");
        if (second) {
            sp__scene_error(scene, instance, "merge", "copies that are merged hold one rod, and there are several");
            return false;
        }
        rods++;
    }
    if (!rods) sp__scene_error(scene, instance, "merge", "copies that are merged hold one rod, and there is none");
    return rods > 0;
}

// the body for all strands, a copy of the first enabled one
static sp_scene_node *make_body(sp_scene *scene, const sp_scene_node *instance, sp_scene_node **strands, int count) {
    sp_scene_node *body = sp__scene_alloc(scene, 1, sizeof *body);
    if (!body) return NULL;
    *body = *strands[0];
    body->path = instance->path;
    body->name = instance->name;
    body->file = instance->file;
    body->line = instance->line;
    body->instance = NULL;
    body->merged = NULL;
    body->strands = strands;
    body->strand_count = count;
    for (int i = 0; i < count; i++) strands[i]->merged = body;
    return body;
}

bool sp__merge_copies(sp_scene *scene, sp_scene_node *instance, int first, int *capacity) {
    sp_scene_node *root = scene->root;
    int kept = first, count = 0;
    if (!check_parts(scene, instance, first)) return true;
    sp_scene_node **strands = sp__scene_alloc(scene, (size_t)(root->child_count - first), sizeof *strands);
    if (!strands) return false;
    for (int i = first; i < root->child_count; i++) {
        sp_scene_node *child = root->children[i];
        if (merge_is(child, "rod") && child->enabled) {
            strands[count++] = child;
            continue;
        }
        child->index = kept;
        root->children[kept++] = child;
    }
    root->child_count = kept;
    if (count == 0) return true;
    sp_scene_node *body = make_body(scene, instance, strands, count);
    if (!body || !sp__scene_grow(scene, &root->children, root->child_count, capacity, sizeof *root->children)) return false;
    body->index = root->child_count;
    root->children[root->child_count++] = body;
    sp__path_replace(scene, body);
    return true;
}

// ---------------------------------------------------------------------------------------------- agreement of the files

// index of the first number or word that differs; -1: none. Expressions are compared by value and by text
static int differ_at(const sp_attr *a, const sp_attr *b) {
    if (a->count != b->count || a->is_auto != b->is_auto || !a->words != !b->words) return 0;
    for (int i = 0; i < a->count; i++) {
        if (a->words ? strcmp(a->words[i], b->words[i]) != 0 : a->numbers[i] != b->numbers[i]) return i;
        bool varies = a->programs && a->programs[i], other = b->programs && b->programs[i];
        if (varies != other || (varies && strcmp(a->text, b->text) != 0)) return i;
    }
    return -1;
}

static const char *piece(const sp_attr *a, int i, char out[40]) {
    if (i >= a->count) return a->text ? a->text : "absent";
    if (a->words) return a->words[i];
    snprintf(out, 40, "%.9g", a->numbers[i]);
    return out;
}

static void must_agree(sp_scene_node *a, sp_scene_node *b, const char *name) {
    const sp_attr *x = sp__attr(a, name), *y = sp__attr(b, name);
    char here[40], there[40];
    int i = differ_at(x, y);
    if (i < 0) return;
    sp__scene_error(b->scene, b, name, "%s = %.60s, and %.60s in \"%s\": strands of one body have it in common", name,
                    piece(y, i, here), piece(x, i, there), a->path);
}

static sp_scene_node *child_of(const sp_scene_node *node, const char *element) {
    return sp__next_child(node, element, NULL);
}

static void children_agree(sp_scene_node *a, sp_scene_node *b, const char *element) {
    sp_scene_node *x = child_of(a, element), *y = child_of(b, element);
    if (!x != !y)
        sp__scene_error(b->scene, b, NULL, "\"%s\" and it cannot be strands of one body: one has a %s", a->path, element);
    for (int i = 0; x && y && i < x->spec->attr_count; i++)
        if (!sp__list_has("name/class/enabled", '/', x->spec->attrs[i].name)) must_agree(x, y, x->spec->attrs[i].name);
}

void sp__check_merged(sp_scene_node *body) {
    static const char *const common[] = {"model", "degree", "root", "clamp", "rayleigh", "drag", "look"};
    static const char *const parts[] = {"integrator", "solver", "grow", "surface", "initial"};
    sp_scene_node *first = body->strands[0];
    bool in_time = sp__attr_varies(sp__attr(first, "curvature"), SP_ATTR_OF_TIME);
    for (int i = 1; i < body->strand_count && sp__scene_errors(body->scene) < SP_MAX_ERRORS; i++) {
        sp_scene_node *other = body->strands[i];
        for (size_t k = 0; k < sizeof common / sizeof *common; k++) must_agree(first, other, common[k]);
        for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) children_agree(first, other, parts[k]);
        if (in_time || sp__attr_varies(sp__attr(other, "curvature"), SP_ATTR_OF_TIME)) must_agree(first, other, "curvature");
    }
}
