// Symbolic analysis of a Cholesky factorisation:
//   order given -> tree -> postorder -> column counts -> supernodes -> amalgamation -> order refined -> fronts, entries, tasks
//
// Column numbers are `given` (from the ordering), `posted` (after the postorder of the tree) and finally `new`.
#include "sparse/symbolic.h"

#include <limits.h>

#include "core/share.h"

// Arrays of n + 1 ints that live while an analysis runs.
typedef struct sp_analysis {
    sp_context *ctx;
    const sp_graph *G;
    sp_symbolic *S;
    int *perm, *place;  // as in sp_symbolic, for the current order
    int *parent;        // elimination tree of the current order
    int *counts;        // rows of each posted column of L, diagonal included
    int *work[6];       // scratch
    // groups: supernodes before renumbering, in posted order
    int groups;
    int *group_first;     // first posted column of a group (groups + 1)
    int *group_of;        // group of a posted column
    int *group_parent;    // after amalgamation: parent of a remaining group
    int *into;            // the group that this one was merged into; itself if it remains
    int *columns, *rows;  // of the front of a group
    double *sums;         // scratch
} sp_analysis;

// ============================================================================================== elimination tree

// The elimination tree, its postorder, and the number of rows in each column of L, all without forming L: the time is nearly
// proportional to the entries of A.

// from i up to the root known so far, redirecting the path to k (Liu 1990, with path compression)
static void tree_climb(int i, int k, int *ancestor, int *parent) {
    while (i >= 0 && i < k) {
        int next = ancestor[i];
        ancestor[i] = k;
        if (next < 0) parent[i] = k;
        i = next;
    }
}

// elimination tree of the current order (Liu 1990)
static void tree_build(sp_analysis *a) {
    const sp_graph *G = a->G;
    int *ancestor = a->work[0];
    for (int k = 0; k < G->n; k++) {
        int row = a->perm[k];
        a->parent[k] = ancestor[k] = -1;
        for (int e = G->start[row]; e < G->start[row + 1]; e++) tree_climb(a->place[G->near[e]], k, ancestor, a->parent);
    }
}

// children before parents: out[k] is the k-th; parent -1: a root. head, next, stack: n ints each
static void forest_postorder(int n, const int *parent, int *head, int *next, int *stack, int *out) {
    int top = 0, count = 0, root = -1;
    for (int i = 0; i < n; i++) head[i] = -1;
    for (int i = n - 1; i >= 0; i--) {  // backwards: lists of children are ascending
        int *list = parent[i] >= 0 ? &head[parent[i]] : &root;
        next[i] = *list;
        *list = i;
    }
    for (int r = root; r >= 0; r = next[r]) {
        stack[top++] = r;
        while (top) {
            int i = stack[top - 1], child = head[i];
            if (child >= 0) {
                head[i] = next[child];
                stack[top++] = child;
            } else {
                out[count++] = i;
                top--;
            }
        }
    }
}

// refines the current order (perm, place and parent) to a postorder
static void tree_postorder(sp_analysis *a) {
    int n = a->G->n, *post = a->work[3], *number = a->work[0], *old = a->work[1];
    forest_postorder(n, a->parent, a->work[0], a->work[1], a->work[2], post);
    for (int k = 0; k < n; k++) number[post[k]] = k;
    memcpy(old, a->parent, sizeof *old * (size_t)n);
    for (int k = 0; k < n; k++) a->parent[k] = old[post[k]] < 0 ? -1 : number[old[post[k]]];
    memcpy(old, a->perm, sizeof *old * (size_t)n);
    for (int k = 0; k < n; k++) a->perm[k] = old[post[k]];
    for (int k = 0; k < n; k++) a->place[a->perm[k]] = k;
}

// the root of the tree that contains i so far, with path compression
static int find_root(int i, int *ancestor) {
    int root = i;
    while (root != ancestor[root]) root = ancestor[root];
    while (i != root) {
        int next = ancestor[i];
        ancestor[i] = root;
        i = next;
    }
    return root;
}

// Column counts of a postordered tree (Gilbert, Ng and Peyton 1994). Row i of L is a subtree whose leaves are columns of A's row
// i. Column j gains a row for each such leaf, and loses one where two paths meet: the sums of these differences over subtrees are
// the counts.
static void tree_counts(sp_analysis *a) {
    const sp_graph *G = a->G;
    int n = G->n, *first = a->work[0], *ancestor = a->work[1], *last_first = a->work[2], *last_leaf = a->work[3],
        *count = a->counts;
    for (int j = 0; j < n; j++) first[j] = ancestor[j] = j, last_first[j] = last_leaf[j] = -1;
    for (int j = 0; j < n; j++) {
        int p = a->parent[j];
        count[j] = first[j] == j;  // a leaf of the tree starts with its diagonal
        if (p >= 0 && first[j] < first[p]) first[p] = first[j];
    }
    for (int j = 0; j < n; j++) {
        int p = a->parent[j], row = a->perm[j];
        if (p >= 0) count[p]--;  // the diagonal of j ends here
        for (int e = G->start[row]; e < G->start[row + 1]; e++) {
            int i = a->place[G->near[e]];
            if (i <= j || first[j] <= last_first[i]) continue;
            count[j]++;
            if (last_leaf[i] >= 0) count[find_root(last_leaf[i], ancestor)]--;
            last_first[i] = first[j];
            last_leaf[i] = j;
        }
        if (p >= 0) ancestor[j] = p;
    }
    for (int j = 0; j < n; j++)
        if (a->parent[j] >= 0) count[a->parent[j]] += count[j];
}

// ==================================================================================================== supernodes

// Supernodes: first runs of columns with the same pattern, then relaxed amalgamation of groups that are cheaper to eliminate
// together although this computes with some explicit zeros (Ashcraft and Grimes 1989). Any child may merge with its parent, not
// only the last one: the order is refined afterwards, so that a supernode is a run of columns again. Neither step changes the
// fill-in of L itself.

// The sum of (m - j)^2 for j = 0 .. k - 1: multiplications and additions to eliminate k columns of a front with m rows, square
// roots and divisions included.
static double front_flops(double m, double k) {
    return k * m * m - m * k * (k - 1) + (k - 1) * k * (2 * k - 1) / 6;
}

// groups of columns with the same pattern
static void super_find(sp_analysis *a) {
    int n = a->G->n, count = 0;
    for (int j = 0; j < n; j++) {
        bool same = j > 0 && a->parent[j - 1] == j && a->counts[j - 1] == a->counts[j] + 1;
        if (!same) {
            a->group_first[count] = j;
            a->rows[count] = a->counts[j];
            a->into[count] = count;
            count++;
        }
        a->group_of[j] = count - 1;
    }
    a->group_first[count] = n;
    a->groups = count;
    for (int g = 0; g < count; g++) {
        int p = a->parent[a->group_first[g + 1] - 1];
        a->columns[g] = a->group_first[g + 1] - a->group_first[g];
        a->group_parent[g] = p < 0 ? -1 : a->group_of[p];
    }
}

// Cost of a front, in multiplications and additions. Each moved entry (assembly, contribution block to the parent) costs `move`,
// and a front itself costs `front`: loops, packing, remainders of small kernels. Both values are in the middle of a broad range
// in which beams and rings of 400 to 8,000 rows take the same time.
static double front_cost(double m, double k) {
    const double move = 12, front = 10000;
    double below = m - k;
    return front_flops(m, k) + move * (m * k + below * below) + front;
}

// Explicit zeros are allowed as long as the merged front costs less than the two separate ones.
static bool cheaper_together(const sp_analysis *a, int child, int p) {
    double b = a->S->block, mc = b * a->rows[child], kc = b * a->columns[child], mp = b * a->rows[p], kp = b * a->columns[p];
    return front_cost(mp + kc, kp + kc) <= front_cost(mc, kc) + front_cost(mp, kp);
}

// sorts groups by the number of rows below them, largest first, so that the most promising children of a parent come first. The
// rows below a group do not change when others merge into it.
static void sort_by_below(const sp_analysis *a, int *start, int *sorted) {
    int n = a->G->n;
    memset(start, 0, sizeof *start * ((size_t)n + 1));
    for (int g = 0; g < a->groups; g++) start[n - 1 - (a->rows[g] - a->columns[g]) + 1]++;
    for (int i = 0; i < n; i++) start[i + 1] += start[i];
    for (int g = 0; g < a->groups; g++) sorted[start[n - 1 - (a->rows[g] - a->columns[g])]++] = g;
}

static void super_join(sp_analysis *a, int child, int p) {
    a->rows[p] += a->columns[child];
    a->columns[p] += a->columns[child];
    a->into[child] = p;
}

// merges groups that are cheaper together
static void super_amalgamate(sp_analysis *a) {
    int *head = a->work[0], *next = a->work[1], *sorted = a->work[2];
    sort_by_below(a, a->work[3], sorted);
    for (int g = 0; g < a->groups; g++) head[g] = -1;
    for (int i = a->groups - 1; i >= 0; i--) {
        int g = sorted[i], p = a->group_parent[g];
        if (p < 0) continue;
        next[g] = head[p];
        head[p] = g;
    }
    // children are numbered before their parents
    for (int p = 0; p < a->groups; p++)
        for (int c = head[p]; c >= 0; c = next[c])
            if (cheaper_together(a, c, p)) super_join(a, c, p);
    // remaining groups and their parents; parents are final before their children
    for (int g = a->groups - 1; g >= 0; g--) {
        if (a->into[g] != g) a->into[g] = a->into[a->into[g]];
        int p = a->group_parent[g];
        a->group_parent[g] = p < 0 ? -1 : a->into[p];
    }
}

// the remaining groups, children before parents: out[s] is the group that becomes supernode s; *count of them
static void order_groups(sp_analysis *a, int *out, int *count) {
    int *stay = a->work[0], *parent = a->work[1], *number = a->work[2], m = 0;
    for (int g = 0; g < a->groups; g++)
        if (a->into[g] == g) number[g] = m, stay[m++] = g;
    for (int s = 0; s < m; s++) parent[s] = a->group_parent[stay[s]] < 0 ? -1 : number[a->group_parent[stay[s]]];
    forest_postorder(m, parent, a->work[2], a->work[3], a->work[4], out);
    for (int s = 0; s < m; s++) out[s] = stay[out[s]];
    *count = m;
}

// first columns, parents and rows of the supernodes
static void number_supernodes(sp_analysis *a, const int *order, int *super_of_group) {
    sp_symbolic *S = a->S;
    for (int s = 0; s < S->count; s++) {
        super_of_group[order[s]] = s;
        S->first[s + 1] = S->first[s] + a->columns[order[s]];
    }
    for (int s = 0; s < S->count; s++) {
        int p = a->group_parent[order[s]];
        S->super_parent[s] = p < 0 ? -1 : super_of_group[p];
        S->subtree[s] = s;
    }
    for (int s = 0; s < S->count; s++) {
        int p = S->super_parent[s];
        if (p >= 0 && S->subtree[s] < S->subtree[p]) S->subtree[p] = S->subtree[s];
    }
}

// columns of a supernode keep the order of the tree: merged groups come before the group they were merged into
static void number_columns(sp_analysis *a, const int *super_of_group, int *number, int *at) {
    sp_symbolic *S = a->S;
    memcpy(at, S->first, sizeof *at * (size_t)S->count);
    for (int j = 0; j < S->n; j++) {
        int s = super_of_group[a->into[a->group_of[j]]], k = at[s]++;
        number[j] = k;
        S->super_of[k] = s;
        S->perm[k] = a->perm[j];
        S->place[a->perm[j]] = k;
    }
    for (int j = 0; j < S->n; j++) S->parent[number[j]] = a->parent[j] < 0 ? -1 : number[a->parent[j]];
}

// the final order, and the supernodes of S
static sp_status super_number(sp_analysis *a) {
    sp_symbolic *S = a->S;
    int *order = a->work[5], *super_of_group = a->work[0];
    order_groups(a, order, &S->count);
    size_t m = (size_t)S->count;
    if (!SP_NEW(a->ctx, S->first, m + 1) || !SP_NEW(a->ctx, S->super_parent, m) || !SP_NEW(a->ctx, S->subtree, m) ||
        !SP_NEW(a->ctx, S->child_start, m + 1) || !SP_NEW(a->ctx, S->row_start, m + 1) ||
        !SP_NEW(a->ctx, S->entry_start, m + 1) || !SP_NEW(a->ctx, S->child, m) || !SP_NEW(a->ctx, S->flops, m) ||
        !SP_NEW(a->ctx, S->top, m))
        return SP_FAIL(a->ctx, SP_NO_MEMORY, "no memory for %d supernodes", S->count);
    number_supernodes(a, order, super_of_group);
    number_columns(a, super_of_group, a->work[1], a->work[2]);
    int64_t total = 0;
    for (int s = 0; s < S->count; s++) {
        total += a->rows[order[s]];
        if (total > INT32_MAX)
            return SP_FAIL(a->ctx, SP_BAD_INPUT, "the fronts of %d rows have more than %d rows in all: too much fill", S->n,
                           INT32_MAX);
        S->row_start[s + 1] = (int)total;
    }
    return SP_OK;
}

// ======================================================================================================== fronts

// The rows of the fronts, their positions in the parent, the positions of the blocks of A, and the costs.

// Row i is in every front on the tree path from its columns in A to its own supernode. A climb that stops at a visited front
// writes each entry once, and fronts are filled in ascending order (the row subtrees of Liu 1990, on supernodes).
static void fill_rows(sp_analysis *a, int *at, int *seen) {
    const sp_graph *G = a->G;
    sp_symbolic *S = a->S;
    for (int s = 0; s < S->count; s++) {
        at[s] = S->row_start[s];
        seen[s] = -1;
        for (int j = S->first[s]; j < S->first[s + 1]; j++) S->row[at[s]++] = j;
    }
    for (int i = 0; i < S->n; i++) {
        int row = S->perm[i], own = S->super_of[i];
        for (int e = G->start[row]; e < G->start[row + 1]; e++) {
            int j = S->place[G->near[e]];
            if (j >= i) continue;
            for (int s = S->super_of[j]; s != own && seen[s] != i; s = S->super_parent[s]) {
                seen[s] = i;
                S->row[at[s]++] = i;
            }
        }
    }
    for (int s = 0; s < S->count; s++) SP_ASSERT(at[s] == S->row_start[s + 1]);
}

static void list_children(sp_symbolic *S, int *at) {
    for (int s = 0; s < S->count; s++)
        if (S->super_parent[s] >= 0) S->child_start[S->super_parent[s] + 1]++;
    for (int s = 0; s < S->count; s++) S->child_start[s + 1] += S->child_start[s];
    memcpy(at, S->child_start, sizeof *at * (size_t)S->count);
    for (int s = 0; s < S->count; s++)
        if (S->super_parent[s] >= 0) S->child[at[S->super_parent[s]]++] = s;
}

// where[row]: its position in the front of s
static void place_rows(const sp_symbolic *S, int s, int *where) {
    for (int k = S->row_start[s]; k < S->row_start[s + 1]; k++) where[S->row[k]] = k - S->row_start[s];
}

static void fill_up(sp_symbolic *S, int *where) {
    for (int s = 0; s < S->count; s++) {
        place_rows(S, s, where);
        for (int c = S->child_start[s]; c < S->child_start[s + 1]; c++) {
            int child = S->child[c], own = sp__front_columns(S, child);
            for (int k = S->row_start[child] + own; k < S->row_start[child + 1]; k++) S->up[k] = where[S->row[k]];
        }
        for (int k = 0; k < sp__front_columns(S, s); k++) S->up[S->row_start[s] + k] = -1;
    }
}

// rows, up, children
static sp_status fronts_build(sp_analysis *a) {
    sp_symbolic *S = a->S;
    if (!SP_NEW(a->ctx, S->row, S->row_start[S->count]) || !SP_NEW(a->ctx, S->up, S->row_start[S->count]))
        return SP_FAIL(a->ctx, SP_NO_MEMORY, "no memory for fronts with %d rows in all", S->row_start[S->count]);
    fill_rows(a, a->work[0], a->work[1]);
    list_children(S, a->work[0]);
    fill_up(S, a->work[0]);
    return SP_OK;
}

// ------------------------------------------------------------------------------------------------ blocks of A

// sorts blocks by the new number of their column: start (n + 1), the new row of each, and the block
static void sort_entries(const sp_symbolic *S, const sp_symmetric *A, int *start, int *at, int *row, int *entry) {
    for (int i = 0; i < S->n; i++)
        for (int k = A->row_start[i]; k < A->row_start[i + 1]; k++) {
            int p = S->place[i], q = S->place[A->row_col[k]];
            start[(p < q ? p : q) + 1]++;
        }
    for (int j = 0; j < S->n; j++) start[j + 1] += start[j];
    memcpy(at, start, sizeof *at * (size_t)S->n);
    for (int i = 0; i < S->n; i++)
        for (int k = A->row_start[i]; k < A->row_start[i + 1]; k++) {
            int p = S->place[i], q = S->place[A->row_col[k]], e = at[p < q ? p : q]++;
            entry[e] = k;
            // stored block (i, j); if j comes later in the new order, its transpose is in the lower triangle
            row[e] = p < q ? q | SP_ENTRY_TRANSPOSED : p;
        }
}

// positions of the blocks of A in the fronts
static sp_status fronts_entries(sp_analysis *a, const sp_symmetric *A) {
    sp_symbolic *S = a->S;
    size_t count = (size_t)A->row_start[A->n];
    int *start = a->work[0], *where = a->work[1];
    if (!SP_NEW(a->ctx, S->entry, count) || !SP_NEW(a->ctx, S->entry_at, count) || !SP_NEW(a->ctx, S->entry_col, count))
        return SP_FAIL(a->ctx, SP_NO_MEMORY, "no memory for the places of %zu blocks", count);
    memset(start, 0, sizeof *start * ((size_t)S->n + 1));
    sort_entries(S, A, start, a->work[1], S->entry_at, S->entry);
    for (int s = 0; s < S->count; s++) {
        place_rows(S, s, where);
        S->entry_start[s + 1] = start[S->first[s + 1]];
        for (int j = S->first[s]; j < S->first[s + 1]; j++)
            for (int e = start[j]; e < start[j + 1]; e++) {
                S->entry_col[e] = (j - S->first[s]) | (S->entry_at[e] & SP_ENTRY_TRANSPOSED);
                S->entry_at[e] = where[S->entry_at[e] & ~SP_ENTRY_TRANSPOSED];
            }
    }
    return SP_OK;
}

// ------------------------------------------------------------------------------------------------ costs and tasks

static void measure_front(sp_symbolic *S, int s) {
    int64_t m = (int64_t)S->block * sp__front_rows(S, s), k = (int64_t)S->block * sp__front_columns(S, s);
    S->flops[s] = front_flops((double)m, (double)k);
    S->flops_total += S->flops[s];
    S->entries += k * m - k * (k - 1) / 2;
    S->below_total += (m - k) * (m - k);
    if (m > S->front_most) S->front_most = (int)m;
    if (k > S->column_most) S->column_most = (int)k;
}

// Subtrees with at most this share of all flops are tasks: small enough that a few workers finish together, and independent of
// the number of workers.
static const double task_share = 1.0 / 16;

static sp_status make_tasks(sp_analysis *a, double *below) {
    sp_symbolic *S = a->S;
    double most = task_share * S->flops_total;
    for (int s = 0; s < S->count; s++) below[s] = S->flops[s];
    for (int s = 0; s < S->count; s++)
        if (S->super_parent[s] >= 0) below[S->super_parent[s]] += below[s];
    for (int pass = 0; pass < 2; pass++) {
        S->task_count = S->top_count = 0;
        for (int s = 0; s < S->count; s++) {
            int p = S->super_parent[s];
            if (below[s] > most) {
                S->top[S->top_count++] = s;
            } else if (p < 0 || below[p] > most) {
                if (pass) S->task_first[S->task_count] = S->subtree[s], S->task_last[S->task_count] = s;
                S->task_count++;
            }
        }
        if (pass == 0 && (!SP_NEW(a->ctx, S->task_first, S->task_count) || !SP_NEW(a->ctx, S->task_last, S->task_count)))
            return SP_FAIL(a->ctx, SP_NO_MEMORY, "no memory for %d tasks", S->task_count);
    }
    return SP_OK;
}

// flops, sizes, tasks
static sp_status fronts_measure(sp_analysis *a) {
    sp_symbolic *S = a->S;
    int64_t b = S->block;
    for (int s = 0; s < S->count; s++) measure_front(S, s);
    for (int j = 0; j < S->n; j++) S->entries_exact += b * b * (a->counts[j] - 1) + b * (b + 1) / 2;
    return make_tasks(a, a->sums);
}

// ================================================================================================== the analysis

enum { WORK = sizeof((sp_analysis *)0)->work / sizeof *((sp_analysis *)0)->work };

static sp_symbolic *symbolic_new(sp_context *ctx, const sp_symmetric *A) {
    sp_symbolic *S = sp__alloc(ctx, 1, sizeof *S);
    if (!S) return NULL;
    S->ctx = ctx;
    S->n = A->n, S->block = A->block;
    atomic_init(&S->users, 1);
    size_t n = (size_t)A->n;
    if (!SP_NEW(ctx, S->perm, n) || !SP_NEW(ctx, S->place, n) || !SP_NEW(ctx, S->parent, n) || !SP_NEW(ctx, S->super_of, n))
        sp__symbolic_release(&S);
    return S;
}

static bool analysis_begin(sp_analysis *a) {
    size_t n = (size_t)a->S->n + 1;
    for (int i = 0; i < WORK; i++)
        if (!SP_NEW(a->ctx, a->work[i], n)) return false;
    return SP_NEW(a->ctx, a->perm, n) && SP_NEW(a->ctx, a->place, n) && SP_NEW(a->ctx, a->parent, n) &&
           SP_NEW(a->ctx, a->counts, n) && SP_NEW(a->ctx, a->group_first, n) && SP_NEW(a->ctx, a->group_of, n) &&
           SP_NEW(a->ctx, a->group_parent, n) && SP_NEW(a->ctx, a->into, n) && SP_NEW(a->ctx, a->columns, n) &&
           SP_NEW(a->ctx, a->rows, n) && SP_NEW(a->ctx, a->sums, n);
}

static void analysis_end(sp_analysis *a) {
    void *arrays[] = {a->perm,         a->place, a->parent,  a->counts, a->group_first, a->group_of,
                      a->group_parent, a->into,  a->columns, a->rows,   a->sums};
    for (int i = 0; i < WORK; i++) sp__free(a->ctx, a->work[i]);
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) sp__free(a->ctx, arrays[i]);
}

// computes place from perm; refuses perm if it is not a permutation
static sp_status symbolic_invert(sp_analysis *a) {
    int n = a->S->n;
    for (int i = 0; i < n; i++) a->place[i] = -1;
    for (int k = 0; k < n; k++) {
        int row = a->perm[k];
        if (row < 0 || row >= n || a->place[row] >= 0)
            return SP_FAIL(a->ctx, SP_BAD_INPUT, "an order of %d rows has row %d in place %d: out of range or twice", n, row, k);
        a->place[row] = k;
    }
    return SP_OK;
}

// from the order in a->perm to the rows of each column of L, in postorder
static sp_status count_rows(sp_analysis *a) {
    SP_TRY(symbolic_invert(a));
    tree_build(a);
    tree_postorder(a);
    tree_counts(a);
    return SP_OK;
}

// flops of the last counted order, up to a factor
static double counted_flops(const sp_analysis *a) {
    double sum = 0;
    for (int j = 0; j < a->S->n; j++) sum += (double)a->counts[j] * a->counts[j];
    return sum;
}

// Also tries the geometric ordering if `auto` chose another one: which one is better depends on the shape of the body, and
// counting costs a small part of the ordering.
static sp_status order_best(sp_analysis *a, sp_ordering first, const double *points) {
    size_t bytes = sizeof *a->perm * (size_t)a->S->n;
    SP_TRY(sp__order_graph(a->ctx, first, a->G, points, a->perm));
    SP_TRY(count_rows(a));
    double flops = counted_flops(a);
    memcpy(a->S->perm, a->perm, bytes);
    SP_TRY(sp__order_graph(a->ctx, SP_ORDER_GEOMETRIC, a->G, points, a->perm));
    SP_TRY(count_rows(a));
    a->S->ordering = SP_ORDER_GEOMETRIC;
    if (counted_flops(a) < flops) return SP_OK;
    a->S->ordering = first;
    memcpy(a->perm, a->S->perm, bytes);
    return SP_OK;
}

static sp_status symbolic_order(sp_analysis *a, sp_ordering ordering, const sp_symmetric *A, const double *points) {
    bool automatic = ordering == SP_ORDER_AUTO;
    if (automatic) ordering = sp__order_auto(A, points);
    if (automatic && points && ordering != SP_ORDER_GEOMETRIC) return order_best(a, ordering, points);
    a->S->ordering = ordering;
    return sp__order_graph(a->ctx, ordering, a->G, points, a->perm);
}

static sp_status symbolic_analyse(sp_analysis *a, const sp_symmetric *A) {
    SP_TRY(count_rows(a));
    super_find(a);
    super_amalgamate(a);
    SP_TRY(super_number(a));
    SP_TRY(fronts_build(a));
    SP_TRY(fronts_entries(a, A));
    return fronts_measure(a);
}

// Worlds of a batch share the arrays; the struct counts the factors of one world.
static void share_arrays(sp_symbolic *S) {
    sp_context *ctx = S->ctx;
    SP_SHARE(ctx, S->perm), SP_SHARE(ctx, S->place), SP_SHARE(ctx, S->parent), SP_SHARE(ctx, S->first);
    SP_SHARE(ctx, S->super_of), SP_SHARE(ctx, S->super_parent), SP_SHARE(ctx, S->subtree), SP_SHARE(ctx, S->child_start);
    SP_SHARE(ctx, S->child), SP_SHARE(ctx, S->row_start), SP_SHARE(ctx, S->row), SP_SHARE(ctx, S->up);
    SP_SHARE(ctx, S->entry_start), SP_SHARE(ctx, S->entry), SP_SHARE(ctx, S->entry_at), SP_SHARE(ctx, S->entry_col);
    SP_SHARE(ctx, S->task_first), SP_SHARE(ctx, S->task_last), SP_SHARE(ctx, S->top), SP_SHARE(ctx, S->flops);
}

sp_status sp__symbolic_create(sp_context *ctx, sp_ordering ordering, const sp_symmetric *A, const double *points,
                              sp_symbolic **out) {
    double begun = sp__now_ms();
    sp_graph G = {0};
    sp_analysis a = {.ctx = ctx, .G = &G};
    *out = NULL;
    if (A->n > INT_MAX / SP_BLOCK_MAX || A->n >= SP_ENTRY_TRANSPOSED)
        return SP_FAIL(ctx, SP_BAD_INPUT, "%d block rows, at most %d can be analysed", A->n, INT_MAX / SP_BLOCK_MAX);
    sp_status status = sp__graph_create(ctx, A, &G);
    if (status < 0) goto done;
    a.S = symbolic_new(ctx, A);
    if (!a.S || !analysis_begin(&a)) {
        status = SP_FAIL(ctx, SP_NO_MEMORY, "no memory to analyse %d block rows", A->n);
        goto done;
    }
    a.S->ordering = ordering;
    status = symbolic_order(&a, ordering, A, points);
    if (status >= 0) status = symbolic_analyse(&a, A);
    if (status < 0) goto done;
    a.S->analyse_ms = sp__now_ms() - begun;
    share_arrays(a.S);
    *out = a.S;
    a.S = NULL;
done:
    sp__symbolic_release(&a.S);
    analysis_end(&a);
    sp__graph_free(ctx, &G);
    return status;
}

sp_symbolic *sp__symbolic_share(sp_symbolic *S) {
    atomic_fetch_add_explicit(&S->users, 1, memory_order_relaxed);
    return S;
}

void sp__symbolic_release(sp_symbolic **symbolic) {
    sp_symbolic *S = *symbolic;
    *symbolic = NULL;
    if (!S || atomic_fetch_sub_explicit(&S->users, 1, memory_order_acq_rel) != 1) return;
    void *arrays[] = {S->perm,        S->place,     S->parent,    S->first, S->super_of,    S->super_parent, S->subtree,
                      S->child_start, S->child,     S->row,       S->up,    S->entry_start, S->entry,        S->entry_at,
                      S->entry_col,   S->row_start, S->task_last, S->top,   S->flops,       S->task_first};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) sp__free(S->ctx, arrays[i]);
    sp__free(S->ctx, S);
}

size_t sp__symbolic_bytes(const sp_symbolic *S) {
    size_t n = (size_t)S->n, m = (size_t)S->count, rows = (size_t)S->row_start[m], entries = (size_t)S->entry_start[m];
    size_t ints = 4 * n + 4 * (m + 1) + 4 * m + 2 * rows + 3 * entries + 2 * (size_t)S->task_count;
    return sizeof *S + ints * sizeof(int) + m * sizeof(double);
}
