// Where panels, contribution blocks and the rows below of solves stand: known before any number, from the tree alone.
//
// A block lives from its own front to its parent's. In postorder the live blocks of one depth come and go as on a stack, and when
// a front is eliminated its children are on top of the stack of the depth below it. Even and odd depths may share a stack each:
// what stands on it from other depths of the same parity is older and outlives the children (Duff and Reid 1983 have one stack
// and move the block of the front down; with two nothing moves).
#include "sparse/factor_internal.h"

enum {
    ROUND = 16,  // numbers: places begin lines of cache, in double and in float
    ODD = 1,     // depth in the tree
    ROOT = 2,    // of a subtree that is a task
};

static size_t rounded(size_t n) {
    return (n + ROUND - 1) / ROUND * ROUND;
}

// What a supernode leaves for its parent: a square block, or a vector.
typedef struct stacks {
    const sp_factor *F;
    const unsigned char *kind;  // of each supernode: ODD, ROOT
    bool square;
    size_t *at;
    size_t height[2], most[2];
} stacks;

static size_t room(const stacks *t, int s) {
    size_t below = (size_t)(sp__panel_rows(t->F, s) - sp__panel_columns(t->F, s));
    return rounded(t->square ? below * below : below);
}

// the children of s go; roots of subtrees stand elsewhere
static void pop_children(stacks *t, int s) {
    const sp_symbolic *S = t->F->S;
    for (int k = S->child_start[s]; k < S->child_start[s + 1]; k++) {
        int c = S->child[k];
        if (!(t->kind[c] & ROOT)) t->height[t->kind[c] & ODD] -= room(t, c);
    }
}

static void push(stacks *t, int s) {
    int o = t->kind[s] & ODD;
    t->at[s] = t->height[o];
    t->height[o] += room(t, s);
    if (t->height[o] > t->most[o]) t->most[o] = t->height[o];
}

// Stacks of one worker: whatever subtree is on them. Returns the room they take.
static size_t place_inner(stacks *t) {
    const sp_symbolic *S = t->F->S;
    for (int task = 0; task < S->task_count; task++) {
        t->height[0] = t->height[1] = 0;
        for (int s = S->task_first[task]; s < S->task_last[task]; s++) {
            pop_children(t, s);
            push(t, s);
        }
    }
    for (int s = 0; s < S->count; s++)
        if (t->F->inner[s] && (t->kind[s] & ODD)) t->at[s] += t->most[0];
    return t->most[0] + t->most[1];
}

// Shared ones: roots of subtrees, done in any order, stand side by side; the top has stacks behind them.
static size_t place_shared(stacks *t) {
    const sp_symbolic *S = t->F->S;
    size_t side_by_side = 0;
    for (int task = 0; task < S->task_count; task++) {
        t->at[S->task_last[task]] = side_by_side;
        side_by_side += room(t, S->task_last[task]);
    }
    t->height[0] = t->height[1] = t->most[0] = t->most[1] = 0;
    for (int k = 0; k < S->top_count; k++) {
        pop_children(t, S->top[k]);
        push(t, S->top[k]);
    }
    for (int k = 0; k < S->top_count; k++) t->at[S->top[k]] += side_by_side + (t->kind[S->top[k]] & ODD ? t->most[0] : 0);
    return side_by_side + t->most[0] + t->most[1];
}

static void place_kept(sp_factor *F) {
    stacks t = {.F = F, .square = true};
    for (int s = 0; s < F->S->count; s++) {
        F->below_at[s] = F->below_room;
        F->below_room += room(&t, s);
    }
}

static void place_panels(sp_factor *F) {
    for (int s = 0; s < F->S->count; s++) {
        F->panel_at[s] = F->panel_room;
        F->panel_room += rounded((size_t)sp__panel_rows(F, s) * (size_t)sp__panel_columns(F, s));
    }
}

// Rows that follow each other here and in the parent's front are added in one go.
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

// kind: scratch, one for each supernode.
void sp__factor_places(sp_factor *F, unsigned char *kind) {
    const sp_symbolic *S = F->S;
    for (int s = S->count - 1; s >= 0; s--) kind[s] = S->super_parent[s] >= 0 && !(kind[S->super_parent[s]] & ODD) ? ODD : 0;
    for (int task = 0; task < S->task_count; task++) kind[S->task_last[task]] |= ROOT;
    find_inner(F);
    find_stretches(F);
    place_panels(F);
    stacks vectors = {.F = F, .kind = kind, .at = F->vector_at},
           blocks = {.F = F, .kind = kind, .square = true, .at = F->below_at};
    F->vector_room = place_inner(&vectors);
    F->shared_room = place_shared(&vectors);
    if (F->def.keep) {
        place_kept(F);
    } else {
        F->stack_room = place_inner(&blocks);
        F->below_room = place_shared(&blocks);
    }
}
