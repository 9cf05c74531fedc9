// Shared by the parts of the reader of VTK's XML files.
#ifndef SP_MESH_VTU_H
#define SP_MESH_VTU_H

#include "io/mesh/mesh_vtk.h"

// ------------------------------------------------------------------------------------------------ tags (mesh_vtu_xml.c)

typedef struct sp_slice {
    const char *at;
    size_t size;
} sp_slice;

enum { SP_XML_ATTRIBUTES = 24 };

typedef struct sp_xml_tag {
    sp_slice name;
    bool closing, alone;  // </a>, <a/>
    int line;
    sp_slice names[SP_XML_ATTRIBUTES], values[SP_XML_ATTRIBUTES];
    int count;
    const char *end;  // after its '>'
} sp_xml_tag;

typedef struct sp_xml {
    sp_cells *cells;
    const char *at, *end;
    int line;
} sp_xml;

// Reads the next tag; comments and processing instructions are skipped. tag->name.size is 0 at the end of the file.
sp_status sp__xml_next(sp_xml *x, sp_xml_tag *tag);
bool sp__xml_is(const sp_slice *slice, const char *text);
const sp_slice *sp__xml_find(const sp_xml_tag *tag, const char *name);  // the value of the attribute, or NULL
// The text with the five predefined entities resolved, kept; NULL: no memory.
char *sp__xml_text(sp_keep *keep, const sp_slice *slice);
// An integer attribute; `absent` is the default.
sp_status sp__xml_integer(sp_xml *x, const sp_xml_tag *tag, const char *name, int64_t absent, int64_t low, int64_t high,
                          int64_t *out);

// ------------------------------------------------------------------------------------------------ data arrays

typedef enum sp_vtu_section {
    SP_VTU_VERTS,
    SP_VTU_LINES,
    SP_VTU_POLYS,
    SP_VTU_STRIPS,  // the four lists are in the order of the cell data
    SP_VTU_CELLS,
    SP_VTU_POINTS,
    SP_VTU_POINT_DATA,
    SP_VTU_CELL_DATA,
    SP_VTU_OTHER
} sp_vtu_section;

typedef enum sp_vtu_format { SP_VTU_ASCII, SP_VTU_BASE64, SP_VTU_APPENDED } sp_vtu_format;

typedef struct sp_vtu_data {
    int piece;
    sp_vtu_section section;
    sp_slice name;
    sp_number type;
    int64_t components;
    sp_vtu_format format;
    sp_vtk_role role;
    const char *begin, *end;  // text between its tags
    int line;
    int64_t offset;  // in the appended data
} sp_vtu_data;

typedef struct sp_vtu_piece {
    int64_t points, cells;
    int64_t kinds[4];  // verts, lines, polys, strips
    int first_data, data_count;
    int64_t first_point, first_cell, first_corner;
} sp_vtu_piece;

typedef struct sp_vtu {
    sp_xml x;
    const char *begin;
    bool polygonal, swap, wide_header, compressed;
    bool raw;                             // the appended data are bytes, not base64
    const char *appended, *appended_end;  // NULL: there are none
    sp_vtu_piece *pieces;
    int piece_count, piece_capacity;
    sp_vtu_data *data;
    int data_count, data_capacity;
    int64_t used;  // bytes of the file that the arrays so far occupy
    unsigned char *scratch;
    sp_vtk_grid grid;
} sp_vtu;

// Fails at an array, with its line, or with its offset in the appended data.
sp_status sp__vtu_fail(sp_vtu *r, const sp_vtu_data *d, int source_line, const char *format, ...) SP_PRINTF(4, 5);
#define SP_VTU_FAIL(r, d, ...) sp__vtu_fail((r), (d), __LINE__, __VA_ARGS__)

// Reads exactly n numbers of an array (mesh_vtu_data.c).
sp_status sp__vtu_doubles(sp_vtu *r, const sp_vtu_data *d, bool finite, int64_t n, double *out);
sp_status sp__vtu_integers(sp_vtu *r, const sp_vtu_data *d, int64_t n, int64_t *out);
// Fails if the data of an array cannot hold n numbers, at the best compression ratio. Call before memory is allocated for them.
sp_status sp__vtu_check_size(sp_vtu *r, const sp_vtu_data *d, int64_t n);

// Decompresses with zlib, if available (mesh_vtu_zlib.c). `size` bytes must give exactly `bytes` bytes.
bool sp__vtu_inflate(const unsigned char *from, size_t size, unsigned char *out, size_t bytes);
bool sp__vtu_has_zlib(void);

// Finds the pieces and arrays of the file (mesh_vtu_scan.c).
sp_status sp__vtu_scan(sp_vtu *r);

#endif
