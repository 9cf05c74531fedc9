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
    sp_gallery *gallery;    // must outlive the simulation, like all pointers below; scenes that clients send are added
    int scene;              // initial scene; -1: none, a client chooses
    const char *recording;  // shown instead of a scene; nullable
    const char *const *sets;
    int set_count;
    const char *const *allow;
    int allow_count;
    int threads;          // 0: one per core
    const char *backend;  // nullable
    const char *resume;   // checkpoint file of the initial scene, from which it begins; a reset begins without it. Nullable
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
// A scene as text, in `name`: letters, digits, '.', '-' and '_', ending with ".xml". False: the mailbox is full, or no memory.
enum { SP_UPLOAD_NAME = 60, SP_UPLOAD_MAX = 4 << 20 };
bool sp__sim_post_scene(sp_sim *sim, uint32_t client, const char *name, const char *text, size_t size);
// A client has left: its drags are released.
void sp__sim_leave(sp_sim *sim, uint32_t client);
// The clipping plane of a client, and the field (code) that colours the cross sections.
enum { SP_CUTS_MAX = 64, SP_SECTIONS_MAX = 8 };  // clients with a plane; different planes
typedef struct sp_sim_cut {
    uint32_t client;
    int colour;
    sp_clip_plane plane;
} sp_sim_cut;

// Requested data: bits 1 << code of the fields, whether marks are needed, planes.
typedef struct sp_sim_want {
    unsigned fields;
    bool marks;
    int cut_count;
    sp_sim_cut cuts[SP_CUTS_MAX];
} sp_sim_want;

void sp__sim_want(sp_sim *sim, const sp_sim_want *want);
bool sp__cuts_equal(const sp_sim_cut *a, const sp_sim_cut *b);  // the same plane and field

// ---- output: texts

// The next note: a complete JSON message, for one client or for all (*client = 0). False: none. `out` is overwritten.
bool sp__sim_next_message(sp_sim *sim, uint32_t *client, sp_buffer *out);
// Appends the content of "hello" without its opening bracket and the part of the server to `out`; returns its generation.
uint32_t sp__sim_hello(sp_sim *sim, sp_buffer *out);
// Appends the latest text of a kind if it is newer than number `than`; returns its number. Stats lack the closing bracket.
typedef enum sp_sim_text { SP_SIM_STATS, SP_SIM_MARKS, SP_SIM_TEXTS } sp_sim_text;
uint64_t sp__sim_text(sp_sim *sim, sp_sim_text kind, uint64_t than, sp_buffer *out);
// Appends the samples of probes after the place `from` of a client; returns its next place. 0: from the first sample on.
uint64_t sp__sim_samples(sp_sim *sim, uint32_t generation, uint64_t from, sp_buffer *out);
uint32_t sp__sim_generation(sp_sim *sim);

// ---- output: frames

// The range of the values of a field on one surface: computed once per frame, for all clients.
typedef struct sp_value_range {
    uint64_t mark;          // changes with the values; never 0
    float least, greatest;  // NaN: there are no finite values
} sp_value_range;

// The cross sections of all bodies with one plane: computed once per frame, for all clients with this plane and field.
typedef struct sp_sim_section {
    sp_sim_cut cut;
    sp_frame_section *list;
    int count;
    float least, greatest;  // of the values; NaN: there are no finite values
} sp_sim_section;

typedef struct sp_sim_frame {
    uint32_t generation;
    uint64_t number;  // from 1, ascending through all generations
    const sp_snapshot *snapshot;
    const sp_recording_frame *at;  // step, time and hash of a recorded state; NULL: those of the snapshot
    // values of a field at the vertices of all surfaces, concatenated, the boundary of a body before its embedded surfaces; NULL:
    // not requested when the frame was made
    const float *fields[SP_FIELD_CODES];
    const sp_value_range *ranges[SP_FIELD_CODES];  // the same, one per surface
    // cross sections: those of a client are sections[section_of[i]] with cuts[i].client
    int cut_count;
    sp_sim_cut cuts[SP_CUTS_MAX];
    int section_of[SP_CUTS_MAX];
    const sp_sim_section *sections;
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
