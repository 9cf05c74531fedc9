// Writer of legacy VTK files: version 4.2, which old programs can read too, text or big-endian binary.
#include <limits.h>
#include <stdio.h>

#include "io/mesh/mesh_vtk.h"

enum { BLOCK = 4096 };  // numbers at a time

typedef struct writer {
    const sp_vtk_columns *c;
    FILE *file;
    bool ascii;
    double values[BLOCK];
    unsigned char bytes[8 * BLOCK];
} writer;

static const char *const type_names[] = {"signed_char",  "unsigned_char", "short",         "unsigned_short", "int",
                                         "unsigned_int", "vtktypeint64",  "vtktypeuint64", "float",          "double"};

static void put_numbers(writer *w, const double *values, int64_t n, sp_number type, int per_line) {
    if (w->ascii) {
        for (int64_t i = 0; i < n; i++) sp__words_put(w->file, values[i], (i + 1) % per_line ? ' ' : '\n');
        return;
    }
    sp__numbers_put(values, (size_t)n, type, !SP_HOST_BIG, w->bytes);
    fwrite(w->bytes, sp__number_size(type), (size_t)n, w->file);
}

static void put_column(writer *w, const sp_vtk_column *column) {
    int64_t total = column->tuples * column->components, step = BLOCK / column->components * column->components;
    for (int64_t first = 0; first < total; first += step) {
        int64_t n = total - first < step ? total - first : step;
        sp__vtk_column_get(w->c, column, first, n, w->values);
        put_numbers(w, w->values, n, column->type, column->components);
    }
    putc('\n', w->file);
}

// VTK encodes spaces and special characters of names as %20
static void put_name(FILE *file, const char *name) {
    for (const unsigned char *p = (const unsigned char *)name; *p; p++) {
        if (*p <= ' ' || *p == '%' || *p == '"' || *p >= 127)
            fprintf(file, "%%%02X", *p);
        else
            putc(*p, file);
    }
}

static sp_status put_cells(writer *w) {
    const sp_vtk_columns *c = w->c;
    int64_t corners = c->cell_count ? c->start[c->cell_count] : 0, size = corners + c->cell_count;
    if (size > INT_MAX)
        return SP_FAIL(c->cells->ctx, SP_BAD_INPUT, "%s: too many cells for a legacy VTK file: write .vtu", c->cells->file);
    fprintf(w->file, "CELLS %d %lld\n", c->cell_count, (long long)size);
    for (int i = 0; i < c->cell_count; i++) {
        int64_t n = c->start[i + 1] - c->start[i];
        double count = (double)n;
        put_numbers(w, &count, 1, SP_INT32, 2);
        for (int64_t done = 0; done < n; done += BLOCK) {
            int64_t step = n - done < BLOCK ? n - done : BLOCK;
            sp__vtk_column_get(c, &c->list[1], c->start[i] + done, step, w->values);
            put_numbers(w, w->values, step, SP_INT32, INT_MAX);
        }
        if (w->ascii) putc('\n', w->file);
    }
    fprintf(w->file, "\nCELL_TYPES %d\n", c->cell_count);
    sp_vtk_column types = c->list[3];
    types.type = SP_INT32;
    put_column(w, &types);
    return SP_OK;
}

static bool is_field(const sp_vtk_column *column) {
    return column->role != SP_VTK_NORMALS && column->role != SP_VTK_TEXCOORDS && column->role != SP_VTK_IDS;
}

static void put_attribute(writer *w, const sp_vtk_column *column) {
    const char *type = type_names[column->type];
    if (column->role == SP_VTK_NORMALS) fputs("NORMALS ", w->file);
    if (column->role == SP_VTK_TEXCOORDS) fputs("TEXTURE_COORDINATES ", w->file);
    if (column->role == SP_VTK_IDS) fputs("GLOBAL_IDS ", w->file);
    put_name(w->file, column->name);
    if (column->role == SP_VTK_TEXCOORDS) fprintf(w->file, " %d", column->components);
    if (is_field(column)) fprintf(w->file, " %d %lld", column->components, (long long)column->tuples);
    fprintf(w->file, " %s\n", type);
    put_column(w, column);
}

// attributes with a meaning first, then all others as a field, which may have any number of components
static void put_data(writer *w, sp_vtk_place place) {
    const sp_vtk_columns *c = w->c;
    int fields = 0, any = 0;
    for (int i = 0; i < c->count; i++) {
        any += c->list[i].place == place;
        fields += c->list[i].place == place && is_field(&c->list[i]);
    }
    if (!any) return;
    fprintf(w->file, "%s %d\n", place == SP_VTK_CELL_DATA ? "CELL_DATA" : "POINT_DATA",
            place == SP_VTK_CELL_DATA ? c->cell_count : c->cells->node_count);
    for (int i = 0; i < c->count; i++)
        if (c->list[i].place == place && !is_field(&c->list[i])) put_attribute(w, &c->list[i]);
    if (fields) fprintf(w->file, "FIELD FieldData %d\n", fields);
    for (int i = 0; i < c->count; i++)
        if (c->list[i].place == place && is_field(&c->list[i])) put_attribute(w, &c->list[i]);
}

static sp_status write_all(writer *w) {
    const sp_vtk_columns *c = w->c;
    fprintf(w->file, "# vtk DataFile Version 4.2\nwritten by souple\n%s\nDATASET UNSTRUCTURED_GRID\n",
            w->ascii ? "ASCII" : "BINARY");
    fprintf(w->file, "POINTS %d %s\n", c->cells->node_count, type_names[c->list[0].type]);
    put_column(w, &c->list[0]);
    SP_TRY(put_cells(w));
    put_data(w, SP_VTK_POINT_DATA);
    put_data(w, SP_VTK_CELL_DATA);
    return SP_OK;
}

sp_status sp__vtk_write(const sp_cells *cells, const char *path, const sp_mesh_write_options *options) {
    sp_vtk_columns columns;
    sp_new_file file;
    sp_status status = sp__vtk_columns(cells, &columns);
    writer *w = status >= 0 ? sp__keep_alloc(&columns.keep, 1, sizeof *w) : NULL;
    if (status >= 0 && !w) status = sp__cells_no_memory(cells);
    if (status >= 0) status = sp__new_file_open(cells->ctx, path, &file);
    if (status >= 0) {
        w->c = &columns;
        w->file = file.stream;
        w->ascii = options->encoding == SP_ENCODING_ASCII;
        status = write_all(w);
        status = sp__worst(status, sp__new_file_close(&file, status >= 0));
    }
    sp__keep_free(&columns.keep);
    return status;
}
