// The contents of sp_factor: offsets of panels and contribution blocks, the valid copy of each, and the loops in double and
// float.
//
// The front of supernode s is two column-major arrays. Its panel (all rows of the front x own columns) is stored directly in L;
// its contribution block (rows below squared, lower triangle) is stored in an arena and is added to the parent's front from
// there. No front is ever copied.
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
// keep: every contribution block has its own memory. Otherwise blocks are on two stacks, one for even and one for odd depths of
// the tree: when a front is eliminated, its children are on top of one stack, and its own block is pushed on the other. Each
// worker has two stacks for its current subtree; the block of the subtree's root goes to the shared stacks.
// spare: panels, kept blocks and pivots exist twice; `side` is the valid copy of a supernode.
#ifndef SP_FACTOR_INTERNAL_H
#define SP_FACTOR_INTERNAL_H

#include "math/unroll.h"
#include "sparse/dense.h"
#include "sparse/factor.h"

enum {
    SP_FACTOR_MANY = 64,     // most right-hand sides in one pass through the tree: they share the L1 and L2 cache
    SP_SOLVE_WIDE = 250000,  // entries of L: a smaller solve ends before a second worker is awake (0.1 ms)
};

// Memory of one worker.
typedef struct sp_factor_set {
    void *rows, *cols;  // packs
    void *stack;        // contribution blocks of the current subtree; keep: NULL
    void *vector;       // solves with one right-hand side: rows below in the current subtree
    // the lowest supernode that failed in this worker (S->count: none), its scalar column and its pivot
    int failed, column;
    double pivot;
} sp_factor_set;

// One running factorisation.
typedef struct sp_factor_run {
    sp_factor *F;
    const sp_symmetric *A;
    double shift;
    bool wide;          // on the workers of the context
    atomic_int failed;  // the lowest supernode that failed; S->count: none
    atomic_bool stopped;
} sp_factor_run;

// One pass of one or more right-hand sides through the tree.
typedef struct sp_factor_pass {
    sp_factor *F;
    bool wide;        // large panels on all workers
    int width, used;  // interleaved right-hand sides (1, or a multiple of 8), and how many of them are used
    const double *b;  // the first one; the next is n unknowns later. NULL: y already holds them
    double *x;        // solutions; NULL: they stay in y
    void *y;          // in elimination order: unknowns x width
    void *shared;     // rows below of top supernodes and of subtree roots
    const int *mark;  // NULL: all supernodes; otherwise those whose mark is `stamp`
    int stamp;
} sp_factor_pass;

// The loops that exist for double and float.
typedef struct sp_factor_loops {
    // Assembles and eliminates the front of s. wide: inner loops on all workers. False: failed, details in set.
    bool (*front)(sp_factor_run *run, int s, sp_factor_set *set, bool wide);
    // own: rows below in the current subtree
    void (*forward)(const sp_factor_pass *pass, void *own, int s);
    void (*backward)(const sp_factor_pass *pass, void *own, int s);
    // y (own columns x r interleaved right-hand sides) /= sqrt(D): L L^T of the same matrix would give these. D must be positive
    void (*scale)(const sp_factor *F, int s, int r, void *y);
    // sum (rb x ra, double) += B^T A for k interleaved rows of ra and rb numbers; tile: scratch of ra rb numbers
    void (*product)(const sp_factor *F, int k, int ra, const void *A, int rb, const void *B, void *tile, double *sum);
    // write and read one number
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
    double shift;       // of the valid factor
    atomic_bool *stop;  // nullable: polled between supernodes

    // panels, contribution blocks, pivots (factor.c); offsets in numbers
    size_t *panel_at;   // of a panel; sp__panel
    size_t *below_at;   // of a contribution block
    size_t *vector_at;  // of the rows below in solves
    bool *inner;        // blocks and vectors are on a worker's stacks, not on the shared ones
    int *stretch;       // parallel to S->row: length of the run of rows from here that is also consecutive in the parent's front
    void *panel[2], *below[2], *pivot[2];    // [1]: only with spare; pivot: n x block, only LDL^T
    unsigned char *side;                     // the valid copy (count)
    unsigned char *fresh;                    // is being refactored, in the other copy if there is one (count)
    unsigned char *stale;                    // the contribution block does not match the panel (count)
    size_t panel_capacity, below_capacity;   // numbers in one copy
    size_t stack_capacity, vector_capacity;  // numbers on one worker's stacks
    size_t shared_capacity;                  // numbers on the shared stacks of solves

    // scratch
    int set_count;
    sp_factor_set *set;    // one for each worker
    int *task;             // tasks with work to do
    int *mark, stamp;      // of supernodes: closure, reach
    int *list[2];          // supernodes marked
    void *y, *shared;      // of passes with one right-hand side
    void *many;            // the same for many right-hand sides; NULL until needed
    size_t many_capacity;  // numbers in it
    void *ranks;           // columns of W on their path to the root (factor_update.c); NULL until needed
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
// D of s, own columns only (LDL^T).
static inline void *sp__pivot(const sp_factor *F, int s, int side) {
    return (char *)F->pivot[side] + (size_t)F->S->first[s] * (size_t)F->S->block * F->size;
}
// The side that the current run writes (fresh supernodes), and the valid side of the others.
static inline int sp__side_now(const sp_factor *F, int s) {
    return F->side[s] ^ (F->fresh[s] && F->def.spare);
}

// Marks the supernodes of block columns `changed` (old numbers) and all their ancestors: mark[s] == stamp. Lists them in `list`,
// ascending. Returns their number.
int sp__factor_closure(sp_factor *F, int count, const int *changed, int *list);
// Makes the fresh supernodes valid (with stale contribution blocks or not), or discards them.
void sp__factor_commit(sp_factor *F, bool good, bool stale);

#endif
