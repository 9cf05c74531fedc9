// Times of the three phases of a direct solver.
#include <stdio.h>

#include "core/core.h"
#include "rest_matrix.h"

enum { LEAST = 3, MOST = 400 };

static bool again(int done, double begun, double budget_ms) {
    return done < LEAST || (done < MOST && sp__bench_clock(true) - begun < budget_ms);
}

sp_status sp__time_analyse(const sp_rest_matrix *m, int workers, double budget_ms, sp_symbolic **out, double *ms) {
    double begun = sp__bench_clock(true);
    sp_status status = SP_OK;
    *ms = INFINITY;
    for (int i = 0; (i == 0 || sp__bench_clock(true) - begun < budget_ms) && i < LEAST && status >= 0; i++) {
        if (*out) sp__symbolic_release(out);
        double start = sp__bench_clock(workers > 1);
        status = sp__symbolic_create(m->ctx, SP_ORDER_AUTO, &m->A.view, m->points, out);
        *ms = fmin(*ms, sp__bench_clock(workers > 1) - start);
    }
    if (status < 0) fprintf(stderr, "bench: analysis: %s\n", sp_context_error(m->ctx)->message);
    return status;
}

sp_status sp__time_factor(sp_factor *F, const sp_symmetric *A, int workers, double budget_ms, double *ms) {
    double begun = sp__bench_clock(true);
    *ms = INFINITY;
    for (int i = 0; again(i, begun, budget_ms); i++) {
        sp_factor_info info;
        double start = sp__bench_clock(workers > 1);
        sp_status status = sp__factor_make(F, A, 0, false, &info);
        *ms = fmin(*ms, sp__bench_clock(workers > 1) - start);
        if (status == SP_OK) continue;
        fprintf(stderr, "bench: factor: %s at unknown %d\n", sp_status_text(status), info.unknown);
        return status < 0 ? status : SP_DIVERGED;
    }
    return SP_OK;
}

sp_status sp__time_solve(sp_factor *F, int count, const double *B, double *X, int workers, double budget_ms, double *ms) {
    double begun = sp__bench_clock(true);
    *ms = INFINITY;
    for (int i = 0; again(i, begun, budget_ms); i++) {
        double start = sp__bench_clock(workers > 1);
        if (count == 1)
            sp__factor_solve(F, B, X, false);
        else
            SP_TRY(sp__factor_solve_many(F, count, B, X));
        *ms = fmin(*ms, sp__bench_clock(workers > 1) - start);
    }
    return SP_OK;
}
