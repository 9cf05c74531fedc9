// Common part of all refinement: the edges of tetrahedra, and the construction of a mesh of child elements with the attributes of
// the parents.
#ifndef SP_REFINE_H
#define SP_REFINE_H

#include "mesh/mesh_internal.h"

// Edge k of a tetrahedron joins these two nodes.
static const int sp__tet_edge[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};

typedef struct sp_tet_edges {
    int count;
    int *ends;    // (count x 2), smaller end first, ascending
    int *of;      // (tets x 6): edge k of tetrahedron t is of[6 t + k]
    int *first;   // (count + 1): start of the entries of an edge in `places`
    int *places;  // 6 t + k, grouped by edge
} sp_tet_edges;

sp_status sp__tet_edges_find(const sp_mesh *mesh, sp_tet_edges *out);  // always release with sp__tet_edges_free
void sp__tet_edges_free(sp_context *ctx, sp_tet_edges *edges);
int sp__tet_edges_at(const sp_tet_edges *edges, int a, int b);  // the edge between two nodes; it must exist

// Old nodes stay; new node i has the number node_count + i and is the midpoint of ends[i].
typedef struct sp_refinement {
    const sp_mesh *mesh;
    int new_count;
    const int *ends;                  // (new_count x 2)
    const unsigned char *on_surface;  // per new node: its edge lies on the boundary
    int tet_count;
    const int *tets, *parent;  // child elements and the parent of each
} sp_refinement;

sp_status sp__refinement_mesh(const sp_refinement *r, sp_mesh **out);

#endif
