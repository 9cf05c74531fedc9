// The direct solver of chains on two parts with their own bands, compared with a product of the whole matrix.
#include <string.h>

#include "linear/banded.h"
#include "linear/solver.h"
#include "test.h"

enum { N = 31, SPLIT = 19 };

static const int start[] = {0, SPLIT, N}, band[] = {3, N - SPLIT - 1};

typedef struct chain {
    double A[N * N];
    int fills;
} chain;

// diagonally dominant within the bands; `sign` -1 makes it indefinite
static void make(chain *c, double sign) {
    memset(c, 0, sizeof *c);
    for (int part = 0; part < 2; part++)
        for (int i = start[part]; i < start[part + 1]; i++)
            for (int j = start[part]; j <= i; j++)
                if (i - j <= band[part]) c->A[N * i + j] = c->A[N * j + i] = i == j ? sign * 2.0 * N : sin(7 * i + 3 * j);
}

static const unsigned char fixed[N] = {[4] = 1, [25] = 1};

static double mul(void *o, sp_coef c, const double *x, double *y) {
    const chain *k = o;
    double sum = 0;
    for (int i = 0; i < N; i++) {
        y[i] = fixed[i] ? x[i] : 0;
        for (int j = 0; j < N && !fixed[i]; j++) y[i] += fixed[j] ? 0 : c.k * k->A[N * i + j] * x[j];
        sum += x[i] * y[i];
    }
    return sum;
}

static void fill(void *o, sp_coef c, int part, double *L) {
    chain *k = o;
    if (part == 0) k->fills++;
    for (int i = start[part]; i < start[part + 1]; i++)
        for (int j = start[part]; j <= i; j++)
            if (i - j <= band[part]) *sp__banded_at(L, band[part], i - start[part], j - start[part]) = c.k * k->A[N * i + j];
}

typedef struct bench {
    sp_context *ctx;
    sp_solver *solver;
    chain chain;
    sp_parts parts;
    sp_system system;
} bench;

static void open(bench *b, double sign) {
    sp_context_def def = sp_context_def_default();
    sp_solver_def sd = sp_solver_def_default();
    sd.type = SP_SOLVER_BLOCK_TRIDIAGONAL;
    make(&b->chain, sign);
    b->parts = (sp_parts){2, start, band, fill};
    b->system = (sp_system){
        .n = N, .block = 1, .pattern = 1, .values = 1, .fixed = fixed, .mul = mul, .parts = &b->parts, .o = &b->chain};
    b->solver = NULL;
    REQUIRE(sp_context_create(&def, &b->ctx) == SP_OK);
    REQUIRE(sp__solver_create(b->ctx, &sd, NULL, &b->solver) == SP_OK);
}

static void close_all(bench *b) {
    sp__solver_destroy(&b->solver);
    sp_context_destroy(&b->ctx);
}

TEST(two_parts) {
    bench k;
    sp_linear_info info;
    double x[N + 1], b[N + 1], y[N + 1];
    open(&k, 1);
    for (int i = 0; i < N; i++) b[i] = cos(i);
    REQUIRE(sp__solver_solve(k.solver, &k.system, (sp_coef){0, 0, 2}, b, x, &info) == SP_OK);
    CHECK(info.status == SP_OK && info.residual < 1e-14 && info.factor_flops > 0);
    mul(&k.chain, (sp_coef){0, 0, 2}, x, y);
    for (int i = 0; i < N; i++) CHECK_NEAR(y[i], b[i], 1e-13);  // a condition number below 3
    CHECK(x[4] == b[4] && x[25] == b[25]);
    // the same numbers: the factor is reused
    REQUIRE(sp__solver_solve(k.solver, &k.system, (sp_coef){0, 0, 2}, b, y, &info) == SP_OK);
    CHECK(k.chain.fills == 1 && memcmp(x, y, N * sizeof *x) == 0);
    k.system.values++;
    REQUIRE(sp__solver_solve(k.solver, &k.system, (sp_coef){0, 0, 2}, b, y, &info) == SP_OK);
    CHECK(k.chain.fills == 2 && sp__solver_bytes(k.solver) > N * sizeof(double));
    close_all(&k);
}

TEST(an_indefinite_matrix_is_shifted_and_reported) {
    bench k;
    sp_linear_info info;
    double x[N + 1], b[N + 1];
    open(&k, -1);
    for (int i = 0; i < N; i++) b[i] = 1;
    REQUIRE(sp__solver_solve(k.solver, &k.system, (sp_coef){0, 0, 1}, b, x, &info) == SP_OK);
    CHECK(info.status == SP_NOT_SPD && info.shift > 2.0 * N);
    close_all(&k);
}

TEST(systems_that_are_not_chains_are_refused) {
    bench k;
    sp_linear_info info;
    double x[N + 1], b[N + 1] = {0};
    open(&k, 1);
    k.system.parts = NULL;
    CHECK(sp__solver_solve(k.solver, &k.system, (sp_coef){0, 0, 1}, b, x, &info) == SP_BAD_INPUT);
    close_all(&k);
}
