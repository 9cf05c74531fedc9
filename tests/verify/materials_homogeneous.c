// Claim: a block of irregular tetrahedra between rollers follows the closed form of each law: uniaxial and equibiaxial stress,
// equal stretch of all axes, and simple shear, with prescribed displacements and with dead loads, by Newton's method with the
// exact tangent. Displacement, stress and energy.
//
// Tolerance: 1e-10 of the largest value: the residual force is 1e-12 of the first.
#include "material_laws.h"

static const double size[3] = {1, 0.8, 0.6};
static const int one[3] = {1, 1, 1}, several[3] = {3, 2, 2};

typedef struct block {
    lab b;
    sp_fix fix[3];
    sp_move move[3];
    sp_load load[3];
    int move_count, load_count;
} block;

// ------------------------------------------------------------------------------------------------ the block

static sp_solid_def block_def(const lab *b, const law_case *c) {
    sp_solid_def def = lab_solid(b);
    use_law(&def, c);
    def.integrator.type = SP_STATIC;
    def.integrator.iterations = 60;
    def.integrator.tolerance = 1e-12;
    def.solver.type = SP_SOLVER_CHOLESKY;
    return def;
}

static bool block_open(block *k, const int cells[3]) {
    *k = (block){.move_count = 0};
    if (!lab_context(&k->b) || jittered_box(k->b.ctx, size, cells, 5, 0.2, &k->b.mesh) < 0) return false;
    for (int i = 0; i < 3; i++) {
        k->fix[i] = (sp_fix){.axes = 1u << i};
        k->fix[i].nodes = plane_nodes(k->b.mesh, i, 0, &k->fix[i].count);
    }
    return true;
}

// the far face across an axis moves by `by`
static void block_move(block *k, int axis, double by) {
    sp_move *m = &k->move[k->move_count++];
    sp_pose pose = {.quat = {1, 0, 0, 0}};
    pose.translate[axis] = by;
    *m = (sp_move){.axes = 1u << axis, .pose = sp_pose_signal_constant(pose)};
    m->nodes = plane_nodes(k->b.mesh, axis, size[axis], &m->count);
}

static void block_pull(block *k, int axis, double traction) {
    sp_load *l = &k->load[k->load_count++];
    *l = (sp_load){.type = SP_LOAD_TRACTION};
    for (int i = 0; i < 3; i++) l->value[i] = sp_signal_constant(i == axis ? traction : 0);
    l->items = plane_faces(k->b.mesh, axis, size[axis], &l->count);
}

static void block_close(block *k) {
    for (int i = 0; i < 3; i++) {
        free((void *)(uintptr_t)k->fix[i].nodes);
        free((void *)(uintptr_t)k->move[i].nodes);
        free((void *)(uintptr_t)k->load[i].items);
    }
    lab_close(&k->b);
}

// ------------------------------------------------------------------------------------------------ comparison

static double apart(const double *a, const double *b, int count) {
    double worst = 0;
    for (int i = 0; i < count; i++) worst = fmax(worst, fabs(a[i] - b[i]));
    return worst;
}

// stress: Cauchy, xx yy zz xy yz zx; the field of the corotational law is that of its small strain and is not compared
static void compare(lab *b, const law_case *c, const double *x, double energy, const double stress[6], const char *what) {
    double volume = size[0] * size[1] * size[2], worst = 0, largest = 0;
    double *position = lab_field(b, "position"), *field = lab_field(b, "stress");
    for (int i = 0; i < 6; i++) largest = fmax(largest, fabs(stress[i]));
    for (int e = 0; e < b->tets; e++) worst = fmax(worst, apart(field + 6 * e, stress, 6) / largest);
    if (c->model == SP_COROTATIONAL) worst = 0;
    double moved = apart(position, x, 3 * b->nodes), elastic = lab_measures(b).elastic / volume;
    printf("  %-22s %-24s %2d iterations: displacement %.1e, stress %.1e, energy %.1e\n", c->name, what,
           lab_info(b).solve.newton_iterations, moved, worst, fabs(elastic / energy - 1));
    CHECK_NEAR(moved, 0, 1e-10);
    CHECK_NEAR(worst, 0, 1e-10);
    CHECK_NEAR(elastic / energy, 1, 1e-10);
    free(position), free(field);
}

static void drive(block *k, const law_case *c, const double s[3], const double P[3], const int driven[3], bool pull,
                  sp_solid_def *def) {
    for (int i = 0; i < 3; i++) {
        if (driven[i] && pull) block_pull(k, i, P[i]);
        if (driven[i] && !pull) block_move(k, i, (s[i] - 1) * size[i]);
    }
    *def = block_def(&k->b, c);
    def->fixes = k->fix, def->fix_count = 3;
    def->moves = k->move, def->move_count = k->move_count;
    def->loads = k->load, def->load_count = k->load_count;
}

static double *stretched(const lab *b, const double s[3]) {
    double *x = calloc(3 * (size_t)b->nodes, sizeof *x);
    for (int i = 0; i < 3 * b->nodes; i++) x[i] = s[i % 3] * sp_mesh_positions(b->mesh)[i];
    return x;
}

// `driven`: axes with a prescribed stretch s[i]; the others are free. pull: by dead loads instead.
static void stretch(const law_case *c, const int cells[3], double s[3], const int driven[3], bool pull, const char *what) {
    const int idle[3] = {!driven[0], !driven[1], !driven[2]};
    double P[3], stress[6] = {0};
    if (idle[2]) law_relax(c, idle, s);
    double energy = law_stress(c, s, P), J = s[0] * s[1] * s[2];
    for (int i = 0; i < 3; i++) stress[i] = P[i] * s[i] / J;
    block k;
    REQUIRE(block_open(&k, cells));
    sp_solid_def def;
    drive(&k, c, s, P, driven, pull, &def);
    REQUIRE(lab_world(&k.b, &def, 0));
    CHECK_INT(lab_step(&k.b, 1), SP_OK);
    double *x = stretched(&k.b, s);
    compare(&k.b, c, x, energy, stress, what);
    free(x);
    block_close(&k);
}

TEST(uniaxial) {
    const double stretches[4] = {0.75, 0.9, 1.3, 1.7};
    for (int i = 0; i < ALL_CASES; i++)
        for (int k = 0; k < 4; k++)
            for (int pull = 0; pull < 2; pull++) {
                double s[3] = {stretches[k], 1, 1};
                stretch(&law_cases[i], k % 2 ? several : one, s, (int[3]){1, 0, 0}, pull, "uniaxial");
            }
}

// Compression by dead loads on more than one pair of faces is left out: the homogeneous state is then unstable against turning
// material away from the loads.
TEST(equibiaxial) {
    const double stretches[2] = {0.85, 1.25};
    for (int i = 0; i < ALL_CASES; i++)
        for (int k = 0; k < 2; k++)
            for (int pull = 0; pull <= k; pull++) {
                double s[3] = {stretches[k], stretches[k], 1};
                stretch(&law_cases[i], several, s, (int[3]){1, 1, 0}, pull, "equibiaxial");
            }
}

TEST(volumetric) {
    const double stretches[2] = {0.9, 1.1};
    for (int i = 0; i < LAW_CASES; i++)
        for (int k = 0; k < 2; k++)
            for (int pull = 0; pull <= k; pull++) {
                double s[3] = {stretches[k], stretches[k], stretches[k]};
                stretch(&law_cases[i], several, s, (int[3]){1, 1, 1}, pull, "volumetric");
            }
}

// ------------------------------------------------------------------------------------------------ quadratic convergence

// Distance from the closed form after so many iterations from rest.
static double after(const law_case *c, int iterations) {
    const int driven[3] = {1, 0, 0};
    double s[3] = {1.4, 1, 1}, P[3], worst = NAN;
    law_relax(c, (int[3]){0, 1, 1}, s);
    law_stress(c, s, P);
    block k;
    sp_solid_def def;
    if (!block_open(&k, several)) return worst;
    drive(&k, c, s, P, driven, true, &def);
    def.integrator.iterations = iterations;
    if (lab_world(&k.b, &def, 0) && lab_step(&k.b, 1) >= 0) {
        double *x = stretched(&k.b, s), *position = lab_field(&k.b, "position");
        worst = apart(position, x, 3 * k.b.nodes);
        free(x), free(position);
    }
    block_close(&k);
    return worst;
}

// Each iteration from an error of 0.1 on squares it, times a factor of the law: at most 20, observed up to 7. The last is at
// rounding, where the square is below it.
TEST(newton_converges_quadratically) {
    for (int i = 0; i < LAW_CASES; i++) {
        double last = after(&law_cases[i], 1), first = last;
        printf("  %-22s %.1e", law_cases[i].name, last);
        for (int k = 2; k < 12 && last > 1e-12; k++) {
            double now = after(&law_cases[i], k);
            printf(" %.1e", now);
            if (last < 0.1) CHECK(now < 20 * last * last + 1e-14);
            last = now;
        }
        printf("\n");
        CHECK_NEAR(last, 0, 1e-12);
        CHECK(law_cases[i].model == SP_COROTATIONAL || first > 1e-3);  // linear in the stretches: one iteration
    }
}

// ------------------------------------------------------------------------------------------------ simple shear

// x = X + g Y ex: principal stretches (sqrt(4 + g^2) +- g) / 2 and 1. The stress has the axes of b = F F^T, so in the plane it is
// sigma = s2 + (s1 - s2) (b - b2) / (b1 - b2).
static double shear_stress(const law_case *c, double g, double stress[6]) {
    double root = sqrt(4 + g * g), s[3] = {(root + g) / 2, (root - g) / 2, 1}, P[3], psi = law_stress(c, s, P);
    double high = P[0] * s[0], low = P[1] * s[1], b1 = s[0] * s[0], b2 = s[1] * s[1], factor = (high - low) / (b1 - b2);
    stress[0] = low + factor * (1 + g * g - b2), stress[1] = low + factor * (1 - b2), stress[2] = P[2];
    stress[3] = factor * g, stress[4] = stress[5] = 0;
    return psi;
}

static void shear(const law_case *c, double g) {
    double stress[6], energy = shear_stress(c, g, stress);
    unsigned long long seed = 3;
    block k;
    REQUIRE(block_open(&k, (int[3]){3, 3, 3}));
    const double *X = sp_mesh_positions(k.b.mesh);
    int n = sp_mesh_node_count(k.b.mesh), held = 0;
    double *x = calloc(3 * (size_t)n, sizeof *x), *start = calloc(3 * (size_t)n, sizeof *start);
    int *nodes = calloc((size_t)n, sizeof *nodes);
    for (int i = 0; i < n; i++) {
        bool border = false;
        for (int a = 0; a < 3; a++) border = border || X[3 * i + a] < 1e-9 || X[3 * i + a] > size[a] - 1e-9;
        for (int a = 0; a < 3; a++) {
            x[3 * i + a] = X[3 * i + a] + (a ? 0 : g * X[3 * i + 1]);
            start[3 * i + a] = x[3 * i + a] + (border ? 0 : 0.02 * sp_test_random(&seed));
        }
        if (border) nodes[held++] = i;
    }
    CHECK(held < n);
    sp_fix fix = {nodes, held, SP_AXES_ALL, 0};
    sp_solid_def def = block_def(&k.b, c);
    def.fixes = &fix, def.fix_count = 1, def.initial = start;
    REQUIRE(lab_world(&k.b, &def, 0));
    CHECK_INT(lab_step(&k.b, 1), SP_OK);
    compare(&k.b, c, x, energy, stress, "simple shear");
    free(x), free(start), free(nodes);
    block_close(&k);
}

TEST(simple_shear) {
    for (int i = 0; i < ALL_CASES; i++) shear(&law_cases[i], 0.2), shear(&law_cases[i], 0.8);
}
