// Groups in formats that only know numbers per cell and point (VTK, PLY), and which groups a cell is in.
//
// A group travels as an array "group:<name>" of whole numbers: the number of the group (-1 where it has none) on its cells and
// nodes, 0 elsewhere, so that a viewer can colour and threshold by it. Groups of one name share the array: cells of different
// dimensions are different groups when they are read. Arrays of group numbers as other programs write them ("gmsh:physical",
// "medit:ref", ...) become groups that are called by their numbers.
#ifndef SP_MESH_MEMBERS_H
#define SP_MESH_MEMBERS_H

#include "io/mesh/cells.h"

#define SP_GROUP_PREFIX "group:"

// Which groups each cell or node is in: groups[start[i]] .. groups[start[i + 1] - 1].
typedef struct sp_members {
    size_t *start;
    int *groups;
} sp_members;

// What the array of a group says on its cells and nodes.
static inline double sp__members_mark(const sp_cells_group *group) {
    return group->number ? (double)group->number : -1;
}

// The names of the groups, each once, in the order of their first appearance.
typedef struct sp_labels {
    int count;
    const char **names;
    int *of_group;              // which label a group has
    bool *on_nodes, *on_cells;  // whether any of its groups has some
} sp_labels;

// Kept by `keep`; false: no memory.
bool sp__labels(const sp_cells *cells, sp_keep *keep, sp_labels *out);
// What the array of a label says of a node or cell: 0 where it is in none of its groups.
double sp__label_mark(const sp_cells *cells, const sp_labels *labels, const sp_members *members, int label, size_t place);
bool sp__members(const sp_cells *cells, bool on_cells, sp_keep *keep, sp_members *out);

// Take the arrays that say groups out of cells->arrays and make groups of them.
sp_status sp__members_from_arrays(sp_cells *cells);

// One more group; NULL: no memory. cells and nodes are still to be filled.
sp_cells_group *sp__members_add(sp_cells *cells, int *room, const char *name, int dimension, int64_t number);

#endif
