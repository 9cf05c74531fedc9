// Linear solver: created once for a body, used in every step. It sees an sp_system, never a body.
#ifndef SP_SOLVER_H
#define SP_SOLVER_H

#include "linear/system.h"
#include "sparse/factor.h"

typedef struct sp_solver sp_solver;
struct sp_backend;

// Result of one solve.
typedef struct sp_linear_info {
    const char *solver;
    int iterations;
    double residual;   // |b - Ax| / |b|
    sp_status status;  // SP_OK, SP_NOT_CONVERGED, SP_NOT_SPD, SP_NOT_FINITE
    // see sp_solve_info
    int refreshes, failed_refreshes, factor_age, columns, elements_refreshed, elements_waiting;
    double factor_flops, shift;
    bool swapped;  // an asynchronous result was swapped in during this step: a replay must repeat it
} sp_linear_info;

// A replay prescribes when asynchronous results are swapped in, so that the timing of the machine has no effect. Set before
// sp__solver_step.
typedef enum sp_swap { SP_SWAP_FREE, SP_SWAP_NOW, SP_SWAP_LATER } sp_swap;

// The backend provides the vector loops and the operator that `auto` means. Vectors passed to solve have space for one more
// number at the end (allocated by sp__body_init).
sp_status sp__solver_create(sp_context *ctx, const sp_solver_def *def, const struct sp_backend *be, sp_solver **out);
void sp__solver_destroy(sp_solver **solver);
void sp__solver_set(sp_solver *solver, double tolerance, int iterations);
// Call before the solves of a step. `number` increases by one per step and stays the same when a step is repeated. deterministic:
// asynchronous results are swapped in exactly `lag` steps after their request, and the step waits if necessary.
void sp__solver_step(sp_solver *solver, uint64_t number, bool deterministic);
// Starts from x = 0. Fixed unknowns of b must hold their prescribed value of x. Fails only if out of memory.
sp_status sp__solver_solve(sp_solver *solver, const sp_system *A, sp_coef c, const double *b, double *x, sp_linear_info *info);
// Contacts found that the factor of the solver is far from the matrix: where the solver chooses when to make a new one, it does.
void sp__solver_report_stale(sp_solver *solver);
size_t sp__solver_bytes(const sp_solver *solver);
// Steps since the last refresh of each element (user's numbering), for pictures; false: not supported by this solver.
bool sp__solver_refresh_ages(const sp_solver *solver, int count, double *age);
// Visits the state that the next solves depend on in addition to the system: the matrix and the rotations of the factor in use
// and of the pending one. Used for checkpoints. After the arrays were written, sp__solver_restored rebuilds the factors.
struct sp_visitor;
void sp__solver_visit(sp_solver *solver, struct sp_visitor *v);
sp_status sp__solver_restored(sp_solver *solver);

// The factor that a solver has for the last system that it prepared or solved, for contact (compliance.h).
typedef struct sp_factored {
    sp_factor *F;                      // positive definite
    const double *R;                   // rotations of the nodes since its matrix (n / 3 x 9, row-major); NULL: none
    int age;                           // steps since its matrix
    bool current;                      // it is the factor of the last system itself
    struct sp_inverse_cache *columns;  // cached columns of its inverse, for factors that serve several steps; NULL: none
} sp_factored;

// ---- solver kinds (solver.c selects one)

typedef struct sp_solver_kind {
    const char *name;
    sp_status (*create)(sp_solver *s);  // s->impl; may be NULL
    void (*destroy)(sp_solver *s);
    sp_status (*solve)(sp_solver *s, const sp_system *A, sp_coef c, const double *b, double *x, sp_linear_info *info);
    // Brings the factor up to date for A as solve does, without a solve. NULL: the kind has no factor.
    sp_status (*prepare)(sp_solver *s, const sp_system *A, sp_coef c, sp_linear_info *info);
    bool (*factored)(sp_solver *s, sp_factored *out);  // the sparse factor; false: there is none. NULL: never
    bool (*apply)(sp_solver *s, double *x);  // x = A^-1 x with a factor that is not sparse; false: there is none. NULL: never
    size_t (*bytes)(const sp_solver *s);
    bool (*refresh_ages)(const sp_solver *s, int count, double *age);  // NULL: not supported
    void (*visit)(sp_solver *s, struct sp_visitor *v);                 // NULL: no state
    sp_status (*restored)(sp_solver *s);                               // NULL: nothing to do
    void (*step)(sp_solver *s);   // NULL: nothing to do. Called by sp__solver_step when a step begins or is repeated
    void (*stale)(sp_solver *s);  // NULL: nothing to do. See sp__solver_report_stale
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
// Of sp__solver_banded: the factor of a part of the last system (banded.h).
const double *sp__solver_part_factor(const sp_solver *solver, int part);

// Problem statistics: data of a body that the automatic choice uses before the first step.
typedef struct sp_problem_stats {
    int nodes, elements;
    double contrast;          // largest over smallest Young's modulus, >= 1
    double stiffness_number;  // largest E / (rho l2) of its elements, l the cube root of six volumes [1/s2]
    bool statics;             // no mass in the matrix
    bool surface;             // a membrane with a definite tangent: its graph is that of a surface
} sp_problem_stats;

// choose.c: resolves SP_SOLVER_AUTO for such a body and writes the reason as a sentence; other types are returned unchanged.
sp_solver_def sp__solver_choose(const sp_solver_def *def, const sp_problem_stats *stats, char *why, size_t size);

#endif
