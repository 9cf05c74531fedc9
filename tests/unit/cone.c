// The problem of contact and the problem of one group: layout, islands, residual, and all laws of a single contact against their
// closed forms.
#include "cone_help.h"
#include "contact/factor.h"

TEST(islands_follow_from_cliques) {
    sp_context *ctx = cone_context(1);
    sp_cone_problem *p;
    REQUIRE(ctx && sp__cone_create(ctx, &p) == SP_OK);
    for (int round = 0; round < 2; round++) {  // the second time in the memory of the first
        sp__cone_clear(p);
        for (int i = 0; i < 6; i++)
            CHECK_INT(sp__cone_add_group(p, i == 4 ? SP_CONE_UNILATERAL : SP_CONE_COULOMB, i == 4 ? 1 : 3, 0.3, NULL), SP_OK);
        CHECK_INT(sp__cone_add_clique(p, 3, (int[]){0, 3, 5}), SP_OK);
        CHECK_INT(sp__cone_add_clique(p, 2, (int[]){1, 4}), SP_OK);
        CHECK_INT(sp__cone_layout(p), SP_OK);
        CHECK_INT(p->island_count, 3);
        CHECK_INT(p->row_count, 16);
        static const int order[] = {0, 3, 5, 1, 4, 2}, starts[] = {0, 3, 5, 6};
        for (int i = 0; i < 6; i++) CHECK_INT(p->order[i], order[i]);
        for (int i = 0; i < 4; i++) CHECK_INT(p->island_start[i], starts[i]);
        ptrdiff_t stride;
        CHECK(sp__cone_block(p, 0, 5, &stride) && sp__cone_block(p, 4, 1, &stride));
        CHECK(!sp__cone_block(p, 0, 1, &stride) && !sp__cone_block(p, 2, 3, &stride));
        CHECK_INT(p->val_count, 81 + 16 + 9);  // 9 x 9, 4 x 4 and 3 x 3: full islands are dense
    }
    sp__cone_destroy(&p);
    sp_context_destroy(&ctx);
}

TEST(wrong_groups_are_refused) {
    sp_context *ctx = cone_context(1);
    sp_cone_problem *p;
    REQUIRE(ctx && sp__cone_create(ctx, &p) == SP_OK);
    CHECK_INT(sp__cone_add_group(p, SP_CONE_COULOMB, 2, 0.3, NULL), SP_BAD_INPUT);
    CHECK_INT(sp__cone_add_group(p, SP_CONE_BILATERAL, 7, 0, NULL), SP_BAD_INPUT);
    CHECK_INT(sp__cone_add_group(p, SP_CONE_COULOMB, 3, -0.1, NULL), SP_BAD_INPUT);
    CHECK(strstr(sp_context_error(ctx)->message, "-0.1"));
    CHECK_INT(sp__cone_add_group(p, SP_CONE_COULOMB, 3, NAN, NULL), SP_BAD_INPUT);
    CHECK_INT(sp__cone_add_clique(p, 2, (int[]){0, 1}), SP_BAD_INPUT);
    sp__cone_destroy(&p);
    sp_context_destroy(&ctx);
}

TEST(reserved_memory_is_enough_for_the_next_steps) {
    sp_context *ctx = cone_context(1);
    sp_cone_problem *p;
    REQUIRE(ctx && sp__cone_create(ctx, &p) == SP_OK);
    REQUIRE(sp__cone_reserve(p, 40, 120, 200, 120 * 120) == SP_OK);
    uint64_t before = 0, after = 0;
    for (int step = 0; step < 3; step++) {
        sp__cone_clear(p);
        for (int i = 0; i < 40 - step; i++) sp__cone_add_group(p, SP_CONE_COULOMB, 3, 0.3, NULL);
        for (int i = 1; i < 40 - step; i++) sp__cone_add_clique(p, 2, (int[]){i - 1, i});
        CHECK_INT(sp__cone_layout(p), SP_OK);
        after = ctx->allocations;
        if (step == 0) before = after;  // the runs of the first layout
    }
    CHECK(before == after);
    sp__cone_destroy(&p);
    sp_context_destroy(&ctx);
}

TEST(projection_onto_the_cone) {
    double p[3];
    sp__cone_project(0.5, (double[3]){2, 0.6, 0.8}, p);  // inside
    CHECK_NEAR(p[0], 2, 0);
    CHECK_NEAR(p[1], 0.6, 0);
    sp__cone_project(0.5, (double[3]){-2, 0.6, 0.8}, p);  // in the polar cone
    CHECK_NEAR(fabs(p[0]) + fabs(p[1]) + fabs(p[2]), 0, 0);
    sp__cone_project(1, (double[3]){0, 3, 4}, p);  // to the middle of the edge
    CHECK_NEAR(p[0], 2.5, 1e-15);                  // rounding
    CHECK_NEAR(p[1], 1.5, 1e-15);
    CHECK_NEAR(p[2], 2.0, 1e-15);
}

// ------------------------------------------------------------------------------------------------ one contact

static void check_single(double mu, const double w[9], const double q[3], const double expected[3]) {
    static const sp_cone_method methods[] = {SP_CONE_AUTO, SP_CONE_GAUSS_SEIDEL, SP_CONE_INTERIOR_POINT, SP_CONE_DIRECT};
    sp_context *ctx = cone_context(1);
    sp_cone_solver *solver = NULL;
    REQUIRE(ctx && sp__cone_solver_create(ctx, &solver) == SP_OK);
    for (int local = 0; local < 2; local++)
        for (int m = 0; m < 4; m++) {
            sp_cone_problem *p = cone_single(ctx, mu, w, q);
            sp_cone_options o = sp__cone_options_default();
            sp_cone_info info;
            o.method = methods[m], o.local = local ? SP_CONE_LOCAL_NEWTON : SP_CONE_LOCAL_PROJECTION, o.tolerance = 1e-12;
            CHECK_INT(sp__cone_solve(solver, p, &o, &info), SP_OK);
            CHECK_INT(info.status, SP_OK);
            // numbers of order one, solved to a residual of 1e-12 with condition numbers below 100
            for (int r = 0; r < 3; r++) CHECK_NEAR(p->lambda[r], expected[r], 1e-10);
            sp__cone_destroy(&p);
        }
    sp__cone_solver_destroy(&solver);
    sp_context_destroy(&ctx);
}

TEST(one_contact_open_sticks_and_slips) {
    const double unit[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    check_single(0.5, unit, (double[3]){0.3, 1, -2}, (double[3]){0, 0, 0});          // separates
    check_single(0.5, unit, (double[3]){-2, 0.6, -0.8}, (double[3]){2, -0.6, 0.8});  // on the edge of sticking
    check_single(0.5, unit, (double[3]){-2, 0.3, -0.4}, (double[3]){2, -0.3, 0.4});  // sticks
    check_single(0.5, unit, (double[3]){-2, 3, -4}, (double[3]){2, -0.6, 0.8});      // slips
    check_single(0, unit, (double[3]){-2, 3, -4}, (double[3]){2, 0, 0});             // without friction
    check_single(1e4, unit, (double[3]){-2, 3, -4}, (double[3]){2, -3, 4});          // practically glued
    // badly scaled: the block of a small mass
    const double light[9] = {1e6, 0, 0, 0, 1e6, 0, 0, 0, 1e6};
    check_single(0.5, light, (double[3]){-2e6, 3e6, -4e6}, (double[3]){2, -0.6, 0.8});
}

// Slip with coupling of normal and tangent: u_N = 0 and u_T opposite to friction give a line for each direction; here the motion
// stays in the plane of n and t1, so that x_t = -mu x_n and x_n = -q_n / (w_nn - mu w_nt).
TEST(one_contact_slips_with_coupling) {
    const double mu = 0.4, w[9] = {2, 0.5, 0, 0.5, 1, 0, 0, 0, 1.5}, q[3] = {-1, 3, 0};
    double n = 1 / (2 - mu * 0.5);
    check_single(mu, w, q, (double[3]){n, -mu * n, 0});
    // and turned around: friction along +t1
    double m = 1 / (2 + mu * 0.5);
    check_single(mu, w, (double[3]){-1, -3, 0}, (double[3]){m, mu * m, 0});
}

// The local solver solves one contact in one visit, for any positive definite block.
TEST(local_newton_is_exact) {
    sp_context *ctx = cone_context(1);
    sp_cone_solver *solver = NULL;
    unsigned long long seed = 5;
    int open = 0, stick = 0, slip = 0;
    REQUIRE(ctx && sp__cone_solver_create(ctx, &solver) == SP_OK);
    for (int k = 0; k < 2000; k++) {
        double a[9], w[9] = {0}, q[3], mu = 0.01 + 0.75 * (1 + sp_test_random(&seed));
        for (int i = 0; i < 9; i++) a[i] = sp_test_random(&seed);
        for (int i = 0; i < 3; i++) {
            q[i] = 2 * sp_test_random(&seed) - (i == 0);
            for (int j = 0; j < 3; j++)
                for (int l = 0; l < 3; l++) w[3 * i + j] += a[3 * i + l] * a[3 * j + l];
            w[4 * i] += 0.05;
        }
        sp_cone_problem *p = cone_single(ctx, mu, w, q);
        sp_cone_options o = sp__cone_options_default();
        sp_cone_info info;
        o.method = SP_CONE_GAUSS_SEIDEL, o.local = SP_CONE_LOCAL_NEWTON, o.tolerance = 0, o.sweeps = 1;
        CHECK_INT(sp__cone_solve(solver, p, &o, &info), SP_OK);
        CHECK_NEAR(info.residual, 0, 1e-9);  // rounding times the condition of a block, at most 1e4, and of the root
        bool closed = p->lambda[0] > 0, edge = hypot(p->u[1], p->u[2]) > 1e-9;
        open += !closed, stick += closed && !edge, slip += closed && edge;
        sp__cone_destroy(&p);
    }
    CHECK(open > 200 && stick > 200 && slip > 200);
    sp__cone_solver_destroy(&solver);
    sp_context_destroy(&ctx);
}

// ------------------------------------------------------------------------------------------------ factors

// P (s W s + shift) + D against its dense product, on several patterns
TEST(factors_solve_with_the_pattern_of_w) {
    sp_context *ctx = cone_context(1);
    sp_cone_factor *F;
    REQUIRE(ctx && sp__cone_factor_create(ctx, &F) == SP_OK);
    for (int k = 0; k < 6; k++) {
        cone_recipe recipe = {.contacts = 3 + 17 * k,
                              .bodies = 2 + 5 * k,
                              .mu = 0.5,
                              .ratio = 10,
                              .unilateral = 5,
                              .bilateral = 7,
                              .seed = (unsigned)k};
        sp_cone_problem *p;
        unsigned long long seed = 99;
        REQUIRE(cone_random(ctx, &recipe, &p) == SP_OK);
        for (int island = 0; island < p->island_count; island++) {
            int begin = p->island_start[island], end = p->island_start[island + 1], n = p->first[end] - p->first[begin];
            size_t groups = (size_t)(end - begin);
            double *P = calloc(36 * groups, sizeof *P), *D = calloc(36 * groups, sizeof *D), *s = calloc(groups, sizeof *s);
            double *x = calloc((size_t)n, sizeof *x), *b = calloc((size_t)n, sizeof *b), *wx = calloc((size_t)n, sizeof *wx);
            for (size_t g = 0; g < groups; g++) {
                int rows = p->first[begin + (int)g + 1] - p->first[begin + (int)g];
                s[g] = 1 + 0.3 * sp_test_random(&seed);
                for (int r = 0; r < rows * rows; r++)
                    P[36 * g + (size_t)r] = 0.2 * sp_test_random(&seed), D[36 * g + (size_t)r] = 0.2 * sp_test_random(&seed);
                for (int r = 0; r < rows; r++)
                    P[36 * g + (size_t)(r * (rows + 1))] += 1, D[36 * g + (size_t)(r * (rows + 1))] += 1;
            }
            for (int i = 0; i < n; i++) x[i] = sp_test_random(&seed);
            for (int i = begin; i < end; i++)  // b = A x
                for (int j = begin; j < end; j++) {
                    const double *block = sp__cone_block_at(p, i, j);
                    for (int r = p->first[i]; r < p->first[i + 1] && block; r++)
                        for (int c = p->first[j]; c < p->first[j + 1]; c++) {
                            double w =
                                s[i - begin] * s[j - begin] * block[(ptrdiff_t)(r - p->first[i]) * p->width[i] + c - p->first[j]];
                            wx[r - p->first[begin]] += (w + (r == c ? 0.01 : 0)) * x[c - p->first[begin]];
                        }
                }
            for (int i = begin; i < end; i++) {
                int rows = p->first[i + 1] - p->first[i], row = p->first[i] - p->first[begin];
                for (int r = 0; r < rows; r++)
                    for (int c = 0; c < rows; c++)
                        b[row + r] +=
                            P[36 * (i - begin) + r * rows + c] * wx[row + c] + D[36 * (i - begin) + r * rows + c] * x[row + c];
            }
            sp_cone_matrix A = {P, D, s, 0.01};
            CHECK_INT(sp__cone_factor_analyse(F, p, begin, end), SP_OK);
            CHECK_INT(sp__cone_factor_reserve(F), SP_OK);
            CHECK_INT(sp__cone_factor_make(F, p, &A), 0);
            sp__cone_factor_solve(F, b, b);
            for (int i = 0; i < n; i++) CHECK_NEAR(b[i], x[i], 1e-10);  // condition below 1e4
            free(P), free(D), free(s), free(x), free(b), free(wx);
        }
        sp__cone_destroy(&p);
    }
    sp__cone_factor_destroy(&F);
    sp_context_destroy(&ctx);
}
