/// The bodies of a world: solids, rigid bodies and rods, with their materials, boundary conditions, loads, springs and point
/// masses.
#ifndef SOUPLE_BODY_H
#define SOUPLE_BODY_H

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

#ifdef __cplusplus
}
#endif
#endif
