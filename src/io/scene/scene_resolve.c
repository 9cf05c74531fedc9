// Expands raw elements to nodes: inserts includes, copies templates, builds paths from names, applies --set. The size of every
// expansion is computed before anything is created.
#include "io/scene/scene_read.h"

#include <stdio.h>

#include "io/file/text_file.h"

// =========================================================================================== strands of one body

// Hair: the copies of an `instance merge="yes"` become strands of one body. The copies keep their paths and values. One node
// under the root represents all of them and has the path of the instance.

static bool merge_is(const sp_scene_node *node, const char *element) {
    return strcmp(node->spec->name, element) == 0;
}

static bool instance_merges(sp_scene_node *instance) {
    const sp_attr *merge = sp__attr_read(instance->scene, instance, sp__attr_index(instance->spec, "merge"));
    return merge->count && strcmp(merge->words[0], "yes") == 0;
}

const char *sp__merged_path(sp_scene_node *node, char *out, size_t size) {
    const sp_scene_node *top = node;
    if (!node->instance || !node->parent) return NULL;
    while (top->parent->parent) top = top->parent;
    const char *copy = node->instance->path, *number = strrchr(copy, '[');
    if (!number || !merge_is(top, "rod") || !instance_merges(node->instance)) return NULL;
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

// Merges the rods that the copies of an instance added to the root, from child `first` on, into one body. False: no memory.
static bool merge_copies(sp_scene *scene, sp_scene_node *instance, int first, int *capacity) {
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

// ===================================================================================================== expansion

static bool resolve_is(const sp_raw *raw, const char *element) {
    return strcmp(raw->element, element) == 0;
}

static bool ignored(const sp_raw *raw) {
    return !raw->spec || raw->misplaced;
}

// ---------------------------------------------------------------------------------------------- nodes

// children in file order, numbered if several unnamed ones have the same element type
typedef struct item {
    const sp_raw *raw;
    sp_scope *scope;
    int number;  // -1: the only one
} item;

typedef struct item_list {
    item *items;
    int count, capacity;
} item_list;

static bool add_item(sp_scene *scene, item_list *list, const sp_raw *raw, sp_scope *scope) {
    if (!sp__scene_grow(scene, &list->items, list->count, &list->capacity, sizeof *list->items)) return false;
    list->items[list->count++] = (item){raw, scope, -1};
    return true;
}

static bool unnamed(const item *it) {
    const char *name = sp__raw_attr(it->raw, "name");
    return !name || !sp__name_valid(name);
}

static void number_items(item_list *list) {
    int total[SP_MAX_KINDS] = {0}, seen[SP_MAX_KINDS] = {0};
    for (int i = 0; i < list->count; i++)
        if (unnamed(&list->items[i])) total[sp__element_index(list->items[i].raw->spec)]++;
    for (int i = 0; i < list->count; i++) {
        int kind = sp__element_index(list->items[i].raw->spec);
        if (unnamed(&list->items[i]) && total[kind] > 1) list->items[i].number = seen[kind]++;
    }
}

// path of the parent (none for children of the root), prefix of the scope, name, number
static char *make_path(sp_scene *scene, const sp_scene_node *parent, const char *base, const char *name, int number) {
    const char *above = parent && parent->path[0] ? parent->path : "";
    const char *front = above[0] ? "" : base;
    size_t size = strlen(above) + strlen(front) + strlen(name) + 16;
    char *path = sp__scene_alloc(scene, size, 1);
    if (!path) return NULL;
    int n = snprintf(path, size, "%s%s%s%s", above, above[0] ? "." : "", front, name);
    if (number >= 0) snprintf(path + n, size - (size_t)n, "[%d]", number);
    return path;
}

// the path is that of the node or of the body that it is a strand of
static bool is_at(sp_scene_node *node, const char *path) {
    char merged[300];
    if (sp__path_matches(path, node->path, node->source->sole)) return true;
    const char *of_body = sp__merged_path(node, merged, sizeof merged);
    return of_body && sp__path_matches(path, of_body, false);
}

static void apply_set(sp_scene *scene, sp_scene_node *node, sp_set_option *option) {
    const char *dot = strrchr(option->path, '.'), *attr = dot ? dot + 1 : option->path;
    bool param = strcmp(node->spec->name, "param") == 0;
    int index = -1;
    if (param && sp__path_matches(option->path, node->path, node->source->sole)) {
        index = sp__attr_index(node->spec, "value");
    } else if ((index = sp__attr_index(node->spec, attr)) >= 0) {
        size_t n = dot ? (size_t)(dot - option->path) : 0;
        char *holder = sp__scene_copy(scene, option->path, n);
        bool root = !node->path[0];
        if (!holder || (root ? n != 0 : n == 0 || !is_at(node, holder))) index = -1;
    }
    if (index < 0) return;
    option->matched = true;
    // for a default it is not known yet whether any element uses it
    bool common = node->parent && !node->parent->parent && sp__list_has("solver/integrator", '/', node->spec->name);
    if (param || (!common && !node->source->inert)) option->acts = true;
    if (strcmp(node->spec->attrs[index].name, "name") == 0) {
        sp__scene_error_at(scene, option->text, 0, "a name cannot be set");
        return;
    }
    sp_set_hit *hit = sp__scene_alloc(scene, 1, sizeof *hit);
    if (!hit) return;
    *hit = (sp_set_hit){index, option, node->source->hits};
    node->source->hits = hit;
}

static sp_scene_node *new_node(sp_scene *scene, const sp_raw *raw, sp_scope *scope, sp_scene_node *parent, int number) {
    if (scene->node_count >= SP_MAX_ELEMENTS) return NULL;
    if (!sp__scene_grow(scene, &scene->nodes, scene->node_count, &scene->node_capacity, sizeof *scene->nodes)) return NULL;
    sp_scene_node *node = sp__scene_alloc(scene, 1, sizeof *node);
    sp_scene_source *source = sp__scene_alloc(scene, 1, sizeof *source);
    if (!node || !source) return NULL;
    const char *name = sp__raw_attr(raw, "name");
    bool named = name && (!raw->parent || sp__name_valid(name));
    *source = (sp_scene_source){.raw = raw, .scope = scope, .spec_index = sp__element_index(raw->spec)};
    *node = (sp_scene_node){.spec = raw->spec,
                            .scene = scene,
                            .parent = parent,
                            .name = named ? name : "",
                            .file = raw->file,
                            .line = raw->line,
                            .enabled = true,
                            .source = source};
    node->attrs = sp__scene_alloc(scene, (size_t)raw->spec->attr_count, sizeof *node->attrs);
    node->path = parent ? make_path(scene, parent, scope->base, named ? name : raw->element, number) : "";
    if (!node->attrs || !node->path) return NULL;
    if (parent) {
        source->inert = parent->source->inert || resolve_is(raw, "template") || resolve_is(raw, "default");
        source->sole = parent->source->sole;
        node->instance = parent->instance;
    }
    scene->nodes[scene->node_count++] = node;
    return node;
}

// registers the node under its path and applies --set
static void announce(sp_scene *scene, sp_scene_node *node) {
    if (!sp__path_add(scene, node)) {
        const sp_scene_node *other = sp__path_get(scene, node->path, "", "");
        sp__scene_error(scene, node, NULL, "the name \"%s\" is taken by the %s at %s:%d", node->path, other->spec->name,
                        other->file, other->line);
    }
    for (int i = 0; i < scene->set_count; i++) apply_set(scene, node, &scene->sets[i]);
    int enabled = sp__attr_index(node->spec, "enabled");
    bool around = !node->parent || (node->parent->enabled && (!node->instance || node->instance->enabled));
    if (!around)
        node->enabled = false;
    else if (enabled >= 0 && !node->source->inert && node->spec->built && !resolve_is(node->source->raw, "param")) {
        const sp_attr *attr = sp__attr_read(scene, node, enabled);
        node->enabled = !attr->count || strcmp(attr->words[0], "yes") == 0;
    }
}

static bool attach(sp_scene *scene, sp_scene_node *parent, int *capacity, sp_scene_node *child) {
    if (!sp__scene_grow(scene, &parent->children, parent->child_count, capacity, sizeof *parent->children)) return false;
    child->index = parent->child_count;
    parent->children[parent->child_count++] = child;
    return true;
}

// an implied element that is not in the file, so that its values have paths
static const sp_raw *implied(sp_scene *scene, const sp_raw *parent, const char *element) {
    sp_raw *raw = sp__scene_alloc(scene, 1, sizeof *raw);
    if (!raw) return NULL;
    *raw = (sp_raw){.element = element, .spec = sp__element_spec(element), .file = parent->file, .line = parent->line, .size = 1};
    raw->parent = (sp_raw *)parent;
    return raw;
}

static bool has_system(const sp_raw *raw) {
    return resolve_is(raw, "solid") || resolve_is(raw, "rod") || resolve_is(raw, "shell");
}

static bool imply_system(sp_scene *scene, const sp_raw *raw, sp_scope *scope, item_list *list) {
    static const char *const both[] = {"integrator", "solver"};
    for (int i = 0; i < 2; i++) {
        bool written = false;
        for (int k = 0; k < list->count && !written; k++) written = resolve_is(list->items[k].raw, both[i]);
        const sp_raw *one = written ? NULL : implied(scene, raw, both[i]);
        if (!written && (!one || !add_item(scene, list, one, scope))) return false;
    }
    return true;
}

// a node with all its children; the depth is limited by that of the file
static sp_scene_node *grow_node(sp_scene *scene, const item *it, sp_scene_node *parent) {
    sp_scene_node *node = new_node(scene, it->raw, it->scope, parent, it->number);
    if (!node) return NULL;
    announce(scene, node);
    if (resolve_is(it->raw, "template") || resolve_is(it->raw, "instance")) return node;
    item_list list = {0};
    int capacity = 0;
    for (const sp_raw *c = it->raw->first; c; c = c->next)
        if (!ignored(c) && !add_item(scene, &list, c, it->scope)) return NULL;
    if (has_system(it->raw) && !node->source->inert && !imply_system(scene, it->raw, it->scope, &list)) return NULL;
    number_items(&list);
    for (int i = 0; i < list.count; i++) {
        sp_scene_node *child = grow_node(scene, &list.items[i], node);
        if (!child || !attach(scene, node, &capacity, child)) return NULL;
    }
    return node;
}

// ---------------------------------------------------------------------------------------------- parameters of a scope

static sp_scene_node *grow_param(sp_scene *scene, const sp_raw *raw, sp_scope *scope, sp_scene_node *like) {
    if (unnamed(&(item){raw, scope, -1})) {
        if (!sp__raw_attr(raw, "name")) sp__raw_error(scene, raw, raw->line, "a parameter needs a name");
        return NULL;
    }
    sp_scene_node *node = new_node(scene, raw, scope, scene->root, -1);
    if (!node) return NULL;
    if (like) {
        node->instance = like;
        node->source->sole = like->source->sole;
    }
    announce(scene, node);
    return node;
}

// the `set` elements of an include or instance assign the parameters of the inserted or copied elements
static bool give_values(sp_scene *scene, sp_scene_node *holder, sp_scope *inside) {
    bool good = true;
    for (int i = 0; i < holder->child_count; i++) {
        sp_scene_node *set = holder->children[i];
        sp_scene_node *param = set->name[0] ? sp__path_get(scene, inside->base, "", set->name) : NULL;
        if (param && param->source->scope == inside && strcmp(param->spec->name, "param") == 0) {
            param->source->given = set;
            param->source->used = true;
            continue;
        }
        good = false;
        if (set->name[0]) {
            const char *known[100];
            char hint[120];
            int n = 0;
            for (int k = 0; k < scene->node_count && n < 100; k++)
                if (scene->nodes[k]->source->scope == inside && strcmp(scene->nodes[k]->spec->name, "param") == 0)
                    known[n++] = scene->nodes[k]->name;
            sp__scene_error(scene, set, NULL, "there is no parameter of this name to set%s",
                            sp__did_you_mean(set->name, known, n, hint));
        } else {
            sp__scene_error(scene, set, NULL, "missing attribute \"name\", the parameter to set");
        }
    }
    return good;
}

// `set` elements have no path of their own: pile[2].E is the parameter
static bool grow_sets(sp_scene *scene, sp_scene_node *holder, const sp_raw *raw, sp_scope *scope) {
    int capacity = 0;
    for (const sp_raw *c = raw->first; c; c = c->next) {
        if (ignored(c)) continue;
        sp_scene_node *set = new_node(scene, c, scope, holder, -1);
        if (!set || !attach(scene, holder, &capacity, set)) return false;
    }
    return true;
}

// ---------------------------------------------------------------------------------------------- includes

typedef struct chain {
    const struct chain *up;
    const char *what;   // real path of a file, or name of a template
    const char *shown;  // for messages
    const void *key;
    int depth;
} chain;

static bool closes_circle(sp_scene *scene, const chain *up, const char *what, const char *shown, const sp_scene_node *node) {
    for (const chain *c = up; c; c = c->up) {
        if (strcmp(c->what, what) != 0) continue;
        char text[400];
        int n = snprintf(text, sizeof text, "%s", shown);
        for (const chain *d = up; d && n >= 0 && (size_t)n < sizeof text; d = d == c ? NULL : d->up) {
            char longer[400];
            snprintf(longer, sizeof longer, "%.180s -> %.200s", d->shown, text);
            n = snprintf(text, sizeof text, "%s", longer);
        }
        sp__scene_error(scene, node, NULL, "is circular: %s", text);
        return true;
    }
    if (up && up->depth >= SP_MAX_INCLUDES) {
        sp__scene_error(scene, node, NULL, "nested deeper than %d", SP_MAX_INCLUDES);
        return true;
    }
    return false;
}

static const sp_raw *read_fragment(sp_scene *scene, const sp_scene_node *node, const char *real, const char *shown) {
    for (const sp_raw_file *f = scene->files; f; f = f->next)
        if (strcmp(f->real, real) == 0) return f->root;
    char *text;
    size_t size;
    sp_status status = sp__text_read(scene->ctx, real, SP_MAX_XML, &text, &size);
    sp_raw_file *file = sp__scene_alloc(scene, 1, sizeof *file);
    if (status < 0 || !file) {
        scene->no_memory = scene->no_memory || status == SP_NO_MEMORY;
        if (status < 0) sp__scene_error(scene, node, "file", "%s", sp_context_error(scene->ctx)->message);
        if (status >= 0) sp__free(scene->ctx, text);
        return NULL;
    }
    sp_raw *root = sp__xml_parse(scene, text, size, shown);
    sp__free(scene->ctx, text);
    if (root && !resolve_is(root, "fragment")) {
        sp__raw_error(scene, root, root->line, "an included file has the root \"fragment\" (included at %s:%d)", node->file,
                      node->line);
        root = NULL;
    }
    if (root) sp__check_names(scene, root);
    *file = (sp_raw_file){real, root, scene->files};
    scene->files = file;
    return root;
}

static void resolve_collect(sp_scene *scene, const sp_raw *root, sp_scope *scope, const chain *up, item_list *list);

static void paste(sp_scene *scene, const sp_raw *raw, sp_scope *outer, const chain *up, item_list *list) {
    sp_scene_node *node = new_node(scene, raw, outer, scene->root, -1);
    if (!node) return;
    const sp_attr *enabled = sp__attr_read(scene, node, sp__attr_index(node->spec, "enabled"));
    const sp_attr *file = sp__attr_read(scene, node, sp__attr_index(node->spec, "file"));
    const sp_attr *prefix = sp__attr_read(scene, node, sp__attr_index(node->spec, "prefix"));
    node->source->inert = true;  // from now on it is used only in messages
    if (!file->count || (enabled->count && strcmp(enabled->words[0], "no") == 0)) return;
    const char *shown = sp__file_relative(scene, raw->file, file->text);
    sp_scope *scope = sp__scene_alloc(scene, 1, sizeof *scope);
    if (!scope || !shown || !grow_sets(scene, node, raw, outer)) return;
    if (closes_circle(scene, up, file->words[0], shown, node)) return;
    const sp_raw *root = read_fragment(scene, node, file->words[0], shown);
    if (!root) return;
    const char *word = prefix->count ? prefix->words[0] : "";
    size_t n = strlen(outer->base) + strlen(word) + 1;
    char *base = sp__scene_alloc(scene, n, 1);
    if (!base) return;
    snprintf(base, n, "%s%s", outer->base, word);
    *scope = (sp_scope){.parent = outer, .base = base, .holder = node};
    resolve_collect(scene, root, scope, &(chain){up, file->words[0], shown, NULL, up ? up->depth + 1 : 1}, list);
    give_values(scene, node, scope);
}

// parameters first: the file names of includes may depend on them
static void resolve_collect(sp_scene *scene, const sp_raw *root, sp_scope *scope, const chain *up, item_list *list) {
    for (const sp_raw *c = root->first; c; c = c->next)
        if (!ignored(c) && resolve_is(c, "param")) grow_param(scene, c, scope, NULL);
    for (const sp_raw *c = root->first; c && !scene->no_memory; c = c->next) {
        if (ignored(c) || resolve_is(c, "param")) continue;
        if (resolve_is(c, "include"))
            paste(scene, c, scope, up, list);
        else if (!add_item(scene, list, c, scope))
            return;
    }
}

// ---------------------------------------------------------------------------------------------- instances

typedef struct copies {
    double count;
    int grid[3];
    double spacing[3];
    const sp_csv *csv;
} copies;

static const sp_attr *resolve_given(sp_scene *scene, sp_scene_node *node, const char *name) {
    return sp__attr_read(scene, node, sp__attr_index(node->spec, name));
}

static bool count_copies(sp_scene *scene, sp_scene_node *node, copies *out) {
    const sp_attr *count = resolve_given(scene, node, "count"), *grid = resolve_given(scene, node, "grid"),
                  *file = resolve_given(scene, node, "file");
    const sp_attr *spacing = resolve_given(scene, node, "spacing");
    *out = (copies){.count = count->count ? count->numbers[0] : 0};
    int ways = (count->origin > SP_ORIGIN_BUILTIN) + (grid->origin != SP_ORIGIN_ABSENT) + (file->origin != SP_ORIGIN_ABSENT);
    if (ways > 1) {
        sp__scene_error(scene, node, NULL, "count, grid and file exclude each other; use one of them");
        return false;
    }
    if (spacing->count && !grid->count) sp__scene_error(scene, node, "spacing", "spacing acts with a grid only");
    if (grid->count) {
        out->count = 1;
        for (int a = 0; a < 3; a++) {
            out->grid[a] = (int)grid->numbers[a];
            out->spacing[a] = spacing->count ? spacing->numbers[spacing->count == 3 ? a : 0] : 0;
            out->count *= out->grid[a];
        }
        if (!spacing->count) sp__scene_error(scene, node, NULL, "a grid needs a spacing");
    }
    if (file->count) {
        char why[300];
        out->csv = sp__csv_read(scene, file->words[0], why, sizeof why);
        if (!out->csv) sp__scene_error(scene, node, "file", "file %s", why);
        out->count = out->csv ? out->csv->rows : 0;
    }
    return out->count > 0;
}

// number of copies of an instance in a template, as far as its plain text shows
static double count_written(const sp_raw *instance) {
    const char *count = sp__raw_attr(instance, "count"), *grid = sp__raw_attr(instance, "grid");
    double total = 1, n;
    if (count && sp__scan_double(count, &n)) return n > 0 ? n : 0;
    for (int a = 0; grid && a < 3; a++) {
        grid += strspn(grid, " \t\r\n");
        if (!(grid = sp__scan_double(grid, &n))) return 1;
        total *= n > 0 ? n : 0;
    }
    return total;
}

// elements of one copy including nested instances; cycles are reported later
static double copy_size(const sp_scene *scene, const sp_scene_node *template, int depth) {
    double size = template->source->raw->size;
    if (depth > SP_MAX_INCLUDES) return size;
    for (const sp_raw *c = template->source->raw->first; c; c = c->next) {
        const char *of = !ignored(c) && resolve_is(c, "instance") ? sp__raw_attr(c, "of") : NULL;
        const sp_scene_node *inner = of ? sp__scope_find(scene, template->source->scope, of, "template", false) : NULL;
        if (inner) size += count_written(c) * copy_size(scene, inner, depth + 1);
        if (size > 1e9) return size;
    }
    return size;
}

// checked before anything is created; the bytes are those of the nodes alone
static bool copies_fit(sp_scene *scene, const sp_scene_node *node, const sp_scene_node *template, double count) {
    double total = scene->node_count + count * copy_size(scene, template, 0);
    double bytes = total * (double)(sizeof(sp_scene_node) + sizeof(sp_scene_source) + 40 * sizeof(void *));
    if (total > SP_MAX_ELEMENTS)
        sp__scene_error(scene, node, NULL, "%.0f copies make %.0f elements, at most %d are allowed", count, total,
                        SP_MAX_ELEMENTS);
    else if (bytes > (double)scene->memory_limit)
        sp__scene_error(scene, node, NULL, "%.0f copies need about %.0f bytes, the memory limit is %zu", count, bytes,
                        scene->memory_limit);
    else
        return true;
    return false;
}

// adds the grid offset to the translation of the copy; x slowest, z fastest, like the nodes of a box
static bool shift_in_grid(sp_scene *scene, sp_scene_node *copy, const copies *c, int i) {
    if (!c->grid[0]) return true;
    int attr = sp__attr_index(copy->spec, "translate");
    const sp_attr *own = sp__attr_read(scene, copy, attr);
    sp_attr *sum = sp__scene_alloc(scene, 1, sizeof *sum);
    if (!sum || !(sum->numbers = sp__scene_alloc(scene, 3, sizeof *sum->numbers))) return false;
    int at[3] = {i / (c->grid[1] * c->grid[2]), i / c->grid[2] % c->grid[1], i % c->grid[2]};
    double *numbers = sum->numbers;
    for (int a = 0; a < 3; a++) numbers[a] = (own->count == 3 ? own->numbers[a] : 0) + at[a] * c->spacing[a];
    *sum = (sp_attr){.origin = SP_ORIGIN_WRITTEN, .text = own->text, .file = copy->file, .line = copy->line, .count = 3};
    sum->numbers = numbers;
    copy->attrs[attr] = sum;
    return true;
}

typedef struct spread {
    sp_scene *scene;
    int capacity;  // of the array of the root's children
    bool full;     // the limit of a scene is reached: nothing more is created
} spread;

static void expand_instance(spread *s, sp_scene_node *node, sp_scene_node *around, const chain *up);

// bodies of a copy become children of the root; nested instances are expanded recursively
static bool fill_copy(spread *s, sp_scene_node *copy, const sp_raw *template, sp_scope *inside, const chain *up) {
    sp_scene *scene = s->scene;
    item_list list = {0};
    for (const sp_raw *c = template->first; c; c = c->next) {
        if (ignored(c)) continue;
        if (resolve_is(c, "param"))
            grow_param(scene, c, inside, copy);
        else if (!add_item(scene, &list, c, inside))
            return false;
    }
    // report an error once, not for every copy
    if (!give_values(scene, copy, inside)) return false;
    number_items(&list);
    sp_scene_node *root = scene->root, *instance = root->instance;
    bool sole = root->source->sole;
    for (int i = 0; i < list.count && !scene->no_memory && !s->full; i++) {
        root->instance = copy;  // inherited by the new nodes
        root->source->sole = copy->source->sole;
        sp_scene_node *child = grow_node(scene, &list.items[i], root);
        root->instance = instance;
        root->source->sole = sole;
        if (!child) return false;
        if (resolve_is(list.items[i].raw, "instance"))
            expand_instance(s, child, copy, up);
        else if (!attach(scene, root, &s->capacity, child))
            return false;
    }
    return true;
}

static bool make_copy(spread *s, sp_scene_node *node, sp_scene_node *around, const sp_scene_node *template, const copies *c,
                      int i, const chain *up) {
    sp_scene *scene = s->scene;
    sp_scope *own = sp__scene_alloc(scene, 1, sizeof *own), *inside = sp__scene_alloc(scene, 1, sizeof *inside);
    if (!own || !inside) return false;
    *own = (sp_scope){.parent = node->source->scope, .base = node->source->scope->base, .indexed = true, .i = i, .n = c->count};
    own->csv = c->csv;
    own->row = i;
    own->holder = node->source->scope->holder;
    sp_scene_node *copy = new_node(scene, node->source->raw, own, scene->root, i);
    if (!copy) return false;
    size_t n = strlen(node->path) + 20;
    char *path = sp__scene_alloc(scene, n, 1), *base = sp__scene_alloc(scene, n, 1);
    if (!path || !base) return false;
    snprintf(path, n, "%s[%d]", node->path, i);
    snprintf(base, n, "%s[%d].", node->path, i);
    const char *dot = strrchr(path, '.');
    copy->copy = i;
    copy->copies = (int)c->count;
    copy->path = path;
    copy->name = dot ? dot + 1 : path;
    copy->instance = around;
    copy->source->sole = c->count == 1 && (!around || around->source->sole);
    copy->enabled = !around || around->enabled;
    copy->source->hits = node->source->hits;  // --set of pile applies to every pile[i]
    announce(scene, copy);
    *inside = (sp_scope){.parent = template->source->scope, .base = base, .holder = copy, .indexed = true, .i = i, .n = c->count};
    inside->csv = c->csv;
    inside->row = i;
    return attach(scene, scene->root, &s->capacity, copy) && grow_sets(scene, copy, node->source->raw, own) &&
           shift_in_grid(scene, copy, c, i) && fill_copy(s, copy, template->source->raw, inside, up);
}

static void expand_instance(spread *s, sp_scene_node *node, sp_scene_node *around, const chain *up) {
    sp_scene *scene = s->scene;
    node->source->inert = true;
    const sp_attr *of = resolve_given(scene, node, "of");
    copies c;
    if (!of->count || !count_copies(scene, node, &c)) return;
    sp_scene_node *template = sp__scope_find(scene, node->source->scope, of->words[0], "template", false);
    if (!template) {
        const char *known[100];
        char hint[120];
        int n = 0;
        for (int i = 0; i < scene->node_count && n < 100; i++)
            if (strcmp(scene->nodes[i]->spec->name, "template") == 0) known[n++] = scene->nodes[i]->name;
        sp__scene_error(scene, node, "of", "of=\"%s\": no template has this name%s", of->words[0],
                        sp__did_you_mean(of->words[0], known, n, hint));
        return;
    }
    template->source->used = true;
    if (closes_circle(scene, up, template->path, template->path, node)) return;
    chain link = {up, template->path, template->path, NULL, up ? up->depth + 1 : 1};
    if (!copies_fit(scene, node, template, c.count)) {
        s->full = true;
        return;
    }
    int before = scene->root->child_count;
    for (int i = 0; i < (int)c.count && !scene->no_memory && !s->full; i++)
        if (!make_copy(s, node, around, template, &c, i, &link)) break;
    if (instance_merges(node) && !scene->no_memory && !s->full) merge_copies(scene, node, before, &s->capacity);
}

// ---------------------------------------------------------------------------------------------- document

static void check_too_many(sp_scene *scene) {
    if (scene->node_count >= SP_MAX_ELEMENTS)
        sp__scene_error_at(scene, scene->file, 0, "more than %d elements after includes and copies", SP_MAX_ELEMENTS);
    scene->incomplete = scene->incomplete || scene->node_count >= SP_MAX_ELEMENTS;
}

static bool keep_default(sp_scene *scene, sp_scene_node *node) {
    if (scene->default_count >= SP_MAX_CLASSES) {
        sp__scene_error(scene, node, NULL, "more than %d classes", SP_MAX_CLASSES);
        return false;
    }
    if (node->child_count > SP_MAX_KINDS) node->child_count = SP_MAX_KINDS;  // the excess are duplicates, which are reported
    if (!sp__scene_grow(scene, &scene->defaults, scene->default_count, &scene->default_capacity, sizeof *scene->defaults))
        return false;
    scene->defaults[scene->default_count++] = node;
    return true;
}

// defaults first, since they may contain `enabled`; the order of elements does not matter
static bool grow_written(spread *s, item_list *list) {
    sp_scene *scene = s->scene;
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < list->count && !scene->no_memory; i++) {
            const sp_raw *raw = list->items[i].raw;
            if (resolve_is(raw, "default") != (pass == 0)) continue;
            sp_scene_node *node = grow_node(scene, &list->items[i], scene->root);
            if (!node || !attach(scene, scene->root, &s->capacity, node)) return false;
            if (pass == 0 && !keep_default(scene, node)) return false;
            if (resolve_is(raw, "solver")) scene->solver = node;
            if (resolve_is(raw, "integrator")) scene->integrator = node;
        }
        scene->defaults_known = true;
    }
    return true;
}

static void grow_all(sp_scene *scene, item_list *list) {
    spread s = {scene, 0, false};
    sp_scene_node *root = scene->root;
    for (int i = 0, n = scene->node_count; i < n; i++)
        if (strcmp(scene->nodes[i]->spec->name, "param") == 0 && !attach(scene, root, &s.capacity, scene->nodes[i])) return;
    if (!grow_written(&s, list)) return;
    // all templates, classes and curves are known from here on
    int written = root->child_count;
    sp_scene_node **before = root->children;
    root->children = NULL;
    root->child_count = s.capacity = 0;
    for (int i = 0; i < written && !scene->no_memory && !s.full; i++) {
        if (strcmp(before[i]->spec->name, "instance") == 0)
            expand_instance(&s, before[i], NULL, NULL);
        else if (!attach(scene, root, &s.capacity, before[i]))
            return;
    }
    scene->incomplete = s.full;
}

static bool start_root(sp_scene *scene, const sp_raw *raw) {
    scene->root = new_node(scene, raw, &scene->scope, NULL, -1);
    if (!scene->root) return false;
    announce(scene, scene->root);
    if (scene->root->name) scene->name = scene->root->name;
    const sp_attr *seed = resolve_given(scene, scene->root, "seed");
    if (seed->count) scene->seed = (uint64_t)seed->numbers[0];
    return !scene->no_memory;
}

void sp__scene_expand(sp_scene *scene, const sp_raw *raw) {
    item_list list = {0};
    if (!start_root(scene, raw)) return;
    resolve_collect(scene, raw, &scene->scope, &(chain){NULL, scene->file, scene->file, NULL, 1}, &list);
    if (scene->no_memory || !imply_system(scene, raw, &scene->scope, &list)) return;
    number_items(&list);
    grow_all(scene, &list);
    check_too_many(scene);
    for (int i = 0; i < scene->set_count && !scene->no_memory; i++)
        if (!scene->sets[i].matched) sp__set_unmatched(scene, &scene->sets[i]);
}
