// sp_cells: creation, destruction, error messages, and the table of cell types.
#include "io/mesh/cells.h"

#include <stdarg.h>
#include <stdio.h>

void sp__cells_init(sp_context *ctx, const char *file, sp_cells *cells) {
    *cells = (sp_cells){.ctx = ctx, .file = file, .keep = {ctx, NULL}};
}

void sp__cells_free(sp_cells *cells) {
    if (!cells->ctx) return;
    sp__keep_free(&cells->keep);
    sp__cells_init(cells->ctx, "", cells);
}

sp_status sp__cells_no_memory(const sp_cells *cells) {
    return SP_FAIL(cells->ctx, SP_NO_MEMORY, "%s: no memory for the mesh", cells->file);
}

bool sp__cells_reserve_nodes(sp_cells *cells, int node_count) {
    if (!SP_KEEP(&cells->keep, cells->x, 3 * (size_t)node_count)) return false;
    cells->node_count = node_count;
    return true;
}

bool sp__cells_reserve(sp_cells *cells, int cell_count, int64_t corner_count) {
    if (!SP_KEEP(&cells->keep, cells->type, cell_count) || !SP_KEEP(&cells->keep, cells->start, (size_t)cell_count + 1) ||
        !SP_KEEP(&cells->keep, cells->nodes, corner_count))
        return false;
    cells->cell_count = cell_count;
    return true;
}

sp_status sp__cells_fail(sp_cells *cells, int line, int64_t offset, int source_line, const char *format, ...) {
    char text[320];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    sp_context *ctx = cells->ctx;
    if (line > 0) return sp__context_fail(ctx, SP_BAD_INPUT, __FILE__, source_line, "%s:%d: %s", cells->file, line, text);
    if (offset >= 0)
        return sp__context_fail(ctx, SP_BAD_INPUT, __FILE__, source_line, "%s: at byte %lld: %s", cells->file, (long long)offset,
                                text);
    return sp__context_fail(ctx, SP_BAD_INPUT, __FILE__, source_line, "%s: %s", cells->file, text);
}

// ------------------------------------------------------------------------------------------------ cell types

static const struct {
    const char *name;
    int dimension, corners, nodes;
} kinds[] = {
    [SP_CELL_POINT] = {"points", 0, 1, 1},
    [SP_CELL_LINE] = {"lines", 1, 2, 2},
    [SP_CELL_TRIANGLE] = {"triangles", 2, 3, 3},
    [SP_CELL_QUAD] = {"quadrangles", 2, 4, 4},
    [SP_CELL_POLYGON] = {"polygons", 2, 0, 0},
    [SP_CELL_TET] = {"tetrahedra", 3, 4, 4},
    [SP_CELL_PYRAMID] = {"pyramids", 3, 5, 5},
    [SP_CELL_WEDGE] = {"wedges", 3, 6, 6},
    [SP_CELL_HEX] = {"hexahedra", 3, 8, 8},
    [SP_CELL_LINE3] = {"quadratic lines", 1, 2, 3},
    [SP_CELL_TRIANGLE6] = {"quadratic triangles", 2, 3, 6},
    [SP_CELL_TET10] = {"quadratic tetrahedra", 3, 4, 10},
    [SP_CELL_OTHER] = {"cells of other kinds", -1, 0, 0},
};

const char *sp__cell_name(int type) {
    return kinds[type].name;
}

int sp__cell_dimension(int type) {
    return kinds[type].dimension;
}

int sp__cell_corners(int type) {
    return kinds[type].corners;
}

int sp__cell_nodes(int type) {
    return kinds[type].nodes;
}
