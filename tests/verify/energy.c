// Claim: each integrator treats energy as theory predicts.
//
// - symplectic Euler conserves a nearby energy H~ = H - (h/2) v.grad U below its critical step h_c = 2/omega_max: for a linear
//   body H stays within (1 + s)/(1 - s) of its initial value, s = h/h_c, at all times, and grows without bound above (Hairer,
//   Lubich, Wanner, "Geometric Numerical Integration", 2006, IX.3; Belytschko, Liu, Moran, "Nonlinear Finite Elements",
//   2000, 6.6)
// - implicit Euler on a linear body loses exactly (|dv|_M^2 + |dx|_K^2)/2 per step, so the energy never rises
// - static finds a minimum of elastic energy and weight: every neighbouring state has more
#include "verify.h"

typedef struct ring {
    sp_material_model model;
    sp_integrator_type integrator;
    double h, stretch, gravity;
} ring;

// A bar, fixed at one end, stretched and excited in its fastest modes (random nodal velocities), then released.
static bool open_bar(lab *b, const ring *r) {
    const double size[3] = {0.6, 0.2, 0.2};
    const int cells[3] = {6, 2, 2};
    if (!lab_context(b) || jittered_box(b->ctx, size, cells, 6, 0.2, &b->mesh) < 0) return false;
    int n = sp_mesh_node_count(b->mesh);
    double *x = malloc(3 * (size_t)n * sizeof *x), *v = malloc(3 * (size_t)n * sizeof *v);
    unsigned long long seed = 5;
    for (int i = 0; i < 3 * n; i++) {
        double X = sp_mesh_positions(b->mesh)[i];
        x[i] = X * (i % 3 == 0 ? 1 + r->stretch : 1);
        v[i] = sp_mesh_positions(b->mesh)[i - i % 3] > 1e-9 ? 0.05 * sp_test_random(&seed) : 0;
    }
    sp_fix fix = {.axes = SP_AXES_ALL};
    int *root = plane_nodes(b->mesh, 0, 0, &fix.count);
    fix.nodes = root;
    sp_solid_def def = lab_solid(b);
    def.model = r->model;
    def.rotation = SP_ROTATION_SVD;
    def.material = (sp_material){.density = 1000, .young = 1e5, .poisson = 0.3};
    def.initial = x, def.initial_velocity = v;
    def.fixes = &fix, def.fix_count = 1;
    def.integrator.type = r->integrator;
    def.integrator.tolerance = 1e-10;
    def.integrator.iterations = 50;
    def.solver.tolerance = 1e-12;
    def.solver.iterations = 5000;
    bool good = lab_world(b, &def, -r->gravity);
    free(x), free(v), free(root);
    return good;
}

static double energy(lab *b) {
    sp_body_measures info = lab_measures(b);
    return info.kinetic + info.elastic;
}

static double critical_step(sp_material_model model) {
    lab b;
    const ring r = {model, SP_EXPLICIT, 0, 0, 0};
    double h = NAN;
    if (open_bar(&b, &r) && lab_step(&b, 1e-5) >= 0) h = lab_info(&b).solve.critical_step;
    lab_close(&b);
    return h;
}

// Largest and smallest energy relative to the start, in each half of the run.
static void range(lab *b, double h, int steps, double high[2], double low[2]) {
    double start = energy(b);
    for (int half = 0; half < 2; half++) {
        high[half] = 0, low[half] = INFINITY;
        for (int i = 0; i < steps / 2; i++) {
            if (lab_step(b, h) < 0) return;
            double e = energy(b) / start;
            high[half] = fmax(high[half], e), low[half] = fmin(low[half], e);
        }
    }
}

// The bound of the theory needs no tolerance for the linear body. There is no theorem for the corotational one, but the behaviour
// is the same: no drift above a tenth between the halves of a long run.
TEST(symplectic_below_the_critical_step) {
    for (int m = 0; m < 2; m++) {
        sp_material_model model = m ? SP_COROTATIONAL : SP_LINEAR;
        double hc = critical_step(model), s = 0.5, high[2], low[2];
        CHECK(hc > 1e-4 && hc < 1e-1);
        lab b;
        const ring r = {model, SP_EXPLICIT, s * hc, 0.1, 0};
        REQUIRE(open_bar(&b, &r));
        range(&b, r.h, 4000, high, low);
        printf("  %s: h_c = %.3g s, energy within [%.3f, %.3f] then [%.3f, %.3f] of its start\n", m ? "corotational" : "linear",
               hc, low[0], high[0], low[1], high[1]);
        if (!m) {
            CHECK(high[0] <= (1 + s) / (1 - s) && high[1] <= (1 + s) / (1 - s));
            CHECK(low[0] >= (1 - s) / (1 + s) && low[1] >= (1 - s) / (1 + s));
        }
        CHECK_NEAR(high[1] / high[0], 1, 0.1);
        CHECK_NEAR(low[1] / low[0], 1, 0.1);
        lab_close(&b);
    }
}

// The reported step must be critical from both sides: at 0.97 of it the energy is bounded, at 1.03 of it the fastest mode grows
// by (s + sqrt(s^2 - 1))^2 = 1.6 per step, so 200 steps from random velocities exceed any bound. The step reports this in
// advance.
TEST(symplectic_above_the_critical_step) {
    double hc = critical_step(SP_LINEAR), high[2] = {0}, low[2];
    lab b;
    ring r = {SP_LINEAR, SP_EXPLICIT, 0.97 * hc, 0, 0};
    REQUIRE(open_bar(&b, &r));
    CHECK_INT(lab_step(&b, r.h), SP_OK);
    range(&b, r.h, 2000, high, low);
    CHECK(high[0] < 1.97 / 0.03 && high[1] < 1.97 / 0.03);
    lab_close(&b);
    r.h = 1.03 * hc;
    REQUIRE(open_bar(&b, &r));
    CHECK_INT(sp_world_step(b.world, r.h), SP_UNSTABLE_STEP);
    double start = energy(&b);
    for (int i = 0; i < 200 && sp_world_step(b.world, r.h) >= 0; i++) continue;
    CHECK(!(energy(&b) < 1e6 * start));
    lab_close(&b);
}

// |dv|_M^2: kinetic energy of the change of velocity, by nodal masses computed from the mesh (a quarter of each tetrahedron's).
static double *masses(const sp_mesh *mesh, double density) {
    const double *X = sp_mesh_positions(mesh);
    double *m = calloc((size_t)sp_mesh_node_count(mesh), sizeof *m);
    for (int e = 0; e < sp_mesh_element_count(mesh); e++) {
        const int *t = sp_mesh_tets(mesh) + 4 * e;
        double d[3][3];
        for (int i = 0; i < 3; i++)
            for (int k = 0; k < 3; k++) d[i][k] = X[3 * t[i + 1] + k] - X[3 * t[0] + k];
        double det = d[0][0] * (d[1][1] * d[2][2] - d[1][2] * d[2][1]) - d[0][1] * (d[1][0] * d[2][2] - d[1][2] * d[2][0]) +
                     d[0][2] * (d[1][0] * d[2][1] - d[1][1] * d[2][0]);
        for (int i = 0; i < 4; i++) m[t[i]] += density * det / 24;
    }
    return m;
}

// Tolerance: the identity is exact for the solved system; CG's tolerance of 1e-12 leaves 1e-8 of the energy after the
// differences. The elastic half of the loss is only known by subtracting the kinetic half, so it must be positive and the sum
// must match.
TEST(implicit_euler_loses_the_predicted_energy) {
    for (int t = 0; t < 2; t++) {
        lab b;
        const ring r = {SP_LINEAR, t ? SP_NEWTON : SP_IMPLICIT_EULER, 0.005, 0.1, 0};
        REQUIRE(open_bar(&b, &r));
        double *m = masses(b.mesh, 1000), before = energy(&b), start = before, lost = 0;
        double *v = lab_field(&b, "velocity");
        for (int i = 0; i < 100; i++) {
            CHECK(lab_step(&b, r.h) >= 0);
            double *w = lab_field(&b, "velocity"), dv = 0, now = energy(&b);
            for (int k = 0; k < 3 * b.nodes; k++) dv += 0.5 * m[k / 3] * (w[k] - v[k]) * (w[k] - v[k]);
            CHECK(before - now >= dv - 1e-8 * start);  // the loss beyond the kinetic part is |dx|_K^2 / 2 >= 0
            lost += before - now;
            before = now;
            free(v);
            v = w;
        }
        printf("  %s: %.1f%% of the energy lost in 100 steps\n", t ? "newton" : "implicit-euler", 100 * lost / start);
        CHECK(lost > 0.1 * start && lost <= start);
        free(v), free(m);
        lab_close(&b);
    }
}

// Stretched by a fifth and excited, the energy of the corotational bar decays too: it rises by no more than CG's tolerance
// allows.
TEST(newton_decays) {
    lab b;
    const ring r = {SP_COROTATIONAL, SP_NEWTON, 0.005, 0.2, 0};
    REQUIRE(open_bar(&b, &r));
    double start = energy(&b), before = start;
    for (int i = 0; i < 100; i++) {
        CHECK(lab_step(&b, r.h) >= 0);
        double now = energy(&b);
        CHECK(now <= before + 1e-8 * start);
        before = now;
    }
    CHECK(before < 0.9 * start);
    lab_close(&b);
}

static double potential(lab *b, const double *m, double g) {
    double *x = lab_field(b, "position"), sum = lab_measures(b).elastic;
    for (int i = 0; i < b->nodes; i++) sum += m[i] * g * x[3 * i + 1];
    free(x);
    return sum;
}

// The bar hangs under gravity, starting stretched. The sum of elastic energy and weight is minimal: every random neighbour has
// more. No tolerance: neighbours are 1e-3 m away, which costs 1e4 times the rounding of the sums.
TEST(static_is_a_minimum) {
    lab b;
    const ring r = {SP_COROTATIONAL, SP_STATIC, 1, 0.3, 9.81};
    REQUIRE(open_bar(&b, &r));
    double *m = masses(b.mesh, 1000), start = potential(&b, m, r.gravity);
    CHECK_INT(lab_step(&b, r.h), SP_OK);
    double least = potential(&b, m, r.gravity);
    CHECK(least < start);
    double *x = lab_field(&b, "position"), *near = malloc(3 * (size_t)b.nodes * sizeof *near);
    unsigned long long seed = 9;
    for (int trial = 0; trial < 20; trial++) {
        for (int i = 0; i < 3 * b.nodes; i++)
            near[i] = x[i] + (sp_mesh_positions(b.mesh)[i - i % 3] > 1e-9 ? 1e-3 * sp_test_random(&seed) : 0);
        CHECK(sp_world_set_state(b.world, b.body, near, NULL) >= 0);
        CHECK(potential(&b, m, r.gravity) > least);
    }
    free(x), free(near), free(m);
    lab_close(&b);
}
