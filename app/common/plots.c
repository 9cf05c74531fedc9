// See plots.h.
#include "common/plots.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINES = 8 };  // per panel: more cannot be distinguished

// ---- memory

typedef struct owned {
    struct owned *next;
    double data[];
} owned;

void *sp__plots_keep(sp_plot_set *set, size_t n, size_t size) {
    owned *o = n <= (SIZE_MAX - sizeof *o) / (size ? size : 1) ? calloc(1, sizeof *o + n * size) : NULL;
    if (!o) return set->broken = true, NULL;
    o->next = set->owned, set->owned = o;
    return o->data;
}

char *sp__plots_text(sp_plot_set *set, const char *format, ...) {
    char text[400], *out;
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    out = sp__plots_keep(set, strlen(text) + 1, 1);
    return out ? strcpy(out, text) : NULL;
}

void sp__plots_free(sp_plot_set *set) {
    for (owned *o = set->owned, *next; o; o = next) {
        next = o->next;
        free(o);
    }
    *set = (sp_plot_set){.count = 0};
}

sp_plot *sp__plots_add(sp_plot_set *set) {
    if (set->broken) return NULL;
    if (set->count < SP_PLOT_PANELS) return &set->plots[set->count++];
    set->left_out++;
    return NULL;
}

// ---- columns as series

static bool ends_with(const char *text, const char *end) {
    size_t n = strlen(text), k = strlen(end);
    return n >= k && strcmp(text + n - k, end) == 0;
}

static bool any_number(const sp_trace *t, int column, bool positive) {
    for (int r = 0; r < t->rows; r++) {
        const sp_trace_cell *c = &t->cells[(size_t)r * (size_t)t->columns + (size_t)column];
        if (c->count && (!positive || c->high > 0)) return true;
    }
    return false;
}

// `mean`: one point per row, for stacks; otherwise a line that keeps peaks
static bool make_series(sp_plot_set *set, const sp_trace *t, int x, int column, bool mean, const char *name,
                        sp_plot_series *out) {
    double *points = sp__plots_keep(set, 4 * SP_TRACE_ROWS, sizeof *points), *y = points + 2 * SP_TRACE_ROWS;
    if (!points || !name) return false;
    *out = (sp_plot_series){.name = name, .x = points, .y = y, .count = t->rows};
    if (mean)
        sp__trace_means(t, x, points), sp__trace_means(t, column, y);
    else
        out->count = sp__trace_line(t, x, column, points, y);
    return true;
}

typedef struct panel_def {
    const char *title, *y_label;
    sp_plot_kind kind;
    bool log_y, free_y;
} panel_def;

// a panel of some columns of a trace; `names` are the names of the series
static void make_panel(sp_plot_set *set, const sp_trace *t, int x, const int *columns, char *const *names, int count,
                       const panel_def *def) {
    bool stacked = def->kind == SP_PLOT_STACKED;
    sp_plot_series *series = sp__plots_keep(set, (size_t)count, sizeof *series);
    for (int i = 0; i < count; i++)
        if (!series || !make_series(set, t, x, columns[i], stacked, names[i], &series[i])) return;
    sp_plot *p = sp__plots_add(set);
    if (!p) return;
    *p = (sp_plot){.title = def->title, .x_label = "time [s]", .y_label = def->y_label, .kind = def->kind};
    p->series = series, p->series_count = count;
    p->log_y = def->log_y, p->free_y = def->free_y;
}

// ---- steps

static void plot_stages(sp_plot_set *set, const sp_trace *t, int time) {
    int columns[32], count = 0;
    char *names[32];
    for (int c = 0; c < t->columns && count < 32; c++) {
        if (strncmp(t->names[c], "stage ", 6) != 0 || !ends_with(t->names[c], " [ms]")) continue;
        names[count] = sp__plots_text(set, "%.*s", (int)strlen(t->names[c]) - 11, t->names[c] + 6);
        columns[count++] = c;
    }
    const char *title =
        t->share > 1 ? sp__plots_text(set, "Step time by stage, mean of %ld steps each", t->share) : "Step time by stage";
    const panel_def def = {title, "step time [ms]", SP_PLOT_STACKED, false, false};
    if (count && title) make_panel(set, t, time, columns, names, count, &def);
}

// one quantity: per body if the table has such columns, otherwise the total
static void plot_quantity(sp_plot_set *set, const sp_trace *t, int time, const char *quantity, const panel_def *def) {
    int columns[LINES], count = 0;
    char *names[LINES], end[64];
    snprintf(end, sizeof end, ": %s", quantity);
    for (int c = 0; c < t->columns && count < LINES; c++) {
        if (!ends_with(t->names[c], end) || !any_number(t, c, def->log_y)) continue;
        names[count] = sp__plots_text(set, "%.*s", (int)(strlen(t->names[c]) - strlen(end)), t->names[c]);
        columns[count++] = c;
    }
    int all = sp__trace_column(t, quantity);
    if (count == 0 && all >= 0 && any_number(t, all, def->log_y)) {
        names[0] = sp__plots_text(set, "%s", quantity);
        columns[count++] = all;
    }
    if (count) make_panel(set, t, time, columns, names, count, def);
}

static void plot_energy(sp_plot_set *set, const sp_trace *t, int time) {
    static const char *const which[] = {"kinetic [J]", "elastic [J]", "potential [J]", "contact [J]", "work [J]", "appeared [J]"};
    static const panel_def def = {"Energy of all bodies", "energy [J]", SP_PLOT_LINES, false, false};
    enum { MOST = sizeof which / sizeof *which };
    int columns[MOST], count = 0;
    char *names[MOST];
    for (int i = 0; i < MOST; i++) {
        int c = sp__trace_column(t, which[i]);
        if (c < 0 || !any_number(t, c, false)) continue;
        names[count] = sp__plots_text(set, "%.*s", (int)strcspn(which[i], " "), which[i]);
        columns[count++] = c;
    }
    if (count) make_panel(set, t, time, columns, names, count, &def);
}

void sp__plots_of_steps(sp_plot_set *set, const sp_trace *t) {
    static const panel_def iterations = {"Iterations of the linear solves", "iterations a step", SP_PLOT_LINES, false, false};
    static const panel_def residual = {"Residual at the end of the solves", "|b - A x| / |b|", SP_PLOT_LINES, true, true};
    int time = sp__trace_column(t, "time [s]");
    if (time < 0) return;
    plot_stages(set, t, time);
    plot_quantity(set, t, time, "iterations", &iterations);
    plot_quantity(set, t, time, "residual", &residual);
    plot_energy(set, t, time);
}

// ---- probes

// "position" of "position[12].x [m]"
static int quantity_length(const char *name) {
    return (int)strcspn(name, ".[ ");
}

static void plot_group(sp_plot_set *set, const char *name, const sp_trace *t, int first, int length) {
    int columns[LINES], count = 0, all = 0;
    char *names[LINES];
    const char *head = t->names[first], *unit = strrchr(head, '[');
    for (int c = first; c < t->columns; c++) {
        if (quantity_length(t->names[c]) != length || strncmp(t->names[c], head, (size_t)length) != 0) continue;
        all++;
        if (count == LINES) continue;
        const char *own = t->names[c] + length;
        const char *ends = strrchr(own, ' ');
        int n = ends ? (int)(ends - own) : (int)strlen(own);
        names[count] = n > 0 ? sp__plots_text(set, "%.*s", *own == '.' ? n - 1 : n, *own == '.' ? own + 1 : own)
                             : sp__plots_text(set, "%.*s", length, head);
        columns[count++] = c;
    }
    char *more = all > count ? sp__plots_text(set, ", %d of %d numbers", count, all) : "";
    char *title = more ? sp__plots_text(set, "Probe %s: %.*s%s", name, length, head, more) : NULL;
    char *label = sp__plots_text(set, "%.*s %s", length, head, unit ? unit : "");
    const panel_def def = {title, label, SP_PLOT_LINES, false, true};
    if (title && label) make_panel(set, t, 0, columns, names, count, &def);
}

void sp__plots_of_probe(sp_plot_set *set, const char *name, const sp_trace *t) {
    for (int c = 1; c < t->columns; c++) {
        int length = quantity_length(t->names[c]);
        bool seen = false;
        for (int k = 1; k < c && !seen; k++)
            seen = quantity_length(t->names[k]) == length && strncmp(t->names[k], t->names[c], (size_t)length) == 0;
        if (!seen) plot_group(set, name, t, c, length);
    }
}
