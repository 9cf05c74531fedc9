// The table of a run's steps: time, milliseconds by stage, iterations, residual, energies. Written to steps.csv while it runs,
// and kept in short for plots.
#ifndef SP_STEPS_H
#define SP_STEPS_H

#include "common/trace.h"
#include "run/summary.h"

typedef struct sp_steps {
    sp_trace trace;
    double *row;
    int bodies[16];  // that have a solver, by their number: columns of their own where they are several
    int body_count;
    FILE *file;       // nullable: no file
    double flush_ms;  // when others shall see the rows so far
} sp_steps;

// `path`: steps.csv, or NULL. False: errno says why.
bool sp__steps_start(sp_steps *s, const sp_session *session, const char *path);
void sp__steps_add(sp_steps *s, const sp_session *session, const sp_summary *summary);  // after a step that it has counted
// Close the file. False: it could not be written whole.
bool sp__steps_finish(sp_steps *s);
void sp__steps_free(sp_steps *s);

// Plots of all steps and probes so far. False: `why` says what went wrong.
bool sp__steps_plot(const sp_steps *steps, const sp_session *session, const char *path, char *why, size_t size);

#endif
