// PLY, the Stanford polygon format (Turk 1994): text or binary of either byte order. Positions, normals, texture coordinates,
// colours, faces and tetrahedra are recognised by their usual names. Other properties become arrays, and an array "group:<name>"
// becomes a group (cells.h). Unknown elements are skipped.
#include <limits.h>
#include <stdio.h>

#include "io/mesh/mesh_tokens.h"

// Destination of the values of a property.
typedef enum sp_ply_role {
    SP_PLY_SKIP,
    SP_PLY_FINITE,     // to every `step`-th entry of `out`, divided by `over`; must be finite
    SP_PLY_VALUES,     // the same, but any value
    SP_PLY_NODES,      // list: nodes of a cell
    SP_PLY_TEXCOORDS,  // list: two numbers per corner
    SP_PLY_ARRAY,      // list of constant length: array of that many components
    SP_PLY_END         // end of an edge: to every second entry of int_out
} sp_ply_role;

typedef struct sp_ply_property {
    const char *name;
    bool list;
    sp_number type, count_type;
    sp_ply_role role;
    double *out;
    int step;
    double over;
    int *int_out;
    int64_t components;  // of a list that becomes an array, known from its first row; -1: unknown
} sp_ply_property;

typedef enum sp_ply_kind { SP_PLY_OTHER, SP_PLY_VERTEX, SP_PLY_FACE, SP_PLY_TET, SP_PLY_EDGE } sp_ply_kind;

typedef struct sp_ply_element {
    const char *name;
    sp_ply_kind kind;
    int64_t count;
    int first_property, property_count;
    int first_cell;  // index of its first cell, if its rows are cells
} sp_ply_element;

typedef struct sp_ply {
    sp_words w;  // binary: w.at is the next byte
    const char *begin;
    bool ascii, swap;
    sp_ply_element *elements;
    int element_count, element_capacity;
    sp_ply_property *properties;
    int property_count, property_capacity;
    int64_t array_values;  // total size of the arrays so far
    int64_t corner_count, corner_capacity;
    int64_t *uv_start;  // offset of the texture coordinates of each cell; NULL: the file has no such lists
    int64_t uv_count, uv_capacity;
    double *uv;
} sp_ply;

// Fails with the current line or byte offset.
#define SP_PLY_FAIL(r, ...) \
    sp__cells_fail((r)->w.cells, (r)->ascii ? (r)->w.line : 0, (r)->ascii ? -1 : (r)->w.at - (r)->begin, __LINE__, __VA_ARGS__)

// ======================================================================================================== header

// Header of a PLY file: the list of elements and their properties, always text.

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

static sp_status ply_header(sp_ply *r) {
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

// ================================================================================ destinations of the properties

static bool ply_named(const char *name, const char *const *list) {
    for (; *list; list++)
        if (strcmp(name, *list) == 0) return true;
    return false;
}

static sp_ply_property *ply_find(sp_ply *r, const sp_ply_element *e, const char *const *names) {
    for (int i = 0; i < e->property_count; i++)
        if (ply_named(r->properties[e->first_property + i].name, names)) return &r->properties[e->first_property + i];
    return NULL;
}

// plans the properties that form one vector of a vertex, if all of them are present
static bool plan_tuple(sp_ply *r, const sp_ply_element *e, int n, const char *const *const *names, int step, double **out) {
    sp_ply_property *p[3];
    for (int k = 0; k < n; k++)
        if (!(p[k] = ply_find(r, e, names[k])) || p[k]->list || p[k]->role != SP_PLY_SKIP) return true;
    if (!SP_KEEP(&r->w.cells->keep, *out, (size_t)step * (size_t)e->count)) return false;
    for (int k = 0; k < n; k++) p[k]->role = SP_PLY_FINITE, p[k]->out = *out + k, p[k]->step = step;
    return true;
}

#define NAMES(...) ((const char *const[]){__VA_ARGS__, NULL})

// colours as bytes, 16-bit integers or numbers in [0, 1]
static bool plan_colors(sp_ply *r, const sp_ply_element *e) {
    sp_cells *c = r->w.cells;
    const char *const *const names[] = {NAMES("red", "diffuse_red"), NAMES("green", "diffuse_green"),
                                        NAMES("blue", "diffuse_blue")};
    if (!plan_tuple(r, e, 3, names, 4, &c->colors)) return false;
    if (!c->colors) return true;
    for (int64_t i = 0; i < e->count; i++) c->colors[4 * i + 3] = 1;
    sp_ply_property *alpha = ply_find(r, e, NAMES("alpha", "diffuse_alpha"));
    if (alpha && !alpha->list && alpha->role == SP_PLY_SKIP)
        alpha->role = SP_PLY_FINITE, alpha->out = c->colors + 3, alpha->step = 4;
    for (int i = 0; i < e->property_count; i++) {
        sp_ply_property *p = &r->properties[e->first_property + i];
        bool color = p->role == SP_PLY_FINITE && p->step == 4;
        if (color && sp__number_integral(p->type)) p->over = p->type == SP_UINT16 ? UINT16_MAX : UINT8_MAX;
    }
    return true;
}

static bool plan_vertex(sp_ply *r, const sp_ply_element *e) {
    sp_cells *c = r->w.cells;
    const char *const *const xyz[] = {NAMES("x"), NAMES("y"), NAMES("z")}, *const *const normal[] = {NAMES("nx"), NAMES("ny"),
                                                                                                     NAMES("nz")};
    const char *const *const uv[] = {NAMES("s", "u", "texture_u", "texture_s"), NAMES("t", "v", "texture_v", "texture_t")};
    if (!plan_tuple(r, e, 3, xyz, 3, &c->x) || !plan_tuple(r, e, 3, normal, 3, &c->normals) ||
        !plan_tuple(r, e, 2, uv, 2, &c->texcoords) || !plan_colors(r, e))
        return false;
    c->node_count = (int)e->count;
    c->normal_count = c->normals ? c->node_count : 0;
    c->texcoord_count = c->texcoords ? c->node_count : 0;
    return true;
}

// ------------------------------------------------------------------------------------------------ cells

static sp_status plan_cells(sp_ply *r, const sp_ply_element *e) {
    sp_cells *c = r->w.cells;
    if (e->kind == SP_PLY_EDGE) {
        sp_ply_property *ends[2] = {ply_find(r, e, NAMES("vertex1")), ply_find(r, e, NAMES("vertex2"))};
        for (int k = 0; k < 2; k++) {
            if (!ends[k] || ends[k]->list || !sp__number_integral(ends[k]->type))
                return SP_WORDS_FAIL(&r->w, "element edge needs the integers vertex1 and vertex2");
            ends[k]->role = SP_PLY_END;
        }
        return SP_OK;
    }
    sp_ply_property *nodes = ply_find(r, e, NAMES("vertex_indices", "vertex_index"));
    sp_ply_property *uv = e->kind == SP_PLY_FACE ? ply_find(r, e, NAMES("texcoord")) : NULL;
    if (!nodes || !nodes->list || !sp__number_integral(nodes->type))
        return SP_WORDS_FAIL(&r->w, "element %s needs a list of integers vertex_indices", e->name);
    nodes->role = SP_PLY_NODES;
    if (!uv || !uv->list) return SP_OK;
    uv->role = SP_PLY_TEXCOORDS;
    int64_t capacity = (r->w.end - r->w.at) / (r->ascii ? 2 : (int64_t)sp__number_size(uv->type)) + 1;
    if (capacity > r->uv_capacity) r->uv_capacity = capacity;
    if (!r->uv_start && !SP_KEEP(&c->keep, r->uv_start, (size_t)c->cell_count + 1)) return sp__cells_no_memory(c);
    return SP_OK;
}

// false: more than the file could hold
static bool ply_array_reserve(sp_ply *r, int64_t tuples, int64_t components) {
    // elements share arrays over all cells: bound their total size, since one short element could allocate many long arrays
    r->array_values += tuples * components;
    return r->array_values <= 16 * (r->w.end - r->begin);
}

// each remaining property becomes an array over the points or cells
static sp_status plan_arrays(sp_ply *r, const sp_ply_element *e) {
    sp_cells *c = r->w.cells;
    bool on_cells = e->kind != SP_PLY_VERTEX;
    for (int i = 0; i < e->property_count; i++) {
        sp_ply_property *p = &r->properties[e->first_property + i];
        if (p->role != SP_PLY_SKIP) continue;
        if (p->list) {
            p->role = SP_PLY_ARRAY;
            continue;
        }
        double *values = NULL;
        for (int a = 0; a < c->array_count; a++)  // faces and tetrahedra share one array
            if (c->arrays[a].on_cells == on_cells && strcmp(c->arrays[a].name, p->name) == 0) values = c->arrays[a].values;
        if (!values) {
            int64_t n = on_cells ? c->cell_count : c->node_count;
            if (!ply_array_reserve(r, n, 1)) return SP_PLY_FAIL(r, "more properties of few cells than the file has room for");
            if (!SP_KEEP(&c->keep, values, n)) return sp__cells_no_memory(c);
            c->arrays[c->array_count++] = (sp_cells_array){p->name, 1, on_cells, sp__number_integral(p->type), values};
        }
        p->role = SP_PLY_VALUES;
        p->out = values + (on_cells ? e->first_cell : 0);
        p->step = 1;
    }
    return SP_OK;
}

// checks all counts against the file size before anything is allocated
static sp_status check_counts(sp_ply *r, int64_t *cells) {
    int64_t left = r->w.end - r->w.at;
    int vertex_elements = 0;
    *cells = 0;
    for (int i = 0; i < r->element_count; i++) {
        sp_ply_element *e = &r->elements[i];
        if (e->kind == SP_PLY_OTHER) continue;
        if (e->count > left || e->count > INT_MAX / 4)
            return SP_PLY_FAIL(r, "%lld of element '%.40s' are announced, but the rest of the file has %lld bytes",
                               (long long)e->count, e->name, (long long)left);
        if (e->kind == SP_PLY_VERTEX) {
            vertex_elements++;
            continue;
        }
        e->first_cell = (int)*cells;
        *cells += e->count;
    }
    if (vertex_elements != 1) return SP_PLY_FAIL(r, "%d elements 'vertex', must be one", vertex_elements);
    if (*cells > left)
        return SP_PLY_FAIL(r, "%lld cells are announced, but the rest of the file has %lld bytes", (long long)*cells,
                           (long long)left);
    return SP_OK;
}

// bound of the cell nodes: what the rest of the file could hold, since the lengths of lists are not known yet
static int64_t corners_at_most(sp_ply *r) {
    int64_t left = r->w.end - r->w.at, most = 0, in_faces = 0;
    for (int i = 0; i < r->element_count; i++) {
        const sp_ply_element *e = &r->elements[i];
        if (e->kind == SP_PLY_EDGE) most += 2 * e->count;
        if (e->kind == SP_PLY_TET) most += 4 * e->count;
        const sp_ply_property *p = e->kind == SP_PLY_FACE ? ply_find(r, e, NAMES("vertex_indices", "vertex_index")) : NULL;
        int64_t capacity = p ? left / (r->ascii ? 2 : (int64_t)sp__number_size(p->type)) + 1 : 0;
        if (capacity > in_faces) in_faces = capacity;
    }
    return most + in_faces;
}

// destinations and allocation
static sp_status ply_plan(sp_ply *r) {
    sp_cells *c = r->w.cells;
    int64_t cells;
    SP_TRY(check_counts(r, &cells));
    r->corner_capacity = corners_at_most(r);
    if (cells > INT_MAX / 4) return SP_PLY_FAIL(r, "%lld cells, at most %d are allowed", (long long)cells, INT_MAX / 4);
    if (!sp__cells_reserve(c, (int)cells, r->corner_capacity) || !SP_KEEP(&c->keep, c->arrays, r->property_count))
        return sp__cells_no_memory(c);
    for (int i = 0; i < r->element_count; i++) {
        const sp_ply_element *e = &r->elements[i];
        if (e->kind == SP_PLY_OTHER) {
            if (e->count) sp__log(c->ctx, SP_LOG_INFO, "%s: element '%.40s' is not used", c->file, e->name);
            continue;
        }
        if (e->kind == SP_PLY_VERTEX && !plan_vertex(r, e)) return sp__cells_no_memory(c);
        if (e->kind != SP_PLY_VERTEX) SP_TRY(plan_cells(r, e));
    }
    if (!c->x) return SP_PLY_FAIL(r, "element vertex needs the properties x, y and z");
    for (int i = 0; i < r->element_count; i++)
        if (r->elements[i].kind != SP_PLY_OTHER) SP_TRY(plan_arrays(r, &r->elements[i]));
    if (r->uv_capacity && !SP_KEEP(&c->keep, r->uv, r->uv_capacity)) return sp__cells_no_memory(c);
    return SP_OK;
}

// ========================================================================================================== rows

// Rows of a PLY file, element by element: by columns if a binary row has a fixed size, row by row otherwise.

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
        if (!ply_array_reserve(r, tuples, n)) return SP_PLY_FAIL(r, "more properties of few cells than the file has room for");
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

static sp_status ply_rows(sp_ply *r, const sp_ply_element *e) {
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

// reserves the nodes of the edges when the reader reaches their element
static void begin_edges(sp_ply *r, const sp_ply_element *e) {
    sp_cells *c = r->w.cells;
    for (int i = 0; i < e->property_count; i++) {
        sp_ply_property *p = &r->properties[e->first_property + i];
        if (p->role == SP_PLY_END) p->int_out = c->nodes + r->corner_count + (strcmp(p->name, "vertex2") == 0);
    }
    for (int64_t i = 0; i < e->count; i++) {
        c->type[e->first_cell + i] = SP_CELL_LINE;
        c->start[e->first_cell + i + 1] = r->corner_count += 2;
    }
}

// builds the texture coordinates per corner; faces without a list have none
static sp_status settle_texcoords(sp_ply *r) {
    sp_cells *c = r->w.cells;
    if (!r->uv_start || !r->uv_count) return SP_OK;
    if (!SP_KEEP(&c->keep, c->corner_texcoords, c->start[c->cell_count])) return sp__cells_no_memory(c);
    int64_t uv = 0;
    for (int i = 0; i < c->cell_count; i++) {
        if (r->uv_start[i + 1] < uv) r->uv_start[i + 1] = uv;
        int64_t corners = c->start[i + 1] - c->start[i], numbers = r->uv_start[i + 1] - uv;
        if (numbers && numbers != 2 * corners)
            return SP_PLY_FAIL(r, "face %d has %lld texture coordinates, must have %lld", i, (long long)numbers,
                               2 * (long long)corners);
        for (int64_t k = 0; k < corners; k++) c->corner_texcoords[c->start[i] + k] = numbers ? (int)(uv / 2 + k) : -1;
        uv = r->uv_start[i + 1];
    }
    c->texcoords = r->uv;
    c->texcoord_count = (int)(uv / 2);
    return SP_OK;
}

// some files store colours in 0..255 as other types than bytes
static sp_status check_colors(sp_ply *r) {
    sp_cells *c = r->w.cells;
    double brightest = 0;
    for (size_t i = 0; c->colors && i < 4 * (size_t)c->node_count; i++) {
        if (!(c->colors[i] >= 0 && c->colors[i] <= 255))
            return SP_PLY_FAIL(r, "a colour of vertex %zu is %g, must be in [0, 1]", i / 4, c->colors[i]);
        if (c->colors[i] > brightest) brightest = c->colors[i];
    }
    for (size_t i = 0; brightest > 1 && i < 4 * (size_t)c->node_count; i++)
        if (i % 4 < 3 || c->colors[i] > 1) c->colors[i] /= 255;
    return SP_OK;
}

static sp_status check_end(sp_ply *r) {
    sp__words_space(&r->w);
    if (r->w.at == r->w.end) return SP_OK;
    return SP_PLY_FAIL(r, "%lld bytes are left after the last element", (long long)(r->w.end - r->w.at));
}

static sp_status ply_read(sp_cells *cells, const char *text, size_t size, const char *path) {
    (void)path;
    sp_ply r = {.w = sp__words(cells, text, size), .begin = text};
    SP_TRY(ply_header(&r));
    SP_TRY(ply_plan(&r));
    for (int i = 0; i < r.element_count; i++) {
        if (r.elements[i].kind == SP_PLY_EDGE) begin_edges(&r, &r.elements[i]);
        SP_TRY(ply_rows(&r, &r.elements[i]));
    }
    SP_TRY(check_end(&r));
    SP_TRY(check_colors(&r));
    SP_TRY(settle_texcoords(&r));
    return sp__members_from_arrays(cells);
}

// ======================================================================================================== writer

// Writer of PLY files: text or little-endian binary. A number is written as float if that is lossless, as double otherwise;
// colours are bytes if they came from bytes. An array of several components is written as a list of that length.

typedef struct sink {
    FILE *file;
    bool ascii, fresh;  // fresh: the line is still empty
} sink;

typedef struct column {  // an array as it is written
    const sp_cells_array *array;
    sp_number type;
} column;

typedef struct writer {
    const sp_cells *cells;
    sp_keep keep;
    sink to;
    const double *normals, *texcoords;
    sp_number x_type, normal_type, texcoord_type, color_type, count_type;
    column *columns;
    sp_members of_cells, of_nodes;
    sp_labels labels;
} writer;

static const char *const type_names[] = {"char", "uchar", "short", "ushort", "int", "uint", "int64", "uint64", "float", "double"};

// ------------------------------------------------------------------------------------------------ numbers

static void ply_write_put(sink *s, sp_number type, double value) {
    if (s->ascii) {
        if (!s->fresh) putc(' ', s->file);
        s->fresh = false;
        sp__words_put(s->file, value, 0);
        return;
    }
    unsigned char bytes[8];
    sp__numbers_put(&value, 1, type, SP_HOST_BIG, bytes);
    fwrite(bytes, 1, sp__number_size(type), s->file);
}

static void end_row(sink *s) {
    if (s->ascii) putc('\n', s->file);
    s->fresh = true;
}

// ------------------------------------------------------------------------------------------------ columns

static void put_name(FILE *file, const char *name) {
    for (; *name; name++) putc((unsigned char)*name <= ' ' ? '_' : *name, file);
}

static void declare(const writer *w, bool on_cells) {
    for (int i = 0; i < w->cells->array_count; i++) {
        const sp_cells_array *a = w->columns[i].array;
        if (a->on_cells != on_cells) continue;
        fprintf(w->to.file, "property %s%s ", a->components > 1 ? "list uchar " : "", type_names[w->columns[i].type]);
        put_name(w->to.file, a->name);
        putc('\n', w->to.file);
    }
    for (int l = 0; l < w->labels.count; l++) {
        if (!(on_cells ? w->labels.on_cells : w->labels.on_nodes)[l]) continue;
        fputs("property int " SP_GROUP_PREFIX, w->to.file);
        put_name(w->to.file, w->labels.names[l]);
        putc('\n', w->to.file);
    }
}

static void put_columns(writer *w, bool on_cells, size_t place) {
    const sp_members *m = on_cells ? &w->of_cells : &w->of_nodes;
    for (int i = 0; i < w->cells->array_count; i++) {
        const sp_cells_array *a = w->columns[i].array;
        if (a->on_cells != on_cells) continue;
        if (a->components > 1) ply_write_put(&w->to, SP_UINT8, a->components);
        for (int k = 0; k < a->components; k++)
            ply_write_put(&w->to, w->columns[i].type, a->values[place * (size_t)a->components + (size_t)k]);
    }
    for (int l = 0; l < w->labels.count; l++) {
        if (!(on_cells ? w->labels.on_cells : w->labels.on_nodes)[l]) continue;
        double mark = sp__label_mark(w->cells, &w->labels, m, l, place);
        ply_write_put(&w->to, SP_INT32, mark <= INT32_MAX ? mark : -1);
    }
}

static sp_number fit(const double *values, size_t n, bool integral) {
    sp_number type = sp__numbers_fit(values, n, integral, false);
    return type == SP_INT64 ? SP_FLOAT64 : type;  // PLY has no 64-bit integers; the values are doubles here as well
}

static bool ply_write_plan(writer *w) {
    const sp_cells *c = w->cells;
    size_t nodes = (size_t)c->node_count, widest = 0;
    if (!SP_KEEP(&w->keep, w->columns, c->array_count) || !sp__members(c, true, &w->keep, &w->of_cells) ||
        !sp__members(c, false, &w->keep, &w->of_nodes) || !sp__labels(c, &w->keep, &w->labels) ||
        !sp__corners_per_node(c, c->normals, c->corner_normals, 3, &w->keep, &w->normals) ||
        !sp__corners_per_node(c, c->texcoords, c->corner_texcoords, 2, &w->keep, &w->texcoords))
        return false;
    for (int i = 0; i < c->array_count; i++) {
        const sp_cells_array *a = &c->arrays[i];
        size_t n = (size_t)a->components * (size_t)(a->on_cells ? c->cell_count : c->node_count);
        w->columns[i] = (column){a, fit(a->values, n, a->integral)};
    }
    for (int i = 0; i < c->cell_count; i++) {
        size_t n = (size_t)(c->start[i + 1] - c->start[i]);
        if (n > widest) widest = n;
    }
    w->count_type = widest <= UINT8_MAX / 2 ? SP_UINT8 : SP_INT32;
    w->x_type = fit(c->x, 3 * nodes, false);
    w->normal_type = w->normals ? fit(w->normals, 3 * nodes, false) : SP_FLOAT32;
    w->texcoord_type = c->texcoords ? fit(c->texcoords, 2 * (size_t)c->texcoord_count, false) : SP_FLOAT32;
    if (c->colors) w->color_type = fit(c->colors, 4 * nodes, false);
    bool bytes = c->colors != NULL;
    for (size_t i = 0; bytes && i < 4 * nodes; i++) bytes = round(c->colors[i] * 255) / 255 == c->colors[i];
    if (bytes) w->color_type = SP_UINT8;
    if (c->normals && !w->normals)
        sp__log(c->ctx, SP_LOG_WARNING, "%s: normals that differ between the faces of a vertex are not written", c->file);
    return true;
}

// ------------------------------------------------------------------------------------------------ vertices

static void declare_vertices(writer *w) {
    FILE *f = w->to.file;
    const char *x = type_names[w->x_type], *n = type_names[w->normal_type], *t = type_names[w->texcoord_type];
    const char *c = type_names[w->color_type];
    fprintf(f, "element vertex %d\nproperty %s x\nproperty %s y\nproperty %s z\n", w->cells->node_count, x, x, x);
    if (w->normals) fprintf(f, "property %s nx\nproperty %s ny\nproperty %s nz\n", n, n, n);
    if (w->texcoords) fprintf(f, "property %s texture_u\nproperty %s texture_v\n", t, t);
    if (w->cells->colors) fprintf(f, "property %s red\nproperty %s green\nproperty %s blue\nproperty %s alpha\n", c, c, c, c);
    declare(w, false);
}

static void put_vertices(writer *w) {
    const sp_cells *c = w->cells;
    for (size_t i = 0; i < (size_t)c->node_count; i++) {
        for (size_t k = 0; k < 3; k++) ply_write_put(&w->to, w->x_type, c->x[3 * i + k]);
        for (size_t k = 0; w->normals && k < 3; k++) ply_write_put(&w->to, w->normal_type, w->normals[3 * i + k]);
        for (size_t k = 0; w->texcoords && k < 2; k++) ply_write_put(&w->to, w->texcoord_type, w->texcoords[2 * i + k]);
        for (size_t k = 0; c->colors && k < 4; k++)
            ply_write_put(&w->to, w->color_type,
                          w->color_type == SP_UINT8 ? round(c->colors[4 * i + k] * 255) : c->colors[4 * i + k]);
        put_columns(w, false, i);
        end_row(&w->to);
    }
}

// ------------------------------------------------------------------------------------------------ cells

// the element that a cell is written to; point cells are not written
static sp_ply_kind kind_of(const sp_cells *c, int i) {
    switch (c->type[i]) {
    case SP_CELL_LINE: return SP_PLY_EDGE;
    case SP_CELL_TRIANGLE:
    case SP_CELL_QUAD:
    case SP_CELL_POLYGON:
    case SP_CELL_TRIANGLE6: return SP_PLY_FACE;
    case SP_CELL_TET:
    case SP_CELL_TET10: return SP_PLY_TET;
    default: return SP_PLY_OTHER;
    }
}

static void declare_cells(writer *w, sp_ply_kind kind, int count) {
    FILE *f = w->to.file;
    const char *names[] = {[SP_PLY_FACE] = "face", [SP_PLY_TET] = "tet", [SP_PLY_EDGE] = "edge"};
    if (!count && kind != SP_PLY_FACE) return;
    fprintf(f, "element %s %d\n", names[kind], count);
    if (kind == SP_PLY_EDGE)
        fputs("property int vertex1\nproperty int vertex2\n", f);
    else
        fprintf(f, "property list %s int vertex_indices\n", type_names[w->count_type]);
    if (kind == SP_PLY_FACE && w->cells->texcoords && !w->texcoords)
        fprintf(f, "property list %s %s texcoord\n", type_names[w->count_type], type_names[w->texcoord_type]);
    declare(w, true);
}

static void put_texcoords(writer *w, int i, int corners) {
    const sp_cells *c = w->cells;
    bool all = true;
    for (int k = 0; k < corners; k++) all = all && c->corner_texcoords[c->start[i] + k] >= 0;
    ply_write_put(&w->to, w->count_type, all ? 2 * corners : 0);
    for (int k = 0; all && k < 2 * corners; k++)
        ply_write_put(&w->to, w->texcoord_type,
                      c->texcoords[2 * (size_t)c->corner_texcoords[c->start[i] + k / 2] + (size_t)(k % 2)]);
}

static void put_cells(writer *w, sp_ply_kind kind) {
    const sp_cells *c = w->cells;
    for (int i = 0; i < c->cell_count; i++) {
        if (kind_of(c, i) != kind) continue;
        int corners = sp__cell_corners(c->type[i]);
        if (!corners) corners = (int)(c->start[i + 1] - c->start[i]);
        if (kind != SP_PLY_EDGE) ply_write_put(&w->to, w->count_type, corners);
        for (int k = 0; k < corners; k++) ply_write_put(&w->to, SP_INT32, c->nodes[c->start[i] + k]);
        if (kind == SP_PLY_FACE && c->texcoords && !w->texcoords) put_texcoords(w, i, corners);
        put_columns(w, true, (size_t)i);
        end_row(&w->to);
    }
}

static void write_all(writer *w) {
    static const sp_ply_kind kinds[] = {SP_PLY_FACE, SP_PLY_TET, SP_PLY_EDGE};
    int count[SP_PLY_EDGE + 1] = {0};
    for (int i = 0; i < w->cells->cell_count; i++) count[kind_of(w->cells, i)]++;
    if (count[SP_PLY_OTHER])
        sp__log(w->cells->ctx, SP_LOG_WARNING, "%s: %d cells that a PLY file does not hold are not written", w->cells->file,
                count[SP_PLY_OTHER]);
    fprintf(w->to.file, "ply\nformat %s 1.0\ncomment written by souple\n", w->to.ascii ? "ascii" : "binary_little_endian");
    declare_vertices(w);
    for (int k = 0; k < 3; k++) declare_cells(w, kinds[k], count[kinds[k]]);
    fputs("end_header\n", w->to.file);
    put_vertices(w);
    for (int k = 0; k < 3; k++) put_cells(w, kinds[k]);
}

static sp_status ply_write(const sp_cells *cells, const char *path, const sp_mesh_write_options *options) {
    writer w = {.cells = cells, .keep = {cells->ctx, NULL}};
    sp_new_file file;
    sp_status status = ply_write_plan(&w) ? SP_OK : sp__cells_no_memory(cells);
    if (status >= 0) status = sp__new_file_open(cells->ctx, path, &file);
    if (status >= 0) {
        w.to = (sink){file.stream, options->encoding == SP_ENCODING_ASCII, true};
        write_all(&w);
        status = sp__new_file_close(&file, true);
    }
    sp__keep_free(&w.keep);
    return status;
}

// ======================================================================================================== format

static bool ply_knows(const char *head, size_t size) {
    return size >= 4 && memcmp(head, "ply", 3) == 0 && (head[3] == '\n' || head[3] == '\r' || head[3] == ' ');
}

const sp_mesh_format sp__format_ply = {"ply", ".ply", "PLY", ply_knows, ply_read, ply_write};
