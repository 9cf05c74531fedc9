// Warp-cancelling corotation (Hecht, Lee, Shewchuk and O'Brien 2012; Pincon 2020): a factor that is mended where the body bends.
//
// The corotational matrix is A = D + sum over the elements of R K R^T, and everything in it changes when a body turns. Written
// in the frames of the nodes, A = Rn (D + sum of Q K Q^T) Rn^T with Q_i = Rn_i^T R, it changes only where an element turns
// relative to its nodes: not at all when a body falls or turns as a whole, little where it bends evenly. So the matrix in the
// frames, A~, and its factor are kept; the frames follow the motion in every solve,
//     x = Rn A~^-1 Rn^T b,
// and of A~ only those elements are refreshed (Q made anew) whose stale matrices do harm: updated_error.c says how that is
// measured, updated_select.c which of them are worth their price, sparse/partial.c how the factor follows.
//
// A~ is positive definite whatever is stale. With Q = blockdiag(Q_1 .. Q_4) orthogonal, Q K Q^T is a congruence of K, which is
// positive semi-definite; so are the terms of springs and contacts, which are taken over whole; D > 0 is a multiple of 1 at each
// node and the same in any frame; unit rows of pins leave a principal submatrix beside a unit matrix.
//
// (To refresh single nodes of an element instead would break this congruence: Pincon saw it blow up now and then.)
#include "linear/updated.h"

#include "core/visitor.h"
#include "linear/pcg.h"
#include "linear/shift.h"

// The automatic budget spends on refreshing what corrections have cost, and a little more: as when skis are rented until the rent
// has come to their price, that is never far from the best that could have been done. In shares of the flops of a whole factor:
static const double allowance = 0.2;     // of every solve
static const double most_allowed = 0.4;  // that allowances add up to, or the dearest path if that is more
// Flops that could be done in the time that a correction takes, per number of L: solves wait for memory. As measured on the
// torus.
static const double correction_price = 50;
// Automatic threshold: an error that would carry the mass of a mean element over this share of its length in a step.
static const double auto_threshold = 0.01;
// The same where nothing has mass (statics), as a share of the largest impulse on a node.
static const double auto_static = 1e-3;

enum { CORRECTIONS = 4 };  // of float factors

typedef struct updated {
    sp_updated u;
    sp_solver *plain;  // for systems that are not made of elements
} updated;

static sp_status create(sp_solver *s) {
    updated *d;
    if (!SP_NEW(s->ctx, d, 1)) return SP_FAIL(s->ctx, SP_NO_MEMORY, "no memory for an updated factor");
    d->u = (sp_updated){.ctx = s->ctx, .be = s->be};
    s->impl = d;
    return SP_OK;
}

static void destroy(sp_solver *s) {
    updated *d = s->impl;
    if (!d) return;
    sp__updated_free(&d->u);
    sp__solver_destroy(&d->plain);
    sp__free(s->ctx, d);
}

static size_t bytes(const sp_solver *s) {
    const updated *d = s->impl;
    return sizeof *d + sp__updated_bytes(&d->u) + (d->plain ? sp__solver_bytes(d->plain) : 0);
}

// ------------------------------------------------------------------------------------------------ what is asked for

// total mass and volume to the impulse that carries a mean element over its length in a step
static void set_scale(sp_updated *u, const sp_system *A, sp_coef c) {
    double mass = 0, volume = 0;
    int count = 0;
    A->elements->diagonal(A->o, (sp_coef){1, 0, 0}, u->diagonal_now);
    for (int i = 0; i < u->nodes; i++) mass += u->diagonal_now[i];
    for (int e = 0; e < u->count; e++)
        if (u->user[e] >= 0) volume += A->elements->volume[e], count++;
    u->scale = c.m > 0 && c.k > 0 && count ? c.m * mass / count * cbrt(volume / count) / sqrt(c.k / c.m) : 0;
}

static double threshold_of(const sp_solver *s, const sp_updated *u, const double *b) {
    if (!isnan(s->def.threshold)) return s->def.threshold;
    if (u->scale > 0) return auto_threshold * u->scale;
    double most = 0;
    for (int i = 0; i < 3 * u->nodes; i++) most = fmax(most, fabs(b[i]));
    return auto_static * most;
}

static sp_budget budget_of(const sp_solver *s, const sp_updated *u) {
    if (!s->deterministic && !isnan(s->def.budget_ms) && u->rate > 0) return (sp_budget){false, u->rate * s->def.budget_ms, true};
    if (!isnan(s->def.budget_columns)) return (sp_budget){true, s->def.budget_columns * u->nodes, true};
    return (sp_budget){false, u->saved, false};
}

// add to what may be spent, up to `most`
static void save(sp_updated *u, double flops, double most) {
    u->saved = fmin(fmax(u->saved + flops, 0), fmax(u->saved, most));
}

// ------------------------------------------------------------------------------------------------ factor

static void count_work(sp_updated *u, const sp_factor_info *made, double ms, sp_linear_info *info) {
    info->columns += made->columns, info->factor_flops += made->flops, info->refreshes = 1;
    // a quarter of what is new: one step that the machine was busy with something else must not count for much
    if (ms > 0 && made->flops > 0) u->rate += (u->rate > 0 ? 0.25 : 1) * (made->flops / ms - u->rate);
}

// with the least shift tried where A~ is singular (statics of a body that nothing holds)
static sp_status factor_whole(sp_updated *u, sp_linear_info *info) {
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

static sp_status factor_part(sp_updated *u, sp_linear_info *info) {
    sp_factor_info made;
    double start = sp__now_ms();
    sp_status status = sp__factor_partial(u->F, &u->A.view, u->dirty_node_count, u->dirty_nodes, false, &made);
    count_work(u, &made, sp__now_ms() - start, info);
    return status;
}

// answer = A~^-1 right; a float factor is corrected in double
static void solve_in_frames(const sp_solver *s, sp_updated *u, sp_linear_info *info) {
    int n = 3 * u->nodes;
    sp__factor_solve(u->F, u->right, u->answer, false);
    info->iterations++;
    if (s->def.precision != SP_FACTOR_FLOAT) return;
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

// what is not the elements' turning: pins, masses, materials, coefficients. Whatever changed is marked.
static sp_status follow(sp_updated *u, const sp_system *A, sp_coef c) {
    SP_TRY(A->turns(A->o, u->turn));
    bool other = memcmp(&c, &u->coef, sizeof c) != 0;
    if (other || u->whole || u->revision != A->elements->revision) {
        set_scale(u, A, c);
        sp__updated_read_rest(u, A, c);
        u->revision = A->elements->revision;
    }
    if (other) u->whole = true;
    u->coef = c;
    sp__updated_read_pins(u, A);
    sp__updated_read_diagonal(u, A, c);
    sp__updated_read_terms(u, A, c);
    return SP_OK;
}

static sp_status make_whole(const sp_solver *s, sp_updated *u, const sp_system *A, sp_linear_info *info) {
    sp__updated_mark_all(u);
    sp__updated_take_terms(u, -1);
    info->elements_refreshed = u->chosen_count;
    sp__updated_refresh(u, A, s->step);
    sp__updated_sum(u);
    sp_status status = factor_whole(u, info);
    sp__updated_clean(u);
    u->whole = status != SP_OK || u->shift > 0;
    return status;
}

// Refresh what is chosen and marked; false: nothing was, or the factorisation failed. There is no second copy of a factor that
// takes most of the memory: after a failure the next solve makes it whole.
static bool mend(const sp_solver *s, sp_updated *u, const sp_system *A, sp_linear_info *info) {
    info->elements_refreshed = u->chosen_count;
    sp__updated_refresh(u, A, s->step);
    if (!u->dirty_count) return false;
    sp__updated_sum(u);
    sp_status status = factor_part(u, info);
    sp__updated_clean(u);
    if (status != SP_OK) info->status = status, u->whole = true;
    return status == SP_OK;
}

static void answer(const sp_solver *s, sp_updated *u, const sp_system *A, const double *b, double *x, sp_linear_info *info) {
    sp__updated_turn(u, b);
    solve_in_frames(s, u, info);
    sp__updated_turn_back(u, b, A->fixed, x);
}

// |b - A x| / |b| with the corotational matrix as it is now; where elements had to wait and there is a factor, x is made better
// until the residual is what elements just below the threshold may leave
static void judge(const sp_solver *s, sp_updated *u, const sp_system *A, sp_coef c, const double *b, double threshold, double *x,
                  sp_linear_info *info) {
    double size = 0;
    if (s->def.tolerance == 0 && !u->waiting_count) return;
    for (int i = 0; i < A->n; i++) size += A->fixed[i] ? 0.0 : b[i] * b[i];
    size = sqrt(size);
    double left = sp__updated_residual(u, A, c, b, x), goal = fmax(threshold * sqrt(u->count), s->def.tolerance * size);
    if (u->waiting_count && sp__factor_good(u->F)) {
        int before = info->iterations;
        left = sp__updated_correct(u, A, c, left, goal, x, info);
        save(u, correction_price * (double)u->S->entries * (info->iterations - before), u->S->flops_total);
    }
    info->residual = size > 0 ? left / size : 0;
    if (!isfinite(left)) info->status = SP_NOT_FINITE;
}

static int oldest(const sp_solver *s, const sp_updated *u) {
    uint64_t first = s->step;
    for (int e = 0; e < u->count; e++)
        if (u->user[e] >= 0 && u->refreshed[e] < first) first = u->refreshed[e];
    return s->step - first < INT32_MAX ? (int)(s->step - first) : INT32_MAX;
}

static sp_status solve(sp_solver *s, const sp_system *A, sp_coef c, const double *b, double *x, sp_linear_info *info) {
    updated *d = s->impl;
    sp_updated *u = &d->u;
    u->waiting_count = 0;
    if (!A->elements || !A->turns || A->block != 3)
        return sp__solve_without_matrix(s, &d->plain, A, c, b, x, "cg (no elements to turn)", info);
    if (!u->ready || u->pattern != A->pattern) SP_TRY(sp__updated_setup(u, &s->def, A));
    SP_TRY(follow(u, A, c));
    double threshold = threshold_of(s, u, b);
    if (u->whole || threshold == 0) {
        info->status = make_whole(s, u, A, info);
        if (info->status != SP_OK) {
            for (int i = 0; i < A->n; i++) x[i] = A->fixed[i] ? b[i] : 0;
            info->residual = 1, info->shift = u->shift;
            return SP_OK;
        }
        if (u->shift > 0) info->status = SP_NOT_SPD, info->shift = u->shift;
        answer(s, u, A, b, x, info);
    } else {
        // first with what there is; where that is wrong, and worth it, the factor is mended and the answer found again
        answer(s, u, A, b, x, info);
        sp__updated_errors(u, A, x);
        sp__updated_take_terms(u, threshold);
        save(u, allowance * u->S->flops_total, fmax(most_allowed * u->S->flops_total, u->dearest));
        sp__updated_select(u, threshold, budget_of(s, u));
        if (mend(s, u, A, info)) answer(s, u, A, b, x, info);
        save(u, -info->factor_flops, 0);
        info->elements_waiting = u->waiting_count;
    }
    info->factor_age = oldest(s, u);
    judge(s, u, A, c, b, threshold, x, info);
    return SP_OK;
}

// ------------------------------------------------------------------------------------------------ looking and keeping

static bool refresh_ages(const sp_solver *s, int count, double *age) {
    const sp_updated *u = &((const updated *)s->impl)->u;
    if (!u->ready) return false;
    for (int e = 0; e < u->count; e++)
        if (u->user[e] >= 0 && u->user[e] < count) age[u->user[e]] = (double)(s->step - u->refreshed[e]);
    return true;
}

static void visit(sp_solver *s, sp_visitor *v) {
    sp_updated *u = &((updated *)s->impl)->u;
    size_t n = (size_t)u->count, nodes = (size_t)u->nodes;
    if (!u->ready) return;
    size_t blocks = (size_t)u->A.row_start[u->nodes];
    v->array(v, "coefficients", &u->coef, sizeof u->coef, 1);
    v->array(v, "whole", &u->whole, sizeof u->whole, 1);
    v->array(v, "scale", &u->scale, sizeof u->scale, 1);
    v->array(v, "saved", &u->saved, sizeof u->saved, 1);
    v->array(v, "gradients", u->grad, sizeof *u->grad, 10 * n);
    v->array(v, "kept", u->kept, sizeof *u->kept, 36 * n);
    v->array(v, "refreshed", u->refreshed, sizeof *u->refreshed, n);
    v->array(v, "waiting", u->waiting, sizeof *u->waiting, n);
    v->array(v, "diagonal", u->diagonal, sizeof *u->diagonal, nodes);
    v->array(v, "terms", u->term, sizeof *u->term, 9 * blocks);
    v->array(v, "held", u->held, 1, nodes);
}

// the list of blocks with terms, and the matrix and its factor from what was restored
static sp_status restored(sp_solver *s) {
    sp_updated *u = &((updated *)s->impl)->u;
    sp_linear_info info = {0};
    if (!u->ready || u->whole) return SP_OK;
    u->revision = UINT64_MAX;  // materials may be other ones: look
    u->term_count = 0;
    memset(u->term_now, 0, 9 * (size_t)u->A.row_start[u->nodes] * sizeof *u->term_now);
    for (int k = 0; k < u->A.row_start[u->nodes]; k++) {
        bool some = false;
        for (int e = 0; e < 9; e++) some = some || u->term[9 * (size_t)k + (size_t)e] != 0;
        u->term_mark[k] = some;
        if (some) u->term_list[u->term_count++] = k;
    }
    sp__updated_mark_all(u);
    memset(u->chosen, 0, (size_t)u->count), u->chosen_count = 0;
    sp__updated_sum(u);
    sp_status status = factor_whole(u, &info);
    sp__updated_clean(u);
    if (status != SP_OK) u->whole = true;
    return status < 0 ? status : SP_OK;
}

const sp_solver_kind sp__solver_updated = {.name = "updated-cholesky",
                                           .create = create,
                                           .destroy = destroy,
                                           .solve = solve,
                                           .bytes = bytes,
                                           .refresh_ages = refresh_ages,
                                           .visit = visit,
                                           .restored = restored};
