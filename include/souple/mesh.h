/// Tetrahedral meshes and triangle surfaces: making, reading out, selecting, judging, filling surfaces with tetrahedra. A mesh
/// never changes after creation and may serve any number of bodies. Nodes and elements are numbered from 0 in the order given.
#ifndef SOUPLE_MESH_H
#define SOUPLE_MESH_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Tetrahedra with nodes, groups and arrays. It never changes.
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

/// Every default, and a valid cookie.
SP_API sp_mesh_def sp_mesh_def_default(void);
/// Refuses numbers out of range, non-finite positions, degenerate tetrahedra and duplicate ids, naming the first.
SP_API sp_status sp_mesh_create(sp_context *context, const sp_mesh_def *def, sp_mesh **out);
/// Frees it and nulls the handle; accepts NULL.
SP_API void sp_mesh_destroy(sp_mesh **mesh);

/// Generators. Limits: 1 <= cells, and at most 2^27 tetrahedra.
/// Box with a corner at the origin; node number i(ny+1)(nz+1) + j(nz+1) + l; `per_cell` is 5 (alternating; mirror symmetric along
/// axes with an even count of cells) or 6 (path tetrahedra along the main diagonal: one-sided, a loaded beam bends aside).
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

SP_API sp_context *sp_mesh_context(const sp_mesh *mesh);  ///< the one it was made in
/// Number of nodes.
SP_API int sp_mesh_node_count(const sp_mesh *mesh);
/// Number of tetrahedra.
SP_API int sp_mesh_tet_count(const sp_mesh *mesh);
SP_API const double *sp_mesh_positions(const sp_mesh *mesh);  ///< node_count x 3
SP_API const int *sp_mesh_tets(const sp_mesh *mesh);          ///< tet_count x 4
/// The user's number of each node.
SP_API const int64_t *sp_mesh_node_ids(const sp_mesh *mesh);
/// The user's number of each tetrahedron.
SP_API const int64_t *sp_mesh_tet_ids(const sp_mesh *mesh);
/// Number of groups.
SP_API int sp_mesh_group_count(const sp_mesh *mesh);
/// A group by index; NULL past the end.
SP_API const sp_mesh_group *sp_mesh_group_at(const sp_mesh *mesh, int index);
SP_API const sp_mesh_group *sp_mesh_group_named(const sp_mesh *mesh, const char *name);  ///< NULL if absent
SP_API const sp_mesh_array *sp_mesh_array_named(const sp_mesh *mesh, const char *name);  ///< NULL if absent
/// Number of arrays.
SP_API int sp_mesh_array_count(const sp_mesh *mesh);
/// An array by index; NULL past the end.
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

/// What a selection counts.
typedef enum sp_select_kind { SP_SELECT_NODES, SP_SELECT_ELEMENTS, SP_SELECT_FACES } sp_select_kind;

/// Every default, and a valid cookie.
SP_API sp_selection sp_selection_default(void);
/// Nodes by position, elements by centre, boundary faces where all three nodes are selected. Writes up to capacity numbers (in
/// rising order) and the whole count; call with out = NULL to learn the count. SP_BAD_INPUT for an unknown group or id.
SP_API sp_status sp_mesh_select(const sp_mesh *mesh, const sp_selection *selection, sp_select_kind kind, int *out, int capacity,
                                int *count);

// ---------------------------------------------------------------------------------------------------- triangle surfaces

/// A triangle surface with what came along: texture coordinates, normals, colours, groups, arrays. Open or closed, good or bad:
/// sp_trimesh_create checks numbers only, sp_trimesh_examine tells the rest.
typedef struct sp_trimesh sp_trimesh;

/// Start from sp_trimesh_def_default(). Everything is copied.
typedef struct sp_trimesh_def {
    int vertex_count;
    const double *positions;  ///< vertex_count x 3 [m]
    int face_count;
    const int *faces;  ///< face_count x 3 vertices, counter-clockwise seen from outside
    int texcoord_count;
    const double *texcoords;    ///< texcoord_count x 2; nullable
    const int *face_texcoords;  ///< face_count x 3; nullable: those of `faces`. -1: none at this corner
    int normal_count;
    const double *normals;        ///< normal_count x 3; nullable
    const int *face_normals;      ///< likewise
    const double *colors;         ///< vertex_count x 4 in [0, 1]: red, green, blue, opacity; nullable
    const sp_mesh_group *groups;  ///< elements are faces
    int group_count;
    const sp_mesh_array *arrays;  ///< on vertices or faces
    int array_count;
    uint32_t cookie;
} sp_trimesh_def;

/// Every default, and a valid cookie.
SP_API sp_trimesh_def sp_trimesh_def_default(void);
/// Refuses numbers out of range and non-finite positions, naming the first.
SP_API sp_status sp_trimesh_create(sp_context *context, const sp_trimesh_def *def, sp_trimesh **out);
/// Frees it and nulls the handle; accepts NULL.
SP_API void sp_trimesh_destroy(sp_trimesh **surface);
SP_API sp_context *sp_trimesh_context(const sp_trimesh *surface);  ///< the one it was made in
/// Everything it holds, as a definition: pointers live as long as the surface.
SP_API void sp_trimesh_get(const sp_trimesh *surface, sp_trimesh_def *out);
/// The boundary of a mesh as a surface of its own. Its array "node" holds the mesh's node of each vertex.
SP_API sp_status sp_mesh_boundary(const sp_mesh *mesh, sp_trimesh **out);
/// Each triangle into four, `times` times, 0..6; smooth: Loop's rule, which keeps sharp edges above `crease` degrees.
SP_API sp_status sp_trimesh_subdivided(const sp_trimesh *surface, int times, bool smooth, double crease, sp_trimesh **out);
/// A copy with every position scaled per axis, then posed. Nullable: scale, pose.
SP_API sp_status sp_trimesh_transformed(const sp_trimesh *surface, const double scale[3], const sp_pose *pose, sp_trimesh **out);

// ---------------------------------------------------------------------------------------------------- judging

/// What can be wrong with a mesh or a surface. "Elements" are tetrahedra or triangles, "the surface" is the boundary of
/// tetrahedra or the triangles themselves.
#define SP_DEFECT_LIST(X)                                                                                                \
    X(SP_DEFECT_NOT_FINITE, "not-finite", "a node's position is not finite")                                             \
    X(SP_DEFECT_INDEX, "index", "an element names a node that does not exist")                                           \
    X(SP_DEFECT_INVERTED, "inverted", "a tetrahedron is turned inside out")                                              \
    X(SP_DEFECT_FLAT, "degenerate", "an element has no volume (a triangle: no area)")                                    \
    X(SP_DEFECT_DUPLICATE, "duplicate", "two elements have the same nodes")                                              \
    X(SP_DEFECT_UNREFERENCED, "unreferenced", "a node belongs to no element")                                            \
    X(SP_DEFECT_COINCIDENT, "coincident", "two nodes lie in one place")                                                  \
    X(SP_DEFECT_SHARED_FACE, "overcrowded-face", "more than two tetrahedra share a face")                                \
    X(SP_DEFECT_FOLDED, "folded", "two tetrahedra lie on the same side of the face they share")                          \
    X(SP_DEFECT_OPEN_EDGE, "open-edge", "an edge of the surface belongs to one triangle only")                           \
    X(SP_DEFECT_EDGE, "non-manifold-edge", "more than two triangles of the surface share an edge")                       \
    X(SP_DEFECT_VERTEX, "non-manifold-vertex", "parts of the surface meet in a vertex and nowhere around it")            \
    X(SP_DEFECT_ORIENTATION, "orientation", "two neighbouring triangles of the surface are oriented against each other") \
    X(SP_DEFECT_INSIDE_OUT, "inside-out", "a closed part of the surface is oriented inwards")                            \
    X(SP_DEFECT_INTERSECTION, "self-intersection", "two triangles of the surface intersect")

/// The kinds of SP_DEFECT_LIST.
typedef enum sp_defect_kind {
#define SP_X(id, name, text) id,
    SP_DEFECT_LIST(SP_X)
#undef SP_X
        SP_DEFECT_KINDS
} sp_defect_kind;

/// "self-intersection", and the sentence; NULL for no kind.
SP_API const char *sp_defect_name(sp_defect_kind kind);
/// The sentence about a kind of defect; NULL for no kind.
SP_API const char *sp_defect_text(sp_defect_kind kind);

/// One defect, with the user's numbers of what is concerned.
typedef struct sp_defect {
    sp_defect_kind kind;
    int element_count, node_count;
    int64_t elements[2];  ///< the elements concerned; of a tetrahedral mesh's surface: those behind the triangles
    int64_t nodes[2];     ///< the node, the two nodes that coincide, or the ends of the edge
    double value;         ///< volume [m3], area [m2] or distance [m] where there is one, otherwise 0
} sp_defect;

/// Numbers about the whole. Elements that name missing nodes are left out.
typedef struct sp_mesh_stats {
    int node_count, element_count;
    bool tetrahedra;
    double low[3], high[3];  ///< of the finite positions [m]
    double
        volume;   ///< of tetrahedra, inverted ones counted positive; of closed surfaces the volume enclosed; open ones: NaN [m3]
    double area;  ///< of the surface [m2]
    double tolerance;                          ///< within which nodes were taken to coincide [m]
    int component_count;                       ///< parts that share no node
    int face_count, edge_count, vertex_count;  ///< of the surface
    int shell_count, closed_count;             ///< parts of the surface that share no edge, and how many of them are closed
    double angle_min, angle_max;               ///< dihedral angles of tetrahedra, angles of triangles [deg]
    int64_t angles[18];                        ///< per 10 degrees
    double ratio_min, ratio_mean;              ///< inscribed to circumscribed radius, 1 for a regular element, 0 for a flat one
    int64_t ratios[10];                        ///< per 0.1
    int64_t worst;                             ///< user's number of the element with ratio_min, or -1
    double aspect_max;                         ///< longest edge to inscribed radius, 1 for a regular element
    double edge_min, edge_mean, edge_max;      ///< over the edges of all elements [m]
} sp_mesh_stats;

/// Start from sp_examine_options_default().
typedef struct sp_examine_options {
    double tolerance;            ///< nodes this close coincide [m]; default -1: 1e-9 of the diagonal of the bounding box
    int limit;                   ///< defects listed of each kind, >= 0, default 20; the counts are whole in any case
    bool intersections;          ///< look for self-intersections. Default true
    const int64_t *node_ids;     ///< of surfaces: the user's numbers; nullable: 0, 1, 2, ...
    const int64_t *element_ids;  ///< likewise
    uint32_t cookie;
} sp_examine_options;

/// What an examination found.
typedef struct sp_mesh_report sp_mesh_report;

/// Every default, and a valid cookie.
SP_API sp_examine_options sp_examine_options_default(void);
/// Definitions, because what is bad cannot be created. Only counts and pointers must be right. Nullable: options.
SP_API sp_status sp_mesh_examine(sp_context *context, const sp_mesh_def *def, const sp_examine_options *options,
                                 sp_mesh_report **out);
/// The same for a surface.
SP_API sp_status sp_trimesh_examine(sp_context *context, const sp_trimesh_def *def, const sp_examine_options *options,
                                    sp_mesh_report **out);
/// Frees it and nulls the handle; accepts NULL.
SP_API void sp_mesh_report_destroy(sp_mesh_report **report);
/// Counts, sizes and qualities that the examination measured.
SP_API const sp_mesh_stats *sp_mesh_report_stats(const sp_mesh_report *report);
/// How many defects of a kind there are. *whole is false where the search was given up (tens of millions of triangles in one
/// place): there are at least so many then. Nullable: whole.
SP_API int64_t sp_mesh_report_count(const sp_mesh_report *report, sp_defect_kind kind, bool *whole);
/// The defects listed, kind after kind. NULL at the end.
SP_API const sp_defect *sp_mesh_report_at(const sp_mesh_report *report, int index);

/// What a repair did.
typedef struct sp_mesh_repairs {
    int welded;          ///< nodes that became one with another
    int dropped_nodes;   ///< nodes of no element, not finite ones among them
    int dropped_broken;  ///< elements that named a missing or not finite node
    int dropped_flat;    ///< elements without volume or area
    int dropped_twins;   ///< elements that were there before
    int turned;        ///< tetrahedra turned right side out; triangles turned to agree with their neighbours and to face outwards
    int unorientable;  ///< edges where triangles could not be made to agree (a Moebius strip has one)
} sp_mesh_repairs;

/// The mesh with what can be repaired safely: nodes closer than the tolerance welded, broken, degenerate and duplicate elements
/// left out, tetrahedra turned right side out; of surfaces, faces oriented alike within each part and outwards where it is closed
/// and not within another. Numbers, groups, arrays, texture coordinates and colours follow. SP_BAD_INPUT where nothing remains.
/// Only the tolerance of the options counts. Nullable: options, done.
SP_API sp_status sp_mesh_repaired(sp_context *context, const sp_mesh_def *def, const sp_examine_options *options, sp_mesh **out,
                                  sp_mesh_repairs *done);
/// The same for a surface.
SP_API sp_status sp_trimesh_repaired(sp_context *context, const sp_trimesh_def *def, const sp_examine_options *options,
                                     sp_trimesh **out, sp_mesh_repairs *done);

// ---------------------------------------------------------------------------------------------------- refining

/// Each tetrahedron into eight of the same volume, `times` times, 0..8. Nodes keep their numbers and ids, new ones follow;
/// elements are numbered anew. Groups and arrays follow: values of new nodes are means of their edge.
SP_API sp_status sp_mesh_refined(const sp_mesh *mesh, int times, sp_mesh **out);
/// The elements that are selected, and as many neighbours as it takes to leave no hanging node, halved across their longest edges
/// until no edge of a selected element is longer than `edge` [m]; edge <= 0: each selected element is halved `times` times.
SP_API sp_status sp_mesh_refined_where(const sp_mesh *mesh, const sp_selection *selection, double edge, int times, sp_mesh **out);

// ---------------------------------------------------------------------------------------------------- filling

/// A signed function of space: below 0 inside, above 0 outside. Called from several threads at once; must be pure.
typedef double sp_field_fn(const void *user, const double x[3]);

/// A part of the filled shape that becomes a group of its own, with faces along its boundary. Of two that overlap the later wins.
typedef struct sp_fill_region {
    const char *name;
    sp_field_fn *field;  ///< below 0 in the region; what lies outside the shape is cut off
    const void *user;
} sp_fill_region;

/// How space is filled with tetrahedra: isosurface stuffing (Labelle and Shewchuk 2007). Start from sp_fill_def_default().
typedef struct sp_fill_def {
    double size;   ///< edge of a lattice cell at the boundary [m]; edges of elements are about 0.4 to 1.3 of it. 0: by `elements`
    int elements;  ///< about so many tetrahedra instead of a size: within 10 % where 500 or more are asked for, 1..2^26
    double grade;  ///< how much larger cells may be inside than at the boundary: 1, 2, 4, ... 32. Default 1: equal
    double detail;  ///< how much smaller cells may be where the surface is thin or curved: 1, 1/2, 1/4, ... 1/32. Default 1:
                    ///< equal. Below 1 no angle is guaranteed; the bounds reached are told
    double smooth;  ///< label volumes: width of the smoothing [voxels], 0.5..4. Default 1
    const sp_fill_region *regions;  ///< of sp_mesh_fill and sp_mesh_fill_surface
    int region_count;               ///< 0..64
    const char *body;               ///< with regions: group of what is in none of them, default "body"
    uint32_t cookie;
} sp_fill_def;

/// What a filling came to.
typedef struct sp_fill_info {
    double size;          ///< of the lattice [m]
    int runs;             ///< lattices made until the number of elements was met
    double dihedral[2];   ///< least and largest dihedral angle [deg]
    double guarantee[2];  ///< what the method promises here [deg]; 0 and 180 where it promises nothing
    int islands;          ///< pieces that hang together by faces
    double winding[2];    ///< surfaces: share of the probed space whose winding number is not near a whole one; the largest seen
} sp_fill_info;

/// Every default, and a valid cookie.
SP_API sp_fill_def sp_fill_def_default(void);
/// Where `field` is below 0 inside the box low..high [m], which must hold the shape. `slope`: a bound of |grad field|, 1 for a
/// distance, which spares evaluations; 0: unknown. Nullable: info.
SP_API sp_status sp_mesh_fill(sp_context *context, sp_field_fn *field, const void *user, const double low[3],
                              const double high[3], double slope, const sp_fill_def *def, sp_fill_info *info, sp_mesh **out);
/// The inside of a surface: where its generalised winding number (Jacobson et al. 2013) is above one half. Noise, small holes,
/// overlaps and a surface turned inside out do no harm; one that does not decide what is inside is refused. Nullable: info.
SP_API sp_status sp_mesh_fill_surface(const sp_trimesh *surface, const sp_fill_def *def, sp_fill_info *info, sp_mesh **out);

/// Labelled voxels: a segmented scan. Label 0 is background and stays empty.
typedef struct sp_label_volume {
    int dims[3];         ///< voxels along the three index axes, 1..65535 each
    const int *labels;   ///< dims[0] x dims[1] x dims[2], the first index runs fastest
    double affine[12];   ///< 3 rows of 4: position [m] of the centre of voxel (i, j, k), x = A (i, j, k, 1)
    const char **names;  ///< of labels, name_count; nullable: decimal numbers
    const int *name_of;  ///< and the label that each belongs to
    int name_count;
} sp_label_volume;

/// Tetrahedra whose faces follow the borders between labels, each label a group. `take`: the labels wanted; nullable: all but 0.
/// Nullable: info.
SP_API sp_status sp_mesh_fill_labels(sp_context *context, const sp_label_volume *volume, const int *take, int take_count,
                                     const sp_fill_def *def, sp_fill_info *info, sp_mesh **out);

/// Organ-like shapes and test bodies, with named groups (docs/meshing.md): "liver", "lens", "eye", "stomach", "vessels",
/// "rabbit", "armadillo"; `length` is the longest extent [m], centred at the origin. About so many elements as asked for, at
/// least 300.
SP_API sp_status sp_mesh_organ(sp_context *context, const char *kind, double length, int elements, sp_mesh **out);
/// The name of organ `index`, or NULL past the last.
SP_API const char *sp_mesh_organ_name(int index);

#ifdef __cplusplus
}
#endif
#endif
