// Plots: lines, stacked areas and bars on linear or log axes, as SVG or PNG, with several panels in one file, one below the
// other.
#ifndef SP_PLOT_H
#define SP_PLOT_H

#include "io/report/page.h"

typedef struct sp_plot_series {
    const char *name;
    const double *x, *y;  // values that are not finite, or not positive on a log axis, are left out
    int count;
    bool marks;  // a dot at every point
    bool dashed;
} sp_plot_series;

typedef enum sp_plot_kind {
    SP_PLOT_LINES,
    SP_PLOT_STACKED,  // areas on top of each other; all series share the x of the first one
    SP_PLOT_BARS      // groups side by side; x is not used
} sp_plot_kind;

typedef struct sp_plot {
    const char *title, *x_label, *y_label;
    bool log_x, log_y;
    const sp_plot_series *series;
    int series_count;
    sp_plot_kind kind;
    bool free_y;                // lines: the y axis may exclude zero
    const char *const *labels;  // bars: label below each group
} sp_plot;

enum { SP_PLOT_WIDTH = 860, SP_PLOT_HEIGHT = 430, SP_PLOT_PANELS = 64 };

// Appends one SVG element with all panels to a page.
sp_status sp__plots_svg(const sp_plot *plots, int count, bool inside_html, sp_page *page);
// Writes a .svg or .png file, by the suffix. Errors are in the context.
sp_status sp__plots_write(sp_context *ctx, const sp_plot *plots, int count, const char *path);
// Whether sp__plots_write supports the suffix.
bool sp__plots_suffix(const char *path);

#endif
