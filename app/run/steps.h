// The table of steps of a run: time, milliseconds by stage, iterations, residual, energies. Written to steps.csv during the run,
// and kept in reduced form for plots.
#ifndef SP_STEPS_H
#define SP_STEPS_H

#include "common/trace.h"
#include "run/summary.h"

typedef struct sp_steps {
    sp_trace trace;
    double *row;
    int bodies[16];  // bodies with a solver, by index: they have their own columns if there are several
    int body_count;
    FILE *file;       // nullable: no file
    double flush_ms;  // time of the next flush, so that other programs see the rows
} sp_steps;

// `path`: steps.csv, or NULL. False: see errno.
bool sp__steps_start(sp_steps *s, const sp_session *session, const char *path);
void sp__steps_add(sp_steps *s, const sp_session *session, const sp_summary *summary);  // after `summary` counted the step
// Closes the file. False: a write failed.
bool sp__steps_finish(sp_steps *s);
void sp__steps_free(sp_steps *s);

// Plots of all steps and probes so far. False: see `why`.
bool sp__steps_plot(const sp_steps *steps, const sp_session *session, const char *path, char *why, size_t size);

#endif
