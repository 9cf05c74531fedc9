// Compliance of a body at its contacts: the inverse of the system A of the free motion, applied to the few directions of contact
// rows. The Delassus operator and the correction of the motion use the same inverse, so that the correction meets the constraints
// that the solve of the contact problem met (Courtecuisse 2011, chapter 5).
//
//   diagonal           the diagonal blocks of A alone: a contact does not move the others. Cheap and wrong, for comparison
//   warped             a factor of the first matrix, rotated with the nodes (Saupin et al. 2008)
//   factor             the newest factor of the solver of the free motion, rotated with the nodes since; bodies whose solver has
//                      no factor get one, computed by the background thread
//   auto               factor; the contacts refine the motion where it is old (contact/constraints.c)
//   exact              a factor of this step's A; chains and small bodies: a banded factor of it
//   block-tridiagonal  chains: a banded factor of this step's A, which all types but the diagonal are there
//
// Columns of the inverse at touched nodes are kept while a factor serves several steps (sparse/inverse_cache.h); this changes no
// bit. For `warped` they are the inverse of the rest shape at the nodes touched so far.
//
// Where A is not positive definite, solvers factor A + shift I. Where that fails too, the last factor stays in use, or the
// diagonal if there is none.
#ifndef SP_COMPLIANCE_H
#define SP_COMPLIANCE_H

#include "linear/solver.h"

typedef struct sp_compliance sp_compliance;

// What `auto` is for a body with this solver (not SP_SOLVER_AUTO), with the reason as a sentence; other types: "".
const char *sp__compliance_why(sp_compliance_type type, const sp_solver_def *solver);

// `solver` is the definition of the body's solver: ordering, precision and lag are taken from it.
sp_status sp__compliance_create(sp_context *ctx, const struct sp_backend *be, sp_compliance_type type,
                                const sp_solver_def *solver, sp_compliance **out);
void sp__compliance_destroy(sp_compliance **C);  // accepts NULL
size_t sp__compliance_bytes(const sp_compliance *C);

// A replay prescribes when the factor that a compliance has of its own is swapped in; set before the first prepare of a step.
void sp__compliance_set_swap(sp_compliance *C, sp_swap swap);
bool sp__compliance_swapped(const sp_compliance *C);  // by the last prepare: a replay must repeat it

// Brings the inverse up to date for the system of this step. `solver` is the one that has just solved with A; it is borrowed
// until the next call. A and its data must not change until the last product of the step. SP_NO_MEMORY: the last inverse is lost.
sp_status sp__compliance_prepare(sp_compliance *C, sp_solver *solver, const sp_system *A, sp_coef c);
// G = J A^-1 J^T (row-major, leading dimension ld, both triangles), with zero columns of J at fixed unknowns.
sp_status sp__compliance_product(sp_compliance *C, const sp_rows *J, double *G, int ld);
// The same for rows of one part of a system of independent parts, such as a strand of a rod: G of the listed rows of J, each with
// what it has in that part. They ascend by their first unknown there, so that a row needs the inverse from there on only: a solve
// is linear in the length of a chain. Rows of all lists are shared by the threads.
typedef struct sp_part_rows {
    int part, count;
    const int *row;
    double *G;  // count x count
} sp_part_rows;
sp_status sp__compliance_product_parts(sp_compliance *C, const sp_rows *J, int lists, const sp_part_rows *list);
// x = A^-1 b with the same inverse; b is taken as zero at fixed unknowns, and x is zero there. x may be b.
void sp__compliance_apply(sp_compliance *C, const double *b, double *x);

// `auto`: the impulse J^T lambda of the contacts in the last committed step, and the length of that step (n + 1 numbers); a
// length of 0: none. The free motion of the next step is solved with it (body/drive.c). NULL before it is reserved, which the
// first prepare does.
double *sp__compliance_impulse(const sp_compliance *C);
sp_status sp__compliance_reserve_impulse(sp_compliance *C, int n);

// The inverse is far from that of A: a new factor is built in the background. `auto` has no other reason to build one for
// contacts.
void sp__compliance_report_stale(sp_compliance *C);

// What the inverse is, for the user: "factor (3 steps old)".
const char *sp__compliance_name(const sp_compliance *C);
int sp__compliance_age(const sp_compliance *C);  // steps since its matrix; 0: this step's, -1: diagonal

// The step failed and may be repeated: what the inverse began in it is discarded.
void sp__compliance_undo(sp_compliance *C, uint64_t step);

// Checkpoints: what the next products depend on in addition to the system; without the impulse.
struct sp_visitor;
void sp__compliance_visit(sp_compliance *C, struct sp_visitor *v);
// Makes its arrays, from any system with the pattern of the body: their content is then overwritten.
sp_status sp__compliance_prime(sp_compliance *C, const sp_system *A, sp_coef c);
sp_status sp__compliance_restored(sp_compliance *C);

#endif
