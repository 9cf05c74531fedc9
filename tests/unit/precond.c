// Every preconditioner as an operator: symmetric, positive definite, equal to its dense definition where there is one; reports
// for unsuitable matrices; memory, threads, bits.
#include "linear/precond.h"

#include "beam_system.h"
#include "linear/lower.h"
#include "meter.h"
#include "sparse/scalar.h"

static const sp_preconditioner all[] = {SP_JACOBI, SP_BLOCK_JACOBI, SP_SSOR, SP_IC, SP_COMPLETE_CHOLESKY, SP_INVERSE_FACTOR};
enum { KINDS = sizeof all / sizeof *all };

// ------------------------------------------------------------------------------------------------ small dense algebra

// z = P^-1 of all unit vectors, by rows
static double *operator_of(sp_precond *p) {
    int n = p->n;
    double *Z = calloc((size_t)n * (size_t)n, sizeof *Z), *e = calloc((size_t)n + 1, sizeof *e),
           *z = calloc((size_t)n + 1, sizeof *z);
    for (int j = 0; j < n; j++) {
        e[j] = 1;
        p->kind->apply(p, e, z);
        e[j] = 0;
        for (int i = 0; i < n; i++) Z[i * n + j] = z[i];
    }
    free(e), free(z);
    return Z;
}

static double *dense_of(const sp_symmetric *A) {
    int n = A->n * A->block;
    double *D = calloc((size_t)n * (size_t)n, sizeof *D);
    for (int i = 0; i < A->n; i++)
        for (int k = A->row_start[i]; k < A->row_start[i + 1]; k++)
            for (int r = 0; r < 3; r++)
                for (int c = 0; c < 3; c++) {
                    int a = 3 * i + r, b = 3 * A->row_col[k] + c;
                    D[a * n + b] = D[b * n + a] = sp__symmetric_block(A, k)[A->stride * (3 * r + c)];
                }
    return D;
}

// largest |Z - Z^T| over the largest |Z|
static double asymmetry(int n, const double *Z) {
    double apart = 0, size = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) apart = fmax(apart, fabs(Z[i * n + j] - Z[j * n + i])), size = fmax(size, fabs(Z[i * n + j]));
    return apart / size;
}

// Cholesky of the symmetric part, rows scaled to a unit diagonal: the smallest pivot, or the first that is not positive
static double least_pivot(int n, const double *Z) {
    double *C = calloc((size_t)n * (size_t)n, sizeof *C), least = INFINITY;
    for (int i = 0; i < n && least > 0; i++) {
        for (int j = 0; j <= i; j++) {
            double sum = 0.5 * (Z[i * n + j] + Z[j * n + i]) / sqrt(Z[i * n + i] * Z[j * n + j]);
            for (int k = 0; k < j; k++) sum -= C[i * n + k] * C[j * n + k];
            if (i == j) {
                least = sum > 0 ? fmin(least, sum) : sum;
                C[i * n + i] = sqrt(sum);
            } else {
                C[i * n + j] = sum / C[j * n + j];
            }
        }
        if (isnan(C[i * n + i])) least = NAN;
    }
    free(C);
    return least;
}

static sp_solver_def options(sp_factor_precision precision) {
    sp_solver_def def = sp_solver_def_default();
    def.cholesky.precision = precision;
    return def;
}

static sp_precond *make(sp_context *ctx, const sp_backend *be, sp_preconditioner which, const sp_solver_def *def,
                        const sp_symmetric *A, sp_factor_info *info) {
    sp_precond *p = NULL;
    const sp_precond_kind *kind = sp__precond_find(which);
    if (kind->create(ctx, be, def, A, NULL, NULL, &p) < 0) return NULL;
    kind->build(p, A, false, info);
    return p;
}

// ------------------------------------------------------------------------------------------------ small matrices

// a matrix of n block rows with the given pattern; blocks are filled by the caller
static sp_symmetric_own matrix(sp_context *ctx, int n, int blocks, const int *start, const int *col) {
    sp_symmetric_own A = {0};
    if (sp__symmetric_create(ctx, n, 3, blocks, &A) < 0) return A;
    memcpy(A.row_start, start, sizeof *start * (size_t)(n + 1));
    memcpy(A.row_col, col, sizeof *col * (size_t)blocks);
    return A;
}

// block k = f I
static void put_scaled(sp_symmetric_own *A, int k, double f) {
    for (int e = 0; e < 9; e++) A->val[9 * k + e] = e % 4 == 0 ? f : 0;
}

// block tridiagonal, random, diagonally dominant
static sp_symmetric_own chain(sp_context *ctx, int n) {
    int *start = calloc((size_t)n + 1, sizeof *start), *col = calloc(2 * (size_t)n, sizeof *col), k = 0;
    for (int i = 0; i < n; i++) {
        col[k++] = i;
        if (i + 1 < n) col[k++] = i + 1;
        start[i + 1] = k;
    }
    sp_symmetric_own A = matrix(ctx, n, k, start, col);
    unsigned long long seed = 5;
    for (int b = 0; b < k && A.val; b++)
        for (int e = 0; e < 9; e++) A.val[9 * b + e] = sp_test_random(&seed);
    for (int i = 0; i < n && A.val; i++) {
        double *v = A.val + 9 * start[i];
        for (int r = 0; r < 3; r++)
            for (int c = 0; c < r; c++) v[3 * r + c] = v[3 * c + r];
        v[0] += 6, v[4] += 7, v[8] += 8;
    }
    free(start), free(col);
    return A;
}

// ------------------------------------------------------------------------------------------------ the operators

static void check_operator(const char *what, sp_precond *p, sp_factor_precision precision) {
    double *Z = operator_of(p);
    // sums of a few dozen products in the precision of the blocks; the complete factor multiplies rounding by the condition
    // number, 1e4
    double rounding = precision == SP_FACTOR_DOUBLE ? 1e-11 : 2e-4;
    double apart = asymmetry(p->n, Z), pivot = least_pivot(p->n, Z);
    if (!(apart <= rounding) || !(pivot > 0)) printf("  %s, %s\n", what, p->kind->name);
    CHECK_NEAR(apart, 0, rounding);
    CHECK(pivot > 0);
    free(Z);
}

static void check_all(const char *what, sp_context *ctx, const sp_backend *be, const sp_symmetric *A) {
    for (int k = 0; k < KINDS; k++)
        for (int single = 0; single < 2; single++) {
            sp_solver_def def = options(single ? SP_FACTOR_FLOAT : SP_FACTOR_DOUBLE);
            sp_factor_info info;
            def.pcg.omega = 1.3;
            sp_precond *p = make(ctx, be, all[k], &def, A, &info);
            REQUIRE(p && info.status == SP_OK);
            check_operator(what, p, def.cholesky.precision);
            CHECK(p->kind->bytes(p) > 0);
            p->kind->destroy(p);
        }
}

TEST(every_preconditioner_is_symmetric_and_positive_definite) {
    const beam_def defs[] = {
        {.cells = {6, 3, 3}, .young = {1e6, 5e4, 1e4}, .h = 0.04, .bend = 0.2, .workers = 2},  // clamped, stiff, mixed
        {.cells = {6, 3, 3}, .young = {1000, 50, 10}, .h = 0.04, .bend = 0.2, .loose = true},  // nothing clamped
        {.cells = {1, 1, 1}, .young = {1e5, 1e5, 1e5}, .h = 0.1, .backend = "ref"},            // four free nodes
    };
    for (size_t d = 0; d < sizeof defs / sizeof *defs; d++) {
        beam k;
        REQUIRE(beam_make(&k, &defs[d]));
        check_all(defs[d].loose ? "loose" : "clamped", k.ctx, k.M->be, &k.view);
        beam_drop(&k);
    }
}

TEST(one_node_and_nodes_without_neighbours) {
    sp_context *ctx;
    REQUIRE(sp_context_create(NULL, &ctx) == SP_OK);
    for (int n = 1; n <= 5; n += 4) {
        int start[] = {0, 1, 2, 3, 4, 5}, col[] = {0, 1, 2, 3, 4};
        sp_symmetric_own A = matrix(ctx, n, n, start, col);
        REQUIRE(A.val);
        for (int i = 0; i < n; i++) {
            const double v[9] = {4, 1, 0.5, 1, 5, 0.25, 0.5, 0.25, 6 + i};
            memcpy(A.val + 9 * i, v, sizeof v);
        }
        check_all("islands", ctx, sp__backend_find("cpu"), &A.view);
        sp__symmetric_free(&A);
    }
    sp_context_destroy(&ctx);
}

// ------------------------------------------------------------------------------------------------ definitions

// |A P^-1 - I| in the largest entry
static double far_from_inverse(const sp_symmetric *A, sp_precond *p) {
    int n = p->n;
    double *Z = operator_of(p), *D = dense_of(A), most = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double sum = i == j ? -1 : 0;
            for (int k = 0; k < n; k++) sum += D[i * n + k] * Z[k * n + j];
            most = fmax(most, fabs(sum));
        }
    free(Z), free(D);
    return most;
}

TEST(incomplete_cholesky_without_fill_is_exact_for_chains) {
    sp_context *ctx;
    REQUIRE(sp_context_create(NULL, &ctx) == SP_OK);
    sp_symmetric_own A = chain(ctx, 40);
    sp_solver_def def = options(SP_FACTOR_DOUBLE);
    sp_factor_info info;
    def.pcg.drop = 0;
    sp_precond *p = make(ctx, sp__backend_find("cpu"), SP_IC, &def, &A.view, &info);
    REQUIRE(p && info.status == SP_OK);
    // rounding of a well-conditioned factor
    CHECK_NEAR(far_from_inverse(&A.view, p), 0, 1e-13);
    CHECK(info.shift == 0 && info.columns == 40 && info.flops > 0);
    p->kind->destroy(p);
    sp__symmetric_free(&A), sp_context_destroy(&ctx);
}

// long enough to be factored from both ends by two workers; blocks of the middle level come last
TEST(two_parts_that_meet_in_the_middle_are_exact) {
    sp_context_def cd = sp_context_def_default();
    sp_context *ctx;
    cd.workers = 2;
    REQUIRE(sp_context_create(&cd, &ctx) == SP_OK);
    sp_symmetric_own A = chain(ctx, 2500);
    sp_columns order;
    REQUIRE(A.val && sp__columns_create(ctx, &A.view, &order) == SP_OK);
    CHECK(order.parts == 2 && order.part_start[2] == 2499);
    sp__columns_free(ctx, &order);
    double *x = calloc(7501, sizeof *x), *b = calloc(7501, sizeof *b), *z = calloc(7501, sizeof *z);
    unsigned long long seed = 3;
    for (int i = 0; i < 7500; i++) x[i] = sp_test_random(&seed);
    sp__symmetric_mul(&A.view, x, b);
    for (int alone = 0; alone < 2; alone++) {
        sp_solver_def def = options(SP_FACTOR_DOUBLE);
        sp_factor_info info;
        def.pcg.drop = 0;
        sp_precond *p = make(ctx, sp__backend_find("cpu"), SP_IC, &def, &A.view, &info);
        REQUIRE(p && info.status == SP_OK && p->kind->build(p, &A.view, alone, &info) == SP_OK);
        p->kind->apply(p, b, z);
        double worst = 0;
        for (int i = 0; i < 7500; i++) worst = fmax(worst, fabs(z[i] - x[i]));
        // rounding of a well-conditioned factor
        CHECK_NEAR(worst, 0, 1e-13);
        p->kind->destroy(p);
    }
    free(x), free(b), free(z);
    sp__symmetric_free(&A), sp_context_destroy(&ctx);
}

TEST(incomplete_cholesky_that_drops_nothing_is_complete) {
    beam k;
    REQUIRE(beam_make(&k, &(beam_def){.cells = {5, 2, 2}, .young = {1000, 50, 10}, .h = 0.04, .bend = 0.2}));
    sp_solver_def def = options(SP_FACTOR_DOUBLE);
    sp_factor_info info;
    def.pcg.drop = 1e-16;
    sp_precond *p = make(k.ctx, k.M->be, SP_IC, &def, &k.view, &info);
    REQUIRE(p && info.status == SP_OK);
    // rounding times a condition number below 1e3
    CHECK_NEAR(far_from_inverse(&k.view, p), 0, 1e-12);
    p->kind->destroy(p);
    // a smaller threshold is closer to the inverse
    double before = INFINITY;
    for (double drop = 1e-1; drop > 1e-6; drop /= 10) {
        def.pcg.drop = drop;
        p = make(k.ctx, k.M->be, SP_IC, &def, &k.view, &info);
        REQUIRE(p && info.status == SP_OK);
        double now = far_from_inverse(&k.view, p);
        CHECK(now < before);
        before = now;
        p->kind->destroy(p);
    }
    beam_drop(&k);
}

// P (I_row) of the formula of SSOR in precond.c, in the order that lower.c gives, by rows
static double *ssor_formula(const beam *k, const sp_columns *order, double w) {
    int n = k->n;
    double *D = dense_of(&k->view), *B = calloc((size_t)n * (size_t)n, sizeof *B), *P = calloc((size_t)n * (size_t)n, sizeof *P);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            int a = order->place[i / 3], b = order->place[j / 3];
            B[i * n + j] = a == b ? D[i * n + j] / w : a > b ? D[i * n + j] : 0;
        }
    for (int node = 0; node < n / 3; node++) {
        double block[9], inverse[9], det = 0;
        for (int e = 0; e < 9; e++) block[e] = D[(3 * node + e / 3) * n + 3 * node + e % 3];
        for (int r = 0; r < 3; r++)
            for (int c = 0; c < 3; c++) {
                int r1 = (r + 1) % 3, r2 = (r + 2) % 3, c1 = (c + 1) % 3, c2 = (c + 2) % 3;
                inverse[3 * c + r] = block[3 * r1 + c1] * block[3 * r2 + c2] - block[3 * r1 + c2] * block[3 * r2 + c1];
            }
        for (int c = 0; c < 3; c++) det += block[c] * inverse[3 * c];
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                for (int e = 0; e < 9; e++)
                    P[i * n + j] += w / (2 - w) * B[i * n + 3 * node + e / 3] * inverse[e] / det * B[j * n + 3 * node + e % 3];
    }
    free(D), free(B);
    return P;
}

TEST(ssor_follows_its_formula) {
    beam k;
    REQUIRE(beam_make(&k, &(beam_def){.cells = {3, 2, 2}, .young = {1000, 50, 10}, .h = 0.04, .bend = 0.2}));
    const double omegas[] = {0.7, 1, 1.6};
    for (int o = 0; o < 3; o++) {
        sp_solver_def def = options(SP_FACTOR_DOUBLE);
        sp_columns order;
        sp_factor_info info;
        def.pcg.omega = omegas[o];
        sp_precond *p = make(k.ctx, k.M->be, SP_SSOR, &def, &k.view, &info);
        REQUIRE(p && info.status == SP_OK && sp__columns_create(k.ctx, &k.view, &order) == SP_OK);
        double *Z = operator_of(p), *P = ssor_formula(&k, &order, def.pcg.omega), worst = 0;
        for (int i = 0; i < k.n; i++)
            for (int j = 0; j < k.n; j++) {
                double sum = i == j ? -1 : 0;
                for (int m = 0; m < k.n; m++) sum += P[i * k.n + m] * Z[m * k.n + j];
                worst = fmax(worst, fabs(sum));
            }
        // rounding times a condition number below 1e3
        CHECK_NEAR(worst, 0, 1e-12);
        free(Z), free(P);
        sp__columns_free(k.ctx, &order);
        p->kind->destroy(p);
    }
    beam_drop(&k);
}

// G lower triangular with Z = G^T G: from the last row up, unique with a positive diagonal
static double *lower_root(int n, const double *Z) {
    double *G = calloc((size_t)n * (size_t)n, sizeof *G);
    for (int i = n - 1; i >= 0; i--)
        for (int j = i; j >= 0; j--) {
            double sum = Z[i * n + j];
            for (int k = i + 1; k < n; k++) sum -= G[k * n + i] * G[k * n + j];
            G[i * n + j] = i == j ? sqrt(sum) : sum / G[i * n + i];
        }
    return G;
}

TEST(inverse_factor_has_the_pattern_of_the_matrix_and_a_unit_diagonal) {
    beam k;
    REQUIRE(beam_make(&k, &(beam_def){.cells = {4, 2, 2}, .young = {1000, 50, 10}, .h = 0.04, .bend = 0.2}));
    int n = k.n;
    sp_solver_def def = options(SP_FACTOR_DOUBLE);
    sp_factor_info info;
    sp_precond *p = make(k.ctx, k.M->be, SP_INVERSE_FACTOR, &def, &k.view, &info);
    REQUIRE(p && info.status == SP_OK && info.shift == 0);
    double *Z = operator_of(p), *G = lower_root(n, Z), *D = dense_of(&k.view), size = 0;
    for (int i = 0; i < n; i++) size = fmax(size, G[i * n + i]);
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++) {
            // G is reconstructed from Z with rounding times its condition number
            if (sp__symmetric_find(&k.view, j / 3, i / 3) < 0) CHECK_NEAR(G[i * n + j], 0, 1e-12 * size);
            if (i / 3 != j / 3) continue;
            double sum = 0;
            for (int a = 0; a <= i; a++)
                for (int b = 0; b <= j; b++) sum += G[i * n + a] * D[a * n + b] * G[j * n + b];
            CHECK_NEAR(sum, i == j, 1e-11);
        }
    free(Z), free(G), free(D);
    p->kind->destroy(p);
    beam_drop(&k);
}

TEST(the_jacobi_pair_inverts_diagonals) {
    beam k;
    REQUIRE(beam_make(&k, &(beam_def){.cells = {2, 2, 2}, .young = {1000, 50, 10}, .h = 0.04, .bend = 0.2}));
    double *D = dense_of(&k.view);
    for (int blocks = 0; blocks < 2; blocks++) {
        sp_solver_def def = sp_solver_def_default();
        sp_factor_info info;
        sp_precond *p = make(k.ctx, k.M->be, blocks ? SP_BLOCK_JACOBI : SP_JACOBI, &def, &k.view, &info);
        REQUIRE(p);
        double *Z = operator_of(p);
        for (int i = 0; i < k.n; i++)
            for (int j = 0; j < k.n; j++) {
                double sum = 0;
                for (int m = 0; m < 3 && i / 3 == j / 3; m++)
                    sum += D[i * k.n + 3 * (i / 3) + m] * Z[(3 * (i / 3) + m) * k.n + j];
                if (blocks && i / 3 == j / 3) CHECK_NEAR(sum, i == j, 1e-13);
                if (!blocks) CHECK_NEAR(Z[i * k.n + j], i == j ? 1 / D[i * k.n + i] : 0, 1e-16 / D[i * k.n + i]);
            }
        free(Z);
        p->kind->destroy(p);
    }
    free(D);
    beam_drop(&k);
}

// ------------------------------------------------------------------------------------------------ bad matrices

// Kershaw's matrix (1978), blocks f I: positive definite, but IC(0) has a negative pivot
static sp_symmetric_own kershaw(sp_context *ctx, double diagonal) {
    int start[] = {0, 3, 5, 7, 8}, col[] = {0, 1, 3, 1, 2, 2, 3, 3};
    double f[] = {diagonal, -2, 2, diagonal, -2, diagonal, -2, diagonal};
    sp_symmetric_own A = matrix(ctx, 4, 8, start, col);
    for (int k = 0; k < 8 && A.val; k++) put_scaled(&A, k, f[k]);
    return A;
}

TEST(a_breakdown_is_fixed_by_a_shift_and_reported) {
    sp_context *ctx;
    REQUIRE(sp_context_create(NULL, &ctx) == SP_OK);
    sp_symmetric_own A = kershaw(ctx, 3);
    sp_solver_def def = options(SP_FACTOR_DOUBLE);
    sp_factor_info info;
    def.pcg.drop = 0;
    sp_precond *p = make(ctx, sp__backend_find("cpu"), SP_IC, &def, &A.view, &info);
    REQUIRE(p && info.status == SP_OK);
    CHECK(info.shift > 0 && info.shift < 3);
    check_operator("kershaw", p, SP_FACTOR_DOUBLE);
    p->kind->destroy(p);
    sp__symmetric_free(&A), sp_context_destroy(&ctx);
}

TEST(an_indefinite_matrix_gives_a_positive_preconditioner) {
    sp_context *ctx;
    REQUIRE(sp_context_create(NULL, &ctx) == SP_OK);
    // eigenvalues of the cycle are +-2 sqrt 2 around the diagonal
    const double diagonals[] = {1, 0, -3};
    for (int d = 0; d < 3; d++) {
        sp_symmetric_own A = kershaw(ctx, diagonals[d]);
        for (int k = 0; k < KINDS; k++) {
            sp_solver_def def = options(SP_FACTOR_DOUBLE);
            sp_factor_info info;
            sp_precond *p = make(ctx, sp__backend_find("cpu"), all[k], &def, &A.view, &info);
            REQUIRE(p);
            bool diagonal_only = all[k] == SP_JACOBI || all[k] == SP_BLOCK_JACOBI || all[k] == SP_SSOR;
            CHECK(info.status == SP_OK || info.status == SP_NOT_SPD);
            CHECK(info.shift > 0 || info.status == SP_NOT_SPD || (diagonal_only && diagonals[d] > 0));
            check_operator("indefinite", p, SP_FACTOR_DOUBLE);
            p->kind->destroy(p);
        }
        sp__symmetric_free(&A);
    }
    sp_context_destroy(&ctx);
}

TEST(non_finite_values_are_reported) {
    sp_context *ctx;
    REQUIRE(sp_context_create(NULL, &ctx) == SP_OK);
    const double bad[] = {NAN, INFINITY};
    for (int b = 0; b < 2; b++)
        for (int k = 0; k < KINDS; k++) {
            sp_symmetric_own A = kershaw(ctx, 9);
            sp_solver_def def = sp_solver_def_default();
            sp_factor_info info;
            A.val[9 * 3 + 4] = bad[b];
            sp_precond *p = make(ctx, sp__backend_find("cpu"), all[k], &def, &A.view, &info);
            REQUIRE(p);
            CHECK(info.status == SP_NOT_FINITE);
            if (info.status != SP_NOT_FINITE) printf("  %s: %s\n", p->kind->name, sp_status_name(info.status));
            // the same object can be built again
            A.val[9 * 3 + 4] = 9;
            CHECK(p->kind->build(p, &A.view, true, &info) == SP_OK);
            check_operator("after a bad one", p, SP_FACTOR_FLOAT);
            p->kind->destroy(p);
            sp__symmetric_free(&A);
        }
    sp_context_destroy(&ctx);
}

TEST(long_builds_stop_on_request) {
    beam k;
    REQUIRE(beam_make(&k, &(beam_def){.cells = {6, 3, 3}, .young = {1000, 50, 10}, .h = 0.04}));
    const sp_preconditioner slow[] = {SP_IC, SP_COMPLETE_CHOLESKY, SP_INVERSE_FACTOR};
    for (int s = 0; s < 3; s++) {
        sp_solver_def def = sp_solver_def_default();
        sp_factor_info info;
        sp_precond *p = make(k.ctx, k.M->be, slow[s], &def, &k.view, &info);
        REQUIRE(p && info.status == SP_OK && p->kind->costly);
        atomic_store(&p->stop, true);
        CHECK(p->kind->build(p, &k.view, true, &info) == SP_STOPPED);
        atomic_store(&p->stop, false);
        CHECK(p->kind->build(p, &k.view, true, &info) == SP_OK);
        p->kind->destroy(p);
    }
    beam_drop(&k);
}

TEST(other_block_sizes_are_refused) {
    sp_context *ctx;
    sp_symmetric_own A;
    REQUIRE(sp_context_create(NULL, &ctx) == SP_OK && sp__symmetric_create(ctx, 2, 2, 2, &A) == SP_OK);
    A.row_start[1] = 1, A.row_start[2] = 2, A.row_col[1] = 1;
    for (int k = 0; k < KINDS; k++) {
        sp_solver_def def = sp_solver_def_default();
        sp_precond *p;
        CHECK(sp__precond_find(all[k])->create(ctx, sp__backend_find("cpu"), &def, &A.view, NULL, NULL, &p) == SP_UNAVAILABLE);
        CHECK(p == NULL && strstr(sp_context_error(ctx)->message, "must be 3"));
    }
    sp__symmetric_free(&A), sp_context_destroy(&ctx);
}

// ------------------------------------------------------------------------------------------------ memory, threads, bits

TEST(building_and_applying_allocate_no_memory) {
    beam k;
    REQUIRE(beam_make(&k, &(beam_def){.cells = {6, 3, 3}, .young = {1000, 50, 10}, .h = 0.04}));
    for (int i = 0; i < KINDS; i++) {
        sp_solver_def def = sp_solver_def_default();
        sp_factor_info info;
        uint64_t before, after;
        sp_precond *p = make(k.ctx, k.M->be, all[i], &def, &k.view, &info);
        REQUIRE(p);
        sp_context_memory(k.ctx, NULL, &before);
        p->kind->build(p, &k.view, true, &info);
        p->kind->build(p, &k.view, false, &info);
        p->kind->apply(p, k.b, k.x);
        sp_context_memory(k.ctx, NULL, &after);
        CHECK_INT(before, after);
        p->kind->destroy(p);
    }
    beam_drop(&k);
}

TEST(a_refused_allocation_leaks_nothing) {
    for (int i = 0; i < KINDS; i++) {
        sp_status status = SP_NO_MEMORY;
        for (long allowed = 0; status < 0 && allowed < 200; allowed++) {
            meter m = {.allowed = 1000};
            sp_context_def cd = metered_context(&m);
            sp_context *ctx;
            REQUIRE(sp_context_create(&cd, &ctx) == SP_OK);
            sp_symmetric_own A = chain(ctx, 12);
            sp_solver_def def = sp_solver_def_default();
            sp_precond *p;
            long held = m.live;
            m.allowed = allowed;
            status = sp__precond_find(all[i])->create(ctx, sp__backend_find("cpu"), &def, &A.view, NULL, NULL, &p);
            CHECK(status == SP_OK || (status == SP_NO_MEMORY && !p && m.live == held));
            if (p) p->kind->destroy(p);
            CHECK_INT(m.live, held);
            sp__symmetric_free(&A), sp_context_destroy(&ctx);
            CHECK_INT(m.live, 0);
        }
        CHECK(status == SP_OK);
    }
}

TEST(an_analysis_is_shared) {
    beam k;
    REQUIRE(beam_make(&k, &(beam_def){.cells = {6, 3, 3}, .young = {1000, 50, 10}, .h = 0.04}));
    for (int i = 0; i < KINDS; i++) {
        sp_solver_def def = sp_solver_def_default();
        sp_factor_info info;
        sp_precond *first = make(k.ctx, k.M->be, all[i], &def, &k.view, &info), *second;
        REQUIRE(first && first->kind->create(k.ctx, k.M->be, &def, &k.view, NULL, first, &second) == SP_OK);
        REQUIRE(second->kind->build(second, &k.view, true, &info) == SP_OK);
        first->kind->apply(first, k.b, k.x);
        first->kind->destroy(first);
        second->kind->apply(second, k.b, k.y);
        CHECK(memcmp(k.x, k.y, sizeof *k.x * (size_t)k.n) == 0);
        second->kind->destroy(second);
    }
    beam_drop(&k);
}

TEST(same_bits_for_any_number_of_workers) {
    const int workers[] = {1, 2, 3, 7};
    double *first[KINDS] = {NULL};
    for (int w = 0; w < 4; w++) {
        beam k;
        REQUIRE(beam_make(&k, &(beam_def){.cells = {60, 5, 5}, .young = {1000, 50, 10}, .h = 0.04, .workers = workers[w]}));
        for (int i = 0; i < KINDS; i++) {
            sp_solver_def def = sp_solver_def_default();
            sp_factor_info info;
            sp_precond *p = make(k.ctx, k.M->be, all[i], &def, &k.view, &info);
            REQUIRE(p && info.status == SP_OK);
            p->kind->apply(p, k.b, k.x);
            size_t bytes = (size_t)k.n * sizeof *k.x;
            if (!first[i]) memcpy(first[i] = malloc(bytes), k.x, bytes);
            CHECK(memcmp(first[i], k.x, bytes) == 0);
            // built on one background thread: the same
            p->kind->build(p, &k.view, true, &info);
            p->kind->apply(p, k.b, k.x);
            CHECK(memcmp(first[i], k.x, bytes) == 0);
            p->kind->destroy(p);
        }
        beam_drop(&k);
    }
    for (int i = 0; i < KINDS; i++) free(first[i]);
}
