// See compliance.h. All types but the diagonal borrow or own a solver, and use its factor.
#include "linear/compliance.h"

#include <stdio.h>

#include "linear/banded.h"
#include "linear/blocks.h"
#include "math/vec3.h"
#include "sparse/inverse_cache.h"

struct sp_compliance {
    sp_context *ctx;
    const struct sp_backend *be;
    sp_compliance_type type;
    sp_solver_def def;
    sp_solver *own;  // where the body's solver has no factor that fits; NULL until needed
    sp_solver *use;  // the own or the borrowed one; NULL: the diagonal
    bool begun;      // the own one knows that the step has begun
    sp_swap swap;
    bool swapped;
    // of the step
    const sp_system *A;
    sp_coef c;
    sp_factor *F;             // NULL: solves go through `use`
    const double *R;          // rotations of the nodes since the matrix of F (n / 3 x 9); NULL: none
    sp_inverse_cache *cache;  // columns of the inverse of F from earlier steps; NULL: F serves this step only
    int age;
    char name[64];
    // diagonal blocks and their inverses
    sp_matrix m;
    double *diagonal;  // inverse blocks (n / 3 x 9); chains: inverse numbers (n)
    double *impulse;   // of the last committed step, and its length (impulse_n + 1); state
    int impulse_n;
    // scratch
    sp_inverse_columns *columns;
    int *start, *row;
    double *value, *x, *y;
    double *part_x;  // workers x the longest part x lanes
    size_t part_capacity;
    size_t start_capacity, row_capacity, value_capacity, x_capacity, y_capacity, diagonal_capacity;
};

sp_status sp__compliance_create(sp_context *ctx, const struct sp_backend *be, sp_compliance_type type,
                                const sp_solver_def *solver, sp_compliance **out) {
    sp_compliance *C = NULL;
    *out = NULL;
    if (!SP_NEW(ctx, C, 1)) return SP_FAIL(ctx, SP_NO_MEMORY, "no memory for a compliance");
    C->ctx = ctx, C->be = be, C->type = type, C->def = *solver, C->age = -1;
    sp_status status = sp__inverse_columns_create(ctx, &C->columns);
    if (status < 0)
        sp__compliance_destroy(&C);
    else
        *out = C;
    return status;
}

void sp__compliance_destroy(sp_compliance **compliance) {
    sp_compliance *C = *compliance;
    if (!C) return;
    sp_context *ctx = C->ctx;
    void *all[] = {C->start, C->row, C->value, C->x, C->y, C->diagonal, C->part_x, C->impulse};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) sp__free(ctx, all[i]);
    sp__solver_destroy(&C->own);
    sp__matrix_forget(&C->m);
    sp__inverse_columns_destroy(&C->columns);
    sp__free(ctx, C);
    *compliance = NULL;
}

size_t sp__compliance_bytes(const sp_compliance *C) {
    size_t doubles = C->value_capacity + C->x_capacity + C->y_capacity + C->diagonal_capacity + C->part_capacity +
                     (C->impulse ? (size_t)C->impulse_n + 1 : 0);
    return sizeof *C + doubles * sizeof(double) + (C->start_capacity + C->row_capacity) * sizeof(int) + sp__matrix_bytes(&C->m) +
           sp__inverse_columns_bytes(C->columns) + (C->own ? sp__solver_bytes(C->own) : 0);
}

static sp_status compliance_room(sp_compliance *C, void **memory, size_t *capacity, size_t count, size_t size) {
    return sp__scratch_reserve(C->ctx, "a compliance", memory, capacity, count, size);
}

// ---------------------------------------------------------------------------------------------------- which inverse

// The definition of an own solver: a factor of this step's matrix, of the first one, or one from the background thread.
static sp_solver_def own_def(const sp_compliance *C, const sp_system *A) {
    sp_solver_def def = C->def;
    if (A->parts) {
        def.type = SP_SOLVER_BLOCK_TRIDIAGONAL;
    } else if (C->type == SP_COMPLIANCE_EXACT) {
        def.type = SP_SOLVER_CHOLESKY;
    } else {
        def.type = SP_SOLVER_PCG;
        def.pcg.preconditioner = SP_COMPLETE_CHOLESKY, def.pcg.warp = true;
        def.pcg.refresh = C->type == SP_COMPLIANCE_WARPED ? SP_REFRESH_NEVER
                          : C->type == SP_COMPLIANCE_AUTO ? SP_REFRESH_AUTO
                                                          : SP_REFRESH_ASYNC;
    }
    return def;
}

// True if the solver of the free motion has the factor that this type asks for.
static bool fits(const sp_compliance *C, sp_solver *solver, const sp_system *A) {
    sp_factored f;
    if (A->parts) return solver->kind == &sp__solver_banded;
    if (C->type == SP_COMPLIANCE_WARPED || !solver->kind->factored || !solver->kind->factored(solver, &f)) return false;
    if (C->type != SP_COMPLIANCE_EXACT) return true;
    return f.current && (!sp__factor_single(f.F) || C->def.cholesky.precision == SP_FACTOR_FLOAT);
}

static sp_status make_own(sp_compliance *C, const sp_system *A) {
    sp_solver_def def = own_def(C, A);
    return C->own ? SP_OK : sp__solver_create(C->ctx, &def, C->be, &C->own);
}

static sp_status choose_solver(sp_compliance *C, sp_solver *solver, const sp_system *A, sp_coef c) {
    C->use = NULL, C->swapped = false;
    if (C->type == SP_COMPLIANCE_DIAGONAL) return SP_OK;
    if (fits(C, solver, A)) {
        C->use = solver;
        return SP_OK;
    }
    SP_TRY(make_own(C, A));
    if (!C->begun || C->own->step != solver->step) {
        C->own->swap = C->swap;
        sp__solver_step(C->own, solver->step, solver->deterministic);
        C->begun = true;
    }
    sp_linear_info info = {0};
    SP_TRY(C->own->kind->prepare(C->own, A, c, &info));
    C->swapped = info.swapped;
    C->use = C->own;
    return SP_OK;
}

const char *sp__compliance_why(sp_compliance_type type, const sp_solver_def *solver) {
    if (type != SP_COMPLIANCE_AUTO) return "";
    switch (solver->type) {
    case SP_SOLVER_CHOLESKY: return "factor: the solver factors the matrix of each step, so that it is exact";
    case SP_SOLVER_BLOCK_TRIDIAGONAL: return "exact: the solver factors the matrix of each step in one pass";
    case SP_SOLVER_PCG:
        if (solver->pcg.preconditioner == SP_COMPLETE_CHOLESKY)
            return "factor: the preconditioner is a factor, which contacts use too, refined where it is old";
        break;
    default: break;
    }
    return "factor: the solver has none, so that one is computed in the background while the body is touched, refined where it "
           "is old";
}

// ---------------------------------------------------------------------------------------------------- the diagonal

static sp_status diagonal_of_blocks(sp_compliance *C) {
    sp_symmetric view;
    sp__blocks_view(C->m.A, &view);
    SP_TRY(compliance_room(C, (void **)&C->diagonal, &C->diagonal_capacity, 9 * (size_t)view.n, sizeof(double)));
    for (int i = 0; i < view.n; i++) {
        const double *at = sp__symmetric_block(&view, view.row_start[i]);
        double B[9];
        for (int e = 0; e < 9; e++) B[e] = at[view.stride * e];
        sp__inverse3(B, C->diagonal + 9 * (size_t)i);
    }
    return SP_OK;
}

static sp_status diagonal_of_parts(sp_compliance *C) {
    const sp_parts *p = C->A->parts;
    size_t most = 0;
    for (int k = 0; k < p->count; k++) {
        const size_t size = (size_t)(p->start[k + 1] - p->start[k]) * (size_t)(p->band[k] + 1);
        if (size > most) most = size;
    }
    SP_TRY(compliance_room(C, (void **)&C->diagonal, &C->diagonal_capacity, (size_t)C->A->n, sizeof(double)));
    SP_TRY(compliance_room(C, (void **)&C->value, &C->value_capacity, most, sizeof(double)));
    for (int k = 0; k < p->count; k++) {
        memset(C->value, 0, most * sizeof *C->value);
        p->fill(C->A->o, C->c, k, C->value);
        for (int i = p->start[k]; i < p->start[k + 1]; i++)
            C->diagonal[i] = 1 / *sp__banded_at(C->value, p->band[k], i - p->start[k], i - p->start[k]);
    }
    return SP_OK;
}

static sp_status compliance_diagonal(sp_compliance *C) {
    sp_matrix_change change;
    if (C->A->parts) return diagonal_of_parts(C);
    SP_TRY(sp__matrix_follow(&C->m, C->ctx, C->A, C->c, &change));
    if (!C->m.A) return SP_FAIL(C->ctx, SP_BAD_INPUT, "compliance=\"diagonal\": the matrix of the body cannot be assembled");
    return diagonal_of_blocks(C);
}

sp_status sp__compliance_reserve_impulse(sp_compliance *C, int n) {
    if (C->impulse) return SP_OK;
    if (!SP_NEW(C->ctx, C->impulse, (size_t)n + 1)) return SP_FAIL(C->ctx, SP_NO_MEMORY, "no memory for the impulse of contacts");
    C->impulse_n = n;
    return SP_OK;
}

sp_status sp__compliance_prepare(sp_compliance *C, sp_solver *solver, const sp_system *A, sp_coef c) {
    if (C->type == SP_COMPLIANCE_BLOCK_TRIDIAGONAL && !A->parts)
        return SP_FAIL(C->ctx, SP_BAD_INPUT, "compliance=\"block-tridiagonal\": the body is no chain; only rods are");
    if (C->type == SP_COMPLIANCE_AUTO) SP_TRY(sp__compliance_reserve_impulse(C, A->n));
    C->A = A, C->c = c, C->F = NULL, C->R = NULL, C->cache = NULL, C->age = -1;
    SP_TRY(compliance_room(C, (void **)&C->x, &C->x_capacity, (size_t)A->n + 4, sizeof(double)));
    SP_TRY(compliance_room(C, (void **)&C->y, &C->y_capacity, (size_t)A->n + 4, sizeof(double)));
    SP_TRY(choose_solver(C, solver, A, c));
    if (C->use && A->parts) {
        C->age = 0;
        snprintf(C->name, sizeof C->name, "block-tridiagonal");
        return SP_OK;
    }
    sp_factored f;
    if (C->use && C->use->kind->factored(C->use, &f)) {
        C->F = f.F, C->R = f.R, C->cache = f.columns, C->age = f.age;
        if (f.age == 0)
            snprintf(C->name, sizeof C->name, "factor of this step");
        else
            snprintf(C->name, sizeof C->name, "factor, %d steps old", f.age);
        return SP_OK;
    }
    C->use = NULL;
    snprintf(C->name, sizeof C->name, "diagonal");
    return compliance_diagonal(C);
}

void sp__compliance_set_swap(sp_compliance *C, sp_swap swap) {
    C->swap = swap;
}

bool sp__compliance_swapped(const sp_compliance *C) {
    return C->swapped;
}

const char *sp__compliance_name(const sp_compliance *C) {
    return C->name;
}

void sp__compliance_report_stale(sp_compliance *C) {
    if (C->use) sp__solver_report_stale(C->use);
}

int sp__compliance_age(const sp_compliance *C) {
    return C->age;
}

// ---------------------------------------------------------------------------------------------------- products

// The rows as columns of blocks in the frame of the factor's matrix: R^T J^T, zero at fixed unknowns. A row lists the unknowns of
// a node one after the other.
static sp_status block_columns(sp_compliance *C, const sp_rows *J, sp_sparse_columns *out) {
    const int entries = J->start[J->n];
    SP_TRY(compliance_room(C, (void **)&C->start, &C->start_capacity, (size_t)J->n + 1, sizeof(int)));
    SP_TRY(compliance_room(C, (void **)&C->row, &C->row_capacity, (size_t)entries + 1, sizeof(int)));
    SP_TRY(compliance_room(C, (void **)&C->value, &C->value_capacity, 3 * (size_t)entries + 3, sizeof(double)));
    int count = 0;
    C->start[0] = 0;
    for (int r = 0; r < J->n; r++) {
        int first = count;
        for (int k = J->start[r]; k < J->start[r + 1]; k++) {
            int node = J->col[k] / 3;
            if (C->A->fixed[J->col[k]]) continue;
            if (count == first || C->row[count - 1] != node) {
                C->row[count] = node;
                memset(C->value + 3 * (size_t)count, 0, 3 * sizeof *C->value);
                count++;
            }
            C->value[3 * (size_t)(count - 1) + (size_t)(J->col[k] % 3)] += J->val[k];
        }
        C->start[r + 1] = count;
    }
    for (int k = 0; C->R && k < count; k++) {
        const double *R = C->R + 9 * (size_t)C->row[k];
        double *v = C->value + 3 * (size_t)k, t[3];
        for (int a = 0; a < 3; a++) t[a] = R[a] * v[0] + R[3 + a] * v[1] + R[6 + a] * v[2];
        memcpy(v, t, sizeof t);
    }
    *out = (sp_sparse_columns){J->n, C->start, C->row, C->value};
    return SP_OK;
}

// one solve for each row: chains, whose solve is linear in their length, and the diagonal
static void product_by_solves(sp_compliance *C, const sp_rows *J, double *G, int ld) {
    for (int r = 0; r < J->n; r++) {
        memset(C->x, 0, (size_t)C->A->n * sizeof *C->x);
        for (int k = J->start[r]; k < J->start[r + 1]; k++) C->x[J->col[k]] += J->val[k];
        sp__compliance_apply(C, C->x, C->x);
        for (int s = 0; s <= r; s++) {
            double sum = 0;
            for (int k = J->start[s]; k < J->start[s + 1]; k++) sum += J->val[k] * C->x[J->col[k]];
            G[(size_t)r * (size_t)ld + (size_t)s] = G[(size_t)s * (size_t)ld + (size_t)r] = sum;
        }
    }
}

// From blocks of the inverse, most of which earlier steps have computed. False: they would need too much memory.
static sp_status product_by_cache(sp_compliance *C, const sp_sparse_columns *B, double *G, int ld, bool *done) {
    struct sp_columns_scratch *scratch;
    SP_TRY(sp__inverse_cache_plan(C->cache, C->F, B->start[B->count], B->row, false, done));
    if (!*done) return SP_OK;
    SP_TRY(sp__inverse_columns_scratch(C->columns, C->F, &scratch));
    sp__inverse_cache_fill(C->cache, C->F, scratch, NULL);
    return sp__inverse_cache_product(C->cache, C->F, scratch, B, G, ld);
}

sp_status sp__compliance_product(sp_compliance *C, const sp_rows *J, double *G, int ld) {
    sp_sparse_columns B;
    if (!C->F) {
        product_by_solves(C, J, G, ld);
        return SP_OK;
    }
    SP_TRY(block_columns(C, J, &B));
    // rows of many nodes, such as those of volumes: there are fewer of them than columns of their nodes
    enum { NODES = 16 };
    if (C->cache && B.start[B.count] <= NODES * B.count) {
        bool done;
        SP_TRY(product_by_cache(C, &B, G, ld, &done));
        if (done) return SP_OK;
    }
    return sp__inverse_columns_product(C->columns, C->F, &B, G, ld);
}

// ---------------------------------------------------------------------------------------------------- parts

enum { PART_LANES = SP_BANDED_LANES, PART_ROWS = 12 };  // rows of a solve; of a task, a multiple of it

typedef struct parts_job {
    sp_compliance *C;
    const sp_part_rows *list;
    size_t most;  // unknowns of a part
} parts_job;

// The rows of all lists, one list after the other, without what is zero, fixed or of other parts. Columns are those of the part.
static sp_status parts_compress(sp_compliance *C, const sp_rows *J, int lists, const sp_part_rows *list) {
    size_t rows = 0, entries = 0;
    for (int i = 0; i < lists; i++) {
        rows += (size_t)list[i].count;
        for (int k = 0; k < list[i].count; k++) entries += (size_t)(J->start[list[i].row[k] + 1] - J->start[list[i].row[k]]);
    }
    SP_TRY(compliance_room(C, (void **)&C->start, &C->start_capacity, rows + 1, sizeof(int)));
    SP_TRY(compliance_room(C, (void **)&C->row, &C->row_capacity, entries, sizeof(int)));
    SP_TRY(compliance_room(C, (void **)&C->value, &C->value_capacity, entries, sizeof(double)));
    int *start = C->start, at = 0;
    *start = 0;
    for (int i = 0; i < lists; i++) {
        const int from = C->A->parts->start[list[i].part], to = C->A->parts->start[list[i].part + 1];
        for (int r = 0; r < list[i].count; r++) {
            for (int k = J->start[list[i].row[r]]; k < J->start[list[i].row[r] + 1]; k++) {
                const int col = J->col[k];
                if (col < from || col >= to || C->A->fixed[col] || J->val[k] == 0) continue;
                C->row[at] = col - from, C->value[at++] = J->val[k];
            }
            *++start = at;
        }
    }
    return SP_OK;
}

// x = A^-1 times the rows from `start` on, side by side
static void part_solve(const sp_compliance *C, int part, const int *start, int count, double (*x)[PART_LANES]) {
    const sp_parts *p = C->A->parts;
    const int from = p->start[part], n = p->start[part + 1] - from;
    int first = n;
    memset(x, 0, (size_t)n * sizeof *x);
    for (int lane = 0; lane < count; lane++)
        for (int k = start[lane]; k < start[lane + 1]; k++) {
            first = C->row[k] < first ? C->row[k] : first;
            x[C->row[k]][lane] += C->value[k];
        }
    if (C->use) sp__banded_solve_four(sp__solver_part_factor(C->use, part), n, p->band[part], first, x);
    for (int k = first; !C->use && k < n; k++)
        for (int lane = 0; lane < PART_LANES; lane++) x[k][lane] *= C->diagonal[from + k];
}

// The products of the rows i .. i + count - 1 of a list, of which x is A^-1 times them, with themselves and the later ones.
static void part_products(const sp_compliance *C, const sp_part_rows *l, const int *start, int i, int count,
                          double (*x)[PART_LANES]) {
    const size_t rows = (size_t)l->count;
    for (int j = i; j < l->count; j++) {
        double sum[PART_LANES] = {0};
        for (int k = start[j]; k < start[j + 1]; k++)
            for (int lane = 0; lane < PART_LANES; lane++) sum[lane] += C->value[k] * x[C->row[k]][lane];
        for (int lane = 0; lane < count && i + lane <= j; lane++)
            l->G[(size_t)(i + lane) * rows + (size_t)j] = l->G[(size_t)j * rows + (size_t)(i + lane)] = sum[lane];
    }
}

static void part_task(void *arg, int task, int worker) {
    const parts_job *w = arg;
    const sp_part_rows *l = w->list;
    const int *start = w->C->start;
    double(*x)[PART_LANES] = (double(*)[PART_LANES])w->C->part_x + w->most * (size_t)worker;
    for (int tasks; task >= (tasks = (l->count + PART_ROWS - 1) / PART_ROWS); l++) task -= tasks, start += l->count;
    const int end = (task + 1) * PART_ROWS < l->count ? (task + 1) * PART_ROWS : l->count;
    for (int i = task * PART_ROWS; i < end; i += PART_LANES) {
        const int count = end - i < PART_LANES ? end - i : PART_LANES;
        part_solve(w->C, l->part, start + i, count, x);
        part_products(w->C, l, start, i, count, x);
    }
}

sp_status sp__compliance_product_parts(sp_compliance *C, const sp_rows *J, int lists, const sp_part_rows *list) {
    const sp_parts *p = C->A->parts;
    parts_job w = {.C = C, .list = list};
    int tasks = 0;
    for (int i = 0; i < lists; i++) {
        const size_t n = (size_t)(p->start[list[i].part + 1] - p->start[list[i].part]);
        w.most = n > w.most ? n : w.most;
        tasks += (list[i].count + PART_ROWS - 1) / PART_ROWS;
    }
    SP_TRY(parts_compress(C, J, lists, list));
    SP_TRY(compliance_room(C, (void **)&C->part_x, &C->part_capacity, PART_LANES * w.most * (size_t)sp__workers(C->ctx),
                           sizeof(double)));
    sp__parallel(C->ctx, tasks, part_task, &w);
    return SP_OK;
}

// ---------------------------------------------------------------------------------------------------- the correction

static void rotate_nodes(const double *R, bool transposed, int nodes, double *x) {
    for (int i = 0; i < nodes; i++, R += 9, x += 3) {
        double t[3];
        for (int a = 0; a < 3; a++)
            t[a] = transposed ? R[a] * x[0] + R[3 + a] * x[1] + R[6 + a] * x[2]
                              : R[3 * a] * x[0] + R[3 * a + 1] * x[1] + R[3 * a + 2] * x[2];
        memcpy(x, t, sizeof t);
    }
}

static void apply_diagonal(const sp_compliance *C, double *x) {
    for (int i = 0; C->A->parts && i < C->A->n; i++) x[i] *= C->diagonal[i];
    for (int i = 0; !C->A->parts && i < C->A->n / 3; i++) {
        const double *B = C->diagonal + 9 * (size_t)i;
        double *at = x + 3 * (size_t)i, t[3];
        for (int a = 0; a < 3; a++) t[a] = B[3 * a] * at[0] + B[3 * a + 1] * at[1] + B[3 * a + 2] * at[2];
        memcpy(at, t, sizeof t);
    }
}

void sp__compliance_apply(sp_compliance *C, const double *b, double *x) {
    const unsigned char *fixed = C->A->fixed;
    int n = C->A->n;
    double *y = C->y;
    for (int i = 0; i < n; i++) y[i] = fixed[i] ? 0 : b[i];
    if (C->F) {
        if (C->R) rotate_nodes(C->R, true, n / 3, y);
        sp__factor_solve(C->F, y, y, false);
        if (C->R) rotate_nodes(C->R, false, n / 3, y);
    } else if (C->use) {
        C->use->kind->apply(C->use, y);
    } else {
        apply_diagonal(C, y);
    }
    for (int i = 0; i < n; i++) x[i] = fixed[i] ? 0 : y[i];
}

void sp__compliance_undo(sp_compliance *C, uint64_t step) {
    if (C->own && C->own->step == step) sp__solver_step(C->own, step, C->own->deterministic);
    C->begun = false;
}

// ---------------------------------------------------------------------------------------------------- checkpoints

double *sp__compliance_impulse(const sp_compliance *C) {
    return C->impulse;
}

void sp__compliance_visit(sp_compliance *C, struct sp_visitor *v) {
    if (C->own) sp__solver_visit(C->own, v);
}

sp_status sp__compliance_prime(sp_compliance *C, const sp_system *A, sp_coef c) {
    sp_linear_info info = {0};
    SP_TRY(make_own(C, A));
    sp__solver_step(C->own, 0, true);
    return C->own->kind->prepare(C->own, A, c, &info);
}

sp_status sp__compliance_restored(sp_compliance *C) {
    if (!C->own) return SP_OK;
    C->own->step = 0, C->begun = false;  // the next step is a new one to it
    return sp__solver_restored(C->own);
}
