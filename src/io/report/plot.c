// Plots: a panel has a title, a grid with round numbers, the series, and a legend on the right in their order.
#include "io/report/plot.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// ========================================================================================================== axes

// Ticks of a linear axis are 1, 2, 2.5 or 5 times a power of ten apart, about six of them. Ticks of a log axis are
// powers of ten, with 2 and 5 between them if there are few.

sp_axis sp__axis_empty(bool log, double from, double to) {
    return (sp_axis){.low = INFINITY, .high = -INFINITY, .log = log, .from = from, .to = to};
}

bool sp__axis_takes(const sp_axis *a, double v) {
    return fabs(v) < 1e300 && (!a->log || v > 0);  // false for NaN
}

void sp__axis_widen(sp_axis *a, double v) {
    double t = a->log ? log10(v) : v;
    a->low = fmin(a->low, t);
    a->high = fmax(a->high, t);
}

static void add_tick(sp_axis *a, double value) {
    double t = a->log ? log10(value) : value, slack = 1e-9 * (a->high - a->low);
    if (a->ticks < SP_TICKS && t >= a->low - slack && t <= a->high + slack) a->tick[a->ticks++] = value;
}

static void linear_ticks(sp_axis *a) {
    static const double round[] = {1, 2, 2.5, 5, 10};
    double rough = (a->high - a->low) / 6, power = pow(10, floor(log10(rough))), step = 10 * power;
    for (int i = 4; i >= 0; i--)
        if (round[i] * power >= rough) step = round[i] * power;
    a->step = step;
    a->low = step * floor(a->low / step + 1e-9);
    a->high = step * ceil(a->high / step - 1e-9);
    for (int i = 0; i <= (int)((a->high - a->low) / step + 0.5); i++) add_tick(a, a->low + i * step);
}

static void log_ticks(sp_axis *a) {
    double span = a->high - a->low;
    bool few = span < 2.5;
    a->low -= 0.03 * span;
    a->high += 0.03 * span;
    int every = 1 + (int)(span / (SP_TICKS / 2));
    for (int e = (int)floor(a->low); e <= (int)ceil(a->high); e++) {
        if (e % every == 0) add_tick(a, pow(10, e));
        if (few) add_tick(a, 2 * pow(10, e)), add_tick(a, 5 * pow(10, e));
    }
}

void sp__axis_finish(sp_axis *a) {
    if (!(a->low <= a->high)) a->low = 0, a->high = 1;
    double size = fmax(fabs(a->low), fabs(a->high)), least = a->log ? 1e-12 : 1e-12 * size;
    // a single value: widen the range relative to its size
    if (a->high - a->low <= least) {
        double capacity = a->log || size == 0 ? 0.5 : 0.1 * size;
        a->low -= capacity, a->high += capacity;
    }
    if (!a->log) {
        linear_ticks(a);
        return;
    }
    // a factor of five at least: any such range contains two of 1, 2, 5
    double lack = 0.7 - (a->high - a->low);
    if (lack > 0) a->low -= 0.5 * lack, a->high += 0.5 * lack;
    log_ticks(a);
}

double sp__axis_place(const sp_axis *a, double v) {
    double t = a->log ? log10(v) : v;
    return a->from + (t - a->low) / (a->high - a->low) * (a->to - a->from);
}

void sp__axis_label(const sp_axis *a, double v, char *out, size_t size) {
    if (a->step > 0 && fabs(v) < 1e-6 * a->step) v = 0;  // rounding error of low + i step
    double reach = fmax(fabs(a->low), fabs(a->high));
    int digits = a->step > 0 && reach > 0 ? (int)ceil(log10(reach / a->step)) + 2 : 1;
    digits = digits < 6 ? 6 : digits > 15 ? 15 : digits;
    if (v != 0 && fabs(v) < 1e-3 && a->step == 0)
        snprintf(out, size, "%.0e", v);
    else
        snprintf(out, size, "%.*g", digits, v);
    for (char *c = out; *c; c++)
        if (!strchr("0123456789+-e", *c)) *c = '.';  // decimal point of another locale
}

// ======================================================================================================== panels

enum { WIDTH = SP_PLOT_WIDTH, HEIGHT = SP_PLOT_HEIGHT, LEFT = 90, RIGHT = 602, TOP = 46, BOTTOM = 372 };
enum { LEGEND_ROWS = 16, LEGEND_LETTERS = 32 };

// colours for colour-blind readers (Okabe and Ito 2008), dark enough for lines on white
static const unsigned colours[] = {0x0072b2, 0xd55e00, 0x009e73, 0xcc79a7, 0x8a6d00, 0x56a0d3, 0x333333, 0x7a3fb0};
enum { COLOURS = sizeof colours / sizeof colours[0] };
static const unsigned ink = 0x222222, grid = 0xe4e4e4, frame = 0x444444;

typedef struct panel {
    const sp_plot *plot;
    sp_draw *draw;
    sp_axis x, y;
    double top, bottom;
    double *xy;   // point buffer for two outlines of the longest series
    double *sum;  // stacked: sum of the series below
    bool some;    // at least one value is visible
} panel;

static int plot_longest(const sp_plot *p) {
    int n = 0;
    for (int s = 0; s < p->series_count; s++) n = p->series[s].count > n ? p->series[s].count : n;
    return n;
}

// all series of a stacked plot share the x of the first one
static double x_at(const panel *p, int series, int i) {
    return p->plot->series[p->plot->kind == SP_PLOT_STACKED ? 0 : series].x[i];
}

static bool has_place(const panel *p, int series, int i) {
    const sp_plot_series *s = &p->plot->series[series];
    if (p->plot->kind == SP_PLOT_BARS) return sp__axis_takes(&p->y, s->y[i]);
    return sp__axis_takes(&p->x, x_at(p, series, i)) && (p->plot->kind == SP_PLOT_STACKED || sp__axis_takes(&p->y, s->y[i]));
}

// ---- ranges

// a missing value counts as zero in a stack
static double height_at(const panel *p, int series, int i) {
    double y = p->plot->series[series].y[i];
    return sp__axis_takes(&p->y, y) ? y : 0;
}

static int stacked_count(const sp_plot *p) {
    int n = p->series_count ? p->series[0].count : 0;
    for (int s = 1; s < p->series_count; s++) n = p->series[s].count < n ? p->series[s].count : n;
    return n;
}

static void range_of_stack(panel *p) {
    for (int i = 0; i < stacked_count(p->plot); i++) {
        double sum = 0;
        if (!has_place(p, 0, i)) continue;
        sp__axis_widen(&p->x, x_at(p, 0, i));
        for (int s = 0; s < p->plot->series_count; s++) {
            if (!sp__axis_takes(&p->y, p->plot->series[s].y[i])) continue;
            sum += p->plot->series[s].y[i];
            if (sp__axis_takes(&p->y, sum)) sp__axis_widen(&p->y, sum), p->some = true;
        }
    }
}

static void range_of_series(panel *p) {
    for (int s = 0; s < p->plot->series_count; s++)
        for (int i = 0; i < p->plot->series[s].count; i++) {
            if (!has_place(p, s, i)) continue;
            if (p->plot->kind == SP_PLOT_LINES) sp__axis_widen(&p->x, x_at(p, s, i));
            sp__axis_widen(&p->y, p->plot->series[s].y[i]);
            p->some = true;
        }
}

static void make_axes(panel *p) {
    const sp_plot *plot = p->plot;
    bool stacked = plot->kind == SP_PLOT_STACKED, bars = plot->kind == SP_PLOT_BARS;
    p->x = sp__axis_empty(plot->log_x && !bars, LEFT, RIGHT);
    p->y = sp__axis_empty(plot->log_y && !stacked && !bars, p->bottom, p->top);
    if (stacked)
        range_of_stack(p);
    else
        range_of_series(p);
    // the axis of stacks and bars includes zero, since heights are compared
    if (!p->y.log && p->some && (stacked || bars || !plot->free_y)) {
        if (p->y.low > 0) p->y.low = 0;
        if (p->y.high < 0) p->y.high = 0;
    }
    sp__axis_finish(&p->y);
    if (bars)
        p->x.low = -0.5, p->x.high = plot_longest(plot) > 0 ? plot_longest(plot) - 0.5 : 0.5;
    else
        sp__axis_finish(&p->x);
}

// ---- frame

static void words(const panel *p, double x, double y, sp_draw_align align, const char *text) {
    const sp_draw_text style = {.x = x, .y = y, .align = align, .colour = ink};
    p->draw->text(p->draw, &style, text);
}

// at most `letters` characters; the rest becomes three dots
static void shorten(const char *text, int letters, char *out, size_t size) {
    int seen = 0;
    size_t n = 0, cut = 0;
    for (; text[n] && n + 4 < size; n++) {
        seen += ((unsigned char)text[n] & 0xc0) != 0x80;
        if (seen == letters - 1 && ((unsigned char)text[n + 1] & 0xc0) != 0x80) cut = n;
        if (seen > letters) break;
    }
    if (seen <= letters && !text[n])
        snprintf(out, size, "%s", text);
    else
        snprintf(out, size, "%.*s...", (int)cut, text);
}

static void draw_grid(const panel *p) {
    for (int i = 0; i < p->x.ticks; i++) {
        double at = sp__axis_place(&p->x, p->x.tick[i]), xy[4] = {at, p->top, at, p->bottom};
        p->draw->line(p->draw, xy, 2, grid, 1, false);
    }
    for (int i = 0; i < p->y.ticks; i++) {
        double at = sp__axis_place(&p->y, p->y.tick[i]), xy[4] = {LEFT, at, RIGHT, at};
        p->draw->line(p->draw, xy, 2, grid, 1, false);
    }
}

static void draw_numbers(const panel *p) {
    char label[40];
    for (int i = 0; i < p->x.ticks; i++) {
        sp__axis_label(&p->x, p->x.tick[i], label, sizeof label);
        words(p, sp__axis_place(&p->x, p->x.tick[i]), p->bottom + 19, SP_DRAW_MIDDLE, label);
    }
    for (int i = 0; i < p->y.ticks; i++) {
        sp__axis_label(&p->y, p->y.tick[i], label, sizeof label);
        words(p, LEFT - 8, sp__axis_place(&p->y, p->y.tick[i]) + 4, SP_DRAW_RIGHT, label);
    }
}

// labels below the groups, shortened to fit; with many groups only some of them
static void draw_groups(const panel *p) {
    int n = plot_longest(p->plot), every = 1 + n / 24;
    char label[64];
    for (int i = 0; p->plot->labels && i < n; i += every) {
        int letters = (int)(every * (RIGHT - LEFT) / (7.5 * n));
        shorten(p->plot->labels[i], letters < 4 ? 4 : letters, label, sizeof label);
        words(p, sp__axis_place(&p->x, i), p->bottom + 19, SP_DRAW_MIDDLE, label);
    }
}

// titles and labels are nullable
static const char *or_empty(const char *text) {
    return text ? text : "";
}

static void draw_frame(const panel *p) {
    const sp_plot *plot = p->plot;
    double xy[6] = {LEFT, p->top, LEFT, p->bottom, RIGHT, p->bottom}, middle = 0.5 * (p->top + p->bottom);
    char title[128];
    p->draw->line(p->draw, xy, 3, frame, 1.2, false);
    if (plot->kind == SP_PLOT_BARS) draw_groups(p);
    draw_numbers(p);
    words(p, 0.5 * (LEFT + RIGHT), p->bottom + 42, SP_DRAW_MIDDLE, or_empty(plot->x_label));
    const sp_draw_text turned = {.x = 16, .y = middle, .align = SP_DRAW_MIDDLE, .turned = true, .colour = ink};
    p->draw->text(p->draw, &turned, or_empty(plot->y_label));
    shorten(or_empty(plot->title), 96, title, sizeof title);
    const sp_draw_text head = {.x = LEFT, .y = p->top - 20, .size = 15, .bold = true, .colour = ink};
    p->draw->text(p->draw, &head, title);
    if (!p->some) words(p, 0.5 * (LEFT + RIGHT), middle, SP_DRAW_MIDDLE, "no data");
}

// ---- series

static unsigned colour_of(int series) {
    return colours[series % COLOURS];
}

// a piece of a line without gaps; a single point is a dot
static void draw_piece(const panel *p, int series, int n) {
    const sp_plot_series *s = &p->plot->series[series];
    if (n > 1) p->draw->line(p->draw, p->xy, n, colour_of(series), 1.8, s->dashed);
    if (n == 1 && !s->marks) p->draw->dot(p->draw, p->xy[0], p->xy[1], 2.4, colour_of(series));
}

static void draw_line(const panel *p, int series) {
    const sp_plot_series *s = &p->plot->series[series];
    int n = 0;
    for (int i = 0; i < s->count; i++) {
        if (!has_place(p, series, i)) {
            draw_piece(p, series, n);
            n = 0;
            continue;
        }
        double x = sp__axis_place(&p->x, s->x[i]), y = sp__axis_place(&p->y, s->y[i]);
        p->xy[2 * n] = x, p->xy[2 * n + 1] = y, n++;
        if (s->marks) p->draw->dot(p->draw, x, y, 3.2, colour_of(series));
    }
    draw_piece(p, series, n);
}

// the area of a series on top of those below: the upper outline forwards, the lower one backwards
static void draw_layer(const panel *p, int series) {
    int count = stacked_count(p->plot), n = 0;
    for (int i = 0; i < count; i++)
        if (has_place(p, 0, i)) {
            p->xy[2 * n] = sp__axis_place(&p->x, x_at(p, 0, i));
            p->xy[2 * n + 1] = sp__axis_place(&p->y, p->sum[i] + height_at(p, series, i));
            n++;
        }
    int back = n;
    for (int i = count - 1; i >= 0; i--)
        if (has_place(p, 0, i)) {
            p->xy[2 * n] = sp__axis_place(&p->x, x_at(p, 0, i));
            p->xy[2 * n + 1] = sp__axis_place(&p->y, p->sum[i]);
            n++;
        }
    for (int i = 0; i < count; i++) p->sum[i] += height_at(p, series, i);
    if (back == 1) {  // a single sample is drawn as a column
        double x = p->xy[0], y1 = p->xy[1], y0 = p->xy[3], column[8] = {x - 30, y1, x + 30, y1, x + 30, y0, x - 30, y0};
        p->draw->fill(p->draw, column, 4, colour_of(series));
    } else if (n > 2) {
        p->draw->fill(p->draw, p->xy, n, colour_of(series));
    }
}

static void draw_bars(const panel *p, int series) {
    const sp_plot_series *s = &p->plot->series[series];
    double slot = 0.8 / p->plot->series_count, zero = sp__axis_place(&p->y, 0);
    for (int i = 0; i < s->count; i++) {
        if (!has_place(p, series, i)) continue;
        double x0 = sp__axis_place(&p->x, i - 0.4 + slot * series), x1 = sp__axis_place(&p->x, i - 0.4 + slot * (series + 0.94));
        double y = sp__axis_place(&p->y, s->y[i]), xy[8] = {x0, zero, x0, y, x1, y, x1, zero};
        p->draw->fill(p->draw, xy, 4, colour_of(series));
    }
}

// legend key of a series, to the left of its name
static void draw_sample(const panel *p, int series, double at) {
    double line[4] = {RIGHT + 16, at, RIGHT + 40, at};
    double area[8] = {RIGHT + 16, at - 6, RIGHT + 40, at - 6, RIGHT + 40, at + 6, RIGHT + 16, at + 6};
    if (p->plot->kind == SP_PLOT_LINES)
        p->draw->line(p->draw, line, 2, colour_of(series), 2.4, p->plot->series[series].dashed);
    else
        p->draw->fill(p->draw, area, 4, colour_of(series));
}

static void draw_legend(const panel *p) {
    int n = p->plot->series_count, shown = n > LEGEND_ROWS ? LEGEND_ROWS - 1 : n;
    char name[160];
    for (int row = 0; row < shown; row++) {
        // the legend of a stack lists the top layer first
        int i = p->plot->kind == SP_PLOT_STACKED ? shown - 1 - row : row;
        draw_sample(p, i, p->top + 8 + 21.0 * row);
        shorten(p->plot->series[i].name, LEGEND_LETTERS, name, sizeof name);
        words(p, RIGHT + 47, p->top + 12 + 21.0 * row, SP_DRAW_LEFT, name);
    }
    if (shown == n) return;
    snprintf(name, sizeof name, "and %d more", n - shown);
    words(p, RIGHT + 47, p->top + 12 + 21.0 * shown, SP_DRAW_LEFT, name);
}

static void draw_series(const panel *p) {
    for (int s = 0; p->some && s < p->plot->series_count; s++) {
        if (p->plot->kind == SP_PLOT_STACKED)
            draw_layer(p, s);
        else if (p->plot->kind == SP_PLOT_BARS)
            draw_bars(p, s);
        else
            draw_line(p, s);
    }
}

// ---- panels

static sp_status draw_panel(sp_context *ctx, const sp_plot *plot, sp_draw *draw, double offset) {
    panel p = {.plot = plot, .draw = draw, .top = offset + TOP, .bottom = offset + BOTTOM};
    size_t n = (size_t)plot_longest(plot);
    sp_status status = SP_OK;
    if (!SP_NEW(ctx, p.xy, 4 * n + 4) || !SP_NEW(ctx, p.sum, n + 1)) {
        status = SP_FAIL(ctx, SP_NO_MEMORY, "no memory to plot %zu points", n);
        goto done;
    }
    make_axes(&p);
    draw_grid(&p);
    draw_series(&p);
    draw_frame(&p);
    draw_legend(&p);
done:
    sp__free(ctx, p.xy);
    sp__free(ctx, p.sum);
    return status;
}

static sp_status draw_panels(sp_context *ctx, const sp_plot *plots, int count, sp_draw *draw) {
    for (int i = 0; i < count; i++) SP_TRY(draw_panel(ctx, &plots[i], draw, (double)HEIGHT * i));
    return SP_OK;
}

static sp_status check_count(sp_context *ctx, int count) {
    if (count >= 1 && count <= SP_PLOT_PANELS) return SP_OK;
    return SP_FAIL(ctx, SP_BAD_INPUT, "%d panels in a plot, must be in [1, %d]", count, SP_PLOT_PANELS);
}

sp_status sp__plots_svg(const sp_plot *plots, int count, bool inside_html, sp_page *page) {
    sp_draw draw;
    SP_TRY(check_count(page->ctx, count));
    sp__draw_svg_begin(&draw, page, WIDTH, HEIGHT * count, inside_html, or_empty(plots[0].title));
    SP_TRY(draw_panels(page->ctx, plots, count, &draw));
    sp__draw_svg_end(&draw);
    return page->text.broken ? SP_FAIL(page->ctx, SP_NO_MEMORY, "no memory for a plot as SVG") : SP_OK;
}

static bool ends_with(const char *path, const char *suffix) {
    size_t n = strlen(path), k = strlen(suffix);
    return n > k && strcmp(path + n - k, suffix) == 0;
}

bool sp_plot_suffix(const char *path) {
    return ends_with(path, ".svg") || ends_with(path, ".png");
}

static sp_status write_png(sp_context *ctx, const sp_plot *plots, int count, const char *path) {
    sp_draw draw;
    SP_TRY(sp__draw_png_begin(&draw, ctx, WIDTH, HEIGHT * count, 2));
    sp_status status = draw_panels(ctx, plots, count, &draw);
    sp_status end = sp__draw_png_end(&draw, status < 0 ? NULL : path);
    return status < 0 ? status : end;
}

sp_status sp_plot_write(sp_context *ctx, const sp_plot *plots, int count, const char *path) {
    SP_TRY(check_count(ctx, count));
    if (!sp_plot_suffix(path)) return SP_FAIL(ctx, SP_BAD_INPUT, "plot \"%s\": must end in .svg or .png", path);
    if (ends_with(path, ".png")) return write_png(ctx, plots, count, path);
    sp_page page = {.ctx = ctx};
    sp_status status = sp__plots_svg(plots, count, false, &page);
    if (status >= 0) status = sp__page_save(&page, path);
    sp__page_free(&page);
    return status;
}

sp_status sp_plot_svg(sp_context *ctx, const sp_plot *plots, int count, void (*write)(void *user, const char *text), void *user) {
    sp_page page = {.ctx = ctx};
    sp_status status = sp__plots_svg(plots, count, true, &page);
    if (status >= 0) write(user, page.text.data);
    sp__page_free(&page);
    return status;
}
