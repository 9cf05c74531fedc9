// Left-looking Cholesky, one column at a time, as in Pincon 2020 after Davis 2006:
//
//   symbolic   row k of L is what the climbs up the elimination tree from the nonzeros of A's row k meet; columns are its mirror
//   numeric    L(k:n, k) = A(k:n, k) - sum over j in row k of L(k:n, j) L(k, j); then the root of the pivot, and the rest over it
#include "sparse/scalar.h"

#include <limits.h>

// place[i]: new number of an old unknown; from the order of block rows
static sp_status number_unknowns(sp_scalar_factor *F, const sp_symmetric *A, const int *perm, int *place) {
    for (int i = 0; i < F->n; i++) place[i] = -1;
    for (int k = 0; k < A->n; k++) {
        int row = perm ? perm[k] : k;
        if (row < 0 || row >= A->n || place[row * A->block] >= 0)
            return SP_FAIL(F->ctx, SP_BAD_INPUT, "an order of %d rows has row %d in place %d: out of range or twice", A->n, row,
                           k);
        for (int r = 0; r < A->block; r++) {
            F->perm[k * A->block + r] = row * A->block + r;
            place[row * A->block + r] = k * A->block + r;
        }
    }
    return SP_OK;
}

// Row k of L without its diagonal, into out; returns the number of entries. mark[i] == k: already visited.
static int row_pattern(sp_scalar_factor *F, const sp_csr *A, const int *place, int k, int *mark, int *out) {
    int count = 0, row = F->perm[k];
    mark[k] = k;
    for (int64_t e = A->start[row]; e < A->start[row + 1]; e++)
        for (int i = place[A->col[e]]; i < k && mark[i] != k; i = F->parent[i]) {
            mark[i] = k;
            out[count++] = i;
            if (F->parent[i] < 0) F->parent[i] = k;  // a root so far
        }
    return count;
}

// first pass over all rows: the elimination tree, and the lengths of rows and columns
static void count_patterns(sp_scalar_factor *F, const sp_csr *A, const int *place, int *mark, int *out) {
    for (int k = 0; k < F->n; k++) F->parent[k] = mark[k] = -1;
    for (int k = 0; k < F->n; k++) {
        int count = row_pattern(F, A, place, k, mark, out);
        F->row_start[k + 1] = F->row_start[k] + count;
        F->col_start[k + 1]++;  // the diagonal
        for (int i = 0; i < count; i++) F->col_start[out[i] + 1]++;
    }
    for (int k = 0; k < F->n; k++) F->col_start[k + 1] += F->col_start[k];
}

// second pass: writes the patterns; rows are ascending, so columns are too. `at`: position of the next row of a column
static void fill_patterns(sp_scalar_factor *F, const sp_csr *A, const int *place, int *mark, int64_t *at) {
    for (int k = 0; k < F->n; k++) mark[k] = -1, at[k] = F->col_start[k];
    for (int k = 0; k < F->n; k++) {
        int *row = F->col_index + F->row_start[k], count = row_pattern(F, A, place, k, mark, row);
        sp__sort_ints(row, count);
        F->row_index[at[k]++] = k;
        for (int i = 0; i < count; i++) F->row_index[at[row[i]]++] = k;
    }
}

static sp_status scalar_analyse(sp_scalar_factor *F, const sp_symmetric *A, const int *perm, const sp_csr *csr, int *place,
                                int *mark, int64_t *at) {
    size_t n = (size_t)F->n;
    if (!SP_NEW(F->ctx, F->perm, n) || !SP_NEW(F->ctx, F->parent, n) || !SP_NEW(F->ctx, F->col_start, n + 1) ||
        !SP_NEW(F->ctx, F->row_start, n + 1))
        return SP_FAIL(F->ctx, SP_NO_MEMORY, "no memory for the tree of %d unknowns", F->n);
    SP_TRY(number_unknowns(F, A, perm, place));
    int *row = mark + n;
    count_patterns(F, csr, place, mark, row);
    if (!SP_NEW(F->ctx, F->col_index, F->row_start[n]) || !SP_NEW(F->ctx, F->row_index, F->col_start[n]) ||
        !SP_NEW(F->ctx, F->val, F->col_start[n]))
        return SP_FAIL(F->ctx, SP_NO_MEMORY, "no memory for a factor of %lld entries", (long long)F->col_start[n]);
    fill_patterns(F, csr, place, mark, at);
    return SP_OK;
}

sp_status sp__scalar_analyse(sp_context *ctx, const sp_symmetric *A, const int *perm, sp_scalar_factor *out) {
    *out = (sp_scalar_factor){.ctx = ctx};
    if (A->n > INT_MAX / A->block)
        return SP_FAIL(ctx, SP_BAD_INPUT, "%d block rows, at most %d are allowed", A->n, INT_MAX / A->block);
    out->n = A->n * A->block;
    size_t n = (size_t)out->n;
    sp_csr csr = {0};
    int *place = NULL, *mark = NULL;
    int64_t *at = NULL;
    sp_status status = sp__symmetric_csr(ctx, A, &csr);
    if (status < 0) goto done;
    if (!SP_NEW(ctx, place, n) || !SP_NEW(ctx, mark, 2 * n) || !SP_NEW(ctx, at, n))
        status = SP_FAIL(ctx, SP_NO_MEMORY, "no memory to analyse %d unknowns", out->n);
    else
        status = scalar_analyse(out, A, perm, &csr, place, mark, at);
done:
    if (status < 0) sp__scalar_free(out);
    sp__free(ctx, place);
    sp__free(ctx, mark);
    sp__free(ctx, at);
    sp__csr_free(ctx, &csr);
    return status;
}

void sp__scalar_free(sp_scalar_factor *F) {
    if (!F->ctx) return;
    void *arrays[] = {F->perm, F->parent, F->col_start, F->row_index, F->row_start, F->col_index, F->val};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) sp__free(F->ctx, arrays[i]);
    *F = (sp_scalar_factor){0};
}

// ------------------------------------------------------------------------------------------------ numeric factorisation

// working data of the numeric factorisation
typedef struct numeric {
    sp_csr A;
    int *place;  // new number of an old unknown
    double *x;   // column k as a dense vector; zero elsewhere
} numeric;

// position of L(i, j) in column j; rows are ascending
static int64_t find_in_column(const sp_scalar_factor *F, int j, int i) {
    int64_t low = F->col_start[j], high = F->col_start[j + 1] - 1;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (F->row_index[middle] < i)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

// false: the pivot is not positive; the column is unchanged
static bool make_column(sp_scalar_factor *F, const numeric *w, int k) {
    int row = F->perm[k];
    int64_t begin = F->col_start[k], end = F->col_start[k + 1];
    for (int64_t e = begin; e < end; e++) w->x[F->row_index[e]] = 0;
    for (int64_t e = w->A.start[row]; e < w->A.start[row + 1]; e++)
        if (w->place[w->A.col[e]] >= k) w->x[w->place[w->A.col[e]]] = w->A.val[e];
    for (int64_t r = F->row_start[k]; r < F->row_start[k + 1]; r++) {
        int j = F->col_index[r];
        int64_t e = find_in_column(F, j, k);
        double Lkj = F->val[e];
        for (; e < F->col_start[j + 1]; e++) w->x[F->row_index[e]] -= F->val[e] * Lkj;
    }
    double pivot = w->x[k];
    if (!(pivot > 0 && pivot < INFINITY)) return false;
    F->val[begin] = sqrt(pivot);
    for (int64_t e = begin + 1; e < end; e++) F->val[e] = w->x[F->row_index[e]] / F->val[begin];
    return true;
}

static sp_status numeric_begin(const sp_scalar_factor *F, const sp_symmetric *A, numeric *w) {
    size_t n = (size_t)F->n;
    *w = (numeric){0};
    SP_TRY(sp__symmetric_csr(F->ctx, A, &w->A));
    if (!SP_NEW(F->ctx, w->place, n) || !SP_NEW(F->ctx, w->x, n))
        return SP_FAIL(F->ctx, SP_NO_MEMORY, "no memory to factor %d unknowns", F->n);
    for (int k = 0; k < F->n; k++) w->place[F->perm[k]] = k;
    return SP_OK;
}

static void numeric_end(const sp_scalar_factor *F, numeric *w) {
    sp__csr_free(F->ctx, &w->A);
    sp__free(F->ctx, w->place);
    sp__free(F->ctx, w->x);
}

static sp_status make_columns(sp_scalar_factor *F, const numeric *w, int *column) {
    *column = -1;
    for (int k = 0; k < F->n; k++) {
        if (make_column(F, w, k)) continue;
        *column = k;
        return SP_NOT_SPD;
    }
    return SP_OK;
}

sp_status sp__scalar_factor(sp_scalar_factor *F, const sp_symmetric *A, int *column) {
    numeric w;
    *column = -1;
    sp_status status = numeric_begin(F, A, &w);
    if (status >= 0) status = make_columns(F, &w, column);
    numeric_end(F, &w);
    return status;
}
