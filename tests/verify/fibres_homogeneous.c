// Claim: a block with fibres follows closed forms: uniaxial stretch along and across the fibres and along the bisector of two
// families, for fibres in any isotropic law, Holzapfel's and Costa's law (Fung's exponential in one dimension); at small strains
// it has the moduli of the linear theory of transverse isotropy; every element type; Newton's method with the exact tangent and
// with the definite one.
//
// Tolerance: 1e-10 of the largest value where the state is exact: the residual force is 1e-12 of the first. The stretches across
// solve two equations of zero stress, written here with the energy alone and its derivatives by differences of order 8, which are
// exact to 1e-11.
#include "element_boxes.h"

static const double size[3] = {1, 0.8, 0.6};

// ------------------------------------------------------------------------------------------------ energies of stretches

// energy densities as functions of the stretches along x, y, z; directions in the plane of x and y, so that no shear arises
typedef struct closed {
    const char *name;
    sp_material_model model;
    sp_neo_hookean_form form;
    int count;
    double coefficients[8], bulk, fibre_young, fibre[6];
} closed;

static const closed blocks[] = {
    {"log, along", SP_NEO_HOOKEAN, SP_FORM_LOG, .fibre_young = 4e4, .fibre = {3, 0, 0}},
    {"log, across", SP_NEO_HOOKEAN, SP_FORM_LOG, .fibre_young = 4e4, .fibre = {0, 1, 0}},
    {"log, two across", SP_NEO_HOOKEAN, SP_FORM_LOG, .fibre_young = 4e4, .fibre = {1, 2, 0, -1, 2, 0}},
    {"corotational, along", SP_COROTATIONAL, .fibre_young = 4e4, .fibre = {1, 0, 0}},
    {"holzapfel, along", SP_HOLZAPFEL, .count = 3, .coefficients = {4000, 3000, 0.8}, .bulk = 4e4, .fibre = {1, 0, 0}},
    {"holzapfel, across", SP_HOLZAPFEL, .count = 3, .coefficients = {4000, 3000, 0.8}, .bulk = 4e4, .fibre = {0, 1, 0}},
    {"holzapfel, two", SP_HOLZAPFEL, .count = 3, .coefficients = {4000, 3000, 0.8}, .bulk = 4e4, .fibre = {2, 1, 0, 2, -1, 0}},
    {"costa, fibre", SP_COSTA, .count = 7, .coefficients = {2000, 8, 6, 3, 7, 4, 3}, .bulk = 4e4, .fibre = {1, 0, 0, 0, 1, 0}},
    {"costa, normal", SP_COSTA, .count = 7, .coefficients = {2000, 8, 6, 3, 7, 4, 3}, .bulk = 4e4, .fibre = {0, 1, 0, 0, 1, 2}},
};
enum { BLOCKS = sizeof blocks / sizeof *blocks };
static const double young = 1e4, nu = 0.3;

static double ground_energy(const closed *c, const double s[3]) {
    double mu = young / (2 * (1 + nu)), lambda = young * nu / ((1 + nu) * (1 - 2 * nu)), J = s[0] * s[1] * s[2];
    double I1 = s[0] * s[0] + s[1] * s[1] + s[2] * s[2], sum = s[0] + s[1] + s[2] - 3, squares = 0;
    for (int i = 0; i < 3; i++) squares += pow(s[i] - 1, 2);
    switch (c->model) {
    case SP_NEO_HOOKEAN: return mu / 2 * (I1 - 3) - mu * log(J) + lambda / 2 * pow(log(J), 2);
    case SP_COROTATIONAL: return mu * squares + lambda / 2 * sum * sum;
    case SP_HOLZAPFEL: return c->coefficients[0] / 2 * (pow(J, -2. / 3) * I1 - 3) + c->bulk / 2 * pow(log(J), 2);
    default: return c->bulk * (J * log(J) - J + 1);
    }
}

static double fibre_energy(const closed *c, const double s[3]) {
    double sum = 0;
    for (int m = 0; m < 2; m++) {
        const double *f = c->fibre + 3 * m;
        double length = f[0] * f[0] + f[1] * f[1] + f[2] * f[2];
        if (length == 0) continue;
        double e = (pow(s[0] * f[0], 2) + pow(s[1] * f[1], 2) + pow(s[2] * f[2], 2)) / length - 1;
        if (c->model != SP_HOLZAPFEL) sum += c->fibre_young / 8 * e * e;
        if (c->model == SP_HOLZAPFEL && e > 0)
            sum += c->coefficients[1] / (2 * c->coefficients[2]) * expm1(c->coefficients[2] * e * e);
    }
    return sum;
}

// a/2 (exp(J^(-4/3) Q) - 1), axes along the edges: f, s, n are the numbers of the axes
static double costa_energy(const closed *c, const double s[3], int f, int sheet, int n) {
    const double *p = c->coefficients;
    double E[3], J = s[0] * s[1] * s[2];
    for (int i = 0; i < 3; i++) E[i] = (s[i] * s[i] - 1) / 2;
    double Q = p[1] * E[f] * E[f] + p[2] * E[sheet] * E[sheet] + p[3] * E[n] * E[n];
    return p[0] / 2 * (exp(pow(J, -4. / 3) * Q) - 1);
}

static double energy_of(const closed *c, const double s[3]) {
    double sum = ground_energy(c, s);
    if (c->model != SP_COSTA) return sum + fibre_energy(c, s);
    return sum + (c->fibre[0] > 0 ? costa_energy(c, s, 0, 1, 2) : costa_energy(c, s, 1, 2, 0));
}

// dW/ds_i, differences of order 8 with a step of 4e-3: truncation 7e-20 times the ninth derivative over 630
static double slope_of(const closed *c, const double s[3], int i) {
    static const double weight[4] = {4. / 5, -1. / 5, 4. / 105, -1. / 280};
    double sum = 0, h = 4e-3;
    for (int k = 0; k < 4; k++) {
        double up[3] = {s[0], s[1], s[2]}, down[3] = {s[0], s[1], s[2]};
        up[i] += (k + 1) * h, down[i] -= (k + 1) * h;
        sum += weight[k] * (energy_of(c, up) - energy_of(c, down)) / h;
    }
    return sum;
}

// stretches across with no stress: Newton's method with differences for the slopes of the slopes
static void relax(const closed *c, double s[3]) {
    for (int iteration = 0; iteration < 60; iteration++) {
        double r[2], K[2][2], h = 1e-5;
        for (int i = 0; i < 2; i++) r[i] = slope_of(c, s, 1 + i);
        for (int j = 0; j < 2; j++) {
            double moved[3] = {s[0], s[1], s[2]};
            moved[1 + j] += h;
            for (int i = 0; i < 2; i++) K[i][j] = (slope_of(c, moved, 1 + i) - r[i]) / h;
        }
        double det = K[0][0] * K[1][1] - K[0][1] * K[1][0];
        s[1] -= (K[1][1] * r[0] - K[0][1] * r[1]) / det, s[2] -= (K[0][0] * r[1] - K[1][0] * r[0]) / det;
    }
}

// ------------------------------------------------------------------------------------------------ the block

typedef struct block {
    lab b;
    sp_fix fix[3];
    sp_move move;
} block;

static void block_close(block *k) {
    for (int i = 0; i < 3; i++) free((void *)(uintptr_t)k->fix[i].nodes);
    free((void *)(uintptr_t)k->move.nodes);
    lab_close(&k->b);
}

static sp_solid_def block_def(const closed *c) {
    sp_solid_def def = sp_solid_def_default();
    def.model = c->model, def.form = c->form;
    def.material = (sp_material){.density = 1000, .young = young, .poisson = nu, .bulk = c->bulk, .fibre_young = c->fibre_young};
    def.material.coefficient_count = c->count;
    memcpy(def.material.coefficients, c->coefficients, sizeof c->coefficients);
    memcpy(def.material.fibre, c->fibre, sizeof c->fibre);
    def.integrator.type = SP_STATIC, def.integrator.iterations = 200, def.integrator.tolerance = 1e-13;
    def.solver.type = SP_SOLVER_CHOLESKY;
    return def;
}

// a block between three symmetry planes whose far face across x moves to the stretch s
static bool block_open(block *k, const closed *c, sp_element_type type, sp_tangent tangent, double s) {
    sp_pose pose = {.quat = {1, 0, 0, 0}, .translate = {(s - 1) * size[0], 0, 0}};
    // four points do not integrate the volume of a tetrahedron with curved edges exactly
    const double shake = type == SP_ELEMENT_TET10 ? 0 : 0.1;
    *k = (block){.move = {.axes = SP_AXIS_X, .pose = sp_pose_signal_constant(pose)}};
    if (!lab_context(&k->b) || element_box(k->b.ctx, type, size, (int[3]){2, 2, 1}, shake, &k->b.mesh) < 0) return false;
    for (int i = 0; i < 3; i++) {
        k->fix[i] = (sp_fix){.axes = 1u << i};
        k->fix[i].nodes = plane_nodes(k->b.mesh, i, 0, &k->fix[i].count);
    }
    k->move.nodes = plane_nodes(k->b.mesh, 0, size[0], &k->move.count);
    sp_solid_def def = block_def(c);
    def.mesh = k->b.mesh, def.tangent = tangent;
    def.fixes = k->fix, def.fix_count = 3, def.moves = &k->move, def.move_count = 1;
    return lab_world(&k->b, &def, 0);
}

// largest distances from the closed form: positions, stress of the elements, energy
static void compare(block *k, const closed *c, const double s[3], double out[3]) {
    double *x = lab_field(&k->b, "position"), *stress = lab_field(&k->b, "stress"), volume = size[0] * size[1] * size[2];
    double along = slope_of(c, s, 0) / (s[1] * s[2]);
    out[0] = out[1] = 0;
    for (int i = 0; i < 3 * k->b.nodes; i++) out[0] = fmax(out[0], fabs(x[i] - s[i % 3] * sp_mesh_positions(k->b.mesh)[i]));
    int cells = sp_mesh_cell_count(k->b.mesh);
    for (int e = 0; e < 6 * cells; e++) out[1] = fmax(out[1], fabs(stress[e] - (e % 6 ? 0 : along)) / fabs(along));
    out[2] = fabs(lab_measures(&k->b).elastic / volume / energy_of(c, s) - 1);
    free(x), free(stress);
}

TEST(uniaxial_stretch) {
    const double stretches[3] = {0.9, 1.1, 1.35};  // at 0.85 stiff fibres along x buckle
    for (int i = 0; i < BLOCKS; i++)
        for (int n = 0; n < 3; n++)
            for (int t = 0; t < 3; t++)
                for (int definite = 0; definite < 2; definite++) {
                    block k;
                    double s[3] = {stretches[n], 1 / sqrt(stretches[n]), 1 / sqrt(stretches[n])}, apart[3];
                    relax(&blocks[i], s);
                    REQUIRE(block_open(&k, &blocks[i], solid_types[t], definite ? SP_TANGENT_FROZEN : SP_TANGENT_EXACT, s[0]));
                    CHECK_INT(lab_step(&k.b, 1), SP_OK);
                    compare(&k, &blocks[i], s, apart);
                    printf("  %-20s %-5s %.2f %-8s %3d iterations: displacement %.1e, stress %.1e, energy %.1e\n", blocks[i].name,
                           solid_type_names[solid_types[t]], s[0], definite ? "definite" : "exact",
                           lab_info(&k.b).solve.newton_iterations, apart[0], apart[1], apart[2]);
                    for (int m = 0; m < 3; m++) CHECK_NEAR(apart[m], 0, 1e-10);
                    block_close(&k);
                }
}

// ------------------------------------------------------------------------------------------------ small strains

// C of transverse isotropy along x: Hooke's isotropic C, and Ef at xxxx (fibre-young adds Ef/2 Exx^2 to the energy). Young's
// modulus along x is then E + Ef, those across and Poisson's ratios follow from the inverse of C.
static void transverse(double fibre, double *along, double *across, double *ratio) {
    double mu = young / (2 * (1 + nu)), lambda = young * nu / ((1 + nu) * (1 - 2 * nu));
    double C11 = lambda + 2 * mu + fibre, C12 = lambda, C22 = lambda + 2 * mu, C23 = lambda;
    *along = C11 - 2 * C12 * C12 / (C22 + C23);
    *ratio = C12 / (C22 + C23);
    // stretched along y: strains x, z from zero stress there
    double det = C11 * C22 - C12 * C12, x = -(C22 * C12 - C12 * C23) / det, z = -(C11 * C23 - C12 * C12) / det;
    *across = C22 + C12 * x + C23 * z;
}

static double modulus(const closed *c, sp_element_type type, double strain, double *ratio) {
    block k;
    if (!block_open(&k, c, type, SP_TANGENT_EXACT, 1 + strain) || lab_step(&k.b, 1) != SP_OK) return NAN;
    double *x = lab_field(&k.b, "displacement"), *stress = lab_field(&k.b, "stress"), E = stress[0] / strain, most = 0;
    for (int i = 0; i < k.b.nodes; i++) most = fmin(most, x[3 * i + 1]);
    *ratio = -most / size[1] / strain;
    free(x), free(stress);
    block_close(&k);
    return E;
}

// The first terms left out are of the order of the strain, 1e-6, times constants below 10 (costa: 100).
TEST(moduli_at_small_strains) {
    const double fibre = 4e4, strain = 1e-6;
    const sp_neo_hookean_form forms[3] = {SP_FORM_STABLE, SP_FORM_LOG, SP_FORM_ISOCHORIC};
    double along, across, ratio, measured;
    transverse(fibre, &along, &across, &ratio);
    CHECK_NEAR(along, young + fibre, 1e-9 * along);
    CHECK_NEAR(ratio, nu, 1e-12);
    for (int f = 0; f < 3; f++)
        for (int t = 0; t < 3; t++) {
            closed c = {"", SP_NEO_HOOKEAN, forms[f], .fibre_young = fibre, .fibre = {1, 0, 0}};
            CHECK_NEAR(modulus(&c, solid_types[t], strain, &measured) / along, 1, 1e-5);
            CHECK_NEAR(measured, ratio, 1e-5);
            c.fibre[0] = 0, c.fibre[1] = 1;
            CHECK_NEAR(modulus(&c, solid_types[t], strain, &measured) / across, 1, 1e-5);
        }
    // costa with young and poisson alone, and holzapfel in tension with k1 = fibre / 4 in the ground of the same moduli
    closed c = {.model = SP_COSTA};
    CHECK_NEAR(modulus(&c, SP_ELEMENT_TET4, strain, &measured) / young, 1, 1e-4);
    CHECK_NEAR(measured, nu, 1e-4);
    double mu = young / (2 * (1 + nu)), bulk = young / (3 * (1 - 2 * nu));
    c = (closed){"", SP_HOLZAPFEL, .count = 3, .coefficients = {mu, fibre / 4, 1}, .bulk = bulk, .fibre = {1, 0, 0}};
    CHECK_NEAR(modulus(&c, SP_ELEMENT_TET4, strain, &measured) / along, 1, 1e-5);
    // slack in compression: the ground alone
    CHECK_NEAR(modulus(&c, SP_ELEMENT_TET4, -strain, &measured) / young, 1, 1e-5);
}

// C of Costa's law at rest: a bff / 2 + k on the diagonal and so on; the modulus along f by the inverse of its upper left block
TEST(costa_is_orthotropic_at_small_strains) {
    const double p[7] = {2000, 8, 6, 3, 7, 4, 3}, k = 4e4;
    double ratio;
    for (int axis = 0; axis < 3; axis++) {
        closed c = {"", SP_COSTA, .count = 7, .bulk = k};
        memcpy(c.coefficients, p, sizeof p);
        c.fibre[(3 - axis) % 3] = 1, c.fibre[3 + (4 - axis) % 3] = 1;  // x is the axis number `axis` of f, s, n
        double a = p[0] * p[1 + axis], b = p[0] * p[1 + (axis + 1) % 3], d = p[0] * p[1 + (axis + 2) % 3];
        // stress k tr e + a_i e_i; across: k tr e + b e_b = 0 = k tr e + d e_d with tr e = e + e_b + e_d
        double trace = 1 / (1 + k / b + k / d), expected = k * trace + a;
        CHECK_NEAR(modulus(&c, SP_ELEMENT_HEX8, 1e-6, &ratio) / expected, 1, 1e-4);
    }
}

// ------------------------------------------------------------------------------------------------ beyond the domain

// Stable neo-Hookean elements with fibres return from any start; holzapfel and costa refuse one by the number of its element.
TEST(scrambled_starts) {
    const closed c[3] = {{"", SP_NEO_HOOKEAN, .fibre_young = 3e4, .fibre = {1, 1, 0, 1, -1, 0}},
                         {"holzapfel", SP_HOLZAPFEL, .fibre = {1, 0, 0}},
                         {"costa", SP_COSTA, .fibre = {1, 0, 0, 0, 1, 0}}};
    for (int i = 0; i < 3; i++)
        for (int t = 0; t < 3; t += 2) {
            lab b;
            unsigned long long seed = 11;
            REQUIRE(lab_context(&b) &&
                    element_box(b.ctx, solid_types[t], (double[3]){0.3, 0.3, 0.3}, (int[3]){2, 2, 2}, 0, &b.mesh) >= 0);
            int n = 3 * sp_mesh_node_count(b.mesh);
            double *x = calloc((size_t)n, sizeof *x);
            for (int k = 0; k < n; k++) x[k] = 0.15 * (1 + sp_test_random(&seed));
            sp_solid_def def = block_def(&c[i]);
            def.mesh = b.mesh, def.initial = x;
            def.integrator = sp_integrator_def_default(), def.integrator.type = SP_NEWTON;
            def.rayleigh_mass = 5, def.rayleigh_stiffness = 0.02;
            if (i == 0) {
                REQUIRE(lab_world(&b, &def, 0));
                CHECK(lab_measures(&b).inverted > 0);
                CHECK(lab_steps(&b, 0.02, 300) >= 0);
                CHECK_INT(lab_measures(&b).inverted, 0);
                // damping of 5/s for 6 s: the energy is that of rest, 1e-12 of Young's modulus times the volume
                CHECK(lab_measures(&b).elastic < 1e-12 * young * 0.027);
            } else {
                sp_world *w = NULL;
                REQUIRE(sp_world_create(b.ctx, NULL, &w) == SP_OK);
                CHECK_INT(sp_world_add_solid(w, &def, NULL), SP_BAD_INPUT);
                const char *text = sp_world_error(w)->message;
                printf("  %s\n", text);
                CHECK(strstr(text, "element") && strstr(text, c[i].name) && strstr(text, "is not defined there"));
                sp_world_destroy(&w);
            }
            free(x);
            lab_close(&b);
        }
}
