// Plots of what a bench measured, as SVG, with the numbers beside them as CSV.
#ifndef SP_BENCH_PLOT_H
#define SP_BENCH_PLOT_H

#include "io/report/plot.h"

// Makes folder/name.svg and folder/name.csv (series, x, y); says on stderr what went wrong.
sp_status sp__plot_write(const sp_plot *plot, const char *folder, const char *name);

#endif
