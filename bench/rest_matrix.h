// Matrices that benches factor: A = M + h^2 K of a mesh at rest, linear tetrahedra, lumped masses, clamped nodes left out as
// other solvers' users do. Made from the mesh alone, so that peers and we work on what anybody could write down.
#ifndef SP_BENCH_REST_MATRIX_H
#define SP_BENCH_REST_MATRIX_H

#include "bench.h"
#include "sparse/factor.h"

typedef struct sp_rest_matrix {
    sp_context *ctx;
    sp_mesh *mesh;
    sp_material material;
    double h;
    int tets;
    int *row;        // block row of a node; -1: clamped
    double *points;  // rest positions of the block rows
    sp_symmetric_own A;
    double *other;  // room for a second set of A's numbers
} sp_rest_matrix;

// The box of BEAM-k with these cells, clamped at x = 0, E = 3e5 Pa, nu = 0.4, 1000 kg/m3; or the free torus of radii 0.3 and
// 0.1 m, E = 50 Pa, nu = 0.45, 20 kg/m3. h = 0.01 s. Says what went wrong on stderr.
sp_status sp__rest_beam(int workers, const int cells[3], sp_rest_matrix *out);
sp_status sp__rest_torus(int workers, const int cells[2], sp_rest_matrix *out);
void sp__rest_close(sp_rest_matrix *m);

// The numbers of A with the stiffness of element e times factor[e] (NULL: 1).
void sp__rest_fill(const sp_rest_matrix *m, const double *factor, double *val);
// h^2 K of an element is W W^T; rows 3 corner + axis, 6 columns.
void sp__rest_root(const sp_rest_matrix *m, int element, double W[72]);
// A with other numbers.
sp_symmetric sp__rest_with(const sp_rest_matrix *m, const double *val);
double sp__rest_nonzeros(const sp_rest_matrix *m);  // scalars, both triangles

// All elements, those around `node` first, then their neighbours, and so on.
sp_status sp__rest_patch(const sp_rest_matrix *m, int node, int *order);
// Block rows that the first `count` of `elements` touch, each once, rising; room for 4 count or all of them.
int sp__rest_rows(const sp_rest_matrix *m, int count, const int *elements, int *rows);
// W of the first `count` of `elements` together, as sp__factor_update wants it: 3 row_count x 6 count numbers.
void sp__rest_roots(const sp_rest_matrix *m, int count, const int *elements, int row_count, const int *rows, double *W);

// |Ax - b| / (|A| |x| + |b|), largest norms.
double sp__backward_error(const sp_symmetric *A, const double *x, const double *b, double *scratch);
void sp__right_side(int n, double *b);

// ---- times, least of repeats until the budget is spent (at least three): of the processor on one thread, of the wall on more

sp_status sp__time_analyse(const sp_rest_matrix *m, int workers, double budget_ms, sp_symbolic **out, double *ms);
sp_status sp__time_factor(sp_factor *F, const sp_symmetric *A, int workers, double budget_ms, double *ms);
// count right-hand sides one after the other in B
sp_status sp__time_solve(sp_factor *F, int count, const double *B, double *X, int workers, double budget_ms, double *ms);

// ---- what a peer reads: files in a folder of their own that goes with it

typedef struct sp_exchange {
    char folder[256];
    char path[8][300];
    int count;
} sp_exchange;

sp_status sp__exchange_open(sp_exchange *x);
void sp__exchange_close(sp_exchange *x);
// The path of a new file in it; lives as long as the folder.
const char *sp__exchange_path(sp_exchange *x, const char *name);
sp_status sp__write_matrix(sp_context *ctx, const sp_symmetric *A, const char *path);
// Old number of each new unknown, from that of each new block row.
sp_status sp__write_order(const int *perm, int rows, int block, const char *path);
// W as sparse columns of a matrix with n rows.
sp_status sp__write_columns(int n, int row_count, const int *rows, int rank, const double *W, const char *path);

// CHOLMOD on the same matrix (bench/peers/cholmod_factor.c). present false: not built, numbers NaN.
typedef struct sp_cholmod {
    bool present;
    double analyse_ms, factor_ms, solve_ms, solve64_ms, convert_ms, entries, error;
    double remove_ms[3], restore_ms[3];
} sp_cholmod;

typedef struct sp_cholmod_job {
    const char *matrix, *order;  // order NULL: METIS of its own
    const char *remove[3];       // NULL ends them
    int threads, repeats;
    double budget_ms;
    bool many;
} sp_cholmod_job;

sp_status sp__cholmod_run(const sp_cholmod_job *job, sp_cholmod *out);

#endif
