// Solves: many right-hand sides against one, sparse ones against dense ones and against the part of the tree that they may visit.
#include "factor_help.h"
#include "meter.h"

typedef struct fixture {
    sp_context *ctx;
    sp_symmetric_own A;
    sp_symbolic *S;
    sp_factor *F;
    int n;
    double *b, *x, *y;
} fixture;

static fixture fixture_new(sp_context *ctx, sp_factor_def def, int along, int across) {
    fixture f = {.ctx = ctx};
    sp_mesh *mesh = help_beam(ctx, along, across);
    sp_factor_info info;
    f.A = help_elastic(ctx, mesh);
    sp__symbolic_create(ctx, SP_ORDER_AUTO, &f.A.view, sp_mesh_positions(mesh), &f.S);
    sp__factor_create(ctx, &def, f.S, &f.F);
    CHECK_INT(sp__factor_make(f.F, &f.A.view, 0, false, &info), SP_OK);
    f.n = 3 * f.A.view.n;
    f.b = help_vector(70 * f.n, 1), f.x = help_vector(70 * f.n, 2), f.y = help_vector(70 * f.n, 3);
    sp_mesh_destroy(&mesh);
    return f;
}

static void fixture_free(fixture *f) {
    sp__factor_destroy(&f->F);
    sp__symbolic_release(&f->S);
    sp__symmetric_free(&f->A);
    free(f->b), free(f->x), free(f->y);
}

static double apart(int n, const double *x, const double *y) {
    double worst = 0, most = 0;
    for (int i = 0; i < n; i++) worst = fmax(worst, fabs(x[i] - y[i])), most = fmax(most, fabs(x[i]));
    return isfinite(worst) ? worst / most : INFINITY;
}

// two orders of the same sums: they differ by the condition number (about 1e3) times the unit roundoff, with a margin for the
// sums
static double rounding(const sp_factor *F) {
    return F->def.single ? 1e-3 : 1e-12;
}

static void each_kind(void (*check)(fixture *f)) {
    for (int flags = 0; flags < 8; flags++) {
        sp_context *ctx = help_context(flags & 4 ? 3 : 1);
        fixture f = fixture_new(ctx, (sp_factor_def){.kind = flags & 1 ? SP_LDLT : SP_LLT, .single = flags & 2}, 12, 3);
        check(&f);
        fixture_free(&f);
        sp_context_destroy(&ctx);
    }
}

static void check_in_place(fixture *f) {
    sp__factor_solve(f->F, f->b, f->x, false);
    memcpy(f->y, f->b, (size_t)f->n * sizeof *f->y);
    sp__factor_solve(f->F, f->y, f->y, true);
    CHECK(memcmp(f->x, f->y, (size_t)f->n * sizeof *f->x) == 0);
}

TEST(solution_and_right_hand_side_may_be_the_same_array) {
    each_kind(check_in_place);
}

static void check_many(fixture *f) {
    const int counts[] = {1, 2, 7, 8, 9, 16, 17, 32, 33, 64, 70};
    for (int i = 0; i < 70; i++) sp__factor_solve(f->F, f->b + i * f->n, f->x + i * f->n, false);
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
        memcpy(f->y, f->b, (size_t)(70 * f->n) * sizeof *f->y);
        CHECK_INT(sp__factor_solve_many(f->F, counts[c], c % 2 ? f->y : f->b, f->y), SP_OK);
        CHECK_NEAR(apart(counts[c] * f->n, f->x, f->y), 0, rounding(f->F));
        // the others are not changed
        CHECK(memcmp(f->y + counts[c] * f->n, f->b + counts[c] * f->n, (size_t)((70 - counts[c]) * f->n) * sizeof *f->y) == 0);
    }
    CHECK_INT(sp__factor_solve_many(f->F, 0, f->b, f->y), SP_OK);
}

TEST(many_right_hand_sides_equal_single_solves) {
    each_kind(check_many);
}

TEST(backward_error_of_many_right_hand_sides) {
    sp_context *ctx = help_context(2);
    fixture f = fixture_new(ctx, (sp_factor_def){0}, 12, 4);
    CHECK_INT(sp__factor_solve_many(f.F, 70, f.b, f.x), SP_OK);
    for (int i = 0; i < 70; i++) CHECK_NEAR(help_backward_error(&f.A.view, f.b + i * f.n, f.x + i * f.n), 0, 1e-14);
    fixture_free(&f);
    sp_context_destroy(&ctx);
}

TEST(workers_do_not_change_a_bit) {
    const int workers[4] = {1, 2, 3, 7};
    double *first = NULL;
    for (int i = 0; i < 4; i++) {
        sp_context *ctx = help_context(workers[i]);
        fixture f = fixture_new(ctx, (sp_factor_def){0}, 16, 6);
        REQUIRE(f.S->entries > SP_SOLVE_WIDE);  // large enough for several workers
        sp__factor_solve(f.F, f.b, f.x, false);
        CHECK_INT(sp__factor_solve_many(f.F, 69, f.b, f.x + f.n), SP_OK);
        sp__factor_solve(f.F, f.b, f.y, true);
        CHECK(memcmp(f.x, f.y, (size_t)f.n * sizeof *f.x) == 0);
        if (first)
            CHECK(memcmp(f.x, first, 70 * (size_t)f.n * sizeof *f.x) == 0);
        else
            memcpy(first = malloc(70 * (size_t)f.n * sizeof *first), f.x, 70 * (size_t)f.n * sizeof *first);
        fixture_free(&f);
        sp_context_destroy(&ctx);
    }
    free(first);
}

// one front of several steps and parts
TEST(large_panels_are_shared_without_changing_a_bit) {
    const int workers[4] = {1, 2, 3, 7};
    double *b = help_vector(720, 1), *x = help_vector(720, 2), *first = help_vector(720, 3);
    unsigned char all[240 * 240];
    memset(all, 1, sizeof all);
    for (int flags = 0; flags < 8; flags++)
        for (int i = 0; i < 4; i++) {
            sp_context *ctx = help_context(workers[i]);
            sp_symmetric_own A = help_matrix(ctx, 240, 3, all, 5);
            sp_symbolic *S = NULL;
            sp_factor *F = NULL;
            sp_factor_info info;
            sp_factor_def def = {.kind = flags & 1 ? SP_LDLT : SP_LLT, .single = flags & 2, .plain = flags & 4};
            REQUIRE(sp__symbolic_create(ctx, SP_ORDER_NATURAL, &A.view, NULL, &S) == SP_OK && S->count == 1 &&
                    S->entries > SP_SOLVE_WIDE);
            REQUIRE(sp__factor_create(ctx, &def, S, &F) == SP_OK);
            CHECK_INT(sp__factor_make(F, &A.view, 0, false, &info), SP_OK);
            sp__factor_solve(F, b, x, false);
            CHECK_NEAR(help_backward_error(&A.view, b, x), 0, def.single ? 2e-6 : 1e-14);
            CHECK(i == 0 || memcmp(x, first, 720 * sizeof *x) == 0);
            memcpy(first, x, 720 * sizeof *x);
            sp__factor_solve(F, b, x, true);
            CHECK(memcmp(x, first, 720 * sizeof *x) == 0);
            sp__factor_destroy(&F);
            sp__symbolic_release(&S);
            sp__symmetric_free(&A);
            sp_context_destroy(&ctx);
        }
    free(b), free(x), free(first);
}

// ------------------------------------------------------------------------------------------------ sparse right-hand sides

// block columns of the supernodes above some rows
static int reach(const sp_symbolic *S, int count, const int *rows, unsigned char *seen) {
    int columns = 0;
    for (int i = 0; i < count; i++)
        for (int s = S->super_of[S->place[rows[i]]]; s >= 0 && !seen[s]; s = S->super_parent[s]) {
            seen[s] = 1;
            columns += sp__front_columns(S, s);
        }
    return columns;
}

static void check_sparse_case(fixture *f, int rows, int want, unsigned long long seed) {
    int r[8], w[8], nodes = f->A.view.n;
    double values[24], *rhs = calloc((size_t)f->n, sizeof *rhs), *x = malloc((size_t)f->n * sizeof *x);
    unsigned char *seen = calloc((size_t)f->S->count, 1), *asked = calloc((size_t)nodes, 1);
    for (int i = 0; i < rows; i++) {
        r[i] = (int)(0.499 * (sp_test_random(&seed) + 1) * nodes);
        for (int t = 0; t < 3; t++) rhs[3 * r[i] + t] += values[3 * i + t] = sp_test_random(&seed);
    }
    for (int i = 0; i < want; i++) asked[w[i] = (int)(0.499 * (sp_test_random(&seed) + 1) * nodes)] = 1;
    for (int i = 0; i < f->n; i++) x[i] = 12345;
    sp__factor_solve(f->F, rhs, f->x, false);
    int columns = sp__factor_solve_sparse(f->F, rows, r, values, want, want ? w : NULL, x), most = reach(f->S, rows, r, seen);
    most += reach(f->S, want, w, seen);
    CHECK_INT(columns, want ? most : nodes);
    for (int i = 0; i < f->n; i++) {
        if (want && !asked[i / 3])
            CHECK(x[i] == 12345);
        else
            x[i] -= f->x[i];
    }
    double worst = 0, scale = 0;
    for (int i = 0; i < f->n; i++) {
        if (!want || asked[i / 3]) worst = fmax(worst, fabs(x[i]));
        scale = fmax(scale, fabs(f->x[i]));
    }
    // skipped supernodes would only have added zeros: no difference in rounding
    CHECK_NEAR(worst, 0, scale * 1e-16);
    free(rhs), free(x), free(seen), free(asked);
}

static void check_sparse(fixture *f) {
    for (int i = 0; i < 60; i++) check_sparse_case(f, 1 + i % 5, i % 4 == 3 ? 0 : 1 + i % 3, (unsigned long long)i);
}

TEST(sparse_right_hand_sides_visit_only_the_reach) {
    each_kind(check_sparse);
}

TEST(a_small_reach_is_small) {
    sp_context *ctx = help_context(1);
    fixture f = fixture_new(ctx, (sp_factor_def){0}, 24, 3);
    int row = 0, least = f.A.view.n;
    double value[3] = {1, 2, 3};
    for (row = 0; row < f.A.view.n; row++) {
        int columns = sp__factor_solve_sparse(f.F, 1, &row, value, 1, &row, f.x);
        if (columns < least) least = columns;
    }
    CHECK(3 * least < f.A.view.n);
    fixture_free(&f);
    sp_context_destroy(&ctx);
}

// ------------------------------------------------------------------------------------------------ memory

TEST(only_many_right_hand_sides_allocate_and_may_be_refused) {
    meter m = {.allowed = 100000};
    sp_context_def def = metered_context(&m);
    sp_context *ctx;
    REQUIRE(sp_context_create(&def, &ctx) == SP_OK);
    fixture f = fixture_new(ctx, (sp_factor_def){0}, 6, 2);
    m.allowed = 0;
    sp__factor_solve(f.F, f.b, f.x, false);
    CHECK_INT(sp__factor_solve_many(f.F, 8, f.b, f.y), SP_NO_MEMORY);
    m.allowed = 1;
    CHECK_INT(sp__factor_solve_many(f.F, 8, f.b, f.y), SP_OK);
    CHECK_INT(sp__factor_solve_many(f.F, 40, f.b, f.y), SP_NO_MEMORY);  // needs more memory
    CHECK_INT(sp__factor_solve_many(f.F, 8, f.b, f.y), SP_OK);          // the existing memory is enough
    CHECK_NEAR(apart(f.n, f.x, f.y), 0, 1e-12);
    m.allowed = 100000;
    fixture_free(&f);
    sp_context_destroy(&ctx);
    CHECK_INT(m.live, 0);
}
