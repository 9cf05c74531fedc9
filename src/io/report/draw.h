// Canvas of a plot: the few drawing operations it needs, as an SVG document (draw_svg.c) or as pixels (draw_png.c). Lengths are
// in units of the document, y points down, colours are 0xRRGGBB.
#ifndef SP_DRAW_H
#define SP_DRAW_H

#include "io/base.h"
#include "util/page.h"

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
