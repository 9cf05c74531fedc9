// See sweep.h: parsing of value lists and ranges, and their grid.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sweep/sweep.h"

static bool add_value(sp_sweep_axis *a, const char *text, size_t length) {
    char **values = realloc(a->values, (size_t)(a->count + 1) * sizeof *values);
    if (!values) return false;
    a->values = values;
    a->values[a->count] = strndup(text, length);
    return a->values[a->count++] != NULL;
}

// ---- ranges

// reads up to a colon or the end; false: not a number
static bool number_part(const char **text, double *out) {
    char *end;
    *out = strtod(*text, &end);
    if (end == *text || !isfinite(*out) || (*end && *end != ':')) return false;
    *text = *end ? end + 1 : end;
    return true;
}

// a:b:n or a:b:n:log
static bool is_range(const char *text, double *a, double *b, double *n, bool *log) {
    if (!number_part(&text, a) || !*text || !number_part(&text, b) || !*text || !number_part(&text, n)) return false;
    *log = strcmp(text, "log") == 0;
    return *log || !*text;
}

static bool add_range(sp_sweep_axis *axis, double a, double b, double n, char *why, size_t size) {
    if (n != floor(n) || n < 2 || n > SP_SWEEP_RUNS)
        return snprintf(why, size, "a range has %g values, must be a whole number in [2, %d]", n, SP_SWEEP_RUNS), false;
    if (axis->log && !(a > 0 && b > 0))
        return snprintf(why, size, "a range from %g to %g cannot be in equal ratios: both must be above 0", a, b), false;
    for (int i = 0; i < (int)n; i++) {
        double t = i / (n - 1), v = axis->log ? a * pow(b / a, t) : a + (b - a) * t;
        char text[40];
        if (i == 0 || i == (int)n - 1)
            sp__number_text(i ? b : a, text);  // the ends exactly as given
        else
            snprintf(text, sizeof text, "%.12g", v);  // without rounding noise
        if (!add_value(axis, text, strlen(text))) return snprintf(why, size, "out of memory"), false;
    }
    return true;
}

// ---- lists

// length up to the next separating comma, outside of brackets and quotes
static size_t value_length(const char *text) {
    int depth = 0;
    char quote = 0;
    size_t n = 0;
    for (; text[n]; n++) {
        char c = text[n];
        if (quote)
            quote = c == quote ? 0 : quote;
        else if (c == '\'' || c == '"')
            quote = c;
        else if (strchr("({[", c))
            depth++;
        else if (strchr(")}]", c))
            depth--;
        else if (c == ',' && depth <= 0)
            break;
    }
    return n;
}

static bool add_list(sp_sweep_axis *axis, const char *text, char *why, size_t size) {
    for (bool more = true; more;) {
        size_t n = value_length(text);
        if (n == 0) return snprintf(why, size, "a value is empty"), false;
        if (axis->count >= SP_SWEEP_RUNS) return snprintf(why, size, "more than %d values", SP_SWEEP_RUNS), false;
        if (!add_value(axis, text, n)) return snprintf(why, size, "out of memory"), false;
        more = text[n] == ',';
        text += n + more;
    }
    return true;
}

static bool has_axis(const sp_sweep_grid *g, const char *path) {
    for (int i = 0; i < g->axis_count; i++)
        if (strcmp(g->axes[i].path, path) == 0) return true;
    return false;
}

bool sp__sweep_grid_add(sp_sweep_grid *g, const char *set, char *why, size_t size) {
    const char *equals = strchr(set, '=');
    char what[300];
    double a, b, n;
    if (!equals || equals == set) return snprintf(why, size, "--set \"%s\": must be PATH=VALUES", set), false;
    if (g->axis_count == SP_SWEEP_AXES) return snprintf(why, size, "--set is given more than %d times", SP_SWEEP_AXES), false;
    sp_sweep_axis *axis = &g->axes[g->axis_count];
    *axis = (sp_sweep_axis){.path = strndup(set, (size_t)(equals - set))};
    if (axis->path && has_axis(g, axis->path))
        return snprintf(why, size, "--set %s is given twice", axis->path), free(axis->path), false;
    g->axis_count++;
    bool good = axis->path != NULL;
    snprintf(what, sizeof what, "out of memory");
    if (good && is_range(equals + 1, &a, &b, &n, &axis->log))
        good = add_range(axis, a, b, n, what, sizeof what);
    else if (good)
        good = add_list(axis, equals + 1, what, sizeof what);
    if (!good) return snprintf(why, size, "--set \"%s\": %s", set, what), false;
    g->runs = (g->runs ? g->runs : 1) * axis->count;
    if (g->runs <= SP_SWEEP_RUNS) return true;
    return snprintf(why, size, "the grid has %ld runs or more, at most %d are allowed", g->runs, SP_SWEEP_RUNS), false;
}

void sp__sweep_grid_free(sp_sweep_grid *g) {
    for (int i = 0; i < g->axis_count; i++) {
        for (int k = 0; k < g->axes[i].count; k++) free(g->axes[i].values[k]);
        free(g->axes[i].values), free(g->axes[i].path);
    }
    *g = (sp_sweep_grid){.runs = 0};
}

void sp__sweep_point(const sp_sweep_grid *g, long run, int *index) {
    for (int i = g->axis_count - 1; i >= 0; i--) {
        index[i] = (int)(run % g->axes[i].count);
        run /= g->axes[i].count;
    }
}

void sp__sweep_point_text(const sp_sweep_grid *g, long run, char *out, size_t size) {
    int index[SP_SWEEP_AXES];
    size_t n = 0;
    out[0] = 0;
    sp__sweep_point(g, run, index);
    for (int i = 0; i < g->axis_count && n < size; i++)
        if (g->axes[i].count > 1 || g->runs == 1)
            n += (size_t)snprintf(out + n, size - n, "%s%s=%s", n ? " " : "", g->axes[i].path, g->axes[i].values[index[i]]);
}
