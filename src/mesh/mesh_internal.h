// Internal structure of a mesh. sp_mesh_create writes it once; afterwards it is read-only and thread-safe.
#ifndef SP_MESH_INTERNAL_H
#define SP_MESH_INTERNAL_H

#include "mesh/attributes.h"

enum { SP_TETS_MAX = 1 << 27, SP_NODES_MAX = 1 << 28 };  // 4 per tet and 3 per node fit in an int

struct sp_mesh {
    sp_context *ctx;
    int node_count, tet_count, face_count;
    double *x;          // (node_count x 3)
    int *tets;          // (tet_count x 4), all with det(x1-x0, x2-x0, x3-x0) > 0
    int64_t *node_ids;  // ids of the user
    int64_t *tet_ids;
    int *node_by_id;  // nodes sorted by id; NULL: ids are already ascending
    int *tet_by_id;
    int *faces;     // boundary triangles, outward (face_count x 3)
    int *face_tet;  // the element of each face
    sp_attributes with;
    double volume, low[3], high[3];
};

// Faces of a positive tetrahedron, oriented outward.
static const int sp__tet_face[4][3] = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};

// Six times the signed volume of a tetrahedron, and of element t.
double sp__tet_det(const double *x, const int tet[4]);
double sp__mesh_det(const sp_mesh *mesh, int t);
// Six times a volume below this is rounding error: relative to the longest edge, and to the rounding of positions far from the
// origin.
double sp__tet_flat_below(const double *x, const int tet[4]);

// *by_id = indices sorted by id, or NULL if ids are already ascending; *twice = index of a repeated id, or -1.
sp_status sp__ids_index(sp_context *ctx, const int64_t *ids, int n, int **by_id, int *twice);
// The index of id, or -1.
int sp__ids_find(const int64_t *ids, const int *by_id, int n, int64_t id);

#endif
