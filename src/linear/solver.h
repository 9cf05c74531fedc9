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
    // see sp_solve_info
    int refreshes, failed_refreshes, factor_age, columns, elements_refreshed, elements_waiting;
    double factor_flops, shift;
    bool swapped;  // an asynchronous result was taken over in this step: what a replay must know
} sp_linear_info;

// A replay says when asynchronous results are taken over, whatever the machine does. Set before sp__solver_step.
typedef enum sp_swap { SP_SWAP_FREE, SP_SWAP_NOW, SP_SWAP_LATER } sp_swap;

// The backend lends its vector loops and says which operator `auto` means. Vectors handed to solve have room for one number
// behind their last (sp__body_init sees to it).
sp_status sp__solver_create(sp_context *ctx, const sp_solver_def *def, const struct sp_backend *be, sp_solver **out);
void sp__solver_destroy(sp_solver **solver);
void sp__solver_set(sp_solver *solver, double tolerance, int iterations);
// Before the solves of a step. `number` rises by one a step and is the same again when a step is tried again. deterministic:
// asynchronous results are taken exactly `lag` steps after they were asked for, waiting if need be.
void sp__solver_step(sp_solver *solver, uint64_t number, bool deterministic);
// Start: x = 0. Fixed unknowns of b must hold the value that x shall have there. Failure only for want of memory.
sp_status sp__solver_solve(sp_solver *solver, const sp_system *A, sp_coef c, const double *b, double *x, sp_linear_info *info);
size_t sp__solver_bytes(const sp_solver *solver);
// Steps since each element was refreshed (user's numbering), for pictures; false: this solver has no such thing.
bool sp__solver_refresh_ages(const sp_solver *solver, int count, double *age);
// What the next solves depend on beside the system: the matrix and the rotations behind the factor in use and behind the one
// being made. Called with every array, for checkpoints; sp__solver_restored after they were written makes the factors anew.
struct sp_visitor;
void sp__solver_visit(sp_solver *solver, struct sp_visitor *v);
sp_status sp__solver_restored(sp_solver *solver);

// ---- the kinds (solver.c picks one)

typedef struct sp_solver_kind {
    const char *name;
    sp_status (*create)(sp_solver *s);  // s->impl; may be NULL
    void (*destroy)(sp_solver *s);
    sp_status (*solve)(sp_solver *s, const sp_system *A, sp_coef c, const double *b, double *x, sp_linear_info *info);
    size_t (*bytes)(const sp_solver *s);
    bool (*refresh_ages)(const sp_solver *s, int count, double *age);  // NULL: no
    void (*visit)(sp_solver *s, struct sp_visitor *v);                 // NULL: nothing to keep
    sp_status (*restored)(sp_solver *s);                               // NULL: nothing to do
    void (*step)(sp_solver *s);  // NULL: nothing to do. Called by sp__solver_step when a step begins or is tried again
} sp_solver_kind;

struct sp_solver {
    const sp_solver_kind *kind;
    sp_context *ctx;
    const struct sp_backend *be;
    sp_solver_def def;
    uint64_t step;
    bool deterministic;
    sp_swap swap;
    void *impl;
};

extern const sp_solver_kind sp__solver_cg, sp__solver_pcg, sp__solver_cholesky, sp__solver_updated, sp__solver_dense,
    sp__solver_banded;

// Problem statistics: what a solver may know of a body before its first step.
typedef struct sp_problem_stats {
    int nodes, elements;
    double contrast;  // largest over smallest Young's modulus, >= 1
    double
        stiffness_number;  // largest E / (rho l2) of its elements, l the cube root of six volumes [1/s2]; times h2 a pure number
    bool statics;          // no mass in the matrix
} sp_problem_stats;

// What SP_SOLVER_AUTO becomes for such a body and why, a sentence (choose.c); anything else stays what it is.
sp_solver_def sp__solver_choose(const sp_solver_def *def, const sp_problem_stats *stats, char *why, size_t size);

#endif
