// Parameters, curves and expressions, evaluated on demand, own scope first. A cyclic dependency is found because an evaluation in
// progress is requested again; the message shows the chain.
#include <stdio.h>

#include "io/file/text_file.h"
#include "io/scene/scene_read.h"

// ---------------------------------------------------------------------------------------------- circles

static void report_circle(sp_scene *scene, const sp_scene_node *node) {
    char chain[400];
    int n = 0, i = 0;
    chain[0] = 0;
    while (i < scene->busy_count && scene->busy[i] != node) i++;
    for (; i < scene->busy_count && n >= 0 && (size_t)n < sizeof chain; i++)
        n += snprintf(chain + n, sizeof chain - (size_t)n, "%s -> ", scene->busy[i]->name);
    if (n >= 0 && (size_t)n < sizeof chain) snprintf(chain + n, sizeof chain - (size_t)n, "%s", node->name);
    sp__scene_error(scene, node, NULL, "depends on itself: %s", chain);
}

// false: it cannot be evaluated, and the error is reported
static bool params_begin(sp_scene *scene, sp_scene_node *node) {
    if (node->source->state == SP_PARAM_BUSY) {
        report_circle(scene, node);
        return false;
    }
    if (scene->busy_count >= SP_MAX_DEPTH) {
        sp__scene_error(scene, node, NULL, "depends on more than %d others in a row", SP_MAX_DEPTH);
        return false;
    }
    node->source->state = SP_PARAM_BUSY;
    scene->busy[scene->busy_count++] = node;
    return true;
}

// ---------------------------------------------------------------------------------------------- curves

typedef struct curve {
    int count;
    const double *points;  // count pairs (x, y) with ascending x
    bool smooth, step, repeat;
} curve;

static double curve_eval(const void *data, double x) {
    const curve *c = data;
    const double *p = c->points;
    double first = p[0], last = p[2 * (c->count - 1)];
    if (c->repeat && last > first) x -= floor((x - first) / (last - first)) * (last - first);
    if (!(x > first)) return p[1];
    if (x >= last) return p[2 * c->count - 1];
    int low = 0, high = c->count - 1;
    while (high - low > 1) {
        int middle = (low + high) / 2;
        if (p[2 * middle] <= x)
            low = middle;
        else
            high = middle;
    }
    if (c->step) return p[2 * low + 1];
    double u = (x - p[2 * low]) / (p[2 * high] - p[2 * low]);
    if (c->smooth) u = u * u * (3 - 2 * u);
    return p[2 * low + 1] + u * (p[2 * high + 1] - p[2 * low + 1]);
}

static const double *points_of_file(sp_scene *scene, sp_scene_node *node, const char *file, int *count) {
    char why[300];
    const sp_csv *csv = sp__csv_read(scene, file, why, sizeof why);
    if (!csv || csv->columns != 2) {
        sp__scene_error(scene, node, "file", "file %s", csv ? "needs two columns" : why);
        return NULL;
    }
    double *points = sp__scene_alloc(scene, (size_t)csv->rows * 2 + 1, sizeof *points);
    if (!points) return NULL;
    for (int i = 0; i < 2 * csv->rows; i++) {
        const char *end = sp__scan_double(csv->cells[i], &points[i]);
        if (end && !*end) continue;
        char quoted[80];
        sp__scene_error(scene, node, "file", "row %d: %s is not a number", i / 2 + 1, sp__quote(csv->cells[i], quoted));
        return NULL;
    }
    *count = csv->rows;
    return points;
}

static const double *points_of_text(sp_scene *scene, sp_scene_node *node, int *count) {
    int attr = sp__attr_index(node->spec, "points");
    const sp_attr *points = sp__attr_read(scene, node, attr);
    if (points->origin == SP_ORIGIN_ABSENT) {
        sp__scene_error(scene, node, NULL, "needs points or a file");
        return NULL;
    }
    if (points->count == 0) return NULL;  // already reported by the reader
    if (points->count % 2) {
        sp__scene_error(scene, node, "points", "%d numbers; they come in pairs", points->count);
        return NULL;
    }
    *count = points->count / 2;
    return points->numbers;
}

static const curve *read_curve(sp_scene *scene, sp_scene_node *node) {
    int attr = sp__attr_index(node->spec, "file"), count = 0;
    const sp_attr *file = sp__attr_read(scene, node, attr);
    if (file->count && sp__source_of(node, sp__attr_index(node->spec, "points")).origin > SP_ORIGIN_BUILTIN) {
        sp__scene_error(scene, node, "file", "has points and a file; use one of them");
        return NULL;
    }
    const double *points = file->origin == SP_ORIGIN_ABSENT ? points_of_text(scene, node, &count)
                           : file->count                    ? points_of_file(scene, node, file->words[0], &count)
                                                            : NULL;
    if (!points) return NULL;
    if (count < 1) {
        sp__scene_error(scene, node, NULL, "holds no points");
        return NULL;
    }
    for (int i = 1; i < count; i++) {
        if (points[2 * i] > points[2 * i - 2]) continue;
        sp__scene_error(scene, node, "points", "positions must increase: %g after %g", points[2 * i], points[2 * i - 2]);
        return NULL;
    }
    curve *c = sp__scene_alloc(scene, 1, sizeof *c);
    if (!c) return NULL;
    const sp_attr *how = sp__attr_read(scene, node, sp__attr_index(node->spec, "interpolate"));
    const sp_attr *repeat = sp__attr_read(scene, node, sp__attr_index(node->spec, "repeat"));
    *c = (curve){count, points, how->count && strcmp(how->words[0], "smooth") == 0,
                 how->count && strcmp(how->words[0], "step") == 0, repeat->count && strcmp(repeat->words[0], "yes") == 0};
    return c;
}

bool sp__curve_read(sp_scene *scene, sp_scene_node *node) {
    sp_scene_source *source = node->source;
    if (source->state == SP_PARAM_NEW || source->state == SP_PARAM_BUSY) {
        if (!params_begin(scene, node)) return false;
        source->curve = read_curve(scene, node);
        source->state = source->curve ? SP_PARAM_NUMBER : SP_PARAM_BAD;
        scene->busy_count--;
    }
    return source->curve != NULL;
}

// ---------------------------------------------------------------------------------------------- parameters

static void check_range(sp_scene *scene, sp_scene_node *param, bool is_word) {
    const sp_attr *low = sp__attr_read(scene, param, sp__attr_index(param->spec, "min"));
    const sp_attr *high = sp__attr_read(scene, param, sp__attr_index(param->spec, "max"));
    double value = param->source->number;
    if (is_word) {
        if (low->count || high->count) sp__scene_error(scene, param, "min", "min and max do not apply to a word");
        return;
    }
    if (low->count && high->count && low->numbers[0] > high->numbers[0])
        sp__scene_error(scene, param, "min", "min = %g is above max = %g", low->numbers[0], high->numbers[0]);
    else if ((low->count && value < low->numbers[0]) || (high->count && value > high->numbers[0]))
        sp__scene_error(scene, param->source->given ? param->source->given : param, "value",
                        "value = %g, must be in [%g, %g]%s%s", value, low->count ? low->numbers[0] : -INFINITY,
                        high->count ? high->numbers[0] : INFINITY, param->source->given ? " of param at " : "",
                        param->source->given ? param->file : "");
}

static sp_param_state evaluate(sp_scene *scene, sp_scene_node *param) {
    sp_scene_source *to = param->source;
    int attr = sp__attr_index(param->spec, "value");
    sp_value_source from = sp__source_of(param, attr);
    // priority: --set, then the `set` of an include or instance, then the text of the file
    sp_scene_node *node = param;
    if (to->given && from.origin != SP_ORIGIN_SET) {
        node = (sp_scene_node *)to->given;
        attr = sp__attr_index(node->spec, "value");
        from = sp__source_of(node, attr);
    }
    if (!from.text) {
        if (node != param) sp__scene_error(scene, node, NULL, "missing attribute \"value\"");
        return SP_PARAM_BAD;
    }
    const char *text = from.text + strspn(from.text, " \t\n\r");
    size_t n = strlen(text);
    while (n && strchr(" \t\n\r", text[n - 1])) n--;
    if (n >= 2 && text[0] == '{' && text[n - 1] == '}') {
        to->word = sp__scope_word(scene, node->source->scope, text + 1, n - 2);
        if (to->word) return SP_PARAM_WORD;
        const sp_expr *e = sp__compile(scene, node, attr, text + 1, n - 2, 0);
        if (!e) return SP_PARAM_BAD;
        to->number = sp__expr_eval(e, &(sp_expr_env){0});
        if (isfinite(to->number)) return SP_PARAM_NUMBER;
        sp__scene_error(scene, node, "value", "value is not finite");
        return SP_PARAM_BAD;
    }
    const char *end = sp__scan_double(text, &to->number);
    if (end == text + n) return SP_PARAM_NUMBER;
    if (!n || memchr(text, '{', n) || memchr(text, '}', n)) {
        sp__scene_error(scene, node, "value", "value must be a number, a word or one expression in braces");
        return SP_PARAM_BAD;
    }
    to->word = sp__scene_copy(scene, text, n);
    return to->word ? SP_PARAM_WORD : SP_PARAM_BAD;
}

sp_param_state sp__param_value(sp_scene *scene, sp_scene_node *param, double *number, const char **word) {
    sp_scene_source *source = param->source;
    if (source->state == SP_PARAM_NEW || source->state == SP_PARAM_BUSY) {
        if (!params_begin(scene, param)) return SP_PARAM_BAD;
        sp_param_state state = evaluate(scene, param);
        scene->busy_count--;
        source->state = state;
        if (state != SP_PARAM_BAD) check_range(scene, param, state == SP_PARAM_WORD);
    }
    *number = source->number;
    *word = source->word;
    return source->state;
}

// ---------------------------------------------------------------------------------------------- names in expressions

typedef struct asker {
    sp_scene *scene;
    sp_scene_node *node;
    bool reported;  // a better message than "unknown name" is already given
} asker;

static const char *params_column(const sp_scope *s, const char *name) {
    for (int c = 0; s->csv && s->csv->heads && c < s->csv->columns; c++)
        if (strcmp(s->csv->heads[c], name) == 0) return s->csv->cells[(size_t)s->row * (size_t)s->csv->columns + (size_t)c];
    return NULL;
}

static bool constant(void *user, const char *name, double *value) {
    asker *a = user;
    for (sp_scope *s = a->node->source->scope; s; s = s->parent) {
        sp_scene_node *param = sp__path_get(a->scene, s->base, "", name);
        if (param && strcmp(param->spec->name, "param") == 0 && param->source->scope == s) {
            const char *word;
            param->source->used = true;
            sp_param_state state = sp__param_value(a->scene, param, value, &word);
            if (state == SP_PARAM_NUMBER) return true;
            if (state == SP_PARAM_WORD)
                sp__scene_error(a->scene, a->node, NULL, "the parameter \"%s\" is the word \"%.60s\", not a number", name, word);
            a->reported = true;
            return false;
        }
        const char *text = params_column(s, name);
        const char *end = text ? sp__scan_double(text, value) : NULL;
        if (end && !*end) return true;
        if (s->indexed && (strcmp(name, "i") == 0 || strcmp(name, "n") == 0)) {
            *value = name[0] == 'i' ? s->i : s->n;
            return true;
        }
    }
    return false;
}

static bool find_curve(void *user, const char *name, double (**eval)(const void *, double), const void **data) {
    asker *a = user;
    sp_scene_node *node = sp__scope_find(a->scene, a->node->source->scope, name, "curve", false);
    if (!node) return false;
    node->source->used = true;
    if (!sp__curve_read(a->scene, node)) {
        a->reported = true;
        return false;
    }
    *eval = curve_eval;
    *data = node->source->curve;
    return true;
}

// the longest prefix of the dotted name that is a probe; the rest is its component
static bool find_probe(void *user, const char *name, int *slot) {
    asker *a = user;
    sp_scene *scene = a->scene;
    char *path = sp__scene_copy(scene, name, strlen(name));
    for (char *dot = path ? strrchr(path, '.') : NULL; dot; dot = strrchr(path, '.')) {
        *dot = 0;
        sp_scene_node *probe = sp__scene_find_probe(a->node, path);
        if (!probe) continue;
        if (!sp__scene_grow(scene, &scene->slots, scene->slot_count, &scene->slot_capacity, sizeof *scene->slots)) return false;
        const char *component = sp__scene_copy(scene, name + (dot - path) + 1, strlen(name + (dot - path) + 1));
        if (!component) return false;
        probe->source->used = true;
        *slot = scene->slot_count;
        scene->slots[scene->slot_count++] = (sp_scene_slot){probe, component, a->node};
        return true;
    }
    return false;
}

static const char *nearest_name(void *user, const char *name) {
    asker *a = user;
    const char *known[400];
    int n = 0;
    for (int i = 0, last = sp__search_charge(a->scene) ? a->scene->node_count : 0; i < last && n < 400; i++) {
        const sp_scene_node *node = a->scene->nodes[i];
        if (strcmp(node->spec->name, "param") == 0 || strcmp(node->spec->name, "curve") == 0) known[n++] = node->name;
    }
    return sp__nearest(name, known, n);
}

static void *expr_alloc(void *user, size_t n, size_t size) {
    return sp__scene_alloc(user, n, size);
}

// a selection of an event may also be inside a rod
static bool in_rod(const sp_scene_node *node) {
    if (strcmp(node->spec->name, "event") == 0) return true;
    while (node && strcmp(node->spec->name, "rod") != 0) node = node->parent;
    return node != NULL;
}

const sp_expr *sp__compile(sp_scene *scene, sp_scene_node *node, int attr, const char *text, size_t length, unsigned of) {
    asker a = {scene, node, false};
    const sp_attr_spec *spec = &node->spec->attrs[attr];
    bool condition = spec->kind == SP_ATTR_EXPRESSION && (of & SP_ATTR_OF_TIME);
    sp_expr_scope scope = {constant, find_curve, condition ? find_probe : NULL, &a, .seed = scene->seed, .path = node->path};
    scope.nearest = nearest_name;
    scope.allow_t = of & SP_ATTR_OF_TIME;
    // in a rod, values vary with the arc length; conditions may use coordinates as well
    bool rod = in_rod(node), place = spec->kind == SP_ATTR_EXPRESSION;
    scope.allow_x = of & SP_ATTR_OF_SPACE && (!rod || place);
    scope.allow_s = of & SP_ATTR_OF_SPACE && rod;
    char message[300], quoted[80];
    sp_expr *e = NULL;
    char *copy = sp__scene_copy(scene, text, length);
    if (!copy) return NULL;
    sp_status status = sp__expr_compile(copy, &scope, expr_alloc, scene, message, sizeof message, &e);
    if (status == SP_BAD_INPUT && !a.reported)
        sp__scene_error(scene, node, spec->name, "%s=%s: %s", spec->name, sp__quote(copy, quoted), message);
    return e;
}

static bool is_name(const char *text, size_t length) {
    for (size_t i = 0; i < length; i++) {
        char c = text[i];
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
        if (!letter && (i == 0 || c < '0' || c > '9')) return false;
    }
    return length > 0 && length <= SP_MAX_NAME;
}

const char *sp__scope_word(sp_scene *scene, const sp_scope *scope, const char *text, size_t length) {
    while (length && strchr(" \t\n\r", *text)) {
        text++;
        length--;
    }
    while (length && strchr(" \t\n\r", text[length - 1])) length--;
    if (!is_name(text, length)) return NULL;
    char name[SP_MAX_NAME + 1];
    memcpy(name, text, length);
    name[length] = 0;
    for (const sp_scope *s = scope; s; s = s->parent) {
        sp_scene_node *param = sp__path_get(scene, s->base, "", name);
        if (param && strcmp(param->spec->name, "param") == 0 && param->source->scope == s) {
            double number;
            const char *word;
            param->source->used = true;
            return sp__param_value(scene, param, &number, &word) == SP_PARAM_WORD ? word : NULL;
        }
        const char *cell = params_column(s, name);
        double ignored;
        const char *end = cell ? sp__scan_double(cell, &ignored) : NULL;
        if (cell && !(end && !*end)) return cell;
    }
    return NULL;
}

int sp__scene_slot_count(const sp_scene *scene) {
    return scene->slot_count;
}

const sp_scene_slot *sp__scene_slot_at(const sp_scene *scene, int slot) {
    return slot >= 0 && slot < scene->slot_count ? &scene->slots[slot] : NULL;
}
