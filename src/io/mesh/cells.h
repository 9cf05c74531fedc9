// What a mesh file holds, whatever its format: points, cells of any kind, groups, arrays. Readers fill it, writers empty it; how
// it becomes tetrahedra or triangles, and back, is written once (cells.c), as is the choice of a format (formats.c).
//
// A reader gets the whole file in memory (bounded by its own size), believes no count before it has compared it with the bytes
// that are left, and names file and line (text) or byte offset (binary) in every refusal. All it allocates is kept by `keep`.
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
    SP_CELL_LINE3,  // quadratic kinds: corners first, then the middle nodes in VTK's order
    SP_CELL_TRIANGLE6,
    SP_CELL_TET10,
    SP_CELL_OTHER  // counted, named in messages, not used
} sp_cell_type;

// A named set of cells and nodes: a physical group of Gmsh, a region marker of TetGen, a group of OBJ.
typedef struct sp_cells_group {
    const char *name;  // never NULL: the number in decimal where the file has none
    int dimension;     // of its cells, 0..3; -1: nodes alone
    int64_t number;    // in its dimension, by which it also goes in a mesh; 0: none, it goes by its name alone
    int *cells;
    int cell_count;
    int *nodes;  // nodes listed on their own, beside those of its cells
    int node_count;
} sp_cells_group;

typedef struct sp_cells_array {
    const char *name;
    int components;  // 1..9
    bool on_cells;
    bool integral;   // was and will be written as whole numbers
    double *values;  // node_count or cell_count times components
} sp_cells_array;

typedef struct sp_cells {
    sp_context *ctx;
    const char *file;    // for messages
    const char *format;  // what it was read as: "Gmsh 4.1"; NULL: not from a file
    sp_keep keep;
    int node_count, cell_count;
    double *x;            // node_count x 3
    int64_t *node_ids;    // numbers of the file; NULL: 0, 1, 2, ...
    int64_t *cell_ids;    // likewise
    unsigned char *type;  // sp_cell_type per cell
    int64_t *start;       // cell_count + 1: where the nodes of a cell begin
    int *nodes;           // places 0..node_count-1
    sp_cells_group *groups;
    int group_count;
    sp_cells_array *arrays;
    int array_count;
    // surfaces: as in sp_trimesh_def, except that the corners are those of `nodes` (start[cell_count] numbers)
    int texcoord_count, normal_count;
    double *texcoords, *normals, *colors;
    int *corner_texcoords, *corner_normals;
} sp_cells;

// A format: `knows` looks at the first bytes (at most 4096 and the terminating zero), `suffix` decides where nothing is known.
typedef struct sp_mesh_format {
    const char *name;      // "msh"
    const char *suffixes;  // ".msh", or several parted by spaces
    const char *what;      // "Gmsh 4.1"
    bool (*knows)(const char *head, size_t size);
    sp_status (*read)(sp_cells *cells, const char *text, size_t size, const char *path);                // text[size] is 0
    sp_status (*write)(const sp_cells *cells, const char *path, const sp_mesh_write_options *options);  // nullable
} sp_mesh_format;

extern const sp_mesh_format sp__format_msh, sp__format_msh2, sp__format_tetgen;  // mesh_msh*.c, mesh_tetgen.c
extern const sp_mesh_format sp__format_vtk, sp__format_vtu, sp__format_obj, sp__format_stl, sp__format_ply;  // mesh_vtk*.c ...

// Read any format. On any outcome sp__cells_free(cells) releases it.
sp_status sp__cells_read(sp_context *ctx, const char *path, sp_cells *cells);
// The same from memory (text[size] must be 0); `path` stands in messages and, for TetGen, for the files beside it.
sp_status sp__cells_parse(sp_context *ctx, const char *text, size_t size, const char *path, sp_cells *cells);
sp_status sp__cells_write(const sp_cells *cells, const char *path, const sp_mesh_write_options *options);
void sp__cells_free(sp_cells *cells);

// Nothing yet, for a file of that name; then the room for so many nodes, cells and corners: x, type, start, nodes, each once.
void sp__cells_init(sp_context *ctx, const char *file, sp_cells *cells);
sp_status sp__cells_no_memory(const sp_cells *cells);
bool sp__cells_nodes_room(sp_cells *cells, int node_count);
bool sp__cells_room(sp_cells *cells, int cell_count, int64_t corner_count);

// What a kind is called in messages ("tetrahedra"), its dimension (-1: other) and its corners without middle nodes (0: any).
const char *sp__cell_name(int type);
int sp__cell_dimension(int type);
int sp__cell_corners(int type);
int sp__cell_nodes(int type);  // with middle nodes; 0: any

// Tetrahedra of one volume cell, up to 6 x 4 nodes, face to face with its neighbours' (cells_split.c); returns how many.
int sp__cell_split(int type, const int *nodes, int out[24]);
int sp__cell_split_count(int type);
// A face of n corners into n - 2 triangles of places 0..n-1; `room` has n places. Concave ones are cut as they should be.
void sp__polygon_split(const double *x, const int *corners, int n, int *out, int *room);

// Tetrahedra, pyramids, wedges and hexahedra make a mesh; nodes of none are left out, parts of a cell share its arrays and
// groups. An array of several components becomes one per component, "v.x", "v.y", "v.z", and one again when it is written.
sp_status sp__cells_to_mesh(const sp_cells *cells, sp_mesh **out);
sp_status sp__cells_to_trimesh(const sp_cells *cells, sp_trimesh **out);
sp_status sp__cells_from_mesh(const sp_mesh *mesh, sp_cells *cells);  // tetrahedra and groups
sp_status sp__cells_from_trimesh(const sp_trimesh *surface, sp_cells *cells);

// "beam.msh:12: ..." for texts (line > 0), "beam.msh: at byte 120: ..." for binaries (offset >= 0).
#define SP_CELLS_FAIL(cells, line, offset, ...) sp__cells_fail((cells), (line), (offset), __LINE__, __VA_ARGS__)
sp_status sp__cells_fail(sp_cells *cells, int line, int64_t offset, int source_line, const char *format, ...) SP_PRINTF(5, 6);

// What the k-th component of an array is called on its own: "v.x"; an array of one component by its name.
void sp__cells_component_name(const sp_cells_array *array, int k, char *out, size_t size);

// A file that is written beside its place and moved there when whole; removed otherwise.
typedef struct sp_new_file {
    sp_context *ctx;
    void *stream;  // FILE
    char *path, *draft;
} sp_new_file;
sp_status sp__new_file_open(sp_context *ctx, const char *path, sp_new_file *f);
sp_status sp__new_file_close(sp_new_file *f, bool good);  // good and nothing failed: moved

#endif
