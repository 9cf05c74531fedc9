// The plots of a run, from the table of its steps and the samples of its probes: used by `souple run --plot` and by the report.
#ifndef SP_PLOTS_H
#define SP_PLOTS_H

#include "common/trace.h"
#include "souple/io.h"

typedef struct sp_plot_set {
    sp_plot plots[SP_PLOT_PANELS];
    int count;
    int left_out;  // panels over the capacity
    void *owned;   // arrays and texts of the plots
    bool broken;   // no memory
} sp_plot_set;

// Step time by stage, iterations, residual, energy: for the columns that the table has.
void sp__plots_of_steps(sp_plot_set *set, const sp_trace *steps);
// One panel per quantity. The first column is the time; the names of the others look like "position.x [m]".
void sp__plots_of_probe(sp_plot_set *set, const char *name, const sp_trace *samples);
void sp__plots_free(sp_plot_set *set);

// Memory and text with the lifetime of the set; NULL: no memory, and the set is broken.
void *sp__plots_keep(sp_plot_set *set, size_t n, size_t size);
char *sp__plots_text(sp_plot_set *set, const char *format, ...) SP_PRINTF(2, 3);
// A new panel; NULL: the set is full, which is counted.
sp_plot *sp__plots_add(sp_plot_set *set);

#endif
