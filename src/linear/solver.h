// A linear solver: made once for a body, used every step. It sees an sp_system, never a body.
#ifndef SP_SOLVER_H
#define SP_SOLVER_H

#include "linear/system.h"

typedef struct sp_solver sp_solver;
struct sp_backend;

// What one solve did.
typedef struct sp_linear_info {
    const char *solver;
    int iterations;
    double residual;   // |b - Ax| / |b|
    sp_status status;  // SP_OK, SP_NOT_CONVERGED, SP_NOT_SPD, SP_NOT_FINITE
} sp_linear_info;

// The backend lends its vector loops and says which operator `auto` means. Vectors handed to solve have room for one number
// behind their last (sp__body_init sees to it).
sp_status sp__solver_create(sp_context *ctx, const sp_solver_def *def, const struct sp_backend *be, sp_solver **out);
void sp__solver_destroy(sp_solver **solver);
void sp__solver_set(sp_solver *solver, double tolerance, int iterations);
// Start: x = 0. Fixed unknowns of b must hold the value that x shall have there. Failure only for want of memory.
sp_status sp__solver_solve(sp_solver *solver, const sp_system *A, sp_coef c, const double *b, double *x, sp_linear_info *info);
size_t sp__solver_bytes(const sp_solver *solver);

#endif
