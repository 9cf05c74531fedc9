// Claim: mass-matrix="consistent" is the matrix of the integrals of density N_a N_b, in the product, the assembly, the energies
// and the integrators.
//
// - it integrates a velocity that is linear in space exactly, on distorted and curved elements: mass, kinetic energy, momentum
// and
//   angular momentum of a moving and spinning box are those of a rigid body. Lumped masses have an error of order h^2 in 1/2 I
//   w^2
// - 10-node tetrahedra integrate a quadratic velocity exactly
// - axial vibration of a bar: frequencies of the consistent matrix are above the exact one (Rayleigh), those of the lumped one
// below;
//   the errors have order 2, with the consistent matrix of quadratic tetrahedra 4 (Hughes 2000, The Finite Element Method, 7.3)
// - a body falls without stress; momentum is constant, energy does not appear; damping by mass acts on the momentum as a whole
// - assembled and matrix-free systems give the same motion; an edit of the density and point masses act
#include "element.h"
#include "element_boxes.h"

static const double size[3] = {0.3, 0.2, 0.15};
static const int cells[3] = {4, 3, 3};

static double *velocities(const sp_mesh *mesh, const double drift[3], const double spin[3]) {
    int n = sp_mesh_node_count(mesh);
    double *v = calloc(3 * (size_t)n, sizeof *v);
    for (int i = 0; i < n; i++) {
        const double *x = sp_mesh_positions(mesh) + 3 * (size_t)i;
        double r[3] = {x[0] - size[0] / 2, x[1] - size[1] / 2, x[2] - size[2] / 2}, turn[3];
        cross(spin, r, turn);
        for (int k = 0; k < 3; k++) v[3 * i + k] = drift[k] + turn[k];
    }
    return v;
}

static bool open_box(lab *b, const sp_solid_def *like, const double *v, double gravity) {
    sp_solid_def def = *like;
    def.name = "body", def.mesh = b->mesh, def.initial_velocity = v;
    return lab_world(b, &def, gravity);
}

static bool box_mesh(lab *b, sp_element_type type, double distortion) {
    return lab_context(b) && element_box(b->ctx, type, size, cells, distortion, &b->mesh) == SP_OK;
}

// ------------------------------------------------------------------------------------------------ exact integrals

// Errors relative to the rigid body: kinetic energy, momentum, angular momentum, mass.
static void rigid_errors(sp_element_type type, sp_mass_matrix mass_matrix, double error[4]) {
    const double drift[3] = {1, -2, 0.5}, spin[3] = {3, 1, -4};
    lab b;
    REQUIRE(box_mesh(&b, type, 0.2));
    double *v = velocities(b.mesh, drift, spin), m = 800 * size[0] * size[1] * size[2], energy = 0, own[3], orbit[3];
    const double middle[3] = {size[0] / 2, size[1] / 2, size[2] / 2};
    sp_solid_def def = lab_solid(&b);
    def.material.density = 800, def.mass_matrix = mass_matrix;
    REQUIRE(open_box(&b, &def, v, 0));
    sp_body_measures n = lab_measures(&b);
    cross(middle, drift, orbit);
    for (int k = 0; k < 3; k++) {
        double I = m * (size[(k + 1) % 3] * size[(k + 1) % 3] + size[(k + 2) % 3] * size[(k + 2) % 3]) / 12;
        energy += 0.5 * m * drift[k] * drift[k] + 0.5 * I * spin[k] * spin[k], own[k] = I * spin[k] + m * orbit[k];
    }
    error[0] = fabs(n.kinetic / energy - 1), error[1] = error[2] = 0, error[3] = fabs(n.mass / m - 1);
    for (int k = 0; k < 3; k++) {
        error[1] = fmax(error[1], fabs(n.momentum[k] / (m * drift[k]) - 1));
        error[2] = fmax(error[2], fabs(n.angular[k] / own[k] - 1));
    }
    free(v);
    lab_close(&b);
}

// Tolerance 1e-12: sums of some thousand numbers. Lumped masses of linear tetrahedra are off by a share of the square of the
// cells.
TEST(a_spinning_box_is_a_rigid_body) {
    for (int t = 0; t < 3; t++) {
        double error[4], lumped[4];
        rigid_errors(solid_types[t], SP_MASS_CONSISTENT, error);
        rigid_errors(solid_types[t], SP_MASS_LUMPED, lumped);
        for (int k = 0; k < 4; k++) CHECK_NEAR(error[k], 0, 1e-12);
        CHECK(lumped[0] > 1e-3 && lumped[3] < 1e-6);
    }
}

// v = (x^2, 0, 0): the energy is density/2 b c a^5 / 5. Straight edges, whose shape functions contain x^2.
TEST(quadratic_tetrahedra_integrate_a_quadratic_velocity) {
    lab b;
    REQUIRE(box_mesh(&b, SP_ELEMENT_TET10, 0));
    int n = sp_mesh_node_count(b.mesh);
    double *v = calloc(3 * (size_t)n, sizeof *v), a = size[0];
    for (int i = 0; i < n; i++) v[3 * i] = sp_mesh_positions(b.mesh)[3 * i] * sp_mesh_positions(b.mesh)[3 * i];
    sp_solid_def def = lab_solid(&b);
    def.mass_matrix = SP_MASS_CONSISTENT;
    REQUIRE(open_box(&b, &def, v, 0));
    CHECK_NEAR(lab_measures(&b).kinetic / (500 * size[1] * size[2] * a * a * a * a * a / 5), 1, 1e-12);
    free(v);
    lab_close(&b);
}

// ------------------------------------------------------------------------------------------------ frequencies

// x: A^-1 r by conjugate gradients, A the stiffness matrix with unit rows of fixed unknowns
static void solve_stiffness(const sp_system *A, int n, const double *r, double *x) {
    double *res = calloc(3 * (size_t)n + 3, sizeof *res), *p = res + n + 1, *y = p + n + 1, rr = 0, first;
    memset(x, 0, (size_t)n * sizeof *x);
    for (int i = 0; i < n; i++) res[i] = p[i] = A->fixed[i] ? 0 : r[i], rr += res[i] * res[i];
    first = rr;
    for (int k = 0; k < 2000 && rr > 1e-26 * first; k++) {
        double py = 0, before = rr;
        A->mul(A->o, (sp_coef){0, 0, 1}, p, y);
        for (int i = 0; i < n; i++) py += p[i] * y[i];
        rr = 0;
        for (int i = 0; i < n; i++) x[i] += before / py * p[i], res[i] -= before / py * y[i], rr += res[i] * res[i];
        for (int i = 0; i < n; i++) p[i] = res[i] + rr / before * p[i];
    }
    free(res);
}

// The lowest frequency relative to c pi / 2L of a bar with Poisson's ratio 0 that is held at x = 0 and moves along x only:
// inverse iteration with the matrices of the system.
static double bar_frequency(sp_element_type type, sp_mass_matrix mass_matrix, int count) {
    const double length[3] = {1, 0.25, 0.25};
    const int many[3] = {4 * count, count, count};
    specimen s;
    double w2 = NAN, c = sqrt(1e6 / 1000);
    if (!specimen_context(&s) || element_box(s.ctx, type, length, many, 0, &s.mesh) < 0) return NAN;
    int roots, n = 3 * sp_mesh_node_count(s.mesh), *root = plane_nodes(s.mesh, 0, 0, &roots),
               *all = calloc((size_t)n, sizeof *all);
    for (int i = 0; i < n / 3; i++) all[i] = i;
    const sp_fix fixes[2] = {{root, roots, 1, 0}, {all, n / 3, 6, 0}};
    sp_solid_def def = sp_solid_def_default();
    def.model = SP_LINEAR, def.material = (sp_material){.density = 1000, .young = 1e6, .poisson = 0};
    def.integration = SP_INTEGRATION_FULL, def.mass_matrix = mass_matrix;
    def.fixes = fixes, def.fix_count = 2;
    if (specimen_open(&s, def, "cpu")) {
        const sp_step step = sp__step_default(0);
        sp_system A;
        double *x = calloc(3 * (size_t)n + 3, sizeof *x), *Mx = x + n + 1, *Kx = Mx + n + 1;
        CHECK(s.body->ops->evaluate(s.body, &step, SP_WANT_FORCE) >= 0 && s.body->ops->linearise(s.body, &step, &A) >= 0);
        for (int i = 0; i < n; i += 3) x[i] = sin(1.5707963267948966 * s.body->q[SP_COMMITTED][i]);
        for (int k = 0; k < 12; k++) {
            double xKx = 0, xMx = 0;
            s.body->ops->mass(s.body, x, Mx, false);
            A.mul(A.o, (sp_coef){0, 0, 1}, x, Kx);
            for (int i = 0; i < n; i++)
                if (!A.fixed[i]) xKx += x[i] * Kx[i], xMx += x[i] * Mx[i];
            w2 = xKx / xMx;
            solve_stiffness(&A, n, Mx, x);
        }
        free(x);
    }
    free(root), free(all);
    specimen_close(&s);
    return sqrt(w2) / (1.5707963267948966 * c);
}

// Between 4 and 8 elements of a linear type along the bar the order is known to about 0.1 only.
TEST(frequencies_of_a_bar_are_bracketed) {
    for (int t = 0; t < 3; t++) {
        const sp_element_type type = solid_types[t];
        double above[2], below[2];
        for (int k = 0; k < 2; k++) {
            above[k] = bar_frequency(type, SP_MASS_CONSISTENT, 1 + k) - 1;
            below[k] = bar_frequency(type, SP_MASS_LUMPED, 1 + k) - 1;
        }
        double order = log2(above[0] / above[1]);
        CHECK(above[1] > 0 && above[0] > above[1]);
        CHECK_NEAR(order, type == SP_ELEMENT_TET10 ? 4 : 2, 0.2);
        CHECK(below[1] < 0 && below[0] < below[1]);
        CHECK_NEAR(log2(below[0] / below[1]), 2, 0.2);
        // one dimension, or hexahedra: both errors are (k h)^2 / 24 with k = pi / 2
        if (type == SP_ELEMENT_HEX8) CHECK_NEAR(above[1] / (2.4674011 / 64 / 24), 1, 0.05);
    }
}

// ------------------------------------------------------------------------------------------------ motion

// Tolerance: rounding of positions of the order of 1 m, times the stiffness over the inertia of an element.
TEST(a_body_falls_without_stress) {
    for (int t = 0; t < 3; t++)
        for (int newton = 0; newton < 2; newton++) {
            lab b;
            REQUIRE(box_mesh(&b, solid_types[t], 0.2));
            sp_solid_def def = lab_solid(&b);
            def.mass_matrix = SP_MASS_CONSISTENT, def.solver.tolerance = 1e-12;
            def.integrator.type = newton ? SP_NEWTON : SP_IMPLICIT_EULER;
            REQUIRE(open_box(&b, &def, NULL, -10));
            CHECK(lab_steps(&b, 0.01, 20) == SP_OK);
            double *u = lab_field(&b, "displacement"), most = 0;
            for (int i = 0; i < b.nodes; i++) {
                most = fmax(most, fmax(fabs(u[3 * i] - u[0]), fabs(u[3 * i + 2] - u[2])));
                most = fmax(most, fabs(u[3 * i + 1] + 10 * 1e-4 * 210));  // g h^2 n (n + 1) / 2
            }
            CHECK_NEAR(most, 0, 1e-11);
            free(u);
            lab_close(&b);
        }
}

// A stretched, drifting box swings freely. Implicit Euler loses energy and keeps momentum; what the solver leaves is 1e-12 of the
// forces.
TEST(momentum_is_kept_and_no_energy_appears) {
    for (int t = 0; t < 3; t++) {
        const double drift[3] = {0.5, 1, -2}, none[3] = {0, 0, 0};
        lab b;
        REQUIRE(box_mesh(&b, solid_types[t], 0.2));
        int n = sp_mesh_node_count(b.mesh);
        double *v = velocities(b.mesh, drift, none), *x = malloc(3 * (size_t)n * sizeof *x);
        for (int i = 0; i < 3 * n; i++) x[i] = sp_mesh_positions(b.mesh)[i] * (i % 3 == 0 ? 1.2 : 0.95);
        sp_solid_def def = lab_solid(&b);
        def.mass_matrix = SP_MASS_CONSISTENT, def.initial = x;
        def.integrator.type = SP_NEWTON, def.integrator.tolerance = 1e-11, def.solver.tolerance = 1e-12;
        def.model = SP_NEO_HOOKEAN, def.material.young = 1e5;
        REQUIRE(open_box(&b, &def, v, 0));
        sp_body_measures first = lab_measures(&b), now = first;
        CHECK(lab_steps(&b, 0.002, 40) == SP_OK);
        now = lab_measures(&b);
        for (int k = 0; k < 3; k++) CHECK_NEAR(now.momentum[k], first.momentum[k], 1e-10 * fabs(first.momentum[2]));
        CHECK(now.kinetic + now.elastic < first.kinetic + first.elastic && now.appeared <= 1e-9 * first.elastic);
        CHECK(now.elastic < 0.9 * first.elastic);
        free(v), free(x);
        lab_close(&b);
    }
}

// Implicit Euler of a translation: v (1 + a h)^-n. Tolerance: that of the solver.
TEST(damping_by_mass_slows_a_translation) {
    const double drift[3] = {0.5, 1, -2}, none[3] = {0, 0, 0};
    for (int t = 0; t < 3; t++) {
        lab b;
        REQUIRE(box_mesh(&b, solid_types[t], 0.2));
        double *v = velocities(b.mesh, drift, none);
        sp_solid_def def = lab_solid(&b);
        def.mass_matrix = SP_MASS_CONSISTENT, def.rayleigh_mass = 4, def.rayleigh_stiffness = 0.001, def.solver.tolerance = 1e-12;
        REQUIRE(open_box(&b, &def, v, 0));
        double before = lab_measures(&b).momentum[1];
        CHECK(lab_steps(&b, 0.01, 5) == SP_OK);
        CHECK_NEAR(lab_measures(&b).momentum[1] / before, pow(1.04, -5), 1e-10);
        free(v);
        lab_close(&b);
    }
}

// Two paths of the same system: apart by what the solver leaves.
TEST(assembled_and_matrix_free_agree) {
    for (int t = 0; t < 3; t++) {
        double *x[2];
        for (int k = 0; k < 2; k++) {
            lab b;
            REQUIRE(box_mesh(&b, solid_types[t], 0.2));
            int count, *wall = plane_nodes(b.mesh, 0, 0, &count);
            const sp_fix fix = {wall, count, SP_AXES_ALL, 0};
            sp_solid_def def = lab_solid(&b);
            def.mass_matrix = SP_MASS_CONSISTENT, def.material.young = 2e4, def.rayleigh_mass = 1;
            def.solver.type = SP_SOLVER_CG, def.solver.tolerance = 1e-12;
            def.solver.cg.op = k ? SP_OPERATOR_FREE : SP_OPERATOR_ASSEMBLED;
            def.fixes = &fix, def.fix_count = 1;
            REQUIRE(open_box(&b, &def, NULL, -10));
            CHECK(lab_steps(&b, 0.01, 10) == SP_OK);
            x[k] = lab_field(&b, "position");
            free(wall);
            if (k)
                for (int i = 0; i < 3 * b.nodes; i++) CHECK_NEAR(x[1][i], x[0][i], 1e-10);
            lab_close(&b);
        }
        free(x[0]), free(x[1]);
    }
}

// ------------------------------------------------------------------------------------------------ parameters

TEST(density_and_point_masses_act) {
    const double drift[3] = {0, 3, 0}, none[3] = {0, 0, 0};
    for (int t = 0; t < 3; t++) {
        lab b;
        REQUIRE(box_mesh(&b, solid_types[t], 0.2));
        double *v = velocities(b.mesh, drift, none), m = 1000 * size[0] * size[1] * size[2];
        const sp_anchor at = {.elem = 0, .at = {0.25, 0.25, 0.25}};
        const sp_mass_def mass = {.name = "w", .at = &at, .count = 1, .value = sp_signal_constant(2)};
        sp_solid_def def = lab_solid(&b);
        def.mass_matrix = SP_MASS_CONSISTENT, def.masses = &mass, def.mass_count = 1, def.solver.tolerance = 1e-12;
        REQUIRE(open_box(&b, &def, v, 0));
        sp_body_measures n = lab_measures(&b);
        CHECK_NEAR(n.kinetic / (4.5 * (m + 2)), 1, 1e-12);
        CHECK_NEAR(n.momentum[1] / (3 * (m + 2)), 1, 1e-12);
        CHECK(lab_steps(&b, 0.01, 1) == SP_OK);
        CHECK_INT(sp_world_set_param(b.world, "body.density", 2000), SP_OK);
        CHECK(lab_steps(&b, 0.01, 1) == SP_OK);
        n = lab_measures(&b);
        CHECK_NEAR(n.kinetic / (4.5 * (2 * m + 2)), 1, 1e-10);
        CHECK_NEAR(n.work.edits / (4.5 * m), 1, 1e-10);
        free(v);
        lab_close(&b);
    }
}

TEST(what_needs_the_inverse_is_refused) {
    lab b;
    REQUIRE(box_mesh(&b, SP_ELEMENT_TET4, 0) && sp_world_create(b.ctx, NULL, &b.world) == SP_OK);
    sp_solid_def def = lab_solid(&b);
    def.mass_matrix = SP_MASS_CONSISTENT, def.integrator.type = SP_EXPLICIT;
    CHECK_INT(sp_world_add_solid(b.world, &def, NULL), SP_BAD_INPUT);
    CHECK(strstr(sp_world_error(b.world)->message, "explicit divides by the mass"));
    def.integrator.type = SP_IMPLICIT_EULER, def.solver.type = SP_SOLVER_UPDATED_CHOLESKY;
    CHECK_INT(sp_world_add_solid(b.world, &def, NULL), SP_BAD_INPUT);
    CHECK(strstr(sp_world_error(b.world)->message, "updated-cholesky needs lumped"));
    def.solver.type = SP_SOLVER_AUTO, def.mass_matrix = (sp_mass_matrix)7;
    CHECK_INT(sp_world_add_solid(b.world, &def, NULL), SP_BAD_INPUT);
    lab_close(&b);
}
