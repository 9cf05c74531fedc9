// The grid of VTK's two file formats: from VTK's cells and arrays to sp_cells, and from sp_cells to the columns that are written.
#include "io/mesh/mesh_vtk.h"

#include <limits.h>

// ======================================================================================================= reading

// Conversion of a VTK grid to sp_cells. Compound cells (strips, polylines, sets of vertices) are split, and the parts share the
// data of their cell. Pixels and voxels are reordered to quadrilaterals and hexahedra. Arrays with a meaning (normals, texture
// coordinates, colours, ids, groups) go to their fields, the others stay arrays.

enum { POLY_VERTEX = 2, POLY_LINE = 4, STRIP = 6, PIXEL = 8, VOXEL = 11 };

// our cell type of a VTK cell type, SP_CELL_OTHER if there is none
static int kind_of(int vtk_type, int64_t nodes) {
    switch (vtk_type) {
    case 1:
    case POLY_VERTEX: return SP_CELL_POINT;
    case 3:
    case POLY_LINE: return SP_CELL_LINE;
    case 5:
    case STRIP: return SP_CELL_TRIANGLE;
    case 7: return nodes == 3 ? SP_CELL_TRIANGLE : nodes == 4 ? SP_CELL_QUAD : SP_CELL_POLYGON;
    case PIXEL:
    case 9: return SP_CELL_QUAD;
    case 10: return SP_CELL_TET;
    case VOXEL:
    case 12: return SP_CELL_HEX;
    case 13: return SP_CELL_WEDGE;
    case 14: return SP_CELL_PYRAMID;
    case 21: return SP_CELL_LINE3;
    case 22: return SP_CELL_TRIANGLE6;
    case 24: return SP_CELL_TET10;
    default: return SP_CELL_OTHER;
    }
}

unsigned char sp__vtk_poly_type(int kind, int64_t n) {
    static const unsigned char one[] = {1, 3, 7, STRIP}, many[] = {POLY_VERTEX, POLY_LINE, 7, STRIP};
    return kind < 2 && n == kind + 1 ? one[kind] : many[kind];
}

sp_vtk_array *sp__vtk_add_array(sp_vtk_grid *g, const char *name, bool on_cells, int components, sp_number type) {
    sp_keep *keep = &g->cells->keep;
    size_t tuples = (size_t)(on_cells ? g->lists.count : g->cells->node_count);
    if (!SP_LIST_ROOM(keep, g->arrays, g->array_count, &g->array_capacity)) return NULL;
    sp_vtk_array *a = &g->arrays[g->array_count];
    *a = (sp_vtk_array){.name = name, .components = components, .on_cells = on_cells, .type = type};
    if (!SP_KEEP(keep, a->values, tuples * (size_t)components)) return NULL;
    g->array_count++;
    return a;
}

// ------------------------------------------------------------------------------------------------ cells

// number of our cells that one VTK cell becomes
static int64_t parts_of(int vtk_type, int64_t nodes) {
    if (vtk_type == POLY_VERTEX) return nodes;
    if (vtk_type == POLY_LINE) return nodes - 1;
    if (vtk_type == STRIP) return nodes - 2;
    return 1;
}

static sp_status check_nodes(sp_vtk_grid *g, int64_t i, int64_t n) {
    int type = g->type[i], kind = kind_of(type, n), needs = sp__cell_nodes(kind);
    bool apart = type == POLY_VERTEX || type == POLY_LINE || type == STRIP;
    int64_t least = apart ? type == STRIP ? 3 : type == POLY_LINE ? 2 : 1 : kind == SP_CELL_POLYGON ? 3 : 0;
    if (n < least || (!apart && needs && n != needs))
        return SP_CELLS_FAIL(g->cells, g->line, g->offset, "cell %lld of type %d has %lld nodes, must have %lld%s", (long long)i,
                             type, (long long)n, (long long)(apart || !needs ? least : needs),
                             apart || !needs ? " at least" : "");
    return SP_OK;
}

static void reorder(int type, int *nodes) {
    int swap = nodes[2];
    if (type != PIXEL && type != VOXEL) return;
    nodes[2] = nodes[3], nodes[3] = swap;
    if (type == PIXEL) return;
    swap = nodes[6], nodes[6] = nodes[7], nodes[7] = swap;
}

// one part of a compound cell; every second triangle of a strip is reversed
static int take_part(int type, const int *nodes, int64_t part, int *out) {
    int n = type == POLY_VERTEX ? 1 : type == POLY_LINE ? 2 : 3;
    for (int k = 0; k < n; k++) out[k] = nodes[part + k];
    if (type == STRIP && part % 2) out[0] = nodes[part + 1], out[1] = nodes[part];
    return n;
}

static sp_status take_apart(sp_vtk_grid *g, int64_t parts, int64_t corners, int **from) {
    sp_cells *c = g->cells;
    if (parts > INT_MAX / 4)
        return SP_CELLS_FAIL(c, g->line, g->offset, "%lld cells, at most %d are allowed", (long long)parts, INT_MAX / 4);
    if (!sp__cells_reserve(c, (int)parts, corners) || !SP_KEEP(&c->keep, *from, parts)) return sp__cells_no_memory(c);
    int64_t at = 0, corner = 0;
    for (int64_t i = 0; i < g->lists.count; i++) {
        const int *nodes = g->lists.nodes + g->lists.start[i];
        int64_t n = g->lists.start[i + 1] - g->lists.start[i], in_parts = parts_of(g->type[i], n);
        bool apart = g->type[i] == POLY_VERTEX || g->type[i] == POLY_LINE || g->type[i] == STRIP;
        for (int64_t p = 0; p < in_parts; p++) {
            c->type[at] = (unsigned char)kind_of(g->type[i], n);
            (*from)[at] = (int)i;
            if (apart) {
                corner += take_part(g->type[i], nodes, p, c->nodes + corner);
            } else {
                memcpy(c->nodes + corner, nodes, (size_t)n * sizeof *nodes);
                corner += n;
            }
            c->start[++at] = corner;
        }
    }
    return SP_OK;
}

static sp_status settle_cells(sp_vtk_grid *g, int **from) {
    sp_cells *c = g->cells;
    int64_t parts = 0, corners = 0;
    *from = NULL;
    for (int64_t i = 0; i < g->lists.count; i++) {
        int64_t n = g->lists.start[i + 1] - g->lists.start[i], in_parts = parts_of(g->type[i], n);
        SP_TRY(check_nodes(g, i, n));
        reorder(g->type[i], g->lists.nodes + g->lists.start[i]);
        parts += in_parts;
        bool apart = g->type[i] == POLY_LINE || g->type[i] == STRIP;
        corners += apart ? in_parts * (g->type[i] == STRIP ? 3 : 2) : n;
    }
    bool any = false;
    for (int64_t i = 0; i < g->lists.count && !any; i++)
        any = g->type[i] == POLY_VERTEX || g->type[i] == POLY_LINE || g->type[i] == STRIP;
    if (any) return take_apart(g, parts, corners, from);
    c->cell_count = (int)g->lists.count;
    c->start = g->lists.start;
    c->nodes = g->lists.nodes;
    c->type = g->type;
    for (int i = 0; i < c->cell_count; i++) c->type[i] = (unsigned char)kind_of(g->type[i], c->start[i + 1] - c->start[i]);
    return SP_OK;
}

// ------------------------------------------------------------------------------------------------ arrays

static bool vtk_grid_finite(const sp_vtk_array *a, size_t tuples) {
    for (size_t i = 0; i < tuples * (size_t)a->components; i++)
        if (!isfinite(a->values[i])) return false;
    return true;
}

static bool take_ids(sp_vtk_grid *g, const sp_vtk_array *a) {
    sp_cells *c = g->cells;
    size_t n = (size_t)(a->on_cells ? c->cell_count : c->node_count);
    int64_t **ids = a->on_cells ? &c->cell_ids : &c->node_ids;
    if (*ids || !SP_KEEP(&c->keep, *ids, n)) return *ids != NULL;
    for (size_t i = 0; i < n; i++) (*ids)[i] = (int64_t)a->values[i];
    return true;
}

// the first three or four components as red, green, blue and opacity
static bool take_colors(sp_vtk_grid *g, const sp_vtk_array *a) {
    sp_cells *c = g->cells;
    double over = sp__number_integral(a->type) ? 255 : 1;
    if (!SP_KEEP(&c->keep, c->colors, 4 * (size_t)c->node_count)) return false;
    for (size_t i = 0; i < (size_t)c->node_count; i++)
        for (int k = 0; k < 4; k++)
            c->colors[4 * i + (size_t)k] = k < a->components ? a->values[i * (size_t)a->components + (size_t)k] / over : 1;
    return true;
}

static bool take_texcoords(sp_vtk_grid *g, const sp_vtk_array *a) {
    sp_cells *c = g->cells;
    if (!SP_KEEP(&c->keep, c->texcoords, 2 * (size_t)c->node_count)) return false;
    for (size_t i = 0; i < (size_t)c->node_count; i++)
        for (int k = 0; k < 2; k++)
            c->texcoords[2 * i + (size_t)k] = k < a->components ? a->values[i * (size_t)a->components + (size_t)k] : 0;
    c->texcoord_count = c->node_count;
    return true;
}

static bool in_range(const sp_vtk_array *a, size_t tuples, double low, double high) {
    for (size_t i = 0; i < tuples * (size_t)a->components; i++)
        if (!(a->values[i] >= low && a->values[i] <= high)) return false;
    return true;
}

// the role of an array, if its components and values allow it
static sp_vtk_role meaning(const sp_vtk_grid *g, const sp_vtk_array *a) {
    const sp_cells *c = g->cells;
    size_t nodes = (size_t)c->node_count, tuples = a->on_cells ? (size_t)g->lists.count : nodes;
    bool bytes = sp__number_integral(a->type);
    bool color = a->role == SP_VTK_COLORS || strcmp(a->name, SP_VTK_COLOR_NAME) == 0;
    if (a->role == SP_VTK_IDS && a->components == 1 && bytes && in_range(a, tuples, 0, 9007199254740992.0)) return SP_VTK_IDS;
    if (a->on_cells) return SP_VTK_PLAIN;
    if (a->role == SP_VTK_NORMALS && a->components == 3 && !c->normals && vtk_grid_finite(a, nodes)) return SP_VTK_NORMALS;
    if (a->role == SP_VTK_TEXCOORDS && a->components <= 3 && !c->texcoords && vtk_grid_finite(a, nodes)) return SP_VTK_TEXCOORDS;
    if (color && (a->components == 3 || a->components == 4) && !c->colors && in_range(a, nodes, 0, bytes ? 255 : 1))
        return SP_VTK_COLORS;
    return SP_VTK_PLAIN;
}

// copies the data of a cell to each of its parts
static bool vtk_grid_spread(sp_vtk_grid *g, sp_vtk_array *a, const int *from) {
    size_t n = (size_t)a->components;
    double *values;
    if (!from || !a->on_cells) return true;
    if (!SP_KEEP(&g->cells->keep, values, n * (size_t)g->cells->cell_count)) return false;
    for (size_t i = 0; i < (size_t)g->cells->cell_count; i++)
        memcpy(values + n * i, a->values + n * (size_t)from[i], n * sizeof *values);
    a->values = values;
    return true;
}

static bool take_array(sp_vtk_grid *g, sp_vtk_array *a, const int *from) {
    sp_cells *c = g->cells;
    sp_vtk_role role = meaning(g, a);
    if (!vtk_grid_spread(g, a, from)) return false;
    switch (role) {
    case SP_VTK_IDS:
        if (from && a->on_cells) return true;  // parts would share the id of their cell
        return take_ids(g, a);
    case SP_VTK_TEXCOORDS: return take_texcoords(g, a);
    case SP_VTK_COLORS: return take_colors(g, a);
    case SP_VTK_NORMALS:
        c->normals = a->values;
        c->normal_count = c->node_count;
        return true;
    default: break;
    }
    if (a->components > 9)
        sp__log(c->ctx, SP_LOG_WARNING, "%s: array '%s' of %d components is left out, at most 9 are kept", c->file, a->name,
                a->components);
    else
        c->arrays[c->array_count++] =
            (sp_cells_array){a->name, a->components, a->on_cells, sp__number_integral(a->type), a->values};
    return true;
}

sp_status sp__vtk_settle(sp_vtk_grid *g) {
    sp_cells *c = g->cells;
    int *from;
    SP_TRY(settle_cells(g, &from));
    if (!SP_KEEP(&c->keep, c->arrays, g->array_count)) return sp__cells_no_memory(c);
    for (int i = 0; i < g->array_count; i++)
        if (!take_array(g, &g->arrays[i], from)) return sp__cells_no_memory(c);
    return sp__members_from_arrays(c);
}

// ======================================================================================================= writing

// The contents of an sp_cells as columns of numbers, for both VTK writers: points, cells and arrays, including normals, texture
// coordinates, colours, ids and groups. Columns that are not stored are computed piece by piece, so that many groups on many
// cells need no memory beyond their members.

// VTK's number of each cell type; 0: none
static const unsigned char vtk_types[] = {
    [SP_CELL_POINT] = 1,      [SP_CELL_LINE] = 3,     [SP_CELL_TRIANGLE] = 5, [SP_CELL_QUAD] = 9, [SP_CELL_POLYGON] = 7,
    [SP_CELL_TET] = 10,       [SP_CELL_PYRAMID] = 14, [SP_CELL_WEDGE] = 13,   [SP_CELL_HEX] = 12, [SP_CELL_LINE3] = 21,
    [SP_CELL_TRIANGLE6] = 22, [SP_CELL_TET10] = 24,   [SP_CELL_OTHER] = 0};

// ------------------------------------------------------------------------------------------------ cells

static sp_status keep_cells(sp_vtk_columns *out) {
    const sp_cells *c = out->cells;
    for (int i = 0; i < c->cell_count; i++) out->cell_count += vtk_types[c->type[i]] != 0;
    out->start = c->start;
    if (out->cell_count == c->cell_count) return SP_OK;
    sp__log(c->ctx, SP_LOG_WARNING, "%s: %d cells of other kinds are not written", c->file, c->cell_count - out->cell_count);
    if (!SP_KEEP(&out->keep, out->kept, out->cell_count) || !SP_KEEP(&out->keep, out->start, (size_t)out->cell_count + 1))
        return sp__cells_no_memory(c);
    int at = 0;
    for (int i = 0; i < c->cell_count; i++) {
        if (!vtk_types[c->type[i]]) continue;
        out->kept[at] = i;
        out->start[at + 1] = out->start[at] + c->start[i + 1] - c->start[i];
        at++;
    }
    return SP_OK;
}

static int cell_at(const sp_vtk_columns *c, int64_t i) {
    return c->kept ? c->kept[i] : (int)i;
}

// ------------------------------------------------------------------------------------------------ column values

// the kept cell that a corner belongs to
static int64_t cell_of_corner(const sp_vtk_columns *c, int64_t corner) {
    int64_t low = 0, high = c->cell_count;
    while (high - low > 1) {
        int64_t middle = (low + high) / 2;
        if (c->start[middle] <= corner)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static void get_corners(const sp_vtk_columns *c, int64_t first, int64_t n, double *out) {
    const sp_cells *from = c->cells;
    if (!c->kept) {
        for (int64_t i = 0; i < n; i++) out[i] = from->nodes[first + i];
        return;
    }
    int64_t cell = n ? cell_of_corner(c, first) : 0;
    for (int64_t i = 0; i < n; i++) {
        while (c->start[cell + 1] <= first + i) cell++;
        out[i] = from->nodes[from->start[c->kept[cell]] + first + i - c->start[cell]];
    }
}

static void get_marks(const sp_vtk_columns *c, const sp_vtk_column *column, int64_t first, int64_t n, double *out) {
    bool on_cells = column->place == SP_VTK_CELL_DATA;
    for (int64_t i = 0; i < n; i++) {
        size_t place = (size_t)(on_cells ? cell_at(c, first + i) : first + i);
        out[i] = sp__label_mark(c->cells, &c->labels, on_cells ? &c->of_cells : &c->of_nodes, column->label, place);
    }
}

static void get_values(const sp_vtk_columns *c, const sp_vtk_column *column, int64_t first, int64_t n, double *out) {
    if (column->role == SP_VTK_COLORS && column->type == SP_UINT8) {
        for (int64_t i = 0; i < n; i++) out[i] = round(column->values[first + i] * 255);
        return;
    }
    if (!c->kept || column->place != SP_VTK_CELL_DATA) {
        memcpy(out, column->values + first, (size_t)n * sizeof *out);
        return;
    }
    for (int64_t i = 0; i < n; i++)
        out[i] = column->values[(int64_t)cell_at(c, (first + i) / column->components) * column->components +
                                (first + i) % column->components];
}

void sp__vtk_column_get(const sp_vtk_columns *c, const sp_vtk_column *column, int64_t first, int64_t n, double *out) {
    const sp_cells *from = c->cells;
    const int64_t *ids = column->place == SP_VTK_CELL_DATA ? from->cell_ids : from->node_ids;
    if (column->place == SP_VTK_CONNECTIVITY) {
        get_corners(c, first, n, out);
    } else if (column->place == SP_VTK_OFFSETS) {
        for (int64_t i = 0; i < n; i++) out[i] = (double)c->start[first + i + 1];
    } else if (column->place == SP_VTK_TYPES) {
        for (int64_t i = 0; i < n; i++) out[i] = vtk_types[from->type[cell_at(c, first + i)]];
    } else if (column->label >= 0) {
        get_marks(c, column, first, n, out);
    } else if (column->role == SP_VTK_IDS) {
        for (int64_t i = 0; i < n; i++)
            out[i] = (double)ids[column->place == SP_VTK_CELL_DATA ? cell_at(c, first + i) : first + i];
    } else {
        get_values(c, column, first, n, out);
    }
}

// ------------------------------------------------------------------------------------------------ list of columns

static sp_vtk_column *vtk_columns_add(sp_vtk_columns *out, const char *name, sp_vtk_place place, sp_number type, int components,
                                      int64_t tuples) {
    sp_vtk_column *column = &out->list[out->count++];
    *column =
        (sp_vtk_column){.name = name, .place = place, .type = type, .components = components, .tuples = tuples, .label = -1};
    return column;
}

static void add_values(sp_vtk_columns *out, const char *name, sp_vtk_place place, sp_vtk_role role, int components, bool integral,
                       const double *values) {
    bool on_cells = place == SP_VTK_CELL_DATA;
    size_t n = (size_t)components * (size_t)(on_cells ? out->cells->cell_count : out->cells->node_count);
    sp_number type = sp__numbers_fit(values, n, integral, false);
    sp_vtk_column *column =
        vtk_columns_add(out, name, place, type, components, on_cells ? out->cell_count : out->cells->node_count);
    column->role = role;
    column->values = values;
}

static void add_ids(sp_vtk_columns *out, bool on_cells) {
    const int64_t *ids = on_cells ? out->cells->cell_ids : out->cells->node_ids;
    int64_t n = on_cells ? out->cells->cell_count : out->cells->node_count, high = 0;
    bool usual = true;
    for (int64_t i = 0; ids && i < n; i++) {
        usual = usual && ids[i] == i;
        if (ids[i] > high) high = ids[i];
        if (ids[i] < 0 || ids[i] > INT64_C(9007199254740992)) return;  // beyond the limit of the reader (2^53)
    }
    if (!ids || usual) return;
    sp_vtk_column *column =
        vtk_columns_add(out, on_cells ? SP_VTK_CELL_IDS : SP_VTK_NODE_IDS, on_cells ? SP_VTK_CELL_DATA : SP_VTK_POINT_DATA,
                        high <= INT32_MAX ? SP_INT32 : SP_INT64, 1, on_cells ? out->cell_count : n);
    column->role = SP_VTK_IDS;
}

static void add_groups(sp_vtk_columns *out, bool on_cells, const char *const *names) {
    const sp_cells *c = out->cells;
    for (int l = 0; l < out->labels.count; l++) {
        if (!(on_cells ? out->labels.on_cells : out->labels.on_nodes)[l]) continue;
        double high = 0;
        for (int g = 0; g < c->group_count; g++)
            if (out->labels.of_group[g] == l && sp__members_mark(&c->groups[g]) > high) high = sp__members_mark(&c->groups[g]);
        sp_number type = high <= INT8_MAX ? SP_INT8 : high <= INT32_MAX ? SP_INT32 : SP_INT64;
        vtk_columns_add(out, names[l], on_cells ? SP_VTK_CELL_DATA : SP_VTK_POINT_DATA, type, 1,
                        on_cells ? out->cell_count : c->node_count)
            ->label = l;
    }
}

static const char **group_names(sp_vtk_columns *out) {
    const char **names;
    if (!SP_KEEP(&out->keep, names, out->labels.count)) return NULL;
    for (int l = 0; l < out->labels.count; l++) {
        size_t n = strlen(out->labels.names[l]) + sizeof SP_GROUP_PREFIX;
        char *name = sp__keep_alloc(&out->keep, n, 1);
        if (!name) return NULL;
        memcpy(name, SP_GROUP_PREFIX, sizeof SP_GROUP_PREFIX - 1);
        memcpy(name + sizeof SP_GROUP_PREFIX - 1, out->labels.names[l], n - sizeof SP_GROUP_PREFIX + 1);
        names[l] = name;
    }
    return names;
}

static void add_colors(sp_vtk_columns *out) {
    const sp_cells *c = out->cells;
    if (!c->colors) return;
    add_values(out, SP_VTK_COLOR_NAME, SP_VTK_POINT_DATA, SP_VTK_COLORS, 4, false, c->colors);
    bool bytes = true;
    for (size_t i = 0; i < 4 * (size_t)c->node_count && bytes; i++) bytes = round(c->colors[i] * 255) / 255 == c->colors[i];
    if (bytes) out->list[out->count - 1].type = SP_UINT8;
}

static void add_data(sp_vtk_columns *out, bool on_cells, const double *normals, const double *texcoords,
                     const char *const *names) {
    const sp_cells *c = out->cells;
    sp_vtk_place place = on_cells ? SP_VTK_CELL_DATA : SP_VTK_POINT_DATA;
    if (!on_cells && normals) add_values(out, "normals", place, SP_VTK_NORMALS, 3, false, normals);
    if (!on_cells && texcoords) add_values(out, "texcoords", place, SP_VTK_TEXCOORDS, 2, false, texcoords);
    if (!on_cells) add_colors(out);
    add_ids(out, on_cells);
    for (int i = 0; i < c->array_count; i++) {
        const sp_cells_array *a = &c->arrays[i];
        if (a->on_cells == on_cells) add_values(out, a->name, place, SP_VTK_PLAIN, a->components, a->integral, a->values);
    }
    add_groups(out, on_cells, names);
}

sp_status sp__vtk_columns(const sp_cells *cells, sp_vtk_columns *out) {
    const double *normals, *texcoords;
    *out = (sp_vtk_columns){.cells = cells, .keep = {cells->ctx, NULL}};
    SP_TRY(keep_cells(out));
    const char **names = NULL;
    bool good = sp__members(cells, true, &out->keep, &out->of_cells) && sp__members(cells, false, &out->keep, &out->of_nodes) &&
                sp__labels(cells, &out->keep, &out->labels) && (names = group_names(out)) &&
                sp__corners_per_node(cells, cells->normals, cells->corner_normals, 3, &out->keep, &normals) &&
                sp__corners_per_node(cells, cells->texcoords, cells->corner_texcoords, 2, &out->keep, &texcoords) &&
                SP_KEEP(&out->keep, out->list, 16 + (size_t)cells->array_count + 2 * (size_t)cells->group_count);
    if (!good) return sp__cells_no_memory(cells);
    if ((cells->normals && !normals) || (cells->texcoords && !texcoords))
        sp__log(
            cells->ctx, SP_LOG_WARNING,
            "%s: VTK keeps normals and texture coordinates per point: where the faces of a point differ, they are not written",
            cells->file);
    int64_t corners = out->cell_count ? out->start[out->cell_count] : 0;
    sp_vtk_column *points =
        vtk_columns_add(out, "Points", SP_VTK_POINTS, sp__numbers_fit(cells->x, 3 * (size_t)cells->node_count, false, false), 3,
                        cells->node_count);
    points->values = cells->x;
    vtk_columns_add(out, "connectivity", SP_VTK_CONNECTIVITY, SP_INT32, 1, corners);
    vtk_columns_add(out, "offsets", SP_VTK_OFFSETS, corners <= INT32_MAX ? SP_INT32 : SP_INT64, 1, out->cell_count);
    vtk_columns_add(out, "types", SP_VTK_TYPES, SP_UINT8, 1, out->cell_count);
    add_data(out, false, normals, texcoords, names);
    add_data(out, true, normals, texcoords, names);
    return SP_OK;
}
