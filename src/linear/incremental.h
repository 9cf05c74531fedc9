// Data of the incremental Cholesky solver, type="updated-cholesky" in a scene. incremental.c explains the method.
//
// The frame of a node is its rotation Rn from rest. The matrix is kept in these frames: block (i, j) is the sum over the elements
// of Q_i K_ij Q_j^T, with Q_i = Rn_i^T R at the last refresh of the element. A node that is pinned on some axis has Rn = 1, so
// that its unit rows stay in world axes.
//
// Elements whose matrix is not that of rest, rotated (other laws, more nodes), keep the blocks Rn_i^T K_ij Rn_j of their last
// refresh (incremental_blocks.c).
#ifndef SP_INCREMENTAL_H
#define SP_INCREMENTAL_H

#include "backend/backend.h"
#include "linear/solver.h"
#include "sparse/factor.h"

// Budget for refactorisation in one solve.
typedef struct sp_budget {
    bool columns;  // counted in block columns; otherwise in flops
    double most;
    bool one;  // allows one path even if it exceeds the budget
} sp_budget;

typedef struct sp_incremental {
    sp_context *ctx;
    const sp_backend *be;
    int nodes, count, lanes;  // elements: count is a multiple of lanes
    uint64_t pattern;
    uint64_t revision;  // of the rest matrices of the elements
    sp_coef coef;
    bool ready;                  // everything below is allocated and analysed
    bool whole;                  // the next solve must refactorise everything
    double rate;                 // measured flops per millisecond; 0: not yet measured
    double shift;                // diagonal shift of the current factor
    double most_expensive_path;  // flops of the most expensive path from a supernode to the root
    double saved;                // automatic budget: unspent flops
    double scale;                // impulse that moves a mean element by its own length in a step [N s]; 0: statics

    // elements
    int width, pairs;  // nodes of an element, pairs of nodes
    unsigned char pair_a[SP_ISO_PAIRS_MAX], pair_b[SP_ISO_PAIRS_MAX];
    bool any;        // of any kind: `grad` is a number of the material, `kept` has the blocks, pairs x 9 each
    int *node;       // count x width
    int *lane_node;  // the same in the SIMD layout of sp_warped
    int *user;
    double *grad, *kept;  // see sp_warped
    double *error;        // count
    int *home;            // lowest supernode of the element's path to the root
    int *at;              // count x pairs: indices of its blocks; -1: it has not these nodes
    uint64_t *refreshed;  // step of the last refresh
    uint16_t *waiting;    // number of solves that have postponed it
    unsigned char *chosen;
    int chosen_count;  // chosen since the last solve
    int waiting_count;
    int *around_start, *around;  // elements around each node

    // the matrix in the frames of the nodes
    sp_symmetric_own A;
    int *block_row;                   // per block
    int *entry_start, *entry;         // per block: its contributions, pairs * element + pair
    double *diagonal, *diagonal_now;  // per node
    double *term, *term_now;          // per block: point terms contained in A, and current point terms
    unsigned char *term_mark;         // per block: in term_list
    int *term_list, term_count;
    unsigned char *term_node;           // per node: its point terms are to be updated
    unsigned char *held;                // per node: axes that have unit rows in A
    unsigned char *dirty, *dirty_node;  // per block, per node: to be summed again
    int *dirty_list, dirty_count, *dirty_nodes, dirty_node_count;

    // rotations and vectors
    double *turn;                   // nodes x 9
    double *record;                 // nodes x SP_WARP_NODE
    double *right, *answer, *rest;  // in the frames; n + 1 numbers each
    double *r, *z, *p, *q;          // vectors of conjugate gradients, in world axes

    sp_symbolic *S;
    sp_factor *F;
    // selection: per supernode
    double *score, *need;
    unsigned char *on_path, *has;
    int *roots, root_count;
} sp_incremental;

// incremental_matrix.c: memory, pattern, symbolic analysis
sp_status sp__incremental_setup(sp_incremental *u, const sp_solver_def *def, const sp_system *A);
void sp__incremental_free(sp_incremental *u);  // everything except u itself
size_t sp__incremental_bytes(const sp_incremental *u);

// incremental_matrix.c: the matrix in the frames
void sp__incremental_read_rest(sp_incremental *u, const sp_system *A, sp_coef c);  // chooses elements whose rest matrix changed
void sp__incremental_read_diagonal(sp_incremental *u, const sp_system *A, sp_coef c);  // marks nodes whose value changed
void sp__incremental_read_pins(sp_incremental *u, const sp_system *A);  // marks nodes, chooses the elements around them
void sp__incremental_read_terms(sp_incremental *u, const sp_system *A, sp_coef c);
void sp__incremental_take_terms(sp_incremental *u,
                                double threshold);  // updates and marks blocks of point terms with an error above the threshold
void sp__incremental_choose(sp_incremental *u, int element);
void sp__incremental_mark_all(sp_incremental *u);
void sp__incremental_refresh(sp_incremental *u, const sp_system *A,
                             uint64_t step);    // chosen elements: recomputes the rotations, marks their blocks
void sp__incremental_sum(sp_incremental *u);    // sums the marked blocks again
void sp__incremental_clean(sp_incremental *u);  // clears all marks

// numbers of an element in `grad` and in `kept`
static inline size_t sp__incremental_rest(const sp_incremental *u) {
    return u->any ? 1 : 10;
}
static inline size_t sp__incremental_kept(const sp_incremental *u) {
    return u->any ? 9 * (size_t)u->pairs : 36;
}

// incremental_blocks.c: elements of any kind
void sp__incremental_block_errors(sp_incremental *u, const sp_system *A);
void sp__incremental_keep_blocks(sp_incremental *u, const sp_system *A);  // of the chosen elements
// B += block `entry`, of the row `row`
void sp__incremental_add_block(const sp_incremental *u, int entry, int row, double *B);

// incremental.c: chooses elements above the threshold within the budget.
void sp__incremental_select(sp_incremental *u, double threshold, sp_budget budget);

#endif
