// Claims: with terms of relaxation, the stress at a constant deformation follows the closed form of a ramp in one step and hold,
// for every law at large strains; a bar under a constant load creeps as a standard linear solid; a cycle of shear dissipates what
// the loss modulus says; and a viscous beam never gains energy.
#include "material_laws.h"

enum { TERMS = 2 };
static const double terms[2 * TERMS] = {0.3, 0.05, 0.2, 0.4};  // share, time [s]

static void use_terms(sp_solid_def *def, int count, const double *pairs) {
    def->material.relaxation_count = count;
    memcpy(def->material.relaxation, pairs, 2 * (size_t)count * sizeof *pairs);
}

// A cube of 6 tetrahedra (or one hexahedron), every face of which is prescribed in its normal direction: the deformation of all
// corners is given.
typedef struct cube {
    lab b;
    sp_fix fix[3];
    sp_move move[3];
} cube;

static bool cube_open(cube *k, bool hexahedron, const double s[3]) {
    const double size[3] = {1, 1, 1};
    const int cells[3] = {1, 1, 1};
    *k = (cube){.fix = {{.axes = 0}}};
    if (!lab_context(&k->b) || sp_mesh_box(k->b.ctx, size, cells, hexahedron ? 1 : 6, &k->b.mesh) < 0) return false;
    for (int i = 0; i < 3; i++) {
        sp_pose pose = {.quat = {1, 0, 0, 0}};
        pose.translate[i] = s[i] - 1;
        k->fix[i] = (sp_fix){.axes = 1u << i};
        k->fix[i].nodes = plane_nodes(k->b.mesh, i, 0, &k->fix[i].count);
        k->move[i] = (sp_move){.axes = 1u << i, .pose = sp_pose_signal_constant(pose)};
        k->move[i].nodes = plane_nodes(k->b.mesh, i, 1, &k->move[i].count);
    }
    return true;
}

static void cube_close(cube *k) {
    for (int i = 0; i < 3; i++) free((void *)(uintptr_t)k->fix[i].nodes), free((void *)(uintptr_t)k->move[i].nodes);
    lab_close(&k->b);
}

// share of a stress that is reached in one step and held, after some steps
static double held_share(int step, double h) {
    double share = 1;
    for (int i = 0; i < TERMS; i++) {
        double g = terms[2 * i], tau = terms[2 * i + 1];
        share += g * (tau / h * (1 - exp(-h / tau)) * exp(-(step - 1) * h / tau) - 1);
    }
    return share;
}

// first Piola-Kirchhoff stress of the bulk part: that of a separate energy of the volume, or of K/2 z^2 with the measure z of
// kernels/bar.h
static void bulk_stress(const law_case *c, const double s[3], double P[3]) {
    double J = s[0] * s[1] * s[2], K = LAW_YOUNG / (3 * (1 - 2 * law_poisson)), z = 0, slope[3];
    for (int i = 0; i < 3; i++) {
        if (c->model == SP_COROTATIONAL)
            z += s[i] - 1, slope[i] = 1;
        else if (c->model == SP_STVK)
            z += (s[i] * s[i] - 1) / 2, slope[i] = s[i];
        else
            z = c->form == SP_FORM_LOG ? log(J) : J - 1, slope[i] = (c->form == SP_FORM_LOG ? 1 : J) / s[i];
    }
    for (int i = 0; i < 3; i++) P[i] = c->count ? law_volume_slope(c, J) * J / s[i] : K * z * slope[i];
}

// Tolerance: the deformation is prescribed, and the history has one rounding per step.
static void hold(const law_case *c, bool hexahedron) {
    const double s[3] = {1.3, 0.9, 0.95}, h = 0.02, J = s[0] * s[1] * s[2];
    double P[3], B[3];
    cube k;
    REQUIRE(cube_open(&k, hexahedron, s));
    sp_solid_def def = lab_solid(&k.b);
    use_law(&def, c);
    use_terms(&def, TERMS, terms);
    def.fixes = k.fix, def.fix_count = 3, def.moves = k.move, def.move_count = 3;
    REQUIRE(lab_world(&k.b, &def, 0));
    law_stress(c, s, P), bulk_stress(c, s, B);
    for (int step = 1; step <= 30; step++) {
        const double share = held_share(step, h);
        REQUIRE(lab_step(&k.b, h) >= 0);
        double *field = lab_field(&k.b, "stress"), largest = 0, worst = 0;
        for (int i = 0; i < 3; i++) {
            double stress = (B[i] + share * (P[i] - B[i])) * s[i] / J;
            for (int e = 0; e < k.b.tets; e++) worst = fmax(worst, fabs(field[6 * e + i] - stress));
            largest = fmax(largest, fabs(stress));
        }
        CHECK_NEAR(worst, 0, 1e-12 * largest);
        free(field);
    }
    cube_close(&k);
}

TEST(stress_at_a_constant_deformation_relaxes_by_the_closed_form) {
    for (int i = 0; i < LAW_CASES; i++)
        for (int hexahedron = 0; hexahedron < 2; hexahedron++) hold(&law_cases[i], hexahedron);
}

// ------------------------------------------------------------------------------------------------ rotations

static void turning(const void *user, double t, sp_pose *out) {
    const double angle = *(const double *)user * t, axis[3] = {1 / sqrt(14), 2 / sqrt(14), 3 / sqrt(14)};
    *out = sp_pose_identity();
    out->quat[0] = cos(angle / 2);
    for (int k = 0; k < 3; k++) out->quat[1 + k] = sin(angle / 2) * axis[k];
}

// Principal stresses after ten steps of a stretched cube whose nodes turn with the rate [1/s]
static double *turned_stress(sp_material_model model, double turns, int *count) {
    static const double s[3] = {1.2, 0.9, 0.95};
    double start[24], *stress = NULL;
    int all[8];
    lab b;
    if (!lab_context(&b) || sp_mesh_box(b.ctx, (double[]){1, 1, 1}, (int[]){1, 1, 1}, 6, &b.mesh) < 0) return NULL;
    for (int i = 0; i < 24; i++) start[i] = s[i % 3] * sp_mesh_positions(b.mesh)[i], all[i / 3] = i / 3;
    sp_move move = {.nodes = all, .count = 8, .axes = SP_AXES_ALL, .pose = {.eval = turning, .user = &turns}};
    sp_solid_def def = lab_solid(&b);
    def.model = model, def.initial = start, def.moves = &move, def.move_count = 1;
    def.material = (sp_material){.density = 1000, .young = LAW_YOUNG, .poisson = law_poisson, .fibre = {1, 0.4, 0.2, 0, 1, 0.3}};
    use_terms(&def, TERMS, terms);
    if (lab_world(&b, &def, 0) && lab_steps(&b, 0.02, 10) >= 0) stress = lab_field(&b, "principal-stress");
    *count = 3 * sp_mesh_element_count(b.mesh);
    lab_close(&b);
    return stress;
}

// What the terms keep turns with the material: the stress of a body that has turned by two right angles is that of one at rest.
TEST(relaxation_does_not_see_rotations) {
    static const sp_material_model models[4] = {SP_COROTATIONAL, SP_STVK, SP_NEO_HOOKEAN, SP_COSTA};
    for (int i = 0; i < 4; i++) {
        int n = 0;
        double *still = turned_stress(models[i], 0, &n), *turned = turned_stress(models[i], 15.7, &n);
        REQUIRE(still && turned);
        for (int k = 0; k < n; k++) CHECK_NEAR(turned[k], still[k], 1e-11 * max_abs(still, (size_t)n));
        CHECK(max_abs(still, (size_t)n) > 0.02 * LAW_YOUNG);
        free(still), free(turned);
    }
}

// ------------------------------------------------------------------------------------------------ costa

// Stress of a cube that is stretched across the axes of its fibres; `share`: of the coefficient a. NULL: failed
static double *costa_stress(const char *backend, bool hexahedron, bool viscous, double share, int steps, double h,
                            int *elements) {
    static const double s[3] = {1.2, 0.9, 0.95}, axes[6] = {1, 0.4, 0.2, 0, 1, 0.3}, coefficients[7] = {880, 8, 6, 3, 12, 3, 0};
    double *stress = NULL;
    cube k;
    if (!cube_open(&k, hexahedron, s)) return NULL;
    sp_solid_def def = lab_solid(&k.b);
    def.model = SP_COSTA, def.tangent = SP_TANGENT_EXACT;
    def.material = (sp_material){.density = 1000, .bulk = 2e4, .coefficient_count = 7};
    memcpy(def.material.coefficients, coefficients, sizeof coefficients), memcpy(def.material.fibre, axes, sizeof axes);
    def.material.coefficients[0] *= share;
    if (viscous) use_terms(&def, TERMS, terms);
    def.fixes = k.fix, def.fix_count = 3, def.moves = k.move, def.move_count = 3;
    sp_world_def world = sp_world_def_default();
    world.backend = backend;
    world.gravity[1] = sp_signal_constant(0);
    if (sp_world_create(k.b.ctx, &world, &k.b.world) >= 0 && sp_world_add_solid(k.b.world, &def, &k.b.body) >= 0 &&
        lab_steps(&k.b, h, steps) >= 0)
        stress = lab_field(&k.b, "stress");
    *elements = sp_mesh_element_count(k.b.mesh);
    cube_close(&k);
    return stress;
}

// All of costa's energy but that of the volume is proportional to the coefficient a: what is held is an elastic body with a part
// of it.
TEST(costa_relaxes_as_its_first_coefficient) {
    const double h = 0.02;
    for (int shape = 0; shape < 2; shape++)
        for (int ref = 0; ref < 2; ref++)
            for (int step = 1; step <= 16; step *= 4) {
                const char *backend = ref ? "ref" : "cpu";
                double largest = 0, worst = 0, relaxed = 0;
                int n = 0;
                double *a = costa_stress(backend, shape, true, 1, step, h, &n),
                       *b = costa_stress(backend, shape, false, held_share(step, h), 1, h, &n),
                       *c = costa_stress(backend, shape, false, 1, 1, h, &n);
                REQUIRE(a && b && c);
                for (int k = 0; k < 6 * n; k++) {
                    worst = fmax(worst, fabs(a[k] - b[k])), largest = fmax(largest, fabs(b[k]));
                    relaxed = fmax(relaxed, fabs(b[k] - c[k]));
                }
                CHECK_NEAR(worst, 0, 1e-12 * largest);
                CHECK(relaxed > 0.02 * largest);
                free(a), free(b), free(c);
            }
}

// Newton's iterations of some steps of a beam of costa's law with large strains; *moved: of its end
static int costa_iterations(const char *backend, sp_operator_type op, double *moved) {
    const double size[3] = {0.3, 0.1, 0.1};
    int count, sum = 0;
    lab b;
    if (!lab_context(&b) || sp_mesh_box(b.ctx, size, (int[]){3, 1, 1}, 6, &b.mesh) < 0) return 0;
    int *wall = plane_nodes(b.mesh, 0, 0, &count);
    sp_fix fix = {wall, count, SP_AXES_ALL, 0};
    sp_solid_def def = lab_solid(&b);
    sp_world_def world = sp_world_def_default();
    world.backend = backend;
    def.model = SP_COSTA, def.tangent = SP_TANGENT_EXACT, def.material.young = 4e3, def.material.poisson = 0.3;
    use_terms(&def, TERMS, terms);
    def.fixes = &fix, def.fix_count = 1;
    def.integrator.type = SP_NEWTON, def.integrator.tolerance = 1e-10;
    def.solver.type = SP_SOLVER_CG, def.solver.cg.op = op, def.solver.tolerance = 1e-12;
    if (sp_world_create(b.ctx, &world, &b.world) >= 0 && sp_world_add_solid(b.world, &def, &b.body) >= 0)
        for (int step = 0; step < 8; step++) {
            CHECK(lab_step(&b, 0.03) >= 0);
            sum += lab_info(&b).solve.newton_iterations;
        }
    double *x = lab_field(&b, "position");
    *moved = 0;
    for (int i = 0; x && i < 3 * sp_mesh_node_count(b.mesh); i++)
        *moved = fmax(*moved, fabs(x[i] - sp_mesh_positions(b.mesh)[i]));
    free(wall), free(x);
    lab_close(&b);
    return sum;
}

// With the exact tangent, which has a part of the stress that is kept, Newton's method converges quadratically.
TEST(the_tangent_of_viscous_costa_is_exact) {
    double first = 0, moved;
    for (int k = 0; k < 4; k++) {
        int n = costa_iterations(k % 2 ? "ref" : "cpu", k / 2 ? SP_OPERATOR_ASSEMBLED : SP_OPERATOR_FREE, &moved);
        if (k == 0) first = moved;
        printf("  %d iterations in 8 steps, moved by %.4g m\n", n, moved);
        CHECK(n > 0 && n <= 8 * 4);
        CHECK(moved > 0.05);
        CHECK_NEAR(moved / first, 1, 1e-8);
    }
}

// ------------------------------------------------------------------------------------------------ creep

// Strain of a bar of one term under a constant small load after time t, on `steps` steps, relative to the exact one. The mass is
// so small that the motion is quasi-static: waves need 1e-5 s.
static double creep(sp_material_model model, int steps) {
    const double size[3] = {1, 0.4, 0.4}, pair[2] = {0.6, 0.5}, t = 0.4, traction = 1e-3;
    const int cells[3] = {2, 1, 1};
    sp_fix fix[3];
    sp_load load = {.type = SP_LOAD_TRACTION, .value = {sp_signal_constant(traction)}};
    lab b;
    if (!lab_context(&b) || jittered_box(b.ctx, size, cells, 5, 0.1, &b.mesh) < 0) return NAN;
    for (int i = 0; i < 3; i++) {
        fix[i] = (sp_fix){.axes = 1u << i};
        fix[i].nodes = plane_nodes(b.mesh, i, 0, &fix[i].count);
    }
    load.items = plane_faces(b.mesh, 0, size[0], &load.count);
    sp_solid_def def = lab_solid(&b);
    def.model = model;
    def.material = (sp_material){.density = 1e-6, .young = LAW_YOUNG, .poisson = law_poisson};
    use_terms(&def, 1, pair);
    def.fixes = fix, def.fix_count = 3, def.loads = &load, def.load_count = 1;
    def.integrator.type = SP_NEWTON, def.integrator.tolerance = 1e-10;
    def.solver.type = SP_SOLVER_CHOLESKY;
    double strain = NAN;
    if (lab_world(&b, &def, 0) && lab_steps(&b, t / steps, steps) >= 0) {
        double *x = lab_field(&b, "position"), largest = 0;
        for (int i = 0; i < b.nodes; i++) largest = fmax(largest, x[3 * i]);
        strain = largest - size[0];
        free(x);
    }
    double mu = LAW_YOUNG / (2 * (1 + law_poisson)), K = LAW_YOUNG / (3 * (1 - 2 * law_poisson)), last = 1 - pair[0];
    double shear = (1 - pair[0] * exp(-last * t / pair[1])) / (mu * last);
    for (int i = 0; i < 3; i++) free((void *)(uintptr_t)fix[i].nodes);
    free((void *)(uintptr_t)load.items);
    lab_close(&b);
    return strain / (traction * (1 / (9 * K) + shear / 3)) - 1;
}

// The load acts from the first step on, which the scheme takes for a ramp: the strain is that of half a step later, order 1.
TEST(a_bar_creeps_as_a_standard_linear_solid) {
    const sp_material_model models[4] = {SP_LINEAR, SP_COROTATIONAL, SP_STVK, SP_NEO_HOOKEAN};
    for (int i = 0; i < 4; i++) {
        double coarse = creep(models[i], 40), fine = creep(models[i], 80);
        printf("  model %d: strain off by %.2e and %.2e\n", (int)models[i], coarse, fine);
        CHECK(fabs(fine) < 4e-3);
        CHECK_NEAR(coarse / fine, 2, 0.1);  // order 1; the next term is some per cent of it
    }
}

// ------------------------------------------------------------------------------------------------ cycles

static const double amplitude = 1e-6, rate = 6.283185307179586;  // [m], [1/s]: one cycle per second

static void wave(const void *user, double t, sp_pose *out) {
    (void)user;
    *out = (sp_pose){.quat = {1, 0, 0, 0}, .translate = {amplitude * sin(rate * t), 0, 0}};
}

// Work per volume of the stress in the third cycle of a small stretch along x with held sides, by the trapezoidal rule, relative
// to the exact one.
static double cycle(int steps) {
    const double rest[3] = {1, 1, 1};
    cube k;
    double work = NAN, before = 0;
    if (!cube_open(&k, false, rest)) return NAN;
    k.move[0].pose = (sp_pose_signal){.eval = wave};
    sp_solid_def def = lab_solid(&k.b);
    def.model = SP_STVK;
    def.material = (sp_material){.density = 1, .young = LAW_YOUNG, .poisson = law_poisson};
    use_terms(&def, TERMS, terms);
    def.fixes = k.fix, def.fix_count = 3, def.moves = k.move, def.move_count = 3;
    if (lab_world(&k.b, &def, 0)) work = 0;
    for (int step = 1; step <= 3 * steps; step++) {
        if (lab_step(&k.b, 1.0 / steps) < 0) work = NAN;
        double *field = lab_field(&k.b, "stress"), stress = field[0];
        double from = amplitude * sin(rate * (step - 1) / steps), to = amplitude * sin(rate * step / steps);
        if (step > 2 * steps) work += 0.5 * (before + stress) * (to - from);
        before = stress;
        free(field);
    }
    double mu = LAW_YOUNG / (2 * (1 + law_poisson)), loss = 0;
    for (int i = 0; i < TERMS; i++) {
        double wt = rate * terms[2 * i + 1];
        loss += terms[2 * i] * wt / (1 + wt * wt);
    }
    cube_close(&k);
    return work / (3.14159265358979324 * amplitude * amplitude * 4. / 3 * mu * loss) - 1;
}

TEST(a_cycle_dissipates_what_the_loss_modulus_says) {
    double coarse = cycle(100), fine = cycle(200);
    printf("  work of a cycle off by %.2e and %.2e\n", coarse, fine);
    CHECK(fabs(fine) < 1e-3);
    // piecewise linear in time: order 2. The third cycle still has exp(-2 / 0.4) = 0.7 % of the transient of its slow term
    CHECK(fabs(coarse) < 5e-3);
}

// ------------------------------------------------------------------------------------------------ vibration

// A cantilever that is let go under gravity: energy never appears, and what the terms dissipate stops it far sooner than the
// integrator does.
static double swing(int count, sp_material_model model, sp_integrator_type type, bool *gains) {
    const double size[3] = {0.4, 0.08, 0.08};
    const int cells[3] = {10, 2, 2};
    sp_fix fix = {.axes = SP_AXES_ALL};
    lab b;
    if (!lab_context(&b) || sp_mesh_box(b.ctx, size, cells, 5, &b.mesh) < 0) return NAN;
    fix.nodes = plane_nodes(b.mesh, 0, 0, &fix.count);
    sp_solid_def def = lab_solid(&b);
    def.model = model;
    def.material = (sp_material){.density = 1000, .young = 1e6, .poisson = law_poisson};
    use_terms(&def, count, terms);
    def.fixes = &fix, def.fix_count = 1;
    def.integrator.type = type;
    double kinetic = NAN;
    *gains = true;
    if (lab_world(&b, &def, -9.81)) {
        *gains = false, kinetic = 0;
        for (int step = 1; step <= 300; step++) {
            *gains = *gains || lab_step(&b, 0.005) != SP_OK;
            if (step > 250) kinetic = fmax(kinetic, lab_measures(&b).kinetic);
        }
    }
    free((void *)(uintptr_t)fix.nodes);
    lab_close(&b);
    return kinetic;
}

TEST(a_viscous_beam_comes_to_rest_and_gains_no_energy) {
    const sp_material_model models[4] = {SP_COROTATIONAL, SP_STVK, SP_NEO_HOOKEAN, SP_COSTA};
    for (int i = 0; i < 4; i++) {
        bool gains[3];
        double elastic = swing(0, models[i], SP_NEWTON, &gains[0]), newton = swing(TERMS, models[i], SP_NEWTON, &gains[1]);
        double euler = swing(TERMS, models[i], SP_IMPLICIT_EULER, &gains[2]);
        printf("  model %d: kinetic energy %.1e J elastic, %.1e and %.1e J viscous\n", (int)models[i], elastic, newton, euler);
        CHECK(!gains[1] && !gains[2]);
        CHECK(newton < 0.1 * elastic && euler < 0.1 * elastic);
    }
}

// ------------------------------------------------------------------------------------------------ changes at a fixed state

static double contracting(const void *user, double t) {
    (void)user;
    return 0.2 * fmin(1, 4 * t);
}

static double stiffening(const void *user, double t) {
    (void)user;
    return t < 0.1 ? 1e4 : 2e4;
}

// largest energy that appears in a strip whose fibres contract, or that is stretched and becomes stiffer, relative to its energy
static double appears(sp_material_model model, bool contracts) {
    lab b;
    int count;
    if (!lab_context(&b) || sp_mesh_box(b.ctx, (double[]){0.2, 0.02, 0.02}, (int[]){10, 1, 1}, 6, &b.mesh) < 0) return NAN;
    int *wall = plane_nodes(b.mesh, 0, 0, &count), pulled_count, *pulled = plane_nodes(b.mesh, 0, 0.2, &pulled_count);
    const sp_fix fix = {wall, count, SP_AXES_ALL, 0};
    const sp_load load = {.type = SP_LOAD_FORCE, .items = pulled, .count = pulled_count, .value = {sp_signal_constant(1)}};
    sp_solid_def def = lab_solid(&b);
    def.model = model;
    def.material = (sp_material){.density = 1000, .young = 1e4, .poisson = law_poisson, .fibre = {1, 0, 0}};
    use_terms(&def, TERMS, terms);
    def.fixes = &fix, def.fix_count = 1;
    if (contracts)
        def.eigenstrains.body.active = (sp_signal){.eval = contracting};
    else
        def.young_of_time = (sp_signal){.eval = stiffening}, def.loads = &load, def.load_count = 1;
    double appeared = NAN, largest = 0;
    if (lab_world(&b, &def, 0))
        for (int step = 0; step < 50; step++) {
            CHECK(lab_step(&b, 0.01) == SP_OK);
            appeared = lab_measures(&b).appeared, largest = lab_measures(&b).energy_max;
        }
    free(wall), free(pulled);
    lab_close(&b);
    return appeared / largest;
}

// The terms take their shares of a change of the stress at once: that is work of the change, and no energy from nothing. Without
// it 3 % of the energy of the contraction appeared. Tolerance: the energy of the terms is that of small strains, while the strip
// strains by up to a fifth.
TEST(contraction_and_stiffening_of_viscous_materials_are_work) {
    const sp_material_model models[3] = {SP_COROTATIONAL, SP_NEO_HOOKEAN, SP_TENSOR_MASS};
    for (int i = 0; i < 3; i++)
        for (int contracts = 0; contracts < 2; contracts++) CHECK_NEAR(appears(models[i], contracts), 0, 1e-3);
}
