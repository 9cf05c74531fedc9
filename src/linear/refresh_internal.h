// The inside of refresh.h: pictures of a matrix and what is made of them.
//
//   album     everything that belongs to one pattern: pictures, their preconditioners, the job that fills one of them
//   picture   the matrix, the rotations and the pins of one step, and the preconditioner made from them
//   schedule  which picture is in use, which is being made, how the iterations went: what a checkpoint keeps beside the pictures
#ifndef SP_REFRESH_INTERNAL_H
#define SP_REFRESH_INTERNAL_H

#include "core/background.h"
#include "linear/refresh.h"

enum { SP_PICTURES_MAX = 3 };  // in use, being made, in use before this step began (a step may be tried again)
#define SP_NO_REVISION UINT64_MAX

typedef struct sp_picture {
    sp_precond *p;
    double *val;           // numbers of the matrix, laid out as in sp_blocks; NULL where pictures are not kept
    double *turn;          // rotations of the nodes (n x 9); NULL: the system cannot say
    unsigned char *fixed;  // pins (3 n)
    uint64_t step, values;
    // written by whoever builds
    sp_status status;
    sp_factor_info info;
} sp_picture;

typedef struct sp_album {
    sp_context *ctx;
    sp_symmetric view;  // copies of the pattern: a job may outlive the matrix. val is set for each build
    int *row_start, *row_col, *pos;
    size_t val_count;
    double *origin, *points;  // numbers and rest positions that the analysis was made from, where the kind judges by numbers
    int nodes, count;         // block rows; pictures
    sp_picture picture[SP_PICTURES_MAX];
    sp_precond *cheap;  // block-Jacobi, where nothing better could be made
    sp_job job;
    int making;  // the picture of the job
} sp_album;

typedef struct sp_schedule {
    int64_t use, pending;     // pictures; -1: none
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
    bool keeps;                // copies of matrices: a picture may outlive its step
    sp_album *album;
    uint64_t pattern;
    sp_schedule now, before;  // before: as this step began, its take-over done
    uint64_t step;
    bool begun, first;  // `before` belongs to `step`; the next solve is the first of an attempt
    bool took;          // a result was taken over at the start of the step
    sp_hand_over told;
    bool changed_pattern;  // not the first album: something was in use before

    // of the solve under way
    unsigned char *fixed;  // pins (3 n)
    int *held, held_count;
    double *turn, *R;  // rotations now; R_i = Rnow_i Rthen_i^T
    double *w, *y;     // 3 n + 1
    double *partial;
    bool turns, warps;  // the system can say how its nodes turned; and old preconditioners shall turn with them
    bool turned;        // R is not the identity
    bool cheap;         // what apply uses: the picture in use, block-Jacobi, or nothing
    bool repinned;      // pins are others than in the picture in use
    char name[64];
};

// refresh.c: hand picture k to the thread; the job stays idle where there is none
void sp__refresh_submit(sp_refresh *r, int k);

// refresh_album.c
sp_status sp__album_create(sp_refresh *r, const sp_system *A, const sp_blocks *M, sp_album **out);
void sp__album_destroy(sp_album *a);         // no job may run
void sp__album_let_go(sp_album *a);          // a job may run: it is asked to stop, nobody waits
sp_status sp__album_analyse(sp_refresh *r);  // anew from `origin`, which was written to; no job may run
void sp__album_quiet(sp_album *a);           // stops the job, waits for it to end
size_t sp__album_bytes(const sp_album *a);
sp_status sp__picture_take(sp_refresh *r, sp_picture *p, const sp_system *A, const sp_blocks *M, uint64_t step);
// From the picture's own copy, or where there is none from M.
sp_status sp__picture_build(sp_album *a, int which, const sp_blocks *M, bool alone);

// refresh_warp.c
sp_status sp__warp_reserve(sp_refresh *r, const sp_system *A);
void sp__warp_free(sp_refresh *r);
void sp__warp_pins(sp_refresh *r, const sp_system *A);        // what is fixed now
sp_status sp__warp_turns(sp_refresh *r, const sp_system *A);  // how far the nodes turned since the picture in use

#endif
