// Text tables: cells are collected first, column widths are computed at the end.
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "common/command.h"

void sp__table_row(sp_table *t) {
    t->column = 0;
    if (t->broken) return;
    if (t->rows == t->capacity) {
        int capacity = t->capacity ? 2 * t->capacity : 16;
        void *cells = realloc(t->cells, (size_t)capacity * sizeof *t->cells);
        if (!cells) {
            t->broken = true;
            return;
        }
        t->cells = cells, t->capacity = capacity;
    }
    memset(t->cells[t->rows++], 0, sizeof *t->cells);
}

void sp__table_cell(sp_table *t, const char *format, ...) {
    if (t->broken || t->rows == 0 || t->column >= SP_TABLE_COLUMNS) return;
    va_list args;
    va_start(args, format);
    vsnprintf(t->cells[t->rows - 1][t->column++], SP_TABLE_CELL, format, args);
    va_end(args);
    if (t->column > t->columns) t->columns = t->column;
}

// characters, not bytes
static int width_of(const char *text) {
    int n = 0;
    for (; *text; text++) n += ((unsigned char)*text & 0xc0) != 0x80;
    return n;
}

void sp__table_print(const sp_table *t, FILE *file, int indent) {
    int width[SP_TABLE_COLUMNS] = {0};
    if (t->broken) return;
    for (int r = 0; r < t->rows; r++)
        for (int c = 0; c < t->columns; c++) {
            int w = width_of(t->cells[r][c]);
            width[c] = w > width[c] ? w : width[c];
        }
    for (int r = 0; r < t->rows; r++) {
        int last = t->columns - 1, gap = indent;
        while (last > 0 && !t->cells[r][last][0]) last--;
        for (int c = 0; c <= last; c++, gap = 2) {
            int pad = width[c] - width_of(t->cells[r][c]);
            bool left = t->left >> c & 1;
            fprintf(file, "%*s%s", gap + (left ? 0 : pad), "", t->cells[r][c]);
            if (left && c < last) fprintf(file, "%*s", pad, "");
        }
        fputc('\n', file);
    }
}

void sp__table_free(sp_table *t) {
    free(t->cells);
    *t = (sp_table){0};
}
