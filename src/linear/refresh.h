// Which preconditioner is in use, how old it is, and when the next one is made: each step, every k steps, never, or in the
// background (Courtecuisse 2011, section 3.4). An old one is turned with the nodes: z = R P^-1 R^T r, R_i = Rnow_i Rthen_i^T.
#ifndef SP_REFRESH_H
#define SP_REFRESH_H

#include "linear/precond.h"
#include "linear/solver.h"

typedef struct sp_refresh sp_refresh;

sp_status sp__refresh_create(sp_context *ctx, const sp_backend *be, const sp_solver_def *def, const sp_precond_kind *kind,
                             sp_refresh **out);
void sp__refresh_destroy(sp_refresh **r);
size_t sp__refresh_bytes(const sp_refresh *r);
// A step begins, or is tried again where the number is the last one: what the failed attempt asked for is undone. Where somebody
// tells when to take over, that goes before `deterministic`.
void sp__refresh_step(sp_refresh *r, uint64_t number, sp_hand_over told);
// Before a solve with A, whose numbers are in M: make, take over or ask for a preconditioner, as the policy says. Writes
// refreshes, failed_refreshes, factor_age, columns, factor_flops, shift and handed_over of info.
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

#endif
