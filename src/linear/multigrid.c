// Smoothed aggregation multigrid as a preconditioner: the number of iterations does not grow with the size of the body
// (multigrid.h).
//
// create allocates all memory and chooses the aggregates. If the matrix has values, create uses them, so that stiff and soft
// parts do not share an aggregate. build computes the levels from fine to coarse; apply is one V-cycle.
#include "linear/multigrid.h"

#include "math/vec3.h"

// ============================================================================================= values of a level

// Values of a level and of the transfer to the next one: diagonal blocks scaled to the identity, orthonormal rigid body modes of
// each aggregate (tentative prolongator), one step of damped Jacobi on them (smoothed prolongator), and the Galerkin product P^T
// A P.
//
// The near-kernel of a corotational body is not w x X with the rest positions X. Where the body is rotated by R, it is w x (R X).
// Each aggregate therefore rotates its rest shape by the mean rotation of its rows. A beam of 41,472 tetrahedra, bent by 86 and
// twisted by 172 degrees, then takes 12 iterations like the straight beam; without the rotation it takes 27.

typedef struct level_pass {
    sp_multigrid *m;
    int l;
    const sp_symmetric *A;
    const double *node_rotations;
    atomic_int failed;  // lowest row whose diagonal block is not positive definite; n: none
} level_pass;

// Calls fn(arg, task, worker) for every task: on all workers, or sequentially if alone.
static void grid_each(sp_multigrid *m, bool alone, int tasks, sp_task_fn *fn, void *arg) {
    if (!alone) {
        sp__chunks_each(m->base.ctx, m->base.be, tasks, fn, arg);
        return;
    }
    for (int t = 0; t < tasks; t++) fn(arg, t, 0);
}

static void task_range(const sp_grid *g, int task, int *begin, int *end) {
    int rows = sp__grid_task_rows(g);
    *begin = task * rows;
    *end = *begin + rows < g->n ? *begin + rows : g->n;
}

// ------------------------------------------------------------------------------------------------ level 0

static void copy_rows(void *arg, int task, int worker) {
    (void)worker;
    const level_pass *p = arg;
    const sp_grid *g = p->m->level[0].g;
    int begin, end, b2 = g->block * g->block;
    task_range(g, task, &begin, &end);
    for (int k = g->half_start[begin]; k < g->half_start[end]; k++) {
        const double *v = sp__symmetric_block(p->A, k);
        double *out = p->m->level[0].half + (size_t)b2 * (size_t)k;
        for (int e = 0; e < b2; e++) out[e] = v[(size_t)p->A->stride * (size_t)e];
    }
}

// true if unknown r of row i is coupled to another unknown. Fixed unknowns are not, and are excluded from the rigid body modes.
static bool is_linked(const sp_grid *g, const double *half, int i, int r) {
    int b = g->block;
    const double *D = half + (size_t)(b * b) * (size_t)g->half_start[i];
    for (int c = 0; c < b; c++)
        if (c != r && D[b * r + c] != 0) return true;
    for (int k = g->start[i]; k < g->start[i + 1]; k++) {
        const double *A = half + (size_t)(b * b) * (size_t)(g->from[k] >> 1);
        for (int c = 0; c < b; c++)
            if ((g->from[k] & 1 ? A[b * c + r] : A[b * r + c]) != 0) return true;
    }
    return false;
}

// the modes of a node are its translations
static void node_modes(void *arg, int task, int worker) {
    (void)worker;
    const level_pass *p = arg;
    sp_grid_level *v = &p->m->level[0];
    int begin, end;
    task_range(v->g, task, &begin, &end);
    for (int i = begin; i < end; i++) {
        double *B = v->modes + 18 * (size_t)i;
        memset(B, 0, 18 * sizeof *B);
        for (int r = 0; r < 3; r++) B[7 * r] = is_linked(v->g, v->half, i, r) ? 1 : 0;
        if (p->node_rotations) memcpy(v->frame + 9 * (size_t)i, p->node_rotations + 9 * (size_t)i, 9 * sizeof *v->frame);
    }
}

// matrix and rigid body modes of level 0
static void grid_first(sp_multigrid *m, const sp_symmetric *A, bool alone) {
    level_pass p = {.m = m, .A = A, .node_rotations = m->base.node_rotations};
    grid_each(m, alone, m->level[0].g->tasks, copy_rows, &p);
    if (m->level[0].modes) grid_each(m, alone, m->level[0].g->tasks, node_modes, &p);
}

// ------------------------------------------------------------------------------------------------ scaling

// out = L^-T of D = L L^T (b x b, row-major); L: workspace of b x b. False: not positive definite.
static inline bool invert_root(int b, const double *D, double *L, double *out) {
    double inverse[6];
    memset(out, 0, sizeof *out * (size_t)(b * b));
    for (int j = 0; j < b; j++) {
        double sum = D[(b + 1) * j];
        for (int k = 0; k < j; k++) sum -= L[b * j + k] * L[b * j + k];
        if (!(sum > 0 && sum < INFINITY)) return false;
        L[(b + 1) * j] = sqrt(sum), inverse[j] = 1 / L[(b + 1) * j];
        for (int i = j + 1; i < b; i++) {
            sum = D[b * i + j];
            for (int k = 0; k < j; k++) sum -= L[b * i + k] * L[b * j + k];
            L[b * i + j] = sum * inverse[j];
        }
    }
    for (int j = 0; j < b; j++)
        for (int i = j; i < b; i++) {
            double sum = i == j;
            for (int k = j; k < i; k++) sum -= L[b * i + k] * out[b * j + k];
            out[b * j + i] = sum * inverse[i];
        }
    return true;
}

// computes the roots of the diagonal blocks and the modes of each row in scaled unknowns. An unknown that no mode of its
// aggregate uses gets a unit diagonal.
static void root_rows(void *arg, int task, int worker) {
    (void)worker;
    level_pass *p = arg;
    const sp_grid_level *v = &p->m->level[p->l];
    int begin, end, b = v->g->block;
    task_range(v->g, task, &begin, &end);
    for (int i = begin; i < end; i++) {
        double *D = v->half + (size_t)(b * b) * (size_t)v->g->half_start[i], *root = v->root + (size_t)(b * b) * (size_t)i, L[36];
        for (int r = 0; r < b; r++)
            if (D[(b + 1) * r] == 0 && p->l > 0) D[(b + 1) * r] = 1;
        if (!(b == 3 ? invert_root(3, D, L, root) : invert_root(6, D, L, root))) {
            int least = atomic_load(&p->failed);
            while (i < least && !atomic_compare_exchange_weak(&p->failed, &least, i)) {}
            return;
        }
        for (int e = 0; e < b * b; e++) D[e] = e % (b + 1) == 0;
        if (!v->modes) continue;
        double *B = v->modes + (size_t)(6 * b) * (size_t)i;
        for (int r = 0; r < b; r++)  // L^T B in place, from the first row: the rows below still have the old values
            for (int c = 0; c < 6; c++) {
                double sum = 0;
                for (int k = r; k < b; k++) sum += L[b * k + r] * B[6 * k + c];
                B[6 * r + c] = sum;
            }
    }
}

static void scale_rows(void *arg, int task, int worker) {
    (void)worker;
    const level_pass *p = arg;
    const sp_grid_level *v = &p->m->level[p->l];
    int begin, end;
    task_range(v->g, task, &begin, &end);
    p->m->products->scale(v->g, begin, end, v->root, v->half);
}

static void load_rows(void *arg, int task, int worker) {
    (void)worker;
    const level_pass *p = arg;
    const sp_grid_level *v = &p->m->level[p->l];
    int begin, end;
    task_range(v->g, task, &begin, &end);
    p->m->loops->load_matrix(v->g, begin, end, v->half, v->off);
}

// returns a row whose diagonal block is not positive definite; -1: none
static int grid_scale(sp_multigrid *m, int l, bool alone) {
    const sp_grid *g = m->level[l].g;
    level_pass p = {.m = m, .l = l};
    atomic_init(&p.failed, g->n);
    grid_each(m, alone, g->tasks, root_rows, &p);
    int failed = atomic_load(&p.failed);
    if (failed < g->n) return failed;
    grid_each(m, alone, g->tasks, scale_rows, &p);
    if (g->coarse) grid_each(m, alone, g->tasks, load_rows, &p);
    return -1;
}

// ------------------------------------------------------------------------------------------------ rigid body modes

// The rotation nearest to the mean M, by Newton's iteration for the polar factor; `first` if M is far from any rotation.
static void nearest_rotation(const double *first, double *M) {
    for (int step = 0; step < 20; step++) {
        double inverse[9], next[9], change = 0;
        if (!(sp__inverse3(M, inverse) > 1e-3)) {
            memcpy(M, first, 9 * sizeof *M);
            return;
        }
        for (int e = 0; e < 9; e++) {
            next[e] = 0.5 * (M[e] + inverse[3 * (e % 3) + e / 3]);
            change = fmax(change, fabs(next[e] - M[e]));
        }
        memcpy(M, next, sizeof next);
        if (change < 1e-14) return;
    }
}

static void mean_frame(const sp_grid_level *v, int a, double *out) {
    const sp_grid *g = v->g;
    int first = g->member_start[a], last = g->member_start[a + 1];
    memset(out, 0, 9 * sizeof *out);
    for (int k = first; k < last; k++)
        for (int e = 0; e < 9; e++) out[e] += v->frame[9 * (size_t)g->member[k] + (size_t)e] / (last - first);
    nearest_rotation(v->frame + 9 * (size_t)g->member[first], out);
}

// T_i: rigid body modes of aggregate a about its point, in the unknowns of its row i. A row (u, w) of the modes about the point
// of the row becomes (u, w + d x u), d from the point of the aggregate to the point of the row.
static void shift_modes(const sp_grid_level *v, int i, const double *centre, const double *frame) {
    int b = v->g->block;
    double rest[3], d[3];
    sp__sub3(v->g->point + 3 * (size_t)i, centre, rest);
    if (frame)
        sp__mul3(frame, rest, d);
    else
        memcpy(d, rest, sizeof d);
    for (int r = 0; r < b; r++) {
        const double *B = v->modes + 6 * ((size_t)b * (size_t)i + (size_t)r);
        double *T = v->T + 6 * ((size_t)b * (size_t)i + (size_t)r), turn[3];
        sp__cross3(d, B, turn);
        for (int c = 0; c < 3; c++) T[c] = B[c], T[3 + c] = B[3 + c] + turn[c];
    }
}

// G = R^T R, R upper triangular. Linearly dependent columns, such as the rotation of two nodes about their common axis, are
// dropped: their row of R is zero.
static void root_of_gram(const double *G, double *R) {
    const double dependent = 1e-10;  // for squared norms: columns closer than 1e-5 to the span of the others
    memset(R, 0, 36 * sizeof *R);
    for (int j = 0; j < 6; j++) {
        for (int k = 0; k < j; k++) {
            double sum = G[6 * k + j];
            for (int e = 0; e < k; e++) sum -= R[6 * e + k] * R[6 * e + j];
            R[6 * k + j] = R[7 * k] > 0 ? sum / R[7 * k] : 0;
        }
        double left = G[7 * j];
        for (int k = 0; k < j; k++) left -= R[6 * k + j] * R[6 * k + j];
        if (left > dependent * G[7 * j]) R[7 * j] = sqrt(left);
    }
    for (int j = 0; j < 6; j++)
        if (R[7 * j] == 0)
            for (int c = j + 1; c < 6; c++) R[6 * j + c] = 0;
}

// S = R^-1; dropped columns stay zero
static void invert_upper(const double *R, double *S) {
    memset(S, 0, 36 * sizeof *S);
    for (int j = 0; j < 6; j++) {
        if (R[7 * j] == 0) continue;
        S[7 * j] = 1 / R[7 * j];
        for (int i = 0; i < j; i++) {
            double sum = 0;
            for (int k = i; k < j; k++) sum -= S[6 * i + k] * R[6 * k + j];
            S[6 * i + j] = sum / R[7 * j];
        }
    }
}

// for the aggregates of one task of the next level: mean rotations, tentative prolongator, and modes in the coarse unknowns
static void tentative_rows(void *arg, int task, int worker) {
    (void)worker;
    const level_pass *p = arg;
    sp_grid_level *v = &p->m->level[p->l], *up = v + 1;
    const sp_grid *g = v->g;
    int begin, end, b = g->block;
    task_range(up->g, task, &begin, &end);
    for (int a = begin; a < end; a++) {
        double *frame = p->node_rotations ? up->frame + 9 * (size_t)a : NULL, R[36], S[36], G[36] = {0};
        if (frame) mean_frame(v, a, frame);
        for (int k = g->member_start[a]; k < g->member_start[a + 1]; k++) {
            shift_modes(v, g->member[k], up->g->point + 3 * (size_t)a, frame);
            p->m->products->gram(b, v->T + (size_t)(6 * b) * (size_t)g->member[k], G);
        }
        root_of_gram(G, R);
        invert_upper(R, S);
        for (int k = g->member_start[a]; k < g->member_start[a + 1]; k++)
            p->m->products->times(b, S, v->T + (size_t)(6 * b) * (size_t)g->member[k]);
        if (up->modes) memcpy(up->modes + 36 * (size_t)a, R, sizeof R);
    }
}

// ------------------------------------------------------------------------------------------------ the next level

static void smooth_rows(void *arg, int task, int worker) {
    const level_pass *p = arg;
    const sp_grid_level *v = &p->m->level[p->l];
    int begin, end;
    task_range(v->g, task, &begin, &end);
    // 4/3 over the largest eigenvalue (Vanek, Mandel and Brezina 1996, section 3)
    p->m->products->prolongator(v->g, begin, end, v->half, 4.0 / 3.0 / v->lambda, v->T, p->m->W + p->m->W_size * (size_t)worker,
                                v->P);
}

static void clear_rows(void *arg, int task, int worker) {
    (void)worker;
    const level_pass *p = arg;
    const sp_grid_level *up = &p->m->level[p->l + 1];
    int begin, end;
    task_range(up->g, task, &begin, &end);
    size_t first = (size_t)up->g->half_start[begin], last = (size_t)up->g->half_start[end];
    memset(up->half + 36 * first, 0, sizeof *up->half * 36 * (last - first));
}

typedef struct colour {
    sp_multigrid *m;
    int l;
    const int *task;
} colour;

static void galerkin_rows(void *arg, int task, int worker) {
    const colour *c = arg;
    sp_multigrid *m = c->m;
    const sp_grid_level *v = &m->level[c->l];
    int begin, end;
    if (sp__precond_stopped(&m->base)) return;
    task_range(v->g, c->task[task], &begin, &end);
    m->products->galerkin(v->g, begin, end, v->half, v->P, m->W + m->W_size * (size_t)worker, v[1].half);
}

static void load_prolongator(void *arg, int task, int worker) {
    (void)worker;
    const level_pass *p = arg;
    const sp_grid_level *v = &p->m->level[p->l];
    int begin, end;
    task_range(v[1].g, task, &begin, &end);
    p->m->loops->load_prolongator(v->g, begin, end, v->P, v[1].root, v->pro, v->turned);
}

static double grid_largest(sp_multigrid *m, int l, bool alone);

// prolongator, and matrix of level l + 1
static void grid_coarsen(sp_multigrid *m, int l, bool alone) {
    sp_grid_level *v = &m->level[l];
    const sp_grid *g = v->g;
    level_pass p = {.m = m, .l = l, .node_rotations = m->base.node_rotations};
    v->lambda = grid_largest(m, l, alone);
    grid_each(m, alone, v[1].g->tasks, tentative_rows, &p);
    grid_each(m, alone, g->tasks, smooth_rows, &p);
    grid_each(m, alone, v[1].g->tasks, clear_rows, &p);
    for (int c = 0; c < g->colours; c++) {
        colour of = {m, l, g->colour_task + g->colour_start[c]};
        grid_each(m, alone, g->colour_start[c + 1] - g->colour_start[c], galerkin_rows, &of);
    }
}

// prolongator of the cycle, after level l + 1 is scaled
static void grid_finish(sp_multigrid *m, int l, bool alone) {
    level_pass p = {.m = m, .l = l};
    grid_each(m, alone, m->level[l + 1].g->tasks, load_prolongator, &p);
}

// ======================================================================================================= V-cycle

// V-cycle: pre-smoothing, coarse correction, post-smoothing with the same polynomial, so that the cycle is symmetric.
//
// The smoother is the Chebyshev polynomial of degree two over the upper part of the spectrum (Adams, Brezina, Hu and Tuminaro
// 2003). In scaled unknowns it is a in + b A in: one pass over the rows. A level makes four such passes, and one product each
// with P and P^T. On a beam of 41,472 tetrahedra degree one makes two passes but takes 18 iterations instead of 12, degree three
// makes six passes and takes 10: neither is faster.
//
// With the smoother S, the cycle is 2 S - S A S + (I - S A) P C^-1 P^T (I - A S), C the coarse matrix. It is positive definite as
// long as the polynomial stays within -1 and 1 on the spectrum. `lowest_share` and `margin` ensure this in spite of rounding
// errors in A.

static const double lowest_share = 0.1;  // of the largest eigenvalue: the coarse levels reduce the modes below
static const double margin = 1.05;       // the estimate is a few per cent below the largest eigenvalue
enum { LANCZOS = 10 };

typedef struct cycle_step {
    sp_multigrid *m;
    const sp_grid_level *v;
    double a, b, c;
    const void *base, *in;
    void *out;
    const double *from;
    double *to;
} cycle_step;

// ------------------------------------------------------------------------------------------------ passes

static void rows_task(void *arg, int task, int worker) {
    (void)worker;
    const cycle_step *s = arg;
    int begin, end;
    task_range(s->v->g, task, &begin, &end);
    s->m->loops->rows(s->v->g, begin, end, s->v->off, s->a, s->b, s->base, s->in, s->out);
}

static void restrict_task(void *arg, int task, int worker) {
    (void)worker;
    const cycle_step *s = arg;
    int begin, end;
    task_range(s->v[1].g, task, &begin, &end);
    s->m->loops->restrict_rows(s->v->g, begin, end, s->v->turned, s->in, s->out);
}

static void prolong_task(void *arg, int task, int worker) {
    (void)worker;
    const cycle_step *s = arg;
    int begin, end;
    task_range(s->v->g, task, &begin, &end);
    s->m->loops->prolong_rows(s->v->g, begin, end, s->v->pro, s->in, s->out);
}

static void enter_task(void *arg, int task, int worker) {
    (void)worker;
    const cycle_step *s = arg;
    int begin, end;
    task_range(s->v->g, task, &begin, &end);
    s->m->loops->enter(begin, end, s->v->root, s->a, s->from, s->out);
}

static void leave_task(void *arg, int task, int worker) {
    (void)worker;
    const cycle_step *s = arg;
    int begin, end;
    task_range(s->v->g, task, &begin, &end);
    s->m->loops->leave(begin, end, s->v->root, s->a, s->in, s->to);
}

// out = base + a in + b (A - I) in
static void cycle_rows(sp_multigrid *m, int l, bool alone, double a, double b, const void *base, const void *in, void *out) {
    cycle_step s = {.m = m, .v = &m->level[l], .a = a, .b = b, .base = base, .in = in, .out = out};
    grid_each(m, alone, s.v->g->tasks, rows_task, &s);
}

// ------------------------------------------------------------------------------------------------ smoother and cycle

// With t = (L + l) / 2, d = (L - l) / 2 and s = t / d, the polynomial that is smallest on [l, L] and 1 at 0 is T2((t - x) / d) /
// T2(s), T2(y) = 2 y^2 - 1. Applied to b it gives the residual b - A (alpha b + beta A b).
static void cycle_polynomial(double largest, double *alpha, double *beta) {
    double t = 0.5 * largest * (1 + lowest_share), d = 0.5 * largest * (1 - lowest_share), s = t / d, T2 = 2 * s * s - 1;
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

// computes x of level l from its b
static void cycle_cycle(sp_multigrid *m, int l) {
    sp_grid_level *v = &m->level[l];
    double alpha, beta;
    if (!v->g->coarse) {
        solve_last(m, v);
        return;
    }
    cycle_polynomial(v->lambda, &alpha, &beta);
    cycle_rows(m, l, false, alpha + beta, beta, NULL, v->b, v->x);
    cycle_rows(m, l, false, -1, -1, v->b, v->x, v->r);
    cycle_step down = {.m = m, .v = v, .in = v->r, .out = v[1].b}, up = {.m = m, .v = v, .in = v[1].x, .out = v->x};
    grid_each(m, false, v[1].g->tasks, restrict_task, &down);
    cycle_cycle(m, l + 1);
    grid_each(m, false, v->g->tasks, prolong_task, &up);
    cycle_rows(m, l, false, -1, -1, v->b, v->x, v->r);
    cycle_rows(m, l, false, alpha + beta, beta, v->x, v->r, v->x);
}

// A power of two near the largest magnitude in r: float cannot represent very small residuals. 0: r is zero.
static double power_near(const double *r, int n) {
    double most = 0;
    int exponent;
    for (int i = 0; i < n; i++) most = fabs(r[i]) > most ? fabs(r[i]) : most;
    if (!(most > 0 && most < INFINITY)) return most > 0 ? 1 : 0;
    frexp(most, &exponent);
    return ldexp(1, exponent);
}

static void grid_cycle(sp_multigrid *m, const double *r, double *z) {
    sp_grid_level *v = &m->level[0];
    double size = power_near(r, m->base.n);
    if (size == 0) {
        memset(z, 0, sizeof *z * (size_t)m->base.n);
        return;
    }
    cycle_step in = {.m = m, .v = v, .a = 1 / size, .from = r, .out = v->b},
               out = {.m = m, .v = v, .a = size, .in = v->x, .to = z};
    grid_each(m, false, v->g->tasks, enter_task, &in);
    cycle_cycle(m, 0);
    grid_each(m, false, v->g->tasks, leave_task, &out);
}

// ------------------------------------------------------------------------------------------------ largest eigenvalue

static void dot_task(void *arg, int task, int worker) {
    (void)worker;
    const cycle_step *s = arg;
    int begin, end, stride = sp__grid_stride(s->v->g);
    task_range(s->v->g, task, &begin, &end);
    s->m->partial[task] = s->m->loops->dot(stride * begin, stride * end, s->base, s->in);
}

static double cycle_dot(sp_multigrid *m, const sp_grid_level *v, bool alone, const void *x, const void *y) {
    cycle_step s = {.m = m, .v = v, .base = x, .in = y};
    double sum = 0;
    grid_each(m, alone, v->g->tasks, dot_task, &s);
    for (int t = 0; t < v->g->tasks; t++) sum += m->partial[t];
    return sum;
}

static void mix_task(void *arg, int task, int worker) {
    (void)worker;
    const cycle_step *s = arg;
    int begin, end, stride = sp__grid_stride(s->v->g);
    task_range(s->v->g, task, &begin, &end);
    s->m->loops->mix(stride * begin, stride * end, s->a, s->out, s->b, s->base, s->c, s->in);
}

// out = a out + b x + c y
static void cycle_mix(sp_multigrid *m, const sp_grid_level *v, bool alone, double a, void *out, double b, const void *x, double c,
                      const void *y) {
    cycle_step s = {.m = m, .v = v, .a = a, .b = b, .c = c, .base = x, .in = y, .out = out};
    grid_each(m, alone, v->g->tasks, mix_task, &s);
}

// pseudo-random start vector, the same each time
static void start_task(void *arg, int task, int worker) {
    (void)worker;
    const cycle_step *s = arg;
    const sp_grid *g = s->v->g;
    int begin, end, stride = sp__grid_stride(g);
    task_range(g, task, &begin, &end);
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

// number of eigenvalues below x of the tridiagonal matrix with diagonal a and off-diagonal b, by Sturm's sequence
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

// A few steps of Lanczos (1950). The vectors of the cycle serve as workspace, because no cycle runs during a build.
static double grid_largest(sp_multigrid *m, int l, bool alone) {
    sp_grid_level *level = &m->level[l];
    double a[LANCZOS], b[LANCZOS];
    void *v = level->x, *w = level->r, *before = level->b;
    int n = 0;
    cycle_step s = {.m = m, .v = level, .out = v};
    grid_each(m, alone, level->g->tasks, start_task, &s);
    cycle_mix(m, level, alone, 1 / sqrt(cycle_dot(m, level, alone, v, v)), v, 0, v, 0, v);
    while (n < LANCZOS) {
        cycle_rows(m, l, alone, 1, 1, NULL, v, w);
        a[n] = cycle_dot(m, level, alone, v, w);
        cycle_mix(m, level, alone, 1, w, -a[n], v, n > 0 ? -b[n - 1] : 0, n > 0 ? before : v);
        b[n] = sqrt(cycle_dot(m, level, alone, w, w));
        n++;
        if (!(b[n - 1] > 1e-3)) break;
        cycle_mix(m, level, alone, 1 / b[n - 1], w, 0, w, 0, w);
        void *old = before;
        before = v, v = w, w = old;
    }
    return margin * largest_of(n, a, b);
}

// ============================================================================================ the preconditioner

// ------------------------------------------------------------------------------------------------ creation and destruction

static void multigrid_destroy(sp_precond *p) {
    sp_multigrid *m = (sp_multigrid *)p;
    sp_context *ctx = p->ctx;
    for (int l = 0; l < SP_GRIDS_MAX; l++) {
        sp_grid_level *v = &m->level[l];
        void *all[] = {v->half, v->root, v->modes, v->frame, v->T, v->P, v->off, v->pro, v->turned, v->b, v->x, v->r};
        for (size_t i = 0; i < sizeof all / sizeof *all; i++) sp__free(ctx, all[i]);
    }
    sp__free(ctx, m->W), sp__free(ctx, m->partial), sp__free(ctx, m->last);
    if (m->F) sp__factor_destroy(&m->F);
    if (m->grids) sp__grids_release(&m->grids);
    sp__free(ctx, m);
}

static void pick_loops(sp_multigrid *m) {
    bool single = sp__precond_single(&m->base);
    m->loops = single ? &sp__grid_float_generic : &sp__grid_double_generic;
    m->products = &sp__grid_products_generic;
#ifdef SP_HAVE_AVX2
    if (sp__backend_plain(m->base.be)) return;
    m->loops = single ? &sp__grid_float_avx2 : &sp__grid_double_avx2;
    m->products = &sp__grid_products_avx2;
#endif
}

// arrays that the loops read in whole SIMD vectors have 8 extra numbers at the end
static sp_status make_level(sp_multigrid *m, int l) {
    enum { ROOM = 8 };
    sp_context *ctx = m->base.ctx;
    sp_grid_level *v = &m->level[l];
    const sp_grid *g = v->g = &m->grids->grid[l];
    size_t n = (size_t)g->n, b = (size_t)g->block, size = m->loops->size, numbers = (size_t)sp__grid_stride(g) * n + ROOM;
    if (!SP_NEW(ctx, v->half, b * b * (size_t)g->half_start[n] + ROOM) || !SP_NEW(ctx, v->root, b * b * n + ROOM) ||
        !SP_NEW(ctx, v->frame, 9 * n + 1))
        return SP_NO_MEMORY;
    if (!(v->b = sp__alloc(ctx, numbers, size)) || !(v->x = sp__alloc(ctx, numbers, size))) return SP_NO_MEMORY;
    if (!g->coarse) return SP_NEW(ctx, m->last, b * n + ROOM) ? SP_OK : SP_NO_MEMORY;
    size_t blocks = (size_t)g->p_start[n];
    if (!(v->r = sp__alloc(ctx, numbers, size)) || !(v->off = sp__alloc(ctx, sp__grid_off_size(g) + ROOM, size)) ||
        !(v->pro = sp__alloc(ctx, 6 * b * blocks + ROOM, size)) || !(v->turned = sp__alloc(ctx, 6 * b * blocks + ROOM, size)) ||
        !SP_NEW(ctx, v->modes, 6 * b * n + ROOM) || !SP_NEW(ctx, v->T, 6 * b * n + ROOM) ||
        !SP_NEW(ctx, v->P, 6 * b * blocks + ROOM))
        return SP_NO_MEMORY;
    if (8 * b * (size_t)g->ap_most > m->W_size) m->W_size = 8 * b * (size_t)g->ap_most;
    return SP_OK;
}

static sp_status make_numbers(sp_multigrid *m) {
    sp_context *ctx = m->base.ctx;
    int tasks = 0;
    for (int l = 0; l < m->grids->count; l++) {
        SP_TRY(make_level(m, l));
        if (m->grids->grid[l].tasks > tasks) tasks = m->grids->grid[l].tasks;
    }
    if (!SP_NEW(ctx, m->W, m->W_size * (size_t)sp__workers(ctx) + 1) || !SP_NEW(ctx, m->partial, tasks + 1)) return SP_NO_MEMORY;
    sp_factor_def def = {.kind = SP_LLT, .plain = sp__backend_plain(m->base.be)};
    return sp__factor_create(ctx, &def, m->grids->S, &m->F);
}

static sp_status multigrid_create(sp_context *ctx, const sp_backend *be, const sp_solver_def *def, const sp_symmetric *pattern,
                                  const double *points, const sp_precond *like, sp_precond **out) {
    sp_multigrid *m;
    *out = NULL;
    if (!SP_NEW(ctx, m, 1)) return SP_FAIL(ctx, SP_NO_MEMORY, "no memory for a preconditioner");
    sp_status status = sp__precond_init(&m->base, &sp__precond_multigrid, ctx, be, def, pattern);
    if (status >= 0) {
        pick_loops(m);
        if (like)
            m->grids = sp__grids_share(((const sp_multigrid *)like)->grids);
        else
            status = sp__grids_create(ctx, pattern, points, &m->grids);
    }
    if (status >= 0) status = make_numbers(m);
    if (status < 0) {
        multigrid_destroy(&m->base);
        if (status == SP_NO_MEMORY) SP_FAIL(ctx, status, "no memory for a multigrid of %d unknowns", pattern->n * pattern->block);
        return status;
    }
    *out = &m->base;
    return SP_OK;
}

static size_t multigrid_bytes(const sp_precond *p) {
    const sp_multigrid *m = (const sp_multigrid *)p;
    size_t sum = sizeof *m + sp__grids_bytes(m->grids) + sp__factor_bytes(m->F), size = m->loops->size;
    for (int l = 0; l < m->grids->count; l++) {
        const sp_grid *g = m->level[l].g;
        size_t n = (size_t)g->n, b = (size_t)g->block;
        sum += 8 * b * b * ((size_t)g->half_start[n] + n) + 3 * size * (size_t)sp__grid_stride(g) * n;
        if (g->coarse) sum += size * sp__grid_off_size(g) + (8 + 2 * size) * 6 * b * (size_t)g->p_start[n] + 8 * n * (12 * b + 9);
    }
    return sum;
}

// ------------------------------------------------------------------------------------------------ build and apply

// Factors the coarsest level. Its diagonal is the identity, so shifts are relative to 1.
static sp_status factor_last(sp_multigrid *m, bool alone, sp_factor_info *info) {
    const sp_grid_level *v = &m->level[m->grids->count - 1];
    sp_symmetric A = {.n = v->g->n,
                      .block = v->g->block,
                      .row_start = v->g->half_start,
                      .row_col = v->g->half_col,
                      .stride = 1,
                      .val = v->half};
    double shift = 0;
    for (int k = 0; k < SP_SHIFTS; k++) {
        if (sp__factor_make(m->F, &A, shift, alone, info) != SP_NOT_SPD) break;
        shift = sp__shift_next(shift, 1);
    }
    info->unknown = -1;
    return info->status;
}

static sp_status fail_at(sp_multigrid *m, int l, int row, sp_factor_info *info) {
    int b = m->level[l].g->block;
    double trace = 0;
    for (int r = 0; r < b; r++)
        trace += m->level[l].half[(size_t)(b * b) * (size_t)m->level[l].g->half_start[row] + (size_t)((b + 1) * r)];
    info->unknown = l == 0 ? b * row : -1;
    info->pivot = trace;
    return info->status = isfinite(trace) ? SP_NOT_SPD : SP_NOT_FINITE;
}

static sp_status multigrid_build(sp_precond *p, const sp_symmetric *A, bool alone, sp_factor_info *info) {
    sp_multigrid *m = (sp_multigrid *)p;
    double flops = 0;
    *info = (sp_factor_info){.unknown = -1};
    m->good = false;
    grid_first(m, A, alone);
    for (int l = 0; l < m->grids->count; l++) {
        int row = grid_scale(m, l, alone);
        if (row >= 0) return fail_at(m, l, row, info);
        if (l > 0) grid_finish(m, l - 1, alone);
        if (sp__precond_stopped(p)) return info->status = SP_STOPPED;
        if (m->level[l].g->coarse) grid_coarsen(m, l, alone);
        if (sp__precond_stopped(p)) return info->status = SP_STOPPED;
        flops += m->level[l].g->flops;
    }
    factor_last(m, alone, info);
    info->columns = m->level[0].g->n;
    info->flops += flops;
    m->good = info->status == SP_OK;
    return info->status;
}

// identity if not built
static void multigrid_apply(sp_precond *p, const double *r, double *z) {
    sp_multigrid *m = (sp_multigrid *)p;
    if (m->good)
        grid_cycle(m, r, z);
    else if (z != r)
        memcpy(z, r, sizeof *z * (size_t)p->n);
}

const sp_precond_kind sp__precond_multigrid = {.name = "multigrid",
                                               .costly = true,
                                               .analysis_uses_values = true,
                                               .create = multigrid_create,
                                               .destroy = multigrid_destroy,
                                               .build = multigrid_build,
                                               .apply = multigrid_apply,
                                               .bytes = multigrid_bytes};
