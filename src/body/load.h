// Loads on single material points that contribute to the system A: drags, springs, soft pins, penalty contact. They form one list
// of point terms, evaluated at each trial state. The kinds add f to their forces and k, b to their system by the Jacobian of the
// points, so that every kind supports all of these loads.
#ifndef SP_LOAD_H
#define SP_LOAD_H

#include "core/core.h"
#include "core/visitor.h"
#include "souple/world.h"

struct sp_body;
struct sp_step;

typedef struct sp_point_term {
    sp_anchor at;
    double f[3];    // force on the body [N]
    double k[6];    // -df/dx, symmetric, xx yy zz xy yz zx [N/m], positive semi-definite
    double b[6];    // -df/dv, likewise [N s/m]; negative only where it cancels a part of the kind's own damping
    double energy;  // potential [J]
} sp_point_term;

// A spring from an anchor to a position in space.
typedef struct sp_spring {
    sp_anchor at, before;  // before: at the start of the step, if prescribe moves material points (growth)
    sp_signal to[3];
    double target[3];  // `to` at the end of the step; an edit writes that of a drag
    double stiffness, damping;
    unsigned axes;
    uint32_t source;  // drag: source of the edit
    int slot;         // drag: number within the source; -1: a load of the definition
    bool active;
    bool pin;  // a soft pin: it holds a node at its initial position and is not counted as a load
} sp_spring;

// A point mass. It is no point term: the kinds add it to their mass matrix.
typedef struct sp_point_mass {
    sp_signal value;
    double now;              // [kg], of all points; parameters tier
    double inertia;          // [kg m2], of all points
    sp_anchor *at, *before;  // before: as in sp_spring
    int count;
    char name[48], path[64];  // path: of its parameter in the body
} sp_point_mass;

typedef struct sp_contact_node {  // a collision point
    sp_anchor at;
    double mass;    // [kg], scale of the automatic stiffness: the lightest node that carries it, times the share
    double share;   // of a node's stiffness and damping: 1 on a node, less if a node carries several points of a surface
    double radius;  // of the collision sphere around it [m]
    bool off;       // what carried it was removed: it touches nothing
} sp_contact_node;

// ---------------------------------------------------------------------------------------------------- contact

enum { SP_MEMORY_SLOTS = 2 };  // contacts with rigid bodies that a point stores at a time

// State of friction of one contact; state tier.
typedef struct sp_contact_memory {
    uint64_t with;     // slot of the rigid body's id; 0: no contact
    double stick[3];   // stick point: origin of the tangential spring, in the frame of the rigid body [m]
    double normal[3];  // in world axes
    double force;      // normal force [N]
} sp_contact_memory;

// The contacts of one point, linearised at (x, v): force f - k (x' - x) - b (v' - v). Scratch.
typedef struct sp_contact_state {
    bool active;
    double x[3], v[3], f[3], k[6], b[6];
    double potential;      // of the springs along normals [J]
    double work;           // on the body in the step, by forces without potential: moving surfaces, damping [J]
    double friction_work;  // by friction [J]
    double depth;          // below the surface [m]
    double error;          // |f - prediction of the previous linearisation| [N]
    double largest;        // larger of both force magnitudes [N]
    sp_contact_memory next[SP_MEMORY_SLOTS];
} sp_contact_state;

typedef struct sp_obstacles {  // the rigid bodies of a world
    struct sp_body **list;
    int count;
} sp_obstacles;

typedef enum sp_contact_at {
    SP_CONTACT_TRIAL,      // at the trial state; obstacles at the end of the step
    SP_CONTACT_AHEAD,      // predicted: positions that the trial velocity reaches at the end of the step
    SP_CONTACT_COMMITTED,  // queries: trial arrays hold the committed state; obstacles and memory are the committed ones
} sp_contact_at;

typedef struct sp_loads_work sp_loads_work;

// The contact method of a body (src/contact), set by the world. Not called for bodies without contact.
typedef struct sp_contact_response {
    // computes the touches of all collision points
    void (*evaluate)(struct sp_body *b, const struct sp_step *step, sp_contact_at at);
    // the same at the solved trial state. True: they differ from the previous touches, and the step must be solved again
    bool (*changed)(struct sp_body *b, const struct sp_step *step);
    // appends the point terms of the touches at the trial state
    void (*terms)(struct sp_body *b, const struct sp_step *step);
    // adds their potential at the committed state; adds their work in a step of h whose last substep was `step`
    void (*work_before)(struct sp_body *b, const struct sp_step *step, sp_loads_work *out);
    void (*work)(struct sp_body *b, const struct sp_step *step, double h, sp_loads_work *out);
} sp_contact_response;

// ---------------------------------------------------------------------------------------------------- all loads of a body

typedef struct sp_loads {
    sp_spring *springs;  // parameters tier
    int spring_count, spring_capacity;
    sp_point_mass *masses;
    int mass_count, mass_points;  // mass_points: sum over the masses
    // Rate [1/s] of the damping that the kind applies to all of its mass matrix, but that does not act on point masses: the drag
    // of the medium. Terms subtract it at point masses.
    double mass_drag;
    sp_contact_node *nodes;  // collision points: those of the kind, or those of collision surfaces
    int node_count;
    bool by_surface;
    uint64_t surface_key;     // identifies the list of points of surfaces; topology
    double size;              // extent of the body [m]
    double static_stiffness;  // of a contact in statics [N/m]
    double
        inertia_stiffness;   // of a contact in dynamics, in m/h2 of a node: the penetration is 1/this of the free fall in a step
    double force_tolerance;  // accepted error of the contact forces of a linear solve, relative to all contact forces
    double mean_mass;        // of a node [kg]; 0: each node uses its own mass
    double element_stiffness;  // lower bound of the stiffness of a contact in dynamics [N/m]; 0: none
    // written by sp__loads_evaluate
    sp_point_term *terms;
    int term_count, term_capacity;
    double energy;
    bool dissipates;  // a term has no potential: friction, damping
    // set by the world
    const sp_contact_def *contact;  // NULL: none
    const sp_contact_response *response;
    const sp_obstacles *obstacles;  // rigid bodies; NULL before the first step
    // contacts
    sp_contact_memory *memory[2];     // [SP_COMMITTED], [SP_TRIAL]: SP_MEMORY_SLOTS of each node; state tier
    bool remembers[2];                // false: all of that memory is zero
    sp_contact_state *contact_state;  // of each node, at the last evaluation; scratch
    double *from;                     // statics: initial position of each node (node_count x 3); scratch
} sp_loads;

// Evaluates the signals of springs at the end of the step.
void sp__loads_prescribe(struct sp_body *b, const struct sp_step *step);
// Call before a driver starts: copies the committed to the trial memory. Trial positions are those of the start.
void sp__loads_begin(struct sp_body *b, const struct sp_step *step);
// Terms and energy of the trial state. Cannot fail, because memory was reserved at creation.
void sp__loads_evaluate(struct sp_body *b, const struct sp_step *step, sp_contact_at at);
// The same after the trial state was reset to the start of the step: keeps the contacts that `changed` of the response
// linearised.
void sp__loads_again(struct sp_body *b, const struct sp_step *step);
// The contacts of the last evaluation become the trial memory.
void sp__loads_finish(struct sp_body *b);
void sp__loads_commit(struct sp_body *b);                  // the trial memory becomes the committed one
void sp__loads_forget(struct sp_body *b);                  // clears the memory, after the state was set directly
uint64_t sp__loads_hash(const struct sp_body *b);          // of the committed memory; 0: no contact
bool sp__loads_contact_possible(const struct sp_body *b);  // contact is possible
sp_status sp__loads_add_spring(struct sp_body *b, const sp_spring *spring);
// Checks of a definition that several kinds share: springs; loads of kinds whose loads act at material points (`kind` is for the
// message); nodes and axes of fixes and moves, with nodes in [0, nodes).
sp_status sp__springs_check(sp_error *error, const sp_spring_def *springs, int count);
sp_status sp__point_loads_check(sp_error *error, const char *kind, const sp_load *loads, int count);
sp_status sp__fixes_check(sp_error *error, const sp_fix *fixes, int count, int64_t nodes);
sp_status sp__moves_check(sp_error *error, const sp_move *moves, int count, int64_t nodes);
// The spring of a definition, with its target at time 0.
sp_spring sp__spring_of(const sp_spring_def *def, sp_anchor at);
sp_status sp__loads_reserve(struct sp_body *b, int extra_springs);  // memory for more springs and all contacts
// Points of surfaces replace the collision points of the kind. The body takes ownership of the list. `refresh` of the kind sets
// the masses.
sp_status sp__loads_take_points(struct sp_body *b, int n, sp_contact_node *nodes);
void sp__loads_free(struct sp_body *b);

// ---------------------------------------------------------------------------------------------------- point masses

sp_status sp__masses_check(sp_error *error, const sp_mass_def *masses, int count, bool turns);  // turns: `inertia` is allowed
sp_status sp__masses_create(struct sp_body *b, const sp_mass_def *masses,
                            int count);                     // after sp__masses_check; copies the anchors
bool sp__masses_prescribe(struct sp_body *b, double time);  // evaluates the signals; true: a value has changed
void sp__masses_visit(struct sp_body *b, sp_visitor *v);    // the parameters tier
// [kg], [kg m2] of one point
static inline double sp__mass_each(const sp_point_mass *m) {
    return m->now / m->count;
}
static inline double sp__inertia_each(const sp_point_mass *m) {
    return m->inertia / m->count;
}

// Work of point terms from the committed to the trial state, in a step of h whose last substep was `step`.
struct sp_loads_work {
    double drags, pins;     // work of springs, with their damping [J]
    double contact_work;    // work of friction, of contact damping and of moving rigid bodies [J]
    double contact;         // potential of contacts at the trial state [J]
    double contact_before;  // at the committed state, if `before` is set
    double penetration;     // at the trial state [m]
};
void sp__loads_work(struct sp_body *b, const struct sp_step *step, double h, bool before, sp_loads_work *out);

#endif
