// The elimination tree, its postorder, and the number of rows in each column of L, all without L: time nearly proportional to the
// entries of A.
#include "sparse/symbolic_internal.h"

// from i up to the root that is known so far, everything on the way pointing to k (Liu 1990, with compressed paths)
static void climb(int i, int k, int *ancestor, int *parent) {
    while (i >= 0 && i < k) {
        int next = ancestor[i];
        ancestor[i] = k;
        if (next < 0) parent[i] = k;
        i = next;
    }
}

void sp__tree_build(sp_analysis *a) {
    const sp_graph *G = a->G;
    int *ancestor = a->work[0];
    for (int k = 0; k < G->n; k++) {
        int row = a->perm[k];
        a->parent[k] = ancestor[k] = -1;
        for (int e = G->start[row]; e < G->start[row + 1]; e++) climb(a->place[G->near[e]], k, ancestor, a->parent);
    }
}

void sp__postorder(int n, const int *parent, int *head, int *next, int *stack, int *out) {
    int top = 0, count = 0, root = -1;
    for (int i = 0; i < n; i++) head[i] = -1;
    for (int i = n - 1; i >= 0; i--) {  // backwards: lists of children rise
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

void sp__tree_postorder(sp_analysis *a) {
    int n = a->G->n, *post = a->work[3], *number = a->work[0], *old = a->work[1];
    sp__postorder(n, a->parent, a->work[0], a->work[1], a->work[2], post);
    for (int k = 0; k < n; k++) number[post[k]] = k;
    memcpy(old, a->parent, sizeof *old * (size_t)n);
    for (int k = 0; k < n; k++) a->parent[k] = old[post[k]] < 0 ? -1 : number[old[post[k]]];
    memcpy(old, a->perm, sizeof *old * (size_t)n);
    for (int k = 0; k < n; k++) a->perm[k] = old[post[k]];
    for (int k = 0; k < n; k++) a->place[a->perm[k]] = k;
}

// the root of the tree that i stands in so far; paths are compressed
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

// Row i of L is a subtree whose leaves are columns of A's row i. Column j gains a row for each such leaf, and loses one where two
// paths meet: sums over subtrees of these differences are the counts.
void sp__tree_counts(sp_analysis *a) {
    const sp_graph *G = a->G;
    int n = G->n, *first = a->work[0], *ancestor = a->work[1], *last_first = a->work[2], *last_leaf = a->work[3],
        *count = a->counts;
    for (int j = 0; j < n; j++) first[j] = ancestor[j] = j, last_first[j] = last_leaf[j] = -1;
    for (int j = 0; j < n; j++) {
        int p = a->parent[j];
        count[j] = first[j] == j;  // a leaf of the tree begins with its diagonal
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
