// The n-th allocation of a contact problem and its solvers fails, for every n: no crash, no leak, and the second try succeeds.
#include "contact/solve.h"
#include "failing.h"
#include "test.h"

// a chain of contacts, some of every kind
static sp_status build(sp_cone_problem *p) {
    sp__cone_clear(p);
    for (int i = 0; i < 12; i++) {
        sp_cone_kind kind = i % 4 == 1 ? SP_CONE_UNILATERAL : i % 4 == 3 ? SP_CONE_BILATERAL : SP_CONE_COULOMB;
        SP_TRY(sp__cone_add_group(p, kind, kind == SP_CONE_COULOMB ? 3 : kind == SP_CONE_BILATERAL ? 2 : 1, 0.4, NULL));
        if (i > 0) SP_TRY(sp__cone_add_clique(p, 2, (int[]){i - 1, i}));
    }
    SP_TRY(sp__cone_layout(p));
    for (int i = 0; i < 12; i++)
        for (int r = 0; r < p->group[i].rows; r++) sp__cone_soften(p, i, r, 2), p->q[p->group[i].row + r] = r ? 0.3 : -1;
    return SP_OK;
}

static void multiply(void *user, const double *x, double *y) {
    sp__cone_multiply(user, x, y);
}

static sp_status run(sp_context *ctx, sp_cone_problem *p, sp_cone_solver *s) {
    static const double weight[12] = {2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2};
    sp_cone_info info;
    SP_TRY(build(p));
    for (int m = 0; m < 4; m++) {
        sp_cone_options o = sp__cone_options_default();
        o.method = (sp_cone_method)m;
        SP_TRY(sp__cone_solve(s, p, &o, &info));
        CHECK(info.residual <= 1e-6);
    }
    sp_cone_operator op = {12, p->row_count, p->group, weight, p->q, p->lambda, p->u, multiply, p};
    sp_cone_options o = sp__cone_options_default();
    return sp__cone_solve_operator(ctx, &op, &o, &info);
}

TEST(every_allocation_fails_once) {
    long total = 0;
    for (long fail = 0; fail <= total; fail++) {
        counter c = {.fail_at = 0};
        sp_context_def def = sp_context_def_default();
        sp_context *ctx = NULL;
        sp_cone_problem *p = NULL;
        sp_cone_solver *s = NULL;
        def.alloc = count_alloc, def.free = count_free, def.alloc_user = &c, def.workers = 1;
        REQUIRE(sp_context_create(&def, &ctx) == SP_OK);
        c.calls = 0, c.fail_at = fail;
        sp_status status = sp__cone_create(ctx, &p);
        if (status >= 0) status = sp__cone_solver_create(ctx, &s);
        if (status >= 0) status = run(ctx, p, s);
        CHECK_INT(status, fail ? SP_NO_MEMORY : SP_OK);
        if (fail == 0) total = c.calls;
        if (p && s) CHECK_INT(run(ctx, p, s), SP_OK);
        sp__cone_solver_destroy(&s);
        sp__cone_destroy(&p);
        sp_context_destroy(&ctx);
        CHECK_INT(c.live, 0);
    }
    CHECK(total > 40);
}
