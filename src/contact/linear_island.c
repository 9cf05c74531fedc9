// Islands of bilateral rows alone, as links make them, are systems of linear equations: W x = -q. They are solved by a dense
// Cholesky factor. Sweeps of Gauss-Seidel need many more operations, because the rows of an interface are as coupled as the nodes
// of the bodies that it joins. The factor serves all solves of a step with the same W.
//
// Rows are scaled to a unit diagonal. A pivot that is nearly zero means rows that repeat or contradict each other: these islands
// are left to the other methods, which find multipliers of least norm and report what cannot hold.
#include <stdint.h>

#include "contact/solve_internal.h"
#include "sparse/dense.h"

enum { MOST_ROWS = 1600, REFINEMENTS = 3 };  // 1.4 Gflop, a third of a second
static const double LEAST_PIVOT = 1e-11;     // of a unit diagonal

typedef struct linear_factor {
    size_t at;     // in the store; SIZE_MAX: none
    double trace;  // of its matrix, which another one is unlikely to have
} linear_factor;

struct sp_cone_linear {
    sp_context *ctx;
    // factors of the islands of one W
    const sp_cone_problem *p;
    uint64_t revision;
    linear_factor *factor;  // per island
    int island_capacity;
    double *store, *rows, *cols, *x;  // rows, cols: packs; x: right-hand side
    size_t store_capacity, used, pack_capacity;
    int x_capacity;
};

sp_status sp__cone_linear_create(sp_context *ctx, sp_cone_linear **out) {
    if (!SP_NEW(ctx, *out, 1)) return SP_FAIL(ctx, SP_NO_MEMORY, "no memory for a contact solver");
    (*out)->ctx = ctx;
    return SP_OK;
}

void sp__cone_linear_destroy(sp_cone_linear **linear) {
    sp_cone_linear *a = *linear;
    if (!a) return;
    sp__free(a->ctx, a->factor), sp__free(a->ctx, a->store), sp__free(a->ctx, a->rows), sp__free(a->ctx, a->cols);
    sp__free(a->ctx, a->x);
    sp__free(a->ctx, a);
    *linear = NULL;
}

bool sp__cone_is_linear(const sp_cone_run_state *s, const sp_cone_span *island) {
    if (s->o->method != SP_CONE_AUTO || !(s->o->tolerance > 0) || island->row_end - island->row > MOST_ROWS) return false;
    for (int i = island->begin; i < island->end; i++)
        if (sp__cone_at(s->p, i)->kind != SP_CONE_BILATERAL || !(s->weight[i] > 0)) return false;
    return true;
}

// ---------------------------------------------------------------------------------------------------- memory

static sp_status linear_no_memory(const sp_cone_linear *a, int rows) {
    return SP_FAIL(a->ctx, SP_NO_MEMORY, "no memory for a factor of %d rows of links", rows);
}

// Memory for one more factor; what is stored moves with it.
static sp_status reserve_factor(sp_cone_linear *a, size_t numbers, int rows) {
    if (a->used + numbers <= a->store_capacity) return SP_OK;
    double *more;
    const size_t capacity = a->used + numbers + (a->used + numbers) / 4;
    if (!SP_NEW(a->ctx, more, capacity)) return linear_no_memory(a, rows);
    if (a->used) memcpy(more, a->store, a->used * sizeof *more);
    sp__free(a->ctx, a->store);
    a->store = more, a->store_capacity = capacity;
    return SP_OK;
}

static sp_status reserve_scratch(sp_cone_linear *a, int rows) {
    const size_t pack = sp__dense_pack_size(rows, SP_DENSE_PANEL);
    if (pack > a->pack_capacity) {
        sp__free(a->ctx, a->rows), sp__free(a->ctx, a->cols);
        a->rows = a->cols = NULL, a->pack_capacity = 0;
        if (!SP_NEW(a->ctx, a->rows, pack) || !SP_NEW(a->ctx, a->cols, pack)) return linear_no_memory(a, rows);
        a->pack_capacity = pack;
    }
    if (rows > a->x_capacity) {
        sp__free(a->ctx, a->x);
        a->x = NULL, a->x_capacity = 0;
        if (!SP_NEW(a->ctx, a->x, (size_t)rows)) return linear_no_memory(a, rows);
        a->x_capacity = rows;
    }
    return SP_OK;
}

static sp_status follow_problem(sp_cone_linear *a, const sp_cone_problem *p) {
    if (a->p == p && a->revision == p->revision) return SP_OK;
    if (p->island_count > a->island_capacity) {
        sp__free(a->ctx, a->factor);
        a->factor = NULL, a->island_capacity = 0, a->p = NULL;
        if (!SP_NEW(a->ctx, a->factor, (size_t)p->island_count)) return linear_no_memory(a, p->row_count);
        a->island_capacity = p->island_count;
    }
    for (int i = 0; i < p->island_count; i++) a->factor[i] = (linear_factor){.at = SIZE_MAX};
    a->p = p, a->revision = p->revision, a->used = 0;
    return SP_OK;
}

// ---------------------------------------------------------------------------------------------------- factor

// The scaled W, column-major, and behind it the scales of the rows.
static void gather(const sp_cone_run_state *s, const sp_cone_span *island, double *A, double *scale) {
    const sp_cone_problem *p = s->p;
    const int n = island->row_end - island->row;
    memset(A, 0, (size_t)n * (size_t)n * sizeof *A);
    for (int i = island->begin; i < island->end; i++)
        for (int k = p->run_start[i]; k < p->run_start[i + 1]; k++) {
            const sp_cone_run *run = &p->run[k];
            for (int r = 0; r < p->first[i + 1] - p->first[i]; r++) {
                const double *from = sp__cone_panel(p, i) + (ptrdiff_t)r * p->width[i] + run->at;
                // W is symmetric to rounding: a row is a column
                double *to = A + (size_t)(p->first[i] + r - island->row) * (size_t)n + (run->column - island->row);
                memcpy(to, from, (size_t)run->count * sizeof *to);
            }
        }
    for (int i = 0; i < n; i++) scale[i] = A[(size_t)i * (size_t)(n + 1)] > 0 ? 1 / sqrt(A[(size_t)i * (size_t)(n + 1)]) : 0;
    for (int j = 0; j < n; j++)
        for (int i = j; i < n; i++) A[(size_t)j * (size_t)n + (size_t)i] *= scale[i] * scale[j];
}

// False: a pivot is nearly zero.
static bool factorise(sp_cone_linear *a, int n, double *A) {
    const sp_dense_d *dense = sp__dense_d(false);
    for (int j = 0; j < n; j += SP_DENSE_PANEL) {
        const int k = n - j < SP_DENSE_PANEL ? n - j : SP_DENSE_PANEL, m = n - j - k;
        double *D = A + (size_t)j * (size_t)(n + 1), *B = D + k, *C = A + (size_t)(j + k) * (size_t)(n + 1);
        if (dense->diagonal(k, D, n, NULL) < k) return false;
        for (int i = 0; i < k; i++)
            if (!(D[(size_t)i * (size_t)(n + 1)] > sqrt(LEAST_PIVOT))) return false;
        if (m == 0) break;
        dense->below(m, k, D, n, NULL, B, n);
        dense->pack(m, k, B, n, NULL, a->rows, a->cols);
        dense->update(0, m, 0, m, k, a->rows, a->cols, C, n);
    }
    return true;
}

// x = -A^-1 u, added to the multipliers of the island
static void add_solution(sp_cone_linear *a, const sp_cone_run_state *s, const sp_cone_span *island, const double *A,
                         const double *scale) {
    const sp_dense_d *dense = sp__dense_d(false);
    const int n = island->row_end - island->row;
    for (int i = 0; i < n; i++) a->x[i] = -scale[i] * s->u[island->row + i];
    for (int j = 0; j < n; j += SP_DENSE_PANEL) {
        const int k = n - j < SP_DENSE_PANEL ? n - j : SP_DENSE_PANEL;
        dense->forward(n - j, k, A + (size_t)j * (size_t)(n + 1), n, false, a->x + j, a->x + j + k);
    }
    for (int j = (n - 1) / SP_DENSE_PANEL * SP_DENSE_PANEL; j >= 0; j -= SP_DENSE_PANEL) {
        const int k = n - j < SP_DENSE_PANEL ? n - j : SP_DENSE_PANEL;
        dense->backward(n - j, k, A + (size_t)j * (size_t)(n + 1), n, false, a->x + j, a->x + j + k);
    }
    for (int i = 0; i < n; i++) s->x[island->row + i] += scale[i] * a->x[i];
}

sp_status sp__cone_linear_solve(sp_cone_linear *a, const sp_cone_run_state *s, int index, const sp_cone_span *island,
                                sp_cone_outcome *out) {
    const int n = island->row_end - island->row;
    const size_t numbers = (size_t)n * (size_t)n;
    SP_TRY(follow_problem(a, s->p));
    SP_TRY(reserve_scratch(a, n));
    linear_factor *f = &a->factor[index];
    double trace = 0;
    for (int i = island->begin; i < island->end; i++) trace += s->weight[i] * sp__cone_at(s->p, i)->rows;
    if (f->at == SIZE_MAX || f->trace != trace) {
        SP_TRY(reserve_factor(a, numbers + (size_t)n, n));
        double *A = a->store + a->used;
        gather(s, island, A, A + numbers);
        out->work += (double)n * n * n / 3;
        f->at = SIZE_MAX;
        if (!factorise(a, n, A)) return SP_OK;
        *f = (linear_factor){a->used, trace};
        a->used += numbers + (size_t)n;
    }
    const double *A = a->store + f->at;
    for (int i = 0; i <= REFINEMENTS; i++) {
        sp__cone_island_violation(s, island, s->x, s->u);
        out->converged = sp__cone_island_error(s, island, s->x, s->u) <= s->limit;
        if (out->converged || i == REFINEMENTS) break;
        add_solution(a, s, island, A, A + numbers);
        out->iterations++;
    }
    return SP_OK;
}
