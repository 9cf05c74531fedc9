// TetGen files: points, tetrahedra and faces in three text files with a common stem. Numbers begin at 0 or 1, as the first point
// has it.
//
// Regions (the first attribute of tetrahedra, if all values are integers) become groups named by their number; markers of faces
// and points become groups "face:N" and "point:N". Other data are stored in comments, which TetGen skips:
//   # group 3 "liver"         name of region or marker 3
//   # attribute 2 "E"         name of an attribute
// Format: TetGen manual, "File formats".
#ifndef SP_MESH_TETGEN_H
#define SP_MESH_TETGEN_H

#include "io/mesh/mesh_words.h"

enum { SP_TETGEN_ATTRIBUTES_MAX = 64 };

// Position of the k-th node of TetGen's quadratic tetrahedron (edges 23 03 01 12 13 02) in ours (01 12 02 03 13 23).
static const int sp__tetgen_place[10] = {0, 1, 2, 3, 9, 7, 4, 5, 8, 6};

sp_status sp__tetgen_write(const sp_cells *cells, const char *path, const sp_mesh_write_options *options);

// The path with another suffix, one of ".node", ".ele", ".face", kept; NULL: no memory.
char *sp__tetgen_beside(sp_keep *keep, const char *path, const char *suffix);

#endif
