// bench contact, the Delassus operator: W = J A^-1 J^T of contact rows on the factors of the peers' beams (k = 8: 7,776 unknowns,
// k = 12: 24,336), compared with the time in which CHOLMOD solves for the same number of right-hand sides, 64 at a time, in the
// same run and with the same threads.
//
//   nodes     rows on single nodes of the upper face: three directions for each contact
//   surface   rows on points of a finer surface: three directions, each spread over the three nodes of a face
//
//   exact     columns of the rows, as for a factor of each step
//   new       columns of the nodes of a new factor, which are then kept
//   kept      in the steps after that: the columns of the nodes are there
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "contact.h"
#include "core/core.h"
#include "rest_matrix.h"
#include "sparse/inverse_cache.h"

enum { ROWS_MOST = 900, ROW_NODES = 3 };

typedef struct contact_rows {
    int start[ROWS_MOST + 1], row[ROWS_MOST * ROW_NODES];
    double value[ROWS_MOST * ROW_NODES * 3];
} contact_rows;

// Block rows of the nodes of the upper face, along the beam.
static int upper_face(const sp_rest_matrix *m, int *rows) {
    const double *x = sp_mesh_positions(m->mesh);
    int count = 0;
    double top = 0;
    for (int i = 0; i < sp_mesh_node_count(m->mesh); i++) top = fmax(top, x[3 * (size_t)i + 1]);
    for (int i = 0; i < sp_mesh_node_count(m->mesh); i++)
        if (m->row[i] >= 0 && x[3 * (size_t)i + 1] > top * (1 - 1e-9)) rows[count++] = m->row[i];
    return count;
}

// The three directions of a contact are unit vectors: their rotation does not change the cost.
static void fill_rows(int count, int faces, const int *face, bool mapped, contact_rows *J) {
    const double weight[2][ROW_NODES] = {{1, 0, 0}, {0.5, 0.3, 0.2}};
    int nodes = mapped ? ROW_NODES : 1;
    for (int r = 0; r < count; r++) {
        J->start[r] = r * nodes;
        for (int k = 0; k < nodes; k++) {
            int at = r * nodes + k;
            J->row[at] = face[(r / 3 + k) % faces];
            for (int a = 0; a < 3; a++) J->value[3 * at + a] = a == r % 3 ? weight[mapped][k] : 0;
        }
    }
    J->start[count] = count * nodes;
}

typedef enum product_kind { PRODUCT_EXACT, PRODUCT_NEW, PRODUCT_KEPT } product_kind;

static sp_status cached_product(sp_inverse_columns *C, sp_inverse_cache *K, sp_factor *F, const sp_sparse_columns *B, double *G) {
    struct sp_columns_scratch *scratch;
    bool fits;
    SP_TRY(sp__inverse_cache_plan(K, F, B->start[B->count], B->row, false, &fits));
    SP_TRY(sp__inverse_columns_scratch(C, F, &scratch));
    if (!fits) return sp__inverse_columns_product(C, F, B, G, B->count);  // as a compliance does
    sp__inverse_cache_fill(K, F, scratch, NULL);
    return sp__inverse_cache_product(K, F, scratch, B, G, B->count);
}

static sp_status time_product(sp_factor *F, const sp_sparse_columns *B, product_kind kind, int workers, double budget_ms,
                              sp_context *ctx, double *ms, double *reach) {
    sp_inverse_columns *C = NULL;
    sp_inverse_cache *K = NULL;
    double *G = NULL, spent = 0;
    sp_status status = SP_NO_MEMORY;
    *ms = INFINITY;
    if (SP_NEW(ctx, G, (size_t)B->count * (size_t)B->count)) status = sp__inverse_columns_create(ctx, &C);
    if (status >= 0) status = sp__inverse_cache_create(ctx, &K);
    if (status >= 0) status = sp__inverse_columns_product(C, F, B, G, B->count);
    if (status >= 0) *reach = sp__inverse_columns_reach(C);
    if (status >= 0 && kind == PRODUCT_KEPT) status = cached_product(C, K, F, B, G);
    for (int k = 0; status >= 0 && (k < 3 || spent < budget_ms); k++) {
        if (kind == PRODUCT_NEW) sp__inverse_cache_clear(K);
        double start = sp__bench_clock(workers > 1);
        status = kind == PRODUCT_EXACT ? sp__inverse_columns_product(C, F, B, G, B->count) : cached_product(C, K, F, B, G);
        double now = sp__bench_clock(workers > 1) - start;
        *ms = fmin(*ms, now), spent += now;
    }
    sp__inverse_cache_destroy(&K);
    sp__inverse_columns_destroy(&C);
    sp__free(ctx, G);
    return status;
}

static sp_status run_cholmod(const sp_rest_matrix *m, const sp_symbolic *S, int workers, double budget_ms, sp_cholmod *out) {
    sp_exchange x;
    sp_cholmod_job job = {.threads = workers, .repeats = 20, .budget_ms = budget_ms, .many = true};
    SP_TRY(sp__cholmod_open(&x, m, S, &job));
    sp_status status = sp__cholmod_run(&job, out);
    sp__exchange_close(&x);
    return status;
}

static void report_delassus(sp_report *r, int dofs, int rows, const char *compliance, int workers, double ms, double reach,
                            double peer64) {
    sp_row *row = sp__report_case(r);
    double cholmod = peer64 * rows / 64;
    sp__row_number(row, "dofs", "unknowns", "%.0f", dofs);
    sp__row_number(row, "rows", "rows", "%.0f", rows);
    sp__row_text(row, "compliance", "compliance", compliance);
    sp__row_number(row, "threads", "threads", "%.0f", workers);
    sp__row_number(row, "ms", "ms", "%.2f", ms);
    sp__row_number(row, "us_per_row", "us per row", "%.1f", 1000 * ms / rows);
    sp__row_number(row, "reach", "reach", "%.2f", reach);
    sp__row_number(row, "cholmod_ms", "CHOLMOD ms", "%.2f", cholmod);
    sp__row_number(row, "vs_cholmod", "of CHOLMOD", "%.3f", ms / cholmod);
    sp__report_case_done(r);
}

static sp_status run_matrix(const sp_bench_options *o, sp_report *r, const sp_rest_matrix *m, int workers) {
    const int full[] = {50, 150, 300, 900}, quick[] = {24};
    const int *counts = o->quick ? quick : full, cases = o->quick ? 1 : 4;
    double budget = o->quick ? 20 : 400;
    sp_symbolic *S = NULL;
    sp_factor *F = NULL;
    sp_factor_info info;
    sp_cholmod peer;
    contact_rows *J = NULL;
    int *face = NULL, faces = 0;
    sp_status status = SP_NO_MEMORY;
    if (SP_NEW(m->ctx, face, sp_mesh_node_count(m->mesh)) && SP_NEW(m->ctx, J, 1))
        status = sp__symbolic_create(m->ctx, SP_ORDER_AUTO, &m->A.view, m->points, &S);
    if (status >= 0) status = sp__factor_create(m->ctx, &(sp_factor_def){.kind = SP_LLT}, S, &F);
    if (status >= 0) status = sp__factor_make(F, &m->A.view, 0, false, &info);
    if (status >= 0) status = run_cholmod(m, S, workers, budget, &peer);
    if (status >= 0) faces = upper_face(m, face);
    for (int c = 0; c < 6 * cases && status >= 0; c++) {
        static const char *const names[2][3] = {{"exact, nodes", "new, nodes", "kept, nodes"},
                                                {"exact, surface", "new, surface", "kept, surface"}};
        int kind = c / cases / 2, mapped = c / cases % 2, rows = counts[c % cases];
        double ms = NAN, reach = NAN;
        fill_rows(rows, faces, face, mapped, J);
        sp_sparse_columns B = {rows, J->start, J->row, J->value};
        status = time_product(F, &B, (product_kind)kind, workers, budget, m->ctx, &ms, &reach);
        if (status >= 0) report_delassus(r, 3 * m->A.view.n, rows, names[mapped][kind], workers, ms, reach, peer.solve64_ms);
    }
    sp__factor_destroy(&F);
    if (S) sp__symbolic_release(&S);
    sp__free(m->ctx, face), sp__free(m->ctx, J);
    return status;
}

sp_status sp__contact_delassus(const sp_bench_options *o, sp_report *r) {
    const int full[] = {8, 12}, quick[] = {2};
    const int *sizes = o->quick ? quick : full, count = o->quick ? 1 : 2;
    sp_status status = SP_OK;
    for (int i = 0; i < count && status >= 0; i++)
        for (int workers = 1; workers <= o->threads && status >= 0; workers += o->threads > 1 ? o->threads - 1 : 1) {
            sp_rest_matrix m;
            SP_TRY(sp__rest_beam(workers, (int[3]){4 * sizes[i], sizes[i], sizes[i]}, &m));
            status = run_matrix(o, r, &m, workers);
            sp__rest_close(&m);
        }
    return status;
}
