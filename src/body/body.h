// The body table: code above it does not test the kind of a body. The drivers (drive_*.c) implement time integration and statics
// with the functions of the table.
//
//   q, v        positions and velocities, in a committed and a trial copy; a step changes trial arrays, a commit swaps pointers
//   step        the context of a step (sp_step below), passed to the functions that depend on it; bodies keep no copy
//   evaluate    the force f (and the energy) at the trial state, with the point terms in b->loads
//   linearise   the system A = m M + b B + k K (mass, damping, tangent stiffness) at the state and with the point terms of the
//               last evaluation. A stays valid until the next linearise, also if the body is evaluated or queried in between.
//               A change of parameters or pins makes it invalid
#ifndef SP_BODY_H
#define SP_BODY_H

#include "body/field.h"
#include "body/load.h"
#include "body/params.h"
#include "body/surface.h"
#include "core/core.h"
#include "core/visitor.h"
#include "linear/compliance.h"
#include "linear/solver.h"
#include "linear/system.h"
#include "souple/world.h"

typedef struct sp_body sp_body;

typedef enum sp_tier { SP_TOPOLOGY, SP_PARAMETERS, SP_STATE, SP_CACHE } sp_tier;

enum {                  // capabilities
    SP_CAP_ENERGY = 1,  // evaluate can compute an energy whose gradient is -f
    SP_CAP_EXACT_TANGENT = 2,
    SP_CAP_KINEMATIC = 4,        // all unknowns are fixed: `prescribe` writes the trial state, no driver runs
    SP_CAP_MASSLESS = 8,         // the mass matrix can be singular or has no cheap inverse: explicit integration is not possible
    SP_CAP_NODAL = 16,           // a point is the mean of its element's nodes, weighted by its natural coordinates
    SP_CAP_NO_PENALTY = 32,      // it has neither collision points nor a distance: its penalty contacts are rows
    SP_CAP_NO_CONSTRAINTS = 64,  // contact by constraints cannot act on it: no surface represents it
    SP_CAP_POINT_PENALTY = 128,  // penalty contact acts on its points against shapes only, also where that of others are rows
    SP_CAP_POSED = 256,          // poses of edits move it
};
enum { SP_FREE, SP_HELD, SP_MOVED };  // values of sp_body.fixed: free, held in place, moved by a signal
// DEFINED: a state where the energy is not defined (an inverted element of some laws) is an error, which names the place.
enum { SP_WANT_FORCE = 1, SP_WANT_ENERGY = 2, SP_WANT_DEFINED = 4 };

// The context of the current step. The world writes it once for all bodies. A driver derives the context of a substep or of a
// load step from it (sp__body_step, drive_newton.c) and passes that to the table. Between steps the world keeps the last one for
// queries.
typedef struct sp_step {
    double time;         // at the end of the step [s]
    double h;            // length [s]; 0: statics, or a query of loads and targets at `time` without motion
    uint64_t number;     // 1 for the first step; a retried step keeps its number
    double gravity[3];   // at the end of the step [m/s2]
    double load_factor;  // fraction of the loads that acts, in (0, 1]; below 1 in the load steps of statics
    bool deterministic;  // see sp_world_def
    bool exact;        // a pass of implicit Euler after the first: a tangent that makes further passes converge faster is better
    bool constraints;  // contacts are constraints: Newton's method is made in passes of the world (drive_pass.c)
    bool divisible;    // the world divides the step if its passes do not converge (world/divide.c)
    sp_swap swap;      // replay: when the solver of this body uses the preconditioner that it built in the background
} sp_step;

static inline sp_step sp__step_default(double h) {
    return (sp_step){.h = h, .load_factor = 1};
}

// An analytic shape of a body at a state [m]. Plane: a point of it and its unit normal; sphere: its centre; capsule: its ends.
typedef struct sp_body_shape {
    sp_shape_type type;
    double radius, a[3], b[3];
} sp_body_shape;

typedef struct sp_bound {  // bounding sphere of an element [m] and upper bound of the speed of its points [m/s]
    double middle[3], radius, speed;
} sp_bound;

typedef struct sp_measure {
    double mass, rest_volume, volume, kinetic, elastic, momentum[3], angular[3], displacement_max;
    double moment[3];  // sum of mass times position [kg m]; rods
    double size;       // of an element [m]
    double rigidity;   // as in sp_energies; rods
    int inverted;
} sp_measure;

// Energies and related sums of a state. NaN: the material defines no such energy.
typedef struct sp_energies {
    double kinetic, elastic;
    double moment[3];  // sum of mass times position, about any constant origin [kg m]
    double volume, rest_volume;
    double inverted;  // elements
    double size;      // of an element [m], see sp_body_measures
    double rigidity;  // elastic energy of strains of the order of one [J], up to a factor
} sp_energies;

// The energy balance of a body (energy.c). All members are double, because a checkpoint stores the struct as an array.
typedef struct sp_balance {
    double known;  // 0: before the first step
    sp_energies at;
    double contact;                        // potential of the contacts
    double gravity[3], origin[3];          // potential of gravity: -gravity . (moment - origin)
    double stiffness, step, obstacles;     // values for which `contact` was computed
    double work[5];                        // as in sp_work
    double start;                          // energy at the first step
    double lowest, rise, appeared, error;  // of energy - start - work; error: of the integrator, see energy.c
    double largest, potential[2];          // largest energy so far; range of the potential of gravity
    double penetration;                    // [m]
    double inverted_reported, gain_reported,
        penetration_reported;  // 1: the event was sent; 2: that of a law that is not defined, too
} sp_balance;
enum { SP_BALANCE_SIZE = sizeof(sp_balance) / sizeof(double) };

// Sums over the parts of a divided step (world/divide.c); members as in sp_body.
typedef struct sp_part_sum {
    sp_solve_info solve;
    double pin_work, contact_work, contact_pin_work, contact_scale, overlap;
    bool swapped, compliance_swapped;
} sp_part_sum;

// A parameter of a body. `value` points into the parameters tier.
typedef struct sp_param {
    const sp_param_spec *spec;
    const char *name;  // name in this body: that of the spec, or "region[2].young"
    double *value;
    void (*changed)(sp_body *b);  // increments revisions, which invalidates caches; a rollback may call it again
} sp_param;

// Parameters that every deformable kind has, in this order in the list of the kind and in a checkpoint; then three of each of its
// materials (regions of a solid, sections of a rod), then those of point masses.
enum {
    SP_PARAM_RAYLEIGH_MASS,
    SP_PARAM_RAYLEIGH_STIFFNESS,
    SP_PARAM_DRAG,
    SP_PARAM_TOLERANCE,
    SP_PARAM_ITERATIONS,
    SP_PARAM_YOUNG,
    SP_PARAM_POISSON,
    SP_PARAM_DENSITY,
    SP_PARAM_MASS
};
typedef struct sp_body_params {
    double rayleigh_mass, rayleigh_stiffness, drag;  // damping: by mass [1/s], by stiffness [s], by the surroundings
    double tolerance, iterations;                    // of the solver
} sp_body_params;

enum { SP_MATERIAL_PARAMS = 3, SP_MATERIAL_NAME = 32 };
typedef struct sp_materials {
    int count;                                              // including the first one, which is that of the whole body
    char (*names)[SP_MATERIAL_PARAMS][SP_MATERIAL_NAME];    // of their parameters, "region[0].young"
    double *(*value)(sp_body *b, int material, int which);  // which: SP_PARAM_YOUNG, ...
    void (*changed)(sp_body *b);
} sp_materials;

// What is left of a body after elements were removed. It is made before it is used, and exchanged for another one without a
// failure: by the step that takes an edit, by the rollback of that step, by a restore.
typedef struct sp_remains sp_remains;  // defined by the kind

typedef struct sp_removal_ops {
    int (*element_of)(const sp_body *b, int cell);
    const unsigned char *(*removed)(const sp_body *b, int *count);  // per element in user numbering: 1 removed. NULL: none is
    // What is left without these elements; *out NULL: the body as it was created. It changes nothing. removed NULL: none is
    sp_status (*make)(sp_body *b, const unsigned char *removed, sp_remains **out);
    // uses it from now on (NULL: the body as it was created) and returns what was used before
    sp_remains *(*use)(sp_body *b, sp_remains *remains);
    void (*free)(sp_body *b, sp_remains **remains);
    int (*bare)(const sp_body *b);  // nodes that have lost all elements
} sp_removal_ops;

// Nodes and elements of a body beyond those that it was created with, in users' numbers, which follow those of its definition.
typedef struct sp_additions {
    int nodes, elements, element_nodes;  // element_nodes: sum over the elements
    double *rest;                        // positions of the nodes at rest (nodes x 3)
    int *like;                           // per element: the one whose type, law and material it has
    int *node;                           // nodes of the elements, one element after the other
} sp_additions;
// Copies a list, into arrays with room for more numbers of each kind than it has.
sp_status sp__additions_copy(sp_context *ctx, const sp_additions *from, int nodes, int elements, int element_nodes,
                             sp_additions *out);
void sp__additions_free(sp_context *ctx, sp_additions *additions);

// The body with other additions. It is made beside the body and then exchanged with it without a failure; exchanging it again
// gives the body that was.
typedef struct sp_growth sp_growth;  // defined by the kind

typedef struct sp_growth_ops {
    const sp_additions *(*list)(const sp_body *b);  // those of the body, which may be none
    // Makes the body with these additions; it changes nothing. x, v: of nodes that the body does not have yet. removed: per
    // element, NULL: none is
    sp_status (*make)(sp_body *b, const sp_additions *all, const double *x, const double *v, const unsigned char *removed,
                      sp_growth **out);
    void (*exchange)(sp_body *b, sp_growth *growth);
    sp_status (*check)(sp_body *b);  // after an exchange: the committed state is one that can be computed
    void (*free)(sp_body *b, sp_growth **growth);
} sp_growth_ops;

typedef struct sp_body_ops {
    const char *kind;
    const sp_param_spec *const *params;  // parameters of the kind, terminated by NULL
    void (*destroy)(sp_body *b);
    void (*visit)(sp_body *b, sp_tier tier, sp_visitor *v);
    // rebuilds derived data after a restore or a rollback has overwritten tiers
    void (*refresh)(sp_body *b);
    // mechanics at the trial state
    // prescribe: boundary conditions at the end of the step (b->target of fixed unknowns, kinematic trial pose) and signals
    void (*prescribe)(sp_body *b, const sp_step *step);
    sp_status (*evaluate)(sp_body *b, const sp_step *step, unsigned want);
    sp_status (*linearise)(sp_body *b, const sp_step *step, sp_system *out);
    void (*retract)(sp_body *b, const sp_step *step, sp_which from, double s, const double *v);  // trial q = from q (+) s v
    // inverse of retract: from (+) d = to. Used for fixed unknowns. NULL: d = to - from
    void (*difference)(sp_body *b, const double *from, const double *to, double *d);
    // composes two steps, x and then a d: committed (+) s out = committed (+) s x (+) s a d. out may be x. NULL: out = x + a d
    void (*compose_step)(sp_body *b, double s, const double *x, double a, const double *d, double *out);
    // interpolates the coordinates of fixed unknowns between two states (share 0: from, 1: to). NULL: linear in each coordinate
    void (*interpolate)(sp_body *b, const double *from, const double *to, double share, double *out);
    void (*place_fixed)(sp_body *b);  // copies the targets of fixed unknowns to the trial state. NULL: copies each coordinate
    // after a linearised step of implicit Euler with the system A: reduces the residual of the nonlinear equations by iterations
    // and substeps if it is large. NULL: one linearisation is sufficient
    sp_status (*correct)(sp_body *b, const sp_step *step, const sp_system *A);
    // Ends a step or substep: during it, the trial velocity v is the one that moved the body, trial q = committed q (+) h v. This
    // function replaces it by the velocity at the end of the step. It also follows a correction of the velocity by contacts.
    // NULL: the two are the same
    void (*finish)(sp_body *b);
    // true: the step s x is too long to be evaluated, because an element would wind up. NULL: never
    bool (*step_too_large)(sp_body *b, double s, const double *x);
    // y = M x or M^-1 x at the trial state (free rigid body: at the start of the step); no inverse with SP_CAP_MASSLESS
    void (*mass)(sp_body *b, const double *x, double *y, bool inverse);
    // passes of implicit Euler: y = the change of momentum from the committed to the trial state. NULL: M (v - v committed)
    void (*inertia)(sp_body *b, double h, double *y);
    void (*undo)(sp_body *b);  // after a failed step: reverts what prescribe changed in the committed state. NULL: nothing
    // points: contact, drags, probes, pictures and haptics use these functions. The first one updates the kinematic data that the
    // others need at a state. Call it before points are evaluated on several threads. Nullable: step (queries). NULL function: no
    // such data
    sp_status (*update_kinematics)(sp_body *b, const sp_step *step, sp_which s);
    void (*points)(sp_body *b, sp_which s, int n, const sp_anchor *a, double *x, double *v);  // nullable: v
    // bounding spheres of the elements at the trial state, for kinds whose points are expensive. NULL: evaluate the points
    const sp_bound *(*bounds)(sp_body *b);
    // Jacobian rows at a state: row i is dir_i . dx(a_i)/dq, with the columns of fixed unknowns, whose reactions are J^T lambda.
    // Solvers mask them. SP_BAD_INPUT: J->capacity is too small; the content of J is then undefined
    sp_status (*jacobian_rows)(sp_body *b, sp_which s, int n, const sp_anchor *a, const double *dir, sp_rows *J);
    // g += J^T f at a state. Rigid body: force and torque about its centre of mass (prescribed motion: origin of its frame)
    void (*apply_transpose)(sp_body *b, sp_which s, int n, const sp_anchor *a, const double *f, double *g);
    sp_status (*anchor_node)(sp_body *b, int node, sp_anchor *out);
    sp_status (*anchor_point)(sp_body *b, const double rest[3], sp_anchor *out);
    // embedding: the material points at n positions of the rest shape (rigid: of its frame), and the distance of each from the
    // element that carries it [m], 0 inside. NULL: the kind carries no embedded surface
    sp_status (*attach)(sp_body *b, int n, const double *places, sp_anchor *out, double *outside);
    // the vertices of a boundary face as anchors in the element behind it. NULL: the anchors of its vertices are in one element
    void (*face_anchors)(sp_body *b, int face, sp_anchor out[3]);
    // the material point where a drag of a point of a face acts; the point is given by weights of the corners. NULL: the mean of
    // the anchors of the corners, which are in one element
    sp_status (*face_point)(sp_body *b, int surface, int face, const double weights[3], sp_anchor *out);
    // position of a point in the rest shape. NULL: the kind does not keep it
    void (*rest_point)(sp_body *b, const sp_anchor *a, double x[3]);
    // where a contact at x acts on the cross section at `a`, a point of the centreline, at a state. NULL: no centreline
    void (*section_point)(sp_body *b, sp_which s, const sp_anchor *a, const double x[3], sp_anchor *out);
    // queries
    const sp_field *fields;  // fields of the kind, field_count entries; see field.h
    int field_count;
    sp_field_id state[2];  // fields whose numbers set_state takes; SP_FIELD_COUNT: they are no field
    sp_element_type element_type;
    int nodes_per_element;  // of a cell; 0: no elements. SP_ELEMENT_TRI3: 4, flat cells that have their last node twice
    void (*element_nodes)(sp_body *b, int *out);  // in user numbering (elements x nodes_per_element). NULL: no elements
    void (*measure)(sp_body *b, sp_measure *out);
    // energy balance. NULL: the body has none
    void (*energies)(sp_body *b, sp_which s, sp_energies *out);
    // work of the kind's own loads (value at the end of the step) from the committed to the trial state. NaN: unknown. `push`
    // (zero on entry): an acceleration of the whole body; the caller adds its work
    double (*work)(sp_body *b, double push[3]);
    uint64_t (*hash)(sp_body *b);  // of the committed state, in user numbering
    // edits
    sp_status (*pin)(sp_body *b, int node, unsigned axes, bool hold);  // node in user numbering; holds it at its current position
    sp_status (*pose)(sp_body *b, const sp_pose *pose);  // kinematic: the pose at the end of the next step and later
    sp_status (*set_state)(sp_body *b, const double *x, const double *v);  // committed state, user numbering. Nullable: x, v
    // inverse statics: replaces the rest shape by the one for which the committed state is an equilibrium. out: a copy of it,
    // nullable. NULL: not supported
    sp_status (*invert)(sp_body *b, const sp_step *step, double *out);
    const sp_removal_ops *removal;  // NULL: its elements cannot be removed
    const sp_growth_ops *growth;    // NULL: none can be appended
    int (*param_count)(sp_body *b);
    sp_param (*param_at)(sp_body *b, int index);
    // signed distance to the shape of a rigid body at a state. NULL: no collision shape
    double (*distance)(sp_body *b, sp_which s, const double x[3], double normal[3], double surface_velocity[3]);
    // with `distance` or `shape`: the anchor of the body that is at x at a state
    void (*locate)(sp_body *b, sp_which s, const double x[3], sp_anchor *out);
    // analytic shape of a body that consists of planes, spheres and capsules only; false: there is no shape of this number. NULL:
    // none, or the collision surfaces represent the body
    bool (*shape)(sp_body *b, sp_which s, int index, sp_body_shape *out);
    // node of a degree of freedom in user numbering, for error messages. NULL: unknown / 3
    int64_t (*node_of)(sp_body *b, int unknown);
} sp_body_ops;

struct sp_body {
    const sp_body_ops *ops;
    sp_context *ctx;
    sp_error *error;  // where failures are recorded: in the context of the world
    sp_body_id id;
    char name[64];
    uint32_t caps;
    int nq, nv;
    int histories;          // of a viscous solid: the last numbers of q, which no motion changes
    int nodes, elements;    // a growing rod counts those that it can have. Of a solid: cells, which points are in
    int computed;           // elements of a solid, each of one or more cells; 0: they are the cells
    sp_surface **surfaces;  // [0] the boundary, which may be empty; then the embedded surfaces. Topology
    int surface_count, surface_capacity;
    sp_surface *centreline;   // of a rod: what contact by constraints touches instead of its boundary; NULL: none
    double *q[2], *v[2];      // [SP_COMMITTED], [SP_TRIAL]; state tier
    double *f;                // force at the trial state, written by evaluate (nv)
    double energy;            // potential from evaluate: elastic, springs, dead loads, gravity
    unsigned char *fixed;     // nv: SP_FREE, SP_HELD or SP_MOVED; parameters tier
    double *target;           // coordinates of fixed unknowns at the end of the step (nq), written by prescribe
    bool swapped;             // in the last step the solver began to use a preconditioner built in the background
    bool compliance_swapped;  // likewise the compliance, with a factor of its own
    sp_swap compliance_swap;  // replay: when it does so in this step
    sp_loads loads;           // springs and contacts on anchors
    sp_integrator_def integrator;
    sp_solver_def solver_def;  // choices that are made per body are resolved: none of them is `auto`
    char solver_why[240];
    char material_note[240];  // what users should know about the material, a sentence; empty: nothing
    sp_body_params *params;   // in the data of the kind; NULL: it has none
    sp_materials materials;
    sp_solver *solver;
    sp_solver *next_solver;  // replaces `solver` at the end of a restore; NULL otherwise
    sp_solve_info solve;
    // the system of the free motion and its coefficients, until the step ends: contact by constraints uses its inverse
    sp_system system;
    sp_coef coef;
    bool has_system;  // the driver made one in this step
    sp_compliance_type compliance_type;
    const struct sp_contacts *contacts;  // of the world, of the last committed step; NULL: the body is in no world
    sp_compliance *compliance;           // made at the first contact
    sp_compliance *next_compliance;      // as next_solver
    double *free_velocity;               // of the free motion, where contacts have changed it; allocated at first use; scratch
    double *solved_velocity;  // part of it: as the solver left it. The free velocity is refined (contact/constraints.c)
    double *contact_impulse;  // J^T lambda of the last contact solve (nv); allocated at first use; scratch
    double *predicted;        // impulse of contacts with which the free motion was solved (nv), in the memory of free_velocity
    bool has_free_velocity, has_contact_impulse, is_predicted;
    bool constrained;  // contacts by constraints or links act on it in this step; written by the world
    // implicit Euler: error of one linearisation that is accepted, relative to the energy of the motion; 0: any
    double accepted_gap;
    bool passes;            // contacts are searched, and implicit Euler is linearised again where the error is larger
    bool repeats;           // the energy of this step rose with one linearisation: Newton passes follow until it does not
    bool compliance_ready;  // it is the inverse of `system`
    double *pass_start;     // where the last pass of implicit Euler started: velocity, impulses; allocated at first use; scratch
    bool has_pass_start;
    double pass_reference;  // largest force of the Newton passes of this step, as an impulse [N s]
    double pass_error;      // energy of the missing correction relative to that of the motion, after the last pass
    // a step that the world divides (world/divide.c)
    double *divided;       // state between two parts, targets at the end; allocated at first use; scratch
    double *start[2];      // q and v at the start of the step, in place of which those between two parts are committed; NULL
    double part_h;         // length of the last part with contacts [s], and their impulses J^T lambda; 0: none
    double *part_impulse;  // in the memory of `divided`
    sp_part_sum sum;
    double *mode;     // of the highest frequency, of explicit bodies (nv); NULL: not needed so far
    double *work[6];  // vectors of the drivers (nv each), scratch kept across steps
    double *history;  // Anderson mixing of Newton corrections, allocated at first use; scratch
    double *parts;    // state between substeps, targets of the whole step; allocated at first use; scratch
    // energy balance
    sp_balance balance[2];    // [SP_COMMITTED], [SP_TRIAL]
    double contact_work;      // work of constraint contact in this step [J]
    double contact_pin_work;  // work that constraint contact adds to pin_work [J]
    double contact_scale;     // the same with the velocity of the free motion: energy that contacts took from it [J]
    double overlap;           // deepest overlap of its constraint contacts at the start of the step [m]
    double pin_work;          // work at prescribed unknowns in this step, written by the driver [J]
    double pin_unsure;        // statics: the true work may differ from pin_work by this, see energy.c [J]
    double shadow;            // explicit: half a step of power at the committed state, see energy.c [J]
    bool energy_stale;        // parameters or state were edited: the energy of the committed state must be computed again
    bool unstable_told;       // the event of an explicit step above the critical one was sent
    bool retune;              // stiffness, pins or springs changed: the explicit driver must compute its critical step again
    const char *notice;       // what users should know about this step, written by prescribe; it becomes an event. NULL: nothing
    bool frozen;
    bool froze_now;  // frozen in the current step: a rollback unfreezes it
    void *impl;      // data of the kind
};

// Drivers: advance from the committed to the trial state. Loads and targets of the body are already set.
sp_status sp__drive(sp_body *b, const sp_step *step, sp_on_limit on_limit);
// The context that the driver of a body passes to the table: that of one substep; in statics h = 0. A frozen body has no driver
// and uses the step itself.
sp_step sp__body_step(const sp_body *b, const sp_step *step);

// Energy balance of a step from the committed to the trial state: fills balance[SP_TRIAL].
void sp__body_balance(sp_body *b, const sp_step *step);
double sp__balance_potential(const sp_balance *n);
bool sp__balance_gains(const sp_balance *n);  // the energy rose by more than the integrator's error explains
// This step by itself gains energy as sp__balance_gains says, relative to the largest energy in it.
bool sp__body_gains(sp_body *b, const sp_step *step);

// Shared by the kinds. Allocates a body and the data of its kind (impl, zeroed). The kind does the rest of the creation.
sp_status sp__body_new(sp_context *ctx, sp_error *error, const sp_body_ops *ops, size_t impl_size, const char *name,
                       sp_body **out);
// Allocates the arrays of a body with nv unknowns (q, v, f, fixed, target, work) and an empty boundary; and frees them.
sp_status sp__body_init(sp_body *b, int nq, int nv);
void sp__body_free(sp_body *b);
// Visits the arrays that every body has (q and v committed; fixed and target). The visit function of a kind calls this first. The
// world saves springs, because they contain signals.
void sp__body_visit(sp_body *b, sp_tier tier, sp_visitor *v);
uint64_t sp__body_hash_numbers(const double *x, int n, uint64_t first);  // first: place of x[0] in the state
// Checks of a definition that all kinds share (params.c).
int sp__body_iterations(const sp_body *b);  // of Newton's method, with auto resolved
sp_status sp__body_check_systems(sp_error *error, const sp_integrator_def *integrator, const sp_solver_def *solver);
// Parameters of deformable kinds (params.c): checks of a definition with the list of the kind, except those of the solver; names
// of the parameters of materials; the functions of the table, which use b->params and b->materials; the visit of b->params; and
// what follows a change of those of the solver.
sp_status sp__body_params_check(sp_error *error, const sp_param_spec *const *list, const sp_body_params *params);
sp_status sp__materials_create(sp_body *b, const sp_materials *materials);
int sp__body_param_count(sp_body *b);
sp_param sp__body_param_at(sp_body *b, int index);
void sp__body_params_visit(sp_body *b, sp_visitor *v);
void sp__body_solver_changed(sp_body *b);
#define SP_BODY_FAIL(b, status, ...) sp__fail((b)->error, (status), __FILE__, __LINE__, __VA_ARGS__)

// The kinds.
extern const sp_body_ops sp__solid_ops, sp__membrane_ops, sp__rod_ops, sp__rigid_ops;
sp_status sp__solid_create(sp_context *ctx, sp_error *error, const sp_solid_def *def, const char *backend, sp_body **out);
sp_status sp__rod_create(sp_context *ctx, sp_error *error, const sp_rod_def *def, sp_body **out);
sp_status sp__rigid_create(sp_context *ctx, sp_error *error, const sp_rigid_def *def, sp_body **out);

// Contacts can be rows of a problem that is solved after the free motion: a surface or shapes represent the body, and one
// linearised step leads to its end. penalty: whether those of penalty contact can be.
static inline bool sp__body_takes_rows(const sp_body *b, bool penalty) {
    const sp_integrator_def *i = &b->integrator;
    if ((b->caps & SP_CAP_NO_CONSTRAINTS) || (penalty && (b->caps & SP_CAP_POINT_PENALTY))) return false;
    return (b->caps & SP_CAP_KINEMATIC) || i->type == SP_STATIC || (i->type != SP_EXPLICIT && i->substeps <= 1);
}

#endif
