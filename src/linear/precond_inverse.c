// Factorised sparse approximate inverse, FSAI (Kolotilina and Yeremin 1993): G is lower triangular by 3x3 blocks with the pattern
// of A, and G A G^T approximates the identity. z = G^T (G r) needs two products, which run in parallel, instead of two triangular
// solves, which are sequential.
//
// Row i of G with columns J (i is the last): with A(J, J) = C C^T, G_i = E_i^T C^-1, where E_i is the last three columns of the
// identity. The diagonal blocks of G A G^T are then the identity. Rows are independent of each other.
#include "linear/block3.h"
#include "linear/precond.h"

enum {
    ROW_MOST = 48,        // largest number of blocks in a row of G: those nearest to the diagonal
    SIDE = 3 * ROW_MOST,  // unknowns of the largest small system
    SHIFTS = 24,
    BUILD_RANGE = 64,  // rows per build task
    RANGE = 256,       // rows per product task
};

// Blocks by rows, each as three columns of four numbers (lower.h).
typedef struct rows {
    int *start, *col;
    void *val;
} rows;

typedef struct inverse {
    sp_precond base;
    bool single;
    int n;
    rows G, Gt;
    int *turned;    // index in Gt of each block of G
    double *small;  // workers x SIDE x (SIDE + 3)
    double *shift;  // per range
    void *x, *y;    // four numbers per row, in the precision of the blocks
    const sp_symmetric *A;
} inverse;

typedef struct product {
    const inverse *g;
    const double *r;
    double *z;
} product;

#define REAL float
#define NAME(name) name##_f
#include "linear/inverse_real.h"
#define REAL double
#define NAME(name) name##_d
#include "linear/inverse_real.h"

static void inverse_destroy(sp_precond *p) {
    inverse *g = (inverse *)p;
    sp_context *ctx = p->ctx;
    void *all[] = {g->G.start, g->G.col, g->G.val, g->Gt.start, g->Gt.col, g->Gt.val, g->turned, g->small, g->shift, g->x, g->y};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) sp__free(ctx, all[i]);
    sp__free(ctx, g);
}

// ------------------------------------------------------------------------------------------------ pattern

// rows of the lower triangle from the upper triangle: columns ascending, the diagonal last
static void lower_rows(rows *G, const sp_symmetric *A, int *next) {
    memset(next, 0, sizeof *next * (size_t)A->n);
    for (int k = 0; k < A->row_start[A->n]; k++) next[A->row_col[k]]++;
    for (int i = 0; i < A->n; i++) G->start[i + 1] = G->start[i] + (next[i] < ROW_MOST ? next[i] : ROW_MOST);
    for (int i = 0; i < A->n; i++) next[i] = G->start[i + 1];
    // from the last row of A to the first, so that the blocks farthest from the diagonal are left out if a row is full
    for (int j = A->n - 1; j >= 0; j--)
        for (int k = A->row_start[j]; k < A->row_start[j + 1]; k++) {
            int i = A->row_col[k];
            if (next[i] > G->start[i]) G->col[--next[i]] = j;
        }
}

static void inverse_transpose(const rows *G, int n, rows *Gt, int *turned, int *next) {
    memset(next, 0, sizeof *next * (size_t)n);
    for (int k = 0; k < G->start[n]; k++) next[G->col[k]]++;
    for (int i = 0; i < n; i++) Gt->start[i + 1] = Gt->start[i] + next[i];
    memcpy(next, Gt->start, sizeof *next * (size_t)n);
    for (int i = 0; i < n; i++)
        for (int k = G->start[i]; k < G->start[i + 1]; k++) {
            turned[k] = next[G->col[k]]++;
            Gt->col[turned[k]] = i;
        }
}

static sp_status inverse_reserve(sp_context *ctx, inverse *g, const sp_symmetric *A) {
    size_t n = (size_t)A->n, blocks = (size_t)A->row_start[A->n] + 1, real = g->single ? sizeof(float) : sizeof(double);
    int *next = NULL;
    sp_status status = SP_NO_MEMORY;
    if (!SP_NEW(ctx, next, n + 1) || !SP_NEW(ctx, g->G.start, n + 1) || !SP_NEW(ctx, g->Gt.start, n + 1) ||
        !SP_NEW(ctx, g->G.col, blocks) || !SP_NEW(ctx, g->Gt.col, blocks) || !SP_NEW(ctx, g->turned, blocks) ||
        !SP_NEW(ctx, g->small, (size_t)sp__workers(ctx) * SIDE * (SIDE + 3)) || !SP_NEW(ctx, g->shift, n / BUILD_RANGE + 1))
        goto done;
    g->G.val = sp__alloc(ctx, blocks, 12 * real), g->Gt.val = sp__alloc(ctx, blocks, 12 * real);
    g->x = sp__alloc(ctx, n + 1, 4 * real), g->y = sp__alloc(ctx, n + 1, 4 * real);
    if (!g->G.val || !g->Gt.val || !g->x || !g->y) goto done;
    lower_rows(&g->G, A, next);
    inverse_transpose(&g->G, A->n, &g->Gt, g->turned, next);
    status = SP_OK;
done:
    sp__free(ctx, next);
    return status;
}

static sp_status inverse_create(sp_context *ctx, const sp_backend *be, const sp_solver_def *def, const sp_symmetric *pattern,
                                const double *points, const sp_precond *like, sp_precond **out) {
    (void)points, (void)like;
    inverse *g;
    *out = NULL;
    if (!SP_NEW(ctx, g, 1)) return SP_FAIL(ctx, SP_NO_MEMORY, "no memory for a preconditioner");
    sp_status status = sp__precond_init(&g->base, &sp__precond_inverse_factor, ctx, be, def, pattern);
    g->single = sp__precond_single(&g->base), g->n = pattern->n;
    if (status >= 0 && (status = inverse_reserve(ctx, g, pattern)) < 0)
        SP_FAIL(ctx, status, "no memory for an inverse factor of %d unknowns", g->base.n);
    if (status < 0)
        inverse_destroy(&g->base);
    else
        *out = &g->base;
    return status;
}

// ------------------------------------------------------------------------------------------------ build

// lower triangle of A(J, J) with its diagonal times 1 + shift, row stride SIDE
static void inverse_gather(const sp_symmetric *A, int m, const int *J, double shift, double *S) {
    for (int a = 0; a < m; a++)
        for (int b = 0; b <= a; b++) {
            double B[9] = {0};
            int k = b == a ? A->row_start[J[a]] : sp__symmetric_find(A, J[b], J[a]);
            if (k >= 0) sp__block3_get(A, k, true, B);
            for (int r = 0; r < 3; r++) memcpy(S + (3 * a + r) * SIDE + 3 * b, B + 3 * r, 3 * sizeof *B);
        }
    for (int r = 0; r < 3 * m && shift > 0; r++)
        S[r * SIDE + r] = (1 + shift) * (S[r * SIDE + r] != 0 ? fabs(S[r * SIDE + r]) : 1);
}

// S = C C^T in place, row by row; false: not positive definite
static bool inverse_cholesky(int n, double *S) {
    for (int i = 0; i < n; i++) {
        double *row = S + i * SIDE, diagonal = row[i];
        for (int j = 0; j < i; j++) {
            const double *other = S + j * SIDE;
            double sum = row[j];
            for (int k = 0; k < j; k++) sum -= row[k] * other[k];
            row[j] = sum * other[j];  // the diagonal holds inverses
            diagonal -= row[j] * row[j];
        }
        if (!(diagonal > 1e-14 * row[i]) || !isfinite(diagonal)) return false;
        row[i] = 1 / sqrt(diagonal);
    }
    return true;
}

// Y = C^-T E, E the last three columns of the identity; Y is row-major with three columns
static void solve_last(int n, const double *S, double *Y) {
    for (int i = 0; i < n; i++)
        for (int c = 0; c < 3; c++) Y[3 * i + c] = i - (n - 3) == c;
    for (int i = n - 1; i >= 0; i--) {
        for (int c = 0; c < 3; c++) Y[3 * i + c] *= S[i * SIDE + i];
        for (int k = 0; k < i; k++)
            for (int c = 0; c < 3; c++) Y[3 * k + c] -= S[i * SIDE + k] * Y[3 * i + c];
    }
}

// Row i of G. Returns the largest shift of a diagonal; NaN: not finite, and the row is a row of the identity.
static double build_row(inverse *g, int i, double *small) {
    int from = g->G.start[i], m = g->G.start[i + 1] - from;
    double *S = small, *Y = small + SIDE * SIDE, shift = 0, added = 0;
    bool good = false;
    for (int k = 0; k < SHIFTS && !good; k++) {
        inverse_gather(g->A, m, g->G.col + from, shift, S);
        added = 0;
        for (int r = 0; r < 3 * m && shift > 0; r++) added = fmax(added, S[r * SIDE + r] * shift / (1 + shift));
        good = inverse_cholesky(3 * m, S);
        shift = shift > 0 ? 4 * shift : 1e-6;
    }
    if (good)
        solve_last(3 * m, S, Y);
    else
        for (int r = 0; r < 9 * m; r++) Y[r] = r >= 9 * (m - 1) && (r - 9 * (m - 1)) % 4 == 0;
    for (int a = 0; a < m; a++) {
        double B[9], T[9];
        for (int r = 0; r < 3; r++)
            for (int c = 0; c < 3; c++) B[3 * r + c] = T[3 * c + r] = Y[3 * (3 * a + c) + r];
        (g->single ? set_f : set_d)(g->G.val, (size_t)(from + a), B);
        (g->single ? set_f : set_d)(g->Gt.val, (size_t)g->turned[from + a], T);
    }
    return good ? added : NAN;
}

static void inverse_build_range(void *arg, int begin, int end, int worker) {
    inverse *g = arg;
    double most = 0, *small = g->small + (size_t)worker * SIDE * (SIDE + 3);
    for (int i = begin; i < end && !sp__precond_stopped(&g->base); i++) {
        double added = build_row(g, i, small);
        if (added > most || isnan(added)) most = added;
    }
    g->shift[begin / BUILD_RANGE] = most;
}

static sp_status inverse_build(sp_precond *p, const sp_symmetric *A, bool alone, sp_factor_info *info) {
    inverse *g = (inverse *)p;
    *info = (sp_factor_info){.unknown = -1, .columns = A->n};
    g->A = A;
    sp__precond_each(p, g->n, BUILD_RANGE, alone, inverse_build_range, g);
    if (sp__precond_stopped(p)) return info->status = SP_STOPPED;
    for (int t = 0; t * BUILD_RANGE < g->n; t++)
        if (g->shift[t] > info->shift || isnan(g->shift[t])) info->shift = g->shift[t];
    if (isnan(info->shift)) info->status = SP_NOT_FINITE, info->shift = 0;
    return info->status;
}

// ------------------------------------------------------------------------------------------------ application

static void inverse_apply(sp_precond *p, const double *r, double *z) {
    inverse *g = (inverse *)p;
    product m = {g, r, z};
    sp__precond_each(p, g->n, RANGE, false, g->single ? convert_f : convert_d, &m);
    sp__precond_each(p, g->n, RANGE, false, g->single ? first_f : first_d, &m);
    sp__precond_each(p, g->n, RANGE, false, g->single ? second_f : second_d, &m);
}

static size_t inverse_bytes(const sp_precond *p) {
    const inverse *g = (const inverse *)p;
    size_t real = g->single ? sizeof(float) : sizeof(double), blocks = (size_t)g->G.start[g->n], n = (size_t)g->n;
    size_t small = (size_t)sp__workers(p->ctx) * SIDE * (SIDE + 3) * sizeof(double);
    return blocks * (24 * real + 3 * sizeof(int)) + n * (8 * real + 2 * sizeof(int)) + small;
}

const sp_precond_kind sp__precond_inverse_factor = {.name = "inverse-factor",
                                                    .costly = true,
                                                    .create = inverse_create,
                                                    .destroy = inverse_destroy,
                                                    .build = inverse_build,
                                                    .apply = inverse_apply,
                                                    .bytes = inverse_bytes};
