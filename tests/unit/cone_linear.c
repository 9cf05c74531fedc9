// Islands of bilateral rows alone are solved by a factor: to rounding, again with another right-hand side, and by the other
// methods where rows repeat or contradict each other.
#include "cone_help.h"

// A chain of groups of 1 to 6 rows in `islands` pieces: W = B B^T + 0.1, with columns of B that two neighbours share.
static void chain(sp_cone_problem *p, int groups, int islands, unsigned long long seed) {
    sp__cone_clear(p);
    for (int i = 0; i < groups; i++) CHECK_INT(sp__cone_add_group(p, SP_CONE_BILATERAL, 1 + i % 6, 0, NULL), SP_OK);
    const int each = groups / islands;
    for (int k = 0; k < islands; k++) {
        int list[200], n = 0;
        for (int i = k * each; i < (k + 1) * each; i++) list[n++] = i;
        CHECK_INT(sp__cone_add_clique(p, n, list), SP_OK);
    }
    CHECK_INT(sp__cone_layout(p), SP_OK);
    const int rows = p->row_count;
    double *B = calloc((size_t)rows * (size_t)rows, sizeof *B);
    for (int i = 0; i < rows * rows; i++) B[i] = sp_test_random(&seed) / sqrt(rows);
    for (int i = 0; i < groups; i++)
        for (int j = 0; j < groups; j++) {
            ptrdiff_t stride;
            double *block = sp__cone_block(p, i, j, &stride);
            for (int r = 0; block && r < p->group[i].rows; r++)
                for (int s = 0; s < p->group[j].rows; s++) {
                    const double *a = B + (size_t)(p->group[i].row + r) * (size_t)rows;
                    const double *b = B + (size_t)(p->group[j].row + s) * (size_t)rows;
                    for (int k = 0; k < rows; k++) block[r * stride + s] += a[k] * b[k];
                    if (i == j && r == s) block[r * stride + s] += 0.1;
                }
        }
    for (int r = 0; r < rows; r++) p->q[r] = sp_test_random(&seed), p->lambda[r] = 0;
    free(B);
}

TEST(linear_islands_are_solved_to_rounding) {
    sp_context *ctx = cone_context(2);
    sp_cone_problem *p = NULL;
    sp_cone_solver *solver = NULL;
    sp_cone_options o = sp__cone_options_default();
    sp_cone_info info;
    REQUIRE(ctx && sp__cone_create(ctx, &p) == SP_OK && sp__cone_solver_create(ctx, &solver) == SP_OK);
    o.tolerance = 1e-13;
    for (int islands = 1; islands <= 3; islands += 2) {
        chain(p, 120, islands, 3);
        for (int again = 0; again < 2; again++) {
            CHECK_INT(sp__cone_solve(solver, p, &o, &info), SP_OK);
            CHECK_INT(info.status, SP_OK);
            CHECK_INT(info.sweeps, 0);
            CHECK_INT(info.islands, islands);
            // the first solve factors, the second one does not
            CHECK(again ? info.work == 0 : info.work > 0);
            double worst = 0;
            for (int r = 0; r < p->row_count; r++) worst = fmax(worst, fabs(p->u[r]));
            CHECK_NEAR(worst, 0, 1e-12);
            for (int r = 0; r < p->row_count; r++) p->q[r] = cos(r), p->lambda[r] = 0;
        }
    }
    sp__cone_solver_destroy(&solver);
    sp__cone_destroy(&p);
    sp_context_destroy(&ctx);
}

// Two equal rows: with equal q any multipliers with the right sum solve them, with different q none do.
TEST(rows_that_repeat_and_contradict) {
    sp_context *ctx = cone_context(1);
    sp_cone_problem *p = NULL;
    sp_cone_solver *solver = NULL;
    sp_cone_options o = sp__cone_options_default();
    sp_cone_info info;
    int both[2] = {0, 1};
    REQUIRE(ctx && sp__cone_create(ctx, &p) == SP_OK && sp__cone_solver_create(ctx, &solver) == SP_OK);
    for (int i = 0; i < 2; i++) sp__cone_add_group(p, SP_CONE_BILATERAL, 1, 0, NULL);
    CHECK(sp__cone_add_clique(p, 2, both) == SP_OK && sp__cone_layout(p) == SP_OK);
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) {
            ptrdiff_t stride;
            *sp__cone_block(p, i, j, &stride) = 2;
        }
    p->q[0] = p->q[1] = -1;
    CHECK_INT(sp__cone_solve(solver, p, &o, &info), SP_OK);
    CHECK_INT(info.status, SP_OK);
    CHECK_NEAR(p->lambda[0] + p->lambda[1], 0.5, 1e-6);
    p->q[1] = 1;
    CHECK_INT(sp__cone_solve(solver, p, &o, &info), SP_OK);
    CHECK_INT(info.status, SP_NOT_CONVERGED);
    CHECK(isfinite(p->lambda[0]) && isfinite(p->lambda[1]));
    sp__cone_solver_destroy(&solver);
    sp__cone_destroy(&p);
    sp_context_destroy(&ctx);
}
