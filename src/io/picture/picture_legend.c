// Text on a picture: title, time, and a colour bar with its values.
#include <stdio.h>

#include "io/picture/picture.h"

// blue over green and yellow to red: the ends differ in lightness from the middle, so that it also works in greyscale
static const double scale_colors[7][3] = {{0.18, 0.26, 0.62}, {0.15, 0.50, 0.75}, {0.26, 0.70, 0.66}, {0.60, 0.83, 0.52},
                                          {0.97, 0.87, 0.41}, {0.95, 0.58, 0.25}, {0.78, 0.17, 0.20}};
// regions: colours for colour-blind readers (after Okabe and Ito 2008)
static const double region_colors[8][3] = {{0.78, 0.78, 0.76}, {0.90, 0.62, 0.00}, {0.34, 0.71, 0.91}, {0.00, 0.62, 0.45},
                                           {0.94, 0.89, 0.26}, {0.00, 0.45, 0.70}, {0.84, 0.37, 0.00}, {0.80, 0.47, 0.65}};

static void scale_srgb(double s, double out[3]) {
    s = !(s > 0) ? 0 : s > 1 ? 1 : s;
    int k = (int)(s * 6);
    if (k > 5) k = 5;
    for (int i = 0; i < 3; i++) out[i] = scale_colors[k][i] + (s * 6 - k) * (scale_colors[k + 1][i] - scale_colors[k][i]);
}

const double *sp__region_color(double value) {
    return region_colors[value > 0.5 ? 1 + ((long)(value + 0.5) - 1) % 7 : 0];
}

void sp__legend_color(const sp_legend *legend, double value, double linear[3]) {
    double srgb[3];
    if (legend->regions)
        memcpy(srgb, sp__region_color(value), sizeof srgb);
    else
        scale_srgb((value - legend->low) / (legend->high - legend->low), srgb);
    for (int i = 0; i < 3; i++) linear[i] = sp__to_linear(srgb[i]);
}

// the SI prefix with one to three digits before the point
double sp__si_prefix(double largest, const char **prefix) {
    static const char *const names[] = {"n", "\xc2\xb5", "m", "", "k", "M", "G"};
    int k = largest > 0 && isfinite(largest) ? (int)floor(log10(largest * 1.0000001) / 3) : 0;
    k = k < -3 ? -3 : k > 3 ? 3 : k;
    *prefix = names[k + 3];
    return pow(10, -3 * k);
}

// a step of 1, 2 or 5 times a power of ten that gives about `count` ticks
static double tick_step(double span, int count) {
    double raw = span / count, power = pow(10, floor(log10(raw))), r = raw / power;
    return power * (r < 1.5 ? 1 : r < 3.5 ? 2 : r < 7.5 ? 5 : 10);
}

typedef struct sp_bar {
    unsigned char *rgb;
    int width, height;
    double x0, x1, y0, y1, text;  // box in pixels, height of capitals
    double ink[3];
} sp_bar;

static void draw_scale(const sp_bar *b, const sp_legend *l) {
    for (int y = (int)b->y0; y <= (int)b->y1; y++)
        for (int x = (int)b->x0; x <= (int)b->x1; x++) {
            if (x < 0 || y < 0 || x >= b->width || y >= b->height) continue;
            double color[3], s = (b->y1 - y) / (b->y1 - b->y0);
            bool frame = y == (int)b->y0 || y == (int)b->y1 || x == (int)b->x0 || x == (int)b->x1;
            scale_srgb(s, color);
            unsigned char *out = b->rgb + 3 * ((size_t)y * (size_t)b->width + (size_t)x);
            for (int i = 0; i < 3; i++) out[i] = (unsigned char)(255 * (frame ? 0.5 * (color[i] + b->ink[i]) : color[i]) + 0.5);
        }
    const char *prefix;
    double largest = fmax(fabs(l->low), fabs(l->high)) * l->shown;
    double unit = l->shown * (l->unit[0] ? sp__si_prefix(largest, &prefix) : (prefix = "", 1));
    double low = l->low * unit, high = l->high * unit, step = tick_step(high - low, 5);
    int digits = step >= 1 ? 0 : (int)ceil(-log10(step) - 1e-9);
    for (double v = ceil(low / step - 1e-9) * step; v <= high + 1e-9 * step; v += step) {
        char text[48];
        double y = b->y1 - (v - low) / (high - low) * (b->y1 - b->y0);
        snprintf(text, sizeof text, "%.*f", digits > 9 ? 9 : digits, fabs(v) < 1e-9 * step ? 0.0 : v);
        for (char *c = text; *c; c++) *c = *c == ',' ? '.' : *c;
        sp__text_draw(b->rgb, b->width, b->height, b->x1 + 0.7 * b->text, y + 0.5 * b->text, b->text, text, b->ink);
    }
    char head[96];
    snprintf(head, sizeof head, l->unit[0] ? "%s [%s%s]" : "%s", l->label, prefix, l->unit);
    double x = fmin(b->x0, b->width - sp__text_width(head, b->text) - 0.7 * b->text);
    sp__text_draw(b->rgb, b->width, b->height, x, b->y0 - 1.3 * b->text, b->text, head, b->ink);
}

static void draw_regions(const sp_bar *b, const sp_legend *l) {
    int last = (int)fmin(l->high + 0.5, SP_REGIONS_SHOWN - 1);
    sp__text_draw(b->rgb, b->width, b->height, b->x0, b->y0 - 1.3 * b->text, b->text, l->label, b->ink);
    for (int r = 0; r <= last; r++) {
        char text[40];
        double top = b->y0 + 2.2 * b->text * r;
        const double *color = sp__region_color(r);
        for (int y = (int)top; y < (int)(top + 1.6 * b->text); y++)
            for (int x = (int)b->x0; x <= (int)b->x1; x++) {
                if (x < 0 || y < 0 || x >= b->width || y >= b->height) continue;
                unsigned char *out = b->rgb + 3 * ((size_t)y * (size_t)b->width + (size_t)x);
                for (int i = 0; i < 3; i++) out[i] = (unsigned char)(255 * color[i] + 0.5);
            }
        if (l->names[r][0])
            snprintf(text, sizeof text, "%s", l->names[r]);
        else
            snprintf(text, sizeof text, "%d", r);
        sp__text_draw(b->rgb, b->width, b->height, b->x1 + 0.7 * b->text, top + 1.3 * b->text, b->text, text, b->ink);
    }
}

void sp__picture_letter(const sp_drawing *d, unsigned char *rgb) {
    double w = d->width, h = d->height, size = fmax(8, h / 60.0);
    double grey = 0.3 * d->background[0] + 0.59 * d->background[1] + 0.11 * d->background[2];
    double tone = grey > 0.45 ? 0.16 : 0.92, soft = grey > 0.45 ? 0.42 : 0.7;
    double ink[3] = {tone, tone, tone}, faint[3] = {soft, soft, soft};
    double x = 0.025 * h + 4, y = x + 1.2 * size;
    if (d->title[0]) {
        sp__text_draw(rgb, d->width, d->height, x, y, 1.2 * size, d->title, ink);
        y += 2.1 * size;
    }
    if (d->note[0]) sp__text_draw(rgb, d->width, d->height, x, y, 0.85 * size, d->note, faint);
    if (d->note[0]) y += 1.7 * size;
    if (d->contacts[0]) {
        double color[3];
        for (int i = 0; i < 3; i++) color[i] = sp__to_srgb(sp__contact_color[i]);
        sp__text_draw(rgb, d->width, d->height, x, y, 0.85 * size, d->contacts, color);
    }
    if (!d->legend.label[0]) return;
    sp_bar b = {.rgb = rgb, .width = d->width, .height = d->height, .text = 0.85 * size};
    memcpy(b.ink, ink, sizeof ink);
    b.x0 = w - 0.115 * w, b.x1 = b.x0 + 1.6 * size, b.y0 = 0.24 * h, b.y1 = 0.78 * h;
    if (d->legend.regions)
        draw_regions(&b, &d->legend);
    else
        draw_scale(&b, &d->legend);
}
