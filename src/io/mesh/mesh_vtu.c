// VTK's XML files: unstructured grids (.vtu) and polygonal data (.vtp), in one or several pieces. The structure is scanned first;
// then the points, cells and arrays of all pieces are decoded and checked against the counts. Pieces are concatenated; points on
// their common boundary are not merged. An array that is missing in a piece is left out.
#include "io/mesh/mesh_vtu.h"

#include <limits.h>

// ------------------------------------------------------------------------------------------------ lookup

static const sp_vtu_data *vtu_find(const sp_vtu *r, int piece, sp_vtu_section section, const char *name) {
    const sp_vtu_piece *p = &r->pieces[piece];
    for (int i = p->first_data; i < p->first_data + p->data_count; i++)
        if (r->data[i].section == section && (!name || sp__xml_is(&r->data[i].name, name))) return &r->data[i];
    return NULL;
}

static sp_status missing(sp_vtu *r, const char *what, int piece) {
    return sp__cells_fail(r->x.cells, r->x.line, -1, __LINE__, "piece %d has no %s", piece, what);
}

// ------------------------------------------------------------------------------------------------ points

static sp_status read_points(sp_vtu *r) {
    sp_cells *c = r->x.cells;
    int64_t total = 0;
    for (int i = 0; i < r->piece_count; i++) {
        sp_vtu_piece *p = &r->pieces[i];
        p->first_point = total;
        total += p->points;
        if (!p->points) continue;
        const sp_vtu_data *d = vtu_find(r, i, SP_VTU_POINTS, NULL);
        if (!d) return missing(r, "Points", i);
        if (d->components != 3) return SP_VTU_FAIL(r, d, "points of %lld components, must have 3", (long long)d->components);
        SP_TRY(sp__vtu_check_size(r, d, 3 * p->points));
    }
    if (total > INT_MAX / 4)
        return sp__cells_fail(c, r->x.line, -1, __LINE__, "%lld points, at most %d are allowed", (long long)total, INT_MAX / 4);
    if (!sp__cells_reserve_nodes(c, (int)total)) return sp__cells_no_memory(c);
    for (int i = 0; i < r->piece_count; i++) {
        const sp_vtu_piece *p = &r->pieces[i];
        if (p->points)
            SP_TRY(sp__vtu_doubles(r, vtu_find(r, i, SP_VTU_POINTS, NULL), true, 3 * p->points, c->x + 3 * p->first_point));
    }
    return SP_OK;
}

// ------------------------------------------------------------------------------------------------ cells

static sp_vtu_section cell_section(const sp_vtu *r, int kind) {
    return r->polygonal ? (sp_vtu_section)kind : SP_VTU_CELLS;
}

static int64_t cells_of(const sp_vtu *r, int piece, int kind) {
    return r->polygonal ? r->pieces[piece].kinds[kind] : kind == 0 ? r->pieces[piece].cells : 0;
}

// offsets: the end of each cell in its piece and list; written to start[1 ..] and shifted by `corner`
static sp_status read_offsets(sp_vtu *r, const sp_vtu_data *d, int64_t n, int64_t corner, int64_t *start) {
    int64_t before = 0;
    SP_TRY(sp__vtu_integers(r, d, n, start + 1));
    for (int64_t i = 1; i <= n; i++) {
        if (start[i] < before || start[i] > INT64_MAX / 16)
            return SP_VTU_FAIL(r, d, "offset %lld is %lld, must be %lld at least", (long long)(i - 1), (long long)start[i],
                               (long long)before);
        before = start[i];
        start[i] += corner;
    }
    return SP_OK;
}

static sp_status read_places(sp_vtu *r, const sp_vtu_piece *p, const sp_vtu_data *d, int64_t n, int *out) {
    int64_t *places = sp__alloc(r->x.cells->ctx, (size_t)n + 1, sizeof *places);
    if (!places) return sp__cells_no_memory(r->x.cells);
    sp_status status = sp__vtu_integers(r, d, n, places);
    for (int64_t i = 0; i < n && status >= 0; i++) {
        if (places[i] < 0 || places[i] >= p->points)
            status = SP_VTU_FAIL(r, d, "number %lld is point %lld, must be in [0, %lld)", (long long)i, (long long)places[i],
                                 (long long)p->points);
        else
            out[i] = (int)(p->first_point + places[i]);
    }
    sp__free(r->x.cells->ctx, places);
    return status;
}

static sp_status read_types(sp_vtu *r, const sp_vtu_data *d, int64_t n, unsigned char *out) {
    int64_t *types = sp__alloc(r->x.cells->ctx, (size_t)n + 1, sizeof *types);
    if (!types) return sp__cells_no_memory(r->x.cells);
    sp_status status = sp__vtu_integers(r, d, n, types);
    for (int64_t i = 0; i < n && status >= 0; i++) {
        out[i] = (unsigned char)types[i];
        if (types[i] < 0 || types[i] > 255)
            status = SP_VTU_FAIL(r, d, "cell %lld is of type %lld, must be in [0, 255]", (long long)i, (long long)types[i]);
    }
    sp__free(r->x.cells->ctx, types);
    return status;
}

// counts the cells and reads all offsets, which give the total number of corners
static sp_status plan_cells(sp_vtu *r) {
    sp_vtk_grid *g = &r->grid;
    sp_cells *c = r->x.cells;
    int64_t total = 0, corners = 0, at = 0;
    for (int i = 0; i < r->piece_count; i++) {
        r->pieces[i].first_cell = total;
        total += r->pieces[i].cells;
        for (int k = 0; k < 4; k++) {
            if (!cells_of(r, i, k)) continue;
            const sp_vtu_data *d = vtu_find(r, i, cell_section(r, k), "offsets");
            if (!d) return missing(r, "offsets of its cells", i);
            SP_TRY(sp__vtu_check_size(r, d, cells_of(r, i, k)));
            if (!g->line) g->line = d->line;
        }
    }
    if (total > INT_MAX / 4)
        return sp__cells_fail(c, r->x.line, -1, __LINE__, "%lld cells, at most %d are allowed", (long long)total, INT_MAX / 4);
    if (!SP_KEEP(&c->keep, g->lists.start, total + 1) || !SP_KEEP(&c->keep, g->type, total)) return sp__cells_no_memory(c);
    for (int i = 0; i < r->piece_count; i++)
        for (int k = 0; k < 4; k++) {
            int64_t n = cells_of(r, i, k);
            if (!n) continue;
            const sp_vtu_data *d = vtu_find(r, i, cell_section(r, k), "connectivity");
            if (!d) return missing(r, "connectivity of its cells", i);
            SP_TRY(read_offsets(r, vtu_find(r, i, cell_section(r, k), "offsets"), n, corners, g->lists.start + at));
            at += n;
            SP_TRY(sp__vtu_check_size(r, d, g->lists.start[at] - corners));
            corners = g->lists.start[at];
        }
    g->lists.count = total;
    return SP_KEEP(&c->keep, g->lists.nodes, corners) ? SP_OK : sp__cells_no_memory(c);
}

static sp_status read_cells(sp_vtu *r) {
    sp_vtk_grid *g = &r->grid;
    int64_t at = 0;
    SP_TRY(plan_cells(r));
    for (int i = 0; i < r->piece_count; i++)
        for (int k = 0; k < 4; k++) {
            int64_t n = cells_of(r, i, k), *start = g->lists.start + at;
            if (!n) continue;
            SP_TRY(read_places(r, &r->pieces[i], vtu_find(r, i, cell_section(r, k), "connectivity"), start[n] - start[0],
                               g->lists.nodes + start[0]));
            const sp_vtu_data *types = vtu_find(r, i, SP_VTU_CELLS, "types");
            if (!r->polygonal && !types) return missing(r, "types of its cells", i);
            if (!r->polygonal) SP_TRY(read_types(r, types, n, g->type + at));
            for (int64_t m = 0; r->polygonal && m < n; m++) g->type[at + m] = sp__vtk_poly_type(k, start[m + 1] - start[m]);
            at += n;
        }
    return SP_OK;
}

// ------------------------------------------------------------------------------------------------ arrays

static const sp_vtu_data *same_array(const sp_vtu *r, int piece, const sp_vtu_data *as) {
    const sp_vtu_piece *p = &r->pieces[piece];
    for (int i = p->first_data; i < p->first_data + p->data_count; i++) {
        const sp_vtu_data *d = &r->data[i];
        if (d->section == as->section && d->components == as->components && d->name.size == as->name.size &&
            memcmp(d->name.at, as->name.at, d->name.size) == 0)
            return d;
    }
    return NULL;
}

static bool in_all_pieces(const sp_vtu *r, const sp_vtu_data *d, bool on_cells) {
    for (int i = 0; i < r->piece_count; i++)
        if ((on_cells ? r->pieces[i].cells : r->pieces[i].points) && !same_array(r, i, d)) return false;
    return true;
}

static sp_status read_array(sp_vtu *r, const sp_vtu_data *first) {
    sp_cells *c = r->x.cells;
    bool on_cells = first->section == SP_VTU_CELL_DATA;
    char *name = sp__xml_text(&c->keep, &first->name);
    if (!name) return sp__cells_no_memory(c);
    if (!in_all_pieces(r, first, on_cells) || first->components < 1) {
        sp__log(c->ctx, SP_LOG_WARNING, "%s: array '%s' is left out: not every piece has it", c->file, name);
        return SP_OK;
    }
    sp_vtk_array *a = sp__vtk_add_array(&r->grid, name, on_cells, (int)first->components, first->type);
    if (!a) return sp__cells_no_memory(c);
    a->role = r->piece_count > 1 && first->role == SP_VTK_IDS ? SP_VTK_PLAIN : first->role;  // pieces may repeat ids
    for (int i = 0; i < r->piece_count; i++) {
        const sp_vtu_piece *p = &r->pieces[i];
        int64_t tuples = on_cells ? p->cells : p->points, at = on_cells ? p->first_cell : p->first_point;
        if (!tuples) continue;
        const sp_vtu_data *d = same_array(r, i, first);
        SP_TRY(sp__vtu_check_size(r, d, tuples * d->components));
        SP_TRY(sp__vtu_doubles(r, d, false, tuples * d->components, a->values + at * first->components));
    }
    return SP_OK;
}

// the first piece with points decides which arrays are read
static sp_status read_arrays(sp_vtu *r) {
    int piece = 0, arrays = 0;
    while (piece < r->piece_count && !r->pieces[piece].points) piece++;
    if (piece == r->piece_count) return SP_OK;
    const sp_vtu_piece *p = &r->pieces[piece];
    for (int i = p->first_data; i < p->first_data + p->data_count; i++) {
        const sp_vtu_data *d = &r->data[i];
        if (d->section != SP_VTU_POINT_DATA && d->section != SP_VTU_CELL_DATA) continue;
        if (++arrays > SP_VTK_ARRAYS_MAX) return SP_VTU_FAIL(r, d, "more than %d arrays", SP_VTK_ARRAYS_MAX);
        SP_TRY(read_array(r, d));
    }
    return SP_OK;
}

// ------------------------------------------------------------------------------------------------ reader

static sp_status read_all(sp_vtu *r) {
    SP_TRY(sp__vtu_scan(r));
    SP_TRY(read_points(r));
    SP_TRY(read_cells(r));
    SP_TRY(read_arrays(r));
    return sp__vtk_settle(&r->grid);
}

sp_status sp__vtu_read(sp_cells *cells, const char *text, size_t size, const char *path) {
    (void)path;
    sp_vtu r = {.x = {cells, text, text + size, 1}, .begin = text, .grid = {.cells = cells, .offset = -1}};
    sp_status status = read_all(&r);
    sp__free(cells->ctx, r.scratch);
    return status;
}

// looks for the root tag after a declaration and comments
static bool vtu_knows(const char *head, size_t size) {
    sp_words w = sp__words(NULL, head, size);
    for (;;) {
        sp__words_space(&w);
        size_t left = (size_t)(w.end - w.at);
        if (left > 8 && memcmp(w.at, "<VTKFile", 8) == 0) return true;
        if (left < 2 || w.at[0] != '<' || (w.at[1] != '?' && w.at[1] != '!')) return false;
        const char *close = memchr(w.at, '>', left);
        if (!close) return false;
        w.at = close + 1;
    }
}

const sp_mesh_format sp__format_vtu = {"vtu", ".vtu .vtp", "VTK XML", vtu_knows, sp__vtu_read, sp__vtu_write};
