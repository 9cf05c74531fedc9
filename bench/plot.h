// Line plots of what a bench measured, as SVG, with the numbers beside them as CSV.
#ifndef SP_PLOT_H
#define SP_PLOT_H

#include <stdbool.h>

#include "souple/base.h"

typedef struct sp_series {
    const char *name;
    const double *x, *y;  // what is not finite, or not positive on a log axis, is left out
    int count;
    bool marks;  // a dot at every point
    bool dashed;
} sp_series;

typedef struct sp_plot {
    const char *title, *x_label, *y_label;
    bool log_x, log_y;
    const sp_series *series;
    int series_count;
} sp_plot;

// Makes folder/name.svg and folder/name.csv (series, x, y); says on stderr what went wrong.
sp_status sp__plot_write(const sp_plot *plot, const char *folder, const char *name);

#endif
