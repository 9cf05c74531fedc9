// Shared by the readers and writers of VTK's two file formats: the grid in VTK's terms, and its columns of numbers.
#ifndef SP_MESH_VTK_H
#define SP_MESH_VTK_H

#include "io/mesh/mesh_tokens.h"

typedef enum sp_vtk_role {
    SP_VTK_PLAIN,
    SP_VTK_SCALARS,
    SP_VTK_NORMALS,
    SP_VTK_TEXCOORDS,
    SP_VTK_IDS,
    SP_VTK_COLORS
} sp_vtk_role;

#define SP_VTK_NODE_IDS "GlobalNodeId"
#define SP_VTK_CELL_IDS "GlobalElementId"
#define SP_VTK_COLOR_NAME "colors"

// ------------------------------------------------------------------------------------------------ reading (mesh_vtk_grid.c)

enum { SP_VTK_ARRAYS_MAX = 4096 };

// Cells of a file: nodes[start[i]] .. nodes[start[i + 1] - 1].
typedef struct sp_vtk_lists {
    int64_t count;
    int64_t *start;
    int *nodes;
} sp_vtk_lists;

typedef struct sp_vtk_array {
    const char *name;
    int components;
    bool on_cells;
    sp_number type;
    sp_vtk_role role;
    double *values;
} sp_vtk_array;

typedef struct sp_vtk_grid {
    sp_cells *cells;  // x and node_count are already set
    sp_vtk_lists lists;
    unsigned char *type;  // VTK's cell types
    int line;             // line of the cells, for messages
    int64_t offset;
    sp_vtk_array *arrays;
    int array_count, array_capacity;
} sp_vtk_grid;

// Adds an array and allocates its values; NULL: no memory.
sp_vtk_array *sp__vtk_add_array(sp_vtk_grid *g, const char *name, bool on_cells, int components, sp_number type);
// VTK's cell type for n nodes of VTK's polygonal data: vertices, lines, polygons or strips (kind 0..3).
unsigned char sp__vtk_poly_type(int kind, int64_t n);
// Fills the cells, arrays and groups of `cells` from the grid.
sp_status sp__vtk_settle(sp_vtk_grid *g);

// ------------------------------------------------------------------------------------------------ writing (mesh_vtk_grid.c)

typedef enum sp_vtk_place {
    SP_VTK_POINTS,
    SP_VTK_CONNECTIVITY,
    SP_VTK_OFFSETS,
    SP_VTK_TYPES,
    SP_VTK_POINT_DATA,
    SP_VTK_CELL_DATA
} sp_vtk_place;

typedef struct sp_vtk_column {
    const char *name;
    sp_vtk_place place;
    sp_vtk_role role;
    sp_number type;
    int components;
    int64_t tuples;
    const double *values;  // NULL: computed on demand
    int label;             // label of a group column; -1: none
} sp_vtk_column;

typedef struct sp_vtk_columns {
    const sp_cells *cells;
    sp_keep keep;
    int cell_count;  // cells of types that VTK has
    int *kept;       // their indices; NULL: all cells
    int64_t *start;  // offsets of the nodes of the kept cells
    sp_members of_nodes, of_cells;
    sp_labels labels;
    sp_vtk_column *list;
    int count;
} sp_vtk_columns;

// All columns to write, in the order points, connectivity, offsets, types, data. Free the keep afterwards, also after a failure.
sp_status sp__vtk_columns(const sp_cells *cells, sp_vtk_columns *out);
// n values of a column, starting at `first`.
void sp__vtk_column_get(const sp_vtk_columns *c, const sp_vtk_column *column, int64_t first, int64_t n, double *out);

sp_status sp__vtu_write(const sp_cells *cells, const char *path, const sp_mesh_write_options *options);

// ------------------------------------------------------------------------------------------------ XML files

// Decompresses with zlib, if available (mesh_vtu_write.c). `size` bytes must give exactly `bytes` bytes.
bool sp__vtu_inflate(const unsigned char *from, size_t size, unsigned char *out, size_t bytes);
bool sp__vtu_has_zlib(void);

#endif
