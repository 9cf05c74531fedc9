// Groups that carry nothing are left out: between curved bodies two thirds of the contacts separate, but a sweep visits all of
// them and a factorisation grows with the cube of their number. The groups that have a multiplier after a few sweeps, or are
// violated, are solved as a problem of their own. Groups outside whose law is then violated join, until there are none: the
// result solves the whole problem.
#include "contact/solve_internal.h"

enum {
    FIRST_SWEEPS = 15,  // after which the multipliers show which contacts separate
    ROUNDS = 6,
    LEAST = 24,  // groups; below, a sweep is cheap
};

struct sp_cone_active {
    sp_context *ctx;
    sp_cone_problem *p;      // of the groups inside
    sp_cone_solver *solver;  // of that problem
    int *list, *order;       // positions inside, ascending; scratch
    bool *inside;            // per position
    int capacity;
};

sp_status sp__cone_active_create(sp_context *ctx, sp_cone_active **out) {
    if (!SP_NEW(ctx, *out, 1)) return SP_FAIL(ctx, SP_NO_MEMORY, "no memory for a contact solver");
    (*out)->ctx = ctx;
    return SP_OK;
}

void sp__cone_active_destroy(sp_cone_active **active) {
    sp_cone_active *a = *active;
    if (!a) return;
    sp__cone_destroy(&a->p);
    sp__cone_solver_destroy(&a->solver);
    sp__free(a->ctx, a->list), sp__free(a->ctx, a->inside), sp__free(a->ctx, a->order);
    sp__free(a->ctx, a);
    *active = NULL;
}

// made at first use: the solver inside has a solver inside
static sp_status active_reserve(sp_cone_active *a, int groups) {
    if (!a->p) SP_TRY(sp__cone_create(a->ctx, &a->p));
    if (!a->solver) SP_TRY(sp__cone_solver_create(a->ctx, &a->solver));
    if (groups <= a->capacity) return SP_OK;
    sp__free(a->ctx, a->list), sp__free(a->ctx, a->inside), sp__free(a->ctx, a->order);
    a->list = a->order = NULL, a->inside = NULL, a->capacity = 0;
    if (!SP_NEW(a->ctx, a->list, (size_t)groups) || !SP_NEW(a->ctx, a->inside, (size_t)groups) ||
        !SP_NEW(a->ctx, a->order, (size_t)groups))
        return SP_FAIL(a->ctx, SP_NO_MEMORY, "no memory for a contact solver of %d groups", groups);
    a->capacity = groups;
    return SP_OK;
}

// Adds the groups that press or are violated; the number of new ones.
static int active_join(sp_cone_active *a, const sp_cone_run_state *s, const sp_cone_span *island, double limit) {
    int added = 0;
    for (int i = island->begin; i < island->end; i++) {
        const sp_cone_group *g = sp__cone_at(s->p, i);
        int row = s->p->first[i];
        bool now = g->kind == SP_CONE_BILATERAL || s->x[row] > 0 || s->u[row] < -limit;
        if (!now || a->inside[i - island->begin] || !(s->weight[i] > 0)) continue;
        a->inside[i - island->begin] = true;
        added++;
    }
    return added;
}

// Couplings of the groups inside. `order` is scratch: most islands are fully coupled, which is one clique.
static sp_status active_couple(sp_cone_active *a, const sp_cone_problem *p, int n) {
    bool full = true;
    for (int i = 0; i < n && full; i++)
        for (int j = 0; j < i && full; j++) full = sp__cone_block_at(p, a->list[i], a->list[j]) != NULL;
    for (int i = 0; i < n && full; i++) a->order[i] = i;
    if (full) return sp__cone_add_clique(a->p, n, a->order);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++) {
            int pair[2] = {j, i};
            if (sp__cone_block_at(p, a->list[i], a->list[j])) SP_TRY(sp__cone_add_clique(a->p, 2, pair));
        }
    return SP_OK;
}

static sp_status active_build(sp_cone_active *a, const sp_cone_run_state *s, const sp_cone_span *island, int *count) {
    const sp_cone_problem *p = s->p;
    int n = 0;
    sp__cone_clear(a->p);
    for (int i = island->begin; i < island->end; i++) {
        const sp_cone_group *g = sp__cone_at(p, i);
        if (!a->inside[i - island->begin]) continue;
        a->list[n++] = i;
        SP_TRY(sp__cone_add_group(a->p, g->kind, g->rows, g->mu, NULL));
    }
    *count = n;
    SP_TRY(active_couple(a, p, n));
    SP_TRY(sp__cone_layout(a->p));
    for (int i = 0; i < n; i++) {
        const sp_cone_group *g = &a->p->group[i];
        for (int r = 0; r < g->rows; r++) {
            a->p->q[g->row + r] = s->q[p->first[a->list[i]] + r];
            a->p->lambda[g->row + r] = s->x[p->first[a->list[i]] + r];
        }
        for (int j = 0; j < n; j++) {
            ptrdiff_t stride;
            const double *from = sp__cone_block_at(p, a->list[i], a->list[j]);
            double *to = from ? sp__cone_block(a->p, i, j, &stride) : NULL;
            ptrdiff_t width = p->width[a->list[i]];
            for (int r = 0; to && r < g->rows; r++)
                memcpy(to + r * stride, from + r * width, (size_t)a->p->group[j].rows * sizeof *to);
        }
    }
    return SP_OK;
}

// The tolerance of the problem inside that gives the limit of the island.
static double active_tolerance(const sp_cone_active *a, const sp_cone_run_state *s) {
    double square = 0, most = 0;
    for (int r = 0; r < a->p->row_count; r++) {
        square += a->p->q[r] * a->p->q[r];
        most = fmax(most, fabs(a->p->q[r]));
    }
    return s->o->norm == SP_CONE_NORM_PLAIN ? s->limit / (1 + sqrt(square)) : s->limit / (most > 0 ? most : 1);
}

static void active_take(const sp_cone_active *a, const sp_cone_run_state *s, const sp_cone_span *island, int count) {
    for (int r = island->row; r < island->row_end; r++) s->x[r] = 0;
    for (int i = 0; i < count; i++) {
        const sp_cone_group *g = &a->p->group[i];
        for (int r = 0; r < g->rows; r++) s->x[s->p->first[a->list[i]] + r] = a->p->lambda[g->row + r];
    }
    sp__cone_island_violation(s, island, s->x, s->u);
}

sp_status sp__cone_active_solve(sp_cone_active *a, const sp_cone_run_state *s, const sp_cone_span *island, sp_cone_outcome *out) {
    const int groups = island->end - island->begin;
    sp_cone_outcome first = {0};
    if (groups < LEAST) return SP_OK;
    sp__cone_sweep(s, island, FIRST_SWEEPS, true, &first);
    out->sweeps += first.sweeps;
    sp__cone_island_violation(s, island, s->x, s->u);
    out->converged = sp__cone_island_error(s, island, s->x, s->u) <= s->limit;
    if (out->converged || first.expired) return SP_OK;
    SP_TRY(active_reserve(a, groups));
    memset(a->inside, 0, (size_t)groups * sizeof *a->inside);
    for (int round = 0, count = 0; round < ROUNDS; round++) {
        sp_cone_options o = *s->o;
        sp_cone_info info;
        int added = active_join(a, s, island, s->limit);
        if (added == 0 || 5 * (count + added) > 4 * groups) return SP_OK;
        SP_TRY(active_build(a, s, island, &count));
        if (out->sweeps >= o.sweeps || (o.work > 0 && out->work >= o.work)) return SP_OK;
        o.tolerance = active_tolerance(a, s), o.whole = true;
        o.sweeps -= out->sweeps;
        if (o.work > 0) o.work -= out->work;
        o.clock = s->clock;
        SP_TRY(sp__cone_solve(a->solver, a->p, &o, &info));
        active_take(a, s, island, count);
        out->sweeps += info.sweeps, out->iterations += info.iterations, out->work += info.work;
        out->interior = out->interior || info.method == SP_CONE_INTERIOR_POINT;
        out->expired = info.expired;
        out->converged = sp__cone_island_error(s, island, s->x, s->u) <= s->limit;
        if (out->converged || out->expired) return SP_OK;
    }
    return SP_OK;
}
