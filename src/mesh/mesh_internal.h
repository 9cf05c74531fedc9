// Internal structure of a mesh. sp_mesh_create writes it once; afterwards it is read-only and thread-safe.
#ifndef SP_MESH_INTERNAL_H
#define SP_MESH_INTERNAL_H

#include "mesh/attributes.h"
#include "mesh/element.h"

// 10 nodes per element and 3 per node fit in an int, and so do the corners of all triangles of the elements
enum { SP_TETS_MAX = 1 << 27, SP_NODES_MAX = 1 << 28, SP_TRIANGLES_MAX = 4 * SP_TETS_MAX };

struct sp_mesh {
    sp_context *ctx;
    int node_count, element_count, face_count;
    double *x;               // (node_count x 3)
    sp_element_type *types;  // per element; NULL: all SP_ELEMENT_TET4
    int *start;              // per element: its first entry in `nodes`, (element_count + 1); NULL: four each
    int *nodes;              // of the elements, all with a positive Jacobian determinant
    int64_t *node_ids;       // ids of the user
    int64_t *element_ids;
    int *node_by_id;  // nodes sorted by id; NULL: ids are already ascending
    int *element_by_id;
    int *faces;         // boundary triangles, outward (face_count x 3)
    int *face_element;  // the element of each face
    // cells of meshes that have other elements than SP_ELEMENT_TET4; NULL: the elements are the cells
    int *cells;         // (cells x 4)
    int *cell_element;  // per cell
    int *first_cell;    // per element (element_count + 1)
    sp_attributes with;
    double volume, low[3], high[3];
};

static inline sp_element_type sp__mesh_type(const sp_mesh *mesh, int element) {
    return mesh->types ? mesh->types[element] : SP_ELEMENT_TET4;
}

static inline const int *sp__mesh_nodes(const sp_mesh *mesh, int element) {
    return mesh->nodes + (mesh->start ? (size_t)mesh->start[element] : 4 * (size_t)element);
}

// Positions of the nodes of an element, x: nodes x 3; returns its type.
sp_element_type sp__mesh_gather(const sp_mesh *mesh, int element, double *x);
// Divides the elements: fills cells, cell_element, first_cell.
sp_status sp__mesh_make_cells(sp_mesh *mesh);
// The cell behind a boundary triangle.
int sp__mesh_face_cell(const sp_mesh *mesh, int face);
// Finds the boundary: fills faces, face_element, face_count.
sp_status sp__mesh_find_faces(sp_mesh *mesh);
// SP_BAD_INPUT if an element is not a linear tetrahedron, with what was to be done ("be refined") in the message.
sp_status sp__mesh_only_tets(const sp_mesh *mesh, const char *what);

// Faces of a positive tetrahedron, oriented outward.
static const int sp__tet_face[4][3] = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};

// Six times the signed volume of a tetrahedron, and of element t of a mesh of linear tetrahedra.
double sp__tet_det(const double *x, const int tet[4]);
double sp__mesh_det(const sp_mesh *mesh, int t);
// Six times a volume below this is rounding error: sp__element_flat_below for a tetrahedron by node numbers.
double sp__tet_flat_below(const double *x, const int tet[4]);

// *by_id = indices sorted by id, or NULL if ids are already ascending; *twice = index of a repeated id, or -1.
sp_status sp__ids_index(sp_context *ctx, const int64_t *ids, int n, int **by_id, int *twice);
// The index of id, or -1.
int sp__ids_find(const int64_t *ids, const int *by_id, int n, int64_t id);

#endif
