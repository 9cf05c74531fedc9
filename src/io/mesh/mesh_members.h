// Groups in formats that have only numbers per cell and point (VTK, PLY), and the list of groups per cell.
//
// A group is stored as an integer array "group:<name>": the number of the group (-1 if it has none) on its cells and nodes, 0
// elsewhere, so that a viewer can colour and threshold by it. Groups of equal name share the array; when it is read, cells of
// different dimensions become different groups. Arrays of group numbers of other programs ("gmsh:physical", "medit:ref", ...)
// become groups that are named by their numbers.
#ifndef SP_MESH_MEMBERS_H
#define SP_MESH_MEMBERS_H

#include "io/mesh/cells.h"

#define SP_GROUP_PREFIX "group:"

// Groups of each cell or node: groups[start[i]] .. groups[start[i + 1] - 1].
typedef struct sp_members {
    size_t *start;
    int *groups;
} sp_members;

// Value of the array of a group on its cells and nodes.
static inline double sp__members_mark(const sp_cells_group *group) {
    return group->number ? (double)group->number : -1;
}

// Distinct group names, in the order of their first appearance.
typedef struct sp_labels {
    int count;
    const char **names;
    int *of_group;              // label of each group
    bool *on_nodes, *on_cells;  // whether any of its groups has nodes, cells
} sp_labels;

// The memory belongs to `keep`; false: no memory.
bool sp__labels(const sp_cells *cells, sp_keep *keep, sp_labels *out);
// Value of the array of a label at a node or cell: 0 if it is in none of its groups.
double sp__label_mark(const sp_cells *cells, const sp_labels *labels, const sp_members *members, int label, size_t place);
bool sp__members(const sp_cells *cells, bool on_cells, sp_keep *keep, sp_members *out);

// Removes the arrays that encode groups from cells->arrays and creates the groups.
sp_status sp__members_from_arrays(sp_cells *cells);

// Adds a group; the caller fills its cells and nodes. NULL: no memory.
sp_cells_group *sp__members_add(sp_cells *cells, int *capacity, const char *name, int dimension, int64_t number);

#endif
