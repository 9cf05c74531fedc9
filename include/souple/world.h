/// A world: bodies, loads, edits, steps, snapshots. One thread at a time may step it; any thread may queue edits and acquire
/// snapshots.
#ifndef SOUPLE_WORLD_H
#define SOUPLE_WORLD_H

#include "base.h"
#include "mesh.h"
#include "solve.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A simulation: bodies and their common time.
typedef struct sp_world sp_world;

/// A body of a world. Zero is null; functions detect the id of a removed body.
typedef struct sp_body_id {
    uint32_t slot;  ///< 1 + index
    uint32_t generation;
} sp_body_id;

/// Result of an iteration limit: a reservation, or a failed step.
typedef enum sp_on_limit { SP_LIMIT_ACCEPT, SP_LIMIT_FAIL } sp_on_limit;
/// Result of the failure of a body: the step fails, or the body is frozen at its last valid state.
typedef enum sp_on_failure { SP_FAILURE_STOP, SP_FAILURE_FREEZE } sp_on_failure;

/// Definition of a world. Start from sp_world_def_default().
typedef struct sp_world_def {
    sp_signal gravity[3];      ///< [m/s2], default 0 -9.81 0
    const char *backend;       ///< "auto", "ref", "cpu"; default "auto"
    sp_on_limit on_limit;      ///< an iteration limit is a reservation (default) or a failure
    sp_on_failure on_failure;  ///< a failing body fails the step (default) or is frozen
    int snapshot_slots;        ///< 1 + snapshots that readers may hold at the same time, 2..16, default 4
    bool snapshots;            ///< publish after each step, default true
    bool deterministic;        ///< a preconditioner built in the background is used a fixed number of steps later (`lag` of
                               ///< the solver), and the step waits for it if necessary: a replay is bitwise equal. false: it
                               ///< is used as soon as it is ready, without waiting. Default true
    uint32_t cookie;
} sp_world_def;

/// Every default, and a valid cookie.
SP_API sp_world_def sp_world_def_default(void);
/// Creates an empty world at time 0. Nullable: def (defaults).
SP_API sp_status sp_world_create(sp_context *context, const sp_world_def *def, sp_world **out);
/// Frees it and sets the handle to NULL. Accepts NULL.
SP_API void sp_world_destroy(sp_world **world);
/// The context of its creation.
SP_API sp_context *sp_world_context(const sp_world *world);
/// The last failure of any call on the world; never NULL. The result is a copy per calling thread: valid until the same thread
/// calls this again, also for another world, or ends. Any thread may call this at any time.
SP_API const sp_error *sp_world_error(const sp_world *world);

// ---------------------------------------------------------------------------------------------------- solids

/// The constitutive law (docs/materials.md).
typedef enum sp_material_model {
    SP_COROTATIONAL,      ///< linear elasticity in a frame that rotates with the element
    SP_LINEAR,            ///< linear elasticity: small displacements only
    SP_STVK,              ///< St Venant-Kirchhoff: linear in the Green-Lagrange strain; collapses under strong compression
    SP_NEO_HOOKEAN,       ///< see sp_neo_hookean_form
    SP_MOONEY_RIVLIN,     ///< c10 (I1 - 3) + c01 (I2 - 3) of the isochoric invariants
    SP_ARRUDA_BOYCE,      ///< eight-chain model, five terms
    SP_VERONDA_WESTMANN,  ///< exponential, for soft tissue
    SP_OGDEN,             ///< powers of the isochoric stretches, one to four terms
    SP_HOLZAPFEL,    ///< isochoric neo-Hookean law with one or two families of fibres that stiffen exponentially (docs/fibres.md)
    SP_COSTA,        ///< exponential and orthotropic, for heart muscle: axes of fibre, sheet and normal (docs/fibres.md)
    SP_MASS_SPRING,  ///< springs between the nodes of each element: docs/springs.md
    SP_TENSOR_MASS,  ///< forces that are polynomials of the displacements, of 4-node tetrahedra and triangles:
                     ///< docs/tensor-mass.md
} sp_material_model;
/// Energy of the tensor-mass model: St Venant-Kirchhoff, or Hooke's law, for small displacements only.
typedef enum sp_tensor_law { SP_TENSOR_STVK, SP_TENSOR_HOOKE } sp_tensor_law;
/// Energy of the neo-Hookean law. Stable: defined for inverted elements (Smith, de Goes, Kim 2018); log: mu/2 (I1 - 3) - mu ln J
/// + lambda/2 ln^2 J; isochoric: mu/2 (I1 - 3) of the isochoric invariant, and an energy of the volume.
typedef enum sp_neo_hookean_form { SP_FORM_STABLE, SP_FORM_LOG, SP_FORM_ISOCHORIC } sp_neo_hookean_form;
/// Energy of the volume of laws with isochoric invariants, with the bulk modulus k: k/2 ln^2 J, k/2 (J - 1)^2, or k/2 ((J^2 -
/// 1)/2 - ln J).
typedef enum sp_volumetric { SP_VOLUMETRIC_LOG, SP_VOLUMETRIC_QUADRATIC, SP_VOLUMETRIC_MIXED } sp_volumetric;
/// Integration of 8-node hexahedra and tetrahedra; other elements ignore it. B-bar: the mean dilatation of a hexahedron, or of a
/// patch of about seven 4-node tetrahedra, and the points of the element for the rest; does not lock if the material is nearly
/// incompressible (docs/incompressible.md). Full: the points of the element for everything, four in 10-node tetrahedra. Vertices:
/// eight points in 10-node tetrahedra, at the vertices and in the middle of the faces, which recover from inversion
/// (docs/elements.md); other elements as auto. Auto: b-bar for hexahedra, full for tetrahedra.
typedef enum sp_integration {
    SP_INTEGRATION_AUTO,
    SP_INTEGRATION_B_BAR,
    SP_INTEGRATION_FULL,
    SP_INTEGRATION_VERTICES
} sp_integration;
/// Mass matrix. Lumped: diagonal; consistent: the integrals of products of the shape functions, which only implicit integrators
/// take (docs/elements.md).
typedef enum sp_mass_matrix { SP_MASS_LUMPED, SP_MASS_CONSISTENT } sp_mass_matrix;
/// Method that computes the rotation of an element.
typedef enum sp_rotation { SP_ROTATION_POLAR, SP_ROTATION_QR, SP_ROTATION_SVD } sp_rotation;
/// Shape on which the stiffness of an element is computed. Deformed: no torque on a deformed element (Nesme et al. 2004).
typedef enum sp_shape { SP_SHAPE_REST, SP_SHAPE_DEFORMED } sp_shape;
/// Tangent stiffness K. Frozen: positive semi-definite; corotational: the derivative of the rotations is neglected, other laws:
/// negative eigenvalues of the second derivative are set to zero. Exact: the second derivative of the energy.
typedef enum sp_tangent { SP_TANGENT_FROZEN, SP_TANGENT_EXACT } sp_tangent;

enum { SP_RELAXATION_TERMS = 8 };

/// Material constants of a solid or of a region of it.
typedef struct sp_material {
    double density;         ///< [kg/m3] > 0, default 1000
    double young;           ///< [Pa] >= 0, default 1e6
    double poisson;         ///< in (-1, 0.5), default 0.3
    double bulk;            ///< of laws with isochoric invariants: bulk modulus [Pa]; 0: from Young's modulus and Poisson's ratio
    int coefficient_count;  ///< own constants of the law instead of `young` and `poisson`; 0: none
    double coefficients[9];  ///< in the order of docs/materials.md
    int relaxation_count;    ///< viscous part (docs/viscosity.md): terms, at most SP_RELAXATION_TERMS; 0: none
    double relaxation[2 * SP_RELAXATION_TERMS];  ///< pairs: share g > 0 of the instantaneous stiffness, time [s] > 0
    double fibre_young;  ///< [Pa] >= 0: modulus that fibres along `fibre` add to an isotropic law, in tension and compression
    double fibre[6];  ///< rest direction of the fibres in the axes of the mesh, of any length; then that of a second family (of
                      ///< costa: the sheet), 0 0 0: none
    double incompressibility;  ///< modulus k [Pa] >= 0 of the penalty k/2 (J - 1)^2 on the change of volume, default 0; of linear
                               ///< and corotational k/2 (tr e)^2. Not of laws with isochoric invariants, which have `bulk`
} sp_material;

/// The law of a region. Options that a model does not have are ignored.
typedef struct sp_solid_law {
    sp_material_model model;
    sp_rotation rotation;
    sp_shape shape;
    sp_tangent tangent;
    sp_neo_hookean_form form;
    sp_volumetric volumetric;
    sp_integration integration;
    sp_tensor_law tensor_law;
} sp_solid_law;

/// Moduli at small strains: shear and bulk modulus, Young's modulus [Pa] and Poisson's ratio.
typedef struct sp_moduli {
    double shear, bulk, young, poisson;
} sp_moduli;

/// Moduli of volume elements without fibres, also where coefficients and `bulk` describe it; of costa the means of its three
/// shear moduli and of all directions. false: a number is outside of its range, all moduli are NaN, and a sentence says why.
/// Nullable: wrong
SP_API bool sp_material_moduli(const sp_solid_law *law, const sp_material *material, sp_moduli *out, char *wrong, size_t size);

enum { SP_AXIS_X = 1, SP_AXIS_Y = 2, SP_AXIS_Z = 4, SP_AXES_ALL = 7 };

/// Boundary condition: nodes held at their initial position, exactly, or by springs if stiffness > 0.
typedef struct sp_fix {
    const int *nodes;
    int count;
    unsigned axes;     ///< SP_AXIS_ bits
    double stiffness;  ///< [N/m] per node; 0: exactly
} sp_fix;

/// Prescribed displacement: nodes that follow a pose about a point, x(t) = about + translate(t) + R(t) (x_start - about).
typedef struct sp_move {
    const int *nodes;
    int count;
    unsigned axes;
    double about[3];
    sp_pose_signal pose;
} sp_move;

/// A material point of a body: an element and natural coordinates in it. Make it with sp_world_anchor_*, or, for a definition,
/// from the number of an element. An anchor on a removed body is detected.
typedef struct sp_anchor {
    sp_body_id body;
    uint32_t elem;     ///< number of the element; rod: numbered through all strands; rigid: 0
    uint32_t group;    ///< group of elements of one type; 0: there is only one so far
    double at[3];      ///< natural coordinates. Tetrahedron: weights of nodes 1, 2, 3 (node 0: 1 - sum); triangle: of nodes 1, 2,
                       ///< and 0; rod: fraction of the element's length in [0, 1], 0, 0; rigid: 0
    double offset[3];  ///< [m]. Rigid: the point in its own frame; rod: from the centreline in the frame there, x is 0
} sp_anchor;

/// What a load acts on, and its unit.
typedef enum sp_load_type {
    SP_LOAD_FORCE,         ///< total force [N], distributed equally to the nodes
    SP_LOAD_EACH,          ///< force [N] on every node
    SP_LOAD_TRACTION,      ///< force per rest area [Pa] on faces, fixed direction
    SP_LOAD_PRESSURE,      ///< value[0] [Pa] on faces, along the inward deformed normal
    SP_LOAD_ACCELERATION,  ///< [m/s2] on nodes, times their mass
    SP_LOAD_TORQUE         ///< [N m] at a material point of a rod, or on a rigid body
} sp_load_type;

/// A load on a body of any kind. Rods and free rigid bodies take forces and torques at a material point, and accelerations of
/// everything.
typedef struct sp_load {
    sp_load_type type;
    const int *items;  ///< nodes, or for traction and pressure indices into sp_mesh_faces; NULL: the material point `at`
    int count;
    sp_anchor at;        ///< force, torque; its `body` is ignored: the point is on the body that is defined
    sp_signal value[3];  ///< world axes
} sp_load;

/// A spring from a material point to a position in space.
typedef struct sp_spring_def {
    sp_anchor at;      ///< its `body` is ignored: the point is on the body that is defined
    sp_signal to[3];   ///< [m]
    double stiffness;  ///< [N/m] > 0
    double damping;    ///< [N s/m] >= 0
} sp_spring_def;

/// A point mass: a weight at material points of a solid or a rod. It adds to the mass matrix, so that gravity, acceleration loads
/// and damping by mass act on it as on the mass of the body. It keeps that place in the material and has no volume: neither
/// `drag` nor contacts see its size. A point inside an element is lumped to the nodes of the element by its natural coordinates,
/// as the mass of solids, discrete rods and beams is; clothoids and helices take it where it is. If the value changes, mass with
/// the velocity of the point is added or removed, and the change of energy counts as `edits` in sp_work. Default: zero.
typedef struct sp_mass_def {
    const char *name;     ///< its parameter is "<body>.<name>.value"; nullable: "mass[<index>]"
    const sp_anchor *at;  ///< material points, inside their elements and with zero offset; their `body` is ignored
    int count;            ///< number of points >= 1
    sp_signal value;      ///< [kg], total, divided equally among the points; > 0, a function of time may also be 0
    double inertia;       ///< moment of inertia about every axis [kg m2] >= 0, total. Rods only; of a discrete rod about the
                          ///< tangent of the edge, since its nodes do not rotate
} sp_mass_def;

/// A stress-free deformation Fa of the material (docs/swelling.md): the elastic part of a deformation F is F Fa^-1. A function of
/// time that leaves its range keeps its last value.
typedef struct sp_eigenstrain {
    sp_signal swell;   ///< linear strain in every direction, in [-0.9, 10]; default 0
    sp_signal active;  ///< contraction along the fibres at constant volume, in [0, 0.9]; default 0
} sp_eigenstrain;

/// The eigenstrains of a solid; default: none.
typedef struct sp_eigenstrains {
    sp_eigenstrain body;            ///< of the elements without a region
    const sp_eigenstrain *regions;  ///< region_count, a constant NaN: that of the body; nullable: likewise for all
    const double *element_swell;    ///< per element, NaN: from the region; nullable
    const double *element_active;   ///< likewise
} sp_eigenstrains;

/// A deformable solid. Start from sp_solid_def_default(). Everything is copied, except what signals point to.
typedef struct sp_solid_def {
    const char *name;                ///< unique in the world; nullable: "solid<slot>"
    const sp_mesh *mesh;             ///< rest shape
    double thickness;                ///< of a mesh of triangles, a membrane [m] > 0; 0, the default: a mesh of volume elements
    const double *initial;           ///< initial positions (nodes x 3); nullable: the rest shape
    const double *initial_velocity;  ///< (nodes x 3); nullable: at rest
    sp_material_model model;         ///< default corotational
    sp_rotation rotation;            ///< default svd, which restores inverted elements
    sp_shape shape;                  ///< default rest
    sp_tangent tangent;              ///< default frozen; exact of the corotational law needs polar or svd and shape rest
    sp_neo_hookean_form form;        ///< default stable
    sp_volumetric volumetric;        ///< default log
    sp_integration integration;      ///< default auto
    sp_tensor_law tensor_law;        ///< of SP_TENSOR_MASS, default stvk
    sp_mass_matrix mass_matrix;      ///< default lumped; consistent: not with explicit and not with solver updated-cholesky
    sp_material material;            ///< of the elements without a region
    const sp_material *regions;      ///< nullable; a value that is NaN: from `material`
    int region_count;
    const sp_solid_law *region_laws;  ///< region_count; nullable: that of the body
    const int *element_region;        ///< per element: 0 `material`, k regions[k-1]; nullable: all 0
    const double *element_density;    ///< per element, NaN: from the region; nullable
    const double *element_young;      ///< likewise
    const double *element_poisson;    ///< likewise
    const double *element_fibre;      ///< per element 6 numbers as in sp_material, NaN: from the region, 0 0 0: none; nullable
    sp_eigenstrains eigenstrains;     ///< swelling and contraction
    sp_signal young_of_time;          ///< if eval is set: `material.young` at each step
    double rayleigh_mass;             ///< [1/s] >= 0
    double rayleigh_stiffness;        ///< [s] >= 0
    double drag;                      ///< viscous damping by the surrounding medium [N s/m4] >= 0, per rest volume
    const sp_fix *fixes;
    int fix_count;
    const sp_move *moves;
    int move_count;
    const sp_load *loads;
    int load_count;
    const sp_spring_def *springs;
    int spring_count;
    const sp_mass_def *masses;  ///< point masses
    int mass_count;
    sp_integrator_def integrator;
    sp_solver_def solver;
    sp_compliance_type compliance;  ///< of contact by constraints
    uint32_t cookie;
} sp_solid_def;

/// Every default, and a valid cookie.
SP_API sp_solid_def sp_solid_def_default(void);
/// Adds a solid; its mesh is copied. Nullable: out.
SP_API sp_status sp_world_add_solid(sp_world *world, const sp_solid_def *def, sp_body_id *out);

// ---------------------------------------------------------------------------------------------------- rigids

/// The rigid shapes.
typedef enum sp_shape_type { SP_PLANE, SP_SPHERE, SP_BOX, SP_CYLINDER, SP_CAPSULE, SP_TORUS, SP_ELLIPSOID } sp_shape_type;

/// A rigid shape, with the pose of its frame in the frame of the body.
typedef struct sp_rigid_shape {
    sp_shape_type type;
    double size[3];  ///< plane: its normal (the half-space below is solid; through its origin); sphere: radius; box: edge
                     ///< lengths, a corner at the origin; cylinder: radius, length, from the origin along +z; capsule: radius,
                     ///< distance of the centres of its caps, the first one at the origin, the other along +z; torus: radii of
                     ///< ring and tube, about z; ellipsoid: semi-axes
    sp_pose pose;
} sp_rigid_shape;

/// A rigid body: fixed, with prescribed motion, or free. Start from sp_rigid_def_default(). Everything is copied, except what
/// signals point to. What is below `pose` is for free bodies; fixed and kinematic ones ignore mass, density and inertia and
/// must not have the rest.
typedef struct sp_rigid_def {
    const char *name;
    const sp_rigid_shape *shapes;
    int shape_count;
    const sp_trimesh *const *meshes;  ///< triangle surfaces in the frame of the body; closed and outward if the body is free
    int mesh_count;
    bool kinematic;        ///< follows `pose`
    bool free;             ///< six degrees of freedom, moved by forces. Neither kinematic nor free: stays at pose(0)
    sp_pose_signal pose;   ///< of its frame [m]; free: its value at time 0
    double mass;           ///< [kg] >= 0; 0: volume times density
    double density;        ///< [kg/m3] > 0, default 1000
    double inertia[6];     ///< xx yy zz xy yz zx about the centre of mass, in the axes of the frame [kg m2]; all 0: from the
                           ///< shapes, which share the mass in proportion to their volumes
    double velocity[3];    ///< initial, of the centre of mass [m/s]
    double spin[3];        ///< initial angular velocity [rad/s]
    const sp_load *loads;  ///< forces and torques at a material point, accelerations
    int load_count;
    const sp_spring_def *springs;
    int spring_count;
    sp_integrator_def integrator;
    uint32_t cookie;
} sp_rigid_def;

/// Mass of a rigid body.
typedef struct sp_rigid_mass {
    double mass;        ///< [kg]
    double volume;      ///< [m3], sum over the shapes: where they overlap, it counts twice
    double centre[3];   ///< of mass, in the frame of the body [m]
    double inertia[9];  ///< about the centre of mass, in the axes of the frame, row-major [kg m2]
} sp_rigid_mass;

/// Mass, centre of mass and inertia that a free body with this definition has. SP_BAD_INPUT: it has no volume and no mass, or its
/// surfaces are open.
SP_API sp_status sp_rigid_def_mass(sp_context *context, const sp_rigid_def *def, sp_rigid_mass *out);
/// Every default, and a valid cookie.
SP_API sp_rigid_def sp_rigid_def_default(void);
/// Adds a rigid body. Nullable: out.
SP_API sp_status sp_world_add_rigid(sp_world *world, const sp_rigid_def *def, sp_body_id *out);

/// Removes a body of any kind. Its id is then stale.
SP_API sp_status sp_world_remove(sp_world *world, sp_body_id id);

// ---------------------------------------------------------------------------------------------------- rods

/// The elements of a rod. Clothoid: the curvature is affine in each element and continuous (Casati 2015). Helix: the curvature is
/// constant in each element (Bertails et al. 2006). Both are inextensible, with curvatures as degrees of freedom. Der: discrete
/// elastic rod, a polyline with an angle on each edge (Bergou et al. 2010). Beam: corotational beam elements, six degrees of
/// freedom per node.
typedef enum sp_rod_model { SP_ROD_CLOTHOID, SP_ROD_HELIX, SP_ROD_DER, SP_ROD_BEAM } sp_rod_model;

/// An elliptic cross section and its material.
typedef struct sp_rod_section {
    double axes[2];  ///< semi-axes along n1 and n2 [m] > 0
    double bore;     ///< radius of a round hole along the axis [m] >= 0, less than both semi-axes
    double density;  ///< [kg/m3] > 0, default 1000
    double young;    ///< [Pa] > 0, default 1e6
    double poisson;  ///< in (-1, 0.5), default 0.3
} sp_rod_section;

SP_API sp_rod_section sp_rod_section_default(void);  ///< without axes

/// One strand of a rod. Its nodes are the ends of its elements, which have equal lengths.
typedef struct sp_rod_strand {
    double length;            ///< [m] > 0
    int elements;             ///< >= 1
    sp_pose root;             ///< its first frame: x along the tangent, y along n1, z along n2
    const double *curvature;  ///< natural, at the nodes: (elements + 1) x 3, twist, k1, k2 [rad/m]; nullable: straight
    const double *start;      ///< likewise, the initial curvature; nullable: the natural one
    const int *section;       ///< per element, index into `sections`; nullable: all 0
} sp_rod_strand;

/// Tip: the last element grows and is halved when it is longer than `split`. Scale: the number of elements is constant, and nodes
/// slide along the rod, so that the material still grows at the tip. Clothoids and helices only.
typedef enum sp_grow_mode { SP_GROW_TIP, SP_GROW_SCALE } sp_grow_mode;

/// How the strands of a rod grow at their tips.
typedef struct sp_rod_grow {
    sp_grow_mode mode;
    sp_signal rate;          ///< [m/s] of every strand, >= 0
    double until;            ///< final length [m], >= the length of every strand
    double split;            ///< [m]; 0: 1.5 times the initial length of an element
    sp_signal curvature[3];  ///< natural curvature of the new material [rad/m]
} sp_rod_grow;

/// A rod that is pushed and turned through an entry point. What has not entered lies straight on the axis, which the root must
/// lie on, with its tangent along `direction`. Rods of one strand, of the models der and beam. At least one element stays behind
/// the entry point, and the tip does not go back behind it (if the rod starts there: not behind its start): the feed stops there,
/// and an event says so. docs/rods.md describes the method.
typedef struct sp_rod_feed {
    const char *name;     ///< its parameters are "<body>.<name>.speed" and "<body>.<name>.spin"; nullable: "feed"
    double at[3];         ///< the entry point [m]
    double direction[3];  ///< of entry; not zero, of any length
    sp_signal speed;      ///< [m/s] along the direction; default 0
    sp_signal spin;       ///< [rad/s] about the direction; default 0
} sp_rod_feed;

/// A body of one or thousands of strands. Nodes and elements are numbered strand by strand. Start from sp_rod_def_default().
/// Everything is copied, except what signals point to.
typedef struct sp_rod_def {
    const char *name;    ///< unique in the world; nullable: "rod<slot>"
    sp_rod_model model;  ///< default clothoid
    const sp_rod_strand *strands;
    int strand_count;
    const sp_rod_section *sections;
    int section_count;
    bool free_root;        ///< roots are free; default: each is held with its frame
    double velocity[3];    ///< with free roots: initial velocity [m/s]
    double spin[3];        ///< with free roots: initial angular velocity about the centre of mass of all strands [rad/s]
    bool edge_clamp;       ///< der: a root is held by its first edge; default: by a frame and half a cell (second order)
    sp_signal natural[3];  ///< with `natural_in_time`: the natural curvature everywhere, instead of that of the strands
    bool natural_in_time;
    const sp_rod_grow *grow;    ///< nullable: no growth
    const sp_rod_feed *feed;    ///< nullable: the rod is not fed
    double rayleigh_mass;       ///< [1/s] >= 0
    double rayleigh_stiffness;  ///< [s] >= 0
    double drag;                ///< viscous damping by the surrounding medium [N s/m2] >= 0, per length
    /// A node held on all axes also holds its frame, if the model has one there. Clothoids and helices hold nodes other than
    /// their roots by springs. Their default stiffness allows 1e-4 of the length of a strand under its own weight.
    const sp_fix *fixes;
    int fix_count;
    const sp_move *moves;  ///< roots of clothoids and helices; any node of the others
    int move_count;
    const sp_load *loads;
    int load_count;
    const sp_spring_def *springs;
    int spring_count;
    const sp_mass_def *masses;  ///< point masses
    int mass_count;
    int samples;  ///< collision points of an element, 0..64; default 10
    /// Vertices of a cross section of its surface, 3..64; default 0: 12, or 8 above 10 strands, above 100 strands 6, or 3 if they
    /// are at least 30 times as long as thick.
    int sides;
    int rings;  ///< cross sections of its surface per element, 1..64; default 0: 8, or as many as its curvature needs
    sp_integrator_def integrator;
    sp_solver_def solver;           ///< auto (block-tridiagonal), block-tridiagonal or cg
    sp_compliance_type compliance;  ///< of contact by constraints: auto, diagonal, exact or block-tridiagonal
    uint32_t cookie;
} sp_rod_def;

/// Every default, and a valid cookie.
SP_API sp_rod_def sp_rod_def_default(void);
/// Adds a rod. Nullable: out.
SP_API sp_status sp_world_add_rod(sp_world *world, const sp_rod_def *def, sp_body_id *out);
/// Inverse statics: sets the natural curvature for which the current shape is an equilibrium under gravity and loads (Casati
/// 2015, section 16), exact to rounding. Clothoids and helices. natural: a copy of it, nodes x 3 (helix: elements x 3), nullable.
SP_API sp_status sp_world_rod_invert(sp_world *world, sp_body_id id, double *natural);
/// Fits a rod to a polyline, starting at its first point: the curvatures at the ends of `elements` elements of equal length,
/// clothoids (affine) or helices. Scenes use it for the `path` of a rod. curvature: (elements + 1) x 3; a helix uses the mean of
/// its ends. elements: 1..1000. farthest: the largest distance from a point of the polyline to the curve [m], nullable.
SP_API sp_status sp_rod_fit(sp_context *context, const double *points, int point_count, int elements, bool affine, sp_pose *root,
                            double *length, double *curvature, double *farthest);

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

// ---------------------------------------------------------------------------------------------------- edits

/// The types of edits; fields of sp_edit that a type uses are in backquotes.
typedef enum sp_edit_type {
    SP_EDIT_PIN,      ///< hold `node` on `axes` at its current position
    SP_EDIT_RELEASE,  ///< release `node` on `axes`
    SP_EDIT_DRAG,     ///< pull `anchor`, which names the body, to `target` by a spring; the last value of (source, slot) before a
                      ///< step is used
    SP_EDIT_DROP,     ///< end the drag of (source, slot)
    SP_EDIT_POSE,   ///< kinematic `body`: `pose` at the end of the next step and later; the last value of (source, body) is used
    SP_EDIT_PARAM,  ///< set the parameter at `path` to `value`
    /// replay of a run that was not deterministic: the solver of `body` uses its background preconditioner now, waiting for it if
    /// necessary, and later only after such an edit. The original run lists these edits among those taken
    SP_EDIT_SWAP_PRECONDITIONER,
    SP_EDIT_SWAP_COMPLIANCE,  ///< the same for a factor that only the contacts of `body` use
    SP_EDIT_CONTACT_BUDGET,   ///< replay of a run that was not deterministic: the budget of the contact solver ends at its query
                              ///< number `value` of the clock in this step (0: it does not end), and later only after such an
                              ///< edit. The original run lists these edits among those taken
    SP_EDIT_ATTACH,           ///< attach the link named `path` at the current state, also a broken one
    SP_EDIT_DETACH,           ///< detach the link named `path`
    SP_EDIT_ADD,     ///< add a rigid body named `path`: one `shape` of this `size` at `pose`, `kinematic`, `free` or fixed; free:
                     ///< with this `density` and `velocity`
    SP_EDIT_REMOVE,  ///< remove `body` at the end of the next step
    SP_EDIT_LINK,    ///< add a link named `path` between `anchor` and `other`: a spring of this `stiffness` and `damping` that
                     ///< pulls the two points together, or with stiffness 0 a weld of the two bodies as they are
    SP_EDIT_REMOVE_ELEMENT  ///< remove element `node` (user numbering) of the solid `body`; one is left at least
} sp_edit_type;

/// A change by the user or the host program, applied at the start of the next step in the order (source, sequence).
typedef struct sp_edit {
    sp_edit_type type;
    uint32_t source;    ///< origin of the edit: 0 the program, other numbers are chosen by the host
    uint64_t sequence;  ///< 0: numbered on arrival
    sp_body_id body;    ///< pin, release, pose, swap; a drag names its body by its anchor
    int node;           ///< pin, release: node in user numbering; removal of an element: the element
    unsigned axes;
    int slot;          ///< drag, drop: number of the drag within the source
    sp_anchor anchor;  ///< drag, link
    double target[3];  ///< drag [m]
    double stiffness;  ///< drag [N/m] > 0; link [N/m] >= 0
    double damping;    ///< drag, link [N s/m] >= 0
    sp_pose pose;
    char path[64];    ///< "beam.young", "gravity.y", "contact.friction"; attach, detach, link: the name of a link; add: of a body
    double value;     ///< parameter; link that is a weld: the distance [m] >= 0 of the two bodies that it may bridge, 0: auto
    sp_anchor other;  ///< link: the point of the second body
    sp_shape_type shape;  ///< add; no plane
    double size[3];       ///< add: as in sp_rigid_shape
    bool kinematic;       ///< add: follows poses
    bool free;            ///< add: moved by forces; neither: fixed
    double density;       ///< add: of a free body [kg/m3] > 0, default 1000
    double velocity[3];   ///< add: of a free body [m/s]
} sp_edit;

/// Every default, and a valid cookie.
SP_API sp_edit sp_edit_default(sp_edit_type type);
/// Queues an edit, from any thread. A malformed edit fails at once. An edit that is found invalid by the step is refused with an
/// event.
SP_API sp_status sp_world_queue(sp_world *world, const sp_edit *edit);
/// Sets which elements of a solid are removed, at once, between two steps: to show a recording, or to start without them.
/// removed: one number per cell of sp_world_elements, as the field "removed" has it, 1 removed and 0 there; an element with a
/// removed cell is removed as a whole. NULL: the solid is whole again. Edit logs do not contain this change:
/// SP_EDIT_REMOVE_ELEMENT is the edit. Elements do not return beside those that sp_world_append has put in their place.
SP_API sp_status sp_world_set_removed(sp_world *world, sp_body_id body, const unsigned char *removed);
/// Nodes and elements that a solid gets while it exists, and elements that it loses at the same time. Start from
/// sp_addition_default(). Numbers are those of users: new nodes and elements follow those that the body has (sp_body_info), and
/// no number of the others changes.
typedef struct sp_addition {
    int node_count;          ///< >= 0; each new node is a node of a new element
    const double *rest;      ///< node_count x 3: positions in the rest shape [m]; NULL: from `at`
    const double *position;  ///< node_count x 3 [m]; NULL: from `at`, else `rest`
    const double *velocity;  ///< node_count x 3 [m/s]; NULL: from `at`, else 0
    const sp_anchor *at;     ///< node_count: material points of the body, which move on as nodes; NULL: none
    int element_count;       ///< >= 0
    const int *like;     ///< element_count: an element of the body, or one listed before. The new one has its type, law, region
                         ///< and fibres, and its own numbers of a material where it has some; of a viscous one its history
    const int *nodes;    ///< nodes of the new elements, one element after the other, in the order of their type
    int node_entries;    ///< numbers in `nodes`
    int removed_count;   ///< >= 0
    const int *removed;  ///< removed_count: elements of the body that are removed, as SP_EDIT_REMOVE_ELEMENT does
    uint32_t cookie;
} sp_addition;

/// Every default, and a valid cookie.
SP_API sp_addition sp_addition_default(void);
/// Appends nodes and elements to a solid and removes elements of it, at once, between two steps; docs/removing.md says what
/// follows. Everything happens or nothing. SP_BAD_INPUT: not a solid, an element that is flat or inverted at rest, or two that
/// are at the same side of a face. Edit logs do not contain this change; checkpoints do.
SP_API sp_status sp_world_append(sp_world *world, sp_body_id body, const sp_addition *addition);
/// Applies an edit that adds or removes a body or adds a link at once, between two steps: to make a world like another one whose
/// checkpoint it takes. A link is not attached. Edit logs do not contain this change.
SP_API sp_status sp_world_apply(sp_world *world, const sp_edit *edit);
/// Removes all queued edits (to continue without them after a failed step).
SP_API void sp_world_drop_edits(sp_world *world);
/// The edits applied by the last successful step, in order: the content of an edit log. Valid until the next step.
SP_API const sp_edit *sp_world_edits_taken(const sp_world *world, int *count);

// ---------------------------------------------------------------------------------------------------- parameters

/// Cost of a parameter change in a running world: what the engine recomputes.
typedef enum sp_param_price {
    SP_PRICE_NOTHING,  ///< nothing: the next step reads the value
    SP_PRICE_VALUES,   ///< the values of the matrices of the body, and their factors
    SP_PRICE_MASS,     ///< its masses, and SP_PRICE_VALUES
    SP_PRICE_NEW_BODY  ///< the body: only a new definition can change it, an edit cannot
} sp_param_price;

/// The ends of the range of a parameter.
enum {
    SP_RANGE_LOW_OPEN = 1,    ///< `low` itself is not allowed
    SP_RANGE_HIGH_OPEN = 2,   ///< `high` itself is not allowed
    SP_RANGE_LOW_GUARD = 4,   ///< `low` is a numerical limit that keeps products finite, not a physical one; manuals omit it
    SP_RANGE_HIGH_GUARD = 8,  ///< likewise `high`
    SP_RANGE_INTEGER = 16     ///< integers only
};

/// An entry of the list of parameters. Definitions, edits, scene files, `souple check` and sliders all read this one list.
typedef struct sp_param_spec {
    const char *name;            ///< "young", "solver.tolerance"
    const char *unit;            ///< "Pa"; "" or "1": a pure number
    const char *label;           ///< short text for a slider
    const char *meaning;         ///< short text for a manual
    double low, high;            ///< range of a definition
    unsigned ends;               ///< SP_RANGE_ bits
    double edit_low, edit_high;  ///< closed range of an edit: `low` and `high`, or slightly inside if an end is open
    double initial;              ///< default of the definition; NaN: none, the value is required
    sp_param_price price;        ///< of a change
} sp_param_spec;

/// Names of the kinds that have parameters, NULL past the end: "world" (gravity, contact), then the kinds of bodies.
SP_API const char *sp_kind_name(int index);
/// Number of parameters of a kind, without a world; 0: no such kind.
SP_API int sp_kind_param_count(const char *kind);
/// A parameter of a kind by index. Strings are constants of the library. SP_BAD_INPUT: no such kind or index.
SP_API sp_status sp_kind_param_at(const char *kind, int index, sp_param_spec *out);
/// A parameter of a kind by name. SP_BAD_INPUT: no such kind or name.
SP_API sp_status sp_kind_param(const char *kind, const char *name, sp_param_spec *out);

/// A parameter of a world that edits may change: all of the list except those with SP_PRICE_NEW_BODY, for each body and region.
typedef struct sp_param_info {
    const char *path;    ///< "beam.young", "beam.region[0].young", "gravity.y"; valid until the next call on this world
    double value;        ///< current value
    sp_param_spec spec;  ///< its entry in the list of parameters
} sp_param_info;

/// Number of parameters that edits may change.
SP_API int sp_world_param_count(const sp_world *world);
/// A parameter by index.
SP_API sp_status sp_world_param_at(sp_world *world, int index, sp_param_info *out);
/// A parameter by path. SP_BAD_INPUT: no such path.
SP_API sp_status sp_world_param(sp_world *world, const char *path, sp_param_info *out);

// ---------------------------------------------------------------------------------------------------- steps

#define SP_STAGE_LIST(X)                                                                        \
    X(TAKE_EDITS, "take_edits", "drags, pins, poses and parameters queued since the last step") \
    X(PRESCRIBE, "prescribe", "moving pins and kinematic poses at the end of the step")         \
    X(FREE_MOTION, "free_motion", "each body alone: forces, system, solve")                     \
    X(FIND_CONTACTS, "find_contacts", "pairs of surfaces that touch, rows and violations")      \
    X(BUILD_DELASSUS, "build_delassus", "response of the bodies at their contacts")             \
    X(SOLVE_CONTACTS, "solve_contacts", "contact forces with friction")                         \
    X(CORRECT_MOTION, "correct_motion", "contact forces change the motion")                     \
    X(STABILISE, "stabilise", "contacts that the correction made, and overlap that remains")    \
    X(GUARD, "guard", "every trial number is finite")                                           \
    X(BALANCE, "balance", "energy against work, inverted elements, overlap")                    \
    X(COMMIT, "commit", "trial state becomes the state")                                        \
    X(PUBLISH, "publish", "hash, snapshot, events")

/// The stages of a step, SP_STAGE_LIST.
typedef enum sp_stage {
#define SP_X(id, name, text) SP_STAGE_##id,
    SP_STAGE_LIST(SP_X)
#undef SP_X
        SP_STAGE_COUNT
} sp_stage;

/// The name of a stage ("take_edits").
SP_API const char *sp_stage_name(sp_stage stage);

/// Advances by h > 0 seconds. Below 0: the world is unchanged and its edits are still queued.
SP_API sp_status sp_world_step(sp_world *world, double h);

/// Report of a step.
typedef struct sp_step_info {
    sp_status status;                 ///< worst reservation
    uint32_t reservations;            ///< all reservations: bit s stands for status s
    uint64_t step;                    ///< number of steps
    double time;                      ///< [s]
    uint64_t hash;                    ///< of the state tier, in user numbering
    double stage_ms[SP_STAGE_COUNT];  ///< wall time of each stage
    double step_ms;
    int event_count;
} sp_step_info;

/// The report of the last step.
SP_API void sp_world_step_info(const sp_world *world, sp_step_info *out);
/// Time of the state [s].
SP_API double sp_world_time(const sp_world *world);
/// Number of steps since the creation of the world.
SP_API uint64_t sp_world_steps(const sp_world *world);
/// Hash of the state, in user numbering: bitwise equal states have equal hashes.
SP_API uint64_t sp_world_hash(const sp_world *world);

/// A message of a step to the user. Events of the last step are kept.
typedef struct sp_event {
    uint64_t step;
    double time;
    sp_status status;
    char text[200];
} sp_event;

/// An event of the last step by index, below sp_step_info.event_count.
SP_API sp_status sp_world_event_at(const sp_world *world, int index, sp_event *out);

// ---------------------------------------------------------------------------------------------------- queries

/// Work done on a body since its first step [J], by cause.
typedef struct sp_work {
    double loads;    ///< forces, tractions, pressure, torques, acceleration loads
    double pins;     ///< prescribed motion, and springs that hold nodes
    double drags;    ///< drags and springs, including their damping
    double contact;  ///< friction, damping of contacts, moving rigid bodies, links
    double edits;  ///< changes at a fixed state: parameters (also time-dependent ones), gravity, growth, direct changes of state
} sp_work;

/// Description of a body. Strings are valid as long as the body exists.
typedef struct sp_body_info {
    sp_body_id id;
    const char *name;
    const char *kind;  ///< "solid", "rod", "rigid"
    int nodes;         ///< in [0, 2^31); 0: the body has none, and moves as a whole
    int elements;      ///< in [0, 2^31)
    int removed;       ///< elements that edits have removed, of `elements`
    int appended;      ///< elements that sp_world_append has added, the last of `elements`
    int cells;         ///< of sp_world_elements: those that divide the elements of a solid (docs/elements.md), else the elements
    const char *state[2];    ///< names of the fields that sp_world_set_state takes as positions and velocities; NULL: no field
    bool frozen;             ///< held at its last valid state, see sp_on_failure
    bool prescribed;         ///< moves by prescription only: forces and drags have no effect
    bool kinematic;          ///< prescribed, and SP_EDIT_POSE moves it
    sp_solve_info solve;     ///< of the last step
    sp_solver_def solver;    ///< with `auto` resolved
    const char *solver_why;  ///< the reason of the choice, a sentence; empty: no choice
    const char *compliance_why;  ///< what `auto` is for its contacts by constraints, and why; empty: no choice
} sp_body_info;

/// Measures of a body at the current state.
typedef struct sp_body_measures {
    double mass;          ///< [kg], with point masses
    double rest_volume;   ///< [m3]
    double volume;        ///< current [m3], signed sum over the elements
    double kinetic;       ///< [J]
    double elastic;       ///< [J]; NaN: the material has no energy
    double potential;     ///< of gravity [J], relative to the first step
    double contact;       ///< stored in penalty contacts [J]
    sp_work work;         ///< since the first step
    double energy_max;    ///< largest sum of kinetic, elastic, contact energy and range of the potential so far [J]
    double appeared;      ///< spurious energy: largest rise of energy minus work above its previous minimum [J]; NaN: no energy
    int inverted;         ///< elements with det F <= 0
    double volume_lost;   ///< 1 - volume / rest_volume
    double penetration;   ///< deepest collision point below a rigid surface [m]
    double element_size;  ///< edge of a regular tetrahedron of the mean rest volume; rod: cube root of that volume; free rigid
                          ///< body: root of the trace of the inertia over the mass, 0.7 edges of a cube [m]
    double momentum[3];   ///< [kg m/s]
    double angular[3];    ///< [kg m2/s] about the origin of the world
    double displacement_max;  ///< [m] from the rest shape
    size_t bytes;             ///< memory of topology, parameters, state and cache
} sp_body_measures;

/// Number of bodies.
SP_API int sp_world_body_count(const sp_world *world);
/// The id of a body by index, in order of creation; null id past the end.
SP_API sp_body_id sp_world_body_id(const sp_world *world, int index);
SP_API sp_body_id sp_world_body_named(const sp_world *world, const char *name);  ///< null id if absent
/// The description of a body. Its cost does not depend on the size of the body.
SP_API sp_status sp_world_body_info(sp_world *world, sp_body_id id, sp_body_info *out);
/// Measures a body: a pass over all its nodes and elements, about as expensive as one evaluation of its forces.
SP_API sp_status sp_world_body_measure(sp_world *world, sp_body_id id, sp_body_measures *out);

/// All fields: X(id, name, where, components, unit, values, color, uses, low, high, axes, label, meaning).
///   where       NODES, ELEMENTS or BODY: what the items of the field are
///   values      CONTINUOUS, WHOLE or LABEL: see sp_field_values
///   color       number of the field among those that can colour surfaces (the field code of docs/protocol.md); 0: none
///   uses        elements of scenes that accept it: C `view color-by`, P `probe quantity`, R `record quantity`; N: none
///   low, high   range of the numbers
///   axes        names of the components, separated by spaces; empty: a scalar
/// The order is that of the arrays in recordings.
#define SP_FIELD_LIST(X)                                                                                                        \
    X(POSITION, "position", NODES, 3, "m", CONTINUOUS, 0, PR, -INFINITY, INFINITY, "x y z", "position",                         \
      "current position of the node")                                                                                           \
    X(VELOCITY, "velocity", NODES, 3, "m/s", CONTINUOUS, 2, CPR, -INFINITY, INFINITY, "x y z", "speed", "velocity of the node") \
    X(DISPLACEMENT, "displacement", NODES, 3, "m", CONTINUOUS, 1, CR, -INFINITY, INFINITY, "x y z", "displacement",             \
      "position minus rest position")                                                                                           \
    X(FORCE, "force", NODES, 3, "N", CONTINUOUS, 0, PR, -INFINITY, INFINITY, "x y z", "reaction force",                         \
      "reaction force at a fixed node; 0 at free nodes")                                                                        \
    X(STRESS, "stress", ELEMENTS, 6, "Pa", CONTINUOUS, 0, PR, -INFINITY, INFINITY, "xx yy zz xy yz zx", "stress",               \
      "Cauchy stress in world axes")                                                                                            \
    X(VON_MISES, "von-mises", ELEMENTS, 1, "Pa", CONTINUOUS, 3, CPR, 0, INFINITY, "", "von Mises stress",                       \
      "von Mises stress; of a rod the largest at its surface")                                                                  \
    X(STRAIN_ENERGY, "strain-energy", ELEMENTS, 1, "J", CONTINUOUS, 0, R, 0, INFINITY, "", "strain energy",                     \
      "elastic energy of the element; NaN where the material has none")                                                         \
    X(STRAIN, "strain", ELEMENTS, 6, "1", CONTINUOUS, 0, PR, -INFINITY, INFINITY, "xx yy zz xy yz zx", "strain",                \
      "Green-Lagrange strain in world axes, tensor shear")                                                                      \
    X(PRINCIPAL_STRESS, "principal-stress", ELEMENTS, 3, "Pa", CONTINUOUS, 0, PR, -INFINITY, INFINITY, "1 2 3",                 \
      "principal stress", "eigenvalues of the Cauchy stress, the largest first")                                                \
    X(PRINCIPAL_STRAIN, "principal-strain", ELEMENTS, 3, "1", CONTINUOUS, 0, PR, -INFINITY, INFINITY, "1 2 3",                  \
      "principal strain", "eigenvalues of the Green-Lagrange strain, the largest first")                                        \
    X(ENERGY_DENSITY, "energy-density", ELEMENTS, 1, "J/m3", CONTINUOUS, 0, PR, 0, INFINITY, "", "energy density",              \
      "elastic energy per rest volume; NaN where the material has none")                                                        \
    X(VOLUME_RATIO, "volume-ratio", ELEMENTS, 1, "1", CONTINUOUS, 0, PR, -INFINITY, INFINITY, "", "volume ratio",               \
      "volume over rest volume of the element; below 0: inverted")                                                              \
    X(ROTATION, "rotation", ELEMENTS, 1, "rad", CONTINUOUS, 4, CR, 0, 3.14159265358979323846, "", "rotation",                   \
      "rotation angle of the element since rest")                                                                               \
    X(REGION, "region", ELEMENTS, 1, "1", LABEL, 6, CR, 0, INFINITY, "", "region",                                              \
      "number of the element's material region; of a rod its section")                                                          \
    X(REFRESH, "refresh", ELEMENTS, 1, "1", WHOLE, 5, CR, 0, INFINITY, "", "steps since refresh",                               \
      "steps since updated-cholesky refreshed the element; 0 with other solvers")                                               \
    X(REMOVED, "removed", ELEMENTS, 1, "1", WHOLE, 0, PR, 0, 1, "", "removed",                                                  \
      "1 where the element was removed by an edit, 0 elsewhere; other fields are 0 in a removed element")                       \
    X(CONTACT_FORCE, "contact-force", NODES, 3, "N", CONTINUOUS, 0, R, -INFINITY, INFINITY, "x y z", "contact force",           \
      "force of contact by constraints on a node in the last step")                                                             \
    X(CONTACT_PRESSURE, "contact-pressure", NODES, 1, "Pa", CONTINUOUS, 7, R, 0, INFINITY, "", "contact pressure",              \
      "normal force of contact by constraints over the tributary area of a node; of a rod its diameter times length")           \
    X(LOAD, "load", NODES, 3, "N", CONTINUOUS, 0, N, -INFINITY, INFINITY, "x y z", "load",                                      \
      "forces, pressure, pulls and drags on a node; no gravity and no contact")                                                 \
    X(FRAME, "frame", NODES, 9, "1", CONTINUOUS, 0, N, -1, 1, "tx n1x n2x ty n1y n2y tz n1z n2z", "frame",                      \
      "material frame of a rod: columns are tangent, n1 and n2")                                                                \
    X(CURVATURE, "curvature", NODES, 3, "rad/m", CONTINUOUS, 0, N, -INFINITY, INFINITY, "twist k1 k2", "curvature",             \
      "twist and the two curvatures of a rod")                                                                                  \
    X(COORDINATES, "coordinates", BODY, 1, "1", CONTINUOUS, 0, N, -INFINITY, INFINITY, "", "coordinates",                       \
      "coordinates of a rod's model, then the element lengths where it grows, or length and angle of its feed")                 \
    X(RATES, "rates", BODY, 1, "1", CONTINUOUS, 0, N, -INFINITY, INFINITY, "", "rates", "velocities of a rod's model")          \
    X(POSE, "pose", BODY, 7, "m, 1", CONTINUOUS, 0, N, -INFINITY, INFINITY, "x y z qw qx qy qz", "pose",                        \
      "origin and quaternion of a rigid body's frame")                                                                          \
    X(FIBRE_STRETCH, "fibre-stretch", ELEMENTS, 1, "1", CONTINUOUS, 8, CPR, 0, INFINITY, "", "fibre stretch",                   \
      "stretch of the first family of fibres; 1 where there is none")

/// A field of SP_FIELD_LIST, in the order of the list.
typedef enum sp_field_id {
#define SP_X(id, ...) SP_FIELD_##id,
    SP_FIELD_LIST(SP_X)
#undef SP_X
        SP_FIELD_COUNT
} sp_field_id;

/// What the items of a field are.
typedef enum sp_field_on { SP_ON_NODES, SP_ON_ELEMENTS, SP_ON_BODY } sp_field_on;

/// Whether the numbers of a field may be averaged.
typedef enum sp_field_values {
    SP_VALUES_CONTINUOUS,  ///< may be averaged and interpolated
    SP_VALUES_WHOLE,       ///< counts: not averaged, shown on a scale
    SP_VALUES_LABEL        ///< labels: not averaged, shown with one colour each
} sp_field_values;

/// A field: numbers on the nodes or elements of a body, or of the body as a whole. In user numbering.
typedef struct sp_field_info {
    const char *name;        ///< "von-mises"
    const char *label;       ///< display name: "von Mises stress"
    const char *unit;        ///< of the numbers: "Pa"; "1": dimensionless
    const char *meaning;     ///< a sentence without its full stop
    const char *axes;        ///< names of the components, separated by spaces: "x y z"; empty: a scalar
    const char *shown_unit;  ///< on legends: "deg"; empty: dimensionless
    double shown_scale;      ///< number on the legend = shown_scale x number
    double low, high;        ///< range of the numbers, inclusive; may be infinite
    sp_field_values values;  ///< whether the numbers may be averaged
    sp_field_on on;          ///< what the items are
    int color;               ///< number among the fields that can colour surfaces, from 1; 0: not one of them
    int components;          ///< numbers per item
    int count;               ///< items of this body; 0 in the list of all fields
} sp_field_info;

/// Number of all fields, of all kinds of bodies: SP_FIELD_COUNT.
SP_API int sp_field_count(void);
/// A field by sp_field_id. SP_BAD_INPUT past the end. `count` is 0, because it depends on the body.
SP_API sp_status sp_field_at(int index, sp_field_info *out);
/// The field of this name. SP_BAD_INPUT: no such field.
SP_API sp_status sp_field_named(const char *name, sp_field_info *out);
/// Number of fields of a body, or of all bodies of the world together if `id` is null. < 0: a failure.
SP_API int sp_world_field_count(sp_world *world, sp_body_id id);
/// The index-th of these fields. If `id` is null, `count` is 0.
SP_API sp_status sp_world_field_at(sp_world *world, sp_body_id id, int index, sp_field_info *out);
/// A field of a body by name. The error for an unknown name lists the fields of the body.
SP_API sp_status sp_world_field_info(sp_world *world, sp_body_id id, const char *field, sp_field_info *out);
/// The numbers of a field at the current state: writes count x components of them.
SP_API sp_status sp_world_field(sp_world *world, sp_body_id id, const char *field, double *out);

/// A field at the vertices of a surface, one number each (vertex_count); vectors give their length. Numbers of elements are
/// averaged at the nodes; if they must not be averaged, a vertex has the largest of the elements around it. NaN: the body has no
/// value there. surface -1: all surfaces of the body, concatenated.
SP_API sp_status sp_world_surface_field(sp_world *world, sp_body_id id, int surface, const char *field, double *out);
/// The same at the corners of the faces (face_count x 3): numbers that must not be averaged are those of the element behind the
/// face, and numbers vary linearly from node to node along a rod.
SP_API sp_status sp_world_surface_corner_field(sp_world *world, sp_body_id id, int surface, const char *field, double *out);

/// A point mass of a body.
typedef struct sp_mass_info {
    const char *name;     ///< valid as long as the body exists
    double value;         ///< [kg], total
    double inertia;       ///< [kg m2], total
    double radius;        ///< of a steel ball (7850 kg/m3) with the mass of one point [m]: pictures and the page draw it
    int count;            ///< number of points
    const sp_anchor *at;  ///< the points; valid as long as the body exists
} sp_mass_info;

/// Number of point masses of a body. < 0: a failure.
SP_API int sp_world_mass_count(sp_world *world, sp_body_id id);
/// A point mass of a body by index, in the order of its definition.
SP_API sp_status sp_world_mass_at(sp_world *world, sp_body_id id, int index, sp_mass_info *out);

/// The material point at a node, by user number.
SP_API sp_status sp_world_anchor_node(sp_world *world, sp_body_id id, int node, sp_anchor *out);
/// The material point that was at `point` in the rest shape.
SP_API sp_status sp_world_anchor_point(sp_world *world, sp_body_id id, const double point[3], sp_anchor *out);
/// The material point of a face, for a drag that pulls there. weights: of the three corners, >= 0 with the sum 1. A rod is pulled
/// at its centreline if the face is of its boundary. surface, face: from 0; faces are those of sp_surface_info and of snapshots.
SP_API sp_status sp_world_anchor_face(sp_world *world, sp_body_id id, int surface, int face, const double weights[3],
                                      sp_anchor *out);
/// Position of a material point in the rest shape [m]. SP_BAD_INPUT: the kind keeps no rest positions of points (rods, rigid
/// bodies).
SP_API sp_status sp_world_anchor_rest(sp_world *world, const sp_anchor *anchor, double x[3]);
/// How far a ball of this radius [m] > 0 can move from one point to another until it touches a body: *fraction of the way, 1 if
/// it touches none, 0 if it does at the start or the start is inside of a body. *body: the one that it touches. Nullable: body.
SP_API sp_status sp_world_sweep(sp_world *world, const double from[3], const double to[3], double radius, double *fraction,
                                sp_body_id *body);
/// Position [m] and velocity [m/s] of a material point. Nullable: v.
SP_API sp_status sp_world_anchor_get(sp_world *world, const sp_anchor *anchor, double x[3], double v[3]);

/// The elements or cells of a body, in user numbering.
typedef struct sp_element_view {
    sp_element_type type;
    int nodes_per_element;
    int count;         ///< number of elements
    const int *nodes;  ///< count x nodes_per_element; NULL if the caller gave no array for them
} sp_element_view;

/// The elements of a rod, the cells of a solid: linear tetrahedra that divide its elements (sp_mesh_cells). Nullable: nodes, an
/// array of count x nodes_per_element numbers, to which the view then points. SP_BAD_INPUT: the kind has no elements.
SP_API sp_status sp_world_elements(sp_world *world, sp_body_id id, int *nodes, sp_element_view *out);

/// Sets the state directly, with numbers of the fields `state` of sp_body_info: nodes x 3; of a rigid body the pose (7 numbers:
/// x y z and quaternion w x y z), and the velocity of its centre of mass (not free: of its origin) and angular velocity (6
/// numbers); of a rod the fields "coordinates" and "rates". Nullable: either. Edit logs do not contain this change; its energy
/// counts as `edits` in sp_work.
SP_API sp_status sp_world_set_state(sp_world *world, sp_body_id id, const double *positions, const double *velocities);

/// Sets a parameter directly, between two steps, for a world that shows recorded states. Edit logs do not contain this change.
/// NaN: a region has the value of its body. SP_BAD_INPUT: no such path, or the value is out of the range of edits.
SP_API sp_status sp_world_set_param(sp_world *world, const char *path, double value);

/// A surface of a body in a snapshot. All snapshots of one revision share the constant arrays.
typedef struct sp_snapshot_surface {
    const char *name;   ///< "boundary" of surface 0
    unsigned roles;     ///< SP_ROLE_ bits; the boundary has those that no embedded surface has
    uint32_t revision;  ///< of the constant arrays
    uint64_t moved;     ///< changes if the positions differ from those of the previous snapshot
    int vertex_count;
    const float *positions;  ///< vertex_count x 3 [m]
    const float *normals;    ///< vertex_count x 3, unit, smooth, outward; NULL for the boundary
    int face_count;
    const uint32_t *faces;         ///< face_count x 3, outward
    const sp_anchor *anchors;      ///< vertex_count material points of the body
    const int *nodes;              ///< boundary: user node of each vertex; NULL: the body has no nodes
    const unsigned char *stripes;  ///< boundary, per face: 1 along n1 of a rod, which shows its twist; NULL: none
    int ring_count;
    const sp_rod_cross_section *rings;  ///< boundary: cross sections of a rod, in order; NULL: none
    const float *texcoords;             ///< face_count x 3 corners x 2; nullable
    const float *colors;                ///< vertex_count x 4; nullable
} sp_snapshot_surface;

/// A field of a body in a snapshot, see sp_world_publish_field.
typedef struct sp_snapshot_field {
    const char *name;      ///< "position"
    int count;             ///< items: nodes, elements or 1; 0: it could not be computed
    int components;        ///< numbers per item
    const double *values;  ///< count x components, in user numbering
} sp_snapshot_field;

/// A body in a snapshot: its surfaces, the fields that were asked for, and its energies.
typedef struct sp_snapshot_body {
    sp_body_id id;
    const char *name;
    int surface_count;                    ///< at least 1
    const sp_snapshot_surface *surfaces;  ///< [0] the boundary, then the embedded surfaces
    int field_count;                      ///< fields of sp_world_publish_field; default: none
    const sp_snapshot_field *fields;      ///< in the order of SP_FIELD_LIST
    // as in sp_body_measures, of the last step
    int inverted;
    double volume_lost, penetration;
    double kinetic, elastic, potential, contact, appeared;
    sp_work work;
} sp_snapshot_body;

/// A tied point of a link in a snapshot.
typedef struct sp_snapshot_link {
    sp_link_id link;       ///< several points may belong to one link
    sp_body_id bodies[2];  ///< of `a` and `b`
    double a[3], b[3];     ///< its positions on both sides [m]
    double force[3];       ///< on `a` in the last step [N]
} sp_snapshot_link;

/// The published state of a world after a step, for readers in other threads. It does not change while a reader holds it.
typedef struct sp_snapshot {
    uint64_t step;
    double time;
    uint64_t hash;
    int body_count;
    const sp_snapshot_body *bodies;
    double stage_ms[SP_STAGE_COUNT];
    int event_count;
    const sp_event *events;
    int contact_count;  ///< contacts of the last step (proximity)
    const sp_contact_point *contacts;
    int link_count;  ///< tied points of the links that are attached
    const sp_snapshot_link *links;
    uint64_t skipped;       ///< snapshots not published so far because no slot was free
    uint32_t reservations;  ///< of the last step: bit s stands for status s
} sp_snapshot;

/// The newest snapshot, from any thread; NULL before the first. It may be held for any time: a step without a free slot skips its
/// snapshot.
SP_API const sp_snapshot *sp_world_snapshot_acquire(sp_world *world);
/// Snapshots that are published from now on contain this field of a body, or contain it no longer (published: false), so that
/// other threads read it without a copy while the world steps. The memory is allocated now; a slot that a reader holds gets it
/// when it is used again, and so does every slot when the number of items has grown. Checkpoints do not contain the request.
/// SP_BAD_INPUT: the body has no such field.
SP_API sp_status sp_world_publish_field(sp_world *world, sp_body_id body, const char *field, bool published);
/// Publishes a snapshot of the current state, without a step.
SP_API sp_status sp_world_publish(sp_world *world);
/// Releases an acquired snapshot. Nullable: snapshot.
SP_API void sp_world_snapshot_release(sp_world *world, const sp_snapshot *snapshot);

/// All tiers in one block of memory of the context; free it with sp_checkpoint_free. After a restore, the same world, or a world
/// created by the same calls, continues with the same hashes.
typedef struct sp_checkpoint {
    void *data;
    size_t size;
} sp_checkpoint;

/// Saves the world into a new checkpoint.
SP_API sp_status sp_world_save(sp_world *world, sp_checkpoint *out);
/// Restores a checkpoint. SP_BAD_INPUT: it is damaged or of another world, and nothing changes.
SP_API sp_status sp_world_restore(sp_world *world, const void *data, size_t size);
/// Frees the memory of a checkpoint.
SP_API void sp_checkpoint_free(sp_world *world, sp_checkpoint *checkpoint);

/// The backend of the bodies of the world, with "auto" resolved.
SP_API const char *sp_world_backend(const sp_world *world);
/// Backends of this build, NULL past the end: "ref", "cpu".
SP_API const char *sp_backend_name(int index);
/// The hardware features that a backend uses on this machine ("AVX2+FMA, 4 lanes"); NULL if unknown.
SP_API const char *sp_backend_detail(const char *name);

#ifdef __cplusplus
}
#endif
#endif
