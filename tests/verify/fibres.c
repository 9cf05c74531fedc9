// Claim: forces of fibres and of Costa's law are minus the gradient of the energy, the exact tangent is minus the gradient of the
// forces, both backends agree with energies that are written here from the formulas of docs/fibres.md, a rotation of the world
// changes nothing, the definite tangent has no negative eigenvalue, and the assembled matrix is the product; all elements, at
// random large states, with inverted elements where the law is defined there.
//
// Gradients by fourth-order differences with a step of 2e-4 of the size: truncation and rounding are below 1e-9 of the largest
// entry for smooth laws; exponentials of large strains have larger fifth derivatives. 1e-6 covers the states generated here.
#include "element.h"
#include "element_boxes.h"
#include "linear/blocks.h"

enum { NODES_MOST = 64, N_MOST = 3 * NODES_MOST, SHAPES = 4 };
static const char *const backends[2] = {"ref", "cpu"};
static const double size[3] = {1, 0.6, 0.5};

typedef struct fibre_case {
    const char *name;
    sp_material_model model;
    sp_neo_hookean_form form;
    double fibre_young;
    double fibre[6];
    int count;
    double coefficients[8], bulk;
    bool inverts;
} fibre_case;

static const fibre_case cases[] = {
    {"corotational, one", SP_COROTATIONAL, .fibre_young = 2e4, .fibre = {1, 2, 0.5}, .inverts = true},
    {"stvk, two", SP_STVK, .fibre_young = 2e4, .fibre = {1, 2, 0.5, 1, -1, 0}, .inverts = true},
    {"stable, two", SP_NEO_HOOKEAN, .fibre_young = 3e4, .fibre = {1, 0, 0, 0, 0, 2}, .inverts = true},
    {"log, one", SP_NEO_HOOKEAN, SP_FORM_LOG, .fibre_young = 3e4, .fibre = {0.1, 0, 1}},
    {"ogden, one", SP_OGDEN, .fibre_young = 3e4, .fibre = {0.1, 1, 1}},
    {"holzapfel, one", SP_HOLZAPFEL, .fibre = {1, 1, 0}, .count = 3, .coefficients = {4000, 3000, 0.8}, .bulk = 2e4},
    {"holzapfel, two", SP_HOLZAPFEL, .fibre = {1, 1, 0, 1, -1, 0.2}, .count = 3, .coefficients = {4000, 3000, 0.8}, .bulk = 2e4},
    {"costa", SP_COSTA, .fibre = {1, 0.5, 0, 0.3, 1, 2}, .count = 7, .coefficients = {2000, 8, 6, 3, 7, 4, 3}, .bulk = 2e4},
    {"costa, isotropic", SP_COSTA, .inverts = false},
};
enum { CASES = sizeof cases / sizeof *cases, COSTA = CASES - 2 };

static sp_solid_def case_def(const fibre_case *c, sp_tangent tangent, sp_integration integration) {
    sp_solid_def def = sp_solid_def_default();
    def.model = c->model, def.form = c->form, def.tangent = tangent, def.integration = integration;
    def.material = (sp_material){.density = 1000, .young = 1e4, .poisson = 0.3, .bulk = c->bulk};
    def.material.fibre_young = c->fibre_young, def.material.coefficient_count = c->count;
    memcpy(def.material.coefficients, c->coefficients, sizeof c->coefficients);
    memcpy(def.material.fibre, c->fibre, sizeof c->fibre);
    return def;
}

// shapes 0..2: the element types, hexahedra with mean dilatation; 3: hexahedra with full integration
static bool open_case(specimen *s, const fibre_case *c, int shape, sp_tangent tangent, const char *backend) {
    const int cells[3] = {shape == 1 ? 1 : 2, 1, 1};
    if (!specimen_context(s) || element_box(s->ctx, solid_types[shape < 3 ? shape : 2], size, cells, 0.1, &s->mesh) < 0)
        return false;
    return specimen_open(s, case_def(c, tangent, shape == 3 ? SP_INTEGRATION_FULL : SP_INTEGRATION_AUTO), backend);
}

// a rotation, a stretch and noise of `amount` of the size on every node
static void random_state(const specimen *s, double amount, unsigned long long *seed, double *x) {
    double a = 3 * sp_test_random(seed), c = cos(a), sn = sin(a);
    for (int i = 0; i < s->nodes; i++) {
        const double *X = sp_mesh_positions(s->mesh) + 3 * i;
        x[3 * i] = 1.2 * (c * X[0] - sn * X[1]) + amount * sp_test_random(seed);
        x[3 * i + 1] = sn * X[0] + c * X[1] + amount * sp_test_random(seed);
        x[3 * i + 2] = 1.1 * X[2] + amount * sp_test_random(seed);
    }
}

static double energy_at(specimen *s, const double *x) {
    return specimen_force(s, x, NULL);
}

static double volume_least(specimen *s) {
    sp_energies e;
    memcpy(s->body->q[SP_COMMITTED], s->body->q[SP_TRIAL], 3 * (size_t)s->nodes * sizeof(double));
    s->body->ops->energies(s->body, SP_COMMITTED, &e);
    return e.inverted;
}

// Elements of undefined laws stay upright; the corotational law needs stretches that do not cancel, which moderate noise ensures.
static void draw(specimen *s, const fibre_case *c, double amount, unsigned long long *seed, double *x) {
    for (int i = 0; i < 1000; i++) {
        random_state(s, amount, seed, x);
        if (isfinite(energy_at(s, x)) && (c->inverts || volume_least(s) == 0)) return;
    }
    CHECK(false);
}

static double largest(const double *a, int n) {
    double m = 0;
    for (int i = 0; i < n; i++) m = fmax(m, fabs(a[i]));
    return m;
}

static const double step_at[4] = {-2, -1, 1, 2}, step_weight[4] = {1. / 12, -8. / 12, 8. / 12, -1. / 12};

// along random directions: the slope of the energy, and the change of the force
static void slopes(specimen *s, const double *x, const double *d, double h, double *energy, double *force) {
    double y[N_MOST], f[N_MOST];
    int n = 3 * s->nodes;
    *energy = 0;
    memset(force, 0, (size_t)n * sizeof *force);
    for (int i = 0; i < 4; i++) {
        for (int k = 0; k < n; k++) y[k] = x[k] + step_at[i] * h * d[k];
        *energy += step_weight[i] / h * specimen_force(s, y, f);
        for (int k = 0; k < n; k++) force[k] += step_weight[i] / h * f[k];
    }
}

static void multiply(specimen *s, const double *x, const double *d, double *out) {
    sp_body *b = s->body;
    double in[N_MOST + 1] = {0}, y[N_MOST + 1];
    sp_system A;
    const sp_step step = sp__step_default(0);
    specimen_force(s, x, NULL);
    CHECK(b->ops->linearise(b, &step, &A) >= 0);
    for (int i = 0; i < 3 * s->nodes; i++) in[i] = d[3 * s->user[i / 3] + i % 3];
    A.mul_raw(A.o, (sp_coef){0, 0, 1}, in, y);
    for (int i = 0; i < 3 * s->nodes; i++) out[3 * s->user[i / 3] + i % 3] = y[i];
}

static void check_derivatives(specimen *s, const fibre_case *c, double amount, unsigned long long *seed, double tolerance) {
    double x[N_MOST], d[N_MOST], f[N_MOST], change[N_MOST], K[N_MOST], slope, work = 0;
    int n = 3 * s->nodes;
    draw(s, c, amount, seed, x);
    for (int k = 0; k < n; k++) d[k] = sp_test_random(seed);
    specimen_force(s, x, f);
    multiply(s, x, d, K);
    slopes(s, x, d, 2e-5, &slope, change);
    for (int k = 0; k < n; k++) work -= f[k] * d[k], change[k] += K[k];
    CHECK_NEAR(slope, work, tolerance * largest(f, n));
    CHECK_NEAR(largest(change, n), 0, tolerance * largest(K, n));
}

TEST(forces_and_tangents_are_derivatives) {
    for (int i = 0; i < CASES; i++)
        for (int shape = 0; shape < SHAPES; shape++)
            for (int b = 0; b < 2; b++) {
                specimen s;
                unsigned long long seed = 5;
                REQUIRE(open_case(&s, &cases[i], shape, SP_TANGENT_EXACT, backends[b]));
                for (int t = 0; t < 3; t++) {
                    check_derivatives(&s, &cases[i], 0.02, &seed, 1e-7);
                    check_derivatives(&s, &cases[i], 0.1, &seed, 1e-6);
                }
                // stvk and the stable law with fibres, inverted elements included
                bool smooth = cases[i].inverts && cases[i].model != SP_COROTATIONAL;
                for (int t = 0; smooth && t < 3; t++) check_derivatives(&s, &cases[i], 0.6, &seed, 1e-6);
                specimen_close(&s);
            }
}

// the definite tangent changes no force
TEST(forces_do_not_depend_on_the_tangent) {
    for (int i = 0; i < CASES; i++)
        for (int shape = 0; shape < SHAPES; shape++)
            for (int b = 0; b < 2; b++) {
                specimen s, t;
                unsigned long long seed = 17;
                double x[N_MOST], f[N_MOST], g[N_MOST];
                REQUIRE(open_case(&s, &cases[i], shape, SP_TANGENT_EXACT, backends[b]));
                REQUIRE(open_case(&t, &cases[i], shape, SP_TANGENT_FROZEN, backends[b]));
                draw(&s, &cases[i], 0.1, &seed, x);
                for (int k = 0; k < 3 * s.nodes; k++) x[k] *= 0.8;  // fibres in compression, too
                CHECK_NEAR(specimen_force(&s, x, f), specimen_force(&t, x, g), 0);
                CHECK(memcmp(f, g, 3 * (size_t)s.nodes * sizeof *f) == 0);
                specimen_close(&t), specimen_close(&s);
            }
}

// ------------------------------------------------------------------------------------------------ energies from the formulas

// F of a tetrahedron, and the energy density of the case there
static double fibre_energy(const fibre_case *c, const double *F) {
    double sum = 0;
    for (int m = 0; m < 2; m++) {
        double length = 0, I4 = 0, f[3];
        for (int k = 0; k < 3; k++) length += pow(c->fibre[3 * m + k], 2);
        if (length == 0) continue;
        for (int k = 0; k < 3; k++) f[k] = c->fibre[3 * m + k] / sqrt(length);
        for (int i = 0; i < 3; i++) I4 += pow(F[3 * i] * f[0] + F[3 * i + 1] * f[1] + F[3 * i + 2] * f[2], 2);
        if (c->model != SP_HOLZAPFEL)
            sum += c->fibre_young / 8 * pow(I4 - 1, 2);
        else if (I4 > 1)
            sum += c->coefficients[1] / (2 * c->coefficients[2]) * (exp(c->coefficients[2] * pow(I4 - 1, 2)) - 1);
    }
    return sum;
}

static void costa_frame(const fibre_case *c, double *A) {
    const double *f = c->fibre, *s = c->fibre + 3;
    double ff = 0, fs = 0, ss = 0, *u = A, *v = A + 3;
    for (int k = 0; k < 3; k++) ff += f[k] * f[k], fs += f[k] * s[k];
    for (int k = 0; k < 3; k++) u[k] = f[k] / sqrt(ff), v[k] = s[k] - fs / ff * f[k], ss += v[k] * v[k];
    for (int k = 0; k < 3; k++) v[k] /= sqrt(ss);
    cross(u, v, A + 6);
}

// Costa's energy: rest part, and that of the volume
static double costa_rest(const fibre_case *c, const double *F) {
    const double *p = c->coefficients, b[9] = {p[1], p[4], p[5], p[4], p[2], p[6], p[5], p[6], p[3]};
    double A[9], G[9], Q = 0;
    costa_frame(c, A);
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            G[3 * i + k] = F[3 * i] * A[3 * k] + F[3 * i + 1] * A[3 * k + 1] + F[3 * i + 2] * A[3 * k + 2];
    for (int k = 0; k < 9; k++) {
        double E = 0.5 * (G[k / 3] * G[k % 3] + G[3 + k / 3] * G[3 + k % 3] + G[6 + k / 3] * G[6 + k % 3] - (k % 4 == 0));
        Q += b[k] * E * E;
    }
    return p[0] / 2 * (exp(pow(det3(F), -4. / 3) * Q) - 1);
}

static double costa_volume(const fibre_case *c, double J) {
    return c->bulk * (J * log(J) - J + 1);
}

// The energy of a body less that of the same body without fibres (costa: all of it) against the formula, tetrahedron by
// tetrahedron.
TEST(energies_are_those_of_the_formulas) {
    for (int i = 0; i < CASES - 1; i++)
        for (int b = 0; b < 2; b++) {
            specimen s, bare;
            fibre_case without = cases[i];
            unsigned long long seed = 3;
            without.fibre_young = 0;
            if (without.model == SP_HOLZAPFEL)
                without.model = SP_NEO_HOOKEAN, without.form = SP_FORM_ISOCHORIC, without.count = 1;
            REQUIRE(open_case(&s, &cases[i], 0, SP_TANGENT_EXACT, backends[b]));
            REQUIRE(open_case(&bare, &without, 0, SP_TANGENT_EXACT, backends[b]));
            for (int t = 0; t < 5; t++) {
                double x[N_MOST], expected = 0, F[9], g[12];
                draw(&s, &cases[i], 0.1, &seed, x);
                for (int e = 0; e < s.tets; e++) {
                    const int *tet = sp_mesh_tets(s.mesh) + 4 * e;
                    double V = gradients(sp_mesh_positions(s.mesh), tet, g);
                    deformation(sp_mesh_positions(s.mesh), x, tet, F);
                    expected += V * (i == COSTA ? costa_rest(&cases[i], F) + costa_volume(&cases[i], det3(F))
                                                : fibre_energy(&cases[i], F));
                }
                double energy = energy_at(&s, x), base = i == COSTA ? 0 : energy_at(&bare, x);
                CHECK_NEAR(energy - base, expected, 1e-12 * (energy + base));  // some hundred roundings
            }
            specimen_close(&s), specimen_close(&bare);
        }
}

// ------------------------------------------------------------------------------------------------ objectivity

static void rotate(const double *Q, const double *x, int nodes, double *out) {
    for (int i = 0; i < nodes; i++)
        for (int k = 0; k < 3; k++)
            out[3 * i + k] = Q[3 * k] * x[3 * i] + Q[3 * k + 1] * x[3 * i + 1] + Q[3 * k + 2] * x[3 * i + 2];
}

// E(Q x) = E(x), f(Q x) = Q f(x); and a body whose mesh and fibres are turned together is the same body
TEST(a_rotation_changes_nothing) {
    const double Q[9] = {0.36, 0.48, -0.8, -0.8, 0.6, 0, 0.48, 0.64, 0.6};
    for (int i = 0; i < CASES; i++)
        for (int shape = 0; shape < SHAPES; shape++) {
            specimen s, t;
            unsigned long long seed = 9;
            double x[N_MOST], y[N_MOST], f[N_MOST], g[N_MOST], h[N_MOST], X[N_MOST];
            fibre_case turned = cases[i];
            REQUIRE(open_case(&s, &cases[i], shape, SP_TANGENT_FROZEN, "cpu"));
            draw(&s, &cases[i], 0.1, &seed, x);
            double energy = specimen_force(&s, x, f);
            int n = 3 * s.nodes;
            rotate(Q, x, s.nodes, y), rotate(Q, f, s.nodes, h);
            // some hundred roundings of moduli of 1e5 Pa on areas of 0.1 m2
            CHECK_NEAR(specimen_force(&s, y, g), energy, 1e-12 * energy + 1e-9);
            for (int k = 0; k < n; k++) CHECK_NEAR(g[k], h[k], 1e-11 * largest(h, n));
            rotate(Q, cases[i].fibre, 2, turned.fibre);
            REQUIRE(specimen_context(&t));
            rotate(Q, sp_mesh_positions(s.mesh), s.nodes, X);
            REQUIRE(mesh_moved(s.mesh, X, &t.mesh) >= 0);
            // the mesh belongs to the context of the first body
            REQUIRE(specimen_open(
                &t, case_def(&turned, SP_TANGENT_FROZEN, shape == 3 ? SP_INTEGRATION_FULL : SP_INTEGRATION_AUTO), "cpu"));
            CHECK_NEAR(specimen_force(&t, y, g), energy, 1e-11 * energy + 1e-9);
            for (int k = 0; k < n; k++) CHECK_NEAR(g[k], h[k], 1e-10 * largest(h, n));
            specimen_close(&t), specimen_close(&s);
        }
}

// ------------------------------------------------------------------------------------------------ systems

// smallest eigenvalue of a symmetric matrix over the largest, by cyclic Jacobi sweeps
static double lowest(double *K, int n) {
    for (int sweep = 0; sweep < 12; sweep++)
        for (int p = 0; p < n; p++)
            for (int q = p + 1; q < n; q++) {
                double o = 2 * K[p * n + q], d = K[q * n + q] - K[p * n + p];
                if (o == 0) continue;
                double t = (d < 0 ? -o : o) / (fabs(d) + sqrt(d * d + o * o)), c = 1 / sqrt(1 + t * t), sn = t * c;
                for (int i = 0; i < n; i++) {
                    double a = K[i * n + p], b = K[i * n + q];
                    K[i * n + p] = c * a - sn * b, K[i * n + q] = sn * a + c * b;
                }
                for (int i = 0; i < n; i++) {
                    double a = K[p * n + i], b = K[q * n + i];
                    K[p * n + i] = c * a - sn * b, K[q * n + i] = sn * a + c * b;
                }
            }
    double low = INFINITY, high = 0;
    for (int i = 0; i < n; i++) low = fmin(low, K[i * n + i]), high = fmax(high, fabs(K[i * n + i]));
    return low / high;
}

// stiffness of one case in a crushed, sheared state that makes the exact tangent indefinite
static double lowest_of(const fibre_case *c, int shape, sp_tangent tangent, const char *backend, unsigned long long seed) {
    static double K[N_MOST * N_MOST];
    specimen s;
    double x[N_MOST];
    if (!open_case(&s, c, shape, tangent, backend)) return NAN;
    draw(&s, c, 0.03, &seed, x);
    for (int i = 0; i < s.nodes; i++) x[3 * i] *= 0.6, x[3 * i + 1] *= 0.8;
    specimen_stiffness(&s, x, K);
    double low = lowest(K, 3 * s.nodes);
    specimen_close(&s);
    return low;
}

TEST(definite_tangents_have_no_negative_eigenvalue) {
    for (int i = 0; i < CASES; i++) {
        double exact = 0;
        for (int shape = 0; shape < SHAPES; shape += 2)
            for (int b = 0; b < 2; b++)
                for (unsigned long long seed = 1; seed < 4; seed++) {
                    exact = fmin(exact, lowest_of(&cases[i], shape, SP_TANGENT_EXACT, backends[b], seed));
                    // rounding of a matrix of 36 or more unknowns
                    CHECK(lowest_of(&cases[i], shape, SP_TANGENT_FROZEN, backends[b], seed) > -1e-12);
                }
        CHECK(exact < -1e-4);
    }
}

TEST(the_assembled_matrix_is_the_product) {
    for (int i = 0; i < CASES; i++)
        for (int shape = 0; shape < SHAPES; shape++)
            for (int b = 0; b < 2; b++) {
                specimen s;
                sp_system A;
                sp_blocks *M = NULL;
                unsigned long long seed = 13;
                double x[N_MOST], d[N_MOST + 1] = {0}, y[N_MOST + 1], z[N_MOST + 1];
                const sp_step step = sp__step_default(0);
                const sp_coef c = {1.5, 0.1, 2};
                REQUIRE(open_case(&s, &cases[i], shape, SP_TANGENT_FROZEN, backends[b]));
                draw(&s, &cases[i], 0.1, &seed, x);
                specimen_force(&s, x, NULL);
                CHECK(s.body->ops->linearise(s.body, &step, &A) >= 0);
                REQUIRE(A.make_pattern(A.o, s.ctx, &M) == SP_OK && A.assemble(A.o, c, M) == SP_OK);
                int n = 3 * s.nodes;
                for (int k = 0; k < n; k++) d[k] = sp_test_random(&seed);
                A.mul(A.o, c, d, y);
                sp__blocks_mul(M, d, z);
                for (int k = 0; k < n; k++) CHECK_NEAR(z[k], y[k], 1e-13 * 100 * largest(y, n));  // other orders of sums
                // an evaluation between linearise and the product changes nothing
                random_state(&s, 0.05, &seed, x);
                specimen_force(&s, x, NULL);
                A.mul(A.o, c, d, z);
                CHECK(memcmp(y, z, (size_t)n * sizeof *y) == 0);
                sp__blocks_destroy(&M);
                specimen_close(&s);
            }
}

// Five tetrahedra are two structures of four, the second with padding that repeats an element: where its law is not defined the
// energy is infinite, not NaN, so that the element is found.
TEST(the_energy_beside_padding_is_infinite_where_it_is_not_defined) {
    for (int i = 0; i < CASES; i++)
        for (int b = 0; b < 2; b++) {
            specimen s;
            double x[N_MOST];
            REQUIRE(specimen_context(&s) && sp_mesh_box(s.ctx, size, (int[3]){1, 1, 1}, 5, &s.mesh) >= 0);
            REQUIRE(specimen_open(&s, case_def(&cases[i], SP_TANGENT_FROZEN, SP_INTEGRATION_FULL), backends[b]));
            for (int k = 0; k < 3 * s.nodes; k++) x[k] = sp_mesh_positions(s.mesh)[k] * (k % 3 == 1 ? -1.1 : 1);
            double energy = energy_at(&s, x);
            CHECK(cases[i].inverts ? isfinite(energy) : isinf(energy));
            specimen_close(&s);
        }
}

// ------------------------------------------------------------------------------------------------ fields

// The stretch of the fibres of a homogeneous state, on the API; a zero direction of an element is no fibre.
TEST(the_stretch_of_the_fibres_is_a_field) {
    const double F[9] = {1.3, 0.2, 0, 0, 0.9, 0.1, 0, 0, 0.95};
    for (int shape = 0; shape < 3; shape++) {
        specimen s;
        double x[N_MOST], own[6 * 64], *out;
        REQUIRE(specimen_context(&s));
        REQUIRE(element_box(s.ctx, solid_types[shape], size, (int[3]){1, 1, 1}, 0, &s.mesh) >= 0);
        int n = sp_mesh_node_count(s.mesh), elements = sp_mesh_element_count(s.mesh);
        for (int i = 0; i < 3 * n; i++) {
            const double *X = sp_mesh_positions(s.mesh) + i - i % 3;
            x[i] = F[3 * (i % 3)] * X[0] + F[3 * (i % 3) + 1] * X[1] + F[3 * (i % 3) + 2] * X[2];
        }
        for (int e = 0; e < elements; e++) own[6 * e] = NAN;
        if (elements > 1) memset(own, 0, 6 * sizeof *own);
        sp_world *w = NULL;
        sp_body_id id;
        sp_solid_def def = case_def(&cases[1], SP_TANGENT_FROZEN, SP_INTEGRATION_AUTO);
        def.mesh = s.mesh, def.initial = x, def.element_fibre = own;
        REQUIRE(sp_world_create(s.ctx, NULL, &w) == SP_OK && sp_world_add_solid(w, &def, &id) >= 0);
        sp_field_info info;
        REQUIRE(sp_world_field_info(w, id, "fibre-stretch", &info) >= 0);
        out = calloc((size_t)info.count, sizeof *out);
        CHECK(sp_world_field(w, id, "fibre-stretch", out) >= 0);
        const double f[3] = {1 / sqrt(5.25), 2 / sqrt(5.25), 0.5 / sqrt(5.25)};
        double I4 = 0;
        for (int i = 0; i < 3; i++) I4 += pow(F[3 * i] * f[0] + F[3 * i + 1] * f[1] + F[3 * i + 2] * f[2], 2);
        for (int k = 0; k < info.count; k++) {
            bool none = elements > 1 && k < info.count / elements;
            CHECK_NEAR(out[k], none ? 1 : sqrt(I4), 1e-14);
        }
        free(out);
        sp_world_destroy(&w);
        sp_mesh_destroy(&s.mesh);
        sp_context_destroy(&s.ctx);
    }
}
