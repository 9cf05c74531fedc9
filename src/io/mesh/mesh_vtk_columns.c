// The contents of an sp_cells as columns of numbers, for both VTK writers: points, cells and arrays, including normals, texture
// coordinates, colours, ids and groups. Columns that are not stored are computed piece by piece, so that many groups on many
// cells need no memory beyond their members.
#include <limits.h>

#include "io/mesh/mesh_corners.h"
#include "io/mesh/mesh_vtk.h"

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
