// Internal interface of a run for the io library and the command: looks of the bodies, for pictures; column names of probes, for
// tables and plots.
#ifndef SP_RUN_H
#define SP_RUN_H

#include "souple/io.h"

// Source of the edits by events of the scene. A replay repeats these events, so edit logs leave the edits out.
#define SP_RUN_EVENT_SOURCE 0xFFFF0000u

typedef struct sp_run_look {
    double color[3];  // in [0, 1]
    double opacity;   // in [0, 1]
    double roughness, metallic;
    bool edges;
} sp_run_look;

// Look of a body by the slot of its id; false: the scene gives none, and out is a default look.
bool sp__run_look(const sp_run *run, uint32_t slot, sp_run_look *out);
// Look of an embedded surface by its index (as in sp_snapshot_body): its own, or that of the body.
bool sp__run_surface_look(const sp_run *run, uint32_t slot, int surface, sp_run_look *out);

// Continues from the state of another run of the same scene. The runs may differ in settings that do not move nodes: time step,
// solver, threads, records. Fails if the bodies differ; `run` is unusable then.
sp_status sp__run_adopt(sp_run *run, sp_run *from);

// Name of a probe column, "position.x", and its unit.
void sp__run_probe_column(const sp_run *run, int probe, int column, char *out, size_t size, const char **unit);

// Edits as lines of a log (edit_log.c): which edits are logged, and the line with its newline.
enum { SP_EDIT_LINE = 1024 };
bool sp__edit_kept(const sp_edit *edit);
void sp__edit_text(char *out, size_t size, uint64_t step, const sp_edit *edit);

// Does the body list a field of this name? Asking leaves no error record.
bool sp__run_has_field(sp_world *world, sp_body_id id, const char *field);

#endif
