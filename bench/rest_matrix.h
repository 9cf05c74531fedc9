// Matrices for direct solver benches: A = M + h^2 K of a mesh at rest, linear tetrahedra, lumped masses, clamped nodes removed as
// users of other solvers do. They are assembled from the mesh alone, so that peers and our code work on a matrix that anybody can
// reproduce.
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
    double *other;  // a second set of values of A
} sp_rest_matrix;

// The box of BEAM-k with these cells, clamped at x = 0, E = 3e5 Pa, nu = 0.4, 1000 kg/m3; or the free torus of radii 0.3 and 0.1
// m, E = 50 Pa, nu = 0.45, 20 kg/m3. h = 0.01 s. Prints errors to stderr.
sp_status sp__rest_beam(int workers, const int cells[3], sp_rest_matrix *out);
sp_status sp__rest_torus(int workers, const int cells[2], sp_rest_matrix *out);
void sp__rest_close(sp_rest_matrix *m);

// The values of A with the stiffness of element e times factor[e] (NULL: 1).
void sp__rest_fill(const sp_rest_matrix *m, const double *factor, double *val);
// A with other values.
sp_symmetric sp__rest_with(const sp_rest_matrix *m, const double *val);
double sp__rest_nonzeros(const sp_rest_matrix *m);  // scalars, both triangles

// All elements in breadth-first order: those around `node`, then their neighbours, and so on.
sp_status sp__rest_patch(const sp_rest_matrix *m, int node, int *order);
// Block rows of the first `count` of `elements`, each once, ascending; `rows` has room for 4 count or for all rows.
int sp__rest_rows(const sp_rest_matrix *m, int count, const int *elements, int *rows);
// W of the first `count` of `elements` in the format of sp__factor_update: 3 row_count x 6 count numbers.
void sp__rest_roots(const sp_rest_matrix *m, int count, const int *elements, int row_count, const int *rows, double *W);

// Backward error |Ax - b| / (|A| |x| + |b|), maximum norms.
double sp__backward_error(const sp_symmetric *A, const double *x, const double *b, double *scratch);
void sp__right_side(int n, double *b);

// A factor without values; keep: contribution blocks are stored. Prints the reason of a failure.
sp_status sp__rest_factor(const sp_rest_matrix *m, sp_symbolic *S, bool keep, sp_factor **F);

// ---- times, minimum of repeats until the budget is used (at least three): processor time on one thread, wall clock on more

sp_status sp__time_analyse(const sp_rest_matrix *m, int workers, double budget_ms, sp_symbolic **out, double *ms);
sp_status sp__time_factor(sp_factor *F, const sp_symmetric *A, int workers, double budget_ms, double *ms);
// `count` right-hand sides, stored consecutively in B
sp_status sp__time_solve(sp_factor *F, int count, const double *B, double *X, int workers, double budget_ms, double *ms);

// ---- input files of a peer, in a temporary folder that is removed with the exchange

typedef struct sp_exchange {
    char folder[256];
    char path[8][300];
    int count;
} sp_exchange;

void sp__exchange_close(sp_exchange *x);
// The path of a new file in it; valid as long as the folder.
const char *sp__exchange_path(sp_exchange *x, const char *name);
sp_status sp__write_matrix(sp_context *ctx, const sp_symmetric *A, const char *path);
// W as sparse columns of a matrix with n rows.
sp_status sp__write_columns(int n, int row_count, const int *rows, int rank, const double *W, const char *path);

// CHOLMOD on the same matrix (bench/peers/cholmod_factor.c). present false: not built, numbers NaN.
typedef struct sp_cholmod {
    bool present;
    double analyse_ms, factor_ms, solve_ms, solve64_ms, convert_ms, entries, error;
    double remove_ms[3], restore_ms[3];
} sp_cholmod;

typedef struct sp_cholmod_job {
    const char *matrix, *order;  // order NULL: its own METIS order
    const char *remove[3];       // ended by NULL
    int threads, repeats;
    double budget_ms;
    bool many;
} sp_cholmod_job;

// Opens an exchange with the matrix and our order, and names both files in the job. On failure it is closed.
sp_status sp__cholmod_open(sp_exchange *x, const sp_rest_matrix *m, const sp_symbolic *S, sp_cholmod_job *job);
sp_status sp__cholmod_run(const sp_cholmod_job *job, sp_cholmod *out);

#endif
