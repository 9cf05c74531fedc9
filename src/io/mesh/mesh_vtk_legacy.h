// What the parts of the reader of legacy VTK files share.
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
    sp_vtk_data data;  // what the attributes at hand belong to
    sp_vtk_grid grid;
} sp_vtk_legacy;

// A refusal at the line or byte at hand.
#define SP_VTK_FAIL(r, ...) \
    sp__cells_fail((r)->w.cells, (r)->binary ? 0 : (r)->w.line, (r)->binary ? (r)->w.at - (r)->begin : -1, __LINE__, __VA_ARGS__)

// The name of a type of numbers.
sp_status sp__vtk_legacy_type(sp_vtk_legacy *r, sp_number *out);
// Whether the rest of the file can hold n numbers of the type.
sp_status sp__vtk_legacy_room(sp_vtk_legacy *r, const char *what, int64_t n, sp_number type);
// n numbers, after the newline that ends the line before them in a binary file; sp__vtk_legacy_room has been asked.
sp_status sp__vtk_legacy_doubles(sp_vtk_legacy *r, const char *what, sp_number type, bool finite, int64_t n, double *out);
sp_status sp__vtk_legacy_integers(sp_vtk_legacy *r, const char *what, sp_number type, int64_t n, int64_t *out);
// One attribute of points or cells, a field, a lookup table; metadata up to its empty line.
sp_status sp__vtk_legacy_attribute(sp_vtk_legacy *r);
sp_status sp__vtk_legacy_metadata(sp_vtk_legacy *r);

#endif
