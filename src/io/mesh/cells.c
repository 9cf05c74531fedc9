// sp_cells: creation, destruction, error messages, the table of cell types, subdivision of cells, and groups as arrays.
#include "io/mesh/cells.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "io/mesh/mesh_tokens.h"

void sp__cells_init(sp_context *ctx, const char *file, sp_cells *cells) {
    *cells = (sp_cells){.ctx = ctx, .file = file, .keep = {ctx, NULL}};
}

void sp__cells_free(sp_cells *cells) {
    if (!cells->ctx) return;
    sp__keep_free(&cells->keep);
    sp__cells_init(cells->ctx, "", cells);
}

sp_status sp__cells_no_memory(const sp_cells *cells) {
    return SP_FAIL(cells->ctx, SP_NO_MEMORY, "%s: no memory for the mesh", cells->file);
}

bool sp__cells_reserve_nodes(sp_cells *cells, int node_count) {
    if (!SP_KEEP(&cells->keep, cells->x, 3 * (size_t)node_count)) return false;
    cells->node_count = node_count;
    return true;
}

bool sp__cells_reserve(sp_cells *cells, int cell_count, int64_t corner_count) {
    if (!SP_KEEP(&cells->keep, cells->type, cell_count) || !SP_KEEP(&cells->keep, cells->start, (size_t)cell_count + 1) ||
        !SP_KEEP(&cells->keep, cells->nodes, corner_count))
        return false;
    cells->cell_count = cell_count;
    return true;
}

sp_status sp__cells_fail(sp_cells *cells, int line, int64_t offset, int source_line, const char *format, ...) {
    char text[320];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    sp_context *ctx = cells->ctx;
    if (line > 0) return sp__context_fail(ctx, SP_BAD_INPUT, __FILE__, source_line, "%s:%d: %s", cells->file, line, text);
    if (offset >= 0)
        return sp__context_fail(ctx, SP_BAD_INPUT, __FILE__, source_line, "%s: at byte %lld: %s", cells->file, (long long)offset,
                                text);
    return sp__context_fail(ctx, SP_BAD_INPUT, __FILE__, source_line, "%s: %s", cells->file, text);
}

// ------------------------------------------------------------------------------------------------ cell types

static const struct {
    const char *name;
    int dimension, corners, nodes;
} kinds[] = {
    [SP_CELL_POINT] = {"points", 0, 1, 1},
    [SP_CELL_LINE] = {"lines", 1, 2, 2},
    [SP_CELL_TRIANGLE] = {"triangles", 2, 3, 3},
    [SP_CELL_QUAD] = {"quadrangles", 2, 4, 4},
    [SP_CELL_POLYGON] = {"polygons", 2, 0, 0},
    [SP_CELL_TET] = {"tetrahedra", 3, 4, 4},
    [SP_CELL_PYRAMID] = {"pyramids", 3, 5, 5},
    [SP_CELL_WEDGE] = {"wedges", 3, 6, 6},
    [SP_CELL_HEX] = {"hexahedra", 3, 8, 8},
    [SP_CELL_LINE3] = {"quadratic lines", 1, 2, 3},
    [SP_CELL_TRIANGLE6] = {"quadratic triangles", 2, 3, 6},
    [SP_CELL_TET10] = {"quadratic tetrahedra", 3, 4, 10},
    [SP_CELL_OTHER] = {"cells of other kinds", -1, 0, 0},
};

const char *sp__cell_name(int type) {
    return kinds[type].name;
}

int sp__cell_dimension(int type) {
    return kinds[type].dimension;
}

int sp__cell_corners(int type) {
    return kinds[type].corners;
}

int sp__cell_nodes(int type) {
    return kinds[type].nodes;
}

// =================================================================================================== subdivision

// Subdivision of cells into simplices. A volume cell is split into the tetrahedra between its lowest-numbered node and the
// triangles of the faces without that node; a quadrilateral face is cut by the diagonal at its own lowest node (Dompierre et al.
// 1999, "How to subdivide pyramids, prisms and hexahedra into tetrahedra"). Two cells of any type therefore cut their common face
// alike.

// outward faces in VTK's numbering of the corners; -1: triangle
static const int tet_faces[][4] = {{0, 2, 1, -1}, {0, 1, 3, -1}, {0, 3, 2, -1}, {1, 2, 3, -1}};
static const int pyramid_faces[][4] = {{0, 3, 2, 1}, {0, 1, 4, -1}, {1, 2, 4, -1}, {2, 3, 4, -1}, {3, 0, 4, -1}};
// the orientation of (0, 1, 2) and (3, 4, 5) is decided from the positions, since programs differ in it
static const int wedge_faces[][4] = {{0, 1, 2, -1}, {3, 5, 4, -1}, {0, 3, 4, 1}, {1, 4, 5, 2}, {2, 5, 3, 0}};
static const int hex_faces[][4] = {{0, 3, 2, 1}, {4, 5, 6, 7}, {0, 1, 5, 4}, {1, 2, 6, 5}, {2, 3, 7, 6}, {3, 0, 4, 7}};

typedef struct solid {
    const int (*faces)[4];
    int face_count, tets;
} solid;

static solid solid_of(int type) {
    switch (type) {
    case SP_CELL_TET:
    case SP_CELL_TET10: return (solid){tet_faces, 4, 1};
    case SP_CELL_PYRAMID: return (solid){pyramid_faces, 5, 2};
    case SP_CELL_WEDGE: return (solid){wedge_faces, 5, 3};
    case SP_CELL_HEX: return (solid){hex_faces, 6, 6};
    default: return (solid){NULL, 0, 0};
    }
}

int sp__cell_split_count(int type) {
    return solid_of(type).tets;
}

// splits a face at its lowest node into one or two triangles; returns their number
static int face_triangles(const int face[4], const int *nodes, int out[2][3]) {
    int n = face[3] < 0 ? 3 : 4, least = 0;
    for (int i = 1; i < n; i++)
        if (nodes[face[i]] < nodes[face[least]]) least = i;
    for (int t = 0; t < n - 2; t++)
        for (int k = 0; k < 3; k++) out[t][k] = nodes[face[(least + (k ? t + k : 0)) % n]];
    return n - 2;
}

static bool has(const int face[4], const int *nodes, int node) {
    for (int i = 0; i < 4; i++)
        if (face[i] >= 0 && nodes[face[i]] == node) return true;
    return false;
}

static bool cells_split_twice(const int tet[4]) {
    for (int a = 0; a < 4; a++)
        for (int b = 0; b < a; b++)
            if (tet[a] == tet[b]) return true;
    return false;
}

int sp__cell_split(int type, const int *nodes, int out[24]) {
    solid s = solid_of(type);
    int count = 0, corners = sp__cell_corners(type), apex = nodes[0];
    if (s.tets == 1) {
        memcpy(out, nodes, 4 * sizeof *out);
        return 1;
    }
    for (int i = 1; i < corners; i++) apex = nodes[i] < apex ? nodes[i] : apex;
    for (int f = 0; f < s.face_count; f++) {
        int triangles[2][3];
        if (has(s.faces[f], nodes, apex)) continue;
        for (int t = 0, n = face_triangles(s.faces[f], nodes, triangles); t < n && count < s.tets; t++) {
            memcpy(out + 4 * count, triangles[t], sizeof triangles[t]);
            out[4 * count + 3] = apex;
            if (!cells_split_twice(out + 4 * count)) count++;  // a hexahedron with a collapsed edge has fewer
        }
    }
    return count;
}

// ------------------------------------------------------------------------------------------------ polygons

enum { EARS_MAX = 128 };  // corners of a concave polygon for which the quadratic search is fast enough

static const double *cells_split_corner(const double *x, const int *corners, int i) {
    return x + 3 * (size_t)corners[i];
}

// twice the area vector by Newell's formula, also valid for concave and slightly warped polygons
static void area_of(const double *x, const int *corners, int n, double normal[3]) {
    normal[0] = normal[1] = normal[2] = 0;
    for (int i = 0; i < n; i++) {
        const double *a = cells_split_corner(x, corners, i), *b = cells_split_corner(x, corners, (i + 1) % n);
        for (int k = 0; k < 3; k++) {
            int u = (k + 1) % 3, v = (k + 2) % 3;
            normal[k] += (a[u] - b[u]) * (a[v] + b[v]);
        }
    }
}

// twice the area of a, b, c projected along the axis `drop`, times `sign`; positive if it has the orientation of the polygon
static double turn(const double *a, const double *b, const double *c, int drop, double sign) {
    int u = (drop + 1) % 3, v = (drop + 2) % 3;
    return sign * ((b[u] - a[u]) * (c[v] - a[v]) - (b[v] - a[v]) * (c[u] - a[u]));
}

static bool is_ear(const double *x, const int *corners, const int *left, int n, int i, int drop, double sign) {
    int before = left[(i + n - 1) % n], at = left[i], after = left[(i + 1) % n];
    const double *a = cells_split_corner(x, corners, before), *b = cells_split_corner(x, corners, at),
                 *c = cells_split_corner(x, corners, after);
    if (!(turn(a, b, c, drop, sign) > 0)) return false;
    for (int j = 0; j < n; j++) {
        if (left[j] == before || left[j] == at || left[j] == after) continue;
        const double *p = cells_split_corner(x, corners, left[j]);
        if (turn(a, b, p, drop, sign) >= 0 && turn(b, c, p, drop, sign) >= 0 && turn(c, a, p, drop, sign) >= 0) return false;
    }
    return true;
}

static bool convex(const double *x, const int *corners, int n, int drop, double sign) {
    for (int i = 0; i < n; i++)
        if (!(turn(cells_split_corner(x, corners, i), cells_split_corner(x, corners, (i + 1) % n),
                   cells_split_corner(x, corners, (i + 2) % n), drop, sign) >= 0))
            return false;
    return true;
}

static void cut_ears(const double *x, const int *corners, int n, int drop, double sign, int *out, int *left) {
    for (int i = 0; i < n; i++) left[i] = i;
    for (; n > 2; n--, out += 3) {
        int ear = 0;
        while (ear < n && !is_ear(x, corners, left, n, ear, drop, sign)) ear++;
        if (ear == n) ear = n - 2;  // self-intersecting or degenerate polygon: any cut is as good
        out[0] = left[(ear + n - 1) % n], out[1] = left[ear], out[2] = left[(ear + 1) % n];
        memmove(left + ear, left + ear + 1, (size_t)(n - 1 - ear) * sizeof *left);
    }
}

void sp__polygon_split(const double *x, const int *corners, int n, int *out, int *capacity) {
    double normal[3];
    area_of(x, corners, n, normal);
    int drop = fabs(normal[0]) > fabs(normal[1]) ? 0 : 1;
    if (fabs(normal[2]) > fabs(normal[drop])) drop = 2;
    double sign = normal[drop] < 0 ? -1 : 1;
    if (n > 3 && n <= EARS_MAX && !convex(x, corners, n, drop, sign)) {
        cut_ears(x, corners, n, drop, sign, out, capacity);
        return;
    }
    for (int t = 0; t < n - 2; t++) out[3 * t] = 0, out[3 * t + 1] = t + 1, out[3 * t + 2] = t + 2;
}

// ============================================================================================== groups as arrays

// Conversion between groups and arrays of group numbers.

bool sp__members(const sp_cells *cells, bool on_cells, sp_keep *keep, sp_members *out) {
    size_t n = (size_t)(on_cells ? cells->cell_count : cells->node_count);
    if (!SP_KEEP(keep, out->start, n + 2)) return false;
    for (int pass = 0; pass < 2; pass++) {
        for (int g = 0; g < cells->group_count; g++) {
            const sp_cells_group *group = &cells->groups[g];
            const int *list = on_cells ? group->cells : group->nodes;
            int count = on_cells ? group->cell_count : group->node_count;
            for (int i = 0; i < count; i++) {
                if (pass == 0)
                    out->start[list[i] + 2]++;
                else
                    out->groups[out->start[list[i] + 1]++] = g;
            }
        }
        for (size_t i = 0; pass == 0 && i < n; i++) out->start[i + 2] += out->start[i + 1];
        if (pass == 0 && !SP_KEEP(keep, out->groups, out->start[n + 1])) return false;
    }
    return true;
}

static int by_name(const void *a, const void *b) {
    const sp_cells_group *x = *(const sp_cells_group *const *)a, *y = *(const sp_cells_group *const *)b;
    int order = strcmp(x->name, y->name);
    return order ? order : (x > y) - (x < y);
}

bool sp__labels(const sp_cells *cells, sp_keep *keep, sp_labels *out) {
    int n = cells->group_count;
    const sp_cells_group **sorted;
    int *first;
    *out = (sp_labels){0};
    if (!SP_KEEP(keep, sorted, n) || !SP_KEEP(keep, first, n) || !SP_KEEP(keep, out->names, n) ||
        !SP_KEEP(keep, out->of_group, n) || !SP_KEEP(keep, out->on_nodes, n) || !SP_KEEP(keep, out->on_cells, n))
        return false;
    for (int i = 0; i < n; i++) sorted[i] = &cells->groups[i];
    qsort(sorted, (size_t)n, sizeof *sorted, by_name);
    for (int i = 0; i < n; i++) {
        bool same = i > 0 && strcmp(sorted[i]->name, sorted[i - 1]->name) == 0;
        first[sorted[i] - cells->groups] = same ? first[sorted[i - 1] - cells->groups] : (int)(sorted[i] - cells->groups);
    }
    for (int g = 0; g < n; g++) {
        if (first[g] == g) out->names[out->count++] = cells->groups[g].name;
        int label = out->of_group[g] = first[g] == g ? out->count - 1 : out->of_group[first[g]];
        out->on_nodes[label] = out->on_nodes[label] || cells->groups[g].node_count;
        out->on_cells[label] = out->on_cells[label] || cells->groups[g].cell_count;
    }
    return true;
}

double sp__label_mark(const sp_cells *cells, const sp_labels *labels, const sp_members *members, int label, size_t place) {
    for (size_t i = members->start[place]; i < members->start[place + 1]; i++)
        if (labels->of_group[members->groups[i]] == label) return sp__members_mark(&cells->groups[members->groups[i]]);
    return 0;
}

sp_cells_group *sp__members_add(sp_cells *cells, int *capacity, const char *name, int dimension, int64_t number) {
    if (!SP_LIST_ROOM(&cells->keep, cells->groups, cells->group_count, capacity)) return NULL;
    sp_cells_group *group = &cells->groups[cells->group_count++];
    *group = (sp_cells_group){.name = name, .dimension = dimension, .number = number};
    return group;
}

// ------------------------------------------------------------------------------------------------ named arrays

static bool says_group(const sp_cells_array *a) {
    return a->components == 1 && strncmp(a->name, SP_GROUP_PREFIX, strlen(SP_GROUP_PREFIX)) == 0 &&
           a->name[strlen(SP_GROUP_PREFIX)] != 0;
}

// the group number that an array value encodes
static int64_t group_number(double value) {
    return value >= 1 && value < 9e15 ? (int64_t)value : 0;
}

static sp_status named_cells(sp_cells *cells, const sp_cells_array *a, int *capacity) {
    int count[4] = {0}, *lists[4] = {NULL}, before = cells->group_count;
    for (int i = 0; i < cells->cell_count; i++) {
        int d = sp__cell_dimension(cells->type[i]);
        if (a->values[i] != 0 && d >= 0) count[d]++;
    }
    for (int d = 3; d >= 0; d--) {
        if (!count[d]) continue;
        sp_cells_group *group = sp__members_add(cells, capacity, a->name + strlen(SP_GROUP_PREFIX), d, 0);
        if (!group || !SP_KEEP(&cells->keep, group->cells, count[d])) return sp__cells_no_memory(cells);
        group->cell_count = count[d];
        lists[d] = group->cells;
    }
    for (int i = 0; i < cells->cell_count; i++) {
        int d = sp__cell_dimension(cells->type[i]);
        if (a->values[i] != 0 && d >= 0) *lists[d]++ = i;
    }
    for (int g = before; g < cells->group_count; g++)
        cells->groups[g].number = group_number(a->values[cells->groups[g].cells[0]]);
    return SP_OK;
}

static sp_status named_nodes(sp_cells *cells, const sp_cells_array *a, int *capacity) {
    const char *name = a->name + strlen(SP_GROUP_PREFIX);
    sp_cells_group *group = NULL;
    int count = 0, filled = 0;
    for (int i = 0; i < cells->node_count; i++) count += a->values[i] != 0;
    if (!count) return SP_OK;
    for (int g = 0; g < cells->group_count && !group; g++)
        if (!cells->groups[g].node_count && strcmp(cells->groups[g].name, name) == 0) group = &cells->groups[g];
    if (!group) group = sp__members_add(cells, capacity, name, -1, 0);
    if (!group || !SP_KEEP(&cells->keep, group->nodes, count)) return sp__cells_no_memory(cells);
    for (int i = 0; i < cells->node_count; i++)
        if (a->values[i] != 0) group->nodes[filled++] = i;
    group->node_count = count;
    if (!group->number) group->number = group_number(a->values[group->nodes[0]]);
    return SP_OK;
}

// ------------------------------------------------------------------------------------------------ arrays of group numbers

static bool says_numbers(const sp_cells_array *a) {
    static const char *const names[] = {"gmsh:physical", "medit:ref",       "tetgen:ref",
                                        "nastran:ref",   "avsucd:material", "flac3d:group"};
    for (size_t i = 0; a->integral && a->components == 1 && i < sizeof names / sizeof *names; i++)
        if (strcmp(a->name, names[i]) == 0) return true;
    return false;
}

typedef struct numbered {
    double value;
    int dimension, place;
} numbered;

static int by_group(const void *a, const void *b) {
    const numbered *x = a, *y = b;
    if (x->dimension != y->dimension) return x->dimension - y->dimension;
    if (x->value != y->value) return x->value < y->value ? -1 : 1;
    return (x->place > y->place) - (x->place < y->place);
}

static sp_status add_numbered(sp_cells *cells, bool on_cells, const numbered *list, int count, int *capacity) {
    char text[32];
    int64_t number = fabs(list[0].value) < 9e15 ? (int64_t)list[0].value : 0;
    snprintf(text, sizeof text, "%lld", (long long)number);
    const char *name = sp__keep_text(&cells->keep, text);
    sp_cells_group *group = name ? sp__members_add(cells, capacity, name, list[0].dimension, number) : NULL;
    int *places = group ? sp__keep_alloc(&cells->keep, (size_t)count, sizeof *places) : NULL;
    if (!places) return sp__cells_no_memory(cells);
    for (int i = 0; i < count; i++) places[i] = list[i].place;
    if (on_cells)
        group->cells = places, group->cell_count = count;
    else
        group->nodes = places, group->node_count = count;
    return SP_OK;
}

static sp_status numbered_groups(sp_cells *cells, const sp_cells_array *a, int *capacity) {
    int n = a->on_cells ? cells->cell_count : cells->node_count, count = 0;
    numbered *list = sp__alloc(cells->ctx, n ? (size_t)n : 1, sizeof *list);
    if (!list) return sp__cells_no_memory(cells);
    for (int i = 0; i < n; i++) {
        int d = a->on_cells ? sp__cell_dimension(cells->type[i]) : -1;
        if (a->values[i] != 0 && (d >= 0 || !a->on_cells)) list[count++] = (numbered){a->values[i], d, i};
    }
    qsort(list, (size_t)count, sizeof *list, by_group);
    sp_status status = SP_OK;
    for (int begin = 0, end; begin < count && status >= 0; begin = end) {
        for (end = begin + 1;
             end < count && list[end].value == list[begin].value && list[end].dimension == list[begin].dimension;)
            end++;
        status = add_numbered(cells, a->on_cells, list + begin, end - begin, capacity);
    }
    sp__free(cells->ctx, list);
    return status;
}

// ------------------------------------------------------------------------------------------------ all groups

// nodes last: they join the group that was created for the cells
sp_status sp__members_from_arrays(sp_cells *cells) {
    int capacity = 0, kept = 0;
    if (cells->groups) return SP_OK;
    for (int i = 0; i < cells->array_count; i++) {
        const sp_cells_array *a = &cells->arrays[i];
        if (says_group(a) && a->on_cells) SP_TRY(named_cells(cells, a, &capacity));
        if (says_numbers(a)) SP_TRY(numbered_groups(cells, a, &capacity));
    }
    for (int i = 0; i < cells->array_count; i++)
        if (says_group(&cells->arrays[i]) && !cells->arrays[i].on_cells) SP_TRY(named_nodes(cells, &cells->arrays[i], &capacity));
    for (int i = 0; i < cells->array_count; i++)
        if (!says_group(&cells->arrays[i]) && !says_numbers(&cells->arrays[i])) cells->arrays[kept++] = cells->arrays[i];
    cells->array_count = kept;
    return SP_OK;
}

// ================================================================================== corner values as node values

bool sp__corners_per_node(const sp_cells *cells, const double *values, const int *corners, int width, sp_keep *keep,
                          const double **out) {
    size_t nodes = (size_t)cells->node_count, size = (size_t)width * sizeof *values;
    int64_t corner_count = cells->start ? cells->start[cells->cell_count] : 0;
    double *per_node;
    int *seen;
    *out = corners ? NULL : values;
    if (!values || !corners) return true;
    if (!SP_KEEP(keep, per_node, nodes * (size_t)width) || !SP_KEEP(keep, seen, nodes)) return false;
    for (int64_t i = 0; i < corner_count; i++) {
        if (corners[i] < 0) continue;
        size_t node = (size_t)cells->nodes[i];
        const double *value = values + (size_t)width * (size_t)corners[i];
        if (!seen[node]++)
            memcpy(per_node + (size_t)width * node, value, size);
        else if (memcmp(per_node + (size_t)width * node, value, size) != 0)
            return true;
    }
    for (size_t i = 0; i < nodes; i++)
        if (!seen[i]) return true;
    *out = per_node;
    return true;
}
