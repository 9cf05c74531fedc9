#include "souple/mesh.h"
#define sp_mesh_element_count sp_mesh_tet_count
static inline sp_element_type sp_mesh_element(const sp_mesh *m, int e, const int **nodes) { *nodes = sp_mesh_tets(m) + 4*(size_t)e; return SP_ELEMENT_TET4; }
static inline int sp_mesh_cell_count(const sp_mesh *m) { return sp_mesh_tet_count(m); }
static inline const int *sp_mesh_cells(const sp_mesh *m) { return sp_mesh_tets(m); }
static inline const int *sp_mesh_cell_elements(const sp_mesh *m) { (void)m; return 0; }
#define sp_mesh_face_cell(mesh, f) ((mesh)->face_tet[f])
