// Sorting of rows of node numbers, to find equal elements, faces and edges; and disjoint sets.
#ifndef SP_ROWS_H
#define SP_ROWS_H

#include "core/core.h"

// Sorts n rows of `width` keys in [0, limit) and one payload number by the keys from the first to the last. Stable. Linear time
// for any keys.
sp_status sp__rows_sort(sp_context *ctx, int *rows, int n, int width, int limit);

static inline bool sp__rows_equal(const int *a, const int *b, int width) {
    for (int k = 0; k < width; k++)
        if (a[k] != b[k]) return false;
    return true;
}

// sorts `width` (3 or 4) numbers
static inline void sp__row_increase(int *row, int width) {
    for (int i = 1; i < width; i++)
        for (int j = i; j > 0 && row[j - 1] > row[j]; j--) {
            int swap = row[j];
            row[j] = row[j - 1], row[j - 1] = swap;
        }
}

// Disjoint sets (union-find): a forest in an array; a root is its own parent and the lowest member of its set.
static inline int sp__set_root(int *parent, int i) {
    while (parent[i] != i) i = parent[i] = parent[parent[i]];
    return i;
}

static inline void sp__set_join(int *parent, int a, int b) {
    a = sp__set_root(parent, a), b = sp__set_root(parent, b);
    if (a < b)
        parent[b] = a;
    else
        parent[a] = b;
}

#endif
