// The V-cycle: smooth, correct from the level above, smooth again with the same polynomial, so that the whole is symmetric.
//
// The smoother is Chebyshev's polynomial of degree two over the upper part of the spectrum (Adams, Brezina, Hu and Tuminaro
// 2003). In scaled unknowns it is a in + b A in: one pass over the rows. A level takes four of them, and P and P^T once each.
// Degree one takes two passes but 18 iterations instead of 12, degree three six and 10 (beam of 41,472 tetrahedra): no gain in
// either.
//
// With S the smoother the whole is 2 S - S A S + (I - S A) P C^-1 P^T (I - A S), C the level above: positive definite as long as
// the polynomial stays within -1 and 1 on the spectrum, which `lowest` and `margin` see to, whatever rounding does to A.
#include "linear/multigrid.h"

static const double lowest = 0.1;   // of the largest eigenvalue: what is below is left to the coarse levels
static const double margin = 1.05;  // the estimate lies below the largest eigenvalue by a few per cent
enum { LANCZOS = 10 };

typedef struct step {
    sp_multigrid *m;
    const sp_grid_level *v;
    double a, b, c;
    const void *base, *in;
    void *out;
    const double *from;
    double *to;
} step;

static void range_of(const sp_grid *g, int task, int *begin, int *end) {
    int rows = sp__grid_task_rows(g);
    *begin = task * rows;
    *end = *begin + rows < g->n ? *begin + rows : g->n;
}

// ------------------------------------------------------------------------------------------------ passes

static void rows_task(void *arg, int task, int worker) {
    (void)worker;
    const step *s = arg;
    int begin, end;
    range_of(s->v->g, task, &begin, &end);
    s->m->loops->rows(s->v->g, begin, end, s->v->off, s->a, s->b, s->base, s->in, s->out);
}

static void restrict_task(void *arg, int task, int worker) {
    (void)worker;
    const step *s = arg;
    int begin, end;
    range_of(s->v[1].g, task, &begin, &end);
    s->m->loops->restrict_rows(s->v->g, begin, end, s->v->turned, s->in, s->out);
}

static void prolong_task(void *arg, int task, int worker) {
    (void)worker;
    const step *s = arg;
    int begin, end;
    range_of(s->v->g, task, &begin, &end);
    s->m->loops->prolong_rows(s->v->g, begin, end, s->v->pro, s->in, s->out);
}

static void enter_task(void *arg, int task, int worker) {
    (void)worker;
    const step *s = arg;
    int begin, end;
    range_of(s->v->g, task, &begin, &end);
    s->m->loops->enter(begin, end, s->v->root, s->a, s->from, s->out);
}

static void leave_task(void *arg, int task, int worker) {
    (void)worker;
    const step *s = arg;
    int begin, end;
    range_of(s->v->g, task, &begin, &end);
    s->m->loops->leave(begin, end, s->v->root, s->a, s->in, s->to);
}

// out = base + a in + b (A - I) in
static void rows(sp_multigrid *m, int l, bool alone, double a, double b, const void *base, const void *in, void *out) {
    step s = {.m = m, .v = &m->level[l], .a = a, .b = b, .base = base, .in = in, .out = out};
    sp__grid_each(m, alone, s.v->g->tasks, rows_task, &s);
}

// ------------------------------------------------------------------------------------------------ the cycle

// With t = (L + l) / 2, d = (L - l) / 2 and s = t / d the polynomial that is smallest on [l, L] and 1 at 0 is
// T2((t - x) / d) / T2(s), T2(y) = 2 y^2 - 1; what it leaves of b is b - A (alpha b + beta A b).
static void polynomial(double largest, double *alpha, double *beta) {
    double t = 0.5 * largest * (1 + lowest), d = 0.5 * largest * (1 - lowest), s = t / d, T2 = 2 * s * s - 1;
    *alpha = 4 * s / (d * T2);
    *beta = -2 / (d * d * T2);
}

static void solve_last(sp_multigrid *m, sp_grid_level *v) {
    size_t b = (size_t)v->g->block, stride = (size_t)sp__grid_stride(v->g), n = (size_t)v->g->n;
    bool single = m->loops->size == sizeof(float);
    for (size_t i = 0; i < n; i++)
        for (size_t r = 0; r < b; r++)
            m->last[b * i + r] = single ? (double)((float *)v->b)[stride * i + r] : ((double *)v->b)[stride * i + r];
    sp__factor_solve(m->F, m->last, m->last, true);
    for (size_t i = 0; i < n; i++)
        for (size_t r = 0; r < b; r++) {
            if (single)
                ((float *)v->x)[stride * i + r] = (float)m->last[b * i + r];
            else
                ((double *)v->x)[stride * i + r] = m->last[b * i + r];
        }
}

// x of level l from its b
static void cycle(sp_multigrid *m, int l) {
    sp_grid_level *v = &m->level[l];
    double alpha, beta;
    if (!v->g->coarse) {
        solve_last(m, v);
        return;
    }
    polynomial(v->lambda, &alpha, &beta);
    rows(m, l, false, alpha + beta, beta, NULL, v->b, v->x);
    rows(m, l, false, -1, -1, v->b, v->x, v->r);
    step down = {.m = m, .v = v, .in = v->r, .out = v[1].b}, up = {.m = m, .v = v, .in = v[1].x, .out = v->x};
    sp__grid_each(m, false, v[1].g->tasks, restrict_task, &down);
    cycle(m, l + 1);
    sp__grid_each(m, false, v->g->tasks, prolong_task, &up);
    rows(m, l, false, -1, -1, v->b, v->x, v->r);
    rows(m, l, false, alpha + beta, beta, v->x, v->r, v->x);
}

// A power of two that brings the largest number of r near 1: float has no room for very small residuals. 0: nothing to do.
static double power_near(const double *r, int n) {
    double most = 0;
    int exponent;
    for (int i = 0; i < n; i++) most = fabs(r[i]) > most ? fabs(r[i]) : most;
    if (!(most > 0 && most < INFINITY)) return most > 0 ? 1 : 0;
    frexp(most, &exponent);
    return ldexp(1, exponent);
}

void sp__grid_cycle(sp_multigrid *m, const double *r, double *z) {
    sp_grid_level *v = &m->level[0];
    double size = power_near(r, m->base.n);
    if (size == 0) {
        memset(z, 0, sizeof *z * (size_t)m->base.n);
        return;
    }
    step in = {.m = m, .v = v, .a = 1 / size, .from = r, .out = v->b}, out = {.m = m, .v = v, .a = size, .in = v->x, .to = z};
    sp__grid_each(m, false, v->g->tasks, enter_task, &in);
    cycle(m, 0);
    sp__grid_each(m, false, v->g->tasks, leave_task, &out);
}

// ------------------------------------------------------------------------------------------------ the largest eigenvalue

static void dot_task(void *arg, int task, int worker) {
    (void)worker;
    const step *s = arg;
    int begin, end, stride = sp__grid_stride(s->v->g);
    range_of(s->v->g, task, &begin, &end);
    s->m->partial[task] = s->m->loops->dot(stride * begin, stride * end, s->base, s->in);
}

static double dot(sp_multigrid *m, const sp_grid_level *v, bool alone, const void *x, const void *y) {
    step s = {.m = m, .v = v, .base = x, .in = y};
    double sum = 0;
    sp__grid_each(m, alone, v->g->tasks, dot_task, &s);
    for (int t = 0; t < v->g->tasks; t++) sum += m->partial[t];
    return sum;
}

static void mix_task(void *arg, int task, int worker) {
    (void)worker;
    const step *s = arg;
    int begin, end, stride = sp__grid_stride(s->v->g);
    range_of(s->v->g, task, &begin, &end);
    s->m->loops->mix(stride * begin, stride * end, s->a, s->out, s->b, s->base, s->c, s->in);
}

// out = a out + b x + c y
static void mix(sp_multigrid *m, const sp_grid_level *v, bool alone, double a, void *out, double b, const void *x, double c,
                const void *y) {
    step s = {.m = m, .v = v, .a = a, .b = b, .c = c, .base = x, .in = y, .out = out};
    sp__grid_each(m, alone, v->g->tasks, mix_task, &s);
}

// numbers of no regularity, the same each time
static void start_task(void *arg, int task, int worker) {
    (void)worker;
    const step *s = arg;
    const sp_grid *g = s->v->g;
    int begin, end, stride = sp__grid_stride(g);
    range_of(g, task, &begin, &end);
    for (int i = begin; i < end; i++)
        for (int r = 0; r < stride; r++) {
            size_t at = (size_t)stride * (size_t)i + (size_t)r;
            double x = r < g->block ? (double)(sp__mix(1, at) >> 11) * 0x1p-52 - 1 : 0;
            if (s->m->loops->size == sizeof(float))
                ((float *)s->out)[at] = (float)x;
            else
                ((double *)s->out)[at] = x;
        }
}

// eigenvalues of the tridiagonal matrix (a on its diagonal, b beside it) that lie below x: Sturm's sequence
static int count_below(int n, const double *a, const double *b, double x) {
    int count = 0;
    double d = 1;
    for (int i = 0; i < n; i++) {
        d = a[i] - x - (i > 0 ? b[i - 1] * b[i - 1] / d : 0);
        if (d == 0) d = 1e-300;
        count += d < 0;
    }
    return count;
}

static double largest_of(int n, const double *a, const double *b) {
    double low = 0, high = 1;
    while (count_below(n, a, b, high) < n && high < 1e6) low = high, high *= 2;
    for (int halving = 0; halving < 30; halving++) {
        double middle = 0.5 * (low + high);
        if (count_below(n, a, b, middle) < n)
            low = middle;
        else
            high = middle;
    }
    return high;
}

// A few steps of Lanczos (1950); the vectors of the cycle are free while the level is made.
double sp__grid_largest(sp_multigrid *m, int l, bool alone) {
    sp_grid_level *level = &m->level[l];
    double a[LANCZOS], b[LANCZOS];
    void *v = level->x, *w = level->r, *before = level->b;
    int n = 0;
    step s = {.m = m, .v = level, .out = v};
    sp__grid_each(m, alone, level->g->tasks, start_task, &s);
    mix(m, level, alone, 1 / sqrt(dot(m, level, alone, v, v)), v, 0, v, 0, v);
    while (n < LANCZOS) {
        rows(m, l, alone, 1, 1, NULL, v, w);
        a[n] = dot(m, level, alone, v, w);
        mix(m, level, alone, 1, w, -a[n], v, n > 0 ? -b[n - 1] : 0, n > 0 ? before : v);
        b[n] = sqrt(dot(m, level, alone, w, w));
        n++;
        if (!(b[n - 1] > 1e-3)) break;
        mix(m, level, alone, 1 / b[n - 1], w, 0, w, 0, w);
        void *old = before;
        before = v, v = w, w = old;
    }
    return margin * largest_of(n, a, b);
}
