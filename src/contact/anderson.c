// Sweeps of Gauss-Seidel with Anderson's acceleration. A sweep is a map g; with f = g(x) - x of the last points, the next point
// is g(x) minus the combination of their differences that makes f least in the norm of the weights (Anderson 1965; Walker and Ni
// 2011, type II). The combination may leave the cones, so it is projected. Where f has grown by SETBACK the history misleads: the
// sweeps start again from the last result of a plain sweep.
//
// Contacts of a soft body whose active set is settled are a linear problem with a few slow modes, which five differences remove:
// on a grasped bar 20 to 35 sweeps instead of hundreds.
#include "contact/solve_internal.h"

enum { LOOK = 5 };  // sweeps of a window of the progress
static const double SETBACK = 2, REGULAR = 1e-12;

// f is stored times the root of the weights, so that the norm is that of plain dot products
static void anderson_difference(const sp_cone_run_state *s, const sp_cone_span *island, const double *x, const double *g,
                                double *f) {
    for (int i = island->begin; i < island->end; i++) {
        double root = sqrt(s->weight[i]);
        for (int k = s->p->first[i]; k < s->p->first[i + 1]; k++) f[k] = root * (g[k] - x[k]);
    }
}

static double anderson_dot(const sp_cone_run_state *s, const sp_cone_span *island, const double *a, const double *b) {
    double sum = 0;
    s->kernels->multiply1(island->row_end - island->row, a + island->row, b + island->row, &sum);
    return sum;
}

// A b = right by Cholesky's method, with `more` on the diagonal of A; right holds the result
static void anderson_solve(int m, double A[SP_CONE_HISTORY][SP_CONE_HISTORY], double more, double *right) {
    for (int i = 0; i < m; i++)
        for (int j = 0; j <= i; j++) {
            double t = A[i][j] + (i == j ? more : 0);
            for (int k = 0; k < j; k++) t -= A[i][k] * A[j][k];
            A[i][j] = i == j ? sqrt(fmax(t, more)) : t / A[j][j];
        }
    for (int i = 0; i < m; i++) {
        for (int k = 0; k < i; k++) right[i] -= A[i][k] * right[k];
        right[i] /= A[i][i];
    }
    for (int i = m - 1; i >= 0; i--) {
        for (int k = i + 1; k < m; k++) right[i] -= A[k][i] * right[k];
        right[i] /= A[i][i];
    }
}

static void anderson_project(const sp_cone_run_state *s, const sp_cone_span *island) {
    for (int i = island->begin; i < island->end; i++) {
        const sp_cone_group *group = sp__cone_at(s->p, i);
        double *x = s->x + s->p->first[i], inside[3];
        if (group->kind == SP_CONE_UNILATERAL) x[0] = fmax(0, x[0]);
        if (group->kind != SP_CONE_COULOMB) continue;
        sp__cone_project(group->mu, x, inside);
        memcpy(x, inside, sizeof inside);
    }
}

// the next point from g = s->x and f, and the differences so far
static void anderson_extrapolate(const sp_cone_run_state *s, const sp_cone_span *island, const sp_cone_history *h) {
    double A[SP_CONE_HISTORY][SP_CONE_HISTORY], b[SP_CONE_HISTORY];
    for (int i = 0; i < h->count; i++) {
        b[i] = anderson_dot(s, island, h->df[i], h->f);
        for (int j = 0; j <= i; j++) A[i][j] = anderson_dot(s, island, h->df[i], h->df[j]);
    }
    // a part of f as well: where no point is a solution f never changes, and the combination would be without bounds
    double more = REGULAR * h->square;
    for (int i = 0; i < h->count; i++) more += REGULAR * A[i][i];
    if (!(more > 0)) return;
    anderson_solve(h->count, A, more, b);
    for (int i = 0; i < h->count; i++)
        for (int k = island->row; k < island->row_end; k++) s->x[k] -= b[i] * h->dg[i][k];
    anderson_project(s, island);
}

// Whether the sweeps to come are too many: from the least errors of the last two windows.
static bool anderson_stalls(const sp_cone_run_state *s, double now, double before, double worth) {
    if (!(now < before)) return true;
    return LOOK * log(s->limit / now) / log(now / before) > worth;
}

static bool anderson_converged(const sp_cone_run_state *s, const sp_cone_span *island) {
    sp__cone_island_violation(s, island, s->x, s->u);
    return sp__cone_island_error(s, island, s->x, s->u) <= s->limit;
}

// Keeps the differences of this sweep from the last one. False: f has grown, and the last plain point is restored.
static bool anderson_remember(const sp_cone_run_state *s, const sp_cone_span *island, sp_cone_history *h) {
    size_t bytes = (size_t)(island->row_end - island->row) * sizeof *s->x;
    int from = island->row;
    anderson_difference(s, island, h->x, s->x, h->now);
    double square = anderson_dot(s, island, h->now, h->now);
    if (h->steps > 0 && !(square <= SETBACK * SETBACK * h->square)) {
        memcpy(s->x + from, h->g + from, bytes);
        h->count = h->next = h->steps = 0;
        return false;
    }
    if (h->steps > 0) {
        double *df = h->df[h->next], *dg = h->dg[h->next];
        for (int k = from; k < island->row_end; k++) df[k] = h->now[k] - h->f[k], dg[k] = s->x[k] - h->g[k];
        h->next = (h->next + 1) % SP_CONE_HISTORY;
        if (h->count < SP_CONE_HISTORY) h->count++;
    }
    memcpy(h->f + from, h->now + from, bytes), memcpy(h->g + from, s->x + from, bytes);
    h->steps++, h->square = square;
    return true;
}

void sp__cone_accelerated(const sp_cone_run_state *s, const sp_cone_span *island, sp_cone_history h, int sweeps, bool parallel,
                          int patience, double worth, sp_cone_outcome *out) {
    double least = INFINITY, before = INFINITY;
    h.count = h.next = h.steps = 0;
    for (int k = 1; k <= sweeps; k++) {
        sp_cone_outcome now = {0};
        memcpy(h.x + island->row, s->x + island->row, (size_t)(island->row_end - island->row) * sizeof *s->x);
        sp__cone_sweep(s, island, 1, parallel, &now);
        out->sweeps++, out->error = now.error, out->expired = now.expired;
        out->converged = now.converged && anderson_converged(s, island);
        if (out->converged || out->expired) return;
        least = fmin(least, now.error);
        if (k % LOOK == 0) {
            out->stalled = k > LOOK && k >= patience && anderson_stalls(s, least, before, worth);
            if (out->stalled) return;
            before = least, least = INFINITY;
        }
        if (k < sweeps && anderson_remember(s, island, &h) && h.count > 0) anderson_extrapolate(s, island, &h);
    }
    out->stalled = true;
}
