// The body table: nothing above it asks what kind of body it is. Drivers (drive_*.c) turn the table into every kind of solve.
//
//   q, v        committed and trial copies; all work is on trial arrays, commit swaps pointers
//   step        what is common to a whole step, handed to all that depends on it; no body keeps a copy (sp_step below)
//   evaluate    f (and energy) at the trial state, with the point terms in b->loads
//   linearise   the system A = m M + b B + k K at the state and with the point terms last evaluated. It stays as it is until the
//               next linearise, whatever is evaluated or asked meanwhile; only parameters and pins must not change
#ifndef SP_BODY_H
#define SP_BODY_H

#include "body/field.h"
#include "body/load.h"
#include "body/params.h"
#include "body/surface.h"
#include "core/core.h"
#include "core/visitor.h"
#include "linear/solver.h"
#include "linear/system.h"
#include "souple/world.h"

typedef struct sp_body sp_body;

typedef enum sp_tier { SP_TOPOLOGY, SP_PARAMETERS, SP_STATE, SP_CACHE } sp_tier;

enum {                  // capabilities
    SP_CAP_ENERGY = 1,  // evaluate can give an energy whose gradient is -f
    SP_CAP_EXACT_TANGENT = 2,
    SP_CAP_KINEMATIC = 4,  // moves by prescription only: nv = 0
    SP_CAP_MASSLESS = 8,   // the mass matrix can be singular: no explicit steps
};
enum { SP_FREE, SP_HELD, SP_MOVED };  // values of sp_body.fixed: free, held where it is, moved by a signal
enum { SP_WANT_FORCE = 1, SP_WANT_ENERGY = 2 };

// The step under way: written by the world, once for all bodies. A driver derives its own context from it for a substep or a load
// step (sp__body_step, drive_newton.c) and hands that to the table. Between steps the world keeps the last one, for queries.
typedef struct sp_step {
    double time;         // at the end of the step [s]
    double h;            // length [s]; 0: statics, or loads and targets of this moment and nothing moves
    uint64_t number;     // 1 for the first; the same again where a step is tried again
    double gravity[3];   // at the end of the step [m/s2]
    double load_factor;  // share of the loads that act, in (0, 1]: below 1 in the load steps of statics
    bool deterministic;  // see sp_world_def
    sp_hand_over swap;   // what a replay says of this body's solver: when it takes over what it made beside the steps
} sp_step;

static inline sp_step sp__step_default(double h) {
    return (sp_step){.h = h, .load_factor = 1};
}

// Rows of constraints pulled back to the unknowns of one body: scalars in compressed rows.
typedef struct sp_rows {
    int n, capacity;  // rows, entries that fit
    int *start, *col;
    double *val;
} sp_rows;

typedef struct sp_bound {  // of an element: none of its points is farther from the middle [m], or faster [m/s]
    double middle[3], radius, speed;
} sp_bound;

typedef struct sp_measure {
    double mass, rest_volume, volume, kinetic, elastic, momentum[3], angular[3], displacement_max;
    double moment[3];  // sum of mass times place [kg m]; rods
    double size;       // of an element [m]
    double rigidity;   // as in sp_energies; rods
    int nodes, elements, inverted;
} sp_measure;

// What a state holds. NaN: the material has no such energy.
typedef struct sp_energies {
    double kinetic, elastic;
    double moment[3];  // sum of mass times place, from any origin that does not change [kg m]
    double volume, rest_volume;
    double inverted;  // elements
    double size;      // of an element [m], see sp_body_info
    double rigidity;  // elastic energy of strains of the order of one [J], up to a factor
} sp_energies;

// The watch over a body's energy (energy.c). Numbers only: it is checkpointed as an array.
typedef struct sp_balance {
    double known;  // 0: before the first step
    sp_energies at;
    double contact;                                     // potential of the contacts
    double gravity[3], origin[3];                       // of the potential: -gravity . (moment - origin)
    double stiffness, step, obstacles;                  // that the potential of contacts was found with
    double work[5];                                     // as in sp_work
    double start;                                       // energy at the first step
    double lowest, rise, appeared, error;               // of energy - start - work; error: of what was judged
    double largest, potential[2];                       // largest energy so far; range of the potential
    double penetration;                                 // [m]
    double inverted_told, gain_told, penetration_told;  // events that were sent
} sp_balance;
enum { SP_BALANCE_SIZE = sizeof(sp_balance) / sizeof(double) };

// A parameter of a body: `value` points into the parameters tier.
typedef struct sp_param {
    const sp_param_spec *spec;
    const char *name;  // of this body: that of the spec, or "region[2].young"
    double *value;
    void (*changed)(sp_body *b);  // raises revisions so that caches follow; may be called again on rollback
} sp_param;

typedef struct sp_body_ops {
    const char *kind;
    const sp_param_spec *const *params;  // its list of parameters, NULL at the end
    void (*destroy)(sp_body *b);
    void (*visit)(sp_body *b, sp_tier tier, sp_visitor *v);
    // what a restore or a rollback must rebuild after tiers were overwritten from outside
    void (*refresh)(sp_body *b);
    // mechanics at the trial state
    void (*prescribe)(sp_body *b, const sp_step *step);  // b->target of fixed unknowns, kinematic trial pose, signals: at its end
    sp_status (*evaluate)(sp_body *b, const sp_step *step, unsigned want);
    sp_status (*linearise)(sp_body *b, const sp_step *step, sp_system *out);
    void (*retract)(sp_body *b, const sp_step *step, sp_which from, double s, const double *v);  // trial q = from q (+) s v
    // its inverse, from (+) d = to, asked for where unknowns are fixed; NULL: d = to - from
    void (*between)(sp_body *b, const double *from, const double *to, double *d);
    // out: committed (+) s out = committed (+) s x (+) s a d, a step along d from where x has led; NULL: x + a d. out may be x
    void (*further)(sp_body *b, double s, const double *x, double a, const double *d, double *out);
    // coordinates at a share of the way from one state to another, as far as fixed unknowns have any; NULL: number by number
    void (*toward)(sp_body *b, const double *from, const double *to, double share, double *out);
    void (*place_fixed)(sp_body *b);  // fixed unknowns of the trial state exactly at their targets; NULL: number by number
    // after a linearised step of implicit Euler with the system A: where the trial state is far from the nonlinear equations it
    // is made better, by iterations and substeps. NULL: one linearisation is enough
    sp_status (*correct)(sp_body *b, const sp_step *step, const sp_system *A);
    // a step s x so far that it is not worth looking at: an element would wind up. NULL: never
    bool (*wild)(sp_body *b, double s, const double *x);
    // y = M x or M^-1 x at the trial state; the inverse never where SP_CAP_MASSLESS
    void (*mass)(sp_body *b, const double *x, double *y, bool inverse);
    void (*undo)(sp_body *b);  // the step failed: what prescribe did to the committed state goes back; NULL: it did nothing
    // points: contact, drag, probe, picture and haptics go through the three behind the first. Settle makes what they need at a
    // state; who asks for points of one state from several threads calls it before. step: nullable, a query needs none. A NULL
    // function: nothing to make
    sp_status (*settle)(sp_body *b, const sp_step *step, sp_which s);
    void (*points)(sp_body *b, sp_which s, int n, const sp_anchor *a, double *x, double *v);  // nullable: v
    // where points cost much: a ball around each element at the trial state; NULL: ask the points
    const sp_bound *(*bounds)(sp_body *b);
    // row i: dir_i . dx(a_i)/dq. SP_BAD_INPUT: J->capacity is less than the entries of all rows; what J then holds is undefined
    sp_status (*pull)(sp_body *b, int n, const sp_anchor *a, const double *dir, sp_rows *J);
    // g += J^T f at a state; a body that moves by prescription only: force and torque about its frame's origin (6)
    void (*push)(sp_body *b, sp_which s, int n, const sp_anchor *a, const double *f, double *g);
    sp_status (*anchor_node)(sp_body *b, int node, sp_anchor *out);
    sp_status (*anchor_point)(sp_body *b, const double rest[3], sp_anchor *out);
    // surfaces: the material points at n places of the rest shape (of its own frame, where it has one), and how far each is from
    // the element it is held at [m], 0 inside; NULL: no surface can ride on it
    sp_status (*attach)(sp_body *b, int n, const double *places, sp_anchor *out, double *outside);
    // the corners of a face of the boundary, all in the element behind it; NULL: the anchors of its vertices are
    void (*face_corners)(sp_body *b, int face, sp_anchor out[3]);
    // what others look at
    const sp_field *fields;  // what the kind can tell, field_count entries; see field.h
    int field_count;
    void (*corners)(sp_body *b, int *out);  // elements x 4 user's nodes; NULL: no elements
    void (*measure)(sp_body *b, sp_measure *out);
    // the watch over energy. NULL: the body has none
    void (*energies)(sp_body *b, sp_which s, sp_energies *out);
    // of the kind's own loads at the end of the step, from the committed to the trial state, NaN: cannot be told; `push` (zero
    // before): an acceleration of the whole body, whose work the caller counts
    double (*work)(sp_body *b, double push[3]);
    uint64_t (*hash)(sp_body *b);  // of the committed state, in users' numbering
    // edits
    sp_status (*pin)(sp_body *b, int node, unsigned axes, bool hold);      // user's node; holds where it is now
    sp_status (*pose)(sp_body *b, const sp_pose *pose);                    // kinematic: from now on, at the end of the step
    sp_status (*set_state)(sp_body *b, const double *x, const double *v);  // user's numbering, committed copy; nullable each
    // the rest shape for which the committed state is an equilibrium takes the place of the old one; nullable: out, a copy of it.
    // NULL: the kind cannot
    sp_status (*invert)(sp_body *b, const sp_step *step, double *out);
    int (*param_count)(sp_body *b);
    sp_param (*param_at)(sp_body *b, int index);
    // signed distance to what a rigid body is made of, at a state; NULL: nothing to touch
    double (*distance)(sp_body *b, sp_which s, const double x[3], double normal[3], double surface_velocity[3]);
    // where it can be touched: the point of its frame that is at x at a state
    void (*locate)(sp_body *b, sp_which s, const double x[3], sp_anchor *out);
    // user's number of the node an unknown belongs to, for error records; NULL: unknown / 3
    int64_t (*node_of)(sp_body *b, int unknown);
} sp_body_ops;

struct sp_body {
    const sp_body_ops *ops;
    sp_context *ctx;
    sp_error *error;  // record of the root (the world's)
    sp_body_id id;
    char name[64];
    uint32_t caps;
    int nq, nv;
    sp_surface **surfaces;  // [0] the boundary, which may be empty; then embedded ones. Topology
    int surface_count, surface_capacity;
    double *q[2], *v[2];   // [SP_COMMITTED], [SP_TRIAL]; state tier
    double *f;             // force at the trial state, written by evaluate (nv)
    double energy;         // potential that evaluate found: elastic, springs, dead loads, gravity
    unsigned char *fixed;  // nv: SP_FREE, SP_HELD or SP_MOVED; parameters tier
    double *target;        // where fixed unknowns shall be at the end of the step (nq), written by prescribe
    bool handed_over;      // the solver took over what it made beside the steps, in the last step
    sp_loads loads;        // springs and contacts on anchors
    sp_integrator_def integrator;
    sp_solver_def solver_def;  // nothing in it is `auto` that is chosen for a whole body
    char solver_why[240];
    sp_solver *solver;
    sp_solver *next_solver;  // takes its place at the end of a restore; NULL otherwise
    sp_solve_info solve;
    double *work[6];  // vectors of the drivers (nv each), scratch kept across steps
    double *history;  // corrections that Newton's method mixes, made at its first use; scratch
    double *parts;    // state between substeps and targets of the whole step, made at their first use; scratch
    // the watch over energy
    sp_balance balance[2];  // [SP_COMMITTED], [SP_TRIAL]
    double pin_work;        // of prescribed unknowns in this step, written by the driver [J]
    double shadow;          // explicit: half a step of power at the committed state, see energy.c [J]
    bool revalue;           // parameters or state changed from outside: the energy is another at the same state
    bool retune;            // stiffness, pins or springs changed: the explicit driver must find its critical step again
    bool frozen;
    bool froze_now;  // in the step under way: a rollback frees it again
    void *impl;      // the kind's own
};

// Drivers: from the committed state to the trial state. The body's loads and targets are set.
sp_status sp__drive(sp_body *b, const sp_step *step, sp_on_limit on_limit);
// The context that the driver of a body hands to the table: that of one of its substeps, and in statics a step without length.
// A frozen body is not driven: it has the step itself.
sp_step sp__body_step(const sp_body *b, const sp_step *step);

// The balance of a step, from the committed to the trial state: fills balance[SP_TRIAL].
void sp__body_balance(sp_body *b, const sp_step *step);
double sp__balance_potential(const sp_balance *n);
bool sp__balance_gains(const sp_balance *n);  // energy appeared, more than the method's error explains

// Shared by the kinds. A body with room for the kind's own (impl, zeroed); what a kind does next, and how it fails, is its own.
sp_status sp__body_new(sp_context *ctx, sp_error *error, const sp_body_ops *ops, size_t impl_size, const char *name,
                       sp_body **out);
// Arrays of a body with nv unknowns (q, v, f, fixed, target, work) and an empty boundary, and their release.
sp_status sp__body_init(sp_body *b, int nq, int nv);
void sp__body_free(sp_body *b);
// The arrays that every body has (q and v committed; fixed and target): a kind's visit calls this first. Springs are saved by
// the world, because they hold signals.
void sp__body_visit(sp_body *b, sp_tier tier, sp_visitor *v);
// What every kind asks of a definition, before there is a body (params.c).
sp_status sp__body_check_systems(sp_error *error, const sp_integrator_def *integrator, const sp_solver_def *solver);
#define SP_BODY_FAIL(b, status, ...) sp__fail((b)->error, (status), __FILE__, __LINE__, __VA_ARGS__)

// The kinds.
extern const sp_body_ops sp__solid_ops, sp__rod_ops, sp__rigid_ops;
sp_status sp__solid_create(sp_context *ctx, sp_error *error, const sp_solid_def *def, const char *backend, sp_body **out);
sp_status sp__rod_create(sp_context *ctx, sp_error *error, const sp_rod_def *def, sp_body **out);
sp_status sp__rigid_create(sp_context *ctx, sp_error *error, const sp_rigid_def *def, sp_body **out);

#endif
