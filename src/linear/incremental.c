// Incremental Cholesky solver: warp-cancelling corotation (Hecht, Lee, Shewchuk and O'Brien 2012; Pincon 2020). The factor is
// updated only where the body bends.
//
// The corotational matrix is A = D + sum over the elements of R K R^T, and all of it changes when a body rotates. In the frames
// of the nodes, A = Rn (D + sum of Q K Q^T) Rn^T with Q_i = Rn_i^T R. This form changes only where an element rotates relative to
// its nodes: not at all when a body falls or rotates rigidly, little where it bends evenly. So the solver keeps the matrix in the
// frames, A~, and its factor. The frames follow the motion in every solve,
//     x = Rn A~^-1 Rn^T b,
// and only those elements of A~ are refreshed (Q recomputed) whose stale matrices cause a large error. The sections below explain
// how the error is measured and which elements are worth the cost; sparse/factor_update.c updates the factor.
//
// A~ is positive definite for any set of stale elements. With Q = blockdiag(Q_1 .. Q_4) orthogonal, Q K Q^T is a congruence of K,
// which is positive semi-definite. So are the terms of springs and contacts, which are always updated as a whole. D > 0 is a
// multiple of the identity at each node and the same in any frame. Unit rows of pins leave a principal submatrix and a unit
// matrix.
//
// Refreshing single nodes of an element would break this congruence: Pincon reports occasional instability.
#include "linear/incremental.h"

#include "core/visitor.h"
#include "kernels/warp_record.h"
#include "linear/pcg.h"
#include "math/vec3.h"

// ========================================================== frames of the nodes, and the error of stale elements

// Transformation into the frames of the nodes and back, and the error of every stale element for a given solution.
//
// The error estimate uses x, the solution with the stale matrix, and not a velocity. The residual b - A x is the sum over the
// elements of (stale - fresh) x, so the errors of the elements are exactly the terms of the residual, each an impulse. No element
// is refreshed for a motion that the right-hand side already contains, and an impact counts in the same solve in which it occurs.
// The price is one more solve in steps that refresh elements.

enum { ERROR_TASK = 64 };  // SIMD groups of elements per task

typedef struct error_pass {
    sp_incremental *u;
    const sp_system *A;
    const double *x;
    double *y;
    const unsigned char *fixed;
} error_pass;

static double rotate_nodes(void *arg, int begin, int end) {
    const error_pass *p = arg;
    for (int i = begin; i < end; i++) sp__mul3t(p->u->turn + 9 * (size_t)i, p->x + 3 * (size_t)i, p->u->right + 3 * (size_t)i);
    return 0;
}

// `right` = Rn^T b
static void incremental_rotate(sp_incremental *u, const double *b) {
    error_pass p = {.u = u, .x = b};
    sp__ranges(u->ctx, u->nodes, rotate_nodes, &p, u->rest);
}

static double rotate_nodes_back(void *arg, int begin, int end) {
    const error_pass *p = arg;
    for (int i = begin; i < end; i++) {
        sp__mul3(p->u->turn + 9 * (size_t)i, p->u->answer + 3 * (size_t)i, p->y + 3 * (size_t)i);
        // bitwise comparison
        for (size_t k = 3 * (size_t)i; k < 3 * (size_t)i + 3; k++)
            if (p->fixed[k]) p->y[k] = p->x[k];
    }
    return 0;
}

// x = Rn `answer`
static void incremental_rotate_back(sp_incremental *u, const double *b, const unsigned char *fixed, double *x) {
    error_pass p = {.u = u, .x = b, .y = x, .fixed = fixed};
    sp__ranges(u->ctx, u->nodes, rotate_nodes_back, &p, u->rest);
}

// pinned unknowns do not act on others: their x is set to zero
static double fill_records(void *arg, int begin, int end) {
    const error_pass *p = arg;
    for (int i = begin; i < end; i++) {
        double *r = p->u->record + SP_WARP_NODE * (size_t)i;
        memcpy(r, p->u->turn + 9 * (size_t)i, 9 * sizeof *r);
        for (size_t k = 0; k < 3; k++) {
            size_t at = 3 * (size_t)i + k;
            r[9 + k] = p->A->fixed[at] ? 0.0 : p->x[at];
        }
        sp__mul3t(r, r + 9, r + 12);
    }
    return 0;
}

static void measure_errors(void *arg, int task, int worker) {
    (void)worker;
    const error_pass *p = arg;
    const sp_incremental *u = p->u;
    double R[9 * 4 * ERROR_TASK];
    int begin = task * ERROR_TASK, end = begin + ERROR_TASK, last = u->count / u->lanes;
    sp_warped w = {u->lane_node, u->grad, u->kept, u->record};
    if (end > last) end = last;
    p->A->elements->rotations(p->A->o, begin * u->lanes, end * u->lanes, R);
    u->be->warp_errors(&w, begin, end, R, u->error);
}

static void incremental_errors(sp_incremental *u, const sp_system *A, const double *x) {
    error_pass p = {.u = u, .A = A, .x = x};
    sp__ranges(u->ctx, u->nodes, fill_records, &p, u->rest);
    if (u->any)
        sp__incremental_block_errors(u, A);
    else
        sp__parallel(u->ctx, (u->count / u->lanes + ERROR_TASK - 1) / ERROR_TASK, measure_errors, &p);
}

// ================================================================================== which elements are refreshed

// Selection of the elements to refresh. The nodes of an element are neighbours of each other, so they lie on one path of the
// elimination tree. Refreshing the element means refactorising the supernodes from its lowest node, its home, up to the root. An
// element whose home is on a path that is already marked costs nothing more.
//
// The search goes down from the root, always to the child whose subtree has the largest sum of errors, and pays for each
// supernode that it enters. After a subtree it returns for the next one. So one patch is refreshed completely before another is
// started: refreshing one per cent of the elements costs a third of a factorisation if they form a patch, and nearly a whole one
// if they are scattered. The search enters a subtree only if the remaining budget reaches some element in it. The weight of a
// postponed element grows with every solve.

// An element without extra cost is refreshed from this share of the threshold on, because it would exceed the threshold soon.
static const double free_share = 0.25;

static double cost_of(const sp_incremental *u, int s, const sp_budget *b) {
    if (u->on_path[s]) return 0;
    return b->columns ? sp__front_columns(u->S, s) : u->S->flops[s];
}

static void mark_path(sp_incremental *u, int s) {
    for (; s >= 0 && !u->on_path[s]; s = u->S->super_parent[s]) u->on_path[s] = 1;
}

// pays for supernodes that must be refactorised in any case
static void mark_forced_paths(sp_incremental *u) {
    memset(u->on_path, 0, (size_t)u->S->count);
    for (int i = 0; i < u->dirty_node_count; i++) mark_path(u, u->S->super_of[u->S->place[u->dirty_nodes[i]]]);
    for (int e = 0; e < u->count && u->chosen_count; e++)
        if (u->chosen[e]) mark_path(u, u->home[e]);
}

// score: sum of errors below each supernode; need: the smallest cost to reach one of these elements from here
static bool select_weigh(sp_incremental *u, double threshold, const sp_budget *b) {
    const sp_symbolic *S = u->S;
    bool any = false;
    memset(u->score, 0, (size_t)S->count * sizeof *u->score);
    memset(u->has, 0, (size_t)S->count);
    for (int e = 0; e < u->count; e++) {
        if (!(u->error[e] > threshold) || u->chosen[e]) continue;
        double w = 1 + u->waiting[e];
        u->score[u->home[e]] += w * w * u->error[e];
        u->has[u->home[e]] = 1, any = true;
    }
    for (int s = 0; s < S->count; s++) {
        double least = u->has[s] ? 0 : INFINITY;
        for (int k = S->child_start[s]; k < S->child_start[s + 1]; k++) {
            u->score[s] += u->score[S->child[k]];
            if (u->need[S->child[k]] < least) least = u->need[S->child[k]];
        }
        u->need[s] = cost_of(u, s, b) + least;
    }
    return any;
}

// the subtree with the largest error that a budget of `left` reaches; -1: none
static int worst_of(const sp_incremental *u, const int *list, int count, double left) {
    int best = -1;
    for (int k = 0; k < count; k++) {
        int s = list[k];
        if (u->score[s] > 0 && u->need[s] <= left && (best < 0 || u->score[s] > u->score[best])) best = s;
    }
    return best;
}

static void select_walk(sp_incremental *u, const sp_budget *b) {
    const sp_symbolic *S = u->S;
    double left = b->most;
    // if the budget is smaller than any path, one path is still allowed: otherwise nothing would ever be refreshed
    if (b->one && worst_of(u, u->roots, u->root_count, left) < 0) {
        double least = INFINITY;
        for (int k = 0; k < u->root_count; k++) least = fmin(least, u->need[u->roots[k]]);
        left = least;
    }
    for (int s = -1;;) {
        int next = s < 0 ? worst_of(u, u->roots, u->root_count, left)
                         : worst_of(u, S->child + S->child_start[s], S->child_start[s + 1] - S->child_start[s], left);
        if (next >= 0) {
            left -= cost_of(u, next, b);
            u->on_path[next] = 1;
            s = next;
        } else if (s >= 0) {
            u->score[s] = 0;
            s = S->super_parent[s];
        } else {
            return;
        }
    }
}

void sp__incremental_select(sp_incremental *u, double threshold, sp_budget budget) {
    mark_forced_paths(u);
    if (select_weigh(u, threshold, &budget)) select_walk(u, &budget);
    u->waiting_count = 0;
    for (int e = 0; e < u->count; e++) {
        if (u->chosen[e] || u->user[e] < 0) continue;
        if (u->on_path[u->home[e]] && u->error[e] > free_share * threshold) {
            sp__incremental_choose(u, e);
        } else if (u->error[e] > threshold) {
            u->waiting_count++;
            if (u->waiting[e] < UINT16_MAX) u->waiting[e]++;
        } else {
            u->waiting[e] = 0;
        }
    }
}

// ============================================================================= correction for postponed elements

// Conjugate gradients with the current corotational matrix, preconditioned by the stale factor,
//     z = Rn A~^-1 Rn^T r.
//
// Elements above the threshold that the budget leaves stale can make a step unstable: the right-hand side contains the current
// forces of the body, and a matrix that is too soft by a third in some direction lets that direction grow. A few iterations
// reduce the residual to the level that elements just below the threshold would leave. If no element is postponed, there are no
// iterations.

enum { MOST_ITERATIONS = 12 };  // each costs a solve

static double plain_dot(const double *a, const double *b, int n) {
    double sum = 0;
    for (int i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

// |b - A x|; the residual stays in r
static double incremental_residual(sp_incremental *u, const sp_system *A, sp_coef c, const double *b, const double *x) {
    A->mul(A->o, c, x, u->q);
    for (int i = 0; i < A->n; i++) u->r[i] = A->fixed[i] ? 0.0 : b[i] - u->q[i];
    return sqrt(plain_dot(u->r, u->r, A->n));
}

static void incremental_precondition(sp_incremental *u, const sp_system *A, double *z) {
    incremental_rotate(u, u->r);
    sp__factor_solve(u->F, u->right, u->answer, false);
    incremental_rotate_back(u, u->r, A->fixed, z);
}

// Iterates from the residual in r, of norm `size`, until it is below the goal. Returns the final norm.
static double incremental_correct(sp_incremental *u, const sp_system *A, sp_coef c, double size, double goal, double *x,
                                  sp_linear_info *info) {
    int n = A->n;
    double rz = 0;
    for (int k = 0; k < MOST_ITERATIONS && size > goal; k++) {
        incremental_precondition(u, A, u->z);
        double before = rz;
        rz = plain_dot(u->r, u->z, n);
        for (int i = 0; i < n; i++) u->p[i] = u->z[i] + (k ? rz / before : 0) * u->p[i];
        double pq = A->mul(A->o, c, u->p, u->q), step = rz / pq;
        if (!(pq > 0) || !isfinite(step)) break;
        for (int i = 0; i < n; i++) x[i] += step * u->p[i], u->r[i] -= step * u->q[i];
        size = sqrt(plain_dot(u->r, u->r, n));
        info->iterations++;
    }
    return size;
}

// ==================================================================================================== the solver

// The automatic budget spends on refreshing what corrections have cost, and a little more. This is the ski rental rule: rent
// until the rent equals the price of buying; the cost stays within a constant factor of the optimum. As shares of the flops of a
// whole factorisation:
static const double allowance = 0.2;     // added in every solve
static const double most_allowed = 0.4;  // limit of the unspent allowance; the most expensive path if that is more
// Flops that take as long as a correction, per number of L: solves are limited by memory bandwidth. Measured on the torus.
static const double correction_price = 50;
// Automatic threshold: an impulse error that moves the mass of a mean element by this share of its length in a step.
static const double auto_threshold = 0.01;
// The same without mass (statics), as a share of the largest impulse on a node.
static const double auto_static = 1e-3;

enum { CORRECTIONS = 4 };  // refinement steps with a single precision factor

typedef struct incremental {
    sp_incremental u;
    sp_solver *plain;  // conjugate gradients for systems without elements
} incremental;

static sp_status incremental_create(sp_solver *s) {
    incremental *d;
    if (!SP_NEW(s->ctx, d, 1)) return SP_FAIL(s->ctx, SP_NO_MEMORY, "no memory for an updated factor");
    d->u = (sp_incremental){.ctx = s->ctx, .be = s->be};
    s->impl = d;
    return SP_OK;
}

static void incremental_destroy(sp_solver *s) {
    incremental *d = s->impl;
    if (!d) return;
    sp__incremental_free(&d->u);
    sp__solver_destroy(&d->plain);
    sp__free(s->ctx, d);
}

static size_t incremental_bytes(const sp_solver *s) {
    const incremental *d = s->impl;
    return sizeof *d + sp__incremental_bytes(&d->u) + (d->plain ? sp__solver_bytes(d->plain) : 0);
}

// ------------------------------------------------------------------------------------------------ threshold and budget

enum { TETS_OF_NODE = 5 };  // of a large mesh

// impulse that moves a mean element by its own length in a step, from total mass and volume
static void set_scale(sp_incremental *u, const sp_system *A, sp_coef c) {
    double mass = 0, volume = 0;
    int count = 0;
    A->elements->diagonal(A->o, (sp_coef){1, 0, 0}, u->diagonal_now);
    for (int i = 0; i < u->nodes; i++) mass += u->diagonal_now[i];
    for (int e = 0; e < u->count; e++)
        if (u->user[e] >= 0) volume += A->elements->volume[e], count++;
    // elements with more nodes are larger: the threshold is that of tetrahedra on the same nodes
    if (u->any) count = TETS_OF_NODE * u->nodes;
    u->scale = c.m > 0 && c.k > 0 && count ? c.m * mass / count * cbrt(volume / count) / sqrt(c.k / c.m) : 0;
}

static double threshold_of(const sp_solver *s, const sp_incremental *u, const double *b) {
    if (!isnan(s->def.updated.threshold)) return s->def.updated.threshold;
    if (u->scale > 0) return auto_threshold * u->scale;
    double most = 0;
    for (int i = 0; i < 3 * u->nodes; i++) most = fmax(most, fabs(b[i]));
    return auto_static * most;
}

static sp_budget budget_of(const sp_solver *s, const sp_incremental *u) {
    if (!s->deterministic && !isnan(s->def.updated.budget_ms) && u->rate > 0)
        return (sp_budget){false, u->rate * s->def.updated.budget_ms, true};
    if (!isnan(s->def.updated.budget_columns)) return (sp_budget){true, s->def.updated.budget_columns * u->nodes, true};
    return (sp_budget){false, u->saved, false};
}

// adds to the budget, up to `most`
static void incremental_save(sp_incremental *u, double flops, double most) {
    u->saved = fmin(fmax(u->saved + flops, 0), fmax(u->saved, most));
}

// ------------------------------------------------------------------------------------------------ factor

static void count_work(sp_incremental *u, const sp_factor_info *made, double ms, sp_linear_info *info) {
    info->columns += made->columns, info->factor_flops += made->flops, info->refreshes = 1;
    // exponential average: one step in which the machine was busy must not count much
    if (ms > 0 && made->flops > 0) u->rate += (u->rate > 0 ? 0.25 : 1) * (made->flops / ms - u->rate);
}

// uses the smallest tried shift if A~ is singular (statics of a body without boundary conditions)
static sp_status factor_whole(sp_incremental *u, sp_linear_info *info) {
    sp_factor_info made;
    double mean = sp__mean_diagonal(&u->A.view);
    sp_status status = SP_OK;
    u->shift = 0;
    for (int k = 0; k < SP_SHIFTS; k++) {
        if (k > 0) u->shift = sp__shift_next(u->shift, mean);
        double start = sp__now_ms();
        status = sp__factor_make(u->F, &u->A.view, u->shift, false, &made);
        count_work(u, &made, sp__now_ms() - start, info);
        if (status != SP_NOT_SPD || !(mean > 0)) break;
    }
    return status;
}

static sp_status factor_part(sp_incremental *u, sp_linear_info *info) {
    sp_factor_info made;
    double start = sp__now_ms();
    sp_status status = sp__factor_partial(u->F, &u->A.view, u->dirty_node_count, u->dirty_nodes, false, &made);
    count_work(u, &made, sp__now_ms() - start, info);
    return status;
}

// answer = A~^-1 right, with refinement in double for a single precision factor
static void solve_in_frames(const sp_solver *s, sp_incremental *u, sp_linear_info *info) {
    int n = 3 * u->nodes;
    sp__factor_solve(u->F, u->right, u->answer, false);
    info->iterations++;
    if (s->def.cholesky.precision != SP_FACTOR_FLOAT) return;
    double size = 0;
    for (int i = 0; i < n; i++) size += u->right[i] * u->right[i];
    for (int k = 0; k < CORRECTIONS; k++) {
        double left = 0;
        sp__symmetric_mul(&u->A.view, u->answer, u->rest);
        for (int i = 0; i < n; i++) u->rest[i] = u->right[i] - u->rest[i], left += u->rest[i] * u->rest[i];
        if (!(left > s->def.tolerance * s->def.tolerance * size)) return;
        sp__factor_solve(u->F, u->rest, u->rest, false);
        for (int i = 0; i < n; i++) u->answer[i] += u->rest[i];
        info->iterations++;
    }
}

// ------------------------------------------------------------------------------------------------ a solve

// reads everything except the rotations of the elements (pins, masses, materials, coefficients) and marks what changed
static sp_status incremental_follow(sp_incremental *u, const sp_system *A, sp_coef c) {
    SP_TRY(A->node_rotations(A->o, u->turn));
    bool other = memcmp(&c, &u->coef, sizeof c) != 0;
    if (other || u->whole || u->revision != A->elements->revision) {
        set_scale(u, A, c);
        sp__incremental_read_rest(u, A, c);
        u->revision = A->elements->revision;
    }
    if (other) u->whole = true;
    u->coef = c;
    sp__incremental_read_pins(u, A);
    sp__incremental_read_diagonal(u, A, c);
    sp__incremental_read_terms(u, A, c);
    return SP_OK;
}

static sp_status make_whole(const sp_solver *s, sp_incremental *u, const sp_system *A, sp_linear_info *info) {
    sp__incremental_mark_all(u);
    sp__incremental_take_terms(u, -1);
    info->elements_refreshed = u->chosen_count;
    sp__incremental_refresh(u, A, s->step);
    sp__incremental_sum(u);
    sp_status status = factor_whole(u, info);
    sp__incremental_clean(u);
    u->whole = status != SP_OK || u->shift > 0;
    return status;
}

// Refreshes the chosen elements and the marked blocks. False: nothing to do, or the factorisation failed. The factor takes most
// of the memory, so there is no second copy: after a failure the next solve refactorises everything.
static bool update_factor(const sp_solver *s, sp_incremental *u, const sp_system *A, sp_linear_info *info) {
    info->elements_refreshed = u->chosen_count;
    sp__incremental_refresh(u, A, s->step);
    if (!u->dirty_count) return false;
    sp__incremental_sum(u);
    sp_status status = factor_part(u, info);
    sp__incremental_clean(u);
    if (status != SP_OK) info->status = status, u->whole = true;
    return status == SP_OK;
}

static void solve_with_factor(const sp_solver *s, sp_incremental *u, const sp_system *A, const double *b, double *x,
                              sp_linear_info *info) {
    incremental_rotate(u, b);
    solve_in_frames(s, u, info);
    incremental_rotate_back(u, b, A->fixed, x);
}

// residual |b - A x| / |b| with the current corotational matrix. If elements are postponed and the factor is valid, x is
// corrected until the residual is at the level that elements just below the threshold may leave.
static void check_residual(const sp_solver *s, sp_incremental *u, const sp_system *A, sp_coef c, const double *b,
                           double threshold, double *x, sp_linear_info *info) {
    double size = 0;
    if (s->def.tolerance == 0 && !u->waiting_count) return;
    for (int i = 0; i < A->n; i++) size += A->fixed[i] ? 0.0 : b[i] * b[i];
    size = sqrt(size);
    double left = incremental_residual(u, A, c, b, x), goal = fmax(threshold * sqrt(u->count), s->def.tolerance * size);
    if (u->waiting_count && sp__factor_good(u->F)) {
        int before = info->iterations;
        left = incremental_correct(u, A, c, left, goal, x, info);
        incremental_save(u, correction_price * (double)u->S->entries * (info->iterations - before), u->S->flops_total);
    }
    info->residual = size > 0 ? left / size : 0;
    if (!isfinite(left)) info->status = SP_NOT_FINITE;
}

static int incremental_oldest(const sp_solver *s, const sp_incremental *u) {
    uint64_t first = s->step;
    for (int e = 0; e < u->count; e++)
        if (u->user[e] >= 0 && u->refreshed[e] < first) first = u->refreshed[e];
    return s->step - first < INT32_MAX ? (int)(s->step - first) : INT32_MAX;
}

static sp_status incremental_solve(sp_solver *s, const sp_system *A, sp_coef c, const double *b, double *x,
                                   sp_linear_info *info) {
    incremental *d = s->impl;
    sp_incremental *u = &d->u;
    u->waiting_count = 0;
    if (!A->elements || !A->node_rotations || A->block != 3)
        return sp__solve_without_matrix(s, &d->plain, A, c, b, x, "cg (no elements to turn)", info);
    if (!u->ready || u->pattern != A->pattern) SP_TRY(sp__incremental_setup(u, &s->def, A));
    SP_TRY(incremental_follow(u, A, c));
    double threshold = threshold_of(s, u, b);
    if (u->whole || threshold == 0) {
        info->status = make_whole(s, u, A, info);
        if (info->status != SP_OK) {
            for (int i = 0; i < A->n; i++) x[i] = A->fixed[i] ? b[i] : 0;
            info->residual = 1, info->shift = u->shift;
            return SP_OK;
        }
        if (u->shift > 0) info->status = SP_NOT_SPD, info->shift = u->shift;
        solve_with_factor(s, u, A, b, x, info);
    } else {
        // solves with the current factor first; if the error is too large, updates the factor and solves again
        solve_with_factor(s, u, A, b, x, info);
        incremental_errors(u, A, x);
        sp__incremental_take_terms(u, threshold);
        incremental_save(u, allowance * u->S->flops_total, fmax(most_allowed * u->S->flops_total, u->most_expensive_path));
        sp__incremental_select(u, threshold, budget_of(s, u));
        if (update_factor(s, u, A, info)) solve_with_factor(s, u, A, b, x, info);
        incremental_save(u, -info->factor_flops, 0);
        info->elements_waiting = u->waiting_count;
    }
    info->factor_age = incremental_oldest(s, u);
    check_residual(s, u, A, c, b, threshold, x, info);
    return SP_OK;
}

// ------------------------------------------------------------------------------------------------ queries and checkpoints

static bool refresh_ages(const sp_solver *s, int count, double *age) {
    const sp_incremental *u = &((const incremental *)s->impl)->u;
    if (!u->ready) return false;
    for (int e = 0; e < u->count; e++)
        if (u->user[e] >= 0 && u->user[e] < count) age[u->user[e]] = (double)(s->step - u->refreshed[e]);
    return true;
}

static void incremental_visit(sp_solver *s, sp_visitor *v) {
    sp_incremental *u = &((incremental *)s->impl)->u;
    size_t n = (size_t)u->count, nodes = (size_t)u->nodes;
    if (!u->ready) return;
    size_t blocks = (size_t)u->A.row_start[u->nodes];
    v->array(v, "coefficients", &u->coef, sizeof u->coef, 1);
    v->array(v, "whole", &u->whole, sizeof u->whole, 1);
    v->array(v, "scale", &u->scale, sizeof u->scale, 1);
    v->array(v, "saved", &u->saved, sizeof u->saved, 1);
    v->array(v, "gradients", u->grad, sizeof *u->grad, sp__incremental_rest(u) * n);
    v->array(v, "kept", u->kept, sizeof *u->kept, sp__incremental_kept(u) * n);
    v->array(v, "refreshed", u->refreshed, sizeof *u->refreshed, n);
    v->array(v, "waiting", u->waiting, sizeof *u->waiting, n);
    v->array(v, "diagonal", u->diagonal, sizeof *u->diagonal, nodes);
    v->array(v, "terms", u->term, sizeof *u->term, 9 * blocks);
    v->array(v, "held", u->held, 1, nodes);
}

// rebuilds the list of blocks with point terms, the matrix and its factor from the restored arrays
static sp_status incremental_restored(sp_solver *s) {
    sp_incremental *u = &((incremental *)s->impl)->u;
    sp_linear_info info = {0};
    if (!u->ready || u->whole) return SP_OK;
    u->revision = UINT64_MAX;  // materials may have changed: read them again
    u->term_count = 0;
    memset(u->term_now, 0, 9 * (size_t)u->A.row_start[u->nodes] * sizeof *u->term_now);
    for (int k = 0; k < u->A.row_start[u->nodes]; k++) {
        bool some = false;
        for (int e = 0; e < 9; e++) some = some || u->term[9 * (size_t)k + (size_t)e] != 0;
        u->term_mark[k] = some;
        if (some) u->term_list[u->term_count++] = k;
    }
    sp__incremental_mark_all(u);
    memset(u->chosen, 0, (size_t)u->count), u->chosen_count = 0;
    sp__incremental_sum(u);
    sp_status status = factor_whole(u, &info);
    sp__incremental_clean(u);
    if (status != SP_OK) u->whole = true;
    return status < 0 ? status : SP_OK;
}

const sp_solver_kind sp__solver_updated = {.name = "updated-cholesky",
                                           .create = incremental_create,
                                           .destroy = incremental_destroy,
                                           .solve = incremental_solve,
                                           .bytes = incremental_bytes,
                                           .refresh_ages = refresh_ages,
                                           .visit = incremental_visit,
                                           .restored = incremental_restored};
