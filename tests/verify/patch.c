// Claim: the patch test is passed exactly. On an irregular mesh whose boundary is displaced by an affine map x = F X, the inner
// nodes follow the same map; under uniaxial traction the stress is uniform and the bar lengthens by tL/E and thins by nu tL/E.
// Irons and Razzaque (1972), "Experience with the patch test"; Hughes, "The Finite Element Method" (2000), section 4.6.
//
// Tolerance: linear tetrahedra represent affine fields exactly, so only the solver's tolerance (force residual 1e-11 of the
// first, CG 1e-12) and rounding separate the answer from the map: 1e-8 of the body's size for displacements is above both by the
// conditioning of this small mesh (about 1e2), and far below the cell size that a failing element would show.
#include "variants.h"
#include "verify.h"

// variants with an energy; qr and the deformed shape have their own test
static bool has_energy(const variant *v) {
    return v->model == SP_LINEAR || (v->rotation != SP_ROTATION_QR && v->shape == SP_SHAPE_REST);
}

static const double size[3] = {1, 0.8, 0.6};
static const int cells[3] = {4, 3, 3};

static void set_static(sp_solid_def *def) {
    def->integrator.type = SP_STATIC;
    def->integrator.iterations = 200;
    def->integrator.tolerance = 1e-11;
    def->solver.tolerance = 1e-12;
    def->solver.iterations = 5000;
}

static void set_case(sp_solid_def *def, const variant *c) {
    use_variant(def, c);
    def->material = (sp_material){.density = 1000, .young = 1e5, .poisson = 0.35};
}

static bool on_boundary(const double *x) {
    for (int k = 0; k < 3; k++)
        if (x[k] < 1e-9 || x[k] > size[k] - 1e-9) return true;
    return false;
}

// x = F X for every node; inner nodes start a fifth of a cell away from it.
static void start(const sp_mesh *mesh, const double F[9], double *exact, double *initial, int *held, int *held_count) {
    const double *X = sp_mesh_positions(mesh);
    unsigned long long seed = 3;
    *held_count = 0;
    for (int i = 0; i < sp_mesh_node_count(mesh); i++) {
        bool border = on_boundary(X + 3 * i);
        for (int k = 0; k < 3; k++) {
            exact[3 * i + k] = F[3 * k] * X[3 * i] + F[3 * k + 1] * X[3 * i + 1] + F[3 * k + 2] * X[3 * i + 2];
            initial[3 * i + k] = exact[3 * i + k] + (border ? 0 : 0.04 * sp_test_random(&seed));
        }
        if (border) held[(*held_count)++] = i;
    }
}

// Largest distance of a node from the affine map after the static solve, NaN where the solve failed.
static double affine(const variant *c, const double F[9]) {
    lab b;
    double worst = NAN;
    if (!lab_context(&b) || jittered_box(b.ctx, size, cells, 6, 0.25, &b.mesh) < 0) return worst;
    int n = sp_mesh_node_count(b.mesh), count = 0;
    double *exact = calloc(3 * (size_t)n, sizeof *exact), *initial = calloc(3 * (size_t)n, sizeof *initial);
    int *held = calloc((size_t)n, sizeof *held);
    start(b.mesh, F, exact, initial, held, &count);
    CHECK(count < n);  // there are inner nodes
    sp_solid_def def = lab_solid(&b);
    set_case(&def, c);
    set_static(&def);
    sp_fix fix = {held, count, SP_AXES_ALL, 0};
    def.fixes = &fix;
    def.fix_count = 1;
    def.initial = initial;
    if (lab_world(&b, &def, 0) && lab_step(&b, 1) >= 0) {
        double *x = lab_field(&b, "position");
        worst = 0;
        for (int i = 0; i < 3 * n; i++) worst = fmax(worst, fabs(x[i] - exact[i]));
        printf("  %-22s worst distance from the affine map %.2g\n", c->name, worst);
        free(x);
    }
    free(exact), free(initial), free(held);
    lab_close(&b);
    return worst;
}

TEST(small_affine_map) {
    const double F[9] = {1.001, 0.0004, -0.0007, -0.0002, 0.9993, 0.0005, 0.0003, -0.0006, 1.0008};
    for (int i = 0; i < VARIANTS; i++)
        if (has_energy(&variants[i])) CHECK_NEAR(affine(&variants[i], F), 0, 1e-8);
}

// Rotated by 70 degrees about (1,1,1) after a stretch of 10% and a shear of 10%. Corotational variants remove the rotation; the
// linear model passes too because affine fields are equilibria of every homogeneous law.
TEST(large_affine_map) {
    const double c = cos(1.2217), s = sin(1.2217) / sqrt(3.0), t = (1 - c) / 3;
    const double R[9] = {t + c, t - s, t + s, t + s, t + c, t - s, t - s, t + s, t + c};
    const double U[9] = {1.1, 0.1, 0, 0.05, 0.95, 0.02, 0, 0.03, 1.05};
    double F[9];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) F[3 * i + j] = R[3 * i] * U[j] + R[3 * i + 1] * U[3 + j] + R[3 * i + 2] * U[6 + j];
    for (int i = 0; i < VARIANTS; i++)
        if (has_energy(&variants[i])) CHECK_NEAR(affine(&variants[i], F), 0, 1e-8);
}

// qr frames depend on the order of the nodes, so neighbours under the same strain remove different rotations: the patch test
// holds to first order in the strain only, and half the strain leaves a quarter of the error. The same on the deformed shape.
// Tolerance: the next order, a tenth of the strain's share.
TEST(qr_passes_to_first_order) {
    const sp_shape shapes[2] = {SP_SHAPE_REST, SP_SHAPE_DEFORMED};
    for (int i = 0; i < 2; i++) {
        const variant c = {i ? "qr, deformed" : "qr", .model = SP_COROTATIONAL, .rotation = SP_ROTATION_QR, .shape = shapes[i]};
        const double F[9] = {1.02, 0.008, -0.014, -0.004, 0.986, 0.01, 0.006, -0.012, 1.016};
        double half[9];
        for (int k = 0; k < 9; k++) half[k] = 0.5 * (F[k] + (k % 4 ? 0 : 1));
        double whole_error = affine(&c, F), half_error = affine(&c, half);
        CHECK(whole_error > 1e-6);
        CHECK_NEAR(whole_error / half_error, 4, 0.4);
    }
}

static void rollers(const sp_mesh *mesh, sp_fix fix[3]) {
    const unsigned axes[3] = {SP_AXIS_X, SP_AXIS_Y, SP_AXIS_Z};
    for (int k = 0; k < 3; k++) {
        fix[k].axes = axes[k];
        fix[k].stiffness = 0;
        fix[k].nodes = plane_nodes(mesh, k, 0, &fix[k].count);
    }
}

// Uniaxial traction between rollers, linear law: u = (t/E) (x, -nu y, -nu z), stress (t, 0, 0, 0, 0, 0).
TEST(uniaxial_traction) {
    const double young = 1e5, nu = 0.35, t = 250;
    lab b;
    REQUIRE(lab_context(&b) && jittered_box(b.ctx, size, cells, 5, 0.25, &b.mesh) == SP_OK);
    sp_fix fix[3];
    rollers(b.mesh, fix);
    sp_load load = {.type = SP_LOAD_TRACTION, .value = {{.constant = t}}};
    int *faces = plane_faces(b.mesh, 0, size[0], &load.count);
    load.items = faces;
    sp_solid_def def = lab_solid(&b);
    set_case(&def, &variants[0]);
    set_static(&def);
    def.fixes = fix;
    def.fix_count = 3;
    def.loads = &load;
    def.load_count = 1;
    REQUIRE(lab_world(&b, &def, 0));
    CHECK_INT(lab_step(&b, 1), SP_OK);
    double *u = lab_field(&b, "displacement"), *stress = lab_field(&b, "stress");
    const double *X = sp_mesh_positions(b.mesh), scale[3] = {t / young, -nu * t / young, -nu * t / young};
    double worst = 0, worst_stress = 0;
    for (int i = 0; i < 3 * b.nodes; i++) worst = fmax(worst, fabs(u[i] - scale[i % 3] * X[i]));
    for (int i = 0; i < 6 * b.tets; i++) worst_stress = fmax(worst_stress, fabs(stress[i] - (i % 6 ? 0 : t)));
    CHECK_NEAR(worst, 0, 1e-8 * t / young);
    // Cauchy stress of the linear law is D eps: uniform to the same relative error, amplified by the cells per length
    CHECK_NEAR(worst_stress, 0, 1e-7 * t);
    free(u), free(stress), free(faces);
    for (int k = 0; k < 3; k++) free((void *)(uintptr_t)fix[k].nodes);
    lab_close(&b);
}
