// VTK's legacy files, versions 2.0 to 5.1, text or big-endian binary: unstructured grids and polygonal data with point and cell
// data. Cells are stored as "count node node ..." (until 4.2) or as offsets and connectivity (from 5.0 on).
// Format: "VTK file formats", The VTK User's Guide, Kitware; for 5.x: the documentation of vtkDataReader.
#include "io/mesh/mesh_vtk.h"

#include <limits.h>
#include <stdio.h>
#include <strings.h>

typedef enum sp_vtk_data { SP_VTK_ON_NOTHING, SP_VTK_ON_POINTS, SP_VTK_ON_CELLS } sp_vtk_data;

typedef struct sp_vtk_legacy {
    sp_words w;  // binary: w.at is the next byte
    const char *begin;
    bool binary, swap, binary_next, polygonal, has_points, closed;
    sp_vtk_lists lists[4];  // the cells, or vertices, lines, polygons and strips
    unsigned char *type;
    int64_t type_count;
    sp_vtk_data data;  // whether the current attributes belong to points or cells
    sp_vtk_grid grid;
} sp_vtk_legacy;

// Fails with the current line or byte offset.
#define SP_VTK_FAIL(r, ...) \
    sp__cells_fail((r)->w.cells, (r)->binary ? 0 : (r)->w.line, (r)->binary ? (r)->w.at - (r)->begin : -1, __LINE__, __VA_ARGS__)

// ======================================================================================== numbers and attributes

enum { BITS = SP_NUMBER_TYPES };  // type "bit": eight per byte

// ------------------------------------------------------------------------------------------------ numbers

static bool type_named(const char *name, sp_number *out) {
    static const struct {
        const char *name;
        sp_number type;
    } types[] = {{"bit", (sp_number)BITS},
                 {"char", SP_INT8},
                 {"signed_char", SP_INT8},
                 {"unsigned_char", SP_UINT8},
                 {"short", SP_INT16},
                 {"unsigned_short", SP_UINT16},
                 {"int", SP_INT32},
                 {"unsigned_int", SP_UINT32},
                 {"long", SP_INT64},
                 {"unsigned_long", SP_UINT64},
                 {"float", SP_FLOAT32},
                 {"double", SP_FLOAT64},
                 {"vtktypeint64", SP_INT64},
                 {"vtktypeuint64", SP_UINT64},
                 {"vtkidtype", SP_INT32},
                 {"long_long", SP_INT64},
                 {"unsigned_long_long", SP_UINT64}};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strcasecmp(types[i].name, name) == 0) {
            *out = types[i].type;
            return true;
        }
    return false;
}

// Reads the name of a number type.
static sp_status vtk_legacy_type(sp_vtk_legacy *r, sp_number *out) {
    char name[64];
    if (!sp__words_copy(&r->w, name, sizeof name)) return SP_VTK_FAIL(r, "the type of the numbers is missing");
    if (!type_named(name, out)) return SP_VTK_FAIL(r, "numbers of type '%.40s', which is none of VTK's", name);
    return SP_OK;
}

static int64_t bytes_of(int64_t n, sp_number type) {
    return type == (sp_number)BITS ? n / 8 + (n % 8 != 0) : n * (int64_t)sp__number_size(type);
}

// Fails if the rest of the file cannot hold n numbers of the type.
static sp_status vtk_legacy_reserve(sp_vtk_legacy *r, const char *what, int64_t n, sp_number type) {
    int64_t left = r->w.end - r->w.at;
    bool fits = n <= left * 8 && (r->binary ? bytes_of(n, type) : 2 * n - 1) <= left;
    if (fits) return SP_OK;
    return SP_VTK_FAIL(r, "%s: %lld numbers are announced, but the rest of the file has %lld bytes", what, (long long)n,
                       (long long)left);
}

// binary data begin after the newline
static sp_status begin_binary(sp_vtk_legacy *r, int64_t bytes, const char *what) {
    while (r->w.at < r->w.end && sp__is_blank(*r->w.at)) r->w.at++;
    if (r->w.at >= r->w.end || *r->w.at != '\n') return SP_VTK_FAIL(r, "%s: the line must end before the numbers", what);
    r->w.at++;
    if (bytes <= r->w.end - r->w.at) return SP_OK;
    return SP_VTK_FAIL(r, "%s: %lld bytes are needed, but the file ends after %lld", what, (long long)bytes,
                       (long long)(r->w.end - r->w.at));
}

// Reads n numbers; in a binary file they begin after the newline. Call vtk_legacy_reserve first.
static sp_status vtk_legacy_doubles(sp_vtk_legacy *r, const char *what, sp_number type, bool finite, int64_t n, double *out) {
    if (!r->binary) {
        for (int64_t i = 0; i < n; i++)
            SP_TRY(finite ? sp__words_number(&r->w, what, &out[i]) : sp__words_any_number(&r->w, what, &out[i]));
        return SP_OK;
    }
    int64_t bytes = bytes_of(n, type);
    SP_TRY(begin_binary(r, bytes, what));
    const unsigned char *from = (const unsigned char *)r->w.at;
    if (type == (sp_number)BITS)
        for (int64_t i = 0; i < n; i++) out[i] = from[i / 8] >> (7 - i % 8) & 1;
    else
        sp__numbers_get(from, type, r->swap, (size_t)n, sp__number_size(type), out, 1);
    for (int64_t i = 0; finite && i < n; i++)
        if (!isfinite(out[i])) {
            r->w.at += bytes_of(i, type);
            return SP_VTK_FAIL(r, "%s %lld is %g, must be finite", what, (long long)i, out[i]);
        }
    r->w.at += bytes;
    return SP_OK;
}

static sp_status vtk_legacy_integers(sp_vtk_legacy *r, const char *what, sp_number type, int64_t n, int64_t *out) {
    if (!r->binary) {
        for (int64_t i = 0; i < n; i++) SP_TRY(sp__words_integer(&r->w, what, INT64_MIN, INT64_MAX, &out[i]));
        return SP_OK;
    }
    int64_t bytes = bytes_of(n, type);
    SP_TRY(begin_binary(r, bytes, what));
    sp__numbers_get_int64(r->w.at, type, r->swap, (size_t)n, out);
    r->w.at += bytes;
    return SP_OK;
}

// ------------------------------------------------------------------------------------------------ arrays

// VTK encodes special characters of names as %20
static void decode_name(char *name) {
    static const char hex[] = "0123456789abcdef0123456789ABCDEF";
    char *to = name;
    for (const char *p = name; *p; p++) {
        const char *high = p[0] == '%' && p[1] ? strchr(hex, p[1]) : NULL, *low = high && p[2] ? strchr(hex, p[2]) : NULL;
        if (!low) {
            *to++ = *p;
            continue;
        }
        *to++ = (char)((high - hex) % 16 * 16 + (low - hex) % 16);
        p += 2;
    }
    *to = 0;
}

static sp_status read_name(sp_vtk_legacy *r, char name[256]) {
    if (!sp__words_copy(&r->w, name, 256)) return SP_VTK_FAIL(r, "the name of an array is missing");
    decode_name(name);
    return SP_OK;
}

// reads the values that follow; those that belong to neither points nor cells are skipped
static sp_status read_array(sp_vtk_legacy *r, const char *name, sp_number type, int64_t components, int64_t tuples,
                            sp_vtk_role role) {
    sp_vtk_grid *g = &r->grid;
    sp_cells *c = g->cells;
    bool on_cells = r->data == SP_VTK_ON_CELLS;
    int64_t have = on_cells ? g->lists.count : c->node_count;
    if (components && tuples > INT64_MAX / 64 / components) return SP_VTK_FAIL(r, "array '%.40s' is too large", name);
    SP_TRY(vtk_legacy_reserve(r, name, components * tuples, type));
    if (r->data != SP_VTK_ON_NOTHING && tuples == have && components >= 1) {
        if (g->array_count >= SP_VTK_ARRAYS_MAX) return SP_VTK_FAIL(r, "more than %d arrays", SP_VTK_ARRAYS_MAX);
        char *kept = sp__keep_text(&c->keep, name);
        sp_vtk_array *a =
            kept ? sp__vtk_add_array(g, kept, on_cells, (int)components, type == (sp_number)BITS ? SP_UINT8 : type) : NULL;
        if (!a) return sp__cells_no_memory(c);
        a->role = role;
        return vtk_legacy_doubles(r, kept, type, false, components * tuples, a->values);
    }
    if (r->binary) {
        SP_TRY(begin_binary(r, bytes_of(components * tuples, type), name));
        r->w.at += bytes_of(components * tuples, type);
        return SP_OK;
    }
    double ignored;
    for (int64_t i = 0; i < components * tuples; i++) SP_TRY(sp__words_any_number(&r->w, name, &ignored));
    return SP_OK;
}

static int64_t tuples_of(const sp_vtk_legacy *r) {
    return r->data == SP_VTK_ON_CELLS ? r->grid.lists.count : r->w.cells->node_count;
}

// ------------------------------------------------------------------------------------------------ strings

// the first two bits encode the number of bytes of the length
static sp_status skip_binary_text(sp_vtk_legacy *r) {
    static const int more[] = {7, 3, 1, 0};
    const unsigned char *p = (const unsigned char *)r->w.at;
    int64_t left = r->w.end - r->w.at;
    int extra = left ? more[p[0] >> 6] : 0;
    uint64_t length = left ? p[0] & 63u : 0;
    for (int k = 1; k <= extra && k < left; k++) length = length << 8 | p[k];
    if (left < 1 + extra || length > (uint64_t)(left - 1 - extra)) return SP_VTK_FAIL(r, "a text is longer than the file");
    r->w.at += 1 + extra + (int64_t)length;
    return SP_OK;
}

static sp_status skip_texts(sp_vtk_legacy *r, int64_t n) {
    if (n > r->w.end - r->w.at)
        return SP_VTK_FAIL(r, "%lld texts are announced in %lld bytes", (long long)n, (long long)(r->w.end - r->w.at));
    if (r->binary)
        SP_TRY(begin_binary(r, 0, "texts"));
    else
        sp__words_skip_line(&r->w);
    for (int64_t i = 0; i < n; i++) {
        if (r->binary)
            SP_TRY(skip_binary_text(r));
        else
            sp__words_skip_line(&r->w);
    }
    return SP_OK;
}

// ------------------------------------------------------------------------------------------------ attributes

// metadata ends with an empty line
static sp_status vtk_legacy_metadata(sp_vtk_legacy *r) {
    sp__words_skip_line(&r->w);
    while (r->w.at < r->w.end) {
        bool more = sp__words_blank(&r->w);
        sp__words_skip_line(&r->w);
        if (!more) return SP_OK;
    }
    return SP_OK;
}

static sp_status read_field(sp_vtk_legacy *r) {
    char name[256], type_name[64];
    int64_t arrays, components, tuples;
    sp_number type;
    SP_TRY(read_name(r, name));
    SP_TRY(sp__words_integer(&r->w, "count of arrays", 0, INT_MAX, &arrays));
    for (int64_t i = 0; i < arrays; i++) {
        sp__words_space(&r->w);
        while (sp__words_take(&r->w, "METADATA")) SP_TRY(vtk_legacy_metadata(r));
        SP_TRY(read_name(r, name));
        SP_TRY(sp__words_integer(&r->w, "components of an array", 0, INT_MAX, &components));
        SP_TRY(sp__words_integer(&r->w, "tuples of an array", 0, INT_MAX, &tuples));
        if (!sp__words_copy(&r->w, type_name, sizeof type_name))
            return SP_VTK_FAIL(r, "the type of array '%.40s' is missing", name);
        if (strcasecmp(type_name, "string") == 0) {
            SP_TRY(skip_texts(r, components * tuples));
            continue;
        }
        if (!type_named(type_name, &type))
            return SP_VTK_FAIL(r, "array '%.40s' of type '%.40s', which is none of VTK's", name, type_name);
        // colours are bytes in a field too
        SP_TRY(read_array(r, name, type, components, tuples, SP_VTK_PLAIN));
    }
    return SP_OK;
}

static sp_status read_scalars(sp_vtk_legacy *r) {
    char name[256], table[64];
    sp_number type;
    int64_t components = 1;
    SP_TRY(read_name(r, name));
    SP_TRY(vtk_legacy_type(r, &type));
    if (sp__words_blank(&r->w)) SP_TRY(sp__words_integer(&r->w, "components of scalars", 1, 4, &components));
    sp_words ahead = r->w;  // some writers omit the table
    if (sp__words_take(&ahead, "LOOKUP_TABLE") && sp__words_copy(&ahead, table, sizeof table)) r->w = ahead;
    return read_array(r, name, type, components, tuples_of(r), SP_VTK_SCALARS);
}

// numbers in [0, 1] in text files, bytes in binary files
static sp_status read_colors(sp_vtk_legacy *r) {
    char name[256];
    int64_t components;
    SP_TRY(read_name(r, name));
    SP_TRY(sp__words_integer(&r->w, "components of colours", 1, 4, &components));
    return read_array(r, name, r->binary ? SP_UINT8 : SP_FLOAT32, components, tuples_of(r), SP_VTK_COLORS);
}

static sp_status read_texcoords(sp_vtk_legacy *r) {
    char name[256];
    int64_t components;
    sp_number type;
    SP_TRY(read_name(r, name));
    SP_TRY(sp__words_integer(&r->w, "components of texture coordinates", 1, 3, &components));
    SP_TRY(vtk_legacy_type(r, &type));
    return read_array(r, name, type, components, tuples_of(r), SP_VTK_TEXCOORDS);
}

static sp_status skip_table(sp_vtk_legacy *r) {
    char name[256];
    int64_t n;
    sp_vtk_data data = r->data;
    SP_TRY(read_name(r, name));
    SP_TRY(sp__words_integer(&r->w, "size of a lookup table", 0, INT_MAX, &n));
    r->data = SP_VTK_ON_NOTHING;
    sp_status status = read_array(r, name, r->binary ? SP_UINT8 : SP_FLOAT32, 4, n, SP_VTK_PLAIN);
    r->data = data;
    return status;
}

static sp_status read_fixed(sp_vtk_legacy *r, int components, sp_vtk_role role) {
    char name[256];
    sp_number type;
    SP_TRY(read_name(r, name));
    SP_TRY(vtk_legacy_type(r, &type));
    return read_array(r, name, type, components, tuples_of(r), role);
}

// Reads one attribute of points or cells, a field or a lookup table.
static sp_status vtk_legacy_attribute(sp_vtk_legacy *r) {
    static const struct {
        const char *word;
        int components;
        sp_vtk_role role;
    } fixed[] = {{"VECTORS", 3, SP_VTK_PLAIN},   {"NORMALS", 3, SP_VTK_NORMALS}, {"TENSORS", 9, SP_VTK_PLAIN},
                 {"TENSORS6", 6, SP_VTK_PLAIN},  {"GLOBAL_IDS", 1, SP_VTK_IDS},  {"PEDIGREE_IDS", 1, SP_VTK_PLAIN},
                 {"EDGE_FLAGS", 1, SP_VTK_PLAIN}};
    char seen[32];
    sp_words *w = &r->w;
    if (sp__words_take(w, "FIELD")) return read_field(r);
    if (r->data != SP_VTK_ON_NOTHING) {
        if (sp__words_take(w, "SCALARS")) return read_scalars(r);
        if (sp__words_take(w, "COLOR_SCALARS")) return read_colors(r);
        if (sp__words_take(w, "TEXTURE_COORDINATES")) return read_texcoords(r);
        if (sp__words_take(w, "LOOKUP_TABLE")) return skip_table(r);
        for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
            if (sp__words_take(w, fixed[i].word)) return read_fixed(r, fixed[i].components, fixed[i].role);
    }
    return SP_VTK_FAIL(r, "a section (POINTS, CELLS, POINT_DATA, ...) is needed here, seen %s", sp__words_shown(w, seen));
}

// ========================================================================================================= grids

// ------------------------------------------------------------------------------------------------ points and cells

static sp_status read_points(sp_vtk_legacy *r) {
    sp_cells *c = r->w.cells;
    int64_t n;
    sp_number type;
    if (r->has_points) return SP_VTK_FAIL(r, "POINTS appears twice");
    SP_TRY(sp__words_integer(&r->w, "count of points", 0, INT_MAX / 4, &n));
    SP_TRY(vtk_legacy_type(r, &type));
    SP_TRY(vtk_legacy_reserve(r, "points", 3 * n, type));
    if (!sp__cells_reserve_nodes(c, (int)n)) return sp__cells_no_memory(c);
    r->has_points = true;
    return vtk_legacy_doubles(r, "coordinate", type, true, 3 * n, c->x);
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
    SP_TRY(vtk_legacy_reserve(r, "cells", size, SP_INT32));
    int64_t *numbers = sp__alloc(c->ctx, (size_t)size + 1, sizeof *numbers);
    if (!numbers || !SP_KEEP(&c->keep, out->start, (size_t)n + 1) || !SP_KEEP(&c->keep, out->nodes, size)) {
        sp__free(c->ctx, numbers);
        return sp__cells_no_memory(c);
    }
    sp_status status = vtk_legacy_integers(r, "node of a cell", SP_INT32, size, numbers);
    if (status >= 0) status = split_lists(r, n, size, numbers, out);
    sp__free(c->ctx, numbers);
    out->count = n;
    return status;
}

static sp_status typed_integers(sp_vtk_legacy *r, const char *word, int64_t n, int64_t *out) {
    sp_number type;
    if (!sp__words_take(&r->w, word)) return SP_VTK_FAIL(r, "%s is needed here", word);
    SP_TRY(vtk_legacy_type(r, &type));
    if (!sp__number_integral(type)) return SP_VTK_FAIL(r, "%s must be integers", word);
    SP_TRY(vtk_legacy_reserve(r, word, n, type));
    return vtk_legacy_integers(r, word, type, n, out);
}

// OFFSETS and CONNECTIVITY; the offsets are one more than the cells
static sp_status new_lists(sp_vtk_legacy *r, int64_t n, int64_t size, sp_vtk_lists *out) {
    sp_cells *c = r->w.cells;
    SP_TRY(vtk_legacy_reserve(r, "cells", n, SP_INT8));
    SP_TRY(vtk_legacy_reserve(r, "nodes of cells", size, SP_INT8));
    if (!SP_KEEP(&c->keep, out->start, n + 1) || !SP_KEEP(&c->keep, out->nodes, size)) return sp__cells_no_memory(c);
    SP_TRY(typed_integers(r, "OFFSETS", n, out->start));
    out->count = n ? n - 1 : 0;
    for (int64_t i = 0; i < n; i++)
        if (out->start[i] < (i ? out->start[i - 1] : 0) || out->start[i] > size || (i == 0 && out->start[0]))
            return SP_VTK_FAIL(r, "offset %lld is %lld, must increase from 0 to %lld", (long long)i, (long long)out->start[i],
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
    SP_TRY(vtk_legacy_reserve(r, "cell types", n, SP_INT32));
    int64_t *numbers = sp__alloc(c->ctx, (size_t)n + 1, sizeof *numbers);
    if (!numbers || !SP_KEEP(&c->keep, r->type, n)) {
        sp__free(c->ctx, numbers);
        return sp__cells_no_memory(c);
    }
    sp_status status = vtk_legacy_integers(r, "type of a cell", SP_INT32, n, numbers);
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
    if (sp__words_take(w, "METADATA")) return vtk_legacy_metadata(r);
    if (open && sp__words_take(w, "POINTS")) return read_points(r);
    if (open && !r->polygonal && sp__words_take(w, "CELLS")) return read_lists(r, "CELLS", &r->lists[0]);
    if (open && !r->polygonal && sp__words_take(w, "CELL_TYPES")) return read_types(r);
    for (int k = 0; open && r->polygonal && k < 4; k++)
        if (sp__words_take(w, poly[k])) return read_lists(r, poly[k], &r->lists[k]);
    if (sp__words_take(w, "POINT_DATA")) return read_data(r, false);
    if (sp__words_take(w, "CELL_DATA")) return read_data(r, true);
    return vtk_legacy_attribute(r);
}

static sp_status vtk_read(sp_cells *cells, const char *text, size_t size, const char *path) {
    (void)path;
    sp_vtk_legacy r = {
        .w = sp__words(cells, text, size), .begin = text, .swap = !SP_HOST_BIG, .grid = {.cells = cells, .offset = -1}};
    SP_TRY(read_header(&r));
    for (sp__words_space(&r.w); r.w.at < r.w.end; sp__words_space(&r.w)) SP_TRY(read_section(&r));
    SP_TRY(close_cells(&r));
    return sp__vtk_settle(&r.grid);
}

// ======================================================================================================== writer

// Writer of legacy VTK files: version 4.2, which old programs can read too, text or big-endian binary.

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

static sp_status vtk_write(const sp_cells *cells, const char *path, const sp_mesh_write_options *options) {
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

// ======================================================================================================== format

static bool vtk_knows(const char *head, size_t size) {
    static const char magic[] = "# vtk DataFile Version ";
    return size >= sizeof magic - 1 && memcmp(head, magic, sizeof magic - 1) == 0;
}

const sp_mesh_format sp__format_vtk = {"vtk", ".vtk", "VTK legacy", vtk_knows, vtk_read, vtk_write};
