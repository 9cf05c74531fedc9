// The preconditioner in use, its age, and its schedule: rebuilt each step, every k steps, never, or on the background thread
// (Courtecuisse 2011, section 3.4). A stale preconditioner is rotated with the nodes: z = R P^-1 R^T r, R_i = Rnow_i Rthen_i^T.
#ifndef SP_REFRESH_H
#define SP_REFRESH_H

#include "core/background.h"
#include "linear/precond.h"
#include "linear/solver.h"
#include "sparse/inverse_cache.h"

typedef struct sp_refresh sp_refresh;

sp_status sp__refresh_create(sp_context *ctx, const sp_backend *be, const sp_solver_def *def, const sp_precond_kind *kind,
                             sp_refresh **out);
void sp__refresh_destroy(sp_refresh **r);
size_t sp__refresh_bytes(const sp_refresh *r);
// Starts a step, or repeats it if the number is the last one; the requests of the failed attempt are then undone. A `swap` other
// than SP_SWAP_FREE takes precedence over `deterministic`.
void sp__refresh_step(sp_refresh *r, uint64_t number, sp_swap swap);
// True: the next sp__refresh_prepare with A keeps the preconditioner, which needs few iterations, and reads no matrix.
bool sp__refresh_keeps(const sp_refresh *r, const sp_system *A);
// Call before a solve with A, whose values are in M: builds, swaps in or requests a preconditioner according to the policy.
// M may be NULL if sp__refresh_keeps says so.
// Writes refreshes, failed_refreshes, factor_age, columns, factor_flops, shift and swapped of info.
sp_status sp__refresh_prepare(sp_refresh *r, const sp_system *A, const sp_blocks *M, uint64_t step, bool deterministic,
                              sp_linear_info *info);
// z = P^-1 r for the free unknowns, 0 for fixed ones; both have n numbers.
void sp__refresh_apply(sp_refresh *r, const double *residual, double *z);
// Call after the solve with its number of iterations.
void sp__refresh_report_iterations(sp_refresh *r, int iterations);
// The factor in use is too far from the matrix for contacts: `auto` requests a new one in the next step.
void sp__refresh_report_stale(sp_refresh *r);
// The factor of the preconditioner in use, after sp__refresh_prepare. False: it has none. While it is asked for in each step, the
// background thread computes the columns of the next factor that the current one has, before it is swapped in.
bool sp__refresh_factored(sp_refresh *r, sp_factored *out);
const char *sp__refresh_name(const sp_refresh *r);  // "pcg (cholesky, async, warp)"
struct sp_visitor;
void sp__refresh_visit(sp_refresh *r, struct sp_visitor *v);
sp_status sp__refresh_restored(sp_refresh *r);

// ---- internals, for refresh.c and its tests
//
//   cache     all data of one pattern: snapshots, their preconditioners, the job that builds one of them
//   snapshot  matrix, node rotations and pins of one step, and the preconditioner built from them
//   schedule  which snapshot is in use, which is pending, and the iterations so far: a checkpoint keeps it with the snapshots

enum { SP_SNAPSHOTS_MAX = 3 };  // in use, pending, in use before this step (a step may be repeated)
#define SP_NO_REVISION UINT64_MAX

typedef struct sp_matrix_snapshot {
    sp_precond *p;
    double *val;           // values of the matrix in the layout of sp_blocks; NULL if snapshots are not kept
    double *turn;          // rotations of the nodes (n x 9); NULL: not available from the system
    unsigned char *fixed;  // pins (3 n)
    uint64_t step, values;
    sp_inverse_cache *columns;  // of the inverse of the factor, for contact; NULL: the kind has no factor, or it serves one step
    // written by the thread that builds
    sp_status status;
    sp_factor_info info;
} sp_matrix_snapshot;

typedef struct sp_precond_cache {
    sp_context *ctx;
    sp_symmetric view;  // with a copy of the pattern, because a job may outlive the matrix. val is set for each build
    int *row_start, *row_col, *pos;
    size_t val_count;
    double *origin, *points;  // values and rest positions that the analysis used, if the kind uses values
    int nodes, count;         // block rows; snapshots
    sp_matrix_snapshot snapshot[SP_SNAPSHOTS_MAX];
    sp_precond *cheap;  // block-Jacobi, used if no other preconditioner could be built
    sp_job job;
    int making;  // the snapshot that the job builds
} sp_precond_cache;

typedef struct sp_schedule {
    int64_t use, pending;     // index of a snapshot; -1: none
    uint64_t tried;           // step of the last attempt to build one, 0: never
    int64_t best, last, now;  // iterations: smallest since the last swap, of the last step, of this step so far; -1: none
    uint64_t failures;        // number of consecutive failures
    uint64_t stale;           // 1: contacts need a better inverse than the one in use
} sp_schedule;

struct sp_refresh {
    sp_context *ctx;
    const sp_backend *be;
    sp_solver_def def;
    const sp_precond_kind *kind;
    sp_refresh_policy policy;  // `auto` only for kinds that are rebuilt on demand
    bool keeps;                // snapshots contain copies of matrices, because they may outlive their step
    sp_precond_cache *cache;
    uint64_t pattern;
    sp_schedule now, before;  // before: at the start of this step, after its swap
    uint64_t step;
    bool begun, first;     // `before` belongs to `step`; the next solve is the first of an attempt
    bool took;             // a result was swapped in at the start of the step
    bool current;          // the preconditioner in use was built from the values of the last system
    uint64_t touched;      // the last step in which somebody asked for the factor
    int *rows, row_count;  // block rows whose columns were used in the last step (SP_CACHE_ROWS); NULL: not in the background
    sp_swap swap;
    bool changed_pattern;  // an earlier cache existed: a preconditioner was in use before

    // of the current solve
    unsigned char *fixed;  // pins (3 n)
    int *held, held_count;
    double *turn, *R;  // current rotations; R_i = Rnow_i Rthen_i^T
    double *w, *y;     // 3 n + 1
    double *partial;
    bool node_rotations, warps;  // the system provides node rotations; stale preconditioners are rotated with the nodes
    bool turned;                 // R is not the identity
    bool cheap;                  // apply uses block-Jacobi: no snapshot is in use
    bool repinned;               // pins differ from those of the snapshot in use
    char name[64];
};

#endif
