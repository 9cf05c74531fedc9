// What the files of contact by constraints share: constraints_find.c (from surfaces to contacts), constraints_rows.c (rows,
// the Delassus operator), constraints_links.c (rows of links between bodies), constraints_parts.c (steps that are divided) and
// constraints.c (the stages and the state).
#ifndef SP_CONSTRAINTS_INTERNAL_H
#define SP_CONSTRAINTS_INTERNAL_H

#include "body/drive.h"
#include "collide/collide.h"
#include "collide/volume.h"
#include "contact/constraints.h"
#include "contact/links.h"
#include "linear/compliance.h"
#include "math/vec3.h"

enum {
    ANCHORS = 3,         // material points of one side of a contact
    MULTIPLIERS = 8192,  // contacts whose multipliers are kept for the next step
};

// A collision surface of a body, or one analytic shape of it.
typedef struct sp_constraint_collider {
    uint32_t id;  // of the collision detection: slot of the body << 8 | part
    sp_body *body;
    const sp_surface *surface;  // NULL: a shape
    uint32_t revision;
    int shape;               // number of the shape
    double size;             // mean edge of its faces at rest, or radius; INFINITY: none [m]
    double alarm;            // share of the size; INFINITY: it cannot move, or has no size [m]
    int index;               // in the set of distances; -1: its contacts are volumes only
    bool volume;             // its contacts may be volumes
    int open;                // edges, which keep it from that
    double *x0, *x1;         // positions at the committed and at the free state; of a shape: those of its triangles
    sp_body_shape place[2];  // of a shape, at the two states
    uint32_t *triangles;     // of a shape, for volumes
    int vertex_count, triangle_count;
    int around;                  // edges of its cross section; 0: a plane
    bool seen;                   // in this step
    bool placed;                 // x0 is that of a search
    sp_collider_frame frame[2];  // of a distance field, at the two states
} sp_constraint_collider;

// What touches on one side: vertices of a surface.
typedef struct sp_constraint_side {
    const sp_surface *surface;  // NULL: an analytic shape
    const sp_body *body;
    int count;
    uint32_t vertex[ANCHORS];
    double weight[ANCHORS];
} sp_constraint_side;

// What a vertex of an overlap adds to the rows of its contact: the row of the normal, and the share in those of the tangents.
typedef struct sp_constraint_part {
    sp_anchor anchor[2];  // of the row of the normal, and of those of the tangents
    int vertex;
    double normal[3], share;  // -G / A and -n . G / A, with the gradient G of the volume and the area A of the patch
} sp_constraint_part;

// A volume at the start of the step.
typedef struct sp_constraint_start {
    int place[5];  // surfaces of the search, cell z, y, x
    double depth;  // [m]
} sp_constraint_start;

typedef struct sp_constraint_contact {
    uint64_t key[2];
    sp_body *body[2];
    double frame[9];    // normal from the second to the first, two tangents
    double distance;    // at the committed state [m]
    double allowed;     // overlap at the committed state that the step need not remove, <= 0 [m]
    double end;         // distance at the trial state of the last search [m]
    double delta[3];    // violations at the free state
    double base;        // delta[0] without the motion of the two points along the normal
    double gap;         // to keep [m]
    double alarm;       // of the definition, or the automatic one of the two [m]
    double resolution;  // the automatic alarm distance of the two: finer than what their surfaces resolve [m]
    // penalty contact: the normal is a spring
    bool spring;
    double stiffness, damping;  // [N/m], 0: chosen by W; [N s/m]
    double soft;                // compliance of the normal row [m/(N s)]; 0 for constraints
    double viscous;             // viscous friction: compliance of the tangential rows [m/(N s)]; 0: Coulomb
    bool born;                  // found by this search: delta is not known
    bool fresh;                 // delta is that of the trial state, not yet of the free one
    bool between;               // it was found between the ends of the step: a search of the corrected motion may not find it
    double friction;
    double lambda[3];
    double point[2][3];  // material points at the committed state
    // volumes: anchor_count parts of each side, those of the second behind those of the first
    double area;  // of the patch [m2]; 0: it is no volume
    int part;     // number of the first one
    int anchor_count[2];
    sp_anchor anchor[2][ANCHORS];
    double weight[2][ANCHORS];
    double u[3];            // relative displacement at the end of the step, in the frame
    double impulse[3];      // of all parts of a step that is divided, in world axes; 0 otherwise [N s]
    double slip[3];         // likewise: the tangential displacement [m]
    sp_feature feature[2];  // what touches
    const double *x[2];     // positions of the surface at the committed state, until the next search
    sp_constraint_side patch[2];
} sp_constraint_contact;

// A tie of a link that acts in this step. Its groups and rows are counted from the first ones of links, which follow those of the
// contacts.
typedef struct sp_constraint_tie {
    sp_link *link;
    sp_tie *tie;
    double frame[9];     // at the committed state
    sp_anchor guide;     // slides: the material point of the second body below the point
    bool off;            // it has slid off the end of a rod, and has no rows
    int group, row;      // its bilateral rows
    int slip;            // group of its friction; -1: none
    int slip_row;        // first row of that group, which is artificial
    double normal;       // diagonal of the artificial rows
    double retarded[3];  // springs: what the damping of the start of the step adds to the violation [m]
} sp_constraint_tie;

typedef struct sp_constraint_link_row {
    double delta;  // violation at the free state
    double soft;   // compliance of the row itself [m/(N s)]
    double lambda;
    double velocity, q;  // kept while positions are corrected: the multiplier and the violation of the problem
} sp_constraint_link_row;

// Consecutive rows of a tie on one side, in the rows of a body.
typedef struct sp_constraint_block {
    int tie, side;
    int number, rows;   // number of the first one in the tie, see sp__tie_row
    int group, offset;  // its group, counted as above, and the place of the first row there
} sp_constraint_block;

typedef struct sp_constraint_entry {
    int at;
    double value;
} sp_constraint_entry;

// The rows of one body, and what they give: three for each contact, then those of links.
typedef struct sp_constraint_body {
    sp_body *body;
    bool free;  // it has a system: its rows add to W
    int count;  // contacts
    int *list;  // contacts, ascending; 2 c + side
    int block_count, link_row_count;
    sp_constraint_block *blocks;
    int *link_row;  // row of links of each row after those of the contacts
    int block_capacity, link_row_capacity;
    int list_capacity, sub_capacity, entry_capacity;
    size_t product_capacity;
    sp_anchor *anchor;  // of each part of a row
    double *direction;
    sp_rows J;
    double *G;         // J A^-1 J^T; with strands one such product after the other
    sp_status status;  // of the task that computes G
    // a body of independent strands: which contacts each of them has. Without strands all rows are coupled
    int strand_count;
    sp_part_rows *strands;
    uint64_t *strand_keys;  // strand, first unknown, contact; ascending
    int *strand_row;        // of J, in the order of the keys
    int strand_capacity, key_capacity, strand_row_capacity;
    // rows of many nodes: unknowns that they have, ascending by node; inverse there; a row of J times it
    sp_rows unit;
    double *inverse, *half;
    int *place;                  // of an unknown in `unit`
    sp_constraint_entry *entry;  // what is not zero in J
    int *entry_start;
    size_t unit_capacity, inverse_capacity, half_capacity, place_capacity, inverse_entries, inverse_starts;
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
    int *group_of;  // first group of each contact; of the last one, that of the links (count + 1)
    int *member;    // groups of a clique
    int group_capacity, member_capacity;
    // volumes
    sp_volume *volume;            // NULL until needed
    sp_volume_found overlaps;     // of the last search
    sp_volume_surface *surfaces;  // that were searched
    int *surface_collider;        // of each
    int surface_count, surface_capacity, surface_collider_capacity;
    sp_constraint_start *starts;      // sorted by their places
    int start_count, start_capacity;  // count < 0: not searched yet
    sp_constraint_part *parts;        // of the contacts of the step
    int part_count, part_capacity;
    int *mark, mark_capacity;  // of an unknown: place in a row that is merged
    // deepest overlap of the last search: beyond what this step may leave, and beyond the slack; 0: within the tolerance [m]
    double excess, overlap_left;
    bool self;                              // all soft bodies touch themselves
    bool has_distances, has_volumes;        // formulations of the pairs
    double pixel;                           // smallest of volumes [m]
    const sp_pair_rules *rules;             // NULL: none
    sp_cone_clock *clock;                   // of the budget; NULL: none
    sp_constraint_multiplier *multipliers;  // sorted by key
    int multiplier_count, multiplier_capacity;
    double last_h, part_h;  // length of the last committed step, and of this one or its part [s]
    // a step that is divided: contacts of its parts so far, impulses of its ties, and their length [s]; 0 parts: it is not
    sp_constraint_contact *done;
    double *tie_done;
    int done_count, done_capacity, tie_done_capacity, parts_done;
    double parts_h;
    bool last_divided;  // the last committed step was
    double alarm[2];    // automatic alarm distances of all pairs: the smallest and the largest [m]
    uint64_t *sizes;    // bits of the sizes of colliders
    int size_capacity;
    bool automatic;        // the definition gives no alarm distance
    sp_contact_rule base;  // of the definition; automatic: with the largest alarm distance
    size_t numbers_most;   // of W
    int pass;              // of the step: 0 for the first solve
    bool again;            // a search of the step has placed the surfaces at the committed state
    bool divisible;        // the world divides the step if its passes do not converge
    double h, *diagonal;   // W is not stored: length of the step, mean diagonal of each group
    int diagonal_capacity;
    bool coarse;          // the last solve was not to the tolerance of the user
    sp_link_list *links;  // of the world; NULL: none
    bool searches;        // contacts are searched
    sp_constraint_tie *ties;
    int tie_count, tie_capacity;
    sp_constraint_link_row *link_rows;
    int link_group_count, link_row_count, link_row_capacity;
    bool links_fresh;    // their violations are those of the trial state, not yet of the free one
    double links_scale;  // largest violation of a link at the first free state of the step [m]
    double links_reach;  // largest coordinate of a tied point [m]
    sp_constraints_info info;
};

// The groups of a contact: a Coulomb cone, or with viscous friction the normal and the two tangents apart.
static inline int sp__constraints_groups(const sp_constraint_contact *k) {
    return k->viscous > 0 ? 2 : 1;
}

// A group of links in the problem; they follow those of the contacts.
static inline int sp__constraints_link_group(const sp_constraints *c, int group) {
    return c->group_of[c->count] + group;
}

static inline bool sp__constraints_is_static(const sp_body *b) {
    return (b->caps & SP_CAP_KINEMATIC) != 0;
}

// The state at which rows of a body are computed: the committed one, where an impulse changes the angular momentum by its moment,
// without error. A rod turns and bends in a step: its further passes are linearised at the trial state.
static inline sp_which sp__constraints_row_state(const sp_constraints *c, const sp_body *b) {
    return b->centreline && c->pass > 0 ? SP_TRIAL : SP_COMMITTED;
}

// Memory for at least `need` items; keeps the old content. New items are zero.
#define ROOM(c, array, capacity, need) sp__constraints_room((c), (void **)&(array), &(capacity), (need), sizeof *(array))
sp_status sp__constraints_room(sp_constraints *c, void **memory, int *capacity, int need, size_t size);
sp_status sp__constraints_reserve(sp_constraints *c, int count);  // room for contacts and, at the commit, their multipliers

// ---- constraints.c

// The free motion of bodies that was solved with the impulses of the last step: takes them out, before the search; exactly, for
// those without contacts, after it.
sp_status sp__constraints_free_motion(sp_constraints *c, sp_body *const *bodies, int count, const sp_step *step);
sp_status sp__constraints_leave_untouched(sp_constraints *c, sp_body *const *bodies, int count, const sp_step *step);

// ---- constraints_find.c

void sp__constraints_free_collider(sp_constraints *c, sp_constraint_collider *k);
// Surfaces from the committed to the trial state.
sp_status sp__constraints_search(sp_constraints *c, sp_body *const *bodies, int count, const sp_contact_def *def,
                                 sp_found *found);
// Adds the contacts of a search whose keys are new, in the order of keys; the distances of the others are updated. renew: those
// of rods are what this search has found.
sp_status sp__constraints_join(sp_constraints *c, const sp_contact_def *def, double h, const sp_found *found, bool renew,
                               int *added);
// Violations of the contacts of bodies whose points are not linear in the step, at the trial state of the last search.
void sp__constraints_evaluate(sp_constraints *c, double h);
void sp__constraints_leave(sp_constraints *c);  // contacts that have just joined leave again: they are not violated

// Two tangents of a unit vector, continuous but where the smallest component changes.
void sp__constraints_frame(const double n[3], double frame[9]);
// The multiplier of the same contact in the last step, or zero.
void sp__constraints_warm_start(const sp_constraints *c, const sp_contact_def *def, sp_constraint_contact *out);
double sp__constraints_allowed_overlap(sp_stabilisation stabilisation, double distance, double edge);
sp_contact_rule sp__constraints_pair_rule(const sp_constraints *c, const sp_constraint_collider *a,
                                          const sp_constraint_collider *b);

// ---- constraints_volume.c

// Makes the triangles of a shape at the first call; a plane is a box that reaches over all other surfaces.
sp_status sp__volumes_follow_shape(sp_constraints *c, sp_constraint_collider *k, double pixel);
// Overlaps at the trial state. Surfaces have been moved. It sets `end` of the contacts that are found again, and `excess`.
sp_status sp__volumes_search(sp_constraints *c, const sp_contact_def *def);
// Overlaps of the last search become contacts, linearised at the trial state; those that exist are replaced.
sp_status sp__volumes_take(sp_constraints *c, const sp_contact_def *def, double h, int *added);
// Anchor and direction of part j of a side in row d of a volume.
void sp__volumes_part(const sp_constraints *c, const sp_constraint_contact *k, int side, int j, int d, sp_anchor *anchor,
                      double direction[3]);
// For queries: the material point with the largest share in a side, and its vertices.
sp_anchor sp__volumes_anchor(const sp_constraints *c, const sp_constraint_contact *k, int side);
void sp__volumes_record(const sp_constraints *c, const sp_constraint_contact *k, int side, sp_contacts *list,
                        sp_contact_patch *out);
// Adds up what a row has of an unknown more than once, in all rows of a body.
sp_status sp__volumes_merge(sp_constraints *c, sp_constraint_body *t);

// Contacts are sorted by their keys.
static inline int sp__constraints_compare(const uint64_t a[2], const uint64_t b[2]) {
    if (a[0] != b[0]) return a[0] < b[0] ? -1 : 1;
    return (a[1] > b[1]) - (a[1] < b[1]);
}

static inline bool sp__constraints_is_volume(const sp_constraint_contact *k) {
    return k->area > 0;
}

// ---- constraints_parts.c

// Impulse and tangential displacement of a contact of the last committed step, in world axes.
void sp__constraints_sums(const sp_constraints *c, const sp_constraint_contact *k, double impulse[3], double slip[3]);

// ---- constraints_links.c

sp_status sp__links_part_done(sp_constraints *c);  // adds the impulses of the ties in a part of a step

sp_status sp__links_begin(sp_constraints *c, const sp_step *step, bool warm_start);  // the ties of the step
// Violations at the trial state; returns the largest one of a row that is not soft [m].
double sp__links_evaluate(sp_constraints *c);
sp_status sp__links_touch(sp_constraints *c);  // bodies and blocks
// Rows of one body: number of their parts; anchors and directions of those; rows from parts.
int sp__links_part_count(const sp_constraints *c, const sp_constraint_body *t);
void sp__links_parts(const sp_constraints *c, sp_constraint_body *t, int part);
void sp__links_merge(const sp_constraints *c, sp_constraint_body *t, int part);
sp_status sp__links_groups(sp_constraints *c);
void sp__links_to_free_state(sp_constraints *c, const sp_constraint_body *t, double h);  // of one body
void sp__links_to_problem(sp_constraints *c);                                            // violations and multipliers
void sp__links_from_problem(sp_constraints *c);
// G of all rows of a body whose rows share their nodes. *done: false: it would not be quicker.
sp_status sp__links_inverse(sp_constraints *c, sp_constraint_body *t, bool *done);
void sp__links_product(sp_constraints *c, const sp_constraint_body *t, double h);  // the part of W that links have in G
void sp__links_soften(sp_constraints *c);                                          // after the products of all bodies
bool sp__links_bound(sp_constraints *c, double tolerance);  // friction: true if the problem must be solved again
void sp__links_transposed(const sp_constraints *c, const sp_constraint_body *t, double *g);  // g += J^T lambda of one body
// A correction of positions: the problem gets the violations at the trial state; then it gets back what it had.
void sp__links_separate(sp_constraints *c);
void sp__links_separated(sp_constraints *c);
void sp__links_commit(sp_constraints *c);  // the state of the ties

// ---- constraints_rows.c

sp_status sp__constraints_touch(sp_constraints *c, sp_body *b, sp_constraint_body **out);        // adds the body where it is new
sp_status sp__constraints_reserve_product(sp_constraints *c, sp_constraint_body *t, int count);  // memory for G of so many rows
void sp__constraints_free_touched(sp_constraints *c, sp_constraint_body *t);
sp_constraint_body *sp__constraints_touched(sp_constraints *c, sp_body *b);  // NULL: the body has no contact
sp_status sp__constraints_rows(sp_constraints *c, const sp_step *step);      // of all contacts, and the layout of the problem
sp_status sp__constraints_compliance(sp_constraints *c, sp_body *b);         // the inverse of b->system, once for each system
sp_status sp__constraints_solve_problem(sp_constraints *c, const sp_cone_options *options);  // W stored, or applied

#endif
