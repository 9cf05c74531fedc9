// The complementarity problem of frictional contact: it knows neither bodies nor geometry.
//
//     u = W lambda + q,   and per group of rows
//     unilateral   0 <= u  and  lambda >= 0, orthogonal
//     Coulomb      K* contains u~ = u + mu |u_T| e_N,  K contains lambda,  orthogonal; K = {|lambda_T| <= mu lambda_N}
//     bilateral    u = 0
//
// (Signorini and Coulomb in the form of De Saxce and Feng 1998.) Rows of a Coulomb group: normal, two tangents. u is a
// violation: negative where bodies overlap. q is u without multipliers (delta_free in a step). A soft row has a compliance of its
// own on the diagonal of W (sp__cone_soften).
//
// The caller adds groups, says by cliques which of them are coupled (all contacts of one body are a clique), lays the problem
// out, and adds the blocks of W:
//
//     sp__cone_clear, sp__cone_add_group ..., sp__cone_add_clique ...
//     sp__cone_layout                       finds the islands and makes W, zeroed
//     sp__cone_block(i, j)                  the place of block (i, j); q and lambda are arrays in the caller's order
//     sp__cone_solve (solve.h)
//
// W is stored as given: nothing is symmetrised. Islands (connected components of the cliques) are solved independently. Inside an
// island every group has a panel: its rows side by side over the runs of consecutive rows that it is coupled with. A fully
// coupled island has one run per panel, so that it is a dense row-major matrix.
//
// Memory is kept from step to step: a clear frees nothing, and what fits into the reserved capacity allocates nothing.
#ifndef SP_CONTACT_PROBLEM_H
#define SP_CONTACT_PROBLEM_H

#include "core/core.h"

enum { SP_CONE_ROWS_MAX = 6 };  // rows of a group; a caller splits larger sets of bilateral rows

typedef enum sp_cone_kind { SP_CONE_UNILATERAL, SP_CONE_COULOMB, SP_CONE_BILATERAL } sp_cone_kind;

typedef struct sp_cone_group {
    sp_cone_kind kind;
    int row, rows;  // first row in the caller's order; number of rows
    double mu;      // Coulomb only
} sp_cone_group;

// Consecutive rows of W that a panel is coupled with.
typedef struct sp_cone_run {
    int column, count;  // rows in the solver's order
    int at;             // offset of the run in each row of the panel
} sp_cone_run;

typedef struct sp_cone_problem {
    sp_context *ctx;
    // in the caller's order
    int group_count, row_count;
    sp_cone_group *group;
    double *q, *lambda, *u;  // per row; lambda: start values before a solve, multipliers after it
    int clique_count, member_count;
    int *clique_start, *member;
    // in the solver's order: groups by island, inside an island as the caller added them
    bool laid_out;
    uint64_t revision;   // of W: changes when it is laid out. It must not be changed between two solves with one revision
    int *order, *place;  // group at a position; position of a group
    int *first;          // first row of a position (group_count + 1)
    int island_count, *island_start;
    int *run_start;  // of a panel (group_count + 1)
    sp_cone_run *run;
    int *width;        // numbers in a row of a panel
    size_t *panel_at;  // first number of a panel
    double *val;
    size_t val_count;
    // capacities
    int group_capacity, row_capacity, clique_capacity, member_capacity, run_capacity;
    size_t val_capacity;
    int *scratch;  // 4 per group
    int *touch_start, *touch;
    int touch_capacity;
} sp_cone_problem;

sp_status sp__cone_create(sp_context *ctx, sp_cone_problem **out);
void sp__cone_destroy(sp_cone_problem **p);  // accepts NULL
// Capacity for so many groups, rows, members of cliques and numbers of W. Larger problems grow it when they are laid out.
sp_status sp__cone_reserve(sp_cone_problem *p, int groups, int rows, int members, size_t numbers);
void sp__cone_clear(sp_cone_problem *p);

// rows is 1 for a unilateral group, 3 for Coulomb, 1..6 for bilateral. *index (nullable) is the number of the group.
sp_status sp__cone_add_group(sp_cone_problem *p, sp_cone_kind kind, int rows, double mu, int *index);
// All these groups are coupled with each other. Every group is coupled with itself.
sp_status sp__cone_add_clique(sp_cone_problem *p, int count, const int *groups);
sp_status sp__cone_layout(sp_cone_problem *p);
// Block (i, j) of W by rows, to be read or written; the rows of the block are *stride numbers apart. NULL: not coupled.
double *sp__cone_block(const sp_cone_problem *p, int i, int j, ptrdiff_t *stride);
// Adds scale times the numbers of `from` (rows are ld numbers apart) to the blocks of group i with some groups of its cliques,
// side by side. The groups ascend: one walk along the panel instead of a search for each block.
void sp__cone_add_blocks(sp_cone_problem *p, int i, int count, const int *groups, double scale, const double *from, int ld);
void sp__cone_soften(sp_cone_problem *p, int group, int row, double compliance);  // row inside the group; adds up
// Whether all numbers of W, q and mu are finite; false: *row is the first row in the caller's order where they are not.
bool sp__cone_finite(const sp_cone_problem *p, int *row);

// y = W x in the caller's order.
void sp__cone_multiply(const sp_cone_problem *p, const double *x, double *y);

// ---- residual
//
// The natural map of a group with the weight w: e = lambda - P(lambda - u~ / w), P the projection onto the admissible set of
// lambda. It is zero if and only if the group fulfils its law.
typedef enum sp_cone_norm {
    SP_CONE_NORM_PLAIN,   // w = 1, Euclidean norm of all e over (1 + |q|): comparable with published numbers
    SP_CONE_NORM_SCALED,  // w = trace(W_cc) / rows, largest |w e| (a length) over the largest |q|
} sp_cone_norm;

double sp__cone_residual(const sp_cone_problem *p, const double *lambda, const double *u, sp_cone_norm norm);

void sp__cone_project(double mu, const double x[3], double out[3]);  // onto K
// e of one group with the weight w
void sp__cone_natural(sp_cone_kind kind, int rows, double mu, double w, const double *lambda, const double *u, double *e);

// ---- for the solvers: positions instead of groups

static inline const sp_cone_group *sp__cone_at(const sp_cone_problem *p, int position) {
    return &p->group[p->order[position]];
}
static inline const double *sp__cone_panel(const sp_cone_problem *p, int position) {
    return p->val + p->panel_at[position];
}
// block (i, j) of positions; NULL: not coupled
const double *sp__cone_block_at(const sp_cone_problem *p, int i, int j);
double sp__cone_weight(const sp_cone_problem *p, int position);  // trace of the diagonal block over its rows

#endif
