// Shared by the parts of the reader of legacy VTK files.
#ifndef SP_MESH_VTK_LEGACY_H
#define SP_MESH_VTK_LEGACY_H

#include "io/mesh/mesh_vtk.h"

typedef enum sp_vtk_data { SP_VTK_ON_NOTHING, SP_VTK_ON_POINTS, SP_VTK_ON_CELLS } sp_vtk_data;

typedef struct sp_vtk_legacy {
    sp_words w;  // binary: w.at is the next byte
    const char *begin;
    bool binary, swap, binary_next, polygonal, has_points, closed;
    sp_vtk_lists lists[4];  // the cells, or vertices, lines, polygons and strips
    unsigned char *type;
    int64_t type_count;
    sp_vtk_data data;  // whether the current attributes belong to points or cells
    sp_vtk_grid grid;
} sp_vtk_legacy;

// Fails with the current line or byte offset.
#define SP_VTK_FAIL(r, ...) \
    sp__cells_fail((r)->w.cells, (r)->binary ? 0 : (r)->w.line, (r)->binary ? (r)->w.at - (r)->begin : -1, __LINE__, __VA_ARGS__)

// Reads the name of a number type.
sp_status sp__vtk_legacy_type(sp_vtk_legacy *r, sp_number *out);
// Fails if the rest of the file cannot hold n numbers of the type.
sp_status sp__vtk_legacy_reserve(sp_vtk_legacy *r, const char *what, int64_t n, sp_number type);
// Reads n numbers; in a binary file they begin after the newline. Call sp__vtk_legacy_reserve first.
sp_status sp__vtk_legacy_doubles(sp_vtk_legacy *r, const char *what, sp_number type, bool finite, int64_t n, double *out);
sp_status sp__vtk_legacy_integers(sp_vtk_legacy *r, const char *what, sp_number type, int64_t n, int64_t *out);
// Reads one attribute of points or cells, a field or a lookup table. Metadata ends with an empty line.
sp_status sp__vtk_legacy_attribute(sp_vtk_legacy *r);
sp_status sp__vtk_legacy_metadata(sp_vtk_legacy *r);

#endif
