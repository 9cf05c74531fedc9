// updated-cholesky through the solver interface: the matrix in the frames of the nodes, the estimate, the selection of refreshed
// elements, external changes, memory.
#include "linear/incremental.h"

#include <limits.h>

#include "beam_system.h"
#include "kernels/warp_record.h"
#include "math/vec3.h"
#include "meter.h"

// ------------------------------------------------------------------------------------------------ a bent beam and its solver

typedef struct rig {
    beam k;
    sp_solver *s;
    sp_linear_info info;
} rig;

static const beam_def bent = {.cells = {10, 2, 2}, .young = {1000, 400, 2000}, .h = 0.05, .bend = 0.12};

// the beam was made for another solver: request its elements
static bool rig_linearise(rig *r) {
    sp_body *b = r->k.body;
    b->solver_def.type = SP_SOLVER_UPDATED_CHOLESKY;
    if (b->ops->evaluate(b, &r->k.step, SP_WANT_FORCE) < 0 || b->ops->linearise(b, &r->k.step, &r->k.A) < 0) return false;
    for (int i = 0; i < r->k.n; i++) r->k.b[i] = b->fixed[i] ? 0 : r->k.c.b * b->f[i];
    return r->k.A.elements != NULL;
}

static bool rig_make(rig *r, const beam_def *def, double threshold, double columns) {
    sp_solver_def sd = sp_solver_def_default();
    *r = (rig){0};
    sd.type = SP_SOLVER_UPDATED_CHOLESKY, sd.updated.threshold = threshold, sd.updated.budget_columns = columns;
    if (!beam_make(&r->k, def) || !rig_linearise(r)) return false;
    if (sp__solver_create(r->k.ctx, &sd, r->k.M->be, &r->s) < 0) return false;
    sp__solver_step(r->s, 0, true);
    return true;
}

static void rig_drop(rig *r) {
    sp__solver_destroy(&r->s);
    beam_drop(&r->k);
}

static sp_status rig_solve(rig *r) {
    sp__solver_step(r->s, r->s->step + 1, true);
    return sp__solver_solve(r->s, &r->k.A, r->k.c, r->k.b, r->k.x, &r->info);
}

static bool rig_bend(rig *r, double bend) {
    beam_def other = bent;
    other.bend = bend;
    beam_bend(&r->k, &other);
    return rig_linearise(r);
}

// |b - A x| / |b| over the free unknowns, with the body's own product
static double residual(rig *r) {
    double rr = 0, bb = 0;
    r->k.A.mul(r->k.A.o, r->k.c, r->k.x, r->k.y);
    for (int i = 0; i < r->k.n; i++)
        if (!r->k.A.fixed[i]) rr += pow(r->k.b[i] - r->k.y[i], 2), bb += r->k.b[i] * r->k.b[i];
    return sqrt(rr / bb);
}

// backward error of a direct solve, times the rounding of the rotations in the matrix (two products of 3x3 per block)
static const double direct = 1e-13;

// ------------------------------------------------------------------------------------------------ the estimate

// R K R^T - S K S^T applied to x with full 12 x 12 matrices, S_a = Rn_a Q_a
static double plain_error(const double *G, const double *Q, const double *R, const double *nodes) {
    double g[12], e2 = 0;
    memcpy(g + 3, G, 9 * sizeof *g);
    for (int k = 0; k < 3; k++) g[k] = -(G[k] + G[3 + k] + G[6 + k]);
    for (int a = 0; a < 4; a++) {
        double f[3] = {0};
        for (int b = 0; b < 4; b++) {
            double K[9], S[2][9], T[9], left[3], y[3];
            const double *x = nodes + SP_WARP_NODE * b + 9;
            for (int i = 0; i < 3; i++)
                for (int j = 0; j < 3; j++)
                    K[3 * i + j] = G[9] * g[3 * a + i] * g[3 * b + j] + g[3 * b + i] * g[3 * a + j] +
                                   (i == j) * sp__dot3(g + 3 * a, g + 3 * b);
            sp__mul33(nodes + SP_WARP_NODE * a, Q + 9 * a, S[0]);
            sp__mul33(nodes + SP_WARP_NODE * b, Q + 9 * b, S[1]);
            sp__mul3t(R, x, left), sp__mul3(K, left, y), sp__mul3(R, y, left);
            for (int k = 0; k < 3; k++) f[k] += left[k];
            sp__mul33(S[0], K, T);
            sp__mul3t(S[1], x, left), sp__mul3(T, left, y);
            for (int k = 0; k < 3; k++) f[k] -= y[k];
        }
        e2 += sp__dot3(f, f);
    }
    return sqrt(e2);
}

static void random_turn(unsigned long long *seed, double *R) {
    double axis[3] = {sp_test_random(seed), sp_test_random(seed), sp_test_random(seed) + 1.5}, q[4];
    sp__quat_axis(axis, 3 * sp_test_random(seed), q);
    sp__quat_matrix(q, R);
}

TEST(errors_equal_those_of_full_matrices) {
    const char *backends[] = {"ref", "cpu-generic", "cpu"};
    unsigned long long seed = 7;
    enum { ELEMENTS = 4, NODES = 9 };
    double grad[10 * ELEMENTS], kept[36 * ELEMENTS], turn[9 * ELEMENTS];
    _Alignas(64) double record[SP_WARP_NODE * NODES], lane_grad[10 * ELEMENTS], lane_kept[36 * ELEMENTS], error[ELEMENTS];
    int node[4 * ELEMENTS], lane_node[4 * ELEMENTS];
    for (int k = 0; k < 10 * ELEMENTS; k++) grad[k] = 1 + sp_test_random(&seed);
    for (int k = 0; k < 4 * ELEMENTS; k++) random_turn(&seed, kept + 9 * k), node[k] = (5 * k) % NODES;
    for (int e = 0; e < ELEMENTS; e++) random_turn(&seed, turn + 9 * e);
    for (int i = 0; i < NODES; i++) {
        double *r = record + SP_WARP_NODE * i;
        random_turn(&seed, r);
        for (int k = 9; k < 12; k++) r[k] = sp_test_random(&seed);
        sp__mul3t(r, r + 9, r + 12);
        r[15] = 0;
    }
    for (int b = 0; b < 3; b++) {
        const sp_backend *be = sp__backend_find(backends[b]);
        if (!be) continue;
        int w = be->lanes;
        for (int e = 0; e < ELEMENTS; e++) {
            for (int k = 0; k < 10; k++) lane_grad[(e / w * 10 + k) * w + e % w] = grad[10 * e + k];
            for (int k = 0; k < 36; k++) lane_kept[(e / w * 36 + k) * w + e % w] = kept[36 * e + k];
            for (int k = 0; k < 4; k++) lane_node[(e / w * 4 + k) * w + e % w] = node[4 * e + k];
        }
        sp_warped all = {lane_node, lane_grad, lane_kept, record};
        be->warp_errors(&all, 0, ELEMENTS / w, turn, error);
        for (int e = 0; e < ELEMENTS; e++) {
            double nodes[4 * SP_WARP_NODE];
            for (int a = 0; a < 4; a++)
                memcpy(nodes + SP_WARP_NODE * a, record + SP_WARP_NODE * node[4 * e + a], SP_WARP_NODE * sizeof *nodes);
            double plain = plain_error(grad + 10 * e, kept + 36 * e, turn + 9 * e, nodes);
            CHECK_NEAR(error[e], plain, 1e-13 * plain);  // some hundred roundings
        }
    }
}

// ------------------------------------------------------------------------------------------------ exact after a refresh

TEST(refreshed_matrix_is_the_corotational_one) {
    const char *backends[] = {"ref", "cpu"};
    for (int b = 0; b < 2; b++) {
        rig r;
        beam_def def = bent;
        def.backend = backends[b], def.workers = 2;
        REQUIRE(rig_make(&r, &def, 0, NAN));
        REQUIRE(rig_solve(&r) == SP_OK);
        CHECK_INT(r.info.status, SP_OK);
        CHECK_INT(r.info.elements_refreshed, 240);
        CHECK_NEAR(residual(&r), 0, direct);
        CHECK_NEAR(r.info.residual, residual(&r), 1e-15);
        rig_drop(&r);
    }
}

TEST(all_kinds_of_factors) {
    for (int kind = 0; kind < 4; kind++) {
        rig r;
        REQUIRE(rig_make(&r, &bent, 0, NAN));
        r.s->def.cholesky.factor = kind & 1 ? SP_LDLT : SP_LLT;
        r.s->def.cholesky.precision = kind & 2 ? SP_FACTOR_FLOAT : SP_FACTOR_DOUBLE;
        r.s->def.tolerance = 1e-10;
        REQUIRE(rig_solve(&r) == SP_OK);
        CHECK_NEAR(residual(&r), 0, kind & 2 ? 1e-10 : direct);
        CHECK(kind & 2 ? r.info.iterations > 1 : r.info.iterations == 1);
        rig_drop(&r);
    }
}

// a rigid rotation of the bent beam rotates the frames with it: the old matrix is still exact
TEST(a_rigid_rotation_refreshes_nothing) {
    rig r;
    beam_def def = bent;
    def.loose = true;
    REQUIRE(rig_make(&r, &def, 1e-9, NAN));
    REQUIRE(rig_solve(&r) == SP_OK);
    double q[4], R[9], axis[3] = {1, 2, 3}, x[3];
    sp__quat_axis(axis, 2.5, q);
    sp__quat_matrix(q, R);
    for (int i = 0; i < r.k.n; i += 3) {
        sp__mul3(R, r.k.body->q[SP_TRIAL] + i, x);
        memcpy(r.k.body->q[SP_TRIAL] + i, x, sizeof x);
    }
    REQUIRE(rig_linearise(&r));
    REQUIRE(rig_solve(&r) == SP_OK);
    CHECK_INT(r.info.elements_refreshed, 0);
    CHECK_INT(r.info.columns, 0);
    CHECK_INT(r.info.factor_age, 1);
    CHECK_NEAR(residual(&r), 0, 10 * direct);  // rotations are recomputed, each to rounding
    rig_drop(&r);
}

// ------------------------------------------------------------------------------------------------ threshold and budget

TEST(only_elements_above_the_threshold_are_refreshed) {
    rig r;
    int before = 0;
    const double threshold[] = {1e-6, 0.1, 0.4, 1e9};
    double left[4];
    for (int t = 0; t < 4; t++) {
        REQUIRE(rig_make(&r, &bent, threshold[t], 1));
        REQUIRE(rig_solve(&r) == SP_OK);
        REQUIRE(rig_bend(&r, 0.18));
        REQUIRE(rig_solve(&r) == SP_OK);
        CHECK(t == 0 || r.info.elements_refreshed <= before);
        CHECK_INT(r.info.elements_waiting, 0);
        before = r.info.elements_refreshed, left[t] = residual(&r);
        rig_drop(&r);
    }
    CHECK_INT(before, 0);
    CHECK(left[0] < 1e-6 && left[0] < left[1] && left[1] < left[2] && left[2] < left[3] && left[3] < 0.5);
}

// The state does not change: deferred elements are refreshed in the next solves, until none is left.
TEST(deferred_elements_are_refreshed_later) {
    rig r;
    beam_def def = bent;
    def.cells[0] = 60, def.bend = 0.02;
    enum { ELEMENTS = 60 * 24 };
    const double share = 0.25;
    REQUIRE(rig_make(&r, &def, 1e-7, share));
    REQUIRE(rig_solve(&r) == SP_OK);
    REQUIRE(rig_bend(&r, 0.04));
    int solves = 0, waiting = ELEMENTS, refreshed = 0;
    do {
        REQUIRE(rig_solve(&r) == SP_OK);
        CHECK(r.info.columns <= share * r.k.n / 3);
        CHECK(r.info.elements_waiting < waiting);
        if (solves == 0) CHECK(r.info.elements_waiting > ELEMENTS / 2 && r.info.iterations > 2);
        waiting = r.info.elements_waiting, refreshed += r.info.elements_refreshed;
    } while (waiting > 0 && ++solves < 40);
    CHECK_INT(waiting, 0);
    CHECK(refreshed >= ELEMENTS * 0.9);
    CHECK_NEAR(residual(&r), 0, 1e-8);
    double age[ELEMENTS], youngest = INFINITY, oldest = 0;
    CHECK(sp__solver_refresh_ages(r.s, ELEMENTS, age));
    for (int e = 0; e < ELEMENTS; e++) youngest = fmin(youngest, age[e]), oldest = fmax(oldest, age[e]);
    CHECK(youngest == 0 && oldest >= solves);
    rig_drop(&r);
}

// The costs of the tree: a path costs what partial refactorisation charges, and the selection never exceeds the budget.
TEST(the_selection_keeps_the_budget) {
    rig r;
    REQUIRE(rig_make(&r, &bent, 1e-7, NAN));
    REQUIRE(rig_solve(&r) == SP_OK);
    sp_incremental *u = r.s->impl;
    unsigned long long seed = 3;
    for (int round = 0; round < 200; round++) {
        double share = 0.5 + 0.5 * sp_test_random(&seed), cost = 0, high = 0;
        bool by_columns = round % 2;
        for (int e = 0; e < u->count; e++) u->error[e] = u->user[e] < 0 ? 0 : 1 + sp_test_random(&seed);
        sp_budget b = {by_columns, share * (by_columns ? u->nodes : u->S->flops_total), false};
        sp__incremental_select(u, 1.2, b);
        for (int s = 0; s < u->S->count; s++) {
            if (!u->on_path[s]) continue;
            cost += by_columns ? sp__front_columns(u->S, s) : u->S->flops[s];
            CHECK(u->S->super_parent[s] < 0 || u->on_path[u->S->super_parent[s]]);
        }
        CHECK(cost <= b.most * (1 + 1e-12));
        int chosen = 0, waiting = 0;
        for (int e = 0; e < u->count; e++) {
            // every element of a marked path is selected, no other one is
            if (u->user[e] >= 0 && u->error[e] > 1.2) CHECK(u->chosen[e] == u->on_path[u->home[e]]);
            if (!u->chosen[e] && u->error[e] > 1.2) waiting++, high = fmax(high, u->error[e]);
            chosen += u->chosen[e];
            u->chosen[e] = 0;
        }
        CHECK_INT(chosen, u->chosen_count);
        CHECK_INT(waiting, u->waiting_count);
        u->chosen_count = 0;
    }
    rig_drop(&r);
}

TEST(one_path_is_always_granted) {
    rig r;
    REQUIRE(rig_make(&r, &bent, 1e-7, 1e-6));
    REQUIRE(rig_solve(&r) == SP_OK);
    REQUIRE(rig_bend(&r, 0.2));
    REQUIRE(rig_solve(&r) == SP_OK);
    CHECK(r.info.elements_refreshed > 0 && r.info.elements_waiting > 0);
    rig_drop(&r);
}

// ------------------------------------------------------------------------------------------------ external changes

TEST(pins_come_and_go) {
    rig r;
    REQUIRE(rig_make(&r, &bent, 1e9, NAN));
    REQUIRE(rig_solve(&r) == SP_OK);
    // one node on one axis, another on all; then the first on two; then none. The state is the same: exact each time
    const unsigned axes[4][2] = {{2, 7}, {6, 7}, {6, 0}, {0, 0}};
    for (int k = 0; k < 4; k++) {
        for (int n = 0; n < 2; n++) {
            int node = n ? 60 : 75;
            r.k.body->ops->pin(r.k.body, node, 7, false);
            if (axes[k][n]) r.k.body->ops->pin(r.k.body, node, axes[k][n], true);
        }
        REQUIRE(rig_linearise(&r));
        for (int i = 0; i < r.k.n; i++)
            if (r.k.A.fixed[i]) r.k.b[i] = 0.01 * (i % 7);
        REQUIRE(rig_solve(&r) == SP_OK);
        CHECK(r.info.elements_refreshed > 0 && r.info.elements_refreshed < 120);
        CHECK(r.info.columns > 0 && r.info.columns < r.k.n / 3);
        CHECK_NEAR(residual(&r), 0, direct);
        for (int i = 0; i < r.k.n; i++)
            if (r.k.A.fixed[i]) CHECK(r.k.x[i] == r.k.b[i]);
    }
    rig_drop(&r);
}

TEST(materials_masses_and_steps_change) {
    rig r;
    REQUIRE(rig_make(&r, &bent, 1e9, NAN));
    REQUIRE(rig_solve(&r) == SP_OK);
    sp_solid *s = sp__solid(r.k.body);
    for (int slot = 0; slot < 40; slot++) s->young[slot] = 700;
    s->stale = true;
    REQUIRE(rig_linearise(&r) && rig_solve(&r) == SP_OK);
    CHECK(r.info.elements_refreshed > 20 && r.info.elements_refreshed <= 40);
    CHECK_NEAR(residual(&r), 0, direct);
    s->region[0].density = 3, s->stale = true;
    REQUIRE(rig_linearise(&r) && rig_solve(&r) == SP_OK);
    CHECK_INT(r.info.elements_refreshed, 0);
    CHECK_INT(r.info.columns, r.k.n / 3);
    CHECK_NEAR(residual(&r), 0, direct);
    r.k.c = (sp_coef){1, 0.02, 0.0004};
    REQUIRE(rig_linearise(&r) && rig_solve(&r) == SP_OK);
    CHECK_INT(r.info.elements_refreshed, 240);
    CHECK_NEAR(residual(&r), 0, direct);
    rig_drop(&r);
}

// The matrix contains the current springs wherever that matters at the solution; a term is updated as a whole.
TEST(springs_come_and_go) {
    rig r;
    REQUIRE(rig_make(&r, &bent, 1e-8, 1));
    REQUIRE(rig_solve(&r) == SP_OK);
    sp_body *b = r.k.body;
    for (int round = 0; round < 4; round++) {
        sp_loads *l = &b->loads;
        REQUIRE(sp__loads_reserve(b, 4) == SP_OK);
        l->term_count = round == 3 ? 0 : 2;
        for (int t = 0; t < l->term_count; t++)
            l->terms[t] = (sp_point_term){.at = {.elem = 200 + 30 * (uint32_t)t, .at = {0.2, 0.3, 0.1 + 0.1 * round}},
                                          .k = {5e5, 1e3, 1e3 * round, 2e2, 0, 10},
                                          .b = {1, 1, 1, 0, 0, 0}};
        REQUIRE(rig_linearise(&r) && rig_solve(&r) == SP_OK);
        CHECK_INT(r.info.status, SP_OK);
        CHECK(r.info.columns > 0);
        CHECK_NEAR(residual(&r), 0, 1e-7);
        // no change: nothing to do
        REQUIRE(rig_linearise(&r) && rig_solve(&r) == SP_OK);
        CHECK_INT(r.info.columns, 0);
    }
    sp_incremental *u = r.s->impl;
    CHECK_INT(u->term_count, 0);
    rig_drop(&r);
}

// A partial factorisation that fails leaves no factor: the previous solution stays, no correction uses the factor, and the next
// solve factors the whole matrix.
TEST(a_failed_refresh_is_followed_by_a_complete_one) {
    rig r;
    REQUIRE(rig_make(&r, &bent, 1e-8, 0.05));
    REQUIRE(rig_solve(&r) == SP_OK);
    sp_loads *l = &r.k.body->loads;
    REQUIRE(sp__loads_reserve(r.k.body, 1) == SP_OK);
    l->term_count = 1;
    l->terms[0] = (sp_point_term){.at = {.elem = 200, .at = {0.2, 0.3, 0.1}}, .k = {-1e9, -1e9, -1e9}};
    REQUIRE(rig_bend(&r, 0.05) && rig_solve(&r) == SP_OK);
    CHECK_INT(r.info.status, SP_NOT_SPD);
    CHECK(r.info.elements_waiting > 0 && r.info.columns < r.k.n / 3);
    for (int i = 0; i < r.k.n; i++) CHECK(isfinite(r.k.x[i]));
    l->term_count = 0;
    REQUIRE(rig_linearise(&r) && rig_solve(&r) == SP_OK);
    CHECK_INT(r.info.status, SP_OK);
    CHECK_INT(r.info.columns, r.k.n / 3);
    CHECK_NEAR(residual(&r), 0, direct);
    rig_drop(&r);
}

// statics of an unconstrained body: singular; reported, shifted, and still a direction
TEST(singular_systems_are_reported) {
    rig r;
    beam_def def = bent;
    def.loose = true;
    REQUIRE(rig_make(&r, &def, 0, NAN));
    r.k.c = (sp_coef){0, 0, 1};
    REQUIRE(rig_solve(&r) == SP_OK);
    CHECK_INT(r.info.status, SP_NOT_SPD);
    CHECK(r.info.shift > 0);
    double slope = 0;
    for (int i = 0; i < r.k.n; i++) slope += r.k.b[i] * r.k.x[i];
    CHECK(isfinite(slope) && slope > 0);
    rig_drop(&r);
}

static sp_status no_elements(void *o, double *R) {
    (void)o, (void)R;
    return SP_OK;
}

TEST(a_system_without_elements_is_solved_too) {
    rig r;
    REQUIRE(rig_make(&r, &bent, NAN, NAN));
    r.k.A.elements = NULL, r.k.A.node_rotations = no_elements;
    REQUIRE(rig_solve(&r) == SP_OK);
    CHECK(strstr(r.info.solver, "cg") && r.info.residual <= 1e-6);
    double age[240];
    CHECK(!sp__solver_refresh_ages(r.s, 240, age));
    rig_drop(&r);
}

// ------------------------------------------------------------------------------------------------ memory

TEST(failed_allocations) {
    for (long allowed = 0;; allowed++) {
        rig r;
        REQUIRE(rig_make(&r, &bent, NAN, NAN));
        meter m = {.allowed = LONG_MAX};
        sp_context_def def = metered_context(&m);
        sp_context *ctx;
        sp_solver *s = NULL;
        REQUIRE(sp_context_create(&def, &ctx) == SP_OK);
        m.allowed = allowed;
        sp_status status = sp__solver_create(ctx, &r.s->def, r.k.M->be, &s);
        bool failed = status < 0;
        if (!failed) {
            status = sp__solver_solve(s, &r.k.A, r.k.c, r.k.b, r.k.x, &r.info);
            failed = status < 0;
            CHECK(!failed || status == SP_NO_MEMORY);
            // with memory again, the same solver works
            m.allowed = LONG_MAX;
            REQUIRE(sp__solver_solve(s, &r.k.A, r.k.c, r.k.b, r.k.x, &r.info) == SP_OK);
            CHECK_NEAR(residual(&r), 0, direct);
        }
        sp__solver_destroy(&s);
        sp_context_destroy(&ctx);
        CHECK_INT(m.live, 0);
        rig_drop(&r);
        if (!failed || sp_test_failures) {
            CHECK(allowed > 30);
            break;
        }
    }
}

TEST(no_allocation_after_the_first_solve) {
    rig r;
    REQUIRE(rig_make(&r, &bent, 1e-6, NAN));
    REQUIRE(rig_solve(&r) == SP_OK);
    size_t bytes;
    uint64_t before, after;
    sp_context_memory(r.k.ctx, &bytes, &before);
    for (int k = 0; k < 5; k++) REQUIRE(rig_bend(&r, 0.2 + 0.1 * k) && rig_solve(&r) == SP_OK);
    sp_context_memory(r.k.ctx, &bytes, &after);
    CHECK(before == after);
    CHECK(sp__solver_bytes(r.s) > 100000 && sp__solver_bytes(r.s) <= bytes);
    rig_drop(&r);
}
