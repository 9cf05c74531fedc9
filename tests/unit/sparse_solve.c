// Solves: many right-hand sides against one, products of sparse columns of the inverse against solves.
#include "factor_help.h"
#include "meter.h"
#include "sparse/inverse_columns.h"

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
// G = B^T A^-1 B by one dense solve for each column, against the product that visits only the reach.
static void check_columns_case(fixture *f, sp_inverse_columns *C, int count, int most, unsigned long long seed) {
    int nodes = f->A.view.n, *start = calloc((size_t)count + 1, sizeof *start),
        *row = calloc((size_t)(count * most), sizeof *row);
    double *value = help_vector(3 * count * most, seed), *G = help_vector(count * count, 5),
           *rhs = calloc((size_t)f->n, sizeof *rhs);
    double worst = 0, scale = 0;
    for (int c = 0; c < count; c++) {
        start[c + 1] = start[c] + 1 + c % most;
        for (int k = start[c]; k < start[c + 1]; k++) row[k] = (int)(0.499 * (sp_test_random(&seed) + 1) * nodes);
    }
    sp_sparse_columns B = {count, start, row, value};
    CHECK_INT(sp__inverse_columns_product(C, f->F, &B, G, count), SP_OK);
    for (int c = 0; c < count; c++) {
        memset(rhs, 0, (size_t)f->n * sizeof *rhs);
        for (int k = start[c]; k < start[c + 1]; k++)
            for (int t = 0; t < 3; t++) rhs[3 * row[k] + t] += value[3 * k + t];
        sp__factor_solve(f->F, rhs, f->x, false);
        for (int d = 0; d < count; d++) {
            double exact = 0;
            for (int k = start[d]; k < start[d + 1]; k++)
                for (int t = 0; t < 3; t++) exact += value[3 * k + t] * f->x[3 * row[k] + t];
            worst = fmax(worst, fabs(exact - G[c * count + d])), scale = fmax(scale, fabs(exact));
            CHECK(G[c * count + d] == G[d * count + c]);
        }
    }
    CHECK_NEAR(worst, 0, scale * rounding(f->F));
    CHECK(sp__inverse_columns_reach(C) > 0 && sp__inverse_columns_reach(C) <= 1);
    free(start), free(row), free(value), free(G), free(rhs);
}

static void check_columns(fixture *f) {
    const int counts[] = {1, 3, 8, 49, 130};  // one chunk, an incomplete one, several
    sp_inverse_columns *C = NULL;
    REQUIRE(sp__inverse_columns_create(f->ctx, &C) == SP_OK);
    for (int i = 0; i < 5; i++) check_columns_case(f, C, counts[i], 1 + i % 4, (unsigned long long)i + 7);
    sp__inverse_columns_destroy(&C);
}

TEST(products_of_columns_of_the_inverse_agree_with_solves) {
    each_kind(check_columns);
}

TEST(products_of_columns_have_the_same_bits_for_any_number_of_workers) {
    enum { COUNT = 150 };
    double first[COUNT * COUNT], G[COUNT * COUNT];
    int start[COUNT + 1], row[COUNT];
    double value[3 * COUNT];
    const int workers[] = {1, 2, 3, 7};
    for (int i = 0; i < 4; i++) {
        sp_context *ctx = help_context(workers[i]);
        fixture f = fixture_new(ctx, (sp_factor_def){.single = true}, 14, 4);
        sp_inverse_columns *C = NULL;
        for (int c = 0; c <= COUNT; c++) start[c] = c;
        for (int c = 0; c < COUNT; c++) row[c] = c * 37 % f.A.view.n;
        for (int c = 0; c < 3 * COUNT; c++) value[c] = cos(c);
        REQUIRE(sp__inverse_columns_create(ctx, &C) == SP_OK);
        CHECK_INT(sp__inverse_columns_product(C, f.F, &(sp_sparse_columns){COUNT, start, row, value}, G, COUNT), SP_OK);
        if (i == 0) memcpy(first, G, sizeof first);
        CHECK(memcmp(first, G, sizeof first) == 0);
        sp__inverse_columns_destroy(&C);
        fixture_free(&f);
        sp_context_destroy(&ctx);
    }
}

// a node in one end of a beam: the other end's subtrees are not visited
TEST(the_reach_of_a_column_is_small) {
    sp_context *ctx = help_context(1);
    fixture f = fixture_new(ctx, (sp_factor_def){0}, 24, 3);
    sp_inverse_columns *C = NULL;
    double least = 1, G, value[3] = {1, 2, 3};
    REQUIRE(sp__inverse_columns_create(ctx, &C) == SP_OK);
    for (int row = 0; row < f.A.view.n; row++) {
        sp__inverse_columns_product(C, f.F, &(sp_sparse_columns){1, (int[2]){0, 1}, &row, value}, &G, 1);
        least = fmin(least, sp__inverse_columns_reach(C));
    }
    CHECK(3 * least < 1);
    sp__inverse_columns_destroy(&C);
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
