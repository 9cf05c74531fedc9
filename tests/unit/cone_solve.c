// Solvers of contact problems: all methods and strategies agree, the laws hold, bits do not depend on workers, hard problems are
// solved, and what has no solution ends with its best point.
#include "cone_help.h"
#include "friction.h"

static sp_status solve(sp_context *ctx, sp_cone_problem *p, const sp_cone_options *o, sp_cone_info *info) {
    sp_cone_solver *solver = NULL;
    SP_TRY(sp__cone_solver_create(ctx, &solver));
    memset(p->lambda, 0, (size_t)p->row_count * sizeof *p->lambda);
    sp_status status = sp__cone_solve(solver, p, o, info);
    sp__cone_solver_destroy(&solver);
    return status;
}

static double difference(const double *a, const double *b, int n) {
    double most = 0;
    for (int i = 0; i < n; i++) most = fmax(most, fabs(a[i] - b[i]));
    return most;
}

// ------------------------------------------------------------------------------------------------ agreement

// Multipliers of hyperstatic problems are not unique, but velocities are, as long as mu is small: compared are u.
TEST(all_methods_agree) {
    sp_context *ctx = cone_context(2);
    REQUIRE(ctx);
    for (int k = 0; k < 12; k++) {
        cone_recipe recipe = {.contacts = 2 + 3 * k,
                              .bodies = 1 + k,
                              .mu = 0.2,
                              .ratio = 20,
                              .unilateral = k % 2 ? 4 : 0,
                              .bilateral = k % 3 ? 0 : 6,
                              .seed = 10 + (unsigned)k};
        static const sp_cone_method methods[] = {SP_CONE_AUTO, SP_CONE_INTERIOR_POINT, SP_CONE_DIRECT, SP_CONE_GAUSS_SEIDEL};
        sp_cone_problem *p;
        double first[200] = {0};
        REQUIRE(cone_random(ctx, &recipe, &p) == SP_OK && p->row_count <= 200);
        for (int m = 0; m < 4; m++) {
            sp_cone_options o = sp__cone_options_default();
            sp_cone_info info;
            o.method = methods[m], o.tolerance = 1e-10, o.sweeps = 20000;
            REQUIRE(solve(ctx, p, &o, &info) == SP_OK);
            CHECK_INT(info.status, SP_OK);
            CHECK(info.residual <= 1e-10);
            CHECK_NEAR(cone_law_error(p), 0, 1e-8);  // residual times the largest multiplier, about 10
            if (m == 0) memcpy(first, p->u, (size_t)p->row_count * sizeof *first);
            CHECK_NEAR(difference(first, p->u, p->row_count), 0, 1e-7);  // residual times the condition of the bodies
        }
        sp__cone_destroy(&p);
    }
    sp_context_destroy(&ctx);
}

// A sheet of bodies: the sweeps leave groups here and there, and only these parts of the island are factorised. Measured: a
// quarter of the flops that the whole island takes. The laws hold in the whole of it, and the bits do not depend on workers.
TEST(parts_of_a_large_island_are_solved_alone) {
    sp_context *ctx[2] = {cone_context(1), cone_context(2)};
    double work[2] = {0};
    REQUIRE(ctx[0] && ctx[1]);
    for (unsigned k = 0; k < 4; k++) {
        cone_recipe recipe = {.contacts = 1200, .bodies = 400, .mu = 0.2, .ratio = 50, .width = 20, .seed = 40 + k};
        double first[3600];
        for (int i = 0; i < 3; i++) {
            sp_cone_options o = sp__cone_options_default();
            sp_cone_info info;
            sp_cone_problem *p;
            REQUIRE(cone_random(ctx[i == 1], &recipe, &p) == SP_OK && p->row_count == 3600);
            o.tolerance = 1e-3, o.undivided = i == 2;
            REQUIRE(solve(ctx[i == 1], p, &o, &info) == SP_OK);
            CHECK_INT(info.status, SP_OK);
            CHECK_INT(info.islands, 1);
            CHECK(info.residual <= 1e-3);
            work[o.undivided] += o.undivided ? info.work : 0.5 * info.work;
            if (i == 0) memcpy(first, p->lambda, sizeof first);
            if (i == 1) CHECK(memcmp(first, p->lambda, sizeof first) == 0);
            sp__cone_destroy(&p);
        }
    }
    printf("  %.2g flops of factorisations, %.2g where the island is not divided\n", work[0], work[1]);
    CHECK(work[0] > 0 && work[0] < 0.5 * work[1]);
    for (int i = 0; i < 2; i++) sp_context_destroy(&ctx[i]);
}

TEST(the_residual_is_that_of_the_definition) {
    sp_context *ctx = cone_context(1);
    cone_recipe recipe = {.contacts = 12, .bodies = 4, .mu = -1, .ratio = 5, .seed = 3};
    sp_cone_problem *p;
    sp_cone_info info;
    REQUIRE(ctx && cone_random(ctx, &recipe, &p) == SP_OK);
    sp_cone_options o = sp__cone_options_default();
    o.method = SP_CONE_GAUSS_SEIDEL, o.sweeps = 3, o.tolerance = 0, o.norm = SP_CONE_NORM_PLAIN;
    REQUIRE(solve(ctx, p, &o, &info) == SP_OK);
    double *u = calloc((size_t)p->row_count, sizeof *u), sum = 0, q = 0;
    sp__cone_multiply(p, p->lambda, u);
    for (int i = 0; i < p->row_count; i++) {
        u[i] += p->q[i], q += p->q[i] * p->q[i];
        CHECK_NEAR(u[i], p->u[i], 1e-12);  // rounding of 36 products
    }
    for (int i = 0; i < p->group_count; i++) {
        double mu = p->group[i].mu, *r = p->lambda + 3 * i, *v = u + 3 * i, s[3];
        double z[3] = {r[0] - v[0] - mu * hypot(v[1], v[2]), r[1] - v[1], r[2] - v[2]};
        sp__cone_project(mu, z, s);
        for (int k = 0; k < 3; k++) sum += (r[k] - s[k]) * (r[k] - s[k]);
    }
    CHECK(info.residual > 1e-6);  // three sweeps do not solve it
    CHECK_NEAR(info.residual, sqrt(sum) / (1 + sqrt(q)), 1e-13);
    free(u);
    sp__cone_destroy(&p);
    sp_context_destroy(&ctx);
}

// ------------------------------------------------------------------------------------------------ strategies

// Twins of the strategies, written down as in the paper on a dense matrix, without speed: row (a reduction per row), column
// (partial sums are pushed), and relaxed, which does not wait for newer values.
typedef struct twin {
    const sp_cone_problem *p;
    int n;
    double *W, *x, *t;
} twin;

static void twin_make(twin *w, const sp_cone_problem *p) {
    *w = (twin){.p = p, .n = p->row_count};
    w->W = calloc((size_t)w->n * (size_t)w->n, sizeof *w->W), w->x = calloc((size_t)w->n, sizeof *w->x),
    w->t = calloc((size_t)w->n, sizeof *w->t);
    double *e = calloc((size_t)w->n, sizeof *e), *column = calloc((size_t)w->n, sizeof *column);
    for (int j = 0; j < w->n; j++) {
        e[j] = 1;
        sp__cone_multiply(p, e, column);
        e[j] = 0;
        for (int i = 0; i < w->n; i++) w->W[i * w->n + j] = column[i];
    }
    free(e), free(column);
}

static void twin_free(twin *w) {
    free(w->W), free(w->x), free(w->t);
}

// one contact by projection: normal first, then the tangents
static void twin_visit(const twin *w, int c, const double *u, double *x) {
    const double *B = w->W + 3 * c * w->n + 3 * c;
    double n = x[0] - u[0] / B[0], mu = w->p->group[c].mu;
    if (n <= 0) {
        x[0] = x[1] = x[2] = 0;
        return;
    }
    double d = n - x[0], k = 2 / (B[w->n + 1] + B[2 * w->n + 2]);
    x[0] = n, x[1] -= k * (u[1] + B[w->n] * d), x[2] -= k * (u[2] + B[2 * w->n] * d);
    double q = hypot(x[1], x[2]);
    if (q > mu * n) x[1] *= mu * n / q, x[2] *= mu * n / q;
}

static void twin_row(twin *w) {
    for (int c = 0; c < w->p->group_count; c++) {
        double u[3];
        for (int r = 0; r < 3; r++) {
            u[r] = w->p->q[3 * c + r];
            for (int j = 0; j < w->n; j++) u[r] += w->W[(3 * c + r) * w->n + j] * w->x[j];
        }
        twin_visit(w, c, u, w->x + 3 * c);
    }
}

// t holds the sums over all other contacts; a contact that is done pushes its change into them
static void twin_column(twin *w) {
    for (int c = 0; c < w->p->group_count; c++) {
        double u[3], old[3] = {w->x[3 * c], w->x[3 * c + 1], w->x[3 * c + 2]};
        for (int r = 0; r < 3; r++) u[r] = w->p->q[3 * c + r] + w->t[3 * c + r];
        twin_visit(w, c, u, w->x + 3 * c);
        for (int i = 0; i < w->n; i++)
            for (int r = 0; r < 3; r++) w->t[i] += w->W[i * w->n + 3 * c + r] * (w->x[3 * c + r] - old[r]);
    }
}

// relaxed: half of the contacts see values of the last sweep only, as if no thread waited
static void twin_relaxed(twin *w) {
    double *last = calloc((size_t)w->n, sizeof *last);
    memcpy(last, w->x, (size_t)w->n * sizeof *last);
    int half = w->p->group_count / 2;
    for (int c = 0; c < w->p->group_count; c++) {
        double u[3];
        for (int r = 0; r < 3; r++) {
            u[r] = w->p->q[3 * c + r];
            for (int j = 0; j < w->n; j++)
                u[r] += w->W[(3 * c + r) * w->n + j] * ((c >= half) == (j >= 3 * half) ? w->x[j] : last[j]);
        }
        twin_visit(w, c, u, w->x + 3 * c);
    }
    free(last);
}

static sp_cone_problem *strategy_problem(sp_context *ctx, int contacts) {
    cone_recipe recipe = {.contacts = contacts, .bodies = contacts < 4 ? 1 : 3, .mu = 0.5, .ratio = 2, .seed = 77};
    sp_cone_problem *p = NULL;
    cone_random(ctx, &recipe, &p);
    for (int i = 0; p && i < contacts; i++)  // well conditioned, so that rounding is not amplified
        for (int r = 0; r < 3; r++) sp__cone_soften(p, i, r, 30.0 + contacts);
    return p;
}

TEST(strategies_have_the_iterates_of_sequential) {
    static const int sizes[] = {1, 5, 16, 17, 67, 200};
    static const sp_cone_strategy strategies[] = {SP_CONE_SEQUENTIAL, SP_CONE_BLOCK, SP_CONE_GRAPH,
                                                  SP_CONE_ROW,        SP_CONE_COL,   SP_CONE_GRAPH_2};
    sp_context *ctx = cone_context(3);
    REQUIRE(ctx);
    for (int k = 0; k < (SANITIZED ? 5 : 6); k++) {
        sp_cone_problem *p = strategy_problem(ctx, sizes[k]);
        twin rows, columns, relaxed;
        REQUIRE(p);
        twin_make(&rows, p), twin_make(&columns, p), twin_make(&relaxed, p);
        for (int sweep = 0; sweep < 7; sweep++) twin_row(&rows), twin_column(&columns);
        for (int sweep = 0; sweep < 400; sweep++) twin_relaxed(&relaxed);
        double scale = 0;
        for (int i = 0; i < p->row_count; i++) scale = fmax(scale, fabs(rows.x[i]));
        CHECK_NEAR(difference(rows.x, columns.x, p->row_count), 0, 1e-12 * scale);
        for (int s = 0; s < 6; s++)
            for (int tile = s < 3 || s == 5 ? 3 : 24; tile <= 96; tile *= 2) {
                sp_cone_options o = sp__cone_options_default();
                sp_cone_info info;
                o.method = SP_CONE_GAUSS_SEIDEL, o.strategy = strategies[s], o.tolerance = 0, o.sweeps = 7, o.tile = tile;
                REQUIRE(solve(ctx, p, &o, &info) == SP_OK);
                CHECK_INT(info.sweeps, 7);
                // rounding of sums of 600 terms, seven sweeps
                CHECK_NEAR(difference(rows.x, p->lambda, p->row_count), 0, 1e-12 * scale);
            }
        // relaxed has other iterates and the same solution: the twin, and on three threads
        sp_cone_options o = sp__cone_options_default();
        sp_cone_info info;
        o.tolerance = 1e-13;
        REQUIRE(solve(ctx, p, &o, &info) == SP_OK);
        CHECK_NEAR(difference(relaxed.x, p->lambda, p->row_count), 0, 1e-9 * scale);
        memcpy(relaxed.x, p->lambda, (size_t)p->row_count * sizeof *relaxed.x);
        o.method = SP_CONE_GAUSS_SEIDEL, o.strategy = SP_CONE_RELAXED, o.deterministic = false, o.tolerance = 1e-12, o.tile = 24;
        REQUIRE(solve(ctx, p, &o, &info) == SP_OK);
        CHECK_INT(info.status, SP_OK);
        CHECK_NEAR(difference(relaxed.x, p->lambda, p->row_count), 0, 1e-9 * scale);
        twin_free(&rows), twin_free(&columns), twin_free(&relaxed);
        sp__cone_destroy(&p);
    }
    sp_context_destroy(&ctx);
}

TEST(strategies_stop_at_the_same_sweep) {
    sp_context *ctx = cone_context(2);
    sp_cone_problem *p = ctx ? strategy_problem(ctx, 60) : NULL;
    int sweeps[3];
    REQUIRE(p);
    for (int s = 0; s < 3; s++) {
        sp_cone_options o = sp__cone_options_default();
        sp_cone_info info;
        o.method = SP_CONE_GAUSS_SEIDEL, o.strategy = (sp_cone_strategy)(SP_CONE_SEQUENTIAL + s), o.tolerance = 1e-6;
        REQUIRE(solve(ctx, p, &o, &info) == SP_OK);
        CHECK(info.residual <= 1e-6);
        sweeps[s] = info.sweeps;
    }
    CHECK(sweeps[0] > 2 && sweeps[0] < 1000);
    CHECK_INT(sweeps[1], sweeps[0]);
    CHECK_INT(sweeps[2], sweeps[0]);
    sp__cone_destroy(&p);
    sp_context_destroy(&ctx);
}

// ------------------------------------------------------------------------------------------------ determinism

TEST(bits_do_not_depend_on_workers) {
    static const int workers[] = {1, 2, 3, 7};
    double *first = NULL;
    for (int k = 0; k < 4; k++) {
        sp_context *ctx = cone_context(workers[k]);
        cone_recipe recipe = {.contacts = 260, .bodies = 20, .mu = 0.6, .ratio = 100, .seed = 4};
        sp_cone_problem *p;
        REQUIRE(ctx && cone_random(ctx, &recipe, &p) == SP_OK);
        for (int s = 0; s < 4; s++) {  // auto with islands and the interior point method, then every strategy
            sp_cone_options o = sp__cone_options_default();
            sp_cone_info info;
            o.tolerance = s ? 0 : 1e-9, o.sweeps = s ? 20 : 1000, o.strategy = (sp_cone_strategy)s;
            if (s) o.method = SP_CONE_GAUSS_SEIDEL;
            REQUIRE(solve(ctx, p, &o, &info) == SP_OK);
            size_t n = (size_t)p->row_count;
            if (!first) first = calloc(4 * n, sizeof *first);
            if (k == 0) memcpy(first + (size_t)s * n, p->lambda, n * sizeof *first);
            CHECK(memcmp(first + (size_t)s * n, p->lambda, n * sizeof *first) == 0);
        }
        sp__cone_destroy(&p);
        sp_context_destroy(&ctx);
    }
    free(first);
}

// ------------------------------------------------------------------------------------------------ hard problems

TEST(stacks_walls_and_arches_are_solved) {
    sp_context *ctx = cone_context(2);
    REQUIRE(ctx);
    for (int kind = 0; kind < SP_FRICTION_SCENES - 1; kind++) {
        sp_friction_scene s;
        sp_cone_info info, alone;
        sp_cone_options o = sp__cone_options_default();
        REQUIRE(sp__friction_make(ctx, kind, true, &s) == SP_OK);
        o.norm = SP_CONE_NORM_PLAIN, o.tolerance = 1e-9;
        REQUIRE(solve(ctx, s.problem, &o, &info) == SP_OK);
        CHECK_INT(info.status, SP_OK);
        CHECK(info.residual <= 1e-9);
        CHECK_INT(info.method, SP_CONE_INTERIOR_POINT);
        // they stand: all velocities are zero, to the residual times the largest mass
        double most = 0;
        for (int i = 0; i < s.problem->row_count; i++) most = fmax(most, fabs(s.problem->u[i]));
        CHECK_NEAR(most, 0, 1e-7);
        // and Gauss-Seidel alone does not get there in as many sweeps
        o.method = SP_CONE_GAUSS_SEIDEL, o.sweeps = info.sweeps;
        REQUIRE(solve(ctx, s.problem, &o, &alone) == SP_OK);
        CHECK_INT(alone.status, SP_NOT_CONVERGED);
        sp__friction_free(ctx, &s);
    }
    sp_context_destroy(&ctx);
}

// Third law: the ground carries the weight. The vertical impulses of the contacts with the ground add up to m g h.
TEST(the_ground_carries_the_weight) {
    sp_context *ctx = cone_context(1);
    sp_friction_scene s;
    sp_cone_info info;
    sp_cone_options o = sp__cone_options_default();
    REQUIRE(ctx && sp__friction_make(ctx, 0, true, &s) == SP_OK);
    o.norm = SP_CONE_NORM_PLAIN, o.tolerance = 1e-11;
    REQUIRE(solve(ctx, s.problem, &o, &info) == SP_OK);
    double force = 0;
    for (int i = 0; i < s.contacts; i++)
        if (s.body[2 * i + 1] < 0) force += s.problem->lambda[3 * i];
    CHECK_NEAR(force, 10 * 9.81 * 0.01, 1e-8);  // ten boxes of 1 kg, steps of 10 ms
    sp__friction_free(ctx, &s);
    sp_context_destroy(&ctx);
}

// Random hyperstatic problems with masses that differ by 1e4: more contacts than the bodies have unknowns. There is no proof of
// convergence for any method, so nine of ten are asked for; Gauss-Seidel solves fewer than three of ten.
TEST(badly_scaled_hyperstatic_problems_are_solved) {
    enum { PROBLEMS = SANITIZED ? 10 : 40 };
    sp_context *ctx = cone_context(1);
    int solved = 0, by_sweeps = 0;
    REQUIRE(ctx);
    for (int k = 0; k < PROBLEMS; k++) {
        cone_recipe recipe = {.contacts = 30, .bodies = 5, .mu = k % 2 ? 0.8 : 0.3, .ratio = 1e4, .seed = 200 + (unsigned)k};
        sp_cone_problem *p;
        sp_cone_info info;
        REQUIRE(cone_random(ctx, &recipe, &p) == SP_OK);
        sp_cone_options o = sp__cone_options_default();
        o.tolerance = 1e-8;
        REQUIRE(solve(ctx, p, &o, &info) == SP_OK);
        CHECK(isfinite(info.residual) && (info.status != SP_OK || info.residual <= 1e-8));
        solved += info.status == SP_OK;
        o.method = SP_CONE_GAUSS_SEIDEL, o.sweeps = 300;
        REQUIRE(solve(ctx, p, &o, &info) == SP_OK);
        by_sweeps += info.status == SP_OK;
        sp__cone_destroy(&p);
    }
    CHECK(solved >= 0.9 * PROBLEMS);
    CHECK(by_sweeps < 0.3 * PROBLEMS);
    sp_context_destroy(&ctx);
}

// W as some programs write it: symmetric to 1e-4 only. The residual counts with W as stored.
TEST(asymmetry_is_not_removed) {
    sp_context *ctx = cone_context(1);
    cone_recipe recipe = {.contacts = 40, .bodies = 30, .mu = 0.5, .ratio = 10, .seed = 61};
    sp_cone_problem *p;
    unsigned long long seed = 3;
    REQUIRE(ctx && cone_random(ctx, &recipe, &p) == SP_OK);
    for (int i = 0; i < 40; i++)
        for (int r = 0; r < 3; r++) sp__cone_soften(p, i, r, 0.1);
    for (size_t i = 0; i < p->val_count; i++) p->val[i] *= 1 + 1e-4 * sp_test_random(&seed);
    for (int m = 0; m < 3; m++) {
        sp_cone_info info;
        sp_cone_options o = sp__cone_options_default();
        o.method = (sp_cone_method)m, o.tolerance = 1e-11, o.sweeps = 5000;
        REQUIRE(solve(ctx, p, &o, &info) == SP_OK);
        CHECK_INT(info.status, SP_OK);
        double *u = calloc((size_t)p->row_count, sizeof *u);
        sp__cone_multiply(p, p->lambda, u);
        for (int i = 0; i < p->row_count; i++) u[i] += p->q[i];
        CHECK(sp__cone_residual(p, p->lambda, u, SP_CONE_NORM_SCALED) <= 1.01e-11);
        free(u);
    }
    sp__cone_destroy(&p);
    sp_context_destroy(&ctx);
}

TEST(rows_without_compliance_are_dropped) {
    sp_context *ctx = cone_context(1);
    sp_cone_problem *p;
    ptrdiff_t stride;
    REQUIRE(ctx && sp__cone_create(ctx, &p) == SP_OK);
    for (int i = 0; i < 3; i++) sp__cone_add_group(p, SP_CONE_COULOMB, 3, 0.5, NULL);
    sp__cone_add_clique(p, 3, (int[]){0, 1, 2});
    REQUIRE(sp__cone_layout(p) == SP_OK);
    for (int i = 0; i < 3; i += 2)
        for (int r = 0; r < 3; r++) sp__cone_block(p, i, i, &stride)[r * (stride = p->width[i]) + r] = 2;
    for (int i = 0; i < 3; i++) p->q[3 * i] = -1;
    for (int m = 0; m < 4; m++) {
        sp_cone_info info;
        sp_cone_options o = sp__cone_options_default();
        o.method = (sp_cone_method)m, o.tolerance = 1e-12;
        REQUIRE(solve(ctx, p, &o, &info) == SP_OK);
        CHECK_INT(info.dropped, 3);
        CHECK_INT(info.status, SP_OK);
        CHECK_NEAR(p->lambda[0], 0.5, 1e-12);
        CHECK_NEAR(p->lambda[3], 0, 0);
        CHECK_NEAR(p->u[3], -1, 0);  // reported as it is
        CHECK_NEAR(p->lambda[6], 0.5, 1e-12);
    }
    sp__cone_destroy(&p);
    sp_context_destroy(&ctx);
}

// Two bilateral rows that contradict each other on the same body: no solution. The best point is returned, and it is finite.
TEST(without_a_solution_the_best_point_is_reported) {
    sp_context *ctx = cone_context(1);
    sp_cone_problem *p;
    ptrdiff_t stride;
    REQUIRE(ctx && sp__cone_create(ctx, &p) == SP_OK);
    for (int i = 0; i < 2; i++) sp__cone_add_group(p, SP_CONE_BILATERAL, 1, 0, NULL);
    sp__cone_add_clique(p, 2, (int[]){0, 1});
    REQUIRE(sp__cone_layout(p) == SP_OK);
    for (int i = 0; i < 4; i++) *sp__cone_block(p, i / 2, i % 2, &stride) = 1;
    p->q[0] = 1, p->q[1] = -1;
    for (int m = 0; m < 4; m++) {
        sp_cone_info info;
        sp_cone_options o = sp__cone_options_default();
        o.method = (sp_cone_method)m;
        REQUIRE(solve(ctx, p, &o, &info) == SP_OK);
        CHECK_INT(info.status, SP_NOT_CONVERGED);
        CHECK(isfinite(p->lambda[0]) && isfinite(p->lambda[1]) && info.residual >= 0.99);
    }
    sp__cone_destroy(&p);
    sp_context_destroy(&ctx);
}

// ------------------------------------------------------------------------------------------------ other forms

TEST(facets_approach_the_exact_cone) {
    sp_context *ctx = cone_context(1);
    cone_recipe recipe = {.contacts = 14, .bodies = 5, .mu = 0.3, .ratio = 3, .seed = 31};
    sp_cone_problem *p;
    sp_cone_info info;
    double exact[42], last = INFINITY;
    REQUIRE(ctx && cone_random(ctx, &recipe, &p) == SP_OK);
    sp_cone_options o = sp__cone_options_default();
    o.tolerance = 1e-10;
    REQUIRE(solve(ctx, p, &o, &info) == SP_OK && info.status == SP_OK);
    memcpy(exact, p->u, sizeof exact);
    o.method = SP_CONE_DIRECT;
    for (o.facets = 4; o.facets <= 16; o.facets *= 2) {
        REQUIRE(solve(ctx, p, &o, &info) == SP_OK);
        CHECK_INT(info.status, SP_OK);
        double error = difference(exact, p->u, p->row_count);
        CHECK(error < last);
        last = error;
        for (int i = 0; i < p->group_count; i++) {  // the law of Signorini holds exactly, and friction is inside the cone
            CHECK(p->u[3 * i] > -1e-9 && p->lambda[3 * i] >= 0 && fabs(p->u[3 * i] * p->lambda[3 * i]) < 1e-9);
            CHECK(hypot(p->lambda[3 * i + 1], p->lambda[3 * i + 2]) <= 0.3 * p->lambda[3 * i] + 1e-9);
        }
    }
    // a polygon of 16 sides misses the circle by 2% of mu, on relative velocities of order one
    CHECK_NEAR(last, 0, 0.05);
    sp__cone_destroy(&p);
    sp_context_destroy(&ctx);
}

TEST(the_operator_form_gives_the_same_motion) {
    sp_context *ctx = cone_context(1);
    sp_friction_scene s;
    sp_cone_info info;
    REQUIRE(ctx && sp__friction_make(ctx, 0, true, &s) == SP_OK);
    sp_cone_problem *p = s.problem;
    sp_cone_options o = sp__cone_options_default();
    double *weight = calloc((size_t)s.contacts, sizeof *weight), *x = calloc((size_t)p->row_count, sizeof *x),
           *y = calloc((size_t)p->row_count, sizeof *y);
    unsigned long long seed = 8;
    for (int i = 0; i < p->row_count; i++) x[i] = sp_test_random(&seed);
    sp__cone_multiply(p, x, p->u);
    sp__friction_multiply(&s, x, y);
    CHECK_NEAR(difference(p->u, y, p->row_count), 0, 1e-11);  // rounding of W of order 100
    for (int i = 0; i < s.contacts; i++) weight[i] = sp__cone_weight(p, p->place[i]);
    sp_cone_operator op = {s.contacts, p->row_count, p->group, weight, p->q, p->lambda, p->u, sp__friction_multiply, &s};
    memset(p->lambda, 0, (size_t)p->row_count * sizeof *p->lambda);
    o.tolerance = 1e-5, o.sweeps = 20000;
    CHECK_INT(sp__cone_solve_operator(ctx, &op, &o, &info), SP_OK);
    CHECK_INT(info.status, SP_OK);
    CHECK(info.residual <= 1e-5);
    CHECK_NEAR(sp__cone_residual(p, p->lambda, p->u, SP_CONE_NORM_SCALED), info.residual, 1e-9);
    free(weight), free(x), free(y);
    sp__friction_free(ctx, &s);
    sp_context_destroy(&ctx);
}

TEST(a_warm_start_needs_no_sweeps_and_a_budget_stops) {
    sp_context *ctx = cone_context(1);
    cone_recipe recipe = {.contacts = 30, .bodies = 8, .mu = 0.4, .ratio = 3, .seed = 12};
    sp_cone_solver *solver = NULL;
    sp_cone_problem *p;
    sp_cone_info info, again;
    REQUIRE(ctx && cone_random(ctx, &recipe, &p) == SP_OK && sp__cone_solver_create(ctx, &solver) == SP_OK);
    sp_cone_options o = sp__cone_options_default();
    o.tolerance = 1e-7;
    REQUIRE(sp__cone_solve(solver, p, &o, &info) == SP_OK && info.status == SP_OK);
    REQUIRE(sp__cone_solve(solver, p, &o, &again) == SP_OK);
    CHECK_INT(again.sweeps, 1);
    CHECK_INT(again.method, SP_CONE_GAUSS_SEIDEL);
    // a budget that has already expired after the first sweep; its replay by the number of sweeps has the same bits
    memset(p->lambda, 0, (size_t)p->row_count * sizeof *p->lambda);
    o.budget_ms = 1e-9, o.tolerance = 1e-12;
    REQUIRE(sp__cone_solve(solver, p, &o, &info) == SP_OK);
    CHECK(info.expired && info.status == SP_NOT_CONVERGED);
    double first[90];
    REQUIRE(p->row_count == 90);
    memcpy(first, p->lambda, sizeof first);
    memset(p->lambda, 0, sizeof first);
    o.budget_ms = 0, o.method = SP_CONE_GAUSS_SEIDEL, o.tolerance = 0, o.sweeps = info.sweeps;
    REQUIRE(sp__cone_solve(solver, p, &o, &info) == SP_OK);
    CHECK(memcmp(first, p->lambda, sizeof first) == 0);
    sp__cone_solver_destroy(&solver);
    sp__cone_destroy(&p);
    sp_context_destroy(&ctx);
}

TEST(wrong_calls_are_refused) {
    sp_context *ctx = cone_context(1);
    cone_recipe recipe = {.contacts = 70, .bodies = 1, .mu = 0.4, .ratio = 1, .seed = 2};
    sp_cone_problem *p;
    sp_cone_info info;
    REQUIRE(ctx && cone_random(ctx, &recipe, &p) == SP_OK);
    sp_cone_options o = sp__cone_options_default();
    o.method = SP_CONE_DIRECT;
    CHECK_INT(solve(ctx, p, &o, &info), SP_BAD_INPUT);
    CHECK(strstr(sp_context_error(ctx)->message, "70 coupled contacts"));
    o = sp__cone_options_default(), o.tile = 16;
    CHECK_INT(solve(ctx, p, &o, &info), SP_BAD_INPUT);
    o = sp__cone_options_default(), o.strategy = SP_CONE_RELAXED;
    CHECK_INT(solve(ctx, p, &o, &info), SP_BAD_INPUT);
    CHECK(strstr(sp_context_error(ctx)->message, "not deterministic"));
    o = sp__cone_options_default(), o.facets = 3;
    CHECK_INT(solve(ctx, p, &o, &info), SP_BAD_INPUT);
    o = sp__cone_options_default(), o.tolerance = NAN;
    CHECK_INT(solve(ctx, p, &o, &info), SP_BAD_INPUT);
    o = sp__cone_options_default(), o.method = SP_CONE_PROJECTED_GRADIENT;
    CHECK_INT(solve(ctx, p, &o, &info), SP_BAD_INPUT);
    p->q[4] = NAN;
    o = sp__cone_options_default();
    CHECK_INT(solve(ctx, p, &o, &info), SP_NOT_FINITE);
    sp__cone_clear(p);
    CHECK_INT(solve(ctx, p, &o, &info), SP_BAD_INPUT);  // not laid out
    REQUIRE(sp__cone_layout(p) == SP_OK);
    CHECK_INT(solve(ctx, p, &o, &info), SP_OK);  // empty
    sp__cone_destroy(&p);
    sp_context_destroy(&ctx);
}

TEST(a_repeated_solve_allocates_nothing) {
    sp_context *ctx = cone_context(2);
    sp_friction_scene s;
    sp_cone_solver *solver = NULL;
    sp_cone_info info;
    REQUIRE(ctx && sp__friction_make(ctx, 4, true, &s) == SP_OK && sp__cone_solver_create(ctx, &solver) == SP_OK);
    sp_cone_options o = sp__cone_options_default();
    o.tolerance = 1e-9;
    uint64_t before = 0;
    for (int k = 0; k < 3; k++) {
        memset(s.problem->lambda, 0, (size_t)s.problem->row_count * sizeof(double));
        REQUIRE(sp__cone_solve(solver, s.problem, &o, &info) == SP_OK && info.method == SP_CONE_INTERIOR_POINT);
        if (k > 0) CHECK(ctx->allocations == before);
        before = ctx->allocations;
    }
    sp__cone_solver_destroy(&solver);
    sp__friction_free(ctx, &s);
    sp_context_destroy(&ctx);
}
