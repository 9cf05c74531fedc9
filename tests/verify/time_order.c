// Claim: implicit Euler, its Newton form and symplectic Euler converge with the first power of the step, to the same motion.
// Hairer, Norsett, Wanner, "Solving Ordinary Differential Equations I" (1993), II.3: e(h) = c h + O(h^2).
//
// Tolerance: with steps h, h/2, h/4 the ratio of successive differences is 2 + O(h); steps are small enough (a hundredth of the
// slowest period) for 0.2. The extrapolated ends of the implicit and the explicit motion agree to the term that extrapolation
// leaves, h^2: a hundredth of the amplitude.
#include "verify.h"

static const double end_time = 0.25;

// Positions at the end, nodes x 3; the caller frees. NULL: failed.
static double *motion(sp_integrator_type type, int steps, int *count) {
    lab b;
    const double size[3] = {0.8, 0.2, 0.2};
    const int cells[3] = {8, 2, 2};
    double *x = NULL;
    if (!lab_context(&b) || sp_mesh_box(b.ctx, size, cells, 6, &b.mesh) < 0) return NULL;
    sp_fix fix = {.axes = SP_AXES_ALL};
    int *root = plane_nodes(b.mesh, 0, 0, &fix.count);
    fix.nodes = root;
    sp_solid_def def = lab_solid(&b);
    def.material = (sp_material){.density = 1000, .young = 4e5, .poisson = 0.3};
    def.fixes = &fix, def.fix_count = 1;
    def.integrator.type = type;
    def.integrator.tolerance = 1e-10;
    def.integrator.iterations = 50;
    def.solver.tolerance = 1e-11;
    def.solver.iterations = 5000;
    if (lab_world(&b, &def, -9.81) && lab_steps(&b, end_time / steps, steps) >= 0) x = lab_field(&b, "position");
    *count = 3 * b.nodes;
    free(root);
    lab_close(&b);
    return x;
}

static double apart(const double *a, const double *b, int n) {
    double m = 0;
    for (int i = 0; i < n; i++) m = fmax(m, fabs(a[i] - b[i]));
    return m;
}

// Ratio of differences of three halvings; *limit receives the extrapolated end.
static double ratio(sp_integrator_type type, int steps, double **limit, int *n) {
    double *a = motion(type, steps, n), *b = motion(type, 2 * steps, n), *c = motion(type, 4 * steps, n), r = NAN;
    if (a && b && c) {
        r = apart(a, b, *n) / apart(b, c, *n);
        for (int i = 0; i < *n; i++) c[i] = 2 * c[i] - b[i];
    }
    free(a), free(b);
    *limit = c;
    return r;
}

TEST(first_order) {
    double *implicit = NULL, *newton = NULL, *explicit_end = NULL;
    int n = 0;
    double r_implicit = ratio(SP_IMPLICIT_EULER, 400, &implicit, &n), r_newton = ratio(SP_NEWTON, 400, &newton, &n);
    double r_explicit = ratio(SP_EXPLICIT, 500, &explicit_end, &n);
    printf("  ratios: implicit-euler %.3f, newton %.3f, explicit %.3f\n", r_implicit, r_newton, r_explicit);
    CHECK_NEAR(r_implicit, 2, 0.2);
    CHECK_NEAR(r_newton, 2, 0.2);
    CHECK_NEAR(r_explicit, 2, 0.2);
    REQUIRE(implicit && newton && explicit_end);
    double amplitude = 0.2 - explicit_end[n - 2];  // fall of the last node, the far upper corner
    CHECK(amplitude > 0.01);
    CHECK_NEAR(apart(implicit, explicit_end, n), 0, 0.01 * amplitude);
    CHECK_NEAR(apart(newton, explicit_end, n), 0, 0.01 * amplitude);
    free(implicit), free(newton), free(explicit_end);
}
