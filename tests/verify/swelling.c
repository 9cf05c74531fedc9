// Claim: swell is a stress-free deformation (1 + s) I of the material.
//
// - on supports that are statically determinate a body grows by 1 + s without stress, with every law and every element
// - a bar that swells between two walls has the force of the law at the stretch 1 / (1 + s), in a section that has grown
// - a strip of two layers has Timoshenko's curvature (Analysis of bi-metal thermostats, 1925), with Poisson's ratio 0 exactly:
// between
//   the ends all displacements are quadratic, and quadratic tetrahedra contain them
// - forces are the derivative of the energy, the tangent that of the forces
// - what an activation adds is in the energy balance as work, and nothing appears
// - swell="0" is not another path; mirrored elements are counted; wrong values are refused
#include "element.h"
#include "element_boxes.h"
#include "material_laws.h"

static const double size[3] = {0.3, 0.2, 0.15};
static const int cells[3] = {3, 2, 2};

static int corner_node(const sp_mesh *mesh, double x, double y, double z) {
    for (int i = 0; i < sp_mesh_node_count(mesh); i++) {
        const double *p = sp_mesh_positions(mesh) + 3 * (size_t)i;
        if (fabs(p[0] - x) + fabs(p[1] - y) + fabs(p[2] - z) < 1e-9) return i;
    }
    return -1;
}

// six conditions that no uniform growth about the origin violates
static void determinate(const sp_mesh *mesh, const double box[3], int node[3], sp_fix fix[3]) {
    node[0] = corner_node(mesh, 0, 0, 0), node[1] = corner_node(mesh, box[0], 0, 0), node[2] = corner_node(mesh, 0, box[1], 0);
    fix[0] = (sp_fix){node, 1, SP_AXES_ALL, 0}, fix[1] = (sp_fix){node + 1, 1, 6, 0}, fix[2] = (sp_fix){node + 2, 1, 4, 0};
}

static void static_solver(sp_solid_def *def) {
    def->integrator.type = SP_STATIC, def->integrator.tolerance = 1e-11, def->integrator.iterations = 100;
    def->solver.type = SP_SOLVER_CHOLESKY;
}

// ------------------------------------------------------------------------------------------------ free swelling

// Positions: 1e-9 of the size is what the tolerance of the static solution leaves.
static void check_free(sp_element_type type, const law_case *c, double swell) {
    lab b;
    int node[3];
    sp_fix fix[3];
    REQUIRE(lab_context(&b) && element_box(b.ctx, type, size, cells, 0.15, &b.mesh) == SP_OK);
    sp_solid_def def = lab_solid(&b);
    use_law(&def, c);
    static_solver(&def);
    determinate(b.mesh, size, node, fix);
    def.fixes = fix, def.fix_count = 3, def.eigenstrains.body.swell = sp_signal_constant(swell);
    REQUIRE(lab_world(&b, &def, 0));
    CHECK(lab_step(&b, 1) == SP_OK);
    double *x = lab_field(&b, "position"), *stress = lab_field(&b, "von-mises"), *ratio = lab_field(&b, "volume-ratio");
    for (int i = 0; i < 3 * b.nodes; i++) CHECK_NEAR(x[i], (1 + swell) * sp_mesh_positions(b.mesh)[i], 1e-9);
    CHECK_NEAR(stress[0] / LAW_YOUNG, 0, 1e-7);
    CHECK_NEAR(ratio[0] / pow(1 + swell, 3), 1, 1e-8);
    sp_body_measures n = lab_measures(&b);
    CHECK_NEAR(n.volume / n.rest_volume / pow(1 + swell, 3), 1, 1e-8);
    CHECK_NEAR(n.mass / n.rest_volume, 1000, 1e-9);
    CHECK(n.elastic <= 1e-14 * LAW_YOUNG * n.rest_volume && n.inverted == 0);
    free(x), free(stress), free(ratio);
    lab_close(&b);
}

TEST(a_free_body_swells_without_stress) {
    static const law_case linear = {.name = "linear", .model = SP_LINEAR};
    for (int t = 0; t < 3; t++) {
        check_free(solid_types[t], &linear, 0.25);
        for (int k = 0; k < LAW_CASES; k++) check_free(solid_types[t], &law_cases[k], k % 2 ? 0.25 : -0.2);
    }
}

// ------------------------------------------------------------------------------------------------ between two walls

// Force per rest area of neo-Hookean "log" between walls: with the elastic stretches e = 1 / (1 + s) and t across,
// mu (t - 1/t) + lambda ln(e t^2) / t = 0 and P = (1 + s)^2 (mu (e - 1/e) + lambda ln(e t^2) / e).
static double walls_force(double mu, double lambda, double s) {
    double e = 1 / (1 + s), low = 0.5, high = 2;
    for (int i = 0; i < 100; i++) {
        double t = 0.5 * (low + high);
        if (mu * (t - 1 / t) + lambda * log(e * t * t) / t > 0)
            high = t;
        else
            low = t;
    }
    return (1 + s) * (1 + s) * (mu * (e - 1 / e) + lambda * log(e * low * low) / e);
}

TEST(a_bar_between_walls_pushes) {
    const double mu = LAW_YOUNG / 2.6, lambda = LAW_YOUNG * 0.3 / (1.3 * 0.4);
    for (int t = 0; t < 3; t++)
        for (int k = 0; k < 2; k++) {
            // curved tetrahedra do not pass the patch test (docs/elements.md)
            const double swell = k ? -0.1 : 0.2, distortion = solid_types[t] == SP_ELEMENT_TET10 ? 0 : 0.15;
            lab b;
            int n[3];
            sp_fix fix[4];
            REQUIRE(lab_context(&b) && element_box(b.ctx, solid_types[t], size, cells, distortion, &b.mesh) == SP_OK);
            int *ends[2] = {plane_nodes(b.mesh, 0, 0, &n[0]), plane_nodes(b.mesh, 0, size[0], &n[1])}, corner[3];
            sp_solid_def def = lab_solid(&b);
            use_law(&def, &law_cases[3]);
            static_solver(&def);
            determinate(b.mesh, size, corner, fix);
            fix[3] = (sp_fix){ends[0], n[0], 1, 0};
            const sp_fix all[5] = {fix[0], fix[1], fix[2], fix[3], {ends[1], n[1], 1, 0}};
            def.fixes = all, def.fix_count = 5, def.eigenstrains.body.swell = sp_signal_constant(swell);
            REQUIRE(lab_world(&b, &def, 0));
            CHECK(lab_step(&b, 1) == SP_OK);
            double *force = lab_field(&b, "force"), sum = 0;
            for (int i = 0; i < n[1]; i++) sum += force[3 * ends[1][i]];
            // 1e-8: tolerance of the static solution
            CHECK_NEAR(sum / (size[1] * size[2]) / walls_force(mu, lambda, swell), 1, 1e-8);
            free(force), free(ends[0]), free(ends[1]);
            lab_close(&b);
        }
}

// ------------------------------------------------------------------------------------------------ two layers

// m: ratio of thicknesses, n: ratio of moduli, of layer 1 to layer 2
static double bimetal_curvature(double strain, double h, double m, double n) {
    return 6 * strain * (1 + m) * (1 + m) / (h * (3 * (1 + m) * (1 + m) + (1 + m * n) * (m * m + 1 / (m * n))));
}

// The lower third swells and is `ratio` times as stiff. Curvature from second differences between 8 and 12 thicknesses from the
// left end, where the disturbance of the ends has decayed by exp(-4.2 * 8). Tolerance: the strain
// itself, because the stiffness is that of the swollen shape.
TEST(two_layers_bend_as_timoshenko_says) {
    const double strip[3] = {0.2, 0.01, 0.005}, strain = 1e-6, ratio = 3;
    const int many[3] = {40, 3, 1};
    lab b;
    int node[3];
    sp_fix fix[3];
    REQUIRE(lab_context(&b) && element_box(b.ctx, SP_ELEMENT_TET10, strip, many, 0, &b.mesh) == SP_OK);
    int n = sp_mesh_element_count(b.mesh), *region = calloc((size_t)n, sizeof *region);
    for (int e = 0; e < n; e++) {
        double x[3];
        sp_mesh_element_point(b.mesh, e, NULL, x);
        region[e] = x[1] < strip[1] / 3;
    }
    const sp_material stiff = {.density = NAN, .young = ratio * 1e6, .poisson = NAN};
    const sp_eigenstrain swells = {sp_signal_constant(strain), sp_signal_constant(NAN)};
    sp_solid_def def = lab_solid(&b);
    static_solver(&def);
    determinate(b.mesh, strip, node, fix);
    def.model = SP_LINEAR, def.material = (sp_material){.density = 1000, .young = 1e6, .poisson = 0};
    def.regions = &stiff, def.region_count = 1, def.element_region = region, def.eigenstrains.regions = &swells;
    def.fixes = fix, def.fix_count = 3;
    REQUIRE(lab_world(&b, &def, 0));
    CHECK(lab_step(&b, 1) == SP_OK);
    double *u = lab_field(&b, "displacement"), y[3];
    for (int k = 0; k < 3; k++) y[k] = u[3 * corner_node(b.mesh, 0.08 + 0.02 * k, 0, 0) + 1];
    // the lower side is longer: the ends turn up
    CHECK_NEAR((y[0] - 2 * y[1] + y[2]) / 4e-4 / bimetal_curvature(strain, strip[1], 0.5, ratio), 1, 1e-6);
    free(u), free(region);
    lab_close(&b);
}

// ------------------------------------------------------------------------------------------------ derivatives

static void random_state(const specimen *s, double amount, double *x) {
    unsigned long long seed = 11;
    for (int i = 0; i < 3 * s->nodes; i++) x[i] = sp_mesh_positions(s->mesh)[i] + amount * sp_test_random(&seed);
}

// Central differences with steps of 1e-6 of a size of about 1: errors of 1e-8 of the largest entries.
static void check_derivatives(sp_element_type type, const law_case *c, const sp_eigenstrain *strain) {
    const double unit[3] = {1, 1, 1}, h = 1e-6;
    const int one[3] = {1, 1, 1};
    specimen s;
    REQUIRE(specimen_context(&s) && element_box(s.ctx, type, unit, one, 0, &s.mesh) >= 0);
    sp_solid_def def = sp_solid_def_default();
    use_law(&def, c);
    def.eigenstrains.body = *strain;
    REQUIRE(specimen_open(&s, def, "cpu"));
    int n = 3 * s.nodes;
    double *x = calloc(4 * (size_t)n, sizeof *x), *f = x + n, *more = f + n, *less = more + n,
           *K = calloc((size_t)n * (size_t)n, sizeof *K), most = 0, force = 0;
    random_state(&s, 0.05, x);
    specimen_stiffness(&s, x, K);
    specimen_force(&s, x, f);
    for (int i = 0; i < n * n; i++) most = fmax(most, fabs(K[i]));
    for (int i = 0; i < n; i++) force = fmax(force, fabs(f[i]));
    for (int i = 0; i < n; i += 5) {
        const double at = x[i];
        x[i] = at + h;
        double high = specimen_force(&s, x, more);
        x[i] = at - h;
        double low = specimen_force(&s, x, less);
        x[i] = at;
        CHECK_NEAR((low - high) / (2 * h), f[i], 1e-7 * fmax(force, LAW_YOUNG));
        for (int j = 0; j < n; j++) CHECK_NEAR((less[j] - more[j]) / (2 * h), K[(size_t)j * (size_t)n + (size_t)i], 1e-7 * most);
    }
    free(x), free(K);
    specimen_close(&s);
}

TEST(derivatives_of_a_swollen_element) {
    const sp_eigenstrain swells = {.swell = sp_signal_constant(0.3)};
    for (int t = 0; t < 3; t++)
        for (int k = 0; k < LAW_CASES; k++) check_derivatives(solid_types[t], &law_cases[k], &swells);
}

// ------------------------------------------------------------------------------------------------ in time

static double breath(const void *user, double t) {
    (void)user;
    return 0.1 * (1 - cos(20 * t));
}

static sp_solid_def breathing(const lab *b) {
    sp_solid_def def = lab_solid(b);
    def.model = SP_NEO_HOOKEAN, def.material = (sp_material){.density = 1000, .young = 1e4, .poisson = 0.3};
    def.eigenstrains.body.swell = (sp_signal){.eval = breath};
    def.integrator.type = SP_NEWTON, def.integrator.tolerance = 1e-10, def.solver.tolerance = 1e-11;
    return def;
}

// Every node is held: what the energy rises is the work of the activation, and only that.
TEST(activation_of_a_held_body_is_work) {
    for (int t = 0; t < 3; t++) {
        lab b;
        double first = 0;
        REQUIRE(lab_context(&b) && element_box(b.ctx, solid_types[t], size, cells, 0.1, &b.mesh) == SP_OK);
        int n = sp_mesh_node_count(b.mesh), *all = calloc((size_t)n, sizeof *all);
        for (int i = 0; i < n; i++) all[i] = i;
        const sp_fix fix = {all, n, SP_AXES_ALL, 0};
        sp_solid_def def = breathing(&b);
        def.fixes = &fix, def.fix_count = 1;
        REQUIRE(lab_world(&b, &def, 0));
        for (int k = 0; k < 8; k++) {
            CHECK(lab_step(&b, 0.01) == SP_OK);
            sp_body_measures now = lab_measures(&b);
            if (k == 0) first = now.elastic;
            CHECK_NEAR(now.elastic - first, now.work.edits, 1e-12 * now.elastic);
            CHECK(now.elastic > first || k == 0);
            CHECK(now.appeared <= 1e-12 * now.elastic && now.work.pins == 0);
        }
        free(all);
        lab_close(&b);
    }
}

// A free body breathes and swings. The activation works, the integrator loses energy, and none appears; the momentum stays zero.
TEST(activation_of_a_free_body_adds_no_energy_of_its_own) {
    for (int t = 0; t < 3; t++) {
        lab b;
        REQUIRE(lab_context(&b) && element_box(b.ctx, solid_types[t], size, cells, 0.1, &b.mesh) == SP_OK);
        sp_solid_def def = breathing(&b);
        REQUIRE(lab_world(&b, &def, 0));
        double most = 0;
        for (int k = 0; k < 60; k++) {
            sp_step_info info;
            CHECK(lab_step(&b, 0.01) == SP_OK);
            sp_world_step_info(b.world, &info);
            CHECK(!(info.reservations >> SP_ENERGY_GAIN & 1));
            most = fmax(most, lab_measures(&b).kinetic);
        }
        sp_body_measures n = lab_measures(&b);
        // as far as the solver balances the forces
        CHECK(n.work.edits > most && n.appeared <= 1e-8 * n.work.edits && most > 0);
        for (int k = 0; k < 3; k++) CHECK_NEAR(n.momentum[k], 0, 1e-8 * sqrt(2 * n.mass * most));
        lab_close(&b);
    }
}

// ------------------------------------------------------------------------------------------------ states and definitions

TEST(mirrored_elements_are_counted) {
    for (int t = 0; t < 3; t++) {
        lab b;
        REQUIRE(lab_context(&b) && element_box(b.ctx, solid_types[t], size, cells, 0, &b.mesh) == SP_OK);
        int n = sp_mesh_node_count(b.mesh);
        double *x = malloc(3 * (size_t)n * sizeof *x);
        for (int i = 0; i < 3 * n; i++) x[i] = (i % 3 ? 1 : -1) * sp_mesh_positions(b.mesh)[i];
        sp_solid_def def = lab_solid(&b);
        def.initial = x, def.eigenstrains.body.swell = sp_signal_constant(0.3);
        REQUIRE(lab_world(&b, &def, 0));
        sp_body_measures now = lab_measures(&b);
        CHECK_INT(now.inverted, sp_mesh_element_count(b.mesh));
        CHECK_NEAR(now.volume / now.rest_volume, -1, 1e-12);
        free(x);
        lab_close(&b);
    }
}

// a sheared body, so that strain, rotation and stress differ from those at rest: fields of the whole deformation do not depend on
// the swelling, stresses do
TEST(fields_are_of_the_whole_deformation) {
    static const char *const whole[] = {"strain", "rotation", "volume-ratio"};
    for (int t = 0; t < 3; t++) {
        double *field[2][3], *stress[2];
        for (int k = 0; k < 2; k++) {
            lab b;
            REQUIRE(lab_context(&b) && element_box(b.ctx, solid_types[t], size, cells, 0.1, &b.mesh) == SP_OK);
            int n = sp_mesh_node_count(b.mesh);
            double *x = malloc(3 * (size_t)n * sizeof *x);
            for (int i = 0; i < 3 * n; i++)
                x[i] = sp_mesh_positions(b.mesh)[i] + (i % 3 == 0) * 0.3 * sp_mesh_positions(b.mesh)[i + 1];
            sp_solid_def def = lab_solid(&b);
            def.model = SP_NEO_HOOKEAN, def.initial = x, def.eigenstrains.body.swell = sp_signal_constant(k ? 0.3 : 0);
            REQUIRE(lab_world(&b, &def, 0));
            for (int i = 0; i < 3; i++) field[k][i] = lab_field(&b, whole[i]);
            stress[k] = lab_field(&b, "von-mises");
            for (int c = 0; k && c < 20; c++) {
                for (int i = 0; i < 3; i++) CHECK_NEAR(field[1][i][c], field[0][i][c], 1e-12);
                CHECK(fabs(stress[1][c] / stress[0][c] - 1) > 0.01);
            }
            free(x);
            lab_close(&b);
        }
        for (int k = 0; k < 2; k++) {
            for (int i = 0; i < 3; i++) free(field[k][i]);
            free(stress[k]);
        }
    }
}

TEST(wrong_eigenstrains_are_refused) {
    lab b;
    REQUIRE(lab_context(&b) && element_box(b.ctx, SP_ELEMENT_TET4, size, cells, 0, &b.mesh) == SP_OK);
    REQUIRE(sp_world_create(b.ctx, NULL, &b.world) == SP_OK);
    const double wrong[] = {-0.95, 11, INFINITY};
    double *own = calloc((size_t)sp_mesh_element_count(b.mesh), sizeof *own);
    for (int k = 0; k < 3; k++) {
        sp_solid_def def = lab_solid(&b);
        def.eigenstrains.body.swell = sp_signal_constant(wrong[k]);
        CHECK_INT(sp_world_add_solid(b.world, &def, NULL), SP_BAD_INPUT);
        CHECK(strstr(sp_world_error(b.world)->message, "must be in [-0.9, 10]"));
    }
    sp_solid_def def = lab_solid(&b);
    own[3] = 20, def.eigenstrains.element_swell = own;
    CHECK_INT(sp_world_add_solid(b.world, &def, NULL), SP_BAD_INPUT);
    CHECK(strstr(sp_world_error(b.world)->message, "element 3: swell = 20"));
    own[3] = NAN, def.rotation = SP_ROTATION_QR;
    CHECK_INT(sp_world_add_solid(b.world, &def, NULL), SP_BAD_INPUT);
    def.rotation = SP_ROTATION_SVD;
    CHECK_INT(sp_world_add_solid(b.world, &def, NULL), SP_OK);
    free(own);
    lab_close(&b);
}
