// Supernodes: first runs of columns with one pattern, then groups that are cheaper to eliminate together although some zeros are
// computed with (Ashcraft and Grimes 1989). Any child may join its parent, not only the last one: the order is refined afterwards
// so that a supernode is a run of columns again. Both steps leave the fill of L itself as it is.
#include "sparse/symbolic_internal.h"

double sp__front_flops(double m, double k) {
    // sum of (m - j)^2 for j = 0 .. k - 1
    return k * m * m - m * k * (k - 1) + (k - 1) * k * (2 * k - 1) / 6;
}

void sp__super_find(sp_analysis *a) {
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

// What a front costs, in multiplications and additions of its elimination. Entries are moved (assembly, the way of a contribution
// block to the parent) at the price of `move` each, and a front as such costs `front`: loops, packing, tails of small kernels.
// Both are the middle of a broad range in which beams and rings of 400 to 8,000 rows take the same time.
static double front_cost(double m, double k) {
    const double move = 12, front = 10000;
    double below = m - k;
    return sp__front_flops(m, k) + move * (m * k + below * below) + front;
}

// Zeros are allowed as long as the front together costs less than the two apart.
static bool cheaper_together(const sp_analysis *a, int child, int p) {
    double b = a->S->block, mc = b * a->rows[child], kc = b * a->columns[child], mp = b * a->rows[p], kp = b * a->columns[p];
    return front_cost(mp + kc, kp + kc) <= front_cost(mc, kc) + front_cost(mp, kp);
}

// groups by rows below them, most first: the parent's list is then in the order of promise. What stands below a group does not
// change when others join it.
static void sort_by_below(const sp_analysis *a, int *start, int *sorted) {
    int n = a->G->n;
    memset(start, 0, sizeof *start * ((size_t)n + 1));
    for (int g = 0; g < a->groups; g++) start[n - 1 - (a->rows[g] - a->columns[g]) + 1]++;
    for (int i = 0; i < n; i++) start[i + 1] += start[i];
    for (int g = 0; g < a->groups; g++) sorted[start[n - 1 - (a->rows[g] - a->columns[g])]++] = g;
}

static void join(sp_analysis *a, int child, int p) {
    a->rows[p] += a->columns[child];
    a->columns[p] += a->columns[child];
    a->into[child] = p;
}

void sp__super_amalgamate(sp_analysis *a) {
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
            if (cheaper_together(a, c, p)) join(a, c, p);
    // who stays, and under whom; parents are settled before their children
    for (int g = a->groups - 1; g >= 0; g--) {
        if (a->into[g] != g) a->into[g] = a->into[a->into[g]];
        int p = a->group_parent[g];
        a->group_parent[g] = p < 0 ? -1 : a->into[p];
    }
}

// the groups that stay, children before parents: out[s] is the group that becomes supernode s; *count of them
static void order_groups(sp_analysis *a, int *out, int *count) {
    int *stay = a->work[0], *parent = a->work[1], *number = a->work[2], m = 0;
    for (int g = 0; g < a->groups; g++)
        if (a->into[g] == g) number[g] = m, stay[m++] = g;
    for (int s = 0; s < m; s++) parent[s] = a->group_parent[stay[s]] < 0 ? -1 : number[a->group_parent[stay[s]]];
    sp__postorder(m, parent, a->work[2], a->work[3], a->work[4], out);
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

// columns of a supernode keep the order of the tree: groups that joined come before the one they joined
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

sp_status sp__super_number(sp_analysis *a) {
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
