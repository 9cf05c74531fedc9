// The plots of a run, from the table of its steps and the samples of its probes: what `souple run --plot` draws and a report
// shows.
#ifndef SP_PLOTS_H
#define SP_PLOTS_H

#include "common/trace.h"
#include "io/report/plot.h"

typedef struct sp_plot_set {
    sp_plot plots[SP_PLOT_PANELS];
    int count;
    int left_out;  // panels that found no room
    void *owned;   // arrays and texts of the plots
    bool broken;   // no memory
} sp_plot_set;

// Step time by stage, iterations, residual, energy: what the table has columns for.
void sp__plots_of_steps(sp_plot_set *set, const sp_trace *steps);
// A panel for each quantity. The first column is the time; others are called "position.x [m]".
void sp__plots_of_probe(sp_plot_set *set, const char *name, const sp_trace *samples);
void sp__plots_free(sp_plot_set *set);

// Memory and text that live as long as the set; NULL: no memory, and the set is broken.
void *sp__plots_keep(sp_plot_set *set, size_t n, size_t size);
char *sp__plots_text(sp_plot_set *set, const char *format, ...) SP_PRINTF(2, 3);
// Room for a panel; NULL: there is none, which is counted.
sp_plot *sp__plots_add(sp_plot_set *set);

#endif
