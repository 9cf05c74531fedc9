/// Tetrahedral meshes: making, reading out, selecting. A mesh never changes after creation and may serve any
/// number of bodies. Nodes and elements are numbered from 0 in the order given.
#ifndef SOUPLE_MESH_H
#define SOUPLE_MESH_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sp_mesh sp_mesh;

/// A named set of a mesh (a physical group of the file). Elements and nodes may both be empty, not together.
typedef struct sp_mesh_group {
    const char *name;     ///< the name, or the number in decimal where the file has none
    const int *elements;  ///< tetrahedra of the group
    int element_count;
    const int *nodes;  ///< nodes of the group: those of its tetrahedra, faces, edges and points
    int node_count;
} sp_mesh_group;

/// A named array over the nodes or elements of a mesh.
typedef struct sp_mesh_array {
    const char *name;
    const double *values;  ///< node_count or element_count values
    bool on_elements;
} sp_mesh_array;

/// Start from sp_mesh_def_default(). Everything is copied.
typedef struct sp_mesh_def {
    int node_count;
    const double *positions;  ///< node_count x 3 [m]
    int tet_count;
    const int *tets;  ///< tet_count x 4 node numbers; oriented so that det(x1-x0, x2-x0, x3-x0) > 0, or not: see fix_orientation
    const int64_t *node_ids;  ///< numbers that the user's file gave the nodes; nullable: 0, 1, 2, ...
    const int64_t *tet_ids;   ///< likewise
    const sp_mesh_group *groups;
    int group_count;
    const sp_mesh_array *arrays;
    int array_count;
    bool fix_orientation;  ///< swap two nodes of negatively oriented tetrahedra; otherwise they are refused. Default true
    uint32_t cookie;
} sp_mesh_def;

SP_API sp_mesh_def sp_mesh_def_default(void);
/// Refuses numbers out of range, non-finite positions, degenerate tetrahedra and duplicate ids, naming the first.
SP_API sp_status sp_mesh_create(sp_context *context, const sp_mesh_def *def, sp_mesh **out);
SP_API void sp_mesh_destroy(sp_mesh **mesh);

/// Generators. Limits: 1 <= cells, and at most 2^27 tetrahedra.
/// Box with a corner at the origin; node number i(ny+1)(nz+1) + j(nz+1) + l; `per_cell` is 6 (path tetrahedra along the main
/// diagonal) or 5 (alternating, so that faces fit).
SP_API sp_status sp_mesh_box(sp_context *context, const double size[3], const int cells[3], int per_cell, sp_mesh **out);
/// Solid cylinder from the origin along `axis`; cells: across the radius, along the axis.
SP_API sp_status sp_mesh_cylinder(sp_context *context, double radius, double length, const double axis[3], const int cells[2],
                                  sp_mesh **out);
/// Ball or ellipsoid about the origin, semi-axes `radius`; cells across a radius.
SP_API sp_status sp_mesh_sphere(sp_context *context, const double radius[3], int cells, sp_mesh **out);
/// Ring about the origin: radii of ring and tube; cells around the ring, across the tube's radius.
SP_API sp_status sp_mesh_torus(sp_context *context, double ring, double tube, const double axis[3], const int cells[2],
                               sp_mesh **out);
/// A copy with every position scaled per axis, then posed. Nullable: scale, pose.
SP_API sp_status sp_mesh_transformed(const sp_mesh *mesh, const double scale[3], const sp_pose *pose, sp_mesh **out);

SP_API int sp_mesh_node_count(const sp_mesh *mesh);
SP_API int sp_mesh_tet_count(const sp_mesh *mesh);
SP_API const double *sp_mesh_positions(const sp_mesh *mesh);  ///< node_count x 3
SP_API const int *sp_mesh_tets(const sp_mesh *mesh);          ///< tet_count x 4
SP_API const int64_t *sp_mesh_node_ids(const sp_mesh *mesh);
SP_API const int64_t *sp_mesh_tet_ids(const sp_mesh *mesh);
SP_API int sp_mesh_group_count(const sp_mesh *mesh);
SP_API const sp_mesh_group *sp_mesh_group_at(const sp_mesh *mesh, int index);
SP_API const sp_mesh_group *sp_mesh_group_named(const sp_mesh *mesh, const char *name);  ///< NULL if absent
SP_API const sp_mesh_array *sp_mesh_array_named(const sp_mesh *mesh, const char *name);  ///< NULL if absent
SP_API int sp_mesh_array_count(const sp_mesh *mesh);
SP_API const sp_mesh_array *sp_mesh_array_at(const sp_mesh *mesh, int index);
SP_API double sp_mesh_volume(const sp_mesh *mesh);                               ///< [m3]
SP_API void sp_mesh_bounds(const sp_mesh *mesh, double low[3], double high[3]);  ///< [m]
SP_API int sp_mesh_face_count(const sp_mesh *mesh);                              ///< boundary triangles
SP_API const int *sp_mesh_faces(const sp_mesh *mesh);                            ///< face_count x 3, outward
/// The element that holds a point and the weights of its four nodes; the nearest by largest least weight where the
/// point is outside. Returns the least weight (negative: outside).
SP_API double sp_mesh_locate(const sp_mesh *mesh, const double point[3], int *element, double weights[4]);

/// A selection: the attributes that are set intersect. Start from sp_selection_default(), which selects everything.
typedef struct sp_selection {
    bool has_box, has_sphere, has_plane, has_near;
    double box[6];       ///< x0 y0 z0 x1 y1 z1, inclusive
    double sphere[4];    ///< x y z r, inclusive
    double plane[6];     ///< point, normal: the side the normal points to
    double within;       ///< with plane, if > 0: the layer of that half thickness around it [m]
    double near[3];      ///< the one nearest node, ties to the lower number
    const char *group;   ///< name of a mesh group; nullable
    const int64_t *ids;  ///< user's numbers; nullable
    int id_count;
    bool (*where)(const void *user, const double x[3]);  ///< nullable
    const void *where_user;
    bool on_surface;  ///< only nodes of the boundary, elements with a boundary face
    bool invert;      ///< the complement
    uint32_t cookie;
} sp_selection;

typedef enum sp_select_kind { SP_SELECT_NODES, SP_SELECT_ELEMENTS, SP_SELECT_FACES } sp_select_kind;

SP_API sp_selection sp_selection_default(void);
/// Nodes by position, elements by centre, boundary faces where all three nodes are selected. Writes up to capacity numbers (in
/// rising order) and the whole count; call with out = NULL to learn the count. SP_BAD_INPUT for an unknown group or id.
SP_API sp_status sp_mesh_select(const sp_mesh *mesh, const sp_selection *selection, sp_select_kind kind, int *out, int capacity,
                                int *count);

#ifdef __cplusplus
}
#endif
#endif
