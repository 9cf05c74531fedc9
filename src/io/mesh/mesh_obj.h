// Shared by the reader and the writer of OBJ files.
#ifndef SP_MESH_OBJ_H
#define SP_MESH_OBJ_H

#include "io/mesh/cells.h"

sp_status sp__obj_read(sp_cells *cells, const char *text, size_t size, const char *path);
sp_status sp__obj_write(const sp_cells *cells, const char *path, const sp_mesh_write_options *options);

#endif
