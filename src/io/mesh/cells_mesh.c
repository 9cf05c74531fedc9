// Conversion of cells to tetrahedra and triangles, and back; mesh files as they are.
#include "io/mesh/cells.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

// Shared by the conversions of cells to a mesh and to a surface: simplices (or whole cells, of meshes with other elements than
// linear tetrahedra) with the source cell of each, the nodes in use, and their groups and arrays.
typedef struct sp_simplices {
    const sp_cells *cells;
    sp_keep keep;
    int per;                 // nodes per simplex: 4 or 3
    int count;               // simplices
    int64_t node_entries;    // entries of `simplices`: count x per without `types`
    sp_element_type *types;  // of whole cells; NULL: simplices
    int *simplices;          // node indices of the cells until simplices_renumber
    int *corners;            // surfaces: count x per indices into `nodes` of the cells
    int *behind;             // source cell of each simplex
    int *first;              // cell_count + 1: first simplex of each cell
    int *renumber;           // new index of each node; -1: left out
    int node_count;          // nodes in use
    double *x;
    int64_t *ids;  // of the nodes; NULL: the file has none
    sp_mesh_group *groups;
    int group_count;
    sp_mesh_array *arrays;
    int array_count;
} sp_simplices;

// ============================================================================================= groups and arrays

// Groups and arrays between files and meshes. In a file a group has a dimension, a number and an optional name. A mesh knows
// groups by name only: groups of equal name are merged (for example a volume and its face), and the number becomes a second name.
// When a mesh is written, a group that only repeats another one under its number becomes that number.

// Renumbers the nodes in use (all: every node) and gathers their positions and ids.
static sp_status simplices_renumber(sp_simplices *s, bool all) {
    const sp_cells *c = s->cells;
    if (!SP_KEEP(&s->keep, s->renumber, c->node_count)) return sp__cells_no_memory(c);
    for (int64_t i = 0; i < s->node_entries; i++) s->renumber[s->simplices[i]] = 1;
    for (int i = 0; i < c->node_count; i++) s->renumber[i] = all || s->renumber[i] ? s->node_count++ : -1;
    if (!SP_KEEP(&s->keep, s->x, 3 * (size_t)s->node_count)) return sp__cells_no_memory(c);
    if (c->node_ids && !SP_KEEP(&s->keep, s->ids, s->node_count)) return sp__cells_no_memory(c);
    for (int i = 0; i < c->node_count; i++) {
        int to = s->renumber[i];
        if (to < 0) continue;
        memcpy(s->x + 3 * (size_t)to, c->x + 3 * (size_t)i, 3 * sizeof(double));
        if (s->ids) s->ids[to] = c->node_ids[i];
    }
    for (int64_t i = 0; i < s->node_entries; i++) s->simplices[i] = s->renumber[s->simplices[i]];
    return SP_OK;
}

// ------------------------------------------------------------------------------------------------ groups of a file

typedef struct label {  // one name of one group
    const char *name;
    int group;
} label;

typedef struct gather {
    int *node_mark, *mark;  // label that marked the item last, counted from 1
    int *nodes, *simplices;
    int node_count, count;
} gather;

static int by_name(const void *a, const void *b) {
    const label *x = a, *y = b;
    int order = strcmp(x->name, y->name);
    return order ? order : (x->group > y->group) - (x->group < y->group);
}

static sp_status make_labels(sp_simplices *s, label **out, int *count) {
    const sp_cells *c = s->cells;
    label *labels = NULL;
    *count = 0;
    if (!SP_KEEP(&s->keep, labels, 2 * (size_t)c->group_count)) return sp__cells_no_memory(c);
    for (int g = 0; g < c->group_count; g++) {
        char number[24];
        labels[(*count)++] = (label){c->groups[g].name, g};
        snprintf(number, sizeof number, "%lld", (long long)c->groups[g].number);
        if (!c->groups[g].number || strcmp(number, c->groups[g].name) == 0) continue;
        const char *text = sp__keep_text(&s->keep, number);
        if (!text) return sp__cells_no_memory(c);
        labels[(*count)++] = (label){text, g};
    }
    if (*count) qsort(labels, (size_t)*count, sizeof *labels, by_name);
    *out = labels;
    return SP_OK;
}

static void take_node(gather *to, int node, int stamp) {
    if (node < 0 || to->node_mark[node] == stamp) return;
    to->node_mark[node] = stamp;
    to->nodes[to->node_count++] = node;
}

static void take_group(const sp_simplices *s, const sp_cells_group *group, gather *to, int stamp) {
    const sp_cells *c = s->cells;
    for (int i = 0; i < group->cell_count; i++) {
        int cell = group->cells[i];
        for (int t = s->first[cell]; t < s->first[cell + 1]; t++) {
            if (to->mark[t] == stamp) continue;
            to->mark[t] = stamp;
            to->simplices[to->count++] = t;
        }
        for (int64_t k = c->start[cell]; k < c->start[cell + 1]; k++) take_node(to, s->renumber[c->nodes[k]], stamp);
    }
    for (int i = 0; i < group->node_count; i++) take_node(to, s->renumber[group->nodes[i]], stamp);
}

// the items that carry the stamp, in ascending order
static int *in_order(sp_keep *keep, const int *mark, int limit, int stamp, const int *items, int count) {
    int *out, n = 0;
    if (!SP_KEEP(keep, out, count)) return NULL;
    if (count < limit / 16) {
        if (count) memcpy(out, items, (size_t)count * sizeof *out);
        sp__sort_ints(out, count);
    } else {
        for (int i = 0; i < limit; i++)
            if (mark[i] == stamp) out[n++] = i;
    }
    return out;
}

static sp_status close_group(sp_simplices *s, const gather *from, const char *name, int stamp) {
    int *nodes = in_order(&s->keep, from->node_mark, s->node_count, stamp, from->nodes, from->node_count);
    int *simplices = in_order(&s->keep, from->mark, s->count, stamp, from->simplices, from->count);
    if (!nodes || !simplices) return sp__cells_no_memory(s->cells);
    s->groups[s->group_count++] = (sp_mesh_group){name, simplices, from->count, nodes, from->node_count};
    return SP_OK;
}

// Groups and arrays. Call after the renumbering.
static sp_status simplices_groups(sp_simplices *s) {
    label *labels = NULL;
    int count;
    gather to = {0};
    if (!s->cells->group_count) return SP_OK;
    SP_TRY(make_labels(s, &labels, &count));
    if (!SP_KEEP(&s->keep, s->groups, count) || !SP_KEEP(&s->keep, to.node_mark, s->node_count) ||
        !SP_KEEP(&s->keep, to.nodes, s->node_count) || !SP_KEEP(&s->keep, to.mark, s->count) ||
        !SP_KEEP(&s->keep, to.simplices, s->count))
        return sp__cells_no_memory(s->cells);
    for (int l = 0; l < count;) {
        const char *name = labels[l].name;
        int stamp = l + 1;
        to.node_count = to.count = 0;
        for (; l < count && strcmp(labels[l].name, name) == 0; l++) take_group(s, &s->cells->groups[labels[l].group], &to, stamp);
        if (to.node_count) SP_TRY(close_group(s, &to, name, stamp));
    }
    return SP_OK;
}

// ------------------------------------------------------------------------------------------------ arrays

// vectors: x y z w; symmetric tensors in VTK's order; full tensors by rows; otherwise numbers
static const char *const ending_xyz[] = {".x", ".y", ".z", ".w"};
static const char *const ending_six[] = {".xx", ".yy", ".zz", ".xy", ".yz", ".xz"};
static const char *const ending_nine[] = {".xx", ".xy", ".xz", ".yx", ".yy", ".yz", ".zx", ".zy", ".zz"};
static const char *const ending_number[] = {".0", ".1", ".2", ".3", ".4", ".5", ".6", ".7", ".8"};

static const char *ending(int components, int k) {
    if (components >= 2 && components <= 4) return ending_xyz[k];
    return components == 6 ? ending_six[k] : components == 9 ? ending_nine[k] : ending_number[k];
}

void sp__cells_component_name(const sp_cells_array *a, int k, char *out, size_t size) {
    snprintf(out, size, "%.280s%s", a->name, a->components > 1 ? ending(a->components, k) : "");
}

static sp_status take_component(sp_simplices *s, const sp_cells_array *a, int k) {
    char name[300];
    double *values;
    int count = a->on_cells ? s->count : s->node_count;
    sp__cells_component_name(a, k, name, sizeof name);
    const char *kept = sp__keep_text(&s->keep, name);
    if (!kept || !SP_KEEP(&s->keep, values, count)) return sp__cells_no_memory(s->cells);
    if (a->on_cells)
        for (int i = 0; i < s->count; i++) values[i] = a->values[(size_t)s->behind[i] * (size_t)a->components + (size_t)k];
    for (int i = 0; !a->on_cells && i < s->cells->node_count; i++)
        if (s->renumber[i] >= 0) values[s->renumber[i]] = a->values[(size_t)i * (size_t)a->components + (size_t)k];
    s->arrays[s->array_count++] = (sp_mesh_array){kept, values, a->on_cells};
    return SP_OK;
}

static sp_status simplices_arrays(sp_simplices *s) {
    const sp_cells *c = s->cells;
    size_t total = 0;
    for (int a = 0; a < c->array_count; a++) total += (size_t)c->arrays[a].components;
    if (!SP_KEEP(&s->keep, s->arrays, total)) return sp__cells_no_memory(c);
    for (int a = 0; a < c->array_count; a++)
        for (int k = 0; k < c->arrays[a].components; k++) SP_TRY(take_component(s, &c->arrays[a], k));
    return SP_OK;
}

// length of the common stem if arrays[0..components-1] are the components of one array; 0: they are not
static size_t joined_stem(const sp_mesh_array *arrays, int left, int components) {
    if (components > left) return 0;
    const char *last = ending(components, 0);
    size_t stem = strlen(arrays[0].name), tail = strlen(last);
    if (stem <= tail || strcmp(arrays[0].name + stem - tail, last) != 0) return 0;
    stem -= tail;
    for (int k = 1; k < components; k++)
        if (strncmp(arrays[k].name, arrays[0].name, stem) != 0 || strcmp(arrays[k].name + stem, ending(components, k)) != 0 ||
            arrays[k].on_elements != arrays[0].on_elements)
            return 0;
    return stem;
}

// number of the next arrays that are the components of one array; `stem`: length of its name
static int joined(const sp_mesh_array *arrays, int left, size_t *stem) {
    for (int components = 9; components > 1; components--)
        if ((*stem = joined_stem(arrays, left, components)) > 0) return components;
    *stem = strlen(arrays[0].name);
    return 1;
}

static sp_status cells_take_arrays(sp_cells *c, const sp_mesh_array *arrays, int count) {
    if (!SP_KEEP(&c->keep, c->arrays, count)) return sp__cells_no_memory(c);
    for (int a = 0; a < count;) {
        size_t stem;
        int components = joined(arrays + a, count - a, &stem), n = arrays[a].on_elements ? c->cell_count : c->node_count;
        char *name = sp__keep_alloc(&c->keep, stem + 1, 1);
        double *values;
        if (!name || !SP_KEEP(&c->keep, values, (size_t)n * (size_t)components)) return sp__cells_no_memory(c);
        memcpy(name, arrays[a].name, stem);
        for (int k = 0; k < components; k++)
            for (int i = 0; i < n; i++) values[(size_t)i * (size_t)components + (size_t)k] = arrays[a + k].values[i];
        c->arrays[c->array_count++] = (sp_cells_array){name, components, arrays[a].on_elements, false, values};
        a += components;
    }
    return SP_OK;
}

// ------------------------------------------------------------------------------------------------ groups of a mesh

// the number that a name spells, 1..INT_MAX; 0: the name is not a number
static int64_t spelt(const char *name) {
    int64_t number;
    const char *end = *name >= '1' && *name <= '9' ? sp__scan_int64(name, &number) : NULL;
    return end && !*end && number <= INT_MAX ? number : 0;
}

static bool same_sets(const sp_mesh_group *a, const sp_mesh_group *b) {
    return a->element_count == b->element_count && a->node_count == b->node_count &&
           (!a->element_count || memcmp(a->elements, b->elements, (size_t)a->element_count * sizeof(int)) == 0) &&
           (!a->node_count || memcmp(a->nodes, b->nodes, (size_t)a->node_count * sizeof(int)) == 0);
}

// number of a named group: that of an unused numbered group with the same members, else 0
static int64_t alias(const sp_mesh_group *groups, int count, int of, unsigned char *taken) {
    for (int g = 0; g < count; g++) {
        int64_t number = taken[g] ? 0 : spelt(groups[g].name);
        if (!number || !same_sets(&groups[of], &groups[g])) continue;
        taken[g] = 1;
        return number;
    }
    return 0;
}

// nodes of the group that belong to none of its cells
static sp_status take_nodes(sp_cells *c, const sp_mesh_group *from, int stamp, int *mark, sp_cells_group *to) {
    for (int i = 0; i < from->element_count; i++)
        for (int64_t k = c->start[from->elements[i]]; k < c->start[from->elements[i] + 1]; k++) mark[c->nodes[k]] = stamp;
    for (int i = 0; i < from->node_count; i++) to->node_count += mark[from->nodes[i]] != stamp;
    if (!SP_KEEP(&c->keep, to->nodes, to->node_count)) return sp__cells_no_memory(c);
    for (int i = 0, n = 0; i < from->node_count; i++)
        if (mark[from->nodes[i]] != stamp) to->nodes[n++] = from->nodes[i];
    return SP_OK;
}

static sp_status take_one(sp_cells *c, const sp_mesh_group *from, int dimension, int64_t number, int *mark) {
    sp_cells_group *to = &c->groups[c->group_count];
    *to = (sp_cells_group){.name = sp__keep_text(&c->keep, from->name), .dimension = from->element_count ? dimension : -1};
    to->number = number;
    to->cell_count = from->element_count;
    if (!to->name || !SP_KEEP(&c->keep, to->cells, to->cell_count)) return sp__cells_no_memory(c);
    if (to->cell_count) memcpy(to->cells, from->elements, (size_t)to->cell_count * sizeof *to->cells);
    return take_nodes(c, from, ++c->group_count, mark, to);
}

// The reverse: groups and arrays of a mesh or surface into cells, after their nodes and elements are set.
static sp_status cells_take_groups(sp_cells *c, const sp_mesh_group *groups, int count, int dimension) {
    unsigned char *taken;
    int *mark;
    if (!SP_KEEP(&c->keep, c->groups, count) || !SP_KEEP(&c->keep, taken, count) || !SP_KEEP(&c->keep, mark, c->node_count))
        return sp__cells_no_memory(c);
    for (int g = 0; g < count; g++)
        if (!spelt(groups[g].name)) SP_TRY(take_one(c, &groups[g], dimension, alias(groups, count, g, taken), mark));
    for (int g = 0; g < count; g++)
        if (spelt(groups[g].name) && !taken[g]) SP_TRY(take_one(c, &groups[g], dimension, spelt(groups[g].name), mark));
    return SP_OK;
}

// =========================================================================================== meshes and surfaces

// "3 triangles, 12 hexahedra", for messages.
static void cells_count_text(const sp_cells *c, char *out, size_t size) {
    int count[SP_CELL_OTHER + 1] = {0};
    size_t at = 0;
    for (int i = 0; i < c->cell_count; i++) count[c->type[i]]++;
    snprintf(out, size, "no cells");
    for (int type = 0; type <= SP_CELL_OTHER; type++) {
        if (!count[type] || at + 1 >= size) continue;
        int n = snprintf(out + at, size - at, "%s%d %s", at ? ", " : "", count[type], sp__cell_name(type));
        at += n > 0 ? (size_t)n : 0;
    }
}

// adds the file name to an error of sp_mesh_create
static sp_status of_file(const sp_cells *c, sp_status status) {
    if (status >= 0) return status;
    const sp_error *reason = sp_context_error(c->ctx);
    status = SP_FAIL(c->ctx, status, "%s: %.300s", c->file, reason->message);
    sp__context_error_index(c->ctx, reason->index);
    return status;
}

static sp_simplices shape(const sp_cells *c, int per) {
    return (sp_simplices){.cells = c, .keep = {c->ctx, NULL}, .per = per};
}

static sp_status simplex_capacity(sp_simplices *s, int64_t most, int64_t nodes, bool corners) {
    if (most > INT_MAX / 4)
        return SP_FAIL(s->cells->ctx, SP_BAD_INPUT, "%s: %lld elements, at most %d", s->cells->file, (long long)most,
                       INT_MAX / 4);
    if (!SP_KEEP(&s->keep, s->simplices, nodes) || !SP_KEEP(&s->keep, s->behind, most) ||
        !SP_KEEP(&s->keep, s->first, (size_t)s->cells->cell_count + 1) || (corners && !SP_KEEP(&s->keep, s->corners, nodes)))
        return sp__cells_no_memory(s->cells);
    return SP_OK;
}

// ------------------------------------------------------------------------------------------------ volume cells

// What becomes of the volume cells of a file.
typedef struct volume_cells {
    int64_t tets;    // tetrahedra if all are cut
    int64_t whole;   // volume cells
    int64_t nodes;   // of them
    int uncuttable;  // wedges, pyramids and hexahedra with a repeated node: there is no such element
    int others;      // hexahedra and quadratic tetrahedra
} volume_cells;

// the type of the element that a cell is; false: none
static bool element_of_cell(int cell, sp_element_type *type) {
    *type = cell == SP_CELL_HEX ? SP_ELEMENT_HEX8 : cell == SP_CELL_TET10 ? SP_ELEMENT_TET10 : SP_ELEMENT_TET4;
    return cell == SP_CELL_HEX || cell == SP_CELL_TET10 || cell == SP_CELL_TET;
}

static bool collapsed_hexahedron(const sp_cells *c, int i) {
    const int *n = c->nodes + c->start[i];
    for (int a = 1; a < 8 && c->type[i] == SP_CELL_HEX; a++)
        for (int b = 0; b < a; b++)
            if (n[a] == n[b]) return true;
    return false;
}

static volume_cells count_volumes(const sp_cells *c) {
    volume_cells v = {0};
    for (int i = 0; i < c->cell_count; i++) {
        sp_element_type type;
        int tets = sp__cell_split_count(c->type[i]);
        if (!tets) continue;
        v.tets += tets;
        v.whole++;
        v.nodes += sp__cell_nodes(c->type[i]);
        v.uncuttable += !element_of_cell(c->type[i], &type) || collapsed_hexahedron(c, i);
        v.others += c->type[i] != SP_CELL_TET;
    }
    return v;
}

static void cut_volumes(sp_simplices *s) {
    const sp_cells *c = s->cells;
    for (int i = 0; i < c->cell_count; i++) {
        int out[24], n = sp__cell_split_count(c->type[i]) ? sp__cell_split(c->type[i], c->nodes + c->start[i], out) : 0;
        if (n) memcpy(s->simplices + 4 * (size_t)s->count, out, 4 * (size_t)n * sizeof *out);
        for (int k = 0; k < n; k++) s->behind[s->count++] = i;
        s->first[i + 1] = s->count;
    }
    s->node_entries = 4 * (int64_t)s->count;
}

static void take_volumes(sp_simplices *s) {
    const sp_cells *c = s->cells;
    for (int i = 0; i < c->cell_count; i++) {
        if (sp__cell_split_count(c->type[i])) {
            element_of_cell(c->type[i], &s->types[s->count]);
            int n = sp_element_nodes(s->types[s->count]);
            memcpy(s->simplices + s->node_entries, c->nodes + c->start[i], (size_t)n * sizeof *s->simplices);
            s->node_entries += n;
            s->behind[s->count++] = i;
        }
        s->first[i + 1] = s->count;
    }
}

// Whole cells where there is an element for each of them; otherwise, or if `tetrahedra` asks for it, all are cut, because the
// faces of a hexahedron and those of its cut neighbour are not the same surface. *cut: some cells became several elements.
static sp_status volumes_to_elements(sp_simplices *s, bool tetrahedra, bool *cut) {
    const sp_cells *c = s->cells;
    volume_cells v = count_volumes(c);
    if (!v.whole) {
        char seen[200];
        cells_count_text(c, seen, sizeof seen);
        return SP_FAIL(c->ctx, SP_BAD_INPUT, "%s: no tetrahedra, hexahedra, wedges or pyramids in it, seen %s", c->file, seen);
    }
    *cut = false;
    if (v.others && !tetrahedra && !v.uncuttable) {
        SP_TRY(simplex_capacity(s, v.whole, v.nodes, false));
        if (!SP_KEEP(&s->keep, s->types, v.whole)) return sp__cells_no_memory(c);
        take_volumes(s);
        return SP_OK;
    }
    SP_TRY(simplex_capacity(s, v.tets, 4 * v.tets, false));
    cut_volumes(s);
    *cut = v.tets != v.whole;
    if (v.uncuttable && !tetrahedra)
        sp__log(c->ctx, SP_LOG_WARNING,
                "%s: all cells are cut into linear tetrahedra, because of %d wedges, pyramids or collapsed "
                "hexahedra",
                c->file, v.uncuttable);
    return SP_OK;
}

static void report_left_out(const sp_simplices *s) {
    const sp_cells *c = s->cells;
    int other = 0;
    for (int i = 0; i < c->cell_count; i++) other += c->type[i] == SP_CELL_OTHER;
    if (other) sp__log(c->ctx, SP_LOG_WARNING, "%s: %d cells of kinds that are not known left out", c->file, other);
    if (s->node_count < c->node_count)
        sp__log(c->ctx, SP_LOG_INFO, "%s: %d nodes of no element left out", c->file, c->node_count - s->node_count);
}

// Unchecked definitions of what the cells hold; the pointers live as long as s->keep. all_nodes: include nodes of no element.
// A surface keeps its unused nodes if the file has no volume cells.
static sp_status simplices_define_mesh(sp_simplices *s, bool all_nodes, bool tetrahedra, sp_mesh_def *def) {
    const sp_cells *c = s->cells;
    bool cut = false;
    *def = sp_mesh_def_default();
    SP_TRY(volumes_to_elements(s, tetrahedra, &cut));
    SP_TRY(simplices_renumber(s, all_nodes));
    report_left_out(s);
    SP_TRY(simplices_groups(s));
    SP_TRY(simplices_arrays(s));
    // split cells have no unique number
    if (c->cell_ids && !cut) {
        int64_t *ids;
        if (!SP_KEEP(&s->keep, ids, s->count)) return sp__cells_no_memory(c);
        for (int i = 0; i < s->count; i++) ids[i] = c->cell_ids[s->behind[i]];
        def->element_ids = ids;
    }
    def->node_count = s->node_count;
    def->positions = s->x;
    def->node_ids = s->ids;
    def->element_count = s->count;
    def->element_types = s->types;
    def->element_nodes = s->simplices;
    def->groups = s->groups;
    def->group_count = s->group_count;
    def->arrays = s->arrays;
    def->array_count = s->array_count;
    return SP_OK;
}

sp_status sp__cells_to_mesh(const sp_cells *cells, bool tetrahedra, sp_mesh **out) {
    sp_simplices s = shape(cells, 4);
    sp_mesh_def def;
    *out = NULL;
    sp_status status = simplices_define_mesh(&s, false, tetrahedra, &def);
    if (status >= 0) status = of_file(cells, sp_mesh_create(cells->ctx, &def, out));
    sp__keep_free(&s.keep);
    return status;
}

// ------------------------------------------------------------------------------------------------ triangles

static int face_anchors(const sp_cells *c, int cell) {
    int type = c->type[cell];
    if (sp__cell_dimension(type) != 2) return 0;
    return type == SP_CELL_POLYGON ? (int)(c->start[cell + 1] - c->start[cell]) : sp__cell_corners(type);
}

static sp_status cut_faces(sp_simplices *s, int64_t most, int widest) {
    const sp_cells *c = s->cells;
    int *places, *memory;
    SP_TRY(simplex_capacity(s, most, 3 * most, true));
    if (!SP_KEEP(&s->keep, places, 3 * (size_t)widest) || !SP_KEEP(&s->keep, memory, widest)) return sp__cells_no_memory(c);
    for (int i = 0; i < c->cell_count; i++) {
        int n = face_anchors(c, i);
        if (n >= 3) sp__polygon_split(c->x, c->nodes + c->start[i], n, places, memory);
        for (int t = 0; t < n - 2; t++, s->count++) {
            for (int k = 0; k < 3; k++) {
                int64_t at = c->start[i] + places[3 * t + k];
                s->simplices[3 * (size_t)s->count + (size_t)k] = c->nodes[at];
                s->corners[3 * (size_t)s->count + (size_t)k] = (int)at;
            }
            s->behind[s->count] = i;
        }
        s->first[i + 1] = s->count;
    }
    s->node_entries = 3 * (int64_t)s->count;
    return SP_OK;
}

// index per triangle corner: the list of the file, else the node (numbered as in the file if nodes are left out)
static sp_status corner_list(sp_simplices *s, const double *values, const int *given, const int **out) {
    const sp_cells *c = s->cells;
    int *list;
    *out = NULL;
    if (!values || (!given && s->node_count == c->node_count)) return SP_OK;
    if (!SP_KEEP(&s->keep, list, 3 * (size_t)s->count)) return sp__cells_no_memory(c);
    for (size_t i = 0; i < 3 * (size_t)s->count; i++) list[i] = given ? given[s->corners[i]] : c->nodes[s->corners[i]];
    *out = list;
    return SP_OK;
}

static sp_status vertex_colors(sp_simplices *s, const double **out) {
    const sp_cells *c = s->cells;
    double *colors;
    if (!c->colors) return SP_OK;
    if (!SP_KEEP(&s->keep, colors, 4 * (size_t)s->node_count)) return sp__cells_no_memory(c);
    for (int i = 0; i < c->node_count; i++)
        if (s->renumber[i] >= 0) memcpy(colors + 4 * (size_t)s->renumber[i], c->colors + 4 * (size_t)i, 4 * sizeof(double));
    *out = colors;
    return SP_OK;
}

static sp_status define_surface(sp_simplices *s, int64_t most, int widest, bool all_nodes, sp_trimesh_def *def) {
    const sp_cells *c = s->cells;
    *def = sp_trimesh_def_default();
    SP_TRY(cut_faces(s, most, widest));
    SP_TRY(simplices_renumber(s, all_nodes));
    SP_TRY(simplices_groups(s));
    SP_TRY(simplices_arrays(s));
    SP_TRY(corner_list(s, c->texcoords, c->corner_texcoords, &def->face_texcoords));
    SP_TRY(corner_list(s, c->normals, c->corner_normals, &def->face_normals));
    SP_TRY(vertex_colors(s, &def->colors));
    def->vertex_count = s->node_count;
    def->positions = s->x;
    def->face_count = s->count;
    def->faces = s->simplices;
    def->texcoord_count = c->texcoord_count;
    def->texcoords = c->texcoords;
    def->normal_count = c->normal_count;
    def->normals = c->normals;
    def->groups = s->groups;
    def->group_count = s->group_count;
    def->arrays = s->arrays;
    def->array_count = s->array_count;
    return SP_OK;
}

static sp_status boundary_of(const sp_cells *cells, sp_trimesh **out) {
    sp_mesh *mesh;
    SP_TRY(sp__cells_to_mesh(cells, false, &mesh));
    sp_status status = of_file(cells, sp_mesh_boundary(mesh, out));
    sp_mesh_destroy(&mesh);
    return status;
}

// upper bound of the triangles, corners of the largest face, and number of volume cells
static void count_faces(const sp_cells *cells, int64_t *most, int *widest, int64_t *volumes) {
    *most = *volumes = 0, *widest = 4;
    for (int i = 0; i < cells->cell_count; i++) {
        int n = face_anchors(cells, i);
        *most += n > 2 ? n - 2 : 0;
        *widest = n > *widest ? n : *widest;
        *volumes += sp__cell_dimension(cells->type[i]) == 3;
    }
}

static sp_status simplices_define_surface(sp_simplices *s, sp_trimesh_def *def) {
    int64_t most, volumes;
    int widest;
    count_faces(s->cells, &most, &widest, &volumes);
    if (most) return define_surface(s, most, widest, !volumes, def);
    char seen[200];
    cells_count_text(s->cells, seen, sizeof seen);
    return SP_FAIL(s->cells->ctx, SP_BAD_INPUT, "%s: no triangles or other faces in it, seen %s", s->cells->file, seen);
}

sp_status sp__cells_to_trimesh(const sp_cells *cells, sp_trimesh **out) {
    int64_t most, volumes;
    int widest;
    *out = NULL;
    count_faces(cells, &most, &widest, &volumes);
    if (!most && volumes) return boundary_of(cells, out);
    sp_simplices s = shape(cells, 3);
    sp_trimesh_def def;
    sp_status status = simplices_define_surface(&s, &def);
    if (status >= 0) status = of_file(cells, sp_trimesh_create(cells->ctx, &def, out));
    sp__keep_free(&s.keep);
    return status;
}

// ------------------------------------------------------------------------------------------------ mesh or surface to cells

static bool take_simplices(sp_cells *c, const int *nodes, int count, int per, int type) {
    if (!sp__cells_reserve(c, count, (int64_t)count * per)) return false;
    memset(c->type, type, (size_t)count);
    for (int i = 0; i <= count; i++) c->start[i] = (int64_t)i * per;
    if (count) memcpy(c->nodes, nodes, (size_t)count * (size_t)per * sizeof *nodes);
    return true;
}

// ids that equal the indices are not stored
static bool take_ids(sp_cells *c, const int64_t *ids, int n, int64_t **out) {
    int i = 0;
    while (i < n && ids[i] == i) i++;
    if (i == n) return true;
    if (!SP_KEEP(&c->keep, *out, n)) return false;
    memcpy(*out, ids, (size_t)n * sizeof *ids);
    return true;
}

static bool take_numbers(sp_cells *c, const double *values, size_t n, double **out) {
    if (!values) return true;
    if (!SP_KEEP(&c->keep, *out, n)) return false;
    if (n) memcpy(*out, values, n * sizeof *values);
    return true;
}

static bool take_places(sp_cells *c, const int *values, size_t n, int **out) {
    if (!values) return true;
    if (!SP_KEEP(&c->keep, *out, n)) return false;
    if (n) memcpy(*out, values, n * sizeof *values);
    return true;
}

static bool take_elements(sp_cells *c, const sp_mesh *mesh) {
    static const int cell_of[] = {[SP_ELEMENT_TET4] = SP_CELL_TET,
                                  [SP_ELEMENT_TET10] = SP_CELL_TET10,
                                  [SP_ELEMENT_HEX8] = SP_CELL_HEX,
                                  [SP_ELEMENT_TRI3] = SP_CELL_TRIANGLE};
    int count = sp_mesh_element_count(mesh);
    const int *nodes;
    int64_t total = 0;
    for (int e = 0; e < count; e++) total += sp_element_nodes(sp_mesh_element(mesh, e, NULL));
    if (!sp__cells_reserve(c, count, total)) return false;
    for (int e = 0; e < count; e++) {
        sp_element_type type = sp_mesh_element(mesh, e, &nodes);
        int n = sp_element_nodes(type);
        c->type[e] = (unsigned char)cell_of[type];
        c->start[e + 1] = c->start[e] + n;
        memcpy(c->nodes + c->start[e], nodes, (size_t)n * sizeof *nodes);
    }
    return true;
}

static sp_status groups_of(sp_cells *c, const sp_mesh *mesh) {
    int count = sp_mesh_group_count(mesh);
    sp_mesh_group *groups;
    if (!SP_KEEP(&c->keep, groups, count)) return sp__cells_no_memory(c);
    for (int i = 0; i < count; i++) sp_mesh_group_at(mesh, i, &groups[i]);
    return count ? cells_take_groups(c, groups, count, 3) : SP_OK;
}

static sp_status arrays_of(sp_cells *c, const sp_mesh *mesh) {
    int count = sp_mesh_array_count(mesh);
    sp_mesh_array *arrays;
    if (!SP_KEEP(&c->keep, arrays, count)) return sp__cells_no_memory(c);
    for (int i = 0; i < count; i++) sp_mesh_array_at(mesh, i, &arrays[i]);
    return count ? cells_take_arrays(c, arrays, count) : SP_OK;
}

sp_status sp__cells_from_mesh(const sp_mesh *mesh, sp_cells *c) {
    int nodes = sp_mesh_node_count(mesh), elements = sp_mesh_element_count(mesh);
    sp__cells_init(sp_mesh_context(mesh), "mesh", c);
    c->node_count = nodes;
    if (!take_numbers(c, sp_mesh_positions(mesh), 3 * (size_t)nodes, &c->x) || !take_elements(c, mesh) ||
        !take_ids(c, sp_mesh_node_ids(mesh), nodes, &c->node_ids) ||
        !take_ids(c, sp_mesh_element_ids(mesh), elements, &c->cell_ids))
        return sp__cells_no_memory(c);
    SP_TRY(groups_of(c, mesh));
    return arrays_of(c, mesh);
}

sp_status sp__cells_from_trimesh(const sp_trimesh *surface, sp_cells *c) {
    sp_trimesh_def def;
    sp_trimesh_get(surface, &def);
    sp__cells_init(sp_trimesh_context(surface), "surface", c);
    c->node_count = def.vertex_count;
    c->texcoord_count = def.texcoord_count;
    c->normal_count = def.normal_count;
    size_t corners = 3 * (size_t)def.face_count;
    if (!take_numbers(c, def.positions, 3 * (size_t)def.vertex_count, &c->x) ||
        !take_simplices(c, def.faces, def.face_count, 3, SP_CELL_TRIANGLE) ||
        !take_numbers(c, def.texcoords, 2 * (size_t)def.texcoord_count, &c->texcoords) ||
        !take_numbers(c, def.normals, 3 * (size_t)def.normal_count, &c->normals) ||
        !take_numbers(c, def.colors, 4 * (size_t)def.vertex_count, &c->colors) ||
        !take_places(c, def.face_texcoords, corners, &c->corner_texcoords) ||
        !take_places(c, def.face_normals, corners, &c->corner_normals))
        return sp__cells_no_memory(c);
    SP_TRY(cells_take_groups(c, def.groups, def.group_count, 2));
    return cells_take_arrays(c, def.arrays, def.array_count);
}

// ============================================================================================= files as they are

// Unchecked definitions, for tools that report what is wrong with them.

struct sp_mesh_file {
    sp_context *ctx;
    sp_cells cells;
    sp_simplices simplices;
    sp_mesh_file_content content;
};

static bool has_volumes(const sp_cells *c) {
    for (int i = 0; i < c->cell_count; i++)
        if (sp__cell_dimension(c->type[i]) == 3) return true;
    return false;
}

// triangles that are cells of the file keep the numbers of the cells
static sp_status number_faces(sp_mesh_file *f) {
    const sp_simplices *s = &f->simplices;
    int64_t *ids;
    if (!f->cells.cell_ids) return SP_OK;
    for (int i = 1; i < s->count; i++)
        if (s->behind[i] == s->behind[i - 1]) return SP_OK;  // part of a larger cell
    if (!SP_KEEP(&f->simplices.keep, ids, s->count)) return sp__cells_no_memory(&f->cells);
    for (int i = 0; i < s->count; i++) ids[i] = f->cells.cell_ids[s->behind[i]];
    f->content.face_ids = ids;
    return SP_OK;
}

static sp_status file_fill(sp_mesh_file *f, const char *path) {
    SP_TRY(sp__cells_read(f->ctx, path, &f->cells));
    f->content = (sp_mesh_file_content){.format = f->cells.format, .tetrahedra = has_volumes(&f->cells)};
    f->content.mesh = sp_mesh_def_default();
    f->content.surface = sp_trimesh_def_default();
    f->simplices = (sp_simplices){.cells = &f->cells, .keep = {f->ctx, NULL}, .per = f->content.tetrahedra ? 4 : 3};
    if (f->content.tetrahedra) return simplices_define_mesh(&f->simplices, true, false, &f->content.mesh);
    SP_TRY(simplices_define_surface(&f->simplices, &f->content.surface));
    f->content.node_ids = f->simplices.ids;
    return number_faces(f);
}

sp_status sp_mesh_file_open(sp_context *context, const char *path, sp_mesh_file **out) {
    sp_mesh_file *f;
    *out = NULL;
    if (!SP_NEW(context, f, 1)) return SP_FAIL(context, SP_NO_MEMORY, "%s: no memory for the mesh", path);
    f->ctx = context;
    sp_status status = file_fill(f, path);
    // for messages of later calls
    char *name = status < 0 ? NULL : sp__keep_text(&f->cells.keep, path);
    if (name)
        f->cells.file = name;
    else if (status >= 0)
        status = sp__cells_no_memory(&f->cells);
    if (status < 0)
        sp_mesh_file_close(&f);
    else
        *out = f;
    return status;
}

void sp_mesh_file_get(const sp_mesh_file *file, sp_mesh_file_content *out) {
    *out = file->content;
}

sp_status sp_mesh_file_mesh(const sp_mesh_file *file, sp_mesh **out) {
    return sp__cells_to_mesh(&file->cells, false, out);
}

sp_status sp_mesh_file_tets(const sp_mesh_file *file, sp_mesh **out) {
    return sp__cells_to_mesh(&file->cells, true, out);
}

sp_status sp_mesh_file_trimesh(const sp_mesh_file *file, sp_trimesh **out) {
    return sp__cells_to_trimesh(&file->cells, out);
}

void sp_mesh_file_close(sp_mesh_file **handle) {
    if (!handle || !*handle) return;
    sp_mesh_file *f = *handle;
    sp_context *ctx = f->ctx;
    *handle = NULL;
    if (f->simplices.cells) sp__keep_free(&f->simplices.keep);
    sp__cells_free(&f->cells);
    sp__free(ctx, f);
}
