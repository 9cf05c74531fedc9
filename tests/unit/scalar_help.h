// What tests do with the scalar reference factor: the columns that a change affects, and a solve.
#ifndef SP_SCALAR_HELP_H
#define SP_SCALAR_HELP_H

#include "sparse/scalar.h"
#include "sparse_help.h"

// the number of changed columns and their ancestors in the elimination tree
static inline int help_closure(const sp_scalar_factor *F, int count, const int *changed) {
    unsigned char *seen = calloc((size_t)F->n, 1);
    int touched = 0;
    for (int i = 0; i < count; i++)
        for (int k = changed[i]; k >= 0 && !seen[k]; k = F->parent[k]) seen[k] = 1, touched++;
    free(seen);
    return touched;
}

// x = A^-1 b; the unknowns stay in their old positions
static inline void help_scalar_solve(const sp_scalar_factor *F, const double *b, double *x) {
    const int *p = F->perm;
    memcpy(x, b, sizeof *x * (size_t)F->n);
    for (int k = 0; k < F->n; k++) {
        double xk = x[p[k]] /= F->val[F->col_start[k]];
        for (int64_t e = F->col_start[k] + 1; e < F->col_start[k + 1]; e++) x[p[F->row_index[e]]] -= F->val[e] * xk;
    }
    for (int k = F->n - 1; k >= 0; k--) {
        double sum = x[p[k]];
        for (int64_t e = F->col_start[k] + 1; e < F->col_start[k + 1]; e++) sum -= F->val[e] * x[p[F->row_index[e]]];
        x[p[k]] = sum / F->val[F->col_start[k]];
    }
}

#endif
