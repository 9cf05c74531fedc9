// Plots of bench results as SVG, with their data as CSV.
#ifndef SP_BENCH_PLOT_H
#define SP_BENCH_PLOT_H

#include "souple/extension.h"
#include "souple/io.h"

// Writes folder/name.svg and folder/name.csv (series, x, y); prints errors to stderr.
sp_status sp__bench_plot(const sp_plot *plot, const char *folder, const char *name);

#endif
