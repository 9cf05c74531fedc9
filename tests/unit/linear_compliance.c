// The compliance of contacts: J A^-1 J^T of solids, rigid bodies and chains, compared with dense algebra of the matrix that the
// body multiplies with.
#include "beam_system.h"
#include "linear/banded.h"
#include "linear/compliance.h"
#include "world/world_internal.h"

enum { ROWS = 9, MOST = 400 };

typedef struct rows {
    sp_rows J;
    int start[ROWS + 1], col[12 * ROWS];
    double val[12 * ROWS];
} rows;

// rows of four nodes or fewer entries, unknowns of a node one after the other
static void make_rows(rows *r, int n) {
    unsigned long long seed = 5;
    int count = 0;
    for (int i = 0; i < ROWS; i++) {
        r->start[i] = count;
        for (int k = 0; k < 4; k++)
            for (int a = 0; a < 3; a++) {
                int col = 3 * ((7 * i + 5 * k) % (n / 3)) + a;
                if (n < 12 && k > 1) continue;
                r->col[count] = col, r->val[count++] = sp_test_random(&seed);
            }
    }
    r->start[ROWS] = count;
    r->J = (sp_rows){.n = ROWS, .capacity = 12 * ROWS, .start = r->start, .col = r->col, .val = r->val};
}

// the dense matrix, column by column, by the product of the body
static void dense(const sp_system *A, sp_coef c, double *M) {
    double x[MOST + 4] = {0}, y[MOST + 4];
    for (int j = 0; j < A->n; j++) {
        x[j] = 1;
        A->mul(A->o, c, x, y);
        x[j] = 0;
        for (int i = 0; i < A->n; i++) M[i * A->n + j] = y[i];
    }
}

// x = M^-1 x by elimination with pivots; M is overwritten. r right-hand sides, row-major
static void eliminate(int n, double *M, int r, double *x) {
    for (int k = 0; k < n; k++) {
        int best = k;
        for (int i = k; i < n; i++)
            if (fabs(M[i * n + k]) > fabs(M[best * n + k])) best = i;
        for (int j = 0; j < n; j++) {
            double t = M[k * n + j];
            M[k * n + j] = M[best * n + j], M[best * n + j] = t;
        }
        for (int j = 0; j < r; j++) {
            double t = x[k * r + j];
            x[k * r + j] = x[best * r + j], x[best * r + j] = t;
        }
        for (int i = 0; i < n; i++) {
            double f = i == k ? 0 : M[i * n + k] / M[k * n + k];
            if (f == 0) continue;
            for (int j = k; j < n; j++) M[i * n + j] -= f * M[k * n + j];
            for (int j = 0; j < r; j++) x[i * r + j] -= f * x[k * r + j];
        }
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < r; j++) x[i * r + j] /= M[i * n + i];
}

// Product and application of a compliance against dense algebra. `tolerance` is relative to the largest number.
static void compare(sp_compliance *C, const sp_system *A, sp_coef c, double tolerance) {
    static double M[MOST * MOST], X[MOST * ROWS];
    rows r;
    double G[ROWS][ROWS + 2], lambda[ROWS], b[MOST + 4] = {0}, x[MOST + 4], largest = 0;
    unsigned long long seed = 11;
    REQUIRE(A->n <= MOST);
    make_rows(&r, A->n);
    dense(A, c, M);
    memset(X, 0, sizeof X);
    for (int i = 0; i < ROWS; i++)
        for (int k = r.start[i]; k < r.start[i + 1]; k++)
            if (!A->fixed[r.col[k]]) X[r.col[k] * ROWS + i] += r.val[k];
    eliminate(A->n, M, ROWS, X);
    REQUIRE(sp__compliance_product(C, &r.J, &G[0][0], ROWS + 2) == SP_OK);
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < ROWS; j++) {
            double sum = 0;
            for (int k = r.start[i]; k < r.start[i + 1]; k++)
                if (!A->fixed[r.col[k]]) sum += r.val[k] * X[r.col[k] * ROWS + j];
            largest = fmax(largest, fabs(sum));
            CHECK_NEAR(G[i][j], sum, tolerance * fmax(largest, 1e-300));
            CHECK(G[i][j] == G[j][i]);
        }
    // x = A^-1 J^T lambda gives J x = G lambda
    for (int i = 0; i < ROWS; i++) {
        lambda[i] = sp_test_random(&seed);
        for (int k = r.start[i]; k < r.start[i + 1]; k++) b[r.col[k]] += lambda[i] * r.val[k];
    }
    sp__compliance_apply(C, b, x);
    for (int i = 0; i < ROWS; i++) {
        double moved = 0, expected = 0;
        for (int k = r.start[i]; k < r.start[i + 1]; k++) moved += r.val[k] * x[r.col[k]];
        for (int j = 0; j < ROWS; j++) expected += G[i][j] * lambda[j];
        CHECK_NEAR(moved, expected, tolerance * ROWS * largest);
    }
    for (int k = 0; k < A->n; k++)
        if (A->fixed[k]) CHECK(x[k] == 0);
}

// Condition numbers below 1e4, so that both inverses are exact to 1e-12.
TEST(exact_compliance_of_a_solid) {
    static const sp_solver_type types[] = {SP_SOLVER_CHOLESKY, SP_SOLVER_CG};  // a borrowed factor, an own one
    const beam_def def = {.cells = {4, 2, 2}, .young = {1000, 50, 10}, .h = 0.04, .bend = 0.1, .workers = 2};
    for (int t = 0; t < 2; t++) {
        beam k;
        sp_solver_def sd = sp_solver_def_default();
        sp_solver *solver = NULL;
        sp_compliance *C = NULL;
        sp_linear_info info;
        REQUIRE(beam_make(&k, &def));
        sd.type = types[t];
        REQUIRE(sp__solver_create(k.ctx, &sd, k.M->be, &solver) == SP_OK);
        REQUIRE(sp__compliance_create(k.ctx, k.M->be, SP_COMPLIANCE_EXACT, &sd, &C) == SP_OK);
        sp__solver_step(solver, 1, true);
        REQUIRE(sp__solver_solve(solver, &k.A, k.c, k.b, k.x, &info) == SP_OK);
        REQUIRE(sp__compliance_prepare(C, solver, &k.A, k.c) == SP_OK);
        CHECK_INT(sp__compliance_age(C), 0);
        CHECK(strcmp(sp__compliance_name(C), "factor of this step") == 0);
        compare(C, &k.A, k.c, 1e-12);
        sp__compliance_destroy(&C), sp__solver_destroy(&solver);
        beam_drop(&k);
    }
}

// ---------------------------------------------------------------------------------------------------- chains

enum { N = 30, SPLIT = 18 };

static const int start[] = {0, SPLIT, N}, band[] = {5, N - SPLIT - 1};
static const unsigned char fixed[N] = {[4] = 1, [25] = 1};

// diagonally dominant within the bands of two parts
static double chain_entry(int i, int j) {
    int part = i >= SPLIT, low = i < j ? i : j, high = i < j ? j : i;
    if (part != (j >= SPLIT) || high - low > band[part]) return 0;
    return i == j ? 2.0 * N : sin(7 * high + 3 * low);
}

static double chain_mul(void *o, sp_coef c, const double *x, double *y) {
    double sum = 0;
    (void)o;
    for (int i = 0; i < N; i++) {
        y[i] = fixed[i] ? x[i] : 0;
        for (int j = 0; j < N && !fixed[i]; j++) y[i] += fixed[j] ? 0 : c.k * chain_entry(i, j) * x[j];
        sum += x[i] * y[i];
    }
    return sum;
}

static void chain_fill(void *o, sp_coef c, int part, double *L) {
    (void)o;
    for (int i = start[part]; i < start[part + 1]; i++)
        for (int j = start[part]; j <= i; j++)
            if (i - j <= band[part]) *sp__banded_at(L, band[part], i - start[part], j - start[part]) = c.k * chain_entry(i, j);
}

TEST(compliance_of_a_chain) {
    sp_context *ctx = NULL;
    sp_solver *solver = NULL;
    sp_compliance *C = NULL;
    sp_solver_def sd = sp_solver_def_default();
    sp_parts parts = {2, start, band, chain_fill};
    sp_system A = {.n = N, .block = 1, .pattern = 1, .values = 1, .fixed = fixed, .mul = chain_mul, .parts = &parts};
    const sp_coef c = {0, 0, 2};
    sp_linear_info info;
    double b[N + 4] = {1}, x[N + 4];
    sd.type = SP_SOLVER_BLOCK_TRIDIAGONAL;
    REQUIRE(sp_context_create(NULL, &ctx) == SP_OK);
    REQUIRE(sp__solver_create(ctx, &sd, NULL, &solver) == SP_OK);
    REQUIRE(sp__compliance_create(ctx, NULL, SP_COMPLIANCE_FACTOR, &sd, &C) == SP_OK);
    sp__solver_step(solver, 1, true);
    REQUIRE(sp__solver_solve(solver, &A, c, b, x, &info) == SP_OK);
    REQUIRE(sp__compliance_prepare(C, solver, &A, c) == SP_OK);
    compare(C, &A, c, 1e-13);
    sp__compliance_destroy(&C), sp__solver_destroy(&solver);
    sp_context_destroy(&ctx);
}

// ---------------------------------------------------------------------------------------------------- bodies of a world

// the system of the last step of a body
static void compare_body(sp_world *w, sp_body_id id, double tolerance) {
    sp_body *b = sp__world_body(w, id);
    sp_compliance *C = NULL;
    REQUIRE(b->has_system);
    REQUIRE(sp__compliance_create(b->ctx, b->solver->be, SP_COMPLIANCE_EXACT, &b->solver_def, &C) == SP_OK);
    REQUIRE(sp__compliance_prepare(C, b->solver, &b->system, b->coef) == SP_OK);
    compare(C, &b->system, b->coef, tolerance);
    sp__compliance_destroy(&C);
}

TEST(compliance_of_rigid_bodies_and_rods) {
    sp_context *ctx = NULL;
    sp_world *w = NULL;
    sp_rigid_shape box = {.type = SP_BOX, .size = {1, 0.5, 0.7}, .pose = sp_pose_identity()};
    sp_rigid_def rigid = sp_rigid_def_default();
    sp_rod_section section = sp_rod_section_default();
    sp_rod_strand strand = {.length = 1, .elements = 9, .root = sp_pose_identity()};
    sp_rod_def rod = sp_rod_def_default();
    sp_body_id id[2];
    section.axes[0] = section.axes[1] = 0.02, section.young = 1e6;
    rod.strands = &strand, rod.strand_count = 1, rod.sections = &section, rod.section_count = 1, rod.model = SP_ROD_DER;
    rigid.shapes = &box, rigid.shape_count = 1, rigid.free = true, rigid.spin[0] = 2, rigid.density = 3;
    REQUIRE(sp_context_create(NULL, &ctx) == SP_OK && sp_world_create(ctx, NULL, &w) == SP_OK);
    REQUIRE(sp_world_add_rigid(w, &rigid, &id[0]) == SP_OK && sp_world_add_rod(w, &rod, &id[1]) >= 0);
    CHECK(sp_world_step(w, 0.01) >= 0);
    compare_body(w, id[0], 1e-13);
    compare_body(w, id[1], 1e-10);  // condition number of stretch against bending
    sp_world_destroy(&w);
    sp_context_destroy(&ctx);
}
