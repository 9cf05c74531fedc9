// Schedule of a preconditioner: when it is rebuilt, and on which thread.
//
//   step     before each solve whose matrix differs from that of the last build
//   every k  before the first solve of every k-th step;  never: once
//   async    the first build before its step; then a matrix snapshot goes to the background thread, the result is swapped in
//            at the start of a later step, and the next snapshot is taken at once
//   auto     cheap kinds like `step`; costly kinds like `async`, but the next snapshot is taken only when it is needed
//
// Asynchronous results are swapped in as soon as they are ready; no step waits for them. In a deterministic world they are
// swapped in exactly `lag` steps after the snapshot, and the step waits if necessary. The preconditioner in use changes only at
// the first solve of a step. A replay of a run that did not wait contains the steps of the swaps; everything else follows from
// the values.
//
// A failed step that is repeated starts with the same schedule as the failed attempt. The swap at its start stays, because it
// depends only on the state before the step. The snapshot of the failed attempt is discarded and taken again.
//
// A new pattern needs a new preconditioner cache. The old cache is abandoned: its job is asked to stop, and its memory is freed
// when the job has ended. If no step may wait, block-Jacobi is used until the first factor of the new pattern is ready.
#include "linear/refresh.h"

#include <stdio.h>

#include "core/share.h"
#include "core/visitor.h"

// ==================================================================== matrix snapshots and their preconditioners

// ------------------------------------------------------------------------------------------------ creation and destruction

// Number of snapshots of a policy. If each step builds one and the step may fail, the snapshot of the previous step stays until
// the step is committed: a repeated step starts with it.
static int snapshots_of(const sp_refresh *r) {
    switch (r->policy) {
    case SP_REFRESH_NEVER: return 1;
    case SP_REFRESH_STEP: return r->keeps ? 3 : 1;
    default: return 2;
    }
}

static sp_status cache_copy_pattern(sp_precond_cache *a, const sp_blocks *M) {
    sp_symmetric from;
    sp__blocks_view(M, &from);
    size_t rows = (size_t)from.n + 1, blocks = (size_t)from.row_start[from.n];
    if (!SP_NEW(a->ctx, a->row_start, rows) || !SP_NEW(a->ctx, a->row_col, blocks + 1) || !SP_NEW(a->ctx, a->pos, blocks + 1))
        return SP_NO_MEMORY;
    memcpy(a->row_start, from.row_start, rows * sizeof *a->row_start);
    memcpy(a->row_col, from.row_col, blocks * sizeof *a->row_col);
    memcpy(a->pos, from.pos, blocks * sizeof *a->pos);
    SP_SHARE(a->ctx, a->row_start), SP_SHARE(a->ctx, a->row_col), SP_SHARE(a->ctx, a->pos);
    a->view = from;
    a->view.row_start = a->row_start, a->view.row_col = a->row_col, a->view.pos = a->pos;
    a->nodes = from.n;
    a->val_count = 36 * (size_t)M->slots;
    return SP_OK;
}

static sp_status snapshot_create(sp_refresh *r, sp_precond_cache *a, sp_matrix_snapshot *p, const double *points,
                                 const sp_precond *like) {
    size_t n = (size_t)a->nodes;
    if (r->keeps) {
        if (!SP_NEW(a->ctx, p->val, a->val_count + 4) || !SP_NEW(a->ctx, p->fixed, 3 * n)) return SP_NO_MEMORY;
        if (r->node_rotations && !SP_NEW(a->ctx, p->turn, 9 * n)) return SP_NO_MEMORY;
    }
    p->values = SP_NO_REVISION;
    if (r->kind->factor && r->policy != SP_REFRESH_STEP) SP_TRY(sp__inverse_cache_create(a->ctx, &p->columns));
    return r->kind->create(a->ctx, r->be, &r->def, &a->view, points, like, &p->p);
}

static sp_status cache_keep_origin(sp_precond_cache *a, const sp_blocks *M, const double *points) {
    if (!SP_NEW(a->ctx, a->origin, a->val_count + 4)) return SP_NO_MEMORY;
    memcpy(a->origin, M->val, a->val_count * sizeof *a->origin);
    if (!points) return SP_OK;
    if (!SP_NEW(a->ctx, a->points, 3 * (size_t)a->nodes)) return SP_NO_MEMORY;
    memcpy(a->points, points, 3 * (size_t)a->nodes * sizeof *points);
    return SP_OK;
}

static sp_status cache_create_snapshots(sp_refresh *r, sp_precond_cache *a, const sp_system *A, const sp_blocks *M) {
    double *points = NULL;
    sp_status status = SP_OK;
    if (A->points) {
        if (!SP_NEW(a->ctx, points, 3 * (size_t)a->nodes)) return SP_NO_MEMORY;
        A->points(A->o, points);
    }
    if (r->kind->analysis_uses_values && r->keeps) status = cache_keep_origin(a, M, points);
    for (int i = 0; i < a->count && status >= 0; i++)
        status = snapshot_create(r, a, &a->snapshot[i], points, i > 0 ? a->snapshot[0].p : NULL);
    if (status >= 0 && r->kind != &sp__precond_block_jacobi)
        status = sp__precond_block_jacobi.create(a->ctx, r->be, &r->def, &a->view, points, NULL, &a->cheap);
    sp__free(a->ctx, points);
    return status;
}

static void cache_destroy(sp_precond_cache *a);
static sp_status snapshot_build(sp_precond_cache *a, int which, const sp_blocks *M, bool alone);

static void cache_run_job(void *arg) {
    sp_precond_cache *a = arg;
    sp_matrix_snapshot *p = &a->snapshot[a->making];
    if (snapshot_build(a, a->making, NULL, true) == SP_OK && p->columns)
        sp__inverse_cache_fill(p->columns, p->p->kind->factor(p->p), NULL, &p->p->stop);
}

static sp_status cache_create(sp_refresh *r, const sp_system *A, const sp_blocks *M, sp_precond_cache **out) {
    sp_precond_cache *a;
    *out = NULL;
    if (!SP_NEW(r->ctx, a, 1)) return SP_FAIL(r->ctx, SP_NO_MEMORY, "no memory for a preconditioner");
    a->ctx = r->ctx;
    a->count = snapshots_of(r);
    a->job.run = cache_run_job, a->job.arg = a;
    atomic_init(&a->job.state, SP_JOB_IDLE);
    sp_status status = cache_copy_pattern(a, M);
    if (status >= 0) status = cache_create_snapshots(r, a, A, M);  // create may read the values of M, which are only borrowed
    a->view.val = NULL;
    if (status >= 0) {
        *out = a;
        return status;
    }
    cache_destroy(a);
    if (status == SP_NO_MEMORY) SP_FAIL(r->ctx, status, "no memory for a preconditioner of %d unknowns", A->n);
    return status;
}

// no job may be running
static void cache_destroy(sp_precond_cache *a) {
    if (!a) return;
    for (int i = 0; i < a->count; i++) {
        sp_matrix_snapshot *p = &a->snapshot[i];
        if (p->p) p->p->kind->destroy(p->p);
        sp__inverse_cache_destroy(&p->columns);
        sp__free(a->ctx, p->val), sp__free(a->ctx, p->turn), sp__free(a->ctx, p->fixed);
    }
    if (a->cheap) a->cheap->kind->destroy(a->cheap);
    sp__free(a->ctx, a->origin), sp__free(a->ctx, a->points);
    sp__free(a->ctx, a->row_start), sp__free(a->ctx, a->row_col), sp__free(a->ctx, a->pos);
    sp__free(a->ctx, a);
}

// repeats the analysis after `origin` was overwritten; no job may be running
static sp_status cache_analyse(sp_refresh *r) {
    sp_precond_cache *a = r->cache;
    sp_precond *made[SP_SNAPSHOTS_MAX] = {NULL};
    sp_status status = SP_OK;
    sp_symmetric view = a->view;
    view.val = a->origin;
    for (int i = 0; i < a->count && status >= 0; i++)
        status = r->kind->create(a->ctx, r->be, &r->def, &view, a->points, i > 0 ? made[0] : NULL, &made[i]);
    for (int i = 0; i < a->count; i++) {
        sp_precond *old = status >= 0 ? a->snapshot[i].p : made[i];
        if (status >= 0) a->snapshot[i].p = made[i];
        if (old) r->kind->destroy(old);
    }
    return status;
}

static void cache_request_stop(sp_precond_cache *a) {
    atomic_store(&a->snapshot[a->making].p->stop, true);
}

static void cache_release(void *arg) {
    cache_destroy(arg);
}

// asks a running job to stop and does not wait
static void cache_abandon(sp_precond_cache *a) {
    if (!a) return;
    cache_request_stop(a);
    sp__job_abandon(a->ctx, &a->job, cache_release);
}

// stops the job and waits until it has ended
static void cache_stop(sp_precond_cache *a) {
    cache_request_stop(a);
    sp__job_cancel(a->ctx, &a->job);
}

static size_t cache_bytes(const sp_precond_cache *a) {
    if (!a) return 0;
    size_t n = (size_t)a->nodes, bytes = (size_t)a->row_start[n] * 8 + n * 4;
    for (int i = 0; i < a->count; i++) {
        const sp_matrix_snapshot *p = &a->snapshot[i];
        bytes += p->p->kind->bytes(p->p) + (p->val ? a->val_count * 8 + 3 * n : 0) + (p->turn ? 72 * n : 0);
        if (p->columns) bytes += sp__inverse_cache_bytes(p->columns);
    }
    if (a->origin) bytes += a->val_count * 8 + (a->points ? 24 * n : 0);
    return bytes + (a->cheap ? a->cheap->kind->bytes(a->cheap) : 0);
}

// ------------------------------------------------------------------------------------------------ snapshots

static sp_status snapshot_take(sp_refresh *r, sp_matrix_snapshot *p, const sp_system *A, const sp_blocks *M, uint64_t step) {
    size_t n = (size_t)r->cache->nodes;
    if (p->columns) sp__inverse_cache_clear(p->columns);
    if (p->turn) SP_TRY(A->node_rotations(A->o, p->turn));
    p->step = step, p->values = A->values;
    if (p->val) memcpy(p->val, M->val, r->cache->val_count * sizeof *p->val);
    if (p->fixed) memcpy(p->fixed, A->fixed, 3 * n);
    return SP_OK;
}

// Builds from the matrix copy of the snapshot, or from M if there is no copy.
static sp_status snapshot_build(sp_precond_cache *a, int which, const sp_blocks *M, bool alone) {
    sp_matrix_snapshot *p = &a->snapshot[which];
    sp_symmetric view = a->view;
    view.val = p->val ? p->val : M->val;
    p->p->node_rotations = p->turn;
    p->info = (sp_factor_info){.unknown = -1};
    p->status = p->p->kind->build(p->p, &view, alone, &p->info);
    return p->status;
}

// ============================================================================ rotation of a stale preconditioner

// A stale preconditioner in a body that has rotated: z = keep R P^-1 R^T keep r with R_i = Rnow_i Rthen_i^T for each node
// (Courtecuisse 2011, equations 3.22 and 3.23, in the order for rotations that act on columns: A_now = R A_then R^T if the body
// only rotates). keep sets the unknowns to zero that are fixed now, independent of the pins of the snapshot. R is orthogonal and
// keep a projection, so the product stays symmetric, and positive definite on the free unknowns.

static const double still_angle = 1e-9;  // a smaller rotation in radians does not change the iteration

// ------------------------------------------------------------------------------------------------ memory

static void warp_free(sp_refresh *r);

static sp_status warp_reserve(sp_refresh *r, const sp_system *A) {
    size_t n = (size_t)A->n;
    bool node_rotations = r->keeps && A->node_rotations && A->block == 3, warps = node_rotations && r->def.pcg.warp;
    warp_free(r);
    if (!SP_NEW(r->ctx, r->fixed, n) || !SP_NEW(r->ctx, r->held, n) || !SP_NEW(r->ctx, r->w, n + 1) ||
        !SP_NEW(r->ctx, r->y, n + 1) || !SP_NEW(r->ctx, r->partial, n / SP_RANGE + 1))
        return SP_FAIL(r->ctx, SP_NO_MEMORY, "no memory to apply a preconditioner of %d unknowns", A->n);
    if (warps && (!SP_NEW(r->ctx, r->turn, 3 * n) || !SP_NEW(r->ctx, r->R, 3 * n)))
        return SP_FAIL(r->ctx, SP_NO_MEMORY, "no memory for the rotations of %d unknowns", A->n);
    SP_LEND(r->ctx, r->w), SP_LEND(r->ctx, r->y), SP_LEND(r->ctx, r->partial), SP_LEND(r->ctx, r->turn), SP_LEND(r->ctx, r->R);
    r->node_rotations = node_rotations, r->warps = warps;
    return SP_OK;
}

static void warp_free(sp_refresh *r) {
    void *all[] = {r->fixed, r->held, r->w, r->y, r->partial, r->turn, r->R};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) sp__free(r->ctx, all[i]);
    r->fixed = NULL, r->held = NULL, r->w = r->y = r->partial = r->turn = r->R = NULL;
    r->node_rotations = r->warps = false;
}

// ------------------------------------------------------------------------------------------------ before a solve

// lists the unknowns that are fixed now
static void warp_pins(sp_refresh *r, const sp_system *A) {
    r->held_count = 0;
    memcpy(r->fixed, A->fixed, (size_t)A->n);
    for (int i = 0; i < A->n; i++)
        if (r->fixed[i]) r->held[r->held_count++] = i;
}

typedef struct rotation_job {
    const sp_refresh *r;
    const double *then, *x;
    double *z;
} rotation_job;

// R = Rnow Rthen^T; returns the number of rotations that are not the identity
static double relative_rotations(void *arg, int begin, int end) {
    const rotation_job *t = arg;
    double moved = 0;
    for (int i = begin; i < end; i++) {
        const double *now = t->r->turn + 9 * (size_t)i, *then = t->then + 9 * (size_t)i;
        double *R = t->r->R + 9 * (size_t)i, apart = 0;
        for (int a = 0; a < 3; a++)
            for (int b = 0; b < 3; b++) {
                double sum = 0;
                for (int k = 0; k < 3; k++) sum += now[3 * a + k] * then[3 * b + k];
                R[3 * a + b] = sum;
                sum = fabs(sum - (a == b));
                apart = sum > apart ? sum : apart;
            }
        moved += apart > still_angle;
    }
    return moved;
}

// relative rotations of the nodes since the snapshot in use
static sp_status warp_rotations(sp_refresh *r, const sp_system *A) {
    r->turned = false;
    if (!r->warps || r->now.use < 0) return SP_OK;
    const sp_matrix_snapshot *p = &r->cache->snapshot[r->now.use];
    if (p->values == A->values) return SP_OK;
    rotation_job t = {.r = r, .then = p->turn};
    SP_TRY(A->node_rotations(A->o, r->turn));
    r->turned = sp__ranges(r->ctx, A->n / 3, relative_rotations, &t, r->partial) > 0;
    return SP_OK;
}

// ------------------------------------------------------------------------------------------------ in the solve

// z = R^T x
static double rotate_back(void *arg, int begin, int end) {
    const rotation_job *t = arg;
    for (size_t i = (size_t)begin; i < (size_t)end; i++) {
        const double *R = t->r->R + 9 * i, *x = t->x + 3 * i;
        double *z = t->z + 3 * i;
        for (int a = 0; a < 3; a++) z[a] = R[a] * x[0] + R[3 + a] * x[1] + R[6 + a] * x[2];
    }
    return 0;
}

// z = R x
static double rotate_forward(void *arg, int begin, int end) {
    const rotation_job *t = arg;
    for (size_t i = (size_t)begin; i < (size_t)end; i++) {
        const double *R = t->r->R + 9 * i, *x = t->x + 3 * i;
        double *z = t->z + 3 * i;
        for (int a = 0; a < 3; a++) z[a] = R[3 * a] * x[0] + R[3 * a + 1] * x[1] + R[3 * a + 2] * x[2];
    }
    return 0;
}

// The residual of our solvers is zero at fixed unknowns. Other residuals are copied without them.
static const double *free_part(sp_refresh *r, const double *residual, int n) {
    bool clean = true;
    for (int k = 0; k < r->held_count && clean; k++) clean = residual[r->held[k]] == 0;
    if (clean) return residual;
    memcpy(r->y, residual, (size_t)n * sizeof *r->y);
    for (int k = 0; k < r->held_count; k++) r->y[r->held[k]] = 0;
    return r->y;
}

void sp__refresh_apply(sp_refresh *r, const double *residual, double *z) {
    int nodes = r->cache->nodes, n = 3 * nodes;
    sp_precond *p = r->cheap ? r->cache->cheap : r->now.use >= 0 ? r->cache->snapshot[r->now.use].p : NULL;
    const double *x = free_part(r, residual, n);
    if (!p) {
        memcpy(z, x, (size_t)n * sizeof *z);
    } else if (!r->cheap && r->turned) {
        rotation_job back = {.r = r, .x = x, .z = r->w}, ahead = {.r = r, .x = r->y, .z = z};
        sp__ranges(r->ctx, nodes, rotate_back, &back, r->partial);
        p->kind->apply(p, r->w, r->y);
        sp__ranges(r->ctx, nodes, rotate_forward, &ahead, r->partial);
    } else {
        p->kind->apply(p, x, z);
    }
    for (int k = 0; k < r->held_count; k++) z[r->held[k]] = 0;
}

// ============================================================================================== refresh schedule

// `auto` requests a new factor when the last step took more than `grown` times the iterations of the best step since the last
// swap, and more than SLACK iterations above it, or when the factor is OLD steps old, or when contacts ask for one. It requests
// none if FRESH iterations were enough, because a new factor in float needs them too. Measured over 90 steps of a beam of 1536
// tetrahedra (lag 3, tolerance 1e-7; bending freely, coming to rest, twisted, soft), mean iterations and number of factors, async
// / auto:
//     4.4 30 / 4.9 7      3.0 30 / 3.3 5      2.4 30 / 2.5 3      3.2 30 / 3.8 5
// With 1.5, 2, 50: 5.0 3, 4.5 3, 2.6 2, 4.1 3. Never rebuilt: 6.5, 7.3, 3.0, 4.9 iterations.
static const double grown = 1.25;
enum { SLACK = 1, OLD = 20, FRESH = 2 };

static sp_schedule empty_schedule(void) {
    return (sp_schedule){.use = -1, .pending = -1, .best = -1, .last = -1, .now = -1};
}

// ------------------------------------------------------------------------------------------------ creation and destruction

sp_status sp__refresh_create(sp_context *ctx, const sp_backend *be, const sp_solver_def *def, const sp_precond_kind *kind,
                             sp_refresh **out) {
    *out = NULL;
    sp_refresh *r;
    if (!SP_NEW(ctx, r, 1)) return SP_FAIL(ctx, SP_NO_MEMORY, "no memory for a preconditioner");
    r->ctx = ctx, r->be = be, r->def = *def, r->kind = kind;
    r->policy = def->pcg.refresh == SP_REFRESH_AUTO && !kind->costly ? SP_REFRESH_STEP : def->pcg.refresh;
    r->keeps = r->policy != SP_REFRESH_STEP || kind->costly;
    r->now = r->before = empty_schedule();
    *out = r;
    return SP_OK;
}

void sp__refresh_destroy(sp_refresh **pr) {
    sp_refresh *r = *pr;
    if (!r) return;
    if (r->cache) cache_stop(r->cache);
    cache_destroy(r->cache);
    warp_free(r);
    sp__free(r->ctx, r->rows);
    sp__free(r->ctx, r);
    *pr = NULL;
}

size_t sp__refresh_bytes(const sp_refresh *r) {
    size_t n = r->cache ? 3 * (size_t)r->cache->nodes : 0;
    return cache_bytes(r->cache) + n * (1 + 4 + 16 + (r->warps ? 48 : 0));
}

static void refresh_set_name(sp_refresh *r) {
    static const char *const words[] = {", auto", ", async", ", step", ", never", ""};
    bool swap = r->def.pcg.refresh != SP_REFRESH_AUTO || r->kind->costly;
    char every[24] = "";
    if (r->policy == SP_REFRESH_EVERY) snprintf(every, sizeof every, ", every %d", r->def.pcg.refresh_every);
    snprintf(r->name, sizeof r->name, "pcg (%s%s%s%s)", r->kind->name, swap ? words[r->policy] : "", every,
             r->warps && r->policy != SP_REFRESH_STEP ? ", warp" : "");
}

const char *sp__refresh_name(const sp_refresh *r) {
    return r->name;
}

static sp_status follow_pattern(sp_refresh *r, const sp_system *A, const sp_blocks *M) {
    if (r->cache && r->pattern == A->pattern) return SP_OK;
    if (r->cache) r->changed_pattern = true;
    cache_abandon(r->cache);
    r->cache = NULL;
    r->now = r->before = empty_schedule();
    r->row_count = 0;
    if (r->kind->factor && !r->rows && (r->policy == SP_REFRESH_ASYNC || r->policy == SP_REFRESH_AUTO) &&
        !SP_NEW(r->ctx, r->rows, SP_CACHE_ROWS))
        return SP_FAIL(r->ctx, SP_NO_MEMORY, "no memory for touched nodes");
    SP_TRY(warp_reserve(r, A));
    SP_TRY(cache_create(r, A, M, &r->cache));
    r->pattern = A->pattern;
    refresh_set_name(r);
    return SP_OK;
}

// ------------------------------------------------------------------------------------------------ building and swapping

// a snapshot that is not in use, was not in use at the start of the step and is not pending; 0 if there is only one
static int unused_snapshot(const sp_refresh *r) {
    for (int i = 0; i < r->cache->count; i++)
        if (i != r->now.use && i != r->before.use && i != r->now.pending) return i;
    return 0;
}

// Records the result of a build from snapshot k, success or failure.
static void record_build(sp_refresh *r, int k, sp_linear_info *info) {
    const sp_matrix_snapshot *p = &r->cache->snapshot[k];
    if (p->status == SP_OK) {
        r->now.use = k, r->now.best = -1, r->now.failures = r->now.stale = 0;
        info->refreshes++;
        return;
    }
    if (r->now.failures++ == 0)
        sp__log(r->ctx, SP_LOG_WARNING, "preconditioner %s could not be built (%s, unknown %d, pivot %g): %s", r->kind->name,
                sp_status_text(p->status), p->info.unknown, p->info.pivot,
                r->now.use < 0 ? "block-Jacobi is used instead" : "the previous one stays in use");
    info->failed_refreshes++;
}

static sp_status make_now(sp_refresh *r, int k, const sp_blocks *M, sp_linear_info *info) {
    sp_matrix_snapshot *p = &r->cache->snapshot[k];
    if (r->now.use == k) r->now.use = -1;
    atomic_store(&p->p->stop, false);
    if (snapshot_build(r->cache, k, M, false) == SP_NO_MEMORY) return SP_NO_MEMORY;
    info->columns += p->info.columns;
    info->factor_flops += p->info.flops;
    record_build(r, k, info);
    return SP_OK;
}

static sp_status make_in_step(sp_refresh *r, const sp_system *A, const sp_blocks *M, sp_linear_info *info) {
    int k = unused_snapshot(r);
    SP_TRY(snapshot_take(r, &r->cache->snapshot[k], A, M, r->step));
    r->now.tried = r->step;
    return make_now(r, k, M, info);
}

// Bodies share one background thread: the body with most iterations goes first. Pins that differ from the snapshot raise the
// urgency, because its iterations will grow.
static double refresh_urgency(const sp_refresh *r) {
    double iterations = (double)(r->now.now >= 0 ? r->now.now : r->now.last);
    return r->repinned ? 2 * iterations + 1 : iterations;
}

// Contacts of this step touch nearly the nodes of the last one: their columns of the next factor are computed before it is
// swapped in. Without memory for them they are computed when they are needed.
static void refresh_plan_columns(sp_refresh *r, int k) {
    const sp_matrix_snapshot *next = &r->cache->snapshot[k];
    bool fits;
    if (!next->columns || r->row_count == 0) return;
    sp__inverse_cache_plan(next->columns, r->kind->factor_memory(next->p), r->row_count, r->rows, true, &fits);
}

// Before the factor in use changes.
static void refresh_remember_rows(sp_refresh *r) {
    const sp_inverse_cache *columns = r->cache && r->now.use >= 0 ? r->cache->snapshot[r->now.use].columns : NULL;
    int count;
    r->row_count = 0;
    if (!columns || !r->rows || r->touched == 0 || r->touched + 1 < r->step) return;
    const int *rows = sp__inverse_cache_planned(columns, &count);
    if (count) memcpy(r->rows, rows, (size_t)count * sizeof *rows);
    r->row_count = count;
}

// Submits snapshot k to the background thread; the job stays idle if there is no thread.
static void refresh_submit(sp_refresh *r, int k) {
    sp_precond_cache *a = r->cache;
    atomic_store(&a->snapshot[k].p->stop, false);
    a->making = k;
    a->job.urgency = refresh_urgency(r);
    sp__job_cancel(r->ctx, &a->job);  // resets a finished job to idle, in case the submit fails
    refresh_plan_columns(r, k);
    sp__job_submit(r->ctx, &a->job);
}

static bool is_idle(const sp_refresh *r) {
    return atomic_load_explicit(&r->cache->job.state, memory_order_acquire) == SP_JOB_IDLE;
}

// Without a background thread the preconditioner is built here: at once, or when it is due.
static sp_status refresh_request(sp_refresh *r, const sp_system *A, const sp_blocks *M, bool deterministic,
                                 sp_linear_info *info) {
    // the replay swaps in this step without an earlier snapshot: the recorded run had no thread and built in this step
    bool at_once = r->swap == SP_SWAP_NOW && !r->took;
    if (at_once || (deterministic && r->def.pcg.lag == 0)) return make_in_step(r, A, M, info);
    int k = unused_snapshot(r);
    SP_TRY(snapshot_take(r, &r->cache->snapshot[k], A, M, r->step));
    r->now.tried = r->step;
    r->now.pending = k;
    refresh_submit(r, k);
    if (!is_idle(r) || deterministic) return SP_OK;
    r->now.pending = -1;
    return make_now(r, k, M, info);
}

static sp_status swap_in(sp_refresh *r, bool deterministic, sp_linear_info *info) {
    if (r->now.pending < 0) return SP_OK;
    int k = (int)r->now.pending;
    bool due = deterministic ? r->step >= r->cache->snapshot[k].step + (uint64_t)r->def.pcg.lag
                             : sp__job_done(&r->cache->job) || is_idle(r);
    if (r->swap != SP_SWAP_FREE) due = r->swap == SP_SWAP_NOW;
    if (!due) return SP_OK;
    if (is_idle(r)) {
        SP_TRY(make_now(r, k, NULL, info));
    } else {
        sp__job_wait(r->ctx, &r->cache->job);
        record_build(r, k, info);
    }
    r->now.pending = -1;
    r->took = true;
    return SP_OK;
}

// ------------------------------------------------------------------------------------------------ the schedule

static bool is_needed(const sp_refresh *r) {
    const sp_schedule *s = &r->now;
    if (r->repinned || s->stale) return true;
    if (s->best < 0 || s->last <= FRESH) return false;
    if (r->step >= r->cache->snapshot[s->use].step + OLD) return true;
    return (double)s->last > grown * (double)s->best && s->last > s->best + SLACK;
}

static sp_status follow_policy(sp_refresh *r, const sp_system *A, const sp_blocks *M, bool first, bool deterministic,
                               sp_linear_info *info) {
    sp_schedule *s = &r->now;
    bool none = s->use < 0, changed = none || r->cache->snapshot[s->use].values != A->values;
    switch (r->policy) {
    case SP_REFRESH_STEP: return changed ? make_in_step(r, A, M, info) : SP_OK;
    case SP_REFRESH_NEVER: return none && first ? make_in_step(r, A, M, info) : SP_OK;
    case SP_REFRESH_EVERY:
        if (!first || !changed || (!none && r->step < s->tried + (uint64_t)r->def.pcg.refresh_every)) return SP_OK;
        return make_in_step(r, A, M, info);
    case SP_REFRESH_AUTO:
    case SP_REFRESH_ASYNC: break;
    }
    if (!first || s->pending >= 0 || !changed) return SP_OK;
    if (none && !s->tried && (deterministic || !r->changed_pattern)) return make_in_step(r, A, M, info);
    return none || r->policy == SP_REFRESH_ASYNC || is_needed(r) ? refresh_request(r, A, M, deterministic, info) : SP_OK;
}

// FRESH iterations were enough in the last solve, or nothing is solved with the factor (last < 0: only contacts use it), so that
// is_needed says no. This depends on the schedule alone, which is in checkpoints.
bool sp__refresh_keeps(const sp_refresh *r, const sp_system *A) {
    const sp_schedule *s = &r->now;
    const int64_t last = s->now >= 0 ? s->now : s->last;
    return r->policy == SP_REFRESH_AUTO && r->cache && r->pattern == A->pattern && s->use >= 0 && s->pending < 0 && !s->stale &&
           last <= FRESH && memcmp(r->cache->snapshot[s->use].fixed, A->fixed, (size_t)A->n) == 0;
}

// Restores the schedule at the start of the failed attempt.
static void refresh_undo(sp_refresh *r) {
    if (r->cache && r->before.pending < 0 && r->now.pending >= 0) cache_stop(r->cache);
    r->now = r->before;
}

void sp__refresh_step(sp_refresh *r, uint64_t number, sp_swap swap) {
    if (r->begun && r->step == number) refresh_undo(r);
    r->first = true;
    r->swap = swap;
}

static sp_status begin_step(sp_refresh *r, uint64_t step, bool deterministic, sp_linear_info *info) {
    sp_schedule *s = &r->now;
    r->begun = r->took = false;
    r->step = step;
    if (s->now >= 0) {
        s->last = s->now;
        s->best = s->best < 0 || s->now < s->best ? s->now : s->best;
        s->now = -1;
    }
    refresh_remember_rows(r);
    SP_TRY(swap_in(r, deterministic, info));
    r->before = r->now;
    r->begun = true;
    return SP_OK;
}

// uses block-Jacobi of the current matrix if there is no other preconditioner; needs no state
static sp_status use_block_jacobi(sp_refresh *r, const sp_blocks *M) {
    r->cheap = false;
    if (r->now.use >= 0 || !r->cache->cheap) return SP_OK;
    sp_symmetric view;
    sp_factor_info info;
    sp__blocks_view(M, &view);
    sp_status status = r->cache->cheap->kind->build(r->cache->cheap, &view, false, &info);
    r->cheap = status == SP_OK;
    return status == SP_NO_MEMORY ? status : SP_OK;
}

static void compare_fixed(sp_refresh *r, const sp_system *A) {
    warp_pins(r, A);
    const unsigned char *then = r->now.use >= 0 ? r->cache->snapshot[r->now.use].fixed : NULL;
    r->repinned = then && memcmp(then, r->fixed, (size_t)A->n) != 0;
}

sp_status sp__refresh_prepare(sp_refresh *r, const sp_system *A, const sp_blocks *M, uint64_t step, bool deterministic,
                              sp_linear_info *info) {
    info->refreshes = info->failed_refreshes = info->columns = 0;
    info->factor_age = -1;
    info->factor_flops = info->shift = 0;
    info->swapped = false;
    if (r->swap != SP_SWAP_FREE) deterministic = false;
    SP_TRY(follow_pattern(r, A, M));
    bool begins = !r->begun || r->step != step, first = begins || r->first;
    if (begins) SP_TRY(begin_step(r, step, deterministic, info));
    r->first = false;
    compare_fixed(r, A);
    SP_TRY(follow_policy(r, A, M, first, deterministic, info));
    SP_TRY(use_block_jacobi(r, M));
    SP_TRY(warp_rotations(r, A));
    if (r->now.use >= 0) {
        const sp_matrix_snapshot *p = &r->cache->snapshot[r->now.use];
        info->factor_age = (int)(step - p->step);
        info->shift = p->info.shift;
        r->current = p->values == A->values && p->info.shift == 0;
    }
    bool in_background = r->policy == SP_REFRESH_ASYNC || r->policy == SP_REFRESH_AUTO;
    info->swapped = in_background && (r->took || info->refreshes + info->failed_refreshes > 0);
    return SP_OK;
}

bool sp__refresh_factored(sp_refresh *r, sp_factored *out) {
    if (!r->cache || r->now.use < 0 || !r->kind->factor) return false;
    const sp_matrix_snapshot *p = &r->cache->snapshot[r->now.use];
    r->touched = r->step;
    *out = (sp_factored){.F = r->kind->factor(p->p),
                         .R = r->turned ? r->R : NULL,
                         .age = (int)(r->step - p->step),
                         .current = r->current,
                         .columns = p->columns};
    return out->F != NULL;
}

void sp__refresh_report_iterations(sp_refresh *r, int iterations) {
    if (iterations > r->now.now) r->now.now = iterations;
    if (r->now.pending >= 0) sp__job_set_urgency(r->ctx, &r->cache->job, refresh_urgency(r));
}

void sp__refresh_report_stale(sp_refresh *r) {
    r->now.stale = 1;
}

// =================================================================================================== checkpoints

// A checkpoint of a preconditioner contains the schedule, the snapshot in use and the pending snapshot. Factors are rebuilt from
// them with the same bits. The set of arrays does not depend on the schedule: an unused snapshot replaces a missing one.

typedef struct record {
    sp_schedule schedule;  // use: 0 or -1, pending: 1 or -1
    uint64_t step[2];
} record;

static bool has_pending(const sp_refresh *r) {
    return r->policy == SP_REFRESH_ASYNC || r->policy == SP_REFRESH_AUTO;
}

static void snapshot_visit(sp_refresh *r, sp_visitor *v, sp_matrix_snapshot *p) {
    size_t n = (size_t)r->cache->nodes;
    v->array(v, "matrix", p->val, sizeof *p->val, r->cache->val_count);
    v->array(v, "pins", p->fixed, 1, 3 * n);
    if (p->turn) v->array(v, "turns", p->turn, sizeof *p->turn, 9 * n);
}

void sp__refresh_visit(sp_refresh *r, sp_visitor *v) {
    sp_precond_cache *a = r->cache;
    if (!a || !r->keeps) return;
    if (v->writes) cache_stop(a);
    int use = (int)r->now.use, pending = (int)r->now.pending;
    if (use < 0) use = pending == 0 ? 1 : 0;
    if (pending < 0) pending = use == 0 ? 1 : 0;
    record now = {r->now, {a->snapshot[use].step, a->count > 1 ? a->snapshot[pending].step : 0}};
    if (now.schedule.use >= 0) now.schedule.use = 0;
    if (now.schedule.pending >= 0) now.schedule.pending = 1;
    v->array(v, "schedule", &now, sizeof now, 1);
    if (v->writes) {
        use = 0, pending = 1;
        r->now = now.schedule;
        a->snapshot[0].step = now.step[0];
        if (a->count > 1) a->snapshot[1].step = now.step[1];
    }
    if (a->origin) v->array(v, "analysed", a->origin, sizeof *a->origin, a->val_count);
    snapshot_visit(r, v, &a->snapshot[use]);
    if (has_pending(r)) snapshot_visit(r, v, &a->snapshot[pending]);
}

sp_status sp__refresh_restored(sp_refresh *r) {
    sp_precond_cache *a = r->cache;
    if (!a || !r->keeps) return SP_OK;
    r->begun = false, r->first = true;
    r->before = r->now;
    if (a->origin) {
        sp_status status = cache_analyse(r);
        if (status < 0) {  // continues as if nothing had been built
            r->now = r->before = empty_schedule();
            return status;
        }
    }
    r->touched = 0, r->row_count = 0;
    for (int i = 0; i < a->count; i++) {
        a->snapshot[i].values = SP_NO_REVISION;
        if (a->snapshot[i].columns) sp__inverse_cache_clear(a->snapshot[i].columns);
    }
    if (r->now.use >= 0) {
        atomic_store(&a->snapshot[0].p->stop, false);
        sp_status status = snapshot_build(a, 0, NULL, false);
        if (status != SP_OK) r->now.use = r->before.use = -1;
        SP_TRY(status);
    }
    if (r->now.pending >= 0) refresh_submit(r, 1);
    return SP_OK;
}
