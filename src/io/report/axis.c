// See axis.h. Ticks of a linear axis are 1, 2, 2.5 or 5 times a power of ten apart, about six of them. Ticks of a log axis are
// powers of ten, with 2 and 5 between them if there are few.
#include "io/report/axis.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

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
