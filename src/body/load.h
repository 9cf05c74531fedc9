// What acts on single material points of a body inside A: drags, pulls, soft pins, penalty contact. One list of point terms,
// evaluated at each trial state; the kinds add f to their forces and k, b to their system through push and pull, so
// that every kind has all of these at once.
#ifndef SP_LOAD_H
#define SP_LOAD_H

#include "core/core.h"
#include "souple/world.h"

struct sp_body;

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

typedef struct sp_loads {
    sp_spring *springs;  // parameters tier
    int spring_count, spring_capacity;
    sp_contact_node *nodes;  // collision points, made by the kind at creation; those of surfaces then take their place
    int node_count;
    bool by_surface;
    uint64_t surface_key;     // tells one list of points of surfaces from another; topology
    double size;              // body's extent [m], scale of the slip speed
    double static_stiffness;  // contact stiffness in statics [N/m]
    // written by sp__loads_evaluate
    sp_point_term *terms;
    int term_count, term_capacity;
    double energy;
    bool dissipates;  // a term has no potential: friction, damping
    // set by the world for the step
    const sp_contact_def *contact;     // NULL: none
    struct sp_body *const *obstacles;  // rigid bodies
    int obstacle_count;
    unsigned char *touching;  // scratch: which collision nodes are active
} sp_loads;

// Signals of springs at time t.
void sp__loads_prescribe(struct sp_body *b, double t);
// terms and energy at the trial state. Room was reserved at creation: cannot fail.
void sp__loads_evaluate(struct sp_body *b);
sp_status sp__loads_reserve(struct sp_body *b, int extra_springs);  // room for more springs and for all contacts
// Points of surfaces become the collision points, instead of those that the kind made. The list is the body's own from then on;
// masses follow when the kind is refreshed.
sp_status sp__loads_take_points(struct sp_body *b, int n, sp_contact_node *nodes);
void sp__loads_free(struct sp_body *b);

#endif
