// Shared by the parts of the PLY reader and the writer.
#ifndef SP_MESH_PLY_H
#define SP_MESH_PLY_H

#include "io/mesh/mesh_numbers.h"
#include "io/mesh/mesh_words.h"

// Destination of the values of a property.
typedef enum sp_ply_role {
    SP_PLY_SKIP,
    SP_PLY_FINITE,     // to every `step`-th entry of `out`, divided by `over`; must be finite
    SP_PLY_VALUES,     // the same, but any value
    SP_PLY_NODES,      // list: nodes of a cell
    SP_PLY_TEXCOORDS,  // list: two numbers per corner
    SP_PLY_ARRAY,      // list of constant length: array of that many components
    SP_PLY_END         // end of an edge: to every second entry of int_out
} sp_ply_role;

typedef struct sp_ply_property {
    const char *name;
    bool list;
    sp_number type, count_type;
    sp_ply_role role;
    double *out;
    int step;
    double over;
    int *int_out;
    int64_t components;  // of a list that becomes an array, known from its first row; -1: unknown
} sp_ply_property;

typedef enum sp_ply_kind { SP_PLY_OTHER, SP_PLY_VERTEX, SP_PLY_FACE, SP_PLY_TET, SP_PLY_EDGE } sp_ply_kind;

typedef struct sp_ply_element {
    const char *name;
    sp_ply_kind kind;
    int64_t count;
    int first_property, property_count;
    int first_cell;  // index of its first cell, if its rows are cells
} sp_ply_element;

typedef struct sp_ply {
    sp_words w;  // binary: w.at is the next byte
    const char *begin;
    bool ascii, swap;
    sp_ply_element *elements;
    int element_count, element_capacity;
    sp_ply_property *properties;
    int property_count, property_capacity;
    int64_t array_values;  // total size of the arrays so far
    int64_t corner_count, corner_capacity;
    int64_t *uv_start;  // offset of the texture coordinates of each cell; NULL: the file has no such lists
    int64_t uv_count, uv_capacity;
    double *uv;
} sp_ply;

// Fails with the current line or byte offset.
#define SP_PLY_FAIL(r, ...) \
    sp__cells_fail((r)->w.cells, (r)->ascii ? (r)->w.line : 0, (r)->ascii ? -1 : (r)->w.at - (r)->begin, __LINE__, __VA_ARGS__)

sp_status sp__ply_header(sp_ply *r);                                        // mesh_ply_header.c
sp_status sp__ply_plan(sp_ply *r);                                          // destinations and allocation
bool sp__ply_array_reserve(sp_ply *r, int64_t tuples, int64_t components);  // false: more than the file could hold
sp_status sp__ply_rows(sp_ply *r, const sp_ply_element *element);           // mesh_ply_rows.c
sp_status sp__ply_read(sp_cells *cells, const char *text, size_t size, const char *path);
sp_status sp__ply_write(const sp_cells *cells, const char *path, const sp_mesh_write_options *options);

#endif
