// Incomplete Cholesky by 3x3 blocks, P = L D L^T (lower.h), column by column. Let w be the next column of A minus the
// contributions of the previous columns:
//   drop = 0: only blocks of the pattern of A stay, IC(0) (Meijerink and van der Vorst 1977);
//   drop > 0: blocks of w with |w_i| < drop |A(:, k)| are dropped, and at most `cap` of the others stay, the largest (Saad 1994;
//             Lin and More 1999), so that memory is bounded before the values are known.
// The parts of the ordering (lower.h) are independent and are factored in parallel; the separator follows. If a pivot block is
// not positive definite, the factorisation restarts on A + shift diag(A), with the shift doubled each time (Manteuffel 1980). The
// largest number added to the diagonal is reported.
#include "linear/block3.h"
#include "linear/lower.h"
#include "linear/precond.h"

enum { SHIFTS = 24, NONE = -1 };
static const double first_shift = 1e-3, least_pivot = 1e-10;

// Workspace of one worker for a column.
typedef struct draft {
    sp_four *w;  // per row: three columns of four
    int *mark;   // per row: the last column that wrote to w
    int *list;   // rows of w below the diagonal
    int count;
    double *size, *sorted;  // |w_i|^2 of the list
} draft;

typedef struct ic {
    sp_precond base;
    sp_columns columns;
    sp_lower L;
    int cap;  // largest number of blocks of a column below the diagonal
    int workers;
    draft *at;  // per worker
    // list of the columns whose next block is in row k: first[k], then others[...]; next_at: index of that block
    int *first, *others;
    size_t *next_at;
    double *D;  // 9 per column
    // of the current attempt
    const sp_symmetric *A;
    double shift;
    sp_status status[SP_PARTS_MOST + 1];  // of each part, and of the separator
    int failed[SP_PARTS_MOST + 1];        // the column whose pivot failed
    double flops[SP_PARTS_MOST + 1];
} ic;

static void ic_destroy(sp_precond *p) {
    ic *c = (ic *)p;
    sp_context *ctx = p->ctx;
    sp__lower_free(&c->L);
    sp__columns_free(ctx, &c->columns);
    for (int k = 0; c->at && k < c->workers; k++) {
        void *each[] = {c->at[k].w, c->at[k].mark, c->at[k].list, c->at[k].size, c->at[k].sorted};
        for (size_t i = 0; i < sizeof each / sizeof *each; i++) sp__free(ctx, each[i]);
    }
    void *all[] = {c->at, c->first, c->others, c->next_at, c->D};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) sp__free(ctx, all[i]);
    sp__free(ctx, c);
}

// Fill that a threshold may keep, in mean columns of A. Elastic beams and blocks, homogeneous and mixed, kept 0.5, 1.5, 5 and 10
// at thresholds of 0.1, 0.01, 1e-3 and 1e-4; single columns kept half as much again.
static int cap_of(double drop, int n, int blocks) {
    double mean = n ? (double)blocks / n : 0, digits = -log10(fmin(fmax(drop, 1e-8), 1));
    return (int)fmin(ceil((1 + 0.8 * digits * digits) * mean) + 2, n);
}

// Start and space of each column of L. Without a threshold L has the pattern of A.
static sp_status place_columns(sp_context *ctx, ic *c, int n) {
    const int *start = c->columns.start;
    bool fills = c->base.def.pcg.drop > 0;
    size_t blocks = 0;
    c->cap = cap_of(c->base.def.pcg.drop, n, start[n]);
    for (int k = 0; k < n; k++) {
        int most = c->cap < n - 1 - k ? c->cap : n - 1 - k;
        blocks += (size_t)(fills ? most : start[k + 1] - start[k]);
    }
    if (sp__lower_create(ctx, &c->columns, blocks, sp__precond_single(&c->base), &c->L) < 0) return SP_NO_MEMORY;
    blocks = 0;
    for (int k = 0; k < n; k++) {
        int most = c->cap < n - 1 - k ? c->cap : n - 1 - k;
        c->L.start[k] = c->L.end[k] = blocks;
        blocks += (size_t)(fills ? most : start[k + 1] - start[k]);
    }
    return SP_OK;
}

static sp_status ic_reserve(sp_context *ctx, ic *c, int n) {
    if (!SP_NEW(ctx, c->first, n + 1) || !SP_NEW(ctx, c->others, n + 1) || !SP_NEW(ctx, c->next_at, n + 1) ||
        !SP_NEW(ctx, c->D, 9 * (size_t)n + 9) || !SP_NEW(ctx, c->at, sp__workers(ctx)))
        return SP_NO_MEMORY;
    c->workers = sp__workers(ctx);
    for (int k = 0; k < c->workers && (k == 0 || c->columns.parts > 1); k++) {
        draft *a = &c->at[k];
        if (!SP_NEW(ctx, a->w, 3 * (size_t)n + 3) || !SP_NEW(ctx, a->mark, n + 1) || !SP_NEW(ctx, a->list, n + 1) ||
            !SP_NEW(ctx, a->size, n + 1) || !SP_NEW(ctx, a->sorted, n + 1))
            return SP_NO_MEMORY;
    }
    return SP_OK;
}

static sp_status ic_create(sp_context *ctx, const sp_backend *be, const sp_solver_def *def, const sp_symmetric *pattern,
                           const double *points, const sp_precond *like, sp_precond **out) {
    (void)points, (void)like;
    ic *c;
    *out = NULL;
    if (!SP_NEW(ctx, c, 1)) return SP_FAIL(ctx, SP_NO_MEMORY, "no memory for a preconditioner");
    sp_status status = sp__precond_init(&c->base, &sp__precond_ic, ctx, be, def, pattern);
    if (status >= 0 && ((status = sp__columns_create(ctx, pattern, &c->columns)) < 0 ||
                        (status = place_columns(ctx, c, pattern->n)) < 0 || (status = ic_reserve(ctx, c, pattern->n)) < 0))
        SP_FAIL(ctx, status, "no memory for an incomplete factor of %d unknowns", c->base.n);
    if (status < 0)
        ic_destroy(&c->base);
    else
        *out = &c->base;
    return status;
}

// ------------------------------------------------------------------------------------------------ one column

static void load_block(draft *a, const sp_symmetric *A, int row, int code) {
    double B[9];
    sp__block3_get(A, code / 2, code % 2, B);
    for (int i = 0; i < 3; i++) a->w[3 * (size_t)row + (size_t)i] = (sp_four){B[i], B[3 + i], B[6 + i], 0};
}

static double block_size(const sp_four *w) {
    sp_four s = w[0] * w[0] + w[1] * w[1] + w[2] * w[2];
    return s[0] + s[1] + s[2];
}

// w = A(k:n, k) with the shifted diagonal. Returns |A(k:n, k)|^2.
static double begin_column(const ic *c, draft *a, int k) {
    const sp_columns *p = &c->columns;
    load_block(a, c->A, k, 2 * c->A->row_start[p->perm[k]]);
    double sum = block_size(a->w + 3 * (size_t)k);
    for (int i = 0; i < 3; i++) a->w[3 * (size_t)k + (size_t)i][i] *= 1 + c->shift;
    a->mark[k] = k, a->count = 0;
    for (int at = p->start[k]; at < p->start[k + 1]; at++) {
        int i = p->row[at];
        load_block(a, c->A, i, p->block[at]);
        a->mark[i] = k, a->list[a->count++] = i;
        sum += block_size(a->w + 3 * (size_t)i);
    }
    return sum;
}

// T = D_j L_kj^T, row-major, from the columns of L_kj
static void scaled_transpose(const double D[9], const sp_four C[3], double T[9]) {
    for (int r = 0; r < 3; r++)
        for (int a = 0; a < 3; a++) T[3 * r + a] = D[3 * r] * C[0][a] + D[3 * r + 1] * C[1][a] + D[3 * r + 2] * C[2][a];
}

// w -= L(k:n, j) D_j L_kj^T
static void subtract_update(const ic *c, draft *a, int j, int k) {
    bool fills = c->base.def.pcg.drop > 0;
    size_t end = c->L.end[j];
    sp_four C[3];
    double T[9];
    sp__lower_get(&c->L, c->next_at[j], C);
    scaled_transpose(c->D + 9 * (size_t)j, C, T);
    for (size_t at = c->next_at[j]; at < end; at++) {
        int i = c->L.row[at];
        sp_four *w = a->w + 3 * (size_t)i;
        if (a->mark[i] != k) {
            if (!fills) continue;
            a->mark[i] = k, a->list[a->count++] = i;
            w[0] = w[1] = w[2] = (sp_four){0};
        }
        sp__lower_get(&c->L, at, C);
        for (int b = 0; b < 3; b++) w[b] -= C[0] * T[b] + C[1] * T[3 + b] + C[2] * T[6 + b];
    }
}

// Adds column j to the list of the row of its next block. Separator rows belong to no part: their lists are built after all
// parts.
static void queue_column(ic *c, int j, size_t at, int divide) {
    c->next_at[j] = at;
    if (at == c->L.end[j] || c->L.row[at] >= divide) return;
    int row = c->L.row[at];
    c->others[j] = c->first[row], c->first[row] = j;
}

// the `keep`-th largest of n numbers by quickselect (Hoare 1961)
static double select_largest(double *a, int n, int keep) {
    int low = 0, high = n - 1;
    while (low < high) {
        double pivot = a[(low + high) / 2];
        int i = low, j = high;
        while (i <= j) {
            while (a[i] > pivot) i++;
            while (a[j] < pivot) j--;
            if (i > j) break;
            double t = a[i];
            a[i++] = a[j], a[j--] = t;
        }
        if (keep - 1 <= j)
            high = j;
        else if (keep - 1 >= i)
            low = i;
        else
            break;
    }
    return a[keep - 1];
}

// removes dropped blocks from the list and sorts it
static void drop_small(draft *a, double least, int cap) {
    int kept = 0;
    for (int e = 0; e < a->count; e++) {
        double size = block_size(a->w + 3 * (size_t)a->list[e]);
        if (!(size >= least) || size == 0) continue;
        a->list[kept] = a->list[e], a->size[kept++] = size;
    }
    a->count = kept;
    if (kept > cap) {
        memcpy(a->sorted, a->size, sizeof *a->size * (size_t)kept);
        double limit = select_largest(a->sorted, kept, cap);
        int equal = cap;  // remaining places for blocks with exactly the limit size
        for (int e = 0; e < kept; e++) equal -= a->size[e] > limit;
        a->count = 0;
        for (int e = 0; e < kept; e++)
            if (a->size[e] > limit || (a->size[e] == limit && equal-- > 0)) a->list[a->count++] = a->list[e];
    }
    sp__sort_ints(a->list, a->count);
}

// Computes D_k and L(:, k) from w. False: the pivot is not positive definite.
static bool end_column(ic *c, const draft *a, int k, const double *diagonal) {
    double X[9], *D = c->D + 9 * (size_t)k;
    const sp_four *w = a->w + 3 * (size_t)k;
    for (int r = 0; r < 3; r++)
        for (int i = 0; i < 3; i++) D[3 * r + i] = 0.5 * (w[i][r] + w[r][i]);
    for (int i = 0; i < 3; i++)
        if (!(D[4 * i] > least_pivot * fabs(diagonal[i]))) return false;
    if (!sp__block3_inverse(D, least_pivot, X)) return false;
    sp__lower_set_inverse(&c->L, k, X);
    size_t at = c->L.start[k];
    for (int e = 0; e < a->count; e++, at++) {
        double B[9], Y[9];
        w = a->w + 3 * (size_t)a->list[e];
        for (int r = 0; r < 3; r++)
            for (int i = 0; i < 3; i++) B[3 * r + i] = w[i][r];
        sp__block3_mul(B, X, Y);
        c->L.row[at] = a->list[e];
        sp__lower_set(&c->L, at, Y);
    }
    c->L.end[k] = at;
    return true;
}

// ------------------------------------------------------------------------------------------------ factorisation

static void make_columns(ic *c, int part, draft *a, int begin, int end, int divide) {
    double drop = c->base.def.pcg.drop;
    for (int k = begin; k < end; k++) {
        c->failed[part] = k;
        if (k % 64 == 0 && sp__precond_stopped(&c->base)) c->status[part] = SP_STOPPED;
        double size = begin_column(c, a, k), diagonal[3];
        if (!isfinite(size)) c->status[part] = SP_NOT_FINITE;
        if (c->status[part]) return;
        for (int i = 0; i < 3; i++) diagonal[i] = a->w[3 * (size_t)k + (size_t)i][i];
        for (int j = c->first[k], next; j != NONE; j = next) {
            next = c->others[j];
            c->flops[part] += 54.0 * (double)(c->L.end[j] - c->next_at[j]);
            subtract_update(c, a, j, k);
            queue_column(c, j, c->next_at[j] + 1, divide);
        }
        if (drop > 0) drop_small(a, drop * drop * size, c->cap);
        if (!end_column(c, a, k, diagonal)) {
            c->status[part] = SP_NOT_SPD;
            return;
        }
        queue_column(c, k, c->L.start[k], divide);
    }
}

static void clear_marks(const ic *c, draft *a) {
    for (int k = 0; k < c->columns.n; k++) a->mark[k] = NONE;
}

static void make_part(void *arg, int part, int worker) {
    ic *c = arg;
    const int *start = c->columns.part_start;
    draft *a = &c->at[worker];
    clear_marks(c, a);
    make_columns(c, part, a, start[part], start[part + 1], start[c->columns.parts]);
}

// Factors the parts, then the separator. SP_NOT_SPD: a pivot failed at *column.
static sp_status ic_factorise(ic *c, bool alone, int *column, double *flops) {
    int parts = c->columns.parts, n = c->columns.n, divide = c->columns.part_start[parts];
    for (int k = 0; k < n; k++) c->first[k] = NONE;
    for (int p = 0; p <= parts; p++) c->status[p] = SP_OK, c->flops[p] = 0;
    if (alone || parts == 1)
        for (int p = 0; p < parts; p++) make_part(c, p, 0);
    else
        sp__parallel(c->base.ctx, parts, make_part, c);
    bool good = true;
    for (int p = 0; p < parts; p++) good = good && c->status[p] == SP_OK;
    if (good) {
        for (int k = 0; k < divide; k++) queue_column(c, k, c->next_at[k], n);
        clear_marks(c, c->at);
        make_columns(c, parts, c->at, divide, n, n);
    }
    sp_status status = SP_OK;
    for (int p = 0; p <= parts; p++) {
        *flops += c->flops[p];
        if (status == SP_OK && c->status[p]) status = c->status[p], *column = c->failed[p];
    }
    return status;
}

static double largest_diagonal(const sp_symmetric *A) {
    double most = 0;
    for (int i = 0; i < A->n; i++) {
        double B[9];
        sp__block3_get(A, A->row_start[i], false, B);
        most = fmax(most, fmax(fabs(B[0]), fmax(fabs(B[4]), fabs(B[8]))));
    }
    return most;
}

// identity, if every shift failed
static void make_unit(ic *c) {
    const double one[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    for (int k = 0; k < c->columns.n; k++) {
        c->L.end[k] = c->L.start[k];
        sp__lower_set_inverse(&c->L, k, one);
    }
}

static sp_status ic_build(sp_precond *p, const sp_symmetric *A, bool alone, sp_factor_info *info) {
    ic *c = (ic *)p;
    int column = 0;
    *info = (sp_factor_info){.unknown = -1, .columns = A->n};
    c->A = A, c->shift = 0;
    for (int k = 0; k < SHIFTS; k++) {
        info->status = ic_factorise(c, alone, &column, &info->flops);
        if (info->status != SP_NOT_SPD) break;
        c->shift = c->shift > 0 ? 2 * c->shift : first_shift;
    }
    if (info->status == SP_OK) {
        info->shift = c->shift > 0 ? c->shift * largest_diagonal(A) : 0;
        return SP_OK;
    }
    if (info->status == SP_NOT_SPD) info->unknown = 3 * c->columns.perm[column];
    make_unit(c);
    return info->status;
}

static void ic_apply(sp_precond *p, const double *r, double *z) {
    sp__lower_solve(&((ic *)p)->L, r, z);
}

static size_t ic_bytes(const sp_precond *p) {
    const ic *c = (const ic *)p;
    size_t n = (size_t)c->columns.n, workers = c->columns.parts > 1 ? (size_t)c->workers : 1;
    size_t column = 3 * sizeof(sp_four) + 2 * sizeof(double) + 2 * sizeof(int);
    return sp__lower_bytes(&c->L) + sp__columns_bytes(&c->columns) +
           n * (workers * column + 9 * sizeof(double) + sizeof(size_t) + 2 * sizeof(int));
}

const sp_precond_kind sp__precond_ic = {.name = "ic",
                                        .costly = true,
                                        .create = ic_create,
                                        .destroy = ic_destroy,
                                        .build = ic_build,
                                        .apply = ic_apply,
                                        .bytes = ic_bytes};
