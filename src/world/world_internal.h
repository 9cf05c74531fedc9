// The internals of a world, for src/world and tests.
//
//   write access           error records: any failing call, under error_lock      pending edits: any thread, under edit_lock
//                          snapshot slots: the step fills them, readers count themselves, under snapshot_lock
//                          everything else: the thread that holds `busy`
#ifndef SP_WORLD_INTERNAL_H
#define SP_WORLD_INTERNAL_H

#include <pthread.h>

#include "body/body.h"
#include "collide/collide.h"
#include "contact/constraints.h"

enum {
    SP_EVENT_MAX = 64,  // events of one step; the last entry gives the number of further events
    SP_SNAPSHOT_MAX = 16,
    SP_DRAG_ROOM = 16,       // drags of a body without allocation
    SP_EDIT_ROOM = 64,       // edits of a step without allocation
    SP_EDIT_ROOM_BATCH = 4,  // the same in a world of a batch; further edits allocate
    SP_PAIR_MAX = 64         // reported pairs of overlapping bodies
};

enum {
    SP_CONTACTS_UNBUILT = 1,
    SP_CONTACTS_DROPPED = 2,
    SP_CONTACTS_FOLDED = 4,
    SP_CONTACTS_CONTAINED = 8,
    SP_CONTACTS_LAYERS = 16
};  // what is reported once about contact by constraints

// Slots are never reused: an anchor stores only the slot, and must not refer to another body.
typedef struct sp_slot {
    sp_body *body;  // NULL: removed
    // A replay decides when the solver swaps its preconditioner: from now on; in the current step; the first flag at its start
    // likewise the compliance of its contacts, where that has a factor of its own
    bool reported, swap_now, replay_swap_before;
    bool compliance_reported, compliance_swap_now, compliance_swap_before;
    bool added, leaves;  // by an edit of the current step; at its end
    // elements that edits of the current step remove, with those removed before; allocated at first use
    unsigned char *removing;
    int removing_count, removing_left;  // by edits of the step; elements that are left
    sp_remains *incoming;               // of a restore
    bool has_incoming;
    sp_growth *growth;   // of a restore: the body as it was before; NULL: it is the same
    uint64_t published;  // fields in snapshots: bits of sp_field_id
    uint32_t generation;
} sp_slot;

typedef struct sp_events {
    sp_event list[SP_EVENT_MAX];
    int count;
} sp_events;

// Gravity along an axis: the signal of the definition, until a parameter edit replaces it by a constant.
typedef struct sp_gravity {
    sp_signal signal;
    bool set;
    double value;
} sp_gravity;

// ---------------------------------------------------------------------------------------------------- edits and undo

// Data to restore after a failed step. Parameters by value; pins, springs and poses by a copy of the parameters tier of the body.
typedef struct sp_undo_param {
    sp_body *body;  // NULL: a parameter of the world
    sp_param param;
    double old;
    sp_gravity *gravity, old_gravity;  // if the parameter is gravity
} sp_undo_param;

typedef struct sp_undo_body {
    sp_body *body;
    unsigned char *data;  // parameters tier, then springs
    size_t size, capacity;
    int spring_count;
    bool used;
    sp_remains *remains;  // at the start of the step, if elements were removed in it
    bool exchanged;
} sp_undo_body;

typedef struct sp_journal {
    sp_undo_param *params;
    int param_count, param_capacity;
    sp_undo_body *bodies;  // one per slot that was ever edited; buffers are reused
    int body_count, body_capacity;
} sp_journal;

typedef struct sp_edits {
    sp_edit *list;
    int count, capacity;
} sp_edits;

// ---------------------------------------------------------------------------------------------------- snapshots

// Buffers of a surface in a snapshot slot; the topology is shared with the body.
typedef struct sp_snapshot_slot_surface {
    sp_surface *surface;
    float *positions, *normals;  // normals: embedded surfaces only
    int vertex_capacity;
} sp_snapshot_slot_surface;

typedef struct sp_snapshot_slot_field {
    double *values;
    size_t capacity;
} sp_snapshot_slot_field;

typedef struct sp_snapshot_slot_body {
    char name[64];
    sp_snapshot_slot_surface *surfaces;
    sp_snapshot_surface *view;  // what readers see, one per surface
    int surface_capacity;
    sp_snapshot_slot_field *fields;
    sp_snapshot_field *field_view;  // what readers see
    int field_capacity;
} sp_snapshot_slot_body;

typedef struct sp_snapshot_slot {
    sp_snapshot view;  // what readers see; first member
    sp_snapshot_body *bodies;
    sp_snapshot_slot_body *parts;
    int body_capacity;
    sp_contact_point *contacts;
    int contact_capacity;
    sp_snapshot_link *links;
    int link_capacity;
    sp_event events[SP_EVENT_MAX];
    int readers;
} sp_snapshot_slot;

// ---------------------------------------------------------------------------------------------------- pairs that overlap

typedef struct sp_pair_body {  // a soft body at the trial state, for the overlap test
    sp_body *body;
    const sp_surface *surface;  // closed; NULL: the points are those of a centreline
    int count, capacity;
    double *x;  // points (count x 3)
    double low[3], high[3];
    bool collides;  // the surface is collider `collider` of the set, made of this body and revision
    int collider;
    sp_body_id made_of;
    uint32_t revision;
} sp_pair_body;

typedef struct sp_pairs {
    sp_pair_body *bodies;  // scratch
    int capacity;
    sp_collide *set;                 // the closed surfaces; NULL: none yet
    uint32_t slots[SP_PAIR_MAX][2];  // pairs that an event has reported; not in checkpoints: reported again after a restore
    int reported, found;             // count in committed steps; count including the current step
} sp_pairs;

typedef struct sp_contact_matrix {  // of sp_world_contact_problem
    int *start, *column;
    double *value, *mu, *u;
} sp_contact_matrix;

// ---------------------------------------------------------------------------------------------------- the world

struct sp_world {
    sp_error error;     // last failure of any call
    bool noted;         // `error` belongs to the current call
    sp_context branch;  // of the host's context. Bodies and solvers write to its error record during a call
    sp_context *ctx;    // &branch
    sp_world_def def;
    char backend[32];
    pthread_mutex_t error_lock, edit_lock, snapshot_lock;
    bool locks_made;
    atomic_bool busy;  // a step, restore or query is running

    // bodies
    sp_slot *slots;  // by slot - 1
    int slot_count, slot_capacity;
    sp_body **bodies;  // in order of creation
    int body_count, body_capacity;
    sp_obstacles obstacles;     // bodies with a collision shape; bodies keep a pointer to this member
    uint32_t surface_revision;  // revision of the last embedded surface
    sp_gravity gravity[3];
    sp_contact_def contact;
    bool has_contact;
    bool coupled;                 // penalty contact: springs to distances of shapes do not serve all pairs, contacts are rows
    sp_constraints *constraints;  // NULL until the first step with contact by constraints
    unsigned contact_found, contact_reported;  // SP_CONTACTS_ bits: events sent so far, with and without the current step
    sp_pair_rules *pair_rules;                 // NULL: none
    sp_link_list links;
    sp_contact_def links_only;  // options of the solver where links act without contact
    sp_contact_matrix contact_matrix;
    // The budget of the contact solver: clock of the current step; a replay decides where it ends, from now on and at the start
    // of the step; its first step is in the list of edits.
    sp_cone_clock clock;
    bool clock_replays, clock_replayed_before, clock_listed;
    sp_contacts contacts;  // of the last committed step; bodies keep a pointer to this member
    sp_pairs pairs;

    // time
    double time, time_carry;  // compensated sum (Kahan 1965): 200 steps of 0.01 s are exactly 2 s
    uint64_t steps, hash;
    sp_step step;       // context for the bodies: the current step or the last one; that of a part while a step is divided
    bool in_parts;      // the step is divided (divide.c): only bodies with contacts or links move
    sp_step_info info;  // of the last committed step
    sp_step_info trial;
    sp_events *events, *trial_events;

    // edits
    sp_edits pending;  // in order of arrival
    int in_flight;     // number of edits that the current step has taken
    uint64_t sequence;
    sp_edits batch, taken;  // of the current step, sorted; of the last committed step
    bool removing;          // an edit of the current step removes elements, and they are not removed yet
    sp_journal journal;

    // snapshots
    sp_snapshot_slot *snapshot_slots;  // def.snapshot_slots
    int newest;                        // -1: none yet
    uint64_t skipped;
    uint64_t moves;  // count of published surfaces whose positions differ from the previous snapshot

    char path_text[160];
    int inject;  // stage that fails once, for tests; -1: none
};

// sp_world_create, of a world of a batch if `lane` is not NULL.
sp_status sp__world_create(sp_context *ctx, const sp_world_def *def, struct sp_lane *lane, sp_world **out);
sp_status sp__world_fail(sp_world *w, sp_status status, const char *file, int line, const char *format, ...) SP_PRINTF(5, 6);
#define WORLD_FAIL(w, status, ...) sp__world_fail((w), (status), __FILE__, __LINE__, __VA_ARGS__)
// Copies the failure of a body to the error record of the world, with the name of the body.
sp_status sp__world_body_failed(sp_world *w, sp_body *b, sp_status status);
sp_status sp__world_enter(sp_world *w);  // SP_BUSY: another thread uses the world
// Ends a call and returns its status. A failure without a message in the world gets that of the body or solver that failed, or
// the text of its status.
sp_status sp__world_leave(sp_world *w, sp_status status);

// The worse of two statuses; a reservation is also recorded in the step.
static inline sp_status sp__reserve(sp_world *w, sp_status worst, sp_status status) {
    if (status > 0) w->trial.reservations |= 1u << status;
    return sp__worst(worst, status);
}
// Why the current call was refused so far; the record is then empty: the call goes on.
const char *sp__world_take_reason(sp_world *w);
void sp__event(sp_world *w, sp_status status, const char *format, ...) SP_PRINTF(3, 4);
sp_body *sp__world_body(const sp_world *w, sp_body_id id);           // NULL: stale
sp_status sp__world_stale(sp_world *w, sp_body_id id);               // fails with SP_BAD_ID
sp_slot *sp__world_slot(const sp_world *w, const sp_body *b);        // of a body of this world
sp_body *sp__world_anchored(const sp_world *w, const sp_anchor *a);  // NULL: the anchor refers to no body
double sp__gravity_at(const sp_gravity *g, double t);
uint64_t sp__world_compute_hash(sp_world *w);
// The stages from the free motion to the guard, divided where the passes of rods do not converge (divide.c).
typedef sp_status sp_world_stages(sp_world *w, double h);
sp_status sp__world_motion(sp_world *w, double h, sp_world_stages *motion);
bool sp__world_moves(const sp_world *w, const sp_body *b);  // in this step, or in a part of it
// Fails if contact of this formulation cannot act on the body.
sp_status sp__world_check_contact(sp_world *w, const sp_body *b, const sp_contact_def *def);
void sp__world_couple(sp_world *w);  // after bodies or contact changed: how penalty contact acts
// Adds a body; the world owns it, also on failure. Nullable: name, out.
sp_status sp__world_adopt(sp_world *w, sp_body *b, const char *name, sp_body_id *out);
// Edits that add and remove bodies: a body is added at once, and taken back if the step fails; it leaves when the step is
// committed. Fails if the body cannot be made.
sp_status sp__world_edit_add(sp_world *w, const sp_edit *e);
void sp__world_bodies_commit(sp_world *w);
void sp__world_bodies_undo(sp_world *w);

// Stages of a step (world_step.c). edits.c
sp_status sp__take_edits(sp_world *w, double h);
// step_motion.c
sp_status sp__prescribe(sp_world *w, double h);
void sp__prescribe_now(sp_world *w);  // loads, targets and poses at the current time, without motion
sp_status sp__stage_free_motion(sp_world *w, double h);
sp_status sp__stage_find_contacts(sp_world *w, double h);
sp_status sp__stage_build_delassus(sp_world *w, double h);
sp_status sp__stage_solve_contacts(sp_world *w, double h);
sp_status sp__stage_correct_motion(sp_world *w, double h);
sp_status sp__stage_stabilise(sp_world *w, double h);
sp_status sp__world_failed(sp_world *w, sp_body *b, sp_status status);  // a body has failed: the step too, or the body is frozen
// step_checks.c
sp_status sp__stage_guard(sp_world *w, double h);
sp_status sp__stage_balance(sp_world *w, double h);

// Edits.
sp_status sp__edits_reserve(sp_context *ctx, sp_edits *edits, int capacity);
void sp__edits_committed(sp_world *w);
void sp__edits_returned(sp_world *w);

// Undo.
sp_status sp__journal_param(sp_world *w, sp_body *b, const sp_param *p);
sp_status sp__journal_gravity(sp_world *w, sp_gravity *g);
sp_status sp__journal_body(sp_world *w, sp_body *b);
void sp__journal_remains(sp_world *w, sp_body *b, sp_remains *before);  // after sp__journal_body; takes it over
void sp__journal_clear(sp_world *w);
void sp__journal_undo(sp_world *w);
void sp__journal_forget(sp_world *w, sp_body *b);
void sp__journal_free(sp_world *w);

// removal.c. An edit removes an element: collected until another edit follows or the list ends. SP_EDIT_REFUSED: *refused says
// why.
sp_status sp__world_edit_remove_element(sp_world *w, const sp_edit *e, const char **refused);
sp_status sp__world_removals_apply(sp_world *w);
const unsigned char *sp__world_removed(const sp_body *b, int *count);  // as in sp_removal_ops, for any kind
void sp__world_removals_drop(sp_world *w);
// A restore: what is left is made before anything changes, then used, or dropped. removed NULL: nothing is.
sp_status sp__world_remains_reserve(sp_world *w, sp_body *b, const unsigned char *removed);
void sp__world_remains_take(sp_world *w, sp_body *b);
void sp__world_remains_drop(sp_world *w, sp_body *b);

// growth.c. A restore: exchanges the body for the one with these additions, keeping the former; then undoes that or lets it be.
// Nullable: removed, per element
sp_status sp__world_growth_try(sp_world *w, sp_body *b, const sp_additions *additions, const unsigned char *removed);
void sp__world_growth_end(sp_world *w, sp_body *b, bool keep);

// Parameters: checks of definitions; the parameter at a path. Parameters of the world: *body is NULL, *gravity is set for
// gravity.
sp_status sp__check_gravity(sp_error *error, int axis, double value);
sp_status sp__check_contact(sp_error *error, const sp_contact_def *def);
bool sp__find_param(sp_world *w, const char *path, sp_param *out, sp_body **body, sp_gravity **gravity);

// surface_shapes.c: anchors, faces and attributes of an embedded surface, from a triangle mesh, from the boundary, or between
// regions
sp_status sp__surface_of_mesh(sp_world *w, sp_body *b, const sp_surface_def *def, sp_surface *out);
sp_status sp__surface_of_boundary(sp_world *w, sp_body *b, const sp_surface_def *def, sp_surface *out);
sp_status sp__surface_of_region(sp_world *w, sp_body *b, const sp_surface_def *def, sp_surface *out);

// Tests soft bodies for overlap at the trial state: SP_PAIR_IGNORED and an event for each new pair.
sp_status sp__pairs_check(sp_world *w);
void sp__pairs_forget(sp_world *w);  // clears the list of reported pairs
void sp__pairs_free(sp_world *w);

// Contacts: memory for those of the current step; the list of those that were committed; no contacts, and `multipliers` to keep.
sp_status sp__world_contacts_reserve(sp_world *w);
void sp__world_contacts_take(sp_world *w);
void sp__world_contacts_forget(sp_world *w, int multipliers);
void sp__world_contacts_forget_body(sp_world *w, const sp_body *b);  // those of a body that leaves
void sp__contact_matrix_free(sp_world *w);

// links.c. Whether a link acts; on this body.
bool sp__world_links_act(const sp_world *w);
bool sp__world_is_linked(const sp_world *w, const sp_body *b);
void sp__world_links_forget(sp_world *w, const sp_body *b);  // removes those of a body
void sp__world_links_free(sp_world *w);
// An edit: attaches or detaches. SP_EDIT_REFUSED: *refused says why.
sp_status sp__world_edit_link(sp_world *w, const char *name, bool attached, const char **refused);
// An edit: adds a link, which is taken back if the step fails. Fails if it cannot be made.
sp_status sp__world_edit_add_link(sp_world *w, const sp_edit *e, bool attached);
void sp__world_links_check(sp_world *w);  // forces of the step; events of those that break or contradict others
void sp__world_links_commit(sp_world *w);
void sp__world_links_undo(sp_world *w);
uint64_t sp__world_links_hash(const sp_world *w);                  // 0: no links
bool sp__world_link_param(sp_world *w, int index, sp_param *out);  // false: there are no more
int sp__world_link_points(const sp_world *w);                      // of all links that are attached
void sp__world_link_snapshot(const sp_world *w, sp_snapshot_link *out);

// Contacts or links are constraints of the next step.
static inline bool sp__world_has_contact_rows(const sp_world *w) {
    return w->has_contact && (w->contact.formulation != SP_CONTACT_PENALTY || w->coupled);
}
static inline bool sp__world_finds_contacts(const sp_world *w) {
    return sp__world_has_contact_rows(w) && w->contact.enabled != 0;
}
static inline bool sp__world_has_constraints(const sp_world *w) {
    return sp__world_finds_contacts(w) || sp__world_links_act(w);
}

// Snapshots.
sp_status sp__snapshots_reserve(sp_world *w);  // memory in all slots without readers
void sp__snapshot_publish(sp_world *w);
void sp__snapshots_free(sp_world *w);

// For tests: the stage fails once, after its work. SP_BAD_INPUT for commit and publish, which cannot fail.
sp_status sp__world_inject_failure(sp_world *w, sp_stage stage);

#endif
