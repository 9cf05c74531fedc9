// Writer of the data arrays of VTK's XML files: text, base64 or appended bytes, compressed or not. A recording converts each
// frame to an sp_cells (positions as x, fields as arrays) and calls sp__cells_write, which uses these functions.
//
// In appended mode the tags come first and the bytes last: sp__vtu_array writes the tag and stores the array, sp__vtu_appended
// writes the bytes of all arrays and then the offsets into the space reserved in the tags.
#ifndef SP_VTU_WRITE_H
#define SP_VTU_WRITE_H

#include <stdio.h>

#include "io/mesh/cells.h"
#include "io/mesh/mesh_numbers.h"

// n values of an array, starting at `first`.
typedef void sp_vtu_get(const void *user, int index, int64_t first, int64_t n, double *out);

typedef struct sp_vtu_array {
    const char *name;
    sp_number type;
    int components;
    int64_t tuples;
    int index;  // argument of `get`
} sp_vtu_array;

typedef struct sp_vtu_file {
    sp_context *ctx;
    const char *path;
    FILE *file;
    sp_encoding encoding;  // ascii, base64 or appended
    bool compress;
    sp_vtu_get *get;
    const void *user;
    sp_keep keep;
    struct sp_vtu_later *later;  // arrays whose bytes are not written yet
    int later_count, later_capacity;
} sp_vtu_file;

// Writes "VTKFile" with its attributes; `type` is UnstructuredGrid or PolyData.
void sp__vtu_begin(sp_vtu_file *w, const char *type);
sp_status sp__vtu_array(sp_vtu_file *w, const sp_vtu_array *array);
// Writes the appended data, if any, and the end of the file.
sp_status sp__vtu_end(sp_vtu_file *w);
// Writes a text as the value of an attribute.
void sp__vtu_put_text(FILE *file, const char *text);

// zlib compression (mesh_vtu_zlib.c); 0: failed, or not available in this build.
size_t sp__vtu_deflate(const void *from, size_t size, void *out, size_t capacity);
size_t sp__vtu_deflate_bound(size_t bytes);

#endif
