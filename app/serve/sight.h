// What was sent to one reader of frames, and the messages that update it: topology of new surfaces, then surfaces that moved.
// Each client has such a record, and each recording.
#ifndef SP_SERVE_SIGHT_H
#define SP_SERVE_SIGHT_H

#include "serve/sim.h"

typedef struct sp_seen {
    uint32_t body, surface, revision;
    uint64_t moved;   // number of the positions sent last; 0: none
    uint64_t values;  // mark of the values sent last; 0: none
} sp_seen;

typedef struct sp_sight {
    unsigned roles;  // SP_ROLE_ bits
    int colour;      // code of a field, 0: none
    bool all;        // send all surfaces, moved or not
    uint32_t generation;
    uint32_t dropped;
    uint64_t number;  // of the frame sent last
    sp_seen *seen;
    int count, capacity;
} sp_sight;

// Writes one topology message that must be sent first to `out`; false: none is missing.
bool sp__sight_topology(sp_sight *s, const sp_sim_frame *frame, sp_buffer *out);
// Writes the state message.
void sp__sight_state(sp_sight *s, const sp_sim_frame *frame, sp_buffer *out);
void sp__sight_forget(sp_sight *s);  // marks everything as not sent
void sp__sight_free(sp_sight *s);

#endif
