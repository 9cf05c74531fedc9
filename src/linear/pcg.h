// Preconditioned conjugate gradients on an assembled matrix or on a system, for any preconditioner; also without one (solver.c).
#ifndef SP_PCG_H
#define SP_PCG_H

#include "linear/blocks.h"
#include "linear/solver.h"

typedef struct sp_pcg_workspace {
    sp_context *ctx;
    int n;
    double *r, *p, *q, *z, *partial;  // z: NULL without a preconditioner
} sp_pcg_workspace;

// Allocates vectors for n unknowns; keeps them if n is unchanged.
sp_status sp__pcg_workspace_create(sp_pcg_workspace *w, sp_context *ctx, int n);
void sp__pcg_workspace_free(sp_pcg_workspace *w);

typedef struct sp_pcg_problem {
    const sp_backend *be;
    const sp_blocks *A;       // NULL: products with `system` instead
    const sp_system *system;  // with the coefficients `coef`
    sp_coef coef;
    const unsigned char *fixed;
    const double *b;
    double tolerance;  // 0: exactly `iterations` iterations
    int iterations;
    void (*apply)(void *arg, const double *r, double *z);  // z = P^-1 r, zero at fixed unknowns
    void *arg;
} sp_pcg_problem;

// Writes x, and the iterations, residual and status of info.
void sp__pcg_run(sp_pcg_workspace *w, const sp_pcg_problem *problem, double *x, sp_linear_info *info);
// r = b - A x over the free unknowns, 0 at fixed ones, in w->r; returns |r|^2. Overwrites w->q.
double sp__pcg_residual(sp_pcg_workspace *w, const sp_pcg_problem *problem, const double *x);

// Fallback for solvers that need an assembled matrix when the body has none: matrix-free conjugate gradients.
sp_status sp__solve_without_matrix(sp_solver *s, sp_solver **plain, const sp_system *A, sp_coef c, const double *b, double *x,
                                   const char *name, sp_linear_info *info);

#endif
