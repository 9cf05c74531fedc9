// The compliance of contacts: J A^-1 J^T of solids, rigid bodies and chains, compared with dense algebra of the matrix that the
// body multiplies with.
#include "beam_system.h"
#include "linear/banded.h"
#include "linear/compliance.h"
#include "sparse/inverse_cache.h"
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

// ---------------------------------------------------------------------------------------------------- rotated inverses

// Moves the beam rigidly by a rotation about (1, 2, 3) and makes its system again.
static void beam_turn(beam *k, double angle) {
    const double *X = sp_mesh_positions(k->mesh), axis[3] = {1 / sqrt(14), 2 / sqrt(14), 3 / sqrt(14)};
    double *q = calloc((size_t)k->n, sizeof *q), *v = calloc((size_t)k->n, sizeof *v);
    for (int i = 0; i < k->n / 3; i++) {
        const double *p = X + 3 * i;
        double along = axis[0] * p[0] + axis[1] * p[1] + axis[2] * p[2];
        for (int a = 0; a < 3; a++) {
            int b = (a + 1) % 3, c = (a + 2) % 3;
            q[3 * i + a] =
                cos(angle) * p[a] + sin(angle) * (axis[b] * p[c] - axis[c] * p[b]) + (1 - cos(angle)) * along * axis[a];
        }
    }
    REQUIRE(k->body->ops->set_state(k->body, q, v) == SP_OK);
    memcpy(k->body->q[SP_TRIAL], k->body->q[SP_COMMITTED], sizeof *q * (size_t)k->n);
    memcpy(k->body->v[SP_TRIAL], k->body->v[SP_COMMITTED], sizeof *v * (size_t)k->n);
    free(q), free(v);
    REQUIRE(k->body->ops->evaluate(k->body, &k->step, SP_WANT_FORCE) >= 0);
    REQUIRE(k->body->ops->linearise(k->body, &k->step, &k->A) >= 0);
}

typedef struct stage {
    beam k;
    sp_solver *solver;
    sp_compliance *C;
} stage;

static void stage_open(stage *s, const beam_def *def, sp_compliance_type type, sp_solver_type solver, sp_factor_precision p) {
    sp_solver_def sd = sp_solver_def_default();
    *s = (stage){0};
    sd.type = solver, sd.cholesky.precision = p;
    sd.pcg.preconditioner = SP_COMPLETE_CHOLESKY, sd.pcg.refresh = SP_REFRESH_ASYNC;
    REQUIRE(beam_make(&s->k, def));
    REQUIRE(sp__solver_create(s->k.ctx, &sd, s->k.M->be, &s->solver) == SP_OK);
    REQUIRE(sp__compliance_create(s->k.ctx, s->k.M->be, type, &sd, &s->C) == SP_OK);
}

static void stage_close(stage *s) {
    sp__compliance_destroy(&s->C), sp__solver_destroy(&s->solver);
    beam_drop(&s->k);
}

static void stage_step(stage *s, uint64_t number) {
    sp_linear_info info;
    sp__solver_step(s->solver, number, true);
    REQUIRE(sp__solver_solve(s->solver, &s->k.A, s->k.c, s->k.b, s->k.x, &info) == SP_OK);
    REQUIRE(sp__compliance_prepare(s->C, s->solver, &s->k.A, s->k.c) == SP_OK);
}

// The corotational matrix of a body that only rotates is R A R^T with one R for all nodes, so that the rotated inverse of the
// first matrix is the inverse. Condition numbers below 1e4.
TEST(a_rotated_rest_inverse_is_exact_for_rigid_rotations) {
    static const sp_compliance_type types[] = {SP_COMPLIANCE_WARPED, SP_COMPLIANCE_FACTOR};
    const beam_def def = {.cells = {4, 2, 2}, .young = {1000, 50, 10}, .h = 0.04, .workers = 2, .loose = true};
    for (int t = 0; t < 2; t++) {
        stage s;
        stage_open(&s, &def, types[t], t ? SP_SOLVER_PCG : SP_SOLVER_CG, SP_FACTOR_DOUBLE);
        stage_step(&s, 1);
        compare(s.C, &s.k.A, s.k.c, 1e-11);
        beam_turn(&s.k, 1.3);
        stage_step(&s, 2);
        CHECK_INT(sp__compliance_age(s.C), 1);
        compare(s.C, &s.k.A, s.k.c, 1e-11);
        stage_close(&s);
    }
}

// A bent beam is not a rotated one: node rotations are means over elements, and the inverse is an approximation. The claim above
// is not one about a tolerance.
TEST(a_rotated_rest_inverse_is_approximate_for_bent_bodies) {
    const beam_def def = {.cells = {4, 2, 2}, .young = {1000, 50, 10}, .h = 0.04, .workers = 1, .loose = true},
                   bent = {.cells = {4, 2, 2}, .young = {1000, 50, 10}, .h = 0.04, .workers = 1, .loose = true, .bend = 0.2};
    stage s, exact;
    rows r;
    double G[2][ROWS][ROWS], apart = 0, most = 0;
    stage_open(&s, &def, SP_COMPLIANCE_WARPED, SP_SOLVER_CG, SP_FACTOR_DOUBLE);
    stage_step(&s, 1);
    stage_open(&exact, &bent, SP_COMPLIANCE_EXACT, SP_SOLVER_CG, SP_FACTOR_DOUBLE);
    stage_step(&exact, 1);
    beam_bend(&s.k, &bent);
    REQUIRE(s.k.body->ops->evaluate(s.k.body, &s.k.step, SP_WANT_FORCE) >= 0);
    REQUIRE(s.k.body->ops->linearise(s.k.body, &s.k.step, &s.k.A) >= 0);
    stage_step(&s, 2);
    make_rows(&r, s.k.n);
    REQUIRE(sp__compliance_product(s.C, &r.J, &G[0][0][0], ROWS) == SP_OK);
    REQUIRE(sp__compliance_product(exact.C, &r.J, &G[1][0][0], ROWS) == SP_OK);
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < ROWS; j++) apart = fmax(apart, fabs(G[0][i][j] - G[1][i][j])), most = fmax(most, fabs(G[1][i][j]));
    printf("  bent by 0.8 rad over its length: %.2g of the largest number\n", apart / most);
    CHECK(apart > 1e-4 * most && apart < 0.2 * most);
    stage_close(&s), stage_close(&exact);
}

// ---------------------------------------------------------------------------------------------------- precision

// A factor in float: the products have an error of the condition number (below 1e4, most of it in few directions) times 6e-8.
TEST(the_gap_of_factors_in_float) {
    const beam_def def = {.cells = {4, 2, 2}, .young = {1000, 50, 10}, .h = 0.04, .bend = 0.1, .workers = 2};
    static const sp_compliance_type types[] = {SP_COMPLIANCE_EXACT, SP_COMPLIANCE_FACTOR};
    for (int t = 0; t < 2; t++) {
        double G[2][ROWS][ROWS], apart = 0, most = 0;
        for (int p = 0; p < 2; p++) {
            stage s;
            rows r;
            stage_open(&s, &def, types[t], t ? SP_SOLVER_PCG : SP_SOLVER_CG, p ? SP_FACTOR_FLOAT : SP_FACTOR_DOUBLE);
            stage_step(&s, 1);
            make_rows(&r, s.k.n);
            REQUIRE(sp__compliance_product(s.C, &r.J, &G[p][0][0], ROWS) == SP_OK);
            compare(s.C, &s.k.A, s.k.c, p ? 1e-5 : 1e-12);
            stage_close(&s);
        }
        for (int i = 0; i < ROWS; i++)
            for (int j = 0; j < ROWS; j++)
                apart = fmax(apart, fabs(G[0][i][j] - G[1][i][j])), most = fmax(most, fabs(G[0][i][j]));
        printf("  float differs from double by %.2g of the largest number\n", apart / most);
        CHECK(apart > 1e-10 * most && apart < 1e-5 * most);  // it is float indeed
    }
}

// ---------------------------------------------------------------------------------------------------- properties of W

enum { MANY = 24 };

// eigenvalues of a symmetric matrix by cyclic Jacobi rotations
static void eigenvalues(int n, double *A, double *out) {
    for (int sweep = 0; sweep < 30; sweep++)
        for (int p = 0; p < n; p++)
            for (int q = p + 1; q < n; q++) {
                if (fabs(A[p * n + q]) < 1e-300) continue;
                double theta = 0.5 * atan2(2 * A[p * n + q], A[q * n + q] - A[p * n + p]), c = cos(theta), s = sin(theta);
                for (int k = 0; k < n; k++) {
                    double x = A[k * n + p], y = A[k * n + q];
                    A[k * n + p] = c * x - s * y, A[k * n + q] = s * x + c * y;
                }
                for (int k = 0; k < n; k++) {
                    double x = A[p * n + k], y = A[q * n + k];
                    A[p * n + k] = c * x - s * y, A[q * n + k] = s * x + c * y;
                }
            }
    for (int i = 0; i < n; i++) out[i] = A[i * n + i];
}

// 24 rows on four nodes: the rank is 12. Eigenvalues that are zero come out as rounding of the largest one.
TEST(w_is_symmetric_and_positive_semidefinite) {
    static const sp_compliance_type types[] = {SP_COMPLIANCE_DIAGONAL, SP_COMPLIANCE_WARPED, SP_COMPLIANCE_FACTOR,
                                               SP_COMPLIANCE_EXACT};
    const beam_def def = {.cells = {4, 2, 2}, .young = {1000, 50, 10}, .h = 0.04, .bend = 0.1, .workers = 2};
    for (int t = 0; t < 4; t++)
        for (int single = 0; single < 2; single++) {
            stage s;
            int first[MANY + 1], col[6 * MANY], count = 0, zero = 0;
            double val[6 * MANY], G[MANY * MANY], value[MANY], most = 0;
            unsigned long long seed = 9;
            stage_open(&s, &def, types[t], SP_SOLVER_PCG, single ? SP_FACTOR_FLOAT : SP_FACTOR_DOUBLE);
            stage_step(&s, 1);
            for (int r = 0; r < MANY; r++) {
                first[r] = count;
                for (int k = 0; k < 2; k++)
                    for (int a = 0; a < 3; a++, count++) {
                        int node = s.k.n / 3 - 1 - (r + k) % 4;
                        REQUIRE(!s.k.A.fixed[3 * node]);
                        col[count] = 3 * node + a, val[count] = sp_test_random(&seed);
                    }
            }
            first[MANY] = count;
            sp_rows J = {.n = MANY, .capacity = count, .start = first, .col = col, .val = val};
            REQUIRE(sp__compliance_product(s.C, &J, G, MANY) == SP_OK);
            for (int i = 0; i < MANY; i++)
                for (int j = 0; j < i; j++) CHECK(G[i * MANY + j] == G[j * MANY + i]);
            eigenvalues(MANY, G, value);
            for (int i = 0; i < MANY; i++) most = fmax(most, value[i]);
            double rounding = (single ? 1e-6 : 1e-14) * most;  // 24 rows, sums of six products each
            for (int i = 0; i < MANY; i++) CHECK(value[i] > -rounding), zero += value[i] < rounding;
            CHECK_INT(zero, MANY - 12);
            stage_close(&s);
        }
}

// ---------------------------------------------------------------------------------------------------- unconnected parts

// Two cubes in one solid: an impulse on one does not move the other, not even by rounding.
TEST(unconnected_parts_have_zero_blocks) {
    static const sp_compliance_type types[] = {SP_COMPLIANCE_WARPED, SP_COMPLIANCE_FACTOR, SP_COMPLIANCE_EXACT};
    for (int t = 0; t < 3; t++) {
        sp_context *ctx = NULL;
        sp_world *w = NULL;
        sp_mesh *box = NULL, *two = NULL;
        sp_solid_def def = sp_solid_def_default();
        sp_body_id id;
        REQUIRE(sp_context_create(NULL, &ctx) == SP_OK && sp_world_create(ctx, NULL, &w) == SP_OK);
        REQUIRE(sp_mesh_box(ctx, (double[3]){1, 1, 1}, (int[3]){2, 2, 2}, 6, &box) == SP_OK);
        int nodes = sp_mesh_node_count(box), tets = sp_mesh_element_count(box);
        double *x = calloc(6 * (size_t)nodes, sizeof *x);
        int *tet = calloc(8 * (size_t)tets, sizeof *tet);
        for (int i = 0; i < 6 * nodes; i++) x[i] = sp_mesh_positions(box)[i % (3 * nodes)] + (i >= 3 * nodes ? 1.5 : 0);
        for (int i = 0; i < 8 * tets; i++) tet[i] = sp_mesh_tets(box)[i % (4 * tets)] + (i >= 4 * tets ? nodes : 0);
        sp_mesh_def md = sp_mesh_def_default();
        md.node_count = 2 * nodes, md.positions = x, md.element_count = 2 * tets, md.element_nodes = tet;
        REQUIRE(sp_mesh_create(ctx, &md, &two) >= 0);
        def.mesh = two, def.solver.type = t ? SP_SOLVER_PCG : SP_SOLVER_CG, def.solver.pcg.preconditioner = SP_COMPLETE_CHOLESKY;
        REQUIRE(sp_world_add_solid(w, &def, &id) >= 0);
        CHECK(sp_world_step(w, 0.01) >= 0);
        sp_body *b = sp__world_body(w, id);
        sp_compliance *C = NULL;
        REQUIRE(sp__compliance_create(b->ctx, b->solver->be, types[t], &b->solver_def, &C) == SP_OK);
        REQUIRE(sp__compliance_prepare(C, b->solver, &b->system, b->coef) == SP_OK);
        // one node of each part, by their places in the user's numbering
        sp_anchor anchor[2];
        enum { ALL = 6 };
        int first[ALL + 1], col[12 * ALL];
        double val[12 * ALL], dir[3 * ALL] = {0}, G[ALL * ALL];
        sp_anchor each[ALL];
        for (int p = 0; p < 2; p++) REQUIRE(sp_world_anchor_node(w, id, p * nodes + 4, &anchor[p]) == SP_OK);
        for (int r = 0; r < ALL; r++) each[r] = anchor[r / 3], dir[3 * r + r % 3] = 1;
        sp_rows J = {.capacity = 12 * ALL, .start = first, .col = col, .val = val};
        REQUIRE(b->ops->jacobian_rows(b, SP_COMMITTED, ALL, each, dir, &J) == SP_OK);
        REQUIRE(sp__compliance_product(C, &J, G, ALL) == SP_OK);
        for (int i = 0; i < ALL; i++)
            for (int j = 0; j < ALL; j++)
                if (i / 3 != j / 3)
                    CHECK(G[i * ALL + j] == 0);
                else if (i == j)
                    CHECK(G[i * ALL + j] > 0);
        free(x), free(tet);
        sp__compliance_destroy(&C);
        sp_world_destroy(&w);
        sp_mesh_destroy(&box), sp_mesh_destroy(&two);
        sp_context_destroy(&ctx);
    }
}

// ---------------------------------------------------------------------------------------------------- cached columns

// Two bodies make the same steps. One asks for W in each step, with other rows each time; the other only in the last step. The
// factor is some steps old, and then a new one from the background thread.
TEST(w_has_the_same_bits_with_warm_and_cold_columns) {
    const beam_def def = {.cells = {4, 2, 2}, .young = {1000, 50, 10}, .h = 0.04, .workers = 2, .loose = true};
    for (uint64_t last = 2; last < 9; last++) {
        double G[2][ROWS][ROWS];
        for (int cold = 0; cold < 2; cold++) {
            stage s;
            stage_open(&s, &def, SP_COMPLIANCE_FACTOR, SP_SOLVER_CG, SP_FACTOR_AUTO);
            for (uint64_t k = 1; k <= last; k++) {
                rows r;
                beam_turn(&s.k, 0.2 * (double)k);
                stage_step(&s, k);
                make_rows(&r, s.k.n);
                for (int i = 0; i < r.start[ROWS] && k < last; i++) r.col[i] = (r.col[i] + 9 * (int)k) % s.k.n / 3 * 3 + i % 3;
                if (k == last || !cold) REQUIRE(sp__compliance_product(s.C, &r.J, &G[cold][0][0], ROWS) == SP_OK);
            }
            CHECK(sp__compliance_age(s.C) >= 1);
            stage_close(&s);
        }
        CHECK(memcmp(G[0], G[1], sizeof G[0]) == 0);
    }
}

// The same rows in each step: when the background thread hands over a factor, the columns that they need are there.
TEST(columns_are_ready_when_a_factor_is_swapped_in) {
    const beam_def def = {.cells = {4, 2, 2}, .young = {1000, 50, 10}, .h = 0.04, .workers = 2, .loose = true};
    stage s;
    sp_factored f;
    sp_factor *last = NULL;
    int swaps = 0, touched = 0, ready;
    int64_t blocks, later;
    stage_open(&s, &def, SP_COMPLIANCE_FACTOR, SP_SOLVER_PCG, SP_FACTOR_AUTO);
    for (uint64_t k = 1; k < 10; k++) {
        rows r;
        double G[ROWS * ROWS];
        beam_turn(&s.k, 0.1 * (double)k);
        stage_step(&s, k);
        make_rows(&r, s.k.n);
        REQUIRE(s.solver->kind->factored(s.solver, &f) && f.columns);
        sp__inverse_cache_counts(f.columns, &ready, &blocks);
        REQUIRE(sp__compliance_product(s.C, &r.J, G, ROWS) == SP_OK);
        if (f.F != last && last) {
            swaps++;
            CHECK_INT(ready, touched);
            sp__inverse_cache_counts(f.columns, &ready, &later);
            CHECK_INT(later, blocks);  // the product had nothing to compute
        }
        sp__inverse_cache_planned(f.columns, &touched);
        last = f.F;
    }
    CHECK(swaps >= 3 && touched > 9);
    stage_close(&s);
}

// With `auto` the contacts ask for a new factor when the one in use is too far from the matrix; `factor` makes one all the time.
TEST(auto_makes_a_factor_when_it_is_asked_to) {
    const beam_def def = {.cells = {4, 2, 2}, .young = {1000, 50, 10}, .h = 0.04, .workers = 1, .loose = true};
    const sp_compliance_type types[] = {SP_COMPLIANCE_AUTO, SP_COMPLIANCE_FACTOR};
    enum { ASKED = 12, STEPS = 24, LAG = 2 };  // steps; LAG: between the matrix of a factor and its first use
    for (int t = 0; t < 2; t++) {
        stage s;
        int oldest[2] = {0};
        stage_open(&s, &def, types[t], SP_SOLVER_CG, SP_FACTOR_AUTO);
        for (uint64_t k = 1; k <= STEPS; k++) {
            beam_turn(&s.k, 0.02 * (double)k);
            stage_step(&s, k);
            int *age = &oldest[k > ASKED + LAG], now = sp__compliance_age(s.C);
            if (now > *age) *age = now;
            if (k == ASKED) sp__compliance_report_stale(s.C);
        }
        CHECK_INT(oldest[0], t == 0 ? ASKED + LAG - 1 : 2 * LAG - 1);
        CHECK_INT(oldest[1], t == 0 ? STEPS - ASKED - 1 : 2 * LAG - 1);
        stage_close(&s);
    }
}
