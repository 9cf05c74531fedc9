// Conversion between groups and arrays of group numbers.
#include "io/mesh/mesh_members.h"

#include <stdio.h>
#include <stdlib.h>

#include "io/mesh/mesh_words.h"

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
