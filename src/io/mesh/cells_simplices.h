// Shared by the conversions of cells to a mesh and to a surface: simplices with the source cell of each, the nodes in use, and
// their groups and arrays.
#ifndef SP_CELLS_SIMPLICES_H
#define SP_CELLS_SIMPLICES_H

#include "io/mesh/cells.h"

typedef struct sp_simplices {
    const sp_cells *cells;
    sp_keep keep;
    int per;         // nodes per simplex: 4 or 3
    int count;       // simplices
    int *simplices;  // count x per; node indices of the cells until sp__simplices_renumber
    int *corners;    // surfaces: count x per indices into `nodes` of the cells
    int *behind;     // source cell of each simplex
    int *first;      // cell_count + 1: first simplex of each cell
    int *renumber;   // new index of each node; -1: left out
    int node_count;  // nodes in use
    double *x;
    int64_t *ids;  // of the nodes; NULL: the file has none
    sp_mesh_group *groups;
    int group_count;
    sp_mesh_array *arrays;
    int array_count;
} sp_simplices;

// Unchecked definitions of what the cells hold; the pointers live as long as s->keep. all_nodes: include nodes of no tetrahedron.
// A surface keeps its unused nodes if the file has no volume cells.
sp_status sp__simplices_define_mesh(sp_simplices *s, bool all_nodes, sp_mesh_def *def);
sp_status sp__simplices_define_surface(sp_simplices *s, sp_trimesh_def *def);

// Renumbers the nodes in use (all: every node) and gathers their positions and ids.
sp_status sp__simplices_renumber(sp_simplices *s, bool all);
// Groups and arrays. Call after the renumbering.
sp_status sp__simplices_groups(sp_simplices *s);
sp_status sp__simplices_arrays(sp_simplices *s);

// The reverse: groups and arrays of a mesh or surface into cells, after their nodes and elements are set.
sp_status sp__cells_take_groups(sp_cells *cells, const sp_mesh_group *groups, int count, int dimension);
sp_status sp__cells_take_arrays(sp_cells *cells, const sp_mesh_array *arrays, int count);

// "3 triangles, 12 hexahedra", for messages.
void sp__cells_count_text(const sp_cells *cells, char *out, size_t size);

#endif
