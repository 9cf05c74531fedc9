/// Meshes of tetrahedra and hexahedra, and triangle surfaces: creation, access, selection, quality checks and repair, mesh
/// generation. A mesh never changes after creation and any number of bodies may use it. Nodes and elements are numbered from 0 in
/// the given order.
#ifndef SOUPLE_MESH_H
#define SOUPLE_MESH_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The type of an element. Orders of the nodes are those of VTK.
typedef enum sp_element_type {
    SP_ELEMENT_TET4,   ///< linear tetrahedron, 4 nodes: det(x1-x0, x2-x0, x3-x0) > 0
    SP_ELEMENT_LINE2,  ///< element of a rod; its 2 nodes are its ends. Not in meshes
    SP_ELEMENT_TET10,  ///< quadratic tetrahedron: corners 0 1 2 3, then the nodes on edges 01 12 20 03 13 23
    SP_ELEMENT_HEX8,   ///< trilinear hexahedron: nodes 0 1 2 3 around a face, counter-clockwise seen from 4 5 6 7 above them
    SP_ELEMENT_TRI3    ///< triangle in space, 3 nodes: element of a membrane (sp_solid_def.thickness). Not with others in a mesh
} sp_element_type;

enum { SP_ELEMENT_NODES_MAX = 10 };  ///< the largest number of nodes of an element
/// Number of nodes of an element of this type: 4, 2, 10, 8, 3; 0: unknown type.
SP_API int sp_element_nodes(sp_element_type type);
/// "tetrahedron", "line", "quadratic tetrahedron", "hexahedron", "triangle"; "element": unknown type.
SP_API const char *sp_element_name(sp_element_type type);
/// Natural coordinates of a node of an element. Tetrahedra: the weights of corners 1, 2, 3, as in sp_anchor. Hexahedra: [0, 1]^3,
/// nodes 0..3 at (0, 0, 0) (1, 0, 0) (1, 1, 0) (0, 1, 0), then 4..7 above them. Lines: the fraction of the length.
/// Triangles: the weights of corners 1 and 2, and 0.
SP_API void sp_element_natural(sp_element_type type, int node, double natural[3]);

/// A mesh of volume elements, or of triangles: nodes, elements, groups and arrays. It never changes.
typedef struct sp_mesh sp_mesh;
/// A triangle surface with texture coordinates, normals, colours, groups and arrays. It may be open, closed or defective:
/// sp_trimesh_create checks numbers only, sp_trimesh_examine finds defects.
typedef struct sp_trimesh sp_trimesh;

/// A named set of a mesh (a physical group of the file). Elements or nodes may be empty, but not both.
typedef struct sp_mesh_group {
    const char *name;     ///< the name, or the decimal number if the file has none
    const int *elements;  ///< elements of the group
    int element_count;
    const int *nodes;  ///< nodes of the group: those of its elements, faces, edges and points
    int node_count;
} sp_mesh_group;

/// A named array over the nodes or elements of a mesh.
typedef struct sp_mesh_array {
    const char *name;
    const double *values;  ///< node_count or element_count values
    bool on_elements;
} sp_mesh_array;

/// Definition of a mesh. Start from sp_mesh_def_default(). Everything is copied.
typedef struct sp_mesh_def {
    int node_count;
    const double *positions;  ///< node_count x 3 [m]
    int element_count;
    const sp_element_type *element_types;  ///< element_count types, any but SP_ELEMENT_LINE2, triangles
                                           ///< alone; nullable: all SP_ELEMENT_TET4
    const int *element_nodes;  ///< node numbers of one element after the other; oriented as at the types, or not: fix_orientation
    const int64_t *node_ids;   ///< user numbers of the nodes, as in a file; nullable: 0, 1, 2, ...
    const int64_t *element_ids;  ///< likewise
    const sp_mesh_group *groups;
    int group_count;
    const sp_mesh_array *arrays;
    int array_count;
    bool fix_orientation;  ///< renumber the nodes of inverted elements; otherwise they are an error. Default true
    uint32_t cookie;
} sp_mesh_def;

/// Every default, and a valid cookie.
SP_API sp_mesh_def sp_mesh_def_default(void);
/// Creates a mesh. Fails for numbers out of range, non-finite positions, duplicate ids, degenerate elements and elements whose
/// Jacobian determinant is not positive at a corner or an integration point, and names the first.
SP_API sp_status sp_mesh_create(sp_context *context, const sp_mesh_def *def, sp_mesh **out);
/// Frees it and sets the handle to NULL. Accepts NULL.
SP_API void sp_mesh_destroy(sp_mesh **mesh);

/// Generators. Limits: 1 <= cells, and at most 2^27 elements (hexahedra: 2^25).
/// Box with a corner at the origin; node number i(ny+1)(nz+1) + j(nz+1) + l; `per_cell` is 5 (alternating; mirror symmetric along
/// axes with an even count of cells), 6 (path tetrahedra along the main diagonal: one-sided, a loaded beam bends aside) or 1
/// (hexahedra).
SP_API sp_status sp_mesh_box(sp_context *context, const double size[3], const int cells[3], int per_cell, sp_mesh **out);
/// Solid cylinder from the origin along `axis`; cells: across the radius, along the axis.
SP_API sp_status sp_mesh_cylinder(sp_context *context, double radius, double length, const double axis[3], const int cells[2],
                                  sp_mesh **out);
/// Ball or ellipsoid about the origin, semi-axes `radius`; cells across a radius.
SP_API sp_status sp_mesh_sphere(sp_context *context, const double radius[3], int cells, sp_mesh **out);
/// Ring about the origin: radii of ring and tube; cells around the ring, across the tube's radius.
SP_API sp_status sp_mesh_torus(sp_context *context, double ring, double tube, const double axis[3], const int cells[2],
                               sp_mesh **out);
/// Rectangle of triangles in the xz plane, a corner at the origin, normals along +y; `crossed`: four triangles a cell around its
/// middle, otherwise two. Node number i(nz+1) + l, then the middles.
SP_API sp_status sp_mesh_sheet(sp_context *context, const double size[2], const int cells[2], bool crossed, sp_mesh **out);
/// Disc of triangles in the xz plane about the origin, normals along +y: a node in the middle and 6 k nodes on ring k.
SP_API sp_status sp_mesh_disc(sp_context *context, double radius, int rings, sp_mesh **out);
/// The triangles of a surface as the elements of a mesh, a membrane, with its groups and arrays. Fails where a vertex belongs to
/// no triangle.
SP_API sp_status sp_mesh_of_triangles(const sp_trimesh *surface, sp_mesh **out);
/// A copy whose positions are scaled per axis, then transformed by the pose. Nullable: scale, pose.
SP_API sp_status sp_mesh_transformed(const sp_mesh *mesh, const double scale[3], const sp_pose *pose, sp_mesh **out);

SP_API sp_context *sp_mesh_context(const sp_mesh *mesh);  ///< the context of its creation
/// Number of nodes.
SP_API int sp_mesh_node_count(const sp_mesh *mesh);
/// Number of elements.
SP_API int sp_mesh_element_count(const sp_mesh *mesh);
SP_API const double *sp_mesh_positions(const sp_mesh *mesh);  ///< node_count x 3
/// element_count x 4 node numbers if all elements are SP_ELEMENT_TET4, otherwise NULL.
SP_API const int *sp_mesh_tets(const sp_mesh *mesh);
/// The type of an element. *nodes: its sp_element_nodes(type) node numbers. Nullable: nodes.
SP_API sp_element_type sp_mesh_element(const sp_mesh *mesh, int element, const int **nodes);
/// Position at natural coordinates of an element [m]. Nullable: natural, the centre.
SP_API void sp_mesh_element_point(const sp_mesh *mesh, int element, const double natural[3], double x[3]);
/// The integrals of the shape functions of an element [m3], one per node: their sum is its volume, and their sum times positions
/// the integral of the position. Of a triangle over its area [m2].
SP_API void sp_mesh_element_integrals(const sp_mesh *mesh, int element, double *integrals);
/// The user number of each node.
SP_API const int64_t *sp_mesh_node_ids(const sp_mesh *mesh);
/// The user number of each element.
SP_API const int64_t *sp_mesh_element_ids(const sp_mesh *mesh);
/// Number of groups.
SP_API int sp_mesh_group_count(const sp_mesh *mesh);
/// A group by index. Its pointers are valid as long as the mesh exists.
SP_API sp_status sp_mesh_group_at(const sp_mesh *mesh, int index, sp_mesh_group *out);
SP_API const sp_mesh_group *sp_mesh_group_named(const sp_mesh *mesh, const char *name);  ///< NULL if absent
SP_API const sp_mesh_array *sp_mesh_array_named(const sp_mesh *mesh, const char *name);  ///< NULL if absent
/// Number of arrays.
SP_API int sp_mesh_array_count(const sp_mesh *mesh);
/// An array by index. Its pointers are valid as long as the mesh exists.
SP_API sp_status sp_mesh_array_at(const sp_mesh *mesh, int index, sp_mesh_array *out);
SP_API double sp_mesh_volume(const sp_mesh *mesh);                               ///< [m3]; of triangles their area [m2]
SP_API void sp_mesh_bounds(const sp_mesh *mesh, double low[3], double high[3]);  ///< [m]
/// Number of boundary triangles; of a mesh of triangles all of these. The face of a hexahedron has two, cut at its lowest node;
/// that of a quadratic tetrahedron four, with the nodes on its edges.
SP_API int sp_mesh_face_count(const sp_mesh *mesh);
SP_API const int *sp_mesh_faces(const sp_mesh *mesh);            ///< face_count x 3, outward
SP_API int sp_mesh_face_element(const sp_mesh *mesh, int face);  ///< the element behind a boundary triangle
/// The element that contains a point, and the natural coordinates of the point in it. Returns how far the point is inside: the
/// smallest weight of a corner (tetrahedra) or distance to a face in natural coordinates (hexahedra). If it is negative, the
/// point is outside, and the element is the one with the largest. Triangles: the nearest one, with the coordinates of its nearest
/// point; negative where the distance is not 0 up to rounding, relative to the size of the triangle.
SP_API double sp_mesh_locate(const sp_mesh *mesh, const double point[3], int *element, double natural[3]);

/// Cells: linear tetrahedra that divide the elements, in the order of these. Material points of bodies (sp_anchor) are in cells;
/// their values at elements (stress, ...) are given for each cell. A hexahedron has six, a quadratic tetrahedron eight, with its
/// nodes. The cell of a triangle is flat: its last node twice, the second time with weight 0.
SP_API int sp_mesh_cell_count(const sp_mesh *mesh);
SP_API const int *sp_mesh_cells(const sp_mesh *mesh);               ///< cell_count x 4 node numbers
SP_API int sp_mesh_cell_element(const sp_mesh *mesh, int cell);     ///< the element of a cell
SP_API int sp_mesh_element_cell(const sp_mesh *mesh, int element);  ///< the first cell of an element; element_count: cell_count
/// As sp_mesh_locate, but the cell and the coordinates of the point in it, as in sp_anchor.
SP_API double sp_mesh_locate_cell(const sp_mesh *mesh, const double point[3], int *cell, double natural[3]);

/// A selection: the attributes that are set intersect. Start from sp_selection_default(), which selects everything.
typedef struct sp_selection {
    bool has_box, has_sphere, has_plane, has_near;
    double box[6];       ///< x0 y0 z0 x1 y1 z1, inclusive
    double sphere[4];    ///< x y z r, inclusive
    double plane[6];     ///< point, normal: the side the normal points to
    double within;       ///< with plane, if > 0: the layer of that half thickness around it [m]
    double near[3];      ///< the nearest node; of equal distances the lower number
    const char *group;   ///< name of a mesh group; nullable
    const int64_t *ids;  ///< user numbers; nullable
    int id_count;
    bool (*where)(const void *user, const double x[3]);  ///< nullable
    const void *where_user;
    bool on_surface;  ///< only nodes of the boundary, elements with a boundary face
    bool invert;      ///< the complement
    uint32_t cookie;
} sp_selection;

/// The items of a selection.
typedef enum sp_select_kind { SP_SELECT_NODES, SP_SELECT_ELEMENTS, SP_SELECT_FACES } sp_select_kind;

/// Every default, and a valid cookie.
SP_API sp_selection sp_selection_default(void);
/// Selects nodes by position, elements by centre, boundary faces if all three nodes are selected. Writes up to capacity numbers
/// in ascending order, and the total count; out = NULL: only the count. SP_BAD_INPUT: unknown group or id.
SP_API sp_status sp_mesh_select(const sp_mesh *mesh, const sp_selection *selection, sp_select_kind kind, int *out, int capacity,
                                int *count);

// ---------------------------------------------------------------------------------------------------- triangle surfaces

/// Definition of a triangle surface. Start from sp_trimesh_def_default(). Everything is copied.
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
/// Creates a surface. Fails for numbers out of range and non-finite positions, and names the first.
SP_API sp_status sp_trimesh_create(sp_context *context, const sp_trimesh_def *def, sp_trimesh **out);
/// Frees it and sets the handle to NULL. Accepts NULL.
SP_API void sp_trimesh_destroy(sp_trimesh **surface);
SP_API sp_context *sp_trimesh_context(const sp_trimesh *surface);  ///< the context of its creation
/// The content of a surface as a definition. Pointers are valid as long as the surface exists.
SP_API void sp_trimesh_get(const sp_trimesh *surface, sp_trimesh_def *out);
/// The boundary of a mesh as a separate surface. Its array "node" contains the mesh node of each vertex.
SP_API sp_status sp_mesh_boundary(const sp_mesh *mesh, sp_trimesh **out);
/// Subdivides each triangle into four, `times` times, 0..6. smooth: Loop subdivision, which keeps edges sharper than `crease`
/// degrees.
SP_API sp_status sp_trimesh_subdivided(const sp_trimesh *surface, int times, bool smooth, double crease, sp_trimesh **out);
/// A copy whose positions are scaled per axis, then transformed by the pose. Nullable: scale, pose.
SP_API sp_status sp_trimesh_transformed(const sp_trimesh *surface, const double scale[3], const sp_pose *pose, sp_trimesh **out);

// ---------------------------------------------------------------------------------------------------- quality and repair

/// Defects of a mesh or a surface. "Elements" are those of the mesh or the triangles, "the surface" is the boundary of the mesh
/// or the triangles themselves.
#define SP_DEFECT_LIST(X)                                                                                           \
    X(SP_DEFECT_NOT_FINITE, "not-finite", "a node's position is not finite")                                        \
    X(SP_DEFECT_INDEX, "index", "an element names a node that does not exist")                                      \
    X(SP_DEFECT_INVERTED, "inverted", "an element is inverted")                                                     \
    X(SP_DEFECT_DISTORTED, "distorted", "the Jacobian determinant of an element is not positive everywhere")        \
    X(SP_DEFECT_FLAT, "degenerate", "an element has no volume (a triangle: no area)")                               \
    X(SP_DEFECT_DUPLICATE, "duplicate", "two elements have the same nodes")                                         \
    X(SP_DEFECT_UNREFERENCED, "unreferenced", "a node belongs to no element")                                       \
    X(SP_DEFECT_COINCIDENT, "coincident", "two nodes have the same position")                                       \
    X(SP_DEFECT_SHARED_FACE, "overcrowded-face", "more than two elements share a face")                             \
    X(SP_DEFECT_FOLDED, "folded", "two elements lie on the same side of the face they share")                       \
    X(SP_DEFECT_OPEN_EDGE, "open-edge", "an edge of the surface belongs to one triangle only")                      \
    X(SP_DEFECT_EDGE, "non-manifold-edge", "more than two triangles of the surface share an edge")                  \
    X(SP_DEFECT_VERTEX, "non-manifold-vertex", "parts of the surface touch in a single vertex")                     \
    X(SP_DEFECT_ORIENTATION, "orientation", "two neighbouring triangles of the surface have opposite orientations") \
    X(SP_DEFECT_INSIDE_OUT, "inside-out", "a closed part of the surface is oriented inwards")                       \
    X(SP_DEFECT_INTERSECTION, "self-intersection", "two triangles of the surface intersect")

/// The kinds of SP_DEFECT_LIST.
typedef enum sp_defect_kind {
#define SP_X(id, name, text) id,
    SP_DEFECT_LIST(SP_X)
#undef SP_X
        SP_DEFECT_KINDS
} sp_defect_kind;

/// The name of a kind of defect ("self-intersection"); NULL: unknown kind.
SP_API const char *sp_defect_name(sp_defect_kind kind);
/// The description of a kind of defect; NULL: unknown kind.
SP_API const char *sp_defect_text(sp_defect_kind kind);

/// One defect, with the user numbers of the elements and nodes concerned.
typedef struct sp_defect {
    sp_defect_kind kind;
    int element_count, node_count;
    int64_t elements[2];  ///< the elements concerned; for boundary triangles of a mesh: the elements behind them
    int64_t nodes[2];     ///< the node, the two nodes that coincide, or the ends of the edge
    double value;         ///< volume [m3], area [m2], distance [m] or smallest determinant [m3], depending on the kind; else 0
} sp_defect;

/// Statistics of a mesh or surface. Elements with missing nodes are not counted.
typedef struct sp_mesh_stats {
    int node_count, element_count;
    bool tetrahedra;         ///< a volume mesh, not a surface
    int type_counts[4];      ///< elements of each sp_element_type, of volume meshes
    double low[3], high[3];  ///< of the finite positions [m]
    double volume;  ///< of elements, inverted ones counted positive; of closed surfaces the volume enclosed; open ones: NaN [m3]
    double area;    ///< of the surface [m2]
    double tolerance;                          ///< distance below which nodes coincide [m]
    int component_count;                       ///< parts that share no node
    int face_count, edge_count, vertex_count;  ///< of the surface
    int shell_count, closed_count;             ///< parts of the surface that share no edge; closed ones among them
    double angle_min, angle_max;               ///< dihedral angles of the corners of tetrahedra, angles of triangles [deg]
    int64_t angles[18];                        ///< per 10 degrees
    double ratio_min, ratio_mean;              ///< inscribed to circumscribed radius, 1 for a regular element, 0 for a flat one
    int64_t ratios[10];                        ///< per 0.1
    int64_t worst;                             ///< user number of the element with ratio_min, or -1
    double aspect_max;                         ///< longest edge to inscribed radius, 1 for a regular element
    double edge_min, edge_mean, edge_max;      ///< over the edges of all elements, straight from corner to corner [m]
    double jacobian_min, jacobian_mean;        ///< smallest to largest Jacobian determinant at corners and integration points of
                                               ///< hexahedra and quadratic tetrahedra: 1 for undistorted ones; NaN: none
    int64_t jacobian_worst;                    ///< user number of the element with jacobian_min, or -1
} sp_mesh_stats;

/// Options of an examination. Start from sp_examine_options_default().
typedef struct sp_examine_options {
    double tolerance;            ///< distance below which nodes coincide [m]; default -1: 1e-9 of the bounding box diagonal
    int limit;                   ///< defects listed per kind, >= 0, default 20; counts are always complete
    bool intersections;          ///< search for self-intersections. Default true
    const int64_t *node_ids;     ///< of surfaces: user numbers; nullable: 0, 1, 2, ...
    const int64_t *element_ids;  ///< likewise
    uint32_t cookie;
} sp_examine_options;

/// Result of an examination.
typedef struct sp_mesh_report sp_mesh_report;

/// Every default, and a valid cookie.
SP_API sp_examine_options sp_examine_options_default(void);
/// Examines a definition, because a defective mesh cannot be created. Only counts and pointers must be valid. Nullable: options.
SP_API sp_status sp_mesh_examine(sp_context *context, const sp_mesh_def *def, const sp_examine_options *options,
                                 sp_mesh_report **out);
/// The same for a surface.
SP_API sp_status sp_trimesh_examine(sp_context *context, const sp_trimesh_def *def, const sp_examine_options *options,
                                    sp_mesh_report **out);
/// Frees it and sets the handle to NULL. Accepts NULL.
SP_API void sp_mesh_report_destroy(sp_mesh_report **report);
/// The statistics of an examination.
SP_API const sp_mesh_stats *sp_mesh_report_stats(const sp_mesh_report *report);
/// Number of defects of a kind. *whole is false if the search was aborted (tens of millions of triangles in one place): the
/// number is then a lower bound. Nullable: whole.
SP_API int64_t sp_mesh_report_count(const sp_mesh_report *report, sp_defect_kind kind, bool *whole);
/// A listed defect by index, sorted by kind.
SP_API sp_status sp_mesh_report_at(const sp_mesh_report *report, int index, sp_defect *out);

/// Report of a repair.
typedef struct sp_mesh_repairs {
    int welded;              ///< nodes merged with another one
    int dropped_nodes;       ///< nodes without elements, including non-finite ones
    int dropped_broken;      ///< elements with a missing or non-finite node
    int dropped_flat;        ///< elements without volume or area
    int dropped_duplicates;  ///< duplicate elements
    int turned;  ///< tetrahedra with corrected orientation; triangles flipped to agree with their neighbours and to face outwards
    int unorientable;  ///< edges whose triangles cannot be oriented consistently (a Moebius strip has one)
} sp_mesh_repairs;

/// A copy with safe repairs: nodes closer than the tolerance are merged, broken, degenerate and duplicate elements are removed,
/// and the orientation of tetrahedra is corrected. Faces of surfaces are oriented consistently within each part, and outwards if
/// the part is closed and not inside another. User numbers, groups, arrays, texture coordinates and colours are kept.
/// SP_BAD_INPUT: nothing remains, or an element is not a linear tetrahedron. Of the options only the tolerance is used. Nullable:
/// options, done.
SP_API sp_status sp_mesh_repaired(sp_context *context, const sp_mesh_def *def, const sp_examine_options *options, sp_mesh **out,
                                  sp_mesh_repairs *done);
/// The same for a surface.
SP_API sp_status sp_trimesh_repaired(sp_context *context, const sp_trimesh_def *def, const sp_examine_options *options,
                                     sp_trimesh **out, sp_mesh_repairs *done);

// ---------------------------------------------------------------------------------------------------- refinement

/// Subdivides each linear tetrahedron into eight of equal volume, `times` times, 0..8; other elements are refused. Nodes keep
/// their numbers and ids, new ones follow; elements are renumbered. Groups and arrays are kept: values of new nodes are means of
/// their edge.
SP_API sp_status sp_mesh_refined(const sp_mesh *mesh, int times, sp_mesh **out);
/// Bisects the selected elements at their longest edges until none of their edges is longer than `edge` [m]; edge <= 0: bisects
/// each selected element `times` times. Neighbours are bisected as necessary to avoid hanging nodes.
SP_API sp_status sp_mesh_refined_where(const sp_mesh *mesh, const sp_selection *selection, double edge, int times, sp_mesh **out);

/// Moves the node of a boundary edge from the middle x of its ends a, b onto a curved surface, or leaves it there.
typedef void sp_curve_fn(const void *user, const double a[3], const double b[3], double x[3]);
/// Quadratic tetrahedra from linear ones: a node in the middle of each edge. Nodes keep their numbers and ids, new ones follow;
/// elements keep theirs. Groups and arrays are kept: values of new nodes are means of their edge. SP_BAD_INPUT: an element is not
/// a linear tetrahedron. `curve` places new nodes of the boundary; the edges of an element stay straight where its Jacobian
/// determinant would not be positive at a corner or an integration point. Nullable: curve, and then user.
SP_API sp_status sp_mesh_order2(const sp_mesh *mesh, sp_curve_fn *curve, const void *user, sp_mesh **out);

// ---------------------------------------------------------------------------------------------------- mesh generation

/// A signed function of space: below 0 inside, above 0 outside. Called from several threads at once; must be pure.
typedef double sp_field_fn(const void *user, const double x[3]);

/// A part of the filled shape that becomes a group, with faces along its boundary. If two overlap, the later one is used.
typedef struct sp_fill_region {
    const char *name;
    sp_field_fn *field;  ///< below 0 in the region; the part outside the shape is cut off
    const void *user;
} sp_fill_region;

/// Mesh generation by isosurface stuffing (Labelle and Shewchuk 2007). Start from sp_fill_def_default().
typedef struct sp_fill_def {
    double size;   ///< edge of a lattice cell at the boundary [m]; edges of elements are about 0.4 to 1.3 of it. 0: by `elements`
    int elements;  ///< approximate number of tetrahedra instead of a size, 1..2^26: within 10 % for 500 or more
    double grade;  ///< largest ratio of cells inside to cells at the boundary: 1, 2, 4, ... 32. Default 1: equal
    double detail;  ///< smallest ratio of cells at thin or curved parts of the surface: 1, 1/2, 1/4, ... 1/32. Default 1:
                    ///< equal. Below 1 no angle is guaranteed; sp_fill_info has the angles reached
    double smooth;  ///< label volumes: width of the smoothing [voxels], 0.5..4. Default 1
    const sp_fill_region *regions;  ///< of sp_mesh_fill and sp_mesh_fill_surface
    int region_count;               ///< 0..64
    const char *body;               ///< with regions: name of the group of the remaining elements, default "body"
    uint32_t cookie;
} sp_fill_def;

/// Report of a mesh generation.
typedef struct sp_fill_info {
    double size;          ///< of the lattice [m]
    int runs;             ///< lattices tried until the number of elements was reached
    double dihedral[2];   ///< smallest and largest dihedral angle [deg]
    double guarantee[2];  ///< guaranteed bounds of these angles [deg]; 0 and 180: no guarantee
    int islands;          ///< parts connected by faces
    double winding[2];    ///< surfaces: fraction of samples whose winding number is not near an integer; largest |winding number|
} sp_fill_info;

/// Every default, and a valid cookie.
SP_API sp_fill_def sp_fill_def_default(void);
/// Meshes the region where `field` is below 0, inside the box low..high [m], which must contain the shape. `slope`: a bound of
/// |grad field|, 1 for a distance, which saves evaluations; 0: unknown. Nullable: info.
SP_API sp_status sp_mesh_fill(sp_context *context, sp_field_fn *field, const void *user, const double low[3],
                              const double high[3], double slope, const sp_fill_def *def, sp_fill_info *info, sp_mesh **out);
/// Meshes the inside of a surface: where its generalised winding number (Jacobson et al. 2013) is above one half. Noise, small
/// holes, overlaps and an inverted orientation are allowed; a surface without a clear inside is an error. Nullable: info.
SP_API sp_status sp_mesh_fill_surface(const sp_trimesh *surface, const sp_fill_def *def, sp_fill_info *info, sp_mesh **out);

/// Labelled voxels: a segmented scan. Label 0 is background and stays empty.
typedef struct sp_label_volume {
    int dims[3];         ///< voxels along the three index axes, 1..65535 each
    const int *labels;   ///< dims[0] x dims[1] x dims[2], the first index varies fastest
    double affine[12];   ///< 3 rows of 4: position [m] of the centre of voxel (i, j, k), x = A (i, j, k, 1)
    const char **names;  ///< of labels, name_count; nullable: decimal numbers
    const int *name_of;  ///< and the label that each belongs to
    int name_count;
} sp_label_volume;

/// Meshes labelled voxels: faces follow the interfaces between labels, and each label is a group. `take`: the labels to mesh;
/// nullable: all except 0. Nullable: info.
SP_API sp_status sp_mesh_fill_labels(sp_context *context, const sp_label_volume *volume, const int *take, int take_count,
                                     const sp_fill_def *def, sp_fill_info *info, sp_mesh **out);

/// Organ-like shapes and test bodies, with named groups (docs/meshing.md): "liver", "lens", "eye", "skin", "stomach", "vessels",
/// "gall-bladder", "rabbit", "armadillo", "octopus", "snake"; `length` is the longest extent [m], centred at the origin.
/// `elements`: approximate number of elements, at least 300.
SP_API sp_status sp_mesh_organ(sp_context *context, const char *kind, double length, int elements, sp_mesh **out);
/// The name of organ `index`, or NULL past the last.
SP_API const char *sp_mesh_organ_name(int index);

#ifdef __cplusplus
}
#endif
#endif
