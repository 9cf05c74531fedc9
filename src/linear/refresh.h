// Which preconditioner is in use, how old it is, and when the next one is made: each step, every k steps, never, or in the
// background (Courtecuisse 2011, section 3.4). An old one is turned with the nodes: z = R P^-1 R^T r, R_i = Rnow_i Rthen_i^T.
#ifndef SP_REFRESH_H
#define SP_REFRESH_H

#include "core/background.h"
#include "linear/precond.h"
#include "linear/solver.h"

typedef struct sp_refresh sp_refresh;

sp_status sp__refresh_create(sp_context *ctx, const sp_backend *be, const sp_solver_def *def, const sp_precond_kind *kind,
                             sp_refresh **out);
void sp__refresh_destroy(sp_refresh **r);
size_t sp__refresh_bytes(const sp_refresh *r);
// A step begins, or is tried again where the number is the last one: what the failed attempt asked for is undone. Where somebody
// tells when to take over, that goes before `deterministic`.
void sp__refresh_step(sp_refresh *r, uint64_t number, sp_swap swap);
// Before a solve with A, whose numbers are in M: make, take over or ask for a preconditioner, as the policy says. Writes
// refreshes, failed_refreshes, factor_age, columns, factor_flops, shift and swapped of info.
sp_status sp__refresh_prepare(sp_refresh *r, const sp_system *A, const sp_blocks *M, uint64_t step, bool deterministic,
                              sp_linear_info *info);
// z = P^-1 r for the free unknowns, 0 for fixed ones; both n numbers.
void sp__refresh_apply(sp_refresh *r, const double *residual, double *z);
// After the solve: how many iterations it took.
void sp__refresh_learn(sp_refresh *r, int iterations);
const char *sp__refresh_name(const sp_refresh *r);  // "pcg (cholesky, async, warp)"
struct sp_visitor;
void sp__refresh_visit(sp_refresh *r, struct sp_visitor *v);
sp_status sp__refresh_restored(sp_refresh *r);

// ---- what it holds, for refresh.c and its tests
//
//   cache     everything that belongs to one pattern: snapshots, their preconditioners, the job that fills one of them
//   snapshot   the matrix, the rotations and the pins of one step, and the preconditioner made from them
//   schedule  which snapshot is in use, which is being made, how the iterations went: what a checkpoint keeps beside the
//   snapshots

enum { SP_SNAPSHOTS_MAX = 3 };  // in use, being made, in use before this step began (a step may be tried again)
#define SP_NO_REVISION UINT64_MAX

typedef struct sp_matrix_snapshot {
    sp_precond *p;
    double *val;           // numbers of the matrix, laid out as in sp_blocks; NULL where snapshots are not kept
    double *turn;          // rotations of the nodes (n x 9); NULL: the system cannot say
    unsigned char *fixed;  // pins (3 n)
    uint64_t step, values;
    // written by whoever builds
    sp_status status;
    sp_factor_info info;
} sp_matrix_snapshot;

typedef struct sp_precond_cache {
    sp_context *ctx;
    sp_symmetric view;  // copies of the pattern: a job may outlive the matrix. val is set for each build
    int *row_start, *row_col, *pos;
    size_t val_count;
    double *origin, *points;  // numbers and rest positions that the analysis was made from, where the kind judges by numbers
    int nodes, count;         // block rows; snapshots
    sp_matrix_snapshot snapshot[SP_SNAPSHOTS_MAX];
    sp_precond *cheap;  // block-Jacobi, where nothing better could be made
    sp_job job;
    int making;  // the snapshot of the job
} sp_precond_cache;

typedef struct sp_schedule {
    int64_t use, pending;     // snapshots; -1: none
    uint64_t tried;           // step of the last attempt to make one, 0: never
    int64_t best, last, now;  // iterations: least since the one in use came, of the last step, of this step so far; -1: none
    uint64_t failures;        // one after the other, so far
} sp_schedule;

struct sp_refresh {
    sp_context *ctx;
    const sp_backend *be;
    sp_solver_def def;
    const sp_precond_kind *kind;
    sp_refresh_policy policy;  // nothing is `auto` but what may wait for its need
    bool keeps;                // copies of matrices: a snapshot may outlive its step
    sp_precond_cache *cache;
    uint64_t pattern;
    sp_schedule now, before;  // before: as this step began, its take-over done
    uint64_t step;
    bool begun, first;  // `before` belongs to `step`; the next solve is the first of an attempt
    bool took;          // a result was taken over at the start of the step
    sp_swap swap;
    bool changed_pattern;  // not the first cache: something was in use before

    // of the solve under way
    unsigned char *fixed;  // pins (3 n)
    int *held, held_count;
    double *turn, *R;  // rotations now; R_i = Rnow_i Rthen_i^T
    double *w, *y;     // 3 n + 1
    double *partial;
    bool node_rotations, warps;  // the system can say how its nodes turned; and old preconditioners shall turn with them
    bool turned;                 // R is not the identity
    bool cheap;                  // what apply uses: the snapshot in use, block-Jacobi, or nothing
    bool repinned;               // pins are others than in the snapshot in use
    char name[64];
};

#endif
