// Search for coincident nodes with a hash grid of cells a few tolerances wide. A node searches its own cell, and the neighbour
// across each wall that is nearer than the tolerance: usually one cell.
#include "mesh/weld.h"

typedef struct grid {
    double low[3], size, tolerance;
    uint64_t mask;
    int *head, *next;
} grid;

static uint64_t hash(const int64_t cell[3]) {
    return sp__mix((uint64_t)cell[0], 0) ^ sp__mix((uint64_t)cell[1], 1) ^ sp__mix((uint64_t)cell[2], 2);
}

static bool near(const double *a, const double *b, double tolerance) {
    double sum = 0;
    for (int k = 0; k < 3; k++) sum += (a[k] - b[k]) * (a[k] - b[k]);
    return sum <= tolerance * tolerance;
}

// lowest kept node within the tolerance in one cell, or `best`
static int look(const grid *g, const double *x, int i, const int64_t cell[3], int best) {
    for (int j = g->head[hash(cell) & g->mask] - 1; j >= 0; j = g->next[j] - 1)
        if (j < best && near(x + 3 * (size_t)i, x + 3 * (size_t)j, g->tolerance)) best = j;
    return best;
}

static int weld_find(const grid *g, const double *x, int i, int64_t own[3]) {
    int64_t step[3];
    int best = i;
    for (int k = 0; k < 3; k++) {
        double margin = g->tolerance / g->size;
        double place = fmin((x[3 * (size_t)i + (size_t)k] - g->low[k]) / g->size, 1e15);  // an exact integer at most
        own[k] = (int64_t)place;
        double in = place - (double)own[k];
        step[k] = in <= margin ? -1 : in >= 1 - margin ? 1 : 0;
    }
    for (int c = 0; c < 8; c++) {
        int64_t cell[3];
        bool there = true;
        for (int k = 0; k < 3; k++) {
            cell[k] = own[k] + (c >> k & 1 ? step[k] : 0);
            there = there && (!(c >> k & 1) || step[k] != 0);
        }
        if (there) best = look(g, x, i, cell, best);
    }
    return best;
}

static bool weld_finite(const double *x) {
    return isfinite(x[0]) && isfinite(x[1]) && isfinite(x[2]);
}

static double bounds(const double *x, int n, double low[3]) {
    double high[3] = {-INFINITY, -INFINITY, -INFINITY}, most = 0, sum = 0;
    for (int k = 0; k < 3; k++) low[k] = INFINITY;
    for (size_t i = 0; i < (size_t)n; i++)
        for (size_t k = 0; k < 3 && weld_finite(x + 3 * i); k++) {
            low[k] = fmin(low[k], x[3 * i + k]);
            high[k] = fmax(high[k], x[3 * i + k]);
        }
    for (int k = 0; k < 3; k++) most = fmax(most, high[k] - low[k]);
    for (int k = 0; k < 3 && most > 0; k++) sum += (high[k] - low[k]) / most * ((high[k] - low[k]) / most);
    return most * sqrt(sum);
}

double sp__weld_tolerance(const double *x, int n, double asked) {
    double low[3];
    if (asked >= 0) return asked;
    double own = 1e-9 * bounds(x, n, low);
    return isfinite(own) ? own : 0;
}

sp_status sp__weld_find(sp_context *ctx, const double *x, int n, const unsigned char *skip, double tolerance, int *same) {
    grid g = {.tolerance = tolerance, .mask = 15};
    double diagonal = bounds(x, n, g.low);
    // cells small enough to hold few nodes, large enough for exact cell numbers
    g.size = fmax(32 * tolerance, 1e-14 * diagonal);
    if (!(g.size > 0) || !isfinite(g.size)) g.size = 1;
    while (g.mask < 2 * (uint64_t)n) g.mask = 2 * g.mask + 1;
    if (!SP_NEW(ctx, g.head, g.mask + 1) || !SP_NEW(ctx, g.next, n)) {
        sp__free(ctx, g.head);
        return SP_FAIL(ctx, SP_NO_MEMORY, "no memory to compare %d nodes", n);
    }
    for (int i = 0; i < n; i++) {
        int64_t own[3];
        same[i] = i;
        if ((skip && skip[i]) || !weld_finite(x + 3 * (size_t)i)) continue;
        same[i] = weld_find(&g, x, i, own);
        if (same[i] != i) continue;
        uint64_t at = hash(own) & g.mask;
        g.next[i] = g.head[at];
        g.head[at] = i + 1;
    }
    sp__free(ctx, g.head);
    sp__free(ctx, g.next);
    return SP_OK;
}
