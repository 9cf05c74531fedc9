// See trace.h. When all rows are in use, pairs of rows are merged, and each row then covers twice as many added rows.
#include "common/trace.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/csv.h"

bool sp__trace_start(sp_trace *t, int columns) {
    *t = (sp_trace){.columns = columns, .share = 1};
    t->names = calloc((size_t)columns, sizeof *t->names);
    t->cells = calloc((size_t)columns * SP_TRACE_ROWS, sizeof *t->cells);
    return t->names && t->cells;
}

void sp__trace_free(sp_trace *t) {
    free(t->names), free(t->cells);
    *t = (sp_trace){0};
}

static sp_trace_cell *trace_cell(const sp_trace *t, int row, int column) {
    return t->cells + (size_t)row * (size_t)t->columns + column;
}

static void trace_join(sp_trace_cell *a, const sp_trace_cell *b) {
    if (b->count == 0) return;
    if (a->count == 0) {
        *a = *b;
        return;
    }
    a->sum += b->sum, a->count += b->count;
    a->low = fmin(a->low, b->low), a->high = fmax(a->high, b->high);
}

static void halve(sp_trace *t) {
    for (int r = 0; r < SP_TRACE_ROWS / 2; r++)
        for (int c = 0; c < t->columns; c++) {
            sp_trace_cell both = *trace_cell(t, 2 * r, c);
            trace_join(&both, trace_cell(t, 2 * r + 1, c));
            *trace_cell(t, r, c) = both;
        }
    t->rows = SP_TRACE_ROWS / 2;
    t->share *= 2;
}

void sp__trace_add(sp_trace *t, const double *values) {
    bool fresh = t->added % t->share == 0;
    if (fresh && t->rows == SP_TRACE_ROWS) {
        halve(t);
        fresh = t->added % t->share == 0;
    }
    if (fresh) memset(trace_cell(t, t->rows++, 0), 0, (size_t)t->columns * sizeof *t->cells);
    for (int c = 0; c < t->columns; c++) {
        sp_trace_cell one = {values[c], values[c], values[c], isfinite(values[c])};
        trace_join(trace_cell(t, t->rows - 1, c), &one);
    }
    t->added++;
}

int sp__trace_column(const sp_trace *t, const char *name) {
    for (int c = 0; c < t->columns; c++)
        if (strcmp(t->names[c], name) == 0) return c;
    return -1;
}

void sp__trace_means(const sp_trace *t, int column, double *out) {
    for (int r = 0; r < t->rows; r++) {
        const sp_trace_cell *one = trace_cell(t, r, column);
        out[r] = one->count ? one->sum / (double)one->count : NAN;
    }
}

int sp__trace_line(const sp_trace *t, int x, int column, double *points_x, double *points_y) {
    int n = 0;
    for (int r = 0; r < t->rows; r++) {
        const sp_trace_cell *at = trace_cell(t, r, x), *one = trace_cell(t, r, column);
        double middle = at->count ? at->sum / (double)at->count : NAN;
        points_x[n] = middle, points_y[n++] = one->count ? one->low : NAN;
        if (one->count > 1 && one->high > one->low) points_x[n] = middle, points_y[n++] = one->high;
    }
    return n;
}

// ---- reading a file

static bool head_of(sp_trace *t, sp_csv *csv) {
    if (!sp__csv_row(csv) || !sp__trace_start(t, csv->count)) return false;
    for (int i = 0; i < csv->count; i++) snprintf(t->names[i], SP_TRACE_NAME, "%s", csv->fields[i]);
    return true;
}

bool sp__trace_read_csv(sp_trace *t, const char *path, char *why, size_t size) {
    sp_csv csv;
    *t = (sp_trace){0};
    if (!sp__csv_open(&csv, path)) return snprintf(why, size, "%s: %s", path, strerror(errno)), false;
    double *values = head_of(t, &csv) ? calloc((size_t)t->columns, sizeof *values) : NULL;
    while (values && sp__csv_row(&csv)) {
        if (csv.count != t->columns) continue;
        for (int i = 0; i < csv.count; i++) {
            char *end;
            values[i] = strtod(csv.fields[i], &end);
            if (end == csv.fields[i] || *end) values[i] = NAN;
        }
        sp__trace_add(t, values);
    }
    if (!values || csv.why) snprintf(why, size, "%s: %s", path, csv.why ? csv.why : "holds no table");
    bool good = values && !csv.why;
    free(values);
    sp__csv_close(&csv);
    if (!good) sp__trace_free(t);
    return good;
}
