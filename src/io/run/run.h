// What a run looks like to the rest of the io library and to the command: the looks of its bodies, for pictures; what probes are
// called, for tables and plots.
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
// Of a surface that rides on it, by its number (as in sp_snapshot_body): its own, or the body's.
bool sp__run_surface_look(const sp_run *run, uint32_t slot, int surface, sp_run_look *out);

// Goes on from where another run of the same scene stands, which may differ in what moves no node: time step, solver, threads,
// what is recorded. Refused, and `run` not to be used, where the bodies are others.
sp_status sp__run_adopt(sp_run *run, sp_run *from);

// What a number of a probe is called, "position.x", and its unit.
void sp__run_probe_column(const sp_run *run, int probe, int column, char *out, size_t size, const char **unit);

// Edits as lines of a log (edit_log.c): which are kept, and the line with its end.
enum { SP_EDIT_LINE = 1024 };
bool sp__edit_kept(const sp_edit *edit);
void sp__edit_text(char *out, size_t size, uint64_t step, const sp_edit *edit);

#endif
