// Splits the cells of a structured grid into tetrahedra, or keeps them as hexahedra.
//
// Six per cell: the paths from one corner to the opposite one along the axes, in every order of the axes (Kuhn 1960). The
// diagonal on a face of the cell depends only on the direction of the cell diagonal along the two axes of the face, so neighbours
// are conforming if the direction depends on nothing else. Reversing it in the middle of an axis is a mirror image and also
// conforming.
// Five per cell: one tetrahedron on the four nodes with i + j + l even, and four corners. Neighbours agree on which nodes are
// even.
#include "mesh/grid.h"

// permutations of the axes; odd ones invert the path tetrahedron
static const int orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
static const bool odd_order[6] = {false, true, true, false, false, true};

static int node_number(const sp_grid *grid, int i, int j, int l) {
    if (grid->ring) i %= grid->cells[0];
    return (i * (grid->cells[1] + 1) + j) * (grid->cells[2] + 1) + l;
}

static int node_layers(const sp_grid *grid) {
    return grid->cells[0] + (grid->ring ? 0 : 1);
}

static void swap_last(int *tet) {
    int swap = tet[2];
    tet[2] = tet[3], tet[3] = swap;
}

// Corner of a cell; bit a of `bits` selects the far end along axis a.
static int grid_corner(const sp_grid *grid, const int cell[3], int bits) {
    return node_number(grid, cell[0] + (bits & 1), cell[1] + (bits >> 1 & 1), cell[2] + (bits >> 2 & 1));
}

static void split6(const sp_grid *grid, const int cell[3], int *tets) {
    int from = 0;
    bool turned = false;
    for (int a = 0; a < 3; a++) {
        if (!grid->mirror[a] || 2 * cell[a] >= grid->cells[a]) continue;
        from |= 1 << a;
        turned = !turned;
    }
    for (int p = 0; p < 6; p++, tets += 4) {
        int at = from;
        tets[0] = grid_corner(grid, cell, at);
        for (int k = 0; k < 3; k++) tets[k + 1] = grid_corner(grid, cell, at ^= 1 << orders[p][k]);
        if (odd_order[p] != turned) swap_last(tets);
    }
}

static void split5(const sp_grid *grid, const int cell[3], int *tets) {
    bool odd = (cell[0] + cell[1] + cell[2]) % 2 != 0;
    int flip = odd ? 1 : 0;
    static const int middle[4] = {0, 5, 3, 6};
    for (int k = 0; k < 4; k++) tets[k] = grid_corner(grid, cell, middle[k] ^ flip);
    if (odd) swap_last(tets);
    static const int cut[4] = {1, 2, 4, 7};
    for (int c = 0; c < 4; c++) {
        int *tet = tets + 4 * (c + 1), at = cut[c] ^ flip;
        const int ends[4] = {at, at ^ 1, at ^ 4, at ^ 2};
        for (int k = 0; k < 4; k++) tet[k] = grid_corner(grid, cell, ends[k]);
        if (odd) swap_last(tet);
    }
}

static void keep_cell(const sp_grid *grid, const int cell[3], int *nodes) {
    static const int bits[8] = {0, 1, 3, 2, 4, 5, 7, 6};
    for (int k = 0; k < 8; k++) nodes[k] = grid_corner(grid, cell, bits[k]);
}

static sp_status grid_check(sp_context *ctx, const sp_grid *grid) {
    double tets = grid->per_cell;
    for (int a = 0; a < 3; a++) {
        if (grid->cells[a] < 1) return SP_FAIL(ctx, SP_BAD_INPUT, "cells = %d, must be at least 1", grid->cells[a]);
        tets *= grid->cells[a];
    }
    if (tets > SP_TETS_MAX)
        return SP_FAIL(ctx, SP_BAD_INPUT, "%d x %d x %d cells make %g elements, must be at most %d", grid->cells[0],
                       grid->cells[1], grid->cells[2], tets, SP_TETS_MAX);
    return SP_OK;
}

static void grid_fill(const sp_grid *grid, sp_grid_place *place, const void *arg, double *x, int *nodes) {
    const int *n = grid->cells;
    for (int i = 0; i < node_layers(grid); i++)
        for (int j = 0; j <= n[1]; j++)
            for (int l = 0; l <= n[2]; l++) place(arg, i, j, l, x + 3 * (size_t)node_number(grid, i, j, l));
    for (int i = 0; i < n[0]; i++)
        for (int j = 0; j < n[1]; j++)
            for (int l = 0; l < n[2]; l++) {
                const int cell[3] = {i, j, l};
                (grid->per_cell == 1 ? keep_cell : grid->per_cell == 5 ? split5 : split6)(grid, cell, nodes);
                nodes += grid->per_cell == 1 ? 8 : 4 * grid->per_cell;
            }
}

sp_status sp__grid_mesh(sp_context *ctx, const sp_grid *grid, sp_grid_place *place, const void *arg, sp_mesh **out) {
    *out = NULL;
    SP_TRY(grid_check(ctx, grid));
    sp_mesh_def def = sp_mesh_def_default();
    sp_element_type type = grid->per_cell == 1 ? SP_ELEMENT_HEX8 : SP_ELEMENT_TET4;
    // 2^27 elements have at most 2^28 nodes, also if the grid is one cell thick in two directions
    def.node_count = node_layers(grid) * (grid->cells[1] + 1) * (grid->cells[2] + 1);
    def.element_count = grid->cells[0] * grid->cells[1] * grid->cells[2] * grid->per_cell;
    def.fix_orientation = false;
    double *x = NULL;
    int *nodes = NULL;
    sp_element_type *types = NULL;
    sp_status status;
    if (SP_NEW(ctx, x, 3 * (size_t)def.node_count) &&
        SP_NEW(ctx, nodes, (size_t)def.element_count * (size_t)sp_element_nodes(type)) &&
        (type == SP_ELEMENT_TET4 || SP_NEW(ctx, types, def.element_count))) {
        grid_fill(grid, place, arg, x, nodes);
        for (int e = 0; e < def.element_count && types; e++) types[e] = type;
        def.positions = x;
        def.element_types = types;
        def.element_nodes = nodes;
        status = sp_mesh_create(ctx, &def, out);
    } else {
        status = SP_FAIL(ctx, SP_NO_MEMORY, "no memory for a mesh of %d elements", def.element_count);
    }
    sp__free(ctx, x);
    sp__free(ctx, nodes);
    sp__free(ctx, types);
    return status;
}
