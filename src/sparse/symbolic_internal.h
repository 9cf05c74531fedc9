// The steps of the symbolic analysis, and what they hand to each other.
//
//   order given -> tree -> postorder -> column counts -> supernodes -> amalgamation -> order refined -> fronts, entries, tasks
//
// Numbers of columns are `given` (the ordering's), `posted` (after the postorder of the tree) and, in the end, `new`.
#ifndef SP_SYMBOLIC_INTERNAL_H
#define SP_SYMBOLIC_INTERNAL_H

#include "sparse/graph.h"
#include "sparse/symbolic.h"

// Arrays of n + 1 ints that live while an analysis runs.
typedef struct sp_analysis {
    sp_context *ctx;
    const sp_graph *G;
    sp_symbolic *S;
    int *perm, *place;  // as in sp_symbolic, of the order at hand
    int *parent;        // of the order at hand
    int *counts;        // rows of each posted column of L, diagonal included
    int *work[6];       // scratch of one step
    // groups: supernodes before they are renumbered, in posted order
    int groups;
    int *group_first;     // first posted column of a group (groups + 1)
    int *group_of;        // group of a posted column
    int *group_parent;    // after amalgamation: parent of a group that stays
    int *into;            // the group that took this one in; itself where it stays
    int *columns, *rows;  // of the front of a group
    double *sums;         // scratch
} sp_analysis;

// symbolic_tree.c
void sp__tree_build(sp_analysis *a);      // parent of the order at hand (Liu 1990)
void sp__tree_postorder(sp_analysis *a);  // order at hand, perm, place and parent, refined to a postorder
void sp__tree_counts(sp_analysis *a);     // counts of a postordered tree (Gilbert, Ng and Peyton 1994)
// children before parents: out[k] is the k-th; parent -1: a root. head, next, stack: n ints each
void sp__postorder(int n, const int *parent, int *head, int *next, int *stack, int *out);
// symbolic_super.c
void sp__super_find(sp_analysis *a);         // groups of columns with one pattern
void sp__super_amalgamate(sp_analysis *a);   // groups that are cheaper together
sp_status sp__super_number(sp_analysis *a);  // the final order; supernodes of S
// symbolic_fronts.c
sp_status sp__fronts_build(sp_analysis *a);                           // rows, up, children
sp_status sp__fronts_entries(sp_analysis *a, const sp_symmetric *A);  // where blocks of A go
sp_status sp__fronts_measure(sp_analysis *a);                         // flops, sizes, tasks

// Multiplications and additions of the elimination of k columns of a front with m rows, square roots and divisions included:
// the sum of (m - j)^2.
double sp__front_flops(double m, double k);

#endif
