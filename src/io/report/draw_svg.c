// See draw.h: each drawing operation writes one SVG element.
#include "io/report/draw.h"

static void put_points(sp_page *p, const double *xy, int n) {
    for (int i = 0; i < n; i++) {
        sp__page_put(p, i ? "L" : "M", 1);
        sp__page_tenths(p, xy[2 * i]);
        sp__page_put(p, " ", 1);
        sp__page_tenths(p, xy[2 * i + 1]);
    }
}

static void put_number(sp_page *p, const char *name, double value) {
    sp__page_add(p, " %s=\"", name);
    sp__page_tenths(p, value);
    sp__page_put(p, "\"", 1);
}

static void draw_svg_line(sp_draw *d, const double *xy, int n, unsigned colour, double width, bool dashed) {
    sp_page *p = d->page;
    sp__page_add(p, "<path fill=\"none\" stroke=\"#%06x\" stroke-linejoin=\"round\"%s", colour,
                 dashed ? " stroke-dasharray=\"6 4\"" : "");
    put_number(p, "stroke-width", width);
    sp__page_add(p, " d=\"");
    put_points(p, xy, n);
    sp__page_add(p, "\"/>\n");
}

static void draw_svg_fill(sp_draw *d, const double *xy, int n, unsigned colour) {
    sp__page_add(d->page, "<path fill=\"#%06x\" d=\"", colour);
    put_points(d->page, xy, n);
    sp__page_add(d->page, "Z\"/>\n");
}

static void draw_svg_dot(sp_draw *d, double x, double y, double radius, unsigned colour) {
    sp__page_add(d->page, "<circle fill=\"#%06x\"", colour);
    put_number(d->page, "cx", x), put_number(d->page, "cy", y), put_number(d->page, "r", radius);
    sp__page_add(d->page, "/>\n");
}

static void draw_svg_text(sp_draw *d, const sp_draw_text *s, const char *words) {
    static const char *const anchors[] = {"start", "middle", "end"};
    sp_page *p = d->page;
    sp__page_add(p, "<text text-anchor=\"%s\" fill=\"#%06x\"", anchors[s->align], s->colour);
    put_number(p, "x", s->x), put_number(p, "y", s->y);
    if (s->size > 0) put_number(p, "font-size", s->size);
    if (s->bold) sp__page_add(p, " font-weight=\"600\"");
    if (s->turned) {
        sp__page_add(p, " transform=\"rotate(-90 ");
        sp__page_tenths(p, s->x), sp__page_put(p, " ", 1), sp__page_tenths(p, s->y);
        sp__page_add(p, ")\"");
    }
    sp__page_put(p, ">", 1);
    sp__page_escape(p, words);
    sp__page_add(p, "</text>\n");
}

void sp__draw_svg_begin(sp_draw *d, sp_page *page, int width, int height, bool inside_html, const char *name) {
    *d = (sp_draw){
        .line = draw_svg_line, .fill = draw_svg_fill, .dot = draw_svg_dot, .text = draw_svg_text, .page = page, .ctx = page->ctx};
    sp__page_add(page, "<svg%s viewBox=\"0 0 %d %d\" role=\"img\"", inside_html ? "" : " xmlns=\"http://www.w3.org/2000/svg\"",
                 width, height);
    if (!inside_html) sp__page_add(page, " width=\"%d\" height=\"%d\"", width, height);
    sp__page_add(page, " font-family=\"Helvetica, Arial, sans-serif\" font-size=\"12.5\">\n");
    if (name) {
        sp__page_add(page, "<title>");
        sp__page_escape(page, name);
        sp__page_add(page, "</title>\n");
    }
    sp__page_add(page, "<rect width=\"%d\" height=\"%d\" fill=\"#ffffff\"/>\n", width, height);
}

void sp__draw_svg_end(sp_draw *d) {
    sp__page_add(d->page, "</svg>\n");
}
