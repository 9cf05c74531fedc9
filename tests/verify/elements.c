// Claim: 4-node tetrahedra, patches of these, 10-node tetrahedra and 8-node hexahedra are finite elements with every law: forces
// are the gradient of the energy and the tangent is that of the forces; a rigid motion causes no force; distorted meshes
// reproduce a homogeneous state (patch test); the displacement error is of order 2 for linear and 3 for quadratic elements. Each
// test states its tolerance.
#include "element.h"
#include "element_boxes.h"
#include "material_laws.h"
#include "math/vec3.h"
#include "mesh/element.h"

static const double size[3] = {1, 0.8, 0.6};
enum { LINEAR = ALL_CASES, FIBRES, LAWS };  // after the cases: the linear law, and a law with fibres

static void use_any_law(sp_solid_def *def, int law) {
    if (law != LINEAR) {
        use_law(def, &law_cases[law < ALL_CASES ? law : 2]);
        if (law == FIBRES) def->material.fibre_young = LAW_YOUNG, def->material.fibre[0] = 0.6, def->material.fibre[1] = 0.8;
        return;
    }
    def->model = SP_LINEAR;
    def->material = (sp_material){.density = 1000, .young = LAW_YOUNG, .poisson = law_poisson};
}

static const char *law_name(int law) {
    return law < ALL_CASES ? law_cases[law].name : law == LINEAR ? "linear" : "fibres";
}

// ------------------------------------------------------------------------------------------------ derivatives

enum { KINDS = 4, PATCHES = 3 };  // solid_types, and patches of 4-node tetrahedra

static sp_element_type kind_type(int kind) {
    return kind == PATCHES ? SP_ELEMENT_TET4 : solid_types[kind];
}

static const char *kind_name(int kind) {
    return kind == PATCHES ? "patch" : solid_type_names[kind_type(kind)];
}

static bool open_specimen(specimen *s, int kind, int law, const int cells[3], double amount) {
    if (!specimen_context(s) || element_box(s->ctx, kind_type(kind), size, cells, amount, &s->mesh) < 0) return false;
    sp_solid_def def = sp_solid_def_default();
    use_any_law(&def, law);
    if (kind == PATCHES) def.integration = SP_INTEGRATION_B_BAR;
    return specimen_open(s, def, "auto");
}

static double largest(const double *a, int n) {
    return max_abs(a, (size_t)n);
}

// A state with strains of 0.1. Differences over 1e-5 m have an error of 1e-10 relative in theory and of rounding, 1e-16 / 1e-5,
// in practice: tolerance 1e-7 of the largest.
static void derivatives(int kind, int law) {
    const double h = 1e-5;
    unsigned long long seed = 5;
    specimen s;
    // a cell is smaller than a patch
    REQUIRE(open_specimen(&s, kind, law, kind == PATCHES ? (int[3]){2, 2, 1} : (int[3]){1, 1, 1}, 0));
    int n = 3 * s.nodes;
    double *x = calloc((size_t)n, sizeof *x), *f = calloc((size_t)n, sizeof *f), *g = calloc((size_t)n, sizeof *g);
    double *low = calloc((size_t)n, sizeof *low), *high = calloc((size_t)n, sizeof *high);
    double *K = calloc((size_t)n * (size_t)n, sizeof *K), worst = 0, asymmetry = 0;
    for (int i = 0; i < n; i++) x[i] = sp_mesh_positions(s.mesh)[i] + 0.03 * sp_test_random(&seed);
    specimen_force(&s, x, f);
    specimen_stiffness(&s, x, K);
    for (int j = 0; j < n; j++) {
        double at = x[j];
        x[j] = at + h;
        double up = specimen_force(&s, x, high);
        x[j] = at - h;
        double down = specimen_force(&s, x, low);
        x[j] = at;
        g[j] = -(up - down) / (2 * h);
        for (int i = 0; i < n; i++) {
            worst = fmax(worst, fabs((low[i] - high[i]) / (2 * h) - K[i * n + j]));
            asymmetry = fmax(asymmetry, fabs(K[i * n + j] - K[j * n + i]));
        }
    }
    double stiff = largest(K, n * n), strong = largest(f, n), apart = 0;
    for (int i = 0; i < n; i++) apart = fmax(apart, fabs(g[i] - f[i]));
    printf("  %-5s %-22s force %.1e, tangent %.1e, asymmetry %.1e\n", kind_name(kind), law_name(law), apart / strong,
           worst / stiff, asymmetry / stiff);
    CHECK_NEAR(apart / strong, 0, 1e-7);
    CHECK_NEAR(worst / stiff, 0, 1e-7);
    CHECK_NEAR(asymmetry / stiff, 0, 1e-13);
    free(x), free(f), free(g), free(low), free(high), free(K);
    specimen_close(&s);
}

TEST(force_and_tangent_are_derivatives) {
    for (int kind = 0; kind < KINDS; kind++)
        for (int law = 0; law < LAWS; law++) derivatives(kind, law);
}

// Rotated by 2 rad and moved by 3 m, curved edges too. Rounded coordinates of 4 m are strains of 1e-15.
TEST(rigid_motion_gives_no_force) {
    const double axis[3] = {1, -2, 0.5};
    double quat[4], R[9];
    sp__quat_axis(axis, 2, quat);
    sp__quat_matrix(quat, R);
    for (int kind = 0; kind < KINDS; kind++)
        for (int law = 0; law < ALL_CASES; law++) {
            specimen s;
            REQUIRE(open_specimen(&s, kind, law, (int[3]){2, 2, 2}, 0.2));
            double *x = calloc(3 * (size_t)s.nodes, sizeof *x), *f = calloc(3 * (size_t)s.nodes, sizeof *f);
            for (int i = 0; i < s.nodes; i++) {
                sp__mul3(R, sp_mesh_positions(s.mesh) + 3 * i, x + 3 * i);
                x[3 * i] += 3;
            }
            specimen_force(&s, x, f);
            CHECK_NEAR(largest(f, 3 * s.nodes), 0, 1e-13 * LAW_YOUNG);
            free(x), free(f);
            specimen_close(&s);
        }
}

// ------------------------------------------------------------------------------------------------ patch test

static bool on_boundary(const double *x) {
    for (int k = 0; k < 3; k++)
        if (x[k] < 1e-9 || x[k] > size[k] - 1e-9) return true;
    return false;
}

// The boundary follows x = F X, nodes inside start elsewhere. Edges are straight: the four points of a quadratic tetrahedron
// integrate a constant stress exactly only then. Tolerance: residuals of 1e-12 of the first.
static void patch(int kind, int law, const double F[9]) {
    const sp_element_type type = kind_type(kind);
    lab b;
    unsigned long long seed = 3;
    const int cells[3] = {3, 3, 3};
    sp_mesh *linear = NULL;
    REQUIRE(lab_context(&b));
    REQUIRE(element_box(b.ctx, type == SP_ELEMENT_TET10 ? SP_ELEMENT_TET4 : type, size, cells, 0.2, &linear) == SP_OK);
    if (type == SP_ELEMENT_TET10)
        REQUIRE(sp_mesh_order2(linear, NULL, NULL, &b.mesh) == SP_OK);
    else
        b.mesh = linear, linear = NULL;
    sp_mesh_destroy(&linear);
    int n = sp_mesh_node_count(b.mesh), held = 0, *nodes = calloc((size_t)n, sizeof *nodes);
    double *exact = calloc(3 * (size_t)n, sizeof *exact), *start = calloc(3 * (size_t)n, sizeof *start), worst = 0, spread = 0;
    for (int i = 0; i < n; i++) {
        const double *X = sp_mesh_positions(b.mesh) + 3 * i;
        sp__mul3(F, X, exact + 3 * i);
        for (int k = 0; k < 3; k++) start[3 * i + k] = exact[3 * i + k] + (on_boundary(X) ? 0 : 0.01 * sp_test_random(&seed));
        if (on_boundary(X)) nodes[held++] = i;
    }
    CHECK(held < n);
    sp_fix fix = {nodes, held, SP_AXES_ALL, 0};
    sp_solid_def def = lab_solid(&b);
    use_any_law(&def, law);
    if (kind == PATCHES) def.integration = SP_INTEGRATION_B_BAR;
    def.fixes = &fix, def.fix_count = 1, def.initial = start;
    def.integrator.type = SP_STATIC;
    def.integrator.iterations = 60;
    def.integrator.tolerance = 1e-12;
    def.solver.type = SP_SOLVER_CHOLESKY;
    REQUIRE(lab_world(&b, &def, 0));
    CHECK_INT(lab_step(&b, 1), SP_OK);
    double *x = lab_field(&b, "position"), *stress = lab_field(&b, "stress");
    sp_field_info info = {0};
    sp_world_field_info(b.world, b.body, "stress", &info);
    for (int i = 0; i < 3 * n; i++) worst = fmax(worst, fabs(x[i] - exact[i]));
    for (int e = 0; e < info.count; e++)
        for (int k = 0; k < 6; k++) spread = fmax(spread, fabs(stress[6 * e + k] - stress[k]));
    spread /= max_abs(stress, 6);
    printf("  %-5s %-22s positions %.1e, stress %.1e\n", kind_name(kind), law_name(law), worst, spread);
    CHECK_NEAR(worst, 0, 1e-11);
    CHECK_NEAR(spread, 0, 1e-9);
    free(x), free(stress), free(exact), free(start), free(nodes);
    lab_close(&b);
}

TEST(patch_test) {
    const double F[9] = {1.15, 0.1, -0.07, -0.05, 0.93, 0.06, 0.08, -0.04, 1.1};
    for (int kind = 0; kind < KINDS; kind++)
        for (int law = 0; law < LAWS; law++) patch(kind, law, F);
}

// ------------------------------------------------------------------------------------------------ orders of convergence

// Kelvin's solution: the displacement of an infinite body around a point force F at `source`, here outside the box.
static void kelvin(const double *x, double u[3]) {
    const double source[3] = {-0.3, 0.4, 0.9}, F[3] = {0.4, 0.3, -0.5}, nu = law_poisson;
    double r[3], d, dot = 0;
    for (int k = 0; k < 3; k++) r[k] = x[k] - source[k];
    d = sqrt(r[0] * r[0] + r[1] * r[1] + r[2] * r[2]);
    for (int k = 0; k < 3; k++) dot += r[k] * F[k];
    for (int k = 0; k < 3; k++) u[k] = 1e-3 * ((3 - 4 * nu) * F[k] / d + r[k] * dot / (d * d * d));
}

// root of the mean square error
static double mean_error(const sp_mesh *mesh, const double *u) {
    double sum = 0, total = 0;
    for (int e = 0; e < sp_mesh_element_count(mesh); e++) {
        const int *nodes;
        sp_element_type type = sp_mesh_element(mesh, e, &nodes);
        double integrals[SP_ELEMENT_NODES_MAX], volume = 0;
        sp_mesh_element_integrals(mesh, e, integrals);
        for (int a = 0; a < sp_element_nodes(type); a++) volume += integrals[a];
        // a grid of 64 points in a cube, of which the tetrahedra take those inside
        for (int p = 0; p < 64; p++) {
            const double at[3] = {(p % 4 + 0.5) / 4, (p / 4 % 4 + 0.5) / 4, (p / 16 + 0.5) / 4};
            double w[SP_ELEMENT_NODES_MAX], x[3], exact[3];
            if (type != SP_ELEMENT_HEX8 && at[0] + at[1] + at[2] > 1) continue;
            sp__element_weights(type, at, w);
            sp_mesh_element_point(mesh, e, at, x);
            kelvin(x, exact);
            for (int k = 0; k < 3; k++) {
                double mine = 0;
                for (int a = 0; a < sp_element_nodes(type); a++) mine += w[a] * u[3 * nodes[a] + k];
                sum += volume * (mine - exact[k]) * (mine - exact[k]);
            }
            total += volume;
        }
    }
    return sqrt(sum / total);
}

static double kelvin_error(sp_element_type type, int cells) {
    lab b;
    double error = NAN;
    const int n[3] = {cells, cells, cells};
    if (!lab_context(&b) || element_box(b.ctx, type, size, n, 0, &b.mesh) < 0) return error;
    int count = sp_mesh_node_count(b.mesh), held = 0, *nodes = calloc((size_t)count, sizeof *nodes);
    double *start = calloc(3 * (size_t)count, sizeof *start);
    for (int i = 0; i < count; i++) {
        const double *X = sp_mesh_positions(b.mesh) + 3 * i;
        double u[3];
        kelvin(X, u);
        for (int k = 0; k < 3; k++) start[3 * i + k] = X[k] + (on_boundary(X) ? u[k] : 0);
        if (on_boundary(X)) nodes[held++] = i;
    }
    sp_fix fix = {nodes, held, SP_AXES_ALL, 0};
    sp_solid_def def = lab_solid(&b);
    use_any_law(&def, LINEAR);
    def.fixes = &fix, def.fix_count = 1, def.initial = start;
    def.integrator.type = SP_STATIC;
    def.solver.type = SP_SOLVER_CHOLESKY;
    if (lab_world(&b, &def, 0) && lab_step(&b, 1) >= 0) {
        double *u = lab_field(&b, "displacement");
        error = mean_error(b.mesh, u);
        free(u);
    }
    free(start), free(nodes);
    lab_close(&b);
    return error;
}

// Between 4 and 8 cells. The orders of the theory are reached from below: within 0.2.
TEST(orders_of_convergence) {
    const double order[3] = {2, 3, 2};
    for (int t = 0; t < 3; t++) {
        double coarse = kelvin_error(solid_types[t], 4), fine = kelvin_error(solid_types[t], 8);
        printf("  %-5s error %.2e, %.2e: order %.2f\n", solid_type_names[solid_types[t]], coarse, fine, log2(coarse / fine));
        CHECK_NEAR(log2(coarse / fine), order[t], 0.2);
    }
}
