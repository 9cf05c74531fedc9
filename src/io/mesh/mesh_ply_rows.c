// Rows of a PLY file, element by element: by columns if a binary row has a fixed size, row by row otherwise.
#include <limits.h>

#include "io/mesh/mesh_ply.h"

static sp_ply_property *property(sp_ply *r, const sp_ply_element *e, int i) {
    return &r->properties[e->first_property + i];
}

// minimum size of a row, with empty lists; in text a character and a space per number
static int64_t row_bytes(sp_ply *r, const sp_ply_element *e, bool *fixed) {
    int64_t bytes = 0;
    *fixed = !r->ascii;
    for (int i = 0; i < e->property_count; i++) {
        const sp_ply_property *p = property(r, e, i);
        bytes += r->ascii ? 2 : (int64_t)sp__number_size(p->list ? p->count_type : p->type);
        if (p->list) *fixed = false;
    }
    return bytes;
}

// ------------------------------------------------------------------------------------------------ columns

static sp_status check_column(sp_ply *r, const sp_ply_element *e, const sp_ply_property *p, int64_t offset, int64_t stride) {
    for (int64_t i = 0; i < e->count; i++)
        if (!isfinite(p->out[i * p->step])) {
            r->w.at += i * stride + offset;
            return SP_PLY_FAIL(r, "%s of %s %lld is %g, must be finite", p->name, e->name, (long long)i, p->out[i * p->step]);
        }
    return SP_OK;
}

static sp_status check_place(sp_ply *r, int64_t place) {
    if (place >= 0 && place < r->w.cells->node_count) return SP_OK;
    return SP_PLY_FAIL(r, "vertex %lld of a cell, must be in [0, %d)", (long long)place, r->w.cells->node_count);
}

// reads one end of all edges, one number every `stride` bytes
static sp_status end_column(sp_ply *r, const sp_ply_element *e, const sp_ply_property *p, const char *from, int64_t stride) {
    for (int64_t i = 0; i < e->count; i++) {
        int64_t place;
        sp__numbers_get_int64(from + i * stride, p->type, r->swap, 1, &place);
        SP_TRY(check_place(r, place));
        p->int_out[2 * i] = (int)place;
    }
    return SP_OK;
}

static sp_status read_columns(sp_ply *r, const sp_ply_element *e, int64_t stride) {
    int64_t offset = 0;
    for (int i = 0; i < e->property_count; i++) {
        const sp_ply_property *p = property(r, e, i);
        const char *from = r->w.at + offset;
        if (p->role == SP_PLY_FINITE || p->role == SP_PLY_VALUES) {
            sp__numbers_get(from, p->type, r->swap, (size_t)e->count, (size_t)stride, p->out, (size_t)p->step);
            for (int64_t k = 0; p->over != 1 && k < e->count; k++) p->out[k * p->step] /= p->over;
        }
        if (p->role == SP_PLY_FINITE) SP_TRY(check_column(r, e, p, offset, stride));
        if (p->role == SP_PLY_END) SP_TRY(end_column(r, e, p, from, stride));
        offset += (int64_t)sp__number_size(p->type);
    }
    r->w.at += e->count * stride;
    return SP_OK;
}

// ------------------------------------------------------------------------------------------------ single numbers

// reads n numbers of a row; the caller has checked the size
static sp_status read_doubles(sp_ply *r, sp_number type, bool finite, const char *what, int64_t n, double *out) {
    if (!r->ascii) {
        sp__numbers_get(r->w.at, type, r->swap, (size_t)n, sp__number_size(type), out, 1);
        for (int64_t i = 0; finite && i < n; i++)
            if (!isfinite(out[i])) return SP_PLY_FAIL(r, "%s is %g, must be finite", what, out[i]);
        r->w.at += n * (int64_t)sp__number_size(type);
        return SP_OK;
    }
    for (int64_t i = 0; i < n; i++)
        SP_TRY(finite ? sp__words_number(&r->w, what, &out[i]) : sp__words_any_number(&r->w, what, &out[i]));
    return SP_OK;
}

static sp_status read_integer(sp_ply *r, sp_number type, const char *what, int64_t *out) {
    if (r->ascii) return sp__words_integer(&r->w, what, INT64_MIN, INT64_MAX, out);
    sp__numbers_get_int64(r->w.at, type, r->swap, 1, out);
    r->w.at += sp__number_size(type);
    return SP_OK;
}

static sp_status need_bytes(sp_ply *r, sp_number type, int64_t n, const char *what) {
    int64_t left = r->w.end - r->w.at, each = r->ascii ? 2 : (int64_t)sp__number_size(type);
    int64_t most = (left + r->ascii) / each;  // the last number of a text needs no space after it
    if (n >= 0 && n <= most) return SP_OK;
    return SP_PLY_FAIL(r, "%s: %lld numbers are announced, but the rest of the file has room for %lld", what, (long long)n,
                       (long long)most);
}

// ------------------------------------------------------------------------------------------------ lists

static sp_status read_nodes(sp_ply *r, const sp_ply_element *e, int cell, sp_number type, int64_t n) {
    static const unsigned char kinds[] = {0, SP_CELL_POINT, SP_CELL_LINE, SP_CELL_TRIANGLE, SP_CELL_QUAD};
    sp_cells *c = r->w.cells;
    bool good = e->kind == SP_PLY_TET ? n == 4 : n >= 1;
    if (!good || n > r->corner_capacity - r->corner_count)
        return SP_PLY_FAIL(r, "a cell of %s with %lld corners, must have %s", e->name, (long long)n,
                           e->kind == SP_PLY_TET ? "4" : "3 or more");
    c->type[cell] = e->kind == SP_PLY_TET ? SP_CELL_TET : n <= 4 ? kinds[n] : SP_CELL_POLYGON;
    for (int64_t i = 0; i < n; i++) {
        int64_t place;
        SP_TRY(read_integer(r, type, "vertex of a cell", &place));
        SP_TRY(check_place(r, place));
        c->nodes[r->corner_count++] = (int)place;
    }
    c->start[cell + 1] = r->corner_count;
    return SP_OK;
}

static sp_status read_texcoords(sp_ply *r, int cell, const sp_ply_property *p, int64_t n) {
    if (n > r->uv_capacity - r->uv_count) return SP_PLY_FAIL(r, "too many texture coordinates");
    SP_TRY(read_doubles(r, p->type, true, p->name, n, r->uv + r->uv_count));
    r->uv_count += n;
    r->uv_start[cell + 1] = r->uv_count;
    return SP_OK;
}

// a list that keeps the length of its first row becomes an array; others are skipped
static sp_status read_array(sp_ply *r, const sp_ply_element *e, int64_t row, sp_ply_property *p, int64_t n, double *scratch) {
    sp_cells *c = r->w.cells;
    int64_t tuples = e->kind == SP_PLY_VERTEX ? c->node_count : c->cell_count;
    if (row == 0 && n >= 1 && n <= 9) {
        SP_TRY(need_bytes(r, p->type, n * e->count, p->name));
        if (!sp__ply_array_reserve(r, tuples, n))
            return SP_PLY_FAIL(r, "more properties of few cells than the file has room for");
        double *values = sp__keep_alloc(&c->keep, (size_t)(tuples * n), sizeof *values);
        if (!values) return sp__cells_no_memory(c);
        c->arrays[c->array_count++] = (sp_cells_array){.name = p->name,
                                                       .components = (int)n,
                                                       .values = values,
                                                       .on_cells = e->kind != SP_PLY_VERTEX,
                                                       .integral = sp__number_integral(p->type)};
        p->out = values + n * (e->kind == SP_PLY_VERTEX ? 0 : e->first_cell);
        p->components = n;
    }
    if (n == p->components) return read_doubles(r, p->type, false, p->name, n, p->out + n * row);
    if (p->components > 0)
        return SP_PLY_FAIL(r, "a list '%s' of %lld numbers, must have %lld as in the first row", p->name, (long long)n,
                           (long long)p->components);
    for (int64_t i = 0; i < n; i++) SP_TRY(read_doubles(r, p->type, false, p->name, 1, scratch));
    return SP_OK;
}

static sp_status read_list(sp_ply *r, const sp_ply_element *e, int64_t row, sp_ply_property *p) {
    int64_t n;
    double scratch;
    int cell = e->first_cell + (int)row;
    SP_TRY(need_bytes(r, p->count_type, 1, p->name));
    SP_TRY(read_integer(r, p->count_type, "length of a list", &n));
    SP_TRY(need_bytes(r, p->type, n, p->name));
    switch (p->role) {
    case SP_PLY_NODES: return read_nodes(r, e, cell, p->type, n);
    case SP_PLY_TEXCOORDS: return read_texcoords(r, cell, p, n);
    case SP_PLY_ARRAY: return read_array(r, e, row, p, n, &scratch);
    default: break;
    }
    for (int64_t i = 0; i < n; i++) SP_TRY(read_doubles(r, p->type, false, p->name, 1, &scratch));
    return SP_OK;
}

// ------------------------------------------------------------------------------------------------ rows

static sp_status read_scalar(sp_ply *r, int64_t row, const sp_ply_property *p) {
    double scratch, *out = p->role == SP_PLY_FINITE || p->role == SP_PLY_VALUES ? p->out + row * p->step : &scratch;
    SP_TRY(need_bytes(r, p->type, 1, p->name));
    if (p->role == SP_PLY_END) {
        int64_t place;
        SP_TRY(read_integer(r, p->type, p->name, &place));
        p->int_out[2 * row] = (int)place;
        return check_place(r, place);
    }
    SP_TRY(read_doubles(r, p->type, p->role == SP_PLY_FINITE, p->name, 1, out));
    if (p->over != 1) *out /= p->over;
    return SP_OK;
}

sp_status sp__ply_rows(sp_ply *r, const sp_ply_element *e) {
    bool fixed;
    int64_t bytes = row_bytes(r, e, &fixed), left = r->w.end - r->w.at;
    if (!bytes) return SP_OK;
    if (e->count > (left + r->ascii) / bytes)
        return SP_PLY_FAIL(r, "%lld of element '%.40s' are announced, but the rest of the file has room for %lld at most",
                           (long long)e->count, e->name, (long long)(left / bytes));
    if (fixed) return read_columns(r, e, bytes);
    for (int64_t row = 0; row < e->count; row++)
        for (int i = 0; i < e->property_count; i++) {
            sp_ply_property *p = property(r, e, i);
            SP_TRY(p->list ? read_list(r, e, row, p) : read_scalar(r, row, p));
        }
    return SP_OK;
}
