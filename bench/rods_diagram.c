// Diagrams of time over error, see rods.h.
#include <math.h>

#include "rods.h"

void sp__diagram_add(sp_diagram *d, double error, double time) {
    if (d->count >= SP_DIAGRAM_POINTS || !isfinite(error) || !isfinite(time)) return;
    d->error[d->count] = error;
    d->time[d->count++] = time;
}

double sp__diagram_time(const sp_diagram *d, double error) {
    double least = NAN;
    for (int i = 0; i < d->count; i++)
        if (d->error[i] <= error) least = fmin(least, d->time[i]);
    return least;
}

// Pareto front: no other point has a smaller error in less time
static bool is_pareto(const sp_diagram *d, int i) {
    for (int j = 0; j < d->count; j++)
        if (d->error[j] <= d->error[i] && d->time[j] < d->time[i]) return false;
    return true;
}

double sp__diagram_line(const sp_diagram *d, double error) {
    int below = -1, above = -1;
    for (int i = 0; i < d->count; i++) {
        if (!is_pareto(d, i) || !(d->error[i] > 0)) continue;
        if (d->error[i] <= error && (below < 0 || d->error[i] > d->error[below])) below = i;
        if (d->error[i] >= error && (above < 0 || d->error[i] < d->error[above])) above = i;
    }
    if (below < 0 || above < 0) return NAN;
    if (d->error[above] == d->error[below]) return d->time[below];
    double x = log(error / d->error[below]) / log(d->error[above] / d->error[below]);
    return d->time[below] * pow(d->time[above] / d->time[below], x);
}

double sp__diagram_crossing(const sp_diagram *a, const sp_diagram *b, bool *bound) {
    enum { PARTS = 4000 };
    double crossing = NAN, top = NAN;
    *bound = false;
    // from the smallest error up, as long as `a` is faster
    for (int i = 0; i <= PARTS; i++) {
        double error = 1e-18 * pow(1e19, (double)i / PARTS), mine = sp__diagram_line(a, error),
               theirs = sp__diagram_line(b, error);
        if (isnan(mine) || isnan(theirs)) continue;
        top = error;
        if (mine > theirs) break;
        crossing = error;
    }
    *bound = crossing == top;
    return crossing;
}
