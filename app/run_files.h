// What a run leaves in the folder of --out, and its plots: files.txt (what it writes), source.xml (the scene as it was given) and
// scene.txt (every value in use) at its start, steps.csv while it runs; picture.png and summary.json at its end. `souple report`
// reads them.
#ifndef SP_RUN_FILES_H
#define SP_RUN_FILES_H

#include "plots.h"
#include "steps.h"
#include "summary.h"

// Names of the files that every run writes, and of the report; NULL past the end.
const char *sp__run_file_at(int index);
// The first record of the scene that has such a name, which it may not; NULL: none.
const char *sp__run_record_taken(const sp_scene *scene);

// The scene's own text beside its results. False: `why`.
bool sp__run_keep_source(const char *scene_path, const char *folder, char *why, size_t size);

// Plots of all steps and probes so far. False: `why` says what went wrong.
bool sp__run_plot(const sp_steps *steps, const sp_session *session, const char *path, char *why, size_t size);
// Samples of a probe of a run that has ended: time, then its numbers. False: no memory.
bool sp__run_probe_trace(const sp_run *run, int probe, sp_trace *out);

#endif
