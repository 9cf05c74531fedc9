// The contents of a mesh file, independent of its format: points, cells of any type, groups, arrays. Readers fill it and writers
// write it. The conversion to and from tetrahedra or triangles (cells_mesh.c) and the choice of the format (formats.c) exist
// once.
//
// A reader gets the whole file in memory. It checks every count against the bytes that are left before it allocates, and every
// error message names the file and the line (text) or byte offset (binary). Allocations belong to `keep`.
#ifndef SP_CELLS_H
#define SP_CELLS_H

#include "io/file/text_file.h"
#include "souple/io.h"

typedef enum sp_cell_type {
    SP_CELL_POINT,
    SP_CELL_LINE,
    SP_CELL_TRIANGLE,
    SP_CELL_QUAD,
    SP_CELL_POLYGON,
    SP_CELL_TET,
    SP_CELL_PYRAMID,
    SP_CELL_WEDGE,
    SP_CELL_HEX,
    SP_CELL_LINE3,  // quadratic types: corner nodes first, then the mid-edge nodes in VTK's order
    SP_CELL_TRIANGLE6,
    SP_CELL_TET10,
    SP_CELL_OTHER  // unknown type: counted and reported, not used
} sp_cell_type;

// A named set of cells and nodes: a physical group of Gmsh, a region marker of TetGen, a group of OBJ.
typedef struct sp_cells_group {
    const char *name;  // never NULL; the number in decimal if the file has no name
    int dimension;     // dimension of its cells, 0..3; -1: nodes only
    int64_t number;    // tag, unique in its dimension; in a mesh also a second name of the group; 0: none
    int *cells;
    int cell_count;
    int *nodes;  // nodes listed separately, in addition to those of its cells
    int node_count;
} sp_cells_group;

typedef struct sp_cells_array {
    const char *name;
    int components;  // 1..9
    bool on_cells;
    bool integral;   // integers in the file, read and written as such
    double *values;  // node_count or cell_count x components
} sp_cells_array;

typedef struct sp_cells {
    sp_context *ctx;
    const char *file;    // for messages
    const char *format;  // format of the file, as in "Gmsh 4.1"; NULL: not from a file
    sp_keep keep;
    int node_count, cell_count;
    double *x;            // node_count x 3
    int64_t *node_ids;    // node numbers of the file; NULL: 0, 1, 2, ...
    int64_t *cell_ids;    // cell numbers of the file, likewise
    unsigned char *type;  // sp_cell_type per cell
    int64_t *start;       // cell_count + 1 offsets into `nodes`
    int *nodes;           // node indices, 0..node_count-1
    sp_cells_group *groups;
    int group_count;
    sp_cells_array *arrays;
    int array_count;
    // surfaces: as in sp_trimesh_def, but with one entry per entry of `nodes` (start[cell_count] of them)
    int texcoord_count, normal_count;
    double *texcoords, *normals, *colors;
    int *corner_texcoords, *corner_normals;
} sp_cells;

// Reads any format. Call sp__cells_free(cells) afterwards, also after a failure.
sp_status sp__cells_read(sp_context *ctx, const char *path, sp_cells *cells);
// The same from memory (text[size] must be 0). `path` is used in messages and, for TetGen, to find the other files of the mesh.
sp_status sp__cells_parse(sp_context *ctx, const char *text, size_t size, const char *path, sp_cells *cells);
sp_status sp__cells_write(const sp_cells *cells, const char *path, const sp_mesh_write_options *options);
void sp__cells_free(sp_cells *cells);

// An empty sp_cells for a file of that name; then memory for its nodes, cells and cell nodes (x, type, start, nodes; call once).
void sp__cells_init(sp_context *ctx, const char *file, sp_cells *cells);
sp_status sp__cells_no_memory(const sp_cells *cells);
bool sp__cells_reserve_nodes(sp_cells *cells, int node_count);
bool sp__cells_reserve(sp_cells *cells, int cell_count, int64_t corner_count);

// Name of a cell type in messages ("tetrahedra"), its dimension (-1: other) and its number of corner nodes (0: any).
const char *sp__cell_name(int type);
int sp__cell_dimension(int type);
int sp__cell_corners(int type);
int sp__cell_nodes(int type);  // including mid-edge nodes; 0: any

// Splits one volume cell into tetrahedra, up to 6 x 4 nodes, conforming with its neighbours. Returns their number.
int sp__cell_split(int type, const int *nodes, int out[24]);
int sp__cell_split_count(int type);
// Triangulates a face of n corners into n - 2 triangles of corner indices 0..n-1. Concave faces are allowed.
// `capacity` has n entries.
void sp__polygon_split(const double *x, const int *corners, int n, int *out, int *capacity);

// Tetrahedra, also quadratic ones, and hexahedra make a mesh. If there are wedges, pyramids or hexahedra with repeated nodes, or
// with `tetrahedra`, all volume cells are split into linear tetrahedra, which share the array values and groups of their cell.
// Unused nodes are left out. An array of several components becomes one array per component ("v.x", "v.y", "v.z"); the writer
// joins them again.
sp_status sp__cells_to_mesh(const sp_cells *cells, bool tetrahedra, sp_mesh **out);
sp_status sp__cells_to_trimesh(const sp_cells *cells, sp_trimesh **out);
sp_status sp__cells_from_mesh(const sp_mesh *mesh, sp_cells *cells);  // elements and groups
sp_status sp__cells_from_trimesh(const sp_trimesh *surface, sp_cells *cells);

// "beam.msh:12: ..." for texts (line > 0), "beam.msh: at byte 120: ..." for binaries (offset >= 0).
#define SP_CELLS_FAIL(cells, line, offset, ...) sp__cells_fail((cells), (line), (offset), __LINE__, __VA_ARGS__)
sp_status sp__cells_fail(sp_cells *cells, int line, int64_t offset, int source_line, const char *format, ...) SP_PRINTF(5, 6);

// Name of the k-th component of an array, as in "v.x"; for an array of one component, the name of the array.
void sp__cells_component_name(const sp_cells_array *array, int k, char *out, size_t size);

// ------------------------------------------------------------------------------------------------ groups as arrays

// Groups in formats that have only numbers per cell and point (VTK, PLY), and the list of groups per cell.
//
// A group is stored as an integer array "group:<name>": the number of the group (-1 if it has none) on its cells and nodes, 0
// elsewhere, so that a viewer can colour and threshold by it. Groups of equal name share the array; when it is read, cells of
// different dimensions become different groups. Arrays of group numbers of other programs ("gmsh:physical", "medit:ref", ...)
// become groups that are named by their numbers.
#define SP_GROUP_PREFIX "group:"

// Groups of each cell or node: groups[start[i]] .. groups[start[i + 1] - 1].
typedef struct sp_members {
    size_t *start;
    int *groups;
} sp_members;

// Value of the array of a group on its cells and nodes.
static inline double sp__members_mark(const sp_cells_group *group) {
    return group->number ? (double)group->number : -1;
}

// Distinct group names, in the order of their first appearance.
typedef struct sp_labels {
    int count;
    const char **names;
    int *of_group;              // label of each group
    bool *on_nodes, *on_cells;  // whether any of its groups has nodes, cells
} sp_labels;

// The memory belongs to `keep`; false: no memory.
bool sp__labels(const sp_cells *cells, sp_keep *keep, sp_labels *out);
// Value of the array of a label at a node or cell: 0 if it is in none of its groups.
double sp__label_mark(const sp_cells *cells, const sp_labels *labels, const sp_members *members, int label, size_t place);
bool sp__members(const sp_cells *cells, bool on_cells, sp_keep *keep, sp_members *out);

// Removes the arrays that encode groups from cells->arrays and creates the groups.
sp_status sp__members_from_arrays(sp_cells *cells);

// Adds a group; the caller fills its cells and nodes. NULL: no memory.
sp_cells_group *sp__members_add(sp_cells *cells, int *capacity, const char *name, int dimension, int64_t number);

// Texture coordinates and normals per corner, for formats that store them per vertex.
// One tuple of `width` numbers per node: the values themselves if they are per node, else those of the corners if all corners of
// a node agree and every node has a corner. *out = NULL: not possible. The memory belongs to `keep`; false: no memory.
bool sp__corners_per_node(const sp_cells *cells, const double *values, const int *corners, int width, sp_keep *keep,
                          const double **out);

// ------------------------------------------------------------------------------------------------ formats

// A file format. `knows` inspects the first bytes (at most 4096 and a terminating zero); `suffixes` decide if no format
// knows them.
typedef struct sp_mesh_format {
    const char *name;      // "msh"
    const char *suffixes;  // ".msh", or several, separated by spaces
    const char *what;      // "Gmsh 4.1"
    bool (*knows)(const char *head, size_t size);
    sp_status (*read)(sp_cells *cells, const char *text, size_t size, const char *path);                // text[size] is 0
    sp_status (*write)(const sp_cells *cells, const char *path, const sp_mesh_write_options *options);  // nullable
} sp_mesh_format;

// One per format, in mesh_<format>.c.
extern const sp_mesh_format sp__format_msh, sp__format_msh2, sp__format_tetgen, sp__format_vtk, sp__format_vtu, sp__format_obj,
    sp__format_stl, sp__format_ply;

// Gmsh, shared by mesh_msh.c and mesh_msh_write.c.
int sp__msh_type_of(int cell);  // Gmsh's number of a cell type; 0: none
// Converts between Gmsh's node order and ours (its own inverse).
void sp__msh_reorder(int cell, int *nodes);
sp_status sp__msh_write2(const sp_cells *cells, const char *path, const sp_mesh_write_options *options);
sp_status sp__msh_write4(const sp_cells *cells, const char *path, const sp_mesh_write_options *options);

#endif
