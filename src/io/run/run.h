// What a run looks like to the rest of the io library: the looks of its bodies, for pictures.
#ifndef SP_RUN_H
#define SP_RUN_H

#include "souple/io.h"

// Source of the edits that a scene's own events make. The scene makes them again on replay, so edit logs leave them out.
#define SP_RUN_EVENT_SOURCE 0xFFFF0000u

typedef struct sp_run_look {
    double color[3];  // in [0, 1]
    double opacity;   // in [0, 1]
    double roughness, metallic;
    bool edges;
} sp_run_look;

// Look of a body by the slot of its id; false where the scene gives none (out is then a default look).
bool sp__run_look(const sp_run *run, uint32_t slot, sp_run_look *out);

#endif
