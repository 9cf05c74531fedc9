// Block Gauss-Seidel on one island. A sweep visits the groups in order: violation of the group from the newest multipliers of
// all, then the problem of the group alone (local.c). Ways to distribute it over threads; all but
// the last have the iterates of the first:
//
// sequential   group by group, one row of W after another
// block        per tile of rows: its groups alone, then in parallel the products of all other rows with its new multipliers
// graph        tiles of rows are tasks (sweep, tile) in sweep-major order. A task multiplies its rows with the multipliers of the
//              other tiles, oldest first, then waits for the tile before it and visits its groups. `counter` is the number of
//              finished tasks: only one task at a time can be in its last part, so there is one writer.
//
// row          group by group, the products of its rows in parallel, then their sum
// col          block with one group per tile
// graph-2      graph; a thread that has to wait accumulates products of its next task meanwhile
// relaxed      tiles without any order or wait (Renouf 2004): other iterates
//
// Courtecuisse 2011, algorithms 7 to 9, with their corrections: two barriers per tile of `block`; in `graph` a task waits for
// tiles below its own only, and the counter counts finished tasks.
//
// Threads take the tasks of `graph` in order, so that a task waits only for tasks that other running threads have taken: it needs
// no minimum number of threads and also runs on one. Sums are divided at fixed places, whoever computes them.
#include <sched.h>

#include "contact/solve_internal.h"

enum { TILE_ROWS = 192, LAG_FEW = 2, LAG_MANY = 7, MANY_TILES = 64, SPIN_PAUSES = 200 };

double sp__cone_island_numbers(const sp_cone_problem *p, const sp_cone_span *island) {
    int last = island->end - 1;
    return (double)(p->panel_at[last] - p->panel_at[island->begin]) +
           (double)p->width[last] * (p->first[last + 1] - p->first[last]);
}

// sum += the panel times the columns [from, to); part: their numbers, part[0] is that of `from`
static void panel_multiply_part(const sp_cone_run_state *s, int position, int from, int to, const double *part, double *sum) {
    const sp_cone_problem *p = s->p;
    int low = p->run_start[position], end = p->run_start[position + 1], high = end, width = p->width[position];
    int rows = p->first[position + 1] - p->first[position];
    while (low < high) {  // first run that ends after `from`
        int middle = (low + high) / 2;
        if (p->run[middle].column + p->run[middle].count > from)
            high = middle;
        else
            low = middle + 1;
    }
    for (; low < end && p->run[low].column < to; low++) {
        const sp_cone_run *run = &p->run[low];
        int c0 = run->column > from ? run->column : from, c1 = run->column + run->count < to ? run->column + run->count : to;
        const double *A = sp__cone_panel(p, position) + run->at + (c0 - run->column);
        if (rows == 3)
            s->kernels->multiply3(c1 - c0, A, width, part + (c0 - from), sum);
        else
            for (int r = 0; r < rows; r++) s->kernels->multiply1(c1 - c0, A + (ptrdiff_t)r * width, part + (c0 - from), sum + r);
    }
}

void sp__cone_panel_multiply(const sp_cone_run_state *s, int position, int from, int to, const double *x, double *sum) {
    panel_multiply_part(s, position, from, to, x + from, sum);
}

void sp__cone_island_violation(const sp_cone_run_state *s, const sp_cone_span *island, const double *x, double *u) {
    const sp_cone_problem *p = s->p;
    for (int i = island->begin; i < island->end; i++) {
        double sum[SP_CONE_ROWS_MAX] = {0};
        sp__cone_panel_multiply(s, i, island->row, island->row_end, x, sum);
        for (int r = 0; r < p->first[i + 1] - p->first[i]; r++) u[p->first[i] + r] = s->q[p->first[i] + r] + sum[r];
    }
}

double sp__cone_group_error(const sp_cone_run_state *s, int i, const double *x, const double *u, double error) {
    const sp_cone_group *g = sp__cone_at(s->p, i);
    bool plain = s->o->norm == SP_CONE_NORM_PLAIN;
    double e[SP_CONE_ROWS_MAX], square = 0, w = s->weight[i];
    if (w == 0) return error;
    sp__cone_natural(g->kind, g->rows, g->mu, plain ? 1 : w, x, u, e);
    for (int r = 0; r < g->rows; r++) square += e[r] * e[r];
    return plain ? error + square : fmax(error, w * w * square);
}

double sp__cone_island_error(const sp_cone_run_state *s, const sp_cone_span *island, const double *x, const double *u) {
    double error = 0;
    for (int i = island->begin; i < island->end; i++)
        error = sp__cone_group_error(s, i, x + s->p->first[i], u + s->p->first[i], error);
    return sqrt(error);
}

// New multipliers of the group at position i from its violation u; returns the square of the error, extended by its own.
static double visit_group(const sp_cone_run_state *s, int i, const double *u, double error) {
    const sp_cone_problem *p = s->p;
    double *x = s->x + p->first[i];
    if (s->weight[i] == 0) return error;
    error = sp__cone_group_error(s, i, x, u, error);
    sp__cone_local(sp__cone_at(p, i), s->o->local, s->weight[i], sp__cone_block_at(p, i, i), p->width[i], u, x);
    return error;
}

// whether the sweeps end: *out gets the reason
static bool sweeps_end(const sp_cone_run_state *s, double error, int done, sp_cone_outcome *out) {
    out->sweeps = done;
    out->error = sqrt(error);
    out->converged = s->o->tolerance > 0 && out->error <= s->limit;
    out->expired = sp__cone_expired(s);
    return out->converged || out->expired;
}

// ------------------------------------------------------------------------------------------------ sequential

static void sweep_sequential(const sp_cone_run_state *s, const sp_cone_span *island, int sweeps, sp_cone_outcome *out) {
    for (int k = 0; k < sweeps; k++) {
        double error = 0;
        for (int i = island->begin; i < island->end; i++) {
            double u[SP_CONE_ROWS_MAX] = {0};
            sp__cone_panel_multiply(s, i, island->row, island->row_end, s->x, u);
            for (int r = 0; r < s->p->first[i + 1] - s->p->first[i]; r++) u[r] += s->q[s->p->first[i] + r];
            error = visit_group(s, i, u, error);
        }
        if (sweeps_end(s, error, k + 1, out)) return;
    }
}

// ------------------------------------------------------------------------------------------------ tiles

// The tiles of an island are found from their rows: every tile has the groups whose first row is in its interval.
typedef struct tiling {
    const sp_cone_run_state *s;
    const sp_cone_span *island;
    int rows, count;
} tiling;

static tiling make_tiling(const sp_cone_run_state *s, const sp_cone_span *island) {
    int rows = s->o->strategy == SP_CONE_COL ? 3 : s->o->tile > 0 ? s->o->tile : SP_CONE_TILE;  // col: tiles of one group
    if (rows > TILE_ROWS) rows = TILE_ROWS;
    return (tiling){s, island, rows, (island->row_end - island->row + rows - 1) / rows};
}

static int tile_begin(const tiling *t, int tile) {
    int row = t->island->row + tile * t->rows, low = t->island->begin, high = t->island->end;
    while (low < high) {
        int middle = (low + high) / 2;
        if (t->s->p->first[middle] >= row)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

static sp_cone_span tile_span(const tiling *t, int tile) {
    int begin = tile_begin(t, tile), end = tile_begin(t, tile + 1);
    return (sp_cone_span){begin, end, t->s->p->first[begin], t->s->p->first[end]};
}

// visits the groups of a tile; t holds the products with all other tiles, and q
static double visit_tile(const sp_cone_run_state *s, const sp_cone_span *tile, const double *t, double error) {
    const sp_cone_problem *p = s->p;
    for (int i = tile->begin; i < tile->end; i++) {
        double u[SP_CONE_ROWS_MAX];
        for (int r = 0; r < p->first[i + 1] - p->first[i]; r++) u[r] = t[p->first[i] - tile->row + r];
        sp__cone_panel_multiply(s, i, tile->row, tile->row_end, s->x, u);
        error = visit_group(s, i, u, error);
    }
    return error;
}

static void multiply_tile(const sp_cone_run_state *s, const sp_cone_span *tile, int from, int to, double *t) {
    if (from >= to) return;
    for (int i = tile->begin; i < tile->end; i++) sp__cone_panel_multiply(s, i, from, to, s->x, t + (s->p->first[i] - tile->row));
}

// ------------------------------------------------------------------------------------------------ block

typedef struct block_job {
    tiling tiles;
    sp_cone_span now;  // the tile that has just been visited
    int tile;
} block_job;

static void block_task(void *arg, int task, int worker) {
    const block_job *j = arg;
    const sp_cone_span tile = tile_span(&j->tiles, task);
    (void)worker;
    if (task != j->tile) multiply_tile(j->tiles.s, &tile, j->now.row, j->now.row_end, j->tiles.s->t + tile.row);
}

static void sweep_block(const sp_cone_run_state *s, const sp_cone_span *island, int sweeps, bool parallel, sp_cone_outcome *out) {
    block_job j = {.tiles = make_tiling(s, island)};
    int count = j.tiles.count;
    memcpy(s->t + island->row, s->q + island->row, (size_t)(island->row_end - island->row) * sizeof *s->t);
    for (int k = 0; k < count; k++) {
        sp_cone_span tile = tile_span(&j.tiles, k);
        multiply_tile(s, &tile, tile.row_end, island->row_end, s->t + tile.row);
    }
    for (int k = 0; k < sweeps; k++) {
        double error = 0;
        for (j.tile = 0; j.tile < count; j.tile++) {
            j.now = tile_span(&j.tiles, j.tile);
            error = visit_tile(s, &j.now, s->t + j.now.row, error);
            memcpy(s->t + j.now.row, s->q + j.now.row, (size_t)(j.now.row_end - j.now.row) * sizeof *s->t);
            if (parallel)
                sp__parallel(s->ctx, count, block_task, &j);
            else
                for (int task = 0; task < count; task++) block_task(&j, task, 0);
        }
        if (sweeps_end(s, error, k + 1, out)) return;
    }
}

// ------------------------------------------------------------------------------------------------ graph

typedef struct graph_job {
    tiling tiles;
    int sweeps;
    double error;                     // of the current sweep; written by the task in its last part only
    sp_cone_outcome *out;             // likewise
    _Alignas(64) atomic_int counter;  // finished tasks; sweeps * tiles: the end
    _Alignas(64) atomic_int next;     // tasks that are taken
} graph_job;

static void graph_wait(graph_job *j, int *seen, int above) {
    for (int pause = 0; *seen <= above; pause++) {
        *seen = atomic_load_explicit(&j->counter, memory_order_acquire);
        if (*seen > above) return;
        if (pause < SPIN_PAUSES) {
#if defined(__x86_64__) || defined(__i386__)
            __builtin_ia32_pause();
#endif
        } else {
            sched_yield();  // more threads than cores: the thread that is waited for needs one
        }
    }
}

// number of finished tasks after which tile `other` has the values that tile `tile` needs in this sweep
static int graph_needs(int sweep, int count, int tile, int other) {
    return (other > tile ? sweep - 1 : sweep) * count + other;
}

// products with all other tiles, in the order tile + 1, ..., count - 1, 0, ..., tile - 1: the first ones as wholes, which reads
// long rows of W, the last ones, which may still be in work, one by one
static void graph_products(graph_job *j, int sweep, int tile, const sp_cone_span *own, double *t, int *seen) {
    int count = j->tiles.count, lag = count >= MANY_TILES ? LAG_MANY : LAG_FEW, whole = count - 1 - lag;
    const sp_cone_span *island = j->tiles.island;
    int end = island->row_end, start = island->row;
    if (whole > 0) {
        int last = (tile + whole) % count;
        graph_wait(j, seen, graph_needs(sweep, count, tile, last));
        sp_cone_span stop = tile_span(&j->tiles, last);
        if (last > tile) {
            multiply_tile(j->tiles.s, own, own->row_end, stop.row_end, t);
        } else {
            multiply_tile(j->tiles.s, own, own->row_end, end, t);
            multiply_tile(j->tiles.s, own, start, stop.row_end, t);
        }
    }
    for (int k = whole > 0 ? whole + 1 : 1; k < count; k++) {
        int other = (tile + k) % count;
        graph_wait(j, seen, graph_needs(sweep, count, tile, other));
        sp_cone_span span = tile_span(&j->tiles, other);
        multiply_tile(j->tiles.s, own, span.row, span.row_end, t);
    }
}

static void graph_task(void *arg, int task, int worker) {
    graph_job *j = arg;
    const sp_cone_run_state *s = j->tiles.s;
    int count = j->tiles.count, all = j->sweeps * count, seen = 0;
    double t[TILE_ROWS + SP_CONE_ROWS_MAX];
    (void)task, (void)worker;
    for (int now; (now = atomic_fetch_add_explicit(&j->next, 1, memory_order_relaxed)) < all;) {
        int sweep = now / count, tile = now % count;
        sp_cone_span own = tile_span(&j->tiles, tile);
        memcpy(t, s->q + own.row, (size_t)(own.row_end - own.row) * sizeof *t);
        graph_products(j, sweep, tile, &own, t, &seen);
        graph_wait(j, &seen, now - 1);
        if (seen >= all) return;  // another task ended the sweeps
        if (tile == 0) j->error = 0;
        j->error = visit_tile(s, &own, t, j->error);
        bool end = tile == count - 1 && sweeps_end(s, j->error, sweep + 1, j->out);
        atomic_store_explicit(&j->counter, end ? all : now + 1, memory_order_release);
        if (end) return;
    }
}

// ------------------------------------------------------------------------------------------------ graph-2

// A task of a thread: the next product is that with the tile `step` places after its own.
typedef struct graph_work {
    int task, step;  // task -1: none
    sp_cone_span own;
    double t[TILE_ROWS + SP_CONE_ROWS_MAX];
} graph_work;

static void graph2_take(graph_job *j, graph_work *w) {
    int all = j->sweeps * j->tiles.count, task = atomic_fetch_add_explicit(&j->next, 1, memory_order_relaxed);
    w->task = task < all ? task : -1, w->step = 1;
    if (w->task < 0) return;
    w->own = tile_span(&j->tiles, task % j->tiles.count);
    memcpy(w->t, j->tiles.s->q + w->own.row, (size_t)(w->own.row_end - w->own.row) * sizeof *w->t);
}

// one product, if the values are there
static bool graph2_advance(graph_job *j, graph_work *w) {
    int count = j->tiles.count;
    if (w->task < 0 || w->step >= count) return false;
    int tile = w->task % count, other = (tile + w->step) % count;
    if (atomic_load_explicit(&j->counter, memory_order_acquire) <= graph_needs(w->task / count, count, tile, other)) return false;
    sp_cone_span span = tile_span(&j->tiles, other);
    multiply_tile(j->tiles.s, &w->own, span.row, span.row_end, w->t);
    w->step++;
    return true;
}

// The first of two tasks has precedence: other threads may wait for its last part.
static void graph2_task(void *arg, int task, int worker) {
    graph_job *j = arg;
    graph_work work[2], *now = &work[0], *next = &work[1];
    int count = j->tiles.count, all = j->sweeps * count;
    (void)task, (void)worker;
    graph2_take(j, now), graph2_take(j, next);
    while (now->task >= 0) {
        int seen = atomic_load_explicit(&j->counter, memory_order_acquire);
        if (seen >= all) return;
        if (now->step < count || seen < now->task) {
            if (!graph2_advance(j, now) && !graph2_advance(j, next)) sched_yield();
            continue;
        }
        int tile = now->task % count;
        if (tile == 0) j->error = 0;
        j->error = visit_tile(j->tiles.s, &now->own, now->t, j->error);
        bool end = tile == count - 1 && sweeps_end(j->tiles.s, j->error, now->task / count + 1, j->out);
        atomic_store_explicit(&j->counter, end ? all : now->task + 1, memory_order_release);
        graph_work *done = now;
        now = next, next = done;
        graph2_take(j, next);
    }
}

static void sweep_graph(const sp_cone_run_state *s, const sp_cone_span *island, int sweeps, bool parallel, sp_cone_outcome *out) {
    graph_job j = {.tiles = make_tiling(s, island), .sweeps = sweeps, .out = out};
    atomic_init(&j.counter, 0);
    atomic_init(&j.next, 0);
    void (*task)(void *, int, int) = s->o->strategy == SP_CONE_GRAPH_2 ? graph2_task : graph_task;
    if (parallel)
        sp__parallel(s->ctx, sp__workers(s->ctx), task, &j);
    else
        task(&j, 0, 0);
}

// ------------------------------------------------------------------------------------------------ row

typedef struct row_job {
    tiling tiles;
    int position;
    double *part;  // SP_CONE_ROWS_MAX per tile
} row_job;

static void row_task(void *arg, int task, int worker) {
    const row_job *j = arg;
    sp_cone_span tile = tile_span(&j->tiles, task);
    double *sum = j->part + (size_t)task * SP_CONE_ROWS_MAX;
    (void)worker;
    memset(sum, 0, SP_CONE_ROWS_MAX * sizeof *sum);
    sp__cone_panel_multiply(j->tiles.s, j->position, tile.row, tile.row_end, j->tiles.s->x, sum);
}

// partial sums are in t, so a tile must have at least the rows of a group
static void sweep_row(const sp_cone_run_state *s, const sp_cone_span *island, int sweeps, bool parallel, sp_cone_outcome *out) {
    row_job j = {.tiles = make_tiling(s, island), .part = s->t + island->row};
    while (j.tiles.count * SP_CONE_ROWS_MAX > island->row_end - island->row && j.tiles.count > 1)
        j.tiles.rows *= 2, j.tiles.count = (island->row_end - island->row + j.tiles.rows - 1) / j.tiles.rows;
    double few[SP_CONE_ROWS_MAX];
    if (j.tiles.count == 1) j.part = few;
    for (int k = 0; k < sweeps; k++) {
        double error = 0;
        for (j.position = island->begin; j.position < island->end; j.position++) {
            double u[SP_CONE_ROWS_MAX];
            int first = s->p->first[j.position];
            if (parallel)
                sp__parallel(s->ctx, j.tiles.count, row_task, &j);
            else
                for (int task = 0; task < j.tiles.count; task++) row_task(&j, task, 0);
            for (int r = 0; r < s->p->first[j.position + 1] - first; r++) {
                u[r] = s->q[first + r];
                for (int task = 0; task < j.tiles.count; task++) u[r] += j.part[task * SP_CONE_ROWS_MAX + r];
            }
            error = visit_group(s, j.position, u, error);
        }
        if (sweeps_end(s, error, k + 1, out)) return;
    }
}

// ------------------------------------------------------------------------------------------------ relaxed

typedef struct relaxed_job {
    tiling tiles;
    int sweeps, workers;
    double error[64];  // of the last sweep, per task
} relaxed_job;

enum { RELAXED_TASKS = 64 };

// The multipliers of other threads may change at any time: they are read and written as atomic numbers.
static void relaxed_copy(const sp_cone_run_state *s, const sp_cone_span *span, double *x) {
    for (int k = span->row; k < span->row_end; k++) __atomic_load(s->x + k, x + (k - span->row), __ATOMIC_RELAXED);
}

static double relaxed_tile(const relaxed_job *j, int tile, double error) {
    const sp_cone_run_state *s = j->tiles.s;
    const sp_cone_problem *p = s->p;
    sp_cone_span own = tile_span(&j->tiles, tile);
    double t[TILE_ROWS + SP_CONE_ROWS_MAX], x[TILE_ROWS + SP_CONE_ROWS_MAX];
    memcpy(t, s->q + own.row, (size_t)(own.row_end - own.row) * sizeof *t);
    for (int other = 0; other < j->tiles.count; other++) {
        sp_cone_span span = tile_span(&j->tiles, other);
        if (other == tile || span.row == span.row_end) continue;
        relaxed_copy(s, &span, x);
        for (int i = own.begin; i < own.end; i++)
            panel_multiply_part(s, i, span.row, span.row_end, x, t + (p->first[i] - own.row));
    }
    relaxed_copy(s, &own, x);
    for (int i = own.begin; i < own.end; i++) {
        double u[SP_CONE_ROWS_MAX], *group = x + (p->first[i] - own.row);
        int rows = p->first[i + 1] - p->first[i];
        memcpy(u, t + (p->first[i] - own.row), (size_t)rows * sizeof *u);
        panel_multiply_part(s, i, own.row, own.row_end, x, u);
        if (s->weight[i] == 0) continue;
        error = sp__cone_group_error(s, i, group, u, error);
        sp__cone_local(sp__cone_at(p, i), s->o->local, s->weight[i], sp__cone_block_at(p, i, i), p->width[i], u, group);
        for (int r = 0; r < rows; r++) __atomic_store(s->x + p->first[i] + r, group + r, __ATOMIC_RELAXED);
    }
    return error;
}

static void relaxed_task(void *arg, int task, int worker) {
    relaxed_job *j = arg;
    (void)worker;
    for (int k = 0; k < j->sweeps; k++) {
        j->error[task] = 0;
        for (int tile = task; tile < j->tiles.count; tile += j->workers) j->error[task] = relaxed_tile(j, tile, j->error[task]);
    }
}

// All sweeps are made: the caller finds out whether they were enough.
static void sweep_relaxed(const sp_cone_run_state *s, const sp_cone_span *island, int sweeps, bool parallel,
                          sp_cone_outcome *out) {
    relaxed_job j = {.tiles = make_tiling(s, island), .sweeps = sweeps, .workers = parallel ? sp__workers(s->ctx) : 1};
    double error = 0;
    if (j.workers > RELAXED_TASKS) j.workers = RELAXED_TASKS;
    sp__parallel(s->ctx, j.workers, relaxed_task, &j);
    for (int i = 0; i < j.workers; i++) error = s->o->norm == SP_CONE_NORM_PLAIN ? error + j.error[i] : fmax(error, j.error[i]);
    sweeps_end(s, error, sweeps, out);
}

// ------------------------------------------------------------------------------------------------

void sp__cone_sweep(const sp_cone_run_state *s, const sp_cone_span *island, int sweeps, bool parallel, sp_cone_outcome *out) {
    sp_cone_strategy strategy = s->o->strategy;
    if (strategy == SP_CONE_STRATEGY_AUTO)
        strategy = sp__cone_island_numbers(s->p, island) >= SP_CONE_GRAPH_NUMBERS ? SP_CONE_GRAPH : SP_CONE_SEQUENTIAL;
    out->sweeps = 0;
    out->converged = out->expired = false;
    if (strategy == SP_CONE_ROW)
        sweep_row(s, island, sweeps, parallel, out);
    else if (strategy == SP_CONE_RELAXED)
        sweep_relaxed(s, island, sweeps, parallel, out);
    else if (strategy == SP_CONE_GRAPH || strategy == SP_CONE_GRAPH_2)
        sweep_graph(s, island, sweeps, parallel, out);
    else if (strategy == SP_CONE_BLOCK || strategy == SP_CONE_COL)
        sweep_block(s, island, sweeps, parallel, out);
    else
        sweep_sequential(s, island, sweeps, out);
}
