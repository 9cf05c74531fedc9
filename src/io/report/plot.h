// Plots: lines, stacked areas and bars on linear or log axes (sp_plot in souple/io.h), several panels below each other.
#ifndef SP_PLOT_H
#define SP_PLOT_H

#include "io/base.h"
#include "util/page.h"

// One SVG element with all panels, at the end of a page; `inside_html`: not a document of its own.
sp_status sp__plots_svg(const sp_plot *plots, int count, bool inside_html, sp_page *page);

// ------------------------------------------------------------------------------------------------ axes

// An axis of a plot: the range of its values, round ticks, and the position of a value in pixels.
enum { SP_TICKS = 24 };

typedef struct sp_axis {
    double low, high;  // log10 of the values on a log axis
    double from, to;   // pixels
    bool log;
    double tick[SP_TICKS];
    int ticks;
    double step;  // between ticks; 0: log
} sp_axis;

sp_axis sp__axis_empty(bool log, double from, double to);
// False for values that are not finite, beyond 1e300, or not positive on a log axis: they are not plotted.
bool sp__axis_takes(const sp_axis *a, double v);
void sp__axis_widen(sp_axis *a, double v);
void sp__axis_finish(sp_axis *a);  // ensures a nonzero range and computes the ticks
double sp__axis_place(const sp_axis *a, double v);
void sp__axis_label(const sp_axis *a, double v, char *out, size_t size);

// ------------------------------------------------------------------------------------------------ canvas

// Canvas of a plot: the few drawing operations it needs, as an SVG document or as pixels (draw.c). Lengths are
// in units of the document, y points down, colours are 0xRRGGBB.
typedef enum sp_draw_align { SP_DRAW_LEFT, SP_DRAW_MIDDLE, SP_DRAW_RIGHT } sp_draw_align;

typedef struct sp_draw_text {
    double x, y;  // start of the baseline
    sp_draw_align align;
    double size;  // font size; 0: 12.5
    bool bold;
    bool turned;  // rotated by 90 degrees about x, y, reading upwards
    unsigned colour;
} sp_draw_text;

typedef struct sp_draw sp_draw;
struct sp_draw {
    void (*line)(sp_draw *d, const double *xy, int n, unsigned colour, double width, bool dashed);
    void (*fill)(sp_draw *d, const double *xy, int n, unsigned colour);
    void (*dot)(sp_draw *d, double x, double y, double radius, unsigned colour);
    void (*text)(sp_draw *d, const sp_draw_text *style, const char *words);
    sp_page *page;       // SVG
    sp_context *ctx;     // pixels
    unsigned char *rgb;  // width x height x 3
    unsigned char *mask;
    int width, height;
    double scale;  // pixels per unit
    bool broken;   // an allocation failed
};

// `inside_html`: an element of an HTML page instead of a separate document. `name`: label for screen readers, nullable.
void sp__draw_svg_begin(sp_draw *d, sp_page *page, int width, int height, bool inside_html, const char *name);
void sp__draw_svg_end(sp_draw *d);

sp_status sp__draw_png_begin(sp_draw *d, sp_context *ctx, int width, int height, double scale);
sp_status sp__draw_png_end(sp_draw *d, const char *path);  // always frees the canvas; path NULL: writes nothing

#endif
