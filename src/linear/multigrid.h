// The inside of the multigrid preconditioner: smoothed aggregation with the six rigid motions of each aggregate as its coarse
// unknowns (Vanek, Mandel and Brezina 1996; Vanek, Brezina and Mandel 2001).
//
//   level 0    the body's nodes, blocks of 3          A
//   level 1    aggregates of nodes, blocks of 6       P^T A P,  P = (I - w D^-1 A) T,  T: rigid motions of each aggregate
//   ...        aggregates of aggregates
//   the last   few enough for a factor
//
// Every level works in scaled unknowns: with D_i = L_i L_i^T the diagonal blocks, A is kept as L^-1 A L^-T, whose diagonal is the
// identity and need not be stored, and the smoother needs no division. Prolongators carry the scaling of both their ends.
#ifndef SP_MULTIGRID_H
#define SP_MULTIGRID_H

#include "linear/precond.h"

enum {
    SP_GRIDS_MAX = 12,
    SP_GRID_COARSEST = 64,     // block rows that a factor takes over
    SP_GRID_MODES = 6,         // rigid motions, and unknowns of an aggregate
    SP_GRID_ROWS = 256,        // rows of a task on level 0
    SP_GRID_COARSE_ROWS = 24,  // and above: its blocks are four times as large, its rows twice as long
    SP_GRID_LANES = 8,
    SP_GRID_SKIP = UINT16_MAX,  // a product that the upper triangle does not need
};

// One level before its numbers: constant after create, shared by all preconditioners of one pattern.
typedef struct sp_grid {
    int n, block;                // block rows; unknowns of a block
    int *half_start, *half_col;  // upper triangle by rows, the diagonal first (n + 1)
    int *start, *col;            // both triangles, rising, the diagonal left out (n + 1)
    int *from;                   // of each of those: 2 k for block k of the upper triangle, 2 k + 1 where it stands transposed
    double *point;               // n x 3 in the rest shape; of an aggregate: the mean of its rows
    int tasks;                   // rows in parts
    // blocks of 3: rows eight abreast, those of one task by falling length, so that a product works on lanes
    int *lane_row;             // groups x 8; n: no row
    int *lane_start;           // first slot of each group (groups + 1)
    int *lane_col;             // slots x 8: 4 times the column; the row itself where it has no more blocks
    int *lane_up, *lane_down;  // of each block of the upper triangle: where it stands, and where its transpose; the diagonal: -1
    // to the next level; coarse 0: this is the last
    int coarse;
    int *aggregate;               // of each row; -1: a row without neighbours, which needs no correction
    int *member_start, *member;   // rows of each aggregate, rising (coarse + 1)
    int *p_start, *p_col;         // prolongator by rows: aggregates, rising (n + 1)
    int *q_start, *q_row, *q_at;  // and by columns: rows, and which block (coarse + 1)
    // the product P^T (A P), row by row of A: where each block product goes
    int *ap_count;       // blocks of a row of A P: aggregates from the first of p_col on
    size_t *slot_start;  // n + 1
    uint16_t *slot;      // place in the row of A P: of the row's own blocks of P, then of those of each neighbour
    size_t *to_start;    // n + 1
    int *to;  // block of the next level's upper triangle, for each block of P times each of A P from the same column on
    int ap_most;
    int colours, *colour_start, *colour_task;  // tasks of one colour write to different rows of the next level
    double flops;                              // of its numbers, about
} sp_grid;

typedef struct sp_grids {
    sp_context *ctx;
    atomic_int users;
    int count;
    sp_grid grid[SP_GRIDS_MAX];
    sp_symbolic *S;  // of the last level
} sp_grids;

// Rows of one level in the numbers of the cycle.
typedef struct sp_grid_loops {
    size_t size;  // of a number
    // out = base + a in + b (A - I) in over rows [begin, end); base NULL: 0; base may be out
    void (*rows)(const sp_grid *g, int begin, int end, const void *off, double a, double b, const void *base, const void *in,
                 void *out);
    void (*restrict_rows)(const sp_grid *g, int begin, int end, const void *turned, const void *fine,
                          void *coarse);  // of aggregates
    void (*prolong_rows)(const sp_grid *g, int begin, int end, const void *pro, const void *coarse,
                         void *fine);  // fine += P coarse
    // numbers of the cycle from those of the build: A - I of rows from the scaled upper triangle; P of aggregates, scaled by the
    // coarse roots, by rows and by columns
    void (*load_matrix)(const sp_grid *g, int begin, int end, const double *half, void *off);
    void (*load_prolongator)(const sp_grid *g, int begin, int end, const double *P, const double *coarse_root, void *pro,
                             void *turned);
    // between whole vectors and those of level 0: out = scale root^T x, and out = scale root x
    void (*enter)(int begin, int end, const double *root, double scale, const double *x, void *out);
    void (*leave)(int begin, int end, const double *root, double scale, const void *x, double *out);
    // v = a v + b u + c w over numbers; u . v
    void (*mix)(int begin, int end, double a, void *v, double b, const void *u, double c, const void *w);
    double (*dot)(int begin, int end, const void *u, const void *v);
} sp_grid_loops;

// The products of the build, in double.
typedef struct sp_grid_products {
    // upper triangle of rows [begin, end), diagonal left out: A_ij = root_i^T A_ij root_j
    void (*scale)(const sp_grid *g, int begin, int end, const double *root, double *half);
    void (*gram)(int rows, const double *T, double *G);   // G (6 x 6) += T^T T, T: rows x 6
    void (*times)(int rows, const double *R, double *T);  // T = T R, R 6 x 6
    // P = (1 - w) T - w (A - I) T over rows [begin, end), T: n x block x 6; W: ap_most x block x 8 numbers of scratch
    void (*prolongator)(const sp_grid *g, int begin, int end, const double *half, double w, const double *T, double *W,
                        double *P);
    // add P^T A P of rows [begin, end) to the next level's upper triangle
    void (*galerkin)(const sp_grid *g, int begin, int end, const double *half, const double *P, double *W, double *coarse);
} sp_grid_products;

extern const sp_grid_products sp__grid_products_generic;
extern const sp_grid_loops sp__grid_float_generic, sp__grid_double_generic;
#ifdef SP_HAVE_AVX2
extern const sp_grid_products sp__grid_products_avx2;
extern const sp_grid_loops sp__grid_float_avx2, sp__grid_double_avx2;
#endif

// The numbers of one level.
typedef struct sp_grid_level {
    const sp_grid *g;
    double *half;              // upper triangle, row-major blocks: as it came, then scaled
    double *root;              // L^-T of each diagonal block L L^T, row-major, upper
    double *modes;             // n x block x 6: the six rigid motions about the row's point, in its scaled unknowns
    double *frame;             // n x 9: mean rotation; not used where the nodes' turns are not known
    double *T, *P;             // tentative (n x block x 6) and smoothed prolongator
    double lambda;             // largest eigenvalue of the scaled matrix, a little above
    void *off, *pro, *turned;  // of the cycle: A - I, P by rows, P by columns
    void *b, *x, *r;           // 4 numbers a row of 3, 8 a row of 6; the rest of them is zero
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
    double *partial;  // one number a task
    double *last;     // unknowns of the last level, both sides of its solve
    bool good;
} sp_multigrid;

static inline int sp__grid_stride(const sp_grid *g) {  // numbers of a row in the vectors of a level
    return g->block == 3 ? 4 : 8;
}
static inline size_t sp__grid_off_size(const sp_grid *g) {  // numbers of A - I in the cycle
    if (g->block == 3) return 9 * SP_GRID_LANES * (size_t)g->lane_start[(g->n + SP_GRID_LANES - 1) / SP_GRID_LANES];
    return (size_t)(g->block * g->block) * (size_t)g->start[g->n];
}
static inline int sp__grid_task_rows(const sp_grid *g) {
    return g->block == 3 ? SP_GRID_ROWS : SP_GRID_COARSE_ROWS;
}

// multigrid_pattern.c. A: values may be missing, then every link counts as strong. points nullable.
sp_status sp__grids_create(sp_context *ctx, const sp_symmetric *A, const double *points, sp_grids **out);
sp_grids *sp__grids_share(sp_grids *g);
void sp__grids_release(sp_grids **g);
size_t sp__grids_bytes(const sp_grids *g);

// aggregate.c. A graph whose links have a mark: strong or not.
typedef struct sp_links {
    int n, *start, *col;
    unsigned char *strong;
} sp_links;

// Which links of level 0 are strong: |A_ij| > theta sqrt(|A_ii| |A_jj|). Links of fixed unknowns are, for they may be let go.
void sp__links_judge(const sp_grid *g, const sp_symmetric *A, unsigned char *strong);
// Aggregates over strong links, or over all where those leave too many pieces; *count 0: no fewer than there are rows.
sp_status sp__aggregate(sp_context *ctx, const sp_links *links, int *aggregate, int *count);
// The graph of the aggregates: strong where any link between them is.
sp_status sp__links_quotient(sp_context *ctx, const sp_links *fine, const int *aggregate, int count, sp_links *out);
void sp__links_free(sp_context *ctx, sp_links *links);

// multigrid_coarse.c
void sp__grid_first(sp_multigrid *m, const sp_symmetric *A, bool alone);  // the matrix of level 0, and its motions
int sp__grid_scale(sp_multigrid *m, int l, bool alone);  // returns a row whose diagonal block is not positive definite; -1: none
void sp__grid_coarsen(sp_multigrid *m, int l, bool alone);  // prolongator, and the matrix of level l + 1
void sp__grid_finish(sp_multigrid *m, int l, bool alone);   // the cycle's prolongator, when level l + 1 is scaled
// fn(arg, task, worker) for every task: on all workers, or one after the other
void sp__grid_each(sp_multigrid *m, bool alone, int tasks, sp_task_fn *fn, void *arg);

// multigrid_cycle.c
void sp__grid_cycle(sp_multigrid *m, const double *r, double *z);
double sp__grid_largest(sp_multigrid *m, int l, bool alone);  // estimate of the largest eigenvalue of the scaled matrix

#endif
