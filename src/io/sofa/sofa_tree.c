// The tree of a SOFA scene: nodes, components, their attributes, and the links between them.
#include "io/sofa/sofa.h"

enum { INCLUDES = 100 };

// ---------------------------------------------------------------------------------------------- attributes

static const sp_raw_attr *find_attr(const sp_raw *raw, const char *name, size_t length) {
    for (int i = 0; i < raw->attr_count; i++)
        if (strlen(raw->attrs[i].name) == length && strncmp(raw->attrs[i].name, name, length) == 0) return &raw->attrs[i];
    return NULL;
}

const char *sp__sofa_attr(sofa_object *o, const char *names) {
    const char *found = NULL;
    for (const char *name = o ? names : NULL; name; name = strchr(name, '/') ? strchr(name, '/') + 1 : NULL) {
        const sp_raw_attr *attr = find_attr(o->raw, name, strcspn(name, "/"));
        if (!attr) continue;
        o->asked[attr - o->raw->attrs] = true;
        if (!found) found = attr->value;
    }
    return found;
}

const char *sp__sofa_node_attr(const sofa_node *node, const char *name) {
    const sp_raw_attr *attr = find_attr(node->raw, name, strlen(name));
    return attr ? attr->value : NULL;
}

// brackets are those of an inertia matrix
static const char *skip_white(const char *at) {
    return at + strspn(at, " \t\r\n,[]");
}

bool sp__sofa_read(const char *text, int count, double *out) {
    for (int i = 0; text && i < count; i++) text = sp__scan_double(skip_white(text), &out[i]);
    return text != NULL;
}

bool sp__sofa_yes(sofa_object *o, const char *names, bool fallback) {
    const char *text = sp__sofa_attr(o, names);
    if (!text) return fallback;
    text = skip_white(text);
    return *text == '1' || *text == 't' || *text == 'T' || *text == 'y';
}

enum { HOPS = 16 };

// "a.b" of a link is an attribute of another component; what SOFA computes is in none
static int numbers_of_link(sp_import *im, sofa_object *o, const char *names, const char *link, const double **out) {
    sofa_node *node;
    const char *data = "";
    sofa_object *from = o->hops < HOPS ? sp__sofa_link(im, o, link, &node, &data) : NULL;
    int count = 0;
    o->hops++;
    if (from && *data && sp__sofa_attr(from, data)) count = sp__sofa_numbers(im, from, data, out);
    o->hops--;
    bool mesh = sp__sofa_idle_attribute(data, "@");  // positions and elements have their own ways
    if (!count && !mesh) sp__sofa_note(im, o, SP_IMPORT_LEFT_OUT, "%.40s: %.80s is no list of numbers", names, link);
    return count;
}

// what follows a number in "0-50" or "0-50-5", a range and its step; NULL: nothing of the kind
static const char *range_end(const char *at, double *last, double *step) {
    *step = 1;
    for (int i = 0; i < 2 && *at == '-' && at[1] >= '0' && at[1] <= '9'; i++) {
        at = sp__scan_double(at + 1, i ? step : last);
        if (!at) return NULL;
    }
    return at;
}

int sp__sofa_numbers(sp_import *im, sofa_object *o, const char *names, const double **out) {
    enum { RANGES_MOST = 1 << 22 };  // a short text must not need much memory
    const char *text = sp__sofa_attr(o, names);
    int count = 0, room = 0;
    double *numbers = NULL;
    *out = NULL;
    if (text && *text == '@') return numbers_of_link(im, o, names, text, out);
    if (!text) return 0;
    for (const char *at = skip_white(text); *at; at = skip_white(at)) {
        double value, last, step;
        const char *end = sp__scan_double(*at == '+' ? at + 1 : at, &value);
        last = value;
        if (end) end = range_end(end, &last, &step);
        if (!end || !(step >= 1) || (last > value && !(count + last - value < RANGES_MOST))) {
            sp__sofa_note(im, o, SP_IMPORT_LEFT_OUT, "%.40s: \"%.20s\" is no number", names, at);
            return 0;
        }
        for (; value <= last; value += step) {
            if (!sp__scene_grow(im->scene, &numbers, count, &room, sizeof *numbers)) return 0;
            numbers[count++] = value;
        }
        at = end;
    }
    *out = numbers;
    return count;
}

bool sp__sofa_vector(sp_import *im, sofa_object *o, const char *names, int count, double *out) {
    const double *numbers;
    if (sp__sofa_numbers(im, o, names, &numbers) < count) return false;
    memcpy(out, numbers, (size_t)count * sizeof *out);
    return true;
}

double sp__sofa_number(sp_import *im, sofa_object *o, const char *names, double fallback) {
    double value;
    return o && sp__sofa_vector(im, o, names, 1, &value) ? value : fallback;
}

// ---------------------------------------------------------------------------------------------- text

// length of the UTF-8 character at `at`; 0: it is none
static size_t utf8_length(const char *at, const char *end) {
    unsigned char c = (unsigned char)*at;
    size_t length = c < 0x80 ? 1 : c >= 0xC2 && c < 0xE0 ? 2 : (c & 0xF0) == 0xE0 ? 3 : c >= 0xF0 && c < 0xF5 ? 4 : 0;
    if (length > (size_t)(end - at)) return 0;
    for (size_t i = 1; i < length; i++)
        if (((unsigned char)at[i] & 0xC0) != 0x80) return 0;
    return length;
}

// SOFA's reader takes what XML does not allow: two hyphens in a comment, and bytes of other encodings, which old scenes have in
// comments. Comments and the declaration, which names the encoding, become blank, such bytes question marks; lines stay.
static char *blank_until(char *at, const char *end, const char *mark) {
    size_t length = strlen(mark);
    for (; (size_t)(end - at) >= length && memcmp(at, mark, length) != 0; at++)
        if (*at != '\n') *at = ' ';
    return at;
}

static void clean_text(char *text, size_t size) {
    char *end = text + size, *at = text + (size >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0);
    if (end - at >= 7 && memcmp(at, "<?xml ", 6) == 0) {
        at = blank_until(at, end, "?>");
        if (end - at >= 2) at[0] = at[1] = ' ';
    }
    while (at < end) {
        size_t length = utf8_length(at, end);
        if (end - at >= 7 && memcmp(at, "<!--", 4) == 0) {
            at = blank_until(at + 4, end, "-->");
        } else if (length) {
            at += length;
        } else {
            *at++ = '?';
        }
    }
}

const sp_raw *sp__sofa_parse(sp_import *im, const char *text, size_t size, const char *file) {
    char *copy = sp__scene_copy(im->scene, text, size);
    if (!copy) return NULL;
    clean_text(copy, size);
    return sp__xml_parse(im->scene, copy, size, file);
}

// ---------------------------------------------------------------------------------------------- nodes

static bool raw_is(const sp_raw *raw, const char *name) {
    return strcmp(raw->element, name) == 0;
}

static const char *raw_value(const sp_raw *raw, const char *name) {
    const sp_raw_attr *attr = find_attr(raw, name, strlen(name));
    return attr ? attr->value : NULL;
}

static const sofa_component inactive = {"", SOFA_NOT_NEEDED, "its node is not activated", NULL};

static bool is_active(const sofa_node *node) {
    for (; node; node = node->parent) {
        const char *word = raw_value(node->raw, "activated");
        if (word && (*skip_white(word) == '0' || *skip_white(word) == 'f')) return false;
    }
    return true;
}

static void take_object(sp_import *im, sofa_node *node, const sp_raw *raw) {
    if (!sp__scene_grow(im->scene, &node->objects, node->object_count, &node->object_capacity, sizeof *node->objects)) return;
    sofa_object *o = &node->objects[node->object_count];
    const char *type = raw_is(raw, "Object") ? raw_value(raw, "type") : NULL, *name = raw_value(raw, "name");
    *o = (sofa_object){.raw = raw, .type = type ? type : raw->element, .name = name ? name : "", .node = node};
    o->component = is_active(node) ? sp__sofa_component(o->type) : &inactive;
    o->asked = sp__scene_alloc(im->scene, (size_t)raw->attr_count + 1, sizeof *o->asked);
    if (o->asked) node->object_count++;
}

static void take_children(sp_import *im, sofa_node *node, const sp_raw *raw);

static sofa_node *take_node(sp_import *im, sofa_node *parent, const sp_raw *raw);

// <include href="other.scn"/>: the root of that file is a node here; what a root with the name "Group" holds is the parent's own.
// Its other attributes are written into the components of that file.
static void take_include(sp_import *im, sofa_node *parent, const sp_raw *raw) {
    const char *href = raw_value(raw, "href");
    char why[200], *text;
    size_t size;
    const char *path = href ? sp__sofa_path(im, raw->file, href, why, sizeof why) : NULL;
    if (!path) {
        sp__scene_error_at(im->scene, raw->file, raw->line, "include \"%.80s\" %s", href ? href : "", href ? why : "has no href");
        return;
    }
    if (++im->includes > INCLUDES) {  // a file that includes itself ends here
        sp__scene_error_at(im->scene, raw->file, raw->line, "more than %d included files", INCLUDES);
        return;
    }
    if (sp__text_read(im->ctx, path, SP_MAX_XML, &text, &size) < 0) {
        sp__scene_error_at(im->scene, raw->file, raw->line, "%s", sp_context_error(im->ctx)->message);
        return;
    }
    const sp_raw *root = sp__sofa_parse(im, text, size, path);
    sp__free(im->ctx, text);
    if (!root) return;
    const char *name = raw_value(root, "name");
    int first = parent->object_count;
    if (name && strcmp(name, "Group") == 0)
        take_children(im, parent, root);
    else
        take_node(im, parent, root);
    for (int i = 0; i < raw->attr_count && parent->object_count > first; i++)
        if (strcmp(raw->attrs[i].name, "href") != 0 && strcmp(raw->attrs[i].name, "name") != 0)
            sp__sofa_note(im, &parent->objects[first], SP_IMPORT_LEFT_OUT, "attribute %.40s of the include of its file",
                          raw->attrs[i].name);
    if (parent->object_count > first) parent->objects[first].noted = false;  // it still has to become something
}

static void take_children(sp_import *im, sofa_node *node, const sp_raw *raw) {
    for (const sp_raw *c = raw->first; c && !im->scene->no_memory; c = c->next) {
        if (raw_is(c, "Node"))
            take_node(im, node, c);
        else if (raw_is(c, "include"))
            take_include(im, node, c);
        else
            take_object(im, node, c);
    }
}

static sofa_node *take_node(sp_import *im, sofa_node *parent, const sp_raw *raw) {
    sofa_node *node = sp__scene_alloc(im->scene, 1, sizeof *node);
    if (!node) return NULL;
    const char *name = raw_value(raw, "name");
    *node = (sofa_node){.raw = raw, .name = name ? name : "", .parent = parent};
    if (parent && parent->last)
        parent->last = parent->last->next = node;
    else if (parent)
        parent->first = parent->last = node;
    take_children(im, node, raw);
    return node;
}

sofa_node *sp__sofa_tree(sp_import *im, const sp_raw *raw) {
    if (!raw_is(raw, "Node")) {
        sp__scene_error_at(im->scene, raw->file, raw->line, "the root element is \"%.60s\"; that of a SOFA scene is \"Node\"%s",
                           raw->element, raw_is(raw, "scene") ? ", and this is a scene of Souple already" : "");
        return NULL;
    }
    return take_node(im, NULL, raw);
}

sofa_node *sp__sofa_next_node(const sofa_node *node, const sofa_node *top) {
    if (node->first) return node->first;
    while (node != top && !node->next) node = node->parent;
    return node == top ? NULL : node->next;
}

sofa_node *sp__sofa_next_of_body(const sofa_node *n, const sofa_node *top) {
    sofa_node *next = sp__sofa_next_node(n, top);
    while (next && next->state && !next->mapped) {  // another body: its subtree is skipped
        const sofa_node *last = next;
        while (last != top && !last->next) last = last->parent;
        next = last == top ? NULL : last->next;
    }
    return next;
}

// ---------------------------------------------------------------------------------------------- search

bool sp__sofa_is(const sofa_object *o, sofa_role role) {
    return o && o->component && o->component->role == role;
}

sofa_object *sp__sofa_find(const sofa_node *node, sofa_role role) {
    for (int i = 0; node && i < node->object_count; i++)
        if (sp__sofa_is(&node->objects[i], role)) return &node->objects[i];
    return NULL;
}

sofa_object *sp__sofa_find_up(const sofa_node *node, sofa_role role) {
    for (; node; node = node->parent) {
        sofa_object *o = sp__sofa_find(node, role);
        if (o) return o;
    }
    return NULL;
}

sofa_object *sp__sofa_find_part(const sofa_node *node, sofa_role role) {
    for (const sofa_node *n = node; n; n = sp__sofa_next_of_body(n, node)) {
        sofa_object *o = sp__sofa_find(n, role);
        if (o) return o;
    }
    return NULL;
}

static sofa_object *object_named(const sofa_node *node, const char *name, size_t length) {
    for (int i = 0; i < node->object_count; i++)
        if (strlen(node->objects[i].name) == length && strncmp(node->objects[i].name, name, length) == 0)
            return &node->objects[i];
    // SOFA calls a component without a name by its type
    for (int i = 0; i < node->object_count; i++)
        if (!node->objects[i].name[0] && strlen(node->objects[i].type) == length &&
            strncmp(node->objects[i].type, name, length) == 0)
            return &node->objects[i];
    return NULL;
}

static sofa_node *child_named(const sofa_node *node, const char *name, size_t length) {
    for (sofa_node *c = node->first; c; c = c->next)
        if (strlen(c->name) == length && strncmp(c->name, name, length) == 0) return c;
    return NULL;
}

// "[-1]": the component before this one
static sofa_object *object_before(const sofa_object *from, const char *step) {
    double back;
    if (!sp__scan_double(step + 1, &back) || back >= 0 || back < -1000) return NULL;
    long at = (from - from->node->objects) + (long)back;
    return at >= 0 ? &from->node->objects[at] : NULL;
}

// Follows the steps of a link from a node; false: a step is missing.
static bool follow_steps(sofa_node *at, const sofa_object *from, const char *step, sofa_object **found, sofa_node **node,
                         const char **data) {
    *found = NULL;
    while (*step && !*found) {
        size_t length = strcspn(step, "/");
        bool last = step[length] == 0, dots = strncmp(step, ".", length) == 0 || strncmp(step, "..", length) == 0;
        const char *dot = last && !dots ? memchr(step + (*step == '['), '.', length - (*step == '[')) : NULL;
        if (dot) *data = dot + 1, length = (size_t)(dot - step);
        if (*step == '[') {
            *found = object_before(from, step);
            if (!*found) return false;
        } else if (length == 2 && strncmp(step, "..", 2) == 0) {
            if (!at->parent) return false;
            at = at->parent;
        } else if (!(length == 1 && *step == '.') && length > 0) {
            sofa_node *child = child_named(at, step, length);
            *found = last ? object_named(at, step, length) : NULL;
            if (!*found && !child) return false;
            if (!*found) at = child;
        }
        step += strcspn(step, "/");
        if (*step == '/') step++;
    }
    *node = *found ? (*found)->node : at;
    return true;
}

sofa_object *sp__sofa_link(sp_import *im, const sofa_object *from, const char *link, sofa_node **node, const char **data) {
    sofa_object *found = NULL;
    const char *step = link + (*link == '@');
    bool named = *step && !strchr("./[", *step);
    *data = "";
    *node = NULL;
    if (*step == '/') return follow_steps(im->root, from, step + 1, &found, node, data) ? found : NULL;
    if (follow_steps(from->node, from, step, &found, node, data)) return found;
    // a path that begins with a name may also begin above
    for (sofa_node *up = from->node->parent; named && up; up = up->parent)
        if (follow_steps(up, from, step, &found, node, data)) return found;
    return NULL;
}

// ---------------------------------------------------------------------------------------------- files

const char *sp__sofa_path(sp_import *im, const char *from, const char *name, char *why, size_t size) {
    const char *path = sp__file_resolve(im->scene, from, name, why, size);
    for (int i = 0; !path && i < im->folder_count && name[0] != '/'; i++) {
        char ignored[200];
        path = sp__file_resolve(im->scene, "", sp__sofa_print(im, "%s/%s", im->folders[i], name), ignored, sizeof ignored);
    }
    return path;
}
