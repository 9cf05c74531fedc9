// VTK's legacy files, versions 2.0 to 5.1, text or big-endian binary: unstructured grids and polygonal data with point and cell
// data. Cells are stored as "count node node ..." (until 4.2) or as offsets and connectivity (from 5.0 on).
// Format: "VTK file formats", The VTK User's Guide, Kitware; for 5.x: the documentation of vtkDataReader.
#include "io/mesh/mesh_vtk.h"

#include <limits.h>

#include "io/mesh/mesh_vtk_legacy.h"

// ------------------------------------------------------------------------------------------------ points and cells

static sp_status read_points(sp_vtk_legacy *r) {
    sp_cells *c = r->w.cells;
    int64_t n;
    sp_number type;
    if (r->has_points) return SP_VTK_FAIL(r, "POINTS appears twice");
    SP_TRY(sp__words_integer(&r->w, "count of points", 0, INT_MAX / 4, &n));
    SP_TRY(sp__vtk_legacy_type(r, &type));
    SP_TRY(sp__vtk_legacy_reserve(r, "points", 3 * n, type));
    if (!sp__cells_reserve_nodes(c, (int)n)) return sp__cells_no_memory(c);
    r->has_points = true;
    return sp__vtk_legacy_doubles(r, "coordinate", type, true, 3 * n, c->x);
}

static sp_status check_places(sp_vtk_legacy *r, const int64_t *places, int64_t n, int *out) {
    int nodes = r->w.cells->node_count;
    for (int64_t i = 0; i < n; i++) {
        if (places[i] < 0 || places[i] >= nodes)
            return SP_VTK_FAIL(r, "point %lld of a cell, must be in [0, %d)", (long long)places[i], nodes);
        out[i] = (int)places[i];
    }
    return SP_OK;
}

// "4 0 1 2 3 4 1 2 3 4 ...": the n cells have `size` numbers
static sp_status split_lists(sp_vtk_legacy *r, int64_t n, int64_t size, const int64_t *numbers, sp_vtk_lists *out) {
    int64_t at = 0, corners = 0;
    for (int64_t i = 0; i < n; i++) {
        int64_t count = at < size ? numbers[at] : -1;
        if (count < 0 || count > size - at - 1)
            return SP_VTK_FAIL(r, "cell %lld announces %lld nodes, but the list has room for %lld", (long long)i,
                               (long long)count, (long long)(size - at - 1));
        SP_TRY(check_places(r, numbers + at + 1, count, out->nodes + corners));
        corners += count;
        at += count + 1;
        out->start[i + 1] = corners;
    }
    if (at != size)
        return SP_VTK_FAIL(r, "%lld numbers of cells are announced, but the %lld cells have %lld", (long long)size, (long long)n,
                           (long long)at);
    return SP_OK;
}

static sp_status old_lists(sp_vtk_legacy *r, int64_t n, int64_t size, sp_vtk_lists *out) {
    sp_cells *c = r->w.cells;
    if (n > size)
        return SP_VTK_FAIL(r, "%lld cells of %lld numbers in all, must have one each at least", (long long)n, (long long)size);
    SP_TRY(sp__vtk_legacy_reserve(r, "cells", size, SP_INT32));
    int64_t *numbers = sp__alloc(c->ctx, (size_t)size + 1, sizeof *numbers);
    if (!numbers || !SP_KEEP(&c->keep, out->start, (size_t)n + 1) || !SP_KEEP(&c->keep, out->nodes, size)) {
        sp__free(c->ctx, numbers);
        return sp__cells_no_memory(c);
    }
    sp_status status = sp__vtk_legacy_integers(r, "node of a cell", SP_INT32, size, numbers);
    if (status >= 0) status = split_lists(r, n, size, numbers, out);
    sp__free(c->ctx, numbers);
    out->count = n;
    return status;
}

static sp_status typed_integers(sp_vtk_legacy *r, const char *word, int64_t n, int64_t *out) {
    sp_number type;
    if (!sp__words_take(&r->w, word)) return SP_VTK_FAIL(r, "%s is needed here", word);
    SP_TRY(sp__vtk_legacy_type(r, &type));
    if (!sp__number_integral(type)) return SP_VTK_FAIL(r, "%s must be integers", word);
    SP_TRY(sp__vtk_legacy_reserve(r, word, n, type));
    return sp__vtk_legacy_integers(r, word, type, n, out);
}

// OFFSETS and CONNECTIVITY; the offsets are one more than the cells
static sp_status new_lists(sp_vtk_legacy *r, int64_t n, int64_t size, sp_vtk_lists *out) {
    sp_cells *c = r->w.cells;
    SP_TRY(sp__vtk_legacy_reserve(r, "cells", n, SP_INT8));
    SP_TRY(sp__vtk_legacy_reserve(r, "nodes of cells", size, SP_INT8));
    if (!SP_KEEP(&c->keep, out->start, n + 1) || !SP_KEEP(&c->keep, out->nodes, size)) return sp__cells_no_memory(c);
    SP_TRY(typed_integers(r, "OFFSETS", n, out->start));
    out->count = n ? n - 1 : 0;
    for (int64_t i = 0; i < n; i++)
        if (out->start[i] < (i ? out->start[i - 1] : 0) || out->start[i] > size || (i == 0 && out->start[0]))
            return SP_VTK_FAIL(r, "offset %lld is %lld, must rise from 0 to %lld", (long long)i, (long long)out->start[i],
                               (long long)size);
    if (out->start[out->count] != size)
        return SP_VTK_FAIL(r, "the last offset is %lld, must be %lld", (long long)out->start[out->count], (long long)size);
    int64_t *numbers = sp__alloc(c->ctx, (size_t)size + 1, sizeof *numbers);
    if (!numbers) return sp__cells_no_memory(c);
    sp_status status = typed_integers(r, "CONNECTIVITY", size, numbers);
    if (status >= 0) status = check_places(r, numbers, size, out->nodes);
    sp__free(c->ctx, numbers);
    return status;
}

static sp_status read_lists(sp_vtk_legacy *r, const char *what, sp_vtk_lists *out) {
    int64_t n, size;
    if (out->start) return SP_VTK_FAIL(r, "%s appears twice", what);
    if (!r->has_points) return SP_VTK_FAIL(r, "%s before POINTS", what);
    SP_TRY(sp__words_integer(&r->w, "count of cells", 0, INT_MAX / 4, &n));
    SP_TRY(sp__words_integer(&r->w, "count of numbers", 0, INT64_MAX / 16, &size));
    r->grid.line = r->binary ? 0 : r->w.line;
    r->grid.offset = r->binary ? r->w.at - r->begin : -1;
    sp_words ahead = r->w;  // look ahead on a copy: white space may be binary data
    return sp__words_peek(&ahead, "OFFSETS") ? new_lists(r, n, size, out) : old_lists(r, n, size, out);
}

static sp_status read_types(sp_vtk_legacy *r) {
    sp_cells *c = r->w.cells;
    int64_t n;
    SP_TRY(sp__words_integer(&r->w, "count of cell types", 0, INT_MAX / 4, &n));
    if (r->type) return SP_VTK_FAIL(r, "CELL_TYPES appears twice");
    SP_TRY(sp__vtk_legacy_reserve(r, "cell types", n, SP_INT32));
    int64_t *numbers = sp__alloc(c->ctx, (size_t)n + 1, sizeof *numbers);
    if (!numbers || !SP_KEEP(&c->keep, r->type, n)) {
        sp__free(c->ctx, numbers);
        return sp__cells_no_memory(c);
    }
    sp_status status = sp__vtk_legacy_integers(r, "type of a cell", SP_INT32, n, numbers);
    for (int64_t i = 0; i < n && status >= 0; i++) {
        r->type[i] = (unsigned char)numbers[i];
        if (numbers[i] < 0 || numbers[i] > 255)
            status = SP_VTK_FAIL(r, "cell %lld is of type %lld, must be in [0, 255]", (long long)i, (long long)numbers[i]);
    }
    r->type_count = n;
    sp__free(c->ctx, numbers);
    return status;
}

// ------------------------------------------------------------------------------------------------ reader

static sp_status read_header(sp_vtk_legacy *r) {
    sp_words *w = &r->w;
    char word[64];
    sp__words_skip_line(w);  // "# vtk DataFile Version 5.1"
    sp__words_skip_line(w);  // a title
    if (sp__words_take(w, "BINARY"))
        r->binary_next = true;
    else if (!sp__words_take(w, "ASCII"))
        return SP_WORDS_FAIL(w, "ASCII or BINARY is needed here, seen %s", sp__words_shown(w, word));
    if (!sp__words_take(w, "DATASET")) return SP_WORDS_FAIL(w, "DATASET is needed here, seen %s", sp__words_shown(w, word));
    if (sp__words_take(w, "POLYDATA"))
        r->polygonal = true;
    else if (!sp__words_take(w, "UNSTRUCTURED_GRID"))
        return sp__words_blank(w),
               SP_WORDS_FAIL(w, "DATASET %s, only UNSTRUCTURED_GRID and POLYDATA hold meshes", sp__words_shown(w, word));
    r->binary = r->binary_next;
    return SP_OK;
}

// joins the four lists of polygonal data in the order of their cell data
static sp_status join_lists(sp_vtk_legacy *r) {
    sp_cells *c = r->w.cells;
    int64_t cells = 0, corners = 0;
    sp_vtk_lists *all = &r->grid.lists;
    for (int k = 0; k < 4; k++) {
        cells += r->lists[k].count;
        corners += r->lists[k].start ? r->lists[k].start[r->lists[k].count] : 0;
    }
    if (cells > INT_MAX / 4) return SP_VTK_FAIL(r, "%lld cells, at most %d are allowed", (long long)cells, INT_MAX / 4);
    if (!SP_KEEP(&c->keep, all->start, cells + 1) || !SP_KEEP(&c->keep, all->nodes, corners) ||
        !SP_KEEP(&c->keep, r->grid.type, cells))
        return sp__cells_no_memory(c);
    for (int k = 0; k < 4; k++) {
        const sp_vtk_lists *from = &r->lists[k];
        int64_t at = all->start[all->count];
        for (int64_t i = 0; i < from->count; i++) {
            r->grid.type[all->count] = sp__vtk_poly_type(k, from->start[i + 1] - from->start[i]);
            all->start[++all->count] = at + from->start[i + 1];
        }
        if (from->count) memcpy(all->nodes + at, from->nodes, (size_t)from->start[from->count] * sizeof *all->nodes);
    }
    return SP_OK;
}

// the cell lists are complete when a data section or the end of the file follows
static sp_status close_cells(sp_vtk_legacy *r) {
    if (r->closed) return SP_OK;
    if (!r->has_points) return SP_VTK_FAIL(r, "no POINTS");
    if (r->polygonal) {
        SP_TRY(join_lists(r));
    } else {
        r->grid.lists = r->lists[0];
        r->grid.type = r->type;
        if (r->type_count != r->lists[0].count)
            return SP_VTK_FAIL(r, "%lld CELL_TYPES for %lld CELLS", (long long)r->type_count, (long long)r->lists[0].count);
    }
    if (!r->grid.lists.start && !SP_KEEP(&r->w.cells->keep, r->grid.lists.start, 1)) return sp__cells_no_memory(r->w.cells);
    r->closed = true;
    return SP_OK;
}

static sp_status read_data(sp_vtk_legacy *r, bool on_cells) {
    int64_t n, have;
    SP_TRY(close_cells(r));
    have = on_cells ? r->grid.lists.count : r->w.cells->node_count;
    SP_TRY(sp__words_integer(&r->w, "count of data", 0, INT64_MAX / 64, &n));
    if (n != have)
        return SP_VTK_FAIL(r, "%s %lld, but there are %lld", on_cells ? "CELL_DATA" : "POINT_DATA", (long long)n,
                           (long long)have);
    r->data = on_cells ? SP_VTK_ON_CELLS : SP_VTK_ON_POINTS;
    return SP_OK;
}

static sp_status read_section(sp_vtk_legacy *r) {
    static const char *const poly[] = {"VERTICES", "LINES", "POLYGONS", "TRIANGLE_STRIPS"};
    sp_words *w = &r->w;
    bool open = !r->closed;
    if (sp__words_take(w, "METADATA")) return sp__vtk_legacy_metadata(r);
    if (open && sp__words_take(w, "POINTS")) return read_points(r);
    if (open && !r->polygonal && sp__words_take(w, "CELLS")) return read_lists(r, "CELLS", &r->lists[0]);
    if (open && !r->polygonal && sp__words_take(w, "CELL_TYPES")) return read_types(r);
    for (int k = 0; open && r->polygonal && k < 4; k++)
        if (sp__words_take(w, poly[k])) return read_lists(r, poly[k], &r->lists[k]);
    if (sp__words_take(w, "POINT_DATA")) return read_data(r, false);
    if (sp__words_take(w, "CELL_DATA")) return read_data(r, true);
    return sp__vtk_legacy_attribute(r);
}

sp_status sp__vtk_read(sp_cells *cells, const char *text, size_t size, const char *path) {
    (void)path;
    sp_vtk_legacy r = {
        .w = sp__words(cells, text, size), .begin = text, .swap = !SP_HOST_BIG, .grid = {.cells = cells, .offset = -1}};
    SP_TRY(read_header(&r));
    for (sp__words_space(&r.w); r.w.at < r.w.end; sp__words_space(&r.w)) SP_TRY(read_section(&r));
    SP_TRY(close_cells(&r));
    return sp__vtk_settle(&r.grid);
}

static bool vtk_knows(const char *head, size_t size) {
    static const char magic[] = "# vtk DataFile Version ";
    return size >= sizeof magic - 1 && memcmp(head, magic, sizeof magic - 1) == 0;
}

const sp_mesh_format sp__format_vtk = {"vtk", ".vtk", "VTK legacy", vtk_knows, sp__vtk_read, sp__vtk_write};
