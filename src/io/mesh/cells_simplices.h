// What making a mesh and making a surface of cells have in common: simplices with the cell behind each, the nodes they use, and
// the groups and arrays that follow.
#ifndef SP_CELLS_SIMPLICES_H
#define SP_CELLS_SIMPLICES_H

#include "io/mesh/cells.h"

typedef struct sp_simplices {
    const sp_cells *cells;
    sp_keep keep;
    int per;         // nodes of a simplex: 4 or 3
    int count;       // simplices
    int *simplices;  // count x per; places of the cells until sp__simplices_renumber
    int *corners;    // count x per, surfaces: which corner of `nodes`
    int *behind;     // the cell of each
    int *first;      // cell_count + 1: simplices of a cell
    int *renumber;   // per node: its new number, -1 left out
    int node_count;  // kept
    double *x;
    int64_t *ids;  // of the nodes; NULL: none in the file
    sp_mesh_group *groups;
    int group_count;
    sp_mesh_array *arrays;
    int array_count;
} sp_simplices;

// Definitions of what the cells hold, as good or bad as it is; pointers live as long as s->keep. all_nodes: also those of no
// tetrahedron. Of surfaces they are kept where there are no volumes.
sp_status sp__simplices_define_mesh(sp_simplices *s, bool all_nodes, sp_mesh_def *def);
sp_status sp__simplices_define_surface(sp_simplices *s, sp_trimesh_def *def);

// New numbers for the nodes in use (all: for every node) and their positions and ids.
sp_status sp__simplices_renumber(sp_simplices *s, bool all);
// Groups and arrays, after that.
sp_status sp__simplices_groups(sp_simplices *s);
sp_status sp__simplices_arrays(sp_simplices *s);

// The way back: groups and arrays of a mesh or surface into cells, whose own numbers are already there.
sp_status sp__cells_take_groups(sp_cells *cells, const sp_mesh_group *groups, int count, int dimension);
sp_status sp__cells_take_arrays(sp_cells *cells, const sp_mesh_array *arrays, int count);

// "3 triangles, 12 hexahedra", for messages.
void sp__cells_count_text(const sp_cells *cells, char *out, size_t size);

#endif
