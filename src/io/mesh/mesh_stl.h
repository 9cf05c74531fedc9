// Shared by the reader and the writer of STL files.
#ifndef SP_MESH_STL_H
#define SP_MESH_STL_H

#include "io/mesh/cells.h"

#define SP_STL_ATTRIBUTE "attribute"                                // name of the array of the two bytes after each binary facet
enum { SP_STL_HEADER = 80, SP_STL_START = 84, SP_STL_FACET = 50 };  // bytes of a binary file

sp_status sp__stl_read(sp_cells *cells, const char *text, size_t size, const char *path);
sp_status sp__stl_write(const sp_cells *cells, const char *path, const sp_mesh_write_options *options);

#endif
