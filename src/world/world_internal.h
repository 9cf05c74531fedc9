// The inside of a world, for src/world and for tests.
//
//   who writes what        error records: any failing call, under error_lock      pending edits: any thread, under edit_lock
//                          snapshot slots: the step fills, readers count, under snapshot_lock
//                          all else: the thread that holds `busy`
#ifndef SP_WORLD_INTERNAL_H
#define SP_WORLD_INTERNAL_H

#include <pthread.h>

#include "body/body.h"

enum {
    SP_EVENT_MAX = 64,  // events of one step; the last place says how many there were more
    SP_SNAPSHOT_MAX = 16,
    SP_DRAG_ROOM = 16,  // drags that a body takes without allocating
    SP_EDIT_ROOM = 64,  // edits that a step takes without allocating
    SP_PAIR_MAX = 64    // pairs of overlapping bodies that events tell of
};

// Slots are never used twice: an anchor knows its slot only, and must not fall on another body.
typedef struct sp_slot {
    sp_body *body;  // NULL: removed
    // A replay decides when the body's solver swaps: from now on; in the step under way. told_before: as that step began
    bool told, take_over, told_before;
    uint32_t generation;
    int elements;  // anchors' range
} sp_slot;

typedef struct sp_events {
    sp_event list[SP_EVENT_MAX];
    int count;
} sp_events;

// Gravity of an axis: the signal of the definition until a parameter edit puts a number in its place.
typedef struct sp_gravity {
    sp_signal signal;
    bool set;
    double value;
} sp_gravity;

// ---------------------------------------------------------------------------------------------------- edits and undo

// What to put back if the step fails. Parameters by value; pins, springs and poses by a copy of the body's parameters tier.
typedef struct sp_undo_param {
    sp_body *body;  // NULL: the world's own
    sp_param param;
    double old;
    sp_gravity *gravity, old_gravity;  // where gravity is what changed
} sp_undo_param;

typedef struct sp_undo_body {
    sp_body *body;
    unsigned char *data;  // parameters tier, then springs
    size_t size, capacity;
    int spring_count;
    bool used;
} sp_undo_body;

typedef struct sp_journal {
    sp_undo_param *params;
    int param_count, param_capacity;
    sp_undo_body *bodies;  // one per slot that was ever touched; buffers stay for the next time
    int body_count, body_capacity;
} sp_journal;

typedef struct sp_edits {
    sp_edit *list;
    int count, capacity;
} sp_edits;

// ---------------------------------------------------------------------------------------------------- snapshots

// Room for a surface in a slot; what does not move is shared with the body.
typedef struct sp_shot_surface {
    sp_surface *surface;
    float *positions, *normals;  // normals: embedded surfaces only
    int vertex_capacity;
} sp_shot_surface;

typedef struct sp_shot_body {
    char name[64];
    sp_shot_surface *surfaces;
    sp_snapshot_surface *view;  // what readers get, one per surface
    int surface_capacity;
} sp_shot_body;

typedef struct sp_shot {
    sp_snapshot view;  // what readers get; first member
    sp_snapshot_body *bodies;
    sp_shot_body *parts;
    int body_capacity;
    sp_event events[SP_EVENT_MAX];
    int readers;
} sp_shot;

// ---------------------------------------------------------------------------------------------------- pairs that overlap

typedef struct sp_pair_body {  // a soft body at the trial state, as the test for overlaps sees it
    sp_body *body;
    const sp_surface *surface;  // closed; NULL: the points are those of a centreline
    int count, capacity;
    double *x;  // points (count x 3)
    double low[3], high[3];
} sp_pair_body;

typedef struct sp_pairs {
    sp_pair_body *bodies;  // scratch
    int capacity;
    uint32_t slots[SP_PAIR_MAX][2];  // pairs that an event has told of; not in checkpoints: who restores one is told again
    int told, found;                 // in committed steps; and in the step under way
} sp_pairs;

// ---------------------------------------------------------------------------------------------------- the world

struct sp_world {
    sp_error error;       // last failure of any call
    sp_error body_error;  // what bodies write; copied to `error` by the call that fails
    sp_context *ctx;
    sp_world_def def;
    char backend[32];
    pthread_mutex_t error_lock, edit_lock, snapshot_lock;
    bool locks_made;
    atomic_bool busy;  // a step, restore or query is under way

    // bodies
    sp_slot *slots;  // by slot - 1
    int slot_count, slot_capacity;
    sp_body **bodies;  // in order of creation
    int body_count, body_capacity;
    sp_obstacles obstacles;     // those that can be touched; bodies keep a pointer to it
    uint32_t surface_revision;  // of the last embedded surface
    sp_gravity gravity[3];
    sp_contact_def contact;
    bool has_contact;
    sp_pairs pairs;

    // time
    double time, time_carry;  // what rounding left out of the sum of steps (Kahan 1965): 200 steps of 0.01 s are 2 s
    uint64_t steps, hash;
    sp_step step;       // handed to the bodies: of the step under way, or of the last one made
    sp_step_info info;  // of the last step that was committed
    sp_step_info trial;
    sp_events *events, *trial_events;

    // edits
    sp_edits pending;  // in order of arrival
    int in_flight;     // how many of them the step under way has taken
    uint64_t sequence;
    sp_edits batch, taken;  // of the step under way, sorted; of the last committed step
    sp_journal journal;

    // snapshots
    sp_shot shots[SP_SNAPSHOT_MAX];
    int newest;  // -1: none yet
    uint64_t skipped;
    uint64_t moves;  // times that positions of a surface were published that were not those of the snapshot before

    char path_text[160];
    int inject;  // stage that shall fail once; -1: none
};

sp_status sp__world_fail(sp_world *w, sp_status status, const char *file, int line, const char *format, ...) SP_PRINTF(5, 6);
#define WORLD_FAIL(w, status, ...) sp__world_fail((w), (status), __FILE__, __LINE__, __VA_ARGS__)
// Pass a body's failure on to the world's record, with the body's name.
sp_status sp__world_body_failed(sp_world *w, sp_body *b, sp_status status);
sp_status sp__world_enter(sp_world *w);  // SP_BUSY where another thread is inside
void sp__world_leave(sp_world *w);

// The worse of two; a reservation is also kept among those of the step.
static inline sp_status sp__reserve(sp_world *w, sp_status worst, sp_status status) {
    if (status > 0) w->trial.reservations |= 1u << status;
    return sp__worst(worst, status);
}
void sp__event(sp_world *w, sp_status status, const char *format, ...) SP_PRINTF(3, 4);
sp_body *sp__world_body(const sp_world *w, sp_body_id id);           // NULL: stale
sp_slot *sp__world_slot(const sp_world *w, const sp_body *b);        // of a body of this world
sp_body *sp__world_anchored(const sp_world *w, const sp_anchor *a);  // NULL: the anchor holds on nothing
double sp__gravity_at(const sp_gravity *g, double t);
uint64_t sp__world_compute_hash(sp_world *w);
// Take a body made elsewhere: the world owns it, also on failure. Nullable: name, out.
sp_status sp__world_adopt(sp_world *w, sp_body *b, const char *name, sp_body_id *out);

// Stages that are not in world_step.c, or that tests run alone.
sp_status sp__take_edits(sp_world *w, double h);
sp_status sp__prescribe(sp_world *w, double h);
void sp__prescribe_now(sp_world *w);  // loads, targets and poses as they are at this time; nothing moves

// Edits.
sp_status sp__edits_reserve(sp_context *ctx, sp_edits *edits, int capacity);
void sp__edits_committed(sp_world *w);
void sp__edits_returned(sp_world *w);

// Undo.
sp_status sp__journal_param(sp_world *w, sp_body *b, const sp_param *p);
sp_status sp__journal_gravity(sp_world *w, sp_gravity *g);
sp_status sp__journal_body(sp_world *w, sp_body *b);
void sp__journal_clear(sp_world *w);
void sp__journal_undo(sp_world *w);
void sp__journal_forget(sp_world *w, sp_body *b);
void sp__journal_free(sp_world *w);

// Parameters: definitions against the list; the param at a path, with *body NULL and *gravity set or not for the world's own.
sp_status sp__check_gravity(sp_error *error, int axis, double value);
sp_status sp__check_contact(sp_error *error, const sp_contact_def *def);
bool sp__find_param(sp_world *w, const char *path, sp_param *out, sp_body **body, sp_gravity **gravity);

// surface_shapes.c: anchors, faces and attributes of an embedded surface, of a triangle mesh or of the body's own boundary
sp_status sp__surface_of_mesh(sp_world *w, sp_body *b, const sp_surface_def *def, sp_surface *out);
sp_status sp__surface_of_boundary(sp_world *w, sp_body *b, const sp_surface_def *def, sp_surface *out);

// Pairs of soft bodies that overlap at the trial state: SP_PAIR_IGNORED and an event where there is a new one.
sp_status sp__pairs_check(sp_world *w);
void sp__pairs_forget(sp_world *w);  // tell of all again
void sp__pairs_free(sp_world *w);

// Snapshots.
sp_status sp__snapshots_reserve(sp_world *w);  // room in all slots that nobody holds
void sp__snapshot_publish(sp_world *w);
void sp__snapshots_free(sp_world *w);

// Tests: the stage fails once, after doing its work. SP_BAD_INPUT for commit and publish, which cannot fail.
sp_status sp__world_inject_failure(sp_world *w, sp_stage stage);

#endif
