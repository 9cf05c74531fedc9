// Structured grids of the generators: cells of 8 nodes, split into conforming tetrahedra.
#ifndef SP_GRID_H
#define SP_GRID_H

#include "mesh/mesh_internal.h"

typedef struct sp_grid {
    int cells[3];
    int per_cell;    // 6: path tetrahedra along a cell diagonal; 5: alternating; 1: hexahedra
    bool mirror[3];  // with 6: the diagonal points away from the middle of this axis; false: in the positive direction
    bool ring;       // the first axis is periodic
} sp_grid;

// Position of node (i, j, l) of a grid.
typedef void sp_grid_place(const void *arg, int i, int j, int l, double x[3]);

// The mesh of a grid; node (i, j, l) has the number (i (nj + 1) + j) (nl + 1) + l. Rejects counts below 1 or above 2^27
// elements, and cells that `place` inverts.
sp_status sp__grid_mesh(sp_context *ctx, const sp_grid *grid, sp_grid_place *place, const void *arg, sp_mesh **out);

#endif
