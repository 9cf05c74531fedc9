// What one reader of frames has seen so far, and the messages that bring it up to date: topology of what is new to it, then the
// surfaces that moved. A client has one, a recording too.
#ifndef SP_SERVE_SIGHT_H
#define SP_SERVE_SIGHT_H

#include "serve/sim.h"

typedef struct sp_seen {
    uint32_t body, surface, revision;
    uint64_t mark;  // of positions and values sent last; 0: none
} sp_seen;

typedef struct sp_sight {
    unsigned roles;  // SP_SHOW_ bits
    int colour;      // code of a field, 0: none
    bool all;        // send all surfaces, moved or not
    uint32_t generation;
    uint32_t dropped;
    uint64_t number;  // of the frame sent last
    sp_seen *seen;
    int count, capacity;
} sp_sight;

// One topology message that must go first, written to `out`; false: none is missing.
bool sp__sight_topology(sp_sight *s, const sp_sim_frame *frame, sp_bytes *out);
// The state message.
void sp__sight_state(sp_sight *s, const sp_sim_frame *frame, sp_bytes *out);
void sp__sight_forget(sp_sight *s);  // everything is new again
void sp__sight_free(sp_sight *s);

// A surface of a snapshot by its number: 0 the boundary of the body, 1.. what rides on it.
typedef struct sp_surface_view {
    const char *name;
    unsigned roles;  // SP_SHOW_ bits
    uint32_t revision;
    int vertex_count, face_count;
    const float *positions;
    const uint32_t *faces;
    const int *nodes;
    const float *colours;
    const unsigned char *stripes;
    const sp_anchor *anchors;  // of what rides
} sp_surface_view;

void sp__surface_view(const sp_snapshot_body *body, int surface, sp_surface_view *out);

#endif
