// From a problem to its multipliers: order of the solver, islands, the choice of the method, the report.
#include "contact/solve_internal.h"
#include "core/share.h"

enum {
    CHUNK = 25,
    ROUND_SWEEPS = 100,
    NEWTON_ITERATIONS = 8,
    NEWTON_MOST = 30,
    BETWEEN = 20,
    LEAST_FACTORS = 4,
    HISTORY_ARRAYS = 4 + 2 * SP_CONE_HISTORY
};
static const double NEWTON_PRICE = 3;   // factorisations that it is expected to need
static const double MOST_FLOPS = 2e10;  // of one factorisation, some seconds: about 3000 fully coupled rows

struct sp_cone_solver {
    sp_context *ctx;
    double *q, *x, *u, *t, *best, *swept, *weight;
    sp_cone_outcome *outcome;  // per island
    sp_cone_history history;
    double *past;  // its numbers
    sp_cone_interior *interior;
    sp_cone_active *active;
    sp_cone_linear *linear;
    int row_capacity, group_capacity;
};

sp_cone_options sp__cone_options_default(void) {
    return (sp_cone_options){
        .tolerance = 1e-6, .norm = SP_CONE_NORM_SCALED, .sweeps = 1000, .iterations = 60, .deterministic = true};
}

const char *sp__cone_method_name(sp_cone_method method) {
    static const char *const names[] = {"auto", "gauss-seidel", "interior-point", "direct", "projected-gradient"};
    return names[method];
}

// ------------------------------------------------------------------------------------------------ memory

sp_status sp__cone_solver_create(sp_context *ctx, sp_cone_solver **out) {
    if (!SP_NEW(ctx, *out, 1)) return SP_FAIL(ctx, SP_NO_MEMORY, "no memory for a contact solver");
    (*out)->ctx = ctx;
    sp_status status = sp__cone_interior_create(ctx, &(*out)->interior);
    if (status >= 0) status = sp__cone_active_create(ctx, &(*out)->active);
    if (status >= 0) status = sp__cone_linear_create(ctx, &(*out)->linear);
    if (status < 0) sp__cone_solver_destroy(out);
    return status;
}

static void solver_free(sp_cone_solver *c) {
    void *arrays[] = {c->q, c->x, c->u, c->t, c->best, c->swept, c->weight, c->outcome, c->past};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) sp__free(c->ctx, arrays[i]);
    c->q = c->x = c->u = c->t = c->best = c->swept = c->weight = NULL;
    c->outcome = NULL;
    c->past = NULL;
    c->row_capacity = c->group_capacity = 0;
}

void sp__cone_solver_destroy(sp_cone_solver **solver) {
    sp_cone_solver *c = *solver;
    if (!c) return;
    solver_free(c);
    sp__cone_interior_destroy(&c->interior);
    sp__cone_active_destroy(&c->active);
    sp__cone_linear_destroy(&c->linear);
    sp__free(c->ctx, c);
    *solver = NULL;
}

static sp_status solver_reserve(sp_cone_solver *c, int groups, int rows) {
    if (groups <= c->group_capacity && rows <= c->row_capacity) return SP_OK;
    size_t g = (size_t)(groups > 2 * c->group_capacity ? groups : 2 * c->group_capacity);
    size_t n = (size_t)(rows > 2 * c->row_capacity ? rows : 2 * c->row_capacity);
    solver_free(c);
    if (!SP_NEW(c->ctx, c->q, n) || !SP_NEW(c->ctx, c->x, n) || !SP_NEW(c->ctx, c->u, n) || !SP_NEW(c->ctx, c->t, n) ||
        !SP_NEW(c->ctx, c->best, n) || !SP_NEW(c->ctx, c->swept, n) || !SP_NEW(c->ctx, c->weight, g) ||
        !SP_NEW(c->ctx, c->outcome, g) || !SP_NEW(c->ctx, c->past, HISTORY_ARRAYS * n)) {
        solver_free(c);
        return SP_FAIL(c->ctx, SP_NO_MEMORY, "no memory for a contact solver of %d rows", rows);
    }
    SP_LEND(c->ctx, c->q), SP_LEND(c->ctx, c->x), SP_LEND(c->ctx, c->u), SP_LEND(c->ctx, c->t), SP_LEND(c->ctx, c->best);
    SP_LEND(c->ctx, c->swept), SP_LEND(c->ctx, c->weight), SP_LEND(c->ctx, c->outcome), SP_LEND(c->ctx, c->past);
    double **parts[4] = {&c->history.x, &c->history.g, &c->history.f, &c->history.now};
    for (size_t i = 0; i < 4; i++) *parts[i] = c->past + i * n;
    for (size_t i = 0; i < SP_CONE_HISTORY; i++)
        c->history.df[i] = c->past + (4 + 2 * i) * n, c->history.dg[i] = c->past + (5 + 2 * i) * n;
    c->group_capacity = (int)g, c->row_capacity = (int)n;
    return SP_OK;
}

// ------------------------------------------------------------------------------------------------ Gauss-Seidel

// Sweeps that cost as much as one factorisation, from rows and panel widths: the fill is that of a band of the mean width.
// The constants are nanoseconds per number and per group on a machine of 2023.
static double sweeps_per_factor(const sp_cone_problem *p, const sp_cone_span *island) {
    double groups = island->end - island->begin, rows = island->row_end - island->row;
    double numbers = sp__cone_island_numbers(p, island), width = numbers / rows;
    double sweep = 0.35 * numbers + 100 * groups, factor = 0.06 * rows * width * width + 1000 * groups;
    return factor / sweep;
}

static double true_error(const sp_cone_run_state *s, const sp_cone_span *island) {
    sp__cone_island_violation(s, island, s->x, s->u);
    return sp__cone_island_error(s, island, s->x, s->u);
}

// Plain sweeps until the limit or the end of the budget.
static void solve_by_sweeps(const sp_cone_run_state *s, const sp_cone_span *island, int sweeps, bool parallel,
                            sp_cone_outcome *out) {
    int total = 0, chunk = s->o->tolerance > 0 ? CHUNK : sweeps;
    while (total < sweeps) {
        sp_cone_outcome now = {0};
        sp__cone_sweep(s, island, sweeps - total < chunk ? sweeps - total : chunk, parallel, &now);
        out->sweeps += now.sweeps, total += now.sweeps;
        out->error = now.error, out->expired = now.expired;
        out->converged = s->o->tolerance > 0 && now.error <= s->limit && true_error(s, island) <= s->limit;
        if (out->converged || now.expired) return;
    }
}

// `auto`: accelerated sweeps while they are expected to be cheaper than Newton.
static void solve_first(const sp_cone_solver *c, const sp_cone_run_state *s, const sp_cone_span *island, bool parallel,
                        sp_cone_outcome *out) {
    double worth = fmin(1000, fmax(20, NEWTON_PRICE * sweeps_per_factor(s->p, island)));
    if (s->o->method == SP_CONE_AUTO && s->o->tolerance > 0)
        sp__cone_accelerated(s, island, c->history, s->o->sweeps, parallel, 0, worth, out);
    else
        solve_by_sweeps(s, island, s->o->sweeps, parallel, out);
}

// ------------------------------------------------------------------------------------------------ the other methods

static void copy_rows(const sp_cone_span *island, const double *from, double *to) {
    memcpy(to + island->row, from + island->row, (size_t)(island->row_end - island->row) * sizeof *to);
}

static void keep_best(const sp_cone_run_state *s, const sp_cone_span *island, double *best) {
    double error = true_error(s, island);
    if (!(error < *best)) return;
    *best = error;
    copy_rows(island, s->x, s->best);
}

// Newton from the multipliers of the sweeps; where it does not converge, sweeps from the best point, in turns, until three turns
// in sequence have hardly reduced the error.
static bool solve_by_newton(sp_cone_solver *c, const sp_cone_run_state *s, const sp_cone_span *island, double *best,
                            sp_cone_outcome *out) {
    const int first = out->iterations;  // of parts of the island
    int between = (int)fmax(BETWEEN, 0.5 * sweeps_per_factor(s->p, island));
    for (int idle = 0; out->iterations < first + NEWTON_MOST && idle < 3;) {
        double before = *best;
        if (sp__cone_newton_full(c->interior, s, first + NEWTON_MOST - out->iterations, best, &out->iterations)) return true;
        copy_rows(island, s->best, s->x);
        int left = s->o->sweeps - out->sweeps;
        if (left <= 0 || sp__cone_spent(s)) break;
        sp__cone_accelerated(s, island, c->history, left < between ? left : between, true, between, INFINITY, out);
        keep_best(s, island, best);
        copy_rows(island, s->x, c->swept);
        if (out->converged || out->expired) return out->converged;
        idle = *best > 0.8 * before ? idle + 1 : 0;
    }
    return false;
}

// `start`: Newton from the multipliers of the sweeps. Then the interior point method; where both fail, plain sweeps go on from
// where they stopped and from the best point, with Newton in turns.
static sp_status solve_by_interior(sp_cone_solver *c, const sp_cone_run_state *s, const sp_cone_span *island, bool start,
                                   sp_cone_outcome *out) {
    double best = INFINITY;
    int limit = s->o->iterations;
    *s->spent = out->work;
    // fewer than a few factorisations are of no use
    double most = s->o->work > 0 ? fmin(MOST_FLOPS, (s->o->work - out->work) / LEAST_FACTORS) : MOST_FLOPS;
    sp_status status = sp__cone_interior_prepare(c->interior, s, island, most);
    if (status == SP_LIMIT) {
        // the work that is left, but some sweeps in any case
        double flops = 2 * sp__cone_island_numbers(s->p, island), left = s->o->sweeps - out->sweeps;
        if (s->o->work > 0) left = fmin(left, fmax(CHUNK, (s->o->work - out->work) / flops));
        int before = out->sweeps;
        solve_by_sweeps(s, island, (int)left, true, out);
        out->work += flops * (out->sweeps - before);
        return SP_OK;
    }
    SP_TRY(status);
    out->interior = true;
    keep_best(s, island, &best);
    copy_rows(island, s->x, c->swept);
    bool good = start && limit > 0 && solve_by_newton(c, s, island, &best, out);
    if (!good && !out->expired && limit > 0) good = sp__cone_interior_solve(c->interior, s, limit, &best, &out->iterations);
    for (int round = 0; !good && s->o->tolerance > 0 && out->sweeps < s->o->sweeps; round++) {
        sp_cone_outcome sweeps = {0};
        int left = s->o->sweeps - out->sweeps;
        copy_rows(island, round % 2 ? s->best : c->swept, s->x);
        sp__cone_sweep(s, island, left < ROUND_SWEEPS ? left : ROUND_SWEEPS, true, &sweeps);
        out->sweeps += sweeps.sweeps;
        if (round % 2 == 0) copy_rows(island, s->x, c->swept);
        keep_best(s, island, &best);
        if (sweeps.expired) break;
        good = best <= s->limit || sp__cone_newton_solve(c->interior, s, NEWTON_ITERATIONS, &best, &out->iterations);
    }
    copy_rows(island, s->best, s->x);
    out->converged = good || best <= s->limit;
    out->work = *s->spent;
    out->expired = sp__cone_expired(s);
    return SP_OK;
}

// Lemke on a faceted cone; for the exact cone Newton from there, with more facets if it fails.
static sp_status solve_by_pivots(sp_cone_solver *c, const sp_cone_run_state *s, const sp_cone_span *island,
                                 sp_cone_outcome *out) {
    if (island->end - island->begin > SP_CONE_DIRECT_CONTACTS)
        return SP_FAIL(c->ctx, SP_BAD_INPUT, "contact solver \"direct\"%s: %d coupled contacts, must be at most %d",
                       s->o->facets ? " of a cone with facets" : "", island->end - island->begin, SP_CONE_DIRECT_CONTACTS);
    double best = INFINITY;
    for (int facets = s->o->facets ? s->o->facets : 8; facets <= 32 && !out->converged; facets *= 2) {
        sp_status status = sp__cone_facets(s, island, facets, &out->iterations);
        SP_TRY(status);
        if (s->o->facets) {
            out->converged = status == SP_OK;
            return SP_OK;
        }
        SP_TRY(sp__cone_interior_prepare(c->interior, s, island, INFINITY));
        keep_best(s, island, &best);
        out->converged = sp__cone_newton_solve(c->interior, s, 50, &best, &out->iterations);
    }
    copy_rows(island, s->best, s->x);
    return SP_OK;
}

// ------------------------------------------------------------------------------------------------ islands

static sp_cone_span island_span(const sp_cone_problem *p, int island) {
    int begin = p->island_start[island], end = p->island_start[island + 1];
    return (sp_cone_span){begin, end, p->first[begin], p->first[end]};
}

typedef struct islands_job {
    sp_cone_solver *c;
    const sp_cone_run_state *s;
} islands_job;

// a large island uses all threads itself; with a clock, islands follow each other
static bool is_large(const sp_cone_run_state *s, const sp_cone_span *island) {
    return s->clock || s->p->island_count == 1 || sp__cone_island_numbers(s->p, island) >= SP_CONE_GRAPH_NUMBERS;
}

// small islands are tasks, each on one thread
static void island_task(void *arg, int task, int worker) {
    const islands_job *j = arg;
    const sp_cone_span island = island_span(j->s->p, task);
    (void)worker;
    if (!is_large(j->s, &island) && !sp__cone_is_linear(j->s, &island))
        solve_first(j->c, j->s, &island, false, &j->c->outcome[task]);
}

static sp_status solve_islands(sp_cone_solver *c, const sp_cone_run_state *s) {
    islands_job job = {c, s};
    sp_cone_method method = s->o->method;
    bool sweeps = method == SP_CONE_AUTO || method == SP_CONE_GAUSS_SEIDEL;
    for (int k = 0; k < s->p->island_count; k++) c->outcome[k] = (sp_cone_outcome){0};
    if (sweeps && s->p->island_count > 1 && !s->clock) sp__parallel(s->ctx, s->p->island_count, island_task, &job);
    for (int k = 0; k < s->p->island_count; k++) {
        sp_cone_span island = island_span(s->p, k);
        sp_cone_outcome *out = &c->outcome[k];
        const bool linear = sp__cone_is_linear(s, &island);
        if (linear) SP_TRY(sp__cone_linear_solve(c->linear, s, k, &island, out));
        if (linear && out->converged) continue;
        const bool large = is_large(s, &island), active = method == SP_CONE_AUTO && s->o->tolerance > 0 && !s->o->whole;
        if (linear && !large) solve_first(c, s, &island, true, out);
        if (active && (large || out->stalled)) SP_TRY(sp__cone_active_solve(c->active, s, &island, out));
        if (out->converged || out->expired) continue;
        if (sweeps && large) solve_first(c, s, &island, true, out);
        if (out->stalled && method == SP_CONE_AUTO && !s->o->undivided)
            SP_TRY(sp__cone_part_solve(c->active, s, &island, c->history, out));
        if (out->converged || out->expired) continue;
        if ((out->stalled && !out->expired && s->o->tolerance > 0) || method == SP_CONE_INTERIOR_POINT)
            SP_TRY(solve_by_interior(c, s, &island, method == SP_CONE_AUTO, out));
        if (method == SP_CONE_DIRECT) SP_TRY(solve_by_pivots(c, s, &island, out));
    }
    return SP_OK;
}

bool sp__cone_expired(const sp_cone_run_state *s) {
    sp_cone_clock *c = s->clock;
    if (!c) return false;
    c->queries++;
    if (c->expired_at) return true;
    bool over = c->expires_at < 0 ? sp__now_ms() > c->end_ms : c->queries == c->expires_at;
    if (over) c->expired_at = c->queries;
    return over;
}

bool sp__cone_spent(const sp_cone_run_state *s) {
    return (s->o->work > 0 && *s->spent > s->o->work) || sp__cone_expired(s);
}

// ------------------------------------------------------------------------------------------------ the whole problem

static sp_status check_options(sp_context *ctx, const sp_cone_options *o) {
    if (!(o->tolerance >= 0))
        return SP_FAIL(ctx, SP_BAD_INPUT, "contact solver: tolerance %g, must not be negative", o->tolerance);
    if (o->sweeps < 0 || o->iterations < 0)
        return SP_FAIL(ctx, SP_BAD_INPUT, "contact solver: %d sweeps and %d iterations, must not be negative", o->sweeps,
                       o->iterations);
    if (o->tile < 0 || o->tile % 3 != 0 || o->tile > 192)
        return SP_FAIL(ctx, SP_BAD_INPUT, "contact solver: tiles of %d rows, must be a multiple of 3 up to 192", o->tile);
    if (o->facets != 0 && (o->facets < SP_CONE_FACETS_MIN || o->facets > SP_CONE_FACETS_MAX))
        return SP_FAIL(ctx, SP_BAD_INPUT, "contact solver: a cone of %d facets, must have %d..%d", o->facets, SP_CONE_FACETS_MIN,
                       SP_CONE_FACETS_MAX);
    if (o->strategy == SP_CONE_RELAXED && o->deterministic)
        return SP_FAIL(ctx, SP_BAD_INPUT,
                       "contact solver: the strategy \"relaxed\" is not deterministic; choose another, or "
                       "allow results that depend on the threads");
    if (o->method == SP_CONE_PROJECTED_GRADIENT)
        return SP_FAIL(ctx, SP_BAD_INPUT, "contact solver \"projected-gradient\" needs a problem in operator form");
    return SP_OK;
}

// Weights, and multipliers in the solver's order. A group whose first diagonal number is not positive cannot respond: it is
// dropped.
static int solver_gather(sp_cone_solver *c, const sp_cone_problem *p, double *q_square, double *q_most) {
    int dropped = 0;
    for (int i = 0; i < p->group_count; i++) {
        const sp_cone_group *g = sp__cone_at(p, i);
        double weight = sp__cone_weight(p, i), normal = *sp__cone_block_at(p, i, i);
        bool drop = !(weight > 0) || (g->kind != SP_CONE_BILATERAL && !(normal > 0));
        c->weight[i] = drop ? 0 : weight;
        if (drop) dropped += g->rows;
        for (int r = 0; r < g->rows; r++) {
            double q = p->q[g->row + r];
            c->q[p->first[i] + r] = q;
            c->x[p->first[i] + r] = drop ? 0 : p->lambda[g->row + r];
            *q_square += q * q;
            *q_most = fmax(*q_most, fabs(q));
        }
    }
    return dropped;
}

static void solver_report(const sp_cone_solver *c, sp_cone_problem *p, const sp_cone_options *o, sp_cone_info *info) {
    bool all = true;
    for (int i = 0; i < p->group_count; i++) {
        const sp_cone_group *g = sp__cone_at(p, i);
        for (int r = 0; r < g->rows; r++) p->lambda[g->row + r] = c->x[p->first[i] + r], p->u[g->row + r] = c->u[p->first[i] + r];
    }
    for (int k = 0; k < p->island_count; k++) {
        const sp_cone_outcome *out = &c->outcome[k];
        if (out->sweeps > info->sweeps) info->sweeps = out->sweeps;
        if (out->iterations > info->iterations) info->iterations = out->iterations;
        if (out->interior) info->method = SP_CONE_INTERIOR_POINT;
        info->work += out->work;
        info->expired = info->expired || out->expired;
        all = all && out->converged;
    }
    info->islands = p->island_count, info->rows = p->row_count;
    info->largest = sp__cone_residual(p, p->lambda, p->u, SP_CONE_NORM_SCALED);
    info->residual = o->norm == SP_CONE_NORM_SCALED ? info->largest : sp__cone_residual(p, p->lambda, p->u, o->norm);
    info->status = all || o->tolerance == 0 || info->residual <= o->tolerance ? SP_OK : SP_NOT_CONVERGED;
}

sp_status sp__cone_solve(sp_cone_solver *c, sp_cone_problem *p, const sp_cone_options *o, sp_cone_info *info) {
    double q_square = 0, q_most = 0;
    int row = 0;
    *info = (sp_cone_info){.method = o->method == SP_CONE_AUTO ? SP_CONE_GAUSS_SEIDEL : o->method};
    SP_TRY(check_options(c->ctx, o));
    if (!p->laid_out) return SP_FAIL(c->ctx, SP_BAD_INPUT, "a contact problem must be laid out before it is solved");
    if (p->group_count == 0) return SP_OK;
    if (!sp__cone_finite(p, &row)) return SP_FAIL(c->ctx, SP_NOT_FINITE, "contact problem: row %d is not finite", row);
    SP_TRY(solver_reserve(c, p->group_count, p->row_count));
    info->dropped = solver_gather(c, p, &q_square, &q_most);
    sp_cone_run_state s = {.ctx = c->ctx,
                           .p = p,
                           .o = o,
                           .kernels = sp__cone_kernels(),
                           .q = c->q,
                           .x = c->x,
                           .u = c->u,
                           .t = c->t,
                           .best = c->best,
                           .weight = c->weight};
    s.limit = o->norm == SP_CONE_NORM_PLAIN ? o->tolerance * (1 + sqrt(q_square)) / sqrt(p->island_count)
                                            : o->tolerance * (q_most > 0 ? q_most : 1);
    sp_cone_clock own = {.end_ms = sp__now_ms() + o->budget_ms, .expires_at = -1};
    s.clock = o->clock ? o->clock : o->budget_ms > 0 ? &own : NULL;
    double spent = 0;
    s.spent = &spent;
    SP_TRY(solve_islands(c, &s));
    for (int k = 0; k < p->island_count; k++) {
        sp_cone_span island = island_span(p, k);
        sp__cone_island_violation(&s, &island, c->x, c->u);
    }
    solver_report(c, p, o, info);
    return SP_OK;
}
