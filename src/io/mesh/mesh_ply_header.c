// Header of a PLY file: the list of elements and their properties, always text.
#include <limits.h>

#include "io/mesh/mesh_ply.h"

enum { PROPERTIES_MAX = 4096 };

static sp_number type_named(const char *name) {
    static const struct {
        const char *name;
        sp_number type;
    } types[] = {{"char", SP_INT8},     {"int8", SP_INT8},       {"uchar", SP_UINT8},    {"uint8", SP_UINT8},
                 {"short", SP_INT16},   {"int16", SP_INT16},     {"ushort", SP_UINT16},  {"uint16", SP_UINT16},
                 {"int", SP_INT32},     {"int32", SP_INT32},     {"uint", SP_UINT32},    {"uint32", SP_UINT32},
                 {"float", SP_FLOAT32}, {"float32", SP_FLOAT32}, {"double", SP_FLOAT64}, {"float64", SP_FLOAT64},
                 {"int64", SP_INT64},   {"uint64", SP_UINT64}};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strcmp(types[i].name, name) == 0) return types[i].type;
    return SP_NUMBER_TYPES;
}

static sp_ply_kind kind_named(const char *name) {
    static const struct {
        const char *name;
        sp_ply_kind kind;
    } kinds[] = {{"vertex", SP_PLY_VERTEX},  {"face", SP_PLY_FACE},       {"tet", SP_PLY_TET},
                 {"tetrahedra", SP_PLY_TET}, {"tetrahedron", SP_PLY_TET}, {"edge", SP_PLY_EDGE}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(kinds[i].name, name) == 0) return kinds[i].kind;
    return SP_PLY_OTHER;
}

static sp_status read_word(sp_ply *r, const char *what, char out[128]) {
    if (sp__words_copy(&r->w, out, 128)) return SP_OK;
    return SP_WORDS_FAIL(&r->w, "%s is missing at the end of the line", what);
}

static sp_status read_format(sp_ply *r) {
    char name[128];
    SP_TRY(read_word(r, "the format", name));
    r->ascii = strcmp(name, "ascii") == 0;
    bool big = strcmp(name, "binary_big_endian") == 0;
    if (!r->ascii && !big && strcmp(name, "binary_little_endian") != 0)
        return SP_WORDS_FAIL(&r->w, "format '%.40s', must be ascii, binary_little_endian or binary_big_endian", name);
    r->swap = big != SP_HOST_BIG;
    return SP_OK;
}

static sp_status read_element(sp_ply *r) {
    char name[128];
    int64_t count;
    sp_keep *keep = &r->w.cells->keep;
    SP_TRY(read_word(r, "the name of an element", name));
    if (!sp__words_blank(&r->w)) return SP_WORDS_FAIL(&r->w, "element %.40s without its count", name);
    SP_TRY(sp__words_integer(&r->w, "count of an element", 0, INT64_MAX / 64, &count));
    if (r->element_count >= PROPERTIES_MAX) return SP_WORDS_FAIL(&r->w, "more than %d elements", PROPERTIES_MAX);
    if (!SP_LIST_ROOM(keep, r->elements, r->element_count, &r->element_capacity)) return sp__cells_no_memory(r->w.cells);
    sp_ply_element *e = &r->elements[r->element_count++];
    *e = (sp_ply_element){.name = sp__keep_text(keep, name), .kind = kind_named(name), .count = count};
    e->first_property = r->property_count;
    return e->name ? SP_OK : sp__cells_no_memory(r->w.cells);
}

static sp_status read_type(sp_ply *r, sp_number *out) {
    char name[128];
    SP_TRY(read_word(r, "the type of a property", name));
    *out = type_named(name);
    if (*out == SP_NUMBER_TYPES) return SP_WORDS_FAIL(&r->w, "a property of type '%.40s', which is none of PLY's", name);
    return SP_OK;
}

static sp_status read_property(sp_ply *r) {
    sp_cells *cells = r->w.cells;
    char name[128];
    if (!r->element_count) return SP_WORDS_FAIL(&r->w, "a property before any element");
    if (r->property_count >= PROPERTIES_MAX) return SP_WORDS_FAIL(&r->w, "more than %d properties", PROPERTIES_MAX);
    if (!SP_LIST_ROOM(&cells->keep, r->properties, r->property_count, &r->property_capacity)) return sp__cells_no_memory(cells);
    sp_ply_property *p = &r->properties[r->property_count];
    *p = (sp_ply_property){.over = 1, .components = -1};
    p->list = sp__words_take(&r->w, "list");
    if (p->list) SP_TRY(read_type(r, &p->count_type));
    if (p->list && !sp__number_integral(p->count_type)) return SP_WORDS_FAIL(&r->w, "the lengths of a list must be integers");
    SP_TRY(read_type(r, &p->type));
    SP_TRY(read_word(r, "the name of a property", name));
    if (!(p->name = sp__keep_text(&cells->keep, name))) return sp__cells_no_memory(cells);
    r->property_count++;
    r->elements[r->element_count - 1].property_count++;
    return SP_OK;
}

sp_status sp__ply_header(sp_ply *r) {
    sp_words *w = &r->w;
    bool has_format = false;
    char seen[32];
    r->ascii = true;  // for messages, until the format line is read
    if (!sp__words_take(w, "ply")) return SP_WORDS_FAIL(w, "not a PLY file: it must begin with 'ply'");
    for (;;) {
        sp__words_skip_line(w);
        if (sp__words_take(w, "end_header")) break;
        if (sp__words_take(w, "format")) {
            SP_TRY(read_format(r));
            has_format = true;
        } else if (sp__words_take(w, "element")) {
            SP_TRY(read_element(r));
        } else if (sp__words_take(w, "property")) {
            SP_TRY(read_property(r));
        } else if (!sp__words_peek(w, "comment") && !sp__words_peek(w, "obj_info")) {
            return SP_WORDS_FAIL(w, "'element', 'property' or 'end_header' is needed here, seen %s", sp__words_shown(w, seen));
        }
    }
    if (!has_format) return SP_WORDS_FAIL(w, "the header has no 'format'");
    // binary data begin right after this newline
    sp__words_skip_line(w);
    return SP_OK;
}
