// Claim: each region of a mesh follows its own law. A bar whose sides are held, so that it stretches along x only, is two springs
// in series: one nominal stress, and in each half the stretch that its law has there. Every pair of laws, and one law with two
// sets of coefficients. Tolerance: 1e-10 of the length, as in materials_homogeneous.c.
#include "material_laws.h"

static const double length = 2, thick = 0.5;

// the stretch along x, others held at 1, with the nominal stress t: bisection
static double stretch_under(const law_case *c, double t) {
    double low = 0.3, high = 3, P[3];
    for (int i = 0; i < 200; i++) {
        double middle = 0.5 * (low + high);
        law_stress(c, (double[3]){middle, 1, 1}, P);
        if (P[0] < t)
            low = middle;
        else
            high = middle;
    }
    return 0.5 * (low + high);
}

static void set_material(const law_case *c, sp_material *m, sp_solid_law *law) {
    sp_solid_def def = sp_solid_def_default();
    use_law(&def, c);
    *m = def.material;
    *law = (sp_solid_law){.model = def.model, .tangent = def.tangent, .form = def.form, .volumetric = def.volumetric};
}

static int *second_half(const sp_mesh *mesh) {
    int n = sp_mesh_element_count(mesh), *region = calloc((size_t)n, sizeof *region);
    for (int e = 0; e < n; e++) {
        double x = 0;
        for (int k = 0; k < 4; k++) x += sp_mesh_positions(mesh)[3 * sp_mesh_tets(mesh)[4 * e + k]] / 4;
        region[e] = x > length / 2;
    }
    return region;
}

// `a` in the half at the wall, `b` in the other
static void series(const law_case *a, const law_case *b, double t) {
    lab l;
    REQUIRE(lab_context(&l));
    REQUIRE(sp_mesh_box(l.ctx, (double[3]){length, thick, thick}, (int[3]){4, 2, 2}, 6, &l.mesh) == SP_OK);
    int n = sp_mesh_node_count(l.mesh), *all = calloc((size_t)n, sizeof *all), *region = second_half(l.mesh), wall_count,
        face_count;
    for (int i = 0; i < n; i++) all[i] = i;
    int *wall = plane_nodes(l.mesh, 0, 0, &wall_count), *faces = plane_faces(l.mesh, 0, length, &face_count);
    sp_fix fixes[2] = {{wall, wall_count, SP_AXIS_X, 0}, {all, n, SP_AXIS_Y | SP_AXIS_Z, 0}};
    sp_load pull = {.type = SP_LOAD_TRACTION, .items = faces, .count = face_count};
    pull.value[0] = sp_signal_constant(t);
    sp_solid_def def = lab_solid(&l);
    sp_material other;
    sp_solid_law law;
    use_law(&def, a);
    set_material(b, &other, &law);
    def.regions = &other, def.region_laws = &law, def.region_count = 1, def.element_region = region;
    def.fixes = fixes, def.fix_count = 2;
    def.loads = &pull, def.load_count = 1;
    def.integrator.type = SP_STATIC;
    def.integrator.iterations = 60;
    def.integrator.tolerance = 1e-12;
    def.solver.type = SP_SOLVER_CHOLESKY;
    REQUIRE(lab_world(&l, &def, 0));
    CHECK_INT(lab_step(&l, 1), SP_OK);
    double s[2] = {stretch_under(a, t), stretch_under(b, t)}, worst = 0, *x = lab_field(&l, "position");
    for (int i = 0; i < n; i++) {
        double X = sp_mesh_positions(l.mesh)[3 * i], beyond = fmax(0, X - length / 2);
        worst = fmax(worst, fabs(x[3 * i] - (s[0] * (X - beyond) + s[1] * beyond)));
    }
    printf("  %-22s %.4f, %-22s %.4f: apart by %.1e\n", a->name, s[0], b->name, s[1], worst);
    CHECK(fabs(s[0] - s[1]) > 1e-4);
    CHECK_NEAR(worst, 0, 1e-10 * length);
    free(all), free(region), free(wall), free(faces), free(x);
    lab_close(&l);
}

TEST(two_laws_in_one_bar) {
    for (int i = 0; i < LAW_CASES; i++)
        for (int k = 1; k < 4; k++) series(&law_cases[i], &law_cases[(i + k) % LAW_CASES], 4000);
}

TEST(two_sets_of_coefficients_of_one_law) {
    for (int i = 0; i < LAW_CASES; i++) {
        law_case stiff = law_cases[i];
        if (!stiff.count) continue;
        stiff.bulk *= 2;
        for (int k = 0; k < stiff.count; k += stiff.model == SP_OGDEN ? 2 : 1)
            if (k == 0 || stiff.model == SP_OGDEN) stiff.coefficient[k] *= 3;
        series(&law_cases[i], &stiff, 5000);
        series(&stiff, &law_cases[i], -2000);
    }
}

// A region that covers the body makes it a body of that law: the same bits.
TEST(region_of_the_whole_body) {
    for (int i = 0; i < LAW_CASES; i++) {
        uint64_t hash[2];
        for (int k = 0; k < 2; k++) {
            lab l;
            REQUIRE(lab_context(&l));
            REQUIRE(sp_mesh_box(l.ctx, (double[3]){length, thick, thick}, (int[3]){4, 2, 2}, 6, &l.mesh) == SP_OK);
            int count, *wall = plane_nodes(l.mesh, 0, 0, &count), n = sp_mesh_element_count(l.mesh);
            int *region = calloc((size_t)n, sizeof *region);
            for (int e = 0; e < n; e++) region[e] = 1;
            sp_fix fix = {wall, count, SP_AXES_ALL, 0};
            sp_material whole;
            sp_solid_law law;
            sp_solid_def def = lab_solid(&l);
            use_law(&def, &law_cases[k ? i : (i + 1) % LAW_CASES]);
            set_material(&law_cases[i], &whole, &law);
            def.fixes = &fix, def.fix_count = 1;
            if (!k) def.regions = &whole, def.region_laws = &law, def.region_count = 1, def.element_region = region;
            REQUIRE(lab_world(&l, &def, -9.81));
            CHECK(lab_steps(&l, 0.01, 5) >= 0);
            hash[k] = sp_world_hash(l.world);
            free(wall), free(region);
            lab_close(&l);
        }
        CHECK(hash[0] == hash[1]);
    }
}
