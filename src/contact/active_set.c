// A part of an island as a problem of its own, with the multipliers of all other groups held.
//
// Groups that carry nothing are left out: between curved bodies two thirds of the contacts separate, but a sweep visits all of
// them and a factorisation grows with the cube of their number. The groups that have a multiplier after a few sweeps, or are
// violated, are solved alone. Groups outside whose law is then violated join, until there are none: the result solves the whole
// problem.
//
// What is left of an island: in a heap of bodies the sweeps soon satisfy the laws of all groups but a few, where bodies are
// jammed. These, and the groups that are coupled with them, are solved by the methods for hard problems, which would need a
// factorisation of the whole island otherwise; then the sweeps go on (a Schwarz method whose parts follow the error).
#include "contact/solve_internal.h"

enum {
    FIRST_SWEEPS = 15,  // after which the multipliers show which contacts separate
    WARM_SWEEPS = 4,    // the same in a large island, from multipliers of the last step
    ROUNDS = 6,
    LEAST = 24,        // groups; below, a sweep is cheap
    LARGE = 256,       // groups; below, a factorisation of all of them is cheap
    PART_SHARE = 5,    // a part has at most this share of the groups; while more are left, sweeps bring more
    PART_ROUNDS = 20,  // parts of an island that are solved
    PART_IDLE = 5,     // it ends after so many rounds without progress
    PART_SWEEPS = 20,  // between two of them
};
static const double PART_PROGRESS = 0.7;   // a round that does not reduce the error to this part is idle
static const double PART_TOLERANCE = 0.5;  // of a part, relative to the limit: the groups around it must reach the limit too

struct sp_cone_active {
    sp_context *ctx;
    sp_cone_problem *p;      // of the groups inside
    sp_cone_solver *solver;  // of that problem
    int count, *list;        // positions inside, ascending
    int *index;              // per position of the island: place in the list
    int *scratch;
    bool *inside;  // per position of the island
    int capacity;
};

sp_status sp__cone_active_create(sp_context *ctx, sp_cone_active **out) {
    if (!SP_NEW(ctx, *out, 1)) return SP_FAIL(ctx, SP_NO_MEMORY, "no memory for a contact solver");
    (*out)->ctx = ctx;
    return SP_OK;
}

static void active_free(sp_cone_active *a) {
    sp__free(a->ctx, a->list), sp__free(a->ctx, a->index), sp__free(a->ctx, a->scratch), sp__free(a->ctx, a->inside);
    a->list = a->index = a->scratch = NULL, a->inside = NULL, a->capacity = 0;
}

void sp__cone_active_destroy(sp_cone_active **active) {
    sp_cone_active *a = *active;
    if (!a) return;
    sp__cone_destroy(&a->p);
    sp__cone_solver_destroy(&a->solver);
    active_free(a);
    sp__free(a->ctx, a);
    *active = NULL;
}

// made at first use: the solver inside has a solver inside
static sp_status active_reserve(sp_cone_active *a, int groups) {
    if (!a->p) SP_TRY(sp__cone_create(a->ctx, &a->p));
    if (!a->solver) SP_TRY(sp__cone_solver_create(a->ctx, &a->solver));
    if (groups > a->capacity) {
        active_free(a);
        const size_t n = 2 * (size_t)groups;
        if (!SP_NEW(a->ctx, a->list, n) || !SP_NEW(a->ctx, a->index, n) || !SP_NEW(a->ctx, a->scratch, n) ||
            !SP_NEW(a->ctx, a->inside, n))
            return SP_FAIL(a->ctx, SP_NO_MEMORY, "no memory for a contact solver of %d groups", groups);
        a->capacity = (int)n;
    }
    memset(a->inside, 0, (size_t)groups * sizeof *a->inside);
    return SP_OK;
}

// ------------------------------------------------------------------------------------------------ the problem of a part

// Couplings of the groups inside: what is left of the cliques.
static sp_status active_couple(sp_cone_active *a, const sp_cone_problem *p, const sp_cone_span *island) {
    for (int c = 0; c < p->clique_count; c++) {
        int n = 0;
        for (int k = p->clique_start[c]; k < p->clique_start[c + 1]; k++) {
            const int at = p->place[p->member[k]];
            if (at < island->begin || at >= island->end) break;  // all of a clique is in one island
            if (a->inside[at - island->begin]) a->scratch[n++] = a->index[at - island->begin];
        }
        SP_TRY(sp__cone_add_clique(a->p, n, a->scratch));
    }
    return SP_OK;
}

// The panel of group i inside. The runs of both problems ascend, and so do the groups inside: one walk along both.
static void active_panel(const sp_cone_active *a, const sp_cone_problem *p, int i) {
    const sp_cone_problem *own = a->p;
    const int at = own->place[i], from = a->list[i], rows = own->group[i].rows;
    const sp_cone_run *run = p->run + p->run_start[from];
    double *panel = own->val + own->panel_at[at];
    int j = 0;
    for (int k = own->run_start[at]; k < own->run_start[at + 1]; k++) {
        const sp_cone_run *to = &own->run[k];
        while (own->first[j] < to->column) j++;
        for (; j < own->group_count && own->first[j] < to->column + to->count; j++) {
            const int group = own->order[j], column = p->first[a->list[group]];
            while (column >= run->column + run->count) run++;
            for (int r = 0; r < rows; r++)
                memcpy(panel + (ptrdiff_t)r * own->width[at] + to->at + (own->first[j] - to->column),
                       sp__cone_panel(p, from) + (ptrdiff_t)r * p->width[from] + run->at + (column - run->column),
                       (size_t)own->group[group].rows * sizeof *panel);
        }
    }
}

// The groups inside with their multipliers. q is that of the island, which is right where the multipliers outside are zero.
static sp_status active_build(sp_cone_active *a, const sp_cone_run_state *s, const sp_cone_span *island) {
    const sp_cone_problem *p = s->p;
    a->count = 0;
    sp__cone_clear(a->p);
    for (int i = island->begin; i < island->end; i++) {
        const sp_cone_group *g = sp__cone_at(p, i);
        if (!a->inside[i - island->begin]) continue;
        a->index[i - island->begin] = a->count;
        a->list[a->count++] = i;
        SP_TRY(sp__cone_add_group(a->p, g->kind, g->rows, g->mu, NULL));
    }
    SP_TRY(active_couple(a, p, island));
    SP_TRY(sp__cone_layout(a->p));
    for (int i = 0; i < a->count; i++) {
        const sp_cone_group *g = &a->p->group[i];
        for (int r = 0; r < g->rows; r++) {
            a->p->q[g->row + r] = s->q[p->first[a->list[i]] + r];
            a->p->lambda[g->row + r] = s->x[p->first[a->list[i]] + r];
        }
        active_panel(a, p, i);
    }
    return SP_OK;
}

// The multipliers outside are held: q is what they, and the violation of the island, leave. s->u is that of s->x.
static void active_hold(const sp_cone_active *a, const sp_cone_run_state *s) {
    sp__cone_multiply(a->p, a->p->lambda, a->p->u);
    for (int i = 0; i < a->count; i++) {
        const sp_cone_group *g = &a->p->group[i];
        for (int r = 0; r < g->rows; r++) a->p->q[g->row + r] = s->u[s->p->first[a->list[i]] + r] - a->p->u[g->row + r];
    }
}

// The tolerance of the problem inside that gives this limit in the island.
static double active_tolerance(const sp_cone_active *a, const sp_cone_run_state *s, double limit) {
    double square = 0, most = 0;
    for (int r = 0; r < a->p->row_count; r++) {
        square += a->p->q[r] * a->p->q[r];
        most = fmax(most, fabs(a->p->q[r]));
    }
    return s->o->norm == SP_CONE_NORM_PLAIN ? limit / (1 + sqrt(square)) : limit / (most > 0 ? most : 1);
}

// Solves the problem inside with what is left of the sweeps and the work; s->x gets its multipliers.
static sp_status active_run(sp_cone_active *a, const sp_cone_run_state *s, const sp_cone_span *island, sp_cone_options *o,
                            sp_cone_outcome *out) {
    sp_cone_info info;
    o->sweeps -= out->sweeps;
    if (o->work > 0) o->work -= out->work;
    o->clock = s->clock;
    SP_TRY(sp__cone_solve(a->solver, a->p, o, &info));
    for (int i = 0; i < a->count; i++) {
        const sp_cone_group *g = &a->p->group[i];
        for (int r = 0; r < g->rows; r++) s->x[s->p->first[a->list[i]] + r] = a->p->lambda[g->row + r];
    }
    sp__cone_island_violation(s, island, s->x, s->u);
    out->sweeps += info.sweeps, out->iterations += info.iterations, out->work += info.work;
    out->interior = out->interior || info.method == SP_CONE_INTERIOR_POINT;
    out->expired = info.expired;
    out->converged = sp__cone_island_error(s, island, s->x, s->u) <= s->limit;
    return SP_OK;
}

// Half of the sweeps are left for the methods that follow.
static bool part_is_spent(const sp_cone_run_state *s, const sp_cone_outcome *out) {
    return 2 * out->sweeps >= s->o->sweeps || (s->o->work > 0 && 2 * out->work >= s->o->work);
}

static bool active_is_spent(const sp_cone_run_state *s, const sp_cone_outcome *out) {
    return out->sweeps >= s->o->sweeps || (s->o->work > 0 && out->work >= s->o->work);
}

// ------------------------------------------------------------------------------------------------ without what carries nothing

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

// Some sweeps over all groups: fewer of them where many groups have a multiplier already.
static void active_begin(const sp_cone_run_state *s, const sp_cone_span *island, sp_cone_outcome *out) {
    const int groups = island->end - island->begin;
    sp_cone_outcome first = {0};
    int pressing = 0;
    for (int i = island->begin; i < island->end; i++) pressing += s->x[s->p->first[i]] > 0;
    sp__cone_sweep(s, island, groups >= LARGE && 8 * pressing > groups ? WARM_SWEEPS : FIRST_SWEEPS, true, &first);
    sp__cone_island_violation(s, island, s->x, s->u);
    out->sweeps += first.sweeps, out->expired = first.expired;
    out->converged = sp__cone_island_error(s, island, s->x, s->u) <= s->limit;
}

sp_status sp__cone_active_solve(sp_cone_active *a, const sp_cone_run_state *s, const sp_cone_span *island, sp_cone_outcome *out) {
    const int groups = island->end - island->begin;
    if (groups < LEAST) return SP_OK;
    active_begin(s, island, out);
    if (out->converged || out->expired) return SP_OK;
    SP_TRY(active_reserve(a, groups));
    a->count = 0;
    for (int round = 0; round < ROUNDS; round++) {
        sp_cone_options o = *s->o;
        int added = active_join(a, s, island, s->limit);
        if (added == 0 || 5 * (a->count + added) > 4 * groups) return SP_OK;
        SP_TRY(active_build(a, s, island));
        if (active_is_spent(s, out)) return SP_OK;
        o.tolerance = active_tolerance(a, s, s->limit), o.whole = true;
        for (int r = island->row; r < island->row_end; r++) s->x[r] = 0;
        SP_TRY(active_run(a, s, island, &o, out));
        if (out->converged || out->expired) return SP_OK;
    }
    return SP_OK;
}

// ------------------------------------------------------------------------------------------------ what is left

static void part_add(sp_cone_active *a, const sp_cone_run_state *s, const sp_cone_span *island, int position, int *count) {
    bool *inside = &a->inside[position - island->begin];
    if (*inside || !(s->weight[position] > 0)) return;
    *inside = true;
    ++*count;
}

// Groups whose law is not satisfied, and those that are coupled with them; returns their number. s->u is that of s->x.
static int part_choose(sp_cone_active *a, const sp_cone_run_state *s, const sp_cone_span *island) {
    const sp_cone_problem *p = s->p;
    int count = 0;
    for (int i = island->begin; i < island->end; i++) {
        if (!(sp__cone_group_error(s, i, s->x + p->first[i], s->u + p->first[i], 0) > s->limit * s->limit)) continue;
        int j = island->begin;
        for (int k = p->run_start[i]; k < p->run_start[i + 1]; k++)
            for (; j < island->end && p->first[j] < p->run[k].column + p->run[k].count; j++)
                if (p->first[j] >= p->run[k].column) part_add(a, s, island, j, &count);
    }
    return count;
}

sp_status sp__cone_part_solve(sp_cone_active *a, const sp_cone_run_state *s, const sp_cone_span *island, sp_cone_history h,
                              sp_cone_outcome *out) {
    const int groups = island->end - island->begin;
    double least = INFINITY;
    if (groups < LARGE || s->o->norm != SP_CONE_NORM_SCALED) return SP_OK;
    for (int round = 0, idle = 0; round < PART_ROUNDS && idle < PART_IDLE && !part_is_spent(s, out); round++) {
        sp_cone_options o = *s->o;
        sp__cone_island_violation(s, island, s->x, s->u);
        const double error = sp__cone_island_error(s, island, s->x, s->u);
        idle = error < PART_PROGRESS * least ? 0 : idle + 1;
        least = fmin(least, error);
        SP_TRY(active_reserve(a, groups));
        if (PART_SHARE * part_choose(a, s, island) <= groups) {
            SP_TRY(active_build(a, s, island));
            active_hold(a, s);
            o.tolerance = active_tolerance(a, s, PART_TOLERANCE * s->limit), o.whole = o.undivided = true;
            SP_TRY(active_run(a, s, island, &o, out));
            if (out->converged || out->expired) return SP_OK;
        }
        int left = s->o->sweeps - out->sweeps;
        sp__cone_accelerated(s, island, h, left < PART_SWEEPS ? left : PART_SWEEPS, true, PART_SWEEPS, INFINITY, out);
        if (out->converged || out->expired) return SP_OK;
    }
    return SP_OK;
}
