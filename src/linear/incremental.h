// What stands behind solver type="updated-cholesky" (incremental.c explains the method).
//
// A node's frame is its rotation Rn since rest. The matrix is kept in these frames: block (i, j) is the sum over the elements of
// Q_i K_ij Q_j^T, with Q_i = Rn_i^T R when the element was last refreshed. A node that is pinned on some axis has Rn = 1, so that
// its unit rows mean what they say.
#ifndef SP_INCREMENTAL_H
#define SP_INCREMENTAL_H

#include "backend/backend.h"
#include "linear/solver.h"
#include "sparse/factor.h"

// How much may be rebuilt in one solve.
typedef struct sp_budget {
    bool columns;  // counted in block columns; otherwise in flops
    double most;
    bool one;  // one path in any case, whatever it costs
} sp_budget;

typedef struct sp_incremental {
    sp_context *ctx;
    const sp_backend *be;
    int nodes, count, lanes;  // elements: count is a multiple of lanes
    uint64_t pattern;
    uint64_t revision;  // of the elements' rest matrices
    sp_coef coef;
    bool ready;      // everything below is made
    bool whole;      // nothing of the factor is good for the next solve
    double rate;     // flops a millisecond, measured; 0: not yet
    double shift;    // in force
    double dearest;  // flops of the most expensive path from a supernode to the root
    double saved;    // flops that may be spent on refreshing, where nobody says how many
    double scale;    // of an element [N s]: what would carry its own mass over its own length in a step

    // elements
    int *node;       // count x 4
    int *lane_node;  // the same in structures, as sp_warped asks
    int *user;
    double *grad, *kept;  // see sp_warped
    double *error;        // count
    int *home;            // the supernode where the element's path to the root begins
    int *at;              // count x 10: its blocks, pairs as in backend.h
    uint64_t *refreshed;  // step of the last refresh
    uint16_t *waiting;    // solves that it has been put off
    unsigned char *chosen;
    int chosen_count;  // since the last solve
    int waiting_count;
    int *around_start, *around;  // elements around each node

    // the matrix in the frames of the nodes
    sp_symmetric_own A;
    int *block_row;                   // per block
    int *entry_start, *entry;         // per block: who adds to it, 10 element + pair
    double *diagonal, *diagonal_now;  // per node
    double *term, *term_now;          // per block: point terms in A, and as they are now
    unsigned char *term_mark;         // per block: in term_list
    int *term_list, term_count;
    unsigned char *term_node;           // per node: its terms are to be taken over
    unsigned char *held;                // per node: axes that are unit rows in A
    unsigned char *dirty, *dirty_node;  // per block, per node: to be summed again
    int *dirty_list, dirty_count, *dirty_nodes, dirty_node_count;

    // rotations and vectors
    double *turn;                   // nodes x 9
    double *record;                 // nodes x SP_WARP_NODE
    double *right, *answer, *rest;  // in the frames; n + 1 numbers each
    double *r, *z, *p, *q;          // of conjugate gradients, in world axes

    sp_symbolic *S;
    sp_factor *F;
    // selection: per supernode
    double *score, *need;
    unsigned char *paid, *has;
    int *roots, root_count;
} sp_incremental;

// incremental_matrix.c: room, pattern, analysis
sp_status sp__incremental_setup(sp_incremental *u, const sp_solver_def *def, const sp_system *A);
void sp__incremental_free(sp_incremental *u);  // all but u itself
size_t sp__incremental_bytes(const sp_incremental *u);

// incremental_matrix.c: the matrix in the frames
void sp__incremental_read_rest(sp_incremental *u, const sp_system *A, sp_coef c);  // chooses elements whose rest matrix changed
void sp__incremental_read_diagonal(sp_incremental *u, const sp_system *A, sp_coef c);  // marks nodes whose number changed
void sp__incremental_read_pins(sp_incremental *u, const sp_system *A);  // marks nodes, chooses the elements around them
void sp__incremental_read_terms(sp_incremental *u, const sp_system *A, sp_coef c);
void sp__incremental_take_terms(sp_incremental *u,
                                double threshold);  // marks blocks where what changed costs more than the threshold
void sp__incremental_choose(sp_incremental *u, int element);
void sp__incremental_mark_all(sp_incremental *u);
void sp__incremental_refresh(sp_incremental *u, const sp_system *A,
                             uint64_t step);    // chosen elements: new rotations, blocks marked
void sp__incremental_sum(sp_incremental *u);    // marked blocks anew
void sp__incremental_clean(sp_incremental *u);  // no marks

// incremental.c
void sp__incremental_turn(sp_incremental *u, const double *b);                                              // `right` = Rn^T b
void sp__incremental_turn_back(sp_incremental *u, const double *b, const unsigned char *fixed, double *x);  // x = Rn `answer`
void sp__incremental_errors(sp_incremental *u, const sp_system *A, const double *x);

double sp__incremental_residual(sp_incremental *u, const sp_system *A, sp_coef c, const double *b,
                                const double *x);  // |b - A x|, left in r
// From the residual in r, of this size, until it is below the goal. Returns what it came to.
double sp__incremental_correct(sp_incremental *u, const sp_system *A, sp_coef c, double size, double goal, double *x,
                               sp_linear_info *info);

// Of the elements above the threshold, choose those worth their price
void sp__incremental_select(sp_incremental *u, double threshold, sp_budget budget);

#endif
