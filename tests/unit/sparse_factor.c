// Numeric factors: against the scalar reference column by column, by backward error on matrices of every shape, the same bits for
// any workers, and a reported failure where there is no factor.
#include "factor_help.h"
#include "meter.h"
#include "sparse/scalar.h"

static sp_symbolic *analysed(sp_context *ctx, const sp_symmetric *A) {
    sp_symbolic *S = NULL;
    sp__symbolic_create(ctx, SP_ORDER_AUTO, A, NULL, &S);
    return S;
}

static sp_factor *factored(sp_context *ctx, sp_factor_def def, sp_symbolic *S, const sp_symmetric *A, sp_status wanted) {
    sp_factor *F = NULL;
    sp_factor_info info;
    if (sp__factor_create(ctx, &def, S, &F) < 0) return NULL;
    CHECK_INT(sp__factor_make(F, A, 0, false, &info), wanted);
    CHECK_INT(info.status, wanted);
    return F;
}

// ------------------------------------------------------------------------------------------------ against the reference

// Entries of L differ by rounding of sums whose terms are bounded by the diagonal of A (unit roundoff times length of the sums).
static void check_entries(const sp_factor *F, const sp_scalar_factor *O) {
    double worst = 0, most = 0;
    for (int j = 0; j < O->n; j++) {
        double d = 1;
        int s = F->S->super_of[j / F->S->block];
        if (F->def.kind == SP_LDLT)
            d = sqrt(F->loops->get(sp__pivot(F, s, F->side[s]), (size_t)(j - F->S->first[s] * F->S->block)));
        for (int64_t k = O->col_start[j]; k < O->col_start[j + 1]; k++) {
            worst = fmax(worst, fabs(help_entry(F, O->row_index[k], j) * d - O->val[k]));
            most = fmax(most, fabs(O->val[k]));
        }
    }
    CHECK_NEAR(worst, 0, most * O->n * 4e-16);
}

static void against_oracle(int n, int block, double chance, unsigned long long seed) {
    sp_context *ctx = help_context(1);
    sp_symmetric_own A = help_random(ctx, n, block, chance, seed);
    sp_symbolic *S = analysed(ctx, &A.view);
    REQUIRE(S);
    sp_scalar_factor O;
    int column;
    REQUIRE(sp__scalar_analyse(ctx, &A.view, S->perm, &O) == SP_OK);
    CHECK_INT(sp__scalar_factor(&O, &A.view, &column), SP_OK);
    for (int kind = SP_LLT; kind <= SP_LDLT; kind++)
        for (int plain = 0; plain < 2; plain++) {
            sp_factor *F = factored(ctx, (sp_factor_def){.kind = (sp_factor_kind)kind, .plain = plain}, S, &A.view, SP_OK);
            REQUIRE(F);
            check_entries(F, &O);
            sp__factor_destroy(&F);
        }
    sp__scalar_free(&O);
    sp__symbolic_release(&S);
    sp__symmetric_free(&A);
    sp_context_destroy(&ctx);
}

TEST(factors_equal_the_reference) {
    const int blocks[4] = {1, 2, 3, 6};
    for (int i = 0; i < 4; i++)
        for (int n = 1; n < 80; n = 2 * n + 1)
            for (int c = 0; c < 3; c++) against_oracle(n, blocks[i], 0.02 + 0.1 * c, (unsigned long long)(100 * n + c));
}

// ------------------------------------------------------------------------------------------------ every shape

// The backward error that double must reach; float reaches its own unit roundoff times the length of the sums.
static void check_solves(sp_context *ctx, const sp_symmetric *A) {
    sp_symbolic *S = analysed(ctx, A);
    REQUIRE(S);
    int n = A->n * A->block;
    double *b = help_vector(n, 3), *x = help_vector(n, 4);
    for (int kind = SP_LLT; kind <= SP_LDLT; kind++)
        for (int flags = 0; flags < 8; flags++) {
            sp_factor_def def = {(sp_factor_kind)kind, flags & 1, flags & 2, flags & 4, false};
            sp_factor *F = factored(ctx, def, S, A, SP_OK);
            REQUIRE(F);
            sp__factor_solve(F, b, x, false);
            CHECK_NEAR(help_backward_error(A, b, x), 0, def.single ? 2e-6 : 1e-14);
            CHECK(sp__factor_good(F) && sp__factor_bytes(F) > 0 && sp__factor_symbolic(F) == S);
            sp__factor_destroy(&F);
        }
    free(b), free(x);
    sp__symbolic_release(&S);
}

TEST(random_matrices_are_solved) {
    sp_context *ctx = help_context(2);
    const int blocks[4] = {1, 2, 3, 6};
    for (int i = 0; i < 4; i++) {
        sp_symmetric_own A = help_random(ctx, 150, blocks[i], 0.03, (unsigned long long)i + 7);
        check_solves(ctx, &A.view);
        sp__symmetric_free(&A);
    }
    sp_context_destroy(&ctx);
}

TEST(a_beam_is_solved) {
    sp_context *ctx = help_context(2);
    sp_mesh *mesh = help_beam(ctx, 16, 4);
    sp_symmetric_own A = help_elastic(ctx, mesh);
    check_solves(ctx, &A.view);
    sp__symmetric_free(&A);
    sp_mesh_destroy(&mesh);
    sp_context_destroy(&ctx);
}

static void check_pattern(int n, int block, bool (*in)(int n, int i, int j)) {
    sp_context *ctx = help_context(2);
    unsigned char *dense = calloc((size_t)n * (size_t)n + 1, 1);
    for (int i = 0; i < n; i++)
        for (int j = i + 1; j < n; j++) dense[i * n + j] = in(n, i, j);
    sp_symmetric_own A = help_matrix(ctx, n, block, dense, 11);
    check_solves(ctx, &A.view);
    free(dense);
    sp__symmetric_free(&A);
    sp_context_destroy(&ctx);
}

static bool no_edge(int n, int i, int j) {
    return (void)n, (void)i, (void)j, false;
}
static bool arrow_down(int n, int i, int j) {
    return (void)i, j == n - 1;
}
static bool arrow_up(int n, int i, int j) {
    return (void)n, (void)j, i == 0;
}
static bool two_halves(int n, int i, int j) {
    return (i < n / 2) == (j < n / 2) && j - i < 4;
}
static bool all_edges(int n, int i, int j) {
    return (void)n, (void)i, (void)j, true;
}
static bool far_corners(int n, int i, int j) {
    return j == i + 1 || j == n - 1 - i;
}

TEST(unusual_patterns_are_solved) {
    check_pattern(1, 1, no_edge);
    check_pattern(1, 6, no_edge);
    check_pattern(40, 3, no_edge);
    check_pattern(120, 2, arrow_down);
    check_pattern(120, 2, arrow_up);
    check_pattern(100, 3, two_halves);
    check_pattern(130, 3, all_edges);  // one front of several panels and tiles
    check_pattern(300, 1, all_edges);
    check_pattern(200, 3, far_corners);
}

TEST(a_shift_is_added_and_reported) {
    sp_context *ctx = help_context(1);
    sp_symmetric_own A = help_random(ctx, 40, 3, 0.1, 5);
    sp_symbolic *S = analysed(ctx, &A.view);
    sp_factor *F = factored(ctx, (sp_factor_def){0}, S, &A.view, SP_OK);
    sp_factor_info info;
    double *b = help_vector(120, 1), *x = help_vector(120, 2);
    CHECK_INT(sp__factor_make(F, &A.view, 2.5, false, &info), SP_OK);
    CHECK_NEAR(info.shift, 2.5, 0);
    sp__factor_solve(F, b, x, false);
    for (int i = 0; i < 40; i++)
        for (int r = 0; r < 3; r++) A.val[9 * A.row_start[i] + 4 * r] += 2.5;
    CHECK_NEAR(help_backward_error(&A.view, b, x), 0, 1e-14);
    free(b), free(x);
    sp__factor_destroy(&F);
    sp__symbolic_release(&S);
    sp__symmetric_free(&A);
    sp_context_destroy(&ctx);
}

TEST(blocks_may_be_stored_in_any_order) {
    sp_context *ctx = help_context(1);
    sp_symmetric_own A = help_random(ctx, 60, 3, 0.08, 9);
    int count = A.row_start[60];
    double *val = calloc(36 * (size_t)count, sizeof *val);
    int *pos = calloc((size_t)count, sizeof *pos);
    for (int k = 0; k < count; k++) {  // the last first, four numbers apart
        pos[k] = 36 * (count - 1 - k) + k % 4;
        for (int e = 0; e < 9; e++) val[pos[k] + 4 * e] = A.val[9 * k + e];
    }
    sp_symmetric view = {60, 3, A.row_start, A.row_col, pos, 4, val};
    sp_symbolic *S = analysed(ctx, &A.view);
    sp_factor *F = factored(ctx, (sp_factor_def){0}, S, &A.view, SP_OK), *G = factored(ctx, (sp_factor_def){0}, S, &view, SP_OK);
    CHECK(help_same_factor(F, G));
    sp__factor_destroy(&F), sp__factor_destroy(&G);
    sp__symbolic_release(&S);
    free(val), free(pos);
    sp__symmetric_free(&A);
    sp_context_destroy(&ctx);
}

// ------------------------------------------------------------------------------------------------ the same bits

TEST(workers_do_not_change_a_bit) {
    const int workers[4] = {1, 2, 3, 7};
    sp_context *ctx[4];
    for (int i = 0; i < 4; i++) ctx[i] = help_context(workers[i]);
    sp_mesh *mesh = help_beam(ctx[0], 12, 7);  // fronts large enough for parts inside them
    sp_symmetric_own A = help_elastic(ctx[0], mesh);
    sp_symbolic *S = analysed(ctx[0], &A.view);
    for (int flags = 0; flags < 8; flags++) {
        sp_factor_def def = {flags & 1 ? SP_LDLT : SP_LLT, flags & 2, flags & 4, false, false};
        sp_factor *F[4];
        for (int i = 0; i < 4; i++) {
            F[i] = factored(ctx[i], def, S, &A.view, SP_OK);
            REQUIRE(F[i]);
            CHECK(help_same_factor(F[0], F[i]));
        }
        sp_factor_info info;
        memset(F[3]->panel[0], 0xff, F[3]->panel_capacity * F[3]->size);
        CHECK_INT(sp__factor_make(F[3], &A.view, 0, true, &info), SP_OK);
        CHECK(help_same_factor(F[0], F[3]));
        for (int i = 0; i < 4; i++) sp__factor_destroy(&F[i]);
    }
    sp__symbolic_release(&S);
    sp__symmetric_free(&A);
    sp_mesh_destroy(&mesh);
    for (int i = 0; i < 4; i++) sp_context_destroy(&ctx[i]);
}

// ------------------------------------------------------------------------------------------------ no factor

static double *diagonal(sp_symmetric_own *A, int unknown) {
    int b = A->view.block;
    return A->val + (size_t)A->row_start[unknown / b] * (size_t)(b * b) + (size_t)((b + 1) * (unknown % b));
}

static void clear_row(sp_symmetric_own *A, int unknown) {
    int b = A->view.block;
    for (int i = 0; i < A->view.n; i++)
        for (int k = A->row_start[i]; k < A->row_start[i + 1]; k++)
            for (int e = 0; e < b * b; e++)
                if (i * b + e / b == unknown || A->row_col[k] * b + e % b == unknown) A->val[k * b * b + e] = 0;
}

TEST(a_zero_row_is_named) {
    sp_context *ctx = help_context(2);
    for (int unknown = 0; unknown < 90; unknown += 11)
        for (int kind = SP_LLT; kind <= SP_LDLT; kind++) {
            sp_symmetric_own A = help_random(ctx, 30, 3, 0.1, 2);
            clear_row(&A, unknown);
            sp_symbolic *S = analysed(ctx, &A.view);
            sp_factor *F = factored(ctx, (sp_factor_def){.kind = (sp_factor_kind)kind}, S, &A.view, SP_NOT_SPD);
            sp_factor_info info;
            sp__factor_make(F, &A.view, 0, true, &info);
            CHECK_INT(info.unknown, unknown);
            CHECK_NEAR(info.pivot, 0, 0);
            CHECK(!sp__factor_good(F));
            sp__factor_destroy(&F);
            sp__symbolic_release(&S);
            sp__symmetric_free(&A);
        }
    sp_context_destroy(&ctx);
}

TEST(indefinite_is_refused_by_llt_and_solved_by_ldlt) {
    sp_context *ctx = help_context(2);
    sp_symmetric_own A = help_random(ctx, 80, 3, 0.05, 6);
    for (int i = 0; i < 240; i += 3) *diagonal(&A, i) *= -1;  // still dominant: pivots keep their sign
    sp_symbolic *S = analysed(ctx, &A.view);
    sp_factor *F = factored(ctx, (sp_factor_def){.kind = SP_LLT}, S, &A.view, SP_NOT_SPD);
    sp_factor *G = factored(ctx, (sp_factor_def){.kind = SP_LDLT}, S, &A.view, SP_OK);
    double *b = help_vector(240, 1), *x = help_vector(240, 2);
    sp__factor_solve(G, b, x, false);
    CHECK_NEAR(help_backward_error(&A.view, b, x), 0, 1e-14);
    free(b), free(x);
    sp__factor_destroy(&F), sp__factor_destroy(&G);
    sp__symbolic_release(&S);
    sp__symmetric_free(&A);
    sp_context_destroy(&ctx);
}

TEST(non_finite_numbers_are_located) {
    const double bad[3] = {NAN, INFINITY, -INFINITY};
    sp_context *ctx = help_context(2);
    for (int i = 0; i < 3; i++)
        for (int off = 0; off < 2; off++) {
            sp_symmetric_own A = help_random(ctx, 50, 2, 0.1, 8);
            int k = A.row_start[20] + off;
            A.val[4 * k] = bad[i];
            sp_symbolic *S = analysed(ctx, &A.view);
            sp_factor *F = factored(ctx, (sp_factor_def){0}, S, &A.view, SP_NOT_FINITE);
            sp__factor_destroy(&F);
            sp__symbolic_release(&S);
            sp__symmetric_free(&A);
        }
    sp_context_destroy(&ctx);
}

// several subtrees fail at once: the lowest is reported, in any order of completion
TEST(the_same_failure_is_reported_by_any_number_of_workers) {
    sp_context *one = help_context(1), *four = help_context(4);
    sp_mesh *mesh = help_beam(one, 16, 5);
    sp_symmetric_own A = help_elastic(one, mesh);
    int n = 3 * A.view.n;
    for (int i = 0; i < n; i += 50) *diagonal(&A, i) = -1;
    sp_symbolic *S = analysed(one, &A.view);
    sp_factor *F = factored(one, (sp_factor_def){0}, S, &A.view, SP_NOT_SPD),
              *G = factored(four, (sp_factor_def){0}, S, &A.view, SP_NOT_SPD);
    sp_factor_info a, b;
    sp__factor_make(F, &A.view, 0, false, &a);
    for (int i = 0; i < 20; i++) {
        sp__factor_make(G, &A.view, 0, false, &b);
        CHECK_INT(a.unknown, b.unknown);
        CHECK_NEAR(a.pivot, b.pivot, 0);
    }
    CHECK(a.pivot < 0);
    sp__factor_destroy(&F), sp__factor_destroy(&G);
    sp__symbolic_release(&S);
    sp__symmetric_free(&A);
    sp_mesh_destroy(&mesh);
    sp_context_destroy(&one), sp_context_destroy(&four);
}

TEST(a_spare_keeps_the_old_factor) {
    sp_context *ctx = help_context(2);
    sp_symmetric_own A = help_random(ctx, 60, 3, 0.06, 21);
    sp_symbolic *S = analysed(ctx, &A.view);
    double *b = help_vector(180, 1), *x = help_vector(180, 2), *y = help_vector(180, 3), good = *diagonal(&A, 100);
    for (int flags = 0; flags < 4; flags++) {
        sp_factor_def def = {.kind = flags & 1 ? SP_LDLT : SP_LLT, .keep = flags & 2, .spare = true};
        sp_factor *F = factored(ctx, def, S, &A.view, SP_OK);
        sp_factor_info info;
        sp__factor_solve(F, b, x, false);
        *diagonal(&A, 100) = NAN;
        CHECK_INT(sp__factor_make(F, &A.view, 0, false, &info), SP_NOT_FINITE);
        CHECK(sp__factor_good(F));
        sp__factor_solve(F, b, y, false);
        CHECK(memcmp(x, y, 180 * sizeof *x) == 0);
        *diagonal(&A, 100) = good;
        CHECK_INT(sp__factor_make(F, &A.view, 0, false, &info), SP_OK);
        sp__factor_solve(F, b, y, false);
        CHECK(memcmp(x, y, 180 * sizeof *x) == 0);
        sp__factor_destroy(&F);
    }
    free(b), free(x), free(y);
    sp__symbolic_release(&S);
    sp__symmetric_free(&A);
    sp_context_destroy(&ctx);
}

TEST(a_flag_stops_it) {
    sp_context *ctx = help_context(2);
    sp_symmetric_own A = help_random(ctx, 60, 3, 0.06, 22);
    sp_symbolic *S = analysed(ctx, &A.view);
    sp_factor *F = factored(ctx, (sp_factor_def){.spare = true}, S, &A.view, SP_OK);
    sp_factor_info info;
    atomic_bool stop;
    atomic_init(&stop, true);
    sp__factor_stop_flag(F, &stop);
    CHECK_INT(sp__factor_make(F, &A.view, 0, true, &info), SP_STOPPED);
    CHECK_INT(sp__factor_make(F, &A.view, 0, false, &info), SP_STOPPED);
    CHECK(sp__factor_good(F));
    atomic_store(&stop, false);
    CHECK_INT(sp__factor_make(F, &A.view, 0, true, &info), SP_OK);
    sp__factor_destroy(&F);
    sp__symbolic_release(&S);
    sp__symmetric_free(&A);
    sp_context_destroy(&ctx);
}

TEST(every_allocation_may_fail) {
    bool made = false;
    for (long allowed = 0; !made && allowed < 1000; allowed++) {
        meter m = {.allowed = 1000};
        sp_context_def def = metered_context(&m);
        sp_context *ctx;
        REQUIRE(sp_context_create(&def, &ctx) == SP_OK);
        sp_symmetric_own A = help_random(ctx, 30, 3, 0.1, 4);
        sp_symbolic *S = analysed(ctx, &A.view);
        long live = m.live;
        m.allowed = allowed;
        sp_factor *F;
        sp_factor_info info;
        sp_status status = sp__factor_create(ctx, &(sp_factor_def){SP_LDLT, false, true, true, false}, S, &F);
        made = status == SP_OK;
        CHECK(made || (status == SP_NO_MEMORY && !F && m.live == live && sp_context_error(ctx)->status == SP_NO_MEMORY));
        m.allowed = 0;  // no allocation afterwards
        if (made) CHECK_INT(sp__factor_make(F, &A.view, 0, false, &info), SP_OK);
        sp__factor_destroy(&F);
        CHECK_INT(m.live, live);
        sp__symbolic_release(&S);
        sp__symmetric_free(&A);
        sp_context_destroy(&ctx);
        CHECK_INT(m.live, 0);
    }
    CHECK(made);
}
