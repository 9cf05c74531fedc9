// What stands behind sp_factor: where panels and contribution blocks are, which copy is in force, and the loops in double and
// float.
//
// The front of supernode s is two arrays, columns one after the other. Its panel (all rows of the front x own columns) stands in
// L's own storage; its contribution block (rows below squared, lower triangle) stands in an arena and is added into the parent's
// front, straight from there: no front is ever copied.
//
//      own   below
//     +-----+
//     | \   |          panel: rows x own, leading dimension rows
//     |   \ |
//     +-----+-----+
//     |     | \   |    contribution block: below x below, leading dimension below
//     |     |   \ |
//     +-----+-----+
//
// keep: every contribution block has a place of its own. Otherwise blocks stand on two stacks, one for even and one for odd depth
// in the tree: when a front is done its children are on top of one stack, and its own block goes on top of the other. Each worker
// has two stacks for the subtree it works on; the block of the subtree's root goes to stacks that all share.
// spare: panels, kept blocks and pivots exist twice, `side` says which of the two is in force for a supernode.
#ifndef SP_FACTOR_INTERNAL_H
#define SP_FACTOR_INTERNAL_H

#include "sparse/dense.h"
#include "sparse/factor.h"

#define SP_LOOP_INLINE static inline __attribute__((always_inline))

enum {
    SP_FACTOR_MANY = 64,     // right-hand sides that go through the tree side by side at most: they share the nearest caches
    SP_SOLVE_WIDE = 250000,  // entries of L: a smaller solve is over before a second worker has woken (0.1 ms)
};

// Room of one worker.
typedef struct sp_factor_set {
    void *rows, *cols;  // packs
    void *stack;        // contribution blocks of the subtree under way; keep: NULL
    void *vector;       // solves with one right-hand side: rows below in the subtree under way
    // the lowest supernode that failed here (S->count: none), its scalar column and the pivot there
    int failed, column;
    double pivot;
} sp_factor_set;

// One factorisation under way.
typedef struct sp_factor_run {
    sp_factor *F;
    const sp_symmetric *A;
    double shift;
    bool wide;          // on the workers of the context
    atomic_int failed;  // the lowest supernode that failed; S->count: none
    atomic_bool stopped;
} sp_factor_run;

// One or more right-hand sides on their way through the tree.
typedef struct sp_factor_pass {
    sp_factor *F;
    bool wide;        // large panels on all workers
    int width, used;  // right-hand sides side by side (1, or a multiple of 8), and those of them that mean something
    const double *b;  // the first; the next stands n unknowns further. NULL: y holds them already
    double *x;        // where they go; NULL: they stay in y
    void *y;          // in the order of elimination: unknowns x width
    void *shared;     // rows below of top supernodes and of subtree roots
    const int *mark;  // NULL: all supernodes; otherwise those whose mark is `stamp`
    int stamp;
} sp_factor_pass;

// The loops that exist twice.
typedef struct sp_factor_loops {
    // The front of s: assembled, eliminated. wide: inner loops on all workers. False: failed, as said in set.
    bool (*front)(sp_factor_run *run, int s, sp_factor_set *set, bool wide);
    // own: rows below in the subtree under way
    void (*forward)(const sp_factor_pass *pass, void *own, int s);
    void (*backward)(const sp_factor_pass *pass, void *own, int s);
    // one number each way
    void (*put)(void *array, size_t i, double value);
    double (*get)(const void *array, size_t i);
} sp_factor_loops;

extern const sp_factor_loops sp__factor_generic_d, sp__factor_generic_f;
#ifdef SP_HAVE_AVX2
extern const sp_factor_loops sp__factor_avx2_d, sp__factor_avx2_f;
#endif

struct sp_factor {
    sp_context *ctx;
    sp_symbolic *S;
    sp_factor_def def;
    const sp_factor_loops *loops;
    const sp_dense_d *dense_d;
    const sp_dense_f *dense_f;
    size_t size;        // of a number
    bool good;          // holds a factor
    double shift;       // of the factor in force
    atomic_bool *stop;  // nullable: polled between supernodes

    // panels, contribution blocks, pivots (factor.c); places in numbers
    size_t *panel_at;   // of a panel; sp__panel
    size_t *below_at;   // of a contribution block
    size_t *vector_at;  // of the rows below in solves
    bool *inner;        // blocks and vectors are on a worker's stacks, not on the shared ones
    int *stretch;       // parallel to S->row: rows from here on that also follow each other in the parent's front
    void *panel[2], *below[2], *pivot[2];    // [1]: spare alone; pivot: n x block, LDL^T alone
    unsigned char *side;                     // which copy is in force (count)
    unsigned char *fresh;                    // is being made anew, on the other side where there is one (count)
    unsigned char *stale;                    // the contribution block is not the one that belongs to the panel (count)
    size_t panel_capacity, below_capacity;   // numbers in one copy
    size_t stack_capacity, vector_capacity;  // numbers on one worker's stacks
    size_t shared_capacity;                  // numbers on the shared stacks of solves

    // scratch
    int set_count;
    sp_factor_set *set;    // one for each worker
    int *task;             // tasks with something to do
    int *mark, stamp;      // of supernodes: closure, reach
    int *list[2];          // supernodes marked
    void *y, *shared;      // of passes with one right-hand side
    void *many;            // the same for many right-hand sides; NULL until asked for
    size_t many_capacity;  // numbers in it
    void *ranks;           // columns of W on their way up (factor_update.c); NULL until asked for
};

// Scalar rows and columns of a front.
static inline int sp__panel_rows(const sp_factor *F, int s) {
    return sp__front_rows(F->S, s) * F->S->block;
}
static inline int sp__panel_columns(const sp_factor *F, int s) {
    return sp__front_columns(F->S, s) * F->S->block;
}

// Panel of s on a side (double or float): leading dimension sp__panel_rows.
static inline void *sp__panel(const sp_factor *F, int s, int side) {
    return (char *)F->panel[side] + F->panel_at[s] * F->size;
}
// D of s, own columns alone (LDL^T).
static inline void *sp__pivot(const sp_factor *F, int s, int side) {
    return (char *)F->pivot[side] + (size_t)F->S->first[s] * (size_t)F->S->block * F->size;
}
// The side that a run under way writes for fresh supernodes, and the one in force for the others.
static inline int sp__side_now(const sp_factor *F, int s) {
    return F->side[s] ^ (F->fresh[s] && F->def.spare);
}

// Marks the supernodes of block columns `changed` (old numbers) and all above them: mark[s] == stamp. They go to `list`, rising.
// Returns how many.
int sp__factor_closure(sp_factor *F, int count, const int *changed, int *list);
// Makes anew what is marked in `fresh`, on the side that is not in force where there is a spare one. Tells in info. Where all
// went well it comes into force; `fresh` is cleared in any case.
sp_status sp__factor_fronts(sp_factor *F, const sp_symmetric *A, double shift, bool alone, sp_factor_info *info);
// Fresh supernodes come into force (their blocks are stale or not), or are dropped.
void sp__factor_commit(sp_factor *F, bool good, bool stale);
// Places of panels, blocks and vectors, and how much room they take.
void sp__factor_places(sp_factor *F, unsigned char *kind);

#endif
