// Symbolic factorisation: elimination tree, supernodes, the rows of each front, the positions of the blocks of A, and costs. It
// is computed once per pattern and shared by any number of factors. It is constant after creation: any thread may read it.
//
// A supernode is a run of block columns with (nearly) the same pattern. Its front has these columns first and then the rows below
// them; `up` is the position of each row below in the parent's front (Duff and Reid 1983; Liu 1992).
#ifndef SP_SYMBOLIC_H
#define SP_SYMBOLIC_H

#include "sparse/ordering.h"

typedef struct sp_symbolic {
    sp_context *ctx;
    atomic_int users;   // sp__symbolic_share and sp__symbolic_release
    int n, block;       // block rows, unknowns of a block
    int *perm, *place;  // old number of a new row; new number of an old row
    int *parent;        // elimination tree of block columns, new numbers; -1: a root
    // supernodes, numbered in postorder: children before parents, subtrees are contiguous
    int count;
    int *first;                // first column (count + 1)
    int *super_of;             // supernode of a column (n)
    int *super_parent;         // -1: a root
    int *subtree;              // first supernode of the subtree that ends with this one
    int *child_start, *child;  // children, ascending (count + 1)
    int *row_start, *row;      // rows of each front, new numbers, ascending: own columns, then those below (count + 1)
    int *up;                   // parallel to row: its position in the parent's front; own columns: -1
    // blocks of A by the supernode of their column
    int *entry_start;  // count + 1
    int *entry;        // block number in A's row_col
    int *entry_at;     // row in the front (block rows)
    int *entry_col;    // own column in the front; bit SP_ENTRY_TRANSPOSED: the stored block is the transpose of what goes there
    // parallel work: subtrees [task_first, task_last], each a task; then `top` in ascending order
    int task_count, *task_first, *task_last;
    int top_count, *top;
    // costs, in scalars
    double *flops;  // of each supernode: multiplications and additions of one factorisation
    double flops_total;
    int64_t entries;              // of the lower triangle of L as stored, padding of amalgamation included
    int64_t entries_exact;        // of L without padding
    int64_t below_total;          // sum over fronts of (scalar rows below)^2: size of kept contribution blocks
    int front_most, column_most;  // scalar rows of the largest front, scalar columns of the widest supernode
    sp_ordering ordering;         // what `auto` chose
    double analyse_ms;
} sp_symbolic;

enum { SP_ENTRY_TRANSPOSED = 1 << 30 };

// The order is refined to a postorder with the same fill-in.
sp_status sp__symbolic_create(sp_context *ctx, sp_ordering ordering, const sp_symmetric *A, const double *points,
                              sp_symbolic **out);
sp_symbolic *sp__symbolic_share(sp_symbolic *S);
void sp__symbolic_release(sp_symbolic **S);
size_t sp__symbolic_bytes(const sp_symbolic *S);

static inline int sp__front_rows(const sp_symbolic *S, int s) {  // block rows of a front
    return S->row_start[s + 1] - S->row_start[s];
}
static inline int sp__front_columns(const sp_symbolic *S, int s) {  // own block columns
    return S->first[s + 1] - S->first[s];
}

#endif
