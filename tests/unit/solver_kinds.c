// All linear solvers through one interface: the same solutions, the same behaviour with bad matrices, memory, pins and changes.
#include "beam_system.h"
#include "linear/blocks.h"
#include "meter.h"

typedef struct recipe {
    const char *name;
    sp_solver_type type;
    sp_preconditioner preconditioner;
    sp_factor_kind factor;
    sp_factor_precision precision;
    bool direct;
} recipe;

static const recipe recipes[] = {
    {"cg", SP_SOLVER_CG, 0, SP_LLT, SP_FACTOR_AUTO, false},
    {"pcg (jacobi", SP_SOLVER_PCG, SP_JACOBI, SP_LLT, SP_FACTOR_AUTO, false},
    {"pcg (block-jacobi", SP_SOLVER_PCG, SP_BLOCK_JACOBI, SP_LLT, SP_FACTOR_AUTO, false},
    {"pcg (ssor", SP_SOLVER_PCG, SP_SSOR, SP_LLT, SP_FACTOR_AUTO, false},
    {"pcg (ic", SP_SOLVER_PCG, SP_IC, SP_LLT, SP_FACTOR_AUTO, false},
    {"pcg (cholesky", SP_SOLVER_PCG, SP_COMPLETE_CHOLESKY, SP_LLT, SP_FACTOR_AUTO, false},
    {"pcg (inverse-factor", SP_SOLVER_PCG, SP_INVERSE_FACTOR, SP_LLT, SP_FACTOR_AUTO, false},
    {"cholesky", SP_SOLVER_CHOLESKY, 0, SP_LLT, SP_FACTOR_AUTO, true},
    {"cholesky", SP_SOLVER_CHOLESKY, 0, SP_LDLT, SP_FACTOR_AUTO, true},
    {"cholesky (float)", SP_SOLVER_CHOLESKY, 0, SP_LLT, SP_FACTOR_FLOAT, false},
    {"cholesky (float)", SP_SOLVER_CHOLESKY, 0, SP_LDLT, SP_FACTOR_FLOAT, false},
    {"dense", SP_SOLVER_DENSE, 0, SP_LLT, SP_FACTOR_AUTO, true},
    {"dense", SP_SOLVER_DENSE, 0, SP_LDLT, SP_FACTOR_AUTO, true},
};
enum { RECIPES = sizeof recipes / sizeof *recipes };

static sp_solver_def definition(const recipe *r, double tolerance) {
    sp_solver_def def = sp_solver_def_default();
    def.type = r->type, def.pcg.preconditioner = r->preconditioner, def.cholesky.factor = r->factor,
    def.cholesky.precision = r->precision;
    def.tolerance = tolerance, def.iterations = 3000, def.pcg.refresh = SP_REFRESH_STEP;
    return def;
}

static sp_solver *make(beam *k, const recipe *r, double tolerance) {
    sp_solver_def def = definition(r, tolerance);
    sp_solver *s = NULL;
    sp__solver_create(k->ctx, &def, k->M->be, &s);
    return s;
}

// |b - A x| / |b| by the matrix-free product of the body
static double true_residual(beam *k, const double *x) {
    double rr = 0, bb = 0;
    k->A.mul(k->A.o, k->c, x, k->y);
    for (int i = 0; i < k->n; i++)
        if (!k->A.fixed[i]) rr += (k->b[i] - k->y[i]) * (k->b[i] - k->y[i]), bb += k->b[i] * k->b[i];
    return sqrt(rr / bb);
}

static double slope(const beam *k, const double *x) {
    double sum = 0;
    for (int i = 0; i < k->n; i++)
        if (!k->A.fixed[i]) sum += k->b[i] * x[i];
    return sum;
}

static const beam_def mixed = {.cells = {8, 3, 3}, .young = {1000, 50, 10}, .h = 0.04, .bend = 0.1, .workers = 2};

TEST(all_solvers_agree) {
    beam k;
    REQUIRE(beam_make(&k, &mixed));
    for (int i = 0; i < k.n; i++)
        if (k.A.fixed[i]) k.b[i] = 0.25 * (i % 4);
    double *first = calloc((size_t)k.n + 1, sizeof *first), size = 0;
    for (int r = 0; r < RECIPES; r++) {
        sp_linear_info info;
        sp_solver *s = make(&k, &recipes[r], 1e-10);
        REQUIRE(s);
        sp__solver_step(s, 1, true);
        REQUIRE(sp__solver_solve(s, &k.A, k.c, k.b, k.x, &info) == SP_OK);
        CHECK(info.status == SP_OK && strncmp(info.solver, recipes[r].name, strlen(recipes[r].name)) == 0);
        CHECK(info.residual <= 1.1e-10 && info.iterations >= 1);
        // both are differences of numbers of size 1, rounded
        CHECK_NEAR(info.residual, true_residual(&k, k.x), 1e-13);
        if (recipes[r].direct) CHECK(info.iterations == 1 && info.residual < 1e-13);
        if (recipes[r].precision == SP_FACTOR_FLOAT) CHECK(info.iterations > 1 && info.iterations < 10);
        if (r == 0) memcpy(first, k.x, sizeof *first * (size_t)k.n);
        for (int i = 0; i < k.n && r == 0; i++) size = fmax(size, fabs(first[i]));
        double apart = 0;
        for (int i = 0; i < k.n; i++) {
            apart = fmax(apart, fabs(first[i] - k.x[i]));
            if (k.A.fixed[i]) CHECK(k.x[i] == k.b[i]);
        }
        // the condition number of this matrix is below 1e3
        CHECK_NEAR(apart, 0, 1e-7 * size);
        CHECK(sp__solver_bytes(s) > sizeof(double) * (size_t)k.n);
        sp__solver_destroy(&s);
    }
    free(first);
    beam_drop(&k);
}

TEST(an_unknown_type_is_refused) {
    beam k;
    REQUIRE(beam_make(&k, &mixed));
    sp_solver_def def = sp_solver_def_default();
    sp_solver *s;
    def.type = (sp_solver_type)77;
    CHECK(sp__solver_create(k.ctx, &def, k.M->be, &s) == SP_BAD_INPUT && !s);
    def.type = SP_SOLVER_PCG, def.pcg.preconditioner = (sp_preconditioner)77;
    CHECK(sp__solver_create(k.ctx, &def, k.M->be, &s) == SP_BAD_INPUT && !s);
    beam_drop(&k);
}

TEST(the_matrix_is_factored_only_when_it_changes) {
    beam k;
    REQUIRE(beam_make(&k, &mixed));
    for (int r = 0; r < RECIPES; r++) {
        if (recipes[r].type != SP_SOLVER_CHOLESKY && recipes[r].type != SP_SOLVER_DENSE) continue;
        sp_linear_info info;
        sp_solver *s = make(&k, &recipes[r], 1e-9);
        REQUIRE(s && sp__solver_solve(s, &k.A, k.c, k.b, k.x, &info) == SP_OK);
        CHECK(info.refreshes == 1 && info.columns == k.n / 3 && info.factor_flops > 0 && info.factor_age == 0);
        REQUIRE(sp__solver_solve(s, &k.A, k.c, k.b, k.x, &info) == SP_OK);
        CHECK(info.refreshes == 0 && info.columns == 0 && info.factor_flops == 0);
        sp_coef longer = {1, 0.1, 0.01}, before = k.c;
        REQUIRE(sp__solver_solve(s, &k.A, longer, k.b, k.x, &info) == SP_OK);
        k.c = longer;
        CHECK(info.refreshes == 1 && true_residual(&k, k.x) < 1.1e-9);
        k.c = before;
        // a pin: values change, the pattern does not
        unsigned char *pin = &k.body->fixed[k.n - 1];
        *pin = SP_HELD, k.A.values++;
        sp__solid(k.body)->keep[k.n - 1] = 0;
        REQUIRE(sp__solver_solve(s, &k.A, k.c, k.b, k.x, &info) == SP_OK);
        CHECK(info.refreshes == 1 && true_residual(&k, k.x) < 1.1e-9 && k.x[k.n - 1] == k.b[k.n - 1]);
        *pin = SP_FREE, k.A.values++;
        sp__solid(k.body)->keep[k.n - 1] = 1;
        // another pattern number: everything is rebuilt
        k.A.pattern++;
        REQUIRE(sp__solver_solve(s, &k.A, k.c, k.b, k.x, &info) == SP_OK);
        CHECK(info.refreshes == 1 && true_residual(&k, k.x) < 1.1e-9);
        sp__solver_destroy(&s);
    }
    beam_drop(&k);
}

TEST(no_allocation_after_the_first_solve) {
    beam k;
    REQUIRE(beam_make(&k, &mixed));
    for (int r = 0; r < RECIPES; r++) {
        sp_linear_info info;
        uint64_t before, after;
        sp_solver *s = make(&k, &recipes[r], 1e-9);
        REQUIRE(s && sp__solver_solve(s, &k.A, k.c, k.b, k.x, &info) == SP_OK);
        sp_context_memory(k.ctx, NULL, &before);
        k.A.values++;
        sp__solver_step(s, 1, true);
        REQUIRE(sp__solver_solve(s, &k.A, k.c, k.b, k.x, &info) == SP_OK);
        sp_context_memory(k.ctx, NULL, &after);
        CHECK_INT(before, after);
        sp__solver_destroy(&s);
    }
    beam_drop(&k);
}

// ------------------------------------------------------------------------------------------------ bad systems

static double wrong(void *o, sp_coef c, const double *x, double *y) {
    (void)o, (void)c, (void)x;
    y[0] = NAN;
    return NAN;
}

static sp_status wrong_matrix(void *o, sp_coef c, sp_blocks *A) {
    sp_status status = sp__solid_assemble(o, c, A);
    int last = A->n - 1;
    A->val[A->row_pos[A->row_start[last]]] = NAN;
    return status;
}

TEST(an_unconstrained_body_without_inertia_is_reported_as_singular) {
    beam_def def = mixed;
    beam k;
    def.loose = true;
    REQUIRE(beam_make(&k, &def));
    k.c = (sp_coef){0, 0, 1};
    // an opposing pair of forces and a net force: the first has a solution, the second has none
    for (int r = 0; r < RECIPES; r++) {
        sp_linear_info info;
        sp_solver *s = make(&k, &recipes[r], 1e-6);
        REQUIRE(s && sp__solver_solve(s, &k.A, k.c, k.b, k.x, &info) == SP_OK);
        CHECK(info.status == SP_OK || info.status == SP_NOT_SPD || info.status == SP_NOT_CONVERGED);
        CHECK(isfinite(info.residual) && isfinite(slope(&k, k.x)));
        for (int i = 0; i < k.n; i++) k.y[i] = k.b[i], k.b[i] = i % 3 == 0;
        REQUIRE(sp__solver_solve(s, &k.A, k.c, k.b, k.x, &info) == SP_OK);
        CHECK(info.status == SP_NOT_SPD || info.status == SP_NOT_CONVERGED);
        CHECK(isfinite(info.residual) && info.residual > 1e-3);
        for (int i = 0; i < k.n; i++) k.b[i] = k.y[i];
        sp__solver_destroy(&s);
    }
    beam_drop(&k);
}

TEST(negative_curvature_gives_a_descent_direction_or_zero) {
    beam k;
    REQUIRE(beam_make(&k, &mixed));
    // negative mass: A = K h^2 - m M has eigenvalues of both signs
    k.c = (sp_coef){-1, 0, 0.04 * 0.04};
    for (int r = 0; r < RECIPES; r++) {
        sp_linear_info info;
        sp_solver *s = make(&k, &recipes[r], 1e-8);
        REQUIRE(s && sp__solver_solve(s, &k.A, k.c, k.b, k.x, &info) == SP_OK);
        bool takes_it = recipes[r].factor == SP_LDLT;
        CHECK(info.status == SP_NOT_SPD || takes_it);
        if (!takes_it) CHECK(slope(&k, k.x) >= 0);
        if (recipes[r].direct && !takes_it) CHECK(info.shift > 0 && slope(&k, k.x) > 0);
        CHECK_NEAR(info.residual, true_residual(&k, k.x), 1e-8 * (1 + info.residual));
        sp__solver_destroy(&s);
    }
    beam_drop(&k);
}

TEST(non_finite_values_are_reported) {
    beam k;
    REQUIRE(beam_make(&k, &mixed));
    for (int r = 0; r < RECIPES; r++) {
        sp_linear_info info;
        sp_solver *s = make(&k, &recipes[r], 1e-8);
        sp_system A = k.A;
        A.mul = wrong, A.assemble = wrong_matrix;
        REQUIRE(s && sp__solver_solve(s, &A, k.c, k.b, k.x, &info) == SP_OK);
        CHECK(info.status == SP_NOT_FINITE);
        // the solver can be used again
        k.A.values += 2;
        REQUIRE(sp__solver_solve(s, &k.A, k.c, k.b, k.x, &info) == SP_OK);
        CHECK(info.status == SP_OK && true_residual(&k, k.x) < 1.1e-8);
        double kept = k.b[k.n - 1];
        k.b[k.n - 1] = INFINITY;
        REQUIRE(sp__solver_solve(s, &k.A, k.c, k.b, k.x, &info) == SP_OK);
        CHECK(info.status == SP_NOT_FINITE);
        k.b[k.n - 1] = kept;
        sp__solver_destroy(&s);
    }
    beam_drop(&k);
}

TEST(a_zero_right_hand_side_gives_zero) {
    beam k;
    REQUIRE(beam_make(&k, &mixed));
    for (int i = 0; i < k.n; i++) k.b[i] = 0;
    for (int r = 0; r < RECIPES; r++) {
        sp_linear_info info;
        sp_solver *s = make(&k, &recipes[r], 1e-8);
        REQUIRE(s && sp__solver_solve(s, &k.A, k.c, k.b, k.x, &info) == SP_OK);
        CHECK(info.status == SP_OK && info.residual == 0 && k.x[k.n - 1] == 0);
        sp__solver_destroy(&s);
    }
    beam_drop(&k);
}

TEST(systems_without_a_matrix_are_solved_matrix_free) {
    beam k;
    REQUIRE(beam_make(&k, &mixed));
    for (int r = 0; r < RECIPES; r++) {
        sp_linear_info info;
        sp_solver *s = make(&k, &recipes[r], 1e-9);
        sp_system A = k.A;
        A.assemble = NULL;
        REQUIRE(s && sp__solver_solve(s, &A, k.c, k.b, k.x, &info) == SP_OK);
        CHECK(info.status == SP_OK && true_residual(&k, k.x) < 1.1e-9);
        CHECK(strstr(info.solver, "matrix-free") || recipes[r].type == SP_SOLVER_DENSE);
        sp__solver_destroy(&s);
    }
    beam_drop(&k);
}

TEST(dense_is_for_small_bodies) {
    beam k;
    REQUIRE(beam_make(&k, &(beam_def){.cells = {30, 5, 5}, .young = {1e4, 1e4, 1e4}, .h = 0.04}));
    sp_linear_info info;
    sp_solver *s = make(&k, &recipes[RECIPES - 1], 1e-9);
    REQUIRE(s);
    CHECK(sp__solver_solve(s, &k.A, k.c, k.b, k.x, &info) == SP_BAD_INPUT);
    CHECK(strstr(sp_context_error(k.ctx)->message, "3348 unknowns, at most 3000"));
    sp__solver_destroy(&s);
    beam_drop(&k);
}

// ------------------------------------------------------------------------------------------------ precision, memory, bits

// Stiff and soft side by side: the condition number exceeds the precision of float, and refinement still reaches that of double.
TEST(a_float_factor_reaches_the_tolerance_of_double) {
    beam k;
    REQUIRE(beam_make(&k, &(beam_def){.cells = {8, 3, 3}, .young = {1e9, 1e3, 1e2}, .h = 0.04, .bend = 0.1}));
    const recipe single = {"cholesky (float)", SP_SOLVER_CHOLESKY, 0, SP_LLT, SP_FACTOR_FLOAT, false};
    double before = INFINITY;
    for (double tolerance = 1e-3; tolerance > 1e-11; tolerance *= 1e-4) {
        sp_linear_info info;
        sp_solver *s = make(&k, &single, tolerance);
        REQUIRE(s && sp__solver_solve(s, &k.A, k.c, k.b, k.x, &info) == SP_OK);
        CHECK(info.status == SP_OK && info.residual <= 1.1 * tolerance && info.residual <= before);
        CHECK(info.iterations < 60);
        before = info.residual;
        sp__solver_destroy(&s);
    }
    // tolerance zero: as far as possible
    sp_linear_info info;
    sp_solver *s = make(&k, &single, 0);
    REQUIRE(s && sp__solver_solve(s, &k.A, k.c, k.b, k.x, &info) == SP_OK);
    CHECK(info.status == SP_OK && info.residual < 1e-10);
    sp__solver_destroy(&s);
    beam_drop(&k);
}

TEST(a_refused_allocation_leaves_a_working_solver) {
    beam k;
    REQUIRE(beam_make(&k, &(beam_def){.cells = {3, 2, 2}, .young = {1000, 50, 10}, .h = 0.04, .bend = 0.1}));
    for (int r = 0; r < RECIPES; r++) {
        bool done = false;
        for (long allowed = 0; !done && allowed < 400; allowed++) {
            meter m = {.allowed = 1000};
            sp_context_def cd = metered_context(&m);
            sp_context *ctx;
            sp_solver_def def = definition(&recipes[r], 1e-9);
            sp_linear_info info;
            sp_solver *s;
            REQUIRE(sp_context_create(&cd, &ctx) == SP_OK);
            m.allowed = allowed;
            sp_status status = sp__solver_create(ctx, &def, k.M->be, &s);
            if (status == SP_OK) {
                status = sp__solver_solve(s, &k.A, k.c, k.b, k.x, &info);
                done = status == SP_OK;
                m.allowed = 100000;
                REQUIRE(sp__solver_solve(s, &k.A, k.c, k.b, k.x, &info) == SP_OK);
                CHECK(info.status == SP_OK && true_residual(&k, k.x) < 1.1e-9);
                // the same when it has to start again
                sp_coef before = k.c;
                k.A.pattern++, k.c.k *= 2;
                m.allowed = allowed;
                sp_status again = sp__solver_solve(s, &k.A, k.c, k.b, k.x, &info);
                CHECK(again == SP_OK || again == SP_NO_MEMORY);
                m.allowed = 100000;
                REQUIRE(sp__solver_solve(s, &k.A, k.c, k.b, k.x, &info) == SP_OK);
                CHECK(info.status == SP_OK && true_residual(&k, k.x) < 1.1e-9);
                k.c = before;
            }
            CHECK(status == SP_OK || status == SP_NO_MEMORY);
            sp__solver_destroy(&s);
            sp_context_destroy(&ctx);
            CHECK_INT(m.live, 0);
        }
        CHECK(done);
    }
    beam_drop(&k);
}

TEST(same_bits_for_any_number_of_workers) {
    NOT_SANITIZED();
    const int workers[] = {1, 2, 3, 7};
    for (int r = 0; r < RECIPES; r++) {
        double *first = NULL;
        for (int w = 0; w < 4; w++) {
            beam_def def = mixed;
            beam k;
            sp_linear_info info;
            def.workers = workers[w];
            def.cells[0] = 10, def.cells[1] = 4, def.cells[2] = 4;
            REQUIRE(beam_make(&k, &def));
            sp_solver *s = make(&k, &recipes[r], 1e-6);
            REQUIRE(s && sp__solver_solve(s, &k.A, k.c, k.b, k.x, &info) == SP_OK);
            if (!first) {
                first = calloc((size_t)k.n, sizeof *first);
                memcpy(first, k.x, sizeof *first * (size_t)k.n);
            }
            CHECK(memcmp(first, k.x, sizeof *first * (size_t)k.n) == 0);
            sp__solver_destroy(&s);
            beam_drop(&k);
        }
        free(first);
    }
}
