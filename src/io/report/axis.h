// An axis of a plot: the range of its values, round ticks, and the position of a value in pixels.
#ifndef SP_AXIS_H
#define SP_AXIS_H

#include <stdbool.h>
#include <stddef.h>

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

#endif
