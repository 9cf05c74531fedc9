// LU factors of a matrix with the pattern of W on one island: A_ij = P_i (s_i W_ij s_j) + D_i on the diagonal, with a small block
// P_i, D_i per group and a scalar s_i. The Newton matrices of the contact solvers have this form; they are not symmetric, W is
// often rank deficient, but the pattern is symmetric and the diagonal blocks are good pivots.
//
// Multifrontal elimination in minimum-degree order, with pivoting inside the diagonal block of each supernode. A pivot that is
// nearly zero is replaced (static pivoting): the caller's Newton iteration corrects the small error. A fully coupled island is
// one dense front.
//
// The memory is kept: an island that is no larger than one before allocates nothing.
#ifndef SP_CONTACT_FACTOR_H
#define SP_CONTACT_FACTOR_H

#include "contact/kernels.h"
#include "contact/problem.h"

enum { SP_CONE_FACTOR_GROUPS = 4096 };  // most groups: the ordering keeps a bit for each pair

typedef struct sp_cone_factor sp_cone_factor;

typedef struct sp_cone_matrix {
    const double *P, *D;  // SP_CONE_ROWS_MAX^2 numbers per group of the island, rows of the group apart; P NULL: unit blocks
    const double *s;      // per group of the island
    double shift;         // added to the diagonal of the scaled W before the product with P
} sp_cone_matrix;

sp_status sp__cone_factor_create(sp_context *ctx, sp_cone_factor **out);
void sp__cone_factor_destroy(sp_cone_factor **F);
// Ordering of the positions [begin, end), and its price. SP_LIMIT: too large (more than SP_CONE_FACTOR_GROUPS groups).
sp_status sp__cone_factor_analyse(sp_cone_factor *F, const sp_cone_problem *p, int begin, int end);
double sp__cone_factor_flops(const sp_cone_factor *F);
sp_status sp__cone_factor_reserve(sp_cone_factor *F);  // memory for the numbers of the analysed island
int sp__cone_factor_make(sp_cone_factor *F, const sp_cone_problem *p, const sp_cone_matrix *A);  // number of replaced pivots
// x = A^-1 b; both in the order of the island's rows; x may be b.
void sp__cone_factor_solve(sp_cone_factor *F, const double *b, double *x);

#endif
