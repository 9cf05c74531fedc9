// See sweep.h: the table as a page. A column is plotted over the first set that varies, with a line for each combination of the
// others; as bars if the values of that set are not numbers.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/html.h"
#include "common/plots.h"
#include "sweep/sweep.h"

enum { LINES = 8, DEFAULTS = 6 };

static double number_of(const char *text) {
    char *end;
    double v = strtod(text, &end);
    return end != text && !*end ? v : NAN;
}

// ---- plots

static bool all_numbers(const sp_sweep_axis *a) {
    for (int i = 0; i < a->count; i++)
        if (!isfinite(number_of(a->values[i]))) return false;
    return true;
}

static int first_varying(const sp_sweep_grid *g) {
    for (int i = 0; i < g->axis_count; i++)
        if (g->axes[i].count > 1) return i;
    return 0;
}

// the run with the k-th value on axis `x` and the values of `run` on the others
static long moved(const sp_sweep_grid *g, long run, int x, int k) {
    int index[SP_SWEEP_AXES];
    long out = 0;
    sp__sweep_point(g, run, index);
    index[x] = k;
    for (int i = 0; i < g->axis_count; i++) out = out * g->axes[i].count + index[i];
    return out;
}

// "k=2, dt=0.01": the varying sets other than x
static char *line_name(sp_plot_set *set, const sp_sweep_grid *g, long run, int x, const char *column) {
    char text[300] = "";
    int index[SP_SWEEP_AXES];
    size_t n = 0;
    sp__sweep_point(g, run, index);
    for (int i = 0; i < g->axis_count && n < sizeof text; i++)
        if (i != x && g->axes[i].count > 1)
            n += (size_t)snprintf(text + n, sizeof text - n, "%s%s=%s", n ? ", " : "", g->axes[i].path,
                                  g->axes[i].values[index[i]]);
    return sp__plots_text(set, "%s", n ? text : column);
}

static bool make_line(sp_plot_set *set, const sp_sweep *s, long run, int x, int column, sp_plot_series *out) {
    const sp_sweep_axis *axis = &s->grid.axes[x];
    double *at = sp__plots_keep(set, 2 * (size_t)axis->count, sizeof *at), *y = at + axis->count;
    char *name = line_name(set, &s->grid, run, x, s->table.columns[column]);
    if (!at || !name) return false;
    for (int k = 0; k < axis->count; k++) {
        at[k] = number_of(axis->values[k]);
        y[k] = number_of(sp__sweep_cell(&s->table, moved(&s->grid, run, x, k), column));
    }
    *out = (sp_plot_series){.name = name, .x = at, .y = y, .count = axis->count, .marks = true};
    return true;
}

static void plot_column(sp_plot_set *set, const sp_sweep *s, int column) {
    const sp_sweep_grid *g = &s->grid;
    int x = first_varying(g), lines = 0;
    sp_plot_series *series = sp__plots_keep(set, LINES, sizeof *series);
    for (long run = 0; series && run < g->runs && lines < LINES; run++)
        if (moved(g, run, x, 0) == run && !make_line(set, s, run, x, column, &series[lines++])) return;
    sp_plot *p = series ? sp__plots_add(set) : NULL;
    if (!p) return;
    long all = g->runs / g->axes[x].count;
    const char *name = s->table.columns[column];
    const char *title = all > lines ? sp__plots_text(set, "%s, %d of %ld lines", name, lines, all) : name;
    bool numbers = all_numbers(&g->axes[x]);
    *p = (sp_plot){
        .title = title ? title : "", .x_label = g->axes[x].path, .y_label = name, .series = series, .series_count = lines};
    p->kind = numbers ? SP_PLOT_LINES : SP_PLOT_BARS;
    p->labels = (const char *const *)g->axes[x].values;
    p->log_x = g->axes[x].log, p->free_y = true;
}

static bool has_numbers(const sp_sweep *s, int column) {
    for (long r = 0; r < s->grid.runs; r++)
        if (isfinite(number_of(sp__sweep_cell(&s->table, r, column)))) return true;
    return false;
}

static void plot_defaults(sp_plot_set *set, const sp_sweep *s) {
    static const char *const first[] = {"step mean [ms]", "iterations mean"};
    int after = sp__sweep_column(&s->table, "claims missed");
    for (int i = 0; i < 2; i++) {
        int c = sp__sweep_column(&s->table, first[i]);
        if (c >= 0 && has_numbers(s, c)) plot_column(set, s, c);
    }
    for (int c = after + 1; after >= 0 && c < s->table.column_count && set->count < DEFAULTS; c++)
        if (has_numbers(s, c)) plot_column(set, s, c);
}

static void plot_chosen(sp_plot_set *set, const sp_sweep *s) {
    for (const char *at = s->args.columns; *at;) {
        char name[200];
        size_t n = strcspn(at, ",");
        snprintf(name, sizeof name, "%.*s", (int)n, at);
        int c = sp__sweep_column(&s->table, name);
        if (c >= 0)
            plot_column(set, s, c);
        else
            fprintf(stderr, "warning: --columns: the table has no column \"%s\" (its first line names them)\n", name);
        at += n + (at[n] == ',');
    }
}

// ---- the page

static void show_counts(sp_page *p, const sp_sweep *s) {
    long counts[5] = {0};
    static const char *const names[] = {"ok", "with reservations", "missed a claim", "failed", "refused"};
    static const char *const words[] = {"ok", "reservations", "missed", "failed", "refused"};
    int status = sp__sweep_column(&s->table, "status");
    for (long r = 0; r < s->grid.runs; r++)
        for (int i = 0; i < 5; i++) counts[i] += strcmp(sp__sweep_cell(&s->table, r, status), words[i]) == 0;
    sp__page_add(p, "<p class=\"lead\">%ld runs", s->grid.runs);
    for (int i = 0; i < 5; i++)
        if (counts[i]) sp__page_add(p, ", %ld %s", counts[i], names[i]);
    sp__page_add(p, "; Souple %s</p>\n", SP_VERSION_TEXT);
}

static const char *cell_class(const char *column, const char *text) {
    if (strcmp(column, "status") == 0) return strcmp(text, "ok") == 0 ? "good" : "bad";
    if (strcmp(column, "error") == 0) return "say";
    return isfinite(number_of(text)) ? "n" : NULL;
}

static void show_table(sp_page *p, const sp_sweep *s) {
    const sp_sweep_grid *g = &s->grid;
    const char *heads[SP_SWEEP_AXES + 64];
    int columns = s->table.column_count < 64 ? s->table.column_count : 64, index[SP_SWEEP_AXES];
    for (int i = 0; i < g->axis_count; i++) heads[i] = g->axes[i].path;
    for (int i = 0; i < columns; i++) heads[g->axis_count + i] = s->table.columns[i];
    sp__html_head(p, "Runs");
    sp__html_table_begin(p, heads, g->axis_count + columns);
    for (long r = 0; r < g->runs; r++) {
        if (!s->table.rows[r].done) continue;
        sp__html_row(p);
        sp__sweep_point(g, r, index);
        for (int i = 0; i < g->axis_count; i++) sp__html_cell(p, "n", "%s", g->axes[i].values[index[i]]);
        for (int i = 0; i < columns; i++) {
            const char *text = sp__sweep_cell(&s->table, r, i);
            double v = number_of(text);
            if (strcmp(s->table.columns[i], "hash") != 0 && isfinite(v))
                sp__html_number(p, v, 7);
            else
                sp__html_cell(p, cell_class(s->table.columns[i], text), "%s", text);
        }
    }
    sp__html_table_end(p);
    if (columns < s->table.column_count)
        sp__html_text(p, "p", NULL, "and %d more columns in sweep.csv", s->table.column_count - columns);
}

static bool write_page(sp_page *p, const sp_sweep *s, sp_plot_set *set) {
    char title[300];
    snprintf(title, sizeof title, "Sweep of %s", s->args.scene);
    sp__html_begin(p, title);
    sp__html_text(p, "h1", NULL, "%s", title);
    show_counts(p, s);
    sp__page_add(p, "<div class=\"plots\">\n");
    for (int i = 0; i < set->count; i++)
        if (sp__html_plot(p, &set->plots[i]) < 0) return false;
    sp__page_add(p, "</div>\n");
    show_table(p, s);
    sp__html_end(p);
    return !p->text.broken;
}

bool sp__sweep_page(const sp_sweep *s, const char *path, char *why, size_t size) {
    sp_plot_set set = {.count = 0};
    sp_context_def def = sp_context_def_default();
    sp_context *ctx = NULL;
    def.workers = 1;
    if (sp_context_create(&def, &ctx) < 0) return snprintf(why, size, "out of memory"), false;
    if (s->args.columns)
        plot_chosen(&set, s);
    else
        plot_defaults(&set, s);
    sp_page page = {.ctx = ctx};
    bool whole = !set.broken && write_page(&page, s, &set), saved = whole && sp__page_save(&page, path) >= 0;
    if (!saved) snprintf(why, size, "%s", whole ? sp_context_error(ctx)->message : "out of memory");
    sp__page_free(&page);
    sp__plots_free(&set);
    sp_context_destroy(&ctx);
    return saved;
}
