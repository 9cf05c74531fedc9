// Anderson's mixing (1965; Walker and Ni 2011, type II) for Newton's method with an approximate tangent. With frozen rotations
// the correction d(x) = A(x)^-1 r(x) makes x + d(x) a fixed-point iteration that converges slowly where much turns. From the last
// few pairs (dx, dd) it finds the combination that would have made the newest d smallest, and goes on from there:
//   gamma = argmin |d - DD gamma|,   direction = d - (DX + DD) gamma
#include "body/drive.h"

enum { DEPTH = SP_ANDERSON_DEPTH };

static double *vector(const sp_anderson *a, int k) {
    return a->b->history + (size_t)k * (size_t)a->b->nv;
}

// layout of the history: last x, last d, then pairs
static double *dx_of(const sp_anderson *a, int k) {
    return vector(a, 2 + 2 * k);
}

static double *dd_of(const sp_anderson *a, int k) {
    return vector(a, 3 + 2 * k);
}

sp_status sp__anderson_begin(sp_anderson *a, sp_body *b) {
    *a = (sp_anderson){.b = b};
    if (b->history || (b->caps & SP_CAP_EXACT_TANGENT)) return SP_OK;
    b->history = sp__alloc(b->ctx, (size_t)b->nv, (2 + 2 * DEPTH) * sizeof(double));
    return b->history ? SP_OK : SP_BODY_FAIL(b, SP_NO_MEMORY, "no memory for Newton's history of body '%s'", b->name);
}

void sp__anderson_restart(sp_anderson *a) {
    a->count = a->next = 0;
    a->started = false;
}

static double dot(const double *a, const double *b, int n) {
    double sum = 0;
    for (int i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

// G gamma = g by Cholesky, a little weight on the diagonal against pairs that say the same; false: not even so
static bool solve_small(int n, double G[DEPTH][DEPTH], double *g) {
    for (int i = 0; i < n; i++) G[i][i] *= 1 + 1e-10;
    for (int j = 0; j < n; j++) {
        for (int k = 0; k < j; k++) G[j][j] -= G[j][k] * G[j][k];
        if (!(G[j][j] > 0)) return false;
        G[j][j] = sqrt(G[j][j]);
        for (int i = j + 1; i < n; i++) {
            for (int k = 0; k < j; k++) G[i][j] -= G[i][k] * G[j][k];
            G[i][j] /= G[j][j];
        }
    }
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < i; k++) g[i] -= G[i][k] * g[k];
        g[i] /= G[i][i];
    }
    for (int i = n - 1; i >= 0; i--) {
        for (int k = i + 1; k < n; k++) g[i] -= G[k][i] * g[k];
        g[i] /= G[i][i];
    }
    return true;
}

static void remember(sp_anderson *a, const double *x, const double *d) {
    double *last_x = vector(a, 0), *last_d = vector(a, 1);
    int n = a->b->nv;
    if (a->started) {
        double *dx = dx_of(a, a->next), *dd = dd_of(a, a->next);
        for (int i = 0; i < n; i++) dx[i] = x[i] - last_x[i], dd[i] = d[i] - last_d[i];
        a->next = (a->next + 1) % DEPTH;
        if (a->count < DEPTH) a->count++;
    }
    memcpy(last_x, x, (size_t)n * sizeof *x);
    memcpy(last_d, d, (size_t)n * sizeof *d);
    a->started = true;
}

bool sp__anderson_mix(sp_anderson *a, const double *x, double *d) {
    double G[DEPTH][DEPTH], g[DEPTH];
    int n = a->b->nv;
    remember(a, x, d);
    for (int i = 0; i < a->count; i++) {
        g[i] = dot(dd_of(a, i), d, n);
        for (int j = 0; j <= i; j++) G[i][j] = G[j][i] = dot(dd_of(a, i), dd_of(a, j), n);
    }
    if (a->count == 0 || !solve_small(a->count, G, g)) return false;
    for (int k = 0; k < a->count; k++) {
        const double *dx = dx_of(a, k), *dd = dd_of(a, k);
        for (int i = 0; i < n; i++) d[i] -= g[k] * (dx[i] + dd[i]);
    }
    return true;
}

void sp__anderson_plain(const sp_anderson *a, double *d) {
    memcpy(d, vector(a, 1), (size_t)a->b->nv * sizeof *d);
}
