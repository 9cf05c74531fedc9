// See sweep.h: the results as text, and the file. Rows are appended as they arrive. If a run adds new columns, and at the end,
// the whole file is written under a temporary name and renamed.
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "common/csv.h"
#include "sweep/sweep.h"

bool sp__sweep_table_start(sp_sweep_table *t, const sp_sweep_grid *grid, const char *path) {
    *t = (sp_sweep_table){.grid = grid};
    snprintf(t->path, sizeof t->path, "%s", path);
    t->rows = calloc((size_t)grid->runs, sizeof *t->rows);
    return t->rows != NULL;
}

static void free_row(sp_sweep_row *row) {
    for (int i = 0; i < row->cell_count; i++) free(row->cells[i]);
    free(row->cells);
}

void sp__sweep_table_free(sp_sweep_table *t) {
    for (long r = 0; t->rows && r < t->grid->runs; r++) free_row(&t->rows[r]);
    for (long r = 0; r < t->other_count; r++) free_row(&t->others[r]);
    for (int i = 0; i < t->column_count; i++) free(t->columns[i]);
    free(t->rows), free(t->others), free(t->columns);
    *t = (sp_sweep_table){.grid = NULL};
}

// ---- cells

static int find_column(const sp_sweep_table *t, const char *name) {
    for (int i = 0; i < t->column_count; i++)
        if (strcmp(t->columns[i], name) == 0) return i;
    return -1;
}

int sp__sweep_column(const sp_sweep_table *t, const char *name) {
    int exact = find_column(t, name);
    size_t n = strlen(name);
    for (int i = 0; exact < 0 && i < t->column_count; i++)
        if (strncmp(t->columns[i], name, n) == 0 && strncmp(t->columns[i] + n, " [", 2) == 0) return i;
    return exact;
}

static int make_column(sp_sweep_table *t, const char *name) {
    int at = find_column(t, name);
    if (at >= 0) return at;
    char **columns = t->column_count < SP_CSV_FIELDS - SP_SWEEP_AXES
                         ? realloc(t->columns, (size_t)(t->column_count + 1) * sizeof *columns)
                         : NULL;
    if (columns) t->columns = columns;
    char *copy = columns ? strdup(name) : NULL;
    if (!copy) return t->broken = true, -1;
    t->columns[t->column_count] = copy;
    return t->column_count++;
}

static void set_cell(sp_sweep_table *t, long run, const char *column, const char *text) {
    sp_sweep_row *row = &t->rows[run];
    int at = make_column(t, column);
    if (at < 0) return;
    if (at >= row->cell_count) {
        char **cells = realloc(row->cells, (size_t)(at + 1) * sizeof *cells);
        if (!cells) {
            t->broken = true;
            return;
        }
        memset(cells + row->cell_count, 0, (size_t)(at + 1 - row->cell_count) * sizeof *cells);
        row->cells = cells, row->cell_count = at + 1;
    }
    free(row->cells[at]);
    row->cells[at] = strdup(text);
    if (!row->cells[at]) t->broken = true;
}

void sp__sweep_set(sp_sweep_table *t, long run, const char *column, const char *format, ...) {
    char text[600];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    set_cell(t, run, column, text);
}

// not finite: empty
static void sweep_set_number(sp_sweep_table *t, long run, const char *column, double value) {
    char text[32] = "";
    if (isfinite(value)) sp__number_text(value, text);
    set_cell(t, run, column, text);
}

const char *sp__sweep_cell(const sp_sweep_table *t, long run, int column) {
    const sp_sweep_row *row = &t->rows[run];
    return column >= 0 && column < row->cell_count && row->cells[column] ? row->cells[column] : "";
}

// ---- from a summary

static void fill_bodies(sp_sweep_table *t, long run, const sp_json_value *summary) {
    double mean = 0, most = 0, residual = 0, kinetic = 0, elastic = 0;
    const sp_json_value *bodies = sp__json_get(summary, "bodies");
    for (const sp_json_value *b = bodies ? bodies->first : NULL; b; b = b->next) {
        if (!(sp__json_get_number(b, "elements") > 0)) continue;
        kinetic += sp__json_get_number(b, "energy.kinetic"), elastic += sp__json_get_number(b, "energy.elastic");
        const sp_json_value *s = sp__json_get(b, "solver");
        if (!s || s->kind != SP_JSON_OBJECT) continue;
        mean += sp__json_get_number(s, "iterations_mean");
        most = fmax(most, sp__json_get_number(s, "iterations_max"));
        residual = fmax(residual, sp__json_get_number(s, "residual_max"));
    }
    sweep_set_number(t, run, "iterations mean", mean), sweep_set_number(t, run, "iterations max", most);
    sweep_set_number(t, run, "residual max", residual);
    sweep_set_number(t, run, "kinetic [J]", kinetic), sweep_set_number(t, run, "elastic [J]", elastic);
}

static const sp_json_value *last_item(const sp_json_value *list) {
    const sp_json_value *item = list && list->kind == SP_JSON_LIST ? list->first : NULL;
    while (item && item->next) item = item->next;
    return item;
}

enum { PROBE_COLUMNS = 64 };  // of one probe, in the table

// the last sample of every quantity, named by the columns of the probe
static void fill_probe(sp_sweep_table *t, long run, const sp_json_value *probe) {
    const sp_json_value *columns = sp__json_get(probe, "columns"), *name = columns ? columns->first : NULL;
    int count = 0;
    for (const sp_json_value *q = probe->first; q && name; q = q->next) {
        if (q->kind != SP_JSON_LIST || strcmp(q->key, "time") == 0 || strcmp(q->key, "columns") == 0) continue;
        const sp_json_value *last = last_item(q), *number = last && last->kind == SP_JSON_LIST ? last->first : last;
        for (; number && name && count < PROBE_COLUMNS; number = number->next, name = name->next, count++) {
            char column[400];
            snprintf(column, sizeof column, "%s.%s", sp__json_get_text(probe, "name"), name->text ? name->text : "");
            sweep_set_number(t, run, column, number->kind == SP_JSON_NUMBER ? number->number : NAN);
            if (last->kind != SP_JSON_LIST) {
                name = name->next, count++;
                break;
            }
        }
    }
}

static void fill_claims(sp_sweep_table *t, long run, const sp_json_value *summary) {
    const sp_json_value *claims = sp__json_get(summary, "claims");
    int missed = 0, n = 0;
    for (const sp_json_value *c = claims ? claims->first : NULL; c; c = c->next) {
        const sp_json_value *held = sp__json_get(c, "held");
        missed += !(held && held->kind == SP_JSON_TRUE);
    }
    sp__sweep_set(t, run, "claims missed", "%d", missed);
    for (const sp_json_value *c = claims ? claims->first : NULL; c; c = c->next) {
        char column[400];
        const char *component = sp__json_get_text(c, "component");
        snprintf(column, sizeof column, "claim %d: %s%s%s", ++n, sp__json_get_text(c, "probe"), *component ? "." : "", component);
        sweep_set_number(t, run, column, sp__json_get_number(c, "seen"));
    }
}

void sp__sweep_fill(sp_sweep_table *t, long run, const sp_json_value *summary) {
    static const char *const numbers[][2] = {{"steps", "steps"},
                                             {"time [s]", "time"},
                                             {"wall [ms]", "wall_ms"},
                                             {"step mean [ms]", "step_ms.mean"},
                                             {"step p50 [ms]", "step_ms.p50"},
                                             {"step p95 [ms]", "step_ms.p95"},
                                             {"step p99 [ms]", "step_ms.p99"},
                                             {"step max [ms]", "step_ms.max"}};
    sp__sweep_set(t, run, "status", "%s", sp__json_get_text(summary, "status"));
    sweep_set_number(t, run, "exit", sp__json_get_number(summary, "exit"));
    sp__sweep_set(t, run, "error", "%s", sp__json_get_text(summary, "error.message"));
    sp__sweep_set(t, run, "hash", "%s", sp__json_get_text(summary, "hash"));
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        sweep_set_number(t, run, numbers[i][0], sp__json_get_number(summary, numbers[i][1]));
    if (!sp__json_get(summary, "bodies")) return;  // the run was refused
    fill_bodies(t, run, summary);
    fill_claims(t, run, summary);
    const sp_json_value *probes = sp__json_get(summary, "probes");
    for (const sp_json_value *p = probes ? probes->first : NULL; p; p = p->next)
        if (p->kind == SP_JSON_OBJECT) fill_probe(t, run, p);
}

// ---- the file

static void write_row(const sp_sweep_table *t, long run, FILE *file) {
    int index[SP_SWEEP_AXES];
    sp__sweep_point(t->grid, run, index);
    for (int i = 0; i < t->grid->axis_count; i++) sp__csv_field(file, t->grid->axes[i].values[index[i]], i == 0);
    for (int i = 0; i < t->column_count; i++) sp__csv_field(file, sp__sweep_cell(t, run, i), false);
    fputc('\n', file);
}

static void write_other(const sp_sweep_table *t, const sp_sweep_row *row, FILE *file) {
    for (int i = 0; i < t->grid->axis_count + t->column_count; i++)
        sp__csv_field(file, i < row->cell_count && row->cells[i] ? row->cells[i] : "", i == 0);
    fputc('\n', file);
}

static bool close_file(FILE *file) {
    bool good = !ferror(file);
    return fclose(file) == 0 && good;
}

bool sp__sweep_table_write(sp_sweep_table *t) {
    char part[PATH_MAX + 8];
    snprintf(part, sizeof part, "%s.part", t->path);
    FILE *file = fopen(part, "w");
    if (!file) return false;
    for (int i = 0; i < t->grid->axis_count; i++) sp__csv_field(file, t->grid->axes[i].path, i == 0);
    for (int i = 0; i < t->column_count; i++) sp__csv_field(file, t->columns[i], false);
    fputc('\n', file);
    for (long r = 0; r < t->grid->runs; r++)
        if (t->rows[r].done) write_row(t, r, file);
    for (long r = 0; r < t->other_count; r++) write_other(t, &t->others[r], file);
    t->written = t->column_count;
    if (close_file(file) && rename(part, t->path) == 0) return true;
    int why = errno;
    remove(part);
    return errno = why, false;
}

bool sp__sweep_table_append(sp_sweep_table *t, long run) {
    t->rows[run].done = true;
    if (t->written != t->column_count) return sp__sweep_table_write(t);
    FILE *file = fopen(t->path, "a");
    if (!file) return false;
    write_row(t, run, file);
    return close_file(file);
}

// ---- resuming a file

// the run with the sets of a row; -1: not in this grid
static long run_of(const sp_sweep_table *t, char **fields) {
    long run = 0;
    for (int i = 0; i < t->grid->axis_count; i++) {
        const sp_sweep_axis *a = &t->grid->axes[i];
        int k = 0;
        while (k < a->count && strcmp(a->values[k], fields[i]) != 0) k++;
        if (k == a->count) return -1;
        run = run * a->count + k;
    }
    return run;
}

static bool read_head(sp_sweep_table *t, sp_csv *csv, char *why, size_t size) {
    int axes = t->grid->axis_count;
    if (!sp__csv_row(csv)) return snprintf(why, size, "%s: %s", t->path, csv->why ? csv->why : "holds no table"), false;
    for (int i = 0; i < axes; i++)
        if (i >= csv->count || strcmp(csv->fields[i], t->grid->axes[i].path) != 0)
            return snprintf(why, size, "%s: column %d is \"%s\", this sweep sets \"%s\"", t->path, i + 1,
                            i < csv->count ? csv->fields[i] : "", t->grid->axes[i].path),
                   false;
    if (csv->count > axes && strcmp(csv->fields[axes], "status") != 0)
        return snprintf(why, size, "%s: sets \"%s\" too, this sweep does not", t->path, csv->fields[axes]), false;
    for (int i = axes; i < csv->count; i++) make_column(t, csv->fields[i]);
    return !t->broken || (snprintf(why, size, "out of memory"), false);
}

// a row of another grid is kept in the file
static void keep_other(sp_sweep_table *t, const sp_csv *csv) {
    sp_sweep_row *others = realloc(t->others, (size_t)(t->other_count + 1) * sizeof *others);
    if (others) t->others = others;
    char **cells = others ? calloc((size_t)csv->count, sizeof *cells) : NULL;
    if (!cells) {
        t->broken = true;
        return;
    }
    for (int i = 0; i < csv->count; i++) cells[i] = strdup(csv->fields[i]);
    t->others[t->other_count++] = (sp_sweep_row){true, cells, csv->count};
}

long sp__sweep_table_resume(sp_sweep_table *t, char *why, size_t size) {
    sp_csv csv;
    long found = 0;
    if (!sp__csv_open(&csv, t->path)) {
        if (errno == ENOENT) return 0;
        return snprintf(why, size, "%s: %s", t->path, strerror(errno)), -1;
    }
    bool good = read_head(t, &csv, why, size);
    int axes = t->grid->axis_count, columns = t->column_count;
    while (good && sp__csv_row(&csv)) {
        if (csv.count != axes + columns) continue;
        long run = run_of(t, csv.fields);
        if (run < 0) keep_other(t, &csv);
        if (run < 0 || t->rows[run].done) continue;
        for (int i = 0; i < columns; i++) set_cell(t, run, t->columns[i], csv.fields[axes + i]);
        t->rows[run].done = true;
        found++;
    }
    if (good && csv.why) good = false, snprintf(why, size, "%s: %s", t->path, csv.why);
    sp__csv_close(&csv);
    if (good && t->broken) good = false, snprintf(why, size, "out of memory");
    t->written = columns;
    return good ? found : -1;
}
