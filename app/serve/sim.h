// The simulation of a viewer: a thread that owns a run, plays it in real time and takes commands from a mailbox.
//
//     network thread                                  simulation thread
//       post ---------> mailbox (bounded) ------------> commands, then a step
//       note_take <---- notes: answers, events <------- after each
//       hello, text <-- the latest hello, stats, marks
//       frame_acquire <- newest frame: a snapshot with the displayed fields, in reference-counted slots
//
// The simulation thread never waits for readers: data that is read too slowly is replaced by newer data. Only when the run is
// replaced does it wait until the frame that is being written to a socket buffer is released.
#ifndef SP_SERVE_SIM_H
#define SP_SERVE_SIM_H

#include "serve/gallery.h"
#include "serve/wire.h"

typedef struct sp_sim sp_sim;

typedef struct sp_sim_def {
    const sp_gallery *gallery;  // must outlive the simulation, like all pointers below
    int scene;                  // initial scene; -1: none, a client chooses
    const char *const *sets;
    int set_count;
    const char *const *allow;
    int allow_count;
    int threads;          // 0: one per core
    const char *backend;  // nullable
    const char *out;      // folder for recordings, logs and scenes; created when needed
    bool playing;
    void (*wake)(void *user);  // new data is available; called by the simulation thread. Nullable
    void *user;
} sp_sim_def;

// Starts the thread. On error returns NULL with `why` (room for SP_SIM_WHY).
enum { SP_SIM_WHY = 400 };
sp_sim *sp__sim_start(const sp_sim_def *def, char *why);
void sp__sim_stop(sp_sim **sim);  // accepts NULL

// ---- input: commands

// False: the mailbox is full. The answer is a note to the client.
bool sp__sim_post(sp_sim *sim, uint32_t client, const sp_message *message);
// A client has left: its drags are released.
void sp__sim_leave(sp_sim *sim, uint32_t client);
// Requested data: bits 1 << code of the fields, and whether marks are needed.
void sp__sim_want(sp_sim *sim, unsigned fields, bool marks);

// ---- output: texts

// The next note: a complete JSON message, for one client or for all (*client = 0). False: none. `out` is overwritten.
bool sp__sim_next_message(sp_sim *sim, uint32_t *client, sp_buffer *out);
// Appends the content of "hello" without its opening bracket and the part of the server to `out`; returns its generation.
uint32_t sp__sim_hello(sp_sim *sim, sp_buffer *out);
// Appends the latest text of a kind if it is newer than number `than`; returns its number. Stats lack the closing bracket.
typedef enum sp_sim_text { SP_SIM_STATS, SP_SIM_MARKS, SP_SIM_TEXTS } sp_sim_text;
uint64_t sp__sim_text(sp_sim *sim, sp_sim_text kind, uint64_t than, sp_buffer *out);
uint32_t sp__sim_generation(sp_sim *sim);

// ---- output: frames

// The range of the values of a field on one surface: computed once per frame, for all clients.
typedef struct sp_value_range {
    uint64_t mark;          // changes with the values; never 0
    float least, greatest;  // NaN: there are no finite values
} sp_value_range;

typedef struct sp_sim_frame {
    uint32_t generation;
    uint64_t number;  // from 1, ascending through all generations
    const sp_snapshot *snapshot;
    // values of a field at the vertices of all surfaces, concatenated, the boundary of a body before its embedded surfaces; NULL:
    // not requested when the frame was made
    const float *fields[SP_FIELD_CODES];
    const sp_value_range *ranges[SP_FIELD_CODES];  // the same, one per surface
} sp_sim_frame;

const sp_sim_frame *sp__sim_acquire(sp_sim *sim);  // the newest; NULL: none
void sp__sim_release(sp_sim *sim, const sp_sim_frame *frame);

// ---- queries, from any thread

typedef struct sp_sim_state {
    uint32_t generation;
    bool playing, failed;
    uint64_t step, hash, steps_made;  // total over all generations
    double time;
} sp_sim_state;

void sp__sim_state(sp_sim *sim, sp_sim_state *out);  // for tests

#endif
