// Claims on membranes, triangles with a thickness under plane stress (docs/membranes.md): a distorted mesh in any plane of space
// reproduces a homogeneous state of every law, with the stress of an independent closed form; a balloon follows the pressure of
// membrane theory up to its limit point and converges with order 2; a flat strip under its weight has the sag of a stretched
// string; supports carry the weight of a hanging cloth; a cloth rests on a ball. Tolerances with the tests.
#include "material_laws.h"
#include "math/vec3.h"

static const double thickness = 2e-3;

static sp_solid_def membrane_solid(const lab *b) {
    sp_solid_def def = lab_solid(b);
    def.thickness = thickness;
    return def;
}

// ------------------------------------------------------------------------------------------------ patch test

// a plane in space, and the stretches along its axes with a rotation
static const double plane[9] = {0.36, 0.48, -0.8, -0.8, 0.6, 0, 0.48, 0.64, 0.6};
static const double turn[9] = {2. / 3, -1. / 3, 2. / 3, 2. / 3, 2. / 3, -1. / 3, -1. / 3, 2. / 3, 2. / 3};

// A sheet with jittered inner nodes, in the plane
static sp_status distorted_sheet(sp_context *ctx, sp_mesh **out) {
    sp_mesh *flat = NULL, *shaken = NULL;
    sp_status status = sp_mesh_sheet(ctx, (double[]){0.6, 0.4}, (int[]){5, 4}, true, &flat);
    if (status < 0) return status;
    const int n = sp_mesh_node_count(flat), elements = sp_mesh_element_count(flat);
    double *x = malloc(3 * (size_t)n * sizeof *x);
    sp_element_type *types = malloc((size_t)elements * sizeof *types);
    int *nodes = malloc(3 * (size_t)elements * sizeof *nodes);
    unsigned long long seed = 7;
    for (int i = 0; i < n; i++) {
        const double *X = sp_mesh_positions(flat) + 3 * i;
        double u = X[0], v = X[2];
        if (u > 1e-9 && u < 0.599) u += 0.02 * sp_test_random(&seed);
        if (v > 1e-9 && v < 0.399) v += 0.02 * sp_test_random(&seed);
        for (int k = 0; k < 3; k++) x[3 * i + k] = u * plane[k] + v * plane[3 + k] + 0.1;
    }
    for (int e = 0; e < elements; e++) {
        const int *own;
        types[e] = sp_mesh_element(flat, e, &own);
        memcpy(nodes + 3 * e, own, 3 * sizeof *nodes);
    }
    sp_mesh_def def = sp_mesh_def_default();
    def.node_count = n, def.positions = x, def.element_count = elements, def.element_types = types, def.element_nodes = nodes;
    status = sp_mesh_create(ctx, &def, &shaken);
    free(x), free(types), free(nodes);
    sp_mesh_destroy(&flat);
    *out = shaken;
    return status;
}

// Positions under the stretches s of the axes of the plane and the rotation; amount: inner nodes start beside them
static void stretched(const lab *b, const double s[3], const unsigned char *held, double amount, double *x) {
    unsigned long long seed = 3;
    for (int i = 0; i < b->nodes; i++) {
        const double *X = sp_mesh_positions(b->mesh) + 3 * i;
        double y[3] = {0};
        for (int a = 0; a < 2; a++)
            for (int k = 0; k < 3; k++) y[k] += (s[a] - 1) * sp__dot3(plane + 3 * a, X) * plane[3 * a + k];
        for (int k = 0; k < 3; k++) y[k] += X[k];
        sp__mul3(turn, y, x + 3 * i);
        for (int k = 0; k < 3; k++) x[3 * i + k] += held[i] ? 0 : amount * sp_test_random(&seed);
    }
}

// Newton's method with the exact tangent from inner nodes that are displaced in all directions by a tenth of an element.
// Tolerance: 1e-9 of the largest value, the residual force is 1e-12 of the first.
static void patch_test(const law_case *c) {
    lab b;
    REQUIRE(lab_context(&b));
    REQUIRE(distorted_sheet(b.ctx, &b.mesh) == SP_OK);
    b.nodes = sp_mesh_node_count(b.mesh);
    double s[3] = {1.2, 1.1, 1}, P[3], *x = malloc(6 * (size_t)b.nodes * sizeof *x), *start = x + 3 * b.nodes;
    unsigned char *held = calloc((size_t)b.nodes, 1);
    int *rim = malloc((size_t)b.nodes * sizeof *rim), count = 0;
    for (int i = 0; i < b.nodes; i++) {
        double d[3], u, v;
        for (int k = 0; k < 3; k++) d[k] = sp_mesh_positions(b.mesh)[3 * i + k] - 0.1;
        u = sp__dot3(d, plane), v = sp__dot3(d, plane + 3);
        held[i] = u < 1e-9 || u > 0.6 - 1e-9 || v < 1e-9 || v > 0.4 - 1e-9;
        if (held[i]) rim[count++] = i;
    }
    law_relax(c, (const int[3]){0, 0, 1}, s), law_stress(c, s, P);
    stretched(&b, s, held, 0, x), stretched(&b, s, held, 0.01, start);
    sp_fix fix = {rim, count, SP_AXES_ALL, 0};
    sp_solid_def def = membrane_solid(&b);
    use_law(&def, c);
    def.initial = start, def.fixes = &fix, def.fix_count = 1;
    def.integrator.type = SP_STATIC, def.integrator.iterations = 60, def.integrator.tolerance = 1e-12;
    def.solver.type = SP_SOLVER_CHOLESKY;
    REQUIRE(lab_world(&b, &def, 0));
    CHECK(lab_step(&b, 1) >= 0);
    double *q = lab_field(&b, "position"), *stress = lab_field(&b, "stress"), *ratio = lab_field(&b, "volume-ratio");
    double *strain = lab_field(&b, "strain"), worst = 0, off = 0, largest = 0;
    for (int i = 0; i < 3 * b.nodes; i++) worst = fmax(worst, fabs(q[i] - x[i]));
    CHECK_NEAR(worst, 0, 1e-9);
    // Cauchy: sum P_a s_a / J m_a m_a^T with the turned axes; Green-Lagrange: sum (s_a^2 - 1) / 2 e_a e_a^T
    static const int row[6] = {0, 1, 2, 0, 1, 2}, column[6] = {0, 1, 2, 1, 2, 0};
    double axis[9], J = s[0] * s[1] * s[2];
    for (int a = 0; a < 3; a++) sp__mul3(turn, plane + 3 * a, axis + 3 * a);
    for (int a = 0; a < 2; a++) largest = fmax(largest, fabs(P[a] * s[a] / J));
    for (int e = 0; e < b.tets; e++) {
        CHECK_NEAR(ratio[e], J, 1e-9);
        for (int k = 0; k < 6; k++) {
            double sigma = 0, E = 0;
            for (int a = 0; a < 3; a++) {
                if (a < 2) sigma += P[a] * s[a] / J * axis[3 * a + row[k]] * axis[3 * a + column[k]];
                E += 0.5 * (s[a] * s[a] - 1) * plane[3 * a + row[k]] * plane[3 * a + column[k]];
            }
            off = fmax(off, fabs(stress[6 * e + k] - sigma) / largest);
            CHECK_NEAR(strain[6 * e + k], E, 1e-9);
        }
    }
    CHECK_NEAR(off, 0, 1e-8);
    free(q), free(stress), free(ratio), free(strain), free(x), free(held), free(rim);
    lab_close(&b);
}

TEST(patch_of_membranes) {
    for (int n = 0; n < LAW_CASES; n++) patch_test(&law_cases[n]);
}

// ------------------------------------------------------------------------------------------------ balloon

// A sphere of a nearly incompressible neo-Hookean membrane: p = 2 mu h / R (1/l - 1/l^7) at the stretch l, largest at l = 7^(1/6)
// (Beatty 1987, doi:10.1115/1.3149545). Poles on the axes are held across these.
static const double radius = 0.1, shear = 1e4;

static double balloon_pressure(double l) {
    return 2 * shear * thickness / radius * (1 / l - pow(l, -7));
}

static double balloon_stretch(double p) {
    double low = 1, high = pow(7, 1. / 6);
    for (int i = 0; i < 100; i++) {
        double middle = 0.5 * (low + high);
        if (balloon_pressure(middle) > p)
            high = middle;
        else
            low = middle;
    }
    return low;
}

static bool balloon_open(lab *b, int cells) {
    const double all[3] = {radius, radius, radius};
    sp_mesh *ball = NULL;
    sp_trimesh *skin = NULL;
    if (!lab_context(b) || sp_mesh_sphere(b->ctx, all, cells, &ball) < 0) return false;
    bool made = sp_mesh_boundary(ball, &skin) >= 0 && sp_mesh_of_triangles(skin, &b->mesh) >= 0;
    sp_mesh_destroy(&ball), sp_trimesh_destroy(&skin);
    return made;
}

// the node at the end of an axis
static int pole(const sp_mesh *mesh, int axis) {
    int best = 0;
    for (int i = 0; i < sp_mesh_node_count(mesh); i++)
        if (sp_mesh_positions(mesh)[3 * i + axis] > sp_mesh_positions(mesh)[3 * best + axis]) best = i;
    return best;
}

// Status of the statics at a fraction of the largest pressure, in ten load steps; *stretch: volume^(1/3) over that at rest
static sp_status balloon(int cells, double fraction, double *stretch) {
    lab b;
    *stretch = NAN;
    if (!balloon_open(&b, cells)) return SP_NO_MEMORY;
    const int x = pole(b.mesh, 0), y = pole(b.mesh, 1), faces = sp_mesh_face_count(b.mesh);
    sp_fix fixes[2] = {{&x, 1, SP_AXIS_Y | SP_AXIS_Z, 0}, {&y, 1, SP_AXIS_X | SP_AXIS_Z, 0}};
    int *all = malloc((size_t)faces * sizeof *all);
    for (int i = 0; i < faces; i++) all[i] = i;
    sp_load load = {.type = SP_LOAD_PRESSURE, .items = all, .count = faces};
    load.value[0] = sp_signal_constant(-fraction * balloon_pressure(pow(7, 1. / 6)));
    sp_solid_def def = membrane_solid(&b);
    def.model = SP_NEO_HOOKEAN, def.form = SP_FORM_ISOCHORIC, def.tangent = SP_TANGENT_EXACT;
    def.material =
        (sp_material){.density = 1000, .young = 3 * shear, .poisson = 0.49, .bulk = 1e4 * shear, .coefficient_count = 1};
    def.material.coefficients[0] = shear;
    def.fixes = fixes, def.fix_count = 2, def.loads = &load, def.load_count = 1;
    def.integrator.type = SP_STATIC, def.integrator.load_steps = 10, def.integrator.iterations = 50;
    def.solver.type = SP_SOLVER_CHOLESKY;
    sp_status status = SP_BAD_INPUT;
    if (lab_world(&b, &def, 0)) {
        status = sp_world_step(b.world, 1);
        double *q = lab_field(&b, "position"), volume[2] = {0};
        for (int f = 0; f < faces; f++)
            for (int now = 0; now < 2; now++) {
                double m[9];
                for (int k = 0; k < 3; k++)
                    memcpy(m + 3 * k, (now ? q : sp_mesh_positions(b.mesh)) + 3 * sp_mesh_faces(b.mesh)[3 * f + k],
                           3 * sizeof *m);
                volume[now] += sp__det3(m);
            }
        *stretch = cbrt(volume[1] / volume[0]);
        free(q);
    }
    free(all);
    lab_close(&b);
    return status;
}

// At 0.9 of the largest pressure. The error is that of a sphere of flat triangles, of order 2 in their size.
TEST(balloon_up_to_its_limit_point) {
    const double expected = balloon_stretch(0.9 * balloon_pressure(pow(7, 1. / 6)));
    double error[2], stretch;
    for (int k = 0; k < 2; k++) {
        CHECK(balloon(3 << k, 0.9, &stretch) == SP_OK);
        error[k] = fabs(stretch / expected - 1);
    }
    printf("  stretch %.4f, errors %.2e %.2e: order %.2f\n", expected, error[0], error[1], log2(error[0] / error[1]));
    CHECK(error[1] < 0.01 && log2(error[0] / error[1]) > 1.7);
    // beyond the limit point there is no equilibrium near
    CHECK(balloon(3, 1.15, &stretch) != SP_OK);
}

// ------------------------------------------------------------------------------------------------ weight

// A strip of length L between two edges, Poisson's ratio 0: its tension T stretches it by 8/3 (d/L)^2 at the sag d = w L / (8 T)
// of a parabola, hence d/L = (3/64 w/(E h))^(1/3) with the weight per area w L. The shape is a catenary, whose sag differs by a
// fraction of (d/L)^2; polygons of n segments are too short by 1/n^2 of the excess.
TEST(sag_of_a_strip) {
    const double length = 1, young = 1e6, density = 1000, weight = density * 9.81 * length;
    const double expected = length * cbrt(3. / 64 * weight / young);
    const int cells[2] = {40, 1};
    lab b;
    int ends[4], count = 0;
    REQUIRE(lab_context(&b));
    REQUIRE(sp_mesh_sheet(b.ctx, (double[]){length, 0.05}, cells, true, &b.mesh) == SP_OK);
    b.nodes = sp_mesh_node_count(b.mesh);
    double *start = malloc(3 * (size_t)b.nodes * sizeof *start), low = 0;
    for (int i = 0; i < b.nodes; i++) {
        memcpy(start + 3 * i, sp_mesh_positions(b.mesh) + 3 * i, 3 * sizeof *start);
        double x = start[3 * i];
        start[3 * i + 1] = -0.1 * x * (length - x);  // a flat membrane has no stiffness across
        if ((x < 1e-9 || x > length - 1e-9) && count < 4) ends[count++] = i;
    }
    sp_fix fix = {ends, count, SP_AXES_ALL, 0};
    sp_solid_def def = membrane_solid(&b);
    def.tangent = SP_TANGENT_EXACT;
    def.material = (sp_material){.density = density, .young = young, .poisson = 0};
    def.initial = start, def.fixes = &fix, def.fix_count = 1;
    def.integrator.type = SP_STATIC, def.integrator.iterations = 100;
    def.solver.type = SP_SOLVER_CHOLESKY;
    REQUIRE(lab_world(&b, &def, -9.81));
    CHECK(lab_step(&b, 1) == SP_OK);
    double *q = lab_field(&b, "position");
    for (int i = 0; i < b.nodes; i++) low = fmin(low, q[3 * i + 1]);
    printf("  sag %.4f, theory %.4f\n", -low, expected);
    CHECK_NEAR(-low, expected, 0.01 * expected);
    CHECK_NEAR(lab_measures(&b).mass, density * length * 0.05 * thickness, 1e-12);
    free(q), free(start);
    lab_close(&b);
}

// height of a round sheet that is held by its edge under a small pressure, over that of Hencky's theory
static double drum(sp_material_model model, int rings) {
    const double size = 0.1, young = 1e6, share = 5e-4, expected = 0.6534 * size * cbrt(share);
    double result = NAN, top = 0;
    int count = 0;
    lab b;
    if (!lab_context(&b) || sp_mesh_disc(b.ctx, size, rings, &b.mesh) < 0) return NAN;
    const int nodes = sp_mesh_node_count(b.mesh), faces = sp_mesh_face_count(b.mesh);
    double *start = malloc(3 * (size_t)nodes * sizeof *start);
    int *edge = malloc((size_t)nodes * sizeof *edge), *all = malloc((size_t)faces * sizeof *all);
    for (int i = 0; i < faces; i++) all[i] = i;
    for (int i = 0; i < nodes; i++) {
        memcpy(start + 3 * i, sp_mesh_positions(b.mesh) + 3 * i, 3 * sizeof *start);
        double r = hypot(start[3 * i], start[3 * i + 2]) / size;
        start[3 * i + 1] = expected * (1 - r * r);  // a flat membrane has no stiffness across
        if (r > 1 - 1e-9) edge[count++] = i;
    }
    sp_fix fix = {edge, count, SP_AXES_ALL, 0};
    sp_load load = {.type = SP_LOAD_PRESSURE, .items = all, .count = faces};
    load.value[0] = sp_signal_constant(-share * young * thickness / size);
    sp_solid_def def = membrane_solid(&b);
    def.model = model, def.tangent = SP_TANGENT_EXACT;
    def.material = (sp_material){.density = 1000, .young = young, .poisson = 0.3};
    def.initial = start, def.fixes = &fix, def.fix_count = 1, def.loads = &load, def.load_count = 1;
    def.integrator.type = SP_STATIC, def.integrator.iterations = 60;
    def.solver.type = SP_SOLVER_CHOLESKY;
    if (lab_world(&b, &def, 0) && lab_step(&b, 1) == SP_OK) {
        double *q = lab_field(&b, "position");
        for (int i = 0; i < nodes; i++) top = fmax(top, fabs(q[3 * i + 1]));
        result = top / expected;
        free(q);
    }
    free(start), free(edge), free(all);
    lab_close(&b);
    return result;
}

// Hencky's series for Poisson's ratio 0.3 has w = 0.6534 R (p R / (E h))^(1/3), to first order in the strain, which is 0.4 %.
TEST(a_drum_rises_as_hencky_says) {
    static const sp_material_model models[3] = {SP_COROTATIONAL, SP_NEO_HOOKEAN, SP_TENSOR_MASS};
    for (int i = 0; i < 3; i++) {
        double height = drum(models[i], 12);
        printf("  model %d: %.4f of Hencky's height\n", (int)models[i], height);
        CHECK_NEAR(height, 1, 0.008);
    }
}

// A cloth that hangs by two corners comes to rest; its supports then carry the weight. Tolerance: what is left of the motion,
// which damping of 3/s has reduced for 6 s.
static void hanging(sp_material_model model, sp_integrator_type integrator) {
    const int cells[2] = {8, 8};
    lab b;
    int corners[2] = {-1, -1};
    REQUIRE(lab_context(&b));
    REQUIRE(sp_mesh_sheet(b.ctx, (double[]){0.5, 0.5}, cells, true, &b.mesh) == SP_OK);
    for (int i = 0; i < sp_mesh_node_count(b.mesh); i++) {
        const double *X = sp_mesh_positions(b.mesh) + 3 * i;
        if (X[2] < 1e-9 && X[0] < 1e-9) corners[0] = i;
        if (X[2] < 1e-9 && X[0] > 0.5 - 1e-9) corners[1] = i;
    }
    sp_fix fix = {corners, 2, SP_AXES_ALL, 0};
    sp_solid_def def = membrane_solid(&b);
    def.model = model, def.material.young = 1e5, def.material.density = 200;
    def.fixes = &fix, def.fix_count = 1;
    def.rayleigh_mass = 3, def.rayleigh_stiffness = 0.01;
    def.integrator.type = integrator;
    REQUIRE(lab_world(&b, &def, -9.81));
    CHECK(lab_steps(&b, 0.02, 300) >= 0);
    double *force = lab_field(&b, "force"), sum[3] = {0}, weight = 200 * 0.25 * thickness * 9.81;
    for (int i = 0; i < b.nodes; i++)
        for (int k = 0; k < 3; k++) sum[k] += force[3 * i + k];
    for (int k = 0; k < 3; k++) CHECK_NEAR(sum[k], k == 1 ? weight : 0, 0.01 * weight);
    CHECK(lab_measures(&b).kinetic < 1e-4 * weight * 0.5);
    free(force);
    lab_close(&b);
}

TEST(supports_carry_a_hanging_cloth) {
    hanging(SP_COROTATIONAL, SP_IMPLICIT_EULER);
    hanging(SP_NEO_HOOKEAN, SP_NEWTON);
}

// ------------------------------------------------------------------------------------------------ refusals

TEST(membranes_have_a_thickness_and_triangles_only) {
    lab b;
    sp_mesh *box = NULL;
    REQUIRE(lab_context(&b));
    REQUIRE(sp_mesh_sheet(b.ctx, (double[]){1, 1}, (int[]){2, 2}, false, &b.mesh) == SP_OK);
    REQUIRE(sp_mesh_box(b.ctx, (double[]){1, 1, 1}, (int[]){1, 1, 1}, 5, &box) == SP_OK);
    sp_solid_def def = lab_solid(&b);
    REQUIRE(sp_world_create(b.ctx, NULL, &b.world) == SP_OK);
    static const double wrong[4] = {0, -1, INFINITY, NAN};
    for (int i = 0; i < 4; i++) {
        def.thickness = wrong[i];
        CHECK_INT(sp_world_add_solid(b.world, &def, NULL), SP_BAD_INPUT);
        CHECK(strstr(sp_world_error(b.world)->message, "thickness"));
    }
    def.mesh = box, def.thickness = 1e-3;
    CHECK_INT(sp_world_add_solid(b.world, &def, NULL), SP_BAD_INPUT);
    CHECK(strstr(sp_world_error(b.world)->message, "volume elements"));
    def.mesh = b.mesh;
    def.solver.type = SP_SOLVER_UPDATED_CHOLESKY;
    CHECK_INT(sp_world_add_solid(b.world, &def, NULL), SP_BAD_INPUT);
    def.solver.type = SP_SOLVER_CG, def.rotation = SP_ROTATION_QR;
    CHECK_INT(sp_world_add_solid(b.world, &def, NULL), SP_BAD_INPUT);
    def.rotation = SP_ROTATION_SVD;
    // what needs a direction, a memory or volumes
    def.model = SP_COSTA;
    CHECK_INT(sp_world_add_solid(b.world, &def, NULL), SP_BAD_INPUT);
    CHECK(strstr(sp_world_error(b.world)->message, "is a triangle"));
    def.model = SP_NEO_HOOKEAN, def.material.fibre_young = 1e5, def.material.fibre[0] = 1;
    CHECK_INT(sp_world_add_solid(b.world, &def, NULL), SP_BAD_INPUT);
    CHECK(strstr(sp_world_error(b.world)->message, "is a triangle"));
    def.material.fibre_young = def.material.fibre[0] = 0;
    CHECK_INT(sp_world_add_solid(b.world, &def, NULL), SP_OK);
    sp_mesh_destroy(&box);
    lab_close(&b);
}

// ------------------------------------------------------------------------------------------------ contact

// A cloth that falls on a ball: contact by constraints and by penalty carry its weight from either side of the cloth, and no node
// goes through. Friction holds the cloth; the tolerance is what is left of the motion after 1 s.
static void on_a_ball(sp_contact_formulation formulation, bool turned) {
    const double ball_radius = 0.2, weight = 300 * 0.16 * thickness * 9.81;
    lab b;
    REQUIRE(lab_context(&b));
    sp_mesh *sheet = NULL;
    sp_pose over = sp_pose_identity();
    over.translate[0] = over.translate[2] = -0.2, over.translate[1] = ball_radius + 1e-3;
    if (turned) over.quat[0] = 0, over.quat[1] = 1, over.translate[2] = 0.2;  // half a turn about x
    REQUIRE(sp_mesh_sheet(b.ctx, (double[]){0.4, 0.4}, (int[]){6, 6}, true, &sheet) == SP_OK);
    REQUIRE(sp_mesh_transformed(sheet, NULL, &over, &b.mesh) == SP_OK);
    sp_solid_def def = membrane_solid(&b);
    def.material.young = 3e4, def.material.density = 300, def.rayleigh_mass = 4, def.rayleigh_stiffness = 0.01;
    REQUIRE(lab_world(&b, &def, -9.81));
    const sp_rigid_shape shape = {.type = SP_SPHERE, .size = {ball_radius}, .pose = sp_pose_identity()};
    sp_rigid_def ball = sp_rigid_def_default();
    ball.name = "ball", ball.shapes = &shape, ball.shape_count = 1;
    REQUIRE(sp_world_add_rigid(b.world, &ball, NULL) == SP_OK);
    sp_contact_def contact = sp_contact_def_default();
    contact.formulation = formulation, contact.friction = 0.8;
    REQUIRE(sp_world_set_contact(b.world, &contact) == SP_OK);
    CHECK(lab_steps(&b, 0.02, 50) >= 0);
    double *q = lab_field(&b, "position"), least = INFINITY;
    for (int i = 0; i < b.nodes; i++) least = fmin(least, sp__norm3(q + 3 * i));
    CHECK(least > ball_radius - 2e-3);
    double v = lab_measures(&b).momentum[1], before = v;
    CHECK(lab_step(&b, 0.02) >= 0);
    v = lab_measures(&b).momentum[1];
    // the force on the cloth is that which stops its fall
    CHECK_NEAR((v - before) / 0.02, 0, 0.05 * weight);
    free(q);
    sp_mesh_destroy(&sheet);
    lab_close(&b);
}

TEST(a_cloth_rests_on_a_ball) {
    for (int turned = 0; turned < 2; turned++) {
        on_a_ball(SP_CONTACT_PENALTY, turned);
        on_a_ball(SP_CONTACT_PROXIMITY, turned);
    }
}
