// The numbers of a level and of what leads to the next: diagonal blocks scaled to the identity, the rigid motions of each
// aggregate made orthonormal (tentative prolongator), one step of damped Jacobi on them, and P^T A P.
//
// What a body made of turned elements cannot feel is not w x X about its rest positions X but, near a place where it is turned by
// R, w x (R X). Each aggregate therefore turns its rest shape by the mean rotation of its rows. A beam of 41,472 tetrahedra bent
// by 86 and twisted by 172 degrees then takes the 12 iterations of the straight one; without, 27.
#include "linear/multigrid.h"
#include "math/vec3.h"

typedef struct pass {
    sp_multigrid *m;
    int l;
    const sp_symmetric *A;
    const double *turns;
    atomic_int failed;  // lowest row whose diagonal block is not positive definite; n: none
} pass;

void sp__grid_each(sp_multigrid *m, bool alone, int tasks, sp_task_fn *fn, void *arg) {
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
    const pass *p = arg;
    const sp_grid *g = p->m->level[0].g;
    int begin, end, b2 = g->block * g->block;
    task_range(g, task, &begin, &end);
    for (int k = g->half_start[begin]; k < g->half_start[end]; k++) {
        const double *v = sp__symmetric_block(p->A, k);
        double *out = p->m->level[0].half + (size_t)b2 * (size_t)k;
        for (int e = 0; e < b2; e++) out[e] = v[(size_t)p->A->stride * (size_t)e];
    }
}

// Is unknown r of row i linked to any other? What is fixed is not, and stays out of the rigid motions.
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

// the motions of a node are its translations
static void node_modes(void *arg, int task, int worker) {
    (void)worker;
    const pass *p = arg;
    sp_grid_level *v = &p->m->level[0];
    int begin, end;
    task_range(v->g, task, &begin, &end);
    for (int i = begin; i < end; i++) {
        double *B = v->modes + 18 * (size_t)i;
        memset(B, 0, 18 * sizeof *B);
        for (int r = 0; r < 3; r++) B[7 * r] = is_linked(v->g, v->half, i, r) ? 1 : 0;
        if (p->turns) memcpy(v->frame + 9 * (size_t)i, p->turns + 9 * (size_t)i, 9 * sizeof *v->frame);
    }
}

void sp__grid_first(sp_multigrid *m, const sp_symmetric *A, bool alone) {
    pass p = {.m = m, .A = A, .turns = m->base.turns};
    sp__grid_each(m, alone, m->level[0].g->tasks, copy_rows, &p);
    if (m->level[0].modes) sp__grid_each(m, alone, m->level[0].g->tasks, node_modes, &p);
}

// ------------------------------------------------------------------------------------------------ scaling

// out = L^-T of D = L L^T (b x b, row-major); L: room for b x b. False: not positive definite.
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

// roots of the diagonal blocks; the modes of a row in its scaled unknowns. Unknowns that no motion of an aggregate uses are alone
// on their diagonal.
static void root_rows(void *arg, int task, int worker) {
    (void)worker;
    pass *p = arg;
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
        for (int r = 0; r < b; r++)  // L^T B, from the top: rows below are still the old ones
            for (int c = 0; c < 6; c++) {
                double sum = 0;
                for (int k = r; k < b; k++) sum += L[b * k + r] * B[6 * k + c];
                B[6 * r + c] = sum;
            }
    }
}

static void scale_rows(void *arg, int task, int worker) {
    (void)worker;
    const pass *p = arg;
    const sp_grid_level *v = &p->m->level[p->l];
    int begin, end;
    task_range(v->g, task, &begin, &end);
    p->m->products->scale(v->g, begin, end, v->root, v->half);
}

static void load_rows(void *arg, int task, int worker) {
    (void)worker;
    const pass *p = arg;
    const sp_grid_level *v = &p->m->level[p->l];
    int begin, end;
    task_range(v->g, task, &begin, &end);
    p->m->loops->load_matrix(v->g, begin, end, v->half, v->off);
}

int sp__grid_scale(sp_multigrid *m, int l, bool alone) {
    const sp_grid *g = m->level[l].g;
    pass p = {.m = m, .l = l};
    atomic_init(&p.failed, g->n);
    sp__grid_each(m, alone, g->tasks, root_rows, &p);
    int failed = atomic_load(&p.failed);
    if (failed < g->n) return failed;
    sp__grid_each(m, alone, g->tasks, scale_rows, &p);
    if (g->coarse) sp__grid_each(m, alone, g->tasks, load_rows, &p);
    return -1;
}

// ------------------------------------------------------------------------------------------------ rigid motions

// The rotation nearest to the mean M, by Newton's iteration for the polar factor; where M is far from any rotation, `first`.
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

// T_i: the motions of aggregate a about its point, in the unknowns of its row i: a row (u, w) of the modes about the row's own
// point becomes (u, w + d x u) about one that lies d back
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

// G = R^T R, upper; a column that depends on those before it, as the turn of two nodes about their axis does, is left out: its
// row of R is zero
static void root_of_gram(const double *G, double *R) {
    const double dependent = 1e-10;  // of squares: columns nearer than 1e-5 to the others' span
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

// S = R^-1 where dropped columns stay zero
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

// aggregates of one task of the next level: their frames, the tentative prolongator, and what the motions are in their unknowns
static void tentative_rows(void *arg, int task, int worker) {
    (void)worker;
    const pass *p = arg;
    sp_grid_level *v = &p->m->level[p->l], *up = v + 1;
    const sp_grid *g = v->g;
    int begin, end, b = g->block;
    task_range(up->g, task, &begin, &end);
    for (int a = begin; a < end; a++) {
        double *frame = p->turns ? up->frame + 9 * (size_t)a : NULL, R[36], S[36], G[36] = {0};
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
    const pass *p = arg;
    const sp_grid_level *v = &p->m->level[p->l];
    int begin, end;
    task_range(v->g, task, &begin, &end);
    // 4/3 over the largest eigenvalue (Vanek, Mandel and Brezina 1996, section 3)
    p->m->products->prolongator(v->g, begin, end, v->half, 4.0 / 3.0 / v->lambda, v->T, p->m->W + p->m->W_size * (size_t)worker,
                                v->P);
}

static void clear_rows(void *arg, int task, int worker) {
    (void)worker;
    const pass *p = arg;
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
    const pass *p = arg;
    const sp_grid_level *v = &p->m->level[p->l];
    int begin, end;
    task_range(v[1].g, task, &begin, &end);
    p->m->loops->load_prolongator(v->g, begin, end, v->P, v[1].root, v->pro, v->turned);
}

void sp__grid_coarsen(sp_multigrid *m, int l, bool alone) {
    sp_grid_level *v = &m->level[l];
    const sp_grid *g = v->g;
    pass p = {.m = m, .l = l, .turns = m->base.turns};
    v->lambda = sp__grid_largest(m, l, alone);
    sp__grid_each(m, alone, v[1].g->tasks, tentative_rows, &p);
    sp__grid_each(m, alone, g->tasks, smooth_rows, &p);
    sp__grid_each(m, alone, v[1].g->tasks, clear_rows, &p);
    for (int c = 0; c < g->colours; c++) {
        colour of = {m, l, g->colour_task + g->colour_start[c]};
        sp__grid_each(m, alone, g->colour_start[c + 1] - g->colour_start[c], galerkin_rows, &of);
    }
}

void sp__grid_finish(sp_multigrid *m, int l, bool alone) {
    pass p = {.m = m, .l = l};
    sp__grid_each(m, alone, m->level[l + 1].g->tasks, load_prolongator, &p);
}
