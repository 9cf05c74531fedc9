// Claim: a thick tube under pressure follows Lame's solution, with every element: the displacement of the inner wall converges
// with order 2 for linear elements, and at least 3 for quadratic ones, whose edges follow the curved walls and whose faces pass
// the pressure to all their nodes. (With thirds at the corners of the triangles of a face, quadratic elements have order 1.)
//
// Lame 1852; Timoshenko and Goodier, "Theory of Elasticity", section 28. Tolerances with the tests.
#include "element_boxes.h"
#include "math/vec3.h"

static const double inner = 1, outer = 2, young = 1e5, nu = 0.3, pressure = 1e-2;  // strains of 1e-7: the linear solution

// displacement of the inner wall in plane strain
static double lame(void) {
    double a = inner, b = outer, G = young / (2 * (1 + nu));
    return pressure * a / (2 * G * (b * b - a * a)) * ((1 - 2 * nu) * a * a + b * b);
}

// a quarter of the tube: the unit cube, x along the radius, y around
static void tube_map(const double *X, double *x) {
    double r = inner + (outer - inner) * X[0], angle = SP_PI / 2 * X[1];
    x[0] = r * cos(angle), x[1] = r * sin(angle), x[2] = X[2];
}

static sp_status mapped(sp_mesh *from, void (*map)(const double *, double *), sp_mesh **out) {
    int n = sp_mesh_node_count(from);
    double *x = calloc(3 * (size_t)n, sizeof *x);
    for (int i = 0; i < n; i++) map(sp_mesh_positions(from) + 3 * i, x + 3 * i);
    sp_status s = mesh_moved(from, x, out);
    free(x);
    sp_mesh_destroy(&from);
    return s;
}

static double radius(const double *x) {
    return sqrt(x[0] * x[0] + x[1] * x[1]);
}

// faces of the inner wall: all three corners on it
static int *wall_faces(const sp_mesh *mesh, int *count) {
    int n = sp_mesh_face_count(mesh), *out = calloc((size_t)n + 1, sizeof *out);
    *count = 0;
    for (int i = 0; i < n; i++) {
        const int *f = sp_mesh_faces(mesh) + 3 * i;
        bool all = true;
        for (int k = 0; k < 3; k++) all = all && fabs(radius(sp_mesh_positions(mesh) + 3 * f[k]) - inner) < 1e-6;
        if (all) out[(*count)++] = i;
    }
    return out;
}

// relative error of the mean displacement of the inner wall
static double tube_error(sp_element_type type, int cells) {
    const double unit[3] = {1, 1, 0.25};
    const int n[3] = {cells, 2 * cells, cells / 2};
    double error = NAN, sum = 0;
    lab b;
    sp_mesh *box = NULL;
    if (!lab_context(&b) || element_box(b.ctx, type, unit, n, 0, &box) < 0 || mapped(box, tube_map, &b.mesh) < 0) return error;
    int count = sp_mesh_node_count(b.mesh), *all = calloc((size_t)count, sizeof *all), nodes = 0;
    for (int i = 0; i < count; i++) all[i] = i;
    sp_fix fixes[3] = {{.axes = SP_AXIS_X}, {.axes = SP_AXIS_Y}, {all, count, SP_AXIS_Z, 0}};
    int *sides[2];
    for (int k = 0; k < 2; k++) fixes[k].nodes = sides[k] = plane_nodes(b.mesh, k, 0, &fixes[k].count);
    sp_load load = {.type = SP_LOAD_PRESSURE};
    int *faces = wall_faces(b.mesh, &load.count);
    load.items = faces;
    load.value[0] = sp_signal_constant(pressure);
    sp_solid_def def = lab_solid(&b);
    def.model = SP_LINEAR, def.integration = SP_INTEGRATION_FULL;
    def.material = (sp_material){.density = 1000, .young = young, .poisson = nu};
    def.fixes = fixes, def.fix_count = 3;
    def.loads = &load, def.load_count = 1;
    def.integrator.type = SP_STATIC;
    def.solver.type = SP_SOLVER_CHOLESKY;
    if (lab_world(&b, &def, 0) && lab_step(&b, 1) >= 0) {
        double *u = lab_field(&b, "displacement");
        for (int i = 0; i < count; i++) {
            const double *X = sp_mesh_positions(b.mesh) + 3 * i;
            if (fabs(radius(X) - inner) > 1e-6) continue;
            sum += (u[3 * i] * X[0] + u[3 * i + 1] * X[1]) / inner, nodes++;
        }
        error = fabs(sum / nodes / lame() - 1);
        free(u);
    }
    free(all), free(faces), free(sides[0]), free(sides[1]);
    lab_close(&b);
    return error;
}

// Between 4 and 8 cells across the wall. Linear elements approach their order from below. The mean of the wall is more accurate
// than single points: quadratic elements have order 3.9 there.
TEST(inner_wall_of_a_tube) {
    const double low[3] = {1.9, 3, 1.9}, last[3] = {1e-2, 1e-5, 4e-3};
    for (int t = 0; t < 3; t++) {
        double e[3], order;
        for (int k = 0; k < 3; k++) e[k] = tube_error(solid_types[t], 2 << k);
        order = log2(e[1] / e[2]);
        printf("  %-5s %.2e %.2e %.2e: order %.2f\n", solid_type_names[solid_types[t]], e[0], e[1], e[2], order);
        CHECK(order > low[t] && e[2] < last[t]);
    }
}

// ------------------------------------------------------------------------------------------------ loads of a flat face

// A cube of one type of element, its upper face under a traction, or under a pressure that is as large: the state is homogeneous,
// because the load of each face is consistent with its element. Tolerance: rounding, and the strain of 1e-7 by which the pressure
// follows the deformation.
static void flat_face(sp_element_type type, bool follows) {
    const double edge[3] = {1, 1, 1};
    const int n[3] = {2, 2, 2};
    lab b;
    sp_mesh *box = NULL;
    REQUIRE(lab_context(&b));
    REQUIRE(element_box(b.ctx, type == SP_ELEMENT_TET10 ? SP_ELEMENT_TET4 : type, edge, n, 0.2, &box) == SP_OK);
    if (type == SP_ELEMENT_TET10)
        REQUIRE(sp_mesh_order2(box, NULL, NULL, &b.mesh) == SP_OK);
    else
        b.mesh = box, box = NULL;
    sp_mesh_destroy(&box);
    sp_fix fixes[3] = {{.axes = SP_AXIS_X}, {.axes = SP_AXIS_Y}, {.axes = SP_AXIS_Z}};
    int *sides[3];
    for (int k = 0; k < 3; k++) fixes[k].nodes = sides[k] = plane_nodes(b.mesh, k, 0, &fixes[k].count);
    sp_load load = {.type = follows ? SP_LOAD_PRESSURE : SP_LOAD_TRACTION};
    int *faces = plane_faces(b.mesh, 2, 1, &load.count);
    load.items = faces;
    load.value[follows ? 0 : 2] = sp_signal_constant(follows ? pressure : -pressure);
    sp_solid_def def = lab_solid(&b);
    def.model = SP_LINEAR;
    def.material = (sp_material){.density = 1000, .young = young, .poisson = nu};
    def.fixes = fixes, def.fix_count = 3;
    def.loads = &load, def.load_count = 1;
    def.integrator.type = SP_STATIC;
    def.solver.type = SP_SOLVER_CHOLESKY;
    REQUIRE(lab_world(&b, &def, 0));
    CHECK_INT(lab_step(&b, 1), SP_OK);
    double *u = lab_field(&b, "displacement"), worst = 0, strain = pressure / young;
    for (int i = 0; i < 3 * b.nodes; i++)
        worst = fmax(worst, fabs(u[i] - (i % 3 == 2 ? -1 : nu) * strain * sp_mesh_positions(b.mesh)[i]) / strain);
    printf("  %-5s %-8s apart by %.1e\n", solid_type_names[type], follows ? "pressure" : "traction", worst);
    CHECK_NEAR(worst, 0, follows ? 1e-6 : 1e-8);
    free(u), free(faces);
    for (int k = 0; k < 3; k++) free(sides[k]);
    lab_close(&b);
}

TEST(load_of_a_flat_face) {
    for (int t = 0; t < 3; t++)
        for (int follows = 0; follows < 2; follows++) flat_face(solid_types[t], follows);
}
