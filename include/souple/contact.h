/// What acts between the bodies of a world: surfaces, contact, links.
#ifndef SOUPLE_CONTACT_H
#define SOUPLE_CONTACT_H

#include "body.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---------------------------------------------------------------------------------------------------- surfaces

/// Use of a surface. Mechanical: the boundary of the simulated mesh. Interfaces: faces inside a solid between its regions.
enum { SP_ROLE_VISUAL = 1, SP_ROLE_COLLISION = 2, SP_ROLE_MECHANICAL = 4, SP_ROLE_INTERFACES = 8 };

/// A surface embedded in a body: each vertex is a material point, inside an element or attached to the nearest one, and follows
/// the affine motion of that element. Forces on vertices act on the body by the exact transpose of this mapping. The vertices of
/// collision surfaces are the collision points of a solid and share the contact stiffness of the nodes that carry them; without a
/// collision surface the nodes are the collision points. The boundary has the roles that no embedded surface has. Surfaces are
/// removed with their body. Start from sp_surface_def_default().
typedef struct sp_surface_def {
    const char *name;        ///< unique on its body; nullable: "surface<index>", or the next free number
    const sp_trimesh *mesh;  ///< in the frame of the rest shape (rigid: of the body)
    unsigned roles;          ///< SP_ROLE_VISUAL, SP_ROLE_COLLISION or both; default both
    const int *faces;        ///< instead of `mesh`: these boundary faces of the body (indices into sp_mesh_faces); nullable
    int face_count;
    int subdivide;  ///< subdivide each triangle of the boundary into 4^n for display, 0..4; default 0
    int region;     ///< instead of all above but `name`: the interfaces of this region of a solid with regions of lower numbers,
                    ///< faces inside the solid that point out of the region. Its role is SP_ROLE_INTERFACES. May be empty.
                    ///< From 1; 0 (default): none
    uint32_t cookie;
} sp_surface_def;

/// Every default, and a valid cookie.
SP_API sp_surface_def sp_surface_def_default(void);
/// Adds an embedded surface. Neither mesh nor faces: the whole boundary of the body. *index: its number on the body, from 1; 0 is
/// the boundary.
SP_API sp_status sp_world_add_surface(sp_world *world, sp_body_id body, const sp_surface_def *def, int *index);
/// Number of surfaces of a body including the boundary: at least 1. 0: the id is null or stale. SP_BUSY (negative): another
/// thread steps, restores or queries the world.
SP_API int sp_world_surface_count(sp_world *world, sp_body_id body);

/// A cross section of the surface of a rod: the vertices from `vertex` to the first one of the next cross section.
typedef struct sp_rod_cross_section {
    int vertex;
    int element;  ///< numbered through all strands
    double at;    ///< fraction of its length, in [0, 1]
} sp_rod_cross_section;

/// Description of a surface. Pointers are valid as long as the body exists.
typedef struct sp_surface_info {
    const char *name;
    unsigned roles;
    int vertex_count, face_count;
    int outside;                        ///< vertices outside all elements, attached to the nearest one
    double farthest;                    ///< largest distance of those [m]
    const sp_anchor *anchors;           ///< vertex_count material points of the body
    const uint32_t *faces;              ///< face_count x 3, outward
    const int *nodes;                   ///< boundary: user node of each vertex; NULL: none
    int ring_count;                     ///< number of `rings`
    const sp_rod_cross_section *rings;  ///< boundary: cross sections of a rod, in order; NULL: none
    uint32_t revision;                  ///< changes when the vertices or faces change: elements were removed or appended
} sp_surface_info;

/// Names, counts, anchors and faces of a surface.
SP_API sp_status sp_world_surface_info(sp_world *world, sp_body_id body, int index, sp_surface_info *out);
/// Current positions and velocities, unit normals (vertex_count x 3 each). Nullable: each.
SP_API sp_status sp_world_surface_get(sp_world *world, sp_body_id body, int index, double *x, double *v, double *normals);
/// g += J^T f: converts forces on the vertices (vertex_count x 3) to generalised forces on the body (nodes x 3 in user numbering;
/// rigid: force, and torque about the centre of mass of a free body or about the origin of the frame of another, 6 numbers).
SP_API sp_status sp_world_surface_apply_transpose(sp_world *world, sp_body_id body, int index, const double *f, double *g);

/// Where the solid of a collision surface is (proximity).
typedef enum sp_surface_side {
    SP_SURFACE_OUTSIDE,  ///< behind its faces: others touch it from outside
    SP_SURFACE_INSIDE,   ///< in front of its faces: vessels and cavities, whose inside is free
    SP_SURFACE_BOTH      ///< on neither side: a sheet; what touches it stays on the side where it was
} sp_surface_side;

/// How a collision surface is touched (proximity). Start from sp_surface_contact_def_default().
typedef struct sp_surface_contact_def {
    sp_surface_side side;  ///< default outside
    double field;  ///< rigid bodies: others touch a signed distance field with cells of this size instead of the triangles
                   ///< [m] > 0, at most half of the surface; 0, the default: triangles. Not with SP_SURFACE_BOTH
    bool self;     ///< soft bodies: the surface touches itself, also if sp_contact_def.self is false; default false
    uint32_t cookie;
} sp_surface_contact_def;

/// Every default, and a valid cookie.
SP_API sp_surface_contact_def sp_surface_contact_def_default(void);
/// Sets how a surface of a body is touched: the boundary (0) or an embedded one. A field is built, which takes from milliseconds
/// to seconds, or shared with other bodies that have the same triangles and cells. SP_BAD_INPUT: a soft body has no field; bodies
/// that consist of planes, spheres and capsules only are touched exactly, from outside; the field would need more than 1 GB.
SP_API sp_status sp_world_set_surface_contact(sp_world *world, sp_body_id body, int surface, const sp_surface_contact_def *def);

/// Size and accuracy of a distance field.
typedef struct sp_distance_field_info {
    double cell;       ///< [m]
    int cells[3];      ///< along the axes, over the size of the surface
    double blocks;     ///< of 8 x 8 x 8 nodes
    int blocks_near;   ///< those that have values
    size_t bytes;      ///< grid, triangles and their tree
    int open_edges;    ///< edges that belong to one triangle; 0: the surface is closed
    double deviation;  ///< largest value at vertices and middles of triangles, where it should be 0 [m]
    double build_ms;   ///< time of its creation
} sp_distance_field_info;

/// The distance field of a surface. SP_BAD_INPUT: it has none.
SP_API sp_status sp_world_distance_field_info(sp_world *world, sp_body_id body, int surface, sp_distance_field_info *out);

/// How contact is formulated.
typedef enum sp_contact_formulation {
    SP_CONTACT_PENALTY,    ///< springs: between soft nodes, or the vertices of collision surfaces, and rigid shapes; where the
                           ///< world has other pairs too, at the contacts that proximity would find
    SP_CONTACT_PROXIMITY,  ///< constraints between all bodies, with exact Coulomb friction; bodies must use implicit Euler
    SP_CONTACT_VOLUME,  ///< constraints on the volume of the overlap, from layered depth images: few, and robust to deep overlap
    SP_CONTACT_VOLUME_PENALTY  ///< springs on the volume of the overlap, with the energy stiffness V^2 / 2
} sp_contact_formulation;

/// Law of friction.
typedef enum sp_contact_law {
    SP_CONTACT_COULOMB,  ///< exact cone
    SP_CONTACT_VISCOUS   ///< volume: a force against the relative velocity, sp_contact_def.viscosity
} sp_contact_law;

/// What happens to bodies that overlap at the start of a step (proximity).
typedef enum sp_stabilisation {
    SP_STABILISATION_AUTO,      ///< a fifth of the overlap is removed in each step, and the velocity of this motion stays
    SP_STABILISATION_POST,      ///< the overlap may not grow; then positions alone are corrected, so that no velocity remains
    SP_STABILISATION_VELOCITY,  ///< the overlap may not grow, and it stays
    SP_STABILISATION_POSITION   ///< the overlap is removed in one step; the velocity of this motion stays in the bodies
} sp_stabilisation;

/// Method of the complementarity problem. docs/contact-solvers.md says when to choose which.
typedef enum sp_contact_method {
    SP_CONTACT_METHOD_AUTO,     ///< gauss-seidel; groups of contacts for which it would need too many sweeps: interior-point
    SP_CONTACT_GAUSS_SEIDEL,    ///< block Gauss-Seidel
    SP_CONTACT_INTERIOR_POINT,  ///< interior point method, then semismooth Newton
    SP_CONTACT_DIRECT           ///< dense reference (Lemke): at most 50 contacts that are coupled through bodies
} sp_contact_method;
/// What Gauss-Seidel does with one contact: one step of a fixed point, or the exact solution of this contact alone.
typedef enum sp_contact_local { SP_CONTACT_PROJECTION, SP_CONTACT_NEWTON } sp_contact_local;
/// The cone of friction: round, or a pyramid inside it with `facets` edges. Facets need the method auto or direct.
typedef enum sp_contact_cone { SP_CONTACT_EXACT, SP_CONTACT_FACETS } sp_contact_cone;
/// How Gauss-Seidel uses threads. All have the iterates of sequential to rounding.
typedef enum sp_contact_strategy {
    SP_CONTACT_STRATEGY_AUTO,  ///< graph for large groups of coupled contacts, else sequential
    SP_CONTACT_SEQUENTIAL,     ///< one thread per group of coupled contacts
    SP_CONTACT_BLOCK,          ///< diagonal tile alone, then its columns in parallel
    SP_CONTACT_GRAPH,          ///< tiles in the order of their dependencies
    SP_CONTACT_ROW,            ///< the products of one row in parallel; slow, for comparison
    SP_CONTACT_COL             ///< the products of one column in parallel; slow, for comparison
} sp_contact_strategy;
/// Broad phase of collision detection. All find the same contacts.
typedef enum sp_contact_broad { SP_CONTACT_BROAD_AUTO, SP_CONTACT_BVH, SP_CONTACT_HASH, SP_CONTACT_BRUTE } sp_contact_broad;

/// Options of the solver of contact by constraints; part of sp_contact_def.
typedef struct sp_contact_solver_def {
    sp_contact_method method;      ///< default auto
    sp_contact_local local;        ///< default projection
    sp_contact_cone cone;          ///< default exact
    int facets;                    ///< of the cone, 4..32, default 4
    sp_contact_strategy strategy;  ///< default auto
    int sweeps;                    ///< limit of Gauss-Seidel >= 1, default 500
    double tolerance;              ///< of the residual, relative to the largest violation > 0, default 1e-6
    bool warm_start;               ///< start from the impulses of the last step, default true
    double budget_ms;  ///< time of a step's solves [ms] >= 0; 0: no limit, the default. It acts where the world is not
                       ///< deterministic; edits taken say where it ended a solve, and a replay ends it there too
} sp_contact_solver_def;

/// Contact between bodies. Penalty: a spring along the normal, and along the surface one that sticks up to friction times the
/// normal force.
typedef struct sp_contact_def {
    sp_contact_formulation formulation;
    double stiffness;  ///< penalty: [N/m] per node, normal and tangential; 0: auto, 30 m/h2 with the mass of each node (or the
                       ///< mean mass if larger), and for solids at least Young's modulus times the element size (static: that;
                       ///< explicit: m/h2 of the substep). Contacts of all pairs: per contact, normal; 0: auto, 30 times the
                       ///< stiffness with which the bodies answer there within a step. volume-penalty: [N/m5]; 0: auto, once that
    double damping;    ///< penalty: [N s/m] per node or contact >= 0
    double friction;   ///< coefficient >= 0
    double alarm;  ///< proximity: contacts are made below this distance (beyond the gap) [m] >= 0; 0, the default: of each pair,
                   ///< an eighth of the smaller edge or radius of those of the two that can move
    double gap;    ///< proximity: distance that contacts keep [m] >= 0
    sp_stabilisation stabilisation;  ///< proximity: default auto
    int passes;   ///< proximity: how often a step searches and solves again until its end does not overlap >= 0, default 3
    int reserve;  ///< proximity: contacts for which memory is kept ready >= 0; 0: auto, memory grows with the contacts
    sp_contact_broad broad;  ///< proximity: default auto, which is bvh
    bool self;               ///< proximity: soft bodies touch themselves; default false
    bool continuous;  ///< proximity: what touches only between the start and the end of the free motion of a step is found too;
                      ///< default false
    double enabled;   ///< proximity: 1, the default: contacts act; 0: they do not, until the parameter contact.enabled is 1
    double pixel;     ///< volume: distance of the rays of the layered depth images [m] > 0; no default
    int cell;         ///< volume: edge of a constraint in pixels, 0..4096; 0, the default: one constraint for each pair
    int layers;       ///< volume: surfaces that a ray may cross for which memory is ready, 0..4096; 0, the default: 98. Where a
                      ///< ray crosses more, memory grows, and the first time an event says so. It changes no result
    double slack;     ///< volume: overlap that stays at rest, in pixels >= 0, default 0.5; 0: contacts without a load come and go
    sp_contact_law law;            ///< volume: default coulomb
    double viscosity;              ///< viscous: force per area, area and relative velocity [N s/m5] >= 0
    sp_contact_solver_def solver;  ///< proximity
    uint32_t cookie;
} sp_contact_def;

/// A body, or a part of its surface.
typedef struct sp_contact_part {
    sp_body_id body;
    int surface;       ///< number of a surface of the body; -1: all of them
    const int *nodes;  ///< nodes in user numbering: faces, edges and vertices with all their nodes in this set. A vertex of an
                       ///< embedded surface counts as the node of its element that carries most of it. NULL: everything
    int node_count;
} sp_contact_part;

/// Other values for the contacts between two sets of bodies or parts of bodies (proximity). Where several pairs hold, the
/// narrower one wins, value by value. A pair that is not enabled makes no contacts. Start from sp_contact_pair_def_default().
typedef struct sp_contact_pair_def {
    const char *name;  ///< its parameter is "contact.<name>.friction"; nullable: "pair[<index>]"
    const sp_contact_part *a, *b;
    int a_count, b_count;  ///< >= 1
    bool enabled;          ///< default true; false: they ignore each other
    double friction;       ///< coefficient >= 0; NaN, the default: that of a wider pair, of the parts, or of sp_contact_def
    double alarm;          ///< [m] > 0; NaN, the default: of a wider pair or of sp_contact_def
    double gap;            ///< [m] >= 0; NaN, the default: likewise
    int continuous;        ///< 1: yes, 0: no; -1, the default: likewise. It acts on whole bodies: yes, if it is so in a part
    int formulation;       ///< sp_contact_formulation; -1, the default: likewise. Volumes are of whole bodies and surfaces
    double pixel;          ///< volume: [m] > 0; NaN, the default: likewise
    uint32_t cookie;
} sp_contact_pair_def;

/// What touches on one side of a contact.
typedef enum sp_contact_feature {
    SP_CONTACT_SHAPE,  ///< an analytic plane, sphere or capsule
    SP_CONTACT_VERTEX,
    SP_CONTACT_EDGE,
    SP_CONTACT_FACE,
    SP_CONTACT_PATCH  ///< volume: the part of the surface that bounds the overlap
} sp_contact_feature;

/// A contact of the last step (proximity). Force, slip, area and pressure are those of the whole step.
typedef struct sp_contact_point {
    sp_body_id bodies[2];
    double point[3];   ///< midway between the two surfaces, at the start of the step [m]; volume: centroid of the overlap
    double normal[3];  ///< unit, from the second to the first body
    double force[3];   ///< on the first body [N]; on the second it is the opposite
    double gap;        ///< distance minus the gap to keep, at the start of the step [m]; < 0: overlap
    double slip[3];    ///< displacement of the first body along the second in the step [m], tangential; 0: it sticks
    /// Normal force per area [Pa]. The normal force is distributed to the vertices of the touching feature by their weights, and
    /// each share is divided by the tributary area of its vertex: a third of the faces around it that are less than 60 degrees
    /// from the normal, projected along it. The value is the mean of the vertices, with the contributions of all contacts that
    /// share them. It is taken on the side that touches with a vertex, else on the first one with faces. 0: both sides are
    /// analytic shapes, which have no area.
    double pressure;
    double area;                     ///< normal force / pressure [m2]: the part of the surface that the contact carries
    sp_contact_feature features[2];  ///< what touches on each body
    sp_anchor anchors[2];            ///< the material points that touch. Where a feature of an embedded surface is in several
                                     ///< elements: its vertex with the largest weight
} sp_contact_point;

/// Number of contacts of the last step.
SP_API int sp_world_contact_count(const sp_world *world);
/// A contact of the last step, index in [0, count). SP_BAD_INPUT: there is no such contact.
SP_API sp_status sp_world_contact_at(const sp_world *world, int index, sp_contact_point *out);

/// All contacts of a body, or of the world, in the last step.
typedef struct sp_contact_sum {
    int count;        ///< number of contacts, including those that carry nothing
    double force[3];  ///< sum of the forces on the body [N]; world: 0
    double normal;    ///< sum of the normal forces [N]
    double largest;   ///< largest force of one contact [N]
    double pressure;  ///< largest pressure of one contact [Pa]
    double gap;       ///< smallest gap at the start of the step [m]; infinite: no contacts
} sp_contact_sum;

/// Sums the contacts of a body, or all contacts if `id` is null. Nothing is allocated.
SP_API sp_status sp_world_contact_sum(sp_world *world, sp_body_id id, sp_contact_sum *out);
/// Replaces the contacts by given ones, for a world that shows recorded states; the next step replaces them. Only bodies, point,
/// normal, force, gap and pressure are used. In fields each contact acts at the nearest vertex of the boundary.
SP_API sp_status sp_world_set_contacts(sp_world *world, const sp_contact_point *contacts, int count);

/// Every default, and a valid cookie.
SP_API sp_contact_def sp_contact_def_default(void);
/// Sets the contact parameters. Nullable: def (no contact).
SP_API sp_status sp_world_set_contact(sp_world *world, const sp_contact_def *def);
/// Contact as it is now, with the values of its parameters. False: there is none.
SP_API bool sp_world_get_contact(const sp_world *world, sp_contact_def *out);

/// The whole body: all surfaces, all nodes.
SP_API sp_contact_part sp_contact_part_body(sp_body_id body);
/// Every default, and a valid cookie.
SP_API sp_contact_pair_def sp_contact_pair_def_default(void);
/// Adds a pair; everything is copied. Pairs stay when the contact parameters are set again. SP_BAD_INPUT: a body was removed, a
/// node does not exist, a value is out of range, or another pair overlaps this one and neither is narrower. Nullable: index.
SP_API sp_status sp_world_add_contact_pair(sp_world *world, const sp_contact_pair_def *def, int *index);
/// Gives a part of a body its own friction coefficient, which holds where no pair gives one. Where both sides have one, the
/// smaller holds; of two that hold for one part, the later. Nullable: path, of the parameter ("beam.region[0].friction").
SP_API sp_status sp_world_add_friction(sp_world *world, const sp_contact_part *part, double friction, const char *path);

/// A surface that contact by volumes cannot use.
typedef struct sp_open_surface {
    sp_body_id body;
    int surface;  ///< 0: the boundary; others: embedded surfaces
    int edges;    ///< edges whose triangles do not close it; 0: no surface is open
} sp_open_surface;

/// Looks for a surface that may touch another body by volumes, by the contact parameters and pairs of the world, and is not
/// closed: the first step refuses it. The first one is returned; out->edges is 0 if all are closed or no pair needs it.
SP_API sp_status sp_world_open_surface(sp_world *world, sp_open_surface *out);

/// The complementarity problem that the last step solved: u = W lambda + q, three rows per contact (normal, two tangents).
typedef struct sp_contact_problem {
    int contacts;
    const int *start;      ///< W by compressed rows: 3 contacts + 1
    const int *column;     ///< of each entry
    const double *value;   ///< of each entry [m/(N s)]
    const double *q;       ///< violations without impulses [m], 3 contacts
    const double *mu;      ///< friction coefficients
    const double *lambda;  ///< impulses [N s], 3 contacts
    const double *u;       ///< relative displacements at the end of the step [m], 3 contacts
    bool converged;        ///< to the tolerance of the contact solver
} sp_contact_problem;

/// The problem of the last step. It allocates; the arrays are valid until the next call or step. SP_BAD_INPUT: there were no
/// contacts.
SP_API sp_status sp_world_contact_problem(sp_world *world, sp_contact_problem *out);

// ---------------------------------------------------------------------------------------------------- links

/// A link between two bodies. Zero is null; functions detect the id of a removed link.
typedef struct sp_link_id {
    uint32_t slot;  ///< 1 + index
    uint32_t generation;
} sp_link_id;

/// How a link joins its two sides. docs/links.md says when to choose which.
typedef enum sp_link_type {
    SP_LINK_WELD,  ///< points stay together. Two faces of solids are glued by a mortar coupling; two bodies with frames of their
                   ///< own (rigid bodies, a single node of a rod) keep their relative pose
    SP_LINK_SPRING,  ///< points are pulled back to each other by springs and dampers, in all directions
    SP_LINK_SLIDE,   ///< each point of `a` slides along `guide` of `b`, with friction
    SP_LINK_HINGE    ///< `point` and `axis` stay common
} sp_link_type;

/// What a point slides on.
typedef enum sp_link_guide {
    SP_GUIDE_LINE,       ///< a line of a rigid `b` along `axis`, through each point
    SP_GUIDE_PLANE,      ///< a plane of a rigid `b` with the normal `axis`, through each point
    SP_GUIDE_CENTRELINE  ///< the centreline of a rod
} sp_link_guide;

/// One side of a link: a body, some of its nodes, or material points of it.
typedef struct sp_link_part {
    sp_body_id body;
    const int *nodes;         ///< in user numbering; NULL: the whole body
    int node_count;           ///< number of nodes
    const sp_anchor *points;  ///< material points of the body instead of nodes, tied one by one to the other body; where both
                              ///< sides of a spring have as many, point by point: each pair is pulled together. Nullable
    int point_count;          ///< number of points
} sp_link_part;

/// A link between two bodies, or two parts of one body. Its rows are solved together with those of contacts. Start from
/// sp_link_def_default(). Everything is copied. Points are found at the state in which the link is attached.
typedef struct sp_link_def {
    const char *name;     ///< unique in the world, also among bodies; nullable: "link<slot>"
    sp_link_type type;    ///< default weld
    sp_link_part a;       ///< first side; forces are those on it
    sp_link_part b;       ///< second side
    double within;        ///< points of one side are tied that are at most so far from the other [m] > 0; 0, the default: auto, a
                          ///< quarter of the mean edge of the faces (rods: of the elements) of the finer side
    bool has_point;       ///< `point` is given
    double point[3];      ///< hinge: on the axis; weld, spring and slide of whole rigid bodies: where they are joined [m], world
                          ///< axes, at the state in which the link is attached
    double axis[3];       ///< hinge, line: direction; plane: normal; of any length > 0
    sp_link_guide guide;  ///< slide: default line
    double stiffness;     ///< spring: [N/m] > 0, of all points together
    double damping;       ///< spring: [N s/m] >= 0, of all points together
    double friction;      ///< slide: Coulomb's coefficient >= 0
    double break_force;   ///< the link breaks at the end of a step in which its force exceeds this [N] > 0; default infinity
    bool attached;        ///< default true; false: an edit attaches it
    uint32_t cookie;
} sp_link_def;

/// What a link is doing.
typedef enum sp_link_state {
    SP_LINK_ATTACHED,  ///< it acts
    SP_LINK_DETACHED,  ///< it was not attached yet, or an edit detached it, or all its points have slid off the end of a rod
    SP_LINK_BROKEN     ///< its force exceeded `break_force`
} sp_link_state;

/// A link and what it did in the last step. Nothing is allocated for it.
typedef struct sp_link_info {
    sp_link_id id;
    const char *name;  ///< valid as long as the link exists
    sp_link_type type;
    sp_link_state state;
    sp_body_id bodies[2];  ///< of `a` and `b`
    int point_count;       ///< tied points, see sp_world_link_point; 0: not attached
    double force[3];       ///< sum of the forces on `a` [N], the mean over the last step; on `b` it is the opposite
    double stretch;        ///< largest distance between what is tied together, at the current state [m]; 0: not attached
    double within;         ///< distance of the last search, with `auto` resolved [m]
    double break_force;    ///< [N]
} sp_link_info;

/// A tied point of a link.
typedef struct sp_link_point {
    double a[3], b[3];     ///< its positions on both sides at the current state [m]
    double force[3];       ///< on `a` [N], the mean over the last step
    sp_anchor anchors[2];  ///< the material points; of a mean of several the one with the largest weight
} sp_link_point;

/// Every default, and a valid cookie.
SP_API sp_link_def sp_link_def_default(void);
/// Adds a link. SP_BAD_INPUT: a body is removed, cannot move, or has an integrator without constraints; both sides are fixed; a
/// value is out of range; nothing is near enough to be tied. Nullable: out.
SP_API sp_status sp_world_add_link(sp_world *world, const sp_link_def *def, sp_link_id *out);
/// Removes a link. Its id is then stale. Links of a body are removed with it.
SP_API sp_status sp_world_remove_link(sp_world *world, sp_link_id id);
/// Attaches a link again at the current state, also a broken one, or detaches it, between two steps. Edit logs do not contain
/// this change: SP_EDIT_ATTACH and SP_EDIT_DETACH are the edits.
SP_API sp_status sp_world_set_link(sp_world *world, sp_link_id id, bool attached);
/// Number of links, including those that are not attached.
SP_API int sp_world_link_count(const sp_world *world);
/// A link by index, in order of creation, index in [0, count).
SP_API sp_status sp_world_link_at(sp_world *world, int index, sp_link_info *out);
SP_API sp_link_id sp_world_link_named(const sp_world *world, const char *name);  ///< null id if absent
/// A link by its id.
SP_API sp_status sp_world_link_info(sp_world *world, sp_link_id id, sp_link_info *out);
/// A tied point of a link, index in [0, point_count).
SP_API sp_status sp_world_link_point(sp_world *world, sp_link_id id, int index, sp_link_point *out);

#ifdef __cplusplus
}
#endif
#endif
