// Reports of benches: rows of named values, printed as a table as they arrive, or as one JSON object at the end.
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "bench.h"
#include "core/core.h"
#include "util/json.h"

static sp_cell *next_cell(sp_row *row, const char *key, const char *title, const char *format) {
    static sp_cell spare;  // over capacity: a bug of a bench, visible as the missing field
    sp_cell *cell = row->count < SP_ROW_CELLS ? &row->cells[row->count++] : &spare;
    *cell = (sp_cell){.key = key, .title = title, .format = format};
    return cell;
}

void sp__row_number(sp_row *row, const char *key, const char *title, const char *format, double value) {
    sp_cell *cell = next_cell(row, key, title, format);
    cell->number[0] = value;
    cell->count = 1;
}

void sp__row_list(sp_row *row, const char *key, const char *title, const char *format, const double *values, int count) {
    sp_cell *cell = next_cell(row, key, title, format);
    cell->list = true;
    cell->count = count < SP_CELL_NUMBERS ? count : SP_CELL_NUMBERS;
    for (int i = 0; i < cell->count; i++) cell->number[i] = values[i];
}

void sp__row_map(sp_row *row, const char *key, const char *const *names, const double *values, int count) {
    sp__row_list(row, key, NULL, NULL, values, count);
    row->cells[row->count - 1].names = names;
}

void sp__row_text(sp_row *row, const char *key, const char *title, const char *text) {
    sp_cell *cell = next_cell(row, key, title, NULL);
    snprintf(cell->text, sizeof cell->text, "%s", text ? text : "");
}

void sp__row_flag(sp_row *row, const char *key, const char *title, bool value) {
    sp_cell *cell = next_cell(row, key, title, NULL);
    cell->flag = true;
    cell->number[0] = value;
    snprintf(cell->text, sizeof cell->text, "%s", value ? "yes" : "no");
}

sp_row *sp__report_case(sp_report *r) {
    static sp_row spare;
    sp_row *row = r->case_count < SP_REPORT_CASES ? &r->cases[r->case_count++] : &spare;
    row->count = 0;
    return row;
}

void sp__report_array(sp_report *r, const char *name) {
    if (r->case_count > 0 || r->array_name[0]) {
        if (r->more_arrays + 1 >= SP_REPORT_ARRAYS) return;  // a bug of a bench, visible as the missing array
        r->more_arrays++;
    }
    r->array_name[r->more_arrays] = name;
    r->array_first[r->more_arrays] = r->case_count;
}

sp_row *sp__report_object(sp_report *r, const char *name) {
    static sp_row spare;
    if (r->objects >= SP_REPORT_OBJECTS) return &spare;  // a bug of a bench, visible as the missing object
    r->object_name[r->objects] = name;
    return &r->object[r->objects++];
}

// ---- the table

static int cell_text(const sp_cell *cell, char *out, size_t size) {
    if (cell->count == 0 && !cell->list) return snprintf(out, size, "%s", cell->text);
    int used = 0;
    out[0] = 0;
    for (int i = 0; i < cell->count && used < (int)size - 1; i++) {
        if (i > 0) used += snprintf(out + used, size - (size_t)used, " ");
        if (isnan(cell->number[i]))
            used += snprintf(out + used, size - (size_t)used, "-");
        else
            used += snprintf(out + used, size - (size_t)used, cell->format, cell->number[i]);
    }
    return used;
}

static int column_width(const sp_cell *cell) {
    int title = (int)strlen(cell->title), least = cell->list ? 35 : 8;
    return title > least ? title : least;
}

static void print_row(const sp_row *row, bool titles) {
    for (int i = 0; i < row->count; i++) {
        const sp_cell *cell = &row->cells[i];
        char text[200];
        if (!cell->title) continue;
        cell_text(cell, text, sizeof text);
        printf(" %*s", column_width(cell), titles ? cell->title : text);
    }
    printf("\n");
}

void sp__report_case_done(const sp_report *r) {
    if (r->json || r->case_count == 0) return;
    if (r->case_count - 1 == r->array_first[r->more_arrays]) print_row(&r->cases[r->case_count - 1], true);
    print_row(&r->cases[r->case_count - 1], false);
    fflush(stdout);
}

void sp__report_object_done(const sp_report *r) {
    if (r->json || r->objects == 0) return;
    const sp_row *row = &r->object[r->objects - 1];
    printf("%s\n", r->object_name[r->objects - 1]);
    for (int i = 0; i < row->count; i++) {
        char text[200];
        cell_text(&row->cells[i], text, sizeof text);
        printf("  %-36s %s\n", row->cells[i].title ? row->cells[i].title : row->cells[i].key, text);
    }
    fflush(stdout);
}

void sp__report_note(const sp_report *r, const char *format, ...) {
    if (r->json) return;
    va_list args;
    va_start(args, format);
    vprintf(format, args);
    va_end(args);
    printf("\n");
    fflush(stdout);
}

// ---- points of plots

static const sp_cell *find_cell(const sp_row *row, const char *key) {
    static const sp_cell none = {.number = {NAN}, .count = 1};
    for (int i = 0; i < row->count; i++)
        if (strcmp(row->cells[i].key, key) == 0) return &row->cells[i];
    return &none;
}

static int array_end(const sp_report *r, int array) {
    return array < r->more_arrays ? r->array_first[array + 1] : r->case_count;
}

void sp__report_points(const sp_report *r, int array, double threads, const char *name, const char *x, const char *y,
                       sp_points *out) {
    out->count = 0;
    for (int i = r->array_first[array]; i < array_end(r, array); i++) {
        const sp_row *row = &r->cases[i];
        if (find_cell(row, "threads")->number[0] != threads) continue;
        if (name && strcmp(find_cell(row, "name")->text, name) != 0) continue;
        out->x[out->count] = find_cell(row, x)->number[0];
        out->y[out->count++] = find_cell(row, y)->number[0];
    }
}

// ---- Markdown

static void markdown_row(FILE *file, const sp_row *row, bool titles) {
    char line[200];
    for (int i = 0; i < row->count; i++) {
        if (!row->cells[i].title) continue;
        if (titles)
            snprintf(line, sizeof line, "%s", row->cells[i].title);
        else
            cell_text(&row->cells[i], line, sizeof line);
        for (size_t n = strlen(line); n > 0 && line[n - 1] == ' '; n--) line[n - 1] = 0;
        fprintf(file, "| %s ", line);
    }
    fprintf(file, "|\n");
}

static void markdown_object(FILE *file, const char *name, const sp_row *row) {
    char text[200];
    fprintf(file, "\n`%s`\n\n| | |\n|---|---|\n", name);
    for (int i = 0; i < row->count; i++) {
        cell_text(&row->cells[i], text, sizeof text);
        fprintf(file, "| %s | %s |\n", row->cells[i].title ? row->cells[i].title : row->cells[i].key, text);
    }
}

void sp__report_markdown(const sp_report *r, FILE *file) {
    for (int a = 0; a <= r->more_arrays; a++) {
        if (r->array_first[a] >= array_end(r, a)) continue;
        const sp_row *first = &r->cases[r->array_first[a]];
        fprintf(file, "%s`%s`\n\n", a ? "\n" : "", r->array_name[a] ? r->array_name[a] : "cases");
        markdown_row(file, first, true);
        for (int i = 0; i < first->count; i++)
            if (first->cells[i].title) fprintf(file, "|---");
        fprintf(file, "|\n");
        for (int i = r->array_first[a]; i < array_end(r, a); i++) markdown_row(file, &r->cases[i], false);
    }
    for (int o = 0; o < r->objects; o++) markdown_object(file, r->object_name[o], &r->object[o]);
}

// ---- JSON

static void json_row(sp_json *j, const sp_row *row) {
    for (int i = 0; i < row->count; i++) {
        const sp_cell *cell = &row->cells[i];
        if (cell->flag)
            sp__json_yes(j, cell->key, cell->number[0] != 0);
        else if (cell->names) {
            sp__json_open(j, cell->key, '{');
            for (int k = 0; k < cell->count; k++) sp__json_number(j, cell->names[k], cell->number[k]);
            sp__json_close(j, '}');
        } else if (cell->list)
            sp__json_vector(j, cell->key, cell->number, cell->count);
        else if (cell->count == 0)
            sp__json_text(j, cell->key, cell->text);
        else
            sp__json_number(j, cell->key, cell->number[0]);
    }
}

static void json_array(sp_json *j, const sp_report *r, int array) {
    sp__json_open(j, r->array_name[array] ? r->array_name[array] : "cases", '[');
    for (int i = r->array_first[array]; i < array_end(r, array); i++) {
        sp__json_open(j, NULL, '{');
        json_row(j, &r->cases[i]);
        sp__json_close(j, '}');
    }
    sp__json_close(j, ']');
}

void sp__report_json(const sp_report *r, FILE *file) {
    sp_json j = {.file = file};
    sp__json_open(&j, NULL, '{');
    sp__json_text(&j, "bench", r->bench);
    json_row(&j, &r->head);
    for (int a = 0; a <= r->more_arrays; a++) json_array(&j, r, a);
    for (int o = 0; o < r->objects; o++) {
        sp__json_open(&j, r->object_name[o], '{');
        json_row(&j, &r->object[o]);
        sp__json_close(&j, '}');
    }
    json_row(&j, &r->tail);
    sp__json_close(&j, '}');
}
