// What was sent to one reader of frames, and the messages that update it: topology of new surfaces, then surfaces that moved.
// Each client has such a record.
#ifndef SP_SERVE_CLIENT_VIEW_H
#define SP_SERVE_CLIENT_VIEW_H

#include "serve/sim.h"

typedef struct sp_seen {
    uint32_t body, surface, revision;
    uint64_t moved;   // number of the positions sent last; 0: none
    uint64_t values;  // mark of the values sent last; 0: none
} sp_seen;

typedef struct sp_client_view {
    uint32_t client;     // number
    sp_clip_plane clip;  // normal 0 0 0: none
    unsigned roles;      // SP_ROLE_ bits
    int colour;          // code of a field, 0: none
    bool contacts;       // frames have contacts
    uint32_t generation;
    uint32_t dropped;
    uint64_t number;  // of the frame sent last
    sp_seen *seen;
    int count, capacity;
} sp_client_view;

// Writes one topology message that must be sent first to `out`; false: none is missing.
bool sp__client_view_topology(sp_client_view *s, const sp_sim_frame *frame, sp_buffer *out);
// Writes the state message.
void sp__client_view_state(sp_client_view *s, const sp_sim_frame *frame, sp_buffer *out);
void sp__client_view_free(sp_client_view *s);

#endif
