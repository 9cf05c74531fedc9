// The plan that the writer of Gmsh files makes before it writes.
#ifndef SP_MESH_MSH_WRITE_H
#define SP_MESH_MSH_WRITE_H

#include "io/mesh/mesh_members.h"
#include "io/mesh/mesh_msh.h"

// A model entity: cells of one dimension in the same groups.
typedef struct sp_msh_part {
    int dimension;
    const int *groups;
    int group_count;
    int tag;  // 1, 2, ... in its dimension
    double low[3], high[3];
} sp_msh_part;

typedef struct sp_msh_plan {
    const sp_cells *cells;
    void *stream;  // FILE
    int version;
    bool binary;
    sp_keep keep;
    int *physical;               // number of each group in its own dimension
    int *point_physical;         // number in dimension 0, for the separately listed nodes; 0: none are listed
    sp_members members, points;  // groups of each cell, of each separately listed node
    sp_msh_part *parts;
    size_t part_count, part_capacity, last;
    int *table;  // hash table, part + 1
    size_t mask;
    int tags[4];     // number of entities per dimension
    int *cell_part;  // part of each cell
    int *point_node, *point_part;
    int point_count;
    int64_t element_count;                             // entries of $Elements
    int node_shift, cell_shift;                        // added to numbers that begin at 0, since Gmsh has no 0
    int64_t node_low, node_high, cell_low, cell_high;  // as written
} sp_msh_plan;

sp_status sp__msh_plan_make(sp_msh_plan *p, const char *path);

#endif
