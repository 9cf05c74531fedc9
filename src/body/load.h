// What acts on single material points of a body inside A: drags, pulls, soft pins, penalty contact. One list of point terms,
// evaluated at each trial state; the kinds add f to their forces and k, b to their system through push and pull, so
// that every kind has all of these at once.
#ifndef SP_LOAD_H
#define SP_LOAD_H

#include "core/core.h"
#include "souple/world.h"

struct sp_body;
struct sp_step;

typedef struct sp_point_term {
    sp_anchor at;
    double f[3];    // force on the body [N]
    double k[6];    // -df/dx, symmetric, xx yy zz xy yz zx [N/m], positive semi-definite
    double b[6];    // -df/dv, likewise [N s/m]
    double energy;  // potential [J]
} sp_point_term;

// A spring from an anchor to a place.
typedef struct sp_spring {
    sp_anchor at, before;  // before: the step under way, where the body's prescribe moves material points (growth)
    sp_signal to[3];
    double target[3];  // `to` at the end of the step; a drag's mailbox writes it
    double stiffness, damping;
    unsigned axes;
    uint32_t source;  // drag: whose
    int slot;         // drag: which hand; -1: a load of the definition
    bool active;
    bool pin;  // holds a node where it starts: no load
} sp_spring;

typedef struct sp_contact_node {  // a point that may touch
    sp_anchor at;
    double mass;    // [kg], scale of the automatic stiffness: the lightest node it leans on, times the share
    double share;   // of a node's stiffness and damping: 1 on a node, less where many points of a surface lean on it
    double radius;  // of the ball around it that touches [m]
} sp_contact_node;

// ---------------------------------------------------------------------------------------------------- contact

enum { SP_MEMORY_SLOTS = 2 };  // rigid bodies that a point remembers at a time

// What friction keeps of one contact; state tier.
typedef struct sp_contact_memory {
    uint64_t with;     // slot of the rigid body's id; 0: no contact
    double stick[3];   // where the tangential spring is attached, in the frame of the rigid body [m]
    double normal[3];  // in world axes
    double force;      // normal force [N]
} sp_contact_memory;

// The contacts of one point, linearised at (x, v): force f - k (x' - x) - b (v' - v). Scratch.
typedef struct sp_touch {
    bool active;
    double x[3], v[3], f[3], k[6], b[6];
    double potential;      // of the springs along normals [J]
    double work;           // on the body in the step, of what has no potential: moving surfaces, damping [J]
    double friction_work;  // and of friction [J]
    double depth;          // below the surface [m]
    double error;          // |f - what the linearisation before this one predicted for here| [N]
    double largest;        // of both of them [N]
    sp_contact_memory next[SP_MEMORY_SLOTS];
} sp_touch;

typedef struct sp_obstacles {  // the rigid bodies of a world
    struct sp_body **list;
    int count;
} sp_obstacles;

typedef enum sp_contact_at {
    SP_CONTACT_TRIAL,      // at the trial state; obstacles at the end of the step
    SP_CONTACT_AHEAD,      // where the trial velocity leads within the step
    SP_CONTACT_COMMITTED,  // queries: trial arrays hold the committed state; obstacles and memory are the committed ones
} sp_contact_at;

typedef struct sp_loads_work sp_loads_work;

// How contacts act on a body. The world chooses one (src/contact); a body without contact asks none of these.
typedef struct sp_contact_response {
    // touches of all collision points
    void (*evaluate)(struct sp_body *b, const struct sp_step *step, sp_contact_at at);
    // the same at the solved trial state, compared with the touches before: true if the step must be solved again with these
    bool (*changed)(struct sp_body *b, const struct sp_step *step);
    // appends the point terms of the touches at the trial state
    void (*terms)(struct sp_body *b, const struct sp_step *step);
    // adds their potential at the committed state; adds what they did in a step of h whose last substep was `step`
    void (*work_before)(struct sp_body *b, const struct sp_step *step, sp_loads_work *out);
    void (*work)(struct sp_body *b, const struct sp_step *step, double h, sp_loads_work *out);
} sp_contact_response;

// ---------------------------------------------------------------------------------------------------- all loads of a body

typedef struct sp_loads {
    sp_spring *springs;  // parameters tier
    int spring_count, spring_capacity;
    sp_contact_node *nodes;  // collision points, made by the kind at creation; those of surfaces then take their place
    int node_count;
    bool by_surface;
    uint64_t surface_key;      // tells one list of points of surfaces from another; topology
    double size;               // extent of the body [m]
    double static_stiffness;   // of a contact in statics [N/m]
    double inertia_stiffness;  // of a contact in motion, in m/h2 of a node: it sinks by 1/this of what it would fall in a step
    double force_tolerance;    // share of all contact forces that those of a linear solve may be wrong by
    double mean_mass;          // of a node [kg]; 0: each counts by its own
    double element_stiffness;  // of a contact in motion: at least this [N/m]; 0: no bound
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
    sp_contact_memory *memory[2];  // [SP_COMMITTED], [SP_TRIAL]: SP_MEMORY_SLOTS of each node; state tier
    sp_touch *touches;             // of each node, at the last evaluation; scratch
    double *from;                  // statics: where each node was at the start (node_count x 3); scratch
} sp_loads;

// Signals of springs at the end of the step.
void sp__loads_prescribe(struct sp_body *b, const struct sp_step *step);
// Before a driver starts: the trial memory is the committed one. Trial positions are those of the start.
void sp__loads_begin(struct sp_body *b, const struct sp_step *step);
// Terms and energy of the trial state. Room was reserved at creation: cannot fail.
void sp__loads_evaluate(struct sp_body *b, const struct sp_step *step, sp_contact_at at);
// The same for a trial state that was put back to the start of the step: contacts as linearised by the `changed` of the response.
void sp__loads_again(struct sp_body *b, const struct sp_step *step);
// The contacts of the last evaluation become the trial memory.
void sp__loads_finish(struct sp_body *b);
void sp__loads_commit(struct sp_body *b);          // the trial memory becomes the committed one
void sp__loads_forget(struct sp_body *b);          // no contact is remembered: the body was put somewhere else
uint64_t sp__loads_hash(const struct sp_body *b);  // of the committed memory; 0: nothing touches
bool sp__loads_touch(const struct sp_body *b);     // can it touch anything?
sp_status sp__loads_add_spring(struct sp_body *b, const sp_spring *spring);
sp_status sp__loads_reserve(struct sp_body *b, int extra_springs);  // room for more springs and for all contacts
// Points of surfaces become the collision points, instead of those that the kind made. The list is the body's own from then on;
// masses follow when the kind is refreshed.
sp_status sp__loads_take_points(struct sp_body *b, int n, sp_contact_node *nodes);
void sp__loads_free(struct sp_body *b);

// What point terms did from the committed to the trial state, in a step of h whose last substep was `step`.
struct sp_loads_work {
    double drags, pins;     // work of springs, with their damping [J]
    double contact_work;    // friction and damping of contacts, and of moving rigid bodies [J]
    double contact;         // potential of contacts at the trial state [J]
    double contact_before;  // at the committed state, where asked
    double penetration;     // at the trial state [m]
};
void sp__loads_work(struct sp_body *b, const struct sp_step *step, double h, bool before, sp_loads_work *out);

#endif
