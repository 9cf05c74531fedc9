// The contact problem against a direct solution of the saddle-point system of the same step,
//
//     | A1      J1^T |  | x1     |   | b1     |
//     |     A2  J2^T |  | x2     | = | b2     |        A x = b + J^T lambda,  J x + gap = 0
//     | J1  J2       |  | -lambda|   | -gap   |
//
// (Courtecuisse, thesis, Lille 2011, section 5.2.1). Of bilateral rows both give the same multipliers and the same motion. Of
// contacts the direct solution does not: equality holds what separates, as if it were glued, by forces that pull.
#include "cone_help.h"

enum { NODES = 12, ROWS = 3, BODIES = 2, ALL = BODIES * NODES + ROWS };

// Two bars of NODES nodes side by side along one axis each, with a stiffness between neighbours; rows tie or touch node n of the
// first with node n of the second: gap = x2 - x1 at three places.
typedef struct bars {
    double A[BODIES][NODES][NODES], b[BODIES][NODES], gap[ROWS];
    int node[ROWS];
} bars;

static void bars_make(bars *s, const double push[ROWS]) {
    memset(s, 0, sizeof *s);
    for (int body = 0; body < BODIES; body++)
        for (int i = 0; i < NODES; i++) {
            s->A[body][i][i] += 1 + 0.5 * body;  // mass
            if (i + 1 == NODES) continue;
            const double k = 40 + 30 * i * body;  // h^2 times stiffness
            s->A[body][i][i] += k, s->A[body][i + 1][i + 1] += k, s->A[body][i][i + 1] -= k, s->A[body][i + 1][i] -= k;
        }
    for (int r = 0; r < ROWS; r++) {
        s->node[r] = 1 + 4 * r;
        s->gap[r] = 0.01;
        s->b[0][s->node[r]] = push[r], s->b[1][s->node[r]] = -push[r];
    }
}

// Gaussian elimination with partial pivoting, n x n, row-major
static void dense_solve(int n, double *A, double *x) {
    for (int k = 0; k < n; k++) {
        int pivot = k;
        for (int i = k + 1; i < n; i++)
            if (fabs(A[i * n + k]) > fabs(A[pivot * n + k])) pivot = i;
        for (int j = 0; j < n && pivot != k; j++) {
            double swap = A[k * n + j];
            A[k * n + j] = A[pivot * n + j], A[pivot * n + j] = swap;
        }
        double swap = x[k];
        x[k] = x[pivot], x[pivot] = swap;
        for (int i = k + 1; i < n; i++) {
            const double f = A[i * n + k] / A[k * n + k];
            for (int j = k; j < n; j++) A[i * n + j] -= f * A[k * n + j];
            x[i] -= f * x[k];
        }
    }
    for (int i = n - 1; i >= 0; i--) {
        for (int j = i + 1; j < n; j++) x[i] -= A[i * n + j] * x[j];
        x[i] /= A[i * n + i];
    }
}

// motion of both bars (x) and multipliers, all at once
static void solve_direct(const bars *s, double x[BODIES * NODES], double lambda[ROWS]) {
    static double K[ALL * ALL], v[ALL];
    memset(K, 0, sizeof K), memset(v, 0, sizeof v);
    for (int body = 0; body < BODIES; body++)
        for (int i = 0; i < NODES; i++) {
            v[body * NODES + i] = s->b[body][i];
            for (int j = 0; j < NODES; j++) K[(body * NODES + i) * ALL + body * NODES + j] = s->A[body][i][j];
        }
    for (int r = 0; r < ROWS; r++) {
        const int row = BODIES * NODES + r, at[2] = {s->node[r], NODES + s->node[r]};
        K[row * ALL + at[0]] = K[at[0] * ALL + row] = -1, K[row * ALL + at[1]] = K[at[1] * ALL + row] = 1;
        v[row] = -s->gap[r];
    }
    dense_solve(ALL, K, v);
    memcpy(x, v, BODIES * NODES * sizeof *x);
    for (int r = 0; r < ROWS; r++) lambda[r] = -v[BODIES * NODES + r];
}

// x = A^-1 f of both bars
static void solve_free(const bars *s, double f[BODIES * NODES]) {
    for (int body = 0; body < BODIES; body++) {
        double A[NODES * NODES];
        memcpy(A, s->A[body], sizeof A);
        dense_solve(NODES, A, f + body * NODES);
    }
}

// free motion, W = J A^-1 J^T, the contact solver, correction
static void solve_contact(const bars *s, sp_cone_kind kind, double x[BODIES * NODES], double lambda[ROWS]) {
    sp_context *ctx = cone_context(1);
    sp_cone_problem *p = NULL;
    sp_cone_solver *solver = NULL;
    sp_cone_options o = sp__cone_options_default();
    sp_cone_info info;
    double column[ROWS][BODIES * NODES] = {0};
    int list[ROWS];
    REQUIRE(ctx && sp__cone_create(ctx, &p) == SP_OK && sp__cone_solver_create(ctx, &solver) == SP_OK);
    for (int r = 0; r < ROWS; r++) list[r] = r, CHECK_INT(sp__cone_add_group(p, kind, 1, 0, NULL), SP_OK);
    CHECK_INT(sp__cone_add_clique(p, ROWS, list), SP_OK);
    CHECK_INT(sp__cone_layout(p), SP_OK);
    memcpy(x, s->b, sizeof s->b);
    solve_free(s, x);
    for (int r = 0; r < ROWS; r++) {
        column[r][s->node[r]] = -1, column[r][NODES + s->node[r]] = 1;
        solve_free(s, column[r]);
        p->q[r] = s->gap[r] + x[NODES + s->node[r]] - x[s->node[r]], p->lambda[r] = 0;
    }
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < ROWS; j++) {
            ptrdiff_t stride;
            *sp__cone_block(p, i, j, &stride) = column[j][NODES + s->node[i]] - column[j][s->node[i]];
        }
    o.tolerance = 1e-14;
    CHECK_INT(sp__cone_solve(solver, p, &o, &info), SP_OK);
    for (int r = 0; r < ROWS; r++) {
        lambda[r] = p->lambda[r];
        for (int i = 0; i < BODIES * NODES; i++) x[i] += lambda[r] * column[r][i];
    }
    sp__cone_solver_destroy(&solver);
    sp__cone_destroy(&p);
    sp_context_destroy(&ctx);
}

static double gap_after(const bars *s, const double *x, int r) {
    return s->gap[r] + x[NODES + s->node[r]] - x[s->node[r]];
}

// Values are of order 1, and solved to rounding.
static void check_equal(const double *x, const double *y, int n) {
    for (int i = 0; i < n; i++) CHECK_NEAR(x[i], y[i], 1e-12);
}

TEST(bilateral_rows_agree_with_a_direct_solution) {
    static bars s;
    double x[BODIES * NODES], y[BODIES * NODES], lambda[ROWS], mu[ROWS];
    bars_make(&s, (double[]){1, -0.7, 0.3});
    solve_direct(&s, x, lambda), solve_contact(&s, SP_CONE_BILATERAL, y, mu);
    check_equal(x, y, BODIES * NODES), check_equal(lambda, mu, ROWS);
    for (int r = 0; r < ROWS; r++) CHECK_NEAR(gap_after(&s, y, r), 0, 1e-13);
}

// All contacts close: they are equalities.
TEST(closed_contacts_agree_with_a_direct_solution) {
    static bars s;
    double x[BODIES * NODES], y[BODIES * NODES], lambda[ROWS], mu[ROWS];
    bars_make(&s, (double[]){1, 2, 1.5});
    solve_direct(&s, x, lambda), solve_contact(&s, SP_CONE_UNILATERAL, y, mu);
    check_equal(x, y, BODIES * NODES), check_equal(lambda, mu, ROWS);
    for (int r = 0; r < ROWS; r++) CHECK(mu[r] > 0);
}

// The middle contact opens, because the bars are pulled apart there: the direct solution glues it, with a force that pulls.
TEST(a_direct_solution_glues_what_separates) {
    static bars s;
    double x[BODIES * NODES], y[BODIES * NODES], lambda[ROWS], mu[ROWS];
    bars_make(&s, (double[]){2, -1, 2});
    solve_direct(&s, x, lambda), solve_contact(&s, SP_CONE_UNILATERAL, y, mu);
    CHECK(lambda[1] < -0.1);
    CHECK_NEAR(gap_after(&s, x, 1), 0, 1e-13);
    CHECK_NEAR(mu[1], 0, 0);
    CHECK(gap_after(&s, y, 1) > 0.01);
    for (int r = 0; r < ROWS; r += 2) {
        CHECK(mu[r] > 0);
        CHECK_NEAR(gap_after(&s, y, r), 0, 1e-13);
    }
}
