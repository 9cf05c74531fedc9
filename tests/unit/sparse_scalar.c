// The scalar reference, one column at a time: against dense Cholesky, and on the worked example of Pincon 2020.
//
// Only some facts of that example are legible: 9 rows, 33 nonzeros in both triangles; in natural order L has 32 entries, the tree
// begins [2, 3, 3, 4, ...], and a change of a24 from 11 to 22 (columns {1, 3} from 0) touches {1, 3, 4, 5, 6, 7, 8}; under AMD L
// has 21 entries and the change of columns {5, 8} touches {5, 6, 7, 8}. tests/data/worked9.mtx was found by a search over all
// patterns of 12 pairs: it has all of these properties, its values are ours.
#include "matrix_market.h"
#include "meter.h"
#include "scalar_help.h"

// the lower triangle of D in place; rows of length n
static void dense_cholesky(int n, double *D) {
    for (int k = 0; k < n; k++)
        for (int i = k; i < n; i++) {
            double sum = D[i * n + k];
            for (int j = 0; j < k; j++) sum -= D[i * n + j] * D[k * n + j];
            D[i * n + k] = i == k ? sqrt(sum) : sum / D[k * n + k];
        }
}

static double worst_gap(const sp_scalar_factor *F, const sp_symmetric *A) {
    int n = F->n;
    double *D = help_dense(A), *P = calloc((size_t)(n * n) + 1, sizeof *P), worst = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) P[i * n + j] = D[F->perm[i] * n + F->perm[j]];
    dense_cholesky(n, P);
    for (int k = 0; k < n; k++)
        for (int64_t e = F->col_start[k]; e < F->col_start[k + 1]; e++) {
            worst = fmax(worst, fabs(F->val[e] - P[F->row_index[e] * n + k]));
            P[F->row_index[e] * n + k] = 0;
        }
    for (int k = 0; k < n; k++)
        for (int i = k; i < n; i++) worst = fmax(worst, fabs(P[i * n + k]));  // nothing outside the pattern
    free(D);
    free(P);
    return worst;
}

TEST(equals_dense_cholesky) {
    sp_context *ctx;
    REQUIRE(sp_context_create(NULL, &ctx) == SP_OK);
    for (int n = 1; n <= 40; n += 13)
        for (int block = 1; block <= 3; block++) {
            sp_symmetric_own A = help_random(ctx, n, block, 0.15, (unsigned long long)(n + block));
            int *perm = calloc((size_t)n, sizeof *perm), column;
            for (int i = 0; i < n; i++) perm[i] = (i * 11 + 3) % n;  // n is not a multiple of 11
            sp_scalar_factor F;
            REQUIRE(sp__scalar_analyse(ctx, &A.view, n > 1 ? perm : NULL, &F) == SP_OK);
            REQUIRE(sp__scalar_factor(&F, &A.view, &column) == SP_OK);
            CHECK_INT(column, -1);
            // entries below 10; the same sums in another order
            CHECK_NEAR(worst_gap(&F, &A.view), 0, 1e-13);
            sp__scalar_free(&F);
            free(perm);
            sp__symmetric_free(&A);
        }
    sp_context_destroy(&ctx);
}

TEST(the_failed_pivot_is_reported) {
    sp_context *ctx;
    int column;
    REQUIRE(sp_context_create(NULL, &ctx) == SP_OK);
    sp_symmetric_own A = help_random(ctx, 20, 1, 0.1, 2);
    sp_scalar_factor F;
    REQUIRE(sp__scalar_analyse(ctx, &A.view, NULL, &F) == SP_OK);
    A.val[A.row_start[7]] = -1;
    CHECK(sp__scalar_factor(&F, &A.view, &column) == SP_NOT_SPD);
    CHECK_INT(column, 7);
    A.val[A.row_start[4]] = NAN;
    CHECK(sp__scalar_factor(&F, &A.view, &column) == SP_NOT_SPD);
    CHECK_INT(column, 4);
    sp__scalar_free(&F);
    CHECK(sp__scalar_analyse(ctx, &A.view, (int[20]){0}, &F) == SP_BAD_INPUT);  // row 0 twenty times
    sp__symmetric_free(&A);
    sp_context_destroy(&ctx);
}

// result of one ordering of the worked example
typedef struct example {
    const int *perm;
    int entries, changed[2], touched;
} example;

static void check_example(sp_context *ctx, const sp_symmetric_own *A, const example *e) {
    sp_scalar_factor F;
    REQUIRE(sp__scalar_analyse(ctx, &A->view, e->perm, &F) == SP_OK);
    CHECK_INT(F.col_start[9], e->entries);
    for (int k = e->changed[0]; k < 8; k++)
        CHECK_INT(F.parent[k], k == 1 ? 3 : k == 2 ? 3 : k + 1);  // from the change on, a chain to the root
    CHECK_INT(help_closure(&F, 2, e->changed), e->touched);
    sp__scalar_free(&F);
}

TEST(worked_example) {
    sp_context *ctx;
    sp_symmetric_own A;
    REQUIRE(sp_context_create(NULL, &ctx) == SP_OK);
    REQUIRE(sp__mtx_read(ctx, SP_SOURCE_DIR "/tests/data/worked9.mtx", &A) == SP_OK);
    CHECK_INT(A.view.n, 9);
    CHECK_INT(2 * A.row_start[9] - 9, 33);
    CHECK(A.val[sp__symmetric_find(&A.view, 1, 3)] == 11);
    check_example(ctx, &A, &(example){NULL, 32, {1, 3}, 7});  // {1, 3, 4, 5, 6, 7, 8}
    sp_scalar_factor F;
    REQUIRE(sp__scalar_analyse(ctx, &A.view, NULL, &F) == SP_OK);
    CHECK(F.parent[0] == 2 && F.parent[1] == 3 && F.parent[2] == 3 && F.parent[3] == 4);
    sp__scalar_free(&F);
    // the ordering of AMD, written down so that builds without AMD check the rest too
    static const int amd[] = {5, 8, 2, 6, 0, 1, 4, 7, 3};
    check_example(ctx, &A, &(example){amd, 21, {5, 8}, 4});  // {5, 6, 7, 8}
    int perm[9];
    sp_status status = help_ordering(ctx, SP_ORDER_AMD, &A.view, NULL, perm);
    CHECK(status == SP_UNAVAILABLE || (status == SP_OK && memcmp(perm, amd, sizeof perm) == 0));
    sp__symmetric_free(&A);
    sp_context_destroy(&ctx);
}

TEST(every_allocation_may_fail) {
    meter m = {.allowed = 1000000};
    sp_context *ctx;
    sp_context_def def = metered_context(&m);
    REQUIRE(sp_context_create(&def, &ctx) == SP_OK);
    sp_symmetric_own A = help_random(ctx, 12, 2, 0.2, 9);
    long live = m.live;
    bool done = false;
    for (long n = 0; !done; n++) {
        sp_scalar_factor F;
        int column;
        m.allowed = n;
        sp_status status = sp__scalar_analyse(ctx, &A.view, NULL, &F);
        if (status == SP_OK) status = sp__scalar_factor(&F, &A.view, &column);
        done = status == SP_OK;
        CHECK(done || status == SP_NO_MEMORY);
        sp__scalar_free(&F);
        CHECK_INT(m.live, live);
        REQUIRE(n < 100);
    }
    sp__symmetric_free(&A);
    sp_context_destroy(&ctx);
}
