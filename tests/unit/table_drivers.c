// The drivers on a chain of masses and springs with closed-form solutions.
#include "body/drive.h"
#include "test.h"
#include "unit/mock_body.h"

static sp_context *ctx;
static sp_error error;
static sp_step step;  // of the current test; make() resets it

static sp_body *make(const mock_def *def) {
    step = sp__step_default(0);
    if (!ctx && sp_context_create(NULL, &ctx) < 0) return NULL;
    sp_body *b = NULL;
    return mock_create(ctx, &error, def, &b) < 0 ? NULL : b;
}

static void finish(sp_body *b) {
    b->ops->destroy(b);
    sp_context_destroy(&ctx);
}

static sp_status drive(sp_body *b, double h, sp_on_limit on_limit) {
    step.h = h;
    return sp__drive(b, &step, on_limit);
}

static void commit(sp_body *b) {
    for (int i = 0; i < b->nq; i++) b->q[SP_COMMITTED][i] = b->q[SP_TRIAL][i];
    for (int i = 0; i < b->nv; i++) b->v[SP_COMMITTED][i] = b->v[SP_TRIAL][i];
}

// one mass on a spring, pulled out by `amplitude`; w2 = k/m
static sp_body *oscillator(sp_integrator_type type, double k3, double amplitude, double *w2) {
    mock_def def = mock_def_default();
    def.nodes = 2, def.type = type, def.k3 = k3;
    sp_body *b = make(&def);
    b->q[SP_COMMITTED][3] += amplitude;
    *w2 = def.k / def.mass;
    return b;
}

static double energy(const sp_body *b, double w2) {
    double u = b->q[SP_COMMITTED][3] - 0.1, v = b->v[SP_COMMITTED][3];
    return 0.5 * (v * v + w2 * u * u);
}

// implicit Euler on a linear oscillator: |(v, w x)| shrinks by 1/sqrt(1 + h2 w2) in each step, exactly
TEST(implicit_euler_loses_the_predicted_energy) {
    const sp_integrator_type types[] = {SP_IMPLICIT_EULER, SP_NEWTON};
    for (int t = 0; t < 2; t++) {
        double w2, h = 0.02;
        sp_body *b = oscillator(types[t], 0, 0.01, &w2);
        for (int k = 0; k < 50; k++) {
            double before = energy(b, w2);
            CHECK(drive(b, h, SP_LIMIT_ACCEPT) == SP_OK);
            commit(b);
            // two unknown-sized roundings in the state
            CHECK_NEAR(energy(b, w2), before / (1 + h * h * w2), 1e-12 * before);
        }
        CHECK_INT(b->solve.newton_iterations, 1);
        finish(b);
    }
}

// symplectic Euler keeps v2 + w2 x2 - h w2 x v to rounding
TEST(explicit_euler_keeps_its_modified_energy) {
    double w2, h = 0.02;
    sp_body *b = oscillator(SP_EXPLICIT, 0, 0.01, &w2);
    double first = 0;
    for (int k = 0; k < 1000; k++) {
        CHECK(drive(b, h, SP_LIMIT_ACCEPT) == SP_OK);
        commit(b);
        double x = b->q[SP_COMMITTED][3] - 0.1, v = b->v[SP_COMMITTED][3], kept = v * v + w2 * x * x - h * w2 * x * v;
        if (k == 0) first = kept;
        // 1000 steps of rounding of positions about 0.1 with amplitude 0.01
        CHECK_NEAR(kept, first, 1e-11 * first);
    }
    CHECK_INT(b->solve.newton_iterations, 0);
    finish(b);
}

static double state_at(sp_integrator_type type, double k3, int steps, double *critical) {
    double w2;
    sp_body *b = oscillator(type, k3, 0.05, &w2);
    for (int k = 0; k < steps; k++) {
        CHECK(drive(b, 0.2 / steps, SP_LIMIT_ACCEPT) >= 0);
        commit(b);
    }
    double x = b->q[SP_COMMITTED][3];
    if (critical) *critical = b->solve.critical_step;
    finish(b);
    return x;
}

// all three are of first order: halving h halves the distance to a fine solution, also with a hardening spring
TEST(first_order_in_time) {
    const sp_integrator_type types[] = {SP_IMPLICIT_EULER, SP_NEWTON, SP_EXPLICIT};
    for (int t = 0; t < 3; t++)
        for (int hard = 0; hard < 2; hard++) {
            double k3 = hard ? 4e4 : 0, a = state_at(types[t], k3, 400, NULL), b = state_at(types[t], k3, 800, NULL),
                   c = state_at(types[t], k3, 1600, NULL);
            // differences of a first-order method halve; the next order affects the second digit
            CHECK_NEAR((a - b) / (b - c), 2, 0.08);
        }
}

// highest frequency of a chain fixed at one end: 2 sqrt(k/m) sin(pi (2N - 1) / (4N + 2)) for N free masses
TEST(critical_step_of_a_chain) {
    mock_def def = mock_def_default();
    def.nodes = 7, def.type = SP_EXPLICIT;
    sp_body *b = make(&def);
    int n = 6;
    double w = 2 * sqrt(def.k / def.mass) * sin(acos(-1) * (2 * n - 1) / (4 * n + 2));
    CHECK_INT(drive(b, 0.9 * 2 / w, SP_LIMIT_ACCEPT), SP_OK);
    // the polynomials stop at changes of 1e-5 in w2
    CHECK_NEAR(b->solve.critical_step, 2 / w, 1e-3 * 2 / w);
    CHECK_INT(drive(b, 1.1 * 2 / w, SP_LIMIT_ACCEPT), SP_UNSTABLE_STEP);
    b->integrator.substeps = 2;
    CHECK_INT(drive(b, 1.1 * 2 / w, SP_LIMIT_ACCEPT), SP_OK);
    mock_of(b)->k[0] *= 4;
    b->retune = true;
    b->integrator.substeps = 1;
    drive(b, 0.01, SP_LIMIT_ACCEPT);
    CHECK_NEAR(b->solve.critical_step, 1 / w, 1e-3 / w);
    finish(b);
}

// just below the critical step the motion stays bounded, just above it grows without bound; with damping the limit follows the
// formula
TEST(critical_step_is_critical) {
    for (int damped = 0; damped < 2; damped++) {
        mock_def def = mock_def_default();
        def.nodes = 2, def.type = SP_EXPLICIT, def.alpha = damped ? 10 : 0;
        for (int above = 0; above < 2; above++) {
            sp_body *b = make(&def);
            b->q[SP_COMMITTED][3] += 0.01;
            drive(b, 1e-3, SP_LIMIT_ACCEPT);
            double h = b->solve.critical_step * (above ? 1.01 : 0.99);
            for (int k = 0; k < 400; k++) drive(b, h, SP_LIMIT_ACCEPT), commit(b);
            double away = fabs(b->q[SP_COMMITTED][3] - 0.1) + fabs(b->v[SP_COMMITTED][3]) * h;
            CHECK(above ? away > 1 : away < 1);
            finish(b);
        }
    }
}

// ---------------------------------------------------------------------------------------------------- prescribed motion

TEST(prescribed_unknowns_arrive_exactly) {
    const sp_integrator_type types[] = {SP_IMPLICIT_EULER, SP_NEWTON, SP_EXPLICIT, SP_STATIC};
    for (int t = 0; t < 4; t++) {
        mock_def def = mock_def_default();
        def.type = types[t];
        sp_body *b = make(&def);
        b->target[0] = 0.013, b->target[1] = -0.004;
        CHECK(drive(b, 0.01, SP_LIMIT_ACCEPT) >= 0);
        CHECK(b->q[SP_TRIAL][0] == 0.013 && b->q[SP_TRIAL][1] == -0.004);
        commit(b);
        CHECK(drive(b, 0.01, SP_LIMIT_ACCEPT) >= 0);
        CHECK(b->q[SP_TRIAL][0] == 0.013 && b->v[SP_TRIAL][0] == 0);
        finish(b);
    }
}

// implicit Euler with a moved end against the 1x1 system: (m + h2 k) v1 = m v0 + h k (x0' - x1 + l)
TEST(a_moved_end_pulls_its_neighbour) {
    mock_def def = mock_def_default();
    def.nodes = 2;
    sp_body *b = make(&def);
    double h = 0.01, to = 0.02;
    b->target[0] = to;
    b->v[SP_COMMITTED][3] = 0.3;
    CHECK(drive(b, h, SP_LIMIT_ACCEPT) == SP_OK);
    double v = (def.mass * 0.3 + h * def.k * to) / (def.mass + h * h * def.k);
    CHECK_NEAR(b->v[SP_TRIAL][3], v, 1e-12);
    CHECK_NEAR(b->q[SP_TRIAL][3], 0.1 + h * v, 1e-14);
    finish(b);
}

// ---------------------------------------------------------------------------------------------------- Newton, statics

// the step's equation holds at the end: m (v - v0) = h f(q0 + h v)
TEST(newton_solves_the_nonlinear_step) {
    mock_def def = mock_def_default();
    def.k3 = 1e6, def.type = SP_NEWTON;
    for (int damped = 0; damped < 2; damped++) {
        def.alpha = damped ? 2 : 0;
        sp_body *b = make(&def);
        unsigned long long seed = 5;
        for (int i = 3; i < b->nv; i++)
            b->q[SP_COMMITTED][i] += 0.05 * sp_test_random(&seed), b->v[SP_COMMITTED][i] = sp_test_random(&seed);
        step.gravity[1] = -9.81;
        double h = 0.05;
        b->integrator.tolerance = 1e-10;
        CHECK_INT(drive(b, h, SP_LIMIT_ACCEPT), SP_OK);
        CHECK(b->solve.newton_iterations > 2);
        CHECK(b->solve.force_residual <= 1e-10);
        sp__drive_evaluate(b, &step, SP_WANT_FORCE);
        for (int i = 3; i < b->nv; i++) {
            double r = h * b->f[i] - def.mass * (b->v[SP_TRIAL][i] - b->v[SP_COMMITTED][i]);
            CHECK_NEAR(r, 0, 1e-8);  // 1e-10 of a first residual of about 20
        }
        finish(b);
    }
}

// a hanging chain: the spring above node i carries the weight of the nodes from i on
TEST(static_chain_has_the_closed_form_shape) {
    for (int hard = 0; hard < 2; hard++) {
        mock_def def = mock_def_default();
        def.type = SP_STATIC, def.k3 = hard ? 1e6 : 0;
        sp_body *b = make(&def);
        step.gravity[1] = -9.81;
        b->integrator.load_steps = hard ? 3 : 1;
        CHECK_INT(drive(b, 0.01, SP_LIMIT_ACCEPT), SP_OK);
        double y = 0;
        for (int i = 1; i < def.nodes; i++) {
            double load = 9.81 * def.mass * (def.nodes - i), u = load / def.k;
            for (int k = 0; hard && k < 200; k++) u -= (def.k * u + def.k3 * u * u * u - load) / (def.k + 3 * def.k3 * u * u);
            y -= u;
            CHECK_NEAR(b->q[SP_TRIAL][3 * i + 1], y, 1e-8);  // 1e-8 of the load over k, summed
            CHECK(b->v[SP_TRIAL][3 * i + 1] == 0);
        }
        finish(b);
    }
}

TEST(static_problems_without_a_solution_are_refused) {
    mock_def def = mock_def_default();
    def.type = SP_STATIC, def.free = true;
    sp_body *b = make(&def);
    step.gravity[1] = -9.81;
    CHECK_INT(drive(b, 0.01, SP_LIMIT_ACCEPT), SP_SINGULAR);
    CHECK(strstr(error.message, "nothing holds it"));
    finish(b);

    def.free = false, def.k = 0;
    b = make(&def);
    CHECK_INT(drive(b, 0.01, SP_LIMIT_ACCEPT), SP_SINGULAR);
    CHECK(strstr(error.message, "young"));
    CHECK_INT(error.index, def.nodes - 2);  // inner node 1, counted by users from the other end
    finish(b);
}

TEST(static_at_rest_needs_no_iterations) {
    mock_def def = mock_def_default();
    def.type = SP_STATIC;
    sp_body *b = make(&def);
    CHECK_INT(drive(b, 0.01, SP_LIMIT_ACCEPT), SP_OK);
    CHECK_INT(b->solve.newton_iterations, 0);
    // again from an equilibrium under load, where the first residual is rounding
    step.gravity[1] = -9.81;
    CHECK_INT(drive(b, 0.01, SP_LIMIT_ACCEPT), SP_OK);
    commit(b);
    CHECK_INT(drive(b, 0.01, SP_LIMIT_ACCEPT), SP_OK);
    finish(b);
}

TEST(iteration_limits_are_reservations_or_failures) {
    const sp_integrator_type types[] = {SP_NEWTON, SP_STATIC};
    for (int t = 0; t < 2; t++) {
        mock_def def = mock_def_default();
        def.type = types[t], def.k3 = 1e7;
        sp_body *b = make(&def);
        step.gravity[1] = -9.81;
        b->integrator.iterations = 1;
        CHECK_INT(drive(b, 0.1, SP_LIMIT_ACCEPT), SP_NOT_CONVERGED);
        CHECK(b->solve.force_residual > 1e-8);
        CHECK_INT(b->solve.status, SP_NOT_CONVERGED);
        CHECK_INT(drive(b, 0.1, SP_LIMIT_FAIL), SP_LIMIT);
        finish(b);
    }
    // the limit of the linear solver
    mock_def def = mock_def_default();
    sp_body *b = make(&def);
    step.gravity[1] = -9.81;
    sp__solver_set(b->solver, 1e-12, 1);
    CHECK_INT(drive(b, 1, SP_LIMIT_ACCEPT), SP_NOT_CONVERGED);
    CHECK_INT(drive(b, 1, SP_LIMIT_FAIL), SP_LIMIT);
    finish(b);
}

// without an energy the line search uses the residual, with the same result
TEST(residual_line_search_finds_the_same_equilibrium) {
    double end[2] = {0, 1};
    for (int t = 0; t < 2; t++) {
        mock_def def = mock_def_default();
        def.type = SP_STATIC, def.k3 = 1e7;
        sp_body *b = make(&def);
        if (t) b->caps &= ~(uint32_t)SP_CAP_ENERGY;
        step.gravity[1] = -9.81;
        CHECK_INT(drive(b, 0.1, SP_LIMIT_ACCEPT), SP_OK);
        end[t] = b->q[SP_TRIAL][3 * def.nodes - 2];
        finish(b);
    }
    CHECK_NEAR(end[0], end[1], 1e-8);
}

// the double well: k < 0, k3 > 0. K is indefinite near the middle, and descent must still find a minimum at |u|2 = -k/k3
TEST(negative_curvature_leads_to_a_minimum) {
    const sp_integrator_type types[] = {SP_NEWTON, SP_STATIC};
    for (int t = 0; t < 2; t++) {
        mock_def def = mock_def_default();
        def.nodes = 2, def.type = types[t], def.k = -100, def.k3 = 1e4;
        sp_body *b = make(&def);
        b->integrator.iterations = 100;
        b->q[SP_COMMITTED][3] += 0.001;
        CHECK_INT(drive(b, 1e3, SP_LIMIT_ACCEPT), SP_OK);
        double u[3];
        sp__sub3(b->q[SP_TRIAL] + 3, b->q[SP_TRIAL], u);
        u[0] -= 0.1;
        CHECK_NEAR(sp__norm3(u), 0.1, 1e-6);  // sqrt(100 / 1e4); the long dynamic step keeps 1e-6 of inertia
        finish(b);
    }
}

TEST(a_non_finite_force_names_the_node) {
    const sp_integrator_type types[] = {SP_IMPLICIT_EULER, SP_NEWTON, SP_STATIC};
    for (int t = 0; t < 3; t++) {
        mock_def def = mock_def_default();
        def.type = types[t];
        sp_body *b = make(&def);
        mock_of(b)->broken = true;
        CHECK_INT(drive(b, 0.01, SP_LIMIT_ACCEPT), SP_NOT_FINITE);
        CHECK_INT(error.index, def.nodes - 2);
        finish(b);
    }
}
