// Claim: an independent program finds the same large deformations of hyperelastic bodies: a stretched cube and a twisted bar of
// the same elements (C3D4, C3D10 with four points, C3D8 with 2x2x2 points), with the laws that CalculiX 2.20 has,
//     neo-Hooke, Mooney-Rivlin  C10 (Ibar1 - 3) + C01 (Ibar2 - 3) + (J - 1)^2 / D
//     Ogden                     sum 2 mu / a^2 (sum sbar^a - 3) + (J - 1)^2 / D
//     Arruda-Boyce              five terms + ((J^2 - 1) / 2 - ln J) / D
// and k = 2 / D. Tolerance: 1e-6 of the largest displacement. ccx prints seven digits, an error of 1.2e-7 of 0.4, and
// iterates to residuals of 1e-8.
#include "ccx.h"
#include "element_boxes.h"
#include "math/vec3.h"

typedef struct ccx_law {
    const char *keyword;
    double constants[8];  // of ccx; the last one is D
    int count;
    sp_material_model model;
    sp_volumetric volumetric;
    double coefficient[8];
    int coefficients;
} ccx_law;

static const double D = 1. / 4000;  // [1/Pa]: k = 8000 Pa
static const ccx_law laws[] = {
    {"NEO HOOKE", {2000, D}, 2, SP_NEO_HOOKEAN, SP_VOLUMETRIC_QUADRATIC, {4000}, 1},
    {"MOONEY-RIVLIN", {1500, 400, D}, 3, SP_MOONEY_RIVLIN, SP_VOLUMETRIC_QUADRATIC, {1500, 400}, 2},
    {"OGDEN, N=1", {4000, 3, D}, 3, SP_OGDEN, SP_VOLUMETRIC_QUADRATIC, {4000, 3}, 2},
    // Arruda-Boyce has the limit stretch of a chain, the root of N
    {"ARRUDA-BOYCE", {3500, 2.5, D}, 3, SP_ARRUDA_BOYCE, SP_VOLUMETRIC_MIXED, {3500, 6.25}, 2},
};
enum { LAWS = sizeof laws / sizeof *laws };

typedef struct problem {
    lab b;
    const ccx_law *law;
    int *held, *driven, held_count, driven_count;
    sp_pose pose;  // of the driven end
    double about[3];
} problem;

static void driven_displacement(const problem *p, int node, double u[3]) {
    const double *X = sp_mesh_positions(p->b.mesh) + 3 * node;
    double R[9], r[3], x[3];
    sp__quat_matrix(p->pose.quat, R);
    for (int k = 0; k < 3; k++) r[k] = X[k] - p->about[k];
    sp__mul3(R, r, x);
    for (int k = 0; k < 3; k++) u[k] = x[k] + p->about[k] + p->pose.translate[k] - X[k];
}

// ------------------------------------------------------------------------------------------------ the two programs

static double *ours(problem *p) {
    lab *b = &p->b;
    sp_fix fix = {p->held, p->held_count, SP_AXES_ALL, 0};
    sp_move move = {.nodes = p->driven, .count = p->driven_count, .axes = SP_AXES_ALL};
    move.pose = sp_pose_signal_constant(p->pose);
    memcpy(move.about, p->about, sizeof move.about);
    sp_solid_def def = lab_solid(b);
    def.model = p->law->model, def.form = SP_FORM_ISOCHORIC, def.volumetric = p->law->volumetric;
    def.tangent = SP_TANGENT_EXACT, def.integration = SP_INTEGRATION_FULL;
    def.material.bulk = 2 / D, def.material.coefficient_count = p->law->coefficients;
    memcpy(def.material.coefficients, p->law->coefficient, sizeof p->law->coefficient);
    def.fixes = &fix, def.fix_count = 1;
    def.moves = &move, def.move_count = 1;
    def.integrator.type = SP_STATIC;
    def.integrator.iterations = 100;
    def.integrator.tolerance = 1e-10;
    def.solver.type = SP_SOLVER_CHOLESKY;
    double *u = NULL;
    if (lab_world(b, &def, 0) && lab_step(b, 1) >= 0) u = lab_field(b, "displacement");
    CHECK(u && lab_info(b).solve.force_residual <= 1e-10);
    sp_world_destroy(&b->world);
    return u;
}

static bool write_input(const char *path, const void *user) {
    const problem *p = user;
    FILE *f = fopen(path, "w");
    if (!f) return false;
    ccx_mesh(f, p->b.mesh);
    fprintf(f, "*MATERIAL, NAME=M\n*HYPERELASTIC, %s\n%.12e", p->law->keyword, p->law->constants[0]);
    for (int i = 1; i < p->law->count; i++) fprintf(f, ", %.12e", p->law->constants[i]);
    fprintf(f, "\n*SOLID SECTION, ELSET=EALL, MATERIAL=M\n*BOUNDARY\n");
    for (int i = 0; i < p->held_count; i++) fprintf(f, "%d, 1, 3\n", p->held[i] + 1);
    fprintf(f, "*STEP, NLGEOM, INC=1000\n*STATIC\n0.25, 1.\n");
    fprintf(f, "*CONTROLS, PARAMETERS=FIELD\n1e-8, 1e-8, , , 1e-8, 1e-5, 1e-3, 1e-8\n*BOUNDARY\n");
    for (int i = 0; i < p->driven_count; i++) {
        double u[3];
        driven_displacement(p, p->driven[i], u);
        for (int k = 0; k < 3; k++) fprintf(f, "%d, %d, %d, %.12e\n", p->driven[i] + 1, k + 1, k + 1, u[k]);
    }
    fprintf(f, "*NODE PRINT, NSET=NALL, FREQUENCY=1000\nU\n*END STEP\n");
    return fclose(f) == 0;
}

// ------------------------------------------------------------------------------------------------ comparison

static void compare(sp_element_type type, const ccx_law *law, bool twisted) {
    const double cube[3] = {1, 1, 1}, bar[3] = {3, 0.8, 0.8}, *size = twisted ? bar : cube;
    const int few[3] = {2, 2, 2}, some[3] = {3, 3, 3}, long_few[3] = {5, 2, 2}, long_some[3] = {9, 3, 3};
    const int *cells = type == SP_ELEMENT_TET10 ? (twisted ? long_few : few) : twisted ? long_some : some;
    problem p = {.law = law, .pose = {.quat = {1, 0, 0, 0}}};
    REQUIRE(lab_context(&p.b) && element_box(p.b.ctx, type, size, cells, 0.2, &p.b.mesh) == SP_OK);
    p.held = plane_nodes(p.b.mesh, 0, 0, &p.held_count), p.driven = plane_nodes(p.b.mesh, 0, size[0], &p.driven_count);
    p.pose.translate[0] = 0.4;
    if (twisted) p.pose.quat[0] = cos(SP_PI / 6), p.pose.quat[1] = sin(SP_PI / 6);  // by 60 degrees
    memcpy(p.about, (double[3]){size[0], size[1] / 2, size[2] / 2}, sizeof p.about);
    double *a = ours(&p), *b = ccx_run(write_input, &p, p.b.nodes), worst = 0;
    CHECK(a && b);
    if (a && b) {
        double largest = max_abs(b, 3 * (size_t)p.b.nodes);
        for (int i = 0; i < 3 * p.b.nodes; i++) worst = fmax(worst, fabs(a[i] - b[i]) / largest);
        printf("  %-5s %4d nodes, %-13s %-9s apart by %.1e of the largest displacement\n", solid_type_names[type], p.b.nodes,
               law->keyword, twisted ? "twisted" : "stretched", worst);
        CHECK(largest > 0.39);
        CHECK_NEAR(worst, 0, 1e-6);
    }
    free(a), free(b), free(p.held), free(p.driven);
    lab_close(&p.b);
}

TEST(stretched_cube) {
    REQUIRE(have_ccx());
    for (int t = 0; t < 3; t++)
        for (int i = 0; i < LAWS; i++) compare(solid_types[t], &laws[i], false);
}

TEST(twisted_bar) {
    REQUIRE(have_ccx());
    for (int t = 0; t < 3; t++)
        for (int i = 0; i < LAWS; i++) compare(solid_types[t], &laws[i], true);
}
