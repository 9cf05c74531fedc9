// From FCLIB files to problems of the solver, and back.
#include <stdio.h>
#include <stdlib.h>

#include "friction.h"
#include "sparse/factor.h"

// ---- M^-1: sparse Cholesky, or dense LU where M is not symmetric positive definite

enum { DENSE_MOST = 3000 };

typedef struct mass {
    sp_context *ctx;
    int n;
    sp_symmetric_own A;
    sp_symbolic *symbolic;
    sp_factor *factor;
    double *lu;  // NULL: `factor`
    int *pivot;
} mass;

static void mass_free(mass *m) {
    if (m->factor) sp__factor_destroy(&m->factor);
    if (m->symbolic) sp__symbolic_release(&m->symbolic);
    if (m->A.ctx) sp__symmetric_free(&m->A);
    sp__free(m->ctx, m->lu), sp__free(m->ctx, m->pivot);
}

static double entry_of(const sp_fclib_matrix *a, int i, int j) {
    double sum = 0;
    for (int k = a->start[i]; k < a->start[i + 1]; k++)
        if (a->column[k] == j) sum += a->value[k];
    return sum;
}

static int compare_ints(const void *a, const void *b) {
    return *(const int *)a - *(const int *)b;
}

// Upper triangle with sorted columns, the diagonal first. False: not symmetric, or a zero on the diagonal.
static bool mass_gather(const sp_fclib_matrix *M, int *columns, sp_symmetric_own *A) {
    int used = 0;
    for (int i = 0; i < M->rows; i++) {
        int count = 0;
        columns[count++] = i;
        for (int k = M->start[i]; k < M->start[i + 1]; k++) {
            double a = entry_of(M, i, M->column[k]), b = entry_of(M, M->column[k], i);
            if (fabs(a - b) > 1e-12 * (fabs(a) + fabs(b))) return false;
            if (M->column[k] > i) columns[count++] = M->column[k];
        }
        qsort(columns, (size_t)count, sizeof *columns, compare_ints);
        if (A) A->row_start[i] = used;
        for (int k = 0; k < count; k++) {
            if (k && columns[k] == columns[k - 1]) continue;
            if (A) A->row_col[used] = columns[k], A->val[used] = entry_of(M, i, columns[k]);
            used++;
        }
    }
    if (A) A->row_start[M->rows] = used;
    return true;
}

static bool mass_cholesky(mass *m, const sp_fclib_matrix *M) {
    int *columns, entries = M->start[M->rows] + M->rows;
    sp_factor_def def = {.kind = SP_LLT};
    sp_factor_info info;
    bool good = SP_NEW(m->ctx, columns, entries + 1) && sp__symmetric_create(m->ctx, M->rows, 1, entries, &m->A) >= 0 &&
                mass_gather(M, columns, &m->A) &&
                sp__symbolic_create(m->ctx, SP_ORDER_AUTO, &m->A.view, NULL, &m->symbolic) >= 0 &&
                sp__factor_create(m->ctx, &def, m->symbolic, &m->factor) >= 0 &&
                sp__factor_make(m->factor, &m->A.view, 0, true, &info) == SP_OK;
    sp__free(m->ctx, columns);
    return good;
}

static sp_status mass_dense(mass *m, const sp_fclib_matrix *M) {
    int n = M->rows;
    if (n > DENSE_MOST)
        return SP_FAIL(m->ctx, SP_BAD_INPUT,
                       "M is not symmetric positive definite and has %d rows; such matrices are solved up to %d", n, DENSE_MOST);
    if (!SP_NEW(m->ctx, m->lu, (size_t)n * (size_t)n) || !SP_NEW(m->ctx, m->pivot, n))
        return SP_FAIL(m->ctx, SP_NO_MEMORY, "no memory for a dense matrix of %d rows", n);
    for (int i = 0; i < n; i++)
        for (int k = M->start[i]; k < M->start[i + 1]; k++) m->lu[(ptrdiff_t)i * n + M->column[k]] += M->value[k];
    for (int k = 0; k < n; k++) {
        int best = k;
        for (int r = k + 1; r < n; r++)
            if (fabs(m->lu[(ptrdiff_t)r * n + k]) > fabs(m->lu[(ptrdiff_t)best * n + k])) best = r;
        m->pivot[k] = best;
        if (m->lu[(ptrdiff_t)best * n + k] == 0) return SP_FAIL(m->ctx, SP_SINGULAR, "M is singular: no pivot in column %d", k);
        for (int c = 0; c < n && best != k; c++) {
            double swap = m->lu[(ptrdiff_t)k * n + c];
            m->lu[(ptrdiff_t)k * n + c] = m->lu[(ptrdiff_t)best * n + c], m->lu[(ptrdiff_t)best * n + c] = swap;
        }
        for (int r = k + 1; r < n; r++) {
            double f = m->lu[(ptrdiff_t)r * n + k] /= m->lu[(ptrdiff_t)k * n + k];
            for (int c = k + 1; c < n && f != 0; c++) m->lu[(ptrdiff_t)r * n + c] -= f * m->lu[(ptrdiff_t)k * n + c];
        }
    }
    return SP_OK;
}

static sp_status mass_make(sp_context *ctx, const sp_fclib_matrix *M, mass *m) {
    *m = (mass){.ctx = ctx, .n = M->rows};
    return mass_cholesky(m, M) ? SP_OK : mass_dense(m, M);
}

static void mass_solve(mass *m, double *x) {
    int n = m->n;
    if (!m->lu) {
        sp__factor_solve(m->factor, x, x, true);
        return;
    }
    for (int k = 0; k < n; k++) {
        double swap = x[k];
        x[k] = x[m->pivot[k]], x[m->pivot[k]] = swap;
    }
    for (int r = 1; r < n; r++)
        for (int c = 0; c < r; c++) x[r] -= m->lu[(ptrdiff_t)r * n + c] * x[c];
    for (int r = n - 1; r >= 0; r--) {
        for (int c = r + 1; c < n; c++) x[r] -= m->lu[(ptrdiff_t)r * n + c] * x[c];
        x[r] /= m->lu[(ptrdiff_t)r * n + r];
    }
}

// ---- entries of the condensed matrix

typedef struct entry {
    int row, column;  // of the file: contacts, then equalities
    double value;
} entry;

typedef struct entries {
    sp_context *ctx;
    entry *list;
    size_t count, capacity;
} entries;

static bool entries_add(entries *e, int row, int column, double value) {
    if (e->count == e->capacity) {
        size_t more = 2 * e->capacity + 4096;
        entry *list;
        if (!SP_NEW(e->ctx, list, more)) return false;
        if (e->count) memcpy(list, e->list, e->count * sizeof *list);
        sp__free(e->ctx, e->list);
        e->list = list, e->capacity = more;
    }
    e->list[e->count++] = (entry){row, column, value};
    return true;
}

static bool entries_matrix(entries *e, const sp_fclib_matrix *a, int row, int column, bool transposed) {
    bool good = true;
    for (int i = 0; i < a->rows; i++)
        for (int k = a->start[i]; k < a->start[i + 1]; k++)
            good = good && (transposed ? entries_add(e, row + a->column[k], column + i, a->value[k])
                                       : entries_add(e, row + i, column + a->column[k], a->value[k]));
    return good;
}

// out += A^T x, or A x
static void add_product(const sp_fclib_matrix *a, bool transposed, const double *x, double *out) {
    for (int i = 0; i < a->rows; i++)
        for (int k = a->start[i]; k < a->start[i + 1]; k++) {
            if (transposed)
                out[a->column[k]] += a->value[k] * x[i];
            else
                out[i] += a->value[k] * x[a->column[k]];
        }
}

// column j of [H G]
static void constraint_column(const sp_fclib_problem *f, int j, double *x) {
    const sp_fclib_matrix *a = j < f->H.columns ? &f->H : &f->G;
    int column = j < f->H.columns ? j : j - f->H.columns;
    for (int i = 0; i < a->rows; i++) {
        x[i] = 0;
        for (int k = a->start[i]; k < a->start[i + 1]; k++)
            if (a->column[k] == column) x[i] += a->value[k];
    }
}

static sp_status condense(sp_context *ctx, const sp_fclib_problem *f, entries *e, double *q) {
    int n = f->M.rows, rows = f->dimension * f->contacts, all = rows + f->equalities;
    mass m;
    double *x = NULL, *y = NULL;
    sp_status status = mass_make(ctx, &f->M, &m);
    if (status >= 0 && (!SP_NEW(ctx, x, n) || !SP_NEW(ctx, y, all))) status = SP_FAIL(ctx, SP_NO_MEMORY, "no memory to condense");
    for (int j = -1; j < all && status >= 0; j++) {  // -1: the load
        if (j < 0)
            memcpy(x, f->f, (size_t)n * sizeof *x);
        else
            constraint_column(f, j, x);
        mass_solve(&m, x);
        memset(y, 0, (size_t)all * sizeof *y);
        add_product(&f->H, true, x, y);
        if (f->equalities) add_product(&f->G, true, x, y + rows);
        for (int i = 0; i < all && status >= 0; i++) {
            if (j < 0)
                q[i] = y[i] + (i < rows ? f->w[i] : f->b[i - rows]);
            else if (y[i] != 0 && !entries_add(e, i, j, y[i]))
                status = SP_FAIL(ctx, SP_NO_MEMORY, "no memory to condense");
        }
    }
    mass_free(&m);
    sp__free(ctx, x), sp__free(ctx, y);
    return status;
}

static sp_status gather(sp_context *ctx, const sp_fclib_problem *f, entries *e, double *q) {
    int rows = f->dimension * f->contacts;
    if (f->global) return condense(ctx, f, e, q);
    memcpy(q, f->q, (size_t)rows * sizeof *q);
    for (int i = 0; i < f->equalities; i++) q[rows + i] = f->s[i];
    bool good = entries_matrix(e, &f->W, 0, 0, false);
    if (f->equalities)
        good = good && entries_matrix(e, &f->V, 0, rows, false) && entries_matrix(e, &f->V, rows, 0, true) &&
               entries_matrix(e, &f->R, rows, rows, false);
    return good ? SP_OK : SP_FAIL(ctx, SP_NO_MEMORY, "no memory for a contact problem");
}

// ---- the problem

// group and row inside it of a row of the file
static void place_of(const sp_fclib_problem *f, int row, int *group, int *inside) {
    int rows = f->dimension * f->contacts;
    *group = row < rows ? row / f->dimension : f->contacts + (row - rows) / SP_CONE_ROWS_MAX;
    *inside = row < rows ? row % f->dimension : (row - rows) % SP_CONE_ROWS_MAX;
}

static sp_status add_groups(sp_cone_problem *p, const sp_fclib_problem *f) {
    for (int i = 0; i < f->contacts; i++) SP_TRY(sp__cone_add_group(p, SP_CONE_COULOMB, 3, f->mu[i], NULL));
    for (int left = f->equalities; left > 0; left -= SP_CONE_ROWS_MAX)
        SP_TRY(sp__cone_add_group(p, SP_CONE_BILATERAL, left < SP_CONE_ROWS_MAX ? left : SP_CONE_ROWS_MAX, 0, NULL));
    return SP_OK;
}

static sp_status fill_problem(sp_cone_problem *p, const sp_fclib_problem *f, const entries *e, const double *q) {
    int gi, gj, ri, rj;
    ptrdiff_t stride;
    SP_TRY(add_groups(p, f));
    for (size_t k = 0; k < e->count; k++) {
        place_of(f, e->list[k].row, &gi, &ri), place_of(f, e->list[k].column, &gj, &rj);
        int last[2] = {-1, -1};
        if (k > 0) place_of(f, e->list[k - 1].row, &last[0], &ri), place_of(f, e->list[k - 1].column, &last[1], &rj);
        if (gi == gj || (gi == last[0] && gj == last[1])) continue;
        SP_TRY(sp__cone_add_clique(p, 2, (int[2]){gi, gj}));
    }
    SP_TRY(sp__cone_layout(p));
    for (size_t k = 0; k < e->count; k++) {
        place_of(f, e->list[k].row, &gi, &ri), place_of(f, e->list[k].column, &gj, &rj);
        double *block = sp__cone_block(p, gi, gj, &stride);
        block[ri * stride + rj] += e->list[k].value;
    }
    for (int i = 0; i < f->dimension * f->contacts + f->equalities; i++) {
        place_of(f, i, &gi, &ri);
        p->q[p->group[gi].row + ri] = q[i];
    }
    for (int i = 0; i < f->contacts && f->dimension == 2; i++) sp__cone_soften(p, i, 2, *sp__cone_block(p, i, i, &stride));
    return SP_OK;
}

sp_status sp__friction_load(sp_context *ctx, const sp_fclib_problem *f, sp_cone_problem **out) {
    entries e = {.ctx = ctx};
    double *q;
    *out = NULL;
    sp_status status = SP_NEW(ctx, q, f->dimension * f->contacts + f->equalities) ? SP_OK : SP_NO_MEMORY;
    if (status >= 0) status = gather(ctx, f, &e, q);
    if (status >= 0) status = sp__cone_create(ctx, out);
    if (status >= 0) status = fill_problem(*out, f, &e, q);
    sp__free(ctx, e.list), sp__free(ctx, q);
    if (status < 0 && *out) sp__cone_destroy(out);
    return status;
}

sp_status sp__friction_solution(sp_context *ctx, const sp_fclib_problem *f, const sp_cone_problem *p, double *u, double *r,
                                double *l, double *v) {
    int rows = f->dimension * f->contacts;
    for (int i = 0; i < rows + f->equalities; i++) {
        int group, inside;
        place_of(f, i, &group, &inside);
        int row = p->group[group].row + inside;
        if (i < rows)
            u[i] = p->u[row], r[i] = p->lambda[row];
        else
            l[i - rows] = p->lambda[row];
    }
    if (!f->global) return SP_OK;
    mass m;
    sp_status status = mass_make(ctx, &f->M, &m);
    memcpy(v, f->f, (size_t)f->M.rows * sizeof *v);
    add_product(&f->H, false, r, v);
    if (f->equalities) add_product(&f->G, false, l, v);
    if (status >= 0) mass_solve(&m, v);
    mass_free(&m);
    return status;
}
