// Low-rank update of a factor: A +- W W^T in place, without A. A column of W whose first nonzero is in supernode s changes the
// panels on the path from s to the root (Davis and Hager, Modifying a sparse Cholesky factorization, 1999). Here the path is
// followed by supernodes: the rows of W in a front are stored together, the dense kernel rank_update (dense_loops.h) transforms
// panel and rows, and the rest of W below the panel moves to the rows of the parent. Columns of W on different branches join
// where their paths meet.
//
// Up to SP_DENSE_RANK columns are processed together, sorted by their first supernode. Subtrees are contiguous ranges of
// supernodes, so that the columns present in one front are adjacent.
//
// The pattern must contain the update (no new fill-in): all rows of a column of W are in the front where it starts. This holds if
// they belong to nodes of one element, or whenever W W^T has no entry outside the pattern of A.
#include <limits.h>

#include "sparse/factor_internal.h"

// Columns of W on their path to the root; the numbers are double or float like the factor's.
typedef struct sp_rank_update {
    sp_factor *F;
    double sign;
    int count;
    int column[SP_DENSE_RANK];  // of W
    int at[SP_DENSE_RANK];      // current supernode; INT_MAX: past the root
    char *rows, *scratch;       // rows of the front for each column, S->front_most apart; one extra column
    union {
        double d[SP_DENSE_RANK];
        float f[SP_DENSE_RANK];
    } alpha;
    sp_factor_info *info;
} sp_rank_update;

// W as given by the caller.
typedef struct sp_rank_given {
    int row_count, rank;
    const int *rows;
    const double *W;
} sp_rank_given;

static char *column_rows(const sp_rank_update *w, int c) {
    return w->rows + (size_t)c * (size_t)w->F->S->front_most * w->F->size;
}

static bool row_is_zero(const sp_rank_given *g, int block, int i, int c) {
    for (int r = 0; r < block; r++)
        if (g->W[((size_t)i * (size_t)block + (size_t)r) * (size_t)g->rank + (size_t)c] != 0) return false;
    return true;
}

// Position of a row (new number) in the front of s; -1: not in the front.
static int place_in_front(const sp_symbolic *S, int s, int row) {
    int low = S->row_start[s], high = S->row_start[s + 1] - 1;
    while (low <= high) {
        int middle = low + (high - low) / 2;
        if (S->row[middle] == row) return middle - S->row_start[s];
        if (S->row[middle] < row)
            low = middle + 1;
        else
            high = middle - 1;
    }
    return -1;
}

// The supernode in which column c starts; INT_MAX: all its entries are zero.
static int first_front(const sp_symbolic *S, const sp_rank_given *g, int c) {
    int first = INT_MAX;
    for (int i = 0; i < g->row_count; i++) {
        int s = S->super_of[S->place[g->rows[i]]];
        if (s < first && !row_is_zero(g, S->block, i, c)) first = s;
    }
    return first;
}

// ------------------------------------------------------------------------------------------------ checks of the input

static sp_status check_column(const sp_factor *F, const sp_rank_given *g, int c) {
    int s = first_front(F->S, g, c);
    for (int i = 0; i < g->row_count && s != INT_MAX; i++)
        if (!row_is_zero(g, F->S->block, i, c) && place_in_front(F->S, s, F->S->place[g->rows[i]]) < 0)
            return SP_FAIL(F->ctx, SP_BAD_INPUT,
                           "column %d of W couples row %d to others that it has no entry with in the factor", c, g->rows[i]);
    return SP_OK;
}

static sp_status update_check(const sp_factor *F, double sign, const sp_rank_given *g) {
    if (!F->good) return SP_FAIL(F->ctx, SP_BAD_INPUT, "there is no factor to update");
    if (sign != 1 && sign != -1) return SP_FAIL(F->ctx, SP_BAD_INPUT, "sign = %g, must be 1 or -1", sign);
    if (g->row_count < 0 || g->rank < 0)
        return SP_FAIL(F->ctx, SP_BAD_INPUT, "%d rows and rank %d, must not be negative", g->row_count, g->rank);
    for (int i = 0; i < g->row_count; i++)
        if (g->rows[i] < 0 || g->rows[i] >= F->S->n)
            return SP_FAIL(F->ctx, SP_BAD_INPUT, "row %d of W, must be in [0, %d)", g->rows[i], F->S->n);
    for (size_t k = 0; k < (size_t)g->row_count * (size_t)F->S->block * (size_t)g->rank; k++)
        if (!isfinite(g->W[k]))
            return SP_FAIL(F->ctx, SP_NOT_FINITE, "W has %g in column %d", g->W[k], (int)(k % (size_t)g->rank));
    for (int c = 0; c < g->rank; c++) SP_TRY(check_column(F, g, c));
    return SP_OK;
}

static sp_status reserve_ranks(sp_factor *F) {
    if (!F->ranks) F->ranks = sp__alloc(F->ctx, (size_t)F->S->front_most * (SP_DENSE_RANK + 1), F->size);
    if (F->ranks) return SP_OK;
    return SP_FAIL(F->ctx, SP_NO_MEMORY, "no memory for %d columns of %d rows", SP_DENSE_RANK + 1, F->S->front_most);
}

// ------------------------------------------------------------------------------------------------ path to the root

// Sorts columns [first, first + count) of W by the start of their paths, and writes their rows in the fronts there.
static void update_begin(sp_rank_update *w, const sp_rank_given *g, int first, int count) {
    const sp_symbolic *S = w->F->S;
    w->count = 0;
    for (int c = first; c < first + count; c++) {
        int s = first_front(S, g, c), k = w->count;
        if (s == INT_MAX) continue;
        for (; k > 0 && w->at[k - 1] > s; k--) w->at[k] = w->at[k - 1], w->column[k] = w->column[k - 1];
        w->at[k] = s, w->column[k] = c;
        w->count++;
    }
    for (int k = 0; k < w->count; k++) {
        char *to = column_rows(w, k);
        memset(to, 0, (size_t)sp__panel_rows(w->F, w->at[k]) * w->F->size);
        for (int i = 0; i < g->row_count; i++) {
            if (row_is_zero(g, S->block, i, w->column[k])) continue;
            int row = place_in_front(S, w->at[k], S->place[g->rows[i]]) * S->block;
            for (int r = 0; r < S->block; r++) {
                size_t from = ((size_t)i * (size_t)S->block + (size_t)r) * (size_t)g->rank + (size_t)w->column[k];
                w->F->loops->put(to, (size_t)(row + r), w->F->loops->get(to, (size_t)(row + r)) + g->W[from]);
            }
        }
        if (w->F->def.single)
            w->alpha.f[k] = 1;
        else
            w->alpha.d[k] = 1;
    }
}

// The first own column of s in which any of columns [c0, c1) is not zero.
static int first_column(const sp_rank_update *w, int s, int c0, int c1) {
    int own = sp__panel_columns(w->F, s);
    for (int j = 0; j < own; j++)
        for (int c = c0; c < c1; c++)
            if (w->F->loops->get(column_rows(w, c), (size_t)j) != 0) return j;
    return own;
}

// Copies the valid numbers of s to the spare copy, if there is one.
static void copy_to_spare(sp_rank_update *w, int s) {
    sp_factor *F = w->F;
    if (F->fresh[s]) return;
    int old = F->side[s];
    size_t rows = (size_t)sp__panel_rows(F, s), own = (size_t)sp__panel_columns(F, s);
    F->fresh[s] = 1;
    if (F->def.spare) {
        memcpy(sp__panel(F, s, old ^ 1), sp__panel(F, s, old), rows * own * F->size);
        if (F->def.kind == SP_LDLT) memcpy(sp__pivot(F, s, old ^ 1), sp__pivot(F, s, old), own * F->size);
    }
    w->info->columns += sp__front_columns(F->S, s);
    w->info->supernodes++;
}

// Applies columns [c0, c1) to the panel of s, from its own column j on; returns the own column that failed, or their number.
static int update_rotate(sp_rank_update *w, int s, int c0, int c1, int j) {
    sp_factor *F = w->F;
    int m = sp__panel_rows(F, s), k = sp__panel_columns(F, s), now = sp__side_now(F, s);
    size_t diagonal = (size_t)j + (size_t)j * (size_t)m;
    bool pivots = F->def.kind == SP_LDLT;
    w->info->flops += 4.0 * (c1 - c0) * (k - j) * (m - 0.5 * (k + j));
    if (F->def.single)
        return j + F->dense_f->rank_update(m - j, k - j, c1 - c0, (float)w->sign, (float *)sp__panel(F, s, now) + diagonal, m,
                                           pivots ? (float *)sp__pivot(F, s, now) + j : NULL,
                                           (float *)(void *)column_rows(w, c0) + j, F->S->front_most, w->alpha.f + c0);
    return j + F->dense_d->rank_update(m - j, k - j, c1 - c0, w->sign, (double *)sp__panel(F, s, now) + diagonal, m,
                                       pivots ? (double *)sp__pivot(F, s, now) + j : NULL,
                                       (double *)(void *)column_rows(w, c0) + j, F->S->front_most, w->alpha.d + c0);
}

// Moves the rest of column c below s to its rows in the parent's front.
static void update_climb(sp_rank_update *w, int s, int c) {
    const sp_symbolic *S = w->F->S;
    int own = sp__front_columns(S, s), rows = sp__front_rows(S, s), parent = S->super_parent[s];
    size_t size = (size_t)S->block * w->F->size;
    char *column = column_rows(w, c);
    w->at[c] = parent < 0 ? INT_MAX : parent;
    if (parent < 0) return;
    memcpy(w->scratch, column + (size_t)own * size, (size_t)(rows - own) * size);
    memset(column, 0, (size_t)sp__front_rows(S, parent) * size);
    const int *up = S->up + S->row_start[s], *stretch = w->F->stretch + S->row_start[s];
    for (int i = own; i < rows; i += stretch[i])
        memcpy(column + (size_t)up[i] * size, w->scratch + (size_t)(i - own) * size, (size_t)stretch[i] * size);
}

static void update_report_failure(const sp_rank_update *w, int s, int column) {
    const sp_factor *F = w->F;
    int now = sp__side_now(F, s), block = F->S->block;
    size_t diagonal = (size_t)column * ((size_t)sp__panel_rows(F, s) + 1);
    double pivot = F->def.kind == SP_LDLT ? F->loops->get(sp__pivot(F, s, now), (size_t)column)
                                          : F->loops->get(sp__panel(F, s, now), diagonal);
    w->info->unknown = F->S->perm[F->S->first[s] + column / block] * block + column % block;
    w->info->pivot = pivot;
    w->info->status = isfinite(pivot) ? SP_NOT_SPD : SP_NOT_FINITE;
}

// The lowest supernode with columns, and which columns: [*c0, *c1). INT_MAX: all are past the root.
static int update_lowest(const sp_rank_update *w, int *c0, int *c1) {
    int s = INT_MAX;
    for (int c = w->count - 1; c >= 0; c--) {
        if (w->at[c] < s) s = w->at[c], *c1 = c + 1;
        if (w->at[c] == s) *c0 = c;
    }
    return s;
}

static bool update_walk(sp_rank_update *w) {
    int c0 = 0, c1 = 0;
    for (int s; (s = update_lowest(w, &c0, &c1)) != INT_MAX;) {
        int own = sp__panel_columns(w->F, s), j = first_column(w, s, c0, c1);
        if (j < own) {
            copy_to_spare(w, s);
            int done = update_rotate(w, s, c0, c1, j);
            if (done < own) {
                update_report_failure(w, s, done);
                return false;
            }
        }
        for (int c = c0; c < c1; c++) update_climb(w, s, c);
    }
    return true;
}

sp_status sp__factor_update(sp_factor *F, double sign, int row_count, const int *rows, int rank, const double *W,
                            sp_factor_info *info) {
    sp_rank_given given = {row_count, rank, rows, W};
    *info = (sp_factor_info){.unknown = -1, .shift = F->shift};
    info->status = update_check(F, sign, &given);
    if (info->status == SP_OK) info->status = reserve_ranks(F);
    if (info->status != SP_OK) return info->status;
    sp_rank_update w = {.F = F, .sign = sign, .rows = F->ranks, .info = info};
    w.scratch = column_rows(&w, SP_DENSE_RANK);
    bool good = true;
    for (int c = 0; c < rank && good; c += SP_DENSE_RANK) {
        update_begin(&w, &given, c, rank - c < SP_DENSE_RANK ? rank - c : SP_DENSE_RANK);
        good = update_walk(&w);
    }
    sp__factor_commit(F, good, true);
    return info->status;
}
