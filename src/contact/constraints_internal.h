// What the files of contact by constraints share: constraints_find.c (from surfaces to contacts), constraints_rows.c (rows,
// the Delassus operator) and constraints.c (the stages and the state).
#ifndef SP_CONSTRAINTS_INTERNAL_H
#define SP_CONSTRAINTS_INTERNAL_H

#include "body/drive.h"
#include "collide/collide.h"
#include "contact/constraints.h"
#include "linear/compliance.h"
#include "math/vec3.h"

enum {
    ANCHORS = 3,         // material points of one side of a contact
    MULTIPLIERS = 8192,  // contacts whose multipliers are kept for the next step
};

// A collision surface of a body, or one analytic shape of it.
typedef struct sp_constraint_collider {
    sp_body *body;
    const sp_surface *surface;  // NULL: a shape
    uint32_t revision;
    int shape;                   // number of the shape
    double size;                 // mean edge of its faces at rest, or radius; INFINITY: none [m]
    int index;                   // in the set
    double *x0, *x1;             // positions at the committed and at the free state
    bool seen;                   // in this step
    sp_collider_frame frame[2];  // of a distance field, at the two states
} sp_constraint_collider;

typedef struct sp_constraint_contact {
    uint64_t key[2];
    sp_body *body[2];
    double frame[9];  // normal from the second to the first, two tangents
    double distance;  // at the committed state [m]
    double allowed;   // overlap at the committed state that the step need not remove, <= 0 [m]
    double end;       // distance at the trial state of the last search [m]
    double delta[3];  // violations at the free state
    double gap;       // to keep [m]
    bool fresh;       // delta is that of the trial state, not yet of the free one
    double friction;
    double lambda[3];
    double point[2][3];  // material points at the committed state
    int anchor_count[2];
    sp_anchor anchor[2][ANCHORS];
    double weight[2][ANCHORS];
    double u[3];                // relative displacement at the end of the step, in the frame
    sp_feature feature[2];      // what touches
    const double *x[2];         // positions of the surface at the committed state, until the next search
    sp_contact_patch patch[2];  // vertices that touch; their areas are computed by sp__constraints_at
} sp_constraint_contact;

// The rows of one body, and what they give.
typedef struct sp_constraint_body {
    sp_body *body;
    bool free;  // it has a system: its rows add to W
    int count;  // contacts
    int *list;  // contacts, ascending; 2 c + side
    int list_capacity, sub_capacity, entry_capacity;
    size_t product_capacity;
    sp_anchor *anchor;  // of each part of a row
    double *direction;
    sp_rows J;
    double *G;        // J A^-1 J^T
    double *impulse;  // J^T lambda, then A^-1 of it
    int impulse_capacity;
} sp_constraint_body;

typedef struct sp_constraint_multiplier {  // state: impulse of a contact of the last step, in world axes
    uint64_t key[2];
    double impulse[3];
} sp_constraint_multiplier;

struct sp_constraints {
    sp_context *ctx;
    sp_collide *set;
    sp_constraint_collider *colliders;
    int collider_count, collider_capacity;
    sp_constraint_contact *contacts, *last;  // of this step; of the last committed one
    int count, capacity, last_count, last_capacity;
    sp_constraint_body *touched;
    int touched_count, touched_capacity;
    sp_cone_problem *problem;
    sp_cone_solver *solver;
    bool self;                              // all soft bodies touch themselves
    const sp_pair_rules *rules;             // NULL: none
    sp_cone_clock *clock;                   // of the budget; NULL: none
    sp_constraint_multiplier *multipliers;  // sorted by key
    int multiplier_count;
    double last_h;
    double resolution;     // an eighth of the smallest edge that can move [m]
    sp_contact_rule base;  // of pairs without a rule of their own; the alarm distance of the last search
    size_t numbers_most;   // of W
    double h, *diagonal;   // W is not stored: length of the step, mean diagonal of each group
    int diagonal_capacity;
    sp_constraints_info info;
};

static inline bool sp__constraints_is_static(const sp_body *b) {
    return (b->caps & SP_CAP_KINEMATIC) != 0;
}

// Memory for at least `need` items; keeps the old content. New items are zero.
#define ROOM(c, array, capacity, need) sp__constraints_room((c), (void **)&(array), &(capacity), (need), sizeof *(array))
sp_status sp__constraints_room(sp_constraints *c, void **memory, int *capacity, int need, size_t size);

// ---- constraints_find.c

void sp__constraints_free_collider(sp_constraints *c, sp_constraint_collider *k);
// Surfaces from the committed to the trial state.
sp_status sp__constraints_search(sp_constraints *c, sp_body *const *bodies, int count, const sp_contact_def *def,
                                 sp_found *found);
// Adds the contacts of a search whose keys are new, in the order of keys; the distances of the others are updated.
sp_status sp__constraints_join(sp_constraints *c, const sp_contact_def *def, double h, const sp_found *found, int *added);
void sp__constraints_leave(sp_constraints *c);  // contacts that have just joined leave again: they are not violated

// ---- constraints_rows.c

void sp__constraints_free_touched(sp_constraints *c, sp_constraint_body *t);
sp_constraint_body *sp__constraints_touched(sp_constraints *c, sp_body *b);  // NULL: the body has no contact
sp_status sp__constraints_rows(sp_constraints *c, const sp_step *step);      // of all contacts, and the layout of the problem
sp_status sp__constraints_compliance(sp_constraints *c, sp_body *b);         // the inverse of b->system, once for each system
sp_status sp__constraints_solve_problem(sp_constraints *c, const sp_cone_options *options);  // W stored, or applied

#endif
