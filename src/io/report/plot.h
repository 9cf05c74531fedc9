// Plots: lines, stacked areas and bars on linear or log axes, as SVG or PNG, several panels below each other in one file.
#ifndef SP_PLOT_H
#define SP_PLOT_H

#include "io/report/page.h"

typedef struct sp_plot_series {
    const char *name;
    const double *x, *y;  // what is not finite, or not positive on a log axis, is left out
    int count;
    bool marks;  // a dot at every point
    bool dashed;
} sp_plot_series;

typedef enum sp_plot_kind {
    SP_PLOT_LINES,
    SP_PLOT_STACKED,  // areas on top of each other; every series has the x of the first one
    SP_PLOT_BARS      // groups side by side; x is not used
} sp_plot_kind;

typedef struct sp_plot {
    const char *title, *x_label, *y_label;
    bool log_x, log_y;
    const sp_plot_series *series;
    int series_count;
    sp_plot_kind kind;
    bool free_y;                // lines: the y axis need not hold zero
    const char *const *labels;  // bars: what stands below each group
} sp_plot;

enum { SP_PLOT_WIDTH = 860, SP_PLOT_HEIGHT = 430, SP_PLOT_PANELS = 64 };

// One SVG element with all panels, at the end of a page.
sp_status sp__plots_svg(const sp_plot *plots, int count, bool inside_html, sp_page *page);
// A file by its suffix, .svg or .png. Errors are in the context.
sp_status sp__plots_write(sp_context *ctx, const sp_plot *plots, int count, const char *path);
// Is that a file that sp__plots_write can make?
bool sp__plots_suffix(const char *path);

#endif
