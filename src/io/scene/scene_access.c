// Access to the resolved tree: nodes by path, children, attributes and signals for the builder, and the hash of a scene.
#include "io/scene/scene_read.h"

#include <stdio.h>
#include <stdlib.h>

// ========================================================================================================= paths

// Paths: a hash table of all nodes by full path, and the lookup that searches the own scope first, then the scene.

// ---------------------------------------------------------------------------------------------- hash table

static uint64_t hash_more(uint64_t h, const char *text) {
    for (; *text; text++) h = (h ^ (unsigned char)*text) * 0x100000001B3ull;
    return h;
}

static bool equals(const char *path, const char *base, const char *separator, const char *rest) {
    size_t b = strlen(base), s = strlen(separator);
    return strncmp(path, base, b) == 0 && strncmp(path + b, separator, s) == 0 && strcmp(path + b + s, rest) == 0;
}

// slot of a path, or the free slot for it
static size_t slot_of(const sp_scene *scene, const char *base, const char *separator, const char *rest) {
    uint64_t h = hash_more(hash_more(hash_more(0xCBF29CE484222325ull, base), separator), rest);
    size_t i = (size_t)sp__mix(h, 0) & (scene->table_size - 1);
    while (scene->table[i] && !equals(scene->table[i]->path, base, separator, rest)) i = (i + 1) & (scene->table_size - 1);
    return i;
}

static bool path_widen(sp_scene *scene) {
    sp_scene_node **old = scene->table;
    size_t old_size = scene->table_size, size = old_size ? old_size * 2 : 256;
    scene->table = sp__scene_alloc(scene, size, sizeof *scene->table);
    if (!scene->table) {
        scene->table = old;
        return false;
    }
    scene->table_size = size;
    for (size_t i = 0; i < old_size; i++)
        if (old[i]) scene->table[slot_of(scene, old[i]->path, "", "")] = old[i];
    return true;
}

bool sp__path_add(sp_scene *scene, sp_scene_node *node) {
    if ((size_t)scene->node_count * 2 >= scene->table_size && !path_widen(scene)) return true;
    size_t i = slot_of(scene, node->path, "", "");
    if (scene->table[i]) return false;
    scene->table[i] = node;
    return true;
}

void sp__path_replace(sp_scene *scene, sp_scene_node *node) {
    if (scene->table_size) scene->table[slot_of(scene, node->path, "", "")] = node;
}

sp_scene_node *sp__path_get(const sp_scene *scene, const char *base, const char *separator, const char *path) {
    return scene->table_size ? scene->table[slot_of(scene, base, separator, path)] : NULL;
}

// ---------------------------------------------------------------------------------------------- patterns

static size_t name_length(const char *segment) {
    return strcspn(segment, ".[");
}

// "x[*]" matches x and x[k]; "x[0]" matches x; "x" matches x[0] if it is the only copy
static bool segment_matches(const char *pattern, size_t np, const char *path, size_t nt, bool sole) {
    if (np == nt && strncmp(pattern, path, np) == 0) return true;
    size_t a = name_length(pattern), b = name_length(path);
    if (a != b || strncmp(pattern, path, a) != 0) return false;
    bool numbered = nt > b;
    if (np == a + 3 && strncmp(pattern + a, "[*]", 3) == 0) return true;
    if (np == a + 3 && strncmp(pattern + a, "[0]", 3) == 0) return !numbered;
    return np == a && sole && nt == b + 3 && strncmp(path + b, "[0]", 3) == 0;
}

bool sp__path_matches(const char *pattern, const char *path, bool sole) {
    for (;;) {
        size_t np = strcspn(pattern, "."), nt = strcspn(path, ".");
        if (!segment_matches(pattern, np, path, nt, sole)) return false;
        if (!pattern[np] || !path[nt]) return !pattern[np] && !path[nt];
        pattern += np + 1;
        path += nt + 1;
    }
}

static bool matches_below(const char *base, const char *separator, const char *pattern, const sp_scene_node *node) {
    size_t b = strlen(base), s = strlen(separator);
    if (strncmp(node->path, base, b) != 0 || strncmp(node->path + b, separator, s) != 0) return false;
    return sp__path_matches(pattern, node->path + b + s, node->source->sole);
}

bool sp__search_charge(const sp_scene *scene) {
    sp_scene *s = (sp_scene *)scene;  // the budget is not part of the visible state
    if (s->search_left >= 0) s->search_left -= s->node_count;
    return s->search_left >= 0;
}

static bool is_wanted(const sp_scene_node *node, const char *elements) {
    return !elements || sp__list_has(elements, '/', node->spec->name);
}

// linear search over all nodes; the total cost per scene is limited
static int scan(const sp_scene *scene, const char *base, const char *separator, const char *pattern, const char *elements,
                sp_scene_node **out, int capacity) {
    int n = 0;
    if (!sp__search_charge(scene)) return 0;
    for (int i = 0; i < scene->node_count; i++) {
        sp_scene_node *node = scene->nodes[i];
        if (node->path[0] && !node->source->inert && is_wanted(node, elements) && matches_below(base, separator, pattern, node)) {
            if (n < capacity) out[n] = node;
            n++;
        }
    }
    return n;
}

// ---------------------------------------------------------------------------------------------- lookup

// order: below the node itself, below its ancestors, then its scopes from inside out; exact paths before patterns
int sp__path_all(const sp_scene_node *from, const char *path, const char *elements, sp_scene_node **out, int capacity) {
    const sp_scene *scene = from->scene;
    for (int slow = 0; slow < 2; slow++) {
        for (const sp_scene_node *at = from; at; at = at->parent) {
            if (!at->path[0]) continue;
            sp_scene_node *node = slow ? NULL : sp__path_get(scene, at->path, ".", path);
            if (node && !is_wanted(node, elements)) node = NULL;
            int n = slow ? scan(scene, at->path, ".", path, elements, out, capacity) : node != NULL;
            if (node && capacity) out[0] = node;
            if (n) return n;
        }
        for (const sp_scope *s = from->source->scope; s; s = s->parent) {
            sp_scene_node *node = slow ? NULL : sp__path_get(scene, s->base, "", path);
            if (node && !is_wanted(node, elements)) node = NULL;
            int n = slow ? scan(scene, s->base, "", path, elements, out, capacity) : node != NULL;
            if (node && capacity) out[0] = node;
            if (n) return n;
        }
    }
    return 0;
}

sp_scene_node *sp__scene_find(const sp_scene_node *from, const char *path) {
    // a resolved reference holds the path pointer of its target
    sp_scene_node *node = sp__path_get(from->scene, "", "", path);
    if (node && node->path == path) return node;
    return path[0] && sp__path_all(from, path, NULL, &node, 1) == 1 ? node : NULL;
}

sp_scene_node *sp__scope_find(const sp_scene *scene, const sp_scope *scope, const char *name, const char *element, bool own) {
    for (const sp_scope *s = scope; s; s = s->parent) {
        sp_scene_node *node = sp__path_get(scene, s->base, "", name);
        if (node && strcmp(node->spec->name, element) == 0 && (!own || node->source->scope == s)) return node;
    }
    return NULL;
}

sp_scene_node *sp__scene_find_probe(const sp_scene_node *from, const char *path) {
    const sp_scene *scene = from->scene;
    sp_scene_node *node = NULL, *found = NULL;
    if (path[0] && sp__path_all(from, path, "probe", &node, 1) == 1) return node;
    if (strchr(path, '.') || !sp__search_charge(scene)) return NULL;
    for (int i = 0; i < scene->node_count; i++) {
        node = scene->nodes[i];
        if (node->source->inert || strcmp(node->spec->name, "probe") != 0 || strcmp(node->name, path) != 0) continue;
        if (found) return NULL;
        found = node;
    }
    return found;
}

// ================================================================================= children, attributes, signals

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
sp_status sp_scene_output_at(const sp_scene *scene, int index, sp_scene_output *out) {
    static const char *const elements[] = {"record", "inverse"};
    for (int e = 0; e < 2; e++)
        for (const sp_scene_node *c = NULL; (c = sp__next_child(sp__scene_root(scene), elements[e], c));)
            if (output_attr(c) && index-- == 0) {
                *out = (sp_scene_output){elements[e], output_attr(c)};
                return SP_OK;
            }
    return SP_BAD_INPUT;
}

int sp_scene_output_count(const sp_scene *scene) {
    sp_scene_output output;
    int count = 0;
    while (sp_scene_output_at(scene, count, &output) >= 0) count++;
    return count;
}

// ---- choices of the language

sp_status sp_scene_choice_at(const char *element, const char *attribute, int index, sp_scene_choice *out) {
    const sp_element_spec *spec = sp__element_spec(element);
    int at = spec ? sp__attr_index(spec, attribute) : -1;
    const char *choices = at >= 0 && index >= 0 ? spec->attrs[at].choices : NULL;
    for (; choices && *choices; index--) {
        int length = (int)strcspn(choices, "/"), name = (int)strcspn(choices, "/[");
        if (index == 0) {
            snprintf(out->name, sizeof out->name, "%.*s", name, choices);
            out->built = name == length;
            return SP_OK;
        }
        choices += length + (choices[length] == '/');
    }
    return SP_BAD_INPUT;
}

// ========================================================================================================== hash

// Hash of what a scene simulates: every resolved value of every element that acts on a body.

static bool watches(const char *element) {
    return sp__list_has("probe/record/stop/expect/view/camera/light/look/surface", '/', element);
}

static uint64_t mix_text(uint64_t sum, const char *text) {
    for (; text && *text; text++) sum = sp__mix(sum, (unsigned char)*text);
    return sp__mix(sum, 256);
}

static uint64_t mix_attr(uint64_t sum, const sp_attr_spec *spec, const sp_attr *attr) {
    sum = mix_text(sum, spec->name);
    // for an expression the text and its value at the start count; for a file the name as written, not its folder
    if (attr->programs || spec->kind == SP_ATTR_FILE) sum = mix_text(sum, attr->text);
    for (int i = 0; attr->numbers && i < attr->count; i++) {
        uint64_t bits;
        memcpy(&bits, &attr->numbers[i], sizeof bits);
        sum = sp__mix(sum, bits);
    }
    for (int i = 0; attr->words && spec->kind != SP_ATTR_FILE && i < attr->count; i++) sum = mix_text(sum, attr->words[i]);
    return sum;
}

static uint64_t mix_node(uint64_t sum, const sp_scene_node *node) {
    if (!node->enabled || watches(node->spec->name)) return sum;
    sum = mix_text(mix_text(sum, node->spec->name), node->path);
    for (int i = 0; i < node->spec->attr_count; i++) {
        const sp_attr *attr = node->attrs[i];
        if (attr && attr->origin != SP_ORIGIN_ABSENT) sum = mix_attr(sum, &node->spec->attrs[i], attr);
    }
    for (int i = 0; i < node->child_count; i++) sum = mix_node(sum, node->children[i]);
    for (int i = 0; i < node->strand_count; i++) sum = mix_node(sum, node->strands[i]);
    return sum;
}

uint64_t sp__scene_digest(const sp_scene *scene) {
    return mix_node(1, scene->root);
}
