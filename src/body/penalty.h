// Penalty contact of the collision points of a soft body against rigid bodies, with Coulomb friction that sticks.
//
// Normal force. d is the signed distance of a point to a rigid body, n its outward normal, v the relative velocity:
//   f_n = -k d - c n.v,  where that is positive.
// Friction. A tangential spring of the same stiffness k holds the point at a place s of the rigid body, the stick point. It
// stays there while the spring force is inside the cone and is dragged along on the cone (return mapping; Wriggers 2006,
// section 5.2):
//   u = (1 - n n^T) (x - s),   f_t = -k u  while  k |u| <= mu f_n,   f_t = -mu f_n u / |u|  beyond.
// s, n and f_n are state: they are kept in the frame of the rigid body from step to step, saved and rolled back.
//
// One linearisation per step needs a guess of which points touch at the end of the step: the points are linearised where their
// velocity leads (SP_CONTACT_AHEAD). After the solve, contacts are evaluated at the solved state. If their forces differ from
// the linear ones, the step is solved again with contacts linearised there (drive_implicit.c). The gap after the solve decides
// who touches, so that a resting point does not alternate between touching and not.
//
// Normals at seams. A point slightly inside one of two boxes side by side may be nearest to the inner side face. Distances are
// therefore measured from a place lifted out of the surface, along the normals of the last step or of where the point comes
// from, and taken back to the point along the normal found there.
#ifndef SP_PENALTY_H
#define SP_PENALTY_H

#include "core/core.h"
#include "souple/world.h"

struct sp_body;
struct sp_step;
struct sp_point_term;
struct sp_contact_node;

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

// of a collision point in this step [N/m]
double sp__contact_stiffness(const struct sp_body *b, const struct sp_step *step, const struct sp_contact_node *node);
// Touches of all collision points.
void sp__penalty_evaluate(struct sp_body *b, const struct sp_step *step, sp_contact_at at);
// The same at the solved trial state, compared with the touches before: true if the step must be solved again with these.
bool sp__penalty_changed(struct sp_body *b, const struct sp_step *step);
// The point term of a touch for a body whose point is at x and moves with v.
void sp__touch_term(const sp_touch *t, const sp_anchor *at, const double *x, const double *v, struct sp_point_term *out);

#endif
