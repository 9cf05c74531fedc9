// bench contact, Gauss-Seidel: 100 sweeps over a dense W, as Courtecuisse 2011 (section 5.3) measured them, by rows, strategy and
// threads, compared with the STREAM triad of the same run and threads: a sweep reads W once, so its limit is the bandwidth. Where
// W fits into the caches it is faster than STREAM.
//
// Claims: 70% of STREAM where W exceeds the caches; `graph` on two threads 1.6 times as fast as `sequential` between 1000 and
// 1800 rows, and beyond that by 0.9 of the ratio of STREAM on two threads and one.
#include <stdio.h>
#include <stdlib.h>

#include "contact.h"
#include "contact/solve.h"
#include "core/core.h"

enum { SWEEPS = 100 };

typedef struct sweep_case {
    sp_cone_strategy strategy;
    const char *name;
    int threads;
} sweep_case;

// Dense, diagonally dominant, with contacts that are open, stick and slip.
static sp_status dense_problem(sp_context *ctx, int contacts, sp_cone_problem **out) {
    int *all;
    uint64_t random = 11;
    SP_TRY(sp__cone_create(ctx, out));
    sp_cone_problem *p = *out;
    for (int i = 0; i < contacts; i++) SP_TRY(sp__cone_add_group(p, SP_CONE_COULOMB, 3, 0.4, NULL));
    if (!SP_NEW(ctx, all, contacts)) return SP_NO_MEMORY;
    for (int i = 0; i < contacts; i++) all[i] = i;
    sp_status status = sp__cone_add_clique(p, contacts, all);
    sp__free(ctx, all);
    SP_TRY(status);
    SP_TRY(sp__cone_layout(p));
    for (int i = 0; i < p->row_count; i++) {
        for (int j = 0; j < p->row_count; j++)
            p->val[(size_t)i * (size_t)p->row_count + (size_t)j] =
                i == j ? 2 : 1.0 / (1.0 + (double)((i * 31 + j * 31) % 997 + abs(i - j)));
        random = random * 6364136223846793005ull + 1442695040888963407ull;
        p->q[i] = (double)(random >> 11) * (2.0 / 9007199254740992.0) - 1.0;
    }
    return SP_OK;
}

static sp_status time_sweeps(int contacts, const sweep_case *c, int repeats, double *ms) {
    sp_context_def def = sp_context_def_default();
    sp_context *ctx = NULL;
    sp_cone_problem *p = NULL;
    sp_cone_solver *solver = NULL;
    sp_cone_options options = sp__cone_options_default();
    sp_cone_info info;
    def.workers = c->threads;
    SP_TRY(sp_context_create(&def, &ctx));
    options.method = SP_CONE_GAUSS_SEIDEL, options.strategy = c->strategy, options.tolerance = 0, options.sweeps = SWEEPS;
    *ms = INFINITY;
    sp_status status = dense_problem(ctx, contacts, &p);
    if (status >= 0) status = sp__cone_solver_create(ctx, &solver);
    for (int i = 0; i < repeats && status >= 0; i++) {
        memset(p->lambda, 0, (size_t)p->row_count * sizeof *p->lambda);
        double start = sp__now_ms();
        status = sp__cone_solve(solver, p, &options, &info);
        *ms = fmin(*ms, sp__now_ms() - start);
    }
    sp__cone_solver_destroy(&solver);
    sp__cone_destroy(&p);
    sp_context_destroy(&ctx);
    return status;
}

sp_status sp__contact_sweeps(const sp_bench_options *o, sp_report *r) {
    static const int rows[] = {60, 180, 300, 600, 1002, 1200, 1500, 1800, 2400, 3600, 6000};
    const sweep_case cases[] = {{SP_CONE_SEQUENTIAL, "sequential", 1},
                                {SP_CONE_BLOCK, "block", o->threads},
                                {SP_CONE_GRAPH, "graph", 1},
                                {SP_CONE_GRAPH, "graph", o->threads}};
    sp_machine machine = {0};
    sp__machine_describe(&machine);
    double beyond = o->quick ? 48e6 : fmax(192e6, 8 * machine.l3_bytes);  // total of the three arrays of STREAM
    double stream[2] = {sp__stream_gb(1, beyond, 3), sp__stream_gb(o->threads, beyond / o->threads, 3)};
    for (size_t i = 0; i < (o->quick ? 3 : sizeof rows / sizeof *rows); i++) {
        double sequential = NAN;
        for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
            const sweep_case *c = &cases[k];
            if (k == 3 && o->threads == 1) continue;
            double ms, bytes = 8.0 * rows[i] * rows[i] * SWEEPS;
            SP_TRY(time_sweeps(rows[i] / 3, c, rows[i] > 2000 ? 3 : 10, &ms));
            if (k == 0) sequential = ms;
            sp_row *row = sp__report_case(r);
            sp__row_number(row, "rows", "rows", "%.0f", rows[i]);
            sp__row_text(row, "strategy", "strategy  ", c->name);
            sp__row_number(row, "threads", "threads", "%.0f", c->threads);
            sp__row_number(row, "ms_100_sweeps", "ms of 100 sweeps", "%.2f", ms);
            sp__row_number(row, "gb_per_s", "GB/s", "%.1f", 1e-6 * bytes / ms);
            sp__row_number(row, "stream_gb_per_s", "STREAM", "%.1f", stream[c->threads > 1]);
            sp__row_number(row, "vs_sequential", "sequential /", "%.2f", sequential / ms);
            sp__report_case_done(r);
        }
    }
    return SP_OK;
}
