// An SVG by hand: axes with round numbers, a grid, lines, a legend at the right whose order is that of the series.
#include "plot.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { WIDTH = 860, HEIGHT = 430, LEFT = 78, RIGHT = 590, TOP = 46, BOTTOM = 372, TICKS = 24 };

// colours that stay apart for most eyes (Okabe and Ito 2008), dark enough for lines on white
static const char *const colours[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#8a6d00", "#56a0d3", "#333333", "#7a3fb0"};
enum { COLOURS = sizeof colours / sizeof colours[0] };

typedef struct axis {
    double low, high;  // of log10 on a log axis
    double from, to;   // pixels
    bool log;
    double tick[TICKS];
    int ticks;
} axis;

static bool usable(double v, bool log) {
    return isfinite(v) && (!log || v > 0);
}

static double place(const axis *a, double v) {
    double t = a->log ? log10(v) : v;
    return a->from + (t - a->low) / (a->high - a->low) * (a->to - a->from);
}

// ---- ranges and ticks

static void widen(axis *a, double v) {
    double t = a->log ? log10(v) : v;
    a->low = fmin(a->low, t);
    a->high = fmax(a->high, t);
}

static void add_tick(axis *a, double value) {
    double t = a->log ? log10(value) : value, slack = 1e-9 * (a->high - a->low);
    if (a->ticks < TICKS && t >= a->low - slack && t <= a->high + slack) a->tick[a->ticks++] = value;
}

static void linear_ticks(axis *a) {
    static const double round[] = {1, 2, 2.5, 5, 10};
    double rough = (a->high - a->low) / 6, power = pow(10, floor(log10(rough))), step = 10 * power;
    for (int i = 4; i >= 0; i--)
        if (round[i] * power >= rough) step = round[i] * power;
    a->low = step * floor(a->low / step + 1e-9);
    a->high = step * ceil(a->high / step - 1e-9);
    for (int i = 0; i <= (int)((a->high - a->low) / step + 0.5); i++) add_tick(a, a->low + i * step);
}

// powers of ten; where they are few, 2 and 5 between them
static void log_ticks(axis *a) {
    bool few = a->high - a->low < 2.5;
    a->low -= 0.03 * (a->high - a->low);
    a->high += 0.03 * (a->high - a->low);
    for (int e = (int)floor(a->low); e <= (int)ceil(a->high); e++) {
        add_tick(a, pow(10, e));
        if (few) add_tick(a, 2 * pow(10, e)), add_tick(a, 5 * pow(10, e));
    }
}

static axis make_axis(const sp_plot *p, bool vertical) {
    axis a = {.low = INFINITY, .high = -INFINITY, .log = vertical ? p->log_y : p->log_x};
    a.from = vertical ? BOTTOM : LEFT;
    a.to = vertical ? TOP : RIGHT;
    for (int s = 0; s < p->series_count; s++)
        for (int i = 0; i < p->series[s].count; i++) {
            double x = p->series[s].x[i], y = p->series[s].y[i];
            if (usable(x, p->log_x) && usable(y, p->log_y)) widen(&a, vertical ? y : x);
        }
    if (!(a.low <= a.high)) a.low = 0, a.high = 1;
    if (vertical && !a.log && a.low > 0) a.low = 0;  // heights are compared
    if (a.high - a.low < 1e-12 * fmax(1, fabs(a.high))) a.low -= 0.5, a.high += 0.5;
    if (a.log)
        log_ticks(&a);
    else
        linear_ticks(&a);
    return a;
}

// ---- drawing

static void text(FILE *f, double x, double y, const char *anchor, const char *style, const char *words) {
    fprintf(f, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\"%s>", x, y, anchor, style);
    for (const char *c = words; *c; c++) {
        const char *escape = *c == '<' ? "&lt;" : *c == '>' ? "&gt;" : *c == '&' ? "&amp;" : NULL;
        if (escape)
            fputs(escape, f);
        else
            fputc(*c, f);
    }
    fputs("</text>\n", f);
}

static void number_text(double v, char *out, size_t size) {
    bool small = v != 0 && fabs(v) < 1e-3;
    snprintf(out, size, small ? "%.0e" : "%.6g", v);
}

static void draw_axes(FILE *f, const sp_plot *p, const axis *x, const axis *y) {
    char label[32];
    fputs("<g stroke=\"#e4e4e4\" stroke-width=\"1\">\n", f);
    for (int i = 0; i < x->ticks; i++) fprintf(f, "<path d=\"M%.1f %d V%d\"/>\n", place(x, x->tick[i]), TOP, BOTTOM);
    for (int i = 0; i < y->ticks; i++) fprintf(f, "<path d=\"M%d %.1f H%d\"/>\n", LEFT, place(y, y->tick[i]), RIGHT);
    fputs("</g>\n", f);
    fprintf(f, "<path d=\"M%d %d V%d H%d\" fill=\"none\" stroke=\"#444\" stroke-width=\"1.2\"/>\n", LEFT, TOP, BOTTOM, RIGHT);
    for (int i = 0; i < x->ticks; i++) {
        number_text(x->tick[i], label, sizeof label);
        text(f, place(x, x->tick[i]), BOTTOM + 19, "middle", "", label);
    }
    for (int i = 0; i < y->ticks; i++) {
        number_text(y->tick[i], label, sizeof label);
        text(f, LEFT - 8, place(y, y->tick[i]) + 4, "end", "", label);
    }
    char turned[96];
    snprintf(turned, sizeof turned, " transform=\"rotate(-90 20 %d)\"", (TOP + BOTTOM) / 2);
    text(f, (LEFT + RIGHT) / 2.0, BOTTOM + 42, "middle", "", p->x_label);
    text(f, 20, (TOP + BOTTOM) / 2.0, "middle", turned, p->y_label);
    text(f, LEFT, 26, "start", " font-size=\"15\" font-weight=\"600\"", p->title);
}

static void draw_series(FILE *f, const sp_plot *p, int index, const axis *x, const axis *y) {
    const sp_series *s = &p->series[index];
    const char *colour = colours[index % COLOURS], *dashes = s->dashed ? " stroke-dasharray=\"6 4\"" : "";
    bool down = false;
    fprintf(f, "<path fill=\"none\" stroke=\"%s\" stroke-width=\"1.8\" stroke-linejoin=\"round\"%s d=\"", colour, dashes);
    for (int i = 0; i < s->count; i++) {
        bool good = usable(s->x[i], p->log_x) && usable(s->y[i], p->log_y);
        if (good) fprintf(f, "%c%.1f %.1f", down ? 'L' : 'M', place(x, s->x[i]), place(y, s->y[i]));
        down = good;
    }
    fputs("\"/>\n", f);
    for (int i = 0; s->marks && i < s->count; i++)
        if (usable(s->x[i], p->log_x) && usable(s->y[i], p->log_y))
            fprintf(f, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3.2\" fill=\"%s\"/>\n", place(x, s->x[i]), place(y, s->y[i]), colour);
    double at = TOP + 8 + 21.0 * index;
    fprintf(f, "<path d=\"M%d %.1f h24\" stroke=\"%s\" stroke-width=\"2.4\"%s/>\n", RIGHT + 16, at, colour, dashes);
    text(f, RIGHT + 47, at + 4, "start", "", s->name);
}

static FILE *open_in(const char *folder, const char *name, const char *ending) {
    char path[512];
    snprintf(path, sizeof path, "%s/%s.%s", folder, name, ending);
    FILE *f = mkdir(folder, 0777) == 0 || errno == EEXIST ? fopen(path, "w") : NULL;
    if (!f) fprintf(stderr, "bench: cannot write %s: %s\n", path, strerror(errno));
    return f;
}

static sp_status close_file(FILE *f, const char *name) {
    bool good = !ferror(f);
    if (fclose(f) == 0 && good) return SP_OK;
    fprintf(stderr, "bench: %s could not be written whole\n", name);
    return SP_IO;
}

static sp_status write_csv(const sp_plot *p, const char *folder, const char *name) {
    FILE *f = open_in(folder, name, "csv");
    if (!f) return SP_IO;
    fprintf(f, "series,%s,%s\n", p->x_label, p->y_label);
    for (int s = 0; s < p->series_count; s++)
        for (int i = 0; i < p->series[s].count; i++)
            fprintf(f, "%s,%.9g,%.9g\n", p->series[s].name, p->series[s].x[i], p->series[s].y[i]);
    return close_file(f, name);
}

sp_status sp__plot_write(const sp_plot *p, const char *folder, const char *name) {
    sp_status status = write_csv(p, folder, name);
    FILE *f = status < 0 ? NULL : open_in(folder, name, "svg");
    if (!f) return SP_IO;
    axis x = make_axis(p, false), y = make_axis(p, true);
    fprintf(f,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" font-family=\"Helvetica, Arial, sans-serif\" "
            "font-size=\"12.5\" fill=\"#222\">\n<rect width=\"%d\" height=\"%d\" fill=\"#fff\"/>\n",
            WIDTH, HEIGHT, WIDTH, HEIGHT);
    draw_axes(f, p, &x, &y);
    for (int s = 0; s < p->series_count; s++) draw_series(f, p, s, &x, &y);
    fputs("</svg>\n", f);
    return close_file(f, name);
}
