// The symmetric block matrix against dense algebra, and conjugate gradients checked by backward error.
#include "backend/backend.h"
#include "linear/blocks.h"
#include "linear/solver.h"
#include "test.h"

enum { N = 37, DOF = 3 * N };

typedef struct fixture {
    sp_context *ctx;
    sp_blocks *A;
    double dense[DOF][DOF];
    unsigned char fixed[DOF];
} fixture;

static const char *const backends[] = {"ref", "cpu", "cpu-generic"};

// a random sparse symmetric matrix, diagonally dominant by `dominance`, in chunks of uneven size
static bool make(fixture *f, const char *backend, double dominance) {
    int start[N + 1] = {0}, col[N * N], chunk_row[] = {0, 5, 6, 20, N};
    unsigned long long seed = 7;
    memset(f, 0, sizeof *f);
    if (sp_context_create(NULL, &f->ctx) < 0) return false;
    int n = 0;
    for (int i = 0; i < N; i++) {
        for (int j = i; j < N; j++)
            if (j == i || sp_test_random(&seed) > 0.5) col[n++] = j;
        start[i + 1] = n;
    }
    if (sp__blocks_create(f->ctx, sp__backend_find(backend), N, 4, chunk_row, start, col, &f->A) < 0) return false;
    for (int i = 0; i < N; i++)
        for (int k = start[i]; k < start[i + 1]; k++) {
            double B[9], T[9];
            for (int e = 0; e < 9; e++) B[e] = sp_test_random(&seed);
            if (col[k] == i)
                for (int r = 0; r < 3; r++)
                    for (int c = 0; c < 3; c++) B[3 * r + c] = r == c ? dominance : B[3 * (r < c ? r : c) + (r < c ? c : r)];
            for (int e = 0; e < 9; e++) T[3 * (e % 3) + e / 3] = B[e];
            // half of the blocks are added below the diagonal
            if (k % 2 || col[k] == i)
                sp__blocks_add(f->A, i, col[k], B);
            else
                sp__blocks_add(f->A, col[k], i, T);
            for (int r = 0; r < 3; r++)
                for (int c = 0; c < 3; c++)
                    f->dense[3 * i + r][3 * col[k] + c] = f->dense[3 * col[k] + c][3 * i + r] = B[3 * r + c];
        }
    return true;
}

static void drop(fixture *f) {
    sp__blocks_destroy(&f->A);
    sp_context_destroy(&f->ctx);
}

static void check_product(fixture *f) {
    unsigned long long seed = 11;
    double x[DOF + 1], y[DOF + 1], dot = 0;
    for (int i = 0; i < DOF; i++) x[i] = sp_test_random(&seed);
    double got = sp__blocks_mul(f->A, x, y);
    for (int i = 0; i < DOF; i++) {
        double sum = 0;
        for (int j = 0; j < DOF; j++) sum += f->dense[i][j] * x[j];
        dot += x[i] * sum;
        // a sum of up to 111 products of size 1
        CHECK_NEAR(y[i], sum, 1e-13);
    }
    CHECK_NEAR(got, dot, 1e-11);
}

TEST(product_equals_the_dense_one_on_every_backend) {
    for (int b = 0; b < 3; b++) {
        fixture f;
        REQUIRE(make(&f, backends[b], 1));
        check_product(&f);
        drop(&f);
    }
}

TEST(blocks_are_found_where_they_were_added) {
    fixture f;
    REQUIRE(make(&f, "ref", 1));
    sp_symmetric view;
    sp__blocks_view(f.A, &view);
    for (int i = 0; i < N; i++)
        for (int j = i; j < N; j++) {
            int k = sp__symmetric_find(&view, i, j);
            const double *B = k < 0 ? NULL : sp__symmetric_block(&view, k);
            for (int e = 0; e < 9; e++) CHECK((B ? B[view.stride * e] : 0) == f.dense[3 * i + e / 3][3 * j + e % 3]);
        }
    drop(&f);
}

TEST(pinned_unknowns_are_unit_rows_and_columns) {
    for (int b = 0; b < 3; b++) {
        fixture f;
        REQUIRE(make(&f, backends[b], 1));
        int pins[] = {0, 4, 17, 18, 19, 60, DOF - 1};
        for (size_t p = 0; p < sizeof pins / sizeof *pins; p++) {
            f.fixed[pins[p]] = 1;
            for (int i = 0; i < DOF; i++) f.dense[i][pins[p]] = f.dense[pins[p]][i] = i == pins[p];
        }
        sp__blocks_pin(f.A, f.fixed);
        check_product(&f);
        drop(&f);
    }
}

// ------------------------------------------------------------------------------------------------ conjugate gradients

static double mul(void *o, sp_coef c, const double *x, double *y) {
    (void)c;
    return sp__blocks_mul(((fixture *)o)->A, x, y);
}

static sp_status solve(fixture *f, double tolerance, int iterations, const double *b, double *x, sp_linear_info *info) {
    sp_solver_def def = sp_solver_def_default();
    sp_solver *solver;
    def.tolerance = tolerance, def.iterations = iterations;
    sp_system A = {.n = DOF, .block = 3, .pattern = 1, .values = 1, .fixed = f->fixed, .mul = mul, .ctx = f->ctx, .o = f};
    sp_status status = sp__solver_create(f->ctx, &def, sp__backend_find("cpu"), &solver);
    if (status < 0) return status;
    status = sp__solver_solve(solver, &A, (sp_coef){1, 0, 0}, b, x, info);
    sp__solver_destroy(&solver);
    return status;
}

// |A x - b| / (|A| |x| + |b|) in the maximum norm
static double backward_error(const fixture *f, const double *x, const double *b) {
    double worst = 0, size = 0, norm = 0, right = 0;
    for (int i = 0; i < DOF; i++) {
        double sum = 0, row = 0;
        for (int j = 0; j < DOF; j++) sum += f->dense[i][j] * x[j], row += fabs(f->dense[i][j]);
        worst = fmax(worst, fabs(sum - b[i])), size = fmax(size, fabs(x[i])), norm = fmax(norm, row),
        right = fmax(right, fabs(b[i]));
    }
    return worst / (norm * size + right);
}

TEST(cg_reaches_rounding_on_request_and_reports_the_true_residual) {
    fixture f;
    double b[DOF + 1], x[DOF + 1];
    sp_linear_info info;
    unsigned long long seed = 13;
    REQUIRE(make(&f, "cpu", 70));
    for (int i = 0; i < DOF; i++) b[i] = sp_test_random(&seed);
    REQUIRE(solve(&f, 1e-14, 1000, b, x, &info) == SP_OK);
    CHECK(info.status == SP_OK && info.iterations > 5 && info.iterations < DOF);
    CHECK(backward_error(&f, x, b) < 1e-15);
    REQUIRE(solve(&f, 1e-3, 1000, b, x, &info) == SP_OK);
    double r = 0, n = 0;
    for (int i = 0; i < DOF; i++) {
        double sum = b[i];
        for (int j = 0; j < DOF; j++) sum -= f.dense[i][j] * x[j];
        r += sum * sum, n += b[i] * b[i];
    }
    CHECK_NEAR(info.residual, sqrt(r / n), 1e-12);
    CHECK(info.residual <= 1e-3 * (1 + 1e-9));
    drop(&f);
}

TEST(cg_keeps_fixed_unknowns_at_their_value) {
    fixture f;
    double b[DOF + 1], x[DOF + 1];
    sp_linear_info info;
    REQUIRE(make(&f, "cpu", 70));
    for (int i = 0; i < DOF; i++) b[i] = 1;
    f.fixed[3] = f.fixed[50] = 1;
    b[3] = -2, b[50] = 0.25;
    sp__blocks_pin(f.A, f.fixed);
    REQUIRE(solve(&f, 1e-10, 1000, b, x, &info) == SP_OK);
    CHECK(x[3] == -2 && x[50] == 0.25);
    CHECK(info.status == SP_OK);
    drop(&f);
}

TEST(cg_reports_when_it_stops_early) {
    fixture f;
    double b[DOF + 1], x[DOF + 1];
    sp_linear_info info;
    REQUIRE(make(&f, "cpu", 70));
    for (int i = 0; i < DOF; i++) b[i] = i % 7;
    REQUIRE(solve(&f, 1e-12, 3, b, x, &info) == SP_OK);
    CHECK(info.status == SP_NOT_CONVERGED && info.iterations == 3 && info.residual > 1e-12);
    REQUIRE(solve(&f, 0, 17, b, x, &info) == SP_OK);
    CHECK(info.status == SP_OK && info.iterations == 17);
    for (int i = 0; i < DOF; i++) b[i] = 0;
    REQUIRE(solve(&f, 1e-6, 100, b, x, &info) == SP_OK);
    CHECK(info.status == SP_OK && info.iterations == 0 && x[5] == 0);
    b[8] = NAN;
    REQUIRE(solve(&f, 1e-6, 100, b, x, &info) == SP_OK);
    CHECK(info.status == SP_NOT_FINITE);
    drop(&f);
}

TEST(cg_detects_negative_curvature) {
    fixture f;
    double b[DOF + 1], x[DOF + 1];
    sp_linear_info info;
    REQUIRE(make(&f, "cpu", -70));
    for (int i = 0; i < DOF; i++) b[i] = 1;
    REQUIRE(solve(&f, 1e-6, 100, b, x, &info) == SP_OK);
    CHECK(info.status == SP_NOT_SPD);
    drop(&f);
}
