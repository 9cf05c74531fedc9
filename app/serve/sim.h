// The simulation of a viewer: a thread of its own that owns a run, plays it against the clock and takes commands from a mailbox.
//
//     network thread                                  simulation thread
//       post ---------> mailbox (bounded) ------------> commands, then a step
//       note_take <---- notes: answers, events <------- after each
//       hello, text <-- the latest hello, stats, marks
//       frame_acquire <- newest frame: a snapshot with the fields that somebody shows, in counted slots
//
// The simulation thread waits for nobody: what is read too slowly is replaced by something newer. Only where the whole run is
// replaced does it wait until a frame that is being written to a socket buffer has been let go.
#ifndef SP_SERVE_SIM_H
#define SP_SERVE_SIM_H

#include "serve/gallery.h"
#include "serve/wire.h"

typedef struct sp_sim sp_sim;

typedef struct sp_sim_def {
    const sp_gallery *gallery;  // outlives the simulation, as all below
    int scene;                  // to begin with; -1: none, somebody shall choose
    const char *const *sets;
    int set_count;
    const char *const *allow;
    int allow_count;
    int threads;          // 0: one per core
    const char *backend;  // nullable
    const char *out;      // folder for recordings, logs and scenes; made when it is needed
    bool playing;
    void (*wake)(void *user);  // something can be taken; called by the simulation thread. Nullable
    void *user;
} sp_sim_def;

// Starts the thread. What cannot be built is told in `why` (room for SP_SIM_WHY) and nothing is left behind.
enum { SP_SIM_WHY = 400 };
sp_sim *sp__sim_start(const sp_sim_def *def, char *why);
void sp__sim_stop(sp_sim **sim);  // accepts NULL

// ---- commands in

// False: too many wait. The answer is a note to the client.
bool sp__sim_post(sp_sim *sim, uint32_t client, const sp_message *message);
// A client has gone: all that it drags is let go.
void sp__sim_leave(sp_sim *sim, uint32_t client);
// What somebody shows: bits 1 << code of the fields, and whether marks are wanted.
void sp__sim_want(sp_sim *sim, unsigned fields, bool marks);

// ---- texts out

// The next note: a whole JSON message, for one client or for all (*client = 0). False: none. `out` is overwritten.
bool sp__sim_note(sp_sim *sim, uint32_t *client, sp_bytes *out);
// The inside of "hello" without its opening bracket and what the server adds; returns its generation. Appended to `out`.
uint32_t sp__sim_hello(sp_sim *sim, sp_bytes *out);
// The latest text of a kind, appended where it is newer than number `than`; returns its number. Stats lack the closing bracket.
typedef enum sp_sim_text { SP_SIM_STATS, SP_SIM_MARKS, SP_SIM_TEXTS } sp_sim_text;
uint64_t sp__sim_text(sp_sim *sim, sp_sim_text kind, uint64_t than, sp_bytes *out);
uint32_t sp__sim_generation(sp_sim *sim);

// ---- frames out

// The values of a field on one surface: made once a frame, for all clients.
typedef struct sp_value_range {
    uint64_t mark;          // another number where values differ; never 0
    float least, greatest;  // NaN: there are no numbers
} sp_value_range;

typedef struct sp_sim_frame {
    uint32_t generation;
    uint64_t number;  // from 1, rising through all generations
    const sp_snapshot *snapshot;
    // values of a field at the vertices of all surfaces, one after the other, a body's own boundary before those that ride on it;
    // NULL: not wanted when the frame was made
    const float *fields[SP_FIELD_CODES];
    const sp_value_range *ranges[SP_FIELD_CODES];  // likewise, one per surface
} sp_sim_frame;

const sp_sim_frame *sp__sim_acquire(sp_sim *sim);  // the newest; NULL: none
void sp__sim_release(sp_sim *sim, const sp_sim_frame *frame);

// ---- looking, from any thread

typedef struct sp_sim_state {
    uint32_t generation;
    bool playing, failed;
    uint64_t step, hash, steps_made;  // steps made through all generations
    double time;
} sp_sim_state;

void sp__sim_state(sp_sim *sim, sp_sim_state *out);

#endif
