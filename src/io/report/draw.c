// The canvas of a plot as an SVG document or as pixels.
#include "io/report/plot.h"

#include "io/picture/picture.h"

// =========================================================================================================== SVG

// Each drawing operation writes one SVG element.

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

// ======================================================================================================== pixels

// A shape first fills a coverage mask, by distance for lines and by quarter rows for areas. The mask is then blended once, so
// that overlapping pieces of a line do not get darker.

typedef struct box {
    int x0, y0, x1, y1;  // pixels; x1 and y1 are exclusive
} box;

static box make_box(const sp_draw *d, double x0, double y0, double x1, double y1) {
    box b = {(int)fmin(fmax(floor(x0), 0), d->width), (int)fmin(fmax(floor(y0), 0), d->height),
             (int)fmin(fmax(ceil(x1), 0), d->width), (int)fmin(fmax(ceil(y1), 0), d->height)};
    return b;
}

static box box_of(const sp_draw *d, const double *xy, int n, double reach) {
    double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
    for (int i = 0; i < 2 * n; i++) low[i % 2] = fmin(low[i % 2], xy[i]), high[i % 2] = fmax(high[i % 2], xy[i]);
    double s = d->scale;
    return make_box(d, s * low[0] - reach, s * low[1] - reach, s * high[0] + reach, s * high[1] + reach);
}

static unsigned char *mask_at(const sp_draw *d, int x, int y) {
    return d->mask + (size_t)y * (size_t)d->width + (size_t)x;
}

// blends the colour with the mask and clears the mask
static void draw_png_blend(sp_draw *d, const box *b, unsigned colour) {
    const double ink[3] = {colour >> 16 & 255, colour >> 8 & 255, colour & 255};
    for (int y = b->y0; y < b->y1; y++)
        for (int x = b->x0; x < b->x1; x++) {
            unsigned char *m = mask_at(d, x, y), *out = d->rgb + 3 * ((size_t)y * (size_t)d->width + (size_t)x);
            double c = *m / 255.0;
            for (int i = 0; *m && i < 3; i++) out[i] = (unsigned char)(out[i] * (1 - c) + ink[i] * c + 0.5);
            *m = 0;
        }
}

// ---- lines

static double draw_png_distance(const double *a, const double *b, double x, double y) {
    double dx = b[0] - a[0], dy = b[1] - a[1], len = dx * dx + dy * dy;
    double t = len > 0 ? ((x - a[0]) * dx + (y - a[1]) * dy) / len : 0;
    t = fmin(fmax(t, 0), 1);
    return hypot(x - a[0] - t * dx, y - a[1] - t * dy);
}

// a, b in pixels
static void cover_segment(sp_draw *d, const double *a, const double *b, double half) {
    double reach = half + 1;
    box in = make_box(d, fmin(a[0], b[0]) - reach, fmin(a[1], b[1]) - reach, fmax(a[0], b[0]) + reach, fmax(a[1], b[1]) + reach);
    for (int y = in.y0; y < in.y1; y++)
        for (int x = in.x0; x < in.x1; x++) {
            double c = half + 0.5 - draw_png_distance(a, b, x + 0.5, y + 0.5);
            unsigned char v = (unsigned char)(255 * fmin(fmax(c, 0), 1) + 0.5), *m = mask_at(d, x, y);
            if (v > *m) *m = v;
        }
}

// covers the dashes of a segment that starts `at` units along its line: 6 on, 4 off
static void cover_dashes(sp_draw *d, const double *a, const double *b, double half, double at) {
    double s = d->scale, length = hypot(b[0] - a[0], b[1] - a[1]) / s;
    if (!(length > 0)) return;
    for (double t = -fmod(at, 10); t < length; t += 10) {
        double from = fmax(t, 0) / length, to = fmin(t + 6, length) / length;
        if (to <= from) continue;
        double p[2] = {a[0] + from * (b[0] - a[0]), a[1] + from * (b[1] - a[1])};
        double q[2] = {a[0] + to * (b[0] - a[0]), a[1] + to * (b[1] - a[1])};
        cover_segment(d, p, q, half);
    }
}

static void draw_png_line(sp_draw *d, const double *xy, int n, unsigned colour, double width, bool dashed) {
    double half = fmax(0.5 * width * d->scale, 0.5), s = d->scale, at = 0;
    box b = box_of(d, xy, n, half + 2);
    for (int i = 1; i < n; i++) {
        double p[2] = {s * xy[2 * i - 2], s * xy[2 * i - 1]}, q[2] = {s * xy[2 * i], s * xy[2 * i + 1]};
        if (dashed)
            cover_dashes(d, p, q, half, at);
        else
            cover_segment(d, p, q, half);
        at += hypot(q[0] - p[0], q[1] - p[1]) / s;
    }
    draw_png_blend(d, &b, colour);
}

static void draw_png_dot(sp_draw *d, double x, double y, double radius, unsigned colour) {
    double p[2] = {x * d->scale, y * d->scale}, reach = radius * d->scale + 2;
    box b = make_box(d, p[0] - reach, p[1] - reach, p[0] + reach, p[1] + reach);
    cover_segment(d, p, p, radius * d->scale);
    draw_png_blend(d, &b, colour);
}

// ---- areas

static void sort(double *a, int n) {
    for (int i = 1; i < n; i++) {
        double v = a[i];
        int k = i;
        for (; k > 0 && a[k - 1] > v; k--) a[k] = a[k - 1];
        a[k] = v;
    }
}

// intersections of the outline with a line of constant y [pixels], for the even-odd rule
static int crossings(const sp_draw *d, const double *xy, int n, double y, double *out) {
    int count = 0;
    for (int i = 0; i < n; i++) {
        const double *a = xy + 2 * i, *b = xy + 2 * ((i + 1) % n);
        double ya = d->scale * a[1], yb = d->scale * b[1];
        if ((ya <= y) == (yb <= y)) continue;
        out[count++] = d->scale * (a[0] + (y - ya) / (yb - ya) * (b[0] - a[0]));
    }
    sort(out, count);
    return count;
}

static void cover_span(sp_draw *d, const box *b, int y, double from, double to, double share) {
    int x0 = (int)fmax(floor(from), b->x0), x1 = (int)fmin(ceil(to), b->x1);
    for (int x = x0; x < x1; x++) {
        double part = fmin(to, x + 1.0) - fmax(from, x);
        unsigned char *m = mask_at(d, x, y);
        *m = (unsigned char)fmin(255, *m + 255 * share * fmax(part, 0) + 0.25);
    }
}

static void draw_png_fill(sp_draw *d, const double *xy, int n, unsigned colour) {
    enum { ROWS = 4 };  // sub-rows per row of pixels
    double *at;
    box b = box_of(d, xy, n, 1);
    if (!SP_NEW(d->ctx, at, n + 1)) {
        d->broken = true;
        return;
    }
    for (int y = b.y0; y < b.y1; y++)
        for (int k = 0; k < ROWS; k++) {
            int count = crossings(d, xy, n, y + (k + 0.5) / ROWS, at);
            for (int i = 0; i + 1 < count; i += 2) cover_span(d, &b, y, at[i], at[i + 1], 1.0 / ROWS);
        }
    draw_png_blend(d, &b, colour);
    sp__free(d->ctx, at);
}

// ---- text

// draws the text to a separate image and rotates it; both are dark on white, so the darker pixel wins
static void turned_text(sp_draw *d, const sp_draw_text *s, double size, double wide, const char *words, const double ink[3]) {
    int w = (int)wide + 8, h = (int)(2 * size) + 4;
    unsigned char *rgb = sp__alloc(d->ctx, (size_t)w * (size_t)h, 3);
    if (!rgb) {
        d->broken = true;
        return;
    }
    memset(rgb, 255, 3 * (size_t)w * (size_t)h);
    sp__text_draw(rgb, w, h, 4, 1.4 * size, size, words, ink);
    double start = s->align == SP_DRAW_LEFT ? 0 : s->align == SP_DRAW_MIDDLE ? 0.5 : 1;
    int x0 = (int)(d->scale * s->x - 1.4 * size), y0 = (int)(d->scale * s->y + start * wide) + 4;
    for (int v = 0; v < h; v++)
        for (int u = 0; u < w; u++) {
            int x = x0 + v, y = y0 - u;
            if (x < 0 || y < 0 || x >= d->width || y >= d->height) continue;
            unsigned char *out = d->rgb + 3 * ((size_t)y * (size_t)d->width + (size_t)x),
                          *in = rgb + 3 * ((size_t)v * (size_t)w + (size_t)u);
            for (int i = 0; i < 3; i++) out[i] = in[i] < out[i] ? in[i] : out[i];
        }
    sp__free(d->ctx, rgb);
}

static void draw_png_text(sp_draw *d, const sp_draw_text *s, const char *words) {
    double size = 0.68 * (s->size > 0 ? s->size : 12.5) * d->scale;  // height of capitals relative to the font size
    double wide = sp__text_width(words, size), start = s->align == SP_DRAW_LEFT ? 0 : s->align == SP_DRAW_MIDDLE ? 0.5 : 1;
    const double ink[3] = {(s->colour >> 16 & 255) / 255.0, (s->colour >> 8 & 255) / 255.0, (s->colour & 255) / 255.0};
    double x = d->scale * s->x - start * wide, y = d->scale * s->y;
    if (s->turned) {
        turned_text(d, s, size, wide, words, ink);
        return;
    }
    sp__text_draw(d->rgb, d->width, d->height, x, y, size, words, ink);
    if (s->bold) sp__text_draw(d->rgb, d->width, d->height, x + 0.45 * d->scale, y, size, words, ink);
}

// ---- begin and end

sp_status sp__draw_png_begin(sp_draw *d, sp_context *ctx, int width, int height, double scale) {
    *d = (sp_draw){
        .line = draw_png_line, .fill = draw_png_fill, .dot = draw_png_dot, .text = draw_png_text, .ctx = ctx, .scale = scale};
    d->width = (int)(width * scale), d->height = (int)(height * scale);
    size_t pixels = (size_t)d->width * (size_t)d->height;
    d->rgb = sp__alloc(ctx, pixels, 3);
    d->mask = sp__alloc(ctx, pixels, 1);
    if (!d->rgb || !d->mask) {
        sp__draw_png_end(d, NULL);
        return SP_FAIL(ctx, SP_NO_MEMORY, "no memory for a plot of %d x %d pixels", d->width, d->height);
    }
    memset(d->rgb, 255, 3 * pixels);
    return SP_OK;
}

sp_status sp__draw_png_end(sp_draw *d, const char *path) {
    sp_status status = SP_OK;
    sp_error error;
    if (path && d->broken) status = SP_FAIL(d->ctx, SP_NO_MEMORY, "no memory to draw %s", path);
    if (path && status >= 0 && (status = sp__png_write(d->ctx, &error, path, d->width, d->height, d->rgb)) < 0)
        sp_context_keep_error(d->ctx, &error);
    sp__free(d->ctx, d->rgb);
    sp__free(d->ctx, d->mask);
    d->rgb = d->mask = NULL;
    return status;
}
