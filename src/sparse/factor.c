// Numeric Cholesky factorisation: storage of a factor, the order of its fronts, and solves. Subtrees are factored in parallel,
// one worker each; then the top of the elimination tree, one supernode after another, each by all workers.
#include "sparse/factor_internal.h"

#include <limits.h>

#include "core/share.h"

// ================================================================================================ storage layout

// Offsets of panels, contribution blocks and solve vectors (rows below). They depend on the elimination tree alone and are known
// before the numeric factorisation.
//
// A contribution block lives from its own front to the parent's front. In postorder the live blocks of one depth form a stack,
// and when a front is eliminated, its children are on top of the stack of the next depth. All even depths share one stack and all
// odd depths another: blocks of other depths with the same parity are older and outlive the children. (Duff and Reid 1983 use one
// stack and move the block of the front down; with two stacks nothing moves.)

enum {
    ROUND = 16,  // numbers: offsets start at cache lines, in double and in float
    ODD = 1,     // odd depth in the tree
    ROOT = 2,    // root of a subtree that is a task
};

static size_t places_rounded(size_t n) {
    return (n + ROUND - 1) / ROUND * ROUND;
}

// Layout of what a supernode passes to its parent: a square block, or a vector.
typedef struct stacks {
    const sp_factor *F;
    const unsigned char *kind;  // flags of each supernode: ODD, ROOT
    bool square;
    size_t *at;
    size_t height[2], most[2];
} stacks;

static size_t places_capacity(const stacks *t, int s) {
    size_t below = (size_t)(sp__panel_rows(t->F, s) - sp__panel_columns(t->F, s));
    return places_rounded(t->square ? below * below : below);
}

// removes the children of s from the stacks; roots of subtrees are stored elsewhere
static void pop_children(stacks *t, int s) {
    const sp_symbolic *S = t->F->S;
    for (int k = S->child_start[s]; k < S->child_start[s + 1]; k++) {
        int c = S->child[k];
        if (!(t->kind[c] & ROOT)) t->height[t->kind[c] & ODD] -= places_capacity(t, c);
    }
}

static void places_push(stacks *t, int s) {
    int o = t->kind[s] & ODD;
    t->at[s] = t->height[o];
    t->height[o] += places_capacity(t, s);
    if (t->height[o] > t->most[o]) t->most[o] = t->height[o];
}

// The stacks of one worker, large enough for any subtree. Returns their size.
static size_t place_inner(stacks *t) {
    const sp_symbolic *S = t->F->S;
    for (int task = 0; task < S->task_count; task++) {
        t->height[0] = t->height[1] = 0;
        for (int s = S->task_first[task]; s < S->task_last[task]; s++) {
            pop_children(t, s);
            places_push(t, s);
        }
    }
    for (int s = 0; s < S->count; s++)
        if (t->F->inner[s] && (t->kind[s] & ODD)) t->at[s] += t->most[0];
    return t->most[0] + t->most[1];
}

// The shared storage. Roots of subtrees finish in any order, so each has its own space; the stacks of the top supernodes follow.
static size_t place_shared(stacks *t) {
    const sp_symbolic *S = t->F->S;
    size_t side_by_side = 0;
    for (int task = 0; task < S->task_count; task++) {
        t->at[S->task_last[task]] = side_by_side;
        side_by_side += places_capacity(t, S->task_last[task]);
    }
    t->height[0] = t->height[1] = t->most[0] = t->most[1] = 0;
    for (int k = 0; k < S->top_count; k++) {
        pop_children(t, S->top[k]);
        places_push(t, S->top[k]);
    }
    for (int k = 0; k < S->top_count; k++) t->at[S->top[k]] += side_by_side + (t->kind[S->top[k]] & ODD ? t->most[0] : 0);
    return side_by_side + t->most[0] + t->most[1];
}

static void place_kept(sp_factor *F) {
    stacks t = {.F = F, .square = true};
    for (int s = 0; s < F->S->count; s++) {
        F->below_at[s] = F->below_capacity;
        F->below_capacity += places_capacity(&t, s);
    }
}

static void place_panels(sp_factor *F) {
    for (int s = 0; s < F->S->count; s++) {
        F->panel_at[s] = F->panel_capacity;
        F->panel_capacity += places_rounded((size_t)sp__panel_rows(F, s) * (size_t)sp__panel_columns(F, s));
    }
}

// Finds runs of rows that are consecutive here and in the parent's front; a run is added in one loop.
static void find_stretches(sp_factor *F) {
    const sp_symbolic *S = F->S;
    for (int s = 0; s < S->count; s++)
        for (int i = S->row_start[s + 1] - 1; i >= S->row_start[s]; i--) {
            bool goes_on = i + 1 < S->row_start[s + 1] && S->up[i] >= 0 && S->up[i + 1] == S->up[i] + 1;
            F->stretch[i] = goes_on ? F->stretch[i + 1] + 1 : 1;
        }
}

static void find_inner(sp_factor *F) {
    const sp_symbolic *S = F->S;
    for (int task = 0; task < S->task_count; task++)
        for (int s = S->task_first[task]; s < S->task_last[task]; s++) F->inner[s] = true;
}

// kind: scratch, one per supernode.
static void factor_places(sp_factor *F, unsigned char *kind) {
    const sp_symbolic *S = F->S;
    for (int s = S->count - 1; s >= 0; s--) kind[s] = S->super_parent[s] >= 0 && !(kind[S->super_parent[s]] & ODD) ? ODD : 0;
    for (int task = 0; task < S->task_count; task++) kind[S->task_last[task]] |= ROOT;
    find_inner(F);
    find_stretches(F);
    place_panels(F);
    stacks vectors = {.F = F, .kind = kind, .at = F->vector_at},
           blocks = {.F = F, .kind = kind, .square = true, .at = F->below_at};
    F->vector_capacity = place_inner(&vectors);
    F->shared_capacity = place_shared(&vectors);
    if (F->def.keep) {
        place_kept(F);
    } else {
        F->stack_capacity = place_inner(&blocks);
        F->below_capacity = place_shared(&blocks);
    }
}

// =========================================================================================== whole factorisation

// Flops below which parallel work costs more than it saves: RUN_WIDE for a whole factorisation, which wakes the workers, and
// FRONT_WIDE for one front, which needs a few batches of one or two microseconds among awake workers.
static const double RUN_WIDE = 3e5, FRONT_WIDE = 1e6;

// ------------------------------------------------------------------------------------------------ creation and destruction

static sp_status no_memory(sp_context *ctx, const sp_symbolic *S) {
    return SP_FAIL(ctx, SP_NO_MEMORY, "no memory for a factor of %d unknowns with %lld entries", S->n * S->block,
                   (long long)S->entries);
}

// Scalar rows of the largest front among those that one worker factors alone, and among all.
static void largest_fronts(const sp_factor *F, int *inner, int *all) {
    const sp_symbolic *S = F->S;
    *inner = *all = 0;
    for (int s = 0; s < S->count; s++) {
        int rows = sp__panel_rows(F, s);
        if (rows > *all) *all = rows;
    }
    for (int task = 0; task < S->task_count; task++)
        for (int s = S->task_first[task]; s <= S->task_last[task]; s++)
            if (sp__panel_rows(F, s) > *inner) *inner = sp__panel_rows(F, s);
}

static bool new_places(sp_factor *F) {
    const sp_symbolic *S = F->S;
    size_t count = (size_t)S->count;
    return SP_NEW(F->ctx, F->panel_at, count) && SP_NEW(F->ctx, F->below_at, count) && SP_NEW(F->ctx, F->vector_at, count) &&
           SP_NEW(F->ctx, F->inner, count) && SP_NEW(F->ctx, F->stretch, S->row_start[count] + 1) &&
           SP_NEW(F->ctx, F->side, count) && SP_NEW(F->ctx, F->fresh, count) && SP_NEW(F->ctx, F->stale, count) &&
           SP_NEW(F->ctx, F->task, S->task_count + 1) && SP_NEW(F->ctx, F->mark, count) && SP_NEW(F->ctx, F->list[0], count) &&
           SP_NEW(F->ctx, F->list[1], count);
}

static void *new_numbers(sp_factor *F, size_t n) {
    return sp__alloc(F->ctx, n + 1, F->size);
}

static bool new_stores(sp_factor *F) {
    for (int side = 0; side <= (F->def.spare ? 1 : 0); side++) {
        if (!(F->panel[side] = new_numbers(F, F->panel_capacity))) return false;
        if ((side == 0 || F->def.keep) && !(F->below[side] = new_numbers(F, F->below_capacity))) return false;
        if (F->def.kind == SP_LDLT && !(F->pivot[side] = new_numbers(F, (size_t)F->S->n * (size_t)F->S->block))) return false;
    }
    F->y = new_numbers(F, (size_t)F->S->n * (size_t)F->S->block);
    F->shared = new_numbers(F, F->shared_capacity);
    return F->y && F->shared;
}

static bool new_sets(sp_factor *F) {
    int inner, all, wide = F->S->column_most < SP_DENSE_PANEL ? F->S->column_most : SP_DENSE_PANEL;
    largest_fronts(F, &inner, &all);
    if (!SP_NEW(F->ctx, F->set, sp__workers(F->ctx))) return false;
    F->set_count = sp__workers(F->ctx);
    for (int i = 0; i < F->set_count; i++) {
        sp_factor_set *set = &F->set[i];
        // the first set also serves the top of the tree
        set->rows = new_numbers(F, sp__dense_pack_size(i ? inner : all, wide));
        set->cols = new_numbers(F, sp__dense_pack_size(i ? inner : all, wide));
        set->stack = new_numbers(F, F->stack_capacity);
        set->vector = new_numbers(F, F->vector_capacity);
        if (!set->rows || !set->cols || !set->stack || !set->vector) return false;
    }
    return true;
}

// The loops are built for the same machines as the dense kernels.
static const sp_factor_loops *choose_loops(const sp_factor *F) {
#ifdef SP_HAVE_AVX2
    if (F->dense_d != sp__dense_d(true)) return F->def.single ? &sp__factor_avx2_f : &sp__factor_avx2_d;
#endif
    return F->def.single ? &sp__factor_generic_f : &sp__factor_generic_d;
}

// What no factorisation and no solve leaves behind.
static void lend_scratch(sp_factor *F) {
    SP_LEND(F->ctx, F->y), SP_LEND(F->ctx, F->shared);
    if (!F->def.keep) SP_LEND(F->ctx, F->below[0]);
    for (int i = 0; i < F->set_count; i++) {
        sp_factor_set *set = &F->set[i];
        SP_LEND(F->ctx, set->rows), SP_LEND(F->ctx, set->cols), SP_LEND(F->ctx, set->stack), SP_LEND(F->ctx, set->vector);
    }
}

sp_status sp__factor_create(sp_context *ctx, const sp_factor_def *def, sp_symbolic *S, sp_factor **out) {
    sp_factor *F;
    *out = NULL;
    if (!SP_NEW(ctx, F, 1)) return no_memory(ctx, S);
    F->ctx = ctx, F->S = sp__symbolic_share(S), F->def = *def;
    F->dense_d = sp__dense_d(def->plain), F->dense_f = sp__dense_f(def->plain);
    F->loops = choose_loops(F);
    F->size = def->single ? sizeof(float) : sizeof(double);
    bool made = new_places(F);
    if (made) {
        factor_places(F, F->fresh);
        memset(F->fresh, 0, (size_t)S->count);
        SP_SHARE(ctx, F->panel_at), SP_SHARE(ctx, F->below_at), SP_SHARE(ctx, F->vector_at);
        SP_SHARE(ctx, F->inner), SP_SHARE(ctx, F->stretch);
        made = new_stores(F) && new_sets(F);
        if (made) lend_scratch(F);
    }
    if (!made) {
        sp__factor_destroy(&F);
        return no_memory(ctx, S);
    }
    *out = F;
    return SP_OK;
}

static void free_all(sp_factor *F, void **list, int n) {
    for (int i = 0; i < n; i++) sp__free(F->ctx, list[i]);
}

void sp__factor_destroy(sp_factor **handle) {
    sp_factor *F = *handle;
    if (!F) return;
    void *list[] = {F->panel_at, F->below_at, F->vector_at, F->inner,   F->stretch,  F->side,     F->fresh,    F->stale,
                    F->task,     F->mark,     F->list[0],   F->list[1], F->panel[0], F->panel[1], F->below[0], F->below[1],
                    F->pivot[0], F->pivot[1], F->y,         F->shared,  F->many,     F->ranks};
    for (int i = 0; i < F->set_count; i++) {
        void *parts[] = {F->set[i].rows, F->set[i].cols, F->set[i].stack, F->set[i].vector};
        free_all(F, parts, 4);
    }
    free_all(F, list, (int)(sizeof list / sizeof *list));
    sp__free(F->ctx, F->set);
    sp__symbolic_release(&F->S);
    sp__free(F->ctx, F);
    *handle = NULL;
}

size_t sp__factor_bytes(const sp_factor *F) {
    int inner, all, copies = F->def.spare ? 2 : 1, wide = F->S->column_most < SP_DENSE_PANEL ? F->S->column_most : SP_DENSE_PANEL;
    largest_fronts(F, &inner, &all);
    size_t numbers = F->panel_capacity * (size_t)copies + F->below_capacity * (size_t)(F->def.keep ? copies : 1) +
                     F->shared_capacity + F->many_capacity;
    size_t sets = 2 * sp__dense_pack_size(inner, wide) + F->stack_capacity + F->vector_capacity;
    if (F->ranks) numbers += (size_t)F->S->front_most * (SP_DENSE_RANK + 1);
    size_t unknowns = (size_t)F->S->n * (size_t)F->S->block * (size_t)(F->def.kind == SP_LDLT ? copies + 1 : 1);
    numbers += unknowns + (size_t)F->set_count * sets + 2 * sp__dense_pack_size(all, wide);
    return numbers * F->size + (size_t)F->S->row_start[F->S->count] * sizeof(int) +
           (size_t)F->S->count * (3 * sizeof(size_t) + 3 * sizeof(int) + 4) + sizeof *F;
}

const sp_symbolic *sp__factor_symbolic(const sp_factor *F) {
    return F->S;
}

bool sp__factor_single(const sp_factor *F) {
    return F->def.single;
}

bool sp__factor_good(const sp_factor *F) {
    return F->good;
}

bool sp__factor_definite(const sp_factor *F) {
    if (!F->good || F->def.kind != SP_LDLT) return F->good;
    for (int s = 0; s < F->S->count; s++) {
        const void *d = sp__pivot(F, s, F->side[s]);
        size_t own = (size_t)(F->S->first[s + 1] - F->S->first[s]) * (size_t)F->S->block;
        for (size_t i = 0; i < own; i++)
            if (!(F->loops->get(d, i) > 0)) return false;
    }
    return true;
}

void sp__factor_stop_flag(sp_factor *F, atomic_bool *stop) {
    F->stop = stop;
}

// ------------------------------------------------------------------------------------------------ order of the fronts

// Supernodes above the lowest failed one are skipped, so that the reported supernode does not depend on thread timing.
static bool goes_on(sp_factor_run *run, int s) {
    if (run->F->stop && atomic_load_explicit(run->F->stop, memory_order_relaxed)) atomic_store(&run->stopped, true);
    return s < atomic_load_explicit(&run->failed, memory_order_relaxed) &&
           !atomic_load_explicit(&run->stopped, memory_order_relaxed);
}

static bool factor_make(sp_factor_run *run, int s, sp_factor_set *set, bool wide) {
    if (!run->F->fresh[s]) return true;
    if (!goes_on(run, s)) return false;
    if (run->F->loops->front(run, s, set, wide && run->F->S->flops[s] > FRONT_WIDE)) return true;
    int lowest = atomic_load(&run->failed);
    while (s < lowest && !atomic_compare_exchange_weak(&run->failed, &lowest, s)) {}
    return false;
}

static void make_subtree(sp_factor_run *run, int task, sp_factor_set *set, bool wide) {
    const sp_symbolic *S = run->F->S;
    for (int s = S->task_first[task]; s <= S->task_last[task]; s++)
        if (!factor_make(run, s, set, wide)) return;
}

static void subtree_task(void *arg, int k, int worker) {
    sp_factor_run *run = arg;
    make_subtree(run, run->F->task[k], &run->F->set[worker], false);
}

// Tasks with work to do. The root of a subtree is fresh if any supernode below it is.
static int find_tasks(sp_factor *F) {
    int n = 0;
    for (int task = 0; task < F->S->task_count; task++)
        if (F->fresh[F->S->task_last[task]]) F->task[n++] = task;
    return n;
}

static void make_all(sp_factor_run *run) {
    sp_factor *F = run->F;
    int tasks = find_tasks(F);
    if (run->wide && tasks > 1)
        sp__parallel(F->ctx, tasks, subtree_task, run);
    else
        for (int k = 0; k < tasks; k++) make_subtree(run, F->task[k], &F->set[0], run->wide);
    for (int k = 0; k < F->S->top_count; k++)
        if (!factor_make(run, F->S->top[k], &F->set[0], run->wide)) return;
}

void sp__factor_commit(sp_factor *F, bool good, bool stale) {
    for (int s = 0; s < F->S->count; s++) {
        if (F->fresh[s] && good) {
            F->side[s] ^= F->def.spare;
            F->stale[s] = stale;
        }
        F->fresh[s] = 0;
    }
    F->good = good || (F->def.spare && F->good);
}

// Reports the failure of the lowest supernode.
static void report_failure(sp_factor_run *run, sp_factor_info *info) {
    const sp_factor *F = run->F;
    if (atomic_load(&run->stopped)) info->status = SP_STOPPED;
    int lowest = atomic_load(&run->failed);
    for (int i = 0; i < F->set_count && lowest < F->S->count; i++) {
        const sp_factor_set *set = &F->set[i];
        if (set->failed != lowest) continue;
        int block = F->S->block;
        info->unknown = F->S->perm[set->column / block] * block + set->column % block;
        info->pivot = set->pivot;
        if (info->status == SP_OK) info->status = isfinite(set->pivot) ? SP_NOT_SPD : SP_NOT_FINITE;
    }
}

// A pivot below this part of the diagonal of A is what rounding has left of zero: a body that nothing holds has such pivots of
// either sign. Those of a positive definite matrix are above the inverse of its condition number.
static const double vanishing_pivot = 1e-14;

static void find_vanishing(const sp_factor *F, const sp_symmetric *A, double shift, sp_factor_info *info) {
    const sp_symbolic *S = F->S;
    const int b = S->block;
    for (int s = 0; s < S->count && info->status == SP_OK; s++) {
        const double *L = sp__panel(F, s, sp__side_now(F, s));
        const size_t rows = (size_t)sp__panel_rows(F, s);
        for (int j = 0; F->fresh[s] && j < sp__front_columns(S, s) * b && info->status == SP_OK; j++) {
            const int row = S->perm[S->first[s] + j / b];
            const double pivot = L[(size_t)j * (rows + 1)] * L[(size_t)j * (rows + 1)];
            const double diagonal = sp__symmetric_block(A, A->row_start[row])[A->stride * (b + 1) * (j % b)] + shift;
            if (pivot > vanishing_pivot * diagonal) continue;
            info->status = SP_NOT_SPD, info->unknown = row * b + j % b, info->pivot = pivot;
        }
    }
}

// Refactors the supernodes marked in `fresh`, in the spare copy if there is one, and fills info. On success the new copy becomes
// valid; `fresh` is always cleared.
static sp_status factor_fronts(sp_factor *F, const sp_symmetric *A, double shift, bool alone, sp_factor_info *info) {
    const sp_symbolic *S = F->S;
    sp_factor_run run = {.F = F, .A = A, .shift = shift};
    *info = (sp_factor_info){.unknown = -1, .shift = shift};
    atomic_store(&run.failed, S->count);
    for (int i = 0; i < F->set_count; i++) F->set[i].failed = S->count;
    for (int s = 0; s < S->count; s++) {
        if (!F->fresh[s]) continue;
        info->columns += sp__front_columns(S, s);
        info->supernodes++;
        info->flops += S->flops[s];
    }
    run.wide = !alone && F->set_count > 1 && info->flops > RUN_WIDE;
    if (!F->def.spare) F->good = false;
    make_all(&run);
    report_failure(&run, info);
    if (info->status == SP_OK && F->def.kind == SP_LLT && !sp__factor_single(F)) find_vanishing(F, A, shift, info);
    if (info->status == SP_OK) F->shift = shift;
    sp__factor_commit(F, info->status == SP_OK, false);
    return info->status;
}

sp_status sp__factor_make(sp_factor *F, const sp_symmetric *A, double shift, bool alone, sp_factor_info *info) {
    memset(F->fresh, 1, (size_t)F->S->count);
    return factor_fronts(F, A, shift, alone, info);
}

// ======================================================================================= partial refactorisation

// If block columns of A changed, the columns of L that may differ are these columns and all their ancestors in the elimination
// tree (Pincon 2020: I1 = I0 and its ancestors). By supernodes: those of the changed columns and all their ancestors (the
// closure) are assembled and eliminated again; children outside the closure supply their kept contribution blocks. The work is
// that of the fronts in the closure; supernodes below are not touched. A left-looking factorisation would repeat every update of
// a touched column from all its descendants, which is about twice the work.
//
// A complete factorisation computes the same fronts from the same numbers in the same order, so the result is the same bit for
// bit. Contribution blocks that sp__factor_update marked stale do not match their panels: these supernodes are refactored by the
// next partial refactorisation, whatever changed.

int sp__factor_closure(sp_factor *F, int count, const int *changed, int *list) {
    const sp_symbolic *S = F->S;
    int n = 0;
    if (F->stamp == INT_MAX) {
        memset(F->mark, 0, (size_t)S->count * sizeof *F->mark);
        F->stamp = 0;
    }
    F->stamp++;
    for (int i = 0; i < count; i++)
        for (int s = S->super_of[S->place[changed[i]]]; s >= 0 && F->mark[s] != F->stamp; s = S->super_parent[s]) {
            F->mark[s] = F->stamp;
            list[n++] = s;
        }
    sp__sort_ints(list, n);
    return n;
}

// The supernodes to refactor: the closure and the stale ones.
static int to_do(sp_factor *F, int count, const int *changed) {
    int n = sp__factor_closure(F, count, changed, F->list[0]);
    for (int s = 0; s < F->S->count; s++)
        if (F->stale[s] && F->mark[s] != F->stamp) F->list[0][n++] = s;
    return n;
}

sp_status sp__factor_partial(sp_factor *F, const sp_symmetric *A, int count, const int *changed, bool alone,
                             sp_factor_info *info) {
    SP_ASSERT(F->def.keep);
    if (!F->good || !F->def.keep) return sp__factor_make(F, A, F->shift, alone, info);
    int n = to_do(F, count, changed);
    for (int i = 0; i < n; i++) F->fresh[F->list[0][i]] = 1;
    return factor_fronts(F, A, F->shift, alone, info);
}

void sp__factor_price(sp_factor *F, int count, const int *changed, int *columns, double *flops) {
    int n = to_do(F, count, changed);
    *columns = 0, *flops = 0;
    for (int i = 0; i < n; i++) {
        *columns += sp__front_columns(F->S, F->list[0][i]);
        *flops += F->S->flops[F->list[0][i]];
    }
}

// ================================================================================================ solves

// Solves with a factor: up the elimination tree with L, down the tree with L^T, with subtrees in parallel if the factor is large.
// A dense right-hand side reads each panel once up and once down and is limited by memory bandwidth. Many right-hand sides go
// through the tree together. Sparse ones are in inverse_columns.c.

// ------------------------------------------------------------------------------------------------ one right-hand side

static void forward_run(const sp_factor_pass *pass, void *own, int first, int last) {
    for (int s = first; s <= last; s++) pass->F->loops->forward(pass, own, s);
}

static void backward_run(const sp_factor_pass *pass, void *own, int first, int last) {
    for (int s = last; s >= first; s--) pass->F->loops->backward(pass, own, s);
}

static void forward_task(void *arg, int task, int worker) {
    const sp_factor_pass *pass = arg;
    const sp_symbolic *S = pass->F->S;
    forward_run(pass, pass->F->set[worker].vector, S->task_first[task], S->task_last[task]);
}

static void backward_task(void *arg, int task, int worker) {
    const sp_factor_pass *pass = arg;
    const sp_symbolic *S = pass->F->S;
    backward_run(pass, pass->F->set[worker].vector, S->task_first[task], S->task_last[task]);
}

static void solve_wide(sp_factor_pass *pass) {
    sp_factor *F = pass->F;
    const sp_symbolic *S = F->S;
    sp__parallel(F->ctx, S->task_count, forward_task, pass);
    pass->wide = true;
    for (int k = 0; k < S->top_count; k++) F->loops->forward(pass, NULL, S->top[k]);
    for (int k = S->top_count - 1; k >= 0; k--) F->loops->backward(pass, NULL, S->top[k]);
    pass->wide = false;
    sp__parallel(F->ctx, S->task_count, backward_task, pass);
}

static void solve_here(const sp_factor_pass *pass, void *own) {
    const sp_symbolic *S = pass->F->S;
    for (int t = 0; t < S->task_count; t++) forward_run(pass, own, S->task_first[t], S->task_last[t]);
    for (int k = 0; k < S->top_count; k++) pass->F->loops->forward(pass, NULL, S->top[k]);
    for (int k = S->top_count - 1; k >= 0; k--) pass->F->loops->backward(pass, NULL, S->top[k]);
    for (int t = S->task_count - 1; t >= 0; t--) backward_run(pass, own, S->task_first[t], S->task_last[t]);
}

void sp__factor_solve(sp_factor *F, const double *b, double *x, bool alone) {
    SP_ASSERT(F->good);
    sp_factor_pass pass = {.F = F, .width = 1, .used = 1, .b = b, .x = x, .y = F->y, .shared = F->shared};
    if (!alone && F->set_count > 1 && F->S->entries > SP_SOLVE_WIDE)
        solve_wide(&pass);
    else
        solve_here(&pass, F->set[0].vector);
}

// ------------------------------------------------------------------------------------------------ many right-hand sides

// Panels of right-hand sides, distributed over lanes: one worker takes a panel through the whole tree.
typedef struct many {
    sp_factor *F;
    int count, width, lanes;
    const double *B;
    double *X;
} many;

static size_t lane_capacity(const sp_factor *F, int width) {
    return ((size_t)F->S->n * (size_t)F->S->block + F->shared_capacity + F->vector_capacity) * (size_t)width;
}

static void solve_lane(void *arg, int lane, int worker) {
    const many *m = arg;
    sp_factor *F = m->F;
    size_t n = (size_t)F->S->n * (size_t)F->S->block, width = (size_t)m->width;
    char *scratch = (char *)F->many + (size_t)lane * lane_capacity(F, m->width) * F->size;
    (void)worker;
    for (int first = lane * m->width; first < m->count; first += m->lanes * m->width) {
        sp_factor_pass pass = {
            .F = F, .width = m->width, .b = m->B + (size_t)first * n, .x = m->X + (size_t)first * n, .y = scratch};
        pass.used = m->count - first < m->width ? m->count - first : m->width;
        pass.shared = scratch + n * width * F->size;
        solve_here(&pass, scratch + (n + F->shared_capacity) * width * F->size);
    }
}

static sp_status many_capacity(sp_factor *F, size_t scratch) {
    if (F->many_capacity >= scratch) return SP_OK;
    void *memory = sp__alloc(F->ctx, scratch, F->size);
    if (!memory) return SP_FAIL(F->ctx, SP_NO_MEMORY, "no memory for right-hand sides: %zu numbers", scratch);
    sp__free(F->ctx, F->many);
    F->many = memory, F->many_capacity = scratch;
    return SP_OK;
}

// Every worker gets a panel if there are enough right-hand sides; a wider panel reads L less often. The solution of one
// right-hand side does not depend on the others in its panel.
static int panel_width(int count, int workers) {
    int each = (count + workers - 1) / workers, rounds = (each + SP_FACTOR_MANY - 1) / SP_FACTOR_MANY;
    return ((each + rounds - 1) / rounds + 7) / 8 * 8;
}

sp_status sp__factor_solve_many(sp_factor *F, int count, const double *B, double *X) {
    SP_ASSERT(F->good);
    if (count <= 0) return SP_OK;
    many m = {.F = F, .count = count, .B = B, .X = X};
    m.width = panel_width(count, F->set_count);
    int panels = (count + m.width - 1) / m.width;
    m.lanes = panels < F->set_count ? panels : F->set_count;
    SP_TRY(many_capacity(F, lane_capacity(F, m.width) * (size_t)m.lanes));
    sp__parallel(F->ctx, m.lanes, solve_lane, &m);
    return SP_OK;
}
