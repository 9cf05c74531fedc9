// Internals of the multigrid preconditioner: smoothed aggregation whose coarse unknowns are the six rigid body modes of each
// aggregate (Vanek, Mandel and Brezina 1996; Vanek, Brezina and Mandel 2001).
//
//   level 0    nodes of the body, blocks of 3         A
//   level 1    aggregates of nodes, blocks of 6       P^T A P,  P = (I - w D^-1 A) T,  T: rigid body modes of each aggregate
//   ...        aggregates of aggregates
//   the last   small enough for a Cholesky factor
//
// Every level uses scaled unknowns: with the diagonal blocks D_i = L_i L_i^T, A is stored as L^-1 A L^-T. Its diagonal is the
// identity and is not stored, and the smoother needs no division. Prolongators contain the scaling of both levels.
#ifndef SP_MULTIGRID_H
#define SP_MULTIGRID_H

#include "linear/precond.h"

enum {
    SP_GRIDS_MAX = 12,
    SP_GRID_COARSEST = 64,     // block rows that are few enough for a factor
    SP_GRID_MODES = 6,         // rigid body modes, and unknowns of an aggregate
    SP_GRID_ROWS = 256,        // rows per task on level 0
    SP_GRID_COARSE_ROWS = 24,  // rows per task on coarse levels: their blocks are four times as large, their rows twice as long
    SP_GRID_LANES = 8,
    SP_GRID_SKIP = UINT16_MAX,  // a product that the upper triangle does not need
};

// One level without its values: constant after create, shared by all preconditioners of one pattern.
typedef struct sp_grid {
    int n, block;                // block rows; unknowns per block
    int *half_start, *half_col;  // upper triangle by rows, the diagonal first (n + 1)
    int *start, *col;            // both triangles without the diagonal, ascending (n + 1)
    int *from;                   // of each of those: 2 k for block k of the upper triangle, 2 k + 1 for its transpose
    double *point;               // n x 3 in the rest shape; an aggregate has the mean of its rows
    int tasks;                   // number of tasks that the rows are divided into
    // blocks of 3: eight rows are interleaved for SIMD; the rows of a task are sorted by descending length
    int *lane_row;             // groups x 8; n: no row
    int *lane_start;           // first slot of each group (groups + 1)
    int *lane_col;             // slots x 8: 4 times the column; padding points to the row itself
    int *lane_up, *lane_down;  // index of each block of the upper triangle and of its transpose; -1 for the diagonal
    // transfer to the next level; coarse 0: this is the last level
    int coarse;
    int *aggregate;               // of each row; -1: a row without neighbours, which needs no correction
    int *member_start, *member;   // rows of each aggregate, ascending (coarse + 1)
    int *p_start, *p_col;         // prolongator by rows: aggregates, ascending (n + 1)
    int *q_start, *q_row, *q_at;  // prolongator by columns: rows and block numbers (coarse + 1)
    // Galerkin product P^T (A P), row by row of A: destination of each block product
    int *ap_count;       // blocks in a row of A P: aggregates from the first of p_col on
    size_t *slot_start;  // n + 1
    uint16_t *slot;      // index in the row of A P: of the row's own blocks of P, then of the blocks of each neighbour
    size_t *to_start;    // n + 1
    int *to;  // block of the next level's upper triangle, for each block of P times each block of A P from the same column on
    int ap_most;
    int colours, *colour_start, *colour_task;  // tasks of one colour write to different rows of the next level
    double flops;                              // approximate cost of computing its values
} sp_grid;

typedef struct sp_grids {
    sp_context *ctx;
    atomic_int users;
    int count;
    sp_grid grid[SP_GRIDS_MAX];
    sp_symbolic *S;  // symbolic analysis of the last level
} sp_grids;

// Loops of the V-cycle over the rows of one level, for one number type.
typedef struct sp_grid_loops {
    size_t size;  // of a number
    // out = base + a in + b (A - I) in over rows [begin, end); base NULL: 0; base may be out
    void (*rows)(const sp_grid *g, int begin, int end, const void *off, double a, double b, const void *base, const void *in,
                 void *out);
    void (*restrict_rows)(const sp_grid *g, int begin, int end, const void *turned, const void *fine,
                          void *coarse);  // coarse = P^T fine over aggregates [begin, end)
    void (*prolong_rows)(const sp_grid *g, int begin, int end, const void *pro, const void *coarse,
                         void *fine);  // fine += P coarse
    // copies the values of the build to those of the cycle: A - I of rows from the scaled upper triangle; P of aggregates, scaled
    // by the coarse roots, by rows and by columns
    void (*load_matrix)(const sp_grid *g, int begin, int end, const double *half, void *off);
    void (*load_prolongator)(const sp_grid *g, int begin, int end, const double *P, const double *coarse_root, void *pro,
                             void *turned);
    // between user vectors and vectors of level 0: out = scale root^T x, and out = scale root x
    void (*enter)(int begin, int end, const double *root, double scale, const double *x, void *out);
    void (*leave)(int begin, int end, const double *root, double scale, const void *x, double *out);
    // v = a v + b u + c w over numbers; u . v
    void (*mix)(int begin, int end, double a, void *v, double b, const void *u, double c, const void *w);
    double (*dot)(int begin, int end, const void *u, const void *v);
} sp_grid_loops;

// Products of the build, in double.
typedef struct sp_grid_products {
    // upper triangle of rows [begin, end) without the diagonal: A_ij = root_i^T A_ij root_j
    void (*scale)(const sp_grid *g, int begin, int end, const double *root, double *half);
    void (*gram)(int rows, const double *T, double *G);   // G (6 x 6) += T^T T, T: rows x 6
    void (*times)(int rows, const double *R, double *T);  // T = T R, R 6 x 6
    // P = (1 - w) T - w (A - I) T over rows [begin, end), T: n x block x 6; W: ap_most x block x 8 numbers of scratch
    void (*prolongator)(const sp_grid *g, int begin, int end, const double *half, double w, const double *T, double *W,
                        double *P);
    // adds P^T A P of rows [begin, end) to the next level's upper triangle
    void (*galerkin)(const sp_grid *g, int begin, int end, const double *half, const double *P, double *W, double *coarse);
} sp_grid_products;

extern const sp_grid_products sp__grid_products_generic;
extern const sp_grid_loops sp__grid_float_generic, sp__grid_double_generic;
#ifdef SP_HAVE_AVX2
extern const sp_grid_products sp__grid_products_avx2;
extern const sp_grid_loops sp__grid_float_avx2, sp__grid_double_avx2;
#endif

// Values of one level.
typedef struct sp_grid_level {
    const sp_grid *g;
    double *half;              // upper triangle, row-major blocks: unscaled first, then scaled
    double *root;              // L^-T of each diagonal block L L^T, row-major, upper
    double *modes;             // n x block x 6: the six rigid body modes about the row's point, in its scaled unknowns
    double *frame;             // n x 9: mean rotation; not used if the rotations of the nodes are unknown
    double *T, *P;             // tentative (n x block x 6) and smoothed prolongator
    double lambda;             // upper estimate of the largest eigenvalue of the scaled matrix
    void *off, *pro, *turned;  // values of the cycle: A - I, P by rows, P by columns
    void *b, *x, *r;           // 4 numbers per row of 3, 8 per row of 6; the padding is zero
} sp_grid_level;

typedef struct sp_multigrid {
    sp_precond base;
    sp_grids *grids;
    sp_grid_level level[SP_GRIDS_MAX];
    sp_factor *F;
    const sp_grid_loops *loops;
    const sp_grid_products *products;
    double *W;  // workers x W_size
    size_t W_size;
    double *partial;  // one number per task
    double *last;     // unknowns of the last level, right-hand side and solution of its solve
    bool good;
} sp_multigrid;

static inline int sp__grid_stride(const sp_grid *g) {  // numbers per row in the vectors of a level
    return g->block == 3 ? 4 : 8;
}
static inline size_t sp__grid_off_size(const sp_grid *g) {  // numbers of A - I in the cycle
    if (g->block == 3) return 9 * SP_GRID_LANES * (size_t)g->lane_start[(g->n + SP_GRID_LANES - 1) / SP_GRID_LANES];
    return (size_t)(g->block * g->block) * (size_t)g->start[g->n];
}
static inline int sp__grid_task_rows(const sp_grid *g) {
    return g->block == 3 ? SP_GRID_ROWS : SP_GRID_COARSE_ROWS;
}

// multigrid_pattern.c. A may have no values; every link is strong then. points may be NULL.
sp_status sp__grids_create(sp_context *ctx, const sp_symmetric *A, const double *points, sp_grids **out);
sp_grids *sp__grids_share(sp_grids *g);
void sp__grids_release(sp_grids **g);
size_t sp__grids_bytes(const sp_grids *g);

#endif
