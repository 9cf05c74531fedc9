// Groups and arrays between files and meshes. In a file a group has a dimension, a number and an optional name. A mesh knows
// groups by name only: groups of equal name are merged (for example a volume and its face), and the number becomes a second name.
// When a mesh is written, a group that only repeats another one under its number becomes that number.
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "io/mesh/cells_simplices.h"

sp_status sp__simplices_renumber(sp_simplices *s, bool all) {
    const sp_cells *c = s->cells;
    if (!SP_KEEP(&s->keep, s->renumber, c->node_count)) return sp__cells_no_memory(c);
    for (size_t i = 0; i < (size_t)s->count * (size_t)s->per; i++) s->renumber[s->simplices[i]] = 1;
    for (int i = 0; i < c->node_count; i++) s->renumber[i] = all || s->renumber[i] ? s->node_count++ : -1;
    if (!SP_KEEP(&s->keep, s->x, 3 * (size_t)s->node_count)) return sp__cells_no_memory(c);
    if (c->node_ids && !SP_KEEP(&s->keep, s->ids, s->node_count)) return sp__cells_no_memory(c);
    for (int i = 0; i < c->node_count; i++) {
        int to = s->renumber[i];
        if (to < 0) continue;
        memcpy(s->x + 3 * (size_t)to, c->x + 3 * (size_t)i, 3 * sizeof(double));
        if (s->ids) s->ids[to] = c->node_ids[i];
    }
    for (size_t i = 0; i < (size_t)s->count * (size_t)s->per; i++) s->simplices[i] = s->renumber[s->simplices[i]];
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

sp_status sp__simplices_groups(sp_simplices *s) {
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

sp_status sp__simplices_arrays(sp_simplices *s) {
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

sp_status sp__cells_take_arrays(sp_cells *c, const sp_mesh_array *arrays, int count) {
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

sp_status sp__cells_take_groups(sp_cells *c, const sp_mesh_group *groups, int count, int dimension) {
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
