// Numbers and attributes (point and cell data) of legacy VTK files.
#include <limits.h>
#include <strings.h>

#include "io/mesh/mesh_vtk_legacy.h"

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

sp_status sp__vtk_legacy_type(sp_vtk_legacy *r, sp_number *out) {
    char name[64];
    if (!sp__words_copy(&r->w, name, sizeof name)) return SP_VTK_FAIL(r, "the type of the numbers is missing");
    if (!type_named(name, out)) return SP_VTK_FAIL(r, "numbers of type '%.40s', which is none of VTK's", name);
    return SP_OK;
}

static int64_t bytes_of(int64_t n, sp_number type) {
    return type == (sp_number)BITS ? n / 8 + (n % 8 != 0) : n * (int64_t)sp__number_size(type);
}

sp_status sp__vtk_legacy_reserve(sp_vtk_legacy *r, const char *what, int64_t n, sp_number type) {
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

sp_status sp__vtk_legacy_doubles(sp_vtk_legacy *r, const char *what, sp_number type, bool finite, int64_t n, double *out) {
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

sp_status sp__vtk_legacy_integers(sp_vtk_legacy *r, const char *what, sp_number type, int64_t n, int64_t *out) {
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
    SP_TRY(sp__vtk_legacy_reserve(r, name, components * tuples, type));
    if (r->data != SP_VTK_ON_NOTHING && tuples == have && components >= 1) {
        if (g->array_count >= SP_VTK_ARRAYS_MAX) return SP_VTK_FAIL(r, "more than %d arrays", SP_VTK_ARRAYS_MAX);
        char *kept = sp__keep_text(&c->keep, name);
        sp_vtk_array *a =
            kept ? sp__vtk_add_array(g, kept, on_cells, (int)components, type == (sp_number)BITS ? SP_UINT8 : type) : NULL;
        if (!a) return sp__cells_no_memory(c);
        a->role = role;
        return sp__vtk_legacy_doubles(r, kept, type, false, components * tuples, a->values);
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

static sp_status read_field(sp_vtk_legacy *r) {
    char name[256], type_name[64];
    int64_t arrays, components, tuples;
    sp_number type;
    SP_TRY(read_name(r, name));
    SP_TRY(sp__words_integer(&r->w, "count of arrays", 0, INT_MAX, &arrays));
    for (int64_t i = 0; i < arrays; i++) {
        sp__words_space(&r->w);
        while (sp__words_take(&r->w, "METADATA")) SP_TRY(sp__vtk_legacy_metadata(r));
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
    SP_TRY(sp__vtk_legacy_type(r, &type));
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
    SP_TRY(sp__vtk_legacy_type(r, &type));
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
    SP_TRY(sp__vtk_legacy_type(r, &type));
    return read_array(r, name, type, components, tuples_of(r), role);
}

sp_status sp__vtk_legacy_attribute(sp_vtk_legacy *r) {
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

sp_status sp__vtk_legacy_metadata(sp_vtk_legacy *r) {
    sp__words_skip_line(&r->w);
    while (r->w.at < r->w.end) {
        bool more = sp__words_blank(&r->w);
        sp__words_skip_line(&r->w);
        if (!more) return SP_OK;
    }
    return SP_OK;
}
