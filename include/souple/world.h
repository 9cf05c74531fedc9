/// A world: edits, parameters, steps, queries, snapshots. One thread at a time may step it; any thread may queue edits and
/// acquire snapshots.
#ifndef SOUPLE_WORLD_H
#define SOUPLE_WORLD_H

#include "base.h"
#include "body.h"
#include "contact.h"

#ifdef __cplusplus
extern "C" {
#endif

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
    const char *state[2];       ///< names of the fields that sp_world_set_state takes as positions and velocities; NULL: no field
    bool frozen;                ///< held at its last valid state, see sp_on_failure
    bool prescribed;            ///< moves by prescription only: forces and drags have no effect
    bool kinematic;             ///< prescribed, and SP_EDIT_POSE moves it
    sp_solve_info solve;        ///< of the last step
    sp_solver_def solver;       ///< with `auto` resolved
    const char *solver_why;     ///< the reason of the choice, a sentence; empty: no choice
    const char *material_note;  ///< of a network of springs: the elastic material that it replaces; empty: nothing to tell
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
