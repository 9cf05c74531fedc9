// Values of attributes: where each comes from, and its text parsed according to its type.
#include "io/scene/scene_read.h"

#include <stdio.h>

#include "io/file/text_file.h"

// ======================================================================================================= sources

// The source of a value, in this order: --set, the element, its class, the parents of the class, the unnamed default, the
// built-in default.

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

static const sp_scene_node *default_of_class(const sp_scene *scene, const char *name) {
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
        const sp_scene_node *holder = default_of_class(scene, name);
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
    const sp_scene_node *holder = found ? NULL : default_of_class(scene, "");
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
        const sp_scene_node *next = default_of_class(scene, name);
        if (!next) {
            unknown_class(scene, at, "parent", name);
            return;
        }
        next->source->used = true;
        if (strcmp(name, start) == 0) {
            sp__scene_error(scene, holder, "parent", "circular inheritance of classes: %s", chain);
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
    const sp_scene_node *first = default_of_class(scene, name);
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
        if (!default_of_class(scene, source.text)) unknown_class(scene, node, "class", source.text);
    }
}

// ======================================================================================================== values

// Values: parses the text of an attribute according to its type. Every error has the value seen and the values allowed.

const sp_attr sp__attr_absent;

typedef struct value {
    sp_scene *scene;
    sp_scene_node *node;
    int index;
    const sp_attr_spec *spec;
    sp_attr *out;
    const char *text;  // without surrounding white space
    size_t length;
} value;

static bool is_space(char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

// the next piece between spaces, spaces in braces excluded; NULL: no more
static const char *next_piece(const char **at, const char *end, size_t *length) {
    const char *p = *at;
    while (p < end && is_space(*p)) p++;
    const char *start = p;
    int braces = 0;
    for (; p < end && (braces > 0 || !is_space(*p)); p++) braces += *p == '{' ? 1 : *p == '}' ? -1 : 0;
    *at = p;
    *length = (size_t)(p - start);
    return p > start ? start : NULL;
}

static int count_pieces(const value *v) {
    const char *at = v->text;
    size_t length;
    int n = 0;
    while (next_piece(&at, v->text + v->length, &length) && n < SP_ATTR_MANY) n++;
    return n;
}

static bool is_braced(const char *text, size_t length) {
    return length >= 2 && text[0] == '{' && text[length - 1] == '}' && !memchr(text + 1, '{', length - 2) &&
           !memchr(text + 1, '}', length - 2);
}

static bool values_refuse(value *v, const char *what) {
    char quoted[80];
    sp__scene_error(v->scene, v->node, v->spec->name, "%s=%s: %s", v->spec->name, sp__quote(v->text, quoted), what);
    return false;
}

// ---------------------------------------------------------------------------------------------- numbers

static void range_text(const sp_attr_spec *spec, char *out, size_t size) {
    bool low = spec->low > -INFINITY, high = spec->high < INFINITY;
    if (low && high)
        snprintf(out, size, "in %c%.9g, %.9g%c", spec->flags & SP_ATTR_LOW_OPEN ? '(' : '[', spec->low, spec->high,
                 spec->flags & SP_ATTR_HIGH_OPEN ? ')' : ']');
    else if (low)
        snprintf(out, size, "%s %g", spec->flags & SP_ATTR_LOW_OPEN ? ">" : ">=", spec->low);
    else
        snprintf(out, size, "%s %g", spec->flags & SP_ATTR_HIGH_OPEN ? "<" : "<=", spec->high);
}

static bool in_range(const sp_attr_spec *spec, double x) {
    bool above = spec->flags & SP_ATTR_LOW_OPEN ? x > spec->low : x >= spec->low;
    bool below = spec->flags & SP_ATTR_HIGH_OPEN ? x < spec->high : x <= spec->high;
    return above && below;
}

static bool check_number(value *v, double x) {
    char range[100];
    if (!isfinite(x)) return values_refuse(v, "not a finite number");
    if (v->spec->kind == SP_ATTR_INTEGER && x != floor(x)) {
        sp__scene_error(v->scene, v->node, v->spec->name, "%s = %.9g, must be a whole number", v->spec->name, x);
        return false;
    }
    if (in_range(v->spec, x)) return true;
    range_text(v->spec, range, sizeof range);
    sp__scene_error(v->scene, v->node, v->spec->name, "%s = %.9g, must be %s", v->spec->name, x, range);
    return false;
}

static bool read_expression(value *v, int i, const char *piece, size_t length) {
    unsigned of = v->spec->flags & (SP_ATTR_OF_TIME | SP_ATTR_OF_SPACE);
    const sp_expr *e = sp__compile(v->scene, v->node, v->index, piece + 1, length - 2, of);
    if (!e) return false;
    v->out->numbers[i] = sp__expr_eval(e, &(sp_expr_env){0});
    bool varies = sp__expr_uses_t(e) || sp__expr_uses_x(e);
    if (varies) v->out->programs[i] = e;
    // a value that varies in space cannot be checked before positions are known
    return sp__expr_uses_x(e) || check_number(v, v->out->numbers[i]);
}

static bool read_piece(value *v, int i, const char *piece, size_t length) {
    if (is_braced(piece, length)) return read_expression(v, i, piece, length);
    const char *end = sp__scan_double(piece, &v->out->numbers[i]);
    if (end == piece + length) return check_number(v, v->out->numbers[i]);
    char quoted[80], seen[64];
    snprintf(seen, sizeof seen, "%.*s", (int)(length < 60 ? length : 60), piece);
    if (memchr(piece, '{', length) || memchr(piece, '}', length))
        return values_refuse(v, "an expression is written in one pair of braces");
    sp__scene_error(v->scene, v->node, v->spec->name, "%s: %s is not a %sfinite decimal number%s", v->spec->name,
                    sp__quote(seen, quoted), v->spec->kind == SP_ATTR_INTEGER ? "whole " : "",
                    strchr(seen, ',') ? "; numbers are separated by spaces" : "");
    return false;
}

// 1..3 means one or three, 3..6 means three or six; other ranges are literal
static bool count_allowed(const sp_attr_spec *spec, int n) {
    if (n < spec->count_min || n > spec->count_max) return false;
    if (spec->count_max == 3 && spec->count_min == 1) return n != 2;
    if (spec->count_max == 6 && spec->count_min == 3) return n == 3 || n == 6;
    return true;
}

static bool refuse_count(value *v, int n) {
    char allowed[40];
    int low = v->spec->count_min, high = v->spec->count_max;
    if (low == high)
        snprintf(allowed, sizeof allowed, "%d", low);
    else if (high == SP_ATTR_MANY)
        snprintf(allowed, sizeof allowed, "%d or more", low);
    else
        snprintf(allowed, sizeof allowed, "%d or %d", low, high);
    char quoted[80];
    sp__scene_error(v->scene, v->node, v->spec->name, "%s=%s: %d value%s, expected %s", v->spec->name, sp__quote(v->text, quoted),
                    n, n == 1 ? "" : "s", allowed);
    return false;
}

// "@E", or "@E @F" for six numbers
static bool read_arrays(value *v) {
    const char *at = v->text, *piece;
    const char **names[2] = {&v->out->data, &v->out->second};
    size_t length;
    int n = count_pieces(v);
    if (n > (v->spec->count_min == 3 && v->spec->count_max == 6 ? 2 : 1))
        return values_refuse(v, "expected @ and the name of an array");
    for (int i = 0; i < n; i++) {
        piece = next_piece(&at, v->text + v->length, &length);
        char *name = sp__scene_alloc(v->scene, length + 1, 1);
        if (!name || !piece) return false;
        memcpy(name, piece, length);
        if (name[0] != '@' || !sp__name_valid(name + 1)) return values_refuse(v, "expected @ and the name of an array");
        *names[i] = name + 1;
    }
    return true;
}

static bool read_numbers(value *v) {
    if (v->text[0] == '@') {
        if (!(v->spec->flags & SP_ATTR_OF_SPACE)) return values_refuse(v, "cannot vary in space, so it takes no array");
        return read_arrays(v);
    }
    int n = count_pieces(v);
    if (!count_allowed(v->spec, n)) return refuse_count(v, n);
    v->out->numbers = sp__scene_alloc(v->scene, (size_t)n, sizeof *v->out->numbers);
    v->out->programs = sp__scene_alloc(v->scene, (size_t)n, sizeof *v->out->programs);
    if (!v->out->numbers || !v->out->programs) return false;
    const char *at = v->text, *piece;
    size_t length;
    for (int i = 0; i < n; i++) {
        piece = next_piece(&at, v->text + v->length, &length);
        if (!piece || !read_piece(v, i, piece, length)) return false;
    }
    v->out->count = n;
    return true;
}

// ---------------------------------------------------------------------------------------------- lists of numbers like 12-20

typedef struct id_range {
    int64_t first, last;
} id_range;

static bool read_range(value *v, const char *piece, size_t length, id_range *out) {
    const char *p = sp__scan_int64(piece, &out->first), *end = piece + length;
    out->last = out->first;
    if (p && p < end && *p == '-') p = sp__scan_int64(p + 1, &out->last);
    if (p != end || piece[0] == '-' || piece[0] == '+') return values_refuse(v, "expected whole numbers and ranges like 12-20");
    if (out->last < out->first) return values_refuse(v, "a range must increase");
    return true;
}

static bool read_ids(value *v) {
    const char *at = v->text, *end = v->text + v->length, *piece;
    size_t length;
    uint64_t total = 0, limit = v->scene->memory_limit / sizeof(double);
    id_range r;
    while ((piece = next_piece(&at, end, &length))) {
        if (!read_range(v, piece, length, &r)) return false;
        total += (uint64_t)(r.last - r.first) + 1;
        if (total > limit || total > INT32_MAX) return values_refuse(v, "more numbers than the memory limit allows");
    }
    if (total == 0) return refuse_count(v, 0);
    v->out->numbers = sp__scene_alloc(v->scene, (size_t)total, sizeof *v->out->numbers);
    if (!v->out->numbers) return false;
    at = v->text;
    while ((piece = next_piece(&at, end, &length)) && read_range(v, piece, length, &r))
        for (int64_t id = r.first; id <= r.last; id++) v->out->numbers[v->out->count++] = (double)id;
    return true;
}

// ---------------------------------------------------------------------------------------------- words

static bool keep_words(value *v, int n) {
    v->out->words = sp__scene_alloc(v->scene, (size_t)n, sizeof *v->out->words);
    return v->out->words != NULL;
}

static bool add_word(value *v, const char *text, size_t length) {
    const char *copy = sp__scene_copy(v->scene, text, length);
    if (!copy) return false;
    v->out->words[v->out->count++] = copy;
    return true;
}

// the value of an expression in a list of words: a word, or a number as text
static const char *evaluate_word(value *v, const char *piece, size_t length, double *number) {
    *number = NAN;
    const char *word = sp__scope_word(v->scene, v->node->source->scope, piece + 1, length - 2);
    if (word) return word;
    const sp_expr *e = sp__compile(v->scene, v->node, v->index, piece + 1, length - 2, 0);
    if (!e) return NULL;
    *number = sp__expr_eval(e, &(sp_expr_env){0});
    char text[32];
    snprintf(text, sizeof text, "%.15g", *number);
    for (char *c = text; *c; c++)
        if (*c == ',') *c = '.';  // decimal comma of the host's locale
    return sp__scene_copy(v->scene, text, strlen(text));
}

static bool refuse_choice(value *v, const char *word) {
    const char *known[64], *choices = v->spec->choices;
    char hint[120], list[400], quoted[80];
    int n = 0;
    size_t used = 0;
    list[0] = 0;
    for (const char *p = choices; *p && n < 64;) {
        size_t whole = strcspn(p, "/"), length = strcspn(p, "/[");
        known[n] = sp__scene_copy(v->scene, p, length);
        if (!known[n]) return false;
        if (length == whole) used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", used ? ", " : "", known[n]);
        if (used >= sizeof list) used = sizeof list - 1;
        n++;
        p += whole + (p[whole] == '/');
    }
    sp__scene_error(v->scene, v->node, v->spec->name, "%s=%s: must be one of %s%s", v->spec->name, sp__quote(word, quoted), list,
                    sp__did_you_mean(word, known, n, hint));
    return false;
}

static bool check_choice(value *v, const char *word) {
    if (!sp__list_has(v->spec->choices, '/', word)) return refuse_choice(v, word);
    if (sp__choice_built(v->spec->choices, word)) return true;
    sp__scene_error(v->scene, v->node, v->spec->name, "%s=\"%s\" is known, not in this build; a later version has it",
                    v->spec->name, word);
    return false;
}

static bool read_choices(value *v) {
    int n = count_pieces(v);
    if (n < v->spec->count_min || n > v->spec->count_max) return refuse_count(v, n);
    if (!keep_words(v, n)) return false;
    const char *at = v->text, *piece;
    size_t length;
    while ((piece = next_piece(&at, v->text + v->length, &length))) {
        double number;
        const char *word =
            is_braced(piece, length) ? evaluate_word(v, piece, length, &number) : sp__scene_copy(v->scene, piece, length);
        if (!word) return false;
        if (v->spec->kind == SP_ATTR_SWITCH && is_braced(piece, length) && isfinite(number)) word = number != 0 ? "yes" : "no";
        if (!check_choice(v, word)) return false;
        for (int i = 0; i < v->out->count; i++)
            if (strcmp(v->out->words[i], word) == 0) return values_refuse(v, "a word is repeated");
        v->out->words[v->out->count++] = word;
    }
    return true;
}

static bool read_name(value *v) {
    if (!sp__name_valid(v->text)) return values_refuse(v, "expected a name: a letter, then letters, digits, _ and -");
    return keep_words(v, 1) && add_word(v, v->text, v->length);
}

static bool read_text(value *v) {
    return keep_words(v, 1) && add_word(v, v->text, v->length);
}

static bool read_condition(value *v) {
    if (!is_braced(v->text, v->length)) return values_refuse(v, "a condition is written in braces, {x gt 0.1}");
    v->out->numbers = sp__scene_alloc(v->scene, 1, sizeof *v->out->numbers);
    v->out->programs = sp__scene_alloc(v->scene, 1, sizeof *v->out->programs);
    if (!v->out->numbers || !v->out->programs) return false;
    unsigned of = v->spec->flags & (SP_ATTR_OF_TIME | SP_ATTR_OF_SPACE);
    v->out->programs[0] = sp__compile(v->scene, v->node, v->index, v->text + 1, v->length - 2, of);
    if (!v->out->programs[0]) return false;
    v->out->count = 1;
    return true;
}

// ---------------------------------------------------------------------------------------------- files

// "cube-{k}.msh": replaces every expression by its value
static const char *substitute(value *v) {
    char path[1024];
    size_t used = 0;
    for (const char *p = v->text, *end = v->text + v->length; p < end;) {
        const char *close = *p == '{' ? memchr(p, '}', (size_t)(end - p)) : NULL;
        double number;
        const char *piece = close ? evaluate_word(v, p, (size_t)(close - p) + 1, &number) : p;
        if (!piece) return NULL;
        size_t n = close ? strlen(piece) : 1;
        if (used + n >= sizeof path) {
            values_refuse(v, "name too long");
            return NULL;
        }
        memcpy(path + used, piece, n);
        used += n;
        p = close ? close + 1 : p + 1;
    }
    return sp__scene_copy(v->scene, path, used);
}

static bool read_file(value *v) {
    char why[300];
    const char *name = substitute(v);
    if (!name || !keep_words(v, 1)) return false;
    if (v->spec->flags & SP_ATTR_OUTPUT) {
        bool plain = name[0] && name[0] != '.' && name[0] != '-' && !strchr(name, '/') && !strchr(name, '\\');
        if (!plain) return values_refuse(v, "an output is a plain name without a folder; --out gives the folder");
        v->out->words[v->out->count++] = name;
        return true;
    }
    const char *real = sp__file_resolve(v->scene, v->node->file, name, why, sizeof why);
    if (!real) return v->scene->no_memory ? false : values_refuse(v, why);
    v->out->words[v->out->count++] = real;
    return true;
}

// ---------------------------------------------------------------------------------------------- references

static bool refuse_reference(value *v, const char *path, const sp_scene_node *seen) {
    const char *known[300];
    char hint[120], quoted[80];
    int n = 0;
    for (int i = 0, last = sp__search_charge(v->scene) ? v->scene->node_count : 0; i < last && n < 300; i++) {
        const sp_scene_node *node = v->scene->nodes[i];
        if (node->source->inert || !node->path[0] || !sp__list_has(v->spec->choices, '/', node->spec->name)) continue;
        known[n++] = node->path;
        if (strcmp(node->path, node->name) != 0 && n < 300) known[n++] = node->name;
    }
    sp__did_you_mean(path, known, n, hint);
    if (seen)
        sp__scene_error(v->scene, v->node, v->spec->name, "%s=%s is a %s, not a %s%s", v->spec->name, sp__quote(path, quoted),
                        seen->spec->name, v->spec->choices, hint);
    else
        sp__scene_error(v->scene, v->node, v->spec->name, "%s=%s: no %s has this name%s", v->spec->name, sp__quote(path, quoted),
                        v->spec->choices, hint);
    return false;
}

// a `select` of an event refers to selections of the body that the event acts on
static const sp_scene_node *looked_up_from(const value *v) {
    if (strcmp(v->spec->name, "select") != 0 || strcmp(v->node->spec->name, "event") != 0) return v->node;
    const sp_attr *of = sp__attr_read(v->scene, v->node, sp__attr_index(v->node->spec, "of"));
    const sp_scene_node *body = of->count ? sp__path_get(v->scene, of->words[0], "", "") : NULL;
    return body ? body : v->node;
}

static bool accept_target(value *v, const char *path, sp_scene_node *target) {
    target->source->used = true;
    if (!target->enabled && v->node->enabled) {
        sp__scene_error(v->scene, v->node, v->spec->name, "%s=\"%s\" is not enabled", v->spec->name, path);
        return false;
    }
    v->out->words[v->out->count++] = target->path;
    return true;
}

static bool read_reference(value *v, const char *path) {
    sp_scene_node *one = NULL, **all = &one;
    const sp_scene_node *from = looked_up_from(v);
    int n = sp__path_all(from, path, v->spec->choices, all, 1);
    if (n == 0 && strcmp(v->spec->choices, "probe") == 0 && (one = sp__scene_find_probe(from, path))) n = 1;
    if (v->scene->search_left < 0) return values_refuse(v, "too many look-ups in this scene");
    if (n == 0) return refuse_reference(v, path, sp__scene_find(from, path));
    if (n > v->spec->count_max) return values_refuse(v, "matches several; name one of them");
    if (n > 1 && !strchr(path, '*')) return values_refuse(v, "matches several; write [0] or [*]");
    if (n > 1) {
        all = sp__scene_alloc(v->scene, (size_t)n, sizeof(sp_scene_node *));
        const char **words = sp__scene_alloc(v->scene, (size_t)(v->out->count + n) * 2, sizeof *words);
        if (!all || !words) return false;
        if (v->out->count) memcpy(words, v->out->words, (size_t)v->out->count * sizeof *words);
        v->out->words = words;
        n = sp__path_all(from, path, v->spec->choices, all, n);
    }
    for (int i = 0; i < n; i++)
        if (!accept_target(v, path, all[i])) return false;
    return true;
}

static bool read_references(value *v) {
    int pieces = count_pieces(v);
    if (pieces < v->spec->count_min || pieces > v->spec->count_max) return refuse_count(v, pieces);
    const char *at = v->text, *piece;
    size_t length;
    while ((piece = next_piece(&at, v->text + v->length, &length))) {
        double number;
        const char *path =
            is_braced(piece, length) ? evaluate_word(v, piece, length, &number) : sp__scene_copy(v->scene, piece, length);
        const char **words = sp__scene_alloc(v->scene, (size_t)v->out->count + 1, sizeof *words);
        if (!path || !words) return false;
        if (v->out->count) memcpy(words, v->out->words, (size_t)v->out->count * sizeof *words);
        v->out->words = words;
        if (!read_reference(v, path)) return false;
    }
    return true;
}

// a material model of the list, or the name of a material
static bool read_choice_or_name(value *v) {
    const char *word = v->text;
    double number;
    if (is_braced(v->text, v->length) && !(word = evaluate_word(v, v->text, v->length, &number))) return false;
    if (!keep_words(v, 1)) return false;
    if (sp__list_has(v->spec->choices, '/', word)) {
        v->out->words[v->out->count++] = word;
        return check_choice(v, word);
    }
    sp_scene_node *target = NULL;
    if (!word[0] || sp__path_all(v->node, word, "material", &target, 1) != 1) return refuse_choice(v, word);
    target->source->used = true;
    v->out->words[v->out->count++] = target->path;
    return true;
}

static bool read_choice_or_number(value *v) {
    if (sp__list_has(v->spec->choices, '/', v->text)) return read_choices(v);
    return read_numbers(v);
}

// ---------------------------------------------------------------------------------------------- one attribute

static bool read_kind(value *v) {
    if (v->spec->flags & SP_ATTR_AUTO && strcmp(v->text, "auto") == 0) {
        v->out->is_auto = true;
        return true;
    }
    switch (v->spec->kind) {
    case SP_ATTR_NUMBER:
    case SP_ATTR_INTEGER: return read_numbers(v);
    case SP_ATTR_SWITCH:
    case SP_ATTR_CHOICE:
    case SP_ATTR_WORDS: return read_choices(v);
    case SP_ATTR_NAME: return read_name(v);
    case SP_ATTR_REFERENCE: return read_references(v);
    case SP_ATTR_FILE: return read_file(v);
    case SP_ATTR_TEXT: return read_text(v);
    case SP_ATTR_EXPRESSION: return read_condition(v);
    case SP_ATTR_IDS: return read_ids(v);
    case SP_ATTR_CHOICE_OR_NUMBER: return read_choice_or_number(v);
    case SP_ATTR_CHOICE_OR_NAME: return read_choice_or_name(v);
    }
    return false;
}

static sp_attr *read_source(sp_scene *scene, sp_scene_node *node, int index, const sp_value_source *from) {
    sp_attr *attr = sp__scene_alloc(scene, 1, sizeof *attr);
    if (!attr) return NULL;
    *attr = (sp_attr){.origin = from->origin, .text = from->text, .file = from->file, .line = from->line};
    const char *start = from->text;
    size_t n = strlen(start);
    while (n && is_space(*start)) {
        start++;
        n--;
    }
    while (n && is_space(start[n - 1])) n--;
    const char *text = sp__scene_copy(scene, start, n);
    if (!text) return NULL;
    value v = {scene, node, index, &node->spec->attrs[index], attr, text, n};
    if (!read_kind(&v)) attr->count = 0;
    return attr;
}

// built-in defaults are equal for all elements of a type: read once
static const sp_attr *built_in(sp_scene *scene, sp_scene_node *node, int index, const sp_value_source *from) {
    const sp_attr ***cache = &scene->built_in[node->source->spec_index];
    if (!*cache) *cache = sp__scene_alloc(scene, (size_t)node->spec->attr_count, sizeof **cache);
    if (!*cache) return NULL;
    if (!(*cache)[index]) (*cache)[index] = read_source(scene, node, index, from);
    return (*cache)[index];
}

// message with the meaning of the attribute and its choices
static void missing_attribute(sp_scene *scene, const sp_scene_node *node, const sp_attr_spec *spec) {
    char list[300] = "";
    size_t used = 0;
    for (const char *p = spec->kind == SP_ATTR_CHOICE ? spec->choices : ""; *p;) {
        size_t whole = strcspn(p, "/"), length = strcspn(p, "/[");
        if (length == whole && used < sizeof list)
            used += (size_t)snprintf(list + used, sizeof list - used, "%s%s=\"%.*s\"", used ? " or " : ": ", spec->name,
                                     (int)length, p);
        p += whole + (p[whole] == '/');
    }
    sp__scene_error(scene, node, NULL, "missing attribute \"%s\", %s%s", spec->name, spec->meaning, list);
}

const sp_attr *sp__attr_read(sp_scene *scene, sp_scene_node *node, int index) {
    if (node->attrs[index]) return node->attrs[index];
    const sp_attr_spec *spec = &node->spec->attrs[index];
    sp_value_source from = sp__source_of(node, index);
    const sp_attr *attr = NULL;
    bool not_built = spec->flags & SP_ATTR_NOT_BUILT;
    if (not_built && from.origin == SP_ORIGIN_SET)
        sp__scene_error(scene, node, spec->name, "attribute \"%s\" is known, not in this build; a later version has it",
                        spec->name);
    if (from.origin == SP_ORIGIN_ABSENT && spec->flags & SP_ATTR_REQUIRED)
        missing_attribute(scene, node, spec);
    else if (from.origin == SP_ORIGIN_BUILTIN && !not_built)
        attr = built_in(scene, node, index, &from);
    else if (from.origin != SP_ORIGIN_ABSENT && !not_built)
        attr = read_source(scene, node, index, &from);
    node->attrs[index] = attr ? attr : &sp__attr_absent;
    return node->attrs[index];
}

void sp__attr_unused(sp_scene_node *node, int index) {
    const sp_attr *attr = node->attrs[index];
    sp_attr *copy = attr && attr->origin == SP_ORIGIN_BUILTIN ? sp__scene_alloc(node->scene, 1, sizeof *copy) : NULL;
    if (!copy) return;
    *copy = *attr, copy->origin = SP_ORIGIN_UNUSED;
    node->attrs[index] = copy;
}

void sp__attr_forget(sp_scene_node *node, int index) {
    const sp_attr_spec *spec = &node->spec->attrs[index];
    sp_value_source from = {SP_ORIGIN_BUILTIN, spec->fallback, node->file, node->line, NULL};
    const sp_attr *attr = spec->fallback ? built_in(node->scene, node, index, &from) : NULL;
    node->attrs[index] = attr ? attr : &sp__attr_absent;
}
